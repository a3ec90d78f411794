//! `sapa check --all`: a verdict for each assertion.

use std::fmt::Write;

use sapa_backend::cegar::Observer;
use sapa_driver::{Judged, Judgement, Options, Program};
use sapa_ir::goto::Module;
use serde::Serialize;

use crate::checked;
use crate::failure::Failure;
use crate::lanes::visible;
use crate::loop_arguments::answered;
use crate::report::{Place, Report, Step};
use crate::run::Draft;
use crate::source::Loaded;
use crate::statements::Statements;
use crate::verdict::Exit;

/// What is known of an assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AssertionVerdict {
    /// `fails`, `proved`, `not_reached` or `unknown`.
    pub verdict: &'static str,
    /// What it claims.
    pub text: String,
    /// The property that it is of.
    pub property: &'static str,
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
    /// An execution that fails it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Step>>,
}

/// The words for judgements: for programs, and for people.
fn words(judgement: Judgement) -> (&'static str, &'static str) {
    match judgement {
        Judgement::Fails => ("fails", "fails"),
        Judgement::Proved => ("proved", "proved"),
        Judgement::NotReached => ("not_reached", "not reached"),
        Judgement::Unknown => ("unknown", "unknown"),
    }
}

/// Checks all assertions of a program; the draft has what is known at any time.
///
/// # Errors
/// If no engine can treat it.
pub fn check(
    loaded: &Loaded,
    options: &Options,
    observer: &mut dyn Observer,
    draft: &Draft,
) -> Result<(), Failure> {
    let Loaded { program, standard_input } = loaded;
    let source = standard_input.as_deref();
    let mut answers = Answers::default();
    program
        .check_all(options, observer, &mut |judged, checked| {
            answers.add(checked::report((program, options), checked, source));
            answered(draft, answers.whole(program, judged));
        })
        .map_err(|error| Failure::of(&error, &mut Statements::new(source)))
}

/// The answers so far.
#[derive(Default)]
struct Answers {
    /// Those that found a failure.
    failing: Vec<Report>,
    /// The first one that was none.
    undecided: Option<Report>,
    /// The last proof.
    proved: Option<Report>,
    /// What any of them takes for granted.
    assumptions: Vec<String>,
}

impl Answers {
    fn add(&mut self, report: Report) {
        for assumption in &report.assumptions {
            if !self.assumptions.contains(assumption) {
                self.assumptions.push(assumption.clone());
            }
        }
        match report.verdict {
            Exit::Failed => self.failing.push(report),
            Exit::Successful => self.proved = Some(report),
            _ => drop(self.undecided.get_or_insert(report)),
        }
    }

    /// The report on all: that on the first failure; without one, that on why something is open; and else on the last
    /// proof. (Of the assertions that are proved one by one none can be the first to fail in a run.)
    fn whole(&self, program: &Program, judged: &[Judged]) -> Report {
        let module = &program.module;
        let Self { failing, undecided, proved, .. } = self;
        let is_open = judged.iter().any(|judged| judged.judgement == Judgement::Unknown);
        let open = undecided.as_ref().filter(|_| is_open);
        let report = failing.first().or(open).or(proved.as_ref()).or(undecided.as_ref());
        let mut report = report.cloned().unwrap_or_else(|| Report::new(Exit::Inconclusive));
        report.assumptions.clone_from(&self.assumptions);
        report.trace_text = self.text(module, judged);
        report.results = Some(judged.iter().map(|judged| self.verdict(program, judged)).collect());
        report
    }

    fn verdict(&self, program: &Program, judged: &Judged) -> AssertionVerdict {
        let module = &program.module;
        let (location, text) = (judged.assertion.location, judged.assertion.text.clone());
        let place = Place::new(module, location);
        let is_here = |report: &&Report| {
            report.failed_assertion.as_ref().is_some_and(|f| f.text == text && f.place == place)
        };
        let trace = self.failing.iter().find(is_here).and_then(|report| report.trace.clone());
        let property = program.claims.property(location, &text);
        AssertionVerdict { verdict: words(judged.judgement).0, text, property, place, trace }
    }

    /// All traces, and a line for each assertion.
    fn text(&self, module: &Module, judged: &[Judged]) -> String {
        let mut text: String = self.failing.iter().map(|report| &*report.trace_text).collect();
        let place = |judged: &Judged| module.describe(judged.assertion.location);
        let places: Vec<String> = judged.iter().map(place).collect();
        let width = places.iter().map(String::len).max().unwrap_or(0);
        for (judged, place) in judged.iter().zip(&places) {
            let (verdict, claim) = (words(judged.judgement).1, &judged.assertion.text);
            // Writing to a text does not fail.
            let line = visible(&format!("{place:width$}  {verdict:11}  {claim}"));
            let _ = writeln!(text, "{line}");
        }
        text
    }
}
