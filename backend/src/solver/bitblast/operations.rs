//! Products and divisions that are opaque at first.
//!
//! A multiplier or divider of 32 bits is a thousand adders, and what a query asks is seldom about each
//! of its bits: that `x % 10` is below 10 needs none of them. So the result of such an *operation* is
//! made of fresh bits, of which clauses say only what is cheap; an answer "unsatisfiable" holds with
//! them as with the real ones. Where a model's results are not those of its operands the operation is
//! *defined*, by all its adders, and the question is asked again.
//! (Bryant et al., "Deciding bit-vector arithmetic with abstraction", TACAS 2007; Niemetz, Preiner and
//! Zohar, "Scalable bit-blasting with abstractions", CAV 2024.)

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::{Blaster, Literal, Sink, TRUE, TermId, TermStore, constant};

/// What an operation computes, of numbers without sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// `a * b` modulo 2^width.
    Product,
    /// `a / b` and `a % b`; of a zero divisor all ones and the dividend.
    Division,
}

/// An operation on bits, least significant first, all of one width.
#[derive(Debug)]
pub(super) struct Operation {
    kind: Kind,
    a: Vec<Literal>,
    b: Vec<Literal>,
    /// The product or the quotient.
    first: Vec<Literal>,
    /// The remainder; of a product none.
    second: Vec<Literal>,
    /// Whether clauses define the results, so that every model has the right ones.
    is_defined: bool,
}

/// The number of an operation of a [`Blaster`].
pub type OperationId = usize;

/// Wider operations are defined at once: their results are not computed here.
const MOST_BITS: usize = 128;

/// Operations of so many adders or fewer are defined at once.
pub(super) const FEW_ADDERS: usize = 256;

impl Operation {
    /// Whether the results are those of the operands, of which a model gives the numbers.
    fn is_right(&self, number: &impl Fn(&[Literal]) -> u128) -> bool {
        let mask = u128::MAX >> (u128::BITS as usize - self.a.len().clamp(1, MOST_BITS));
        let (a, b) = (number(&self.a), number(&self.b));
        match self.kind {
            Kind::Product => number(&self.first) == a.wrapping_mul(b) & mask,
            Kind::Division => {
                let quotient = a.checked_div(b).unwrap_or(mask);
                let remainder = a.checked_rem(b).unwrap_or(a);
                (number(&self.first), number(&self.second)) == (quotient, remainder)
            }
        }
    }
}

impl Blaster {
    /// A product; opaque if it is large.
    pub(super) fn product(
        &mut self,
        a: &[Literal],
        b: &[Literal],
        sink: &mut Sink<'_>,
    ) -> Vec<Literal> {
        // There is an adder for each bit of the second that may be set.
        let rows = |bits: &[Literal]| bits.iter().filter(|bit| **bit != -TRUE).count();
        let (a, b) = if rows(a) < rows(b) { (b, a) } else { (a, b) };
        if a.len() > MOST_BITS || rows(b) * a.len() <= self.few_adders {
            return self.multiply(a, b, sink);
        }
        let id = self.operation(Kind::Product, a, b, sink);
        self.operations[id].first.clone()
    }

    /// Quotient and remainder; opaque if they are large.
    pub(super) fn division(
        &mut self,
        a: &[Literal],
        b: &[Literal],
        sink: &mut Sink<'_>,
    ) -> (Vec<Literal>, Vec<Literal>) {
        if a.len() > MOST_BITS || a.len() * a.len() <= self.few_adders {
            return self.divide(a, b, sink);
        }
        let id = self.operation(Kind::Division, a, b, sink);
        let operation = &self.operations[id];
        (operation.first.clone(), operation.second.clone())
    }

    /// The operation of two operands; made if there is none yet.
    fn operation(
        &mut self,
        kind: Kind,
        a: &[Literal],
        b: &[Literal],
        sink: &mut Sink<'_>,
    ) -> OperationId {
        let key = (kind, a.to_vec(), b.to_vec());
        if let Some(&id) = self.numbers.get(&key) {
            self.used.push(id);
            return id;
        }
        let width = a.len();
        let (first, second) = match kind {
            Kind::Product => (significant(a) + significant(b), 0),
            // A remainder is at most the dividend and, but for 0, below the divisor; a divisor of
            // which bit n is set takes n bits off the quotient.
            Kind::Division => match b.iter().rposition(|bit| *bit == TRUE) {
                Some(highest) => {
                    (significant(a).saturating_sub(highest), significant(a).min(significant(b)))
                }
                None => (width, significant(a)),
            },
        };
        let mut bits = |count: usize| -> Vec<Literal> {
            (0..width).map(|bit| if bit < count { self.fresh() } else { -TRUE }).collect()
        };
        let first = bits(first);
        let second = if kind == Kind::Division { bits(second) } else { Vec::new() };
        match kind {
            Kind::Product => self.facts_of_product(a, b, &first, sink),
            Kind::Division => self.facts_of_division(a, b, &first, &second, sink),
        }
        let id = self.operations.len();
        let (a, b) = (a.to_vec(), b.to_vec());
        self.operations.push(Operation { kind, a, b, first, second, is_defined: false });
        self.numbers.insert(key, id);
        self.used.push(id);
        id
    }

    /// What is cheap to say of a product: what 0 and 1 make of it, and whether it is odd.
    fn facts_of_product(
        &mut self,
        a: &[Literal],
        b: &[Literal],
        product: &[Literal],
        sink: &mut Sink<'_>,
    ) {
        if let (Some(&a), Some(&b), Some(&product)) = (a.first(), b.first(), product.first()) {
            let odd = self.and(a, b, sink);
            equate(TRUE, &[product], &[odd], sink);
        }
        let nothing = number_bits(0, a.len());
        for (x, y) in [(a, b), (b, a)] {
            let is_zero = self.equal(x, &nothing, sink);
            equate(is_zero, product, &nothing, sink);
            let is_one = self.equal(x, &number_bits(1, x.len()), sink);
            equate(is_one, product, y, sink);
        }
    }

    /// What is cheap to say of a division: how large its results may be, what small operands make of
    /// them, and whether the remainder is odd.
    fn facts_of_division(
        &mut self,
        a: &[Literal],
        b: &[Literal],
        quotient: &[Literal],
        remainder: &[Literal],
        sink: &mut Sink<'_>,
    ) {
        let width = a.len();
        let nothing = number_bits(0, width);
        let by_zero = self.equal(b, &nothing, sink);
        equate(by_zero, quotient, &vec![TRUE; width], sink);
        equate(by_zero, remainder, a, sink);
        let is_below = self.less(remainder, b, sink);
        sink(&[by_zero, is_below]);
        for (result, unless) in [(remainder, -TRUE), (quotient, by_zero)] {
            let is_above = self.less(a, result, sink);
            sink(&[unless, -is_above]);
        }
        let is_small = self.less(a, b, sink);
        equate(is_small, quotient, &nothing, sink);
        equate(is_small, remainder, a, sink);
        let some = quotient.iter().copied().chain([is_small]);
        sink(&some.collect::<Vec<_>>());
        let by_one = self.equal(b, &number_bits(1, width), sink);
        equate(by_one, quotient, a, sink);
        if let (Some(&a), Some(&b), Some(&quotient), Some(&remainder)) =
            (a.first(), b.first(), quotient.first(), remainder.first())
        {
            let odd = self.and(quotient, b, sink);
            let odd = self.xor(a, odd, sink);
            equate(TRUE, &[remainder], &[odd], sink);
        }
    }

    /// Whether there are operations, defined or not.
    pub fn has_operations(&self) -> bool {
        !self.operations.is_empty()
    }

    /// Adds the operations beneath a translated term to those that are found, but for those of terms
    /// that were seen before.
    pub fn operations_beneath(
        &self,
        store: &TermStore,
        term: TermId,
        seen: &mut FxHashSet<TermId>,
        found: &mut BTreeSet<OperationId>,
    ) {
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if seen.insert(term) {
                found.extend(self.uses.get(&term).into_iter().flatten());
                stack.extend(store.node(term).operands());
            }
        }
    }

    /// Whether an operation has the right results in every model, or has them in the one that gives
    /// these numbers.
    pub fn is_right(&self, id: OperationId, number: &impl Fn(&[Literal]) -> u128) -> bool {
        let operation = &self.operations[id];
        operation.is_defined || operation.is_right(number)
    }

    /// Defines an operation.
    pub fn define(&mut self, id: OperationId, sink: &mut Sink<'_>) {
        let Operation { kind, a, b, first, second, is_defined } = &self.operations[id];
        if *is_defined {
            return;
        }
        let [a, b, first, second] = [a, b, first, second].map(Clone::clone);
        match kind {
            Kind::Product => {
                let product = self.multiply(&a, &b, sink);
                equate(TRUE, &first, &product, sink);
            }
            Kind::Division => {
                let (quotient, remainder) = self.divide(&a, &b, sink);
                equate(TRUE, &first, &quotient, sink);
                equate(TRUE, &second, &remainder, sink);
            }
        }
        self.operations[id].is_defined = true;
    }
}

/// How many bits there are up to the highest that may be set.
fn significant(bits: &[Literal]) -> usize {
    bits.iter().rposition(|bit| *bit != -TRUE).map_or(0, |highest| highest + 1)
}

/// The bits of a small number.
fn number_bits(number: u32, width: usize) -> Vec<Literal> {
    (0..width).map(|bit| constant(bit < 32 && number >> bit & 1 == 1)).collect()
}

/// If a condition holds, bits are those of another number.
fn equate(condition: Literal, bits: &[Literal], others: &[Literal], sink: &mut Sink<'_>) {
    if condition == -TRUE {
        return;
    }
    for (&bit, &other) in bits.iter().zip(others) {
        sink(&[-condition, -bit, other]);
        sink(&[-condition, bit, -other]);
    }
}
