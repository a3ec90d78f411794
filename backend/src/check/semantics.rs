//! The plain semantics of flat programs, against which the engines are judged.
//!
//! - [`simple`] – one step at a time, and a naive explorer over it;
//! - [`replay`] – checks a trace step by step;
//! - `initial` – the initial valuations, one at a time;
//! - `invariants` – what cuts states off;
//! - `counted` – states up to the numbers of their threads, as engines hand them to be made a
//!   trace of.

pub(crate) mod counted;
pub(crate) mod initial;
pub(crate) mod invariants;
pub mod replay;
pub mod simple;
