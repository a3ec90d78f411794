//! Sets of shared and of local valuations by number: equal numbers are equal sets.

use sapa_bdd::Bdd;

use crate::check::interner::Interner;

/// A set of valuations, over current shared variables or over the active slot's current locals.
pub(super) type SetId = u32;

/// Gives sets their numbers.
#[derive(Debug)]
pub(super) struct Sets(Interner<Bdd>);

impl Sets {
    pub(super) fn new() -> Sets {
        Sets(Interner::new())
    }

    pub(super) fn number(&mut self, set: Bdd) -> SetId {
        self.0.number(set)
    }

    /// Approximate size in bytes, without the BDDs' nodes.
    pub(super) fn bytes(&self) -> usize {
        self.0.bytes(0)
    }

    pub(super) fn get(&self, set: SetId) -> &Bdd {
        self.0.value(set)
    }
}
