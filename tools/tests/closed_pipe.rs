//! Whoever reads a tool's output may close the pipe early, as `| head -1` does: the tool ends with
//! its exit code and without a word about it.

use std::path::Path;
use std::process::{Command, Stdio};

/// A program with a failing run of some steps.
const BOOLEAN: &str = "decl g := 0;\nvoid main() begin g := 1; g := 0; g := 1; assert(!g); end\n";
/// A C program with a failing assertion.
const C: &str =
    "#include <assert.h>\nint g;\nint main(void) {\n  g = 1;\n  assert(g == 0);\n  return 0;\n}\n";

/// Runs a tool in `folder` with pipes for its output and its messages that nobody reads.
fn exit_code(program: &str, arguments: &[&str], folder: &Path, closed: Closed) -> Option<i32> {
    let (reader, output) = std::io::pipe().expect("a pipe");
    let (messages_reader, messages) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(match closed {
            Closed::Output => Stdio::piped(),
            Closed::Both => messages.into(),
        })
        .spawn()
        .expect("the tool starts");
    drop(messages_reader);
    let mut said = String::new();
    if let Some(mut errors) = child.stderr.take() {
        std::io::Read::read_to_string(&mut errors, &mut said).expect("its messages");
    }
    let code = child.wait().expect("it ends").code();
    assert!(!said.contains("panicked"), "{program} {arguments:?}: {said}");
    assert!(!said.contains("Broken pipe"), "{program} {arguments:?}: {said}");
    code
}

/// Which pipes are closed.
#[derive(Clone, Copy)]
enum Closed {
    Output,
    Both,
}

#[test]
fn tools_end_quietly_when_nobody_reads_their_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("a.bp"), BOOLEAN).expect("written");
    std::fs::write(folder.join("a.c"), C).expect("written");
    let module = Command::new(env!("CARGO_BIN_EXE_sapa-cc"))
        .args(["a.c", "-o", "a.gir"])
        .current_dir(folder)
        .status()
        .expect("sapa-cc runs");
    assert!(module.success());
    let cases: [(&str, &[&str], i32); 14] = [
        (env!("CARGO_BIN_EXE_sapa-mc"), &["a.bp", "--stats"], 10),
        (env!("CARGO_BIN_EXE_sapa-mc"), &["a.bp", "--error-label", "none"], 2),
        (env!("CARGO_BIN_EXE_sapa"), &["check", "a.bp"], 10),
        (env!("CARGO_BIN_EXE_sapa"), &["check", "a.c", "--verbose"], 10),
        (env!("CARGO_BIN_EXE_sapa"), &["check", "a.c", "--json"], 10),
        (env!("CARGO_BIN_EXE_sapa"), &["check", "none.c"], 2),
        (env!("CARGO_BIN_EXE_sapa"), &["check", "--help"], 0),
        (env!("CARGO_BIN_EXE_sapa-cc"), &["a.c"], 0),
        (env!("CARGO_BIN_EXE_sapa-opt"), &["a.gir", "-p", "print-call-graph", "--time-passes"], 0),
        (env!("CARGO_BIN_EXE_sapa-opt"), &["--list-passes"], 0),
        (env!("CARGO_BIN_EXE_sapa-opt"), &["a.gir", "-p", "none"], 1),
        (env!("CARGO_BIN_EXE_sapa-abstract"), &["a.gir"], 0),
        (env!("CARGO_BIN_EXE_sapa-translate"), &["a.bp", "--to", "boom"], 0),
        (env!("CARGO_BIN_EXE_sapa-translate"), &["a.bp", "--to", "steam"], 1),
    ];
    for (program, arguments, code) in cases {
        for closed in [Closed::Output, Closed::Both] {
            let found = exit_code(program, arguments, folder, closed);
            assert_eq!(found, Some(code), "{program} {arguments:?}");
        }
    }
}
