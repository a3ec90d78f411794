//! Places of reports as places of the protocol: lines from 0, and columns in the units that client and server have agreed
//! on. Reports count lines from 1 and columns in bytes.

use std::ops;
use std::path::Path;

use lsp_types::{Position, PositionEncodingKind, Range};

use crate::statements::Statements;

/// What the protocol counts on a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Units of UTF-16, which all clients know.
    #[default]
    Utf16,
    /// Bytes.
    Utf8,
}

impl Encoding {
    /// The word for it.
    #[must_use]
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf8 => PositionEncodingKind::UTF8,
        }
    }

    /// How many units there are before a byte of a line.
    fn units(self, line: &[u8], bytes: usize) -> u32 {
        // An editor shows what is no UTF-8 as characters too.
        let before = String::from_utf8_lossy(line.get(..bytes).unwrap_or(line));
        let units = match self {
            Self::Utf16 => before.encode_utf16().count(),
            Self::Utf8 => before.len(),
        };
        u32::try_from(units).unwrap_or(u32::MAX)
    }
}

/// How much of a line is meant by a place on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The word or sign that begins there.
    Word,
    /// The statement that begins there, as far as it stands on the line.
    Statement,
}

/// Finds places in files as they are on the disk, which is what was checked.
#[derive(Debug, Default)]
pub struct Places {
    encoding: Encoding,
    sources: Statements,
}

impl Places {
    /// Counts as client and server have agreed.
    #[must_use]
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding, sources: Statements::default() }
    }

    /// What is meant by a line (from 1; 0 if not known) and a column (in bytes, from 1) of a file. Without a column it is
    /// the line without the blanks around it, and without a line the beginning of the file.
    pub fn range(&mut self, file: &Path, line: u32, column: Option<u32>, extent: Extent) -> Range {
        let Some(index) = line.checked_sub(1) else { return Range::default() };
        let name = file.to_string_lossy();
        let statement = match (extent, column) {
            (Extent::Statement, Some(column)) => self.sources.part_of_line(&name, line, column),
            _ => None,
        };
        let Some(text) = self.sources.raw_line(&name, line) else {
            let start = Position::new(index, 0);
            return Range::new(start, start);
        };
        let length = text.trim_ascii_end().len();
        let bytes = match column.and_then(|column| usize::try_from(column).ok()) {
            Some(column) => {
                let from = column.saturating_sub(1).min(length);
                let to = statement.map_or_else(|| word_end(text, from), |part| part.end);
                from..to.clamp(from, length)
            }
            None => length - text.trim_ascii().len()..length,
        };
        self.of_bytes(&name, line, bytes)
    }

    fn of_bytes(&mut self, name: &str, line: u32, bytes: ops::Range<usize>) -> Range {
        let text = self.sources.raw_line(name, line).unwrap_or_default();
        let units = |at| Position::new(line.saturating_sub(1), self.encoding.units(text, at));
        Range::new(units(bytes.start), units(bytes.end))
    }
}

/// Where the word or sign ends that begins at a byte.
fn word_end(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
    from + length.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_the_units_agreed_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.c");
        std::fs::write(&file, "int x;\n  /* \u{e4}\u{1d11e} */ assert(x ==\n y); z = 1;\r\n")
            .expect("written");
        // Two bytes and four, which are one unit of UTF-16 and two.
        for (encoding, column) in [(Encoding::Utf16, 12), (Encoding::Utf8, 15)] {
            let mut places = Places::new(encoding);
            let mut range = |line, column, extent| {
                let Range { start, end } = places.range(&file, line, column, extent);
                assert_eq!(start.line, end.line);
                (start.line, start.character, end.character)
            };
            assert_eq!(range(2, Some(16), Extent::Word), (1, column, column + 6));
            assert_eq!(range(2, Some(16), Extent::Statement), (1, column, column + 11));
            assert_eq!(range(1, None, Extent::Word), (0, 0, 6));
            assert_eq!(range(3, None, Extent::Word), (2, 1, 11));
            assert_eq!(range(3, Some(6), Extent::Statement), (2, 5, 11));
            assert_eq!(range(0, None, Extent::Word), (0, 0, 0));
            assert_eq!(range(1, Some(99), Extent::Word), (0, 6, 6));
            assert_eq!(range(99, Some(1), Extent::Statement), (98, 0, 0));
        }
    }
}
