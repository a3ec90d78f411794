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
//! | `initial`, `place`, `expression`, `instruction` | initial contents, objects, values and code for `lower/` |
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
mod place;
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

use std::rc::Rc;

use sapa_ir::goto::FunctionId;

use crate::lower::link::{Found, Input};
use crate::lower::program::{Lowerer, Part, Scope, Unit};
use crate::lower::types::FunctionType;
use crate::position::Files;

impl Input for Binary {
    fn definitions(&self) -> Vec<Found> {
        symbols::definitions(self)
    }

    fn declare(self: Rc<Self>, lowerer: &mut Lowerer<'_>) {
        lowerer.file_scopes.push(Scope::default());
        symbols::declare(lowerer, &self);
    }

    fn type_of_definition(
        &self,
        lowerer: &mut Lowerer<'_>,
        unit: usize,
        item: usize,
    ) -> Option<FunctionType> {
        let current = std::mem::replace(&mut lowerer.unit, unit);
        let ty = symbols::type_of_definition(lowerer, self, item);
        lowerer.unit = current;
        ty
    }

    fn lower_function(&self, lowerer: &mut Lowerer<'_>, id: FunctionId, item: usize) {
        instruction::lower_function(lowerer, id, self, item);
    }

    fn entry_name(&self) -> Option<String> {
        symbols::entry_name(self)
    }

    fn has_arguments(&self) -> bool {
        false
    }
}

/// A binary as a unit of a program.
pub(crate) fn unit(binary: Binary) -> Unit {
    let mut files = Files::new();
    // Positions of what has none.
    files.add(&binary.file);
    Unit { files, input: Rc::new(binary), part: Part::Program }
}
