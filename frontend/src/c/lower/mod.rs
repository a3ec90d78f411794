//! Lowering: syntax trees to the goto IR, on top of `lower/`.
//!
//! | file | holds |
//! | --- | --- |
//! | `specifier` | specifiers and declarators to types |
//! | `constant` | constant expressions |
//! | `typing` | types of expressions |
//! | `attribute` | attributes, names for the linker |
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

use sapa_ir::goto::Module;

use super::ast::TranslationUnit;
use crate::diagnostic::Diagnostic;
pub use crate::lower::Options;
use crate::lower::program::{Source, Unit};

pub(crate) use declaration::{definitions, file_scope, lower_function, type_of_definition};
pub(crate) use specifier::plain_type;
pub(crate) use typing::integer_type;

/// A syntax tree as a unit of a program.
pub(crate) fn unit(tree: TranslationUnit) -> Unit {
    let (files, source) = (tree.files.clone(), Source::C(Rc::new(tree)));
    Unit { files, source, is_library: false }
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
    crate::lower::link::lower(&units, options)
}
