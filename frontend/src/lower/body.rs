//! The function that is being lowered: blocks, loads and stores.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    Atomicity, BinaryOp, BlockId, Builder, CastOp, CompareOp, Function, FunctionId, GlobalId,
    Location, MemoryOrder, NameId, Op, Operand, Section, Slot, SlotId, TerminatorKind, Type,
};

use super::layout::{BitField, is_complete};
use super::order::Accesses;
use super::program::{Entity, Lowered, Lowerer};
use super::types::{CType, FunctionType, Kind};
use crate::lower::program::Name;
use crate::position::Position;

/// An object: its address and its type.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub address: Operand,
    pub ty: CType,
    /// Which bits of the integers from the address on, for a bit-field.
    pub bits: Option<BitField>,
}

impl Place {
    pub fn new(address: Operand, ty: CType) -> Self {
        Self { address, ty, bits: None }
    }
}

/// The value of an expression.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Void,
    /// An integer, a pointer or the bits of a floating-point number.
    Scalar(Operand, CType),
    /// A structure or union, by the address of an object that holds it.
    Record(Place),
}

/// What is called with the address of a variable where its scope is left.
#[derive(Clone, Debug)]
pub(crate) struct Cleanup {
    pub function: Name,
    pub ty: FunctionType,
    pub variable: Place,
}

/// What happens where a scope is left.
#[derive(Clone, Debug)]
pub(crate) enum Leaving {
    /// Something is called.
    Call(Cleanup),
    /// The lifetime of a local ends, of this type in memory.
    End(Operand, Type),
}

/// Cases of the innermost switch.
#[derive(Debug, Default)]
pub(crate) struct Cases {
    pub ranges: Vec<(i128, i128, BlockId)>,
    pub default: Option<BlockId>,
}

/// Lowers one function.
pub(crate) struct Body<'l, 'o> {
    pub unit: &'l mut Lowerer<'o>,
    pub id: FunctionId,
    pub function: Function,
    /// The function's name in the source.
    pub name: NameId,
    pub block: Option<BlockId>,
    pub location: Location,
    /// The library function that is lowered.
    pub operation: Option<NameId>,
    pub result: CType,
    /// Where the caller wants a structure that is returned: the slot of its address.
    pub result_address: Option<SlotId>,
    /// Whether the whole function is one atomic section.
    pub is_section: bool,
    /// Whether a section around a statement is open.
    pub statement_open: bool,
    /// Memory order of the accesses that are emitted, where it is not the objects'.
    pub order: Option<MemoryOrder>,
    pub labels: FxHashMap<Name, BlockId>,
    /// Labels that were placed, and those that jumps name.
    pub placed: FxHashSet<Name>,
    pub wanted: Vec<(Name, Position)>,
    /// How many labels blocks have declared for themselves.
    pub local_labels: u32,
    /// Where `break` and `continue` go, and how many of `cleanups` there are then.
    pub breaks: Vec<(BlockId, usize)>,
    pub continues: Vec<(BlockId, usize)>,
    /// What happens where the scopes that are open are left.
    pub cleanups: Vec<Leaving>,
    pub switches: Vec<Cases>,
    /// How deep the expression that is lowered is nested.
    pub nesting: u32,
    slot_names: FxHashMap<String, u32>,
    pub accesses: Accesses,
    /// The objects of `__func__` and its like.
    pub own_names: FxHashMap<Name, GlobalId>,
    /// Where the arguments lie that the function takes as `...`.
    pub variable: Option<Operand>,
}

impl<'l, 'o> Body<'l, 'o> {
    /// A function whose entry block is current; its parameters are declared,
    /// the operands of the source's parameters come back.
    pub fn new(
        unit: &'l mut Lowerer<'o>,
        id: FunctionId,
        name: &str,
        ty: &FunctionType,
        position: Position,
    ) -> (Self, Vec<Operand>) {
        let name = unit.name_id(name);
        let location = unit.declared_at(position, name);
        let declared = unit.module.function(id).name.clone();
        let (parameters, result) = ty.signature();
        let mut function = Function::declaration(declared, parameters, result, location);
        let entry = function.add_block(location);
        let mut operands = Vec::new();
        for ty in function.parameters.clone() {
            let value = function.add_value(ty, None);
            function.blocks[entry.index()].parameters.push(value);
            operands.push(Operand::Value(value));
        }
        let mut body = Self {
            unit,
            id,
            function,
            name,
            block: Some(entry),
            location,
            operation: None,
            result: ty.result.clone(),
            result_address: None,
            is_section: false,
            statement_open: false,
            order: None,
            labels: FxHashMap::default(),
            placed: FxHashSet::default(),
            wanted: Vec::new(),
            local_labels: 0,
            breaks: Vec::new(),
            continues: Vec::new(),
            cleanups: Vec::new(),
            switches: Vec::new(),
            nesting: 0,
            slot_names: FxHashMap::default(),
            accesses: Accesses::default(),
            own_names: FxHashMap::default(),
            variable: if ty.is_variadic() { operands.pop() } else { None },
        };
        if matches!(ty.result.kind, Kind::Record(_)) {
            let address = operands.remove(0);
            let slot = body.memory_slot("result#", Type::Pointer, false);
            body.effect(Op::Store {
                address: Operand::Slot(slot),
                value: address,
                ty: Type::Pointer,
                order: MemoryOrder::Plain,
                volatile: false,
            });
            body.result_address = Some(slot);
        }
        (body, operands)
    }

    pub fn at(&mut self, position: Position) {
        let location = self.unit.location(position, self.name);
        self.location = Location { operation: self.operation, ..location };
    }

    /// Appends what only says something of the code, which is no step of the program.
    pub fn mark(&mut self, name: &str, op: Op, position: Position) {
        let before = self.location;
        self.at(position);
        self.location.operation = Some(self.unit.name_id(name));
        self.effect(op);
        self.location = before;
    }

    /// Lowers what is a part of a library function's call.
    pub fn in_operation<T>(
        &mut self,
        name: &str,
        position: Position,
        f: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        let name = self.unit.name_id(name);
        let outer = self.operation;
        self.operation = outer.or(Some(name));
        self.at(position);
        let result = f(self);
        self.operation = outer;
        self.at(position);
        result
    }

    pub fn error<T>(&mut self, position: Position, message: impl Into<String>) -> Lowered<T> {
        self.unit.error(position, message)
    }

    /// Uses a builder at the current place.
    pub fn build<T>(&mut self, f: impl FnOnce(&mut Builder<'_>) -> T) -> T {
        let mut builder = Builder::new(&mut self.function, self.location);
        if let Some(block) = self.block {
            builder.switch_to(block);
        }
        let result = f(&mut builder);
        self.block = builder.block();
        result
    }

    pub fn define(&mut self, op: Op, ty: Type) -> Operand {
        let part = self.accesses.record(&op);
        let result = self.build(|b| b.define(op, ty));
        self.accesses.name(result, part);
        result
    }

    pub fn effect(&mut self, op: Op) {
        self.accesses.record(&op);
        self.build(|b| b.effect(op));
    }

    pub fn terminate(&mut self, kind: TerminatorKind) {
        use TerminatorKind as T;
        if matches!(kind, T::Halt | T::EndThread(_) | T::Unreachable) {
            self.accesses.acts();
        }
        self.build(|b| b.terminate(kind));
    }

    pub fn jump(&mut self, block: BlockId) {
        self.build(|b| b.jump(block));
    }

    pub fn branch(&mut self, condition: Operand, then: BlockId, otherwise: BlockId) {
        self.build(|b| b.branch(condition, then, otherwise));
    }

    pub fn new_block(&mut self) -> BlockId {
        let location = self.location;
        self.function.add_block(location)
    }

    pub fn switch_to(&mut self, block: BlockId) {
        self.block = Some(block);
    }

    pub fn binary(
        &mut self,
        op: BinaryOp,
        a: Operand,
        b: Operand,
        no_signed_wrap: bool,
    ) -> Operand {
        self.build(|x| x.binary(op, a, b, no_signed_wrap))
    }

    pub fn compare(&mut self, op: CompareOp, a: Operand, b: Operand) -> Operand {
        self.build(|x| x.compare(op, a, b))
    }

    pub fn cast(&mut self, op: CastOp, a: Operand, ty: Type) -> Operand {
        self.build(|x| x.cast(op, a, ty))
    }

    pub fn nondet(&mut self, ty: Type) -> Operand {
        self.build(|x| x.nondet(ty))
    }

    pub fn pointer_bits(&self) -> u16 {
        self.unit.module.target.pointer_bits
    }

    /// A stack object; its name becomes unique in the function.
    pub fn memory_slot(&mut self, name: &str, ty: Type, signed: bool) -> SlotId {
        let count = self.slot_names.entry(name.to_owned()).or_insert(0);
        *count += 1;
        let unique = if *count == 1 { name.to_owned() } else { format!("{name}#{count}") };
        self.function.add_slot(Slot { name: unique, ty, signed })
    }

    /// A local object.
    pub fn slot(&mut self, name: &str, ty: &CType, position: Position) -> Lowered<SlotId> {
        match ty.in_memory() {
            Ok(_) if !is_complete(&self.unit.records, ty) => {
                self.error(position, "an object of incomplete type")
            }
            Ok(memory) => Ok(self.memory_slot(name, memory, ty.holds_signed())),
            Err(what) => self.error(position, format!("{what} is not supported here")),
        }
    }

    /// A new local variable in the innermost scope.
    pub fn declare_local(&mut self, name: &Name, ty: CType, position: Position) -> Lowered<Place> {
        let slot = self.slot(name, &ty, position)?;
        self.unit.declare(name.clone(), Entity::Slot(slot, ty.clone()));
        Ok(Place::new(Operand::Slot(slot), ty))
    }

    /// A parameter, which lives in a slot: an operand of the entry block, or
    /// the address of a structure that the caller copied.
    pub fn receive(&mut self, place: &Place, operand: Operand, position: Position) -> Lowered<()> {
        let value = match place.ty.kind {
            Kind::Record(_) => Value::Record(Place::new(operand, place.ty.clone())),
            _ => Value::Scalar(operand, place.ty.clone()),
        };
        self.store(place, value, position)
    }

    /// An object that only the running thread sees, for what has no name.
    pub fn temporary(&mut self, ty: &CType, position: Position) -> Lowered<Place> {
        let slot = self.slot("temporary#", ty, position)?;
        Ok(Place::new(Operand::Slot(slot), ty.clone()))
    }

    /// Reads an object; `_Bool` becomes 0 or 1 of a byte.
    pub fn load(&mut self, place: &Place, position: Position) -> Lowered<Value> {
        if let Some(field) = place.bits {
            return Ok(self.load_bits(place, field));
        }
        match &place.ty.kind {
            Kind::Void => Ok(Value::Void),
            Kind::Record(_) if place.ty.atomic => {
                self.atomically(Section::Step, |body| body.load_whole(place, position))
            }
            Kind::Record(_) => {
                self.accesses.reads(place.address, place.ty.volatile);
                Ok(Value::Record(place.clone()))
            }
            Kind::Array(..) | Kind::Function(_) => {
                Ok(Value::Scalar(place.address, place.ty.decayed()))
            }
            Kind::Unsupported(what) => self.error(position, format!("{what} is not supported")),
            _ => {
                let Ok(memory) = place.ty.in_memory() else {
                    return self.error(position, "this object cannot be read");
                };
                let order = self.order_of(&place.ty);
                let op = Op::Load { address: place.address, order, volatile: place.ty.volatile };
                Ok(Value::Scalar(self.define(op, memory), place.ty.decayed()))
            }
        }
    }

    /// As [`load`](Self::load), but what is found is the value that the object has now, also of a
    /// structure, which is otherwise read where it is stored somewhere.
    pub fn load_whole(&mut self, place: &Place, position: Position) -> Lowered<Value> {
        if !matches!(place.ty.kind, Kind::Record(_)) {
            return self.load(place, position);
        }
        self.copied(place, position).map(Value::Record)
    }

    /// A temporary that holds what a structure holds now.
    pub fn copied(&mut self, place: &Place, position: Position) -> Lowered<Place> {
        let plain = CType { atomic: false, ..place.ty.clone() };
        let copy = self.temporary(&plain, position)?;
        let orders = [MemoryOrder::Plain, self.order_of(&place.ty)];
        self.copy_ordered(&copy, place, orders, position)?;
        Ok(copy)
    }

    /// Writes a value that has been converted to the place's type.
    pub fn store(&mut self, place: &Place, value: Value, position: Position) -> Lowered<()> {
        let Ok(ty) = place.ty.in_memory() else {
            return self.error(position, "this object cannot be written");
        };
        match value {
            Value::Scalar(..) if !place.ty.is_scalar() => {
                self.error(position, "this object is no scalar and cannot be assigned one")
            }
            Value::Scalar(value, _) => {
                if let Some(field) = place.bits {
                    self.store_bits(place, field, value);
                    return Ok(());
                }
                let order = self.order_of(&place.ty);
                let (address, volatile) = (place.address, place.ty.volatile);
                self.effect(Op::Store { address, value, ty, order, volatile });
                Ok(())
            }
            Value::Record(source) => {
                let orders = [self.order_of(&place.ty), MemoryOrder::Plain];
                if !place.ty.atomic {
                    return self.copy_ordered(place, &source, orders, position);
                }
                // The value is read before, in steps of its own, and without an order.
                let order = self.order.take();
                let source = self.copied(&source, position);
                self.order = order;
                let source = source?;
                self.atomically(Section::Step, |body| {
                    body.copy_ordered(place, &source, orders, position)
                })
            }
            Value::Void => self.error(position, "a value is needed here"),
        }
    }

    /// Width of the values of a scalar type.
    pub fn bits(&self, ty: &CType) -> u16 {
        match ty.kind {
            Kind::Bool => 8,
            Kind::Int { bits, .. } => bits,
            Kind::Float(format) => format.bits(),
            _ => self.pointer_bits(),
        }
    }

    /// Opens the atomic section of a statement, where statements are atomic.
    pub fn open_statement(&mut self) {
        if self.unit.options.atomicity == Atomicity::Statement && !self.statement_open {
            self.effect(Op::AtomicBegin(Section::Step));
            self.statement_open = true;
        }
    }

    /// Closes it. Returns whether one was open.
    pub fn close_statement(&mut self) -> bool {
        let open = self.statement_open;
        if open {
            self.effect(Op::AtomicEnd);
            self.statement_open = false;
        }
        open
    }

    /// Does something that other threads must be able to interrupt.
    pub fn interrupted<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let open = self.close_statement();
        let result = f(self);
        if open {
            self.open_statement();
        }
        result
    }

    /// Does something in a section of a kind.
    pub fn atomically<T>(&mut self, section: Section, f: impl FnOnce(&mut Self) -> T) -> T {
        self.effect(Op::AtomicBegin(section));
        let result = f(self);
        self.effect(Op::AtomicEnd);
        result
    }

    /// Enters an atomic section of the program.
    pub fn enter_atomic(&mut self) {
        self.close_statement();
        self.effect(Op::AtomicBegin(Section::Locked));
    }

    /// Leaves it.
    pub fn leave_atomic(&mut self) {
        self.close_statement();
        self.effect(Op::AtomicEnd);
    }

    /// Returns; a missing value is arbitrary.
    pub fn finish(&mut self, mut operand: Option<Operand>) {
        self.close_statement();
        operand = match self.function.result.clone() {
            Some(ty) => operand.or_else(|| Some(self.nondet(ty))),
            None => None,
        };
        self.terminate(TerminatorKind::Return(operand));
    }

    /// Keeps the value that the function returns: an operand for `finish`, or
    /// stored where the caller wants it.
    pub fn result_operand(&mut self, value: Value, position: Position) -> Lowered<Option<Operand>> {
        let result = self.result.clone();
        if result.kind == Kind::Void {
            return Ok(None);
        }
        match self.convert(value, &result, position)? {
            Value::Scalar(operand, _) => Ok(Some(operand)),
            Value::Record(place) => {
                let Some(slot) = self.result_address else {
                    return self.error(position, "no structure is returned here");
                };
                let address = Op::Load {
                    address: Operand::Slot(slot),
                    order: MemoryOrder::Plain,
                    volatile: false,
                };
                let address = self.define(address, Type::Pointer);
                self.store(&Place::new(address, result), Value::Record(place), position)?;
                Ok(None)
            }
            Value::Void => Ok(None),
        }
    }

    /// An access to an `_Atomic` object is sequentially consistent.
    pub fn order_of(&self, ty: &CType) -> MemoryOrder {
        match self.order {
            Some(order) => order,
            None if ty.atomic => MemoryOrder::SequentiallyConsistent,
            None => MemoryOrder::Plain,
        }
    }
}
