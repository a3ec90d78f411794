//! File tests: what a file below `files/` says of itself is tested, a trial for each file.
//!
//! | module | a file is such a test if it has | which says |
//! | --- | --- | --- |
//! | [`commands`] | `RUN:` lines | what commands print, and their exit code |
//! | [`error`] | `error:` behind lines | what is wrong with a module or a Boolean program |
//! | [`verdict`] | `precise:`, `sound:` or `known gap:` lines | what `sapa check` must answer |
//!
//! A file may be of both kinds. Lists (`*.verdicts`) hold verdict lines for files that lie elsewhere: a
//! trial for each line.
//!
//! `cargo test -p sapa-tests --test files -- NAME` runs the trials whose name has NAME in it; with `--bless`
//! what is printed is taken for right, and the `.expected` files of these trials are written anew.

mod commands;
mod error;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};

/// The option that says to take what is printed for right.
const BLESS: &str = "--bless";

/// What all trials know.
struct Setting {
    /// The folder of the command-line programs.
    programs: PathBuf,
    /// The folder of the repository.
    root: PathBuf,
    /// Whether what is printed is right.
    bless: bool,
}

fn main() -> ExitCode {
    let (bless, others): (Vec<String>, Vec<String>) = std::env::args().partition(|a| a == BLESS);
    let arguments = Arguments::from_iter(others);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("files");
    let programs = sapa_tests::tools::programs();
    let setting = Arc::new(Setting { programs, root, bless: !bless.is_empty() });
    let mut trials = Vec::new();
    // cargo-nextest runs each trial in a process of its own, which need not read the files of all others.
    let single = if arguments.exact { arguments.filter.clone() } else { None };
    for file in all_files(&files) {
        let name = file.strip_prefix(&files).unwrap_or(&file).display().to_string();
        if single.as_ref().is_some_and(|trial| !trial.contains(&name)) {
            continue;
        }
        // Inputs of tests that are no text are read as far as they are.
        let text = std::fs::read(&file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let Ok(text) = text else { continue };
        trials.extend(trials_of(&name, &file, text, &setting));
    }
    trials.sort_by(|one, other| one.name().cmp(other.name()));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// All files in a folder and those below it.
fn all_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.flat_map(|path| if path.is_dir() { all_files(&path) } else { vec![path] }).collect()
}

/// The trials that a file asks for.
fn trials_of(name: &str, file: &Path, text: String, setting: &Arc<Setting>) -> Vec<Trial> {
    let expectations = match verdict::expectations(&text) {
        Ok(expectations) => expectations,
        Err(error) => {
            return vec![Trial::test(name, move || Err(Failed::from(error)))];
        }
    };
    let kind = if expectations.iter().any(|e| e.level == verdict::Level::KnownGap) {
        "known gap"
    } else {
        ""
    };
    let folder = file.parent().unwrap_or(file).to_owned();
    if file.extension().is_some_and(|extension| extension == "verdicts") {
        let trials = expectations.into_iter().map(|expectation| {
            let (setting, folder) = (Arc::clone(setting), folder.clone());
            let name = format!("{name}: {}", expectation.arguments.join(" "));
            Trial::test(name, move || Ok(expectation.test(&[], &folder, &setting)?))
        });
        return trials.collect();
    }
    let has_commands = text.contains("RUN:");
    let errors = error::expectations(file, &text);
    if expectations.is_empty() && errors.is_empty() && !has_commands {
        return Vec::new();
    }
    let (file, setting) = (file.to_owned(), Arc::clone(setting));
    let trial = move || {
        let notes = verdict::notes(&text);
        for expectation in &expectations {
            let mut expectation = expectation.clone();
            expectation.arguments.push(file.display().to_string());
            expectation.test(&notes, &folder, &setting)?;
        }
        if !errors.is_empty() {
            error::test(&file, &text, &errors)?;
        }
        if has_commands { Ok(commands::test(&file, &text, &setting)?) } else { Ok(()) }
    };
    vec![Trial::test(name, trial).with_kind(kind)]
}
