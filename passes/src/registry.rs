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

/// The pipeline of `sapa check`: calls first, so that callees' locals become
/// values of the threads; synchronisation before the promotion, so that what
/// it reads are values too; loops of few rounds then, which are bounded by values,
/// so that constants name the elements of arrays; allocations that are executed
/// once, which handles may be in; joins then, whose threads get functions of their own, which are
/// executed once; so then the allocations that are in them, and stack objects that exist
/// once; and what such threads are started with, which may be the address of one.
pub const DEFAULT_PIPELINE: &str = "inline,lower-sync,unreachable-blocks,mem2reg,peel-loops,allocation-sites,join-flags,allocation-sites,shared-locals,constant-arguments";

/// The pass of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}
