//! Which files a program was read from: its inputs, and what these include.
//!
//! Places of a program name files, and a name is a claim only: `#line 1 "FILE"`, or the table of files of a module, may name any file
//! of the machine. Of a C source the preprocessor knows what it opens. What a preprocessed file, a goto binary or a module was
//! made from is not known, and is believed to lie in its folder or below.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use sapa_driver::Options;
use sapa_frontend::c::preprocess::{SourceInput, dependencies};

use crate::input;

/// How much of a file is looked at for what no C source has.
const HEAD: u64 = 4096;

/// The files that a program was read from.
#[derive(Clone, Debug, Default)]
pub struct ReadFiles {
    /// As the system knows them, whatever path leads there.
    files: BTreeSet<PathBuf>,
    folders: Vec<PathBuf>,
}

impl ReadFiles {
    /// Those of a program of these inputs and stubs. What cannot be preprocessed includes nothing. `standard_input` is what was
    /// read there.
    #[must_use]
    pub fn of(inputs: &[PathBuf], standard_input: Option<&[u8]>, options: &Options) -> Self {
        let mut found = Self::default();
        for path in inputs.iter().chain(&options.stubs) {
            let is_standard = input::is_standard(path);
            if is_standard && standard_input.is_none() {
                continue;
            }
            found.files.extend(fs::canonicalize(path).ok().filter(|_| !is_standard));
            if !is_standard && !is_c(path) {
                let folder = fs::canonicalize(path).ok();
                found.folders.extend(folder.as_deref().and_then(Path::parent).map(Path::to_owned));
                continue;
            }
            let text = standard_input.filter(|_| is_standard).unwrap_or_default();
            let source = SourceInput::from_argument(path);
            let opened = dependencies(&source, text, &options.preprocessor, &options.limits);
            let opened = opened.unwrap_or_default();
            found.files.extend(opened.iter().filter_map(|path| fs::canonicalize(path).ok()));
        }
        found
    }

    /// Whether a file that places name is one of them, as far as that is known.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let Ok(path) = fs::canonicalize(name) else { return false };
        self.files.contains(&path) || self.folders.iter().any(|folder| path.starts_with(folder))
    }

    /// The files that are known.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter()
    }
}

/// Whether a file is a C source that is preprocessed: no name of something else, and text.
fn is_c(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    if ending.is_some_and(|ending| ["i", "gir", "girb", "bp"].contains(&ending)) {
        return false;
    }
    let mut head = Vec::new();
    let is_file = fs::metadata(path).is_ok_and(|data| data.is_file());
    let read = |file: File| file.take(HEAD).read_to_end(&mut head);
    is_file && File::open(path).and_then(read).is_ok() && !head.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_read_is_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("written");
            path
        };
        fs::create_dir(folder.path().join("in")).expect("made");
        write("a.h", "int y;\n");
        let claimed = write("claimed.c", "int z;\n");
        let main = write("a.c", "#include \"a.h\"\n#line 1 \"claimed.c\"\nint x;\n");
        let known = |file: &PathBuf, text: Option<&[u8]>| {
            let files = ReadFiles::of(std::slice::from_ref(file), text, &Options::default());
            let name = |name: &str| folder.path().join("in/..").join(name).display().to_string();
            ["a.c", "a.h", "claimed.c"].map(|file| files.has(&name(file)))
        };
        assert_eq!(known(&main, None), [true, true, false]);
        let text = format!("#include \"{}\"\n", folder.path().join("a.h").display());
        assert_eq!(known(&PathBuf::from("-"), Some(text.as_bytes())), [false, true, false]);
        let missing = write("b.c", "#include \"none.h\"\n");
        assert_eq!(known(&missing, None), [false, false, false]);
        let preprocessed = write("in/a.i", "# 1 \"../a.h\" 1\nint x;\n");
        assert_eq!(known(&preprocessed, None), [false, false, false]);
        let preprocessed = write("a.i", "int x;\n");
        assert_eq!(known(&preprocessed, None), [true, true, true]);
        assert!(!ReadFiles::default().has(&claimed.display().to_string()));
    }
}
