//! Contradictions between linear equations over bit-vectors, found by elimination.
//!
//! `a + b + c == 300` and `a + b + d == 300` make `c` and `d` equal: a line of arithmetic, but
//! thousands of conflicts for a SAT solver, which sees chains of carries that it must prove equal bit
//! by bit. Elimination works modulo 2^N as it does over a field, as long as a row has a variable with
//! an odd coefficient, since those have inverses; other rows are not used, so that a contradiction
//! may be missed, but none is invented. Whatever is not linear is a variable of its own.

use std::collections::BTreeSet;

use sapa_passes::linear::{Sum, inverse};

use super::semantics::truncate;
use super::term::{BinaryOp, Node, TermId, TermStore};

/// Equations with fewer variables are left to the SAT solver, which is fast on them.
const FEW_VARIABLES: usize = 3;

/// More conditions than this are not looked at.
const MOST_CONDITIONS: usize = 256;

/// Conditions, by their positions.
type Sources = BTreeSet<usize>;

/// A term as a sum; whatever is not linear is a variable.
fn sum_of(store: &TermStore, term: TermId) -> Sum<TermId> {
    let width = store.width(term);
    let mut sum = Sum::constant(width, 0);
    let mut pending = vec![(term, 1u128)];
    while let Some((term, factor)) = pending.pop() {
        match store.node(term) {
            Node::Const { value, .. } => sum.add(&Sum::constant(width, value), factor),
            Node::Binary(BinaryOp::Add, a, b) => {
                pending.extend([(a, factor), (b, factor)]);
            }
            Node::Neg(a) => pending.push((a, factor.wrapping_neg())),
            Node::Binary(BinaryOp::Mul, a, b) => {
                match (store.as_constant(a), store.as_constant(b)) {
                    (Some(value), _) => pending.push((b, factor.wrapping_mul(value))),
                    (_, Some(value)) => pending.push((a, factor.wrapping_mul(value))),
                    _ => sum.add(&Sum::variable(width, term), factor),
                }
            }
            _ => sum.add(&Sum::variable(width, term), factor),
        }
        // A sum that shares its parts may be exponentially long as a tree.
        if pending.len() + sum.coefficients.len() > MOST_CONDITIONS {
            return Sum::variable(width, term);
        }
    }
    sum
}

/// A sum with its summands in order, each once, so that equal sums are the same term; another term as it is.
pub(crate) fn normal_sum(store: &mut TermStore, term: TermId) -> TermId {
    let sum = sum_of(store, term);
    let width = sum.width;
    let half = 1u128 << (width - 1);
    let mut result = store.constant(width, sum.constant);
    for (&variable, &coefficient) in &sum.coefficients {
        let is_negative = coefficient > half;
        let size =
            if is_negative { truncate(coefficient.wrapping_neg(), width) } else { coefficient };
        let size = store.constant(width, size);
        let summand = store.mul(size, variable);
        result = if is_negative { store.sub(result, summand) } else { store.add(result, summand) };
    }
    result
}

/// By how much one bit-vector is above another of its width, modulo 2^N, where that is the same number in all states.
pub fn constant_difference(store: &TermStore, one: TermId, other: TermId) -> Option<u128> {
    let mut sum = sum_of(store, one);
    sum.add(&sum_of(store, other), 1u128.wrapping_neg());
    sum.coefficients.is_empty().then_some(sum.constant)
}

/// A comparison of two sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Different,
    Below,
    SignedBelow,
    NotBelow,
    NotSignedBelow,
}

impl Relation {
    fn holds(self, a: u128, b: u128, width: u32) -> bool {
        // Flipping the sign bit makes of the signed order the unsigned one.
        let signed = |value: u128| value ^ (1u128 << (width - 1));
        match self {
            Self::Different => a != b,
            Self::Below => a < b,
            Self::SignedBelow => signed(a) < signed(b),
            Self::NotBelow => a >= b,
            Self::NotSignedBelow => signed(a) >= signed(b),
        }
    }
}

/// A row of the elimination: a sum that is zero, and the conditions from which that follows.
#[derive(Clone, Debug)]
struct Row {
    sum: Sum<TermId>,
    sources: Sources,
}

/// Rows, each with the variable that it stands for.
#[derive(Default)]
struct Rows {
    rows: Vec<(TermId, Row)>,
}

impl Rows {
    /// Replaces variables that rows stand for.
    fn reduce(&self, row: &mut Row) {
        for (variable, known) in &self.rows {
            if known.sum.width == row.sum.width
                && let Some(&coefficient) = row.sum.coefficients.get(variable)
            {
                // The row's own coefficient of its variable is 1.
                row.sum.add(&known.sum, coefficient.wrapping_neg());
                row.sources.extend(&known.sources);
            }
        }
    }

    /// Adds an equation; the conditions that contradict each other, if it makes some do.
    fn add(&mut self, mut row: Row) -> Option<Sources> {
        self.reduce(&mut row);
        if let Some(value) = row.sum.value() {
            return Some(row.sources).filter(|_| value != 0);
        }
        let odd = row.sum.coefficients.iter().find(|(_, coefficient)| **coefficient & 1 == 1);
        let Some((&variable, &coefficient)) = odd else {
            // An even sum is never odd.
            return Some(row.sources).filter(|_| row.sum.constant & 1 == 1);
        };
        let mut normal = Sum::constant(row.sum.width, 0);
        normal.add(&row.sum, inverse(coefficient));
        let row = Row { sum: normal, sources: row.sources };
        for (_, other) in &mut self.rows {
            if other.sum.width == row.sum.width
                && let Some(&coefficient) = other.sum.coefficients.get(&variable)
            {
                other.sum.add(&row.sum, coefficient.wrapping_neg());
                other.sources.extend(&row.sources);
            }
        }
        self.rows.push((variable, row));
        None
    }
}

/// Whether some equation in a term has several variables, or none as they cancel each other out, so
/// that [`contradiction`] may help.
#[must_use]
pub(super) fn has_sums(store: &TermStore, term: TermId) -> bool {
    store.atoms(term).into_iter().any(|atom| match store.node(atom) {
        Node::Eq(a, b) => {
            let mut sum = sum_of(store, a);
            sum.add(&sum_of(store, b), u128::MAX);
            sum.coefficients.len() >= FEW_VARIABLES || sum.value().is_some()
        }
        _ => false,
    })
}

/// Positions of conditions that contradict each other, where linear equations among them show it;
/// `None` says nothing.
#[must_use]
pub fn contradiction(store: &TermStore, conditions: &[TermId]) -> Option<Vec<usize>> {
    let mut equations: Vec<Row> = Vec::new();
    let mut comparisons: Vec<(Relation, Sum<TermId>, Sum<TermId>, usize)> = Vec::new();
    let mut pending: Vec<(TermId, usize)> =
        conditions.iter().copied().enumerate().map(|(at, term)| (term, at)).collect();
    let mut looked_at = 0;
    while let Some((term, source)) = pending.pop() {
        looked_at += 1;
        if looked_at > MOST_CONDITIONS {
            return None;
        }
        let sums = |a, b| (sum_of(store, a), sum_of(store, b));
        let mut compare = |relation, a, b| {
            let (a, b) = sums(a, b);
            comparisons.push((relation, a, b, source));
        };
        match store.node(term) {
            Node::And(a, b) => pending.extend([(a, source), (b, source)]),
            Node::Eq(a, b) => {
                let (mut sum, b) = sums(a, b);
                sum.add(&b, u128::MAX);
                equations.push(Row { sum, sources: Sources::from([source]) });
            }
            Node::Ult(a, b) => compare(Relation::Below, a, b),
            Node::Slt(a, b) => compare(Relation::SignedBelow, a, b),
            Node::Not(inner) => match store.node(inner) {
                Node::Eq(a, b) => compare(Relation::Different, a, b),
                Node::Ult(a, b) => compare(Relation::NotBelow, a, b),
                Node::Slt(a, b) => compare(Relation::NotSignedBelow, a, b),
                _ => {}
            },
            _ => {}
        }
    }
    // Those that fix most come first, so that contradictions need few conditions.
    equations.sort_by_key(|row| (row.sum.coefficients.len(), row.sources.first().copied()));
    let mut rows = Rows::default();
    for row in equations {
        if let Some(sources) = rows.add(row) {
            return Some(sources.into_iter().collect());
        }
    }
    for (relation, a, b, source) in comparisons {
        let width = a.width;
        let mut sources = Sources::from([source]);
        let sums = if relation == Relation::Different {
            let mut difference = a;
            difference.add(&b, u128::MAX);
            [difference, Sum::constant(width, 0)]
        } else {
            [a, b]
        };
        let [a, b] = sums.map(|sum| {
            let mut row = Row { sum, sources: Sources::new() };
            rows.reduce(&mut row);
            sources.extend(row.sources);
            row.sum
        });
        let contradicts = match (a.value(), b.value()) {
            (Some(a), Some(b)) => !relation.holds(a, b, width),
            _ => a == b && !relation.holds(0, 0, width),
        };
        if contradicts {
            return Some(sources.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    use super::*;
    use crate::solver::{Outcome, Solver, Sort};

    /// Three accounts: what is moved from one to the other leaves the sum as it was.
    #[test]
    fn sums_of_several_variables() {
        let mut store = TermStore::default();
        let [a, b, c, x] = ["a", "b", "c", "x"].map(|name| store.variable(name, Sort::Bv(32)));
        let total = store.constant(32, 300);
        let (ab, bx) = (store.add(a, b), store.add(x, b));
        let (abc, xbc) = (store.add(ab, c), store.add(bx, c));
        let conditions = [(abc, total), (xbc, total)].map(|(sum, n)| store.eq(sum, n));
        let same = store.eq(a, x);
        let different = store.not(same);
        let unrelated = store.ult(b, c);
        let all = [unrelated, conditions[0], different, conditions[1]];
        assert_eq!(contradiction(&store, &all), Some(vec![1, 2, 3]));
        assert_eq!(contradiction(&store, &[conditions[0], conditions[1], same]), None);
        // What is moved from `a` to `b` cancels out.
        let (taken, added) = (store.sub(a, x), store.add(b, x));
        let moved = store.add(taken, added);
        let (moved, before) = (store.add(moved, c), store.add(c, b));
        let before = store.add(a, before);
        let kept = store.eq(moved, before);
        if store.as_boolean(kept).is_none() {
            let lost = store.not(kept);
            assert!(has_sums(&store, lost));
            assert_eq!(contradiction(&store, &[unrelated, lost]), Some(vec![1]));
        }
        let less = store.constant(32, 290);
        let below = store.ult(abc, less);
        assert_eq!(contradiction(&store, &[below, conditions[0]]), Some(vec![0, 1]));
    }

    /// What it says contradicts itself does so for the SAT solver, with the conditions it names.
    #[test]
    fn contradictions_are_ones() {
        const WIDTH: u32 = 4;
        let mut random = SmallRng::seed_from_u64(11);
        let mut store = TermStore::default();
        let variables = ["a", "b", "c", "d"].map(|name| store.variable(name, Sort::Bv(WIDTH)));
        let (mut found, mut missed) = (0, 0);
        for case in 0..2000 {
            let mut conditions = Vec::new();
            for _ in 0..random.random_range(2..6) {
                let mut sides = [0, 1].map(|_| {
                    let value = random.random_range(0..16);
                    let mut sum = store.constant(WIDTH, value);
                    for variable in variables {
                        let factor = store.constant(WIDTH, random.random_range(0..4));
                        let term = store.mul(factor, variable);
                        sum = store.add(sum, term);
                    }
                    sum
                });
                if random.random_bool(0.5) {
                    sides[1] = store.constant(WIDTH, random.random_range(0..16));
                }
                let [a, b] = sides;
                let condition = match random.random_range(0..5) {
                    0..3 => store.eq(a, b),
                    3 => store.ult(a, b),
                    _ => store.slt(a, b),
                };
                let negated = random.random_bool(0.3);
                conditions.push(if negated { store.not(condition) } else { condition });
            }
            let mut solver = Solver::default();
            let whole = solver.check(&store, &conditions);
            match contradiction(&store, &conditions) {
                Some(core) => {
                    let core: Vec<TermId> = core.iter().map(|&at| conditions[at]).collect();
                    assert_eq!(solver.check(&store, &core), Outcome::Unsat, "case {case}");
                    found += 1;
                }
                None => missed += usize::from(whole == Outcome::Unsat),
            }
        }
        assert!(found > 50 && found > missed / 2, "{found} found, {missed} missed");
    }
}
