//! The instructions that an edge executes.

use rpds::VectorSync;
use sapa_ir::goto::BlockId;

/// Instructions in order: block and index; the index after the last instruction of a block is its
/// terminator. Paths share what they have in common.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Block, index of the first instruction, and how many.
    runs: VectorSync<(BlockId, u32, u32)>,
    length: u32,
}

impl Path {
    /// How many instructions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length as usize
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The instructions in order.
    pub fn iter(&self) -> impl Iterator<Item = (BlockId, u32)> {
        let run = |&(block, first, count): &(BlockId, u32, u32)| {
            (first..first + count).map(move |index| (block, index))
        };
        self.runs.iter().flat_map(run)
    }

    /// Adds an instruction.
    pub fn push(&mut self, block: BlockId, index: u32) {
        self.extend(block, index, 1);
    }

    /// Adds what is executed then.
    pub fn append(&mut self, next: &Self) {
        for &(block, first, count) in &next.runs {
            self.extend(block, first, count);
        }
    }

    fn extend(&mut self, block: BlockId, first: u32, count: u32) {
        self.length = self.length.saturating_add(count);
        if let Some(&(last, start, before)) = self.runs.last()
            && last == block
            && start + before == first
        {
            self.runs.set_mut(self.runs.len() - 1, (block, start, before + count));
        } else {
            self.runs.push_back_mut((block, first, count));
        }
    }
}
