//! Code that is executed before there are other threads.

use std::collections::BTreeSet;

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{BlockId, Function, FunctionId, Instruction, Module, Op};

/// The part of the entry function that no start of a thread comes before: nobody sees what waits
/// there, so that nothing has to.
#[derive(Debug)]
pub(super) struct Alone {
    entry: Option<FunctionId>,
    /// By block of the entry function: how many of its instructions are executed alone.
    until: Vec<usize>,
}

impl Alone {
    /// Looks at a module whose entry function `started` says to be no other thread's.
    pub fn new(module: &Module, started: impl Fn(FunctionId) -> bool) -> Self {
        let entry = module.entry.filter(|&entry| !started(entry));
        let until = entry.map_or_else(Vec::new, |entry| until(module.function(entry)));
        Self { entry, until }
    }

    /// Whether an instruction is executed alone.
    pub fn at(&self, function: FunctionId, block: BlockId, index: usize) -> bool {
        let until = self.until.get(block.index()).copied().unwrap_or(0);
        self.entry == Some(function) && index < until
    }
}

fn until(function: &Function) -> Vec<usize> {
    let cfg = Cfg::new(function);
    let is_start = |instruction: &Instruction| matches!(instruction.op, Op::Spawn { .. });
    let mut until: Vec<usize> = Vec::with_capacity(function.blocks.len());
    let mut pending = Vec::new();
    for (id, block) in function.blocks() {
        let start = block.instructions.iter().position(is_start);
        until.push(start.unwrap_or(block.instructions.len()));
        if start.is_some() {
            pending.extend(cfg.successors(id).iter().copied());
        }
    }
    let mut after = BTreeSet::new();
    while let Some(block) = pending.pop() {
        if after.insert(block) {
            until[block.index()] = 0;
            pending.extend(cfg.successors(block).iter().copied());
        }
    }
    until
}
