//! The engines over BDDs, and how programs become BDDs.
//!
//! - [`counter`] – counts threads in sets of local states, exact for N threads;
//! - [`plain`] – one copy of the locals for each thread, exact for N threads; over `rings`;
//! - `encode`, `layout` and `order` – expressions and statements as BDDs over ordered variables;
//! - `deep_stack` – a stack for operations on BDDs.

pub mod counter;
mod deep_stack;
pub(crate) mod encode;
mod layout;
mod order;
pub mod plain;
mod rings;
