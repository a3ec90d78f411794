//! Signed operations that are known not to overflow.
//!
//! Where overflow is excluded (`--signed-overflow absent`), each signed sum cuts off the runs in which it overflows: a guard
//! for all that comes after, and a place at which others may act before the thread goes on. Neither is needed where what is
//! known of the operands leaves room. All these operations may say so at once: the first of them that overflowed would do so
//! in a state in which none has, of which everything holds that was found.

use sapa_ir::goto::{BlockId, FunctionId, Instruction, Module, Op, SignedOverflow};
use sapa_limits::{Exceeded, Limits};

use super::threads::Threads;

/// Where an operation stands: function, block, and the instruction in it.
type Place = (FunctionId, BlockId, usize);

/// The signed operations in code that is reached of which no overflow has to be excluded.
pub(super) fn without_overflow(
    threads: &Threads<'_>,
    module: &Module,
    limits: &Limits,
) -> Result<Vec<Place>, Exceeded> {
    let mut found = Vec::new();
    if module.signed_overflow != SignedOverflow::Absent {
        return Ok(found);
    }
    let excludes = |instruction: &Instruction| {
        matches!(instruction.op, Op::Binary { no_signed_wrap: true, .. })
    };
    for (at, body) in threads.bodies.iter().enumerate() {
        for &block in &body.order {
            limits.check()?;
            let code = &body.function.block(block).instructions;
            let Some(last) = code.iter().rposition(excludes) else { continue };
            let Some(mut walk) = threads.walk(at, block) else { continue };
            for (index, instruction) in code.iter().enumerate().take(last + 1) {
                if walk.is_dead() {
                    break;
                }
                if excludes(instruction) && walk.has_room(&instruction.op) {
                    found.push((body.id, block, index));
                }
                walk.step(block, index, instruction);
            }
        }
    }
    Ok(found)
}

/// Lets operations wrap, which they never do.
pub(super) fn let_wrap(module: &mut Module, places: &[Place]) {
    for &(function, block, index) in places {
        let code = &mut module.functions[function.index()].blocks[block.index()].instructions;
        if let Some(Op::Binary { no_signed_wrap, .. }) = code.get_mut(index).map(|i| &mut i.op) {
            *no_signed_wrap = false;
        }
    }
}
