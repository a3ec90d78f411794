//! `check-division`: divisors are not zero, quotients fit, and no shift is as far as its operand is wide.

use sapa_ir::goto::{
    BinaryOp, Builder, CompareOp, FunctionId, Instruction, Module, Op, Operand, SignedOverflow,
};

use super::{Claim, assert_in_source, is_own_model};
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "check-division",
    summary: "assert that no division is by zero or overflows, and no shift is too far",
    options: &[],
    preserves: &[],
    run: Run::Function(run),
};

fn run(module: &mut Module, id: FunctionId, context: &mut Context<'_>) -> Result<bool, PassError> {
    assert_in_source(module, id, context, claims)
}

fn claims(module: &Module, builder: &mut Builder<'_>, instruction: &Instruction) -> Vec<Claim> {
    let Op::Binary { op, b, .. } = instruction.op else { return Vec::new() };
    // What never is undefined has nothing to be asserted, whatever signed overflow does.
    let is_arithmetic = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
    let may_be = instruction.op.may_be_undefined(SignedOverflow::Wrap);
    if is_arithmetic || !may_be || is_own_model(module, instruction.location) {
        return Vec::new();
    }
    let bits = builder.function.operand_bits(module, b);
    let mut claims = Vec::new();
    let divides = matches!(
        op,
        BinaryOp::UnsignedDiv | BinaryOp::SignedDiv | BinaryOp::UnsignedRem | BinaryOp::SignedRem
    );
    if !divides {
        // A negative distance is a large one.
        let width = Operand::int(bits, bits.into());
        let is_near = builder.compare(CompareOp::UnsignedLt, b, width);
        return vec![(is_near, format!("the distance of a shift is from 0 to {}", bits - 1))];
    }
    if !matches!(b, Operand::Int { value, .. } if value != 0) {
        let condition = builder.compare(CompareOp::Ne, b, Operand::int(bits, 0));
        claims.push((condition, "no division by zero".to_owned()));
    }
    claims.extend(quotient_fits(module, builder, instruction));
    claims
}

/// That a signed quotient fits into its type, if it may not: of the least number by -1 it does not.
pub(super) fn quotient_fits(
    module: &Module,
    builder: &mut Builder<'_>,
    instruction: &Instruction,
) -> Option<Claim> {
    let Op::Binary { op: BinaryOp::SignedDiv | BinaryOp::SignedRem, a, b, .. } = instruction.op
    else {
        return None;
    };
    let bits = builder.function.operand_bits(module, b);
    let least = Operand::int(bits, 1 << (bits - 1));
    let minus_one = Operand::int(bits, u128::MAX);
    let may_be = |operand: Operand, number: Operand| {
        !matches!(operand, Operand::Int { .. }) || operand == number
    };
    if !may_be(a, least) || !may_be(b, minus_one) {
        return None;
    }
    let fits = builder.compare(CompareOp::Ne, a, least);
    let is_other = builder.compare(CompareOp::Ne, b, minus_one);
    let condition = builder.binary(BinaryOp::Or, fits, is_other, false);
    Some((condition, format!("no signed overflow: the quotient fits into {bits} bits")))
}
