//! What stands above the code: the verdict and "check" above `main`, and above assertions what is known of each.

use std::path::Path;

use lsp_types::{CodeLens, Command, Position, Range, Uri};
use serde_json::json;

use super::answer::Answer;
use super::diagnostics::plain;
use crate::report::Place;
use crate::verdict::Exit;

/// The command that checks a file.
pub const CHECK: &str = "sapa.check";
/// The command that ends the check of a file.
pub const CANCEL: &str = "sapa.cancel";
/// The command that shows what a verdict holds for.
pub const DETAILS: &str = "sapa.details";

/// How far the check of a unit is.
#[derive(Clone, Debug, Default)]
pub enum State {
    /// It was not checked, or the check was cancelled.
    #[default]
    Unknown,
    /// It is being checked, or about to be.
    Checking,
    /// It was checked.
    Answered(Box<Answer>),
    /// The check ended without an answer: why.
    Crashed(String),
}

impl State {
    /// The verdict in a line.
    #[must_use]
    pub fn title(&self) -> String {
        let words = match self {
            Self::Unknown => "not checked".to_owned(),
            Self::Checking => "checking …".to_owned(),
            Self::Crashed(_) => "the check ended without an answer".to_owned(),
            Self::Answered(answer) => match answer.exit() {
                exit @ (Exit::Successful | Exit::Inconclusive) => {
                    let mut words = vec![exit.line().to_owned()];
                    let assumed = answer.assumptions.len();
                    let plural = if assumed == 1 { "" } else { "s" };
                    words.extend((assumed > 0).then(|| format!("{assumed} assumption{plural}")));
                    words.extend(
                        answer.assertions.iter().flat_map(crate::report::Assertions::words),
                    );
                    words.join(" · ")
                }
                exit @ Exit::Failed => exit.line().to_owned(),
                Exit::BadInput => "the input has errors".to_owned(),
                Exit::Usage => "the command line of the check is wrong".to_owned(),
                Exit::Internal => "internal error".to_owned(),
            },
        };
        format!("sapa: {words}")
    }

    /// The verdict with all that it holds for and assumes.
    #[must_use]
    pub fn details(&self) -> String {
        let mut lines = vec![self.title()];
        match self {
            Self::Answered(answer) => {
                lines.extend(
                    answer.failed_assertion.iter().map(|claim| {
                        format!("Failed assertion at {}: {}", claim.place, claim.text)
                    }),
                );
                lines.extend(answer.reason.iter().map(|reason| reason.text.clone()));
                lines.extend(answer.circumstances());
            }
            Self::Crashed(why) => lines.push(why.clone()),
            Self::Unknown | Self::Checking => {}
        }
        lines.join("\n")
    }
}

/// A lens on a line, counted from 0.
fn lens(line: u32, title: String, command: &str, uri: &Uri) -> CodeLens {
    let position = Position::new(line, 0);
    let command = Command::new(title, command.to_owned(), Some(vec![json!(uri)]));
    CodeLens { range: Range::new(position, position), command: Some(command), data: None }
}

/// The lenses of the function that a program begins with. `line` is from 1. The text may have been changed since it
/// was saved, which is what the verdict is about.
#[must_use]
pub fn of_program(state: &State, line: u32, is_changed: bool, uri: &Uri) -> Vec<CodeLens> {
    let line = line.saturating_sub(1);
    let again = |title: &str| lens(line, title.to_owned(), CHECK, uri);
    let note = if is_changed { " · of the saved text" } else { "" };
    let title = state.title() + note;
    match state {
        State::Unknown => vec![again("sapa: check")],
        State::Checking => vec![lens(line, title, CANCEL, uri)],
        State::Answered(_) | State::Crashed(_) => {
            vec![lens(line, title, DETAILS, uri), again("check")]
        }
    }
}

/// The lenses of a file's assertions. Relative paths are meant from `folder`.
#[must_use]
pub fn of_assertions(state: &State, file: &Path, folder: &Path, uri: &Uri) -> Vec<CodeLens> {
    let State::Answered(answer) = state else { return Vec::new() };
    let mut known: Vec<(&Place, &str)> = Vec::new();
    for claim in &answer.results {
        known.push((
            &claim.place,
            match claim.verdict.as_str() {
                "fails" => "fails",
                "proved" => "holds",
                "not_reached" => "no run comes here",
                _ => "not decided",
            },
        ));
    }
    if answer.results.is_empty() {
        known.extend(answer.failed_assertion.iter().map(|claim| (&claim.place, "fails")));
    }
    let assertions = answer.assertions.iter().filter(|_| answer.exit() == Exit::Successful);
    known.extend(assertions.clone().flat_map(|a| &a.reached).map(|place| (place, "holds")));
    known.extend(
        assertions
            .clone()
            .flat_map(|a| &a.unknown)
            .map(|place| (place, "holds; not known whether a run comes here")),
    );
    known.extend(assertions.flat_map(|a| &a.unreachable).map(|place| (place, "no run comes here")));
    let here = known.into_iter().filter(|(place, _)| plain(&folder.join(&place.file)) == file);
    let mut lenses: Vec<CodeLens> = Vec::new();
    for (place, words) in here {
        if let Some(line) = place.line.checked_sub(1) {
            let lens = lens(line, format!("sapa: {words}"), DETAILS, uri);
            if !lenses.contains(&lens) {
                lenses.push(lens);
            }
        }
    }
    lenses
}
