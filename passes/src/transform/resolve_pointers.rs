//! Calls and thread starts through pointers: a comparison with each function that
//! the pointer may be, and a direct call or start of it. Part of `inline` and
//! `thread-template`.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{
    BlockId, Builder, CastOp, CompareOp, Entity, Function, FunctionId, Instruction, Module, Op,
    Operand, TerminatorKind, Type, ValueId,
};

use crate::analysis::Analyses;
use crate::analysis::call_graph::{CallGraph, Use};
use crate::analysis::points_to::{Object, PointsTo};
use crate::error::PassError;

/// The assumption that reaches the verdict: a pointer that is none of the
/// candidates cuts the run off.
const NOTE: &str = "assuming valid function pointers";

/// Resolves the calls (and starts) through pointers of a module, whose analyses are given; whether
/// there were any.
///
/// # Errors
/// If no function is known that a pointer may be, or a limit ends an analysis.
pub(super) fn resolve_pointers(
    module: &mut Module,
    analyses: &mut Analyses,
    pass: &'static str,
    kinds: &[Use],
) -> Result<bool, PassError> {
    let points_to = analyses.get::<PointsTo>(module)?;
    let graph = analyses.get::<CallGraph>(module)?;
    let mut changed = false;
    for id in (0..module.functions.len()).map(FunctionId::new) {
        let mut found: FxHashMap<(BlockId, usize), Vec<Candidate>> = FxHashMap::default();
        for (entity, instruction) in module.function(id).entities(id) {
            let Entity::Instruction(_, block, at) = entity else { continue };
            let Some(indirect) = pointer(&instruction.op) else { continue };
            if !kinds.contains(&indirect.0) {
                continue;
            }
            let possible = possible(&points_to, &graph, id, indirect.1);
            let candidates = candidates(module, possible, id, indirect, instruction.result);
            if candidates.is_empty() {
                let message = "no function of this type is known that the pointer may be";
                return Err(PassError::new(pass, module, entity, message));
            }
            found.insert((block, at), candidates);
        }
        if found.is_empty() {
            continue;
        }
        changed = true;
        module.functions[id.index()].rewrite(|builder, place, instruction| {
            match found.remove(&place) {
                Some(candidates) => resolve(builder, instruction, candidates),
                None => builder.push(instruction),
            }
        });
    }
    if changed {
        module.note(NOTE);
    }
    Ok(changed)
}

/// A function that a pointer may be, with its parameters.
type Candidate = (FunctionId, Vec<Type>);

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

/// The functions that a pointer of a function may be.
fn possible(
    points_to: &PointsTo,
    graph: &CallGraph,
    id: FunctionId,
    pointer: Operand,
) -> Vec<FunctionId> {
    let targets = points_to.targets(id, pointer);
    if targets.iter().any(|object| object.is_any()) {
        return graph.address_taken().iter().copied().collect();
    }
    let function = |object: &Object| match object {
        Object::Function(function) => Some(*function),
        _ => None,
    };
    targets.iter().filter_map(function).collect()
}

/// Those that a call with these arguments and this result may be one of, with their parameters.
fn candidates(
    module: &Module,
    possible: Vec<FunctionId>,
    id: FunctionId,
    (kind, _, arguments): (Use, Operand, &[Operand]),
    result: Option<ValueId>,
) -> Vec<Candidate> {
    let caller = module.function(id);
    let types: Vec<_> = arguments.iter().map(|a| caller.operand_type(*a)).collect();
    let result = result.map(|r| caller.operand_type(Operand::Value(r)));
    // The result of a start is its handle.
    let result = result.filter(|_| kind == Use::Call);
    let fits = |function: &Function| function.is_called_with(module, &types, result.as_ref());
    let fitting = possible.into_iter().filter(|f| fits(module.function(*f)));
    fitting.map(|f| (f, module.function(f).parameters.clone())).collect()
}

/// Appends a comparison with each candidate, and a direct call or start of it.
fn resolve(builder: &mut Builder<'_>, instruction: Instruction, candidates: Vec<Candidate>) {
    let Some((kind, pointer, arguments)) = pointer(&instruction.op) else { return };
    // Where it goes on, with the result.
    let after = builder.add_block();
    builder.function.blocks[after.index()].parameters.extend(instruction.result);
    for (candidate, parameters) in candidates {
        let (hit, miss) = (builder.add_block(), builder.add_block());
        let is = builder.compare(CompareOp::Eq, pointer, Operand::Function(candidate));
        builder.branch(is, hit, miss);
        builder.switch_to(hit);
        let result = instruction.result.map(|result| {
            let ty = builder.function.values[result.index()].ty.clone();
            builder.function.add_value(ty, None)
        });
        let mut passed = Vec::with_capacity(parameters.len());
        for (&argument, to) in arguments.iter().zip(parameters) {
            passed.push(match builder.function.operand_type(argument) == to {
                true => argument,
                false => builder.cast(CastOp::Truncate, argument, to),
            });
        }
        let callee = Operand::Function(candidate);
        let op = match kind {
            Use::Call => Op::Call { callee, arguments: passed },
            Use::Spawn => Op::Spawn { function: callee, arguments: passed },
        };
        builder.push(Instruction { op, result, location: instruction.location });
        let arguments = result.map(Operand::Value).into_iter().collect();
        builder.jump_with(after, arguments);
        builder.switch_to(miss);
    }
    // A pointer that is none of them cuts the run off, as the note says.
    builder.terminate(TerminatorKind::Unreachable);
    builder.switch_to(after);
}
