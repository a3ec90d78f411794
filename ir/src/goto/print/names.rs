//! How names are written, and when an index has to stand in for a name.

use std::fmt::Write;

use rustc_hash::FxHashSet;

/// Which entries of a table their name identifies: those that are the first of
/// their name. The others are written by index, so that even a module that the
/// verifier rejects prints without ambiguity.
#[derive(Debug, Default)]
pub(super) struct Table<'m> {
    names: Vec<Option<&'m str>>,
}

impl<'m> Table<'m> {
    pub(super) fn new(names: impl Iterator<Item = &'m str>) -> Self {
        let mut seen = FxHashSet::default();
        Self { names: names.map(|name| seen.insert(name).then_some(name)).collect() }
    }

    /// The name that identifies the entry, if one does.
    pub(super) fn get(&self, index: usize) -> Option<&'m str> {
        self.names.get(index).copied().flatten()
    }

    /// Writes the entry: its name, or `#index`.
    pub(super) fn write(&self, out: &mut String, index: usize, dots: bool) {
        match self.get(index) {
            Some(name) => write_name(out, name, dots),
            None => {
                let _ = write!(out, "#{index}");
            }
        }
    }
}

/// Writes a name, bare if it looks like an identifier. `dots` says whether dots
/// may be part of it (they may after a sigil).
pub(super) fn write_name(out: &mut String, name: &str, dots: bool) {
    if is_bare(name, dots) { out.push_str(name) } else { write_string(out, name) }
}

fn is_bare(name: &str, dots: bool) -> bool {
    let bytes = name.as_bytes();
    crate::goto::parse::word_length(bytes, dots) == bytes.len() && !bytes.is_empty()
}

/// Writes a string literal.
pub(super) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
