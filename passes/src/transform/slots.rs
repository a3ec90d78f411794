//! Stack objects of a function, as a list that others can be removed from.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::{Expression, FunctionId, Module, Operand, SlotId};

/// Removes stack objects that became something else and renumbers the others. Predicates that still
/// name one of them are dropped.
pub(super) fn remove(module: &mut Module, id: FunctionId, slots: &BTreeSet<SlotId>) {
    let function = &mut module.functions[id.index()];
    let mut names = BTreeMap::new();
    let mut kept = Vec::new();
    for (index, slot) in std::mem::take(&mut function.slots).into_iter().enumerate() {
        if !slots.contains(&SlotId::new(index)) {
            names.insert(SlotId::new(index), SlotId::new(kept.len()));
            kept.push(slot);
        }
    }
    function.slots = kept;
    let rename = |operand: &mut Operand| {
        if let Operand::Slot(slot) = operand
            && let Some(&new) = names.get(slot)
        {
            *slot = new;
        }
    };
    function.for_each_operand_mut(rename);
    module.replace_predicates(|mut predicate| {
        let mut exists = true;
        predicate.expression.for_each_mut(&mut |e| {
            if let Expression::Slot { function, slot } = e
                && *function == id
            {
                match names.get(slot) {
                    Some(&new) => *slot = new,
                    None => exists = false,
                }
            }
        });
        if exists { vec![predicate] } else { Vec::new() }
    });
}
