//! Which threads have to move in a state, so that no order of steps is missed that leads elsewhere.
//!
//! In a state it is enough to let some threads move whose next moves nothing commutes badly with that the *other* threads may do
//! before one of them moves: a persistent set (Godefroid, "Partial-Order Methods for the Verification of Concurrent
//! Systems", 1996, chapter 4). What other threads may still touch is not known beforehand. It is taken to be what
//! the search has seen them touch, with the locks that they held (`conflicts`). When the search has come to its end, each
//! choice is looked at again; where others touch more by now, more threads move, and the search goes on. In
//! the end all choices are right by what was seen, and nothing else can be: after Stoller and Cohen, "Optimistic
//! synchronization-based state-space reduction" (TACAS 2003).
//!
//! The argument. Let a run begin in a state that the search has come to, and end with a step that was not seen: an access, a start,
//! a lock given back by another thread, an assertion that fails, or whatever else ends runs; take a shortest one. If a
//! thread of the chosen set moves in it, then all that was done before that move by others was seen, so that it touches nothing of
//! that move; it can be done first, and from the state there, which was seen, a shorter run is left. If none does,
//! any move of a thread of the set can be put before the run, which is then as long; but the move that is taken leads to a
//! state that was found later, and there is a last one.
//!
//! Where values are terms (`terms`), a state stands for one for each of the values that they may have, and all this has to hold
//! of each of these: whatever they are, a thread of the set leads to a state that was found later. A set with a
//! thread that goes on for some of them only is none.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::conflicts::{Conflicts, Lock};
use super::explore::{Node, Origin, Search};
use super::footprint::{Access, ENDS, Part};
use super::machine::Machine;
use super::replay::Move;

/// In every so many states it is another thread's turn to move first.
const FAIRNESS: usize = 16;

/// What was taken for a lock is none.
pub(super) struct NoLock(Lock);

/// What a search knows that leaves out orders of steps.
#[derive(Default)]
pub(super) struct Reduction<'m> {
    pub conflicts: Conflicts,
    /// What looks like a lock and is none.
    no_locks: FxHashSet<Lock>,
    /// The choices of threads.
    chosen: Vec<Chosen<'m>>,
    /// How much was known when they were looked at last.
    looked_at: usize,
}

impl Reduction<'_> {
    /// All that was seen is forgotten but what is no lock, of which this is another one.
    pub fn begin_anew(&mut self, NoLock(lock): NoLock) {
        let mut no_locks = std::mem::take(&mut self.no_locks);
        no_locks.insert(lock);
        *self = Self { no_locks, ..Self::default() };
    }
}

/// That only these threads move in a state.
struct Chosen<'m> {
    number: usize,
    node: Rc<Node<'m>>,
    threads: Vec<u32>,
    /// What they touch next.
    touched: Vec<(u32, Access)>,
}

impl Chosen<'_> {
    /// Whether no other thread may do anything that matters to what these do next, by what was seen.
    fn is_right(&self, conflicts: &Conflicts) -> bool {
        let Self { node, threads, touched, .. } = self;
        let mut is_right = true;
        for &(thread, access) in touched {
            conflicts.others(thread, access, &held(node, thread), |other| {
                movers_to(conflicts, &node.machine, other, &mut |mover| {
                    is_right &= threads.contains(&mover);
                });
            });
        }
        is_right
    }
}

/// What a thread can do next.
struct Ways<'m> {
    ways: Vec<(Rc<Node<'m>>, Move)>,
    /// What it touches in doing so, or before it has to wait.
    touched: Vec<Access>,
    /// Whether that is all it touches.
    is_known: bool,
}

/// What threads can do in a state, as far as it was asked for.
type Known<'m> = FxHashMap<u32, Ways<'m>>;

impl<'m> Search<'m> {
    /// Lets enough threads move in a state.
    ///
    /// # Errors
    /// If a thread gives back a lock that another one holds.
    pub(super) fn expand(&mut self, number: usize, node: &Rc<Node<'m>>) -> Result<(), NoLock> {
        let threads = match node.machine.in_section() {
            Some(thread) => vec![thread],
            None => node.machine.threads(),
        };
        let mut known = Known::default();
        let mut best: Option<Vec<u32>> = None;
        // A thread that goes on without end does not keep the others from their turn.
        let turn = if number.is_multiple_of(FAIRNESS) { number / FAIRNESS } else { 0 };
        let (later, sooner) = threads.split_at(turn % threads.len().max(1));
        for &first in sooner.iter().chain(later) {
            let set = self.closed(number, node, first, &threads, &mut known)?;
            if self.is_over() {
                return Ok(());
            }
            let smallest = best.as_ref().map_or(threads.len(), Vec::len);
            let Some(set) = set.filter(|set| set.len() < smallest) else { continue };
            let is_enough = set.len() == 1;
            best = Some(set);
            if is_enough {
                break;
            }
        }
        let moving = best.as_ref().unwrap_or(&threads);
        let mut touched = Vec::new();
        for &thread in moving {
            self.know(number, node, thread, &mut known)?;
            if self.is_over() {
                return Ok(());
            }
            let Some(Ways { ways, touched: own, .. }) = known.remove(&thread) else { continue };
            touched.extend(own.into_iter().map(|access| (thread, access)));
            for (next, step) in ways {
                self.reach(next, Origin::Step(number, step));
            }
        }
        if let (Some(threads), Some(reduction)) = (best, &mut self.reduction) {
            let node = Rc::clone(node);
            self.bytes = self.bytes.saturating_add(
                size_of::<Chosen<'_>>() + size_of_val(&*threads) + size_of_val(&*touched),
            );
            reduction.chosen.push(Chosen { number, node, threads, touched });
        }
        Ok(())
    }

    /// Whether a choice was not right by what is known now: then its state is in the queue again.
    pub(super) fn reconsider(&mut self) -> bool {
        let Some(Reduction { conflicts, chosen, looked_at, .. }) = &mut self.reduction else {
            return false;
        };
        if *looked_at == conflicts.changes {
            return false;
        }
        *looked_at = conflicts.changes;
        let mut pace = self.options.limits.pace();
        let mut kept = Vec::new();
        for choice in std::mem::take(chosen) {
            if let Err(exceeded) = pace.work(1 + choice.touched.len()) {
                self.found.incomplete = Some(exceeded.into());
                return false;
            }
            if choice.is_right(conflicts) {
                kept.push(choice);
            } else {
                self.queue.push_back((choice.number, choice.node));
            }
        }
        *chosen = kept;
        !self.queue.is_empty()
    }

    /// Threads of which nobody else may do something that matters to what they do next, a given one among them; `None`
    /// if these are all, or none of them leads to a state that was found later.
    fn closed(
        &mut self,
        number: usize,
        node: &Rc<Node<'m>>,
        first: u32,
        all: &[u32],
        known: &mut Known<'m>,
    ) -> Result<Option<Vec<u32>>, NoLock> {
        let mut set = vec![first];
        let (mut next, mut leads_on) = (0, false);
        while let Some(&thread) = set.get(next) {
            next += 1;
            self.know(number, node, thread, known)?;
            let (Some(Ways { ways, touched, is_known }), Some(reduction)) =
                (known.get(&thread), &self.reduction)
            else {
                return Ok(None);
            };
            if !is_known || self.is_over() {
                return Ok(None);
            }
            let held = held(node, thread);
            for &access in touched {
                reduction.conflicts.others(thread, access, &held, |other| {
                    movers_to(&reduction.conflicts, &node.machine, other, &mut |mover| {
                        if !set.contains(&mover) {
                            set.push(mover);
                        }
                    });
                });
            }
            if set.len() == all.len() {
                return Ok(None);
            }
            let is_later = |(next, _): &(Rc<Node<'m>>, Move)| {
                self.known.get(&**next).is_none_or(|&found| found > number)
            };
            // Whichever values the terms have that are there already: a thread does not choose these.
            leads_on |= match self.data {
                Some(_) => !ways.is_empty() && ways.iter().all(is_later),
                None => ways.iter().any(is_later),
            };
        }
        Ok(leads_on.then_some(set))
    }

    /// Finds what a thread can do next, and notes what it touches.
    fn know(
        &mut self,
        number: usize,
        node: &Rc<Node<'m>>,
        thread: u32,
        known: &mut Known<'m>,
    ) -> Result<(), NoLock> {
        if known.contains_key(&thread) {
            return Ok(());
        }
        let moves = self.moves(number, &node.machine, thread);
        let mut locks = held(node, thread);
        locks.extend(moves.awaited);
        if let Some(reduction) = &mut self.reduction {
            for &access in &moves.touched {
                reduction.conflicts.note(thread, access, &locks);
            }
        }
        let mut ways = Vec::new();
        for (machine, step) in moves.moved {
            let holders = self.holders(node, &machine, thread, &moves.touched)?;
            ways.push((Rc::new(Node { machine, holders }), step));
        }
        known.insert(thread, Ways { ways, touched: moves.touched, is_known: moves.is_known });
        Ok(())
    }

    /// Who holds which locks after a move.
    ///
    /// # Errors
    /// If a thread gives back a lock that another one holds.
    fn holders(
        &mut self,
        node: &Node<'m>,
        next: &Machine<'m>,
        thread: u32,
        touched: &[Access],
    ) -> Result<Vec<(Lock, u32)>, NoLock> {
        let Some(reduction) = &mut self.reduction else { return Ok(Vec::new()) };
        let mut holders = Vec::new();
        for &(lock, holder) in &node.holders {
            match value(next, lock) {
                Some(1..) => holders.push((lock, holder)),
                _ if holder == thread => {}
                _ => return Err(NoLock(lock)),
            }
        }
        for access in touched.iter().filter(|access| access.writes) {
            let Part::Bytes(start, end) = access.part else { continue };
            let lock = (access.object, start, end);
            let is_read = touched.iter().any(|other| {
                !other.writes && (other.object, other.part) == (access.object, access.part)
            });
            if is_read
                && end - start <= 8
                && access.object < ENDS
                && value(&node.machine, lock) == Some(0)
                && matches!(value(next, lock), Some(1..))
                && !reduction.no_locks.contains(&lock)
                && !holders.contains(&(lock, thread))
            {
                holders.push((lock, thread));
            }
        }
        holders.sort_unstable();
        Ok(holders)
    }
}

/// What memory holds where a lock is.
fn value(machine: &Machine<'_>, (object, start, end): Lock) -> Option<u128> {
    let bits = machine.module().target.pointer_bits;
    let pointer = crate::goto::address::encode(bits, object, u64::from(start));
    machine.peek(0, pointer.into(), u64::from(end - start))
}

/// The locks that a thread holds in a state.
fn held(node: &Node<'_>, thread: u32) -> Vec<Lock> {
    let own = node.holders.iter().filter(|&&(_, holder)| holder == thread).map(|&(lock, _)| lock);
    // As long as it runs, nobody waits for its end with success.
    own.chain([(ENDS, thread, thread + 1)]).collect()
}

/// Calls `found` with the threads of which one has to move for a thread to do anything: itself, or whoever may start it.
fn movers_to(
    conflicts: &Conflicts,
    machine: &Machine<'_>,
    thread: u32,
    found: &mut dyn FnMut(u32),
) {
    if machine.exists(thread) {
        found(thread);
    } else if thread as usize > machine.started() {
        for starter in conflicts.starters(thread) {
            movers_to(conflicts, machine, starter, found);
        }
    }
}
