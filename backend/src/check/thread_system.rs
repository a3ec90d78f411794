//! A program seen one thread at a time: what the engines for unbounded threads explore.
//!
//! Shared valuations, local states and broadcasts are numbered, so that engines hash and compare
//! numbers only. A local state is everything that is a thread's own: its location, its variables
//! and the locks it holds.

use std::rc::Rc;
use std::time::Instant;

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

/// Why an exploration stopped early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// More states than the budget allows.
    States,
    /// The deadline passed.
    Time,
    /// The program could not be executed; says why.
    Program(String),
}

/// How much an exploration may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) states: usize,
    pub(crate) deadline: Option<Instant>,
}

impl Budget {
    /// Fails if `states` were kept or the time is over.
    pub(crate) fn check(&self, states: usize) -> Result<(), Stop> {
        if states > self.states {
            return Err(Stop::States);
        }
        // Reading the clock for every state would cost more than exploring it.
        let overdue = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if states.is_multiple_of(64) && overdue {
            return Err(Stop::Time);
        }
        Ok(())
    }
}

/// A program as the threads that run it see it. Steps are word-for-word those of the interleaving
/// semantics, except that starting a thread always succeeds.
pub(crate) trait ThreadSystem {
    /// The states of the initial thread, which runs alone.
    fn initial(&mut self) -> Result<Vec<(SharedId, LocalId)>, Stop>;

    /// What a thread in state `local` can do.
    fn moves(&mut self, shared: SharedId, local: LocalId) -> Result<Rc<Moves>, Stop>;

    /// The states that a broadcast can take a passive thread to. Empty if it blocks the step.
    fn passive(&mut self, broadcast: BroadcastId, local: LocalId) -> Result<Rc<[LocalId]>, Stop>;

    /// Whether the thread is inside an atomic section, so that no other may move.
    fn in_atomic(&self, local: LocalId) -> bool;

    /// Locks (as a mask) that no two threads hold at once, of those this thread holds.
    fn locks(&self, local: LocalId) -> u64;
}
