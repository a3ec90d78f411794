//! What is asked of buffers, whatever their layout.

use sapa_ir::goto::{Entity, FunctionId, MemoryModel, Module, NameId};
use sapa_limits::Limits;

use super::sections::Sections;
use crate::error::PassError;

/// Most blocks of a function with its buffer.
const MAX_BLOCKS: usize = 50_000;

/// What is said of a run in which more stores wait than the pass was told.
pub const OVERFLOW: &str = "no more stores wait in a buffer than its bound allows";

/// How buffers are to be.
pub(super) struct Rules<'r> {
    pub pass: &'static str,
    pub model: MemoryModel,
    /// Most stores that wait: in all (TSO), or of a class (PSO); `None` for no bound.
    pub bound: Option<usize>,
    /// Whether a store that would be one more waits for room, as on a machine with such buffers;
    /// else it fails the assertion [`OVERFLOW`].
    pub waits_for_room: bool,
    /// The operation that a store's way to memory is a part of, for reports.
    pub flush: NameId,
    /// The operation that its way into the buffer is a part of.
    pub waits: NameId,
    /// The operation [`OVERFLOW`], which tells its assertion from those of the program.
    pub overflow: NameId,
    pub limits: &'r Limits,
}

impl Rules<'_> {
    /// The sections that the code of a function is in.
    ///
    /// # Errors
    /// A block is entered from sections of different kinds.
    pub fn sections(&self, module: &Module, id: FunctionId) -> Result<Sections, PassError> {
        Sections::new(module.function(id)).map_err(|block| {
            let message = "a block is entered from sections of different kinds";
            PassError::new(self.pass, module, Entity::Block(id, block), message)
        })
    }

    /// Whether a function may have so many blocks, and the time for them.
    ///
    /// # Errors
    /// It may not; `advice` is what to do then.
    pub fn check(
        &self,
        module: &Module,
        id: FunctionId,
        name: &str,
        blocks: usize,
        advice: &str,
    ) -> Result<(), PassError> {
        self.limits.check()?;
        if blocks <= MAX_BLOCKS {
            return Ok(());
        }
        let message = format!(
            "the code of `{name}` would need more than {MAX_BLOCKS} blocks for what may wait in its \
             buffer: {advice}"
        );
        Err(PassError::new(self.pass, module, Entity::Function(id), message))
    }
}
