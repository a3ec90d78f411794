//! Locals whose addresses may outlive them become objects of the heap, allocated when the call begins and freed
//! when it returns: whether somebody uses them later is then asked as of all that is freed. Each call has an object of
//! its own, which a stack object of an inlined function would not be. A local of a block is freed where the block is left, and
//! another object is there from then on, for the next time that the block is entered.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use sapa_ir::goto::{
    BlockId, Builder, Function, FunctionId, Location, Module, NameId, Op, Operand, Slot, SlotId,
    Terminator, TerminatorKind, Type, ValueId, operation,
};
use sapa_limits::{Exceeded, Limits};

use super::scopes;
use crate::analysis::call_graph::{CallGraph, Use};
use crate::analysis::points_to::{Object, PointsTo};

/// Of locals of calls that are left because a function that they call ends the thread.
const LEFT: &str = "assuming that no local of a call is used after `pthread_exit` has ended it from within another";

/// Makes heap objects of locals whose addresses may be kept where they outlive the call or the block: in an object that is
/// no local, in a local of a function that may be around the call, or of the same one that does not end where this one does,
/// by whom it returns to, or by a thread that was handed it. Locals of the outermost block of the entry function, which
/// returns to nobody, stay. Whether there were any.
///
/// # Errors
/// A limit ended it.
pub(super) fn allocate(
    module: &mut Module,
    points_to: &PointsTo,
    calls: &CallGraph,
    limits: &Limits,
) -> Result<bool, Exceeded> {
    let around = Around::new(module, calls);
    let found = outliving(module, points_to, &around, limits)?;
    for (&id, slots) in &found {
        limits.check()?;
        let mut locals = Vec::new();
        for &slot in slots {
            locals.push(Local::new(module, id, slot));
        }
        let mut function = std::mem::take(&mut module.functions[id.index()]);
        make_objects(module, &mut function, locals);
        module.functions[id.index()] = function;
    }
    if found.keys().any(|&id| around.may_not_return(id)) {
        module.note(LEFT);
    }
    Ok(!found.is_empty())
}

/// A local that becomes objects of the heap.
struct Local {
    slot: SlotId,
    /// The operation of the allocation, which says for which local it is.
    operation: NameId,
    /// Where the address of the object is that it is now.
    object: Slot,
    allocation: Op,
}

impl Local {
    fn new(module: &mut Module, id: FunctionId, slot: SlotId) -> Self {
        let name = &module.function(id).slots[slot.index()].name;
        let operation = format!("{}{name}{}", operation::LOCAL, operation::LOCAL_END);
        let operation = module.intern_name(&operation);
        let Slot { name, ty, .. } = &module.function(id).slots[slot.index()];
        let size = Operand::int(module.target.pointer_bits, u128::from(ty.size(module)));
        let allocation = Op::Allocate { size, zeroed: false, ty: Some(ty.clone()) };
        let object = Slot { name: format!("{name}##object"), ty: Type::Pointer, signed: false };
        Self { slot, operation, object, allocation }
    }
}

/// Lets the code of a function, which is no longer in its module, use objects of the heap instead of these locals.
fn make_objects(module: &Module, function: &mut Function, locals: Vec<Local>) {
    let mut objects: BTreeMap<SlotId, (Operand, Local)> = BTreeMap::new();
    for local in locals {
        let kept = Operand::Slot(function.add_slot(local.object.clone()));
        objects.insert(local.slot, (kept, local));
    }
    let allocate = |builder: &mut Builder<'_>, kept: Operand, local: &Local| {
        builder.location.operation = Some(local.operation);
        let object = builder.define(local.allocation.clone(), Type::Pointer);
        builder.location.operation = None;
        builder.store(Type::Pointer, kept, object);
    };
    let free = |builder: &mut Builder<'_>, kept: Operand| {
        let address = builder.load(Type::Pointer, kept);
        builder.effect(Op::Free { address });
    };
    function.rewrite(|builder, _, mut instruction| {
        if let Some((kept, local)) =
            scopes::ending(module, &instruction).and_then(|slot| objects.get(&slot))
        {
            builder.location.operation = None;
            free(builder, *kept);
            allocate(builder, *kept, local);
            return;
        }
        let mut now = BTreeMap::new();
        instruction.op.for_each_operand_mut(|operand| {
            if let Operand::Slot(slot) = *operand
                && let Some((kept, _)) = objects.get(&slot)
            {
                let load = |builder: &mut Builder<'_>| builder.load(Type::Pointer, *kept);
                *operand = *now.entry(slot).or_insert_with(|| load(builder));
            }
        });
        builder.push(instruction);
    });
    for block in (0..function.blocks.len()).map(BlockId::new) {
        let Terminator { mut kind, location } = function.block(block).terminator.clone();
        let mut builder = Builder::new(function, location);
        builder.switch_to(block);
        kind.for_each_operand_mut(|operand| {
            if let Operand::Slot(slot) = *operand
                && let Some((kept, _)) = objects.get(&slot)
            {
                *operand = builder.load(Type::Pointer, *kept);
            }
        });
        if matches!(kind, TerminatorKind::Return(_) | TerminatorKind::EndThread(_)) {
            objects.values().for_each(|(kept, _)| free(&mut builder, *kept));
        }
        builder.terminate(kind);
    }
    let location = Location { operation: None, ..function.location };
    let code = std::mem::take(&mut function.blocks[Function::ENTRY.index()].instructions);
    let mut builder = Builder::new(function, location);
    builder.switch_to(Function::ENTRY);
    objects.values().for_each(|(kept, local)| allocate(&mut builder, *kept, local));
    function.blocks[Function::ENTRY.index()].instructions.extend(code);
}

/// The locals whose addresses may outlive them, by functions.
fn outliving(
    module: &Module,
    points_to: &PointsTo,
    around: &Around,
    limits: &Limits,
) -> Result<BTreeMap<FunctionId, BTreeSet<SlotId>>, Exceeded> {
    let mut found: BTreeMap<FunctionId, BTreeSet<SlotId>> = BTreeMap::new();
    // By function: where the locals of its blocks end.
    let mut ends: Vec<BTreeMap<SlotId, BTreeSet<usize>>> = Vec::new();
    for (_, function) in module.functions() {
        limits.check()?;
        ends.push(scopes::places(module, function));
    }
    let ends_of = |id: FunctionId, slot: SlotId| ends.get(id.index())?.get(&slot);
    let mut add = |object: Object| {
        if let Object::Slot(id, slot) = object
            && (around.ends.contains(&id) || ends_of(id, slot).is_some())
        {
            found.entry(id).or_default().insert(slot);
        }
    };
    for &keeper in points_to.objects() {
        limits.check()?;
        for object in points_to.contents(keeper) {
            let is_brief = match (keeper, object) {
                (Object::Slot(of, kept_in), Object::Slot(id, slot)) => {
                    let outlives = |places: &BTreeSet<usize>| {
                        !ends_of(of, kept_in).is_some_and(|own| own.is_superset(places))
                    };
                    let is_longer = of == id && ends_of(id, slot).is_some_and(outlives);
                    is_longer || around.is_around(of, id)
                }
                _ => true,
            };
            if is_brief {
                add(object);
            }
        }
    }
    for (id, _) in module.functions() {
        for object in points_to.returned(id) {
            if matches!(object, Object::Slot(of, _) if of == id || around.is_around(id, of)) {
                add(object);
            }
        }
    }
    for (id, function) in module.functions() {
        for block in &function.blocks {
            if let TerminatorKind::EndThread(Some(value)) = block.terminator.kind {
                points_to.targets(id, value).into_iter().for_each(&mut add);
            }
        }
    }
    points_to.shared(module).into_iter().for_each(&mut add);
    for (id, function) in module.functions() {
        limits.check()?;
        let ending: BTreeSet<SlotId> = ends[id.index()].keys().copied().collect();
        if !ending.is_empty() {
            let carried = carried_over(module, id, function, &ending, points_to);
            carried.into_iter().for_each(|slot| add(Object::Slot(id, slot)));
        }
    }
    Ok(found)
}

/// The locals whose addresses are values that are used behind a place where the local ends, such as what a statement expression
/// gives: in the same block, or in any other one.
fn carried_over(
    module: &Module,
    id: FunctionId,
    function: &Function,
    ending: &BTreeSet<SlotId>,
    points_to: &PointsTo,
) -> BTreeSet<SlotId> {
    let mut found = BTreeSet::new();
    // What a value may point to of what ends.
    let targets = |value: ValueId| {
        let all = points_to.targets(id, Operand::Value(value)).into_iter();
        all.filter_map(|object| match object {
            Object::Slot(of, slot) if of == id && ending.contains(&slot) => Some(slot),
            _ => None,
        })
    };
    for block in &function.blocks {
        // Of the values of this block, those locals that have not ended since.
        let mut current: BTreeMap<ValueId, BTreeSet<SlotId>> = BTreeMap::new();
        let mut read = |current: &BTreeMap<ValueId, BTreeSet<SlotId>>, operand: Operand| {
            let Operand::Value(value) = operand else { return };
            if function.operand_type(operand) != Type::Pointer {
                return;
            }
            match current.get(&value) {
                Some(alive) => found.extend(targets(value).filter(|slot| !alive.contains(slot))),
                None => found.extend(targets(value)),
            }
        };
        for instruction in &block.instructions {
            instruction.op.for_each_operand(|operand| read(&current, operand));
            if let Some(ended) = scopes::ending(module, instruction) {
                for alive in current.values_mut() {
                    alive.remove(&ended);
                }
            }
            if let Some(result) = instruction.result
                && function.operand_type(Operand::Value(result)) == Type::Pointer
            {
                current.insert(result, targets(result).collect());
            }
        }
        block.terminator.kind.for_each_operand(|operand| read(&current, operand));
    }
    found
}

/// Which calls may be around which.
struct Around {
    /// For each function, those that its calls may come to.
    below: Vec<FxHashSet<FunctionId>>,
    /// Those whose calls end before the program does: a call or a thread runs them.
    ends: FxHashSet<FunctionId>,
    /// Those that end their thread in their own code.
    exits: FxHashSet<FunctionId>,
}

impl Around {
    fn new(module: &Module, calls: &CallGraph) -> Self {
        let callees = |id: FunctionId, kinds: &[Use]| {
            let sites = calls.sites(id).iter().filter(|site| kinds.contains(&site.kind));
            let of = |callee: Option<FunctionId>| match callee {
                Some(callee) => vec![callee],
                None => calls.address_taken().iter().copied().collect(),
            };
            sites.flat_map(|site| of(site.callee)).collect::<Vec<_>>()
        };
        let (mut ends, mut exits) = (FxHashSet::default(), FxHashSet::default());
        let mut all = Vec::new();
        for (id, function) in module.functions() {
            ends.extend(callees(id, &[Use::Call, Use::Spawn]));
            let is_exit = |kind: &TerminatorKind| matches!(kind, TerminatorKind::EndThread(_));
            if function.blocks.iter().any(|block| is_exit(&block.terminator.kind)) {
                exits.insert(id);
            }
            let mut below = FxHashSet::default();
            let mut pending = callees(id, &[Use::Call]);
            while let Some(callee) = pending.pop() {
                if below.insert(callee) {
                    pending.extend(callees(callee, &[Use::Call]));
                }
            }
            all.push(below);
        }
        let mut around = Self { below: all, ends, exits };
        if let Some(entry) = module.entry
            && (around.exits.contains(&entry) || around.may_not_return(entry))
        {
            // Other threads go on when the initial one has ended.
            around.ends.insert(entry);
        }
        around
    }

    /// Whether a call of `outer` may be around one of `inner`.
    fn is_around(&self, outer: FunctionId, inner: FunctionId) -> bool {
        self.below.get(outer.index()).is_some_and(|below| below.contains(&inner))
    }

    /// Whether what a function calls may end the thread.
    fn may_not_return(&self, id: FunctionId) -> bool {
        self.below.get(id.index()).is_some_and(|below| !below.is_disjoint(&self.exits))
    }
}
