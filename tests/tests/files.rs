//! File tests: every file below `files/` that has `RUN:` lines is a test.
//!
//! ```text
//! ; RUN: sapa-opt -p 'dead-code' %s      a shell command; %s is this file, %t a file of its own
//! ; EXIT: 2                              the exit code of the last command; 0 if not given
//! ; check: text                          what the commands print, in the language of `filecheck`
//! ```
//! Where a file of the test's name and `.expected` stands beside it, that is all that the commands
//! print, to the letter; `SAPA_BLESS=1 cargo test -p sapa-tests --test files` writes these files anew.
//!
//! The comment sign does not matter. Commands write what is checked to their
//! standard output; `2>&1` brings the standard error there.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use filecheck::{CheckerBuilder, NO_VARIABLES};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let programs = sapa_tests::tools::programs();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("files");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let of_files = programs.clone();
    let trials = files
        .into_iter()
        .map(|file| {
            let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
            let programs = of_files.clone();
            Trial::test(name, move || test(&file, &programs).map_err(Failed::from))
        })
        .chain([Trial::test("README.md", move || readme(&programs).map_err(Failed::from))])
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if std::fs::read(&path).is_ok_and(|text| contains(&text, b"RUN:")) {
            files.push(path);
        }
    }
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window == word)
}

fn test(file: &Path, programs: &Path) -> Result<(), String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut printed = String::new();
    let mut code = Some(0);
    for line in text.lines() {
        let Some((_, command)) = line.split_once("RUN:") else { continue };
        let command = command
            .replace("%s", &quoted(file))
            .replace("%t", &quoted(&folder.path().join("t")))
            .replace("%d", &quoted(file.parent().unwrap_or(file)));
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .args(["-c", &command])
            .env("PATH", format!("{}:{path}", programs.display()))
            .output()
            .map_err(|error| format!("cannot run sh: {error}"))?;
        code = output.status.code();
        // The folder differs from machine to machine.
        let folder = format!("{}/", file.parent().unwrap_or(file).display());
        printed.push_str(&String::from_utf8_lossy(&output.stdout).replace(&folder, ""));
        if !output.stderr.is_empty() && code != Some(0) && !text.contains("EXIT:") {
            printed.push_str(&String::from_utf8_lossy(&output.stderr));
        }
    }
    let wanted = text.lines().find_map(|line| line.split_once("EXIT:"));
    let wanted = wanted.map_or(Ok(0), |(_, code)| code.trim().parse::<i32>());
    let wanted = wanted.map_err(|error| format!("EXIT: {error}"))?;
    if code != Some(wanted) {
        return Err(format!("exit code {code:?}, expected {wanted}; printed:\n{printed}"));
    }
    let mut expected = file.as_os_str().to_owned();
    expected.push(".expected");
    let expected = Path::new(&expected);
    match expected.exists() {
        true => equal(expected, &printed),
        false => check(&text, &printed),
    }
}

/// Runs the README's examples of a command and what it prints.
fn readme(programs: &Path) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("README.md")).map_err(|e| e.to_string())?;
    let mut examples = 0;
    for block in page.split("```\n").skip(1) {
        let Some((command, expected)) = block.split_once('\n') else { continue };
        let Some((_, arguments)) = command.split_once("--bin sapa -- ") else { continue };
        if !command.starts_with("$ ") {
            continue;
        }
        examples += 1;
        let output = Command::new(programs.join("sapa"))
            .args(arguments.split_whitespace())
            .current_dir(&root)
            .output()
            .map_err(|error| format!("cannot run sapa: {error}"))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        if printed != expected {
            return Err(format!("{command}\nprints:\n{printed}\nexpected:\n{expected}"));
        }
    }
    if examples == 0 { Err("the page has no example".to_owned()) } else { Ok(()) }
}

/// The environment variable that says to take what is printed for right.
const BLESS: &str = "SAPA_BLESS";

/// Compares what is printed to the whole of what a file says.
fn equal(file: &Path, printed: &str) -> Result<(), String> {
    let expected = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    if printed == expected {
        return Ok(());
    }
    if std::env::var_os(BLESS).is_some() {
        return std::fs::write(file, printed).map_err(|error| error.to_string());
    }
    let name = file.display();
    Err(format!(
        "the output is not that of {name}; expected:\n{expected}\nprinted:\n{printed}\n\
         if each line of what is printed is right, {BLESS}=1 writes it to {name}"
    ))
}

fn check(text: &str, printed: &str) -> Result<(), String> {
    let mut builder = CheckerBuilder::new();
    for line in text.lines().filter(|line| !line.contains("RUN:")) {
        builder.directive(line).map_err(|error| format!("{line}: {error}"))?;
    }
    let checker = builder.finish();
    if checker.is_empty() {
        return Err(format!("no `check:` lines; printed:\n{printed}"));
    }
    match checker.explain(printed, NO_VARIABLES) {
        Ok((true, _)) => Ok(()),
        Ok((false, explanation)) => Err(explanation),
        Err(error) => Err(error.to_string()),
    }
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}
