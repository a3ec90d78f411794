//! `constant-arguments`: threads know the constants that they are started with.
//!
//! `pthread_create(&t[i], 0, worker, (void *)i)` in a loop that was unrolled, with a copy of the
//! worker for each start: what the worker does with its number has constants for it. Where several
//! starts of one function give it different numbers, it assumes that it has one of them.

use rustc_hash::FxHashMap;
use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, CastOp, CompareOp, Function, FunctionId, Instruction, Module, Op, Operand, ValueId,
};

use super::constant_propagation;
use crate::analysis::call_graph::{CallGraph, Use};
use crate::analysis::definitions::Definitions;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "constant-arguments",
    summary: "tell threads the constants that they are started with",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

/// Most different constants of one parameter that its function is told of.
const MAX_CONSTANTS: usize = 16;

/// How the arguments of a start are made of constants; `None` for one that is not.
type Arguments = Vec<Option<Op>>;

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let mut changed = false;
    for (id, starts) in starts(module, context)? {
        let mut told = false;
        for index in 0..module.function(id).parameters.len() {
            let of = |arguments: &Arguments| arguments.get(index).cloned().flatten();
            let Some(mut constants) = starts.iter().map(of).collect::<Option<Vec<Op>>>() else {
                continue;
            };
            let mut distinct: Vec<Op> = Vec::new();
            constants.retain(|op| {
                let is_new = !distinct.contains(op);
                if is_new {
                    distinct.push(op.clone());
                }
                is_new
            });
            let function = &mut module.functions[id.index()];
            told |= match constants.as_slice() {
                [only] => tell(function, index, only.clone()),
                several => tell_one_of(function, index, several),
            };
        }
        if told {
            undo_casts(&mut module.functions[id.index()]);
            constant_propagation::propagate(module, id);
            changed = true;
        }
    }
    Ok(changed)
}

/// The arguments of all starts of the functions that nothing uses but to start them.
fn starts(
    module: &Module,
    context: &mut Context<'_>,
) -> Result<Vec<(FunctionId, Vec<Arguments>)>, PassError> {
    let graph = context.analyses.get::<CallGraph>(module)?;
    let mut only_started: Vec<bool> = (0..module.functions.len())
        .map(|index| {
            let id = FunctionId::new(index);
            Some(id) != module.entry && !graph.address_taken().contains(&id)
        })
        .collect();
    for (id, _) in module.functions() {
        for site in graph.sites(id).iter().filter(|site| site.kind == Use::Call) {
            if let Some(only) = site.callee.and_then(|id| only_started.get_mut(id.index())) {
                *only = false;
            }
        }
    }
    let mut found: FxHashMap<FunctionId, Vec<Arguments>> = FxHashMap::default();
    for (id, function) in module.functions() {
        let code = || function.instructions();
        if !code().any(|instruction| matches!(instruction.op, Op::Spawn { .. })) {
            continue;
        }
        context.limits.check()?;
        let known = constant_propagation::known(module, id);
        let definitions = Definitions::new(function);
        for instruction in code() {
            if let Op::Spawn { function: Operand::Function(started), arguments } = &instruction.op {
                let constants = arguments
                    .iter()
                    .map(|argument| constant(module, *argument, &definitions, &known))
                    .collect();
                found.entry(*started).or_default().push(constants);
            }
        }
    }
    let mut found: Vec<_> = found
        .into_iter()
        .filter(|(id, _)| only_started.get(id.index()).copied().unwrap_or(false))
        .filter(|(id, _)| module.function(*id).is_defined())
        .collect();
    found.sort_unstable_by_key(|(id, _)| *id);
    Ok(found)
}

/// How an operand is made of constants; `None` if it is made of something else.
fn constant(
    module: &Module,
    operand: Operand,
    definitions: &Definitions<'_>,
    known: &impl Fn(Operand) -> Operand,
) -> Option<Op> {
    let mut op = match definitions.copied(known(operand)) {
        Operand::Value(value) => definitions.get(&value)?.clone(),
        a => Op::Copy { a },
    };
    op.for_each_operand_mut(|operand| *operand = known(*operand));
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

/// The number that a constant is, also as a pointer.
fn number(op: &Op) -> Option<Operand> {
    match op {
        Op::Copy { a: a @ (Operand::Int { .. } | Operand::Null) }
        | Op::Cast { op: CastOp::IntToPointer, a: a @ Operand::Int { .. } } => Some(*a),
        _ => None,
    }
}

/// Lets a function assume that a parameter which it reads is one of several numbers; whether that
/// says anything.
fn tell_one_of(function: &mut Function, index: usize, constants: &[Op]) -> bool {
    let Some(entry) = function.blocks.first() else { return false };
    let Some(&parameter) = entry.parameters.get(index) else { return false };
    let location = entry.instructions.first().map_or(entry.terminator.location, |i| i.location);
    let is_known = constants.len() <= MAX_CONSTANTS
        && constants.iter().all(|op| number(op).is_some())
        && function.values_read().contains(&parameter);
    if !is_known {
        return false;
    }
    let ty = function.values[parameter.index()].ty.clone();
    let mut code = Vec::new();
    let mut define = |function: &mut Function, op: Op, ty| {
        let result = function.add_value(ty, None);
        code.push(Instruction { op, result: Some(result), location });
        Operand::Value(result)
    };
    let mut any = Operand::bool(false);
    for op in constants {
        let number = define(function, op.clone(), ty.clone());
        let is = Op::Compare { op: CompareOp::Eq, a: Operand::Value(parameter), b: number };
        let is = define(function, is, BOOL);
        let or = Op::Binary { op: BinaryOp::Or, a: any, b: is, no_signed_wrap: false };
        any = define(function, or, BOOL);
    }
    code.push(Instruction { op: Op::Assume { condition: any }, result: None, location });
    let entry = &mut function.blocks[Function::ENTRY.index()].instructions;
    entry.splice(0..0, code);
    true
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
    let code = || function.instructions();
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
    for instruction in function.instructions_mut() {
        if let Op::Cast { op: CastOp::PointerToInt, a } = instruction.op
            && let Some(a) = integer(a)
        {
            instruction.op = Op::Copy { a };
        }
    }
}
