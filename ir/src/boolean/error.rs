//! Errors of reading and flattening Boolean programs.

use super::ast::Position;
use std::fmt;

/// One error with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}: {message}", position.line, position.column)]
pub struct Error {
    /// The place in the text.
    pub position: Position,
    /// What is wrong and what was expected.
    pub message: String,
}

impl Error {
    /// An error at a place.
    pub fn new(position: Position, message: impl Into<String>) -> Self {
        Error { position, message: message.into() }
    }
}

/// At least one error. `Display` shows one a line, as `line:column: message`; [`Errors::in_file`]
/// puts the file's name before each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors(pub Vec<Error>);

impl Errors {
    /// One `file:line:column: message` a line.
    pub fn in_file(&self, file: &str) -> String {
        let lines: Vec<_> = self.0.iter().map(|e| format!("{file}:{e}")).collect();
        lines.join("\n")
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if index == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

impl From<Error> for Errors {
    fn from(error: Error) -> Self {
        Errors(vec![error])
    }
}

/// A number of things, for messages.
pub(super) fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
