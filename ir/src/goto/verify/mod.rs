//! The law book of the goto IR. A module that passes [`verify`] keeps all of these:
//!
//! Module
//! 1. Pointers have 32 or 64 bits. Names of functions, of globals and of
//!    structures are unique. The entry, if there is one, is a function with a body.
//! 2. Integers have 1 to 128 bits; structures exist, do not contain themselves,
//!    and hold their fields; types nest at most [`MAX_NESTING`] levels.
//! 3. The initialiser of a global fits its type.
//! 4. Locations name files and source functions of the module.
//!
//! Function
//! 5. The parameters of the first block are those of the function; nothing
//!    jumps to that block. Source variables have scalar types.
//! 6. A value has a scalar type and one definition at most; a value that is
//!    used has one, and it dominates the use. (Uses in unreachable blocks only
//!    need a definition.) A version of a source variable has its type.
//! 7. Jumps name blocks of the function and give each parameter an argument of
//!    its type; the cases of a switch are distinct and fit.
//! 8. Operands and results have the types that the operation asks for.
//! 9. Every block is entered at one depth of atomic sections, and a function
//!    returns at one. Calls change the depth as their callee does. Threads
//!    start and end at depth 0, and never leave a section they did not enter.
//!
//! Vocabulary
//! 10. A predicate is an `i1` expression over shared memory and the locals of at
//!     most one function, well typed, at most [`MAX_NESTING`] levels deep.
//! 11. The literals of a cube are predicates of the module, in ascending order.

mod atomic;
mod expression;
mod function;
mod operation;
mod types;

use std::fmt;

use rustc_hash::FxHashSet;
use thiserror::Error;

use super::entity::FunctionId;
use super::function::Function;
use super::module::Module;
use super::nesting::MAX_NESTING;
use super::source::Location;

/// Errors reported for one module.
const MAX_ERRORS: usize = 50;

/// One violation.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{place}: {message}")]
pub struct VerifyError {
    /// `file:line:column` in the source, and the function.
    pub place: String,
    /// The law that is broken, and by what.
    pub message: String,
}

/// The violations of a module, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyErrors(pub Vec<VerifyError>);

impl fmt::Display for VerifyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for VerifyErrors {}

/// Checks that a module keeps the laws of this page. Any module may be given,
/// however broken.
///
/// # Errors
/// The violations, up to a limit. Function bodies are only read when the
/// module's tables are sound.
pub fn verify(module: &Module) -> Result<(), VerifyErrors> {
    let mut verifier = Verifier { module, function: None, errors: Vec::new(), count: 0 };
    verifier.tables();
    if verifier.errors.is_empty() {
        for (id, function) in module.functions() {
            verifier.function = Some(function);
            verifier.body(id, function);
        }
        verifier.function = None;
        verifier.vocabulary();
    }
    if verifier.errors.is_empty() {
        verifier.atomic_sections();
    }
    if verifier.errors.is_empty() { Ok(()) } else { Err(VerifyErrors(verifier.errors)) }
}

struct Verifier<'m> {
    module: &'m Module,
    /// The function that is checked, for messages.
    function: Option<&'m Function>,
    errors: Vec<VerifyError>,
    /// Errors found, those that are not kept included.
    count: usize,
}

impl<'m> Verifier<'m> {
    fn error(&mut self, location: Location, message: impl Into<String>) {
        self.count += 1;
        if self.errors.len() >= MAX_ERRORS {
            return;
        }
        let mut place = self.module.describe(location);
        if let Some(function) = self.function {
            place.push_str(&format!(": function '{}'", function.name));
        }
        self.errors.push(VerifyError { place, message: message.into() });
    }

    fn require(&mut self, holds: bool, location: Location, message: impl FnOnce() -> String) {
        if !holds {
            self.error(location, message());
        }
    }

    /// Laws 1 to 4.
    fn tables(&mut self) {
        let module = self.module;
        let nowhere = Location::default();
        let bits = module.target.pointer_bits;
        self.require(matches!(bits, 32 | 64), nowhere, || {
            format!("pointers have 32 or 64 bits, not {bits}")
        });
        self.unique("function", module.functions.iter().map(|f| (f.name.as_str(), f.location)));
        self.unique("global", module.globals.iter().map(|g| (g.name.as_str(), g.location)));
        self.unique("structure", module.structs.iter().map(|s| (s.name.as_str(), nowhere)));
        if let Some(entry) = module.entry {
            let defined = module.functions.get(entry.index()).is_some_and(Function::is_defined);
            self.require(defined, nowhere, || "the entry is no function with a body".to_owned());
        }
        self.structures();
        if !self.errors.is_empty() {
            return;
        }
        for global in &module.globals {
            self.location(global.location);
            if self.object_type(&global.ty, global.location) {
                self.initializer(&global.initializer, &global.ty, global.location);
            }
        }
    }

    fn unique<'n>(&mut self, kind: &str, names: impl Iterator<Item = (&'n str, Location)>) {
        let mut seen = FxHashSet::default();
        for (name, location) in names {
            if !seen.insert(name) {
                self.error(location, format!("a second {kind} is called '{name}'"));
            }
        }
    }

    /// Law 4. A module without files can only have the default location.
    fn location(&mut self, location: Location) {
        let module = self.module;
        let known = |index: usize, table: &[String]| index < table.len() || index == 0;
        let operation = location.operation.unwrap_or_default();
        let sound = known(location.file.index(), &module.files)
            && known(location.function.index(), &module.names)
            && known(operation.index(), &module.names);
        self.require(sound, Location::default(), || {
            format!(
                "a location names {:?}, {:?} and {operation:?}",
                location.file, location.function
            )
        });
    }

    fn vocabulary(&mut self) {
        let module = self.module;
        for predicate in &module.predicates {
            self.predicate(predicate);
        }
        for (index, cube) in module.cubes.iter().enumerate() {
            let ascending = cube.literals.windows(2).all(|w| w[0].predicate < w[1].predicate);
            let known =
                cube.literals.iter().all(|l| (l.predicate as usize) < module.predicates.len());
            self.require(ascending && known, Location::default(), || {
                format!("cube {index}: its literals are not predicates in ascending order")
            });
        }
    }

    fn known_function(&self, id: FunctionId) -> Option<&'m Function> {
        self.module.functions.get(id.index())
    }
}

#[cfg(test)]
mod tests;
