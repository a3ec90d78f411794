//! What the frontend has to say about a C program: errors, warnings and notes.

use std::fmt;

use sapa_limits::{Exceeded, Limits};

use super::position::{Files, Position, SourceLocation};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The program is taken, in the way the message says.
    Warning,
    /// The program is not taken.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A further remark to a [`Diagnostic`], for example where the other declaration is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where, if the note is about a place.
    pub location: Option<SourceLocation>,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// One error or warning with its place.
///
/// Displayed as `file:line:column: error: message`, with one line for each note, without a final
/// newline.
///
/// ```
/// use sapa_frontend::diagnostic::Diagnostic;
/// use sapa_frontend::position::{Files, Position};
///
/// let mut files = Files::new();
/// let position = Position { file: files.add("queue.c"), line: 3, column: 7 };
/// let error = Diagnostic::error(&files, position, "expected ';', found '}'");
/// assert_eq!(error.to_string(), "queue.c:3:7: error: expected ';', found '}'");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where; `None` for what concerns no place in a file (a compiler that cannot be started).
    pub location: Option<SourceLocation>,
    /// What, in one line, starting in lower case, without a full stop.
    pub message: String,
    /// Further remarks.
    pub notes: Vec<Note>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(files: &Files, position: Position, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, Some(files.locate(position)), message)
    }

    /// A warning at a place.
    pub fn warning(files: &Files, position: Position, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, Some(files.locate(position)), message)
    }

    /// A diagnostic whose place, if any, is already resolved.
    pub fn new(
        severity: Severity,
        location: Option<SourceLocation>,
        message: impl Into<String>,
    ) -> Self {
        Self { severity, location, message: message.into(), notes: Vec::new() }
    }

    /// An error that says which limit ended the run.
    #[must_use]
    pub fn stopped(limits: &Limits, exceeded: Exceeded) -> Self {
        let stopped = limits.stopped().map(|stopped| stopped.to_string());
        Self::new(Severity::Error, None, stopped.unwrap_or_else(|| exceeded.to_string()))
    }

    /// Whether the program cannot be taken because of this.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        write!(f, "{}: {}", self.severity, self.message)?;
        for note in &self.notes {
            f.write_str("\n")?;
            if let Some(location) = &note.location {
                write!(f, "{location}: ")?;
            }
            write!(f, "note: {}", note.message)?;
        }
        Ok(())
    }
}
