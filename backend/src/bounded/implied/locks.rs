//! Locks: cells that are 0 while nobody holds them.
//!
//! A thread *takes* a lock by an indivisible step that finds 0 and leaves another number, and it *gives
//! it back* by a write of 0 while it holds it. If nothing else is written there, but for steps that find
//! another number than 0 and leave one, the cell is not 0 exactly if one thread holds the lock: by
//! induction over the steps of a run. So of two threads that hold it one gives it back before
//! the other takes it. Which write the cell was read from says that too, but through all that any
//! other thread did in between.

use std::collections::BTreeMap;

use sapa_limits::Exceeded;

use super::super::formula::{Access, Accesses, Builder, Cell};
use super::super::guard::Guard;
use super::super::unfolding::{StepId, StepKind};
use super::Prover;
use crate::solver::TermId;

/// More pairs of steps that take locks are not ordered.
const MOST_PAIRS: usize = 20_000;

/// A write to a lock.
pub(super) struct Turn {
    event: usize,
    step: StepId,
    /// Its path conditions: those of the write, and of the end of its step.
    guards: (Guard, Option<Guard>),
    /// The runs in which it takes the lock, and in which it gives it back.
    takes: TermId,
    gives: TermId,
    /// The runs in which its thread holds the lock after it.
    holds: TermId,
}

/// A lock: by thread, the writes in the order of the program.
pub(super) struct Lock(BTreeMap<usize, Vec<Turn>>);

impl Lock {
    /// The runs in which a thread holds the lock when it comes to an event, and the turn before; `None`
    /// for none.
    pub fn held(&self, thread: usize, event: usize) -> Option<(TermId, usize)> {
        let before = self.0.get(&thread)?.iter().rev().find(|turn| turn.event < event)?;
        Some((before.holds, before.event))
    }
}

impl Builder<'_, '_> {
    /// The locks among all cells.
    pub(super) fn locks(
        &mut self,
        cells: &[(Cell, Accesses)],
        prover: &mut Prover,
    ) -> Result<Vec<Lock>, Exceeded> {
        let mut found = Vec::new();
        for (cell, accesses) in cells {
            self.limits.check()?;
            found.extend(self.lock(*cell, accesses, prover));
        }
        Ok(found)
    }

    fn lock(&mut self, cell: Cell, accesses: &Accesses, prover: &mut Prover) -> Option<Lock> {
        let base = self.base(cell, accesses);
        if self.unfolder.symbols.store.as_constant(base.value) != Some(0) {
            return None;
        }
        // What cannot be one for want of a write of 0 is not looked at any further.
        let mut all = accesses.writes.values().flatten();
        let store = &self.unfolder.symbols.store;
        if !all.any(|w| !base.covers(w) && store.as_constant(w.value) == Some(0)) {
            return None;
        }
        let mut lock = BTreeMap::new();
        for (&thread, writes) in &accesses.writes {
            let mut turns = Vec::new();
            let mut holds = self.unfolder.symbols.store.false_();
            for write in writes.iter().filter(|write| !base.covers(write)) {
                let waits = self.unfolder.out.step(write.step).kind == StepKind::Reach;
                if waits || !self.is_whole(write, cell) {
                    return None;
                }
                let none = self.unfolder.symbols.store.false_();
                let (takes, gives) = match self.takes(write.event, write.visible, prover) {
                    Some(takes) => (takes, none),
                    None => {
                        let store = &mut self.unfolder.symbols.store;
                        let zero = store.constant(store.width(write.value), 0);
                        let is_zero = store.eq(write.value, zero);
                        let is_given = store.and(is_zero, holds);
                        let is_right = store.implies(write.visible, is_given);
                        if !prover.holds(self, is_right) {
                            return None;
                        }
                        (none, write.visible)
                    }
                };
                let store = &mut self.unfolder.symbols.store;
                let keeps = store.not(gives);
                holds = store.and(holds, keeps);
                holds = store.or(holds, takes);
                let &Access { event, step, guards, .. } = write;
                turns.push(Turn { event, step, guards, takes, gives, holds });
            }
            lock.insert(thread, turns);
        }
        Some(Lock(lock))
    }

    /// The runs in which a write takes a lock; `None` if it may do something else.
    fn takes(&mut self, write: usize, visible: TermId, prover: &mut Prover) -> Option<TermId> {
        let read = self.unfolder.read_before(write)?;
        let [old, new] = [read, write].map(|event| self.unfolder.out.events[event].value);
        let store = &mut self.unfolder.symbols.store;
        let zero = store.constant(store.width(old), 0);
        let [was_free, is_free] = [old, new].map(|value| store.eq(value, zero));
        let gives_nothing = store.implies(is_free, was_free);
        let is_right = store.implies(visible, gives_nothing);
        let is_taken = store.not(is_free);
        let takes = store.and(was_free, is_taken);
        let takes = store.and(visible, takes);
        prover.holds(self, is_right).then_some(takes)
    }

    /// Of two threads that take a lock one gives it back before the other takes it.
    pub(super) fn exclusions(&mut self, locks: &[Lock]) -> Result<(), Exceeded> {
        let mut pairs = MOST_PAIRS;
        for Lock(lock) in locks {
            for (first, own) in lock {
                for (at, turn) in own.iter().enumerate() {
                    for (_, others) in lock.iter().filter(|(second, _)| *second != first) {
                        for other in others {
                            self.limits.check()?;
                            let is_none =
                                |turn: &Turn| self.unfolder.symbols.store.as_boolean(turn.takes);
                            if [turn, other].into_iter().any(|t| is_none(t) == Some(false)) {
                                continue;
                            }
                            if pairs == 0 {
                                return Ok(());
                            }
                            pairs -= 1;
                            self.exclusion(turn, &own[at + 1..], other);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// If one turn takes the lock before another one does, it is given back between the two.
    fn exclusion(&mut self, turn: &Turn, after: &[Turn], other: &Turn) {
        let mut clause = vec![self.not(turn.takes), self.not(other.takes)];
        clause.push(self.before(other.step, turn.step));
        for later in after {
            let before = self.before(later.step, other.step);
            let given = self.and(later.gives, before);
            clause.push(given);
            // Whoever takes it in this turn gives it back in that one in any case.
            let always =
                |guard| turn.guards.1.is_some_and(|g| self.unfolder.guards.implies(g, guard));
            let is_given = self.unfolder.symbols.store.as_boolean(later.gives) != Some(false);
            if is_given && always(later.guards.0) && later.guards.1.is_some_and(always) {
                break;
            }
        }
        self.clause(&clause);
    }
}
