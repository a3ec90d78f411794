//! Graphs of a module in the language DOT.

use std::fmt::Write;

use sapa_ir::goto::{FunctionId, Module, print_function};

use crate::analysis::call_graph::{CallGraph, Use};

/// A string in DOT, its lines left-justified.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
    format!("\"{escaped}\"")
}

/// The control-flow graph of every function with a body: one cluster each, one
/// node a block with its instructions.
#[must_use]
pub fn control_flow(module: &Module) -> String {
    let mut out = String::from("digraph cfg {\n  node [shape=box fontname=monospace];\n");
    for (id, function) in module.functions().filter(|(_, f)| f.is_defined()) {
        let _ =
            writeln!(out, "  subgraph cluster_{} {{\n    label={};", id.0, quoted(&function.name));
        for (block, text) in function.blocks().zip(blocks(module, id)) {
            let _ = writeln!(out, "    f{}b{} [label={}];", id.0, block.0.0, quoted(&text));
            block.1.terminator.kind.for_each_target(|target| {
                let _ = writeln!(out, "    f{0}b{1} -> f{0}b{2};", id.0, block.0.0, target.block.0);
            });
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

/// The text of each block of a function.
fn blocks(module: &Module, function: FunctionId) -> Vec<String> {
    let text = print_function(module, function);
    let mut blocks: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with("bb") {
            blocks.push(String::new());
        }
        if line != "}"
            && let Some(block) = blocks.last_mut()
        {
            block.push_str(line);
            block.push('\n');
        }
    }
    blocks
}

/// Who calls whom (solid) and who starts whom as a thread (dashed).
#[must_use]
pub fn calls(module: &Module) -> String {
    let graph = CallGraph::new(module);
    let mut out = String::from("digraph calls {\n  node [fontname=monospace];\n");
    for (id, function) in module.functions() {
        let shape = if Some(id) == module.entry { " shape=doublecircle" } else { "" };
        let _ = writeln!(out, "  f{} [label={}{shape}];", id.0, quoted(&function.name));
        for site in graph.sites(id) {
            let style = if site.kind == Use::Spawn { " [style=dashed]" } else { "" };
            match site.callee {
                Some(callee) => {
                    let _ = writeln!(out, "  f{} -> f{}{style};", id.0, callee.0);
                }
                None => {
                    let _ = writeln!(out, "  f{} -> pointer{style};", id.0);
                }
            }
        }
    }
    out.push_str("}\n");
    out
}
