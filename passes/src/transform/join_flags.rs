//! `join-flags`: what a join says, as a fact about shared memory.
//!
//! The abstraction does not follow which thread a handle names, so it knows
//! nothing after a join. Where a join's handle is that of a start that is
//! executed at most once, the started function becomes a copy of its own that
//! sets a flag as its last step, and the join first waits for the flag: a
//! thread that has ended has set it, so the join waits for nothing more. What the thread ends with
//! is stored before, if somebody reads it, and the join's result is loaded from there.
//!
//! Copies multiply the states. Many starts of one function with the same arguments keep the one
//! function, which counts its ends: a join that comes after others waits for as many ends.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, BlockId, CompareOp, Function, FunctionId, Global, GlobalId, Initializer, Instruction,
    Location, MemoryOrder, Module, Op, Operand, TerminatorKind, Type, ValueId,
};

use super::copy_function;
use crate::analysis::call_graph::{CallGraph, Use};
use crate::analysis::points_to::{Object, PointsTo};
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

/// The type of a counter of ended threads.
const COUNTER: Type = Type::Int(32);

/// Starts of a function from which on their ends are counted.
const COUNTED: usize = 3;

fn run(module: &mut Module, _: &mut Context<'_>) -> Result<Changed, PassError> {
    let Some(entry) = module.entry.filter(|entry| once::functions(module).contains(entry)) else {
        return Ok(Changed::when(false, Preserved::NOTHING));
    };
    let starts = starts(module, entry);
    let joins = joins(module, entry, &starts);
    if joins.is_empty() {
        return Ok(Changed::when(false, Preserved::NOTHING));
    }
    let waits = waits(module, entry, &starts, &joins);
    let function = &mut module.functions[entry.index()];
    for block in 0..function.blocks.len() {
        let old = std::mem::take(&mut function.blocks[block].instructions);
        let mut new = Vec::with_capacity(old.len());
        for (index, instruction) in old.into_iter().enumerate() {
            let location = instruction.location;
            if let Some(wait) = waits.get(&(BlockId::new(block), index)) {
                assume_ended(function, wait, location, &mut new);
            }
            let result = waits.get(&(BlockId::new(block), index)).and_then(|wait| wait.result);
            match (result, instruction.result) {
                (Some(stored), Some(_)) => {
                    let join = Instruction { result: None, ..instruction.clone() };
                    new.extend([join, Instruction { op: load(stored), ..instruction }]);
                }
                _ => new.push(instruction),
            }
        }
        function.blocks[block].instructions = new;
    }
    Ok(Changed::when(true, Preserved::NOTHING))
}

/// Places of joins in the entry, and the handle that each waits for.
type Joins = BTreeMap<(BlockId, usize), ValueId>;

/// What a join may wait for: a global that is at least this when the thread has ended.
struct Wait {
    global: GlobalId,
    ty: Type,
    least: u128,
    /// Where the thread stored what it ended with.
    result: Option<GlobalId>,
}

/// What each join waits for; the threads do their part.
fn waits(
    module: &mut Module,
    entry: FunctionId,
    starts: &FxHashMap<ValueId, Start>,
    joins: &Joins,
) -> BTreeMap<(BlockId, usize), Wait> {
    let joined: BTreeSet<ValueId> = joins.values().copied().collect();
    let mut counters: BTreeMap<FunctionId, GlobalId> = BTreeMap::new();
    let mut flags: BTreeMap<ValueId, (GlobalId, Option<GlobalId>)> = BTreeMap::new();
    let results = results(module, entry, starts, joins);
    let with_results: BTreeSet<FunctionId> =
        results.keys().filter_map(|handle| starts.get(handle)).map(|s| s.function).collect();
    // Asked of all before any is changed: a start of a copy is none of the function any more.
    let functions = joined.iter().filter_map(|handle| starts.get(handle)).map(|s| s.function);
    let to_count: BTreeSet<FunctionId> = functions
        .filter(|function| !with_results.contains(function))
        .filter(|function| is_counted(module, entry, starts, *function))
        .collect();
    for handle in joined {
        let Some(start) = starts.get(&handle) else { continue };
        if to_count.contains(&start.function) {
            counters.entry(start.function).or_insert_with(|| counted(module, start));
        } else {
            let result = results.get(&handle);
            flags.insert(handle, flagged(module, entry, handle, start, result));
        }
    }
    let dominators = Dominators::new(&Cfg::new(module.function(entry)));
    let mut waits = BTreeMap::new();
    for (&place, handle) in joins {
        let function = starts.get(handle).map(|start| start.function);
        let wait = match function.and_then(|function| counters.get(&function)) {
            Some(&global) => {
                let same = |handle: &ValueId| starts.get(handle).map(|s| s.function) == function;
                let before = joined_before(joins, &dominators, place);
                let least = before.into_iter().filter(same).count() as u128;
                Wait { global, ty: COUNTER, least, result: None }
            }
            None => match flags.get(handle) {
                Some(&(global, result)) => Wait { global, ty: FLAG, least: 1, result },
                None => continue,
            },
        };
        waits.insert(place, wait);
    }
    waits
}

/// The types of the results that are read of joins, by whom these wait for. Not where joins of one
/// thread have results of several types, nor of threads that may end with no value, with one of
/// another type, or with an address of their own: such an address must not be stored where others
/// see it.
fn results(
    module: &Module,
    entry: FunctionId,
    starts: &FxHashMap<ValueId, Start>,
    joins: &Joins,
) -> BTreeMap<ValueId, Type> {
    let function = module.function(entry);
    let mut read: FxHashSet<ValueId> = FxHashSet::default();
    for block in &function.blocks {
        let mut look = |operand: Operand| read.extend(operand.value());
        block.instructions.iter().for_each(|i| i.op.for_each_operand(&mut look));
        block.terminator.kind.for_each_operand(&mut look);
    }
    let mut found: BTreeMap<ValueId, Type> = BTreeMap::new();
    let mut unread: BTreeSet<ValueId> = joins.values().copied().collect();
    let mut several: BTreeSet<ValueId> = BTreeSet::new();
    for (&(block, index), &handle) in joins {
        let join = function.block(block).instructions.get(index);
        let Some(result) = join.and_then(|join| join.result) else { continue };
        let ty = function.operand_type(Operand::Value(result));
        if read.contains(&result) {
            unread.remove(&handle);
        }
        if found.insert(handle, ty.clone()).is_some_and(|before| before != ty) {
            several.insert(handle);
        }
    }
    found.retain(|handle, _| !unread.contains(handle) && !several.contains(handle));
    if found.is_empty() {
        return found;
    }
    let points_to = PointsTo::new(module);
    found.retain(|handle, ty| {
        let Some(start) = starts.get(handle) else { return false };
        let started = module.function(start.function);
        started.blocks.iter().all(|block| match block.terminator.kind {
            TerminatorKind::Return(value) | TerminatorKind::EndThread(value) => {
                value.is_some_and(|value| {
                    let objects = points_to.targets(start.function, value);
                    let known = |object: &Object| {
                        *object != Object::Unknown && !object.is_per_thread(module)
                    };
                    started.operand_type(value) == *ty && objects.iter().all(known)
                })
            }
            _ => true,
        })
    });
    found
}

/// The handles whose threads have ended once a join is passed.
fn joined_before(
    joins: &Joins,
    dominators: &Dominators,
    (block, index): (BlockId, usize),
) -> BTreeSet<ValueId> {
    let is_before = |(other, at): (BlockId, usize)| {
        if other == block { at <= index } else { dominators.dominates(other, block) }
    };
    joins.iter().filter(|(place, _)| is_before(**place)).map(|(_, handle)| *handle).collect()
}

/// A start that is executed at most once.
struct Start {
    function: FunctionId,
    arguments: Vec<Operand>,
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
            let (Op::Spawn { function: Operand::Function(started), arguments }, Some(handle)) =
                (&instruction.op, instruction.result)
            else {
                continue;
            };
            let defined = ends_itself(module.function(*started)) && *started != entry;
            if defined && straight.contains(&block) {
                let (function, arguments) = (*started, arguments.clone());
                starts.insert(handle, Start { function, arguments, block, index });
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
fn joins(module: &Module, entry: FunctionId, starts: &FxHashMap<ValueId, Start>) -> Joins {
    let function = module.function(entry);
    let mut definitions: FxHashMap<ValueId, &Op> = FxHashMap::default();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        if let Some(result) = instruction.result {
            definitions.insert(result, &instruction.op);
        }
    }
    let stored = stored_once(module, entry);
    let mut joins = Joins::new();
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

/// Makes the function of a start one that sets a flag in the end, and stores what it ends with
/// before, if that is of a type here; the flag and where the result is.
fn flagged(
    module: &mut Module,
    entry: FunctionId,
    handle: ValueId,
    start: &Start,
    result: Option<&Type>,
) -> (GlobalId, Option<GlobalId>) {
    let location = module.function(entry).block(start.block).instructions[start.index].location;
    let flag = add_global(module, format!("ended#{}", handle.0), FLAG, location);
    let stored = result.map(|ty| {
        let name = format!("result#{}", handle.0);
        (add_global(module, name, ty.clone(), location), ty.clone())
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
    at_ends(&mut module.functions[copy.index()], |_, value, location, code| {
        let mut add = |op: Op| code.push(Instruction { op, result: None, location });
        if let (Some((result, ty)), Some(value)) = (&stored, value) {
            add(store(*result, ty.clone(), value));
        }
        add(store(flag, FLAG, Operand::int(8, 1)));
    });
    (flag, stored.map(|(result, _)| result))
}

/// Whether the ends of a function's threads are counted: all that is done with it is to start it at
/// most once at each of several places, with the same arguments.
fn is_counted(
    module: &Module,
    entry: FunctionId,
    starts: &FxHashMap<ValueId, Start>,
    function: FunctionId,
) -> bool {
    let starts: Vec<&Start> = starts.values().filter(|s| s.function == function).collect();
    let same =
        starts.iter().all(|start| Some(&start.arguments) == starts.first().map(|s| &s.arguments));
    let graph = CallGraph::new(module);
    let uses: usize = module
        .functions()
        .map(|(id, _)| {
            let sites = graph.sites(id).iter();
            sites.filter(|site| site.callee == Some(function)).count()
        })
        .sum();
    let in_entry = graph.sites(entry).iter().filter(|site| site.callee == Some(function)).count();
    starts.len() >= COUNTED
        && same
        && uses == starts.len()
        && in_entry == uses
        && !graph.address_taken().contains(&function)
}

/// Makes the function of a start one that counts its ends; the counter.
fn counted(module: &mut Module, start: &Start) -> GlobalId {
    let function = module.function(start.function);
    let (name, location) = (format!("ended#{}", function.name), function.location);
    let counter = add_global(module, name, COUNTER, location);
    at_ends(&mut module.functions[start.function.index()], |function, _, location, code| {
        let mut add = |op: Op, ty: Option<Type>| {
            let result = ty.map(|ty| function.add_value(ty, None));
            code.push(Instruction { op, result, location });
            result.map_or(Operand::Null, Operand::Value)
        };
        add(Op::AtomicBegin, None);
        let ended = add(load(counter), Some(COUNTER));
        let (op, b) = (BinaryOp::Add, Operand::int(32, 1));
        let sum = add(Op::Binary { op, a: ended, b, no_signed_wrap: false }, Some(COUNTER));
        add(store(counter, COUNTER, sum), None);
        add(Op::AtomicEnd, None);
    });
    counter
}

/// Adds code where a thread that runs a function ends, and with what value if with any.
fn at_ends(
    function: &mut Function,
    mut add: impl FnMut(&mut Function, Option<Operand>, Location, &mut Vec<Instruction>),
) {
    for block in 0..function.blocks.len() {
        let terminator = &function.blocks[block].terminator;
        if let TerminatorKind::Return(value) | TerminatorKind::EndThread(value) = terminator.kind {
            let location = terminator.location;
            let mut code = std::mem::take(&mut function.blocks[block].instructions);
            add(function, value, location, &mut code);
            function.blocks[block].instructions = code;
        }
    }
}

/// A global that starts with 0.
fn add_global(module: &mut Module, mut name: String, ty: Type, location: Location) -> GlobalId {
    while module.global_by_name(&name).is_some() {
        name.push('\'');
    }
    module.globals.push(Global {
        name,
        ty,
        initializer: Initializer::Zero,
        thread_local: false,
        constant: false,
        signed: false,
        location,
    });
    GlobalId::new(module.globals.len() - 1)
}

fn load(global: GlobalId) -> Op {
    let order = MemoryOrder::SequentiallyConsistent;
    Op::Load { address: Operand::Global(global), order, volatile: false }
}

fn store(global: GlobalId, ty: Type, value: Operand) -> Op {
    let order = MemoryOrder::SequentiallyConsistent;
    Op::Store { address: Operand::Global(global), value, ty, order, volatile: false }
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

/// Waits until a flag is set, or a counter has come far enough.
fn assume_ended(
    function: &mut Function,
    wait: &Wait,
    location: Location,
    code: &mut Vec<Instruction>,
) {
    code.push(Instruction { op: Op::AtomicBegin, result: None, location });
    let value = function.add_value(wait.ty.clone(), None);
    code.push(Instruction { op: load(wait.global), result: Some(value), location });
    let truth = function.add_value(BOOL, None);
    let bits = if wait.ty == COUNTER { 32 } else { 8 };
    let (value, least) = (Operand::Value(value), Operand::int(bits, wait.least));
    let op = match wait.ty {
        COUNTER => Op::Compare { op: CompareOp::UnsignedLe, a: least, b: value },
        _ => Op::Compare { op: CompareOp::Eq, a: value, b: least },
    };
    code.push(Instruction { op, result: Some(truth), location });
    let op = Op::Assume { condition: Operand::Value(truth) };
    code.push(Instruction { op, result: None, location });
    code.push(Instruction { op: Op::AtomicEnd, result: None, location });
}
