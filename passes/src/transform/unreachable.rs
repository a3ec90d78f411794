//! `unreachable-blocks`: removes blocks that the entry does not reach.

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{BlockId, Function, FunctionId, Module};

use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "unreachable-blocks",
    summary: "remove blocks that cannot be reached",
    options: &[],
    preserves: &[],
    run: Run::Function(run),
};

fn run(module: &mut Module, id: FunctionId, _: &mut Context<'_>) -> Result<bool, PassError> {
    Ok(remove(&mut module.functions[id.index()]))
}

/// Removes the unreachable blocks of a function; whether there were any.
pub fn remove(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let mut names = vec![None; function.blocks.len()];
    let mut kept = 0;
    for (index, name) in names.iter_mut().enumerate() {
        if cfg.is_reachable(BlockId::new(index)) {
            *name = Some(BlockId::new(kept));
            kept += 1;
        }
    }
    if kept == function.blocks.len() {
        return false;
    }
    let blocks = std::mem::take(&mut function.blocks);
    for (mut block, name) in blocks.into_iter().zip(&names) {
        if name.is_some() {
            block.terminator.kind.for_each_target_mut(|target| {
                if let Some(Some(new)) = names.get(target.block.index()) {
                    target.block = *new;
                }
            });
            function.blocks.push(block);
        }
    }
    true
}
