//! Counterexamples for people and for programs.

use sapa_backend::execution::{Counterexample, Event, Row};
use sapa_ir::goto::{Location, Module};

use crate::report::{self, Place, Step};
use crate::statements::{Statement, Statements};
use crate::trace;

/// The steps of a counterexample as data: its rows, cut where another statement begins.
/// `standard_input` is what was read there, if the program was.
#[must_use]
pub fn steps(
    module: &Module,
    counterexample: &Counterexample,
    standard_input: Option<&[u8]>,
) -> Vec<Step> {
    let mut statements = Statements::new(standard_input);
    let mut steps: Vec<Step> = Vec::new();
    // The last event's place and statement.
    let mut last: Option<(Location, Statement)> = None;
    for row in &counterexample.rows {
        for (index, event) in row.events.iter().enumerate() {
            let location = event.location;
            let file = module.files.get(location.file.index()).map_or("", String::as_str);
            let file = if location.line == 0 { "" } else { file };
            let statement = statements.at(file, location.line, location.column);
            // A row ends at another line too, which may be of the same statement.
            let goes_on = last.as_ref().is_some_and(|(before, old)| {
                let next_line = location.line > before.line && !old.text.is_empty();
                index > 0 && (location.line == 0 || *old == statement)
                    || *old == statement && next_line
            });
            match steps.last_mut().filter(|step| goes_on && step.thread == row.thread) {
                Some(step) => step.events.push(of(module, event)),
                None => steps.push(step(module, row, event, &statement)),
            }
            last = Some((location, statement));
        }
    }
    steps
}

/// An event with its place.
fn of(module: &Module, event: &Event) -> report::Event {
    let place = Some(event.location).filter(|location| location.line != 0);
    report::Event { place: place.map(|place| Place::new(module, place)), ..event.into() }
}

/// A step that begins with an event.
fn step(module: &Module, row: &Row, event: &Event, statement: &Statement) -> Step {
    let location = event.location;
    let column = statement.column(location.line, location.column);
    Step {
        thread: row.thread,
        thread_function: Some(row.thread_function.clone()),
        place: Place::new(module, Location { column, ..location }),
        statement: match &row.instruction {
            Some(instruction) => instruction.clone(),
            None => statement.text.clone(),
        },
        events: vec![of(module, event)],
    }
}

/// One line a step, then the assertion that fails.
#[must_use]
pub fn text(module: &Module, counterexample: &Counterexample, steps: &[Step]) -> String {
    let rows = trace::text(steps);
    let property = &counterexample.property;
    match counterexample.location.line {
        // The last row is its instruction.
        0 => format!("{rows}Failed assertion: {property}\n"),
        _ => {
            let place = module.describe(counterexample.location);
            format!("{rows}Failed assertion at {place}: {property}\n")
        }
    }
}
