//! C (C11 with the GNU extensions that occur in practice) as an input language.
//!
//! - [`preprocess`]: runs the system's preprocessor.
//! - [`token`], [`lexer`]: preprocessed text to tokens.
//! - [`parser`]: tokens to the syntax tree, see [`parser::parse`].
//! - [`ast`]: the syntax tree; [`mod@print`]: the tree as C again.
//!
//! Errors, warnings and notes are [`crate::diagnostic`]s.

pub mod ast;
pub mod lexer;
pub mod lower;
pub mod parser;
pub mod preprocess;
pub mod print;
pub mod token;
