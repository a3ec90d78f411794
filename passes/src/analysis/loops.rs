//! Natural loops.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{BlockId, Function, ValueId};

/// A natural loop: the blocks from which a jump back to the header can be reached without passing
/// it. It is entered at its header only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where it is entered.
    pub header: BlockId,
    /// Its blocks, the header among them.
    pub blocks: BTreeSet<BlockId>,
}

impl Loop {
    /// The values that are defined in it, in ascending order.
    #[must_use]
    pub fn values(&self, function: &Function) -> BTreeSet<ValueId> {
        let mut values = BTreeSet::new();
        for block in self.blocks.iter().map(|&block| function.block(block)) {
            values.extend(&block.parameters);
            values.extend(block.instructions.iter().filter_map(|i| i.result));
        }
        values
    }
}

/// The natural loops of a function that are in no other, in the order in which they are reached.
#[must_use]
pub fn outermost(function: &Function) -> Vec<Loop> {
    let cfg = Cfg::new(function);
    // A loop is entered before the loops in it.
    let mut covered = vec![false; function.blocks.len()];
    let mut found = Vec::new();
    for (header, ends) in headers(&cfg) {
        if !covered[header.index()] {
            let content = body(&cfg, header, ends);
            content.blocks.iter().for_each(|block| covered[block.index()] = true);
            found.push(content);
        }
    }
    found
}

/// The natural loops of a function, one for each header.
#[must_use]
pub fn natural(function: &Function) -> Vec<Loop> {
    let cfg = Cfg::new(function);
    headers(&cfg).map(|(header, ends)| body(&cfg, header, ends)).collect()
}

/// The headers of natural loops, in the order in which they are reached, each with the blocks that
/// jump back to it.
fn headers(cfg: &Cfg) -> impl Iterator<Item = (BlockId, Vec<BlockId>)> + use<> {
    let dominators = Dominators::new(cfg);
    let mut ends: BTreeMap<Option<u32>, (BlockId, Vec<BlockId>)> = BTreeMap::new();
    for &block in cfg.reverse_postorder() {
        for &header in cfg.successors(block) {
            if cfg.is_backwards(block, header) && dominators.dominates(header, block) {
                let entry = ends.entry(cfg.position(header)).or_insert((header, Vec::new()));
                entry.1.push(block);
            }
        }
    }
    ends.into_values()
}

/// The loop of a header and the blocks that jump back to it.
fn body(cfg: &Cfg, header: BlockId, mut pending: Vec<BlockId>) -> Loop {
    let mut blocks = BTreeSet::from([header]);
    while let Some(block) = pending.pop() {
        if blocks.insert(block) {
            let before = cfg.predecessors(block).iter();
            pending.extend(before.filter(|block| cfg.is_reachable(**block)));
        }
    }
    Loop { header, blocks }
}
