//! Solver, abstraction, model checking and CEGAR.
//!
//! * [`solver`] – bit-vector terms, bit-blasting and SAT.
//! * [`automaton`] – thread functions as control-flow automata over terms.
//! * [`abstraction`] – symmetry-aware predicate abstraction to Boolean broadcast programs.
//! * [`check`] – model checking of flat Boolean programs, one engine a file.
//! * [`execution`] – concrete executions: found, replayed, recorded.
//! * [`cegar`] – the refinement loop that drives it all.
//! * [`bounded`] – runs of bounded length, exactly, in one formula.
//! * [`inconclusive`] – the kinds of reasons that there is no verdict.

pub mod abstraction;
pub mod assumptions;
pub mod automaton;
pub mod bounded;
pub mod cegar;
pub mod check;
pub mod emit;
pub mod execution;
pub mod inconclusive;
mod index;
mod possible;
pub mod solver;
