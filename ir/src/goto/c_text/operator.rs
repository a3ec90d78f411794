//! Operators, with casts where C's conversions would make other operations of them.

use super::Writer;
use super::constant::{literal, number};
use super::text::{
    AND, BIT_AND, BIT_OR, BIT_XOR, CONDITIONAL, EQUALITY, OR, POSTFIX, PREFIX, PRODUCT, RELATION,
    Read, SHIFT, SUM, Text,
};
use crate::goto::instruction::{BinaryOp, CastOp, CompareOp, UnaryOp};
use crate::goto::predicate::Expression;
use crate::goto::types::Type;

impl Writer<'_> {
    /// An operand of arithmetic, in its own width; of this signedness, if one is asked for.
    pub(super) fn operand(&self, expression: &Expression, signed: Option<bool>) -> Text {
        if let Some((bits, value)) = literal(expression) {
            let signed = signed.unwrap_or(bits > 1);
            return match self.constant(bits, value, signed) {
                text if !matches!(text.read, Read::Int { promotes: true, .. }) => text,
                _ => self.typed_constant(bits, value, signed, true),
            };
        }
        let text = self.value(expression, signed);
        match text.read {
            Read::Int { signed: is, promotes: false, .. } if signed.is_none_or(|s| s == is) => text,
            read => {
                let signed = signed.unwrap_or(read.signed());
                self.as_integer(text, read.bits(self.module), signed, true)
            }
        }
    }

    /// An operand whose type is not C's to choose: of this signedness, and no literal.
    pub(super) fn converted(&self, expression: &Expression, signed: bool) -> Text {
        if let Some((bits, value)) = literal(expression) {
            return self.typed_constant(bits, value, signed, false);
        }
        let text = self.value(expression, Some(signed));
        match text.read {
            Read::Int { signed: is, .. } if is == signed => text,
            Read::Truth if !signed => text,
            read => self.as_integer(text, read.bits(self.module), signed, false),
        }
    }

    pub(super) fn unary(&self, op: UnaryOp, a: &Expression, wanted: Option<bool>) -> Text {
        let is_bit = |text: &Text| text.read.bits(self.module) == 1;
        if op == UnaryOp::Not {
            let text = self.truth(a);
            if is_bit(&text) && literal(a).is_none_or(|(bits, _)| bits == 1) {
                return Text::new(format!("!{}", text.within(PREFIX)), PREFIX, Read::Truth);
            }
        }
        let sign = if op == UnaryOp::Not { "~" } else { "-" };
        // C reads `-5` as one number.
        let text = match literal(a) {
            Some((bits, value)) => {
                self.typed_constant(bits, value, wanted.unwrap_or(bits > 1), true)
            }
            None => self.operand(a, wanted),
        };
        let read = text.read;
        let operand = text.within(PREFIX);
        // `--` would be another operator.
        let operand = if operand.starts_with(sign) { format!("({operand})") } else { operand };
        Text::new(format!("{sign}{operand}"), PREFIX, read)
    }

    pub(super) fn binary(
        &self,
        op: BinaryOp,
        a: &Expression,
        b: &Expression,
        wanted: Option<bool>,
    ) -> Text {
        use BinaryOp as B;
        let infix = |a: Text, sign: &str, b: Text, precedence: u8, read: Read| {
            let text =
                format!("{} {sign} {}", a.beneath(precedence, false), b.beneath(precedence, true));
            Text::new(text, precedence, read)
        };
        if let B::And | B::Or = op {
            let (x, y) = (self.truth(a), self.truth(b));
            let bits = |e: &Expression, text: &Text| {
                literal(e).map_or_else(|| text.read.bits(self.module), |(bits, _)| bits)
            };
            if bits(a, &x) == 1 && bits(b, &y) == 1 {
                let (sign, precedence) = if op == B::And { ("&&", AND) } else { ("||", OR) };
                return infix(x, sign, y, precedence, Read::Truth);
            }
        }
        let (sign, precedence, signed) = match op {
            B::Add => ("+", SUM, None),
            B::Sub => ("-", SUM, None),
            B::Mul => ("*", PRODUCT, None),
            B::UnsignedDiv => ("/", PRODUCT, Some(false)),
            B::SignedDiv => ("/", PRODUCT, Some(true)),
            B::UnsignedRem => ("%", PRODUCT, Some(false)),
            B::SignedRem => ("%", PRODUCT, Some(true)),
            B::ShiftLeft => ("<<", SHIFT, None),
            B::LogicalShiftRight => (">>", SHIFT, Some(false)),
            B::ArithmeticShiftRight => (">>", SHIFT, Some(true)),
            B::And => ("&", BIT_AND, None),
            B::Or => ("|", BIT_OR, None),
            B::Xor => ("^", BIT_XOR, None),
        };
        let asked = signed.or(wanted);
        if precedence == SHIFT {
            let x = self.operand(a, asked);
            let y = match literal(b) {
                Some((_, value)) if value < 1 << 15 => {
                    Text::new(value.to_string(), POSTFIX, x.read)
                }
                Some((bits, value)) => self.typed_constant(bits, value, false, false),
                None => match self.value(b, None) {
                    // A comparison is an `int`.
                    text if text.read == Read::Truth => self.as_integer(text, 1, false, true),
                    text => text,
                },
            };
            let read = x.read;
            return infix(x, sign, y, precedence, read);
        }
        let (x, y) = match (literal(a), literal(b)) {
            (None, Some((bits, value))) => {
                let x = self.operand(a, asked);
                let y = self.beside(bits, value, x.read.signed());
                (x, y)
            }
            (Some((bits, value)), None) => {
                let y = self.operand(b, asked);
                (self.beside(bits, value, y.read.signed()), y)
            }
            _ => (self.operand(a, asked), self.operand(b, asked)),
        };
        let read = match (x.read, y.read) {
            (Read::Int { bits, .. }, other) => {
                let signed = x.read.signed() && other.signed();
                Read::Int { bits, signed, promotes: false }
            }
            (read, _) => read,
        };
        infix(x, sign, y, precedence, read)
    }

    pub(super) fn compare(&self, op: CompareOp, a: &Expression, b: &Expression) -> Text {
        let (sign, precedence, signed) = match op {
            CompareOp::Eq => ("==", EQUALITY, None),
            CompareOp::Ne => ("!=", EQUALITY, None),
            CompareOp::UnsignedLt => ("<", RELATION, Some(false)),
            CompareOp::UnsignedLe => ("<=", RELATION, Some(false)),
            CompareOp::SignedLt => ("<", RELATION, Some(true)),
            CompareOp::SignedLe => ("<=", RELATION, Some(true)),
        };
        let (x, y) = self.pair(a, b, signed);
        let text =
            format!("{} {sign} {}", x.beneath(precedence, true), y.beneath(precedence, true));
        Text::new(text, precedence, Read::Truth)
    }

    /// Two operands that the reader gives one type without widening them.
    pub(super) fn pair(
        &self,
        a: &Expression,
        b: &Expression,
        signed: Option<bool>,
    ) -> (Text, Text) {
        let null = || Text::new("0".to_owned(), POSTFIX, Read::Pointer);
        match (a, b) {
            (Expression::Null, Expression::Null) => return (self.value(a, None), null()),
            (Expression::Null, _) => return (null(), self.pointer(b, signed)),
            (_, Expression::Null) => return (self.pointer(a, signed), null()),
            _ => {}
        }
        let plain = |bits: u16, value: u128, beside: Read| {
            let signed = beside.signed();
            if bits == 128 && number(bits, value, false).parse::<i128>().is_err() {
                return self.typed_constant(bits, value, signed, false);
            }
            let text = number(bits, value, signed);
            let precedence = if text.starts_with('-') { PREFIX } else { POSTFIX };
            Text::new(text, precedence, beside)
        };
        match (literal(a), literal(b)) {
            (Some((bits, value)), Some((_, other))) => {
                let x = self.typed_constant(bits, value, signed.unwrap_or(bits > 1), false);
                let y = plain(bits, other, x.read);
                return (x, y);
            }
            (None, Some((bits, value))) => {
                let x = self.signed_as(self.value(a, signed), signed);
                let y = plain(bits, value, x.read);
                return (x, y);
            }
            (Some((bits, value)), None) => {
                let y = self.signed_as(self.value(b, signed), signed);
                return (plain(bits, value, y.read), y);
            }
            (None, None) => {}
        }
        let (x, y) = (self.value(a, signed), self.value(b, signed));
        if (x.read, y.read) == (Read::Pointer, Read::Pointer) && signed != Some(true) {
            return (x, y);
        }
        let both = match signed {
            None if x.read.signed() == y.read.signed() => None,
            None => Some(false),
            signed => signed,
        };
        (self.signed_as(x, both), self.signed_as(y, both))
    }

    pub(super) fn pointer(&self, expression: &Expression, signed: Option<bool>) -> Text {
        let text = self.value(expression, None);
        if signed == Some(true) { self.signed_as(text, signed) } else { text }
    }

    /// A text as an integer of this signedness.
    pub(super) fn signed_as(&self, text: Text, signed: Option<bool>) -> Text {
        let bits = text.read.bits(self.module);
        match (text.read, signed) {
            (Read::Pointer, _) => self.as_integer(text, bits, signed.unwrap_or(false), false),
            (_, None) => text,
            (read, Some(signed)) if read.signed() == signed => text,
            (_, Some(signed)) => self.as_integer(text, bits, signed, false),
        }
    }

    pub(super) fn conversion(
        &self,
        op: CastOp,
        ty: &Type,
        a: &Expression,
        wanted: Option<bool>,
    ) -> Text {
        let operand = match op {
            CastOp::ZeroExtend => self.converted(a, false),
            CastOp::SignExtend => self.converted(a, true),
            CastOp::Truncate => match literal(a) {
                Some((bits, value)) => self.typed_constant(bits, value, bits > 1, false),
                None => self.value(a, None),
            },
            CastOp::PointerToInt => self.value(a, None),
            CastOp::IntToPointer => {
                let operand = match literal(a) {
                    Some((bits, value)) => self.typed_constant(bits, value, false, false),
                    None => self.value(a, None),
                };
                return self.cast("void *", operand);
            }
        };
        let bits = ty.bits(self.module).unwrap_or(self.module.target.pointer_bits);
        let signed = match op {
            CastOp::PointerToInt => wanted.unwrap_or(false),
            CastOp::Truncate => wanted.unwrap_or(operand.read.signed() && bits > 1),
            _ => wanted.unwrap_or(bits > 1),
        };
        self.as_integer(operand, bits, signed, false)
    }

    pub(super) fn select(
        &self,
        condition: &Expression,
        a: &Expression,
        b: &Expression,
        wanted: Option<bool>,
    ) -> Text {
        let (x, y) = match (literal(a), literal(b)) {
            _ if matches!((a, b), (Expression::Null, _) | (_, Expression::Null)) => {
                self.pair(a, b, None)
            }
            (None, None) => self.pair(a, b, wanted),
            // A constant takes the type of the other only where C promotes that.
            (Some((bits, value)), None) => {
                let y = self.value(b, wanted);
                (self.branch(bits, value, y.read), y)
            }
            (None, Some((bits, value))) => {
                let x = self.value(a, wanted);
                let y = self.branch(bits, value, x.read);
                (x, y)
            }
            (Some((bits, x)), Some((_, y))) => {
                let signed = wanted.unwrap_or(bits > 1);
                let typed = |value| self.typed_constant(bits, value, signed, false);
                (typed(x), typed(y))
            }
        };
        let read = match (x.read, y.read) {
            (Read::Int { bits, signed, promotes }, other) => {
                Read::Int { bits, signed: signed && other.signed(), promotes }
            }
            (Read::Truth, Read::Int { .. }) => y.read,
            (read, _) => read,
        };
        let condition = self.truth(condition).within(CONDITIONAL + 1);
        let (x, y) = (x.within(CONDITIONAL + 1), y.within(CONDITIONAL));
        Text::new(format!("{condition} ? {x} : {y}"), CONDITIONAL, read)
    }
}
