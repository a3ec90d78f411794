//! Programs without threads, compiled by gcc and run, with all choices.

use std::path::Path;
use std::process::Command;

use super::template::Program;

/// Runs every program with every choice of zeros and ones, each in a process of its own.
const DRIVER: &str = include_str!("driver.c");

/// What all runs of a program did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// Whether an assertion failed, and nothing undefined was seen before.
    pub fails: bool,
    /// Whether all runs were seen, and were defined.
    pub all: bool,
}

/// Whether gcc is there.
pub fn is_there() -> bool {
    let mut gcc = Command::new("gcc");
    gcc.arg("--version");
    sapa_tests::peers::is_there(gcc)
}

/// Compiles programs to one binary, and runs them all.
pub fn run(programs: &[Program]) -> Vec<Runs> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("the file is written");
    };
    let mut files = vec!["driver.c".to_owned()];
    write("driver.c", DRIVER);
    let (mut declarations, mut table) = (String::new(), String::new());
    for (index, program) in programs.iter().enumerate() {
        let name = format!("{index}.c");
        write(&name, &format!("#define main program_{index}\n{}", program.source));
        files.push(name);
        declarations.push_str(&format!("int program_{index}(void);\n"));
        table.push_str(&format!("program_{index}, "));
    }
    write(
        "programs.h",
        &format!("{declarations}static int (*const PROGRAMS[])(void) = {{ {table} }};\n"),
    );
    gcc(folder.path(), &files);
    let output = Command::new("./programs")
        .env("ASAN_OPTIONS", "exitcode=99:detect_leaks=0")
        .env("UBSAN_OPTIONS", "exitcode=99")
        .current_dir(folder.path())
        .output()
        .expect("the programs run");
    let text = String::from_utf8_lossy(&output.stdout);
    let runs: Vec<Runs> = text
        .lines()
        .map(|line| {
            let digits: Vec<&str> = line.split(' ').collect();
            Runs { fails: digits[0] == "1", all: digits[1] == "1" }
        })
        .collect();
    assert_eq!(runs.len(), programs.len(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    runs
}

fn gcc(folder: &Path, files: &[String]) {
    let output = Command::new("gcc")
        .args(["-O0", "-w", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"])
        .args(["-o", "programs"])
        .args(files)
        .current_dir(folder)
        .output()
        .expect("gcc runs");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "gcc does not compile it: {words}");
}
