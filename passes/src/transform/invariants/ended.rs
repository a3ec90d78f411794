//! What is known once a thread has ended.
//!
//! A thread that is executed once and writes to no cell any more, nor holds a lock, when it sets a flag, has *ended* for all who find
//! the flag set, as who joins it does. What it alone writes stays what the thread knew it to be then. And what was written
//! by threads that have ended, and by nobody else but who asks, is as one of them left it: also without the lock
//! that guards it, as none of them is in the midst of changing it.

use std::collections::BTreeSet;

use sapa_ir::goto::{BlockId, FunctionId, Op, Operand};

use super::body::Body;
use super::cells::{Access, CellId, Cells};
use super::locks::Locks;
use crate::analysis::once::ExecutedOnce;

/// A flag that a thread sets when it has ended.
#[derive(Debug)]
pub(super) struct End {
    pub(super) flag: CellId,
    /// What the flag contains then, and never before.
    pub(super) value: u128,
    pub(super) function: FunctionId,
    /// The cells that nobody else writes once there is more than one thread.
    pub(super) own: BTreeSet<CellId>,
}

/// The ends of threads.
#[derive(Debug, Default)]
pub(super) struct Ended {
    pub(super) all: Vec<End>,
    /// By cell: who writes to it once there is more than one thread.
    writers: Vec<BTreeSet<FunctionId>>,
    /// The functions that are executed once.
    single: BTreeSet<FunctionId>,
}

/// What is stored in a cell: by whom, where, what if that is a number, and whether there is no other thread then.
type Write = (FunctionId, (BlockId, usize), Option<u128>, bool);

impl Ended {
    pub(super) fn new(
        bodies: &[Body<'_>],
        once: &ExecutedOnce,
        cells: &Cells,
        locks: &Locks,
    ) -> Self {
        let mut writers: Vec<BTreeSet<FunctionId>> = vec![BTreeSet::new(); cells.all.len()];
        let mut writes: Vec<Vec<Write>> = vec![Vec::new(); cells.all.len()];
        for body in bodies {
            for cell in cells.written_beside_others(body) {
                writers[cell as usize].insert(body.id);
            }
            body.for_each_reached(|block, index, instruction, is_alone| {
                let at = (block, index);
                match cells.at(body.id, block.index(), index) {
                    Access::Write(cell) => {
                        let value = match instruction.op {
                            Op::Store { value: Operand::Int { value, .. }, .. } => Some(value),
                            _ => None,
                        };
                        writes[*cell as usize].push((body.id, at, value, is_alone));
                    }
                    Access::Clobber(cells) => {
                        let unknown = (body.id, at, None, is_alone);
                        cells.iter().for_each(|cell| writes[*cell as usize].push(unknown));
                    }
                    Access::None | Access::Read(_) => {}
                }
            });
        }
        let mut all = Vec::new();
        for (flag, writes) in (0..).zip(&writes) {
            let initial = cells.all[flag as usize].initial;
            let (before, beside): (Vec<_>, Vec<_>) = writes.iter().partition(|write| write.3);
            let Some(&(function, _, Some(value), _)) = beside.first().copied() else { continue };
            let is_set = |write: &&Write| write.0 == function && write.2 == Some(value);
            let Some(body) = bodies.iter().find(|body| body.id == function) else { continue };
            let is_last = |write: &&Write| {
                let (block, index) = write.1;
                !writes_later(body, cells, write.1)
                    && !locks.may_hold_any((function, block, index + 1))
            };
            if initial.is_some_and(|initial| initial != value)
                && before.iter().all(|write| write.2 == initial)
                && beside.iter().all(is_set)
                && once.contains(function)
                && beside.iter().all(is_last)
            {
                let is_own = |cell: &CellId| {
                    writers[*cell as usize].iter().all(|writer| *writer == function)
                };
                let cells = 0..CellId::try_from(writers.len()).unwrap_or(CellId::MAX);
                let own = cells.filter(is_own).collect();
                all.push(End { flag, value, function, own });
            }
        }
        let single = bodies.iter().map(|body| body.id).filter(|id| once.contains(*id)).collect();
        Self { all, writers, single }
    }

    /// The end that a flag says, by its number.
    pub(super) fn of_flag(&self, flag: CellId) -> Option<usize> {
        self.all.iter().position(|end| end.flag == flag)
    }

    /// Whether only these threads ever write to a cell once there is more than one.
    pub(super) fn is_written_by(&self, cell: CellId, threads: &BTreeSet<FunctionId>) -> bool {
        self.writers[cell as usize].iter().all(|writer| threads.contains(writer))
    }

    /// The same with the thread that asks, which is one of `own`, and may be one of many.
    pub(super) fn is_left_to(
        &self,
        cell: CellId,
        threads: &BTreeSet<FunctionId>,
        own: FunctionId,
    ) -> bool {
        let mut writers = self.writers[cell as usize].iter();
        let is_single = self.single.contains(&own);
        writers.all(|writer| threads.contains(writer) || (*writer == own && is_single))
    }
}

/// Whether a thread may write to a cell behind an instruction.
fn writes_later(body: &Body<'_>, cells: &Cells, (block, index): (BlockId, usize)) -> bool {
    let writes = |block: BlockId, from: usize| {
        let count = body.function.block(block).instructions.len();
        (from..count).any(|index| {
            let access = cells.at(body.id, block.index(), index);
            matches!(access, Access::Write(_) | Access::Clobber(_))
        })
    };
    if writes(block, index + 1) {
        return true;
    }
    let mut reached: BTreeSet<BlockId> = BTreeSet::new();
    let mut pending = vec![block];
    while let Some(block) = pending.pop() {
        body.function.block(block).terminator.kind.for_each_target(|target| {
            if reached.insert(target.block) {
                pending.push(target.block);
            }
        });
    }
    reached.into_iter().any(|block| writes(block, 0))
}
