//! Symbolic breadth-first reachability; the frontiers are kept, as counterexamples go back
//! through them.

use sapa_bdd::{Bdd, LimitReached};

use super::layout::{Layout, Relation, SlotState};
use crate::check::UnknownReason;

/// What the exploration found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reached {
    /// No bad state is reachable; these states are.
    NoneOf(Bdd),
    /// A shortest run to a bad state.
    Bad(SymbolicRun),
    /// It was told to stop.
    Stopped(UnknownReason),
}

/// A concrete run: the first state, then for each step the index of its relation and the state after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SymbolicRun {
    pub(crate) initial: SlotState,
    pub(crate) steps: Vec<(usize, SlotState)>,
}

/// Explores from `initial` within what is `allowed`; all sets speak of current variables. With `explored`, the thread in
/// slot `t` moves in the states of `explored[t]` only. `stop` is asked before every image, with
/// the number of rounds done.
pub(crate) fn reach(
    layout: &Layout,
    (initial, allowed): (&Bdd, &Bdd),
    relations: &[Relation],
    bad: &Bdd,
    explored: Option<&[Bdd]>,
    stop: &mut dyn FnMut(usize) -> Option<UnknownReason>,
) -> Result<Reached, LimitReached> {
    let initial = initial.and(allowed)?;
    let mut rings = vec![initial.clone()];
    let mut reached = initial.clone();
    let mut frontier = initial;
    while !frontier.is_false() {
        let hit = frontier.and(bad)?;
        if !hit.is_false() {
            return run_to(layout, &rings, relations, &hit);
        }
        let mut found = layout.manager.bottom();
        let by_slot = explored
            .map(|sets| sets.iter().map(|set| set.and(&frontier)).collect::<Result<Vec<Bdd>, _>>())
            .transpose()?;
        for relation in relations {
            if let Some(reason) = stop(rings.len()) {
                return Ok(Reached::Stopped(reason));
            }
            let from = by_slot.as_ref().map_or(&frontier, |sets| &sets[relation.slot]);
            found = found.or(&relation.image(from)?)?;
        }
        frontier = found.and(allowed)?.minus(&reached)?;
        reached = reached.or(&frontier)?;
        rings.push(frontier.clone());
    }
    Ok(Reached::NoneOf(reached))
}

fn run_to(
    layout: &Layout,
    rings: &[Bdd],
    relations: &[Relation],
    hit: &Bdd,
) -> Result<Reached, LimitReached> {
    let lost = || UnknownReason::Internal("a state has no predecessor in the ring before");
    let Some(mut state) = layout.pick(hit) else { return Ok(Reached::Stopped(lost())) };
    let mut steps = Vec::new();
    for ring in rings.iter().rev().skip(1) {
        let target = layout.state(&state)?;
        let mut before = None;
        for (index, relation) in relations.iter().enumerate() {
            before = layout.pick(&relation.preimage(&target)?.and(ring)?).map(|s| (index, s));
            if before.is_some() {
                break;
            }
        }
        let Some((index, previous)) = before else { return Ok(Reached::Stopped(lost())) };
        steps.push((index, std::mem::replace(&mut state, previous)));
    }
    steps.reverse();
    Ok(Reached::Bad(SymbolicRun { initial: state, steps }))
}
