//! Dominators and dominance frontiers (Cooper, Harvey, Kennedy: "A Simple, Fast
//! Dominance Algorithm").

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::NodeIndex;

use super::cfg::Cfg;
use super::entity::BlockId;
use super::function::Function;

/// The dominator tree of the reachable blocks of a function.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// Immediate dominator of each block; of the entry, itself; `None` if unreachable.
    immediate: Vec<Option<BlockId>>,
    /// Depth of each block in the tree.
    depth: Vec<u32>,
}

impl Dominators {
    /// Computes the tree.
    #[must_use]
    pub fn new(cfg: &Cfg) -> Self {
        let count = cfg.reverse_postorder().iter().map(|b| b.index() + 1).max().unwrap_or(0);
        let mut tree = Self { immediate: vec![None; count], depth: vec![0; count] };
        let Some((&entry, rest)) = cfg.reverse_postorder().split_first() else { return tree };
        tree.immediate[entry.index()] = Some(entry);
        let found = simple_fast(&cfg.graph(), NodeIndex::new(entry.index()));
        // A block comes after its immediate dominator.
        for &block in rest {
            let parent = found.immediate_dominator(NodeIndex::new(block.index()));
            tree.immediate[block.index()] = parent.map(|node| BlockId::new(node.index()));
            tree.depth[block.index()] = parent.map_or(0, |node| tree.depth[node.index()] + 1);
        }
        tree
    }

    /// The immediate dominator; of the entry, the entry; `None` for unreachable blocks.
    #[must_use]
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        self.immediate.get(block.index()).copied().flatten()
    }

    /// Whether every path from the entry to `b` goes through `a`. False if
    /// either is unreachable.
    #[must_use]
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        if self.immediate(a).is_none() || self.immediate(b).is_none() {
            return false;
        }
        let mut block = b;
        while self.depth[block.index()] > self.depth[a.index()] {
            block = self.immediate[block.index()].unwrap_or(Function::ENTRY);
        }
        block == a
    }

    /// Dominance frontier of each block: where its definitions meet others'.
    /// Indexed by block, up to the last reachable one.
    #[must_use]
    pub fn frontiers(&self, cfg: &Cfg) -> Vec<Vec<BlockId>> {
        let mut frontiers = vec![Vec::new(); self.immediate.len()];
        for &block in cfg.reverse_postorder() {
            let Some(stop) = self.immediate(block) else { continue };
            let is_entry = block == Function::ENTRY;
            for &predecessor in cfg.predecessors(block) {
                if self.immediate(predecessor).is_none() {
                    continue;
                }
                let mut runner = predecessor;
                while is_entry || runner != stop {
                    let frontier: &mut Vec<BlockId> = &mut frontiers[runner.index()];
                    // A block is added for all its predecessors in turn.
                    if frontier.last() != Some(&block) {
                        frontier.push(block);
                    }
                    let next = self.immediate[runner.index()].unwrap_or(Function::ENTRY);
                    if next == runner {
                        break;
                    }
                    runner = next;
                }
            }
        }
        frontiers
    }
}
