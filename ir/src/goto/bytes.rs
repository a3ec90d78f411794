//! Memory as bytes: integers in the target's byte order, and initial contents.

use super::{Endianness, Initializer, Module, Type, address};

/// Bytes of memory; what is undetermined is `None`.
pub type Bytes = [Option<u8>];

/// Writes an integer into bytes.
pub fn put(bytes: &mut Bytes, value: u128, endianness: Endianness) {
    let count = bytes.len();
    for (index, byte) in bytes.iter_mut().enumerate() {
        let place = match endianness {
            Endianness::Little => index,
            Endianness::Big => count - 1 - index,
        };
        *byte = Some(if place < 16 { (value >> (8 * place)) as u8 } else { 0 });
    }
}

/// Reads an integer from bytes; `None` if one of them is undetermined.
#[must_use]
pub fn get(bytes: &Bytes, endianness: Endianness) -> Option<u128> {
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

/// Writes the initial contents of an object of a type, from the object's start on. Members of
/// unions are written one after the other, so that later ones win; what does not fit is left out.
pub fn initialize(module: &Module, ty: &Type, initializer: &Initializer, bytes: &mut Bytes) {
    let size = usize::try_from(ty.size(module)).unwrap_or(usize::MAX);
    let Some(bytes) = bytes.get_mut(..size) else { return };
    let endianness = module.target.endianness;
    match (initializer, ty) {
        (Initializer::Nondet | Initializer::Undefined, _) => bytes.fill(None),
        (Initializer::Zero, _) => bytes.fill(Some(0)),
        (Initializer::Int(value), _) => put(bytes, *value, endianness),
        (Initializer::Global(global, offset), _) => {
            let value = address::global(module, *global).wrapping_add(offset.cast_unsigned());
            put(bytes, u128::from(value), endianness);
        }
        (Initializer::Function(function), _) => {
            put(bytes, u128::from(address::function(module, *function)), endianness);
        }
        (Initializer::Aggregate(items), Type::Struct(id)) => {
            bytes.fill(Some(0));
            let fields = module.structs.get(id.index()).map_or(&[][..], |s| &s.fields);
            for (field, item) in fields.iter().zip(items) {
                let start = usize::try_from(field.offset).unwrap_or(usize::MAX);
                if let Some(bytes) = bytes.get_mut(start..) {
                    initialize(module, &field.ty, item, bytes);
                }
            }
        }
        (Initializer::Aggregate(items), Type::Array(element, count)) => {
            bytes.fill(Some(0));
            let step = usize::try_from(element.size(module)).unwrap_or(usize::MAX).max(1);
            for ((_, item), bytes) in (0..*count).zip(items).zip(bytes.chunks_mut(step)) {
                initialize(module, element, item, bytes);
            }
        }
        (Initializer::Aggregate(items), _) => {
            let item = items.first().unwrap_or(&Initializer::Zero);
            initialize(module, ty, item, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_undetermined_in_an_aggregate_is_not_zero() {
        let module = Module::default();
        let ty = Type::Array(Box::new(Type::Int(16)), 3);
        let items = vec![Initializer::Nondet, Initializer::Int(0x102)];
        let mut bytes = [Some(7); 7];
        initialize(&module, &ty, &Initializer::Aggregate(items), &mut bytes);
        assert_eq!(bytes, [None, None, Some(2), Some(1), Some(0), Some(0), Some(7)]);
        assert_eq!(get(&bytes[2..4], Endianness::Little), Some(0x102));
        assert_eq!(get(&bytes[2..4], Endianness::Big), Some(0x201));
        assert_eq!(get(&bytes[1..3], Endianness::Little), None);
    }
}
