//! Tests across the crates of sapa; see the `tests` folder of this crate.
//!
//! [`fuzz`] is the fuzzer of everything that reads outside data; the program
//! `sapa-fuzz` runs it.

pub mod fuzz;
