//! Calls: a copy of the procedure's body for each, and one for all threads that run it.

use super::assignment::conjunction;
use super::{Allowed, Flattener, Place, Slot};
use crate::boolean::ast::{Expression, Procedure, Target};
use crate::boolean::error::{Error, counted};
use crate::boolean::flat::{
    Assignment, FlatExpr, FlatStatement, LocalVar, LocationId, VariableRef,
};

/// A call, its arguments and targets counted.
pub(super) struct Call<'a> {
    /// The procedure.
    pub(super) index: usize,
    pub(super) targets: &'a [Target],
    pub(super) arguments: &'a [Expression],
    /// Which of the calls within cycles it is, if it is one.
    pub(super) site: Option<usize>,
}

impl<'a> Flattener<'a> {
    pub(super) fn leave(
        &mut self,
        here: Place,
        values: &[Expression],
        exit: LocationId,
    ) -> Result<LocationId, Error> {
        let results = self.results[here.frame].clone();
        if results.len() != values.len() {
            let message =
                format!("{} returned, {} declared", counted(values.len(), "value"), results.len());
            return Err(Error::new(here.position, message));
        }
        if values.is_empty() {
            return self.emit(here, FlatStatement::Skip { next: exit });
        }
        let values = self.all(here, values)?;
        let local = results.into_iter().zip(values).collect();
        let assignment = Assignment { local, ..Assignment::default() };
        self.emit(here, FlatStatement::Assign { assignment, next: exit })
    }

    pub(super) fn all(&self, here: Place, values: &[Expression]) -> Result<Vec<FlatExpr>, Error> {
        values.iter().map(|v| self.expression(here, v, Allowed::Active)).collect()
    }

    pub(super) fn call(
        &mut self,
        here: Place,
        call: &Call<'_>,
        next: LocationId,
        enforced: &[FlatExpr],
    ) -> Result<LocationId, Error> {
        let frame = match self.frame_of(here, call)? {
            Some(frame) => frame,
            None => return self.cut(here),
        };
        let mut after = next;
        if !call.targets.is_empty() {
            let results = self.results[frame].clone();
            let mut assignment = Assignment::default();
            for (target, result) in call.targets.iter().zip(results) {
                let value = FlatExpr::Variable(VariableRef::Local(result));
                self.target(here, &mut assignment, target, value)?;
            }
            assignment.constraint = conjunction(enforced.to_vec());
            after = self.emit(here, FlatStatement::Assign { assignment, next })?;
        }
        if let Some(site) = call.site {
            return self.recursive_call(here, (site, frame), call.arguments, after);
        }
        self.hides_no_joined(here, frame)?;
        let entry = self.instance(frame, after)?;
        self.enter(here, frame, call.arguments, Vec::new(), entry)
    }

    /// A variable that broadcasts mean in all procedures must not exist twice in one thread.
    pub(super) fn hides_no_joined(&self, here: Place, callee: usize) -> Result<(), Error> {
        for name in self.joined.keys() {
            let declares = |frame: &usize| self.scopes[*frame].contains_key(name);
            if declares(&callee)
                && let Some(caller) = self.stack.iter().find(|frame| declares(frame))
            {
                let [caller, callee] =
                    [*caller, callee].map(|frame| &self.procedure_of_frame(frame).name);
                let message = format!(
                    "`{callee}` declares `{name}` as `{caller}` does, from which it is called: \
                     `[{name}]` would mean two variables of one thread"
                );
                return Err(Error::new(here.position, message));
            }
        }
        Ok(())
    }

    /// The procedure that a call means, its arguments and targets counted.
    pub(super) fn callee(
        &self,
        here: Place,
        callee: &str,
        arguments: &[Expression],
        targets: &[Target],
    ) -> Result<usize, Error> {
        let index = self.procedure(callee, here.position)?;
        let parameters = self.program.procedures[index].parameters.len();
        let results = self.results[index].len();
        if arguments.len() != parameters || (!targets.is_empty() && targets.len() != results) {
            let (takes, returns) = (counted(parameters, "argument"), counted(results, "value"));
            let message = format!("`{callee}` takes {takes} and returns {returns}");
            return Err(Error::new(here.position, message));
        }
        Ok(index)
    }

    /// The procedure whose variables a frame has.
    pub(super) fn procedure_of_frame(&self, frame: usize) -> &'a Procedure {
        &self.program.procedures[self.procedure_of[frame]]
    }

    /// Gives the parameters in a frame, and `others`, their values before its `entry`.
    pub(super) fn enter(
        &mut self,
        here: Place,
        frame: usize,
        arguments: &[Expression],
        others: Vec<(LocalVar, FlatExpr)>,
        entry: LocationId,
    ) -> Result<LocationId, Error> {
        let procedure = self.procedure_of_frame(frame);
        let mut assignment = Assignment { local: others, ..Assignment::default() };
        for (name, value) in procedure.parameters.iter().zip(self.all(here, arguments)?) {
            if let Some(Slot::Local(slot)) = self.scopes[frame].get(name.as_str()) {
                assignment.local.push((*slot, value));
            }
        }
        if assignment.local.is_empty() {
            // Keeps the call's own line and labels apart from the body's.
            return self.emit(here, FlatStatement::Skip { next: entry });
        }
        self.emit(here, FlatStatement::Assign { assignment, next: entry })
    }
}
