//! What single threads have added to a cell.
//!
//! Where threads that are executed once each add to a cell (`x = x + d`, whatever `d` is), it is what it was before they began,
//! and what each of them has added so far. So each of these threads has another cell, which exists in the analysis only: its
//! *contribution*. A step of the thread that changes the cell changes the contribution by as much. That the cell is the sum is
//! an equation which all steps keep; and as nobody else writes to a contribution, its thread knows it by what it has itself: "as
//! often as the loop was executed". These are the auxiliary variables of Owicki and Gries ("An axiomatic proof technique for
//! parallel programs I", Acta Informatica 1976), found instead of given.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{BinaryOp, FunctionId, Op, Operand, TerminatorKind, ValueId};

use super::body::Body;
use super::cells::{Access, CellId, Cells};
use crate::analysis::once::ExecutedOnce;

/// There are no more contributions.
const MOST: usize = 12;

/// How far back it is looked what is written to a cell.
const DEPTH: usize = 8;

/// Adds the contributions of the threads that these functions are.
pub(super) fn add(bodies: &[Body<'_>], once: &ExecutedOnce, cells: &mut Cells) {
    let mut writers: Vec<BTreeSet<FunctionId>> = vec![BTreeSet::new(); cells.all.len()];
    let mut is_sum = vec![true; cells.all.len()];
    for body in bodies {
        let reads = reads(body, cells);
        body.for_each_beside_others(|block, index, instruction| {
            match cells.at(body.id, block.index(), index) {
                Access::Write(cell) => {
                    let at = *cell as usize;
                    writers[at].insert(body.id);
                    is_sum[at] &= matches!(
                        instruction.op,
                        Op::Store { value, .. } if adds((body, &reads), *cell, value, DEPTH)
                    );
                }
                Access::Clobber(cells) => {
                    cells.iter().for_each(|cell| is_sum[*cell as usize] = false);
                }
                Access::None | Access::Read(_) => {}
            }
        });
    }
    for (cell, (writers, is_sum)) in (0..).zip(writers.into_iter().zip(is_sum)) {
        // Of who never ends nobody knows what it has added in all.
        let counts = |writer: &FunctionId| once.contains(*writer) && may_end(bodies, *writer);
        if is_sum && writers.len() > 1 && writers.iter().all(counts) {
            for writer in writers.into_iter().take(MOST.saturating_sub(cells.contributions.len())) {
                cells.add_contribution(writer, cell);
            }
        }
    }
}

/// Whether a thread of a function may come to its end.
fn may_end(bodies: &[Body<'_>], function: FunctionId) -> bool {
    let of_function = bodies.iter().filter(|body| body.id == function);
    let mut blocks =
        of_function.flat_map(|body| body.order.iter().map(|block| body.function.block(*block)));
    blocks.any(|block| {
        matches!(block.terminator.kind, TerminatorKind::Return(_) | TerminatorKind::EndThread(_))
    })
}

/// The cells that values of a function were read from.
fn reads(body: &Body<'_>, cells: &Cells) -> FxHashMap<ValueId, CellId> {
    let mut found = FxHashMap::default();
    for &block in &body.order {
        for (index, instruction) in body.function.block(block).instructions.iter().enumerate() {
            if let (Access::Read(cell), Some(result)) =
                (cells.at(body.id, block.index(), index), instruction.result)
            {
                found.insert(result, *cell);
            }
        }
    }
    found
}

/// Whether an operand is what was read from a cell, and something.
fn adds(
    of: (&Body<'_>, &FxHashMap<ValueId, CellId>),
    cell: CellId,
    operand: Operand,
    depth: usize,
) -> bool {
    let (body, reads) = of;
    let Operand::Value(value) = operand else { return false };
    if reads.get(&value) == Some(&cell) {
        return true;
    }
    let is = |operand: &Operand| depth > 0 && adds(of, cell, *operand, depth - 1);
    match body.definitions.get(&value) {
        Some(Op::Binary { op: BinaryOp::Add, a, b, .. }) => is(a) || is(b),
        Some(Op::Binary { op: BinaryOp::Sub, a, .. } | Op::Copy { a }) => is(a),
        Some(Op::Select { a, b, .. }) => is(a) && is(b),
        _ => false,
    }
}
