//! The `auto` engine: what decides most programs soonest.
//!
//! For a bound, first a look at few states with `explicit`: it finds most failures, with the
//! shortest traces, sooner than the others begin; and where the program starts no more threads than
//! the bound, its proof says all that there is to say. Then the proofs and runs for any number of
//! threads, which are cheap when they succeed, and say more than a proof for the bound; if there is one already,
//! they may take no more than a few times as long. Then
//! `explicit`, until it sees that the states of single steps multiply: values that
//! are chosen freely are listed one by one there, and are nothing to a set as a BDD. From then on
//! `counter`, `plain` and `explicit` take turns, each with four times as much work as in the turn
//! before, so that none is waited for that needs much more than another. All is measured in work
//! and not by the clock, so a run can be repeated. A program that starts few threads in all needs
//! no bound.

use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, LocationId};
use sapa_limits::Exceeded;

use super::symbolic::{counter, plain};
use super::{
    Answer, Attempt, CheckOptions, Engine, Outcome, Progress, Run, SafeFor, Statistics,
    ThreadBound, UnknownReason, coverability, explicit,
};

/// The work of the first look: about 260,000 transitions, a tenth of a second. The attempts for any number of
/// threads that come next may do four times as much.
const FIRST_LOOK: u64 = 1 << 24;

/// How much of the first look's work may be spent to prove for any number of threads what it has proved for the
/// bound, and what may be spent on that at any rate: a tenth of a second. Nobody has asked for more than the bound.
const TO_SAY_MORE: u64 = 4;
const LEAST_TO_SAY_MORE: u64 = 1 << 20;

/// The work of the first look where the bound is all that the program can start: others would have
/// no more to say.
const FIRST_LOOK_AT_ALL: u64 = 1 << 25;

/// The work of each engine in the first turn: a second or two.
const FIRST_WORK: u64 = 1 << 26;

/// The most threads that a program may start in all to be explored where no bound is given.
const MOST_STARTS: u32 = 8;

/// A proof may be for more threads than were asked for.
pub static ENGINE: Engine = Engine {
    name: "auto",
    summary: "the default: coverability, for N threads while it is cheap; then explicit, or counter and plain",
    is_oracle: false,
    run: check,
};

fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let (bound, is_all) = match (options.threads, most_starts(program)) {
        (ThreadBound::Unbounded, None) => {
            let mut outcome = coverability::check(program, options, progress);
            outcome.statistics.attempts.push(Attempt::of(&outcome));
            return outcome;
        }
        (ThreadBound::Unbounded, Some(starts)) => (ThreadBound::Bounded(starts), true),
        (bound @ ThreadBound::Bounded(most), Some(starts)) => (bound, starts <= most),
        (bound, None) => (bound, false),
    };
    let options = CheckOptions { threads: bound, ..options.clone() };
    let mut outcome = Turns::new(program, &options, progress).all(is_all);
    if let Answer::Safe { threads, .. } = &mut outcome.answer
        && is_all
    {
        // There are no runs with more threads.
        *threads = SafeFor::AllThreads;
    }
    outcome
}

/// How many threads the program can start in all, if these are few.
fn most_starts(program: &FlatProgram) -> Option<u32> {
    // From each location on; grows without an end where a loop starts threads.
    let mut starts = vec![0_u32; program.locations.len()];
    let mut changed = true;
    while std::mem::take(&mut changed) {
        // Successors mostly have smaller numbers, as flattening goes from last to first.
        for (at, location) in program.iter() {
            let from = |next: LocationId| starts[next.index()];
            let statement = &location.statement;
            let next = statement.successors().iter().map(|next| from(*next)).max().unwrap_or(0);
            let most = match statement {
                FlatStatement::StartThread { entry, .. } => {
                    1_u32.saturating_add(next).saturating_add(from(*entry))
                }
                _ => next,
            };
            let most = most.min(MOST_STARTS + 1);
            changed |= most > starts[at.index()];
            starts[at.index()] = most;
        }
        if starts[program.entry.index()] > MOST_STARTS {
            return None;
        }
    }
    Some(starts[program.entry.index()])
}

/// What engines were asked, and how far that went.
struct Turns<'a, 'p> {
    program: &'a FlatProgram,
    options: &'a CheckOptions,
    progress: &'p mut dyn FnMut(Progress),
    /// Of all that was done, with the figures of the engine that was asked last.
    statistics: Statistics,
}

impl<'a, 'p> Turns<'a, 'p> {
    fn new(
        program: &'a FlatProgram,
        options: &'a CheckOptions,
        progress: &'p mut dyn FnMut(Progress),
    ) -> Self {
        Turns { program, options, progress, statistics: Statistics::default() }
    }

    /// Runs an engine within some work. Its outcome, if it has one that ends everything, with the
    /// figures of all that was done; else why it has none.
    fn run(&mut self, engine: Run, work: Option<u64>) -> Result<Outcome, UnknownReason> {
        let left = self.options.max_work.map(|most| most.saturating_sub(self.statistics.work));
        let max_work = [left, work].into_iter().flatten().min();
        let options = CheckOptions { max_work, ..self.options.clone() };
        let mut outcome = engine(self.program, &options, self.progress);
        self.count(&mut outcome);
        let all_spent = self.options.max_work.is_some_and(|most| self.statistics.work >= most);
        let ends = match &outcome.answer {
            Answer::Safe { .. } | Answer::Failing { .. } => true,
            Answer::Imprecise(_) => false,
            Answer::Unknown(reason) => match reason {
                UnknownReason::Exceeded(Exceeded::Time | Exceeded::Interrupted) => true,
                UnknownReason::WorkLimit => all_spent,
                // More states than were allowed; for `plain`, these are nodes.
                UnknownReason::StateLimit(limit) => {
                    let is_asked = Some(*limit) == self.options.max_states;
                    all_spent || outcome.engine == &explicit::ENGINE && is_asked
                }
                _ => false,
            },
        };
        match outcome.answer {
            Answer::Unknown(reason) if !ends => Err(reason),
            Answer::Imprecise(_) => Err(UnknownReason::Undecided),
            _ => Ok(outcome),
        }
    }

    /// Adds an engine's figures to those of all, and gives it these.
    fn count(&mut self, outcome: &mut Outcome) {
        let mut attempts = std::mem::take(&mut self.statistics.attempts);
        attempts.retain(|attempt| attempt.engine != outcome.engine);
        attempts.push(Attempt::of(outcome));
        outcome.statistics.work = outcome.statistics.work.saturating_add(self.statistics.work);
        outcome.statistics.attempts = attempts;
        self.statistics = outcome.statistics.clone();
    }

    /// The engines in turn, until one has an answer or none can go on; `is_all`: no run has more
    /// threads than the bound.
    fn all(&mut self, is_all: bool) -> Outcome {
        let explicit: Run = explicit::until_states_multiply;
        let is_proof = |outcome: &Outcome| matches!(outcome.answer, Answer::Safe { .. });
        let first_look = if is_all { FIRST_LOOK_AT_ALL } else { FIRST_LOOK };
        let bounded = match self.run(explicit, Some(first_look)) {
            Ok(outcome) if is_all || !is_proof(&outcome) => return outcome,
            bounded => bounded,
        };
        let to_say_more = self.statistics.work.saturating_mul(TO_SAY_MORE).max(LEAST_TO_SAY_MORE);
        let most = bounded.is_ok().then_some(to_say_more);
        let first = match (self.run(coverability::attempt, most), bounded) {
            (Ok(outcome), Err(_)) => return outcome,
            // A proof for any number of threads says more than one for the bound.
            (Ok(outcome), Ok(_)) if is_proof(&outcome) => return outcome,
            (_, Ok(mut bounded)) => {
                let Statistics { work, attempts, .. } = std::mem::take(&mut self.statistics);
                bounded.statistics = Statistics { work, attempts, ..bounded.statistics };
                return bounded;
            }
            (Err(_), Err(UnknownReason::WorkLimit)) => self.run(explicit, None),
            (Err(_), Err(reason)) => Err(reason),
        };
        let mut reason = match first {
            Ok(outcome) => return outcome,
            Err(reason) => reason,
        };
        // In its first turn `explicit` was told to stop there.
        let multiply = matches!(reason, UnknownReason::Multiplied(_));
        let mut waits = multiply.then_some(explicit::ENGINE.run);
        let mut engines: Vec<Run> = vec![counter::ENGINE.run, plain::within_work];
        let mut work = FIRST_WORK;
        while !engines.is_empty() {
            let mut left = Vec::new();
            for engine in engines {
                match self.run(engine, Some(work)) {
                    Ok(outcome) => return outcome,
                    // It may come to an end with more.
                    Err(UnknownReason::WorkLimit) => left.push(engine),
                    Err(UnknownReason::Unsupported(what)) => {
                        // What an engine cannot do says less than what another ran out of.
                        if matches!(reason, UnknownReason::Multiplied(_)) {
                            reason = UnknownReason::Unsupported(what);
                        }
                    }
                    Err(other) => reason = other,
                }
            }
            left.extend(waits.take());
            engines = left;
            work = work.saturating_mul(4);
        }
        let statistics = std::mem::take(&mut self.statistics);
        let engine = statistics.attempts.last().map_or(&ENGINE, |attempt| attempt.engine);
        Outcome::new(engine, Err(reason), statistics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
    use sapa_ir::boolean::parser::parse;

    fn program(text: &str) -> FlatProgram {
        flatten(&parse(text).unwrap(), &FlattenOptions::default()).unwrap()
    }

    /// Thirty shared variables that `worker` and `main` give any value, in one assignment or in
    /// thirty.
    fn free(together: bool) -> FlatProgram {
        let names: Vec<String> = (0..30).map(|n| format!("g{n}")).collect();
        let list = names.join(", ");
        let assign = match together {
            true => format!("{list} := {};", vec!["*"; names.len()].join(", ")),
            false => names.iter().map(|name| format!("{name} := *; ")).collect(),
        };
        program(&format!(
            "decl {list};
             void worker() begin {assign} end
             void main() begin decl ok := 0; start_thread worker(); {assign}
                 if (g0 & g1) then ok := 1; fi; assert(!ok | g1 | !g0 | *); end"
        ))
    }

    #[test]
    fn freely_chosen_values_are_not_listed() {
        for together in [true, false] {
            let program = free(together);
            for threads in [ThreadBound::Bounded(1), ThreadBound::Unbounded] {
                let outcome = check(&program, &CheckOptions::new(threads), &mut |_| {});
                assert!(matches!(outcome.answer, Answer::Failing { .. }), "{outcome:?}");
                let attempts = &outcome.statistics.attempts;
                let last = attempts.last().expect("an attempt");
                assert_eq!((last.engine, last.left), (&coverability::ENGINE, None));
                let explicit = attempts.iter().find(|a| a.engine == &explicit::ENGINE);
                assert_eq!(explicit.and_then(|a| a.left), Some("the states of a step multiply"));
                assert!(outcome.statistics.symbolic.is_some(), "{outcome:?}");
            }
        }
    }

    #[test]
    fn threads_of_a_whole_run_are_counted() {
        let starts = |text: &str| most_starts(&program(text));
        assert_eq!(starts("void main() begin skip; end"), Some(0));
        let worker = "void w() begin start_thread v(); end void v() begin skip; end ";
        let two = "if (*) then start_thread w(); else start_thread v(); fi; start_thread w();";
        assert_eq!(starts(&format!("{worker} void main() begin {two} end")), Some(4));
        assert_eq!(starts(&format!("{worker} void main() begin L: {two} goto L; end")), None);
        assert_eq!(
            starts(
                "void w() begin start_thread w(); end void main() begin w2(); end
             void w2() begin start_thread w(); end"
            ),
            None
        );
    }

    /// The first thread sets one flag, the others set another, and all stay.
    const FLAGS: &str = "decl a := 0; decl b := 0;
        void w() begin if (!a) then a := 1; else b := 1; fi; E: goto E; end
        void main() begin start_thread w(); L: start_thread w(); goto L; end";

    fn outcome(text: &str, options: &CheckOptions) -> Outcome {
        check(&program(text), options, &mut |_| {})
    }

    #[test]
    fn a_proof_for_any_number_of_threads_is_preferred_and_a_proof_for_the_bound_kept() {
        let two = CheckOptions::new(ThreadBound::Bounded(2));
        let any = FLAGS.replace("else b", "else assert(a); b");
        let safe_for = |text: &str| {
            let outcome = outcome(text, &two);
            assert_eq!(outcome.statistics.attempts.len(), 2);
            match outcome.answer {
                Answer::Safe { threads, .. } => threads,
                answer => panic!("{answer:?}"),
            }
        };
        assert_eq!(safe_for(&any), SafeFor::AllThreads);
        // The third thread could fail.
        let few = any.replace("assert(a)", "assert(!b)");
        assert_eq!(safe_for(&few), SafeFor::Threads(2));
    }

    #[test]
    fn nobody_waits_long_for_more_than_was_asked_for() {
        // What more threads could do has nothing to do with the noise, which pairs of threads have plenty of.
        let names = ["p", "q", "r", "s", "t"];
        let shared = names.map(|name| format!("decl {name} := 0; ")).concat();
        let own =
            names.map(|name| format!("decl own_{name} := *; {name} := own_{name}; ")).concat();
        let text = FLAGS.replace("decl b", &format!("{shared}decl b"));
        let text = text.replace("if (!a)", &format!("{own}if (!a)"));
        let text = text.replace("else b", "else assert(!b); b");
        let options = CheckOptions::new(ThreadBound::Bounded(1));
        let alone = (explicit::ENGINE.run)(&program(&text), &options, &mut |_| {});
        assert!(matches!(alone.answer, Answer::Safe { .. }), "{alone:?}");
        let with_more = (coverability::ENGINE.run)(&program(&text), &options, &mut |_| {});
        let most = alone.statistics.work * (TO_SAY_MORE + 1) + LEAST_TO_SAY_MORE;
        assert!(with_more.statistics.work > most, "{with_more:?}");
        let outcome = outcome(&text, &options);
        assert!(matches!(outcome.answer, Answer::Safe { .. }), "{outcome:?}");
        assert!(outcome.statistics.work <= most, "{outcome:?}");
    }

    #[test]
    fn a_first_look_finds_failures() {
        let text = FLAGS.replace("b := 1", "assert(0)");
        let outcome = outcome(&text, &CheckOptions::new(ThreadBound::Bounded(2)));
        assert!(matches!(outcome.answer, Answer::Failing { .. }), "{outcome:?}");
        let engines: Vec<_> = outcome.statistics.attempts.iter().map(|a| a.engine).collect();
        assert_eq!(engines, [&explicit::ENGINE]);
    }

    #[test]
    fn an_engine_out_of_its_work_is_followed_by_others() {
        let program = program("void main() begin skip; end");
        let options = CheckOptions::new(ThreadBound::Bounded(1));
        let mut ignore = |_: Progress| {};
        let mut turns = Turns::new(&program, &options, &mut ignore);
        let spent: Run = |_, _, _| coverability::ENGINE.unknown(UnknownReason::WorkLimit);
        assert!(turns.run(spent, None).is_err());
        let late: Run =
            |_, _, _| coverability::ENGINE.unknown(UnknownReason::Exceeded(Exceeded::Time));
        assert!(turns.run(late, None).is_ok());
        let cancelled: Run =
            |_, _, _| coverability::ENGINE.unknown(UnknownReason::Exceeded(Exceeded::Interrupted));
        assert!(turns.run(cancelled, None).is_ok());
    }
}
