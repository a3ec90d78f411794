//! Numbers that a thread tries before they are its own.
//!
//! A thread may draw a number from a counter by a compare-and-swap: it reads `t = next`, and `t` is its number if `next`
//! is still `t` when it becomes `t + 1`. Until then others have read the same, so that nothing tells this thread's `t`
//! from theirs; from then on nobody else has it. What is said of all threads that have such a number is true
//! from there on only, although the variable is the same.

use rustc_hash::FxHashMap;

use super::leaf::{Instance, Leaf, Symbols};
use super::{Automaton, Edge, EdgeTarget, Scope, Step};
use crate::solver::{Node, TermId, constant_difference};

/// What terms are where a step is taken, by its guards: Booleans are constants, and a thread's own variables have
/// what a shared one has.
#[must_use]
pub fn certain(symbols: &Symbols, automaton: &Automaton, step: &Step) -> FxHashMap<TermId, TermId> {
    let leaf = |term: TermId| symbols.leaf(term).map(|(leaf, _)| leaf);
    let is_own = |term: TermId| match leaf(term) {
        Some(Leaf::Value(..) | Leaf::Variable(..)) => true,
        Some(Leaf::Cell(cell)) => {
            matches!(automaton.memory.object_of(cell).scope, Scope::Threads(_))
        }
        _ => false,
    };
    let is_shared = |term: TermId| matches!(leaf(term), Some(Leaf::Cell(cell)) if automaton.memory.is_shared(cell));
    let store = &symbols.store;
    let mut found = FxHashMap::default();
    let mut pending: Vec<TermId> = step.guards.iter().map(|guard| guard.term).collect();
    while let Some(term) = pending.pop() {
        match store.node(term) {
            Node::And(a, b) => pending.extend([a, b]),
            Node::Eq(a, b) => {
                for (own, shared) in [(a, b), (b, a)] {
                    if is_own(own) && is_shared(shared) {
                        found.insert(own, shared);
                    }
                }
            }
            Node::Variable { .. } => {
                found.insert(term, store.true_());
            }
            Node::Not(of) if matches!(store.node(of), Node::Variable { .. }) => {
                found.insert(of, store.false_());
            }
            _ => {}
        }
    }
    found
}

/// How much more one term is than another of the same width, if that is always the same.
#[must_use]
pub fn above(symbols: &Symbols, term: TermId, counter: TermId) -> Option<u128> {
    let same_width = symbols.bits(term) == symbols.bits(counter);
    same_width.then(|| constant_difference(&symbols.store, term, counter)).flatten()
}

/// The shared variables that grow by a number in a step, and by how much. `values` says what terms are there.
pub fn growths(
    symbols: &mut Symbols,
    automaton: &Automaton,
    step: &Step,
    values: &FxHashMap<TermId, TermId>,
) -> Vec<(TermId, u128)> {
    let mut found = Vec::new();
    for (&leaf, &term) in &step.updates {
        let Leaf::Cell(cell) = leaf else { continue };
        if !automaton.memory.is_shared(cell) {
            continue;
        }
        let bits = symbols.bits(term);
        let counter = symbols.variable(leaf, Instance::Active, bits);
        let after = symbols.store.substitute(term, values);
        if let Some(by) = above(symbols, after, counter)
            && by != 0
            && by >> (bits - 1) == 0
        {
            found.push((counter, by));
        }
    }
    found
}

/// What an edge does to a source variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Done {
    /// It keeps its value, which was tried, and is drawn.
    Drawn,
    /// It keeps its value.
    Kept,
    /// It gets another one.
    Given,
}

/// At which nodes of a root a source variable has a number that was drawn, if it has one that was tried before.
pub(super) fn drawn_at(
    symbols: &mut Symbols,
    automaton: &Automaton,
    root: usize,
    leaf: Leaf,
) -> Option<Vec<bool>> {
    let Leaf::Variable(function, _) = leaf else { return None };
    let variable = symbols.known(leaf)?;
    let of = automaton.roots.get(root).filter(|of| of.function == function)?;
    let mut done = |edge: &Edge| {
        // A branch that asks again whether the number was drawn has ways on which it was and was not.
        let guard = edge.step.guard(symbols);
        if symbols.store.as_boolean(guard) == Some(false) {
            return None;
        }
        let before = automaton.resolve(symbols, (edge.root, edge.from), variable);
        if edge.step.updates.get(&leaf).is_some_and(|&after| after != before) {
            return Some(Done::Given);
        }
        if before == variable || edge.step.updates.is_empty() {
            return Some(Done::Kept);
        }
        let certain = certain(symbols, automaton, &edge.step);
        let number = symbols.store.substitute(before, &certain);
        let growths = growths(symbols, automaton, &edge.step, &certain);
        let is_from = |&(counter, by): &(TermId, u128)| {
            above(symbols, number, counter).is_some_and(|offset| offset <= by)
        };
        Some(if growths.iter().any(is_from) { Done::Drawn } else { Done::Kept })
    };
    let edges = of.nodes.iter().flat_map(|node| &node.edges);
    let edges: Vec<(usize, usize, Done)> = edges
        .map(|&id| automaton.edge(id))
        .filter_map(|edge| match edge.to {
            EdgeTarget::Node(to) => Some((edge.from.index(), to.index(), done(edge)?)),
            EdgeTarget::EndThread | EdgeTarget::Halt | EdgeTarget::Error(_) => None,
        })
        .collect();
    if edges.iter().all(|&(_, _, done)| done != Done::Drawn) {
        return None;
    }
    // The greatest solution: it was drawn on all ways to a node, and kept since.
    let mut drawn = vec![true; of.nodes.len()];
    if let Some(start) = drawn.first_mut() {
        *start = false;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &(from, to, done) in &edges {
            if done == Done::Given || done == Done::Kept && !drawn[from] {
                changed |= std::mem::replace(&mut drawn[to], false);
            }
        }
    }
    Some(drawn)
}
