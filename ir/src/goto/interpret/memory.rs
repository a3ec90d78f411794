//! Objects as bytes.

use std::collections::BTreeMap;

use crate::goto::address;
use crate::goto::{Endianness, Initializer, Module, Type};

/// An object; bytes that were never written are `None`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Object {
    pub bytes: Vec<Option<u8>>,
    pub alive: bool,
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
        self.objects.insert((number, owner), Object { bytes, alive: true });
        Some(())
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

    /// Writes the initial contents of a global.
    pub fn initialize(
        &mut self,
        module: &Module,
        pointer: u64,
        ty: &Type,
        initializer: &Initializer,
        thread: u32,
    ) {
        let size = ty.size(module);
        match (initializer, ty) {
            (Initializer::Nondet, _) => {}
            (Initializer::Zero, _) => {
                if let Some(bytes) = self.bytes(module, u128::from(pointer), size, thread) {
                    bytes.fill(Some(0));
                }
            }
            (Initializer::Int(value), _) => self.write(module, pointer, size, *value, thread),
            (Initializer::Global(global, offset), _) => {
                let base = address::encode(module.target.pointer_bits, u64::from(global.0) + 1, 0);
                self.write(
                    module,
                    pointer,
                    size,
                    u128::from(base.wrapping_add(offset.cast_unsigned())),
                    thread,
                );
            }
            (Initializer::Function(function), _) => {
                let number = (module.globals.len() + function.index()) as u64 + 1;
                let value = address::encode(module.target.pointer_bits, number, 0);
                self.write(module, pointer, size, u128::from(value), thread);
            }
            (Initializer::Aggregate(items), Type::Struct(id)) => {
                self.initialize(module, pointer, ty, &Initializer::Zero, thread);
                let fields = module.structs.get(id.index()).map_or(&[][..], |s| &s.fields);
                for (field, item) in fields.iter().zip(items) {
                    self.initialize(module, pointer + field.offset, &field.ty, item, thread);
                }
            }
            (Initializer::Aggregate(items), Type::Array(element, count)) => {
                self.initialize(module, pointer, ty, &Initializer::Zero, thread);
                let step = element.size(module);
                for (index, item) in (0..*count).zip(items) {
                    self.initialize(module, pointer + index * step, element, item, thread);
                }
            }
            (Initializer::Aggregate(items), _) => {
                let item = items.first().unwrap_or(&Initializer::Zero);
                self.initialize(module, pointer, ty, item, thread);
            }
        }
    }

    fn write(&mut self, module: &Module, pointer: u64, size: u64, value: u128, thread: u32) {
        let endianness = module.target.endianness;
        if let Some(bytes) = self.bytes(module, u128::from(pointer), size, thread) {
            put(bytes, value, endianness);
        }
    }
}

/// Writes an integer into bytes.
pub(super) fn put(bytes: &mut [Option<u8>], value: u128, endianness: Endianness) {
    let count = bytes.len();
    for (index, byte) in bytes.iter_mut().enumerate() {
        let place = match endianness {
            Endianness::Little => index,
            Endianness::Big => count - 1 - index,
        };
        *byte = Some(if place < 16 { (value >> (8 * place)) as u8 } else { 0 });
    }
}

/// Reads an integer from bytes; `None` if a byte was never written.
pub(super) fn get(bytes: &[Option<u8>], endianness: Endianness) -> Option<u128> {
    let count = bytes.len();
    let mut value = 0;
    for (index, byte) in bytes.iter().enumerate() {
        let place = match endianness {
            Endianness::Little => index,
            Endianness::Big => count - 1 - index,
        };
        value |= u128::from((*byte)?) << (8 * place.min(15));
    }
    Some(value)
}
