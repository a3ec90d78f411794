//! `__attribute__`.

use super::{Keyword, Parse, Parser, Punctuator};
use crate::c::ast::{Attribute, AttributeArguments};
use crate::c::token::TokenKind;

/// Attributes whose arguments are expressions that a consumer may have to evaluate.
const WITH_EXPRESSIONS: &[&str] = &[
    "aligned",
    "vector_size",
    "section",
    "alias",
    "cleanup",
    "constructor",
    "destructor",
    "visibility",
    "weakref",
];

impl Parser<'_> {
    /// Appends any number of `__attribute__((…))` and `[[…]]`.
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Parse<()> {
        loop {
            if self.eat_keyword(Keyword::Attribute) {
                self.require(Punctuator::LeftParenthesis, "after '__attribute__'")?;
                self.require(Punctuator::LeftParenthesis, "after '__attribute__('")?;
                self.attribute_list(Punctuator::RightParenthesis, attributes)?;
            } else if self.at_bracketed_attributes(0) {
                self.bump();
                self.bump();
                self.attribute_list(Punctuator::RightBracket, attributes)?;
            } else {
                return Ok(());
            }
        }
    }

    /// Whether `[[` comes, as attributes of C23 begin, which GCC takes in all modes. Nothing else in C
    /// begins so.
    pub(super) fn at_bracketed_attributes(&mut self, ahead: usize) -> bool {
        self.at_punctuator_ahead(ahead, Punctuator::LeftBracket)
            && self.at_punctuator_ahead(ahead + 1, Punctuator::LeftBracket)
    }

    /// Whether attributes come, in either form.
    pub(super) fn at_attributes(&mut self) -> bool {
        self.keyword() == Some(Keyword::Attribute) || self.at_bracketed_attributes(0)
    }

    /// Attributes up to two closing brackets, which are taken too.
    fn attribute_list(&mut self, close: Punctuator, attributes: &mut Vec<Attribute>) -> Parse<()> {
        loop {
            if self.eat(Punctuator::Comma) {
                continue;
            }
            if self.at_punctuator(close) {
                break;
            }
            attributes.push(self.attribute()?);
        }
        self.require(close, "at the end of the attributes")?;
        self.require(close, "at the end of the attributes")?;
        Ok(())
    }

    /// A word of the name of an attribute.
    fn attribute_word(&mut self) -> Parse<String> {
        let spelling = match &self.peek().kind {
            TokenKind::Identifier(name) => name.to_string(),
            TokenKind::Keyword(keyword) => keyword.spelling().to_owned(),
            _ => return Err(self.expected("the name of an attribute")),
        };
        self.bump();
        Ok(spelling)
    }

    fn attribute(&mut self) -> Parse<Attribute> {
        let token = self.peek().clone();
        let mut spelling = self.attribute_word()?;
        // `gnu::packed` is `packed`; those of others keep their prefix.
        if self.at_punctuator(Punctuator::Colon) && self.at_punctuator_ahead(1, Punctuator::Colon) {
            self.bump();
            self.bump();
            let word = self.attribute_word()?;
            spelling = match &*spelling {
                "gnu" | "__gnu__" => word,
                _ => format!("{spelling}::{word}"),
            };
        }
        let name = spelling
            .strip_prefix("__")
            .and_then(|name| name.strip_suffix("__"))
            .filter(|name| !name.is_empty())
            .unwrap_or(&spelling);
        let takes_expressions = WITH_EXPRESSIONS.contains(&name);
        let name = self.lexer.intern(name);
        let arguments = if !self.eat(Punctuator::LeftParenthesis) {
            AttributeArguments::None
        } else if takes_expressions {
            let mut expressions = Vec::new();
            while !self.at_punctuator(Punctuator::RightParenthesis) {
                expressions.push(self.assignment()?);
                if !self.eat(Punctuator::Comma) {
                    break;
                }
            }
            self.require(Punctuator::RightParenthesis, "after the attribute's arguments")?;
            AttributeArguments::Expressions(expressions)
        } else {
            AttributeArguments::Tokens(self.balanced_tokens()?)
        };
        Ok(Attribute { position: token.position, name, arguments })
    }

    /// The tokens up to the parenthesis that closes the one just taken, which is taken too.
    fn balanced_tokens(&mut self) -> Parse<Vec<Box<str>>> {
        let mut tokens = Vec::new();
        let mut depth = 0usize;
        loop {
            match self.punctuator() {
                Some(Punctuator::LeftParenthesis) => depth += 1,
                Some(Punctuator::RightParenthesis) if depth == 0 => {
                    self.bump();
                    return Ok(tokens);
                }
                Some(Punctuator::RightParenthesis) => depth -= 1,
                _ => {}
            }
            if self.at_end() {
                return Err(self.expected("')' after the attribute's arguments"));
            }
            let token = self.bump();
            let text = String::from_utf8_lossy(self.text(&token));
            tokens.push(text.into_owned().into_boxed_str());
        }
    }
}
