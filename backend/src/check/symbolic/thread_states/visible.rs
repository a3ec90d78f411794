//! Partial-order reduction for thread states (after BOPPO section 4.2): what others change is not
//! told to a thread whose next statement neither sees nor disturbs any change.
//!
//! Such a statement neither reads nor writes a shared variable, nor a local that broadcasts read or
//! write in other threads, nor does it begin an atomic section, within which nothing is told. It
//! leads to the same state before a change as behind it. So the changes wait, all of them and in
//! their order, until the thread stands at another statement, where it is told of each: the others
//! are there to make them at any later time, as thread states are never taken back. Whoever makes
//! a change writes, and is told of everything.
//!
//! The paper's rule tells more threads less: where a statement reads shared variables and writes none,
//! a change of others of them waits as well. That loses states, as changes can depend on each other:
//! where one thread writes `x := 1` behind `assume(y)`, and another `y := 1`, a thread at
//! `assert(!x)` is told of the change of `x` only in states in which it knows that `y` is 1.

use fixedbitset::FixedBitSet;
use sapa_ir::boolean::flat::{FlatProgram, FlatStatement, LocalVar, VariableRef};

/// The locations at which a thread is told of changes, by index.
pub(super) fn told_at(program: &FlatProgram) -> FixedBitSet {
    let others = passive_locals(program);
    let told = program.iter().filter(|(_, at)| touches(&at.statement, &others));
    told.map(|(location, _)| location.index()).collect()
}

/// The locals that a step of one thread may read or write in another.
fn passive_locals(program: &FlatProgram) -> FixedBitSet {
    let mut passive = FixedBitSet::with_capacity(program.locals.len());
    for (_, location) in program.iter() {
        let Some(assignment) = location.statement.as_assignment() else { continue };
        for (target, value) in &assignment.broadcast {
            passive.insert(target.index());
            value.for_each_variable(&mut |v| passive.extend(local_of(v)));
        }
        if let Some(constraint) = &assignment.passive_constraint {
            constraint.for_each_variable(&mut |v| passive.extend(local_of(v)));
        }
    }
    passive
}

fn local_of(variable: VariableRef) -> Option<usize> {
    match variable {
        VariableRef::Local(v)
        | VariableRef::NextLocal(v)
        | VariableRef::Passive(v)
        | VariableRef::NextPassive(v) => Some(v.index()),
        VariableRef::Shared(_) | VariableRef::NextShared(_) => None,
    }
}

/// Whether a statement reads or writes what others can, or begins an atomic section.
fn touches(statement: &FlatStatement, passive: &FixedBitSet) -> bool {
    let is_open = |v| local_of(v).is_none_or(|local| passive.contains(local));
    let mut reads_open = false;
    let mut note = |v| reads_open |= is_open(v);
    match statement {
        FlatStatement::AtomicBegin { .. } => return true,
        FlatStatement::Assert { condition, .. } => condition.for_each_variable(&mut note),
        _ => {
            let Some(assignment) = statement.as_assignment() else { return false };
            let writes_open = |(v, _): &(LocalVar, _)| is_open(VariableRef::Local(*v));
            if !assignment.shared.is_empty()
                || assignment.involves_passive()
                || assignment.local.iter().any(writes_open)
            {
                return true;
            }
            let values = assignment.local.iter().map(|(_, value)| value);
            values.chain(&assignment.constraint).for_each(|e| e.for_each_variable(&mut note));
        }
    }
    reads_open
}
