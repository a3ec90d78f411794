//! `inline`: calls in thread functions are replaced by the callees' bodies.
//!
//! The callee's source variables become variables `callee::v` of the caller,
//! one for all its calls, and its stack objects likewise: without recursion no
//! two activations live at once. The contents of a stack object are arbitrary
//! when the activation begins, so each inlined call begins with their havoc.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    Block, BlockId, Entity, Expression, Function, FunctionId, Instruction, Location, Module,
    NameId, Op, Operand, Predicate, Slot, SlotId, SourceVariable, Target, Terminator,
    TerminatorKind, Type, ValueId, VariableId, operation,
};
use sapa_limits::Limits;

use super::recursion::unroll;
use super::resolve_pointers::resolve_pointers;
use crate::analysis::call_graph::{CallGraph, Use};
use crate::analysis::points_to::PointsTo;
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "inline",
    summary: "inline all calls into the thread functions",
    options: &[DEPTH],
    preserves: &[],
    run: Run::Module(run),
};

/// The option for recursion.
const DEPTH: OptionSpec = OptionSpec {
    name: "depth",
    kind: OptionKind::Number(0),
    summary: "how many recursive calls of a thread are inlined within each other; 0: recursion is an error",
};

/// The most recursive calls that can be asked for.
const MAX_DEPTH: u32 = 1000;

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let points_to = context.analyses.get::<PointsTo>(module)?;
    let kinds = [Use::Call, Use::Spawn];
    let mut changed = resolve_pointers(module, context.analyses, PASS.name, &kinds)?;
    if changed {
        context.analyses.keep(PASS.preserves);
    }
    let depth = context.options.number(DEPTH.name);
    let Some(depth) = u32::try_from(depth).ok().filter(|&depth| depth <= MAX_DEPTH) else {
        let message = format!("depth is {depth}; it may be {MAX_DEPTH} at most");
        return Err(PassError::new(PASS.name, module, Entity::Module, message));
    };
    if depth > 0 && unroll(module, depth, context.limits)? {
        context.analyses.keep(PASS.preserves);
        changed = true;
    }
    let roots = context.analyses.get::<CallGraph>(module)?.roots();
    for called in check_recursion(module, &roots)? {
        check_undefined(module, &points_to, called)?;
    }
    for &root in &roots {
        changed |= inline_root(module, root, context.limits)?;
    }
    for index in 0..module.functions.len() {
        if !roots.contains(&FunctionId::new(index)) && module.functions[index].is_defined() {
            // Nobody calls it any more; its id stays valid.
            let function = &mut module.functions[index];
            function.blocks.clear();
            function.values.clear();
            function.slots.clear();
            function.variables.clear();
            changed = true;
        }
    }
    changed |= drop_foreign_predicates(module);
    Ok(changed)
}

/// The calls of a function: whom, and by which instruction.
fn callees(module: &Module, id: FunctionId) -> Vec<(FunctionId, Entity)> {
    let instructions = module.function(id).entities(id);
    instructions
        .filter_map(|(entity, instruction)| match instruction.op {
            Op::Call { callee: Operand::Function(callee), .. } => Some((callee, entity)),
            _ => None,
        })
        .collect()
}

/// Depth-first search with an explicit stack: reports a cycle of calls. The functions that are
/// called, roots among them.
fn check_recursion(
    module: &Module,
    roots: &BTreeSet<FunctionId>,
) -> Result<BTreeSet<FunctionId>, PassError> {
    let mut done = BTreeSet::new();
    for &root in roots {
        let mut stack = vec![(root, callees(module, root), 0)];
        let mut open = FxHashSet::from_iter([root]);
        while let Some((function, calls, next)) = stack.last_mut() {
            let Some(&(callee, entity)) = calls.get(*next) else {
                done.insert(*function);
                open.remove(function);
                stack.pop();
                continue;
            };
            *next += 1;
            if open.contains(&callee) {
                let cycle = stack.iter().map(|(id, ..)| *id).skip_while(|id| *id != callee);
                let cycle = cycle.chain([callee]);
                let names: Vec<_> = cycle.map(|id| module.function(id).name.as_str()).collect();
                let message = format!("recursion is not supported: {}", names.join(" calls "));
                return Err(PassError::new(PASS.name, module, entity, message));
            }
            if !done.contains(&callee) {
                open.insert(callee);
                stack.push((callee, callees(module, callee), 0));
            }
        }
    }
    Ok(done)
}

/// Refuses calls of functions without a body that are told an address as a number: what they
/// return may be it, or made of it.
fn check_undefined(
    module: &Module,
    points_to: &PointsTo,
    caller: FunctionId,
) -> Result<(), PassError> {
    let function = module.function(caller);
    for (entity, instruction) in function.entities(caller) {
        let Op::Call { callee: Operand::Function(callee), arguments } = &instruction.op else {
            continue;
        };
        let callee = module.function(*callee);
        let is_told = |argument: &Operand| {
            function.operand_type(*argument) != Type::Pointer
                && !points_to.targets(caller, *argument).is_empty()
        };
        if !callee.is_defined() && arguments.iter().any(is_told) {
            let message = format!(
                "'{}' is not defined, is not known, and takes a number that may be an address",
                callee.name
            );
            return Err(PassError::new(PASS.name, module, entity, message));
        }
    }
    Ok(())
}

/// Where a callee's locals went.
#[derive(Clone, Default)]
struct Names {
    variables: Vec<VariableId>,
    slots: Vec<SlotId>,
}

fn inline_root(module: &mut Module, root: FunctionId, limits: &Limits) -> Result<bool, PassError> {
    let function = module.function(root);
    if !function.instructions().any(|instruction| matches!(instruction.op, Op::Call { .. })) {
        return Ok(false);
    }
    let mut function = function.clone();
    let mut inlined: BTreeMap<FunctionId, Names> = BTreeMap::new();
    let record = module.names.iter().position(|name| name == operation::RECORD).map(NameId::new);
    let mut changed = false;
    let mut block = 0;
    // What follows a call, by the block that it is going to be in: it is handed on from call to
    // call, and copied once.
    let mut pending: FxHashMap<usize, std::vec::IntoIter<Instruction>> = FxHashMap::default();
    while block < function.blocks.len() {
        limits.check()?;
        let mut rest = match pending.remove(&block) {
            Some(rest) => rest,
            None => std::mem::take(&mut function.blocks[block].instructions).into_iter(),
        };
        let is_plain = |instruction: &Instruction| !matches!(instruction.op, Op::Call { .. });
        let mut call = None;
        for instruction in rest.by_ref() {
            if is_plain(&instruction) {
                function.blocks[block].instructions.push(instruction);
            } else {
                call = Some(instruction);
                break;
            }
        }
        let Some(call) = call else {
            block += 1;
            continue;
        };
        changed = true;
        let Op::Call { callee, arguments } = call.op else { continue };
        let Operand::Function(callee) = callee else {
            let message = "a call through a pointer is not supported";
            return Err(PassError::at(PASS.name, Entity::Function(root), call.location, message));
        };
        if !module.function(callee).is_defined() {
            let name = module.function(callee).name.clone();
            if arguments.iter().any(|&argument| may_be_written(module, &function, argument)) {
                let message = format!("'{name}' is not defined, is not known, and takes a pointer");
                let entity = Entity::Function(root);
                return Err(PassError::at(PASS.name, entity, call.location, message));
            }
            module.note_undefined(&name);
            let operation = call.location.operation.or(Some(module.intern_name(&name)));
            let location = Location { operation, ..call.location };
            let any = |result| Instruction {
                op: Op::Nondet { unmodelled: None },
                result: Some(result),
                location,
            };
            function.blocks[block].instructions.extend(call.result.map(any));
            pending.insert(block, rest);
            continue;
        }
        let parameters = &module.function(callee).parameters;
        let passed = arguments.iter().map(|&argument| function.operand_type(argument));
        if !passed.eq(parameters.iter().cloned()) {
            let name = &module.function(callee).name;
            let message = format!(
                "'{name}' is called with other arguments than it has, which C leaves undefined"
            );
            return Err(PassError::at(PASS.name, Entity::Function(root), call.location, message));
        }
        let location = relocated(module.function(callee), call.location).unwrap_or(call.location);
        let names = inlined
            .entry(callee)
            .or_insert_with(|| adopt(module.function(callee), &mut function))
            .clone();
        // The rest of the block goes on after the callee.
        let after = BlockId::new(function.blocks.len());
        let unreachable = Terminator { kind: TerminatorKind::Unreachable, location };
        let terminator = std::mem::replace(&mut function.blocks[block].terminator, unreachable);
        function.blocks.push(Block {
            parameters: call.result.into_iter().collect(),
            instructions: Vec::new(),
            terminator,
        });
        pending.insert(after.index(), rest);
        for &slot in &names.slots {
            let ty = function.slots[slot.index()].ty.clone();
            let op = Op::HavocMemory { address: Operand::Slot(slot), ty };
            let instruction = Instruction { op, result: None, location };
            function.blocks[block].instructions.push(instruction);
        }
        let entry = copy_body(
            module.function(callee),
            &mut function,
            &names,
            after,
            call.result.is_some(),
            call.location,
            record,
        );
        let kind = TerminatorKind::Jump(Target { block: entry, arguments });
        function.blocks[block].terminator = Terminator { kind, location };
        block += 1;
    }
    if changed {
        module.functions[root.index()] = function;
        replicate_predicates(module, root, &inlined);
    }
    Ok(changed)
}

/// Whether an argument is the address of something that a callee could write or call.
fn may_be_written(module: &Module, caller: &Function, argument: Operand) -> bool {
    match argument {
        Operand::Null => false,
        Operand::Global(id) => !module.globals.get(id.index()).is_some_and(|g| g.constant),
        argument => caller.operand_type(argument) == Type::Pointer,
    }
}

/// Gives the caller the callee's variables and stack objects.
fn adopt(callee: &Function, caller: &mut Function) -> Names {
    let qualified = |name: &str| format!("{}::{name}", callee.name);
    let variables = callee
        .variables
        .iter()
        .map(|v| caller.add_variable(SourceVariable { name: qualified(&v.name), ..v.clone() }))
        .collect();
    let slots = callee
        .slots
        .iter()
        .map(|s| caller.add_slot(Slot { name: qualified(&s.name), ..s.clone() }))
        .collect();
    Names { variables, slots }
}

/// Where the instructions of a callee are if it is a function of the library: its code is not the
/// program's, which only calls it.
fn relocated(callee: &Function, call: Location) -> Option<Location> {
    let own = callee.location.operation?;
    Some(Location { operation: call.operation.or(Some(own)), ..call })
}

/// Copies the callee's blocks; the id of its entry. Returns go to `after`. What is a part of a record stays one.
fn copy_body(
    callee: &Function,
    caller: &mut Function,
    names: &Names,
    after: BlockId,
    has_result: bool,
    call: Location,
    record: Option<NameId>,
) -> BlockId {
    let moved = relocated(callee, call);
    let first_value = caller.values.len();
    let first_block = caller.blocks.len();
    for value in &callee.values {
        let variable = value.variable.and_then(|v| names.variables.get(v.index()).copied());
        caller.add_value(value.ty.clone(), variable);
    }
    let value = |v: ValueId| ValueId::new(first_value + v.index());
    let operand = |o: &mut Operand| match o {
        Operand::Value(v) => *v = value(*v),
        Operand::Slot(s) => {
            if let Some(&slot) = names.slots.get(s.index()) {
                *s = slot;
            }
        }
        _ => {}
    };
    for block in &callee.blocks {
        let mut block = block.clone();
        block.parameters.iter_mut().for_each(|p| *p = value(*p));
        for instruction in &mut block.instructions {
            instruction.op.for_each_operand_mut(operand);
            instruction.result = instruction.result.map(value);
            if let Some(moved) = moved {
                let own = instruction.location.operation.filter(|&own| Some(own) == record);
                instruction.location = Location { operation: own.or(moved.operation), ..moved };
            }
        }
        block.terminator.location = moved.unwrap_or(block.terminator.location);
        block.terminator.kind.for_each_operand_mut(operand);
        block
            .terminator
            .kind
            .for_each_target_mut(|t| t.block = BlockId::new(first_block + t.block.index()));
        if let TerminatorKind::Return(result) = &block.terminator.kind {
            let arguments = if has_result { result.iter().copied().collect() } else { Vec::new() };
            block.terminator.kind = TerminatorKind::Jump(Target { block: after, arguments });
        }
        caller.blocks.push(block);
    }
    BlockId::new(first_block)
}

/// A predicate over a callee's locals is one over those of each caller.
fn replicate_predicates(
    module: &mut Module,
    root: FunctionId,
    inlined: &BTreeMap<FunctionId, Names>,
) {
    let mut new = Vec::new();
    for predicate in &module.predicates {
        let mut copy = predicate.clone();
        let (mut changed, mut complete) = (false, true);
        copy.expression.for_each_mut(&mut |e| match e {
            Expression::Variable { function, variable } => {
                let Some(names) = inlined.get(function) else { return };
                (*function, changed) = (root, true);
                match names.variables.get(variable.index()) {
                    Some(new) => *variable = *new,
                    None => complete = false,
                }
            }
            Expression::Slot { function, slot } => {
                let Some(names) = inlined.get(function) else { return };
                (*function, changed) = (root, true);
                match names.slots.get(slot.index()) {
                    Some(new) => *slot = *new,
                    None => complete = false,
                }
            }
            // Values are copied once per call: there is no one of that name.
            Expression::Value { function, .. } if inlined.contains_key(function) => {
                (changed, complete) = (true, false);
            }
            _ => {}
        });
        if changed && complete {
            new.push(copy);
        }
    }
    module.predicates.extend(new);
}

/// Predicates over functions that are no longer there mean nothing.
fn drop_foreign_predicates(module: &mut Module) -> bool {
    let before = module.predicates.len();
    let defined: Vec<bool> = module.functions.iter().map(Function::is_defined).collect();
    module.replace_predicates(|predicate| {
        let Predicate { expression, .. } = &predicate;
        let mut functions = expression.function().into_iter().chain(expression.other_function());
        let exists = functions.all(|f| defined.get(f.index()) == Some(&true));
        if exists { vec![predicate] } else { Vec::new() }
    });
    module.predicates.len() != before
}
