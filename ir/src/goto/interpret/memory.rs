//! Objects as bytes.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::terms::Term;
use crate::goto::{Module, address};

/// An object; bytes that were never written are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Object {
    pub bytes: Vec<Option<u8>>,
    pub alive: bool,
    /// Whether stores to it wait in buffers, where there are any.
    pub is_buffered: bool,
    /// Terms, by where they begin, with their sizes; their bytes are `None`.
    terms: BTreeMap<u64, (u64, Term)>,
}

impl Object {
    /// The terms that have bytes from `start` to before `end`: where they begin, and their sizes.
    fn terms_in(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, u64, Term)> {
        let all = self.terms.range(..end).rev().map(|(&at, &(size, term))| (at, size, term));
        // They do not overlap.
        all.take_while(move |&(at, size, _)| at + size > start)
    }
}

/// All objects, by number. States share those that are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    objects: BTreeMap<u64, Arc<Object>>,
    /// The first number of what comes into being in a run; the same for all states.
    first: u64,
    /// By lane, how many objects came into being there.
    made: Vec<u64>,
    /// Where the numbers end that it may have; those behind are of objects local to threads. It
    /// follows from how many threads there were, of which states are told apart.
    pub end: u64,
    /// The sum of the hashes of all objects but those that have changed since it was made.
    hashes: u64,
    changed: Vec<u64>,
}

impl PartialEq for Memory {
    fn eq(&self, other: &Self) -> bool {
        self.made == other.made
            && self.objects.len() == other.objects.len()
            && self
                .objects
                .iter()
                .zip(&other.objects)
                .all(|((a, x), (b, y))| a == b && (Arc::ptr_eq(x, y) || x == y))
    }
}

impl Eq for Memory {}

impl Hash for Memory {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let changed = self.changed.iter().filter_map(|&number| self.hash_of(number));
        state.write_u64(changed.fold(self.hashes, u64::wrapping_add));
    }
}

/// Largest object, in bytes.
const MAX_SIZE: u64 = 1 << 24;

/// Threads number the objects that they make each for itself, so that states do not differ by the order in which two threads
/// made some: the numbers of a thread are those of its *lane*, and every so many numbers there is one. Beyond this many
/// threads lanes are shared, and so they are where pointers are short.
const LANES: u64 = 256;

/// The lane of a thread.
pub(super) fn lane(module: &Module, thread: u32) -> u32 {
    thread % lanes(module) as u32
}

fn lanes(module: &Module) -> u64 {
    if module.target.pointer_bits >= 64 { LANES } else { 1 }
}

impl Memory {
    /// None yet: those that come into being have numbers from `first` to before `end`.
    pub fn new(first: u64, end: u64) -> Self {
        Self { first, end, ..Self::default() }
    }

    /// A new object that a thread makes; `None` if it is too large, or there are too many.
    pub fn add(&mut self, module: &Module, thread: u32, size: u64) -> Option<u64> {
        let lane = lane(module, thread) as usize;
        let made = self.made.get(lane).copied().unwrap_or(0);
        let number = made.checked_mul(lanes(module))?.checked_add(self.first + lane as u64)?;
        if number >= self.end {
            return None;
        }
        if self.made.len() <= lane {
            self.made.resize(lane + 1, 0);
        }
        self.made[lane] += 1;
        self.insert(number, size)?;
        Some(number)
    }

    /// Whether the numbers of what came into being in a run end before one.
    pub fn ends_before(&self, module: &Module, end: u64) -> bool {
        let most = self.made.iter().max().copied().unwrap_or(0);
        most.saturating_mul(lanes(module)).saturating_add(self.first) <= end
    }

    pub fn insert(&mut self, number: u64, size: u64) -> Option<()> {
        if size > MAX_SIZE {
            return None;
        }
        let bytes = vec![None; usize::try_from(size).ok()?];
        self.change(number);
        let object = Object { bytes, alive: true, is_buffered: false, terms: BTreeMap::new() };
        self.objects.insert(number, Arc::new(object));
        Some(())
    }

    fn hash_of(&self, number: u64) -> Option<u64> {
        let object = self.objects.get(&number)?;
        Some(FxBuildHasher.hash_one((number, &**object)))
    }

    /// An object changes, or comes into being.
    fn change(&mut self, number: u64) {
        if !self.changed.contains(&number) {
            self.hashes = self.hashes.wrapping_sub(self.hash_of(number).unwrap_or(0));
            self.changed.push(number);
        }
    }

    /// An object that is to be changed.
    fn object_mut(&mut self, number: u64) -> Option<&mut Object> {
        self.change(number);
        self.objects.get_mut(&number).map(Arc::make_mut)
    }

    /// Looks at what has changed, so that states can be compared fast.
    pub fn settle(&mut self) {
        for number in std::mem::take(&mut self.changed) {
            self.hashes = self.hashes.wrapping_add(self.hash_of(number).unwrap_or(0));
        }
    }

    /// Takes an object away, so that nothing is left of it.
    pub fn remove(&mut self, number: u64) {
        self.change(number);
        self.objects.remove(&number);
    }

    /// All bytes of an object.
    pub fn whole(&mut self, number: u64) -> Option<&mut [Option<u8>]> {
        self.object_mut(number).map(|object| object.bytes.as_mut_slice())
    }

    /// How many bytes each object has, of those that no other state shares.
    pub fn own_sizes(&self) -> impl Iterator<Item = usize> {
        let own = self.objects.values().filter(|object| Arc::strong_count(object) == 1);
        own.map(|object| object.bytes.len())
    }

    /// How many objects there are.
    pub fn count(&self) -> usize {
        self.objects.len()
    }

    /// Lets stores to an object wait in buffers.
    pub fn let_wait(&mut self, number: u64) {
        if let Some(object) = self.object_mut(number) {
            object.is_buffered = true;
        }
    }

    /// Whether stores to an object wait in buffers.
    pub fn is_buffered(&self, number: u64) -> bool {
        self.objects.get(&number).is_some_and(|object| object.is_buffered)
    }

    /// The bytes at a pointer, to be written, if all are inside a living object: terms that were there are gone.
    pub fn bytes(
        &mut self,
        module: &Module,
        pointer: u128,
        size: u64,
    ) -> Option<&mut [Option<u8>]> {
        let (number, offset) =
            address::decode(module.target.pointer_bits, u64::try_from(pointer).ok()?);
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(size).ok()?)?;
        let is_there = |object: &Arc<Object>| object.alive && end <= object.bytes.len();
        self.objects.get(&number).filter(|object| is_there(object))?;
        let object = self.object_mut(number)?;
        if !object.terms.is_empty() {
            object
                .terms
                .retain(|&at, &mut (size, _)| at >= end as u64 || at + size <= start as u64);
        }
        object.bytes.get_mut(start..end)
    }

    /// The terms that have bytes at a pointer, the last first: where each begins, counted from there, and its size.
    pub fn terms(&self, module: &Module, pointer: u128, size: u64) -> Vec<(i64, u64, Term)> {
        let place = u64::try_from(pointer).ok();
        let place = place.map(|pointer| address::decode(module.target.pointer_bits, pointer));
        let Some((number, start)) = place else { return Vec::new() };
        let Some(object) = self.objects.get(&number) else { return Vec::new() };
        let terms = object.terms_in(start, start.saturating_add(size));
        terms.map(|(at, size, term)| (at.cast_signed() - start.cast_signed(), size, term)).collect()
    }

    /// Writes a term of a size, if there is memory for it.
    pub fn put_term(
        &mut self,
        module: &Module,
        pointer: u128,
        size: u64,
        term: Term,
    ) -> Option<()> {
        self.bytes(module, pointer, size)?.fill(None);
        let bits = module.target.pointer_bits;
        let (number, start) = address::decode(bits, u64::try_from(pointer).ok()?);
        self.object_mut(number)?.terms.insert(start, (size, term));
        Some(())
    }

    /// All terms.
    pub fn all_terms(&self) -> impl Iterator<Item = Term> {
        let objects = self.objects.values().flat_map(|object| object.terms.values());
        objects.map(|&(_, term)| term)
    }

    /// The bytes at a pointer, if all are inside an object that lives.
    pub fn peek(&self, module: &Module, pointer: u128, size: u64) -> Option<&[Option<u8>]> {
        let (number, offset) =
            address::decode(module.target.pointer_bits, u64::try_from(pointer).ok()?);
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(size).ok()?)?;
        let object = self.objects.get(&number)?;
        object.bytes.get(start..end).filter(|_| object.alive)
    }

    /// Whether all bytes at a pointer are inside one object that lives; one that has ended counts as well if `ended` says so.
    pub fn exists(&self, module: &Module, pointer: u128, size: u64, ended: bool) -> bool {
        if !ended {
            return self.peek(module, pointer, size).is_some();
        }
        let place = u64::try_from(pointer).ok();
        let place = place.map(|pointer| address::decode(module.target.pointer_bits, pointer));
        place.is_some_and(|(number, start)| {
            let end = start.checked_add(size);
            self.size(number).zip(end).is_some_and(|(size, end)| end <= size)
        })
    }

    /// Size of an object in bytes, also after its life.
    pub fn size(&self, number: u64) -> Option<u64> {
        self.objects.get(&number).map(|object| object.bytes.len() as u64)
    }

    /// Whether an object exists that has not ended.
    pub fn is_alive(&self, number: u64) -> bool {
        self.objects.get(&number).is_some_and(|object| object.alive)
    }

    /// Ends the life of an object.
    pub fn free(&mut self, number: u64) -> bool {
        if !self.is_alive(number) {
            return false;
        }
        if let Some(object) = self.object_mut(number) {
            object.alive = false;
            // Nobody reads it any more: states do not differ in what it was.
            object.bytes.fill(None);
            object.terms.clear();
        }
        true
    }
}
