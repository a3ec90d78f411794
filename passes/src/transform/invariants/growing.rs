//! Cells that only grow: versions, tickets, epochs, flags that are set for good.
//!
//! If no step of a thread makes a cell smaller, what was read of it is at most what is there now, whatever others have done
//! meanwhile; and what has become smaller than it stays so. Sequence locks and lock-free structures with versions rest
//! on that.
//!
//! Numbers are read as unsigned or as signed ones, and a cell may grow in one of these readings only: a counter that
//! wraps grows in neither, unless a run that overflows is cut off or what it counts is bounded.

use sapa_ir::goto::CompareOp;
use sapa_limits::{Exceeded, Limits};

use super::cells::{Access, CellId};
use super::inequalities::Reading;
use super::range::MAX_WIDTH;
use super::threads::Threads;

/// The orders in which cells may grow.
const ORDERS: [(Reading, CompareOp); 2] =
    [(Reading::Unsigned, CompareOp::UnsignedLe), (Reading::Signed, CompareOp::SignedLe)];

/// By cell: the readings in which no step makes it smaller once other threads exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Growing(Vec<Vec<Reading>>);

impl Growing {
    /// Looks at all steps, given what is known where they are taken.
    pub(super) fn new(threads: &Threads<'_>, limits: &Limits) -> Result<Self, Exceeded> {
        let all = &threads.cells.all;
        let mut grows: Vec<[bool; 2]> =
            all.iter().map(|cell| [cell.width <= MAX_WIDTH; 2]).collect();
        let mut is_written = vec![false; all.len()];
        threads.for_each_write(
            limits,
            |walk, (_, block, index), instruction, access| match access {
                Access::Write(cell) if !walk.is_alone() => {
                    walk.await_others(block, index);
                    let before = walk.content(*cell);
                    let mut then = walk.clone();
                    then.step(block, index, instruction);
                    is_written[*cell as usize] = true;
                    for case in then.cases().iter().filter(|case| !case.is_dead()) {
                        for (grows, (_, op)) in grows[*cell as usize].iter_mut().zip(ORDERS) {
                            *grows = *grows && case.compares(op, before, case.content(*cell));
                        }
                    }
                }
                Access::Clobber(cells) if !walk.is_alone() => {
                    cells.iter().for_each(|cell| grows[*cell as usize] = [false; 2]);
                }
                _ => {}
            },
        )?;
        let readings = |(grows, is_written): ([bool; 2], bool)| {
            let orders = ORDERS.into_iter().zip(grows);
            let orders = orders.filter(|(_, grows)| *grows && is_written);
            orders.map(|((reading, _), _)| reading).collect()
        };
        Ok(Self(grows.into_iter().zip(is_written).map(readings).collect()))
    }

    /// Whether no cell grows that is written at all.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }

    /// The readings in which a cell only grows.
    pub(super) fn readings(&self, cell: CellId) -> &[Reading] {
        self.0.get(cell as usize).map_or(&[], Vec::as_slice)
    }
}
