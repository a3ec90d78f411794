//! The execution of a block over what is known where it begins.
//!
//! Within a block a value is a sum of what was there at its start and of what was read or chosen on
//! the way; equations are between those. So code of any length adds no equations, but for what
//! conditions say.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_ir::goto::arithmetic::{cast, signed};
use sapa_ir::goto::{
    BinaryOp, BlockId, CastOp, CompareOp, Instruction, Op, Operand, Target, TerminatorKind,
    UnaryOp, ValueId,
};

use super::body::Body;
use super::cells::{Access, CellId, Cells};
use super::compared::Node;
use super::counting::Counts;
use super::fields::FieldId;
use super::inequalities::{Form, Inequalities, Reading, by_bounds};
use super::locks::{Event, Locks};
use super::range::{Range, negated};
use super::threads::{Group, Shared};
use crate::linear::{Sum, System};

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
    pub(super) inequalities: Inequalities<Variable>,
}

/// More equations are forgotten within a block.
const MOST_ROWS: usize = 128;

/// How deeply a condition is looked into.
const DEPTH: usize = 6;

/// A block that is being executed.
#[derive(Clone)]
pub(super) struct Walk<'a> {
    body: &'a Body<'a>,
    cells: &'a Cells,
    locks: &'a Locks,
    /// What other threads may leave; `None` if none was started, as far as is known.
    shared: Option<&'a Shared>,
    /// What fields hold, by their number, where that is asked: nothing yet, or a range.
    fields: Option<&'a [Option<Range>]>,
    /// What was stored in fields since somebody looked.
    pub(super) stored: Vec<(FieldId, Range)>,
    /// What counts threads, once that is known.
    counts: Option<&'a Counts>,
    system: System<Variable>,
    /// The same in normal form, once somebody asks; `None` in it if it has no solutions.
    normal: OnceCell<Option<Rc<System<Variable>>>>,
    ranges: BTreeMap<Variable, Range>,
    /// Bounds of sums that are no single variable.
    sums: BTreeMap<Sum<Variable>, Range>,
    inequalities: Inequalities<Variable>,
    values: FxHashMap<ValueId, Sum<Variable>>,
    /// Conditions that are passed on under another name.
    names: FxHashMap<ValueId, ValueId>,
    contents: Vec<Sum<Variable>>,
    /// The locks that the thread holds.
    held: BTreeSet<CellId>,
    depth: u32,
    alone: bool,
    fresh: u32,
    /// Whether no run comes here.
    is_dead: bool,
}

impl<'a> Walk<'a> {
    /// Begins a block.
    pub(super) fn new(
        body: &'a Body<'a>,
        cells: &'a Cells,
        locks: &'a Locks,
        (shared, fields): (Option<&'a Shared>, Option<&'a [Option<Range>]>),
        block: BlockId,
        state: &State,
    ) -> Self {
        let contents = (0..).zip(&cells.all);
        let mut walk = Self {
            body,
            cells,
            locks,
            shared,
            fields,
            stored: Vec::new(),
            counts: None,
            held: locks.held(body.id, block),
            system: state.system.clone(),
            normal: OnceCell::new(),
            ranges: state.ranges.clone(),
            sums: BTreeMap::new(),
            inequalities: state.inequalities.clone(),
            values: FxHashMap::default(),
            names: FxHashMap::default(),
            contents: contents
                .map(|(id, cell)| Sum::variable(cell.width, Variable::Cell(id)))
                .collect(),
            depth: body.depths[block.index()],
            alone: body.alone[block.index()],
            fresh: 0,
            is_dead: false,
        };
        walk.interrupt();
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
        for (cells, range) in counts.at(self.body.id, block, index) {
            let mut sum = Sum::constant(range.width(), 0);
            for &(cell, factor) in cells {
                sum.add(&self.contents[cell as usize], factor as u128);
            }
            self.narrow(&sum, range);
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
        let Some(shared) = self.shared else {
            self.is_dead = true;
            return;
        };
        for &cell in &self.body.foreign {
            // What a lock guards, and nobody else writes now, stays; if another thread may hold it, it
            // may be anything that is ever there.
            if let Some(lock) = self.locks.guard_of(cell)
                && !self.held.contains(&lock)
            {
                let fresh =
                    self.fresh(self.cells.all[cell as usize].width, shared.ever[cell as usize]);
                self.contents[cell as usize] = fresh;
            }
        }
        self.find(shared, None);
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
            if self.locks.guard_of(cell) == lock {
                let (at, range) = (cell as usize, group.ranges[&cell]);
                self.contents[at] = self.fresh(self.cells.all[at].width, range);
                changed = true;
            }
        }
        if !changed {
            return;
        }
        for row in group.system.rows() {
            let mut sum = Sum::constant(row.width, row.constant);
            for (&cell, &coefficient) in &row.coefficients {
                sum.add(&self.contents[cell as usize], coefficient);
            }
            self.equate(sum);
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

    /// A sum without wrap-around; `None` if it may wrap.
    fn exact(&self, sum: &Sum<Variable>, reading: Reading) -> Option<(Form<Variable>, i128)> {
        self.inequalities.exact(sum, reading, &ranges_in(&self.ranges, sum.width))
    }

    /// The inequalities between what is given names: those of differences that conditions look at, as far
    /// as they say more than the ranges of both.
    fn inequalities_between<V: Ord + Clone>(
        &self,
        named: &[(V, Node, &Sum<Variable>)],
        ranges: &BTreeMap<V, Range>,
    ) -> Inequalities<V> {
        let mut found = Inequalities::default();
        let named: Vec<_> = named.iter().map(|(name, node, sum)| ((name, *sum), *node)).collect();
        for (reading, (a, of_a), (b, of_b)) in self.cells.compared.pairs(&named) {
            let width = of_a.width;
            if width != of_b.width {
                continue;
            }
            let form = Form::difference(width, reading, a.clone(), b.clone());
            let of = |name: &V| self.exact(if name == a { of_a } else { of_b }, reading);
            let Some((now, constant)) = form.substituted(of) else { continue };
            let current = ranges_in(&self.ranges, width);
            let least = self.inequalities.least(&now, &current) + constant;
            if least > by_bounds(&form, &ranges_in(ranges, width)) {
                found.add(form, least);
            }
        }
        // What is only given another name is known as before, however many variables it is about.
        let names: BTreeMap<&Variable, &V> =
            named.iter().filter_map(|((name, sum), _)| Some((sum.single()?, *name))).collect();
        for (form, least) in self.inequalities.iter() {
            let name =
                |variable: &Variable| Some(Form::variable(form, (*names.get(variable)?).clone()));
            if let Some((form, _)) = form.substituted(name)
                && least > by_bounds(&form, &ranges_in(ranges, form.width()))
            {
                found.add(form, least);
            }
        }
        found
    }

    /// Whether other threads cannot act here.
    pub(super) fn is_in_section(&self) -> bool {
        self.depth > 0
    }

    /// Whether there are no other threads.
    pub(super) fn is_alone(&self) -> bool {
        self.alone
    }

    /// Whether a cell is known to hold 0.
    pub(super) fn is_zero(&self, cell: CellId) -> bool {
        let content = &self.contents[cell as usize];
        self.normal().is_some_and(|system| system.reduce(content).value() == Some(0))
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

    /// The bounds of a sum.
    pub(super) fn range(&self, sum: &Sum<Variable>) -> Range {
        let width = sum.width;
        let of = |variable: &Variable| {
            self.ranges.get(variable).copied().unwrap_or_else(|| Range::all(width))
        };
        let terms: Vec<(Range, u128)> =
            sum.coefficients.iter().map(|(variable, &c)| (of(variable), c)).collect();
        let computed = Range::sum(width, &terms, sum.constant);
        let opposite = self.sums.get(&sum.times(u128::MAX));
        let opposite = opposite.map(|range| Range::sum(width, &[(*range, u128::MAX)], 0));
        // Where nothing is in both, no run comes here: any answer will do.
        let related = (!self.inequalities.is_empty() && sum.value().is_none())
            .then(|| self.inequalities.range(sum, &ranges_in(&self.ranges, width)));
        let all = self.sums.get(sum).copied().into_iter().chain(opposite).chain(related);
        all.fold(computed, |range, known| range.meet(&known).unwrap_or(range))
    }

    /// Notes bounds of a sum.
    pub(super) fn narrow(&mut self, sum: &Sum<Variable>, range: Range) {
        let width = sum.width;
        let Some(range) = self.range(sum).meet(&range) else {
            self.is_dead = true;
            return;
        };
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
                    self.sums.insert(sum.clone(), range);
                }
            }
            _ if sum.value().is_some() => {}
            _ => drop(self.sums.insert(sum.clone(), range)),
        }
    }

    /// Executes an instruction.
    pub(super) fn step(&mut self, block: BlockId, index: usize, instruction: &Instruction) {
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
            _ => {}
        }
        if *access != Access::None {
            self.interrupt();
            self.count(block, index);
        }
        self.locks.advance((self.body.id, block, index), &mut self.held);
        let result = instruction.result.and_then(|value| Some((value, self.body.width(value)?)));
        let cells = self.cells;
        let at = (self.body.id, block.index(), index);
        for &(field, is_value) in cells.fields.written_at(at) {
            let range = match &instruction.op {
                Op::Store { value, .. } if is_value => {
                    self.operand(*value).map(|stored| self.range(&stored))
                }
                _ => None,
            };
            let width = cells.fields.all[field].width();
            self.stored.push((field, range.unwrap_or_else(|| Range::all(width))));
        }
        if let (Some(read), Some((value, width)), Some(known)) =
            (cells.fields.read_at(at), result, self.fields)
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
                if let Some((value, _)) = result {
                    self.values.insert(value, self.contents[*cell as usize].clone());
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
                    self.contents[*cell as usize] = written;
                }
                let event = self.locks.event((self.body.id, block, index));
                if let (Some(Event::Acquire(lock)), Some(shared), false) =
                    (event, self.shared, self.alone)
                {
                    self.find(shared, Some(lock));
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
            self.values.insert(value, sum);
        }
    }

    /// Whether a comparison has one outcome only.
    fn decided(&self, comparison: ValueId) -> Option<bool> {
        let system = self.normal()?;
        let condition = Operand::Value(comparison);
        let entails = |outcome| self.entails_within(&system, condition, outcome, 0);
        entails(true).then_some(true).or_else(|| entails(false).then_some(false))
    }

    /// The result of an operation that is linear.
    fn linear(&self, op: &Op, width: u32) -> Option<Sum<Variable>> {
        let minus_one = u128::MAX;
        match op {
            Op::Copy { a } => self.operand(*a),
            Op::Cast { op, a } => {
                let value = self.operand(*a)?.value()?;
                let from = self.body.function.operand_bits(self.body.module, *a);
                let value = cast(*op, value, from, u16::try_from(width).ok()?)?;
                Some(Sum::constant(width, value))
            }
            Op::Unary { op, a } => {
                let mut sum = self.operand(*a)?.times(minus_one);
                if *op == UnaryOp::Not {
                    sum.add(&Sum::constant(width, 1), minus_one);
                }
                Some(sum)
            }
            Op::Select { a, b, .. } => {
                self.operand(*a).filter(|a| Some(a) == self.operand(*b).as_ref())
            }
            Op::Binary { op, a, b, .. } => {
                let (mut a, b) = (self.operand(*a)?, self.operand(*b)?);
                match op {
                    BinaryOp::Add => a.add(&b, 1),
                    BinaryOp::Sub => a.add(&b, minus_one),
                    BinaryOp::Mul => match (a.value(), b.value()) {
                        (Some(value), _) => a = b.times(value),
                        (_, Some(value)) => a = a.times(value),
                        _ => return None,
                    },
                    BinaryOp::ShiftLeft => {
                        let distance = b.value().filter(|d| *d < u128::from(width))?;
                        a = a.times(1 << distance);
                    }
                    _ => return None,
                }
                Some(a)
            }
            _ => None,
        }
    }

    /// Bounds of the result of an operation that is not linear.
    fn bounds(&self, op: &Op, width: u32) -> Range {
        let of = |operand: Operand| {
            let sum = self.operand(operand);
            sum.map_or_else(|| Range::all(width), |sum| self.range(&sum))
        };
        match op {
            Op::Cast { op, a } => {
                let Some(from) = self.operand(*a) else {
                    // A truth value.
                    return match (op, self.body.function.operand_bits(self.body.module, *a)) {
                        (CastOp::ZeroExtend, 1) => Range::at_most(width, 1),
                        _ => Range::all(width),
                    };
                };
                let range = self.range(&from);
                match op {
                    CastOp::ZeroExtend => range.zero_extended(width),
                    CastOp::SignExtend => range.sign_extended(width),
                    CastOp::Truncate => range.truncated(width),
                    CastOp::PointerToInt | CastOp::IntToPointer => Range::all(width),
                }
            }
            Op::Select { a, b, .. } => of(*a).join(&of(*b)),
            Op::Binary { op, a, b, .. } => {
                let (a, b) = (of(*a), of(*b));
                let (most, [_, signed], [_, by]) = (b.most(), a.bounds(), b.bounds());
                match op {
                    BinaryOp::And => Range::at_most(width, a.most().min(most)),
                    // A divisor of zero cuts the run off.
                    BinaryOp::UnsignedRem => Range::at_most(width, a.most().min(most.max(1) - 1)),
                    BinaryOp::UnsignedDiv | BinaryOp::LogicalShiftRight => {
                        Range::at_most(width, a.most())
                    }
                    BinaryOp::SignedRem if signed.0 >= 0 && by.0 > 0 => {
                        Range::between(width, 0, signed.1.min(by.1 - 1)).unwrap_or(a)
                    }
                    BinaryOp::SignedDiv if signed.0 >= 0 && by.0 > 0 => {
                        Range::between(width, 0, signed.1).unwrap_or(a)
                    }
                    _ => Range::all(width),
                }
            }
            _ => Range::all(width),
        }
    }

    /// The condition that a condition is another name of, and its outcome: `(int)c != 0` as C has it,
    /// or a negation.
    fn stripped(&self, mut condition: ValueId, mut outcome: bool) -> (ValueId, bool) {
        for _ in 0..DEPTH {
            if let Some(name) = self.names.get(&condition) {
                condition = *name;
                continue;
            }
            match self.body.definitions.get(&condition) {
                Some(Op::Copy { a: Operand::Value(a) }) => condition = *a,
                Some(Op::Unary { op: UnaryOp::Not, a: Operand::Value(a) }) => {
                    (condition, outcome) = (*a, !outcome);
                }
                Some(Op::Compare {
                    op: op @ (CompareOp::Eq | CompareOp::Ne),
                    a: Operand::Value(widened),
                    b: Operand::Int { value: 0, .. },
                }) => match self.body.definitions.get(widened) {
                    Some(Op::Cast { op: CastOp::ZeroExtend, a: Operand::Value(inner) })
                        if self.body.width(*inner) == Some(1) =>
                    {
                        (condition, outcome) = (*inner, outcome != (*op == CompareOp::Eq));
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        (condition, outcome)
    }

    /// The comparison that a condition of this outcome is, as sums.
    fn compared(
        &self,
        condition: ValueId,
        outcome: bool,
    ) -> Option<(CompareOp, Sum<Variable>, Sum<Variable>)> {
        let Op::Compare { op, a, b } = self.body.definitions.get(&condition)? else { return None };
        let (a, b) = (self.operand(*a)?, self.operand(*b)?);
        if outcome {
            return Some((*op, a, b));
        }
        let (op, swapped) = negated(*op);
        Some(if swapped { (op, b, a) } else { (op, a, b) })
    }

    /// The parts of a conjunction, or of a disjunction that is false.
    fn parts(&self, condition: ValueId, outcome: bool) -> Option<[Operand; 2]> {
        match self.body.definitions.get(&condition)? {
            Op::Binary { op: BinaryOp::And, a, b, .. } if outcome => Some([*a, *b]),
            Op::Binary { op: BinaryOp::Or, a, b, .. } if !outcome => Some([*a, *b]),
            _ => None,
        }
    }

    /// Goes on where a condition has this outcome.
    pub(super) fn hold(&mut self, condition: Operand, outcome: bool) {
        self.is_dead |= self.entails(condition, !outcome);
        if !self.is_dead {
            self.hold_within(condition, outcome, 0);
        }
    }

    fn hold_within(&mut self, condition: Operand, outcome: bool, depth: usize) {
        let value = match condition {
            Operand::Int { value, .. } => {
                self.is_dead |= (value == 1) != outcome;
                return;
            }
            Operand::Value(value) if depth < DEPTH => value,
            _ => return,
        };
        let (value, outcome) = self.stripped(value, outcome);
        if self.body.width(value) == Some(1) {
            let mut known = self.value(value, 1);
            known.add(&Sum::constant(1, u128::from(outcome)), 1);
            self.equate(known);
        }
        if let Some(parts) = self.parts(value, outcome) {
            parts.into_iter().for_each(|part| self.hold_within(part, outcome, depth + 1));
            return;
        }
        let Some((op, a, b)) = self.compared(value, outcome) else { return };
        let Some((left, right)) = Range::where_holds(op, &self.range(&a), &self.range(&b)) else {
            self.is_dead = true;
            return;
        };
        self.narrow(&a, left);
        self.narrow(&b, right);
        self.relate(op, &a, &b);
        if op == CompareOp::Eq {
            let mut difference = a;
            difference.add(&b, u128::MAX);
            self.equate(difference);
            return;
        }
        for sum in [a, b] {
            // A loop that counts to N ends with N.
            if let (None, Some(only)) = (sum.value(), self.range(&sum).single()) {
                let mut difference = sum;
                difference.add(&Sum::constant(difference.width, only), u128::MAX);
                self.equate(difference);
            }
        }
    }

    /// Notes the inequality that a comparison of sums is.
    fn relate(&mut self, op: CompareOp, a: &Sum<Variable>, b: &Sum<Variable>) {
        let (ranges, known) = (ranges_in(&self.ranges, a.width), &mut self.inequalities);
        if let Some((reading, apart)) = inequality(op) {
            known.add_below((a, b), reading, apart, &ranges);
        } else if op == CompareOp::Ne {
            for reading in [Reading::Unsigned, Reading::Signed] {
                for sides in [(a, b), (b, a)] {
                    if known.is_below(sides, reading, 0, &ranges) {
                        known.add_below(sides, reading, 1, &ranges);
                    }
                }
            }
        }
    }

    /// Whether inequalities imply a comparison.
    fn is_related(&self, op: CompareOp, a: &Sum<Variable>, b: &Sum<Variable>) -> bool {
        let (ranges, known) = (ranges_in(&self.ranges, a.width), &self.inequalities);
        if known.is_empty() {
            return false;
        }
        let mut readings = [Reading::Unsigned, Reading::Signed].into_iter();
        match (inequality(op), op) {
            (Some((reading, apart)), _) => known.is_below((a, b), reading, apart, &ranges),
            (None, CompareOp::Ne) => readings.any(|reading| {
                let is_below = |sides| known.is_below(sides, reading, 1, &ranges);
                is_below((a, b)) || is_below((b, a))
            }),
            (None, _) => readings.any(|reading| {
                let is_below = |sides| known.is_below(sides, reading, 0, &ranges);
                is_below((a, b)) && is_below((b, a))
            }),
        }
    }

    /// Whether a condition has this outcome in all runs that come here.
    pub(super) fn entails(&self, condition: Operand, outcome: bool) -> bool {
        let entails = |system: Rc<_>| self.entails_within(&system, condition, outcome, 0);
        self.is_dead || self.normal().is_none_or(entails)
    }

    fn entails_within(
        &self,
        system: &System<Variable>,
        condition: Operand,
        outcome: bool,
        depth: usize,
    ) -> bool {
        let value = match condition {
            Operand::Int { value, .. } => return (value == 1) == outcome,
            Operand::Value(value) if depth < DEPTH => value,
            _ => return false,
        };
        let (value, outcome) = self.stripped(value, outcome);
        let known = self.values.get(&value).and_then(Sum::value);
        let known = known.or_else(|| {
            let width = self.body.width(value)?;
            system.reduce(&self.value(value, width)).value()
        });
        if let Some(known) = known {
            return (known == 1) == outcome;
        }
        if let Some(parts) = self.parts(value, outcome) {
            return parts.iter().all(|p| self.entails_within(system, *p, outcome, depth + 1));
        }
        if let Some(parts) = self.parts(value, !outcome) {
            return parts.iter().any(|p| self.entails_within(system, *p, outcome, depth + 1));
        }
        let Some((op, a, b)) = self.compared(value, outcome) else { return false };
        let mut difference = a.clone();
        difference.add(&b, u128::MAX);
        let difference = system.reduce(&difference).value();
        match op {
            CompareOp::Eq if difference == Some(0) => return true,
            CompareOp::Ne if difference.is_some_and(|d| d != 0) => return true,
            CompareOp::UnsignedLe | CompareOp::SignedLe if difference == Some(0) => return true,
            _ => {}
        }
        // It holds if its negation holds of none that are left.
        let bounds = |sum: &Sum<Variable>| {
            let range = self.range(sum);
            let reduced = self.range(&system.reduce(sum));
            range.meet(&reduced)
        };
        let (left, right) = (a, b);
        if self.is_related(op, &left, &right) {
            return true;
        }
        let (Some(a), Some(b)) = (bounds(&left), bounds(&right)) else { return true };
        // How far the greater is above the lesser, if that is known.
        let mut apart = right;
        apart.add(&left, u128::MAX);
        if Range::is_above(op, &a, &self.range(&apart)) {
            return true;
        }
        let (other, swapped) = negated(op);
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        match other {
            CompareOp::Ne => a.single().is_some() && a.single() == b.single(),
            _ => Range::where_holds(other, &a, &b).is_none(),
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
            walk.step(target.block, index, instruction);
        }
        Some((walk, &data.terminator.kind))
    }

    /// What is known where a jump leads to; `None` if no run takes it.
    pub(super) fn leave(&self, to: BlockId, arguments: &[Operand]) -> Option<State> {
        if self.is_dead {
            return None;
        }
        // What each variable of the next state is.
        let mut next: Vec<(Variable, Variable, Sum<Variable>)> = Vec::new();
        let data = self.body.function.block(to);
        for (&parameter, &argument) in data.parameters.iter().zip(arguments) {
            if let Some(sum) = self.operand(argument) {
                next.push((Variable::Value(parameter), Variable::NextValue(parameter), sum));
            }
        }
        for &value in &self.body.live[to.index()] {
            if let Some(width) = self.body.width(value) {
                let sum = self.value(value, width);
                next.push((Variable::Value(value), Variable::NextValue(value), sum));
            }
        }
        let is_interruptible = self.body.depths[to.index()] == 0 && !self.body.alone[to.index()];
        let held = self.locks.held(self.body.id, to);
        for (cell, sum) in (0..).zip(&self.contents) {
            let guard = self.locks.guard_of(cell);
            let stays = guard.is_some_and(|lock| held.contains(&lock))
                || !self.body.foreign.contains(&cell);
            if !is_interruptible || stays {
                next.push((Variable::Cell(cell), Variable::NextCell(cell), sum.clone()));
            }
        }
        let mut ranges = BTreeMap::new();
        for (variable, _, sum) in &next {
            let range = self.range(sum);
            if !range.is_all() {
                ranges.insert(*variable, range);
            }
        }
        let node = |variable: Variable| match variable {
            Variable::Cell(cell) => Node::Cell(cell),
            Variable::Value(value) => Node::Value(self.body.id, value),
            _ => unreachable!("the next state is over cells and values"),
        };
        let named = next.iter().map(|(variable, _, sum)| (*variable, node(*variable), sum));
        let named: Vec<_> = named.collect();
        let inequalities = self.inequalities_between(&named, &ranges);
        let system = self.between(next.into_iter().map(|(_, next, sum)| (next, sum)))?;
        let mut system = system.map(|variable| match variable {
            Variable::NextCell(cell) => Variable::Cell(*cell),
            Variable::NextValue(value) => Variable::Value(*value),
            other => *other,
        });
        system.normalize().ok()?;
        Some(State { system, ranges, inequalities })
    }

    /// What holds between sums that are given names; `None` if no run comes here.
    fn between(
        &self,
        named: impl Iterator<Item = (Variable, Sum<Variable>)>,
    ) -> Option<System<Variable>> {
        // What only goes on under another name is renamed, which is most of it.
        let mut renamed: BTreeMap<Variable, Variable> = BTreeMap::new();
        let mut system = self.system.clone();
        for (name, sum) in named {
            let only = sum.coefficients.first_key_value();
            let only = only.filter(|_| sum.coefficients.len() == 1 && sum.constant == 0);
            match only {
                Some((&variable, 1)) if !renamed.contains_key(&variable) => {
                    renamed.insert(variable, name);
                }
                _ => {
                    let mut row = Sum::variable(sum.width, name);
                    row.add(&sum, u128::MAX);
                    system.add(row);
                }
            }
        }
        let mut system = system.map(|variable| *renamed.get(variable).unwrap_or(variable));
        for variable in system.variables() {
            if !matches!(variable, Variable::NextCell(_) | Variable::NextValue(_)) {
                system.eliminate(&variable);
            }
        }
        system.normalize().ok()?;
        Some(system)
    }

    /// What others may find if they act now, of the cells that these locks guard (`None`: no lock);
    /// `None` if no run comes here.
    pub(super) fn left_for_others(&self, locks: &[Option<CellId>]) -> Option<Shared> {
        if self.is_dead {
            return None;
        }
        let ever: Vec<Range> = self.contents.iter().map(|sum| self.range(sum)).collect();
        let mut groups = BTreeMap::new();
        for &lock in locks {
            let mut group = Group::default();
            let cells = (0..).zip(&self.contents);
            let cells = cells.filter(|(cell, _)| self.locks.guard_of(*cell) == lock);
            let named = cells.clone().map(|(cell, sum)| {
                group.ranges.insert(cell, ever[cell as usize]);
                (Variable::NextCell(cell), sum.clone())
            });
            group.system = self.between(named)?.map(|variable| match variable {
                Variable::NextCell(cell) => *cell,
                _ => unreachable!("all others are eliminated"),
            });
            group.system.normalize().ok()?;
            let named: Vec<_> = cells.map(|(cell, sum)| (cell, Node::Cell(cell), sum)).collect();
            group.inequalities = self.inequalities_between(&named, &group.ranges);
            groups.insert(lock, group);
        }
        Some(Shared { groups, ever })
    }

    /// The locks of which the thread holds none, and no lock.
    pub(super) fn free(&self) -> Vec<Option<CellId>> {
        let all = (0..).zip(&self.contents).map(|(cell, _)| self.locks.guard_of(cell));
        let all: BTreeSet<Option<CellId>> = all.chain([None]).collect();
        all.into_iter().filter(|l| l.is_none_or(|lock| !self.held.contains(&lock))).collect()
    }
}

/// The ranges of variables of a width.
pub(super) fn ranges_in<V: Ord>(
    ranges: &BTreeMap<V, Range>,
    width: u32,
) -> impl Fn(&V) -> Range + '_ {
    move |variable| ranges.get(variable).copied().unwrap_or_else(|| Range::all(width))
}

/// What an order reads, and by how much its first side is below the second.
fn inequality(op: CompareOp) -> Option<(Reading, i128)> {
    match op {
        CompareOp::UnsignedLt => Some((Reading::Unsigned, 1)),
        CompareOp::UnsignedLe => Some((Reading::Unsigned, 0)),
        CompareOp::SignedLt => Some((Reading::Signed, 1)),
        CompareOp::SignedLe => Some((Reading::Signed, 0)),
        CompareOp::Eq | CompareOp::Ne => None,
    }
}
