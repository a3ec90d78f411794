//! GCC's `__builtin_*` that compute.

use sapa_ir::goto::{BinaryOp, CompareOp, Endianness, Op, Operand, Type};

use crate::lower::body::{Body, Place, Value};
use crate::lower::program::Lowered;
use crate::lower::types::{CType, FloatFormat, Integers, Kind};
use crate::position::Position;

impl Body<'_, '_> {
    pub(super) fn builtin_function(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let integers = self.unit.integers();
        let value = match (name, arguments) {
            // A pointer stays one: only whether it is null is of interest.
            ("__builtin_expect" | "__builtin_expect_with_probability", [value, ..]) => {
                match value {
                    Value::Scalar(_, ty) if ty.pointee().is_some() => value.clone(),
                    _ => self.convert(value.clone(), &integers.long(), position)?,
                }
            }
            ("__builtin_assume_aligned", [value, ..]) => {
                self.convert(value.clone(), &CType::from(Kind::Void).pointer(), position)?
            }
            ("__builtin_constant_p", [value]) => {
                self.int(u128::from(self.constant_operand(Some(value)).is_some()))
            }
            ("__builtin_object_size", [_, kind]) => {
                // As for an object that the compiler does not know.
                let unknown = match self.constant_operand(Some(kind)) {
                    Some(0 | 1) => u128::MAX,
                    _ => 0,
                };
                let size = integers.size();
                Value::Scalar(Operand::int(self.bits(&size), unknown), size)
            }
            // Where the code and its stack lie is not known.
            ("__builtin_return_address" | "__builtin_frame_address", [_])
            | ("__builtin_extract_return_addr" | "__builtin_frob_return_addr", [_]) => {
                let any = Op::Nondet { unmodelled: Some(name.to_owned()) };
                let any = self.define(any, Type::Pointer);
                Value::Scalar(any, CType::from(Kind::Void).pointer())
            }
            ("__builtin_cpu_init", []) => Value::Void,
            ("__builtin_cpu_supports" | "__builtin_cpu_is", [_]) => {
                let any = self.nondet(Type::Int(self.bits(&integers.int())));
                Value::Scalar(any, integers.int())
            }
            ("__builtin_bswap16", [value]) => self.swap_bytes(value, 2, position)?,
            ("__builtin_bswap32", [value]) => self.swap_bytes(value, 4, position)?,
            ("__builtin_bswap64", [value]) => self.swap_bytes(value, 8, position)?,
            ("atoi" | "atol" | "atoll", [text]) => {
                let Value::Scalar(operand, _) = text else { return Ok(None) };
                let ty = if name == "atoi" { integers.int() } else { integers.long() };
                let bits = self.bits(&ty);
                let text = self.unit.text_of(*operand);
                let fits = |number: &i64| bits >= 64 || i32::try_from(*number).is_ok();
                let known = text.as_deref().and_then(number_in).filter(fits);
                if known.is_none() {
                    self.unit.note("assuming that numbers read from texts fit into their types");
                }
                let number = match known {
                    Some(number) => number,
                    // C leaves open what becomes of it: the run ends here.
                    None if text.is_some() => {
                        self.effect(Op::Assume { condition: Operand::bool(false) });
                        0
                    }
                    // Of other texts a model reads the bytes.
                    None => return Ok(None),
                };
                Value::Scalar(Operand::int(bits, number as u128), ty)
            }
            ("atof" | "strtod", [Value::Scalar(text, _), end @ ..]) => {
                let is_alone = end.iter().all(|end| self.constant_operand(Some(end)) == Some(0));
                let text = self.unit.text_of(*text).filter(|_| is_alone);
                let Some(number) = text.as_deref().and_then(decimal_in) else { return Ok(None) };
                let double = Kind::Float(FloatFormat::Double).into();
                Value::Scalar(Operand::int(64, number.to_bits().into()), double)
            }
            ("htons" | "ntohs", [value]) => self.network_order(value, 2, position)?,
            ("htonl" | "ntohl", [value]) => self.network_order(value, 4, position)?,
            ("abs" | "__builtin_abs", [value]) => {
                self.absolute(value, &integers.int(), position)?
            }
            (
                "labs" | "__builtin_labs" | "llabs" | "__builtin_llabs" | "imaxabs"
                | "__builtin_imaxabs",
                [value],
            ) => self.absolute(value, &integers.long(), position)?,
            _ => {
                let word = match name {
                    "ffs" | "ffsl" | "ffsll" => Some(name),
                    _ => name.strip_prefix("__builtin_"),
                };
                let Some(word) = word else { return Ok(None) };
                // What would be stored is of the type of the last argument, whose value does not matter.
                if let Some(word) = word.strip_suffix("_p")
                    && let Some((op, None)) = overflow_operation(word, integers)
                    && let [a, b, Value::Scalar(_, target)] = arguments
                {
                    let (_, truth) = self.overflowed(op, None, a, b, target, position)?;
                    return Ok(Some(truth));
                }
                if let Some((op, ty)) = overflow_operation(word, integers)
                    && let [a, b, result] = arguments
                {
                    return self.overflow(op, ty, a, b, result, position).map(Some);
                }
                // `l` and `ll` variants take 64 bits.
                let (word, bits) = match word.strip_suffix("ll").or_else(|| word.strip_suffix('l'))
                {
                    Some(word) => (word, 64),
                    None => (word, 32),
                };
                let unsigned = CType::int(bits, false, 4);
                let [value] = arguments else { return Ok(None) };
                if !matches!(word, "popcount" | "parity" | "clz" | "ctz" | "ffs") {
                    return Ok(None);
                }
                let x = self.operand_as(value, &unsigned, position)?;
                self.count_bits(word, x, bits)
            }
        };
        Ok(Some(value))
    }

    fn absolute(&mut self, value: &Value, ty: &CType, position: Position) -> Lowered<Value> {
        let bits = self.bits(ty);
        let x = self.operand_as(value, ty, position)?;
        let zero = Operand::int(bits, 0);
        let negative = self.compare(CompareOp::SignedLt, x, zero);
        // The least number has no opposite, as of C; only where the result is used does it matter.
        let minus = self.binary(BinaryOp::Sub, zero, x, true);
        let op = Op::Select { condition: negative, a: minus, b: x };
        Ok(Value::Scalar(self.define(op, Type::Int(bits)), ty.clone()))
    }

    /// A number in the order of bytes of networks: the most significant one first.
    fn network_order(&mut self, value: &Value, bytes: u16, position: Position) -> Lowered<Value> {
        match self.unit.module.target.endianness {
            Endianness::Little => self.swap_bytes(value, bytes, position),
            Endianness::Big => {
                let ty = swapped(bytes * 8);
                Ok(Value::Scalar(self.operand_as(value, &ty, position)?, ty))
            }
        }
    }

    fn swap_bytes(&mut self, value: &Value, bytes: u16, position: Position) -> Lowered<Value> {
        let bits = bytes * 8;
        let ty = swapped(bits);
        let x = self.operand_as(value, &ty, position)?;
        let mut sum = Operand::int(bits, 0);
        for byte in 0..bytes {
            let from = Operand::int(bits, u128::from(byte * 8));
            let to = Operand::int(bits, u128::from((bytes - 1 - byte) * 8));
            let moved = self.binary(BinaryOp::LogicalShiftRight, x, from, false);
            let one = self.binary(BinaryOp::And, moved, Operand::int(bits, 0xff), false);
            let placed = self.binary(BinaryOp::ShiftLeft, one, to, false);
            sum = self.binary(BinaryOp::Or, sum, placed, false);
        }
        Ok(Value::Scalar(sum, ty))
    }

    /// Counts bits, one after the other. For 0, `clz` and `ctz` give the width.
    pub fn count_bits(&mut self, word: &str, x: Operand, bits: u16) -> Value {
        let mut result = match word {
            "clz" | "ctz" => Operand::int(32, u128::from(bits)),
            _ => Operand::int(32, 0),
        };
        for index in 0..bits {
            // The last bit that is set decides.
            let place = if word == "clz" { index } else { bits - 1 - index };
            let by = Operand::int(bits, u128::from(place));
            let shifted = self.binary(BinaryOp::LogicalShiftRight, x, by, false);
            let bit = self.cast(sapa_ir::goto::CastOp::Truncate, shifted, Type::Int(1));
            let number = match word {
                "clz" => bits - 1 - place,
                "ctz" => place,
                _ => place + 1,
            };
            result = match word {
                "popcount" | "parity" => {
                    let bit = self.cast(sapa_ir::goto::CastOp::ZeroExtend, bit, Type::Int(32));
                    let op = if word == "parity" { BinaryOp::Xor } else { BinaryOp::Add };
                    self.binary(op, result, bit, false)
                }
                _ => {
                    let a = Operand::int(32, u128::from(number));
                    self.define(Op::Select { condition: bit, a, b: result }, Type::Int(32))
                }
            };
        }
        Value::Scalar(result, self.unit.integers().int())
    }

    /// `__builtin_add_overflow` & co: computes without limit, stores what fits,
    /// and says whether that is not all. `ty` is the operands' type where the
    /// name gives it.
    fn overflow(
        &mut self,
        op: BinaryOp,
        ty: Option<CType>,
        a: &Value,
        b: &Value,
        result: &Value,
        position: Position,
    ) -> Lowered<Value> {
        let (address, pointer) = self.scalar(result.clone(), position)?;
        let Some(target) = pointer.pointee().filter(|ty| ty.is_integer()).cloned() else {
            return self.error(position, "a pointer to an integer is needed here");
        };
        let (stored, truth) = self.overflowed(op, ty, a, b, &target, position)?;
        let place = Place::new(address, target.clone());
        self.store(&place, Value::Scalar(stored, target), position)?;
        Ok(truth)
    }

    /// What of a result an integer of a type holds, and whether that is not all.
    fn overflowed(
        &mut self,
        op: BinaryOp,
        ty: Option<CType>,
        a: &Value,
        b: &Value,
        target: &CType,
        position: Position,
    ) -> Lowered<(Operand, Value)> {
        if !target.is_integer() {
            return self.error(position, "an integer is needed here");
        }
        let mut operands = Vec::new();
        let mut signed = false;
        for value in [a, b] {
            let value = match &ty {
                Some(ty) => self.convert(value.clone(), ty, position)?,
                None => value.clone(),
            };
            let (x, ty) = self.scalar(value, position)?;
            if !ty.is_integer() || self.bits(&ty) > 64 {
                return self.error(position, "integers of at most 64 bits are needed here");
            }
            signed |= ty.is_signed();
            operands.push(self.resize(x, self.bits(&ty), ty.is_signed(), 128));
        }
        let [x, y] = operands.as_slice() else {
            return self.error(position, "two operands are needed here");
        };
        let exact = self.binary(op, *x, *y, false);
        let bits = self.bits(target);
        let stored = self.resize(exact, 128, false, bits);
        let again = self.resize(stored, bits, target.is_signed(), 128);
        let mut overflows = self.compare(CompareOp::Ne, exact, again);
        // A negative value that looks like an unsigned one, or the other way round.
        let looks_right = if signed || op == BinaryOp::Sub {
            !target.is_signed() && bits == 128
        } else {
            target.is_signed()
        };
        if looks_right {
            let negative = self.compare(CompareOp::SignedLt, exact, Operand::int(128, 0));
            overflows = self.binary(BinaryOp::Or, overflows, negative, false);
        }
        let bool_type: CType = Kind::Bool.into();
        let truth = self.truth_value(overflows);
        Ok((stored, self.convert(truth, &bool_type, position)?))
    }
}

/// The number that a text begins with, as `strtol` reads it at base 10; `None` if it does not fit.
fn number_in(text: &str) -> Option<i64> {
    let is_blank = |c: char| c == ' ' || ('\t'..='\r').contains(&c);
    let text = text.trim_start_matches(is_blank);
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut number: i64 = 0;
    for digit in digits.chars().map_while(|c| c.to_digit(10)) {
        number = number.checked_mul(10)?.checked_add(sign * i64::from(digit))?;
    }
    Some(number)
}

/// The number that a text is, and not only begins with; `None` if it is too large or too small.
fn decimal_in(text: &str) -> Option<f64> {
    let is_blank = |c: char| c == ' ' || ('\t'..='\r').contains(&c);
    let text = text.trim_start_matches(is_blank);
    let number: f64 = text.parse().ok()?;
    let mantissa = text.split(['e', 'E']).next()?;
    let is_zero = !mantissa.contains(|c: char| ('1'..='9').contains(&c));
    (number.is_normal() || number == 0.0 && is_zero).then_some(number)
}

/// The type of `__builtin_bswap16` & co.
fn swapped(bits: u16) -> CType {
    let rank = match bits {
        16 => 2,
        32 => 3,
        _ => 4,
    };
    CType::int(bits, false, rank)
}

/// `add_overflow`, `sadd_overflow`, `umull_overflow`, …: the operation and the
/// type that the name gives.
fn overflow_operation(word: &str, integers: Integers) -> Option<(BinaryOp, Option<CType>)> {
    let word = word.strip_suffix("_overflow")?;
    let operation = |word: &str| {
        Some(match word {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "mul" => BinaryOp::Mul,
            _ => return None,
        })
    };
    if let Some(op) = operation(word) {
        return Some((op, None));
    }
    let (signed, rest) = match word.split_at_checked(1)? {
        ("s", rest) => (true, rest),
        ("u", rest) => (false, rest),
        _ => return None,
    };
    let op = operation(rest.get(..3)?)?;
    let bits = match rest.get(3..)? {
        "" => integers.0.int_bits,
        "l" => integers.0.long_bits,
        "ll" => integers.0.long_long_bits,
        _ => return None,
    };
    Some((op, Some(CType::int(bits, signed, 4))))
}
