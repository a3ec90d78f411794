//! Mark-and-sweep garbage collection from the externally referenced nodes.

use crate::edge::Edge;
use crate::node::{FREE, NIL, Store};

impl Store {
    /// Frees every node that no handle reaches; returns how many. Runs only between operations:
    /// within one, intermediate results have no root.
    pub(crate) fn collect(&mut self) -> usize {
        self.collections += 1;
        let marked = self.mark();
        let before = self.allocated;
        self.sweep(&marked);
        self.computed.retain(|edge| marked[edge.index()]);
        before - self.allocated
    }

    /// Collects if enough nodes were made since the last time, and sets the next threshold so
    /// that the work stays proportional to the nodes made.
    pub(crate) fn collect_if_due(&mut self) {
        if self.allocated < self.gc_threshold {
            return;
        }
        self.collect();
        self.gc_threshold = (self.allocated * 2).max(self.options.first_collection);
    }

    fn mark(&self) -> Vec<bool> {
        let mut marked = vec![false; self.nodes.len()];
        marked[0] = true;
        let mut stack: Vec<Edge> = Vec::new();
        let roots = self.references.iter().enumerate().filter(|&(_, &count)| count > 0);
        for (index, _) in roots {
            stack.push(Edge::regular_to(index as u32));
            while let Some(edge) = stack.pop() {
                if !std::mem::replace(&mut marked[edge.index()], true) {
                    let node = self.node(edge);
                    stack.extend([node.low, node.high]);
                }
            }
        }
        marked
    }

    fn sweep(&mut self, marked: &[bool]) {
        for table in &mut self.unique {
            table.clear();
        }
        self.free = NIL;
        self.allocated = 1;
        // Backwards, so that the free list hands out low indices first and nodes stay dense.
        for index in (1..self.nodes.len()).rev() {
            if marked[index] {
                let var = self.nodes[index].var as usize;
                self.unique[var].insert(&mut self.nodes, index as u32);
                self.allocated += 1;
            } else {
                let node = &mut self.nodes[index];
                node.var = FREE;
                node.next = self.free;
                self.free = index as u32;
            }
        }
    }
}
