//! Moving over the tokens, and reporting what was expected.

use super::lexer::{Kind, Name, Token};
use super::{Failed, MAX_ERRORS, Parse, Parser};
use crate::goto::entity::Entity;

impl<'t> Parser<'t> {
    pub(super) fn token(&self) -> &Token<'t> {
        // The last token is `End`, and `advance` stops there.
        &self.tokens[self.position]
    }

    pub(super) fn kind(&self) -> &Kind<'t> {
        &self.token().kind
    }

    pub(super) fn kind_after(&self, distance: usize) -> &Kind<'t> {
        self.tokens.get(self.position + distance).map_or(&Kind::End, |token| &token.kind)
    }

    pub(super) fn advance(&mut self) {
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
    }

    pub(super) fn at_end(&self) -> bool {
        *self.kind() == Kind::End
    }

    /// Notes that an entity is at the current token.
    pub(super) fn mark(&mut self, entity: Entity) {
        self.mark_at(self.token().start, entity);
    }

    pub(super) fn mark_at(&mut self, start: usize, entity: Entity) {
        if let Some(places) = &mut self.places {
            places.push((entity, start));
        }
    }

    /// Reports an error at a place in the text.
    pub(super) fn error_at(&mut self, offset: usize, message: String) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push((offset, message));
        }
    }

    /// Reports an error at the current token.
    pub(super) fn fail<T>(&mut self, message: impl Into<String>) -> Parse<T> {
        self.error_at(self.token().start, message.into());
        Err(Failed)
    }

    /// Reports what was expected instead of the current token.
    pub(super) fn expected<T>(&mut self, what: &str) -> Parse<T> {
        let found = self.describe();
        self.fail(format!("expected {what}, found {found}"))
    }

    fn describe(&self) -> String {
        let token = self.token();
        let text = self.text.get(token.start..token.end).unwrap_or("");
        match text {
            "" => "the end of the text".to_owned(),
            text if text.chars().count() > 40 => {
                format!("`{}…`", text.chars().take(40).collect::<String>())
            }
            text => format!("`{text}`"),
        }
    }

    pub(super) fn is_punct(&self, c: char) -> bool {
        *self.kind() == Kind::Punct(c)
    }

    pub(super) fn take_punct(&mut self, c: char) -> bool {
        let found = self.is_punct(c);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn punct(&mut self, c: char) -> Parse<()> {
        if self.take_punct(c) { Ok(()) } else { self.expected(&format!("`{c}`")) }
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Word(found) if *found == word)
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn keyword(&mut self, word: &str) -> Parse<()> {
        if self.take_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    pub(super) fn word(&mut self, what: &str) -> Parse<&'t str> {
        match *self.kind() {
            Kind::Word(word) => {
                self.advance();
                Ok(word)
            }
            _ => self.expected(what),
        }
    }

    /// The word that is one of a table's.
    pub(super) fn one_of<T: Copy>(&mut self, table: &[(&str, T)]) -> Parse<T> {
        let found = match self.kind() {
            Kind::Word(word) => table.iter().find(|(entry, _)| entry == word).map(|(_, t)| *t),
            _ => None,
        };
        match found {
            Some(found) => {
                self.advance();
                Ok(found)
            }
            None => {
                let words: Vec<String> = table.iter().map(|(w, _)| format!("`{w}`")).collect();
                self.expected(&words.join(" or "))
            }
        }
    }

    /// A bare or quoted name.
    pub(super) fn name(&mut self, what: &str) -> Parse<String> {
        let name = match self.kind() {
            Kind::Word(word) => (*word).to_owned(),
            Kind::Text(text) => text.clone(),
            _ => return self.expected(what),
        };
        self.advance();
        Ok(name)
    }

    pub(super) fn string(&mut self, what: &str) -> Parse<String> {
        match self.kind() {
            Kind::Text(_) => self.name(what),
            _ => self.expected(what),
        }
    }

    /// A name after a sigil.
    pub(super) fn sigil(&mut self, sigil: char, what: &str) -> Parse<Name<'t>> {
        match self.kind() {
            Kind::Sigil(found, name) if *found == sigil => {
                let name = name.clone();
                self.advance();
                Ok(name)
            }
            _ => self.expected(what),
        }
    }

    /// The name that is declared after a sigil.
    pub(super) fn declared(&mut self, sigil: char, what: &str) -> Parse<String> {
        match self.kind() {
            Kind::Sigil(found, Name::Text(_)) if *found == sigil => {
                match self.sigil(sigil, what)? {
                    Name::Text(text) => Ok(text.into_owned()),
                    Name::Index(_) => self.expected(what),
                }
            }
            _ => self.expected(what),
        }
    }

    /// A number without sign and width that fits its type.
    pub(super) fn number<T: TryFrom<u128>>(&mut self, what: &str) -> Parse<T> {
        match *self.kind() {
            Kind::Int { negative: false, magnitude, bits: None } => match T::try_from(magnitude) {
                Ok(number) => {
                    self.advance();
                    Ok(number)
                }
                Err(_) => self.fail(format!("{magnitude} is too large for {what}")),
            },
            _ => self.expected(what),
        }
    }

    /// `open x, y close`; the opening one is already taken.
    pub(super) fn list<T>(
        &mut self,
        close: char,
        mut element: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        let mut elements = Vec::new();
        if self.take_punct(close) {
            return Ok(elements);
        }
        loop {
            elements.push(element(self)?);
            if self.take_punct(close) {
                return Ok(elements);
            }
            if !self.take_punct(',') {
                return self.expected(&format!("`,` or `{close}`"));
            }
        }
    }

    /// Runs `inner` one level deeper; an error beyond the limit.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= crate::goto::nesting::MAX_NESTING {
            return self.fail(format!(
                "nested more than {} levels deep",
                crate::goto::nesting::MAX_NESTING
            ));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Goes on at the next token that is the first of its line and where `stops` holds.
    pub(super) fn skip_to_line(&mut self, stops: impl Fn(&Self) -> bool) {
        while !(self.at_end() || self.token().starts_line && stops(self)) {
            self.advance();
        }
    }
}
