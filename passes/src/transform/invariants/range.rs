//! Intervals of machine integers.
//!
//! A value is bounded in two ways: read as an unsigned and as a signed number. Neither follows from
//! the other where a range crosses the place at which the other wraps; where it does not, each
//! tightens the other. An operation whose result may wrap loses the bounds of that reading.

use sapa_ir::goto::CompareOp;
use sapa_ir::goto::arithmetic::{mask, signed};

/// Values are not bounded beyond this width, so that bounds and their sums are machine integers.
pub(super) const MAX_WIDTH: u32 = 64;

/// Bounds of a value of some width, inclusive. Empty ranges are `None` where they may come up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    width: u32,
    unsigned: (i128, i128),
    signed: (i128, i128),
}

/// The least and the largest number of a width, unsigned and signed.
fn limits(width: u32) -> [(i128, i128); 2] {
    let half = 1i128 << (width - 1);
    [(0, 2 * half - 1), (-half, half - 1)]
}

impl Range {
    /// All values; of a wide one nothing is known.
    pub(super) fn all(width: u32) -> Self {
        let [unsigned, signed] = limits(width.min(MAX_WIDTH));
        Self { width, unsigned, signed }
    }

    pub(super) fn constant(width: u32, value: u128) -> Self {
        if width > MAX_WIDTH {
            return Self::all(width);
        }
        let value = value & mask(width);
        let (unsigned, signed) = (value as i128, signed(value, width));
        Self { width, unsigned: (unsigned, unsigned), signed: (signed, signed) }
    }

    /// Whether nothing is known.
    pub(super) fn is_all(&self) -> bool {
        self.width > MAX_WIDTH || *self == Self::all(self.width)
    }

    /// Bounds that are known of one reading each; what wraps is not known.
    pub(super) fn new(width: u32, unsigned: (i128, i128), signed: (i128, i128)) -> Option<Self> {
        if width > MAX_WIDTH {
            return Some(Self::all(width));
        }
        let [all_unsigned, all_signed] = limits(width);
        let within = |(low, high), all: (i128, i128)| {
            if low < all.0 || high > all.1 { all } else { (low, high) }
        };
        let range = Self {
            width,
            unsigned: within(unsigned, all_unsigned),
            signed: within(signed, all_signed),
        };
        range.tightened()
    }

    /// What each reading says of the other.
    fn tightened(mut self) -> Option<Self> {
        let [(_, most), (_, half)] = limits(self.width);
        let meet = |a: (i128, i128), b: (i128, i128)| (a.0.max(b.0), a.1.min(b.1));
        for _ in 0..2 {
            if self.unsigned.1 <= half {
                self.signed = meet(self.signed, self.unsigned);
            } else if self.unsigned.0 > half {
                let below = |value: i128| value - most - 1;
                self.signed = meet(self.signed, (below(self.unsigned.0), below(self.unsigned.1)));
            }
            if self.signed.0 >= 0 {
                self.unsigned = meet(self.unsigned, self.signed);
            } else if self.signed.1 < 0 {
                let above = |value: i128| value + most + 1;
                self.unsigned = meet(self.unsigned, (above(self.signed.0), above(self.signed.1)));
            }
        }
        let is_empty = self.unsigned.0 > self.unsigned.1 || self.signed.0 > self.signed.1;
        (!is_empty).then_some(self)
    }

    /// What is in both; `None` if nothing is.
    pub(super) fn meet(&self, other: &Self) -> Option<Self> {
        let meet = |a: (i128, i128), b: (i128, i128)| (a.0.max(b.0), a.1.min(b.1));
        let (unsigned, signed) =
            (meet(self.unsigned, other.unsigned), meet(self.signed, other.signed));
        if self.width > MAX_WIDTH {
            return Some(*self);
        }
        Self { width: self.width, unsigned, signed }.tightened()
    }

    /// The smallest range around both.
    pub(super) fn join(&self, other: &Self) -> Self {
        let join = |a: (i128, i128), b: (i128, i128)| (a.0.min(b.0), a.1.max(b.1));
        Self {
            width: self.width,
            unsigned: join(self.unsigned, other.unsigned),
            signed: join(self.signed, other.signed),
        }
    }

    /// A range around both in which bounds that have grown go on to the next of the thresholds, which
    /// are in ascending order.
    pub(super) fn widen(&self, grown: &Self, thresholds: &[i128]) -> Self {
        let joined = self.join(grown);
        let [all_unsigned, all_signed] = limits(self.width.min(MAX_WIDTH));
        let widen = |old: (i128, i128), new: (i128, i128), all: (i128, i128)| {
            let below = || thresholds.iter().rev().find(|t| **t <= new.0).map_or(all.0, |t| *t);
            let above = || thresholds.iter().find(|t| **t >= new.1).map_or(all.1, |t| *t);
            let low = if new.0 < old.0 { below().max(all.0) } else { new.0 };
            let high = if new.1 > old.1 { above().min(all.1) } else { new.1 };
            (low, high)
        };
        Self {
            width: self.width,
            unsigned: widen(self.unsigned, joined.unsigned, all_unsigned),
            signed: widen(self.signed, joined.signed, all_signed),
        }
    }

    /// The sum of ranges, each times a coefficient, and a constant.
    pub(super) fn sum(width: u32, terms: &[(Self, u128)], constant: u128) -> Self {
        if width > MAX_WIDTH {
            return Self::all(width);
        }
        let total = |read: &dyn Fn(&Self) -> (i128, i128), constant: i128| {
            let mut sum = (constant, constant);
            for (range, coefficient) in terms {
                // A coefficient is the smaller of the numbers that it may be read as.
                let factor = signed(*coefficient, width);
                let (low, high) = read(range);
                let ends = (low.checked_mul(factor)?, high.checked_mul(factor)?);
                sum.0 = sum.0.checked_add(ends.0.min(ends.1))?;
                sum.1 = sum.1.checked_add(ends.0.max(ends.1))?;
            }
            Some(sum)
        };
        let constants = [(constant & mask(width)) as i128, signed(constant, width)];
        // The constant may be read either way: what matters is that nothing wraps in the end.
        let [all_unsigned, all_signed] = limits(width);
        let fits = |sum: &(i128, i128), all: (i128, i128)| all.0 <= sum.0 && sum.1 <= all.1;
        let find = |read: &dyn Fn(&Self) -> (i128, i128), all: (i128, i128)| {
            let mut sums = constants.iter().filter_map(|constant| total(read, *constant));
            sums.find(|sum| fits(sum, all)).unwrap_or(all)
        };
        let unsigned = find(&|range| range.unsigned, all_unsigned);
        let signed = find(&|range| range.signed, all_signed);
        Self::new(width, unsigned, signed).unwrap_or_else(|| Self::all(width))
    }

    /// A value of another width, filled with zeros or with its sign, or cut.
    pub(super) fn zero_extended(&self, width: u32) -> Self {
        if self.width > MAX_WIDTH || width > MAX_WIDTH {
            return Self::all(width);
        }
        Self::new(width, self.unsigned, self.unsigned).unwrap_or_else(|| Self::all(width))
    }

    pub(super) fn sign_extended(&self, width: u32) -> Self {
        if self.width > MAX_WIDTH || width > MAX_WIDTH {
            return Self::all(width);
        }
        Self::new(width, limits(width)[0], self.signed).unwrap_or_else(|| Self::all(width))
    }

    pub(super) fn truncated(&self, width: u32) -> Self {
        if self.width > MAX_WIDTH {
            return Self::all(width);
        }
        Self::new(width, self.unsigned, self.signed).unwrap_or_else(|| Self::all(width))
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

    /// The largest unsigned value.
    pub(super) fn most(&self) -> u128 {
        if self.width > MAX_WIDTH { mask(self.width) } else { self.unsigned.1 as u128 }
    }

    /// The value, if it is but one.
    pub(super) fn single(&self) -> Option<u128> {
        let (low, high) = self.unsigned;
        (low == high && self.width <= MAX_WIDTH).then_some(low as u128)
    }

    /// How many bits the values have.
    pub(super) fn width(&self) -> u32 {
        self.width
    }

    /// The bounds, unsigned and signed.
    pub(super) fn bounds(&self) -> [(i128, i128); 2] {
        [self.unsigned, self.signed]
    }

    /// Whether what lies in `apart` above a number in a range is related to that as `number op it`
    /// says: the sum does not wrap.
    pub(super) fn is_above(op: CompareOp, number: &Self, apart: &Self) -> bool {
        if number.width > MAX_WIDTH {
            return false;
        }
        let [(_, all), (_, half)] = limits(number.width);
        let (least, most) = apart.unsigned;
        match op {
            CompareOp::UnsignedLt => least > 0 && number.unsigned.1 + most <= all,
            CompareOp::UnsignedLe => number.unsigned.1 + most <= all,
            CompareOp::SignedLt => least > 0 && number.signed.1 + most <= half,
            CompareOp::SignedLe => number.signed.1 + most <= half,
            CompareOp::Eq | CompareOp::Ne => false,
        }
    }

    /// What is left of two ranges where a comparison of them holds; `None` if it never does.
    pub(super) fn where_holds(op: CompareOp, a: &Self, b: &Self) -> Option<(Self, Self)> {
        if a.width > MAX_WIDTH {
            return Some((*a, *b));
        }
        let (mut left, mut right) = (*a, *b);
        let below = |left: &mut (i128, i128), right: &mut (i128, i128), apart: i128| {
            left.1 = left.1.min(right.1 - apart);
            right.0 = right.0.max(left.0 + apart);
        };
        match op {
            CompareOp::Eq => {
                let both = left.meet(&right)?;
                return Some((both, both));
            }
            CompareOp::Ne => {
                for (this, other) in [(&mut left, b), (&mut right, a)] {
                    let shrink = |range: &mut (i128, i128), value: (i128, i128)| {
                        if value.0 == value.1 {
                            range.0 += i128::from(range.0 == value.0);
                            range.1 -= i128::from(range.1 == value.0);
                        }
                    };
                    shrink(&mut this.unsigned, other.unsigned);
                    shrink(&mut this.signed, other.signed);
                }
            }
            CompareOp::UnsignedLt => below(&mut left.unsigned, &mut right.unsigned, 1),
            CompareOp::UnsignedLe => below(&mut left.unsigned, &mut right.unsigned, 0),
            CompareOp::SignedLt => below(&mut left.signed, &mut right.signed, 1),
            CompareOp::SignedLe => below(&mut left.signed, &mut right.signed, 0),
        }
        let is_empty = |r: &Self| r.unsigned.0 > r.unsigned.1 || r.signed.0 > r.signed.1;
        if is_empty(&left) || is_empty(&right) {
            return None;
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
            let narrow = a.truncated(2);
            let (zero, sign) = (a.zero_extended(6), a.sign_extended(6));
            for x in values(&a) {
                let is_in = |v: u128, width: u32, range: &Range| {
                    assert!(Range::constant(width, v).meet(range).is_some(), "{x} {a:?} {range:?}");
                };
                is_in(x & 3, 2, &narrow);
                is_in(x, 6, &zero);
                is_in(signed(x, WIDTH) as u128 & 63, 6, &sign);
                for y in values(&b) {
                    is_in(
                        x.wrapping_mul(k).wrapping_add(y.wrapping_mul(l)).wrapping_add(m) & 15,
                        WIDTH,
                        &sum,
                    );
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
