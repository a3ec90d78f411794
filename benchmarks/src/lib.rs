//! Benchmarks of sapa: programs of the papers, and the commands that measure on them.
//!
//! * [`programs`] – the table over `programs/sapa/`.
//! * [`boolean`] – the Boolean programs of `boolean/`, read and generated.
//! * [`frontend`] – how the frontend's time grows with its input.

pub mod boolean;
pub mod frontend;
pub mod programs;
