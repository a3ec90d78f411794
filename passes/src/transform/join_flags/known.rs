//! Which starts and joins are known: starts that are executed at most once, and joins whose handle is
//! that of one.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{BlockId, Function, FunctionId, Module, Op, Operand, Type, ValueId};
use sapa_limits::Exceeded;

use super::memory::{Memory, Read};
use crate::analysis::Analyses;
use crate::analysis::once::ExecutedOnce;

/// A start that is executed at most once.
pub(super) struct Start {
    pub(super) function: FunctionId,
    pub(super) arguments: Vec<Operand>,
    pub(super) block: BlockId,
    pub(super) index: usize,
}

/// The starts whose threads are known, by the handle they define.
pub(super) type Starts = FxHashMap<ValueId, Start>;

/// Places of joins in the entry, and what each waits for.
pub(super) type Joins = BTreeMap<(BlockId, usize), Known>;

/// The starts of the entry that are outside loops, by the handle they define.
pub(super) fn starts(module: &Module, once: &ExecutedOnce, entry: FunctionId) -> Starts {
    let function = module.function(entry);
    let mut starts = Starts::default();
    for (block, content) in function.blocks() {
        for (index, instruction) in content.instructions.iter().enumerate() {
            let (Op::Spawn { function: Operand::Function(started), arguments }, Some(handle)) =
                (&instruction.op, instruction.result)
            else {
                continue;
            };
            let defined = ends_itself(module.function(*started)) && *started != entry;
            if defined && once.contains_block(entry, block) {
                let (function, arguments) = (*started, arguments.clone());
                starts.insert(handle, Start { function, arguments, block, index });
            }
        }
    }
    starts
}

/// Whether a thread that starts here ends here: what it calls might end it.
pub(super) fn ends_itself(function: &Function) -> bool {
    let mut code = function.instructions();
    function.is_defined() && !code.any(|instruction| matches!(instruction.op, Op::Call { .. }))
}

/// A join whose handle is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The handle that it waits for.
    pub(super) handle: ValueId,
    /// Whether what it is given is always that; otherwise, 0 perhaps, which it waits for without end.
    pub(super) always: bool,
}

/// The joins of the entry whose handle is known: where, and whose.
///
/// # Errors
/// If a limit ends the search.
pub(super) fn joins(
    module: &Module,
    entry: FunctionId,
    starts: &Starts,
    analyses: &mut Analyses,
) -> Result<Joins, Exceeded> {
    let function = module.function(entry);
    let mut definitions = Definitions::default();
    for (block, content) in function.blocks() {
        for (index, instruction) in content.instructions.iter().enumerate() {
            if let Some(result) = instruction.result {
                definitions.insert(result, (&instruction.op, (block, index)));
            }
        }
    }
    let is_handle = |operand: Operand| function.operand_type(operand) == handle_type(module);
    let mut memory = None;
    let mut joins = Joins::new();
    for (block, content) in function.blocks() {
        for (index, instruction) in content.instructions.iter().enumerate() {
            let Op::Join { handle } = &instruction.op else { continue };
            analyses.limits().check()?;
            let mut known = origin(*handle, &definitions, memory.as_ref(), &is_handle);
            // Many programs need no more than values.
            if known.is_none() && memory.is_none() {
                memory = Some(Memory::new(module, entry, analyses)?);
                known = origin(*handle, &definitions, memory.as_ref(), &is_handle);
            }
            if let Some(known) = known.filter(|known| starts.contains_key(&known.handle)) {
                joins.insert((block, index), known);
            }
        }
    }
    Ok(joins)
}

/// The type of handles.
pub(super) fn handle_type(module: &Module) -> Type {
    Type::Int(module.target.pointer_bits)
}

/// What defines each value of the entry, and where.
type Definitions<'m> = FxHashMap<ValueId, (&'m Op, (BlockId, usize))>;

/// The value that an operand is a copy of, directly or through memory; `None` if it is read from
/// memory and that is not looked at, or says nothing.
fn origin(
    operand: Operand,
    definitions: &Definitions<'_>,
    memory: Option<&Memory<'_>>,
    is_handle: &dyn Fn(Operand) -> bool,
) -> Option<Known> {
    let (mut operand, mut always) = (operand, true);
    // A copy of a copy ends; an object that is stored from itself would not.
    for _ in 0..64 {
        let handle = operand.value()?;
        match definitions.get(&handle) {
            Some((Op::Copy { a }, _)) => operand = *a,
            Some((Op::Load { address, .. }, at)) => {
                let size = memory?.handle_size();
                operand = match memory?.read(*at, *address, size).filter(|_| is_handle(operand))? {
                    Read::Stored(stored) => stored,
                    Read::StoredOrZero(stored) => {
                        always = false;
                        stored
                    }
                };
            }
            _ => return Some(Known { handle, always }),
        }
    }
    None
}
