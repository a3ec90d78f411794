//! Rounds of loops that change nothing.
//!
//! A round is left out of a run if the thread's own state is the same after it, and nothing of what it
//! has done to memory is left or was seen: each place that it has written holds in the end what it held
//! before, nobody else wrote there in between, and nobody else has read what it wrote but last. The run
//! without it has the same states before and after. So only rounds are followed by another one that
//! have changed something: who waits in a loop for others goes round at most as often as these do
//! something.

use std::collections::BTreeMap;

use super::super::unfolding::Event;
use super::Unfolder;
use super::state::{Open, Pending};
use crate::automaton::value::compare;
use crate::solver::{Sort, TermId};

/// What was done that others may see.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    /// A write: the index of the event.
    Write(usize),
    /// Something that lasts, in these runs.
    Other(TermId),
}

impl Unfolder<'_> {
    /// The paths that go round again and have changed something in the round before, whose effects and
    /// events begin at these indices; and whether they have changed their own state in any case. `None` if
    /// there are none.
    pub(super) fn changed(
        &mut self,
        before: Option<&Pending>,
        mut after: Pending,
        (effects, events): (usize, usize),
    ) -> Option<(Pending, bool)> {
        let Some(before) = before else { return Some((after, false)) };
        let sections = (before.state.section, after.state.section);
        if before.state.is_shared != after.state.is_shared || !self.is_like(sections, events) {
            return Some((after, false));
        }
        let mut changed = self.symbols.store.false_();
        let old = before.arguments.iter().chain(&before.live);
        for (&old, &new) in old.zip(after.arguments.iter().chain(&after.live)) {
            let differs = compare(self.symbols, sapa_ir::goto::CompareOp::Ne, old, new);
            changed = self.symbols.store.or(changed, differs);
        }
        if self.symbols.store.as_boolean(changed) != Some(true) {
            let memory = &after.state.memory;
            let differ = memory.differ(self.symbols, &mut self.objects, &before.state.memory);
            changed = self.symbols.store.or(changed, differ);
        }
        if self.symbols.store.as_boolean(changed) == Some(true) {
            return Some((after, true));
        }
        let seen = self.lasting(&after, effects);
        changed = self.symbols.store.or(changed, seen);
        after.state.guard = self.guards.and(&mut self.symbols.store, after.state.guard, changed)?;
        Some((after, false))
    }

    /// Whether a round may be left out that begins in one section and ends in another: of one that was left
    /// in the round others may see what was done before, and not what is done after it. `events` is the
    /// index of the round's first event.
    fn is_like(&self, (before, after): (Option<Open>, Option<Open>), events: usize) -> bool {
        let (Some(a), Some(b)) = (before, after) else { return before == after };
        let is_empty = |open: Open, events: &[Event]| events.iter().all(|e| e.step != open.step);
        before == after
            || (a.depth, a.locked) == (b.depth, b.locked)
                && is_empty(a, &self.out.events[..events])
                && is_empty(b, &self.out.events)
    }

    /// That something of the effects from an index on lasts or was seen.
    fn lasting(&mut self, after: &Pending, effects: usize) -> TermId {
        let mut lasting = self.symbols.store.false_();
        // The writes to each place, in order.
        let mut places: BTreeMap<TermId, Vec<usize>> = BTreeMap::new();
        for &effect in &self.effects[effects..] {
            match effect {
                Effect::Other(runs) => lasting = self.symbols.store.or(lasting, runs),
                Effect::Write(event) => {
                    let address = self.out.events[event].address;
                    if self.symbols.store.as_constant(address).is_some() {
                        places.entry(address).or_default().push(event);
                    } else {
                        // It may be to the place of another one.
                        let runs = self.guards.term(self.out.events[event].guard);
                        lasting = self.symbols.store.or(lasting, runs);
                    }
                }
            }
        }
        let size = |this: &Self, event: usize| this.out.events[event].size;
        for (_, writes) in places {
            let Some((&first, &last)) = writes.first().zip(writes.last()) else { continue };
            let is_plain = writes.iter().all(|&write| size(self, write) == size(self, first));
            let is_whole = [first, last]
                .iter()
                .all(|&write| self.guards.implies(after.state.guard, self.out.events[write].guard));
            if !is_plain || !is_whole {
                // Whoever has written there has changed something.
                for write in writes {
                    let runs = self.guards.term(self.out.events[write].guard);
                    lasting = self.symbols.store.or(lasting, runs);
                }
                continue;
            }
            // What each overwrites.
            let mut overwritten = Vec::with_capacity(writes.len());
            for &write in &writes {
                match self.read_before(write) {
                    Some(read) => overwritten.push(read),
                    None => {
                        // The next time it is read.
                        self.out.wanted.insert(self.out.events[write].position);
                        return self.symbols.store.true_();
                    }
                }
            }
            let (old, new) = (self.out.events[overwritten[0]].value, self.out.events[last].value);
            let equal = self.symbols.store.eq(old, new);
            let differs = self.symbols.store.not(equal);
            lasting = self.symbols.store.or(lasting, differs);
            for (&write, &read) in writes.iter().zip(&overwritten[1..]) {
                let seen = self.symbols.store.fresh(Sort::Bool, "seen");
                let kept = self.symbols.store.fresh(Sort::Bool, "kept");
                self.out.seen.push((write, seen));
                self.out.kept.push((write, read, kept));
                let runs = self.guards.term(self.out.events[write].guard);
                let seen = self.symbols.store.and(runs, seen);
                let lost = self.symbols.store.not(kept);
                lasting = self.symbols.store.or(lasting, seen);
                lasting = self.symbols.store.or(lasting, lost);
            }
        }
        lasting
    }

    /// The read of what a write overwrites, in the same step: the index of the event.
    pub(in super::super) fn read_before(&self, write: usize) -> Option<usize> {
        let event = &self.out.events[write];
        let before = self.out.events[..write].iter().enumerate().rev();
        let own = before.take_while(|(_, other)| other.step == event.step);
        for (index, other) in own {
            if other.address == event.address && other.size == event.size {
                // The last access to a part of the place in this step must be the read.
                let is_it = !other.is_write && self.guards.implies(event.guard, other.guard);
                return is_it.then_some(index);
            }
            if other.is_write && self.may_overlap(other, event) {
                return None;
            }
        }
        None
    }

    fn may_overlap(&self, a: &Event, b: &Event) -> bool {
        let place = |event: &Event| self.symbols.store.as_constant(event.address);
        let (Some(x), Some(y)) = (place(a), place(b)) else { return true };
        x < y + u128::from(b.size) && y < x + u128::from(a.size)
    }
}
