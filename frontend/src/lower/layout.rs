//! Layout of structures and unions (System V ABI), bit-fields included.

use rustc_hash::FxHashSet;
use sapa_ir::goto::{self, Field, FieldIndex, Initializer, Module, StructType, Type};

use super::types::{CType, Kind};

/// A structure or union whose members are known.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// Members in order of declaration, unnamed bit-fields left out.
    pub members: Vec<Member>,
    pub is_union: bool,
}

/// A member of a record.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// Empty for an anonymous structure or union.
    pub name: String,
    pub ty: CType,
    /// The field of the IR's structure that holds it.
    pub field: FieldIndex,
    /// Where it is in that field, for a bit-field.
    pub bits: Option<BitField>,
    /// Its alignment in bytes.
    pub align: u64,
}

/// Some bits of an integer in memory, or of a row of bytes, the lowest of which is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BitField {
    /// Number of bits below.
    pub offset: u16,
    /// Number of bits.
    pub width: u16,
    /// Width of the integer in memory; 8 for a row of bytes.
    pub unit: u16,
    /// Whether it is a row of bytes.
    pub is_row: bool,
}

impl BitField {
    /// Puts bits into the initial contents of the field that holds them.
    pub fn put(self, value: u128, into: &mut Initializer) {
        if !self.is_row {
            let before = if let Initializer::Int(before) = into { *before } else { 0 };
            let mask = u128::MAX >> (128 - self.width) << self.offset;
            *into = Initializer::Int(before & !mask | value << self.offset & mask);
            return;
        }
        if !matches!(into, Initializer::Aggregate(_)) {
            *into = Initializer::Aggregate(Vec::new());
        }
        let Initializer::Aggregate(bytes) = into else { return };
        for bit in 0..self.width {
            let place = self.offset + bit;
            let (byte, place) = (usize::from(place / 8), place % 8);
            if bytes.len() <= byte {
                bytes.resize(byte + 1, Initializer::Zero);
            }
            let Some(byte) = bytes.get_mut(byte) else { return };
            let before = if let Initializer::Int(before) = byte { *before } else { 0 };
            *byte = Initializer::Int(before & !(1 << place) | (value >> bit & 1) << place);
        }
    }
}

/// A member before layout.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub name: String,
    pub ty: CType,
    /// Width of a bit-field.
    pub width: Option<u16>,
    /// A stricter alignment in bytes.
    pub align: Option<u64>,
    /// Whether it needs no alignment.
    pub is_packed: bool,
    /// Whether the bits are there but cannot be named.
    pub padding: bool,
}

/// What a whole record is declared with.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    pub is_union: bool,
    pub is_packed: bool,
    /// A stricter alignment in bytes.
    pub align: Option<u64>,
    /// The largest alignment of members, which `#pragma pack` sets.
    pub limit: Option<u64>,
}

/// A bit-field with its place, in bits from the start of the record.
struct Placed {
    member: Declared,
    start: u64,
    width: u16,
    /// How many bit-fields without width come before: across them memory is not shared (C11 3.14).
    section: u32,
}

/// Lays out a record.
///
/// # Errors
/// What is not supported in it.
pub(crate) fn layout(
    module: &Module,
    records: &[Option<Record>],
    name: String,
    declared: Vec<Declared>,
    shape: Shape,
) -> Result<(StructType, Record), &'static str> {
    let mut layout = Layout {
        structure: StructType { name, fields: Vec::new(), size: 0, align: 1 },
        members: Vec::new(),
        end: 0,
        run: Vec::new(),
        groups: Vec::new(),
        section: 0,
    };
    for member in declared {
        if !is_complete(records, &member.ty) {
            return Err("a member of incomplete type");
        }
        let memory = member.ty.in_memory()?;
        let is_packed = shape.is_packed || member.is_packed;
        let natural = match alignment_of(module, &member.ty) {
            Some(align) if !is_packed => align,
            _ => 1,
        };
        let mut align = natural.max(member.align.unwrap_or(1));
        if let Some(limit) = shape.limit
            && limit < align
        {
            if member.width.is_some() {
                return Err("a bit-field under '#pragma pack'");
            }
            align = limit;
        }
        if shape.is_union {
            layout.flush()?;
            layout.end = 0;
        }
        match member.width {
            Some(width) => layout.bit_field(member, width, &memory, align, is_packed)?,
            None => {
                layout.flush()?;
                layout.structure.align = layout.structure.align.max(align);
                let offset = layout.end.div_ceil(8).next_multiple_of(align);
                let end = offset.saturating_add(memory.size(module));
                layout.end = end.checked_mul(8).ok_or("an object of this size")?;
                layout.structure.size = layout.structure.size.max(end);
                if !member.padding {
                    let signed = member.ty.holds_signed();
                    let field = layout.field(member.name.clone(), memory, offset, signed);
                    let Declared { name, ty, .. } = member;
                    layout.members.push(Member { name, ty, field, bits: None, align });
                }
            }
        }
    }
    layout.flush()?;
    layout.structure.align = layout.structure.align.max(shape.align.unwrap_or(1));
    let size = layout.structure.size.checked_next_multiple_of(layout.structure.align);
    layout.structure.size = size.ok_or("an object of this size")?;
    layout.cut_into_bytes(module, shape.is_union)?;
    let Layout { structure, members, .. } = layout;
    Ok((structure, Record { members, is_union: shape.is_union }))
}

/// Whether objects of a type have a size.
pub(crate) fn is_complete(records: &[Option<Record>], ty: &CType) -> bool {
    match &ty.kind {
        Kind::Record(id) => records.get(id.index()).is_some_and(Option::is_some),
        Kind::Array(element, size) => size.is_some() && is_complete(records, element),
        Kind::Void | Kind::Function(_) => false,
        _ => true,
    }
}

struct Layout {
    structure: StructType,
    members: Vec<Member>,
    /// Bits used so far.
    end: u64,
    /// Bit-fields that have no field yet.
    run: Vec<Placed>,
    /// The fields that hold bit-fields.
    groups: Vec<Group>,
    section: u32,
}

/// A field that holds bit-fields.
struct Group {
    field: FieldIndex,
    window: Window,
    /// The bytes that the bit-fields have something in: the first, and the one after the last.
    used: (u64, u64),
    /// Whether it has to be a row of bytes, whatever stands beside it.
    in_bytes: bool,
    /// The bit-fields: their indices among the members, and their places in the record, in bits.
    members: Vec<(usize, u64)>,
}

impl Layout {
    fn field(&mut self, name: String, ty: Type, offset: u64, signed: bool) -> FieldIndex {
        let index = FieldIndex::new(self.structure.fields.len());
        self.structure.fields.push(Field { name, ty, offset, signed, bit_fields: Vec::new() });
        index
    }

    fn bit_field(
        &mut self,
        member: Declared,
        width: u16,
        memory: &Type,
        align: u64,
        is_packed: bool,
    ) -> Result<(), &'static str> {
        let Type::Int(unit) = memory else { return Err("a bit-field of this type") };
        if width > *unit {
            return Err("a bit-field that is wider than its type");
        }
        let unit = u64::from(*unit);
        if width == 0 {
            self.end = self.end.next_multiple_of(unit);
            self.section += 1;
            return Ok(());
        }
        let crosses = self.end / unit != (self.end + u64::from(width) - 1) / unit;
        if crosses && !is_packed || member.align.is_some() {
            self.end = self.end.next_multiple_of(align * 8);
        }
        let start = self.end;
        self.end += u64::from(width);
        self.structure.size = self.structure.size.max(self.end.div_ceil(8));
        if !member.name.is_empty() {
            self.structure.align = self.structure.align.max(align);
        }
        if !member.padding && !member.name.is_empty() {
            let section = self.section;
            self.run.push(Placed { member, start, width, section });
        }
        Ok(())
    }

    /// Makes fields of the pending bit-fields: those that share an integer share a field.
    fn flush(&mut self) -> Result<(), &'static str> {
        let mut windows: Vec<(Window, Vec<Placed>)> = Vec::new();
        for placed in std::mem::take(&mut self.run) {
            let (first, end) = placed.bytes();
            let mut window = Window::around(first, end - 1);
            let mut members = vec![placed];
            // A window that grows may reach the ones before it, but not into another section.
            while let Some((before, earlier)) = windows.last()
                && before.start + before.bytes > window.start
                && section(earlier) == section(&members)
            {
                let Some((before, mut earlier)) = windows.pop() else { break };
                let start = before.start.min(window.start);
                let end = (before.start + before.bytes).max(window.start + window.bytes);
                window = Window::around(start, end - 1);
                earlier.append(&mut members);
                members = earlier;
            }
            windows.push((window, members));
        }
        for (window, placed) in windows {
            let first = placed.iter().map(|placed| placed.bytes().0).min();
            let end = placed.iter().map(|placed| placed.bytes().1).max();
            let Some(used) = first.zip(end) else { continue };
            let unit = u16::try_from(window.bytes * 8).ok().filter(|unit| *unit <= 128);
            let name = format!("bits#{}", self.structure.fields.len());
            let field = self.field(name, Type::Int(unit.unwrap_or(8)), window.start, false);
            let mut members = Vec::new();
            let mut shown = Vec::new();
            for Placed { member, start, width, .. } in placed {
                members.push((self.members.len(), start));
                let offset = u16::try_from(start - window.start * 8);
                let offset = offset.map_err(|_| "this arrangement of bit-fields")?;
                let bits = Some(BitField { offset, width, unit: unit.unwrap_or(8), is_row: false });
                let Declared { name, ty, .. } = member;
                let signed = ty.is_signed();
                shown.push(goto::BitField { name: name.clone(), offset, width, signed });
                self.members.push(Member { name, ty, field, bits, align: 1 });
            }
            if let Some(field) = self.structure.fields.get_mut(field.index()) {
                field.bit_fields = shown;
            }
            self.groups.push(Group { field, window, used, in_bytes: unit.is_none(), members });
        }
        Ok(())
    }

    /// Bit-fields whose integer would reach over another member, another memory location or the
    /// end of the record lie in a row of bytes, which are those that GCC accesses.
    fn cut_into_bytes(&mut self, module: &Module, is_union: bool) -> Result<(), &'static str> {
        let held: FxHashSet<FieldIndex> = self.groups.iter().map(|group| group.field).collect();
        let taken: Vec<(FieldIndex, u64, u64)> = self
            .structure
            .fields
            .iter()
            .enumerate()
            .map(|(index, field)| (FieldIndex::new(index), field))
            .filter(|(index, _)| !held.contains(index))
            .map(|(index, f)| (index, f.offset, f.offset.saturating_add(f.ty.size(module))))
            .chain(self.groups.iter().map(|group| (group.field, group.used.0, group.used.1)))
            .filter(|(_, start, end)| start < end)
            .collect();
        for group in std::mem::take(&mut self.groups) {
            let (start, end) = (group.window.start, group.window.start + group.window.bytes);
            let meets = |(field, first, last): &(FieldIndex, u64, u64)| {
                *field != group.field && *first < end && start < *last
            };
            let collides = !is_union && taken.iter().any(meets);
            if !group.in_bytes && !collides && end <= self.structure.size {
                continue;
            }
            let (start, end) = group.used;
            let bytes = Type::Array(Box::new(Type::Int(8)), end - start);
            let mut field = self.structure.fields.get_mut(group.field.index());
            if let Some(field) = &mut field {
                field.offset = start;
                field.ty = bytes;
            }
            for (index, (member, place)) in group.members.into_iter().enumerate() {
                let offset = u16::try_from(place - start * 8);
                let offset = offset.map_err(|_| "this arrangement of bit-fields")?;
                if let Some(bits) = self.members.get_mut(member).and_then(|m| m.bits.as_mut()) {
                    *bits = BitField { offset, unit: 8, is_row: true, ..*bits };
                }
                let shown = field.as_mut().and_then(|field| field.bit_fields.get_mut(index));
                if let Some(shown) = shown {
                    shown.offset = offset;
                }
            }
        }
        Ok(())
    }
}

/// The section of bit-fields that share one.
fn section(placed: &[Placed]) -> Option<u32> {
    placed.first().map(|placed| placed.section)
}

impl Placed {
    /// The first byte that it has something in, and the one after the last.
    fn bytes(&self) -> (u64, u64) {
        (self.start / 8, (self.start + u64::from(self.width)).div_ceil(8))
    }
}

/// Bytes of a record that one integer holds.
#[derive(Clone, Copy, Debug)]
struct Window {
    start: u64,
    bytes: u64,
}

impl Window {
    /// The smallest integer, aligned to its size, that holds two bytes and those between.
    fn around(first: u64, last: u64) -> Self {
        let mut bytes = 1;
        while first / bytes != last / bytes && bytes < 32 {
            bytes *= 2;
        }
        Self { start: first / bytes * bytes, bytes }
    }
}

/// Alignment of a type in bytes.
pub(crate) fn alignment(module: &Module, ty: &Type) -> u64 {
    match ty {
        Type::Struct(id) => module.structs.get(id.index()).map_or(1, |s| s.align),
        Type::Array(element, _) => alignment(module, element),
        // With 32 bits, `long long` and `double` are aligned as two `int`s are.
        _ if module.target.pointer_bits == 32 => ty.size(module).clamp(1, 4),
        _ => ty.size(module).clamp(1, 16),
    }
}

/// The alignment that the type of an object asks for.
pub(crate) fn alignment_of(module: &Module, ty: &CType) -> Option<u64> {
    match &ty.kind {
        _ if ty.align.is_some() => ty.align,
        Kind::Void | Kind::Function(_) => Some(1),
        Kind::Array(element, _) => alignment_of(module, element),
        _ => {
            let memory = ty.in_memory().ok()?;
            let natural = alignment(module, &memory);
            // An atomic object is aligned as one access to it needs it.
            let size = memory.size(module);
            let whole = ty.atomic && size.is_power_of_two() && size <= WIDEST_ATOMIC;
            Some(if whole { natural.max(size) } else { natural })
        }
    }
}

/// Size in bytes of the widest atomic object that is aligned to its size.
const WIDEST_ATOMIC: u64 = 16;
