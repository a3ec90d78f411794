//! Source positions and source variables.

use serde::{Deserialize, Serialize};

use super::entity::{FileId, NameId};
use super::types::Type;

/// Where an instruction comes from. Inlining keeps the location of the
/// original instruction, so `function` names the function of the source; what
/// is inlined of the model of a library function is where its call is.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Location {
    /// File; indexes [`Module::files`](super::Module::files).
    pub file: FileId,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Column in bytes, from 1; 0 when unknown.
    pub column: u32,
    /// Function in the source; indexes [`Module::names`](super::Module::names).
    pub function: NameId,
    /// The operation that the instruction is a part of, where it is more than the source's own
    /// access or computation there: a library function by its name (`pthread_barrier_wait`), an
    /// operation on a synchronisation object by its [mnemonic](super::SyncOp) (`mutex_lock`), or
    /// what a pass added. Reports then say what was done in place of how. Indexes
    /// [`Module::names`](super::Module::names).
    pub operation: Option<NameId>,
}

impl Location {
    /// Whether both are on one line of one file.
    #[must_use]
    pub fn is_same_line(self, other: Self) -> bool {
        (self.file, self.line) == (other.file, other.line)
    }

    /// Whether both are the same place of the text, whatever functions and operations they are in.
    #[must_use]
    pub fn is_same_place(self, other: Self) -> bool {
        self.is_same_line(other) && self.column == other.column
    }
}

/// A scalar local variable or parameter of the source. An SSA value that is
/// a version of it carries its id. Read imperatively, the variable holds the
/// value of the last executed definition that is tagged with it; that is what
/// it means in a predicate at any program point.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceVariable {
    /// Name, unique in the function: `v`; a second `v` of an inner scope is
    /// `v#2`; a variable of an inlined function `f` is `f::v`.
    pub name: String,
    /// A scalar type.
    pub ty: Type,
    /// Whether the source type is a signed integer (used to read predicates).
    pub signed: bool,
}
