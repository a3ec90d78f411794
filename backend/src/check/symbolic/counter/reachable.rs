//! All that threads can be at, for comparisons of engines.

use rustc_hash::FxHashSet;
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, LocationId};
use sapa_ir::boolean::trace::Valuation;

use super::{Search, images, limits, manager};
use crate::check::{CheckOptions, UnknownReason};

/// Every location that a thread can be at together with each valuation of the shared variables
/// then, as [`explicit::reachable`](crate::check::explicit::reachable).
///
/// # Errors
/// The limit that was reached.
pub(crate) fn reachable(
    program: &FlatProgram,
    options: &CheckOptions,
) -> Result<FxHashSet<(LocationId, Valuation)>, UnknownReason> {
    let bound = options.bound()?;
    // Failing assertions do not end this search.
    let mut silent = program.clone();
    for location in &mut silent.locations {
        if let FlatStatement::Assert { next, .. } = location.statement {
            location.statement = FlatStatement::Skip { next };
        }
    }
    let manager = manager(options);
    let images = images(&silent, &manager, options, false)?;
    let mut search = Search::new(images, bound, None, options)?;
    while search.next().is_some() {
        if let Some(reason) = limits(&search, options, &manager) {
            return Err(reason);
        }
        search.step()?;
    }
    let vars: Vec<_> = search.images.encoder.layout.shared.iter().map(|bit| bit.current).collect();
    let mut pairs = FxHashSet::default();
    for item in &search.items {
        let shared = search.images.sets.get(item.shared);
        for valuation in shared.assignments(&vars) {
            let valuation: Valuation = valuation.into_iter().collect();
            for class in search.classes.value(item.classes).iter() {
                pairs.insert((class.place.location, valuation.clone()));
            }
        }
    }
    Ok(pairs)
}
