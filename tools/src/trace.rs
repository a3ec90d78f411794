//! Executions as lines for people.

use std::fmt::Write;

use crate::lanes::visible;
use crate::report::Step;

/// One line a step, in columns: number, thread, place, statement, and what happens there.
#[must_use]
pub fn text(steps: &[Step]) -> String {
    let cells: Vec<[String; 3]> = steps
        .iter()
        .map(|step| {
            let thread = match &step.thread_function {
                Some(function) => format!("thread {} ({function})", step.thread),
                None => format!("thread {}", step.thread),
            };
            let place = match step.place.line {
                0 => step.place.function.clone().unwrap_or_default(),
                line => format!("{}:{line}", step.place.file),
            };
            [thread, place, shortened(&step.statement)].map(|cell| visible(&cell))
        })
        .collect();
    let width = |column: usize| {
        let cells = cells.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    let digits = steps.len().to_string().len();
    let mut out = String::new();
    for (number, (cells, step)) in cells.iter().zip(steps).enumerate() {
        let mut line = format!("  {:>digits$}", number + 1);
        for (cell, width) in cells.iter().zip(widths).filter(|(_, width)| *width > 0) {
            let _ = write!(line, "  {cell:<width$}");
        }
        let events: Vec<&str> = step.events.iter().map(|event| event.text.as_str()).collect();
        if !events.is_empty() {
            let _ = write!(line, "  ({})", visible(&events.join(", ")));
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// Columns that a statement may take.
const WIDE: usize = 72;

/// A statement that fits its column.
fn shortened(statement: &str) -> String {
    if statement.chars().count() <= WIDE {
        return statement.to_owned();
    }
    let start: String = statement.chars().take(WIDE - 3).collect();
    format!("{}...", start.trim_end())
}
