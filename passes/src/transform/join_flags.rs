//! `join-flags`: what a join says, as a fact about shared memory.
//!
//! The abstraction does not follow which thread a handle names, so it knows
//! nothing after a join. Where a join's handle is that of a start that is
//! executed at most once, the started function becomes a copy of its own that
//! sets a flag as its last step, and the join first waits for the flag: a
//! thread that has ended has set it, so the join waits for nothing more.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BlockId, CompareOp, Function, FunctionId, Global, GlobalId, Initializer, Instruction, Location,
    MemoryOrder, Module, Op, Operand, TerminatorKind, Type, ValueId,
};

use super::copy_function;
use crate::analysis::call_graph::{CallGraph, Use};
use crate::analysis::{Preserved, once};
use crate::error::PassError;
use crate::pass::{Changed, Context, Pass};

/// The pass.
pub const PASS: Pass = Pass {
    name: "join-flags",
    summary: "let a join of a thread that is started once wait for a flag, which the thread sets in the end",
    options: &[],
    run,
};

/// The type of a flag: 0, or 1 once the thread has ended.
const FLAG: Type = Type::Int(8);

fn run(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let Some(entry) = module.entry.filter(|entry| once::functions(module).contains(entry)) else {
        return Ok(Changed::when(false, Preserved::NOTHING));
    };
    let starts = starts(module, entry);
    let joins = joins(module, entry, &starts);
    if joins.is_empty() {
        return Ok(Changed::when(false, Preserved::NOTHING));
    }
    let mut flags: FxHashMap<ValueId, GlobalId> = FxHashMap::default();
    for handle in joins.values() {
        if !flags.contains_key(handle)
            && let Some(start) = starts.get(handle)
        {
            let flag = flagged(module, entry, *handle, start);
            flags.insert(*handle, flag);
        }
    }
    let function = &mut module.functions[entry.index()];
    for block in 0..function.blocks.len() {
        let old = std::mem::take(&mut function.blocks[block].instructions);
        let mut new = Vec::with_capacity(old.len());
        for (index, instruction) in old.into_iter().enumerate() {
            let location = instruction.location;
            let handle = joins.get(&(BlockId::new(block), index));
            if let Some(flag) = handle.and_then(|handle| flags.get(handle)) {
                assume_set(function, *flag, location, &mut new);
            }
            new.push(instruction);
        }
        function.blocks[block].instructions = new;
    }
    Ok(Changed::when(true, Preserved::NOTHING))
}

/// A start that is executed at most once.
struct Start {
    function: FunctionId,
    block: BlockId,
    index: usize,
}

/// The starts of the entry that are outside loops, by the handle they define.
fn starts(module: &Module, entry: FunctionId) -> FxHashMap<ValueId, Start> {
    let function = module.function(entry);
    let straight = once::straight_blocks(function);
    let mut starts = FxHashMap::default();
    for (block, content) in function.blocks() {
        for (index, instruction) in content.instructions.iter().enumerate() {
            let (Op::Spawn { function: Operand::Function(started), .. }, Some(handle)) =
                (&instruction.op, instruction.result)
            else {
                continue;
            };
            let defined = ends_itself(module.function(*started)) && *started != entry;
            if defined && straight.contains(&block) {
                starts.insert(handle, Start { function: *started, block, index });
            }
        }
    }
    starts
}

/// Whether a thread that starts here ends here: what it calls might end it.
fn ends_itself(function: &Function) -> bool {
    let mut code = function.blocks.iter().flat_map(|block| &block.instructions);
    function.is_defined() && !code.any(|instruction| matches!(instruction.op, Op::Call { .. }))
}

/// The joins of the entry whose handle is known: where, and whose.
fn joins(
    module: &Module,
    entry: FunctionId,
    starts: &FxHashMap<ValueId, Start>,
) -> FxHashMap<(BlockId, usize), ValueId> {
    let function = module.function(entry);
    let mut definitions: FxHashMap<ValueId, &Op> = FxHashMap::default();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        if let Some(result) = instruction.result {
            definitions.insert(result, &instruction.op);
        }
    }
    let stored = stored_once(module, entry);
    let mut joins = FxHashMap::default();
    for (block, content) in function.blocks() {
        for (index, instruction) in content.instructions.iter().enumerate() {
            if let Op::Join { handle } = &instruction.op
                && let Some(handle) = origin(*handle, &definitions, &stored)
                && starts.contains_key(&handle)
            {
                joins.insert((block, index), handle);
            }
        }
    }
    joins
}

/// The value that an operand is a copy of, directly or through a global.
fn origin(
    operand: Operand,
    definitions: &FxHashMap<ValueId, &Op>,
    stored: &FxHashMap<GlobalId, Operand>,
) -> Option<ValueId> {
    let mut operand = operand;
    // A copy of a copy ends; a global that is stored from itself would not.
    for _ in 0..64 {
        let value = operand.value()?;
        match definitions.get(&value) {
            Some(Op::Copy { a }) => operand = *a,
            // Before the store it holds 0, which is no thread's handle: that join waits for ever.
            Some(Op::Load { address: Operand::Global(global), .. }) => {
                operand = *stored.get(global)?;
            }
            _ => return Some(value),
        }
    }
    None
}

/// Globals as wide as a handle that start with 0, are shared, are used as
/// addresses of loads and stores only, and are stored once, by the entry: what
/// is stored.
fn stored_once(module: &Module, entry: FunctionId) -> FxHashMap<GlobalId, Operand> {
    let handle = Type::Int(module.target.pointer_bits);
    let mut stores: FxHashMap<GlobalId, Vec<(FunctionId, Operand)>> = FxHashMap::default();
    let mut escaping: FxHashSet<GlobalId> = FxHashSet::default();
    for (id, function) in module.functions() {
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let plain = match &instruction.op {
                Op::Store { address: Operand::Global(global), value, ty, .. } if *ty == handle => {
                    stores.entry(*global).or_default().push((id, *value));
                    if *value == Operand::Global(*global) {
                        escaping.insert(*global);
                    }
                    true
                }
                Op::Load { address: Operand::Global(_), .. } => true,
                _ => false,
            };
            let mut uses = 0;
            instruction.op.for_each_operand(|operand| {
                if let Operand::Global(global) = operand {
                    uses += 1;
                    if !plain || uses > 1 {
                        escaping.insert(global);
                    }
                }
            });
        }
        for block in &function.blocks {
            block.terminator.kind.for_each_operand(|operand| {
                if let Operand::Global(global) = operand {
                    escaping.insert(global);
                }
            });
        }
    }
    let mut initial: Vec<&Initializer> = module.globals.iter().map(|g| &g.initializer).collect();
    while let Some(initializer) = initial.pop() {
        match initializer {
            Initializer::Global(global, _) => drop(escaping.insert(*global)),
            Initializer::Aggregate(items) => initial.extend(items),
            _ => {}
        }
    }
    stores.retain(|global, stores| {
        let object = module.globals.get(global.index());
        !escaping.contains(global)
            && stores.len() == 1
            && stores.iter().all(|(function, _)| *function == entry)
            && object.is_some_and(|object| {
                object.ty == handle
                    && !object.thread_local
                    && matches!(object.initializer, Initializer::Zero | Initializer::Int(0))
            })
    });
    stores
        .into_iter()
        .filter_map(|(global, stores)| stores.first().map(|(_, value)| (global, *value)))
        .collect()
}

/// Makes the function of a start one that sets a flag in the end; the flag.
fn flagged(module: &mut Module, entry: FunctionId, handle: ValueId, start: &Start) -> GlobalId {
    let flag = GlobalId::new(module.globals.len());
    let location = module.function(entry).block(start.block).instructions[start.index].location;
    let mut name = format!("ended#{}", handle.0);
    while module.global_by_name(&name).is_some() {
        name.push('\'');
    }
    module.globals.push(Global {
        name,
        ty: FLAG,
        initializer: Initializer::Zero,
        thread_local: false,
        constant: false,
        signed: false,
        location,
    });
    let copy = if is_used_elsewhere(module, entry, start) {
        copy_function::copy(module, start.function, &format!("#{}", handle.0))
    } else {
        start.function
    };
    let instruction =
        &mut module.functions[entry.index()].blocks[start.block.index()].instructions[start.index];
    if let Op::Spawn { function, .. } = &mut instruction.op {
        *function = Operand::Function(copy);
    }
    for block in &mut module.functions[copy.index()].blocks {
        if matches!(block.terminator.kind, TerminatorKind::Return(_) | TerminatorKind::EndThread(_))
        {
            let location = block.terminator.location;
            let op = Op::Store {
                address: Operand::Global(flag),
                value: Operand::int(8, 1),
                ty: FLAG,
                order: MemoryOrder::SequentiallyConsistent,
                volatile: false,
            };
            block.instructions.push(Instruction { op, result: None, location });
        }
    }
    flag
}

/// Whether a function has other uses than this start.
fn is_used_elsewhere(module: &Module, entry: FunctionId, start: &Start) -> bool {
    let graph = CallGraph::new(module);
    let sites: Vec<_> = module
        .functions()
        .flat_map(|(id, _)| graph.sites(id).iter().map(move |site| (id, *site)))
        .filter(|(_, site)| site.callee == Some(start.function))
        .collect();
    let alone = matches!(sites.as_slice(), [(id, site)] if *id == entry && site.kind == Use::Spawn);
    !alone || graph.address_taken().contains(&start.function)
}

/// Waits until a flag is set.
fn assume_set(
    function: &mut Function,
    flag: GlobalId,
    location: Location,
    code: &mut Vec<Instruction>,
) {
    let address = Operand::Global(flag);
    let order = MemoryOrder::SequentiallyConsistent;
    code.push(Instruction { op: Op::AtomicBegin, result: None, location });
    let value = function.add_value(FLAG, None);
    let op = Op::Load { address, order, volatile: false };
    code.push(Instruction { op, result: Some(value), location });
    let truth = function.add_value(BOOL, None);
    let (a, b) = (Operand::Value(value), Operand::int(8, 1));
    let op = Op::Compare { op: CompareOp::Eq, a, b };
    code.push(Instruction { op, result: Some(truth), location });
    let op = Op::Assume { condition: Operand::Value(truth) };
    code.push(Instruction { op, result: None, location });
    code.push(Instruction { op: Op::AtomicEnd, result: None, location });
}
