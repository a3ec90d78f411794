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
    /// Appends any number of `__attribute__((…))`.
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Parse<()> {
        while self.eat_keyword(Keyword::Attribute) {
            self.require(Punctuator::LeftParenthesis, "after '__attribute__'")?;
            self.require(Punctuator::LeftParenthesis, "after '__attribute__('")?;
            loop {
                if self.eat(Punctuator::Comma) {
                    continue;
                }
                if self.at_punctuator(Punctuator::RightParenthesis) {
                    break;
                }
                attributes.push(self.attribute()?);
            }
            self.require(Punctuator::RightParenthesis, "at the end of the attributes")?;
            self.require(Punctuator::RightParenthesis, "at the end of the attributes")?;
        }
        Ok(())
    }

    fn attribute(&mut self) -> Parse<Attribute> {
        let token = self.peek().clone();
        let spelling = match &token.kind {
            TokenKind::Identifier(name) => name.to_string(),
            TokenKind::Keyword(keyword) => keyword.spelling().to_owned(),
            _ => return Err(self.expected("the name of an attribute")),
        };
        self.bump();
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
