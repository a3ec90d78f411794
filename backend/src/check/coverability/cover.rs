//! The attempts to decide whether a failing configuration can be reached, each with a limit on
//! what it keeps: thread states, pairs of threads, backwards, and then Expand, Enlarge and Check
//! (Geeraerts, Raskin, Van Begin), over- and under-approximations of rising precision in turn.

use std::ops::RangeInclusive;

use sapa_limits::Exceeded;

use super::backward::{Backward, backward};
use super::enlarge::{Enlarged, Precision, enlarge};
use super::expand::{CountedRun, expand};
use super::marking::{Count, Marking};
use super::pairs::pair_views;
use super::thread_states::thread_states;
use super::thread_system::{Budget, ThreadSystem};
use crate::check::{Method, UnknownReason};

/// The answer, for unboundedly many threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Covered {
    /// No configuration with a failing thread is reachable.
    Safe(Method),
    /// A real run into a failing assertion.
    Unsafe(CountedRun, Method),
    /// A failing marking that was neither refuted nor reached.
    Candidate(Marking),
}

/// How much is tried without limits in the options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Rounds of expanding and enlarging.
    rounds: u32,
    /// How many thread states the first attempt may keep.
    thread_states: usize,
    /// How many pairs of threads the second attempt may keep.
    pairs: usize,
    /// How many minimal configurations the backward search may keep.
    backward: usize,
    /// How many steps all attempts together may look at.
    work: u64,
}

impl Effort {
    /// As much as there is time and memory for.
    pub(crate) const FULL: Effort = Effort {
        rounds: 12,
        thread_states: 1 << 20,
        pairs: 1 << 21,
        backward: 1 << 20,
        work: u64::MAX,
    };
    /// Views and backwards alone.
    pub(crate) const BACKWARD: Effort = Effort { rounds: 0, ..Effort::FULL };
    /// Expanding and enlarging alone.
    pub(crate) const ENLARGING: Effort = Effort { thread_states: 0, ..Effort::FULL };
    /// For programs with invariants, which are not monotone: there may be neither a proof nor a run, and
    /// the search would go on. The rounds find runs of few threads.
    pub(crate) const NOT_MONOTONE: Effort = Effort {
        rounds: 3,
        thread_states: 1 << 20,
        pairs: 1 << 21,
        backward: 1 << 16,
        work: 1 << 27,
    };
    /// Proofs and short runs that keep few states and look at few steps; no expanding and
    /// enlarging. The work is a second or two, twice what any program of `benchmarks/boolean` needs.
    pub(crate) const LITTLE: Effort = Effort {
        rounds: 0,
        thread_states: 1 << 17,
        pairs: 1 << 17,
        backward: 1 << 14,
        work: 1 << 26,
    };
}

impl Effort {
    /// No more than either.
    pub(crate) fn least(&self, other: &Self) -> Self {
        Self {
            rounds: self.rounds.min(other.rounds),
            thread_states: self.thread_states.min(other.thread_states),
            pairs: self.pairs.min(other.pairs),
            backward: self.backward.min(other.backward),
            work: self.work.min(other.work),
        }
    }
}

/// States one half may keep in the first round; it grows with the rounds up to the budget. Thus
/// neither half starves the other.
const FIRST_STATES: usize = 1 << 14;

/// How many threads are looked at before pairs are, the initial one among them.
const FEW: Count = 3;

/// The first round's [`Precision::width`].
const FIRST_WIDTH: usize = 1;

/// Decides whether a failing configuration is reachable, or says which limit ended the attempts.
/// Round `r` counts up to `r` when it enlarges and allows `r + 1` threads (but no more than
/// `threads`) when it expands. A half that is stopped in a round is tried again in the next with
/// more room, at the same precision.
pub(crate) fn cover<S: ThreadSystem>(
    system: &mut S,
    effort: &Effort,
    threads: Count,
    budget: &mut Budget<'_>,
) -> Result<Covered, UnknownReason> {
    let all = budget.states;
    budget.work = budget.work.min(effort.work);
    let mut candidate = None;
    let (mut cut_off, mut stopped) = (None, None);
    let mut seen_to_fail = None;
    let mut precision = Precision { limit: 1, width: FIRST_WIDTH };
    let mut population = 2.min(threads);
    // A cheap proof first: what single threads see is often enough.
    budget.states = all.min(effort.thread_states);
    match thread_states(system, budget) {
        Ok(views) if views.candidate.is_none() => {
            budget.prove(views, Vec::new());
            return Ok(Covered::Safe(Method::ThreadStates));
        }
        Ok(singles) => {
            // Most failures need few threads, and are found before it is known what pairs of threads see.
            budget.states = all.min(FIRST_STATES);
            if let Some(run) = with_threads(system, 1..=FEW.min(threads), budget)? {
                return Ok(Covered::Unsafe(run, Method::Expanding));
            }
            budget.states = all.min(effort.pairs);
            let views = match pair_views(system, budget) {
                Ok(pairs) if pairs.candidate.is_none() => {
                    budget.prove(pairs, Vec::new());
                    return Ok(Covered::Safe(Method::PairsOfThreads));
                }
                Ok(pairs) => pairs,
                Err(reason) => {
                    cut_off = Some(out_of_states(reason)?);
                    singles
                }
            };
            seen_to_fail = views.candidate;
            budget.states = all.min(effort.backward);
            match backward(system, &views, budget) {
                Ok(Backward::Safe(minimal)) => {
                    budget.prove(views, minimal);
                    return Ok(Covered::Safe(Method::Backward));
                }
                Ok(Backward::Unsafe(run)) if run.most_threads() <= threads => {
                    let run = shorter(system, run, budget)?;
                    return Ok(Covered::Unsafe(run, Method::Backward));
                }
                // With fewer threads the failure may be out of reach.
                Ok(Backward::Unsafe(_) | Backward::Blocked) => {}
                Err(reason) => cut_off = Some(out_of_states(reason)?),
            }
        }
        Err(reason) => cut_off = Some(out_of_states(reason)?),
    }
    for round in 0..effort.rounds {
        budget.statistics.depth = round as usize + 1;
        budget.states = all.min(FIRST_STATES << (2 * round).min(32));
        match enlarge(system, precision, budget) {
            Ok(Enlarged::Safe) => return Ok(Covered::Safe(Method::Enlarging)),
            Ok(Enlarged::Candidate(marking)) => {
                candidate = Some(marking);
                precision.limit += 1;
                precision.width = precision.width.saturating_mul(4);
            }
            Err(reason) => stopped = Some(out_of_states(reason)?),
        }
        match expand(system, population, budget) {
            Ok(Some(run)) => return Ok(Covered::Unsafe(run, Method::Expanding)),
            Ok(None) if population < threads => population += 1,
            Ok(None) => {}
            Err(reason) => stopped = Some(out_of_states(reason)?),
        }
        if stopped.is_some() && budget.states == all {
            break;
        }
    }
    budget.states = all;
    if candidate.is_none() && system.has_invariants() {
        candidate = seen_to_fail.map(|(shared, local)| {
            let mut marking = Marking::new(shared);
            marking.add(local, 1, Count::MAX);
            marking
        });
    }
    candidate.map(Covered::Candidate).ok_or(stopped.or(cut_off).unwrap_or(UnknownReason::Undecided))
}

/// A shortest run with as few threads as possible if it is found with little effort, else `run`,
/// which may start threads that do nothing.
fn shorter<S: ThreadSystem>(
    system: &mut S,
    run: CountedRun,
    budget: &mut Budget<'_>,
) -> Result<CountedRun, UnknownReason> {
    budget.states = budget.states.min(FIRST_STATES);
    Ok(with_threads(system, FEW + 1..=run.most_threads(), budget)?.unwrap_or(run))
}

/// A shortest run with the first of these numbers of threads that has one, if the budget suffices.
fn with_threads<S: ThreadSystem>(
    system: &mut S,
    populations: RangeInclusive<Count>,
    budget: &mut Budget<'_>,
) -> Result<Option<CountedRun>, UnknownReason> {
    for population in populations {
        match expand(system, population, budget) {
            Ok(None) => {}
            Ok(found) => return Ok(found),
            Err(reason) => {
                out_of_states(reason)?;
                break;
            }
        }
    }
    Ok(None)
}

/// Running out of states or work, or a step with too many results, ends one half in one round;
/// everything else ends the engine.
fn out_of_states(reason: UnknownReason) -> Result<UnknownReason, UnknownReason> {
    match reason {
        UnknownReason::StateLimit(_)
        | UnknownReason::Exceeded(Exceeded::Memory)
        | UnknownReason::WorkLimit
        | UnknownReason::Unsupported(_) => Ok(reason),
        reason => Err(reason),
    }
}
