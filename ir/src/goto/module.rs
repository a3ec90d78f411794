//! Modules: target, globals, functions, predicate vocabulary and options.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::entity::{FileId, FunctionId, GlobalId, NameId, StructId};
use super::function::Function;
use super::instruction::{MemoryOrder, Operand};
use super::nesting::MAX_NESTING;
use super::operation;
use super::predicate::{Cube, CubeLiteral, Invariant, Predicate};
use super::source::Location;
use super::types::{StructType, Type};

/// Byte order of the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Endianness {
    /// Least significant byte first.
    #[default]
    Little,
    /// Most significant byte first.
    Big,
}

/// The machine that the program is compiled for. Widths are in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TargetInfo {
    /// Width of a pointer: 32 or 64.
    pub pointer_bits: u16,
    /// Width of `short`.
    pub short_bits: u16,
    /// Width of `int`.
    pub int_bits: u16,
    /// Width of `long`.
    pub long_bits: u16,
    /// Width of `long long`.
    pub long_long_bits: u16,
    /// Width of `wchar_t`.
    pub wchar_bits: u16,
    /// Whether plain `char` is signed.
    pub char_signed: bool,
    /// Byte order.
    pub endianness: Endianness,
}

impl TargetInfo {
    /// 64-bit Linux on x86.
    pub const LP64: Self = Self {
        pointer_bits: 64,
        short_bits: 16,
        int_bits: 32,
        long_bits: 64,
        long_long_bits: 64,
        wchar_bits: 32,
        char_signed: true,
        endianness: Endianness::Little,
    };

    /// 32-bit Linux on x86.
    pub const ILP32: Self = Self { pointer_bits: 32, long_bits: 32, ..Self::LP64 };
}

impl Default for TargetInfo {
    /// [`LP64`](Self::LP64).
    fn default() -> Self {
        Self::LP64
    }
}

/// What one step of a thread is (docs/goto-ir.md).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Atomicity {
    /// Threads interleave between visible steps.
    #[default]
    Access,
    /// The frontend has put an atomic section around every statement of the source.
    Statement,
}

/// In which order other threads may see the accesses of a thread (docs/memory-models.md).
///
/// A module is executed step by step under sequential consistency, whatever it says here: under
/// `Tso` and `Pso` the store buffers of that model are a part of its code, which the pass of that
/// name has put there. The interpreter can also be asked to execute a module that says `Sc` with
/// buffers of its own.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum MemoryModel {
    /// In program order: sequential consistency. Weaker orders of accesses say nothing then.
    #[default]
    Sc,
    /// Total store order, as on x86: a store waits in its thread's buffer, whose stores reach memory
    /// in program order; the thread itself sees the newest that waits.
    Tso,
    /// Partial store order, as on SPARC: as `Tso`, but only stores to the same place, and those that
    /// a release or a fence keeps apart, reach memory in program order.
    Pso,
}

impl MemoryModel {
    /// The note of accesses and fences of weaker orders, where the model is sequential consistency.
    pub const STRONGER_ORDERS: &str = "weaker memory orders are read as sequentially consistent";
}

/// What a signed operation that overflows does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SignedOverflow {
    /// It wraps, as on the machine.
    #[default]
    Wrap,
    /// It does not happen: such a run is cut off.
    Absent,
}

/// Initial contents of a global.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Initializer {
    /// All bytes zero.
    Zero,
    /// Any contents.
    Nondet,
    /// Any contents, which nobody has written yet: to an alias analysis no pointer in it is valid.
    Undefined,
    /// A scalar integer, zero-extended.
    Int(u128),
    /// The address of a global plus an offset in bytes.
    Global(GlobalId, i64),
    /// The address of a function.
    Function(FunctionId),
    /// The elements of an array or the fields of a structure, in order; what is missing is zero.
    Aggregate(#[serde(deserialize_with = "super::nesting::deserialize")] Vec<Initializer>),
}

impl Initializer {
    /// Whether it can be the contents of an object of a type: integers fit
    /// their width, addresses are as wide as a pointer, aggregates have no more
    /// elements than the type, and nothing nests deeper than [`MAX_NESTING`].
    #[must_use]
    pub fn fits(&self, module: &Module, ty: &Type) -> bool {
        self.fits_at(module, ty, 0)
    }

    fn fits_at(&self, module: &Module, ty: &Type, depth: usize) -> bool {
        let is_address = || ty.bits(module) == Some(module.target.pointer_bits);
        depth <= MAX_NESTING
            && match (self, ty) {
                (Self::Zero | Self::Nondet | Self::Undefined, _) => true,
                (Self::Int(value), Type::Int(_) | Type::Pointer) => {
                    ty.bits(module).is_some_and(|bits| bits >= 128 || *value >> bits == 0)
                }
                // An integer as wide as a pointer may hold an address.
                (Self::Global(global, _), _) => {
                    global.index() < module.globals.len() && is_address()
                }
                (Self::Function(id), _) => id.index() < module.functions.len() && is_address(),
                (Self::Aggregate(elements), Type::Array(element, count)) => {
                    elements.len() as u64 <= *count
                        && elements.iter().all(|inner| inner.fits_at(module, element, depth + 1))
                }
                (Self::Aggregate(elements), Type::Struct(id)) => {
                    let fields = module.structs.get(id.index()).map_or(&[][..], |s| &s.fields);
                    elements.len() <= fields.len()
                        && elements
                            .iter()
                            .zip(fields)
                            .all(|(inner, field)| inner.fits_at(module, &field.ty, depth + 1))
                }
                _ => false,
            }
    }
}

/// A global object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Global {
    /// Name, unique among the globals of the module.
    pub name: String,
    /// Type of the object.
    pub ty: Type,
    /// Initial contents.
    pub initializer: Initializer,
    /// Whether each thread has its own copy (`_Thread_local`).
    pub thread_local: bool,
    /// Whether it is never written.
    pub constant: bool,
    /// Whether the source type is a signed integer, or an array of such (used to read predicates
    /// and to show values).
    pub signed: bool,
    /// Where it is declared.
    pub location: Location,
}

impl Global {
    /// Whether a store to the object may wait in a buffer, if several threads come to it. What is never
    /// written, and what exists only for the verifier may not: as in CBMC, names that contain
    /// `__unbuffered_` or begin with `__CPROVER_`, among which are the library's models' own.
    #[must_use]
    pub fn is_buffered(&self) -> bool {
        let is_ghost = self.name.contains("__unbuffered_") || self.name.starts_with("__CPROVER_");
        !self.constant && !is_ghost
    }
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The machine.
    pub target: TargetInfo,
    /// What order the accesses of a thread have to others.
    pub memory: MemoryModel,
    /// Where buffers are a part of the code: how many stores one has room for, of a thread under TSO,
    /// of a thread and a place under PSO, so that the next one waits for room. `None` if no run is
    /// left out for want of room.
    pub room: Option<u32>,
    /// What one step is; recorded by the frontend.
    pub atomicity: Atomicity,
    /// What signed overflow does.
    pub signed_overflow: SignedOverflow,
    /// Source file names; indexed by [`FileId`].
    pub files: Vec<String>,
    /// Names of source functions; indexed by [`NameId`].
    pub names: Vec<String>,
    /// Structures; indexed by [`StructId`].
    pub structs: Vec<StructType>,
    /// Global objects; indexed by [`GlobalId`].
    pub globals: Vec<Global>,
    /// Functions; indexed by [`FunctionId`].
    pub functions: Vec<Function>,
    /// Where the initial thread starts; it takes no parameters that matter (they are nondeterministic).
    pub entry: Option<FunctionId>,
    /// Predicate vocabulary.
    pub predicates: Vec<Predicate>,
    /// Cubes over the vocabulary.
    pub cubes: Vec<Cube>,
    /// What is known to hold at places of the code.
    pub invariants: Vec<Invariant>,
    /// Assumptions and over-approximations that must reach the verdict
    /// ("extern function `f` returns any value").
    pub notes: Vec<String>,
}

impl Module {
    /// The globals that code or initialisers mention.
    #[must_use]
    pub fn used_globals(&self) -> BTreeSet<GlobalId> {
        let mut used = BTreeSet::new();
        let mut operand = |operand: Operand| {
            if let Operand::Global(id) = operand {
                used.insert(id);
            }
        };
        self.functions.iter().for_each(|function| function.for_each_operand(&mut operand));
        let mut pending: Vec<_> = self.globals.iter().map(|g| &g.initializer).collect();
        while let Some(initializer) = pending.pop() {
            match initializer {
                Initializer::Global(id, _) => drop(used.insert(*id)),
                Initializer::Aggregate(elements) => pending.extend(elements),
                _ => {}
            }
        }
        used
    }

    /// Whether an access or a fence asks for less than sequential consistency.
    #[must_use]
    pub fn has_weak_orders(&self) -> bool {
        let mut code = self.functions.iter().flat_map(Function::instructions);
        code.any(|instruction| instruction.op.order().is_some_and(MemoryOrder::is_weak))
    }

    /// Notes what is taken for granted of a function without a body that is called.
    pub fn note_undefined(&mut self, name: &str) {
        self.note(&format!("extern function `{name}` returns any value and changes nothing"));
    }

    /// Puts predicates in place of each predicate: none drops it. Of several the first ones stand for each
    /// other in cubes, and the second ones, and so on. Cubes of which that leaves no version are dropped.
    pub fn replace_predicates(&mut self, mut by: impl FnMut(Predicate) -> Vec<Predicate>) {
        let mut places: Vec<Range<u32>> = Vec::with_capacity(self.predicates.len());
        let place = |at: usize| u32::try_from(at).expect("predicates fit in memory");
        let mut new = Vec::with_capacity(self.predicates.len());
        for predicate in std::mem::take(&mut self.predicates) {
            let first = new.len();
            new.extend(by(predicate));
            places.push(place(first)..place(new.len()));
        }
        self.predicates = new;
        for cube in std::mem::take(&mut self.cubes) {
            let of = |literal: &CubeLiteral| places[literal.predicate as usize].clone();
            let counts = || cube.literals.iter().map(|literal| of(literal).len());
            let most = counts().max().unwrap_or(1);
            if counts().any(|count| count != most && count != 1) {
                continue;
            }
            for version in 0..most {
                let literals = cube.literals.iter().map(|literal| {
                    let versions = of(literal);
                    let version = if versions.len() == 1 { 0 } else { version };
                    CubeLiteral { predicate: versions.start + place(version), ..*literal }
                });
                self.cubes.push(Cube { literals: literals.collect() });
            }
        }
    }

    /// Adds an assumption or over-approximation that must reach the verdict, once.
    pub fn note(&mut self, note: &str) {
        if self.notes.iter().all(|known| known != note) {
            self.notes.push(note.to_owned());
        }
    }

    /// The file of this name, added if new.
    pub fn intern_file(&mut self, name: &str) -> FileId {
        FileId::new(intern(&mut self.files, name))
    }

    /// The source function name, added if new.
    pub fn intern_name(&mut self, name: &str) -> NameId {
        NameId::new(intern(&mut self.names, name))
    }

    /// The function of this name.
    #[must_use]
    pub fn function_by_name(&self, name: &str) -> Option<FunctionId> {
        self.functions.iter().position(|f| f.name == name).map(FunctionId::new)
    }

    /// The global of this name.
    #[must_use]
    pub fn global_by_name(&self, name: &str) -> Option<GlobalId> {
        self.globals.iter().position(|g| g.name == name).map(GlobalId::new)
    }

    /// Adds a global; its name gets primes until no other has it.
    pub fn add_global(&mut self, mut global: Global) -> GlobalId {
        while self.global_by_name(&global.name).is_some() {
            global.name.push('\'');
        }
        self.globals.push(global);
        GlobalId::new(self.globals.len() - 1)
    }

    /// The structure of this name.
    #[must_use]
    pub fn struct_by_name(&self, name: &str) -> Option<StructId> {
        self.structs.iter().position(|s| s.name == name).map(StructId::new)
    }

    /// The function of this id.
    ///
    /// # Panics
    /// If the module has no such function.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// Functions with their ids.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        self.functions
            .iter()
            .enumerate()
            .map(|(index, function)| (FunctionId::new(index), function))
    }

    /// The operation that an instruction at a location is a part of.
    #[must_use]
    pub fn operation(&self, location: Location) -> Option<&str> {
        self.names.get(location.operation?.index()).map(String::as_str)
    }

    /// Whether an instruction at a location belongs to the records that passes keep.
    #[must_use]
    pub fn is_record(&self, location: Location) -> bool {
        self.operation(location) == Some(operation::RECORD)
    }

    /// `file:line:column` of a location without a column that is unknown; `?`
    /// where nothing is known.
    #[must_use]
    pub fn describe(&self, location: Location) -> String {
        let file = self.files.get(location.file.index()).map_or("?", String::as_str);
        match (location.line, location.column) {
            (0, _) => "?".to_owned(),
            (line, 0) => format!("{file}:{line}"),
            (line, column) => format!("{file}:{line}:{column}"),
        }
    }
}

fn intern(table: &mut Vec<String>, name: &str) -> usize {
    // The last entry is the likeliest: locations come in source order.
    if let Some(index) = table.iter().rposition(|entry| entry == name) {
        return index;
    }
    table.push(name.to_owned());
    table.len() - 1
}
