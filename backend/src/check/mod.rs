//! Model checking of flat Boolean programs: the interface of the engines, one engine a file.
//!
//! - [`semantics`] – the plain semantics: one step at a time, naive exploration, replay of traces;
//! - [`analysis`] – liveness, independence, chains of jumps: what engines ask before they explore;
//! - [`auto`] – the default, a sequence of others;
//! - [`explicit`] – counts threads that agree, exact for N threads;
//! - [`symbolic`] – the engines over BDDs, exact for N threads: `counter` counts threads in sets of
//!   local states, `plain` has a copy of the locals for each thread;
//! - [`coverability`] and [`thread_modular`] – any number of threads;
//! - [`three_valued`] – states in which values may be unknown, an over-approximation for N threads;
//! - [`transition_system`] – thread transition systems, for any number of threads;
//! - [`recursion`] – what procedures that call themselves are to engines that know no calls;
//! - [`coverage`] – which assertions runs come to at all;
//! - `reduce` – makes a program smaller before an engine sees it;
//! - [`Proof`] – the invariants that engines have found, as certificates.
//!
//! What can be too much to list, `initial` (valuations) and `spread` (of threads over places) go
//! through one at a time.
//!
//! An engine is a value, an [`Engine`], listed in [`ENGINES`]; [`check`] runs one on a program that
//! `reduce` made smaller, and replays what it says is a counterexample.

pub mod analysis;
mod answer;
pub mod auto;
pub mod coverability;
pub mod coverage;
pub mod explicit;
pub mod recursion;
pub mod semantics;
pub mod symbolic;
pub mod thread_modular;

mod interner;
mod pairs;
mod proof;
mod reduce;
mod spread;
mod statistics;
#[cfg(test)]
pub(crate) mod tests;
pub mod three_valued;
pub mod transition_system;

use std::fmt;

use sapa_ir::boolean::flat::FlatProgram;
use sapa_limits::Limits;

pub use answer::{
    Answer, Method, Outcome, SafeFor, Suspect, SuspectStep, SuspectThread, UnknownReason,
};
pub use proof::Proof;
use semantics::{replay, simple};
pub use statistics::{Attempt, Progress, Statistics, SymbolicStatistics};
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

impl ThreadBound {
    /// The number, if there is one.
    #[must_use]
    pub fn limit(self) -> Option<u32> {
        match self {
            Self::Bounded(limit) => Some(limit),
            Self::Unbounded => None,
        }
    }
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
    /// Where an engine that proves puts what its proof rests on, if somebody wants it.
    pub proof: Option<Proof>,
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
            proof: None,
        }
    }

    /// The bound on threads, for engines that need one.
    fn bound(&self) -> Result<u32, UnknownReason> {
        let none = || UnknownReason::Unsupported("no bound on threads".into());
        self.threads.limit().ok_or_else(none)
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

/// What runs an engine: program, options, and a callback for progress that it calls now and then.
pub type Run = fn(&FlatProgram, &CheckOptions, &mut dyn FnMut(Progress)) -> Outcome;

/// An engine, and what there is to know before it is run. Engines are told apart by their names.
pub struct Engine {
    /// Its name on command lines.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Whether the others are compared with it: then it is given the program as it is, and not one
    /// that was made smaller.
    pub is_oracle: bool,
    /// The engine.
    pub run: Run,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Engine {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Engine {}

/// All engines. A new one is a file and a line here.
pub static ENGINES: &[&Engine] = &[
    &simple::ENGINE,
    &explicit::ENGINE,
    &counter::ENGINE,
    &plain::ENGINE,
    &three_valued::ENGINE,
    &thread_modular::ENGINE,
    &pairs::ENGINE,
    &coverability::ENGINE,
    &auto::ENGINE,
];

impl Engine {
    /// The engine of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Engine> {
        ENGINES.iter().find(|engine| engine.name == name).copied()
    }

    /// Its outcome where it could not begin.
    fn unknown(&'static self, reason: UnknownReason) -> Outcome {
        Outcome::new(self, Err(reason), Statistics::default())
    }
}

/// The least work that is done to find a certificate where the engine has none: some seconds.
const LEAST_WORK_FOR_PROOF: u64 = 1 << 28;

/// Runs an engine; a counterexample is believed only when it replays.
pub fn check(
    engine: &'static Engine,
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    // A certificate is about the program itself: whoever wants one has it checked as it is.
    let with_proof = options
        .proof
        .as_ref()
        .map(|_| CheckOptions { partial_order_reduction: false, ..options.clone() });
    let options = with_proof.as_ref().unwrap_or(options);
    let reduced = match engine.is_oracle || options.proof.is_some() {
        true => Ok(None),
        false => reduce::reduce(program, options),
    };
    let reduced = match reduced {
        Ok(reduced) => reduced,
        Err(reason) => return engine.unknown(reason),
    };
    let mut outcome = (engine.run)(reduced.as_ref().unwrap_or(program), options, progress);
    if let (Answer::Safe { .. }, Some(proof)) = (&outcome.answer, &options.proof)
        && !proof.is_there()
    {
        // The engines for N threads keep no invariant: one for any number says more than theirs.
        let work = outcome.statistics.work.saturating_mul(4).max(LEAST_WORK_FOR_PROOF);
        let left = options.max_work.map(|most| most.saturating_sub(outcome.statistics.work));
        let max_work = left.into_iter().chain([work]).min();
        coverability::check(program, &CheckOptions { max_work, ..options.clone() }, progress);
    }
    if let (Answer::Imprecise(suspect), Some(reduced)) = (&mut outcome.answer, &reduced) {
        suspect.steps = reduce::lift_steps(program, reduced, &suspect.steps).unwrap_or_default();
    }
    if let Answer::Failing { trace, by } = outcome.answer {
        let trace = match &reduced {
            Some(reduced) => reduce::lift(program, reduced, &trace, options),
            None => Ok(trace),
        };
        let replayed = trace.and_then(|trace| {
            replay::replay(program, options.threads, &trace)?;
            Ok(Answer::Failing { trace, by })
        });
        outcome.answer = replayed.unwrap_or_else(Answer::Unknown);
    }
    outcome
}
