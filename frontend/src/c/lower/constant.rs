//! Constant expressions.

use super::typing::integer_type;
use crate::c::ast::{
    BinaryOperator, DesignatorKind, Expression, ExpressionKind, FloatConstant, FloatSuffix,
    UnaryOperator,
};
use crate::lower::layout::alignment_of;
use crate::lower::program::{Entity, Lowerer};
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

/// A number shifted to the left, if C defines that (C11 6.5.7p4).
fn shifted(value: i128, by: i128) -> Option<i128> {
    let by = u32::try_from(by).ok().filter(|by| *by < 128)?;
    let result = value.checked_shl(by)?;
    (value >= 0 && result >> by == value).then_some(result)
}

/// Whether values of a type are kept as negative numbers where they are large.
fn is_widest(ty: &CType) -> bool {
    matches!(ty.kind, Kind::Int { bits: 128, signed: false, .. })
}

/// Width of an integer type.
fn width(ty: &CType) -> Option<u16> {
    match ty.kind {
        Kind::Int { bits, .. } => Some(bits),
        _ => None,
    }
}

impl Lowerer<'_> {
    /// Takes down that a constant expression overflows, which C does not allow, and which wraps where a constant has to be.
    fn note_overflow(&mut self, exact: Option<i128>, ty: &CType) {
        if ty.is_signed() && exact.is_none_or(|value| wrap(value, ty) != value) {
            match &mut self.overflow {
                Some(overflows) => *overflows = true,
                None => self.note("assuming that constant expressions which overflow wrap"),
            }
        }
    }

    /// What `evaluate` finds of an expression that the program evaluates; `None` too if it overflows, which is left to the
    /// program then, so that it can be asked whether it does.
    pub fn unless_it_overflows<T>(
        &mut self,
        evaluate: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let before = self.overflow.replace(false);
        let found = evaluate(self);
        let overflows = std::mem::replace(&mut self.overflow, before);
        found.filter(|_| overflows == Some(false))
    }

    /// The value of an integer constant expression, where C asks for one; `None` if it is none.
    pub fn constant(&mut self, expression: &Expression) -> Option<(i128, CType)> {
        let before = self.overflow.take();
        let value = self.integer_constant(expression);
        self.overflow = before;
        value
    }

    /// The value of an integer constant expression, wherever it stands.
    pub fn integer_constant(&mut self, expression: &Expression) -> Option<(i128, CType)> {
        let integers = self.integers();
        match &expression.kind {
            ExpressionKind::Integer(constant) => {
                let ty = integer_type(integers, constant);
                Some((constant.value as i128, ty))
            }
            ExpressionKind::Character(constant) => {
                let value = constant.value(self.module.target.char_signed);
                Some((i128::from(value), self.character_type(constant)))
            }
            ExpressionKind::Identifier(name) => match self.lookup(name) {
                Some(Entity::Constant(value, ty)) => Some((*value, ty.clone())),
                _ => None,
            },
            ExpressionKind::Unary { operator, operand } => {
                let (value, ty) = self.integer_constant(operand)?;
                let ty = integers.promote(&ty);
                match operator {
                    UnaryOperator::Plus => Some((value, ty)),
                    UnaryOperator::Minus => {
                        self.note_overflow(value.checked_neg(), &ty);
                        Some((wrap(value.wrapping_neg(), &ty), ty))
                    }
                    UnaryOperator::BitwiseNot => Some((wrap(!value, &ty), ty)),
                    UnaryOperator::LogicalNot => Some((i128::from(value == 0), integers.int())),
                    _ => None,
                }
            }
            ExpressionKind::Binary { operator, left, right } => {
                let (a, ta) = self.integer_constant(left)?;
                let (b, tb) = self.integer_constant(right)?;
                let exact = match operator {
                    BinaryOperator::Add => a.checked_add(b),
                    BinaryOperator::Subtract => a.checked_sub(b),
                    BinaryOperator::Multiply => a.checked_mul(b),
                    // Compilers define what is lost where a constant has to be.
                    BinaryOperator::ShiftLeft if self.overflow.is_some() => shifted(a, b),
                    _ => Some(0),
                };
                let folded = self.fold(*operator, a, &ta, b, &tb)?;
                self.note_overflow(exact, &folded.1);
                Some(folded)
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let (value, _) = self.integer_constant(condition)?;
                let chosen = match (value != 0, then) {
                    (true, Some(then)) => self.integer_constant(then)?.0,
                    (true, None) => value,
                    (false, _) => self.integer_constant(otherwise)?.0,
                };
                // The type does not depend on which arm is chosen.
                let ty = self.type_of(expression).ok().filter(CType::is_integer)?;
                Some((wrap(chosen, &ty), ty))
            }
            ExpressionKind::Cast { type_name, operand } => {
                let ty = self.type_name(type_name).ok()?;
                Some((self.constant_as(operand, &ty)?, ty.decayed()))
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
                Some((i128::from(self.object_alignment(operand)?), integers.size()))
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
                let are_compatible = a.unqualified().is_compatible(&b.unqualified());
                Some((i128::from(are_compatible), integers.int()))
            }
            ExpressionKind::Generic { .. } => {
                let chosen = self.selected(expression).ok()??;
                self.integer_constant(chosen)
            }
            ExpressionKind::Call { function, arguments } => {
                let ExpressionKind::Identifier(name) = &function.kind else { return None };
                self.constant_call(name, arguments)
            }
            ExpressionKind::ChooseExpression { condition, then, otherwise } => {
                if self.constant(condition)?.0 != 0 {
                    self.integer_constant(then)
                } else {
                    self.integer_constant(otherwise)
                }
            }
            _ => None,
        }
    }

    /// The value of a call of a builtin function that does not evaluate its operand.
    fn constant_call(&mut self, name: &str, arguments: &[Expression]) -> Option<(i128, CType)> {
        match (name, arguments) {
            ("__builtin_constant_p", [operand]) => {
                let is_constant = match self.is_constant(operand) {
                    false if is_composed(operand) => return None,
                    is_constant => is_constant,
                };
                Some((i128::from(is_constant), self.integers().int()))
            }
            // Of an array by its name the size is known, whichever kind of size is asked for.
            ("__builtin_object_size", [operand, _]) => {
                let ExpressionKind::Identifier(array) = &operand.kind else { return None };
                let Some(Entity::Global(_, ty) | Entity::Slot(_, ty)) = self.lookup(array) else {
                    return None;
                };
                let ty = matches!(ty.kind, Kind::Array(..)).then(|| ty.clone())?;
                Some((i128::from(self.size_of(&ty)?), self.integers().size()))
            }
            _ => None,
        }
    }

    /// Whether an expression is certainly a constant to GCC.
    fn is_constant(&mut self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::String(_) => true,
            ExpressionKind::Cast { operand, .. } => self.is_constant(operand),
            _ => self.constant(expression).is_some() || self.float_value(expression).is_some(),
        }
    }

    /// The value of an arithmetic constant expression converted to an integer type.
    pub fn constant_as(&mut self, expression: &Expression, ty: &CType) -> Option<i128> {
        if !ty.is_integer() {
            return None;
        }
        let value = match self.integer_constant(expression) {
            Some((value, _)) => value,
            None => match self.number(expression)? {
                (Number::Float(value), _) if ty.kind == Kind::Bool => i128::from(value != 0.0),
                // What does not fit is undefined; the program computes it.
                (Number::Float(value), _) if value.abs() < 2f64.powi(62) => {
                    let whole = value as i128;
                    if let Some(overflows) = &mut self.overflow {
                        *overflows |= wrap(whole, ty) != whole;
                    }
                    whole
                }
                _ => return None,
            },
        };
        Some(wrap(value, ty))
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
            // What is undefined is no constant, and where it is executed the run ends.
            let width = width(&ty)?;
            let by = u32::try_from(b).ok().filter(|&n| n < u32::from(width))?;
            let value = match operator {
                B::ShiftLeft => a << by,
                _ if is_widest(&ty) => (a as u128 >> by) as i128,
                _ => wrap(a, &ty) >> by,
            };
            return Some((wrap(value, &ty), ty));
        }
        let ty = integers.common(ta, tb);
        let (x, y) = (wrap(a, &ty), wrap(b, &ty));
        let widest = is_widest(&ty);
        if let B::Divide | B::Remainder = operator {
            let least = width(&ty).map(|bits| i128::MIN >> (128 - bits));
            if ty.is_signed() && Some(x) == least && y == -1 {
                return None;
            }
        }
        let order = if widest { (x as u128).cmp(&(y as u128)) } else { x.cmp(&y) };
        let value = match operator {
            B::Multiply => x.wrapping_mul(y),
            B::Divide if widest => (x as u128).checked_div(y as u128)? as i128,
            B::Remainder if widest => (x as u128).checked_rem(y as u128)? as i128,
            B::Divide => x.checked_div(y)?,
            B::Remainder => x.checked_rem(y)?,
            B::Add => x.wrapping_add(y),
            B::Subtract => x.wrapping_sub(y),
            B::BitwiseAnd => x & y,
            B::BitwiseOr => x | y,
            B::BitwiseXor => x ^ y,
            B::Less => return truth(order.is_lt()),
            B::Greater => return truth(order.is_gt()),
            B::LessEqual => return truth(order.is_le()),
            B::GreaterEqual => return truth(order.is_ge()),
            B::Equal => return truth(order.is_eq()),
            B::NotEqual => return truth(order.is_ne()),
            B::LogicalAnd => return truth(a != 0 && b != 0),
            B::LogicalOr => return truth(a != 0 || b != 0),
            B::ShiftLeft | B::ShiftRight => return None,
        };
        Some((wrap(value, &ty), ty))
    }

    /// The alignment of what an expression names, else of its type.
    fn object_alignment(&mut self, expression: &Expression) -> Option<u64> {
        let own = match &expression.kind {
            ExpressionKind::Identifier(name) => {
                let scope = self.scopes.iter().rev().find(|s| s.names.contains_key(name));
                scope.and_then(|scope| scope.alignments.get(name).copied())
            }
            ExpressionKind::Member { object, member, arrow } => {
                let mut ty = self.type_of(object).ok()?;
                if *arrow {
                    ty = ty.decayed().pointee()?.clone();
                }
                self.member_alignment(&ty, &member.name)
            }
            _ => None,
        };
        let ty = self.type_of(expression).ok()?;
        own.or_else(|| alignment_of(&self.module, &ty))
    }

    /// The alignment of the member of a record, also within anonymous ones.
    fn member_alignment(&self, ty: &CType, name: &str) -> Option<u64> {
        let Kind::Record(id) = ty.kind else { return None };
        self.record(id)?.members.iter().find_map(|member| match &*member.name {
            "" => self.member_alignment(&member.ty, name),
            own => (own == name).then_some(member.align),
        })
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

    /// The bits of a constant of type `long double`, as those of <float.h> are, converted to a floating type. Rounding
    /// it once gives what rounding it to a `long double` before does, if what lies within the error of a `long double`
    /// is rounded to the same value; `None` if not, or if it is no such constant.
    pub fn long_double_as(&self, expression: &Expression, ty: &CType) -> Option<u128> {
        let (ExpressionKind::Float(constant), Kind::Float(format)) = (&expression.kind, &ty.kind)
        else {
            return None;
        };
        if constant.is_imaginary || constant.suffix != FloatSuffix::LongDouble {
            return None;
        }
        let digits = &*constant.digits;
        if let Some(digits) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            return Some(float_bits(hexadecimal(digits)?, *format));
        }
        let rounded = |text: &str| match format {
            FloatFormat::Single => Some(u128::from(text.parse::<f32>().ok()?.to_bits())),
            FloatFormat::Double => Some(u128::from(text.parse::<f64>().ok()?.to_bits())),
        };
        let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
        let exponent = i64::from(exponent.parse::<i32>().ok()?);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mantissa = format!("{whole}{fraction}");
        let mantissa = mantissa.trim_start_matches('0');
        let value = rounded(digits)?;
        if mantissa.is_empty() {
            return Some(value);
        }
        // A long double differs by 2^-64 of its value at most, which is less than 1000 units of the 22nd digit.
        const KEPT: usize = 22;
        let kept = format!("{mantissa:0<KEPT$}");
        let kept: u128 = kept.get(..KEPT)?.parse().ok()?;
        let moved = i64::try_from(mantissa.len()).ok()? - i64::try_from(KEPT).ok()?;
        let exponent = exponent - i64::try_from(fraction.len()).ok()? + moved;
        let near = |mantissa: u128| rounded(&format!("{mantissa}e{exponent}"));
        (near(kept - 1000)? == value && near(kept + 1001)? == value).then_some(value)
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
        let (number, from) = self.number(expression)?;
        Some(float_bits(number.to_float(&from, format), format))
    }

    /// The value of an arithmetic constant expression. A `float` is kept as a
    /// `double`, which holds it; operations on it are rounded twice, which gives
    /// the same as once (a double has more than twice the digits and two).
    fn number(&mut self, expression: &Expression) -> Option<(Number, CType)> {
        match &expression.kind {
            ExpressionKind::Call { function, arguments } if arguments.is_empty() => {
                let ExpressionKind::Identifier(name) = &function.kind else { return None };
                let format = crate::lower::library::infinity(name.strip_prefix("__builtin_")?)?;
                let ty = Kind::Float(format).into();
                Some((Number::Float(float_from(format.infinity(), &ty)?), ty))
            }
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
                let (a, b) = (a.to_float(&ta, format), b.to_float(&tb, format));
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
                if let Some(bits) = self.long_double_as(operand, &ty) {
                    return Some((Number::Float(float_from(bits, &ty)?), ty.decayed()));
                }
                let (value, from) = self.number(operand)?;
                Some((Number::Float(value.to_float(&from, format)), ty.decayed()))
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let ty = self.type_of(expression).ok()?;
                let Kind::Float(format) = ty.kind else { return self.integer(expression) };
                let (tested, of) = self.number(condition)?;
                let (value, from) = match (tested.is_true(), then) {
                    (true, Some(then)) => self.number(then)?,
                    (true, None) => (tested, of),
                    (false, _) => self.number(otherwise)?,
                };
                Some((Number::Float(value.to_float(&from, format)), ty))
            }
            _ => self.integer(expression),
        }
    }

    fn integer(&mut self, expression: &Expression) -> Option<(Number, CType)> {
        self.integer_constant(expression).map(|(value, ty)| (Number::Int(value), ty))
    }
}

/// A value of an arithmetic constant expression.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    fn is_true(self) -> bool {
        match self {
            Self::Int(value) => value != 0,
            Self::Float(value) => value != 0.0,
        }
    }

    fn to_float(self, from: &CType, format: FloatFormat) -> f64 {
        match (self, format) {
            (Self::Float(value), _) => round(value, format),
            (Self::Int(value), FloatFormat::Single) if is_widest(from) => {
                f64::from(value as u128 as f32)
            }
            (Self::Int(value), FloatFormat::Double) if is_widest(from) => value as u128 as f64,
            (Self::Int(value), FloatFormat::Single) => f64::from(value as f32),
            (Self::Int(value), FloatFormat::Double) => value as f64,
        }
    }
}

/// Whether an expression has operands, so that GCC may fold it although one of them varies.
fn is_composed(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Cast { operand, .. } => is_composed(operand),
        ExpressionKind::Unary { operator, .. } => {
            !matches!(operator, UnaryOperator::Dereference | UnaryOperator::AddressOf)
        }
        ExpressionKind::Binary { .. }
        | ExpressionKind::Conditional { .. }
        | ExpressionKind::Comma(_) => true,
        _ => false,
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
