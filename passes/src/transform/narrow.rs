//! `narrow`: computations on widened integers whose result is cut back are done in the width that they came from.
//!
//! C computes with nothing narrower than `int`: `count++` of an `unsigned char` is widened, incremented and cut, and
//! `count == 255` compares what was widened. Sums, differences, products and operations on bits have low bits that
//! depend on the low bits of their operands only, and widening keeps what is equal and what is smaller; so
//! both are said of the narrow numbers themselves. Analyses then see that a `char` changes by one, predicates
//! are over fewer bits, and constants that are compared with a variable have its width.
//!
//! The wide operation stays where something else reads it, or where it may cut a run off (a signed one that
//! overflows).

use sapa_ir::goto::{
    BinaryOp, BlockId, Builder, CastOp, CompareOp, Function, FunctionId, Instruction, Module, Op,
    Operand, Type, arithmetic,
};

use crate::analysis::definitions::Definitions;
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "narrow",
    summary: "compute in the width of variables what C computes in that of int",
    options: &[],
    preserves: &[],
    run: Run::Function(run),
};

/// How deeply what is cut is looked into.
const DEPTH: usize = 6;

fn run(module: &mut Module, id: FunctionId, context: &mut Context<'_>) -> Result<bool, PassError> {
    let function = &mut module.functions[id.index()];
    let before = function.clone();
    let narrow = Narrow { definitions: Definitions::new(&before) };
    let mut changed = false;
    for block in 0..function.blocks.len() {
        context.limits.check()?;
        function.rewrite_block(BlockId::new(block), |builder, _, mut instruction| {
            if let Some(op) = narrow.narrowed(builder, &instruction) {
                instruction.op = op;
                changed = true;
            }
            builder.push(instruction);
        });
    }
    Ok(changed)
}

/// By what values were defined as, before anything is done in another width.
struct Narrow<'f> {
    definitions: Definitions<'f>,
}

impl Narrow<'_> {
    /// The operation that computes what an instruction does, from narrower operands; what these need is appended first.
    fn narrowed(&self, builder: &mut Builder<'_>, instruction: &Instruction) -> Option<Op> {
        match instruction.op {
            Op::Cast { op: CastOp::Truncate, a } => {
                let width = width(builder.function, Operand::Value(instruction.result?))?;
                // One conversion after another is for `simplify`.
                let wide = self.definitions.behind_copies(a)?;
                let is_computed = matches!(wide, Op::Binary { .. } | Op::Unary { .. });
                (is_computed && self.can_cut(builder.function, a, width, DEPTH))
                    .then(|| self.computed(builder, wide, width))
            }
            Op::Compare { op, a, b } => self.compared(builder.function, op, a, b),
            _ => None,
        }
    }

    /// Whether the low bits of an operand are those of narrow operands.
    fn can_cut(&self, function: &Function, operand: Operand, to: u16, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let can_cut = |a: &Operand| self.can_cut(function, *a, to, depth);
        if matches!(operand, Operand::Int { .. }) || width(function, operand) == Some(to) {
            return true;
        }
        match self.definitions.behind_copies(operand) {
            Some(Op::Cast { op, a }) => match (op, width(function, *a)) {
                (CastOp::ZeroExtend | CastOp::SignExtend, Some(from)) => from > 1 && from <= to,
                _ => false,
            },
            Some(Op::Unary { a, .. }) => can_cut(a),
            Some(Op::Binary { op: BinaryOp::ShiftLeft, a, b, .. }) => {
                matches!(b, Operand::Int { value, .. } if *value < u128::from(to)) && can_cut(a)
            }
            Some(Op::Binary { op, a, b, .. }) => {
                let is_of_low_bits = matches!(
                    op,
                    BinaryOp::Add
                        | BinaryOp::Sub
                        | BinaryOp::Mul
                        | BinaryOp::And
                        | BinaryOp::Or
                        | BinaryOp::Xor
                );
                is_of_low_bits && can_cut(a) && can_cut(b)
            }
            _ => false,
        }
    }

    /// The low bits of an operand, of which [`Self::can_cut`] said that they can be computed.
    fn cut(&self, builder: &mut Builder<'_>, operand: Operand, to: u16) -> Operand {
        if let Operand::Int { value, .. } = operand {
            return Operand::int(to, value & arithmetic::mask(to));
        }
        if width(builder.function, operand) == Some(to) {
            return operand;
        }
        let Some(op) = self.definitions.behind_copies(operand) else { return operand };
        let op = match op {
            Op::Cast { a, .. } if width(builder.function, *a) == Some(to) => return *a,
            op => self.computed(builder, op, to),
        };
        let result = builder.function.add_value(Type::Int(to), None);
        builder.push(Instruction { op, result: Some(result), location: builder.location });
        Operand::Value(result)
    }

    /// The operation on the low bits of its operands.
    fn computed(&self, builder: &mut Builder<'_>, op: &Op, to: u16) -> Op {
        match *op {
            Op::Unary { op, a } => Op::Unary { op, a: self.cut(builder, a, to) },
            Op::Binary { op, a, b, .. } => {
                let (a, b) = (self.cut(builder, a, to), self.cut(builder, b, to));
                Op::Binary { op, a, b, no_signed_wrap: false }
            }
            // A conversion to more bits, to fewer than before.
            ref op => op.clone(),
        }
    }

    /// A comparison of widened numbers, or of one with a constant, as one of what was widened.
    fn compared(&self, function: &Function, op: CompareOp, a: Operand, b: Operand) -> Option<Op> {
        let (left, right) = (self.widened(function, a), self.widened(function, b));
        let (how, from, a, b) = match (left, right) {
            (Some((how, from, a)), Some((other, same, b))) if how == other && from == same => {
                (how, from, a, b)
            }
            (Some((how, from, a)), None) => (how, from, a, constant(how, from, b)?),
            (None, Some((how, from, b))) => (how, from, constant(how, from, a)?, b),
            _ => return None,
        };
        // What C makes of a condition, which is looked through anyway.
        if from == 1 {
            return None;
        }
        // Numbers that were filled with zeros have no sign.
        let op = match op {
            CompareOp::SignedLt if how == CastOp::ZeroExtend => CompareOp::UnsignedLt,
            CompareOp::SignedLe if how == CastOp::ZeroExtend => CompareOp::UnsignedLe,
            op => op,
        };
        Some(Op::Compare { op, a, b })
    }

    /// How an operand was widened, from how many bits, and what.
    fn widened(&self, function: &Function, operand: Operand) -> Option<(CastOp, u16, Operand)> {
        match self.definitions.behind_copies(operand)? {
            Op::Cast { op: op @ (CastOp::ZeroExtend | CastOp::SignExtend), a } => {
                Some((*op, width(function, *a)?, *a))
            }
            _ => None,
        }
    }
}

/// The constant that is this one when it is widened, if there is one.
fn constant(how: CastOp, from: u16, operand: Operand) -> Option<Operand> {
    let Operand::Int { bits, value } = operand else { return None };
    let narrow = value & arithmetic::mask(from);
    (arithmetic::cast(how, narrow, from, bits)? == value).then(|| Operand::int(from, narrow))
}

/// The width of an operand that is an integer.
fn width(function: &Function, operand: Operand) -> Option<u16> {
    match function.operand_type(operand) {
        Type::Int(bits) => Some(bits),
        _ => None,
    }
}
