//! Parallel assignments and expressions: names become variables, and constraints are split into what
//! they say of the active thread and of passive ones.

use super::{Allowed, Flattener, Place, Slot};
use crate::boolean::ast::{Expression, Owner, Position, Target};
use crate::boolean::error::{Error, counted};
use crate::boolean::flat::{Assignment, FlatExpr, FlatStatement, LocationId, VariableRef};

impl Flattener<'_> {
    pub(super) fn assignment(
        &mut self,
        here: Place,
        targets: &[Target],
        values: &[Expression],
        constraint: Option<&Expression>,
        next: LocationId,
        enforced: &[FlatExpr],
    ) -> Result<LocationId, Error> {
        if targets.len() != values.len() {
            let message = format!(
                "{} but {}",
                counted(targets.len(), "target"),
                counted(values.len(), "value")
            );
            return Err(Error::new(here.position, message));
        }
        let mut assignment = Assignment::default();
        for (target, value) in targets.iter().zip(values) {
            let allowed = match target {
                Target::Variable { owner: Owner::Passive, .. } => Allowed::Passive,
                _ => Allowed::Active,
            };
            let value = self.expression(here, value, allowed)?;
            self.target(here, &mut assignment, target, value)?;
        }
        let mut conjuncts = enforced.to_vec();
        if let Some(constraint) = constraint {
            split(self.expression(here, constraint, Allowed::Constraint)?, &mut conjuncts);
        }
        let (passive, active): (Vec<_>, Vec<_>) =
            conjuncts.into_iter().partition(FlatExpr::mentions_passive);
        assignment.constraint = conjunction(active);
        assignment.passive_constraint = conjunction(passive);
        self.emit(here, FlatStatement::Assign { assignment, next })
    }

    pub(super) fn target(
        &self,
        here: Place,
        assignment: &mut Assignment,
        target: &Target,
        value: FlatExpr,
    ) -> Result<(), Error> {
        let Target::Variable { name, owner } = target else { return Ok(()) };
        if *owner == Owner::Active {
            return self.set(here, assignment, name, value);
        }
        let Slot::Local(variable) = self.slot(here, name)? else {
            return Err(not_local(here.position, name));
        };
        if assignment.broadcast.iter().any(|(v, _)| *v == variable) {
            return Err(assigned_twice(here.position, name));
        }
        assignment.broadcast.push((variable, value));
        Ok(())
    }

    pub(super) fn set(
        &self,
        here: Place,
        assignment: &mut Assignment,
        name: &str,
        value: FlatExpr,
    ) -> Result<(), Error> {
        let twice = match self.slot(here, name)? {
            Slot::Shared(variable) => {
                let twice = assignment.shared.iter().any(|(v, _)| *v == variable);
                assignment.shared.push((variable, value));
                twice
            }
            Slot::Local(variable) => {
                let twice = assignment.local.iter().any(|(v, _)| *v == variable);
                assignment.local.push((variable, value));
                twice
            }
        };
        if twice { Err(assigned_twice(here.position, name)) } else { Ok(()) }
    }

    pub(super) fn expression(
        &self,
        here: Place,
        expression: &Expression,
        allowed: Allowed,
    ) -> Result<FlatExpr, Error> {
        let one = |e: &Expression| self.expression(here, e, allowed).map(Box::new);
        let many = |es: &[Expression]| -> Result<Vec<FlatExpr>, Error> {
            es.iter().map(|e| self.expression(here, e, allowed)).collect()
        };
        Ok(match expression {
            Expression::Constant(value) => FlatExpr::Constant(*value),
            Expression::Nondet | Expression::Choose(..) if allowed == Allowed::Invariant => {
                return Err(Error::new(here.position, "an invariant has no choice"));
            }
            Expression::Nondet => FlatExpr::Nondet,
            Expression::Variable { name, owner, next } => {
                FlatExpr::Variable(self.occurrence(here, name, *owner, *next, allowed)?)
            }
            Expression::Choose(p, n) => FlatExpr::Choose(one(p)?, one(n)?),
            Expression::Not(e) => FlatExpr::Not(one(e)?),
            Expression::And(es) => FlatExpr::And(many(es)?),
            Expression::Or(es) => FlatExpr::Or(many(es)?),
            Expression::Xor(es) => FlatExpr::Xor(many(es)?),
            Expression::Equal(a, b) => FlatExpr::Equal(one(a)?, one(b)?),
            Expression::NotEqual(a, b) => {
                FlatExpr::Not(Box::new(FlatExpr::Equal(one(a)?, one(b)?)))
            }
            Expression::Implies(a, b) => FlatExpr::Implies(one(a)?, one(b)?),
            Expression::Conditional(c, a, b) => FlatExpr::Conditional(one(c)?, one(a)?, one(b)?),
        })
    }

    fn occurrence(
        &self,
        here: Place,
        name: &str,
        owner: Owner,
        next: bool,
        allowed: Allowed,
    ) -> Result<VariableRef, Error> {
        if next && allowed != Allowed::Constraint {
            let message = format!("the next value of `{name}` may be read in `constrain` only");
            return Err(Error::new(here.position, message));
        }
        if owner == Owner::Passive && allowed == Allowed::Active {
            let message =
                format!("`[{name}]` may be read in a broadcast's value or `constrain` only");
            return Err(Error::new(here.position, message));
        }
        match (self.slot(here, name)?, owner, next) {
            (Slot::Shared(_), Owner::Passive, _) => Err(not_local(here.position, name)),
            (Slot::Shared(v), Owner::Active, false) => Ok(VariableRef::Shared(v)),
            (Slot::Shared(v), Owner::Active, true) => Ok(VariableRef::NextShared(v)),
            (Slot::Local(v), Owner::Active, false) => Ok(VariableRef::Local(v)),
            (Slot::Local(v), Owner::Active, true) => Ok(VariableRef::NextLocal(v)),
            (Slot::Local(v), Owner::Passive, false) => Ok(VariableRef::Passive(v)),
            (Slot::Local(v), Owner::Passive, true) => Ok(VariableRef::NextPassive(v)),
        }
    }
}

/// The conjuncts of a constraint, so that those about the active thread hold even when there is
/// no passive one.
fn split(constraint: FlatExpr, conjuncts: &mut Vec<FlatExpr>) {
    match constraint {
        FlatExpr::And(es) => es.into_iter().for_each(|e| split(e, conjuncts)),
        e => conjuncts.push(e),
    }
}

pub(super) fn conjunction(mut conjuncts: Vec<FlatExpr>) -> Option<FlatExpr> {
    match conjuncts.len() {
        0 | 1 => conjuncts.pop(),
        _ => Some(FlatExpr::And(conjuncts)),
    }
}

/// The same condition over the values after the step.
pub(super) fn after_step(e: &FlatExpr) -> FlatExpr {
    let one = |e: &FlatExpr| Box::new(after_step(e));
    let many = |es: &[FlatExpr]| es.iter().map(after_step).collect::<Vec<_>>();
    match e {
        FlatExpr::Variable(VariableRef::Shared(v)) => {
            FlatExpr::Variable(VariableRef::NextShared(*v))
        }
        FlatExpr::Variable(VariableRef::Local(v)) => FlatExpr::Variable(VariableRef::NextLocal(*v)),
        FlatExpr::Variable(_) | FlatExpr::Constant(_) | FlatExpr::Nondet => e.clone(),
        FlatExpr::Choose(p, n) => FlatExpr::Choose(one(p), one(n)),
        FlatExpr::Not(e) => FlatExpr::Not(one(e)),
        FlatExpr::And(es) => FlatExpr::And(many(es)),
        FlatExpr::Or(es) => FlatExpr::Or(many(es)),
        FlatExpr::Xor(es) => FlatExpr::Xor(many(es)),
        FlatExpr::Equal(a, b) => FlatExpr::Equal(one(a), one(b)),
        FlatExpr::Implies(a, b) => FlatExpr::Implies(one(a), one(b)),
        FlatExpr::Conditional(c, a, b) => FlatExpr::Conditional(one(c), one(a), one(b)),
    }
}

fn not_local(position: Position, name: &str) -> Error {
    Error::new(position, format!("`{name}` is shared: there is no passive thread's copy"))
}

fn assigned_twice(position: Position, name: &str) -> Error {
    Error::new(position, format!("`{name}` is assigned twice"))
}
