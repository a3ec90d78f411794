//! What the values of a function were defined as.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{Function, Op, Operand, ValueId};

/// The operations that define values, by value; parameters of blocks have none.
#[derive(Clone, Debug, Default)]
pub struct Definitions<'f>(FxHashMap<ValueId, &'f Op>);

/// The most copies of copies that are followed: those of unreachable code may be copies of themselves.
const MOST_COPIES: usize = 64;

impl<'f> Definitions<'f> {
    /// Those of a function.
    #[must_use]
    pub fn new(function: &'f Function) -> Self {
        Self(function.instructions().filter_map(|i| Some((i.result?, &i.op))).collect())
    }

    /// What a value was defined as.
    #[must_use]
    pub fn get(&self, value: &ValueId) -> Option<&'f Op> {
        self.0.get(value).copied()
    }

    /// What an operand is a copy of: itself, if of nothing.
    #[must_use]
    pub fn copied(&self, mut operand: Operand) -> Operand {
        for _ in 0..MOST_COPIES {
            match operand.value().and_then(|value| self.get(&value)) {
                Some(Op::Copy { a }) => operand = *a,
                _ => break,
            }
        }
        operand
    }

    /// What an operand was defined as, behind copies.
    #[must_use]
    pub fn behind_copies(&self, operand: Operand) -> Option<&'f Op> {
        self.get(&self.copied(operand).value()?)
    }
}
