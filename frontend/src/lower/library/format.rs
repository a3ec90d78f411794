//! Formats of `printf`: whether a call writes through an argument, which `%n` does.

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
];

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
        match text {
            Some(text) if writes(&text) => {
                self.error(position, format!("'%n' in a call of '{name}' is not supported"))
            }
            None if printed.iter().any(|value| self.may_be_written(value)) => self.error(
                position,
                format!("a call of '{name}' with a pointer and a format that is not known, which may have '%n'"),
            ),
            _ => Ok(()),
        }
    }

    /// Refuses a call of what may be a function that prints, if it may write through a pointer.
    /// The format is the last of the arguments that the function's type has a parameter for.
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
        if !is_defined
            && text.is_none_or(|text| writes(&text))
            && variable.iter().any(|value| self.may_be_written(value))
        {
            return self.error(
                position,
                "a call through a pointer with a pointer among its variable arguments, which '%n' may write through",
            );
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
    pub(super) fn made_by(&self, operand: Operand) -> Option<&Op> {
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
    let mut rest = format;
    while let Some((_, conversion)) = rest.split_once('%') {
        let between = |c: char| c.is_ascii_digit() || "-+ #'I*.$hlqLjztZ".contains(c);
        let mut kind = conversion.trim_start_matches(between).chars();
        if kind.next() == Some('n') {
            return true;
        }
        rest = kind.as_str();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::writes;

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
