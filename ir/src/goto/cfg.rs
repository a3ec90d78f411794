//! The control-flow graph of a function.

use petgraph::graph::{DiGraph, NodeIndex};

use super::entity::BlockId;
use super::function::Function;

/// Successors, predecessors and a reverse post-order of the reachable blocks.
#[derive(Clone, Debug)]
pub struct Cfg {
    successors: Vec<Vec<BlockId>>,
    predecessors: Vec<Vec<BlockId>>,
    order: Vec<BlockId>,
    position: Vec<Option<u32>>,
}

impl Cfg {
    /// Builds the graph. Targets that do not exist are left out, so that the
    /// verifier can use it too.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        let count = function.blocks.len();
        let mut successors = vec![Vec::new(); count];
        let mut predecessors = vec![Vec::new(); count];
        // The block that was found to lead to each last: a switch may have a great many targets.
        let mut from = vec![None; count];
        for (block, data) in function.blocks() {
            data.terminator.kind.for_each_target(|target| {
                if target.block.index() < count
                    && from[target.block.index()].replace(block) != Some(block)
                {
                    successors[block.index()].push(target.block);
                    predecessors[target.block.index()].push(block);
                }
            });
        }
        let mut cfg =
            Self { successors, predecessors, order: Vec::new(), position: vec![None; count] };
        cfg.number();
        cfg
    }

    /// Depth-first search with an explicit stack: functions can be long.
    fn number(&mut self) {
        if self.successors.is_empty() {
            return;
        }
        let mut seen = vec![false; self.successors.len()];
        let mut stack = vec![(Function::ENTRY, 0)];
        seen[Function::ENTRY.index()] = true;
        while let Some((block, next)) = stack.last_mut() {
            match self.successors[block.index()].get(*next) {
                Some(&successor) => {
                    *next += 1;
                    if !seen[successor.index()] {
                        seen[successor.index()] = true;
                        stack.push((successor, 0));
                    }
                }
                None => {
                    self.order.push(*block);
                    stack.pop();
                }
            }
        }
        self.order.reverse();
        for (position, block) in self.order.iter().enumerate() {
            self.position[block.index()] = u32::try_from(position).ok();
        }
    }

    /// Blocks that `block` may continue at, each once.
    ///
    /// # Panics
    /// If the function has no such block.
    #[must_use]
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[block.index()]
    }

    /// Blocks that may continue at `block`, each once; unreachable ones included.
    ///
    /// # Panics
    /// If the function has no such block.
    #[must_use]
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block.index()]
    }

    /// Reachable blocks, each before its successors except along cycles.
    #[must_use]
    pub fn reverse_postorder(&self) -> &[BlockId] {
        &self.order
    }

    /// Position in [`reverse_postorder`](Self::reverse_postorder); `None` for unreachable blocks.
    #[must_use]
    pub fn position(&self, block: BlockId) -> Option<u32> {
        self.position.get(block.index()).copied().flatten()
    }

    /// Whether `block` can be reached from the entry.
    #[must_use]
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.position(block).is_some()
    }

    /// The graph for petgraph's algorithms; its nodes have the numbers of the blocks.
    #[must_use]
    pub fn graph(&self) -> DiGraph<(), ()> {
        let edges = self.successors.iter().map(Vec::len).sum();
        let mut graph = DiGraph::with_capacity(self.successors.len(), edges);
        for _ in &self.successors {
            graph.add_node(());
        }
        for (from, successors) in self.successors.iter().enumerate() {
            for to in successors {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(to.index()), ());
            }
        }
        graph
    }

    /// Whether an edge goes against the reverse post-order. Every cycle has such an edge.
    #[must_use]
    pub fn is_backwards(&self, from: BlockId, to: BlockId) -> bool {
        self.position(to) <= self.position(from)
    }
}
