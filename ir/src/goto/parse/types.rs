//! Types, references by name and constants.

use super::lexer::{Kind, Name};
use super::{Parse, Parser};
use crate::goto::entity::{
    BlockId, FieldIndex, FileId, FunctionId, GlobalId, NameId, SlotId, StructId, VariableId,
};
use crate::goto::source::Location;
use crate::goto::types::Type;

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parse<Type> {
        if self.take_punct('[') {
            let count = self.number("a number of elements")?;
            self.keyword("x")?;
            let element = self.nested(Self::ty)?;
            self.punct(']')?;
            return Ok(Type::Array(Box::new(element), count));
        }
        match *self.kind() {
            Kind::Word("ptr") => {
                self.advance();
                Ok(Type::Pointer)
            }
            Kind::Word("struct") => self.struct_reference().map(Type::Struct),
            Kind::Word(word) => match word.strip_prefix('i').and_then(|bits| bits.parse().ok()) {
                Some(bits) => {
                    self.advance();
                    Ok(Type::Int(bits))
                }
                None => self.expected("a type"),
            },
            _ => self.expected("a type"),
        }
    }

    /// A type, and whether the source type is signed.
    pub(super) fn typed(&mut self) -> Parse<(Type, bool)> {
        let ty = self.ty()?;
        Ok((ty, self.take_word("signed")))
    }

    /// `#3`, as an index.
    fn index_reference(&mut self) -> Parse<Option<u32>> {
        if !self.take_punct('#') {
            return Ok(None);
        }
        self.number("an index").map(Some)
    }

    pub(super) fn struct_reference(&mut self) -> Parse<StructId> {
        self.keyword("struct")?;
        if let Some(index) = self.index_reference()? {
            return Ok(StructId(index));
        }
        let start = self.token().start;
        let name = self.name("the name of a structure")?;
        match self.structs.get(&name) {
            Some(index) => Ok(StructId(*index)),
            None => {
                self.error_at(start, format!("no structure is called `{name}`"));
                Err(super::Failed)
            }
        }
    }

    /// `struct name.field`.
    pub(super) fn field_reference(&mut self) -> Parse<(StructId, FieldIndex)> {
        let structure = self.struct_reference()?;
        self.punct('.')?;
        if let Some(index) = self.index_reference()? {
            return Ok((structure, FieldIndex(index)));
        }
        let start = self.token().start;
        let name = self.name("the name of a field")?;
        // Structures precede the functions and predicates that use their fields.
        let data = self.module.structs.get(structure.index());
        let found = data.and_then(|s| s.fields.iter().position(|field| field.name == name));
        match found {
            Some(index) => Ok((structure, FieldIndex::new(index))),
            None => {
                let owner = data.map_or("?", |s| s.name.as_str());
                let message = format!("structure `{owner}` has no field `{name}`");
                self.error_at(start, message);
                Err(super::Failed)
            }
        }
    }

    pub(super) fn function_reference(&mut self) -> Parse<FunctionId> {
        let start = self.token().start;
        match self.sigil('@', "a function")? {
            Name::Index(index) => Ok(FunctionId(index)),
            Name::Text(name) => match self.functions.get(&*name) {
                Some(index) => Ok(FunctionId(*index)),
                None => self.unknown(start, "function", '@', &name),
            },
        }
    }

    pub(super) fn global_reference(&mut self) -> Parse<GlobalId> {
        let start = self.token().start;
        match self.sigil('$', "a global")? {
            Name::Index(index) => Ok(GlobalId(index)),
            Name::Text(name) => match self.globals.get(&*name) {
                Some(index) => Ok(GlobalId(*index)),
                None => self.unknown(start, "global", '$', &name),
            },
        }
    }

    pub(super) fn variable_reference(&mut self, function: FunctionId) -> Parse<VariableId> {
        self.local(function, '!', "variable").map(VariableId)
    }

    pub(super) fn slot_reference(&mut self, function: FunctionId) -> Parse<SlotId> {
        self.local(function, '&', "slot").map(SlotId)
    }

    fn local(&mut self, function: FunctionId, sigil: char, what: &str) -> Parse<u32> {
        let start = self.token().start;
        match self.sigil(sigil, &format!("a {what}"))? {
            Name::Index(index) => Ok(index),
            Name::Text(name) => {
                let table = self.locals.get(&(function.0, sigil));
                match table.and_then(|table| table.get(&*name)) {
                    Some(index) => Ok(*index),
                    None => self.unknown(start, what, sigil, &name),
                }
            }
        }
    }

    fn unknown<T>(&mut self, start: usize, what: &str, sigil: char, name: &str) -> Parse<T> {
        self.error_at(start, format!("no {what} is called `{sigil}{name}`"));
        Err(super::Failed)
    }

    /// `bb3`.
    pub(super) fn block_reference(&mut self) -> Parse<BlockId> {
        match *self.kind() {
            Kind::Word(word) => match block_label(word) {
                Some(block) => {
                    self.advance();
                    Ok(block)
                }
                None => self.expected("a block"),
            },
            _ => self.expected("a block"),
        }
    }

    /// The constant that the current token is, if it is one: width and bits.
    pub(super) fn constant(&mut self) -> Parse<Option<(u16, u128)>> {
        let constant = match *self.kind() {
            Kind::Word("false") => (1, 0),
            Kind::Word("true") => (1, 1),
            Kind::Int { bits: None, .. } => {
                return self.fail("a constant needs its width, as in `7i32`");
            }
            Kind::Int { negative: false, magnitude, bits: Some(bits) } => (bits, magnitude),
            Kind::Int { negative: true, magnitude, bits: Some(bits) } => {
                if !(1..=128).contains(&bits) || magnitude > 1 << (bits - 1) {
                    return self.fail(format!("-{magnitude} does not fit in {bits} bits"));
                }
                (bits, magnitude.wrapping_neg() & (u128::MAX >> (128 - bits)))
            }
            _ => return Ok(None),
        };
        self.advance();
        Ok(Some(constant))
    }

    /// ` #line:column of "file" in function via operation`; `base` says what is left out, and
    /// `previous` is the location if there is none.
    pub(super) fn location(&mut self, base: Location, previous: Location) -> Parse<Location> {
        if !self.take_punct('#') {
            return Ok(previous);
        }
        let line = self.number("a line number")?;
        self.punct(':')?;
        let column = self.number("a column number")?;
        let mut location = Location { line, column, operation: None, ..base };
        if self.take_word("of") {
            location.file = FileId(match self.index_reference()? {
                Some(index) => index,
                None => {
                    let start = self.token().start;
                    let file = self.string("the name of a file")?;
                    match self.files.get(&file) {
                        Some(index) => *index,
                        None => {
                            self.error_at(start, format!("there is no line `file \"{file}\"`"));
                            return Err(super::Failed);
                        }
                    }
                }
            });
        }
        if self.take_word("in") {
            location.function = self.source_name()?;
        }
        if self.take_word("via") {
            location.operation = Some(self.source_name()?);
        }
        Ok(location)
    }

    /// A name that a line `name` has declared, or its number.
    fn source_name(&mut self) -> Parse<NameId> {
        if let Some(index) = self.index_reference()? {
            return Ok(NameId(index));
        }
        let start = self.token().start;
        let name = self.name("the name of a source function")?;
        match self.source_names.get(&name) {
            Some(index) => Ok(NameId(*index)),
            None => {
                self.error_at(start, format!("there is no line `name {name}`"));
                Err(super::Failed)
            }
        }
    }
}

/// The block of a label `bb3`.
pub(super) fn block_label(word: &str) -> Option<BlockId> {
    let digits = word.strip_prefix("bb")?;
    (digits == "0" || !digits.starts_with('0')).then(|| digits.parse().ok().map(BlockId)).flatten()
}
