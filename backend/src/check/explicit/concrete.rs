//! From a path of canonical states to a trace of the plain semantics.
//!
//! The path is followed forwards with named threads. Each thread has its canonical local state
//! beside its concrete one; they agree on live locals. Skips and jumps that the search went over
//! at once are made up just before the thread's next step, which is always possible and disturbs
//! nobody.

use super::moves::{Atomic, Move, Moves};
use super::prepared::{OwnFrame, PassiveFrame, PreparedAssignment, Slot};
use super::state::{Mover, State};
use super::valuations::{Scope, enumerate, get, pack, set, unpack};
use crate::check::simple::fresh_number;
use crate::check::{Step, ThreadBound, ThreadState, Trace, TraceState, Valuation};
use rustc_hash::FxHashMap;
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, Initial, LocalVar, LocationId, Values};
use std::collections::VecDeque;

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

/// The trace along a path; `None` only if the search is wrong.
pub(super) fn concretise(
    moves: &mut Moves<'_>,
    bound: ThreadBound,
    path: &[State],
) -> Option<Trace> {
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
    fn candidates(&self, mover: Mover) -> Option<Named> {
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
            .find(|mover| self.moves.of(mover.local(), state.shared).fails)
            .and_then(|mover| self.candidates(mover))
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
            let set = self.moves.of(mover.local(), before.shared);
            for step in &set.moves {
                let states = before.after(mover, step, self.bound, self.moves);
                if states.contains(after) {
                    return self.take(mover, step, before, after);
                }
            }
        }
        None
    }

    fn take(&mut self, mover: Mover, step: &Move, before: &State, after: &State) -> Option<()> {
        let (thread, _) = self.candidates(mover)?;
        self.catch_up(thread, mover.local())?;
        let location = self.state.thread(thread)?.location;
        // What the others become.
        let others: Vec<Named> = self.named.iter().copied().filter(|(t, _)| *t != thread).collect();
        let starts = step.started.filter(|_| before.has_room(self.bound));
        if let Some(choice) = step.choice {
            let mut wanted: FxHashMap<u32, u32> = after.started.iter().copied().collect();
            if let (Mover::Started(_), Some(local)) = (mover, step.local) {
                *wanted.get_mut(&local)? -= 1;
            }
            let results = self.assign_others(&others, choice, after.initial, wanted)?;
            self.write(thread, location, step, &others, &results)?;
            for ((other, _), result) in others.iter().zip(&results) {
                self.named.iter_mut().find(|(t, _)| t == other)?.1 = *result;
            }
        } else {
            self.write(thread, location, step, &[], &[])?;
        }
        let fresh = fresh_number(&self.state);
        let successor = match (self.program.statement(location), step.local) {
            (_, None) => None,
            (statement, Some(local)) => {
                let goal = self.moves.local(local).0;
                let next = statement
                    .successors()
                    .iter()
                    .find(|next| chain(self.program, **next, goal).is_some());
                Some(*next?)
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

    /// Chooses a result for each other thread such that all together are the wanted ones.
    fn assign_others(
        &mut self,
        others: &[Named],
        choice: u32,
        initial: Option<u32>,
        mut wanted: FxHashMap<u32, u32>,
    ) -> Option<Vec<u32>> {
        let options: Vec<_> = others
            .iter()
            .map(|(thread, local)| {
                let results = self.moves.passive(choice, *local);
                match thread {
                    // Of the initial thread it is known what it becomes.
                    0 => results.iter().copied().filter(|r| Some(*r) == initial).collect(),
                    _ => results.to_vec(),
                }
            })
            .collect();
        if let Some(at) = others.iter().position(|(thread, _)| *thread == 0) {
            *wanted.entry(*options[at].first()?).or_default() += 1;
        }
        // Backtracking over the threads; `chosen` are indices into the options.
        let mut chosen: Vec<usize> = Vec::new();
        let mut from = 0;
        while chosen.len() < others.len() {
            let results: &Vec<u32> = &options[chosen.len()];
            let next =
                (from..results.len()).find(|i| wanted.get(&results[*i]).is_some_and(|n| *n > 0));
            match next {
                Some(index) => {
                    *wanted.entry(results[index]).or_default() -= 1;
                    chosen.push(index);
                    from = 0;
                }
                None => {
                    let index = chosen.pop()?;
                    *wanted.entry(options[chosen.len()][index]).or_default() += 1;
                    from = index + 1;
                }
            }
        }
        Some(chosen.iter().zip(&options).map(|(index, results)| results[*index]).collect())
    }

    /// Writes the variables that a move changes.
    fn write(
        &mut self,
        thread: u32,
        location: LocationId,
        step: &Move,
        others: &[Named],
        results: &[u32],
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
        // The values the search chose, or found by it again where it does not keep them.
        let chosen = match step.choice {
            Some(choice) => self.moves.choices[choice as usize].next_local.clone(),
            None => {
                let (stop, words) = self.moves.local(step.local?);
                let live = self.moves.prepared.liveness.at(*stop);
                own_values(assignment, scope, &after_shared, |v| {
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
        for ((other, _), result) in others.iter().zip(results) {
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
            enumerate(&possible.collect::<Vec<_>>(), &mut frame);
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
    enumerate(&possible.collect::<Vec<_>>(), &mut frame);
    found
}

/// The values that are wanted.
fn restrict(values: Values, wanted: Option<bool>) -> Values {
    match wanted {
        Some(wanted) => Values { zero: values.zero && !wanted, one: values.one && wanted },
        None => values,
    }
}

/// The locations after each of the skips and jumps from one location to another; shortest.
fn chain(program: &FlatProgram, from: LocationId, goal: LocationId) -> Option<Vec<LocationId>> {
    let mut came: FxHashMap<LocationId, LocationId> = FxHashMap::default();
    came.insert(from, from);
    let mut queue = VecDeque::from([from]);
    while let Some(location) = queue.pop_front() {
        if location == goal {
            let mut chain = Vec::new();
            let mut at = goal;
            while at != from {
                chain.push(at);
                at = *came.get(&at)?;
            }
            chain.reverse();
            return Some(chain);
        }
        if let FlatStatement::Skip { .. } | FlatStatement::Goto { .. } = program.statement(location)
        {
            for next in program.statement(location).successors() {
                if !came.contains_key(next) {
                    came.insert(*next, location);
                    queue.push_back(*next);
                }
            }
        }
    }
    None
}
