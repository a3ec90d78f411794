//! Counterexamples for people and for programs.

use std::collections::HashMap;
use std::fmt::Write;

use sapa_backend::cegar::Counterexample;
use sapa_ir::goto::{Location, Module};

use crate::report::{Event, Place, Step};

/// The lines of the sources, read when they are asked for.
#[derive(Debug, Default)]
struct Sources(HashMap<String, Vec<String>>);

impl Sources {
    /// The line at a place, without blanks around it; empty if the source cannot be read again,
    /// which only costs the statement's text.
    fn line(&mut self, file: &str, line: u32) -> &str {
        let lines = self.0.entry(file.to_owned()).or_insert_with(|| {
            let text = std::fs::read(file).unwrap_or_default();
            String::from_utf8_lossy(&text).lines().map(|line| line.trim().to_owned()).collect()
        });
        let index = usize::try_from(line).unwrap_or(usize::MAX).wrapping_sub(1);
        lines.get(index).map_or("", String::as_str)
    }

    /// What stands at places, joined by ` / `.
    fn statement(&mut self, module: &Module, places: &[Location]) -> String {
        let mut statements: Vec<String> = Vec::new();
        for place in places {
            let file = module.files.get(place.file.index()).map_or("?", String::as_str);
            let line = self.line(file, place.line);
            if !line.is_empty() {
                statements.push(line.to_owned());
            }
        }
        statements.join(" / ")
    }
}

/// The steps of a counterexample as data.
#[must_use]
pub fn steps(module: &Module, counterexample: &Counterexample) -> Vec<Step> {
    let mut sources = Sources::default();
    let steps = counterexample.steps.iter().map(|step| {
        let start = step.started.map(|thread| Event::Start { thread });
        let writes = step
            .writes
            .iter()
            .map(|(name, value)| Event::Write { name: name.clone(), value: value.clone() });
        Step {
            thread: step.thread,
            place: step.locations.first().map_or_else(
                || Place { file: "?".to_owned(), ..Place::default() },
                |&location| Place::new(module, location),
            ),
            statement: sources.statement(module, &step.locations),
            events: start.into_iter().chain(writes).collect(),
        }
    });
    steps.collect()
}

/// One line a step: thread, place, statement, values.
#[must_use]
pub fn text(module: &Module, counterexample: &Counterexample) -> String {
    let mut out = String::new();
    let mut sources = Sources::default();
    for (number, step) in counterexample.steps.iter().enumerate() {
        let place = step.locations.first().map_or("?".to_owned(), |location| {
            let file = module.files.get(location.file.index()).map_or("?", String::as_str);
            format!("{file}:{}", location.line)
        });
        let _ = write!(out, "  {:>3}  thread {}  {place}", number + 1, step.thread);
        let statement = sources.statement(module, &step.locations);
        if !statement.is_empty() {
            let _ = write!(out, "  {statement}");
        }
        if let Some(started) = step.started {
            let _ = write!(out, "  [starts thread {started}]");
        }
        let values: Vec<_> =
            step.writes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if !values.is_empty() {
            let _ = write!(out, "  ({})", values.join(", "));
        }
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "Failed assertion at {}: {}",
        module.describe(counterexample.location),
        counterexample.property
    );
    out
}
