//! Inequalities between integers: zones, and what follows from two or three of them.
//!
//! A form such as `y - x` is over *integers*, the numbers that bits are read as, signed or unsigned, and
//! has no wrap-around: that `y - x` is at least 0 is what `x <= y` says for all bits. A sum of machine
//! integers is one of integers where it cannot leave its width; of others nothing is said.
//!
//! Differences of two are the zones of Miné, "The octagon abstract domain" (HOSC 2006), without a
//! closure: what is asked for is derived then, from few facts and the bounds of single variables. Forms
//! of more variables come from conditions such as `low + n <= high`.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::arithmetic::signed;

use super::range::{MAX_WIDTH, Range};
use super::walk::ranges_in;
use crate::linear::Sum;

/// What bits are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reading {
    Unsigned,
    Signed,
}

impl Reading {
    /// Both, in the order in which bounds are given.
    pub(super) const BOTH: [Self; 2] = [Self::Unsigned, Self::Signed];

    /// The bounds of a range.
    fn of(self, range: &Range) -> (i128, i128) {
        let [unsigned, signed] = range.bounds();
        match self {
            Self::Unsigned => unsigned,
            Self::Signed => signed,
        }
    }
}

/// A sum of integers, each times a coefficient that is not 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Form<V: Ord> {
    width: u32,
    reading: Reading,
    coefficients: BTreeMap<V, i128>,
}

/// Larger coefficients are not followed, so that all bounds are machine integers.
const MOST_COEFFICIENT: u128 = 1 << 20;

/// More inequalities are not noted.
const MOST: usize = 64;

/// How many facts are added up.
const DEPTH: usize = 2;

impl<V: Ord + Clone> Form<V> {
    /// `b - a`.
    pub(super) fn difference(width: u32, reading: Reading, a: V, b: V) -> Self {
        Self { width, reading, coefficients: BTreeMap::from([(a, -1), (b, 1)]) }
    }

    /// A variable as a form beside another one, and the constant 0.
    pub(super) fn variable<W: Ord>(beside: &Form<W>, variable: V) -> (Self, i128) {
        let Form { width, reading, .. } = *beside;
        (Self { width, reading, coefficients: BTreeMap::from([(variable, 1)]) }, 0)
    }

    /// What a sum is without wrap-around, and its constant; `None` if its coefficients are large.
    fn new(sum: &Sum<V>, reading: Reading) -> Option<(Self, i128)> {
        let width = sum.width;
        if width > MAX_WIDTH {
            return None;
        }
        let number = |value: u128| signed(value, u16::try_from(width).expect("it is at most 64"));
        let mut coefficients = BTreeMap::new();
        for (variable, &coefficient) in &sum.coefficients {
            let number = number(coefficient);
            if number.unsigned_abs() > MOST_COEFFICIENT {
                return None;
            }
            coefficients.insert(variable.clone(), number);
        }
        Some((Self { width, reading, coefficients }, number(sum.constant)))
    }

    fn plus(&self, other: &Self, factor: i128) -> Self {
        let mut sum = self.clone();
        for (variable, &coefficient) in &other.coefficients {
            let entry = sum.coefficients.entry(variable.clone()).or_insert(0);
            *entry += coefficient * factor;
            if *entry == 0 {
                sum.coefficients.remove(variable);
            }
        }
        sum
    }

    /// The form with each variable replaced by a sum without wrap-around, and the constant of that.
    pub(super) fn substituted<W: Ord + Clone>(
        &self,
        mut by: impl FnMut(&V) -> Option<(Form<W>, i128)>,
    ) -> Option<(Form<W>, i128)> {
        let Self { width, reading, .. } = *self;
        let none = Form { width, reading, coefficients: BTreeMap::new() };
        self.coefficients.iter().try_fold((none, 0i128), |(sum, constant), (variable, &factor)| {
            let (form, more) = by(variable)?;
            Some((sum.plus(&form, factor), constant.checked_add(more.checked_mul(factor)?)?))
        })
    }

    /// The variables that occur.
    pub(super) fn variables(&self) -> impl Iterator<Item = &V> {
        self.coefficients.keys()
    }

    pub(super) fn width(&self) -> u32 {
        self.width
    }

    pub(super) fn reading(&self) -> Reading {
        self.reading
    }

    /// The variables `a` and `b` of a difference `b - a`.
    pub(super) fn sides(&self) -> Option<(&V, &V)> {
        let mut terms = self.coefficients.iter();
        match (terms.next()?, terms.next()?, terms.next()) {
            ((a, -1), (b, 1), None) | ((b, 1), (a, -1), None) => Some((a, b)),
            _ => None,
        }
    }
}

/// Forms and what they are at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inequalities<V: Ord> {
    least: BTreeMap<Form<V>, i128>,
}

impl<V: Ord> Default for Inequalities<V> {
    fn default() -> Self {
        Self { least: BTreeMap::new() }
    }
}

impl<V: Ord + Clone> Inequalities<V> {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Form<V>, i128)> {
        self.least.iter().map(|(form, &least)| (form, least))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.least.is_empty()
    }

    /// The variables that occur.
    pub(super) fn variables(&self) -> BTreeSet<V> {
        self.least.keys().flat_map(|form| form.variables().cloned()).collect()
    }

    /// Keeps what is known of forms of which at least one variable is wanted.
    pub(super) fn retain(&mut self, is_wanted: impl Fn(&V) -> bool) {
        self.least.retain(|form, _| form.coefficients.keys().any(&is_wanted));
    }

    /// Notes that a form is at least a number.
    pub(super) fn add(&mut self, form: Form<V>, least: i128) {
        if form.coefficients.is_empty() {
            return;
        }
        let is_full = self.least.len() >= MOST;
        match self.least.get_mut(&form) {
            Some(known) => *known = least.max(*known),
            None if is_full => {}
            None => drop(self.least.insert(form, least)),
        }
    }

    /// Notes what is known of one variable in a reading, which is at least some sum, of another that is not less.
    pub(super) fn add_as(&mut self, known: &V, greater: &V, reading: Reading) {
        let renamed = self.least.iter().filter_map(|(form, &least)| {
            let is_it =
                form.reading == reading && form.coefficients.get(known).is_some_and(|c| *c > 0);
            let mut form = form.clone();
            let factor = form.coefficients.remove(known).filter(|_| is_it)?;
            (!form.coefficients.contains_key(greater)).then(|| {
                form.coefficients.insert(greater.clone(), factor);
                (form, least)
            })
        });
        let renamed: Vec<_> = renamed.collect();
        renamed.into_iter().for_each(|(form, least)| self.add(form, least));
    }

    /// Forgets what is known of a variable.
    pub(super) fn forget(&mut self, variable: &V) {
        self.least.retain(|form, _| !form.coefficients.contains_key(variable));
    }

    /// What a form is at least, by the facts and the bounds of variables: a number that is small
    /// enough where nothing is known.
    pub(super) fn least(&self, form: &Form<V>, range: &impl Fn(&V) -> Range) -> i128 {
        self.least_within(form, range, DEPTH)
    }

    fn least_within(&self, form: &Form<V>, range: &impl Fn(&V) -> Range, facts: usize) -> i128 {
        let by_bounds = by_bounds(form, range);
        let Some(facts) = facts.checked_sub(1) else { return by_bounds };
        let helps = |fact: &Form<V>| {
            let is_like = |(variable, coefficient): (&V, &i128)| {
                form.coefficients.get(variable).is_some_and(|c| c.signum() == coefficient.signum())
            };
            (fact.width, fact.reading) == (form.width, form.reading)
                && fact.coefficients.iter().any(is_like)
        };
        let by = self.least.iter().filter(|(fact, _)| helps(fact)).map(|(fact, least)| {
            // What is left has no more variables than the form, or it is not looked at further.
            let rest = form.plus(fact, -1);
            let is_simpler = rest.coefficients.len() <= form.coefficients.len();
            let facts = if is_simpler { facts } else { 0 };
            least.saturating_add(self.least_within(&rest, range, facts))
        });
        by.fold(by_bounds, i128::max)
    }

    /// The form and the constant of a sum that does not wrap.
    pub(super) fn exact(
        &self,
        sum: &Sum<V>,
        reading: Reading,
        range: &impl Fn(&V) -> Range,
    ) -> Option<(Form<V>, i128)> {
        let (form, constant) = Form::new(sum, reading)?;
        let (low, high) = self.bounds(&form, range);
        let (all_low, all_high) = reading.of(&Range::all(sum.width));
        // A constant is one of the numbers that its bits may be read as.
        let mut constants = [constant, constant + (1 << sum.width)].into_iter();
        let fits = |c: &i128| {
            let ends = low.checked_add(*c).zip(high.checked_add(*c));
            ends.is_some_and(|(low, high)| low >= all_low && high <= all_high)
        };
        Some((form, constants.find(fits)?))
    }

    /// What a form is at least and at most.
    fn bounds(&self, form: &Form<V>, range: &impl Fn(&V) -> Range) -> (i128, i128) {
        (self.least(form, range), -self.least(&negative(form), range))
    }

    /// The bounds of a sum, of each reading in which it does not wrap.
    pub(super) fn range(&self, sum: &Sum<V>, range: &impl Fn(&V) -> Range) -> Range {
        let width = sum.width;
        let [mut unsigned, mut signed] = Range::all(width).bounds();
        for (reading, bounds) in
            [(Reading::Unsigned, &mut unsigned), (Reading::Signed, &mut signed)]
        {
            if let Some((form, constant)) = self.exact(sum, reading, range) {
                let (low, high) = self.bounds(&form, range);
                *bounds = (low + constant, high + constant);
            }
        }
        Range::new(width, unsigned, signed).unwrap_or_else(|| Range::all(width))
    }

    /// Whether the first of two sums that do not wrap is below the second by a number at least.
    pub(super) fn is_below(
        &self,
        (a, b): (&Sum<V>, &Sum<V>),
        reading: Reading,
        apart: i128,
        range: &impl Fn(&V) -> Range,
    ) -> bool {
        self.apart(a, b, reading, range)
            .is_some_and(|(form, constant)| self.least(&form, range) + constant >= apart)
    }

    /// Notes that the first of two sums is below the second by a number at least, if both do not wrap.
    pub(super) fn add_below(
        &mut self,
        (a, b): (&Sum<V>, &Sum<V>),
        reading: Reading,
        apart: i128,
        range: &impl Fn(&V) -> Range,
    ) {
        if let Some((form, constant)) = self.apart(a, b, reading, range) {
            self.add(form, apart - constant);
        }
    }

    /// How far the second of two sums that do not wrap is above the first.
    fn apart(
        &self,
        a: &Sum<V>,
        b: &Sum<V>,
        reading: Reading,
        range: &impl Fn(&V) -> Range,
    ) -> Option<(Form<V>, i128)> {
        let (a, least) = self.exact(a, reading, range)?;
        let (b, most) = self.exact(b, reading, range)?;
        Some((b.plus(&a, -1), most - least))
    }

    /// What two sets both say. Where bounds that fall are to be `widened`, only what the first says, down
    /// to the next of these thresholds, which are in ascending order.
    pub(super) fn join(
        (known, known_ranges): (&Self, &BTreeMap<V, Range>),
        (found, found_ranges): (&Self, &BTreeMap<V, Range>),
        widened: Option<&[i128]>,
    ) -> Self {
        let mut joined = Self::default();
        let new = found.least.keys().filter(|_| widened.is_none());
        for form in known.least.keys().chain(new) {
            let known_range = ranges_in(known_ranges, form.width);
            let found_range = ranges_in(found_ranges, form.width);
            let before = known.least(form, &known_range);
            let now = before.min(found.least(form, &found_range));
            let least = match widened {
                Some(thresholds) if now < before => {
                    let Some(next) = thresholds.iter().rev().find(|t| **t <= now) else { continue };
                    *next
                }
                _ => now,
            };
            if least > by_bounds(form, &|v| known_range(v).join(&found_range(v))) {
                joined.add(form.clone(), least);
            }
        }
        joined
    }
}

fn negative<V: Ord + Clone>(form: &Form<V>) -> Form<V> {
    let coefficients = form.coefficients.iter().map(|(v, c)| (v.clone(), -c)).collect();
    Form { coefficients, ..*form }
}

/// What a form is at least by the bounds of its variables.
pub(super) fn by_bounds<V: Ord>(form: &Form<V>, range: &impl Fn(&V) -> Range) -> i128 {
    let least = |(variable, &coefficient): (&V, &i128)| {
        let (low, high) = form.reading.of(&range(variable));
        if coefficient > 0 { low * coefficient } else { high * coefficient }
    };
    form.coefficients.iter().map(least).fold(0i128, i128::saturating_add)
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

    fn random_sum(rng: &mut SmallRng) -> Sum<usize> {
        let mut sum = Sum::constant(WIDTH, [0, 0, 1, 3, u128::MAX][rng.random_range(0..5)]);
        for variable in 0..VARIABLES {
            let factor: u128 = [0, 0, 0, 1, 1, u128::MAX, 2][rng.random_range(0..7)];
            sum.add(&Sum::variable(WIDTH, variable), factor);
        }
        sum
    }

    fn value(sum: &Sum<usize>, point: &Point) -> u128 {
        let terms = sum.coefficients.iter().map(|(v, c)| point[*v].wrapping_mul(*c));
        terms.fold(sum.constant, u128::wrapping_add) & mask(WIDTH)
    }

    fn read(reading: Reading, value: u128) -> i128 {
        match reading {
            Reading::Unsigned => value as i128,
            Reading::Signed => signed(value, WIDTH as u16),
        }
    }

    /// Facts that hold at all of these points, and the ranges of the variables.
    fn facts(
        rng: &mut SmallRng,
        points: &[Point],
    ) -> (Inequalities<usize>, BTreeMap<usize, Range>) {
        let mut ranges = BTreeMap::new();
        for variable in 0..VARIABLES {
            let values = points.iter().map(|point| Range::constant(WIDTH, point[variable]));
            let range = values.reduce(|a, b| a.join(&b)).expect("there are points");
            ranges.insert(variable, range);
        }
        let mut known = Inequalities::default();
        for _ in 0..12 {
            let reading = [Reading::Unsigned, Reading::Signed][rng.random_range(0..2)];
            let (a, b) = (random_sum(rng), random_sum(rng));
            let apart = |p: &Point| read(reading, value(&b, p)) - read(reading, value(&a, p));
            let least = points.iter().map(apart).min().expect("there are points");
            known.add_below((&a, &b), reading, least, &ranges_in(&ranges, WIDTH));
        }
        (known, ranges)
    }

    #[test]
    fn what_follows_holds_wherever_the_facts_do() {
        let mut rng = SmallRng::seed_from_u64(3);
        let mut followed = 0;
        for _ in 0..2000 {
            // Numbers around one at which one of the readings wraps, or none does.
            let first = [0, 3, 6, 13][rng.random_range(0..4)];
            let mut point =
                || [(); VARIABLES].map(|()| (first + rng.random_range(0..5)) & mask(WIDTH));
            let some: Vec<Point> = (0..4).map(|_| point()).collect();
            let others: Vec<Point> = (0..4).map(|_| point()).collect();
            let (known, ranges) = facts(&mut rng, &some);
            let (found, other_ranges) = facts(&mut rng, &others);
            let widened = rng.random_bool(0.5).then_some(&[-9, -1, 0][..]);
            let joined = Inequalities::join((&known, &ranges), (&found, &other_ranges), widened);
            let both: BTreeMap<usize, Range> =
                ranges.iter().map(|(v, range)| (*v, range.join(&other_ranges[v]))).collect();
            let all: Vec<Point> = some.iter().chain(&others).copied().collect();
            for (known, ranges, points) in [(&known, &ranges, &some), (&joined, &both, &all)] {
                let range = ranges_in(ranges, WIDTH);
                for reading in [Reading::Unsigned, Reading::Signed] {
                    let (a, b) = (random_sum(&mut rng), random_sum(&mut rng));
                    let bounds = known.range(&a, &range);
                    let is_below = known.is_below((&a, &b), reading, 0, &range);
                    followed += usize::from(is_below);
                    for point in points {
                        let [a, b] = [&a, &b].map(|sum| value(sum, point));
                        assert!(bounds.meet(&Range::constant(WIDTH, a)).is_some());
                        assert!(!is_below || read(reading, a) <= read(reading, b));
                    }
                }
            }
        }
        assert!(followed > 200, "{followed} follow");
    }
}
