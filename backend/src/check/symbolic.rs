//! The engines over BDDs, and how programs become BDDs.
//!
//! - [`counter`] – counts threads in sets of local states, exact for N threads;
//! - [`plain`] – one copy of the locals for each thread, exact for N threads; over `rings`;
//! - `encode`, `layout` and `order` – expressions and statements as BDDs over ordered variables;
//! - `thread_states` – thread-visible states, for any number of threads;
//! - `script` – who takes which step when, made a run of;
//! - `named` – configurations of few threads, for any number of threads;
//! - `held` – programs whose threads know which locks they hold;
//! - `depends` – what sets of states depend on;
//! - `budget` – the limits of a search over BDDs;
//! - `deep_stack` – a stack for operations on BDDs.

pub(crate) mod budget;
pub mod counter;
pub(crate) mod deep_stack;
pub(crate) mod depends;
pub(crate) mod encode;
pub(crate) mod held;
mod layout;
pub(crate) mod named;
mod order;
pub mod plain;
mod rings;
pub(crate) mod script;
pub(crate) mod thread_states;
