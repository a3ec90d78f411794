//! Functions, blocks, values and stack slots.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::builder::Builder;
use super::entity::{BlockId, Entity, FunctionId, SlotId, ValueId, VariableId};
use super::instruction::{Instruction, Operand, Terminator, TerminatorKind};
use super::module::Module;
use super::source::{Location, SourceVariable};
use super::types::Type;

/// An SSA value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Value {
    /// A scalar type.
    pub ty: Type,
    /// The source variable it is a version of.
    pub variable: Option<VariableId>,
}

/// A stack object: a local variable that lives in memory. Each activation of
/// the function has its own; its contents are arbitrary when the activation
/// begins.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Slot {
    /// Name, unique among the slots and variables of the function.
    pub name: String,
    /// Type of the object.
    pub ty: Type,
    /// Whether the source type is a signed integer, or an array of such (used to read predicates
    /// and to show values).
    pub signed: bool,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Block {
    /// Block parameters, defined on entry.
    pub parameters: Vec<ValueId>,
    /// Instructions in order.
    pub instructions: Vec<Instruction>,
    /// How the block ends.
    pub terminator: Terminator,
}

impl Block {
    /// Calls `f` with every operand that the block reads, in order.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        self.instructions.iter().for_each(|instruction| instruction.op.for_each_operand(&mut f));
        self.terminator.kind.for_each_operand(f);
    }

    /// As [`for_each_operand`](Self::for_each_operand), to change them.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        for instruction in &mut self.instructions {
            instruction.op.for_each_operand_mut(&mut f);
        }
        self.terminator.kind.for_each_operand_mut(f);
    }
}

/// A function. Execution starts at block 0, whose parameters are the
/// function's parameters. A function without blocks is only declared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Function {
    /// Name, unique among the functions of the module.
    pub name: String,
    /// Types of the parameters.
    pub parameters: Vec<Type>,
    /// Type of the result; `None` for `void`.
    pub result: Option<Type>,
    /// Where the function is declared.
    pub location: Location,
    /// Source variables; indexed by [`VariableId`].
    pub variables: Vec<SourceVariable>,
    /// Stack objects; indexed by [`SlotId`].
    pub slots: Vec<Slot>,
    /// SSA values; indexed by [`ValueId`].
    pub values: Vec<Value>,
    /// Blocks; indexed by [`BlockId`].
    pub blocks: Vec<Block>,
}

impl Function {
    /// The block where execution starts.
    pub const ENTRY: BlockId = BlockId(0);

    /// A function that is only declared.
    #[must_use]
    pub fn declaration(
        name: String,
        parameters: Vec<Type>,
        result: Option<Type>,
        location: Location,
    ) -> Self {
        Self {
            name,
            parameters,
            result,
            location,
            variables: Vec::new(),
            slots: Vec::new(),
            values: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Whether the function has a body.
    #[must_use]
    pub fn is_defined(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Whether it is the model of a function of the library, or a part of one.
    #[must_use]
    pub fn is_model(&self) -> bool {
        self.location.operation.is_some()
    }

    /// Adds a value.
    pub fn add_value(&mut self, ty: Type, variable: Option<VariableId>) -> ValueId {
        let id = ValueId::new(self.values.len());
        self.values.push(Value { ty, variable });
        id
    }

    /// Adds an empty block that ends in `Unreachable`.
    pub fn add_block(&mut self, location: Location) -> BlockId {
        let id = BlockId::new(self.blocks.len());
        self.blocks.push(Block {
            parameters: Vec::new(),
            instructions: Vec::new(),
            terminator: Terminator { kind: TerminatorKind::Unreachable, location },
        });
        id
    }

    /// Adds a stack object.
    pub fn add_slot(&mut self, slot: Slot) -> SlotId {
        let id = SlotId::new(self.slots.len());
        self.slots.push(slot);
        id
    }

    /// Adds a source variable, or finds the one of the same name.
    pub fn add_variable(&mut self, variable: SourceVariable) -> VariableId {
        match self.variables.iter().position(|v| v.name == variable.name) {
            Some(index) => VariableId::new(index),
            None => {
                self.variables.push(variable);
                VariableId::new(self.variables.len() - 1)
            }
        }
    }

    /// Whether a call through a pointer, with arguments and a result of these types, may be one of this function, and its
    /// arguments are then passed. As `f()` says nothing of the parameters in C, there may be more arguments, and an `int` is
    /// passed for a narrower parameter, which is how an old definition's is. Other calls have no meaning.
    #[must_use]
    pub fn is_called_with(
        &self,
        module: &Module,
        arguments: &[Type],
        result: Option<&Type>,
    ) -> bool {
        let int = module.target.int_bits;
        let is_narrower = |to: &Type| matches!(to, Type::Int(bits) if *bits < int);
        let passes =
            |(from, to): (&Type, &Type)| from == to || (*from == Type::Int(int) && is_narrower(to));
        self.parameters.len() <= arguments.len()
            && arguments.iter().zip(&self.parameters).all(passes)
            && result.is_none_or(|result| self.result.as_ref() == Some(result))
    }

    /// Blocks with their ids, in layout order.
    pub fn blocks(&self) -> impl Iterator<Item = (BlockId, &Block)> {
        self.blocks.iter().enumerate().map(|(index, block)| (BlockId::new(index), block))
    }

    /// Instructions of all blocks, in layout order.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> + Clone {
        self.blocks.iter().flat_map(|block| &block.instructions)
    }

    /// As [`instructions`](Self::instructions), to change them.
    pub fn instructions_mut(&mut self) -> impl Iterator<Item = &mut Instruction> {
        self.blocks.iter_mut().flat_map(|block| &mut block.instructions)
    }

    /// Deletes the instructions that `keep` says no to; whether there were any. While a block's
    /// instructions are asked about, the function that `keep` is given is without them.
    pub fn retain(&mut self, mut keep: impl FnMut(&Self, &Instruction) -> bool) -> bool {
        let mut changed = false;
        for index in 0..self.blocks.len() {
            let mut code = std::mem::take(&mut self.blocks[index].instructions);
            let before = code.len();
            code.retain(|instruction| keep(self, instruction));
            changed |= code.len() != before;
            self.blocks[index].instructions = code;
        }
        changed
    }

    /// Deletes the parameters of blocks that `goes` says yes to, and what is passed for them; whether there were any. `goes` is
    /// given each block with its parameters, in order. Those of the entry block, which are the function's own, stay.
    pub fn remove_parameters(&mut self, mut goes: impl FnMut(BlockId, ValueId) -> bool) -> bool {
        let gone: Vec<Vec<bool>> = self
            .blocks()
            .map(|(block, data)| {
                let goes = |&parameter| block != Self::ENTRY && goes(block, parameter);
                data.parameters.iter().map(goes).collect()
            })
            .collect();
        for (block, flags) in self.blocks.iter_mut().zip(&gone) {
            retain_unmarked(&mut block.parameters, flags);
            block.terminator.kind.for_each_target_mut(|target| {
                if let Some(flags) = gone.get(target.block.index()) {
                    retain_unmarked(&mut target.arguments, flags);
                }
            });
        }
        gone.iter().any(|flags| flags.contains(&true))
    }

    /// Replaces every instruction by what `f` appends to the builder in its place, as
    /// [`rewrite_block`](Self::rewrite_block) does. Blocks that `f` adds are not visited.
    ///
    /// `f` is given the position that the instruction had: its block, and its index there.
    pub fn rewrite(&mut self, mut f: impl FnMut(&mut Builder<'_>, (BlockId, usize), Instruction)) {
        for block in (0..self.blocks.len()).map(BlockId::new) {
            self.rewrite_block(block, |builder, index, instruction| {
                f(builder, (block, index), instruction);
            });
        }
    }

    /// Replaces every instruction of a block by what `f` appends to the builder in its place; `f` is
    /// given the index that the instruction had. The builder is at the instruction's location.
    ///
    /// Where `f` ends the builder's block and goes on in another, the rest of the code does too, with
    /// the terminator of the block.
    ///
    /// # Panics
    /// If the function has no such block.
    pub fn rewrite_block(
        &mut self,
        block: BlockId,
        mut f: impl FnMut(&mut Builder<'_>, usize, Instruction),
    ) {
        let data = &mut self.blocks[block.index()];
        let code = std::mem::take(&mut data.instructions);
        data.instructions.reserve(code.len());
        let location = data.terminator.location;
        let unreachable = Terminator { kind: TerminatorKind::Unreachable, location };
        let terminator = std::mem::replace(&mut data.terminator, unreachable);
        let mut builder = Builder::new(self, location);
        builder.switch_to(block);
        for (index, instruction) in code.into_iter().enumerate() {
            builder.location = instruction.location;
            f(&mut builder, index, instruction);
        }
        if let Some(end) = builder.block() {
            self.blocks[end.index()].terminator = terminator;
        }
    }

    /// Lets what reads a value that `by` knows read what it says instead. It may say another such
    /// value; following these must end.
    pub fn replace_values(&mut self, by: impl Fn(ValueId) -> Option<Operand>) {
        self.for_each_operand_mut(|operand| {
            while let Some(new) = operand.value().and_then(&by) {
                *operand = new;
            }
        });
    }

    /// Removes values that nothing defines or reads, and renumbers the others. Predicates of the
    /// module must name no value of the function.
    pub fn remove_values(&mut self, values: &BTreeSet<ValueId>) {
        let mut kept = 0;
        let numbers: Vec<ValueId> = (0..self.values.len())
            .map(|old| {
                let new = ValueId::new(kept);
                kept += usize::from(!values.contains(&ValueId::new(old)));
                new
            })
            .collect();
        let mut old = 0..;
        self.values.retain(|_| old.next().is_none_or(|old| !values.contains(&ValueId::new(old))));
        let renumber = |value: &mut ValueId| *value = numbers[value.index()];
        for block in &mut self.blocks {
            let results = block.instructions.iter_mut().filter_map(|i| i.result.as_mut());
            block.parameters.iter_mut().chain(results).for_each(renumber);
        }
        self.for_each_operand_mut(|operand| {
            if let Operand::Value(value) = operand {
                renumber(value);
            }
        });
    }

    /// The instructions with what they are called in messages; the function is that of `id`.
    pub fn entities(&self, id: FunctionId) -> impl Iterator<Item = (Entity, &Instruction)> {
        self.blocks().flat_map(move |(block, data)| {
            let instructions = data.instructions.iter().enumerate();
            instructions.map(move |(index, i)| (Entity::Instruction(id, block, index), i))
        })
    }

    /// The block of this id.
    ///
    /// # Panics
    /// If the function has no such block.
    #[must_use]
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    /// Calls `f` with every operand that the function reads, block by block.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        self.blocks.iter().for_each(|block| block.for_each_operand(&mut f));
    }

    /// As [`for_each_operand`](Self::for_each_operand), to change them.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        self.blocks.iter_mut().for_each(|block| block.for_each_operand_mut(&mut f));
    }

    /// The values that something in the function reads.
    #[must_use]
    pub fn values_read(&self) -> FxHashSet<ValueId> {
        let mut read = FxHashSet::default();
        self.for_each_operand(|operand| read.extend(operand.value()));
        read
    }

    /// Type of an operand.
    ///
    /// # Panics
    /// If the operand names a value that the function does not have.
    #[must_use]
    pub fn operand_type(&self, operand: Operand) -> Type {
        match operand {
            Operand::Value(value) => self.values[value.index()].ty.clone(),
            Operand::Int { bits, .. } => Type::Int(bits),
            Operand::Null | Operand::Global(_) | Operand::Function(_) | Operand::Slot(_) => {
                Type::Pointer
            }
        }
    }

    /// Width in bits of an operand.
    ///
    /// # Panics
    /// If the operand names a value that the function does not have.
    #[must_use]
    pub fn operand_bits(&self, module: &Module, operand: Operand) -> u16 {
        self.operand_type(operand).bits(module).unwrap_or(0)
    }
}

fn retain_unmarked<T>(list: &mut Vec<T>, marked: &[bool]) {
    let mut marks = marked.iter();
    list.retain(|_| !marks.next().copied().unwrap_or(false));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goto::{Op, parse, print, verify};

    #[test]
    fn values_that_go_leave_no_gap() {
        let header = "gir 1\n\
            target pointer=64 short=16 int=32 long=64 long_long=64 wchar=32 char=signed endian=little\n\
            atomicity access\nsigned_overflow wrap\nfile \"a.c\"\nname f\n";
        let before = format!(
            "{header}define @f(i32) -> i32 #1:1 {{\n value %1: i64\n value %3: i1\nbb0(%0: i32):\n  \
             %2: i32 = add %0, 1i32\n  jump bb1(%2)\nbb1(%4: i32):\n  return %4\n}}\n"
        );
        let after = format!(
            "{header}define @f(i32) -> i32 #1:1 {{\nbb0(%0: i32):\n  \
             %1: i32 = add %0, 1i32\n  jump bb1(%1)\nbb1(%2: i32):\n  return %2\n}}\n"
        );
        let mut module = parse(&before, "before.gir").expect("it is sound");
        module.functions[0].remove_values(&[1, 3].map(ValueId::new).into());
        verify(&module).expect("it is still sound");
        assert_eq!(print(&module), print(&parse(&after, "after.gir").expect("it is sound")));
    }

    /// The code after what ends a block goes on where the builder does, and takes the terminator along.
    #[test]
    fn a_rewritten_block_may_become_several() {
        let text = "gir 1\ndefine @main() -> i32 {\nbb0:\n  %0: i32 = nondet\n  %1: i32 = nondet\n  \
                    %2: i32 = add %0, %1\n  return %2\n}\nentry @main\n";
        let mut module = parse(text, "test").expect("the module is well-formed");
        let function = &mut module.functions[0];
        let mut seen = Vec::new();
        function.rewrite(|builder, place, instruction| {
            seen.push(place);
            if matches!(instruction.op, Op::Nondet { .. }) {
                let next = builder.add_block();
                builder.jump(next);
                builder.switch_to(next);
            }
            builder.push(instruction);
        });
        assert_eq!(seen, [0, 1, 2].map(|index| (BlockId::new(0), index)));
        let lengths: Vec<usize> = function.blocks.iter().map(|b| b.instructions.len()).collect();
        assert_eq!(lengths, [0, 1, 2]);
        let jumps = |block: &&Block| matches!(block.terminator.kind, TerminatorKind::Jump(_));
        assert_eq!(function.blocks.iter().filter(jumps).count(), 2);
        assert!(matches!(function.blocks[2].terminator.kind, TerminatorKind::Return(Some(_))));
        assert_eq!(verify(&module), Ok(()));
    }
}
