//! What is executed at most once in a run of the program.

use std::collections::BTreeMap;

use petgraph::algo::kosaraju_scc;
use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{BlockId, Function, FunctionId, Module, Op, Operand};
use sapa_limits::Exceeded;

use super::call_graph::CallGraph;
use super::{Analyses, Analysis};

/// The functions that are executed at most once, each with its blocks of which that holds too: the
/// entry, if nothing calls or starts it, and a function whose only use is one start, outside loops,
/// in a function that is executed at most once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecutedOnce {
    functions: BTreeMap<FunctionId, FxHashSet<BlockId>>,
}

impl ExecutedOnce {
    /// Finds them in a module of that call graph.
    #[must_use]
    pub fn new(module: &Module, graph: &CallGraph) -> Self {
        let mut uses: FxHashMap<FunctionId, usize> = FxHashMap::default();
        for (id, _) in module.functions() {
            for callee in graph.sites(id).iter().filter_map(|site| site.callee) {
                *uses.entry(callee).or_default() += 1;
            }
        }
        let taken = graph.address_taken();
        let unused = |id: &FunctionId| !uses.contains_key(id) && !taken.contains(id);
        let mut once = Self::default();
        let mut pending: Vec<FunctionId> = module.entry.filter(unused).into_iter().collect();
        while let Some(id) = pending.pop() {
            if once.contains(id) {
                continue;
            }
            let function = module.function(id);
            let straight = straight_blocks(function);
            for &block in &straight {
                for instruction in &function.block(block).instructions {
                    if let Op::Spawn { function: Operand::Function(started), .. } = &instruction.op
                        && uses.get(started) == Some(&1)
                        && !taken.contains(started)
                    {
                        pending.push(*started);
                    }
                }
            }
            once.functions.insert(id, straight);
        }
        once
    }

    /// The functions, in ascending order.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> {
        self.functions.keys().copied()
    }

    /// Whether a function is one of them.
    #[must_use]
    pub fn contains(&self, function: FunctionId) -> bool {
        self.functions.contains_key(&function)
    }

    /// Whether a block is executed at most once, in all of a run.
    #[must_use]
    pub fn contains_block(&self, function: FunctionId, block: BlockId) -> bool {
        self.functions.get(&function).is_some_and(|blocks| blocks.contains(&block))
    }
}

impl Analysis for ExecutedOnce {
    const NAME: &'static str = "what is executed once";

    fn compute(module: &Module, analyses: &mut Analyses) -> Result<Self, Exceeded> {
        Ok(Self::new(module, &*analyses.get::<CallGraph>(module)?))
    }
}

/// The reachable blocks of a function that an execution of it passes at most once: those that are
/// on no cycle.
fn straight_blocks(function: &Function) -> FxHashSet<BlockId> {
    let cfg = Cfg::new(function);
    let components = kosaraju_scc(&cfg.graph()).into_iter();
    components
        .filter_map(|component| match component.as_slice() {
            [node] => Some(BlockId::new(node.index())),
            _ => None,
        })
        .filter(|block| cfg.is_reachable(*block) && !cfg.successors(*block).contains(block))
        .collect()
}
