//! Objects as bytes.

use std::collections::BTreeMap;

use crate::goto::{Module, address};

/// An object; bytes that were never written are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Object {
    pub bytes: Vec<Option<u8>>,
    pub alive: bool,
    /// Whether stores to it wait in buffers, where there are any.
    pub is_buffered: bool,
}

/// All objects, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Memory {
    pub objects: BTreeMap<u64, Object>,
    /// The number of the next one that comes into being.
    pub next: u64,
    /// Where the numbers end that it may have; those behind are of objects local to threads. It
    /// follows from how many threads there were, of which states are told apart.
    pub end: u64,
}

/// Largest object, in bytes.
const MAX_SIZE: u64 = 1 << 24;

impl Memory {
    /// A new object; `None` if it is too large, or there are too many.
    pub fn add(&mut self, size: u64) -> Option<u64> {
        let number = self.next;
        if number >= self.end {
            return None;
        }
        self.next += 1;
        self.insert(number, size)?;
        Some(number)
    }

    pub fn insert(&mut self, number: u64, size: u64) -> Option<()> {
        if size > MAX_SIZE {
            return None;
        }
        let bytes = vec![None; usize::try_from(size).ok()?];
        self.objects.insert(number, Object { bytes, alive: true, is_buffered: false });
        Some(())
    }

    /// Lets stores to an object wait in buffers.
    pub fn let_wait(&mut self, number: u64) {
        if let Some(object) = self.objects.get_mut(&number) {
            object.is_buffered = true;
        }
    }

    /// Whether stores to an object wait in buffers.
    pub fn is_buffered(&self, number: u64) -> bool {
        self.objects.get(&number).is_some_and(|object| object.is_buffered)
    }

    /// The bytes at a pointer, if all are inside a living object.
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
        let object = self.objects.get_mut(&number).filter(|object| object.alive)?;
        object.bytes.get_mut(start..end)
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

    /// Ends the life of an object.
    pub fn free(&mut self, number: u64) -> bool {
        match self.objects.get_mut(&number) {
            Some(object) if object.alive => {
                object.alive = false;
                true
            }
            _ => false,
        }
    }
}
