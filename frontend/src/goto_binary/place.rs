//! Objects that expressions of goto binaries name, and the values that are stored into objects.

use sapa_ir::goto::{Operand, Type};

use super::irep::Irep;
use super::read::Binary;
use super::types::constant_bits;
use crate::lower::body::{Body, Place, Value};
use crate::lower::program::Lowered;
use crate::lower::types::{CType, Kind};
use crate::position::Position;

/// Most elements that are stored one by one.
const MAX_ELEMENTS: u64 = 65_536;

impl Body<'_, '_> {
    /// The object that an expression names; a value that is none is put into one.
    pub(super) fn goto_place(
        &mut self,
        binary: &Binary,
        irep: Irep,
        position: Position,
    ) -> Lowered<Place> {
        self.nested(position, |body| body.goto_place_inner(binary, irep, position))
    }

    fn goto_place_inner(
        &mut self,
        binary: &Binary,
        irep: Irep,
        position: Position,
    ) -> Lowered<Place> {
        let ireps = &binary.ireps;
        let first = ireps.operand(irep, 0);
        match (ireps.id(irep), first) {
            ("symbol", _) => {
                let name = ireps.value(irep, "identifier");
                let entity = self.unit.goto_symbol(binary, name, position)?;
                self.place_of(&entity, name, position)
            }
            ("dereference", Some(pointer)) => {
                let value = self.goto_value(binary, pointer, position)?;
                let address = self.address(&value, position)?;
                let ty = self.goto_type_of(binary, irep);
                Ok(Place::new(address, ty))
            }
            ("index", Some(array)) => {
                let Some(index) = ireps.operand(irep, 1) else {
                    return self.unknown(binary, irep, position);
                };
                let array = self.goto_place(binary, array, position)?;
                let pointer = Value::Scalar(array.address, array.ty.decayed());
                let index = self.goto_value(binary, index, position)?;
                let sum = self.pointer_sum(pointer, index, false, position)?;
                self.pointed_to(sum, position)
            }
            ("member", Some(object)) => {
                let object = self.goto_place(binary, object, position)?;
                self.member_of(&object, ireps.value(irep, "component_name"), position)
            }
            ("string_constant", _) => {
                let ty = self.goto_type_of(binary, irep);
                let bytes = ireps.bytes(irep, "value").to_vec();
                let location = self.location;
                match self.unit.add_string(bytes.into_iter().map(u32::from), &ty, location) {
                    Ok(global) => Ok(Place::new(Operand::Global(global), ty)),
                    Err(what) => self.error(position, format!("{what} is not supported")),
                }
            }
            ("typecast", Some(inner)) if !self.goto_type_of(binary, irep).is_scalar() => {
                let place = self.goto_place(binary, inner, position)?;
                Ok(Place { ty: self.goto_type_of(binary, irep), ..place })
            }
            ("byte_extract_little_endian", Some(object)) => {
                let Some(offset) = ireps.operand(irep, 1) else {
                    return self.unknown(binary, irep, position);
                };
                let object = self.goto_place(binary, object, position)?;
                let bytes = Value::Scalar(object.address, CType::int(8, false, 1).pointer());
                let offset = self.goto_value(binary, offset, position)?;
                let sum = self.pointer_sum(bytes, offset, false, position)?;
                let (address, _) = self.scalar(sum, position)?;
                let ty = self.goto_type_of(binary, irep);
                Ok(Place::new(address, ty))
            }
            ("if", Some(condition)) => {
                let condition = self.goto_truth(binary, condition, position)?;
                let (Some(a), Some(b)) = (ireps.operand(irep, 1), ireps.operand(irep, 2)) else {
                    return self.unknown(binary, irep, position);
                };
                let address = self.choice(
                    condition,
                    Type::Pointer,
                    position,
                    |body| Ok(body.goto_place(binary, a, position)?.address),
                    |body| Ok(body.goto_place(binary, b, position)?.address),
                )?;
                let ty = self.goto_type_of(binary, irep);
                Ok(Place::new(address, ty))
            }
            ("struct" | "array" | "union" | "array_of" | "with" | "empty_union", _) => {
                let ty = self.goto_type_of(binary, irep);
                let place = self.temporary(&ty, position)?;
                self.goto_store(binary, &place, irep, position)?;
                Ok(place)
            }
            _ => {
                let value = self.goto_value(binary, irep, position)?;
                match value {
                    Value::Record(place) => Ok(place),
                    Value::Scalar(_, _) => {
                        let ty = self.goto_type_of(binary, irep);
                        let value = self.convert(value, &ty, position)?;
                        let place = self.temporary(&ty, position)?;
                        self.store(&place, value, position)?;
                        Ok(place)
                    }
                    Value::Void => self.unknown(binary, irep, position),
                }
            }
        }
    }

    /// Stores the value of an expression into an object.
    pub(super) fn goto_store(
        &mut self,
        binary: &Binary,
        place: &Place,
        irep: Irep,
        position: Position,
    ) -> Lowered<()> {
        let ireps = &binary.ireps;
        match ireps.id(irep) {
            "struct" if !place.ty.is_scalar() => {
                let values = self.unit.component_values(binary, irep);
                for (index, value) in (0..).zip(values) {
                    let is_kind = self.unit.is_mutex_kind(&place.ty, index);
                    if is_kind && constant_bits(binary, value) != Some(0) {
                        self.unit.mutexes.find_kind();
                    }
                    let member = self.element(place, index, position)?;
                    self.goto_store(binary, &member, value, position)?;
                }
                Ok(())
            }
            "array" if !place.ty.is_scalar() => {
                for (index, value) in (0..).zip(ireps.operands(irep)) {
                    let element = self.element(place, index, position)?;
                    self.goto_store(binary, &element, *value, position)?;
                }
                Ok(())
            }
            "union" => match ireps.operand(irep, 0) {
                Some(value) => {
                    let name = ireps.value(irep, "component_name");
                    let member = self.member_of(place, name, position)?;
                    self.goto_store(binary, &member, value, position)
                }
                None => self.unknown(binary, irep, position),
            },
            "empty_union" => self.zero(place, position),
            "array_of" => {
                let (Some(value), Kind::Array(_, Some(count))) =
                    (ireps.operand(irep, 0), place.ty.kind.clone())
                else {
                    return self.unknown(binary, irep, position);
                };
                if constant_bits(binary, value) == Some(0) {
                    return self.zero(place, position);
                }
                if count > MAX_ELEMENTS {
                    return self.error(position, "arrays of this size are not set at once");
                }
                for index in 0..count {
                    let element = self.element(place, index, position)?;
                    self.goto_store(binary, &element, value, position)?;
                }
                Ok(())
            }
            "string_constant" if matches!(place.ty.kind, Kind::Array(..)) => {
                let bytes = ireps.bytes(irep, "value").to_vec();
                let Kind::Array(_, Some(count)) = place.ty.kind else {
                    return self.unknown(binary, irep, position);
                };
                let bytes = bytes.into_iter().chain(std::iter::repeat(0));
                for (index, byte) in (0..count.min(MAX_ELEMENTS)).zip(bytes) {
                    let element = self.element(place, index, position)?;
                    let bits = self.bits(&element.ty);
                    let value = Operand::int(bits, u128::from(byte));
                    self.store(&element, Value::Scalar(value, element.ty.clone()), position)?;
                }
                Ok(())
            }
            "with" => {
                let operands = ireps.operands(irep);
                let Some((old, changes)) = operands.split_first() else {
                    return self.unknown(binary, irep, position);
                };
                self.goto_store(binary, place, *old, position)?;
                for change in changes.chunks(2) {
                    let [at, value] = change else {
                        return self.unknown(binary, irep, position);
                    };
                    let target = if ireps.id(*at) == "member_name" {
                        self.member_of(place, ireps.value(*at, "component_name"), position)?
                    } else {
                        let pointer = Value::Scalar(place.address, place.ty.decayed());
                        let index = self.goto_value(binary, *at, position)?;
                        let sum = self.pointer_sum(pointer, index, false, position)?;
                        self.pointed_to(sum, position)?
                    };
                    self.goto_store(binary, &target, *value, position)?;
                }
                Ok(())
            }
            _ if matches!(place.ty.kind, Kind::Array(..)) => {
                let source = self.goto_place(binary, irep, position)?;
                let value = Value::Record(Place { ty: place.ty.clone(), ..source });
                self.store(place, value, position)
            }
            _ => {
                let value = self.goto_value(binary, irep, position)?;
                let value = self.convert(value, &place.ty, position)?;
                self.store(place, value, position)
            }
        }
    }
}
