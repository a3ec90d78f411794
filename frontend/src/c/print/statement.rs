//! Statements and blocks.

use super::Printer;
use crate::c::ast::{
    Asm, AsmOperand, Block, BlockItem, ForInitializer, LabelKind, Statement, StatementKind,
};

impl Printer {
    pub(super) fn block(&mut self, block: &Block) {
        self.push("{");
        self.indentation += 1;
        for item in &block.items {
            self.new_line();
            match item {
                BlockItem::Declaration(declaration) => self.declaration(declaration),
                BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
                BlockItem::LocalLabels(labels) => {
                    self.push("__label__ ");
                    self.separated(labels, |printer, label| printer.push(&label.name));
                    self.push(";");
                }
                BlockItem::Statement(statement) => self.statement(statement),
            }
        }
        self.indentation -= 1;
        self.new_line();
        self.push("}");
    }

    /// A statement, where the line has begun; the line is not ended.
    pub(super) fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Empty => self.push(";"),
            StatementKind::Expression(expression) => {
                self.expression(expression);
                self.push(";");
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::Labeled { labels, statement } => {
                for label in labels {
                    match &label.kind {
                        LabelKind::Named(name) => self.push(name),
                        LabelKind::Case(value) => {
                            self.push("case ");
                            self.constant(value);
                        }
                        LabelKind::CaseRange(first, last) => {
                            self.push("case ");
                            self.constant(first);
                            self.push(" ... ");
                            self.constant(last);
                        }
                        LabelKind::Default => self.push("default"),
                    }
                    self.push(":");
                    self.new_line();
                }
                self.statement(statement);
            }
            StatementKind::If { arms, otherwise } => {
                for (index, (condition, body)) in arms.iter().enumerate() {
                    self.push(if index == 0 { "if (" } else { "else if (" });
                    self.expression(condition);
                    self.push(")");
                    let is_last = index + 1 == arms.len() && otherwise.is_none();
                    self.body_before_else(body, is_last);
                    if !is_last {
                        self.new_line();
                    }
                }
                if let Some(otherwise) = otherwise {
                    self.push("else");
                    // `else if` would join the chain.
                    let is_if = matches!(otherwise.kind, StatementKind::If { .. });
                    if is_if { self.braced(otherwise) } else { self.body(otherwise) }
                }
            }
            StatementKind::Switch { condition, body } => {
                self.push("switch (");
                self.expression(condition);
                self.push(")");
                self.body(body);
            }
            StatementKind::While { condition, body } => {
                self.push("while (");
                self.expression(condition);
                self.push(")");
                self.body(body);
            }
            StatementKind::DoWhile { body, condition } => {
                self.push("do");
                self.body(body);
                self.new_line();
                self.push("while (");
                self.expression(condition);
                self.push(");");
            }
            StatementKind::For { initializer, condition, step, body } => {
                self.push("for (");
                match initializer {
                    ForInitializer::None => self.push(";"),
                    ForInitializer::Expression(expression) => {
                        self.expression(expression);
                        self.push(";");
                    }
                    ForInitializer::Declaration(declaration) => self.declaration(declaration),
                }
                if let Some(condition) = condition {
                    self.push(" ");
                    self.expression(condition);
                }
                self.push(";");
                if let Some(step) = step {
                    self.push(" ");
                    self.expression(step);
                }
                self.push(")");
                self.body(body);
            }
            StatementKind::Goto(label) => {
                self.push("goto ");
                self.push(&label.name);
                self.push(";");
            }
            StatementKind::GotoComputed(target) => {
                self.push("goto *");
                self.expression(target);
                self.push(";");
            }
            StatementKind::Continue => self.push("continue;"),
            StatementKind::Break => self.push("break;"),
            StatementKind::Return(value) => {
                self.push("return");
                if let Some(value) = value {
                    self.push(" ");
                    self.expression(value);
                }
                self.push(";");
            }
            StatementKind::Asm(asm) => self.asm(asm),
        }
    }

    /// The body of a loop and so on: a block on the same line, all else on the next.
    fn body(&mut self, statement: &Statement) {
        if let StatementKind::Block(block) = &statement.kind {
            self.push(" ");
            self.block(block);
        } else {
            self.indentation += 1;
            self.new_line();
            self.statement(statement);
            self.indentation -= 1;
        }
    }

    /// A body which a following `else` must not be taken for its own.
    fn body_before_else(&mut self, statement: &Statement, is_last: bool) {
        if !is_last && ends_in_open_if(statement) {
            self.braced(statement);
        } else {
            self.body(statement);
        }
    }

    fn braced(&mut self, statement: &Statement) {
        self.push(" {");
        self.indentation += 1;
        self.new_line();
        self.statement(statement);
        self.indentation -= 1;
        self.new_line();
        self.push("}");
    }

    pub(super) fn asm(&mut self, asm: &Asm) {
        self.push("asm");
        if asm.is_volatile {
            self.push(" volatile");
        }
        if asm.is_goto {
            self.push(" goto");
        }
        self.push("(");
        self.string(&asm.template);
        if asm.is_extended {
            self.push(" : ");
            self.separated(&asm.outputs, Self::asm_operand);
            self.push(" : ");
            self.separated(&asm.inputs, Self::asm_operand);
            self.push(" : ");
            self.separated(&asm.clobbers, Self::string);
            if !asm.labels.is_empty() {
                self.push(" : ");
                self.separated(&asm.labels, |printer, label| printer.push(&label.name));
            }
        }
        self.push(");");
    }

    fn asm_operand(&mut self, operand: &AsmOperand) {
        if let Some(name) = &operand.name {
            self.push("[");
            self.push(&name.name);
            self.push("] ");
        }
        self.string(&operand.constraint);
        self.push(" (");
        self.expression(&operand.expression);
        self.push(")");
    }
}

/// Whether an `else` behind the statement would belong to an `if` within it.
fn ends_in_open_if(mut statement: &Statement) -> bool {
    loop {
        statement = match &statement.kind {
            StatementKind::If { otherwise: None, .. } => return true,
            StatementKind::If { otherwise: Some(body), .. }
            | StatementKind::Labeled { statement: body, .. }
            | StatementKind::Switch { body, .. }
            | StatementKind::While { body, .. }
            | StatementKind::For { body, .. } => body,
            _ => return false,
        };
    }
}
