//! Which shared variables may be locks: a thread that finds one free and sets it holds it, and no two do.
//!
//! A lock need not be written by `lock` and `unlock`. Whoever sets a variable from `free` to the other value holds
//! it from then on; whoever sets it back, or dies with it, holds it no more. As long as nobody else sets it back,
//! which whoever relies on it has to check, it is free exactly if nobody holds it, but for one whose
//! holder has died, so that the sets of locks that two threads hold are disjoint (BOPPO section 2.3). So the mutex of a C
//! program is one, where a predicate says whether it is free, and so is what is claimed once and never given back.

use fixedbitset::FixedBitSet;
use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, Initial, LocationId, SharedVar, VariableRef,
};

/// A shared variable that threads hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct LockVariable {
    pub(crate) variable: SharedVar,
    /// Its value while nobody holds it.
    pub(crate) free: bool,
}

/// What a step makes of a lock in a thread's hands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Holding {
    /// The thread holds it afterwards.
    Held,
    /// It does not.
    NotHeld,
    /// It was given back by a thread that does not hold it.
    Foreign,
}

impl LockVariable {
    /// What a step of a thread that holds it, or does not, does to it: the variable's values before and
    /// after the step.
    pub(crate) fn after(self, holds: bool, before: bool, after: bool) -> Holding {
        let was_free = before == self.free;
        match after == self.free {
            true if holds || was_free => Holding::NotHeld,
            true => Holding::Foreign,
            false if holds || was_free => Holding::Held,
            false => Holding::NotHeld,
        }
    }
}

/// How a variable is written.
#[derive(Clone, Copy, Default)]
struct Writes {
    /// With something that is no constant.
    otherwise: bool,
    /// By value: with that constant, where a condition has read the variable before in the same step or section.
    tested: [bool; 2],
}

/// The shared variables that are set to constants only, and taken where they were looked at in the same step:
/// those that are worth following, in rising order.
pub(crate) fn lock_candidates(program: &FlatProgram) -> Vec<LockVariable> {
    let sections = Sections::new(program);
    let mut writes = vec![Writes::default(); program.shared.len()];
    for (at, location) in program.iter() {
        let Some(assignment) = location.statement.as_assignment() else { continue };
        for &(variable, ref value) in &assignment.shared {
            let writes = &mut writes[variable.index()];
            match value {
                FlatExpr::Constant(value) => {
                    writes.tested[usize::from(*value)] |=
                        reads(&assignment, variable) || sections.has_read(at, variable);
                }
                _ => writes.otherwise = true,
            }
        }
    }
    let lock = |(at, writes): (usize, Writes)| {
        let free = match writes.tested {
            _ if writes.otherwise => None,
            [false, false] => None,
            [false, true] => Some(false),
            [true, false] => Some(true),
            [true, true] => Some(program.shared[at].initial == Initial::One),
        };
        free.map(|free| LockVariable { variable: SharedVar(at as u32), free })
    };
    writes.into_iter().enumerate().filter_map(lock).collect()
}

/// Whether an assignment depends on a shared variable.
fn reads(assignment: &Assignment, variable: SharedVar) -> bool {
    let mut found = false;
    let mut look = |value: &FlatExpr| {
        value.for_each_variable(&mut |read| found |= read == VariableRef::Shared(variable));
    };
    assignment.shared.iter().for_each(|(_, value)| look(value));
    assignment.local.iter().chain(&assignment.broadcast).for_each(|(_, value)| look(value));
    assignment.constraint.iter().chain(&assignment.passive_constraint).for_each(look);
    found
}

/// The atomic sections of a program.
struct Sections<'a> {
    program: &'a FlatProgram,
    /// Locations within one.
    inside: FixedBitSet,
    /// By location: those that lead there.
    predecessors: Vec<Vec<LocationId>>,
}

impl<'a> Sections<'a> {
    fn new(program: &'a FlatProgram) -> Self {
        let mut predecessors = vec![Vec::new(); program.locations.len()];
        let mut inside = FixedBitSet::with_capacity(program.locations.len());
        let mut pending = Vec::new();
        for (at, location) in program.iter() {
            for next in location.statement.successors() {
                predecessors[next.index()].push(at);
            }
            if let FlatStatement::AtomicBegin { next } = location.statement {
                pending.push(next);
            }
        }
        while let Some(at) = pending.pop() {
            let ends = matches!(program.statement(at), FlatStatement::AtomicEnd { .. });
            if !inside.put(at.index()) && !ends {
                pending.extend(program.statement(at).successors());
            }
        }
        Self { program, inside, predecessors }
    }

    /// Whether a condition reads a variable before a location in its section.
    fn has_read(&self, at: LocationId, variable: SharedVar) -> bool {
        let mut seen = FixedBitSet::with_capacity(self.predecessors.len());
        let mut pending = vec![at];
        while let Some(at) = pending.pop() {
            for &from in &self.predecessors[at.index()] {
                if !self.inside.contains(from.index()) || seen.put(from.index()) {
                    continue;
                }
                let statement = self.program.statement(from);
                if statement.as_assignment().is_some_and(|step| reads(&step, variable)) {
                    return true;
                }
                pending.push(from);
            }
        }
        false
    }
}
