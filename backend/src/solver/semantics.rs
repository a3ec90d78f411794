//! What each bit-vector operator computes on concrete values.
//!
//! This is the single statement of the operators' meaning: constant folding
//! and `evaluate` call it, and the bit-blaster is tested
//! against it. Values of width `w` are stored in the low `w` bits of a `u128`;
//! the bits above are zero. The meaning is that of SMT-LIB's `QF_BV`, so every
//! operator is total:
//!
//! * arithmetic wraps modulo `2^w`;
//! * `udiv x 0` is all ones, `urem x 0` is `x`;
//! * `sdiv`/`srem` truncate towards zero, `srem` has the sign of the dividend,
//!   `sdiv MIN -1` wraps to `MIN`; `sdiv x 0` is `-1` for `x >= 0` and `1` for
//!   `x < 0`, `srem x 0` is `x`;
//! * a shift by `w` or more gives zero (`shl`, `lshr`) or copies of the sign
//!   (`ashr`).

use super::term::{BinaryOp, OverflowOp};

/// The widest bit-vector that terms support.
pub const MAX_WIDTH: u32 = 128;

/// All ones at `width`, which is at the same time the largest unsigned value.
pub fn mask(width: u32) -> u128 {
    if width >= MAX_WIDTH { u128::MAX } else { (1u128 << width) - 1 }
}

/// The low `width` bits of `value`.
pub fn truncate(value: u128, width: u32) -> u128 {
    value & mask(width)
}

/// Reads the low `width` bits of `value` as a two's complement number.
pub fn to_signed(value: u128, width: u32) -> i128 {
    let shift = MAX_WIDTH - width.clamp(1, MAX_WIDTH);
    ((value << shift) as i128) >> shift
}

/// Writes a signed number as a two's complement value of `width` bits.
pub fn from_signed(value: i128, width: u32) -> u128 {
    truncate(value as u128, width)
}

/// The largest signed value of `width` bits.
pub fn signed_max(width: u32) -> i128 {
    (mask(width) >> 1) as i128
}

/// The smallest signed value of `width` bits.
pub fn signed_min(width: u32) -> i128 {
    -signed_max(width) - 1
}

/// The value of a binary operator on two values of `width` bits.
pub fn binary(op: BinaryOp, a: u128, b: u128, width: u32) -> u128 {
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Udiv => a.checked_div(b).unwrap_or(u128::MAX),
        BinaryOp::Urem => a.checked_rem(b).unwrap_or(a),
        BinaryOp::Sdiv => signed_division(to_signed(a, width), to_signed(b, width)) as u128,
        BinaryOp::Srem => signed_remainder(to_signed(a, width), to_signed(b, width)) as u128,
        BinaryOp::Shl => shift_amount(b, width).map_or(0, |n| a << n),
        BinaryOp::Lshr => shift_amount(b, width).map_or(0, |n| a >> n),
        BinaryOp::Ashr => {
            let n = shift_amount(b, width).unwrap_or(width - 1);
            (to_signed(a, width) >> n) as u128
        }
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    };
    truncate(result, width)
}

fn signed_division(a: i128, b: i128) -> i128 {
    match b {
        0 if a < 0 => 1,
        0 => -1,
        _ => a.wrapping_div(b),
    }
}

fn signed_remainder(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { a.wrapping_rem(b) }
}

/// The shift amount if it is below the width.
fn shift_amount(b: u128, width: u32) -> Option<u32> {
    u32::try_from(b).ok().filter(|&n| n < width)
}

/// Whether the signed operation leaves the range of `width` bits.
pub fn overflows(op: OverflowOp, a: u128, b: u128, width: u32) -> bool {
    let (a, b) = (to_signed(a, width), to_signed(b, width));
    let exact = match op {
        OverflowOp::Add => a.checked_add(b),
        OverflowOp::Sub => a.checked_sub(b),
        OverflowOp::Mul => a.checked_mul(b),
    };
    exact.is_none_or(|value| value < signed_min(width) || value > signed_max(width))
}

/// Whether `a < b` read as unsigned numbers of any width.
pub fn unsigned_less(a: u128, b: u128) -> bool {
    a < b
}

/// Whether `a < b` read as signed numbers of `width` bits.
pub fn signed_less(a: u128, b: u128, width: u32) -> bool {
    to_signed(a, width) < to_signed(b, width)
}
