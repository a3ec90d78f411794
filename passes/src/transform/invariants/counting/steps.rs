//! What the steps of the program do to a cell.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{BlockId, FunctionId, Instruction, Op};
use sapa_limits::{Exceeded, Limits};

use super::MOST_WEIGHT;
use crate::transform::invariants::cells::{Access, CellId};
use crate::transform::invariants::range::{MAX_WIDTH, Range};
use crate::transform::invariants::threads::Threads;
use crate::transform::invariants::walk::Walk;

/// What the steps of the program do to a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// By place of a store that is reached: what it adds, read as a signed number.
    pub(super) changes: FxHashMap<(FunctionId, BlockId, usize), i128>,
    /// As unsigned and as signed numbers: whether each step upwards leaves room for the next number, and each step
    /// downwards.
    pub(super) has_room: [[bool; 2]; 2],
    /// The least and the most that is stored, read in these two ways.
    pub(super) stored: [Option<(i128, i128)>; 2],
    /// What is there before the first of them, if that is known.
    pub(super) initial: Option<u128>,
    /// Whether all steps are known.
    pub(super) is_known: bool,
    /// Whether the others are at least stores, which may change it by something that depends on conditions.
    pub(super) depends: bool,
}

/// What stores do to each cell.
pub(super) fn steps(threads: &Threads<'_>, limits: &Limits) -> Result<Vec<Steps>, Exceeded> {
    let mut all: Vec<Steps> =
        threads.cells.all.iter().map(|cell| Steps::none(cell.initial)).collect();
    threads.for_each_write(limits, |walk, place, instruction, access| match access {
        Access::Write(cell) => {
            store(walk, place, instruction, *cell, &mut all[*cell as usize]);
        }
        Access::Clobber(cells) => {
            for cell in cells {
                let steps = &mut all[*cell as usize];
                (steps.is_known, steps.depends) = (false, false);
            }
        }
        Access::None | Access::Read(_) => {}
    })?;
    Ok(all)
}

impl Steps {
    /// None yet.
    pub(super) fn none(initial: Option<u128>) -> Self {
        let has_room = [[true; 2]; 2];
        Self { initial, is_known: true, depends: true, has_room, ..Self::default() }
    }

    /// What is there at the start, as an unsigned and as a signed number.
    pub(super) fn readings(&self, width: u32) -> Option<[i128; 2]> {
        let value = i128::try_from(self.initial?).ok()?;
        let [_, (_, half)] = Range::all(width).bounds();
        Some([value, if value > half { value - (1 << width) } else { value }])
    }

    /// Notes a step that finds a number in this range; whether it is one that can be counted.
    pub(super) fn note(&mut self, before: &Range, change: i128) -> bool {
        if before.width() > MAX_WIDTH || change.unsigned_abs() >= MOST_WEIGHT.unsigned_abs() {
            return false;
        }
        let ends = Range::all(before.width()).bounds();
        for (reading, (low, high)) in before.bounds().into_iter().enumerate() {
            let (least, most) = ends[reading];
            if change > 0 {
                self.has_room[reading][0] &= high + change <= most;
            } else {
                self.has_room[reading][1] &= low + change >= least;
            }
            let stored = self.stored[reading].get_or_insert((low + change, high + change));
            *stored = (stored.0.min(low + change), stored.1.max(high + change));
        }
        true
    }
}

/// What a store does to its cell.
fn store(
    walk: &mut Walk<'_>,
    place: (FunctionId, BlockId, usize),
    instruction: &Instruction,
    cell: CellId,
    steps: &mut Steps,
) {
    let Op::Store { value, .. } = &instruction.op else {
        (steps.is_known, steps.depends) = (false, false);
        return;
    };
    let Some((before, change)) = walk.change(cell, *value) else {
        steps.is_known = false;
        let before = walk.content(cell).clone();
        let mut then = walk.clone();
        then.step(place.1, place.2, instruction);
        let cases = then.cases_of_change(cell, &before);
        let mut cases = cases.into_iter().filter(|case| !case.is_dead());
        // Where the program starts with anything, the first store does not change the cell by a constant.
        let is_first = then.is_alone() && steps.initial.is_none();
        steps.depends &= is_first || cases.all(|case| case.change_since(cell, &before).is_some());
        return;
    };
    if !steps.note(&before, change) {
        steps.is_known = false;
        return;
    }
    steps.changes.insert(place, change);
}
