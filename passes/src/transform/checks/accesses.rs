//! What functions access, and what the addresses of that are computed from: for `bounds` and `pointers`.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{Function, Instruction, Module, Op, Operand, Type, ValueId};

/// What is claimed of an access: whoever asks for it, it has these words.
pub(super) const WITHIN: &str = "what is accessed lies within an object";

/// How the names of functions begin that write what an unknown function may, where they guess.
pub(super) const GUESSES: &str = "__sapa_write_any";

/// Of what functions read that print: their models do not read it.
pub(super) const PRINTED: &str = "assuming that what is printed exists, and texts end";

/// Where instructions read or write, or hand it over to operations that do, and how much.
pub(super) fn accesses(function: &Function, instruction: &Instruction) -> Vec<(Operand, Type)> {
    let nothing = Type::Array(Box::new(Type::Int(8)), 0);
    match &instruction.op {
        Op::Load { address, .. } => {
            let result = instruction.result.map(Operand::Value);
            let ty = result.map_or(nothing, |result| function.operand_type(result));
            vec![(*address, ty)]
        }
        Op::Store { address, ty, .. } | Op::HavocMemory { address, ty } => {
            vec![(*address, ty.clone())]
        }
        Op::CopyMemory { destination, source, ty } => {
            vec![(*source, ty.clone()), (*destination, ty.clone())]
        }
        Op::ObjectSize { address } => vec![(*address, nothing)],
        Op::Sync { arguments, .. } => {
            arguments.iter().map(|&argument| (argument, Type::Int(32))).collect()
        }
        _ => Vec::new(),
    }
}

/// The operations of a function that make pointers of pointers.
pub(super) struct Addresses {
    by_result: FxHashMap<ValueId, Op>,
    /// Pointers that were kept in a variable, or that the library moves: where they come to elements, the code does not name
    /// the array.
    handed_on: FxHashSet<ValueId>,
}

impl Addresses {
    /// Those of a function.
    pub(super) fn of(function: &Function) -> Self {
        let makes = |op: &Op| {
            matches!(op, Op::FieldAddress { .. } | Op::IndexAddress { .. } | Op::Copy { .. })
        };
        let mut made = Self { by_result: FxHashMap::default(), handed_on: FxHashSet::default() };
        for instruction in function.instructions().filter(|instruction| makes(&instruction.op)) {
            let Some(result) = instruction.result else { continue };
            made.by_result.insert(result, instruction.op.clone());
            if instruction.location.operation.is_some() {
                made.handed_on.insert(result);
            }
        }
        made
    }

    /// An address that is kept in a local variable, which nobody knows the address of, and is read again in the same
    /// block is what it was.
    pub(super) fn look_through_slots(&mut self, function: &Function) {
        let mut others: FxHashSet<Operand> = FxHashSet::default();
        for instruction in function.instructions() {
            match &instruction.op {
                Op::Load { address: Operand::Slot(_), .. }
                | Op::HavocMemory { address: Operand::Slot(_), .. } => {}
                Op::Store { address: Operand::Slot(_), value, .. } => {
                    others.insert(*value);
                }
                op => op.for_each_operand(|operand| {
                    others.insert(operand);
                }),
            }
        }
        let mut kept = Vec::new();
        for block in &function.blocks {
            let mut now: FxHashMap<Operand, Operand> = FxHashMap::default();
            for instruction in &block.instructions {
                match (&instruction.op, instruction.result) {
                    (Op::Store { address: address @ Operand::Slot(_), value, .. }, _)
                        if !others.contains(address) =>
                    {
                        now.insert(*address, *value);
                    }
                    (Op::HavocMemory { address, .. }, _) => {
                        now.remove(address);
                    }
                    (Op::Load { address, .. }, Some(result)) => {
                        kept.extend(now.get(address).map(|&value| (result, value)));
                    }
                    _ => {}
                }
            }
        }
        for (result, value) in kept {
            self.by_result.insert(result, Op::Copy { a: value });
            self.handed_on.insert(result);
        }
    }

    /// What an address is a copy of.
    pub(super) fn source(&self, mut address: Operand) -> Operand {
        while let Some(Op::Copy { a }) = self.step(address) {
            address = *a;
        }
        address
    }

    /// Whether an address, or what it is a copy of, was kept in a variable or is moved by the library.
    pub(super) fn is_handed_on(&self, mut address: Operand) -> bool {
        loop {
            if address.value().is_some_and(|value| self.handed_on.contains(&value)) {
                return true;
            }
            let Some(Op::Copy { a }) = self.step(address) else { return false };
            address = *a;
        }
    }

    /// The operation that computes an address, which is no copy.
    pub(super) fn computed(&self, address: Operand) -> Option<&Op> {
        self.step(self.source(address))
    }

    fn step(&self, address: Operand) -> Option<&Op> {
        self.by_result.get(&address.value()?)
    }

    /// What an address was computed from, and how far away it is, if that is known.
    pub(super) fn root(&self, module: &Module, mut at: Operand) -> (Operand, Option<u64>) {
        let mut distance = Some(0_u64);
        while let Some(op) = self.step(at) {
            let (base, step) = match op {
                Op::Copy { a } => (*a, Some(0)),
                Op::FieldAddress { base, structure, field } => {
                    let structure = module.structs.get(structure.index());
                    let field = structure.and_then(|s| s.fields.get(field.index()));
                    (*base, field.map(|field| field.offset))
                }
                Op::IndexAddress { base, element, index } => {
                    let step = match index {
                        Operand::Int { value, .. } => u64::try_from(*value)
                            .ok()
                            .and_then(|index| index.checked_mul(element.size(module))),
                        _ => None,
                    };
                    (*base, step)
                }
                _ => break,
            };
            distance = distance.zip(step).and_then(|(sum, step)| sum.checked_add(step));
            at = base;
        }
        (at, distance)
    }

    /// Whether an access is to a part of a variable that the code names, by constants that are right.
    pub(super) fn is_within(
        &self,
        module: &Module,
        function: &Function,
        address: Operand,
        size: u64,
    ) -> bool {
        let (root, distance) = self.root(module, address);
        let end = distance.and_then(|distance| distance.checked_add(size));
        end.zip(size_of_variable(module, function, root)).is_some_and(|(end, whole)| end <= whole)
    }
}

/// The size of a variable, if this is its address.
pub(super) fn size_of_variable(module: &Module, function: &Function, at: Operand) -> Option<u64> {
    let ty = match at {
        Operand::Global(id) => module.globals.get(id.index()).map(|global| &global.ty),
        Operand::Slot(slot) => function.slots.get(slot.index()).map(|slot| &slot.ty),
        _ => None,
    };
    ty.map(|ty| ty.size(module))
}
