//! Locals whose addresses may outlive their calls become objects of the heap, allocated when the call begins and freed
//! when it returns: whether somebody uses them later is then asked as of all that is freed. Each call has an object of
//! its own, which a stack object of an inlined function would not be.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use sapa_ir::goto::{
    Builder, Function, FunctionId, Location, Module, Op, Operand, SlotId, TerminatorKind, Type,
};
use sapa_limits::{Exceeded, Limits};

use crate::analysis::call_graph::{CallGraph, Use};
use crate::analysis::points_to::{Object, PointsTo};

/// Of locals of calls that are left because a function that they call ends the thread.
const LEFT: &str = "assuming that no local of a call is used after `pthread_exit` has ended it from within another";

/// Makes heap objects of locals whose addresses may be kept where they outlive the call: in an object that is no local,
/// in a local of a function that may be around the call, by whom it returns to, or by a thread that was handed
/// it. Locals of the entry function, which returns to nobody, stay. Whether there were any.
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
    let bits = module.target.pointer_bits;
    for (&id, slots) in &found {
        limits.check()?;
        let sizes: Vec<(SlotId, Type, u64)> = slots
            .iter()
            .map(|&slot| {
                let ty = module.function(id).slots[slot.index()].ty.clone();
                let size = ty.size(module);
                (slot, ty, size)
            })
            .collect();
        let function = &mut module.functions[id.index()];
        let objects = begin(function, &sizes, bits);
        for block in 0..function.blocks.len() {
            let end = function.blocks[block].terminator.clone();
            if !matches!(end.kind, TerminatorKind::Return(_) | TerminatorKind::EndThread(_)) {
                continue;
            }
            let mut builder = Builder::new(function, end.location);
            builder.switch_to(sapa_ir::goto::BlockId::new(block));
            for &(_, address) in &objects {
                builder.effect(Op::Free { address });
            }
            builder.terminate(end.kind);
        }
    }
    if found.keys().any(|&id| around.may_not_return(id)) {
        module.note(LEFT);
    }
    Ok(!found.is_empty())
}

/// Allocates the objects at the start of a function, and lets its code use them.
fn begin(
    function: &mut Function,
    sizes: &[(SlotId, Type, u64)],
    bits: u16,
) -> Vec<(SlotId, Operand)> {
    let location = Location { operation: None, ..function.location };
    let code = std::mem::take(&mut function.blocks[Function::ENTRY.index()].instructions);
    let mut builder = Builder::new(function, location);
    builder.switch_to(Function::ENTRY);
    let mut objects = Vec::new();
    for (slot, ty, size) in sizes {
        let size = Operand::int(bits, u128::from(*size));
        let op = Op::Allocate { size, zeroed: false, ty: Some(ty.clone()) };
        objects.push((*slot, builder.define(op, Type::Pointer)));
    }
    function.blocks[Function::ENTRY.index()].instructions.extend(code);
    function.for_each_operand_mut(|operand| {
        if let Operand::Slot(slot) = operand
            && let Some((_, object)) = objects.iter().find(|(of, _)| of == slot)
        {
            *operand = *object;
        }
    });
    objects
}

/// The locals whose addresses may outlive their calls, by functions.
fn outliving(
    module: &Module,
    points_to: &PointsTo,
    around: &Around,
    limits: &Limits,
) -> Result<BTreeMap<FunctionId, BTreeSet<SlotId>>, Exceeded> {
    let mut found: BTreeMap<FunctionId, BTreeSet<SlotId>> = BTreeMap::new();
    let mut add = |object: Object| {
        if let Object::Slot(id, slot) = object
            && around.ends.contains(&id)
        {
            found.entry(id).or_default().insert(slot);
        }
    };
    for &keeper in points_to.objects() {
        limits.check()?;
        for object in points_to.contents(keeper) {
            let is_brief = match (keeper, object) {
                (Object::Slot(of, _), Object::Slot(id, _)) => around.is_around(of, id),
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
    points_to.shared(module).into_iter().for_each(add);
    Ok(found)
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
