//! How far engines come, and what that takes.

use super::{Answer, Engine, Outcome};

/// How far an engine has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// States found so far.
    pub states: usize,
    /// Length of the executions looked at, or rounds done.
    pub depth: usize,
}

/// Figures of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// States stored (in the engine's own representation).
    pub states: usize,
    /// Transitions taken; 0 where the engine does not take them one by one.
    pub transitions: usize,
    /// Depth reached, or rounds done.
    pub depth: usize,
    /// The memory of the states stored, in bytes; 0 where that is not known.
    pub bytes: usize,
    /// The work done: a count of the engine's steps, each with a weight, so that a unit is very
    /// roughly 20 ns. It is the same in each run and on each machine, as time is not.
    pub work: u64,
    /// Figures of engines over BDDs.
    pub symbolic: Option<SymbolicStatistics>,
    /// The engines that `auto` asked, each once, in the order in which they ended.
    pub attempts: Vec<Attempt>,
}

/// Figures of an engine over BDDs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymbolicStatistics {
    /// The most BDD nodes that existed at once.
    pub nodes: usize,
    /// Images computed; remembered ones are not counted again.
    pub images: usize,
    /// Images of splice statements (BOOM Definition 3), thread starts and broadcasts.
    pub splices: usize,
    /// Satisfiable cofactors that those were split into.
    pub cofactors: usize,
    /// States merged (BOOM section 7.1).
    pub merges: usize,
}

/// An engine that `auto` asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Which one.
    pub engine: &'static Engine,
    /// Why it was left; `None` if it has the answer.
    pub left: Option<&'static str>,
}

impl Attempt {
    pub(super) fn of(outcome: &Outcome) -> Attempt {
        let left = match &outcome.answer {
            Answer::Safe { .. } | Answer::Failing { .. } => None,
            Answer::Imprecise(_) => Some("too coarse"),
            Answer::Unknown(reason) => Some(reason.words()),
        };
        Attempt { engine: outcome.engine, left }
    }
}
