//! `thread-template`: makes every thread function a template of its own.
//!
//! SAPA's parametric program runs any number of copies of one template (section
//! 2). Here each function that threads are started with becomes one: a start
//! through a pointer is resolved to starts of the functions it may point to, a
//! function that is also called, or is the entry, gets a copy `f.thread` for
//! its threads, and a return from a template ends the thread.

use std::collections::BTreeSet;

use sapa_ir::goto::{Entity, Function, FunctionId, Module, Op, Operand, TerminatorKind};

use super::copy_function;
use super::resolve_pointers::resolve_pointers;

use crate::analysis::call_graph::{CallGraph, Use};
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "thread-template",
    summary: "give every thread function a template of its own",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let mut changed = resolve_pointers(module, context.analyses, PASS.name, &[Use::Spawn])?;
    if changed {
        context.analyses.keep(PASS.preserves);
    }
    if separate(module, &*context.analyses.get(module)?) {
        context.analyses.keep(PASS.preserves);
        changed = true;
    }
    let templates = sites(module, &*context.analyses.get(module)?, Use::Spawn);
    for index in 0..module.functions.len() {
        let is_template = templates.contains(&FunctionId::new(index));
        if is_template && !module.functions[index].is_defined() {
            let entity = Entity::Function(FunctionId::new(index));
            let message = "a thread is started with a function that has no body";
            return Err(PassError::new(PASS.name, module, entity, message));
        }
        if is_template {
            changed |= end_threads(&mut module.functions[index]);
        }
    }
    Ok(changed)
}

/// Functions that are called or started by name.
fn sites(module: &Module, graph: &CallGraph, kind: Use) -> BTreeSet<FunctionId> {
    module
        .functions()
        .flat_map(|(id, _)| graph.sites(id).to_vec())
        .filter(|site| site.kind == kind)
        .filter_map(|site| site.callee)
        .collect()
}

/// Copies functions that are started and also used otherwise; whether there were any.
fn separate(module: &mut Module, graph: &CallGraph) -> bool {
    let started = sites(module, graph, Use::Spawn);
    let called = sites(module, graph, Use::Call);
    let mut changed = false;
    for original in started {
        if !(called.contains(&original) || module.entry == Some(original)) {
            continue;
        }
        changed = true;
        let copy = copy_function::copy(module, original, ".thread");
        for function in &mut module.functions {
            for instruction in function.instructions_mut() {
                if let Op::Spawn { function: Operand::Function(id), .. } = &mut instruction.op
                    && *id == original
                {
                    *id = copy;
                }
            }
        }
    }
    changed
}

/// A return of a template ends its thread with what it returns.
fn end_threads(function: &mut Function) -> bool {
    let mut changed = false;
    for block in &mut function.blocks {
        if let TerminatorKind::Return(value) = block.terminator.kind {
            block.terminator.kind = TerminatorKind::EndThread(value);
            changed = true;
        }
    }
    changed
}
