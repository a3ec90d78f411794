//! Lowering: syntax trees to the goto IR, on top of `lower/`.
//!
//! | file | holds |
//! | --- | --- |
//! | `specifier` | specifiers and declarators to types |
//! | `constant` | constant expressions |
//! | `typing` | types of expressions |
//! | `attribute` | attributes, names for the linker |
//! | `cleanup` | what is called where scopes are left |
//! | `declaration` | globals, locals, functions |
//! | `designation` | which part of an object each initialiser is for |
//! | `initializer` | initialisers: constants and stores |
//! | `address` | address constants |
//! | `expression`, `statement` | what the names say |
//! | `assembly` | inline assembly |
//! | `predicate` | C expressions as predicates |
//!
//! Locals become stack slots; the pass `mem2reg` makes values of them.

mod address;
mod assembly;
mod attribute;
mod cleanup;
mod constant;
mod declaration;
mod designation;
mod expression;
mod initializer;
pub(crate) mod predicate;
mod specifier;
mod statement;
#[cfg(test)]
mod tests;
mod typing;

use std::rc::Rc;

use sapa_ir::goto::{FunctionId, Module};

use super::ast::TranslationUnit;
use super::parser::parse;
use crate::diagnostic::Diagnostic;
pub use crate::lower::Options;
use crate::lower::library::models::{POSIX, SOURCES};
use crate::lower::link::{Found, Input};
use crate::lower::program::{Lowerer, Part, Unit};
use crate::lower::types::FunctionType;

pub(crate) use specifier::plain_type;
pub(crate) use typing::integer_type;

impl Input for TranslationUnit {
    fn definitions(&self) -> Vec<Found> {
        declaration::definitions(self)
    }

    fn declare(self: Rc<Self>, lowerer: &mut Lowerer<'_>) {
        lowerer.file_scope(&self);
    }

    fn type_of_definition(
        &self,
        lowerer: &mut Lowerer<'_>,
        unit: usize,
        item: usize,
    ) -> Option<FunctionType> {
        declaration::type_of_definition(lowerer, unit, self, item)
    }

    fn lower_function(&self, lowerer: &mut Lowerer<'_>, id: FunctionId, item: usize) {
        declaration::lower_function(lowerer, id, self, item);
    }

    fn entry_name(&self) -> Option<String> {
        None
    }

    fn has_arguments(&self) -> bool {
        true
    }
}

/// A syntax tree as a unit of a program.
pub(crate) fn unit(tree: TranslationUnit) -> Unit {
    Unit { files: tree.files.clone(), input: Rc::new(tree), part: Part::Program }
}

/// The files with the library's models, and with those of the system where they are asked for.
///
/// # Errors
/// One of them cannot be read.
pub(crate) fn library(has_system: bool) -> Result<Vec<Unit>, String> {
    let read = |(part, (file, text)): (Part, (&str, &str))| match parse(file, text.as_bytes()) {
        Ok(parsed) => Ok(Unit { part, ..unit(parsed.unit) }),
        Err(_) => Err(format!("{file} cannot be read")),
    };
    let of_library = SOURCES.iter().map(|source| (Part::Library, *source));
    let of_system = has_system.then_some((Part::System, POSIX));
    of_library.chain(of_system).map(read).collect()
}

/// Lowers translation units to one module.
///
/// # Errors
/// Everything that is wrong or not supported, in order; the list may hold warnings too.
pub fn lower(
    units: Vec<TranslationUnit>,
    options: &Options,
) -> Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>> {
    let units: Vec<Unit> = units.into_iter().map(unit).collect();
    crate::lower::link::lower(units, library, options)
}
