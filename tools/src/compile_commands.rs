//! `compile_commands.json`: the options with which each file of a project is compiled, as CMake, Meson, Bear and
//! others write them (Clang's "JSON Compilation Database Format Specification").

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use sapa_frontend::c::preprocess::PreprocessorArgument;
use serde::Deserialize;

use crate::compiler::{self, CompilerOption};
use crate::failure::{Failure, Message};
use crate::input;
use crate::statements::Statements;

/// The name of the file in a folder of a build.
pub const NAME: &str = "compile_commands.json";

/// How one file is compiled. Other keys (`output`) do not matter here.
#[derive(Debug, Deserialize)]
struct Entry {
    /// The folder that the compiler runs in.
    directory: PathBuf,
    /// The source, from that folder.
    file: PathBuf,
    /// The command line as words, or …
    arguments: Option<Vec<String>>,
    /// … as a shell has it.
    command: Option<String>,
}

/// The database that a path names, which may be the folder that it lies in.
#[must_use]
pub fn file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(NAME) } else { path.to_owned() }
}

/// What the preprocessor is told of each C file, by what a database says of it. `path` is the file, or the
/// folder that it lies in.
///
/// # Errors
/// The database cannot be read, says nothing of a file, says two things of it, or has an option that would
/// change what the program means.
pub fn options(
    path: &Path,
    files: &[PathBuf],
) -> Result<BTreeMap<PathBuf, Vec<PreprocessorArgument>>, Failure> {
    let path = file(path);
    let name = input::name(&path);
    let entries = entries(&path)?;
    // A relative folder is none that the specification allows; it is read from that of the database.
    let folder = path.parent().unwrap_or(Path::new(""));
    let wrong = |text: String| Failure::bad_input([Message::error(text).in_file(&name)]);
    let mut found = BTreeMap::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "c")) {
        let Ok(wanted) = fs::canonicalize(file) else { continue };
        let is_meant = |entry: &&Entry| entry.is_of(folder, &wanted);
        let mut of_file: Option<Vec<OsString>> = None;
        for entry in entries.iter().filter(is_meant) {
            let options = entry
                .options(&folder.join(&entry.directory))
                .map_err(|why| wrong(format!("in the command for {}: {why}", file.display())))?;
            if of_file.as_ref().is_some_and(|before| *before != options) {
                return Err(wrong(format!(
                    "{} is compiled twice with different options; give those that are meant on the command \
                     line, without '--compile-commands'",
                    file.display()
                )));
            }
            of_file = Some(options);
        }
        let Some(options) = of_file else {
            return Err(wrong(format!(
                "has no command for {}; give its options on the command line, without '--compile-commands'",
                file.display()
            )));
        };
        let parsed =
            options.into_iter().map(|word| CompilerOption::parse(compiler::unmarked(word)));
        let parsed: Vec<CompilerOption> = parsed
            .collect::<Result<_, _>>()
            .map_err(|why| wrong(format!("in the command for {}: {why}", file.display())))?;
        let arguments = parsed.iter().filter_map(CompilerOption::argument).cloned().collect();
        found.insert(file.clone(), arguments);
    }
    Ok(found)
}

/// The commands of a database.
fn entries(path: &Path) -> Result<Vec<Entry>, Failure> {
    let name = input::name(path);
    let bytes = input::read(path)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let (line, column) = (number(error.line()), number(error.column()));
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or(&text);
        let text = format!("is no list of compile commands: {text}");
        let sources = &mut Statements::of(&name, &bytes);
        Failure::bad_input([Message::error(text).at(&name, line, column, sources)])
    })
}

/// The folders of builds, from a folder of sources.
const BUILDS: [&str; 2] = ["", "build"];

/// The nearest database that has a command for a file: in the file's folder, in its folder `build`, or in those of a
/// folder above. One that cannot be read is taken too, so that somebody says why.
#[must_use]
pub fn nearest_to(file: &Path) -> Option<PathBuf> {
    let wanted = fs::canonicalize(file).ok()?;
    let folders =
        file.ancestors().skip(1).flat_map(|folder| BUILDS.map(|build| folder.join(build)));
    let mut paths = folders.map(|folder| folder.join(NAME)).filter(|path| path.is_file());
    paths.find(|path| {
        let folder = path.parent().unwrap_or(Path::new(""));
        entries(path).map_or(true, |all| all.iter().any(|entry| entry.is_of(folder, &wanted)))
    })
}

impl Entry {
    /// Whether it is about a file, by the file's path without links. `folder` is that of the database.
    fn is_of(&self, folder: &Path, wanted: &Path) -> bool {
        let path = folder.join(&self.directory).join(&self.file);
        fs::canonicalize(path).is_ok_and(|path| path == wanted)
    }

    /// The options of the compiler, marked as [`compiler::collect`] does, with what they mean from a folder.
    fn options(&self, folder: &Path) -> Result<Vec<OsString>, String> {
        let words = match (&self.arguments, &self.command) {
            (Some(words), _) => words.clone(),
            (None, Some(command)) => split(command)?,
            (None, None) => return Err("it has neither 'arguments' nor 'command'".to_owned()),
        };
        // The compiler comes first.
        let mut kept = Vec::new();
        let mut words = words.into_iter().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "-o" | "--output" => {
                    words.next();
                }
                "-x" => match words.next().as_deref() {
                    Some("c") => {}
                    other => {
                        let other = other.unwrap_or("nothing");
                        return Err(format!("it is no C: '-x' is followed by {other}"));
                    }
                },
                "-xc" | "--" => {}
                _ if word.starts_with("-o") => {}
                _ => kept.push(OsString::from(word)),
            }
        }
        let marked = compiler::collect(kept).map_err(|error| error.to_string())?;
        let mut options = Vec::new();
        for word in marked {
            if compiler::is_marked(&word) {
                options.push(compiler::placed(word, folder).map_err(|error| error.to_string())?);
            } else if is_file(&word) {
                // The source itself, and the compiler behind a launcher.
            } else {
                let word = word.to_string_lossy();
                return Err(format!("'{word}' is no option of the C compiler that is known here"));
            }
        }
        Ok(options)
    }
}

/// Whether a word names a file.
fn is_file(word: &OsStr) -> bool {
    !word.as_encoded_bytes().starts_with(b"-") && !word.as_encoded_bytes().starts_with(b"@")
}

/// The words of a command as a POSIX shell splits it, where nothing is expanded: quotes and backslashes.
fn split(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = command.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' | '"' => {
                let text = word.get_or_insert_default();
                loop {
                    match rest.next() {
                        None => return Err(format!("a quote is not closed: {command}")),
                        Some(end) if end == c => break,
                        Some('\\') if c == '"' => match rest.next() {
                            Some(escaped @ ('"' | '\\' | '$' | '`')) => text.push(escaped),
                            Some('\n') => {}
                            Some(other) => text.extend(['\\', other]),
                            None => return Err(format!("a quote is not closed: {command}")),
                        },
                        Some(inside) => text.push(inside),
                    }
                }
            }
            '\\' => match rest.next() {
                Some('\n') => {}
                Some(escaped) => word.get_or_insert_default().push(escaped),
                None => return Err(format!("it ends with a backslash: {command}")),
            },
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let words = |text: &str| split(text).unwrap_or_default().join("|");
        assert_eq!(words("cc  -DA -c a.c"), "cc|-DA|-c|a.c");
        assert_eq!(
            words(r#"cc -DS=\"x\ y\" '-DT="a b"' "-DU=\"c\"" '' a\b"#),
            r#"cc|-DS="x y"|-DT="a b"|-DU="c"||ab"#
        );
        assert_eq!(words(r#"cc "a\n$b" 'a\'"#), r#"cc|a\n$b|a\"#);
        assert!(split("cc 'a").is_err());
        assert!(split("cc \\").is_err());
    }

    #[test]
    fn options_are_told_from_files_and_placed() {
        let options = |words: &[&str]| {
            let words = words.iter().map(|&word| word.to_owned()).collect();
            let entry = Entry {
                directory: "/".into(),
                file: "a.c".into(),
                arguments: Some(words),
                command: None,
            };
            entry.options(Path::new("/build"))
        };
        let words = [
            "ccache", "gcc", "-Iinc", "-I/abs", "-DA", "-std=c11", "-Wall", "-MF", "a.d", "-o",
            "a.o", "-c", "a.c",
        ];
        let found = options(&words).expect("options");
        let found: Vec<_> = found.iter().map(|word| word.to_string_lossy()).collect();
        let wanted = [
            "--cc=-I /build/inc",
            "--cc=-I /abs",
            "--cc=-DA",
            "--cc=-std=c11",
            "--cc=-Wall",
            "--cc=-MF a.d",
            "--cc=-c",
        ];
        assert_eq!(found, wanted);
        for wrong in ["-mx32", "-z", "@file", "-xc++"] {
            assert!(options(&["cc", wrong, "a.c"]).is_err(), "{wrong}");
        }
        assert!(options(&["c++", "-x", "c++", "a.c"]).is_err());
    }
}
