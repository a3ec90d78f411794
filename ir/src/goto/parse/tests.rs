//! Tests of the text form on written examples; generated modules are in
//! `generate::tests`.

use super::parse;
use crate::goto::module::{Global, Initializer};
use crate::goto::{
    BitField, Cube, CubeLiteral, Expression, Function, FunctionId, Location, Module, Predicate,
    Slot, SourceVariable, StructType, Type, ValueId, print,
};

const EXAMPLE: &str = r#"gir 1
target pointer=32 short=16 int=32 long=32 long_long=64 wchar=16 char=unsigned endian=big
atomicity statement
signed_overflow absent
file "a.c"
file "b.h"
name main
name f
note "extern function `f` returns any value"

struct node size 8 align 4 {
  value: i32 signed at 0
  next: ptr at 4
}

global $x: i32 signed = 0  #1:5
global thread_local $list: [2 x struct node] = {{1, $list+8}, {4294967295}}  #2:1 of "b.h" in f
global constant $table: ptr = @f

declare @f(i32, ptr) -> i32  #4:1

define @main() -> i32  #6:5 {
  var !i: i32 signed
  slot &buffer: [4 x i8]
  value %7: i1
bb0:
  %0: i32 !i = copy 0i32  #7:3
  jump bb1(%0)
bb1(%1: i32 !i):
  %2: i1 = slt %1, -3i32  #8:3
  branch %2, bb2, bb3
bb2:
  %3: i32 !i = add.nsw %1, 1i32
  store.release.volatile i32, $x, %3  #9:4 of "b.h" in f
  %4: ptr = field struct node.next, $list
  %5: i32 = call @f(%3, &buffer)
  assert true, "x \"y\"\n"
  jump bb1(%3)
bb3:
  %6: ptr = allocate.zeroed struct node, 8i32  #11:1
  mutex_lock(%6)
  switch %1 [1: bb1(%1), 2: bb4], bb4
bb4:
  return %1
}

entry @main

predicate "i < x" = slt(@main!i, load(i32, $x))
predicate "%1" = eq(@main%1, zext(i32, true))
cube {0, not 1}
cube {}
"#;

fn errors(text: &str) -> Vec<String> {
    match parse(text, "t.gir") {
        Ok(_) => Vec::new(),
        Err(errors) => errors.0.iter().map(ToString::to_string).collect(),
    }
}

/// Errors of a body of `@f(i32) -> i32`, with lines counted from its first.
fn body_errors(body: &str) -> Vec<String> {
    errors(&format!("gir 1 declare @g() global $x: i32 = 0 define @f(i32) -> i32 {{\n{body}\n}}\n"))
}

#[test]
fn the_example_prints_as_it_was_written() {
    let module = parse(EXAMPLE, "example").unwrap();
    assert_eq!(print(&module), EXAMPLE);
    assert_eq!(module.functions[1].blocks.len(), 5);
    assert_eq!(module.functions[1].values.len(), 8);
    assert_eq!(module.globals[1].initializer, {
        let first = Initializer::Aggregate(vec![
            Initializer::Int(1),
            Initializer::Global(crate::goto::GlobalId(1), 8),
        ]);
        let second = Initializer::Aggregate(vec![Initializer::Int(0xffff_ffff)]);
        Initializer::Aggregate(vec![first, second])
    });
}

#[test]
fn the_empty_module_round_trips() {
    let module = Module::default();
    assert_eq!(parse(&print(&module), "empty"), Ok(module));
    assert_eq!(parse("gir 1", "short"), Ok(Module::default()));
}

/// Names of every kind that need care: odd, duplicate, empty.
#[test]
fn odd_and_duplicate_names_round_trip() {
    let names = ["", "a b", "a b", "v#2", "f::v", "f.v", "é\u{7}\"\\\n", "1x", "x", "x", "size"];
    let mut module = Module::default();
    for (index, name) in names.iter().enumerate() {
        let name = (*name).to_owned();
        module.files.push(name.clone());
        module.names.push(name.clone());
        module.notes.push(name.clone());
        let id = u32::try_from(index).unwrap();
        let location = Location {
            file: crate::goto::FileId(id),
            line: 3,
            column: id,
            function: crate::goto::NameId(id),
            operation: Some(crate::goto::NameId(id)),
        };
        module.structs.push(StructType {
            name: name.clone(),
            fields: names
                .iter()
                .map(|name| crate::goto::Field {
                    name: (*name).to_owned(),
                    ty: Type::Struct(crate::goto::StructId(id)),
                    offset: 0,
                    signed: false,
                    bit_fields: vec![BitField {
                        name: (*name).to_owned(),
                        offset: 7,
                        width: 3,
                        signed: true,
                    }],
                })
                .collect(),
            size: 1,
            align: 1,
        });
        module.globals.push(Global {
            name: name.clone(),
            ty: Type::Struct(crate::goto::StructId(id)),
            initializer: Initializer::Global(crate::goto::GlobalId(id), i64::MIN),
            thread_local: false,
            constant: true,
            signed: false,
            location,
        });
        let mut function = Function::declaration(name, vec![], None, location);
        for name in names {
            let name = name.to_owned();
            function.slots.push(Slot { name: name.clone(), ty: Type::Pointer, signed: true });
            function.variables.push(SourceVariable { name, ty: Type::Pointer, signed: true });
        }
        for variable in 0..names.len() {
            function.add_value(Type::Int(9), Some(crate::goto::VariableId::new(variable)));
        }
        let function_id = FunctionId(id);
        module.functions.push(function);
        for other in 0..names.len() {
            let other = u32::try_from(other).unwrap();
            for expression in [
                Expression::Slot { function: function_id, slot: crate::goto::SlotId(other) },
                Expression::Variable {
                    function: function_id,
                    variable: crate::goto::VariableId(other),
                },
                Expression::Value { function: function_id, value: ValueId(other) },
                Expression::FieldAddress {
                    base: Box::new(Expression::Function(function_id)),
                    structure: crate::goto::StructId(id),
                    field: crate::goto::FieldIndex(other),
                },
            ] {
                module.predicates.push(Predicate { expression, text: String::new() });
            }
        }
    }
    module.cubes.push(Cube { literals: vec![CubeLiteral { predicate: 9, negated: true }] });
    let text = print(&module);
    assert_eq!(parse(&text, "odd"), Ok(module), "{text}");
}

#[test]
fn messages_say_what_was_expected_and_where() {
    for (text, expected) in [
        ("", "t.gir:1:1: expected `gir 1`, found the end of the text"),
        ("gir 2\nfoo", "t.gir:1:5: version 2 of the text form is not supported; this is version 1"),
        ("gir 1\nglobal $x i32 = 0", "t.gir:2:11: expected `:`, found `i32`"),
        ("gir 1\nglobal $x: i32", "t.gir:2:15: expected `=`, found the end of the text"),
        ("gir 1\nglobal $x: j32 = 0", "t.gir:2:12: expected a type, found `j32`"),
        ("gir 1\nglobal $x: struct s = 0", "t.gir:2:19: no structure is called `s`"),
        ("gir 1\nentry @main", "t.gir:2:7: no function is called `@main`"),
        ("gir 1\nnote \"a", "t.gir:2:6: this string is not closed"),
        (
            "gir 1\nnote \"\\q\"",
            "t.gir:2:7: unknown escape; \\\" \\\\ \\n \\t \\r and \\u{…} are known",
        ),
        ("gir 1\natomicity x", "t.gir:2:11: expected `access` or `statement`, found `x`"),
        (
            "gir 1\ntarget foo=3",
            "t.gir:2:8: unknown setting `foo`; known are pointer, short, int, long, long_long, wchar, char and endian",
        ),
        (
            "gir 1\nglobal $x: i32 = 340282366920938463463374607431768211456",
            "t.gir:2:18: a number of more than 128 bits",
        ),
        ("gir 1\nfoo", "t.gir:2:1: expected an item (`global`, `define`, …), found `foo`"),
        ("gir 1\ndefine @f() {\n}", "t.gir:2:8: function `f` has no blocks"),
        ("gir 1\npredicate \"\" = 3", "t.gir:2:16: a constant needs its width, as in `7i32`"),
        ("gir 1\npredicate \"\" = foo(3i3)", "t.gir:2:16: unknown operation `foo`"),
        ("gir 1\ncube {0 1}", "t.gir:2:9: expected `,` or `}`, found `1`"),
        ("gir 1\ndeclare @f() #1:1 of \"a.c\"", "t.gir:2:22: there is no line `file \"a.c\"`"),
    ] {
        assert_eq!(errors(text).first().map(String::as_str), Some(expected), "{text}");
    }
}

#[test]
fn messages_within_functions() {
    for (body, expected) in [
        ("bb1:", "t.gir:2:1: expected block `bb0`, found `bb1`"),
        ("bb0:\nfoo %1", "t.gir:3:1: unknown instruction `foo`"),
        ("bb0:\n%0: i32 = add 1i32", "t.gir:4:1: expected `,`, found `}`"),
        ("bb0:\n%0: i32 = add 1, 2", "t.gir:3:15: a constant needs its width, as in `7i32`"),
        ("bb0:\n%0: i8 = copy -129i8", "t.gir:3:15: -129 does not fit in 8 bits"),
        ("bb0:\nstore i32, $y, 1i32", "t.gir:3:12: no global is called `$y`"),
        ("bb0:\nstore i32, &y, 1i32", "t.gir:3:12: no slot is called `&y`"),
        ("bb0:\n%0: i32 !v = nondet", "t.gir:3:9: no variable is called `!v`"),
        (
            "bb0:\n%0: i32 = load.foo $x",
            "t.gir:3:16: expected a memory order or `volatile`, found `foo`",
        ),
        ("bb0:\n%0: i32 = return", "t.gir:3:11: this ends the block and has no result"),
        ("bb0:\nvar !x: i32\nreturn", "t.gir:3:1: unknown instruction `var`"),
        ("bb0:\natomic_begin", "t.gir:4:1: expected an instruction, found `}`"),
        (
            "bb0(%0: i32):\n%0: i8 = nondet\nreturn",
            "t.gir:3:1: `%0` has another type or variable above",
        ),
        (
            "bb0(%1: i32):\nreturn",
            "t.gir:1:46: function `f` has 1 values, but `%0` is not one of them; values are numbered from 0 without gaps",
        ),
    ] {
        assert_eq!(body_errors(body).first().map(String::as_str), Some(expected), "{body}");
    }
}

#[test]
fn parsing_goes_on_after_an_error() {
    let found = errors(
        "gir 1\nglobal $x: = 0\nglobal $y: i32 = $x\ndefine @f() {\nbb0:\n  foo\n  call @g()\n  return\nbb1:\n  bar\n  return\n}\nentry @h\n",
    );
    assert_eq!(
        found,
        [
            "t.gir:2:12: expected a type, found `=`",
            "t.gir:6:3: unknown instruction `foo`",
            "t.gir:7:8: no function is called `@g`",
            "t.gir:10:3: unknown instruction `bar`",
            "t.gir:13:7: no function is called `@h`",
        ]
    );
}

#[test]
fn deep_nesting_is_an_error() {
    let expected = "nested more than 256 levels deep";
    for text in [
        format!("gir 1\nglobal $x: {}", "[1 x ".repeat(100_000)),
        format!("gir 1\nglobal $x: i32 = {}", "{".repeat(100_000)),
        format!("gir 1\npredicate \"\" = {}", "not(".repeat(100_000)),
    ] {
        assert!(errors(&text)[0].ends_with(expected), "{:?}", errors(&text));
    }
    let deep = |n| format!("gir 1\npredicate \"\" = {}true{}", "not(".repeat(n), ")".repeat(n));
    assert_eq!(errors(&deep(256)), [""; 0]);
    assert_eq!(errors(&deep(257)).len(), 1);
}

#[test]
fn no_more_than_twenty_errors_are_reported() {
    assert_eq!(errors(&format!("gir 1\n{}", "global\n".repeat(100))).len(), 20);
    assert_eq!(errors(&format!("gir 1\n{}", "?\n".repeat(100))).len(), 20);
}

/// Pieces of the example cut out, doubled and swapped: never a panic, and what
/// is accepted prints and parses back.
#[test]
fn mutated_text_never_panics() {
    let bytes = EXAMPLE.as_bytes();
    let mut state = 1u64;
    let mut random = move |bound: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % bound
    };
    for _ in 0..3000 {
        let mut mutated = bytes.to_vec();
        for _ in 0..=random(3) {
            let (from, to) = (random(mutated.len()), random(mutated.len()));
            let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 40));
            match random(4) {
                0 => drop(mutated.drain(from..to)),
                1 => {
                    let piece = mutated[from..to].to_vec();
                    let at = random(mutated.len());
                    mutated.splice(at..at, piece);
                }
                2 => mutated[from] = b"%@$&!{}()[]:=#.,-+\"\\\n 0a;"[random(25)],
                _ => mutated.truncate(to.max(10)),
            }
        }
        let text = String::from_utf8_lossy(&mutated);
        if let Ok(module) = parse(&text, "mutated") {
            assert_eq!(parse(&print(&module), "printed").as_ref(), Ok(&module), "{text}");
        }
    }
}
