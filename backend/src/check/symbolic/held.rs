//! A program whose threads know which locks they hold: a local for each lock.

use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, FlatVariable, Initial, LocalVar, LocationId,
    SharedVar, VariableRef,
};

/// A program with a local for each of some locks, behind its own locals, that is 1 while the
/// thread holds the lock. `lock` and `unlock` of these are assignments to lock and local. A
/// started thread holds nothing, which whoever starts one has to see to.
#[derive(Debug)]
pub(crate) struct Held {
    /// The program.
    pub(crate) program: FlatProgram,
    /// The locks, in the order of their locals.
    locks: Vec<SharedVar>,
    /// How many locals the program has itself.
    own: usize,
    /// By location of an `unlock` of one of the locks: its number.
    unlocks: Vec<Option<u32>>,
}

impl Held {
    /// Adds locals for these locks, which nothing but `lock` and `unlock` may write.
    pub(crate) fn new(program: &FlatProgram, locks: &[SharedVar]) -> Held {
        let own = program.locals.len();
        let mut program = program.clone();
        program.locals.extend(locks.iter().map(|lock| FlatVariable {
            name: format!("held#{}", program.shared[lock.index()].name),
            initial: Initial::Zero,
        }));
        let mut unlocks = vec![None; program.locations.len()];
        for (at, location) in program.locations.iter_mut().enumerate() {
            let (lock, next, takes) = match location.statement {
                FlatStatement::Lock { variable, next } => (variable, next, true),
                FlatStatement::Unlock { variable, next } => (variable, next, false),
                _ => continue,
            };
            let Some(number) = locks.iter().position(|other| *other == lock) else { continue };
            unlocks[at] = Some(number as u32).filter(|_| !takes);
            let free = FlatExpr::Variable(VariableRef::Shared(lock));
            let assignment = Assignment {
                shared: vec![(lock, FlatExpr::Constant(takes))],
                local: vec![(LocalVar((own + number) as u32), FlatExpr::Constant(takes))],
                constraint: takes.then(|| FlatExpr::Not(Box::new(free))),
                ..Assignment::default()
            };
            location.statement = FlatStatement::Assign { assignment, next };
        }
        Held { program, locks: locks.to_vec(), own, unlocks }
    }

    /// How many locals the program has without those for locks.
    pub(crate) fn own_locals(&self) -> usize {
        self.own
    }

    /// The locals for locks.
    pub(crate) fn holders(&self) -> std::ops::Range<usize> {
        self.own..self.own + self.locks.len()
    }

    /// The lock's local that an `unlock` at this location sets to 0.
    pub(crate) fn unlocks(&self, location: LocationId) -> Option<usize> {
        self.unlocks[location.index()].map(|number| self.own + number as usize)
    }

    /// The locks without the one of this local.
    pub(crate) fn without(&self, holder: usize) -> Vec<SharedVar> {
        let number = holder - self.own;
        let kept = self.locks.iter().enumerate().filter(|(at, _)| *at != number);
        kept.map(|(_, lock)| *lock).collect()
    }
}
