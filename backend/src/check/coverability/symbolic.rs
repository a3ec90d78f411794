//! The attempts over BDDs: thread states, pairs of threads, and backwards. They are what is left
//! where steps have more results than can be listed, and take turns with the others where there
//! are just very many states.

use sapa_bdd::LimitReached;
use sapa_ir::boolean::flat::{FlatProgram, LocalVar};

use super::ENGINE;
use crate::check::analysis::liveness::Liveness;
use crate::check::analysis::locks::lock_candidates;
use crate::check::explicit::trace_along;
use crate::check::symbolic::budget::{Stop, WORK_PER_STEP, within_limits};
use crate::check::symbolic::deep_stack;
use crate::check::symbolic::held::Held;
use crate::check::symbolic::named::backward::{Backward, Search};
use crate::check::symbolic::named::pairs::{PairViews, View};
use crate::check::symbolic::named::slots::Slots;
use crate::check::symbolic::script::{self, Script};
use crate::check::thread_modular::{LockSets, symbolic as thread_states};
use crate::check::{
    Answer, CheckOptions, Method, Outcome, Progress, SafeFor, Statistics, Suspect, SuspectThread,
    UnknownReason,
};

/// Slots for threads in the first search; it is begun again with twice as many where these are few.
const FIRST_SLOTS: usize = 6;

/// More threads are not named.
const MOST_SLOTS: usize = 48;

/// How far to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// What pairs are seen doing.
    Pairs,
    /// All of it.
    All,
}

/// Runs the attempts until one has an answer.
pub(crate) fn symbolic(
    program: &FlatProgram,
    options: &CheckOptions,
    extent: Extent,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut statistics = Statistics::default();
    let mut seen = None;
    if extent == Extent::All {
        let outcome = thread_states(program, options, LockSets::Used, progress);
        statistics = outcome.statistics;
        match outcome.answer {
            Answer::Imprecise(suspect) => seen = Some(suspect),
            answer => return Outcome::new(&ENGINE, Ok(answer), statistics),
        }
    }
    let held = Held::new(program, &lock_candidates(program));
    let mut count = FIRST_SLOTS;
    let answer = loop {
        let variables = Slots::variables(&held.program, count);
        let explored = deep_stack::run(variables, progress, |progress| {
            explore((program, &held), count, options, extent, &mut statistics, progress)
        });
        match explored.and_then(|explored| explored) {
            Ok(Explored::Safe(by)) => {
                break Ok(Answer::Safe { threads: SafeFor::AllThreads, by });
            }
            Ok(Explored::Suspect(suspect)) => {
                break Ok(Answer::Imprecise(seen.unwrap_or(suspect)));
            }
            Ok(Explored::Run(script)) => {
                let answer = follow(program, options, &script, &mut statistics, progress);
                break match (answer, seen) {
                    // Somebody blocks a broadcast, or there may not be so many threads.
                    (Ok(None), Some(seen)) => Ok(Answer::Imprecise(seen)),
                    (Ok(None), None) => Err(UnknownReason::Undecided),
                    (Ok(Some(answer)), _) => Ok(answer),
                    (Err(reason), _) => Err(reason),
                };
            }
            Ok(Explored::MoreSlots) if count < MOST_SLOTS => count *= 2,
            Ok(Explored::MoreSlots) => break Err(UnknownReason::Undecided),
            Err(reason) => break Err(reason),
        }
    };
    Outcome::new(&ENGINE, answer, statistics)
}

enum Explored {
    Safe(Method),
    Suspect(Suspect),
    Run(Script),
    MoreSlots,
}

fn explore(
    (program, held): (&FlatProgram, &Held),
    count: usize,
    options: &CheckOptions,
    extent: Extent,
    statistics: &mut Statistics,
    progress: &mut dyn FnMut(Progress),
) -> Result<Explored, UnknownReason> {
    within_limits(options, statistics, |manager, statistics| {
        let before = statistics.work;
        let mut visits: usize = 0;
        let mut visit = |states: usize| -> Result<(), Stop> {
            visits += 1;
            if visits.is_multiple_of(64) {
                progress(Progress { states, depth: 0 });
            }
            let work = manager.work().saturating_mul(WORK_PER_STEP);
            options.allow(before.saturating_add(work))?;
            options.stop().map_or(Ok(()), |reason| Err(reason.into()))
        };
        let mut slots = Slots::new(program, held, count, manager.clone(), options)?;
        let mut views = PairViews::new(&mut slots);
        let pairs = views.run::<Stop>(&mut |views| visit(views.len()));
        statistics.states = statistics.states.max(views.len());
        statistics.symbolic.get_or_insert_default().images += views.images;
        pairs?;
        let Some(failing) = views.failing else {
            if let Some(proof) = &options.proof {
                proof.of_pairs(program, &views, &[], Method::PairsOfThreads, &options.limits)?;
            }
            return Ok(Explored::Safe(Method::PairsOfThreads));
        };
        if extent == Extent::Pairs {
            let suspect = suspect(program, &views, failing)?;
            let suspect = suspect.ok_or(UnknownReason::Internal("no view fails"))?;
            return Ok(Explored::Suspect(suspect));
        }
        let mut search = Search::new(&mut views);
        let found = search.run::<Stop>(&mut |search| visit(search.elements.len()));
        statistics.states += search.elements.len();
        statistics.symbolic.get_or_insert_default().images += search.images;
        Ok(match found? {
            Backward::Safe => {
                if let Some(proof) = &options.proof {
                    let (views, elements) = (&*search.views, &search.elements);
                    proof.of_pairs(program, views, elements, Method::Backward, &options.limits)?;
                }
                Explored::Safe(Method::Backward)
            }
            Backward::Unsafe(script) => Explored::Run(script),
            Backward::MoreSlots => Explored::MoreSlots,
        })
    })
}

/// A failing state of a view of one thread.
fn suspect(
    program: &FlatProgram,
    views: &PairViews<'_, '_>,
    failing: View,
) -> Result<Option<Suspect>, LimitReached> {
    let (slot, location) = match (failing.inside, failing.outside[0]) {
        (Some(location), None) => (0, location),
        (_, Some(location)) => (1, location),
        (None, None) => return Ok(None),
    };
    let Some(fails) = views.slots.fails(slot, location)? else { return Ok(None) };
    let Some(states) = views.states(&failing) else { return Ok(None) };
    let Some(cube) = states.and(&fails)?.pick_cube() else { return Ok(None) };
    let value = |variable| cube.value(variable).unwrap_or(false);
    let shared = views.slots.shared().map(value).collect();
    let locals = (0..program.locals.len()).map(|v| LocalVar(v as u32));
    let locals = locals.map(|v| value(views.slots.local(slot, v))).collect();
    Ok(Some(Suspect {
        shared,
        threads: vec![SuspectThread { location, locals, count: Some(1) }],
        assertion: program.location(location).position,
        steps: Vec::new(),
    }))
}

/// The run of a script, if the program has it.
fn follow(
    program: &FlatProgram,
    options: &CheckOptions,
    script: &Script,
    statistics: &mut Statistics,
    progress: &mut dyn FnMut(Progress),
) -> Result<Option<Answer>, UnknownReason> {
    let path = deep_stack::run(script::variables(program, script), progress, |_| {
        within_limits(options, statistics, |manager, _| {
            let liveness = Liveness::new(program, options)?;
            Ok(script::follow(program, &liveness, script, options.threads, manager)?)
        })
    })??;
    let Some(path) = path else { return Ok(None) };
    let trace = trace_along(program, options, &path)?;
    Ok(Some(Answer::Failing { trace, by: Method::Backward }))
}
