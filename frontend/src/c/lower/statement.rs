//! Statements.

use sapa_ir::goto::{BlockId, CompareOp, Op, Operand, Target, TerminatorKind};

use super::constant::wrap;
use crate::c::ast::{
    Block, BlockItem, Expression, ExpressionKind, ForInitializer, Label, LabelKind, Name,
    Statement, StatementKind,
};
use crate::lower::body::{Body, Cases, Value};
use crate::lower::program::{Lowered, Scope};
use crate::lower::types::Kind;
use crate::position::Position;

impl Body<'_, '_> {
    pub fn block(&mut self, block: &Block) -> Lowered<()> {
        self.unit.scopes.push(Scope::default());
        let cleanups = self.cleanups.len();
        let mut result = Ok(());
        for item in &block.items {
            // One error does not hide those of later statements.
            if self.block_item(item).is_err() {
                result = Err(crate::lower::program::Reported);
                self.statement_open = false;
            }
        }
        if self.has_cleanups(cleanups) {
            self.at(block.end);
        }
        result = result.and(self.end_cleanups(cleanups, block.end));
        self.unit.scopes.pop();
        result
    }

    pub fn block_item(&mut self, item: &BlockItem) -> Lowered<()> {
        self.unit.keep_limits()?;
        match item {
            BlockItem::Statement(statement) => self.statement(statement),
            BlockItem::Declaration(declaration) => self.local_declaration(declaration),
            BlockItem::StaticAssert(check) => self.unit.static_assert(check),
            BlockItem::LocalLabels(labels) => {
                for label in labels {
                    self.local_label(&label.name);
                }
                Ok(())
            }
        }
    }

    /// Evaluates a full expression: one step where statements are atomic.
    fn full(&mut self, expression: &Expression) -> Lowered<()> {
        self.at(expression.position);
        self.open_statement();
        let done = self.discard(expression);
        self.close_statement();
        done
    }

    fn condition(&mut self, expression: &Expression) -> Lowered<Operand> {
        self.at(expression.position);
        self.open_statement();
        let value = self.value(expression)?;
        let truth = self.truth(value, expression.position)?;
        self.close_statement();
        Ok(truth)
    }

    pub fn statement(&mut self, statement: &Statement) -> Lowered<()> {
        self.at(statement.position);
        match &statement.kind {
            StatementKind::Empty => Ok(()),
            StatementKind::Expression(expression) => self.full(expression),
            StatementKind::Block(block) => self.block(block),
            StatementKind::Labeled { labels, statement } => self.labeled(labels, statement),
            StatementKind::If { arms, otherwise } => self.if_chain(arms, otherwise.as_deref()),
            StatementKind::Switch { condition, body } => self.switch(condition, body),
            StatementKind::While { condition, body } => {
                let (head, inside, after) = (self.new_block(), self.new_block(), self.new_block());
                self.jump(head);
                self.switch_to(head);
                let truth = self.condition(condition)?;
                self.branch(truth, inside, after);
                self.switch_to(inside);
                self.looped(body, head, after)?;
                self.jump(head);
                self.switch_to(after);
                Ok(())
            }
            StatementKind::DoWhile { body, condition } => {
                let (head, test, after) = (self.new_block(), self.new_block(), self.new_block());
                self.jump(head);
                self.switch_to(head);
                self.looped(body, test, after)?;
                self.jump(test);
                self.switch_to(test);
                let truth = self.condition(condition)?;
                self.branch(truth, head, after);
                self.switch_to(after);
                Ok(())
            }
            StatementKind::For { initializer, condition, step, body } => {
                self.unit.scopes.push(Scope::default());
                let cleanups = self.cleanups.len();
                let result = self.for_loop(initializer, condition.as_ref(), step.as_ref(), body);
                let cleaned = self.end_cleanups(cleanups, statement.position);
                self.unit.scopes.pop();
                result.and(cleaned)
            }
            StatementKind::Goto(label) => {
                self.without_cleanups("a jump", statement.position)?;
                self.mark_jump(statement.position);
                let name = self.label_name(&label.name);
                let block = self.label(&name);
                self.wanted.push((name, label.position));
                // It may stand in a statement expression.
                self.close_statement();
                self.jump(block);
                Ok(())
            }
            StatementKind::Continue => {
                self.leave(self.continues.last().copied(), statement.position)
            }
            StatementKind::Break => self.leave(self.breaks.last().copied(), statement.position),
            StatementKind::Return(value) => self.returns(value.as_ref(), statement.position),
            StatementKind::Asm(asm) => self.assembly(asm),
            StatementKind::GotoComputed(_) => {
                self.error(statement.position, "computed goto is not supported")
            }
        }
    }

    /// A statement that is a part of a selection or of a loop, and a block of its own (C11 6.8.4p3, 6.8.5p5).
    fn substatement(&mut self, statement: &Statement) -> Lowered<()> {
        self.unit.scopes.push(Scope::default());
        let cleanups = self.cleanups.len();
        let result = self.statement(statement);
        let ended = self.end_cleanups(cleanups, statement.position);
        self.unit.scopes.pop();
        result.and(ended)
    }

    fn leave(&mut self, exit: Option<(BlockId, usize)>, position: Position) -> Lowered<()> {
        match exit {
            Some((exit, cleanups)) => {
                // It may stand in a statement expression.
                self.close_statement();
                self.call_cleanups(cleanups, position)?;
                self.jump(exit);
                Ok(())
            }
            None => self.error(position, "'break' or 'continue' outside a loop"),
        }
    }

    fn looped(&mut self, body: &Statement, next: BlockId, after: BlockId) -> Lowered<()> {
        self.continues.push((next, self.cleanups.len()));
        self.breaks.push((after, self.cleanups.len()));
        let result = self.substatement(body);
        self.continues.pop();
        self.breaks.pop();
        result
    }

    fn for_loop(
        &mut self,
        initializer: &ForInitializer,
        condition: Option<&Expression>,
        step: Option<&Expression>,
        body: &Statement,
    ) -> Lowered<()> {
        match initializer {
            ForInitializer::None => {}
            ForInitializer::Expression(expression) => {
                self.full(expression)?;
            }
            ForInitializer::Declaration(declaration) => self.local_declaration(declaration)?,
        }
        let (head, inside, next, after) =
            (self.new_block(), self.new_block(), self.new_block(), self.new_block());
        self.jump(head);
        self.switch_to(head);
        match condition {
            Some(condition) => {
                let truth = self.condition(condition)?;
                self.branch(truth, inside, after);
            }
            None => self.jump(inside),
        }
        self.switch_to(inside);
        self.looped(body, next, after)?;
        self.jump(next);
        self.switch_to(next);
        if let Some(step) = step {
            self.full(step)?;
        }
        self.jump(head);
        self.switch_to(after);
        Ok(())
    }

    fn if_chain(
        &mut self,
        arms: &[(Expression, Statement)],
        otherwise: Option<&Statement>,
    ) -> Lowered<()> {
        let after = self.new_block();
        let mut bodies: Vec<&Statement> = arms.iter().map(|(_, body)| body).collect();
        bodies.extend(otherwise);
        for (index, body) in bodies.iter().enumerate() {
            let mut next = None;
            if let Some((condition, _)) = arms.get(index) {
                let truth = self.condition(condition)?;
                let (then, other) = (self.new_block(), self.new_block());
                self.branch(truth, then, other);
                self.switch_to(then);
                next = Some(other);
            }
            self.substatement(body)?;
            self.jump(after);
            if let Some(next) = next {
                self.switch_to(next);
            }
        }
        if otherwise.is_none() {
            self.jump(after);
        }
        self.switch_to(after);
        Ok(())
    }

    fn switch(&mut self, condition: &Expression, body: &Statement) -> Lowered<()> {
        self.open_statement();
        let value = self.value(condition)?;
        let (value, ty) = self.scalar(value, condition.position)?;
        if !ty.is_integer() {
            return self.error(condition.position, "a switch needs an integer");
        }
        let promoted = self.unit.integers().promote(&ty);
        let converted = self.convert(Value::Scalar(value, ty), &promoted, condition.position)?;
        let (value, _) = self.scalar(converted, condition.position)?;
        self.close_statement();
        let dispatch = self.block.take();
        let dispatch_location = self.location;
        let after = self.new_block();
        self.switches.push(Cases::default());
        self.breaks.push((after, self.cleanups.len()));
        let result = self.substatement(body);
        self.breaks.pop();
        let cases = self.switches.pop().unwrap_or_default();
        self.jump(after);
        result?;

        self.block = dispatch;
        self.location = dispatch_location;
        let bits = self.bits(&promoted);
        let default = cases.default.unwrap_or(after);
        let mut seen: Vec<(u128, Target)> = Vec::new();
        for &(low, high, block) in &cases.ranges {
            let (low, high) = (wrap(low, &promoted), wrap(high, &promoted));
            if high == low {
                let Operand::Int { value, .. } = Operand::int(bits, low as u128) else { continue };
                if seen.iter().any(|(other, _)| *other == value) {
                    return self.error(body.position, format!("the case {low} occurs twice"));
                }
                seen.push((value, Target::new(block)));
                continue;
            }
            let next = self.new_block();
            let op = if promoted.is_signed() { CompareOp::SignedLe } else { CompareOp::UnsignedLe };
            let above = self.compare(op, Operand::int(bits, low as u128), value);
            let below = self.compare(op, value, Operand::int(bits, high as u128));
            let inside = self.binary(sapa_ir::goto::BinaryOp::And, above, below, false);
            self.branch(inside, block, next);
            self.switch_to(next);
        }
        self.terminate(TerminatorKind::Switch {
            value,
            cases: seen,
            default: Target::new(default),
        });
        self.switch_to(after);
        Ok(())
    }

    /// Declares a label that only the innermost block sees (GNU `__label__`).
    fn local_label(&mut self, name: &Name) {
        self.local_labels += 1;
        let unique = format!("{name}#{}", self.local_labels).into();
        if let Some(scope) = self.unit.scopes.last_mut() {
            scope.labels.insert(name.clone(), unique);
        }
    }

    /// The name in the function of the label that a name means here.
    fn label_name(&self, name: &Name) -> Name {
        let local = self.unit.scopes.iter().rev().find_map(|scope| scope.labels.get(name));
        local.unwrap_or(name).clone()
    }

    fn labeled(&mut self, labels: &[Label], statement: &Statement) -> Lowered<()> {
        match self.place_labels(labels, statement)? {
            true => self.statement(statement),
            false => Ok(()),
        }
    }

    /// Places the labels of a statement; whether the statement itself is still to be lowered.
    pub fn place_labels(&mut self, labels: &[Label], statement: &Statement) -> Lowered<bool> {
        for label in labels {
            let since = self.breaks.last().map_or(0, |(_, cleanups)| *cleanups);
            if !matches!(label.kind, LabelKind::Named(_)) && self.has_cleanups(since) {
                self.without_cleanups("a case", label.position)?;
            }
            let block = match &label.kind {
                LabelKind::Named(name) if name.starts_with("__CPROVER_ASYNC_") => {
                    return self.spawn_statement(statement).map(|()| false);
                }
                LabelKind::Named(name) => {
                    self.without_cleanups("a label", label.position)?;
                    let name = &self.label_name(name);
                    if !self.placed.insert(name.clone()) {
                        return self
                            .error(label.position, format!("the label '{name}' occurs twice"));
                    }
                    self.label(name)
                }
                LabelKind::Case(value) => self.case(value, value, label.position)?,
                LabelKind::CaseRange(low, high) => self.case(low, high, label.position)?,
                LabelKind::Default => {
                    let block = self.new_block();
                    match self.switches.last_mut() {
                        Some(cases) if cases.default.is_none() => cases.default = Some(block),
                        Some(_) => {
                            return self.error(label.position, "this switch has a default already");
                        }
                        None => return self.error(label.position, "'default' outside a switch"),
                    }
                    block
                }
            };
            self.jump(block);
            self.switch_to(block);
        }
        Ok(true)
    }

    fn case(
        &mut self,
        low: &Expression,
        high: &Expression,
        position: Position,
    ) -> Lowered<BlockId> {
        let (Some((low, _)), Some((high, _))) = (self.unit.constant(low), self.unit.constant(high))
        else {
            return self.error(position, "the value of a case must be a constant");
        };
        let block = self.new_block();
        match self.switches.last_mut() {
            Some(cases) => cases.ranges.push((low, high, block)),
            None => return self.error(position, "'case' outside a switch"),
        }
        Ok(block)
    }

    /// The block of a label.
    fn label(&mut self, name: &Name) -> BlockId {
        if let Some(block) = self.labels.get(name) {
            return *block;
        }
        let block = self.new_block();
        self.labels.insert(name.clone(), block);
        block
    }

    /// `__CPROVER_ASYNC_n: f(…);`, also where `f` is a pointer to a function.
    fn spawn_statement(&mut self, statement: &Statement) -> Lowered<()> {
        let refused = "a thread can be started here by a call of a function of the program only, \
                       which returns no structure";
        let StatementKind::Expression(Expression {
            kind: ExpressionKind::Call { function, arguments },
            position,
            ..
        }) = &statement.kind
        else {
            return self.error(statement.position, refused);
        };
        let position = *position;
        self.open_statement();
        let start = self.moment();
        let (function, ty) = match self.called_by_name(function) {
            Some(name) => match self.unit.defined_type(name) {
                Some(ty) => (Operand::Function(self.unit.function(name, &ty, position)), ty),
                None => return self.error(statement.position, refused),
            },
            None => self.called(function, position)?,
        };
        // Further arguments would lie on the stack of who starts the thread.
        if matches!(ty.result.kind, Kind::Record(_)) || ty.is_variadic() {
            return self.error(statement.position, refused);
        }
        let middle = self.moment();
        let arguments = self.values(arguments)?;
        self.unordered(start, middle);
        let arguments = self.passed_to(function, &ty, arguments, position)?;
        self.close_statement();
        self.effect(Op::Spawn { function, arguments });
        Ok(())
    }

    fn returns(&mut self, value: Option<&Expression>, position: Position) -> Lowered<()> {
        let mut operand = None;
        if let Some(expression) = value {
            self.open_statement();
            let value = self.value(expression)?;
            operand = self.result_operand(value, position)?;
            self.close_statement();
        }
        if self.has_cleanups(0) {
            self.at(position);
        }
        self.call_cleanups(0, position)?;
        self.finish(operand);
        Ok(())
    }
}
