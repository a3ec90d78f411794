//! GCC's `__builtin_*` of floating-point numbers, on their bits.

use sapa_ir::goto::{BinaryOp, CompareOp, Op, Operand, Type};

use crate::lower::body::{Body, Value};
use crate::lower::operator::BinaryOperator;
use crate::lower::program::Lowered;
use crate::lower::types::{CType, FloatFormat, Kind};
use crate::position::Position;

impl FloatFormat {
    /// The bits of infinity.
    pub fn infinity(self) -> u128 {
        match self {
            Self::Single => 0x7f80_0000,
            Self::Double => 0x7ff0_0000_0000_0000,
        }
    }

    /// The bits of the quiet NaN that carries nothing else.
    fn quiet_nan(self) -> u128 {
        match self {
            Self::Single => 0x7fc0_0000,
            Self::Double => 0x7ff8_0000_0000_0000,
        }
    }
}

/// The format of the infinity that a builtin of this name is, without its `__builtin_`.
pub(crate) fn infinity(word: &str) -> Option<FloatFormat> {
    match word {
        "inf" | "huge_val" => Some(FloatFormat::Double),
        "inff" | "huge_valf" => Some(FloatFormat::Single),
        _ => None,
    }
}

impl Body<'_, '_> {
    pub(super) fn float_builtin(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let word = match name {
            // Those that are also functions of the library.
            "fabs" | "fabsf" | "copysign" | "copysignf" => Some(name),
            _ => name.strip_prefix("__builtin_"),
        };
        let Some(word) = word else { return Ok(None) };
        if let (Some(format), []) = (infinity(word), arguments) {
            return Ok(Some(constant(format, format.infinity())));
        }
        let value = match (word, arguments) {
            // The quiet NaN of an empty text: other texts choose other ones.
            ("nan" | "nanf", [text]) if self.is_empty_text(text) => {
                let format = if word == "nan" { FloatFormat::Double } else { FloatFormat::Single };
                constant(format, format.quiet_nan())
            }
            ("fabs" | "fabsf", [value]) => {
                let format = if word == "fabs" { FloatFormat::Double } else { FloatFormat::Single };
                let ty: CType = Kind::Float(format).into();
                let value = self.convert(value.clone(), &ty, position)?;
                let (magnitude, _) = self.magnitude(&value, position)?;
                Value::Scalar(magnitude, ty)
            }
            ("isnan" | "isinf" | "isfinite", [value]) => {
                let (magnitude, format) = self.magnitude(value, position)?;
                let infinity = Operand::int(format.bits(), format.infinity());
                let truth = match word {
                    "isnan" => self.compare(CompareOp::UnsignedLt, infinity, magnitude),
                    "isinf" => self.compare(CompareOp::Eq, magnitude, infinity),
                    _ => self.compare(CompareOp::UnsignedLt, magnitude, infinity),
                };
                self.truth_value(truth)
            }
            ("copysign" | "copysignf", [value, sign]) => {
                let format =
                    if word == "copysign" { FloatFormat::Double } else { FloatFormat::Single };
                let ty: CType = Kind::Float(format).into();
                let value = self.convert(value.clone(), &ty, position)?;
                let (magnitude, _) = self.magnitude(&value, position)?;
                let sign = self.operand_as(sign, &ty, position)?;
                let bits = format.bits();
                let sign =
                    self.binary(BinaryOp::And, sign, Operand::int(bits, 1 << (bits - 1)), false);
                Value::Scalar(self.binary(BinaryOp::Or, magnitude, sign, false), ty)
            }
            // Any number but zero, where it is negative.
            ("signbit" | "signbitf", [value]) => {
                let (_, format) = self.magnitude(value, position)?;
                let (operand, _) = self.scalar(value.clone(), position)?;
                let zero = Operand::int(format.bits(), 0);
                let condition = self.compare(CompareOp::SignedLt, operand, zero);
                let int = self.unit.integers().int();
                let bits = self.bits(&int);
                let any = self.nondet(Type::Int(bits));
                let is_zero = self.compare(CompareOp::Eq, any, Operand::int(bits, 0));
                let mut select =
                    |condition, a, b| self.define(Op::Select { condition, a, b }, Type::Int(bits));
                let set = select(is_zero, Operand::int(bits, 1), any);
                Value::Scalar(select(condition, set, Operand::int(bits, 0)), int)
            }
            ("fpclassify", [nan, infinite, normal, subnormal, zero, value]) => {
                let (magnitude, format) = self.magnitude(value, position)?;
                let number = |number| Operand::int(format.bits(), number);
                let infinity = format.infinity();
                // The least exponent but one: the lowest bit of the exponent alone.
                let least = infinity & infinity.wrapping_neg();
                let is_nan = self.compare(CompareOp::UnsignedLt, number(infinity), magnitude);
                let is_infinite = self.compare(CompareOp::Eq, magnitude, number(infinity));
                let is_zero = self.compare(CompareOp::Eq, magnitude, number(0));
                let is_small = self.compare(CompareOp::UnsignedLt, magnitude, number(least));
                let int = self.unit.integers().int();
                let bits = self.bits(&int);
                let mut result = self.operand_as(normal, &int, position)?;
                for (condition, class) in
                    [(is_small, subnormal), (is_zero, zero), (is_infinite, infinite), (is_nan, nan)]
                {
                    let a = self.operand_as(class, &int, position)?;
                    let op = Op::Select { condition, a, b: result };
                    result = self.define(op, Type::Int(bits));
                }
                Value::Scalar(result, int)
            }
            ("isinf_sign", [value]) => self.signed_infinity(value, position)?,
            ("isunordered", [a, b]) => {
                let common = self.common_float(a, b, position)?;
                let mut unordered = Operand::bool(false);
                for value in [a, b] {
                    let value = self.convert(value.clone(), &common, position)?;
                    let (magnitude, format) = self.magnitude(&value, position)?;
                    let infinity = Operand::int(format.bits(), format.infinity());
                    let is_nan = self.compare(CompareOp::UnsignedLt, infinity, magnitude);
                    unordered = self.binary(BinaryOp::Or, unordered, is_nan, false);
                }
                self.truth_value(unordered)
            }
            _ => match (comparison(word), arguments) {
                (Some(operator), [a, b]) => {
                    self.common_float(a, b, position)?;
                    self.arithmetic(operator, a.clone(), b.clone(), position)?
                }
                _ => return Ok(None),
            },
        };
        Ok(Some(value))
    }

    fn is_empty_text(&self, text: &Value) -> bool {
        matches!(text, Value::Scalar(operand, _)
            if self.unit.text_of(*operand).is_some_and(|text| text.is_empty()))
    }

    /// The bits of a floating-point number without its sign, and its format.
    fn magnitude(&mut self, value: &Value, position: Position) -> Lowered<(Operand, FloatFormat)> {
        let (operand, ty) = self.scalar(value.clone(), position)?;
        let Kind::Float(format) = ty.kind else {
            return self.error(position, "a floating-point number is needed here");
        };
        let mask = Operand::int(format.bits(), u128::MAX >> (129 - format.bits()));
        Ok((self.binary(BinaryOp::And, operand, mask, false), format))
    }

    /// 1 for infinity, -1 for its negative, else 0.
    fn signed_infinity(&mut self, value: &Value, position: Position) -> Lowered<Value> {
        let (magnitude, format) = self.magnitude(value, position)?;
        let (operand, _) = self.scalar(value.clone(), position)?;
        let bits = format.bits();
        let infinite =
            self.compare(CompareOp::Eq, magnitude, Operand::int(bits, format.infinity()));
        let negative = self.compare(CompareOp::SignedLt, operand, Operand::int(bits, 0));
        let int = self.unit.integers().int();
        let width = self.bits(&int);
        let mut select =
            |condition, a, b| self.define(Op::Select { condition, a, b }, Type::Int(width));
        let number = |value| Operand::int(width, value);
        let sign = select(negative, number(u128::MAX), number(1));
        Ok(Value::Scalar(select(infinite, sign, number(0)), int))
    }

    /// The type that two operands of a comparison have in common, which must be a floating one.
    fn common_float(&mut self, a: &Value, b: &Value, position: Position) -> Lowered<CType> {
        if let (Value::Scalar(_, a), Value::Scalar(_, b)) = (a, b)
            && a.is_arithmetic()
            && b.is_arithmetic()
        {
            let common = self.unit.integers().common(a, b);
            if matches!(common.kind, Kind::Float(_)) {
                return Ok(common);
            }
        }
        self.error(position, "a floating-point number is needed here")
    }
}

fn constant(format: FloatFormat, bits: u128) -> Value {
    Value::Scalar(Operand::int(format.bits(), bits), Kind::Float(format).into())
}

/// The operator that a comparison is, which raises no exception.
fn comparison(word: &str) -> Option<BinaryOperator> {
    Some(match word {
        "isgreater" => BinaryOperator::Greater,
        "isgreaterequal" => BinaryOperator::GreaterEqual,
        "isless" => BinaryOperator::Less,
        "islessequal" => BinaryOperator::LessEqual,
        _ => return None,
    })
}
