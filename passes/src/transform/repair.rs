//! Uses of values that have several definitions, since code was copied.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{BlockId, Function, Operand, ValueId};

/// Where each value that code with copies defines is defined now: by block, under which name.
pub(super) type Versions = BTreeMap<ValueId, BTreeMap<BlockId, ValueId>>;

/// Gives the code behind copies of definitions the versions of values that reach it: block
/// parameters at iterated dominance frontiers, where the value is live. The parameters are versions
/// of no source variable, as they are none of its definitions. Code that is not reachable any more keeps
/// the names that it has.
pub(super) struct Repair<'f> {
    function: &'f mut Function,
    cfg: Cfg,
    dominators: Dominators,
    frontiers: Vec<Vec<BlockId>>,
}

impl<'f> Repair<'f> {
    pub(super) fn new(function: &'f mut Function) -> Self {
        let cfg = Cfg::new(function);
        let dominators = Dominators::new(&cfg);
        let frontiers = dominators.frontiers(&cfg);
        Self { function, cfg, dominators, frontiers }
    }

    /// Mends the uses of values outside the code that defines each, and its copies. `owners` says
    /// for each block to which of `versions` it belongs: there uses have the right names already.
    ///
    /// `None` if a definition reaches a use on some paths only.
    pub(super) fn run(mut self, owners: &[Option<usize>], versions: &[Versions]) -> Option<()> {
        let mut users = self.users(owners, versions);
        for (&value, definitions) in versions.iter().flatten() {
            // What is read nowhere else needs nothing.
            if let Some(users) = users.remove(&value) {
                self.value(value, definitions, &users)?;
            }
        }
        Some(())
    }

    /// By value: the blocks outside of its code that read it, in ascending order.
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
        let blocks = self.function.blocks().zip(owners);
        for ((id, block), owner) in blocks.filter(|((id, _), _)| self.cfg.is_reachable(*id)) {
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
                let now = Operand::Value(if self.cfg.is_reachable(predecessor) {
                    self.at_end(predecessor, &reaching)?
                } else {
                    value
                });
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
