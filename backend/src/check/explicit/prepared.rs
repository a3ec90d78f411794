//! What can be worked out about a program before the search: live locals, where chains of skips
//! and jumps lead, and in which order an assignment's constraints can be tested.

use super::INTERVAL;
use super::valuations::{Frame, Scope, set};
use crate::check::analysis::liveness::Liveness;
use crate::check::analysis::stops::stops;
use crate::check::semantics::invariants::Invariants;
use crate::check::{CheckOptions, UnknownReason};
use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, LocalVar, LocationId, SharedVar, VariableRef,
};

/// A conjunct's place: it can be tested as soon as this many targets have values.
type Checks = Vec<Vec<FlatExpr>>;

/// What an assignment by the active thread writes to.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Slot {
    Shared(SharedVar),
    Local(LocalVar),
}

/// An assignment, ready for enumeration.
pub(super) struct PreparedAssignment {
    /// Targets and values of the active thread; `None` instead of a value where the target is
    /// dead and unconstrained.
    pub(super) own: Vec<(Slot, Option<FlatExpr>)>,
    /// Targets and values in passive threads, and whether a constraint mentions the new value.
    pub(super) broadcast: Vec<(LocalVar, FlatExpr, bool)>,
    /// Whether passive threads take part.
    pub(super) involves_passive: bool,
    /// Whether what passive threads can do depends on the active thread's choice.
    pub(super) couples: bool,
    own_checks: Checks,
    passive_checks: Checks,
}

pub(super) struct Prepared<'a> {
    pub(super) program: &'a FlatProgram,
    pub(super) liveness: Liveness,
    /// Where a thread that arrives at a location stops; never empty.
    pub(super) stops: Vec<Vec<LocationId>>,
    pub(super) assignments: Vec<Option<PreparedAssignment>>,
    pub(super) invariants: Invariants<'a>,
}

impl<'a> Prepared<'a> {
    /// `compress` jumps over skips and gotos at once.
    ///
    /// # Errors
    /// The limit that was reached.
    pub(super) fn new(
        program: &'a FlatProgram,
        options: &CheckOptions,
        compress: bool,
    ) -> Result<Self, UnknownReason> {
        let liveness = Liveness::new(program, options)?;
        let stops = stops(program, compress);
        let mut assignments = Vec::with_capacity(program.locations.len());
        for (at, location) in program.iter() {
            if at.index().is_multiple_of(INTERVAL)
                && let Some(reason) = options.stop()
            {
                return Err(reason);
            }
            assignments.push(match &location.statement {
                FlatStatement::Assign { assignment, next } => {
                    Some(PreparedAssignment::new(assignment, *next, &liveness))
                }
                _ => None,
            });
        }
        let invariants = Invariants::new(program);
        Ok(Prepared { program, liveness, stops, assignments, invariants })
    }
}

/// Sorts a constraint's conjuncts by when they can be tested.
fn checks(
    constraint: &Option<FlatExpr>,
    targets: usize,
    number: impl Fn(VariableRef) -> Option<usize>,
) -> Checks {
    let mut checks: Checks = (0..=targets).map(|_| Vec::new()).collect();
    for conjunct in constraint.iter().flat_map(FlatExpr::conjuncts) {
        let mut needed = 0;
        conjunct.for_each_variable(&mut |v| {
            needed = needed.max(number(v).map_or(0, |n| n + 1));
        });
        checks[needed].push(conjunct.clone());
    }
    checks
}

impl PreparedAssignment {
    fn new(assignment: &Assignment, next: LocationId, liveness: &Liveness) -> Self {
        let mut mentioned = Vec::new();
        for constraint in assignment.constraint.iter().chain(&assignment.passive_constraint) {
            constraint.for_each_variable(&mut |v| mentioned.push(v));
        }
        let mut own: Vec<(Slot, Option<FlatExpr>)> = Vec::new();
        for (variable, value) in &assignment.shared {
            own.push((Slot::Shared(*variable), Some(value.clone())));
        }
        for (variable, value) in &assignment.local {
            let matters = liveness.is_live(next, *variable)
                || mentioned.contains(&VariableRef::NextLocal(*variable));
            own.push((Slot::Local(*variable), matters.then(|| value.clone())));
        }
        let own_checks = checks(&assignment.constraint, own.len(), |v| {
            let slot = match v {
                VariableRef::NextShared(v) => Slot::Shared(v),
                VariableRef::NextLocal(v) => Slot::Local(v),
                _ => return None,
            };
            own.iter().position(|(target, _)| *target == slot)
        });
        let passive_checks =
            checks(&assignment.passive_constraint, assignment.broadcast.len(), |v| match v {
                VariableRef::NextPassive(v) => {
                    assignment.broadcast.iter().position(|(target, _)| *target == v)
                }
                _ => None,
            });
        let broadcast = assignment
            .broadcast
            .iter()
            .map(|(variable, value)| {
                let constrained = mentioned.contains(&VariableRef::NextPassive(*variable));
                (*variable, value.clone(), constrained)
            })
            .collect();
        PreparedAssignment {
            own,
            broadcast,
            involves_passive: assignment.involves_passive(),
            couples: assignment.passive_constraint.is_some(),
            own_checks,
            passive_checks,
        }
    }
}

/// The active thread's part of an assignment.
pub(super) struct OwnFrame<'a, V> {
    pub(super) assignment: &'a PreparedAssignment,
    pub(super) shared: &'a [u64],
    pub(super) local: &'a [u64],
    pub(super) next_shared: Vec<u64>,
    pub(super) next_local: Vec<u64>,
    pub(super) visit: V,
}

impl<V: FnMut(&[u64], &[u64]) -> bool> Frame for OwnFrame<'_, V> {
    fn set(&mut self, target: usize, value: bool) {
        match self.assignment.own[target].0 {
            Slot::Shared(v) => set(&mut self.next_shared, v.index(), value),
            Slot::Local(v) => set(&mut self.next_local, v.index(), value),
        }
    }
    fn holds(&self, targets: usize) -> bool {
        let scope = Scope {
            shared: self.shared,
            local: self.local,
            next_shared: &self.next_shared,
            next_local: &self.next_local,
            ..Scope::default()
        };
        self.assignment.own_checks[targets].iter().all(|e| scope.values(e).one)
    }
    fn found(&mut self) -> bool {
        (self.visit)(&self.next_shared, &self.next_local)
    }
}

/// A passive thread's part of an assignment.
pub(super) struct PassiveFrame<'a, V> {
    pub(super) assignment: &'a PreparedAssignment,
    /// All but `next_passive`.
    pub(super) scope: Scope<'a>,
    pub(super) next_passive: Vec<u64>,
    pub(super) visit: V,
}

impl<V: FnMut(&[u64]) -> bool> Frame for PassiveFrame<'_, V> {
    fn set(&mut self, target: usize, value: bool) {
        set(&mut self.next_passive, self.assignment.broadcast[target].0.index(), value);
    }
    fn holds(&self, targets: usize) -> bool {
        let scope = Scope { next_passive: &self.next_passive, ..self.scope };
        self.assignment.passive_checks[targets].iter().all(|e| scope.values(e).one)
    }
    fn found(&mut self) -> bool {
        (self.visit)(&self.next_passive)
    }
}
