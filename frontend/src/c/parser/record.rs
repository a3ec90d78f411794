//! Structures, unions and enumerations.

use super::declarator::Naming;
use super::scope::Meaning;
use super::specifiers::Place;
use super::{Keyword, Parse, Parser, Punctuator};
use crate::c::ast::{
    Attribute, AttributeArguments, Declarator, EnumSpecifier, Enumerator, FieldDeclaration,
    FieldDeclarator, Identifier, Member, RecordKind, RecordSpecifier, TypeSpecifier,
};
use crate::c::token::TokenKind;

impl Parser<'_> {
    pub(super) fn record_specifier(&mut self) -> Parse<RecordSpecifier> {
        let kind = match self.keyword() {
            Some(Keyword::Union) => RecordKind::Union,
            _ => RecordKind::Struct,
        };
        let position = self.bump().position;
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag();
        let mut members = None;
        if self.eat(Punctuator::LeftBrace) {
            let (of_fields, end) = self.members()?;
            members = Some(of_fields);
            self.attributes(&mut attributes)?;
            // GCC lays a record out at its end.
            if let Some(limit) = self.lexer.packed_to(end) {
                let name = self.lexer.intern("pack");
                let arguments = AttributeArguments::Tokens(vec![limit.to_string().into()]);
                attributes.push(Attribute { position, name, arguments });
            }
        } else if tag.is_none() {
            return Err(self.expected("a tag or '{'"));
        }
        Ok(RecordSpecifier { position, kind, tag, members, attributes })
    }

    fn tag(&mut self) -> Option<Identifier> {
        let TokenKind::Identifier(name) = &self.peek().kind else { return None };
        let name = name.clone();
        let position = self.bump().position;
        Some(Identifier { name, position })
    }

    /// The members up to and with the closing brace, and where that stands in the text; members in
    /// error are left out.
    fn members(&mut self) -> Parse<(Vec<Member>, usize)> {
        let mut members = Vec::new();
        loop {
            if self.at_punctuator(Punctuator::RightBrace) {
                return Ok((members, self.bump().start));
            }
            if self.eat(Punctuator::Semicolon) {
                continue;
            }
            if self.at_end() {
                return Err(self.expected("'}' at the end of the members"));
            }
            match self.member() {
                Ok(member) => members.push(member),
                Err(failed) => {
                    self.recover();
                    if self.is_stopped {
                        return Err(failed);
                    }
                }
            }
        }
    }

    fn member(&mut self) -> Parse<Member> {
        while self.eat_keyword(Keyword::Extension) {}
        if self.keyword() == Some(Keyword::StaticAssert) {
            return Ok(Member::StaticAssert(self.static_assert()?));
        }
        let position = self.position();
        let specifiers = self.specifiers(Place::Type)?;
        let mut declarators = Vec::new();
        if !self.at_punctuator(Punctuator::Semicolon) {
            loop {
                declarators.push(self.field_declarator()?);
                if !self.eat(Punctuator::Comma) {
                    break;
                }
            }
        }
        let is_last = self.at_punctuator(Punctuator::RightBrace);
        if is_last && !matches!(specifiers.base, TypeSpecifier::Record(_)) {
            // GCC takes a last member without semicolon, too.
            let position = self.position();
            self.warning(position, "no semicolon at the end of the members");
        } else {
            self.require(Punctuator::Semicolon, "after the member")?;
        }
        Ok(Member::Field(FieldDeclaration { position, specifiers, declarators }))
    }

    fn field_declarator(&mut self) -> Parse<FieldDeclarator> {
        let mut declarator = if self.at_punctuator(Punctuator::Colon) {
            Declarator {
                position: self.position(),
                name: None,
                derived: Vec::new(),
                attributes: Vec::new(),
            }
        } else {
            self.declarator(Naming::Required)?
        };
        let width = if self.eat(Punctuator::Colon) { Some(self.constant()?) } else { None };
        self.attributes(&mut declarator.attributes)?;
        Ok(FieldDeclarator { declarator, width })
    }

    pub(super) fn enum_specifier(&mut self) -> Parse<EnumSpecifier> {
        let position = self.bump().position;
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag();
        let mut enumerators = None;
        if self.eat(Punctuator::LeftBrace) {
            enumerators = Some(self.enumerators()?);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.expected("a tag or '{'"));
        }
        Ok(EnumSpecifier { position, tag, enumerators, attributes })
    }

    fn enumerators(&mut self) -> Parse<Vec<Enumerator>> {
        let mut enumerators = Vec::new();
        while !self.at_punctuator(Punctuator::RightBrace) {
            let name = self.expect_identifier("the name of an enumeration constant")?;
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            let value = if self.eat(Punctuator::Equal) { Some(self.constant()?) } else { None };
            self.scopes.declare(&name.name, Meaning::Other);
            enumerators.push(Enumerator { name, value, attributes });
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.require(Punctuator::RightBrace, "at the end of the enumeration")?;
        Ok(enumerators)
    }
}
