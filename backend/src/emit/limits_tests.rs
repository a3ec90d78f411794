//! Expressions and numbers of threads that are too much to write, or would be if written carelessly.

use super::{EmitError, FORMATS};
use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::parser::parse;

fn program_of(text: &str) -> FlatProgram {
    flatten(&parse(text).unwrap(), &FlattenOptions::default()).unwrap()
}

fn emit(format: &str, program: &FlatProgram, threads: u32) -> Result<String, EmitError> {
    let format = FORMATS.iter().find(|f| f.name == format).unwrap();
    (format.emit)(program, Some(threads))
}

#[test]
fn operators_that_read_a_part_twice_are_written_with_it_once() {
    let exclusive = vec!["a"; 40].join(" ^ ");
    let conditional = (0..40).fold("a".to_owned(), |c, _| format!("({c} ? b : a)"));
    for value in [exclusive, conditional] {
        let program = program_of(&format!("decl a, b; void main() begin a := {value}; end"));
        for format in ["smv", "promela"] {
            let text = emit(format, &program, 1).unwrap();
            assert!(text.len() < 20_000, "{format}: {}", text.len());
        }
    }
}

#[test]
fn what_could_only_be_written_with_repetitions_is_refused() {
    let choices = (0..60).fold("a".to_owned(), |c, _| format!("({c} ? b : schoose[a, b])"));
    let program = program_of(&format!("decl a, b; void main() begin a := {choices}; end"));
    let conditional = (0..60).fold("a".to_owned(), |c, _| format!("({c} ? b : a)"));
    let certain = program_of(&format!("decl a, b; void main() begin a := {conditional}; end"));
    for (format, program) in
        [("smv", &program), ("promela", &program), ("boppo", &certain), ("boom", &certain)]
    {
        let error = emit(format, program, 1).unwrap_err();
        assert!(matches!(error, EmitError::TooLong(_)), "{format}: {error}");
    }
}

#[test]
fn long_chains_of_operators_need_no_deep_stack() {
    let chain = vec!["a"; 200_000].join(" & ");
    let program = program_of(&format!("decl a; void main() begin assume({chain}); end"));
    for format in FORMATS {
        (format.emit)(&program, Some(1)).unwrap();
    }
}

#[test]
fn numbers_of_threads_beyond_reason_are_refused() {
    let program = program_of("decl a; void main() begin L: start_thread L; goto L; end");
    for threads in [100_000, u32::MAX] {
        let error = emit("smv", &program, threads).unwrap_err();
        assert!(matches!(error, EmitError::TooLong(_)), "{error}");
    }
    assert!(emit("promela", &program, 253).is_ok());
    assert_eq!(emit("promela", &program, 254), Err(EmitError::TooManyThreads(253)));
}
