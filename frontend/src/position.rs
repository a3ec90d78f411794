//! Positions in the source files, as the preprocessor's line markers tell them.

use std::fmt;
use std::sync::Arc;

/// An index into [`Files`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

/// Where a token starts: file, line and column, both counted from 1.
///
/// Line markers (`# 12 "queue.c"`) are already applied, so this is the place in the file that the
/// user wrote. The column counts bytes of the preprocessed line: exact wherever no macro was
/// expanded to the left of the token on its line. What a macro of the system's headers stands for is
/// where the macro's name is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The file; its name is in the [`Files`] of the translation unit.
    pub file: FileId,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// The names of the files that a translation unit was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    names: Vec<Arc<str>>,
}

impl Files {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file name. The caller avoids duplicates; they are harmless.
    pub fn add(&mut self, name: &str) -> FileId {
        let id = FileId(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(Arc::from(name));
        id
    }

    /// The name of a file, `<unknown>` for an id of another table.
    pub fn name(&self, file: FileId) -> &str {
        self.names.get(file.0 as usize).map_or("<unknown>", |name| name)
    }

    /// The position with its file's name, which needs no table to be printed.
    pub fn locate(&self, position: Position) -> SourceLocation {
        SourceLocation {
            file: self
                .names
                .get(position.file.0 as usize)
                .cloned()
                .unwrap_or_else(|| Arc::from("<unknown>")),
            line: position.line,
            column: position.column,
        }
    }
}

/// A [`Position`] together with the name of its file; printed as `file:line:column`,
/// without what is unknown (0).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceLocation {
    /// The file's name, as the preprocessor gave it.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => write!(f, "{}", self.file),
            (line, 0) => write!(f, "{}:{line}", self.file),
            (line, column) => write!(f, "{}:{line}:{column}", self.file),
        }
    }
}
