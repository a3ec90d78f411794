//! Programs with recursive procedures, of which the engines know nothing: they are given
//! translations, and this says what their answers mean for the program.
//!
//! Two translations take turns ([`sapa_ir::boolean::flatten::Recursion`]): calls up to a depth,
//! which grows, and calls as threads (BOPPO section 4.3). The first is exact as far as it goes: an assertion that
//! fails in it fails in the program, with a run that was replayed; and where no run comes to a deeper
//! call, no assertion failing, that is a proof. The second has every run of the program, for any
//! number of threads besides those that calls are, and others: what is safe in it is safe, and a
//! failure in it says nothing. For a bound on threads it is asked about any number all the same, as
//! the threads of calls do not count: first as it is, as a start that is skipped beyond a bound is one of a
//! thread that never moves; then, where that is not safe, with threads that it counts itself.

use sapa_ir::boolean::ast::{Position, Program};
use sapa_ir::boolean::error::Error;
use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::boolean::flatten::{FlattenOptions, Recursion, flatten};
use sapa_limits::Exceeded;

use super::{Answer, CheckOptions, Engine, Outcome, Progress, ThreadBound, UnknownReason, check};

/// The work of each attempt in the first turn; four times as much in each further one.
const FIRST_WORK: u64 = 1 << 23;

/// The most recursive calls that a thread is in at once when failures are looked for.
const MOST_DEPTH: u32 = 32;

/// The work in one attempt up to a depth after which no deeper one is tried.
const LAST_WORK: u64 = 1 << 29;

/// The largest bound on threads for which the program counts them.
const MOST_COUNTED: u32 = 15;

/// What was found of a recursive program.
#[derive(Debug)]
pub struct Checked {
    /// The program with as many calls at once as were looked at last: a counterexample is one of it.
    pub program: FlatProgram,
    /// Whether its runs are all runs of the program.
    pub is_whole: bool,
    /// The answer, for the program as it was given.
    pub outcome: Outcome,
}

/// What is known beyond the calls that were followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Beyond {
    /// With calls as threads, an assertion can fail.
    #[error(
        "with deeper ones, the assertion at {}:{} fails if a call may return to any of the places \
         that wait for it", .0.line, .0.column
    )]
    Suspected(Position),
    /// With calls as threads, an assertion can fail; where is not known.
    #[error(
        "with deeper ones, an assertion fails if a call may return to any of the places that wait for it"
    )]
    Fails,
    /// Calls cannot be threads.
    #[error("deeper ones are not supported here ({0})")]
    Refused(Box<Error>),
    /// There is no answer with calls as threads.
    #[error("of deeper ones nothing is known: {0}")]
    Unknown(Box<UnknownReason>),
}

/// Checks a program in which procedures call themselves.
///
/// # Errors
/// What is wrong with the program, as [`flatten`] says it.
pub fn check_recursive(
    engine: &'static Engine,
    program: &Program,
    reading: &FlattenOptions,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<Checked, Error> {
    let read = |recursion| flatten(program, &FlattenOptions { recursion, ..reading.clone() });
    let up_to = |most, fails_deeper| read(Recursion::Depth { most, fails_deeper });
    let mut turns = Turns { engine, options, progress, work: FIRST_WORK, spent: 0 };
    let mut depth = 1;
    let mut last = up_to(depth, false)?;
    let mut followed = 0;
    let mut translated = read(Recursion::Threads { most: None });
    let mut counted = options.threads.limit().filter(|&most| most <= MOST_COUNTED);
    let mut beyond =
        translated.as_ref().err().map(|error| Beyond::Refused(Box::new(error.clone())));
    let mut can_go_deeper = true;
    let unknown = loop {
        if can_go_deeper {
            // A program that is too large with so many levels is followed no deeper.
            let Ok(bounded) = up_to(depth, true) else {
                can_go_deeper = false;
                continue;
            };
            let outcome = turns.ask(&bounded, options.threads);
            if let Answer::Safe { .. } = outcome.answer {
                return Ok(Checked { program: up_to(depth, false)?, is_whole: true, outcome });
            }
            last = up_to(depth, false)?;
            let outcome = turns.ask(&last, options.threads);
            match &outcome.answer {
                Answer::Failing { .. } => {
                    return Ok(Checked { program: last, is_whole: false, outcome });
                }
                Answer::Safe { .. } => {
                    followed = depth;
                    depth *= 2;
                    can_go_deeper = depth <= MOST_DEPTH;
                }
                // With more work in the next turn.
                Answer::Unknown(UnknownReason::WorkLimit) => {
                    can_go_deeper = turns.work < LAST_WORK;
                }
                Answer::Unknown(reason @ UnknownReason::Exceeded(_)) => break reason.clone(),
                Answer::Imprecise(_) | Answer::Unknown(_) => can_go_deeper = false,
            }
        }
        if let (None, Ok(translated)) = (&beyond, &translated) {
            let outcome = turns.ask(translated, ThreadBound::Unbounded);
            beyond = match outcome.answer {
                Answer::Safe { .. } => {
                    return Ok(Checked { program: last, is_whole: false, outcome });
                }
                Answer::Failing { trace, .. } => {
                    let location = translated.locations.get(trace.failing_location.index());
                    Some(location.map_or(Beyond::Fails, |at| Beyond::Suspected(at.position)))
                }
                Answer::Imprecise(suspect) => Some(Beyond::Suspected(suspect.assertion)),
                Answer::Unknown(UnknownReason::WorkLimit) => None,
                Answer::Unknown(reason @ UnknownReason::Exceeded(Exceeded::Time)) => break reason,
                Answer::Unknown(reason) => Some(Beyond::Unknown(Box::new(reason))),
            };
        }
        let is_suspected = matches!(beyond, Some(Beyond::Suspected(_) | Beyond::Fails));
        if let (true, Some(most)) = (is_suspected, counted.take()) {
            translated = read(Recursion::Threads { most: Some(most) });
            beyond =
                translated.as_ref().err().map(|error| Beyond::Refused(Box::new(error.clone())));
            continue;
        }
        if let Some(reason) = options.stop() {
            break reason;
        }
        if let Err(reason) = options.allow(turns.spent) {
            break reason;
        }
        if let (false, Some(beyond)) = (can_go_deeper, &beyond) {
            break UnknownReason::Recursive { followed, beyond: beyond.clone() };
        }
        turns.work = turns.work.saturating_mul(4);
    };
    let outcome = engine.unknown(unknown);
    Ok(Checked { program: last, is_whole: false, outcome })
}

/// Attempts that each may do more work than the one before.
struct Turns<'a> {
    engine: &'static Engine,
    options: &'a CheckOptions,
    progress: &'a mut dyn FnMut(Progress),
    /// What each attempt may do now.
    work: u64,
    /// What all have done so far.
    spent: u64,
}

impl Turns<'_> {
    fn ask(&mut self, program: &FlatProgram, threads: ThreadBound) -> Outcome {
        let left = self.options.max_work.map(|most| most.saturating_sub(self.spent));
        let max_work = Some(left.map_or(self.work, |left| left.min(self.work)));
        let options = CheckOptions { threads, max_work, ..self.options.clone() };
        let mut outcome = check(self.engine, program, &options, self.progress);
        self.spent = self.spent.saturating_add(outcome.statistics.work);
        outcome.statistics.work = self.spent;
        outcome
    }
}
