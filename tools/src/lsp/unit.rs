//! What is checked together: the program that a `sapa.toml` describes, or a file alone. [`Unit::of`] has the words for
//! `sapa check`, which reads the configuration and the options of a build itself.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::settings::{MEMORY, Settings, TIMEOUT};
use crate::compile_commands;
use crate::configuration::{self, Outline};
use crate::input;

/// The name of a unit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// The program of this `sapa.toml`.
    Program(PathBuf),
    /// This file.
    File(PathBuf),
}

/// What is checked by one run.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its name.
    pub name: Name,
    /// Where the run takes place, and where its relative paths are meant from.
    pub folder: PathBuf,
    /// What stands behind `sapa check`.
    pub words: Vec<OsString>,
    /// Its sources.
    pub files: Vec<PathBuf>,
}

/// Endings of files that are checked. What else is opened is a header.
const SOURCES: [&str; 2] = ["c", "i"];

impl Unit {
    /// Its name for people.
    #[must_use]
    pub fn title(&self) -> String {
        let (Name::Program(path) | Name::File(path)) = &self.name;
        path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
    }

    /// The unit that a file belongs to: the program of the nearest `sapa.toml`, if that names the file, or the file is
    /// a header; the file alone, with the options of the nearest `sapa.toml`, or without one with those of the
    /// nearest `compile_commands.json` that knows it. `None` for other headers.
    #[must_use]
    pub fn of(file: &Path, settings: &Settings) -> Option<Self> {
        let folder = file.parent()?;
        let is_source = file.extension().is_some_and(|e| SOURCES.iter().any(|known| e == *known));
        let config = configuration::nearest_to(folder);
        let outline = config.as_deref().map(Outline::read).unwrap_or_default();
        let is_program = !outline.files.is_empty()
            && !outline.files.iter().any(|file| input::is_standard(file))
            && (!is_source || outline.files.iter().any(|known| is_same(known, file)));
        let mut words: Vec<OsString> = vec!["--json".into(), "--no-products".into()];
        words.extend(settings.arguments.iter().map(OsString::from));
        let has = |key: &str| outline.keys.iter().any(|known| known == key);
        let timeout = settings.timeout.or((!has("timeout")).then_some(TIMEOUT));
        words.extend(timeout.map(|seconds| format!("--timeout={seconds}").into()));
        let memory = settings.memory_limit.or((!has("memory-limit")).then_some(MEMORY));
        words.extend(memory.map(|megabytes| format!("--memory-limit={megabytes}").into()));
        if let (true, Some(config)) = (is_program, &config) {
            let folder = config.parent()?.to_owned();
            let name = Name::Program(config.clone());
            return Some(Self { name, folder, words, files: outline.files });
        }
        if !is_source {
            return None;
        }
        let mut named = |option: &str, path: &Path| {
            let mut word = OsString::from(option);
            word.push(path);
            words.push(word);
        };
        if let Some(config) = &config {
            named("--config=", config);
        } else if let Some(database) = compile_commands::nearest_to(file) {
            named("--compile-commands=", &database);
        }
        words.extend(["--".into(), file.into()]);
        let (name, folder) = (Name::File(file.to_owned()), folder.to_owned());
        Some(Self { name, folder, words, files: vec![file.to_owned()] })
    }
}

/// Whether two paths lead to one file.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_checked_as_its_project_says() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path().canonicalize().expect("it is there");
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, text).expect("written");
            path
        };
        let of = |file: &Path| {
            let unit = Unit::of(file, &Settings::default())?;
            let words: Vec<_> = unit
                .words
                .iter()
                .map(|w| w.to_string_lossy().replace(&*root.to_string_lossy(), "ROOT"))
                .collect();
            Some((unit.name, words.join(" ")))
        };
        let limits = "--timeout=60 --memory-limit=4000";
        let alone = write("alone/a.c", "");
        let wanted = format!("--json --no-products {limits} -- ROOT/alone/a.c");
        assert_eq!(of(&alone), Some((Name::File(alone.clone()), wanted)));
        assert_eq!(of(&write("alone/a.h", "")), None);
        // The options of a build.
        let built = write("built/src/a.c", "");
        write(
            "built/build/compile_commands.json",
            r#"[{ "directory": "..", "file": "src/a.c", "command": "cc" }]"#,
        );
        let wanted = format!(
            "--json --no-products {limits} --compile-commands=ROOT/built/build/compile_commands.json -- ROOT/built/src/a.c"
        );
        assert_eq!(of(&built), Some((Name::File(built.clone()), wanted)));
        let unknown = write("built/src/b.c", "");
        let wanted = format!("--json --no-products {limits} -- ROOT/built/src/b.c");
        assert_eq!(of(&unknown), Some((Name::File(unknown.clone()), wanted)));
        // A program, and what is not of it.
        let config = write("program/sapa.toml", "files = ['src/a.c']\ntimeout = 5");
        let (part, other) = (write("program/src/a.c", ""), write("program/b.c", ""));
        let wanted = "--json --no-products --memory-limit=4000".to_owned();
        let program = Some((Name::Program(config), wanted));
        assert_eq!(of(&part), program);
        assert_eq!(of(&write("program/inc/a.h", "")), program);
        let wanted = "--json --no-products --memory-limit=4000 --config=ROOT/program/sapa.toml -- ROOT/program/b.c";
        assert_eq!(of(&other), Some((Name::File(other.clone()), wanted.to_owned())));
    }
}
