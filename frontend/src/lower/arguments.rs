//! The arguments that the system calls `main` with (C11 5.1.2.2.1): a count that is not negative, and,
//! where the program looks at them, an array of so many texts with null behind them.
//!
//! Each text is an object of its own with any contents, whose last byte is zero; so it is any text up to a
//! length. That there are no more and no longer ones is an assumption, which the verdict says. What is
//! behind the null is null too: that a program reads there is not found.

use sapa_ir::goto::{
    CompareOp, Function, Global, GlobalId, Initializer, Instruction, Location, MemoryOrder, Op,
    Operand, TerminatorKind, Type, ValueId,
};

use super::program::Lowerer;

/// Most arguments, the name of the program among them, and most bytes of each with the zero.
const MOST: u64 = 16;
const LENGTH: u64 = 12;

impl Lowerer<'_> {
    /// Says what is known of the arguments. Nothing is where the program itself calls `main`.
    pub(super) fn assume_arguments(&mut self) {
        let Some(entry) = self.module.entry else { return };
        if self.is_referred_to(entry) {
            return;
        }
        let main = self.module.function(entry);
        let Some(block) = main.blocks.first() else { return };
        let Some(&count) = block.parameters.first() else { return };
        let count = Operand::Value(count);
        let Type::Int(bits) = main.operand_type(count) else { return };
        let texts = block.parameters.get(1).copied().filter(|&texts| is_used(main, texts));
        let texts =
            texts.filter(|texts| main.operand_type(Operand::Value(*texts)) == Type::Pointer);
        let location = main.location;
        let mut made = Made { instructions: Vec::new(), location };
        let main = &mut self.module.functions[entry.index()];
        let zero = Operand::int(bits, 0);
        let op = Op::Compare { op: CompareOp::SignedLe, a: zero, b: count };
        let is_counted = made.define(main, op, Type::Int(1));
        made.effect(Op::Assume { condition: is_counted });
        let Some(texts) = texts else { return self.begin_with(entry.index(), made) };
        let (all, each) = self.argument_objects(location);
        let main = &mut self.module.functions[entry.index()];
        let most = Operand::int(bits, MOST.into());
        let op = Op::Compare { op: CompareOp::SignedLe, a: count, b: most };
        let fits = made.define(main, op, Type::Int(1));
        made.effect(Op::Assume { condition: fits });
        let pointer_bits = self.module.target.pointer_bits;
        for (index, &text) in (0u64..).zip(&each) {
            let number = Operand::int(bits, index.into());
            let op = Op::Compare { op: CompareOp::SignedLt, a: number, b: count };
            let condition = made.define(main, op, Type::Int(1));
            let op = Op::Select { condition, a: Operand::Global(text), b: Operand::Null };
            let value = made.define(main, op, Type::Pointer);
            let index = Operand::int(pointer_bits, index.into());
            let base = Operand::Global(all);
            let op = Op::IndexAddress { base, element: Type::Pointer, index };
            let address = made.define(main, op, Type::Pointer);
            let (ty, order) = (Type::Pointer, MemoryOrder::Plain);
            made.effect(Op::Store { address, value, ty, order, volatile: false });
        }
        let old = Operand::Value(texts);
        for block in &mut main.blocks {
            block.for_each_operand_mut(|operand| {
                if *operand == old {
                    *operand = Operand::Global(all);
                }
            });
        }
        self.begin_with(entry.index(), made);
        self.note(&format!(
            "assuming that there are at most {MOST} arguments of the program, its name among them, of \
             at most {} bytes",
            LENGTH - 1
        ));
    }

    /// Puts instructions at the beginning of a function.
    fn begin_with(&mut self, function: usize, made: Made) {
        if let Some(block) = self.module.functions[function].blocks.first_mut() {
            block.instructions.splice(0..0, made.instructions);
        }
    }

    /// The array of the arguments, and the texts.
    fn argument_objects(&mut self, location: Location) -> (GlobalId, Vec<GlobalId>) {
        let mut global = |name: String, ty: Type, initializer: Initializer, signed: bool| {
            let id = GlobalId::new(self.module.globals.len());
            self.module.globals.push(Global {
                name,
                ty,
                initializer,
                thread_local: false,
                constant: false,
                signed,
                location,
            });
            id
        };
        let any = (1..LENGTH).map(|_| Initializer::Nondet).collect();
        let any = Initializer::Aggregate(any);
        let text = Type::Array(Box::new(Type::Int(8)), LENGTH);
        let each =
            (0..MOST).map(|index| global(format!("argv#{index}"), text.clone(), any.clone(), true));
        let each = each.collect();
        let all = Type::Array(Box::new(Type::Pointer), MOST + 1);
        (global("argv#".to_owned(), all, Initializer::Zero, false), each)
    }
}

/// Instructions to be.
struct Made {
    instructions: Vec<Instruction>,
    location: Location,
}

impl Made {
    fn effect(&mut self, op: Op) {
        self.instructions.push(Instruction { op, result: None, location: self.location });
    }

    fn define(&mut self, function: &mut Function, op: Op, ty: Type) -> Operand {
        let result = function.add_value(ty, None);
        let result_of = Some(result);
        self.instructions.push(Instruction { op, result: result_of, location: self.location });
        Operand::Value(result)
    }
}

/// Whether a parameter is used other than to be kept in a variable that nobody reads.
pub(super) fn is_used(function: &Function, parameter: ValueId) -> bool {
    let parameter = Operand::Value(parameter);
    let mut slots = Vec::new();
    for instruction in function.instructions() {
        match &instruction.op {
            Op::Store { address: slot @ Operand::Slot(_), value, .. } if *value == parameter => {
                slots.push(*slot);
            }
            op => {
                let mut is_operand = false;
                op.for_each_operand(|operand| is_operand |= operand == parameter);
                if is_operand {
                    return true;
                }
            }
        }
    }
    let mut uses = 0usize;
    for block in &function.blocks {
        if let TerminatorKind::Return(Some(value)) = &block.terminator.kind
            && *value == parameter
        {
            return true;
        }
        block.for_each_operand(|operand| uses += usize::from(slots.contains(&operand)));
    }
    uses > slots.len()
}
