//! Store buffers: stores of a thread that have not reached memory, under TSO and PSO
//! (docs/memory-models.md).
//!
//! A buffer has no bound. Loads look at the newest store that waits for their bytes; which stores
//! may reach memory next is what the two models differ in.

use crate::goto::module::MemoryModel;

/// A store that waits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waiting {
    /// To where.
    pub pointer: u64,
    /// What is stored; any value where it is `None`.
    pub bytes: Vec<Option<u8>>,
    /// Whether all that waits before it must reach memory before it does (a release store).
    last: bool,
    /// Whether all that waits before it must reach memory before this and what waits behind it.
    fenced: bool,
}

impl Waiting {
    fn end(&self) -> u64 {
        self.pointer.saturating_add(self.bytes.len() as u64)
    }

    fn overlaps(&self, start: u64, end: u64) -> bool {
        self.pointer < end && start < self.end()
    }
}

/// Where a thread finds bytes that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// In memory: nothing waits for them.
    Memory,
    /// In a store that waits: its index, and the distance from its start.
    Waiting(usize, usize),
    /// A store waits for a part of them.
    Part,
}

/// The stores of a thread that wait, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Buffer {
    stores: Vec<Waiting>,
    /// Whether a fence stands behind the last of them; if there are any.
    fenced: bool,
}

impl Buffer {
    pub fn stores(&self) -> &[Waiting] {
        &self.stores
    }

    pub fn is_empty(&self) -> bool {
        self.stores.is_empty()
    }

    /// Lets a store wait, in the order of a model.
    pub fn push(&mut self, pointer: u64, bytes: Vec<Option<u8>>, model: MemoryModel) {
        let fenced = std::mem::take(&mut self.fenced);
        let store = Waiting { pointer, bytes, last: false, fenced };
        let mut at = self.stores.len();
        // The order of stores of which none waits for the other says nothing: one stands for all.
        if model == MemoryModel::Pso && !fenced {
            while let Some(before) = at.checked_sub(1).and_then(|index| self.stores.get(index))
                && !before.fenced
                && !before.last
                && before.pointer > pointer
                && !before.overlaps(pointer, store.end())
            {
                at -= 1;
            }
        }
        self.stores.insert(at, store);
    }

    /// Lets a store wait that reaches memory after all that waits now.
    pub fn push_last(&mut self, pointer: u64, bytes: Vec<Option<u8>>) {
        let last = !self.stores.is_empty();
        let fenced = std::mem::take(&mut self.fenced);
        self.stores.push(Waiting { pointer, bytes, last, fenced });
    }

    /// Keeps what waits now before all that will.
    pub fn fence(&mut self) {
        self.fenced = !self.stores.is_empty();
    }

    /// Where the thread finds bytes: the newest store for any of them counts.
    pub fn find(&self, pointer: u64, size: u64) -> Found {
        let end = pointer.saturating_add(size);
        let Some(index) = self.stores.iter().rposition(|store| store.overlaps(pointer, end)) else {
            return Found::Memory;
        };
        match self.stores.get(index) {
            Some(store) if store.pointer <= pointer && end <= store.end() => {
                let distance = usize::try_from(pointer - store.pointer).unwrap_or(usize::MAX);
                Found::Waiting(index, distance)
            }
            _ => Found::Part,
        }
    }

    /// The bytes of a store that waits.
    pub fn bytes_mut(&mut self, index: usize) -> Option<&mut [Option<u8>]> {
        self.stores.get_mut(index).map(|store| store.bytes.as_mut_slice())
    }

    /// Which stores may reach memory next: the first, and under PSO others, except release stores,
    /// that neither a fence nor a store to the same bytes is before.
    pub fn ready(&self, model: MemoryModel) -> impl Iterator<Item = usize> {
        let most = match model {
            MemoryModel::Pso => usize::MAX,
            MemoryModel::Sc | MemoryModel::Tso => 1,
        };
        let free = self.stores.iter().enumerate().take(most);
        let free = free.take_while(|&(index, store)| index == 0 || !store.fenced);
        free.filter_map(|(index, store)| {
            let mut before = self.stores.iter().take(index);
            let is_behind = before.any(|old| old.overlaps(store.pointer, store.end()));
            (!is_behind && !store.last).then_some(index)
        })
    }

    /// Takes a store out.
    pub fn remove(&mut self, index: usize) -> Option<Waiting> {
        if index >= self.stores.len() {
            return None;
        }
        let removed = self.stores.remove(index);
        self.settle(index, removed.fenced);
        Some(removed)
    }

    /// Takes all stores to an object out: those to pointers from `start` to before `end`.
    pub fn forget(&mut self, start: u64, end: u64) {
        while let Some(index) = self.stores.iter().position(|store| store.overlaps(start, end)) {
            self.remove(index);
        }
    }

    /// Keeps a fence that stood before a store which is gone now, as long as it keeps anything
    /// apart: states with the same future are equal.
    fn settle(&mut self, index: usize, fenced: bool) {
        match self.stores.get_mut(index) {
            Some(next) => next.fenced |= fenced,
            None => self.fenced |= fenced,
        }
        match self.stores.first_mut() {
            Some(first) => (first.last, first.fenced) = (false, false),
            None => self.fenced = false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(stores: &[(u64, u64)]) -> Buffer {
        let mut buffer = Buffer::default();
        for (value, &(pointer, size)) in (1..).zip(stores) {
            push(
                &mut buffer,
                pointer,
                vec![Some(value); usize::try_from(size).expect("it is small")],
            );
        }
        buffer
    }

    fn push(buffer: &mut Buffer, pointer: u64, bytes: Vec<Option<u8>>) {
        buffer.push(pointer, bytes, MemoryModel::Tso);
    }

    fn ready(buffer: &Buffer, model: MemoryModel) -> Vec<usize> {
        buffer.ready(model).collect()
    }

    #[test]
    fn the_newest_store_to_a_byte_is_seen() {
        let buffer = buffer(&[(0, 4), (4, 4), (2, 1), (4, 4)]);
        assert_eq!(buffer.find(0, 2), Found::Waiting(0, 0));
        assert_eq!(buffer.find(2, 1), Found::Waiting(2, 0));
        assert_eq!(buffer.find(5, 2), Found::Waiting(3, 1));
        assert_eq!(buffer.find(8, 4), Found::Memory);
        // The newer store has one of the bytes, an older one has them all.
        assert_eq!(buffer.find(0, 4), Found::Part);
        assert_eq!(buffer.find(6, 4), Found::Part);
    }

    #[test]
    fn the_models_differ_in_what_reaches_memory_next() {
        let buffer = buffer(&[(0, 4), (8, 4), (3, 1), (16, 4)]);
        assert_eq!(ready(&buffer, MemoryModel::Tso), [0]);
        assert_eq!(ready(&buffer, MemoryModel::Pso), [0, 1, 3]);
    }

    #[test]
    fn fences_keep_stores_apart_as_long_as_there_are_any_before() {
        let mut fenced = Buffer::default();
        fenced.fence();
        assert_eq!(fenced, Buffer::default(), "nothing waits that it could keep");
        push(&mut fenced, 0, vec![None]);
        push(&mut fenced, 8, vec![None]);
        fenced.fence();
        push(&mut fenced, 16, vec![None]);
        push(&mut fenced, 24, vec![None]);
        assert_eq!(ready(&fenced, MemoryModel::Pso), [0, 1]);
        fenced.remove(1);
        assert_eq!(ready(&fenced, MemoryModel::Pso), [0]);
        fenced.remove(0);
        assert_eq!(ready(&fenced, MemoryModel::Pso), [0, 1]);
        assert_eq!(fenced.stores.len(), 2);
        assert!(fenced.stores.iter().all(|store| !store.fenced), "the fence keeps nothing apart");
    }

    #[test]
    fn one_order_stands_for_all_that_are_alike() {
        let pushed = |order: &[u64]| {
            let mut buffer = Buffer::default();
            for &pointer in order {
                buffer.push(pointer, vec![Some(pointer as u8); 2], MemoryModel::Pso);
            }
            buffer
        };
        assert_eq!(pushed(&[0, 8, 4]), pushed(&[8, 4, 0]));
        // One of them waits for the other.
        assert_ne!(pushed(&[8, 9]), pushed(&[9, 8]));
        assert_ne!(pushed(&[8, 9, 0]), pushed(&[9, 8, 0]));
    }

    #[test]
    fn a_release_store_waits_for_all_before_it_and_nothing_for_it() {
        let mut released = buffer(&[(0, 1), (8, 1)]);
        released.push_last(16, vec![None]);
        released.push(24, vec![None], MemoryModel::Pso);
        released.push(4, vec![None], MemoryModel::Pso);
        assert_eq!(ready(&released, MemoryModel::Pso), [0, 1, 3, 4]);
        released.remove(1);
        released.remove(0);
        assert_eq!(ready(&released, MemoryModel::Pso), [0, 1, 2]);
    }

    #[test]
    fn a_fence_outlives_the_store_behind_it() {
        let mut fenced = buffer(&[(0, 1)]);
        fenced.fence();
        push(&mut fenced, 8, vec![None]);
        fenced.forget(8, 9);
        push(&mut fenced, 16, vec![None]);
        assert_eq!(ready(&fenced, MemoryModel::Pso), [0]);
    }
}
