//! Typed 32-bit indices into the dense tables of a module or a function.

use serde::{Deserialize, Serialize};

macro_rules! entity {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The entity with the given index.
            ///
            /// # Panics
            /// If `index` does not fit in 32 bits.
            #[must_use]
            pub fn new(index: usize) -> Self {
                match u32::try_from(index) {
                    Ok(index) => Self(index),
                    Err(_) => panic!("more than 2^32 entities of one kind"),
                }
            }

            /// The position in the table that this entity indexes.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

entity!(
    /// A function of a module; indexes [`Module::functions`](super::Module::functions).
    FunctionId, "fn"
);
entity!(
    /// A global object of a module; indexes [`Module::globals`](super::Module::globals).
    GlobalId, "g"
);
entity!(
    /// A structure or union type; indexes [`Module::structs`](super::Module::structs).
    StructId, "struct"
);
entity!(
    /// A source file name; indexes [`Module::files`](super::Module::files).
    FileId, "file"
);
entity!(
    /// A source function name; indexes [`Module::names`](super::Module::names).
    NameId, "name"
);
entity!(
    /// A basic block of a function; indexes [`Function::blocks`](super::Function::blocks).
    BlockId, "bb"
);
entity!(
    /// An SSA value of a function; indexes [`Function::values`](super::Function::values).
    ValueId, "%"
);
entity!(
    /// A stack object of a function; indexes [`Function::slots`](super::Function::slots).
    SlotId, "slot"
);
entity!(
    /// A source variable of a function; indexes [`Function::variables`](super::Function::variables).
    VariableId, "var"
);
entity!(
    /// A field of a structure; indexes [`StructType::fields`](super::StructType::fields).
    FieldIndex, "."
);
