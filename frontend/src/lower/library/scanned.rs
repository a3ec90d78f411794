//! What is read by a format: `sscanf`, `scanf`, `fscanf`. A call becomes one of a model for each
//! part of its format (`models/input.c`), which must be a literal. What is read of a text is exact if
//! the format converts nothing but integers, characters, words and characters of sets; of floating-point numbers
//! it is where they end. Other input is any.

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
    /// Of `[`, the bytes that are read.
    set: Option<Set>,
}

/// A set of bytes, a bit for each.
type Set = [u64; 4];

/// The set between brackets, as glibc reads it: `a-z` is a range unless it would be empty, and what comes first
/// has no meaning of its own.
fn set_of(text: &str) -> Set {
    let (is_negated, members) = match text.strip_prefix('^') {
        Some(members) => (true, members),
        None => (false, text),
    };
    let mut set: Set = [0; 4];
    let mut insert = |byte: u8| {
        if let Some(part) = set.get_mut(usize::from(byte / 64)) {
            *part |= 1 << (byte % 64);
        }
    };
    let bytes = members.as_bytes();
    for (index, &byte) in bytes.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| bytes.get(index));
        match (before, bytes.get(index + 1)) {
            (Some(&first), Some(&last)) if byte == b'-' && first <= last => {
                (first..=last).for_each(&mut insert);
            }
            _ => insert(byte),
        }
    }
    if is_negated { set.map(|part| !part) } else { set }
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
    let mut set = None;
    if kind == '[' {
        // A bracket that comes first is one of the set.
        let rest = behind.strip_prefix('^').unwrap_or(behind);
        let rest = rest.strip_prefix(']').unwrap_or(rest);
        let after = rest.split_once(']')?.1;
        let text = behind.strip_suffix(after)?.strip_suffix(']')?;
        (set, behind) = (Some(set_of(text)), after);
    }
    let conversion = Conversion {
        is_dropped: dropped.is_some(),
        // As glibc does, a width of 0 is none.
        width: (!width.is_empty())
            .then(|| width.parse().unwrap_or(NO_WIDTH).min(NO_WIDTH))
            .filter(|width| *width > 0),
        length: length.strip_suffix(rest)?.to_owned(),
        kind,
        set,
    };
    Some((conversion, behind))
}

/// Whether a conversion is of a floating-point number of which is found where it ends.
fn has_known_end(conversion: &Conversion) -> bool {
    "eEfFgGaA".contains(conversion.kind) && conversion.width.is_none() && conversion.length != "L"
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
            Piece::Conversion(conversion) => {
                "%diuoxXcs[n".contains(conversion.kind) || has_known_end(conversion)
            }
            _ => true,
        };
        let null = Value::Scalar(Operand::Null, CType::from(Kind::Void).pointer());
        let is_followed = pieces.iter().all(is_exact);
        let has_float = |piece: &Piece| matches!(piece, Piece::Conversion(conversion) if has_known_end(conversion));
        if text.is_some() && !is_followed {
            self.unit.note(&format!("what `{name}` converts is any value"));
        } else if text.is_some() && pieces.iter().any(has_float) {
            self.unit.note(&format!("a floating-point number that `{name}` converts is any"));
        }
        let from = text.filter(|_| is_followed).cloned().unwrap_or(null);
        // A `struct scan` of the models.
        let long = self.unit.integers().long();
        let scan = self.temporary(&Kind::Array(Box::new(long), Some(5)).into(), position)?;
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
        let Conversion { width, length, kind, set, .. } = conversion;
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
                let part = if has_known_end(conversion) { "float" } else { "bits" };
                self.scan(part, [scan, target, size], position)
            }
            ('n', Some(size)) => {
                let size = self.int(size.into());
                self.scan("read", [scan, target, size], position)
            }
            ('c', _) if length.is_empty() => {
                let count = self.int(width_or(1));
                self.scan("characters", [scan, count, target], position)
            }
            ('s', _) if length.is_empty() => {
                let width = self.int(width_or(NO_WIDTH));
                self.scan("word", [scan, width, target], position)
            }
            ('[', _) if length.is_empty() => {
                let part = CType::int(64, false, 5);
                let [first, second, third, fourth] = set
                    .unwrap_or([u64::MAX; 4])
                    .map(|bits| Value::Scalar(Operand::int(64, bits.into()), part.clone()));
                let width = self.int(width_or(NO_WIDTH));
                let all = [scan, first, second, third, fourth, width, target];
                self.scan("set", all, position)
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
            let set = (kind == '[').then(|| super::set_of("^]x"));
            Piece::Conversion(Conversion {
                is_dropped,
                width,
                length: length.to_owned(),
                kind,
                set,
            })
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

    #[test]
    fn sets_have_ranges() {
        let has = |text: &str, byte: u8| {
            let set = super::set_of(text);
            set[usize::from(byte / 64)] >> (byte % 64) & 1 != 0
        };
        for (text, within, without) in [
            ("a-z", "amz", "A-`{"),
            ("^a-z", "A-`{", "amz"),
            ("]-", "]-", "^a"),
            ("-a", "-a", "b,"),
            ("a-", "a-", "b"),
            ("z-a", "z-a", "b"),
            ("a-c-e", "abcde", "-f"),
            ("^", "", ""),
        ] {
            assert!(within.bytes().all(|byte| has(text, byte)), "{text}");
            assert!(!without.bytes().any(|byte| has(text, byte)), "{text}");
        }
    }
}
