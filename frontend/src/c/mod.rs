//! C (C11 with the GNU extensions that occur in practice) as an input language.
//!
//! - [`position`]: where something stands in the sources.
//! - [`diagnostic`]: errors, warnings and notes, shared by parser and lowering.
//! - [`ast`]: the syntax tree.
//! - [`stack`]: a stack deep enough to walk it.

pub mod ast;
pub mod diagnostic;
pub mod position;
pub mod stack;
