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
//! 9. Every block is entered at one depth of atomic sections, locked or not, and a function
//!    returns at one. Calls change the depth as their callee does. Threads
//!    start and end at depth 0, and never leave a section they did not enter.
//!
//! Vocabulary
//! 10. A predicate is an `i1` expression over shared memory, the locals of at most one
//!     function, and in `other(…)` of at most one function of another thread; well typed, at most
//!     [`MAX_NESTING`] levels deep. `other(…)` reads locals, and stands in none of its kind.
//! 11. The literals of a cube are predicates of the module, in ascending order.
//! 12. An invariant stands at an instruction or at the end of a block; it is as a predicate is, and
//!     reads no locals but those of its function, and nothing of another thread.

mod atomic;
mod expression;
mod function;
mod operation;
mod types;

use std::fmt;

use rustc_hash::FxHashSet;
use thiserror::Error;

use super::entity::{Entity, FunctionId, GlobalId, StructId};
use super::function::Function;
use super::module::{Global, Module};
use super::nesting::MAX_NESTING;
use super::predicate::Expression;
use super::print::print_type;
use super::source::Location;
use super::types::Type;

/// Errors reported for one module.
const MAX_ERRORS: usize = 50;

/// One violation.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct VerifyError {
    /// What breaks the law.
    pub entity: Entity,
    /// Where in the source that comes from; the default where the module does not say.
    pub location: Location,
    /// The law that is broken, and by what, without a place.
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
    let mut verifier = Verifier { module, errors: Vec::new(), count: 0 };
    verifier.tables();
    if verifier.errors.is_empty() {
        for (id, function) in module.functions() {
            verifier.body(id, function);
        }
        verifier.vocabulary();
    }
    if verifier.errors.is_empty() {
        verifier.atomic_sections();
    }
    if verifier.errors.is_empty() { Ok(()) } else { Err(VerifyErrors(verifier.errors)) }
}

/// The type of a predicate's expression: law 10 for it alone.
///
/// # Errors
/// How it breaks the law. The module's tables must be sound.
pub fn expression_type(module: &Module, expression: &Expression) -> Result<Type, String> {
    let mut verifier = Verifier { module, errors: Vec::new(), count: 0 };
    verifier.expression(expression, 0, &mut expression::Scope::default(), Entity::Module)
}

struct Verifier<'m> {
    module: &'m Module,
    errors: Vec<VerifyError>,
    /// Errors found, those that are not kept included.
    count: usize,
}

impl<'m> Verifier<'m> {
    fn error(&mut self, entity: Entity, message: impl Into<String>) {
        self.count += 1;
        if self.errors.len() < MAX_ERRORS {
            let location = self.module.location(entity);
            self.errors.push(VerifyError { entity, location, message: message.into() });
        }
    }

    fn require(&mut self, holds: bool, entity: Entity, message: impl FnOnce() -> String) {
        if !holds {
            self.error(entity, message());
        }
    }

    /// Laws 1 to 4.
    fn tables(&mut self) {
        let module = self.module;
        let bits = module.target.pointer_bits;
        self.require(matches!(bits, 32 | 64), Entity::Target, || {
            format!("pointers have 32 or 64 bits, not {bits}")
        });
        let functions = module.functions().map(|(id, f)| (Entity::Function(id), f.name.as_str()));
        self.unique("function", functions);
        let globals = module.globals.iter().enumerate();
        let named = |(index, g): (usize, &'m Global)| {
            (Entity::Global(GlobalId::new(index)), g.name.as_str())
        };
        self.unique("global", globals.clone().map(named));
        let structures = module.structs.iter().enumerate();
        let named = structures.map(|(id, s)| (Entity::Struct(StructId::new(id)), s.name.as_str()));
        self.unique("structure", named);
        if let Some(entry) = module.entry {
            let defined = self.known_function(entry).is_some_and(Function::is_defined);
            self.require(defined, Entity::Entry, || {
                "the entry has no body; it has to be a function that is defined".to_owned()
            });
        }
        self.structures();
        if !self.errors.is_empty() {
            return;
        }
        for (index, global) in globals {
            let entity = Entity::Global(GlobalId::new(index));
            self.location(global.location, entity);
            if self.object_type(&global.ty, entity) {
                self.initializer(&global.initializer, &global.ty, entity);
            }
        }
    }

    fn unique<'n>(&mut self, kind: &str, names: impl Iterator<Item = (Entity, &'n str)>) {
        let mut seen = FxHashSet::default();
        for (entity, name) in names {
            if !seen.insert(name) {
                self.error(entity, format!("a second {kind} is called `{name}`"));
            }
        }
    }

    /// Law 4. A module without files can only have the default location.
    fn location(&mut self, location: Location, entity: Entity) {
        let module = self.module;
        let known = |index: usize, table: &[String]| index < table.len() || index == 0;
        let names = [Some(location.function), location.operation];
        self.require(known(location.file.index(), &module.files), entity, || {
            format!("the location is of file {}, which the module does not have", location.file)
        });
        for name in names.into_iter().flatten() {
            self.require(known(name.index(), &module.names), entity, || {
                format!("the location is of name {name}, which the module does not have")
            });
        }
    }

    fn vocabulary(&mut self) {
        let module = self.module;
        for (index, predicate) in module.predicates.iter().enumerate() {
            self.predicate(predicate, Entity::Predicate(index));
        }
        for (index, cube) in module.cubes.iter().enumerate() {
            let ascending = cube.literals.windows(2).all(|w| w[0].predicate < w[1].predicate);
            let known =
                cube.literals.iter().all(|l| (l.predicate as usize) < module.predicates.len());
            self.require(ascending && known, Entity::Cube(index), || {
                "the literals of a cube are predicates of the module in ascending order".to_owned()
            });
        }
        for (index, invariant) in module.invariants.iter().enumerate() {
            self.invariant(invariant, Entity::Invariant(index));
        }
    }

    /// A type in the words of the text form.
    fn named(&self, ty: &Type) -> String {
        print_type(self.module, ty)
    }

    /// The same for a list, in parentheses.
    fn all_named<'t>(&self, types: impl IntoIterator<Item = &'t Type>) -> String {
        let types: Vec<_> = types.into_iter().map(|ty| self.named(ty)).collect();
        format!("({})", types.join(", "))
    }

    /// The same for a result that may be missing.
    fn result_named(&self, ty: Option<&Type>) -> String {
        ty.map_or_else(|| "nothing".to_owned(), |ty| self.named(ty))
    }

    fn known_function(&self, id: FunctionId) -> Option<&'m Function> {
        self.module.functions.get(id.index())
    }
}

#[cfg(test)]
mod tests;
