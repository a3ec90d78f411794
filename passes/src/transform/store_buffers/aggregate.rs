//! Copies of structures, and memory that gets any contents, scalar by scalar.

use sapa_ir::goto::{BlockId, Builder, Entity, FunctionId, Module, Op, Operand, Section, Type};

use crate::error::PassError;

/// Most scalars of an object that is copied.
const MAX_SCALARS: usize = 256;

/// Writes the copies and choices of whole objects in a function that `may_wait` holds of, at a position, as loads
/// and stores of scalars, in one step; whether there were any.
///
/// # Errors
/// An object whose members share bytes, or with too many scalars.
pub(super) fn split(
    module: &mut Module,
    id: FunctionId,
    pass: &'static str,
    may_wait: impl Fn((BlockId, usize), &Op) -> bool,
) -> Result<bool, PassError> {
    let mut function = std::mem::take(&mut module.functions[id.index()]);
    let mut refused = None;
    let mut changed = false;
    let target = module.target.pointer_bits;
    function.rewrite(|builder, (block, index), instruction| {
        let ty = match &instruction.op {
            Op::CopyMemory { ty, .. } | Op::HavocMemory { ty, .. }
                if may_wait((block, index), &instruction.op) =>
            {
                ty
            }
            _ => return builder.push(instruction),
        };
        let Some(scalars) = scalars(module, ty) else {
            refused = refused.or(Some((block, index, instruction.location)));
            return;
        };
        changed = true;
        builder.effect(Op::AtomicBegin(Section::Step));
        for (offset, ty) in scalars {
            let at = |builder: &mut Builder<'_>, base| match offset {
                0 => base,
                _ => {
                    let index = Operand::int(target, u128::from(offset));
                    builder.define(
                        Op::IndexAddress { base, element: Type::Int(8), index },
                        Type::Pointer,
                    )
                }
            };
            match instruction.op {
                Op::CopyMemory { destination, source, .. } => {
                    let source = at(builder, source);
                    let destination = at(builder, destination);
                    let value = builder.load(ty.clone(), source);
                    builder.store(ty, destination, value);
                }
                Op::HavocMemory { address, .. } => {
                    let address = at(builder, address);
                    let value = builder.nondet(ty.clone());
                    builder.store(ty, address, value);
                }
                _ => {}
            }
        }
        builder.effect(Op::AtomicEnd);
    });
    module.functions[id.index()] = function;
    match refused {
        None => Ok(changed),
        Some((block, index, location)) => {
            let entity = Entity::Instruction(id, block, index);
            let message = format!(
                "an object whose members share bytes, or of more than {MAX_SCALARS} scalars, is copied \
                 where stores may wait: copy its members one by one"
            );
            Err(PassError::at(pass, entity, location, message))
        }
    }
}

/// The scalars of a type with their offsets, in order; `None` if some share bytes, or there are too
/// many.
fn scalars(module: &Module, ty: &Type) -> Option<Vec<(u64, Type)>> {
    let mut found = Vec::new();
    collect(module, ty, 0, &mut found)?;
    found.sort_by_key(|(offset, _)| *offset);
    let apart = found.windows(2).all(|pair| match pair {
        [(a, ty), (b, _)] => a + ty.size(module) <= *b,
        _ => true,
    });
    apart.then_some(found)
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
