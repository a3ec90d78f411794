//! Running the system's preprocessor, and parsing what the system's headers become.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use sapa_frontend::c::parser::parse;
use sapa_frontend::c::preprocess::{
    PreprocessError, PreprocessorArgument, PreprocessorOptions, SourceInput, preprocess,
    preprocess_text,
};
use sapa_frontend::c::print::print;
use sapa_limits::{Exceeded, Limits, memory};

fn cc() -> PreprocessorOptions {
    PreprocessorOptions { compiler: Some(OsString::from("cc")), ..Default::default() }
}

fn file(directory: &Path, name: &str, text: &[u8]) -> SourceInput {
    let path = directory.join(name);
    fs::write(&path, text).unwrap();
    SourceInput::Path(path)
}

fn parse_printed(text: &[u8]) -> String {
    match parse("t.c", text) {
        Ok(parsed) => print(&parsed.unit),
        Err(errors) => panic!("{}", errors[0]),
    }
}

#[test]
fn options_reach_the_preprocessor_in_order() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("include")).unwrap();
    fs::write(directory.path().join("include/n.h"), "int from_header = N;\n").unwrap();
    let input = file(directory.path(), "a.c", b"#include <n.h>\n#ifdef M\nint m;\n#endif\n");
    let options = PreprocessorOptions {
        arguments: vec![
            PreprocessorArgument::Include(directory.path().join("include")),
            PreprocessorArgument::Define("N=42".to_owned()),
            PreprocessorArgument::Define("M".to_owned()),
            PreprocessorArgument::Undefine("M".to_owned()),
        ],
        ..cc()
    };
    let source = preprocess(&input, &options, &Limits::default()).unwrap();
    let parsed = parse(&source.file_name, &source.text).unwrap();
    assert_eq!(print(&parsed.unit), "int from_header = 42;\n");
    let place = match &parsed.unit.items[0] {
        sapa_frontend::c::ast::ExternalDeclaration::Declaration(one) => one.position,
        _ => panic!(),
    };
    let place = parsed.unit.files.locate(place).to_string();
    assert!(place.ends_with("include/n.h:1:1"), "{place}");
}

#[test]
fn preprocessed_files_are_taken_as_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let input = file(directory.path(), "a.i", b"int N;\xff");
    let options = PreprocessorOptions {
        compiler: Some(OsString::from("no-such-compiler")),
        ..Default::default()
    };
    assert_eq!(preprocess(&input, &options, &Limits::default()).unwrap().text, b"int N;\xff");
}

#[test]
fn text_that_is_larger_than_a_pipe_goes_through() {
    let text = "int x; /* not UTF-8: */\n".repeat(50_000);
    let source =
        preprocess_text("<stdin>".to_owned(), text.as_bytes(), &cc(), &Limits::default()).unwrap();
    assert_eq!(parse("t.c", &source.text).unwrap().unit.items.len(), 50_000);
}

#[test]
fn errors_say_what_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing.c");
    let message = preprocess(&SourceInput::Path(missing.clone()), &cc(), &Limits::default())
        .unwrap_err()
        .to_string();
    assert!(message.starts_with(&format!("{}: No such file", missing.display())), "{message}");

    for name in [directory.path().to_owned(), {
        let path = directory.path().join("d.i");
        fs::create_dir(&path).unwrap();
        path
    }] {
        let error = preprocess(&SourceInput::Path(name), &cc(), &Limits::default()).unwrap_err();
        assert!(matches!(error, PreprocessError::Directory { .. }), "{error}");
    }

    let input = file(directory.path(), "e.c", b"#error told you\n");
    let error = preprocess(&input, &cc(), &Limits::default()).unwrap_err();
    let PreprocessError::Failed { message, .. } = &error else { panic!("{error}") };
    assert!(message.contains("told you"), "{message}");

    let options = PreprocessorOptions {
        compiler: Some(OsString::from("no-such-compiler")),
        ..Default::default()
    };
    let error = preprocess(&input, &options, &Limits::default()).unwrap_err().to_string();
    assert!(error.starts_with("cannot run the C compiler 'no-such-compiler': "), "{error}");
}

#[test]
fn text_in_memory_keeps_its_name_and_lines() {
    let name = "dir/a \"b\".c";
    let text = b"int a;\nchar *f = __FILE__;\nint b = ;\n";
    let source = preprocess_text(name.to_owned(), text, &cc(), &Limits::default()).unwrap();
    let errors = parse(&source.file_name, &source.text).unwrap_err();
    assert_eq!(
        errors[0].to_string(),
        format!("{name}:3:9: error: expected an expression, found ';'")
    );
}

#[test]
fn a_dash_is_the_standard_input() {
    assert_eq!(SourceInput::from_argument(Path::new("-")), SourceInput::StandardInput);
    let path = PathBuf::from("a.c");
    assert_eq!(SourceInput::from_argument(&path), SourceInput::Path(path));
}

#[test]
fn system_headers_parse() {
    let headers = [
        "stdio.h",
        "stdlib.h",
        "string.h",
        "pthread.h",
        "assert.h",
        "stdint.h",
        "stdbool.h",
        "limits.h",
        "stdatomic.h",
        "unistd.h",
        "semaphore.h",
        "errno.h",
        "time.h",
        "math.h",
        "sys/types.h",
        "stdarg.h",
        "stddef.h",
        "signal.h",
        "sched.h",
        "threads.h",
        "complex.h",
        "inttypes.h",
    ];
    let includes: String = headers
        .iter()
        .map(|header| format!("#if __has_include(<{header}>)\n#include <{header}>\n#endif\n"))
        .collect();
    let program = "
        atomic_int a;
        int f(int n, ...) {
            int old = 0;
            va_list list;
            va_start(list, n);
            n = va_arg(list, int);
            assert(n > 0 && \"positive\");
            atomic_store_explicit(&a, n, memory_order_release);
            atomic_compare_exchange_strong(&a, &old, 3);
            errno = (int)offsetof(struct timespec, tv_nsec);
            return atomic_fetch_add(&a, 1) + INT_MAX;
        }\n";
    let text = format!("{includes}{program}");
    let source =
        preprocess_text("h.c".to_owned(), text.as_bytes(), &cc(), &Limits::default()).unwrap();
    let printed = parse_printed(&source.text);
    assert_eq!(parse_printed(printed.as_bytes()), printed);
}

#[test]
fn what_a_compiler_starts_counts_as_memory_of_the_run() {
    let directory = tempfile::tempdir().unwrap();
    let compiler = directory.path().join("compiler");
    // `tail` keeps a line that never ends; without a look at it the shell's limit ends it.
    fs::write(&compiler, "#!/bin/sh\nulimit -v 2000000\ntail -n 1 /dev/zero\nexit 1\n").unwrap();
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&compiler, executable).unwrap();
    let options = PreprocessorOptions { compiler: Some(compiler.into()), ..Default::default() };
    let own = memory::resident().unwrap();
    let limits = Limits::new(Instant::now(), None, Some(own + (256 << 20)));
    let found = preprocess_text("t.c".to_owned(), b"int x;\n", &options, &limits);
    assert!(matches!(found, Err(PreprocessError::Exceeded(Exceeded::Memory))), "{found:?}");
}
