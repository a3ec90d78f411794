//! C types and conversions between them.

use sapa_ir::goto::{SlotId, StructId, TargetInfo, Type};

/// A C type with the qualifiers that matter for accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CType {
    pub kind: Kind,
    pub volatile: bool,
    pub atomic: bool,
    pub constant: bool,
    /// The alignment that a `typedef` or type name gives it, in bytes, if it is not the kind's.
    pub align: Option<u64>,
    /// Of an array whose size is no constant: the slot of the function that holds how many elements it
    /// has.
    pub count: Option<SlotId>,
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
    Float(FloatFormat),
    Pointer(Box<CType>),
    /// `None`: incomplete.
    Array(Box<CType>, Option<u64>),
    Record(StructId),
    Function(Box<FunctionType>),
    /// A type that is not supported: what it is.
    Unsupported(&'static str),
}

/// An IEEE 754 binary format; values are bit-vectors of its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FloatFormat {
    /// `float`, binary32.
    Single,
    /// `double`, binary64.
    Double,
}

impl FloatFormat {
    pub fn bits(self) -> u16 {
        match self {
            Self::Single => 32,
            Self::Double => 64,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FunctionType {
    pub result: CType,
    pub parameters: Vec<CType>,
    /// Whether more arguments are allowed: `...`, or no prototype.
    pub open: bool,
}

impl FunctionType {
    /// Whether function types are compatible (C11 6.7.6.3p15).
    pub fn is_compatible(&self, other: &Self) -> bool {
        let same = |a: &CType, b: &CType| a.unqualified().is_compatible(&b.unqualified());
        let fits = match (self.is_prototype(), other.is_prototype()) {
            (true, true) => {
                self.open == other.open
                    && self.parameters.len() == other.parameters.len()
                    && self.parameters.iter().zip(&other.parameters).all(|(a, b)| same(a, b))
            }
            (true, false) => self.takes_promoted(),
            (false, true) => other.takes_promoted(),
            (false, false) => true,
        };
        fits && same(&self.result, &other.result)
    }

    fn is_prototype(&self) -> bool {
        !self.open || !self.parameters.is_empty()
    }

    /// Whether it can be called as without a prototype: no parameter is narrower than what the
    /// default argument promotions make of an argument.
    fn takes_promoted(&self) -> bool {
        let is_narrow = |ty: &CType| match ty.kind {
            Kind::Bool | Kind::Float(FloatFormat::Single) => true,
            Kind::Int { rank, .. } => rank < 3,
            _ => false,
        };
        !self.open && !self.parameters.iter().any(is_narrow)
    }

    /// Whether further arguments are passed beside the parameters: `...`.
    pub fn is_variadic(&self) -> bool {
        self.open && !self.parameters.is_empty()
    }

    /// The function's type in the IR. A structure is passed by the address of
    /// a copy; a function that returns one takes the address of an object for
    /// it as its first parameter, and one with `...` that of its further arguments as the last one.
    pub fn signature(&self) -> (Vec<Type>, Option<Type>) {
        let scalar = |ty: &CType| match ty.kind {
            Kind::Record(_) => Type::Pointer,
            _ => ty.decayed().in_memory().unwrap_or(Type::Pointer),
        };
        let mut parameters: Vec<Type> = self.parameters.iter().map(scalar).collect();
        parameters.extend(self.is_variadic().then_some(Type::Pointer));
        let result = match self.result.kind {
            Kind::Void => None,
            Kind::Record(_) => {
                parameters.insert(0, Type::Pointer);
                None
            }
            _ => Some(scalar(&self.result)),
        };
        (parameters, result)
    }
}

impl From<Kind> for CType {
    fn from(kind: Kind) -> Self {
        Self { kind, volatile: false, atomic: false, constant: false, align: None, count: None }
    }
}

impl CType {
    pub fn int(bits: u16, signed: bool, rank: u8) -> Self {
        Kind::Int { bits, signed, rank }.into()
    }

    pub fn pointer(self) -> Self {
        Kind::Pointer(Box::new(self)).into()
    }

    /// Adds `const` and `volatile`. Qualifiers of an array are its elements' too (C11 6.7.3p9).
    pub fn qualify(&mut self, constant: bool, volatile: bool) {
        self.constant |= constant;
        self.volatile |= volatile;
        if let Kind::Array(element, _) = &mut self.kind {
            element.qualify(constant, volatile);
        }
    }

    pub fn is_integer(&self) -> bool {
        matches!(self.kind, Kind::Bool | Kind::Int { .. })
    }

    pub fn is_arithmetic(&self) -> bool {
        self.is_integer() || matches!(self.kind, Kind::Float(_))
    }

    pub fn is_scalar(&self) -> bool {
        self.is_arithmetic() || matches!(self.kind, Kind::Pointer(_))
    }

    pub fn is_signed(&self) -> bool {
        matches!(self.kind, Kind::Int { signed: true, .. })
    }

    /// Whether it is a signed integer, or an array of such.
    pub fn holds_signed(&self) -> bool {
        match &self.kind {
            Kind::Array(element, _) => element.holds_signed(),
            _ => self.is_signed(),
        }
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
            _ => Self {
                volatile: false,
                atomic: false,
                constant: false,
                align: None,
                ..self.clone()
            },
        }
    }

    /// The type without qualifiers at the top: those of an array are its elements'.
    pub fn unqualified(&self) -> Self {
        let mut ty = Self { volatile: false, atomic: false, constant: false, ..self.clone() };
        if let Kind::Array(element, _) = &mut ty.kind {
            **element = element.unqualified();
        }
        ty
    }

    /// Whether types are compatible (C11 6.2.7). How they are aligned does not matter.
    pub fn is_compatible(&self, other: &Self) -> bool {
        // Those of an array are its elements'.
        let qualifiers = |ty: &Self| match ty.kind {
            Kind::Array(..) => (false, false, false),
            _ => (ty.volatile, ty.atomic, ty.constant),
        };
        qualifiers(self) == qualifiers(other)
            && match (&self.kind, &other.kind) {
                (Kind::Pointer(a), Kind::Pointer(b)) => a.is_compatible(b),
                (Kind::Array(a, m), Kind::Array(b, n)) => {
                    a.is_compatible(b) && (m == n || m.is_none() || n.is_none())
                }
                (Kind::Function(a), Kind::Function(b)) => a.is_compatible(b),
                (a, b) => a == b,
            }
    }

    /// The composite of this type and one that was declared before (C11 6.2.7p3): sizes of arrays
    /// that only the other has.
    pub fn composed(mut self, before: &Self) -> Self {
        match (&mut self.kind, &before.kind) {
            (Kind::Array(own, size), Kind::Array(other, known)) => {
                *size = size.or(*known);
                **own = (**own).clone().composed(other);
            }
            (Kind::Pointer(own), Kind::Pointer(other)) => {
                **own = (**own).clone().composed(other);
            }
            _ => {}
        }
        self
    }

    /// Whether it is an array whose size is known when the program runs.
    pub fn is_variable(&self) -> bool {
        self.count.is_some()
            || matches!(&self.kind, Kind::Array(element, _) if element.is_variable())
    }

    /// The type in memory.
    pub fn in_memory(&self) -> Result<Type, &'static str> {
        match &self.kind {
            Kind::Void => Err("an object of type void"),
            Kind::Bool => Ok(Type::Int(8)),
            Kind::Int { bits, .. } => Ok(Type::Int(*bits)),
            Kind::Float(format) => Ok(Type::Int(format.bits())),
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
    /// Of a rank of its own: it is neither of the types that it behaves like.
    pub fn char(self) -> CType {
        CType::int(8, self.0.char_signed, 0)
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
    /// `_BitInt(bits)` (C23): of a rank that is not promoted, by its width.
    pub fn bit_int(bits: u16, signed: bool) -> CType {
        let rank = match bits {
            0..=32 => 3,
            33..=64 => 4,
            _ => 6,
        };
        CType::int(bits, signed, rank)
    }
    /// The type of a width: an integer type of C if there is one, else a `_BitInt`.
    pub fn of_width(self, bits: u16, signed: bool) -> CType {
        let target = self.0;
        match bits {
            _ if bits == target.int_bits => CType::int(bits, signed, 3),
            _ if bits == target.long_bits => CType::int(bits, signed, 4),
            _ if bits == target.long_long_bits => CType::int(bits, signed, 5),
            _ if bits == target.short_bits => CType::int(bits, signed, 2),
            8 => CType::int(bits, signed, 1),
            _ => Self::bit_int(bits, signed && bits > 1),
        }
    }
    /// `unsigned long`, or `unsigned int` where pointers are no wider.
    pub fn size(self) -> CType {
        CType::int(self.0.pointer_bits, false, self.pointer_rank())
    }
    /// The rank of the integer types that are as wide as pointers.
    fn pointer_rank(self) -> u8 {
        if self.0.pointer_bits > self.0.int_bits { 4 } else { 3 }
    }

    /// The type that a conversion of `printf` with this length takes, if it is of integers.
    pub fn of_length(self, length: &str, signed: bool) -> Option<CType> {
        let target = self.0;
        let (bits, rank) = match length {
            "hh" => (8, 1),
            "h" => (target.short_bits, 2),
            "" => (target.int_bits, 3),
            "l" => (target.long_bits, 4),
            "z" | "Z" | "t" => (target.pointer_bits, self.pointer_rank()),
            "ll" | "L" | "q" | "j" => (target.long_long_bits, 5),
            _ => return None,
        };
        Some(CType::int(bits, signed, rank))
    }

    /// Integer promotions (C11 6.3.1.1).
    pub fn promote(self, ty: &CType) -> CType {
        match ty.kind {
            Kind::Bool => self.int(),
            Kind::Int { bits, rank, .. } if rank < 3 && bits <= self.0.int_bits => self.int(),
            _ => ty.decayed(),
        }
    }

    /// The type that a value of a type is passed as where there is no prototype (C11 6.5.2.2).
    pub fn promote_argument(self, ty: &CType) -> CType {
        match ty.kind {
            Kind::Float(FloatFormat::Single) => Kind::Float(FloatFormat::Double).into(),
            _ => self.promote(ty),
        }
    }

    /// The type of the value of a bit-field: int if that holds it (C11
    /// 6.3.1.1), else, as GCC has it, a type of just its width, whose rank is
    /// below that of the declared type.
    pub fn bit_field(self, declared: &CType, width: u16) -> CType {
        let signed = declared.is_signed();
        if width < self.0.int_bits || signed && width == self.0.int_bits {
            return self.int();
        }
        match declared.kind {
            Kind::Int { bits, .. } if width < bits => CType::int(width, signed, 3),
            _ => declared.decayed(),
        }
    }

    /// The usual arithmetic conversions (C11 6.3.1.8).
    pub fn common(self, a: &CType, b: &CType) -> CType {
        match (&a.kind, &b.kind) {
            (Kind::Float(x), Kind::Float(y)) => return Kind::Float(*x.max(y)).into(),
            (Kind::Float(_), _) => return a.decayed(),
            (_, Kind::Float(_)) => return b.decayed(),
            _ => {}
        }
        let (a, b) = (self.promote(a), self.promote(b));
        let (
            Kind::Int { bits: wa, signed: sa, rank: ra },
            Kind::Int { bits: wb, signed: sb, rank: rb },
        ) = (&a.kind, &b.kind)
        else {
            return a;
        };
        // Types of one rank differ in width only if one is a bit-field's.
        if sa == sb {
            return if (ra, wa) >= (rb, wb) { a } else { b };
        }
        let (unsigned, (uw, ur), signed, (sw, sr)) =
            if *sa { (&b, (wb, rb), &a, (wa, ra)) } else { (&a, (wa, ra), &b, (wb, rb)) };
        if (ur, uw) >= (sr, sw) {
            unsigned.clone()
        } else if sw > uw {
            signed.clone()
        } else {
            CType::int(*sw, false, *sr)
        }
    }
}
