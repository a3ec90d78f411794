//! CBMC goto binaries as an input language: what `goto-cc` 5.12 to 6.x writes.
//!
//! | file | holds |
//! | --- | --- |
//! | `container` | raw files, ELF and Mach-O objects, archives |
//! | `stream` | words, strings and ireps from bytes |
//! | `irep` | the trees that a binary is made of |
//! | `read` | symbols, functions, instructions |
//! | `list`, `write` | what is in a binary, for people; a binary as bytes again |
//! | `types`, `symbols` | types and objects for `lower/` |
//! | `initial`, `expression`, `instruction` | initial contents and code for `lower/` |
//!
//! The format is CBMC's `irep_serialization`: a tree of nodes (*ireps*), each
//! with an id, operands in order and operands by name, shared through one table.

mod container;
mod error;
mod expression;
mod initial;
mod instruction;
mod irep;
mod list;
mod read;
mod stream;
mod symbols;
mod types;
mod write;

pub use container::{Container, binaries, is_goto_binary};
pub use error::ReadError;
pub use irep::{Irep, Ireps, Text};
pub use list::list;
pub use read::{Binary, Function, Instruction, InstructionKind, Symbol, read, read_within};
pub use write::write;

pub(crate) use instruction::lower_function;
pub(crate) use symbols::{State, declare, definitions, entry_name, type_of_definition};
