//! Commands and what they print.
//!
//! ```text
//! ; RUN: sapa-opt -p 'dead-code' %s      a shell command; %s is this file, %d its folder, %t a file of its own
//! ; EXIT: 2                              the exit code of the last command; 0 if not given
//! ; check: text                          what the commands print, in the language of `filecheck`
//! ```
//! Where a file of the test's name and `.expected` stands beside it, that is all that the commands print, to
//! the letter; `--bless` writes it anew. The comment sign does not matter. Commands write what is checked to
//! their standard output; `2>&1` brings the standard error there.

use std::path::Path;
use std::process::Command;

use filecheck::{CheckerBuilder, NO_VARIABLES};
use similar::TextDiff;

use crate::{BLESS, Setting};

/// Runs the commands of a file and compares what they print.
///
/// # Errors
/// What is different, for people.
pub fn test(file: &Path, text: &str, setting: &Setting) -> Result<(), String> {
    let parent = file.parent().unwrap_or(file);
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut printed = String::new();
    let mut code = Some(0);
    for line in text.lines() {
        let Some((_, command)) = line.split_once("RUN:") else { continue };
        let command = command
            .replace("%s", &quoted(file))
            .replace("%t", &quoted(&folder.path().join("t")))
            .replace("%d", &quoted(parent));
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .args(["-c", &command])
            .env("PATH", format!("{}:{path}", setting.programs.display()))
            .output()
            .map_err(|error| format!("cannot run sh: {error}"))?;
        code = output.status.code();
        // The folder differs from machine to machine.
        let folder = format!("{}/", parent.display());
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
    if expected.exists() { equal(expected, &printed, setting) } else { check(text, &printed) }
}

/// Compares what is printed to the whole of what a file says.
fn equal(file: &Path, printed: &str, setting: &Setting) -> Result<(), String> {
    let expected = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    if printed == expected {
        return Ok(());
    }
    if setting.bless {
        return std::fs::write(file, printed).map_err(|error| error.to_string());
    }
    let (name, difference) = (file.display(), TextDiff::from_lines(expected.as_str(), printed));
    let difference = difference.unified_diff();
    Err(format!(
        "the output is not that of {name}; what was expected (-) and what is printed (+):\n{difference}\n\
         if each line of what is printed is right, this writes it to the file:\n\
         cargo test -p sapa-tests --test files -- {BLESS}"
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
