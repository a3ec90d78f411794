//! What conditions say, and whether they hold.

use std::rc::Rc;

use sapa_ir::goto::arithmetic::compare;
use sapa_ir::goto::{BinaryOp, CompareOp, Op, Operand, UnaryOp, ValueId};

use super::super::inequalities::Reading;
use super::super::range::{Range, negated};
use super::{DEPTH, Variable, Walk, ranges_in};
use crate::linear::{Sum, System};

impl<'a> Walk<'a> {
    /// Whether a comparison has one outcome only.
    pub(super) fn decided(&self, comparison: ValueId) -> Option<bool> {
        let system = self.normal()?;
        let condition = Operand::Value(comparison);
        let entails = |outcome| self.entails_within(&system, condition, outcome, 0);
        entails(true).then_some(true).or_else(|| entails(false).then_some(false))
    }

    /// The condition that a condition is another name of, and its outcome: `(int)c != 0` as C has it,
    /// or a negation.
    pub(super) fn stripped(&self, condition: ValueId, outcome: bool) -> (ValueId, bool) {
        self.names_of(condition, outcome).last().unwrap_or((condition, outcome))
    }

    /// A condition with its outcome, and those that it is another name of, one of the other.
    fn names_of(
        &self,
        condition: ValueId,
        outcome: bool,
    ) -> impl Iterator<Item = (ValueId, bool)> + '_ {
        let next = |&(condition, outcome): &_| self.renamed(condition, outcome);
        std::iter::successors(Some((condition, outcome)), next).take(DEPTH)
    }

    /// What a condition is another name of.
    fn renamed(&self, condition: ValueId, outcome: bool) -> Option<(ValueId, bool)> {
        if let Some(name) = self.names.get(&condition) {
            return Some((*name, outcome));
        }
        match self.body.definitions.get(&condition)? {
            Op::Copy { a: Operand::Value(a) } => Some((*a, outcome)),
            Op::Unary { op: UnaryOp::Not, a: Operand::Value(a) } => Some((*a, !outcome)),
            Op::Compare {
                op: op @ (CompareOp::Eq | CompareOp::Ne),
                a: Operand::Value(widened),
                b: Operand::Int { value: 0, .. },
            } => {
                let inner = self.body.unwidened(*widened);
                let is_condition = self.body.width(inner) == Some(1) && inner != *widened;
                let chosen = || self.chosen(*op, *widened, 0, outcome);
                is_condition.then_some((inner, outcome != (*op == CompareOp::Eq))).or_else(chosen)
            }
            Op::Compare { op, a: Operand::Value(chosen), b: Operand::Int { value, .. } } => {
                self.chosen(*op, *chosen, *value, outcome)
            }
            _ => None,
        }
    }

    /// The condition that chose between two constants, if one of them compares like this with a third: what an exchange did is
    /// mostly told by an error number.
    fn chosen(
        &self,
        op: CompareOp,
        value: ValueId,
        with: u128,
        outcome: bool,
    ) -> Option<(ValueId, bool)> {
        let Op::Select {
            condition: Operand::Value(condition),
            a: Operand::Int { bits, value: a },
            b: Operand::Int { value: b, .. },
        } = *self.body.definitions.get(&value)?
        else {
            return None;
        };
        let [a, b] = [a, b].map(|side| compare(op, side, with, bits));
        (a != b).then_some((condition, a == outcome))
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
    pub(in super::super) fn hold(&mut self, condition: Operand, outcome: bool) {
        self.is_dead |= self.entails(condition, !outcome);
        if !self.is_dead {
            self.hold_within(condition, outcome, 0);
            self.hear();
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
        // A flag in a variable is known by what it is compared with on the way, and by what it was made of.
        let names: Vec<(ValueId, bool)> = self.names_of(value, outcome).collect();
        for &(name, outcome) in &names {
            self.hold_comparison(name, outcome);
        }
        let (value, outcome) = names.last().copied().unwrap_or((value, outcome));
        if self.body.width(value) == Some(1) {
            let mut known = self.value(value, 1);
            known.add(&Sum::constant(1, u128::from(outcome)), 1);
            self.equate(known);
        }
        self.choose(value, outcome);
        if let Some(parts) = self.parts(value, outcome) {
            parts.into_iter().for_each(|part| self.hold_within(part, outcome, depth + 1));
        }
    }

    /// Goes on where a comparison has this outcome.
    fn hold_comparison(&mut self, comparison: ValueId, outcome: bool) {
        let Some((op, a, b)) = self.compared(comparison, outcome) else { return };
        let both = self.bounds_of(&a).zip(self.bounds_of(&b));
        let Some((left, right)) = both.and_then(|(a, b)| Range::where_holds(op, &a, &b)) else {
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
        if op == CompareOp::Ne {
            self.differ(&a, &b);
        }
        // Who is not below what he is at most is as much.
        let mut apart = a.clone();
        apart.add(&b, u128::MAX);
        if apart.value().is_none()
            && self.bounds_of(&apart).and_then(|apart| apart.single()) == Some(0)
        {
            self.equate(apart);
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

    /// Notes that sums are not equal: how far they are apart is not zero, with all wrap-around.
    fn differ(&mut self, a: &Sum<Variable>, b: &Sum<Variable>) {
        let mut apart = a.clone();
        apart.add(b, u128::MAX);
        let zero = Range::constant(apart.width, 0);
        let known = self.bounds_of(&apart);
        match known.and_then(|known| Range::where_holds(CompareOp::Ne, &known, &zero)) {
            Some((left, _)) => self.narrow(&apart, left),
            None => self.is_dead = true,
        }
    }

    /// Notes the inequality that a comparison of sums is.
    fn relate(&mut self, op: CompareOp, a: &Sum<Variable>, b: &Sum<Variable>) {
        let (ranges, known) = (ranges_in(&self.ranges, a.width), &mut self.inequalities);
        if let Some((reading, apart)) = inequality(op) {
            known.add_below((a, b), reading, apart, &ranges);
        } else if op == CompareOp::Ne {
            for reading in Reading::BOTH {
                for sides in [(a, b), (b, a)] {
                    if known.is_below(sides, reading, 0, &ranges) {
                        known.add_below(sides, reading, 1, &ranges);
                    }
                }
            }
        }
    }

    /// Whether inequalities imply a comparison of sums, or of what equations say that these are.
    fn is_related_by(
        &self,
        system: &System<Variable>,
        op: CompareOp,
        a: &Sum<Variable>,
        b: &Sum<Variable>,
    ) -> bool {
        if self.inequalities.is_empty() {
            return false;
        }
        if op == CompareOp::Eq {
            let is_at_most =
                |op| self.is_related_by(system, op, a, b) && self.is_related_by(system, op, b, a);
            return is_at_most(CompareOp::UnsignedLe) || is_at_most(CompareOp::SignedLe);
        }
        let [of_a, of_b] = [a, b].map(|sum| names(system, sum));
        of_a.iter().any(|a| of_b.iter().any(|b| self.is_related(op, a, b)))
    }

    /// Whether inequalities imply a comparison.
    fn is_related(&self, op: CompareOp, a: &Sum<Variable>, b: &Sum<Variable>) -> bool {
        let (ranges, known) = (ranges_in(&self.ranges, a.width), &self.inequalities);
        if known.is_empty() {
            return false;
        }
        let mut readings = Reading::BOTH.into_iter();
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
    pub(in super::super) fn entails(&self, condition: Operand, outcome: bool) -> bool {
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
        // All of its names say the same, but what they were made of may be forgotten.
        let mut names = self.names_of(value, outcome);
        names.any(|(name, outcome)| self.entails_name(system, name, outcome, depth))
    }

    fn entails_name(
        &self,
        system: &System<Variable>,
        value: ValueId,
        outcome: bool,
        depth: usize,
    ) -> bool {
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
        let compared = self.compared(value, outcome);
        compared.is_some_and(|(op, a, b)| self.compares_by(system, op, a, b))
    }

    /// Whether sums compare so in all runs that come here.
    pub(in super::super) fn compares(
        &self,
        op: CompareOp,
        a: &Sum<Variable>,
        b: &Sum<Variable>,
    ) -> bool {
        let compares = |system: Rc<_>| self.compares_by(&system, op, a.clone(), b.clone());
        self.is_dead || self.normal().is_none_or(compares)
    }

    /// The same by equations, which are in normal form.
    fn compares_by(
        &self,
        system: &System<Variable>,
        op: CompareOp,
        a: Sum<Variable>,
        b: Sum<Variable>,
    ) -> bool {
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
        let bounds = |sum: &Sum<Variable>| self.bounds_by(system, sum);
        let (left, right) = (a, b);
        if self.is_related_by(system, op, &left, &right) {
            return true;
        }
        let (Some(a), Some(b)) = (bounds(&left), bounds(&right)) else { return true };
        // How far the greater is above the lesser, if that is known.
        let mut apart = right;
        apart.add(&left, u128::MAX);
        let Some(apart) = bounds(&apart) else { return true };
        let zero = Range::constant(apart.width(), 0);
        if op == CompareOp::Ne && apart.meet(&zero).is_none() || Range::is_above(op, &a, &apart) {
            return true;
        }
        let (other, swapped) = negated(op);
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        match other {
            CompareOp::Ne => a.single().is_some() && a.single() == b.single(),
            _ => Range::where_holds(other, &a, &b).is_none(),
        }
    }
}

/// A sum, and what equations, which are in normal form, say that it is, if both are about one variable.
fn names(system: &System<Variable>, sum: &Sum<Variable>) -> Vec<Sum<Variable>> {
    let mut found = vec![sum.clone()];
    let mut variables = sum.coefficients.keys();
    if let (Some(variable), None) = (variables.next(), variables.next()) {
        let rows = system.rows().iter().filter(|row| row.coefficients.len() == 2);
        found.extend(rows.filter_map(|row| sum.without(variable, row)));
    }
    found
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
