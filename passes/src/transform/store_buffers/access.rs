//! Whether two accesses of a thread touch the same bytes.

pub(super) use crate::analysis::access::Access;

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
    /// What it has in common with another one.
    pub(super) fn overlap(&self, other: &Self) -> Overlap {
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
                if a.may_meet(self.size, *b, other.size) {
                    let any = a.object.is_any() || b.object.is_any();
                    let part = any || a.offsets.may_straddle(self.size, b.offsets, other.size);
                    let before = found == Overlap::May { part: true };
                    found = Overlap::May { part: part || before };
                }
            }
        }
        found
    }
}
