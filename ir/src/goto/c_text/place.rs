//! Objects in memory: variables, members, elements, and what pointers point to.

use super::Writer;
use super::constant::{literal, number};
use super::text::{POSTFIX, PREFIX, Text};
use crate::goto::entity::{FieldIndex, StructId};
use crate::goto::instruction::CastOp;
use crate::goto::name;
use crate::goto::predicate::Expression;
use crate::goto::types::Type;

impl Writer<'_> {
    /// A scalar in memory.
    pub(super) fn load(&self, ty: &Type, address: &Expression, wanted: Option<bool>) -> Text {
        let place = matches!(
            address,
            Expression::Global(_)
                | Expression::Slot { .. }
                | Expression::FieldAddress { .. }
                | Expression::IndexAddress { .. }
        )
        .then(|| self.place(address));
        if let Some((text, of, signed)) = place
            && of == *ty
        {
            return Text::new(text, POSTFIX, self.read(ty, signed));
        }
        let signed = wanted.unwrap_or(true);
        let pointer = self.pointer_to(ty, signed);
        let pointer = self.cast(&pointer, self.value(address, None));
        Text::new(format!("*{}", pointer.text), PREFIX, self.read(ty, signed))
    }

    /// The object at an address that is computed from an object's name or a pointer, its type, and
    /// whether it holds signed integers.
    pub(super) fn place(&self, address: &Expression) -> (String, Type, bool) {
        let is_place = |base: &Expression| {
            !matches!(
                base,
                Expression::Load { .. }
                    | Expression::Variable { .. }
                    | Expression::Value { .. }
                    | Expression::Null
                    | Expression::Function(_)
                    | Expression::Cast { .. }
                    | Expression::Select { .. }
            )
        };
        match address {
            Expression::FieldAddress { base, structure, field } => {
                let place = is_place(base).then(|| self.place(base));
                let text = match place {
                    Some((text, Type::Struct(id), _)) if id == *structure => format!("{text}."),
                    _ => {
                        let pointer = format!("{} *", self.structure(*structure));
                        format!("({})->", self.cast(&pointer, self.value(base, None)).text)
                    }
                };
                let (name, ty, signed) = self.member(*structure, *field);
                (text + &name, ty, signed)
            }
            Expression::IndexAddress { base, element, index } => {
                let place = is_place(base).then(|| self.place(base));
                let (text, signed) = match place {
                    Some((text, Type::Array(inner, _), signed)) if *inner == *element => {
                        (text, signed)
                    }
                    _ => {
                        let pointer = self.pointer_to(element, true);
                        (format!("({})", self.cast(&pointer, self.value(base, None)).text), true)
                    }
                };
                (format!("{text}[{}]", self.index(index)), element.clone(), signed)
            }
            _ => {
                let (ty, signed) =
                    name::declared(self.module, address).unwrap_or((Type::Pointer, false));
                (name::of(self.module, address), ty, signed)
            }
        }
    }

    /// A number of elements: what the reader widens is written as it was.
    pub(super) fn index(&self, index: &Expression) -> String {
        if let Some((bits, value)) = literal(index) {
            return number(bits, value, true);
        }
        if let Expression::Cast { op: op @ (CastOp::SignExtend | CastOp::ZeroExtend), a, .. } =
            index
            && literal(a).is_none()
        {
            let text = self.value(a, None);
            if text.read.signed() == (*op == CastOp::SignExtend) {
                return text.text;
            }
        }
        self.value(index, None).text
    }

    /// Name and type of a member, and whether it holds signed integers.
    pub(super) fn member(&self, structure: StructId, field: FieldIndex) -> (String, Type, bool) {
        let fields =
            self.module.structs.get(structure.index()).map_or(&[][..], |s| s.fields.as_slice());
        let Some(found) = fields.get(field.index()) else {
            return (name::quoted("?"), Type::Pointer, false);
        };
        let is_first =
            fields.iter().position(|other| other.name == found.name) == Some(field.index());
        let is_plain =
            !found.name.is_empty() && name::length(found.name.as_bytes()) == found.name.len();
        let name = if is_first && is_plain {
            found.name.clone()
        } else {
            name::quoted(&format!("#{}", field.0))
        };
        (name, found.ty.clone(), found.signed)
    }
}
