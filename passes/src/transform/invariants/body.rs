//! What is known of a thread function before it is analysed.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{
    BlockId, CastOp, Function, FunctionId, Instruction, Module, Op, Operand, TerminatorKind, Type,
    ValueId,
};

use super::cells::CellId;
use crate::analysis::definitions::Definitions;

/// A thread function.
pub(super) struct Body<'m> {
    pub(super) module: &'m Module,
    pub(super) id: FunctionId,
    pub(super) function: &'m Function,
    cfg: Cfg,
    /// Blocks that are reached, in reverse postorder.
    pub(super) order: Vec<BlockId>,
    /// Blocks that a jump leads back to.
    pub(super) headers: BTreeSet<BlockId>,
    /// Blocks that only decide where to go on, mostly by what is passed to them: `a && b` ends in one.
    /// They are executed behind each jump to them, so that what is known there need not be joined.
    pub(super) decisions: BTreeSet<BlockId>,
    /// What computes each value; none for block parameters.
    pub(super) definitions: Definitions<'m>,
    /// By block: the integers that are read there or later, and defined before; without its parameters.
    pub(super) live: Vec<Vec<ValueId>>,
    /// By block: where each value is read last, which is behind all instructions if that is by the terminator or in
    /// another block. What a condition is made of is read where the condition is.
    pub(super) last_reads: Vec<FxHashMap<ValueId, usize>>,
    /// By block: in how many atomic sections it starts.
    pub(super) depths: Vec<u32>,
    /// By block: whether no thread can have been started when it begins.
    pub(super) alone: Vec<bool>,
    /// The cells that other threads may write once they exist, among which are those of the same function.
    pub(super) foreign: Vec<CellId>,
    /// Numbers at which bounds that grow are expected to stop, in ascending order.
    pub(super) thresholds: Vec<i128>,
    /// Those of them that conditions compare with: few, for bounds that go on growing.
    pub(super) compared: Vec<i128>,
}

/// More values are not followed into a block.
const MOST_LIVE: usize = 64;

impl<'m> Body<'m> {
    /// Analyses a function; `starts_alone` if no other thread exists when it begins. What others write is left to be said.
    pub(super) fn new(module: &'m Module, id: FunctionId, starts_alone: bool) -> Self {
        let function = module.function(id);
        let cfg = Cfg::new(function);
        let order = cfg.reverse_postorder().to_vec();
        let mut headers = BTreeSet::new();
        for &block in &order {
            let back = cfg.successors(block).iter().filter(|to| cfg.is_backwards(block, **to));
            headers.extend(back);
        }
        let decisions = decisions(function, &cfg, &order, &headers);
        let definitions = Definitions::new(function);
        let live = live(function, &order);
        let mut body = Self {
            module,
            id,
            function,
            cfg,
            order,
            headers,
            decisions,
            definitions,
            live,
            last_reads: Vec::new(),
            depths: vec![0; function.blocks.len()],
            alone: vec![starts_alone; function.blocks.len()],
            foreign: Vec::new(),
            thresholds: thresholds(function),
            compared: compared(function),
        };
        body.forwards();
        let blocks = (0..function.blocks.len()).map(BlockId::new);
        body.last_reads = blocks.map(|block| body.last_reads_in(block)).collect();
        body
    }

    /// Whether an edge between blocks that are reached goes against the order. Every cycle has such an edge.
    pub(super) fn is_backwards(&self, from: BlockId, to: BlockId) -> bool {
        self.cfg.is_backwards(from, to)
    }

    /// Sees a value, and if it is a condition what it is made of, as far as that is `new` each time.
    pub(super) fn for_each_part(&self, value: ValueId, is_new: &mut dyn FnMut(ValueId) -> bool) {
        let mut rest = vec![value];
        while let Some(value) = rest.pop() {
            if !is_new(value) {
                continue;
            }
            let Some(op) = self.definitions.get(&value) else { continue };
            // A condition may go by the name of an integer that is 0 or 1.
            if op.is_pure() && self.width(self.unwidened(value)) == Some(1) {
                op.for_each_operand(|operand| rest.extend(value_of(operand)));
            }
        }
    }

    /// The value that was copied, and filled with zeros, to be this one.
    pub(super) fn unwidened(&self, mut value: ValueId) -> ValueId {
        for _ in 0..MOST_NAMES {
            value = match self.definitions.get(&value) {
                Some(
                    Op::Copy { a: Operand::Value(a) }
                    | Op::Cast { op: CastOp::ZeroExtend, a: Operand::Value(a) },
                ) => *a,
                _ => break,
            };
        }
        value
    }

    fn last_reads_in(&self, block: BlockId) -> FxHashMap<ValueId, usize> {
        let mut last = FxHashMap::default();
        let mut read = |value: ValueId, index: usize| {
            self.for_each_part(value, &mut |part| {
                let entry = last.entry(part);
                let is_new = matches!(entry, Entry::Vacant(_));
                entry.or_insert(index);
                is_new
            });
        };
        let data = self.function.block(block);
        let end = data.instructions.len();
        data.terminator.kind.for_each_operand(|operand| {
            value_of(operand).into_iter().for_each(|value| read(value, end));
        });
        data.terminator.kind.for_each_target(|to| {
            self.live[to.block.index()].iter().for_each(|value| read(*value, end));
        });
        for (index, instruction) in data.instructions.iter().enumerate().rev() {
            instruction.op.for_each_operand(|operand| {
                value_of(operand).into_iter().for_each(|value| read(value, index));
            });
        }
        last
    }

    /// Depths, which are the same on all ways to a block (law 9), and who is alone.
    fn forwards(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &self.order {
                let data = self.function.block(block);
                let (mut depth, mut alone) =
                    (self.depths[block.index()], self.alone[block.index()]);
                for Instruction { op, .. } in &data.instructions {
                    match op {
                        Op::AtomicBegin(_) => depth += 1,
                        Op::AtomicEnd => depth = depth.saturating_sub(1),
                        Op::Spawn { .. } => alone = false,
                        _ => {}
                    }
                }
                data.terminator.kind.for_each_target(|target| {
                    let to = target.block.index();
                    changed |= self.depths[to] != depth || (self.alone[to] && !alone);
                    self.depths[to] = depth;
                    self.alone[to] &= alone;
                });
            }
        }
    }

    /// Sees each instruction that is reached, where it stands, and whether there is no other thread when it is executed.
    pub(super) fn for_each_reached(&self, mut see: impl FnMut(BlockId, usize, &Instruction, bool)) {
        for &block in &self.order {
            let mut alone = self.alone[block.index()];
            for (index, instruction) in self.function.block(block).instructions.iter().enumerate() {
                alone &= !matches!(instruction.op, Op::Spawn { .. });
                see(block, index, instruction, alone);
            }
        }
    }

    /// Sees the instructions that are reached, and may be executed when there are other threads.
    pub(super) fn for_each_beside_others(&self, mut see: impl FnMut(BlockId, usize, &Instruction)) {
        self.for_each_reached(|block, index, instruction, is_alone| {
            if !is_alone {
                see(block, index, instruction);
            }
        });
    }

    /// The integers that are defined before an instruction of a block, and read there or later.
    pub(super) fn live_at(&self, block: BlockId, index: usize) -> Vec<ValueId> {
        let data = self.function.block(block);
        let mut read: BTreeSet<ValueId> = BTreeSet::new();
        let mut note = |operand: Operand| {
            if let Operand::Value(value) = operand
                && width(self.function, operand).is_some()
            {
                read.insert(value);
            }
        };
        data.instructions[index..].iter().for_each(|i| i.op.for_each_operand(&mut note));
        data.terminator.kind.for_each_operand(&mut note);
        data.terminator.kind.for_each_target(|to| read.extend(&self.live[to.block.index()]));
        for instruction in &data.instructions[index..] {
            instruction.result.iter().for_each(|value| {
                read.remove(value);
            });
        }
        read.into_iter().take(MOST_LIVE).collect()
    }

    /// The width of a value that is followed.
    pub(super) fn width(&self, value: ValueId) -> Option<u32> {
        width(self.function, Operand::Value(value))
    }

    /// What an operand that is no value is worth, and its width, if it is an integer.
    pub(super) fn integer(&self, operand: Operand) -> Option<u32> {
        width(self.function, operand)
    }
}

fn value_of(operand: Operand) -> Option<ValueId> {
    match operand {
        Operand::Value(value) => Some(value),
        _ => None,
    }
}

/// The most names of a value that are looked through.
const MOST_NAMES: usize = 6;

/// The most decisions that follow one another.
const MOST_DECISIONS: usize = 6;

/// Blocks without loops that only decide where to go on; of a chain of many those that come first.
fn decisions(
    function: &Function,
    cfg: &Cfg,
    order: &[BlockId],
    headers: &BTreeSet<BlockId>,
) -> BTreeSet<BlockId> {
    // By block: how many come one after the other at most, with this one.
    let mut found: BTreeMap<BlockId, usize> = BTreeMap::new();
    for &block in order {
        let data = function.block(block);
        let decides = matches!(data.terminator.kind, TerminatorKind::Branch { .. })
            && data.instructions.iter().all(|instruction| instruction.op.is_pure())
            && block != BlockId::new(0)
            && !headers.contains(&block);
        let before = cfg.predecessors(block).iter().filter_map(|from| found.get(from)).max();
        let chain = before.map_or(1, |before| before + 1);
        if decides && chain <= MOST_DECISIONS {
            found.insert(block, chain);
        }
    }
    found.into_keys().collect()
}

/// The width of an operand if it is an integer.
fn width(function: &Function, operand: Operand) -> Option<u32> {
    match function.operand_type(operand) {
        Type::Int(bits) => Some(u32::from(bits)),
        _ => None,
    }
}

fn live(function: &Function, order: &[BlockId]) -> Vec<Vec<ValueId>> {
    let mut live: Vec<BTreeSet<ValueId>> = vec![BTreeSet::new(); function.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().rev() {
            let data = function.block(block);
            let mut now: BTreeSet<ValueId> = BTreeSet::new();
            data.terminator.kind.for_each_target(|target| now.extend(&live[target.block.index()]));
            data.for_each_operand(|operand| {
                if let Operand::Value(value) = operand
                    && width(function, operand).is_some()
                {
                    now.insert(value);
                }
            });
            let results = data.instructions.iter().filter_map(|i| i.result.as_ref());
            for defined in data.parameters.iter().chain(results) {
                now.remove(defined);
            }
            if now != live[block.index()] {
                live[block.index()] = now;
                changed = true;
            }
        }
    }
    live.into_iter().map(|values| values.into_iter().take(MOST_LIVE).collect()).collect()
}

/// Of more constants no sums are thresholds.
const MOST_SUMMED: usize = 16;

/// The constants of a function, and what is next to them. If they are few, their sums, too: what is at
/// most 1,000 before less than 10 are added ends below 1,010.
fn thresholds(function: &Function) -> Vec<i128> {
    let mut found = BTreeSet::from([-1, 0, 1]);
    let mut constants = BTreeSet::new();
    function.for_each_operand(|operand| {
        if let Some((signed, around)) = around(operand) {
            constants.insert(signed);
            found.extend(around);
        }
    });
    if constants.len() <= MOST_SUMMED {
        let sums = constants.iter().flat_map(|a| constants.iter().map(move |b| a + b));
        found.extend(sums);
    }
    found.into_iter().collect()
}

/// The constants that comparisons have as a side, and what is next to them.
fn compared(function: &Function) -> Vec<i128> {
    let mut found = BTreeSet::from([-1, 0, 1]);
    for instruction in function.instructions() {
        if let Op::Compare { a, b, .. } = &instruction.op {
            let sides = [*a, *b].into_iter().filter_map(around);
            found.extend(sides.flat_map(|(_, around)| around));
        }
    }
    found.into_iter().collect()
}

/// The value of a constant as a signed number, and that and what is next to it in both readings.
fn around(operand: Operand) -> Option<(i128, [i128; 6])> {
    match operand {
        Operand::Int { bits: bits @ 2..=64, value } => {
            let signed = sapa_ir::goto::arithmetic::signed(value, bits);
            let unsigned = value as i128;
            let [low, high] = [signed, unsigned];
            Some((signed, [low - 1, low, low + 1, high - 1, high, high + 1]))
        }
        _ => None,
    }
}
