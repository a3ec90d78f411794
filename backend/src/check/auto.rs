//! The `auto` engine: what decides most programs soonest. First the proofs and runs for any number
//! of threads, which are cheap when they succeed; then, for a bound, exploration up to it, symbolic
//! where its choices are too many to list.

use sapa_ir::boolean::flat::FlatProgram;

use super::{
    CheckOptions, Outcome, Progress, ThreadBound, UnknownReason, counter, coverability, explicit,
};

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
        Outcome::Unknown { .. } => match explicit::check(program, options, progress) {
            // Choices that cannot be listed one by one.
            Outcome::Unknown { reason: UnknownReason::Unsupported(_), .. } => {
                counter::check(program, options, progress)
            }
            outcome => outcome,
        },
        outcome => outcome,
    }
}
