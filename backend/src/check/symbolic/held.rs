//! A program whose threads know which locks they hold: a local for each lock.

use sapa_ir::boolean::flat::{
    FlatExpr, FlatProgram, FlatStatement, FlatVariable, Initial, LocalVar, LocationId, VariableRef,
};

use crate::check::analysis::locks::LockVariable;

/// A program with a local for each of some locks, behind its own locals, that is 1 while the
/// thread holds the lock. Whatever writes a lock is an assignment to lock and local. A
/// started thread holds nothing, which whoever starts one has to see to.
#[derive(Debug)]
pub(crate) struct Held {
    /// The program.
    pub(crate) program: FlatProgram,
    /// The locks, in the order of their locals.
    locks: Vec<LockVariable>,
    /// How many locals the program has itself.
    own: usize,
    /// By location: the locks that become free there, by their numbers.
    freed: Vec<Vec<u32>>,
}

impl Held {
    /// Adds locals for these locks, to which nothing but constants may be assigned.
    pub(crate) fn new(program: &FlatProgram, locks: &[LockVariable]) -> Held {
        let own = program.locals.len();
        let mut program = program.clone();
        program.locals.extend(locks.iter().map(|lock| FlatVariable {
            name: format!("held#{}", program.shared[lock.variable.index()].name),
            initial: Initial::Zero,
        }));
        let mut freed = vec![Vec::new(); program.locations.len()];
        for (location, freed) in program.locations.iter_mut().zip(&mut freed) {
            let Some(assignment) = location.statement.as_assignment() else { continue };
            let mut held = Vec::new();
            for &(variable, ref value) in &assignment.shared {
                let is_it = |lock: &LockVariable| lock.variable == variable;
                let Some(number) = locks.iter().position(is_it) else { continue };
                let holder = LocalVar((own + number) as u32);
                let free = locks[number].free;
                // As `LockVariable::after`.
                if *value == FlatExpr::Constant(free) {
                    freed.push(number as u32);
                    held.push((holder, FlatExpr::Constant(false)));
                } else {
                    let before = FlatExpr::Variable(VariableRef::Shared(variable));
                    let was_free = if free { before } else { FlatExpr::Not(Box::new(before)) };
                    let holds = FlatExpr::Variable(VariableRef::Local(holder));
                    held.push((holder, FlatExpr::Or(vec![holds, was_free])));
                }
            }
            if let (Some(&next), false) = (location.statement.successors().first(), held.is_empty())
            {
                let mut assignment = assignment.into_owned();
                assignment.local.extend(held);
                location.statement = FlatStatement::Assign { assignment, next };
            }
        }
        Held { program, locks: locks.to_vec(), own, freed }
    }

    /// How many locals the program has without those for locks.
    pub(crate) fn own_locals(&self) -> usize {
        self.own
    }

    /// The locals for locks.
    pub(crate) fn holders(&self) -> std::ops::Range<usize> {
        self.own..self.own + self.locks.len()
    }

    /// The locks, in the order of their locals.
    pub(crate) fn locks(&self) -> &[LockVariable] {
        &self.locks
    }

    /// The locks that become free at a location, each with its local.
    pub(crate) fn freed(
        &self,
        location: LocationId,
    ) -> impl Iterator<Item = (LockVariable, LocalVar)> + '_ {
        let freed = self.freed[location.index()].iter().map(|number| *number as usize);
        freed.map(|number| (self.locks[number], LocalVar((self.own + number) as u32)))
    }

    /// The locks without the one of this local.
    pub(crate) fn without(&self, holder: LocalVar) -> Vec<LockVariable> {
        let number = holder.index() - self.own;
        let kept = self.locks.iter().enumerate().filter(|(at, _)| *at != number);
        kept.map(|(_, lock)| *lock).collect()
    }
}
