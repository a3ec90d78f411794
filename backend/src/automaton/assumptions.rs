//! What a verdict assumes where C leaves something open, or something is not modelled.

use std::collections::BTreeSet;

use sapa_ir::goto::{
    BinaryOp, CastOp, CompareOp, Initializer, Instruction, Module, Op, Operand, Type,
};
use sapa_passes::analysis::points_to::{Object, Place};

use super::thread::Thread;

/// Of numbers that become addresses and may happen to be those of threads' own objects.
pub(super) const NO_GUESSES: &str =
    "assuming that no number is made the address of another thread's object";

/// Of accesses that would be outside objects: such runs are cut off.
pub(crate) const VALID_POINTERS: &str = "assuming valid pointers and array indices";

/// Of signed operations, where the module says that they do not overflow.
pub(crate) const NO_OVERFLOW: &str = "assuming no signed overflow";

/// Of results that depend on where objects lie.
pub(crate) const ONE_LAYOUT: &str =
    "assuming one layout of memory: the program computes with addresses";

/// Of operations that C defines for some operands only.
pub(crate) const DEFINED: &str = "assuming that divisions and shifts are defined";

/// How the names of models begin that stand for what is no call in C, such as arithmetic of floating
/// point. They divide and shift only as is defined, whatever they are given.
pub(crate) const OWN_MODELS: &str = "__sapa_";

/// Where no object lies, in bytes from either end of the address space.
pub(crate) const PAGE: u128 = 4096;

impl Thread<'_> {
    /// What is assumed where an instruction is executed, apart from accesses to memory.
    pub(super) fn assumptions(&self, instruction: &Instruction) -> Vec<&'static str> {
        let cases = [
            (self.shows_layout(instruction), ONE_LAYOUT),
            (
                self.compares_literals(instruction),
                "assuming that each string literal is an object of its own",
            ),
            (self.may_be_undefined(instruction), DEFINED),
        ];
        cases.into_iter().filter(|(holds, _)| *holds).map(|(_, note)| note).collect()
    }

    /// Whether a result may depend on where objects lie: an address as a number, a number or a
    /// part of an address as an address, or an order of addresses in different objects.
    fn shows_layout(&self, instruction: &Instruction) -> bool {
        let is_address = |operand: Operand| self.function.operand_type(operand) == Type::Pointer;
        match &instruction.op {
            Op::Cast { op: CastOp::PointerToInt, a } => {
                let objects = self.points_to.targets(self.id, *a);
                objects.iter().any(|&object| object != Object::Forged)
            }
            // A place that the program knows of. The first and the last page are nobody's.
            Op::Cast { op: CastOp::IntToPointer, a: Operand::Int { value, bits } } => {
                let last = u128::MAX >> (128 - u32::from(*bits).clamp(1, 128));
                *value > PAGE && *value < last - PAGE
            }
            Op::Compare { op, a, b } if !matches!(op, CompareOp::Eq | CompareOp::Ne) => {
                let mut objects = self.points_to.targets(self.id, *a);
                objects.extend(self.points_to.targets(self.id, *b));
                is_address(*a) && (objects.len() > 1 || objects.iter().any(|o| o.is_any()))
            }
            // One past the end of an object may be another.
            Op::Compare { a, b, .. } => {
                let (of_a, of_b) =
                    (self.points_to.places(self.id, *a), self.points_to.places(self.id, *b));
                let is_end = |place: &Place, other: &BTreeSet<Place>| {
                    other.iter().any(|other| other.object != place.object)
                        && place.is_end(self.module)
                };
                is_address(*a)
                    && (of_a.iter().any(|place| is_end(place, &of_b))
                        || of_b.iter().any(|place| is_end(place, &of_a)))
            }
            Op::Load { address, .. } => {
                let Some(result) = instruction.result.map(Operand::Value) else { return false };
                let size = self.function.operand_type(result).size(self.module);
                if is_address(result) {
                    self.points_to.reads_number(self.id, *address, size)
                } else {
                    !self.points_to.places(self.id, result).is_empty()
                }
            }
            _ => false,
        }
    }

    /// Whether an instruction says whether two constants that a compiler may make one are.
    fn compares_literals(&self, instruction: &Instruction) -> bool {
        let Op::Compare { op: CompareOp::Eq | CompareOp::Ne, a, b } = instruction.op else {
            return false;
        };
        let literals = |operand: Operand| {
            let objects = self.points_to.targets(self.id, operand).into_iter();
            objects.filter_map(|object| literal(self.module, object)).collect::<Vec<_>>()
        };
        let (of_a, of_b) = (literals(a), literals(b));
        let alike = |x: &[Initializer], y: &[Initializer]| x.ends_with(y) || y.ends_with(x);
        of_a.iter().any(|x| of_b.iter().any(|y| !std::ptr::eq(*x, *y) && alike(x, y)))
    }

    /// Whether C does not say what a division or a shift does for some operands: the run ends there.
    fn may_be_undefined(&self, instruction: &Instruction) -> bool {
        let Op::Binary { op, .. } = instruction.op else { return false };
        let operation = self.module.operation(instruction.location);
        if operation.is_some_and(|name| name.starts_with(OWN_MODELS)) {
            return false;
        }
        !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
            && instruction.result.is_some_and(|value| self.values.defined(value).is_some())
    }
}

/// The contents of a constant array of integers, as string literals are.
fn literal(module: &Module, object: Object) -> Option<&[Initializer]> {
    let Object::Global(id) = object else { return None };
    let global = module.globals.get(id.index()).filter(|global| global.constant)?;
    match (&global.ty, &global.initializer) {
        (Type::Array(element, _), Initializer::Aggregate(items)) => {
            matches!(**element, Type::Int(_)).then_some(items)
        }
        _ => None,
    }
}
