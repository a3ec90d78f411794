//! An answer as diagnostics: what an editor shows in the files.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, Range, Uri,
};

use super::answer::{Answer, Claim, Note, Part, Step};
use super::place::{Extent, Places};
use crate::report::Place;
use crate::verdict::Exit;

/// The diagnostics of each file.
pub type Found = BTreeMap<PathBuf, Vec<Diagnostic>>;

/// More diagnostics of a run are counted only.
const MOST: usize = 200;

/// Of longer executions the last steps are shown.
const MOST_STEPS: usize = 100;

/// Of longer executions the last steps are shown, where they stand in the message.
const MOST_LINES: usize = 20;

/// More text of one message is cut off, in characters.
const LONGEST: usize = 4000;

/// What is said of a file that is no program.
const PART: &str =
    "If this file is a part of a program, name the files of the program in a 'sapa.toml'.";

/// What answers are shown with.
pub struct Shown<'s> {
    /// What relative paths are meant from.
    pub folder: &'s Path,
    /// Where what has no place is shown: a file, and a line of it (from 1).
    pub home: (&'s Path, u32),
    /// Whether a file of the program is seen to define `main`.
    pub has_main: bool,
    /// Whether the editor shows places that belong to a diagnostic. If not, the steps stand in its text.
    pub has_related: bool,
    /// Finds columns.
    pub places: Places,
    /// The URI of a file, as the editor knows it.
    pub uri: &'s dyn Fn(&Path) -> Option<Uri>,
}

/// The diagnostics of an answer.
#[must_use]
pub fn of(answer: &Answer, shown: &mut Shown<'_>) -> Found {
    let mut found = Collected::default();
    for warning in &answer.warnings {
        found.add(shown.note(warning, DiagnosticSeverity::WARNING));
    }
    let exit = answer.exit();
    for claim in answer.results.iter().filter(|claim| claim.verdict == "fails") {
        found.add(shown.failure(claim, &claim.trace, answer));
    }
    if let (Some(claim), true) = (&answer.failed_assertion, answer.results.is_empty()) {
        found.add(shown.failure(claim, &answer.trace, answer));
    }
    if let Some(reason) = &answer.reason {
        match exit {
            Exit::Inconclusive if reason.parts.is_empty() => {
                found.add(shown.inconclusive(&reason.text, None, None));
            }
            Exit::Inconclusive => reason.parts.iter().for_each(|part| {
                let Part { text, place, .. } = part;
                found.add(shown.inconclusive(text, place.as_ref(), part.help()));
            }),
            Exit::BadInput if shown.is_part(&reason.messages) => {
                let text = format!("Not checked: {}. {PART}", reason.text);
                found.add(shown.homeless(&text, DiagnosticSeverity::INFORMATION));
            }
            _ => {
                // What sapa itself does wrong is no error of the program.
                let severity = match exit {
                    Exit::Internal => DiagnosticSeverity::WARNING,
                    _ => DiagnosticSeverity::ERROR,
                };
                reason.messages.iter().for_each(|note| found.add(shown.note(note, severity)));
                if reason.messages.is_empty() {
                    found.add(shown.homeless(&reason.text, severity));
                }
            }
        }
    }
    for place in answer.assertions.iter().flat_map(|assertions| &assertions.unreachable) {
        let (path, mut diagnostic) =
            shown.at(place, "No run comes to this assertion.", DiagnosticSeverity::HINT);
        diagnostic.tags = Some(vec![DiagnosticTag::UNNECESSARY]);
        found.add((path, diagnostic));
    }
    found.finish(shown)
}

/// The diagnostic that says why there is no answer at all.
#[must_use]
pub fn of_crash(why: &str, shown: &mut Shown<'_>) -> Found {
    let (path, diagnostic) = shown.homeless(why, DiagnosticSeverity::WARNING);
    BTreeMap::from([(path, vec![diagnostic])])
}

/// The diagnostics so far.
#[derive(Default)]
struct Collected {
    found: Found,
    count: usize,
}

impl Collected {
    fn add(&mut self, (path, diagnostic): (PathBuf, Diagnostic)) {
        self.count += 1;
        let of_file = self.found.entry(path).or_default();
        // A header that is included twice says all things twice.
        if self.count <= MOST && !of_file.contains(&diagnostic) {
            of_file.push(diagnostic);
        }
    }

    fn finish(mut self, shown: &mut Shown<'_>) -> Found {
        if let Some(more) = self.count.checked_sub(MOST).filter(|more| *more > 0) {
            let text = format!("{more} more messages are not shown; 'sapa check' prints them all");
            self.count = 0;
            self.add(shown.homeless(&text, DiagnosticSeverity::INFORMATION));
        }
        self.found
    }
}

impl Shown<'_> {
    /// Whether the errors are those of a file that is a part of a program: that it has no `main`.
    fn is_part(&self, errors: &[Note]) -> bool {
        !self.has_main && !errors.is_empty() && errors.iter().all(|error| error.place().is_none())
    }

    /// The file that a report names: a path from the root without detours. `None` if there is none.
    fn file(&self, name: &str) -> Option<PathBuf> {
        let path = plain(&self.folder.join(name));
        path.is_file().then_some(path)
    }

    fn homeless(&mut self, text: &str, severity: DiagnosticSeverity) -> (PathBuf, Diagnostic) {
        let (path, line) = self.home;
        let range = self.places.range(path, line, None, Extent::Word);
        (path.to_owned(), diagnostic(range, severity, text.to_owned()))
    }

    /// A message at a place; where there is no such file, it says the place itself.
    fn at(
        &mut self,
        place: &Place,
        text: &str,
        severity: DiagnosticSeverity,
    ) -> (PathBuf, Diagnostic) {
        self.within(place, text, severity, Extent::Statement)
    }

    fn within(
        &mut self,
        place: &Place,
        text: &str,
        severity: DiagnosticSeverity,
        extent: Extent,
    ) -> (PathBuf, Diagnostic) {
        match self.file(&place.file) {
            Some(path) => {
                let range = self.places.range(&path, place.line, place.column, extent);
                (path, diagnostic(range, severity, text.to_owned()))
            }
            None => self.homeless(&format!("{place}: {text}"), severity),
        }
    }

    fn note(&mut self, note: &Note, severity: DiagnosticSeverity) -> (PathBuf, Diagnostic) {
        match note.place() {
            Some(place) => self.within(&place, &note.text, severity, Extent::Word),
            None => self.homeless(&note.text, severity),
        }
    }

    fn inconclusive(
        &mut self,
        text: &str,
        place: Option<&Place>,
        help: Option<&str>,
    ) -> (PathBuf, Diagnostic) {
        let help = help.map_or_else(String::new, |help| format!("\nWhat may help: {help}."));
        let text = format!("Not decided: {text}{help}");
        match place {
            Some(place) => self.at(place, &text, DiagnosticSeverity::INFORMATION),
            None => self.homeless(&text, DiagnosticSeverity::INFORMATION),
        }
    }

    fn failure(&mut self, claim: &Claim, trace: &[Step], answer: &Answer) -> (PathBuf, Diagnostic) {
        let most = if self.has_related { MOST_STEPS } else { MOST_LINES };
        let first = trace.len().saturating_sub(most);
        let steps = trace.iter().enumerate().skip(first);
        let mut text = format!("Failed assertion: {}", claim.text);
        if first > 0 {
            text.push_str(&format!("\nThe last {most} of {} steps are shown.", trace.len()));
        }
        let mut related = Vec::new();
        for (index, step) in steps {
            let words = words(index + 1, step);
            if !self.has_related {
                text.push_str(&format!("\n{words} ({})", step.place));
                continue;
            }
            // A step whose file is not there is shown where the assertion is.
            let place = [&step.place, &claim.place].into_iter().find_map(|place| {
                let path = self.file(&place.file)?;
                let (line, column) = (place.line, place.column);
                let range = self.places.range(&path, line, column, Extent::Statement);
                Some(Location { uri: (self.uri)(&path)?, range })
            });
            related.extend(
                place.map(|location| DiagnosticRelatedInformation { location, message: words }),
            );
        }
        for line in answer.circumstances() {
            text.push_str(&format!("\n{line}"));
        }
        let (path, mut diagnostic) = self.at(&claim.place, &text, DiagnosticSeverity::ERROR);
        diagnostic.code = claim.property.clone().map(NumberOrString::String);
        diagnostic.related_information = Some(related).filter(|related| !related.is_empty());
        (path, diagnostic)
    }
}

/// A step in words: `step 4, thread 1 (worker): read s = 0, wrote s = 1`.
fn words(number: usize, step: &Step) -> String {
    let events: Vec<&str> = step.events.iter().map(|event| event.text.as_str()).collect();
    let events = if events.is_empty() { step.statement.clone() } else { events.join(", ") };
    let function = step.thread_function.as_ref();
    let function = function.map_or_else(String::new, |name| format!(" ({name})"));
    cut(format!("step {number}, thread {}{function}: {events}", step.thread))
}

fn diagnostic(range: Range, severity: DiagnosticSeverity, text: String) -> Diagnostic {
    let source = Some("sapa".to_owned());
    Diagnostic {
        range,
        severity: Some(severity),
        source,
        message: cut(text),
        ..Diagnostic::default()
    }
}

/// A text that is not too long to be shown.
fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// A path from the root without `.` and `..`, as editors name files.
#[must_use]
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::lsp::uri;

    fn shown<'s>(home: &'s Path, has_related: bool) -> Shown<'s> {
        let folder = home.parent().expect("a folder");
        let uri = &|path: &Path| uri::of(path).parse().ok();
        Shown {
            folder,
            home: (home, 1),
            has_main: true,
            has_related,
            places: Places::default(),
            uri,
        }
    }

    fn answer(value: serde_json::Value) -> Answer {
        serde_json::from_value(value).expect("an answer")
    }

    #[test]
    fn there_are_no_more_messages_than_an_editor_can_show() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("a.c");
        std::fs::write(&home, "int x;\n".repeat(300)).expect("written");
        let warnings: Vec<_> = (1..=300)
            .map(|line| json!({ "text": "x".repeat(9000), "file": "./a.c", "line": line }))
            .collect();
        let found = of(
            &answer(json!({ "verdict": "successful", "warnings": warnings })),
            &mut shown(&home, true),
        );
        let [found] = &*found.into_values().collect::<Vec<_>>() else { panic!("one file") };
        assert_eq!(found.len(), MOST + 1);
        assert!(found.last().is_some_and(|last| last.message.starts_with("100 more")));
        assert!(found.iter().all(|d| d.message.chars().count() <= LONGEST + 1));
    }

    #[test]
    fn long_executions_are_shown_by_their_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("a.c");
        std::fs::write(&home, "assert(0);\n").expect("written");
        let step = json!({ "thread": 0, "thread_function": "main", "file": "gone.c", "line": 7, "statement": "f();", "events": [] });
        let failed =
            json!({ "text": "0", "property": "races", "file": "a.c", "line": 1, "column": 1 });
        let value =
            json!({ "verdict": "failed", "failed_assertion": failed, "trace": vec![step; 150] });
        for (has_related, lines) in [(true, 2), (false, 2 + MOST_LINES)] {
            let found = of(&answer(value.clone()), &mut shown(&home, has_related));
            let [one] = &*found.into_values().next().expect("a file") else {
                panic!("one failure")
            };
            assert_eq!(one.message.lines().count(), lines, "{}", one.message);
            assert_eq!(one.code, Some(NumberOrString::String("races".to_owned())));
            let related = one.related_information.iter().flatten().collect::<Vec<_>>();
            assert_eq!(related.len(), if has_related { MOST_STEPS } else { 0 });
            if let Some(last) = related.last() {
                assert_eq!(last.message, "step 150, thread 0 (main): f();");
                assert_eq!(last.location.uri.as_str(), uri::of(&home));
            }
        }
    }

    #[test]
    fn what_is_not_decided_says_what_may_help() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("a.c");
        std::fs::write(&home, "int main(void)\n{\n}\n").expect("written");
        let parts = json!([{ "kind": "out_of_time", "text": "out of time" }, { "kind": "new", "text": "x", "file": "a.c", "line": 2 }]);
        let value = json!({ "verdict": "inconclusive", "reason": { "text": "both", "parts": parts, "messages": [] } });
        let found = of(&answer(value), &mut shown(&home, true));
        let [time, other] = &*found.into_values().next().expect("a file") else { panic!("two") };
        assert!(time.message.contains("What may help: a longer --timeout"), "{}", time.message);
        assert_eq!(
            (time.severity, time.range.start.line),
            (Some(DiagnosticSeverity::INFORMATION), 0)
        );
        assert_eq!((other.message.as_str(), other.range.start.line), ("Not decided: x", 1));
    }
}
