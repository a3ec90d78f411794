//! `slice`: what cannot influence any assertion goes.
//!
//! Assertions, assumptions, jumps, calls, thread starts and ends, locks and
//! atomic sections stay; so do stores to objects that something which stays may
//! read, and what these compute. A store to an object that nothing reads goes if
//! its address is the object itself; through a computed address it might cut the
//! run off. So a failing assertion can be reached after the pass exactly if it
//! could before. Objects and variables of the vocabulary count as read.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{Expression, Function, FunctionId, Module, Op, Operand};

use super::dead_code;
use crate::analysis::points_to::{Object, PointsTo};
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "slice",
    summary: "remove what cannot influence an assertion",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let points_to = context.analyses.get::<PointsTo>(module)?;
    let mut changed = false;
    loop {
        context.limits.check()?;
        // Without its reader, a store is not needed; without the store, what it reads is not.
        let mut removed = remove_stores(module, &points_to);
        for id in (0..module.functions.len()).map(FunctionId::new) {
            removed |= module.function(id).is_defined() && dead_code::remove(module, id, false);
        }
        changed |= removed;
        if !removed {
            return Ok(changed);
        }
    }
}

/// Objects that are read, by instructions or predicates; `None` if all may be.
fn read_objects(module: &Module, points_to: &PointsTo) -> Option<FxHashSet<Object>> {
    let mut read = FxHashSet::default();
    for (id, function) in module.functions() {
        for instruction in function.instructions() {
            let mut reads = |operand: Operand| read.extend(points_to.targets(id, operand));
            match &instruction.op {
                Op::Load { address, .. } => reads(*address),
                Op::CopyMemory { source, .. } => reads(*source),
                Op::Sync { arguments, .. } => arguments.iter().copied().for_each(reads),
                // A function without a body may read what it is told of.
                Op::Call { arguments, .. } => arguments.iter().copied().for_each(reads),
                _ => {}
            }
        }
    }
    for predicate in &module.predicates {
        predicate.expression.for_each(&mut |e| match e {
            Expression::Global(id) => drop(read.insert(Object::Global(*id))),
            Expression::Slot { function, slot } => {
                read.insert(Object::Slot(*function, *slot));
            }
            _ => {}
        });
    }
    // A dereference in the vocabulary reads what the address may be.
    let dereferences = module.predicates.iter().any(|p| {
        let mut found = false;
        p.expression.for_each(&mut |e| {
            if let Expression::Load { address, .. } = e {
                found |= !is_direct(address);
            }
        });
        found
    });
    (!dereferences && !read.iter().any(|object| object.is_any())).then_some(read)
}

/// Whether an address is an object, or a member or element of one.
fn is_direct(address: &Expression) -> bool {
    match address {
        Expression::Global(_) | Expression::Slot { .. } => true,
        Expression::FieldAddress { base, .. } | Expression::IndexAddress { base, .. } => {
            is_direct(base)
        }
        _ => false,
    }
}

/// Removes stores to whole objects that nothing reads; whether there were any.
fn remove_stores(module: &mut Module, points_to: &PointsTo) -> bool {
    let Some(read) = read_objects(module, points_to) else { return false };
    let sizes: FxHashMap<Object, u64> = module
        .globals
        .iter()
        .enumerate()
        .map(|(index, g)| (Object::Global(sapa_ir::goto::GlobalId::new(index)), g.ty.size(module)))
        .collect();
    let mut changed = false;
    for index in 0..module.functions.len() {
        let id = FunctionId::new(index);
        let mut function = std::mem::take(&mut module.functions[index]);
        changed |= function.retain(|function, instruction| match &instruction.op {
            Op::Store { address, ty, volatile: false, .. } | Op::HavocMemory { address, ty } => {
                whole(module, function, id, *address, ty.size(module), &sizes)
                    .is_none_or(|object| read.contains(&object))
            }
            _ => true,
        });
        module.functions[index] = function;
    }
    changed
}

/// The object that an address is, if an access of that size is within it.
fn whole(
    module: &Module,
    function: &Function,
    id: FunctionId,
    address: Operand,
    size: u64,
    sizes: &FxHashMap<Object, u64>,
) -> Option<Object> {
    let (object, all) = match address {
        Operand::Global(global) => {
            let object = Object::Global(global);
            (object, sizes.get(&object).copied()?)
        }
        Operand::Slot(slot) => {
            (Object::Slot(id, slot), function.slots.get(slot.index())?.ty.size(module))
        }
        _ => return None,
    };
    (size <= all).then_some(object)
}
