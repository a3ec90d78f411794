//! Benchmarks of sapa: programs of the papers, and the commands that measure on them.
//!
//! * [`programs`] – the table over `programs/sapa/`.

pub mod programs;
