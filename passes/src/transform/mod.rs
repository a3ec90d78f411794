//! The passes, one a file, and the list of them: a new one is declared and listed here.

use crate::pass::Pass;

pub mod alias;
pub mod allocation_sites;
pub mod assert_invariants;
pub mod checks;
pub mod constant_arguments;
pub mod constant_propagation;
#[cfg(test)]
mod copied_code_tests;
mod copy_function;
pub mod datatype_reduction;
pub mod dead_code;
pub mod extrapolate;
pub mod forward_arguments;
pub mod inline;
pub mod invariants;
pub mod join_flags;
pub mod jump_threading;
pub mod local_allocations;
pub mod lower_sync;
pub mod mem2reg;
pub mod narrow;
mod one_way;
mod peel;
pub mod peel_loops;
pub mod print;
pub mod print_runs;
pub mod print_threads;
pub mod recursion;
mod repair;
mod resolve_pointers;
mod scalars;
pub mod shared_locals;
pub mod simplify;
pub mod slice;
mod slots;
pub mod store_buffers;
pub mod thread_template;
pub mod unreachable;
pub mod verify;

/// All passes; the order is that of the help text.
pub const PASSES: &[Pass] = &[
    thread_template::PASS,
    recursion::PASS,
    inline::PASS,
    lower_sync::PASS,
    unreachable::PASS,
    mem2reg::PASS,
    peel_loops::PASS,
    join_flags::PASS,
    allocation_sites::PASS,
    local_allocations::PASS,
    shared_locals::PASS,
    constant_arguments::PASS,
    datatype_reduction::PASS,
    constant_propagation::PASS,
    jump_threading::PASS,
    forward_arguments::PASS,
    narrow::PASS,
    simplify::PASS,
    dead_code::PASS,
    slice::PASS,
    invariants::PASS,
    assert_invariants::PASS,
    checks::assertions::PASS,
    checks::bounds::PASS,
    checks::division::PASS,
    checks::leaks::PASS,
    checks::pointers::PASS,
    checks::overflow::PASS,
    checks::races::PASS,
    checks::deadlock::PASS,
    checks::deadlock::JOINS,
    store_buffers::TSO,
    store_buffers::PSO,
    extrapolate::PREDICATES,
    extrapolate::CUBES,
    extrapolate::DROP,
    alias::PASS,
    alias::PRINT,
    print::PREDICATES,
    print::CALL_GRAPH,
    print_threads::PASS,
    print_runs::PASS,
    store_buffers::PRINT_DELAYS,
    verify::PASS,
];

/// The pass of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}
