//! Constants and string literals.

use std::fmt::Write;

use super::Printer;
use crate::c::ast::{
    CharacterConstant, Encoding, FloatConstant, FloatSuffix, IntegerConstant, IntegerLength,
    StringLiteral,
};

impl Printer {
    pub(super) fn integer(&mut self, constant: &IntegerConstant) {
        self.push(&if constant.is_decimal {
            constant.value.to_string()
        } else {
            format!("{:#x}", constant.value)
        });
        if constant.is_unsigned {
            self.push("u");
        }
        self.push(match constant.length {
            IntegerLength::Int => "",
            IntegerLength::Long => "l",
            IntegerLength::LongLong => "ll",
        });
        if constant.is_imaginary {
            self.push("i");
        }
    }

    pub(super) fn float(&mut self, constant: &FloatConstant) {
        self.push(&constant.digits);
        match constant.suffix {
            FloatSuffix::Double => {}
            FloatSuffix::Float => self.push("f"),
            FloatSuffix::LongDouble => self.push("l"),
            FloatSuffix::FloatN(bits) => self.push(&format!("f{bits}")),
            FloatSuffix::FloatNx(bits) => self.push(&format!("f{bits}x")),
        }
        if constant.is_imaginary {
            self.push("i");
        }
    }

    pub(super) fn character(&mut self, constant: &CharacterConstant) {
        self.push(prefix(constant.encoding));
        self.push("'");
        let is_plain = constant.encoding == Encoding::Plain;
        // Of others, only the last unit counts.
        let skipped = if is_plain { 0 } else { constant.units.len().saturating_sub(1) };
        for unit in constant.units.iter().skip(skipped) {
            self.unit(*unit, '\'');
        }
        self.push("'");
    }

    pub(super) fn string(&mut self, literal: &StringLiteral) {
        let prefix = prefix(literal.encoding);
        self.push(prefix);
        self.push("\"");
        for unit in &literal.units {
            if self.unit(*unit, '"') {
                // The next digit must not become a part of the escape.
                self.push("\" ");
                self.push(prefix);
                self.push("\"");
            }
        }
        self.push("\"");
    }

    /// Prints one unit; says whether it was an escape of open length.
    fn unit(&mut self, unit: u32, quote: char) -> bool {
        match char::from_u32(unit) {
            Some('\n') => self.push("\\n"),
            Some('\\') => self.push("\\\\"),
            Some(character) if character == quote => {
                self.text.push('\\');
                self.text.push(quote);
            }
            // Two question marks could start a trigraph.
            Some(character) if (' '..='~').contains(&character) && character != '?' => {
                self.text.push(character);
            }
            Some('?') => self.push("\\?"),
            _ if unit < 0o1000 => self.push(&format!("\\{unit:03o}")),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(self.text, "\\x{unit:x}");
                return true;
            }
        }
        false
    }
}

fn prefix(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Plain => "",
        Encoding::Utf8 => "u8",
        Encoding::Wide => "L",
        Encoding::Char16 => "u",
        Encoding::Char32 => "U",
    }
}
