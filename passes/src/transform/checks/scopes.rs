//! What the frontend says of the ends of locals ([`operation::END_OF_SCOPE`]): where the blocks are left that declare them.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::{Function, Instruction, Module, Op, Operand, SlotId, operation};

/// The local that ends at an instruction, if it only says that one ends.
pub(super) fn ending(module: &Module, instruction: &Instruction) -> Option<SlotId> {
    match instruction.op {
        Op::HavocMemory { address: Operand::Slot(slot), .. } => {
            let name = module.operation(instruction.location);
            (name == Some(operation::END_OF_SCOPE)).then_some(slot)
        }
        _ => None,
    }
}

/// Whether a jump goes on elsewhere, and which locals end there is not said.
pub(super) fn is_jump(module: &Module, instruction: &Instruction) -> bool {
    matches!(instruction.op, Op::Assume { .. })
        && module.operation(instruction.location) == Some(operation::JUMP)
}

/// Takes out what is said of ends and jumps; whether anything was.
pub fn forget(module: &mut Module) -> bool {
    let mut changed = false;
    let mut functions = std::mem::take(&mut module.functions);
    for block in functions.iter_mut().flat_map(|function| &mut function.blocks) {
        let before = block.instructions.len();
        block.instructions.retain(|instruction| {
            ending(module, instruction).is_none() && !is_jump(module, instruction)
        });
        changed |= block.instructions.len() != before;
    }
    module.functions = functions;
    changed
}

/// Where the locals of a function end: for each the numbers of the places, of which one is where several end one
/// directly after the other.
pub(super) fn places(module: &Module, function: &Function) -> BTreeMap<SlotId, BTreeSet<usize>> {
    let mut found: BTreeMap<SlotId, BTreeSet<usize>> = BTreeMap::new();
    let mut place = 0;
    for block in &function.blocks {
        place += 1;
        for instruction in &block.instructions {
            match ending(module, instruction) {
                Some(slot) => drop(found.entry(slot).or_default().insert(place)),
                None => place += 1,
            }
        }
    }
    found
}
