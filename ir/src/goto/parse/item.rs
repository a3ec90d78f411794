//! The items of a module.

use super::lexer::{Kind, Name};
use super::types::block_label;
use super::{Parse, Parser};
use crate::goto::entity::{Entity, FieldIndex, FileId, FunctionId, GlobalId, NameId, StructId};
use crate::goto::mnemonic::MEMORY;
use crate::goto::module::{Atomicity, Endianness, Global, Initializer, SignedOverflow};
use crate::goto::predicate::{Cube, CubeLiteral, Invariant, Predicate};
use crate::goto::print::TEXT_VERSION;
use crate::goto::source::Location;
use crate::goto::types::{BitField, Field, StructType};

const ITEMS: [&str; 16] = [
    "target",
    "memory",
    "atomicity",
    "signed_overflow",
    "file",
    "name",
    "note",
    "struct",
    "global",
    "define",
    "declare",
    "entry",
    "predicate",
    "cube",
    "invariant",
    "gir",
];

impl Parser<'_> {
    /// The second sweep.
    pub(super) fn module(&mut self) {
        self.mark(Entity::Module);
        if self.version().is_err() {
            // What follows is no text form, or one of another version.
            return;
        }
        while !self.at_end() {
            if self.item().is_err() {
                self.depth = 0;
                self.skip_to_line(|p| matches!(*p.kind(), Kind::Word(w) if ITEMS.contains(&w)));
            }
        }
    }

    fn version(&mut self) -> Parse<()> {
        if !self.is_word("gir") {
            return self.expected(&format!("`gir {TEXT_VERSION}`"));
        }
        self.advance();
        match self.kind() {
            Kind::Int { negative: false, magnitude, bits: None }
                if *magnitude == u128::from(TEXT_VERSION) =>
            {
                self.advance();
                Ok(())
            }
            Kind::Int { negative: false, magnitude, bits: None } => {
                let message = format!(
                    "version {magnitude} of the text form is not supported; this is version {TEXT_VERSION}"
                );
                self.fail(message)
            }
            _ => self.expected("a version number"),
        }
    }

    fn item(&mut self) -> Parse<()> {
        let Kind::Word(word) = *self.kind() else { return self.expected("an item") };
        if !ITEMS.contains(&word) || word == "gir" {
            // Not consumed on failure, so that the next line may be an item.
            let result = self.expected("an item (`global`, `define`, …)");
            self.advance();
            return result;
        }
        self.advance();
        match word {
            "target" => self.mark(Entity::Target),
            "struct" => self.mark(Entity::Struct(StructId::new(self.module.structs.len()))),
            "global" => self.mark(Entity::Global(GlobalId::new(self.module.globals.len()))),
            "define" | "declare" => {
                self.mark(Entity::Function(FunctionId::new(self.module.functions.len())));
            }
            "entry" => self.mark(Entity::Entry),
            "predicate" => self.mark(Entity::Predicate(self.module.predicates.len())),
            "cube" => self.mark(Entity::Cube(self.module.cubes.len())),
            "invariant" => self.mark(Entity::Invariant(self.module.invariants.len())),
            _ => {}
        }
        match word {
            "target" => self.target_info(),
            "memory" => {
                let table = MEMORY.iter().map(|(model, word)| (*word, *model));
                self.module.memory = self.one_of(&table.collect::<Vec<_>>())?;
                if self.kind_after(1) == &Kind::Punct('=') {
                    self.keyword("room")?;
                    self.punct('=')?;
                    self.module.room = Some(self.number("how many stores a buffer has room for")?);
                }
                Ok(())
            }
            "atomicity" => {
                let table = [("access", Atomicity::Access), ("statement", Atomicity::Statement)];
                self.module.atomicity = self.one_of(&table)?;
                Ok(())
            }
            "signed_overflow" => {
                let table = [("wrap", SignedOverflow::Wrap), ("absent", SignedOverflow::Absent)];
                self.module.signed_overflow = self.one_of(&table)?;
                Ok(())
            }
            "file" => {
                let file = self.string("the name of a file, quoted")?;
                let index = FileId::new(self.module.files.len()).0;
                self.files.entry(file.clone()).or_insert(index);
                self.module.files.push(file);
                Ok(())
            }
            "name" => {
                let name = self.name("the name of a source function")?;
                let index = NameId::new(self.module.names.len()).0;
                self.source_names.entry(name.clone()).or_insert(index);
                self.module.names.push(name);
                Ok(())
            }
            "note" => {
                let note = self.string("a string")?;
                self.module.notes.push(note);
                Ok(())
            }
            "struct" => self.structure(),
            "global" => self.global(),
            "define" => self.function(true),
            "declare" => self.function(false),
            "entry" => {
                self.module.entry = Some(self.function_reference()?);
                Ok(())
            }
            "predicate" => self.predicate(),
            "invariant" => self.invariant(),
            _ => self.cube(),
        }
    }

    fn target_info(&mut self) -> Parse<()> {
        while self.kind_after(1) == &Kind::Punct('=') {
            let start = self.token().start;
            let key = self.word("a setting")?;
            self.punct('=')?;
            let what = "a width in bits";
            match key {
                "pointer" => self.module.target.pointer_bits = self.number(what)?,
                "short" => self.module.target.short_bits = self.number(what)?,
                "int" => self.module.target.int_bits = self.number(what)?,
                "long" => self.module.target.long_bits = self.number(what)?,
                "long_long" => self.module.target.long_long_bits = self.number(what)?,
                "wchar" => self.module.target.wchar_bits = self.number(what)?,
                "char" => {
                    let table = [("signed", true), ("unsigned", false)];
                    self.module.target.char_signed = self.one_of(&table)?;
                }
                "endian" => {
                    let table = [("little", Endianness::Little), ("big", Endianness::Big)];
                    self.module.target.endianness = self.one_of(&table)?;
                }
                _ => {
                    let message = format!(
                        "unknown setting `{key}`; known are pointer, short, int, long, long_long, wchar, char and endian"
                    );
                    self.error_at(start, message);
                    return Err(super::Failed);
                }
            }
        }
        Ok(())
    }

    fn structure(&mut self) -> Parse<()> {
        let name = self.name("the name of a structure")?;
        self.keyword("size")?;
        let size = self.number("a size in bytes")?;
        self.keyword("align")?;
        let align = self.number("an alignment in bytes")?;
        self.punct('{')?;
        let mut fields = Vec::new();
        let id = StructId::new(self.module.structs.len());
        while !self.take_punct('}') {
            self.mark(Entity::Field(id, FieldIndex::new(fields.len())));
            let name = self.name("the name of a field or `}`")?;
            self.punct(':')?;
            let (ty, signed) = self.typed()?;
            self.keyword("at")?;
            let offset = self.number("an offset in bytes")?;
            let bit_fields = self.bit_fields()?;
            fields.push(Field { name, ty, offset, signed, bit_fields });
        }
        self.module.structs.push(StructType { name, fields, size, align });
        Ok(())
    }

    fn bit_fields(&mut self) -> Parse<Vec<BitField>> {
        let mut found = Vec::new();
        if !self.take_punct('{') {
            return Ok(found);
        }
        while !self.take_punct('}') {
            let name = self.name("the name of a bit-field or `}`")?;
            self.punct(':')?;
            self.keyword("bits")?;
            let width = self.number("a width in bits")?;
            let signed = self.take_word("signed");
            self.keyword("at")?;
            let offset = self.number("an offset in bits")?;
            found.push(BitField { name, offset, width, signed });
        }
        Ok(found)
    }

    fn global(&mut self) -> Parse<()> {
        let thread_local = self.take_word("thread_local");
        let constant = self.take_word("constant");
        let name = self.declared('$', "the name of a global, as `$x`")?;
        self.punct(':')?;
        let (ty, signed) = self.typed()?;
        self.punct('=')?;
        let initializer = self.initializer()?;
        let location = self.location(Location::default(), Location::default())?;
        self.module.globals.push(Global {
            name,
            ty,
            initializer,
            thread_local,
            constant,
            signed,
            location,
        });
        Ok(())
    }

    fn initializer(&mut self) -> Parse<Initializer> {
        match *self.kind() {
            Kind::Word("zero") => {
                self.advance();
                Ok(Initializer::Zero)
            }
            Kind::Word("nondet") => {
                self.advance();
                Ok(Initializer::Nondet)
            }
            Kind::Word("undefined") => {
                self.advance();
                Ok(Initializer::Undefined)
            }
            Kind::Int { .. } => self.number("an initial value").map(Initializer::Int),
            Kind::Sigil('@', _) => self.function_reference().map(Initializer::Function),
            Kind::Sigil('$', _) => {
                let global = self.global_reference()?;
                Ok(Initializer::Global(global, self.offset()?))
            }
            Kind::Punct('{') => {
                self.advance();
                let elements = self.nested(|p| p.list('}', Self::initializer))?;
                Ok(Initializer::Aggregate(elements))
            }
            _ => self.expected("an initial value"),
        }
    }

    /// `+4`, `-4` or nothing.
    fn offset(&mut self) -> Parse<i64> {
        if self.take_punct('+') {
            let offset: u64 = self.number("an offset in bytes")?;
            return match i64::try_from(offset) {
                Ok(offset) => Ok(offset),
                Err(_) => self.fail("this offset is too large"),
            };
        }
        match *self.kind() {
            Kind::Int { negative: true, magnitude, bits: None } if magnitude <= 1 << 63 => {
                self.advance();
                Ok((magnitude as u64).wrapping_neg() as i64)
            }
            _ => Ok(0),
        }
    }

    fn predicate(&mut self) -> Parse<()> {
        let text = self.string("the predicate's text, quoted")?;
        self.punct('=')?;
        let expression = self.expression()?;
        self.module.predicates.push(Predicate { expression, text });
        Ok(())
    }

    fn invariant(&mut self) -> Parse<()> {
        let by = self.string("the name of the pass that proved it, quoted")?;
        let function = self.function_reference()?;
        let Kind::Word(word) = *self.kind() else { return self.expected("a block, as `bb0`") };
        let Some(block) = block_label(word) else { return self.expected("a block, as `bb0`") };
        self.advance();
        self.punct(':')?;
        let index = self.number("how many instructions come before the place")?;
        self.punct('=')?;
        let expression = self.expression()?;
        self.module.invariants.push(Invariant { function, block, index, expression, by });
        Ok(())
    }

    fn cube(&mut self) -> Parse<()> {
        self.punct('{')?;
        let literals = self.list('}', |parser| {
            let negated = parser.take_word("not");
            let predicate = parser.number("the number of a predicate")?;
            Ok(CubeLiteral { predicate, negated })
        })?;
        self.module.cubes.push(Cube { literals });
        Ok(())
    }

    /// Where a function header is that says nothing; see the printer.
    pub(super) fn header_base(&self, name: &str) -> Location {
        let function = self.source_names.get(name).copied().unwrap_or_default();
        Location { function: NameId(function), ..Location::default() }
    }

    /// Whether the current token declares a local: `!v` or `&s`.
    pub(super) fn is_declared(&self, sigil: char) -> bool {
        matches!(self.kind(), Kind::Sigil(found, Name::Text(_)) if *found == sigil)
    }
}
