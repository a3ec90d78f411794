//! The `plain` engine: BOOM's reference, symbolic without symmetry reduction. Shared variables,
//! and one copy of location and locals for each thread; breadth-first, exact.

#[cfg(test)]
mod reachable;

use sapa_bdd::{Bdd, BddManager, LimitReached, ManagerOptions};
use sapa_ir::boolean::flat::{FlatProgram, LocationId};
use sapa_limits::Limits;

#[cfg(test)]
pub(crate) use reachable::reachable;

use super::deep_stack;
use super::encode::Encoder;
use super::layout::{Relation, SlotState};
use super::rings::{Reached, SymbolicRun, reach};
use crate::check::analysis::independence::Independence;
use crate::check::analysis::stops::stops;
use crate::check::{
    Answer, CheckOptions, Engine, Method, Outcome, Progress, SafeFor, Statistics, UnknownReason,
};
use sapa_ir::boolean::trace::{Step, ThreadState, Trace, TraceState};

/// More thread slots than BDDs could ever hold.
const MOST_THREADS: u32 = 1000;

/// The [`Statistics::work`] of an image.
const WORK: u64 = 1 << 16;

/// Searches the states with at most the given number of threads. `max_states` limits BDD nodes here.
pub static ENGINE: Engine = Engine {
    name: "plain",
    summary: "BDDs, one copy of the locals per thread; exact, N threads",
    is_oracle: false,
    run: check,
};

/// Work for one BDD node: an image can take long by itself, so its nodes count too where engines
/// take turns.
const WORK_PER_NODE: u64 = 1 << 6;

/// As the engine, with nodes as work: more nodes than the work allows are too much work.
pub(crate) fn within_work(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let nodes = options.max_work.map(|work| (work / WORK_PER_NODE) as usize);
    let max_states = [options.max_states, nodes].into_iter().flatten().min();
    let mut outcome = check(program, &CheckOptions { max_states, ..options.clone() }, progress);
    if let Answer::Unknown(UnknownReason::StateLimit(limit)) = outcome.answer {
        // No work is counted while the relations are built, only nodes.
        let work = (limit as u64).saturating_mul(WORK_PER_NODE).max(1);
        outcome.statistics.work = outcome.statistics.work.max(work);
        if Some(limit) != options.max_states {
            outcome.answer = Answer::Unknown(UnknownReason::WorkLimit);
        }
    }
    outcome
}

fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let others = match bound(options) {
        Ok(others) => others,
        Err(reason) => return ENGINE.unknown(reason),
    };
    deep_stack::run(Encoder::variables(program, others as usize + 1), progress, |progress| {
        run(program, options, others, progress)
    })
    .unwrap_or_else(|reason| ENGINE.unknown(reason))
}

fn run(
    program: &FlatProgram,
    options: &CheckOptions,
    others: u32,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut statistics = Statistics::default();
    let defaults = ManagerOptions::default();
    let node_limit = defaults.node_limit.min(options.max_states.unwrap_or(usize::MAX));
    let manager = BddManager::with_options(ManagerOptions {
        node_limit,
        memory_limit: options.memory_limit,
        limits: options.limits.clone(),
        ..defaults
    });
    let result = explore(program, options, others, manager.clone(), &mut statistics, progress);
    statistics.bytes = manager.statistics().bytes;
    statistics.symbolic.get_or_insert_default().nodes = manager.statistics().peak_nodes;
    let by = Method::AllStates;
    let answer = match result {
        Ok(Explored::Safe) => Ok(Answer::Safe { threads: SafeFor::Threads(others), by }),
        Ok(Explored::Unsafe(trace)) => Ok(Answer::Failing { trace, by }),
        Ok(Explored::Stopped(reason)) => Err(reason),
        Err(LimitReached::Nodes(limit)) if options.max_states == Some(limit) => {
            Err(UnknownReason::StateLimit(limit))
        }
        Err(limit) => Err(limit.into()),
    };
    Outcome::new(&ENGINE, answer, statistics)
}

fn bound(options: &CheckOptions) -> Result<u32, UnknownReason> {
    let others = options.bound()?;
    if others > MOST_THREADS {
        let what = format!("more than {MOST_THREADS} threads");
        return Err(UnknownReason::Unsupported(what));
    }
    Ok(others)
}

/// An image computation: a set of states, and the conjuncts of a step relation, each with the
/// variables that are quantified away once it is applied. For benchmarks of BDD engines.
#[derive(Clone, Debug)]
pub struct ImageProblem {
    /// The states before.
    pub set: Bdd,
    /// Conjunct and cube, to be applied in order with [`Bdd::and_exists`].
    pub conjuncts: Vec<(Bdd, Bdd)>,
}

/// The largest image computations of a breadth-first search with this many threads besides the
/// initial one, at most `count` and largest set first. The search ends early when it has many.
///
/// # Errors
/// If the BDDs grow beyond the default limits.
pub fn image_problems(
    program: &FlatProgram,
    others: u32,
    count: usize,
) -> Result<Vec<ImageProblem>, LimitReached> {
    /// Rounds and nodes after which no more images are looked at.
    const ROUNDS: usize = 60;
    const NODES: usize = 20_000;
    let manager = BddManager::new();
    let encoder = Encoder::new(program, manager.clone(), others as usize + 1);
    let relations = encoder.relations(&Limits::default())?;
    let mut reached = encoder.initial()?;
    let mut frontier = reached.clone();
    let mut problems = Vec::new();
    for _ in 0..ROUNDS {
        let mut found = manager.bottom();
        for relation in &relations {
            let image = relation.image(&frontier)?;
            if !image.is_false() {
                problems
                    .push(ImageProblem { set: frontier.clone(), conjuncts: relation.conjuncts() });
            }
            found = found.or(&image)?;
        }
        frontier = found.minus(&reached)?;
        reached = reached.or(&frontier)?;
        if frontier.is_false() || frontier.size() > NODES {
            break;
        }
    }
    problems.sort_by_key(|problem| std::cmp::Reverse(problem.set.size()));
    problems.truncate(count);
    Ok(problems)
}

enum Explored {
    Safe,
    Unsafe(Trace),
    Stopped(UnknownReason),
}

fn explore(
    program: &FlatProgram,
    options: &CheckOptions,
    others: u32,
    manager: BddManager,
    statistics: &mut Statistics,
    progress: &mut dyn FnMut(Progress),
) -> Result<Explored, LimitReached> {
    let encoder = Encoder::new(program, manager.clone(), others as usize + 1);
    let (initial, allowed) = (encoder.initial()?, encoder.allowed()?);
    let bad = encoder.bad()?;
    let relations = encoder.relations(&options.limits)?;
    let explored = match Independence::if_wanted(program, &stops(program, false), options) {
        Ok(Some(independence)) => Some(encoder.explored(&independence, &relations)?),
        Ok(None) => None,
        Err(reason) => return Ok(Explored::Stopped(reason)),
    };
    let mut stop = |rounds: usize| {
        let symbolic = statistics.symbolic.get_or_insert_default();
        symbolic.images += 1;
        statistics.depth = rounds;
        statistics.work += WORK;
        if symbolic.images.is_multiple_of(64) {
            progress(Progress { states: manager.statistics().nodes, depth: rounds });
        }
        options.allow(statistics.work).err().or_else(|| options.stop())
    };
    Ok(
        match reach(
            &encoder.layout,
            (&initial, &allowed),
            &relations,
            &bad,
            explored.as_deref(),
            &mut stop,
        )? {
            Reached::NoneOf(_) => Explored::Safe,
            Reached::Stopped(reason) => Explored::Stopped(reason),
            Reached::Bad(run) => match trace(program, &relations, &run) {
                Some(trace) => Explored::Unsafe(trace),
                None => Explored::Stopped(UnknownReason::Internal("a run without a failure")),
            },
        },
    )
}

/// The run with threads numbered as traces do: a started thread gets one more than the highest
/// number in use.
fn trace(program: &FlatProgram, relations: &[Relation], run: &SymbolicRun) -> Option<Trace> {
    let mut numbers: Vec<Option<u32>> =
        run.initial.slots.iter().map(|slot| slot.as_ref().map(|_| 0)).collect();
    let initial = named(&run.initial, &numbers);
    let mut steps = Vec::with_capacity(run.steps.len());
    for (relation, after) in &run.steps {
        let relation = &relations[*relation];
        let thread = numbers[relation.slot]?;
        let highest = numbers.iter().flatten().max().copied().unwrap_or(0);
        for (number, occupant) in numbers.iter_mut().zip(&after.slots) {
            // At most one slot is filled in a step.
            *number = occupant.as_ref().map(|_| number.unwrap_or(highest + 1));
        }
        let successor = after.slots[relation.slot].as_ref().map(|(at, _)| LocationId(*at as u32));
        steps.push(Step {
            thread,
            location: LocationId(relation.location as u32),
            successor,
            state: named(after, &numbers),
        });
    }
    let last = steps.last().map_or(&initial, |step| &step.state);
    let (failing_thread, failing_location) =
        crate::check::semantics::simple::failure(program, last)?;
    Some(Trace { initial, steps, failing_thread, failing_location })
}

fn named(state: &SlotState, numbers: &[Option<u32>]) -> TraceState {
    let occupied = state.slots.iter().zip(numbers).filter_map(|(slot, number)| {
        let ((location, locals), thread) = (slot.as_ref()?, (*number)?);
        let location = LocationId(*location as u32);
        Some(ThreadState { thread, location, locals: locals.iter().copied().collect() })
    });
    let mut threads: Vec<ThreadState> = occupied.collect();
    threads.sort_by_key(|state| state.thread);
    TraceState {
        shared: state.shared.iter().copied().collect(),
        threads,
        atomic: state.holder.and_then(|slot| numbers[slot]),
    }
}
