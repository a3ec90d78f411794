//! All that threads can be at, for comparisons of engines.

use rustc_hash::FxHashSet;
use sapa_bdd::{Bdd, BddManager, LimitReached, ManagerOptions, Var};
use sapa_ir::boolean::flat::{FlatProgram, LocationId};
use sapa_ir::boolean::trace::Valuation;

use super::{Reached, bound, reach};
use crate::check::symbolic::encode::Encoder;
use crate::check::symbolic::layout::{Layout, Side};
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
    let others = bound(options)?;
    let manager = BddManager::with_options(ManagerOptions {
        memory_limit: options.memory_limit,
        limits: options.limits.clone(),
        ..ManagerOptions::default()
    });
    let encoder = Encoder::new(program, manager.clone(), others as usize + 1);
    let (initial, relations) = (encoder.initial()?, encoder.relations(&options.limits)?);
    let allowed = encoder.allowed()?;
    let stop = &mut |_| options.stop();
    let starts = (&initial, &allowed);
    match reach(&encoder.layout, starts, &relations, &manager.bottom(), None, stop)? {
        Reached::NoneOf(states) => Ok(pairs(program, &encoder.layout, &states)?),
        Reached::Stopped(reason) => Err(reason),
        Reached::Bad(_) => Err(UnknownReason::Internal("a bad state where there is none")),
    }
}

/// The locations of threads in a set of states with the shared valuations then.
fn pairs(
    program: &FlatProgram,
    layout: &Layout,
    set: &Bdd,
) -> Result<FxHashSet<(LocationId, Valuation)>, LimitReached> {
    let shared: Vec<Var> = layout.shared.iter().map(|bit| bit.current).collect();
    let others: Vec<Var> = layout
        .slots
        .iter()
        .flat_map(|slot| slot.location.iter().chain(&slot.locals))
        .chain(&layout.holder)
        .map(|bit| bit.current)
        .collect();
    let others = layout.manager.cube(&others)?;
    let mut pairs = FxHashSet::default();
    for (location, _) in program.iter() {
        for slot in 0..layout.slots.len() {
            let at = layout.at(slot, location.index(), Side::Current)?;
            let valuations = set.and_exists(&at, &others)?;
            for valuation in valuations.assignments(&shared) {
                pairs.insert((location, valuation.into_iter().collect()));
            }
        }
    }
    Ok(pairs)
}
