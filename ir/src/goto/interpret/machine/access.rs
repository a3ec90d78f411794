//! Accesses: to memory, and where stores wait, to the thread's buffer before it.

use std::ops::Range;

use super::{Machine, Outcome, Request, Written};
use crate::goto::address;
use crate::goto::arithmetic::mask;
use crate::goto::bytes::{Bytes, get, put};
use crate::goto::entity::SlotId;
use crate::goto::instruction::MemoryOrder;
use crate::goto::interpret::buffer::Found;
use crate::goto::interpret::machine::Inputs;
use crate::goto::module::Module;
use crate::goto::source::Location;
use crate::goto::types::{Type, int_size};

/// A store that waits has some of the bytes that are read.
const PART: &str = "a store to a part of what is read has not reached memory";

impl Machine<'_> {
    /// Reads an integer.
    ///
    /// # Errors
    /// What the step comes to, if it cannot be read.
    pub(super) fn load(
        &mut self,
        thread: u32,
        pointer: u128,
        bits: u16,
        location: Location,
        inputs: &mut dyn Inputs,
    ) -> Result<u128, Outcome> {
        let endianness = self.module.target.endianness;
        let size = Type::Int(bits).size(self.module);
        // What is only read stays shared with other states.
        if self.buffers.is_none()
            && let Some(bytes) = self.memory.peek(self.module, pointer, size)
            && let Some(value) = get(bytes, endianness)
        {
            return Ok(value & mask(bits));
        }
        if self.has_terms() {
            return self.load_term(thread, (pointer, size), bits, location, inputs);
        }
        let bytes = self.seen(thread, pointer, size, location)?;
        if let Some(value) = get(bytes, endianness) {
            return Ok(value & mask(bits));
        }
        let known = bytes.to_vec();
        let (owner, request) = self.unwritten(thread, pointer);
        let value = inputs.choose(owner, request, bits) & mask(bits);
        let bytes = self.seen(thread, pointer, size, location)?;
        put(bytes, value, endianness);
        // Bytes that were written keep their values.
        for (byte, known) in bytes.iter_mut().zip(known) {
            *byte = known.or(*byte);
        }
        Ok(get(bytes, endianness).unwrap_or(value) & mask(bits))
    }

    /// The bytes at a pointer as a thread sees them: those of its newest store that waits, or else
    /// those of memory.
    fn seen(
        &mut self,
        thread: u32,
        pointer: u128,
        size: u64,
        location: Location,
    ) -> Result<&mut Bytes, Outcome> {
        let place = self.memory.bytes(self.module, pointer, size);
        let place = place.ok_or(Outcome::InvalidAccess(location))?;
        let Some(buffer) = self.buffers.as_mut().and_then(|all| all.of_mut(thread)) else {
            return Ok(place);
        };
        match buffer.find(u64::try_from(pointer).unwrap_or(u64::MAX), size) {
            Found::Memory => Ok(place),
            Found::Part => Err(Outcome::Blocked(PART)),
            Found::Waiting(index, start) => {
                let end = start.saturating_add(place.len());
                let bytes = buffer.bytes_mut(index).and_then(|bytes| bytes.get_mut(start..end));
                bytes.ok_or(Outcome::Blocked(PART))
            }
        }
    }

    /// What memory that was never written is asked for as, and whose it is: the thread's that reads
    /// it, unless it is local to another one.
    pub(super) fn unwritten(&self, thread: u32, pointer: u128) -> (u32, Request) {
        let encoded = u64::try_from(pointer).unwrap_or(u64::MAX);
        let (number, offset) = address::decode(self.module.target.pointer_bits, encoded);
        if let Some((owner, global)) = self.own(number).filter(|&(owner, _)| owner > 0) {
            let pointer = address::global(self.module, global).saturating_add(offset);
            return (owner, Request::Memory(pointer.into()));
        }
        let frames = match self.threads.get(thread as usize) {
            Some(Ok(running)) => running.frames.as_slice(),
            _ => &[],
        };
        for frame in frames {
            if let Some(index) = frame.slots.iter().position(|&slot| slot == number) {
                let (slot, function) = (SlotId::new(index), frame.function);
                return (thread, Request::Slot { slot, function, offset });
            }
        }
        (thread, Request::Memory(pointer))
    }

    /// Writes an integer, or lets it wait.
    pub(super) fn store(
        &mut self,
        thread: u32,
        pointer: u128,
        ty: &Type,
        value: u128,
        order: MemoryOrder,
        location: Location,
    ) -> Outcome {
        let endianness = self.module.target.endianness;
        let waits = order != MemoryOrder::SequentiallyConsistent && self.lets_wait(thread, pointer);
        if let Some(outcome) = self.store_term(pointer, ty, value, location) {
            return outcome;
        }
        let Some(place) = self.memory.bytes(self.module, pointer, ty.size(self.module)) else {
            return Outcome::InvalidAccess(location);
        };
        if waits {
            let mut bytes = vec![None; place.len()];
            put(&mut bytes, value, endianness);
            self.wait(thread, pointer, bytes, order);
        } else {
            put(place, value, endianness);
        }
        let pointer = Some(pointer);
        Outcome::Continued(Some(Written { pointer, value: None, bits: value, waits }))
    }

    /// Copies an object of a type.
    pub(super) fn copy(
        &mut self,
        thread: u32,
        to: u128,
        from: u128,
        ty: &Type,
        location: Location,
    ) -> Outcome {
        let size = ty.size(self.module);
        let parts = match &self.buffers {
            // Nobody sees it half done.
            None => std::iter::once(0..size).collect(),
            Some(_) => parts(self.module, ty),
        };
        let exists = |pointer| self.memory.peek(self.module, pointer, size).is_some();
        if !exists(from) || !exists(to) {
            return Outcome::InvalidAccess(location);
        }
        let terms = self.terms_at(from, size);
        let mut copies = Vec::new();
        // All is read before anything is written: they may overlap.
        for part in parts {
            let length = part.end - part.start;
            let at = from + u128::from(part.start);
            if self.buffers.is_none()
                && let Some(bytes) = self.memory.peek(self.module, at, length)
            {
                copies.push((to + u128::from(part.start), bytes.to_vec()));
                continue;
            }
            match self.seen(thread, at, length, location) {
                Ok(bytes) => copies.push((to + u128::from(part.start), bytes.to_vec())),
                Err(outcome) => return outcome,
            }
        }
        for (pointer, bytes) in copies {
            self.write(thread, pointer, bytes);
        }
        for (offset, size, term) in terms {
            let at = to.wrapping_add_signed(offset.into());
            self.memory.put_term(self.module, at, size, term);
        }
        Outcome::Continued(None)
    }

    /// Makes an object of a type arbitrary.
    pub(super) fn havoc(
        &mut self,
        thread: u32,
        pointer: u128,
        ty: &Type,
        location: Location,
        inputs: &mut dyn Inputs,
    ) -> Outcome {
        let endianness = self.module.target.endianness;
        let place = self.memory.peek(self.module, pointer, ty.size(self.module));
        let Some(place) = place else { return Outcome::InvalidAccess(location) };
        let mut bytes = vec![None; place.len()];
        for (offset, bits, value) in inputs.contents(thread, ty) {
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            let size = usize::try_from(int_size(bits)).unwrap_or(usize::MAX);
            let end = start.saturating_add(size);
            if let Some(bytes) = bytes.get_mut(start..end) {
                put(bytes, value, endianness);
            }
        }
        self.write(thread, pointer, bytes);
        Outcome::Continued(None)
    }

    /// Writes bytes of an object that exists, or lets them wait as one store.
    fn write(&mut self, thread: u32, pointer: u128, bytes: Vec<Option<u8>>) {
        if self.lets_wait(thread, pointer) {
            self.wait(thread, pointer, bytes, MemoryOrder::Plain);
        } else if let Some(place) = self.memory.bytes(self.module, pointer, bytes.len() as u64) {
            place.copy_from_slice(&bytes);
        }
    }
}

/// The parts of an object that are copied in one access each: its scalars, members of a union that
/// overlap as one, and the bytes between them.
fn parts(module: &Module, ty: &Type) -> Vec<Range<u64>> {
    let mut scalars = Vec::new();
    add_scalars(module, ty, 0, &mut scalars);
    scalars.sort_by_key(|scalar| (scalar.start, scalar.end));
    let mut parts: Vec<Range<u64>> = Vec::new();
    let mut end = 0;
    for scalar in scalars {
        match parts.last_mut() {
            Some(last) if scalar.start < last.end => last.end = last.end.max(scalar.end),
            _ => {
                parts.extend((end..scalar.start).map(|byte| byte..byte + 1));
                parts.push(scalar);
            }
        }
        end = parts.last().map_or(end, |last| last.end);
    }
    parts.extend((end..ty.size(module)).map(|byte| byte..byte + 1));
    parts
}

fn add_scalars(module: &Module, ty: &Type, offset: u64, scalars: &mut Vec<Range<u64>>) {
    match ty {
        Type::Int(_) | Type::Pointer => scalars.push(offset..offset + ty.size(module)),
        Type::Struct(id) => {
            for field in module.structs.get(id.index()).map_or(&[][..], |s| &s.fields) {
                add_scalars(module, &field.ty, offset + field.offset, scalars);
            }
        }
        Type::Array(element, count) => {
            let step = element.size(module);
            for index in 0..*count {
                add_scalars(module, element, offset + index * step, scalars);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goto::parse;

    #[test]
    fn objects_are_copied_by_scalars() {
        let text = "gir 1
            struct u size 8 align 4 { a: [8 x i8] at 0 b: [2 x i32] at 0 }
            struct s size 12 align 4 { c: i8 at 0 d: i32 at 4 e: i16 at 8 }
            global $u: struct u = zero global $s: struct s = zero";
        let module = parse(text, "t.gir").expect("it is well-formed");
        let parts_of = |name: &str| {
            let global = module.global_by_name(name).expect("it is there");
            parts(&module, &module.globals[global.index()].ty)
        };
        assert_eq!(parts_of("u"), [0..4, 4..8]);
        assert_eq!(parts_of("s"), [0..1, 1..2, 2..3, 3..4, 4..8, 8..10, 10..11, 11..12]);
    }
}
