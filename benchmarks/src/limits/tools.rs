//! Tasks of the tools that write a product, and of unusual ways to give a program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use sapa_backend::emit::FORMATS;

use super::programs::{CHECK, Source, Task, each, program};

const COMPILE: &[&str] = &["sapa-cc"];
const OPTIMISE: &[&str] = &["sapa-opt"];
const ABSTRACT: &[&str] = &["sapa-abstract"];
const TRANSLATE: &[&str] = &["sapa-translate"];

/// The passes that the abstraction needs.
const LOWERED: &str = "default";

/// All passes that change code, one after the other.
const MANY: &str = "default,constant-propagation,simplify,dead-code,slice";

/// The file of a task, by its name.
fn file_of(tasks: &[Task], name: &str) -> io::Result<PathBuf> {
    let task = tasks.iter().find(|task| task.name == name);
    task.map(|task| task.file.clone()).ok_or_else(|| io::Error::other(format!("no task {name}")))
}

/// Has a tool write a file.
fn made(tools: &Path, tool: &str, arguments: &[&str], from: &Path, to: &Path) -> io::Result<()> {
    let status =
        Command::new(tools.join(tool)).args(arguments).arg(from).arg("-o").arg(to).status()?;
    match status.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("{tool} {}: {status}", from.display()))),
    }
}

/// A named pipe that nobody writes to.
fn pipe(folder: &Path) -> io::Result<PathBuf> {
    let path = folder.join("pipe.h");
    match Command::new("mkfifo").arg(&path).status()?.success() {
        true => Ok(path),
        false => Err(io::Error::other("mkfifo failed")),
    }
}

/// The tasks, over files of others.
///
/// # Errors
/// What the system says, or that a tool fails.
pub(super) fn tasks(tools: &Path, folder: &Path, others: &[Task]) -> io::Result<Vec<Task>> {
    let (calls, lines) = ("2^21 inlined calls", "10,000 straight lines");
    let (large, macros) = ("2.4 MB of C", "macros of 2^21 statements");
    let (flags, long) = ("2,000 flags", "100,000 statements");
    let mut tasks = Vec::new();
    for name in
        [large, macros, "initialiser of 1 MB", "struct of 10,000 members", "50,000 declarations"]
    {
        let task = Task::new("compile", file_of(others, name)?, COMPILE);
        tasks.push(task.with(&["-o", "/dev/null"]));
    }
    for (name, passes) in
        [(calls, MANY), (lines, MANY), (lines, LOWERED), ("2,000 branches in a row", MANY)]
    {
        let module = folder.join(format!("{}.gir", tasks.len()));
        made(tools, "sapa-cc", &[], &file_of(others, name)?, &module)?;
        let task = Task::new("passes", module, OPTIMISE).with(&["-p", passes, "-o", "/dev/null"]);
        tasks.push(task.clone());
        tasks.push(task.with(&["--verify-each", "--print-changed", "--time-passes"]));
    }
    let module = folder.join("many.gir");
    made(tools, "sapa-cc", &[], &file_of(others, large)?, &module)?;
    tasks.push(Task::new("passes over 2.4 MB of C", module, OPTIMISE).with(&[
        "-p",
        MANY,
        "-o",
        "/dev/null",
    ]));
    let vocabulary = folder.join("predicates.txt");
    fs::write(&vocabulary, each(24, "v0 * v1 + v2 > # * v3\n"))?;
    let text = program(
        "unsigned v0, v1, v2, v3;\n",
        &format!(
            "while (1) {{\n{}assert(v0 != v1 * 77 + v3); }}",
            each(40, "v0 = v0 * v1 + v2; v1 = v1 * v2 + #;\n")
        ),
    );
    let (source, module, lowered) =
        (folder.join("wide.c"), folder.join("wide.gir"), folder.join("lowered.gir"));
    fs::write(&source, text)?;
    made(tools, "sapa-cc", &[], &source, &module)?;
    made(tools, "sapa-opt", &["-p", LOWERED], &module, &lowered)?;
    let predicates = vocabulary.to_string_lossy().into_owned();
    for length in ["3", "6"] {
        let arguments =
            ["--predicates", &predicates, "--max-cube-length", length, "-o", "/dev/null"];
        tasks.push(
            Task::new("abstraction over 24 products", lowered.clone(), ABSTRACT).with(&arguments),
        );
    }
    for format in FORMATS {
        for name in [flags, long] {
            let task = Task::new("translation", file_of(others, name)?, TRANSLATE);
            tasks.push(task.with(&["--to", format.name, "--threads", "64", "-o", "/dev/null"]));
        }
    }
    for tool in
        [COMPILE, OPTIMISE, ABSTRACT, &["sapa-translate", "--to", "smv"], CHECK, &["sapa-mc"]]
    {
        let source = Source::Silence;
        tasks.push(Task { source, ..Task::new("standard input without an end", "-".into(), tool) });
    }
    for (name, tool) in [(large, CHECK), (calls, CHECK)] {
        let task = Task::new("standard input", file_of(others, name)?, tool);
        tasks.push(Task { source: Source::Standard, ..task });
    }
    let pipe = pipe(folder)?;
    let waiting = folder.join("waiting.c");
    fs::write(
        &waiting,
        format!("#include \"{}\"\nint main(void) {{ return 0; }}\n", pipe.display()),
    )?;
    for tool in [CHECK, COMPILE] {
        tasks.push(Task::new("preprocessor without an end", waiting.clone(), tool));
    }
    let mut many = String::new();
    for number in 0..3000 {
        let header = folder.join(format!("header{number}.h"));
        fs::write(
            &header,
            each(20, &format!("static int h{number}_#(int a) {{ return a + #; }}\n")),
        )?;
        many.push_str(&format!("#include \"{}\"\n", header.display()));
    }
    let file = folder.join("includes.c");
    fs::write(&file, program(&many, &each(3000, "assert(h#_7(1) == 8);\n")))?;
    tasks.push(Task::new("3,000 included files", file, CHECK));
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/goto");
    for name in ["threads.gb", "loop.hybrid.o", "alloc.gb"] {
        let file = fixtures.join(name);
        if file.exists() {
            tasks.push(Task::new("goto binary", file, CHECK).with(&["--threads", "2"]));
        }
    }
    Ok(tasks)
}
