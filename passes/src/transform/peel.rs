//! Peeling: the first rounds of a loop become code of their own.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{Block, BlockId, Function, Operand, ValueId};

use crate::analysis::loops::Loop;

/// Where each value that a loop defines is defined now: by block, under which name.
type Versions = BTreeMap<ValueId, BTreeMap<BlockId, ValueId>>;

/// Puts so many copies of a loop before it, the next of which is where each goes on instead of
/// jumping back. The program has exactly the runs that it had, whatever ends the loop. Stack objects
/// and source variables stay the ones they are. Nothing in the function may be unreachable.
///
/// The headers of the copies; `None` if the function breaks a law of the IR, and is to be thrown away.
pub(super) fn peel(function: &mut Function, content: &Loop, copies: usize) -> Option<Vec<BlockId>> {
    let header = content.blocks.iter().position(|&block| block == content.header)?;
    let first = function.blocks.len();
    let size = content.blocks.len();
    let headers: Vec<BlockId> =
        (0..copies).map(|copy| BlockId::new(first + copy * size + header)).collect();
    let defined = content.values(function);
    let mut versions = original_versions(function, content);
    for copy in 0..copies {
        let next = headers.get(copy + 1).copied().unwrap_or(content.header);
        let start = first + copy * size;
        add_copy(function, content, &defined, &mut versions, start, next);
    }
    if let Some(&entered) = headers.first() {
        for block in 0..first {
            if !content.blocks.contains(&BlockId::new(block)) {
                function.blocks[block].terminator.kind.for_each_target_mut(|target| {
                    if target.block == content.header {
                        target.block = entered;
                    }
                });
            }
        }
        Repair::new(function, content, first).run(&versions)?;
    }
    Some(headers)
}

/// The definitions of a loop as they are.
fn original_versions(function: &Function, content: &Loop) -> Versions {
    let mut versions = Versions::new();
    for &id in &content.blocks {
        let block = function.block(id);
        let results = block.instructions.iter().filter_map(|i| i.result);
        for value in block.parameters.iter().copied().chain(results) {
            versions.entry(value).or_default().insert(id, value);
        }
    }
    versions
}

/// Adds a copy of a loop, the blocks of which are numbered from `start` on; what jumps back goes to `next`.
fn add_copy(
    function: &mut Function,
    content: &Loop,
    defined: &BTreeSet<ValueId>,
    versions: &mut Versions,
    start: usize,
    next: BlockId,
) {
    let blocks = content.blocks.iter().zip(start..);
    let blocks: BTreeMap<BlockId, BlockId> =
        blocks.map(|(&block, index)| (block, BlockId::new(index))).collect();
    let mut values: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    for &value in defined {
        let data = function.values[value.index()].clone();
        values.insert(value, function.add_value(data.ty, data.variable));
    }
    for (original, id) in &blocks {
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
        for found in versions.values_mut() {
            if let Some(copy) = found.get(original).and_then(|value| values.get(value)) {
                found.insert(*id, *copy);
            }
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

/// Gives the code after a peeled loop the versions of values that reach it: block parameters at
/// iterated dominance frontiers, where the value is live. The parameters are versions of no source
/// variable, as they are none of its definitions.
struct Repair<'f> {
    function: &'f mut Function,
    /// Blocks that are neither in the loop nor in a copy.
    outside: Vec<BlockId>,
    cfg: Cfg,
    dominators: Dominators,
    frontiers: Vec<Vec<BlockId>>,
}

impl<'f> Repair<'f> {
    fn new(function: &'f mut Function, content: &Loop, first: usize) -> Self {
        let cfg = Cfg::new(function);
        let dominators = Dominators::new(&cfg);
        let frontiers = dominators.frontiers(&cfg);
        let outside = (0..first).map(BlockId::new);
        let outside = outside.filter(|block| !content.blocks.contains(block)).collect();
        Self { function, outside, cfg, dominators, frontiers }
    }

    fn run(mut self, versions: &Versions) -> Option<()> {
        for (&value, definitions) in versions {
            let users = self.users(value);
            if !users.is_empty() {
                self.value(value, definitions, &users)?;
            }
        }
        Some(())
    }

    /// Blocks outside that read a value.
    fn users(&self, value: ValueId) -> Vec<BlockId> {
        let reads = |id: &BlockId| {
            let mut found = false;
            let look = |operand: Operand| found |= operand == Operand::Value(value);
            self.function.block(*id).for_each_operand(look);
            found
        };
        self.outside.iter().copied().filter(reads).collect()
    }

    fn value(
        &mut self,
        value: ValueId,
        definitions: &BTreeMap<BlockId, ValueId>,
        users: &[BlockId],
    ) -> Option<()> {
        let parameters = self.parameters(value, definitions, users);
        let mut reaching = definitions.clone();
        reaching.extend(&parameters);
        for &user in users {
            let now = Operand::Value(self.at_end(user, &reaching)?);
            let replace = |operand: &mut Operand| {
                if *operand == Operand::Value(value) {
                    *operand = now;
                }
            };
            self.function.blocks[user.index()].for_each_operand_mut(replace);
        }
        for (&block, &parameter) in &parameters {
            self.function.blocks[block.index()].parameters.push(parameter);
            for predecessor in self.cfg.predecessors(block).to_vec() {
                let now = Operand::Value(self.at_end(predecessor, &reaching)?);
                let kind = &mut self.function.blocks[predecessor.index()].terminator.kind;
                kind.for_each_target_mut(|target| {
                    if target.block == block {
                        target.arguments.push(now);
                    }
                });
            }
        }
        Some(())
    }

    /// New parameters for a value, by block.
    fn parameters(
        &mut self,
        value: ValueId,
        definitions: &BTreeMap<BlockId, ValueId>,
        users: &[BlockId],
    ) -> BTreeMap<BlockId, ValueId> {
        let live = self.live(definitions, users);
        let ty = self.function.values[value.index()].ty.clone();
        let mut parameters = BTreeMap::new();
        let mut work: Vec<BlockId> = definitions.keys().copied().collect();
        while let Some(block) = work.pop() {
            for &frontier in self.frontiers.get(block.index()).map_or(&[][..], Vec::as_slice) {
                if live.contains(&frontier) && !parameters.contains_key(&frontier) {
                    parameters.insert(frontier, self.function.add_value(ty.clone(), None));
                    work.push(frontier);
                }
            }
        }
        parameters
    }

    /// Blocks at whose start a value may be read later.
    fn live(
        &self,
        definitions: &BTreeMap<BlockId, ValueId>,
        users: &[BlockId],
    ) -> BTreeSet<BlockId> {
        let mut live = BTreeSet::new();
        let mut pending = users.to_vec();
        while let Some(block) = pending.pop() {
            if !definitions.contains_key(&block) && live.insert(block) {
                pending.extend(self.cfg.predecessors(block));
            }
        }
        live
    }

    /// What a value is called at the end of a block that its definitions reach.
    fn at_end(&self, mut block: BlockId, reaching: &BTreeMap<BlockId, ValueId>) -> Option<ValueId> {
        loop {
            if let Some(&value) = reaching.get(&block) {
                return Some(value);
            }
            let parent = self.dominators.immediate(block)?;
            if parent == block {
                return None;
            }
            block = parent;
        }
    }
}
