//! `invariants`: what holds at places of the code, in any interleaving of any number of threads.
//!
//! # What is known
//! - *Equations* between integers modulo 2^w: `x - y == 0`, `4 * i - n == 1`, `2^31 * x == 0` (that is,
//!   `x` is even), after Müller-Olm and Seidl, "Analysis of modular arithmetic" (TOPLAS 2007): they
//!   hold with all wrap-around ([`crate::linear`]).
//! - *Bounds* of integers, unsigned and signed, with strides (`range`, `span`): `0, 3, …, 300`.
//! - *Bounds of sums* that conditions look at, modulo 2^w (`bounds`): `head - tail <= 16`, however
//!   often the counters wrap.
//! - *Inequalities* `a + c <= b` between those that conditions compare (`compared`, `inequalities`).
//!
//! All are between SSA values and cells: integers in shared globals that are reached at places that
//! points-to knows exactly (`cells`). A write that may reach several makes them unknown. Of memory of which
//! there is any number, members of heap objects and elements of arrays, bounds are known of all together
//! (`fields`).
//!
//! # How
//! A block is executed over what is known where it begins (`walk`); what is known at its end is joined
//! with what is known from other ways, until nothing changes (`threads`). Bounds that go on growing go
//! on to the next constant of the function.
//!
//! The analysis is *thread-modular*: outside atomic sections a thread takes what other threads may
//! write for any of what any thread leaves there where it can be interrupted (`Shared`): a relation
//! between cells survives if every step of every thread keeps it. What a thread alone writes stays
//! what it knows it to be. Until the first thread is started nobody else is there.
//!
//! # What comes of it
//! An assertion that is implied becomes an [`Invariant`](sapa_ir::goto::Invariant) beside it, its condition; the abstraction
//! sees then that it cannot fail. A signed operation that is known not to overflow need not exclude that
//! (`no_overflow`). At the heads of loops what holds is written down, for the
//! abstraction and for people.
//!
//! Nothing is said of programs with calls or locks that were not turned into code: `inline` and
//! `lower-sync` come first.

mod body;
mod bounds;
mod cells;
mod compared;
mod contributions;
mod counting;
mod ended;
mod facts;
mod fields;
mod growing;
mod inequalities;
mod locks;
mod movers;
mod no_overflow;
mod range;
mod simulation;
mod span;
mod threads;
mod walk;

use sapa_ir::goto::Module;

use crate::analysis::AnalysisKind;
use crate::analysis::call_graph::CallGraph;
use crate::analysis::once::ExecutedOnce;
use crate::analysis::points_to::PointsTo;
use crate::analysis::thread_bound::most_ever_started;
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Context, Pass, Run};
use crate::property::VALID_POINTERS;
use cells::Cells;
pub use movers::Movers;
use threads::{Threads, bodies, roots};

/// The pass.
pub const PASS: Pass = Pass {
    name: "invariants",
    summary: "find equations and bounds that hold at assertions and loops in any interleaving",
    options: &[OptionSpec {
        name: LET_WRAP,
        kind: OptionKind::Switch(false),
        summary: "let signed operations wrap that do not overflow, if nothing but sequential consistency will be asked for",
    }],
    preserves: &[
        AnalysisKind::of::<CallGraph>(),
        AnalysisKind::of::<ExecutedOnce>(),
        AnalysisKind::of::<PointsTo>(),
    ],
    run: Run::Module(run),
};

/// The switch that takes from operations that they exclude overflow. What is known of them is known under sequential
/// consistency: where stores are to wait in buffers later on, they have to go on excluding it.
pub const LET_WRAP: &str = "let-wrap";

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let Some(roots) = roots(module) else { return Ok(false) };
    let points_to = context.analyses.get::<PointsTo>(module)?;
    let once = context.analyses.get::<ExecutedOnce>(module)?;
    let mut cells = Cells::new(module, &points_to, &roots, context.limits)?;
    contributions::add(&bodies(module, &roots, &once, &cells, context.limits)?, &once, &mut cells);
    let started = most_ever_started(module, context.limits);
    let Some(threads) = Threads::new(module, &roots, &once, &cells, started, context.limits)?
    else {
        return Ok(false);
    };
    let found = facts::of(&threads);
    let without_overflow = match context.options.switch(LET_WRAP) {
        true => no_overflow::without_overflow(&threads, module, context.limits)?,
        false => Vec::new(),
    };
    // What an access reads outside of all objects is nothing that was stored there. The abstraction may
    // use any fact.
    let assumes = threads.bounds_fields()
        && !(found.is_empty() && without_overflow.is_empty())
        && !module.notes.iter().any(|note| note == VALID_POINTERS);
    let changed = assumes || found != module.invariants || !without_overflow.is_empty();
    no_overflow::let_wrap(module, &without_overflow);
    module.invariants = found;
    if assumes {
        module.note(VALID_POINTERS);
    }
    Ok(changed)
}
