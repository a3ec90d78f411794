//! What is executed at most once in a run of the program.

use std::collections::BTreeSet;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{BlockId, Function, FunctionId, Module, Op, Operand};

use super::call_graph::CallGraph;

/// Functions that are executed at most once: the entry, if nothing calls or
/// starts it, and a function whose only use is one start, outside loops, in a
/// function that is executed at most once.
#[must_use]
pub fn functions(module: &Module) -> BTreeSet<FunctionId> {
    let graph = CallGraph::new(module);
    let mut uses: FxHashMap<FunctionId, usize> = FxHashMap::default();
    for (id, _) in module.functions() {
        for callee in graph.sites(id).iter().filter_map(|site| site.callee) {
            *uses.entry(callee).or_default() += 1;
        }
    }
    let taken = graph.address_taken();
    let unused = |id: &FunctionId| !uses.contains_key(id) && !taken.contains(id);
    let mut found: BTreeSet<FunctionId> = BTreeSet::new();
    let mut pending: Vec<FunctionId> = module.entry.filter(unused).into_iter().collect();
    while let Some(id) = pending.pop() {
        if !found.insert(id) {
            continue;
        }
        let function = module.function(id);
        let straight = straight_blocks(function);
        for (block, content) in function.blocks() {
            for instruction in &content.instructions {
                if let Op::Spawn { function: Operand::Function(started), .. } = &instruction.op
                    && straight.contains(&block)
                    && uses.get(started) == Some(&1)
                    && !taken.contains(started)
                {
                    pending.push(*started);
                }
            }
        }
    }
    found
}

/// The reachable blocks of a function that an execution of it passes at most once: those that are
/// on no cycle.
#[must_use]
pub fn straight_blocks(function: &Function) -> FxHashSet<BlockId> {
    let cfg = Cfg::new(function);
    let mut graph = DiGraph::<(), ()>::with_capacity(function.blocks.len(), 0);
    for _ in &function.blocks {
        graph.add_node(());
    }
    for (block, _) in function.blocks() {
        for successor in cfg.successors(block) {
            graph.add_edge(NodeIndex::new(block.index()), NodeIndex::new(successor.index()), ());
        }
    }
    let components = kosaraju_scc(&graph).into_iter();
    components
        .filter_map(|component| match component.as_slice() {
            [node] => Some(BlockId::new(node.index())),
            _ => None,
        })
        .filter(|block| cfg.is_reachable(*block) && !cfg.successors(*block).contains(block))
        .collect()
}
