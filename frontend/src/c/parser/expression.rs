//! Expressions with operators.

use super::binary::{assignment_operator, binary_operator};
use super::{Keyword, Parse, Parser, Punctuator};
use crate::c::ast::{
    Expression, ExpressionKind, IncrementOperator, Initializer, TypeName, UnaryOperator,
};
use crate::c::token::TokenKind;
use crate::position::Position;

impl Parser<'_> {
    /// An expression, commas included.
    pub(super) fn expression(&mut self) -> Parse<Expression> {
        let first = self.assignment()?;
        if !self.at_punctuator(Punctuator::Comma) {
            return Ok(first);
        }
        let position = first.position;
        let mut expressions = vec![first];
        while self.eat(Punctuator::Comma) {
            expressions.push(self.assignment()?);
        }
        self.node(position, ExpressionKind::Comma(expressions))
    }

    /// An expression between parentheses: the condition of `if` and so on.
    pub(super) fn parenthesized(&mut self, keyword: &str) -> Parse<Expression> {
        self.require(Punctuator::LeftParenthesis, &format!("after '{keyword}'"))?;
        let expression = self.expression()?;
        self.require(Punctuator::RightParenthesis, &format!("after the condition of '{keyword}'"))?;
        Ok(expression)
    }

    /// A constant expression, as the grammar has it; whether it is constant is seen later.
    pub(super) fn constant(&mut self) -> Parse<Expression> {
        self.nested(Self::conditional)
    }

    /// An assignment expression.
    pub(super) fn assignment(&mut self) -> Parse<Expression> {
        self.nested(|parser| {
            let target = parser.conditional()?;
            let Some(operator) = parser.punctuator().and_then(assignment_operator) else {
                return Ok(target);
            };
            parser.bump();
            let value = Box::new(parser.assignment()?);
            let position = target.position;
            let target = Box::new(target);
            parser.node(position, ExpressionKind::Assign { operator, target, value })
        })
    }

    fn conditional(&mut self) -> Parse<Expression> {
        let condition = self.binary(0)?;
        if !self.eat(Punctuator::Question) {
            return Ok(condition);
        }
        let then = if self.at_punctuator(Punctuator::Colon) {
            None
        } else {
            Some(Box::new(self.expression()?))
        };
        self.require(Punctuator::Colon, "in the conditional expression")?;
        let otherwise = Box::new(self.nested(Self::conditional)?);
        let position = condition.position;
        let condition = Box::new(condition);
        self.node(position, ExpressionKind::Conditional { condition, then, otherwise })
    }

    /// Operands and binary operators that bind tighter than `limit`. The recursion is as deep as
    /// there are levels of precedence.
    fn binary(&mut self, limit: u32) -> Parse<Expression> {
        let mut left = self.cast()?;
        while let Some((operator, precedence)) = self.punctuator().and_then(binary_operator) {
            if precedence <= limit {
                break;
            }
            self.bump();
            let right = self.binary(precedence)?;
            let position = left.position;
            let (left_box, right) = (Box::new(left), Box::new(right));
            let kind = ExpressionKind::Binary { operator, left: left_box, right };
            left = self.node(position, kind)?;
        }
        Ok(left)
    }

    /// A cast, a compound literal, or a unary expression.
    fn cast(&mut self) -> Parse<Expression> {
        if !self.at_type_in_parentheses() {
            return self.unary();
        }
        let position = self.position();
        let (type_name, height) = self.measured(Self::type_in_parentheses)?;
        if self.at_punctuator(Punctuator::LeftBrace) {
            let literal = self.compound_literal(position, type_name, height)?;
            return self.postfix(literal);
        }
        let operand = Box::new(self.nested(Self::cast)?);
        let kind = ExpressionKind::Cast { type_name: Box::new(type_name), operand };
        self.node_over(position, kind, height)
    }

    /// Whether `(` and a type come next.
    pub(super) fn at_type_in_parentheses(&mut self) -> bool {
        self.at_punctuator(Punctuator::LeftParenthesis) && self.at_type_name(1)
    }

    pub(super) fn type_in_parentheses(&mut self) -> Parse<TypeName> {
        self.require(Punctuator::LeftParenthesis, "before the type")?;
        let type_name = self.type_name()?;
        self.require(Punctuator::RightParenthesis, "after the type")?;
        Ok(type_name)
    }

    fn compound_literal(
        &mut self,
        position: Position,
        type_name: TypeName,
        type_height: u32,
    ) -> Parse<Expression> {
        let (initializer, height): (Initializer, u32) = self.measured(Self::initializer)?;
        let kind = ExpressionKind::CompoundLiteral {
            id: self.literal_id(),
            type_name: Box::new(type_name),
            initializer: Box::new(initializer),
        };
        self.node_over(position, kind, height.max(type_height))
    }

    fn unary(&mut self) -> Parse<Expression> {
        let position = self.position();
        match self.peek().kind {
            TokenKind::Punctuator(punctuator) => {
                if let Some(operator) = prefix_increment(punctuator) {
                    self.bump();
                    let operand = Box::new(self.nested(Self::cast)?);
                    return self.node(position, ExpressionKind::Increment { operator, operand });
                }
                if let Some(operator) = unary_operator(punctuator) {
                    self.bump();
                    return self.unary_operand(position, operator);
                }
                if punctuator == Punctuator::AmpersandAmpersand {
                    self.bump();
                    let label = self.expect_identifier("a label after '&&'")?;
                    return self.node(position, ExpressionKind::LabelAddress(label));
                }
            }
            TokenKind::Keyword(Keyword::Real) => {
                self.bump();
                return self.unary_operand(position, UnaryOperator::Real);
            }
            TokenKind::Keyword(Keyword::Imaginary) => {
                self.bump();
                return self.unary_operand(position, UnaryOperator::Imaginary);
            }
            TokenKind::Keyword(Keyword::Extension) => {
                self.bump();
                return self.nested(Self::cast);
            }
            TokenKind::Keyword(Keyword::Sizeof) => return self.sizeof(position),
            TokenKind::Keyword(Keyword::Alignof | Keyword::GnuAlignof) => {
                return self.alignof(position);
            }
            _ => {}
        }
        let primary = self.primary()?;
        self.postfix(primary)
    }

    fn unary_operand(&mut self, position: Position, operator: UnaryOperator) -> Parse<Expression> {
        let operand = Box::new(self.nested(Self::cast)?);
        self.node(position, ExpressionKind::Unary { operator, operand })
    }

    fn sizeof(&mut self, position: Position) -> Parse<Expression> {
        self.bump();
        if self.at_type_in_parentheses() {
            let start = self.position();
            let (type_name, height) = self.measured(Self::type_in_parentheses)?;
            if !self.at_punctuator(Punctuator::LeftBrace) {
                let kind = ExpressionKind::SizeofType(Box::new(type_name));
                return self.node_over(position, kind, height);
            }
            // `sizeof (int[]){1, 2}`
            let literal = self.compound_literal(start, type_name, height)?;
            let operand = Box::new(self.postfix(literal)?);
            return self.node(position, ExpressionKind::SizeofExpression(operand));
        }
        let operand = Box::new(self.nested(Self::unary)?);
        self.node(position, ExpressionKind::SizeofExpression(operand))
    }

    fn alignof(&mut self, position: Position) -> Parse<Expression> {
        self.bump();
        if self.at_type_in_parentheses() {
            let (type_name, height) = self.measured(Self::type_in_parentheses)?;
            let kind = ExpressionKind::AlignofType(Box::new(type_name));
            return self.node_over(position, kind, height);
        }
        let operand = Box::new(self.nested(Self::unary)?);
        self.node(position, ExpressionKind::AlignofExpression(operand))
    }

    /// What follows a primary expression: calls, subscripts, members, `++` and `--`.
    fn postfix(&mut self, mut expression: Expression) -> Parse<Expression> {
        loop {
            let position = expression.position;
            let Some(punctuator) = self.punctuator() else { return Ok(expression) };
            let kind = match punctuator {
                Punctuator::LeftParenthesis => {
                    self.bump();
                    let arguments = self.arguments()?;
                    ExpressionKind::Call { function: Box::new(expression), arguments }
                }
                Punctuator::LeftBracket => {
                    self.bump();
                    let index = Box::new(self.expression()?);
                    self.require(Punctuator::RightBracket, "after the subscript")?;
                    ExpressionKind::Index { array: Box::new(expression), index }
                }
                Punctuator::Dot | Punctuator::Arrow => {
                    self.bump();
                    let arrow = punctuator == Punctuator::Arrow;
                    let member = self.expect_identifier("the name of a member")?;
                    ExpressionKind::Member { object: Box::new(expression), member, arrow }
                }
                Punctuator::PlusPlus | Punctuator::MinusMinus => {
                    self.bump();
                    let operator = if punctuator == Punctuator::PlusPlus {
                        IncrementOperator::PostIncrement
                    } else {
                        IncrementOperator::PostDecrement
                    };
                    ExpressionKind::Increment { operator, operand: Box::new(expression) }
                }
                _ => return Ok(expression),
            };
            expression = self.node(position, kind)?;
        }
    }

    /// The arguments of a call, after `(`.
    fn arguments(&mut self) -> Parse<Vec<Expression>> {
        let mut arguments = Vec::new();
        if self.eat(Punctuator::RightParenthesis) {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.assignment()?);
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.require(Punctuator::RightParenthesis, "after the arguments")?;
        Ok(arguments)
    }
}

fn prefix_increment(punctuator: Punctuator) -> Option<IncrementOperator> {
    match punctuator {
        Punctuator::PlusPlus => Some(IncrementOperator::PreIncrement),
        Punctuator::MinusMinus => Some(IncrementOperator::PreDecrement),
        _ => None,
    }
}

fn unary_operator(punctuator: Punctuator) -> Option<UnaryOperator> {
    Some(match punctuator {
        Punctuator::Ampersand => UnaryOperator::AddressOf,
        Punctuator::Star => UnaryOperator::Dereference,
        Punctuator::Plus => UnaryOperator::Plus,
        Punctuator::Minus => UnaryOperator::Minus,
        Punctuator::Tilde => UnaryOperator::BitwiseNot,
        Punctuator::Exclamation => UnaryOperator::LogicalNot,
        _ => return None,
    })
}
