//! The `counter` engine: symbolic counter abstraction, BOOM Algorithm 2, with SAPA's broadcasts.
//!
//! A state is a set of shared valuations and, for each location, sets of locals with the number of
//! threads that have some valuation in each; program counters and counters are explicit, both
//! kinds of sets BDDs. Only counters above zero are kept. The search is exact for N threads.
//! `image` says how steps are computed and how broadcasts are, `search` how states are merged, `cut` how
//! invariants cut them off, `path` how a counterexample is found again.

mod cut;
mod image;
mod path;
#[cfg(test)]
mod reachable;
mod search;
mod set;
mod state;

use sapa_bdd::{BddManager, LimitReached, ManagerOptions};
use sapa_ir::boolean::flat::FlatProgram;

use super::deep_stack;
use super::encode::Encoder;
use crate::check::analysis::independence::Independence;
use crate::check::explicit::trace_along;
use crate::check::semantics::replay::ReplayError;
use crate::check::{
    Answer, CheckOptions, Engine, Method, Outcome, Progress, SafeFor, Statistics,
    SymbolicStatistics, UnknownReason,
};
use image::Images;
#[cfg(test)]
pub(crate) use reachable::reachable;
use sapa_limits::Exceeded;
use search::{Search, Step};

/// How many items are explored between tests of the limits.
const INTERVAL: usize = 64;

/// The [`Statistics::work`] of a transition.
const WORK: u64 = 1 << 14;

/// Searches the states with at most the given number of threads.
pub static ENGINE: Engine = Engine {
    name: "counter",
    summary: "counted sets of local states as BDDs (BOOM Algorithm 2); exact, N threads",
    is_oracle: false,
    run: check,
};

fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let bound = match options.bound() {
        Ok(bound) => bound,
        Err(reason) => return ENGINE.unknown(reason),
    };
    deep_stack::run(Encoder::variables_for_counting(program), progress, |progress| {
        run(program, options, bound, progress)
    })
    .unwrap_or_else(|reason| ENGINE.unknown(reason))
}

fn run(
    program: &FlatProgram,
    options: &CheckOptions,
    bound: u32,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut statistics = Statistics::default();
    let manager = manager(options);
    let result = search(program, options, bound, &manager, &mut statistics, progress);
    let symbolic = statistics.symbolic.get_or_insert_default();
    symbolic.nodes = manager.statistics().peak_nodes;
    let by = Method::AllStates;
    let answer = match result {
        Ok(Found::Nothing) => Ok(Answer::Safe { threads: SafeFor::Threads(bound), by }),
        Ok(Found::Path(path)) => {
            trace_along(program, options, &path).map(|trace| Answer::Failing { trace, by })
        }
        Ok(Found::Stopped(reason)) => Err(reason),
        Err(LimitReached::Time) => {
            Err(options.stop().unwrap_or(UnknownReason::Exceeded(Exceeded::Time)))
        }
        Err(limit) => Err(limit.into()),
    };
    Outcome::new(&ENGINE, answer, statistics)
}

enum Found {
    Nothing,
    Path(Vec<crate::check::semantics::counted::CountedState>),
    Stopped(UnknownReason),
}

fn manager(options: &CheckOptions) -> BddManager {
    // The rest is for states and remembered images.
    let memory_limit = options.memory_limit.map(|bytes| bytes / 4 * 3);
    let limits = options.limits.clone();
    BddManager::with_options(ManagerOptions { memory_limit, limits, ..ManagerOptions::default() })
}

fn images<'a>(
    program: &'a FlatProgram,
    manager: &BddManager,
    options: &CheckOptions,
    compress: bool,
) -> Result<Images<'a>, UnknownReason> {
    Images::new(program, Encoder::for_counting(program, manager.clone()), options, compress)
}

fn search(
    program: &FlatProgram,
    options: &CheckOptions,
    bound: u32,
    manager: &BddManager,
    statistics: &mut Statistics,
    progress: &mut dyn FnMut(Progress),
) -> Result<Found, LimitReached> {
    let images = match images(program, manager, options, true) {
        Ok(images) => images,
        Err(reason) => return Ok(Found::Stopped(reason)),
    };
    let independence = match Independence::if_wanted(program, &images.stops, options) {
        Ok(independence) => independence,
        Err(reason) => return Ok(Found::Stopped(reason)),
    };
    let mut search = Search::new(images, bound, independence, options)?;
    let mut explored = 0;
    while search.next().is_some() {
        if explored % INTERVAL == 0 {
            note(&search, statistics);
            progress(Progress { states: search.items.len(), depth: search.depth });
            if let Some(reason) = limits(&search, options, manager) {
                return Ok(Found::Stopped(reason));
            }
        }
        explored += 1;
        let step = search.step()?;
        note(&search, statistics);
        if let Step::Fails { item, class } = step {
            return Ok(match path::path(&mut search, item, class)? {
                Some(path) => Found::Path(path),
                None => Found::Stopped(UnknownReason::ReplayFailed(ReplayError::Failure)),
            });
        }
    }
    Ok(Found::Nothing)
}

fn note(search: &Search<'_>, statistics: &mut Statistics) {
    statistics.states = search.items.len();
    statistics.transitions = search.transitions;
    statistics.work = search.transitions as u64 * WORK;
    statistics.depth = search.depth;
    statistics.bytes = search.bytes();
    let figures = &search.images.figures;
    statistics.symbolic = Some(SymbolicStatistics {
        nodes: 0,
        images: figures.images,
        splices: figures.splices,
        cofactors: figures.cofactors,
        merges: search.merges,
    });
}

fn limits(
    search: &Search<'_>,
    options: &CheckOptions,
    manager: &BddManager,
) -> Option<UnknownReason> {
    if let Some(limit) = options.max_states.filter(|limit| search.items.len() > *limit) {
        return Some(UnknownReason::StateLimit(limit));
    }
    if let Err(reason) = options.allow(search.transitions as u64 * WORK) {
        return Some(reason);
    }
    let bytes = search.bytes() + manager.statistics().bytes;
    if options.memory_limit.is_some_and(|limit| bytes > limit) {
        return Some(UnknownReason::Exceeded(Exceeded::Memory));
    }
    options.stop()
}
