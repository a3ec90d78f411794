use sapa_ir::goto::c_text::c_text;
use sapa_ir::goto::generate::generate;
use sapa_ir::goto::{parse as parse_module, print, print_expression};

use super::*;

const MODULE: &str = r"gir 1
struct point size 8 align 4 {
  x: i32 signed at 0
  y: i32 at 4
}
global $s: i32 signed = 0
global $u: i32 = 0
global $c: i8 signed = 0
global $p: ptr = 0
global $a: [4 x struct point] = zero
define @f() {
  var !l: i32 signed
  var !g::l#2: i8
  slot &b: [2 x i16] signed
bb0:
  %0: i64 = copy 0i64
  return
}
define @h() {
  var !l: i32 signed
bb0:
  %0: i32 !l = copy 0i32
  return
}
";

fn text(line: &str) -> String {
    let module = parse_module(MODULE, "m").expect("the module");
    match parse(&module, line, "p") {
        Ok(predicates) => {
            let all: Vec<_> =
                predicates.iter().map(|p| print_expression(&module, &p.expression)).collect();
            all.join("; ")
        }
        Err(errors) => {
            errors.iter().map(|error| error.to_string().replace(" error:", "")).collect()
        }
    }
}

#[test]
fn names_and_conversions() {
    for (line, expected) in [
        ("s == f::l", "eq(load(i32, $s), @f!l)"),
        ("s < u", "ult(load(i32, $s), load(i32, $u))"),
        ("c >= 1", "sle(1i8, load(i8, $c))"),
        ("c >= 1000", "sle(1000i32, sext(i32, load(i8, $c)))"),
        ("c < u", "ult(sext(i32, load(i8, $c)), load(i32, $u))"),
        ("u == -1", "eq(load(i32, $u), -1i32)"),
        ("u", "ne(load(i32, $u), 0i32)"),
        ("p != 0", "ne(load(ptr, $p), null)"),
        ("p == &a[1]", "eq(load(ptr, $p), index(struct point, $a, 1i64))"),
        ("*(int *)p == 1", "eq(load(i32, load(ptr, $p)), 1i32)"),
        (
            "((struct point *)p)->y > 2",
            "ult(2i32, load(i32, field(struct point.y, load(ptr, $p))))",
        ),
        ("!(s == 1) && p", "and(not(eq(load(i32, $s), 1i32)), ne(load(ptr, $p), null))"),
        ("(s > 1) == u", "eq(zext(i32, slt(1i32, load(i32, $s))), load(i32, $u))"),
        ("(s > 1) == (u > 1)", "eq(slt(1i32, load(i32, $s)), ult(1i32, load(i32, $u)))"),
        ("s+1*2<<1 == 0x10u", "eq(shl(add(load(i32, $s), mul(1i32, 2i32)), 1i32), 16i32)"),
        ("# comment\n\n s == 1 // and more", "eq(load(i32, $s), 1i32)"),
        ("(unsigned _BitInt(24))s == 5", "eq(trunc(i24, load(i32, $s)), 5i24)"),
        ("(_BitInt(8))c + (_BitInt(8))1 < 0", "slt(add(load(i8, $c), 1i8), 0i8)"),
        ("f::%0 == 1", "eq(@f%0, 1i64)"),
        ("h::l@0 == 1", "eq(@h%0, 1i32)"),
        ("`$s` == `@f!l`", "eq(load(i32, $s), @f!l)"),
        (
            "f::g::l#2 == f::b[1]",
            "eq(zext(i32, @f!g::l#2), sext(i32, load(i16, index(i16, @f&b, 1i64))))",
        ),
    ] {
        assert_eq!(text(line), expected, "{line}");
    }
}

#[test]
fn errors_have_positions() {
    for (line, expected) in [
        ("s ==", "p:1:5: expected an expression, found the end of the line"),
        ("\ns = 1", "p:2:3: expected an operator or the end of the line, found '='"),
        ("x", "p:1:1: nothing is called 'x'; locals are 'function::variable'"),
        ("l == 1", "p:1:1: 'l' may be f::l or h::l"),
        ("s == f::%7", "p:1:6: nothing is called 'f::%7'; locals are 'function::variable'"),
        ("p < 1", "p:1:5: a pointer and an integer: one of them needs a cast"),
        (
            "*p == 1",
            "p:1:1: an object of type void has no value: say what is there by a cast, as in \
             '*(int *)p'",
        ),
        ("a[0] == 1", "p:1:1: this is no scalar: a member is missing"),
        ("a[0].z == 1", "p:1:6: the structure has no member 'z'"),
        ("(struct line *)p == 0", "p:1:1: the module has no structure 'line'"),
        ("(s", "p:1:3: expected ')' after the expression, found the end of the line"),
        ("s == `$s", "p:1:6: unexpected character '`'"),
        (
            "f(1) == 1",
            "p:1:1: this is not supported in predicates: they have variables, constants and operators",
        ),
        (
            "f::l == h::l",
            "p:1:1: the predicate reads locals of two functions; it may read those of one, and those of another thread in brackets",
        ),
        ("[s] == 1", "p:1:1: brackets are around what all threads share; write it without"),
    ] {
        assert_eq!(text(line), expected, "{line}");
    }
    assert!(text(&"(".repeat(100_000)).contains("nests deeper"));
    assert!(text(&"!".repeat(100_000)).contains("nests deeper"));
}

/// What is written is read back to the same.
#[test]
fn printed_predicates_are_read_back() {
    let mut count = 0;
    for seed in 0..4000 {
        let module = generate(seed);
        for predicate in &module.predicates {
            let text = c_text(&module, &predicate.expression);
            let shown = print_expression(&module, &predicate.expression);
            match parse(&module, &text, "p") {
                Ok(read) => {
                    let read = print_expression(&module, &read[0].expression);
                    assert_eq!(read, shown, "{seed}: {text}\n{}", print(&module));
                }
                Err(errors) => panic!("{seed}: {text}: {}\n{shown}\n{}", errors[0], print(&module)),
            }
            count += 1;
        }
    }
    assert!(count > 1000);
}
