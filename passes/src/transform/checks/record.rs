//! Records that passes keep of what a program does, in globals of their own: the object that is looked at. Which one it
//! is, is chosen where something happens to it, so that one variable does for any number of objects, and every
//! run in which something is wrong with one has a run beside it in which that one was chosen.

use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, Builder, CastOp, CompareOp, Global, GlobalId, Initializer, Location, Module, NameId,
    Op, Operand, Section, Type, address, operation,
};

/// Appends what is no code of the program, but belongs to a record.
pub(super) fn apart<T>(
    builder: &mut Builder<'_>,
    operation: NameId,
    build: impl FnOnce(&mut Builder<'_>) -> T,
) -> T {
    let before = builder.location;
    builder.location.operation = Some(operation);
    let built = build(builder);
    builder.location = before;
    built
}

/// The number of the object that an address, which is given as a number, points into.
pub(super) fn object(builder: &mut Builder<'_>, address: Operand, bits: u16) -> Operand {
    let first = Operand::int(bits, address::first(bits).into());
    let place = builder.binary(BinaryOp::Sub, address, first, false);
    let offset = Operand::int(bits, address::offset_bits(bits).into());
    builder.binary(BinaryOp::LogicalShiftRight, place, offset, false)
}

/// Tells addresses of objects from those of others.
#[derive(Clone, Copy)]
pub(super) struct Objects {
    operation: NameId,
    bits: u16,
}

impl Objects {
    /// For a module.
    pub fn of(module: &mut Module) -> Self {
        let operation = module.intern_name(operation::RECORD);
        Self { operation, bits: module.target.pointer_bits }
    }

    /// Whether two areas of a size are the same, or have no byte in common.
    pub fn are_apart(
        self,
        builder: &mut Builder<'_>,
        areas: [Operand; 2],
        size: Operand,
    ) -> Operand {
        apart(builder, self.operation, |builder| {
            let ty = Type::Int(self.bits);
            let [a, b] = areas.map(|area| builder.cast(CastOp::PointerToInt, area, ty.clone()));
            // Where the other one begins, seen from either: a negative distance is a large one.
            let [to_b, to_a] = [(b, a), (a, b)].map(|(to, from)| {
                let distance = builder.binary(BinaryOp::Sub, to, from, false);
                builder.compare(CompareOp::UnsignedLe, size, distance)
            });
            let is_same = builder.compare(CompareOp::Eq, a, b);
            let is_apart = builder.binary(BinaryOp::And, to_a, to_b, false);
            builder.binary(BinaryOp::Or, is_same, is_apart, false)
        })
    }

    /// Whether an address points into none of these variables.
    pub fn is_none_of(
        self,
        builder: &mut Builder<'_>,
        pointer: Operand,
        variables: &[Operand],
    ) -> Operand {
        apart(builder, self.operation, |builder| {
            let number = |builder: &mut Builder<'_>, of| {
                let number = builder.cast(CastOp::PointerToInt, of, Type::Int(self.bits));
                object(builder, number, self.bits)
            };
            let this = number(builder, pointer);
            let mut is_none = Operand::bool(true);
            for &variable in variables {
                let other = number(builder, variable);
                let is_other = builder.compare(CompareOp::Ne, this, other);
                is_none = match is_none {
                    Operand::Int { .. } => is_other,
                    before => builder.binary(BinaryOp::And, before, is_other, false),
                };
            }
            is_none
        })
    }
}

/// How the names of records begin: as those of globals do that no store waits for.
const PREFIX: &str = "__CPROVER_";

/// Whether a global is the record of this name.
pub(super) fn is_named(module: &Module, id: GlobalId, name: &str) -> bool {
    let global = module.globals.get(id.index());
    global.and_then(|global| global.name.strip_prefix(PREFIX)) == Some(name)
}

/// A global that holds the address of an object as a number, or 0.
#[derive(Clone, Copy)]
pub(super) struct Record {
    global: GlobalId,
    operation: NameId,
    bits: u16,
}

impl Record {
    /// A new one.
    pub fn new(module: &mut Module, name: &str) -> Self {
        let bits = module.target.pointer_bits;
        let global = module.add_global(Global {
            name: format!("{PREFIX}{name}"),
            ty: Type::Int(bits),
            initializer: Initializer::Zero,
            thread_local: false,
            constant: false,
            signed: false,
            location: Location::default(),
        });
        Self { global, operation: module.intern_name(operation::RECORD), bits }
    }

    /// Appends what belongs to the record.
    fn apart<T>(self, builder: &mut Builder<'_>, build: impl FnOnce(&mut Builder<'_>) -> T) -> T {
        apart(builder, self.operation, build)
    }

    fn zero(self) -> Operand {
        Operand::int(self.bits, 0)
    }

    /// Changes what is recorded, in one step: `change` is given what it is, and says what it becomes.
    fn change(
        self,
        builder: &mut Builder<'_>,
        change: impl FnOnce(&mut Builder<'_>, Operand) -> Operand,
    ) {
        self.apart(builder, |builder| {
            builder.effect(Op::AtomicBegin(Section::Locked));
            let ty = Type::Int(self.bits);
            let old = builder.load(ty.clone(), Operand::Global(self.global));
            let new = change(builder, old);
            builder.store(ty, Operand::Global(self.global), new);
            builder.effect(Op::AtomicEnd);
        });
    }

    /// Chooses the object at an address, perhaps, if none is chosen. That of the null pointer stays none.
    pub fn choose(self, builder: &mut Builder<'_>, object: Operand) {
        self.change(builder, |builder, old| {
            let number = builder.cast(CastOp::PointerToInt, object, Type::Int(self.bits));
            let is_unset = builder.compare(CompareOp::Eq, old, self.zero());
            let any = builder.nondet(BOOL);
            let condition = builder.binary(BinaryOp::And, is_unset, any, false);
            builder.define(Op::Select { condition, a: number, b: old }, Type::Int(self.bits))
        });
    }

    /// Chooses none, if that at an address is chosen.
    pub fn forget(self, builder: &mut Builder<'_>, object: Operand) {
        self.change(builder, |builder, old| {
            let number = builder.cast(CastOp::PointerToInt, object, Type::Int(self.bits));
            let condition = builder.compare(CompareOp::Eq, old, number);
            let op = Op::Select { condition, a: self.zero(), b: old };
            builder.define(op, Type::Int(self.bits))
        });
    }

    /// Whether none is chosen.
    pub fn is_none(self, builder: &mut Builder<'_>) -> Operand {
        self.apart(builder, |builder| {
            let now = builder.load(Type::Int(self.bits), Operand::Global(self.global));
            builder.compare(CompareOp::Eq, now, self.zero())
        })
    }

    /// Whether an address points into another object than that which is chosen, or none is. The null pointer points into
    /// none.
    pub fn is_other(self, builder: &mut Builder<'_>, pointer: Operand) -> Operand {
        self.apart(builder, |builder| {
            let ty = Type::Int(self.bits);
            let now = builder.load(ty.clone(), Operand::Global(self.global));
            let number = builder.cast(CastOp::PointerToInt, pointer, ty);
            let chosen = object(builder, now, self.bits);
            let this = object(builder, number, self.bits);
            let is_other = builder.compare(CompareOp::Ne, chosen, this);
            let is_unset = builder.compare(CompareOp::Eq, now, self.zero());
            builder.binary(BinaryOp::Or, is_unset, is_other, false)
        })
    }
}
