//! Which bytes several threads access so that it matters who does it first. All others are known
//! where they are read: a thread begins with what its parent's memory holds then, and who has waited for a thread
//! has what that one has written.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use sapa_ir::goto::interpret::Position;

use super::MOST_THREADS;
use super::object::{Objects, Site};
use super::unfolding::Thread;

/// What earlier unfoldings have shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Known {
    pub contended: Contended,
    /// Instructions whose writes are preceded by a read of what they overwrite.
    pub overwritten: BTreeSet<Position>,
}

/// The bytes that several threads access, by the place of their objects in the program: accesses to
/// them are events.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Contended(FxHashMap<Site, FixedBitSet>);

impl Contended {
    /// Whether one of some bytes is.
    pub fn contains(&self, site: Site, offset: u64, size: u64) -> bool {
        self.0.get(&site).is_some_and(|bytes| {
            (offset..offset + size).any(|at| usize::try_from(at).is_ok_and(|at| bytes.contains(at)))
        })
    }

    /// Adds bytes; whether one of them is new.
    pub fn insert(&mut self, site: Site, offset: u64, size: u64) -> bool {
        let bytes = self.0.entry(site).or_default();
        let mut is_new = false;
        for at in offset..offset + size {
            let Ok(at) = usize::try_from(at) else { continue };
            bytes.grow(at + 1);
            is_new |= !bytes.put(at);
        }
        is_new
    }
}

/// Threads that have ended: a set of their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Ended(u128);

const _: () = assert!(MOST_THREADS <= u128::BITS as usize);

impl Ended {
    /// These, and one more.
    pub fn with(self, thread: usize) -> Self {
        Self(self.0 | 1 << thread)
    }

    pub fn union(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    pub fn intersection(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    pub fn contains(self, thread: usize) -> bool {
        self.0 >> thread & 1 == 1
    }
}

/// How far a thread has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// How many threads it has started.
    pub started: usize,
    /// The threads that have ended by now: it has waited for them, or its parent had when it began, or who it
    /// has waited for.
    pub ended: Ended,
}

/// Accesses of a thread to something, by how far it had come.
#[derive(Clone, Copy, Debug)]
struct Done {
    /// How far it had come at the last of them.
    last: Moment,
    is_write: bool,
}

/// The accesses of an unfolding.
#[derive(Default)]
pub(super) struct Accesses {
    /// The threads that have accessed a place.
    all: FxHashMap<Place, FxHashMap<usize, Vec<Done>>>,
    /// What each thread may have written, and those that it has waited for.
    written: FxHashMap<usize, BTreeSet<Place>>,
}

/// Object, offset and size.
pub(super) type Place = (u64, u64, u64);

/// Adds accesses of a thread to others of it. Of those behind the same ends of others the last one says all.
fn add(all: &mut Vec<Done>, new: Done) {
    let is_like =
        |old: &&mut Done| old.last.ended == new.last.ended && old.is_write == new.is_write;
    match all.iter_mut().find(is_like) {
        Some(old) => old.last.started = old.last.started.max(new.last.started),
        None => all.push(new),
    }
}

impl Accesses {
    /// Notes an access of a thread that has come this far.
    pub fn record(&mut self, place: Place, thread: usize, last: Moment, is_write: bool) {
        if is_write {
            self.written.entry(thread).or_default().insert(place);
        }
        add(self.all.entry(place).or_default().entry(thread).or_default(), Done { last, is_write });
    }

    /// A thread has waited for another one that wrote this.
    pub fn take_over(&mut self, thread: usize, other: usize) -> Vec<Place> {
        let all: Vec<Place> = self.written.get(&other).into_iter().flatten().copied().collect();
        self.written.entry(thread).or_default().extend(&all);
        all
    }

    /// Adds what is contended by these accesses; whether something is new.
    pub fn contend(&self, objects: &Objects, threads: &[Thread], all: &mut Contended) -> bool {
        let mut bytes: FxHashMap<(u64, u64), FxHashMap<usize, Vec<Done>>> = FxHashMap::default();
        for (&(object, offset, size), by) in &self.all {
            for at in offset..offset + size {
                let here = bytes.entry((object, at)).or_default();
                for (&thread, done) in by {
                    let own = here.entry(thread).or_default();
                    done.iter().for_each(|&done| add(own, done));
                }
            }
        }
        let mut is_new = false;
        for (&(object, at), by) in &bytes {
            let Some(object) = objects.get(object) else { continue };
            if by.len() > 1 && is_contended(threads, by) {
                is_new |= all.insert(object.site, at, 1);
            }
        }
        is_new
    }
}

fn is_contended(threads: &[Thread], by: &FxHashMap<usize, Vec<Done>>) -> bool {
    let both = |(a, one): (usize, &Done), (b, other): (usize, &Done)| {
        (one.is_write || other.is_write)
            && !comes_before(threads, (a, one.last), (b, other.last))
            && !comes_before(threads, (b, other.last), (a, one.last))
    };
    by.iter().any(|(&a, own)| {
        let others = by.iter().filter(|&(&b, _)| a < b);
        others
            .flat_map(|(&b, all)| all.iter().map(move |other| (b, other)))
            .any(|other| own.iter().any(|one| both((a, one), other)))
    })
}

/// Whether what a thread does up to one moment is done before all that another one does from a moment on: it has
/// ended by then, or has done it before the other one was started.
fn comes_before(
    threads: &[Thread],
    (a, one): (usize, Moment),
    (b, other): (usize, Moment),
) -> bool {
    if other.ended.contains(a) {
        return true;
    }
    let mut thread = b;
    while let Some((parent, started, _)) = threads[thread].parent {
        if parent == a {
            return one.started <= started;
        }
        thread = parent;
    }
    false
}
