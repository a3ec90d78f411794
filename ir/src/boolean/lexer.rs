//! Words of a Boolean program.

use super::ast::Position;
use super::error::{Error, Errors};
use sapa_limits::Limits;

/// A word with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) kind: TokenKind,
    pub(super) position: Position,
    /// Whether white space or a comment precedes it; tells `b'` from a prefix quote.
    pub(super) spaced: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Number,
    Symbol,
    End,
}

/// A word, for [`Pace::work`](sapa_limits::Pace::work).
const WORK: usize = 16;

/// Longer symbols first.
const SYMBOLS: &[&str] = &[
    ":=", "=>", "->", "==", "!=", "&&", "||", ":", "=", "!", "~", "&", "|", "^", "?", "*", "(",
    ")", "[", "]", ",", ";", "<", ">", "'",
];

/// Splits a text into words; the last is `End`.
pub(super) fn tokenize(text: &str, limits: &Limits) -> Result<Vec<Token>, Errors> {
    let mut tokens = Vec::new();
    let mut pace = limits.pace();
    let mut rest = text;
    let mut position = Position { line: 1, column: 1 };
    let mut spaced = true;
    while let Some(first) = rest.chars().next() {
        pace.work(WORK).map_err(|exceeded| Error::new(position, exceeded.to_string()))?;
        let length = if first.is_whitespace() {
            spaced = true;
            first.len_utf8()
        } else if rest.starts_with("//") {
            spaced = true;
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            spaced = true;
            match comment.find("*/") {
                Some(end) => end + 4,
                None => return Err(Error::new(position, "this comment has no end").into()),
            }
        } else {
            let (kind, length) = word(rest, first)
                .ok_or_else(|| Error::new(position, format!("unexpected character {first:?}")))?;
            let text = rest[..length].to_owned();
            tokens.push(Token { text, kind, position, spaced });
            spaced = false;
            length
        };
        for byte in rest[..length].bytes() {
            if byte == b'\n' {
                position = Position { line: position.line.saturating_add(1), column: 1 };
            } else {
                position.column = position.column.saturating_add(1);
            }
        }
        rest = &rest[length..];
    }
    tokens.push(Token { text: "end of file".into(), kind: TokenKind::End, position, spaced });
    Ok(tokens)
}

fn word(rest: &str, first: char) -> Option<(TokenKind, usize)> {
    if first.is_ascii_alphabetic() || first == '_' || first == '$' {
        let mut length = 0;
        for (at, c) in rest.char_indices() {
            let inside = c.is_ascii_alphanumeric() || "_$#.".contains(c);
            // SLAM allows `-` inside names; `a->b` is an implication.
            let dash = c == '-' && !rest[at..].starts_with("->");
            if !(inside || dash) {
                break;
            }
            length = at + c.len_utf8();
        }
        return Some((TokenKind::Name, length));
    }
    if first.is_ascii_digit() {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        return Some((TokenKind::Number, end));
    }
    SYMBOLS.iter().find(|s| rest.starts_with(**s)).map(|s| (TokenKind::Symbol, s.len()))
}
