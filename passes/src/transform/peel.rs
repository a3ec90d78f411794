//! Peeling: the first rounds of loops become code of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rustc_hash::FxHashMap;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{Block, BlockId, Function, Operand, ValueId};

use crate::analysis::loops::Loop;

/// Where each value that a loop defines is defined now: by block, under which name.
type Versions = BTreeMap<ValueId, BTreeMap<BlockId, ValueId>>;

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

/// Gives the code after a peeled loop the versions of values that reach it: block parameters at
/// iterated dominance frontiers, where the value is live. The parameters are versions of no source
/// variable, as they are none of its definitions.
struct Repair<'f> {
    function: &'f mut Function,
    cfg: Cfg,
    dominators: Dominators,
    frontiers: Vec<Vec<BlockId>>,
}

impl<'f> Repair<'f> {
    fn new(function: &'f mut Function) -> Self {
        let cfg = Cfg::new(function);
        let dominators = Dominators::new(&cfg);
        let frontiers = dominators.frontiers(&cfg);
        Self { function, cfg, dominators, frontiers }
    }

    /// Mends the uses of all values of loops outside the loop that defines each, and its copies.
    /// `owners` says for each block to which loop it belongs.
    fn run(mut self, owners: &[Option<usize>], versions: &[Versions]) -> Option<()> {
        let mut users = self.users(owners, versions);
        for (&value, definitions) in versions.iter().flatten() {
            // What is read nowhere else needs nothing.
            if let Some(users) = users.remove(&value) {
                self.value(value, definitions, &users)?;
            }
        }
        Some(())
    }

    /// By value of a loop: the blocks outside that read it, in ascending order.
    fn users(
        &self,
        owners: &[Option<usize>],
        versions: &[Versions],
    ) -> FxHashMap<ValueId, Vec<BlockId>> {
        let mut homes: FxHashMap<ValueId, usize> = FxHashMap::default();
        for (number, own) in versions.iter().enumerate() {
            homes.extend(own.keys().map(|&value| (value, number)));
        }
        let mut users: FxHashMap<ValueId, Vec<BlockId>> = FxHashMap::default();
        for ((id, block), owner) in self.function.blocks().zip(owners) {
            block.for_each_operand(|operand| {
                if let Operand::Value(value) = operand
                    && let Some(home) = homes.get(&value)
                    && *owner != Some(*home)
                {
                    let list = users.entry(value).or_default();
                    if list.last() != Some(&id) {
                        list.push(id);
                    }
                }
            });
        }
        users
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
