//! The kinds of reasons that there is no verdict: a stable name for programs, to go with words for people.
//! `docs/inconclusive.md` explains each kind, with examples.

use sapa_limits::Exceeded;
use sapa_passes::PassError;

use crate::automaton::AutomatonError;
use crate::bounded::GaveUp;
use crate::check::UnknownReason;
use crate::check::recursion::Beyond;

/// Why there is no verdict, as one of a fixed number of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The deadline of the run passed.
    OutOfTime,
    /// The run has no more memory, or an engine no more of its part.
    OutOfMemory,
    /// Somebody asked the run to stop.
    Interrupted,
    /// All rounds of refinement were made that were asked for.
    IterationLimit,
    /// All work was done that was allowed.
    WorkLimit,
    /// More stores may wait in a buffer than was proved safe.
    BufferBound,
    /// An engine kept as many states as it may.
    StateLimit,
    /// A step has too many successors to list them.
    ManyChoices,
    /// The engine that was asked for cannot check this program, or not for this number of threads.
    EngineUnfit,
    /// All attempts of the engine ended, and none with an answer.
    NoProof,
    /// An over-approximation cannot exclude a failure that no run was found to have.
    OverApproximation,
    /// Of recursive calls as threads that their callers wait for, a failure says nothing.
    RecursiveCalls,
    /// Refinement found no predicates that refute a spurious trace.
    NoPredicates,
    /// Predicates were given up because they were too much work for the solver.
    GivenUp,
    /// The solver gave up on whether a trace is an execution.
    HardTrace,
    /// No run fails whose loops have so many rounds, and there are longer ones.
    UnwindLimit,
    /// The solver gave up on the formula of all runs of bounded length.
    HardFormula,
    /// A trace is an execution by the model, and the interpreter cannot execute it.
    NotReplayed,
    /// A failure rests on a value that is not modelled.
    UnmodelledValue,
    /// A failure rests on memory that the abstraction does not follow, or on whom a join waits for.
    NotFollowed,
    /// A pass met something that it cannot treat.
    Refused,
    /// The model of programs lacks a construct.
    NotModelled,
    /// Something was asked that nothing here checks.
    NotChecked,
    /// An object is too large for the model of memory.
    TooLarge,
    /// A pointer to what one thread owns reaches another thread.
    EscapingPointer,
    /// An error of sapa.
    InternalError,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 26] = [
        Self::OutOfTime,
        Self::OutOfMemory,
        Self::Interrupted,
        Self::IterationLimit,
        Self::BufferBound,
        Self::WorkLimit,
        Self::StateLimit,
        Self::ManyChoices,
        Self::EngineUnfit,
        Self::NoProof,
        Self::OverApproximation,
        Self::RecursiveCalls,
        Self::NoPredicates,
        Self::GivenUp,
        Self::HardTrace,
        Self::UnwindLimit,
        Self::HardFormula,
        Self::NotReplayed,
        Self::UnmodelledValue,
        Self::NotFollowed,
        Self::Refused,
        Self::NotModelled,
        Self::NotChecked,
        Self::TooLarge,
        Self::EscapingPointer,
        Self::InternalError,
    ];

    /// The name of the kind in reports; it does not change.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::OutOfTime => "out_of_time",
            Self::OutOfMemory => "out_of_memory",
            Self::Interrupted => "interrupted",
            Self::IterationLimit => "iteration_limit",
            Self::WorkLimit => "work_limit",
            Self::BufferBound => "buffer_bound",
            Self::StateLimit => "state_limit",
            Self::ManyChoices => "many_choices",
            Self::EngineUnfit => "engine_unfit",
            Self::NoProof => "no_proof",
            Self::OverApproximation => "over_approximation",
            Self::RecursiveCalls => "recursive_calls",
            Self::NoPredicates => "no_predicates",
            Self::GivenUp => "given_up",
            Self::HardTrace => "hard_trace",
            Self::UnwindLimit => "unwind_limit",
            Self::HardFormula => "hard_formula",
            Self::NotReplayed => "not_replayed",
            Self::UnmodelledValue => "unmodelled_value",
            Self::NotFollowed => "not_followed",
            Self::Refused => "refused",
            Self::NotModelled => "not_modelled",
            Self::NotChecked => "not_checked",
            Self::TooLarge => "too_large",
            Self::EscapingPointer => "escaping_pointer",
            Self::InternalError => "internal_error",
        }
    }

    /// What may help, as the end of a sentence; `None` where the reason itself says it, or nothing does.
    #[must_use]
    pub fn help(self) -> Option<&'static str> {
        Some(match self {
            Self::OutOfTime => {
                "a longer --timeout, a bound on --threads, or loops with fewer rounds"
            }
            Self::OutOfMemory => "a larger --memory-limit, or a bound on --threads",
            Self::IterationLimit => "more --iterations, or --predicates that the proof needs",
            Self::BufferBound => "--buffer-bound N, or a fence in the loop that stores",
            Self::WorkLimit | Self::StateLimit => "a bound on --threads, or another --engine",
            Self::ManyChoices => "--engine counter with a bound on --threads",
            Self::EngineUnfit => "--engine auto, or a bound on --threads",
            Self::NoProof => "a bound on --threads",
            Self::OverApproximation => "an exact --engine with a bound on --threads",
            Self::RecursiveCalls => "recursion that ends after few calls, or a loop instead",
            Self::NoPredicates => "--predicates that say what holds there",
            Self::GivenUp => "simpler arithmetic on these variables, or --predicates over them",
            Self::HardTrace => "simpler arithmetic",
            Self::UnwindLimit => "a larger --unwind, or loops with fewer rounds",
            Self::HardFormula => "fewer rounds or threads, or simpler arithmetic",
            Self::UnmodelledValue => "a definition of the function",
            Self::NotFollowed => "a bound on --threads, and loops with fewer rounds",
            Self::NotModelled => "another way to write it",
            Self::TooLarge => "fewer elements, rounds or threads",
            Self::EscapingPointer => "a global variable instead of a local one",
            Self::InternalError => "a report of it, with the program",
            Self::Interrupted | Self::NotReplayed | Self::Refused | Self::NotChecked => {
                return None;
            }
        })
    }
}

impl From<Exceeded> for Kind {
    fn from(exceeded: Exceeded) -> Self {
        match exceeded {
            Exceeded::Time => Self::OutOfTime,
            Exceeded::Memory => Self::OutOfMemory,
            Exceeded::Interrupted => Self::Interrupted,
        }
    }
}

impl From<&UnknownReason> for Kind {
    fn from(reason: &UnknownReason) -> Self {
        match reason {
            UnknownReason::Exceeded(exceeded) => (*exceeded).into(),
            UnknownReason::StateLimit(_) => Self::StateLimit,
            UnknownReason::WorkLimit => Self::WorkLimit,
            UnknownReason::Multiplied(_) => Self::ManyChoices,
            UnknownReason::Unsupported(_) => Self::EngineUnfit,
            UnknownReason::Recursive { beyond: Beyond::Unknown(reason), .. } => (&**reason).into(),
            UnknownReason::Recursive { .. } => Self::RecursiveCalls,
            UnknownReason::Undecided => Self::NoProof,
            UnknownReason::Internal(_) | UnknownReason::ReplayFailed(_) => Self::InternalError,
        }
    }
}

impl From<&GaveUp> for Kind {
    fn from(reason: &GaveUp) -> Self {
        match reason {
            GaveUp::Unsupported(..)
            | GaveUp::NoBody(..)
            | GaveUp::Address(_)
            | GaveUp::Waits(..)
            | GaveUp::Sections => Self::NotModelled,
            GaveUp::TooLarge(_) => Self::TooLarge,
            GaveUp::Replay(_) => Self::NotReplayed,
            GaveUp::Unmodelled => Self::UnmodelledValue,
            GaveUp::Solver => Self::HardFormula,
        }
    }
}

impl From<&PassError> for Kind {
    fn from(error: &PassError) -> Self {
        match error {
            PassError::Exceeded(exceeded) => (*exceeded).into(),
            PassError::Refused { .. } => Self::Refused,
            PassError::Unsound { .. } => Self::InternalError,
        }
    }
}

impl From<&AutomatonError> for Kind {
    fn from(error: &AutomatonError) -> Self {
        match error {
            AutomatonError::Exceeded(exceeded) => (*exceeded).into(),
            AutomatonError::NoEntry | AutomatonError::Unsupported { .. } => Self::NotModelled,
            AutomatonError::NoRoom { .. } => Self::TooLarge,
            AutomatonError::Escape(_) => Self::EscapingPointer,
        }
    }
}
