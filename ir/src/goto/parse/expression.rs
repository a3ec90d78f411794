//! Predicate expressions.

use super::lexer::Kind;
use super::{Parse, Parser};
use crate::goto::entity::ValueId;
use crate::goto::mnemonic::{BINARY, CAST, COMPARE, UNARY, find};
use crate::goto::predicate::Expression;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parse<Expression> {
        if let Some((bits, value)) = self.constant()? {
            return Ok(Expression::Int { bits, value });
        }
        match *self.kind() {
            Kind::Sigil('$', _) => self.global_reference().map(Expression::Global),
            Kind::Sigil('@', _) => self.qualified(),
            Kind::Word("null") => {
                self.advance();
                Ok(Expression::Null)
            }
            Kind::Word(word) => self.nested(|parser| parser.operation(word)),
            _ => self.expected("an expression"),
        }
    }

    /// `@f`, `@f!variable`, `@f%value` or `@f&slot`.
    fn qualified(&mut self) -> Parse<Expression> {
        let function = self.function_reference()?;
        match *self.kind() {
            Kind::Sigil('!', _) => {
                let variable = self.variable_reference(function)?;
                Ok(Expression::Variable { function, variable })
            }
            Kind::Sigil('&', _) => {
                let slot = self.slot_reference(function)?;
                Ok(Expression::Slot { function, slot })
            }
            Kind::Value(value) => {
                self.advance();
                Ok(Expression::Value { function, value: ValueId(value) })
            }
            _ => Ok(Expression::Function(function)),
        }
    }

    fn operation(&mut self, word: &str) -> Parse<Expression> {
        if *self.kind_after(1) != Kind::Punct('(') {
            return self.expected("an expression");
        }
        if let Some(op) = find(BINARY, word) {
            let (a, b) = self.two()?;
            return Ok(Expression::Binary { op, a, b });
        }
        if let Some(op) = find(COMPARE, word) {
            let (a, b) = self.two()?;
            return Ok(Expression::Compare { op, a, b });
        }
        if let Some(op) = find(UNARY, word) {
            self.open();
            let a = self.boxed()?;
            self.punct(')')?;
            return Ok(Expression::Unary { op, a });
        }
        if let Some(op) = find(CAST, word) {
            self.open();
            let ty = self.ty()?;
            let a = self.last()?;
            return Ok(Expression::Cast { op, ty, a });
        }
        match word {
            "load" => {
                self.open();
                let ty = self.ty()?;
                let address = self.last()?;
                Ok(Expression::Load { ty, address })
            }
            "field" => {
                self.open();
                let (structure, field) = self.field_reference()?;
                let base = self.last()?;
                Ok(Expression::FieldAddress { base, structure, field })
            }
            "index" => {
                self.open();
                let element = self.ty()?;
                self.punct(',')?;
                let base = self.boxed()?;
                let index = self.last()?;
                Ok(Expression::IndexAddress { base, element, index })
            }
            "select" => {
                self.open();
                let condition = self.boxed()?;
                self.punct(',')?;
                let a = self.boxed()?;
                let b = self.last()?;
                Ok(Expression::Select { condition, a, b })
            }
            "other" => {
                self.open();
                let of = self.boxed()?;
                self.punct(')')?;
                Ok(Expression::Other { of })
            }
            _ => self.fail(format!("unknown operation `{word}`")),
        }
    }

    /// Takes the word and the parenthesis that has been seen behind it.
    fn open(&mut self) {
        self.advance();
        self.advance();
    }

    fn boxed(&mut self) -> Parse<Box<Expression>> {
        self.expression().map(Box::new)
    }

    /// `, expression )`.
    fn last(&mut self) -> Parse<Box<Expression>> {
        self.punct(',')?;
        let expression = self.boxed()?;
        self.punct(')')?;
        Ok(expression)
    }

    fn two(&mut self) -> Parse<(Box<Expression>, Box<Expression>)> {
        self.open();
        let a = self.boxed()?;
        Ok((a, self.last()?))
    }
}
