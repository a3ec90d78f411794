//! Conversions of values.

use sapa_ir::goto::{BinaryOp, CastOp, CompareOp, Op, Operand, Type};

use super::body::{Body, Value};
use super::program::Lowered;
use super::types::{CType, FloatFormat, Kind};
use crate::position::Position;

impl Body<'_, '_> {
    /// The scalar of a value.
    pub fn scalar(&mut self, value: Value, position: Position) -> Lowered<(Operand, CType)> {
        match value {
            Value::Scalar(operand, ty) => Ok((operand, ty)),
            _ => self.error(position, "a scalar is needed here"),
        }
    }

    /// The address that a value is; an integer is made one.
    pub fn address(&mut self, value: &Value, position: Position) -> Lowered<Operand> {
        let pointer = CType::from(Kind::Void).pointer();
        let value = self.convert(value.clone(), &pointer, position)?;
        Ok(self.scalar(value, position)?.0)
    }

    /// A value as an `i1`: whether it is not 0.
    pub fn truth(&mut self, value: Value, position: Position) -> Lowered<Operand> {
        let (value, ty) = self.scalar(value, position)?;
        let zero = match ty.kind {
            Kind::Pointer(_) => Operand::Null,
            _ => Operand::int(self.bits(&ty), 0),
        };
        let tested = match ty.kind {
            // Both zeros are false, a NaN is true.
            Kind::Float(format) => {
                let magnitude = Operand::int(format.bits(), u128::MAX >> (129 - format.bits()));
                self.binary(BinaryOp::And, value, magnitude, false)
            }
            _ => value,
        };
        if let (Operand::Int { value, .. }, Operand::Int { .. }) = (tested, zero) {
            return Ok(Operand::bool(value != 0));
        }
        match tested {
            Operand::Null => Ok(Operand::bool(false)),
            // The address of an object is not null.
            Operand::Global(_) | Operand::Function(_) | Operand::Slot(_) => Ok(Operand::bool(true)),
            _ => Ok(self.compare(CompareOp::Ne, tested, zero)),
        }
    }

    /// An `i1` as an `int`.
    pub fn truth_value(&mut self, truth: Operand) -> Value {
        let int = self.unit.integers().int();
        let value = self.widen_truth(truth, self.bits(&int));
        Value::Scalar(value, int)
    }

    fn widen_truth(&mut self, truth: Operand, bits: u16) -> Operand {
        match truth {
            Operand::Int { value, .. } => Operand::int(bits, value),
            truth => self.cast(CastOp::ZeroExtend, truth, Type::Int(bits)),
        }
    }

    /// Negates an `i1`.
    pub fn not(&mut self, truth: Operand) -> Operand {
        match truth {
            Operand::Int { value, .. } => Operand::bool(value == 0),
            truth => {
                self.define(Op::Unary { op: sapa_ir::goto::UnaryOp::Not, a: truth }, Type::Int(1))
            }
        }
    }

    /// A pointer to an element that is the address of a row of such: that of its first element, so that it can be told
    /// from a pointer to the row, which may go on to the next one.
    fn first_of_row(&mut self, pointer: Operand, element: &CType) -> Operand {
        if pointer.value().is_none() || matches!(element.kind, Kind::Array(..)) {
            return pointer;
        }
        let Some(Op::IndexAddress { element: Type::Array(inner, _), .. }) = self.made_by(pointer)
        else {
            return pointer;
        };
        let inner = (**inner).clone();
        if element.in_memory().ok().as_ref() != Some(&inner) {
            return pointer;
        }
        let index = Operand::int(self.pointer_bits(), 0);
        self.define(Op::IndexAddress { base: pointer, element: inner, index }, Type::Pointer)
    }

    /// A value converted as if by assignment or cast.
    pub fn convert(&mut self, value: Value, ty: &CType, position: Position) -> Lowered<Value> {
        if ty.kind == Kind::Void {
            return Ok(Value::Void);
        }
        let (operand, from) = match value {
            Value::Scalar(operand, from) => (operand, from),
            Value::Record(place) if place.ty.kind == ty.kind => return Ok(Value::Record(place)),
            _ => return self.error(position, "this value cannot be converted to the type needed"),
        };
        let target = ty.decayed();
        let converted = match (&from.kind, &target.kind) {
            (_, Kind::Bool) if from.kind != Kind::Bool => {
                let truth = self.truth(Value::Scalar(operand, from), position)?;
                self.widen_truth(truth, 8)
            }
            (Kind::Pointer(of), Kind::Pointer(to)) => {
                if let (Kind::Function(of), Kind::Function(to)) = (&of.kind, &to.kind)
                    && of.is_variadic() != to.is_variadic()
                {
                    let message = "a pointer to a function with '...' has another type than one without, and calls \
                                   through it pass arguments in another way; give the pointer the function's type";
                    return self.error(position, message);
                }
                self.give_type(operand, to);
                self.first_of_row(operand, of)
            }
            (Kind::Pointer(_), _) if target.is_integer() => {
                let bits = self.pointer_bits();
                let integer = match operand {
                    Operand::Null => Operand::int(bits, 0),
                    operand => self.cast(CastOp::PointerToInt, operand, Type::Int(bits)),
                };
                // GCC extends the sign where the integer is wider than the address.
                self.resize(integer, bits, true, self.bits(&target))
            }
            (_, Kind::Pointer(_)) if from.is_integer() => {
                let bits = self.pointer_bits();
                let integer = self.resize(operand, self.bits(&from), from.is_signed(), bits);
                match integer {
                    Operand::Int { value: 0, .. } => Operand::Null,
                    integer => self.cast(CastOp::IntToPointer, integer, Type::Pointer),
                }
            }
            (Kind::Float(a), Kind::Float(b)) if a == b => operand,
            (Kind::Float(_), Kind::Float(FloatFormat::Double)) => {
                self.model("__sapa_float32_to_float64", &[operand], Type::Int(64), position)?
            }
            (Kind::Float(_), Kind::Float(FloatFormat::Single)) => {
                self.model("__sapa_float64_to_float32", &[operand], Type::Int(32), position)?
            }
            (_, Kind::Float(format)) if from.is_integer() => {
                self.integer_to_float(operand, &from, *format, position)?
            }
            (Kind::Float(format), _) if target.is_integer() => {
                self.float_to_integer(operand, *format, &target, position)?
            }
            _ if from.is_integer() && target.is_integer() => {
                self.resize(operand, self.bits(&from), from.is_signed(), self.bits(&target))
            }
            (_, Kind::Unsupported(what)) | (Kind::Unsupported(what), _) => {
                return self.error(position, format!("{what} is not supported"));
            }
            _ => return self.error(position, "this value cannot be converted to the type needed"),
        };
        Ok(Value::Scalar(converted, target))
    }

    /// The type that the program gives to an object that it has just allocated.
    fn give_type(&mut self, pointer: Operand, pointee: &CType) {
        let Ok(memory) = pointee.in_memory() else { return };
        let block = self.block.and_then(|block| self.function.blocks.get_mut(block.index()));
        // Between them is at most the computation of where the pointer goes.
        let mut recent = block.into_iter().flat_map(|b| b.instructions.iter_mut().rev().take(8));
        if let Some(made) = recent.find(|i| i.result.map(Operand::Value) == Some(pointer))
            && let Op::Allocate { ty: ty @ None, .. } = &mut made.op
            && memory.size(&self.unit.module) > 0
        {
            *ty = Some(memory);
        }
    }

    fn integer_to_float(
        &mut self,
        operand: Operand,
        from: &CType,
        format: FloatFormat,
        position: Position,
    ) -> Lowered<Operand> {
        if self.bits(from) > 64 {
            return self.error(
                position,
                "conversion of 128-bit integers to floating-point types is not supported",
            );
        }
        let wide = self.resize(operand, self.bits(from), from.is_signed(), 64);
        let signed = if from.is_signed() { "int64" } else { "uint64" };
        let name = format!("__sapa_{signed}_to_float{}", format.bits());
        self.model(&name, &[wide], Type::Int(format.bits()), position)
    }

    fn float_to_integer(
        &mut self,
        operand: Operand,
        format: FloatFormat,
        target: &CType,
        position: Position,
    ) -> Lowered<Operand> {
        if self.bits(target) > 64 {
            return self.error(
                position,
                "conversion of floating-point values to 128-bit integers is not supported",
            );
        }
        // What does not fit is undefined: as on x86-64, a narrower type takes
        // the low bits of the conversion to 64 (32) bits.
        let signed = if target.is_signed() || self.bits(target) < 64 { "int64" } else { "uint64" };
        let narrow = self.bits(target) < 32 || self.bits(target) == 32 && target.is_signed();
        let (word, bits) = if narrow { ("int32", 32) } else { (signed, 64) };
        self.note_range(operand, format, target, position)?;
        let name = format!("__sapa_float{}_to_{word}", format.bits());
        let wide = self.model(&name, &[operand], Type::Int(bits), position)?;
        Ok(self.resize(wide, bits, true, self.bits(target)))
    }

    /// Calls the model that stands for the question whether a number fits into an integer type (C11 6.3.1.4), with what its
    /// magnitude is less than then, as bits of the format: of a number that is not negative, and of one that is.
    fn note_range(
        &mut self,
        number: Operand,
        format: FloatFormat,
        target: &CType,
        position: Position,
    ) -> Lowered<()> {
        let (bias, fraction) = match format {
            FloatFormat::Single => (127_u128, 23_u32),
            FloatFormat::Double => (1023, 52),
        };
        let power = |exponent: u16| (bias + u128::from(exponent)) << fraction;
        let bits = self.bits(target);
        let (above, below) = if target.is_signed() {
            let top = bits.saturating_sub(1);
            // The fraction is cut off, so that the numbers that fit go on to the next integer, if the format has it.
            let next = 1_u128 << fraction.saturating_sub(top.into());
            (power(top), power(top) + next)
        } else {
            (power(bits), power(0))
        };
        let limit = |value| Operand::int(format.bits(), value);
        let name = format!("__sapa_float{}_fits", format.bits());
        let operands = [number, limit(above), limit(below)];
        self.model(&name, &operands, Type::Int(32), position)?;
        Ok(())
    }

    /// An integer of another width.
    pub fn resize(&mut self, value: Operand, from: u16, signed: bool, to: u16) -> Operand {
        if let Operand::Int { value, .. } = value {
            let shift = 128 - u32::from(from);
            let wide = if signed { (((value << shift) as i128) >> shift) as u128 } else { value };
            return Operand::int(to, wide);
        }
        match from.cmp(&to) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.cast(CastOp::Truncate, value, Type::Int(to)),
            std::cmp::Ordering::Less if signed => {
                self.cast(CastOp::SignExtend, value, Type::Int(to))
            }
            std::cmp::Ordering::Less => self.cast(CastOp::ZeroExtend, value, Type::Int(to)),
        }
    }
}
