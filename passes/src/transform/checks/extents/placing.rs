//! Puts the extents of a function into it.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{
    BlockId, Builder, CompareOp, Function, FunctionId, Instruction, Location, MemoryOrder, Module,
    Op, Operand, Slot, SlotId, Type, ValueId,
};

use super::ways::{Carrier, Origin, Returned};
use super::{Carriers, Extents, distance};

/// Puts the extents of one function into it.
pub(super) struct Placing<'p> {
    /// Without the function.
    pub(super) module: &'p Module,
    pub(super) id: FunctionId,
    pub(super) carriers: &'p Carriers,
    pub(super) returned: &'p [Option<Returned>],
    /// What every function takes its carriers' pointers for.
    pub(super) needs: &'p [FxHashMap<Carrier, u64>],
    /// The variables beside a variable, for start and size.
    pub(super) slots: FxHashMap<SlotId, (SlotId, SlotId)>,
    pub(super) extents: Extents,
}

impl Placing<'_> {
    fn size_type(&self) -> Type {
        Type::Int(self.module.target.pointer_bits)
    }

    fn unknown(&self) -> (Operand, Operand) {
        (Operand::Null, Operand::int(self.module.target.pointer_bits, 0))
    }

    /// Whether an extent may come to a carrier of the function.
    fn least(&self, carrier: Carrier) -> Option<u64> {
        self.carriers.get(&(self.id, carrier)).copied()
    }

    /// The parameters of a block that an extent may come to.
    fn carried(&self, of: FunctionId, parameters: &[ValueId]) -> Vec<(usize, ValueId)> {
        let is_one = |value| self.carriers.contains_key(&(of, Carrier::Value(value)));
        parameters.iter().copied().enumerate().filter(|&(_, value)| is_one(value)).collect()
    }

    pub(super) fn place(&mut self, function: &mut Function, is_told: &[bool]) {
        let mut parameters = Vec::new();
        for index in 0..function.blocks.len() {
            let carried = self.carried(self.id, &function.blocks[index].parameters);
            for &(_, value) in &carried {
                let (start, size) = self.new_values(function, Carrier::Value(value), value);
                function.blocks[index].parameters.extend([start, size]);
                if index == Function::ENTRY.index() {
                    function.parameters.extend([Type::Pointer, self.size_type()]);
                }
            }
            parameters.push(carried);
        }
        for slot in (0..function.slots.len()).map(SlotId::new) {
            if self.least(Carrier::Slot(slot)).is_some() {
                let name = function.slots[slot.index()].name.clone();
                let mut add = |what: &str, ty| {
                    let name = format!("{name}#{what}");
                    function.add_slot(Slot { name, ty, signed: false })
                };
                let beside = (add("start", Type::Pointer), add("size", self.size_type()));
                self.slots.insert(slot, beside);
            }
        }
        let results: Vec<(Carrier, ValueId)> = function
            .instructions()
            .filter_map(|instruction| {
                let value = instruction.result?;
                match &instruction.op {
                    Op::Load { address: Operand::Slot(slot), .. } => {
                        Some((Carrier::Slot(*slot), value))
                    }
                    Op::Select { .. } | Op::Call { .. } => Some((Carrier::Value(value), value)),
                    _ => None,
                }
            })
            .collect();
        for (carrier, value) in results {
            self.new_values(function, carrier, value);
        }
        for block in (0..function.blocks.len()).map(BlockId::new) {
            // What was read of a variable whose extent has not changed since.
            let mut fresh: FxHashMap<ValueId, SlotId> = FxHashMap::default();
            function.rewrite_block(block, |builder, _, instruction| {
                self.instruction(builder, instruction, is_told, &mut fresh);
            });
        }
        for block in (0..parameters.len()).map(BlockId::new) {
            let end = function.block(block).terminator.clone();
            let mut kind = end.kind;
            let operation = Some(self.extents.operation);
            let mut builder = Builder::new(function, Location { operation, ..end.location });
            builder.switch_to(block);
            kind.for_each_target_mut(|target| {
                for &(index, value) in &parameters[target.block.index()] {
                    let argument = target.arguments[index];
                    let need = self.extents.code.need(Carrier::Value(value));
                    let (start, size) = self.extent(&mut builder, argument, need);
                    target.arguments.extend([start, size]);
                }
            });
            builder.location = end.location;
            builder.terminate(kind);
        }
    }

    /// New values for the extent beside a value that is read of a carrier, if it has one.
    fn new_values(
        &mut self,
        function: &mut Function,
        carrier: Carrier,
        value: ValueId,
    ) -> (ValueId, ValueId) {
        let Some(least) = self.least(carrier) else { return (value, value) };
        let start = function.add_value(Type::Pointer, None);
        let size = function.add_value(self.size_type(), None);
        let beside = (Operand::Value(start), Operand::Value(size), least);
        self.extents.beside.insert(value, beside);
        (start, size)
    }

    fn instruction(
        &mut self,
        builder: &mut Builder<'_>,
        mut instruction: Instruction,
        is_told: &[bool],
        fresh: &mut FxHashMap<ValueId, SlotId>,
    ) {
        let own = instruction.result.and_then(|result| {
            let &(start, size, _) = self.extents.beside.get(&result)?;
            Some((result, start.value()?, size.value()?))
        });
        // All that is added; the instruction keeps its own location.
        builder.location.operation = Some(self.extents.operation);
        let define = |builder: &mut Builder<'_>, op: Op, result: ValueId| {
            let location = builder.location;
            builder.push(Instruction { op, result: Some(result), location });
        };
        match &mut instruction.op {
            Op::Load { address: Operand::Slot(slot), .. } => {
                let beside = self.slots.get(slot).copied();
                let slot = *slot;
                builder.push(instruction);
                if let (Some(beside), Some((value, start, size))) = (beside, own) {
                    fresh.insert(value, slot);
                    let load = |slot| Op::Load {
                        address: Operand::Slot(slot),
                        order: MemoryOrder::Plain,
                        volatile: false,
                    };
                    define(builder, load(beside.0), start);
                    define(builder, load(beside.1), size);
                }
            }
            Op::Store { address: Operand::Slot(slot), value, .. } => {
                let (slot, value) = (*slot, *value);
                if let Some(&(start, size)) = self.slots.get(&slot)
                    && !self.stays(slot, value, fresh)
                {
                    let need = self.extents.code.need(Carrier::Slot(slot));
                    let extent = self.extent(builder, value, need);
                    builder.store(Type::Pointer, Operand::Slot(start), extent.0);
                    builder.store(self.size_type(), Operand::Slot(size), extent.1);
                    fresh.retain(|_, read| *read != slot);
                }
                builder.push(instruction);
            }
            Op::HavocMemory { address: Operand::Slot(slot), .. } => {
                if let Some(&(start, size)) = self.slots.get(slot) {
                    let none = self.unknown();
                    builder.store(Type::Pointer, Operand::Slot(start), none.0);
                    builder.store(self.size_type(), Operand::Slot(size), none.1);
                    fresh.retain(|_, read| read != slot);
                }
                builder.push(instruction);
            }
            Op::Select { condition, a, b } => {
                let (condition, a, b) = (*condition, *a, *b);
                builder.push(instruction);
                if let Some((value, start, size)) = own {
                    let need = self.extents.code.need(Carrier::Value(value));
                    let (of_a, of_b) =
                        (self.extent(builder, a, need), self.extent(builder, b, need));
                    define(builder, Op::Select { condition, a: of_a.0, b: of_b.0 }, start);
                    define(builder, Op::Select { condition, a: of_a.1, b: of_b.1 }, size);
                }
            }
            Op::Call { callee: Operand::Function(callee), arguments } => {
                let index = callee.index();
                let source = self.returned[index].and_then(|known| match known {
                    Returned::Argument { parameter, goes_back } => {
                        arguments.get(parameter).map(|&pointer| (pointer, goes_back, None))
                    }
                    Returned::Start { size } => {
                        instruction.result.map(|own| (Operand::Value(own), false, Some(size)))
                    }
                });
                if is_told[index] {
                    let entry = match *callee == self.id {
                        true => builder.function.blocks.first(),
                        false => self.module.functions[index].blocks.first(),
                    };
                    // The parameters that were there before.
                    let before = arguments.len();
                    let entry = entry.map_or(&[][..], |entry| &entry.parameters);
                    let entry = entry.get(..before).unwrap_or(entry).to_vec();
                    for (index, value) in self.carried(*callee, &entry) {
                        let need = self.needs[callee.index()].get(&Carrier::Value(value));
                        let need = need.copied().unwrap_or_default();
                        let extent = self.extent(builder, arguments[index], need);
                        arguments.extend([extent.0, extent.1]);
                    }
                }
                builder.push(instruction);
                if let (Some((value, start, size)), Some((pointer, goes_back, sized))) =
                    (own, source)
                {
                    let need = self.extents.code.need(Carrier::Value(value));
                    let mut extent = match sized {
                        Some(size) => self.of_array(pointer, size, need),
                        None => self.extent(builder, pointer, need),
                    };
                    let value = Operand::Value(value);
                    if goes_back {
                        extent.1 = self.unless_before(builder, extent, value);
                    }
                    let is_null = builder.compare(CompareOp::Eq, value, Operand::Null);
                    let none = self.unknown().1;
                    define(builder, Op::Copy { a: extent.0 }, start);
                    define(builder, Op::Select { condition: is_null, a: none, b: extent.1 }, size);
                }
            }
            _ => builder.push(instruction),
        }
    }

    /// Whether what is stored to a variable has the extent that is beside it already.
    fn stays(&self, slot: SlotId, value: Operand, fresh: &FxHashMap<ValueId, SlotId>) -> bool {
        let way = self.extents.code.way(self.module, value);
        way.is_some_and(|way| match way.origin {
            Origin::Carrier { value, .. } => {
                way.back.is_empty() && fresh.get(&value) == Some(&slot)
            }
            Origin::Array { .. } => false,
        })
    }

    /// The extent of a pointer for who takes it for something of a size.
    fn extent(&self, builder: &mut Builder<'_>, pointer: Operand, need: u64) -> (Operand, Operand) {
        let unknown = self.unknown();
        let Some(way) = self.extents.code.way(self.module, pointer) else { return unknown };
        let bits = self.module.target.pointer_bits;
        let number = |size: u64| Operand::int(bits, size.into());
        let (start, mut size) = match way.origin {
            Origin::Array { start, size } => self.of_array(start, size, need),
            Origin::Carrier { value, .. } => {
                let Some(&(start, size, least)) = self.extents.beside.get(&value) else {
                    return unknown;
                };
                if least < need {
                    let condition = builder.compare(CompareOp::UnsignedLt, size, number(need));
                    let op = Op::Select { condition, a: unknown.1, b: size };
                    (start, builder.define(op, self.size_type()))
                } else {
                    (start, size)
                }
            }
        };
        for at in way.back {
            size = self.unless_before(builder, (start, size), at);
        }
        (start, size)
    }

    /// That of an array for who takes it for something of a size.
    fn of_array(&self, start: Operand, size: u64, need: u64) -> (Operand, Operand) {
        if size < need {
            return self.unknown();
        }
        (start, Operand::int(self.module.target.pointer_bits, size.into()))
    }

    /// The size of an array, or 0 for a pointer that is before it.
    fn unless_before(
        &self,
        builder: &mut Builder<'_>,
        (start, size): (Operand, Operand),
        pointer: Operand,
    ) -> Operand {
        let none = self.unknown().1;
        let bits = self.module.target.pointer_bits;
        let distance = distance(builder, bits, start, pointer);
        let condition = builder.compare(CompareOp::SignedLt, distance, none);
        builder.define(Op::Select { condition, a: none, b: size }, self.size_type())
    }
}
