//! Boolean broadcast programs (`.bp`): SAPA Appendix A joined with BOPPO Fig. 2.
//!
//! - [`ast`] – the language, with constructors;
//! - [`parser`] – reads it; [`mod@print`] – writes it;
//! - [`generate`] – random programs for tests;
//! - [`flatten`] – resolves names, inlines calls, lowers structure;
//! - [`flat`] – what engines work on: one statement per location, calls inlined.
//! - [`trace`] – executions of it.
pub mod ast;
pub mod error;
pub mod flat;
pub mod flatten;
pub mod generate;
mod lexer;
pub mod parser;
pub mod print;
pub mod trace;
