//! Weights of places: potentials, of which those of the entries of functions decide all others.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::{BlockId, Function, FunctionId, Instruction, Op, Operand, TerminatorKind};

use super::MOST_WEIGHT;
use super::row::Program;
use super::steps::Steps;
use crate::transform::invariants::cells::CellId;
use crate::transform::invariants::threads::Threads;

/// By function and block.
type ByBlock<T> = FxHashMap<(FunctionId, BlockId), T>;

/// The weights of a sum.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// The least and the largest weight before each instruction, and at the end, if there is one.
    pub(super) places: ByBlock<Vec<Option<(i128, i128)>>>,
    /// Whether the sum is never less than its constant and the least weights, and whether it is never more than that and the largest.
    pub(super) bounds: [bool; 2],
}

/// Where a block begins whose weight others are relative to: one with which a function begins, or where ways meet.
pub(super) type Origin = (FunctionId, BlockId);

/// A weight of any sum of some cells.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Form {
    /// How often it has the weight of which origin.
    origins: BTreeMap<Origin, i128>,
    /// By number of the cell: by how much steps have changed it since.
    pub(super) changes: Vec<i128>,
    /// The cells into which the thread that begins the program has not yet stored anything, where that was not known
    /// before: they have no weight.
    pub(super) unset: BTreeSet<usize>,
}

impl Form {
    /// The weight of an origin, of sums of that many cells.
    pub(super) fn of(origin: Origin, cells: usize) -> Self {
        let origins = BTreeMap::from([(origin, 1)]);
        Self { origins, changes: vec![0; cells], unset: BTreeSet::new() }
    }

    /// Behind an instruction that may start threads: what is added to the sum is what the thread has then, and those. `None` if
    /// it is not known which function they run.
    pub(super) fn behind(mut self, instruction: &Instruction) -> Option<Self> {
        if let Op::Spawn { function, .. } = instruction.op {
            let Operand::Function(started) = function else { return None };
            self.take(&Self::of((started, Function::ENTRY), self.changes.len()));
        }
        Some(self)
    }

    /// Subtracts another one.
    fn take(&mut self, other: &Self) {
        for (origin, factor) in &other.origins {
            *self.origins.entry(*origin).or_insert(0) -= factor;
        }
        self.origins.retain(|_, factor| *factor != 0);
        self.changes.iter_mut().zip(&other.changes).for_each(|(own, other)| *own -= other);
    }

    /// What is 0 if both are the same weight.
    pub(super) fn less(mut self, other: &Self) -> Self {
        self.take(other);
        self
    }
}

/// How the weights of all places follow from those of origins, for any sum of some cells.
pub(super) struct Places {
    pub(super) cells: Vec<CellId>,
    /// Forms that are 0.
    equations: BTreeSet<Form>,
    /// Ways, and where each comes to a place whose weight is named after it.
    pub(super) met: BTreeSet<(Form, Origin)>,
    /// Before each instruction and at the end of a block, the weights of the ways there.
    pub(super) forms: ByBlock<Vec<BTreeSet<Form>>>,
}

impl Places {
    /// No places yet. The weight of the entry of the program is 0: the constant has it.
    pub(super) fn none(threads: &Threads<'_>, cells: Vec<CellId>) -> Self {
        let entry = threads.bodies.first().map(|body| (body.id, Function::ENTRY));
        let equations = entry.map(|entry| Form::of(entry, cells.len())).into_iter().collect();
        Self { cells, equations, met: BTreeSet::new(), forms: FxHashMap::default() }
    }

    /// Of cells that each step changes by a constant of its place, where all ways to a place have one weight; `None` if
    /// some place has none.
    pub(super) fn direct(threads: &Threads<'_>, cells: &[(CellId, &Steps)]) -> Option<Self> {
        let mut places = Self::none(threads, cells.iter().map(|(cell, _)| *cell).collect());
        for (at, body) in threads.bodies.iter().enumerate() {
            let mut starts: FxHashMap<BlockId, Form> = FxHashMap::default();
            starts.insert(Function::ENTRY, Form::of((body.id, Function::ENTRY), cells.len()));
            for &block in &body.order {
                // Blocks come behind one of those before them, in this order.
                let Some(mut form) = starts.get(&block).cloned() else { continue };
                let Some(mut walk) = threads.walk(at, block) else { continue };
                let data = body.function.block(block);
                let mut all = vec![BTreeSet::from([form.clone()])];
                for (index, instruction) in data.instructions.iter().enumerate() {
                    if walk.is_dead() {
                        break;
                    }
                    for ((_, steps), total) in cells.iter().zip(&mut form.changes) {
                        let change = steps.changes.get(&(body.id, block, index));
                        *total += change.copied().unwrap_or(0);
                    }
                    form = form.behind(instruction)?;
                    all.push(BTreeSet::from([form.clone()]));
                    walk.step(block, index, instruction);
                }
                places.forms.insert((body.id, block), all);
                let mut go = |to: BlockId| match starts.get(&to) {
                    None => drop(starts.insert(to, form.clone())),
                    Some(known) => drop(places.equations.insert(known.clone().less(&form))),
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
            threads.walk(at, block).is_none() || places.forms.contains_key(&(id, block))
        };
        let bodies = threads.bodies.iter().enumerate();
        let mut all =
            bodies.flat_map(|(at, body)| body.order.iter().map(move |b| (at, body.id, *b)));
        all.all(|(at, id, block)| is_weighed(at, id, block)).then_some(places)
    }

    /// What ways add to each of these cells, of functions that any number of threads execute and from where these begin: by how much
    /// steps change it, and the weight that the cell by itself has at the entry, if it has one. Nothing if not all of the
    /// cells are known here.
    pub(super) fn ways(&self, program: &Program<'_, '_>, cells: &[CellId]) -> BTreeSet<Vec<i128>> {
        let number = |cell: &CellId| self.cells.iter().position(|known| known == cell);
        let Some(numbers) = cells.iter().map(number).collect::<Option<Vec<usize>>>() else {
            return BTreeSet::new();
        };
        let alone: Vec<Option<Weights>> =
            cells.iter().map(|cell| self.weights(&[(*cell, 1)])).collect();
        let mut found = BTreeSet::new();
        for ((function, _), forms) in &self.forms {
            let entry = (*function, Function::ENTRY);
            if program.once.contains(*function) {
                continue;
            }
            let at_entry = alone.iter().map(|weights| {
                let first =
                    weights.as_ref().and_then(|known| *known.places.get(&entry)?.first()?);
                first.map_or(0, |(low, _)| low)
            });
            let at_entry: Vec<i128> = at_entry.collect();
            let begins = Form::of(entry, 0).origins;
            let ways = forms.iter().flatten().filter(|form| form.origins == begins);
            found.extend(ways.map(|form| -> Vec<i128> {
                numbers
                    .iter()
                    .zip(&at_entry)
                    .map(|(cell, first)| first + form.changes[*cell])
                    .collect()
            }));
        }
        found
    }

    /// The weights of a sum of cells with their factors; `None` if it has none.
    pub(super) fn weights(&self, sum: &[(CellId, i128)]) -> Option<Weights> {
        let number = |(cell, factor): &(CellId, i128)| {
            Some((self.cells.iter().position(|known| known == cell)?, *factor))
        };
        let sum = OfSum(sum.iter().map(number).collect::<Option<_>>()?);
        let named = self
            .met
            .iter()
            .map(|(form, named)| form.clone().less(&Form::of(*named, self.cells.len())));
        let forms: Vec<Form> = self.equations.iter().cloned().chain(named).collect();
        let origins: BTreeSet<Origin> =
            forms.iter().flat_map(|form| form.origins.keys().copied()).collect();
        // Where ways meet is known by what comes there, rather than the entry of a function by that.
        let (entries, met): (Vec<Origin>, Vec<Origin>) =
            origins.into_iter().partition(|(_, block)| *block == Function::ENTRY);
        let origins: Vec<Origin> = met.into_iter().chain(entries).collect();
        let numbers: FxHashMap<Origin, usize> = origins.iter().copied().zip(0..).collect();
        let equation = |form: &Form| {
            let mut equation = vec![0; numbers.len() + 1];
            form.origins.iter().for_each(|(origin, factor)| equation[numbers[origin]] = *factor);
            equation[numbers.len()] = sum.change(form);
            equation
        };
        let known = solve(forms.iter().map(equation).collect(), numbers.len())?;
        // An origin that no equation is about may have any weight.
        let known: Potentials = origins.into_iter().zip(known).collect();
        let is_zero = |form: &Form| sum.weight(form, &known) == 0;
        if !self.equations.iter().all(is_zero) {
            return None;
        }
        let potentials = match forms.iter().all(is_zero) {
            true => [Some(known.clone()), Some(known)],
            false => [0, 1].map(|side| self.bounding(&sum, &known, side)),
        };
        let bounds = potentials.each_ref().map(Option::is_some);
        if bounds == [false; 2] {
            return None;
        }
        let at_place = |forms: &BTreeSet<Form>| {
            let unset = forms.iter().filter(|form| sum.is_unset(form)).count();
            if unset > 0 {
                // A thread that has stored something there is at no place of one that has not.
                return (unset == forms.len()).then_some(None);
            }
            let ends = |side: usize| {
                let weights = forms.iter().map(|form| {
                    potentials[side].as_ref().map_or(0, |known| sum.weight(form, known))
                });
                if side == 0 { weights.min() } else { weights.max() }
            };
            let (Some(low), Some(high)) = (ends(0), ends(1)) else { return Some(None) };
            let is_far = |weight: i128| weight.abs() >= MOST_WEIGHT;
            (!is_far(low) && !is_far(high)).then_some(Some((low, high)))
        };
        let in_block = |(block, forms): (&(FunctionId, BlockId), &Vec<BTreeSet<Form>>)| {
            Some((*block, forms.iter().map(at_place).collect::<Option<_>>()?))
        };
        let places = self.forms.iter().map(in_block).collect::<Option<_>>()?;
        Some(Weights { places, bounds })
    }

    /// Weights of origins with which the sum is never less than its constant and all weights (for the side 0), or never more:
    /// no way has less, or more, than the place it comes to. `None` if ways around loops have ever less, or more.
    fn bounding(&self, sum: &OfSum, known: &Potentials, side: usize) -> Option<Potentials> {
        let mut potentials = known.clone();
        let is_beyond = |weight: i128, named: i128| match side {
            0 => weight < named,
            _ => weight > named,
        };
        for _ in 0..=self.met.len() {
            let mut is_done = true;
            for (form, named) in &self.met {
                let weight = sum.weight(form, &potentials);
                let known = potentials.entry(*named).or_insert(0);
                if is_beyond(weight, *known) {
                    (*known, is_done) = (weight, false);
                }
            }
            if is_done {
                return Some(potentials);
            }
        }
        None
    }
}

/// The weights of origins; of others it is 0.
type Potentials = BTreeMap<Origin, i128>;

/// A sum: its cells, by their numbers, with their factors.
struct OfSum(Vec<(usize, i128)>);

impl OfSum {
    /// By how much steps have changed it since the origins of a form.
    fn change(&self, form: &Form) -> i128 {
        self.0.iter().map(|(cell, factor)| factor * form.changes[*cell]).sum()
    }

    fn weight(&self, form: &Form, potentials: &Potentials) -> i128 {
        let of = |origin: &Origin| potentials.get(origin).copied().unwrap_or(0);
        let origins = form.origins.iter().map(|(origin, factor)| factor * of(origin));
        origins.sum::<i128>() + self.change(form)
    }

    fn is_unset(&self, form: &Form) -> bool {
        self.0.iter().any(|(cell, _)| form.unset.contains(cell))
    }
}

/// Weights of origins that solve equations, of which each determines one; what is free is 0. Equations that contradict those
/// are left out.
fn solve(mut equations: Vec<Vec<i128>>, count: usize) -> Option<Vec<i128>> {
    let mut known: Vec<(usize, Vec<i128>)> = Vec::new();
    while let Some(equation) = equations.pop() {
        let Some(at) = equation[..count].iter().position(|c| c.abs() == 1) else {
            if equation[..count].iter().any(|c| *c != 0) {
                return None;
            }
            continue;
        };
        // The origin is what the rest says.
        let sign = -equation[at];
        let mut by: Vec<i128> = equation.iter().map(|c| c * sign).collect();
        by[at] = 0;
        let substitute = |form: &mut Vec<i128>| {
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
    let mut weights = vec![0; count];
    known.iter().for_each(|(at, form)| weights[*at] = form[count]);
    Some(weights)
}

#[cfg(test)]
mod tests {
    use super::solve;

    #[test]
    fn origins_that_determine_each_other() {
        // a = 0; b - a = 2; c = b + 1.
        let equations = vec![vec![1, 0, 0, 0], vec![-1, 1, 0, -2], vec![0, -1, 1, -1]];
        assert_eq!(solve(equations, 3), Some(vec![0, 2, 3]));
        assert_eq!(solve(vec![vec![1, 0], vec![1, -1]], 1), Some(vec![1]));
        assert_eq!(solve(vec![vec![2, 1]], 1), None);
        assert_eq!(solve(vec![vec![0, 0, 0]], 2), Some(vec![0, 0]));
    }
}
