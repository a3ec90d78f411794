//! Typed 32-bit indices into the dense tables of a module or a function; they are displayed as the
//! text form writes what has no name of its own (`%3`, `bb2`, `@#1`).

use serde::{Deserialize, Serialize};

use super::module::Module;
use super::source::Location;

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

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

entity!(
    /// A function of a module; indexes [`Module::functions`](super::Module::functions).
    FunctionId, "@#"
);
entity!(
    /// A global object of a module; indexes [`Module::globals`](super::Module::globals).
    GlobalId, "$#"
);
entity!(
    /// A structure or union type; indexes [`Module::structs`](super::Module::structs).
    StructId, "struct #"
);
entity!(
    /// A source file name; indexes [`Module::files`](super::Module::files).
    FileId, "#"
);
entity!(
    /// A source function name; indexes [`Module::names`](super::Module::names).
    NameId, "#"
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
    SlotId, "&#"
);
entity!(
    /// A source variable of a function; indexes [`Function::variables`](super::Function::variables).
    VariableId, "!#"
);
entity!(
    /// A field of a structure; indexes [`StructType::fields`](super::StructType::fields).
    FieldIndex, "#"
);

/// What in a module a message is about. It need not exist: messages are about broken modules too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Entity {
    /// All of it.
    #[default]
    Module,
    /// The description of the machine.
    Target,
    /// A structure.
    Struct(StructId),
    /// A field of a structure.
    Field(StructId, FieldIndex),
    /// A global.
    Global(GlobalId),
    /// Which function is the entry.
    Entry,
    /// A function as a whole, or its head.
    Function(FunctionId),
    /// A source variable of a function.
    Variable(FunctionId, VariableId),
    /// A stack object of a function.
    Slot(FunctionId, SlotId),
    /// A value of a function, where it is defined first.
    Value(FunctionId, ValueId),
    /// The head of a block.
    Block(FunctionId, BlockId),
    /// An instruction, by its position in its block.
    Instruction(FunctionId, BlockId, usize),
    /// The end of a block.
    Terminator(FunctionId, BlockId),
    /// A predicate of the vocabulary, by its position.
    Predicate(usize),
    /// A cube of the vocabulary, by its position.
    Cube(usize),
    /// An invariant, by its position among those of the module.
    Invariant(usize),
}

impl Entity {
    /// The function that it is, or is a part of.
    #[must_use]
    pub fn function(self) -> Option<FunctionId> {
        match self {
            Self::Function(function)
            | Self::Variable(function, _)
            | Self::Slot(function, _)
            | Self::Value(function, _)
            | Self::Block(function, _)
            | Self::Instruction(function, ..)
            | Self::Terminator(function, _) => Some(function),
            Self::Module
            | Self::Target
            | Self::Struct(_)
            | Self::Field(..)
            | Self::Global(_)
            | Self::Entry
            | Self::Predicate(_)
            | Self::Cube(_)
            | Self::Invariant(_) => None,
        }
    }
}

impl Module {
    /// Where in the source an entity comes from: for what has no place of its own, that of the function
    /// it is in, and the default for what the module says no place of.
    #[must_use]
    pub fn location(&self, entity: Entity) -> Location {
        let function = entity.function().and_then(|id| self.functions.get(id.index()));
        let found = match entity {
            Entity::Global(id) => self.globals.get(id.index()).map(|global| global.location),
            Entity::Instruction(_, block, index) => function
                .and_then(|function| function.blocks.get(block.index()))
                .and_then(|block| block.instructions.get(index))
                .map(|instruction| instruction.location),
            Entity::Terminator(_, block) => function
                .and_then(|function| function.blocks.get(block.index()))
                .map(|block| block.terminator.location),
            _ => None,
        };
        found.or(function.map(|function| function.location)).unwrap_or_default()
    }
}
