//! Symbolic breadth-first reachability; the frontiers are kept, as counterexamples go back
//! through them.

use std::time::Instant;

use sapa_bdd::{Bdd, OutOfNodes};

use super::layout::{Layout, Relation, SlotState};

/// Why symbolic reachability stopped early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SymbolicStop {
    /// The BDD node limit.
    Nodes(OutOfNodes),
    /// The deadline passed.
    Time,
}

impl From<OutOfNodes> for SymbolicStop {
    fn from(error: OutOfNodes) -> SymbolicStop {
        SymbolicStop::Nodes(error)
    }
}

/// A concrete run: the first state, then for each step the index of its relation and the state after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SymbolicRun {
    pub(crate) initial: SlotState,
    pub(crate) steps: Vec<(usize, SlotState)>,
}

/// A shortest run from `initial` to `bad`, if there is one. All sets speak of current variables.
pub(crate) fn reach(
    layout: &Layout,
    initial: &Bdd,
    relations: &[Relation],
    bad: &Bdd,
    deadline: Option<Instant>,
) -> Result<Option<SymbolicRun>, SymbolicStop> {
    let mut rings = vec![initial.clone()];
    let mut reached = initial.clone();
    let mut frontier = initial.clone();
    while !frontier.is_false() {
        let hit = frontier.and(bad)?;
        if !hit.is_false() {
            return Ok(run_to(layout, &rings, relations, &hit)?);
        }
        let mut found = layout.manager.bottom();
        for relation in relations {
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(SymbolicStop::Time);
            }
            found = found.or(&relation.image(&frontier)?)?;
        }
        frontier = found.minus(&reached)?;
        reached = reached.or(&frontier)?;
        rings.push(frontier.clone());
    }
    Ok(None)
}

fn run_to(
    layout: &Layout,
    rings: &[Bdd],
    relations: &[Relation],
    hit: &Bdd,
) -> Result<Option<SymbolicRun>, OutOfNodes> {
    let Some(mut state) = layout.pick(hit) else { return Ok(None) };
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
        let Some((index, previous)) = before else { return Ok(None) };
        steps.push((index, std::mem::replace(&mut state, previous)));
    }
    steps.reverse();
    Ok(Some(SymbolicRun { initial: state, steps }))
}
