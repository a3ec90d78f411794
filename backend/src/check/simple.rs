//! The plain semantics of flat programs, over a vector of threads: slow, short and independent of
//! the engines. It replays traces and is the oracle of differential tests.

use super::{
    CheckOptions, Outcome, Progress, SafeFor, Statistics, Step, ThreadBound, ThreadState, Trace,
    TraceState, UnknownReason, Valuation,
};
use rustc_hash::FxHashMap;
use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, FlatVariable, Initial, LocationId, Values,
    VariableRef,
};
use std::collections::VecDeque;

/// The initial states.
pub fn initial_states(program: &FlatProgram) -> Vec<TraceState> {
    let shared = valuations(program.shared.iter().map(|v| v.initial));
    let locals = valuations(program.locals.iter().map(|v| v.initial));
    let mut states = Vec::new();
    for s in &shared {
        for l in &locals {
            states.push(TraceState {
                shared: s.clone(),
                threads: vec![ThreadState {
                    thread: 0,
                    location: program.entry,
                    locals: l.clone(),
                }],
                atomic: None,
            });
        }
    }
    states
}

fn valuations(initial: impl Iterator<Item = Initial>) -> Vec<Valuation> {
    choices(initial.map(|i| match i {
        Initial::Zero => Values::only(false),
        Initial::One => Values::only(true),
        Initial::Nondet => Values::BOTH,
    }))
    .into_iter()
    .map(|values| values.into_iter().collect())
    .collect()
}

/// All vectors that choose one possible value at each place.
fn choices(possible: impl Iterator<Item = Values>) -> Vec<Vec<bool>> {
    let mut all = vec![Vec::new()];
    for values in possible {
        let mut longer = Vec::new();
        for prefix in &all {
            for value in [false, true].into_iter().filter(|v| values.contains(*v)) {
                let mut next: Vec<bool> = prefix.clone();
                next.push(value);
                longer.push(next);
            }
        }
        all = longer;
    }
    all
}

/// The valuations an expression is evaluated in.
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
    for (index, thread) in state.threads.iter().enumerate() {
        if may_move(state, thread.thread) {
            step_thread(program, threads, state, index, fresh, &mut steps);
        }
    }
    steps
}

fn step_thread(
    program: &FlatProgram,
    bound: ThreadBound,
    state: &TraceState,
    index: usize,
    fresh: u32,
    steps: &mut Vec<Step>,
) {
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
        steps.push(Step {
            thread: thread.thread,
            location: thread.location,
            successor,
            state: after,
        });
    };
    match program.statement(thread.location) {
        FlatStatement::Skip { next } | FlatStatement::Assert { next, .. } => {
            add(Some(*next), state.clone());
        }
        FlatStatement::Goto { targets } => {
            targets.iter().for_each(|target| add(Some(*target), state.clone()));
        }
        FlatStatement::Assume { condition, next } => {
            if evaluate(state, thread, condition).one {
                add(Some(*next), state.clone());
            }
        }
        FlatStatement::Assign { assignment, next } => {
            for after in assign(assignment, state, index) {
                add(Some(*next), after);
            }
        }
        FlatStatement::StartThread { entry, next } => {
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
            }
            add(Some(*next), after);
        }
        FlatStatement::EndThread => add(None, state.clone()),
        FlatStatement::AtomicBegin { next } => {
            add(Some(*next), TraceState { atomic: Some(thread.thread), ..state.clone() });
        }
        FlatStatement::AtomicEnd { next } => {
            add(Some(*next), TraceState { atomic: None, ..state.clone() });
        }
        FlatStatement::Lock { variable, next } => {
            if !state.shared.get(variable.index()) {
                let mut after = state.clone();
                after.shared.set(variable.index(), true);
                add(Some(*next), after);
            }
        }
        FlatStatement::Unlock { variable, next } => {
            let mut after = state.clone();
            after.shared.set(variable.index(), false);
            add(Some(*next), after);
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

/// The states after an assignment by the thread at `index` (its location is not changed).
fn assign(assignment: &Assignment, state: &TraceState, index: usize) -> Vec<TraceState> {
    let active = &state.threads[index].locals;
    let before = |passive, expression: &FlatExpr| {
        Scope {
            shared: &state.shared,
            local: active,
            passive,
            next_shared: &state.shared,
            next_local: active,
            next_passive: passive,
        }
        .values(expression)
    };
    let own =
        assignment.shared.iter().map(|(_, e)| e).chain(assignment.local.iter().map(|(_, e)| e));
    let mut result = Vec::new();
    for values in choices(own.map(|e| before(None, e))) {
        let mut after = state.clone();
        let (shared, local) = values.split_at(assignment.shared.len());
        for ((variable, _), value) in assignment.shared.iter().zip(shared) {
            after.shared.set(variable.index(), *value);
        }
        for ((variable, _), value) in assignment.local.iter().zip(local) {
            after.threads[index].locals.set(variable.index(), *value);
        }
        let next_shared = after.shared.clone();
        let next_local = after.threads[index].locals.clone();
        let holds = |passive: Option<&Valuation>,
                     next_passive: Option<&Valuation>,
                     constraint: &Option<FlatExpr>| {
            constraint.as_ref().is_none_or(|e| {
                Scope {
                    shared: &state.shared,
                    local: active,
                    passive,
                    next_shared: &next_shared,
                    next_local: &next_local,
                    next_passive,
                }
                .values(e)
                .one
            })
        };
        if !holds(None, None, &assignment.constraint) {
            continue;
        }
        let mut states = vec![after];
        for (other, thread) in state.threads.iter().enumerate().filter(|(i, _)| *i != index) {
            let possible =
                assignment.broadcast.iter().map(|(_, e)| before(Some(&thread.locals), e));
            let mut updates = Vec::new();
            for values in choices(possible) {
                let mut locals = thread.locals.clone();
                for ((variable, _), value) in assignment.broadcast.iter().zip(values) {
                    locals.set(variable.index(), value);
                }
                if holds(Some(&thread.locals), Some(&locals), &assignment.passive_constraint) {
                    updates.push(locals);
                }
            }
            states = states
                .iter()
                .flat_map(|s| {
                    updates.iter().map(move |locals| {
                        let mut s = s.clone();
                        s.threads[other].locals = locals.clone();
                        s
                    })
                })
                .collect();
        }
        result.extend(states);
    }
    result
}

/// A state, its predecessor's index with the step from there, and its depth.
type Found = (TraceState, Option<(usize, Step)>, usize);

/// Enumerates all states, breadth first, without any reduction; [`ThreadBound::Unbounded`] ends
/// only if the program starts finitely many threads or a limit is set.
pub fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut statistics = Statistics::default();
    let mut states: Vec<Found> = Vec::new();
    let mut known: FxHashMap<TraceState, usize> = FxHashMap::default();
    let mut queue = VecDeque::new();
    for state in initial_states(program) {
        known.insert(state.clone(), states.len());
        queue.push_back(states.len());
        states.push((state, None, 0));
    }
    while let Some(current) = queue.pop_front() {
        statistics.states = states.len();
        let (state, _, depth) = states[current].clone();
        statistics.depth = depth;
        if let Some((failing_thread, failing_location)) = failure(program, &state) {
            let mut steps = Vec::new();
            let mut at = current;
            while let Some((previous, step)) = states[at].1.clone() {
                steps.push(step);
                at = previous;
            }
            steps.reverse();
            let initial = states[at].0.clone();
            let trace = Trace { initial, steps, failing_thread, failing_location };
            return Outcome::Unsafe { trace, statistics };
        }
        if current % 256 == 0 {
            progress(Progress { states: states.len(), depth });
            if let Some(reason) = options.stop() {
                return Outcome::Unknown { reason, statistics };
            }
        }
        if let Some(limit) = options.max_states.filter(|limit| states.len() > *limit) {
            return Outcome::Unknown { reason: UnknownReason::StateLimit(limit), statistics };
        }
        let fresh = fresh_number(&state);
        for step in successors(program, options.threads, &state, fresh) {
            statistics.transitions += 1;
            if !known.contains_key(&step.state) {
                known.insert(step.state.clone(), states.len());
                queue.push_back(states.len());
                states.push((step.state.clone(), Some((current, step)), depth + 1));
            }
        }
    }
    let threads = match options.threads {
        ThreadBound::Bounded(n) => SafeFor::Threads(n),
        ThreadBound::Unbounded => SafeFor::AllThreads,
    };
    Outcome::Safe { threads, statistics }
}

/// The lowest number above all existing threads' and above 0 (numbers of ended threads are used
/// again, which keeps the set of states finite).
pub fn fresh_number(state: &TraceState) -> u32 {
    state.threads.iter().map(|t| t.thread + 1).max().unwrap_or(1).max(1)
}
