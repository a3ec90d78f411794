//! Code about stores that wait, wherever what waits is kept.

use std::cmp::Ordering;

use sapa_ir::goto::{
    BinaryOp, Builder, CastOp, CompareOp, Endianness, Function, Module, NameId, Op, Operand, Type,
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

/// What two accesses turn out to have in common when the code is executed.
pub(super) struct Common {
    /// Whether the first has all bytes of the second, and how many bytes behind its start these
    /// begin; `None` if it is too small for that.
    pub all: Option<(Operand, Operand)>,
    /// Whether they have a byte in common.
    pub some: Operand,
}

/// Compares two accesses, at addresses and of sizes. If they cannot have some bytes of the second in
/// common but not all, nor others of the first (`part`), these are the same.
pub(super) fn compare(
    code: &mut Builder<'_>,
    module: &Module,
    (a, a_size): (Operand, u64),
    (b, b_size): (Operand, u64),
    part: bool,
) -> Common {
    let same = code.compare(CompareOp::Eq, a, b);
    if !part {
        return Common { all: Some((same, bytes(module, 0))), some: same };
    }
    let word = Type::Int(module.target.pointer_bits);
    let a = code.cast(CastOp::PointerToInt, a, word.clone());
    let b = code.cast(CastOp::PointerToInt, b, word);
    let behind = code.binary(BinaryOp::Sub, b, a, false);
    let before = code.binary(BinaryOp::Sub, a, b, false);
    let all = a_size.checked_sub(b_size).map(|room| match room {
        0 => (same, bytes(module, 0)),
        _ => (code.compare(CompareOp::UnsignedLe, behind, bytes(module, room)), behind),
    });
    let is_behind = code.compare(CompareOp::UnsignedLt, behind, bytes(module, a_size));
    let is_before = code.compare(CompareOp::UnsignedLt, before, bytes(module, b_size));
    Common { all, some: code.binary(BinaryOp::Or, is_behind, is_before, false) }
}

/// A number of bytes, as wide as a pointer.
pub(super) fn bytes(module: &Module, number: u64) -> Operand {
    Operand::int(module.target.pointer_bits, u128::from(number))
}

/// What a load of a type reads of a waiting store that has all its bytes, so many [bytes] `behind` the
/// start of the store.
pub(super) fn forwarded(
    code: &mut Builder<'_>,
    module: &Module,
    class: &Class,
    (value, behind): (Operand, Operand),
    ty: &Type,
) -> Operand {
    if class.ty == *ty {
        return value;
    }
    let pointer_bits = module.target.pointer_bits;
    let bits = |ty: &Type| ty.bits(module).expect("only scalars are loaded and stored");
    let mut wide = bits(&class.ty);
    let mut value = match class.ty {
        Type::Pointer => code.cast(CastOp::PointerToInt, value, Type::Int(pointer_bits)),
        _ => value,
    };
    let room = class.access.size - ty.size(module);
    if room > 0 {
        let before = wide;
        wide = wide.next_power_of_two().max(8);
        value = resized(code, value, before, wide);
        let behind = resized(code, behind, pointer_bits, wide);
        let number = |number: u64| Operand::int(wide, u128::from(number));
        let bytes = match module.target.endianness {
            Endianness::Little => behind,
            Endianness::Big => code.binary(BinaryOp::Sub, number(room), behind, false),
        };
        let distance = code.binary(BinaryOp::Mul, bytes, number(8), false);
        value = code.binary(BinaryOp::LogicalShiftRight, value, distance, false);
    }
    value = resized(code, value, wide, bits(ty));
    match ty {
        Type::Pointer => code.cast(CastOp::IntToPointer, value, Type::Pointer),
        _ => value,
    }
}

/// An integer with other bits: filled with zeros, or cut.
fn resized(code: &mut Builder<'_>, value: Operand, bits: u16, to: u16) -> Operand {
    match bits.cmp(&to) {
        Ordering::Equal => value,
        Ordering::Less => code.cast(CastOp::ZeroExtend, value, Type::Int(to)),
        Ordering::Greater => code.cast(CastOp::Truncate, value, Type::Int(to)),
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
