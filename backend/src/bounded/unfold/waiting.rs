//! Stores that wait, under TSO and PSO (docs/memory-models.md): each reaches memory in a step of its
//! own, some time behind the place where it is executed.
//!
//! What a thread executes is a chain of steps, and so is what its stores do to memory: under TSO in the
//! order of the program, under PSO a chain for each place. A thread reads its own newest store, whether
//! it waits or not, and that of others once it has reached memory. Formula ([`super::super::formula`])
//! and interpreter agree on all of this: stores of locked sections do not wait, and what waits for an
//! empty buffer is a step behind all stores before it.

use sapa_ir::goto::{Location, MemoryModel, MemoryOrder};

use super::super::object::Site;
use super::super::reason::GaveUp;
use super::super::unfolding::{Barrier, Step, StepId, StepKind};
use super::state::State;
use super::{Stop, Unfolder};

/// What is refused where a pointer may be to objects of both kinds.
pub(in super::super) const MIXED: &str = "a store to what may or may not be in a buffer";

fn is_release(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Release | MemoryOrder::AcquireRelease)
}

impl Unfolder<'_> {
    /// Whether a store to one of these places waits; to any place, if they are not known yet.
    pub(super) fn waits(
        &self,
        state: &State,
        order: MemoryOrder,
        places: Option<&[(u64, u64)]>,
        location: Location,
    ) -> Result<bool, Stop> {
        if self.bounds.memory == MemoryModel::Sc
            || order == MemoryOrder::SequentiallyConsistent
            || state.section.is_some_and(|open| open.locked.is_some())
        {
            return Ok(false);
        }
        let Some(places) = places else { return Ok(true) };
        let buffered = places.iter().filter(|&&(object, _)| self.is_buffered(object)).count();
        if buffered > 0 && buffered < places.len() {
            return Err(GaveUp::Waits(MIXED, location).into());
        }
        Ok(buffered > 0)
    }

    /// Whether stores to an object wait.
    pub(in super::super) fn is_buffered(&self, object: u64) -> bool {
        match self.objects.get(object).map(|object| object.site) {
            Some(Site::Global(global)) => self.escaping.is_buffered(self.module, global),
            Some(Site::Slot(..) | Site::Heap(..)) => true,
            None => false,
        }
    }

    /// The step in which a store that these paths come to reaches memory.
    pub(super) fn reach(&mut self, state: &State, order: MemoryOrder) -> StepId {
        let id = StepId::new(self.out.steps.len());
        let thread = &mut self.out.threads[self.thread];
        let section = state.section.map(|open| open.step);
        self.out.steps.push(Step {
            thread: self.thread,
            place: thread.steps.len(),
            kind: StepKind::Reach,
            complete: Some(state.guard),
            drains: None,
            section,
            guard: state.guard,
        });
        if self.bounds.memory == MemoryModel::Pso && is_release(order) {
            let (place, guard) = (thread.reaches.len(), state.guard);
            thread.barriers.push(Barrier { place, guard, is_fence: false });
        }
        thread.reaches.push(id);
        id
    }

    /// A fence.
    pub(super) fn fence(&mut self, state: &mut State, order: MemoryOrder) -> Result<(), Stop> {
        if order == MemoryOrder::SequentiallyConsistent {
            return self.drain(state);
        }
        if self.bounds.memory == MemoryModel::Pso && is_release(order) {
            let thread = &mut self.out.threads[self.thread];
            let (place, guard) = (thread.reaches.len(), state.guard);
            thread.barriers.push(Barrier { place, guard, is_fence: true });
        }
        Ok(())
    }

    /// These paths go on when no store of the thread waits.
    ///
    /// # Errors
    /// If they stand in an atomic section that has such stores itself: that they reach memory within it
    /// is no step of the formula.
    pub(super) fn drain(&mut self, state: &mut State) -> Result<(), Stop> {
        if self.bounds.memory == MemoryModel::Sc || !state.is_shared {
            return Ok(());
        }
        let step = match state.section {
            Some(open) if open.locked.is_some() => return Ok(()),
            Some(open) => {
                let own = &self.out.threads[self.thread].reaches;
                let inside = |&step: &StepId| self.out.step(step).section == Some(open.step);
                if own.iter().rev().any(inside) {
                    return Err(GaveUp::Sections.into());
                }
                open.step
            }
            None => self.add_step(StepKind::Fence, state.guard),
        };
        let before = self.out.step(step).drains;
        self.out.steps[step.index()].drains = Some(match before {
            Some(before) => self.guards.or(&mut self.symbols.store, before, state.guard).0,
            None => state.guard,
        });
        Ok(())
    }
}
