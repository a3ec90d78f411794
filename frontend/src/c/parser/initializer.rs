//! Initialisers.

use super::{Parse, Parser, Punctuator};
use crate::c::ast::{Designator, DesignatorKind, Initializer, InitializerItem, InitializerKind};
use crate::c::token::TokenKind;

impl Parser<'_> {
    /// An expression or a braced list.
    pub(super) fn initializer(&mut self) -> Parse<Initializer> {
        let position = self.position();
        let kind = if self.at_punctuator(Punctuator::LeftBrace) {
            InitializerKind::List(self.nested(Self::initializer_list)?)
        } else {
            InitializerKind::Expression(Box::new(self.assignment()?))
        };
        Ok(Initializer { position, kind })
    }

    fn initializer_list(&mut self) -> Parse<Vec<InitializerItem>> {
        self.bump();
        let mut items = Vec::new();
        while !self.at_punctuator(Punctuator::RightBrace) {
            let designators = self.designation()?;
            let initializer = self.initializer()?;
            items.push(InitializerItem { designators, initializer });
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.require(Punctuator::RightBrace, "at the end of the initializer")?;
        Ok(items)
    }

    /// `.a[1] =`, or the GNU forms `a:` and `[1]`, or nothing.
    fn designation(&mut self) -> Parse<Vec<Designator>> {
        let position = self.position();
        let mut designators = Vec::new();
        if let TokenKind::Identifier(name) = &self.peek().kind {
            let name = name.clone();
            if self.at_punctuator_ahead(1, Punctuator::Colon) {
                self.bump();
                self.bump();
                designators.push(Designator { position, kind: DesignatorKind::Member(name) });
            }
            return Ok(designators);
        }
        loop {
            let position = self.position();
            let kind = if self.eat(Punctuator::Dot) {
                DesignatorKind::Member(self.expect_identifier("the name of a member")?.name)
            } else if self.eat(Punctuator::LeftBracket) {
                let first = Box::new(self.constant()?);
                let kind = if self.eat(Punctuator::Ellipsis) {
                    DesignatorKind::Range(first, Box::new(self.constant()?))
                } else {
                    DesignatorKind::Index(first)
                };
                self.require(Punctuator::RightBracket, "after the designated index")?;
                kind
            } else {
                break;
            };
            designators.push(Designator { position, kind });
        }
        let is_only_index = matches!(designators.as_slice(), [Designator { kind, .. }]
                if !matches!(kind, DesignatorKind::Member(_)));
        if !designators.is_empty() && !self.eat(Punctuator::Equal) && !is_only_index {
            return Err(self.expected("'=' after the designator"));
        }
        Ok(designators)
    }
}
