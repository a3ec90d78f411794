//! `constant-arguments`: a thread that is started once with constants knows them.
//!
//! `pthread_create(&t[i], 0, worker, (void *)i)` in a loop that was unrolled, with a copy of the
//! worker for each start: what the worker does with its number has constants for it.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{CastOp, Function, FunctionId, Instruction, Module, Op, Operand, ValueId};

use super::constant_propagation;
use crate::analysis::{Preserved, once};
use crate::error::PassError;
use crate::pass::{Changed, Context, Pass};

/// The pass.
pub const PASS: Pass = Pass {
    name: "constant-arguments",
    summary: "tell threads that are started once the constants that they are started with",
    options: &[],
    run,
};

fn run(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for id in once::functions(module) {
        // The start is the only use of the function.
        if Some(id) != module.entry
            && let Some(arguments) = arguments(module, id)
        {
            let mut told = false;
            for (index, argument) in arguments.into_iter().enumerate() {
                let function = &mut module.functions[id.index()];
                told |= argument.is_some_and(|op| tell(function, index, op));
            }
            if told {
                undo_casts(&mut module.functions[id.index()]);
                constant_propagation::propagate(module, id);
                changed = true;
            }
        }
    }
    Ok(Changed::when(changed, Preserved::NOTHING))
}

/// The arguments of the start of a function, where they are constants: operations on constants.
fn arguments(module: &Module, started: FunctionId) -> Option<Vec<Option<Op>>> {
    module.functions.iter().find_map(|function| {
        let code = || function.blocks.iter().flat_map(|block| &block.instructions);
        let arguments = code().find_map(|instruction| match &instruction.op {
            Op::Spawn { function, arguments } if *function == Operand::Function(started) => {
                Some(arguments)
            }
            _ => None,
        })?;
        let definitions: FxHashMap<ValueId, &Op> =
            code().filter_map(|i| Some((i.result?, &i.op))).collect();
        Some(arguments.iter().map(|argument| constant(module, *argument, &definitions)).collect())
    })
}

/// How an operand is made of constants; `None` if it is made of something else.
fn constant(
    module: &Module,
    operand: Operand,
    definitions: &FxHashMap<ValueId, &Op>,
) -> Option<Op> {
    let mut op = Op::Copy { a: operand };
    while let Op::Copy { a: Operand::Value(value) } = op {
        op = (*definitions.get(&value)?).clone();
    }
    // What cuts a run off stays with the starting thread; what each thread has an object of its own
    // of is another one here.
    let cuts = op.may_be_undefined(module.signed_overflow);
    let mut constant = op.is_pure() && !cuts;
    op.for_each_operand(|operand| {
        constant &= match operand {
            Operand::Value(_) | Operand::Slot(_) => false,
            Operand::Global(global) => {
                module.globals.get(global.index()).is_some_and(|global| !global.thread_local)
            }
            _ => true,
        };
    });
    constant.then_some(op)
}

/// Lets a function read a constant instead of its parameter, which stays as the version of a
/// source variable that it may be; whether anything read it.
fn tell(function: &mut Function, index: usize, op: Op) -> bool {
    let Some(entry) = function.blocks.first() else { return false };
    let Some(&parameter) = entry.parameters.get(index) else { return false };
    let location = entry.instructions.first().map_or(entry.terminator.location, |i| i.location);
    let known = function.add_value(function.values[parameter.index()].ty.clone(), None);
    let mut told = false;
    function.for_each_operand_mut(|operand| {
        if *operand == Operand::Value(parameter) {
            *operand = Operand::Value(known);
            told = true;
        }
    });
    if told {
        let instruction = Instruction { op, result: Some(known), location };
        function.blocks[Function::ENTRY.index()].instructions.insert(0, instruction);
    }
    told
}

/// An integer that was made a pointer and an integer again is the one it was.
fn undo_casts(function: &mut Function) {
    let code = || function.blocks.iter().flat_map(|block| &block.instructions);
    let definitions: FxHashMap<ValueId, Op> =
        code().filter_map(|i| Some((i.result?, i.op.clone()))).collect();
    let integer = |mut operand: Operand| loop {
        match definitions.get(&operand.value()?)? {
            Op::Copy { a } => operand = *a,
            Op::Cast { op: CastOp::IntToPointer, a: integer @ Operand::Int { .. } } => {
                return Some(*integer);
            }
            _ => return None,
        }
    };
    for instruction in function.blocks.iter_mut().flat_map(|block| &mut block.instructions) {
        if let Op::Cast { op: CastOp::PointerToInt, a } = instruction.op
            && let Some(a) = integer(a)
        {
            instruction.op = Op::Copy { a };
        }
    }
}
