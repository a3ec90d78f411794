//! The `auto` engine: what decides most programs soonest. First the proofs and runs for any number
//! of threads, which are cheap when they succeed; then, for a bound, exploration up to it.

use sapa_ir::boolean::flat::FlatProgram;

use super::{CheckOptions, Outcome, Progress, ThreadBound, UnknownReason, coverability, explicit};

/// Runs the engine. A proof may be for more threads than were asked for.
pub fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    if options.threads == ThreadBound::Unbounded {
        return coverability::check(program, options, progress);
    }
    match coverability::attempt(program, options, progress) {
        Outcome::Unknown {
            reason: UnknownReason::Timeout | UnknownReason::Cancelled,
            statistics,
        } => Outcome::Unknown {
            reason: options.stop().unwrap_or(UnknownReason::Timeout),
            statistics,
        },
        Outcome::Unknown { .. } => explicit::check(program, options, progress),
        outcome => outcome,
    }
}
