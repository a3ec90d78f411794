//! The over-approximating half of coverability checking: forward exploration of ω-markings whose
//! counts are exact up to a limit (Geeraerts, Raskin, Van Begin: Expand, Enlarge and Check).
//!
//! Soundness: every reachable configuration is covered by some kept marking with the same thread
//! in an atomic section, or none if it has none. The initial ones
//! are; if a configuration `c` is covered by `m` and steps to `d`, then the thread that moved is
//! in a local state that `m` counts, and the same move of `m` covers `d`, since ω - 1 is ω,
//! raising a count to ω only adds configurations, and passive threads are spread in every
//! possible way. Where a broadcast blocks for a passive thread, `c` has none in its state, so
//! dropping that state from the successor loses nothing.
//!
//! Counts are bounded by the limit or ω, so there are finitely many markings and it terminates.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::marking::{Count, Marking, OMEGA, distributions};
use super::thread_system::{Budget, LocalId, Move, SharedId, ThreadSystem};
use crate::check::UnknownReason;

/// Combined ways to spread passive threads over broadcast results; beyond, every result gets all
/// the threads, which covers each way.
const SPREAD_LIMIT: usize = 256;

/// What exploring at one limit showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Enlarged {
    /// No reachable configuration fails, for any number of threads.
    Safe,
    /// Some marking has a failing thread; it may cover no reachable configuration.
    Candidate(Marking),
}

/// A marking's signature and number.
type Kept = (u64, usize);

/// Kept markings; those covered by a later one are passed over.
struct Antichain {
    width: usize,
    markings: Vec<Marking>,
    /// By shared valuation and by who is in an atomic section: a marking with a thread inside
    /// lets nobody else move, so it must not replace a smaller one without.
    comparable: FxHashMap<(SharedId, Option<LocalId>), Vec<Kept>>,
    covered: Vec<bool>,
    queue: BinaryHeap<(u64, Reverse<usize>)>,
}

impl Antichain {
    fn add<S: ThreadSystem>(&mut self, system: &S, mut marking: Marking) {
        let mut signature = marking.signature();
        let inside = thread_inside(system, &marking);
        let kept = self.comparable.entry((marking.shared, inside)).or_default();
        let subsumed = kept
            .iter()
            .any(|&(other, at)| signature & !other == 0 && self.markings[at].covers(&marking));
        if subsumed {
            return;
        }
        // Beyond the width, what covers both is kept instead of both.
        let alike: Vec<usize> = kept.iter().map(|&(_, at)| at).collect();
        let same = alike.iter().filter(|&&at| self.markings[at].same_counted(&marking));
        let joined: Vec<usize> = same.skip(self.width - 1).copied().collect();
        let others = alike.iter().skip(self.width.saturating_mul(COUNTED_WIDTH));
        for &at in joined.iter().chain(others) {
            marking.join(&self.markings[at]);
            signature = marking.signature();
        }
        kept.retain(|&(other, at)| {
            let drop = other & !signature == 0 && marking.covers(&self.markings[at]);
            self.covered[at] |= drop;
            !drop
        });
        let number = self.markings.len();
        kept.push((signature, number));
        self.queue.push((marking.weight(), Reverse(number)));
        self.markings.push(marking);
        self.covered.push(false);
    }

    fn pop(&mut self) -> Option<Marking> {
        while let Some((_, Reverse(number))) = self.queue.pop() {
            if !self.covered[number] {
                return Some(self.markings[number].clone());
            }
        }
        None
    }
}

/// See [`Precision::width`].
const COUNTED_WIDTH: usize = 16;

/// What is told apart. Both rise from round to round, so that in the end nothing is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Precision {
    /// Counts above this (at least 1) are taken for ω.
    pub(crate) limit: Count,
    /// How many markings are kept that differ in ω only; further ones are joined with one of them:
    /// a marking that covers both replaces them. Who is counted matters more for proofs than who
    /// is there in any number, so [`COUNTED_WIDTH`] times as many others are kept.
    pub(crate) width: usize,
}

/// Explores with this precision.
pub(crate) fn enlarge<S: ThreadSystem>(
    system: &mut S,
    precision: Precision,
    budget: &mut Budget<'_>,
) -> Result<Enlarged, UnknownReason> {
    let limit = precision.limit;
    let mut kept = Antichain {
        width: precision.width.max(1),
        markings: Vec::new(),
        comparable: FxHashMap::default(),
        covered: Vec::new(),
        queue: BinaryHeap::new(),
    };
    for (shared, local) in system.initial(budget)? {
        let mut marking = Marking::new(shared);
        marking.add(local, 1, limit);
        kept.add(system, marking);
    }
    while let Some(mut marking) = kept.pop() {
        budget.check(kept.markings.len(), system)?;
        pump(system, &mut marking, limit)?;
        for local in movers(system, &marking) {
            let moves = system.moves(marking.shared, local)?;
            if moves.fails {
                return Ok(Enlarged::Candidate(marking));
            }
            for step in &moves.moves {
                if changes_nothing(system, &marking, local, step) {
                    continue;
                }
                for successor in successors(system, &marking, local, step, limit)? {
                    budget.tick()?;
                    kept.add(system, successor);
                }
            }
        }
    }
    Ok(Enlarged::Safe)
}

/// The local states whose threads may move: the one in an atomic section if there is one.
pub(crate) fn movers<S: ThreadSystem>(system: &S, marking: &Marking) -> Vec<LocalId> {
    match thread_inside(system, marking) {
        Some(inside) => vec![inside],
        None => marking.counts().iter().map(|&(local, _)| local).collect(),
    }
}

/// The state of the thread that is in its atomic section. There is at most one.
fn thread_inside<S: ThreadSystem>(system: &S, marking: &Marking) -> Option<LocalId> {
    marking.counts().iter().map(|&(local, _)| local).find(|&local| system.in_atomic(local))
}

/// Raises to ω what the threads of an ω class can fill by steps that change nothing shared: such
/// a step can be repeated, and its first execution leaves the marking's other counts alone.
fn pump<S: ThreadSystem>(
    system: &mut S,
    marking: &mut Marking,
    limit: Count,
) -> Result<(), UnknownReason> {
    if thread_inside(system, marking).is_some() {
        return Ok(());
    }
    let mut pending: Vec<LocalId> =
        marking.counts().iter().filter(|&&(_, n)| n == OMEGA).map(|&(local, _)| local).collect();
    while let Some(local) = pending.pop() {
        let moves = system.moves(marking.shared, local)?;
        for step in &moves.moves {
            let quiet = step.shared == marking.shared
                && step.broadcast.is_none()
                && !step.local.is_some_and(|after| system.in_atomic(after));
            if !quiet {
                continue;
            }
            for filled in [step.local, step.spawned].into_iter().flatten() {
                if marking.count(filled) != OMEGA {
                    marking.add(filled, OMEGA, limit);
                    pending.push(filled);
                }
            }
        }
    }
    Ok(())
}

/// Whether a step of an ω class leads to a marking that this one covers: nothing shared changes,
/// and whoever joins a class joins one that is ω.
fn changes_nothing<S: ThreadSystem>(
    system: &S,
    marking: &Marking,
    local: LocalId,
    step: &Move,
) -> bool {
    step.shared == marking.shared
        && step.broadcast.is_none()
        && !system.in_atomic(local)
        && [step.local, step.spawned]
            .into_iter()
            .flatten()
            .all(|joined| !system.in_atomic(joined) && marking.count(joined) == OMEGA)
        && marking.count(local) == OMEGA
}

/// The markings after a step of one thread in `local`.
fn successors<S: ThreadSystem>(
    system: &mut S,
    marking: &Marking,
    local: LocalId,
    step: &Move,
    limit: Count,
) -> Result<Vec<Marking>, UnknownReason> {
    let mut rest = marking.clone();
    rest.remove_one(local);
    rest.shared = step.shared;
    let mut results = match step.broadcast {
        None => vec![rest],
        Some(broadcast) => {
            let mut classes = Vec::new();
            for &(passive, count) in rest.counts() {
                classes.push((count, system.passive(broadcast, passive)?));
            }
            spread(step.shared, &classes, limit)
        }
    };
    for result in &mut results {
        for joined in [step.local, step.spawned].into_iter().flatten() {
            result.add(joined, 1, limit);
        }
    }
    Ok(results)
}

/// Every way to send each class of passive threads to its results.
fn spread(
    shared: SharedId,
    classes: &[(Count, std::rc::Rc<[LocalId]>)],
    limit: Count,
) -> Vec<Marking> {
    let mut results = vec![Marking::new(shared)];
    for (count, places) in classes.iter().filter(|(_, places)| !places.is_empty()) {
        let room = SPREAD_LIMIT / results.len();
        // Too many ways: all threads to every place covers each of them.
        let ways = distributions(*count, places.len(), room)
            .unwrap_or_else(|| vec![vec![*count; places.len()]]);
        let mut longer = Vec::with_capacity(results.len() * ways.len());
        for result in &results {
            for way in &ways {
                let mut next = result.clone();
                for (&place, &number) in places.iter().zip(way) {
                    next.add(place, number, limit);
                }
                longer.push(next);
            }
        }
        results = longer;
    }
    results
}
