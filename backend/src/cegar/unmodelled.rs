//! Failures that rest on values which are not modelled.
//!
//! An execution of the program chooses such a value, though C defines it. If the assertion fails
//! whatever the value is, while all else is chosen and scheduled as in the execution, it fails with
//! the right one too; as well if another one fails on the way. Else the execution is no proof of
//! anything.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{Location, Module, Op};

use super::simulate::{EVERYONE, Terms, terms};
use crate::abstraction::program::TraceEdge;
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::value::constant;
use crate::automaton::{Automaton, Edge};
use crate::solver::{Outcome, Solver, TermId};

/// What an execution found in the model of its formula.
pub(super) struct Choices<'a> {
    /// Per step: values of the inputs of its edge.
    pub inputs: &'a [Vec<u128>],
    /// Values of initial leaves, by leaf and thread.
    pub initial: &'a [(Leaf, u32, u128)],
}

/// The name of what an input is the value of, if it is not modelled, and where.
fn origin<'m>(
    module: &'m Module,
    automaton: &Automaton,
    edge: &Edge,
    input: usize,
) -> Option<(&'m str, Location)> {
    let position = *edge.step.input_positions.get(input)? as usize;
    let &(block, index) = edge.path.get(position)?;
    let function = module.function(automaton.roots.get(edge.root)?.function);
    let instruction = function.blocks.get(block.index())?.instructions.get(index as usize)?;
    match &instruction.op {
        Op::Nondet { unmodelled: Some(name) } => Some((name, instruction.location)),
        _ => None,
    }
}

/// The values that are not modelled and without which an execution might not fail: what they are
/// of, and where; none if it fails with any.
pub(super) fn needed(
    symbols: &mut Symbols,
    module: &Module,
    automaton: &Automaton,
    trace: &[TraceEdge],
    choices: &Choices<'_>,
    solver: &mut Solver,
) -> Vec<(String, Location)> {
    let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
    // Terms of values that are not modelled, with the value that was chosen.
    let mut open: Vec<(TermId, TermId, (&str, Location))> = Vec::new();
    for (step, (taken, values)) in (0u32..).zip(trace.iter().zip(choices.inputs)) {
        let edge = automaton.edge(taken.edge);
        for (index, (&input, &value)) in edge.step.inputs.iter().zip(values).enumerate() {
            let bits = automaton.input_bits.get(input as usize).copied().unwrap_or(1);
            let term = symbols.variable(Leaf::Input(input), Instance::Thread(step), bits);
            let chosen = constant(symbols, bits, value);
            match origin(module, automaton, edge, index) {
                Some(origin) => open.push((term, chosen, origin)),
                None => drop(known.insert(term, chosen)),
            }
        }
    }
    if open.is_empty() {
        return Vec::new();
    }
    let Terms { state, guards, .. } = terms(symbols, automaton, trace);
    let initial: FxHashMap<(Leaf, u32), u128> =
        choices.initial.iter().map(|&(leaf, thread, value)| ((leaf, thread), value)).collect();
    for (&(leaf, owner), &term) in &state.initial {
        let thread = if owner == EVERYONE { 0 } else { owner };
        let bits = u16::try_from(state.symbols.store.width(term)).unwrap_or(u16::MAX);
        if let Some(&value) = initial.get(&(leaf, thread)) {
            known.insert(term, constant(state.symbols, bits, value));
        }
    }
    let store = &mut state.symbols.store;
    // That an assertion fails, this one or one on the way.
    let mut run = store.true_();
    for guard in guards.iter().rev() {
        let term = store.substitute(guard.term, &known);
        let edge = trace.get(guard.step).map(|taken| automaton.edge(taken.edge));
        let asserted = edge
            .and_then(|edge| edge.step.guards.get(guard.guard?))
            .is_some_and(|guard| guard.asserted);
        run = if asserted {
            let failed = store.not(term);
            store.or(failed, run)
        } else {
            store.and(term, run)
        };
    }
    // Whether the run may end otherwise if only these values are other ones.
    let mut differs = |fixed: &FxHashMap<TermId, TermId>| {
        let run = store.substitute(run, fixed);
        let otherwise = store.not(run);
        solver.check(store, &[otherwise]) != Outcome::Unsat
    };
    if !differs(&FxHashMap::default()) {
        return Vec::new();
    }
    let mut needed: Vec<(String, Location)> = Vec::new();
    for &(term, _, (name, location)) in &open {
        let others = open.iter().filter(|(other, ..)| *other != term);
        let fixed = others.map(|&(other, chosen, _)| (other, chosen)).collect();
        let found = (name.to_owned(), location);
        if !needed.contains(&found) && differs(&fixed) {
            needed.push(found);
        }
    }
    // It takes several at once.
    if needed.is_empty() {
        needed.extend(open.iter().map(|&(_, _, (name, location))| (name.to_owned(), location)));
        needed.sort();
        needed.dedup();
    }
    needed
}

/// In words: that a failure is not certain, and on what it rests.
pub(super) fn reason(
    module: &Module,
    (property, at): (&str, Location),
    needed: &[(String, Location)],
) -> String {
    let values: Vec<String> = needed
        .iter()
        .map(|(name, location)| format!("`{name}` at {}", module.describe(*location)))
        .collect();
    format!(
        "whether \"{property}\" at {} fails rests on the value of {}, which is not modelled; \
         define the function to have it decided",
        module.describe(at),
        values.join(", and of ")
    )
}
