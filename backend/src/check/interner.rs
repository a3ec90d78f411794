//! Dense numbers for values.

use std::hash::Hash;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::index::small_index;

/// Numbers equal values equally, from 0.
#[derive(Debug)]
pub(crate) struct Interner<T>(IndexSet<T, FxBuildHasher>);

impl<T: Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Interner<T> {
        Interner(IndexSet::default())
    }

    pub(crate) fn number(&mut self, value: T) -> u32 {
        small_index(self.0.insert_full(value).0)
    }

    /// Approximate size in bytes, if each value has `heap` bytes outside itself.
    pub(crate) fn bytes(&self, heap: usize) -> usize {
        // A value stands beside its hash. The vector and the table of places in it have up to as many
        // empty entries as full ones, and an allocation takes up to 16 bytes more than was asked for.
        self.0.len() * (2 * (size_of::<T>() + 8) + heap + 16 + 2 * 9)
    }

    /// How many values have numbers.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn value(&self, number: u32) -> &T {
        &self.0[number as usize]
    }
}
