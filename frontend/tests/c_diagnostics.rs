//! What the parser says about wrong programs, word for word, and where.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use sapa_frontend::c::ast::{BlockItem, ExternalDeclaration, StatementKind};
use sapa_frontend::c::parser::{MAX_ERRORS, parse};

fn errors(source: &[u8]) -> Vec<String> {
    match parse("t.c", source) {
        Ok(_) => panic!("accepted: {}", String::from_utf8_lossy(source)),
        Err(errors) => errors.iter().map(ToString::to_string).collect(),
    }
}

#[track_caller]
fn refused(source: &str, expected: &[&str]) {
    assert_eq!(errors(source.as_bytes()), expected, "{source}");
}

#[test]
fn one_error_each() {
    for (source, message) in [
        ("int x", "1:6: error: expected ';' after the declaration, found the end of the file"),
        ("int f(void) { return 0 }", "1:24: error: expected ';' after 'return', found '}'"),
        ("int f(void) { x = ; }", "1:19: error: expected an expression, found ';'"),
        ("int f(void) { if x; }", "1:18: error: expected '(' after 'if', found 'x'"),
        ("int f(void) { g(1; }", "1:18: error: expected ')' after the arguments, found ';'"),
        ("int f(void) { a[1; }", "1:18: error: expected ']' after the subscript, found ';'"),
        (
            "int f(void) { do x; until; }",
            "1:21: error: expected 'while' after the body of 'do', found 'until'",
        ),
        ("int f(void) { else x; }", "1:15: error: 'else' without 'if'"),
        ("int f(void) { goto 1; }", "1:20: error: expected a label after 'goto', found '1'"),
        (
            "int f(void) {",
            "1:14: error: expected '}' at the end of the block, found the end of the file",
        ),
        (
            "int f(void) { int g(void) { } return 0; }",
            "1:19: error: nested functions are not supported",
        ),
        ("int f(void) { foo x; }", "1:15: error: unknown type name 'foo'"),
        ("foo *x;", "1:1: error: unknown type name 'foo'"),
        ("void f(foo x);", "1:8: error: unknown type name 'foo'"),
        ("struct { foo x; } y;", "1:10: error: unknown type name 'foo'"),
        ("long char x;", "1:1: error: these type specifiers do not go together"),
        ("typedef int T; T int x;", "1:16: error: these type specifiers do not go together"),
        ("struct;", "1:7: error: expected a tag or '{', found ';'"),
        ("enum { 1 };", "1:8: error: expected the name of an enumeration constant, found '1'"),
        ("int 3x;", "1:5: error: expected a name or '(', found '3x'"),
        ("int x = 3x;", "1:9: error: invalid suffix 'x' of integer constant '3x'"),
        ("int x = 089;", "1:9: error: digit '8' in octal constant '089'"),
        ("int x = 0x;", "1:9: error: hexadecimal constant '0x' has no digits"),
        (
            "int x = 18446744073709551616;",
            "1:9: error: integer constant '18446744073709551616' needs more than 64 bits",
        ),
        ("int x = 1e;", "1:9: error: exponent of floating constant '1e' has no digits"),
        ("int x = '';", "1:9: error: empty character constant"),
        ("int x = '\\q';", "1:9: error: unknown escape sequence '\\q'"),
        ("int x = '\\x100';", "1:9: error: escape sequence is out of range"),
        ("char *x = L\"a\" u\"b\";", "1:16: error: joined string literals have different prefixes"),
        ("int x @;", "1:7: error: unexpected character '@'"),
        ("int \u{1}\u{2}x;", "1:5: error: unexpected byte 0x01"),
        ("#include <x.h>\nint x;", "1:1: error: directive '#include' in preprocessed text"),
        ("int x;\n#pragma weak x\n", "2:1: error: '#pragma weak' is not supported"),
        ("_Pragma(\"pack(3)\") int x;", "1:9: error: '#pragma pack(3)' is not supported"),
        ("int x; /* y", "1:8: error: comment is not closed"),
        ("}", "1:1: error: expected a declaration, found '}'"),
        ("static extern int x;", "1:8: error: more than one storage class"),
        ("int x = { .a 1 };", "1:14: error: expected '=' after the designator, found '1'"),
        (
            "int aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbb;",
            "1:59: error: expected ';' after the declaration, found 'bbbb'",
        ),
        (
            "int x aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;",
            "1:7: error: expected ';' after the declaration, found 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'",
        ),
    ] {
        refused(source, &[&format!("t.c:{message}")]);
    }
}

#[test]
fn all_errors_of_a_file_are_reported() {
    refused(
        "int f(void) { x = ; y = 1; z + ; { a b c; d = ; } return 1 }\nint g(void) { ) }\nint h = ;\nint ok;\nstruct { int a b; int c; foo d; } s;\n",
        &[
            "t.c:1:19: error: expected an expression, found ';'",
            "t.c:1:32: error: expected an expression, found ';'",
            "t.c:1:36: error: unknown type name 'a'",
            "t.c:1:40: error: expected ';' after the declaration, found 'c'",
            "t.c:1:47: error: expected an expression, found ';'",
            "t.c:1:60: error: expected ';' after 'return', found '}'",
            "t.c:2:15: error: expected an expression, found ')'",
            "t.c:3:9: error: expected an expression, found ';'",
            "t.c:5:16: error: expected ';' after the member, found 'b'",
            "t.c:5:26: error: unknown type name 'foo'",
        ],
    );
}

#[test]
fn an_error_does_not_disturb_typedefs() {
    refused(
        "typedef int T;\nvoid f(void) { { int T; x = ; } T y; ( }\nT z;\nvoid g(int T, int +) { }\nT w;\nT v = ;\n",
        &[
            "t.c:2:29: error: expected an expression, found ';'",
            "t.c:2:40: error: expected an expression, found '}'",
            "t.c:4:19: error: expected ')' after the parameters, found '+'",
            "t.c:6:7: error: expected an expression, found ';'",
        ],
    );
}

#[test]
fn after_so_many_errors_parsing_ends() {
    let all = errors("int x = ;\n".repeat(1000).as_bytes());
    assert_eq!(all.len(), MAX_ERRORS);
    assert_eq!(all[0], "t.c:1:9: error: expected an expression, found ';'");
    assert_eq!(all[MAX_ERRORS - 1], "t.c:50:9: error: more than 49 errors, giving up");
}

#[test]
fn line_markers_move_positions() {
    let source = "int a;\n# 10 \"dir/q.h\" 1 3 4\nint b\n  = ;\n#line 7 \"a\\\"b.c\"\nint c = ;\n#line 20\n\n int d = ;\n# 3 \"t.c\" 2\nint e = ;\n";
    refused(
        source,
        &[
            "dir/q.h:11:5: error: expected an expression, found ';'",
            "a\"b.c:7:9: error: expected an expression, found ';'",
            "a\"b.c:21:10: error: expected an expression, found ';'",
            "t.c:3:9: error: expected an expression, found ';'",
        ],
    );
}

#[test]
fn every_node_knows_its_place() {
    let source = "# 5 \"m.c\"\nint f(int a) {\n  a = a +\n    g(a);\n}\n";
    let unit = parse("t.c", source.as_bytes()).unwrap().unit;
    let ExternalDeclaration::Function(function) = &unit.items[0] else { panic!() };
    let place = |position| unit.files.locate(position).to_string();
    assert_eq!(place(function.position), "m.c:5:1");
    assert_eq!(place(function.declarator.position), "m.c:5:5");
    assert_eq!(place(function.body.position), "m.c:5:14");
    assert_eq!(place(function.body.end), "m.c:8:1");
    let BlockItem::Statement(statement) = &function.body.items[0] else { panic!() };
    assert_eq!(place(statement.position), "m.c:6:3");
    let StatementKind::Expression(expression) = &statement.kind else { panic!() };
    use sapa_frontend::c::ast::ExpressionKind as E;
    assert_eq!(place(expression.position), "m.c:6:3");
    let E::Assign { value, .. } = &expression.kind else { panic!() };
    assert_eq!(place(value.position), "m.c:6:7");
    let E::Binary { right, .. } = &value.kind else { panic!() };
    assert_eq!(place(right.position), "m.c:7:5");
    let E::Call { arguments, .. } = &right.kind else { panic!() };
    assert_eq!(place(arguments[0].position), "m.c:7:7");
}

#[test]
fn junk_is_refused_in_bounded_time() {
    let mut state: u32 = 1;
    let junk: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    })
    .take(200_000)
    .collect();
    assert!(errors(&junk).len() <= MAX_ERRORS);
    assert!(errors(&[0xff; 1000]).len() <= MAX_ERRORS);
    assert!(errors(b"\"abc").len() <= MAX_ERRORS);
    assert!(parse("t.c", b"").is_ok());
    assert!(parse("t.c", b"char *s = \"\xff\";").is_ok());
}
