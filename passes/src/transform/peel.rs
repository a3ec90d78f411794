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
        let mut code = Code::new(function, content.blocks.iter().copied().collect());
        for copy in 0..copies {
            let next = headers.get(copy + 1).copied().unwrap_or(content.header);
            code.add_copy(function, Some((content.header, next)));
        }
        owners.resize(function.blocks.len(), Some(number));
        let values = first_value..function.values.len();
        found.push(Peeled { headers, values });
        versions.push(code.versions);
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

/// Code that gets copies.
#[derive(Debug)]
pub(super) struct Code {
    blocks: Vec<BlockId>,
    /// Where it and its copies define its values.
    pub(super) versions: Versions,
}

impl Code {
    /// The code of some blocks, without copies yet.
    pub(super) fn new(function: &Function, blocks: Vec<BlockId>) -> Self {
        let mut versions = Versions::new();
        for &id in &blocks {
            let block = function.block(id);
            let results = block.instructions.iter().filter_map(|i| i.result);
            for value in block.parameters.iter().copied().chain(results) {
                versions.entry(value).or_default().insert(id, value);
            }
        }
        Self { blocks, versions }
    }

    /// Adds a copy of the code to the end of the function, block by block: what jumps within the code jumps within
    /// the copy, but what jumps to the first of `elsewhere` goes to the second.
    pub(super) fn add_copy(
        &mut self,
        function: &mut Function,
        elsewhere: Option<(BlockId, BlockId)>,
    ) {
        let start = function.blocks.len();
        let copies: BTreeMap<BlockId, BlockId> =
            self.blocks.iter().copied().zip((start..).map(BlockId::new)).collect();
        let mut values: BTreeMap<ValueId, ValueId> = BTreeMap::new();
        for (&value, versions) in &mut self.versions {
            let data = function.values[value.index()].clone();
            let copy = function.add_value(data.ty, data.variable);
            values.insert(value, copy);
            // The original's block: copies are behind it.
            let home = versions.first_key_value().and_then(|(block, _)| copies.get(block));
            if let Some(&block) = home {
                versions.insert(block, copy);
            }
        }
        for &original in &self.blocks {
            let mut block = function.block(original).clone();
            rename(&mut block, &values);
            block.terminator.kind.for_each_target_mut(|target| match elsewhere {
                Some((from, to)) if target.block == from => target.block = to,
                _ => target.block = copies.get(&target.block).copied().unwrap_or(target.block),
            });
            function.blocks.push(block);
        }
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
