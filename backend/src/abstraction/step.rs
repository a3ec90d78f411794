//! What a step does to predicates: the abstraction's own language, of which the statements of the
//! Boolean program are made (`program`), and which refinement reads as it is.

use super::vocabulary::PredicateId;

/// Whose predicate, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Of {
    /// Shared, or of the thread that takes the step; before it.
    Active,
    /// The same after the step.
    Next,
    /// Of each other thread in turn, before the step.
    Passive,
    /// Of the thread in this slot, where the program is expanded over its threads; before the step.
    Slot(u32),
}

/// A predicate as a step reads or writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// Which predicate.
    pub predicate: PredicateId,
    /// Whose.
    pub of: Of,
}

impl Variable {
    /// A shared predicate, or one of the thread that takes the step.
    #[must_use]
    pub fn active(predicate: PredicateId) -> Self {
        Variable { predicate, of: Of::Active }
    }

    /// A predicate of the other threads.
    #[must_use]
    pub fn passive(predicate: PredicateId) -> Self {
        Variable { predicate, of: Of::Passive }
    }
}

/// A conjunction of predicates with signs. The empty one is true.
pub type Cube = Vec<(Variable, bool)>;

/// A new value of a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Known.
    Constant(bool),
    /// That of a predicate, or its negation.
    Literal(Variable, bool),
    /// `choose`: 1 where one of the first cubes holds, else 0 where one of the second does, else
    /// either (SAPA section 2.2).
    Choose(Vec<Cube>, Vec<Cube>),
}

impl Value {
    /// 1 where one of the cubes holds, else 0.
    #[must_use]
    pub fn known(holds: Vec<Cube>) -> Self {
        match holds.as_slice() {
            [] => Value::Constant(false),
            cubes if cubes.iter().any(Vec::is_empty) => Value::Constant(true),
            [cube] if cube.len() == 1 => Value::Literal(cube[0].0, cube[0].1),
            _ => Value::Choose(holds, vec![Vec::new()]),
        }
    }

    /// `choose(F(wp), F(¬wp))`, simplified where one is the negation of the other.
    #[must_use]
    pub fn new(holds: Vec<Cube>, fails: Vec<Cube>) -> Self {
        match (holds.as_slice(), fails.as_slice()) {
            _ if holds.iter().any(Vec::is_empty) => Value::Constant(true),
            _ if fails.iter().any(Vec::is_empty) => Value::Constant(false),
            ([positive], [negative]) => match (positive.as_slice(), negative.as_slice()) {
                (&[(variable, sign)], &[(other, negated)])
                    if variable == other && sign != negated =>
                {
                    Value::Literal(variable, sign)
                }
                _ => Value::Choose(holds, fails),
            },
            _ => Value::Choose(holds, fails),
        }
    }
}

/// A step over predicates: a parallel assignment under constraints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AbstractStep {
    /// The states before and after the step satisfy none of these.
    pub never: Vec<Cube>,
    /// New values of shared predicates and those of the thread that takes the step, and broadcasts.
    pub assignments: Vec<(Variable, Value)>,
}

impl AbstractStep {
    /// All cubes that the step reads.
    pub(super) fn cubes(&self) -> impl Iterator<Item = &Cube> {
        let values = self.assignments.iter().filter_map(|(_, value)| match value {
            Value::Choose(holds, fails) => Some(holds.iter().chain(fails)),
            Value::Constant(_) | Value::Literal(..) => None,
        });
        self.never.iter().chain(values.flatten())
    }

    /// The new value of a predicate of the thread that takes the step, or of a shared one.
    pub(super) fn assigned(&self, predicate: PredicateId) -> Option<&Value> {
        let target = Variable::active(predicate);
        self.assignments.iter().find(|(assigned, _)| *assigned == target).map(|(_, value)| value)
    }

    /// The predicate as it is after the step.
    pub(super) fn after(&self, predicate: PredicateId) -> Variable {
        let of = if self.assigned(predicate).is_some() { Of::Next } else { Of::Active };
        Variable { predicate, of }
    }

    /// Adds that the state after the step is consistent, as far as its free choices matter: the
    /// Cartesian abstraction chooses values independently, and would invent states that satisfy
    /// `contradictions`. These are of the active thread and shared predicates only, so that the
    /// step never depends on how many threads there are.
    pub(super) fn keep_consistent(&mut self, contradictions: &[Cube]) {
        let is_free = |&(variable, _): &(Variable, bool)| {
            matches!(self.assigned(variable.predicate), Some(Value::Choose(..)))
        };
        let matter = contradictions.iter().filter(|cube| cube.iter().any(is_free));
        let after = |cube: &Cube| {
            cube.iter().map(|&(variable, sign)| (self.after(variable.predicate), sign)).collect()
        };
        let never: Vec<Cube> = matter.map(after).collect();
        self.never.extend(never);
    }
}
