//! What operations compute: sums, where they are linear, and bounds of all others.

use sapa_ir::goto::arithmetic::cast;
use sapa_ir::goto::{BinaryOp, CastOp, Op, Operand, UnaryOp};

use super::super::range::{MAX_WIDTH, Range};
use super::{Variable, Walk};
use crate::linear::Sum;

impl<'a> Walk<'a> {
    /// The result of an operation that is linear.
    pub(super) fn linear(&self, op: &Op, width: u32) -> Option<Sum<Variable>> {
        let minus_one = u128::MAX;
        match op {
            Op::Copy { a } => self.operand(*a),
            Op::Cast { op, a } => {
                let value = self.operand(*a)?.value()?;
                let from = self.body.function.operand_bits(self.body.module, *a);
                let value = cast(*op, value, from, u16::try_from(width).ok()?)?;
                Some(Sum::constant(width, value))
            }
            Op::Unary { op, a } => {
                let mut sum = self.operand(*a)?.times(minus_one);
                if *op == UnaryOp::Not {
                    sum.add(&Sum::constant(width, 1), minus_one);
                }
                Some(sum)
            }
            Op::Select { a, b, .. } => {
                self.operand(*a).filter(|a| Some(a) == self.operand(*b).as_ref())
            }
            Op::Binary { op, a, b, .. } => {
                let (mut a, b) = (self.operand(*a)?, self.operand(*b)?);
                match op {
                    BinaryOp::Add => a.add(&b, 1),
                    BinaryOp::Sub => a.add(&b, minus_one),
                    BinaryOp::Mul => match (a.value(), b.value()) {
                        (Some(value), _) => a = b.times(value),
                        (_, Some(value)) => a = a.times(value),
                        _ => return None,
                    },
                    BinaryOp::ShiftLeft => {
                        let distance = b.value().filter(|d| *d < u128::from(width))?;
                        a = a.times(1 << distance);
                    }
                    _ => return None,
                }
                Some(a)
            }
            _ => None,
        }
    }

    /// Notes what an operation on bits with a constant, or a remainder, says of the low bits of its result: that two
    /// numbers agree in the low `k` bits is an equation, as they do times 2^(w-k).
    pub(super) fn low_bits(&mut self, op: &Op, result: &Sum<Variable>) {
        let Op::Binary { op: kind, a, b, .. } = op else { return };
        let (Some(mut a), Some(mut b)) = (self.operand(*a), self.operand(*b)) else { return };
        let width = a.width;
        let is_symmetric = matches!(kind, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        if is_symmetric && a.value().is_some() {
            std::mem::swap(&mut a, &mut b);
        }
        let Some(constant) =
            b.value().filter(|_| result.value().is_none() && result.width == width)
        else {
            return;
        };
        let zeros = constant.trailing_zeros().min(width);
        let ones = constant.trailing_ones().min(width);
        let mut agree = |low: u32, with: &Sum<Variable>| {
            if (1..width).contains(&low) {
                let mut zero = result.clone();
                zero.add(with, u128::MAX);
                self.equate(zero.times(1 << (width - low)));
            }
        };
        match kind {
            BinaryOp::And => {
                agree(zeros, &Sum::constant(width, 0));
                agree(ones, &a);
            }
            BinaryOp::Or => {
                agree(zeros, &a);
                agree(ones, &Sum::constant(width, u128::MAX));
            }
            BinaryOp::Xor => {
                agree(zeros, &a);
                // Its negation, `-a - 1`.
                let mut flipped = a.times(u128::MAX);
                flipped.add(&Sum::constant(width, 1), u128::MAX);
                agree(ones, &flipped);
            }
            // The remainder by the least signed number is no remainder by a power of two.
            BinaryOp::UnsignedRem | BinaryOp::SignedRem
                if constant.is_power_of_two() && zeros + 1 < width =>
            {
                agree(zeros, &a);
            }
            _ => {}
        }
    }

    /// Notes that a sum with a constant, or a difference, does not overflow as signed numbers, where a run that does
    /// is cut off.
    pub(super) fn hold_no_overflow(&mut self, op: &Op) {
        let Op::Binary { op: kind, a, b, .. } = op else { return };
        let (Some(mut a), Some(mut b)) = (self.operand(*a), self.operand(*b)) else { return };
        let width = a.width;
        match kind {
            BinaryOp::Add if a.value().is_some() => std::mem::swap(&mut a, &mut b),
            BinaryOp::Add => {}
            BinaryOp::Sub => b = b.times(u128::MAX),
            _ => return,
        }
        let Some(value) = b.value().filter(|_| width <= MAX_WIDTH) else { return };
        // `x - least` has no overflow where `x` is negative; `least` is no number that its negation is of.
        let half = 1i128 << (width - 1);
        let by = value as i128 - if value >> (width - 1) == 0 { 0 } else { 2 * half };
        if by == -half {
            return;
        }
        let (low, high) = (-half - by.min(0), half - 1 - by.max(0));
        if let Some(range) = Range::between_signed(width, low, high) {
            self.narrow(&a, range);
        }
    }

    /// Whether a signed sum, difference or product does not overflow, as far as its operands are known.
    pub(in super::super) fn has_room(&self, op: &Op) -> bool {
        let Op::Binary { op: kind, a, b, .. } = op else { return false };
        let signed = |operand: Operand| {
            let range = self.bounds_of(&self.operand(operand)?)?;
            let [_, bounds] = range.bounds();
            (range.width() <= MAX_WIDTH).then_some((range.width(), bounds))
        };
        let (Some((width, (a, b))), Some((_, (c, d)))) = (signed(*a), signed(*b)) else {
            return false;
        };
        let ends = match kind {
            BinaryOp::Add => [a.checked_add(c), b.checked_add(d)],
            BinaryOp::Sub => [a.checked_sub(d), b.checked_sub(c)],
            BinaryOp::Mul => {
                let products = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| x.checked_mul(y));
                let all = || products.into_iter();
                // `None`, which is too large, is the least of all.
                [all().min().flatten(), all().max().flatten()]
            }
            _ => return false,
        };
        let [_, (least, most)] = Range::all(width).bounds();
        ends.into_iter().all(|end| end.is_some_and(|end| least <= end && end <= most))
    }

    /// Bounds of the result of an operation that is not linear.
    pub(super) fn bounds(&self, op: &Op, width: u32) -> Range {
        let of = |operand: Operand| {
            let sum = self.operand(operand);
            sum.and_then(|sum| self.bounds_of(&sum)).unwrap_or_else(|| Range::all(width))
        };
        match op {
            Op::Cast { op, a } => {
                let Some(from) = self.operand(*a) else {
                    // A truth value.
                    return match (op, self.body.function.operand_bits(self.body.module, *a)) {
                        (CastOp::ZeroExtend, 1) => Range::at_most(width, 1),
                        _ => Range::all(width),
                    };
                };
                let range = self.bounds_of(&from).unwrap_or_else(|| Range::all(from.width));
                match op {
                    CastOp::ZeroExtend => range.zero_extended(width),
                    CastOp::SignExtend => range.sign_extended(width),
                    CastOp::Truncate => range.truncated(width),
                    CastOp::PointerToInt | CastOp::IntToPointer => Range::all(width),
                }
            }
            Op::Select { a, b, .. } => of(*a).join(&of(*b)),
            Op::Binary { op, a, b, .. } => of_binary(*op, &of(*a), &of(*b)),
            _ => Range::all(width),
        }
    }
}

/// Bounds of the result of an operation that is not linear. A divisor of zero cuts the run off.
fn of_binary(op: BinaryOp, a: &Range, b: &Range) -> Range {
    let (width, by) = (a.width(), b.single());
    let is_natural = a.is_natural() && b.is_natural();
    match op {
        BinaryOp::And if a.single().is_some() && by.is_none() => of_binary(op, b, a),
        BinaryOp::And => {
            let all = by.map(|mask| mask.wrapping_add(1)).filter(|all| all.is_power_of_two());
            let rest = all.and_then(|all| a.divided(all)).map(|(rest, _)| rest);
            rest.unwrap_or_else(|| Range::at_most(width, a.most().min(b.most())))
        }
        BinaryOp::UnsignedRem => {
            let rest = by.and_then(|by| a.divided(by)).map(|(rest, _)| rest);
            rest.unwrap_or_else(|| Range::at_most(width, a.most().min(b.most().max(1) - 1)))
        }
        BinaryOp::UnsignedDiv => {
            let quotient = by.and_then(|by| a.divided(by)).map(|(_, quotient)| quotient);
            quotient.unwrap_or_else(|| Range::at_most(width, a.most()))
        }
        BinaryOp::LogicalShiftRight => {
            let by = by.filter(|by| *by < u128::from(width)).map(|by| 1 << by);
            let quotient = by.and_then(|by| a.divided(by)).map(|(_, quotient)| quotient);
            quotient.unwrap_or_else(|| Range::at_most(width, a.most()))
        }
        BinaryOp::ArithmeticShiftRight if is_natural => {
            of_binary(BinaryOp::LogicalShiftRight, a, b)
        }
        BinaryOp::SignedRem if is_natural => of_binary(BinaryOp::UnsignedRem, a, b),
        BinaryOp::SignedDiv if is_natural => of_binary(BinaryOp::UnsignedDiv, a, b),
        BinaryOp::Mul => a.times(b),
        BinaryOp::Or | BinaryOp::Xor => {
            let most = a.most().max(b.most());
            let all = most.checked_add(1).and_then(u128::checked_next_power_of_two);
            all.map_or(Range::all(width), |all| Range::at_most(width, all - 1))
        }
        _ => Range::all(width),
    }
}
