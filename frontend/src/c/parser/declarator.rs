//! Declarators, type names and parameters.

use super::scope::Meaning;
use super::specifiers::Place;
use super::{Keyword, MAX_NESTING, Parse, Parser, Punctuator};
use crate::c::ast::{
    ArrayDerivation, ArraySize, Attribute, Declarator, Derivation, Name, Parameter, Parameters,
    Qualifiers, TypeName,
};
use crate::c::token::TokenKind;
use crate::position::Position;

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// It must.
    Required,
    /// It must not: a type name.
    Forbidden,
    /// It may: a parameter.
    Optional,
}

/// The name inside a declarator, and what is closer to it than the rest.
struct Core {
    position: Position,
    name: Option<Name>,
    derived: Vec<Derivation>,
}

impl Parser<'_> {
    /// `specifiers abstract-declarator`
    pub(super) fn type_name(&mut self) -> Parse<TypeName> {
        self.nested(|parser| {
            let position = parser.position();
            let specifiers = parser.specifiers(Place::Type)?;
            let declarator = parser.declarator(Naming::Forbidden)?;
            Ok(TypeName { position, specifiers, declarator })
        })
    }

    /// A declarator with the attributes after it.
    pub(super) fn declarator(&mut self, naming: Naming) -> Parse<Declarator> {
        let mut attributes = Vec::new();
        let Core { position, name, derived } = self.bare_declarator(naming, &mut attributes)?;
        self.attributes(&mut attributes)?;
        Ok(Declarator { position, name, derived, attributes })
    }

    fn bare_declarator(&mut self, naming: Naming, attributes: &mut Vec<Attribute>) -> Parse<Core> {
        let mut pointers: Vec<Qualifiers> = Vec::new();
        self.attributes(attributes)?;
        while self.eat(Punctuator::Star) {
            let mut qualifiers = self.qualifiers();
            while self.at_attributes() {
                self.attributes(attributes)?;
                qualifiers = qualifiers.union(self.qualifiers());
            }
            pointers.push(qualifiers);
            self.check_length(pointers.len())?;
        }
        let mut core = self.declarator_core(naming, attributes)?;
        if self.at_bracketed_attributes(0) {
            self.attributes(attributes)?;
        }
        self.declarator_suffixes(&mut core.derived)?;
        core.derived.extend(pointers.into_iter().rev().map(Derivation::Pointer));
        self.check_length(core.derived.len())?;
        Ok(core)
    }

    /// Types are as deep as their declarators are long.
    fn check_length(&mut self, length: usize) -> Parse<()> {
        if length > MAX_NESTING as usize {
            let position = self.position();
            let message =
                format!("a declarator has more than {MAX_NESTING} pointers, arrays and functions");
            return Err(self.stop(position, message));
        }
        Ok(())
    }

    /// The name, the inner declarator in parentheses, or nothing.
    fn declarator_core(&mut self, naming: Naming, attributes: &mut Vec<Attribute>) -> Parse<Core> {
        let position = self.position();
        if let TokenKind::Identifier(name) = &self.peek().kind
            && naming != Naming::Forbidden
        {
            let name = Some(name.clone());
            self.bump();
            return Ok(Core { position, name, derived: Vec::new() });
        }
        if self.at_punctuator(Punctuator::LeftParenthesis)
            && (naming == Naming::Required || !self.starts_parameters())
        {
            self.bump();
            let core = self.nested(|parser| {
                let core = parser.bare_declarator(naming, attributes)?;
                parser.attributes(attributes)?;
                Ok(core)
            })?;
            self.require(Punctuator::RightParenthesis, "in the declarator")?;
            return Ok(core);
        }
        if naming == Naming::Required {
            return Err(self.expected("a name or '('"));
        }
        Ok(Core { position, name: None, derived: Vec::new() })
    }

    /// Whether the `(` that comes next opens a parameter list rather than an inner declarator,
    /// where the name is optional (C11 6.7.6.3p11).
    fn starts_parameters(&mut self) -> bool {
        self.at_punctuator_ahead(1, Punctuator::RightParenthesis)
            || self.at_punctuator_ahead(1, Punctuator::Ellipsis)
            || (self.keyword_ahead(1) != Some(Keyword::Attribute) && self.at_type_name(1))
    }

    fn declarator_suffixes(&mut self, derived: &mut Vec<Derivation>) -> Parse<()> {
        loop {
            match self.punctuator() {
                Some(Punctuator::LeftBracket) if !self.at_bracketed_attributes(0) => {
                    let array = self.nested(Self::array_suffix)?;
                    derived.push(Derivation::Array(array));
                }
                Some(Punctuator::LeftParenthesis) => {
                    let parameters = self.nested(Self::parameters)?;
                    derived.push(Derivation::Function(parameters));
                }
                _ => return Ok(()),
            }
            self.check_length(derived.len())?;
        }
    }

    fn array_suffix(&mut self) -> Parse<ArrayDerivation> {
        let position = self.bump().position;
        let mut is_static = self.eat_keyword(Keyword::Static);
        let qualifiers = self.qualifiers();
        is_static |= self.eat_keyword(Keyword::Static);
        let size = if self.at_punctuator(Punctuator::RightBracket) {
            ArraySize::Unspecified
        } else if self.at_punctuator(Punctuator::Star)
            && self.at_punctuator_ahead(1, Punctuator::RightBracket)
        {
            self.bump();
            ArraySize::Star
        } else {
            ArraySize::Expression(Box::new(self.assignment()?))
        };
        self.require(Punctuator::RightBracket, "after the size of the array")?;
        Ok(ArrayDerivation { position, qualifiers, is_static, size })
    }

    fn parameters(&mut self) -> Parse<Parameters> {
        self.bump();
        if self.eat(Punctuator::RightParenthesis) {
            return Ok(Parameters::Unspecified);
        }
        if self.starts_identifier_list() {
            return self.identifier_list();
        }
        self.scopes.enter();
        let parameters = self.prototype();
        self.scopes.leave();
        parameters
    }

    fn starts_identifier_list(&mut self) -> bool {
        let TokenKind::Identifier(name) = &self.peek().kind else { return false };
        let name = name.clone();
        !self.scopes.is_type(&name)
            && (self.at_punctuator_ahead(1, Punctuator::Comma)
                || self.at_punctuator_ahead(1, Punctuator::RightParenthesis))
    }

    fn identifier_list(&mut self) -> Parse<Parameters> {
        let mut identifiers = Vec::new();
        loop {
            identifiers.push(self.expect_identifier("the name of a parameter")?);
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.require(Punctuator::RightParenthesis, "after the parameters")?;
        Ok(Parameters::Identifiers(identifiers))
    }

    fn prototype(&mut self) -> Parse<Parameters> {
        if self.keyword() == Some(Keyword::Void)
            && self.at_punctuator_ahead(1, Punctuator::RightParenthesis)
        {
            self.bump();
            self.bump();
            return Ok(Parameters::Prototype { parameters: Vec::new(), variadic: false });
        }
        let mut parameters = Vec::new();
        let mut variadic = false;
        loop {
            if self.eat(Punctuator::Ellipsis) {
                variadic = true;
                break;
            }
            parameters.push(self.parameter()?);
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.require(Punctuator::RightParenthesis, "after the parameters")?;
        Ok(Parameters::Prototype { parameters, variadic })
    }

    fn parameter(&mut self) -> Parse<Parameter> {
        let position = self.position();
        let specifiers = self.specifiers(Place::Type)?;
        let declarator = self.declarator(Naming::Optional)?;
        if let Some(name) = &declarator.name {
            self.scopes.declare(name, Meaning::Other);
        }
        Ok(Parameter { position, specifiers, declarator })
    }
}
