//! The text form (`.gir`) of a module.
//!
//! What is printed here, [`parse`](super::parse()) reads back to an equal module:
//! all ids, unused values, duplicate names and empty tables included. (Only ids
//! that are out of range are lost; the verifier rejects those.) The grammar is in
//! `docs/goto-ir.md`.

mod expression;
mod function;
mod names;

use std::fmt::{self, Write};

use names::{Table, write_name, write_string};

use super::entity::{Entity, FieldIndex, FileId, FunctionId, GlobalId, NameId, StructId};
use super::function::Function;
use super::mnemonic::{MEMORY, word};
use super::module::{Atomicity, Endianness, Global, Initializer, Module, SignedOverflow};
use super::predicate::{Cube, Expression, Invariant, Predicate};
use super::source::Location;
use super::types::{StructType, Type};

/// Version of the text form, in its first line.
pub const TEXT_VERSION: u32 = 1;

/// The text form of a module.
#[must_use]
pub fn print(module: &Module) -> String {
    let mut printer = Printer::new(module);
    printer.module();
    printer.out
}

/// The text form of one function of a module; empty if there is no such function.
#[must_use]
pub fn print_function(module: &Module, function: FunctionId) -> String {
    let mut printer = Printer::new(module);
    if let Some(function) = module.functions.get(function.index()) {
        printer.function(function);
    }
    printer.out
}

/// The text form of an expression, as in a `predicate` line.
#[must_use]
pub fn print_expression(module: &Module, expression: &Expression) -> String {
    let mut printer = Printer::new(module);
    printer.expression(expression);
    printer.out
}

/// The text form of a type.
#[must_use]
pub fn print_type(module: &Module, ty: &Type) -> String {
    let mut printer = Printer::new(module);
    printer.ty(ty);
    printer.out
}

/// What a module says of an entity, as in the text form: the line of an instruction or a predicate, the
/// head of a function or a block, each after where it is (`@f, bb2: `). Empty for what does not exist,
/// and for the module as a whole.
#[must_use]
pub fn print_entity(module: &Module, entity: Entity) -> String {
    let mut printer = Printer::new(module);
    printer.entity(entity);
    printer.out.truncate(printer.out.trim_end().len());
    printer.out
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

/// Appends text to `out`. Writing to a string cannot fail.
macro_rules! emit {
    ($printer:expr, $($argument:tt)*) => {
        { let _ = write!($printer.out, $($argument)*); }
    };
}
use emit;

struct Printer<'m> {
    module: &'m Module,
    out: String,
    files: Table<'m>,
    source_names: Table<'m>,
    structs: Table<'m>,
    globals: Table<'m>,
    functions: Table<'m>,
}

impl<'m> Printer<'m> {
    fn new(module: &'m Module) -> Self {
        Self {
            module,
            out: String::new(),
            files: Table::new(module.files.iter().map(String::as_str)),
            source_names: Table::new(module.names.iter().map(String::as_str)),
            structs: Table::new(module.structs.iter().map(|s| s.name.as_str())),
            globals: Table::new(module.globals.iter().map(|g| g.name.as_str())),
            functions: Table::new(module.functions.iter().map(|f| f.name.as_str())),
        }
    }

    fn module(&mut self) {
        let module = self.module;
        emit!(self, "gir {TEXT_VERSION}\n");
        self.options();
        for file in &module.files {
            self.out.push_str("file ");
            write_string(&mut self.out, file);
            self.out.push('\n');
        }
        for name in &module.names {
            self.out.push_str("name ");
            write_name(&mut self.out, name, false);
            self.out.push('\n');
        }
        for note in &module.notes {
            self.out.push_str("note ");
            write_string(&mut self.out, note);
            self.out.push('\n');
        }
        for structure in &module.structs {
            self.structure(structure);
        }
        if !module.globals.is_empty() {
            self.out.push('\n');
        }
        for global in &module.globals {
            self.global(global);
        }
        for function in &module.functions {
            self.out.push('\n');
            self.function(function);
        }
        if let Some(entry) = module.entry {
            self.out.push_str("\nentry ");
            self.function_name(entry);
            self.out.push('\n');
        }
        self.vocabulary();
    }

    fn options(&mut self) {
        let target = &self.module.target;
        emit!(
            self,
            "target pointer={} short={} int={} long={} long_long={} wchar={} char={} endian={}\n",
            target.pointer_bits,
            target.short_bits,
            target.int_bits,
            target.long_bits,
            target.long_long_bits,
            target.wchar_bits,
            if target.char_signed { "signed" } else { "unsigned" },
            match target.endianness {
                Endianness::Little => "little",
                Endianness::Big => "big",
            },
        );
        emit!(self, "memory {}", word(MEMORY, &self.module.memory));
        if let Some(room) = self.module.room {
            emit!(self, " room={room}");
        }
        self.out.push('\n');
        self.out.push_str(match self.module.atomicity {
            Atomicity::Access => "atomicity access\n",
            Atomicity::Statement => "atomicity statement\n",
        });
        self.out.push_str(match self.module.signed_overflow {
            SignedOverflow::Wrap => "signed_overflow wrap\n",
            SignedOverflow::Absent => "signed_overflow absent\n",
        });
    }

    fn structure(&mut self, structure: &StructType) {
        self.out.push_str("\nstruct ");
        write_name(&mut self.out, &structure.name, false);
        emit!(self, " size {} align {} {{\n", structure.size, structure.align);
        for field in &structure.fields {
            self.out.push_str("  ");
            write_name(&mut self.out, &field.name, false);
            self.out.push_str(": ");
            self.typed(&field.ty, field.signed);
            emit!(self, " at {}", field.offset);
            if !field.bit_fields.is_empty() {
                self.out.push_str(" {");
                for bits in &field.bit_fields {
                    self.out.push(' ');
                    write_name(&mut self.out, &bits.name, false);
                    let sign = if bits.signed { " signed" } else { "" };
                    emit!(self, ": bits {}{sign} at {}", bits.width, bits.offset);
                }
                self.out.push_str(" }");
            }
            self.out.push('\n');
        }
        self.out.push_str("}\n");
    }

    fn global(&mut self, global: &Global) {
        self.out.push_str("global ");
        if global.thread_local {
            self.out.push_str("thread_local ");
        }
        if global.constant {
            self.out.push_str("constant ");
        }
        self.out.push('$');
        write_name(&mut self.out, &global.name, true);
        self.out.push_str(": ");
        self.typed(&global.ty, global.signed);
        self.out.push_str(" = ");
        self.initializer(&global.initializer);
        self.location(global.location, Location::default(), Location::default());
        self.out.push('\n');
    }

    fn entity(&mut self, entity: Entity) {
        let module = self.module;
        match entity {
            Entity::Module | Entity::Target => {}
            Entity::Struct(id) => self.struct_name(id),
            Entity::Field(id, field) => self.field_name(id, field),
            Entity::Global(id) => {
                if let Some(global) = module.globals.get(id.index()) {
                    self.global(global);
                }
            }
            Entity::Entry => {
                self.out.push_str("entry ");
                module.entry.into_iter().for_each(|entry| self.function_name(entry));
            }
            Entity::Predicate(index) => {
                if let Some(predicate) = module.predicates.get(index) {
                    self.predicate(predicate);
                }
            }
            Entity::Cube(index) => {
                if let Some(cube) = module.cubes.get(index) {
                    self.cube(cube);
                }
            }
            Entity::Invariant(index) => {
                if let Some(invariant) = module.invariants.get(index) {
                    self.invariant(invariant);
                }
            }
            Entity::Function(id)
            | Entity::Variable(id, _)
            | Entity::Slot(id, _)
            | Entity::Value(id, _)
            | Entity::Block(id, _)
            | Entity::Instruction(id, ..)
            | Entity::Terminator(id, _) => {
                self.function_name(id);
                if let Some(function) = module.functions.get(id.index()) {
                    self.part(function, entity);
                }
            }
        }
    }

    fn initializer(&mut self, initializer: &Initializer) {
        match initializer {
            Initializer::Zero => self.out.push_str("zero"),
            Initializer::Nondet => self.out.push_str("nondet"),
            Initializer::Undefined => self.out.push_str("undefined"),
            Initializer::Int(value) => emit!(self, "{value}"),
            Initializer::Global(global, offset) => {
                self.global_name(*global);
                if *offset != 0 {
                    emit!(self, "{offset:+}");
                }
            }
            Initializer::Function(function) => self.function_name(*function),
            Initializer::Aggregate(elements) => {
                self.out.push('{');
                for (index, element) in elements.iter().enumerate() {
                    self.comma(index);
                    self.initializer(element);
                }
                self.out.push('}');
            }
        }
    }

    fn vocabulary(&mut self) {
        let module = self.module;
        if !module.predicates.is_empty() || !module.cubes.is_empty() {
            self.out.push('\n');
        }
        module.predicates.iter().for_each(|predicate| self.predicate(predicate));
        module.cubes.iter().for_each(|cube| self.cube(cube));
        if !module.invariants.is_empty() {
            self.out.push('\n');
        }
        module.invariants.iter().for_each(|invariant| self.invariant(invariant));
    }

    fn invariant(&mut self, invariant: &Invariant) {
        self.out.push_str("invariant ");
        write_string(&mut self.out, &invariant.by);
        self.out.push(' ');
        self.function_name(invariant.function);
        emit!(self, " {}:{} = ", invariant.block, invariant.index);
        self.expression(&invariant.expression);
        self.out.push('\n');
    }

    fn predicate(&mut self, predicate: &Predicate) {
        self.out.push_str("predicate ");
        write_string(&mut self.out, &predicate.text);
        self.out.push_str(" = ");
        self.expression(&predicate.expression);
        self.out.push('\n');
    }

    fn cube(&mut self, cube: &Cube) {
        self.out.push_str("cube {");
        for (index, literal) in cube.literals.iter().enumerate() {
            self.comma(index);
            emit!(self, "{}{}", if literal.negated { "not " } else { "" }, literal.predicate);
        }
        self.out.push_str("}\n");
    }

    /// Writes what a location says beyond `base`; nothing if it equals `previous`.
    fn location(&mut self, location: Location, base: Location, previous: Location) {
        if location == previous {
            return;
        }
        emit!(self, "  #{}:{}", location.line, location.column);
        if location.file != base.file {
            self.out.push_str(" of ");
            self.file_name(location.file);
        }
        if location.function != base.function {
            self.out.push_str(" in ");
            self.source_name(location.function);
        }
        if let Some(operation) = location.operation {
            self.out.push_str(" via ");
            self.source_name(operation);
        }
    }

    /// Location of a function header that does not say more: line 0 of the
    /// first file, in the source function of the same name.
    fn header_base(&self, function: &Function) -> Location {
        let name = self.module.names.iter().position(|name| *name == function.name);
        Location { function: name.map(NameId::new).unwrap_or_default(), ..Location::default() }
    }

    fn typed(&mut self, ty: &Type, signed: bool) {
        self.ty(ty);
        if signed {
            self.out.push_str(" signed");
        }
    }

    fn ty(&mut self, ty: &Type) {
        let mut ty = ty;
        let mut arrays = 0;
        while let Type::Array(element, count) = ty {
            emit!(self, "[{count} x ");
            arrays += 1;
            ty = element;
        }
        match ty {
            Type::Int(bits) => emit!(self, "i{bits}"),
            Type::Pointer => self.out.push_str("ptr"),
            Type::Struct(structure) => self.struct_name(*structure),
            Type::Array(..) => {}
        }
        for _ in 0..arrays {
            self.out.push(']');
        }
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push_str(", ");
        }
    }

    fn function_name(&mut self, function: FunctionId) {
        self.out.push('@');
        self.functions.write(&mut self.out, function.index(), true);
    }

    fn global_name(&mut self, global: GlobalId) {
        self.out.push('$');
        self.globals.write(&mut self.out, global.index(), true);
    }

    fn struct_name(&mut self, structure: StructId) {
        self.out.push_str("struct ");
        self.structs.write(&mut self.out, structure.index(), false);
    }

    fn file_name(&mut self, file: FileId) {
        match self.files.get(file.index()) {
            Some(name) => write_string(&mut self.out, name),
            None => emit!(self, "#{}", file.0),
        }
    }

    fn source_name(&mut self, name: NameId) {
        self.source_names.write(&mut self.out, name.index(), false);
    }

    /// A field as `struct name.field`; by index where its name does not identify it.
    fn field_name(&mut self, structure: StructId, field: FieldIndex) {
        self.struct_name(structure);
        self.out.push('.');
        let fields = self.module.structs.get(structure.index()).map_or(&[][..], |s| &s.fields);
        match fields.get(field.index()) {
            Some(found)
                if !found.name.is_empty()
                    && fields.iter().position(|f| f.name == found.name) == Some(field.index()) =>
            {
                write_name(&mut self.out, &found.name, false);
            }
            _ => emit!(self, "#{}", field.0),
        }
    }

    /// A constant; small negative numbers read better as such.
    fn int(&mut self, bits: u16, value: u128) {
        match (bits, value) {
            (1, 0) => self.out.push_str("false"),
            (1, 1) => self.out.push_str("true"),
            (2..=128, _) => {
                let shift = 128 - u32::from(bits);
                let signed = ((value << shift) as i128) >> shift;
                let fits = shift == 0 || value >> bits == 0;
                if fits && (-65536..0).contains(&signed) {
                    emit!(self, "{signed}i{bits}");
                } else {
                    emit!(self, "{value}i{bits}");
                }
            }
            _ => emit!(self, "{value}i{bits}"),
        }
    }
}
