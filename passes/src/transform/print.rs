//! `print-predicates` and `print-call-graph`: passes that only report.

use std::fmt::Write;

use rustc_hash::FxHashSet;
use sapa_ir::goto::{Expression, Module, print_expression};

use crate::analysis::call_graph::{CallGraph, Use};
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// Prints the vocabulary.
pub const PREDICATES: Pass = Pass {
    name: "print-predicates",
    summary: "print the predicates, and whether they are shared, local or mixed",
    options: &[],
    preserves: &[],
    run: Run::Module(predicates),
};

/// Prints the call graph.
pub const CALL_GRAPH: Pass = Pass {
    name: "print-call-graph",
    summary: "print who calls and who starts whom",
    options: &[],
    preserves: &[],
    run: Run::Module(call_graph),
};

fn predicates(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    for (index, predicate) in module.predicates.iter().enumerate() {
        let class = class(module, &predicate.expression);
        let text = print_expression(module, &predicate.expression);
        let _ = writeln!(context.report, "{index}: {class}  {}  = {text}", predicate.text);
    }
    Ok(false)
}

/// SAPA section 2.1: over shared variables only, over local ones only, or over both; or over those of two
/// threads.
fn class(module: &Module, expression: &Expression) -> &'static str {
    let (mut shared, mut local) = (false, false);
    if expression.has_other() {
        return "between threads";
    }
    expression.for_each(&mut |e| match e {
        Expression::Variable { .. } | Expression::Value { .. } | Expression::Slot { .. } => {
            local = true;
        }
        Expression::Global(id) => {
            let thread_local = module.globals.get(id.index()).is_some_and(|g| g.thread_local);
            shared |= !thread_local;
            local |= thread_local;
        }
        _ => {}
    });
    match (shared, local) {
        (true, true) => "mixed",
        (false, true) => "local",
        _ => "shared",
    }
}

fn call_graph(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let graph = context.analyses.get::<CallGraph>(module)?;
    for (id, function) in module.functions() {
        let mut seen = FxHashSet::default();
        for site in graph.sites(id) {
            let word = if site.kind == Use::Call { "calls" } else { "starts" };
            let callee = site.callee.map_or("a pointer", |id| module.function(id).name.as_str());
            if seen.insert((word, callee)) {
                let _ = writeln!(context.report, "{} {word} {callee}", function.name);
            }
        }
    }
    Ok(false)
}
