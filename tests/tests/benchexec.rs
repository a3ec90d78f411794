//! The definitions for BenchExec in `benchmarks/benchexec`: the tool-info module by its own tests, and a whole run where BenchExec is
//! installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::{Arguments, Failed, Trial};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/benchexec")
}

/// Whether a program is there, and runs.
fn runs(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn checked(what: &str, command: &mut Command) -> Result<Output, Failed> {
    let output = command.output().map_err(|error| format!("{what}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let (out, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Err(format!("{what}: {}\n{out}{errors}", output.status).into())
}

/// The module's own tests, with the program itself.
fn tool_info() -> Result<(), Failed> {
    let sapa = sapa_tests::tools::programs().join("sapa");
    let mut command = Command::new("python3");
    command.arg(folder().join("test_sapa.py")).env("SAPA", sapa);
    checked("test_sapa.py", &mut command).map(drop)
}

/// Two programs, through tasks, BenchExec and its results. Containers and limits need rights that not all have.
fn run() -> Result<(), Failed> {
    let copy = tempfile::tempdir()?;
    let here = copy.path();
    // It writes nothing beside the sources.
    let benchmarks = here.join("benchmarks");
    for part in ["benchexec/toolinfo", "benchexec/properties", "programs/literature"] {
        let (from, to) = (folder().join("..").join(part), benchmarks.join(part));
        std::fs::create_dir_all(&to)?;
        for entry in std::fs::read_dir(from)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                std::fs::copy(entry.path(), to.join(entry.file_name()))?;
            }
        }
    }
    let definitions = benchmarks.join("benchexec");
    for file in ["sapa.xml", "tasks.py"] {
        std::fs::copy(folder().join(file), definitions.join(file))?;
    }
    checked(
        "tasks.py",
        Command::new("python3").args(["tasks.py", "tasks", "bakery"]).current_dir(&definitions),
    )?;
    let mut command = Command::new("benchexec");
    command
        .args(["sapa.xml", "--no-container", "-T", "-1", "-W", "-1", "-M", "-1", "-c", "-1"])
        .args(["-t", "literature", "-r", "any-number", "--no-compress-results", "-o", "out/"])
        .arg("--tool-directory")
        .arg(sapa_tests::tools::programs())
        .env("PYTHONPATH", ".")
        .current_dir(&definitions);
    let output = checked("benchexec", &mut command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = ["correct true:        1", "correct false:       1", "incorrect:             0"];
    match lines.iter().find(|line| !text.contains(**line)) {
        None => Ok(()),
        Some(line) => Err(format!("no '{line}' in\n{text}").into()),
    }
}

fn main() {
    let trials = [("tool_info", "python3", tool_info as fn() -> _), ("run", "benchexec", run)];
    let trials = trials.into_iter().map(|(name, needs, test)| {
        let is_there = runs(needs);
        let name = if is_there { name.to_owned() } else { format!("{name} ({needs} is missing)") };
        Trial::test(name, test).with_ignored_flag(!is_there)
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}
