//! Witness format 2.0 in YAML, and its extension 2.2 with the threads of waypoints
//! (<https://gitlab.com/sosy-lab/benchmarking/sv-witnesses>).
//!
//! A violation is a sequence of segments, one for each thing that a step does: a thread that starts (`function_enter`), a value
//! that the environment chooses (`function_return`), or else that the thread comes to a statement (an `assumption` that is true). The
//! last one is the target. The two accesses of a race are both targets and share the last segment, so that neither is first.

use std::fmt::Write;

use super::super::context::{column, sha256};
use super::super::{Context, Product};
use super::{Begun, Task, Witness, beginning, chosen, statement};
use crate::report::{Place, Report, Step};
use crate::statements::Statements;

/// The functions that start threads.
const STARTS: [&str; 2] = ["pthread_create", "thrd_create"];

/// Writes the witness of a report.
///
/// # Errors
/// Why there is none.
pub fn write(report: &Report, context: &Context) -> Product {
    let task = Task::new(report, context)?;
    let (kind, version, content) = match task.witness {
        Witness::Violation(steps) => {
            let is_concurrent = steps.iter().any(|step| step.thread != 0)
                || steps.iter().flat_map(|step| &step.events).any(|event| event.kind == "start");
            let mut writer = Writer {
                task: &task,
                context,
                sources: context.sources(),
                is_concurrent,
                segments: Vec::new(),
                begun: Begun::default(),
            };
            writer.execution(steps)?;
            let version = if is_concurrent { "2.2" } else { "2.0" };
            ("violation_sequence", version, writer.text())
        }
        Witness::Correctness => ("invariant_set", "2.0", "  content: []\n".to_owned()),
    };
    let head = head(report, &task, context);
    // Made of what is said, so that who says the same has the same.
    let digest = sha256(format!("{kind}{version}{head}{content}").as_bytes());
    let digit = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
    // Version 8 of RFC 9562: bits of our own choice.
    let uuid = format!(
        "{}-{}-8{}-8{}-{}",
        digit(0, 8),
        digit(8, 12),
        digit(13, 16),
        digit(17, 20),
        digit(20, 32)
    );
    Ok(format!(
        "- entry_type: {kind}\n  metadata:\n    format_version: {}\n    uuid: {}\n{head}{content}",
        quoted(version),
        quoted(&uuid)
    ))
}

/// The metadata behind version and identifier.
fn head(report: &Report, task: &Task<'_>, context: &Context) -> String {
    let mut text = format!(
        "    creation_time: {}\n    producer:\n      name: \"sapa\"\n      version: {}\n    task:\n      input_files:\n",
        quoted(&context.began.text()),
        quoted(report.sapa)
    );
    // Writing to a text does not fail.
    for (file, _) in &task.files {
        let _ = writeln!(text, "        - {}", quoted(file));
    }
    text.push_str("      input_file_hashes:\n");
    for (file, hash) in &task.files {
        let _ = writeln!(text, "        {}: {}", quoted(file), quoted(hash));
    }
    let model = if task.is_64_bit { "LP64" } else { "ILP32" };
    let specification = quoted(&task.specification);
    let _ = writeln!(
        text,
        "      specification: {specification}\n      data_model: \"{model}\"\n      language: \"C\""
    );
    text
}

/// A scalar in double quotes: what JSON writes is YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A waypoint.
struct Waypoint {
    kind: &'static str,
    /// Format and value.
    constraint: Option<(&'static str, String)>,
    thread: u32,
    place: Place,
}

struct Writer<'a> {
    task: &'a Task<'a>,
    context: &'a Context,
    sources: Statements,
    is_concurrent: bool,
    segments: Vec<Vec<Waypoint>>,
    begun: Begun,
}

impl Writer<'_> {
    /// The segments of an execution.
    ///
    /// # Errors
    /// If its end is in no input.
    fn execution(&mut self, steps: &[Step]) -> Result<(), String> {
        let Some((last, before)) = steps.split_last() else {
            return Err("there is no trace".to_owned());
        };
        // The access that the last one races with.
        let stands = |step: &Step| step.events.iter().any(|event| event.kind == "stand");
        let other = before.iter().rposition(|step| self.task.is_race && stands(step));
        for (number, step) in before.iter().enumerate() {
            if Some(number) != other {
                self.step(step);
            }
        }
        self.choices(last);
        let mut targets = Vec::new();
        for step in other.and_then(|number| before.get(number)).into_iter().chain([last]) {
            let place = self.task.place(&step.place, self.context);
            let place = place.ok_or("the end of the execution is in no input")?;
            let place = beginning(&statement(&mut self.sources, &place), &place);
            targets.push(Waypoint { kind: "target", constraint: None, thread: step.thread, place });
        }
        // That its thread comes there is said by the target.
        if let ([target], Some([before])) = (&*targets, self.segments.last().map(Vec::as_slice))
            && (before.kind, before.thread, &before.place)
                == ("assumption", target.thread, &target.place)
        {
            self.segments.pop();
        }
        self.segments.push(targets);
        Ok(())
    }

    /// What a step does before the last one: at least that its thread comes there.
    fn step(&mut self, step: &Step) {
        let before = self.segments.len();
        for event in step.events.iter().filter(|event| event.kind == "start") {
            let at = event.place.as_ref().unwrap_or(&step.place);
            if let Some(place) = self.closing(at, &STARTS).or_else(|| self.closing(at, &[])) {
                let thread = step.thread;
                let enter = Waypoint { kind: "function_enter", constraint: None, thread, place };
                self.segments.push(vec![enter]);
            }
        }
        self.choices(step);
        let Some(place) = self.task.place(&step.place, self.context) else { return };
        let begins = self.begun.begins(&mut self.sources, step.thread, &place);
        if self.segments.len() > before {
            return;
        }
        if let Some(place) = begins {
            let constraint = Some(("c_expression", "1".to_owned()));
            let thread = step.thread;
            self.segments.push(vec![Waypoint { kind: "assumption", constraint, thread, place }]);
        }
    }

    /// The values that a step is given.
    fn choices(&mut self, step: &Step) {
        for event in &step.events {
            let Some((function, value)) = chosen(event) else { continue };
            let at = event.place.as_ref().unwrap_or(&step.place);
            let Some(place) = self.closing(at, &[function]) else { continue };
            let constraint = Some(("ext_c_expression", format!("\\result == {value}")));
            let thread = step.thread;
            self.segments.push(vec![Waypoint {
                kind: "function_return",
                constraint,
                thread,
                place,
            }]);
        }
    }

    /// The place of the right parenthesis of the call of one of these functions at a place; `None` where the source does not
    /// show it.
    fn closing(&mut self, at: &Place, functions: &[&str]) -> Option<Place> {
        let place = self.task.place(at, self.context)?;
        let at = (place.line, place.column?);
        let (line, column) = self.sources.call_end(&place.file, at, functions)?;
        Some(Place { line, column: Some(column), ..place })
    }

    fn text(mut self) -> String {
        let mut text = "  content:\n".to_owned();
        // Writing to a text does not fail.
        for segment in std::mem::take(&mut self.segments) {
            text.push_str("    - segment:\n");
            for Waypoint { kind, constraint, thread, place } in segment {
                let _ = writeln!(
                    text,
                    "        - waypoint:\n            type: {kind}\n            action: follow"
                );
                if self.is_concurrent {
                    let _ = writeln!(text, "            thread_id: {thread}");
                }
                if let Some((format, value)) = constraint {
                    let value = quoted(&value);
                    let _ = writeln!(
                        text,
                        "            constraint:\n              format: {format}\n              value: {value}"
                    );
                }
                let _ = writeln!(
                    text,
                    "            location:\n              file_name: {}\n              line: {}",
                    quoted(&place.file),
                    place.line
                );
                if let Some(bytes) = place.column {
                    let characters = column(&mut self.sources, &place, bytes);
                    let _ = writeln!(text, "              column: {characters}");
                }
                if let Some(function) = &place.function {
                    let _ = writeln!(text, "              function: {}", quoted(function));
                }
            }
        }
        text
    }
}
