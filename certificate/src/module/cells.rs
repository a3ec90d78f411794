//! Where an object holds pointers, by its type: what is known of how far a pointer leads behind the start
//! of an object is known of pointers that are written and read whole.

use sapa_ir::goto::{Module, Type};

use super::pointers::Distances;

/// Pointers in an object, and places in it, that are looked at. Of larger ones nothing is known.
const MOST: u64 = 1 << 14;

/// The pointers in an object of a type.
pub(super) struct Cells {
    /// Distances of the pointers from its start, ascending.
    starts: Vec<u64>,
    pointer_size: u64,
    size: u64,
}

impl Cells {
    /// `None` if there are too many.
    pub(super) fn new(module: &Module, ty: &Type) -> Option<Self> {
        let mut starts = Vec::new();
        collect(module, ty, 0, &mut starts)?;
        starts.sort_unstable();
        starts.dedup();
        let pointer_size = Type::Pointer.size(module);
        Some(Self { starts, pointer_size, size: ty.size(module) })
    }

    /// Whether a store of a type so far behind the start of the object writes no pointer but a whole one, by
    /// a pointer.
    pub(super) fn are_kept(&self, module: &Module, distances: Distances, ty: &Type) -> bool {
        let size = ty.size(module);
        self.starts.iter().all(|&start| {
            let first = (start + 1).saturating_sub(size);
            (first..start + self.pointer_size)
                .all(|at| !distances.contains(at) || (at == start && *ty == Type::Pointer))
        })
    }

    /// Whether a load of a type so far behind the start of the object reads a whole pointer.
    pub(super) fn are_read(&self, distances: Distances, ty: &Type) -> bool {
        let last = self.size.saturating_sub(self.pointer_size);
        *ty == Type::Pointer
            && last <= MOST
            && (0..=last)
                .all(|at| !distances.contains(at) || self.starts.binary_search(&at).is_ok())
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }
}

fn collect(module: &Module, ty: &Type, at: u64, starts: &mut Vec<u64>) -> Option<()> {
    match ty {
        Type::Int(_) => {}
        Type::Pointer => starts.push(at),
        Type::Struct(id) => {
            for field in &module.structs.get(id.index())?.fields {
                collect(module, &field.ty, at.checked_add(field.offset)?, starts)?;
            }
        }
        Type::Array(element, count) => {
            let size = element.size(module);
            let before = starts.len();
            for index in 0..*count {
                collect(module, element, at.checked_add(index.checked_mul(size)?)?, starts)?;
                // The others have none either.
                if starts.len() == before {
                    break;
                }
            }
        }
    }
    (starts.len() as u64 <= MOST).then_some(())
}
