//! What the SSA values of a running function are.

use std::hash::{BuildHasher, Hash, Hasher};

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::goto::ValueId;

/// The values that are not 0. A long function has many that are never read again: a state takes the
/// memory of those that are.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// Zeros may be there too, until [`retain`](Self::retain) takes them out: a value that changes to and
    /// fro keeps its place.
    all: FxHashMap<ValueId, u128>,
}

impl Values {
    pub fn get(&self, value: ValueId) -> u128 {
        self.all.get(&value).copied().unwrap_or(0)
    }

    pub fn set(&mut self, value: ValueId, to: u128) {
        if to != 0 {
            self.all.insert(value, to);
        } else if let Some(old) = self.all.get_mut(&value) {
            *old = 0;
        }
    }

    /// Those that are not 0, in some order.
    pub fn all(&self) -> impl Iterator<Item = u128> {
        self.all.values().copied()
    }

    /// Makes all others 0.
    pub fn retain(&mut self, mut is_kept: impl FnMut(ValueId) -> bool) {
        self.all.retain(|&value, of| *of != 0 && is_kept(value));
        if self.all.capacity() > 4 * self.all.len() {
            self.all.shrink_to_fit();
        }
    }

    /// How many values memory is taken for.
    pub fn capacity(&self) -> usize {
        self.all.capacity()
    }

    fn agrees(&self, other: &Self) -> bool {
        self.all.iter().all(|(&value, &of)| other.get(value) == of)
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.agrees(other) && other.agrees(self)
    }
}

impl Eq for Values {}

impl Hash for Values {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // In any order.
        let of = |entry: (&ValueId, &u128)| FxBuildHasher.hash_one(entry);
        let is_set = |(_, of): &(&ValueId, &u128)| **of != 0;
        let sum = self.all.iter().filter(is_set).map(of).fold(0_u64, u64::wrapping_add);
        sum.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_equal_whatever_was_there_before() {
        let (a, b) = (ValueId::new(3), ValueId::new(70_000));
        let mut one = Values::default();
        one.set(a, 7);
        one.set(b, 9);
        one.set(b, 0);
        let mut other = Values::default();
        assert_ne!(one, other);
        other.set(a, 7);
        assert_eq!(one, other);
        assert_eq!(FxBuildHasher.hash_one(&one), FxBuildHasher.hash_one(&other));
        one.retain(|value| value != a);
        assert_eq!((one.get(a), one.capacity()), (0, 0));
    }
}
