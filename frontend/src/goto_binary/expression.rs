//! Expressions of goto binaries. They have no side effects, and every operand
//! has its type.

use sapa_ir::goto::{BinaryOp, CompareOp, Op, Operand, Type, address};

use super::irep::Irep;
use super::read::Binary;
use super::types::constant_bits;
use crate::lower::body::{Body, Value};
use crate::lower::operator::BinaryOperator as B;
use crate::lower::program::Lowered;
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// Deepest nesting of expressions.
const MAX_DEPTH: u32 = 2000;

impl Body<'_, '_> {
    /// The type of an expression.
    pub(super) fn goto_type_of(&mut self, binary: &Binary, irep: Irep) -> CType {
        match binary.ireps.get(irep, "type") {
            Some(ty) => self.unit.goto_type(binary, ty),
            None => Kind::Unsupported("an expression without a type").into(),
        }
    }

    /// An expression that is not understood, named by its id.
    pub(super) fn unknown<T>(
        &mut self,
        binary: &Binary,
        irep: Irep,
        position: Position,
    ) -> Lowered<T> {
        let function = self.unit.module.names.get(self.name.index()).cloned().unwrap_or_default();
        let id = binary.ireps.id(irep);
        let statement = match binary.ireps.value(irep, "statement") {
            "" => String::new(),
            statement => format!(" '{statement}'"),
        };
        self.error(
            position,
            format!("in function '{function}': irep '{id}'{statement} is not supported"),
        )
    }

    /// Goes one expression deeper.
    pub(super) fn nested<T>(
        &mut self,
        position: Position,
        f: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        self.unit.spend(position)?;
        if self.nesting >= MAX_DEPTH {
            return self.error(position, format!("expressions nested deeper than {MAX_DEPTH}"));
        }
        self.nesting += 1;
        let result = f(self);
        self.nesting -= 1;
        result
    }

    /// A Boolean expression as an `i1`.
    pub(super) fn goto_truth(
        &mut self,
        binary: &Binary,
        irep: Irep,
        position: Position,
    ) -> Lowered<Operand> {
        self.nested(position, |body| body.goto_truth_inner(binary, irep, position))
    }

    fn goto_truth_inner(
        &mut self,
        binary: &Binary,
        irep: Irep,
        position: Position,
    ) -> Lowered<Operand> {
        let ireps = &binary.ireps;
        let operands = ireps.operands(irep);
        let is_bool = ireps.get(irep, "type").is_some_and(|ty| ireps.id(ty) == "bool");
        match (ireps.id(irep), operands) {
            ("constant", _) if is_bool => Ok(Operand::bool(ireps.value(irep, "value") == "true")),
            ("not", [a]) => {
                let a = self.goto_truth(binary, *a, position)?;
                Ok(self.not(a))
            }
            // Operands may be evaluated only if those before do not decide.
            ("and" | "or", [first, rest @ ..]) => {
                let is_and = ireps.id(irep) == "and";
                let mut sum = self.goto_truth(binary, *first, position)?;
                for next in rest {
                    sum = self.short_circuit(is_and, sum, position, |body| {
                        body.goto_truth(binary, *next, position)
                    })?;
                }
                Ok(sum)
            }
            ("=>", [a, b]) => {
                let a = self.goto_truth(binary, *a, position)?;
                let not = self.not(a);
                self.short_circuit(false, not, position, |body| {
                    body.goto_truth(binary, *b, position)
                })
            }
            ("xor", [a, b]) if is_bool => {
                let a = self.goto_truth(binary, *a, position)?;
                let b = self.goto_truth(binary, *b, position)?;
                Ok(self.binary(BinaryOp::Xor, a, b, false))
            }
            _ => {
                let value = self.goto_value(binary, irep, position)?;
                self.truth(value, position)
            }
        }
    }

    /// The value of an expression, of the type that it says.
    pub(super) fn goto_value(
        &mut self,
        binary: &Binary,
        irep: Irep,
        position: Position,
    ) -> Lowered<Value> {
        self.nested(position, |body| body.goto_value_inner(binary, irep, position))
    }

    fn goto_value_inner(
        &mut self,
        binary: &Binary,
        irep: Irep,
        position: Position,
    ) -> Lowered<Value> {
        let ireps = &binary.ireps;
        let operands = ireps.operands(irep);
        match (ireps.id(irep), operands) {
            ("constant", _) => self.goto_constant(binary, irep, position),
            ("symbol" | "index" | "member" | "dereference", _)
            | ("byte_extract_little_endian" | "string_constant", _)
            | ("struct" | "array" | "union" | "array_of" | "with" | "empty_union", _) => {
                let place = self.goto_place(binary, irep, position)?;
                self.load(&place, position)
            }
            ("address_of", [object]) => {
                let place = self.goto_place(binary, *object, position)?;
                if place.bits.is_some() {
                    return self.error(position, "a bit-field has no address");
                }
                let pointer = Value::Scalar(place.address, place.ty.pointer());
                self.as_typed(binary, irep, pointer, position)
            }
            ("typecast" | "floatbv_typecast", [inner, ..]) => {
                let ty = self.goto_type_of(binary, irep);
                if let Kind::Unsupported(what) = ty.kind {
                    return self.error(position, format!("{what} is not supported"));
                }
                if !ty.is_scalar() && ty.kind != Kind::Void {
                    return Ok(Value::Record(self.goto_place(binary, irep, position)?));
                }
                let value = self.goto_value(binary, *inner, position)?;
                self.convert(value, &ty, position)
            }
            ("and" | "or" | "not" | "=>", _) => {
                let truth = self.goto_truth(binary, irep, position)?;
                Ok(self.boolean(truth))
            }
            ("if", [condition, a, b]) => {
                let ty = self.goto_type_of(binary, irep);
                if !ty.is_scalar() {
                    return Ok(Value::Record(self.goto_place(binary, irep, position)?));
                }
                let condition = self.goto_truth(binary, *condition, position)?;
                let Ok(memory) = ty.in_memory() else {
                    return self.unknown(binary, irep, position);
                };
                let arm = |irep: Irep| {
                    let ty = ty.clone();
                    move |body: &mut Self| {
                        let value = body.goto_value(binary, irep, position)?;
                        let value = body.convert(value, &ty, position)?;
                        Ok(body.scalar(value, position)?.0)
                    }
                };
                let result = self.choice(condition, memory, position, arm(*a), arm(*b))?;
                Ok(Value::Scalar(result, ty))
            }
            ("side_effect", _) => self.goto_side_effect(binary, irep, position),
            ("nondet_symbol", _) => {
                let ty = self.goto_type_of(binary, irep);
                self.any(&ty, position)
            }
            (id, [first, rest @ ..]) => match operator(id) {
                Some(operator) if !rest.is_empty() => {
                    // Rounding modes of floating-point operations come last.
                    let rest = if id.starts_with("floatbv_") { &rest[..1] } else { rest };
                    let mut sum = self.goto_value(binary, *first, position)?;
                    for next in rest {
                        let next = self.goto_value(binary, *next, position)?;
                        sum = self.arithmetic(operator, sum, next, position)?;
                    }
                    self.as_typed(binary, irep, sum, position)
                }
                _ => self.goto_special(binary, irep, *first, rest, position),
            },
            _ => self.unknown(binary, irep, position),
        }
    }

    /// A value converted to the type that an expression says; arithmetic in C's
    /// wider types gives the same bits.
    fn as_typed(
        &mut self,
        binary: &Binary,
        irep: Irep,
        value: Value,
        position: Position,
    ) -> Lowered<Value> {
        let ty = self.goto_type_of(binary, irep);
        self.convert(value, &ty, position)
    }

    fn goto_constant(&mut self, binary: &Binary, irep: Irep, position: Position) -> Lowered<Value> {
        let ireps = &binary.ireps;
        // A pointer constant may carry the expression it comes from.
        if let Some(inner) = ireps.operand(irep, 0) {
            let value = self.goto_value(binary, inner, position)?;
            return self.as_typed(binary, irep, value, position);
        }
        let ty = self.goto_type_of(binary, irep);
        match (&ty.kind, ireps.value(irep, "value")) {
            (Kind::Bool, "true") => Ok(Value::Scalar(Operand::int(8, 1), ty)),
            (Kind::Bool, "false") => Ok(Value::Scalar(Operand::int(8, 0), ty)),
            (Kind::Pointer(_), "NULL") => Ok(Value::Scalar(Operand::Null, ty)),
            (Kind::Unsupported(what), _) => {
                self.error(position, format!("{what} is not supported"))
            }
            (_, _) if ty.is_scalar() => match constant_bits(binary, irep) {
                Some(bits) if ty.pointee().is_some() => {
                    let width = self.pointer_bits();
                    let integer =
                        Value::Scalar(Operand::int(width, bits), CType::int(width, false, 4));
                    self.convert(integer, &ty, position)
                }
                Some(bits) => Ok(Value::Scalar(Operand::int(self.bits(&ty), bits), ty)),
                None => self.unknown(binary, irep, position),
            },
            _ => self.unknown(binary, irep, position),
        }
    }

    fn boolean(&mut self, truth: Operand) -> Value {
        let value = match truth {
            Operand::Int { value, .. } => Operand::int(8, value),
            truth => self.cast(sapa_ir::goto::CastOp::ZeroExtend, truth, Type::Int(8)),
        };
        Value::Scalar(value, Kind::Bool.into())
    }

    fn goto_side_effect(
        &mut self,
        binary: &Binary,
        irep: Irep,
        position: Position,
    ) -> Lowered<Value> {
        let ireps = &binary.ireps;
        match (ireps.value(irep, "statement"), ireps.operands(irep)) {
            ("nondet", _) => {
                let ty = self.goto_type_of(binary, irep);
                self.any(&ty, position)
            }
            ("allocate", [size, rest @ ..]) => {
                let zeroed = match rest.first() {
                    Some(zero) => match self.goto_truth(binary, *zero, position)? {
                        Operand::Int { value, .. } => value != 0,
                        _ => return self.unknown(binary, irep, position),
                    },
                    None => false,
                };
                let size = self.goto_value(binary, *size, position)?;
                let value = self.allocate(&size, None, zeroed, position)?;
                self.as_typed(binary, irep, value, position)
            }
            _ => self.unknown(binary, irep, position),
        }
    }

    /// Operators that C does not have as such.
    fn goto_special(
        &mut self,
        binary: &Binary,
        irep: Irep,
        first: Irep,
        rest: &[Irep],
        position: Position,
    ) -> Lowered<Value> {
        let ireps = &binary.ireps;
        match (ireps.id(irep), rest) {
            ("unary-", []) => {
                let value = self.goto_value(binary, first, position)?;
                let value = self.minus(value, position)?;
                self.as_typed(binary, irep, value, position)
            }
            ("unary+", []) => {
                let value = self.goto_value(binary, first, position)?;
                self.as_typed(binary, irep, value, position)
            }
            ("bitnot", []) => {
                let value = self.goto_value(binary, first, position)?;
                let value = self.complement(value, position)?;
                self.as_typed(binary, irep, value, position)
            }
            (id @ ("shl" | "ashr" | "lshr" | "rol" | "ror"), [distance]) => {
                let value = self.goto_value(binary, first, position)?;
                let (x, ty) = self.scalar(value, position)?;
                if !ty.is_integer() {
                    return self.error(position, "a shift needs integers");
                }
                let distance = self.goto_value(binary, *distance, position)?;
                let (y, distance_type) = self.scalar(distance, position)?;
                if !distance_type.is_integer() {
                    return self.error(position, "a shift needs integers");
                }
                let bits = self.bits(&ty);
                let y = match id {
                    "rol" | "ror" => {
                        let from = self.bits(&distance_type);
                        self.resize(y, from, distance_type.is_signed(), bits)
                    }
                    _ => self.distance(y, &distance_type, bits),
                };
                let result = match id {
                    "shl" => self.binary(BinaryOp::ShiftLeft, x, y, ty.is_signed()),
                    "ashr" => self.binary(BinaryOp::ArithmeticShiftRight, x, y, false),
                    "lshr" => self.binary(BinaryOp::LogicalShiftRight, x, y, false),
                    id => self.rotate(x, y, bits, id == "rol"),
                };
                self.as_typed(binary, irep, Value::Scalar(result, ty), position)
            }
            ("isnan", []) => {
                let value = self.goto_value(binary, first, position)?;
                let differs = self.arithmetic(B::NotEqual, value.clone(), value, position)?;
                self.as_typed(binary, irep, differs, position)
            }
            ("abs", []) => {
                let value = self.goto_value(binary, first, position)?;
                let (x, ty) = self.scalar(value, position)?;
                let bits = self.bits(&ty);
                let result = match ty.kind {
                    _ if !ty.is_arithmetic() => return self.unknown(binary, irep, position),
                    Kind::Float(_) => {
                        let mask = Operand::int(bits, u128::MAX >> (129 - bits));
                        self.binary(BinaryOp::And, x, mask, false)
                    }
                    _ => {
                        let zero = Operand::int(bits, 0);
                        let negative = self.compare(CompareOp::SignedLt, x, zero);
                        let minus = self.binary(BinaryOp::Sub, zero, x, ty.is_signed());
                        let op = Op::Select { condition: negative, a: minus, b: x };
                        self.define(op, Type::Int(bits))
                    }
                };
                Ok(Value::Scalar(result, ty))
            }
            (id @ ("overflow-+" | "overflow--" | "overflow-*" | "overflow-unary-"), rest) => {
                self.goto_overflow(binary, id, first, rest, position)
            }
            (
                id @ ("popcount"
                | "count_leading_zeros"
                | "count_trailing_zeros"
                | "find_first_set"),
                _,
            ) => {
                let word = match id {
                    "popcount" => "popcount",
                    "count_leading_zeros" => "clz",
                    "count_trailing_zeros" => "ctz",
                    _ => "ffs",
                };
                let value = self.goto_value(binary, first, position)?;
                let (x, ty) = self.scalar(value, position)?;
                if !ty.is_integer() {
                    return self.unknown(binary, irep, position);
                }
                let count = self.count_bits(word, x, self.bits(&ty));
                self.as_typed(binary, irep, count, position)
            }
            ("object_size", []) => {
                let value = self.goto_value(binary, first, position)?;
                let (address, _) = self.scalar(value, position)?;
                let size = self.unit.integers().size();
                let bits = self.bits(&size);
                let result = self.define(Op::ObjectSize { address }, Type::Int(bits));
                self.as_typed(binary, irep, Value::Scalar(result, size), position)
            }
            (id @ ("pointer_object" | "pointer_offset"), []) => {
                let value = self.goto_value(binary, first, position)?;
                let size = self.unit.integers().size();
                let value = self.convert(value, &size, position)?;
                let (x, _) = self.scalar(value, position)?;
                let bits = self.bits(&size);
                let low = address::offset_bits(bits);
                let first = Operand::int(bits, address::first(bits).into());
                let place = self.binary(BinaryOp::Sub, x, first, false);
                let part = if id == "pointer_object" {
                    let by = Operand::int(bits, u128::from(low));
                    self.binary(BinaryOp::LogicalShiftRight, place, by, false)
                } else {
                    let mask = Operand::int(bits, (1 << low) - 1);
                    self.binary(BinaryOp::And, place, mask, false)
                };
                // Null is object 0, and at its start.
                let zero = Operand::int(bits, 0);
                let is_null =
                    self.define(Op::Compare { op: CompareOp::Eq, a: x, b: zero }, Type::Int(1));
                let ty = Type::Int(bits);
                let result = self.define(Op::Select { condition: is_null, a: zero, b: part }, ty);
                self.as_typed(binary, irep, Value::Scalar(result, size), position)
            }
            _ => self.unknown(binary, irep, position),
        }
    }

    fn rotate(&mut self, x: Operand, by: Operand, bits: u16, left: bool) -> Operand {
        let width = Operand::int(bits, u128::from(bits));
        let by = self.binary(BinaryOp::UnsignedRem, by, width, false);
        let rest = self.binary(BinaryOp::Sub, width, by, false);
        // By nothing is by nothing in both directions.
        let rest = self.binary(BinaryOp::UnsignedRem, rest, width, false);
        let (first, second) = if left {
            (BinaryOp::ShiftLeft, BinaryOp::LogicalShiftRight)
        } else {
            (BinaryOp::LogicalShiftRight, BinaryOp::ShiftLeft)
        };
        let a = self.binary(first, x, by, false);
        let b = self.binary(second, x, rest, false);
        self.binary(BinaryOp::Or, a, b, false)
    }

    /// Whether an operation overflows the type of its operands.
    fn goto_overflow(
        &mut self,
        binary: &Binary,
        id: &str,
        first: Irep,
        rest: &[Irep],
        position: Position,
    ) -> Lowered<Value> {
        let value = self.goto_value(binary, first, position)?;
        let (x, ty) = self.scalar(value, position)?;
        let bits = self.bits(&ty);
        if !ty.is_integer() || bits > 64 {
            return self.error(position, "overflow checks of more than 64 bits are not supported");
        }
        let signed = ty.is_signed();
        let mut operands = vec![self.resize(x, bits, signed, 128)];
        for next in rest {
            let value = self.goto_value(binary, *next, position)?;
            let value = self.convert(value, &ty, position)?;
            let (y, _) = self.scalar(value, position)?;
            operands.push(self.resize(y, bits, signed, 128));
        }
        let zero = Operand::int(128, 0);
        let (op, a, b) = match (id, operands.as_slice()) {
            ("overflow-unary-", [x]) => (BinaryOp::Sub, zero, *x),
            ("overflow-+", [x, y]) => (BinaryOp::Add, *x, *y),
            ("overflow--", [x, y]) => (BinaryOp::Sub, *x, *y),
            ("overflow-*", [x, y]) => (BinaryOp::Mul, *x, *y),
            _ => return self.error(position, format!("'{id}' with this number of operands")),
        };
        let exact = self.binary(op, a, b, false);
        let cut = self.resize(exact, 128, false, bits);
        let again = self.resize(cut, bits, signed, 128);
        let truth = self.compare(CompareOp::Ne, exact, again);
        Ok(self.boolean(truth))
    }
}

/// The operator of C that an id means. Shifts have ids that say more.
fn operator(id: &str) -> Option<B> {
    Some(match id {
        "+" | "floatbv_plus" => B::Add,
        "-" | "floatbv_minus" => B::Subtract,
        "*" | "floatbv_mult" => B::Multiply,
        "/" | "floatbv_div" => B::Divide,
        "mod" => B::Remainder,
        "=" | "ieee_float_equal" => B::Equal,
        "notequal" | "ieee_float_notequal" => B::NotEqual,
        "<" => B::Less,
        "<=" => B::LessEqual,
        ">" => B::Greater,
        ">=" => B::GreaterEqual,
        "bitand" => B::BitwiseAnd,
        "bitor" => B::BitwiseOr,
        "bitxor" | "xor" => B::BitwiseXor,
        _ => return None,
    })
}
