//! Solver, abstraction, model checking and CEGAR.
//!
//! * [`check`] – model checking of flat Boolean programs, one engine a file.
pub mod check;
