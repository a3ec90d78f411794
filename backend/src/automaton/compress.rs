//! Composing edges over nodes where no other thread can act.

use rustc_hash::FxHashMap;
use sapa_limits::{Exceeded, Limits};

use super::leaf::Symbols;
use super::step::{Growing, MAX_GUARDS, Step};
use super::{Automaton, Edge, EdgeId, EdgeTarget, NodeId, Path};
use crate::index::small_index;

/// Most edges that may replace the edges of one node, beyond their number.
const GROWTH: usize = 4;

/// Removes nodes at which no other thread can act by composing each edge that
/// enters with each that leaves, where that does not make many more edges.
/// Edges with an effect stay alone, because the Boolean program has a
/// statement of its own for it.
///
/// The edges of the automaton that are composed stay in [`Automaton::edges`],
/// but no node has them any more; compositions that are composed further are empty there.
///
/// # Errors
/// If a limit ends the work; the automaton is of no use then.
pub fn compress(
    symbols: &mut Symbols,
    automaton: &mut Automaton,
    limits: &Limits,
) -> Result<(), Exceeded> {
    let made = automaton.edges.len();
    let mut composer = Composer {
        gone: vec![false; made],
        growing: FxHashMap::default(),
        symbols,
        automaton,
        made,
    };
    for root in 0..composer.automaton.roots.len() {
        composer.root(root, limits)?;
    }
    Ok(())
}

struct Composer<'a> {
    symbols: &'a mut Symbols,
    automaton: &'a mut Automaton,
    /// How many edges there were at first.
    made: usize,
    /// Edges that were composed. Lists of edges are cleaned when they are looked at.
    gone: Vec<bool>,
    /// The steps of compositions, as far as they were continued.
    growing: FxHashMap<EdgeId, Growing>,
}

impl Composer<'_> {
    fn root(&mut self, root: usize, limits: &Limits) -> Result<(), Exceeded> {
        let count = self.automaton.roots[root].nodes.len();
        let mut incoming: Vec<Vec<EdgeId>> = vec![Vec::new(); count];
        for node in &self.automaton.roots[root].nodes {
            for &edge in &node.edges {
                if let EdgeTarget::Node(to) = self.automaton.edge(edge).to {
                    incoming[to.index()].push(edge);
                }
            }
        }
        for index in 1..count {
            limits.check()?;
            let node = NodeId::new(index);
            if self.automaton.roots[root].nodes[index].preemptible {
                continue;
            }
            let is_left = |edge: &EdgeId| !self.gone[edge.index()];
            incoming[index].retain(is_left);
            self.automaton.roots[root].nodes[index].edges.retain(is_left);
            if !can_remove(self.automaton, root, node, &incoming[index]) {
                continue;
            }
            let entering = std::mem::take(&mut incoming[index]);
            let leaving = std::mem::take(&mut self.automaton.roots[root].nodes[index].edges);
            for first in entering {
                let Edge { from, ref path, .. } = *self.automaton.edge(first);
                let path = path.clone();
                let mut growing = self.take(first);
                for (number, &second) in leaving.iter().enumerate() {
                    let is_last = number + 1 == leaving.len();
                    let Some(id) = self.compose(&mut growing, &path, (first, second), is_last)
                    else {
                        continue;
                    };
                    if let EdgeTarget::Node(to) = self.automaton.edge(id).to {
                        incoming[to.index()].push(id);
                    }
                    self.automaton.roots[root].nodes[from.index()].edges.push(id);
                }
                self.forget(first);
            }
            for edge in leaving {
                self.forget(edge);
            }
        }
        let gone = &self.gone;
        for node in &mut self.automaton.roots[root].nodes {
            node.edges.retain(|edge| !gone[edge.index()]);
        }
        self.growing.clear();
        Ok(())
    }

    /// The step of an edge that is composed now.
    fn take(&mut self, edge: EdgeId) -> Growing {
        let known = self.growing.remove(&edge);
        let step = self.automaton.edge(edge).step.clone();
        // A copy in the list of edges would keep this one from being continued in place.
        self.forget(edge);
        known.unwrap_or_else(|| Growing::new(self.symbols, step))
    }

    fn forget(&mut self, id: EdgeId) {
        self.gone[id.index()] = true;
        if id.index() >= self.made {
            let edge = &mut self.automaton.edges[id.index()];
            (edge.step, edge.path) = (Step::default(), Path::default());
            self.growing.remove(&id);
        }
    }

    /// Adds the edge that is one and then another; `None` if that cannot happen.
    fn compose(
        &mut self,
        growing: &mut Growing,
        path: &Path,
        (first, second): (EdgeId, EdgeId),
        is_last: bool,
    ) -> Option<EdgeId> {
        let Automaton { edges, inputs, .. } = &mut *self.automaton;
        let (first, second) = (&edges[first.index()], &edges[second.0 as usize]);
        let length = small_index(path.len());
        let next = second.step.with_inputs_apart(self.symbols, &growing.step, inputs);
        let more = growing.then(self.symbols, &next, length);
        let mut both = if is_last {
            std::mem::take(growing)
        } else {
            Growing::new(self.symbols, growing.step.clone())
        };
        both.add(self.symbols, more);
        if both.step.is_impossible(self.symbols) {
            return None;
        }
        let mut path = path.clone();
        path.append(&second.path);
        let (root, from, to) = (first.root, first.from, second.to);
        let edge = Edge { root, from, to, step: both.step.clone(), effect: None, path };
        let id = EdgeId::new(edges.len());
        edges.push(edge);
        self.gone.push(false);
        if is_last {
            self.growing.insert(id, both);
        }
        Some(id)
    }
}

fn can_remove(automaton: &Automaton, root: usize, node: NodeId, entering: &[EdgeId]) -> bool {
    let leaving = &automaton.roots[root].nodes[node.index()].edges;
    let plain = |edge: &EdgeId| automaton.edge(*edge).effect.is_none();
    let size = |edges: &[EdgeId]| {
        edges.iter().map(|&e| automaton.edge(e).step.guards.len()).max().unwrap_or(0)
    };
    !entering.is_empty()
        && entering.len() * leaving.len() <= entering.len() + leaving.len() + GROWTH
        && entering.iter().all(plain)
        && leaving.iter().all(plain)
        && leaving.iter().all(|&edge| automaton.edge(edge).to != EdgeTarget::Node(node))
        && size(entering) + size(leaving) <= MAX_GUARDS
}
