//! Statements become locations.

use super::assignment::conjunction;
use super::call::Call;
use super::recursion::Unmade;
use super::{Allowed, Flattener, Instance, MAX_DEPTH, Place, Slot};
use crate::boolean::ast::{Expression, Statement, StatementKind};
use crate::boolean::error::Error;
use crate::boolean::flat::{
    Assignment, FlatExpr, FlatStatement, LocationId, SharedVar, VariableRef,
};

impl<'a> Flattener<'a> {
    /// `in_thread`: a new thread runs it and then ends.
    pub(super) fn labelled(
        &mut self,
        frame: usize,
        statement: &'a Statement,
        next: LocationId,
        instance: &mut Instance,
        enforced: &[FlatExpr],
        in_thread: bool,
    ) -> Result<LocationId, Error> {
        let here = Place::new(frame, statement.position);
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!(
                "statements, with those of the procedures that are called, nest more than \
                 {MAX_DEPTH} levels deep"
            );
            return Err(Error::new(here.position, message));
        }
        let starts = statement.labels.iter().any(|l| l.starts_with("ASYNC_"));
        let mut entry = if starts {
            let thread = self.started(here, &statement.kind, instance, enforced)?;
            self.emit(here, FlatStatement::StartThread { entry: thread, next, waits: false })?
        } else if in_thread {
            self.started(here, &statement.kind, instance, enforced)?
        } else {
            self.statement(here, &statement.kind, next, instance, enforced)?
        };
        if statement.labels.iter().any(|l| self.options.error_labels.contains(l)) {
            let condition = FlatExpr::Constant(false);
            entry = self.emit(here, FlatStatement::Assert { condition, next: entry })?;
        } else if (!statement.labels.is_empty() || statement.origin.is_some()) && entry == next {
            entry = self.emit(here, FlatStatement::Skip { next })?;
        }
        // A label that one statement has twice names it no less.
        let mut labels: Vec<String> = Vec::new();
        for label in &statement.labels {
            if labels.contains(label) {
                continue;
            }
            labels.push(label.clone());
            if instance.labels.insert(label.clone(), entry).is_some() {
                let message = format!("the label `{label}` is on two statements of the procedure");
                return Err(Error::new(here.position, message));
            }
        }
        if !labels.is_empty() {
            self.locations[entry.index()].labels = labels;
        }
        if statement.origin.is_some() {
            self.locations[entry.index()].origin = statement.origin;
        }
        self.depth -= 1;
        Ok(entry)
    }

    /// The entry of a thread that runs a statement and then ends.
    pub(super) fn started(
        &mut self,
        here: Place,
        kind: &'a StatementKind,
        instance: &mut Instance,
        enforced: &[FlatExpr],
    ) -> Result<LocationId, Error> {
        if let StatementKind::Call { targets, callee, arguments } = kind
            && targets.is_empty()
        {
            let index = self.callee(here, callee, arguments, targets)?;
            let entry = self.spawn(index)?;
            return self.enter(here, index, arguments, Vec::new(), entry);
        }
        let end = self.emit(here, FlatStatement::EndThread)?;
        let exit = std::mem::replace(&mut instance.exit, end);
        let entry = self.statement(here, kind, end, instance, enforced);
        instance.exit = exit;
        entry
    }

    /// The entry of the copy of a procedure that threads run. The copy is made at the very end,
    /// so a procedure may start threads that run itself.
    pub(super) fn spawn(&mut self, procedure: usize) -> Result<LocationId, Error> {
        if let Some(entry) = self.spawned.get(&procedure) {
            return Ok(*entry);
        }
        // The successor is filled in when the copy is made.
        let position = self.program.procedures[procedure].position;
        let entry = self
            .emit(Place::new(procedure, position), FlatStatement::Goto { targets: Vec::new() })?;
        self.spawned.insert(procedure, entry);
        self.unmade.push(Unmade::Spawned(procedure));
        Ok(entry)
    }

    pub(super) fn statement(
        &mut self,
        here: Place,
        kind: &'a StatementKind,
        next: LocationId,
        instance: &mut Instance,
        enforced: &[FlatExpr],
    ) -> Result<LocationId, Error> {
        match kind {
            StatementKind::Skip | StatementKind::Dead(_) | StatementKind::Sync(_) => {
                self.emit(here, FlatStatement::Skip { next })
            }
            StatementKind::Goto(labels) => {
                self.grow(here, labels.len())?;
                let targets = vec![next];
                let location = self.emit(here, FlatStatement::Goto { targets })?;
                instance.gotos.push((location, labels.clone(), here.position));
                Ok(location)
            }
            StatementKind::Assume(condition) | StatementKind::Enforce(condition) => {
                let condition = self.expression(here, condition, Allowed::Active)?;
                self.emit(here, FlatStatement::Assume { condition, next })
            }
            StatementKind::Assert(condition) => {
                let condition = self.expression(here, condition, Allowed::Active)?;
                self.emit(here, FlatStatement::Assert { condition, next })
            }
            StatementKind::AbortIf(condition) => {
                let condition = self.expression(here, condition, Allowed::Active)?;
                let condition = FlatExpr::Not(Box::new(condition));
                self.emit(here, FlatStatement::Assert { condition, next })
            }
            StatementKind::EndThread => self.emit(here, FlatStatement::EndThread),
            StatementKind::AtomicBegin => self.emit(here, FlatStatement::AtomicBegin { next }),
            StatementKind::AtomicEnd => self.emit(here, FlatStatement::AtomicEnd { next }),
            StatementKind::Assign { targets, values, constraint } => {
                self.assignment(here, targets, values, constraint.as_ref(), next, enforced)
            }
            StatementKind::Lock(name) => {
                let variable = self.lock(here, name)?;
                if enforced.is_empty() {
                    return self.emit(here, FlatStatement::Lock { variable, next });
                }
                let free = FlatExpr::Variable(VariableRef::Shared(variable));
                let mut constraint = vec![FlatExpr::Not(Box::new(free))];
                constraint.extend_from_slice(enforced);
                let assignment = Assignment {
                    shared: vec![(variable, FlatExpr::Constant(true))],
                    constraint: conjunction(constraint),
                    ..Assignment::default()
                };
                self.emit(here, FlatStatement::Assign { assignment, next })
            }
            StatementKind::Unlock(name) => {
                let variable = self.lock(here, name)?;
                if enforced.is_empty() {
                    return self.emit(here, FlatStatement::Unlock { variable, next });
                }
                let assignment = Assignment {
                    shared: vec![(variable, FlatExpr::Constant(false))],
                    constraint: conjunction(enforced.to_vec()),
                    ..Assignment::default()
                };
                self.emit(here, FlatStatement::Assign { assignment, next })
            }
            StatementKind::StartThread { waits, thread } => {
                let end = self.emit(here, FlatStatement::EndThread)?;
                let entry = self.labelled(here.frame, thread, end, instance, enforced, true)?;
                self.emit(here, FlatStatement::StartThread { entry, next, waits: *waits })
            }
            StatementKind::If { branches, otherwise } => {
                let mut entry = match otherwise {
                    Some(body) => self.block(here.frame, body, next, instance, enforced)?,
                    None => next,
                };
                for (condition, body) in branches.iter().rev() {
                    let body = self.block(here.frame, body, next, instance, enforced)?;
                    entry = self.branch(here, condition, body, entry)?;
                }
                Ok(entry)
            }
            StatementKind::While { condition, body } => {
                let head = self.emit(here, FlatStatement::Skip { next })?;
                let body = self.block(here.frame, body, head, instance, enforced)?;
                let test = self.branch(here, condition, body, next)?;
                self.locations[head.index()].statement = FlatStatement::Skip { next: test };
                Ok(head)
            }
            StatementKind::Return(values) => self.leave(here, values, instance.exit),
            StatementKind::Call { targets, callee, arguments } => {
                let index = self.callee(here, callee, arguments, targets)?;
                let call = Call { index, targets, arguments, site: self.cycles.site(kind) };
                self.call(here, &call, next, enforced)
            }
            StatementKind::Declare(variables) => {
                let mut next = next;
                for variable in variables.iter().rev() {
                    let value = match &variable.initial {
                        Some(value) => self.expression(here, value, Allowed::Active)?,
                        None => self.unknown(),
                    };
                    let mut assignment = Assignment::default();
                    self.set(here, &mut assignment, &variable.name, value)?;
                    next = self.emit(here, FlatStatement::Assign { assignment, next })?;
                }
                Ok(next)
            }
        }
    }

    pub(super) fn lock(&self, here: Place, name: &str) -> Result<SharedVar, Error> {
        match self.slot(here, name)? {
            Slot::Shared(variable) => Ok(variable),
            Slot::Local(_) => {
                Err(Error::new(here.position, format!("the lock `{name}` must be shared")))
            }
        }
    }

    pub(super) fn branch(
        &mut self,
        here: Place,
        condition: &Expression,
        then: LocationId,
        otherwise: LocationId,
    ) -> Result<LocationId, Error> {
        let condition = self.expression(here, condition, Allowed::Active)?;
        let negated = FlatExpr::Not(Box::new(condition.clone()));
        let yes = self.emit(here, FlatStatement::Assume { condition, next: then })?;
        let no = self.emit(here, FlatStatement::Assume { condition: negated, next: otherwise })?;
        self.emit(here, FlatStatement::Goto { targets: vec![yes, no] })
    }
}
