//! Linear algebra modulo 2^w: sums of variables, and what systems of equations between them imply.
//!
//! Machine integers are no field: only odd numbers have inverses. Elimination still works row by row
//! if the pivot of a column is a coefficient that is divisible by the fewest powers of two: all
//! others are multiples of it. What the pivot's row says beyond that column is kept as its multiple
//! in which the column vanishes (Müller-Olm and Seidl, "Analysis of modular arithmetic", TOPLAS
//! 2007, which has the dual: generators). `2^31 * x == 0` over 32 bits says that `x` is even, so
//! that congruences modulo powers of two are equations too.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::arithmetic::mask;

/// The inverse of an odd number modulo 2^128, by Newton's iteration: each step doubles the bits that
/// are right, and an odd number is its own inverse modulo 8.
#[must_use]
pub fn inverse(odd: u128) -> u128 {
    (0..6).fold(odd, |x, _| x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x))))
}

/// A sum of variables with coefficients, and a constant, modulo 2^width.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sum<V: Ord> {
    /// The width in bits, 1 to 128.
    pub width: u32,
    /// Coefficients, none of them zero.
    pub coefficients: BTreeMap<V, u128>,
    /// The constant.
    pub constant: u128,
}

impl<V: Ord + Clone> Sum<V> {
    /// A number.
    #[must_use]
    pub fn constant(width: u32, value: u128) -> Self {
        Self { width, coefficients: BTreeMap::new(), constant: value & mask(width) }
    }

    /// A variable.
    #[must_use]
    pub fn variable(width: u32, variable: V) -> Self {
        Self { width, coefficients: BTreeMap::from([(variable, 1)]), constant: 0 }
    }

    /// Adds a multiple of another sum of the same width.
    pub fn add(&mut self, other: &Self, factor: u128) {
        let times = |value: u128| value.wrapping_mul(factor);
        let mask = mask(self.width);
        self.constant = self.constant.wrapping_add(times(other.constant)) & mask;
        for (variable, &coefficient) in &other.coefficients {
            let more = times(coefficient) & mask;
            match self.coefficients.get_mut(variable) {
                Some(entry) => {
                    *entry = entry.wrapping_add(more) & mask;
                    if *entry == 0 {
                        self.coefficients.remove(variable);
                    }
                }
                None if more != 0 => drop(self.coefficients.insert(variable.clone(), more)),
                None => {}
            }
        }
    }

    /// A multiple.
    #[must_use]
    pub fn times(&self, factor: u128) -> Self {
        let mut product = Self::constant(self.width, 0);
        product.add(self, factor);
        product
    }

    /// The value, if it has but one.
    #[must_use]
    pub fn value(&self) -> Option<u128> {
        self.coefficients.is_empty().then_some(self.constant)
    }

    /// The variable that it is, if it is one.
    #[must_use]
    pub fn single(&self) -> Option<&V> {
        let (variable, &coefficient) = self.coefficients.first_key_value()?;
        (self.coefficients.len() == 1 && coefficient == 1 && self.constant == 0).then_some(variable)
    }

    /// The sum without its constant, or the opposite of that, whichever has the smaller first
    /// coefficient, and whether it is the opposite.
    #[must_use]
    pub fn up_to_sign(&self) -> (Self, bool) {
        let sum = Self { constant: 0, ..self.clone() };
        let opposite = sum.times(u128::MAX);
        let first = |sum: &Self| sum.coefficients.first_key_value().map(|(_, &c)| c);
        if first(&opposite) < first(&sum) { (opposite, true) } else { (sum, false) }
    }

    /// The coefficient of a variable.
    #[must_use]
    pub fn of(&self, variable: &V) -> u128 {
        self.coefficients.get(variable).copied().unwrap_or(0)
    }

    /// The same without a variable, by an equation that says what it is by others; `None` if this one does not.
    #[must_use]
    pub fn without(&self, variable: &V, zero: &Self) -> Option<Self> {
        let coefficient = zero.of(variable);
        (zero.width == self.width && coefficient & 1 == 1).then(|| {
            let factor = self.of(variable).wrapping_mul(inverse(coefficient)).wrapping_neg();
            let mut sum = self.clone();
            sum.add(zero, factor);
            sum
        })
    }

    /// The sum with other variables in place of each.
    #[must_use]
    pub fn map<W: Ord + Clone>(&self, mut by: impl FnMut(&V) -> W) -> Sum<W> {
        let coefficients = self.coefficients.iter().map(|(v, &c)| (by(v), c)).collect();
        Sum { width: self.width, coefficients, constant: self.constant }
    }

    /// The sum with sums in place of some variables; `None` keeps a variable.
    #[must_use]
    pub fn substitute(&self, mut by: impl FnMut(&V) -> Option<Self>) -> Self {
        let mut result = Self::constant(self.width, self.constant);
        for (variable, &coefficient) in &self.coefficients {
            match by(variable) {
                Some(sum) => result.add(&sum, coefficient),
                None => result.add(&Self::variable(self.width, variable.clone()), coefficient),
            }
        }
        result
    }
}

/// Equations: sums that are zero. The empty system holds of everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System<V: Ord> {
    rows: Vec<Sum<V>>,
}

impl<V: Ord> Default for System<V> {
    fn default() -> Self {
        Self { rows: Vec::new() }
    }
}

/// Equations that nothing satisfies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction;

impl<V: Ord + Clone> System<V> {
    /// The equations.
    #[must_use]
    pub fn rows(&self) -> &[Sum<V>] {
        &self.rows
    }

    /// Adds an equation.
    pub fn add(&mut self, zero: Sum<V>) {
        if zero.value() != Some(0) {
            self.rows.push(zero);
        }
    }

    /// The variables that occur.
    #[must_use]
    pub fn variables(&self) -> BTreeSet<V> {
        self.rows.iter().flat_map(|row| row.coefficients.keys().cloned()).collect()
    }

    /// The same with other names of the variables.
    #[must_use]
    pub fn map<W: Ord + Clone>(&self, mut by: impl FnMut(&V) -> W) -> System<W> {
        System { rows: self.rows.iter().map(|row| row.map(&mut by)).collect() }
    }

    /// Takes the row out whose coefficient of a variable divides those of all others, and frees the
    /// others of the variable. The coefficient is then a power of two.
    fn pivot(&mut self, variable: &V) -> Option<Sum<V>> {
        let having = self.rows.iter().enumerate().filter(|(_, row)| row.of(variable) != 0);
        let (at, _) = having
            .min_by_key(|(_, row)| (row.of(variable).trailing_zeros(), row.coefficients.len()))?;
        let row = self.rows.swap_remove(at);
        let coefficient = row.of(variable);
        let power = coefficient.trailing_zeros();
        let row = row.times(inverse(coefficient >> power));
        for other in &mut self.rows {
            let coefficient = other.of(variable);
            if coefficient != 0 {
                other.add(&row, (coefficient >> power).wrapping_neg());
            }
        }
        self.rows.retain(|row| row.value() != Some(0));
        Some(row)
    }

    /// What a pivot's row says beyond its variable.
    fn beyond(row: &Sum<V>, variable: &V) -> Option<Sum<V>> {
        let power = row.of(variable).trailing_zeros();
        let multiple = (power > 0).then(|| row.times(1 << (row.width - power)))?;
        (multiple.value() != Some(0)).then_some(multiple)
    }

    /// Forgets a variable: what remains is what the equations imply of the others.
    pub fn eliminate(&mut self, variable: &V) {
        if let Some(row) = self.pivot(variable) {
            self.rows.extend(Self::beyond(&row, variable));
        }
    }

    /// The equations in Howell's normal form, in which systems with the same solutions are equal.
    ///
    /// # Errors
    /// If there are no solutions.
    pub fn normalize(&mut self) -> Result<(), Contradiction> {
        let mut done: Vec<(V, Sum<V>)> = Vec::new();
        for variable in self.variables() {
            let Some(row) = self.pivot(&variable) else { continue };
            self.rows.extend(Self::beyond(&row, &variable));
            done.push((variable, row));
        }
        // Whatever is left has no variables, and is not zero.
        if !self.rows.is_empty() {
            return Err(Contradiction);
        }
        // Each row is reduced by those behind it, column by column: that changes later columns only.
        for at in (0..done.len()).rev() {
            let (before, behind) = done.split_at_mut(at + 1);
            let Some((_, this)) = before.last_mut() else { continue };
            let width = this.width;
            for (variable, row) in behind.iter().filter(|(_, row)| row.width == width) {
                let power = row.of(variable).trailing_zeros();
                // The remainder that is nearest to 0: -1 rather than 2^power - 1.
                let half = (1u128 << power) >> 1;
                let coefficient = this.of(variable).wrapping_add(half.saturating_sub(1));
                let quotient = (coefficient & mask(row.width)) >> power;
                if quotient != 0 {
                    this.add(row, quotient.wrapping_neg());
                }
            }
        }
        self.rows = done.into_iter().map(|(_, row)| row).collect();
        Ok(())
    }

    /// What the equations, in normal form, leave of a sum.
    #[must_use]
    pub fn reduce(&self, sum: &Sum<V>) -> Sum<V> {
        let mut sum = sum.clone();
        for row in &self.rows {
            let Some((variable, pivot)) = row.coefficients.first_key_value() else { continue };
            let quotient = sum.of(variable) >> pivot.trailing_zeros();
            if quotient != 0 && row.width == sum.width {
                sum.add(row, quotient.wrapping_neg());
            }
        }
        sum
    }

    /// The equations that both systems imply: the smallest affine space around both solution sets.
    /// Of two lists of rows `a` and `b` the combinations of rows `(a | a)` and `(b | 0)` whose left
    /// half is zero have on the right what both have (Zassenhaus).
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        let (both, a): (Vec<_>, Vec<_>) =
            self.rows.iter().cloned().partition(|row| other.rows.contains(row));
        let b: Vec<_> = other.rows.iter().filter(|row| !both.contains(row)).cloned().collect();
        if a.is_empty() || b.is_empty() {
            return Self { rows: both };
        }
        // On the left the constants are variables too: they have to vanish with the others.
        let half = |row: &Sum<V>, right: bool| {
            let mut half = row.map(|variable| (right, row.width, Some(variable.clone())));
            if half.constant != 0 {
                half.coefficients.insert((right, row.width, None), half.constant);
                half.constant = 0;
            }
            half
        };
        let mut system = System { rows: Vec::new() };
        for row in &self.rows {
            let mut whole = half(row, false);
            whole.add(&half(row, true), 1);
            system.rows.push(whole);
        }
        system.rows.extend(other.rows.iter().map(|row| half(row, false)));
        let lefts: Vec<_> = system.variables().into_iter().filter(|(right, ..)| !right).collect();
        for variable in lefts {
            system.eliminate(&variable);
        }
        let mut joined = Self::default();
        for row in system.rows {
            let mut sum = Sum::constant(row.width, 0);
            for ((.., variable), coefficient) in row.coefficients {
                match variable {
                    Some(variable) => drop(sum.coefficients.insert(variable, coefficient)),
                    None => sum.constant = coefficient,
                }
            }
            joined.add(sum);
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    const WIDTH: u32 = 3;
    const COUNT: usize = 3;

    #[test]
    fn odd_numbers_have_inverses() {
        for odd in [1u128, 3, 5, 255, u128::MAX, 0x1234_5678_9abc_def1] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
    }

    fn random(random: &mut SmallRng) -> System<usize> {
        let mut system = System::default();
        for _ in 0..random.random_range(0..4) {
            let mut sum = Sum::constant(WIDTH, random.random_range(0..8));
            for variable in 0..COUNT {
                sum.add(&Sum::variable(WIDTH, variable), random.random_range(0..8));
            }
            system.add(sum);
        }
        system
    }

    fn points() -> impl Iterator<Item = [u128; COUNT]> {
        (0..512u128).map(|n| [n & 7, n >> 3 & 7, n >> 6])
    }

    fn holds(system: &System<usize>, point: &[u128; COUNT]) -> bool {
        system.rows.iter().all(|row| {
            let terms = row.coefficients.iter().map(|(&v, &c)| point[v] * c);
            (terms.sum::<u128>() + row.constant) & 7 == 0
        })
    }

    fn solutions(system: &System<usize>) -> Vec<[u128; COUNT]> {
        points().filter(|point| holds(system, point)).collect()
    }

    #[test]
    fn the_normal_form_is_one_form() {
        let mut rng = SmallRng::seed_from_u64(1);
        let mut known: BTreeMap<Vec<[u128; COUNT]>, System<usize>> = BTreeMap::new();
        for _ in 0..3000 {
            let system = random(&mut rng);
            let found = solutions(&system);
            let mut normal = system.clone();
            assert_eq!(normal.normalize().is_err(), found.is_empty());
            if !found.is_empty() {
                assert_eq!(solutions(&normal), found);
                assert_eq!(*known.entry(found).or_insert_with(|| normal.clone()), normal);
            }
        }
    }

    #[test]
    fn what_is_forgotten_may_be_anything() {
        let mut rng = SmallRng::seed_from_u64(2);
        for _ in 0..500 {
            let system = random(&mut rng);
            let before = solutions(&system);
            let mut after = system.clone();
            after.eliminate(&0);
            let any = |p: &[u128; COUNT]| before.iter().any(|q| q[1..] == p[1..]);
            let expected: Vec<_> = points().filter(any).collect();
            if !before.is_empty() {
                assert_eq!(solutions(&after), expected);
            }
        }
    }

    /// The join has all solutions of both, and no equation is lost that holds of both.
    #[test]
    fn what_both_imply() {
        let mut rng = SmallRng::seed_from_u64(3);
        for _ in 0..500 {
            let (mut a, mut b) = (random(&mut rng), random(&mut rng));
            if a.normalize().is_err() || b.normalize().is_err() {
                continue;
            }
            let mut joined = a.join(&b);
            joined.normalize().expect("it has the solutions of both");
            let all: Vec<_> = solutions(&a).into_iter().chain(solutions(&b)).collect();
            assert!(all.iter().all(|point| holds(&joined, point)));
            for n in 0..4096u128 {
                let mut sum = Sum::constant(WIDTH, n >> 9);
                for variable in 0..COUNT {
                    sum.add(&Sum::variable(WIDTH, variable), n >> (3 * variable) & 7);
                }
                let mut alone = System::default();
                alone.add(sum.clone());
                if all.iter().all(|point| holds(&alone, point)) {
                    assert_eq!(joined.reduce(&sum).value(), Some(0));
                }
            }
        }
    }
}
