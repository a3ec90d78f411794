//! C types and their layout.

use sapa_ir::goto::{Field, StructId, StructType, TargetInfo, Type};

/// A C type with the qualifiers that matter for accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CType {
    pub kind: Kind,
    pub volatile: bool,
    pub atomic: bool,
    pub constant: bool,
}

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Void,
    Bool,
    /// Width, signedness and conversion rank.
    Int {
        bits: u16,
        signed: bool,
        rank: u8,
    },
    Pointer(Box<CType>),
    /// `None`: incomplete.
    Array(Box<CType>, Option<u64>),
    Record(StructId),
    Function(Box<FunctionType>),
    /// A type that is not supported: what it is.
    Unsupported(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FunctionType {
    pub result: CType,
    pub parameters: Vec<CType>,
    /// Whether more arguments are allowed: `...`, or no prototype.
    pub open: bool,
}

impl From<Kind> for CType {
    fn from(kind: Kind) -> Self {
        Self { kind, volatile: false, atomic: false, constant: false }
    }
}

impl CType {
    pub fn int(bits: u16, signed: bool, rank: u8) -> Self {
        Kind::Int { bits, signed, rank }.into()
    }

    pub fn pointer(self) -> Self {
        Kind::Pointer(Box::new(self)).into()
    }

    pub fn is_integer(&self) -> bool {
        matches!(self.kind, Kind::Bool | Kind::Int { .. })
    }

    pub fn is_scalar(&self) -> bool {
        self.is_integer() || matches!(self.kind, Kind::Pointer(_))
    }

    pub fn is_signed(&self) -> bool {
        matches!(self.kind, Kind::Int { signed: true, .. })
    }

    pub fn pointee(&self) -> Option<&CType> {
        match &self.kind {
            Kind::Pointer(inner) => Some(inner),
            _ => None,
        }
    }

    /// The type after the conversions of an operand: arrays and functions become pointers.
    pub fn decayed(&self) -> Self {
        match &self.kind {
            Kind::Array(element, _) => (**element).clone().pointer(),
            Kind::Function(_) => self.clone().pointer(),
            _ => Self { volatile: false, atomic: false, constant: false, ..self.clone() },
        }
    }

    /// The type in memory.
    pub fn in_memory(&self) -> Result<Type, &'static str> {
        match &self.kind {
            Kind::Void => Err("an object of type void"),
            Kind::Bool => Ok(Type::Int(8)),
            Kind::Int { bits, .. } => Ok(Type::Int(*bits)),
            Kind::Pointer(_) => Ok(Type::Pointer),
            Kind::Array(element, Some(count)) => {
                Ok(Type::Array(Box::new(element.in_memory()?), *count))
            }
            Kind::Array(_, None) => Err("an array of unknown size"),
            Kind::Record(id) => Ok(Type::Struct(*id)),
            Kind::Function(_) => Err("an object of function type"),
            Kind::Unsupported(what) => Err(what),
        }
    }
}

/// The integer types of a machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integers(pub TargetInfo);

impl Integers {
    pub fn char(self) -> CType {
        CType::int(8, self.0.char_signed, 1)
    }
    pub fn int(self) -> CType {
        CType::int(self.0.int_bits, true, 3)
    }
    pub fn unsigned_int(self) -> CType {
        CType::int(self.0.int_bits, false, 3)
    }
    pub fn long(self) -> CType {
        CType::int(self.0.long_bits, true, 4)
    }
    pub fn size(self) -> CType {
        CType::int(self.0.pointer_bits, false, 4)
    }

    /// Integer promotions (C11 6.3.1.1).
    pub fn promote(self, ty: &CType) -> CType {
        match ty.kind {
            Kind::Bool => self.int(),
            Kind::Int { bits, rank, .. } if rank < 3 && bits <= self.0.int_bits => self.int(),
            _ => ty.decayed(),
        }
    }

    /// The usual arithmetic conversions (C11 6.3.1.8).
    pub fn common(self, a: &CType, b: &CType) -> CType {
        let (a, b) = (self.promote(a), self.promote(b));
        let (
            Kind::Int { bits: wa, signed: sa, rank: ra },
            Kind::Int { bits: wb, signed: sb, rank: rb },
        ) = (&a.kind, &b.kind)
        else {
            return a;
        };
        if sa == sb {
            return if ra >= rb { a } else { b };
        }
        let (unsigned, (uw, ur), signed, (sw, sr)) =
            if *sa { (&b, (wb, rb), &a, (wa, ra)) } else { (&a, (wa, ra), &b, (wb, rb)) };
        if ur >= sr {
            unsigned.clone()
        } else if sw > uw {
            signed.clone()
        } else {
            CType::int(*sw, false, *sr)
        }
    }
}

/// Lays out a structure or union: offsets, size and alignment of each field.
pub(crate) fn layout(
    module: &sapa_ir::goto::Module,
    name: String,
    fields: Vec<(String, CType)>,
    is_union: bool,
    is_packed: bool,
) -> Result<StructType, &'static str> {
    let mut result = StructType { name, fields: Vec::new(), size: 0, align: 1 };
    for (name, ty) in fields {
        let signed = ty.is_signed();
        let ty = ty.in_memory()?;
        let align = if is_packed { 1 } else { alignment(module, &ty) };
        let offset = if is_union { 0 } else { result.size.next_multiple_of(align) };
        let end = offset.saturating_add(ty.size(module));
        result.size = result.size.max(end);
        result.align = result.align.max(align);
        result.fields.push(Field { name, ty, offset, signed });
    }
    result.size = result.size.next_multiple_of(result.align);
    Ok(result)
}

/// Alignment of a type in bytes.
pub(crate) fn alignment(module: &sapa_ir::goto::Module, ty: &Type) -> u64 {
    match ty {
        Type::Struct(id) => module.structs.get(id.index()).map_or(1, |s| s.align),
        Type::Array(element, _) => alignment(module, element),
        _ => ty.size(module).clamp(1, 16),
    }
}
