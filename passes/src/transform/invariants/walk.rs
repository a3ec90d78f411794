//! The execution of a block over what is known where it begins.
//!
//! Within a block a value is a sum of what was there at its start and of what was read or chosen on
//! the way; equations are between those. So code of any length adds no equations, but for what
//! conditions say.

mod choices;
mod conditions;
mod ends;
mod leaving;
mod operations;
mod tidying;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_ir::goto::arithmetic::signed;
use sapa_ir::goto::{
    BlockId, FunctionId, Instruction, Op, Operand, Target, TerminatorKind, ValueId,
};

use super::body::Body;
use super::bounds::Bounds;
use super::cells::{Access, CellId, Cells};
use super::counting::Counts;
use super::ended::Ended;
use super::fields::FieldId;
use super::growing::Growing;
use super::inequalities::{Form, Inequalities, Reading};
use super::locks::{Held, Hold, Locks, Part, low_bit};
use super::range::Range;
use super::threads::Shared;
use crate::linear::{Sum, System};

use choices::Choice;
use tidying::Due;

/// What sums are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Variable {
    /// What was read or chosen within a block.
    Fresh(u32),
    /// A cell where the block begins.
    Cell(CellId),
    /// A value where the block begins.
    Value(ValueId),
    /// A cell where the next block begins.
    NextCell(CellId),
    /// A value where the next block begins.
    NextValue(ValueId),
}

/// What is known where a block begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    pub(super) system: System<Variable>,
    pub(super) ranges: BTreeMap<Variable, Range>,
    /// Of sums that conditions look at.
    pub(super) sums: Bounds<Variable>,
    pub(super) inequalities: Inequalities<Variable>,
    /// The threads of which it is known that they have ended.
    pub(super) over: BTreeSet<FunctionId>,
}

/// More equations are forgotten within a block.
const MOST_ROWS: usize = 128;

/// How deeply a condition is looked into.
const DEPTH: usize = 6;

/// What is known of other threads.
#[derive(Clone, Copy, Default)]
pub(super) struct Others<'a> {
    /// What they may leave; `None` if none was started, as far as is known.
    pub(super) shared: Option<&'a Shared>,
    /// What fields hold, by their number, where that is asked: nothing yet, or a range.
    pub(super) fields: Option<&'a [Option<Range>]>,
    /// The cells that they only make grow, once that is known.
    pub(super) growing: Option<&'a Growing>,
    /// How they say that they have ended, and, by the number of the end, what they know then; `None` where none has.
    pub(super) ended: Option<(&'a Ended, &'a [Option<State>])>,
}

/// A block that is being executed.
#[derive(Clone)]
pub(super) struct Walk<'a> {
    body: &'a Body<'a>,
    cells: &'a Cells,
    locks: &'a Locks,
    others: Others<'a>,
    /// What was stored in fields since somebody looked.
    pub(super) stored: Vec<(FieldId, Range)>,
    /// What counts threads, once that is known.
    counts: Option<&'a Counts>,
    system: System<Variable>,
    /// The same in normal form, once somebody asks; `None` in it if it has no solutions.
    normal: OnceCell<Option<Rc<System<Variable>>>>,
    ranges: BTreeMap<Variable, Range>,
    /// Bounds of sums that are no single variable.
    sums: Bounds<Variable>,
    inequalities: Inequalities<Variable>,
    values: FxHashMap<ValueId, Sum<Variable>>,
    /// Conditions that are passed on under another name.
    names: FxHashMap<ValueId, ValueId>,
    /// What was selected, by conditions that have either outcome.
    choices: Vec<Choice>,
    contents: Vec<Sum<Variable>>,
    /// The threads of which it is known that they have ended, and what that says.
    over: BTreeSet<FunctionId>,
    /// The ends that were found since others acted last.
    heard: Vec<usize>,
    /// What was read of flags that say so.
    flags: Vec<(usize, Sum<Variable>)>,
    /// The locks that the thread holds.
    held: Held,
    /// One that is being followed: how it is held is known on all ways.
    followed: Option<CellId>,
    /// The instruction that the thread executes next.
    place: (BlockId, usize),
    depth: u32,
    alone: bool,
    fresh: u32,
    due: Due,
    /// Whether no run comes here.
    is_dead: bool,
}

impl<'a> Walk<'a> {
    /// Begins a block.
    pub(super) fn new(
        body: &'a Body<'a>,
        cells: &'a Cells,
        locks: &'a Locks,
        others: Others<'a>,
        held: Held,
        (block, state): (BlockId, &State),
    ) -> Self {
        let contents = (0..).zip(&cells.all);
        let mut walk = Self {
            body,
            cells,
            locks,
            others,
            stored: Vec::new(),
            counts: None,
            held,
            followed: None,
            system: state.system.clone(),
            normal: OnceCell::new(),
            ranges: state.ranges.clone(),
            sums: state.sums.clone(),
            inequalities: state.inequalities.clone(),
            values: FxHashMap::default(),
            names: FxHashMap::default(),
            choices: Vec::new(),
            contents: contents
                .map(|(id, cell)| Sum::variable(cell.width, Variable::Cell(id)))
                .collect(),
            over: state.over.clone(),
            heard: Vec::new(),
            flags: Vec::new(),
            place: (block, 0),
            depth: body.depths[block.index()],
            alone: body.alone[block.index()],
            fresh: 0,
            due: Due::after(state.system.rows().len(), 0),
            is_dead: false,
        };
        walk.interrupt();
        for (&lock, &hold) in &walk.held.clone() {
            if hold == Hold::Exclusive {
                let known = locks.equations(lock, body.id, block).iter();
                known.for_each(|zero| walk.equate(zero.clone()));
            }
        }
        walk
    }

    /// The same with what counts threads.
    pub(super) fn counted(mut self, counts: &'a Counts, block: BlockId) -> Self {
        self.counts = Some(counts);
        self.count(block, 0);
        self
    }

    /// Notes what is known by counting before an instruction.
    fn count(&mut self, block: BlockId, index: usize) {
        let Some(counts) = self.counts.filter(|_| !self.is_dead) else { return };
        for counted in counts.at(self.body.id, block, index) {
            let sum = counted.sum(|cell| self.contents[cell as usize].clone());
            self.note_range(&sum, counted.range);
            self.narrow_terms(&sum, counted.cells, counted.range);
            if let (Some((reading, (low, high))), &[(a, _), (b, _)]) =
                (counted.apart, counted.cells)
            {
                let [a, b] = [a, b].map(|cell| &self.contents[cell as usize]);
                let ranges = ranges_in(&self.ranges, a.width);
                self.inequalities.add_below((b, a), reading, low, &ranges);
                self.inequalities.add_below((a, b), reading, -high, &ranges);
            }
        }
    }

    /// Notes what the bounds of a sum of cells say of each of them, by what the others may be.
    fn narrow_terms(&mut self, sum: &Sum<Variable>, cells: &[(CellId, i128)], range: Range) {
        for &(cell, factor) in cells.iter().filter(|_| cells.len() > 1) {
            let content = self.contents[cell as usize].clone();
            let mut others = sum.clone();
            others.add(&content, factor.wrapping_neg() as u128);
            let others = self.range_of_parts(&others);
            let terms = [(range, factor as u128), (others, factor.wrapping_neg() as u128)];
            self.note_range(&content, Range::sum(range.width(), &terms, 0));
        }
    }

    /// What a store of a value to a cell finds there, and by how much it changes that, read as a
    /// signed number, if that is known.
    pub(super) fn change(&mut self, cell: CellId, value: Operand) -> Option<(Range, i128)> {
        self.interrupt();
        let before = self.contents[cell as usize].clone();
        let mut change = self.operand(value)?;
        change.add(&before, u128::MAX);
        let value = self.normal()?.reduce(&change).value()?;
        Some((self.range(&before), signed(value, change.width)))
    }

    /// Whether no run comes here.
    pub(super) fn is_dead(&self) -> bool {
        self.is_dead
    }

    /// Whether others may act here.
    pub(super) fn is_interruptible(&self) -> bool {
        self.depth == 0 && !self.alone
    }

    fn fresh(&mut self, width: u32, range: Range) -> Sum<Variable> {
        let variable = Variable::Fresh(self.fresh);
        self.fresh += 1;
        if !range.is_all() {
            self.ranges.insert(variable, range);
        }
        Sum::variable(width, variable)
    }

    /// Other threads act: what they may write is what any of them may leave.
    pub(super) fn interrupt(&mut self) {
        if !self.is_interruptible() {
            return;
        }
        let Some(shared) = self.others.shared else {
            self.is_dead = true;
            return;
        };
        self.settle(shared);
        for &cell in &self.body.foreign {
            // What a lock guards, and nobody else writes now, stays; if another thread may hold it, it
            // may be anything that is ever there.
            if let Some(lock) = self.locks.guard_of(cell)
                && !self.held.contains_key(&lock)
                && !self.is_final(cell)
            {
                self.renew(cell, shared.ever[cell as usize]);
            }
        }
        self.find(shared, None);
        for (&lock, &hold) in &self.held.clone() {
            self.know_content(lock, hold);
        }
    }

    /// Notes what a lock contains that the thread holds so.
    fn know_content(&mut self, lock: CellId, hold: Hold) {
        let width = self.cells.all[lock as usize].width;
        let content = self.contents[lock as usize].clone();
        if let Some(range) = self.locks.content(lock, hold, width) {
            self.narrow(&content, range);
        }
        if hold == Hold::Exclusive && self.locks.part(lock) == Part::LowBit {
            let mut zero = low_bit(&content);
            zero.add(&low_bit(&Sum::constant(width, 1)), u128::MAX);
            self.equate(zero);
        }
    }

    /// Others may have written to a cell, which is within a range now.
    fn renew(&mut self, cell: CellId, range: Range) {
        let at = cell as usize;
        let now = self.fresh(self.cells.all[at].width, range);
        let before = std::mem::replace(&mut self.contents[at], now.clone());
        let readings = self.others.growing.map_or(&[][..], |growing| growing.readings(cell));
        for &reading in readings {
            if let Some(range) = self.bounds_of(&before).and_then(|range| range.and_more(reading)) {
                self.narrow(&now, range);
            }
            self.grow(&before, &now, reading);
        }
    }

    /// Notes that what a cell contained is at most what it contains now, which is a variable of its own.
    fn grow(&mut self, before: &Sum<Variable>, now: &Sum<Variable>, reading: Reading) {
        let ranges = ranges_in(&self.ranges, now.width);
        self.inequalities.add_below((before, now), reading, 0, &ranges);
        // What was at most that is at most this: so one step leads to it, however often others act.
        if let (Some(before), Some(now)) = (before.single(), now.single()) {
            self.inequalities.add_as(before, now, reading);
            if !self.values.values().any(|value| value.of(before) != 0) {
                self.inequalities.forget(before);
            }
        }
    }

    /// Goes on as a thread that holds a lock so, or does not, which is followed.
    pub(super) fn hold_lock(&mut self, lock: CellId, hold: Option<Hold>) {
        self.followed = Some(lock);
        match hold {
            Some(hold) => {
                self.held.insert(lock, hold);
                self.know_content(lock, hold);
            }
            None => drop(self.held.remove(&lock)),
        }
    }

    /// What a cell contains.
    pub(super) fn content(&self, cell: CellId) -> &Sum<Variable> {
        &self.contents[cell as usize]
    }

    /// Others act before an instruction, if they may; then it is known what is by counting.
    pub(super) fn await_others(&mut self, block: BlockId, index: usize) {
        self.place = (block, index);
        self.interrupt();
        self.count(block, index);
    }

    /// Finds what others have left of the cells that a lock guards, which the thread has come to hold.
    fn find_guarded(&mut self, lock: CellId) {
        if let (Some(shared), false) = (self.others.shared, self.alone) {
            self.find(shared, Some(lock));
        }
    }

    /// Finds what others may have left of the cells that a lock guards, or none.
    fn find(&mut self, shared: &Shared, lock: Option<CellId>) {
        let is_any = (0..).zip(&self.contents).any(|(id, _)| self.locks.guard_of(id) == lock);
        let Some(group) = shared.groups.get(&lock).filter(|_| is_any) else {
            // Nobody comes here before somebody has left what is to be found.
            self.is_dead |= is_any;
            return;
        };
        let mut changed = false;
        for &cell in &self.body.foreign {
            // Nobody else writes to a lock that this thread holds exclusively.
            let is_own = self.held.get(&cell) == Some(&Hold::Exclusive);
            if self.locks.guard_of(cell) == lock && !is_own && !self.is_final(cell) {
                self.renew(cell, group.ranges[&cell]);
                changed = true;
            }
        }
        if !changed {
            return;
        }
        group.system.rows().iter().for_each(|row| self.equate_cells(row));
        for (of_cells, range) in group.sums.iter() {
            let mut sum = Sum::constant(of_cells.width, of_cells.constant);
            for (&cell, &coefficient) in &of_cells.coefficients {
                sum.add(&self.contents[cell as usize], coefficient);
            }
            self.narrow(&sum, *range);
        }
        let exact = |form: &Form<CellId>| {
            let reading = form.reading();
            let by = |&cell: &CellId| self.exact(&self.contents[cell as usize], reading);
            form.substituted(by)
        };
        let found = group.inequalities.iter();
        let found = found.filter_map(|(form, least)| Some((exact(form)?, least)));
        let found: Vec<_> = found.collect();
        for ((form, constant), least) in found {
            self.inequalities.add(form, least - constant);
        }
    }

    /// Notes that a sum of cells is zero.
    fn equate_cells(&mut self, zero: &Sum<CellId>) {
        let mut sum = Sum::constant(zero.width, zero.constant);
        for (&cell, &coefficient) in &zero.coefficients {
            sum.add(&self.contents[cell as usize], coefficient);
        }
        self.equate(sum);
    }

    /// A sum without wrap-around; `None` if it may wrap.
    fn exact(&self, sum: &Sum<Variable>, reading: Reading) -> Option<(Form<Variable>, i128)> {
        self.inequalities.exact(sum, reading, &ranges_in(&self.ranges, sum.width))
    }

    /// Whether other threads cannot act here.
    pub(super) fn is_in_section(&self) -> bool {
        self.depth > 0
    }

    /// Whether there are no other threads.
    pub(super) fn is_alone(&self) -> bool {
        self.alone
    }

    /// The number that a sum is known to be.
    pub(super) fn constant(&self, sum: &Sum<Variable>) -> Option<u128> {
        self.normal()?.reduce(sum).value()
    }

    /// Notes that a sum is zero.
    fn equate(&mut self, zero: Sum<Variable>) {
        if zero.value().is_some_and(|value| value != 0) {
            self.is_dead = true;
        }
        if self.system.rows().len() >= MOST_ROWS {
            self.system = System::default();
            self.normal.take();
        }
        if !self.system.rows().contains(&zero) {
            self.system.add(zero);
            self.normal.take();
        }
    }

    /// The equations in normal form; `None` if no run comes here.
    fn normal(&self) -> Option<Rc<System<Variable>>> {
        let normal = self.normal.get_or_init(|| {
            let mut system = self.system.clone();
            system.normalize().ok()?;
            Some(Rc::new(system))
        });
        normal.clone()
    }

    /// What an operand is worth, if it is an integer.
    pub(super) fn operand(&self, operand: Operand) -> Option<Sum<Variable>> {
        let width = self.body.integer(operand)?;
        match operand {
            Operand::Int { value, .. } => Some(Sum::constant(width, value)),
            Operand::Value(value) => Some(self.value(value, width)),
            _ => None,
        }
    }

    fn value(&self, value: ValueId, width: u32) -> Sum<Variable> {
        let known = self.values.get(&value).cloned();
        known.unwrap_or_else(|| Sum::variable(width, Variable::Value(value)))
    }

    /// The bounds of a sum by those of its variables alone.
    fn range_of_parts(&self, sum: &Sum<Variable>) -> Range {
        let range = ranges_in(&self.ranges, sum.width);
        let terms: Vec<(Range, u128)> =
            sum.coefficients.iter().map(|(variable, &c)| (range(variable), c)).collect();
        Range::sum(sum.width, &terms, sum.constant)
    }

    /// The bounds of a sum.
    pub(super) fn range(&self, sum: &Sum<Variable>) -> Range {
        let width = sum.width;
        let computed = self.range_of_parts(sum);
        // Where nothing is in both, no run comes here: any answer will do.
        let related = (!self.inequalities.is_empty() && sum.value().is_none())
            .then(|| self.inequalities.range(sum, &ranges_in(&self.ranges, width)));
        let known = related.into_iter().chain(self.sums.of(sum, &ranges_in(&self.ranges, width)));
        known.fold(computed, |range, known| range.meet(&known).unwrap_or(range))
    }

    /// The bounds of a sum by what equations, which are in normal form, say of it, too: each equation
    /// says what a variable of it is by the others. `None` if no run comes here.
    fn bounds_by(&self, system: &System<Variable>, sum: &Sum<Variable>) -> Option<Range> {
        let range = self.range(sum);
        let mut others = vec![system.reduce(sum)];
        for row in system.rows() {
            let variables = sum.coefficients.keys();
            others.extend(variables.filter_map(|variable| sum.without(variable, row)));
        }
        others.iter().try_fold(range, |range, other| range.meet(&self.range(other)))
    }

    /// The same by all equations that are known.
    pub(super) fn bounds_of(&self, sum: &Sum<Variable>) -> Option<Range> {
        self.bounds_by(&*self.normal()?, sum)
    }

    /// Notes bounds of a sum, with what is known of it.
    pub(super) fn narrow(&mut self, sum: &Sum<Variable>, range: Range) {
        match self.range(sum).meet(&range) {
            Some(range) => self.note_range(sum, range),
            None => self.is_dead = true,
        }
    }

    /// Notes bounds of a sum alone: what else bounds it is not looked for.
    fn note_range(&mut self, sum: &Sum<Variable>, range: Range) {
        let width = sum.width;
        let single = sum.coefficients.first_key_value().filter(|_| sum.coefficients.len() == 1);
        match single {
            Some((&variable, 1)) => {
                let back = Range::sum(width, &[(range, 1)], sum.constant.wrapping_neg());
                let before = self.ranges.get(&variable).copied();
                let before = before.unwrap_or_else(|| Range::all(width));
                match before.meet(&back) {
                    Some(range) => drop(self.ranges.insert(variable, range)),
                    None => self.is_dead = true,
                }
                if sum.constant != 0 {
                    self.sums.add(sum, range);
                }
            }
            _ if sum.value().is_some() => {}
            _ => self.sums.add(sum, range),
        }
    }

    /// Executes an instruction of the block that was begun.
    pub(super) fn step(&mut self, block: BlockId, index: usize, instruction: &Instruction) {
        self.tidy(block, index);
        self.execute(block, index, instruction);
        self.place = (block, index + 1);
    }

    fn execute(&mut self, block: BlockId, index: usize, instruction: &Instruction) {
        self.place = (block, index);
        let access = self.cells.at(self.body.id, block.index(), index);
        match &instruction.op {
            Op::AtomicBegin(_) => {
                self.interrupt();
                self.count(block, index);
                self.depth += 1;
            }
            Op::AtomicEnd => self.depth = self.depth.saturating_sub(1),
            Op::Spawn { .. } => {
                self.alone = false;
                // From here on, what the others leave counts; the state is among that.
            }
            Op::Assume { condition } | Op::Assert { condition, .. } => self.hold(*condition, true),
            op @ Op::Binary { .. } if op.may_be_undefined(self.body.module.signed_overflow) => {
                self.hold_no_overflow(op);
            }
            _ => {}
        }
        if *access != Access::None {
            self.interrupt();
            self.count(block, index);
        }
        let taken = self.locks.advance((self.body.id, block, index), &mut self.held);
        let result = instruction.result.and_then(|value| Some((value, self.body.width(value)?)));
        let cells = self.cells;
        let at = (self.body.id, block.index(), index);
        for &(field, is_value) in cells.fields.written_at(at) {
            let range = match &instruction.op {
                Op::Store { value, .. } if is_value => {
                    self.operand(*value).and_then(|stored| self.bounds_of(&stored))
                }
                _ => None,
            };
            let width = cells.fields.all[field].width();
            self.stored.push((field, range.unwrap_or_else(|| Range::all(width))));
        }
        if let (Some(read), Some((value, width)), Some(known)) =
            (cells.fields.read_at(at), result, self.others.fields)
        {
            let ranges = read.iter().filter_map(|&field| known.get(field).copied().flatten());
            match ranges.reduce(|one, other| one.join(&other)) {
                Some(range) => {
                    let read = self.fresh(width, range);
                    self.values.insert(value, read);
                }
                // Nobody reads before somebody has stored.
                None => self.is_dead = true,
            }
            return;
        }
        match access {
            Access::Read(cell) => {
                let content = &self.contents[*cell as usize];
                let flag = self.others.ended.and_then(|(ended, _)| ended.of_flag(*cell));
                self.flags.extend(flag.map(|end| (end, content.clone())));
                if let Some((value, _)) = result {
                    self.values.insert(value, content.clone());
                }
                return;
            }
            Access::Write(cell) => {
                if let Op::Store { value, .. } = &instruction.op {
                    let width = self.cells.all[*cell as usize].width;
                    let written = self.operand(*value);
                    let written = match written {
                        Some(written) => written,
                        None => self.fresh(width, Range::all(width)),
                    };
                    self.contribute(*cell, &written);
                    self.contents[*cell as usize] = written;
                }
                if let Some(lock) = taken {
                    self.find_guarded(lock);
                }
                return;
            }
            Access::Clobber(cells) => {
                for &cell in cells {
                    let width = self.cells.all[cell as usize].width;
                    self.contents[cell as usize] = self.fresh(width, Range::all(width));
                }
                return;
            }
            Access::None => {}
        }
        if let Some((value, width)) = result {
            let decided = match &instruction.op {
                Op::Compare { .. } => self.decided(value),
                _ => None,
            };
            if let Some(outcome) = decided {
                self.values.insert(value, Sum::constant(width, u128::from(outcome)));
                return;
            }
            let sum = match self.linear(&instruction.op, width) {
                Some(sum) => sum,
                None => {
                    let range = self.bounds(&instruction.op, width);
                    self.fresh(width, range)
                }
            };
            self.low_bits(&instruction.op, &sum);
            self.note_choice(&instruction.op, value);
            self.values.insert(value, sum);
        }
    }

    /// Executes the block that a jump leads to, if that only decides where to go on: that, and how it ends.
    pub(super) fn decision(&self, target: &Target) -> Option<(Self, &'a TerminatorKind)> {
        if self.is_dead || !self.body.decisions.contains(&target.block) {
            return None;
        }
        let data = self.body.function.block(target.block);
        let mut walk = self.clone();
        for (&parameter, &argument) in data.parameters.iter().zip(&target.arguments) {
            if let Operand::Value(value) = argument {
                walk.names.insert(parameter, value);
            }
            if let Some(sum) = self.operand(argument) {
                walk.values.insert(parameter, sum);
            }
        }
        for (index, instruction) in data.instructions.iter().enumerate() {
            // What its values are called may be read by names of the block before.
            walk.execute(target.block, index, instruction);
        }
        Some((walk, &data.terminator.kind))
    }
}

/// The ranges of variables of a width.
pub(super) fn ranges_in<V: Ord>(
    ranges: &BTreeMap<V, Range>,
    width: u32,
) -> impl Fn(&V) -> Range + '_ {
    move |variable| ranges.get(variable).copied().unwrap_or_else(|| Range::all(width))
}
