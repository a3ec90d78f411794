//! What is read by a format: `sscanf`, `scanf`, `fscanf`. A call becomes one of a model for each
//! part of its format (`models/input.c`), which must be a literal. What is read of a text is exact if
//! the format converts nothing but integers, characters and words; other input is any.

use sapa_ir::goto::Operand;

use crate::lower::body::{Body, Value};
use crate::lower::program::Lowered;
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// What stands for the width that a conversion does not have.
const NO_WIDTH: u32 = i32::MAX as u32;

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// Any number of spaces.
    Space,
    /// A character that must follow.
    Character(u8),
    /// What is converted.
    Conversion(Conversion),
}

/// `%*5lld`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Conversion {
    /// Whether what is converted is not stored.
    is_dropped: bool,
    /// How many characters are read at most.
    width: Option<u32>,
    /// `hh`, `l` and the like.
    length: String,
    /// The letter at the end, or `[`.
    kind: char,
}

/// The parts of a format; `None` if it has a conversion that does not end.
fn pieces(format: &str) -> Option<Vec<Piece>> {
    let is_space = |c: char| c == ' ' || ('\t'..='\r').contains(&c);
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        if is_space(first) {
            pieces.push(Piece::Space);
            rest = rest.trim_start_matches(is_space);
        } else if let Some(conversion) = rest.strip_prefix('%') {
            let (conversion, behind) = conversion_in(conversion)?;
            pieces.push(Piece::Conversion(conversion));
            rest = behind;
        } else {
            let (character, behind) = rest.split_at(first.len_utf8());
            pieces.extend(character.bytes().map(Piece::Character));
            rest = behind;
        }
    }
    Some(pieces)
}

/// The conversion that begins behind a `%`, and what stands behind it.
fn conversion_in(text: &str) -> Option<(Conversion, &str)> {
    let dropped = text.strip_prefix('*');
    let behind = dropped.unwrap_or(text);
    let length = behind.trim_start_matches(|c: char| c.is_ascii_digit());
    let width = behind.strip_suffix(length)?;
    let rest = length.trim_start_matches(|c| "hlLqjztZ".contains(c));
    let kind = rest.chars().next()?;
    let mut behind = rest.get(kind.len_utf8()..)?;
    if kind == '[' {
        // A bracket that comes first is one of the set.
        let set = behind.strip_prefix('^').unwrap_or(behind);
        let set = set.strip_prefix(']').unwrap_or(set);
        behind = set.split_once(']')?.1;
    }
    let conversion = Conversion {
        is_dropped: dropped.is_some(),
        width: (!width.is_empty()).then(|| width.parse().unwrap_or(NO_WIDTH).min(NO_WIDTH)),
        length: length.strip_suffix(rest)?.to_owned(),
        kind,
    };
    Some((conversion, behind))
}

impl Body<'_, '_> {
    /// A call of a function that reads by a format; `None` for others.
    pub(super) fn scanned(
        &mut self,
        name: &str,
        arguments: &[Value],
        position: Position,
    ) -> Lowered<Option<Value>> {
        let (text, format, targets) = match (name, arguments) {
            ("sscanf", [text, format, targets @ ..]) => (Some(text), format, targets),
            ("scanf", [format, targets @ ..]) | ("fscanf", [_, format, targets @ ..]) => {
                (None, format, targets)
            }
            _ => return Ok(None),
        };
        let known = match format {
            Value::Scalar(operand, _) => self.text_at(*operand),
            _ => None,
        };
        let known = known.filter(|text| !text.contains(char::REPLACEMENT_CHARACTER));
        let Some(pieces) = known.as_deref().and_then(pieces) else {
            let message =
                format!("the format of '{name}' must be a literal with whole conversions");
            return self.error(position, message);
        };
        let is_exact = |piece: &Piece| match piece {
            Piece::Conversion(conversion) => "%diuoxXcs".contains(conversion.kind),
            _ => true,
        };
        let null = Value::Scalar(Operand::Null, CType::from(Kind::Void).pointer());
        let from = match text {
            Some(text) if pieces.iter().all(is_exact) => text.clone(),
            Some(_) => {
                self.unit.note(&format!("what `{name}` converts is any value"));
                null
            }
            None => null,
        };
        // A `struct scan` of the models.
        let long = self.unit.integers().long();
        let scan = self.temporary(&Kind::Array(Box::new(long), Some(3)).into(), position)?;
        let scan = Value::Scalar(scan.address, CType::from(Kind::Void).pointer());
        let is_text = self.int(text.is_some().into());
        self.scan("begin", [scan.clone(), from, is_text], position)?;
        let mut targets = targets.iter();
        for piece in pieces {
            self.unit.keep_limits()?;
            match piece {
                Piece::Space => self.scan("space", [scan.clone()], position)?,
                Piece::Character(character) => self.scan_character(&scan, character, position)?,
                Piece::Conversion(conversion) if conversion.kind == '%' => {
                    self.scan("space", [scan.clone()], position)?;
                    self.scan_character(&scan, b'%', position)?;
                }
                Piece::Conversion(conversion) => {
                    let target = match conversion.is_dropped {
                        true => None,
                        false => Some(targets.next()),
                    };
                    let target = match target {
                        None => Value::Scalar(Operand::Null, CType::from(Kind::Void).pointer()),
                        Some(Some(target)) => target.clone(),
                        Some(None) => {
                            let message = format!("too few arguments to '{name}' for its format");
                            return self.error(position, message);
                        }
                    };
                    self.scan_conversion(name, &scan, &conversion, target, position)?;
                }
            }
        }
        self.modelled("__sapa_scan_end", &[scan], position)
    }

    fn scan_character(&mut self, scan: &Value, character: u8, position: Position) -> Lowered<()> {
        let char = self.unit.integers().char();
        let character = Value::Scalar(Operand::int(8, character.into()), char);
        self.scan("character", [scan.clone(), character], position)
    }

    fn scan_conversion(
        &mut self,
        name: &str,
        scan: &Value,
        conversion: &Conversion,
        target: Value,
        position: Position,
    ) -> Lowered<()> {
        let Conversion { width, length, kind, .. } = conversion;
        let scan = scan.clone();
        let width_or = |default: u32| u128::from(width.unwrap_or(default));
        let of_length = self.unit.integers().of_length(length, true);
        let size = of_length.and_then(|ty| self.unit.size_of(&ty));
        match (kind, size) {
            ('d' | 'i' | 'u' | 'o' | 'x' | 'X', Some(size)) => {
                let base = match kind {
                    'i' => 0,
                    'o' => 8,
                    'x' | 'X' => 16,
                    _ => 10,
                };
                let [base, size] = [base, u128::from(size)].map(|number| self.int(number));
                let width = self.int(width_or(NO_WIDTH));
                self.scan("integer", [scan, base, width, target, size], position)
            }
            ('e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A', _) if length != "L" => {
                let size = self.int(if length == "l" { 8 } else { 4 });
                self.scan("bits", [scan, target, size], position)
            }
            ('c', _) if length.is_empty() => {
                let count = self.int(width_or(1));
                self.scan("characters", [scan, count, target], position)
            }
            ('s' | '[', _) if length.is_empty() => {
                let is_set = self.int((*kind == '[').into());
                let width = self.int(width_or(NO_WIDTH));
                self.scan("word", [scan, is_set, width, target], position)
            }
            _ => self.error(
                position,
                format!("'%{length}{kind}' in a call of '{name}' is not supported"),
            ),
        }
    }

    /// Reads a part by its model.
    fn scan<const N: usize>(
        &mut self,
        part: &str,
        arguments: [Value; N],
        position: Position,
    ) -> Lowered<()> {
        let model = format!("__sapa_scan_{part}");
        match self.modelled(&model, &arguments, position)? {
            Some(_) => Ok(()),
            None => self.error(position, format!("the library has no model '{model}'")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Conversion, Piece, pieces};

    #[test]
    fn parts_are_told_apart() {
        let conversion = |is_dropped, width, length: &str, kind| {
            Piece::Conversion(Conversion { is_dropped, width, length: length.to_owned(), kind })
        };
        let expected = [
            Piece::Character(b'a'),
            Piece::Space,
            conversion(false, None, "ll", 'd'),
            conversion(true, Some(5), "", 's'),
            conversion(false, Some(3), "", '['),
            Piece::Character(b']'),
            conversion(false, None, "", '%'),
        ];
        assert_eq!(pieces("a \t%lld%*5s%3[^]x]]%%"), Some(expected.to_vec()));
        for unfinished in ["%", "%5", "%l", "%[abc", "%[]"] {
            assert_eq!(pieces(unfinished), None, "{unfinished}");
        }
    }
}
