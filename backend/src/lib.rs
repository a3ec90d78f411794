//! Solver, abstraction, model checking and CEGAR.
//!
//! * [`solver`] – bit-vector terms, bit-blasting and SAT.
//! * [`automaton`] – thread functions as control-flow automata over terms.
//! * [`check`] – model checking of flat Boolean programs, one engine a file.

pub mod automaton;
pub mod check;
pub mod solver;
