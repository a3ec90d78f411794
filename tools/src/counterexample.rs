//! Counterexamples as text.

use std::fmt::Write;

use sapa_backend::cegar::Counterexample;
use sapa_ir::goto::Module;

/// One line a step: thread, place, statement, values.
#[must_use]
pub fn text(module: &Module, counterexample: &Counterexample) -> String {
    let mut out = String::new();
    let mut sources: std::collections::HashMap<String, Vec<String>> =
        std::collections::HashMap::new();
    for (number, step) in counterexample.steps.iter().enumerate() {
        let mut places = Vec::new();
        let mut statements = Vec::new();
        for location in &step.locations {
            let file = module.files.get(location.file.index()).map_or("?", String::as_str);
            places.push(format!("{file}:{}", location.line));
            let lines = sources.entry(file.to_owned()).or_insert_with(|| {
                // A source that cannot be read again only costs the statement's text.
                let text = std::fs::read(file).unwrap_or_default();
                String::from_utf8_lossy(&text).lines().map(|line| line.trim().to_owned()).collect()
            });
            let line = usize::try_from(location.line)
                .ok()
                .and_then(|line| lines.get(line.wrapping_sub(1)));
            statements.extend(line.filter(|line| !line.is_empty()).cloned());
        }
        let _ = write!(
            out,
            "  {:>3}  thread {}  {}",
            number + 1,
            step.thread,
            places.first().map_or("?", String::as_str)
        );
        if !statements.is_empty() {
            let _ = write!(out, "  {}", statements.join(" / "));
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
