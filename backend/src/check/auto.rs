//! The `auto` engine: what decides most programs soonest. First the proofs and runs for any number
//! of threads, which are cheap when they succeed; then, for a bound, exploration up to it, symbolic
//! where its choices are too many to list.

use sapa_ir::boolean::flat::FlatProgram;

use super::{
    CheckOptions, Outcome, Progress, Run, Statistics, ThreadBound, UnknownReason, counter,
    coverability, explicit,
};

/// The options of the attempt, which may take half of the time that is left: what comes after it
/// may need less.
fn for_attempt(options: &CheckOptions) -> CheckOptions {
    CheckOptions { limits: options.limits.half(), ..options.clone() }
}

/// Runs the engine. A proof may be for more threads than were asked for.
pub fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    if options.threads == ThreadBound::Unbounded {
        return coverability::check(program, options, progress);
    }
    let attempt = coverability::attempt(program, &for_attempt(options), progress);
    after(attempt, program, options, progress)
}

/// The attempt's answer, or what follows where it has none.
fn after(
    attempt: Outcome,
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    match attempt {
        Outcome::Unknown { reason: UnknownReason::Cancelled, statistics } => {
            Outcome::Unknown { reason: UnknownReason::Cancelled, statistics }
        }
        // Out of its part of the time is not cheap, as out of everything else is.
        Outcome::Unknown { statistics: Statistics { work, .. }, .. } => {
            let mut spent = work;
            let mut explore = |engine: Run, name: &'static str| {
                let left = options.max_work.map(|most| most.saturating_sub(spent));
                let options = CheckOptions { max_work: left, ..options.clone() };
                let mut outcome = engine(program, &options, progress);
                spent += outcome.statistics_mut().work;
                outcome.statistics_mut().work = spent;
                outcome.statistics_mut().decided_by = name;
                outcome
            };
            match explore(explicit::check, "explicit") {
                // Choices that cannot be listed one by one.
                Outcome::Unknown { reason: UnknownReason::Unsupported(_), .. } => {
                    explore(counter::check, "counter")
                }
                outcome => outcome,
            }
        }
        outcome => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Statistics;
    use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
    use sapa_ir::boolean::parser::parse;

    #[test]
    fn an_attempt_out_of_its_time_is_followed_by_exploration() {
        let program = parse("decl g := 0; void main() begin assert(g) end").unwrap();
        let program = flatten(&program, &FlattenOptions::default()).unwrap();
        let options = CheckOptions::new(ThreadBound::Bounded(1));
        let attempt = |reason| Outcome::Unknown { reason, statistics: Statistics::default() };
        let outcome = after(attempt(UnknownReason::Timeout), &program, &options, &mut |_| {});
        assert!(matches!(outcome, Outcome::Unsafe { .. }), "{outcome:?}");
        let cancelled = attempt(UnknownReason::Cancelled);
        assert_eq!(after(cancelled.clone(), &program, &options, &mut |_| {}), cancelled);
    }
}
