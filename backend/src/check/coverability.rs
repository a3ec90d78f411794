//! The `coverability` engine: exact in principle for any number of threads, as the programs are
//! well-structured: more threads never disable a step.
//!
//! `cover` makes the attempts: what single threads see, what pairs see, backwards
//! from the failing configurations, and expanding and enlarging in turn. Where a broadcast's
//! constraint can block, the program is not monotone; a proof and a run are then still right, but
//! it may be that neither is found.

mod backward;
mod cover;
mod enlarge;
mod expand;
pub(crate) mod flat_threads;
pub(crate) mod marking;
mod named_run;
mod pairs;
#[cfg(test)]
mod table_system;
pub(crate) mod thread_states;
pub(crate) mod thread_system;

use sapa_ir::boolean::flat::FlatProgram;

use self::cover::{Covered, Effort, cover};
use self::flat_threads::FlatThreads;
use self::marking::{Count, Marking};
use self::named_run::{NamedRun, name_threads};
use self::thread_system::Budget;
use super::explicit::trace_along;
use super::{CheckOptions, Outcome, Progress, SafeFor, Statistics, ThreadBound, UnknownReason};

/// Runs the engine. Safe is for any number of threads, whatever the bound; with a bound, runs
/// that depend on a `start_thread` being skipped are not found, so the answer may be unknown.
pub fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    run(program, options, &Effort::FULL, progress)
}

/// As [`check`], but gives up where that would take long.
pub(crate) fn attempt(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    run(program, options, &Effort::LITTLE, progress)
}

fn run(
    program: &FlatProgram,
    options: &CheckOptions,
    effort: &Effort,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut system = match FlatThreads::new(program, options) {
        Ok(system) => system,
        Err(reason) => return Outcome::Unknown { reason, statistics: Statistics::default() },
    };
    let mut budget = Budget::new(options, progress);
    let (mut population, others) = match options.threads {
        ThreadBound::Bounded(others) => (others.saturating_add(1), others),
        ThreadBound::Unbounded => (Count::MAX, Count::MAX),
    };
    let covered = loop {
        match cover(&mut system, effort, population, &mut budget) {
            Ok(Covered::Unsafe(run)) => match name_threads(&run) {
                // The initial thread does not count for the bound; once it ended, the whole
                // population may be others. Then one less is on the safe side.
                Some(run) if run.most_started() > others => population = others.max(1),
                run => break Ok(run.map_or_else(Answer::unnamed, Answer::Unsafe)),
            },
            Ok(Covered::Safe) => break Ok(Answer::Safe),
            Ok(Covered::Unknown { candidate: None, stopped: Some(reason) }) => break Err(reason),
            Ok(Covered::Unknown { candidate, .. }) => {
                let why = describe(program, &system, candidate.as_ref());
                break Ok(Answer::Unknown(why));
            }
            Err(reason) => break Err(reason),
        }
    };
    let statistics = budget.statistics;
    let reason = match covered {
        Ok(Answer::Safe) => return Outcome::Safe { threads: SafeFor::AllThreads, statistics },
        Ok(Answer::Unsafe(run)) => match trace_along(program, options, &system.path(&run)) {
            Ok(trace) => return Outcome::Unsafe { trace, statistics },
            Err(reason) => reason,
        },
        Ok(Answer::Unknown(why)) => UnknownReason::Imprecise(why),
        Err(reason) => reason,
    };
    Outcome::Unknown { reason, statistics }
}

enum Answer {
    Safe,
    Unsafe(NamedRun),
    Unknown(String),
}

impl Answer {
    fn unnamed() -> Answer {
        Answer::Unknown("the threads of a run could not be named".into())
    }
}

fn describe(
    program: &FlatProgram,
    system: &FlatThreads<'_>,
    candidate: Option<&Marking>,
) -> String {
    let failing = candidate.and_then(|marking| {
        marking.counts().iter().find_map(|&(local, _)| {
            let location = system.local_state(local).location;
            system.known_to_fail(marking.shared, local).then(|| program.location(location).position)
        })
    });
    match failing {
        Some(at) => format!(
            "the assertion at {}:{} may fail with enough threads, but no run was found",
            at.line, at.column
        ),
        None => "no proof and no run was found".into(),
    }
}
