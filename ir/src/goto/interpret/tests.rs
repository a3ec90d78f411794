//! The interpreter on small modules.

use super::{Inputs, Machine, Outcome, Request};
use crate::goto::builder::Builder;
use crate::goto::{
    BinaryOp, CompareOp, Function, FunctionId, Global, GlobalId, Initializer, Location,
    MemoryModel, Module, Op, Operand, TerminatorKind, Type,
};

struct Constant(u128);

impl Inputs for Constant {
    fn choose(&mut self, _: u32, _: Request, _: u16) -> u128 {
        self.0
    }
}

/// `x = nondet; g = x + g; assert g == expected` with `g` initially 5.
fn module(expected: u128) -> Module {
    let location = Location::default();
    let mut function = Function::declaration("main".to_owned(), Vec::new(), None, location);
    let mut b = Builder::new(&mut function, location);
    let entry = b.add_block();
    b.switch_to(entry);
    let x = b.nondet(Type::Int(8));
    let g = b.load(Type::Int(8), Operand::Global(GlobalId(0)));
    let sum = b.binary(BinaryOp::Add, x, g, false);
    b.store(Type::Int(8), Operand::Global(GlobalId(0)), sum);
    let g = b.load(Type::Int(8), Operand::Global(GlobalId(0)));
    let condition = b.compare(CompareOp::Eq, g, Operand::int(8, expected));
    b.effect(Op::Assert { condition, property: "sum".to_owned() });
    b.terminate(TerminatorKind::Return(None));
    Module {
        globals: vec![Global {
            name: "g".to_owned(),
            ty: Type::Int(8),
            initializer: Initializer::Int(5),
            thread_local: false,
            constant: false,
            signed: false,
            location,
        }],
        functions: vec![function],
        entry: Some(FunctionId(0)),
        ..Module::default()
    }
}

fn run(module: &Module, input: u128) -> Outcome {
    let mut inputs = Constant(input);
    let mut machine =
        Machine::new(module, MemoryModel::Sc, None, &mut inputs).expect("there is an entry");
    loop {
        match machine.step(0, &mut inputs) {
            Outcome::Continued(_) => {}
            outcome => return outcome,
        }
    }
}

#[test]
fn memory_and_arithmetic() {
    assert_eq!(run(&module(12), 7), Outcome::ThreadEnded);
    assert!(matches!(run(&module(12), 8), Outcome::AssertionFailed { .. }));
    // 8-bit sums wrap.
    assert_eq!(run(&module(4), 255), Outcome::ThreadEnded);
}

#[test]
fn accesses_outside_objects_are_noticed() {
    let mut module = module(0);
    if let Some(instruction) = module.functions[0].blocks[0].instructions.get_mut(1) {
        instruction.op.for_each_operand_mut(|operand| *operand = Operand::Null);
    }
    assert!(matches!(run(&module, 0), Outcome::InvalidAccess(_)));
}

#[test]
fn operations_agree_with_the_machine_at_8_bits() {
    for a in 0..=255u8 {
        for b in 0..=255u8 {
            let (x, y) = (a.cast_signed(), b.cast_signed());
            let check = |op, expected: u8| {
                assert_eq!(
                    crate::goto::arithmetic::binary(op, a.into(), b.into(), 8_u16),
                    expected.into(),
                    "{op:?} {a} {b}"
                );
            };
            check(BinaryOp::Add, a.wrapping_add(b));
            check(BinaryOp::Sub, a.wrapping_sub(b));
            check(BinaryOp::Mul, a.wrapping_mul(b));
            check(BinaryOp::ShiftLeft, a.checked_shl(b.into()).unwrap_or(0));
            check(BinaryOp::LogicalShiftRight, a.checked_shr(b.into()).unwrap_or(0));
            check(BinaryOp::ArithmeticShiftRight, (x >> b.min(7)).cast_unsigned());
            if y != 0 {
                check(BinaryOp::UnsignedDiv, a / b);
                check(BinaryOp::UnsignedRem, a % b);
                check(BinaryOp::SignedDiv, x.wrapping_div(y).cast_unsigned());
                check(BinaryOp::SignedRem, x.wrapping_rem(y).cast_unsigned());
            }
        }
    }
}
