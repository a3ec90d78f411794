//! `asm` in its three places: statement, file scope, and the name of a declared entity.

use super::{Keyword, Parse, Parser, Punctuator};
use crate::c::ast::{Asm, AsmOperand, StringLiteral};

impl Parser<'_> {
    /// `asm ("name")` after a declarator.
    pub(super) fn asm_label(&mut self) -> Parse<Option<StringLiteral>> {
        if !self.eat_keyword(Keyword::Asm) {
            return Ok(None);
        }
        self.require(Punctuator::LeftParenthesis, "after 'asm'")?;
        let label = self.expect_string("the assembler name")?;
        self.require(Punctuator::RightParenthesis, "after the assembler name")?;
        Ok(Some(label))
    }

    /// `asm volatile goto ("…" : outputs : inputs : clobbers : labels);`
    pub(super) fn asm_statement(&mut self) -> Parse<Asm> {
        let position = self.bump().position;
        let (mut is_volatile, mut is_goto) = (false, false);
        loop {
            match self.keyword() {
                Some(Keyword::Volatile) => is_volatile = true,
                Some(Keyword::Goto) => is_goto = true,
                Some(Keyword::Inline) => {}
                _ => break,
            }
            self.bump();
        }
        self.require(Punctuator::LeftParenthesis, "after 'asm'")?;
        let template = self.expect_string("the assembler template")?;
        let mut asm = Asm {
            position,
            is_volatile,
            is_goto,
            template,
            is_extended: false,
            outputs: Vec::new(),
            inputs: Vec::new(),
            clobbers: Vec::new(),
            labels: Vec::new(),
        };
        for section in 0..4 {
            if !self.eat(Punctuator::Colon) {
                break;
            }
            asm.is_extended = true;
            while !self.at_punctuator(Punctuator::Colon)
                && !self.at_punctuator(Punctuator::RightParenthesis)
            {
                match section {
                    0 => asm.outputs.push(self.asm_operand()?),
                    1 => asm.inputs.push(self.asm_operand()?),
                    2 => asm.clobbers.push(self.expect_string("a clobbered register")?),
                    _ => asm.labels.push(self.expect_identifier("a label")?),
                }
                if !self.eat(Punctuator::Comma) {
                    break;
                }
            }
        }
        self.require(Punctuator::RightParenthesis, "at the end of 'asm'")?;
        self.require(Punctuator::Semicolon, "after 'asm'")?;
        Ok(asm)
    }

    fn asm_operand(&mut self) -> Parse<AsmOperand> {
        let mut name = None;
        if self.eat(Punctuator::LeftBracket) {
            name = Some(self.expect_identifier("the name of the operand")?);
            self.require(Punctuator::RightBracket, "after the operand's name")?;
        }
        let constraint = self.expect_string("the constraint of an operand")?;
        self.require(Punctuator::LeftParenthesis, "before the operand")?;
        let expression = self.expression()?;
        self.require(Punctuator::RightParenthesis, "after the operand")?;
        Ok(AsmOperand { name, constraint, expression })
    }
}
