//! The formula of an unfolding: which write each read reads from, and when.
//!
//! Each read takes the value of one write (read-from), which comes before it, and no other write to
//! the same place comes between the two (coherence and from-read). All is over one total order of
//! steps. Under sequential consistency a write is a step of its thread; under TSO and PSO it is one of
//! its own where the store waits, and its own thread reads it before that too. After Alglave, Kroening, Tautschnig, "Partial orders for efficient
//! bounded model checking of concurrent software" (CAV 2013); but the order is one of Booleans that
//! are closed under the order of the program ([`Order`]), and not of numbers.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::handle;
use sapa_limits::Limits;

use super::contention::Ended;
use super::contents::{join, slice};
use super::guard::Guard;
use super::order::Order;
use super::reason::GaveUp;
use super::unfold::{Stop, Unfolder, value_of};
use super::unfolding::StepId;
use crate::automaton::value::{compare, constant};
use crate::solver::{Solver, Sort, TermId};

/// A part of an object that is accessed as a whole: object, offset and size.
pub(super) type Cell = (u64, u64, u64);

/// What an event does to a cell.
pub(super) struct Access {
    /// Index of the event.
    pub event: usize,
    pub thread: usize,
    pub step: StepId,
    /// The runs in which its own thread does it.
    pub own: TermId,
    /// Those in which others see it.
    pub visible: TermId,
    /// The path conditions of both, as far as the address does not matter.
    pub guards: (Guard, Option<Guard>),
    /// The threads that have ended before.
    pub ended: Ended,
    /// The address, if it may be another place too.
    pub address: Option<TermId>,
    /// What is read or written, of the cell's size.
    pub value: TermId,
}

/// What is written to a cell, and read from it.
#[derive(Default)]
pub(super) struct Accesses {
    /// By thread, in the order of the program.
    pub writes: BTreeMap<usize, Vec<Access>>,
    pub reads: Vec<Access>,
}

/// An unfolding as a formula.
pub(super) struct Formula {
    pub order: Order,
    /// That an assertion fails.
    pub fails: TermId,
    /// That the interpreter does not end a run before that, as it does where an index leads far away.
    pub is_executed: TermId,
    /// That a run goes on where it was not unfolded.
    pub goes_on: TermId,
}

impl Formula {
    /// Asserts what all runs have.
    ///
    /// # Errors
    /// If it is too large, or a limit is reached.
    pub fn new(
        unfolder: &mut Unfolder<'_>,
        (threads, orders): (Option<u32>, usize),
        solver: &mut Solver,
        limits: &Limits,
    ) -> Result<Self, Stop> {
        let has_rooms = unfolder.bounds.has_rooms;
        let store = &mut unfolder.symbols.store;
        let how = (unfolder.bounds.memory, has_rooms, orders);
        let order = Order::new(&unfolder.out, &unfolder.guards, how, store, solver, limits)?;
        let order = order.ok_or(GaveUp::TooLarge(Default::default()))?;
        let mut rounds = Rounds::default();
        for &(write, seen) in &unfolder.out.seen {
            rounds.seen.entry(write).or_default().0.push(seen);
        }
        for &(write, read, kept) in &unfolder.out.kept {
            rounds.kept.entry((write, read)).or_default().push(kept);
        }
        let mut builder = Builder { unfolder, solver, order, rounds, limits };
        builder.validity();
        builder.accesses()?;
        builder.overlaps()?;
        builder.rounds();
        builder.joins();
        builder.rooms(threads);
        let Builder { unfolder, order, .. } = builder;
        let store = &mut unfolder.symbols.store;
        let mut fails = store.false_();
        for check in &unfolder.out.checks {
            let not = store.not(check.condition);
            let here = store.and(unfolder.guards.term(check.guard), not);
            fails = store.or(fails, here);
        }
        let cuts: Vec<TermId> =
            unfolder.out.cuts.iter().map(|cut| unfolder.guards.term(cut.guard)).collect();
        let goes_on = store.or_all(cuts);
        let is_executed = store.and_all(unfolder.out.near.iter().copied());
        Ok(Self { order, fails, is_executed, goes_on })
    }
}

/// What rounds of loops rest on: by write, or by write and read.
#[derive(Default)]
struct Rounds {
    /// For writes, the variables that they are seen, one for each loop whose round they are in, and the reads of others
    /// that see them.
    seen: FxHashMap<usize, (Vec<TermId>, Vec<TermId>)>,
    kept: FxHashMap<(usize, usize), Vec<TermId>>,
}

/// A formula that is being made.
pub(super) struct Builder<'b, 'm> {
    pub(super) unfolder: &'b mut Unfolder<'m>,
    solver: &'b mut Solver,
    order: Order,
    rounds: Rounds,
    pub(super) limits: &'b Limits,
}

impl Builder<'_, '_> {
    pub(super) fn clause(&mut self, terms: &[TermId]) {
        self.solver.assert_clause(&self.unfolder.symbols.store, terms);
    }

    pub(super) fn not(&mut self, term: TermId) -> TermId {
        self.unfolder.symbols.store.not(term)
    }

    pub(super) fn and(&mut self, a: TermId, b: TermId) -> TermId {
        self.unfolder.symbols.store.and(a, b)
    }

    pub(super) fn before(&mut self, a: StepId, b: StepId) -> TermId {
        self.order.before(&mut self.unfolder.symbols.store, a, b)
    }

    /// Whoever gets past an access whose address was read has found an object there.
    fn validity(&mut self) {
        for (event, valid) in self.unfolder.out.valid.clone() {
            let event = self.unfolder.out.events[event].clone();
            let mut clause = vec![self.not(valid)];
            for place in event.places.unwrap_or_default() {
                clause.push(self.unfolder.is_at(event.address, place, event.size));
            }
            self.clause(&clause);
        }
        for asked in std::mem::take(&mut self.unfolder.out.asked) {
            let is_there = self.unfolder.is_at_one_of(asked.address, &asked.places, asked.size);
            let (no, not_there) = (self.not(asked.answer), self.not(is_there));
            self.clause(&[no, is_there]);
            self.clause(&[asked.answer, not_there]);
        }
    }

    /// What every read reads.
    fn accesses(&mut self) -> Result<(), Stop> {
        let mut cells = self.cells();
        let mut all: FxHashMap<Cell, Accesses> = FxHashMap::default();
        for index in 0..self.unfolder.out.events.len() {
            self.limits.check()?;
            let event = self.unfolder.out.events[index].clone();
            let thread = self.unfolder.out.step(event.step).thread;
            let complete = self.unfolder.out.complete(event.step);
            let places = event.places.clone().unwrap_or_default();
            let is_fixed = self.unfolder.symbols.store.as_constant(event.address).is_some();
            for place in places {
                let is_here = self.unfolder.is_at(event.address, place, event.size);
                let guard = self.unfolder.guards.term(event.guard);
                let own = self.and(guard, is_here);
                let visible = match complete {
                    Some(complete) => {
                        let complete = self.unfolder.guards.term(complete);
                        self.and(own, complete)
                    }
                    None => self.unfolder.symbols.store.false_(),
                };
                let cuts = cells.entry(place.0).or_default();
                let starts: Vec<u64> =
                    cuts.range(place.1..=place.1 + event.size).copied().collect();
                // What is read is what the cell holds.
                let is_cell = is_fixed && starts.len() == 2;
                let mut parts = Vec::new();
                for pair in starts.windows(2) {
                    let (start, size) = (pair[0], pair[1] - pair[0]);
                    let symbols = &mut *self.unfolder.symbols;
                    let value = if event.is_write {
                        let from = start - place.1;
                        let endianness = self.unfolder.objects.endianness;
                        slice(symbols, endianness, event.value, event.size, from..from + size)
                    } else if is_cell {
                        event.value
                    } else {
                        let bits = u32::try_from(8 * size).expect("a cell has at most 16 bytes");
                        symbols.store.fresh(Sort::Bv(bits), "cell")
                    };
                    parts.push(value);
                    let access = Access {
                        event: index,
                        thread,
                        step: event.step,
                        own,
                        visible,
                        guards: (event.guard, complete),
                        ended: event.moment.ended,
                        address: (!is_fixed).then_some(event.address),
                        value,
                    };
                    let here = all.entry((place.0, start, size)).or_default();
                    if event.is_write {
                        here.writes.entry(thread).or_default().push(access);
                    } else {
                        here.reads.push(access);
                    }
                }
                let is_made = !event.is_write && !is_cell;
                if is_made {
                    let endianness = self.unfolder.objects.endianness;
                    let whole = join(self.unfolder.symbols, endianness, &parts);
                    let equal = self.unfolder.symbols.store.eq(event.value, whole);
                    let not = self.not(own);
                    self.clause(&[not, equal]);
                }
            }
        }
        let mut cells: Vec<(Cell, Accesses)> = all.into_iter().collect();
        cells.sort_by_key(|&(cell, _)| cell);
        for (cell, accesses) in &cells {
            for read in &accesses.reads {
                self.limits.check()?;
                self.read(*cell, &accesses.writes, read);
            }
        }
        self.implied(&cells)?;
        Ok(())
    }

    /// Where the cells of each object begin and end.
    fn cells(&self) -> FxHashMap<u64, BTreeSet<u64>> {
        let mut cuts: FxHashMap<u64, BTreeSet<u64>> = FxHashMap::default();
        for event in &self.unfolder.out.events {
            for &(object, offset) in event.places.iter().flatten() {
                cuts.entry(object).or_default().extend([offset, offset + event.size]);
            }
        }
        cuts
    }

    /// Whether a write is at the place of another access whenever that one is there.
    fn is_there(write: &Access, other: &Access) -> bool {
        write.address.is_none() || write.address == other.address
    }

    /// Whether a thread has come past what these runs come to in all runs that come to a read.
    fn is_done(&self, thread: usize, complete: Guard, read: &Access) -> bool {
        let guards = &self.unfolder.guards;
        let end = self.unfolder.out.threads[thread].end.as_ref();
        let end = end.filter(|_| read.ended.contains(thread));
        guards.implies(read.guards.0, complete)
            || end.is_some_and(|&(_, end, _)| guards.implies(end, complete))
    }

    /// A read takes the value of the last write before it.
    fn read(&mut self, cell: Cell, writes: &BTreeMap<usize, Vec<Access>>, read: &Access) {
        // The writes that it may read from: of each thread, from the last one on.
        let mut candidates: Vec<&Access> = Vec::new();
        let mut is_written = false;
        for (&thread, own) in writes {
            for write in own.iter().rev() {
                if thread == read.thread {
                    if write.event > read.event {
                        continue;
                    }
                    candidates.push(write);
                    if self.unfolder.guards.implies(read.guards.0, write.guards.0)
                        && Self::is_there(write, read)
                    {
                        is_written = true;
                        break;
                    }
                    continue;
                }
                let before = self.before(write.step, read.step);
                match self.unfolder.symbols.store.as_boolean(before) {
                    Some(false) => continue,
                    _ => candidates.push(write),
                    // What comes before in any case and is done in any case hides all before it.
                }
                if self.unfolder.symbols.store.as_boolean(before) == Some(true)
                    && write.guards.1.is_some_and(|complete| {
                        self.is_done(thread, complete, read)
                            && self.unfolder.guards.implies(complete, write.guards.0)
                    })
                    && Self::is_there(write, read)
                {
                    is_written = true;
                    break;
                }
            }
        }
        let not_read = self.not(read.own);
        let mut sources = vec![not_read];
        for at in 0..candidates.len() {
            let from = self.unfolder.symbols.store.fresh(Sort::Bool, "from");
            sources.push(from);
            self.reads_from(from, &candidates, at, read);
        }
        if !is_written {
            let from = self.unfolder.symbols.store.fresh(Sort::Bool, "initial");
            sources.push(from);
            let not_from = self.not(from);
            for write in &candidates {
                if write.thread == read.thread {
                    let not_own = self.not(write.own);
                    self.clause(&[not_from, not_own]);
                } else {
                    let not_visible = self.not(write.visible);
                    let after = self.before(read.step, write.step);
                    self.clause(&[not_from, not_visible, after]);
                }
            }
            let (object, offset, size) = cell;
            let unfolder = &mut *self.unfolder;
            let initial = unfolder.objects.initial(unfolder.symbols, object, offset, size);
            let equal = self.unfolder.symbols.store.eq(read.value, initial);
            self.clause(&[not_from, equal]);
        }
        self.clause(&sources);
    }

    /// What holds if a read reads from one of the writes that it may read from.
    fn reads_from(&mut self, from: TermId, candidates: &[&Access], at: usize, read: &Access) {
        let write = candidates[at];
        let not_from = self.not(from);
        let is_own = write.thread == read.thread;
        if is_own {
            self.clause(&[not_from, write.own]);
            // Of a read of several cells nothing is said: it may be that of another one is not kept.
            let is_whole = self.unfolder.out.events[read.event].value == read.value;
            let kept = self.rounds.kept.get(&(write.event, read.event)).filter(|_| is_whole);
            for kept in kept.cloned().unwrap_or_default() {
                self.clause(&[not_from, kept]);
            }
        } else {
            if let Some((_, by)) = self.rounds.seen.get_mut(&write.event) {
                let sees = self.unfolder.symbols.store.and(from, read.own);
                by.push(sees);
            }
            self.clause(&[not_from, write.visible]);
            let before = self.before(write.step, read.step);
            self.clause(&[not_from, before]);
        }
        let equal = self.unfolder.symbols.store.eq(read.value, write.value);
        self.clause(&[not_from, equal]);
        // No other write comes between the two.
        let mut hidden: BTreeSet<usize> = BTreeSet::new();
        // Those of a thread stand last first: from the write on in the order of the program.
        for (index, other) in candidates.iter().enumerate().rev() {
            if index == at || hidden.contains(&other.thread) {
                continue;
            }
            if other.thread == write.thread {
                if other.event < write.event {
                    continue;
                }
                if is_own {
                    let not_own = self.not(other.own);
                    self.clause(&[not_from, not_own]);
                } else {
                    let not_visible = self.not(other.visible);
                    let after = self.before(read.step, other.step);
                    self.clause(&[not_from, not_visible, after]);
                    // What comes after it comes after the read too.
                    if write.guards.1.is_some()
                        && other.guards.1.is_some_and(|complete| {
                            write.guards.1.is_some_and(|guard| {
                                self.unfolder.guards.implies(guard, complete)
                                    && self.unfolder.guards.implies(complete, other.guards.0)
                            })
                        })
                        && Self::is_there(other, write)
                    {
                        hidden.insert(other.thread);
                    }
                }
            } else if other.thread == read.thread {
                let not_own = self.not(other.own);
                let before = self.before(other.step, write.step);
                self.clause(&[not_from, not_own, before]);
            } else {
                let not_visible = self.not(other.visible);
                let before = self.before(other.step, write.step);
                let after = self.before(read.step, other.step);
                self.clause(&[not_from, not_visible, before, after]);
            }
        }
    }

    /// A write is seen if a read of another thread sees it.
    fn rounds(&mut self) {
        for (_, (seen, by)) in std::mem::take(&mut self.rounds.seen) {
            for seen in seen {
                let mut clause = vec![self.not(seen)];
                clause.extend(&by);
                self.clause(&clause);
            }
        }
    }

    /// Who waits for a thread gets on after its end.
    fn joins(&mut self) {
        for join in self.unfolder.out.joins.clone() {
            let mut clause = vec![self.not(join.passes)];
            let thread = self.unfolder.out.step(join.step).thread;
            for number in 0..self.unfolder.out.threads.len() {
                let Some((end, guard, value)) = self.unfolder.out.threads[number].end else {
                    continue;
                };
                if number == thread {
                    continue;
                }
                let bits = self.unfolder.symbols.bits(join.handle);
                let symbols = &mut *self.unfolder.symbols;
                let own = constant(symbols, bits, handle(u32::try_from(number).unwrap_or(0)));
                let is_it = compare(symbols, sapa_ir::goto::CompareOp::Eq, join.handle, own);
                if self.unfolder.symbols.store.as_boolean(is_it) == Some(false) {
                    continue;
                }
                let before = self.before(end, join.step);
                let ends = self.unfolder.guards.term(guard);
                let ended = self.and(ends, before);
                let this = self.and(is_it, ended);
                clause.push(this);
                if let (Some(result), Some(value)) = (join.result, value) {
                    let symbols = &mut *self.unfolder.symbols;
                    let value = value_of(symbols, value, symbols.bits(result));
                    let equal = compare(symbols, sapa_ir::goto::CompareOp::Eq, result, value);
                    let not = [self.not(join.passes), self.not(is_it)];
                    self.clause(&[not[0], not[1], equal]);
                }
            }
            self.clause(&clause);
        }
    }

    /// Starts wait as long as there are as many threads as may be at once.
    fn rooms(&mut self, threads: Option<u32>) {
        let Some(most) = threads else { return };
        for (step, passes) in self.unfolder.out.rooms.clone() {
            let zero = self.unfolder.symbols.store.constant(16, 0);
            let one = self.unfolder.symbols.store.constant(16, 1);
            let mut count = zero;
            for number in 1..self.unfolder.out.threads.len() {
                let thread = self.unfolder.out.threads[number].clone();
                let Some((_, _, start)) = thread.parent.filter(|&(_, _, start)| start != step)
                else {
                    continue;
                };
                let started = self.unfolder.guards.term(thread.guard);
                let before = self.before(start, step);
                let mut exists = self.and(started, before);
                if let Some((end, guard, _)) = thread.end {
                    let before = self.before(end, step);
                    let ends = self.unfolder.guards.term(guard);
                    let ended = self.and(ends, before);
                    let not = self.not(ended);
                    exists = self.and(exists, not);
                }
                let store = &mut self.unfolder.symbols.store;
                let own = store.ite(exists, one, zero);
                count = store.add(count, own);
            }
            let store = &mut self.unfolder.symbols.store;
            let most = store.constant(16, u128::from(most));
            let fits = store.ult(count, most);
            let not = self.not(passes);
            self.clause(&[not, fits]);
        }
    }
}
