//! Deep and long inputs: a clear error or a tree, never an overflow of the stack.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use sapa_frontend::c::parser::{MAX_EXPRESSION_HEIGHT, MAX_NESTING, parse};
use sapa_frontend::c::print::print;

/// `before`, then `open` and `close` around `middle` `n` times, then `after`.
fn around(n: usize, before: &str, open: &str, middle: &str, close: &str, after: &str) -> String {
    format!("{before}{}{middle}{}{after}", open.repeat(n), close.repeat(n))
}

type Shape = (&'static str, &'static str, &'static str, &'static str, &'static str);

const NESTED: &[Shape] = &[
    ("int x = ", "(", "1", ")", ";"),
    ("void f(void) ", "{", "", "}", ""),
    ("int x = ", "-~!", "1", "", ";"),
    ("int x = ", "(int)", "1", "", ";"),
    ("int x = ", "__extension__ ", "1", "", ";"),
    ("int x = ", "sizeof ", "1", "", ";"),
    ("int x = ", "1 ? 2 : ", "3", "", ";"),
    ("int x = ", "f(", "1", ")", ";"),
    ("int x = ", "a[", "1", "]", ";"),
    ("int x = ", "({", "1;", "});", ""),
    ("int ", "(", "x", ")", ";"),
    ("int ", "*(", "x", ")", ";"),
    ("int x = ", "{", "1", "}", ";"),
    ("void f(int x) { ", "x = ", "1", "", "; }"),
    ("void f(void) { ", "for (;;) ", ";", "", " }"),
    ("void f(void) { ", "if (1) ", ";", "", " }"),
    ("void f(void) { ", "switch (1) { case 1: ", ";", "}", " }"),
    ("", "struct {", "int x;", "} x;", ""),
    ("void f(", "int (*x)(", "int", ")", ");"),
    ("", "typeof(", "1", ")", " x;"),
    ("", "_Atomic(", "int", ")", " x;"),
    ("int x", "[sizeof(int", "", ")]", ";"),
    ("int x __attribute__((aligned", "(", "1", ")", "));"),
];

#[test]
fn deep_nesting_is_an_error() {
    for (before, open, middle, close, after) in NESTED {
        let shallow = around(100, before, open, middle, close, after);
        if let Err(errors) = parse("t.c", shallow.as_bytes()) {
            // The shape that repeats `;` is only about depth.
            assert!(open.starts_with("({"), "{shallow}: {}", errors[0]);
        }
        let deep = around(50_000, before, open, middle, close, after);
        let errors = parse("t.c", deep.as_bytes()).expect_err(open);
        let last = errors.last().unwrap();
        assert_eq!(
            last.message,
            format!("the program nests deeper than {MAX_NESTING} levels"),
            "{open}"
        );
    }
}

#[test]
fn opening_brackets_without_end() {
    for open in ["(", "[", "{", "int x = (", "int f() {", "int x[] = {", "*", "-", "struct {"] {
        let source = format!("int x = {}", open.repeat(300_000));
        assert!(parse("t.c", source.as_bytes()).is_err(), "{open}");
    }
}

#[test]
fn long_chains_of_operators_are_an_error() {
    for (open, close) in
        [("1", "+1"), ("x", ".x"), ("x", "[0]"), ("f", "()"), ("x", "++"), ("a", "&&b")]
    {
        let source = format!("void f() {{ {open}{}; }}", close.repeat(50_000));
        let errors = parse("t.c", source.as_bytes()).expect_err(close);
        assert_eq!(
            errors[0].message,
            format!("the expression has more than {MAX_EXPRESSION_HEIGHT} operators in a chain")
        );
    }
    // Chains in chains, each below the limit.
    let inner = format!("1{}", "+1".repeat(3000));
    let source = format!("int x = f(({{ {inner}; }})){};", "+1".repeat(3000));
    assert!(parse("t.c", source.as_bytes()).is_err());
    let source = format!("int x = sizeof(int[{inner}]){};", "+1".repeat(3000));
    assert!(parse("t.c", source.as_bytes()).is_err());
}

#[test]
fn long_declarators_are_an_error() {
    for (before, repeated, after) in
        [("int ", "*", "x;"), ("int x", "[1]", ";"), ("int x", "()", ";")]
    {
        let source = format!("{before}{}{after}", repeated.repeat(50_000));
        let errors = parse("t.c", source.as_bytes()).unwrap_err();
        let message = "a declarator has more than 1000 pointers, arrays and functions";
        assert_eq!(errors[0].message, message);
    }
}

#[test]
fn what_generated_code_repeats_is_accepted() {
    let arms: String = (0..20_000).map(|i| format!("else if (x == {i}) x++;\n")).collect();
    let cases: String = (0..20_000).map(|i| format!("case {i}:\n")).collect();
    for source in [
        format!("void f(int x) {{ if (x) x = 1; {arms} else x = 2; }}"),
        format!("void f(int x) {{ switch (x) {{ {cases} ; }} }}"),
        format!("void f(int x) {{ x{}; }}", ", x".repeat(20_000)),
        format!("int x[] = {{ {} }};", "1,".repeat(50_000)),
        format!("char *x = {};", "\"a\" ".repeat(50_000)),
        format!("void f(int x) {{ {} }}", "x = x + 1;\n".repeat(20_000)),
        format!("int x = 1{};", " + 1".repeat(3900)),
    ] {
        let unit = parse("t.c", source.as_bytes()).unwrap().unit;
        let text = print(&unit);
        drop(unit);
        assert_eq!(print(&parse("t.c", text.as_bytes()).unwrap().unit), text);
    }
}
