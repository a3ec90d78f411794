//! Types of C for those of the IR, and casts to them.

use super::Writer;
use super::text::{PREFIX, Read, Text};
use crate::goto::entity::StructId;
use crate::goto::name;
use crate::goto::print::print_type;
use crate::goto::types::Type;

impl Writer<'_> {
    /// How the reader takes a variable or object of a type.
    pub(super) fn read(&self, ty: &Type, signed: bool) -> Read {
        match ty {
            Type::Int(bits) => {
                let signed = signed && *bits > 1;
                Read::Int { bits: *bits, signed, promotes: self.promotes(*bits) }
            }
            _ => Read::Pointer,
        }
    }

    /// Whether the type of C of this width is narrower than `int`.
    pub(super) fn promotes(&self, bits: u16) -> bool {
        let target = &self.module.target;
        bits < target.int_bits && (bits == 8 || bits == target.short_bits)
    }

    /// The type of C for an integer; for `exact`, one that C does not promote.
    pub(super) fn integer(&self, bits: u16, signed: bool, exact: bool) -> String {
        let target = &self.module.target;
        let word = match bits {
            _ if bits == target.int_bits => "int",
            _ if bits == target.long_bits => "long",
            _ if bits == target.long_long_bits => "long long",
            128 => "__int128",
            _ if exact => "",
            _ if bits == target.short_bits => "short",
            8 if signed == target.char_signed => return "char".to_owned(),
            8 if signed => return "signed char".to_owned(),
            8 => "char",
            _ => "",
        };
        let bit_int = || format!("_BitInt({bits})");
        match (word, signed) {
            ("", true) => bit_int(),
            ("", false) => format!("unsigned {}", bit_int()),
            ("int", false) => "unsigned".to_owned(),
            (word, true) => word.to_owned(),
            (word, false) => format!("unsigned {word}"),
        }
    }

    /// The type of C for a pointer to a type.
    pub(super) fn pointer_to(&self, ty: &Type, signed: bool) -> String {
        let (mut element, mut dimensions) = (ty, String::new());
        while let Type::Array(inner, count) = element {
            dimensions.push_str(&format!("[{count}]"));
            element = inner;
        }
        let element = match element {
            Type::Int(bits) => self.integer(*bits, signed && *bits > 1, false) + " ",
            Type::Struct(id) => self.structure(*id) + " ",
            _ => "void *".to_owned(),
        };
        if dimensions.is_empty() {
            format!("{element}*")
        } else {
            format!("{element}(*){dimensions}")
        }
    }

    pub(super) fn structure(&self, id: StructId) -> String {
        let structure = self.module.structs.get(id.index());
        match structure.map(|structure| structure.name.as_str()) {
            Some(name) if name::length(name.as_bytes()) == name.len() => format!("struct {name}"),
            _ => {
                let text = print_type(self.module, &Type::Struct(id));
                let text = text.strip_prefix("struct ").unwrap_or(&text);
                format!("struct {}", name::quoted(text))
            }
        }
    }

    pub(super) fn cast(&self, ty: &str, operand: Text) -> Text {
        let read = if ty.ends_with('*') { Read::Pointer } else { operand.read };
        Text::new(format!("({ty}){}", operand.within(PREFIX)), PREFIX, read)
    }

    /// A text as an integer type of C of the width that it has, or of another one.
    pub(super) fn as_integer(&self, operand: Text, bits: u16, signed: bool, exact: bool) -> Text {
        let ty = self.integer(bits, signed, exact);
        let read = Read::Int { bits, signed, promotes: !exact && self.promotes(bits) };
        Text { read, ..self.cast(&ty, operand) }
    }
}
