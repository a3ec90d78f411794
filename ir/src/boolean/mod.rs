//! Boolean broadcast programs (`.bp`): SAPA Appendix A joined with BOPPO Fig. 2.
//!
//! - [`ast`]: the language, with constructors;
//! - [`parser`]: reads it;
//! - [`flat`]: what engines work on: one statement per location, calls inlined.
pub mod ast;
pub mod error;
pub mod flat;
mod lexer;
pub mod parser;
