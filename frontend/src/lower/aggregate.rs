//! Elements of arrays and records by their index.

use sapa_ir::goto::{FieldIndex, Initializer, MemoryModel, MemoryOrder, Op, Operand, Type};

use super::body::{Body, Place, Value};
use super::layout::BitField;
use super::program::{Lowered, Lowerer};
use super::types::{CType, Kind};
use crate::position::Position;

/// Most scalars that are copied one by one.
const MAX_COPIES: u64 = 256;

/// Most scalars that are set to zero one by one.
const MAX_ZEROS: u64 = 1024;

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

    /// Copies an object to another of the same type, scalar by scalar: other
    /// threads may act between any two of them. A union, whose members cannot
    /// all be copied, and an object of very many scalars are copied at once,
    /// which is noted.
    pub fn copy(&mut self, target: &Place, source: &Place, position: Position) -> Lowered<()> {
        self.copy_ordered(target, source, [MemoryOrder::Plain; 2], position)
    }

    /// The same with the orders of the accesses to the target and to the source.
    pub fn copy_ordered(
        &mut self,
        target: &Place,
        source: &Place,
        orders: [MemoryOrder; 2],
        position: Position,
    ) -> Lowered<()> {
        let ty = match target.ty.in_memory() {
            Ok(ty) => ty,
            Err(what) => return self.error(position, format!("{what} is not supported here")),
        };
        if self.scalars(&ty) <= MAX_COPIES && !self.has_union(&ty) {
            self.copy_scalars(&ty, target.address, source.address, orders);
            return Ok(());
        }
        self.unit.note("assuming that copies of unions and large objects are not interrupted");
        // The copy is one operation, which has no order.
        if orders.into_iter().any(MemoryOrder::is_weak) {
            self.unit.note(MemoryModel::STRONGER_ORDERS);
        }
        let (destination, source) = (target.address, source.address);
        self.effect(Op::CopyMemory { destination, source, ty });
        Ok(())
    }

    fn has_union(&self, ty: &Type) -> bool {
        match ty {
            Type::Int(_) | Type::Pointer => false,
            Type::Array(element, _) => self.has_union(element),
            Type::Struct(id) => {
                let fields =
                    self.unit.module.structs.get(id.index()).map_or(&[][..], |s| &s.fields);
                self.unit.record(*id).is_none_or(|record| record.is_union)
                    || fields.iter().any(|field| self.has_union(&field.ty))
            }
        }
    }

    /// How many scalars and bytes of padding an object has; those of a union all count.
    fn scalars(&self, ty: &Type) -> u64 {
        match ty {
            Type::Int(_) | Type::Pointer => 1,
            Type::Array(element, count) => self.scalars(element).saturating_mul(*count),
            Type::Struct(id) => {
                let fields =
                    self.unit.module.structs.get(id.index()).map_or(&[][..], |s| &s.fields);
                let size = |ty: &Type| ty.size(&self.unit.module);
                let padding = fields
                    .iter()
                    .fold(size(ty), |left, field| left.saturating_sub(size(&field.ty)));
                fields.iter().fold(padding, |sum, f| sum.saturating_add(self.scalars(&f.ty)))
            }
        }
    }

    /// Copies the scalars of an object, padding included as GCC's code does. Bit-fields are copied
    /// with the integer that holds them.
    fn copy_scalars(
        &mut self,
        ty: &Type,
        target: Operand,
        source: Operand,
        [stored, loaded]: [MemoryOrder; 2],
    ) {
        self.each_scalar(ty, [target, source], &mut |body, ty, [target, source]| {
            let Some(ty) = ty else {
                // Not read: what it holds may be undetermined.
                let ty = Type::Int(8);
                return body.effect(Op::CopyMemory { destination: target, source, ty });
            };
            let load = Op::Load { address: source, order: loaded, volatile: false };
            let (value, ty) = (body.define(load, ty.clone()), ty.clone());
            body.effect(Op::Store { address: target, value, ty, order: stored, volatile: false });
        });
    }

    /// Stores zero into all bytes of an object, as `memset` does, scalar by scalar. An object of
    /// very many scalars is cleared at once, which is noted.
    pub fn clear(&mut self, place: &Place, position: Position) -> Lowered<()> {
        let ty = match place.ty.in_memory() {
            Ok(ty) => ty,
            Err(what) => return self.error(position, format!("{what} is not supported here")),
        };
        if self.scalars(&ty) > MAX_ZEROS {
            self.unit.note("assuming that copies of unions and large objects are not interrupted");
            return self.zero(place, position);
        }
        self.each_scalar(&ty, [place.address], &mut |body, ty, [address]| {
            let (order, volatile) = (MemoryOrder::Plain, false);
            let ty = ty.cloned().unwrap_or(Type::Int(8));
            let value = match ty {
                Type::Int(bits) => Operand::int(bits, 0),
                _ => Operand::Null,
            };
            body.effect(Op::Store { address, value, ty, order, volatile });
        });
        Ok(())
    }

    /// Stores any values into an object: pointers that may be valid, unlike those in an object
    /// that was never written.
    pub fn make_any(&mut self, place: &Place, memory: Type, position: Position) -> Lowered<()> {
        if self.scalars(&memory) > MAX_ZEROS {
            return self.error(position, "any value of so large a structure is not supported");
        }
        self.effect(Op::HavocMemory { address: place.address, ty: memory.clone() });
        self.each_scalar(&memory, [place.address], &mut |body, ty, [address]| {
            // Padding of a union's largest member may be part of another.
            let ty = ty.cloned().unwrap_or(Type::Int(8));
            let (order, volatile) = (MemoryOrder::Plain, false);
            let value = body.nondet(ty.clone());
            body.effect(Op::Store { address, value, ty, order, volatile });
        });
        Ok(())
    }

    /// Calls `visit` for the scalars and, without a type, the bytes of padding of objects of one
    /// type at some addresses; of a union, for those of its largest member.
    fn each_scalar<const N: usize>(
        &mut self,
        ty: &Type,
        bases: [Operand; N],
        visit: &mut impl FnMut(&mut Self, Option<&Type>, [Operand; N]),
    ) {
        match ty {
            Type::Int(_) | Type::Pointer => visit(self, Some(ty), bases),
            Type::Array(element, count) => {
                for index in 0..*count {
                    let at = bases.map(|base| self.element_address(base, element, index));
                    self.each_scalar(element, at, visit);
                }
            }
            Type::Struct(structure) => {
                let Some(found) = self.unit.module.structs.get(structure.index()) else { return };
                let mut fields: Vec<_> = found.fields.iter().cloned().enumerate().collect();
                let size = found.size;
                if self.unit.record(*structure).is_some_and(|record| record.is_union) {
                    let module = &self.unit.module;
                    fields.sort_by_key(|(_, field)| std::cmp::Reverse(field.ty.size(module)));
                    fields.truncate(1);
                }
                let mut padding: Vec<u64> = (0..size).collect();
                for (index, field) in fields {
                    let end = field.offset + field.ty.size(&self.unit.module);
                    padding.retain(|byte| !(field.offset..end).contains(byte));
                    let (structure, field_index) = (*structure, FieldIndex::new(index));
                    let at = bases.map(|base| {
                        let op = Op::FieldAddress { base, structure, field: field_index };
                        self.define(op, Type::Pointer)
                    });
                    self.each_scalar(&field.ty, at, visit);
                }
                for byte in padding {
                    let at = bases.map(|base| self.element_address(base, &Type::Int(8), byte));
                    visit(self, None, at);
                }
            }
        }
    }

    fn element_address(&mut self, base: Operand, element: &Type, index: u64) -> Operand {
        let index = Operand::int(self.pointer_bits(), u128::from(index));
        let element = element.clone();
        self.define(Op::IndexAddress { base, element, index }, Type::Pointer)
    }

    /// Stores zero into every scalar of an object (of a union: of its largest member).
    /// An object of many scalars is copied from one that is zero.
    pub fn zero(&mut self, place: &Place, position: Position) -> Lowered<()> {
        let ty = match place.ty.in_memory() {
            Ok(ty) => ty,
            Err(what) => return self.error(position, format!("{what} is not supported here")),
        };
        if self.scalars(&ty) > MAX_ZEROS {
            let zero = self.unit.add_global("zero#", &place.ty, Initializer::Zero, self.location);
            let zero = match zero {
                Ok(zero) => zero,
                Err(what) => return self.error(position, format!("{what} is not supported here")),
            };
            if let Some(global) = self.unit.module.globals.get_mut(zero.index()) {
                global.constant = true;
            }
            let (destination, source) = (place.address, Operand::Global(zero));
            self.effect(Op::CopyMemory { destination, source, ty });
            return Ok(());
        }
        self.zero_scalars(place, position)
    }

    fn zero_scalars(&mut self, place: &Place, position: Position) -> Lowered<()> {
        if place.ty.is_scalar() {
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
                    self.zero_scalars(&member, position)
                }
                None => Ok(()),
            };
        }
        let mut index = 0;
        while self.unit.child(&place.ty, index).is_some() {
            let element = self.element(place, index, position)?;
            self.zero_scalars(&element, position)?;
            index += 1;
        }
        Ok(())
    }
}
