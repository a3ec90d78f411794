//! Integers as gates: operations on bit-vectors, the lowest bit first.
//!
//! Every operation has a result, that of SMT-LIB's `QF_BV`, as [`sapa_ir::goto::arithmetic`] has.

use sapa_ir::goto::{BinaryOp, CompareOp, UnaryOp};

use crate::sat::{FALSE, Literal, Sat, TRUE};

/// An integer: its bits, the lowest first.
pub(super) type Bits = Vec<Literal>;

fn literal(value: bool) -> Literal {
    if value { TRUE } else { FALSE }
}

/// A constant.
pub(super) fn constant(bits: usize, value: u128) -> Bits {
    (0..bits).map(|at| literal(at < 128 && value >> at & 1 == 1)).collect()
}

/// The constant that it is, if it is one.
pub(super) fn as_constant(a: &[Literal]) -> Option<u128> {
    let mut value = 0;
    for (at, bit) in a.iter().enumerate() {
        match *bit {
            TRUE if at < 128 => value |= 1 << at,
            FALSE => {}
            _ => return None,
        }
    }
    Some(value)
}

/// `a` made longer with zeros, or cut.
pub(super) fn resized(a: &[Literal], bits: usize) -> Bits {
    a.iter().copied().chain(std::iter::repeat(FALSE)).take(bits).collect()
}

/// `a` made longer with its sign, or cut.
pub(super) fn sign_extended(a: &[Literal], bits: usize) -> Bits {
    let sign = a.last().copied().unwrap_or(FALSE);
    a.iter().copied().chain(std::iter::repeat(sign)).take(bits).collect()
}

/// `condition ? a : b`.
pub(super) fn ite(sat: &mut Sat, condition: Literal, a: &[Literal], b: &[Literal]) -> Bits {
    a.iter().zip(b).map(|(a, b)| sat.ite(condition, *a, *b)).collect()
}

fn negated(a: &[Literal]) -> Bits {
    a.iter().map(|bit| -bit).collect()
}

/// The sum with a carry, and the last carry.
fn sum(sat: &mut Sat, a: &[Literal], b: &[Literal], mut carry: Literal) -> (Bits, Literal) {
    let mut result = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        let odd = sat.differ(*a, *b);
        result.push(sat.differ(odd, carry));
        let both = sat.and(*a, *b);
        let one = sat.and(odd, carry);
        carry = sat.or(both, one);
    }
    (result, carry)
}

/// `a + b`.
pub(super) fn add(sat: &mut Sat, a: &[Literal], b: &[Literal]) -> Bits {
    sum(sat, a, b, FALSE).0
}

/// `a - b`.
pub(super) fn sub(sat: &mut Sat, a: &[Literal], b: &[Literal]) -> Bits {
    sum(sat, a, &negated(b), TRUE).0
}

fn neg(sat: &mut Sat, a: &[Literal]) -> Bits {
    let zero = constant(a.len(), 0);
    sub(sat, &zero, a)
}

/// `a * b`.
pub(super) fn mul(sat: &mut Sat, a: &[Literal], b: &[Literal]) -> Bits {
    let bits = a.len();
    let mut result = constant(bits, 0);
    for (at, bit) in b.iter().enumerate() {
        if *bit == FALSE {
            continue;
        }
        let shifted: Bits = std::iter::repeat_n(FALSE, at).chain(a.iter().copied()).collect();
        let row: Bits = shifted.iter().take(bits).map(|a| sat.and(*a, *bit)).collect();
        result = add(sat, &result, &row);
    }
    result
}

/// Quotient and remainder of a division without signs.
fn divide(sat: &mut Sat, a: &[Literal], b: &[Literal]) -> (Bits, Bits) {
    let bits = a.len();
    let divisor = resized(b, bits + 1);
    let mut rest = constant(bits + 1, 0);
    let mut quotient = constant(bits, 0);
    for at in (0..bits).rev() {
        rest.pop();
        rest.insert(0, a[at]);
        let fits = -less(sat, &rest, &divisor);
        let difference = sub(sat, &rest, &divisor);
        rest = ite(sat, fits, &difference, &rest);
        quotient[at] = fits;
    }
    rest.pop();
    (quotient, rest)
}

/// The same with signs: towards zero, the remainder with the sign of the dividend.
fn divide_signed(sat: &mut Sat, a: &[Literal], b: &[Literal]) -> (Bits, Bits) {
    let sign = |a: &[Literal]| a.last().copied().unwrap_or(FALSE);
    let (of_a, of_b) = (sign(a), sign(b));
    let mut absolute = |a: &[Literal]| {
        let minus = neg(sat, a);
        ite(sat, sign(a), &minus, a)
    };
    let (a, b) = (absolute(a), absolute(b));
    let (quotient, rest) = divide(sat, &a, &b);
    let differ = sat.differ(of_a, of_b);
    let minus = neg(sat, &quotient);
    let quotient = ite(sat, differ, &minus, &quotient);
    let minus = neg(sat, &rest);
    (quotient, ite(sat, of_a, &minus, &rest))
}

/// `a` shifted up by `distance`; where that is the width or more nothing is left.
fn shift_up(sat: &mut Sat, a: &[Literal], distance: &[Literal], fill: Literal) -> Bits {
    let bits = a.len();
    let mut result = a.to_vec();
    let mut far = FALSE;
    for (at, bit) in distance.iter().enumerate() {
        let by = 1usize.checked_shl(at as u32).filter(|by| *by < bits);
        let Some(by) = by else {
            far = sat.or(far, *bit);
            continue;
        };
        let moved: Bits =
            std::iter::repeat_n(fill, by).chain(result.iter().copied()).take(bits).collect();
        result = ite(sat, *bit, &moved, &result);
    }
    let nothing = vec![fill; bits];
    ite(sat, far, &nothing, &result)
}

fn shift_down(sat: &mut Sat, a: &[Literal], distance: &[Literal], fill: Literal) -> Bits {
    let reversed: Bits = a.iter().rev().copied().collect();
    let mut result = shift_up(sat, &reversed, distance, fill);
    result.reverse();
    result
}

/// `a op b`.
pub(super) fn binary(sat: &mut Sat, op: BinaryOp, a: &[Literal], b: &[Literal]) -> Bits {
    match op {
        BinaryOp::Add => add(sat, a, b),
        BinaryOp::Sub => sub(sat, a, b),
        BinaryOp::Mul => mul(sat, a, b),
        BinaryOp::UnsignedDiv => divide(sat, a, b).0,
        BinaryOp::UnsignedRem => divide(sat, a, b).1,
        BinaryOp::SignedDiv => divide_signed(sat, a, b).0,
        BinaryOp::SignedRem => divide_signed(sat, a, b).1,
        BinaryOp::ShiftLeft => shift_up(sat, a, b, FALSE),
        BinaryOp::LogicalShiftRight => shift_down(sat, a, b, FALSE),
        BinaryOp::ArithmeticShiftRight => {
            let sign = a.last().copied().unwrap_or(FALSE);
            shift_down(sat, a, b, sign)
        }
        BinaryOp::And => a.iter().zip(b).map(|(a, b)| sat.and(*a, *b)).collect(),
        BinaryOp::Or => a.iter().zip(b).map(|(a, b)| sat.or(*a, *b)).collect(),
        BinaryOp::Xor => a.iter().zip(b).map(|(a, b)| sat.differ(*a, *b)).collect(),
    }
}

/// `op a`.
pub(super) fn unary(sat: &mut Sat, op: UnaryOp, a: &[Literal]) -> Bits {
    match op {
        UnaryOp::Not => negated(a),
        UnaryOp::Neg => neg(sat, a),
    }
}

/// Whether the two are equal. The upper bits are compared first, which addresses of one object share.
pub(super) fn equal(sat: &mut Sat, a: &[Literal], b: &[Literal]) -> Literal {
    let mut all = TRUE;
    for (a, b) in a.iter().zip(b).rev() {
        let same = -sat.differ(*a, *b);
        all = sat.and(all, same);
    }
    all
}

/// `a < b` without signs.
pub(super) fn less(sat: &mut Sat, a: &[Literal], b: &[Literal]) -> Literal {
    let mut less = FALSE;
    for (a, b) in a.iter().zip(b) {
        let differ = sat.differ(*a, *b);
        less = sat.ite(differ, *b, less);
    }
    less
}

/// The bits with the sign turned round: the order of signed integers is that of these without signs.
fn biased(a: &[Literal]) -> Bits {
    let mut a = a.to_vec();
    if let Some(sign) = a.last_mut() {
        *sign = -*sign;
    }
    a
}

/// `a op b`.
pub(super) fn compare(sat: &mut Sat, op: CompareOp, a: &[Literal], b: &[Literal]) -> Literal {
    match op {
        CompareOp::Eq => equal(sat, a, b),
        CompareOp::Ne => -equal(sat, a, b),
        CompareOp::UnsignedLt => less(sat, a, b),
        CompareOp::UnsignedLe => -less(sat, b, a),
        CompareOp::SignedLt => less(sat, &biased(a), &biased(b)),
        CompareOp::SignedLe => -less(sat, &biased(b), &biased(a)),
    }
}

/// Whether a signed operation leaves the range of its width.
pub(super) fn overflows(sat: &mut Sat, op: BinaryOp, a: &[Literal], b: &[Literal]) -> Literal {
    let bits = a.len();
    let wide = match op {
        BinaryOp::Add | BinaryOp::Sub => bits + 1,
        BinaryOp::Mul => 2 * bits,
        _ => return FALSE,
    };
    let (a, b) = (sign_extended(a, wide), sign_extended(b, wide));
    let exact = binary(sat, op, &a, &b);
    let back = sign_extended(&exact[..bits], wide);
    -equal(sat, &exact, &back)
}

/// Whether an operation is not defined: a division by zero, a quotient that does not fit, a shift by the
/// width or more.
pub(super) fn undefined(sat: &mut Sat, op: BinaryOp, a: &[Literal], b: &[Literal]) -> Literal {
    let bits = a.len();
    let mut is = |a: &[Literal], value: u128| equal(sat, a, &constant(bits, value));
    match op {
        BinaryOp::UnsignedDiv | BinaryOp::UnsignedRem => is(b, 0),
        BinaryOp::SignedDiv | BinaryOp::SignedRem => {
            let (by_zero, by_minus_one) = (is(b, 0), is(b, u128::MAX));
            let least = is(a, 1 << (bits.clamp(1, 128) - 1));
            let does_not_fit = sat.and(least, by_minus_one);
            sat.or(by_zero, does_not_fit)
        }
        BinaryOp::ShiftLeft | BinaryOp::LogicalShiftRight | BinaryOp::ArithmeticShiftRight => {
            // The width may need more bits than there are: then every distance is below it.
            let wide = bits + 8;
            -less(sat, &resized(b, wide), &constant(wide, bits as u128))
        }
        _ => FALSE,
    }
}

#[cfg(test)]
mod tests {
    use sapa_ir::goto::arithmetic;
    use sapa_limits::Limits;

    use super::*;

    const BINARY: [BinaryOp; 13] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::UnsignedDiv,
        BinaryOp::SignedDiv,
        BinaryOp::UnsignedRem,
        BinaryOp::SignedRem,
        BinaryOp::ShiftLeft,
        BinaryOp::LogicalShiftRight,
        BinaryOp::ArithmeticShiftRight,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
    ];
    const COMPARE: [CompareOp; 6] = [
        CompareOp::Eq,
        CompareOp::Ne,
        CompareOp::UnsignedLt,
        CompareOp::UnsignedLe,
        CompareOp::SignedLt,
        CompareOp::SignedLe,
    ];

    /// Gates over constants are constants, and have the values that the IR's arithmetic has; over
    /// variables that are told the values they have the same.
    #[test]
    fn gates_compute_what_the_arithmetic_of_the_ir_does() {
        let mut sat = Sat::new(&Limits::default());
        let mut seed: u128 = 0x1234_5678_9abc_def0_0fed_cba9_8765_4321;
        let mut random = || {
            seed = seed.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(99);
            seed >> 7
        };
        for bits in [1u16, 2, 3, 8, 13, 32, 64, 128] {
            let special = [0, 1, u128::MAX, 1 << (bits - 1), u128::from(bits)];
            for round in 0..25usize {
                let mut pick = |at: usize| match special.get(at) {
                    Some(value) => *value,
                    None => random(),
                };
                let (a, b) = (pick(round % 6), pick(round / 5));
                let (a, b) = (a & arithmetic::mask(bits), b & arithmetic::mask(bits));
                let wide = usize::from(bits);
                let (x, y) = (constant(wide, a), constant(wide, b));
                for op in BINARY {
                    let found = as_constant(&binary(&mut sat, op, &x, &y));
                    assert_eq!(found, Some(arithmetic::binary(op, a, b, bits)), "{op:?} {a} {b}");
                    let found = undefined(&mut sat, op, &x, &y);
                    assert_eq!(found, literal(arithmetic::undefined(op, a, b, bits)), "{op:?}");
                    let found = overflows(&mut sat, op, &x, &y);
                    assert_eq!(found, literal(arithmetic::overflows(op, a, b, bits)), "{op:?}");
                }
                for op in COMPARE {
                    let found = compare(&mut sat, op, &x, &y);
                    assert_eq!(found, literal(arithmetic::compare(op, a, b, bits)), "{op:?}");
                }
                if bits <= 13 && round % 5 == 0 {
                    let (u, v) = (sat.several(wide), sat.several(wide));
                    let told: Vec<Literal> = u
                        .iter()
                        .chain(&v)
                        .zip(x.iter().chain(&y))
                        .map(|(variable, value)| if *value == TRUE { *variable } else { -variable })
                        .collect();
                    for op in BINARY {
                        let gates = binary(&mut sat, op, &u, &v);
                        assert_eq!(sat.solve(&told), Some(true));
                        let value = arithmetic::binary(op, a, b, bits);
                        for (at, gate) in gates.iter().enumerate() {
                            let expected = value >> at & 1 == 1;
                            assert_eq!(sat.value(*gate), expected, "{op:?} {a} {b} bit {at}");
                        }
                    }
                }
            }
        }
    }
}
