//! What is asked of buffers, whatever their layout.

use sapa_ir::goto::{Entity, FunctionId, MemoryModel, Module, NameId};
use sapa_limits::Limits;

use super::sections::Sections;
use crate::error::PassError;

/// Most blocks of a function with its buffer.
const MAX_BLOCKS: usize = 50_000;

/// What is said of a run in which more stores wait than the pass was told.
pub const OVERFLOW: &str = "no more stores wait in a buffer than its bound allows";

/// What a store does that finds no room in its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// It fails the assertion [`OVERFLOW`].
    Assert,
    /// It waits for room, as on a machine with such buffers.
    Wait,
    /// It takes the place of the oldest that waits for the same object, of which it is forgotten what it
    /// stores and how often: buffers have no bound then, and some runs are too many.
    Summary,
}

impl Overflow {
    /// The words of all, in options.
    pub(super) const WORDS: &[&str] =
        &[Self::Assert.word(), Self::Wait.word(), Self::Summary.word()];

    /// Its word in options.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Assert => "assert",
            Self::Wait => "wait",
            Self::Summary => "summary",
        }
    }

    /// What a word in options says.
    pub(super) fn of(word: &str) -> Self {
        let others = [Self::Wait, Self::Summary];
        others.into_iter().find(|other| other.word() == word).unwrap_or(Self::Assert)
    }
}

/// How buffers are to be.
pub(super) struct Rules<'r> {
    pub pass: &'static str,
    pub model: MemoryModel,
    /// Most stores that wait: in all (TSO), or of a class (PSO); `None` for no bound.
    pub bound: Option<usize>,
    /// What a store does that would be one more.
    pub overflow: Overflow,
    /// The operation that a store's way to memory is a part of, for reports.
    pub flush: NameId,
    /// The operation that its way into the buffer is a part of.
    pub waits: NameId,
    /// The operation [`OVERFLOW`], which tells its assertion from those of the program.
    pub overflows: NameId,
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
