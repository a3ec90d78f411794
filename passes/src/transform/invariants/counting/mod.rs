//! Counting: shared integers as sums over the threads, by where these stand.
//!
//! If each step of each thread changes a cell by a constant that depends on the place only, there may be *weights* β of places
//! such that the cell, or a sum of some (`posted - consumed - waiting`), is a constant
//! plus the sum of the weights of the places at which threads stand: a place invariant of the Petri
//! net of the threads, for any number of them. A step from `p` to `q` that adds `d` and starts
//! threads at the places `e` needs `β(q) - β(p) + Σ β(e) = d`. Within a function weights are potentials:
//! that of its entry decides all others, and where ways meet there is an equation between entries ([`weights`]). A thread that
//! has ended keeps the weight of its end.
//!
//! Where ways that change cells differently meet, there is one weight for each of them, by how much the thread
//! has changed the cells so far, a property that is followed beside what is known ([`followed`]).
//!
//! The sum is one of integers, the variables are modulo 2^w. They are equal as long as the integers
//! fit, which is known
//! - if the program starts at most N threads, by N times the largest weight;
//! - for any number of threads, if weights bound the integer ([`row`]), or steps find a value that leaves room for what they
//!   add, or a sum bounds it by those of others: who is on the bridge to the north is on the bridge ([`exact`]).
//!   (Two to the 32 threads that increment a counter without looking at it bring it back to 0: of that nothing is said.)
//!
//! Where nothing is known that leaves room, a constant that the program compares with may be an end which a cell does
//! not go beyond: a thread that goes back where it finds `readers == 100` leaves at most 100. That is *supposed*, the
//! program is analysed with it, and it is true if each step then leaves what was supposed ([`Threads::suppose`]).
//!
//! A thread that stands at `p` then knows that the sum has β(p) in it.

mod exact;
mod followed;
mod row;
mod steps;
mod weights;

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use sapa_ir::goto::arithmetic::signed;
use sapa_ir::goto::{BlockId, FunctionId, Op, Operand};
use sapa_limits::{Exceeded, Limits};

use self::exact::{Exact, exact, of_sum};
use self::followed::followed;
use self::row::{Program, Row};
use self::steps::{Steps, steps};
use self::weights::{Places, Weights};
use super::cells::CellId;
use super::inequalities::Reading;
use super::range::{MAX_WIDTH, Range};
use super::threads::Threads;
use super::walk::Variable;
use crate::analysis::once::ExecutedOnce;
use crate::linear::Sum;

/// More cells, or pairs of them, are not counted.
const MOST_CELLS: usize = 10;

/// Blocks that are executed at most where weights depend on the way.
const MOST_WALKS: usize = 3_000;

/// Sums of three cells and more are looked at of no more cells of one width, have no more terms, and are no more than this.
const MOST_IN_SUMS: usize = 8;
const MOST_TERMS: usize = 5;
const MOST_SUMS: usize = 12;

/// More ends of one cell are not supposed.
const MOST_SUPPOSED: usize = 6;

/// Where no more threads are started, it is not asked which of two cells is above the other, nor what else is counted once
/// counters are known not to wrap: their sums say enough.
const FEW_THREADS: i128 = 64;

/// Weights beyond this are not looked at: sums of them fit machine integers.
const MOST_WEIGHT: i128 = 1 << 40;

/// Whether a program that starts this many threads at most starts few.
pub(super) fn are_few(started: Option<u64>) -> bool {
    started.is_some_and(|started| i128::from(started) <= FEW_THREADS)
}

/// A cell, and what is done to it.
struct Weighed {
    cell: CellId,
    width: u32,
    /// What was there at the start, if that is known before the first store.
    initial: Option<u128>,
    /// Whether each of its places has one change.
    is_direct: bool,
    steps: Steps,
    /// Its weights if it has any by itself.
    weights: Option<Weights>,
}

/// The cells that are counted, and the places that give their sums weights.
fn weighed(
    program: &Program<'_, '_>,
    limits: &Limits,
) -> Result<(Vec<Weighed>, Vec<Places>), Exceeded> {
    let threads = program.threads;
    let mut all: Vec<Weighed> = Vec::new();
    for (cell, steps) in (0..).zip(steps(threads, limits)?) {
        let is_direct = steps.is_known && steps.initial.is_some();
        let changes = match is_direct {
            true => steps.changes.values().any(|change| *change != 0),
            false => steps.depends,
        };
        let alike = all.iter().filter(|other| other.is_direct == is_direct).count();
        let known = &threads.cells.all[cell as usize];
        if changes && alike < MOST_CELLS && known.width <= MAX_WIDTH {
            let (width, initial) = (known.width, known.initial);
            all.push(Weighed { cell, width, initial, is_direct, steps, weights: None });
        }
    }
    let of_direct = all.iter().filter(|one| one.is_direct).map(|one| (one.cell, &one.steps));
    let direct = Places::direct(threads, &of_direct.collect::<Vec<_>>());
    let mut places: Vec<Places> = direct.into_iter().collect();
    for one in &mut all {
        one.weights = places.iter().find_map(|places| places.weights(&[(one.cell, 1)]));
    }
    // Whose weights do not make it the integer that it counts are followed: first all cells together, where there are many
    // threads, then each by itself.
    let mut walks = MOST_WALKS;
    let mut follow = |cells: Vec<CellId>, all: &mut [Weighed], places: &mut Vec<Places>| {
        let Some(found) = followed(threads, cells, &mut walks, limits)? else { return Ok(()) };
        for (cell, steps) in found.places.cells.iter().zip(found.steps) {
            let Some(one) = all.iter_mut().find(|one| one.cell == *cell) else { continue };
            let weights = found.places.weights(&[(*cell, 1)]);
            let by_ways = Weighed { steps, weights, ..*one };
            let rank = |one: &Weighed| (one.steps.is_known, one.is_exact(program), one.bounds());
            if rank(&by_ways) > rank(one) {
                *one = by_ways;
            }
        }
        places.push(found.places);
        Ok(())
    };
    if all.iter().any(|one| !one.is_exact(program)) {
        if !program.starts_few() {
            follow(all.iter().map(|one| one.cell).collect(), &mut all, &mut places)?;
        }
        for at in 0..all.len() {
            if all[at].bounds() < 2 {
                follow(vec![all[at].cell], &mut all, &mut places)?;
            }
        }
    }
    Ok((all, places))
}

impl Weighed {
    /// How many bounds its weights are: none where it has none.
    fn bounds(&self) -> usize {
        let bounds = self.weights.iter().flat_map(|weights| weights.bounds);
        bounds.filter(|is_bound| *is_bound).count()
    }

    /// Whether the cell by itself is known to be the integer that it counts.
    fn is_exact(&self, program: &Program<'_, '_>) -> bool {
        let weights = self.weights.clone();
        let row = weights.and_then(|by| Row::new(program, &[(self.cell, 1, &self.steps)], by));
        let Some(row) = row else { return false };
        let rows = [row];
        let claims = [(self.cell, self.width, &self.steps)];
        Reading::BOTH.into_iter().any(|reading| !exact(&claims, &rows, reading).is_empty())
    }

    /// What is claimed of all: that they are the integers that their steps make.
    fn claims(all: &[Self]) -> Vec<(CellId, u32, &Steps)> {
        let known = all.iter().filter(|one| one.steps.is_known);
        known.map(|one| (one.cell, one.width, &one.steps)).collect()
    }
}

/// The sums that have weights: of one cell, of two, and of more where they say more than their parts.
fn rows(
    program: &Program<'_, '_>,
    all: &[Weighed],
    places: &[Places],
    limits: &Limits,
) -> Result<Vec<Row>, Exceeded> {
    let weigh = |sum: &[(&Weighed, i128)]| {
        let cells: Vec<(CellId, i128)> = sum.iter().map(|(one, by)| (one.cell, *by)).collect();
        places.iter().find_map(|places| places.weights(&cells)).or_else(|| weights_of_parts(sum))
    };
    let row = |sum: &[(&Weighed, i128)], weights: Weights| {
        let cells: Vec<_> = sum.iter().map(|(one, by)| (one.cell, *by, &one.steps)).collect();
        Row::new(program, &cells, weights)
    };
    let mut rows: Vec<Row> =
        all.iter().filter_map(|one| row(&[(one, 1)], one.weights.clone()?)).collect();
    let all: Vec<&Weighed> = all.iter().filter(|one| one.initial.is_some()).collect();
    for (at, one) in all.iter().enumerate() {
        limits.check()?;
        let alike = all[at + 1..].iter().filter(|other| other.width == one.width);
        for other in alike {
            let difference = [(*one, 1), (*other, -1)];
            rows.extend(weigh(&difference).and_then(|weights| row(&difference, weights)));
            let sum = [(*one, 1), (*other, 1)];
            let sum = weigh(&sum).and_then(|weights| row(&sum, weights));
            rows.extend(sum.filter(|sum| !sum.follows_from(&rows)));
        }
    }
    if program.starts_few() {
        return Ok(rows);
    }
    for sum in one_sided(program, &all, places, limits)? {
        limits.check()?;
        let found = weigh(&sum).and_then(|weights| row(&sum, weights));
        rows.extend(found.filter(|row| !row.follows_from(&rows)));
    }
    Ok(rows)
}

/// Sums of three cells or more to which threads, of which there may be any number, only add, as far as ways say that start
/// where their functions begin. Of such sums those with the fewest cells.
fn one_sided<'w>(
    program: &Program<'_, '_>,
    all: &[&'w Weighed],
    places: &[Places],
    limits: &Limits,
) -> Result<Vec<Vec<(&'w Weighed, i128)>>, Exceeded> {
    let mut found: Vec<Vec<(&Weighed, i128)>> = Vec::new();
    let widths: BTreeSet<u32> = all.iter().map(|one| one.width).collect();
    for width in widths {
        let alike = all.iter().filter(|one| one.width == width).copied();
        let alike: Vec<&Weighed> = alike.take(MOST_IN_SUMS).collect();
        let cells: Vec<CellId> = alike.iter().map(|one| one.cell).collect();
        // What each way adds to each of the cells.
        let ways = places.iter().map(|places| places.ways(program, &cells)).find(|w| !w.is_empty());
        let Some(ways) = ways else { continue };
        let mut sums: Vec<Vec<i128>> = vec![Vec::new()];
        for _ in &cells {
            let longer =
                |sum: &Vec<i128>| [0, 1, -1].map(|factor| [sum.as_slice(), &[factor]].concat());
            sums = sums.iter().flat_map(longer).collect();
        }
        limits.check()?;
        let size = |sum: &[i128]| sum.iter().filter(|factor| **factor != 0).count();
        let is_one_sided = |sum: &Vec<i128>| {
            let adds = |way: &Vec<i128>| way.iter().zip(sum).map(|(a, b)| a * b).sum::<i128>() >= 0;
            ways.iter().all(adds)
        };
        sums.retain(|sum| (1..=MOST_TERMS).contains(&size(sum)) && is_one_sided(sum));
        sums.sort_by_key(|sum| size(sum));
        // Those that are no two others together.
        let mut simple: Vec<Vec<i128>> = Vec::new();
        let all: FxHashSet<Vec<i128>> = sums.iter().cloned().collect();
        for sum in sums {
            limits.check()?;
            let is_part = |part: &&Vec<i128>| part.iter().zip(&sum).all(|(a, b)| *a == 0 || a == b);
            let rest = |part: &Vec<i128>| -> Vec<i128> {
                sum.iter().zip(part).map(|(a, b)| a - b).collect()
            };
            if !simple.iter().filter(is_part).any(|part| all.contains(&rest(part))) {
                simple.push(sum);
            }
        }
        let of_cells = simple.iter().filter(|sum| size(sum) > 2).take(MOST_SUMS).map(|sum| {
            let terms = alike.iter().copied().zip(sum.iter().copied());
            terms.filter(|(_, factor)| *factor != 0).collect()
        });
        found.extend(of_cells);
    }
    Ok(found)
}

/// The weights of a sum of cells that have weights each; `None` if one has none.
fn weights_of_parts(sum: &[(&Weighed, i128)]) -> Option<Weights> {
    let part = |(one, factor): &(&Weighed, i128)| {
        let mut weights = one.weights.clone()?;
        if *factor < 0 {
            weights.bounds.reverse();
            for (low, high) in weights.places.values_mut().flatten().flatten() {
                (*low, *high) = (-*high, -*low);
            }
        }
        Some(weights)
    };
    let mut parts = sum.iter().map(part);
    let mut found = parts.next()??;
    for part in parts {
        let part = part?;
        found.bounds = [0, 1].map(|side| found.bounds[side] && part.bounds[side]);
        found.places.retain(|place, _| part.places.contains_key(place));
        for (place, sum) in &mut found.places {
            let own = &part.places[place];
            sum.truncate(own.len());
            for (sum, own) in sum.iter_mut().zip(own) {
                *sum = sum.zip(*own).map(|((low, high), own)| (low + own.0, high + own.1));
            }
        }
    }
    Some(found)
}

/// Cells with their factors.
type Terms = Vec<(CellId, i128)>;

/// A variable that counts threads: a cell, or a sum of some.
#[derive(Clone, Debug)]
struct Count {
    row: Row,
    /// The constant: what is there at the start.
    start: i128,
    /// How its cells are read, if it is known of that reading that none of them ever wraps, or supposed.
    reading: Option<Reading>,
    /// Where any number of threads execute the others: the least and the most that the sum can be.
    ends: (i128, i128),
    /// How many threads execute the others at most, if there is room for them.
    number: Option<i128>,
    /// Of a cell alone: the least and the most that is ever there, as steps leave it, as unsigned and as signed numbers.
    stored: Option<[(i128, i128); 2]>,
    /// Whether its ends are only supposed.
    is_supposed: bool,
    /// What is said of two of more cells: the others with their factors, and the least and the most that they are together.
    aside: Option<(Terms, (i128, i128))>,
}

/// All that counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts(Vec<Count>);

/// What is known of a sum where a thread stands.
pub(super) struct Counted<'a> {
    /// The cells with their coefficients.
    pub(super) cells: &'a [(CellId, i128)],
    /// Bounds of the sum, modulo 2^w.
    pub(super) range: Range,
    /// Whether none of them ever wraps.
    pub(super) is_exact: bool,
    /// Of the difference of two that never wrap: how they are read, and by how much the first is above the
    /// second at least and at most.
    pub(super) apart: Option<(Reading, (i128, i128))>,
}

impl Counted<'_> {
    /// The sum, of what each cell is.
    pub(super) fn sum(&self, of: impl Fn(CellId) -> Sum<Variable>) -> Sum<Variable> {
        let mut sum = Sum::constant(self.range.width(), 0);
        for &(cell, factor) in self.cells {
            sum.add(&of(cell), factor as u128);
        }
        sum
    }
}

impl Counts {
    /// Finds what counts threads, given what is known without that. `started` is how many threads
    /// the program starts at most.
    pub(super) fn new(
        threads: &Threads<'_>,
        once: &ExecutedOnce,
        started: Option<u64>,
        limits: &Limits,
    ) -> Result<Self, Exceeded> {
        let program = Program { threads, once, started };
        let (cells, places) = weighed(&program, limits)?;
        let rows = rows(&program, &cells, &places, limits)?;
        let exact = Reading::BOTH.map(|reading| exact(&Weighed::claims(&cells), &rows, reading));
        let mut counts = Vec::new();
        for row in rows {
            limits.check()?;
            counts.extend(Count::all(threads, &cells, row, &exact));
        }
        Ok(Self(counts))
    }

    /// Whether nothing counts.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that are known, and those that are supposed.
    pub(super) fn parted(self) -> [Self; 2] {
        let (supposed, known) = self.0.into_iter().partition(|count| count.is_supposed);
        [Self(known), Self(supposed)]
    }

    /// These and others.
    pub(super) fn with(&self, others: &Self) -> Self {
        Self(self.0.iter().chain(&others.0).cloned().collect())
    }

    /// These, and those of others that are of other cells.
    pub(super) fn with_new(&self, mut others: Self) -> Self {
        others.0.retain(|other| self.0.iter().all(|known| !known.is_about(other)));
        self.with(&others)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets those whose ends are not respected by all steps, as these were `found` where the ends are supposed.
    pub(super) fn keep_confirmed(&mut self, found: &Self) {
        self.0.retain(|supposed| {
            let same = found.0.iter().filter(|count| supposed.is_about(count));
            let (low, high) = supposed.ends;
            let Some(reading) = supposed.reading else { return false };
            let mut stored = same.map(|count| Some(count.stored?[reading as usize])).peekable();
            let is_within = |(least, most)| low <= least && most <= high;
            stored.peek().is_some() && stored.all(|stored| stored.is_some_and(is_within))
        });
    }

    /// What a thread knows that stands at a place of sums that are integers, which no inequality of two cells says.
    pub(super) fn sums_at(
        &self,
        function: FunctionId,
        block: BlockId,
        index: usize,
    ) -> impl Iterator<Item = Counted<'_>> {
        let counted = self.at(function, block, index);
        counted.filter(|counted| {
            counted.cells.len() > 1 && counted.is_exact && counted.apart.is_none()
        })
    }

    /// What a thread knows that stands at a place.
    pub(super) fn at(
        &self,
        function: FunctionId,
        block: BlockId,
        index: usize,
    ) -> impl Iterator<Item = Counted<'_>> {
        self.0.iter().filter_map(move |count| {
            let own = (*count.row.weights.places.get(&(function, block))?.get(index)?)?;
            let ends = count.ends_at(function, own)?;
            // In the reading in which the ends fit.
            let range = Range::between(count.row.width, ends.0, ends.1)?;
            let is_difference = matches!(count.row.cells[..], [(_, 1), (_, -1)]);
            let apart = count.reading.filter(|_| is_difference).zip(Some(ends));
            let is_exact = count.reading.is_some();
            Some(Counted { cells: &count.row.cells, range, is_exact, apart })
        })
    }
}

impl Count {
    /// What a sum counts: what is known, or else what may be supposed.
    fn all(threads: &Threads<'_>, cells: &[Weighed], row: Row, exact: &[Exact; 2]) -> Vec<Self> {
        // A number of threads for which there is no room says nothing; by how each step finds the sum it may still fit.
        let number = row.number.filter(|_| match row.added() {
            [Some(low), Some(high)] => fits(row.width, row.starts[0] + low, row.starts[0] + high),
            _ => false,
        });
        let known = Reading::BOTH.into_iter().find_map(|reading| {
            let bounds = &exact[reading as usize];
            Some((reading, of_sum(&row.cells, bounds)?))
        });
        let mut count = Self {
            start: row.starts[0],
            reading: None,
            ends: (0, 0),
            number,
            stored: None,
            is_supposed: false,
            aside: None,
            row,
        };
        let alone = match count.row.cells.as_slice() {
            [(cell, _)] => cells.iter().find(|one| one.cell == *cell),
            _ => None,
        };
        if let Some(one) = alone {
            count.store(&one.steps);
        }
        if number.is_some_and(|number| number <= FEW_THREADS) {
            return vec![count];
        }
        let Some((reading, ends)) = known else {
            if number.is_some() {
                return vec![count];
            }
            let Some(one) = alone else { return Vec::new() };
            return count.within(&compared(threads, one.width));
        };
        (count.reading, count.start) = (Some(reading), count.row.starts[reading as usize]);
        let [low, high] = count.row.added().map(|end| end.map(|added| count.start + added));
        count.ends = (
            low.map_or(ends.0, |low| low.max(ends.0)),
            high.map_or(ends.1, |high| high.min(ends.1)),
        );
        if number.is_none() && !(0..2).any(|side| count.row.is_one_sided(side)) {
            return Vec::new();
        }
        let mut counts = count.of_two(&exact[reading as usize]);
        counts.push(count);
        counts
    }

    /// What a sum of more cells says of two of them that are subtracted, by what the others may be.
    fn of_two(&self, exact: &Exact) -> Vec<Self> {
        let all = &self.row.cells;
        let mut found = Vec::new();
        let added = all.iter().filter(|_| all.len() > 2).filter(|(_, factor)| *factor > 0);
        for &first in added {
            for &second in all.iter().filter(|(_, factor)| *factor < 0) {
                let rest = all.iter().filter(|cell| ![first, second].contains(cell));
                let rest: Vec<_> = rest.copied().collect();
                let cells = vec![first, second];
                if let (Some(ends), Some(aside)) = (of_sum(&cells, exact), of_sum(&rest, exact)) {
                    let mut two = self.clone();
                    (two.row.cells, two.ends, two.aside) = (cells, ends, Some((rest, aside)));
                    found.push(two);
                }
            }
        }
        found
    }

    /// Whether both say something of the same cells by the same sum.
    fn is_about(&self, other: &Self) -> bool {
        let others = |count: &Self| count.aside.as_ref().map(|(others, _)| others.clone());
        self.row.cells == other.row.cells && others(self) == others(other)
    }

    /// Notes what steps leave in a cell that is counted alone.
    fn store(&mut self, steps: &Steps) {
        self.stored = Some([0, 1].map(|reading| {
            let start = self.row.starts[reading];
            let (least, most) = steps.stored[reading].unwrap_or((start, start));
            (least.min(start), most.max(start))
        }));
    }

    /// The least and the most of the sum, where a thread of a function has this weight; `None` if they say nothing.
    fn ends_at(&self, function: FunctionId, own: (i128, i128)) -> Option<(i128, i128)> {
        let row = &self.row;
        let others = self.number.map(|number| match row.singles.contains_key(&function) {
            true => number,
            false => number - 1,
        });
        let (mut low, mut high) = (self.start + own.0, self.start + own.1);
        for (_, weights) in row.singles.iter().filter(|(single, _)| **single != function) {
            low += weights.beside_others.0;
            high += weights.beside_others.1;
        }
        // What is said of two of more cells is said by what the others may be.
        let (least, most) = self.aside.as_ref().map_or((0, 0), |(_, aside)| *aside);
        let (low, high) = (low - most, high - least);
        match others {
            Some(others) => {
                let (low, high) = (low + others * row.others.0, high + others * row.others.1);
                fits(row.width, low, high).then_some((low, high))
            }
            // The sum stays within the ends by the room that steps leave.
            None => {
                let low = if row.is_one_sided(0) { low.max(self.ends.0) } else { self.ends.0 };
                let high = if row.is_one_sided(1) { high.min(self.ends.1) } else { self.ends.1 };
                Some((low, high))
            }
        }
    }

    /// What may be supposed of a cell of which it is not known that it never wraps: that it does not go beyond one of
    /// some numbers.
    fn within(&self, numbers: &BTreeSet<u128>) -> Vec<Self> {
        let (row, from) = (&self.row, self.row.starts);
        let [grows, falls] = [0, 1].map(|side| row.is_one_sided(side));
        if !grows && !falls {
            return Vec::new();
        }
        let all = Range::all(row.width).bounds();
        // Where threads only add, it falls no further than single ones take it.
        let of_singles = row.of_singles();
        let fits = |reading: usize| match grows {
            true => from[reading] + of_singles.0 >= all[reading].0,
            false => from[reading] + of_singles.1 <= all[reading].1,
        };
        let suppose = |number: &u128| {
            let value = signed(*number, row.width);
            let reading = usize::from(value >= 0 || from[1] < 0);
            let end = if reading == 1 { value } else { i128::try_from(*number).ok()? };
            let (ends, is_beyond) = match grows {
                true => ((all[reading].0, end), from[reading] >= end),
                false => ((end, all[reading].1), from[reading] <= end),
            };
            let (start, is_read) = (from[reading], Some(Reading::BOTH[reading]));
            let supposed =
                Self { start, reading: is_read, ends, is_supposed: true, ..self.clone() };
            (fits(reading) && !is_beyond).then_some(supposed)
        };
        let mut supposed: Vec<Self> = numbers.iter().filter_map(suppose).collect();
        // The outermost are limits more often than states and numbers of threads, which are small.
        if grows {
            supposed.reverse();
        }
        supposed.truncate(MOST_SUPPOSED);
        supposed
    }
}

/// Whether all of these are numbers of a width, in one reading.
fn fits(width: u32, low: i128, high: i128) -> bool {
    let readings = Range::all(width).bounds();
    readings.into_iter().any(|(least, most)| least <= low && high <= most)
}

/// The constants of a width that threads compare with.
fn compared(threads: &Threads<'_>, width: u32) -> BTreeSet<u128> {
    let code = threads.bodies.iter().flat_map(|body| body.function.instructions());
    let sides = code.filter_map(|instruction| match instruction.op {
        Op::Compare { a, b, .. } => Some([a, b]),
        _ => None,
    });
    let constants = sides.flatten().filter_map(|side| match side {
        Operand::Int { bits, value } if u32::from(bits) == width => Some(value),
        _ => None,
    });
    constants.collect()
}
