//! Values that are one of two, by a condition: `x = c ? a : b`, as a compare-and-exchange writes, and the number that a
//! condition is.
//!
//! Where the condition has a known outcome the value is the one or the other. What others find is told for
//! each of the two, so that relations that both keep are known.

use sapa_ir::goto::arithmetic::signed;
use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{CastOp, Op, Operand, ValueId};

use super::{Variable, Walk};
use crate::linear::Sum;
use crate::transform::invariants::cells::CellId;

/// What has more values is not told apart by them.
const MOST_VALUES: usize = 4;

/// A value that was selected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) value: ValueId,
    pub(super) condition: ValueId,
    /// The value if the condition holds, and if not.
    pub(super) sides: [Operand; 2],
}

impl Walk<'_> {
    /// Notes that an operation selects a value.
    pub(super) fn note_choice(&mut self, op: &Op, value: ValueId) {
        let function = self.body.function;
        let (condition, sides) = match *op {
            Op::Select { condition: Operand::Value(condition), a, b } => (condition, [a, b]),
            Op::Cast { op: CastOp::ZeroExtend, a: Operand::Value(condition) }
                if function.operand_type(Operand::Value(condition)) == BOOL =>
            {
                let bits = function.operand_bits(self.body.module, Operand::Value(value));
                (condition, [1, 0].map(|value| Operand::Int { bits, value }))
            }
            _ => return,
        };
        self.choices.push(Choice { value, condition, sides });
    }

    /// Notes what was selected by a condition, which is no other name of one, that has this outcome.
    pub(super) fn choose(&mut self, condition: ValueId, outcome: bool) {
        for Choice { value, condition: of_choice, sides: [a, b] } in self.choices.clone() {
            let (decides, holds) = self.stripped(of_choice, true);
            if decides != condition {
                continue;
            }
            let side = if holds == outcome { a } else { b };
            let (Some(known), Some(side)) =
                (self.operand(Operand::Value(value)), self.operand(side))
            else {
                continue;
            };
            let is_it = |content: &&mut Sum<Variable>| **content == known;
            self.contents.iter_mut().filter(is_it).for_each(|content| *content = side.clone());
            self.values.insert(value, side.clone());
            let mut difference = known;
            difference.add(&side, u128::MAX);
            self.equate(difference);
        }
    }

    /// The same for each outcome of the condition that decides what some cell holds, if one does.
    pub(in super::super) fn cases(&self) -> Vec<Self> {
        let is_open = |choice: &&Choice| {
            let Some(known) = self.operand(Operand::Value(choice.value)) else { return false };
            let is_in = |content: &Sum<Variable>| {
                let has = |variable| content.coefficients.contains_key(variable);
                *content == known || known.coefficients.keys().any(has)
            };
            known.value().is_none() && self.contents.iter().any(is_in)
        };
        let Some(choice) = self.choices.iter().rev().find(is_open) else {
            return vec![self.clone()];
        };
        let with = |outcome: bool| {
            let mut walk = self.clone();
            walk.hold(Operand::Value(choice.condition), outcome);
            walk
        };
        vec![with(true), with(false)]
    }

    /// The same for each outcome of conditions that decide what some cell holds, and, where it is not known by how much a
    /// write changed a cell of which `before` had few values, for each of these.
    pub(in super::super) fn cases_of_change(
        &self,
        cell: CellId,
        before: &Sum<Variable>,
    ) -> Vec<Self> {
        let by_value = |case: Self| match case.change_since(cell, before) {
            Some(_) => vec![case],
            None => case.by_value(before).unwrap_or_else(|| vec![case]),
        };
        self.cases().into_iter().flat_map(by_value).collect()
    }

    /// By how much a cell differs from what it contained, as a signed number, if that is known.
    pub(in super::super) fn change_since(
        &self,
        cell: CellId,
        before: &Sum<Variable>,
    ) -> Option<i128> {
        let mut change = self.content(cell).clone();
        change.add(before, u128::MAX);
        Some(signed(self.constant(&change)?, before.width))
    }

    /// The same for each value that a sum may have, if these are few.
    fn by_value(&self, sum: &Sum<Variable>) -> Option<Vec<Self>> {
        let [(low, high), _] = self.bounds_of(sum)?.bounds();
        let values = u128::try_from(low).ok()?..=u128::try_from(high).ok()?;
        let count = values.clone().take(MOST_VALUES + 1).count();
        let with = |value: u128| {
            let mut walk = self.clone();
            let mut zero = sum.clone();
            zero.add(&Sum::constant(sum.width, value), u128::MAX);
            walk.equate(zero);
            walk
        };
        (count <= MOST_VALUES).then(|| values.map(with).collect())
    }
}
