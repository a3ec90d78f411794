//! Which macros a source has, as far as its text and that of files beside it show.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::statements::LARGEST;

/// The most files that are looked at.
const MOST_FILES: usize = 256;

/// The names of the macros that a text in a folder defines, and those of what it includes by `#include "FILE"` from there, and so on.
/// Those of the system's headers, of folders that the command line names, and of the command line itself are not among them.
#[must_use]
pub fn of(text: &[u8], folder: &Path) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let mut open = vec![(String::from_utf8_lossy(text).into_owned(), folder.to_owned())];
    while let Some((text, folder)) = open.pop() {
        known.extend(defined(&text).map(str::to_owned));
        for name in included(&text) {
            // Nothing is read of what is no file: a device may have no end.
            let is_small = |path: &PathBuf| {
                fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= LARGEST)
            };
            let path = fs::canonicalize(folder.join(name)).ok().filter(is_small);
            let Some(path) = path else { continue };
            if seen.len() < MOST_FILES && seen.insert(path.clone()) {
                let text = fs::read(&path).unwrap_or_default();
                let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                open.push((String::from_utf8_lossy(&text).into_owned(), folder));
            }
        }
    }
    known
}

/// The names of the macros that a text defines.
pub fn defined(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let name = directive(line)?.strip_prefix("define")?.trim_start();
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        name.get(..end.unwrap_or(name.len())).filter(|name| !name.is_empty())
    })
}

/// The files that a text includes by their names in quotes.
fn included(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let name = directive(line)?.strip_prefix("include")?.trim_start();
        name.strip_prefix('"')?.split('"').next()
    })
}

/// What follows the `#` of a line of the preprocessor.
fn directive(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix('#').map(str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_those_of_the_text_and_of_what_it_includes() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("in")).expect("made");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("written");
        };
        write("a.h", "#include \"in/b.h\"\n#include \"a.h\"\n#define A\n");
        write("in/b.h", "#include \"c.h\"\n#define B(x) x\n");
        write("in/c.h", "#define C\n");
        let text = b"#include <d.h>\n  # include \"a.h\"\n#include \"none.h\"\n# define X 1\n// #define Y\n#undef Z\n";
        let found: Vec<String> = of(text, folder.path()).into_iter().collect();
        assert_eq!(found, ["A", "B", "C", "X"]);
    }
}
