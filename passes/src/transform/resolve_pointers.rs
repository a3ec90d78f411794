//! Calls and thread starts through pointers: a comparison with each function that
//! the pointer may be, and a direct call or start of it. Part of `inline` and
//! `thread-template`.

use sapa_ir::goto::{
    Block, BlockId, CastOp, CompareOp, Entity, Function, FunctionId, Instruction, Module, Op,
    Operand, Target, Terminator, TerminatorKind, Type, types::BOOL,
};

use crate::analysis::call_graph::{CallGraph, Use};
use crate::analysis::points_to::{Object, PointsTo};
use crate::error::PassError;

/// The assumption that reaches the verdict: a pointer that is none of the
/// candidates cuts the run off.
const NOTE: &str = "assuming valid function pointers";

/// Resolves the calls (and starts) through pointers of a module; whether there
/// were any. `points_to` is that of the module as it is.
///
/// # Errors
/// If no function is known that a pointer may be.
pub(super) fn resolve_pointers(
    module: &mut Module,
    points_to: &PointsTo,
    pass: &'static str,
    kinds: &[Use],
) -> Result<bool, PassError> {
    let mut changed = false;
    for index in 0..module.functions.len() {
        let id = FunctionId::new(index);
        let mut block = 0;
        while block < module.functions[index].blocks.len() {
            let instructions = &module.functions[index].blocks[block].instructions;
            let found = instructions.iter().position(|i| match pointer(&i.op) {
                Some((kind, _, _)) => kinds.contains(&kind),
                None => false,
            });
            if let Some(at) = found {
                resolve(module, points_to, pass, id, BlockId::new(block), at)?;
                changed = true;
            }
            block += 1;
        }
    }
    if changed {
        module.note(NOTE);
    }
    Ok(changed)
}

/// The pointer and arguments of a call or start through one.
fn pointer(op: &Op) -> Option<(Use, Operand, &[Operand])> {
    match op {
        Op::Call { callee: pointer @ Operand::Value(_), arguments } => {
            Some((Use::Call, *pointer, arguments))
        }
        Op::Spawn { function: pointer @ Operand::Value(_), arguments } => {
            Some((Use::Spawn, *pointer, arguments))
        }
        _ => None,
    }
}

/// The functions of the right type that the pointer may be, with their parameters. As `f()` says
/// nothing of them in C, fewer are right too, and so is a narrower one for an `int`, which is how
/// an old definition's is passed.
fn candidates(
    module: &Module,
    points_to: &PointsTo,
    id: FunctionId,
    instruction: &Instruction,
) -> Vec<(FunctionId, Vec<Type>)> {
    let Some((kind, pointer, arguments)) = pointer(&instruction.op) else { return Vec::new() };
    let caller = module.function(id);
    let types: Vec<_> = arguments.iter().map(|a| caller.operand_type(*a)).collect();
    let result = instruction.result.map(|r| caller.operand_type(Operand::Value(r)));
    let targets = points_to.targets(id, pointer);
    let possible: Vec<FunctionId> = if targets.iter().any(|object| object.is_any()) {
        CallGraph::new(module).address_taken().iter().copied().collect()
    } else {
        let function = |object: &Object| match object {
            Object::Function(function) => Some(*function),
            _ => None,
        };
        targets.iter().filter_map(function).collect()
    };
    let int = Type::Int(module.target.int_bits);
    let is_narrower = |to: &Type| matches!(to, Type::Int(bits) if *bits < module.target.int_bits);
    let passes = |(from, to): (&Type, &Type)| from == to || (*from == int && is_narrower(to));
    let fits = |function: &Function| {
        // The result of a start is its handle.
        let returns = kind == Use::Spawn || result.is_none() || function.result == result;
        let parameters = &function.parameters;
        parameters.len() <= types.len() && types.iter().zip(parameters).all(passes) && returns
    };
    let fitting = possible.into_iter().filter(|f| fits(module.function(*f)));
    fitting.map(|f| (f, module.function(f).parameters.clone())).collect()
}

fn resolve(
    module: &mut Module,
    points_to: &PointsTo,
    pass: &'static str,
    id: FunctionId,
    block: BlockId,
    at: usize,
) -> Result<(), PassError> {
    let instruction = module.function(id).block(block).instructions[at].clone();
    let location = instruction.location;
    let candidates = candidates(module, points_to, id, &instruction);
    let Some((kind, pointer, arguments)) = pointer(&instruction.op) else { return Ok(()) };
    if candidates.is_empty() {
        let message = "no function of this type is known that the pointer may be";
        return Err(PassError::new(pass, module, Entity::Instruction(id, block, at), message));
    }
    let function = &mut module.functions[id.index()];
    let mut rest = function.blocks[block.index()].instructions.split_off(at);
    rest.remove(0);
    let terminator = std::mem::replace(
        &mut function.blocks[block.index()].terminator,
        Terminator { kind: TerminatorKind::Unreachable, location },
    );
    // Where it goes on, with the result.
    let after = BlockId::new(function.blocks.len());
    function.blocks.push(Block {
        parameters: instruction.result.into_iter().collect(),
        instructions: rest,
        terminator,
    });
    let mut here = block;
    for (candidate, parameters) in candidates {
        let hit = function.add_block(location);
        let miss = function.add_block(location);
        let is = function.add_value(BOOL, None);
        let compare =
            Op::Compare { op: CompareOp::Eq, a: pointer, b: Operand::Function(candidate) };
        let comparison = Instruction { op: compare, result: Some(is), location };
        function.blocks[here.index()].instructions.push(comparison);
        function.blocks[here.index()].terminator.kind = TerminatorKind::Branch {
            condition: Operand::Value(is),
            then: Target::new(hit),
            otherwise: Target::new(miss),
        };
        let result = instruction.result.map(|result| {
            let ty = function.values[result.index()].ty.clone();
            function.add_value(ty, None)
        });
        let mut passed = Vec::with_capacity(parameters.len());
        for (&argument, to) in arguments.iter().zip(parameters) {
            if function.operand_type(argument) == to {
                passed.push(argument);
                continue;
            }
            let narrow = function.add_value(to, None);
            let op = Op::Cast { op: CastOp::Truncate, a: argument };
            let truncation = Instruction { op, result: Some(narrow), location };
            function.blocks[hit.index()].instructions.push(truncation);
            passed.push(Operand::Value(narrow));
        }
        let callee = Operand::Function(candidate);
        let op = match kind {
            Use::Call => Op::Call { callee, arguments: passed },
            Use::Spawn => Op::Spawn { function: callee, arguments: passed },
        };
        function.blocks[hit.index()].instructions.push(Instruction { op, result, location });
        function.blocks[hit.index()].terminator.kind = TerminatorKind::Jump(Target {
            block: after,
            arguments: result.map(Operand::Value).into_iter().collect(),
        });
        here = miss;
    }
    Ok(())
}
