//! Which threads touch what, and which locks they hold then, as far as a search has come: what another thread may still do
//! to what a thread touches next.
//!
//! A *lock* is a place in memory that a section (or another indivisible operation) has found 0 and left otherwise. The
//! thread that did so holds it until it writes 0 there. If another thread does, it is no lock, and the search begins anew
//! without it. So as long as a thread holds a lock, nobody else takes it: what others have only ever touched when
//! they held it they do not touch before the thread that holds it moves on.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::footprint::{Access, ENDS, Part};

/// A place that is a lock: object, first byte, and the byte behind its last one.
pub(super) type Lock = (u64, u32, u32);

/// That a thread touches something.
#[derive(Clone, Debug)]
struct Record {
    thread: u32,
    writes: bool,
    /// The locks that it holds whenever it does, in order.
    locks: Vec<Lock>,
}

/// Adds that a thread touches something, and holds these locks: whether that is new.
fn add(records: &mut Vec<Record>, thread: u32, writes: bool, locks: &[Lock]) -> bool {
    let same = |record: &&mut Record| record.thread == thread && record.writes == writes;
    match records.iter_mut().find(same) {
        Some(record) => {
            let before = record.locks.len();
            record.locks.retain(|lock| locks.contains(lock));
            record.locks.len() != before
        }
        None => {
            records.push(Record { thread, writes, locks: locks.to_vec() });
            true
        }
    }
}

/// Who touches an object.
#[derive(Debug, Default)]
struct Touched {
    /// All accesses.
    any: Vec<Record>,
    /// Those to the object as a whole.
    whole: Vec<Record>,
    /// Those to single bytes.
    bytes: FxHashMap<u32, Vec<Record>>,
}

/// What a search has seen of threads that touch the same.
#[derive(Debug, Default)]
pub(super) struct Conflicts {
    objects: FxHashMap<u64, Touched>,
    /// By thread, which threads have started one of that number.
    starters: BTreeMap<u32, BTreeSet<u32>>,
    /// How often something was new.
    pub changes: usize,
}

impl Conflicts {
    /// A thread touches something while it holds these locks.
    pub fn note(&mut self, thread: u32, access: Access, held: &[Lock]) {
        let with_end;
        // Nobody waits for the end of a thread with success before it has come.
        let locks = match (access.object, access.part, access.writes) {
            (ENDS, Part::Bytes(start, end), false) => {
                with_end = [(ENDS, start, end)];
                with_end.as_slice()
            }
            _ => held,
        };
        let touched = self.objects.entry(access.object).or_default();
        let mut is_new = add(&mut touched.any, thread, access.writes, locks);
        match access.part {
            Part::Bytes(start, end) => {
                for byte in start..end {
                    let records = touched.bytes.entry(byte).or_default();
                    is_new |= add(records, thread, access.writes, locks);
                }
            }
            Part::Whole => is_new |= add(&mut touched.whole, thread, access.writes, locks),
            Part::Life => {}
        }
        self.changes += usize::from(is_new);
    }

    /// A thread has started another one.
    pub fn note_start(&mut self, thread: u32, started: u32) {
        let is_new = self.starters.entry(started).or_default().insert(thread);
        self.changes += usize::from(is_new);
    }

    /// Who may start a thread of this number.
    pub fn starters(&self, thread: u32) -> impl Iterator<Item = u32> {
        self.starters.get(&thread).into_iter().flatten().copied()
    }

    /// Calls `f` with other threads that may touch what a thread does, one of the two writing, while it holds these locks.
    pub fn others(&self, thread: u32, access: Access, held: &[Lock], mut f: impl FnMut(u32)) {
        let Some(touched) = self.objects.get(&access.object) else { return };
        let mut among = |records: &[Record]| {
            for record in records {
                if record.thread != thread
                    && (access.writes || record.writes)
                    && !record.locks.iter().any(|lock| held.contains(lock))
                {
                    f(record.thread);
                }
            }
        };
        match access.part {
            Part::Bytes(start, end) => {
                among(&touched.whole);
                for byte in start..end {
                    touched.bytes.get(&byte).into_iter().for_each(|records| among(records));
                }
            }
            Part::Whole => among(&touched.any),
            Part::Life => among(&touched.whole),
        }
    }
}
