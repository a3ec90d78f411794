//! The variables a function depends on, and the size of its diagram.

use rustc_hash::FxHashSet;

use crate::edge::Edge;
use crate::node::Store;

impl Store {
    /// Calls `visit` once for every node reachable from `roots`, the terminal excepted.
    pub(crate) fn visit_nodes(&self, roots: &[Edge], mut visit: impl FnMut(Edge)) {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<Edge> = roots.iter().map(|edge| edge.regular()).collect();
        while let Some(edge) = stack.pop() {
            if edge.is_constant() || !seen.insert(edge) {
                continue;
            }
            visit(edge);
            let node = self.node(edge);
            stack.extend([node.low.regular(), node.high]);
        }
    }

    /// How many nodes `f` has, the terminal included; `None` if that is more than `most`.
    pub(crate) fn size_within(&self, f: Edge, most: usize) -> Option<usize> {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<Edge> = vec![f.regular()];
        while let Some(edge) = stack.pop() {
            if edge.is_constant() || !seen.insert(edge) {
                continue;
            }
            if seen.len() >= most {
                return None;
            }
            let node = self.node(edge);
            stack.extend([node.low.regular(), node.high]);
        }
        Some(seen.len() + 1)
    }

    /// The variables in the support of `f`, by level.
    pub(crate) fn support(&self, f: Edge) -> Vec<u32> {
        let mut present = vec![false; self.var_at.len()];
        self.visit_nodes(&[f], |edge| present[self.level(edge) as usize] = true);
        self.var_at.iter().zip(present).filter(|(_, here)| *here).map(|(&var, _)| var).collect()
    }
}
