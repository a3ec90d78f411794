//! `local-allocations`: a heap object whose address stays in values of the function that allocates it becomes a stack object.
//!
//! Many functions allocate what they work with and free it at their end. Nobody else ever has the address, so it does not
//! matter that the object is on the heap. A stack object is one object for a call, but the allocation may be in a loop: then
//! the object of one round is that of the next too, which nobody sees if no value has the address of the old object when
//! there is a new one. A value that is computed behind the allocation on all paths has none: to be
//! used behind the next allocation it would have to be computed again (it dominates its uses). So what is asked is
//! that the block of the allocation dominates all definitions of values that may point into the object.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{
    BlockId, FunctionId, Module, Op, Operand, Slot, TerminatorKind, Type, ValueId,
};
use sapa_limits::{Exceeded, Limits};

use super::allocation_sites::allocated;
use super::scalars::{make_zero, scalars_and_padding};
use crate::analysis::AnalysisKind;
use crate::analysis::call_graph::CallGraph;
use crate::analysis::once::ExecutedOnce;
use crate::analysis::points_to::{Object, PointsTo};
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "local-allocations",
    summary: "make stack objects of heap objects whose addresses stay in values of the function that allocates them",
    options: &[],
    preserves: &[AnalysisKind::of::<CallGraph>(), AnalysisKind::of::<ExecutedOnce>()],
    run: Run::Module(run),
};

/// Largest object that is made, in bytes.
const MAX_SIZE: u64 = 1 << 12;

/// An allocation, by block and index.
type Place = (BlockId, usize);

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let allocates = |op: &Op| matches!(op, Op::Allocate { .. });
    if !module.functions.iter().any(|f| f.instructions().any(|i| allocates(&i.op))) {
        return Ok(false);
    }
    let points_to = context.analyses.get::<PointsTo>(module)?;
    let let_out = points_to.let_out();
    let once = context.analyses.get::<ExecutedOnce>(module)?;
    let known_elsewhere = known_elsewhere(module, &points_to, context.limits)?;
    let mut changed = false;
    for id in (0..module.functions.len()).map(FunctionId::new) {
        context.limits.check()?;
        let mut found = candidates(module, id, &let_out);
        // Those that are made once are objects with a name of their own (`allocation-sites`).
        found.retain(|&(block, index), _| {
            !once.contains_block(id, block)
                && !known_elsewhere.contains(&object((id, block, index)))
        });
        if found.is_empty() {
            continue;
        }
        retain_local(module, id, &points_to, &mut found);
        if !found.is_empty() {
            replace(module, id, &points_to, &found);
            changed = true;
        }
    }
    Ok(changed)
}

/// The objects of allocations to which values of other functions may point.
///
/// # Errors
/// A limit ended it.
fn known_elsewhere(
    module: &Module,
    points_to: &PointsTo,
    limits: &Limits,
) -> Result<FxHashSet<Object>, Exceeded> {
    let mut found = FxHashSet::default();
    for (id, function) in module.functions() {
        limits.check()?;
        for value in (0..function.values.len()).map(ValueId::new) {
            let targets = points_to.targets(id, Operand::Value(value)).into_iter();
            found
                .extend(targets.filter(
                    |target| matches!(target, Object::Allocation(home, ..) if *home != id),
                ));
        }
    }
    Ok(found)
}

/// The allocations of a function whose objects have a type of which a stack object can be made, and are in no memory.
fn candidates(
    module: &Module,
    id: FunctionId,
    let_out: &FxHashSet<Object>,
) -> FxHashMap<Place, Type> {
    let function = module.function(id);
    let mut found = FxHashMap::default();
    for (block, data) in function.blocks() {
        for (index, instruction) in data.instructions.iter().enumerate() {
            let Some(ty) = allocated(module, function, instruction) else { continue };
            let is_zeroed = matches!(instruction.op, Op::Allocate { zeroed: true, .. });
            let is_treated = ty.size(module) <= MAX_SIZE
                && (!is_zeroed || scalars_and_padding(module, &ty).is_some());
            if is_treated && !let_out.contains(&object((id, block, index))) {
                found.insert((block, index), ty);
            }
        }
    }
    found
}

/// The abstract object of an allocation.
fn object((id, block, index): (FunctionId, BlockId, usize)) -> Object {
    Object::Allocation(id, block, u32::try_from(index).unwrap_or(u32::MAX))
}

/// Keeps the allocations whose addresses are only accessed, compared and moved within the function.
fn retain_local(
    module: &Module,
    id: FunctionId,
    points_to: &PointsTo,
    found: &mut FxHashMap<Place, Type>,
) {
    let function = module.function(id);
    let places: FxHashMap<Object, Place> =
        found.keys().map(|&(block, index)| (object((id, block, index)), (block, index))).collect();
    let among = |operand: Operand| -> BTreeSet<Place> {
        let targets = points_to.targets(id, operand);
        targets.iter().filter_map(|target| places.get(target).copied()).collect()
    };
    let mut lost: BTreeSet<Place> = BTreeSet::new();
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(&cfg);
    // A parameter of the allocation's own block is defined before it.
    let mut define = |value: ValueId, block: BlockId, is_parameter: bool| {
        for place in among(Operand::Value(value)) {
            let is_behind =
                dominators.dominates(place.0, block) && !(is_parameter && place.0 == block);
            if !is_behind {
                lost.insert(place);
            }
        }
    };
    for (block, data) in function.blocks() {
        data.parameters.iter().for_each(|&parameter| define(parameter, block, true));
        for instruction in &data.instructions {
            if let Some(result) = instruction.result {
                define(result, block, false);
            }
        }
    }
    for (_, data) in function.blocks() {
        for instruction in &data.instructions {
            match &instruction.op {
                Op::Load { .. }
                | Op::Store { .. }
                | Op::CopyMemory { .. }
                | Op::HavocMemory { .. }
                | Op::Compare { .. }
                | Op::Copy { .. }
                | Op::Select { .. }
                | Op::FieldAddress { .. }
                | Op::IndexAddress { .. } => {}
                // That of another object has to stay.
                Op::Free { address } if points_to.targets(id, *address).len() == 1 => {}
                op => op.for_each_operand(|operand| lost.extend(among(operand))),
            }
        }
        match &data.terminator.kind {
            TerminatorKind::Return(Some(value)) | TerminatorKind::EndThread(Some(value)) => {
                lost.extend(among(*value));
            }
            _ => {}
        }
    }
    found.retain(|place, _| !lost.contains(place));
}

/// Makes stack objects of allocations, and leaves out where they are freed.
fn replace(
    module: &mut Module,
    id: FunctionId,
    points_to: &PointsTo,
    found: &FxHashMap<Place, Type>,
) {
    let layouts: FxHashMap<Place, Vec<(u64, Type)>> = found
        .iter()
        .filter_map(|(&place, ty)| Some((place, scalars_and_padding(module, ty)?)))
        .collect();
    let bits = module.target.pointer_bits;
    let mut function = std::mem::take(&mut module.functions[id.index()]);
    function.rewrite(|builder, (block, index), mut instruction| {
        match &instruction.op {
            Op::Allocate { zeroed, .. } => {
                if let Some(ty) = found.get(&(block, index)) {
                    let name = format!("heap#{}", builder.function.slots.len());
                    let slot = Slot { name, ty: ty.clone(), signed: false };
                    let address = Operand::Slot(builder.function.add_slot(slot));
                    match (zeroed, layouts.get(&(block, index))) {
                        (true, Some(layout)) => make_zero(builder, address, layout, bits),
                        _ => builder.effect(Op::HavocMemory { address, ty: ty.clone() }),
                    }
                    instruction.op = Op::Copy { a: address };
                }
            }
            Op::Free { address } => {
                let is_local = |target: &Object| {
                    found.keys().any(|&(block, index)| object((id, block, index)) == *target)
                };
                if points_to.targets(id, *address).iter().any(is_local) {
                    return;
                }
            }
            _ => {}
        }
        builder.push(instruction);
    });
    module.functions[id.index()] = function;
}
