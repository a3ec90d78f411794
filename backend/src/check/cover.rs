//! Expand, Enlarge and Check: over- and under-approximations of rising precision in turn.

use super::enlarge::{Enlarged, enlarge};
use super::expand::{CountedRun, expand};
use super::marking::{Count, Marking};
use super::thread_system::{Budget, Stop, ThreadSystem};

/// The answer, for unboundedly many threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Covered {
    /// No configuration with a failing thread is reachable; counting up to `limit` showed it.
    Safe {
        /// Up to how many threads were told apart in each local state.
        limit: Count,
    },
    /// A real run into a failing assertion.
    Unsafe(CountedRun),
    /// Neither was shown within the budget.
    Unknown {
        /// What stopped the proof and what stopped the search for a run.
        stopped: Vec<Stop>,
        /// The failing marking that neither was refuted nor reached.
        candidate: Option<Marking>,
    },
}

/// Decides whether a failing configuration is reachable. Round `r` counts up to `r` when it
/// enlarges and allows `r + 1` threads when it expands; a half that exceeds the budget of states
/// stays out of later rounds.
pub(crate) fn cover<S: ThreadSystem>(
    system: &mut S,
    rounds: Count,
    budget: &Budget,
) -> Result<Covered, Stop> {
    let mut stopped = Vec::new();
    let mut candidate = None;
    let (mut enlarging, mut expanding) = (true, true);
    for round in 1..=rounds {
        if enlarging {
            match enlarge(system, round, budget) {
                Ok(Enlarged::Safe) => return Ok(Covered::Safe { limit: round }),
                Ok(Enlarged::Candidate(marking)) => candidate = Some(marking),
                Err(stop) => {
                    enlarging = false;
                    stopped.push(out_of_budget(stop)?);
                }
            }
        }
        if expanding {
            match expand(system, round + 1, budget) {
                Ok(Some(run)) => return Ok(Covered::Unsafe(run)),
                Ok(None) => {}
                Err(stop) => {
                    expanding = false;
                    stopped.push(out_of_budget(stop)?);
                }
            }
        }
        if !enlarging && !expanding {
            break;
        }
    }
    Ok(Covered::Unknown { stopped, candidate })
}

/// Running out of states or time is an answer; a program that cannot be executed is an error.
fn out_of_budget(stop: Stop) -> Result<Stop, Stop> {
    match stop {
        Stop::States | Stop::Time => Ok(stop),
        Stop::Program(_) => Err(stop),
    }
}
