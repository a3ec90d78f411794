//! Types, structures and initialisers: laws 2 and 3.

use super::{MAX_NESTING, Verifier};
use crate::goto::entity::StructId;
use crate::goto::module::Initializer;
use crate::goto::source::Location;
use crate::goto::types::Type;

impl Verifier<'_> {
    pub(super) fn structures(&mut self) {
        let module = self.module;
        let nowhere = Location::default();
        let before = self.count;
        for structure in &module.structs {
            for field in &structure.fields {
                self.object_type(&field.ty, nowhere);
            }
        }
        if self.count > before || self.cyclic() {
            return;
        }
        for structure in &module.structs {
            for field in &structure.fields {
                let end = field.offset.checked_add(field.ty.size(module));
                let fits = end.is_some_and(|end| end <= structure.size);
                self.require(fits, nowhere, || {
                    format!("field '{}' is not within structure '{}'", field.name, structure.name)
                });
                let bits = field.ty.size(module).saturating_mul(8);
                for part in &field.bit_fields {
                    let fits =
                        part.width > 0 && u64::from(part.offset) + u64::from(part.width) <= bits;
                    self.require(fits, nowhere, || {
                        format!("bit-field '{}' is not within field '{}'", part.name, field.name)
                    });
                }
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
        if let Some(name) = cycle.and_then(|index| structs.get(index)).map(|s| s.name.clone()) {
            self.error(Location::default(), format!("structure '{name}' contains itself"));
        }
        cycle.is_some()
    }

    /// A type that an object in memory may have; whether it is sound.
    pub(super) fn object_type(&mut self, ty: &Type, location: Location) -> bool {
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
        self.require(sound, location, || match inner {
            Type::Int(bits) => format!("integers have 1 to 128 bits, not {bits}"),
            _ => format!("there is no structure {inner:?}"),
        });
        self.require(depth <= MAX_NESTING, location, || {
            format!("a type nests more than {MAX_NESTING} levels deep")
        });
        sound && depth <= MAX_NESTING
    }

    pub(super) fn scalar_type(&mut self, ty: &Type, location: Location) {
        if self.object_type(ty, location) {
            self.require(ty.is_scalar(), location, || {
                format!("a value of type {ty:?}: values have scalar types")
            });
        }
    }

    pub(super) fn initializer(&mut self, initializer: &Initializer, ty: &Type, location: Location) {
        let fits = initializer.fits(self.module, ty);
        self.require(fits, location, || format!("an initialiser does not fit type {ty:?}"));
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
