//! Modules and Boolean programs that are wrong, and what is said of them.
//!
//! ```text
//! global $x: i0 = zero      ; error: integers have 1 to 128 bits
//! ```
//! The line has an error with this text in its message; there are no other errors. A line may say so more than
//! once. In a Boolean program the comment begins with `//`. Several may stand in one file, with a comment of `---` on a line between them.

use std::path::Path;

use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::parser;
use sapa_ir::goto::{ReadError, read};

/// Who says what is wrong with a text.
type Reader = fn(&str) -> Vec<Said>;

/// A line, from 1, and what is said of it.
type Said = (usize, String);

/// What a file says of itself; empty if it is no such test.
#[must_use]
pub fn expectations(file: &Path, text: &str) -> Vec<Said> {
    let Some((comment, _)) = language(file) else { return Vec::new() };
    let sign = format!("{comment} error: ");
    let lines = text.lines().enumerate();
    let found = lines
        .flat_map(|(index, line)| line.split(&sign).skip(1).map(move |text| (index + 1, text)));
    found.map(|(line, text)| (line, text.trim().to_owned())).collect()
}

/// The comment sign of a file, and who says what is wrong with a text: by its lines, from 1.
fn language(file: &Path) -> Option<(&'static str, Reader)> {
    match file.extension()?.to_str()? {
        "gir" => Some((";", of_module)),
        "bp" => Some(("//", of_boolean)),
        _ => None,
    }
}

/// Compares what is said to what should be.
///
/// # Errors
/// What is different, for people.
pub fn test(file: &Path, text: &str, expected: &[Said]) -> Result<(), String> {
    let Some((comment, errors)) = language(file) else { return Ok(()) };
    let separator = format!("{comment} ---");
    let mut found = Vec::new();
    let mut lines = 0;
    for part in text.split_inclusive(&separator) {
        found.extend(
            errors(part.trim_end_matches(&separator))
                .into_iter()
                .map(|(line, text)| (line + lines, text)),
        );
        lines += part.matches('\n').count();
    }
    let mut wrong = Vec::new();
    for (line, text) in expected {
        match found.iter().position(|(at, said)| at == line && said.contains(text)) {
            Some(index) => drop(found.remove(index)),
            None => wrong.push(format!("line {line} has no error '{text}'")),
        }
    }
    wrong.extend(found.iter().map(|(line, text)| format!("line {line} has another error: {text}")));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn of_module(text: &str) -> Vec<Said> {
    match read(text.as_bytes(), "") {
        Ok(_) => Vec::new(),
        Err(ReadError::Text(errors)) => {
            errors.0.into_iter().map(|error| (error.line, error.message)).collect()
        }
        Err(ReadError::Unsound { errors, positions, .. }) => {
            let line = |entity| positions.find(entity).map_or(0, |(line, _)| line);
            errors.0.into_iter().map(|error| (line(error.entity), error.message)).collect()
        }
        Err(error) => vec![(1, error.to_string())],
    }
}

fn of_boolean(text: &str) -> Vec<Said> {
    let program = parser::parse(text);
    let errors = match program {
        Ok(program) => flatten(&program, &FlattenOptions::default()).err().into_iter().collect(),
        Err(errors) => errors.0,
    };
    let line = |line| usize::try_from(line).unwrap_or(0);
    errors.into_iter().map(|error| (line(error.position.line), error.message)).collect()
}
