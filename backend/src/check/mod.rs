//! Model checking of flat Boolean programs: the interface of the engines, one engine a file.
//!
//! - [`semantics`] – the plain semantics: one step at a time, naive exploration, replay of traces;
//! - [`analysis`] – liveness, independence, chains of jumps: what engines ask before they explore;
//! - [`auto`] – the default, a sequence of others;
//! - [`explicit`] – counts threads that agree, exact for N threads;
//! - [`symbolic`] – the engines over BDDs, exact for N threads: `counter` counts threads in sets of
//!   local states, `plain` has a copy of the locals for each thread;
//! - [`coverability`] and [`thread_modular`] – any number of threads;
//! - [`coverage`] – which assertions runs come to at all;
//! - `reduce` – makes a program smaller before an engine sees it.
//!
//! What can be too much to list, `initial` (valuations) and `spread` (of threads over places) go
//! through one at a time.
//!
//! An engine is a function [`Run`], listed in [`ENGINES`]; [`check`] runs one by its kind, on a
//! program that `reduce` made smaller, and replays what it says is a counterexample.

pub mod analysis;
pub mod auto;
pub mod coverability;
pub mod coverage;
pub mod explicit;
pub mod semantics;
pub mod symbolic;
pub mod thread_modular;

mod interner;
mod reduce;
mod spread;
#[cfg(test)]
mod tests;

use sapa_bdd::LimitReached;
use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::boolean::trace::Trace;
use sapa_limits::{Exceeded, Limits};

use semantics::{replay, simple};
use symbolic::{counter, plain};

/// How many threads may exist at once besides the initial one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreadBound {
    /// At most this many; a `start_thread` beyond it is a skip, a `start_thread_or_wait` waits
    /// until a thread has ended.
    Bounded(u32),
    /// Any number.
    Unbounded,
}

/// What an engine may use.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// The bound on threads.
    pub threads: ThreadBound,
    /// How many states (or whatever the engine counts) to store at most.
    pub max_states: Option<usize>,
    /// How much work to do at most, in the units of [`Statistics::work`].
    pub max_work: Option<u64>,
    /// How long to go on, and who may end it.
    pub limits: Limits,
    /// Approximately how many bytes the engine's own tables may take; the limits are on the memory
    /// of the process.
    pub memory_limit: Option<usize>,
    /// Whether steps that no other thread sees or disturbs may be explored alone (BOOM section
    /// 7.3); counterexamples need not be shortest then.
    pub partial_order_reduction: bool,
}

impl CheckOptions {
    /// No limits.
    pub fn new(threads: ThreadBound) -> Self {
        CheckOptions {
            threads,
            max_states: None,
            max_work: None,
            limits: Limits::default(),
            memory_limit: None,
            partial_order_reduction: false,
        }
    }

    /// The bound on threads, for engines that need one.
    fn bound(&self) -> Result<u32, UnknownReason> {
        match self.threads {
            ThreadBound::Bounded(bound) => Ok(bound),
            ThreadBound::Unbounded => Err(UnknownReason::Unsupported("no bound on threads".into())),
        }
    }

    /// Fails if there was more work than is allowed.
    fn allow(&self, work: u64) -> Result<(), UnknownReason> {
        match self.max_work {
            Some(most) if work > most => Err(UnknownReason::WorkLimit),
            _ => Ok(()),
        }
    }

    /// Whether to stop now, and why. Cheap, but not for every state.
    pub fn stop(&self) -> Option<UnknownReason> {
        self.limits.check().err().map(UnknownReason::from)
    }
}

/// How far an engine has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// States found so far.
    pub states: usize,
    /// Length of the executions looked at, or rounds done.
    pub depth: usize,
}

/// Figures of a run; 0 where an engine has none of the kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// States stored (in the engine's own representation).
    pub states: usize,
    /// Transitions taken.
    pub transitions: usize,
    /// Depth reached, or rounds done.
    pub depth: usize,
    /// The memory of the states stored, in bytes.
    pub bytes: usize,
    /// The most BDD nodes that existed at once.
    pub bdd_nodes: usize,
    /// Images computed; remembered ones are not counted again.
    pub images: usize,
    /// Images of splice statements (BOOM Definition 3), thread starts and broadcasts.
    pub splices: usize,
    /// Satisfiable cofactors that those were split into.
    pub cofactors: usize,
    /// States merged (BOOM section 7.1).
    pub merges: usize,
    /// The work done: a count of the engine's steps, each with a weight, so that a unit is very
    /// roughly 20 ns. It is the same in each run and on each machine, as time is not.
    pub work: u64,
    /// Which part of an engine found the answer; the engine's name where it has one part only.
    pub decided_by: &'static str,
    /// The engines that `auto` asked; none for all others.
    pub attempts: Attempts,
}

/// An engine that `auto` asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Which one.
    pub engine: EngineKind,
    /// Why it was left; `None` if it has the answer.
    pub left: Option<&'static str>,
}

/// How far the engines came that `auto` asked: each once, the last one last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts([Option<Attempt>; 4]);

impl Attempts {
    /// The attempts, in the order in which the engines ended.
    pub fn iter(&self) -> impl Iterator<Item = Attempt> + '_ {
        self.0.iter().flatten().copied()
    }

    fn add(&mut self, engine: EngineKind, outcome: &Outcome) {
        let left = match outcome {
            Outcome::Unknown { reason, .. } => Some(reason.words()),
            _ => None,
        };
        let others = self.0.into_iter().flatten().filter(|attempt| attempt.engine != engine);
        let all: Vec<Attempt> = others.chain([Attempt { engine, left }]).collect();
        // There are four engines that it asks.
        self.0 = std::array::from_fn(|at| all.get(at).copied());
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

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownReason {
    /// `max_states` was reached.
    #[error("the limit of {0} states was reached")]
    StateLimit(usize),
    /// The deadline passed.
    #[error("out of time")]
    Timeout,
    /// `memory_limit` was reached.
    #[error("out of memory")]
    OutOfMemory,
    /// More work than an attempt was given, or than `max_work`.
    #[error("the limit on work was reached")]
    WorkLimit,
    /// Somebody cancelled.
    #[error("interrupted")]
    Cancelled,
    /// The states of single steps multiply, so that listing them is not the way.
    #[error("the states of a step multiply: {0}")]
    Multiplied(String),
    /// The engine cannot do this.
    #[error("not supported by this engine: {0}")]
    Unsupported(String),
    /// An over-approximation found an error that need not exist.
    #[error("the over-approximation is too coarse: {0}")]
    Imprecise(String),
    /// A counterexample did not replay: an error of the engine.
    #[error("internal error: the counterexample does not replay: {0}")]
    ReplayFailed(#[from] replay::ReplayError),
}

impl UnknownReason {
    /// The reason in a few words, without figures.
    #[must_use]
    pub fn words(&self) -> &'static str {
        match self {
            UnknownReason::StateLimit(_) => "too many states",
            UnknownReason::Timeout => "out of time",
            UnknownReason::OutOfMemory => "out of memory",
            UnknownReason::WorkLimit => "too much work",
            UnknownReason::Cancelled => "interrupted",
            UnknownReason::Multiplied(_) => "the states of a step multiply",
            UnknownReason::Unsupported(_) => "not supported",
            UnknownReason::Imprecise(_) => "too coarse",
            UnknownReason::ReplayFailed(_) => "internal error",
        }
    }

    /// Whether a limit of the whole run cut the engine off.
    #[must_use]
    pub fn is_exceeded(&self) -> bool {
        matches!(
            self,
            UnknownReason::Timeout | UnknownReason::OutOfMemory | UnknownReason::Cancelled
        )
    }
}

impl From<LimitReached> for UnknownReason {
    fn from(limit: LimitReached) -> UnknownReason {
        match limit {
            LimitReached::Time => UnknownReason::Timeout,
            LimitReached::Nodes(_) | LimitReached::Bytes(_) => UnknownReason::OutOfMemory,
        }
    }
}

impl From<Exceeded> for UnknownReason {
    fn from(exceeded: Exceeded) -> UnknownReason {
        match exceeded {
            Exceeded::Time => UnknownReason::Timeout,
            Exceeded::Memory => UnknownReason::OutOfMemory,
            Exceeded::Interrupted => UnknownReason::Cancelled,
        }
    }
}

/// An engine's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No assertion can fail.
    Safe {
        /// For how many threads.
        threads: SafeFor,
        /// Figures.
        statistics: Statistics,
    },
    /// An assertion can fail.
    Unsafe {
        /// How.
        trace: Trace,
        /// Figures.
        statistics: Statistics,
    },
    /// No answer.
    Unknown {
        /// Why.
        reason: UnknownReason,
        /// Figures.
        statistics: Statistics,
    },
}

impl Outcome {
    /// The figures of the run.
    pub fn statistics(&self) -> &Statistics {
        match self {
            Outcome::Safe { statistics, .. }
            | Outcome::Unsafe { statistics, .. }
            | Outcome::Unknown { statistics, .. } => statistics,
        }
    }

    /// The figures, to add those of another attempt.
    fn statistics_mut(&mut self) -> &mut Statistics {
        match self {
            Outcome::Safe { statistics, .. }
            | Outcome::Unsafe { statistics, .. }
            | Outcome::Unknown { statistics, .. } => statistics,
        }
    }
}

/// An engine: program, options, and a callback for progress that it calls now and then.
pub type Run = fn(&FlatProgram, &CheckOptions, &mut dyn FnMut(Progress)) -> Outcome;

/// The engines; those that can be run are in [`ENGINES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineKind {
    /// Naive enumeration of the plain semantics; the oracle of the others.
    Naive,
    /// Explicit-state counter abstraction (BOOM Algorithm 1).
    Explicit,
    /// Symbolic counter abstraction (BOOM Algorithm 2).
    Counter,
    /// Symbolic, without symmetry.
    Plain,
    /// BOPPO Fig. 3 and Definition 8.
    ThreadModular,
    /// Well-structured transition systems.
    Coverability,
    /// Coverability as far as it is cheap; for a bound then explicit, and where the states of
    /// steps multiply the symbolic engines.
    Auto,
}

/// What is known about an engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineEntry {
    /// Which one.
    pub kind: EngineKind,
    /// Its name on command lines.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// The engine.
    pub run: Run,
}

/// All engines; a new engine is a variant of [`EngineKind`] and a line here.
pub const ENGINES: &[EngineEntry] = &[
    EngineEntry {
        kind: EngineKind::Naive,
        name: "naive",
        summary: "enumeration without symmetry; exact, N threads, tiny programs only",
        run: simple::check,
    },
    EngineEntry {
        kind: EngineKind::Explicit,
        name: "explicit",
        summary: "states with counted threads (BOOM Algorithm 1); exact, N threads",
        run: explicit::check,
    },
    EngineEntry {
        kind: EngineKind::Counter,
        name: "counter",
        summary: "counted sets of local states as BDDs (BOOM Algorithm 2); exact, N threads",
        run: counter::check,
    },
    EngineEntry {
        kind: EngineKind::Plain,
        name: "plain",
        summary: "BDDs, one copy of the locals per thread; exact, N threads",
        run: plain::check,
    },
    EngineEntry {
        kind: EngineKind::ThreadModular,
        name: "thread-modular",
        summary: "thread-visible states (BOPPO Fig. 3); proves for any number of threads",
        run: thread_modular::check,
    },
    EngineEntry {
        kind: EngineKind::Coverability,
        name: "coverability",
        summary: "views of threads, then backwards, then expand and enlarge; any number of threads",
        run: coverability::check,
    },
    EngineEntry {
        kind: EngineKind::Auto,
        name: "auto",
        summary: "the default: coverability, for N threads while it is cheap; then explicit, or counter and plain",
        run: auto::check,
    },
];

impl EngineKind {
    /// Its line in [`ENGINES`].
    pub fn entry(self) -> Option<&'static EngineEntry> {
        ENGINES.iter().find(|e| e.kind == self)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().map_or("unknown", |entry| entry.name)
    }

    /// The engine of that name.
    pub fn parse(name: &str) -> Option<EngineKind> {
        ENGINES.iter().find(|e| e.name == name).map(|e| e.kind)
    }
}

/// Runs an engine; a counterexample is believed only when it replays.
pub fn check(
    engine: EngineKind,
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let Some(entry) = engine.entry() else {
        return Outcome::Unknown {
            reason: UnknownReason::Unsupported("no such engine".into()),
            statistics: Statistics::default(),
        };
    };
    // The oracle of the others is left alone.
    let reduced = match engine {
        EngineKind::Naive => Ok(None),
        _ => reduce::reduce(program, options),
    };
    let reduced = match reduced {
        Ok(reduced) => reduced,
        Err(reason) => return Outcome::Unknown { reason, statistics: Statistics::default() },
    };
    let mut outcome = (entry.run)(reduced.as_ref().unwrap_or(program), options, progress);
    if outcome.statistics().decided_by.is_empty() {
        outcome.statistics_mut().decided_by = entry.name;
    }
    match outcome {
        Outcome::Unsafe { trace, statistics } => {
            let trace = match &reduced {
                Some(reduced) => reduce::lift(program, reduced, &trace, options),
                None => Ok(trace),
            };
            let replayed = trace.and_then(|trace| {
                replay::replay(program, options.threads, &trace)?;
                Ok(trace)
            });
            match replayed {
                Ok(trace) => Outcome::Unsafe { trace, statistics },
                Err(reason) => Outcome::Unknown { reason, statistics },
            }
        }
        outcome => outcome,
    }
}
