//! The invariants of a program, as engines ask them: of one thread, and of two.

use sapa_ir::boolean::flat::{FlatExpr, FlatProgram, VariableRef};
use sapa_ir::boolean::trace::TraceState;

/// What cuts states off.
#[derive(Clone, Debug, Default)]
pub(crate) struct Invariants<'p> {
    /// Of every thread.
    pub(crate) alone: Vec<&'p FlatExpr>,
    /// Of every two threads, in either order.
    pub(crate) between: Vec<&'p FlatExpr>,
}

impl<'p> Invariants<'p> {
    pub(crate) fn new(program: &'p FlatProgram) -> Self {
        let all = program.invariants.iter().map(|invariant| &invariant.condition);
        let (between, alone) = all.partition(|condition| condition.mentions_passive());
        Self { alone, between }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.alone.is_empty() && self.between.is_empty()
    }

    /// Whether a thread may be there.
    pub(crate) fn allow(&self, value: &impl Fn(VariableRef) -> bool) -> bool {
        self.alone.iter().all(|condition| condition.values(value).one)
    }

    /// Whether two threads may be there together, as far as the first is the active one.
    fn relate(&self, value: &impl Fn(VariableRef) -> bool) -> bool {
        self.between.iter().all(|condition| condition.values(value).one)
    }

    /// Whether two threads may be there together; `value` has the shared variables, and the locals of
    /// either thread.
    pub(crate) fn allow_both(
        &self,
        shared: impl Fn(usize) -> bool,
        one: impl Fn(usize) -> bool,
        other: impl Fn(usize) -> bool,
    ) -> bool {
        self.relate(&|variable| value(variable, &shared, &one, &other))
            && self.relate(&|variable| value(variable, &shared, &other, &one))
    }

    /// Whether a state is one, by the plain semantics.
    pub(crate) fn allow_state(&self, state: &TraceState) -> bool {
        let shared = |v: usize| state.shared.get(v);
        state.threads.iter().enumerate().all(|(at, thread)| {
            let own = |v: usize| thread.locals.get(v);
            self.allow(&|variable| value(variable, &shared, &own, &own))
                && state.threads[at + 1..]
                    .iter()
                    .all(|other| self.allow_both(shared, own, |v| other.locals.get(v)))
        })
    }
}

/// The value of a variable of an invariant.
pub(crate) fn value(
    variable: VariableRef,
    shared: &impl Fn(usize) -> bool,
    active: &impl Fn(usize) -> bool,
    passive: &impl Fn(usize) -> bool,
) -> bool {
    match variable {
        VariableRef::Shared(v) | VariableRef::NextShared(v) => shared(v.index()),
        VariableRef::Local(v) | VariableRef::NextLocal(v) => active(v.index()),
        VariableRef::Passive(v) | VariableRef::NextPassive(v) => passive(v.index()),
    }
}
