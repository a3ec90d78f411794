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

/// All objects, by number and, for those that each thread has, by thread.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Memory {
    pub objects: BTreeMap<(u64, u32), Object>,
    pub next: u64,
}

/// Owner of objects that all threads share.
pub(super) const SHARED: u32 = u32::MAX;

/// Largest object, in bytes.
const MAX_SIZE: u64 = 1 << 24;

impl Memory {
    /// A new object; `None` if it is too large.
    pub fn add(&mut self, size: u64) -> Option<u64> {
        let number = self.next;
        self.next += 1;
        self.insert(number, SHARED, size)?;
        Some(number)
    }

    pub fn insert(&mut self, number: u64, owner: u32, size: u64) -> Option<()> {
        if size > MAX_SIZE {
            return None;
        }
        let bytes = vec![None; usize::try_from(size).ok()?];
        self.objects.insert((number, owner), Object { bytes, alive: true, is_buffered: false });
        Some(())
    }

    /// Lets stores to an object that all threads share wait in buffers.
    pub fn let_wait(&mut self, number: u64) {
        if let Some(object) = self.objects.get_mut(&(number, SHARED)) {
            object.is_buffered = true;
        }
    }

    /// Whether stores to an object wait in buffers.
    pub fn is_buffered(&self, number: u64) -> bool {
        self.objects.get(&(number, SHARED)).is_some_and(|object| object.is_buffered)
    }

    /// The object that a thread means by a number.
    fn object(&mut self, number: u64, thread: u32) -> Option<&mut Object> {
        let key = if self.objects.contains_key(&(number, SHARED)) {
            (number, SHARED)
        } else {
            (number, thread)
        };
        self.objects.get_mut(&key).filter(|object| object.alive)
    }

    /// The bytes at a pointer, if all are inside a living object.
    pub fn bytes(
        &mut self,
        module: &Module,
        pointer: u128,
        size: u64,
        thread: u32,
    ) -> Option<&mut [Option<u8>]> {
        let (number, offset) =
            address::decode(module.target.pointer_bits, u64::try_from(pointer).ok()?);
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(size).ok()?)?;
        self.object(number, thread)?.bytes.get_mut(start..end)
    }

    /// The bytes at a pointer, if all are inside an object that lives.
    pub fn peek(
        &self,
        module: &Module,
        pointer: u128,
        size: u64,
        thread: u32,
    ) -> Option<&[Option<u8>]> {
        let (number, offset) =
            address::decode(module.target.pointer_bits, u64::try_from(pointer).ok()?);
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(size).ok()?)?;
        let owners = [SHARED, thread];
        let object = owners.iter().find_map(|owner| self.objects.get(&(number, *owner)))?;
        object.bytes.get(start..end).filter(|_| object.alive)
    }

    /// Size of an object in bytes, also after its life.
    pub fn size(&self, number: u64, thread: u32) -> Option<u64> {
        let object =
            self.objects.get(&(number, SHARED)).or_else(|| self.objects.get(&(number, thread)))?;
        Some(object.bytes.len() as u64)
    }

    /// Ends the life of an object.
    pub fn free(&mut self, number: u64) -> bool {
        match self.objects.get_mut(&(number, SHARED)) {
            Some(object) if object.alive => {
                object.alive = false;
                true
            }
            _ => false,
        }
    }
}
