//! Failing runs as programs: compiled with gcc and run, the assertion fails, each time.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What came of a program.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// Each run failed as predicted.
    Fails,
    /// There is no reproducer, and why.
    Refused(String),
    /// The check did not end in a failure.
    Other,
}

fn run(command: &mut Command) -> Output {
    command.current_dir(root()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Makes, compiles and runs a reproducer some times.
fn reproduce(file: &str, options: &[&str], runs: usize) -> Result<Outcome, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = |name: &str| folder.path().join(name);
    let sapa = sapa_tests::tools::programs().join("sapa");
    let mut command = Command::new(sapa);
    command.args(["check", "-q", "--reproducer"]).arg(path("r.c")).args(options).arg(file);
    let output = run(&mut command);
    if output.status.code() != Some(10) {
        return Ok(Outcome::Other);
    }
    if !path("r.c").exists() {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        let why = words.split_once("r.c: ").map_or(words.as_str(), |(_, why)| why);
        return Ok(Outcome::Refused(why.trim().to_owned()));
    }
    // As the head of the file says.
    for words in [&["-fsanitize=thread", "-w", "-c", "r.c", "-o", "r.o"][..], &["r.o", "-o", "r"]] {
        let mut command = Command::new("gcc");
        let output = command.arg("-pthread").args(words).current_dir(folder.path()).output();
        let output = output.map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("gcc: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    for _ in 0..runs {
        let output = run(&mut Command::new(path("r")));
        let words = String::from_utf8_lossy(&output.stderr);
        // What fails an assertion ends by a signal, and so has no exit code.
        if output.status.success() || output.status.code().is_some() {
            return Err(format!("{}: {words}", output.status));
        }
    }
    Ok(Outcome::Fails)
}

#[test]
fn the_failures_of_some_programs_are_reproduced() {
    for (file, options) in [
        // Accesses of one variable, of members and elements, through pointers, and on the heap.
        ("tests/files/traces/lost_update.c", &[][..]),
        ("tests/files/traces/hand_off.c", &[]),
        ("tests/files/traces/unlocked_reader.c", &[]),
        // Structures that are copied.
        ("tests/files/traces/steps.c", &["--atomicity", "statement"]),
        // Atomic operations.
        ("tests/files/traces/aba_stack.c", &[]),
        // Locks, semaphores, conditions and barriers.
        ("tests/files/traces/early_unlock.c", &[]),
        ("tests/files/traces/reader_writes.c", &[]),
        ("tests/files/traces/semaphore.c", &[]),
        ("tests/files/traces/missed_signal.c", &[]),
        ("tests/files/traces/barrier_too_late.c", &[]),
        ("tests/files/traces/once.c", &[]),
        ("tests/files/reports/once_by_two.c", &[]),
        // The text of a program in which stores reach memory at once, and definitions.
        ("tests/files/reports/lanes.c", &["-DLOCKS"]),
        ("tests/files/reports/choices.c", &[]),
        ("tests/files/reports/names_of_the_runtime.c", &[]),
    ] {
        let outcome = reproduce(file, options, 10);
        assert_eq!(outcome, Ok(Outcome::Fails), "{file}");
    }
}

#[test]
fn what_cannot_be_forced_is_refused() {
    for (file, options, why) in [
        (
            "tests/files/memory/store_buffering.c",
            &["--mm", "tso"][..],
            "waits in the thread's buffer",
        ),
        ("tests/files/traces/bit_fields.c", &[], "holds a bit-field in line"),
        ("tests/files/traces/weak_exchange.c", &[], "fails spuriously"),
        ("tests/files/traces/string_copy.c", &[], "what strcpy() does"),
        ("tests/files/traces/double_checked.c", &[], "never given a value"),
        ("tests/files/traces/lost_update.c", &["--property", "all"], "own assertions"),
        ("tests/files/reports/torn_copy.c", &[], "between the members of what line"),
        (
            "tests/files/reports/names_of_the_runtime.c",
            &["--stubs", "tests/files/tools/stubbed/other.c"],
            "nothing of '--stubs'",
        ),
    ] {
        match reproduce(file, options, 1) {
            Ok(Outcome::Refused(words)) => assert!(words.contains(why), "{file}: {words}"),
            other => panic!("{file}: {other:?}"),
        }
    }
}

#[test]
fn the_bytes_of_the_program_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let text =
        b"\xef\xbb\xbf#include <assert.h>\nint x; /* \xff */ int main(void) { assert(x == 1); }\n";
    std::fs::write(folder.path().join("mark.c"), text).expect("written");
    let file = folder.path().join("mark.c").display().to_string();
    assert_eq!(reproduce(&file, &[], 1), Ok(Outcome::Fails));
    let made = folder.path().join("r.c");
    let sapa = sapa_tests::tools::programs().join("sapa");
    run(Command::new(sapa).args(["check", "-q", "--reproducer"]).arg(&made).arg(&file));
    let made = std::fs::read(made).expect("it is written");
    assert!(made.windows(7).any(|part| part == b"/* \xff */"[..7].as_ref()));
}

/// All programs of the suite that fail: `cargo test -p sapa-tests --test reproducer -- --ignored --nocapture`.
#[test]
#[ignore = "it takes minutes"]
fn the_failures_of_all_programs_are_reproduced() {
    let mut wrong = Vec::new();
    let (mut fails, mut refused) = (0, 0);
    for folder in ["tests/files/verdicts", "tests/files/traces", "tests/files/threads"] {
        let entries = std::fs::read_dir(root().join(folder)).expect("a folder").flatten();
        let mut names: Vec<_> = entries.filter_map(|e| e.file_name().into_string().ok()).collect();
        names.sort();
        for name in names.iter().filter(|name| name.ends_with(".c")) {
            let file = format!("{folder}/{name}");
            let text = std::fs::read_to_string(root().join(&file)).unwrap_or_default();
            let said = text.lines().find_map(|line| line.split_once("precise: FAILED"));
            if said.is_none() && !text.contains("EXIT: 10") {
                continue;
            }
            let words: Vec<&str> =
                said.map_or("", |(_, options)| options).split_whitespace().collect();
            let options = [&words[..], &["--timeout", "10"]].concat();
            match reproduce(&file, &options, 10) {
                Ok(Outcome::Fails) => fails += 1,
                Ok(Outcome::Refused(why)) => {
                    println!("{file}: refused: {why}");
                    refused += 1;
                }
                Ok(Outcome::Other) => {}
                Err(why) => {
                    println!("{file}: WRONG: {why}");
                    wrong.push(file);
                }
            }
        }
    }
    println!("{fails} fail as predicted, {refused} are refused, {} do not fail", wrong.len());
    assert!(fails > 100, "{fails}");
    // They say so, and are programs about values of the library or the arguments of main, mostly.
    assert!(wrong.len() * 5 < fails, "{wrong:?}");
}
