//! Copies of structures, and memory that gets any contents, scalar by scalar.

use sapa_ir::goto::{BlockId, Builder, Entity, FunctionId, Module, Op, Section};

use crate::error::PassError;
use crate::transform::scalars::{MAX_SCALARS, scalar_at, scalars};

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
            let at = |builder: &mut Builder<'_>, base| scalar_at(builder, base, offset, target);
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
