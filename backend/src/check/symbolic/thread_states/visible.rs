//! Partial-order reduction for thread states (BOPPO section 4.2): what others change is told to a
//! thread only where its next statement can see it.
//!
//! A change of shared variables is applied at a location whose statement reads one of them, or
//! writes any, or begins an atomic section, within which nothing is told. Everywhere else it can
//! wait: the statement neither sees the change nor disturbs it, so the thread is in the same state
//! after both, in either order, and the other is there to make the change at any later time, as
//! thread states are never taken back. Changes
//! that involve the thread's own variables are applied everywhere.

use rustc_hash::FxHashSet;
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, LocationId, SharedVar, VariableRef};

use super::change::Shape;
use crate::check::symbolic::encode::as_assignment;

/// What each location's statement sees; `None` if any change.
#[derive(Debug)]
pub(super) struct Visible(Vec<Option<FxHashSet<SharedVar>>>);

impl Visible {
    pub(super) fn new(program: &FlatProgram) -> Visible {
        Visible(program.iter().map(|(_, location)| seen_by(&location.statement)).collect())
    }

    /// Whether a thread at a location must be told of changes of this shape.
    pub(super) fn sees(&self, location: LocationId, shape: &Shape) -> bool {
        match &self.0[location.index()] {
            Some(read) => shape.involves_passive || shape.shared.iter().any(|v| read.contains(v)),
            None => true,
        }
    }
}

fn seen_by(statement: &FlatStatement) -> Option<FxHashSet<SharedVar>> {
    let mut read = FxHashSet::default();
    let mut note = |variable: VariableRef| {
        if let VariableRef::Shared(v) | VariableRef::NextShared(v) = variable {
            read.insert(v);
        }
    };
    match statement {
        FlatStatement::AtomicBegin { .. } => return None,
        FlatStatement::Assert { condition, .. } => condition.for_each_variable(&mut note),
        _ => {
            if let Some(assignment) = as_assignment(statement) {
                if !assignment.shared.is_empty() || assignment.involves_passive() {
                    return None;
                }
                let values = assignment.local.iter().map(|(_, value)| value);
                let all = values.chain(&assignment.constraint);
                all.for_each(|e| e.for_each_variable(&mut note));
            }
        }
    }
    Some(read)
}
