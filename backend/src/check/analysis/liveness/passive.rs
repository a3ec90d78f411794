//! What assignments read of threads that do not act, and what constraints read of all.

use sapa_ir::boolean::flat::{
    Assignment, FlatProgram, FlatStatement, LocalVar, LocationId, VariableRef,
};

use super::{Set, contains, insert, not_in, remove, unite};

/// How the broadcasts of a program use the locals of passive threads.
pub(super) struct Passive {
    /// What constraints and invariants read.
    pub(super) everywhere: Set,
    /// For each local, the others that broadcasts compute it from.
    sources: Vec<Vec<LocalVar>>,
    /// For each local, the locations of the broadcasts to it.
    pub(super) writers: Vec<Vec<u32>>,
}

impl Passive {
    pub(super) fn new(program: &FlatProgram, width: usize) -> Passive {
        let count = program.locals.len();
        let mut this = Passive {
            everywhere: vec![0; width],
            sources: vec![Vec::new(); count],
            writers: vec![Vec::new(); count],
        };
        for (at, location) in program.iter() {
            if let FlatStatement::Assign { assignment, .. } = &location.statement
                && assignment.involves_passive()
            {
                this.add(at, assignment);
            }
        }
        for invariant in &program.invariants {
            invariant.condition.for_each_variable(&mut |variable| match variable {
                VariableRef::Local(v) | VariableRef::Passive(v) => insert(&mut this.everywhere, v),
                _ => {}
            });
        }
        for sources in &mut this.sources {
            sources.sort_unstable();
            sources.dedup();
        }
        this.close();
        this
    }

    /// Adds to a set what broadcasts compute its members from, given that `closed`, a part of it,
    /// needs no more.
    pub(super) fn close_over(&self, set: &mut [u64], closed: &[u64]) {
        let mut work = not_in(set, closed);
        while let Some(variable) = work.pop() {
            for &source in &self.sources[variable.index()] {
                if !contains(set, source) {
                    insert(set, source);
                    work.push(source);
                }
            }
        }
    }

    /// What flows into what is read everywhere is read everywhere.
    fn close(&mut self) {
        let mut everywhere = std::mem::take(&mut self.everywhere);
        let nothing = vec![0; everywhere.len()];
        self.close_over(&mut everywhere, &nothing);
        self.everywhere = everywhere;
    }

    fn add(&mut self, at: LocationId, assignment: &Assignment) {
        let constrained = Constrained::new(self.everywhere.len(), assignment);
        for (variable, value) in &assignment.broadcast {
            self.writers[variable.index()].push(at.0);
            let tested = constrained.as_ref().is_some_and(|c| contains(&c.next_passive, *variable));
            value.for_each_variable(&mut |read| {
                let VariableRef::Passive(source) = read else { return };
                if tested {
                    insert(&mut self.everywhere, source);
                } else {
                    self.sources[variable.index()].push(source);
                }
            });
        }
        if let Some(constrained) = constrained {
            // The next value of an unassigned variable is its present one.
            let mut kept = constrained.next_passive;
            assignment.broadcast.iter().for_each(|(variable, _)| remove(&mut kept, *variable));
            unite(&mut self.everywhere, &constrained.passive);
            unite(&mut self.everywhere, &kept);
        }
    }
}

/// The locals that the constraints of an assignment mention.
pub(super) struct Constrained {
    pub(super) before: Set,
    pub(super) next: Set,
    pub(super) passive: Set,
    pub(super) next_passive: Set,
}

impl Constrained {
    /// `None` if there are no constraints.
    pub(super) fn new(width: usize, assignment: &Assignment) -> Option<Self> {
        if assignment.constraint.is_none() && assignment.passive_constraint.is_none() {
            return None;
        }
        let mut this = Constrained {
            before: vec![0; width],
            next: vec![0; width],
            passive: vec![0; width],
            next_passive: vec![0; width],
        };
        let constraints = assignment.constraint.iter().chain(&assignment.passive_constraint);
        for constraint in constraints {
            constraint.for_each_variable(&mut |variable| match variable {
                VariableRef::Local(v) => insert(&mut this.before, v),
                VariableRef::NextLocal(v) => insert(&mut this.next, v),
                VariableRef::Passive(v) => insert(&mut this.passive, v),
                VariableRef::NextPassive(v) => insert(&mut this.next_passive, v),
                VariableRef::Shared(_) | VariableRef::NextShared(_) => {}
            });
        }
        Some(this)
    }
}
