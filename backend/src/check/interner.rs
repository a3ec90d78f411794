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

    /// How many values have numbers.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }
}
