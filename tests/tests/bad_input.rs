//! Bad input of every kind: one clear message, the right exit code, nothing written.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

struct Case {
    /// The kind of bad input.
    kind: &'static str,
    /// Program and arguments.
    command: &'static [&'static str],
    /// Files to make: names and contents.
    files: Vec<(&'static str, Vec<u8>)>,
    /// What is written to the standard input.
    input: Vec<u8>,
    code: i32,
    /// What the message says.
    message: &'static str,
}

fn case(
    kind: &'static str,
    command: &'static [&'static str],
    files: Vec<(&'static str, Vec<u8>)>,
    code: i32,
    message: &'static str,
) -> Case {
    Case { kind, command, files, input: Vec::new(), code, message }
}

fn text(name: &'static str, text: &str) -> Vec<(&'static str, Vec<u8>)> {
    vec![(name, text.as_bytes().to_vec())]
}

/// A damaged binary module: a sound one with one bit of its content changed.
fn damaged(cut: bool) -> Vec<u8> {
    let module = sapa_ir::goto::Module::default();
    let mut bytes = sapa_ir::goto::binary::encode(&module);
    if cut {
        bytes.truncate(bytes.len() - 3);
    } else if let Some(last) = bytes.last_mut() {
        *last ^= 1;
    }
    bytes
}

/// The first bytes of a goto binary.
fn goto_binary(length: usize) -> Vec<u8> {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/goto/loop.gb");
    let mut bytes = std::fs::read(fixture).expect("the fixture");
    bytes.truncate(length);
    bytes
}

const MAIN: &str = "int main(void) { return 0; }\n";

/// Procedures of which each calls the next within many branches.
fn nested_calls() -> Vec<u8> {
    let body = |inner: &str| {
        format!("begin {}{inner}{} end\n", "if (*) then ".repeat(190), " fi".repeat(190))
    };
    let mut text = format!("void f0() {}", body("skip"));
    for n in 1..90 {
        text += &format!("void f{n}() {}", body(&format!("f{}()", n - 1)));
    }
    (text + "void main() begin f89() end\n").into_bytes()
}

fn cases() -> Vec<Case> {
    let brackets = "(".repeat(1 << 20).into_bytes();
    vec![
        case("missing file", &["sapa", "check", "none.c"], vec![], 2, "none.c: "),
        case(
            "a folder",
            &["sapa", "check", "."],
            vec![],
            2,
            ".: is a directory, expected a C file",
        ),
        case("no arguments", &["sapa", "check"], vec![], 1, "required arguments were not provided"),
        case(
            "unknown option",
            &["sapa", "check", "--frobnicate", "a.c"],
            vec![],
            1,
            "--frobnicate",
        ),
        case(
            "a number that is none",
            &["sapa", "check", "a.c", "--threads", "many"],
            text("a.c", MAIN),
            1,
            "expected a number of threads or 'unbounded'",
        ),
        case(
            "unknown engine",
            &["sapa", "check", "a.c", "--engine", "steam"],
            text("a.c", MAIN),
            1,
            "error: unknown engine 'steam'",
        ),
        case(
            "C that does not parse",
            &["sapa", "check", "a.c"],
            text("a.c", "int main(void) {\n  int x = ;\n}\n"),
            2,
            "a.c:2:11: error: ",
        ),
        case(
            "C with an undeclared name",
            &["sapa", "check", "a.c"],
            text("a.c", "int main(void) {\n  return y;\n}\n"),
            2,
            "a.c:2:10: error: ",
        ),
        case(
            "unsupported C",
            &["sapa", "check", "a.c"],
            text("a.c", "int main(void) {\n  long double d = 1.5;\n  return d > 1;\n}\n"),
            2,
            "a.c:2:",
        ),
        case(
            "a goto binary that is cut off",
            &["sapa", "check", "a.gb"],
            vec![("a.gb", goto_binary(5000))],
            2,
            "a.gb: offset 5000: the file ends here",
        ),
        case(
            "an old goto binary",
            &["sapa-cc", "a.gb"],
            vec![("a.gb", b"\x7fGBF\x04\x00\x00".to_vec())],
            2,
            "version 4 of the goto-binary format is not supported; versions 5 and 6",
        ),
        case(
            "an object without a goto binary",
            &["sapa-cc", "--list", "a.o"],
            vec![("a.o", std::fs::read("/proc/self/exe").unwrap_or_default())],
            2,
            "a.o: this ELF file holds no goto binary (no section 'goto-cc')",
        ),
        case(
            "C files and goto binaries together",
            &["sapa-cc", "a.c", "a.gb"],
            vec![("a.c", MAIN.into()), ("a.gb", goto_binary(usize::MAX))],
            2,
            "C files and goto binaries are not linked together",
        ),
        case(
            "C that is no goto binary, listed",
            &["sapa-cc", "--list", "a.c"],
            text("a.c", MAIN),
            2,
            "holds no goto binary",
        ),
        case(
            "no entry function",
            &["sapa", "check", "a.c"],
            text("a.c", "int f(void) { return 0; }\n"),
            2,
            "the entry function 'main' is not defined",
        ),
        case(
            "a failing preprocessor",
            &["sapa", "check", "a.c"],
            text("a.c", "#include \"nowhere.h\"\n"),
            2,
            "nowhere.h",
        ),
        case(
            "brackets without end",
            &["sapa", "check", "a.i"],
            vec![("a.i", [b"int x = ".to_vec(), brackets.clone()].concat())],
            2,
            "a.i:1:",
        ),
        case(
            "binary junk as C",
            &["sapa", "check", "a.i"],
            vec![("a.i", (0..=255).cycle().take(5000).collect())],
            2,
            "error: a.i: neither C nor a goto binary: byte 0 is 0",
        ),
        case(
            "a module that does not parse",
            &["sapa-opt", "a.gir"],
            text("a.gir", "gir 1\nglobal $x: j32 = 0\n"),
            2,
            "a.gir:2:12: error: expected a type, found `j32`",
        ),
        case(
            "a module that is not sound",
            &["sapa-opt", "a.gir"],
            text("a.gir", "gir 1\ndefine @f() {\nbb0:\n  jump bb1\n}\n"),
            2,
            "a.gir:4:3: error: there is no block bb1",
        ),
        case(
            "another version of the text form",
            &["sapa-opt", "a.gir"],
            text("a.gir", "gir 99\n"),
            2,
            "a.gir:1:5: error: version 99 of the text form is not supported",
        ),
        case(
            "a binary module that is cut off",
            &["sapa-opt", "a.girb"],
            vec![("a.girb", damaged(true))],
            2,
            "a.girb: ",
        ),
        case(
            "a damaged binary module",
            &["sapa-opt", "a.girb"],
            vec![("a.girb", damaged(false))],
            2,
            "a.girb: error: the check sum does not fit: the file is damaged",
        ),
        case(
            "unknown pass",
            &["sapa-opt", "-p", "inline,fly", "a.gir"],
            text("a.gir", "gir 1\n"),
            1,
            "pipeline:1:8: error: unknown pass 'fly'",
        ),
        case(
            "unknown option of a pass",
            &["sapa-opt", "-p", "simplify{speed=9}", "a.gir"],
            text("a.gir", "gir 1\n"),
            1,
            "pipeline:1:10: error: pass 'simplify' has no option 'speed'",
        ),
        case(
            "a wrong value of an option",
            &["sapa-opt", "-p", "simplify{nodes=few}", "a.gir"],
            text("a.gir", "gir 1\n"),
            1,
            "pipeline:1:16: error: option 'nodes' is a number",
        ),
        case(
            "an unknown format",
            &["sapa-translate", "a.bp", "--to", "pdf"],
            text("a.bp", "void main() begin skip end\n"),
            1,
            "unknown format 'pdf'",
        ),
        case(
            "a format that needs a number of threads",
            &["sapa-translate", "a.bp", "--to", "smv"],
            text("a.bp", "void main() begin skip end\n"),
            2,
            "say --threads N",
        ),
        case(
            "a broadcast for BOPPO",
            &["sapa-translate", "a.bp", "--to", "boppo"],
            text("a.bp", "decl thread_local x;\nvoid main() begin\n  x, [x] := 1, 1;\nend\n"),
            2,
            "a.bp:3:3: error: a broadcast cannot be written",
        ),
        case(
            "a Boolean program that does not parse",
            &["sapa-mc", "a.bp"],
            text("a.bp", "void main()\nbegin\n  x := ;\nend\n"),
            2,
            "a.bp:3:",
        ),
        case(
            "a Boolean program with an unknown variable",
            &["sapa-mc", "a.bp"],
            text("a.bp", "void main()\nbegin\n  x := 1;\nend\n"),
            2,
            "a.bp:3:",
        ),
        case(
            "an error label that is none",
            &["sapa-mc", "a.bp", "--error-label", "L", "--error-label", "M"],
            text("a.bp", "void main()\nbegin\n  L: skip;\nend\n"),
            2,
            "a.bp: error: no statement has the label `M` of --error-label",
        ),
        case(
            "a Boolean program of deeply nested calls",
            &["sapa-mc", "a.bp"],
            vec![("a.bp", nested_calls())],
            2,
            "nest more than 1000 levels deep",
        ),
        case(
            "a predicate over an unknown name",
            &["sapa", "check", "a.c", "--predicates", "p"],
            vec![("a.c", MAIN.as_bytes().to_vec()), ("p", b"\nz == 1\n".to_vec())],
            2,
            "p:2:1: error: nothing is called 'z'",
        ),
        case(
            "an output folder that does not exist",
            &["sapa-cc", "a.c", "-o", "nowhere/a.gir"],
            text("a.c", MAIN),
            2,
            "error: cannot write nowhere/a.gir: ",
        ),
        Case {
            input: brackets,
            ..case("brackets on the standard input", &["sapa-mc", "-"], vec![], 2, "<stdin>:1:")
        },
    ]
}

fn run(programs: &Path, folder: &Path, case: &Case) -> Output {
    let (program, arguments) = case.command.split_first().expect("a program");
    let mut child = Command::new(programs.join(program))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // It may end without reading all.
    let _ = child.stdin.take().expect("piped").write_all(&case.input);
    child.wait_with_output().expect("it ends")
}

#[test]
fn bad_input_is_answered() {
    let programs = sapa_tests::tools::programs();
    let cases = cases();
    assert!(cases.len() >= 20);
    for case in &cases {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, contents) in &case.files {
            std::fs::write(folder.path().join(name), contents).expect("the file");
        }
        let output = run(&programs, folder.path(), case);
        let errors = String::from_utf8_lossy(&output.stderr);
        let kind = case.kind;
        assert_eq!(output.status.code(), Some(case.code), "{kind}: {errors}");
        assert!(errors.contains(case.message), "{kind}: expected '{}' in: {errors}", case.message);
        assert!(errors.len() < 4000, "{kind}: a message of {} bytes", errors.len());
        assert!(!errors.contains("panicked"), "{kind}: {errors}");
        assert!(output.stdout.is_empty(), "{kind}: {}", String::from_utf8_lossy(&output.stdout));
        let left = std::fs::read_dir(folder.path()).expect("the folder").count();
        assert_eq!(left, case.files.len(), "{kind}: files were left behind");
    }
}
