//! From a path of canonical states to a trace of the plain semantics.
//!
//! The path is followed forwards with named threads. Each thread has its canonical local state
//! beside its concrete one; they agree on live locals. Skips and jumps that the search went over
//! at once are made up just before the thread's next step, which is always possible and disturbs
//! nobody.

use super::matching::places;
use super::moves::{Atomic, Move, Moves};
use super::prepared::{OwnFrame, PassiveFrame, PreparedAssignment, Slot};
use super::state::{Mover, State};
use super::valuations::{Scope, enumerate, get, pack, restrict, set, unpack};
use crate::check::analysis::stops::chain;
use crate::check::semantics::replay::ReplayError;
use crate::check::semantics::simple::fresh_number;
use crate::check::{ThreadBound, UnknownReason};
use rustc_hash::FxHashMap;
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, Initial, LocalVar, LocationId, Values};
use sapa_ir::boolean::trace::{Step, ThreadState, Trace, TraceState, Valuation};

/// A thread's number and its canonical local state.
type Named = (u32, u32);

struct Walk<'m, 'a> {
    moves: &'m mut Moves<'a>,
    program: &'a FlatProgram,
    bound: ThreadBound,
    /// Where each thread of `state` stands in the path's state, in the same order.
    named: Vec<Named>,
    state: TraceState,
    steps: Vec<Step>,
}

/// The trace along a path.
///
/// # Errors
/// The limit that was reached; a failed replay only if the search is wrong.
pub(super) fn concretise(
    moves: &mut Moves<'_>,
    bound: ThreadBound,
    path: &[State],
) -> Result<Trace, UnknownReason> {
    follow(moves, bound, path).ok_or_else(|| {
        let limit = moves.cut_off().cloned().or_else(|| moves.options.stop());
        limit.unwrap_or(UnknownReason::ReplayFailed(ReplayError::Failure))
    })
}

fn follow(moves: &mut Moves<'_>, bound: ThreadBound, path: &[State]) -> Option<Trace> {
    let program = moves.prepared.program;
    let first = path.first()?;
    let local = first.initial?;
    let (location, words) = moves.local(local).clone();
    let locals = program.locals.iter().enumerate().map(|(v, variable)| {
        let live = get(moves.prepared.liveness.at(location), v);
        if live { get(&words, v) } else { variable.initial == Initial::One }
    });
    let initial = TraceState {
        shared: unpack(moves.shared(first.shared), program.shared.len()),
        threads: vec![ThreadState { thread: 0, location: program.entry, locals: locals.collect() }],
        atomic: None,
    };
    let state = initial.clone();
    let mut walk =
        Walk { moves, program, bound, named: vec![(0, local)], state, steps: Vec::new() };
    for pair in path.windows(2) {
        walk.step(&pair[0], &pair[1])?;
    }
    let last = path.last()?;
    let (failing_thread, local) = walk.failing(last)?;
    walk.catch_up(failing_thread, local)?;
    let failing_location = walk.state.thread(failing_thread)?.location;
    Some(Trace { initial, steps: walk.steps, failing_thread, failing_location })
}

impl Walk<'_, '_> {
    /// Which thread of a state is meant by a mover: the holder, or any in that local state.
    fn candidate(&self, mover: Mover) -> Option<Named> {
        self.named.iter().copied().find(|(thread, local)| {
            *local == mover.local()
                && (*thread == 0) == matches!(mover, Mover::Initial(_))
                && self.state.atomic.is_none_or(|holder| holder == *thread)
        })
    }

    fn failing(&mut self, state: &State) -> Option<Named> {
        state
            .movers()
            .into_iter()
            .find(|mover| self.moves.fails(mover.local(), state.shared))
            .and_then(|mover| self.candidate(mover))
    }

    /// Walks the skips and jumps up to where the search has the thread.
    fn catch_up(&mut self, thread: u32, local: u32) -> Option<()> {
        let goal = self.moves.local(local).0;
        let from = self.state.thread(thread)?.location;
        for next in chain(self.program, from, goal)? {
            let location = self.state.thread(thread)?.location;
            self.position(thread)?.location = next;
            self.record(thread, location, Some(next));
        }
        Some(())
    }

    fn position(&mut self, thread: u32) -> Option<&mut ThreadState> {
        self.state.threads.iter_mut().find(|t| t.thread == thread)
    }

    fn record(&mut self, thread: u32, location: LocationId, successor: Option<LocationId>) {
        self.steps.push(Step { thread, location, successor, state: self.state.clone() });
    }

    /// One step of the path.
    fn step(&mut self, before: &State, after: &State) -> Option<()> {
        for mover in before.movers() {
            let Some((thread, _)) = self.candidate(mover) else { continue };
            for step in self.moves.towards(mover, before.shared, after) {
                if !before.admits(&step, self.bound) {
                    continue;
                }
                let (settled, _) = before.settled(mover, &step, self.bound);
                let Some((initial, started)) = settled.reactions(after) else { continue };
                if let Some(reactions) = self.reactions(thread, step.choice, initial, &started) {
                    let starts = step.started.filter(|_| before.has_room(self.bound));
                    return self.take((thread, mover.local()), &step, starts, &reactions);
                }
            }
        }
        None
    }

    /// A step of a thread with what the others become, and the thread that it starts.
    fn take(
        &mut self,
        (thread, local): Named,
        step: &Move,
        starts: Option<u32>,
        reactions: &[Named],
    ) -> Option<()> {
        self.catch_up(thread, local)?;
        let location = self.state.thread(thread)?.location;
        self.write(thread, location, step, reactions)?;
        for (other, result) in reactions {
            self.named.iter_mut().find(|(t, _)| t == other)?.1 = *result;
        }
        let fresh = fresh_number(&self.state);
        let successor = match (self.program.statement(location), step.local) {
            (_, None) => None,
            (statement, Some(local)) => {
                let goal = self.moves.local(local).0;
                // A jump may lead to the goal round a loop as well as at once.
                let length = |next: &LocationId| Some(chain(self.program, *next, goal)?.len());
                let next =
                    statement.successors().iter().filter_map(|next| Some((length(next)?, next)));
                Some(*next.min_by_key(|(length, _)| *length)?.1)
            }
        };
        if let (FlatStatement::StartThread { entry, .. }, Some(local)) =
            (self.program.statement(location), starts)
        {
            let locals = self.state.thread(thread)?.locals.clone();
            self.state.threads.push(ThreadState { thread: fresh, location: *entry, locals });
            self.named.push((fresh, local));
        }
        match step.atomic {
            Atomic::Keep => {}
            Atomic::Enter => self.state.atomic = Some(thread),
            Atomic::Leave => self.state.atomic = None,
        }
        match (successor, step.local) {
            (Some(successor), Some(local)) => {
                self.position(thread)?.location = successor;
                self.named.iter_mut().find(|(t, _)| *t == thread)?.1 = local;
            }
            _ => {
                self.state.threads.retain(|t| t.thread != thread);
                self.named.retain(|(t, _)| *t != thread);
            }
        }
        self.record(thread, location, successor);
        Some(())
    }

    /// What each thread but the active one becomes after a choice, such that the initial thread
    /// becomes `initial` and there are as many threads in each local state as `started` says. Without a choice
    /// nobody reacts, and nobody may have to.
    fn reactions(
        &mut self,
        active: u32,
        choice: Option<u32>,
        initial: Option<u32>,
        started: &FxHashMap<u32, u32>,
    ) -> Option<Vec<Named>> {
        let Some(choice) = choice else {
            return started.values().all(|count| *count == 0).then(Vec::new);
        };
        let mut reactions = Vec::new();
        let (mut names, mut options) = (Vec::new(), Vec::new());
        let goals: Vec<u32> =
            started.iter().filter(|(_, count)| **count > 0).map(|(local, _)| *local).collect();
        // Threads that agree have the same options.
        let mut known: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (thread, local) in self.named.iter().filter(|(thread, _)| *thread != active) {
            if *thread == 0 {
                let goal = initial?;
                self.moves.reacts(choice, *local, goal).then(|| reactions.push((0, goal)))?;
            } else {
                let results = known.entry(*local).or_insert_with(|| {
                    let goals = goals.iter().copied();
                    goals.filter(|goal| self.moves.reacts(choice, *local, *goal)).collect()
                });
                names.push(*thread);
                options.push(results.clone());
            }
        }
        if started.values().map(|count| *count as usize).sum::<usize>() != names.len() {
            return None;
        }
        reactions.extend(names.into_iter().zip(places(&options, started)?));
        Some(reactions)
    }

    /// Writes the variables that a move changes.
    fn write(
        &mut self,
        thread: u32,
        location: LocationId,
        step: &Move,
        reactions: &[Named],
    ) -> Option<()> {
        let before_shared = pack(&self.state.shared);
        let before_local = pack(&self.state.thread(thread)?.locals);
        let shared_count = self.program.shared.len();
        let local_count = self.program.locals.len();
        let after_shared: Box<[u64]> = self.moves.shared(step.shared).into();
        self.state.shared = unpack(&after_shared, shared_count);
        let Some(assignment) = &self.moves.prepared.assignments[location.index()] else {
            return Some(());
        };
        let scope = Scope { shared: &before_shared, local: &before_local, ..Scope::default() };
        let options = self.moves.options;
        let give_up = || options.stop().is_some();
        // The values the search chose, or found by it again where it does not keep them.
        let chosen = match step.choice {
            Some(choice) => self.moves.choices[choice as usize].next_local.clone(),
            None => {
                let (stop, words) = self.moves.local(step.local?);
                let live = self.moves.prepared.liveness.at(*stop);
                own_values(assignment, scope, &after_shared, &give_up, |v| {
                    get(live, v.index()).then(|| get(words, v.index()))
                })?
            }
        };
        let mut next_local = before_local.clone();
        let FlatStatement::Assign { assignment: flat, .. } = self.program.statement(location)
        else {
            return None;
        };
        for (variable, value) in &flat.local {
            let known = assignment
                .own
                .iter()
                .any(|(slot, value)| *slot == Slot::Local(*variable) && value.is_some());
            let value =
                if known { get(&chosen, variable.index()) } else { scope.values(value).one };
            set(&mut next_local, variable.index(), value);
        }
        let mut written: Vec<(u32, Valuation)> = vec![(thread, unpack(&next_local, local_count))];
        for (other, result) in reactions {
            let passive = pack(&self.state.thread(*other)?.locals);
            let (at, words) = self.moves.local(*result);
            let live = self.moves.prepared.liveness.at(*at);
            let scope = Scope {
                passive: &passive,
                next_shared: &after_shared,
                next_local: &next_local,
                ..scope
            };
            let possible = assignment.broadcast.iter().map(|(variable, value, constrained)| {
                let values = scope.values(value);
                if get(live, variable.index()) {
                    restrict(values, Some(get(words, variable.index())))
                } else if *constrained {
                    values
                } else {
                    Values::only(values.one)
                }
            });
            let mut found = None;
            let mut frame = PassiveFrame {
                assignment,
                scope,
                next_passive: passive.to_vec(),
                visit: |words: &[u64]| {
                    found = Some(unpack(words, local_count));
                    false
                },
            };
            enumerate(&possible.collect::<Vec<_>>(), &mut frame, &give_up);
            written.push((*other, found?));
        }
        for (thread, locals) in written {
            self.position(thread)?.locals = locals;
        }
        Some(())
    }
}

/// The active thread's next locals for a known shared valuation and known live locals.
fn own_values(
    assignment: &PreparedAssignment,
    scope: Scope<'_>,
    after_shared: &[u64],
    stop: &dyn Fn() -> bool,
    wanted: impl Fn(LocalVar) -> Option<bool>,
) -> Option<Box<[u64]>> {
    let possible = assignment.own.iter().map(|(slot, value)| {
        let Some(value) = value else { return Values::only(false) };
        let wanted = match slot {
            Slot::Local(v) => wanted(*v),
            Slot::Shared(v) => Some(get(after_shared, v.index())),
        };
        restrict(scope.values(value), wanted)
    });
    let mut found = None;
    let mut frame = OwnFrame {
        assignment,
        shared: scope.shared,
        local: scope.local,
        next_shared: scope.shared.to_vec(),
        next_local: scope.local.to_vec(),
        visit: |_: &[u64], local: &[u64]| {
            found = Some(local.into());
            false
        },
    };
    enumerate(&possible.collect::<Vec<_>>(), &mut frame, stop);
    found
}
