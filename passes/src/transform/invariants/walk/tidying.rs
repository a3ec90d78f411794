//! What nobody will ask for is forgotten, so that a block of any length is executed in time and room by what is alive.
//!
//! A value that is read no more stays only as far as equations and bounds say something of others by it. A variable
//! about which there are but equations is eliminated, by which nothing is lost: what the equations imply of the others
//! stays. One that has bounds of its own stays as long as there is room.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use sapa_ir::goto::{BlockId, Operand, ValueId};

use super::{Choice, MOST_ROWS, Variable, Walk};
use crate::linear::Sum;

/// How many equations, and how many values, there are when somebody looks again what is read no more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    rows: usize,
    values: usize,
}

impl Due {
    /// Where this many equations and values are needed: as many again, so that looking costs little.
    pub(super) fn after(rows: usize, values: usize) -> Self {
        Self { rows: (rows + 16).max(rows + rows / 2), values: 2 * values + 64 }
    }
}

impl Walk<'_> {
    /// Forgets what is not read by this instruction of the block or by any behind it, if much has come together.
    pub(super) fn tidy(&mut self, block: BlockId, index: usize) {
        if self.system.rows().len() < self.due.rows && self.values.len() < self.due.values {
            return;
        }
        let last_reads = &self.body.last_reads[block.index()];
        let is_read = |value: &ValueId| last_reads.get(value).is_some_and(|last| *last >= index);
        let mut needed: FxHashSet<ValueId> = self.values.keys().copied().filter(&is_read).collect();
        let choices = std::mem::take(&mut self.choices);
        let choices: Vec<Choice> =
            choices.into_iter().filter(|choice| self.may_be_chosen(choice, &is_read)).collect();
        for choice in &choices {
            needed.insert(choice.value);
            self.body.for_each_part(choice.condition, &mut |value| needed.insert(value));
            for side in choice.sides {
                if let Operand::Value(side) = side {
                    needed.insert(side);
                }
            }
        }
        self.choices = choices;
        self.values.retain(|value, _| needed.contains(value));

        // Values that were there at the start are read under their own names.
        let at_start = last_reads.keys().filter(|value| is_read(value)).chain(&needed);
        let at_start = at_start.map(|&value| Variable::Value(value));
        let sums = self.values.values().chain(&self.contents);
        let read: BTreeSet<Variable> =
            sums.flat_map(|sum| sum.coefficients.keys().copied()).chain(at_start).collect();
        let mut in_system = self.system.variables();
        let is_told = |variable: &Variable| read.contains(variable) || in_system.contains(variable);
        self.sums.retain(is_told);
        self.inequalities.retain(is_told);
        let mut related = self.sums.variables();
        related.extend(self.inequalities.variables());
        let is_bounded =
            |variable: &Variable| self.ranges.contains_key(variable) || related.contains(variable);
        let is_crowded = |rows: usize| rows >= MOST_ROWS / 4 * 3;
        let before = in_system.len();
        for may_be_bounded in [false, true] {
            if may_be_bounded && !is_crowded(self.system.rows().len()) {
                break;
            }
            in_system.retain(|variable| {
                let stays = read.contains(variable) || (is_bounded(variable) && !may_be_bounded);
                if !stays {
                    self.system.eliminate(variable);
                }
                stays
            });
        }
        if in_system.len() < before {
            self.normal.take();
        }
        self.ranges.retain(|variable, _| {
            read.contains(variable) || in_system.contains(variable) || related.contains(variable)
        });
        self.due = Due::after(self.system.rows().len(), self.values.len());
    }

    /// Whether a condition that is read may yet decide what was selected, and that matters.
    fn may_be_chosen(&self, choice: &Choice, is_read: &impl Fn(&ValueId) -> bool) -> bool {
        let Some(known) = self.operand(Operand::Value(choice.value)) else { return false };
        let (decides, _) = self.stripped(choice.condition, true);
        let is_in = |content: &Sum<Variable>| *content == known;
        known.value().is_none() && (is_read(&decides) || self.contents.iter().any(is_in))
    }
}
