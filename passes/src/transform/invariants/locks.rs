//! Which cells are locks, who holds them where, and what they guard.
//!
//! A cell that starts with 0 is a lock if it is written in these ways only:
//! - a thread that does not hold it finds 0 and writes a *word* in one step, by which it comes to hold it
//!   *exclusively*;
//! - a thread that holds it exclusively writes 0, or a word;
//! - where there is but one word, a thread that does not hold it finds another number and adds 1 in one step, by which it
//!   comes to hold it *shared*, and the sum is not the word either;
//! - a thread that holds it shared subtracts 1 in one step.
//!
//! Then it is 0 if nobody holds it, the word if one thread holds it exclusively and no other at all, and else the number of
//! those that hold it shared: each of these steps keeps that. Mutexes, spinning locks and read-write locks are
//! recognised by that, not by their names. How a thread stands to a lock at a place is what `follow` finds.
//!
//! The *low bit* of a cell may be a lock, too, and the rest of it a version or data: then what is said of 0 is said of even
//! numbers, and what is said of words of odd ones; a thread that does not hold it may also write another even number where
//! it finds one, in one step. So sequence locks are locks of their writers, and so are words with a bit that locks them. None
//! hold it shared.
//!
//! Nobody else writes to a lock that a thread holds exclusively.
//!
//! A lock guards a cell that other threads exist to see, if each write to it is by a thread that
//! holds the lock exclusively. Who holds it shared finds what the last of those left, and nobody writes meanwhile.
//! Reads elsewhere may find anything that is ever there.

mod follow;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{BlockId, FunctionId, Op};
use sapa_limits::{Exceeded, Limits};

use super::body::Body;
use super::cells::{CellId, Cells};
use super::range::Range;
use super::walk::Variable;
use crate::linear::Sum;

/// How a thread holds a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hold {
    /// Nobody else holds it.
    Exclusive,
    /// Others may hold it so, too.
    Shared,
    /// In one of these two ways.
    Either,
}

/// What of a cell says whether it is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Part {
    /// Whether it is 0.
    #[default]
    All,
    /// Whether it is even.
    LowBit,
}

/// A number that tells whether a sum is even: 0 if it is, and else half of all numbers.
pub(super) fn low_bit<V: Ord + Clone>(sum: &Sum<V>) -> Sum<V> {
    sum.times(1 << (sum.width - 1))
}

/// The locks that a thread holds, and how.
pub(super) type Held = BTreeMap<CellId, Hold>;

/// Where an instruction stands.
type Place = (FunctionId, BlockId, usize);

/// From how a lock may be held before a write to how it is held then.
type Ways = BTreeSet<(Option<Hold>, Option<Hold>)>;

/// What a write does to a lock: from how it may be held before to how it is held then. A write that depends on
/// a condition has several.
#[derive(Clone, Debug)]
struct Steps {
    lock: CellId,
    ways: Ways,
}

/// The locks of a program.
#[derive(Debug, Default)]
pub(super) struct Locks {
    steps: FxHashMap<Place, Steps>,
    /// By function and block: what is held where the block begins, in all runs.
    held: FxHashMap<(FunctionId, BlockId), Held>,
    /// By lock, function and block: how it may be held where the block begins.
    holds: FxHashMap<(CellId, FunctionId, BlockId), BTreeSet<Option<Hold>>>,
    /// Locks and blocks where a thread may begin that has written to other cells since it took the lock.
    touched: FxHashSet<(CellId, FunctionId, BlockId)>,
    /// By lock that is held exclusively, function and block: equations between what the lock contains and values, where the
    /// block begins.
    equations: FxHashMap<(CellId, FunctionId, BlockId), Vec<Sum<Variable>>>,
    /// By cell: the lock that guards it.
    guards: Vec<Option<CellId>>,
    /// By lock that is held shared somewhere, or is being followed: the only word.
    words: FxHashMap<CellId, u128>,
    /// The locks that are low bits, or are being followed as such.
    bits: FxHashSet<CellId>,
}

impl Locks {
    /// None at all.
    fn none(cells: &Cells) -> Self {
        Self { guards: vec![None; cells.all.len()], ..Self::default() }
    }

    /// What is known of the locks of thread functions.
    pub(super) fn new(
        bodies: &[Body<'_>],
        cells: &Cells,
        limits: &Limits,
    ) -> Result<Self, Exceeded> {
        let mut locks = Self::none(cells);
        for followed in follow::all(bodies, cells, limits)? {
            for (at, holds) in followed.held {
                locks.holds.insert((followed.lock, at.0, at.1), holds.clone());
                if let Some(hold) = joined(holds) {
                    locks.held.entry(at).or_default().insert(followed.lock, hold);
                }
            }
            for (at, system) in followed.equations {
                let is_known = |variable: &Variable| match variable {
                    Variable::Cell(cell) => *cell == followed.lock,
                    Variable::Value(_) => true,
                    _ => false,
                };
                let tells = |row: &&Sum<Variable>| {
                    row.coefficients.contains_key(&Variable::Cell(followed.lock))
                        && row.coefficients.keys().all(is_known)
                };
                let rows: Vec<_> = system.rows().iter().filter(tells).cloned().collect();
                locks.equations.insert((followed.lock, at.0, at.1), rows);
            }
            let touched = followed.touched.into_iter();
            locks.touched.extend(touched.map(|(id, block)| (followed.lock, id, block)));
            for (place, ways) in followed.steps {
                locks.steps.insert(place, Steps { lock: followed.lock, ways });
            }
            locks.words.extend(followed.shared_word.map(|word| (followed.lock, word)));
            if followed.part == Part::LowBit {
                locks.bits.insert(followed.lock);
            }
        }
        locks.guard(bodies, cells);
        Ok(locks)
    }

    /// The lock that somebody who holds it exclusively may give back here.
    pub(super) fn released(&self, place: Place) -> Option<CellId> {
        let steps = self.steps.get(&place)?;
        let gives = |(before, after): &(Option<Hold>, Option<Hold>)| {
            *before == Some(Hold::Exclusive) && *after != *before
        };
        steps.ways.iter().any(gives).then_some(steps.lock)
    }

    /// All of them, in ascending order.
    pub(super) fn all(&self) -> BTreeSet<CellId> {
        self.steps.values().map(|steps| steps.lock).collect()
    }

    /// What a write does to a lock in all runs, if that is always the same: how it is held before, and then.
    pub(super) fn way(&self, lock: CellId, place: Place) -> Option<(Option<Hold>, Option<Hold>)> {
        let steps = self.steps.get(&place).filter(|steps| steps.lock == lock)?;
        let mut ways = steps.ways.iter();
        ways.next().copied().filter(|_| ways.next().is_none())
    }

    /// What is held where a block begins.
    pub(super) fn held(&self, function: FunctionId, block: BlockId) -> Held {
        self.held.get(&(function, block)).cloned().unwrap_or_default()
    }

    /// Whether a thread that begins a block and holds a lock there has written to no other cells since it took it.
    pub(super) fn is_untouched(&self, lock: CellId, function: FunctionId, block: BlockId) -> bool {
        !self.touched.contains(&(lock, function, block))
    }

    /// The lock that guards a cell.
    pub(super) fn guard_of(&self, cell: CellId) -> Option<CellId> {
        self.guards[cell as usize]
    }

    /// What is known of a lock that a thread holds exclusively where a block begins.
    pub(super) fn equations(
        &self,
        lock: CellId,
        function: FunctionId,
        block: BlockId,
    ) -> &[Sum<Variable>] {
        self.equations.get(&(lock, function, block)).map_or(&[], Vec::as_slice)
    }

    /// What of a cell that is a lock says whether it is held.
    pub(super) fn part(&self, lock: CellId) -> Part {
        if self.bits.contains(&lock) { Part::LowBit } else { Part::All }
    }

    /// What a lock contains that a thread holds so, as far as that is followed.
    pub(super) fn content(&self, lock: CellId, hold: Hold, width: u32) -> Option<Range> {
        let word = i128::try_from(*self.words.get(&lock)?).ok()?;
        match hold {
            Hold::Exclusive => Range::between(width, word, word),
            Hold::Shared => Range::between(width, 1, word - 1),
            Hold::Either => None,
        }
    }

    /// Executes an instruction; the lock that the thread takes by it, whatever its way was.
    pub(super) fn advance(&self, place: Place, held: &mut Held) -> Option<CellId> {
        let Steps { lock, ways } = self.steps.get(&place)?;
        let before = held.remove(lock);
        let may_be = |hold: Option<Hold>| match before {
            // Not known to be held.
            None => true,
            Some(Hold::Either) => hold.is_some(),
            before => hold == before,
        };
        let ways = ways.iter().filter(|(hold, _)| may_be(*hold));
        let takes = ways.clone().all(|(hold, _)| hold.is_none());
        let after = joined(ways.map(|(_, after)| *after).collect())?;
        held.insert(*lock, after);
        takes.then_some(*lock)
    }

    /// Whether a thread may hold some lock before an instruction of a block.
    pub(super) fn may_hold_any(&self, place: Place) -> bool {
        self.all().into_iter().any(|lock| self.may_hold(lock, place))
    }

    /// Whether a thread may hold a lock before an instruction of a block.
    pub(super) fn may_hold(&self, lock: CellId, (function, block, index): Place) -> bool {
        let Some(holds) = self.holds.get(&(lock, function, block)) else {
            // Of blocks that only decide it is not known; of functions that do not write to the lock, that they never do.
            return self.holds.keys().any(|(of, by, _)| (*of, *by) == (lock, function));
        };
        let mut holds = holds.clone();
        for index in 0..index {
            let steps = self.steps.get(&(function, block, index));
            if let Some(steps) = steps.filter(|steps| steps.lock == lock) {
                let ways = steps.ways.iter().filter(|(before, _)| holds.contains(before));
                holds = ways.map(|(_, after)| *after).collect();
            }
        }
        holds.iter().any(Option::is_some)
    }

    /// Finds what locks guard: of those that are held at all writes that others may see, the first.
    fn guard(&mut self, bodies: &[Body<'_>], cells: &Cells) {
        let mut common: Vec<Option<BTreeSet<CellId>>> = vec![None; cells.all.len()];
        for body in bodies {
            for &block in &body.order {
                let mut held = self.held(body.id, block);
                let mut alone = body.alone[block.index()];
                for (index, instruction) in
                    body.function.block(block).instructions.iter().enumerate()
                {
                    alone &= !matches!(instruction.op, Op::Spawn { .. });
                    let written = cells.at(body.id, block.index(), index).written();
                    let is_held = |lock: &CellId| held.get(lock) == Some(&Hold::Exclusive);
                    for &cell in written.iter().filter(|_| !alone) {
                        match &mut common[cell as usize] {
                            Some(common) => common.retain(is_held),
                            none => {
                                let all = held.keys().copied();
                                *none = Some(all.filter(is_held).collect());
                            }
                        }
                    }
                    self.advance((body.id, block, index), &mut held);
                }
            }
        }
        let locks = self.all();
        for (cell, common) in (0..).zip(common) {
            if !locks.contains(&cell) {
                self.guards[cell as usize] = common.and_then(|common| common.first().copied());
            }
        }
        for (&(_, cell), &contribution) in &cells.contributions {
            self.guards[contribution as usize] = self.guards[cell as usize];
        }
    }
}

/// How a lock is held that is held in one of these ways; `None` if it may not be held.
fn joined(holds: BTreeSet<Option<Hold>>) -> Option<Hold> {
    let holds: Option<Vec<Hold>> = holds.into_iter().collect();
    match holds?.as_slice() {
        [] => None,
        [hold] => Some(*hold),
        _ => Some(Hold::Either),
    }
}
