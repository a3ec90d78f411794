//! Where a thread may be interrupted.
//!
//! A thread may be interrupted before a visible step and nowhere else. Steps
//! that touch nothing that other threads see commute with all their steps, so
//! they may be counted to the visible step before them (both-movers); so do accesses to what others do not come to
//! meanwhile, as by a lock ([`Movers`]). To give back a lock that all wait for who look at it may be counted
//! to the steps before it, too (a left-mover): what threads do while they hold such a lock alone is one step. Where
//! no visible step happened since the last interleaving point, another one is
//! not needed. A cycle always has one (outside atomic sections), lest a thread
//! that loops locally would keep the others from acting. And so has the way from
//! a step that others see the effect of to one that may cut the thread off or
//! end the program: others may act in between, whatever becomes of the thread.

use sapa_ir::goto::{BlockId, Function, Instruction, Op, Operand, TerminatorKind, Type};
#[cfg(doc)]
use sapa_passes::transform::invariants::Movers;

use super::Scope;
use super::thread::Thread;

/// Whether two steps of a thread may be separated by another thread's step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Progress {
    /// Depth of atomic sections.
    pub(super) depth: u32,
    /// Whether a visible step happened since the last interleaving point.
    pending: bool,
    /// Whether one of them had an effect that others see.
    committed: bool,
}

impl Progress {
    /// At the start of a thread, or at an interleaving point outside atomic sections.
    pub(super) const NOTHING: Self = Self { depth: 0, pending: false, committed: false };

    /// At an interleaving point.
    fn interrupted(&mut self) {
        self.pending = false;
        self.committed = false;
    }
}

impl Thread<'_> {
    /// Progress at the start of each block: depth of atomic sections, and
    /// whether a visible step may be pending (a fixed point over all paths).
    pub(super) fn progress(&self, order: &[BlockId], header: &[bool]) -> Vec<Option<Progress>> {
        let mut starts: Vec<Option<Progress>> = vec![None; self.function.blocks.len()];
        starts[Function::ENTRY.index()] = Some(Progress::NOTHING);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order {
                let Some(mut state) = starts[block.index()] else { continue };
                for (index, instruction) in
                    self.function.block(block).instructions.iter().enumerate()
                {
                    self.advance((block, index), instruction, &mut state);
                }
                self.finish(&self.function.block(block).terminator.kind, &mut state);
                self.function.block(block).terminator.kind.for_each_target(|target| {
                    let interruptible = state.depth == 0 && header[target.block.index()];
                    let mut arriving = state;
                    if interruptible {
                        arriving.interrupted();
                    }
                    let slot = &mut starts[target.block.index()];
                    let merged = match *slot {
                        None => arriving,
                        Some(old) => Progress {
                            depth: old.depth,
                            pending: old.pending || arriving.pending,
                            committed: old.committed || arriving.committed,
                        },
                    };
                    changed |= *slot != Some(merged);
                    *slot = Some(merged);
                });
            }
        }
        starts
    }

    /// Moves over an instruction; whether an interleaving point comes before it.
    pub(super) fn advance(
        &self,
        (block, index): (BlockId, usize),
        instruction: &Instruction,
        state: &mut Progress,
    ) -> bool {
        let at = (self.id, block, index);
        let is_guarded = self.movers.is_guarded(at);
        let visible = match &instruction.op {
            Op::AtomicBegin(_) => {
                state.depth += 1;
                state.depth == 1
            }
            Op::AtomicEnd => {
                state.depth = state.depth.saturating_sub(1);
                return false;
            }
            Op::Spawn { .. } | Op::Join { .. } => state.depth == 0,
            op => state.depth == 0 && !is_guarded && self.is_shared_access(op),
        };
        // Inside a section nobody else acts, so that it is as if the thread had not entered.
        let outside = state.depth == 0 || matches!(instruction.op, Op::AtomicBegin(_));
        let may_end = outside && state.committed && self.may_cut_off(instruction);
        let cut = (visible && state.pending && !self.movers.gives_back(at)) || may_end;
        if cut {
            state.interrupted();
        }
        state.pending |= visible;
        state.committed |= match &instruction.op {
            Op::Spawn { .. } | Op::Free { .. } => true,
            op @ (Op::Store { .. } | Op::HavocMemory { .. } | Op::CopyMemory { .. }) => {
                // While others wait for the lock they see nothing of that.
                !is_guarded && !self.movers.takes(at) && self.is_shared_access(op)
            }
            _ => false,
        };
        cut
    }

    /// Moves over a terminator; whether an interleaving point comes before it.
    pub(super) fn finish(&self, kind: &TerminatorKind, state: &mut Progress) -> bool {
        let may_end = matches!(kind, TerminatorKind::Halt | TerminatorKind::Unreachable);
        let cut = may_end && state.depth == 0 && state.committed;
        if cut {
            state.interrupted();
        }
        cut
    }

    /// Whether an instruction may have no successor.
    fn may_cut_off(&self, instruction: &Instruction) -> bool {
        let invalid = |address: Operand, ty: &Type| !self.is_valid(address, ty);
        match &instruction.op {
            Op::Assume { .. } => true,
            Op::Binary { .. } => {
                instruction.result.is_some_and(|value| self.values.defined(value).is_some())
            }
            Op::Load { address, .. } => instruction.result.is_some_and(|result| {
                invalid(*address, &self.function.operand_type(Operand::Value(result)))
            }),
            Op::Store { address, ty, .. } | Op::HavocMemory { address, ty } => {
                invalid(*address, ty)
            }
            Op::CopyMemory { destination, source, ty } => {
                invalid(*destination, ty) || invalid(*source, ty)
            }
            _ => false,
        }
    }

    /// Whether it is certain that an object of the type is at an address.
    fn is_valid(&self, address: Operand, ty: &Type) -> bool {
        let size = ty.size(self.module);
        let object = match address {
            Operand::Global(id) => self.module.globals.get(id.index()).map(|global| &global.ty),
            Operand::Slot(id) => self.function.slots.get(id.index()).map(|slot| &slot.ty),
            // An element or a member that constants name.
            Operand::Value(value) => {
                let Some(address) = self.values.fixed(value) else { return false };
                let targets = self.targets(Operand::Value(value), 0);
                let mut objects = targets.objects(self.memory, self.id);
                return objects.any(|(object, ..)| {
                    let offset = address.checked_sub(object.address);
                    let end = offset.and_then(|offset| offset.checked_add(size));
                    end.is_some_and(|end| end <= object.size)
                });
            }
            _ => None,
        };
        object.is_some_and(|object| size <= object.size(self.module))
    }

    fn is_shared_access(&self, op: &Op) -> bool {
        let addresses = match op {
            Op::Load { address, .. }
            | Op::Store { address, .. }
            | Op::HavocMemory { address, .. } => vec![*address],
            Op::CopyMemory { destination, source, .. } => vec![*destination, *source],
            _ => return false,
        };
        addresses.into_iter().any(|address| {
            let targets = self.targets(address, 0);
            let mut objects = targets.objects(self.memory, self.id);
            objects.any(|(object, ..)| object.scope == Scope::Shared && !object.constant)
        })
    }
}
