//! Predicates: C expressions as expressions of the vocabulary.
//!
//! Operators and conversions are C's, with three additions that say more and change nothing where
//! C has a meaning: a comparison of two operands of one type is made in that type, before C would
//! widen both; so is one with a constant that fits there; and the result of a comparison is one bit
//! until something computes with it. Names and types are whose the predicate is: see [`Names`].

use sapa_ir::goto::{BinaryOp, CastOp, CompareOp, Expression, FunctionId, GlobalId, Type, UnaryOp};

use crate::c::ast::{
    BinaryOperator as B, Expression as Source, ExpressionKind, TypeName, UnaryOperator,
};
use crate::lower::arithmetic::MemberPath;
use crate::lower::program::{Entity, Lowerer};
use crate::lower::types::{CType, Integers, Kind};
use crate::position::Position;

/// What the names in a predicate mean.
pub(crate) trait Names {
    /// The integer types.
    fn integers(&self) -> Integers;
    /// What a name means; the error is a message.
    fn named(&mut self, name: &str) -> Result<Named, String>;
    /// A type; the error is a message.
    fn type_name(&mut self, name: &TypeName) -> Result<CType, String>;
    /// The member of a structure.
    fn member(&self, ty: &CType, name: &str) -> Option<MemberPath>;
    /// Whether each thread has a global of its own.
    fn is_thread_local(&self, global: GlobalId) -> bool;
    /// The value of a constant expression, as far as those are folded.
    fn constant(&mut self, source: &Source) -> Option<(i128, CType)>;
}

/// What a name means in a predicate.
pub(crate) enum Named {
    /// An object at an address.
    Object(Expression, CType),
    /// A value.
    Value(Expression, CType),
}

/// The names in scope where a program has a predicate.
pub(super) struct NamesInFunction<'u, 'o> {
    pub unit: &'u mut Lowerer<'o>,
    pub function: FunctionId,
}

impl Names for NamesInFunction<'_, '_> {
    fn integers(&self) -> Integers {
        self.unit.integers()
    }

    fn named(&mut self, name: &str) -> Result<Named, String> {
        match self.unit.lookup(name).cloned() {
            Some(Entity::Global(global, ty)) => Ok(Named::Object(Expression::Global(global), ty)),
            Some(Entity::Slot(slot, ty)) => {
                Ok(Named::Object(Expression::Slot { function: self.function, slot }, ty))
            }
            Some(_) => Err(format!("'{name}' is no variable of a fixed size")),
            None => Err(format!("'{name}' is not declared")),
        }
    }

    fn type_name(&mut self, name: &TypeName) -> Result<CType, String> {
        self.unit.type_name(name).map_err(|_| "this type is not supported".to_owned())
    }

    fn member(&self, ty: &CType, name: &str) -> Option<MemberPath> {
        self.unit.member(ty, name)
    }

    fn is_thread_local(&self, global: GlobalId) -> bool {
        let global = self.unit.module.globals.get(global.index());
        global.is_some_and(|global| global.thread_local)
    }

    fn constant(&mut self, source: &Source) -> Option<(i128, CType)> {
        self.unit.constant(source)
    }
}

/// Where a predicate is wrong, and what is wrong.
pub(crate) type Failure = (Position, String);

/// A predicate as an `i1`.
///
/// # Errors
/// It has anything but scalars, members, elements and operators, or a name is not known.
pub(crate) fn expression(names: &mut dyn Names, source: &Source) -> Result<Expression, Failure> {
    let mut reader = Reader { names };
    let value = reader.scalar(source)?;
    Ok(reader.truth(value))
}

/// How far a value is fixed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// It has its C type.
    Typed,
    /// A constant: it is converted as it is written.
    Constant,
    /// An `i1` that C has as an `int`.
    Truth,
}

/// An expression of scalar type.
#[derive(Clone)]
struct Scalar {
    expression: Expression,
    ty: CType,
    form: Form,
}

impl Scalar {
    fn typed(expression: Expression, ty: CType) -> Self {
        Self { expression, ty, form: Form::Typed }
    }
}

struct Reader<'n> {
    names: &'n mut dyn Names,
}

fn fail<T>(position: Position, message: impl Into<String>) -> Result<T, Failure> {
    Err((position, message.into()))
}

fn is_pointer(ty: &CType) -> bool {
    matches!(ty.kind, Kind::Pointer(_))
}

fn mask(bits: u16, value: u128) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// A constant as a number.
fn number(value: u128, bits: u16, signed: bool) -> i128 {
    let shift = 128 - u32::from(bits.clamp(1, 128));
    if signed { ((value << shift) as i128) >> shift } else { value as i128 }
}

impl Reader<'_> {
    fn bits(&self, value: &Scalar) -> u16 {
        if value.form == Form::Truth { 1 } else { self.width(&value.ty) }
    }

    fn width(&self, ty: &CType) -> u16 {
        match ty.kind {
            Kind::Bool => 8,
            Kind::Int { bits, .. } => bits,
            _ => self.names.integers().0.pointer_bits,
        }
    }

    fn truth_value(&self, expression: Expression) -> Scalar {
        Scalar { expression, ty: self.names.integers().int(), form: Form::Truth }
    }

    /// A scalar as an `i1`.
    fn truth(&self, value: Scalar) -> Expression {
        let bits = self.bits(&value);
        match value.expression {
            Expression::Int { value: number, .. } if value.form == Form::Constant => {
                Expression::Int { bits: 1, value: u128::from(number != 0) }
            }
            expression if bits == 1 => expression,
            expression => {
                let zero = match value.ty.kind {
                    Kind::Pointer(_) => Expression::Null,
                    _ => Expression::Int { bits, value: 0 },
                };
                let op = CompareOp::Ne;
                Expression::Compare { op, a: Box::new(expression), b: Box::new(zero) }
            }
        }
    }

    /// A value as a type.
    fn convert(&self, value: Scalar, to: &CType) -> Scalar {
        let (width, target) = (self.bits(&value), self.width(to));
        let signed = value.form != Form::Truth && value.ty.is_signed();
        let is_constant = value.form == Form::Constant;
        if to.kind == Kind::Bool {
            let truth = self.truth(value);
            return self.truth_value(truth);
        }
        let cast = |op, bits, a: Expression| Expression::Cast {
            op,
            ty: if op == CastOp::IntToPointer { Type::Pointer } else { Type::Int(bits) },
            a: Box::new(a),
        };
        let pointer_bits = self.names.integers().0.pointer_bits;
        let mut expression = value.expression;
        let mut width = width;
        match (is_pointer(&value.ty), is_pointer(to)) {
            (true, true) => return Scalar::typed(expression, to.clone()),
            (false, true) => {
                if is_constant && matches!(expression, Expression::Int { value: 0, .. }) {
                    return Scalar::typed(Expression::Null, to.clone());
                }
                let address = CType::int(pointer_bits, false, 4);
                let value = Scalar { expression, ty: value.ty, form: value.form };
                let address = self.convert(value, &address).expression;
                let pointer = cast(CastOp::IntToPointer, pointer_bits, address);
                return Scalar::typed(pointer, to.clone());
            }
            (true, false) => {
                expression = cast(CastOp::PointerToInt, pointer_bits, expression);
                width = pointer_bits;
            }
            (false, false) => {}
        }
        let expression = match expression {
            Expression::Int { value, .. } if is_constant => Expression::Int {
                bits: target,
                value: mask(target, number(value, width, signed) as u128),
            },
            a => match width.cmp(&target) {
                std::cmp::Ordering::Equal => a,
                std::cmp::Ordering::Greater => cast(CastOp::Truncate, target, a),
                std::cmp::Ordering::Less if signed => cast(CastOp::SignExtend, target, a),
                std::cmp::Ordering::Less => cast(CastOp::ZeroExtend, target, a),
            },
        };
        Scalar::typed(expression, to.clone())
    }

    /// A constant in the type of another operand; `None` if it does not fit there, or if C would
    /// convert the other to an unsigned type.
    fn fitted(&self, constant: &Scalar, other: &Scalar) -> Option<Scalar> {
        let Expression::Int { bits, value } = constant.expression else { return None };
        if constant.form != Form::Constant || other.form == Form::Constant {
            return None;
        }
        let is_small = constant.ty.is_signed();
        let value = number(value, bits, true);
        let (bits, signed) = self.shape(other);
        let fits = match signed {
            true => number(mask(bits, value as u128), bits, true) == value,
            false => value >= 0 && mask(bits, value as u128) == value as u128,
        };
        (is_small && fits).then(|| Scalar {
            expression: Expression::Int { bits, value: mask(bits, value as u128) },
            ty: other.ty.clone(),
            form: other.form,
        })
    }

    /// Width and signedness, before C's promotions.
    fn shape(&self, value: &Scalar) -> (u16, bool) {
        (self.bits(value), value.form != Form::Truth && value.ty.is_signed())
    }

    /// Two operands of one type, of those that C compares or chooses between.
    fn unified(
        &self,
        a: Scalar,
        b: Scalar,
        is_compared: bool,
        position: Position,
    ) -> Result<(Scalar, Scalar), Failure> {
        match (is_pointer(&a.ty), is_pointer(&b.ty)) {
            (true, true) => return Ok((a, b)),
            (true, false) | (false, true) => {
                let (pointer, other) = if is_pointer(&a.ty) { (&a, &b) } else { (&b, &a) };
                let is_null = other.form == Form::Constant
                    && matches!(other.expression, Expression::Int { value: 0, .. });
                if !is_null {
                    return fail(position, "a pointer and an integer: one of them needs a cast");
                }
                let null = Scalar::typed(Expression::Null, pointer.ty.clone());
                return Ok(if is_pointer(&a.ty) { (a, null) } else { (null, b) });
            }
            (false, false) => {}
        }
        // What C promotes keeps its value in its own type, and will be promoted there.
        let integers = self.names.integers();
        let may_narrow = |of: &Scalar| {
            is_compared || of.form == Form::Truth || integers.promote(&of.ty) != of.ty
        };
        if let Some(a) = self.fitted(&a, &b).filter(|_| may_narrow(&b)) {
            return Ok((a, b));
        }
        if let Some(b) = self.fitted(&b, &a).filter(|_| may_narrow(&a)) {
            return Ok((a, b));
        }
        let constants = a.form == Form::Constant || b.form == Form::Constant;
        if !constants && self.shape(&a) == self.shape(&b) {
            return Ok((a, b));
        }
        let common = self.names.integers().common(&a.ty, &b.ty);
        Ok((self.convert(a, &common), self.convert(b, &common)))
    }

    /// The address of an object, and its type.
    fn place(&mut self, source: &Source) -> Result<(Expression, CType), Failure> {
        let at = source.position;
        match &source.kind {
            ExpressionKind::Identifier(name) => {
                match self.names.named(name).map_err(|message| (at, message))? {
                    Named::Object(address, ty) => Ok((address, ty)),
                    Named::Value(..) => fail(at, format!("'{name}' is no object in memory")),
                }
            }
            ExpressionKind::Member { object, member, arrow } => {
                let (mut address, ty) = if *arrow {
                    let pointer = self.scalar(object)?;
                    let Some(ty) = pointer.ty.pointee() else {
                        return fail(at, "this is no pointer");
                    };
                    (pointer.expression, ty.clone())
                } else {
                    self.place(object)?
                };
                if !matches!(ty.kind, Kind::Record(_)) {
                    return fail(member.position, "this is no structure");
                }
                let Some(path) = self.names.member(&ty, &member.name) else {
                    let message = format!("the structure has no member '{}'", member.name);
                    return fail(member.position, message);
                };
                if path.bits.is_some() {
                    return fail(member.position, "bit-fields are not supported in predicates");
                }
                for (structure, field) in path.steps {
                    let base = Box::new(address);
                    address = Expression::FieldAddress { base, structure, field };
                }
                Ok((address, path.ty))
            }
            ExpressionKind::Index { array, index } => {
                let base = self.scalar(array)?;
                let Some(element) = base.ty.pointee().cloned() else {
                    return fail(index.position, "this is no array");
                };
                let number = self.scalar(index)?;
                if !number.ty.is_integer() {
                    return fail(index.position, "an index is an integer");
                }
                let long = CType::int(self.names.integers().0.pointer_bits, true, 4);
                let index = Box::new(self.convert(number, &long).expression);
                let memory = element.in_memory().map_err(|what| (at, untyped(what)))?;
                let base = Box::new(base.expression);
                Ok((Expression::IndexAddress { base, element: memory, index }, element))
            }
            ExpressionKind::Unary { operator: UnaryOperator::Dereference, operand } => {
                let pointer = self.scalar(operand)?;
                match pointer.ty.pointee() {
                    Some(ty) => Ok((pointer.expression, ty.clone())),
                    None => fail(at, "'*' needs a pointer"),
                }
            }
            _ => fail(at, "only variables, members and elements have addresses"),
        }
    }

    fn scalar(&mut self, source: &Source) -> Result<Scalar, Failure> {
        let at = source.position;
        if let Some((value, ty)) = self.names.constant(source) {
            let bits = self.width(&ty);
            let expression = Expression::Int { bits, value: mask(bits, value as u128) };
            return Ok(Scalar { expression, ty, form: Form::Constant });
        }
        match &source.kind {
            ExpressionKind::Unary { operator: UnaryOperator::AddressOf, operand } => {
                if let ExpressionKind::Identifier(name) = &operand.kind
                    && let Ok(Named::Value(address @ Expression::Function(_), ty)) =
                        self.names.named(name)
                {
                    return Ok(Scalar::typed(address, ty));
                }
                let (address, ty) = self.place(operand)?;
                Ok(Scalar::typed(address, ty.pointer()))
            }
            ExpressionKind::Unary { operator, operand }
                if *operator != UnaryOperator::Dereference =>
            {
                let value = self.scalar(operand)?;
                self.unary(*operator, value, at)
            }
            ExpressionKind::Binary { operator, left, right } => {
                let (a, b) = (self.scalar(left)?, self.scalar(right)?);
                self.binary(*operator, a, b, right.position)
            }
            ExpressionKind::Conditional { condition, then: Some(then), otherwise } => {
                let condition = self.scalar(condition)?;
                let (a, b) = (self.scalar(then)?, self.scalar(otherwise)?);
                let (a, b) = self.unified(a, b, false, at)?;
                let form = if (a.form, b.form) == (Form::Truth, Form::Truth) {
                    Form::Truth
                } else {
                    Form::Typed
                };
                let ty = if a.form == Form::Truth { b.ty } else { a.ty };
                let expression = Expression::Select {
                    condition: Box::new(self.truth(condition)),
                    a: Box::new(a.expression),
                    b: Box::new(b.expression),
                };
                Ok(Scalar { expression, ty, form })
            }
            ExpressionKind::Cast { type_name, operand } => {
                let ty = self.names.type_name(type_name).map_err(|message| (at, message))?;
                if !ty.is_integer() && !is_pointer(&ty) {
                    return fail(at, "casts in predicates are to integers and pointers");
                }
                let value = self.scalar(operand)?;
                Ok(self.convert(value, &ty))
            }
            ExpressionKind::Other(inner) => self.other(inner, at),
            ExpressionKind::Identifier(_)
            | ExpressionKind::Member { .. }
            | ExpressionKind::Index { .. }
            | ExpressionKind::Unary { .. } => self.object(source),
            _ => fail(
                at,
                "this is not supported in predicates: they have variables, constants and operators",
            ),
        }
    }

    /// What another thread has.
    fn other(&mut self, inner: &Source, at: Position) -> Result<Scalar, Failure> {
        let value = self.scalar(inner)?;
        if value.expression.has_other() {
            return fail(at, "brackets stand within brackets; one other thread is meant");
        }
        let mut is_own = false;
        value.expression.for_each(&mut |e| {
            is_own |= match e {
                Expression::Variable { .. }
                | Expression::Value { .. }
                | Expression::Slot { .. } => true,
                Expression::Global(global) => self.names.is_thread_local(*global),
                _ => false,
            }
        });
        if !is_own {
            return fail(at, "brackets are around what all threads share; write it without");
        }
        let expression = Expression::Other { of: Box::new(value.expression) };
        Ok(Scalar { expression, ..value })
    }

    /// What an object holds, or the address of an array.
    fn object(&mut self, source: &Source) -> Result<Scalar, Failure> {
        let at = source.position;
        if let ExpressionKind::Identifier(name) = &source.kind
            && let Named::Value(value, ty) =
                self.names.named(name).map_err(|message| (at, message))?
        {
            return Ok(Scalar::typed(value, ty));
        }
        let (address, ty) = self.place(source)?;
        match ty.kind {
            Kind::Array(..) => Ok(Scalar::typed(address, ty.decayed())),
            Kind::Bool | Kind::Int { .. } | Kind::Pointer(_) => {
                let memory = ty.in_memory().map_err(|what| (at, untyped(what)))?;
                let address = Box::new(address);
                Ok(Scalar::typed(Expression::Load { ty: memory, address }, ty.decayed()))
            }
            Kind::Record(_) => fail(at, "this is no scalar: a member is missing"),
            Kind::Void => fail(at, untyped("an object of type void")),
            _ => fail(at, "predicates are about integers and pointers"),
        }
    }

    fn unary(
        &mut self,
        operator: UnaryOperator,
        value: Scalar,
        at: Position,
    ) -> Result<Scalar, Failure> {
        if operator == UnaryOperator::LogicalNot {
            let a = Box::new(self.truth(value));
            return Ok(self.truth_value(Expression::Unary { op: UnaryOp::Not, a }));
        }
        if is_pointer(&value.ty) {
            return fail(at, "this operator does not take pointers");
        }
        let promoted = self.names.integers().promote(&value.ty);
        let is_constant = value.form == Form::Constant;
        let value = self.convert(value, &promoted);
        let op = match operator {
            UnaryOperator::Plus => return Ok(value),
            UnaryOperator::Minus => UnaryOp::Neg,
            UnaryOperator::BitwiseNot => UnaryOp::Not,
            _ => return fail(at, "this operator is not supported in predicates"),
        };
        match value.expression {
            Expression::Int { bits, value } if is_constant && op == UnaryOp::Neg => {
                let value = mask(bits, value.wrapping_neg());
                let expression = Expression::Int { bits, value };
                Ok(Scalar { expression, ty: promoted, form: Form::Constant })
            }
            a => Ok(Scalar::typed(Expression::Unary { op, a: Box::new(a) }, promoted)),
        }
    }

    fn binary(
        &mut self,
        operator: B,
        a: Scalar,
        b: Scalar,
        at: Position,
    ) -> Result<Scalar, Failure> {
        let both = |op, a: Expression, b: Expression| Expression::Binary {
            op,
            a: Box::new(a),
            b: Box::new(b),
        };
        if operator.is_logical() {
            let op = if operator == B::LogicalAnd { BinaryOp::And } else { BinaryOp::Or };
            return Ok(self.truth_value(both(op, self.truth(a), self.truth(b))));
        }
        if operator.is_comparison() {
            let (a, b) = self.unified(a, b, true, at)?;
            let (less, less_equal) = if self.shape(&a).1 {
                (CompareOp::SignedLt, CompareOp::SignedLe)
            } else {
                (CompareOp::UnsignedLt, CompareOp::UnsignedLe)
            };
            let (op, is_swapped) = match operator {
                B::Equal => (CompareOp::Eq, false),
                B::NotEqual => (CompareOp::Ne, false),
                B::Less => (less, false),
                B::LessEqual => (less_equal, false),
                B::Greater => (less, true),
                _ => (less_equal, true),
            };
            let (a, b) = if is_swapped { (b, a) } else { (a, b) };
            let (a, b) = (Box::new(a.expression), Box::new(b.expression));
            return Ok(self.truth_value(Expression::Compare { op, a, b }));
        }
        if is_pointer(&a.ty) || is_pointer(&b.ty) {
            return fail(at, format!("'{}' on pointers", operator.spelling()));
        }
        let integers = self.names.integers();
        let common = match operator {
            B::ShiftLeft | B::ShiftRight => integers.promote(&a.ty),
            _ => integers.common(&a.ty, &b.ty),
        };
        let (a, b) = (self.convert(a, &common), self.convert(b, &common));
        let op = match (operator, common.is_signed()) {
            (B::Multiply, _) => BinaryOp::Mul,
            (B::Add, _) => BinaryOp::Add,
            (B::Subtract, _) => BinaryOp::Sub,
            (B::Divide, true) => BinaryOp::SignedDiv,
            (B::Divide, false) => BinaryOp::UnsignedDiv,
            (B::Remainder, true) => BinaryOp::SignedRem,
            (B::Remainder, false) => BinaryOp::UnsignedRem,
            (B::BitwiseAnd, _) => BinaryOp::And,
            (B::BitwiseOr, _) => BinaryOp::Or,
            (B::BitwiseXor, _) => BinaryOp::Xor,
            (B::ShiftLeft, _) => BinaryOp::ShiftLeft,
            (_, true) => BinaryOp::ArithmeticShiftRight,
            (_, false) => BinaryOp::LogicalShiftRight,
        };
        Ok(Scalar::typed(both(op, a.expression, b.expression), common))
    }
}

/// The message for what a pointer without a type points to.
fn untyped(what: &str) -> String {
    format!("{what} has no value: say what is there by a cast, as in '*(int *)p'")
}
