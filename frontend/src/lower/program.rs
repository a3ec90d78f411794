//! What is known while a program is lowered: scopes, functions, diagnostics.

use std::any::{Any, TypeId};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    FileId, Function, FunctionId, Global, GlobalId, Initializer, Location, Module, NameId, Operand,
    SlotId, StructId, StructType, Type,
};

use super::Options;
use super::layout::{Record, is_complete};
use super::library::{Ends, Mutexes};
use super::link::{Input, Library};
use super::types::{CType, FunctionType, Integers};
use super::undefined::Undefined;
use crate::diagnostic::{Diagnostic, Severity};
use crate::position::{self, Files, Position};

/// An identifier. Equal names of one translation unit share their text.
pub type Name = Arc<str>;

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
    /// An array of variable length: the slot of its address, its type, the slot of its size in bytes.
    Variable(SlotId, CType, SlotId),
    /// A function, by name.
    Function(Rc<FunctionType>),
    /// A weak function that nothing defines: its address is null.
    Absent(CType),
    /// What is declared but cannot be used: why, or nothing if that was reported.
    Refused(Rc<str>),
}

/// What a tag means.
#[derive(Clone, Debug)]
pub(crate) enum Tag {
    Record(StructId),
    Enum(CType),
}

#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub names: FxHashMap<Name, Entity>,
    pub tags: FxHashMap<Name, Tag>,
    /// Alignments of variables, where their types do not give them.
    pub alignments: FxHashMap<Name, u64>,
    /// Labels that the block declares with `__label__`: their names in the function.
    pub labels: FxHashMap<Name, Name>,
}

/// One input, with the files that positions in it name.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub files: Files,
    pub input: Rc<dyn Input>,
    pub part: Part,
}

/// What a unit is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The program.
    Program,
    /// Stubs: functions that are the program's where it has none of that name.
    Stubs,
    /// The library's models, which do not see the program's functions.
    Library,
    /// The same, of what the system does, which a verdict says that rests on them.
    System,
}

/// Where a function is defined: unit and item.
pub(crate) type Definition = (usize, usize);

/// A declaration at file scope of an object whose type is not complete there.
#[derive(Clone, Debug)]
pub(crate) struct Incomplete {
    pub unit: usize,
    pub name: Name,
    pub ty: CType,
    pub location: Location,
}

/// The state of lowering a whole program.
pub(crate) struct Lowerer<'o> {
    pub options: &'o Options,
    pub module: Module,
    pub units: Vec<Unit>,
    pub unit: usize,
    pub scopes: Vec<Scope>,
    /// Members of each record of the module; `None` while incomplete.
    pub records: Vec<Option<Record>>,
    /// Functions with external linkage.
    pub definitions: FxHashMap<String, Definition>,
    /// Functions that only their unit sees.
    pub statics: FxHashMap<(usize, String), Definition>,
    /// Those of them that other units may define too.
    pub inlines: FxHashSet<String>,
    /// Functions of the library's models; filled when first asked for.
    pub models: Option<FxHashMap<String, Definition>>,
    /// Functions of the module by definition, and those without one by name.
    pub defined: FxHashMap<Definition, FunctionId>,
    pub declared: FxHashMap<String, FunctionId>,
    function_names: FxHashSet<String>,
    /// Objects with external linkage.
    pub externals: FxHashMap<String, GlobalId>,
    /// Objects that are declared `extern` and are not complete where they are declared.
    pub incomplete: Vec<Incomplete>,
    /// Arrays of the current unit whose size was not said yet.
    pub tentative: Vec<Incomplete>,
    global_names: FxHashSet<String>,
    /// Functions that are declared not to return.
    pub noreturn: FxHashSet<String>,
    struct_names: FxHashSet<String>,
    /// Records whose members are not supported: what it is.
    pub refused_records: FxHashMap<StructId, &'static str>,
    /// Globals that have an initialiser.
    pub initialised: FxHashSet<GlobalId>,
    /// File scopes of the units, kept for functions that are lowered later.
    pub file_scopes: Vec<Scope>,
    pub pending: VecDeque<(FunctionId, Definition)>,
    /// Functions without a definition whose addresses are taken, still without a body.
    pub undefined: VecDeque<Undefined>,
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it was reported that a limit ends the lowering.
    is_stopped: bool,
    /// What was warned of, or is refused, which is said once.
    warned: FxHashSet<String>,
    files: FxHashMap<(usize, position::FileId), FileId>,
    names: FxHashMap<String, NameId>,
    pub strings: u32,
    /// Functions that are modelled by a table, by name and types.
    pub tables: FxHashMap<(String, Vec<Type>, Type), FunctionId>,
    /// Whether the program asks for `errno`, and the library functions that it calls of which
    /// nothing is modelled that they do to it.
    pub errno: (bool, std::collections::BTreeSet<String>),
    /// The object that holds the number of the process, if it is asked for.
    pub process_id: Option<GlobalId>,
    /// The texts of the environment's variables that the program asks for, and whether each is set.
    pub environment: FxHashMap<String, (GlobalId, GlobalId)>,
    /// Slots of the numbers of elements of arrays of variable length, by where these are declared.
    pub counts: FxHashMap<Position, SlotId>,
    /// While an expression is looked at that the program evaluates: whether its value as a constant would overflow.
    pub overflow: Option<bool>,
    /// Whether the parameters of a function are looked at, outside of it.
    pub is_in_prototype: bool,
    /// The name of the C function that is being lowered.
    pub current_function: String,
    /// The library's models, for when one is called.
    pub library: Library,
    /// What drivers keep of the program, by its type.
    kept: FxHashMap<TypeId, Box<dyn Any>>,
    /// Operations on mutexes, whose models are chosen at the end.
    pub mutexes: Mutexes,
    /// What runs at the ends of the program and of threads.
    pub ends: Ends,
}

impl<'o> Lowerer<'o> {
    pub fn new(options: &'o Options, units: Vec<Unit>, library: Library) -> Self {
        Self {
            options,
            module: Module {
                atomicity: options.atomicity,
                target: options.target,
                ..Module::default()
            },
            units,
            unit: 0,
            scopes: Vec::new(),
            records: Vec::new(),
            definitions: FxHashMap::default(),
            statics: FxHashMap::default(),
            inlines: FxHashSet::default(),
            models: None,
            defined: FxHashMap::default(),
            declared: FxHashMap::default(),
            function_names: FxHashSet::default(),
            externals: FxHashMap::default(),
            incomplete: Vec::new(),
            tentative: Vec::new(),
            global_names: FxHashSet::default(),
            noreturn: FxHashSet::default(),
            struct_names: FxHashSet::default(),
            refused_records: FxHashMap::default(),
            initialised: FxHashSet::default(),
            file_scopes: Vec::new(),
            pending: VecDeque::new(),
            undefined: VecDeque::new(),
            diagnostics: Vec::new(),
            is_stopped: false,
            warned: FxHashSet::default(),
            files: FxHashMap::default(),
            names: FxHashMap::default(),
            strings: 0,
            tables: FxHashMap::default(),
            errno: Default::default(),
            process_id: None,
            environment: FxHashMap::default(),
            counts: FxHashMap::default(),
            overflow: None,
            is_in_prototype: false,
            current_function: String::new(),
            library,
            kept: FxHashMap::default(),
            mutexes: Mutexes::default(),
            ends: Ends::default(),
        }
    }

    /// What a driver keeps of the program in a type of its own, empty at first.
    pub fn kept<T: Any + Default>(&mut self) -> &mut T {
        let kept = self.kept.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(T::default()));
        kept.downcast_mut().expect("the entry is of the type that is its key")
    }

    /// Goes on as long as the limits hold.
    ///
    /// # Errors
    /// They do not, which is reported once.
    pub fn keep_limits(&mut self) -> Lowered<()> {
        match self.options.limits.check() {
            Ok(()) => Ok(()),
            Err(_) if self.is_stopped => Err(Reported),
            Err(exceeded) => {
                self.is_stopped = true;
                self.diagnostics.push(Diagnostic::stopped(&self.options.limits, exceeded));
                Err(Reported)
            }
        }
    }

    pub fn integers(&self) -> Integers {
        Integers(self.module.target)
    }

    pub fn error<T>(&mut self, position: Position, message: impl Into<String>) -> Lowered<T> {
        let diagnostic = match self.units.get(self.unit) {
            Some(unit) => Diagnostic::error(&unit.files, position, message),
            None => Diagnostic::new(Severity::Error, None, message),
        };
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
        Err(Reported)
    }

    /// The error of the first use of what is refused.
    pub fn refuse<T>(&mut self, position: Position, why: &str) -> Lowered<T> {
        match why.is_empty() || !self.warned.insert(why.to_owned()) {
            true => Err(Reported),
            false => self.error(position, why),
        }
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

    /// An assumption or over-approximation that must reach the verdict.
    pub fn note(&mut self, note: &str) {
        self.module.note(note);
    }

    /// Notes that a library function is called that sets `errno`, if at all, other than here.
    pub fn leaves_errno(&mut self, name: &str) {
        if !self.is_library() {
            self.errno.1.insert(name.to_owned());
        }
    }

    /// Says what is assumed of `errno`, when all is lowered.
    pub fn note_errno(&mut self) {
        let (true, names) = &self.errno else { return };
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let note = format!("assuming that errno is not changed by {}", names.join(", "));
            self.module.note(&note);
        }
    }

    /// The name of a source function in the module; the module's own search is linear.
    pub fn name_id(&mut self, name: &str) -> NameId {
        if let Some(id) = self.names.get(name) {
            return *id;
        }
        let id = NameId::new(self.module.names.len());
        self.module.names.push(name.to_owned());
        self.names.insert(name.to_owned(), id);
        id
    }

    pub fn location(&mut self, position: Position, function: NameId) -> Location {
        let key = (self.unit, position.file);
        let file = match self.files.get(&key) {
            Some(file) => *file,
            None => {
                let name = self.units.get(self.unit).map_or("?", |u| u.files.name(position.file));
                let file = self.module.intern_file(name);
                self.files.insert(key, file);
                file
            }
        };
        Location { file, line: position.line, column: position.column, function, operation: None }
    }

    /// Where a function is declared; one of the library is an operation of the program's.
    pub fn declared_at(&mut self, position: Position, function: NameId) -> Location {
        let location = self.location(position, function);
        Location { operation: self.is_library().then_some(function), ..location }
    }

    pub fn lookup(&self, name: &str) -> Option<&Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name))
    }

    /// Whether a name means an object with linkage (C11 6.2.2), which a declaration with `extern`
    /// in a block means too: not a local, `static` or not.
    pub fn is_linked(&self, name: &str) -> bool {
        match self.lookup(name) {
            Some(Entity::Global(id, _)) => {
                let at_file_scope = self.scopes.first().and_then(|scope| scope.names.get(name));
                self.externals.get(name) == Some(id)
                    || matches!(at_file_scope, Some(Entity::Global(global, _)) if global == id)
            }
            Some(Entity::Refused(_) | Entity::Absent(_)) => true,
            _ => false,
        }
    }

    pub fn lookup_tag(&self, name: &str) -> Option<&Tag> {
        self.scopes.iter().rev().find_map(|scope| scope.tags.get(name))
    }

    pub fn declare(&mut self, name: Name, entity: Entity) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name, entity);
        }
    }

    /// Whether the current unit is a file of models.
    pub fn is_library(&self) -> bool {
        let part = self.units.get(self.unit).map(|unit| unit.part);
        matches!(part, Some(Part::Library | Part::System))
    }

    /// Where the function that the current unit means by a name is defined.
    pub fn definition_of(&self, name: &str) -> Option<Definition> {
        let of_program = || self.definitions.get(name).filter(|_| !self.is_library());
        self.statics.get(&(self.unit, name.to_owned())).or_else(of_program).copied()
    }

    /// The function that the current unit means by this name, which will be
    /// lowered if the program defines it.
    pub fn function(&mut self, name: &str, ty: &FunctionType, position: Position) -> FunctionId {
        let definition = self.definition_of(name);
        let known = match definition {
            Some(definition) => self.defined.get(&definition),
            None => self.declared.get(name),
        };
        if let Some(id) = known {
            return *id;
        }
        let id = self.add_function(name, ty, definition, position);
        if definition.is_none() {
            let (name, ty, unit) = (name.to_owned(), ty.clone(), self.unit);
            self.undefined.push_back(Undefined { id, name, ty, unit, position });
        }
        id
    }

    pub fn add_function(
        &mut self,
        name: &str,
        ty: &FunctionType,
        definition: Option<Definition>,
        position: Position,
    ) -> FunctionId {
        let name_id = self.name_id(name);
        let location = self.declared_at(position, name_id);
        let (parameters, result) = ty.signature();
        let id = self.add_declaration(name, parameters, result, location);
        match definition {
            Some(definition) => {
                self.defined.insert(definition, id);
                self.pending.push_back((id, definition));
            }
            None => drop(self.declared.insert(name.to_owned(), id)),
        }
        id
    }

    /// A new function without a body, which no name means; its own becomes unique.
    pub fn add_declaration(
        &mut self,
        name: &str,
        parameters: Vec<Type>,
        result: Option<Type>,
        location: Location,
    ) -> FunctionId {
        let mut unique = name.to_owned();
        let mut count = 1;
        while !self.function_names.insert(unique.clone()) {
            count += 1;
            unique = format!("{name}#{count}");
        }
        let id = FunctionId::new(self.module.functions.len());
        self.module.functions.push(Function::declaration(unique, parameters, result, location));
        id
    }

    /// Gives an object its initial contents.
    pub fn set_initializer(
        &mut self,
        id: GlobalId,
        initializer: Initializer,
        position: Position,
    ) -> Lowered<()> {
        let fits = self
            .module
            .globals
            .get(id.index())
            .is_some_and(|global| initializer.fits(&self.module, &global.ty));
        match self.module.globals.get_mut(id.index()) {
            Some(global) if fits => {
                global.initializer = initializer;
                Ok(())
            }
            _ => self.error(position, "the initialiser does not fit the type of the object"),
        }
    }

    /// The object with external linkage of this name, which another unit may define.
    pub fn external(
        &mut self,
        name: &str,
        ty: &CType,
        location: Location,
    ) -> Result<GlobalId, &'static str> {
        if let Some(id) = self.externals.get(name) {
            return Ok(*id);
        }
        let id = self.add_global(name, ty, Initializer::Nondet, location)?;
        self.externals.insert(name.to_owned(), id);
        Ok(id)
    }

    /// A new global object; its name becomes unique.
    pub fn add_global(
        &mut self,
        name: &str,
        ty: &CType,
        initializer: Initializer,
        location: Location,
    ) -> Result<GlobalId, &'static str> {
        let memory = ty.in_memory()?;
        if !is_complete(&self.records, ty) {
            return Err("an object of incomplete type");
        }
        let id = GlobalId::new(self.module.globals.len());
        let mut unique = name.to_owned();
        let mut count = 1;
        while !self.global_names.insert(unique.clone()) {
            count += 1;
            unique = format!("{name}#{count}");
        }
        self.module.globals.push(Global {
            name: unique,
            ty: memory,
            initializer,
            thread_local: false,
            constant: false,
            signed: ty.holds_signed(),
            location,
        });
        Ok(id)
    }

    /// A new record without members.
    pub fn add_record(&mut self, name: &str) -> StructId {
        let id = StructId::new(self.module.structs.len());
        let mut unique = name.to_owned();
        if !self.struct_names.insert(unique.clone()) {
            unique = format!("{name}#{}", id.0);
            self.struct_names.insert(unique.clone());
        }
        self.module.structs.push(StructType {
            name: unique,
            fields: Vec::new(),
            size: 0,
            align: 1,
        });
        self.records.push(None);
        id
    }

    pub fn record(&self, id: StructId) -> Option<&Record> {
        self.records.get(id.index())?.as_ref()
    }

    /// A string as a constant object; `units` without the final zero.
    pub fn add_string(
        &mut self,
        units: impl Iterator<Item = u32>,
        ty: &CType,
        location: Location,
    ) -> Result<GlobalId, &'static str> {
        let items = units.map(|unit| Initializer::Int(u128::from(unit))).collect();
        let initializer = Initializer::Aggregate(items);
        if !initializer.fits(&self.module, &ty.in_memory()?) {
            return Err("a string of this type");
        }
        self.strings += 1;
        let name = format!("string#{}", self.strings);
        let id = self.add_global(&name, ty, initializer, location)?;
        if let Some(global) = self.module.globals.get_mut(id.index()) {
            global.constant = true;
        }
        Ok(id)
    }

    /// The text of a string that a pointer constant names, up to its first zero.
    pub fn text_of(&self, operand: Operand) -> Option<String> {
        let Operand::Global(id) = operand else { return None };
        let global = self.module.globals.get(id.index()).filter(|global| global.constant)?;
        let (Type::Array(element, _), Initializer::Aggregate(items)) =
            (&global.ty, &global.initializer)
        else {
            return None;
        };
        if **element != Type::Int(8) {
            return None;
        }
        let mut bytes = Vec::new();
        for item in items {
            match item {
                Initializer::Int(0) => break,
                Initializer::Int(unit) => bytes.push(u8::try_from(*unit & 0xff).ok()?),
                _ => return None,
            }
        }
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Whether objects of a type may have pointers in them.
    pub fn may_hold_pointer(&self, ty: &CType) -> bool {
        ty.in_memory().map_or(true, |ty| ty.holds_pointer(&self.module))
    }

    /// Size of a type in bytes.
    pub fn size_of(&self, ty: &CType) -> Option<u64> {
        match ty.kind {
            // GNU C: the size of void and of functions is 1.
            super::types::Kind::Void | super::types::Kind::Function(_) => Some(1),
            _ if !is_complete(&self.records, ty) => None,
            _ => Some(ty.in_memory().ok()?.size(&self.module)),
        }
    }
}
