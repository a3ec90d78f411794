//! Paths that are followed together.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::ValueId;

use super::super::contention::{Ended, Moment};
use super::super::contents::Contents;
use super::super::guard::Guard;
use super::super::reason::GaveUp;
use super::super::unfolding::StepId;
use super::{Stop, Unfolder};
use crate::solver::TermId;

/// An atomic section that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Open {
    pub step: StepId,
    /// How many are open in each other.
    pub depth: u32,
    /// How many were open when the first locked one was, it included: stores do not wait from there on.
    pub locked: Option<u32>,
}

/// Paths that have come to the same place.
#[derive(Clone)]
pub(super) struct State {
    /// The runs that take them.
    pub guard: Guard,
    /// What memory holds that nobody else writes.
    pub memory: Contents,
    /// Values that were defined in loops which the paths have left, as they were then.
    pub outer: FxHashMap<ValueId, TermId>,
    /// The atomic section.
    pub section: Option<Open>,
    /// Whether other threads may run.
    pub is_shared: bool,
    /// The threads that have ended in any case.
    pub ended: Ended,
    /// The last step, if it is one of accesses and the same on all of them.
    pub last: Option<StepId>,
}

/// Paths that go on at a block.
#[derive(Clone)]
pub(super) struct Pending {
    pub state: State,
    /// Values of the block's parameters.
    pub arguments: Vec<TermId>,
    /// Values of the loop, at its head.
    pub live: Vec<TermId>,
}

impl Unfolder<'_> {
    /// How far the thread has come on these paths.
    pub(super) fn moment(&self, state: &State) -> Moment {
        Moment { started: self.out.threads[self.thread].started, ended: state.ended }
    }

    /// Two sets of paths as one; and the condition that a run takes the second, given that it takes
    /// either. `values` are those of the values that paths do not carry themselves.
    pub(super) fn merge(
        &mut self,
        a: State,
        b: State,
        values: &[Option<TermId>],
    ) -> Result<(State, TermId), Stop> {
        let (mut a, mut b) = (a, b);
        if a.is_shared != b.is_shared {
            let alone = if a.is_shared { &mut b } else { &mut a };
            self.share(alone)?;
        }
        if a.section != b.section {
            return Err(GaveUp::Sections.into());
        }
        let (guard, is_second) = self.guards.or(&mut self.symbols.store, b.guard, a.guard);
        b.ended = a.ended.intersection(b.ended);
        b.last = a.last.filter(|_| a.last == b.last);
        b.memory.merge(self.symbols, &mut self.objects, is_second, &a.memory);
        let outer = std::mem::take(&mut b.outer);
        let carried: BTreeSet<ValueId> = a.outer.keys().chain(outer.keys()).copied().collect();
        for value in carried {
            let here = values.get(value.index()).copied().flatten();
            let of = |outer: &FxHashMap<ValueId, TermId>| outer.get(&value).copied().or(here);
            let term = match (of(&a.outer), of(&outer)) {
                (Some(old), Some(new)) => self.symbols.store.ite(is_second, new, old),
                (Some(term), None) | (None, Some(term)) => term,
                (None, None) => continue,
            };
            b.outer.insert(value, term);
        }
        Ok((State { guard, ..b }, is_second))
    }
}
