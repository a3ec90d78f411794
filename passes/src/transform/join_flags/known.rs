//! Which starts and joins are known: starts that are executed at most once, and joins whose handle is
//! that of one.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    BlockId, Function, FunctionId, GlobalId, Initializer, Module, Op, Operand, Type, ValueId,
};

use crate::analysis::once;

/// A start that is executed at most once.
pub(super) struct Start {
    pub(super) function: FunctionId,
    pub(super) arguments: Vec<Operand>,
    pub(super) block: BlockId,
    pub(super) index: usize,
}

/// The starts whose threads are known, by the handle they define.
pub(super) type Starts = FxHashMap<ValueId, Start>;

/// Places of joins in the entry, and the handle that each waits for.
pub(super) type Joins = BTreeMap<(BlockId, usize), ValueId>;

/// The starts of the entry that are outside loops, by the handle they define.
pub(super) fn starts(module: &Module, entry: FunctionId) -> Starts {
    let function = module.function(entry);
    let straight = once::straight_blocks(function);
    let mut starts = Starts::default();
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
pub(super) fn joins(module: &Module, entry: FunctionId, starts: &Starts) -> Joins {
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
