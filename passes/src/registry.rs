//! The list of all passes.

use crate::pass::Pass;
use crate::transform::{
    alias, allocation_sites, constant_arguments, constant_propagation, dead_code, inline,
    join_flags, lower_sync, mem2reg, peel_loops, print, shared_locals, simplify, slice,
    thread_template, unreachable, verify,
};

/// All passes; the order is that of the help text.
pub const PASSES: &[Pass] = &[
    thread_template::PASS,
    inline::PASS,
    lower_sync::PASS,
    unreachable::PASS,
    mem2reg::PASS,
    peel_loops::PASS,
    join_flags::PASS,
    allocation_sites::PASS,
    shared_locals::PASS,
    constant_arguments::PASS,
    constant_propagation::PASS,
    simplify::PASS,
    dead_code::PASS,
    slice::PASS,
    alias::PASS,
    alias::PRINT,
    print::PREDICATES,
    print::CALL_GRAPH,
    verify::PASS,
];

/// The pass of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}
