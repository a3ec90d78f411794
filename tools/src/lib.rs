//! What the command-line programs share.
//!
//! * [`verdict`] – verdict lines and exit codes.
//! * [`arguments`] – the shared words of the command lines.
//! * [`counterexample`] – counterexamples as text.

pub mod arguments;
pub mod counterexample;
pub mod verdict;
