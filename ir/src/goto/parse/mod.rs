//! Reading the text form (`.gir`); the inverse of [`print`](super::print()).
//!
//! Two sweeps over the tokens: the first collects the names of structures,
//! globals and functions, so that they can be used before they are declared;
//! the second builds the module. After an error in an instruction the parser
//! goes on at the next line, after one in an item at the next item; at most
//! 20 errors are reported. It checks what the text form needs (names are
//! known, each value has one type); everything else is the verifier's.

mod cursor;
mod expression;
mod function;
mod instruction;
mod item;
mod lexer;
mod positions;
mod types;

pub(super) use lexer::word_length;
pub use positions::Positions;

use std::fmt;

use rustc_hash::FxHashMap;

use super::entity::Entity;
use super::module::Module;
use lexer::{Kind, Name, Token, tokenize};
use positions::Lines;

/// Errors reported for one text.
const MAX_ERRORS: usize = 20;

/// One error in a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct ParseError {
    /// Name of the text.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// What is wrong and what was expected.
    pub message: String,
}

/// The errors of a text, at least one, in order of their position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseErrors(pub Vec<ParseError>);

impl fmt::Display for ParseErrors {
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

impl std::error::Error for ParseErrors {}

/// Reads a module from its text form. `file` names the text in errors. The
/// module is not verified.
///
/// # Errors
/// Every error found, with line and column, up to a limit.
pub fn parse(text: &str, file: &str) -> Result<Module, ParseErrors> {
    parsed(text, file, None).map(|parser| parser.module)
}

/// Where in a text the entities of the module that it holds are; empty for a text that [`parse`]
/// does not read.
#[must_use]
pub fn positions(text: &str) -> Positions {
    let places = parsed(text, "", Some(Vec::new())).ok().and_then(|parser| parser.places);
    Positions { lines: Lines::new(text), places: places.unwrap_or_default() }
}

fn parsed<'t>(
    text: &'t str,
    file: &str,
    places: Option<Vec<(Entity, usize)>>,
) -> Result<Parser<'t>, ParseErrors> {
    let mut errors = Vec::new();
    let tokens = tokenize(text, &mut |offset, message| {
        if errors.len() < MAX_ERRORS {
            errors.push((offset, message));
        }
    });
    let mut parser = Parser {
        text,
        tokens,
        position: 0,
        errors,
        places,
        depth: 0,
        structs: FxHashMap::default(),
        globals: FxHashMap::default(),
        functions: FxHashMap::default(),
        files: FxHashMap::default(),
        source_names: FxHashMap::default(),
        locals: FxHashMap::default(),
        module: Module::default(),
    };
    parser.collect_names();
    parser.module();
    if parser.errors.is_empty() {
        return Ok(parser);
    }
    parser.errors.sort_by_key(|(offset, _)| *offset);
    let lines = Lines::new(text);
    let errors = parser.errors.into_iter().map(|(offset, message)| {
        let (line, column) = lines.locate(offset);
        ParseError { file: file.to_owned(), line, column, message }
    });
    Err(ParseErrors(errors.collect()))
}

/// The error has been recorded.
struct Failed;

type Parse<T> = Result<T, Failed>;

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    position: usize,
    errors: Vec<(usize, String)>,
    /// Where entities stand, by offset, if anybody asks.
    places: Option<Vec<(Entity, usize)>>,
    depth: usize,
    structs: FxHashMap<String, u32>,
    globals: FxHashMap<String, u32>,
    functions: FxHashMap<String, u32>,
    files: FxHashMap<String, u32>,
    source_names: FxHashMap<String, u32>,
    /// Names of the locals of the functions read so far, with their sigil.
    locals: FxHashMap<(u32, char), FxHashMap<String, u32>>,
    module: Module,
}

impl Parser<'_> {
    /// The first sweep: entities in the order of their declarations.
    fn collect_names(&mut self) {
        let (mut structs, mut globals, mut functions) = (0, 0, 0);
        let declare = |table: &mut FxHashMap<String, u32>, count: &mut u32, name: &str| {
            table.entry(name.to_owned()).or_insert(*count);
            *count = count.saturating_add(1);
        };
        for window in self.tokens.windows(4) {
            match [&window[0].kind, &window[1].kind, &window[2].kind, &window[3].kind] {
                [Kind::Word("struct"), name, Kind::Word("size"), Kind::Int { .. }] => match name {
                    Kind::Word(name) => declare(&mut self.structs, &mut structs, name),
                    Kind::Text(name) => declare(&mut self.structs, &mut structs, name),
                    _ => {}
                },
                [
                    Kind::Word("global" | "thread_local" | "constant"),
                    Kind::Sigil('$', Name::Text(name)),
                    ..,
                ] => declare(&mut self.globals, &mut globals, name),
                [Kind::Word("define" | "declare"), Kind::Sigil('@', Name::Text(name)), ..] => {
                    declare(&mut self.functions, &mut functions, name);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
