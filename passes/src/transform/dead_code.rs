//! `dead-code`: removes computations whose results nobody uses, block
//! parameters likewise, and blocks that cannot be reached.
//!
//! A version of a source variable is a use: it says what the variable is worth
//! from there on, in predicates. With `drop-versions` only variables of the
//! vocabulary count; predicates that are found later then see the variables of
//! the smaller program. What may cut a run off (an access through a computed
//! address, a division that may be one by zero, a shift by a computed distance,
//! a signed operation that may overflow where that is undefined) stays, so that the program keeps exactly its runs.

use rustc_hash::FxHashSet;
use sapa_ir::goto::{
    BlockId, Function, FunctionId, Instruction, MemoryOrder, Module, Op, Operand, ValueId,
};

use super::unreachable;
use crate::analysis::vocabulary::{Named, named};
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "dead-code",
    summary: "remove computations, parameters and blocks that nobody uses",
    options: &[OptionSpec {
        name: "drop-versions",
        kind: OptionKind::Switch(false),
        summary: "drop unused versions of source variables that no predicate mentions",
    }],
    preserves: &[],
    run: Run::Function(run),
};

fn run(module: &mut Module, id: FunctionId, context: &mut Context<'_>) -> Result<bool, PassError> {
    Ok(remove(module, id, context.options.switch("drop-versions")))
}

/// Removes the dead code of a function that has a body; whether there was any.
pub(super) fn remove(module: &mut Module, id: FunctionId, drop_versions: bool) -> bool {
    let removed = unreachable::remove(&mut module.functions[id.index()]);
    let live = live_values(module, id, drop_versions);
    sweep(module, id, &live) | removed
}

/// Whether an instruction can go if its result is not used.
fn is_removable(module: &Module, function: &Function, instruction: &Instruction) -> bool {
    match &instruction.op {
        Op::Nondet { .. } | Op::ThreadSelf => true,
        // An object's own address is always valid.
        Op::Load { address, order: MemoryOrder::Plain, volatile: false } => {
            let object = match address {
                Operand::Global(id) => module.globals.get(id.index()).map(|g| &g.ty),
                Operand::Slot(id) => function.slots.get(id.index()).map(|s| &s.ty),
                _ => None,
            };
            let read = instruction.result.map(|r| function.operand_type(Operand::Value(r)));
            object.zip(read).is_some_and(|(object, read)| read.size(module) <= object.size(module))
        }
        op => op.is_pure() && !op.may_be_undefined(module.signed_overflow),
    }
}

/// The values that something needs.
fn live_values(module: &Module, id: FunctionId, drop_versions: bool) -> FxHashSet<ValueId> {
    let function = module.function(id);
    let Named { values, variables } = named(module, id);
    let kept = |value: ValueId| {
        let variable = function.values.get(value.index()).and_then(|v| v.variable);
        values.contains(&value)
            || variable.is_some_and(|variable| !drop_versions || variables.contains(&variable))
    };
    // Where each value gets its own from: an instruction, or the jumps to a block.
    enum Source<'f> {
        Instruction(&'f Instruction),
        Parameter(BlockId, usize),
    }
    let mut sources: Vec<Option<Source<'_>>> = Vec::new();
    sources.resize_with(function.values.len(), || None);
    let mut pending: Vec<ValueId> = Vec::new();
    let need = |operand: Operand, pending: &mut Vec<ValueId>| pending.extend(operand.value());
    let mut jumps: Vec<Vec<&[Operand]>> = vec![Vec::new(); function.blocks.len()];
    for (block, data) in function.blocks() {
        for (index, &parameter) in data.parameters.iter().enumerate() {
            sources[parameter.index()] = Some(Source::Parameter(block, index));
            if kept(parameter) {
                pending.push(parameter);
            }
        }
        for instruction in &data.instructions {
            if let Some(result) = instruction.result {
                sources[result.index()] = Some(Source::Instruction(instruction));
                if kept(result) {
                    pending.push(result);
                }
            }
            if !is_removable(module, function, instruction) {
                instruction.op.for_each_operand(|o| need(o, &mut pending));
            }
        }
        // What a terminator reads itself; its arguments follow the parameters.
        let mut kind = data.terminator.kind.clone();
        kind.for_each_target_mut(|target| target.arguments.clear());
        kind.for_each_operand(|o| need(o, &mut pending));
    }
    for data in &function.blocks {
        let kind = &data.terminator.kind;
        kind.for_each_target(|target| jumps[target.block.index()].push(&target.arguments));
    }
    let mut live = FxHashSet::default();
    while let Some(value) = pending.pop() {
        if !live.insert(value) {
            continue;
        }
        match sources.get(value.index()).and_then(Option::as_ref) {
            Some(Source::Instruction(instruction)) => {
                instruction.op.for_each_operand(|o| need(o, &mut pending));
            }
            Some(Source::Parameter(block, index)) => {
                for arguments in &jumps[block.index()] {
                    if let Some(&argument) = arguments.get(*index) {
                        need(argument, &mut pending);
                    }
                }
            }
            None => {}
        }
    }
    live
}

/// Removes what is not live; whether there was any.
fn sweep(module: &mut Module, id: FunctionId, live: &FxHashSet<ValueId>) -> bool {
    let mut function = std::mem::take(&mut module.functions[id.index()]);
    let mut changed = function.retain(|function, i| {
        i.result.is_some_and(|r| live.contains(&r)) || !is_removable(module, function, i)
    });
    changed |= function.remove_parameters(|_, parameter| !live.contains(&parameter));
    module.functions[id.index()] = function;
    changed
}
