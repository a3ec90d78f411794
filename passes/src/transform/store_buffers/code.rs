//! Code about stores that wait, wherever what waits is kept.

use sapa_ir::goto::{
    BinaryOp, Builder, CastOp, CompareOp, Function, Module, NameId, Op, Operand, Type,
};

use super::effect::Class;

/// The name, with primes until no object or variable of the function has it.
pub(super) fn unused_name(function: &Function, mut name: String) -> String {
    let taken = |name: &String| {
        function.slots.iter().any(|slot| slot.name == *name)
            || function.variables.iter().any(|variable| variable.name == *name)
    };
    while taken(&name) {
        name.push('\'');
    }
    name
}

/// Where all stores of a class are to; `None` if each waits with an address of its own.
pub(super) fn fixed_address(
    code: &mut Builder<'_>,
    module: &Module,
    class: &Class,
) -> Option<Operand> {
    let (global, offset) = class.fixed?;
    let base = Operand::Global(global);
    if offset == 0 {
        return Some(base);
    }
    let index = Operand::int(module.target.pointer_bits, u128::from(offset));
    let op = Op::IndexAddress { base, element: Type::Int(8), index };
    Some(code.define(op, Type::Pointer))
}

/// Whether two accesses, at addresses and of sizes, are of the same bytes, and whether they have a
/// byte in common. If they cannot have some bytes in common but not all (`part`), these are the same.
pub(super) fn compare(
    code: &mut Builder<'_>,
    module: &Module,
    (a, a_size): (Operand, u64),
    (b, b_size): (Operand, u64),
    part: bool,
) -> (Operand, Operand) {
    let bits = module.target.pointer_bits;
    let same = code.compare(CompareOp::Eq, a, b);
    if !part {
        return (same, same);
    }
    let word = Type::Int(bits);
    let a = code.cast(CastOp::PointerToInt, a, word.clone());
    let b = code.cast(CastOp::PointerToInt, b, word);
    let behind = code.binary(BinaryOp::Sub, a, b, false);
    let before = code.binary(BinaryOp::Sub, b, a, false);
    let size = |size: u64| Operand::int(bits, u128::from(size));
    let behind = code.compare(CompareOp::UnsignedLt, behind, size(b_size));
    let before = code.compare(CompareOp::UnsignedLt, before, size(a_size));
    let overlap = code.binary(BinaryOp::Or, behind, before, false);
    let same = if a_size == b_size { same } else { Operand::bool(false) };
    (same, overlap)
}

/// Whether a load of a type can read a waiting store of the same bytes.
pub(super) fn can_forward(module: &Module, class: &Class, ty: &Type) -> bool {
    class.ty == *ty || class.ty.bits(module) == ty.bits(module)
}

/// What a load of a type reads of a waiting store that it [can](can_forward) read.
pub(super) fn forwarded(
    code: &mut Builder<'_>,
    class: &Class,
    value: Operand,
    ty: &Type,
) -> Operand {
    match (&class.ty, ty) {
        (Type::Pointer, Type::Int(_)) => code.cast(CastOp::PointerToInt, value, ty.clone()),
        (Type::Int(_), Type::Pointer) => code.cast(CastOp::IntToPointer, value, ty.clone()),
        _ => value,
    }
}

/// A store of a class is written to memory, as a part of the operation `flush`.
pub(super) fn write(
    code: &mut Builder<'_>,
    class: &Class,
    flush: NameId,
    address: Operand,
    value: Operand,
) {
    let here = code.location;
    code.location = class.location;
    code.location.operation = Some(flush);
    code.store(class.ty.clone(), address, value);
    code.location = here;
}
