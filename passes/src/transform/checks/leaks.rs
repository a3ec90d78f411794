//! `check-leaks`: what is allocated is freed before the program ends, by the return of its entry function or by `exit`.
//!
//! A [record](super::record) has one allocation that is not freed yet. At the end there must be none: if some object is not
//! freed, it was chosen in some run.

use sapa_ir::goto::{Builder, FunctionId, Module, Op, TerminatorKind};

use super::record::Record;
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

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let allocates = |op: &Op| matches!(op, Op::Allocate { .. });
    if !module.functions.iter().any(|f| f.instructions().any(|i| allocates(&i.op))) {
        return Ok(false);
    }
    let kept = Record::new(module, "kept");
    let exits = ["exit", "__builtin_exit"].map(|name| Some(module.intern_name(name)));
    for index in 0..module.functions.len() {
        context.limits.check()?;
        let function = &mut module.functions[index];
        function.rewrite(|builder, _, instruction| match instruction.op {
            Op::Allocate { .. } => {
                let object = instruction.result;
                builder.push(instruction);
                if let Some(object) = object {
                    kept.choose(builder, sapa_ir::goto::Operand::Value(object));
                }
            }
            Op::Free { address } => {
                kept.forget(builder, address);
                builder.push(instruction);
            }
            _ => builder.push(instruction),
        });
        let is_entry = module.entry == Some(FunctionId::new(index));
        let ends = function.blocks().filter(|(_, block)| match block.terminator.kind {
            TerminatorKind::Return(_) => is_entry,
            TerminatorKind::Halt => exits.contains(&block.terminator.location.operation),
            _ => false,
        });
        let ends: Vec<_> = ends.map(|(id, block)| (id, block.terminator.clone())).collect();
        for (block, end) in ends {
            let location = sapa_ir::goto::Location { operation: None, ..end.location };
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
