//! The frontend of sapa: programs come in, goto modules go out.
//!
//! - [`c`]: C sources, from the preprocessor to the syntax tree and its lowering.

pub mod c;
