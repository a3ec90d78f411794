//! Bounds of sums of machine integers, modulo 2^w.
//!
//! Of two counters that run freely and wrap, `head - tail` is the number that is between them. It has
//! bounds as any other value has, though neither counter has any, and no order of the counters says so.

use std::collections::{BTreeMap, BTreeSet};

use super::range::Range;
use super::walk::ranges_in;
use crate::linear::Sum;

/// More sums are not followed.
const MOST: usize = 48;

/// Bounds of sums of several variables. They are kept without constants, and of a sum and its opposite
/// for one of them; sums with constants beside, where what wraps would be lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bounds<V: Ord>(BTreeMap<Sum<V>, Range>);

impl<V: Ord> Default for Bounds<V> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

/// A range, moved and perhaps turned round.
fn moved(range: &Range, is_opposite: bool, by: u128) -> Range {
    let factor = if is_opposite { u128::MAX } else { 1 };
    Range::sum(range.width(), &[(*range, factor)], by)
}

/// The range of a sum by those of its variables.
fn by_variables<V: Ord>(sum: &Sum<V>, range: &impl Fn(&V) -> Range) -> Range {
    let terms: Vec<(Range, u128)> =
        sum.coefficients.iter().map(|(variable, &c)| (range(variable), c)).collect();
    Range::sum(sum.width, &terms, sum.constant)
}

impl<V: Ord + Clone> Bounds<V> {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Sum<V>, &Range)> {
        self.0.iter()
    }

    /// The variables that occur.
    pub(super) fn variables(&self) -> BTreeSet<V> {
        self.0.keys().flat_map(|sum| sum.coefficients.keys().cloned()).collect()
    }

    /// Keeps the sums of which at least one variable is wanted.
    pub(super) fn retain(&mut self, is_wanted: impl Fn(&V) -> bool) {
        self.0.retain(|sum, _| sum.coefficients.keys().any(&is_wanted));
    }

    /// Notes bounds of a sum.
    pub(super) fn add(&mut self, sum: &Sum<V>, range: Range) {
        let (base, is_opposite) = sum.up_to_sign();
        let by = if is_opposite { sum.constant } else { sum.constant.wrapping_neg() };
        self.insert(base, moved(&range, is_opposite, by));
        if sum.constant != 0 {
            self.insert(sum.clone(), range);
        }
    }

    fn insert(&mut self, sum: Sum<V>, range: Range) {
        let is_full = self.0.len() >= MOST;
        match self.0.get_mut(&sum) {
            // Where nothing is in both, no run comes here.
            Some(known) => *known = known.meet(&range).unwrap_or(*known),
            None if is_full || range.is_all() => {}
            None => drop(self.0.insert(sum, range)),
        }
    }

    /// Those that say more than the ranges of their variables. What they say need not be kept apart, but
    /// those ranges may be given up where these need not.
    pub(super) fn telling<'b>(
        &'b self,
        ranges: &'b BTreeMap<V, Range>,
    ) -> impl Iterator<Item = (&'b Sum<V>, &'b Range)> {
        self.0.iter().filter(move |(sum, known)| {
            let by_variables = by_variables(sum, &ranges_in(ranges, sum.width));
            sum.constant == 0 && by_variables.meet(known) != Some(by_variables)
        })
    }

    /// What is known of a sum: of itself, and of parts of it, given the ranges of variables.
    pub(super) fn of(&self, sum: &Sum<V>, range: &impl Fn(&V) -> Range) -> Vec<Range> {
        if self.0.is_empty() || sum.value().is_some() {
            return Vec::new();
        }
        let (base, is_opposite) = sum.up_to_sign();
        let mut found: Vec<Range> = self.0.get(sum).copied().into_iter().collect();
        let known = self.0.get(&base);
        found.extend(known.map(|range| moved(range, is_opposite, sum.constant)));
        // What is left of it beside one that is known.
        for (part, of_part) in &self.0 {
            let is_part = part.width == base.width
                && part.coefficients.len() < base.coefficients.len()
                && part.coefficients.iter().all(|(v, c)| base.of(v) == *c);
            if is_part {
                let mut rest = base.clone();
                rest.add(part, u128::MAX);
                let terms = [(*of_part, 1), (by_variables(&rest, range), 1)];
                let whole = Range::sum(base.width, &terms, 0);
                found.push(moved(&whole, is_opposite, sum.constant));
            }
        }
        found
    }

    /// What both say, with the ranges of their variables. Where bounds that grow are to be `widened`, they
    /// go on to the next of these thresholds, which are in ascending order.
    pub(super) fn join(
        (known, known_ranges): (&Self, &BTreeMap<V, Range>),
        (found, found_ranges): (&Self, &BTreeMap<V, Range>),
        widened: Option<&[i128]>,
    ) -> Self {
        let mut joined = Self::default();
        let new = found.0.keys().filter(|_| widened.is_none());
        for sum in known.0.keys().chain(new) {
            let of = |bounds: &Self, ranges: &BTreeMap<V, Range>| {
                let range = ranges_in(ranges, sum.width);
                let known = bounds.of(sum, &range);
                let by_variables = by_variables(sum, &range);
                known.iter().fold(by_variables, |range, known| range.meet(known).unwrap_or(range))
            };
            let (before, now) = (of(known, known_ranges), of(found, found_ranges));
            let both = match widened {
                Some(thresholds) => before.widen(&now, thresholds),
                None => before.join(&now),
            };
            joined.insert(sum.clone(), both);
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    use sapa_ir::goto::arithmetic::mask;

    use super::*;

    const WIDTH: u32 = 4;
    const VARIABLES: usize = 3;

    type Point = [u128; VARIABLES];

    fn value(sum: &Sum<usize>, point: &Point) -> u128 {
        let terms = sum.coefficients.iter().map(|(v, c)| point[*v].wrapping_mul(*c));
        terms.fold(sum.constant, u128::wrapping_add) & mask(WIDTH)
    }

    fn random_sum(rng: &mut SmallRng) -> Sum<usize> {
        let mut sum = Sum::constant(WIDTH, [0, 0, 1, 3, u128::MAX][rng.random_range(0..5)]);
        for variable in 0..VARIABLES {
            let factor: u128 = [0, 0, 1, 1, u128::MAX, 2][rng.random_range(0..6)];
            sum.add(&Sum::variable(WIDTH, variable), factor);
        }
        sum
    }

    fn around(values: impl Iterator<Item = u128>) -> Range {
        let all = values.map(|value| Range::constant(WIDTH, value));
        all.reduce(|a, b| a.join(&b)).expect("there are values")
    }

    /// Bounds of sums at all of these points, and the ranges of the variables.
    fn known(
        rng: &mut SmallRng,
        sums: &[Sum<usize>],
        points: &[Point],
    ) -> (Bounds<usize>, BTreeMap<usize, Range>) {
        let mut bounds = Bounds::default();
        for sum in sums {
            if rng.random_bool(0.8) {
                bounds.add(sum, around(points.iter().map(|point| value(sum, point))));
            }
        }
        let of = |variable: usize| (variable, around(points.iter().map(|point| point[variable])));
        let some = (0..VARIABLES).filter(|_| rng.random_bool(0.7)).map(of);
        (bounds, some.collect())
    }

    #[test]
    fn what_follows_holds_wherever_the_bounds_do() {
        let mut rng = SmallRng::seed_from_u64(11);
        let mut told = 0;
        for _ in 0..3000 {
            let sums: Vec<Sum<usize>> = (0..4).map(|_| random_sum(&mut rng)).collect();
            // Numbers that are near each other, so that their differences have bounds.
            let mut points = |first: u128| {
                let point = |_| [(); VARIABLES].map(|()| (first + rng.random_range(0..4)) & 15);
                (0..4).map(point).collect::<Vec<Point>>()
            };
            let (some, others) = (points(13), points(5));
            let (first, ranges) = known(&mut rng, &sums, &some);
            let (second, other_ranges) = known(&mut rng, &sums, &others);
            let widened = rng.random_bool(0.5).then_some(&[-4, 0, 5][..]);
            let joined = Bounds::join((&first, &ranges), (&second, &other_ranges), widened);
            let all: Vec<Point> = some.iter().chain(&others).copied().collect();
            let none = BTreeMap::new();
            for (bounds, ranges, points) in [(&first, &ranges, &some), (&joined, &none, &all)] {
                for sum in sums.iter().cloned().chain((0..4).map(|_| random_sum(&mut rng))) {
                    for range in bounds.of(&sum, &ranges_in(ranges, WIDTH)) {
                        told += usize::from(!range.is_all());
                        let is_in = |point: &Point| {
                            range.meet(&Range::constant(WIDTH, value(&sum, point))).is_some()
                        };
                        assert!(points.iter().all(is_in), "{bounds:?} {sum:?} {range:?}");
                    }
                }
            }
        }
        assert!(told > 1000, "only {told} bounds were told");
    }
}
