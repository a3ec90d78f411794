//! Texts that are printed into arrays: `sprintf`, `snprintf`. A call becomes one of a model for each
//! part of its format (`models/output.c`), if the format is known. Functions that print a `va_list` have one that reads the
//! format as the program runs; in other cases the text is any.

use sapa_ir::goto::Operand;

use super::format::{Amount, Conversion, Piece, pieces};
use crate::lower::body::{Body, Value};
use crate::lower::program::Lowered;
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// The largest length of a text that is printed.
const INT_MAX: u128 = 0x7fff_ffff;

/// Of sizes beyond that, which are an error in POSIX. A size that came to be negative is one, and is then no size of the
/// array: what is printed is written beyond its end.
const LARGE: &str =
    "assuming that arrays that are printed into may be larger than INT_MAX, as in glibc";

/// What stands for the precision that a conversion does not have, in the models.
const NO_PRECISION: u128 = u128::MAX;

/// Most characters of a format that are printed one by one instead of in a loop.
const MAX_UNROLLED: usize = 64;

/// Bits of flags in `models/output.c`.
const FLAGS: [(char, u128); 3] = [('-', 1), ('0', 2), ('#', 8)];
const UPPER: u128 = 4;

/// Where a text is printed to, and how much of it there is.
struct Target {
    array: Value,
    size: Value,
    at: Value,
}

impl Body<'_, '_> {
    /// A call of a function that prints into an array; `None` for others.
    pub(super) fn printed(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let size_type = self.unit.integers().size();
        let bits = self.bits(&size_type);
        if let ("asprintf" | "vasprintf", [array, format, printed @ ..]) = (name, arguments) {
            self.check_format(name, arguments, position)?;
            return self.allocated(name, array, (format, printed), position).map(Some);
        }
        let (array, size, [format, printed @ ..]) = (match (name, arguments) {
            ("sprintf" | "vsprintf" | "__builtin_sprintf", [array, rest @ ..]) => {
                (array, Value::Scalar(Operand::int(bits, u128::MAX), size_type.clone()), rest)
            }
            ("snprintf" | "vsnprintf" | "__builtin_snprintf", [array, size, rest @ ..]) => {
                let size = self.operand_as(size, &size_type, position)?;
                if !matches!(size, Operand::Int { value, .. } if value <= INT_MAX) {
                    self.unit.note(LARGE);
                }
                (array, Value::Scalar(size, size_type.clone()), rest)
            }
            _ => return Ok(None),
        }) else {
            return self.error(position, format!("too few arguments to '{name}'"));
        };
        self.check_format(name, arguments, position)?;
        let at = Value::Scalar(Operand::int(bits, 0), size_type);
        let mut target = Target { array: array.clone(), size, at };
        self.print_format(name, &mut target, (format, printed), position)?;
        let Target { array, size, at } = target;
        self.modelled("__sapa_end_text", &[array, size, at], position)
    }

    /// A text in an array of its own: it is printed twice, first for its length.
    fn allocated(
        &mut self,
        name: &str,
        result: &Value,
        (format, printed): (&Value, &[Value]),
        position: Position,
    ) -> Lowered<Value> {
        let size_type = self.unit.integers().size();
        let bits = self.bits(&size_type);
        let number = |number| Value::Scalar(Operand::int(bits, number), size_type.clone());
        let array = Value::Scalar(Operand::Null, self.byte().pointer());
        let mut target = Target { array, size: number(0), at: number(0) };
        self.print_format(name, &mut target, (format, printed), position)?;
        let length = target.at;
        let arguments = [result.clone(), length.clone()];
        let array = self.modelled("__sapa_array_of_text", &arguments, position)?;
        let array = array.unwrap_or(Value::Void);
        let size = self.modelled("__sapa_room", &[array.clone(), length], position)?;
        let size = size.unwrap_or(Value::Void);
        let mut target = Target { array, size, at: number(0) };
        self.print_format(name, &mut target, (format, printed), position)?;
        let Target { array, size, at } = target;
        let length = self.modelled("__sapa_end_allocated", &[array, size, at], position)?;
        Ok(length.unwrap_or(Value::Void))
    }

    fn print_format(
        &mut self,
        name: &str,
        target: &mut Target,
        (format, printed): (&Value, &[Value]),
        position: Position,
    ) -> Lowered<()> {
        if name.starts_with('v')
            && let [list] = printed
            && self.list(list, position)?.is_some()
        {
            self.unit.note(&format!(
                "what `{name}` prints for floating-point numbers, pointers and wide characters is any text",
            ));
            return self.put(
                "__sapa_put_format",
                target,
                &[format.clone(), list.clone()],
                position,
            );
        }
        let text = match format {
            Value::Scalar(operand, _) if !name.starts_with('v') => self.text_at(*operand),
            _ => None,
        };
        // What is no UTF-8 is not known byte by byte.
        match text.filter(|text| !text.contains(char::REPLACEMENT_CHARACTER)) {
            Some(text) => {
                let mut printed = printed.iter();
                for piece in pieces(&text) {
                    self.unit.keep_limits()?;
                    self.print_piece(name, target, piece, &mut printed, position)?;
                }
                Ok(())
            }
            None => self.print_any(name, "a format that is not known", target, position),
        }
    }

    fn print_piece<'v>(
        &mut self,
        name: &str,
        target: &mut Target,
        piece: Piece,
        printed: &mut impl Iterator<Item = &'v Value>,
        position: Position,
    ) -> Lowered<()> {
        match piece {
            Piece::Text(text) if text.len() > MAX_UNROLLED => {
                let bytes = text.bytes().map(u32::from);
                let count = u64::try_from(text.len() + 1).unwrap_or(u64::MAX);
                let array = Kind::Array(Box::new(self.byte()), Some(count)).into();
                let global = match self.unit.add_string(bytes, &array, self.location) {
                    Ok(global) => Operand::Global(global),
                    Err(what) => return self.error(position, format!("{what} is not supported")),
                };
                let text = Value::Scalar(global, self.byte().pointer());
                let [flags, width, precision] = [0, 0, NO_PRECISION].map(|number| self.int(number));
                self.put("__sapa_put_text", target, &[text, flags, width, precision], position)
            }
            Piece::Text(text) => {
                for byte in text.bytes() {
                    let byte = Value::Scalar(Operand::int(8, byte.into()), self.byte());
                    self.put("__sapa_put", target, &[byte], position)?;
                }
                Ok(())
            }
            Piece::Conversion(conversion) => {
                self.print_conversion(name, target, &conversion, printed, position)
            }
        }
    }

    fn print_conversion<'v>(
        &mut self,
        name: &str,
        target: &mut Target,
        conversion: &Conversion,
        printed: &mut impl Iterator<Item = &'v Value>,
        position: Position,
    ) -> Lowered<()> {
        if conversion.position.is_some() {
            let what = "conversions with positions";
            return self.print_any(name, what, target, position);
        }
        let int = self.unit.integers().int();
        let width = self.amount(conversion.width.as_ref(), 0, printed, position)?;
        let precision =
            self.amount(conversion.precision.as_ref(), NO_PRECISION, printed, position)?;
        let mut flags = FLAGS
            .iter()
            .filter(|(flag, _)| conversion.flags.contains(*flag))
            .fold(0, |flags, (_, bit)| flags | bit);
        if conversion.kind == 'X' {
            flags |= UPPER;
        }
        let flags = self.int(flags);
        if conversion.kind == '%' {
            let percent = Value::Scalar(Operand::int(8, '%' as u128), self.byte());
            return self.put("__sapa_put", target, &[percent], position);
        }
        if conversion.kind == 'm' {
            return self.print_any(name, "`%m`", target, position);
        }
        let Some(value) = printed.next() else {
            return self.error(position, format!("too few arguments to '{name}' for its format"));
        };
        match (conversion.kind, conversion.length.as_str()) {
            ('c', "") => {
                let value = self.convert(value.clone(), &int, position)?;
                self.put("__sapa_put_character", target, &[value, flags, width], position)
            }
            ('s', "") => {
                let arguments = [value.clone(), flags, width, precision];
                self.put("__sapa_put_text", target, &arguments, position)
            }
            (kind @ ('d' | 'i' | 'u' | 'o' | 'x' | 'X'), length) => {
                let is_signed = matches!(kind, 'd' | 'i');
                let Some(narrow) = self.unit.integers().of_length(length, is_signed) else {
                    let what = format!("`%{length}{kind}`");
                    return self.print_any(name, &what, target, position);
                };
                let base = match kind {
                    'o' => 8,
                    'x' | 'X' => 16,
                    _ => 10,
                };
                let sign = ['+', ' '].into_iter().find(|&sign| conversion.flags.contains(sign));
                let sign = sign.filter(|_| is_signed).map_or(0, |sign| sign as u128);
                let sign = Value::Scalar(Operand::int(8, sign), self.byte());
                let model = match (is_signed, self.bits(&narrow) <= self.bits(&int)) {
                    (true, true) => "__sapa_put_int",
                    (true, false) => "__sapa_put_long",
                    (false, true) => "__sapa_put_unsigned",
                    (false, false) => "__sapa_put_unsigned_long",
                };
                let value = self.convert(value.clone(), &narrow, position)?;
                let arguments = [value, self.int(base), flags, width, precision, sign];
                self.put(model, target, &arguments, position)
            }
            (kind, length) => self.print_any(name, &format!("`%{length}{kind}`"), target, position),
        }
    }

    /// A width or precision, as an `int`.
    fn amount<'v>(
        &mut self,
        amount: Option<&Amount>,
        default: u128,
        printed: &mut impl Iterator<Item = &'v Value>,
        position: Position,
    ) -> Lowered<Value> {
        match amount {
            None => Ok(self.int(default)),
            Some(Amount::Number(number)) => Ok(self.int((*number).into())),
            Some(Amount::Argument) => {
                let int = self.unit.integers().int();
                let value = printed.next().cloned().unwrap_or(Value::Void);
                self.convert(value, &int, position)
            }
        }
    }

    /// Prints a part by its model.
    fn put(
        &mut self,
        model: &str,
        target: &mut Target,
        part: &[Value],
        position: Position,
    ) -> Lowered<()> {
        let mut arguments = vec![target.array.clone(), target.size.clone(), target.at.clone()];
        arguments.extend_from_slice(part);
        match self.modelled(model, &arguments, position)? {
            Some(at) => target.at = at,
            None => return self.error(position, format!("the library has no model '{model}'")),
        }
        Ok(())
    }

    /// Prints any text.
    fn print_any(
        &mut self,
        name: &str,
        what: &str,
        target: &mut Target,
        position: Position,
    ) -> Lowered<()> {
        self.unit.note(&format!("what `{name}` prints for {what} is any text"));
        self.put("__sapa_put_any", target, &[], position)
    }

    /// The type of the characters that are printed.
    fn byte(&self) -> CType {
        self.unit.integers().char()
    }
}
