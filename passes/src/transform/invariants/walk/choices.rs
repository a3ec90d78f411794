//! Values that are one of two, by a condition: `x = c ? a : b`, as a compare-and-exchange writes.
//!
//! Where the condition has a known outcome the value is the one or the other. What others find is told for
//! each of the two, so that relations that both keep are known.

use sapa_ir::goto::{Op, Operand, ValueId};

use super::{Variable, Walk};
use crate::linear::Sum;

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
        if let Op::Select { condition: Operand::Value(condition), a, b } = *op {
            self.choices.push(Choice { value, condition, sides: [a, b] });
        }
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
            let known = self.operand(Operand::Value(choice.value));
            known.is_some_and(|known| known.value().is_none() && self.contents.contains(&known))
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
}
