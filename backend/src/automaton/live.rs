//! Which of a thread's own leaves are *live* at a node: whose value the thread may yet read.
//!
//! What others know of a thread's locals (a predicate between threads) is about live ones only: before a
//! ticket is drawn, and after it was given back, the variable says nothing. Any set of places would do,
//! as the abstraction proves whatever it says of them; these are those that matter.

use rustc_hash::{FxHashMap, FxHashSet};

use super::leaf::{Instance, Leaf, Symbols};
use super::tried::drawn_at;
use super::{Automaton, Edge, EdgeTarget, Effect, NodeId, Scope};
use crate::index::small_index;
use crate::solver::TermId;

/// The live leaves of all nodes.
#[derive(Debug)]
pub struct Live {
    /// By root and node.
    nodes: Vec<Vec<FxHashSet<Leaf>>>,
}

/// What an edge reads and writes.
struct Accesses {
    /// Whatever becomes of it.
    always: Vec<Leaf>,
    /// What a leaf of the thread is computed from; it matters if that leaf does.
    updates: FxHashMap<Leaf, Vec<Leaf>>,
    to: Option<NodeId>,
}

impl Live {
    /// The least solution of the dataflow equations.
    #[must_use]
    pub fn new(symbols: &Symbols, automaton: &Automaton) -> Self {
        let solve = |root: usize| {
            let nodes = &automaton.roots[root].nodes;
            let mut live: Vec<FxHashSet<Leaf>> = vec![FxHashSet::default(); nodes.len()];
            let edges: Vec<Vec<Accesses>> = nodes
                .iter()
                .map(|node| node.edges.iter().map(|&id| automaton.edge(id)))
                .map(|edges| edges.map(|edge| accesses(symbols, automaton, edge)).collect())
                .collect();
            let mut changed = true;
            while changed {
                changed = false;
                for at in (0..nodes.len()).rev() {
                    for edge in &edges[at] {
                        let after = edge.to.map(|to| live[to.index()].clone()).unwrap_or_default();
                        let kept = after.iter().filter(|leaf| !edge.updates.contains_key(leaf));
                        let read = edge.updates.iter().filter(|(leaf, _)| after.contains(leaf));
                        let read = read.flat_map(|(_, read)| read);
                        for &leaf in kept.chain(read).chain(&edge.always) {
                            changed |= live[at].insert(leaf);
                        }
                    }
                }
            }
            live
        };
        Self { nodes: (0..automaton.roots.len()).map(solve).collect() }
    }

    /// Whether a leaf is live at a node of a root. A source variable is, if what it equals there is.
    #[must_use]
    pub fn is_live(
        &self,
        symbols: &Symbols,
        automaton: &Automaton,
        (root, node): (usize, NodeId),
        leaf: Leaf,
    ) -> bool {
        let live = &self.nodes[root][node.index()];
        let Leaf::Variable(function, variable) = leaf else { return live.contains(&leaf) };
        let of = &automaton.roots[root];
        if of.function != function {
            return false;
        }
        let term = of.variables.term(variable, of.nodes[node.index()].position);
        term.is_some_and(|term| own(symbols, automaton, [term]).any(|leaf| live.contains(&leaf)))
    }

    /// At which nodes of a root others count the thread as one that has this leaf: where it is live. A number that is tried before
    /// it is drawn, as in `t = next` and a compare-and-swap from `t` to `t + 1`, is the thread's from there on, where it is
    /// of use then.
    #[must_use]
    pub fn counts(
        &self,
        symbols: &mut Symbols,
        automaton: &Automaton,
        root: usize,
        leaf: Leaf,
    ) -> Vec<bool> {
        let nodes = 0..automaton.roots[root].nodes.len();
        let live: Vec<bool> = nodes
            .map(|node| self.is_live(symbols, automaton, (root, NodeId(small_index(node))), leaf))
            .collect();
        let Some(drawn) = drawn_at(symbols, automaton, root, leaf) else { return live };
        let both: Vec<bool> = live.iter().zip(drawn).map(|(&live, drawn)| live && drawn).collect();
        if both.contains(&true) { both } else { live }
    }
}

fn accesses(symbols: &Symbols, automaton: &Automaton, edge: &Edge) -> Accesses {
    let guards = edge.step.guards.iter().map(|guard| guard.term);
    let mut always: Vec<Leaf> = own(symbols, automaton, guards).collect();
    let of_effect = match &edge.effect {
        Some(Effect::Spawn { arguments, .. }) => arguments.clone(),
        Some(Effect::Join { handle, .. }) => vec![*handle],
        None => Vec::new(),
    };
    always.extend(own(symbols, automaton, of_effect));
    let mut updates = FxHashMap::default();
    for (&leaf, &term) in &edge.step.updates {
        let read = own(symbols, automaton, [term]);
        if is_own(automaton, leaf) {
            updates.insert(leaf, read.collect());
        } else {
            // Others may see it.
            always.extend(read);
        }
    }
    let to = match edge.to {
        EdgeTarget::Node(to) => Some(to),
        EdgeTarget::EndThread | EdgeTarget::Halt | EdgeTarget::Error(_) => None,
    };
    Accesses { always, updates, to }
}

/// The thread's own leaves in terms.
fn own<'t>(
    symbols: &'t Symbols,
    automaton: &'t Automaton,
    terms: impl IntoIterator<Item = TermId> + 't,
) -> impl Iterator<Item = Leaf> + 't {
    let variables = terms.into_iter().flat_map(|term| symbols.store.variables(term));
    let leaf = |variable| match symbols.leaf(variable)? {
        (leaf, Instance::Active) => Some(leaf),
        _ => None,
    };
    variables.filter_map(leaf).filter(|&leaf| is_own(automaton, leaf))
}

fn is_own(automaton: &Automaton, leaf: Leaf) -> bool {
    match leaf {
        Leaf::Cell(cell) => automaton.memory.object_of(cell).scope != Scope::Shared,
        Leaf::Value(..) | Leaf::Variable(..) => true,
        Leaf::Input(_) | Leaf::Live(_) => false,
    }
}
