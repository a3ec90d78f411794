//! `check-overflow`: signed sums, differences, products and quotients fit into their types, and so does what is shifted to
//! the left (C11 6.5.7p4), where the distance is defined. What is converted from floating point to an integer type fits into
//! it without its fraction (C11 6.3.1.4): the frontend calls a model for that, with the limits.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::arithmetic::{mask, signed};
use sapa_ir::goto::{
    BinaryOp, Builder, CastOp, CompareOp, Function, FunctionId, Instruction, Location, MemoryOrder,
    Module, Op, Operand, Section, Type, ValueId,
};

use super::division::quotient_fits;
use super::{Claim, assert_in_source};
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "check-overflow",
    summary: "assert that no signed sum, difference, product or quotient overflows",
    options: &[],
    preserves: &[],
    run: Run::Function(run),
};

fn run(module: &mut Module, id: FunctionId, context: &mut Context<'_>) -> Result<bool, PassError> {
    let atomic = updates(module.function(id));
    let ranges = Ranges::new(module, module.function(id));
    assert_in_source(module, id, context, |module, builder, instruction| {
        let is_atomic = instruction.result.is_some_and(|result| atomic.contains(&result));
        match is_atomic || ranges.suffice(module, builder.function, &instruction.op) {
            true => Vec::new(),
            false => claims(module, builder, instruction),
        }
    })
}

/// The least and the greatest signed number that a value may be.
type Range = (i128, i128);

/// The ranges of values by their types and by how they are computed: what was widened has the range that it had, and a
/// product of two such cannot overflow.
struct Ranges(FxHashMap<ValueId, Range>);

impl Ranges {
    fn new(module: &Module, function: &Function) -> Self {
        let mut ranges = Self(FxHashMap::default());
        for instruction in function.instructions() {
            let Some(result) = instruction.result else { continue };
            let of = |operand: Operand| ranges.of(module, function, operand);
            let range = match instruction.op {
                Op::Cast { op: CastOp::SignExtend, a } | Op::Copy { a } => of(a),
                Op::Cast { op: CastOp::ZeroExtend, a } => match function.operand_bits(module, a) {
                    bits @ 1..=126 => (0, (1 << bits) - 1),
                    _ => continue,
                },
                Op::Select { a, b, .. } => (of(a).0.min(of(b).0), of(a).1.max(of(b).1)),
                Op::Binary { op: BinaryOp::And, a, b, .. } => {
                    // A mask that is not negative.
                    let masks = [of(a), of(b)].into_iter().filter(|range| range.0 >= 0);
                    match masks.map(|range| range.1).min() {
                        Some(most) => (0, most),
                        None => continue,
                    }
                }
                Op::Binary { op, a, b, .. } => match of_result(op, of(a), of(b)) {
                    Some(range) => range,
                    None => continue,
                },
                _ => continue,
            };
            let all = of_bits(function.operand_bits(module, Operand::Value(result)));
            if all.0 <= range.0 && range.1 <= all.1 {
                ranges.0.insert(result, range);
            }
        }
        ranges
    }

    fn of(&self, module: &Module, function: &Function, operand: Operand) -> Range {
        match operand {
            Operand::Int { value, bits } => (signed(value, bits), signed(value, bits)),
            _ => operand
                .value()
                .and_then(|value| self.0.get(&value).copied())
                .unwrap_or_else(|| of_bits(function.operand_bits(module, operand))),
        }
    }

    /// Whether the result of a signed operation fits into its type.
    fn suffice(&self, module: &Module, function: &Function, op: &Op) -> bool {
        let Op::Binary { op, a, b, no_signed_wrap: true } = *op else { return false };
        let of = |operand| self.of(module, function, operand);
        let all = of_bits(function.operand_bits(module, a));
        of_result(op, of(a), of(b)).is_some_and(|range| all.0 <= range.0 && range.1 <= all.1)
    }
}

/// All signed numbers of a width.
fn of_bits(bits: u16) -> Range {
    match bits {
        0 | 128.. => (i128::MIN, i128::MAX),
        _ => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
    }
}

/// The range of an exact result; `None` where none is known.
fn of_result(op: BinaryOp, a: Range, b: Range) -> Option<Range> {
    match op {
        BinaryOp::Add => Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
        BinaryOp::Sub => Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)),
        BinaryOp::Mul => {
            let corner = |x: i128, y: i128| x.checked_mul(y);
            let corners =
                [corner(a.0, b.0)?, corner(a.0, b.1)?, corner(a.1, b.0)?, corner(a.1, b.1)?];
            Some((corners.into_iter().min()?, corners.into_iter().max()?))
        }
        BinaryOp::ShiftLeft if a.0 >= 0 && b.0 >= 0 && b.1 < 64 && a.1 < 1 << 62 => {
            Some((a.0 << b.0, a.1 << b.1))
        }
        _ => None,
    }
}

/// Whether what stands at a location is an atomic operation, which C lets wrap.
#[must_use]
pub fn is_atomic(module: &Module, location: Location) -> bool {
    const ATOMIC: [&str; 4] = ["__sync_", "__atomic_", "atomic_", "__c11_atomic_"];
    let name = module.operation(location).unwrap_or_default();
    ATOMIC.iter().any(|prefix| name.starts_with(prefix))
}

/// What atomic updates by an operator compute, as `++` does of an atomic variable: of what was read in a section of the same
/// place of the source, with a memory order.
fn updates(function: &Function) -> FxHashSet<ValueId> {
    let mut found = FxHashSet::default();
    for block in &function.blocks {
        let mut section: Option<Location> = None;
        let mut read: FxHashSet<ValueId> = FxHashSet::default();
        for instruction in &block.instructions {
            let is_here = section.is_some_and(|at| at.is_same_place(instruction.location));
            match (&instruction.op, instruction.result) {
                (Op::AtomicBegin(Section::Locked), _) => section = Some(instruction.location),
                (Op::AtomicEnd, _) => section = None,
                (Op::Load { order, .. }, Some(result))
                    if is_here && *order != MemoryOrder::Plain =>
                {
                    read.insert(result);
                }
                (
                    Op::Cast { a: Operand::Value(a), .. } | Op::Copy { a: Operand::Value(a) },
                    Some(result),
                ) if read.contains(a) => {
                    read.insert(result);
                }
                (Op::Binary { a, b, .. }, Some(result)) if is_here => {
                    let is_read = |o: &Operand| o.value().is_some_and(|v| read.contains(&v));
                    if is_read(a) || is_read(b) {
                        found.insert(result);
                    }
                }
                _ => {}
            }
        }
    }
    found
}

fn claims(module: &Module, builder: &mut Builder<'_>, instruction: &Instruction) -> Vec<Claim> {
    if let Op::Call { callee: Operand::Function(callee), arguments } = &instruction.op
        && let [number, above, below] = *arguments.as_slice()
        && module.functions.get(callee.index()).is_some_and(|callee| is_range(&callee.name))
    {
        let condition = number_fits(module, builder, number, above, below);
        let claim = "no overflow: the floating-point number fits into the integer type";
        return vec![(condition, claim.to_owned())];
    }
    let Op::Binary { op, a, b, no_signed_wrap: true } = instruction.op else {
        return quotient_fits(module, builder, instruction).into_iter().collect();
    };
    if is_atomic(module, instruction.location) {
        return Vec::new();
    }
    let bits = builder.function.operand_bits(module, a);
    let result = match op {
        BinaryOp::Add => "sum",
        BinaryOp::Sub if matches!(a, Operand::Int { value: 0, .. }) => "negated number",
        BinaryOp::Sub => "difference",
        BinaryOp::Mul => "product",
        BinaryOp::ShiftLeft => {
            let claim = format!(
                "no signed overflow: what is shifted is not negative and stays within {bits} bits"
            );
            return shift_fits(builder, a, b, bits)
                .map(|condition| (condition, claim))
                .into_iter()
                .collect();
        }
        _ => return Vec::new(),
    };
    let Some(condition) = fits(builder, op, a, b, bits) else { return Vec::new() };
    let claim = match module.operation(instruction.location) {
        // What the library computes is in no line of the source.
        Some(name) => format!("no signed overflow: the result of {name} fits into {bits} bits"),
        None => format!("no signed overflow: the {result} fits into {bits} bits"),
    };
    vec![(condition, claim)]
}

/// Whether a model stands for the question whether a number of floating point fits into an integer type.
fn is_range(name: &str) -> bool {
    matches!(name, "__sapa_float32_fits" | "__sapa_float64_fits")
}

/// That the magnitude of a number of floating point is less than a limit, of one that is not negative or one that is. Magnitudes
/// have the order of their bits, and what is no number is above all.
fn number_fits(
    module: &Module,
    builder: &mut Builder<'_>,
    number: Operand,
    above: Operand,
    below: Operand,
) -> Operand {
    let bits = builder.function.operand_bits(module, number);
    let magnitude = Operand::int(bits, mask(bits) >> 1);
    let magnitude = builder.binary(BinaryOp::And, number, magnitude, false);
    let is_negative = builder.compare(CompareOp::SignedLt, number, Operand::int(bits, 0));
    let limit = Op::Select { condition: is_negative, a: below, b: above };
    let limit = builder.define(limit, Type::Int(bits));
    builder.compare(CompareOp::UnsignedLt, magnitude, limit)
}

/// That a result fits; `None` where it always does. With a constant it is a bound of the other operand, which
/// says the most to whoever reasons about bounds.
fn fits(
    builder: &mut Builder<'_>,
    op: BinaryOp,
    a: Operand,
    b: Operand,
    bits: u16,
) -> Option<Operand> {
    let greatest = mask(bits) >> 1;
    let least = greatest + 1;
    let at_most =
        |builder: &mut Builder<'_>, x, y| Some(builder.compare(CompareOp::SignedLe, x, y));
    let number = |value: u128| Operand::int(bits, value);
    match (op, a, b) {
        (BinaryOp::Add, x, Operand::Int { value, .. })
        | (BinaryOp::Add, Operand::Int { value, .. }, x) => match signed(value, bits) {
            0 => None,
            1.. => at_most(builder, x, number(greatest - value)),
            _ => at_most(builder, number(least.wrapping_sub(value)), x),
        },
        (BinaryOp::Sub, x, Operand::Int { value, .. }) => match signed(value, bits) {
            0 => None,
            1.. => at_most(builder, number(least + value), x),
            // Of the least number, which has no opposite, this is −1.
            _ => at_most(builder, x, number(greatest.wrapping_add(value))),
        },
        (BinaryOp::Sub, Operand::Int { value, .. }, x) => match signed(value, bits) {
            // Everything down to -1 - greatest can be taken off -1, and no smaller number be.
            -1 => None,
            0.. => at_most(builder, number(value.wrapping_sub(greatest)), x),
            _ => at_most(builder, x, number(value.wrapping_sub(least))),
        },
        (BinaryOp::Mul, _, Operand::Int { value: 0 | 1, .. })
        | (BinaryOp::Mul, Operand::Int { value: 0 | 1, .. }, _)
            if bits > 1 =>
        {
            None
        }
        _ => {
            let wide = match op {
                BinaryOp::Mul => bits.checked_mul(2)?,
                _ => bits + 1,
            };
            if wide > 128 {
                return Some(fits_in_place(builder, op, a, b, bits));
            }
            let wider = Type::Int(wide);
            let extended =
                |builder: &mut Builder<'_>, x| builder.cast(CastOp::SignExtend, x, wider.clone());
            let (x, y) = (extended(builder, a), extended(builder, b));
            let exact = builder.binary(op, x, y, false);
            let cut = builder.cast(CastOp::Truncate, exact, Type::Int(bits));
            let back = extended(builder, cut);
            Some(builder.compare(CompareOp::Eq, exact, back))
        }
    }
}

/// That a number is not negative and, shifted to the left, keeps its value; `None` where it always does. With a constant on one
/// side it is a bound of the other one.
fn shift_fits(
    builder: &mut Builder<'_>,
    shifted: Operand,
    distance: Operand,
    bits: u16,
) -> Option<Operand> {
    let greatest = mask(bits) >> 1;
    match (shifted, distance) {
        (Operand::Int { value: 0, .. }, _) => None,
        // A negative number is large.
        (x, Operand::Int { value, .. }) if value < u128::from(bits) => {
            let most = Operand::int(bits, greatest >> value);
            Some(builder.compare(CompareOp::UnsignedLe, x, most))
        }
        (Operand::Int { value, .. }, distance) if value <= greatest => {
            let room = greatest.leading_zeros().abs_diff(value.leading_zeros());
            let most = Operand::int(bits, room.into());
            Some(builder.compare(CompareOp::UnsignedLe, distance, most))
        }
        (Operand::Int { .. }, _) => Some(Operand::bool(false)),
        (x, distance) => {
            let result = builder.binary(BinaryOp::ShiftLeft, x, distance, false);
            let back = builder.binary(BinaryOp::ArithmeticShiftRight, result, distance, false);
            let is_same = builder.compare(CompareOp::Eq, back, x);
            let is_natural = builder.compare(CompareOp::SignedLe, Operand::int(bits, 0), x);
            Some(builder.binary(BinaryOp::And, is_natural, is_same, false))
        }
    }
}

/// The same without wider numbers, of which there are none.
fn fits_in_place(
    builder: &mut Builder<'_>,
    op: BinaryOp,
    a: Operand,
    b: Operand,
    bits: u16,
) -> Operand {
    let zero = Operand::int(bits, 0);
    let result = builder.binary(op, a, b, false);
    match op {
        BinaryOp::Mul => {
            // The product divided by a factor that is not 0 is the other one. The least number by -1 has no quotient.
            let minus_one = Operand::int(bits, u128::MAX);
            let least = Operand::int(bits, 1 << (bits - 1));
            let is_zero = builder.compare(CompareOp::Eq, a, zero);
            let is_minus = builder.compare(CompareOp::Eq, a, minus_one);
            let one = Operand::int(bits, 1);
            let is_special = builder.binary(BinaryOp::Or, is_zero, is_minus, false);
            let ty = Type::Int(bits);
            let divisor = builder.define(Op::Select { condition: is_special, a: one, b: a }, ty);
            let quotient = builder.binary(BinaryOp::SignedDiv, result, divisor, false);
            let is_exact = builder.compare(CompareOp::Eq, quotient, b);
            let has_opposite = builder.compare(CompareOp::Ne, b, least);
            let of_minus = Op::Select { condition: is_minus, a: has_opposite, b: is_exact };
            let of_minus = builder.define(of_minus, Type::Int(1));
            builder.binary(BinaryOp::Or, is_zero, of_minus, false)
        }
        _ => {
            // A sum has the sign of one of its operands, or these have different ones.
            let b = match op {
                BinaryOp::Sub => builder.unary(sapa_ir::goto::UnaryOp::Not, b),
                _ => b,
            };
            let from_a = builder.binary(BinaryOp::Xor, a, result, false);
            let from_b = builder.binary(BinaryOp::Xor, b, result, false);
            let both = builder.binary(BinaryOp::And, from_a, from_b, false);
            builder.compare(CompareOp::SignedLe, zero, both)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sapa_ir::goto::{Function, TerminatorKind, arithmetic};

    /// What the assertion of `a op b` says of numbers of a few bits, evaluated.
    fn says(op: BinaryOp, a: u128, b: u128, bits: u16, constant: [bool; 2], wide: bool) -> bool {
        let mut function = Function::default();
        let entry = function.add_block(Location::default());
        let (x, y) =
            (function.add_value(Type::Int(bits), None), function.add_value(Type::Int(bits), None));
        function.blocks[entry.index()].parameters = vec![x, y];
        let mut builder = Builder::new(&mut function, Location::default());
        builder.switch_to(entry);
        let of = |is_constant: bool, value, number| {
            if is_constant { Operand::int(bits, number) } else { Operand::Value(value) }
        };
        let (p, q) = (of(constant[0], x, a), of(constant[1], y, b));
        let condition = if wide {
            fits(&mut builder, op, p, q, bits)
        } else {
            Some(fits_in_place(&mut builder, op, p, q, bits))
        };
        builder.terminate(TerminatorKind::Return(None));
        let Some(condition) = condition else { return true };
        let module = Module::default();
        let mut values: Vec<u128> = vec![0; function.values.len()];
        (values[x.index()], values[y.index()]) = (a, b);
        let width = |operand: Operand| function.operand_bits(&module, operand);
        for instruction in function.instructions() {
            let of = |operand: Operand| match operand {
                Operand::Value(value) => values[value.index()],
                Operand::Int { value, .. } => value,
                _ => unreachable!("there are no addresses"),
            };
            let result = instruction.result.expect("all have results");
            let bits = width(Operand::Value(result));
            values[result.index()] = match instruction.op {
                Op::Binary { op, a, b, .. } => arithmetic::binary(op, of(a), of(b), bits),
                Op::Unary { op, a } => arithmetic::unary(op, of(a), bits),
                Op::Compare { op, a, b } => arithmetic::compare(op, of(a), of(b), width(a)).into(),
                Op::Cast { op, a } => {
                    arithmetic::cast(op, of(a), width(a), bits).expect("it is of integers")
                }
                Op::Select { condition, a, b } => of(if of(condition) == 1 { a } else { b }),
                _ => unreachable!("nothing else is needed"),
            };
        }
        match condition {
            Operand::Value(value) => values[value.index()] == 1,
            Operand::Int { value, .. } => value == 1,
            _ => unreachable!("it is an integer"),
        }
    }

    #[test]
    fn what_is_asserted_is_that_nothing_overflows() {
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul] {
            for (a, b) in (0..256).map(|n| (n >> 4, n & 15)) {
                let expected = !arithmetic::overflows(op, a, b, 4_u16);
                for constant in [[false, false], [true, false], [false, true]] {
                    for wide in [true, false] {
                        let found = says(op, a, b, 4, constant, wide);
                        assert_eq!(found, expected, "{a} {op:?} {b}, {constant:?}, {wide}");
                    }
                }
            }
        }
    }
}
