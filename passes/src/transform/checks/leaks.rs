//! `check-leaks`: what is allocated is freed before the program ends, by the return of its entry function or by `exit`.
//!
//! A record (`record.rs`) has one allocation that is not freed yet. At the end there must be none: if some object is not
//! freed, it was chosen in some run.

use std::collections::BTreeSet;

use sapa_ir::goto::{
    Builder, Entity, FunctionId, Location, Module, Op, Operand, TerminatorKind, ValueId,
};

use super::is_automatic;
use super::record::Record;
use crate::analysis::call_graph::CallGraph;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "check-leaks",
    summary: "assert that what is allocated is freed before the program ends",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

/// Of programs that may end when their last thread does.
const RETURNS: &str =
    "assuming that the program ends by the return of its entry function, or by `exit`";

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let allocates = |op: &Op| matches!(op, Op::Allocate { .. });
    if !module.functions.iter().any(|f| f.instructions().any(|i| allocates(&i.op))) {
        return Ok(false);
    }
    let calls = context.analyses.get::<CallGraph>(module)?;
    let is_called = |id: FunctionId| {
        let sites = (0..module.functions.len()).flat_map(|f| calls.sites(FunctionId::new(f)));
        calls.address_taken().contains(&id) || sites.into_iter().any(|s| s.callee == Some(id))
    };
    if let Some(entry) = module.entry.filter(|&entry| is_called(entry)) {
        let message =
            "the program calls its entry function, so that the end of that need not be its own";
        return Err(PassError::new(PASS.name, module, Entity::Function(entry), message));
    }
    let ends_thread = |kind: &TerminatorKind| matches!(kind, TerminatorKind::EndThread(_));
    if module.functions.iter().any(|f| f.blocks.iter().any(|b| ends_thread(&b.terminator.kind))) {
        module.note(RETURNS);
    }
    let automatic: BTreeSet<(FunctionId, ValueId)> = module
        .functions()
        .flat_map(|(id, function)| function.instructions().map(move |i| (id, i)))
        .filter(|(_, instruction)| is_automatic(module, instruction))
        .filter_map(|(id, instruction)| Some((id, instruction.result?)))
        .collect();
    let kept = Record::new(module, "kept");
    let exits = ["exit", "__builtin_exit"].map(|name| Some(module.intern_name(name)));
    for index in 0..module.functions.len() {
        context.limits.check()?;
        let id = FunctionId::new(index);
        let function = &mut module.functions[index];
        function.rewrite(|builder, _, instruction| match instruction.op {
            Op::Allocate { .. } => {
                let object = instruction.result;
                builder.push(instruction);
                if let Some(object) = object.filter(|&object| !automatic.contains(&(id, object))) {
                    kept.choose(builder, Operand::Value(object));
                }
            }
            Op::Free { address } => {
                kept.forget(builder, address);
                builder.push(instruction);
            }
            _ => builder.push(instruction),
        });
        let is_entry = module.entry == Some(id);
        let ends = function.blocks().filter(|(_, block)| match block.terminator.kind {
            TerminatorKind::Return(_) => is_entry,
            TerminatorKind::Halt => exits.contains(&block.terminator.location.operation),
            _ => false,
        });
        let ends: Vec<_> = ends.map(|(id, block)| (id, block.terminator.clone())).collect();
        for (block, end) in ends {
            let location = Location { operation: None, ..end.location };
            let mut builder = Builder::new(function, location);
            builder.switch_to(block);
            let condition = kept.is_none(&mut builder);
            let property = "what is allocated is freed before the program ends".to_owned();
            builder.effect(Op::Assert { condition, property });
            builder.location = end.location;
            builder.terminate(end.kind);
        }
    }
    Ok(true)
}
