//! From preprocessed text to tokens, one at a time.

mod literal;
mod pack;

pub use literal::{DecodedNumber, decode_character, decode_number, decode_string};

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::name;

use super::ast::{Encoding, Name};
use super::token::{Keyword, Punctuator, Token, TokenKind};
use crate::diagnostic::Diagnostic;
use crate::position::{FileId, Files, Position};

/// A lexer over preprocessed C.
///
/// Line markers move the position; pragmas are skipped, but for those that change what a program
/// means, which are reported. Comments, which a preprocessor would have removed, are skipped. What
/// is no token is reported and skipped.
pub struct Lexer<'a> {
    source: &'a [u8],
    offset: usize,
    file: FileId,
    line: u32,
    line_start: usize,
    /// A line of what a macro of the system's headers stands for, and the column where it begins.
    expansion: Option<(u32, u32)>,
    /// Files of the program: what is said to come from a system's header there is a macro's.
    own_files: FxHashSet<FileId>,
    files: Files,
    file_ids: FxHashMap<Box<str>, FileId>,
    keywords: FxHashMap<&'static str, Keyword>,
    names: FxHashMap<Name, ()>,
    diagnostics: Vec<Diagnostic>,
    /// What `#pragma pack` says.
    packing: pack::Packing,
    /// Whether names are those of a module, as predicates have them.
    module_names: bool,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of a text. The file name holds until a line marker says otherwise.
    pub fn new(file_name: &str, source: &'a [u8]) -> Self {
        let mut files = Files::new();
        let file = files.add(file_name);
        let mut keywords = FxHashMap::default();
        for keyword in Keyword::ALL {
            keywords.insert(keyword.spelling(), *keyword);
        }
        keywords.extend(Keyword::ALTERNATIVES.iter().copied());
        Self {
            source,
            offset: 0,
            file,
            line: 1,
            line_start: 0,
            expansion: None,
            own_files: std::iter::once(file).collect(),
            files,
            file_ids: std::iter::once((Box::from(file_name), file)).collect(),
            keywords,
            names: FxHashMap::default(),
            diagnostics: Vec::new(),
            packing: pack::Packing::default(),
            module_names: false,
        }
    }

    /// A lexer over one line of a file of predicates, where an identifier is a
    /// [name of a module](sapa_ir::goto::name): `worker::x`.
    pub fn of_predicate(file_name: &str, line: u32, source: &'a [u8]) -> Self {
        Self { line, module_names: true, ..Self::new(file_name, source) }
    }

    /// Whether it reads a predicate.
    pub fn is_of_predicate(&self) -> bool {
        self.module_names
    }

    /// The names of the files met so far.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Hands the table of files over.
    pub fn into_files(self) -> Files {
        self.files
    }

    /// The text being read.
    pub fn source(&self) -> &'a [u8] {
        self.source
    }

    /// Takes what was reported since the last call.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    /// The shared copy of a name.
    pub fn intern(&mut self, name: &str) -> Name {
        if let Some((name, ())) = self.names.get_key_value(name) {
            return Arc::clone(name);
        }
        let name: Name = Arc::from(name);
        self.names.insert(Arc::clone(&name), ());
        name
    }

    /// The largest alignment that `#pragma pack` gives members at a byte of the text that was read.
    pub fn packed_to(&self, offset: usize) -> Option<u64> {
        self.packing.at(offset)
    }

    /// Skips all that is left.
    pub fn skip_to_end(&mut self) {
        self.offset = self.source.len();
    }

    /// The next token; [`TokenKind::EndOfFile`] again and again at the end.
    pub fn next_token(&mut self) -> Token {
        loop {
            self.skip_blanks();
            let start = self.offset;
            let position = self.position(start);
            let Some(byte) = self.byte(0) else {
                return Token { kind: TokenKind::EndOfFile, position, start, end: start };
            };
            let kind = match byte {
                b'0'..=b'9' => self.number(),
                b'.' if self.byte(1).is_some_and(|byte| byte.is_ascii_digit()) => self.number(),
                b'"' => self.quoted(Encoding::Plain, position),
                b'\'' => self.quoted(Encoding::Plain, position),
                b'`' if self.module_names => self.word(position),
                _ if is_identifier_start(byte) => self.word(position),
                b'\\' if self.universal_name().is_some() => self.word(position),
                _ => self.punctuator(),
            };
            match kind {
                Some(TokenKind::Identifier(name)) if &*name == "_Pragma" => self.skip_pragma(),
                // What Clang knows of pointers, and headers of macOS say.
                Some(TokenKind::Identifier(name))
                    if matches!(&*name, "_Nullable" | "_Nonnull" | "_Null_unspecified") => {}
                Some(kind) => return Token { kind, position, start, end: self.offset },
                None if self.offset == start => self.invalid_bytes(position),
                None => {}
            }
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.offset + ahead).copied()
    }

    fn position(&self, offset: usize) -> Position {
        let column = match self.expansion {
            Some((line, column)) if line == self.line => column,
            _ => u32::try_from(offset - self.line_start + 1).unwrap_or(u32::MAX),
        };
        Position { file: self.file, line: self.line, column }
    }

    fn error(&mut self, position: Position, message: String) {
        self.diagnostics.push(Diagnostic::error(&self.files, position, message));
    }

    fn new_line(&mut self) {
        self.line = self.line.saturating_add(1);
        self.line_start = self.offset;
    }

    fn skip_blanks(&mut self) {
        loop {
            match (self.byte(0), self.byte(1)) {
                (Some(b'\n'), _) => {
                    self.offset += 1;
                    self.new_line();
                }
                (Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c), _) => self.offset += 1,
                (Some(b'\\'), Some(b'\n')) => {
                    self.offset += 2;
                    self.new_line();
                }
                (Some(b'\\'), Some(b'\r')) if self.byte(2) == Some(b'\n') => {
                    self.offset += 3;
                    self.new_line();
                }
                (Some(b'/'), Some(b'/')) => self.skip_line(),
                (Some(b'/'), Some(b'*')) => self.skip_comment(),
                (Some(b'#'), _) if self.at_line_start() => self.directive(),
                // A byte order mark.
                (Some(0xef), Some(0xbb)) if self.offset == 0 && self.byte(2) == Some(0xbf) => {
                    self.offset = 3;
                    self.line_start = 3;
                }
                _ => return,
            }
        }
    }

    fn at_line_start(&self) -> bool {
        self.source
            .get(self.line_start..self.offset)
            .is_some_and(|before| before.iter().all(|byte| matches!(byte, b' ' | b'\t')))
    }

    /// Stops before the end of the line.
    fn skip_line(&mut self) {
        let rest = self.source.get(self.offset..).unwrap_or_default();
        self.offset += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    fn skip_comment(&mut self) {
        let position = self.position(self.offset);
        self.offset += 2;
        loop {
            match (self.byte(0), self.byte(1)) {
                (Some(b'*'), Some(b'/')) => {
                    self.offset += 2;
                    return;
                }
                (Some(b'\n'), _) => {
                    self.offset += 1;
                    self.new_line();
                }
                (Some(_), _) => self.offset += 1,
                (None, _) => {
                    return self.error(position, "comment is not closed".to_owned());
                }
            }
        }
    }

    /// A line that starts with `#`: a line marker or a pragma.
    fn directive(&mut self) {
        let position = self.position(self.offset);
        let start = self.offset + 1;
        self.skip_line();
        let text = self.source.get(start..self.offset).unwrap_or_default();
        let text = String::from_utf8_lossy(text);
        let text = text.trim_matches([' ', '\t', '\r']);
        let (word, rest) = split_word(text);
        let (number, rest) =
            if word == "line" { split_word(rest.trim_start()) } else { (word, rest) };
        if let Ok(line) = number.parse::<u32>() {
            if let Some(name) = quoted_file_name(rest) {
                self.file = self.file_id(&name);
            }
            // The marker names the line after it.
            self.line = line.saturating_sub(1);
            let of_system = rest.rsplit('"').next().unwrap_or("").split_whitespace();
            let of_system = of_system.into_iter().any(|flag| flag == "3");
            if !of_system {
                self.own_files.insert(self.file);
            }
            let is_expansion = of_system && self.own_files.contains(&self.file);
            self.expansion = is_expansion.then(|| (line, self.next_column()));
        } else if word == "pragma" {
            self.check_pragma(rest, position);
        } else if !matches!(word, "" | "ident" | "sccs" | "define" | "undef") {
            let message = format!("directive '#{word}' in preprocessed text");
            self.error(position, message);
        }
    }

    /// The column of a macro's name that is expanded on the next line: the preprocessor puts what it
    /// stands for one byte before.
    fn next_column(&self) -> u32 {
        let line = self.source.get(self.offset + 1..).unwrap_or_default();
        let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        u32::try_from(blanks + 2).unwrap_or(u32::MAX)
    }

    /// Reports a pragma that changes layout or linkage. Compilers skip those that they do not know.
    fn check_pragma(&mut self, text: &str, position: Position) {
        const REFUSED: &[&str] =
            &["weak", "redefine_extname", "scalar_storage_order", "ms_struct", "options"];
        let word = text.trim_start_matches([' ', '\t']);
        let end = word.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let word = word.get(..end.unwrap_or(word.len())).unwrap_or_default();
        let is_refused = match word {
            "pack" => {
                let rest = text.trim_start_matches([' ', '\t']).strip_prefix(word);
                self.packing.read(rest.unwrap_or_default(), self.offset).is_none()
            }
            _ => REFUSED.contains(&word),
        };
        if is_refused {
            let what = if word == "pack" { text.trim() } else { word };
            self.error(position, format!("'#pragma {what}' is not supported"));
        }
    }

    fn file_id(&mut self, name: &str) -> FileId {
        if let Some(id) = self.file_ids.get(name) {
            return *id;
        }
        let id = self.files.add(name);
        self.file_ids.insert(Box::from(name), id);
        id
    }

    /// `_Pragma("…")`, the name already read.
    fn skip_pragma(&mut self) {
        self.skip_blanks();
        if self.byte(0) == Some(b'(') {
            self.offset += 1;
            self.skip_blanks();
            let position = self.position(self.offset);
            if self.byte(0) == Some(b'L') {
                self.offset += 1;
            }
            if self.byte(0) == Some(b'"') {
                let start = self.offset + 1;
                self.quoted(Encoding::Plain, position);
                let text = self.source.get(start..self.offset).unwrap_or_default();
                let text = String::from_utf8_lossy(text).into_owned();
                self.check_pragma(text.trim_end_matches('"'), position);
            }
            self.skip_blanks();
            if self.byte(0) == Some(b')') {
                self.offset += 1;
                return;
            }
        }
        let position = self.position(self.offset);
        self.error(position, "expected '(\"…\")' after '_Pragma'".to_owned());
    }

    fn number(&mut self) -> Option<TokenKind> {
        let mut previous = 0;
        while let Some(byte) = self.byte(0) {
            let is_sign = matches!(byte, b'+' | b'-')
                && matches!(previous, b'e' | b'E' | b'p' | b'P')
                && !(matches!(previous, b'e' | b'E') && self.is_hexadecimal_since_start());
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || is_sign) {
                break;
            }
            previous = byte;
            self.offset += 1;
        }
        Some(TokenKind::Number)
    }

    /// Whether the number that ends here began with `0x`: there, `e` is a digit. (A strict
    /// preprocessor takes `0xe+1` for one malformed number; compilers have already refused that.)
    fn is_hexadecimal_since_start(&self) -> bool {
        let digits = self.source.get(..self.offset).unwrap_or_default();
        let word = digits
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'.')
            .count();
        let word = digits.get(digits.len() - word..).unwrap_or_default();
        matches!(word, [b'0', b'x' | b'X', ..])
    }

    /// An identifier, a keyword, or a literal with a prefix.
    fn word(&mut self, position: Position) -> Option<TokenKind> {
        let start = self.offset;
        if self.module_names {
            let rest = self.source.get(start..).unwrap_or_default();
            self.offset += name::length(rest);
        }
        let mut has_universal_names = false;
        loop {
            let length = match self.byte(0) {
                Some(byte) if is_identifier_start(byte) || byte.is_ascii_digit() => 1,
                _ => self.universal_name().unwrap_or(0),
            };
            has_universal_names |= length > 1;
            self.offset += length;
            if length == 0 {
                break;
            }
        }
        if self.offset == start {
            return None;
        }
        let word = self.source.get(start..self.offset).unwrap_or_default();
        if let Some(quote @ (b'"' | b'\'')) = self.byte(0) {
            let encoding = match word {
                b"L" => Some(Encoding::Wide),
                b"u" => Some(Encoding::Char16),
                b"U" => Some(Encoding::Char32),
                b"u8" if quote == b'"' => Some(Encoding::Utf8),
                _ => None,
            };
            if let Some(encoding) = encoding {
                return self.quoted(encoding, position);
            }
        }
        let Ok(word) = std::str::from_utf8(word) else {
            self.error(position, "identifier is not valid UTF-8".to_owned());
            return None;
        };
        if has_universal_names {
            let Some(word) = with_characters(word) else {
                self.error(
                    position,
                    "a universal character name stands for no character".to_owned(),
                );
                return None;
            };
            return Some(TokenKind::Identifier(self.intern(&word)));
        }
        match self.keywords.get(word) {
            Some(keyword) => Some(TokenKind::Keyword(*keyword)),
            None => Some(TokenKind::Identifier(self.intern(word))),
        }
    }

    /// How long the universal character name is that comes, as `\u00e9`, if one does (C11 6.4.3).
    fn universal_name(&self) -> Option<usize> {
        let digits = match (self.byte(0)?, self.byte(1)?) {
            (b'\\', b'u') => 4,
            (b'\\', b'U') => 8,
            _ => return None,
        };
        let length = 2 + digits;
        (2..length)
            .all(|at| self.byte(at).is_some_and(|byte| byte.is_ascii_hexdigit()))
            .then_some(length)
    }

    /// A character constant or string literal, at its quote.
    fn quoted(&mut self, encoding: Encoding, position: Position) -> Option<TokenKind> {
        let quote = self.byte(0)?;
        self.offset += 1;
        loop {
            match self.byte(0) {
                Some(byte) if byte == quote => {
                    self.offset += 1;
                    break;
                }
                Some(b'\\') if self.byte(1).is_some_and(|byte| byte != b'\n') => self.offset += 2,
                Some(b'\n') | None => {
                    let what = if quote == b'"' { "string literal" } else { "character constant" };
                    self.error(position, format!("{what} is not closed on its line"));
                    break;
                }
                Some(_) => self.offset += 1,
            }
        }
        Some(if quote == b'"' {
            TokenKind::String(encoding)
        } else {
            TokenKind::Character(encoding)
        })
    }

    fn punctuator(&mut self) -> Option<TokenKind> {
        let rest = self.source.get(self.offset..).unwrap_or_default();
        let (punctuator, length) = punctuator_at(rest)?;
        self.offset += length;
        Some(TokenKind::Punctuator(punctuator))
    }

    /// Reports a run of bytes that start no token, once.
    fn invalid_bytes(&mut self, position: Position) {
        let first = self.byte(0).unwrap_or_default();
        let start = self.offset;
        while self.byte(0).is_some_and(is_invalid) {
            self.offset += 1;
        }
        if self.offset == start {
            self.offset += 1;
        }
        let message = if first.is_ascii_graphic() {
            format!("unexpected character '{}'", char::from(first))
        } else {
            format!("unexpected byte 0x{first:02x}")
        };
        self.error(position, message);
    }
}

/// A name with its universal character names as what they stand for; `None` if one is no character.
fn with_characters(word: &str) -> Option<String> {
    let mut parts = word.split('\\');
    let mut name = parts.next()?.to_owned();
    for part in parts {
        let digits = if part.starts_with('u') { 4 } else { 8 };
        let (digits, rest) = part.get(1..)?.split_at_checked(digits)?;
        name.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
        name.push_str(rest);
    }
    Some(name)
}

fn is_identifier_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | 0x80..)
}

fn is_invalid(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0e..=0x1f | 0x7f | b'#' | b'@' | b'`' | b'\\')
}

fn split_word(text: &str) -> (&str, &str) {
    let end = text.find([' ', '\t', '"']).unwrap_or(text.len());
    text.split_at(end)
}

/// The file name of a line marker: quoted, with `\"` and `\\` escaped.
fn quoted_file_name(text: &str) -> Option<String> {
    let mut characters = text.trim_start().strip_prefix('"')?.chars();
    let mut name = String::new();
    loop {
        match characters.next()? {
            '"' => return Some(name),
            '\\' => name.push(characters.next()?),
            other => name.push(other),
        }
    }
}

/// The longest punctuator that a text starts with, and its length.
fn punctuator_at(text: &[u8]) -> Option<(Punctuator, usize)> {
    use Punctuator::*;
    let at = |index: usize| text.get(index).copied().unwrap_or(0);
    Some(match (at(0), at(1), at(2)) {
        (b'.', b'.', b'.') => (Ellipsis, 3),
        (b'<', b'<', b'=') => (LessLessEqual, 3),
        (b'>', b'>', b'=') => (GreaterGreaterEqual, 3),
        (b'-', b'>', _) => (Arrow, 2),
        (b'+', b'+', _) => (PlusPlus, 2),
        (b'-', b'-', _) => (MinusMinus, 2),
        (b'<', b'<', _) => (LessLess, 2),
        (b'>', b'>', _) => (GreaterGreater, 2),
        (b'<', b'=', _) => (LessEqual, 2),
        (b'>', b'=', _) => (GreaterEqual, 2),
        (b'=', b'=', _) => (EqualEqual, 2),
        (b'!', b'=', _) => (ExclamationEqual, 2),
        (b'&', b'&', _) => (AmpersandAmpersand, 2),
        (b'|', b'|', _) => (BarBar, 2),
        (b'*', b'=', _) => (StarEqual, 2),
        (b'/', b'=', _) => (SlashEqual, 2),
        (b'%', b'=', _) => (PercentEqual, 2),
        (b'+', b'=', _) => (PlusEqual, 2),
        (b'-', b'=', _) => (MinusEqual, 2),
        (b'&', b'=', _) => (AmpersandEqual, 2),
        (b'^', b'=', _) => (CaretEqual, 2),
        (b'|', b'=', _) => (BarEqual, 2),
        (b'<', b':', _) => (LeftBracket, 2),
        (b':', b'>', _) => (RightBracket, 2),
        (b'<', b'%', _) => (LeftBrace, 2),
        (b'%', b'>', _) => (RightBrace, 2),
        (b'[', ..) => (LeftBracket, 1),
        (b']', ..) => (RightBracket, 1),
        (b'(', ..) => (LeftParenthesis, 1),
        (b')', ..) => (RightParenthesis, 1),
        (b'{', ..) => (LeftBrace, 1),
        (b'}', ..) => (RightBrace, 1),
        (b'.', ..) => (Dot, 1),
        (b'&', ..) => (Ampersand, 1),
        (b'*', ..) => (Star, 1),
        (b'+', ..) => (Plus, 1),
        (b'-', ..) => (Minus, 1),
        (b'~', ..) => (Tilde, 1),
        (b'!', ..) => (Exclamation, 1),
        (b'/', ..) => (Slash, 1),
        (b'%', ..) => (Percent, 1),
        (b'<', ..) => (Less, 1),
        (b'>', ..) => (Greater, 1),
        (b'^', ..) => (Caret, 1),
        (b'|', ..) => (Bar, 1),
        (b'?', ..) => (Question, 1),
        (b':', ..) => (Colon, 1),
        (b';', ..) => (Semicolon, 1),
        (b'=', ..) => (Equal, 1),
        (b',', ..) => (Comma, 1),
        _ => return None,
    })
}
