//! The passes, one a file.

pub mod alias;
pub mod allocation_sites;
pub mod constant_arguments;
pub mod constant_propagation;
mod copy_function;
pub mod dead_code;
pub mod inline;
pub mod join_flags;
pub mod lower_sync;
pub mod mem2reg;
mod peel;
pub mod peel_loops;
#[cfg(test)]
mod peel_tests;
pub mod print;
mod resolve_pointers;
pub mod shared_locals;
pub mod simplify;
pub mod slice;
mod slots;
pub mod thread_template;
pub mod unreachable;
pub mod verify;
