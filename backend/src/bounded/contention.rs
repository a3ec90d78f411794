//! Which bytes several threads access so that it matters who does it first. All others are known
//! where they are read: a thread begins with what its parent's memory holds then.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use sapa_ir::goto::interpret::Position;

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

/// How far a thread had come, in threads that it had started, when it last accessed something.
#[derive(Clone, Copy, Debug)]
struct Last {
    access: usize,
    write: Option<usize>,
}

/// The accesses of an unfolding.
#[derive(Default)]
pub(super) struct Accesses {
    /// By object, offset and size: the threads that have accessed it.
    all: FxHashMap<(u64, u64, u64), FxHashMap<usize, Last>>,
}

impl Accesses {
    /// Notes an access of a thread that has started this many threads before.
    pub fn record(
        &mut self,
        (object, offset, size): (u64, u64, u64),
        thread: usize,
        started: usize,
        is_write: bool,
    ) {
        let threads = self.all.entry((object, offset, size)).or_default();
        let last = threads.entry(thread).or_insert(Last { access: started, write: None });
        last.access = last.access.max(started);
        if is_write {
            last.write = last.write.max(Some(started));
        }
    }

    /// Adds what is contended by these accesses; whether something is new.
    pub fn contend(&self, objects: &Objects, threads: &[Thread], all: &mut Contended) -> bool {
        let mut bytes: FxHashMap<(u64, u64), FxHashMap<usize, Last>> = FxHashMap::default();
        for (&(object, offset, size), by) in &self.all {
            for at in offset..offset + size {
                let here = bytes.entry((object, at)).or_default();
                for (&thread, &last) in by {
                    let old = here.entry(thread).or_insert(last);
                    old.access = old.access.max(last.access);
                    old.write = old.write.max(last.write);
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

fn is_contended(threads: &[Thread], by: &FxHashMap<usize, Last>) -> bool {
    by.iter().any(|(&a, one)| {
        by.iter().any(|(&b, other)| {
            a < b
                && (one.write.is_some() || other.write.is_some())
                && !comes_before(threads, (a, one), (b, other))
                && !comes_before(threads, (b, other), (a, one))
        })
    })
}

/// Whether what one thread does to a byte is done before another one starts, as far as that one can
/// see or change it.
fn comes_before(threads: &[Thread], (a, one): (usize, &Last), (b, other): (usize, &Last)) -> bool {
    let last = match other.write {
        Some(_) => Some(one.access),
        None => one.write,
    };
    let Some(last) = last else { return true };
    let mut thread = b;
    while let Some((parent, started, _)) = threads[thread].parent {
        if parent == a {
            return last <= started;
        }
        thread = parent;
    }
    false
}
