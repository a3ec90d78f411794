//! Which objects of families assertions are about.
//!
//! Any choice is right, as long as it is one object of each family for each execution of an assertion, and the same element of
//! arrays that have their index in common. So it is a value that
//! has been computed where the assertion stands: the address that its condition was read from; else, that of what
//! decided that it is executed; else, the last address that was accessed before.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{BlockId, Function, GlobalId, Op, Operand, TerminatorKind, ValueId};

use sapa_limits::{Exceeded, Limits};

use super::accesses::Uses;

/// Most values that are looked at for an assertion.
const MAX_VALUES: usize = 1024;

/// Most blocks before an assertion that are looked at.
const MAX_BLOCKS: usize = 256;

/// An assertion, by block and index, and addresses of what it is about, each with what says which object is followed.
type Claim = ((BlockId, usize), Vec<(GlobalId, Operand)>);

/// The assertions of a function, by block and index, with addresses of what each is about: one a family at most, and one for all families that have
/// their index in common, which is given with it (or what says of an allocation whether the one exists).
///
/// # Errors
/// A limit ended it.
pub(super) fn claims(uses: &Uses<'_>, limits: &Limits) -> Result<Vec<Claim>, Exceeded> {
    let is_claim = |op: &Op| matches!(op, Op::Assert { .. });
    if !uses.function.instructions().any(|instruction| is_claim(&instruction.op)) {
        return Ok(Vec::new());
    }
    let code = Code::new(uses.function);
    let mut found = Vec::new();
    for (block, data) in uses.function.blocks() {
        for (index, instruction) in data.instructions.iter().enumerate() {
            if let Op::Assert { condition, .. } = &instruction.op
                && code.cfg.is_reachable(block)
            {
                limits.check()?;
                let about = Search::new(uses, &code, (block, index)).of(*condition);
                if !about.is_empty() {
                    found.push(((block, index), about));
                }
            }
        }
    }
    Ok(found)
}

/// Where values come from.
struct Code<'f> {
    cfg: Cfg,
    dominators: Dominators,
    /// By value: the instruction that defines it.
    definitions: FxHashMap<ValueId, ((BlockId, usize), &'f Op)>,
    /// By parameter of a block: that block, and what is given to it.
    parameters: FxHashMap<ValueId, (BlockId, Vec<Operand>)>,
}

impl<'f> Code<'f> {
    fn new(function: &'f Function) -> Self {
        let cfg = Cfg::new(function);
        let dominators = Dominators::new(&cfg);
        let mut definitions = FxHashMap::default();
        let mut parameters: FxHashMap<ValueId, (BlockId, Vec<Operand>)> = FxHashMap::default();
        for (block, data) in function.blocks() {
            for &parameter in &data.parameters {
                parameters.entry(parameter).or_insert((block, Vec::new()));
            }
            for (index, instruction) in data.instructions.iter().enumerate() {
                if let Some(result) = instruction.result {
                    definitions.insert(result, ((block, index), &instruction.op));
                }
            }
        }
        for (_, data) in function.blocks() {
            data.terminator.kind.for_each_target(|target| {
                let to = &function.block(target.block).parameters;
                for (parameter, &argument) in to.iter().zip(&target.arguments) {
                    if let Some((_, given)) = parameters.get_mut(parameter) {
                        given.push(argument);
                    }
                }
            });
        }
        Self { cfg, dominators, definitions, parameters }
    }

    /// Whether an operand has been computed whenever a place is come to.
    fn is_known_at(&self, operand: Operand, (block, index): (BlockId, usize)) -> bool {
        let Operand::Value(value) = operand else { return true };
        let (home, is_before) = match (self.definitions.get(&value), self.parameters.get(&value)) {
            (Some(((home, at), _)), _) => (*home, *at < index),
            (None, Some((home, _))) => (*home, true),
            (None, None) => return false,
        };
        if home == block { is_before } else { self.dominators.dominates(home, block) }
    }
}

/// The search for what one assertion is about.
struct Search<'s, 'm> {
    uses: &'s Uses<'m>,
    code: &'s Code<'m>,
    /// Where the assertion stands.
    place: (BlockId, usize),
    seen: FxHashSet<ValueId>,
    /// By what says which object of a family is followed.
    found: BTreeMap<GlobalId, Operand>,
}

impl<'s, 'm> Search<'s, 'm> {
    fn new(uses: &'s Uses<'m>, code: &'s Code<'m>, place: (BlockId, usize)) -> Self {
        Self { uses, code, place, seen: FxHashSet::default(), found: BTreeMap::new() }
    }

    fn of(mut self, condition: Operand) -> Vec<(GlobalId, Operand)> {
        self.read_for(condition);
        let before = self.before();
        for &block in &before {
            match self.uses.function.block(block).terminator.kind {
                TerminatorKind::Branch { condition, .. } => self.read_for(condition),
                TerminatorKind::Switch { value, .. } => self.read_for(value),
                _ => {}
            }
        }
        let (block, index) = self.place;
        self.accessed(block, index);
        for block in before {
            self.accessed(block, usize::MAX);
        }
        self.found.into_iter().collect()
    }

    /// The blocks that are passed before the assertion in any case, the nearest first.
    fn before(&self) -> Vec<BlockId> {
        let mut found = Vec::new();
        let mut block = self.place.0;
        while let Some(next) = self.code.dominators.immediate(block)
            && next != block
            && found.len() < MAX_BLOCKS
        {
            found.push(next);
            block = next;
        }
        found
    }

    /// Takes an address as what the assertion is about, in families of which there is none yet.
    fn take(&mut self, address: Operand) {
        let places = self.uses.places(address);
        if !places.iter().any(|place| self.uses.families.is_other(place))
            || !self.code.is_known_at(address, self.place)
        {
            return;
        }
        for family in self.uses.families.among(&places) {
            self.found.entry(family.state).or_insert(address);
        }
    }

    /// Takes the addresses that were read to compute a value.
    fn read_for(&mut self, value: Operand) {
        let mut pending: VecDeque<Operand> = [value].into();
        while let Some(operand) = pending.pop_front() {
            let Operand::Value(value) = operand else { continue };
            if self.seen.len() >= MAX_VALUES || !self.seen.insert(value) {
                continue;
            }
            if let Some((_, op)) = self.code.definitions.get(&value) {
                if let Op::Load { address, .. } = op {
                    self.take(*address);
                }
                op.for_each_operand(|operand| pending.push_back(operand));
            } else if let Some((_, given)) = self.code.parameters.get(&value) {
                pending.extend(given);
            }
        }
    }

    /// Takes the addresses that a block accesses before an index, the last first.
    fn accessed(&mut self, block: BlockId, before: usize) {
        if self.found.len() == self.uses.families.choices() {
            return;
        }
        let code = &self.uses.function.block(block).instructions;
        for instruction in code.iter().take(before).rev() {
            if let Op::Load { address, .. } | Op::Store { address, .. } = &instruction.op {
                self.take(*address);
            }
        }
    }
}
