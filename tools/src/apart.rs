//! More than one property: each is looked at by itself, one after the other, as what is asserted for one is in the way of a
//! proof of the others.
//!
//! That is enough. Take a run that fails one of them, up to its first failure: nothing in it was undefined before, unless the
//! verdict assumes that it is not, so that the check of the property that fails finds it.

use std::time::Duration;

use sapa_backend::cegar::Observer;
use sapa_backend::check::ThreadBound;
use sapa_backend::inconclusive::Kind;
use sapa_driver::{Buffers, Checked, Options, Program};

use crate::checked;
use crate::failure::Failure;
use crate::loop_arguments::answered;
use crate::report::{self, Assertions, Bound, Part, Report};
use crate::run::Draft;
use crate::statements::Statements;
use crate::verdict::Exit;

/// How long each property is looked at before the others have their turn, where there is no limit on time.
const FIRST_TURN: Duration = Duration::from_secs(10);

/// How many times longer each turn is than the one before.
const LONGER: u32 = 4;

/// A property that is asked for.
struct Question {
    name: &'static str,
    program: Program,
    /// What is answered, once its turn did not end it.
    answer: Option<Report>,
    /// Why there is no answer yet.
    reasons: Vec<Part>,
    /// How much work it was. (Not how long it took, so that the same program has the same report each time.)
    work: u64,
}

/// Checks programs, each of which has the assertions of one property; the one that fails, if one does.
///
/// # Errors
/// If no engine can treat one of them.
pub fn check(
    programs: Vec<(&'static str, Program)>,
    options: &Options,
    observer: &mut dyn Observer,
    draft: &Draft,
    standard_input: Option<&[u8]>,
) -> Result<Option<Checked>, Failure> {
    let count = u32::try_from(programs.len()).unwrap_or(u32::MAX).max(1);
    let mut turn = options.limits.remaining().map_or(FIRST_TURN, |all| all / (2 * count));
    let question =
        |(name, program)| Question { name, program, answer: None, reasons: Vec::new(), work: 0 };
    let mut questions: Vec<Question> = programs.into_iter().map(question).collect();
    loop {
        for question in questions.iter_mut().filter(|question| question.answer.is_none()) {
            let options = Options { limits: options.limits.part(turn), ..options.clone() };
            let checked = question.program.check(&options, observer);
            // What goes wrong after its turn went wrong because of that, perhaps.
            let is_over = options.limits.stopped();
            let checked = match (checked, is_over) {
                (Ok(checked), _) => checked,
                (Err(_), Some(stopped)) => {
                    question.reasons = vec![Part::from(stopped)];
                    continue;
                }
                (Err(error), None) => {
                    return Err(Failure::of(&error, &mut Statements::new(standard_input)));
                }
            };
            question.work = checked.report.work;
            let program = &question.program;
            let mut report = checked::report((program, &options), &checked, standard_input);
            match report.verdict {
                Exit::Failed => {
                    answered(draft, report);
                    return Ok(Some(checked));
                }
                Exit::Successful => {
                    let coverage = program
                        .coverage(&checked, &options)
                        .or_else(|| program.nothing_covered(&options));
                    report.assertions = coverage.map(|c| Assertions::new(&checked.module, &c));
                }
                _ => {
                    let reason = report.reason.as_ref();
                    question.reasons = reason.map(|why| why.parts.clone()).unwrap_or_default();
                    if is_over.is_some() {
                        continue;
                    }
                }
            }
            question.answer = Some(report);
        }
        let is_open = questions.iter().any(|question| question.answer.is_none());
        if !is_open || options.limits.is_exceeded() {
            answered(draft, whole(questions));
            return Ok(None);
        }
        turn = turn.saturating_mul(LONGER);
    }
}

/// The report on all: where each is answered by a proof, that of the one that was the most work, for as many threads as all
/// hold for, and for the store buffers that all hold for.
fn whole(mut questions: Vec<Question>) -> Report {
    questions.sort_by_key(|question| std::cmp::Reverse(question.work));
    let mut assumptions: Vec<String> = Vec::new();
    let mut assertions: Option<Assertions> = None;
    let mut reasons = Vec::new();
    let mut bounds = Vec::new();
    let mut buffers = Vec::new();
    let mut base: Option<Report> = None;
    for Question { name, answer, reasons: why, .. } in questions {
        let is_proved = answer.as_ref().is_some_and(|answer| answer.verdict == Exit::Successful);
        if !is_proved {
            let named = |part: Part| Part { text: format!("{name}: {}", part.text), ..part };
            let before = reasons.len();
            reasons.extend(why.into_iter().map(named));
            // What has no proof is open, whatever is said of it.
            if reasons.len() == before {
                reasons.push(Part::new(Kind::InternalError, format!("{name}: there is no answer")));
            }
        }
        let Some(mut answer) = answer else { continue };
        for assumption in &answer.assumptions {
            if !assumptions.contains(assumption) {
                assumptions.push(assumption.clone());
            }
        }
        if let Some(more) = answer.assertions.take() {
            assertions.get_or_insert_default().add(more);
        }
        buffers.extend(answer.buffers.map(|buffers| buffers.0));
        bounds.extend(answer.threads.as_ref().and_then(|threads| threads.holds_for));
        if base.is_none() {
            base = Some(answer);
        }
    }
    let mut report = base.unwrap_or_else(|| Report::new(Exit::Inconclusive));
    report.assumptions = assumptions;
    if !reasons.is_empty() {
        let Report { assumptions, properties, statistics, .. } = report;
        let undecided = Report::inconclusive(reasons);
        return Report { assumptions, properties, statistics, ..undecided };
    }
    report.assertions = assertions;
    // Those that all hold for: the fewest, or else of any size, and robust only if all are.
    report.buffers = buffers
        .into_iter()
        .min_by_key(|buffers| match buffers {
            Buffers::AtMost(room) => (0, *room),
            Buffers::Any => (1, 0),
            Buffers::Robust => (2, 0),
        })
        .map(report::Buffers);
    let fewest = bounds.iter().filter_map(|bound| match bound.0 {
        ThreadBound::Bounded(threads) => Some(threads),
        ThreadBound::Unbounded => None,
    });
    if let (Some(fewest), Some(threads)) = (fewest.min(), &mut report.threads) {
        threads.holds_for = Some(Bound(ThreadBound::Bounded(fewest)));
    }
    report
}
