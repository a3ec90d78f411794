//! Boolean broadcast programs (`.bp`): SAPA Appendix A joined with BOPPO Fig. 2.
//!
//! - [`ast`]: the language, with constructors;
//! - [`flat`]: what engines work on: one statement per location, calls inlined.
pub mod ast;
pub mod flat;
