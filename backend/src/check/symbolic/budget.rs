//! What a search over BDDs may use: the limits of an engine as those of a manager.

use sapa_bdd::{BddManager, LimitReached, ManagerOptions};
use sapa_limits::Exceeded;

use crate::check::{CheckOptions, Statistics, UnknownReason};

/// [`Statistics::work`] of a step of work in a BDD manager.
pub(crate) const WORK_PER_STEP: u64 = 2;

/// Runs something over a manager within the limits, and counts its work.
pub(crate) fn within_limits<T>(
    options: &CheckOptions,
    statistics: &mut Statistics,
    work: impl FnOnce(&BddManager, &mut Statistics) -> Result<T, Stop>,
) -> Result<T, UnknownReason> {
    let defaults = ManagerOptions::default();
    let before = statistics.work;
    let left = options.max_work.map(|most| most.saturating_sub(before) / WORK_PER_STEP);
    let manager = BddManager::with_options(ManagerOptions {
        node_limit: defaults.node_limit.min(options.max_states.unwrap_or(usize::MAX)),
        memory_limit: options.memory_limit,
        limits: options.limits.clone(),
        work_limit: left,
        ..defaults
    });
    let result = work(&manager, statistics);
    statistics.bytes = statistics.bytes.max(manager.statistics().bytes);
    statistics.work = before.saturating_add(manager.work().saturating_mul(WORK_PER_STEP));
    let symbolic = statistics.symbolic.get_or_insert_default();
    symbolic.nodes = symbolic.nodes.max(manager.statistics().peak_nodes);
    result.map_err(|reason| match reason {
        Stop::Reason(reason) => reason,
        Stop::Limit(LimitReached::Nodes(limit)) if options.max_states == Some(limit) => {
            UnknownReason::StateLimit(limit)
        }
        Stop::Limit(LimitReached::Time) => {
            options.stop().unwrap_or(UnknownReason::Exceeded(Exceeded::Time))
        }
        Stop::Limit(limit) => limit.into(),
    })
}

/// Why a search ended without an answer.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A limit of the manager.
    Limit(LimitReached),
    /// Another reason.
    Reason(UnknownReason),
}

impl From<LimitReached> for Stop {
    fn from(limit: LimitReached) -> Stop {
        Stop::Limit(limit)
    }
}

impl From<UnknownReason> for Stop {
    fn from(reason: UnknownReason) -> Stop {
        Stop::Reason(reason)
    }
}
