//! Which values are never read again: states that differ in them only are the same to a search.

use rustc_hash::FxHashMap;

use crate::goto::entity::{BlockId, FunctionId, ValueId};
use crate::goto::function::Function;
use crate::goto::instruction::Operand;
use crate::goto::module::Module;

/// Dead values of the places that a search comes to, computed when they are asked for.
#[derive(Debug)]
pub(super) struct Dead<'m> {
    module: &'m Module,
    /// For each function, the values that are live at the start of each block.
    live: FxHashMap<FunctionId, Vec<Vec<bool>>>,
    places: FxHashMap<(FunctionId, BlockId, usize), Vec<ValueId>>,
}

impl<'m> Dead<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Self { module, live: FxHashMap::default(), places: FxHashMap::default() }
    }

    /// The values of a function that nothing reads from before an instruction on.
    pub(super) fn at(&mut self, function: FunctionId, block: BlockId, index: usize) -> &[ValueId] {
        let (module, live) = (self.module, &mut self.live);
        self.places.entry((function, block, index)).or_insert_with(|| {
            let code = module.function(function);
            let live = live.entry(function).or_insert_with(|| live_at_starts(code));
            let alive = before(code, live, block, index);
            let values = alive.iter().enumerate().filter(|(_, live)| !**live);
            values.map(|(value, _)| ValueId::new(value)).collect()
        })
    }
}

/// Live values at the start of each block, by block and value; a fixed point.
fn live_at_starts(function: &Function) -> Vec<Vec<bool>> {
    let mut live = vec![vec![false; function.values.len()]; function.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..function.blocks.len()).rev() {
            let now = before(function, &live, BlockId::new(block), 0);
            changed |= now != live[block];
            live[block] = now;
        }
    }
    live
}

/// Live values before an instruction, given those at the starts of all blocks.
fn before(function: &Function, starts: &[Vec<bool>], block: BlockId, index: usize) -> Vec<bool> {
    let code = function.block(block);
    let mut live = vec![false; function.values.len()];
    fn read(live: &mut [bool], operand: Operand) {
        if let Operand::Value(value) = operand
            && let Some(live) = live.get_mut(value.index())
        {
            *live = true;
        }
    }
    code.terminator.kind.for_each_target(|target| {
        let parameters = &function.block(target.block).parameters;
        let start = starts.get(target.block.index()).map_or(&[][..], Vec::as_slice);
        for (value, _) in start.iter().enumerate().filter(|(_, live)| **live) {
            if !parameters.contains(&ValueId::new(value)) {
                live[value] = true;
            }
        }
        target.arguments.iter().for_each(|&argument| read(&mut live, argument));
    });
    code.terminator.kind.for_each_operand(|operand| read(&mut live, operand));
    for instruction in code.instructions.iter().skip(index).rev() {
        if let Some(result) = instruction.result
            && let Some(live) = live.get_mut(result.index())
        {
            *live = false;
        }
        instruction.op.for_each_operand(|operand| read(&mut live, operand));
    }
    live
}
