//! The values of numbers, character constants and string literals.

use crate::c::ast::{
    CharacterConstant, Encoding, FloatConstant, FloatSuffix, IntegerConstant, IntegerLength,
};

/// What a preprocessing number stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum DecodedNumber {
    /// An integer constant.
    Integer(IntegerConstant),
    /// A floating constant.
    Float(FloatConstant),
}

/// Decodes a preprocessing number.
///
/// # Errors
/// A message if it is no constant: bad digit, bad suffix, more than 64 bits.
pub fn decode_number(text: &str) -> Result<DecodedNumber, String> {
    let lower = text.to_ascii_lowercase();
    let is_hexadecimal = lower.starts_with("0x");
    let is_float = lower.contains('.')
        || if is_hexadecimal {
            lower.contains('p')
        } else {
            !lower.starts_with("0b") && has_decimal_exponent(&lower)
        };
    if is_float { decode_float(text, &lower, is_hexadecimal) } else { decode_integer(text, &lower) }
}

fn has_decimal_exponent(lower: &str) -> bool {
    lower.trim_start_matches(|character: char| character.is_ascii_digit()).starts_with('e')
}

fn decode_integer(text: &str, lower: &str) -> Result<DecodedNumber, String> {
    let (base, name, digits) = if let Some(digits) = lower.strip_prefix("0x") {
        (16, "hexadecimal", digits)
    } else if let Some(digits) = lower.strip_prefix("0b") {
        (2, "binary", digits)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, "octal", lower)
    } else {
        (10, "decimal", lower)
    };
    let is_digit = |character: char| {
        if base == 16 { character.is_ascii_hexdigit() } else { character.is_ascii_digit() }
    };
    let end = digits.find(|character| !is_digit(character)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if digits.is_empty() {
        return Err(format!("{name} constant '{text}' has no digits"));
    }
    let mut value: u128 = 0;
    for character in digits.chars() {
        let Some(digit) = character.to_digit(base) else {
            return Err(format!("digit '{character}' in {name} constant '{text}'"));
        };
        let larger = value.checked_mul(u128::from(base));
        value = larger
            .and_then(|value| value.checked_add(u128::from(digit)))
            .ok_or_else(|| format!("integer constant '{text}' needs more than 128 bits"))?;
    }
    // `lL` is no suffix, so the case of the original matters.
    let original = text.get(text.len() - suffix.len()..).unwrap_or_default();
    let mut constant = IntegerConstant {
        value,
        is_decimal: base == 10,
        is_unsigned: false,
        length: IntegerLength::Int,
        is_imaginary: false,
    };
    let mut rest = original;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            'u' | 'U' if !constant.is_unsigned => {
                constant.is_unsigned = true;
                1
            }
            'l' | 'L' if constant.length == IntegerLength::Int => {
                if rest.starts_with("ll") || rest.starts_with("LL") {
                    constant.length = IntegerLength::LongLong;
                    2
                } else {
                    constant.length = IntegerLength::Long;
                    1
                }
            }
            'i' | 'I' | 'j' | 'J' if !constant.is_imaginary => {
                constant.is_imaginary = true;
                1
            }
            _ => return Err(format!("invalid suffix '{original}' of integer constant '{text}'")),
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    Ok(DecodedNumber::Integer(constant))
}

fn decode_float(text: &str, lower: &str, is_hexadecimal: bool) -> Result<DecodedNumber, String> {
    let bytes = lower.as_bytes();
    let mut index = if is_hexadecimal { 2 } else { 0 };
    let mut digit_count = 0;
    let mut dots = 0;
    while let Some(byte) = bytes.get(index) {
        match byte {
            b'.' if dots == 0 => dots = 1,
            b'0'..=b'9' => digit_count += 1,
            b'a'..=b'f' if is_hexadecimal => digit_count += 1,
            _ => break,
        }
        index += 1;
    }
    if digit_count == 0 {
        return Err(format!("floating constant '{text}' has no digits"));
    }
    let marker = if is_hexadecimal { b'p' } else { b'e' };
    if bytes.get(index) == Some(&marker) {
        index += 1;
        if matches!(bytes.get(index), Some(b'+' | b'-')) {
            index += 1;
        }
        let start = index;
        while bytes.get(index).is_some_and(u8::is_ascii_digit) {
            index += 1;
        }
        if index == start {
            return Err(format!("exponent of floating constant '{text}' has no digits"));
        }
    } else if is_hexadecimal {
        return Err(format!("hexadecimal floating constant '{text}' has no exponent"));
    }
    let digits = text.get(..index).unwrap_or_default();
    let original = text.get(index..).unwrap_or_default();
    let suffix = original.to_ascii_lowercase();
    let (suffix, is_imaginary) = match suffix.strip_suffix(['i', 'j']) {
        Some(rest) => (rest, true),
        None => match suffix.strip_prefix(['i', 'j']) {
            Some(rest) => (rest, true),
            None => (suffix.as_str(), false),
        },
    };
    let suffix = match suffix {
        "" | "d" => FloatSuffix::Double,
        "f" => FloatSuffix::Float,
        "l" => FloatSuffix::LongDouble,
        "f16" => FloatSuffix::FloatN(16),
        "f32" => FloatSuffix::FloatN(32),
        "f64" => FloatSuffix::FloatN(64),
        "f128" | "q" => FloatSuffix::FloatN(128),
        "f32x" => FloatSuffix::FloatNx(32),
        "f64x" | "w" => FloatSuffix::FloatNx(64),
        _ => return Err(format!("invalid suffix '{original}' of floating constant '{text}'")),
    };
    Ok(DecodedNumber::Float(FloatConstant { digits: Box::from(digits), suffix, is_imaginary }))
}

/// Decodes a character constant, given with its quotes and prefix.
///
/// # Errors
/// A message if it is empty, or has a bad escape or invalid UTF-8.
pub fn decode_character(text: &[u8], encoding: Encoding) -> Result<CharacterConstant, String> {
    let mut units = Vec::new();
    decode_units(body(text, b'\''), encoding, &mut units)?;
    if units.is_empty() {
        return Err("empty character constant".to_owned());
    }
    Ok(CharacterConstant { encoding, units })
}

/// Decodes a string literal, given with its quotes and prefix, in the encoding that all the
/// literals joined with it have, and appends its units.
///
/// # Errors
/// A message if it has a bad escape or, unless it is plain, invalid UTF-8.
pub fn decode_string(text: &[u8], encoding: Encoding, units: &mut Vec<u32>) -> Result<(), String> {
    decode_units(body(text, b'"'), encoding, units)
}

/// The bytes between the quotes.
fn body(text: &[u8], quote: u8) -> &[u8] {
    let start = text.iter().position(|byte| *byte == quote).map_or(0, |index| index + 1);
    let rest = text.get(start..).unwrap_or_default();
    rest.strip_suffix(&[quote]).unwrap_or(rest)
}

fn decode_units(mut text: &[u8], encoding: Encoding, units: &mut Vec<u32>) -> Result<(), String> {
    while let [first, rest @ ..] = text {
        if *first == b'\\' {
            text = decode_escape(rest, encoding, units)?;
        } else if *first < 0x80 || matches!(encoding, Encoding::Plain | Encoding::Utf8) {
            units.push(u32::from(*first));
            text = rest;
        } else {
            let (character, rest) = decode_utf8(text)?;
            push_character(character, encoding, units);
            text = rest;
        }
    }
    Ok(())
}

fn decode_utf8(text: &[u8]) -> Result<(char, &[u8]), String> {
    let window = text.get(..text.len().min(4)).unwrap_or_default();
    let valid = match std::str::from_utf8(window) {
        Ok(valid) => valid,
        Err(error) => window
            .get(..error.valid_up_to())
            .and_then(|valid| std::str::from_utf8(valid).ok())
            .unwrap_or_default(),
    };
    match valid.chars().next() {
        Some(character) => Ok((character, text.get(character.len_utf8()..).unwrap_or_default())),
        None => Err("literal is not valid UTF-8".to_owned()),
    }
}

fn push_character(character: char, encoding: Encoding, units: &mut Vec<u32>) {
    match encoding {
        Encoding::Plain | Encoding::Utf8 => {
            let mut buffer = [0; 4];
            units.extend(character.encode_utf8(&mut buffer).bytes().map(u32::from));
        }
        Encoding::Char16 => {
            let mut buffer = [0; 2];
            units.extend(character.encode_utf16(&mut buffer).iter().map(|unit| u32::from(*unit)));
        }
        Encoding::Wide | Encoding::Char32 => units.push(u32::from(character)),
    }
}

/// Decodes what follows a backslash and returns the text behind it.
fn decode_escape<'a>(
    text: &'a [u8],
    encoding: Encoding,
    units: &mut Vec<u32>,
) -> Result<&'a [u8], String> {
    let [first, rest @ ..] = text else {
        return Err("backslash at the end of a literal".to_owned());
    };
    let unit = match first {
        b'n' => 10,
        b't' => 9,
        b'r' => 13,
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'e' | b'E' => 27,
        b'\\' | b'\'' | b'"' | b'?' => u32::from(*first),
        b'0'..=b'7' => return digits(text, 8, 3, encoding, units),
        b'x' => return digits(rest, 16, usize::MAX, encoding, units),
        b'u' => return universal(rest, 4, encoding, units),
        b'U' => return universal(rest, 8, encoding, units),
        _ => {
            return Err(if first.is_ascii_graphic() {
                format!("unknown escape sequence '\\{}'", char::from(*first))
            } else {
                format!("unknown escape sequence: backslash and byte 0x{first:02x}")
            });
        }
    };
    units.push(unit);
    Ok(rest)
}

/// How many leading bytes are digits of a base; `limit` at most.
fn digit_count(text: &[u8], base: u32, limit: usize) -> usize {
    text.iter().take(limit).take_while(|byte| char::from(**byte).is_digit(base)).count()
}

fn digits<'a>(
    text: &'a [u8],
    base: u32,
    limit: usize,
    encoding: Encoding,
    units: &mut Vec<u32>,
) -> Result<&'a [u8], String> {
    let count = digit_count(text, base, limit);
    if count == 0 {
        return Err("escape sequence '\\x' without digits".to_owned());
    }
    let (digits, rest) = text.split_at(count);
    let largest: u64 = match encoding {
        Encoding::Plain | Encoding::Utf8 => 0xff,
        Encoding::Char16 => 0xffff,
        Encoding::Wide | Encoding::Char32 => 0xffff_ffff,
    };
    let mut value: u64 = 0;
    for byte in digits {
        value = value * u64::from(base)
            + u64::from(char::from(*byte).to_digit(base).unwrap_or_default());
        if value > largest {
            return Err("escape sequence is out of range".to_owned());
        }
    }
    units.push(u32::try_from(value).unwrap_or(u32::MAX));
    Ok(rest)
}

fn universal<'a>(
    text: &'a [u8],
    count: usize,
    encoding: Encoding,
    units: &mut Vec<u32>,
) -> Result<&'a [u8], String> {
    let found = digit_count(text, 16, count);
    let (digits, rest) = text.split_at(found);
    let digits = std::str::from_utf8(digits).unwrap_or_default();
    let character = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    match character {
        Some(character) if found == count => {
            push_character(character, encoding, units);
            Ok(rest)
        }
        _ => Err("universal character name names no character".to_owned()),
    }
}
