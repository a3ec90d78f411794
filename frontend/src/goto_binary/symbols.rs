//! Objects and functions of goto binaries.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{Endianness, GlobalId, Initializer, TargetInfo};

use super::irep::{Irep, Text};
use super::list::called;
use super::read::{Binary, InstructionKind};
use crate::lower::link::Found;
use crate::lower::program::{Entity, Lowered, Lowerer};
use crate::lower::types::{CType, FunctionType, Kind};
use crate::position::{FileId, Position};

/// The function that a linked binary starts with, and the one that initialises objects.
const START: &str = "__CPROVER__start";
const INITIALIZE: &str = "__CPROVER_initialize";

/// What is known of the goto binaries while a program is lowered.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The binaries, by unit.
    binaries: FxHashMap<usize, Rc<Binary>>,
    /// Types by unit and irep.
    pub types: FxHashMap<(usize, Irep), Cached>,
    /// Records by unit and tag.
    pub tags: FxHashMap<(usize, String), CType>,
    /// Objects by unit and name.
    objects: FxHashMap<(usize, String), GlobalId>,
    /// Objects with external linkage: the unit and symbol that define them.
    definitions: FxHashMap<String, (usize, usize)>,
    /// What `__CPROVER_initialize` gives to objects, by unit and name.
    initial: FxHashMap<(usize, String), Irep>,
    /// Files by unit and name.
    files: FxHashMap<(usize, Text), FileId>,
    /// Expressions that may still be converted: trees may share parts in the file.
    pub budget: u64,
}

/// A type, or that it is being made.
#[derive(Debug)]
pub(super) enum Cached {
    Open,
    Known(CType, u32),
}

/// The functions that a binary defines. Bodies that CBMC added from its library
/// or made for a compiler's builtin are not the program's.
pub(crate) fn definitions(binary: &Binary) -> Vec<Found> {
    let mut found = Vec::new();
    for (item, function) in binary.functions.iter().enumerate() {
        let Some(symbol) = binary.symbol(&function.name) else { continue };
        let file = binary.ireps.value(symbol.location, "file");
        if file.starts_with("<builtin-library-")
            || file.starts_with("<built-in-library")
            || crate::lower::library::atomic_builtin(&function.name).is_some()
        {
            continue;
        }
        found.push(Found {
            item,
            name: function.name.clone(),
            is_static: symbol.is_file_local(),
            is_inline: binary.ireps.flag(symbol.ty, "#inlined"),
            position: Position::default(),
        });
    }
    found
}

/// What the start function of a linked binary calls.
pub(crate) fn entry_name(binary: &Binary) -> Option<String> {
    let start = binary.functions.iter().find(|function| function.name == START)?;
    let calls = start.instructions.iter().filter(|i| i.kind == InstructionKind::FunctionCall);
    let names = calls.filter_map(|i| called(binary, i.code));
    names.rev().find(|name| *name != INITIALIZE).map(str::to_owned)
}

/// Enters the objects that a binary, the current unit, defines.
pub(crate) fn declare(lowerer: &mut Lowerer<'_>, binary: &Rc<Binary>) {
    let ireps = &binary.ireps;
    let unit = lowerer.unit;
    lowerer.goto().binaries.insert(unit, Rc::clone(binary));
    lowerer.goto().budget += 1_000_000 + 64 * ireps.len() as u64;
    take_target(lowerer, binary);
    for (index, symbol) in binary.symbols.iter().enumerate() {
        if symbol.is_type()
            || !symbol.is_static_lifetime()
            || symbol.is_file_local()
            || symbol.is_extern()
            || ireps.id(symbol.ty) == "code"
        {
            continue;
        }
        let name = ireps.text(symbol.name);
        let has_value = ireps.id(symbol.value) != "nil";
        match lowerer.goto().definitions.get(name).copied() {
            // Tentative definitions give way; what CBMC defines is everywhere.
            Some(_) if !has_value || name.starts_with("__CPROVER") => {}
            Some((other, known)) => {
                let defined = lowerer.goto().binaries.get(&other).is_some_and(|binary| {
                    let symbol = binary.symbols.get(known);
                    symbol.is_some_and(|symbol| binary.ireps.id(symbol.value) != "nil")
                });
                if defined {
                    let position = lowerer.goto_position(binary, symbol.location);
                    let message = format!("'{name}' is initialised more than once");
                    let _: Lowered<()> = lowerer.error(position, message);
                }
                lowerer.goto().definitions.insert(name.to_owned(), (unit, index));
            }
            None => drop(lowerer.goto().definitions.insert(name.to_owned(), (unit, index))),
        }
    }
    for function in binary.functions.iter().filter(|function| function.name == INITIALIZE) {
        for instruction in &function.instructions {
            let target = ireps.operand(instruction.code, 0);
            if let (InstructionKind::Assign, Some(target), Some(value)) =
                (instruction.kind, target, ireps.operand(instruction.code, 1))
                && ireps.id(target) == "symbol"
            {
                let name = ireps.value(target, "identifier").to_owned();
                lowerer.goto().initial.insert((unit, name), value);
            }
        }
    }
}

/// The machine that a binary was made for must be one that the IR knows, and
/// that of the other binaries. A binary that does not say is for LP64 Linux.
fn take_target(lowerer: &mut Lowerer<'_>, binary: &Binary) {
    let number = |name: &str| {
        let symbol = binary.symbol(&format!("__CPROVER_architecture_{name}"))?;
        binary.ireps.value(symbol.value, "value").parse::<u16>().ok()
    };
    let default = TargetInfo::default();
    let target = TargetInfo {
        pointer_bits: number("pointer_width").unwrap_or(default.pointer_bits),
        short_bits: number("short_int_width").unwrap_or(default.short_bits),
        int_bits: number("int_width").unwrap_or(default.int_bits),
        long_bits: number("long_int_width").unwrap_or(default.long_bits),
        long_long_bits: number("long_long_int_width").unwrap_or(default.long_long_bits),
        wchar_bits: number("wchar_t_width").unwrap_or(default.wchar_bits),
        char_signed: number("char_is_unsigned")
            .map_or(default.char_signed, |unsigned| unsigned == 0),
        // Little-endian is 1.
        endianness: match number("endianness") {
            Some(2) => Endianness::Big,
            _ => Endianness::Little,
        },
    };
    let known = matches!(target.pointer_bits, 32 | 64)
        && target.int_bits == 32
        && target.endianness == Endianness::Little;
    let message = if !known {
        "the machine that this binary is made for is not supported: little-endian ones with 32 or \
         64 bits are"
    } else if lowerer.unit > 0 && lowerer.module.target != target {
        "this binary is made for another machine than the one before"
    } else {
        lowerer.module.target = target;
        return;
    };
    let _: Lowered<()> = lowerer.error(Position::default(), message);
}

/// The type of the function at an index of a binary, which is the current unit.
pub(crate) fn type_of_definition(
    lowerer: &mut Lowerer<'_>,
    binary: &Binary,
    item: usize,
) -> Option<FunctionType> {
    let name = &binary.functions.get(item)?.name;
    let symbol = binary.symbol(name)?;
    match lowerer.goto_type(binary, symbol.ty).kind {
        Kind::Function(ty) => Some(*ty),
        _ => None,
    }
}

impl Lowerer<'_> {
    /// What is known of the goto binaries.
    pub(super) fn goto(&mut self) -> &mut State {
        self.kept()
    }

    /// The place that a source location names.
    pub(super) fn goto_position(&mut self, binary: &Binary, location: Irep) -> Position {
        let ireps = &binary.ireps;
        let Some(file) = ireps.get(location, "file").map(|file| ireps.id_text(file)) else {
            return Position::default();
        };
        let key = (self.unit, file);
        let file = match self.goto().files.get(&key) {
            Some(file) => *file,
            None => {
                let Some(unit) = self.units.get_mut(self.unit) else { return Position::default() };
                let id = unit.files.add(ireps.text(file));
                self.goto().files.insert(key, id);
                id
            }
        };
        Position {
            file,
            line: ireps.number(location, "line").unwrap_or(0),
            column: ireps.number(location, "column").unwrap_or(0),
        }
    }

    /// What a name means in a binary, the current unit: an object that lives as
    /// long as the program, or a function.
    pub(super) fn goto_symbol(
        &mut self,
        binary: &Binary,
        name: &str,
        position: Position,
    ) -> Lowered<Entity> {
        if let Some(entity) = self.lookup(name) {
            return Ok(entity.clone());
        }
        let Some(index) = binary.symbol_index(name) else {
            return self.error(position, format!("the symbol '{name}' is not in the symbol table"));
        };
        let Some(symbol) = binary.symbols.get(index).cloned() else {
            return self.error(position, format!("the symbol '{name}' is not in the symbol table"));
        };
        let ty = self.goto_type(binary, symbol.ty);
        if let Kind::Function(ty) = ty.kind {
            let ty = self.defined_type(name).unwrap_or(*ty);
            return Ok(Entity::Function(Rc::new(ty)));
        }
        if !symbol.is_static_lifetime() {
            return self.error(position, format!("the object '{name}' is not declared here"));
        }
        let unit = self.unit;
        let key = (unit, name.to_owned());
        if let Some(id) = self.goto().objects.get(&key) {
            return Ok(Entity::Global(*id, ty));
        }
        let place = match self.goto().definitions.get(name) {
            Some(place) if !symbol.is_file_local() => *place,
            _ => (unit, index),
        };
        let id = self.goto_object(place, name, position)?;
        self.goto().objects.insert(key, id);
        Ok(Entity::Global(id, ty))
    }

    /// The object that a symbol of a unit defines.
    fn goto_object(
        &mut self,
        (unit, index): (usize, usize),
        name: &str,
        position: Position,
    ) -> Lowered<GlobalId> {
        let key = (unit, name.to_owned());
        if let Some(id) = self.goto().objects.get(&key) {
            return Ok(*id);
        }
        let Some(binary) = self.goto().binaries.get(&unit).cloned() else {
            return self.error(position, format!("the object '{name}' is not known"));
        };
        let Some(symbol) = binary.symbols.get(index).cloned() else {
            return self.error(position, format!("the object '{name}' is not known"));
        };
        let current = std::mem::replace(&mut self.unit, unit);
        let result = self.new_object(&binary, &symbol, name);
        self.unit = current;
        match result {
            Ok(id) => Ok(id),
            Err(Some(what)) => self.error(position, format!("{what} is not supported")),
            Err(None) => Err(crate::lower::program::Reported),
        }
    }

    /// Makes an object with its initial contents. The error is what is not
    /// supported, or was reported.
    fn new_object(
        &mut self,
        binary: &Binary,
        symbol: &super::read::Symbol,
        name: &str,
    ) -> Result<GlobalId, Option<&'static str>> {
        let ireps = &binary.ireps;
        let ty = self.goto_type(binary, symbol.ty);
        let position = self.goto_position(binary, symbol.location);
        let location = self.location(position, sapa_ir::goto::NameId(0));
        // `f::1::x` is the `x` of `f`.
        let mut parts = name.split("::").filter(|part| part.parse::<u32>().is_err());
        let shown = parts.next().map_or(String::new(), str::to_owned);
        let shown = parts.fold(shown, |sum, part| format!("{sum}::{part}"));
        let id = self.add_global(&shown, &ty, Initializer::Zero, location).map_err(Some)?;
        // Its initial contents may name it.
        let key = (self.unit, name.to_owned());
        let given = self.goto().initial.get(&key).copied();
        self.goto().objects.insert(key, id);
        let initializer = match given.or(Some(symbol.value)) {
            Some(value) if ireps.id(value) != "nil" => {
                self.goto_initializer(binary, &ty, value, position).map_err(|_| None)?
            }
            _ if symbol.is_extern() => Initializer::Nondet,
            _ => Initializer::Zero,
        };
        self.set_initializer(id, initializer, position).map_err(|_| None)?;
        if let Some(global) = self.module.globals.get_mut(id.index()) {
            global.thread_local = symbol.is_thread_local();
        }
        Ok(id)
    }
}

/// Objects of a function that are declared in it, by name.
pub(super) fn declared_in(
    binary: &Binary,
    instructions: impl Iterator<Item = Irep>,
) -> FxHashSet<String> {
    instructions
        .filter_map(|code| binary.ireps.operand(code, 0))
        .map(|symbol| binary.ireps.value(symbol, "identifier").to_owned())
        .collect()
}
