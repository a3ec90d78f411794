//! What a check answers: the report that `sapa check --json` writes (`docs/json.md`), as far as an editor shows it.
//! The types of [`report`](crate::report) are used where they own what they hold.

use sapa_backend::check::ThreadBound;
use sapa_backend::inconclusive::Kind;
use serde::Deserialize;
use serde_json::Value;

use super::run::Ended;
use crate::arguments::threads_text;
use crate::report::{Assertions, Place, model_text};
use crate::verdict::Exit;

/// A report.
#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    verdict: String,
    /// Why there is no answer.
    pub reason: Option<Reason>,
    threads: Option<Threads>,
    memory_model: Option<String>,
    buffers: Option<Value>,
    atomicity: Option<String>,
    decided_by: Option<String>,
    passes: Option<String>,
    properties: Option<Properties>,
    /// What the answer takes for granted.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// Which assertions runs come to.
    pub assertions: Option<Assertions>,
    /// What fails.
    pub failed_assertion: Option<Claim>,
    /// The execution that fails it.
    #[serde(default)]
    pub trace: Vec<Step>,
    /// With `--all` what is known of each assertion.
    #[serde(default)]
    pub results: Vec<Claim>,
    /// What the frontend warns of.
    #[serde(default)]
    pub warnings: Vec<Note>,
}

/// Why there is no answer.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Reason {
    /// In one text.
    pub text: String,
    /// What stood in the way, one by one.
    #[serde(default)]
    pub parts: Vec<Part>,
    /// Errors of the input, one by one.
    #[serde(default)]
    pub messages: Vec<Note>,
}

/// Something that stood in the way of a verdict.
#[derive(Clone, Debug, Deserialize)]
pub struct Part {
    kind: String,
    /// For people.
    pub text: String,
    /// What it is about.
    #[serde(flatten)]
    pub place: Option<Place>,
}

impl Part {
    /// What may help.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        Kind::ALL.into_iter().find(|kind| kind.word() == self.kind)?.help()
    }
}

#[derive(Clone, Debug, Deserialize)]
struct Threads {
    holds_for: Option<Value>,
}

#[derive(Clone, Debug, Deserialize)]
struct Properties {
    not_checked: Vec<String>,
}

/// An assertion, and what is known of it.
#[derive(Clone, Debug, Deserialize)]
pub struct Claim {
    /// What it claims.
    pub text: String,
    /// The property that it is of.
    pub property: Option<String>,
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
    /// With `--all`: `fails`, `proved`, `not_reached` or `unknown`.
    #[serde(default)]
    pub verdict: String,
    /// With `--all`, an execution that fails it.
    #[serde(default)]
    pub trace: Vec<Step>,
}

/// A step of an execution.
#[derive(Clone, Debug, Deserialize)]
pub struct Step {
    /// Who moves.
    pub thread: u32,
    /// What it runs.
    pub thread_function: Option<String>,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// What it executes.
    #[serde(default)]
    pub statement: String,
    /// What happens.
    #[serde(default)]
    pub events: Vec<Happening>,
}

/// Something that a step does.
#[derive(Clone, Debug, Deserialize)]
pub struct Happening {
    /// In words.
    pub text: String,
}

/// A warning or an error.
#[derive(Clone, Debug, Deserialize)]
pub struct Note {
    /// What is the matter.
    pub text: String,
    /// The file that it is about.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column in bytes, from 1.
    pub column: Option<u32>,
}

impl Note {
    /// Its place, if it is about a file.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        let (file, line) = (self.file.clone()?, self.line.unwrap_or(0));
        Some(Place { file, line, column: self.column, function: None })
    }
}

impl Answer {
    /// What a check that has ended answers.
    ///
    /// # Errors
    /// It wrote no report: how it ended, for people.
    pub fn of(ended: &Ended) -> Result<Self, String> {
        let answer: Result<Self, _> = serde_json::from_slice(&ended.output);
        answer.map_err(|error| {
            let how = match (ended.status, ended.output.is_empty()) {
                (Some(status), true) => format!("the check ended without a report ({status})"),
                (None, true) => "the check ended without a report".to_owned(),
                (_, false) => format!("the report of the check cannot be read: {error}"),
            };
            match ended.said.lines().last() {
                Some(line) => format!("{how}: {line}"),
                None => how,
            }
        })
    }

    /// The verdict, or which kind of error there was. A word that is not known is no verdict.
    #[must_use]
    pub fn exit(&self) -> Exit {
        Exit::of_word(&self.verdict).unwrap_or(Exit::Internal)
    }

    /// What the answer holds for and takes for granted, one thing a line.
    #[must_use]
    pub fn circumstances(&self) -> Vec<String> {
        let holds_for = self.threads.as_ref().and_then(|threads| threads.holds_for.as_ref());
        let threads = holds_for.and_then(|bound| match bound.as_u64() {
            Some(number) => u32::try_from(number).ok().map(ThreadBound::Bounded),
            None => Some(ThreadBound::Unbounded),
        });
        let mut lines: Vec<String> = threads.map(threads_text).into_iter().collect();
        lines.extend(self.memory_model.as_deref().and_then(model_text).map(str::to_owned));
        lines.extend(self.buffers.as_ref().map(|buffers| match buffers.as_str() {
            Some(word) => format!("buffers: {word}"),
            None => format!("buffers with room for {buffers} stores"),
        }));
        lines.extend(self.atomicity.as_ref().map(|atomicity| format!("{atomicity} atomicity")));
        lines.extend(self.passes.as_ref().map(|passes| format!("with --passes '{passes}'")));
        lines.extend(self.assumptions.iter().cloned());
        lines.extend(self.assertions.iter().flat_map(Assertions::words));
        lines.extend(self.decided_by.as_ref().map(|by| format!("decided by {by}")));
        let others = self.properties.as_ref().map(|properties| properties.not_checked.join(" "));
        let others = others.filter(|others| !others.is_empty() && self.exit() == Exit::Successful);
        lines.extend(others.map(|others| format!("not checked: {others}")));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_report_says_how_the_check_ended() {
        let ended = |output: &str, said: &str| Ended {
            number: 1,
            output: output.into(),
            said: said.to_owned(),
            status: None,
        };
        let why = Answer::of(&ended("", "a\nb")).unwrap_err();
        assert_eq!(why, "the check ended without a report: b");
        assert!(Answer::of(&ended("{", "")).unwrap_err().contains("cannot be read"));
        let answer = Answer::of(&ended(r#"{"verdict":"new"}"#, "")).expect("a report");
        assert_eq!(answer.exit(), Exit::Internal);
    }
}
