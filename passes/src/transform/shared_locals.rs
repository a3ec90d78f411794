//! `shared-locals`: a stack object of a function that is executed at most once becomes a global if
//! other threads can reach it.
//!
//! SAPA section 3 excludes addresses of stack objects in shared memory, as they say nothing that is
//! the same for all threads. What exists once is the same for all: `main` hands its threads
//! addresses of arguments, locks and results of its own.

use std::collections::BTreeSet;

use sapa_ir::goto::{
    Expression, FunctionId, Global, GlobalId, Initializer, Module, Operand, SlotId,
};

use super::slots;
use crate::analysis::AnalysisKind;
use crate::analysis::call_graph::CallGraph;
use crate::analysis::once::ExecutedOnce;
use crate::analysis::points_to::{Object, PointsTo};
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "shared-locals",
    summary: "make globals of stack objects that exist once and that other threads can reach",
    options: &[],
    preserves: &[AnalysisKind::of::<CallGraph>(), AnalysisKind::of::<ExecutedOnce>()],
    run: Run::Module(run),
};

/// A global outlives a stack object.
const NOTE: &str = "assuming that no thread uses a stack object of another after its lifetime";

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let points_to = context.analyses.get::<PointsTo>(module)?;
    let shared = points_to.shared(module);
    let mut changed = false;
    for id in context.analyses.get::<ExecutedOnce>(module)?.functions() {
        let slots = (0..module.function(id).slots.len()).map(SlotId::new);
        let promoted: BTreeSet<SlotId> =
            slots.filter(|&slot| shared.contains(&Object::Slot(id, slot))).collect();
        if !promoted.is_empty() {
            promote(module, id, &promoted);
            changed = true;
        }
    }
    if changed {
        module.note(NOTE);
    }
    Ok(changed)
}

fn promote(module: &mut Module, id: FunctionId, promoted: &BTreeSet<SlotId>) {
    for &slot in promoted {
        let global = make_global(module, id, slot);
        let function = &mut module.functions[id.index()];
        let rename = |operand: &mut Operand| {
            if *operand == Operand::Slot(slot) {
                *operand = Operand::Global(global);
            }
        };
        function.for_each_operand_mut(rename);
        for predicate in &mut module.predicates {
            predicate.expression.for_each_mut(&mut |e| {
                if *e == (Expression::Slot { function: id, slot }) {
                    *e = Expression::Global(global);
                }
            });
        }
    }
    slots::remove(module, id, promoted);
}

/// A global like a stack object, which has arbitrary contents at first too.
fn make_global(module: &mut Module, id: FunctionId, slot: SlotId) -> GlobalId {
    let function = module.function(id);
    let data = &function.slots[slot.index()];
    let global = Global {
        name: format!("{}::{}", function.name, data.name),
        ty: data.ty.clone(),
        initializer: Initializer::Undefined,
        thread_local: false,
        constant: false,
        signed: data.signed,
        location: function.location,
    };
    module.add_global(global)
}
