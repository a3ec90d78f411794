//! Predicate expressions as text: `op(operand, …)`.

use std::fmt::Write;

use super::names::Table;
use super::{Printer, emit};
use crate::goto::entity::FunctionId;
use crate::goto::function::Function;
use crate::goto::mnemonic::{BINARY, CAST, COMPARE, UNARY, word};
use crate::goto::predicate::Expression;

impl Printer<'_> {
    pub(super) fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Int { bits, value } => self.int(*bits, *value),
            Expression::Null => self.out.push_str("null"),
            Expression::Variable { function, variable } => {
                self.local(*function, '!', variable.index(), |f| {
                    Table::new(f.variables.iter().map(|v| v.name.as_str()))
                });
            }
            Expression::Value { function, value } => {
                self.function_name(*function);
                emit!(self, "%{}", value.0);
            }
            Expression::Slot { function, slot } => {
                self.local(*function, '&', slot.index(), |f| {
                    Table::new(f.slots.iter().map(|s| s.name.as_str()))
                });
            }
            Expression::Global(global) => self.global_name(*global),
            Expression::Function(function) => self.function_name(*function),
            Expression::Load { ty, address } => {
                self.out.push_str("load(");
                self.ty(ty);
                self.rest(&[address]);
            }
            Expression::FieldAddress { base, structure, field } => {
                self.out.push_str("field(");
                self.field_name(*structure, *field);
                self.rest(&[base]);
            }
            Expression::IndexAddress { base, element, index } => {
                self.out.push_str("index(");
                self.ty(element);
                self.rest(&[base, index]);
            }
            Expression::Cast { op, ty, a } => {
                emit!(self, "{}(", word(CAST, op));
                self.ty(ty);
                self.rest(&[a]);
            }
            Expression::Unary { op, a } => self.operation(word(UNARY, op), &[a]),
            Expression::Binary { op, a, b } => self.operation(word(BINARY, op), &[a, b]),
            Expression::Compare { op, a, b } => self.operation(word(COMPARE, op), &[a, b]),
            Expression::Select { condition, a, b } => {
                self.operation("select", &[condition, a, b]);
            }
            Expression::Other { of } => self.operation("other", &[of]),
        }
    }

    fn operation(&mut self, word: &str, operands: &[&Expression]) {
        emit!(self, "{word}(");
        for (index, operand) in operands.iter().enumerate() {
            self.comma(index);
            self.expression(operand);
        }
        self.out.push(')');
    }

    /// The operands after a type, and the closing parenthesis.
    fn rest(&mut self, operands: &[&Expression]) {
        for operand in operands {
            self.out.push_str(", ");
            self.expression(operand);
        }
        self.out.push(')');
    }

    fn local(
        &mut self,
        function: FunctionId,
        sigil: char,
        index: usize,
        table: impl Fn(&Function) -> Table<'_>,
    ) {
        self.function_name(function);
        self.out.push(sigil);
        match self.module.functions.get(function.index()) {
            Some(data) => table(data).write(&mut self.out, index, true),
            None => emit!(self, "#{index}"),
        }
    }
}
