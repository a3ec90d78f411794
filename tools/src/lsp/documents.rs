//! The files that are open in the editor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_types::Uri;

use super::diagnostics::plain;
use super::settings::Settings;
use super::unit::{Name, Unit};
use super::uri;

/// An open file.
#[derive(Clone, Debug)]
pub struct Document {
    /// As the client writes it.
    pub uri: Uri,
    /// The text in the editor.
    pub text: String,
    /// Whether it was changed since it was opened or saved.
    pub is_changed: bool,
    /// What it is checked with. It is looked for when the file is opened or saved, and not for each message.
    pub unit: Option<Unit>,
}

/// All open files, by their paths.
#[derive(Debug, Default)]
pub struct Documents(BTreeMap<PathBuf, Document>);

/// The path of a file that a URI names.
#[must_use]
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    uri::path(uri.as_str()).map(|path| plain(&path))
}

impl Documents {
    /// A file was opened.
    pub fn open(&mut self, path: &Path, uri: Uri, text: String, settings: &Settings) {
        let unit = Unit::of(path, settings);
        self.0.insert(path.to_owned(), Document { uri, text, is_changed: false, unit });
    }

    /// The text of a file was changed.
    pub fn change(&mut self, path: &Path, text: String) {
        if let Some(document) = self.0.get_mut(path) {
            document.text = text;
            document.is_changed = true;
        }
    }

    /// A file was saved.
    pub fn save(&mut self, path: &Path, settings: &Settings) {
        if let Some(document) = self.0.get_mut(path) {
            document.is_changed = false;
            document.unit = Unit::of(path, settings);
        }
    }

    /// What files are checked with may be another thing now.
    pub fn reconsider(&mut self, settings: &Settings) {
        for (path, document) in &mut self.0 {
            document.unit = Unit::of(path, settings);
        }
    }

    /// A file was closed.
    pub fn close(&mut self, path: &Path) {
        self.0.remove(path);
    }

    /// An open file.
    #[must_use]
    pub fn get(&self, path: &Path) -> Option<&Document> {
        self.0.get(path)
    }

    /// The unit of a file, which need not be open.
    #[must_use]
    pub fn unit(&self, path: &Path, settings: &Settings) -> Option<Unit> {
        match self.0.get(path) {
            Some(document) => document.unit.clone(),
            None => Unit::of(path, settings),
        }
    }

    /// Whether a file of a unit is open.
    #[must_use]
    pub fn has_of(&self, name: &Name) -> bool {
        self.0.values().any(|document| document.unit.as_ref().is_some_and(|u| u.name == *name))
    }

    /// The units of the open files that are wanted, each once.
    pub fn units(&self, is_wanted: impl Fn(&Document, &Unit) -> bool) -> Vec<Unit> {
        let mut units: BTreeMap<Name, Unit> = BTreeMap::new();
        for document in self.0.values() {
            if let Some(unit) = &document.unit
                && is_wanted(document, unit)
            {
                units.insert(unit.name.clone(), unit.clone());
            }
        }
        units.into_values().collect()
    }

    /// The URI of a file, as the client writes it if the file is open.
    #[must_use]
    pub fn uri(&self, path: &Path) -> Option<Uri> {
        match self.0.get(path) {
            Some(document) => Some(document.uri.clone()),
            None => uri::of(path).parse().ok(),
        }
    }
}

impl Document {
    /// Whether the text has an `#include` of a file, by the file's name.
    #[must_use]
    pub fn includes(&self, file: &Path) -> bool {
        let Some(name) = file.file_name().map(|name| name.to_string_lossy()) else { return false };
        let is_before_name = |before: &str| before.ends_with(['"', '<', '/']);
        self.text.lines().any(|line| {
            let directive = line.trim_start().strip_prefix('#').unwrap_or_default();
            let mut places = directive.match_indices(&*name);
            directive.trim_start().starts_with("include")
                && places.any(|(at, _)| directive.get(..at).is_some_and(is_before_name))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_include_names_a_file() {
        let text = "#include <queue.h>\n # include \"a/stack.h\"\n// #include \"list.h\"\nint set_h; #include \"set.h\"\n#include \"myheap.h\"\n";
        let uri = "file:///a.c".parse().expect("a URI");
        let document = Document { uri, text: text.to_owned(), is_changed: false, unit: None };
        for (name, is_included) in [
            ("queue.h", true),
            ("stack.h", true),
            ("list.h", false),
            ("set.h", false),
            ("heap.h", false),
        ] {
            assert_eq!(document.includes(&Path::new("/x").join(name)), is_included, "{name}");
        }
    }
}
