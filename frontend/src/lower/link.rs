//! The units of a program, linked and lowered to one module.

use std::fmt::Debug;
use std::rc::Rc;

use sapa_ir::goto::{FunctionId, GlobalId, Initializer, Module, Operand};

use super::Options;
use super::program::{Definition, Entity, Incomplete, Lowerer, Part, Unit};
use super::types::FunctionType;
use crate::diagnostic::{Diagnostic, Severity};
use crate::position::Position;

/// An input of a program, as its driver lowers it.
pub(crate) trait Input: Debug {
    /// The functions that it defines.
    fn definitions(&self) -> Vec<Found>;

    /// Enters what it declares; it is the current unit. The driver adds the unit's file scope.
    fn declare(self: Rc<Self>, lowerer: &mut Lowerer<'_>);

    /// The type of the function at an item; the input is this unit, and need not be the current one.
    fn type_of_definition(
        &self,
        lowerer: &mut Lowerer<'_>,
        unit: usize,
        item: usize,
    ) -> Option<FunctionType>;

    /// Lowers the body of the function at an item; the input is the current unit.
    fn lower_function(&self, lowerer: &mut Lowerer<'_>, id: FunctionId, item: usize);

    /// The function that the input says a program starts with, where there is no `main`.
    fn entry_name(&self) -> Option<String>;

    /// Whether the system calls its `main` with the arguments of the program.
    fn has_arguments(&self) -> bool;
}

/// Reads the units with the library's models, and with those of the system (`true`); the error says what
/// cannot be read.
pub(crate) type Library = fn(bool) -> Result<Vec<Unit>, String>;

/// Links and lowers units to one module.
///
/// Only functions that the program can reach are lowered, so that what headers
/// define does not matter; what is left of it by then goes too.
///
/// # Errors
/// Everything that is wrong or not supported, in order; the list may hold warnings too.
pub(crate) fn lower(
    units: Vec<Unit>,
    library: Library,
    options: &Options,
) -> Result<(Module, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut lowerer = Lowerer::new(options, units, library);
    lowerer.run();
    let Lowerer { mut module, diagnostics, .. } = lowerer;
    module.prune();
    if diagnostics.iter().any(Diagnostic::is_error) {
        Err(diagnostics)
    } else {
        Ok((module, diagnostics))
    }
}

impl Lowerer<'_> {
    fn run(&mut self) {
        for unit in 0..self.units.len() {
            self.unit = unit;
            self.define_functions();
        }
        for unit in 0..self.units.len() {
            self.unit = unit;
            if let Some(input) = self.input(unit) {
                input.declare(self);
            }
        }
        self.resolve_incomplete();
        let has_arguments = self.enter();
        if self.options.entry.as_deref().is_none_or(|entry| entry == "main")
            && self.find_constructors().is_err()
        {
            return;
        }
        loop {
            if self.keep_limits().is_err() {
                return;
            }
            let Some((id, (unit, item))) = self.pending.pop_front() else {
                if let Some(function) = self.undefined.pop_front() {
                    self.define(function);
                } else if let Some(template) = self.mutexes.settle() {
                    self.define_template(template);
                } else {
                    break;
                }
                continue;
            };
            self.unit = unit;
            if let Some(input) = self.input(unit) {
                input.lower_function(self, id, item);
            }
            self.note_stub(id, (unit, item));
        }
        self.expand_templates();
        self.settle_clocks();
        self.settle_environment();
        self.settle_streams();
        self.settle_scopes();
        if self.run_at_ends().is_err() {
            return;
        }
        self.note_errno();
        if has_arguments {
            self.assume_arguments();
        }
        self.note_extern_objects();
    }

    fn is_stub(&self, unit: usize) -> bool {
        self.units.get(unit).is_some_and(|unit| unit.part == Part::Stubs)
    }

    /// Says of a stub that is called from the program that what it does is assumed.
    fn note_stub(&mut self, id: FunctionId, place: Definition) {
        let function = self.module.function(id);
        if !self.is_stub(place.0) || self.definitions.get(&function.name) != Some(&place) {
            return;
        }
        let file =
            self.module.files.get(function.location.file.index()).map_or("?", String::as_str);
        self.note(&format!("assuming that `{}` does what its stub in {file} does", function.name));
    }

    /// Declares the objects whose declarations do not say how large they are, by what is known
    /// once all units are.
    fn resolve_incomplete(&mut self) {
        for Incomplete { unit, name, ty, location } in std::mem::take(&mut self.incomplete) {
            let entity = match self.external(&name, &ty, location) {
                Ok(id) => Entity::Global(id, ty),
                Err(what) => Entity::Refused(format!("'{name}': {what} is not supported").into()),
            };
            if let Some(scope) = self.file_scopes.get_mut(unit) {
                scope.names.entry(name).or_insert(entity);
            }
        }
    }

    fn input(&self, unit: usize) -> Option<Rc<dyn Input>> {
        self.units.get(unit).map(|unit| Rc::clone(&unit.input))
    }

    /// Enters the functions that the current unit defines.
    fn define_functions(&mut self) {
        let Some(input) = self.input(self.unit) else { return };
        for found in input.definitions() {
            let place = (self.unit, found.item);
            if found.is_static {
                self.statics.insert((self.unit, found.name), place);
                continue;
            }
            // Stubs come last.
            if self.is_stub(self.unit) && self.definitions.contains_key(&found.name) {
                continue;
            }
            match self.definitions.get(&found.name) {
                // An inline function may be defined by every unit.
                Some(_) if found.is_inline => {}
                Some(&(unit, _)) if self.inlines.contains(&found.name) || unit == self.unit => {
                    self.inlines.remove(&found.name);
                    self.definitions.insert(found.name, place);
                }
                Some(_) => {
                    let message = format!("function '{}' is defined more than once", found.name);
                    let _: super::program::Lowered<()> = self.error(found.position, message);
                }
                None => {
                    if found.is_inline {
                        self.inlines.insert(found.name.clone());
                    }
                    self.definitions.insert(found.name, place);
                }
            }
        }
    }

    /// Whether the entry is the `main` of a C program, which the system starts.
    fn enter(&mut self) -> bool {
        let named = || match self.definitions.contains_key("main") {
            true => None,
            false => self.units.iter().find_map(|unit| unit.input.entry_name()),
        };
        let entry = self.options.entry.clone().or_else(named).unwrap_or_else(|| "main".to_owned());
        let place = self.definitions.get(&entry).copied().or_else(|| {
            (0..self.units.len()).find_map(|unit| self.statics.get(&(unit, entry.clone())).copied())
        });
        match place.and_then(|place| Some((place, self.type_of_definition(place)?))) {
            Some((place, ty)) => {
                self.unit = place.0;
                let id = self.function(&entry, &ty, Position::default());
                self.module.entry = Some(id);
                entry == "main" && self.input(place.0).is_some_and(|input| input.has_arguments())
            }
            None => {
                let message = format!("the entry function '{entry}' is not defined");
                self.diagnostics.push(Diagnostic::new(Severity::Error, None, message));
                false
            }
        }
    }

    /// The type of a function that the program defines.
    pub fn type_of_definition(&mut self, (unit, item): Definition) -> Option<FunctionType> {
        self.input(unit)?.type_of_definition(self, unit, item)
    }

    /// The type of the function that the current unit means by a name.
    pub fn defined_type(&mut self, name: &str) -> Option<FunctionType> {
        self.definition_of(name).and_then(|place| self.type_of_definition(place))
    }

    /// Whether the program calls a function or takes its address.
    pub fn is_referred_to(&self, id: FunctionId) -> bool {
        let mut found = false;
        let mut operand = |operand| found |= operand == Operand::Function(id);
        for block in self.module.functions.iter().flat_map(|f| &f.blocks) {
            block.instructions.iter().for_each(|i| i.op.for_each_operand(&mut operand));
            block.terminator.kind.for_each_operand(&mut operand);
        }
        let mut pending: Vec<_> = self.module.globals.iter().map(|g| &g.initializer).collect();
        while let Some(initializer) = pending.pop() {
            match initializer {
                Initializer::Function(function) => found |= *function == id,
                Initializer::Aggregate(elements) => pending.extend(elements),
                _ => {}
            }
        }
        found
    }

    fn note_extern_objects(&mut self) {
        let used = self.module.used_globals();
        let notes: Vec<String> = self
            .module
            .globals
            .iter()
            .enumerate()
            .filter(|(index, global)| {
                let id = GlobalId::new(*index);
                // Not those of the models, which say what they assume.
                let is_extern = self.process_id != Some(id) && !global.name.starts_with("__sapa_");
                global.initializer == Initializer::Nondet && is_extern && used.contains(&id)
            })
            .map(|(_, global)| format!("extern object `{}` starts with any contents", global.name))
            .collect();
        for note in notes {
            self.note(&note);
        }
    }
}

/// A function that a unit defines.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub item: usize,
    pub name: String,
    pub is_static: bool,
    pub is_inline: bool,
    pub position: Position,
}
