//! Failures that rest on values which are not modelled.
//!
//! An execution of the program chooses such a value, though C defines it. If the assertion fails
//! whatever the value is, while all else is chosen and scheduled as in the execution, it fails with
//! the right one too; as well if another one fails on the way, or if an execution that goes
//! another way fails ([`crate::execution::otherwise`]). Else the execution is no proof of anything.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{Location, Module, Op, handle};
use sapa_passes::transform::store_buffers::FLUSH;

use super::reason::Reason;
use super::simulate::{EVERYONE, Terms, terms};
use crate::abstraction::{Abstractor, TraceEdge};
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::value::constant;
use crate::automaton::{Automaton, Edge, EdgeTarget};
use crate::check::ThreadBound;
use crate::execution::Place;
use crate::execution::counterexample::Candidate;
use crate::execution::counterexample::Choices;
use crate::execution::explore::trace as trace_of;
use crate::execution::otherwise::{Counts, Key, Script};
use crate::index::small_index;
use crate::solver::{Outcome, Solver, TermId};

/// The name of what an input is the value of, if it is not modelled, and where.
fn origin<'m>(
    module: &'m Module,
    automaton: &Automaton,
    edge: &Edge,
    input: usize,
) -> Option<(&'m str, Location)> {
    let position = *edge.step.input_positions.get(input)? as usize;
    let (block, index) = edge.path.iter().nth(position)?;
    let function = module.function(automaton.roots.get(edge.root)?.function);
    let instruction = function.blocks.get(block.index())?.instructions.get(index as usize)?;
    match &instruction.op {
        Op::Nondet { unmodelled: Some(name) } => Some((name, instruction.location)),
        _ => None,
    }
}

/// The values that are not modelled and without which an execution might not fail: what they are
/// of, and where; none if it fails with any. What the code of store buffers has forgotten does not count
/// where the execution `is_followed` by one of the program without such code.
pub(super) fn needed(
    abstractor: &mut Abstractor<'_>,
    (trace, choices): (&[TraceEdge], &Choices),
    is_followed: bool,
    solver: &mut Solver,
) -> Vec<(String, Location)> {
    let Abstractor { symbols, module, automaton, .. } = abstractor;
    let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
    // Terms of values that are not modelled, with the value that was chosen.
    let mut open: Vec<(TermId, TermId, (&str, Location))> = Vec::new();
    for (step, (taken, values)) in (0u32..).zip(trace.iter().zip(&choices.inputs)) {
        let edge = automaton.edge(taken.edge);
        for (index, (&input, &value)) in edge.step.inputs.iter().zip(values).enumerate() {
            let bits = automaton.input(input).bits;
            let term = symbols.variable(Leaf::Input(input), Instance::Thread(step), bits);
            let chosen = constant(symbols, bits, value);
            let origin = origin(module, automaton, edge, index)
                .filter(|(_, at)| !is_followed || module.operation(*at) != Some(FLUSH));
            match origin {
                Some(origin) => open.push((term, chosen, origin)),
                None => drop(known.insert(term, chosen)),
            }
        }
    }
    if open.is_empty() {
        return Vec::new();
    }
    let run = condition(symbols, automaton, trace, known, &choices.initial);
    let store = &mut symbols.store;
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

/// That a trace is an execution that fails, or that an assertion fails on its way, over the values
/// that are not `known`.
fn condition(
    symbols: &mut Symbols,
    automaton: &Automaton,
    trace: &[TraceEdge],
    mut known: FxHashMap<TermId, TermId>,
    initial: &[(Leaf, u32, u128)],
) -> TermId {
    let Terms { state, guards, .. } = terms(symbols, automaton, trace);
    let initial: FxHashMap<(Leaf, u32), u128> =
        initial.iter().map(|&(leaf, thread, value)| ((leaf, thread), value)).collect();
    for (&(leaf, owner), &term) in &state.initial {
        let thread = if owner == EVERYONE { 0 } else { owner };
        let bits = state.symbols.bits(term);
        // What a counterexample leaves open is 0, as where it is replayed.
        let value = initial.get(&(leaf, thread)).copied().unwrap_or(0);
        known.insert(term, constant(state.symbols, bits, value));
    }
    let store = &mut state.symbols.store;
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
    run
}

/// How many executions are tried.
const MOST_EXECUTIONS: usize = 16;

/// Instances from here on are of values that are not modelled, by number.
const FIRST_UNMODELLED: u32 = 1 << 24;

/// Whether the program fails in any case, as far as executions with the choices and the schedule of
/// a counterexample show it.
pub(super) fn fails_anyway(
    abstractor: &mut Abstractor<'_>,
    (threads, found): (ThreadBound, &Candidate),
    choices: &Choices,
    solver: &mut Solver,
) -> bool {
    let (module, automaton) = (abstractor.module, abstractor.automaton);
    let Some(script) = Script::new(module, automaton, threads, found) else { return false };
    let mut values: FxHashMap<Key, u128> = FxHashMap::default();
    let mut terms: FxHashMap<Key, TermId> = FxHashMap::default();
    let mut covered = abstractor.symbols.store.false_();
    for _ in 0..MOST_EXECUTIONS {
        let Some(executed) = script.execute(&values) else { return false };
        let Some(trace) = trace_of(module, automaton, &executed) else { return false };
        let length: usize = trace.iter().map(|taken| automaton.edge(taken.edge).path.len()).sum();
        let ends = trace.last().map(|taken| automaton.edge(taken.edge).to);
        if length != executed.len() || !matches!(ends, Some(EdgeTarget::Error(_))) {
            return false;
        }
        let Some(known) = known(abstractor, &trace, &script, &mut terms) else { return false };
        let symbols = &mut abstractor.symbols;
        let run = condition(symbols, automaton, &trace, known, &choices.initial);
        // The values of this execution are those that it was made with.
        let mut fixed = FxHashMap::default();
        for (key, &term) in &terms {
            let bits = symbols.bits(term);
            let value = values.get(key).or_else(|| script.chosen(*key).first()).copied();
            fixed.insert(term, constant(symbols, bits, value.unwrap_or(0)));
        }
        let store = &mut symbols.store;
        let holds = store.substitute(run, &fixed);
        if store.as_boolean(holds) != Some(true) {
            return false;
        }
        covered = store.or(covered, run);
        let open = store.not(covered);
        match solver.check(store, &[open]) {
            Outcome::Unsat => return true,
            Outcome::Unknown => return false,
            Outcome::Sat => {
                values = terms
                    .iter()
                    .map(|(&key, &term)| (key, solver.model_value(store, term)))
                    .collect();
            }
        }
    }
    false
}

/// What the inputs of an execution are: what is not modelled are terms of their own, all else is
/// known. `None` if it is not.
fn known(
    abstractor: &mut Abstractor<'_>,
    trace: &[TraceEdge],
    script: &Script<'_>,
    terms: &mut FxHashMap<Key, TermId>,
) -> Option<FxHashMap<TermId, TermId>> {
    let Abstractor { symbols, module, automaton, .. } = abstractor;
    let mut known = FxHashMap::default();
    let mut counts = Counts::default();
    for (step, taken) in (0u32..).zip(trace) {
        let edge = automaton.edge(taken.edge);
        let function = automaton.roots.get(edge.root)?.function;
        for (number, (block, index)) in (0u32..).zip(edge.path.iter()) {
            let key = counts.next(taken.thread, (function, block, index as usize));
            let positions = edge.step.input_positions.iter();
            let here = positions.zip(&edge.step.inputs).filter(|(at, _)| **at == number);
            for (which, (_, &input)) in here.enumerate() {
                let bits = automaton.input(input).bits;
                let block = module.function(function).blocks.get(block.index())?;
                let value = match &block.instructions.get(index as usize)?.op {
                    Op::Nondet { unmodelled: Some(_) } => {
                        let next = small_index(terms.len());
                        let instance = Instance::Thread(FIRST_UNMODELLED.saturating_add(next));
                        *terms
                            .entry(key)
                            .or_insert_with(|| symbols.variable(Leaf::Input(input), instance, bits))
                    }
                    Op::Nondet { unmodelled: None } | Op::HavocMemory { .. } => {
                        let chosen = script.chosen(key).get(which).copied().unwrap_or(0);
                        constant(symbols, bits, chosen)
                    }
                    Op::ThreadSelf => constant(symbols, bits, handle(taken.thread)),
                    Op::Spawn { .. } => constant(symbols, bits, handle(taken.started?)),
                    _ => return None,
                };
                let term = symbols.variable(Leaf::Input(input), Instance::Thread(step), bits);
                known.insert(term, value);
            }
        }
    }
    Some(known)
}

/// That a failure is not certain, and on what it rests.
pub(super) fn reason(
    module: &Module,
    (property, at): (&str, Location),
    needed: Vec<(String, Location)>,
) -> Reason {
    let (property, at) = (property.to_owned(), Place::new(module, at));
    if needed.iter().all(|(_, at)| module.operation(*at) == Some(FLUSH)) {
        return Reason::Forgotten { property, at };
    }
    let values = needed.into_iter().map(|(name, at)| (name, Place::new(module, at)));
    Reason::Unmodelled { property, at, values: values.collect() }
}
