//! Formats of `printf`: their parts, and whether a call writes through an argument, which `%n` does.

use sapa_ir::goto::{Op, Operand};

use crate::lower::body::{Body, Value};
use crate::lower::program::Lowered;
use crate::position::Position;

/// Functions that print by a format, and which argument that is.
const PRINTING: &[(&str, usize)] = &[
    ("printf", 0),
    ("__builtin_printf", 0),
    ("vprintf", 0),
    ("fprintf", 1),
    ("vfprintf", 1),
    ("dprintf", 1),
    ("__CPROVER_printf", 0),
    ("asprintf", 1),
    ("vasprintf", 1),
    ("sprintf", 1),
    ("vsprintf", 1),
    ("__builtin_sprintf", 1),
    ("snprintf", 2),
    ("vsnprintf", 2),
    ("__builtin_snprintf", 2),
];

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// What is printed as it is.
    Text(String),
    /// What prints arguments.
    Conversion(Conversion),
}

/// `%-08.3lln`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Conversion {
    /// The number of the argument, if it is not the next one: `%2$d`.
    pub position: Option<u32>,
    /// `-`, `+`, `0`, a blank, `#`, and those of GNU.
    pub flags: String,
    /// How wide what is printed is at least.
    pub width: Option<Amount>,
    /// What stands behind the dot.
    pub precision: Option<Amount>,
    /// `hh`, `l` and the like.
    pub length: String,
    /// The letter at the end; the null character if there is none.
    pub kind: char,
}

/// A width or precision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    /// A number.
    Number(u32),
    /// `*`: the next argument.
    Argument,
}

/// The parts of a format, in order.
pub(super) fn pieces(format: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some((text, conversion)) = rest.split_once('%') {
        if !text.is_empty() {
            pieces.push(Piece::Text(text.to_owned()));
        }
        let (conversion, behind) = conversion_in(conversion);
        pieces.push(Piece::Conversion(conversion));
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    pieces
}

/// The conversion that begins behind a `%`, and what stands behind it.
fn conversion_in(text: &str) -> (Conversion, &str) {
    let mut found = Conversion::default();
    let mut rest = text;
    if let (Some(Amount::Number(position)), behind) = amount_in(text)
        && let Some(behind) = behind.strip_prefix('$')
    {
        found.position = Some(position);
        rest = behind;
    }
    (found.flags, rest) = split(rest, |c| "-+ #0'I".contains(c));
    (found.width, rest) = amount_in(rest);
    if let Some(behind) = rest.strip_prefix('.') {
        (found.precision, rest) = amount_in(behind);
        // A dot alone is a precision of zero.
        found.precision.get_or_insert(Amount::Number(0));
    }
    (found.length, rest) = split(rest, |c| "hlLqjztZ".contains(c));
    let mut kind = rest.chars();
    found.kind = kind.next().unwrap_or('\0');
    (found, kind.as_str())
}

/// The number or `*` that a text begins with, and what stands behind it. One with a position,
/// `*2$`, is taken for the next argument: what such a conversion prints is not looked at.
fn amount_in(text: &str) -> (Option<Amount>, &str) {
    if let Some(behind) = text.strip_prefix('*') {
        let (digits, behind_digits) = split(behind, |c| c.is_ascii_digit());
        let is_position = !digits.is_empty() && behind_digits.starts_with('$');
        return (Some(Amount::Argument), if is_position { &behind_digits[1..] } else { behind });
    }
    let (digits, behind) = split(text, |c| c.is_ascii_digit());
    match digits.as_str() {
        "" => (None, text),
        // No array is as large.
        digits => (Some(Amount::Number(digits.parse().unwrap_or(i32::MAX as u32))), behind),
    }
}

/// The characters that a text begins with and that are of a kind, and the others.
fn split(text: &str, is_of_kind: impl Fn(char) -> bool) -> (String, &str) {
    let behind = text.trim_start_matches(is_of_kind);
    (text[..text.len() - behind.len()].to_owned(), behind)
}

impl Body<'_, '_> {
    /// How many bytes a call prints, if its format says so: one without conversions.
    pub(super) fn printed_length(&self, name: &str, arguments: &[Value]) -> Option<u128> {
        let (_, index) = PRINTING.iter().find(|(printing, _)| *printing == name)?;
        let Some(Value::Scalar(format, _)) = arguments.get(*index) else { return None };
        let text = self.text_at(*format)?;
        let is_plain = text.is_ascii() && !text.contains('%');
        is_plain.then(|| text.len().try_into().ok()).flatten()
    }

    /// Refuses a call that prints and may write through a pointer.
    pub(super) fn check_format(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<()> {
        let Some((_, index)) = PRINTING.iter().find(|(printing, _)| *printing == name) else {
            return Ok(());
        };
        let Some((format, printed)) = arguments.get(*index..).and_then(<[_]>::split_first) else {
            return Ok(());
        };
        let text = match format {
            Value::Scalar(operand, _) => self.text_at(*operand),
            _ => None,
        };
        let list = name.starts_with('v');
        match text {
            Some(text) if writes(&text) => {
                self.error(position, format!("'%n' in a call of '{name}' is not supported"))
            }
            // What a list of arguments has in it is not seen here.
            None if list => {
                self.unit.note(&format!("assuming that no format of `{name}` has a `%n`"));
                Ok(())
            }
            None if printed.iter().any(|value| self.may_be_written(value)) => self.error(
                position,
                format!("a call of '{name}' with a pointer and a format that is not known, which may have '%n'"),
            ),
            _ => Ok(()),
        }
    }

    /// Refuses a call with variable arguments of what may print by a format, if it may write through
    /// a pointer. The format is the last of the arguments that the function's type has a parameter
    /// for; one that is not known is taken for harmless where the function is defined, since what it
    /// does with the format is seen.
    pub fn check_variable_arguments(
        &mut self,
        callee: Operand,
        fixed: usize,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<()> {
        let is_defined = match callee {
            Operand::Function(id) => !self.unit.declared.values().any(|declared| *declared == id),
            _ => false,
        };
        let Some((before, variable)) = arguments.split_at_checked(fixed) else { return Ok(()) };
        let text = match before.last() {
            Some(Value::Scalar(operand, _)) => self.text_at(*operand),
            _ => None,
        };
        let may_write = text.map_or(!is_defined, |text| writes(&text));
        if may_write && variable.iter().any(|value| self.may_be_written(value)) {
            let what = if is_defined { "" } else { " through a pointer" };
            let message = format!(
                "a call{what} with a pointer among its variable arguments, which '%n' may write through"
            );
            return self.error(position, message);
        }
        Ok(())
    }

    /// The text of a string literal, also by the address of its first character, as goto binaries
    /// have it.
    pub(super) fn text_at(&self, operand: Operand) -> Option<String> {
        match self.made_by(operand) {
            Some(Op::IndexAddress { base, index: Operand::Int { value: 0, .. }, .. }) => {
                self.unit.text_of(*base)
            }
            _ => self.unit.text_of(operand),
        }
    }

    /// The operation of this block that has an operand as its result.
    pub(crate) fn made_by(&self, operand: Operand) -> Option<&Op> {
        let block = self.block.and_then(|block| self.function.blocks.get(block.index()));
        let mut before = block.into_iter().flat_map(|block| block.instructions.iter().rev());
        before.find(|i| i.result.map(Operand::Value) == Some(operand)).map(|made| &made.op)
    }

    /// Whether a `%n` may write through an argument: a pointer to what is not constant.
    fn may_be_written(&self, argument: &Value) -> bool {
        let Value::Scalar(operand, ty) = argument else { return false };
        ty.pointee().is_some_and(|pointee| !pointee.constant)
            && *operand != Operand::Null
            && self.text_at(*operand).is_none()
    }
}

/// Whether a format has a `%n`, with whatever flags, width, precision and length.
fn writes(format: &str) -> bool {
    let is_writing = |piece| matches!(piece, Piece::Conversion(Conversion { kind: 'n', .. }));
    pieces(format).into_iter().any(is_writing)
}

#[cfg(test)]
mod tests {
    use super::{Amount, Conversion, Piece, pieces, writes};

    #[test]
    fn parts_are_told_apart() {
        let conversion = |kind| Conversion { kind, ..Conversion::default() };
        let text = |text: &str| Piece::Text(text.to_owned());
        let found = pieces("a%-08.*llx%%b%");
        let number = Conversion {
            flags: "-0".to_owned(),
            width: Some(Amount::Number(8)),
            precision: Some(Amount::Argument),
            length: "ll".to_owned(),
            ..conversion('x')
        };
        let conversions = [number, conversion('%'), conversion('\0')].map(Piece::Conversion);
        let [number, percent, end] = conversions;
        assert_eq!(found, [text("a"), number, percent, text("b"), end]);
        let found = pieces("%2$*3$.d");
        let positions = Conversion {
            position: Some(2),
            width: Some(Amount::Argument),
            precision: Some(Amount::Number(0)),
            ..conversion('d')
        };
        assert_eq!(found, [Piece::Conversion(positions)]);
    }

    #[test]
    fn what_writes_is_found() {
        for format in ["%n", "a%hhn", "%ln", "%-08.3lln", "%2$n", "%*d%n", "%%%n", "%5%%n"] {
            assert!(writes(format), "{format}");
        }
        for format in ["", "%", "100%%n", "%d n", "%%%%n", "%c%%n", "n%s", "%5%n"] {
            assert!(!writes(format), "{format}");
        }
    }
}
