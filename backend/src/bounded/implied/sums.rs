//! Sums: cells to which threads add.
//!
//! A write *adds* if nothing is written between it and the read of what it overwrites: the two are in one
//! step, or all who write there hold one lock meanwhile. If all writes to a cell add, then what is read
//! there is what was there at first and what has been added before, in any order. So a solver need not
//! go through the orders of the threads to see that ten that add one each come to ten.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use sapa_limits::Exceeded;

use super::super::formula::{Access, Accesses, Builder, Cell};
use super::super::unfolding::StepKind;
use super::Prover;
use super::base::Base;
use super::locks::Lock;
use crate::solver::{Node, TermId, TermStore};

/// Most bits that are added in all.
const MOST_BITS: usize = 20_000;

/// Cells with more pairs of a read and an addition are not looked at.
const MOST_PAIRS: usize = 400_000;

/// How many bits it takes to count one thing more, about.
const COUNTED: usize = 3;

/// Most additions of which a run has one.
const MOST_EXCLUSIVE: usize = 12;

/// Terms with more variables are not looked at.
const MOST_VARIABLES: usize = 64;

/// A write that adds.
struct Addition<'a> {
    write: &'a Access,
    /// What it adds, and when.
    condition: TermId,
    summand: TermId,
    /// Whether no run has both this addition and one of those before it up to one that is marked
    /// otherwise, which all add the same: as those of the rounds of a loop that ends when one succeeds.
    is_instead: bool,
}

/// A read, and what has perhaps been added before it.
struct Sum<'a> {
    read: &'a Access,
    start: TermId,
    /// Conditions, and what is added if they hold.
    summands: Vec<(TermId, TermId)>,
    /// How many bits are added.
    cost: usize,
}

/// A term as the condition of being something else than another one, perhaps, and what it is then.
fn unless(store: &mut TermStore, term: TermId, other: TermId) -> (TermId, TermId) {
    match store.node(term) {
        Node::Ite(condition, value, otherwise) if otherwise == other => (condition, value),
        Node::Ite(condition, otherwise, value) if otherwise == other => {
            (store.not(condition), value)
        }
        _ => (store.true_(), term),
    }
}

impl Builder<'_, '_> {
    /// What is read where threads add.
    pub(super) fn sums(
        &mut self,
        cells: &[(Cell, Accesses)],
        locks: &[Lock],
        prover: &mut Prover,
    ) -> Result<(), Exceeded> {
        let mut all = Vec::new();
        for (cell, accesses) in cells {
            self.limits.check()?;
            let base = self.base(*cell, accesses);
            let Some(additions) = self.additions((*cell, accesses), &base, locks, prover) else {
                continue;
            };
            if additions.len().saturating_mul(accesses.reads.len()) > MOST_PAIRS {
                continue;
            }
            for read in &accesses.reads {
                if self.is_whole(read, *cell) && !base.covers(read) {
                    self.limits.check()?;
                    all.push(self.sum(&base, &additions, read));
                }
            }
        }
        // The cheapest first.
        all.sort_by_key(|sum| (sum.cost, sum.read.event));
        let mut bits = MOST_BITS;
        for sum in all {
            self.limits.check()?;
            let Some(left) = bits.checked_sub(sum.cost) else { break };
            bits = left;
            let total = self.total(sum.start, sum.summands);
            let equal = self.unfolder.symbols.store.eq(sum.read.value, total);
            let not = self.not(sum.read.own);
            self.clause(&[not, equal]);
        }
        Ok(())
    }

    /// The writes to a cell besides the base; `None` if one does something else than to add.
    fn additions<'a>(
        &mut self,
        (cell, accesses): (Cell, &'a Accesses),
        base: &Base,
        locks: &[Lock],
        prover: &mut Prover,
    ) -> Option<Vec<Addition<'a>>> {
        let writes = accesses.writes.values().flatten();
        let writes: Vec<&Access> = writes.filter(|write| !base.covers(write)).collect();
        // One alone, or threads one of which writes, are easy without that.
        let mut threads: Vec<usize> = writes.iter().map(|write| write.thread).collect();
        threads.dedup();
        if threads.len() < 2 {
            return None;
        }
        let mut own: BTreeMap<usize, Vec<(&Access, bool)>> = BTreeMap::new();
        // What was read before the base is not what is overwritten behind it.
        let reads = accesses.reads.iter().filter(|read| !base.covers(read));
        let reads = reads.map(|read| (read, false));
        for (access, is_write) in writes.iter().map(|&write| (write, true)).chain(reads) {
            own.entry(access.thread).or_default().push((access, is_write));
        }
        own.values_mut().for_each(|own| own.sort_by_key(|(access, _)| access.event));
        let read: FxHashSet<TermId> = accesses.reads.iter().map(|read| read.value).collect();
        let mut additions = Vec::new();
        let mut pairs = Vec::new();
        for write in writes {
            let waits = self.unfolder.out.step(write.step).kind == StepKind::Reach;
            if waits || !self.is_whole(write, cell) {
                return None;
            }
            let before = self.overwritten(&own[&write.thread], write, cell)?;
            additions.push(self.addition(&own[&write.thread], write, before, &read, prover)?);
            pairs.push((before, write));
        }
        self.find_exclusive(&mut additions, prover);
        let is_atomic = pairs.iter().all(|(read, write)| read.step == write.step);
        let is_locked = |lock: &Lock, this: &mut Self, prover: &mut Prover| {
            pairs.iter().all(|(read, write)| {
                let (Some((held, at)), Some((_, before))) =
                    (lock.held(read.thread, read.event), lock.held(write.thread, write.event))
                else {
                    return false;
                };
                let is_right = this.unfolder.symbols.store.implies(write.own, held);
                at == before && prover.holds(this, is_right)
            })
        };
        (is_atomic || locks.iter().any(|lock| is_locked(lock, self, prover))).then_some(additions)
    }

    /// The read of what a write overwrites: the last access of its thread before it.
    fn overwritten<'a>(
        &mut self,
        own: &[(&'a Access, bool)],
        write: &Access,
        cell: Cell,
    ) -> Option<&'a Access> {
        let at = own.partition_point(|(access, _)| access.event < write.event);
        for &(access, is_write) in own[..at].iter().rev() {
            if self.never_both(access, write) {
                continue;
            }
            let is_done = self.unfolder.guards.implies(write.guards.0, access.guards.0);
            return (!is_write && is_done && self.is_whole(access, cell)).then_some(access);
        }
        None
    }

    /// What a write adds to what was read before; `None` if that depends on what is read from the cell.
    fn addition<'a>(
        &mut self,
        own: &[(&Access, bool)],
        write: &'a Access,
        before: &Access,
        read: &FxHashSet<TermId>,
        prover: &mut Prover,
    ) -> Option<Addition<'a>> {
        let store = &mut self.unfolder.symbols.store;
        // A compare-and-exchange that fails leaves what is there, and what cannot add adds nothing.
        let (changes, value) = unless(store, write.value, before.value);
        let summand = store.sub(value, before.value);
        let zero = store.constant(store.width(summand), 0);
        let (adds, summand) = unless(store, summand, zero);
        let condition = store.and(changes, adds);
        let new = |summand| Addition { write, condition, summand, is_instead: false };
        let variables = store.variables(summand);
        if variables.len() > MOST_VARIABLES {
            return None;
        }
        if !variables.iter().any(|variable| read.contains(variable)) {
            return Some(new(summand));
        }
        // One that succeeds may compute what it leaves from an earlier read, which has found the same.
        let width = store.width(value);
        for variable in variables {
            if variable == before.value
                || store.width(variable) != width
                || !own.iter().any(|(access, _)| access.value == variable)
            {
                continue;
            }
            let summand = store.sub(value, variable);
            if store.as_constant(summand).is_none() {
                continue;
            }
            let same = store.eq(variable, before.value);
            let runs = store.and(write.own, condition);
            let is_right = store.implies(runs, same);
            return prover.holds(self, is_right).then_some(new(summand));
        }
        None
    }

    /// Finds additions of which a run has one at most.
    fn find_exclusive(&mut self, additions: &mut [Addition<'_>], prover: &mut Prover) {
        let mut first = 0;
        for at in 1..additions.len() {
            let (before, rest) = additions[first..].split_at_mut(at - first);
            let [this, ..] = rest else { continue };
            let store = &self.unfolder.symbols.store;
            let is_like = before.iter().all(|other| {
                other.write.thread == this.write.thread && other.summand == this.summand
            });
            let is_instead = is_like
                && before.len() < MOST_EXCLUSIVE
                && store.as_constant(this.summand).is_some()
                && before.iter().all(|other| self.is_exclusive(other, this, prover));
            this.is_instead = is_instead;
            if !is_instead {
                first = at;
            }
        }
    }

    /// Whether no run has both of two additions of a thread.
    fn is_exclusive(&mut self, a: &Addition<'_>, b: &Addition<'_>, prover: &mut Prover) -> bool {
        let store = &self.unfolder.symbols.store;
        let is_always = store.as_boolean(a.condition) == Some(true);
        if is_always && self.unfolder.guards.implies(b.write.guards.0, a.write.guards.0) {
            return false;
        }
        let [a, b] = [a, b].map(|addition| self.and(addition.write.own, addition.condition));
        let both = self.and(a, b);
        let never = self.not(both);
        prover.holds(self, never)
    }

    /// What has been added before a read.
    fn sum<'a>(&mut self, base: &Base, additions: &[Addition<'a>], read: &'a Access) -> Sum<'a> {
        let mut summands = Vec::new();
        let width = self.unfolder.symbols.store.width(read.value) as usize;
        for &Addition { write, condition, summand, is_instead } in additions {
            let is_before = if write.thread == read.thread {
                if write.event < read.event {
                    write.own
                } else {
                    self.unfolder.symbols.store.false_()
                }
            } else {
                let before = self.before(write.step, read.step);
                self.and(write.visible, before)
            };
            let is_before = self.and(is_before, condition);
            match summands.last_mut() {
                Some((known, _)) if is_instead => {
                    *known = self.unfolder.symbols.store.or(*known, is_before);
                }
                _ => summands.push((is_before, summand)),
            }
        }
        let store = &self.unfolder.symbols.store;
        summands.retain(|&(condition, _)| store.as_boolean(condition) != Some(false));
        // Constants are counted before they are added.
        let cost = summands.iter().map(|&(condition, summand)| match store.as_constant(summand) {
            Some(_) if store.as_boolean(condition).is_some() => 0,
            Some(_) => COUNTED,
            None => width,
        });
        let cost = cost.sum();
        Sum { read, start: base.value, summands, cost }
    }

    /// A sum: of constants, how many there are, times the constant.
    fn total(&mut self, start: TermId, summands: Vec<(TermId, TermId)>) -> TermId {
        let symbols = &mut *self.unfolder.symbols;
        let width = symbols.store.width(start);
        let mut total = start;
        let mut constants: BTreeMap<u128, Vec<TermId>> = BTreeMap::new();
        let zero = symbols.store.constant(width, 0);
        for (condition, summand) in summands {
            match symbols.store.as_constant(summand) {
                Some(constant) => constants.entry(constant).or_default().push(condition),
                None => {
                    let own = symbols.store.ite(condition, summand, zero);
                    total = symbols.store.add(total, own);
                }
            }
        }
        for (constant, conditions) in constants {
            let store = &mut symbols.store;
            let one = store.constant(1, 1);
            let none = store.constant(1, 0);
            let mut counts: Vec<TermId> =
                conditions.iter().map(|&condition| store.ite(condition, one, none)).collect();
            while counts.len() > 1 {
                let pairs = counts.chunks(2).map(|pair| match *pair {
                    [a, b] => {
                        let wider = store.width(a).max(store.width(b)) + 1;
                        let (a, b) = (store.zext(a, wider), store.zext(b, wider));
                        store.add(a, b)
                    }
                    _ => pair[0],
                });
                counts = pairs.collect();
            }
            let Some(&count) = counts.first() else { continue };
            let count = if store.width(count) > width {
                store.extract(count, width - 1, 0)
            } else {
                store.zext(count, width)
            };
            // Small factors are few additions.
            let factor = store.constant(width, constant);
            let opposite = store.neg(factor);
            total = if store.as_constant(opposite) < Some(constant) {
                let product = store.mul(count, opposite);
                store.sub(total, product)
            } else {
                let product = store.mul(count, factor);
                store.add(total, product)
            };
        }
        total
    }
}
