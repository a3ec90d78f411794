//! The code of what becomes of accesses, comparisons and claims.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{
    BinaryOp, Builder, CastOp, CompareOp, FunctionId, GlobalId, Instruction, Module, Op, Operand,
    Section, Slot, SlotId, Type, types::BOOL,
};

use super::accesses::{Among, Change, Constant, Own, Plan};
use super::family::{FLAG, Families};
use crate::analysis::points_to::Object;
use crate::transform::scalars::scalar_at;

/// Changes the instructions of a module as it was planned.
pub(super) fn rewrite(module: &mut Module, families: &Families, mut plan: Plan) {
    let bits = module.target.pointer_bits;
    let sizes: FxHashMap<GlobalId, u64> =
        families.iter().map(|family| (family.others, family.ty.size(module))).collect();
    for id in (0..module.functions.len()).map(FunctionId::new) {
        let mut function = std::mem::take(&mut module.functions[id.index()]);
        function.rewrite(|builder, (block, index), instruction| {
            match plan.remove(&(id, block, index)) {
                Some(change) => {
                    Writer { builder, sizes: &sizes, bits }.change(change, instruction);
                }
                None => builder.push(instruction),
            }
        });
        module.functions[id.index()] = function;
    }
}

/// Appends what becomes of instructions.
struct Writer<'w, 'f> {
    builder: &'w mut Builder<'f>,
    /// The sizes of what stands for others.
    sizes: &'w FxHashMap<GlobalId, u64>,
    /// The width of a pointer.
    bits: u16,
}

/// A stack object that nobody else uses, for pointers that nobody wrote.
const UNWRITTEN: &str = "datatype-reduction::unwritten";

impl Writer<'_, '_> {
    fn change(mut self, change: Change, instruction: Instruction) {
        match change {
            Change::Load(among, read) => self.load(&among, read.as_deref(), instruction),
            Change::Store(among) | Change::Havoc(among) => {
                self.unless_other(Some(&among), |writer| writer.directly(&among, instruction));
            }
            Change::Copy(to, from) => self.copy(to.as_ref(), from.as_ref(), instruction),
            Change::Free { ended, own } => self.free(&ended, own, instruction),
            Change::Equal(a, b) => self.equal(&a, &b, instruction),
            Change::Any => {
                let op = Op::Nondet { unmodelled: None };
                self.builder.push(Instruction { op, ..instruction });
            }
            Change::Claim(about) => self.claim(&about, instruction),
            Change::Within(index, count) => {
                let count = Operand::int(self.bits, u128::from(count));
                let condition = self.builder.compare(CompareOp::UnsignedLt, index, count);
                let property = "an index in an element stays in its array".to_owned();
                self.builder.effect(Op::Assert { condition, property });
                self.builder.push(instruction);
            }
        }
    }

    /// An address as a value.
    fn constant(&mut self, (base, offset): Constant) -> Operand {
        scalar_at(self.builder, base, offset, self.bits)
    }

    fn own(&mut self, own: &Own) -> Operand {
        match own {
            Own::At(global, offset) => self.constant((Operand::Global(*global), *offset)),
            Own::Behind(base, offset) => {
                let base = self.own(base);
                self.constant((base, *offset))
            }
            Own::Index(base, element, index) => {
                let base = self.own(base);
                let op = Op::IndexAddress { base, element: element.clone(), index: *index };
                self.builder.define(op, Type::Pointer)
            }
        }
    }

    /// Whether an address is one of the others.
    fn is_other(&mut self, among: &Among) -> Operand {
        if among.always {
            return Operand::bool(true);
        }
        let mut found = Operand::bool(false);
        for place in &among.others {
            let Object::Global(others) = place.object else { continue };
            let here = match place.offsets.single() {
                Some(offset) => {
                    let there = self.constant((Operand::Global(others), offset));
                    self.builder.compare(CompareOp::Eq, among.address, there)
                }
                None => {
                    let number = Type::Int(self.bits);
                    let to_int = CastOp::PointerToInt;
                    let start = self.builder.cast(to_int, Operand::Global(others), number.clone());
                    let own = self.builder.cast(to_int, among.address, number);
                    let distance = self.builder.binary(BinaryOp::Sub, own, start, false);
                    let size = self.sizes.get(&others).copied().unwrap_or(0);
                    let size = Operand::int(self.bits, u128::from(size));
                    self.builder.compare(CompareOp::UnsignedLe, distance, size)
                }
            };
            found = match found {
                Operand::Int { .. } => here,
                _ => self.builder.binary(BinaryOp::Or, found, here, false),
            };
        }
        found
    }

    /// Code that is executed unless an address is one of the others.
    fn unless_other(&mut self, among: Option<&Among>, code: impl FnOnce(&mut Self)) {
        let Some(among) = among else { return code(self) };
        if among.always {
            return;
        }
        let is_other = self.is_other(among);
        let (own, after) = (self.builder.add_block(), self.builder.add_block());
        self.builder.branch(is_other, after, own);
        self.builder.switch_to(own);
        code(self);
        self.builder.jump(after);
        self.builder.switch_to(after);
    }

    /// An access to what is none of the others.
    fn directly(&mut self, among: &Among, mut instruction: Instruction) {
        if let Some(own) = &among.own {
            let direct = self.own(own);
            match &mut instruction.op {
                Op::Load { address, .. }
                | Op::Store { address, .. }
                | Op::HavocMemory { address, .. } => *address = direct,
                _ => {}
            }
        }
        self.builder.push(instruction);
    }

    fn load(&mut self, among: &Among, read: Option<&[Constant]>, mut instruction: Instruction) {
        let Some(result) = instruction.result else { return };
        let ty = self.builder.function.values[result.index()].ty.clone();
        if among.always {
            let a = self.any(&ty, read);
            return self.builder.push(Instruction { op: Op::Copy { a }, ..instruction });
        }
        let is_other = self.is_other(among);
        let [own, other, after] = [(); 3].map(|()| self.builder.add_block());
        self.builder.function.blocks[after.index()].parameters.push(result);
        self.builder.branch(is_other, other, own);
        self.builder.switch_to(own);
        let value = self.builder.function.add_value(ty.clone(), None);
        instruction.result = Some(value);
        self.directly(among, instruction);
        self.builder.jump_with(after, vec![Operand::Value(value)]);
        self.builder.switch_to(other);
        let value = self.any(&ty, read);
        self.builder.jump_with(after, vec![value]);
        self.builder.switch_to(after);
    }

    /// What may be read from others.
    fn any(&mut self, ty: &Type, read: Option<&[Constant]>) -> Operand {
        let Some(read) = read else { return self.builder.nondet(ty.clone()) };
        // No choice of a pointer: that could be any that there is, to an alias analysis.
        let slot = self.builder.function.slots.iter().position(|slot| slot.name == UNWRITTEN);
        let slot = slot.map(SlotId::new).unwrap_or_else(|| {
            let (name, ty) = (UNWRITTEN.to_owned(), Type::Pointer);
            self.builder.function.add_slot(Slot { name, ty, signed: false })
        });
        let address = Operand::Slot(slot);
        self.builder.effect(Op::HavocMemory { address, ty: Type::Pointer });
        let mut value = self.builder.load(Type::Pointer, address);
        for &constant in read {
            let condition = self.builder.nondet(BOOL);
            let a = self.constant(constant);
            value = self.builder.define(Op::Select { condition, a, b: value }, Type::Pointer);
        }
        value
    }

    fn copy(&mut self, to: Option<&Among>, from: Option<&Among>, instruction: Instruction) {
        let Op::CopyMemory { destination, ref ty, .. } = instruction.op else { return };
        let havoc = Op::HavocMemory { address: destination, ty: ty.clone() };
        self.unless_other(to, |writer| {
            let Some(from) = from else { return writer.builder.push(instruction) };
            let is_other = writer.is_other(from);
            let [own, other, after] = [(); 3].map(|()| writer.builder.add_block());
            writer.builder.branch(is_other, other, own);
            writer.builder.switch_to(own);
            writer.builder.push(instruction);
            writer.builder.jump(after);
            writer.builder.switch_to(other);
            writer.builder.effect(havoc);
            writer.builder.jump(after);
            writer.builder.switch_to(after);
        });
    }

    /// The one that is followed exists no more if it is what ends: its memory may be that of a new object.
    fn free(
        &mut self,
        ended: &BTreeSet<(GlobalId, GlobalId)>,
        own: bool,
        instruction: Instruction,
    ) {
        let Op::Free { address } = instruction.op else { return };
        for &(one, exists) in ended {
            let exists = Operand::Global(exists);
            let condition = self.builder.compare(CompareOp::Eq, address, Operand::Global(one));
            self.builder.effect(Op::AtomicBegin(Section::Step));
            let flag = self.builder.load(FLAG, exists);
            let (a, b) = (Operand::int(8, 0), flag);
            let new = self.builder.define(Op::Select { condition, a, b }, FLAG);
            self.builder.store(FLAG, exists, new);
            self.builder.effect(Op::AtomicEnd);
        }
        if own {
            self.builder.push(instruction);
        }
    }

    fn equal(&mut self, a: &Among, b: &Among, mut instruction: Instruction) {
        let Some(result) = instruction.result.take() else { return };
        let value = self.builder.function.add_value(BOOL, None);
        let location = instruction.location;
        self.builder.push(Instruction { result: Some(value), ..instruction });
        let (is_a, is_b) = (self.is_other(a), self.is_other(b));
        let condition = self.builder.binary(BinaryOp::And, is_a, is_b, false);
        let any = self.builder.nondet(BOOL);
        let op = Op::Select { condition, a: any, b: Operand::Value(value) };
        self.builder.push(Instruction { op, result: Some(result), location });
    }

    /// A claim that is excepted where it is about one of the others.
    fn claim(&mut self, about: &[Among], mut instruction: Instruction) {
        let Op::Assert { condition, .. } = &mut instruction.op else { return };
        for among in about {
            let excepted = self.is_other(among);
            *condition = self.builder.binary(BinaryOp::Or, *condition, excepted, false);
        }
        self.builder.push(instruction);
    }
}
