//! What no file can say; one negative test a law stands in `tests/files/laws`.

use crate::goto::{
    BinaryOp, Entity, Function, FunctionId, Instruction, Location, Module, Op, Operand, ValueId,
    parse, print_entity, verify,
};

#[test]
fn an_empty_module_is_sound() {
    assert_eq!(verify(&Module::default()), Ok(()));
}

/// Errors have the place in the source, and the entity says itself what it is.
#[test]
fn errors_have_places() {
    let text = "gir 1 file \"a.c\" name f define @f() #1:2 of \"a.c\" in f { bb0: %0: i8 = \
                add 1i8, 2i16 #7:5 of \"a.c\" in f return }";
    let module = parse(text, "t.gir").unwrap();
    let error = verify(&module).unwrap_err().0.remove(0);
    assert_eq!(error.message, "add has an operand of type i16, expected i8");
    assert_eq!(module.describe(error.location), "a.c:7:5");
    assert_eq!(print_entity(&module, error.entity), "@f, bb0: %0: i8 = add 1i8, 2i16");
    let of = |entity| print_entity(&module, entity);
    let f = FunctionId(0);
    assert_eq!(of(Entity::Terminator(f, Function::ENTRY)), "@f, bb0: return");
    assert_eq!(of(Entity::Value(f, ValueId(0))), "@f: %0: i8");
    assert_eq!(of(Entity::Function(FunctionId(9))), "@#9");
    assert_eq!(of(Entity::Cube(3)), "");
}

/// What is wrong with one function is not forgotten because others had too many errors.
#[test]
fn more_errors_than_are_kept_hide_nothing() {
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
