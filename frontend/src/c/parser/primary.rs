//! Primary expressions: names, constants, parentheses, and the builtins with their own grammar.

use super::{Keyword, Parse, Parser, Punctuator};
use crate::c::ast::{Designator, DesignatorKind, Expression, ExpressionKind};
use crate::c::lexer::{DecodedNumber, decode_character, decode_number};
use crate::c::token::TokenKind;
use crate::position::Position;

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Parse<Expression> {
        let position = self.position();
        let is_of_predicate = self.lexer.is_of_predicate();
        match &self.peek().kind {
            TokenKind::Identifier(name) => {
                let name = name.clone();
                if self.scopes.is_type(&name) {
                    return Err(self.expected("an expression"));
                }
                self.bump();
                self.node(position, ExpressionKind::Identifier(name))
            }
            TokenKind::Number => {
                let token = self.bump();
                let text = String::from_utf8_lossy(self.text(&token));
                match decode_number(&text) {
                    Ok(DecodedNumber::Integer(constant))
                        if constant.value > u128::from(u64::MAX)
                            && !self.lexer.is_of_predicate() =>
                    {
                        let message = format!("integer constant '{text}' needs more than 64 bits");
                        self.fail(position, message)
                    }
                    Ok(DecodedNumber::Integer(constant)) => {
                        self.node(position, ExpressionKind::Integer(constant))
                    }
                    Ok(DecodedNumber::Float(constant)) => {
                        self.node(position, ExpressionKind::Float(constant))
                    }
                    Err(message) => self.fail(position, message),
                }
            }
            TokenKind::Character(encoding) => {
                let encoding = *encoding;
                let token = self.bump();
                match decode_character(self.text(&token), encoding) {
                    Ok(constant) => self.node(position, ExpressionKind::Character(constant)),
                    Err(message) => self.fail(position, message),
                }
            }
            TokenKind::String(_) => {
                let literal = self.expect_string("a string literal")?;
                self.node(position, ExpressionKind::String(literal))
            }
            TokenKind::Punctuator(Punctuator::LeftParenthesis) => self.in_parentheses(position),
            TokenKind::Punctuator(Punctuator::LeftBracket) if is_of_predicate => {
                self.bump();
                let inner = self.expression()?;
                self.require(Punctuator::RightBracket, "after what another thread has")?;
                self.node(position, ExpressionKind::Other(Box::new(inner)))
            }
            TokenKind::Keyword(Keyword::Generic) => self.generic(position),
            TokenKind::Keyword(Keyword::Offsetof) => self.offsetof(position),
            TokenKind::Keyword(Keyword::TypesCompatible) => self.types_compatible(position),
            TokenKind::Keyword(Keyword::ChooseExpression) => self.choose_expression(position),
            TokenKind::Keyword(Keyword::VaArg) => self.va_arg(position),
            _ => Err(self.expected("an expression")),
        }
    }

    /// `(e)` or `({ … })`.
    fn in_parentheses(&mut self, position: Position) -> Parse<Expression> {
        self.bump();
        let expression = if self.at_punctuator(Punctuator::LeftBrace) {
            let (block, height) = self.measured(|parser| parser.nested(Self::block))?;
            self.node_over(position, ExpressionKind::StatementExpression(Box::new(block)), height)?
        } else {
            self.expression()?
        };
        self.require(Punctuator::RightParenthesis, "after the expression")?;
        Ok(expression)
    }

    fn generic(&mut self, position: Position) -> Parse<Expression> {
        self.bump();
        self.require(Punctuator::LeftParenthesis, "after '_Generic'")?;
        let controlling = Box::new(self.assignment()?);
        self.require(Punctuator::Comma, "after the controlling expression of '_Generic'")?;
        let mut associations = Vec::new();
        let mut hidden = 0;
        loop {
            let type_name = if self.eat_keyword(Keyword::Default) {
                None
            } else {
                let (type_name, height) = self.measured(Self::type_name)?;
                hidden = hidden.max(height);
                Some(type_name)
            };
            self.require(Punctuator::Colon, "after the type in '_Generic'")?;
            associations.push((type_name, self.assignment()?));
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.require(Punctuator::RightParenthesis, "at the end of '_Generic'")?;
        self.node_over(position, ExpressionKind::Generic { controlling, associations }, hidden)
    }

    fn offsetof(&mut self, position: Position) -> Parse<Expression> {
        self.bump();
        let ((type_name, designators), height) = self.measured(|parser| {
            parser.require(Punctuator::LeftParenthesis, "after '__builtin_offsetof'")?;
            let type_name = Box::new(parser.type_name()?);
            parser.require(Punctuator::Comma, "after the type of '__builtin_offsetof'")?;
            let designators = parser.member_path()?;
            parser.require(Punctuator::RightParenthesis, "at the end of '__builtin_offsetof'")?;
            Ok((type_name, designators))
        })?;
        self.node_over(position, ExpressionKind::Offsetof { type_name, designators }, height)
    }

    /// `m.n[3]`
    fn member_path(&mut self) -> Parse<Vec<Designator>> {
        let first = self.expect_identifier("the name of a member")?;
        let mut path =
            vec![Designator { position: first.position, kind: DesignatorKind::Member(first.name) }];
        loop {
            let position = self.position();
            let kind = if self.eat(Punctuator::Dot) {
                DesignatorKind::Member(self.expect_identifier("the name of a member")?.name)
            } else if self.eat(Punctuator::LeftBracket) {
                let index = Box::new(self.expression()?);
                self.require(Punctuator::RightBracket, "after the subscript")?;
                DesignatorKind::Index(index)
            } else {
                return Ok(path);
            };
            path.push(Designator { position, kind });
        }
    }

    fn types_compatible(&mut self, position: Position) -> Parse<Expression> {
        self.bump();
        let (kind, height) = self.measured(|parser| {
            parser.require(Punctuator::LeftParenthesis, "after '__builtin_types_compatible_p'")?;
            let first = Box::new(parser.type_name()?);
            parser.require(Punctuator::Comma, "between the types")?;
            let second = Box::new(parser.type_name()?);
            parser.require(Punctuator::RightParenthesis, "after the types")?;
            Ok(ExpressionKind::TypesCompatible(first, second))
        })?;
        self.node_over(position, kind, height)
    }

    fn choose_expression(&mut self, position: Position) -> Parse<Expression> {
        self.bump();
        self.require(Punctuator::LeftParenthesis, "after '__builtin_choose_expr'")?;
        let condition = Box::new(self.assignment()?);
        self.require(Punctuator::Comma, "after the condition of '__builtin_choose_expr'")?;
        let then = Box::new(self.assignment()?);
        self.require(Punctuator::Comma, "between the choices of '__builtin_choose_expr'")?;
        let otherwise = Box::new(self.assignment()?);
        self.require(Punctuator::RightParenthesis, "at the end of '__builtin_choose_expr'")?;
        self.node(position, ExpressionKind::ChooseExpression { condition, then, otherwise })
    }

    fn va_arg(&mut self, position: Position) -> Parse<Expression> {
        self.bump();
        self.require(Punctuator::LeftParenthesis, "after '__builtin_va_arg'")?;
        let list = Box::new(self.assignment()?);
        self.require(Punctuator::Comma, "after the list of '__builtin_va_arg'")?;
        let (type_name, height) = self.measured(Self::type_name)?;
        self.require(Punctuator::RightParenthesis, "at the end of '__builtin_va_arg'")?;
        let type_name = Box::new(type_name);
        self.node_over(position, ExpressionKind::VaArg { list, type_name }, height)
    }
}
