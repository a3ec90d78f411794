//! Declarations and function definitions.

use super::declarator::Naming;
use super::scope::Meaning;
use super::specifiers::Place;
use super::{Failed, Keyword, Parse, Parser, Punctuator};
use crate::c::ast::{
    Declaration, Declarator, Derivation, ExternalDeclaration, FunctionDefinition, InitDeclarator,
    Parameters, Specifiers, StaticAssert,
};
use crate::c::token::TokenKind;
use crate::position::Position;

impl Parser<'_> {
    /// Everything up to the end of the text; what is in error is left out.
    pub(super) fn translation_unit(&mut self) -> Vec<ExternalDeclaration> {
        let mut items = Vec::new();
        while !self.is_stopped && !self.at_end() {
            if self.eat(Punctuator::Semicolon) {
                continue;
            }
            match self.external_declaration() {
                Ok(item) => items.push(item),
                Err(Failed) => {
                    self.recover();
                    if self.at_punctuator(Punctuator::RightBrace) {
                        self.bump();
                    }
                    // That of a function definition may still be open.
                    self.scopes.leave_all();
                }
            }
        }
        items
    }

    fn external_declaration(&mut self) -> Parse<ExternalDeclaration> {
        while self.eat_keyword(Keyword::Extension) {}
        match self.keyword() {
            Some(Keyword::StaticAssert) => {
                return Ok(ExternalDeclaration::StaticAssert(self.static_assert()?));
            }
            Some(Keyword::Asm) => return Ok(ExternalDeclaration::Asm(self.asm_statement()?)),
            _ => {}
        }
        if !self.at_declaration() {
            return Err(self.expected("a declaration"));
        }
        let position = self.position();
        let specifiers = self.specifiers(Place::Declaration)?;
        if self.eat(Punctuator::Semicolon) {
            let declarators = Vec::new();
            return Ok(ExternalDeclaration::Declaration(Declaration {
                position,
                specifiers,
                declarators,
            }));
        }
        let declarator = self.declarator(Naming::Required)?;
        if self.at_function_body(&declarator) {
            return self.function_definition(position, specifiers, declarator);
        }
        let declaration = self.rest_of_declaration(position, specifiers, declarator)?;
        Ok(ExternalDeclaration::Declaration(declaration))
    }

    /// Whether a declaration can start here, implicit `int` included.
    fn at_declaration(&mut self) -> bool {
        self.at_type_name(0) || matches!(self.peek().kind, TokenKind::Identifier(_))
    }

    /// Whether the declarator of a function was followed by its body, or by the declarations of
    /// its K&R parameters.
    fn at_function_body(&mut self, declarator: &Declarator) -> bool {
        match declarator.derived.first() {
            Some(Derivation::Function(Parameters::Identifiers(_))) => {
                self.at_punctuator(Punctuator::LeftBrace) || self.at_type_name(0)
            }
            Some(Derivation::Function(_)) => self.at_punctuator(Punctuator::LeftBrace),
            _ => false,
        }
    }

    fn function_definition(
        &mut self,
        position: Position,
        specifiers: Specifiers,
        declarator: Declarator,
    ) -> Parse<ExternalDeclaration> {
        if let Some(name) = &declarator.name {
            self.declare(&specifiers, name);
        }
        self.scopes.enter();
        if let Some(Derivation::Function(parameters)) = declarator.derived.first() {
            self.declare_parameters(parameters);
        }
        let mut old_style = Vec::new();
        while !self.at_punctuator(Punctuator::LeftBrace) {
            if !self.at_type_name(0) {
                return Err(self.expected("'{' or the declaration of a parameter"));
            }
            old_style.push(self.declaration()?);
        }
        let body = self.block_in_scope()?;
        self.scopes.leave();
        Ok(ExternalDeclaration::Function(FunctionDefinition {
            position,
            specifiers,
            declarator,
            old_style,
            body,
        }))
    }

    fn declare_parameters(&mut self, parameters: &Parameters) {
        match parameters {
            Parameters::Unspecified => {}
            Parameters::Identifiers(identifiers) => {
                for identifier in identifiers {
                    self.scopes.declare(&identifier.name, Meaning::Other);
                }
            }
            Parameters::Prototype { parameters, .. } => {
                for name in parameters.iter().filter_map(|one| one.declarator.name.as_ref()) {
                    self.scopes.declare(name, Meaning::Other);
                }
            }
        }
    }

    /// A declaration that is no function definition.
    pub(super) fn declaration(&mut self) -> Parse<Declaration> {
        let position = self.position();
        let specifiers = self.specifiers(Place::Declaration)?;
        if self.eat(Punctuator::Semicolon) {
            return Ok(Declaration { position, specifiers, declarators: Vec::new() });
        }
        let declarator = self.declarator(Naming::Required)?;
        if self.at_punctuator(Punctuator::LeftBrace)
            && matches!(declarator.derived.first(), Some(Derivation::Function(_)))
        {
            self.error(declarator.position, "nested functions are not supported");
            self.skip_braces();
            return Ok(Declaration { position, specifiers, declarators: Vec::new() });
        }
        self.rest_of_declaration(position, specifiers, declarator)
    }

    /// A declaration from the end of its first declarator on.
    fn rest_of_declaration(
        &mut self,
        position: Position,
        specifiers: Specifiers,
        first: Declarator,
    ) -> Parse<Declaration> {
        let mut declarators = Vec::new();
        let mut declarator = first;
        loop {
            let asm_label = self.asm_label()?;
            self.attributes(&mut declarator.attributes)?;
            if let Some(name) = &declarator.name {
                self.declare(&specifiers, name);
            }
            let initializer =
                if self.eat(Punctuator::Equal) { Some(self.initializer()?) } else { None };
            declarators.push(InitDeclarator { declarator, asm_label, initializer });
            if !self.eat(Punctuator::Comma) {
                break;
            }
            declarator = self.declarator(Naming::Required)?;
        }
        self.require(Punctuator::Semicolon, "after the declaration")?;
        Ok(Declaration { position, specifiers, declarators })
    }

    /// `_Static_assert(condition, "message");`
    pub(super) fn static_assert(&mut self) -> Parse<StaticAssert> {
        let position = self.bump().position;
        self.require(Punctuator::LeftParenthesis, "after '_Static_assert'")?;
        let condition = self.constant()?;
        let mut message = None;
        if self.eat(Punctuator::Comma) {
            message = Some(self.expect_string("the message of '_Static_assert'")?);
        }
        self.require(Punctuator::RightParenthesis, "at the end of '_Static_assert'")?;
        self.require(Punctuator::Semicolon, "after '_Static_assert'")?;
        Ok(StaticAssert { position, condition, message })
    }
}
