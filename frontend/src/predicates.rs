//! Files of predicates: one a line, in C, over what the module knows by [`name`].
//!
//! Blank lines and lines that start with `#` or `//` are skipped. Operators and conversions are C's
//! (`c/lower/predicate.rs`), types are the module's: pointers point to `void`, so that `*(int *)p`
//! says what is read. What [`c_text`](sapa_ir::goto::c_text::c_text) writes is read back to the same
//! expression. `docs/predicates.md` describes the language.

use sapa_ir::goto::{
    FieldIndex, GlobalId, Module, Predicate, StructId, Type, name, print_type, verify,
};

use crate::c::ast::{
    ArraySize, Derivation, Expression as Source, ExpressionKind, TypeName, TypeSpecifier,
};
use crate::c::lower::predicate::{Named, Names, expression};
use crate::c::lower::{integer_type, plain_type};
use crate::c::parser::parse_predicate;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lower::arithmetic::MemberPath;
use crate::lower::types::{CType, Integers, Kind};
use crate::stack::on_deep_stack;

/// Reads a file of predicates over the names of `module`.
///
/// # Errors
/// The first error of each line.
pub fn parse(module: &Module, text: &str, file: &str) -> Result<Vec<Predicate>, Vec<Diagnostic>> {
    let read = || {
        let mut predicates = Vec::new();
        let mut errors = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') || trimmed.starts_with("//") {
                continue;
            }
            match predicate(module, file, u32::try_from(index + 1).unwrap_or(u32::MAX), line) {
                Ok(predicate) => predicates.push(predicate),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(predicates) } else { Err(errors) }
    };
    on_deep_stack(read).unwrap_or_else(|error| {
        let message = format!("cannot start a thread to read predicates in: {error}");
        Err(vec![Diagnostic::new(Severity::Error, None, message)])
    })
}

fn predicate(module: &Module, file: &str, line: u32, text: &str) -> Result<Predicate, Diagnostic> {
    let (source, files) = parse_predicate(file, line, text.as_bytes())?;
    let expression = expression(&mut ModuleNames(module), &source)
        .map_err(|(position, message)| Diagnostic::error(&files, position, message))?;
    match verify::expression_type(module, &expression) {
        Ok(_) => Ok(Predicate { expression, text: text.trim().to_owned() }),
        Err(message) => Err(Diagnostic::error(&files, source.position, message)),
    }
}

/// The names and types of a module.
struct ModuleNames<'m>(&'m Module);

impl ModuleNames<'_> {
    /// The type of C for one of the IR.
    fn c_type(&self, ty: &Type, signed: bool) -> CType {
        match ty {
            Type::Int(bits) => self.integers().of_width(*bits, signed),
            Type::Pointer => CType::from(Kind::Void).pointer(),
            Type::Struct(id) => Kind::Record(*id).into(),
            Type::Array(element, count) => {
                Kind::Array(Box::new(self.c_type(element, signed)), Some(*count)).into()
            }
        }
    }

    fn structure(&self, tag: &str) -> Option<StructId> {
        match tag.strip_prefix('`').and_then(|tag| tag.strip_suffix('`')) {
            Some(text) => {
                let text = format!("struct {}", text.replace("``", "`"));
                let mut all = (0..self.0.structs.len()).map(StructId::new);
                all.find(|id| print_type(self.0, &Type::Struct(*id)) == text)
            }
            None => self.0.struct_by_name(tag),
        }
    }

    fn base(&mut self, base: &TypeSpecifier) -> Result<CType, String> {
        match base {
            TypeSpecifier::BitInt { width, signed } => {
                let width = self.constant(width).and_then(|(value, _)| u16::try_from(value).ok());
                match width.filter(|width| (1..=128).contains(width)) {
                    Some(width) => Ok(Integers::bit_int(width, *signed)),
                    None => Err("the width of a _BitInt is a number from 1 to 128".to_owned()),
                }
            }
            TypeSpecifier::Record(record) if record.members.is_none() => {
                let tag = record.tag.as_ref().map_or("", |tag| &tag.name);
                match self.structure(tag) {
                    Some(id) => Ok(Kind::Record(id).into()),
                    None => Err(format!("the module has no structure '{tag}'")),
                }
            }
            plain => plain_type(plain, self.integers())
                .ok_or_else(|| "predicates have integers, structures and pointers".to_owned()),
        }
    }
}

impl Names for ModuleNames<'_> {
    fn integers(&self) -> Integers {
        Integers(self.0.target)
    }

    fn named(&mut self, text: &str) -> Result<Named, String> {
        use sapa_ir::goto::Expression as E;
        let found = name::resolve(self.0, text)?;
        let declared = name::declared(self.0, &found).map(|(ty, signed)| self.c_type(&ty, signed));
        Ok(match (found, declared) {
            (found @ (E::Global(_) | E::Slot { .. }), Some(ty)) => Named::Object(found, ty),
            (found, Some(ty)) => Named::Value(found, ty),
            (found, None) => Named::Value(found, CType::from(Kind::Void).pointer()),
        })
    }

    fn type_name(&mut self, name: &TypeName) -> Result<CType, String> {
        let mut ty = self.base(&name.specifiers.base)?;
        for derivation in name.declarator.derived.iter().rev() {
            ty = match derivation {
                Derivation::Pointer(_) => ty.pointer(),
                Derivation::Array(array) => {
                    let ArraySize::Expression(size) = &array.size else {
                        return Err("an array has a size".to_owned());
                    };
                    let size = self.constant(size).and_then(|(size, _)| u64::try_from(size).ok());
                    let size = size.ok_or("the size of an array is a number")?;
                    Kind::Array(Box::new(ty), Some(size)).into()
                }
                Derivation::Function(_) => return Err("predicates call nothing".to_owned()),
            };
        }
        Ok(ty)
    }

    fn member(&self, ty: &CType, name: &str) -> Option<MemberPath> {
        let Kind::Record(structure) = ty.kind else { return None };
        let fields = &self.0.structs.get(structure.index())?.fields;
        let index = match name.strip_prefix("`#").and_then(|name| name.strip_suffix('`')) {
            Some(number) => number.parse().ok()?,
            None => fields.iter().position(|field| field.name == name)?,
        };
        let field = fields.get(index)?;
        let steps = vec![(structure, FieldIndex::new(index))];
        Some(MemberPath { steps, ty: self.c_type(&field.ty, field.signed), bits: None })
    }

    fn is_thread_local(&self, global: GlobalId) -> bool {
        self.0.globals.get(global.index()).is_some_and(|global| global.thread_local)
    }

    fn constant(&mut self, source: &Source) -> Option<(i128, CType)> {
        match &source.kind {
            ExpressionKind::Integer(constant) if !constant.is_imaginary => {
                Some((constant.value as i128, integer_type(self.integers(), constant)))
            }
            ExpressionKind::Character(constant) => {
                let value = constant.value(self.0.target.char_signed);
                Some((i128::from(value), self.integers().int()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
#[path = "predicates_tests.rs"]
mod tests;
