//! The file: a module, a Boolean program, how both belong together, and the certificate of the Boolean program.
//!
//! ```text
//! sapa module certificate 1
//! == module ==
//! gir 1
//! …
//! == program ==
//! decl b0 := T;
//! …
//! == places ==
//! root R0 @main
//! place N0_0 R0 bb0:0 free
//! place N0_2 R0 bb1:3 inside
//! == certificate ==
//! sapa certificate 1
//! …
//! end
//! ```
//! The Boolean variable `b3` stands for the predicate of the module that is number 3, counted from 0. A
//! thread that starts at the label `R0` runs the function; who stands at the label `N0_2` stands before instruction 3
//! of block 1, and is inside an atomic section of the Boolean program or not.

use std::fmt::Write;

use sapa_ir::boolean::ast::{Position, Program};
use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::parser;
use sapa_ir::goto::{self, BlockId, FunctionId, Module};
use sapa_limits::Limits;

use super::code::Place;
use super::{Made, Problem};
use crate::certificate::Certificate;
use crate::text::{self, ReadError};

/// The version of the text; what others write is refused.
pub const VERSION: u32 = 1;

const HEAD: &str = "sapa module certificate";
const SECTIONS: [&str; 4] = ["module", "program", "places", "certificate"];

fn marker(section: &str) -> String {
    format!("== {section} ==")
}

/// Where threads that start at a label begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootLabel {
    /// The label.
    pub label: String,
    /// The function that they run.
    pub function: FunctionId,
}

/// A label that stands for a place of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceLabel {
    /// The label.
    pub label: String,
    /// The function: an index into the list of roots.
    pub root: usize,
    /// The block.
    pub block: BlockId,
    /// How many of its instructions come before the place.
    pub index: usize,
    /// Whether other threads may act there: whether who stands there is in no atomic section.
    pub free: bool,
}

/// A module with a Boolean program that abstracts it.
#[derive(Clone, Debug)]
pub struct Parts<'p> {
    /// The module, with a predicate for each variable of the program.
    pub module: &'p Module,
    /// The Boolean program.
    pub program: &'p Program,
    /// Where its threads start.
    pub roots: Vec<RootLabel>,
    /// Where they stand.
    pub places: Vec<PlaceLabel>,
}

/// The text of all but the certificate of the Boolean program, which is of the program as it is read from this text ([`program`]).
#[must_use]
pub fn draft(parts: &Parts<'_>) -> String {
    let mut text = format!("{HEAD} {VERSION}\n{}\n", marker("module"));
    let mut module = parts.module.clone();
    // What passes have found is not proved again.
    module.invariants.clear();
    text.push_str(&goto::print(&module));
    let program = parts.program;
    // Writing to a string does not fail.
    let _ = write!(text, "{}\n{program}\n{}\n", marker("program"), marker("places"));
    for root in &parts.roots {
        let name = &parts.module.function(root.function).name;
        let _ = writeln!(text, "root {} @{name}", root.label);
    }
    for place in &parts.places {
        let PlaceLabel { label, root, block, index, free } = place;
        let root = parts.roots.get(*root).map_or("?", |root| root.label.as_str());
        let free = if *free { "free" } else { "inside" };
        let _ = writeln!(text, "place {label} {root} {block}:{index} {free}");
    }
    let _ = writeln!(text, "{}", marker("certificate"));
    text
}

/// The Boolean program of a draft.
///
/// # Errors
/// What is wrong with it.
pub fn program(draft: &str, limits: &Limits) -> Result<FlatProgram, Problem> {
    let sections = sections(draft)?;
    flat(&sections[1], limits)
}

/// The whole file.
#[must_use]
pub fn finished(draft: &str, certificate: &Certificate) -> String {
    format!("{draft}{certificate}")
}

/// What was read.
pub(super) struct Read {
    pub(super) module: Module,
    pub(super) program: FlatProgram,
    pub(super) roots: Vec<(RootLabel, u32)>,
    pub(super) places: Vec<(PlaceLabel, u32)>,
    pub(super) certificate: Certificate,
    /// How many lines come before those of the certificate of the Boolean program.
    pub(super) before: u32,
}

impl PlaceLabel {
    pub(super) fn place(&self) -> Place {
        (self.block, self.index)
    }
}

/// A section, and how many lines of the file come before it.
struct Section<'t> {
    text: &'t str,
    before: usize,
}

impl Section<'_> {
    /// Its text where it stands: positions in it are those of the file.
    fn in_place(&self) -> String {
        format!("{}{}", "\n".repeat(self.before), self.text)
    }
}

fn malformed<T>(line: usize, what: impl Into<String>) -> Made<T> {
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    Err(Problem::Malformed { line, column: 0, what: what.into() })
}

fn sections(text: &str) -> Made<Vec<Section<'_>>> {
    let first = text.lines().next().unwrap_or_default();
    match first.strip_prefix(HEAD).map(|version| version.trim().parse::<u32>()) {
        Some(Ok(VERSION)) => {}
        Some(Ok(other)) => {
            return malformed(1, format!("version {other} is unknown; this one reads {VERSION}"));
        }
        _ => return malformed(1, format!("expected `{HEAD} {VERSION}`")),
    }
    let mut found: Vec<Section<'_>> = Vec::new();
    let (mut at, mut number) = (0, 0);
    for line in text.split_inclusive('\n') {
        number += 1;
        let wanted = SECTIONS.get(found.len()).map(|section| marker(section));
        if wanted.as_deref() == Some(line.trim_end()) {
            if let Some(last) = found.last_mut() {
                let begun = text.len() - last.text.len();
                last.text = &text[begun..at];
            }
            found.push(Section { text: &text[at + line.len()..], before: number });
        }
        at += line.len();
    }
    match SECTIONS.get(found.len()) {
        None => Ok(found),
        Some(missing) => malformed(number + 1, format!("expected `{}`", marker(missing))),
    }
}

fn flat(section: &Section<'_>, limits: &Limits) -> Made<FlatProgram> {
    let at = |Position { line, column }: Position, what: String| match limits.check() {
        Err(exceeded) => Problem::Exceeded(exceeded),
        Ok(()) => Problem::Malformed { line, column, what },
    };
    let program = parser::parse_within(&section.in_place(), limits).map_err(|errors| {
        let first = errors.0.into_iter().next();
        first.map_or(
            Problem::Malformed { line: 1, column: 0, what: "no Boolean program".to_owned() },
            |error| at(error.position, error.message),
        )
    })?;
    let options = FlattenOptions { limits: limits.clone(), ..FlattenOptions::default() };
    flatten(&program, &options).map_err(|error| at(error.position, error.message))
}

fn module(section: &Section<'_>, file: &str) -> Made<Module> {
    let text = section.in_place();
    let module = goto::parse(&text, file).map_err(|errors| {
        let first = errors.0.into_iter().next();
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        match first {
            Some(e) => Problem::Malformed {
                line: number(e.line),
                column: number(e.column),
                what: e.message,
            },
            None => Problem::Malformed { line: 1, column: 0, what: "no module".to_owned() },
        }
    })?;
    goto::verify(&module).map_err(|errors| {
        let what = errors.0.first().map_or_else(String::new, |error| {
            format!("{}: {}", goto::print_entity(&module, error.entity), error.message)
        });
        let line = u32::try_from(section.before + 1).unwrap_or(u32::MAX);
        Problem::Malformed { line, column: 0, what }
    })?;
    Ok(module)
}

/// Reads a file.
///
/// # Errors
/// What is wrong with it, and where.
pub(super) fn read(text: &str, file: &str, limits: &Limits) -> Made<Read> {
    let sections = sections(text)?;
    let [module_text, program_text, places_text, certificate_text] = sections.as_slice() else {
        return malformed(1, "expected four sections");
    };
    let module = module(module_text, file)?;
    limits.check()?;
    let program = flat(program_text, limits)?;
    let (mut roots, mut places) = (Vec::<(RootLabel, u32)>::new(), Vec::new());
    for (number, line) in places_text.text.lines().enumerate() {
        let number = places_text.before + number + 1;
        let at = u32::try_from(number).unwrap_or(u32::MAX);
        let (word, rest) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
        match word {
            "" => {}
            _ if line.starts_with('#') => {}
            "root" => {
                let (label, name) = rest.split_once(" @").unwrap_or((rest, ""));
                let Some(function) = module.function_by_name(name) else {
                    return malformed(number, format!("the module has no function `{name}`"));
                };
                if !module.function(function).is_defined() {
                    return malformed(number, format!("the function `{name}` has no body"));
                }
                let is_known = |(known, _): &(RootLabel, u32)| {
                    known.label == label || known.function == function
                };
                if roots.iter().any(is_known) {
                    return malformed(number, "this label or this function is there already");
                }
                roots.push((RootLabel { label: label.to_owned(), function }, at));
            }
            "place" => places.push((place(rest, number, &module, &roots)?, at)),
            _ => return malformed(number, "expected `root` or `place`"),
        }
    }
    let certificate_lines = certificate_text.before;
    let certificate =
        text::parse(certificate_text.text, &program, limits).map_err(|error| match error {
            ReadError::Line { line, what } => Problem::Malformed {
                line: line.saturating_add(u32::try_from(certificate_lines).unwrap_or(0)),
                column: 0,
                what,
            },
            ReadError::OtherProgram => Problem::Malformed {
                line: u32::try_from(certificate_lines + 2).unwrap_or(0),
                column: 0,
                what: "this is of another Boolean program than the one above".to_owned(),
            },
            ReadError::Exceeded(exceeded) => Problem::Exceeded(exceeded),
        })?;
    let before = u32::try_from(certificate_lines).unwrap_or(0);
    Ok(Read { module, program, roots, places, certificate, before })
}

/// `N0_2 R0 bb1:3 free`.
fn place(text: &str, line: usize, module: &Module, roots: &[(RootLabel, u32)]) -> Made<PlaceLabel> {
    let words: Vec<&str> = text.split(' ').collect();
    let [label, root, at, how] = words.as_slice() else {
        return malformed(line, "expected `place LABEL ROOT bbN:I free` or `inside`");
    };
    let Some(root) = roots.iter().position(|(known, _)| known.label == *root) else {
        return malformed(line, format!("there is no root `{root}` above"));
    };
    let numbers = at.strip_prefix("bb").and_then(|at| at.split_once(':'));
    let numbers = numbers.and_then(|(block, index)| {
        Some((block.parse::<u32>().ok()?, index.parse::<usize>().ok()?))
    });
    let function = module.function(roots[root].0.function);
    let there = numbers.filter(|(block, index)| {
        function.blocks.get(*block as usize).is_some_and(|b| *index <= b.instructions.len())
    });
    let Some((block, index)) = there else {
        return malformed(line, format!("the function has no place `{at}`"));
    };
    let free = match *how {
        "free" => true,
        "inside" => false,
        _ => return malformed(line, "expected `free` or `inside`"),
    };
    Ok(PlaceLabel { label: (*label).to_owned(), root, block: BlockId(block), index, free })
}
