//! Atomic sections: law 9.

use std::collections::BTreeSet;

use super::Verifier;
use crate::goto::cfg::Cfg;
use crate::goto::entity::{BlockId, Entity, FunctionId};
use crate::goto::function::Function;
use crate::goto::instruction::{Instruction, Op, Operand, TerminatorKind};

/// By how much calling a function changes the depth; indexed by function,
/// `None` while unknown.
type Changes = Vec<Option<i64>>;

impl Verifier<'_> {
    pub(super) fn atomic_sections(&mut self) {
        let module = self.module;
        let roots = roots(module);
        let mut changes: Changes =
            module.functions.iter().map(|f| (!f.is_defined()).then_some(0)).collect();
        // Callees first; what remains is recursive and taken to be balanced.
        loop {
            let ready: Vec<_> = module
                .functions()
                .filter(|(id, f)| changes[id.index()].is_none() && callees_known(f, &changes))
                .map(|(id, _)| id)
                .collect();
            for &id in &ready {
                let change = self.depths(id, &changes, roots.contains(&id));
                changes[id.index()] = Some(change);
            }
            if ready.is_empty() {
                break;
            }
        }
        let recursive: Vec<_> =
            module.functions().filter(|(id, _)| changes[id.index()].is_none()).collect();
        for (id, _) in &recursive {
            changes[id.index()] = Some(0);
        }
        for (id, _) in recursive {
            if self.depths(id, &changes, roots.contains(&id)) != 0 {
                self.error(
                    Entity::Function(id),
                    "a recursive function changes the depth of atomic sections",
                );
            }
        }
    }

    /// Checks the depths within a function, relative to its call; the depth at its returns.
    fn depths(&mut self, id: FunctionId, changes: &Changes, is_root: bool) -> i64 {
        let function = self.module.function(id);
        let cfg = Cfg::new(function);
        let mut depths: Vec<Option<i64>> = vec![None; function.blocks.len()];
        let mut at_return: Option<i64> = None;
        if let Some(entry) = depths.first_mut() {
            *entry = Some(0);
        }
        for &block in cfg.reverse_postorder() {
            // Each block comes after one of its predecessors.
            let Some(depth) = depths[block.index()] else { continue };
            let data = function.block(block);
            let depth = self.block(id, block, depth, changes, is_root);
            let end = Entity::Terminator(id, block);
            for successor in cfg.successors(block) {
                let entered = depths[successor.index()].get_or_insert(depth);
                if *entered != depth {
                    let message = format!(
                        "{successor} is entered at depths {entered} and {depth} of atomic sections"
                    );
                    self.error(end, message);
                }
            }
            self.end(&data.terminator.kind, end, depth, is_root, &mut at_return);
        }
        at_return.unwrap_or(0)
    }

    fn block(
        &mut self,
        function: FunctionId,
        block: BlockId,
        mut depth: i64,
        changes: &Changes,
        is_root: bool,
    ) -> i64 {
        let instructions = &self.module.function(function).block(block).instructions;
        for (index, instruction) in instructions.iter().enumerate() {
            depth = depth.saturating_add(change(instruction, changes).unwrap_or(0));
            if is_root && depth < 0 {
                let entity = Entity::Instruction(function, block, index);
                self.error(entity, "the thread leaves an atomic section that it did not enter");
                depth = 0;
            }
        }
        depth
    }

    fn end(
        &mut self,
        kind: &TerminatorKind,
        entity: Entity,
        depth: i64,
        is_root: bool,
        at_return: &mut Option<i64>,
    ) {
        let returns = matches!(kind, TerminatorKind::Return(_));
        if returns && *at_return.get_or_insert(depth) != depth {
            self.error(entity, "the function returns at different depths of atomic sections");
        }
        let ends = returns || matches!(kind, TerminatorKind::EndThread(_));
        if ends && is_root && depth != 0 {
            self.error(entity, "the thread ends inside an atomic section");
        }
    }
}

/// The entry and the functions that threads are started with by name.
fn roots(module: &crate::goto::Module) -> BTreeSet<FunctionId> {
    let started = instructions(&module.functions).filter_map(|i| match i.op {
        Op::Spawn { function: Operand::Function(id), .. } => Some(id),
        _ => None,
    });
    started.chain(module.entry).collect()
}

fn instructions(functions: &[Function]) -> impl Iterator<Item = &Instruction> {
    functions.iter().flat_map(|f| f.blocks.iter().flat_map(|b| &b.instructions))
}

fn callees_known(function: &Function, changes: &Changes) -> bool {
    instructions(std::slice::from_ref(function)).all(|i| change(i, changes).is_some())
}

/// By how much an instruction changes the depth; `None` if that is not known yet.
fn change(instruction: &Instruction, changes: &Changes) -> Option<i64> {
    match &instruction.op {
        Op::AtomicBegin(_) => Some(1),
        Op::AtomicEnd => Some(-1),
        Op::Call { callee: Operand::Function(id), .. } => {
            changes.get(id.index()).copied().unwrap_or(Some(0))
        }
        _ => Some(0),
    }
}
