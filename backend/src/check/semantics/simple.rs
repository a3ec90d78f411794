//! The plain semantics of flat programs, over a vector of threads: slow, short and independent of
//! the engines. It replays traces and is the oracle of differential tests.

use super::initial::InitialValuations;
use super::invariants::Invariants;
use crate::check::{
    Answer, CheckOptions, Engine, Method, Outcome, Progress, SafeFor, Statistics, ThreadBound,
    UnknownReason,
};
use rustc_hash::FxHashSet;
use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, FlatVariable, Initial, LocationId, Values,
    VariableRef,
};
use sapa_ir::boolean::trace::{Step, ThreadState, Trace, TraceState, Valuation};
use sapa_limits::Exceeded;
use std::convert::Infallible;
use std::ops::ControlFlow;

/// The oracle of the others.
pub static ENGINE: Engine = Engine {
    name: "naive",
    summary: "enumeration without symmetry; exact, N threads, tiny programs only",
    is_oracle: true,
    run: check,
};

/// The initial states, one at a time.
pub fn initial_states(program: &FlatProgram) -> impl Iterator<Item = TraceState> + '_ {
    let all_locals = InitialValuations::new(&program.locals, |_| true);
    let invariants = Invariants::new(program);
    let all = InitialValuations::new(&program.shared, |_| true).flat_map(move |shared| {
        all_locals.clone().map(move |locals| TraceState {
            shared: shared.clone(),
            threads: vec![ThreadState { thread: 0, location: program.entry, locals }],
            atomic: None,
        })
    });
    all.filter(move |state| invariants.allow_state(state))
}

/// All vectors that choose one possible value at each place.
fn choices(possible: Vec<Values>) -> impl Iterator<Item = Vec<bool>> {
    let first = possible.iter().map(|values| !values.zero).collect();
    std::iter::successors(Some(first), move |chosen: &Vec<bool>| {
        let mut next = chosen.clone();
        for (value, values) in next.iter_mut().zip(&possible) {
            let carry = *value;
            *value = if values.contains(!carry) { !carry } else { carry };
            if !carry && *value {
                return Some(next);
            }
        }
        None
    })
}

/// The valuations an expression is evaluated in.
#[derive(Clone, Copy)]
struct Scope<'a> {
    shared: &'a Valuation,
    local: &'a Valuation,
    passive: Option<&'a Valuation>,
    next_shared: &'a Valuation,
    next_local: &'a Valuation,
    next_passive: Option<&'a Valuation>,
}

impl Scope<'_> {
    fn values(&self, expression: &FlatExpr) -> Values {
        // A passive variable without passive thread cannot occur in a well-formed program; the
        // active thread's value keeps the function total.
        expression.values(&|variable| match variable {
            VariableRef::Shared(v) => self.shared.get(v.index()),
            VariableRef::Local(v) => self.local.get(v.index()),
            VariableRef::Passive(v) => self.passive.unwrap_or(self.local).get(v.index()),
            VariableRef::NextShared(v) => self.next_shared.get(v.index()),
            VariableRef::NextLocal(v) => self.next_local.get(v.index()),
            VariableRef::NextPassive(v) => {
                self.next_passive.unwrap_or(self.next_local).get(v.index())
            }
        })
    }
}

fn evaluate(state: &TraceState, thread: &ThreadState, expression: &FlatExpr) -> Values {
    Scope {
        shared: &state.shared,
        local: &thread.locals,
        passive: None,
        next_shared: &state.shared,
        next_local: &thread.locals,
        next_passive: None,
    }
    .values(expression)
}

/// The thread of a state whose assertion can fail, with the assertion's location.
pub fn failure(program: &FlatProgram, state: &TraceState) -> Option<(u32, LocationId)> {
    state
        .threads
        .iter()
        .find_map(|t| failure_of(program, state, t.thread).map(|location| (t.thread, location)))
}

/// The location of this thread's assertion, if it can fail now.
pub fn failure_of(program: &FlatProgram, state: &TraceState, thread: u32) -> Option<LocationId> {
    let thread = state.thread(thread).filter(|t| may_move(state, t.thread))?;
    match program.statement(thread.location) {
        FlatStatement::Assert { condition, .. } if evaluate(state, thread, condition).zero => {
            Some(thread.location)
        }
        _ => None,
    }
}

/// Whether a state is initial.
pub fn initial_matches(program: &FlatProgram, state: &TraceState) -> bool {
    let agrees = |valuation: &Valuation, variables: &[FlatVariable]| {
        valuation.len() == variables.len()
            && valuation.iter().zip(variables).all(|(value, v)| match v.initial {
                Initial::Zero => !value,
                Initial::One => value,
                Initial::Nondet => true,
            })
    };
    state.atomic.is_none()
        && agrees(&state.shared, &program.shared)
        && matches!(&*state.threads, [t] if t.thread == 0
            && t.location == program.entry
            && agrees(&t.locals, &program.locals))
        && Invariants::new(program).allow_state(state)
}

fn may_move(state: &TraceState, thread: u32) -> bool {
    state.atomic.is_none_or(|holder| holder == thread)
}

/// All steps from a state. New threads get the number after the highest existing one that is not
/// below `fresh`.
pub fn successors(
    program: &FlatProgram,
    threads: ThreadBound,
    state: &TraceState,
    fresh: u32,
) -> Vec<Step> {
    let mut steps = Vec::new();
    let listed = for_each_successor(program, threads, state, fresh, &mut |step| {
        steps.push(step);
        ControlFlow::<Infallible>::Continue(())
    });
    match listed {
        ControlFlow::Continue(()) => steps,
    }
}

/// Calls `visit` for each of the [`successors`], of which there can be too many to list, until it
/// breaks.
pub(crate) fn for_each_successor<B>(
    program: &FlatProgram,
    threads: ThreadBound,
    state: &TraceState,
    fresh: u32,
    visit: &mut dyn FnMut(Step) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let invariants = Invariants::new(program);
    let visit = &mut |step: Step| match invariants.allow_state(&step.state) {
        true => visit(step),
        false => ControlFlow::Continue(()),
    };
    for (index, thread) in state.threads.iter().enumerate() {
        if may_move(state, thread.thread) {
            step_thread(program, threads, state, index, fresh, visit)?;
        }
    }
    ControlFlow::Continue(())
}

fn step_thread<B>(
    program: &FlatProgram,
    bound: ThreadBound,
    state: &TraceState,
    index: usize,
    fresh: u32,
    visit: &mut dyn FnMut(Step) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let thread = &state.threads[index];
    let mut add = |successor: Option<LocationId>, mut after: TraceState| {
        match successor {
            Some(location) => after.threads[index].location = location,
            None => {
                after.threads.remove(index);
                if after.atomic == Some(thread.thread) {
                    after.atomic = None;
                }
            }
        }
        visit(Step { thread: thread.thread, location: thread.location, successor, state: after })
    };
    match program.statement(thread.location) {
        FlatStatement::Skip { next } | FlatStatement::Assert { next, .. } => {
            add(Some(*next), state.clone())
        }
        FlatStatement::Goto { targets } => {
            targets.iter().try_for_each(|target| add(Some(*target), state.clone()))
        }
        FlatStatement::Assume { condition, next } => {
            if evaluate(state, thread, condition).one {
                add(Some(*next), state.clone())?;
            }
            ControlFlow::Continue(())
        }
        FlatStatement::Assign { assignment, next } => {
            assign(assignment, state, index, &mut |after| add(Some(*next), after))
        }
        FlatStatement::StartThread { entry, next, waits } => {
            let mut after = state.clone();
            let room = match bound {
                ThreadBound::Unbounded => true,
                // The initial thread does not count, whether it still exists or not.
                ThreadBound::Bounded(n) => {
                    let started = state.threads.iter().filter(|t| t.thread != 0).count();
                    started < n as usize
                }
            };
            if room {
                after.threads.push(ThreadState {
                    thread: fresh,
                    location: *entry,
                    locals: thread.locals.clone(),
                });
            } else if *waits {
                return ControlFlow::Continue(());
            }
            add(Some(*next), after)
        }
        FlatStatement::EndThread => add(None, state.clone()),
        FlatStatement::AtomicBegin { next } => {
            add(Some(*next), TraceState { atomic: Some(thread.thread), ..state.clone() })
        }
        FlatStatement::AtomicEnd { next } => {
            add(Some(*next), TraceState { atomic: None, ..state.clone() })
        }
        FlatStatement::Lock { variable, next } => {
            if !state.shared.get(variable.index()) {
                let mut after = state.clone();
                after.shared.set(variable.index(), true);
                add(Some(*next), after)?;
            }
            ControlFlow::Continue(())
        }
        FlatStatement::Unlock { variable, next } => {
            let mut after = state.clone();
            after.shared.set(variable.index(), false);
            add(Some(*next), after)
        }
    }
}

/// Whether a step is one of [`successors`]. An assignment is tested variable by variable, for one
/// with many nondeterministic values has too many successors to list.
pub fn is_step(
    program: &FlatProgram,
    threads: ThreadBound,
    state: &TraceState,
    fresh: u32,
    step: &Step,
) -> bool {
    let Some(index) = state.threads.iter().position(|t| t.thread == step.thread) else {
        return false;
    };
    let thread = &state.threads[index];
    let FlatStatement::Assign { assignment, next } = program.statement(thread.location) else {
        return successors(program, threads, state, fresh).contains(step);
    };
    may_move(state, step.thread)
        && step.location == thread.location
        && step.successor == Some(*next)
        && is_assigned(assignment, state, index, *next, &step.state)
        && Invariants::new(program).allow_state(&step.state)
}

/// Whether `after` is one of the states of [`assign`], with the active thread at `next`.
fn is_assigned(
    assignment: &Assignment,
    state: &TraceState,
    index: usize,
    next: LocationId,
    after: &TraceState,
) -> bool {
    let same_threads = state.threads.len() == after.threads.len()
        && state.threads.iter().zip(&after.threads).enumerate().all(|(i, (old, new))| {
            let location = if i == index { next } else { old.location };
            new.thread == old.thread
                && new.location == location
                && new.locals.len() == old.locals.len()
        });
    if !same_threads || after.atomic != state.atomic || after.shared.len() != state.shared.len() {
        return false;
    }
    let (active, next_active) = (&state.threads[index].locals, &after.threads[index].locals);
    let scope = |passive, next_passive| Scope {
        shared: &state.shared,
        local: active,
        passive,
        next_shared: &after.shared,
        next_local: next_active,
        next_passive,
    };
    let own = scope(None, None);
    let shared = (0..after.shared.len()).all(|v| {
        let value = assignment.shared.iter().find(|(target, _)| target.index() == v);
        possible(&own, value.map(|(_, e)| e), &state.shared, &after.shared, v)
    });
    let local = (0..active.len()).all(|v| {
        let value = assignment.local.iter().find(|(target, _)| target.index() == v);
        possible(&own, value.map(|(_, e)| e), active, next_active, v)
    });
    let holds = |scope: &Scope<'_>, constraint: &Option<FlatExpr>| {
        constraint.as_ref().is_none_or(|e| scope.values(e).one)
    };
    let passive = state.threads.iter().zip(&after.threads).enumerate().all(|(i, (old, new))| {
        let scope = scope(Some(&old.locals), Some(&new.locals));
        i == index
            || (holds(&scope, &assignment.passive_constraint)
                && (0..old.locals.len()).all(|v| {
                    let value = assignment.broadcast.iter().find(|(t, _)| t.index() == v);
                    possible(&scope, value.map(|(_, e)| e), &old.locals, &new.locals, v)
                }))
    });
    shared && local && passive && holds(&own, &assignment.constraint)
}

/// Whether a variable can get its new value; without an expression it keeps its old one.
fn possible(
    scope: &Scope<'_>,
    value: Option<&FlatExpr>,
    old: &Valuation,
    new: &Valuation,
    variable: usize,
) -> bool {
    let new = new.get(variable);
    value.map_or(old.get(variable) == new, |e| scope.values(e).contains(new))
}

/// Visits the states after an assignment by the thread at `index` (its location is not changed).
fn assign<B>(
    assignment: &Assignment,
    state: &TraceState,
    index: usize,
    visit: &mut dyn FnMut(TraceState) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let thread = &state.threads[index];
    let own =
        assignment.shared.iter().map(|(_, e)| e).chain(assignment.local.iter().map(|(_, e)| e));
    for values in choices(own.map(|e| evaluate(state, thread, e)).collect()) {
        let mut after = state.clone();
        let (shared, local) = values.split_at(assignment.shared.len());
        for ((variable, _), value) in assignment.shared.iter().zip(shared) {
            after.shared.set(variable.index(), *value);
        }
        for ((variable, _), value) in assignment.local.iter().zip(local) {
            after.threads[index].locals.set(variable.index(), *value);
        }
        let scope = Scope {
            shared: &state.shared,
            local: &thread.locals,
            passive: None,
            next_shared: &after.shared,
            next_local: &after.threads[index].locals,
            next_passive: None,
        };
        if assignment.constraint.as_ref().is_none_or(|e| scope.values(e).one) {
            react(assignment, state, index, 0, &after, visit)?;
        }
    }
    ControlFlow::Continue(())
}

/// Visits the ways in which the threads from `other` on take part in an assignment by the thread
/// at `index`; `after` is the state after it but for them.
fn react<B>(
    assignment: &Assignment,
    state: &TraceState,
    index: usize,
    other: usize,
    after: &TraceState,
    visit: &mut dyn FnMut(TraceState) -> ControlFlow<B>,
) -> ControlFlow<B> {
    if other == index {
        return react(assignment, state, index, other + 1, after, visit);
    }
    let Some(passive) = state.threads.get(other).map(|thread| &thread.locals) else {
        return visit(after.clone());
    };
    let scope = Scope {
        shared: &state.shared,
        local: &state.threads[index].locals,
        passive: Some(passive),
        next_shared: &after.shared,
        next_local: &after.threads[index].locals,
        next_passive: None,
    };
    let possible = assignment.broadcast.iter().map(|(_, e)| scope.values(e)).collect();
    for values in choices(possible) {
        let mut next = after.clone();
        for ((variable, _), value) in assignment.broadcast.iter().zip(values) {
            next.threads[other].locals.set(variable.index(), value);
        }
        let scope = Scope { next_passive: Some(&next.threads[other].locals), ..scope };
        if assignment.passive_constraint.as_ref().is_none_or(|e| scope.values(e).one) {
            react(assignment, state, index, other + 1, &next, visit)?;
        }
    }
    ControlFlow::Continue(())
}

/// The [`Statistics::work`] of a state.
const WORK: u64 = 64;

/// A state, its predecessor's index with the step from there, and its depth.
type Found = (TraceState, Option<(usize, Step)>, usize);

/// The states found so far.
#[derive(Default)]
struct Search {
    states: Vec<Found>,
    known: FxHashSet<TraceState>,
    /// Approximate size in bytes.
    bytes: usize,
    /// How many states were added, known ones counted again.
    added: usize,
}

impl Search {
    /// The [`Statistics::work`] so far.
    fn work(&self) -> u64 {
        self.added as u64 * WORK
    }

    fn add(
        &mut self,
        state: TraceState,
        parent: Option<(usize, Step)>,
        options: &CheckOptions,
    ) -> Result<(), UnknownReason> {
        self.added += 1;
        options.allow(self.work())?;
        if self.added.is_multiple_of(256)
            && let Some(reason) = options.stop()
        {
            return Err(reason);
        }
        if !self.known.insert(state.clone()) {
            return Ok(());
        }
        // It is kept here, among those known and in the step.
        self.bytes += 3 * size(&state);
        let depth = parent.as_ref().map_or(0, |(parent, _)| self.states[*parent].2 + 1);
        self.states.push((state, parent, depth));
        if let Some(limit) = options.max_states.filter(|limit| self.states.len() > *limit) {
            return Err(UnknownReason::StateLimit(limit));
        }
        match options.memory_limit {
            Some(limit) if self.bytes > limit => Err(UnknownReason::Exceeded(Exceeded::Memory)),
            _ => Ok(()),
        }
    }

    /// The run to a state.
    fn trace(&self, mut at: usize, failing_thread: u32, failing_location: LocationId) -> Trace {
        let mut steps = Vec::new();
        while let Some((previous, step)) = &self.states[at].1 {
            steps.push(step.clone());
            at = *previous;
        }
        steps.reverse();
        Trace { initial: self.states[at].0.clone(), steps, failing_thread, failing_location }
    }

    /// The run to the first state in which an assertion can fail.
    fn run(
        &mut self,
        program: &FlatProgram,
        options: &CheckOptions,
        progress: &mut dyn FnMut(Progress),
        statistics: &mut Statistics,
    ) -> Result<Option<Trace>, UnknownReason> {
        for state in initial_states(program) {
            self.add(state, None, options)?;
        }
        let mut current = 0;
        while current < self.states.len() {
            let (state, _, depth) = self.states[current].clone();
            statistics.depth = depth;
            if let Some((thread, location)) = failure(program, &state) {
                return Ok(Some(self.trace(current, thread, location)));
            }
            if current.is_multiple_of(256) {
                progress(Progress { states: self.states.len(), depth });
            }
            let fresh = fresh_number(&state);
            let done = for_each_successor(program, options.threads, &state, fresh, &mut |step| {
                statistics.transitions += 1;
                match self.add(step.state.clone(), Some((current, step)), options) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(reason) => ControlFlow::Break(reason),
                }
            });
            if let ControlFlow::Break(reason) = done {
                return Err(reason);
            }
            current += 1;
        }
        Ok(None)
    }
}

/// Approximate size of a state in bytes.
fn size(state: &TraceState) -> usize {
    let locals = state.threads.iter().map(|t| size_of::<ThreadState>() + t.locals.len() + 16);
    2 * size_of::<TraceState>() + state.shared.len() + 16 + locals.sum::<usize>()
}

/// Enumerates all states, breadth first, without any reduction; [`ThreadBound::Unbounded`] ends
/// only if the program starts finitely many threads or a limit is set.
fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut statistics = Statistics::default();
    let mut search = Search::default();
    let found = search.run(program, options, progress, &mut statistics);
    statistics.states = search.states.len();
    statistics.bytes = search.bytes;
    statistics.work = search.work();
    let threads = match options.threads {
        ThreadBound::Bounded(n) => SafeFor::Threads(n),
        ThreadBound::Unbounded => SafeFor::AllThreads,
    };
    let by = Method::AllStates;
    let answer = found.map(|found| match found {
        None => Answer::Safe { threads, by },
        Some(trace) => Answer::Failing { trace, by },
    });
    Outcome::new(&ENGINE, answer, statistics)
}

/// The lowest number above all existing threads' and above 0 (numbers of ended threads are used
/// again, which keeps the set of states finite).
pub fn fresh_number(state: &TraceState) -> u32 {
    state.threads.iter().map(|t| t.thread + 1).max().unwrap_or(1).max(1)
}
