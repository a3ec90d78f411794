//! Predicates: C expressions as expressions of the vocabulary.

use sapa_ir::goto::{BinaryOp, CastOp, CompareOp, Expression, FunctionId, Type, UnaryOp};

use crate::c::ast::{BinaryOperator as B, Expression as Source, ExpressionKind, UnaryOperator};
use crate::lower::program::{Entity, Lowerer};
use crate::lower::types::{CType, Kind};

/// A predicate over globals and the locals in scope, as an `i1`; `None` if the
/// expression has anything but scalars, members, constant indices and operators.
pub(crate) fn expression(
    unit: &mut Lowerer<'_>,
    function: FunctionId,
    source: &Source,
) -> Option<Expression> {
    let (expression, ty) = scalar(unit, function, source)?;
    Some(truth(unit, expression, &ty))
}

fn bits(unit: &Lowerer<'_>, ty: &CType) -> u16 {
    match ty.kind {
        Kind::Bool => 8,
        Kind::Int { bits, .. } => bits,
        _ => unit.module.target.pointer_bits,
    }
}

/// A scalar as an `i1`.
fn truth(unit: &Lowerer<'_>, expression: Expression, ty: &CType) -> Expression {
    match expression {
        // A comparison that was widened to int.
        Expression::Cast { op: CastOp::ZeroExtend, a, .. }
            if matches!(
                *a,
                Expression::Compare { .. } | Expression::Unary { .. } | Expression::Binary { .. }
            ) && is_truth(&a) =>
        {
            *a
        }
        expression => {
            let zero = match ty.kind {
                Kind::Pointer(_) => Expression::Null,
                _ => Expression::Int { bits: bits(unit, ty), value: 0 },
            };
            Expression::Compare { op: CompareOp::Ne, a: Box::new(expression), b: Box::new(zero) }
        }
    }
}

/// Whether an expression is an `i1` by its shape.
fn is_truth(expression: &Expression) -> bool {
    match expression {
        Expression::Compare { .. } => true,
        Expression::Unary { op: UnaryOp::Not, a } => is_truth(a),
        Expression::Binary { op: BinaryOp::And | BinaryOp::Or, a, b } => is_truth(a) && is_truth(b),
        _ => false,
    }
}

fn widened(unit: &Lowerer<'_>, truth: Expression) -> (Expression, CType) {
    let int = unit.integers().int();
    (
        Expression::Cast {
            op: CastOp::ZeroExtend,
            ty: Type::Int(bits(unit, &int)),
            a: Box::new(truth),
        },
        int,
    )
}

fn convert(unit: &Lowerer<'_>, expression: Expression, from: &CType, to: &CType) -> Expression {
    let (width, target) = (bits(unit, from), bits(unit, to));
    if let Expression::Int { value, .. } = expression {
        let shift = 128 - u32::from(width);
        let wide =
            if from.is_signed() { (((value << shift) as i128) >> shift) as u128 } else { value };
        let mask = if target >= 128 { u128::MAX } else { (1 << target) - 1 };
        return Expression::Int { bits: target, value: wide & mask };
    }
    let op = match width.cmp(&target) {
        std::cmp::Ordering::Equal => return expression,
        std::cmp::Ordering::Greater => CastOp::Truncate,
        std::cmp::Ordering::Less if from.is_signed() => CastOp::SignExtend,
        std::cmp::Ordering::Less => CastOp::ZeroExtend,
    };
    Expression::Cast { op, ty: Type::Int(target), a: Box::new(expression) }
}

/// The address expression of an object and its type.
fn place(
    unit: &mut Lowerer<'_>,
    function: FunctionId,
    source: &Source,
) -> Option<(Expression, CType)> {
    match &source.kind {
        ExpressionKind::Identifier(name) => match unit.lookup(name).cloned()? {
            Entity::Global(global, ty) => Some((Expression::Global(global), ty)),
            Entity::Slot(slot, ty) => Some((Expression::Slot { function, slot }, ty)),
            _ => None,
        },
        ExpressionKind::Member { object, member, arrow } => {
            let (mut address, ty) = if *arrow {
                let (pointer, ty) = scalar(unit, function, object)?;
                (pointer, ty.pointee()?.clone())
            } else {
                place(unit, function, object)?
            };
            let path = unit.member(&ty, &member.name)?;
            if path.bits.is_some() {
                return None;
            }
            let ty = path.ty;
            for (structure, field) in path.steps {
                address = Expression::FieldAddress { base: Box::new(address), structure, field };
            }
            Some((address, ty))
        }
        ExpressionKind::Index { array, index } => {
            let (base, ty) = scalar(unit, function, array)?;
            let element = ty.pointee()?.clone();
            let (index, index_type) = scalar(unit, function, index)?;
            let long = CType::int(unit.module.target.pointer_bits, true, 4);
            let index = convert(unit, index, &index_type, &long);
            let memory = element.in_memory().ok()?;
            Some((
                Expression::IndexAddress {
                    base: Box::new(base),
                    element: memory,
                    index: Box::new(index),
                },
                element,
            ))
        }
        ExpressionKind::Unary { operator: UnaryOperator::Dereference, operand } => {
            let (pointer, ty) = scalar(unit, function, operand)?;
            Some((pointer, ty.pointee()?.clone()))
        }
        _ => None,
    }
}

fn scalar(
    unit: &mut Lowerer<'_>,
    function: FunctionId,
    source: &Source,
) -> Option<(Expression, CType)> {
    if let Some((value, ty)) = unit.constant(source) {
        let width = bits(unit, &ty);
        let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        return Some((Expression::Int { bits: width, value: value as u128 & mask }, ty));
    }
    match &source.kind {
        ExpressionKind::Unary { operator, operand } if *operator != UnaryOperator::Dereference => {
            if *operator == UnaryOperator::AddressOf {
                let (address, ty) = place(unit, function, operand)?;
                return Some((address, ty.pointer()));
            }
            let (a, ty) = scalar(unit, function, operand)?;
            if *operator == UnaryOperator::LogicalNot {
                let truth = Box::new(truth(unit, a, &ty));
                return Some(widened(unit, Expression::Unary { op: UnaryOp::Not, a: truth }));
            }
            let promoted = unit.integers().promote(&ty);
            let a = Box::new(convert(unit, a, &ty, &promoted));
            match operator {
                UnaryOperator::Plus => Some((*a, promoted)),
                UnaryOperator::Minus => Some((Expression::Unary { op: UnaryOp::Neg, a }, promoted)),
                UnaryOperator::BitwiseNot => {
                    Some((Expression::Unary { op: UnaryOp::Not, a }, promoted))
                }
                _ => None,
            }
        }
        ExpressionKind::Binary { operator, left, right } => {
            binary(unit, function, *operator, left, right)
        }
        ExpressionKind::Cast { type_name, operand } => {
            let ty = unit.type_name(type_name).ok()?;
            let (a, from) = scalar(unit, function, operand)?;
            let same_kind = ty.is_integer() && from.is_integer() && ty.kind != Kind::Bool;
            (same_kind || ty.pointee().is_some() && from.pointee().is_some())
                .then(|| (convert(unit, a, &from, &ty), ty))
        }
        _ => {
            let (address, ty) = place(unit, function, source)?;
            match ty.kind {
                Kind::Array(..) => Some((address, ty.decayed())),
                _ if ty.is_scalar() => {
                    let memory = ty.in_memory().ok()?;
                    Some((
                        Expression::Load { ty: memory, address: Box::new(address) },
                        ty.decayed(),
                    ))
                }
                _ => None,
            }
        }
    }
}

fn binary(
    unit: &mut Lowerer<'_>,
    function: FunctionId,
    operator: B,
    left: &Source,
    right: &Source,
) -> Option<(Expression, CType)> {
    let (a, ta) = scalar(unit, function, left)?;
    let (b, tb) = scalar(unit, function, right)?;
    if let B::LogicalAnd | B::LogicalOr = operator {
        let op = if operator == B::LogicalAnd { BinaryOp::And } else { BinaryOp::Or };
        let (a, b) = (Box::new(truth(unit, a, &ta)), Box::new(truth(unit, b, &tb)));
        return Some(widened(unit, Expression::Binary { op, a, b }));
    }
    let pointers = ta.pointee().is_some() || tb.pointee().is_some();
    let common = if matches!(operator, B::ShiftLeft | B::ShiftRight) {
        unit.integers().promote(&ta)
    } else if pointers {
        CType::int(unit.module.target.pointer_bits, false, 4)
    } else {
        unit.integers().common(&ta, &tb)
    };
    let (a, b) =
        (Box::new(convert(unit, a, &ta, &common)), Box::new(convert(unit, b, &tb, &common)));
    let signed = common.is_signed();
    let (less, less_equal) = if signed {
        (CompareOp::SignedLt, CompareOp::SignedLe)
    } else {
        (CompareOp::UnsignedLt, CompareOp::UnsignedLe)
    };
    let compared = match operator {
        B::Equal => Some((CompareOp::Eq, a.clone(), b.clone())),
        B::NotEqual => Some((CompareOp::Ne, a.clone(), b.clone())),
        B::Less => Some((less, a.clone(), b.clone())),
        B::LessEqual => Some((less_equal, a.clone(), b.clone())),
        B::Greater => Some((less, b.clone(), a.clone())),
        B::GreaterEqual => Some((less_equal, b.clone(), a.clone())),
        _ => None,
    };
    if let Some((op, a, b)) = compared {
        return Some(widened(unit, Expression::Compare { op, a, b }));
    }
    if pointers {
        return None;
    }
    let op = match operator {
        B::Multiply => BinaryOp::Mul,
        B::Add => BinaryOp::Add,
        B::Subtract => BinaryOp::Sub,
        B::Divide => {
            if signed {
                BinaryOp::SignedDiv
            } else {
                BinaryOp::UnsignedDiv
            }
        }
        B::Remainder => {
            if signed {
                BinaryOp::SignedRem
            } else {
                BinaryOp::UnsignedRem
            }
        }
        B::BitwiseAnd => BinaryOp::And,
        B::BitwiseOr => BinaryOp::Or,
        B::BitwiseXor => BinaryOp::Xor,
        B::ShiftLeft => BinaryOp::ShiftLeft,
        B::ShiftRight => {
            if signed {
                BinaryOp::ArithmeticShiftRight
            } else {
                BinaryOp::LogicalShiftRight
            }
        }
        _ => return None,
    };
    Some((Expression::Binary { op, a, b }, common))
}
