//! Sums of cells that have weights.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{FunctionId, Instruction, Op};

use super::are_few;
use super::steps::Steps;
use super::weights::Weights;
use crate::analysis::once::ExecutedOnce;
use crate::transform::invariants::cells::CellId;
use crate::transform::invariants::threads::Threads;

/// The program, and how many threads it starts at most.
pub(super) struct Program<'a, 'm> {
    pub(super) threads: &'a Threads<'m>,
    pub(super) once: &'a ExecutedOnce,
    pub(super) started: Option<u64>,
}

impl Program<'_, '_> {
    /// Whether it starts so few threads that their number says enough of what they count.
    pub(super) fn starts_few(&self) -> bool {
        are_few(self.started)
    }
}

/// A sum of cells that is a constant, and the weights of all threads.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Of one width, each with its factor, which is 1 or -1.
    pub(super) cells: Vec<(CellId, i128)>,
    pub(super) width: u32,
    /// The constant, which is there at the start: with cells read as unsigned, and as signed numbers.
    pub(super) starts: [i128; 2],
    /// The least and the most at each place, where it depends on the way.
    pub(super) weights: Weights,
    /// By function that is executed once: the weights in it.
    pub(super) singles: FxHashMap<FunctionId, OfSingle>,
    /// The least and the largest weight in all other functions together, with that of no thread, which is 0.
    pub(super) others: (i128, i128),
    /// How many threads execute those at most.
    pub(super) number: Option<i128>,
}

/// The least and the largest weight in a function that one thread executes.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfSingle {
    /// With that of no thread, which is 0.
    pub(super) ever: (i128, i128),
    /// Where there are others: what the program does before it starts a thread counts as done.
    pub(super) beside_others: (i128, i128),
}

impl Row {
    /// A sum of cells with these weights; `None` if it is not known what they start with.
    pub(super) fn new(
        program: &Program<'_, '_>,
        cells: &[(CellId, i128, &Steps)],
        weights: Weights,
    ) -> Option<Self> {
        let Program { threads, once, started } = program;
        let width = threads.cells.all[cells.first()?.0 as usize].width;
        let mut starts = [0; 2];
        for (_, factor, steps) in cells {
            let readings = steps.readings(width)?;
            starts.iter_mut().zip(readings).for_each(|(sum, start)| *sum += factor * start);
        }
        let mut extremes: FxHashMap<FunctionId, (i128, i128)> = FxHashMap::default();
        for ((function, _), values) in &weights.places {
            let (low, high) = extremes.entry(*function).or_insert((0, 0));
            for weight in values.iter().flatten() {
                (*low, *high) = ((*low).min(weight.0), (*high).max(weight.1));
            }
        }
        let mut singles = FxHashMap::default();
        let mut others = (0, 0);
        let entry = threads.bodies.first()?.id;
        for body in &threads.bodies {
            let (low, high) = extremes.get(&body.id).copied().unwrap_or((0, 0));
            if once.contains(body.id) {
                let beside_others = match beside_others(threads, body.id, &weights) {
                    Some(found) if body.id == entry => found,
                    _ => (low, high),
                };
                singles.insert(body.id, OfSingle { ever: (low, high), beside_others });
            } else {
                others = (low.min(others.0), high.max(others.1));
            }
        }
        let initial = i128::from(!once.contains(entry));
        let mut number = started.map(|started| i128::from(started) + initial);
        // Where one side is not known, the weights that are written for it mean nothing.
        if others == (0, 0) && weights.bounds == [true, true] {
            number = Some(number.unwrap_or(0));
        }
        let cells = cells.iter().map(|(cell, factor, _)| (*cell, *factor)).collect();
        Some(Self { cells, width, starts, weights, singles, others, number })
    }

    /// The least and the most that threads have of which there is one each.
    pub(super) fn of_singles(&self) -> (i128, i128) {
        let weights = self.singles.values().map(|single| single.ever);
        weights.fold((0, 0), |(a, b), (low, high)| (a + low, b + high))
    }

    /// The least and the most that all threads together add to the sum, as far as there are such.
    pub(super) fn added(&self) -> [Option<i128>; 2] {
        let (low, high) = self.of_singles();
        let with_others = |side: usize, singles: i128, each: i128| match self.number {
            _ if !self.weights.bounds[side] => None,
            Some(number) => Some(singles + number * each),
            None => (each == 0).then_some(singles),
        };
        [with_others(0, low, self.others.0), with_others(1, high, self.others.1)]
    }

    /// Whether threads of which there is any number only add to the sum (for the side 0), or only take away from it.
    pub(super) fn is_one_sided(&self, side: usize) -> bool {
        self.weights.bounds[side] && [self.others.0, self.others.1][side] == 0
    }

    /// Whether some of these say as much: parts of the sum, of which each cell is in one.
    pub(super) fn follows_from(&self, rows: &[Self]) -> bool {
        let parts: Vec<Part> = rows.iter().filter_map(|row| self.part(row)).collect();
        self.added().into_iter().enumerate().all(|(side, own)| {
            let Some(own) = own else { return true };
            let sum = sum_of_parts(&self.cells, &parts, side);
            sum.is_some_and(|sum| if side == 0 { sum >= own } else { sum <= own })
        })
    }

    /// What a sum of fewer cells adds to this one, if it is a part of it.
    fn part(&self, row: &Self) -> Option<Part> {
        let (cell, factor) = row.cells[0];
        let own = self.cells.iter().find(|(own, _)| *own == cell).map(|(_, own)| own * factor)?;
        let cells: Vec<_> = row.cells.iter().map(|(cell, factor)| (*cell, factor * own)).collect();
        if cells.len() >= self.cells.len() || !cells.iter().all(|cell| self.cells.contains(cell)) {
            return None;
        }
        let [low, high] = row.added();
        let added = if own > 0 { [low, high] } else { [high, low].map(|end| end.map(|end| -end)) };
        Some(Part { cells, added })
    }
}

/// A part of a sum.
struct Part {
    cells: Vec<(CellId, i128)>,
    /// The least and the most that threads add to it.
    added: [Option<i128>; 2],
}

/// The closest end that parts give a sum of these cells.
fn sum_of_parts(cells: &[(CellId, i128)], parts: &[Part], side: usize) -> Option<i128> {
    let Some(first) = cells.first() else { return Some(0) };
    let fitting = parts.iter().filter(|part| {
        part.cells.contains(first) && part.cells.iter().all(|cell| cells.contains(cell))
    });
    let ends = fitting.filter_map(|part| {
        let rest: Vec<_> =
            cells.iter().filter(|cell| !part.cells.contains(cell)).copied().collect();
        Some(part.added[side]? + sum_of_parts(&rest, parts, side)?)
    });
    if side == 0 { ends.max() } else { ends.min() }
}

/// The least and the largest weight in a function where the program is no longer alone; `None` if it always is.
fn beside_others(
    threads: &Threads<'_>,
    function: FunctionId,
    weights: &Weights,
) -> Option<(i128, i128)> {
    let body = threads.bodies.iter().find(|body| body.id == function)?;
    let mut found: Option<(i128, i128)> = None;
    for ((_, block), weights) in weights.places.iter().filter(|((of, _), _)| *of == function) {
        let mut alone = body.alone[block.index()];
        // Before each instruction, and at the end.
        let mut code = body.function.block(*block).instructions.iter();
        for weight in weights {
            if let (false, Some((low, high))) = (alone, *weight) {
                let (least, most) = found.unwrap_or((low, high));
                found = Some((least.min(low), most.max(high)));
            }
            let starts = |instruction: &Instruction| matches!(instruction.op, Op::Spawn { .. });
            alone &= !code.next().is_some_and(starts);
        }
    }
    found
}
