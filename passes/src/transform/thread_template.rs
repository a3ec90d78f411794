//! `thread-template`: makes every thread function a template of its own.
//!
//! SAPA's parametric program runs any number of copies of one template (section
//! 2). Here each function that threads are started with becomes one: a start
//! through a pointer is resolved to starts of the functions it may point to, a
//! function that is also called, or is the entry, gets a copy `f.thread` for
//! its threads, and a return from a template ends the thread.

use std::collections::BTreeSet;

use sapa_ir::goto::{
    Block, BlockId, CompareOp, Expression, Function, FunctionId, Instruction, Module, Op, Operand,
    Predicate, Target, Terminator, TerminatorKind, types::BOOL,
};

use crate::analysis::Preserved;
use crate::analysis::call_graph::{CallGraph, Use};
use crate::analysis::points_to::{Object, PointsTo};
use crate::error::PassError;
use crate::pass::{Changed, Context, Pass};

/// The pass.
pub const PASS: Pass = Pass {
    name: "thread-template",
    summary: "give every thread function a template of its own",
    options: &[],
    run,
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<Changed, PassError> {
    let points_to = context.analyses.points_to(module);
    let mut changed = resolve_starts(module, &points_to)?;
    changed |= separate(module);
    let templates = sites(module, Use::Spawn);
    for index in 0..module.functions.len() {
        let is_template = templates.contains(&FunctionId::new(index));
        if is_template && !module.functions[index].is_defined() {
            let function = &module.functions[index];
            let message = "a thread is started with a function that has no body";
            return Err(PassError::new(
                PASS.name,
                module,
                &function.name,
                function.location,
                message,
            ));
        }
        if is_template {
            changed |= end_threads(&mut module.functions[index]);
        }
    }
    Ok(Changed::when(changed, Preserved::NOTHING))
}

/// Functions that are called or started by name.
fn sites(module: &Module, kind: Use) -> BTreeSet<FunctionId> {
    let graph = CallGraph::new(module);
    module
        .functions()
        .flat_map(|(id, _)| graph.sites(id).to_vec())
        .filter(|site| site.kind == kind)
        .filter_map(|site| site.callee)
        .collect()
}

/// A start through a pointer becomes a comparison with each function it may be.
fn resolve_starts(module: &mut Module, points_to: &PointsTo) -> Result<bool, PassError> {
    let mut changed = false;
    for index in 0..module.functions.len() {
        let id = FunctionId::new(index);
        let mut block = 0;
        while block < module.functions[index].blocks.len() {
            let found = module.functions[index].blocks[block]
                .instructions
                .iter()
                .position(|i| matches!(i.op, Op::Spawn { function: Operand::Value(_), .. }));
            if let Some(at) = found {
                resolve(module, points_to, id, BlockId::new(block), at)?;
                changed = true;
            }
            block += 1;
        }
    }
    Ok(changed)
}

fn resolve(
    module: &mut Module,
    points_to: &PointsTo,
    id: FunctionId,
    block: BlockId,
    at: usize,
) -> Result<(), PassError> {
    let instruction = module.function(id).block(block).instructions[at].clone();
    let location = instruction.location;
    let Op::Spawn { function: pointer, arguments } = &instruction.op else { return Ok(()) };
    let types: Vec<_> = arguments.iter().map(|a| module.function(id).operand_type(*a)).collect();
    let targets = points_to.targets(id, *pointer);
    let unknown = targets.contains(&Object::Unknown);
    let candidates: Vec<FunctionId> = if unknown {
        CallGraph::new(module).address_taken().iter().copied().collect()
    } else {
        targets
            .iter()
            .filter_map(|o| if let Object::Function(f) = o { Some(*f) } else { None })
            .collect()
    };
    let candidates: Vec<_> =
        candidates.into_iter().filter(|f| module.function(*f).parameters == types).collect();
    if candidates.is_empty() {
        let name = module.function(id).name.clone();
        let message = "no function that this thread may be started with is known";
        return Err(PassError::new(PASS.name, module, &name, location, message));
    }
    let function = &mut module.functions[id.index()];
    let mut rest = function.blocks[block.index()].instructions.split_off(at);
    rest.remove(0);
    let terminator = std::mem::replace(
        &mut function.blocks[block.index()].terminator,
        Terminator { kind: TerminatorKind::Unreachable, location },
    );
    // After the start, with its handle.
    let after = BlockId::new(function.blocks.len());
    function.blocks.push(Block {
        parameters: instruction.result.into_iter().collect(),
        instructions: rest,
        terminator,
    });
    let mut here = block;
    for candidate in candidates {
        let start = function.add_block(location);
        let next = function.add_block(location);
        let is = function.add_value(BOOL, None);
        let compare =
            Op::Compare { op: CompareOp::Eq, a: *pointer, b: Operand::Function(candidate) };
        function.blocks[here.index()].instructions.push(Instruction {
            op: compare,
            result: Some(is),
            location,
        });
        function.blocks[here.index()].terminator.kind = TerminatorKind::Branch {
            condition: Operand::Value(is),
            then: Target::new(start),
            otherwise: Target::new(next),
        };
        let handle = instruction.result.map(|result| {
            let ty = function.values[result.index()].ty.clone();
            function.add_value(ty, None)
        });
        function.blocks[start.index()].instructions.push(Instruction {
            op: Op::Spawn { function: Operand::Function(candidate), arguments: arguments.clone() },
            result: handle,
            location,
        });
        function.blocks[start.index()].terminator.kind = TerminatorKind::Jump(Target {
            block: after,
            arguments: handle.map(Operand::Value).into_iter().collect(),
        });
        here = next;
    }
    // None of them: the pointer is no function, and the run is cut off there.
    Ok(())
}

/// Copies functions that are started and also used otherwise; whether there were any.
fn separate(module: &mut Module) -> bool {
    let started = sites(module, Use::Spawn);
    let called = sites(module, Use::Call);
    let mut changed = false;
    for original in started {
        if !(called.contains(&original) || module.entry == Some(original)) {
            continue;
        }
        changed = true;
        let copy = FunctionId::new(module.functions.len());
        let mut function = module.function(original).clone();
        let taken = |name: &str| module.function_by_name(name).is_some();
        let mut name = format!("{}.thread", function.name);
        while taken(&name) {
            name.push('\'');
        }
        function.name = name;
        module.functions.push(function);
        for function in &mut module.functions {
            for instruction in function.blocks.iter_mut().flat_map(|b| &mut b.instructions) {
                if let Op::Spawn { function: Operand::Function(id), .. } = &mut instruction.op
                    && *id == original
                {
                    *id = copy;
                }
            }
        }
        let copies: Vec<Predicate> = module
            .predicates
            .iter()
            .filter(|p| p.expression.function() == Some(original))
            .map(|p| retarget(p, copy))
            .collect();
        module.predicates.extend(copies);
    }
    changed
}

/// A predicate over the locals of a function, over those of its copy.
fn retarget(predicate: &Predicate, copy: FunctionId) -> Predicate {
    let mut predicate = predicate.clone();
    predicate.expression.for_each_mut(&mut |e| match e {
        Expression::Variable { function, .. }
        | Expression::Value { function, .. }
        | Expression::Slot { function, .. } => *function = copy,
        _ => {}
    });
    predicate
}

/// A return of a template ends its thread; nobody reads what it returns.
fn end_threads(function: &mut Function) -> bool {
    let mut changed = false;
    for block in &mut function.blocks {
        if let TerminatorKind::Return(_) = block.terminator.kind {
            block.terminator.kind = TerminatorKind::EndThread;
            changed = true;
        }
    }
    changed
}
