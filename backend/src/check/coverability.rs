//! The `coverability` engine: exact in principle for any number of threads, as the programs are
//! well-structured: more threads never disable a step.
//!
//! Expand, Enlarge and Check (Geeraerts, Raskin, Van Begin): an over-approximation that counts
//! threads up to a limit and an under-approximation with so many threads take turns, both with
//! rising precision. Where a broadcast's constraint can block, the program is not monotone; a
//! proof and a run are then still right, but it may be that neither is found.

use sapa_ir::boolean::flat::FlatProgram;

use super::cover::{Covered, cover};
use super::flat_threads::FlatThreads;
use super::marking::{Count, Marking};
use super::named_run::name_threads;
use super::thread_system::Budget;
use super::{CheckOptions, Outcome, Progress, SafeFor, ThreadBound, UnknownReason};

/// How many rounds are tried without limits in the options.
const ROUNDS: u32 = 12;

/// Runs the engine. Safe is for any number of threads, whatever the bound; with a bound, runs
/// that depend on a `start_thread` being skipped are not found, so the answer may be unknown.
pub fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let threads = match options.threads {
        ThreadBound::Bounded(others) => others.saturating_add(1),
        ThreadBound::Unbounded => Count::MAX,
    };
    let mut system = FlatThreads::new(program);
    let mut budget = Budget::new(options, progress);
    let covered = cover(&mut system, ROUNDS, threads, &mut budget);
    let statistics = budget.statistics;
    let reason = match covered {
        Ok(Covered::Safe) => return Outcome::Safe { threads: SafeFor::AllThreads, statistics },
        Ok(Covered::Unsafe(run)) => match name_threads(&run).map(|run| system.trace(&run)) {
            Some(trace) => return Outcome::Unsafe { trace, statistics },
            None => UnknownReason::Imprecise("a run's threads could not be named".into()),
        },
        Ok(Covered::Unknown { candidate: None, stopped: Some(reason) }) => reason,
        Ok(Covered::Unknown { candidate, .. }) => {
            UnknownReason::Imprecise(describe(program, &system, candidate.as_ref()))
        }
        Err(reason) => reason,
    };
    Outcome::Unknown { reason, statistics }
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
