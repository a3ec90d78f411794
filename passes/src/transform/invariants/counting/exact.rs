//! Which cells are the integers that they count.
//!
//! By its steps a cell has an *integer*, which it starts with and which each step changes by a constant; the cell is that
//! integer modulo 2^w. Sums of integers are what weights say, for all times: of `cars - north`, say, that it is at least 0,
//! as each thread adds 0 or 1. They are the cells themselves as long as they are numbers of the width, and of each cell this is known
//! - upwards if each step upwards leaves room, or if a sum bounds its integer by those of other cells;
//! - downwards likewise.
//!
//! All cells are claimed at once, and the proof is by induction over a run: a step changes one cell, of which it finds the
//! integer, so that it leaves room, or else the bound by the other integers is kept, which the step does not change. Cells whose
//! claim does not follow from the claims of the others are left out, until all that are left do.

use std::collections::BTreeMap;

use super::row::Row;
use super::steps::Steps;
use crate::transform::invariants::cells::CellId;
use crate::transform::invariants::inequalities::Reading;
use crate::transform::invariants::range::Range;

/// By cell: the least and the most that it is, read so that its integer is never anything else.
pub(super) type Exact = BTreeMap<CellId, (i128, i128)>;

/// Further from 0 no bound is: sums of some stay machine integers.
const FAR: i128 = 1 << 100;

/// How often sums are looked at for closer bounds.
const ROUNDS: usize = 4;

/// The cells among these that are the integers which they count, if they are read like this.
pub(super) fn exact(cells: &[(CellId, u32, &Steps)], rows: &[Row], reading: Reading) -> Exact {
    let ends = |width: u32| Range::all(width).bounds()[reading as usize];
    let by_steps = |(cell, width, steps): &(CellId, u32, &Steps)| {
        let start = steps.readings(*width)?[reading as usize];
        let (low, high) = steps.stored[reading as usize].unwrap_or((start, start));
        let [up, down] = steps.has_room[reading as usize];
        let low = if down { low.min(start) } else { -FAR };
        let high = if up { high.max(start) } else { FAR };
        Some((*cell, (low, high)))
    };
    let mut claimed: Exact = cells.iter().filter_map(by_steps).collect();
    loop {
        let mut bounds = claimed.clone();
        for _ in 0..ROUNDS {
            let before = bounds.clone();
            rows.iter().for_each(|row| tighten(row, reading, &mut bounds));
            if bounds == before {
                break;
            }
        }
        let count = claimed.len();
        for (cell, width, _) in cells {
            let (least, most) = ends(*width);
            if bounds.get(cell).is_some_and(|(low, high)| *low < least || most < *high) {
                claimed.remove(cell);
            }
        }
        if claimed.len() == count {
            return bounds;
        }
    }
}

/// The least and the most of a sum of cells, if all of them are claimed.
pub(super) fn of_sum(cells: &[(CellId, i128)], bounds: &Exact) -> Option<(i128, i128)> {
    cells.iter().try_fold((0, 0), |(low, high), (cell, factor)| {
        let (least, most) = *bounds.get(cell)?;
        let (a, b) = (least * factor, most * factor);
        Some((low + a.min(b), high + a.max(b)))
    })
}

/// Bounds each cell of a sum by the others.
fn tighten(row: &Row, reading: Reading, bounds: &mut Exact) {
    let start = row.starts[reading as usize];
    let [least, most] = row.added().map(|end| end.map(|added| start + added));
    for (at, &(cell, factor)) in row.cells.iter().enumerate() {
        let mut others = row.cells.clone();
        others.remove(at);
        let (Some(others), Some(own)) = (of_sum(&others, bounds), bounds.get_mut(&cell)) else {
            continue;
        };
        // What the cell adds to the sum, and then the cell, whose factor is 1 or -1.
        let least = least.map_or(-FAR, |least| least - others.1);
        let most = most.map_or(FAR, |most| most - others.0);
        let (low, high) = if factor > 0 { (least, most) } else { (-most, -least) };
        *own = (own.0.max(low), own.1.min(high));
    }
}
