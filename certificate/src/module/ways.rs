//! What a thread of the Boolean program can do from one station to the next, and whether a step allows
//! what happened.
//!
//! A *station* is a location of the flat program that stands for a place of the module. A *way* is what a
//! thread does from one to the next, if no other acts meanwhile: one assignment at most, one thread that it
//! starts at most.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, LocalVar, LocationId, SharedVar, VariableRef,
};

use super::{Made, Problem};
use crate::sat::{FALSE, Literal, Sat, TRUE};

/// How many statements all ways from a station may have.
const MOST_STATEMENTS: usize = 100_000;

/// Where a way ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum WayEnd {
    /// At a station.
    At(LocationId),
    /// The thread ends.
    Thread,
    /// At an assertion that can fail.
    Failure,
}

/// What a thread can do.
#[derive(Clone)]
pub(super) struct Way<'p> {
    /// The assignment, and where it is; nothing is changed without.
    pub(super) step: Option<(LocationId, Cow<'p, Assignment>)>,
    /// Where the thread starts that it starts.
    pub(super) started: Option<LocationId>,
    pub(super) end: WayEnd,
    /// Whether it is inside an atomic section at its end.
    pub(super) inside: bool,
}

/// All ways from a station; `inside`, if the thread is inside an atomic section there. What is more than a way is is left out.
pub(super) fn ways<'p>(
    program: &'p FlatProgram,
    from: LocationId,
    inside: bool,
    is_station: impl Fn(LocationId) -> bool,
) -> Made<Vec<Way<'p>>> {
    let mut found = Vec::new();
    let empty = Way { step: None, started: None, end: WayEnd::Thread, inside };
    let mut pending = vec![(from, empty, 0usize)];
    let mut statements = 0;
    while let Some((at, mut way, length)) = pending.pop() {
        if length > 0 && is_station(at) {
            way.end = WayEnd::At(at);
            found.push(way);
            continue;
        }
        statements += 1;
        if statements > MOST_STATEMENTS {
            let what =
                "a Boolean program with very many ways from one place to the next".to_owned();
            return Err(Problem::Unsupported { what, at: None });
        }
        // Who goes round does nothing more.
        if length > program.locations.len() {
            continue;
        }
        let statement = program.statement(at);
        match statement {
            FlatStatement::Skip { .. } | FlatStatement::Goto { .. } => {}
            FlatStatement::AtomicBegin { .. } => way.inside = true,
            FlatStatement::AtomicEnd { .. } => way.inside = false,
            FlatStatement::EndThread => {
                way.end = WayEnd::Thread;
                found.push(way);
                continue;
            }
            FlatStatement::Assert { condition, .. } => {
                // Others are left out: what the condition depends on.
                if *condition == FlatExpr::Constant(false) {
                    found.push(Way { end: WayEnd::Failure, ..way.clone() });
                }
            }
            FlatStatement::StartThread { entry, .. } => {
                if way.started.replace(behind_jumps(program, *entry)).is_some() {
                    continue;
                }
            }
            _ => {
                let Some(assignment) = statement.as_assignment() else { continue };
                let is_never = assignment.constraint == Some(FlatExpr::Constant(false));
                if is_never || way.step.replace((at, assignment)).is_some() {
                    continue;
                }
            }
        }
        for next in statement.successors() {
            pending.push((*next, way.clone(), length + 1));
        }
    }
    Ok(found)
}

/// Where a thread comes to by jumps alone, without a choice, up to the first location that has a label.
pub(super) fn behind_jumps(program: &FlatProgram, mut at: LocationId) -> LocationId {
    for _ in 0..program.locations.len() {
        let location = program.location(at);
        match (&location.statement, location.statement.successors()) {
            (FlatStatement::Skip { .. } | FlatStatement::Goto { .. }, [next])
                if location.labels.is_empty() =>
            {
                at = *next;
            }
            _ => break,
        }
    }
    at
}

/// The values of the Boolean variables before a step and after it.
#[derive(Clone, Debug, Default)]
pub(super) struct Image {
    pub(super) shared: [Vec<Literal>; 2],
    /// Of the thread that moves; after the step `None` where any value will do.
    pub(super) active: Vec<Literal>,
    pub(super) active_after: Vec<Option<Literal>>,
}

/// The same of a thread that does not move.
#[derive(Clone, Debug, Default)]
pub(super) struct PassiveImage {
    pub(super) before: Vec<Literal>,
    pub(super) after: Vec<Option<Literal>>,
}

/// Whether an expression can be 0 and whether it can be 1. Its choices are independent of each other.
#[derive(Clone, Copy)]
struct Can {
    zero: Literal,
    one: Literal,
}

struct Scope<'s> {
    image: &'s Image,
    passive: Option<&'s PassiveImage>,
    /// By number: new values of variables of the thread that moves, where it has any value after the step unless it is assigned.
    assignment: &'s Assignment,
}

impl Scope<'_> {
    fn variable(&self, variable: VariableRef) -> Option<Literal> {
        match variable {
            VariableRef::Shared(v) => self.image.shared[0].get(v.index()).copied(),
            VariableRef::NextShared(v) => self.image.shared[1].get(v.index()).copied(),
            VariableRef::Local(v) => self.image.active.get(v.index()).copied(),
            VariableRef::NextLocal(v) => match self.image.active_after.get(v.index())? {
                Some(after) => Some(*after),
                // What is not assigned stays.
                None if self.assignment.local.iter().all(|(target, _)| *target != v) => {
                    self.image.active.get(v.index()).copied()
                }
                None => None,
            },
            VariableRef::Passive(v) => self.passive?.before.get(v.index()).copied(),
            VariableRef::NextPassive(_) => None,
        }
    }

    /// `None` if the expression reads what has no value here.
    fn can(&self, expression: &FlatExpr, sat: &mut Sat) -> Option<Can> {
        let known = |literal: Literal| Can { zero: -literal, one: literal };
        Some(match expression {
            FlatExpr::Constant(true) => known(TRUE),
            FlatExpr::Constant(false) => known(FALSE),
            FlatExpr::Variable(variable) => known(self.variable(*variable)?),
            FlatExpr::Nondet => Can { zero: TRUE, one: TRUE },
            FlatExpr::Choose(p, n) => {
                let (p, n) = (self.can(p, sat)?, self.can(n, sat)?);
                let free = sat.and(p.zero, n.zero);
                Can { zero: p.zero, one: sat.or(p.one, free) }
            }
            FlatExpr::Not(e) => {
                let e = self.can(e, sat)?;
                Can { zero: e.one, one: e.zero }
            }
            FlatExpr::And(es) => {
                let mut all = known(TRUE);
                for e in es {
                    let e = self.can(e, sat)?;
                    all = Can { zero: sat.or(all.zero, e.zero), one: sat.and(all.one, e.one) };
                }
                all
            }
            FlatExpr::Or(es) => {
                let mut any = known(FALSE);
                for e in es {
                    let e = self.can(e, sat)?;
                    any = Can { zero: sat.and(any.zero, e.zero), one: sat.or(any.one, e.one) };
                }
                any
            }
            FlatExpr::Xor(es) => {
                let mut odd = known(FALSE);
                for e in es {
                    let e = self.can(e, sat)?;
                    odd = differ(sat, odd, e);
                }
                odd
            }
            FlatExpr::Equal(a, b) => {
                let (a, b) = (self.can(a, sat)?, self.can(b, sat)?);
                let differ = differ(sat, a, b);
                Can { zero: differ.one, one: differ.zero }
            }
            FlatExpr::Implies(a, b) => {
                let (a, b) = (self.can(a, sat)?, self.can(b, sat)?);
                Can { zero: sat.and(a.one, b.zero), one: sat.or(a.zero, b.one) }
            }
            FlatExpr::Conditional(c, a, b) => {
                let (c, a, b) = (self.can(c, sat)?, self.can(a, sat)?, self.can(b, sat)?);
                let mut either = |of_a: Literal, of_b: Literal| {
                    let (a, b) = (sat.and(c.one, of_a), sat.and(c.zero, of_b));
                    sat.or(a, b)
                };
                Can { zero: either(a.zero, b.zero), one: either(a.one, b.one) }
            }
        })
    }

    /// That a variable cannot have the value after the step that it has.
    fn cannot_be(&self, value: &FlatExpr, after: Literal, sat: &mut Sat) -> Literal {
        match self.can(value, sat) {
            Some(can) => sat.ite(after, -can.one, -can.zero),
            None => TRUE,
        }
    }
}

fn differ(sat: &mut Sat, a: Can, b: Can) -> Can {
    let mut either = |a: Literal, b: Literal, c: Literal, d: Literal| {
        let (one, other) = (sat.and(a, b), sat.and(c, d));
        sat.or(one, other)
    };
    Can { zero: either(a.zero, b.zero, a.one, b.one), one: either(a.zero, b.one, a.one, b.zero) }
}

/// Literals one of which holds where a step does not allow what happened to shared variables and to the thread that moves.
pub(super) fn forbidden(assignment: &Assignment, image: &Image, sat: &mut Sat) -> Vec<Literal> {
    let scope = Scope { image, passive: None, assignment };
    let mut found = Vec::new();
    let [before, after] = &image.shared;
    for (number, (before, after)) in before.iter().zip(after).enumerate() {
        let value = assignment.shared.iter().find(|(v, _)| *v == SharedVar(number as u32));
        found.push(match value {
            Some((_, value)) => scope.cannot_be(value, *after, sat),
            None => sat.differ(*before, *after),
        });
    }
    for (number, (before, after)) in image.active.iter().zip(&image.active_after).enumerate() {
        let Some(after) = after else { continue };
        let value = assignment.local.iter().find(|(v, _)| *v == LocalVar(number as u32));
        found.push(match value {
            Some((_, value)) => scope.cannot_be(value, *after, sat),
            None => sat.differ(*before, *after),
        });
    }
    if let Some(constraint) = &assignment.constraint {
        found.push(match scope.can(constraint, sat) {
            Some(can) => -can.one,
            None => TRUE,
        });
    }
    // Constraints on others are not supported: adding a thread must not disable a step.
    if assignment.passive_constraint.is_some() {
        found.push(TRUE);
    }
    found
}

/// The same of what happened to a thread that does not move.
pub(super) fn forbidden_passive(
    assignment: &Assignment,
    image: &Image,
    passive: &PassiveImage,
    sat: &mut Sat,
) -> Vec<Literal> {
    let scope = Scope { image, passive: Some(passive), assignment };
    let mut found = Vec::new();
    for (number, (before, after)) in passive.before.iter().zip(&passive.after).enumerate() {
        let Some(after) = after else { continue };
        let value = assignment.broadcast.iter().find(|(v, _)| *v == LocalVar(number as u32));
        found.push(match value {
            Some((_, value)) => scope.cannot_be(value, *after, sat),
            None => sat.differ(*before, *after),
        });
    }
    found
}

/// The locations with a label, by their label.
pub(super) fn labels(program: &FlatProgram) -> FxHashMap<&str, Vec<LocationId>> {
    let mut found: FxHashMap<&str, Vec<LocationId>> = FxHashMap::default();
    for (at, location) in program.iter() {
        for label in &location.labels {
            found.entry(label.as_str()).or_default().push(at);
        }
    }
    found
}
