//! Constants: as numbers where C gives these the type that is meant, else behind a cast.

use super::Writer;
use super::text::{POSTFIX, PREFIX, Read, Text};
use crate::goto::predicate::Expression;

/// The value of an integer constant as a number of its type.
pub(super) fn number(bits: u16, value: u128, signed: bool) -> String {
    let shift = 128 - u32::from(bits.clamp(1, 128));
    if signed { (((value << shift) as i128) >> shift).to_string() } else { value.to_string() }
}

pub(super) fn literal(expression: &Expression) -> Option<(u16, u128)> {
    match expression {
        Expression::Int { bits, value } => Some((*bits, *value)),
        _ => None,
    }
}

impl Writer<'_> {
    /// A constant whose type the text alone says.
    pub(super) fn constant(&self, bits: u16, value: u128, signed: bool) -> Text {
        let target = &self.module.target;
        let text = number(bits, value, signed);
        // The least number has no literal: C reads a minus before a larger type's.
        let is_least = signed && value == 1 << (bits - 1);
        let suffix = match bits {
            _ if is_least => None,
            _ if bits == target.int_bits => Some(if signed { "" } else { "u" }),
            _ if bits == target.long_bits => Some(if signed { "l" } else { "ul" }),
            _ => None,
        };
        let read = Read::Int { bits, signed, promotes: self.promotes(bits) };
        match suffix {
            Some(suffix) => {
                let precedence = if text.starts_with('-') { PREFIX } else { POSTFIX };
                Text::new(text + suffix, precedence, read)
            }
            None => self.typed_constant(bits, value, signed, false),
        }
    }

    /// A constant behind a cast.
    pub(super) fn typed_constant(&self, bits: u16, value: u128, signed: bool, exact: bool) -> Text {
        let precedence = PREFIX;
        let text = Text::new(number(bits, value, signed), precedence, Read::Truth);
        self.as_integer(text, bits, signed, exact)
    }

    /// A constant beside an operand that C would convert it to, if C does so.
    pub(super) fn beside(&self, bits: u16, value: u128, signed: bool) -> Text {
        let target = &self.module.target;
        let is_word = [target.int_bits, target.long_bits].contains(&bits);
        let shown = number(bits, value, signed);
        if is_word && shown.parse::<i128>().is_ok_and(|v| v.abs() < 1 << (target.int_bits - 1)) {
            let precedence = if shown.starts_with('-') { PREFIX } else { POSTFIX };
            let read = Read::Int { bits, signed, promotes: false };
            return Text::new(shown, precedence, read);
        }
        match self.constant(bits, value, signed) {
            text if !matches!(text.read, Read::Int { promotes: true, .. }) => text,
            _ => self.typed_constant(bits, value, signed, true),
        }
    }

    /// A constant as one branch of a conditional beside the other.
    pub(super) fn branch(&self, bits: u16, value: u128, beside: Read) -> Text {
        let signed = beside.signed();
        match beside {
            Read::Truth => Text::new(value.to_string(), POSTFIX, Read::Truth),
            Read::Int { promotes: true, .. } => {
                let precedence = PREFIX;
                Text::new(number(bits, value, signed), precedence, beside)
            }
            _ => self.beside(bits, value, signed),
        }
    }
}
