//! What is known while a program is lowered: scopes, functions, diagnostics.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use sapa_ir::goto::{Function, FunctionId, GlobalId, Location, Module, SlotId, StructId};

use super::Options;
use super::types::{CType, FunctionType, Integers, Kind};
use crate::c::ast::{FunctionDefinition, Name, TranslationUnit};
use crate::c::diagnostic::Diagnostic;
use crate::c::position::Position;

/// The error was reported; lowering goes on elsewhere.
#[derive(Debug)]
pub(crate) struct Reported;

pub(crate) type Lowered<T> = Result<T, Reported>;

/// What a name means.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Typedef(CType),
    Constant(i128, CType),
    Global(GlobalId, CType),
    Slot(SlotId, CType),
    /// A function, by name.
    Function(Rc<FunctionType>),
}

/// What a tag means.
#[derive(Clone, Debug)]
pub(crate) enum Tag {
    Record(StructId),
    Enum(CType),
}

#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub names: HashMap<Name, Entity>,
    pub tags: HashMap<Name, Tag>,
}

/// Where a function is defined: unit and item.
pub(crate) type Definition = (usize, usize);

/// The state of lowering a whole program.
pub(crate) struct Lowerer<'o> {
    pub options: &'o Options,
    pub module: Module,
    pub units: Vec<Rc<TranslationUnit>>,
    pub unit: usize,
    pub scopes: Vec<Scope>,
    /// Member types of each record, by field; `None` while incomplete.
    pub records: Vec<Option<Vec<(String, CType)>>>,
    pub functions: HashMap<String, FunctionId>,
    pub definitions: HashMap<String, Definition>,
    /// Functions that are defined more than once.
    pub ambiguous: std::collections::HashSet<String>,
    /// Globals that have an initialiser.
    pub initialised: std::collections::HashSet<GlobalId>,
    /// File scopes of the units, kept for functions that are lowered later.
    pub file_scopes: Vec<Scope>,
    pub pending: VecDeque<(FunctionId, Definition)>,
    pub diagnostics: Vec<Diagnostic>,
    pub warned: std::collections::HashSet<String>,
    pub strings: u32,
}

impl Lowerer<'_> {
    pub fn integers(&self) -> Integers {
        Integers(self.module.target)
    }

    pub fn error<T>(&mut self, position: Position, message: impl Into<String>) -> Lowered<T> {
        let diagnostic = match self.units.get(self.unit) {
            Some(unit) => Diagnostic::error(&unit.files, position, message),
            None => Diagnostic::new(crate::c::diagnostic::Severity::Error, None, message),
        };
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
        Err(Reported)
    }

    /// Warns once per message.
    pub fn warning(&mut self, position: Position, message: impl Into<String>) {
        let message = message.into();
        if self.warned.insert(message.clone())
            && let Some(unit) = self.units.get(self.unit)
        {
            self.diagnostics.push(Diagnostic::warning(&unit.files, position, message));
        }
    }

    pub fn location(&mut self, position: Position, function: &str) -> Location {
        let file =
            self.units.get(self.unit).map_or("?", |unit| unit.files.name(position.file)).to_owned();
        Location {
            file: self.module.intern_file(&file),
            line: position.line,
            column: position.column,
            function: self.module.intern_name(function),
        }
    }

    pub fn lookup(&self, name: &str) -> Option<&Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name))
    }

    pub fn lookup_tag(&self, name: &str) -> Option<&Tag> {
        self.scopes.iter().rev().find_map(|scope| scope.tags.get(name))
    }

    pub fn declare(&mut self, name: Name, entity: Entity) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, entity);
        }
    }

    /// The function of this name, which will be lowered if the program defines it.
    pub fn function(&mut self, name: &str, ty: &FunctionType, position: Position) -> FunctionId {
        if let Some(&id) = self.functions.get(name) {
            return id;
        }
        let location = self.location(position, name);
        let scalar = |ty: &CType| match ty.kind {
            Kind::Bool => sapa_ir::goto::Type::Int(8),
            _ => ty.decayed().in_memory().unwrap_or(sapa_ir::goto::Type::Pointer),
        };
        let parameters = ty.parameters.iter().map(scalar).collect();
        let result = (ty.result.kind != Kind::Void).then(|| scalar(&ty.result));
        let id = FunctionId::new(self.module.functions.len());
        self.module.functions.push(Function::declaration(
            name.to_owned(),
            parameters,
            result,
            location,
        ));
        self.functions.insert(name.to_owned(), id);
        if self.ambiguous.contains(name) {
            let message =
                format!("function '{name}' is defined more than once, which is not supported");
            // Reported; the caller goes on with one of them.
            let _: Lowered<()> = self.error(position, message);
        }
        if let Some(&definition) = self.definitions.get(name) {
            self.pending.push_back((id, definition));
        }
        id
    }

    /// The definition behind a place in the units.
    pub fn definition(&self, (unit, item): Definition) -> Option<(Rc<TranslationUnit>, usize)> {
        self.units.get(unit).map(|u| (Rc::clone(u), item))
    }
}

/// The function definition at an item of a unit.
pub(crate) fn definition_at(unit: &TranslationUnit, item: usize) -> Option<&FunctionDefinition> {
    match unit.items.get(item) {
        Some(crate::c::ast::ExternalDeclaration::Function(definition)) => Some(definition),
        _ => None,
    }
}
