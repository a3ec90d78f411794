//! What a cell holds before threads compete for it.

use super::super::formula::{Access, Accesses, Builder, Cell};
use crate::solver::TermId;

/// What a cell holds at first.
pub(super) struct Base {
    pub value: TermId,
    /// The thread and the event of the last write before all else; `None` if there is none.
    write: Option<(usize, usize)>,
}

impl Base {
    /// Whether a write is before the base, or the base itself.
    pub fn covers(&self, access: &Access) -> bool {
        self.write.is_some_and(|(thread, event)| access.thread == thread && access.event <= event)
    }
}

impl Builder<'_, '_> {
    /// What a cell holds before all other accesses than those that the base covers: what the initial
    /// thread has written before it started others, or else what the object holds at first.
    pub(super) fn base(&mut self, cell: Cell, accesses: &Accesses) -> Base {
        let own = accesses.writes.get(&0).map_or(&[][..], Vec::as_slice);
        for write in own.iter().rev() {
            if self.is_whole(write, cell) && self.is_before_all(write, accesses) {
                return Base { value: write.value, write: Some((write.thread, write.event)) };
            }
        }
        let (object, offset, size) = cell;
        let unfolder = &mut *self.unfolder;
        let value = unfolder.objects.initial(unfolder.symbols, object, offset, size);
        Base { value, write: None }
    }

    /// Whether a write has happened whenever another access of the cell happens, but for those that its
    /// thread has made before.
    fn is_before_all(&mut self, write: &Access, accesses: &Accesses) -> bool {
        let Some(complete) = write.guards.1 else { return false };
        let all = accesses.writes.values().flatten().chain(&accesses.reads);
        for other in all {
            if other.thread == write.thread {
                let is_implied = self.unfolder.guards.implies(other.guards.0, write.guards.0);
                if other.event > write.event && !is_implied {
                    return false;
                }
                continue;
            }
            let before = self.before(write.step, other.step);
            if self.unfolder.symbols.store.as_boolean(before) != Some(true)
                || !self.unfolder.guards.implies(other.guards.0, complete)
                || !self.unfolder.guards.implies(complete, write.guards.0)
            {
                return false;
            }
        }
        true
    }
}
