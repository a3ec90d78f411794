//! Which tokens are binary and assignment operators, and how tightly they bind.

use crate::c::ast::BinaryOperator;
use crate::c::token::Punctuator;

/// The binary operator that a token is, with its precedence: higher binds tighter.
pub(super) fn binary_operator(punctuator: Punctuator) -> Option<(BinaryOperator, u32)> {
    use BinaryOperator::*;
    let operator = match punctuator {
        Punctuator::Star => Multiply,
        Punctuator::Slash => Divide,
        Punctuator::Percent => Remainder,
        Punctuator::Plus => Add,
        Punctuator::Minus => Subtract,
        Punctuator::LessLess => ShiftLeft,
        Punctuator::GreaterGreater => ShiftRight,
        Punctuator::Less => Less,
        Punctuator::Greater => Greater,
        Punctuator::LessEqual => LessEqual,
        Punctuator::GreaterEqual => GreaterEqual,
        Punctuator::EqualEqual => Equal,
        Punctuator::ExclamationEqual => NotEqual,
        Punctuator::Ampersand => BitwiseAnd,
        Punctuator::Caret => BitwiseXor,
        Punctuator::Bar => BitwiseOr,
        Punctuator::AmpersandAmpersand => LogicalAnd,
        Punctuator::BarBar => LogicalOr,
        _ => return None,
    };
    Some((operator, operator.precedence()))
}

/// The assignment operator that a token is; the inner `None` is plain `=`.
pub(super) fn assignment_operator(punctuator: Punctuator) -> Option<Option<BinaryOperator>> {
    use BinaryOperator::*;
    Some(match punctuator {
        Punctuator::Equal => None,
        Punctuator::StarEqual => Some(Multiply),
        Punctuator::SlashEqual => Some(Divide),
        Punctuator::PercentEqual => Some(Remainder),
        Punctuator::PlusEqual => Some(Add),
        Punctuator::MinusEqual => Some(Subtract),
        Punctuator::LessLessEqual => Some(ShiftLeft),
        Punctuator::GreaterGreaterEqual => Some(ShiftRight),
        Punctuator::AmpersandEqual => Some(BitwiseAnd),
        Punctuator::CaretEqual => Some(BitwiseXor),
        Punctuator::BarEqual => Some(BitwiseOr),
        _ => return None,
    })
}
