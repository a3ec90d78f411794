//! Counterexamples for people and for programs.

use std::collections::HashMap;

use sapa_backend::execution::{self, Counterexample, Event, Row, StoreNumber};
use sapa_ir::goto::{Location, Module};

use crate::lanes::{At, Source, visible};
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
    let (mut stores, mut reads) = (HashMap::<StoreNumber, Vec<At>>::new(), Vec::new());
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
            let events = steps.last().map_or(0, |step| step.events.len());
            let at = At { step: steps.len().saturating_sub(1), event: events.saturating_sub(1) };
            event.store.iter().for_each(|store| stores.entry(*store).or_default().push(at));
            reads.extend(event.source.map(|source| (at, source)));
        }
    }
    for (at, source) in reads {
        let source = match source {
            execution::Source::Initial => Some(Source::Initial),
            execution::Source::Store(store) => found(&steps, at, &stores, store).map(Source::Store),
            execution::Source::Waiting(store) => {
                found(&steps, at, &stores, store).map(Source::Waiting)
            }
        };
        let step = steps.get_mut(at.step);
        if let Some(event) = step.and_then(|step| step.events.get_mut(at.event)) {
            event.source = source;
        }
    }
    steps
}

/// The event that shows the store which another event reads from: none where it is not shown, or something else is.
fn found(
    steps: &[Step],
    read: At,
    stores: &HashMap<StoreNumber, Vec<At>>,
    store: StoreNumber,
) -> Option<At> {
    let event = |at: At| steps.get(at.step)?.events.get(at.event);
    let read = event(read)?;
    let shown = stores.get(&store)?;
    let is_same = |at: &&At| event(**at).is_some_and(|event| event.name == read.name);
    match (shown.iter().find(is_same), shown.as_slice()) {
        (Some(at), _) => {
            let values = event(*at).map(|event| &event.value).zip(Some(&read.value));
            let differ = values.is_some_and(|(a, b)| a.is_some() && b.is_some() && a != b);
            (!differ).then_some(*at)
        }
        // By another name, as members of unions have them.
        (None, [at]) => Some(*at),
        _ => None,
    }
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
    let property = visible(&counterexample.property);
    match counterexample.location.line {
        // The last row is its instruction.
        0 => format!("{rows}Failed assertion: {property}\n"),
        _ => {
            let place = visible(&module.describe(counterexample.location));
            format!("{rows}Failed assertion at {place}: {property}\n")
        }
    }
}
