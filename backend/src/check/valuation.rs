//! Packed valuations and dense numbers for values.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Values of variables, packed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Bits(Box<[u64]>);

impl Bits {
    /// `count` variables, all false.
    pub(crate) fn zero(count: usize) -> Bits {
        Bits(vec![0; count.div_ceil(64)].into_boxed_slice())
    }

    pub(crate) fn get(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    pub(crate) fn set(&mut self, at: usize, value: bool) {
        let mask = 1 << (at % 64);
        if value {
            self.0[at / 64] |= mask;
        } else {
            self.0[at / 64] &= !mask;
        }
    }

    /// The values of the first `count` variables.
    pub(crate) fn to_bools(&self, count: usize) -> Vec<bool> {
        (0..count).map(|at| self.get(at)).collect()
    }
}

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

    pub(crate) fn value(&self, number: u32) -> &T {
        &self.values[number as usize]
    }
}
