//! Canonical concrete states, as symbolic engines hand them to be made a trace of.

use sapa_ir::boolean::flat::LocationId;

/// A thread whose number does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountedThread {
    pub(crate) location: LocationId,
    /// The initial thread, which does not count against the bound.
    pub(crate) initial: bool,
    /// Inside an atomic section.
    pub(crate) holder: bool,
    /// By local variable; dead ones are false.
    pub(crate) locals: Vec<bool>,
}

/// A state up to the numbers of its threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountedState {
    pub(crate) shared: Vec<bool>,
    pub(crate) threads: Vec<CountedThread>,
}
