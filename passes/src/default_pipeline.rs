//! The pipelines that have a name, with the reason for each of their passes.

use crate::pass::Pass;
use crate::transform::{
    allocation_sites, constant_arguments, constant_propagation, forward_arguments, inline,
    invariants, join_flags, local_allocations, lower_sync, mem2reg, narrow, peel_loops, recursion,
    shared_locals, unreachable,
};

/// A pipeline that pipeline strings know by its name.
#[derive(Clone, Copy, Debug)]
pub struct NamedPipeline {
    /// Its name in pipeline strings; no pass has the same.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// Its passes, with their options at the defaults.
    pub steps: &'static [Reasoned],
}

/// A pass in its place, and why it stands there.
#[derive(Clone, Copy, Debug)]
pub struct Reasoned {
    /// The pass.
    pub pass: Pass,
    /// Why it stands there: what it needs from those before it, what those behind it need.
    pub why: &'static str,
}

/// All pipelines that have a name.
pub const PIPELINES: &[NamedPipeline] = &[DEFAULT_PIPELINE];

/// What `sapa check` runs if it is not told otherwise.
pub const DEFAULT_PIPELINE: NamedPipeline = NamedPipeline {
    name: "default",
    summary: "makes a program one that the backend models, and gives it names for what exists once",
    steps: &[
        Reasoned {
            pass: recursion::PASS,
            why: "cycles of calls become threads first, as they cannot become parts of their callers",
        },
        Reasoned {
            pass: inline::PASS,
            why: "the backend models threads without calls; and what callees keep becomes the thread's own",
        },
        Reasoned {
            pass: lower_sync::PASS,
            why: "the backend models locks as memory; before mem2reg, so that what they read are values",
        },
        Reasoned {
            pass: unreachable::PASS,
            why: "before mem2reg: an address that only unreachable code takes would keep an object in memory",
        },
        Reasoned {
            pass: mem2reg::PASS,
            why: "loops, handles and sizes are known by values, which the passes below look at",
        },
        Reasoned {
            pass: constant_propagation::PASS,
            why: "what constants decide is not copied by the loops below, and gives no automaton: less to abstract",
        },
        Reasoned {
            pass: local_allocations::PASS,
            why: "behind constant-propagation, which knows sizes: what nobody else has the address of is as good as a local",
        },
        Reasoned { pass: mem2reg::PASS, why: "again, for scalars among these" },
        Reasoned {
            pass: forward_arguments::PASS,
            why: "what a callee is given is a name of what its caller knows, not another variable for predicates",
        },
        Reasoned {
            pass: narrow::PASS,
            why: "what counts loops or threads in a char, and what that is compared with, has its width for the passes below",
        },
        Reasoned {
            pass: peel_loops::PASS,
            why: "what a loop does N times becomes N places, and the elements of arrays have constants for indices",
        },
        Reasoned {
            pass: allocation_sites::PASS,
            why: "handles may stand in heap objects, which have to be known before joins are",
        },
        Reasoned {
            pass: join_flags::PASS,
            why: "a thread that is joined gets a function of its own, which is executed once",
        },
        Reasoned {
            pass: allocation_sites::PASS,
            why: "again, for the allocations of the threads that are executed once by now",
        },
        Reasoned {
            pass: shared_locals::PASS,
            why: "stack objects that exist once and are shared, also those of such threads, become globals",
        },
        Reasoned {
            pass: constant_arguments::PASS,
            why: "behind the others, as what threads are started with may be the address of such an object",
        },
        Reasoned {
            pass: invariants::PASS,
            why: "last, since what holds is dropped when the code changes",
        },
    ],
};
