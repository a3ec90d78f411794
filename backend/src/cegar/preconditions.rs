//! Predicates from the infeasible part of a trace: atoms of weakest preconditions along it, with
//! thread indices removed (SAPA section 4), and the values that its steps give to variables.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::between::{Readers, related};
use super::expression::expression;
use super::simulate::TraceGuard;
use super::template::value_of;
use crate::abstraction::TraceEdge;
use crate::abstraction::quantified::is_between;
use crate::abstraction::vocabulary::{is_shared, rename};
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::value::constant;
use crate::automaton::{Automaton, EdgeTarget, Effect, NodeId};
use crate::index::small_index;
use crate::solver::{Node, TermId};

/// Most atoms that one condition is taken apart into.
const MAX_ATOMS: usize = 64;

/// Atoms with choices that are taken apart for that.
const MAX_SPLITS: usize = 1 << 10;

/// An atom of a precondition, as a predicate of one thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atom {
    pub(super) term: TermId,
    /// Between which steps it is a precondition, before these and most or all of those between them.
    pub(super) first: usize,
    pub(super) last: usize,
}

/// The atoms of the guards in the core and of their weakest preconditions at every step before, each
/// once; and what they read of which threads.
pub(super) fn preconditions(
    symbols: &mut Symbols,
    automaton: &Automaton,
    trace: &[TraceEdge],
    core: &[TraceGuard],
) -> (Vec<Atom>, Readers) {
    let mut readers = Readers::default();
    let mut noted = FxHashSet::default();
    let positions = positions(automaton, trace);
    let last = core.iter().map(|guard| guard.step).max().unwrap_or(0);
    let mut found: Vec<Atom> = Vec::new();
    let mut numbers: FxHashMap<TermId, Option<usize>> = FxHashMap::default();
    let mut pending: Vec<TermId> = Vec::new();
    // Most steps leave most conditions as they are.
    let mut taken_apart: FxHashMap<TermId, Vec<TermId>> = FxHashMap::default();
    for (step, taken) in trace.iter().enumerate().take(last + 1).rev() {
        let edge = automaton.edge(taken.edge);
        let substitution = indexed_substitution(symbols, automaton, trace, step);
        for term in &mut pending {
            *term = symbols.store.substitute(*term, &substitution);
            if let (Some(started), Some(Effect::Spawn { .. })) = (taken.started, &edge.effect) {
                *term = before_start(symbols, automaton, *term, started);
            }
        }
        for guard in core.iter().filter(|guard| guard.step == step) {
            if let Some(guard) = guard.guard.and_then(|index| edge.step.guards.get(index)) {
                let term = indexed(symbols, automaton, guard.term, taken.thread, step);
                pending.push(term);
            }
        }
        pending.sort_unstable();
        pending.dedup();
        for &term in &pending {
            let atoms = taken_apart.entry(term).or_insert_with(|| simple_atoms(symbols, term));
            for &atom in atoms.iter() {
                if noted.insert(atom) {
                    read_by(symbols, automaton, atom, &positions[step], &mut readers);
                }
            }
            for term in predicates(symbols, automaton, atoms, &positions[step]) {
                let is_predicate = |term| expression(symbols, automaton, term).is_some();
                let number = numbers.entry(term).or_insert_with(|| {
                    let number = found.len();
                    is_predicate(term).then(|| {
                        found.push(Atom { term, first: step, last: step });
                        number
                    })
                });
                if let Some(number) = *number {
                    found[number].first = step;
                }
            }
        }
    }
    (found, readers)
}

/// Notes which threads an atom is about.
fn read_by(
    symbols: &mut Symbols,
    automaton: &Automaton,
    atom: TermId,
    positions: &BTreeMap<u32, (usize, NodeId)>,
    readers: &mut Readers,
) {
    let mut threads: Vec<u32> = Vec::new();
    for (leaf, of) in symbols.leaves_of(atom) {
        match of {
            Instance::Thread(thread) if !matches!(leaf, Leaf::Input(_)) => threads.push(thread),
            _ => {}
        }
    }
    threads.sort_unstable();
    threads.dedup();
    match threads.as_slice() {
        &[thread] => {
            if let Some(term) = template(symbols, automaton, atom, positions) {
                readers.note(symbols, automaton, term, thread);
            }
        }
        [_, _] => {
            let named = |symbols: &mut Symbols, thread: u32, term| match positions.get(&thread) {
                Some(&place) => automaton.name(symbols, place, term),
                None => term,
            };
            for term in related(symbols, automaton, atom, &named) {
                readers.relate(term);
            }
        }
        _ => {}
    }
}

/// Atoms over leaves indexed by threads, as predicates of one thread; `positions` is where the
/// threads stand.
fn predicates(
    symbols: &mut Symbols,
    automaton: &Automaton,
    atoms: &[TermId],
    positions: &BTreeMap<u32, (usize, NodeId)>,
) -> Vec<TermId> {
    let mut found = Vec::new();
    for &atom in atoms {
        if let Some(term) = template(symbols, automaton, atom, positions) {
            found.push(canonical(symbols, term));
        }
    }
    found
}

/// The atoms of the weakest preconditions of predicates of any thread at a step of a trace, that are
/// none of these predicates.
pub(super) fn before_step(
    symbols: &mut Symbols,
    automaton: &Automaton,
    (trace, step): (&[TraceEdge], usize),
    known: &[TermId],
) -> Vec<TermId> {
    let mut positions = positions(automaton, &trace[..=step]);
    let (Some(after), Some(before)) = (positions.pop(), positions.pop()) else {
        return Vec::new();
    };
    let substitution = indexed_substitution(symbols, automaton, trace, step);
    let mut found = Vec::new();
    for &term in known {
        for (&thread, &place) in &after {
            let here = automaton.resolve(symbols, place, term);
            let here = rename(symbols, automaton, here, Instance::Thread(thread));
            let mut term = symbols.store.substitute(here, &substitution);
            if let Some(started) = trace[step].started {
                term = before_start(symbols, automaton, term, started);
            }
            if term == here {
                continue;
            }
            let atoms = simple_atoms(symbols, term);
            for term in predicates(symbols, automaton, &atoms, &before) {
                if !known.contains(&term) && !found.contains(&term) {
                    found.push(term);
                }
            }
        }
    }
    found
}

/// The atoms of a term, those with choices between bit-vectors taken apart.
fn simple_atoms(symbols: &mut Symbols, term: TermId) -> Vec<TermId> {
    let mut pending = symbols.store.atoms(term);
    pending.reverse();
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut splits = 0;
    while let Some(atom) = pending.pop() {
        if found.len() >= MAX_ATOMS || splits >= MAX_SPLITS {
            break;
        }
        if !seen.insert(atom) {
            continue;
        }
        let choices = symbols.store.choices(atom);
        let condition = choices.first().and_then(|&choice| match symbols.store.node(choice) {
            Node::Ite(condition, ..) => Some(condition),
            _ => None,
        });
        let Some(condition) = condition else {
            found.push(atom);
            continue;
        };
        splits += 1;
        let value = value_of(symbols, condition);
        // Choices on the same condition go the same way, and what has one value has no other.
        for side in [true, false] {
            let mut map = FxHashMap::default();
            for &choice in &choices {
                let Node::Ite(c, a, b) = symbols.store.node(choice) else { continue };
                if c == condition {
                    map.insert(choice, if side { a } else { b });
                } else if side
                    && let (Some((term, value)), Some((other, another))) =
                        (value, value_of(symbols, c))
                    && term == other
                    && value != another
                {
                    map.insert(choice, b);
                }
            }
            let half = symbols.store.substitute(atom, &map);
            pending.extend(symbols.store.atoms(half));
        }
    }
    found
}

/// A predicate and its negation are one, unless they are between threads.
pub(super) fn canonical(symbols: &mut Symbols, term: TermId) -> TermId {
    let term = symbols.to_bool(term);
    match symbols.store.node(term) {
        Node::Not(inner) if !is_between(symbols, term) => inner,
        _ => term,
    }
}

/// Where each thread stands before each step, as roots and nodes; and after the last.
pub(super) fn positions(
    automaton: &Automaton,
    trace: &[TraceEdge],
) -> Vec<BTreeMap<u32, (usize, NodeId)>> {
    let mut now: BTreeMap<u32, (usize, NodeId)> = BTreeMap::from([(0, (0, NodeId(0)))]);
    let mut all = Vec::new();
    for taken in trace {
        all.push(now.clone());
        let edge = automaton.edge(taken.edge);
        match edge.to {
            EdgeTarget::Node(node) => {
                now.insert(taken.thread, (edge.root, node));
            }
            _ => {
                now.remove(&taken.thread);
            }
        }
        if let (Some(started), Some(Effect::Spawn { root, .. })) = (taken.started, &edge.effect) {
            now.insert(started, (*root, NodeId(0)));
        }
    }
    all.push(now);
    all
}

/// A term of an edge over leaves indexed by thread; its inputs are indexed by step.
fn indexed(
    symbols: &mut Symbols,
    automaton: &Automaton,
    term: TermId,
    thread: u32,
    step: usize,
) -> TermId {
    let step = Instance::Thread(small_index(step));
    let term = symbols.rewrite(term, |symbols, leaf, instance, bits| {
        let is_input = matches!((leaf, instance), (Leaf::Input(_), Instance::Active));
        is_input.then(|| symbols.variable(leaf, step, bits))
    });
    rename(symbols, automaton, term, Instance::Thread(thread))
}

/// The updates of a step as a substitution over leaves indexed by thread.
fn indexed_substitution(
    symbols: &mut Symbols,
    automaton: &Automaton,
    trace: &[TraceEdge],
    step: usize,
) -> FxHashMap<TermId, TermId> {
    let taken = trace[step];
    let edge = automaton.edge(taken.edge);
    let mut map = FxHashMap::default();
    let mut set = |symbols: &mut Symbols, leaf: Leaf, owner: u32, term: TermId| {
        let bits = symbols.bits(term);
        let instance =
            if is_shared(automaton, leaf) { Instance::Active } else { Instance::Thread(owner) };
        let term = indexed(symbols, automaton, term, taken.thread, step);
        map.insert(symbols.variable(leaf, instance, bits), term);
    };
    for (&leaf, &term) in &edge.step.updates {
        set(symbols, leaf, taken.thread, term);
    }
    if let (Some(started), Some(Effect::Spawn { root, arguments, .. })) =
        (taken.started, &edge.effect)
    {
        for (&(leaf, _), &term) in automaton.roots[*root].parameters.iter().zip(arguments) {
            set(symbols, leaf, started, term);
        }
    }
    map
}

/// A term before a thread starts: the thread's own globals have their initial values.
fn before_start(
    symbols: &mut Symbols,
    automaton: &Automaton,
    term: TermId,
    started: u32,
) -> TermId {
    symbols.rewrite(term, |symbols, leaf, instance, bits| {
        let Leaf::Cell(cell) = leaf else { return None };
        let value = automaton.memory.cell(cell).initial?;
        (instance == Instance::Thread(started)).then(|| constant(symbols, bits, value))
    })
}

/// An atom with its thread index removed; `None` if it relates two threads or
/// depends on an input, so that no predicate of one thread says it.
fn template(
    symbols: &mut Symbols,
    automaton: &Automaton,
    atom: TermId,
    positions: &BTreeMap<u32, (usize, NodeId)>,
) -> Option<TermId> {
    let mut thread = None;
    for leaf in symbols.leaves_of(atom) {
        match leaf {
            (Leaf::Input(_), _) | (_, Instance::Passive | Instance::Third | Instance::New) => {
                return None;
            }
            (_, Instance::Active) => {}
            (_, Instance::Thread(index)) if thread.is_some_and(|other| other != index) => {
                return None;
            }
            (_, Instance::Thread(index)) => thread = Some(index),
        }
    }
    let active = Instance::Active;
    let term =
        symbols.rewrite(atom, |symbols, leaf, _, bits| Some(symbols.variable(leaf, active, bits)));
    let place = thread.and_then(|index| positions.get(&index));
    Some(place.map_or(term, |&place| automaton.name(symbols, place, term)))
}

/// What is known to hold where the steps of a trace begin, of variables among these and others, as
/// predicates of one thread: what holds there need not hold everywhere, and the abstraction does not
/// know it between these places.
pub(super) fn facts(
    symbols: &mut Symbols,
    automaton: &Automaton,
    trace: &[TraceEdge],
    relevant: &[TermId],
) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for taken in trace {
        let edge = automaton.edge(taken.edge);
        let place = (edge.root, edge.from);
        if !seen.insert(place) {
            continue;
        }
        for &fact in automaton.facts(taken.edge) {
            let fact = automaton.name(symbols, place, fact);
            for atom in symbols.store.atoms(fact) {
                let atom = canonical(symbols, atom);
                let variables = symbols.store.variables(atom);
                if variables.iter().any(|v| relevant.contains(v)) && !found.contains(&atom) {
                    found.push(atom);
                }
            }
        }
    }
    found
}

/// The values that the steps of a trace up to `last` give to variables and cells, as predicates:
/// strongest postconditions, for where weakest preconditions go from value to value for ever.
pub(super) fn values(
    symbols: &mut Symbols,
    automaton: &Automaton,
    trace: &[TraceEdge],
    values: &[Vec<(Leaf, u128)>],
    last: usize,
) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut read: Vec<TermId> = Vec::new();
    for (taken, values) in trace.iter().zip(values).take(last + 1) {
        let edge = automaton.edge(taken.edge);
        let guards = edge.step.guards.iter().map(|guard| guard.term);
        for term in guards.chain(edge.step.updates.values().copied()) {
            read.extend(symbols.store.variables(term));
        }
        let EdgeTarget::Node(to) = edge.to else { continue };
        for &(leaf, value) in values {
            let Some(&term) = edge.step.updates.get(&leaf) else { continue };
            let bits = symbols.bits(term);
            let variable = symbols.variable(leaf, Instance::Active, bits);
            let variable = automaton.name(symbols, (edge.root, to), variable);
            if matches!(symbols.leaf(variable), Some((Leaf::Cell(_) | Leaf::Variable(..), _))) {
                found.push(is_value(symbols, variable, bits, value));
            }
        }
    }
    // What was not written yet has its initial value.
    read.sort_unstable();
    read.dedup();
    for variable in read {
        if let Some((Leaf::Cell(cell), _)) = symbols.leaf(variable)
            && let cell = automaton.memory.cell(cell)
            && let Some(value) = cell.initial
        {
            found.push(is_value(symbols, variable, cell.bits, value));
        }
    }
    found
}

fn is_value(symbols: &mut Symbols, variable: TermId, bits: u16, value: u128) -> TermId {
    let value = constant(symbols, bits, value);
    let equal = if bits == 1 { variable } else { symbols.store.eq(variable, value) };
    canonical(symbols, equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::memory::CellId;

    /// An index that is one number is no other: without that, the element of an array at an index has
    /// twice as many cases for each element.
    #[test]
    fn choices_by_values_of_one_term_exclude_each_other() {
        let mut symbols = Symbols::default();
        let cell = |symbols: &mut Symbols, id| {
            symbols.variable(Leaf::Cell(CellId(id)), Instance::Active, 8)
        };
        let [index, x, y, u, v] = [0, 1, 2, 3, 4].map(|id| cell(&mut symbols, id));
        let store = &mut symbols.store;
        let mut chosen = |value, a, b| {
            let value = store.constant(8, value);
            let condition = store.eq(index, value);
            store.ite(condition, a, b)
        };
        let (left, right) = (chosen(0, x, y), chosen(1, u, v));
        let three = store.constant(8, 3);
        let mut sum_is_three = |a, b| {
            let sum = store.add(a, b);
            store.eq(sum, three)
        };
        let term = sum_is_three(left, right);
        let possible = [(x, v), (y, u), (y, v)].map(|(a, b)| sum_is_three(a, b));
        let impossible = sum_is_three(x, u);
        let found = simple_atoms(&mut symbols, term);
        assert!(possible.iter().all(|atom| found.contains(atom)));
        assert!(!found.contains(&impossible));
    }
}
