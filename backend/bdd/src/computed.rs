//! The computed table: a direct-mapped, lossy memo of operation results that grows with use.

use crate::edge::Edge;

/// Which operation a result belongs to; the upper bits of a key number the substitution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum Operation {
    And = 1,
    Xor,
    Ite,
    Exists,
    AndExists,
    Compose,
    Cofactor,
    Restrict,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Key {
    operation: u32,
    operands: [Edge; 3],
}

impl Key {
    pub(crate) fn new(operation: Operation, f: Edge, g: Edge, h: Edge) -> Key {
        Key { operation: operation as u32, operands: [f, g, h] }
    }

    /// The key of `f` under the substitution with this number (below 2^28).
    pub(crate) fn compose(substitution: u32, f: Edge) -> Key {
        let operation = Operation::Compose as u32 | substitution << 4;
        Key { operation, operands: [f, Edge::TRUE, Edge::TRUE] }
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: Key,
    result: Edge,
}

const EMPTY: Entry =
    Entry { key: Key { operation: 0, operands: [Edge::TRUE; 3] }, result: Edge::TRUE };

#[derive(Debug)]
pub(crate) struct ComputedTable {
    entries: Vec<Entry>,
    limit: usize,
    inserted: usize,
    pub(crate) lookups: u64,
    pub(crate) hits: u64,
}

const FIRST_SIZE: usize = 1 << 10;

impl ComputedTable {
    /// A table that never has more than `limit` entries (rounded up to a power of two).
    pub(crate) fn new(limit: usize) -> ComputedTable {
        let limit = limit.clamp(FIRST_SIZE, 1 << 30).next_power_of_two();
        let entries = vec![EMPTY; FIRST_SIZE];
        ComputedTable { entries, limit, inserted: 0, lookups: 0, hits: 0 }
    }

    fn slot(&self, key: &Key) -> usize {
        let [f, g, h] = key.operands.map(|edge| u64::from(edge.bits()));
        let mut mixed = (f << 32 | g).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^= (h << 32 | u64::from(key.operation)).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        mixed ^= mixed >> 31;
        (mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as usize & (self.entries.len() - 1)
    }

    pub(crate) fn get(&mut self, key: &Key) -> Option<Edge> {
        self.lookups += 1;
        let entry = &self.entries[self.slot(key)];
        if entry.key != *key {
            return None;
        }
        self.hits += 1;
        Some(entry.result)
    }

    /// Remembers a result, overwriting whatever was in its slot.
    pub(crate) fn put(&mut self, key: Key, result: Edge) {
        self.inserted += 1;
        if self.inserted > self.entries.len() && self.entries.len() < self.limit {
            self.grow();
        }
        let slot = self.slot(&key);
        self.entries[slot] = Entry { key, result };
    }

    fn grow(&mut self) {
        let size = self.entries.len() * 2;
        let old = std::mem::replace(&mut self.entries, vec![EMPTY; size]);
        self.inserted = 0;
        for entry in old.into_iter().filter(|entry| entry.key.operation != 0) {
            let slot = self.slot(&entry.key);
            self.entries[slot] = entry;
        }
    }

    /// Drops the entries that name a node that is not `alive`: its index may be reused.
    pub(crate) fn retain(&mut self, alive: impl Fn(Edge) -> bool) {
        for entry in &mut self.entries {
            let dead = entry.key.operation != 0
                && !(alive(entry.result) && entry.key.operands.iter().all(|&edge| alive(edge)));
            if dead {
                *entry = EMPTY;
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.fill(EMPTY);
    }

    pub(crate) fn capacity(&self) -> usize {
        self.entries.len()
    }
}
