//! Reporting errors, and where to go on after one.

use super::{Diagnostic, Failed, MAX_ERRORS, Parse, Parser, Position, Punctuator, Severity};
use crate::c::token::{Token, TokenKind};

/// The longest piece of a program that a message quotes, in bytes.
const MAX_QUOTED: usize = 40;

impl Parser<'_> {
    /// Reports an error; parsing goes on with what the caller makes of it.
    pub(super) fn error(&mut self, position: Position, message: impl Into<String>) {
        let diagnostic = Diagnostic::error(self.lexer.files(), position, message);
        self.report(diagnostic);
    }

    pub(super) fn warning(&mut self, position: Position, message: impl Into<String>) {
        if !self.is_stopped {
            let diagnostic = Diagnostic::warning(self.lexer.files(), position, message);
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports an error and ends parsing.
    pub(super) fn stop(&mut self, position: Position, message: impl Into<String>) -> Failed {
        self.error(position, message);
        self.is_stopped = true;
        Failed
    }

    /// Reports an error that the surrounding construct cannot survive.
    pub(super) fn fail<T>(&mut self, position: Position, message: impl Into<String>) -> Parse<T> {
        self.error(position, message);
        Err(Failed)
    }

    /// Reports "expected …, found …" at the next token.
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let token = self.peek().clone();
        let found = self.describe(&token);
        self.error(token.position, format!("expected {what}, found {found}"));
        Failed
    }

    pub(super) fn describe(&self, token: &Token) -> String {
        if token.kind == TokenKind::EndOfFile {
            let whole = if self.lexer.is_of_predicate() { "line" } else { "file" };
            return format!("the end of the {whole}");
        }
        let text = self.text(token);
        if text.len() <= MAX_QUOTED {
            return format!("'{}'", String::from_utf8_lossy(text));
        }
        let start = text.get(..MAX_QUOTED).unwrap_or_default();
        format!("'{}…'", String::from_utf8_lossy(start).trim_end_matches('\u{fffd}'))
    }

    /// Takes over what the lexer reported.
    pub(super) fn drain_lexer(&mut self) {
        for diagnostic in self.lexer.take_diagnostics() {
            self.report(diagnostic);
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.is_stopped {
            return;
        }
        let is_error = diagnostic.is_error();
        self.diagnostics.push(diagnostic);
        if is_error {
            self.error_count += 1;
            if self.error_count >= MAX_ERRORS {
                self.is_stopped = true;
                let message = format!("more than {} errors, giving up", MAX_ERRORS - 1);
                if let Some(last) = self.diagnostics.last_mut() {
                    *last = Diagnostic::new(Severity::Error, last.location.clone(), message);
                }
            }
        }
    }

    /// Skips past the next `;`, or past the `}` of a block that starts on the way, or up to the
    /// `}` of the surrounding block.
    pub(super) fn recover(&mut self) {
        let mut depth = 0usize;
        while !self.is_stopped && !self.at_end() {
            match self.punctuator() {
                Some(Punctuator::LeftBrace) => depth += 1,
                Some(Punctuator::RightBrace) if depth == 0 => return,
                Some(Punctuator::RightBrace) => {
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        // `} name;` and `};` belong to what is skipped.
                        if matches!(self.peek().kind, TokenKind::Identifier(_))
                            && self.at_punctuator_ahead(1, Punctuator::Semicolon)
                        {
                            self.bump();
                        }
                        self.eat(Punctuator::Semicolon);
                        return;
                    }
                }
                Some(Punctuator::Semicolon) if depth == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips a block whose `{` comes next.
    pub(super) fn skip_braces(&mut self) {
        let mut depth = 0usize;
        while !self.is_stopped && !self.at_end() {
            match self.bump().kind {
                TokenKind::Punctuator(Punctuator::LeftBrace) => depth += 1,
                TokenKind::Punctuator(Punctuator::RightBrace) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}
