//! Constant expressions and types of expressions.

use super::types::{CType, Kind};
use super::unit::{Entity, Lowered, Lowerer};
use crate::c::ast::{
    BinaryOperator, Expression, ExpressionKind, IntegerConstant, IntegerLength, UnaryOperator,
};

/// `value` as a number of a type.
pub(crate) fn wrap(value: i128, ty: &CType) -> i128 {
    match ty.kind {
        Kind::Bool => i128::from(value != 0),
        Kind::Int { bits, signed, .. } if bits < 128 => {
            let shift = 128 - u32::from(bits);
            if signed {
                (value << shift) >> shift
            } else {
                (((value as u128) << shift) >> shift) as i128
            }
        }
        _ => value,
    }
}

impl Lowerer<'_> {
    /// The value of an integer constant expression; `None` if it is none.
    pub fn constant(&mut self, expression: &Expression) -> Option<(i128, CType)> {
        let integers = self.integers();
        match &expression.kind {
            ExpressionKind::Integer(constant) => {
                let ty = self.integer_type(constant);
                Some((constant.value as i128, ty))
            }
            ExpressionKind::Character(constant) => {
                Some((i128::from(constant.value(self.module.target.char_signed)), integers.int()))
            }
            ExpressionKind::Identifier(name) => match self.lookup(name) {
                Some(Entity::Constant(value, ty)) => Some((*value, ty.clone())),
                _ => None,
            },
            ExpressionKind::Unary { operator, operand } => {
                let (value, ty) = self.constant(operand)?;
                let ty = integers.promote(&ty);
                match operator {
                    UnaryOperator::Plus => Some((value, ty)),
                    UnaryOperator::Minus => Some((wrap(value.wrapping_neg(), &ty), ty)),
                    UnaryOperator::BitwiseNot => Some((wrap(!value, &ty), ty)),
                    UnaryOperator::LogicalNot => Some((i128::from(value == 0), integers.int())),
                    _ => None,
                }
            }
            ExpressionKind::Binary { operator, left, right } => {
                let (a, ta) = self.constant(left)?;
                let (b, tb) = self.constant(right)?;
                self.fold(*operator, a, &ta, b, &tb)
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let (value, ty) = self.constant(condition)?;
                let (chosen, of) = match (value != 0, then) {
                    (true, Some(then)) => self.constant(then)?,
                    (true, None) => (value, ty.clone()),
                    (false, _) => self.constant(otherwise)?,
                };
                // The type does not depend on which arm is chosen.
                let a = match then {
                    Some(then) => self.type_of(then).ok()?,
                    None => ty,
                };
                let b = self.type_of(otherwise).ok()?;
                if !a.is_integer() || !b.is_integer() {
                    return Some((chosen, of));
                }
                let common = integers.common(&a, &b);
                Some((wrap(chosen, &common), common))
            }
            ExpressionKind::Cast { type_name, operand } => {
                let ty = self.type_name(type_name).ok()?;
                let (value, _) = self.constant(operand)?;
                ty.is_integer().then(|| (wrap(value, &ty), ty))
            }
            ExpressionKind::SizeofType(name) => {
                let ty = self.type_name(name).ok()?;
                Some((i128::from(self.size_of(&ty)?), integers.size()))
            }
            ExpressionKind::SizeofExpression(operand) => {
                let ty = self.type_of(operand).ok()?;
                Some((i128::from(self.size_of(&ty)?), integers.size()))
            }
            ExpressionKind::AlignofType(name) => {
                let ty = self.type_name(name).ok()?.in_memory().ok()?;
                Some((i128::from(super::types::alignment(&self.module, &ty)), integers.size()))
            }
            ExpressionKind::ChooseExpression { condition, then, otherwise } => {
                if self.constant(condition)?.0 != 0 {
                    self.constant(then)
                } else {
                    self.constant(otherwise)
                }
            }
            _ => None,
        }
    }

    pub fn size_of(&self, ty: &CType) -> Option<u64> {
        match ty.kind {
            // GNU C: the size of void and of functions is 1.
            Kind::Void | Kind::Function(_) => Some(1),
            _ => Some(ty.in_memory().ok()?.size(&self.module)),
        }
    }

    fn fold(
        &self,
        operator: BinaryOperator,
        a: i128,
        ta: &CType,
        b: i128,
        tb: &CType,
    ) -> Option<(i128, CType)> {
        use BinaryOperator as B;
        let integers = self.integers();
        let truth = |value: bool| Some((i128::from(value), integers.int()));
        if let B::ShiftLeft | B::ShiftRight = operator {
            let ty = integers.promote(ta);
            let by = u32::try_from(b).ok().filter(|&n| n < 128)?;
            let value = if operator == B::ShiftLeft { a << by } else { wrap(a, &ty) >> by };
            return Some((wrap(value, &ty), ty));
        }
        let ty = integers.common(ta, tb);
        let (x, y) = (wrap(a, &ty), wrap(b, &ty));
        let value = match operator {
            B::Multiply => x.wrapping_mul(y),
            B::Divide => x.checked_div(y)?,
            B::Remainder => x.checked_rem(y)?,
            B::Add => x.wrapping_add(y),
            B::Subtract => x.wrapping_sub(y),
            B::BitwiseAnd => x & y,
            B::BitwiseOr => x | y,
            B::BitwiseXor => x ^ y,
            B::Less => return truth(x < y),
            B::Greater => return truth(x > y),
            B::LessEqual => return truth(x <= y),
            B::GreaterEqual => return truth(x >= y),
            B::Equal => return truth(x == y),
            B::NotEqual => return truth(x != y),
            B::LogicalAnd => return truth(a != 0 && b != 0),
            B::LogicalOr => return truth(a != 0 || b != 0),
            B::ShiftLeft | B::ShiftRight => return None,
        };
        Some((wrap(value, &ty), ty))
    }

    /// The type of an integer constant: the first that holds it (C11 6.4.4.1).
    pub fn integer_type(&self, constant: &IntegerConstant) -> CType {
        let target = self.module.target;
        let candidates = [(target.int_bits, 3), (target.long_bits, 4), (target.long_long_bits, 5)];
        let first = match constant.length {
            IntegerLength::Int => 0,
            IntegerLength::Long => 1,
            IntegerLength::LongLong => 2,
        };
        for &(bits, rank) in &candidates[first..] {
            if !constant.is_unsigned && constant.value >> (bits - 1) == 0 {
                return CType::int(bits, true, rank);
            }
            if (constant.is_unsigned || !constant.is_decimal) && constant.value >> bits == 0 {
                return CType::int(bits, false, rank);
            }
        }
        CType::int(128, true, 6)
    }

    /// The type of an expression, which is not evaluated (`sizeof`, `typeof`).
    pub fn type_of(&mut self, expression: &Expression) -> Lowered<CType> {
        let integers = self.integers();
        let position = expression.position;
        Ok(match &expression.kind {
            ExpressionKind::Identifier(name) => match self.lookup(name) {
                Some(Entity::Global(_, ty) | Entity::Slot(_, ty) | Entity::Constant(_, ty)) => {
                    ty.clone()
                }
                Some(Entity::Function(ty)) => Kind::Function(Box::new((**ty).clone())).into(),
                _ => return self.error(position, format!("'{name}' is not declared")),
            },
            ExpressionKind::Integer(constant) => self.integer_type(constant),
            ExpressionKind::Float(_) => Kind::Unsupported("a floating-point type").into(),
            ExpressionKind::Character(_) => integers.int(),
            ExpressionKind::String(string) => {
                Kind::Array(Box::new(integers.char()), Some(string.units.len() as u64 + 1)).into()
            }
            ExpressionKind::Call { function, .. } => {
                if let ExpressionKind::Identifier(name) = &function.kind
                    && self.lookup(name).is_none()
                {
                    return Ok(integers.int());
                }
                let ty = self.type_of(function)?.decayed();
                match ty.pointee().map(|t| &t.kind) {
                    Some(Kind::Function(function)) => function.result.clone(),
                    _ => return self.error(position, "what is called is no function"),
                }
            }
            ExpressionKind::Member { object, member, arrow } => {
                let mut ty = self.type_of(object)?;
                if *arrow {
                    ty = match ty.decayed().pointee() {
                        Some(inner) => inner.clone(),
                        None => return self.error(position, "'->' needs a pointer"),
                    };
                }
                self.find_member(&ty, &member.name, member.position)?.1
            }
            ExpressionKind::Index { array, index } => {
                let (a, b) = (self.type_of(array)?.decayed(), self.type_of(index)?.decayed());
                match a.pointee().or(b.pointee()) {
                    Some(element) => element.clone(),
                    None => return self.error(position, "'[]' needs a pointer or an array"),
                }
            }
            ExpressionKind::Increment { operand, .. } => self.type_of(operand)?.decayed(),
            ExpressionKind::Assign { target, .. } => self.type_of(target)?.decayed(),
            ExpressionKind::Unary { operator, operand } => match operator {
                UnaryOperator::AddressOf => self.type_of(operand)?.pointer(),
                UnaryOperator::Dereference => match self.type_of(operand)?.decayed().pointee() {
                    Some(inner) => inner.clone(),
                    None => return self.error(position, "'*' needs a pointer"),
                },
                UnaryOperator::LogicalNot => integers.int(),
                _ => {
                    let ty = self.type_of(operand)?;
                    integers.promote(&ty)
                }
            },
            ExpressionKind::Cast { type_name, .. }
            | ExpressionKind::CompoundLiteral { type_name, .. } => self.type_name(type_name)?,
            ExpressionKind::SizeofExpression(_)
            | ExpressionKind::SizeofType(_)
            | ExpressionKind::AlignofExpression(_)
            | ExpressionKind::AlignofType(_)
            | ExpressionKind::Offsetof { .. } => integers.size(),
            ExpressionKind::Binary { operator, left, right } => {
                use BinaryOperator as B;
                match operator {
                    B::Less
                    | B::Greater
                    | B::LessEqual
                    | B::GreaterEqual
                    | B::Equal
                    | B::NotEqual
                    | B::LogicalAnd
                    | B::LogicalOr => integers.int(),
                    B::ShiftLeft | B::ShiftRight => {
                        let ty = self.type_of(left)?;
                        integers.promote(&ty)
                    }
                    _ => {
                        let (a, b) =
                            (self.type_of(left)?.decayed(), self.type_of(right)?.decayed());
                        match (a.pointee().is_some(), b.pointee().is_some()) {
                            (true, true) => integers.long(),
                            (true, false) => a,
                            (false, true) => b,
                            (false, false) => integers.common(&a, &b),
                        }
                    }
                }
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let a = self.type_of(then.as_ref().unwrap_or(condition))?.decayed();
                let b = self.type_of(otherwise)?.decayed();
                if a.is_integer() && b.is_integer() {
                    integers.common(&a, &b)
                } else if b.pointee().is_some() {
                    b
                } else {
                    a
                }
            }
            ExpressionKind::Comma(items) => match items.last() {
                Some(last) => self.type_of(last)?.decayed(),
                None => Kind::Void.into(),
            },
            ExpressionKind::TypesCompatible(..) => integers.int(),
            ExpressionKind::ChooseExpression { condition, then, otherwise } => {
                match self.constant(condition) {
                    Some((0, _)) => self.type_of(otherwise)?,
                    _ => self.type_of(then)?,
                }
            }
            ExpressionKind::StatementExpression(block) => {
                // Only the last expression counts; declarations inside are found by their initialisers.
                match block.items.last() {
                    Some(crate::c::ast::BlockItem::Statement(crate::c::ast::Statement {
                        kind: crate::c::ast::StatementKind::Expression(last),
                        ..
                    })) if block.items.len() == 1 => self.type_of(last)?.decayed(),
                    _ => {
                        return self.error(
                            position,
                            "the type of this statement expression is not supported",
                        );
                    }
                }
            }
            ExpressionKind::Generic { .. }
            | ExpressionKind::LabelAddress(_)
            | ExpressionKind::VaArg { .. } => {
                return self.error(position, "this expression is not supported");
            }
        })
    }
}
