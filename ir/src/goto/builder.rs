//! Building a function instruction by instruction.

use super::entity::{BlockId, ValueId, VariableId};
use super::function::Function;
use super::instruction::{
    BinaryOp, CastOp, CompareOp, Instruction, MemoryOrder, Op, Operand, Target, Terminator,
    TerminatorKind, UnaryOp,
};
use super::source::Location;
use super::types::{BOOL, Type};

/// Appends instructions to the current block of a function.
///
/// The builder keeps a current block and a current location. After a
/// terminator there is no current block until [`switch_to`](Self::switch_to);
/// what is appended meanwhile is unreachable and is dropped.
#[derive(Debug)]
pub struct Builder<'f> {
    /// The function that is built.
    pub function: &'f mut Function,
    /// Location of what is appended.
    pub location: Location,
    block: Option<BlockId>,
}

impl<'f> Builder<'f> {
    /// A builder without a current block.
    pub fn new(function: &'f mut Function, location: Location) -> Self {
        Self { function, location, block: None }
    }

    /// The current block; `None` after a terminator.
    #[must_use]
    pub fn block(&self) -> Option<BlockId> {
        self.block
    }

    /// Adds a block (without making it current).
    pub fn add_block(&mut self) -> BlockId {
        self.function.add_block(self.location)
    }

    /// Adds a parameter to a block.
    ///
    /// # Panics
    /// If the function has no such block.
    pub fn add_block_parameter(
        &mut self,
        block: BlockId,
        ty: Type,
        variable: Option<VariableId>,
    ) -> ValueId {
        let value = self.function.add_value(ty, variable);
        self.function.blocks[block.index()].parameters.push(value);
        value
    }

    /// Makes `block` current.
    pub fn switch_to(&mut self, block: BlockId) {
        self.block = Some(block);
    }

    /// Appends an instruction without a result.
    pub fn effect(&mut self, op: Op) {
        self.push(Instruction { op, result: None, location: self.location });
    }

    /// Appends an instruction with a result.
    pub fn define(&mut self, op: Op, ty: Type) -> Operand {
        self.define_version(op, ty, None)
    }

    /// Appends an instruction whose result is a version of a source variable.
    pub fn define_version(&mut self, op: Op, ty: Type, variable: Option<VariableId>) -> Operand {
        let value = self.function.add_value(ty, variable);
        self.push(Instruction { op, result: Some(value), location: self.location });
        Operand::Value(value)
    }

    /// Appends an instruction as it is, with its own location.
    pub fn push(&mut self, instruction: Instruction) {
        if let Some(block) = self.block {
            self.function.blocks[block.index()].instructions.push(instruction);
        }
    }

    /// Ends the current block.
    pub fn terminate(&mut self, kind: TerminatorKind) {
        if let Some(block) = self.block.take() {
            self.function.blocks[block.index()].terminator =
                Terminator { kind, location: self.location };
        }
    }

    /// Ends the current block with a jump without arguments.
    pub fn jump(&mut self, block: BlockId) {
        self.terminate(TerminatorKind::Jump(Target::new(block)));
    }

    /// Ends the current block with a jump that gives the target's parameters these values.
    pub fn jump_with(&mut self, block: BlockId, arguments: Vec<Operand>) {
        self.terminate(TerminatorKind::Jump(Target { block, arguments }));
    }

    /// Ends the current block with a branch without arguments.
    pub fn branch(&mut self, condition: Operand, then: BlockId, otherwise: BlockId) {
        self.terminate(TerminatorKind::Branch {
            condition,
            then: Target::new(then),
            otherwise: Target::new(otherwise),
        });
    }

    /// `a op b`; the result has the type of `a`.
    pub fn binary(
        &mut self,
        op: BinaryOp,
        a: Operand,
        b: Operand,
        no_signed_wrap: bool,
    ) -> Operand {
        let ty = self.function.operand_type(a);
        self.define(Op::Binary { op, a, b, no_signed_wrap }, ty)
    }

    /// `op a`.
    pub fn unary(&mut self, op: UnaryOp, a: Operand) -> Operand {
        let ty = self.function.operand_type(a);
        self.define(Op::Unary { op, a }, ty)
    }

    /// A comparison.
    pub fn compare(&mut self, op: CompareOp, a: Operand, b: Operand) -> Operand {
        self.define(Op::Compare { op, a, b }, BOOL)
    }

    /// A conversion to `ty`.
    pub fn cast(&mut self, op: CastOp, a: Operand, ty: Type) -> Operand {
        self.define(Op::Cast { op, a }, ty)
    }

    /// A plain load.
    pub fn load(&mut self, ty: Type, address: Operand) -> Operand {
        self.define(Op::Load { address, order: MemoryOrder::Plain, volatile: false }, ty)
    }

    /// A plain store.
    pub fn store(&mut self, ty: Type, address: Operand, value: Operand) {
        self.effect(Op::Store { address, value, ty, order: MemoryOrder::Plain, volatile: false });
    }

    /// Any value of a type.
    pub fn nondet(&mut self, ty: Type) -> Operand {
        self.define(Op::Nondet { unmodelled: None }, ty)
    }
}
