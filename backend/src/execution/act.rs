//! What the order of an execution is about: accesses to memory, and stores that wait.

use sapa_ir::goto::Location;

/// Something that a thread does, as far as others may see it or it begins to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// Who does it.
    pub thread: u32,
    /// What it is.
    pub kind: ActKind,
    /// Where it happens; for what reaches memory, where one of the stores to that object is.
    pub location: Location,
    /// The atomic section that it is in; each execution of a section has a number of its own.
    pub section: Option<usize>,
}

/// Kinds of [acts](Act).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActKind {
    /// A store begins to wait; to these bytes, if they are known.
    Waits(StoreId, Option<Bytes>),
    /// A store reaches memory that has waited.
    Reaches(StoreId, Bytes),
    /// Memory is read.
    Reads(Bytes),
    /// Memory is written by what does not wait.
    Writes(Bytes),
    /// A thread is started or joined, or an object is allocated.
    Begins,
    /// An object ends, or whole objects are copied or made arbitrary.
    Changes,
    /// The assertion fails.
    Fails,
}

/// One execution of a store that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoreId(pub usize);

/// Bytes of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Pointer to the first.
    pub pointer: u128,
    /// How many.
    pub size: u64,
}

impl Bytes {
    /// Whether both have a byte in common.
    #[must_use]
    pub fn overlap(self, other: Self) -> bool {
        let end = |bytes: Self| bytes.pointer.saturating_add(u128::from(bytes.size));
        self.pointer < end(other) && other.pointer < end(self)
    }
}
