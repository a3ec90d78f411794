//! Stores that wait for a part of what their thread reads, and under PSO stores to the same bytes.

use sapa_ir::goto::MemoryModel;

use super::formula::Builder;
use super::reason::GaveUp;
use super::unfold::Stop;
use super::unfolding::StepKind;
use crate::solver::TermId;

/// What an access may be of: object, first byte, and the byte behind the last.
type Extent = (u64, u64, u64);

fn overlap(a: Extent, b: Extent) -> bool {
    a.0 == b.0 && a.1 < b.2 && b.1 < a.2
}

fn contains(a: Extent, b: Extent) -> bool {
    a.0 == b.0 && a.1 <= b.1 && b.2 <= a.2
}

impl Builder<'_, '_> {
    /// A read waits until what its thread has stored to a part of it has reached memory, unless a newer
    /// store of its own has all of it. Under PSO stores to the same bytes keep their order.
    pub(super) fn overlaps(&mut self) -> Result<(), Stop> {
        let is_pso = self.unfolder.bounds.memory == MemoryModel::Pso;
        for number in 0..self.unfolder.out.threads.len() {
            if self.unfolder.out.threads[number].reaches.is_empty() {
                continue;
            }
            // The thread's stores that wait, in order.
            let mut stores: Vec<usize> = Vec::new();
            for index in 0..self.unfolder.out.events.len() {
                self.limits.check()?;
                let event = &self.unfolder.out.events[index];
                let step = self.unfolder.out.step(event.step);
                if step.thread != number {
                    continue;
                }
                let waits = step.kind == StepKind::Reach;
                if !event.is_write {
                    self.reads_part(index, &stores)?;
                } else if waits && is_pso {
                    self.keeps_order(index, &stores)?;
                }
                if waits {
                    stores.push(index);
                }
            }
        }
        Ok(())
    }

    fn extents(&self, event: usize) -> Vec<Extent> {
        let event = &self.unfolder.out.events[event];
        let places = event.places.iter().flatten();
        places.map(|&(object, offset)| (object, offset, offset + event.size)).collect()
    }

    /// The runs in which an event is executed at a place.
    fn at(&mut self, event: usize, extent: Extent) -> TermId {
        let event = &self.unfolder.out.events[event];
        let (guard, address, size) = (event.guard, event.address, event.size);
        let is_here = self.unfolder.is_at(address, (extent.0, extent.1), size);
        let guard = self.unfolder.guards.term(guard);
        self.and(guard, is_here)
    }

    fn reads_part(&mut self, read: usize, stores: &[usize]) -> Result<(), Stop> {
        for wanted in self.extents(read) {
            let mut clause = Vec::new();
            // From the newest store on; the clause has those that have all of it.
            for &store in stores.iter().rev() {
                for extent in self.extents(store) {
                    self.limits.check()?;
                    if !overlap(extent, wanted) {
                        continue;
                    }
                    let here = self.at(store, extent);
                    if contains(extent, wanted) {
                        clause.push(here);
                        continue;
                    }
                    let steps = [store, read].map(|event| self.unfolder.out.events[event].step);
                    if self.unfolder.out.step(steps[0]).section == Some(steps[1]) {
                        // That it reaches memory within the section is no step of the formula.
                        return Err(GaveUp::Sections.into());
                    }
                    let is_read = self.at(read, wanted);
                    let reached = self.before(steps[0], steps[1]);
                    let mut all = vec![self.not(is_read), self.not(here), reached];
                    all.extend(&clause);
                    self.clause(&all);
                }
            }
        }
        Ok(())
    }

    fn keeps_order(&mut self, store: usize, stores: &[usize]) -> Result<(), Stop> {
        for extent in self.extents(store) {
            for &old in stores {
                for other in self.extents(old) {
                    self.limits.check()?;
                    if !overlap(extent, other) {
                        continue;
                    }
                    let steps = [old, store].map(|event| self.unfolder.out.events[event].step);
                    let (here, there) = (self.at(store, extent), self.at(old, other));
                    let in_order = self.before(steps[0], steps[1]);
                    let clause = [self.not(here), self.not(there), in_order];
                    self.clause(&clause);
                }
            }
        }
        Ok(())
    }
}
