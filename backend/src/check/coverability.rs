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
pub(crate) mod pairs;
#[cfg(test)]
mod table_system;
pub(crate) mod thread_states;
mod thread_steps;
pub(crate) mod thread_system;

use sapa_ir::boolean::flat::FlatProgram;

use super::explicit::trace_along;
use super::{
    Answer, CheckOptions, Engine, Method, Outcome, Progress, SafeFor, ThreadBound, UnknownReason,
};
use cover::{Covered, Effort, cover};
use flat_threads::FlatThreads;
use marking::{Count, Marking};
use named_run::name_threads;
use thread_states::Views;
use thread_system::Budget;

/// Safe is for any number of threads, whatever the bound; with a bound, runs that depend on a
/// `start_thread` being skipped are not found, so the answer may be unknown.
pub static ENGINE: Engine = Engine {
    name: "coverability",
    summary: "views of threads, then backwards, then expand and enlarge; any number of threads",
    is_oracle: false,
    run: check,
};

pub(super) fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    run(program, options, &Effort::FULL, progress)
}

/// As [`check`], but gives up where that would take long.
pub(super) fn attempt(
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
    let mut budget = Budget::new(options, progress);
    let answer = decide(program, options, effort, &mut budget);
    Outcome::new(&ENGINE, answer, budget.statistics)
}

/// An engine that computes what can be seen of N threads: safe is a proof for any number of threads, and
/// an error that it finds need not exist.
pub(super) fn by_views<'p>(
    engine: &'static Engine,
    by: Method,
    views: fn(&mut FlatThreads<'p>, &mut Budget<'_>) -> Result<Views, UnknownReason>,
    program: &'p FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut system = match FlatThreads::new(program, options) {
        Ok(system) => system,
        Err(reason) => return engine.unknown(reason),
    };
    let mut budget = Budget::new(options, progress);
    let answer = views(&mut system, &mut budget).map(|views| match views.candidate {
        None => Answer::Safe { threads: SafeFor::AllThreads, by },
        Some((shared, local)) => Answer::Imprecise(system.suspect(shared, local, &[])),
    });
    Outcome::new(engine, answer, budget.statistics)
}

fn decide(
    program: &FlatProgram,
    options: &CheckOptions,
    effort: &Effort,
    budget: &mut Budget<'_>,
) -> Result<Answer, UnknownReason> {
    let mut system = FlatThreads::new(program, options)?;
    let (mut population, others) = match options.threads {
        ThreadBound::Bounded(others) => (others.saturating_add(1), others),
        ThreadBound::Unbounded => (Count::MAX, Count::MAX),
    };
    let (run, by) = loop {
        match cover(&mut system, effort, population, budget)? {
            Covered::Safe(by) => return Ok(Answer::Safe { threads: SafeFor::AllThreads, by }),
            Covered::Candidate(marking) => return suspect(&system, &marking),
            Covered::Unsafe(run, by) => match name_threads(&run) {
                // The initial thread does not count for the bound; once it ended, the whole
                // population may be others. Then one less is on the safe side.
                Some(run) if run.most_started() > others => population = others.max(1),
                run => break (run.ok_or(UnknownReason::Undecided)?, by),
            },
        }
    };
    let trace = trace_along(program, options, &system.path(&run))?;
    Ok(Answer::Failing { trace, by })
}

/// The answer where a marking was neither refuted nor reached.
fn suspect(system: &FlatThreads<'_>, marking: &Marking) -> Result<Answer, UnknownReason> {
    let fails = |&&(local, _): &&(_, Count)| system.known_to_fail(marking.shared, local);
    let &(failing, _) = marking.counts().iter().find(fails).ok_or(UnknownReason::Undecided)?;
    let mut others = marking.clone();
    others.remove_one(failing);
    Ok(Answer::Imprecise(system.suspect(marking.shared, failing, others.counts())))
}
