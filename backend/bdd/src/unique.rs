//! The unique table: one chained hash table per variable, its chains threaded through the nodes.

use crate::edge::Edge;
use crate::manager::OutOfNodes;
use crate::node::{NIL, Node, Store};

/// The nodes of one variable. A table per variable lets two levels be swapped without touching others.
#[derive(Debug)]
pub(crate) struct Subtable {
    buckets: Vec<u32>,
    len: usize,
}

impl Subtable {
    pub(crate) fn new() -> Subtable {
        Subtable { buckets: vec![NIL; 8], len: 0 }
    }

    fn bucket(&self, low: Edge, high: Edge) -> usize {
        hash(low, high) as usize & (self.buckets.len() - 1)
    }

    /// Forgets all nodes; the sweep re-inserts the living ones.
    pub(crate) fn clear(&mut self) {
        self.buckets.fill(NIL);
        self.len = 0;
    }

    /// Puts a node that is not in the table at the head of its chain.
    pub(crate) fn insert(&mut self, nodes: &mut [Node], index: u32) {
        let node = nodes[index as usize];
        let bucket = self.bucket(node.low, node.high);
        nodes[index as usize].next = self.buckets[bucket];
        self.buckets[bucket] = index;
        self.len += 1;
    }

    fn find(&self, nodes: &[Node], low: Edge, high: Edge) -> Option<u32> {
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

    fn grow_if_full(&mut self, nodes: &mut [Node]) {
        if self.len < self.buckets.len() {
            return;
        }
        let old = std::mem::take(&mut self.buckets);
        self.buckets = vec![NIL; old.len() * 2];
        self.len = 0;
        for mut index in old {
            while index != NIL {
                let next = nodes[index as usize].next;
                self.insert(nodes, index);
                index = next;
            }
        }
    }
}

/// Fibonacci hashing of the two children.
fn hash(low: Edge, high: Edge) -> u64 {
    let key = u64::from(low.bits()) << 32 | u64::from(high.bits());
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
}

impl Store {
    /// The index of the node `(var, low, high)`, made if there is none. `high` must be regular.
    pub(crate) fn find_or_insert(
        &mut self,
        var: u32,
        low: Edge,
        high: Edge,
    ) -> Result<u32, OutOfNodes> {
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
