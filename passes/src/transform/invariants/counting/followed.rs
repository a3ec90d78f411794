//! Weights that depend on the way: by how much a thread has changed some cells so far.
//!
//! Threads are followed with that as their property: a compare-and-exchange that adds 1 or does not leads to two ways to
//! one place, which have a weight each, and behind a branch on what it did one of them is left. A loop may change a cell in each round;
//! where ways come back with other changes, or many meet, the weight is named after that place. It is that of all these ways, or the
//! least of them where it only matters that the sum is not less.

use std::collections::BTreeSet;

use sapa_ir::goto::{BlockId, Function, FunctionId, Instruction};
use sapa_limits::{Exceeded, Limits};

use super::MOST_WEIGHT;
use super::steps::Steps;
use super::weights::{Form, Places};
use crate::linear::Sum;
use crate::transform::invariants::cells::{Access, CellId};
use crate::transform::invariants::simulation::{Arrival, Property};
use crate::transform::invariants::threads::Threads;
use crate::transform::invariants::walk::{Variable, Walk};

/// Where more ways meet they get one weight, and where they meet again in a loop.
const MOST_WAYS: usize = 6;
const MOST_WAYS_BACK: usize = 3;

/// What following threads found.
pub(super) struct Followed {
    pub(super) places: Places,
    /// What is done to each of the cells of [`Followed::places`].
    pub(super) steps: Vec<Steps>,
}

/// What is done to cells, and the weights of their sums, as threads are followed. Cells of which some step is not known are
/// left out. `None` if none is left, or the work is too much.
pub(super) fn followed(
    threads: &Threads<'_>,
    mut cells: Vec<CellId>,
    walks: &mut usize,
    limits: &Limits,
) -> Result<Option<Followed>, Exceeded> {
    while !cells.is_empty() {
        let mut changed = Changed::new(threads, cells.clone());
        let mut simulation = threads.simulation(*walks);
        let mut is_done = true;
        for (at, body) in threads.bodies.iter().enumerate() {
            let Some(start) = threads.begins(at) else { continue };
            let mut form = Form::of((body.id, Function::ENTRY), cells.len());
            let unset = (0..cells.len()).filter(|cell| changed.steps[*cell].initial.is_none());
            if at == 0 {
                form.unset = unset.collect();
            }
            is_done = simulation.function(body, (form, start), &mut changed, limits)?
                && changed.unknown.is_none();
            if !is_done {
                break;
            }
        }
        *walks = simulation.walks;
        if is_done {
            let Changed { places, steps, .. } = changed;
            return Ok(Some(Followed { places, steps }));
        }
        let Some(unknown) = changed.unknown else { return Ok(None) };
        cells.retain(|cell| *cell != unknown);
    }
    Ok(None)
}

/// By how much a thread has changed some cells.
struct Changed {
    places: Places,
    steps: Vec<Steps>,
    /// A cell that is not changed by constants.
    unknown: Option<CellId>,
}

impl Changed {
    fn new(threads: &Threads<'_>, cells: Vec<CellId>) -> Self {
        let initial = |cell: &CellId| Steps::none(threads.cells.all[*cell as usize].initial);
        let steps = cells.iter().map(initial).collect();
        Self { places: Places::none(threads, cells), steps, unknown: None }
    }

    /// The number of a cell.
    fn number(&self, cell: CellId) -> Option<usize> {
        self.places.cells.iter().position(|known| *known == cell)
    }

    /// The form behind a write to a cell; `None` if it is not known by how much that changes it.
    fn behind(
        &mut self,
        walk: &Walk<'_>,
        (number, cell): (usize, CellId),
        before: &Sum<Variable>,
        form: &Form,
    ) -> Option<Form> {
        let mut form = form.clone();
        let steps = &mut self.steps[number];
        // The first store is made while there is no other thread.
        if form.unset.remove(&number) {
            let first = walk.constant(walk.content(cell)).filter(|_| walk.is_alone())?;
            return (*steps.initial.get_or_insert(first) == first).then_some(form);
        }
        let change = walk.change_since(cell, before)?;
        let range = walk.bounds_of(before)?;
        let total = &mut form.changes[number];
        *total += change;
        (steps.note(&range, change) && total.abs() < MOST_WEIGHT).then_some(form)
    }
}

impl Property for Changed {
    type Value = Form;

    fn follows(&self, cell: CellId) -> bool {
        self.number(cell).is_some()
    }

    fn enter(&self, _: &mut Walk<'_>, _: &Form) {}

    fn come(
        &mut self,
        (function, block, index): (FunctionId, BlockId, usize),
        walk: Option<&Walk<'_>>,
        form: &Form,
    ) {
        if let Some(first) = form.unset.first()
            && walk.is_some_and(|walk| !walk.is_alone())
        {
            self.unknown.get_or_insert(self.places.cells[*first]);
        }
        let forms = self.places.forms.entry((function, block)).or_default();
        while forms.len() <= index {
            forms.push(BTreeSet::new());
        }
        forms[index].insert(form.clone());
    }

    fn passed(&self, instruction: &Instruction, access: &Access, form: Form) -> Option<Form> {
        match access {
            Access::Clobber(cells) if cells.iter().any(|cell| self.follows(*cell)) => None,
            _ => form.behind(instruction),
        }
    }

    fn arrive(&mut self, to: Arrival, form: Form) -> Form {
        let most = if to.is_back { MOST_WAYS_BACK } else { MOST_WAYS };
        let is_met = to.others.is_some_and(|others| others >= most);
        if !is_met || !form.unset.is_empty() {
            return form;
        }
        let named = Form::of(to.block, form.changes.len());
        if form != named {
            self.places.met.insert((form, to.block));
        }
        named
    }

    fn cases<'a>(&self, walk: &Walk<'a>, cell: CellId, before: &Sum<Variable>) -> Vec<Walk<'a>> {
        walk.cases_of_change(cell, before)
    }

    fn written(
        &mut self,
        _: (FunctionId, BlockId, usize),
        walk: &mut Walk<'_>,
        (cell, before): (CellId, &Sum<Variable>),
        form: &Form,
    ) -> Option<Form> {
        let number = self.number(cell)?;
        let then = self.behind(walk, (number, cell), before, form);
        if then.is_none() {
            self.unknown.get_or_insert(cell);
        }
        then
    }
}
