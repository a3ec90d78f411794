//! Ends of the scopes of locals, once all code is there.

use rustc_hash::FxHashSet;
use sapa_ir::goto::{Function, NameId, Op, Operand, SlotId, Type, operation};

use super::program::Lowerer;

impl Lowerer<'_> {
    /// Takes out that integers end of which nobody has the address.
    pub fn settle_scopes(&mut self) {
        let end = self.name_id(operation::END_OF_SCOPE);
        for function in &mut self.module.functions {
            settle(function, end);
        }
    }
}

fn settle(function: &mut Function, end: NameId) {
    let is_end = |op: &Op, operation: Option<NameId>| match op {
        Op::HavocMemory { address: Operand::Slot(slot), .. } if operation == Some(end) => {
            Some(*slot)
        }
        _ => None,
    };
    let ends = function.instructions().any(|i| is_end(&i.op, i.location.operation).is_some());
    if !ends {
        return;
    }
    let mut known: FxHashSet<SlotId> = FxHashSet::default();
    let mut note = |operand: Operand| {
        if let Operand::Slot(slot) = operand {
            known.insert(slot);
        }
    };
    for block in &function.blocks {
        for instruction in &block.instructions {
            match &instruction.op {
                Op::Load { .. } | Op::HavocMemory { .. } => {}
                Op::Store { value, .. } => note(*value),
                op => op.for_each_operand(&mut note),
            }
        }
        block.terminator.kind.for_each_operand(&mut note);
    }
    let slots = &function.slots;
    let is_told = |slot: SlotId| {
        let ty = slots.get(slot.index()).map(|slot| &slot.ty);
        known.contains(&slot) || !matches!(ty, Some(Type::Int(_)))
    };
    for block in &mut function.blocks {
        block.instructions.retain(|instruction| {
            is_end(&instruction.op, instruction.location.operation).is_none_or(is_told)
        });
    }
}
