//! Objects as lists of scalars, for code that treats them one by one.

use sapa_ir::goto::{Builder, Module, Op, Operand, Type};

/// Most scalars of an object that is treated scalar by scalar.
pub(super) const MAX_SCALARS: usize = 256;

/// The address of what lies at an offset from a base; `bits` is the width of a pointer.
pub(super) fn scalar_at(
    builder: &mut Builder<'_>,
    base: Operand,
    offset: u64,
    bits: u16,
) -> Operand {
    if offset == 0 {
        return base;
    }
    let index = Operand::int(bits, u128::from(offset));
    builder.define(Op::IndexAddress { base, element: Type::Int(8), index }, Type::Pointer)
}

/// Stores zeros in an object that has these scalars; `bits` is the width of a pointer.
pub(super) fn make_zero(
    builder: &mut Builder<'_>,
    object: Operand,
    layout: &[(u64, Type)],
    bits: u16,
) {
    for (offset, ty) in layout {
        let value = match ty {
            Type::Int(bits) => Operand::int(*bits, 0),
            _ => Operand::Null,
        };
        let address = scalar_at(builder, object, *offset, bits);
        builder.store(ty.clone(), address, value);
    }
}

/// The scalars of a type with their offsets, in order; `None` if some share bytes, or there are too
/// many.
pub(super) fn scalars(module: &Module, ty: &Type) -> Option<Vec<(u64, Type)>> {
    let mut found = Vec::new();
    collect(module, ty, 0, &mut found)?;
    found.sort_by_key(|(offset, _)| *offset);
    let apart = found.windows(2).all(|pair| match pair {
        [(a, ty), (b, _)] => a + ty.size(module) <= *b,
        _ => true,
    });
    apart.then_some(found)
}

/// The same with the bytes between them and behind the last one, each a scalar.
pub(super) fn scalars_and_padding(module: &Module, ty: &Type) -> Option<Vec<(u64, Type)>> {
    let mut all = Vec::new();
    let mut end = 0;
    for (offset, scalar) in scalars(module, ty)? {
        all.extend((end..offset).map(|byte| (byte, Type::Int(8))));
        end = offset + scalar.size(module);
        all.push((offset, scalar));
    }
    all.extend((end..ty.size(module)).map(|byte| (byte, Type::Int(8))));
    (all.len() <= MAX_SCALARS).then_some(all)
}

fn collect(module: &Module, ty: &Type, at: u64, found: &mut Vec<(u64, Type)>) -> Option<()> {
    match ty {
        Type::Int(_) | Type::Pointer => {
            found.push((at, ty.clone()));
            (found.len() <= MAX_SCALARS).then_some(())
        }
        Type::Array(element, count) => {
            let size = element.size(module);
            (0..*count).try_for_each(|index| collect(module, element, at + index * size, found))
        }
        Type::Struct(id) => {
            let fields = &module.structs.get(id.index())?.fields;
            fields.iter().try_for_each(|field| collect(module, &field.ty, at + field.offset, found))
        }
    }
}
