//! The unique table: one chained hash table per variable, its chains threaded through the nodes.

use crate::edge::Edge;
use crate::node::{Exhausted, NIL, Node, Store};

/// The nodes of one variable. A table per variable lets two levels be swapped without touching others.
#[derive(Debug)]
pub(crate) struct Subtable {
    buckets: Vec<u32>,
    /// 64 minus the logarithm of the number of buckets.
    shift: u32,
    pub(crate) len: usize,
}

const FIRST_BUCKETS: usize = 8;

impl Subtable {
    pub(crate) const BUCKET_BYTES: usize = size_of::<u32>();

    pub(crate) fn new() -> Subtable {
        Subtable { buckets: vec![NIL; FIRST_BUCKETS], shift: shift(FIRST_BUCKETS), len: 0 }
    }

    /// The bucket of a node: the upper bits of a sum of two products, each of which spreads its
    /// operand over all upper bits.
    #[inline]
    fn bucket(&self, low: Edge, high: Edge) -> usize {
        let mixed = u64::from(low.bits())
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(u64::from(high.bits()).wrapping_mul(0xc2b2_ae3d_27d4_eb4f));
        (mixed >> self.shift) as usize
    }

    /// Forgets all nodes; the sweep re-inserts the living ones.
    pub(crate) fn clear(&mut self) {
        self.buckets.fill(NIL);
        self.len = 0;
    }

    /// Puts a node that is not in the table at the head of its chain.
    #[inline]
    pub(crate) fn insert(&mut self, nodes: &mut [Node], index: u32) {
        let node = &mut nodes[index as usize];
        let bucket = self.bucket(node.low, node.high);
        node.next = self.buckets[bucket];
        self.buckets[bucket] = index;
        self.len += 1;
    }

    #[inline]
    pub(crate) fn find(&self, nodes: &[Node], low: Edge, high: Edge) -> Option<u32> {
        let mut index = self.buckets[self.bucket(low, high)];
        while index != NIL {
            let node = &nodes[index as usize];
            if node.low == low && node.high == high {
                return Some(index);
            }
            index = node.next;
        }
        None
    }

    /// Takes a node out of its chain.
    pub(crate) fn remove(&mut self, nodes: &mut [Node], index: u32) {
        let node = nodes[index as usize];
        let bucket = self.bucket(node.low, node.high);
        let mut at = self.buckets[bucket];
        if at == index {
            self.buckets[bucket] = node.next;
        } else {
            while nodes[at as usize].next != index {
                at = nodes[at as usize].next;
            }
            nodes[at as usize].next = node.next;
        }
        self.len -= 1;
    }

    /// All nodes, in no particular order.
    pub(crate) fn collect_into(&self, nodes: &[Node], indices: &mut Vec<u32>) {
        for &head in &self.buckets {
            let mut index = head;
            while index != NIL {
                indices.push(index);
                index = nodes[index as usize].next;
            }
        }
    }

    #[inline]
    pub(crate) fn grow_if_full(&mut self, nodes: &mut [Node]) {
        if self.len >= self.buckets.len() {
            self.grow(nodes);
        }
    }

    #[cold]
    fn grow(&mut self, nodes: &mut [Node]) {
        let size = self.buckets.len() * 2;
        let old = std::mem::replace(&mut self.buckets, vec![NIL; size]);
        self.shift = shift(size);
        self.len = 0;
        for mut index in old {
            while index != NIL {
                let next = nodes[index as usize].next;
                self.insert(nodes, index);
                index = next;
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.buckets.len() * Subtable::BUCKET_BYTES
    }
}

fn shift(buckets: usize) -> u32 {
    64 - buckets.trailing_zeros()
}

impl Store {
    /// The index of the node `(var, low, high)`, made if there is none. `high` must be regular.
    #[inline]
    pub(crate) fn find_or_insert(
        &mut self,
        var: u32,
        low: Edge,
        high: Edge,
    ) -> Result<u32, Exhausted> {
        let table = &self.unique[var as usize];
        if let Some(index) = table.find(&self.nodes, low, high) {
            return Ok(index);
        }
        let index = self.allocate(Node { var, low, high, next: NIL })?;
        let table = &mut self.unique[var as usize];
        table.grow_if_full(&mut self.nodes);
        table.insert(&mut self.nodes, index);
        Ok(index)
    }
}
