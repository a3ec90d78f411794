//! Mark-and-sweep garbage collection from the externally referenced nodes.

use crate::edge::Edge;
use crate::node::{FREE, NIL, Store};

/// One bit per node.
pub(crate) struct Marks(Vec<u64>);

impl Marks {
    pub(crate) fn new(nodes: usize) -> Marks {
        Marks(vec![0; nodes.div_ceil(64)])
    }

    #[inline]
    pub(crate) fn contains(&self, index: usize) -> bool {
        self.0[index / 64] >> (index % 64) & 1 == 1
    }

    /// Whether the mark is new.
    #[inline]
    pub(crate) fn insert(&mut self, index: usize) -> bool {
        let word = &mut self.0[index / 64];
        let bit = 1 << (index % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

impl Store {
    /// Frees every node that no handle reaches; returns how many. Runs only between operations:
    /// within one, intermediate results have no root.
    pub(crate) fn collect(&mut self) -> usize {
        self.collections += 1;
        let (marked, living) = self.mark();
        let dead = self.allocated - living;
        if dead > 0 {
            // Whichever touches fewer chains.
            if dead < living {
                self.unlink(&marked)
            } else {
                self.rebuild(&marked)
            }
            self.allocated = living;
            self.computed.retain(|edge| marked.contains(edge.index()));
        }
        dead
    }

    /// Collects if enough nodes were made since the last time, and sets the next threshold so
    /// that the work stays proportional to the nodes made.
    #[inline]
    pub(crate) fn collect_if_due(&mut self) {
        if self.allocated >= self.gc_threshold {
            self.collect_and_reorder();
        }
    }

    #[cold]
    fn collect_and_reorder(&mut self) {
        self.collect();
        if self.allocated >= self.reorder_threshold {
            self.reorder();
            self.reorder_threshold = (self.allocated * 2).max(self.reorder_threshold);
        }
        // A reordering that comes due sooner waits for a quarter more nodes at least.
        let reordering = self.reorder_threshold.max(self.allocated + self.allocated / 4);
        self.gc_threshold = (self.allocated * 2).max(self.options.first_collection).min(reordering);
    }

    /// What the roots reach, and how many nodes that is. Children mostly have smaller indices
    /// than their parents, so one pass from the top finds nearly all of it with nodes read in
    /// order and only the marks, which are small, at random.
    fn mark(&self) -> (Marks, usize) {
        let mut marked = Marks::new(self.nodes.len());
        marked.insert(0);
        let mut living = 1;
        let mut above: Vec<Edge> = Vec::new();
        for index in (1..self.nodes.len()).rev() {
            if self.references[index] > 0 {
                living += usize::from(marked.insert(index));
            }
            if !marked.contains(index) {
                continue;
            }
            let node = &self.nodes[index];
            for child in [node.low, node.high] {
                if marked.insert(child.index()) {
                    living += 1;
                    if child.index() > index {
                        above.push(child);
                    }
                }
            }
        }
        while let Some(edge) = above.pop() {
            let node = self.node(edge);
            for child in [node.low, node.high] {
                if marked.insert(child.index()) {
                    living += 1;
                    above.push(child);
                }
            }
        }
        (marked, living)
    }

    /// Takes the dead nodes out of their chains.
    fn unlink(&mut self, marked: &Marks) {
        self.free = NIL;
        // Backwards, so that the free list hands out low indices first and nodes stay dense.
        for index in (1..self.nodes.len()).rev() {
            if !marked.contains(index) {
                let var = self.nodes[index].var;
                if var != FREE {
                    self.unique[var as usize].remove(&mut self.nodes, index as u32);
                }
                self.release_slot(index as u32);
            }
        }
    }

    /// Puts the living nodes into empty tables.
    fn rebuild(&mut self, marked: &Marks) {
        for table in &mut self.unique {
            table.clear();
        }
        self.free = NIL;
        for index in (1..self.nodes.len()).rev() {
            if marked.contains(index) {
                let var = self.nodes[index].var as usize;
                self.unique[var].insert(&mut self.nodes, index as u32);
            } else {
                self.release_slot(index as u32);
            }
        }
    }

    /// Puts a slot on the free list.
    pub(crate) fn release_slot(&mut self, index: u32) {
        let node = &mut self.nodes[index as usize];
        node.var = FREE;
        node.next = self.free;
        self.free = index;
    }
}
