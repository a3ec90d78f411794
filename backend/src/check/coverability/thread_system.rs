//! A program seen one thread at a time: what the engines for unbounded threads explore.
//!
//! Shared valuations, local states and broadcasts are numbered, so that engines hash and compare
//! numbers only. A local state is everything that is a thread's own: its location, its variables
//! and the locks it holds.

use std::rc::Rc;

use sapa_limits::Exceeded;

use super::marking::{Count, Marking};
use super::thread_states::Views;
use crate::check::analysis::writers::Claims;
use crate::check::{CheckOptions, Progress, Statistics, UnknownReason};

/// A valuation of the shared variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct SharedId(pub(crate) u32);

/// A thread's own state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct LocalId(pub(crate) u32);

/// What one step of an active thread does to every other thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct BroadcastId(pub(crate) u32);

/// One step of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Move {
    pub(crate) shared: SharedId,
    /// The thread's state afterwards; `None` if it ended.
    pub(crate) local: Option<LocalId>,
    /// The state a started thread begins in.
    pub(crate) spawned: Option<LocalId>,
    /// How the threads that existed before the step change with it; `None` if they do not.
    pub(crate) broadcast: Option<BroadcastId>,
}

/// What a thread can do next.
#[derive(Clone, Default, Debug)]
pub(crate) struct Moves {
    pub(crate) moves: Vec<Move>,
    /// Whether the thread fails an assertion here.
    pub(crate) fails: bool,
    /// Locks that some of the moves release though the thread does not hold them, as a mask:
    /// what [`ThreadSystem::locks`] says about them excludes nothing.
    pub(crate) foreign_unlocks: u64,
}

/// How much an exploration may use, and where it says how far it is.
pub(crate) struct Budget<'a> {
    pub(crate) options: &'a CheckOptions,
    /// States to keep at most, in one exploration.
    pub(crate) states: usize,
    /// Steps to look at at most, in all explorations together. Counted, so that what an attempt
    /// finds does not depend on the machine.
    pub(crate) work: u64,
    pub(crate) progress: &'a mut dyn FnMut(Progress),
    pub(crate) statistics: Statistics,
    /// What a proof rests on, if there is one and somebody wants it.
    pub(crate) proved: Option<Proved>,
    ticks: u32,
}

/// What a proof over lists rests on.
#[derive(Debug)]
pub(crate) struct Proved {
    /// What can be seen of threads.
    pub(crate) views: Views,
    /// Minimal configurations from which a failure could be reached: who is inside, and the others.
    pub(crate) excluded: Vec<(Option<LocalId>, Marking)>,
}

/// What a kept state may take, with its share of the indices; for the memory limit.
const BYTES_PER_STATE: usize = 512;

impl<'a> Budget<'a> {
    pub(crate) fn new(
        options: &'a CheckOptions,
        progress: &'a mut dyn FnMut(Progress),
    ) -> Budget<'a> {
        let by_memory = options.memory_limit.map_or(usize::MAX, |limit| limit / BYTES_PER_STATE);
        let states = options.max_states.unwrap_or(usize::MAX).min(by_memory);
        Budget {
            options,
            states,
            work: options.max_work.unwrap_or(u64::MAX),
            progress,
            statistics: Statistics::default(),
            proved: None,
            ticks: 0,
        }
    }

    /// Keeps what a proof rests on, if somebody wants it.
    pub(crate) fn prove(&mut self, views: Views, excluded: Vec<(Option<LocalId>, Marking)>) {
        if self.options.proof.is_some() {
            self.proved = Some(Proved { views, excluded });
        }
    }

    /// Called with how many steps or results are about to be looked at: fails if that is more
    /// than is left of the allowed `work`.
    pub(crate) fn spend(&mut self, steps: usize) -> Result<(), UnknownReason> {
        let steps = steps as u64;
        let left = self.work.checked_sub(steps);
        self.statistics.work += if left.is_some() { steps } else { self.work };
        self.work = left.unwrap_or(0);
        left.map(drop).ok_or(UnknownReason::WorkLimit)
    }

    /// Called for each step within the exploration of a state, which can take long: fails if the
    /// `work` is used up, the time is over or somebody cancelled.
    pub(crate) fn tick(&mut self) -> Result<(), UnknownReason> {
        self.spend(1)?;
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(64)
            && let Some(reason) = self.options.stop()
        {
            return Err(reason);
        }
        Ok(())
    }

    /// Fails if more than the allowed `states` are kept, or they and the system's tables together
    /// take more than the allowed memory.
    pub(crate) fn room(
        &self,
        states: usize,
        system: &impl ThreadSystem,
    ) -> Result<(), UnknownReason> {
        if states > self.states {
            return Err(match self.options.max_states {
                Some(limit) if limit <= self.states => UnknownReason::StateLimit(limit),
                _ => UnknownReason::Exceeded(Exceeded::Memory),
            });
        }
        let bytes = states.saturating_mul(BYTES_PER_STATE).saturating_add(system.bytes());
        if self.options.memory_limit.is_some_and(|limit| bytes > limit) {
            return Err(UnknownReason::Exceeded(Exceeded::Memory));
        }
        Ok(())
    }

    /// Called once per explored state: fails if there is no [`room`](Budget::room), the time is
    /// over or somebody cancelled.
    pub(crate) fn check(
        &mut self,
        states: usize,
        system: &impl ThreadSystem,
    ) -> Result<(), UnknownReason> {
        self.statistics.states = self.statistics.states.max(states);
        self.statistics.transitions += 1;
        self.room(states, system)?;
        // Reading the clock for every state would cost more than exploring it.
        if self.statistics.transitions.is_multiple_of(128) {
            (self.progress)(Progress { states, depth: self.statistics.depth });
            if let Some(reason) = self.options.stop() {
                return Err(reason);
            }
        }
        Ok(())
    }
}

/// A program as the threads that run it see it. Steps are word-for-word those of the interleaving
/// semantics, except that starting a thread always succeeds.
pub(crate) trait ThreadSystem {
    /// The states of the initial thread, which runs alone. There can be very many.
    fn initial(
        &mut self,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<(SharedId, LocalId)>, UnknownReason>;

    /// What a thread in state `local` can do.
    fn moves(&mut self, shared: SharedId, local: LocalId) -> Result<Rc<Moves>, UnknownReason>;

    /// The states that a broadcast can take a passive thread to. Empty if it blocks the step.
    fn passive(
        &mut self,
        broadcast: BroadcastId,
        local: LocalId,
    ) -> Result<Rc<[LocalId]>, UnknownReason>;

    /// Whether the thread is inside an atomic section, so that no other may move.
    fn in_atomic(&self, local: LocalId) -> bool;

    /// Locks (as a mask) that no two threads hold at once, of those this thread holds.
    fn locks(&self, local: LocalId) -> u64;

    /// Approximately how much memory the tables behind the numbers take.
    fn bytes(&self) -> usize;

    /// Values of shared variables that a thread must have written which is still there, as a mask.
    fn claims(&self, _shared: SharedId) -> Claims {
        0
    }

    /// Those that a thread may have written.
    fn claims_of(&self, _local: LocalId) -> Claims {
        0
    }

    /// Whether there are invariants.
    fn has_invariants(&self) -> bool {
        false
    }

    /// Whether invariants allow a thread.
    fn may_be(&mut self, _shared: SharedId, _local: LocalId) -> bool {
        true
    }

    /// Whether invariants allow two threads together.
    fn may_meet(&mut self, _shared: SharedId, _one: LocalId, _other: LocalId) -> bool {
        true
    }

    /// Whether invariants allow these threads together.
    fn allows(&mut self, shared: SharedId, threads: &[LocalId]) -> bool {
        !self.has_invariants()
            || threads.iter().enumerate().all(|(at, &local)| {
                self.may_be(shared, local)
                    && threads[at + 1..].iter().all(|&other| self.may_meet(shared, local, other))
            })
    }

    /// Whether invariants allow the thread that took a step with others. Who was started is not there: where
    /// there is no room for another thread, nobody is.
    fn allows_after(&mut self, step: &Move, others: &[LocalId]) -> bool {
        if !self.has_invariants() {
            return true;
        }
        let threads: Vec<LocalId> = step.local.into_iter().chain(others.iter().copied()).collect();
        self.allows(step.shared, &threads)
    }

    /// Whether invariants allow so many threads together, and one inside its atomic section.
    fn allows_all(&mut self, inside: Option<LocalId>, outside: &Marking) -> bool {
        // Two that agree stand for all.
        let some = |&(local, count): &(LocalId, Count)| vec![local; count.min(2) as usize];
        let threads: Vec<LocalId> = outside.counts().iter().flat_map(some).chain(inside).collect();
        self.allows(outside.shared, &threads)
    }
}
