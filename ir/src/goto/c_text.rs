//! Expressions as C-like text, for reports.

use super::instruction::{BinaryOp, CastOp, CompareOp, UnaryOp};
use super::module::Module;
use super::predicate::Expression;

/// The expression in C's notation. Unsigned comparisons and shifts are marked
/// by a `u`; an SSA value without a name is `function.%n`.
#[must_use]
pub fn c_text(module: &Module, expression: &Expression) -> String {
    match expression {
        Expression::Int { bits: 1, value } => value.to_string(),
        Expression::Int { bits, value } => {
            // Small negative numbers read better as such.
            let shift = 128 - u32::from(*bits);
            (((value << shift) as i128) >> shift).to_string()
        }
        Expression::Null => "0".to_owned(),
        Expression::Variable { function, variable } => module
            .functions
            .get(function.index())
            .and_then(|f| f.variables.get(variable.index()))
            .map_or_else(|| "?".to_owned(), |v| v.name.clone()),
        Expression::Value { function, value } => {
            let name = module.functions.get(function.index()).map_or("?", |f| f.name.as_str());
            format!("{name}.%{}", value.0)
        }
        Expression::Load { address, .. } => place(module, address),
        Expression::Global(_)
        | Expression::Slot { .. }
        | Expression::FieldAddress { .. }
        | Expression::IndexAddress { .. } => format!("&{}", place(module, expression)),
        Expression::Function(function) => module
            .functions
            .get(function.index())
            .map_or_else(|| "?".to_owned(), |f| f.name.clone()),
        Expression::Unary { op, a } => {
            let op = match op {
                UnaryOp::Not => "!",
                UnaryOp::Neg => "-",
            };
            format!("{op}{}", operand(module, a))
        }
        Expression::Binary { op, a, b } => {
            format!("{} {} {}", operand(module, a), binary(*op), operand(module, b))
        }
        Expression::Compare { op, a, b } => {
            format!("{} {} {}", operand(module, a), compare(*op), operand(module, b))
        }
        Expression::Cast { op, ty, a } => match op {
            CastOp::PointerToInt | CastOp::IntToPointer => c_text(module, a),
            _ => format!(
                "({}){}",
                ty.bits(module).map_or_else(|| "?".to_owned(), |b| format!("i{b}")),
                operand(module, a)
            ),
        },
        Expression::Select { condition, a, b } => {
            format!(
                "{} ? {} : {}",
                operand(module, condition),
                operand(module, a),
                operand(module, b)
            )
        }
    }
}

/// The object at an address.
fn place(module: &Module, address: &Expression) -> String {
    match address {
        Expression::Global(global) => {
            module.globals.get(global.index()).map_or_else(|| "?".to_owned(), |g| g.name.clone())
        }
        Expression::Slot { function, slot } => module
            .functions
            .get(function.index())
            .and_then(|f| f.slots.get(slot.index()))
            .map_or_else(|| "?".to_owned(), |s| s.name.clone()),
        Expression::FieldAddress { base, structure, field } => {
            let name = module
                .structs
                .get(structure.index())
                .and_then(|s| s.fields.get(field.index()))
                .map_or("?", |f| f.name.as_str());
            format!("{}.{name}", place(module, base))
        }
        Expression::IndexAddress { base, index, .. } => {
            format!("{}[{}]", place(module, base), c_text(module, index))
        }
        other => format!("*{}", operand(module, other)),
    }
}

fn operand(module: &Module, expression: &Expression) -> String {
    let text = c_text(module, expression);
    match expression {
        Expression::Binary { .. } | Expression::Compare { .. } | Expression::Select { .. } => {
            format!("({text})")
        }
        _ => text,
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::UnsignedDiv => "/u",
        BinaryOp::SignedDiv => "/",
        BinaryOp::UnsignedRem => "%u",
        BinaryOp::SignedRem => "%",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::LogicalShiftRight => ">>u",
        BinaryOp::ArithmeticShiftRight => ">>",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
    }
}

fn compare(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::UnsignedLt => "<u",
        CompareOp::UnsignedLe => "<=u",
        CompareOp::SignedLt => "<",
        CompareOp::SignedLe => "<=",
    }
}
