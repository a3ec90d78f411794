//! Which bytes an access touches, and whether two accesses touch the same.

use std::collections::BTreeSet;

use sapa_ir::goto::{GlobalId, Module};

use crate::analysis::points_to::{Object, Place};

/// An access as points-to analysis sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// Where it may begin.
    pub places: BTreeSet<Place>,
    /// How many bytes it touches.
    pub size: u64,
}

/// What two accesses of a thread have in common. The first is that of a store which waits; where the
/// second is a load, it reads the store if that has all of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlap {
    /// No byte.
    None,
    /// All bytes of the second, which begin so many bytes behind the start of the first.
    All { behind: u64 },
    /// Some bytes of the second, but not all.
    Part,
    /// It depends on addresses; `part`: also whether they have other bytes than these in common.
    May { part: bool },
}

impl Access {
    /// The global, and the offset in it, if there is only one place.
    pub fn fixed(&self) -> Option<(GlobalId, u64)> {
        let mut places = self.places.iter();
        match (places.next(), places.next()) {
            (Some(Place { object: Object::Global(id), offsets }), None) => {
                offsets.single().map(|offset| (*id, offset))
            }
            _ => None,
        }
    }

    pub fn overlap(&self, other: &Self) -> Overlap {
        if let (Some((a, at)), Some((b, other_at))) = (self.fixed(), other.fixed()) {
            return if a != b || at + self.size <= other_at || other_at + other.size <= at {
                Overlap::None
            } else if at <= other_at && other_at + other.size <= at + self.size {
                Overlap::All { behind: other_at - at }
            } else {
                Overlap::Part
            };
        }
        let mut found = Overlap::None;
        for a in &self.places {
            for b in &other.places {
                let any = a.object.is_any() || b.object.is_any();
                if any
                    || a.object == b.object
                        && a.offsets.may_overlap(self.size, b.offsets, other.size)
                {
                    let part = any || a.offsets.may_straddle(self.size, b.offsets, other.size);
                    let before = found == Overlap::May { part: true };
                    found = Overlap::May { part: part || before };
                }
            }
        }
        found
    }

    /// Whether the access may touch an object that `is` holds of, or one that is not known.
    pub fn may_touch(&self, is: impl Fn(Object) -> bool) -> bool {
        self.places.iter().any(|place| place.object.is_any() || is(place.object))
    }

    /// What the access is of, in the words of the source, if it is fixed.
    pub fn name(&self, module: &Module) -> Option<String> {
        let (id, _) = self.fixed()?;
        let global = module.globals.get(id.index())?;
        self.places.first().map(|place| place.text(module, &global.name))
    }
}
