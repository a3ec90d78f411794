//! Values that stand for many: a choice is a variable, what is computed from it a term, and what a run has found out about
//! these a path condition (King, "Symbolic execution and program testing", CACM 1976).
//!
//! Threads, objects, addresses and locks stay numbers, so that states can be told apart: wherever the machine needs a number
//! and has a term, the run divides into one for each value that the term may have. States are the same if their terms and
//! conditions are.
//!
//! The machine moves terms about as it does numbers, each as a number that no value of a program has; what they are, and
//! which values they may have, [`Data`] knows.

use std::sync::Arc;

use crate::goto::instruction::{BinaryOp, CastOp, CompareOp, Operand, UnaryOp};
use crate::goto::module::Module;
use crate::goto::types::Type;

/// A term, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub u32);

/// What numbers of terms have set. Values have at most [`WIDEST`] bits where there are any.
const IS_TERM: u128 = 1 << 127;

/// Widest values that may be terms, in bits.
pub(super) const WIDEST: u16 = 64;

impl Term {
    /// As a value of a machine.
    #[must_use]
    pub fn value(self) -> u128 {
        IS_TERM | u128::from(self.0)
    }

    /// The term that a value of a machine with terms is; `None` if it is a number.
    #[must_use]
    pub fn of(value: u128) -> Option<Self> {
        (value & IS_TERM != 0).then_some(Self(value as u32))
    }
}

/// A variable: what a thread has chosen, or found in memory that nobody wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable {
    /// The thread; [`Self::PARAMETER`] for parameters of the entry.
    pub thread: u32,
    /// Its number among those of the thread. One that occurs nowhere any more gives its number to the next, so that
    /// endless loops come to the same states again.
    pub number: u32,
    /// Its width.
    pub bits: u16,
}

impl Variable {
    /// Stands for the thread of what the entry is given.
    pub const PARAMETER: u32 = u32::MAX;
}

/// What the terms of a state fulfil: literals, each of one bit, in order.
pub type Path = Arc<[Term]>;

/// What terms are.
///
/// Operations take values, terms or numbers, and return a number where that is known.
pub trait Data {
    /// A variable.
    fn variable(&mut self, variable: Variable) -> Term;

    /// The variables of a term.
    fn variables(&mut self, term: Term) -> Arc<[Variable]>;

    /// How many bits a term has.
    fn width(&self, term: Term) -> u16;

    /// `a op b`, of operands of so many bits.
    fn binary(&mut self, op: BinaryOp, a: u128, b: u128, bits: u16) -> u128;

    /// Whether `a op b` has a meaning, as a value of one bit; sums, differences and products if they do not overflow as signed
    /// operations.
    fn is_defined(&mut self, op: BinaryOp, a: u128, b: u128, bits: u16) -> u128;

    /// `op a`.
    fn unary(&mut self, op: UnaryOp, a: u128, bits: u16) -> u128;

    /// `a op b`, of operands of so many bits.
    fn compare(&mut self, op: CompareOp, a: u128, b: u128, bits: u16) -> u128;

    /// `a`, of so many bits, converted to others.
    fn cast(&mut self, op: CastOp, a: u128, from: u16, to: u16) -> u128;

    /// `a` or `b`, both of so many bits, as a condition of one bit says.
    fn select(&mut self, condition: u128, a: u128, b: u128, bits: u16) -> u128;

    /// So many bits of a value, from one on.
    fn extract(&mut self, value: u128, from: u16, start: u16, bits: u16) -> u128;

    /// Two values one above the other, each with its width.
    fn concat(&mut self, high: (u128, u16), low: (u128, u16)) -> u128;

    /// All values of a term of so many bits under a path condition, in order; `None` if they are more than a few, or it is not
    /// known which.
    fn values(&mut self, path: &Path, term: Term, bits: u16) -> Option<Vec<u128>>;

    /// A path condition and that a term has a value.
    fn with(&mut self, path: &Path, term: Term, bits: u16, value: u128) -> Path;

    /// What of a path condition says something of terms that occur; the rest can be fulfilled whatever they are.
    fn about(&mut self, path: &Path, occurring: &[Term]) -> Path;

    /// Values of variables that fulfil a path condition; `None` if none were found.
    fn model(&mut self, path: &Path, variables: &[Variable]) -> Option<Vec<u128>>;
}

/// Whether no value of a module has more bits than a term may have.
pub(super) fn fits(module: &Module) -> bool {
    let is_narrow = |ty: &Type| ty.bits(module).is_none_or(|bits| bits <= WIDEST);
    let mut fits = true;
    let mut look = |operand: Operand| {
        fits &= !matches!(operand, Operand::Int { bits, .. } if bits > WIDEST);
    };
    for block in module.functions.iter().flat_map(|function| &function.blocks) {
        block
            .instructions
            .iter()
            .for_each(|instruction| instruction.op.for_each_operand(&mut look));
        block.terminator.kind.for_each_operand(&mut look);
    }
    let mut values = module.functions.iter().flat_map(|function| &function.values);
    fits && values.all(|value| is_narrow(&value.ty))
}
