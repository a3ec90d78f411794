//! The programs of `tests/programs`: a small program for every row of
//! `docs/c-support.md`.
//!
//! - `sequential`: what the compiled program computes, the interpreter computes.
//! - `threads`: the verdicts that the first lines claim hold in all
//!   interleavings, and `sapa check` does not contradict them.
//! - `refused`: the message that the first line claims.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use sapa_backend::cegar::{Silent, Verdict};
use sapa_backend::check::{ThreadBound, explicit};
use sapa_driver::{Checked, Error, Options, Program};
use sapa_frontend::c::preprocess::{PreprocessorArgument, PreprocessorOptions};
use sapa_ir::goto::interpret::{ExploreOptions, explore};
use sapa_limits::Limits;
use sapa_passes::Pipeline;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(name)
}

/// The C files of a folder, in order.
fn programs(name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder(name)).expect("the folder is there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    files
}

/// What a comment `// key: value` at the top says.
fn heading(file: &Path, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).expect("it can be read");
    text.lines()
        .take_while(|line| line.starts_with("//"))
        .find_map(|line| line.strip_prefix(&format!("// {key}: ")).map(str::to_owned))
}

fn compile(file: &Path, defines: &[&str]) -> Result<Program, Error> {
    let arguments = defines.iter().map(|d| PreprocessorArgument::Define((*d).into())).collect();
    let preprocessor = PreprocessorOptions { arguments, ..Default::default() };
    Program::compile(&[file], &Options { preprocessor, ..Options::default() })
}

#[test]
fn gcc_takes_every_program() {
    let mut count = 0;
    for name in ["sequential", "threads", "refused"] {
        for file in programs(name) {
            let output = Command::new("gcc")
                .args(["-Wall", "-fsyntax-only"])
                .arg(&file)
                .output()
                .expect("gcc runs");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {errors}", file.display());
            count += 1;
        }
    }
    assert!(count >= 150, "{count} programs");
}

#[test]
fn sequential_programs_compute_what_the_compiled_ones_compute() {
    let files = programs("sequential");
    let wrong: Vec<String> = files.par_iter().filter_map(|file| computes_otherwise(file)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the interpreter says that is not what the compiled program computes.
fn computes_otherwise(file: &Path) -> Option<String> {
    let build = tempfile::tempdir().expect("a folder");
    let name = file.display();
    let executable = build.path().join("program");
    let output = Command::new("gcc")
        .args(["-w", "-o"])
        .arg(&executable)
        .arg(file)
        .arg("-lm")
        .output()
        .expect("gcc runs");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&executable).output().expect("it runs");
    assert!(output.status.success(), "{name} fails");
    let values: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| match line.parse::<i64>() {
            Ok(i64::MIN) => "(-9223372036854775807L - 1)".to_owned(),
            Ok(value) => value.to_string(),
            Err(_) => panic!("{name} prints '{line}'"),
        })
        .collect();
    assert!(!values.is_empty(), "{name} observes nothing");
    let expected = format!("EXPECTED={}", values.join(","));
    let program = compile(file, &[&expected]).unwrap_or_else(|e| panic!("{name}: {e}"));
    let module = program.module;
    let explored = explore(&module, &ExploreOptions::default());
    if let Some(failure) = &explored.failure {
        let place = module.describe(failure.location);
        return Some(format!("{name}: {place}: {}: {}", failure.property, values.join(" ")));
    }
    assert!(explored.incomplete.is_none(), "{name}: {:?}", explored.incomplete);
    assert!(!explored.invalid_access, "{name}: an access outside an object");
    // And the end is reached, with all values observed.
    let program = compile(file, &[&expected, "REACHED"]).expect("it compiles again");
    let explored = explore(&program.module, &ExploreOptions::default());
    let property = explored.failure.map(|failure| failure.property);
    assert_eq!(property.as_deref(), Some("the end is not reached"), "{name}");
    None
}

#[test]
fn threads_have_the_verdicts_that_are_claimed() {
    let files = programs("threads");
    let judged: Vec<_> = files.par_iter().map(|file| judge_threads(file)).collect();
    let decided = judged.iter().filter(|(is_decided, _)| *is_decided).count();
    println!("sapa check decides {decided} of them in 1.5 s each");
    let wrong: Vec<String> = judged.into_iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether `sapa check` decides a program in a short time, and what is said of it that is not what its
/// first lines claim.
fn judge_threads(file: &Path) -> (bool, Vec<String>) {
    let mut wrong = Vec::new();
    let name = file.display().to_string();
    let expected = heading(file, "expect").expect("a verdict is claimed");
    let threads: u32 =
        heading(file, "threads").map_or(2, |threads| threads.parse().expect("a number"));
    let program = compile(file, &[]).unwrap_or_else(|errors| panic!("{name}: {errors}"));
    let pipeline = Pipeline::parse("lower-sync").expect("it is a pipeline");
    let lowered = program.lowered(&Options { pipeline, ..Options::default() }, &mut []);
    let lowered = lowered.unwrap_or_else(|e| panic!("{name}: {e}"));
    let options = ExploreOptions { threads: Some(threads), ..ExploreOptions::default() };
    let explored = explore(&lowered, &options);
    let sound = match expected.as_str() {
        "successful" => explored.failure.is_none() && explored.incomplete.is_none(),
        "failed" => explored.failure.is_some(),
        other => panic!("{name}: '{other}' is no verdict"),
    };
    if !sound || explored.invalid_access {
        wrong.push(format!("{name}: {explored:?}"));
    }
    // What sapa says of it, if it says something in a short time.
    let Ok(module) = program.lowered(&Options::default(), &mut []) else { return (false, wrong) };
    // The passes keep what can fail. (What is not initialised is a choice of
    // its own after them, so there may be too many runs to see them all.)
    let options = ExploreOptions { max_states: 1 << 14, ..options };
    let after = explore(&module, &options);
    let fails = after.failure.is_some();
    if fails != (expected == "failed") && (fails || after.incomplete.is_none()) {
        wrong.push(format!("{name}, after the passes: {after:?}"));
    }
    let options = Options {
        threads: ThreadBound::Bounded(threads),
        engine: &explicit::ENGINE,
        iterations: 20,
        limits: Limits::time(Duration::from_millis(1500)),
        ..Options::default()
    };
    let Ok(checked) = Checked::new(module, &options, &mut Silent) else { return (false, wrong) };
    let said = match checked.report.verdict {
        Verdict::Successful(_) => "successful",
        Verdict::Failed(_) => "failed",
        Verdict::Inconclusive(_) => return (false, wrong),
    };
    if said != expected {
        wrong.push(format!("{name}: sapa check says {said}"));
    }
    (true, wrong)
}

#[test]
fn what_is_not_supported_is_refused_with_a_message() {
    for file in programs("refused") {
        let name = file.display();
        let expected = heading(&file, "error").expect("a message is claimed");
        match compile(&file, &[]) {
            Ok(_) => panic!("{name} is accepted"),
            Err(error) => {
                let errors = error.to_string();
                assert!(errors.contains(&expected), "{name}: expected '{expected}' in: {errors}");
            }
        }
    }
}

/// Every row of the table of what is supported names a program that is there,
/// and every program is named by the rows that it says it covers.
#[test]
fn every_row_of_the_page_is_tested() {
    let page = include_str!("../../docs/c-support.md");
    let mut rows = BTreeSet::new();
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [row, _, _, _, test] = cells.as_slice() else { panic!("not five cells: {line}") };
        let row = row.trim_matches('`').to_owned();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(test.trim_matches('`'));
        assert!(path.is_file(), "{row}: there is no {}", path.display());
        let covers = heading(&path, "covers").expect("it says what it covers");
        assert!(covers.split(", ").any(|c| c == row), "{row}: {} covers {covers}", path.display());
        assert!(rows.insert(row), "a second row: {line}");
    }
    assert!(rows.len() >= 50, "{} rows", rows.len());
    for name in ["sequential", "threads", "refused"] {
        for file in programs(name) {
            let covers = heading(&file, "covers").unwrap_or_default();
            for row in covers.split(", ") {
                assert!(rows.contains(row), "{}: no row '{row}'", file.display());
            }
        }
    }
}
