//! All that threads can be at, for comparisons of engines.

use rustc_hash::FxHashSet;
use sapa_ir::boolean::flat::LocationId;
use sapa_ir::boolean::trace::Valuation;
use std::ops::ControlFlow;

use super::{Prepared, Search, valuations};
use crate::check::{CheckOptions, Progress, UnknownReason};
use sapa_ir::boolean::flat::FlatProgram;

/// Every location that a thread can be at together with each valuation of the shared variables
/// then, for at most the given number of threads. Failing assertions do not end the search.
///
/// # Errors
/// The limit that was reached.
pub(crate) fn reachable(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<FxHashSet<(LocationId, Valuation)>, UnknownReason> {
    // Skips and jumps are locations too, so nothing is walked over.
    let prepared = Prepared::new(program, options, false)?;
    let mut search = Search::new(program, options, prepared, None);
    let mut pairs: FxHashSet<(LocationId, u32)> = FxHashSet::default();
    search.run(progress, |state, moves| {
        let started = state.started.iter().map(|(local, _)| *local);
        for local in state.initial.into_iter().chain(started) {
            pairs.insert((moves.local(local).0, state.shared));
        }
        ControlFlow::Continue(())
    })?;
    let count = program.shared.len();
    Ok(pairs
        .into_iter()
        .map(|(location, shared)| {
            (location, valuations::unpack(search.moves.shared(shared), count))
        })
        .collect())
}
