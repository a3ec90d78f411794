//! Terms, bit-blasting and SAT.
//!
//! | file | holds |
//! | --- | --- |
//! | [`term`] | hash-consed terms |
//! | `boolean`, `comparison`, `arithmetic`, `bitwise` | constructors that normalise |
//! | [`semantics`] | what the operators mean, on machine integers |
//! | `substitute` | substitution, variables, atoms, evaluation |
//! | `range` | bounds of terms |
//! | [`bitblast`] | terms to CNF; products and divisions only as far as a model needs them |
//! | [`sat`], [`cadical`] | the SAT solver behind a narrow interface |
//! | `linear` | contradictions between linear equations |
//! | [`smt`] | the solver that the rest of the backend uses |

mod arithmetic;
pub mod bitblast;
mod bitwise;
mod boolean;
pub mod cadical;
mod comparison;
#[cfg(test)]
mod differential;
mod linear;
mod range;
pub mod sat;
pub mod semantics;
pub mod smt;
mod substitute;
pub mod term;
#[cfg(test)]
mod tests;

pub use linear::constant_difference;
pub(crate) use linear::normal_sum;
pub use sat::Outcome;
pub use smt::{EASY_CALL, MANY_CLAUSES, Solver, Statistics};
pub use term::{BinaryOp, Node, OverflowOp, Sort, TermId, TermStore};
