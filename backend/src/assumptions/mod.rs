//! What a verdict assumes where C leaves something open, or something is not modelled.
//!
//! | file | holds |
//! | --- | --- |
//! | `runs` | what answers assume that rest on runs of a module |
//! | `handles` | whether runs depend on what the handles of threads are |

mod handles;
mod runs;

use std::collections::BTreeSet;

use sapa_ir::goto::{
    BinaryOp, CastOp, CompareOp, Function, FunctionId, Initializer, Instruction, Location, Module,
    Op, Operand, SignedOverflow, Type,
};
use sapa_passes::analysis::points_to::{Object, Place, PointsTo};
use sapa_passes::transform::checks::{is_of_ghosts, is_own_model, overflow};

use crate::automaton::value::Values;
pub use runs::{Assumed, of_runs};

/// Of numbers that become addresses and may happen to be those of threads' own objects.
pub(crate) const NO_GUESSES: &str =
    "assuming that no number is made the address of another thread's object";

/// Of accesses that would be outside objects: such runs are cut off.
pub(crate) use sapa_passes::property::VALID_POINTERS;

/// Of signed operations, where the module says that they do not overflow.
pub(crate) use sapa_passes::property::NO_OVERFLOW;

/// Of operations that C defines for some operands only.
pub(crate) use sapa_passes::property::DEFINED;

/// Of atomic operations on signed integers there, which C lets wrap.
pub(crate) const NO_ATOMIC_OVERFLOW: &str =
    "assuming that no atomic operation on a signed integer overflows (C lets it wrap)";

/// Of results that depend on where objects lie.
pub(crate) const ONE_LAYOUT: &str =
    "assuming one layout of memory: the program computes with addresses";

/// Of programs that look at the handles of threads.
pub(crate) const HANDLES: &str =
    "assuming that handles of threads are numbers in the order of creation, each used once";

/// Of programs that compare addresses of objects which may have ended.
pub(crate) const LIFETIMES: &str =
    "assuming that no object is where another one was whose lifetime has ended";

/// Where no object lies, in bytes from either end of the address space.
pub(crate) const PAGE: u128 = 4096;

/// What is assumed where a signed operation does not overflow.
pub(crate) fn without_overflow(module: &Module, location: Location) -> &'static str {
    let is_atomic = overflow::is_atomic(module, location);
    if is_atomic { NO_ATOMIC_OVERFLOW } else { NO_OVERFLOW }
}

/// What is assumed of all signed operations of a module.
pub(crate) fn of_overflow(module: &Module) -> BTreeSet<&'static str> {
    if module.signed_overflow != SignedOverflow::Absent {
        return BTreeSet::new();
    }
    let instructions = module.functions().flat_map(|(_, function)| function.instructions());
    let signed = instructions
        .filter(|instruction| matches!(instruction.op, Op::Binary { no_signed_wrap: true, .. }));
    let mut found: BTreeSet<&'static str> =
        signed.map(|instruction| without_overflow(module, instruction.location)).collect();
    found.insert(NO_OVERFLOW);
    found
}

/// A function, and what was found out about it.
#[derive(Clone, Copy)]
pub(crate) struct Assumptions<'a> {
    pub module: &'a Module,
    pub id: FunctionId,
    pub function: &'a Function,
    pub points_to: &'a PointsTo,
}

impl Assumptions<'_> {
    /// What is assumed where an instruction is executed whose operands have a meaning.
    pub(crate) fn of(&self, instruction: &Instruction) -> Vec<&'static str> {
        // Addresses are compared there of what is accessed: of bytes in living objects.
        if is_of_ghosts(self.module, instruction.location) {
            return Vec::new();
        }
        let cases = [
            (self.shows_layout(instruction), ONE_LAYOUT),
            (
                self.compares_literals(instruction),
                "assuming that each string literal is an object of its own",
            ),
        ];
        cases.into_iter().filter(|(holds, _)| *holds).map(|(_, note)| note).collect()
    }

    /// Whether a result may depend on where objects lie: an address as a number, a number or a
    /// part of an address as an address, or an order of addresses in different objects.
    fn shows_layout(&self, instruction: &Instruction) -> bool {
        if self.module.is_record(instruction.location) {
            return false;
        }
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
                let is_many =
                    |object: &Object| object.is_any() || matches!(object, Object::Allocation(..));
                is_address(*a) && (objects.len() > 1 || objects.iter().any(is_many))
            }
            // One past the end of an object may be another.
            Op::Compare { a, b, .. } => {
                let (of_a, of_b) =
                    (self.points_to.places(self.id, *a), self.points_to.places(self.id, *b));
                let is_end = |place: &Place, other: &BTreeSet<Place>| {
                    other.iter().any(|other| other.object != place.object) && self.may_be_end(place)
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

    /// Whether a place may be one past the end of its object; of one of unknown size, any place may.
    fn may_be_end(&self, place: &Place) -> bool {
        let is_allocated = matches!(place.object, Object::Allocation(..));
        place.is_end(self.module) || is_allocated && *place != Place::start(place.object)
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
    pub(crate) fn may_be_undefined(&self, instruction: &Instruction, values: &Values<'_>) -> bool {
        let Op::Binary { op, .. } = instruction.op else { return false };
        if is_own_model(self.module, instruction.location) {
            return false;
        }
        !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
            && instruction.result.is_some_and(|value| values.defined(value).is_some())
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
