//! Fences that no pass has made code of.

use sapa_ir::goto::mnemonic::{MEMORY, word};
use sapa_ir::goto::{Module, Op};

use super::AutomatonError;

/// Where the buffers are a part of the code, the pass that put them there has made code of fences
/// too: one that is left would be read as nothing.
pub(super) fn refuse(module: &Module) -> Result<(), AutomatonError> {
    for (id, function) in module.functions() {
        for (entity, instruction) in function.entities(id) {
            if matches!(instruction.op, Op::Fence { .. }) {
                let what =
                    format!("a fence in a module of `memory {}`", word(MEMORY, &module.memory));
                return Err(AutomatonError::Unsupported {
                    entity,
                    location: instruction.location,
                    what,
                });
            }
        }
    }
    Ok(())
}
