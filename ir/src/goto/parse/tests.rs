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
memory sc
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

/// What is said of other texts stands in `tests/files/laws/text.gir`.
#[test]
fn messages_have_lines_and_columns_in_bytes() {
    for (text, expected) in [
        ("", "t.gir:1:1: expected `gir 1`, found the end of the text"),
        ("gir 1\nnote \"é\" x", "t.gir:2:11: expected an item (`global`, `define`, …), found `x`"),
    ] {
        assert_eq!(errors(text).first().map(String::as_str), Some(expected), "{text}");
    }
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
