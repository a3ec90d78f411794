//! The set of states found, hashed, each with the state it was found from.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Sequences of words, numbered in the order they come.
#[derive(Default)]
pub(super) struct Store {
    words: Vec<u32>,
    /// Where each sequence ends.
    ends: Vec<usize>,
    parents: Vec<u32>,
    /// Open addressing; a sequence's number plus one, or 0.
    table: Vec<u32>,
}

fn hash(words: &[u32]) -> usize {
    let mut hasher = FxHasher::default();
    words.iter().for_each(|word| hasher.write_u32(*word));
    hasher.finish() as usize
}

impl Store {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The words of a state.
    pub(super) fn get(&self, state: usize) -> &[u32] {
        let start = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.words[start..self.ends[state]]
    }

    /// The state it was found from; its own number if it is initial.
    pub(super) fn parent(&self, state: usize) -> usize {
        self.parents[state] as usize
    }

    /// Adds a state found from `parent`; its number if it is new.
    pub(super) fn insert(&mut self, words: &[u32], parent: usize) -> Option<usize> {
        if (self.len() + 1) * 2 > self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut at = hash(words) & mask;
        while self.table[at] != 0 {
            if self.get(self.table[at] as usize - 1) == words {
                return None;
            }
            at = (at + 1) & mask;
        }
        let number = self.len();
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
        self.parents.push(parent as u32);
        self.table[at] = number as u32 + 1;
        Some(number)
    }

    fn grow(&mut self) {
        let size = (self.table.len() * 2).max(1024);
        self.table = vec![0; size];
        for number in 0..self.len() {
            let mut at = hash(self.get(number)) & (size - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.table[at] = number as u32 + 1;
        }
    }

    /// Approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        4 * (self.words.capacity() + self.parents.capacity() + self.table.capacity())
            + 8 * self.ends.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_each_sequence_once() {
        let mut store = Store::default();
        for round in 0..2 {
            for i in 0..3000_u32 {
                let words = [i / 3, i % 3, i];
                let new = store.insert(&words[..1 + (i % 3) as usize], i as usize);
                // The first words alone are all different.
                assert_eq!(new.is_some(), round == 0, "{i}");
            }
        }
        assert_eq!(store.get(5), [1, 2, 5]);
        assert_eq!(store.parent(5), 5);
    }
}
