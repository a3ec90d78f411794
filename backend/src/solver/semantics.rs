//! What each bit-vector operator computes on concrete values.
//!
//! That is what the operations of the IR compute ([`sapa_ir::goto::arithmetic`]). Constant folding and
//! `evaluate` call this, and the bit-blaster is tested against it. Values of width `w` are stored in
//! the low `w` bits of a `u128`; the bits above are zero. The meaning is that of SMT-LIB's `QF_BV`, so
//! every operator is total:
//!
//! * arithmetic wraps modulo `2^w`;
//! * `udiv x 0` is all ones, `urem x 0` is `x`;
//! * `sdiv`/`srem` truncate towards zero, `srem` has the sign of the dividend,
//!   `sdiv MIN -1` wraps to `MIN`; `sdiv x 0` is `-1` for `x >= 0` and `1` for
//!   `x < 0`, `srem x 0` is `x`;
//! * a shift by `w` or more gives zero (`shl`, `lshr`) or copies of the sign
//!   (`ashr`).

use sapa_ir::goto::{self, arithmetic};

pub use sapa_ir::goto::arithmetic::{mask, signed as to_signed};

use super::term::{BinaryOp, OverflowOp};

/// The widest bit-vector that terms support.
pub const MAX_WIDTH: u32 = 128;

/// The low `width` bits of `value`.
pub fn truncate(value: u128, width: u32) -> u128 {
    value & mask(width)
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
    arithmetic::binary(op.into(), a, b, width)
}

/// The operation of the IR that a term's operator is.
impl From<BinaryOp> for goto::BinaryOp {
    fn from(op: BinaryOp) -> Self {
        match op {
            BinaryOp::Add => Self::Add,
            BinaryOp::Mul => Self::Mul,
            BinaryOp::Udiv => Self::UnsignedDiv,
            BinaryOp::Urem => Self::UnsignedRem,
            BinaryOp::Sdiv => Self::SignedDiv,
            BinaryOp::Srem => Self::SignedRem,
            BinaryOp::Shl => Self::ShiftLeft,
            BinaryOp::Lshr => Self::LogicalShiftRight,
            BinaryOp::Ashr => Self::ArithmeticShiftRight,
            BinaryOp::And => Self::And,
            BinaryOp::Or => Self::Or,
            BinaryOp::Xor => Self::Xor,
        }
    }
}

/// Whether the signed operation leaves the range of `width` bits.
pub fn overflows(op: OverflowOp, a: u128, b: u128, width: u32) -> bool {
    let op = match op {
        OverflowOp::Add => goto::BinaryOp::Add,
        OverflowOp::Sub => goto::BinaryOp::Sub,
        OverflowOp::Mul => goto::BinaryOp::Mul,
    };
    arithmetic::overflows(op, a, b, width)
}
