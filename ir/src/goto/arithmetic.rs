//! Operations on machine integers, as [`BinaryOp`] and others define them: of the interpreter, of
//! passes that evaluate constants, and of the solver's terms.
//!
//! A value of some width is in the low bits of a `u128`; the bits above are zero. Widths are 1 to
//! 128. Every operation has a result: that of SMT-LIB's `QF_BV`.

use super::instruction::{BinaryOp, CastOp, CompareOp, UnaryOp};

/// All ones at a width.
#[must_use]
pub fn mask(bits: impl Into<u32>) -> u128 {
    let bits = bits.into();
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// A value read as two's complement.
#[must_use]
pub fn signed(value: u128, bits: impl Into<u32>) -> i128 {
    let shift = 128 - bits.into().clamp(1, 128);
    ((value << shift) as i128) >> shift
}

/// `op a` at a width.
#[must_use]
pub fn unary(op: UnaryOp, a: u128, bits: impl Into<u32>) -> u128 {
    let result = match op {
        UnaryOp::Not => !a,
        UnaryOp::Neg => a.wrapping_neg(),
    };
    result & mask(bits)
}

/// A value of width `from` converted to width `to`; `None` between integers and pointers.
#[must_use]
pub fn cast(op: CastOp, a: u128, from: u16, to: u16) -> Option<u128> {
    match op {
        CastOp::ZeroExtend | CastOp::Truncate => Some(a & mask(to)),
        CastOp::SignExtend => Some(signed(a, from) as u128 & mask(to)),
        CastOp::PointerToInt | CastOp::IntToPointer => None,
    }
}

/// `a op b` at a width.
#[must_use]
pub fn binary(op: BinaryOp, a: u128, b: u128, bits: impl Into<u32>) -> u128 {
    let bits = bits.into();
    let (x, y) = (signed(a, bits), signed(b, bits));
    let distance = u32::try_from(b).ok().filter(|&n| n < bits);
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UnsignedDiv => a.checked_div(b).unwrap_or(u128::MAX),
        BinaryOp::UnsignedRem => a.checked_rem(b).unwrap_or(a),
        BinaryOp::SignedDiv if y == 0 => {
            if x < 0 {
                1
            } else {
                u128::MAX
            }
        }
        BinaryOp::SignedDiv => x.wrapping_div(y) as u128,
        BinaryOp::SignedRem if y == 0 => a,
        BinaryOp::SignedRem => x.wrapping_rem(y) as u128,
        BinaryOp::ShiftLeft => distance.map_or(0, |n| a << n),
        BinaryOp::LogicalShiftRight => distance.map_or(0, |n| a >> n),
        BinaryOp::ArithmeticShiftRight => (x >> distance.unwrap_or(127)) as u128,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    };
    result & mask(bits)
}

/// Whether the signed operation leaves the range of the width.
#[must_use]
pub fn overflows(op: BinaryOp, a: u128, b: u128, bits: impl Into<u32>) -> bool {
    let bits = bits.into();
    let (x, y) = (signed(a, bits), signed(b, bits));
    let exact = match op {
        BinaryOp::Add => x.checked_add(y),
        BinaryOp::Sub => x.checked_sub(y),
        BinaryOp::Mul => x.checked_mul(y),
        _ => return false,
    };
    exact.is_none_or(|value| signed(value as u128 & mask(bits), bits) != value)
}

/// Whether C leaves the operation undefined: a division by zero, a quotient that does not fit, a
/// shift by the width or more. (A negative distance is a large one.) [`binary`] has a result
/// there too; a run ends before.
#[must_use]
pub fn undefined(op: BinaryOp, a: u128, b: u128, bits: u16) -> bool {
    match op {
        BinaryOp::UnsignedDiv | BinaryOp::UnsignedRem => b == 0,
        BinaryOp::SignedDiv | BinaryOp::SignedRem => {
            let least = 1 << (bits.clamp(1, 128) - 1);
            b == 0 || (a == least && b == mask(bits))
        }
        BinaryOp::ShiftLeft | BinaryOp::LogicalShiftRight | BinaryOp::ArithmeticShiftRight => {
            b >= u128::from(bits)
        }
        _ => false,
    }
}

/// `a op b`.
#[must_use]
pub fn compare(op: CompareOp, a: u128, b: u128, bits: impl Into<u32>) -> bool {
    let bits = bits.into();
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::UnsignedLt => a < b,
        CompareOp::UnsignedLe => a <= b,
        CompareOp::SignedLt => signed(a, bits) < signed(b, bits),
        CompareOp::SignedLe => signed(a, bits) <= signed(b, bits),
    }
}
