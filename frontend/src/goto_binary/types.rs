//! Types of goto binaries as types of C.

use sapa_ir::goto::StructId;

use super::irep::Irep;
use super::read::Binary;
use super::symbols::Cached;
use crate::lower::layout::{Declared, Shape, layout};
use crate::lower::program::Lowerer;
use crate::lower::types::{CType, FloatFormat, FunctionType, Kind};

/// Largest type, in nodes: types are trees here and may share parts in the file.
const MAX_SIZE: u32 = 4096;

/// A type that is not supported.
fn unsupported(what: &'static str) -> CType {
    Kind::Unsupported(what).into()
}

impl Lowerer<'_> {
    /// The C type of an irep. What is not supported is a type of its own,
    /// which is an error only where an object of it is used.
    pub(super) fn goto_type(&mut self, binary: &Binary, irep: Irep) -> CType {
        self.sized_type(binary, irep, 0).0
    }

    /// A type and its size in nodes.
    fn sized_type(&mut self, binary: &Binary, irep: Irep, depth: u32) -> (CType, u32) {
        let unit = self.unit;
        match self.goto().types.get(&(unit, irep)) {
            Some(Cached::Known(ty, size)) => return (ty.clone(), *size),
            Some(Cached::Open) => return (unsupported("a type that contains itself"), 1),
            None => {}
        }
        if depth > 256 {
            return (unsupported("a type this deep"), 1);
        }
        self.goto().types.insert((unit, irep), Cached::Open);
        let (mut ty, size) = self.new_type(binary, irep, depth);
        ty.volatile |= binary.ireps.flag(irep, "#volatile");
        ty.constant |= binary.ireps.flag(irep, "#constant");
        ty.atomic |= binary.ireps.flag(irep, "#atomic");
        if size > MAX_SIZE {
            ty = unsupported("a type of this size");
        }
        self.goto().types.insert((unit, irep), Cached::Known(ty.clone(), size));
        (ty, size)
    }

    fn new_type(&mut self, binary: &Binary, irep: Irep, depth: u32) -> (CType, u32) {
        let ireps = &binary.ireps;
        let width = || ireps.number::<u16>(irep, "width").filter(|width| (1..=128).contains(width));
        let inner = |lowerer: &mut Self| match ireps.operand(irep, 0) {
            Some(inner) => lowerer.sized_type(binary, inner, depth + 1),
            None => (unsupported("a type without its element"), 1),
        };
        match ireps.id(irep) {
            "empty" => (Kind::Void.into(), 1),
            "bool" | "c_bool" => (Kind::Bool.into(), 1),
            id @ ("signedbv" | "unsignedbv") => match width() {
                Some(width) => {
                    (self.sized_integer(width, id == "signedbv", ireps.value(irep, "#c_type")), 1)
                }
                None => (unsupported("an integer type without a width"), 1),
            },
            // As a value; members are laid out by `goto_record`.
            "c_bit_field" => match (width(), inner(self).0.kind) {
                (Some(1), Kind::Bool) => (Kind::Bool.into(), 1),
                (Some(bits), Kind::Int { signed, .. }) => (CType::int(bits, signed, 0), 1),
                _ => (unsupported("a bit-field of this type"), 1),
            },
            "floatbv" => match (width(), ireps.number::<u16>(irep, "f")) {
                (Some(32), Some(23)) => (Kind::Float(FloatFormat::Single).into(), 1),
                (Some(64), Some(52)) => (Kind::Float(FloatFormat::Double).into(), 1),
                _ => (unsupported("a floating-point type other than float and double"), 1),
            },
            "pointer" => {
                let (inner, size) = inner(self);
                (inner.pointer(), size.saturating_add(1))
            }
            "array" => {
                let (inner, size) = inner(self);
                let count = match ireps.get(irep, "size") {
                    Some(count) if ireps.id(count) == "nil" => None,
                    Some(count) => match constant_bits(binary, count) {
                        Some(count) => u64::try_from(count).ok(),
                        None => None,
                    },
                    None => None,
                };
                (Kind::Array(Box::new(inner), count).into(), size.saturating_add(1))
            }
            "struct_tag" | "union_tag" => {
                (self.tagged_record(binary, ireps.value(irep, "identifier")), 1)
            }
            "c_enum_tag" => {
                let tag = ireps.value(irep, "identifier");
                match binary.symbol(tag).map(|symbol| symbol.ty) {
                    Some(ty) if ireps.id(ty) == "c_enum" => self.sized_type(binary, ty, depth + 1),
                    _ => (self.integers().unsigned_int(), 1),
                }
            }
            "c_enum" => inner(self),
            "struct" | "union" => {
                let id = self.add_record("anonymous");
                match self.goto_record(binary, id, irep) {
                    Ok(()) => (Kind::Record(id).into(), 1),
                    Err(what) => (unsupported(what), 1),
                }
            }
            "code" => self.function_type_of(binary, irep, depth),
            "vector" => (unsupported("a vector type"), 1),
            "complex" => (unsupported("a complex type"), 1),
            "integer" | "natural" | "rational" | "real" => {
                (unsupported("a mathematical number"), 1)
            }
            _ => (unsupported("a type that CBMC has and C has not"), 1),
        }
    }

    fn sized_integer(&self, width: u16, signed: bool, c_type: &str) -> CType {
        let target = self.module.target;
        let rank = match c_type {
            _ if c_type.contains("long_long") => 5,
            _ if c_type.contains("long") => 4,
            _ if c_type.contains("short") => 2,
            _ if c_type.contains("char") => 1,
            _ if width == target.int_bits => 3,
            _ if width > target.long_bits => 6,
            _ if width > target.int_bits => 4,
            _ => 1,
        };
        CType::int(width, signed, rank)
    }

    fn function_type_of(&mut self, binary: &Binary, irep: Irep, depth: u32) -> (CType, u32) {
        let ireps = &binary.ireps;
        let (result, mut size) = match ireps.get(irep, "return_type") {
            Some(result) => self.sized_type(binary, result, depth + 1),
            None => (Kind::Void.into(), 1),
        };
        let mut parameters = Vec::new();
        let mut open = false;
        if let Some(list) = ireps.get(irep, "parameters") {
            open = ireps.flag(list, "ellipsis");
            for parameter in ireps.operands(list) {
                if let Some(ty) = ireps.get(*parameter, "type") {
                    let (ty, more) = self.sized_type(binary, ty, depth + 1);
                    size = size.saturating_add(more);
                    parameters.push(ty.decayed());
                }
            }
        }
        open |= ireps.flag(irep, "#incomplete") || ireps.flag(irep, "#knr");
        let function = FunctionType { result, parameters, open };
        (Kind::Function(Box::new(function)).into(), size.saturating_add(1))
    }

    /// The record of a tag, laid out when it is first asked for.
    fn tagged_record(&mut self, binary: &Binary, tag: &str) -> CType {
        let key = (self.unit, tag.to_owned());
        if let Some(known) = self.goto().tags.get(&key) {
            return known.clone();
        }
        let name = tag.strip_prefix("tag-").unwrap_or(tag);
        let name = if name.starts_with('#') { "anonymous" } else { name };
        let id = self.add_record(name);
        let ty: CType = Kind::Record(id).into();
        // A record may point to itself.
        self.goto().tags.insert(key.clone(), ty.clone());
        let definition = binary.symbol(tag).map(|symbol| symbol.ty);
        match definition {
            Some(body) if matches!(binary.ireps.id(body), "struct" | "union") => {
                if let Err(what) = self.goto_record(binary, id, body) {
                    let refused = unsupported(what);
                    self.goto().tags.insert(key, refused.clone());
                    return refused;
                }
                ty
            }
            _ => ty,
        }
    }

    /// Lays out a record. Its padding is explicit in the binary.
    fn goto_record(
        &mut self,
        binary: &Binary,
        id: StructId,
        body: Irep,
    ) -> Result<(), &'static str> {
        let ireps = &binary.ireps;
        if ireps.flag(body, "incomplete") {
            return Ok(());
        }
        let mut declared = Vec::new();
        let components = ireps.get(body, "components").map_or(&[][..], |list| ireps.operands(list));
        for component in components {
            let Some(ty) = ireps.get(*component, "type") else { continue };
            let name = ireps.value(*component, "name");
            let is_padding = ireps.flag(*component, "#is_padding");
            let mut width = None;
            let mut declared_type = ty;
            if ireps.id(ty) == "c_bit_field" {
                width = Some(ireps.number(ty, "width").ok_or("a bit-field without a width")?);
                declared_type = ireps.operand(ty, 0).ok_or("a bit-field without a type")?;
            }
            let mut ty = self.goto_type(binary, declared_type);
            if let Kind::Array(_, size @ None) = &mut ty.kind {
                // A flexible array member has no elements.
                *size = Some(0);
            }
            let anonymous =
                ireps.flag(*component, "#anonymous") || ireps.flag(*component, "anonymous");
            declared.push(Declared {
                name: if anonymous || is_padding { String::new() } else { name.to_owned() },
                ty,
                width,
                align: None,
                is_packed: false,
                padding: is_padding,
            });
        }
        let is_union = ireps.id(body) == "union";
        let shape = Shape { is_union, is_packed: true, ..Shape::default() };
        let Some(name) = self.module.structs.get(id.index()).map(|s| s.name.clone()) else {
            return Ok(());
        };
        let (structure, record) = layout(&self.module, &self.records, name, declared, shape)?;
        self.module.structs[id.index()] = structure;
        self.records[id.index()] = Some(record);
        Ok(())
    }
}

/// The bits of a constant of an integer type, zero-extended; `None` for others.
pub(super) fn constant_bits(binary: &Binary, irep: Irep) -> Option<u128> {
    let ireps = &binary.ireps;
    match ireps.id(irep) {
        "constant" => u128::from_str_radix(ireps.value(irep, "value"), 16).ok(),
        "typecast" => constant_bits(binary, ireps.operand(irep, 0)?),
        _ => None,
    }
}
