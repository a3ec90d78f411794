//! How pointers are encoded as bit-vectors.
//!
//! Every object (global, function, stack object of one activation, heap
//! object) has a number above 0. Behind the first bytes of the address space, which
//! are nobody's, the upper part of a pointer is the object's number, the lower part the
//! offset in bytes; null is the number 0. Comparing and subtracting pointers and
//! converting them to integers and back therefore mean the same in the
//! interpreter, the abstraction and the simulation.
//!
//! Programs cut addresses: `void check(int cond)` is called with a pointer. If the lower
//! part were the offset alone, every object would be at 0 to them.

use super::{FunctionId, GlobalId, Module};

/// Width of the offset part for pointers of `pointer_bits` bits: 32 of 64, 20 of 32.
#[must_use]
pub fn offset_bits(pointer_bits: u16) -> u16 {
    if pointer_bits >= 64 { 32 } else { 20 }
}

/// Largest object number that a pointer of `pointer_bits` can hold.
#[must_use]
pub fn max_object(pointer_bits: u16) -> u64 {
    (1u64 << (pointer_bits - offset_bits(pointer_bits))) - 1
}

/// Where the numbers of objects and offsets begin: a multiple of all alignments up to 64 KiB (4 KiB of 32 bits), of which the
/// lower half of a pointer has a bit. Programs that keep tags where an alignment has zeros find these, so that a
/// quarter of a pointer of 64 bits is 0.
#[must_use]
pub fn first(pointer_bits: u16) -> u64 {
    if pointer_bits >= 64 { 1 << 16 } else { 1 << 12 }
}

/// Encodes object number and offset; the offset wraps within its part.
#[must_use]
pub fn encode(pointer_bits: u16, object: u64, offset: u64) -> u64 {
    let bits = offset_bits(pointer_bits);
    let place = (object << bits) | (offset & ((1u64 << bits) - 1));
    place.wrapping_add(first(pointer_bits)) & largest(pointer_bits)
}

/// The largest number that is a pointer.
fn largest(pointer_bits: u16) -> u64 {
    u64::MAX >> (64 - u32::from(pointer_bits.clamp(1, 64)))
}

/// The address of a global: objects are numbered from 1, globals first.
#[must_use]
pub fn global(module: &Module, global: GlobalId) -> u64 {
    encode(module.target.pointer_bits, u64::from(global.0) + 1, 0)
}

/// The address of a function: functions come after the globals.
#[must_use]
pub fn function(module: &Module, function: FunctionId) -> u64 {
    let number = (module.globals.len() + function.index()) as u64 + 1;
    encode(module.target.pointer_bits, number, 0)
}

/// Splits a pointer into object number and offset. That of null is a number that no object has.
#[must_use]
pub fn decode(pointer_bits: u16, pointer: u64) -> (u64, u64) {
    let bits = offset_bits(pointer_bits);
    let place = pointer.wrapping_sub(first(pointer_bits)) & largest(pointer_bits);
    (place >> bits, place & ((1u64 << bits) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_no_object_and_no_object_is_null_when_cut() {
        for bits in [32, 64] {
            assert_eq!(decode(bits, 0).0, max_object(bits));
            let start = encode(bits, 7, 0);
            assert_ne!(start & ((1 << offset_bits(bits)) - 1), 0);
            assert!(start.is_multiple_of(4096));
        }
    }

    #[test]
    fn decoding_undoes_encoding() {
        for bits in [32, 64] {
            for object in [0, 1, 7, max_object(bits)] {
                for offset in [0, 1, 4, (1 << offset_bits(bits)) - 1] {
                    assert_eq!(decode(bits, encode(bits, object, offset)), (object, offset));
                }
            }
        }
    }
}
