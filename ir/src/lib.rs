//! The two intermediate representations of sapa.
//!
//! * [`goto`] – the SSA goto IR: what the frontends produce, what the passes
//!   transform and what the backends abstract. Types, builder, verifier, text
//!   form (`.gir`), binary form (`.girb`) and the interpreter that is the
//!   oracle of the differential tests.
//! * [`boolean`] – Boolean broadcast programs (`.bp`): the language that the
//!   predicate abstraction writes and the model checkers read.
//!
//! This crate knows no other crate of the workspace but the limits of a run.

pub mod boolean;
pub mod goto;
mod random;
