//! The steps of a flat Boolean program, one thread at a time: what a thread can do in a valuation
//! of the shared variables, and what becomes of the others. How states are stored is left to who
//! asks; nothing is remembered here.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, LocalVar, LocationId, SharedVar, Values,
    VariableRef,
};
use sapa_ir::boolean::trace::Valuation;

use crate::check::analysis::liveness::Liveness;
use crate::check::analysis::locks::{Holding, LockVariable, lock_candidates};
use crate::check::analysis::stops::stops;
use crate::check::semantics::initial::InitialValuations;
use crate::check::{CheckOptions, UnknownReason};

/// How many free choices one step may combine: 2^16 successors are more than any exploration
/// of explicit states survives.
const FREE_LIMIT: usize = 16;

/// A thread's own state, at a statement that is no skip or jump.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LocalState {
    pub(crate) location: LocationId,
    pub(crate) locals: Valuation,
    pub(crate) in_atomic: bool,
    /// The locks that the thread holds, as a mask.
    pub(crate) locks: u64,
}

/// A broadcast: where it is, and the values of what it reads that is not the passive thread's. Steps
/// that agree on these share it.
pub(crate) type Broadcast = (LocationId, Vec<bool>);

/// A step being built: the shared variables and the thread's own after it.
type After = (Valuation, Valuation);

/// One step of a thread.
#[derive(Debug)]
pub(crate) struct Step {
    /// The shared variables afterwards; `None` if they stay.
    pub(crate) shared: Option<Valuation>,
    /// The thread afterwards; `None` if it ended.
    pub(crate) local: Option<LocalState>,
    /// As what a started thread begins.
    pub(crate) spawned: Option<LocalState>,
    /// What happens to the threads that existed before.
    pub(crate) broadcast: Option<Broadcast>,
}

/// What a thread can do next.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    pub(crate) steps: Vec<Step>,
    /// Whether it fails an assertion here.
    pub(crate) fails: bool,
    /// Locks that some of the steps release though the thread does not hold them, as a mask.
    pub(crate) foreign_unlocks: u64,
}

/// The program as its threads see it.
#[derive(Debug)]
pub(crate) struct ThreadSteps<'a> {
    pub(crate) program: &'a FlatProgram,
    /// Where a thread stops that arrives at a location; indexed by location.
    pub(crate) stops: Vec<Vec<LocationId>>,
    pub(crate) liveness: Liveness,
    /// The locks that are followed, by their bits: no more than fit.
    pub(crate) locks: Vec<LockVariable>,
    /// By location: the locks that are written there, as a mask.
    written: Vec<u64>,
    /// By location of a broadcast: what it reads besides the passive thread's variables.
    reads: FxHashMap<LocationId, Rc<[VariableRef]>>,
}

impl<'a> ThreadSteps<'a> {
    /// # Errors
    /// The limit that was reached when the program was analysed.
    pub(crate) fn new(
        program: &'a FlatProgram,
        options: &CheckOptions,
    ) -> Result<ThreadSteps<'a>, UnknownReason> {
        let broadcasts = program.iter().filter_map(|(at, location)| match &location.statement {
            FlatStatement::Assign { assignment, .. } if assignment.involves_passive() => {
                Some((at, reads_of(assignment)))
            }
            _ => None,
        });
        let locks: Vec<LockVariable> =
            lock_candidates(program).into_iter().take(u64::BITS as usize).collect();
        let written = program.locations.iter().map(|location| {
            let assignment = location.statement.as_assignment();
            let written = assignment.iter().flat_map(|assignment| &assignment.shared);
            let number = |v: SharedVar| locks.iter().position(|lock| lock.variable == v);
            written.filter_map(|(v, _)| number(*v)).fold(0, |mask, number| mask | 1 << number)
        });
        Ok(ThreadSteps {
            program,
            written: written.collect(),
            liveness: Liveness::new(program, options)?,
            stops: stops(program, true),
            locks,
            reads: broadcasts.collect(),
        })
    }

    /// The states in which the initial thread can begin. There can be very many.
    pub(crate) fn initial(&self) -> impl Iterator<Item = (Valuation, Vec<LocalState>)> + '_ {
        let entry = self.program.entry;
        let live = move |local| self.liveness.is_live(entry, LocalVar(local as u32));
        let all_locals = InitialValuations::new(&self.program.locals, live);
        InitialValuations::new(&self.program.shared, |_| true).flat_map(move |shared| {
            all_locals.clone().map(move |locals| {
                let state = LocalState { location: entry, locals, in_atomic: false, locks: 0 };
                (shared.clone(), self.arrivals(&state))
            })
        })
    }

    /// The most values that a [`Broadcast`] has.
    pub(crate) fn most_read(&self) -> usize {
        self.reads.values().map(|reads| reads.len()).max().unwrap_or(0)
    }

    /// Approximate size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.liveness.bytes()
    }

    /// The states of a thread that arrives at a location, past skips and jumps: they neither read
    /// nor write anything. Dead locals are set to 0.
    fn arrivals(&self, state: &LocalState) -> Vec<LocalState> {
        let stops = &self.stops[state.location.index()];
        stops
            .iter()
            .map(|&location| self.without_dead(LocalState { location, ..state.clone() }))
            .collect()
    }

    fn without_dead(&self, mut state: LocalState) -> LocalState {
        for variable in 0..state.locals.len() {
            let live = self.liveness.is_live(state.location, LocalVar(variable as u32));
            if !live && state.locals.get(variable) {
                state.locals.set(variable, false);
            }
        }
        state
    }

    /// The steps to a location with no effect on others, one for each stop.
    fn quiet<'s>(
        &'s self,
        shared: Option<&'s Valuation>,
        state: &LocalState,
    ) -> impl Iterator<Item = Step> + 's {
        self.arrivals(state).into_iter().map(move |local| Step {
            shared: shared.cloned(),
            local: Some(local),
            spawned: None,
            broadcast: None,
        })
    }

    /// What a thread can do.
    ///
    /// # Errors
    /// If a step has more results than can be listed.
    pub(crate) fn steps(
        &self,
        shared: &Valuation,
        local: &LocalState,
    ) -> Result<Steps, UnknownReason> {
        let program = self.program;
        let mut result = Steps::default();
        let active = |variable: VariableRef| match variable {
            VariableRef::Shared(v) => shared.get(v.index()),
            VariableRef::Local(v) => local.locals.get(v.index()),
            // The flat form has no other variables in conditions and right-hand sides.
            _ => false,
        };
        let to = |location: LocationId| LocalState { location, ..local.clone() };
        match program.statement(local.location) {
            FlatStatement::Skip { next } => result.steps.extend(self.quiet(None, &to(*next))),
            FlatStatement::Goto { targets } => {
                for &target in targets {
                    result.steps.extend(self.quiet(None, &to(target)));
                }
            }
            FlatStatement::Assume { condition, next } => {
                if condition.values(&active).one {
                    result.steps.extend(self.quiet(None, &to(*next)));
                }
            }
            FlatStatement::Assert { condition, next } => {
                result.fails = condition.values(&active).zero;
                result.steps.extend(self.quiet(None, &to(*next)));
            }
            FlatStatement::StartThread { entry, next, .. } => {
                let child = LocalState { in_atomic: false, locks: 0, ..to(*entry) };
                let children = self.arrivals(&child);
                for next in self.arrivals(&to(*next)) {
                    let start = |child: &LocalState| Step {
                        shared: None,
                        local: Some(next.clone()),
                        spawned: Some(child.clone()),
                        broadcast: None,
                    };
                    result.steps.extend(children.iter().map(start));
                }
            }
            FlatStatement::EndThread => result.steps.push(Step {
                shared: None,
                local: None,
                spawned: None,
                broadcast: None,
            }),
            FlatStatement::AtomicBegin { next } => {
                let state = LocalState { in_atomic: true, ..to(*next) };
                result.steps.extend(self.quiet(None, &state));
            }
            FlatStatement::AtomicEnd { next } => {
                let state = LocalState { in_atomic: false, ..to(*next) };
                result.steps.extend(self.quiet(None, &state));
            }
            FlatStatement::Lock { variable, next } => {
                if !shared.get(variable.index()) {
                    let after = with(shared, *variable, true);
                    let (locks, _) = self.held(local, shared, &after);
                    let state = LocalState { locks, ..to(*next) };
                    result.steps.extend(self.quiet(Some(&after), &state));
                }
            }
            FlatStatement::Unlock { variable, next } => {
                let after = with(shared, *variable, false);
                let (locks, foreign) = self.held(local, shared, &after);
                result.foreign_unlocks = foreign;
                let state = LocalState { locks, ..to(*next) };
                result.steps.extend(self.quiet(Some(&after), &state));
            }
            FlatStatement::Assign { assignment, next } => {
                let matters = self.matters(assignment, *next);
                for after in assigned(assignment, shared, &local.locals, &matters)? {
                    let broadcast = self.broadcast(local, assignment, shared, &after);
                    let (locks, foreign) = self.held(local, shared, &after.0);
                    result.foreign_unlocks |= foreign;
                    let state = LocalState { locals: after.1, locks, ..to(*next) };
                    result.steps.extend(
                        self.quiet(Some(&after.0), &state)
                            .map(|step| Step { broadcast: broadcast.clone(), ..step }),
                    );
                }
            }
        }
        Ok(result)
    }

    /// The locals whose next value an assignment needs: those that live on or are read by its
    /// constraints and broadcasts.
    fn matters(&self, assignment: &Assignment, next: LocationId) -> Vec<LocalVar> {
        let mut read = Vec::new();
        let constraints = assignment.constraint.iter().chain(&assignment.passive_constraint);
        let broadcasts = assignment.broadcast.iter().map(|(_, value)| value);
        constraints.chain(broadcasts).for_each(|e| e.for_each_variable(&mut |v| read.push(v)));
        let written = assignment.local.iter().map(|(variable, _)| *variable);
        let stops = &self.stops[next.index()];
        let lives = |v| stops.iter().any(|&stop| self.liveness.is_live(stop, v));
        written.filter(|&v| lives(v) || read.contains(&VariableRef::NextLocal(v))).collect()
    }

    /// The locks that a thread holds after a step, as a mask; and those that it gave back without holding
    /// them.
    fn held(&self, local: &LocalState, shared: &Valuation, after: &Valuation) -> (u64, u64) {
        let written = self.written[local.location.index()];
        let (mut held, mut foreign) = (local.locks & !written, 0);
        for (at, lock) in self.locks.iter().enumerate().filter(|(at, _)| written >> at & 1 == 1) {
            let value = |shared: &Valuation| shared.get(lock.variable.index());
            match lock.after(local.locks >> at & 1 == 1, value(shared), value(after)) {
                Holding::Held => held |= 1 << at,
                Holding::NotHeld => {}
                Holding::Foreign => foreign |= 1 << at,
            }
        }
        (held, foreign)
    }

    /// The broadcast of a step.
    fn broadcast(
        &self,
        local: &LocalState,
        assignment: &Assignment,
        shared: &Valuation,
        after: &After,
    ) -> Option<Broadcast> {
        if !assignment.involves_passive() {
            return None;
        }
        let reads = self.reads.get(&local.location)?;
        let values = reads.iter().map(|&read| match read {
            VariableRef::Shared(v) => shared.get(v.index()),
            VariableRef::Local(v) => local.locals.get(v.index()),
            VariableRef::NextShared(v) => after.0.get(v.index()),
            VariableRef::NextLocal(v) => after.1.get(v.index()),
            VariableRef::Passive(_) | VariableRef::NextPassive(_) => false,
        });
        Some((local.location, values.collect()))
    }

    /// The states that a broadcast can take a passive thread to. Empty if it blocks the step.
    ///
    /// # Errors
    /// If there are more than can be listed.
    pub(crate) fn passive(
        &self,
        (location, values): &Broadcast,
        before: &LocalState,
    ) -> Result<Vec<LocalState>, UnknownReason> {
        let statement = self.program.statement(*location);
        let (FlatStatement::Assign { assignment, .. }, Some(reads)) =
            (statement, self.reads.get(location))
        else {
            return Ok(vec![before.clone()]);
        };
        let known: FxHashMap<VariableRef, bool> =
            reads.iter().copied().zip(values.iter().copied()).collect();
        let value = |variable: VariableRef, after: &Valuation| match variable {
            VariableRef::Passive(v) => before.locals.get(v.index()),
            VariableRef::NextPassive(v) => after.get(v.index()),
            other => known.get(&other).copied().unwrap_or(false),
        };
        let choices: Vec<(usize, Values)> = assignment
            .broadcast
            .iter()
            .map(|(v, e)| (v.index(), e.values(&|read| value(read, &before.locals))))
            .collect();
        let mut results = Vec::new();
        for after in combinations(&before.locals, &choices)? {
            let holds = |e: &FlatExpr| e.values(&|read| value(read, &after)).one;
            if assignment.passive_constraint.as_ref().is_none_or(holds) {
                results.push(self.without_dead(LocalState { locals: after, ..before.clone() }));
            }
        }
        Ok(results)
    }
}

fn with(shared: &Valuation, variable: SharedVar, value: bool) -> Valuation {
    let mut shared = shared.clone();
    shared.set(variable.index(), value);
    shared
}

fn reads_of(assignment: &Assignment) -> Rc<[VariableRef]> {
    let mut reads = Vec::new();
    let expressions = assignment.broadcast.iter().map(|(_, e)| e);
    for expression in expressions.chain(&assignment.passive_constraint) {
        expression.for_each_variable(&mut |variable| {
            if !matches!(variable, VariableRef::Passive(_) | VariableRef::NextPassive(_)) {
                reads.push(variable);
            }
        });
    }
    reads.sort_unstable();
    reads.dedup();
    Rc::from(reads)
}

/// The valuations after an assignment by the active thread.
fn assigned(
    assignment: &Assignment,
    shared: &Valuation,
    locals: &Valuation,
    matters: &[LocalVar],
) -> Result<Vec<After>, UnknownReason> {
    let before = |variable: VariableRef| match variable {
        VariableRef::Shared(v) => shared.get(v.index()),
        VariableRef::Local(v) => locals.get(v.index()),
        _ => false,
    };
    let values_of = |e: &FlatExpr| e.values(&before);
    let shared_choices: Vec<(usize, Values)> =
        assignment.shared.iter().map(|(v, e)| (v.index(), values_of(e))).collect();
    let needed = assignment.local.iter().filter(|(v, _)| matters.contains(v));
    let local_choices: Vec<(usize, Values)> =
        needed.map(|(v, e)| (v.index(), values_of(e))).collect();
    let both = |choices: &[(usize, Values)]| {
        choices.iter().filter(|(_, values)| *values == Values::BOTH).count()
    };
    free_enough(both(&shared_choices) + both(&local_choices))?;
    let mut results = Vec::new();
    let local_results = combinations(locals, &local_choices)?;
    for shared_after in combinations(shared, &shared_choices)? {
        for local_after in &local_results {
            let value = |variable: VariableRef| match variable {
                VariableRef::NextShared(v) => shared_after.get(v.index()),
                VariableRef::NextLocal(v) => local_after.get(v.index()),
                other => before(other),
            };
            if assignment.constraint.as_ref().is_none_or(|e| e.values(&value).one) {
                results.push((shared_after.clone(), local_after.clone()));
            }
        }
    }
    Ok(results)
}

/// Fails if a step combines too many free choices.
fn free_enough(choices: usize) -> Result<(), UnknownReason> {
    if choices > FREE_LIMIT {
        let what = format!("a step with more than {FREE_LIMIT} free choices");
        return Err(UnknownReason::Unsupported(what));
    }
    Ok(())
}

/// Every way to choose values for variables, written over `before`.
fn combinations(
    before: &Valuation,
    choices: &[(usize, Values)],
) -> Result<Vec<Valuation>, UnknownReason> {
    let free = choices.iter().filter(|(_, values)| *values == Values::BOTH).count();
    free_enough(free)?;
    let mut results = vec![before.clone()];
    for &(at, values) in choices {
        let mut flipped = Vec::new();
        for result in &mut results {
            result.set(at, values.one);
            if values == Values::BOTH {
                let mut other = result.clone();
                other.set(at, false);
                flipped.push(other);
            }
        }
        results.extend(flipped);
    }
    Ok(results)
}
