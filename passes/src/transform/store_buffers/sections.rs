//! Which atomic sections code is in.

use sapa_ir::goto::{BlockId, Function, Op, Section};

/// The sections at the start of each block, the outermost first.
#[derive(Debug)]
pub(super) struct Sections(Vec<Vec<Section>>);

impl Sections {
    /// Goes through a function from its start.
    ///
    /// # Errors
    /// A block that is entered from sections of different kinds.
    pub fn new(function: &Function) -> Result<Self, BlockId> {
        let mut at: Vec<Option<Vec<Section>>> = vec![None; function.blocks.len()];
        let mut pending = vec![(Function::ENTRY, Vec::new())];
        while let Some((block, sections)) = pending.pop() {
            match &at[block.index()] {
                Some(known) if *known == sections => continue,
                Some(_) => return Err(block),
                None => {}
            }
            let data = function.block(block);
            at[block.index()] = Some(sections.clone());
            let end = after(sections, data.instructions.iter().map(|i| &i.op));
            data.terminator
                .kind
                .for_each_target(|target| pending.push((target.block, end.clone())));
        }
        Ok(Self(at.into_iter().map(Option::unwrap_or_default).collect()))
    }

    /// The sections before an instruction.
    pub fn before(&self, function: &Function, block: BlockId, index: usize) -> Vec<Section> {
        let code = function.block(block).instructions.iter().take(index);
        after(self.0[block.index()].clone(), code.map(|instruction| &instruction.op))
    }
}

fn after<'o>(mut sections: Vec<Section>, code: impl Iterator<Item = &'o Op>) -> Vec<Section> {
    for op in code {
        match op {
            Op::AtomicBegin(section) => sections.push(*section),
            Op::AtomicEnd => drop(sections.pop()),
            _ => {}
        }
    }
    sections
}
