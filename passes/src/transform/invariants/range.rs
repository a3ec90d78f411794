//! Intervals of machine integers, with strides.
//!
//! A value is bounded in two ways: read as an unsigned and as a signed number. Neither follows from
//! the other where a range crosses the place at which the other wraps; where it does not, each
//! tightens the other. An operation whose result may wrap loses what is known of that reading.

use sapa_ir::goto::CompareOp;
use sapa_ir::goto::arithmetic::{mask, signed};

use super::inequalities::Reading;
use super::span::Span;

/// Values are not bounded beyond this width, so that bounds and their sums are machine integers.
pub(super) const MAX_WIDTH: u32 = 64;

/// What a value of some width may be. Empty ranges are `None` where they may come up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    width: u32,
    unsigned: Span,
    signed: Span,
}

/// The least and the largest number of a width, unsigned and signed.
fn limits(width: u32) -> [(i128, i128); 2] {
    let half = 1i128 << (width - 1);
    [(0, 2 * half - 1), (-half, half - 1)]
}

/// All numbers of a width, unsigned and signed.
fn whole(width: u32) -> [Span; 2] {
    limits(width).map(|(low, high)| Span::new(low, high))
}

impl Range {
    /// All values; of a wide one nothing is known.
    pub(super) fn all(width: u32) -> Self {
        let [unsigned, signed] = whole(width.min(MAX_WIDTH));
        Self { width, unsigned, signed }
    }

    pub(super) fn constant(width: u32, value: u128) -> Self {
        if width > MAX_WIDTH {
            return Self::all(width);
        }
        let value = value & mask(width);
        let (unsigned, signed) = (value as i128, signed(value, width));
        Self { width, unsigned: Span::constant(unsigned), signed: Span::constant(signed) }
    }

    /// Whether nothing is known.
    pub(super) fn is_all(&self) -> bool {
        self.width > MAX_WIDTH || *self == Self::all(self.width)
    }

    /// Bounds that are known of one reading each; what wraps is not known.
    pub(super) fn new(width: u32, unsigned: (i128, i128), signed: (i128, i128)) -> Option<Self> {
        let span = |(low, high)| (low <= high).then(|| Span::new(low, high));
        if width > MAX_WIDTH {
            return Some(Self::all(width));
        }
        Self::of(width, span(unsigned)?, span(signed)?)
    }

    /// The same of spans.
    fn of(width: u32, unsigned: Span, signed: Span) -> Option<Self> {
        if width > MAX_WIDTH {
            return Some(Self::all(width));
        }
        let [all_unsigned, all_signed] = whole(width);
        let within = |span: Span, all: Span| if span.is_within(all.ends()) { span } else { all };
        let (unsigned, signed) = (within(unsigned, all_unsigned), within(signed, all_signed));
        Self { width, unsigned, signed }.tightened()
    }

    /// What each reading says of the other.
    fn tightened(mut self) -> Option<Self> {
        let [(_, most), (_, half)] = limits(self.width);
        let moved = |span: &Span, by: i128| span.plus(&Span::constant(by));
        for _ in 0..2 {
            if self.unsigned.high() <= half {
                self.signed = self.signed.meet(&self.unsigned)?;
            } else if self.unsigned.low() > half {
                self.signed = self.signed.meet(&moved(&self.unsigned, -most - 1)?)?;
            }
            if self.signed.low() >= 0 {
                self.unsigned = self.unsigned.meet(&self.signed)?;
            } else if self.signed.high() < 0 {
                self.unsigned = self.unsigned.meet(&moved(&self.signed, most + 1)?)?;
            }
        }
        Some(self)
    }

    /// What is in both; `None` if nothing is.
    pub(super) fn meet(&self, other: &Self) -> Option<Self> {
        if self.width > MAX_WIDTH {
            return Some(*self);
        }
        let unsigned = self.unsigned.meet(&other.unsigned)?;
        let signed = self.signed.meet(&other.signed)?;
        Self { width: self.width, unsigned, signed }.tightened()
    }

    /// The smallest range around both.
    pub(super) fn join(&self, other: &Self) -> Self {
        let unsigned = self.unsigned.join(&other.unsigned);
        Self { width: self.width, unsigned, signed: self.signed.join(&other.signed) }
    }

    /// A range around both in which bounds that have grown go on to the next of the thresholds, which
    /// are in ascending order.
    pub(super) fn widen(&self, grown: &Self, thresholds: &[i128]) -> Self {
        let [all_unsigned, all_signed] = limits(self.width.min(MAX_WIDTH));
        let unsigned = self.unsigned.widen(&grown.unsigned, thresholds, all_unsigned);
        let signed = self.signed.widen(&grown.signed, thresholds, all_signed);
        Self { width: self.width, unsigned, signed }
    }

    /// The sum of ranges, each times a coefficient, and a constant.
    pub(super) fn sum(width: u32, terms: &[(Self, u128)], constant: u128) -> Self {
        if width > MAX_WIDTH {
            return Self::all(width);
        }
        let total = |read: &dyn Fn(&Self) -> Span, constant: i128| {
            let mut sum = Span::constant(constant);
            for (range, coefficient) in terms {
                // A coefficient is the smaller of the numbers that it may be read as.
                sum = sum.plus(&read(range).times(signed(*coefficient, width))?)?;
            }
            Some(sum)
        };
        let constants = [(constant & mask(width)) as i128, signed(constant, width)];
        // The constant may be read either way: what matters is that nothing wraps in the end.
        let [all_unsigned, all_signed] = whole(width);
        let find = |read: &dyn Fn(&Self) -> Span, all: Span| {
            let mut sums = constants.iter().filter_map(|constant| total(read, *constant));
            sums.find(|sum| sum.is_within(all.ends())).unwrap_or(all)
        };
        let unsigned = find(&|range| range.unsigned, all_unsigned);
        let signed = find(&|range| range.signed, all_signed);
        Self::of(width, unsigned, signed).unwrap_or_else(|| Self::all(width))
    }

    /// A value of another width, filled with zeros or with its sign, or cut.
    pub(super) fn zero_extended(&self, width: u32) -> Self {
        if self.width > MAX_WIDTH || width > MAX_WIDTH {
            return Self::all(width);
        }
        Self::of(width, self.unsigned, self.unsigned).unwrap_or_else(|| Self::all(width))
    }

    pub(super) fn sign_extended(&self, width: u32) -> Self {
        if self.width > MAX_WIDTH || width > MAX_WIDTH {
            return Self::all(width);
        }
        let [all, _] = whole(width);
        Self::of(width, all, self.signed).unwrap_or_else(|| Self::all(width))
    }

    pub(super) fn truncated(&self, width: u32) -> Self {
        if self.width > MAX_WIDTH {
            return Self::all(width);
        }
        Self::of(width, self.unsigned, self.signed).unwrap_or_else(|| Self::all(width))
    }

    /// At most this number, unsigned.
    pub(super) fn at_most(width: u32, most: u128) -> Self {
        let Some(most) = i128::try_from(most).ok().filter(|_| width <= MAX_WIDTH) else {
            return Self::all(width);
        };
        let [(_, largest), signed] = limits(width);
        Self::new(width, (0, most.min(largest)), signed).unwrap_or_else(|| Self::all(width))
    }

    /// From one number to another, read as unsigned and as signed numbers alike.
    pub(super) fn between(width: u32, low: i128, high: i128) -> Option<Self> {
        Self::new(width, (low, high), (low, high))
    }

    /// From one number to another, read as signed numbers.
    pub(super) fn between_signed(width: u32, low: i128, high: i128) -> Option<Self> {
        let [unsigned, _] = limits(width);
        Self::new(width, unsigned, (low, high))
    }

    /// From the least number of this in a reading to the largest there is.
    pub(super) fn and_more(&self, reading: Reading) -> Option<Self> {
        let [mut unsigned, mut signed] = limits(self.width.min(MAX_WIDTH));
        match reading {
            Reading::Unsigned => unsigned.0 = self.unsigned.low(),
            Reading::Signed => signed.0 = self.signed.low(),
        }
        Self::new(self.width, unsigned, signed)
    }

    /// What is left when this is divided by a positive number, read as unsigned numbers, or as signed ones
    /// that are not negative; and how often it goes into it.
    pub(super) fn divided(&self, divisor: u128) -> Option<(Self, Self)> {
        let divisor = i128::try_from(divisor).ok()?;
        if self.width > MAX_WIDTH || divisor == 0 {
            return None;
        }
        let [_, all] = whole(self.width);
        let made = |span: Span| Self::of(self.width, span, all);
        Some((made(self.unsigned.remainder(divisor))?, made(self.unsigned.quotient(divisor))?))
    }

    /// The products, as far as none wraps.
    pub(super) fn times(&self, other: &Self) -> Self {
        if self.width > MAX_WIDTH {
            return Self::all(self.width);
        }
        let product = |a: &Span, b: &Span, all: Span| {
            let with = |x: i128| [b.low(), b.high()].map(|y| x.saturating_mul(y));
            let ends = [a.low(), a.high()].into_iter().flat_map(with);
            let (low, high) = ends.fold((i128::MAX, i128::MIN), |e, x| (e.0.min(x), e.1.max(x)));
            let span = Span::new(low, high);
            if span.is_within(all.ends()) { span } else { all }
        };
        let [all_unsigned, all_signed] = whole(self.width);
        let unsigned = product(&self.unsigned, &other.unsigned, all_unsigned);
        let signed = product(&self.signed, &other.signed, all_signed);
        Self::of(self.width, unsigned, signed).unwrap_or_else(|| Self::all(self.width))
    }

    /// Whether no value is negative as a signed number.
    pub(super) fn is_natural(&self) -> bool {
        self.width <= MAX_WIDTH && self.signed.low() >= 0
    }

    /// The largest unsigned value.
    pub(super) fn most(&self) -> u128 {
        if self.width > MAX_WIDTH { mask(self.width) } else { self.unsigned.high() as u128 }
    }

    /// The value, if it is but one.
    pub(super) fn single(&self) -> Option<u128> {
        let single = self.unsigned.single().filter(|_| self.width <= MAX_WIDTH)?;
        Some(single as u128)
    }

    /// How many bits the values have.
    pub(super) fn width(&self) -> u32 {
        self.width
    }

    /// The bounds, unsigned and signed; of values wider than [`MAX_WIDTH`] they say nothing, as those may be any.
    pub(super) fn bounds(&self) -> [(i128, i128); 2] {
        [self.unsigned.ends(), self.signed.ends()]
    }

    /// How far neighbours are apart and what the remainder by that is, where no reading wraps: where all
    /// values are the same number in both.
    pub(super) fn congruence(&self) -> Option<(u128, u128)> {
        let stride = self.unsigned.stride();
        let is_known = self.width <= MAX_WIDTH && stride > 1 && self.unsigned == self.signed;
        is_known.then(|| (stride as u128, (self.unsigned.low() % stride) as u128))
    }

    /// Whether what lies in `apart` above a number in a range is related to that as `number op it`
    /// says: the sum does not wrap.
    pub(super) fn is_above(op: CompareOp, number: &Self, apart: &Self) -> bool {
        if number.width > MAX_WIDTH {
            return false;
        }
        let [(_, all), (_, half)] = limits(number.width);
        let (least, most) = apart.unsigned.ends();
        match op {
            CompareOp::UnsignedLt => least > 0 && number.unsigned.high() + most <= all,
            CompareOp::UnsignedLe => number.unsigned.high() + most <= all,
            CompareOp::SignedLt => least > 0 && number.signed.high() + most <= half,
            CompareOp::SignedLe => number.signed.high() + most <= half,
            CompareOp::Eq | CompareOp::Ne => false,
        }
    }

    /// What is left of two ranges where a comparison of them holds; `None` if it never does.
    pub(super) fn where_holds(op: CompareOp, a: &Self, b: &Self) -> Option<(Self, Self)> {
        if a.width > MAX_WIDTH {
            return Some((*a, *b));
        }
        let (mut left, mut right) = (*a, *b);
        // That the first is below the second, and by how much at least.
        let below = |left: &mut Span, right: &mut Span, apart: i128| {
            (*left, *right) = (
                left.between((left.low(), right.high() - apart))?,
                right.between((left.low() + apart, right.high()))?,
            );
            Some(())
        };
        match op {
            CompareOp::Eq => {
                let both = left.meet(&right)?;
                return Some((both, both));
            }
            CompareOp::Ne => {
                for (this, other) in [(&mut left, b), (&mut right, a)] {
                    let without = |span: &mut Span, value: Option<i128>| {
                        let Some(value) = value else { return Some(()) };
                        let (low, high) = span.ends();
                        let (up, down) = (i128::from(low == value), i128::from(high == value));
                        *span = span.between((low + up, high - down))?;
                        Some(())
                    };
                    without(&mut this.unsigned, other.unsigned.single())?;
                    without(&mut this.signed, other.signed.single())?;
                }
            }
            CompareOp::UnsignedLt => below(&mut left.unsigned, &mut right.unsigned, 1)?,
            CompareOp::UnsignedLe => below(&mut left.unsigned, &mut right.unsigned, 0)?,
            CompareOp::SignedLt => below(&mut left.signed, &mut right.signed, 1)?,
            CompareOp::SignedLe => below(&mut left.signed, &mut right.signed, 0)?,
        }
        Some((left.tightened()?, right.tightened()?))
    }
}

/// The comparison that holds where one does not, and whether its sides change places.
pub(super) fn negated(op: CompareOp) -> (CompareOp, bool) {
    match op {
        CompareOp::Eq => (CompareOp::Ne, false),
        CompareOp::Ne => (CompareOp::Eq, false),
        CompareOp::UnsignedLt => (CompareOp::UnsignedLe, true),
        CompareOp::UnsignedLe => (CompareOp::UnsignedLt, true),
        CompareOp::SignedLt => (CompareOp::SignedLe, true),
        CompareOp::SignedLe => (CompareOp::SignedLt, true),
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    use sapa_ir::goto::arithmetic;

    use super::*;

    const WIDTH: u32 = 4;

    fn random(rng: &mut SmallRng) -> Range {
        let [a, b, c] = [(); 3].map(|()| Range::constant(WIDTH, rng.random_range(0..16)));
        let range = a.join(&b);
        if rng.random_bool(0.2) { range.join(&c) } else { range }
    }

    fn values(range: &Range) -> Vec<u128> {
        let has = |v: &u128| Range::constant(WIDTH, *v).meet(range).is_some();
        (0..16).filter(has).collect()
    }

    #[test]
    fn every_result_is_in_the_range() {
        let mut rng = SmallRng::seed_from_u64(5);
        for _ in 0..3000 {
            let (a, b) = (random(&mut rng), random(&mut rng));
            let (k, l, m) = (rng.random(), rng.random(), rng.random());
            let (k, l, m): (u128, u128, u128) = (k, l, m);
            let sum = Range::sum(WIDTH, &[(a, k & 15), (b, l & 15)], m & 15);
            let (narrow, product) = (a.truncated(2), a.times(&b));
            let (zero, sign) = (a.zero_extended(6), a.sign_extended(6));
            let divisor = rng.random_range(1..16);
            let (rest, quotient) = a.divided(divisor).expect("it is narrow");
            for x in values(&a) {
                let is_in = |v: u128, width: u32, range: &Range| {
                    assert!(Range::constant(width, v).meet(range).is_some(), "{x} {a:?} {range:?}");
                };
                is_in(x & 3, 2, &narrow);
                is_in(x, 6, &zero);
                is_in(signed(x, WIDTH) as u128 & 63, 6, &sign);
                is_in(x % divisor, WIDTH, &rest);
                is_in(x / divisor, WIDTH, &quotient);
                assert!(a.congruence().is_none_or(|(m, r)| x % m == r));
                for y in values(&b) {
                    is_in(
                        x.wrapping_mul(k).wrapping_add(y.wrapping_mul(l)).wrapping_add(m) & 15,
                        WIDTH,
                        &sum,
                    );
                    is_in((x * y) & 15, WIDTH, &product);
                    let apart = y.wrapping_sub(x) & 15;
                    let at = Range::constant(WIDTH, apart).join(&b);
                    for op in [
                        CompareOp::Eq,
                        CompareOp::Ne,
                        CompareOp::UnsignedLt,
                        CompareOp::UnsignedLe,
                        CompareOp::SignedLt,
                        CompareOp::SignedLe,
                    ] {
                        let (other, swap) = negated(op);
                        let (p, q) = if swap { (y, x) } else { (x, y) };
                        let holds = arithmetic::compare(op, x, y, WIDTH);
                        assert_eq!(holds, !arithmetic::compare(other, p, q, WIDTH));
                        assert!(holds || !Range::is_above(op, &a, &at), "{op:?} {a:?} {at:?}");
                        if holds {
                            let left = Range::where_holds(op, &a, &b);
                            let (left, right) = left.expect("it does hold");
                            is_in(x, WIDTH, &left);
                            is_in(y, WIDTH, &right);
                        }
                    }
                }
            }
            let wide = a.widen(&b, &[-3, 5]);
            let joined = a.join(&b);
            assert_eq!(wide.join(&joined), wide);
        }
    }
}
