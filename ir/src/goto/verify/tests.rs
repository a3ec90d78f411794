//! One negative test a law: the text parses, and the verifier objects.

use crate::goto::{Module, parse, verify};

fn errors(text: &str) -> String {
    let module = parse(text, "t.gir").unwrap();
    verify(&module).map_or_else(|errors| errors.to_string(), |()| "sound".to_owned())
}

/// Errors of a body of `@f(i32) -> i32` beside some globals and functions.
fn body(text: &str) -> String {
    errors(&format!(
        "gir 1
struct pair size 8 align 4 {{
  a: i32 at 0
  b: i32 at 4
}}
global $x: i32 = 0
declare @g(i32) -> i32
declare @h()
define @f(i32) -> i32 {{
  var !v: i8
  slot &s: i32
bb0(%0: i32):
{text}
}}"
    ))
}

#[test]
fn sound_modules_pass() {
    assert_eq!(verify(&Module::default()), Ok(()));
    assert_eq!(body("  %1: i8 !v = trunc %0\n  return %0"), "sound");
    assert_eq!(
        body(
            "  atomic_begin\n  jump bb1(%0)\nbb1(%1: i32):\n  %2: i1 = slt %1, 3i32\n  branch %2, bb1(%1), bb2\nbb2:\n  atomic_end\n  return %1"
        ),
        "sound"
    );
    // Code that is not reached needs definitions, but no dominance.
    assert_eq!(
        body("  return %0\nbb1:\n  return %1\nbb2:\n  %1: i32 = nondet\n  return %1"),
        "sound"
    );
}

#[test]
fn laws_of_modules() {
    for (text, expected) in [
        ("target pointer=16", "pointers have 32 or 64 bits, not 16"),
        ("declare @f()\ndeclare @f()", "a second function is called 'f'"),
        ("global $x: i32 = 0\nglobal $x: i32 = 0", "a second global is called 'x'"),
        (
            "struct s size 0 align 1 {\n}\nstruct s size 0 align 1 {\n}",
            "a second structure is called 's'",
        ),
        ("declare @f()\nentry @f", "the entry is no function with a body"),
        ("global $x: i0 = zero", "integers have 1 to 128 bits, not 0"),
        ("global $x: i129 = zero", "integers have 1 to 128 bits, not 129"),
        ("struct s size 4 align 4 {\n  a: [1 x struct s] at 0\n}", "structure 's' contains itself"),
        ("struct s size 4 align 4 {\n  a: i32 at 1\n}", "field 'a' is not within structure 's'"),
        ("global $x: i8 = 256", "an initialiser does not fit"),
        ("global $x: i32 = {1}", "an initialiser does not fit"),
        ("global $x: [1 x i8] = {1, 2}", "an initialiser does not fit"),
        ("global $x: i32 = $x", "an initialiser does not fit"),
    ] {
        let found = errors(&format!("gir 1\n{text}\n"));
        assert!(found.contains(expected), "{text}: {found}");
    }
}

#[test]
fn laws_of_functions() {
    for (text, expected) in [
        ("  jump bb0(%0)", "a jump to bb0"),
        ("  jump bb1\nbb1(%1: i32):\n  return %1", "the arguments of bb1 are not of its"),
        ("  jump bb7", "there is no block bb7"),
        ("  return", "the function returns Some(Int(32)), not None"),
        ("  return true", "the function returns Some(Int(32)), not Some(Int(1))"),
        ("  branch %0, bb1, bb1\nbb1:\n  unreachable", "condition of a branch has type"),
        ("  switch %0 [1: bb1, 1: bb1], bb1\nbb1:\n  unreachable", "a second case 1"),
        ("  %1: i8 = trunc %0\n  switch %1 [256: bb1], bb1\nbb1:\n  unreachable", "does not fit"),
        ("  %0: i32 = nondet\n  return %0", "a second definition of %0"),
        ("  %1: i32 = copy %2\n  %2: i32 = nondet\n  return %1", "%2 is used in bb0"),
        (
            "  branch true, bb1, bb2\nbb1:\n  %1: i32 = nondet\n  jump bb2\nbb2:\n  return %1",
            "%1 is used in bb2 where no definition of it dominates",
        ),
        ("  %1: i32 !v = nondet\n  return %0", "is a version of var0, which has another type"),
        ("  %1: struct pair = nondet\n  return %0", "values have scalar types"),
    ] {
        let found = body(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
    let found = errors("gir 1 define @f(i32) { bb0: return }");
    assert!(found.contains("the parameters of bb0 are not those of the function"), "{found}");
}

#[test]
fn laws_of_operations() {
    for (text, expected) in [
        ("%1: i32 = add %0, 1i8", "add: an operand of type Int(8), expected Int(32)"),
        ("%1: i8 = add %0, %0", "add has a result of type Int(32), not Some(Int(8))"),
        ("%1: i32 = xor.nsw %0, %0", "xor cannot overflow"),
        ("%1: i32 = add $x, $x", "expected an integer"),
        ("%1: i1 = eq %0, null", "eq: an operand of type Pointer"),
        ("%1: i64 = trunc %0", "trunc from Int(32) to Int(64)"),
        ("%1: i8 = zext %0", "zext from Int(32) to Int(8)"),
        ("%1: i32 = ptrtoint $x", "ptrtoint from Pointer to Int(32)"),
        ("%1: i32 = select %0, %0, %0", "select: an operand of type Int(32), expected Int(1)"),
        ("%1: ptr = field struct pair.#2, $x", "there is no field"),
        ("%1: ptr = index i8, $x, %0", "index: an operand of type Int(32), expected Int(64)"),
        ("%1: i32 = load %0", "load: an operand of type Int(32), expected Pointer"),
        ("store i8, $x, %0", "store: an operand of type Int(32), expected Int(8)"),
        ("%1: i32 = call @g()", "function 'g' takes [Int(32)], not []"),
        ("%1: i32 = call @h()", "call has no result"),
        ("%1: i32 = spawn @h()", "spawn may have a result of type Int(64)"),
        ("join %0", "join: an operand of type Int(32), expected Int(64)"),
        ("mutex_lock($x, $x)", "mutex_lock has 1 arguments, not 2"),
        ("%1: i1 = mutex_lock($x)", "mutex_lock has no result"),
        ("assume %0", "assume: an operand of type Int(32), expected Int(1)"),
        ("load $x", "load has a result"),
    ] {
        let found = body(&format!("  {text}\n  return %0"));
        assert!(found.contains(expected), "{text}: {found}");
    }
}

#[test]
fn laws_of_atomic_sections() {
    for (text, expected) in [
        ("  branch true, bb1, bb2\nbb1:\n  atomic_begin\n  jump bb2\nbb2:\n  return %0", "depths"),
        (
            "  branch true, bb1, bb2\nbb1:\n  return %0\nbb2:\n  atomic_begin\n  return %0",
            "returns at different depths",
        ),
    ] {
        let found = body(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
    for (text, expected) in [
        ("atomic_begin return", "the thread ends inside an atomic section"),
        ("atomic_end return", "leaves an atomic section that it did not enter"),
        // Through calls.
        ("call @enter() return", "the thread ends inside an atomic section"),
        ("call @enter() atomic_end return", "sound"),
        ("call @again() return", "sound"),
        ("call @skewed() return", "a recursive function changes the depth"),
    ] {
        let skewed = if text.contains("skewed") {
            "define @skewed() { bb0: branch true, bb1, bb2 bb1: call @skewed() atomic_begin return bb2: atomic_begin return }"
        } else {
            ""
        };
        let found = errors(&format!(
            "gir 1 define @enter() {{ bb0: atomic_begin return }} \
             define @again() {{ bb0: call @again() return }} {skewed} \
             define @main() {{ bb0: {text} }} entry @main"
        ));
        assert!(found.contains(expected), "{text}: {found}");
    }
}

#[test]
fn laws_of_the_vocabulary() {
    for (text, expected) in [
        ("predicate \"p\" = load(i32, $x)", "predicate 'p': has type Int(32), not i1"),
        ("predicate \"p\" = eq(@f!v, @g!v)", "locals of two functions"),
        ("predicate \"p\" = eq(@f!v, 1i32)", "operands of types Int(8) and Int(32)"),
        ("cube {0}", "cube 0: its literals"),
        ("predicate \"p\" = true\npredicate \"q\" = true\ncube {1, 0}", "cube 0: its literals"),
    ] {
        let function = |name| format!("define @{name}() {{\n  var !v: i8\nbb0:\n  return\n}}\n");
        let found = errors(&format!(
            "gir 1\nglobal $x: i32 = 0\n{}{}{text}\n",
            function("f"),
            function("g")
        ));
        assert!(found.contains(expected), "{text}: {found}");
    }
}

/// What is wrong with one function is not forgotten because others had too many errors.
#[test]
fn more_errors_than_are_kept_hide_nothing() {
    use crate::goto::{BinaryOp, Function, Instruction, Location, Module, Op, Operand, ValueId};
    let mut module = Module::default();
    for name in 0..40 {
        let mut function =
            Function::declaration(name.to_string(), Vec::new(), None, Location::default());
        let block = function.add_block(Location::default());
        let operand = Operand::Value(ValueId::new(33));
        let op = Op::Binary { op: BinaryOp::Add, a: operand, b: operand, no_signed_wrap: false };
        let instruction = Instruction { op, result: None, location: Location::default() };
        function.blocks[block.index()].instructions.push(instruction);
        module.functions.push(function);
    }
    assert!(verify(&module).is_err());
}
