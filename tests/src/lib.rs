//! Tests across the crates of sapa; see the `tests` folder of this crate.
//!
//! [`fuzz`] is the fuzzer of everything that reads outside data; the program
//! `sapa-fuzz` runs it. [`tools`] has the command-line programs that tests run, [`peers`] the tests
//! that need programs of others, [`bounded`] the bounded engine as one of two that are compared.

pub mod bounded;
pub mod fuzz;
pub mod peers;
pub mod tools;
