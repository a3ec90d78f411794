//! The `coverability` engine: exact in principle for any number of threads, as the programs are
//! well-structured: more threads never disable a step.
//!
//! `cover` makes the attempts over lists of states: what single threads see, what pairs see, backwards
//! from the failing configurations, and expanding and enlarging in turn. `symbolic` makes the
//! first three of them over BDDs; the two take turns. Where a broadcast's
//! constraint can block, or an invariant cuts states off, the program is not monotone; a proof and a run are
//! then still right, but it may be that neither is found.

mod backward;
mod cover;
mod enlarge;
mod expand;
pub(crate) mod flat_threads;
pub(crate) mod marking;
pub(crate) mod named_run;
pub(crate) mod pairs;
pub(crate) mod symbolic;
#[cfg(test)]
mod table_system;
pub(crate) mod thread_states;
mod thread_steps;
pub(crate) mod thread_system;

use std::ops::ControlFlow;

use sapa_ir::boolean::flat::FlatProgram;
use sapa_limits::Exceeded;

use super::explicit::trace_along;
use super::{
    Answer, CheckOptions, Engine, Method, Outcome, Progress, SafeFor, Statistics, ThreadBound,
    UnknownReason,
};
pub(crate) use cover::Effort;
use cover::{Covered, cover};
use flat_threads::FlatThreads;
use marking::{Count, Marking};
use named_run::{NamedRun, name_threads};
use symbolic::{Extent, symbolic};
use thread_states::Views;
use thread_system::{Budget, ThreadSystem};

/// Safe is for any number of threads, whatever the bound; with a bound, runs that depend on a
/// `start_thread` being skipped are not found, so the answer may be unknown.
pub static ENGINE: Engine = Engine {
    name: "coverability",
    summary: "views of threads, then backwards, then expand and enlarge; any number of threads",
    is_oracle: false,
    run: check,
};

/// As [`check`], but gives up where that would take long.
pub(super) fn attempt(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut turns = Turns::new(program, options);
    let _ = turns.lists(&Effort::LITTLE, u64::MAX, progress).is_break()
        || turns.sets(LITTLE_WORK, progress).is_break();
    turns.outcome()
}

pub(super) fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut turns = Turns::new(program, options);
    let mut most = FIRST_WORK;
    while turns.can_go_on() {
        if turns.lists(&Effort::FULL, most, progress).is_break()
            || turns.sets(most, progress).is_break()
        {
            break;
        }
        most = most.saturating_mul(LONGER);
    }
    turns.outcome()
}

/// The work of lists and of BDDs in their first turns: a second or two.
const FIRST_WORK: u64 = 1 << 26;

/// How many times longer each turn is than the one before.
const LONGER: u64 = 4;

/// The work of BDDs in an attempt that gives up where it would take long.
const LITTLE_WORK: u64 = 1 << 25;

/// Two ways of keeping states, which take turns: as lists (`cover`), and as BDDs (`symbolic`). Who
/// needs less cannot be known before; that is counted in work and not in time.
struct Turns<'a> {
    program: &'a FlatProgram,
    options: &'a CheckOptions,
    /// What each came to, if it had a turn; and whether it would go on with more work.
    listed: (Option<Outcome>, bool),
    built: (Option<Outcome>, bool),
    /// The work so far.
    work: u64,
    /// Whether the one that had the last turn has the answer.
    by_lists: bool,
}

impl<'a> Turns<'a> {
    fn new(program: &'a FlatProgram, options: &'a CheckOptions) -> Self {
        let (listed, built) = ((None, true), (None, true));
        Turns { program, options, listed, built, work: 0, by_lists: true }
    }

    fn can_go_on(&self) -> bool {
        self.listed.1 || self.built.1
    }

    /// What is left of this much work; `None` if there was more before.
    fn within(&self, most: u64) -> CheckOptions {
        let left = self.options.max_work.map(|all| all.saturating_sub(self.work));
        let max_work = left.into_iter().chain([most]).min();
        CheckOptions { max_work, ..self.options.clone() }
    }

    /// A turn with lists.
    fn lists(
        &mut self,
        effort: &Effort,
        most: u64,
        progress: &mut dyn FnMut(Progress),
    ) -> ControlFlow<()> {
        if !self.listed.1 {
            return ControlFlow::Continue(());
        }
        let options = self.within(most);
        let mut budget = Budget::new(&options, progress);
        let effort = match self.program.invariants.is_empty() {
            true => effort,
            false => &effort.least(&Effort::NOT_MONOTONE),
        };
        let answer = decide(self.program, &options, effort, &mut budget);
        let outcome = Outcome::new(&ENGINE, answer, budget.statistics);
        let (flow, goes_on) = self.judge(&outcome);
        self.listed = (Some(outcome), goes_on);
        self.by_lists = true;
        flow
    }

    /// A turn with BDDs.
    fn sets(&mut self, most: u64, progress: &mut dyn FnMut(Progress)) -> ControlFlow<()> {
        let is_same = matches!(&self.listed.0, Some(outcome)
            if outcome.answer == Answer::Unknown(UnknownReason::Undecided));
        // Where lists came to their end without an answer, sets would as well.
        if !self.built.1 || is_same {
            self.built.1 = false;
            return ControlFlow::Continue(());
        }
        let outcome = symbolic(self.program, &self.within(most), Extent::All, progress);
        let (flow, goes_on) = self.judge(&outcome);
        self.built = (Some(outcome), goes_on);
        self.by_lists = false;
        flow
    }

    /// Whether an outcome ends all turns, and whether its own may come again.
    fn judge(&mut self, outcome: &Outcome) -> (ControlFlow<()>, bool) {
        self.work = self.work.saturating_add(outcome.statistics.work);
        let is_spent = self.options.max_work.is_some_and(|most| self.work >= most);
        let (ends, goes_on) = match &outcome.answer {
            Answer::Safe { .. } | Answer::Failing { .. } => (true, false),
            Answer::Imprecise(_) => (is_spent, false),
            Answer::Unknown(reason) => match reason {
                UnknownReason::WorkLimit => (is_spent, true),
                UnknownReason::Exceeded(Exceeded::Time | Exceeded::Interrupted)
                | UnknownReason::Internal(_)
                | UnknownReason::ReplayFailed(_) => (true, false),
                _ => (is_spent, false),
            },
        };
        (if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }, goes_on)
    }

    /// What there is to say: who has an answer, or else who knows most.
    fn outcome(self) -> Outcome {
        let (listed, built) = (self.listed.0, self.built.0);
        let rank = |outcome: &Outcome| match &outcome.answer {
            Answer::Safe { .. } | Answer::Failing { .. } => 4,
            Answer::Unknown(
                UnknownReason::Exceeded(Exceeded::Time | Exceeded::Interrupted)
                | UnknownReason::Internal(_)
                | UnknownReason::ReplayFailed(_),
            ) => 3,
            Answer::Imprecise(_) => 2,
            Answer::Unknown(UnknownReason::Undecided | UnknownReason::Unsupported(_)) => 0,
            Answer::Unknown(_) => 1,
        };
        let (first, second) = if self.by_lists { (listed, built) } else { (built, listed) };
        let best = match (first, second) {
            (Some(first), Some(second)) if rank(&second) > rank(&first) => second,
            (Some(first), _) => first,
            (None, Some(second)) => second,
            (None, None) => ENGINE.unknown(UnknownReason::Undecided),
        };
        Outcome { statistics: Statistics { work: self.work, ..best.statistics }, ..best }
    }
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
    let answer = views(&mut system, &mut budget).and_then(|views| match views.candidate {
        None => {
            budget.prove(views, Vec::new());
            prove(&system, &mut budget, by)?;
            Ok(Answer::Safe { threads: SafeFor::AllThreads, by })
        }
        Some((shared, local)) => Ok(Answer::Imprecise(system.suspect(shared, local, &[]))),
    });
    Outcome::new(engine, answer, budget.statistics)
}

/// Makes a certificate of what was proved, if somebody wants it.
fn prove(
    system: &FlatThreads<'_>,
    budget: &mut Budget<'_>,
    by: Method,
) -> Result<(), UnknownReason> {
    match (&budget.options.proof, budget.proved.take()) {
        (Some(proof), Some(proved)) => proof.of_lists(system, &proved, by, &budget.options.limits),
        _ => Ok(()),
    }
}

fn decide(
    program: &FlatProgram,
    options: &CheckOptions,
    effort: &Effort,
    budget: &mut Budget<'_>,
) -> Result<Answer, UnknownReason> {
    let mut system = FlatThreads::new(program, options)?;
    let (run, by) = match cover_within(&mut system, effort, options.threads, budget)? {
        Decided::Safe(by) => {
            prove(&system, budget, by)?;
            return Ok(Answer::Safe { threads: SafeFor::AllThreads, by });
        }
        Decided::Candidate(marking) => return suspect(&system, &marking),
        Decided::Unsafe(run, by) => (run, by),
    };
    let trace = trace_along(program, options, &system.path(&run))?;
    Ok(Answer::Failing { trace, by })
}

/// The answer of [`cover`], with a name for each thread.
pub(super) enum Decided {
    Safe(Method),
    Unsafe(NamedRun, Method),
    Candidate(Marking),
}

/// As [`cover`], with no more threads in a run than the bound.
pub(super) fn cover_within<S: ThreadSystem>(
    system: &mut S,
    effort: &Effort,
    threads: ThreadBound,
    budget: &mut Budget<'_>,
) -> Result<Decided, UnknownReason> {
    let (mut population, others) = match threads {
        ThreadBound::Bounded(others) => (others.saturating_add(1), others),
        ThreadBound::Unbounded => (Count::MAX, Count::MAX),
    };
    loop {
        match cover(system, effort, population, budget)? {
            Covered::Safe(by) => return Ok(Decided::Safe(by)),
            Covered::Candidate(marking) => return Ok(Decided::Candidate(marking)),
            Covered::Unsafe(run, by) => match name_threads(&run) {
                // The initial thread does not count for the bound; once it ended, the whole
                // population may be others. Then one less is on the safe side.
                Some(run) if run.most_started() > others => population = others.max(1),
                run => {
                    return run.map(|run| Decided::Unsafe(run, by)).ok_or(UnknownReason::Undecided);
                }
            },
        }
    }
}

/// The answer where a marking was neither refuted nor reached.
fn suspect(system: &FlatThreads<'_>, marking: &Marking) -> Result<Answer, UnknownReason> {
    let fails = |&&(local, _): &&(_, Count)| system.known_to_fail(marking.shared, local);
    let &(failing, _) = marking.counts().iter().find(fails).ok_or(UnknownReason::Undecided)?;
    let mut others = marking.clone();
    others.remove_one(failing);
    Ok(Answer::Imprecise(system.suspect(marking.shared, failing, others.counts())))
}
