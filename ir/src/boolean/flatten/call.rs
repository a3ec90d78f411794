//! Calls: a copy of the procedure's body for each, and one for all threads that run it.

use super::assignment::conjunction;
use super::{Allowed, Flattener, Place, Slot};
use crate::boolean::ast::{Expression, Target};
use crate::boolean::error::{Error, counted};
use crate::boolean::flat::{Assignment, FlatExpr, FlatStatement, LocationId, VariableRef};

impl Flattener<'_> {
    pub(super) fn leave(
        &mut self,
        here: Place,
        values: &[Expression],
        exit: LocationId,
    ) -> Result<LocationId, Error> {
        let results = self.results[here.procedure].clone();
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
        targets: &[Target],
        callee: &str,
        arguments: &[Expression],
        next: LocationId,
        enforced: &[FlatExpr],
    ) -> Result<LocationId, Error> {
        let index = self.callee(here, callee, arguments, targets)?;
        let results = self.results[index].clone();
        let mut after = next;
        if !targets.is_empty() {
            let mut assignment = Assignment::default();
            for (target, result) in targets.iter().zip(results) {
                let value = FlatExpr::Variable(VariableRef::Local(result));
                self.target(here, &mut assignment, target, value)?;
            }
            assignment.constraint = conjunction(enforced.to_vec());
            after = self.emit(here, FlatStatement::Assign { assignment, next })?;
        }
        self.hides_no_joined(here, index)?;
        let entry = self.instance(index, after)?;
        self.enter(here, index, arguments, entry)
    }

    /// A variable that broadcasts mean in all procedures must not exist twice in one thread.
    pub(super) fn hides_no_joined(&self, here: Place, callee: usize) -> Result<(), Error> {
        for name in self.joined.keys() {
            let declares = |procedure: &usize| self.scopes[*procedure].contains_key(name);
            if declares(&callee)
                && let Some(caller) = self.stack.iter().find(|procedure| declares(procedure))
            {
                let [caller, callee] =
                    [*caller, callee].map(|index| &self.program.procedures[index].name);
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

    /// Gives the parameters of a procedure their values before its `entry`.
    pub(super) fn enter(
        &mut self,
        here: Place,
        index: usize,
        arguments: &[Expression],
        entry: LocationId,
    ) -> Result<LocationId, Error> {
        let procedure = &self.program.procedures[index];
        let mut assignment = Assignment::default();
        for (name, value) in procedure.parameters.iter().zip(self.all(here, arguments)?) {
            if let Some(Slot::Local(slot)) = self.scopes[index].get(name.as_str()) {
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
