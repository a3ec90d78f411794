//! Numbers at one distance from each other, between two ends: `low, low + stride, …, high`.
//!
//! Intervals with congruences, as Reps and Balakrishnan have them ("Analyzing memory accesses in x86
//! executables", CC 2004). A stride is one of integers and of any size, so that it is kept only where
//! nothing wraps; what powers of two divide is known with all wrap-around by equations.

/// Numbers at one distance. `high - low` is a multiple of `stride`, which is 0 for one number only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    low: i128,
    high: i128,
    stride: i128,
}

/// The greatest common divisor of numbers that are not negative; that of 0 and a number is the number.
fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Span {
    /// All numbers from one to another one that is not below it.
    pub(super) fn new(low: i128, high: i128) -> Self {
        debug_assert!(low <= high);
        Self { low, high, stride: i128::from(low != high) }
    }

    /// One number.
    pub(super) fn constant(value: i128) -> Self {
        Self { low: value, high: value, stride: 0 }
    }

    pub(super) fn low(&self) -> i128 {
        self.low
    }

    pub(super) fn high(&self) -> i128 {
        self.high
    }

    /// The ends.
    pub(super) fn ends(&self) -> (i128, i128) {
        (self.low, self.high)
    }

    /// How far neighbours are apart; 0 for one number.
    pub(super) fn stride(&self) -> i128 {
        self.stride
    }

    /// The number, if it is but one.
    pub(super) fn single(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether all numbers are between two.
    pub(super) fn is_within(&self, (low, high): (i128, i128)) -> bool {
        low <= self.low && self.high <= high
    }

    /// The numbers that are at least one and at most another; `None` if there are none.
    pub(super) fn between(&self, (low, high): (i128, i128)) -> Option<Self> {
        let (mut low, mut high) = (self.low.max(low), self.high.min(high));
        if self.stride > 1 {
            low += (self.low - low).rem_euclid(self.stride);
            high -= (high - self.low).rem_euclid(self.stride);
        }
        (low <= high).then_some(Self {
            low,
            high,
            stride: if low == high { 0 } else { self.stride },
        })
    }

    /// A span around the numbers that are in both; `None` if there are none.
    pub(super) fn meet(&self, other: &Self) -> Option<Self> {
        let (fine, coarse) = if self.stride < other.stride { (self, other) } else { (other, self) };
        let (fine, coarse) = match (self.single(), other.single()) {
            (Some(_), _) => (other, self),
            (_, Some(_)) => (self, other),
            _ => (fine, coarse),
        };
        let common = gcd(fine.stride, coarse.stride);
        if common != 0 && (fine.low - coarse.low) % common != 0 {
            return None;
        }
        let both = coarse.between(fine.ends())?;
        if fine.stride <= 1 || common == fine.stride {
            return Some(both);
        }
        // The first that is one of the others, too: they come round after `fine.stride / common`. Of
        // many more is known by the larger stride alone.
        let period = fine.stride / common;
        let Some(stride) = both.stride.checked_mul(period).filter(|_| period <= MOST_PERIOD) else {
            return Some(both);
        };
        let is_one = |value: &i128| (value - fine.low) % fine.stride == 0;
        let mut ups = (0..period).map_while(|n| {
            let value = both.low + n * both.stride;
            (value <= both.high).then_some(value)
        });
        let low = ups.find(is_one)?;
        Self { low, high: low, stride }.up_to(both.high)
    }

    /// The numbers from here on up to an end.
    fn up_to(self, high: i128) -> Option<Self> {
        if high < self.low {
            return None;
        }
        if self.stride == 0 {
            return Some(self);
        }
        let high = high - (high - self.low) % self.stride;
        Some(Self { high, stride: if high == self.low { 0 } else { self.stride }, ..self })
    }

    /// The smallest span around both.
    pub(super) fn join(&self, other: &Self) -> Self {
        let stride = gcd(gcd(self.stride, other.stride), (self.low - other.low).abs());
        Self { low: self.low.min(other.low), high: self.high.max(other.high), stride }
    }

    /// A span around both, in which an end that has grown goes on to the next of the thresholds, which are
    /// in ascending order, or to that of all numbers.
    pub(super) fn widen(&self, grown: &Self, thresholds: &[i128], all: (i128, i128)) -> Self {
        let joined = self.join(grown);
        let below = || thresholds.iter().rev().find(|t| **t <= joined.low).map_or(all.0, |t| *t);
        let above = || thresholds.iter().find(|t| **t >= joined.high).map_or(all.1, |t| *t);
        let low = if joined.low < self.low { below().max(all.0) } else { joined.low };
        let high = if joined.high > self.high { above().min(all.1) } else { joined.high };
        // Within these ends the numbers stay at their distance.
        let stride = joined.stride.max(1);
        let low = joined.low - (joined.low - low) / stride * stride;
        let high = joined.low + (high - joined.low) / stride * stride;
        Self { low, high, stride: if low == high { 0 } else { stride } }
    }

    /// The sums; `None` beyond machine integers.
    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let (low, high) = (self.low.checked_add(other.low)?, self.high.checked_add(other.high)?);
        Some(Self { low, high, stride: gcd(self.stride, other.stride) })
    }

    /// The multiples; `None` beyond machine integers.
    pub(super) fn times(&self, factor: i128) -> Option<Self> {
        let ends = (self.low.checked_mul(factor)?, self.high.checked_mul(factor)?);
        let stride = self.stride.checked_mul(factor.checked_abs()?)?;
        Some(Self { low: ends.0.min(ends.1), high: ends.0.max(ends.1), stride })
    }

    /// The remainders of numbers that are not negative by a positive one.
    pub(super) fn remainder(&self, divisor: i128) -> Self {
        debug_assert!(self.low >= 0 && divisor > 0);
        if self.low / divisor == self.high / divisor {
            return Self { low: self.low % divisor, high: self.high % divisor, ..*self };
        }
        let stride = gcd(self.stride, divisor);
        let low = self.low % stride;
        Self { low, high: low, stride }.up_to(divisor - 1).unwrap_or(Self::new(0, divisor - 1))
    }

    /// The quotients of numbers that are not negative by a positive one, rounded down.
    pub(super) fn quotient(&self, divisor: i128) -> Self {
        debug_assert!(self.low >= 0 && divisor > 0);
        let (low, high) = (self.low / divisor, self.high / divisor);
        if self.stride % divisor == 0 {
            return Self { low, high, stride: self.stride / divisor };
        }
        Self::new(low, high)
    }
}

/// More numbers are not gone through for those that are in two spans.
const MOST_PERIOD: i128 = 1 << 10;

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    fn random(rng: &mut SmallRng) -> Span {
        let low = rng.random_range(-9..9);
        let stride = rng.random_range(0..6);
        let count = if stride == 0 { 0 } else { rng.random_range(1..6) };
        Span { low, high: low + stride * count, stride }
    }

    fn numbers(span: &Span) -> Vec<i128> {
        let is_in = |n: &i128| span.meet(&Span::constant(*n)).is_some();
        (-200..200).filter(is_in).collect()
    }

    fn is_well_formed(span: &Span) -> bool {
        match span.stride {
            0 => span.low == span.high,
            stride => span.low < span.high && (span.high - span.low) % stride == 0,
        }
    }

    #[test]
    fn spans_have_the_results_of_their_numbers() {
        let mut rng = SmallRng::seed_from_u64(7);
        for _ in 0..3000 {
            let (a, b) = (random(&mut rng), random(&mut rng));
            let (of_a, of_b) = (numbers(&a), numbers(&b));
            let listed = (0..).map(|n| a.low + n * a.stride).take_while(|n| *n <= a.high);
            let listed: Vec<i128> = if a.stride == 0 { vec![a.low] } else { listed.collect() };
            assert_eq!(of_a, listed);
            let common: Vec<i128> = of_a.iter().copied().filter(|n| of_b.contains(n)).collect();
            let met = a.meet(&b);
            assert!(met.is_none_or(|met| is_well_formed(&met)));
            assert_eq!(met.map_or(Vec::new(), |met| numbers(&met)), common, "{a:?} {b:?}");
            let ends = (rng.random_range(-12..12), rng.random_range(-12..25));
            let within: Vec<i128> =
                of_a.iter().copied().filter(|n| ends.0 <= *n && *n <= ends.1).collect();
            let cut = a.between(ends);
            assert!(cut.is_none_or(|cut| is_well_formed(&cut)));
            assert_eq!(cut.map_or(Vec::new(), |cut| numbers(&cut)), within);
            let (joined, sum) = (a.join(&b), a.plus(&b).expect("it is small"));
            let wide = a.widen(&b, &[-3, 5, 13], (-40, 50));
            let factor = rng.random_range(-3..4);
            let product = a.times(factor).expect("it is small");
            for span in [joined, sum, wide, product] {
                assert!(is_well_formed(&span), "{span:?}");
            }
            for x in &of_a {
                let is_in = |n: i128, span: &Span| span.meet(&Span::constant(n)).is_some();
                assert!(is_in(*x, &joined) && is_in(*x, &wide) && is_in(x * factor, &product));
                assert!(of_b.iter().all(|y| is_in(x + y, &sum)));
                assert!(of_b.iter().all(|y| is_in(*y, &joined) && is_in(*y, &wide)));
            }
            if a.low >= 0 {
                let divisor = rng.random_range(1..8);
                let (rest, quotient) = (a.remainder(divisor), a.quotient(divisor));
                assert!(is_well_formed(&rest) && is_well_formed(&quotient));
                assert!(of_a.iter().all(|x| rest.meet(&Span::constant(x % divisor)).is_some()));
                assert!(of_a.iter().all(|x| quotient.meet(&Span::constant(x / divisor)).is_some()));
            }
        }
    }

    /// The congruence is known where a bound is not.
    #[test]
    fn bounds_that_are_given_up_keep_the_distance() {
        let (first, second) = (Span::constant(0), Span { low: 0, high: 3, stride: 3 });
        let wide = first.widen(&second, &[], (0, 100));
        assert_eq!(wide, Span { low: 0, high: 99, stride: 3 });
        assert_eq!(wide.remainder(3), Span::constant(0));
        assert_eq!(wide.between((0, 50)), Some(Span { low: 0, high: 48, stride: 3 }));
    }
}
