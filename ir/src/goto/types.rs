//! Types of the goto IR and their layout in memory.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::entity::StructId;
use super::module::Module;

/// A type. SSA values have scalar types ([`Type::Int`], [`Type::Pointer`]);
/// aggregates live in memory only.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Type {
    /// A bit-vector of 1 to 128 bits. Signedness is in the operations.
    Int(u16),
    /// A pointer; its width is [`TargetInfo::pointer_bits`](super::TargetInfo::pointer_bits).
    Pointer,
    /// A structure or union of [`Module::structs`].
    Struct(StructId),
    /// An array of that many elements.
    Array(#[serde(deserialize_with = "super::nesting::deserialize")] Box<Type>, u64),
}

/// The type of Booleans and of comparison results.
pub const BOOL: Type = Type::Int(1);

/// One field of a [`StructType`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    /// Name in the source; empty for an anonymous member.
    pub name: String,
    /// Type of the field.
    pub ty: Type,
    /// Distance from the start of the structure, in bytes.
    pub offset: u64,
    /// Whether the source type is a signed integer, or an array of such (used to read predicates
    /// and to show values).
    pub signed: bool,
    /// The bit-fields of the source that it holds; none if it is a member of its own. They are
    /// here to show values: accesses shift and mask the whole field.
    pub bit_fields: Vec<BitField>,
}

/// A bit-field of the source, as a part of a [`Field`] that is an integer or an array of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BitField {
    /// Name in the source.
    pub name: String,
    /// Bits of the field below it; in an array of bytes, the first byte is the lowest.
    pub offset: u16,
    /// Number of bits.
    pub width: u16,
    /// Whether the source type is signed.
    pub signed: bool,
}

/// A structure or union: fields at byte offsets. In a union all offsets are 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StructType {
    /// Unique name in the module.
    pub name: String,
    /// Fields in order of declaration.
    pub fields: Vec<Field>,
    /// Size in bytes, trailing padding included.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

impl fmt::Display for Type {
    /// As the text form, with structures by number; [`print_type`](super::print_type) knows names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(bits) => write!(f, "i{bits}"),
            Self::Pointer => f.write_str("ptr"),
            Self::Struct(id) => id.fmt(f),
            Self::Array(element, count) => write!(f, "[{count} x {element}]"),
        }
    }
}

impl Type {
    /// Whether an object of this type has a pointer in it.
    #[must_use]
    pub fn holds_pointer(&self, module: &Module) -> bool {
        match self {
            Self::Int(_) => false,
            Self::Pointer => true,
            Self::Array(element, _) => element.holds_pointer(module),
            Self::Struct(id) => {
                let fields = module.structs.get(id.index()).map(|s| s.fields.as_slice());
                fields.unwrap_or_default().iter().any(|field| field.ty.holds_pointer(module))
            }
        }
    }

    /// Whether SSA values can have this type.
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Pointer)
    }

    /// Width in bits of a scalar; `None` for aggregates.
    #[must_use]
    pub fn bits(&self, module: &Module) -> Option<u16> {
        match self {
            Self::Int(bits) => Some(*bits),
            Self::Pointer => Some(module.target.pointer_bits),
            Self::Struct(_) | Self::Array(..) => None,
        }
    }

    /// Size in memory in bytes. An integer takes the least power of two of
    /// bytes that holds it (`i1` one byte, `i24` four bytes); an unknown
    /// structure and an overflowing array count as 0 and `u64::MAX`.
    #[must_use]
    pub fn size(&self, module: &Module) -> u64 {
        match self {
            Self::Int(bits) => int_size(*bits),
            Self::Pointer => u64::from(module.target.pointer_bits / 8),
            Self::Struct(id) => module.structs.get(id.index()).map_or(0, |s| s.size),
            Self::Array(element, count) => element.size(module).saturating_mul(*count),
        }
    }
}

/// Bytes that an integer of a number of bits takes.
#[must_use]
pub fn int_size(bits: u16) -> u64 {
    u64::from(bits.div_ceil(8)).next_power_of_two()
}
