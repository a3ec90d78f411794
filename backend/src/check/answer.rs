//! What engines answer.

use std::fmt;

use sapa_bdd::LimitReached;
use sapa_ir::boolean::ast::Position;
use sapa_ir::boolean::flat::LocationId;
use sapa_ir::boolean::trace::{Trace, Valuation};
use sapa_limits::Exceeded;

use super::Engine;
use super::recursion::Beyond;
use super::semantics::replay::ReplayError;
use super::statistics::Statistics;

/// What a run of an engine came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The engine that answered. If `auto` was run, it is the one that `auto` asked last.
    pub engine: &'static Engine,
    /// Its answer.
    pub answer: Answer,
    /// The figures of the run.
    pub statistics: Statistics,
}

impl Outcome {
    /// An engine's outcome; where it ended with a reason, the answer is unknown.
    pub(crate) fn new(
        engine: &'static Engine,
        result: Result<Answer, UnknownReason>,
        statistics: Statistics,
    ) -> Outcome {
        Outcome { engine, answer: result.unwrap_or_else(Answer::Unknown), statistics }
    }

    /// What decided: the method, where the engine has several, else the engine. `None` if nothing
    /// did.
    #[must_use]
    pub fn decided_by(&self) -> Option<&'static str> {
        match &self.answer {
            Answer::Safe { by, .. } | Answer::Failing { by, .. } => {
                Some(by.words().unwrap_or(self.engine.name))
            }
            Answer::Imprecise(_) | Answer::Unknown(_) => None,
        }
    }
}

/// An engine's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No assertion can fail.
    Safe {
        /// For how many threads.
        threads: SafeFor,
        /// What kind of proof there is.
        by: Method,
    },
    /// An assertion can fail.
    Failing {
        /// An execution in which it does; [`Trace::most_started`] says with how many threads.
        trace: Trace,
        /// How it was found.
        by: Method,
    },
    /// An assertion fails in an over-approximation, and it is not known whether it does in an
    /// execution.
    Imprecise(Suspect),
    /// Nothing is known.
    Unknown(UnknownReason),
}

/// A way to come to an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// All states were looked at, or those up to a failure.
    AllStates,
    /// What single threads can be seen doing (BOPPO Definition 8).
    ThreadStates,
    /// What pairs of threads can be seen doing.
    PairsOfThreads,
    /// A search backwards from the failing configurations.
    Backward,
    /// A forward search that takes large numbers of threads for any number.
    Enlarging,
    /// A forward search with rising numbers of threads.
    Expanding,
}

impl Method {
    /// The method in words; `None` for the one that goes without saying.
    #[must_use]
    pub fn words(self) -> Option<&'static str> {
        match self {
            Method::AllStates => None,
            Method::ThreadStates => Some("thread states"),
            Method::PairsOfThreads => Some("pairs of threads"),
            Method::Backward => Some("backward search"),
            Method::Enlarging => Some("enlarging"),
            Method::Expanding => Some("expanding"),
        }
    }
}

/// For which numbers of threads a "safe" holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SafeFor {
    /// Up to this many threads besides the initial one.
    Threads(u32),
    /// Any number.
    AllThreads,
}

/// What an over-approximation cannot exclude: that these threads, and perhaps others, are there at
/// once, one of them where it fails an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// The shared variables.
    pub shared: Valuation,
    /// The threads, of which the first is the one that fails.
    pub threads: Vec<SuspectThread>,
    /// Where its assertion stands in the source.
    pub assertion: Position,
    /// How the failing thread came there, as far as the over-approximation knows: steps of it and
    /// of others that it was told of, each with a past of its own (BOPPO section 3.2). No run of
    /// the program, as far as is known. Empty if there is none.
    pub steps: Vec<SuspectStep>,
}

/// A step of a [`Suspect`]; skips and jumps are steps too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuspectStep {
    /// Who: 0 is the initial thread, others in order of creation.
    pub thread: u32,
    /// Where it stood.
    pub location: LocationId,
    /// Where it stood then; `None` if it ended.
    pub successor: Option<LocationId>,
    /// The thread that it started.
    pub started: Option<u32>,
}

/// Threads of a [`Suspect`] that agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuspectThread {
    /// Where they stand.
    pub location: LocationId,
    /// Their locals; those that do not matter any more are 0.
    pub locals: Valuation,
    /// How many there are; `None` if there can be any number.
    pub count: Option<u32>,
}

impl fmt::Display for Suspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { line, column } = self.assertion;
        write!(
            f,
            "the over-approximation is too coarse: the assertion at {line}:{column} fails in a \
             state of threads that may be unreachable"
        )
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownReason {
    /// `max_states` was reached.
    #[error("the limit of {0} states was reached")]
    StateLimit(usize),
    /// The deadline passed, the memory limit of the run or `memory_limit` was reached, or somebody
    /// cancelled.
    #[error("{0}")]
    Exceeded(#[from] Exceeded),
    /// More work than an attempt was given, or than `max_work`.
    #[error("the limit on work was reached")]
    WorkLimit,
    /// The states of single steps multiply, so that listing them is not the way.
    #[error("the states of a step multiply: {0}")]
    Multiplied(String),
    /// The engine cannot do this.
    #[error("not supported by this engine: {0}")]
    Unsupported(String),
    /// All attempts of the engine ended without an answer.
    #[error("no proof and no run was found")]
    Undecided,
    /// Of recursive procedures, runs were looked at with so many recursive calls of a thread at once, and
    /// none fails.
    #[error(
        "no run fails in which a thread is in at most {followed} recursive calls at once; {beyond}"
    )]
    Recursive {
        /// How many.
        followed: u32,
        /// What is known of deeper ones.
        beyond: Beyond,
    },
    /// An error of the engine.
    #[error("internal error: {0}")]
    Internal(&'static str),
    /// A counterexample did not replay: an error of the engine too.
    #[error("internal error: the counterexample does not replay: {0}")]
    ReplayFailed(#[from] ReplayError),
}

impl UnknownReason {
    /// The reason in a few words, without figures.
    #[must_use]
    pub fn words(&self) -> &'static str {
        match self {
            UnknownReason::StateLimit(_) => "too many states",
            UnknownReason::Exceeded(Exceeded::Time) => "out of time",
            UnknownReason::Exceeded(Exceeded::Memory) => "out of memory",
            UnknownReason::Exceeded(Exceeded::Interrupted) => "interrupted",
            UnknownReason::WorkLimit => "too much work",
            UnknownReason::Multiplied(_) => "the states of a step multiply",
            UnknownReason::Unsupported(_) => "not supported",
            UnknownReason::Undecided => "undecided",
            UnknownReason::Recursive { .. } => "recursive calls",
            UnknownReason::Internal(_) | UnknownReason::ReplayFailed(_) => "internal error",
        }
    }

    /// Which limit cut the engine off, if one did.
    #[must_use]
    pub fn exceeded(&self) -> Option<Exceeded> {
        match self {
            UnknownReason::Exceeded(why) => Some(*why),
            _ => None,
        }
    }
}

impl From<LimitReached> for UnknownReason {
    fn from(limit: LimitReached) -> UnknownReason {
        match limit {
            LimitReached::Time => UnknownReason::Exceeded(Exceeded::Time),
            LimitReached::Work => UnknownReason::WorkLimit,
            LimitReached::Nodes(_) | LimitReached::Bytes(_) => {
                UnknownReason::Exceeded(Exceeded::Memory)
            }
        }
    }
}
