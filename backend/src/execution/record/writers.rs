//! Who wrote which bytes of memory last: where what is read comes from.

use std::collections::BTreeMap;

use sapa_ir::goto::{Operand, ValueId};

use super::Recorder;
use super::step::Step;
use crate::execution::event::{Source, StoreNumber};

/// The last writers of bytes, by the first byte of ranges that do not overlap: the byte behind the range, and the
/// store; `None` for what was changed in a way that is no store.
#[derive(Debug, Default)]
pub(super) struct Writers(BTreeMap<u128, (u128, Option<StoreNumber>)>);

impl Writers {
    /// Bytes are written.
    pub fn insert(&mut self, pointer: u128, size: u64, store: Option<StoreNumber>) {
        let end = pointer.saturating_add(u128::from(size));
        let overlaps = |(_, (to, _)): &(&u128, &(u128, Option<StoreNumber>))| *to > pointer;
        let old: Vec<(u128, (u128, Option<StoreNumber>))> =
            self.0.range(..end).rev().take_while(overlaps).map(|(k, v)| (*k, *v)).collect();
        for (from, (to, by)) in old {
            self.0.remove(&from);
            if from < pointer {
                self.0.insert(from, (pointer, by));
            }
            if end < to {
                self.0.insert(end, (to, by));
            }
        }
        if pointer < end {
            self.0.insert(pointer, (end, store));
        }
    }

    /// Where all of some bytes come from; `None` if there is no one store of which all are.
    fn source(&self, pointer: u128, size: u64) -> Option<Source> {
        let end = pointer.saturating_add(u128::from(size));
        match self.0.range(..end).next_back() {
            Some((from, (to, by))) if *to > pointer => {
                by.filter(|_| *from <= pointer && end <= *to).map(Source::Store)
            }
            _ => Some(Source::Initial),
        }
    }
}

impl Recorder<'_> {
    /// The number of a store that begins.
    pub(super) fn next_store(&mut self) -> StoreNumber {
        self.stores += 1;
        StoreNumber(self.stores)
    }

    /// Where what a thread reads now comes from.
    pub(super) fn source(&self, step: &Step<'_>, pointer: u128, size: u64) -> Option<Source> {
        let end = |pointer: u128, size: u64| pointer.saturating_add(u128::from(size));
        let own = self.waiting.get(&step.thread).into_iter().flatten().rev().find(|waits| {
            waits.pointer < end(pointer, size) && pointer < end(waits.pointer, waits.size)
        });
        match own {
            Some(waits) => {
                let is_whole = waits.pointer <= pointer
                    && end(pointer, size) <= end(waits.pointer, waits.size)
                    && step.machine.forwards(step.thread, pointer, size);
                is_whole.then_some(Source::Waiting(waits.store))
            }
            None => self.writers.source(pointer, size),
        }
    }

    /// Where a value comes from that a thread has.
    pub(super) fn source_of(&self, thread: u32, operand: Operand) -> Option<Source> {
        self.threads.get(&thread)?.sources.get(&operand.value()?).copied()
    }

    pub(super) fn set_source(&mut self, thread: u32, value: ValueId, source: Option<Source>) {
        let sources = &mut self.known(thread).sources;
        match source {
            Some(source) => drop(sources.insert(value, source)),
            None => drop(sources.remove(&value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_from_the_last_store_to_all_of_them() {
        let mut writers = Writers::default();
        let store = |number| Some(Source::Store(StoreNumber(number)));
        assert_eq!(writers.source(8, 4), Some(Source::Initial));
        writers.insert(8, 8, Some(StoreNumber(1)));
        writers.insert(10, 2, Some(StoreNumber(2)));
        assert_eq!((writers.source(8, 2), writers.source(12, 4)), (store(1), store(1)));
        assert_eq!((writers.source(10, 1), writers.source(8, 4)), (store(2), None));
        assert_eq!((writers.source(4, 8), writers.source(14, 4)), (None, None));
        assert_eq!(
            (writers.source(4, 4), writers.source(16, 1)),
            (Some(Source::Initial), Some(Source::Initial))
        );
        writers.insert(9, 4, None);
        assert_eq!((writers.source(10, 1), writers.source(8, 1)), (None, store(1)));
        writers.insert(0, 32, Some(StoreNumber(3)));
        assert_eq!(writers.source(0, 32), store(3));
    }
}
