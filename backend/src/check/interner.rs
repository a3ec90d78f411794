//! Dense numbers for values.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Numbers equal values equally, from 0.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    numbers: FxHashMap<T, u32>,
    values: Vec<T>,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Interner<T> {
        Interner { numbers: FxHashMap::default(), values: Vec::new() }
    }

    pub(crate) fn number(&mut self, value: T) -> u32 {
        if let Some(&number) = self.numbers.get(&value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.numbers.insert(value.clone(), number);
        self.values.push(value);
        number
    }

    /// Approximate size in bytes, if each value has `heap` bytes outside itself.
    pub(crate) fn bytes(&self, heap: usize) -> usize {
        // Each value is there twice. The table has up to as many empty places as full ones, and
        // an allocation takes up to 16 bytes more than was asked for.
        self.values.len() * (3 * size_of::<T>() + 2 * (heap + 16) + 16)
    }

    /// How many values have numbers.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }
}
