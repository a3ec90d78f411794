//! The steps of states in which values may be unknown.

use std::collections::BTreeSet;

use sapa_ir::boolean::flat::{
    self, Assignment, FlatExpr, FlatProgram, FlatStatement, FlatVariable, Initial, LocationId,
    VariableRef,
};

use super::State;
use super::value::{Three, Values, merge_all};

/// Most variables that are made known at once: the ways to do so multiply.
const MOST_UNKNOWN: usize = 8;

/// A thread of a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Thread {
    pub(super) location: LocationId,
    /// Whether it is the initial one, which does not count.
    pub(super) is_initial: bool,
    /// Whether it is inside the atomic section.
    pub(super) is_holder: bool,
    pub(super) locals: Values,
}

pub(super) struct Stepper<'p> {
    pub(super) program: &'p FlatProgram,
    pub(super) bound: u32,
}

/// The values that an expression is evaluated with.
#[derive(Clone, Copy)]
struct Scope<'s> {
    shared: &'s [Three],
    local: &'s [Three],
    passive: &'s [Three],
    next_shared: &'s [Three],
    next_local: &'s [Three],
    next_passive: &'s [Three],
}

impl Scope<'_> {
    /// What an expression can be. Two occurrences of an unknown variable count as independent, so that
    /// this may be more than what is possible.
    fn values(&self, expression: &FlatExpr) -> flat::Values {
        expression.possible(&|variable| {
            let value = match variable {
                VariableRef::Shared(v) => self.shared[v.index()],
                VariableRef::Local(v) => self.local[v.index()],
                VariableRef::Passive(v) => self.passive[v.index()],
                VariableRef::NextShared(v) => self.next_shared[v.index()],
                VariableRef::NextLocal(v) => self.next_local[v.index()],
                VariableRef::NextPassive(v) => self.next_passive[v.index()],
            };
            value.possible()
        })
    }
}

/// A variable that the thread that moves sees.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    Shared(usize),
    Local(usize),
}

impl Stepper<'_> {
    pub(super) fn initial(&self) -> State {
        let value = |variable: &FlatVariable| match variable.initial {
            Initial::Zero => Three::No,
            Initial::One => Three::Yes,
            Initial::Nondet => Three::Unknown,
        };
        let locals = self.program.locals.iter().map(value).collect();
        let thread =
            Thread { location: self.program.entry, is_initial: true, is_holder: false, locals };
        State { shared: self.program.shared.iter().map(value).collect(), threads: vec![thread] }
    }

    /// A part of the state in which the thread fails, if it may.
    pub(super) fn failing(&self, state: &State, index: usize) -> Option<State> {
        let FlatStatement::Assert { condition, .. } =
            self.program.statement(state.threads[index].location)
        else {
            return None;
        };
        let parts = known(state, index, &read(condition));
        parts.into_iter().find(|part| scope(part, part, index, index).values(condition).zero)
    }

    /// The states after the next step of a thread.
    pub(super) fn successors(&self, state: &State, index: usize) -> Vec<State> {
        let moved = |mut state: State, to: LocationId| {
            state.threads[index].location = to;
            state
        };
        let mut found = match self.program.statement(state.threads[index].location) {
            FlatStatement::Skip { next } | FlatStatement::Assert { next, .. } => {
                vec![moved(state.clone(), *next)]
            }
            FlatStatement::Goto { targets } => {
                targets.iter().map(|target| moved(state.clone(), *target)).collect()
            }
            FlatStatement::Assume { condition, next } => {
                let mut parts = known(state, index, &read(condition));
                parts.retain(|part| scope(part, part, index, index).values(condition).one);
                merge(parts).into_iter().map(|part| moved(part, *next)).collect()
            }
            FlatStatement::Assign { assignment, next } => {
                let after = assign(assignment, state, index);
                merge(after).into_iter().map(|after| moved(after, *next)).collect()
            }
            FlatStatement::StartThread { entry, next, waits } => {
                let started = state.threads.iter().filter(|thread| !thread.is_initial).count();
                let mut after = moved(state.clone(), *next);
                if started < self.bound as usize {
                    let locals = state.threads[index].locals.clone();
                    let (is_initial, is_holder) = (false, false);
                    after.threads.push(Thread { location: *entry, is_initial, is_holder, locals });
                    vec![after]
                } else if *waits {
                    Vec::new()
                } else {
                    vec![after]
                }
            }
            FlatStatement::EndThread => {
                let mut after = state.clone();
                after.threads.remove(index);
                vec![after]
            }
            FlatStatement::AtomicBegin { next } | FlatStatement::AtomicEnd { next } => {
                let begins = matches!(
                    self.program.statement(state.threads[index].location),
                    FlatStatement::AtomicBegin { .. }
                );
                let mut after = moved(state.clone(), *next);
                after.threads[index].is_holder = begins;
                vec![after]
            }
            FlatStatement::Lock { variable, next } => {
                let mut after = moved(state.clone(), *next);
                let lock = &mut after.shared[variable.index()];
                let is_free = lock.can_be(false);
                *lock = Three::Yes;
                if is_free { vec![after] } else { Vec::new() }
            }
            FlatStatement::Unlock { variable, next } => {
                let mut after = moved(state.clone(), *next);
                after.shared[variable.index()] = Three::No;
                vec![after]
            }
        };
        found.iter_mut().for_each(|state| state.threads.sort_unstable());
        found.retain(|state| self.may_be(state));
        found
    }

    /// Whether invariants do not forbid all that a state stands for.
    pub(super) fn may_be(&self, state: &State) -> bool {
        let threads = 0..state.threads.len();
        let allow = |condition: &FlatExpr, one, other| {
            scope(state, state, one, other).values(condition).one
        };
        self.program.invariants.iter().all(|invariant| {
            let condition = &invariant.condition;
            if condition.mentions_passive() {
                let others = |one| threads.clone().filter(move |other| *other != one);
                threads.clone().all(|one| others(one).all(|other| allow(condition, one, other)))
            } else {
                threads.clone().all(|one| allow(condition, one, one))
            }
        })
    }
}

/// The values before and after a step of a thread, for expressions without those of another one, which
/// `passive` is otherwise.
fn scope<'s>(before: &'s State, after: &'s State, index: usize, passive: usize) -> Scope<'s> {
    Scope {
        shared: &before.shared,
        local: &before.threads[index].locals,
        passive: &before.threads[passive].locals,
        next_shared: &after.shared,
        next_local: &after.threads[index].locals,
        next_passive: &after.threads[passive].locals,
    }
}

/// The variables of the state before the step that an expression reads.
fn read(expression: &FlatExpr) -> BTreeSet<Seen> {
    let mut found = BTreeSet::new();
    expression.for_each_variable(&mut |variable| match variable {
        VariableRef::Shared(v) => drop(found.insert(Seen::Shared(v.index()))),
        VariableRef::Local(v) => drop(found.insert(Seen::Local(v.index()))),
        _ => {}
    });
    found
}

/// Those of the state after it.
fn read_after(expression: &FlatExpr) -> BTreeSet<Seen> {
    let mut found = BTreeSet::new();
    expression.for_each_variable(&mut |variable| match variable {
        VariableRef::NextShared(v) => drop(found.insert(Seen::Shared(v.index()))),
        VariableRef::NextLocal(v) => drop(found.insert(Seen::Local(v.index()))),
        _ => {}
    });
    found
}

fn value(state: &mut State, index: usize, seen: Seen) -> &mut Three {
    match seen {
        Seen::Shared(at) => &mut state.shared[at],
        Seen::Local(at) => &mut state.threads[index].locals[at],
    }
}

/// Partial concretisation: the state in parts, in each of which the first few of these variables are known.
fn known(state: &State, index: usize, variables: &BTreeSet<Seen>) -> Vec<State> {
    let mut parts = vec![state.clone()];
    let is_unknown = |seen: &&Seen| match **seen {
        Seen::Shared(at) => state.shared[at] == Three::Unknown,
        Seen::Local(at) => state.threads[index].locals[at] == Three::Unknown,
    };
    for seen in variables.iter().filter(is_unknown).take(MOST_UNKNOWN) {
        let mut next = Vec::with_capacity(parts.len() * 2);
        for part in parts {
            for three in [Three::No, Three::Yes] {
                let mut part = part.clone();
                *value(&mut part, index, *seen) = three;
                next.push(part);
            }
        }
        parts = next;
    }
    parts
}

/// The same states in fewer parts; their threads are in the same places.
fn merge(parts: Vec<State>) -> Vec<State> {
    let Some(first) = parts.first() else { return parts };
    let control = first.control();
    let (shared, locals) =
        (first.shared.len(), first.threads.first().map_or(0, |t| t.locals.len()));
    let merged = merge_all(parts.iter().map(State::values).collect());
    merged.iter().map(|values| State::new(&control, values, shared, locals)).collect()
}

/// The states after an assignment, all threads where they were.
fn assign(assignment: &Assignment, state: &State, index: usize) -> Vec<State> {
    let expressions = assignment.shared.iter().map(|(_, value)| value);
    let expressions = expressions.chain(assignment.local.iter().map(|(_, value)| value));
    let variables: BTreeSet<Seen> =
        assignment.constraint.iter().chain(expressions).flat_map(read).collect();
    let mut found = Vec::new();
    for before in known(state, index, &variables) {
        let now = scope(&before, &before, index, index);
        let mut after = before.clone();
        for (target, value) in &assignment.shared {
            after.shared[target.index()] = now.values(value).into();
        }
        for (target, value) in &assignment.local {
            after.threads[index].locals[target.index()] = now.values(value).into();
        }
        let Some(constraint) = &assignment.constraint else {
            found.extend(tell_others(assignment, &before, after, index));
            continue;
        };
        let allowed = known(&after, index, &read_after(constraint))
            .into_iter()
            .filter(|after| scope(&before, after, index, index).values(constraint).one);
        for after in allowed {
            found.extend(tell_others(assignment, &before, after, index));
        }
    }
    found
}

/// The broadcasts of an assignment; `None` if another thread forbids it for certain.
fn tell_others(
    assignment: &Assignment,
    before: &State,
    mut after: State,
    index: usize,
) -> Option<State> {
    if !assignment.involves_passive() {
        return Some(after);
    }
    for passive in (0..before.threads.len()).filter(|&passive| passive != index) {
        let now = scope(before, before, index, passive);
        let new: Vec<Three> =
            assignment.broadcast.iter().map(|(_, value)| now.values(value).into()).collect();
        for ((target, _), value) in assignment.broadcast.iter().zip(new) {
            after.threads[passive].locals[target.index()] = value;
        }
        if let Some(constraint) = &assignment.passive_constraint
            && !scope(before, &after, index, passive).values(constraint).one
        {
            return None;
        }
    }
    Some(after)
}
