//! Elements of arrays and records by their index.

use sapa_ir::goto::{Op, Operand, Type};

use super::body::{Body, Place, Value};
use super::layout::BitField;
use super::program::{Lowered, Lowerer};
use super::types::{CType, Kind};
use crate::position::Position;

/// Most scalars that are set to zero one by one.
const MAX_ZEROS: u64 = 65_536;

impl Lowerer<'_> {
    /// The member of an aggregate at an index: its type.
    pub fn child(&self, ty: &CType, index: u64) -> Option<(CType, Option<BitField>)> {
        match &ty.kind {
            Kind::Array(element, count) => {
                count.is_none_or(|count| index < count).then(|| ((**element).clone(), None))
            }
            Kind::Record(id) => {
                let member = self.record(*id)?.members.get(usize::try_from(index).ok()?)?;
                Some((member.ty.clone(), member.bits))
            }
            _ => None,
        }
    }

    /// Whether the members of a type lie over each other.
    pub fn is_union(&self, ty: &CType) -> bool {
        matches!(ty.kind, Kind::Record(id) if self.record(id).is_some_and(|r| r.is_union))
    }
}

impl Body<'_, '_> {
    /// The element or member of an object at an index.
    pub fn element(&mut self, place: &Place, index: u64, position: Position) -> Lowered<Place> {
        let Some((ty, bits)) = self.unit.child(&place.ty, index) else {
            return self.error(position, "too many initialisers");
        };
        let base = place.address;
        let address = match place.ty.kind {
            Kind::Record(structure) => {
                let member = self
                    .unit
                    .record(structure)
                    .and_then(|r| r.members.get(usize::try_from(index).ok()?));
                let Some(field) = member.map(|member| member.field) else {
                    return self.error(position, "too many initialisers");
                };
                self.define(Op::FieldAddress { base, structure, field }, Type::Pointer)
            }
            _ => {
                let element = match ty.in_memory() {
                    Ok(element) => element,
                    Err(what) => {
                        return self.error(position, format!("{what} is not supported here"));
                    }
                };
                let index = Operand::int(self.pointer_bits(), u128::from(index));
                self.define(Op::IndexAddress { base, element, index }, Type::Pointer)
            }
        };
        Ok(Place { address, ty, bits })
    }

    /// Stores zero into every scalar of an object (of a union: of its largest member).
    pub fn zero(&mut self, place: &Place, position: Position) -> Lowered<()> {
        let mut left = MAX_ZEROS;
        self.zero_rest(place, &mut left, position)
    }

    fn zero_rest(&mut self, place: &Place, left: &mut u64, position: Position) -> Lowered<()> {
        if place.ty.is_scalar() {
            *left = left.saturating_sub(1);
            if *left == 0 {
                return self.error(
                    position,
                    format!(
                        "setting more than {MAX_ZEROS} objects to zero at once is not supported"
                    ),
                );
            }
            let value = match place.ty.kind {
                Kind::Pointer(_) => Operand::Null,
                _ => Operand::int(self.bits(&place.ty), 0),
            };
            return self.store(place, Value::Scalar(value, place.ty.clone()), position);
        }
        if self.unit.is_union(&place.ty) {
            let largest = (0..)
                .map_while(|index| self.unit.child(&place.ty, index).map(|(ty, _)| (index, ty)))
                .max_by_key(|(index, ty)| (self.unit.size_of(ty), u64::MAX - index));
            return match largest {
                Some((index, _)) => {
                    let member = self.element(place, index, position)?;
                    self.zero_rest(&member, left, position)
                }
                None => Ok(()),
            };
        }
        let mut index = 0;
        while self.unit.child(&place.ty, index).is_some() {
            let element = self.element(place, index, position)?;
            self.zero_rest(&element, left, position)?;
            index += 1;
        }
        Ok(())
    }
}
