//! Operators on values.

use sapa_ir::goto::{
    BinaryOp, CastOp, CompareOp, FieldIndex, Op, Operand, Section, StructId, Type, UnaryOp,
};

use super::body::{Body, Place, Value};
use super::layout::BitField;
use super::program::{Lowered, Lowerer};
use super::types::{CType, FloatFormat, Kind};
use crate::lower::operator::BinaryOperator;
use crate::position::Position;

/// A member of a record, found by name: fields on the way through anonymous
/// members, its type, and its bits if it is a bit-field.
#[derive(Clone, Debug)]
pub(crate) struct MemberPath {
    pub steps: Vec<(StructId, FieldIndex)>,
    pub ty: CType,
    pub bits: Option<BitField>,
}

impl Lowerer<'_> {
    /// The member of this name, if the type has one.
    pub fn member(&self, ty: &CType, name: &str) -> Option<MemberPath> {
        let Kind::Record(id) = ty.kind else { return None };
        for member in &self.record(id)?.members {
            let step = (id, member.field);
            let mut member_type = member.ty.clone();
            // C11 6.5.2.3p3: the object's qualifiers are its members'.
            member_type.qualify(ty.constant, ty.volatile);
            if member.name == name {
                return Some(MemberPath { steps: vec![step], ty: member_type, bits: member.bits });
            }
            if member.name.is_empty()
                && let Some(mut path) = self.member(&member_type, name)
            {
                path.steps.insert(0, step);
                return Some(path);
            }
        }
        None
    }

    /// The member of this name.
    pub fn find_member(
        &mut self,
        ty: &CType,
        name: &str,
        position: Position,
    ) -> Lowered<MemberPath> {
        if let Some(path) = self.member(ty, name) {
            return Ok(path);
        }
        match ty.kind {
            Kind::Record(id) if self.record(id).is_none() => {
                self.error(position, "the structure is incomplete here")
            }
            Kind::Record(_) => {
                self.error(position, format!("the structure has no member '{name}'"))
            }
            Kind::Unsupported(what) => self.error(position, format!("{what} is not supported")),
            _ => self.error(position, format!("'{name}' is asked of what is no structure")),
        }
    }
}

impl Body<'_, '_> {
    /// The object that a pointer points to.
    pub fn pointed_to(&mut self, value: Value, position: Position) -> Lowered<Place> {
        match value {
            Value::Scalar(address, ty) => match ty.pointee() {
                Some(inner) => Ok(Place::new(address, inner.clone())),
                None => self.error(position, "a pointer is needed here"),
            },
            _ => self.error(position, "a pointer is needed here"),
        }
    }

    /// The member of an object.
    pub fn member_of(&mut self, object: &Place, name: &str, position: Position) -> Lowered<Place> {
        // glibc's mutexes: it may be given another kind.
        if name == "__kind" {
            self.unit.mutexes.find_kind();
        }
        let MemberPath { steps, ty, bits } = self.unit.find_member(&object.ty, name, position)?;
        let mut address = object.address;
        for (structure, field) in steps {
            address =
                self.define(Op::FieldAddress { base: address, structure, field }, Type::Pointer);
        }
        Ok(Place { address, ty, bits })
    }

    /// `+`, `-` and `~` of an arithmetic value; `!` of a scalar.
    pub fn negation(&mut self, value: Value, position: Position) -> Lowered<Value> {
        let truth = self.truth(value, position)?;
        let negated = self.not(truth);
        Ok(self.truth_value(negated))
    }

    /// A value after the integer promotions.
    pub fn promoted(&mut self, value: Value, position: Position) -> Lowered<(Operand, CType)> {
        let (operand, ty) = self.scalar(value, position)?;
        if !ty.is_arithmetic() {
            return self.error(position, "a number is needed here");
        }
        let promoted = self.unit.integers().promote(&ty);
        let operand = self.resize(operand, self.bits(&ty), ty.is_signed(), self.bits(&promoted));
        Ok((operand, promoted))
    }

    /// `-x`.
    pub fn minus(&mut self, value: Value, position: Position) -> Lowered<Value> {
        let (operand, ty) = self.promoted(value, position)?;
        let bits = self.bits(&ty);
        let result = match ty.kind {
            Kind::Float(_) => {
                let sign = Operand::int(bits, 1 << (bits - 1));
                self.binary(BinaryOp::Xor, operand, sign, false)
            }
            // 0 - x overflows exactly where -x does.
            _ => self.binary(BinaryOp::Sub, Operand::int(bits, 0), operand, ty.is_signed()),
        };
        Ok(Value::Scalar(result, ty))
    }

    /// `~x`.
    pub fn complement(&mut self, value: Value, position: Position) -> Lowered<Value> {
        let (operand, ty) = self.promoted(value, position)?;
        if !ty.is_integer() {
            return self.error(position, "an integer is needed here");
        }
        let memory = Type::Int(self.bits(&ty));
        Ok(Value::Scalar(self.define(Op::Unary { op: UnaryOp::Not, a: operand }, memory), ty))
    }

    /// A binary operation on two values (not `&&`, `||`).
    pub fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        a: Value,
        b: Value,
        position: Position,
    ) -> Lowered<Value> {
        use BinaryOperator as B;
        let (x, tx) = self.scalar(a.clone(), position)?;
        let (y, ty) = self.scalar(b.clone(), position)?;
        let pointers = (tx.pointee().is_some(), ty.pointee().is_some());
        match operator {
            B::Add if pointers.0 || pointers.1 => return self.pointer_sum(a, b, false, position),
            B::Subtract if pointers == (true, true) => {
                return self.pointer_difference(x, y, &tx, position);
            }
            B::Subtract if pointers.0 => return self.pointer_sum(a, b, true, position),
            _ => {}
        }
        if matches!(operator, B::ShiftLeft | B::ShiftRight) {
            return self.shift(operator, (x, tx), (y, ty), position);
        }
        let common = if pointers.0 {
            tx.clone()
        } else if pointers.1 {
            ty.clone()
        } else {
            self.unit.integers().common(&tx, &ty)
        };
        let x = self.convert(Value::Scalar(x, tx), &common, position)?;
        let y = self.convert(Value::Scalar(y, ty), &common, position)?;
        let ((x, _), (y, _)) = (self.scalar(x, position)?, self.scalar(y, position)?);
        if let Kind::Float(format) = common.kind {
            return self.float_operation(operator, format, x, y, position);
        }
        let signed = common.is_signed();
        if let Some((op, swap)) = comparison(operator, signed) {
            let truth = if swap { self.compare(op, y, x) } else { self.compare(op, x, y) };
            return Ok(self.truth_value(truth));
        }
        if !common.is_integer() {
            return self.error(position, "this operation needs integers");
        }
        let (op, wraps) = match operator {
            B::Multiply => (BinaryOp::Mul, signed),
            B::Add => (BinaryOp::Add, signed),
            B::Subtract => (BinaryOp::Sub, signed),
            B::Divide => (if signed { BinaryOp::SignedDiv } else { BinaryOp::UnsignedDiv }, false),
            B::Remainder => {
                (if signed { BinaryOp::SignedRem } else { BinaryOp::UnsignedRem }, false)
            }
            B::BitwiseAnd => (BinaryOp::And, false),
            B::BitwiseOr => (BinaryOp::Or, false),
            B::BitwiseXor => (BinaryOp::Xor, false),
            _ => return self.error(position, "this operation is not supported"),
        };
        Ok(Value::Scalar(self.binary(op, x, y, wraps), common))
    }

    /// An operation on floating-point numbers of one format: IEEE 754, round to
    /// nearest, by the functions of the library's `float.c`.
    fn float_operation(
        &mut self,
        operator: BinaryOperator,
        format: FloatFormat,
        x: Operand,
        y: Operand,
        position: Position,
    ) -> Lowered<Value> {
        use BinaryOperator as B;
        let (word, swap, negate) = match operator {
            B::Add => ("add", false, false),
            B::Subtract => ("sub", false, false),
            B::Multiply => ("mul", false, false),
            B::Divide => ("div", false, false),
            B::Equal => ("eq", false, false),
            B::NotEqual => ("eq", false, true),
            B::Less => ("lt", false, false),
            B::Greater => ("lt", true, false),
            B::LessEqual => ("le", false, false),
            B::GreaterEqual => ("le", true, false),
            _ => return self.error(position, "this operation needs integers"),
        };
        let name = format!("__sapa_float{}_{word}", format.bits());
        let operands = if swap { [y, x] } else { [x, y] };
        if matches!(word, "eq" | "lt" | "le") {
            let int = self.unit.integers().int();
            let bits = self.bits(&int);
            let result = self.model(&name, &operands, Type::Int(bits), position)?;
            let result = Value::Scalar(result, int);
            return if negate { self.negation(result, position) } else { Ok(result) };
        }
        let result = self.model(&name, &operands, Type::Int(format.bits()), position)?;
        Ok(Value::Scalar(result, Kind::Float(format).into()))
    }

    fn shift(
        &mut self,
        operator: BinaryOperator,
        (x, tx): (Operand, CType),
        (y, ty): (Operand, CType),
        position: Position,
    ) -> Lowered<Value> {
        if !tx.is_integer() || !ty.is_integer() {
            return self.error(position, "a shift needs integers");
        }
        let result = self.unit.integers().promote(&tx);
        let bits = self.bits(&result);
        let x = self.resize(x, self.bits(&tx), tx.is_signed(), bits);
        let y = self.distance(y, &ty, bits);
        let op = match operator {
            BinaryOperator::ShiftLeft => BinaryOp::ShiftLeft,
            _ if result.is_signed() => BinaryOp::ArithmeticShiftRight,
            _ => BinaryOp::LogicalShiftRight,
        };
        let overflows = operator == BinaryOperator::ShiftLeft && result.is_signed();
        Ok(Value::Scalar(self.binary(op, x, y, overflows), result))
    }

    /// The distance of a shift at the width of what is shifted. One that does not fit becomes one
    /// by more than the width, which is as undefined.
    pub fn distance(&mut self, y: Operand, ty: &CType, bits: u16) -> Operand {
        let from = self.bits(ty);
        if from <= bits {
            return self.resize(y, from, ty.is_signed(), bits);
        }
        let too_far = Operand::int(bits, u128::MAX);
        match y {
            Operand::Int { value, .. } if value < u128::from(bits) => Operand::int(bits, value),
            Operand::Int { .. } => too_far,
            _ => {
                let width = Operand::int(from, u128::from(bits));
                let condition = self.compare(CompareOp::UnsignedLt, y, width);
                let a = self.resize(y, from, false, bits);
                self.define(Op::Select { condition, a, b: too_far }, Type::Int(bits))
            }
        }
    }

    /// Pointer plus (or minus) integer, in either order.
    pub fn pointer_sum(
        &mut self,
        a: Value,
        b: Value,
        negate: bool,
        position: Position,
    ) -> Lowered<Value> {
        let (x, tx) = self.scalar(a, position)?;
        let (y, ty) = self.scalar(b, position)?;
        let ((base, pointer), (index, integer)) =
            if tx.pointee().is_some() { ((x, tx), (y, ty)) } else { ((y, ty), (x, tx)) };
        let element = match pointer.pointee() {
            Some(element) if integer.is_integer() => element,
            _ => return self.error(position, "this operation needs a pointer and an integer"),
        };
        let stride = match element.is_variable() {
            true => Some(self.size_now(&element.clone(), position)?),
            false => None,
        };
        let element = match &element.kind {
            _ if stride.is_some() => Type::Int(8),
            Kind::Void | Kind::Function(_) => Type::Int(8),
            _ => match element.in_memory() {
                Ok(element) => element,
                Err(what) => {
                    return self.error(position, format!("arithmetic on a pointer to {what}"));
                }
            },
        };
        let bits = self.pointer_bits();
        let mut index = self.resize(index, self.bits(&integer), integer.is_signed(), bits);
        if let Some(stride) = stride {
            index = self.binary(BinaryOp::Mul, index, stride, false);
        }
        if negate {
            index = match index {
                Operand::Int { value, .. } => Operand::int(bits, value.wrapping_neg()),
                index => self.binary(BinaryOp::Sub, Operand::int(bits, 0), index, false),
            };
        }
        let address = self.define(Op::IndexAddress { base, element, index }, Type::Pointer);
        Ok(Value::Scalar(address, pointer))
    }

    /// The size of an object of a type in bytes, which need not be a constant.
    pub fn size_now(&mut self, ty: &CType, position: Position) -> Lowered<Operand> {
        let size = self.unit.integers().size();
        let bits = self.bits(&size);
        let (Kind::Array(element, known), true) = (&ty.kind, ty.is_variable()) else {
            return match self.unit.size_of(ty) {
                Some(size) => Ok(Operand::int(bits, size.into())),
                None => self.error(position, "the size of this type is not known"),
            };
        };
        let each = self.size_now(element, position)?;
        let count = match (known, ty.count) {
            (Some(known), _) => Operand::int(bits, (*known).into()),
            (None, Some(slot)) => {
                let count = self.load(&Place::new(Operand::Slot(slot), size), position)?;
                self.scalar(count, position)?.0
            }
            (None, None) => return self.error(position, "the size of this array is not known"),
        };
        Ok(self.binary(BinaryOp::Mul, count, each, false))
    }

    fn pointer_difference(
        &mut self,
        x: Operand,
        y: Operand,
        ty: &CType,
        position: Position,
    ) -> Lowered<Value> {
        let size = ty.pointee().and_then(|element| self.unit.size_of(element)).unwrap_or(0);
        if size == 0 {
            return self.error(position, "the difference of pointers to an incomplete type");
        }
        let bits = self.pointer_bits();
        let x = self.cast(CastOp::PointerToInt, x, Type::Int(bits));
        let y = self.cast(CastOp::PointerToInt, y, Type::Int(bits));
        let difference = self.binary(BinaryOp::Sub, x, y, false);
        let size = Operand::int(bits, u128::from(size));
        let count = self.binary(BinaryOp::SignedDiv, difference, size, false);
        Ok(Value::Scalar(count, self.unit.integers().long()))
    }

    /// Reads, changes and writes an object, in one step if it is `_Atomic`; the old and the new value.
    pub fn update(
        &mut self,
        place: &Place,
        position: Position,
        change: impl FnOnce(&mut Self, Value) -> Lowered<Value>,
    ) -> Lowered<(Value, Value)> {
        let steps = |body: &mut Self| {
            let old = body.load(place, position)?;
            let new = change(body, old.clone())?;
            body.store(place, new.clone(), position)?;
            Ok((old, new))
        };
        if place.ty.atomic { self.atomically(Section::Locked, steps) } else { steps(self) }
    }
}

/// The comparison of an operator, and whether its operands change places.
fn comparison(operator: BinaryOperator, signed: bool) -> Option<(CompareOp, bool)> {
    use BinaryOperator as B;
    let less = if signed { CompareOp::SignedLt } else { CompareOp::UnsignedLt };
    let less_equal = if signed { CompareOp::SignedLe } else { CompareOp::UnsignedLe };
    Some(match operator {
        B::Equal => (CompareOp::Eq, false),
        B::NotEqual => (CompareOp::Ne, false),
        B::Less => (less, false),
        B::Greater => (less, true),
        B::LessEqual => (less_equal, false),
        B::GreaterEqual => (less_equal, true),
        _ => return None,
    })
}
