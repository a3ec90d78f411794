//! The computed table: a direct-mapped, lossy memo of operation results that grows with use.

use sapa_limits::Limits;

use crate::edge::Edge;

/// Operations with at most two operands; the others have a [`Key`] constructor of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum Operation {
    And,
    Xor,
    Exists,
    Compose,
    Cofactor,
    Restrict,
    Constrain,
}

/// Three words. The two upper bits of the last say how to read it: 00 is the third operand of an
/// if-then-else, 01 the cube of a relational product, 10 an [`Operation`]. Edges have 30 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(crate) struct Key {
    f: u32,
    g: u32,
    tagged: u32,
}

/// One more than the largest index of a node.
pub(crate) const INDEX_LIMIT: usize = 1 << 29;
const CUBE: u32 = 1 << 30;
const OPERATION: u32 = 2 << 30;
/// Not the tag of any key.
const UNUSED: u32 = u32::MAX;

impl Key {
    #[inline]
    pub(crate) fn new(operation: Operation, f: Edge, g: Edge) -> Key {
        Key { f: f.bits(), g: g.bits(), tagged: OPERATION | operation as u32 }
    }

    #[inline]
    pub(crate) fn ite(f: Edge, g: Edge, h: Edge) -> Key {
        Key { f: f.bits(), g: g.bits(), tagged: h.bits() }
    }

    #[inline]
    pub(crate) fn and_exists(f: Edge, g: Edge, cube: Edge) -> Key {
        Key { f: f.bits(), g: g.bits(), tagged: CUBE | cube.bits() }
    }

    /// The key of `f` under the substitution with this number.
    #[inline]
    pub(crate) fn compose(substitution: u32, f: Edge) -> Key {
        let tagged = OPERATION | Operation::Compose as u32;
        Key { f: f.bits(), g: substitution, tagged }
    }

    fn all_edges(&self, alive: impl Fn(Edge) -> bool) -> bool {
        let third = match self.tagged >> 30 {
            0 | 1 => alive(Edge::from_bits(self.tagged & (CUBE - 1))),
            _ => true,
        };
        let second =
            self.tagged == OPERATION | Operation::Compose as u32 || alive(Edge::from_bits(self.g));
        third && second && alive(Edge::from_bits(self.f))
    }

    /// Spreads the three words over the upper bits.
    #[inline]
    fn hash(&self) -> u64 {
        u64::from(self.f)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(u64::from(self.g).wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
            .wrapping_add(u64::from(self.tagged).wrapping_mul(0xd6e8_feb8_6659_fd93))
    }
}

/// 16 bytes and never across two cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
struct Entry {
    key: Key,
    result: Edge,
}

pub(crate) const ENTRY_BYTES: usize = size_of::<Entry>();

const EMPTY: Entry = Entry { key: Key { f: 0, g: 0, tagged: UNUSED }, result: Edge::TRUE };

#[derive(Debug)]
pub(crate) struct ComputedTable {
    entries: Vec<Entry>,
    /// 64 minus the logarithm of the size.
    shift: u32,
    limit: usize,
    /// What it may grow to for now.
    allowed: usize,
    inserted: usize,
    /// Steps of work since the clock was read.
    steps: usize,
    /// Steps of work before that.
    done: u64,
    most: u64,
    limits: Limits,
    expired: bool,
    pub(crate) lookups: u64,
    pub(crate) hits: u64,
}

const FIRST_SIZE: usize = 1 << 12;
/// Steps of work between two looks at the clock, which takes as long as a few of them.
const CLOCK_INTERVAL: usize = 1 << 12;
/// Always allowed: it fits into a second-level cache.
const FLOOR: usize = 1 << 14;

impl ComputedTable {
    /// A table that never has more than `limit` entries (rounded up to a power of two), for `most`
    /// steps of work.
    pub(crate) fn new(limit: usize, limits: Limits, most: u64) -> ComputedTable {
        let limit = limit.clamp(FIRST_SIZE, 1 << 29).next_power_of_two();
        let mut table = ComputedTable {
            entries: Vec::new(),
            shift: 0,
            limit,
            allowed: FIRST_SIZE,
            inserted: 0,
            steps: 0,
            done: 0,
            most,
            limits,
            expired: false,
            lookups: 0,
            hits: 0,
        };
        table.resize(FIRST_SIZE);
        table
    }

    #[inline]
    fn slot(&self, key: &Key) -> usize {
        (key.hash() >> self.shift) as usize
    }

    #[inline]
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
    #[inline]
    pub(crate) fn put(&mut self, key: Key, result: Edge) {
        self.inserted += 1;
        self.work(1);
        if self.inserted > self.entries.len() {
            self.grow();
        }
        let slot = self.slot(&key);
        self.entries[slot] = Entry { key, result };
    }

    /// Allows one entry for four nodes: measured on all families of `benches/bdd`, larger tables
    /// lose more by cache misses than they gain by hits.
    pub(crate) fn allow(&mut self, nodes: usize) {
        self.allowed = (nodes / 4).next_power_of_two().clamp(FLOOR.min(self.limit), self.limit);
    }

    /// Counts steps of work, results that are put here among them, and reads the clock every few
    /// thousand.
    #[inline]
    pub(crate) fn work(&mut self, steps: usize) {
        self.steps += steps;
        if self.steps >= CLOCK_INTERVAL {
            self.read_clock();
        }
    }

    #[cold]
    fn read_clock(&mut self) {
        self.done += self.steps as u64;
        self.steps = 0;
        self.expired |= self.is_spent() || self.limits.is_exceeded();
    }

    /// Whether time or work was over when the clock was last read.
    #[inline]
    pub(crate) fn is_expired(&self) -> bool {
        self.expired
    }

    /// Whether more work was done than was allowed, when the clock was last read.
    pub(crate) fn is_spent(&self) -> bool {
        self.done > self.most
    }

    /// The steps of work so far.
    pub(crate) fn all_work(&self) -> u64 {
        self.done + self.steps as u64
    }

    #[cold]
    fn grow(&mut self) {
        self.inserted = 0;
        if self.entries.len() >= self.allowed {
            return;
        }
        let old = std::mem::take(&mut self.entries);
        self.resize(old.len() * 2);
        for entry in old.into_iter().filter(|entry| entry.key.tagged != UNUSED) {
            let slot = self.slot(&entry.key);
            self.entries[slot] = entry;
        }
    }

    fn resize(&mut self, size: usize) {
        self.entries = vec![EMPTY; size];
        self.shift = 64 - size.trailing_zeros();
    }

    /// Drops the entries that name a node that is not `alive`: its index may be reused.
    pub(crate) fn retain(&mut self, alive: impl Fn(Edge) -> bool) {
        for entry in &mut self.entries {
            if entry.key.tagged != UNUSED && !(alive(entry.result) && entry.key.all_edges(&alive)) {
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

    /// The memory that it may grow to.
    pub(crate) fn bytes_limit(&self) -> usize {
        self.limit * ENTRY_BYTES
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.len() * ENTRY_BYTES
    }
}
