//! Peeling: the first rounds of loops become code of their own.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{Block, BlockId, Function, Operand, ValueId};

use super::repair::{Repair, Versions};
use crate::analysis::loops::Loop;

/// What became of a loop.
#[derive(Debug)]
pub(super) struct Peeled {
    /// The headers of the copies, in order.
    pub(super) headers: Vec<BlockId>,
    /// The values that the copies define.
    pub(super) values: Range<usize>,
}

/// Puts copies of each loop before it, the next of which is where each goes on instead of
/// jumping back. The program has exactly the runs that it had, whatever ends the loops. Stack objects
/// and source variables stay the ones they are. Nothing in the function may be unreachable, and no
/// two of the loops may have a block in common.
///
/// `None` if the function breaks a law of the IR, and is to be thrown away.
pub(super) fn peel(function: &mut Function, loops: &[(&Loop, usize)]) -> Option<Vec<Peeled>> {
    // By block: the loop that it, or what it is a copy of, belongs to.
    let mut owners: Vec<Option<usize>> = vec![None; function.blocks.len()];
    for (number, (content, _)) in loops.iter().enumerate() {
        content.blocks.iter().for_each(|block| owners[block.index()] = Some(number));
    }
    let mut found = Vec::new();
    let mut versions = Vec::new();
    for (number, &(content, copies)) in loops.iter().enumerate() {
        let header = content.blocks.iter().position(|&block| block == content.header)?;
        let (first, first_value) = (function.blocks.len(), function.values.len());
        let size = content.blocks.len();
        let headers: Vec<BlockId> =
            (0..copies).map(|copy| BlockId::new(first + copy * size + header)).collect();
        let defined = definitions(function, content);
        let mut own = Versions::new();
        for (&value, &block) in &defined {
            own.entry(value).or_default().insert(block, value);
        }
        for copy in 0..copies {
            let next = headers.get(copy + 1).copied().unwrap_or(content.header);
            add_copy(function, content, &defined, &mut own, first + copy * size, next);
        }
        owners.resize(function.blocks.len(), Some(number));
        let values = first_value..function.values.len();
        found.push(Peeled { headers, values });
        versions.push(own);
    }
    let entries: FxHashMap<BlockId, (usize, BlockId)> = loops
        .iter()
        .zip(&found)
        .enumerate()
        .filter_map(|(number, ((content, _), peeled))| {
            Some((content.header, (number, *peeled.headers.first()?)))
        })
        .collect();
    for (block, owner) in function.blocks.iter_mut().zip(&owners) {
        block.terminator.kind.for_each_target_mut(|target| {
            if let Some(&(number, entered)) = entries.get(&target.block)
                && *owner != Some(number)
            {
                target.block = entered;
            }
        });
    }
    if !entries.is_empty() {
        Repair::new(function).run(&owners, &versions)?;
    }
    Some(found)
}

/// The values that a loop defines, and in which block.
fn definitions(function: &Function, content: &Loop) -> BTreeMap<ValueId, BlockId> {
    let mut defined = BTreeMap::new();
    for &id in &content.blocks {
        let block = function.block(id);
        let results = block.instructions.iter().filter_map(|i| i.result);
        defined.extend(block.parameters.iter().copied().chain(results).map(|value| (value, id)));
    }
    defined
}

/// Adds a copy of a loop, the blocks of which are numbered from `start` on; what jumps back goes to `next`.
fn add_copy(
    function: &mut Function,
    content: &Loop,
    defined: &BTreeMap<ValueId, BlockId>,
    versions: &mut Versions,
    start: usize,
    next: BlockId,
) {
    let blocks = content.blocks.iter().zip(start..);
    let blocks: BTreeMap<BlockId, BlockId> =
        blocks.map(|(&block, index)| (block, BlockId::new(index))).collect();
    let mut values: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    for (&value, block) in defined {
        let data = function.values[value.index()].clone();
        let copy = function.add_value(data.ty, data.variable);
        values.insert(value, copy);
        if let Some(&block) = blocks.get(block) {
            versions.entry(value).or_default().insert(block, copy);
        }
    }
    for original in blocks.keys() {
        let mut block = function.block(*original).clone();
        rename(&mut block, &values);
        block.terminator.kind.for_each_target_mut(|target| {
            if target.block == content.header {
                target.block = next;
            } else if let Some(&copy) = blocks.get(&target.block) {
                target.block = copy;
            }
        });
        function.blocks.push(block);
    }
}

/// Renames the values of a block.
fn rename(block: &mut Block, values: &BTreeMap<ValueId, ValueId>) {
    let of = |value: ValueId| values.get(&value).copied().unwrap_or(value);
    let operand = |operand: &mut Operand| {
        if let Operand::Value(value) = operand {
            *value = of(*value);
        }
    };
    block.parameters.iter_mut().for_each(|parameter| *parameter = of(*parameter));
    for instruction in &mut block.instructions {
        instruction.result = instruction.result.map(of);
    }
    block.for_each_operand_mut(operand);
}
