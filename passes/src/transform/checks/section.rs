//! In which atomic sections code is executed, wherever it is called.

use std::collections::BTreeSet;

use sapa_ir::goto::{
    BlockId, Entity, Function, FunctionId, Module, Op, Operand, Section, TerminatorKind,
};

use crate::analysis::call_graph::CallGraph;
use crate::error::PassError;

/// In what a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Inside {
    /// In no section.
    Nothing,
    /// In sections that make one step of the accesses of a statement or of one object.
    Step,
    /// In one at least that locks.
    Locked,
}

impl Inside {
    fn and(self, section: Section) -> Self {
        match section {
            Section::Locked => Self::Locked,
            Section::Step => self.max(Self::Step),
        }
    }
}

/// What functions are called in.
pub(super) struct Sections {
    entered: Vec<BTreeSet<Inside>>,
}

impl Sections {
    /// Finds it for the functions that roots lead to.
    ///
    /// # Errors
    /// A function returns in another depth than it is called in.
    pub fn new(pass: &'static str, module: &Module, graph: &CallGraph) -> Result<Self, PassError> {
        let mut found = Self { entered: vec![BTreeSet::new(); module.functions.len()] };
        let mut pending: Vec<(FunctionId, Inside)> =
            graph.roots().into_iter().map(|root| (root, Inside::Nothing)).collect();
        while let Some((id, inside)) = pending.pop() {
            let known = found.entered.get_mut(id.index());
            if !known.is_some_and(|known| known.insert(inside)) {
                continue;
            }
            let function = module.function(id);
            let open = open_sections(pass, module, id)?;
            for (block, data) in function.blocks() {
                let Some(mut open) = open[block.index()].clone() else { continue };
                for instruction in &data.instructions {
                    match &instruction.op {
                        Op::Call { callee, .. } => {
                            let inside = within(inside, &open);
                            match callee {
                                Operand::Function(callee) => pending.push((*callee, inside)),
                                _ => pending
                                    .extend(graph.address_taken().iter().map(|&f| (f, inside))),
                            }
                        }
                        op => step(&mut open, op),
                    }
                }
            }
        }
        Ok(found)
    }

    /// In what a function is called.
    pub fn entered(&self, function: FunctionId) -> &BTreeSet<Inside> {
        &self.entered[function.index()]
    }
}

/// What code is in where sections are open in a function that is called in something.
pub(super) fn within(entered: Inside, open: &[Section]) -> Inside {
    open.iter().fold(entered, |inside, section| inside.and(*section))
}

/// Opens or closes a section.
pub(super) fn step(open: &mut Vec<Section>, op: &Op) {
    match op {
        Op::AtomicBegin(section) => open.push(*section),
        Op::AtomicEnd => drop(open.pop()),
        _ => {}
    }
}

/// The sections of a function that are open at the start of each of its blocks; `None` for what no path
/// leads to.
///
/// # Errors
/// The function returns inside a section, or leaves one that it did not enter.
pub(super) fn open_sections(
    pass: &'static str,
    module: &Module,
    id: FunctionId,
) -> Result<Vec<Option<Vec<Section>>>, PassError> {
    let function = module.function(id);
    let mut starts: Vec<Option<Vec<Section>>> = vec![None; function.blocks.len()];
    let mut pending: Vec<BlockId> = Vec::new();
    if let Some(entry) = starts.first_mut() {
        *entry = Some(Vec::new());
        pending.push(Function::ENTRY);
    }
    let refuse = |entity: Entity| {
        let message = "the function is called and returns in different depths of atomic sections; \
                       inline it first";
        Err(PassError::new(pass, module, entity, message))
    };
    while let Some(block) = pending.pop() {
        let Some(mut open) = starts[block.index()].clone() else { continue };
        let data = function.block(block);
        for (index, instruction) in data.instructions.iter().enumerate() {
            if instruction.op == Op::AtomicEnd && open.is_empty() {
                return refuse(Entity::Instruction(id, block, index));
            }
            step(&mut open, &instruction.op);
        }
        if matches!(data.terminator.kind, TerminatorKind::Return(_)) && !open.is_empty() {
            return refuse(Entity::Terminator(id, block));
        }
        data.terminator.kind.for_each_target(|target| {
            let start = &mut starts[target.block.index()];
            if start.is_none() {
                *start = Some(open.clone());
                pending.push(target.block);
            }
        });
    }
    Ok(starts)
}
