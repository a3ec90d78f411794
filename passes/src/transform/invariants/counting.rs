//! Counting: shared integers as sums over the threads, by where these stand.
//!
//! If each step of each thread changes an integer (or a difference of two) by a constant that
//! depends on the place only, there may be *weights* β of places such that its value is a constant
//! plus the sum of the weights of the places at which threads stand: a place invariant of the Petri
//! net of the threads, for any number of them. A step from `p` to `q` that adds `d` and starts
//! threads at the places `e` needs `β(q) - β(p) + Σ β(e) = d`. Within a function weights are potentials:
//! that of its entry decides all others, and where ways meet there is an equation between entries.
//!
//! The sum is one of integers, the variable is one modulo 2^w. They are equal as long as the sum
//! fits, which is known
//! - if the program starts at most N threads, by N times the largest weight;
//! - for any number of threads, if all weights of functions that are executed any number of times have one sign,
//!   and the sum does not go beyond either end of the range, of unsigned numbers or of signed ones. Where it may grow, each step upwards finds a value
//!   that leaves room for it; it falls no further than those threads take it of which there is one. (Two to the 32
//!   threads that increment a counter without looking at it bring it back to 0: of that nothing is said.) A
//!   difference of two is one of integers if all steps of both leave room; if the first is never below the second, it is enough
//!   that steps of the first do upwards, and those of the second downwards.
//!   Where nothing is known that leaves room, a constant that the program compares with may be an end which the sum does
//!   not go beyond: a thread that goes back where it finds `readers == 100` leaves at most 100. That is *supposed*, the
//!   program is analysed with it, and it is true if each step then leaves what was supposed
//!   ([`Threads::suppose`]).
//!
//! A thread that stands at `p` then knows that the sum has β(p) in it.
//!
//! Where ways that change the variable differently meet, the weight is by how much the thread itself has changed it so
//! far, a property that is followed beside what is known ([`super::simulation`]). At a place it is then one of several numbers.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::arithmetic::signed;
use sapa_ir::goto::{
    BlockId, CompareOp, Function, FunctionId, Instruction, Op, Operand, TerminatorKind,
};
use sapa_limits::{Exceeded, Limits};

use super::cells::{Access, CellId};
use super::inequalities::Reading;
use super::range::{MAX_WIDTH, Range};
use super::simulation::Property;
use super::threads::Threads;
use super::walk::{Variable, Walk};
use crate::analysis::once::ExecutedOnce;
use crate::linear::Sum;

/// More cells, or pairs of them, are not counted.
const MOST_CELLS: usize = 10;

/// Blocks that are executed at most where weights depend on the way.
const MOST_WALKS: usize = 3_000;

/// More ends of one cell are not supposed.
const MOST_SUPPOSED: usize = 6;

/// Where no more threads are started, it is not asked which of two cells is above the other, nor what else is counted once
/// counters are known not to wrap: their sums say enough.
pub(super) const FEW_THREADS: i128 = 64;

/// Weights beyond this are not looked at: sums of them fit machine integers.
const MOST_WEIGHT: i128 = 1 << 40;

/// What the steps of the program do to a cell.
#[derive(Clone, Debug, Default)]
struct Steps {
    /// By place of a store that is reached: what it adds, read as a signed number.
    changes: FxHashMap<(FunctionId, BlockId, usize), i128>,
    /// As unsigned and as signed numbers: whether each step upwards leaves room for the next number, and each step
    /// downwards.
    has_room: [[bool; 2]; 2],
    /// The least and the most that is stored, read in these two ways.
    stored: [Option<(i128, i128)>; 2],
    /// What is there before the first of them, if that is known.
    initial: Option<u128>,
    /// Whether all steps are known.
    is_known: bool,
    /// Whether the others are at least stores, which may change it by something that depends on conditions.
    depends: bool,
}

/// A cell, what is done to it, and its weights if it has any by itself.
struct Weighed {
    cell: CellId,
    steps: Steps,
    weights: Option<Weights>,
    /// Whether each step changes it by a constant of its place.
    is_direct: bool,
}

impl Weighed {
    /// The weights of the difference to another cell of the same width: potentials of both together, or else what weights
    /// of each give.
    fn apart(&self, other: &Self, threads: &Threads<'_>) -> Option<Weights> {
        let [a, b] = [self, other].map(|one| &threads.cells.all[one.cell as usize]);
        if a.width != b.width {
            return None;
        }
        if self.is_direct && other.is_direct {
            let pair = [(self.cell, 1, &self.steps), (other.cell, -1, &other.steps)];
            if let Some(weights) = weights(threads, &pair) {
                return Some(weights);
            }
        }
        // What is there before a first store that is no change is not weighed.
        a.initial.and(b.initial)?;
        let (of_a, of_b) = (self.weights.as_ref()?, other.weights.as_ref()?);
        let mut found = Weights::default();
        for (place, a) in of_a {
            let Some(b) = of_b.get(place) else { continue };
            let both = a.iter().zip(b).map(|(a, b)| {
                let ((low, high), (least, most)) = ((*a)?, (*b)?);
                Some((low - most, high - least))
            });
            found.insert(*place, both.collect());
        }
        Some(found)
    }
}

/// A variable that counts threads: a cell, or the difference of two.
#[derive(Clone, Debug)]
struct Count {
    width: u32,
    cells: Vec<(CellId, i128)>,
    /// The constant: what is there at the start.
    start: i128,
    /// How its cells are read, if it is known of that reading that none of them ever wraps, or supposed.
    reading: Option<Reading>,
    /// Where any number of threads execute the others: the least and the most that the sum can be.
    ends: (i128, i128),
    /// By function and block: the weight before each instruction, and at the end; the least and the most, where it depends
    /// on the way.
    weights: Weights,
    /// By function that is executed once: the weights in it.
    singles: FxHashMap<FunctionId, OfSingle>,
    /// The same for all other functions together.
    others: (i128, i128),
    /// How many threads execute those at most.
    number: Option<i128>,
    /// The least and the most that is ever there, as steps leave it, as unsigned and as signed numbers.
    stored: [(i128, i128); 2],
    /// Whether its ends are only supposed.
    is_supposed: bool,
}

/// The least and the largest weight in a function that one thread executes.
#[derive(Clone, Copy, Debug)]
struct OfSingle {
    /// With that of no thread, which is 0.
    ever: (i128, i128),
    /// Where there are others: what the program does before it starts a thread counts as done.
    beside_others: (i128, i128),
}

/// By function and block: the least and the largest weight before each instruction, and at the end, if there is one.
type Weights = FxHashMap<(FunctionId, BlockId), Vec<Option<(i128, i128)>>>;

/// All that counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts(Vec<Count>);

/// What is known of a sum where a thread stands.
pub(super) struct Counted<'a> {
    /// The cells with their coefficients.
    pub(super) cells: &'a [(CellId, i128)],
    /// Bounds of the sum, modulo 2^w.
    pub(super) range: Range,
    /// Of the difference of two that never wrap: how they are read, and by how much the first is above the
    /// second at least and at most.
    pub(super) apart: Option<(Reading, (i128, i128))>,
}

/// A weight in terms of those of entries, and a constant in the last place.
type Form = Vec<i128>;

impl Counts {
    /// Finds what counts threads, given what is known without that. `started` is how many threads
    /// the program starts at most.
    pub(super) fn new(
        threads: &Threads<'_>,
        once: &ExecutedOnce,
        started: Option<u64>,
        limits: &Limits,
    ) -> Result<Self, Exceeded> {
        let mut walks = MOST_WALKS;
        let mut counts = Vec::new();
        let mut all: Vec<Weighed> = Vec::new();
        for (cell, steps) in (0..).zip(steps(threads, limits)?) {
            limits.check()?;
            let is_direct = steps.is_known && steps.initial.is_some();
            let changes = match is_direct {
                true => steps.changes.values().any(|change| *change != 0),
                false => steps.depends,
            };
            let alike = all.iter().filter(|other| other.is_direct == is_direct).count();
            if !changes || alike >= MOST_CELLS {
                continue;
            }
            let mut one = Weighed { cell, steps, weights: None, is_direct };
            let mut found = Vec::new();
            if is_direct {
                let cells = [(cell, 1, &one.steps)];
                one.weights = weights(threads, &cells);
                let weights = one.weights.clone();
                found = weights.map_or(found, |by| weighed(threads, once, started, &cells, by));
            }
            if found.iter().all(|count| count.is_supposed)
                && let Some((steps, weights)) = followed(threads, cell, &mut walks, limits)?
            {
                let cells = [(cell, 1, &steps)];
                let by_paths = weighed(threads, once, started, &cells, weights.clone());
                if found.is_empty() || by_paths.iter().any(|count| !count.is_supposed) {
                    found = by_paths;
                }
                if !is_direct {
                    one.steps = steps;
                }
                one.weights.get_or_insert(weights);
            }
            counts.append(&mut found);
            all.push(one);
        }
        for (at, one) in all.iter().enumerate() {
            for other in &all[at + 1..] {
                limits.check()?;
                let Some(weights) = one.apart(other, threads) else { continue };
                let pair = [(one.cell, 1, &one.steps), (other.cell, -1, &other.steps)];
                for mut count in weighed(threads, once, started, &pair, weights) {
                    let are_many = count.number.is_none_or(|number| number > FEW_THREADS);
                    if count.reading.is_none() && are_many {
                        count.reading = common_reading(&counts, one.cell, other.cell);
                    }
                    counts.push(count);
                }
            }
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
        others.0.retain(|other| self.0.iter().all(|known| known.cells != other.cells));
        self.with(&others)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets those whose ends are not respected by all steps, as these were `found` where the ends are supposed.
    pub(super) fn keep_confirmed(&mut self, found: &Self) {
        self.0.retain(|supposed| {
            let same = found.0.iter().filter(|count| count.cells == supposed.cells);
            let (low, high) = supposed.ends;
            let Some(reading) = supposed.reading else { return false };
            let mut stored = same.map(|count| count.stored[reading as usize]);
            stored.any(|(least, most)| low <= least && most <= high)
        });
    }

    /// Whether something counts threads of a function from the start, before they have done anything.
    pub(super) fn begins_counted(&self, function: FunctionId) -> bool {
        self.0.iter().any(|count| {
            let weights = count.weights.get(&(function, Function::ENTRY));
            let first = weights.and_then(|weights| *weights.first()?);
            first.is_some_and(|weight| weight != (0, 0))
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
            let own = (*count.weights.get(&(function, block))?.get(index)?)?;
            let ends = count.ends_at(function, own)?;
            // In the reading in which the ends fit.
            let range = Range::between(count.width, ends.0, ends.1)?;
            Some(Counted { cells: &count.cells, range, apart: count.reading.zip(Some(ends)) })
        })
    }
}

impl Count {
    /// The least and the most that threads have of which there is one each.
    fn of_singles(&self) -> (i128, i128) {
        let weights = self.singles.values().map(|single| single.ever);
        weights.fold((0, 0), |(a, b), (low, high)| (a + low, b + high))
    }

    /// The readings in which a cell that is counted alone never wraps, where both say the same of its start.
    fn readings(&self) -> Vec<Reading> {
        let [_, (_, half)] = Range::all(self.width).bounds();
        if self.is_supposed || !(0..=half).contains(&self.start) {
            return Vec::new();
        }
        let Some(number) = self.number else { return self.reading.into_iter().collect() };
        let (low, high) = self.of_singles();
        let low = self.start + low + number * self.others.0;
        let high = self.start + high + number * self.others.1;
        let ends = Reading::BOTH.into_iter().zip(Range::all(self.width).bounds());
        let fits = ends.filter(|(_, (least, most))| *least <= low && high <= *most);
        fits.map(|(reading, _)| reading).collect()
    }

    /// The least and the most of the sum, where a thread of a function has this weight; `None` if they say nothing.
    fn ends_at(&self, function: FunctionId, own: (i128, i128)) -> Option<(i128, i128)> {
        let others = self.number.map(|number| match self.singles.contains_key(&function) {
            true => number,
            false => number - 1,
        });
        let (mut low, mut high) = (self.start + own.0, self.start + own.1);
        for (_, weights) in self.singles.iter().filter(|(single, _)| **single != function) {
            low += weights.beside_others.0;
            high += weights.beside_others.1;
        }
        match others {
            Some(others) => {
                let (low, high) = (low + others * self.others.0, high + others * self.others.1);
                fits(self.width, low, high).then_some((low, high))
            }
            // The sum stays in the range by the room that steps leave.
            None if self.others.1 > 0 => Some((low, self.ends.1)),
            None => Some((self.ends.0, high)),
        }
    }
}

/// A reading in which neither of two cells ever wraps, by what each counts alone.
fn common_reading(counts: &[Count], one: CellId, other: CellId) -> Option<Reading> {
    let readings = |cell: CellId| {
        let alone = counts.iter().filter(move |count| count.cells == [(cell, 1)]);
        alone.flat_map(Count::readings)
    };
    readings(one).find(|reading| readings(other).any(|of_other| of_other == *reading))
}

/// Whether all of these are numbers of a width, in one reading.
fn fits(width: u32, low: i128, high: i128) -> bool {
    let readings = Range::all(width).bounds();
    readings.into_iter().any(|(least, most)| least <= low && high <= most)
}

/// What stores do to each cell.
fn steps(threads: &Threads<'_>, limits: &Limits) -> Result<Vec<Steps>, Exceeded> {
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
    fn none(initial: Option<u128>) -> Self {
        let has_room = [[true; 2]; 2];
        Self { initial, is_known: true, depends: true, has_room, ..Self::default() }
    }

    /// What is there at the start, as an unsigned and as a signed number.
    fn readings(&self, width: u32) -> Option<[i128; 2]> {
        let value = i128::try_from(self.initial?).ok()?;
        let [_, (_, half)] = Range::all(width).bounds();
        Some([value, if value > half { value - (1 << width) } else { value }])
    }

    /// Notes a step that finds a number in this range; whether it is one that can be counted.
    fn note(&mut self, before: &Range, change: i128) -> bool {
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
        let mut cases = then.cases().into_iter().filter(|case| !case.is_dead());
        // Where the program starts with anything, the first store does not change the cell by a constant.
        let is_first = then.is_alone() && steps.initial.is_none();
        steps.depends &= is_first || cases.all(|case| change_in(&case, cell, &before).is_some());
        return;
    };
    if !steps.note(&before, change) {
        steps.is_known = false;
        return;
    }
    steps.changes.insert(place, change);
}

/// The weights of a sum of cells; `None` if there are none.
fn weights(threads: &Threads<'_>, cells: &[(CellId, i128, &Steps)]) -> Option<Weights> {
    let roots: Vec<FunctionId> = threads.bodies.iter().map(|body| body.id).collect();
    let mut equations: Vec<Form> = Vec::new();
    // That of the entry is 0: the constant has it.
    let mut entry: Form = vec![0; roots.len() + 1];
    entry[0] = 1;
    equations.push(entry);
    let mut forms: FxHashMap<(FunctionId, BlockId), Vec<Form>> = FxHashMap::default();
    for (at, body) in threads.bodies.iter().enumerate() {
        let mut starts: FxHashMap<BlockId, Form> = FxHashMap::default();
        let mut entry: Form = vec![0; roots.len() + 1];
        entry[at] = 1;
        starts.insert(Function::ENTRY, entry);
        for &block in &body.order {
            // Blocks come behind one of those before them, in this order.
            let Some(mut form) = starts.get(&block).cloned() else { continue };
            let Some(mut walk) = threads.walk(at, block) else { continue };
            let data = body.function.block(block);
            let mut all = vec![form.clone()];
            for (index, instruction) in data.instructions.iter().enumerate() {
                if walk.is_dead() {
                    break;
                }
                for (_, factor, steps) in cells {
                    let change = steps.changes.get(&(body.id, block, index));
                    *form.last_mut()? += factor * change.copied().unwrap_or(0);
                }
                if let Op::Spawn { function: Operand::Function(started), .. } = instruction.op {
                    let started = roots.iter().position(|root| *root == started)?;
                    form[started] -= 1;
                }
                all.push(form.clone());
                walk.step(block, index, instruction);
            }
            forms.insert((body.id, block), all);
            let mut go = |to: BlockId| match starts.get(&to) {
                None => drop(starts.insert(to, form.clone())),
                Some(known) => {
                    equations.push(known.iter().zip(&form).map(|(a, b)| a - b).collect());
                }
            };
            if !walk.is_dead() {
                match &data.terminator.kind {
                    TerminatorKind::Branch { condition, then, otherwise } => {
                        for (target, outcome) in [(then, true), (otherwise, false)] {
                            let mut walk = walk.clone();
                            walk.hold(*condition, outcome);
                            if !walk.is_dead() {
                                go(target.block);
                            }
                        }
                    }
                    kind => kind.for_each_target(|target| go(target.block)),
                }
            }
        }
    }
    // A block that a run comes to in another order has no weights.
    let is_weighed = |at: usize, id: FunctionId, block: BlockId| {
        threads.walk(at, block).is_none() || forms.contains_key(&(id, block))
    };
    for (at, body) in threads.bodies.iter().enumerate() {
        if !body.order.iter().all(|block| is_weighed(at, body.id, *block)) {
            return None;
        }
    }
    let entries = solve(equations, roots.len())?;
    let value = |form: &Form| {
        let terms = form.iter().zip(&entries).map(|(a, e)| a * e);
        let sum = terms.sum::<i128>() + form.last()?;
        (sum.abs() < MOST_WEIGHT).then_some(sum)
    };
    let mut weights = Weights::default();
    for (place, forms) in forms {
        let values = forms.iter().map(|form| value(form).map(|value| Some((value, value))));
        weights.insert(place, values.collect::<Option<_>>()?);
    }
    Some(weights)
}

/// What a sum of cells counts with these weights: what is known, or else what may be supposed.
fn weighed(
    threads: &Threads<'_>,
    once: &ExecutedOnce,
    started: Option<u64>,
    cells: &[(CellId, i128, &Steps)],
    weights: Weights,
) -> Vec<Count> {
    let roots: Vec<FunctionId> = threads.bodies.iter().map(|body| body.id).collect();
    let mut extremes: FxHashMap<FunctionId, (i128, i128)> = FxHashMap::default();
    for ((function, _), values) in &weights {
        let (low, high) = extremes.entry(*function).or_insert((0, 0));
        for weight in values.iter().flatten() {
            (*low, *high) = ((*low).min(weight.0), (*high).max(weight.1));
        }
    }
    let width = threads.cells.all[cells[0].0 as usize].width;
    let mut singles = FxHashMap::default();
    let mut others = (0, 0);
    for root in &roots {
        let (low, high) = extremes.get(root).copied().unwrap_or((0, 0));
        if once.contains(*root) {
            let beside_others = match beside_others(threads, *root, &weights) {
                Some(found) if *root == roots[0] => found,
                _ => (low, high),
            };
            singles.insert(*root, OfSingle { ever: (low, high), beside_others });
        } else {
            others = (low.min(others.0), high.max(others.1));
        }
    }
    let initial = i128::from(!once.contains(roots[0]));
    let mut number = started.map(|started| i128::from(started) + initial);
    if others == (0, 0) {
        number = Some(number.unwrap_or(0));
    }
    let starts: Option<Vec<[i128; 2]>> =
        cells.iter().map(|(_, _, steps)| steps.readings(width)).collect();
    let Some(starts) = starts else { return Vec::new() };
    let mut count = Count {
        width,
        cells: cells.iter().map(|(cell, factor, _)| (*cell, *factor)).collect(),
        start: cells.iter().zip(&starts).map(|((_, factor, _), start)| factor * start[0]).sum(),
        reading: None,
        ends: (0, 0),
        weights,
        singles,
        others,
        number,
        stored: [(0, 0); 2],
        is_supposed: false,
    };
    // A number of threads for which there is no room says nothing; by how each step finds the sum it may still fit.
    count.number = count.number.filter(|number| {
        let (low, high) = count.of_singles();
        let (low, high) = (count.start + low, count.start + high);
        fits(width, low + number * others.0, high + number * others.1)
    });
    if let Ok(pair) = cells.try_into() {
        if count.number.is_none() {
            let (low, high) = count.of_singles();
            let added = ((others.0 == 0).then_some(low), (others.1 == 0).then_some(high));
            let is_one_sided = has_one_sign(others);
            let found = is_one_sided.then(|| difference(width, pair, added)).flatten();
            let Some(Difference { reading, start, ends }) = found else { return Vec::new() };
            (count.start, count.ends, count.reading) = (start, ends, Some(reading));
        }
        return vec![count];
    }
    let ([start], [(_, _, steps)]) = (starts.as_slice(), cells) else { return Vec::new() };
    for (reading, start) in start.iter().enumerate() {
        let (least, most) = steps.stored[reading].unwrap_or((*start, *start));
        count.stored[reading] = (least.min(*start), most.max(*start));
    }
    if count.number.is_some() {
        return vec![count];
    }
    if !has_one_sign(others) {
        return Vec::new();
    }
    count.within(steps, start, &equalled(threads, width))
}

/// The least and the largest weight in a function where the program is no longer alone; `None` if it always is.
fn beside_others(
    threads: &Threads<'_>,
    function: FunctionId,
    weights: &Weights,
) -> Option<(i128, i128)> {
    let body = threads.bodies.iter().find(|body| body.id == function)?;
    let mut found: Option<(i128, i128)> = None;
    for ((_, block), weights) in weights.iter().filter(|((of, _), _)| *of == function) {
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

/// Whether threads only add, or only take away.
fn has_one_sign((low, high): (i128, i128)) -> bool {
    low == 0 || high == 0
}

impl Count {
    /// What a cell counts that starts with this, read in both ways: by the reading in which its steps leave room, or else
    /// what may be supposed of it: that it does not go beyond one of some numbers.
    fn within(mut self, steps: &Steps, from: &[i128; 2], numbers: &BTreeSet<u128>) -> Vec<Self> {
        let of_singles = self.of_singles();
        let all = Range::all(self.width).bounds();
        let grows = self.others.0 == 0;
        // Where threads only add, it falls no further than single ones take it.
        let fits = |reading: usize| match grows {
            true => from[reading] + of_singles.0 >= all[reading].0,
            false => from[reading] + of_singles.1 <= all[reading].1,
        };
        let has_room = |reading: usize| steps.has_room[reading][usize::from(!grows)];
        if let Some(reading) = (0..2).find(|&reading| fits(reading) && has_room(reading)) {
            (self.start, self.reading) = (from[reading], Some(Reading::BOTH[reading]));
            let (least, most) = self.stored[reading];
            self.ends = (least.max(all[reading].0), most.min(all[reading].1));
            return vec![self];
        }
        self.is_supposed = true;
        let suppose = |number: &u128| {
            let value = signed(*number, self.width);
            let reading = usize::from(value >= 0 || from[1] < 0);
            let end = if reading == 1 { value } else { i128::try_from(*number).ok()? };
            let (ends, is_beyond) = match grows {
                true => ((all[reading].0, end), from[reading] >= end),
                false => ((end, all[reading].1), from[reading] <= end),
            };
            let (start, is_read) = (from[reading], Some(Reading::BOTH[reading]));
            let supposed = Self { start, reading: is_read, ends, ..self.clone() };
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

/// The constants of a width that threads look for with `==` or `!=`.
fn equalled(threads: &Threads<'_>, width: u32) -> BTreeSet<u128> {
    let code = threads.bodies.iter().flat_map(|body| body.function.instructions());
    let sides = code.filter_map(|instruction| match instruction.op {
        Op::Compare { op: CompareOp::Eq | CompareOp::Ne, a, b } => Some([a, b]),
        _ => None,
    });
    let constants = sides.flatten().filter_map(|side| match side {
        Operand::Int { bits, value } if u32::from(bits) == width => Some(value),
        _ => None,
    });
    constants.collect()
}

/// What is done to a cell, and its weights, where by how much a thread has changed it depends on its way: a
/// compare-and-exchange adds or does not, and who finds that it came too late takes back what it added. The weight is by
/// how much the thread has changed it so far, which is followed as a property of it.
fn followed(
    threads: &Threads<'_>,
    cell: CellId,
    walks: &mut usize,
    limits: &Limits,
) -> Result<Option<(Steps, Weights)>, Exceeded> {
    let initial = threads.cells.all[cell as usize].initial;
    let (steps, weights) = (Steps::none(initial), Weights::default());
    let unset = FxHashSet::default();
    let mut changed = Changed { cell, steps, weights, unset, is_late: false };
    let mut simulation = threads.simulation(*walks);
    for (at, body) in threads.bodies.iter().enumerate() {
        let Some(start) = threads.begins(at) else { continue };
        let weight = (at != 0 || initial.is_some()).then_some(0);
        let is_done = simulation.function(body, (weight, start), &mut changed, limits)?;
        *walks = simulation.walks;
        if !is_done || changed.is_late {
            return Ok(None);
        }
    }
    let Changed { steps, weights, unset, .. } = changed;
    let is_weighed = |(function, block, index): &(FunctionId, BlockId, usize)| {
        weights.get(&(*function, *block)).and_then(|w| *w.get(*index)?).is_some()
    };
    Ok((!unset.iter().any(is_weighed)).then_some((steps, weights)))
}

/// By how much a cell differs from what it contained, as a signed number.
fn change_in(walk: &Walk<'_>, cell: CellId, before: &Sum<Variable>) -> Option<i128> {
    let mut change = walk.content(cell).clone();
    change.add(before, u128::MAX);
    Some(signed(walk.constant(&change)?, before.width))
}

/// By how much a thread has changed a cell: the property has no value before the first store, where the program starts with
/// anything. That store is made while there is no other thread.
struct Changed {
    cell: CellId,
    steps: Steps,
    weights: Weights,
    /// Where a thread may be before the first store.
    unset: FxHashSet<(FunctionId, BlockId, usize)>,
    /// Whether there may be other threads before it.
    is_late: bool,
}

impl Property for Changed {
    type Value = Option<i128>;

    fn cell(&self) -> CellId {
        self.cell
    }

    fn enter(&self, _: &mut Walk<'_>, _: &Option<i128>) {}

    fn come(
        &mut self,
        (function, block, index): (FunctionId, BlockId, usize),
        walk: Option<&Walk<'_>>,
        weight: &Option<i128>,
    ) {
        let Some(weight) = *weight else {
            self.is_late |= walk.is_some_and(|walk| !walk.is_alone());
            self.unset.insert((function, block, index));
            return;
        };
        let weights = self.weights.entry((function, block)).or_default();
        // Before the first store nothing is known.
        while weights.len() < index {
            weights.push(None);
        }
        match weights.get_mut(index) {
            Some(Some((low, high))) => (*low, *high) = ((*low).min(weight), (*high).max(weight)),
            Some(none) => *none = Some((weight, weight)),
            None => weights.push(Some((weight, weight))),
        }
    }

    fn written(
        &mut self,
        _: (FunctionId, BlockId, usize),
        walk: &mut Walk<'_>,
        before: &Sum<Variable>,
        weight: &Option<i128>,
    ) -> Option<Option<i128>> {
        let Some(weight) = weight else {
            let first = walk.constant(walk.content(self.cell)).filter(|_| walk.is_alone())?;
            return (*self.steps.initial.get_or_insert(first) == first).then_some(Some(0));
        };
        let change = change_in(walk, self.cell, before)?;
        let then = weight + change;
        let range = walk.bounds_of(before)?;
        (self.steps.note(&range, change) && then.abs() < MOST_WEIGHT).then_some(Some(then))
    }
}

/// The difference of two cells as one of the integers that they are.
struct Difference {
    /// How both are read: none of them ever wraps then.
    reading: Reading,
    /// What the difference is at the start.
    start: i128,
    /// The least and the most that it can be.
    ends: (i128, i128),
}

/// The difference of two cells, as one of the integers that they have if all steps of both leave room, given the least and
/// the most that threads add to it. Where they never make it negative, the second is never above the first and
/// has the room that the first has: who is counted as finished was counted as started before.
fn difference(
    width: u32,
    [(_, _, a), (_, _, b)]: &[(CellId, i128, &Steps); 2],
    added: (Option<i128>, Option<i128>),
) -> Option<Difference> {
    let of_reading = |(at, reading): (usize, Reading)| {
        let from = [a, b].map(|steps| steps.readings(width).map(|readings| readings[at]));
        let [Some(of_a), Some(of_b)] = from else { return None };
        let start = of_a - of_b;
        let (low, high) = (added.0.map(|low| start + low), added.1.map(|high| start + high));
        let (is_natural, is_negative) = (low >= Some(0), high.is_some_and(|high| high <= 0));
        let [up, down] = [0, 1].map(|way| [a, b].map(|steps| steps.has_room[at][way]));
        // Upwards the greater leaves room for both, downwards the lesser.
        let has_room = (up[0] || (up[1] && is_negative))
            && (up[1] || (up[0] && is_natural))
            && (down[0] || (down[1] && is_natural))
            && (down[1] || (down[0] && is_negative));
        if !has_room {
            return None;
        }
        let (least, most) = Range::all(width).bounds()[at];
        let stored = |steps: &Steps, from: i128| {
            let (low, high) = steps.stored[at].unwrap_or((from, from));
            (low.min(from).max(least), high.max(from).min(most))
        };
        let ((a_low, a_high), (b_low, b_high)) = (stored(a, of_a), stored(b, of_b));
        let low = low.map_or(a_low - b_high, |low| low.max(a_low - b_high));
        let high = high.map_or(a_high - b_low, |high| high.min(a_high - b_low));
        Some(Difference { reading, start, ends: (low, high) })
    };
    Reading::BOTH.into_iter().enumerate().find_map(of_reading)
}

/// Weights of entries that solve equations, of which each determines one; what is free is 0.
fn solve(mut equations: Vec<Form>, count: usize) -> Option<Vec<i128>> {
    let mut known: Vec<(usize, Form)> = Vec::new();
    while let Some(equation) = equations.pop() {
        let Some(at) = equation[..count].iter().position(|c| c.abs() == 1) else {
            if equation[..count].iter().any(|c| *c != 0) || equation[count] != 0 {
                return None;
            }
            continue;
        };
        // The entry is what the rest says.
        let sign = -equation[at];
        let mut by: Form = equation.iter().map(|c| c * sign).collect();
        by[at] = 0;
        let substitute = |form: &mut Form| {
            let factor = std::mem::take(&mut form[at]);
            form.iter_mut().zip(&by).for_each(|(c, by)| *c += factor * by);
            form.iter().all(|c| c.abs() < MOST_WEIGHT)
        };
        let mut forms = equations.iter_mut().chain(known.iter_mut().map(|(_, form)| form));
        if !forms.all(substitute) {
            return None;
        }
        known.push((at, by));
    }
    let mut entries = vec![0; count];
    known.iter().for_each(|(at, form)| entries[*at] = form[count]);
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::solve;

    #[test]
    fn entries_that_determine_each_other() {
        // a = 0; b - a = 2; c = b + 1.
        let equations = vec![vec![1, 0, 0, 0], vec![-1, 1, 0, -2], vec![0, -1, 1, -1]];
        assert_eq!(solve(equations, 3), Some(vec![0, 2, 3]));
        assert_eq!(solve(vec![vec![1, 0], vec![1, -1]], 1), None);
        assert_eq!(solve(vec![vec![0, 0, 0]], 2), Some(vec![0, 0]));
    }
}
