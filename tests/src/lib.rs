//! Tests across the crates of sapa; see the `tests` folder of this crate.
