//! The `thread-modular` engine: BOPPO's over-approximation for any number of threads (section 3).

use sapa_ir::boolean::flat::FlatProgram;

use super::coverability::flat_threads::FlatThreads;
use super::coverability::thread_states::{Views, thread_states};
use super::coverability::thread_system::Budget;
use super::{CheckOptions, Outcome, Progress, SafeFor, Statistics, UnknownReason};

/// Runs the engine. Safe is a proof for any number of threads; an error that it finds need not
/// exist, so it is reported as [`UnknownReason::Imprecise`].
pub fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut system = match FlatThreads::new(program, options) {
        Ok(system) => system,
        Err(reason) => return Outcome::Unknown { reason, statistics: Statistics::default() },
    };
    let mut budget = Budget::new(options, progress);
    let states = thread_states(&mut system, &mut budget);
    let statistics = budget.statistics;
    let reason = match states {
        Ok(Views { candidate: None, .. }) => {
            return Outcome::Safe { threads: SafeFor::AllThreads, statistics };
        }
        Ok(Views { candidate: Some((_, local)), .. }) => {
            let at = program.location(system.local_state(local).location).position;
            UnknownReason::Imprecise(format!(
                "the assertion at {}:{} fails in a thread state that may be unreachable",
                at.line, at.column
            ))
        }
        Err(reason) => reason,
    };
    Outcome::Unknown { reason, statistics }
}
