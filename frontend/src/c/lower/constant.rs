//! Constant expressions and types of expressions.

use crate::c::ast::{
    BinaryOperator, BlockItem, Declaration, DesignatorKind, Expression, ExpressionKind,
    FloatConstant, FloatSuffix, InitializerKind, IntegerConstant, IntegerLength, StatementKind,
    StorageClass, TypeSpecifier, UnaryOperator,
};
use crate::lower::layout::alignment_of;
use crate::lower::program::{Entity, Lowered, Lowerer, Scope};
use crate::lower::types::{CType, FloatFormat, Kind};

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
                if !ty.is_integer() {
                    return None;
                }
                let value = match self.constant(operand) {
                    Some((value, _)) => value,
                    // What does not fit is undefined; the program computes it.
                    None => match self.number(operand)? {
                        (Number::Float(value), _) if ty.kind == Kind::Bool => {
                            i128::from(value != 0.0)
                        }
                        (Number::Float(value), _) if value.abs() < 2f64.powi(62) => value as i128,
                        _ => return None,
                    },
                };
                Some((wrap(value, &ty), ty.decayed()))
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
                let ty = self.type_name(name).ok()?;
                Some((i128::from(alignment_of(&self.module, &ty)?), integers.size()))
            }
            ExpressionKind::AlignofExpression(operand) => {
                let ty = self.type_of(operand).ok()?;
                Some((i128::from(alignment_of(&self.module, &ty)?), integers.size()))
            }
            ExpressionKind::Offsetof { type_name, designators } => {
                let ty = self.type_name(type_name).ok()?;
                let mut ty = ty;
                let mut offset = 0i128;
                for designator in designators {
                    match &designator.kind {
                        DesignatorKind::Member(name) => {
                            let path = self.member(&ty, name)?;
                            for (structure, field) in path.steps {
                                let fields = &self.module.structs.get(structure.index())?.fields;
                                offset += i128::from(fields.get(field.index())?.offset);
                            }
                            ty = path.ty;
                        }
                        DesignatorKind::Index(index) => {
                            let Kind::Array(element, _) = ty.kind else { return None };
                            let (index, _) = self.constant(index)?;
                            let size = i128::from(self.size_of(&element)?);
                            offset = offset.checked_add(index.checked_mul(size)?)?;
                            ty = *element;
                        }
                        DesignatorKind::Range(..) => return None,
                    }
                }
                Some((offset, integers.size()))
            }
            ExpressionKind::TypesCompatible(a, b) => {
                let (a, b) = (self.type_name(a).ok()?, self.type_name(b).ok()?);
                // Qualifiers at the top do not count.
                Some((i128::from(a.kind == b.kind), integers.int()))
            }
            ExpressionKind::Generic { .. } => {
                let chosen = self.selected(expression).ok()??;
                self.constant(chosen)
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
                Some(
                    Entity::Global(_, ty)
                    | Entity::Slot(_, ty)
                    | Entity::Variable(_, ty, _)
                    | Entity::Constant(_, ty),
                ) => ty.clone(),
                Some(Entity::Function(ty)) => Kind::Function(Box::new((**ty).clone())).into(),
                None if ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"].contains(&&**name) => {
                    // `__func__` and the like.
                    let length = self.current_function.len() as u64 + 1;
                    Kind::Array(Box::new(integers.char()), Some(length)).into()
                }
                _ => return self.error(position, format!("'{name}' is not declared")),
            },
            ExpressionKind::Integer(constant) => self.integer_type(constant),
            ExpressionKind::Float(constant) => match self.float_constant(constant) {
                Some((_, ty)) => ty,
                None => Kind::Unsupported("this floating-point type").into(),
            },
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
                let path = self.find_member(&ty, &member.name, member.position)?;
                match path.bits {
                    Some(bits) => integers.bit_field(&path.ty, bits.width),
                    None => path.ty,
                }
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
                if a.is_arithmetic() && b.is_arithmetic() {
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
                self.scopes.push(Scope::default());
                let result = self.type_of_block(block);
                self.scopes.pop();
                result?
            }
            ExpressionKind::Generic { .. } => match self.selected(expression)? {
                Some(chosen) => self.type_of(chosen)?,
                None => return self.error(position, "no association of '_Generic' fits"),
            },
            ExpressionKind::VaArg { type_name, .. } => self.type_name(type_name)?,
            ExpressionKind::LabelAddress(_) => CType::from(Kind::Void).pointer(),
        })
    }

    /// The type of a statement expression: that of its last expression, which
    /// may name what the block declares.
    fn type_of_block(&mut self, block: &crate::c::ast::Block) -> Lowered<CType> {
        let mut last = Kind::Void.into();
        for item in &block.items {
            last = Kind::Void.into();
            match item {
                BlockItem::Declaration(declaration) => self.declare_types(declaration)?,
                BlockItem::Statement(statement) => {
                    if let StatementKind::Expression(expression) = &statement.kind {
                        last = self.type_of(expression)?.decayed();
                    }
                }
                BlockItem::StaticAssert(_) | BlockItem::LocalLabels(_) => {}
            }
        }
        Ok(last)
    }

    /// Declares the names of a local declaration for their types only.
    fn declare_types(&mut self, declaration: &Declaration) -> Lowered<()> {
        let specifiers = &declaration.specifiers;
        for declarator in &declaration.declarators {
            let ty = match (&specifiers.base, &declarator.initializer) {
                (TypeSpecifier::AutoType, Some(initializer)) => match &initializer.kind {
                    InitializerKind::Expression(expression) => self.type_of(expression)?.decayed(),
                    InitializerKind::List(_) => continue,
                },
                _ => {
                    let base = self.specified(specifiers)?;
                    self.declared(base, &declarator.declarator)?
                }
            };
            let Some(name) = declarator.declarator.name.clone() else { continue };
            let entity = if specifiers.storage == Some(StorageClass::Typedef) {
                Entity::Typedef(ty)
            } else {
                // The slot is not used: nothing of this is evaluated.
                Entity::Slot(sapa_ir::goto::SlotId::new(0), ty)
            };
            self.declare(name, entity);
        }
        Ok(())
    }

    /// The expression that `_Generic` selects, if one fits.
    pub fn selected<'e>(&mut self, expression: &'e Expression) -> Lowered<Option<&'e Expression>> {
        let ExpressionKind::Generic { controlling, associations } = &expression.kind else {
            return Ok(None);
        };
        let ty = self.type_of(controlling)?.decayed();
        let mut default = None;
        for (association, chosen) in associations {
            match association {
                None => default = Some(chosen),
                Some(name) => {
                    let candidate = self.type_name(name)?;
                    if candidate.kind == ty.kind {
                        return Ok(Some(chosen));
                    }
                }
            }
        }
        Ok(default)
    }

    /// The bits and the type of a floating constant; `None` if its type is not supported.
    pub fn float_constant(&self, constant: &FloatConstant) -> Option<(u128, CType)> {
        let format = match constant.suffix {
            _ if constant.is_imaginary => return None,
            FloatSuffix::Float | FloatSuffix::FloatN(32) => FloatFormat::Single,
            FloatSuffix::Double | FloatSuffix::FloatN(64) | FloatSuffix::FloatNx(32) => {
                FloatFormat::Double
            }
            _ => return None,
        };
        let digits = &*constant.digits;
        let bits = match (digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")), format) {
            (Some(digits), format) => float_bits(hexadecimal(digits)?, format),
            (None, FloatFormat::Single) => u128::from(digits.parse::<f32>().ok()?.to_bits()),
            (None, FloatFormat::Double) => u128::from(digits.parse::<f64>().ok()?.to_bits()),
        };
        Some((bits, Kind::Float(format).into()))
    }

    /// The bits of a constant of floating type, computed as the program would.
    pub fn float_value(&mut self, expression: &Expression) -> Option<(u128, CType)> {
        match self.number(expression)? {
            (Number::Float(value), ty) => match ty.kind {
                Kind::Float(format) => Some((float_bits(value, format), ty)),
                _ => None,
            },
            (Number::Int(_), _) => None,
        }
    }

    /// The bits of a constant converted to a floating type.
    pub fn number_as(&mut self, expression: &Expression, ty: &CType) -> Option<u128> {
        let Kind::Float(format) = ty.kind else { return None };
        let (number, _) = self.number(expression)?;
        Some(float_bits(number.to_float(format)?, format))
    }

    /// The value of an arithmetic constant expression. A `float` is kept as a
    /// `double`, which holds it; operations on it are rounded twice, which gives
    /// the same as once (a double has more than twice the digits and two).
    fn number(&mut self, expression: &Expression) -> Option<(Number, CType)> {
        match &expression.kind {
            ExpressionKind::Float(constant) => {
                let (bits, ty) = self.float_constant(constant)?;
                Some((Number::Float(float_from(bits, &ty)?), ty))
            }
            ExpressionKind::Unary {
                operator: operator @ (UnaryOperator::Minus | UnaryOperator::Plus),
                operand,
            } => match self.number(operand)? {
                (Number::Float(value), ty) => {
                    let negative = *operator == UnaryOperator::Minus;
                    Some((Number::Float(if negative { -value } else { value }), ty))
                }
                (Number::Int(_), _) => self.integer(expression),
            },
            ExpressionKind::Binary { operator, left, right } => {
                let ((a, ta), (b, tb)) = (self.number(left)?, self.number(right)?);
                let common = self.integers().common(&ta, &tb);
                let Kind::Float(format) = common.kind else { return self.integer(expression) };
                let (a, b) = (a.to_float(format)?, b.to_float(format)?);
                let value = match operator {
                    BinaryOperator::Add => a + b,
                    BinaryOperator::Subtract => a - b,
                    BinaryOperator::Multiply => a * b,
                    BinaryOperator::Divide => a / b,
                    _ => return None,
                };
                // Which NaN it is, is the program's to compute.
                let rounded = round(value, format);
                (!rounded.is_nan()).then_some((Number::Float(rounded), common))
            }
            ExpressionKind::Cast { type_name, operand } => {
                let ty = self.type_name(type_name).ok()?;
                let Kind::Float(format) = ty.kind else { return self.integer(expression) };
                let (value, _) = self.number(operand)?;
                Some((Number::Float(value.to_float(format)?), ty.decayed()))
            }
            _ => self.integer(expression),
        }
    }

    fn integer(&mut self, expression: &Expression) -> Option<(Number, CType)> {
        self.constant(expression).map(|(value, ty)| (Number::Int(value), ty))
    }
}

/// A value of an arithmetic constant expression.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    fn to_float(self, format: FloatFormat) -> Option<f64> {
        match (self, format) {
            (Self::Float(value), _) => Some(round(value, format)),
            (Self::Int(value), FloatFormat::Single) => Some(f64::from(value as f32)),
            (Self::Int(value), FloatFormat::Double) => Some(value as f64),
        }
    }
}

fn round(value: f64, format: FloatFormat) -> f64 {
    match format {
        FloatFormat::Single => f64::from(value as f32),
        FloatFormat::Double => value,
    }
}

fn float_bits(value: f64, format: FloatFormat) -> u128 {
    match format {
        FloatFormat::Single => u128::from((value as f32).to_bits()),
        FloatFormat::Double => u128::from(value.to_bits()),
    }
}

fn float_from(bits: u128, ty: &CType) -> Option<f64> {
    match ty.kind {
        Kind::Float(FloatFormat::Single) => {
            Some(f64::from(f32::from_bits(u32::try_from(bits).ok()?)))
        }
        Kind::Float(FloatFormat::Double) => Some(f64::from_bits(u64::try_from(bits).ok()?)),
        _ => None,
    }
}

/// A hexadecimal floating constant without its `0x`; `None` if a double does not hold it exactly.
fn hexadecimal(digits: &str) -> Option<f64> {
    let (mantissa, exponent) = digits.split_once(['p', 'P'])?;
    let mut exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    exponent = exponent.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    let value = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    if value >> 53 != 0 || !(-1022..=960).contains(&exponent) {
        return None;
    }
    Some(value as f64 * 2f64.powi(exponent))
}
