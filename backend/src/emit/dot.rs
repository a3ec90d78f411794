//! The control flow as a Graphviz graph: a node a location, dashed edges to started threads.

use std::fmt::Write;

use sapa_ir::boolean::flat::{FlatProgram, FlatStatement};

use super::EmitError;

/// The graph; works for every program.
///
/// # Errors
/// None: a graph can be drawn of any program.
pub fn emit(program: &FlatProgram, _threads: Option<u32>) -> Result<String, EmitError> {
    let mut text = String::from("digraph program {\n  node [shape=box, fontname=monospace];\n");
    let statement = |statement: &FlatStatement| match statement {
        FlatStatement::Skip { .. } => "skip".to_owned(),
        FlatStatement::Goto { .. } => "goto".to_owned(),
        FlatStatement::Assume { .. } => "assume".to_owned(),
        FlatStatement::Assert { .. } => "assert".to_owned(),
        FlatStatement::Assign { assignment, .. } => {
            let shared =
                assignment.shared.iter().map(|(v, _)| program.shared[v.index()].name.clone());
            let local =
                assignment.local.iter().map(|(v, _)| program.locals[v.index()].name.clone());
            let broadcast = assignment
                .broadcast
                .iter()
                .map(|(v, _)| format!("[{}]", program.locals[v.index()].name));
            let targets: Vec<String> = shared.chain(local).chain(broadcast).collect();
            if targets.is_empty() {
                "constrain".to_owned()
            } else {
                format!("{} :=", targets.join(", "))
            }
        }
        FlatStatement::StartThread { waits: false, .. } => "start_thread".to_owned(),
        FlatStatement::StartThread { waits: true, .. } => "start_thread_or_wait".to_owned(),
        FlatStatement::EndThread => "end_thread".to_owned(),
        FlatStatement::AtomicBegin { .. } => "atomic_begin".to_owned(),
        FlatStatement::AtomicEnd { .. } => "atomic_end".to_owned(),
        FlatStatement::Lock { variable, .. } => {
            format!("lock {}", program.shared[variable.index()].name)
        }
        FlatStatement::Unlock { variable, .. } => {
            format!("unlock {}", program.shared[variable.index()].name)
        }
    };
    let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    for (at, location) in program.iter() {
        let mut label = location.labels.join(" ");
        if !label.is_empty() {
            label.push_str(": ");
        }
        label.push_str(&statement(&location.statement));
        let line = location.position.line;
        let entry = if at == program.entry { ", penwidth=2" } else { "" };
        let bad = if matches!(location.statement, FlatStatement::Assert { .. }) {
            ", color=red"
        } else {
            ""
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "  n{} [label=\"{}\\nline {line}\"{entry}{bad}];",
            at.index(),
            escape(&label)
        );
        for next in location.statement.successors() {
            let _ = writeln!(text, "  n{} -> n{};", at.index(), next.index());
        }
        if let FlatStatement::StartThread { entry, .. } = &location.statement {
            let _ = writeln!(text, "  n{} -> n{} [style=dashed];", at.index(), entry.index());
        }
    }
    text.push_str("}\n");
    Ok(text)
}
