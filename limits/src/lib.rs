//! What a run may use, and how far it has come: a deadline, a limit on memory, a request to stop,
//! and the [`Phase`] that the run is in.
//!
//! * [`Limits`] – passed to all that may take long, which asks [`Limits::check`] now and then and
//!   ends with what it has when the answer is an error.
//! * [`Pace`] – the same question in loops whose rounds are shorter than a look at the clock.
//! * [`phase`] – parts of a run, and the time spent in each.
//! * [`memory`] – the resident memory of the process.
//! * [`cleanup`] – what is undone before a process ends that cannot wait.
//!
//! This crate knows no other crate of the workspace; all may know it.

pub mod cleanup;
mod limits;
pub mod memory;
pub mod phase;

pub use limits::{Exceeded, Limits, Pace, Stopped};
pub use phase::Phase;
