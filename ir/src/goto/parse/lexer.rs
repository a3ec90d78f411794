//! Tokens of the text form.

use std::borrow::Cow;

/// What a name refers by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name<'t> {
    /// The name itself.
    Text(Cow<'t, str>),
    /// An index into the table: `#3`.
    Index(u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind<'t> {
    /// A keyword, a bare name, a label, an integer type.
    Word(&'t str),
    /// A string literal, unescaped.
    Text(String),
    /// `@name` (function), `$name` (global), `&name` (slot), `!name` (variable).
    Sigil(char, Name<'t>),
    /// `%3`.
    Value(u32),
    /// A number; with its width, if it has one (`7i32`).
    Int { negative: bool, magnitude: u128, bits: Option<u16> },
    /// Punctuation.
    Punct(char),
    /// `->`.
    Arrow,
    /// End of the text.
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    pub kind: Kind<'t>,
    /// Where it starts and ends, in bytes.
    pub start: usize,
    pub end: usize,
    /// Whether it is the first of its line.
    pub starts_line: bool,
}

/// Length of the identifier that `bytes` starts with; 0 if there is none.
/// `v`, `v#2` and `f::v` are identifiers; `f.v` is one after a sigil.
pub(in crate::goto) fn word_length(bytes: &[u8], dots: bool) -> usize {
    let is_start = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    if !is_start(bytes.first()) {
        return 0;
    }
    let mut length = 1;
    while let Some(byte) = bytes.get(length) {
        let next = bytes.get(length + 1);
        length += match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' => 1,
            b':' if next == Some(&b':') && is_start(bytes.get(length + 2)) => 3,
            b'#' if next.is_some_and(u8::is_ascii_digit) => 2,
            b'.' if dots && next.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') => 2,
            _ => break,
        };
    }
    length
}

/// The tokens of `text`, an `End` last. Calls `error` with a position and a
/// message for what is no token, and goes on behind it.
pub(super) fn tokenize<'t>(text: &'t str, error: &mut dyn FnMut(usize, String)) -> Vec<Token<'t>> {
    let mut lexer = Lexer { text, at: 0, error };
    let mut tokens = Vec::new();
    let mut starts_line = true;
    while let Some(&byte) = text.as_bytes().get(lexer.at) {
        match byte {
            b'\n' => {
                starts_line = true;
                lexer.at += 1;
            }
            b' ' | b'\t' | b'\r' => lexer.at += 1,
            b';' => lexer.at += lexer.rest().find('\n').unwrap_or(lexer.rest().len()),
            _ => {
                let start = lexer.at;
                if let Some(kind) = lexer.token(byte) {
                    tokens.push(Token { kind, start, end: lexer.at, starts_line });
                    starts_line = false;
                }
            }
        }
    }
    tokens.push(Token { kind: Kind::End, start: text.len(), end: text.len(), starts_line: true });
    tokens
}

struct Lexer<'t, 'e> {
    text: &'t str,
    at: usize,
    error: &'e mut dyn FnMut(usize, String),
}

impl<'t> Lexer<'t, '_> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Takes `length` bytes.
    fn take(&mut self, length: usize) -> &'t str {
        let taken = self.text.get(self.at..self.at + length).unwrap_or("");
        self.at += length;
        taken
    }

    /// The token that starts with `byte`; `None` after an error.
    fn token(&mut self, byte: u8) -> Option<Kind<'t>> {
        match byte {
            b'@' | b'$' | b'&' | b'!' => self.sigil(byte),
            b'%' => self.value(),
            b'"' => self.string().map(Kind::Text),
            b'0'..=b'9' => self.number(),
            b'-' if self.peek(1).is_some_and(|b| b.is_ascii_digit()) => self.number(),
            b'-' if self.peek(1) == Some(b'>') => {
                self.at += 2;
                Some(Kind::Arrow)
            }
            b'{' | b'}' | b'(' | b')' | b'[' | b']' | b',' | b':' | b'=' | b'.' | b'#' | b'+'
            | b'-' => {
                self.at += 1;
                Some(Kind::Punct(char::from(byte)))
            }
            _ => {
                let length = word_length(self.rest().as_bytes(), false);
                if length > 0 {
                    return Some(Kind::Word(self.take(length)));
                }
                let start = self.at;
                let c = self.rest().chars().next()?;
                self.at += c.len_utf8();
                (self.error)(start, format!("unexpected character {c:?}"));
                None
            }
        }
    }

    fn sigil(&mut self, byte: u8) -> Option<Kind<'t>> {
        let start = self.at;
        let sigil = char::from(byte);
        self.at += 1;
        let name = match self.peek(0) {
            Some(b'"') => Name::Text(Cow::Owned(self.string()?)),
            Some(b'#') => {
                self.at += 1;
                Name::Index(self.index(start)?)
            }
            _ => {
                let length = word_length(self.rest().as_bytes(), true);
                if length == 0 {
                    (self.error)(start, format!("expected a name after `{sigil}`"));
                    return None;
                }
                Name::Text(Cow::Borrowed(self.take(length)))
            }
        };
        Some(Kind::Sigil(sigil, name))
    }

    fn value(&mut self) -> Option<Kind<'t>> {
        let start = self.at;
        self.at += 1;
        self.index(start).map(Kind::Value)
    }

    fn digits(&mut self) -> &'t str {
        let length = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.take(length)
    }

    fn index(&mut self, start: usize) -> Option<u32> {
        let digits = self.digits();
        match digits.parse() {
            Ok(index) => Some(index),
            Err(_) => {
                let problem = if digits.is_empty() { "expected a number" } else { "too large" };
                (self.error)(start, format!("bad index: {problem}"));
                None
            }
        }
    }

    fn number(&mut self) -> Option<Kind<'t>> {
        let start = self.at;
        let negative = self.peek(0) == Some(b'-');
        self.at += usize::from(negative);
        let Ok(magnitude) = self.digits().parse() else {
            (self.error)(start, "a number of more than 128 bits".to_owned());
            return None;
        };
        let mut bits = None;
        if self.peek(0) == Some(b'i') && self.peek(1).is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
            let Ok(width) = self.digits().parse() else {
                (self.error)(start, "the width of this number is too large".to_owned());
                return None;
            };
            bits = Some(width);
        }
        Some(Kind::Int { negative, magnitude, bits })
    }

    /// A string literal; it ends on its line.
    fn string(&mut self) -> Option<String> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let c = self.rest().chars().next().filter(|c| *c != '\n');
            let Some(c) = c else {
                (self.error)(start, "this string is not closed".to_owned());
                return None;
            };
            self.at += c.len_utf8();
            match c {
                '"' => return Some(text),
                '\\' => text.push(self.escape()?),
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let start = self.at - 1;
        let c = self.rest().chars().next()?;
        let plain = match c {
            '"' | '\\' => Some(c),
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            _ => None,
        };
        if plain.is_some() {
            self.at += 1;
            return plain;
        }
        let found = self.rest().strip_prefix("u{").and_then(|rest| {
            // At most six digits: a lone `u{` must not scan the whole text.
            let end = rest.bytes().take(7).position(|b| b == b'}')?;
            let c = char::from_u32(u32::from_str_radix(rest.get(..end)?, 16).ok()?)?;
            Some((c, end + 3))
        });
        match found {
            Some((c, length)) => {
                self.at += length;
                Some(c)
            }
            None => {
                (self.error)(
                    start,
                    "unknown escape; \\\" \\\\ \\n \\t \\r and \\u{…} are known".to_owned(),
                );
                Some(char::REPLACEMENT_CHARACTER)
            }
        }
    }
}
