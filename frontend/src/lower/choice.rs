//! Evaluation that depends on a condition.

use sapa_ir::goto::{BlockId, Operand, Target, TerminatorKind, Type};

use super::body::Body;
use super::program::Lowered;
use crate::position::Position;

impl Body<'_, '_> {
    /// `a && b` or `a || b` of truth values; `b` is evaluated only if it decides.
    /// A block parameter holds the result.
    pub fn short_circuit(
        &mut self,
        is_and: bool,
        a: Operand,
        position: Position,
        b: impl FnOnce(&mut Self) -> Lowered<Operand>,
    ) -> Lowered<Operand> {
        let (more, done) = (self.new_block(), self.new_block());
        let result = self.function.add_value(Type::Int(1), None);
        self.function.blocks[done.index()].parameters.push(result);
        let short = Target { block: done, arguments: vec![Operand::bool(!is_and)] };
        let long = Target::new(more);
        let (then, otherwise) = if is_and { (long, short) } else { (short, long) };
        self.terminate(TerminatorKind::Branch { condition: a, then, otherwise });
        self.switch_to(more);
        let b = self.arm(position, b)?;
        self.terminate(TerminatorKind::Jump(Target { block: done, arguments: vec![b] }));
        self.switch_to(done);
        Ok(Operand::Value(result))
    }

    /// `condition ? then : otherwise`, both of a scalar type.
    pub fn choice(
        &mut self,
        condition: Operand,
        ty: Type,
        position: Position,
        then: impl FnOnce(&mut Self) -> Lowered<Operand>,
        otherwise: impl FnOnce(&mut Self) -> Lowered<Operand>,
    ) -> Lowered<Operand> {
        let (yes, no, done) = (self.new_block(), self.new_block(), self.new_block());
        self.branch(condition, yes, no);
        self.switch_to(yes);
        let a = self.arm(position, then)?;
        let after_a = self.block.take();
        self.switch_to(no);
        let b = self.arm(position, otherwise)?;
        let after_b = self.block.take();
        Ok(self.join((after_a, a), (after_b, b), done, ty))
    }

    /// Lowers one arm of a choice; the arms must leave atomic sections as they found them.
    pub fn arm<T>(
        &mut self,
        position: Position,
        f: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        let before = self.statement_open;
        let result = f(self);
        let after = std::mem::replace(&mut self.statement_open, before);
        if self.block.is_some() && before != after && result.is_ok() {
            return self
                .error(position, "an atomic section is opened or closed on some paths only");
        }
        result
    }

    /// Joins two blocks; the result is the operand of the one that was left.
    pub fn join(
        &mut self,
        a: (Option<BlockId>, Operand),
        b: (Option<BlockId>, Operand),
        done: BlockId,
        ty: Type,
    ) -> Operand {
        let result = self.function.add_value(ty, None);
        self.function.blocks[done.index()].parameters.push(result);
        for (block, operand) in [a, b] {
            self.block = block;
            self.terminate(TerminatorKind::Jump(Target { block: done, arguments: vec![operand] }));
        }
        self.switch_to(done);
        Operand::Value(result)
    }
}
