//! The function that is being lowered, and the values in it.

use std::collections::HashMap;

use sapa_ir::goto::builder::Builder;
use sapa_ir::goto::{
    Atomicity, BinaryOp, BlockId, CastOp, CompareOp, Function, Location, MemoryOrder, Op, Operand,
    Slot, SlotId, TerminatorKind, Type,
};

use super::types::{CType, Kind};
use super::unit::{Entity, Lowered, Lowerer};
use crate::c::ast::Name;
use crate::c::position::Position;

/// An object: its address and its type.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub address: Operand,
    pub ty: CType,
}

/// The value of an expression.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Void,
    /// An integer or a pointer.
    Scalar(Operand, CType),
    /// A structure or union, by the address of an object that holds it.
    Record(Place),
}

/// A jump target and the depth of atomic sections that it is entered at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    pub block: BlockId,
    pub depth: u32,
}

/// Cases of the innermost switch.
#[derive(Debug, Default)]
pub(crate) struct Cases {
    pub ranges: Vec<(i128, i128, BlockId)>,
    pub default: Option<BlockId>,
    pub depth: u32,
}

/// Lowers one function.
pub(crate) struct Body<'l, 'o> {
    pub unit: &'l mut Lowerer<'o>,
    pub function: Function,
    pub block: Option<BlockId>,
    pub location: Location,
    pub result: CType,
    /// Depth of the atomic sections that the program opens.
    pub depth: u32,
    /// Depth at which the function returns.
    pub base_depth: u32,
    /// Whether a section around a statement is open.
    pub statement_open: bool,
    pub labels: HashMap<Name, (BlockId, Option<u32>)>,
    /// Labels that were placed, and those that jumps name.
    pub placed: std::collections::HashSet<Name>,
    pub wanted: Vec<(Name, Position)>,
    pub breaks: Vec<Exit>,
    pub continues: Vec<Exit>,
    pub switches: Vec<Cases>,
}

impl Body<'_, '_> {
    pub fn at(&mut self, position: Position) {
        let name = self.function.name.clone();
        self.location = self.unit.location(position, &name);
    }

    pub fn error<T>(&mut self, position: Position, message: impl Into<String>) -> Lowered<T> {
        self.unit.error(position, message)
    }

    /// Uses a builder at the current place.
    fn build<T>(&mut self, f: impl FnOnce(&mut Builder<'_>) -> T) -> T {
        let mut builder = Builder::new(&mut self.function, self.location);
        if let Some(block) = self.block {
            builder.switch_to(block);
        }
        let result = f(&mut builder);
        self.block = builder.block();
        result
    }

    pub fn define(&mut self, op: Op, ty: Type) -> Operand {
        self.build(|b| b.define(op, ty))
    }

    pub fn effect(&mut self, op: Op) {
        self.build(|b| b.effect(op));
    }

    pub fn terminate(&mut self, kind: TerminatorKind) {
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

    /// A local object.
    pub fn slot(&mut self, name: &str, ty: &CType, position: Position) -> Lowered<SlotId> {
        let memory = match ty.in_memory() {
            Ok(memory) => memory,
            Err(what) => return self.error(position, format!("{what} is not supported here")),
        };
        let mut unique = name.to_owned();
        let mut count = 1;
        while self.function.slots.iter().any(|slot| slot.name == unique) {
            count += 1;
            unique = format!("{name}#{count}");
        }
        Ok(self.function.add_slot(Slot { name: unique, ty: memory, signed: ty.is_signed() }))
    }

    /// A new local variable in the innermost scope.
    pub fn declare_local(&mut self, name: &Name, ty: CType, position: Position) -> Lowered<Place> {
        let slot = self.slot(name, &ty, position)?;
        self.unit.declare(name.clone(), Entity::Slot(slot, ty.clone()));
        Ok(Place { address: Operand::Slot(slot), ty })
    }

    /// Reads an object of scalar type; `_Bool` becomes 0 or 1 of a byte.
    pub fn load(&mut self, place: &Place, position: Position) -> Lowered<Value> {
        match &place.ty.kind {
            Kind::Void => Ok(Value::Void),
            Kind::Record(_) => Ok(Value::Record(place.clone())),
            Kind::Array(..) | Kind::Function(_) => {
                Ok(Value::Scalar(place.address, place.ty.decayed()))
            }
            Kind::Unsupported(what) => self.error(position, format!("{what} is not supported")),
            _ => {
                let Ok(memory) = place.ty.in_memory() else {
                    return self.error(position, "this object cannot be read");
                };
                let order = order_of(&place.ty);
                let op = Op::Load { address: place.address, order, volatile: place.ty.volatile };
                Ok(Value::Scalar(self.define(op, memory), place.ty.decayed()))
            }
        }
    }

    /// Writes a value that has been converted to the place's type.
    pub fn store(&mut self, place: &Place, value: Value, position: Position) -> Lowered<()> {
        let Ok(ty) = place.ty.in_memory() else {
            return self.error(position, "this object cannot be written");
        };
        match value {
            Value::Scalar(value, _) => {
                let order = order_of(&place.ty);
                self.effect(Op::Store {
                    address: place.address,
                    value,
                    ty,
                    order,
                    volatile: place.ty.volatile,
                });
                Ok(())
            }
            Value::Record(source) => {
                self.effect(Op::CopyMemory {
                    destination: place.address,
                    source: source.address,
                    ty,
                });
                Ok(())
            }
            Value::Void => self.error(position, "a value is needed here"),
        }
    }

    /// A value as an `i1`: whether it is not 0.
    pub fn truth(&mut self, value: Value, position: Position) -> Lowered<Operand> {
        match value {
            Value::Scalar(value, ty) => {
                let zero = match ty.kind {
                    Kind::Pointer(_) => Operand::Null,
                    _ => Operand::int(self.bits(&ty), 0),
                };
                if let (Operand::Int { value, .. }, Operand::Int { .. }) = (value, zero) {
                    return Ok(Operand::bool(value != 0));
                }
                Ok(self.compare(CompareOp::Ne, value, zero))
            }
            _ => self.error(position, "a scalar is needed here"),
        }
    }

    /// Width of the values of a scalar type.
    pub fn bits(&self, ty: &CType) -> u16 {
        match ty.kind {
            Kind::Bool => 8,
            Kind::Int { bits, .. } => bits,
            _ => self.pointer_bits(),
        }
    }

    /// An `i1` as an `int`.
    pub fn truth_value(&mut self, truth: Operand) -> Value {
        let int = self.unit.integers().int();
        let bits = self.bits(&int);
        let value = match truth {
            Operand::Int { value, .. } => Operand::int(bits, value),
            truth => self.cast(CastOp::ZeroExtend, truth, Type::Int(bits)),
        };
        Value::Scalar(value, int)
    }

    /// A value converted as if by assignment or cast.
    pub fn convert(&mut self, value: Value, ty: &CType, position: Position) -> Lowered<Value> {
        if ty.kind == Kind::Void {
            return Ok(Value::Void);
        }
        let (operand, from) = match value {
            Value::Scalar(operand, from) => (operand, from),
            Value::Record(place) if place.ty.kind == ty.kind => return Ok(Value::Record(place)),
            _ => return self.error(position, "this value cannot be converted to the type needed"),
        };
        let target = ty.decayed();
        let converted = match (&from.kind, &target.kind) {
            (_, Kind::Bool) if from.kind != Kind::Bool => {
                let truth = self.truth(Value::Scalar(operand, from), position)?;
                match truth {
                    Operand::Int { value, .. } => Operand::int(8, value),
                    truth => self.cast(CastOp::ZeroExtend, truth, Type::Int(8)),
                }
            }
            (Kind::Pointer(_), Kind::Pointer(_)) => operand,
            (Kind::Pointer(_), _) if target.is_integer() => {
                let bits = self.pointer_bits();
                let integer = self.cast(CastOp::PointerToInt, operand, Type::Int(bits));
                self.resize(integer, bits, false, self.bits(&target))
            }
            (_, Kind::Pointer(_)) if from.is_integer() => {
                let bits = self.pointer_bits();
                let integer = self.resize(operand, self.bits(&from), from.is_signed(), bits);
                match integer {
                    Operand::Int { value: 0, .. } => Operand::Null,
                    integer => self.cast(CastOp::IntToPointer, integer, Type::Pointer),
                }
            }
            _ if from.is_integer() && target.is_integer() => {
                self.resize(operand, self.bits(&from), from.is_signed(), self.bits(&target))
            }
            (_, Kind::Unsupported(what)) | (Kind::Unsupported(what), _) => {
                return self.error(position, format!("{what} is not supported"));
            }
            _ => return self.error(position, "this value cannot be converted to the type needed"),
        };
        Ok(Value::Scalar(converted, target))
    }

    /// An integer of another width.
    pub fn resize(&mut self, value: Operand, from: u16, signed: bool, to: u16) -> Operand {
        if let Operand::Int { value, .. } = value {
            let shift = 128 - u32::from(from);
            let wide = if signed { (((value << shift) as i128) >> shift) as u128 } else { value };
            return Operand::int(to, wide);
        }
        match from.cmp(&to) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.cast(CastOp::Truncate, value, Type::Int(to)),
            std::cmp::Ordering::Less if signed => {
                self.cast(CastOp::SignExtend, value, Type::Int(to))
            }
            std::cmp::Ordering::Less => self.cast(CastOp::ZeroExtend, value, Type::Int(to)),
        }
    }

    /// Opens the atomic section of a statement, where statements are atomic.
    pub fn open_statement(&mut self) {
        if self.unit.options.atomicity == Atomicity::Statement
            && self.depth == 0
            && !self.statement_open
        {
            self.effect(Op::AtomicBegin);
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
}

/// An access to an `_Atomic` object is sequentially consistent.
fn order_of(ty: &CType) -> MemoryOrder {
    if ty.atomic { MemoryOrder::SequentiallyConsistent } else { MemoryOrder::Plain }
}
