//! Which values are never read again: states that differ in them only are the same to a search.
//!
//! What is kept of a function grows with its code and not with the places in it: where each value is read
//! last in a block, and which values live at its end, by a walk from each read back to the definition
//! (Appel, Palsberg, "Modern Compiler Implementation", section 19.6).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::goto::entity::{BlockId, FunctionId, ValueId};
use crate::goto::function::Function;
use crate::goto::instruction::Operand;
use crate::goto::module::Module;

/// The reads of the functions that a search comes to, computed when they are asked for.
#[derive(Debug)]
pub(super) struct Dead<'m> {
    module: &'m Module,
    functions: FxHashMap<FunctionId, Reads>,
}

impl<'m> Dead<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Self { module, functions: FxHashMap::default() }
    }

    /// Where the values of a function are read.
    pub(super) fn of(&mut self, function: FunctionId) -> &Reads {
        let module = self.module;
        self.functions.entry(function).or_insert_with(|| Reads::new(module.function(function)))
    }
}

/// Where the values of a function are read.
#[derive(Debug)]
pub(super) struct Reads {
    /// The instruction that defines a value; parameters of blocks have none.
    defined: FxHashMap<ValueId, (BlockId, usize)>,
    /// The last read of a value in a block, as an index that is the number of instructions for the
    /// terminator.
    last: FxHashMap<(BlockId, ValueId), usize>,
    /// By block, the values that are read after it.
    leaving: Vec<FxHashSet<ValueId>>,
}

impl Reads {
    fn new(function: &Function) -> Self {
        let count = function.blocks.len();
        let mut reads = Self {
            defined: FxHashMap::default(),
            last: FxHashMap::default(),
            leaving: vec![FxHashSet::default(); count],
        };
        let mut homes: FxHashMap<ValueId, BlockId> = FxHashMap::default();
        let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); count];
        for (id, block) in function.blocks() {
            homes.extend(block.parameters.iter().map(|&parameter| (parameter, id)));
            for (index, instruction) in block.instructions.iter().enumerate() {
                if let Some(result) = instruction.result {
                    reads.defined.insert(result, (id, index));
                    homes.insert(result, id);
                }
            }
            block.terminator.kind.for_each_target(|target| {
                if let Some(before) = before.get_mut(target.block.index()) {
                    before.push(id);
                }
            });
        }
        for (id, block) in function.blocks() {
            let mut read = |operand: Operand, index: usize| {
                let Some(value) = operand.value() else { return };
                if reads.last.insert((id, value), index).is_none() {
                    reads.walk_back(value, id, &homes, &before);
                }
            };
            for (index, instruction) in block.instructions.iter().enumerate() {
                instruction.op.for_each_operand(|operand| read(operand, index));
            }
            let end = block.instructions.len();
            block.terminator.kind.for_each_operand(|operand| read(operand, end));
        }
        reads
    }

    /// Notes that a value which is read in a block lives on all ways from its definition to there.
    fn walk_back(
        &mut self,
        value: ValueId,
        block: BlockId,
        homes: &FxHashMap<ValueId, BlockId>,
        before: &[Vec<BlockId>],
    ) {
        let mut at = vec![block];
        while let Some(block) = at.pop() {
            if homes.get(&value) == Some(&block) {
                continue;
            }
            for &other in &before[block.index()] {
                if self.leaving[other.index()].insert(value) {
                    at.push(other);
                }
            }
        }
    }

    /// Whether nothing reads a value from before an instruction on.
    pub(super) fn is_dead(&self, value: ValueId, block: BlockId, index: usize) -> bool {
        let defined = self.defined.get(&value);
        if defined.is_some_and(|&(home, at)| home == block && index <= at) {
            // It is defined again before anything reads it.
            return true;
        }
        let is_read_here = self.last.get(&(block, value)).is_some_and(|&last| index <= last);
        let is_read_later = self.leaving.get(block.index()).is_some_and(|all| all.contains(&value));
        !is_read_here && !is_read_later
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goto::generate::generate;

    /// Live values before an instruction, given those at the starts of all blocks.
    fn live_before(
        function: &Function,
        starts: &[FxHashSet<ValueId>],
        block: BlockId,
        index: usize,
    ) -> FxHashSet<ValueId> {
        let code = function.block(block);
        let mut live = FxHashSet::default();
        code.terminator.kind.for_each_target(|target| {
            let parameters = &function.block(target.block).parameters;
            let start = starts[target.block.index()].iter();
            live.extend(start.filter(|value| !parameters.contains(value)));
        });
        code.terminator.kind.for_each_operand(|operand| live.extend(operand.value()));
        for instruction in code.instructions.iter().skip(index).rev() {
            if let Some(result) = instruction.result {
                live.remove(&result);
            }
            instruction.op.for_each_operand(|operand| live.extend(operand.value()));
        }
        live
    }

    /// The least fixed point of the data-flow equations.
    fn live_at_starts(function: &Function) -> Vec<FxHashSet<ValueId>> {
        let mut live = vec![FxHashSet::default(); function.blocks.len()];
        loop {
            let before = live.clone();
            for block in (0..function.blocks.len()).rev() {
                live[block] = live_before(function, &live, BlockId::new(block), 0);
            }
            if live == before {
                return live;
            }
        }
    }

    #[test]
    fn values_are_dead_where_the_data_flow_equations_say_so() {
        let (mut dead, mut alive) = (0, 0);
        for seed in 0..300 {
            let module = generate(seed);
            let mut reads = Dead::new(&module);
            for (id, function) in module.functions().filter(|(_, f)| f.is_defined()) {
                let reads = reads.of(id);
                let starts = live_at_starts(function);
                for (block, data) in function.blocks() {
                    for index in 0..=data.instructions.len() {
                        let live = live_before(function, &starts, block, index);
                        for value in (0..function.values.len()).map(ValueId::new) {
                            let is_dead = reads.is_dead(value, block, index);
                            assert_eq!(
                                is_dead,
                                !live.contains(&value),
                                "{seed} {id:?} {block:?} {index} {value:?}"
                            );
                            *if is_dead { &mut dead } else { &mut alive } += 1;
                        }
                    }
                }
            }
        }
        assert!(dead > 1000 && alive > 1000, "{dead} {alive}");
    }
}
