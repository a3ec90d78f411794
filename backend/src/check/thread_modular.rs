//! The `thread-modular` engine: BOPPO's over-approximation for any number of threads (section 3).
//!
//! Where there are few thread states, listing them is
//! quickest; where a step has very many results, or the list becomes long, which is a matter of
//! counted steps and not of time, it is computed over BDDs. Both are the same fixed point, but that
//! the reduction, which lists never use, leaves out states that show nothing new.
//!
//! A failing thread state is followed back to the beginning of the program, with a thread for each
//! other that it was told of. If the program has that run, or another with as many threads that is
//! found soon, it fails; otherwise the run is the over-approximation's own, and goes with the
//! answer for whoever can refine the program by it (section 3.2).

use sapa_bdd::LimitReached;
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, LocalVar, SharedVar};
use sapa_ir::boolean::trace::{Trace, Valuation};
use sapa_limits::Exceeded;

use super::analysis::liveness::Liveness;
use super::analysis::locks::lock_candidates;
use super::coverability::by_views;
use super::coverability::thread_states::thread_states;
use super::explicit::{self, trace_along};
use super::symbolic::budget::{Stop, WORK_PER_STEP, within_limits};
use super::symbolic::deep_stack;
use super::symbolic::held::Held;
use super::symbolic::script::{self, Script};
use super::symbolic::thread_states::run::run_to;
use super::symbolic::thread_states::search::{Ended, Search};
use super::symbolic::thread_states::variables::ThreadBdds;
use super::{
    Answer, CheckOptions, Engine, Method, Outcome, Progress, SafeFor, Statistics, Suspect,
    SuspectThread, ThreadBound, UnknownReason,
};

/// Safe is a proof for any number of threads; an error that it finds need not exist.
pub static ENGINE: Engine = Engine {
    name: "thread-modular",
    summary: "thread-visible states (BOPPO Fig. 3); proves for any number of threads",
    is_oracle: false,
    run: check,
};

/// How many steps are listed before BDDs are tried.
const LISTED: u64 = 1 << 18;

/// How much work a search for another run with the threads of one may do.
const REORDERING: u64 = 1 << 23;

/// The same of one for a run with fewer threads, for each number.
const FEWER: u64 = 1 << 21;

fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let few = options.max_work.map_or(LISTED, |most| most.min(LISTED));
    let few = CheckOptions { max_work: Some(few), ..options.clone() };
    let listed = by_views(&ENGINE, Method::ThreadStates, thread_states, program, &few, progress);
    match &listed.answer {
        Answer::Safe { .. } | Answer::Failing { .. } => return listed,
        Answer::Unknown(UnknownReason::Exceeded(Exceeded::Time | Exceeded::Interrupted)) => {
            return listed;
        }
        Answer::Imprecise(_) | Answer::Unknown(_) => {}
    }
    let spent = listed.statistics.work;
    let left = options.max_work.map(|most| most.saturating_sub(spent));
    if left == Some(0) {
        return listed;
    }
    let options = CheckOptions { max_work: left, ..options.clone() };
    let mut outcome = symbolic(program, &options, LockSets::Used, progress);
    outcome.statistics.work = outcome.statistics.work.saturating_add(spent);
    outcome
}

/// Whether threads that hold a lock both are taken to be impossible (condition (2d) of BOPPO
/// Definition 8). Without, answers are as right, and fewer are "safe".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LockSets {
    /// They are.
    Used,
    /// For tests that show what they are good for.
    #[cfg(test)]
    Ignored,
}

/// The engine over BDDs alone. [`CheckOptions::max_states`] limits BDD nodes.
pub(crate) fn symbolic(
    program: &FlatProgram,
    options: &CheckOptions,
    lock_sets: LockSets,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut statistics = Statistics::default();
    let answer = decide(program, options, lock_sets, &mut statistics, progress);
    Outcome::new(&ENGINE, answer, statistics)
}

fn decide(
    program: &FlatProgram,
    options: &CheckOptions,
    lock_sets: LockSets,
    statistics: &mut Statistics,
    progress: &mut dyn FnMut(Progress),
) -> Result<Answer, UnknownReason> {
    let mut locks = match lock_sets {
        LockSets::Used => lock_candidates(program),
        #[cfg(test)]
        LockSets::Ignored => Vec::new(),
    };
    loop {
        let held = Held::new(program, &locks);
        let variables = ThreadBdds::variables(&held.program);
        let explored = deep_stack::run(variables, progress, |progress| {
            explore(program, &held, options, statistics, progress)
        });
        match explored?? {
            Explored::Safe => {
                let threads = SafeFor::AllThreads;
                return Ok(Answer::Safe { threads, by: Method::ThreadStates });
            }
            Explored::Failing(suspect, script) => {
                return judge(program, options, suspect, script, statistics, progress);
            }
            // What protects nothing is no lock; once more without it.
            Explored::Foreign(holder) => locks = held.without(holder),
        }
    }
}

enum Explored {
    Safe,
    /// A thread state fails, with what is known of how it came about.
    Failing(Suspect, Option<Script>),
    /// The lock of this local is none.
    Foreign(LocalVar),
}

fn explore(
    program: &FlatProgram,
    held: &Held,
    options: &CheckOptions,
    statistics: &mut Statistics,
    progress: &mut dyn FnMut(Progress),
) -> Result<Explored, UnknownReason> {
    within_limits(options, statistics, |manager, statistics| {
        let mut system = ThreadBdds::new(program, held, manager.clone(), options)?;
        let mut search = Search::new(&mut system, options.partial_order_reduction);
        let mut visits: usize = 0;
        let before = statistics.work;
        let ended = search.run::<Stop>(true, &mut |search| {
            visits += 1;
            if visits.is_multiple_of(64) {
                progress(Progress { states: search.events(), depth: 0 });
            }
            let work = manager.work().saturating_mul(WORK_PER_STEP);
            options.allow(before.saturating_add(work))?;
            options.stop().map_or(Ok(()), |reason| Err(reason.into()))
        });
        statistics.states = search.events();
        statistics.symbolic.get_or_insert_default().images += search.images;
        let (node, time) = match ended? {
            Ended::Closed => {
                if let Some(proof) = &options.proof {
                    proof.of_thread_states(program, &mut search, &options.limits)?;
                }
                return Ok(Explored::Safe);
            }
            Ended::Foreign(holder) => return Ok(Explored::Foreign(holder)),
            Ended::Failing { node, time } => (node, time),
        };
        let state = search.failing_state(node, time)?;
        let (shared, locals) = state.ok_or(UnknownReason::Internal("no thread state fails"))?;
        let location = search.nodes[node].location;
        let suspect = Suspect {
            shared,
            threads: vec![SuspectThread { location, locals, count: Some(1) }],
            assertion: program.location(location).position,
            steps: Vec::new(),
        };
        // A limit that is reached now says less than the failure.
        let script = run_to(&mut search, node, time).unwrap_or_default();
        Ok(Explored::Failing(suspect, script))
    })
}

/// Whether a failing thread state is in a run: in one with just these steps, or with these steps
/// in another order.
fn judge(
    program: &FlatProgram,
    options: &CheckOptions,
    mut suspect: Suspect,
    script: Option<Script>,
    statistics: &mut Statistics,
    progress: &mut dyn FnMut(Progress),
) -> Result<Answer, UnknownReason> {
    let Some(script) = script else { return Ok(Answer::Imprecise(suspect)) };
    let by = Method::ThreadStates;
    let followed = deep_stack::run(script::variables(program, &script), progress, |_| {
        within_limits(options, statistics, |manager, _| {
            let liveness = Liveness::new(program, options)?;
            Ok(script::follow(program, &liveness, &script, options.threads, manager)?)
        })
    });
    if let Ok(Ok(Some(path))) = followed
        && let Ok(trace) = trace_along(program, options, &path)
    {
        let trace = with_fewer_threads(program, options, trace, statistics, progress);
        return Ok(Answer::Failing { trace, by });
    }
    if let Some(reason) = options.stop() {
        return Err(reason);
    }
    let others = script.threads() as u32 - 1;
    let others = options.threads.limit().map_or(others, |limit| limit.min(others));
    // The same steps in another order; and others, as there can be several ways into a failure, of
    // which this one need not be one of the program.
    let all = waiting(program);
    let its_own = script.only_its_steps(&all);
    for tried in [&its_own, &all] {
        let left = options.max_work.map(|most| most.saturating_sub(statistics.work));
        let few = CheckOptions {
            threads: ThreadBound::Bounded(others),
            max_work: left.into_iter().chain([REORDERING]).min(),
            ..options.clone()
        };
        let outcome = (explicit::ENGINE.run)(tried, &few, progress);
        statistics.work = statistics.work.saturating_add(outcome.statistics.work);
        if let Answer::Failing { trace, .. } = outcome.answer {
            return Ok(Answer::Failing { trace, by });
        }
    }
    suspect.steps = script.steps(program).unwrap_or_default();
    Ok(Answer::Imprecise(suspect))
}

/// The program with starts that wait where there is no room for a thread: then a run with few threads
/// is one whatever the bound.
fn waiting(program: &FlatProgram) -> FlatProgram {
    let mut program = program.clone();
    for location in &mut program.locations {
        if let FlatStatement::StartThread { waits, .. } = &mut location.statement {
            *waits = true;
        }
    }
    program
}

/// A run with as few threads as possible if it is found soon, else the one that is there.
fn with_fewer_threads(
    program: &FlatProgram,
    options: &CheckOptions,
    trace: Trace,
    statistics: &mut Statistics,
    progress: &mut dyn FnMut(Progress),
) -> Trace {
    let program = waiting(program);
    for others in 0..trace.most_started() {
        let few = CheckOptions {
            threads: ThreadBound::Bounded(others),
            max_work: options.max_work.into_iter().chain([FEWER]).min(),
            ..options.clone()
        };
        let outcome = (explicit::ENGINE.run)(&program, &few, progress);
        statistics.work = statistics.work.saturating_add(outcome.statistics.work);
        match outcome.answer {
            Answer::Failing { trace, .. } => return trace,
            Answer::Safe { .. } => {}
            Answer::Imprecise(_) | Answer::Unknown(_) => break,
        }
    }
    trace
}

impl Search<'_, '_> {
    /// How many times states were added.
    fn events(&self) -> usize {
        self.nodes.iter().map(|node| node.events.len()).sum()
    }

    /// A state of a node in which its assertion fails, from before some time.
    fn failing_state(
        &self,
        node: usize,
        time: u32,
    ) -> Result<Option<(Valuation, Valuation)>, LimitReached> {
        let node = &self.nodes[node];
        let Some(fails) = self.system.fails(node.location)? else { return Ok(None) };
        let before = node.events.partition_point(|event| event.time < time);
        let Some(event) = before.checked_sub(1).map(|at| &node.events[at]) else {
            return Ok(None);
        };
        let Some(cube) = event.states.and(&fails)?.pick_cube() else { return Ok(None) };
        let value = |variable| cube.value(variable).unwrap_or(false);
        let program = self.system.program();
        let shared = (0..program.shared.len()).map(|v| SharedVar(v as u32));
        let locals = (0..self.system.held.own_locals()).map(|v| LocalVar(v as u32));
        Ok(Some((
            shared.map(|v| value(self.system.shared(v).current)).collect(),
            locals.map(|v| value(self.system.local(v).current)).collect(),
        )))
    }
}
