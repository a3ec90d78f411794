//! Types, structures and initialisers: laws 2 and 3.

use super::{MAX_NESTING, Verifier};
use crate::goto::entity::{Entity, FieldIndex, StructId};
use crate::goto::module::Initializer;
use crate::goto::types::Type;

impl Verifier<'_> {
    pub(super) fn structures(&mut self) {
        let module = self.module;
        let before = self.count;
        let fields = module.structs.iter().enumerate().flat_map(|(id, structure)| {
            let id = StructId::new(id);
            let fields = structure.fields.iter().enumerate();
            fields
                .map(move |(at, field)| (structure, field, Entity::Field(id, FieldIndex::new(at))))
        });
        for (_, field, entity) in fields.clone() {
            self.object_type(&field.ty, entity);
        }
        if self.count > before || self.cyclic() {
            return;
        }
        for (structure, field, entity) in fields {
            let end = field.offset.checked_add(field.ty.size(module));
            let fits = end.is_some_and(|end| end <= structure.size);
            self.require(fits, entity, || {
                format!(
                    "field `{}` is not within the {} bytes of structure `{}`",
                    field.name, structure.size, structure.name
                )
            });
            let bits = field.ty.size(module).saturating_mul(8);
            for part in &field.bit_fields {
                let fits = part.width > 0 && u64::from(part.offset) + u64::from(part.width) <= bits;
                self.require(fits, entity, || {
                    format!("bit-field `{}` is not within field `{}`", part.name, field.name)
                });
            }
        }
    }

    /// Whether a structure contains itself; reports it.
    fn cyclic(&mut self) -> bool {
        // Structures are finished once all that they contain are.
        let structs = &self.module.structs;
        let mut finished = vec![false; structs.len()];
        loop {
            let mut progress = false;
            for (index, structure) in structs.iter().enumerate() {
                let ready = structure.fields.iter().all(|field| {
                    innermost(&field.ty)
                        .is_none_or(|inner| finished.get(inner.index()) == Some(&true))
                });
                if ready && !finished[index] {
                    finished[index] = true;
                    progress = true;
                }
            }
            if !progress {
                break;
            }
        }
        let cycle = finished.iter().position(|finished| !finished);
        if let Some((index, structure)) = cycle.and_then(|at| Some((at, structs.get(at)?))) {
            let message = format!("structure `{}` contains itself", structure.name);
            self.error(Entity::Struct(StructId::new(index)), message);
        }
        cycle.is_some()
    }

    /// A type that an object in memory may have; whether it is sound.
    pub(super) fn object_type(&mut self, ty: &Type, entity: Entity) -> bool {
        let mut inner = ty;
        let mut depth = 0;
        while let Type::Array(element, _) = inner {
            inner = element;
            depth += 1;
        }
        let sound = match inner {
            Type::Int(bits) => (1..=128).contains(bits),
            Type::Struct(id) => id.index() < self.module.structs.len(),
            Type::Pointer | Type::Array(..) => true,
        };
        let count = self.module.structs.len();
        self.require(sound, entity, || match inner {
            Type::Int(bits) => format!("integers have 1 to 128 bits, not {bits}"),
            _ => format!("there is no {inner}: the module has {count} structures"),
        });
        self.require(depth <= MAX_NESTING, entity, || {
            format!("a type nests more than {MAX_NESTING} levels deep")
        });
        sound && depth <= MAX_NESTING
    }

    pub(super) fn scalar_type(&mut self, ty: &Type, entity: Entity) {
        if self.object_type(ty, entity) && !ty.is_scalar() {
            let name = self.named(ty);
            self.error(
                entity,
                format!("{name} is no scalar type; values are integers and pointers"),
            );
        }
    }

    pub(super) fn initializer(&mut self, initializer: &Initializer, ty: &Type, entity: Entity) {
        if !initializer.fits(self.module, ty) {
            self.error(entity, format!("the initial value does not fit type {}", self.named(ty)));
        }
    }
}

/// Whether `value` has no bits above `bits`.
pub(super) fn fits(value: u128, bits: u16) -> bool {
    bits >= 128 || value >> bits == 0
}

/// The structure that an object of a type consists of, if any.
fn innermost(ty: &Type) -> Option<StructId> {
    match ty {
        Type::Array(element, _) => innermost(element),
        Type::Struct(id) => Some(*id),
        Type::Int(_) | Type::Pointer => None,
    }
}
