//! Flat Boolean programs: what the engines of the model checker work on.
//!
//! All calls are inlined and all structured statements lowered: a program is a table of shared
//! variables, a table of thread-local variables (locals, parameters and return values of all
//! procedures), and a table of locations with one [`FlatStatement`] each. There is one template:
//! the initial thread starts at [`FlatProgram::entry`], further threads where a
//! [`FlatStatement::StartThread`] says.
//!
//! # Semantics
//! A state is a valuation of the shared variables, a multiset of threads (each a location and a
//! valuation of the local variables) and, inside an atomic section, the thread that is in it.
//! A step picks a thread (the holder of the atomic section if there is one) and executes the
//! statement at its location; see the statements. Every evaluation of a nondeterministic
//! expression makes fresh, independent choices. A thread at a statement that cannot execute is
//! blocked; a blocked thread inside an atomic section blocks the whole program.
//! States in which a thread, or two threads, break an invariant are none: no run begins in one, and a step
//! into one is not taken.

use std::borrow::Cow;

use super::ast::{OriginId, Position};

/// Index of a shared variable in [`FlatProgram::shared`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SharedVar(pub u32);

/// Index of a thread-local variable in [`FlatProgram::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalVar(pub u32);

/// Index of a location in [`FlatProgram::locations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationId(pub u32);

/// Index of a procedure's name in [`FlatProgram::procedures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcedureId(pub u32);

impl SharedVar {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
impl LocalVar {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
impl LocationId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
impl ProcedureId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a variable may hold at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Initial {
    /// 0.
    Zero,
    /// 1.
    One,
    /// A free choice: 0 or 1.
    Nondet,
}

/// A variable of a flat program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatVariable {
    /// Its name; locals of procedures are `procedure::name`, unique in their table.
    pub name: String,
    /// Its value when the program starts (for a local: in the initial thread; started threads
    /// copy their parent's).
    pub initial: Initial,
}

/// A variable occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VariableRef {
    /// Shared, before the step.
    Shared(SharedVar),
    /// The active thread's, before the step.
    Local(LocalVar),
    /// The passive thread's, before the step.
    Passive(LocalVar),
    /// Shared, after the step.
    NextShared(SharedVar),
    /// The active thread's, after the step.
    NextLocal(LocalVar),
    /// The passive thread's, after the step.
    NextPassive(LocalVar),
}

/// An expression over variable occurrences.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FlatExpr {
    /// A constant.
    Constant(bool),
    /// A variable.
    Variable(VariableRef),
    /// Either value, chosen afresh.
    Nondet,
    /// 1 if the first can be chosen 1; else 0 if the second is 1; else free.
    Choose(Box<FlatExpr>, Box<FlatExpr>),
    /// Negation.
    Not(Box<FlatExpr>),
    /// Conjunction (of any number of operands).
    And(Vec<FlatExpr>),
    /// Disjunction (of any number of operands).
    Or(Vec<FlatExpr>),
    /// Parity (of any number of operands).
    Xor(Vec<FlatExpr>),
    /// Equality.
    Equal(Box<FlatExpr>, Box<FlatExpr>),
    /// Implication.
    Implies(Box<FlatExpr>, Box<FlatExpr>),
    /// If-then-else.
    Conditional(Box<FlatExpr>, Box<FlatExpr>, Box<FlatExpr>),
}

/// A simultaneous assignment with broadcasts; unassigned variables keep their values.
///
/// All right-hand sides read the state before the step. `constraint` mentions no passive variable
/// and filters the pairs (before, after) of shared variables and the active thread's locals.
/// Each conjunct of `passive_constraint` mentions a passive variable; the conjunction is evaluated
/// once per passive thread and must hold for every one of them, each with that thread's own,
/// independent choice of new values. A constraint holds if its nondeterministic parts can be
/// chosen so. If no state after satisfies the constraints, the thread blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Assignment {
    /// New values of shared variables; distinct targets.
    pub shared: Vec<(SharedVar, FlatExpr)>,
    /// New values of the active thread's locals; distinct targets.
    pub local: Vec<(LocalVar, FlatExpr)>,
    /// New values of locals in every passive thread; distinct targets. Only these values may
    /// read passive variables. Each passive thread evaluates them with its own choices.
    pub broadcast: Vec<(LocalVar, FlatExpr)>,
    /// Filter without passive variables.
    pub constraint: Option<FlatExpr>,
    /// Filter evaluated for each passive thread.
    pub passive_constraint: Option<FlatExpr>,
}

impl Assignment {
    /// Whether passive threads are read or written, so that the step depends on which threads
    /// there are.
    pub fn involves_passive(&self) -> bool {
        !self.broadcast.is_empty() || self.passive_constraint.is_some()
    }
}

/// The statement at a location. `next` is the successor location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FlatStatement {
    /// Does nothing.
    Skip {
        /// Successor.
        next: LocationId,
    },
    /// Continues at any of the targets (never empty).
    Goto {
        /// Successors.
        targets: Vec<LocationId>,
    },
    /// Continues if the condition can be true, else blocks.
    Assume {
        /// No passive and no next-state variables.
        condition: FlatExpr,
        /// Successor.
        next: LocationId,
    },
    /// A state with a thread here whose condition can be false is an error, unless another
    /// thread is inside an atomic section. Continues in any case.
    Assert {
        /// No passive and no next-state variables.
        condition: FlatExpr,
        /// Successor.
        next: LocationId,
    },
    /// Assigns, or blocks if the constraints cannot be met.
    Assign {
        /// What is assigned.
        assignment: Assignment,
        /// Successor.
        next: LocationId,
    },
    /// Starts a thread at `entry` with a copy of this thread's locals, and continues at `next`.
    /// If there are as many threads as there may be at once, waits until one has ended, or only
    /// continues.
    StartThread {
        /// Where the new thread starts.
        entry: LocationId,
        /// Successor.
        next: LocationId,
        /// Whether it waits where there is no room for another thread.
        waits: bool,
    },
    /// The thread disappears (and leaves its atomic section).
    EndThread,
    /// Enters the atomic section; does nothing inside one (sections do not nest).
    AtomicBegin {
        /// Successor.
        next: LocationId,
    },
    /// Leaves the atomic section; does nothing outside.
    AtomicEnd {
        /// Successor.
        next: LocationId,
    },
    /// Blocks while the variable is 1, then sets it to 1; one step.
    Lock {
        /// The lock.
        variable: SharedVar,
        /// Successor.
        next: LocationId,
    },
    /// Sets the variable to 0.
    Unlock {
        /// The lock.
        variable: SharedVar,
        /// Successor.
        next: LocationId,
    },
}

/// The successors of a statement as a slice: `one` makes it of a reference to one, `none` is it
/// where there are none. References may be shared or not.
macro_rules! successors {
    ($statement:expr, $one:path, $none:expr) => {
        match $statement {
            FlatStatement::Goto { targets } => targets,
            FlatStatement::EndThread => $none,
            FlatStatement::Skip { next }
            | FlatStatement::Assume { next, .. }
            | FlatStatement::Assert { next, .. }
            | FlatStatement::Assign { next, .. }
            | FlatStatement::StartThread { next, .. }
            | FlatStatement::AtomicBegin { next }
            | FlatStatement::AtomicEnd { next }
            | FlatStatement::Lock { next, .. }
            | FlatStatement::Unlock { next, .. } => $one(next),
        }
    };
}

impl FlatStatement {
    /// How much it is to keep: targets, and the operators and operands of expressions.
    pub fn size(&self) -> usize {
        match self {
            FlatStatement::Goto { targets } => targets.len(),
            FlatStatement::Assume { condition, .. } | FlatStatement::Assert { condition, .. } => {
                condition.size()
            }
            FlatStatement::Assign { assignment, .. } => {
                let shared = assignment.shared.iter().map(|(_, value)| value);
                let local = assignment.local.iter().chain(&assignment.broadcast);
                let constraints =
                    assignment.constraint.iter().chain(&assignment.passive_constraint);
                let values = shared.chain(local.map(|(_, value)| value)).chain(constraints);
                values.map(FlatExpr::size).sum()
            }
            _ => 1,
        }
    }

    /// What it does to variables, as an assignment; `None` for those that only move control or
    /// threads, and for assertions.
    pub fn as_assignment(&self) -> Option<Cow<'_, Assignment>> {
        let constant = FlatExpr::Constant;
        let is_free = |lock: SharedVar| {
            FlatExpr::Not(Box::new(FlatExpr::Variable(VariableRef::Shared(lock))))
        };
        Some(Cow::Owned(match self {
            FlatStatement::Assume { condition, .. } => {
                Assignment { constraint: Some(condition.clone()), ..Assignment::default() }
            }
            FlatStatement::Lock { variable, .. } => Assignment {
                shared: vec![(*variable, constant(true))],
                constraint: Some(is_free(*variable)),
                ..Assignment::default()
            },
            FlatStatement::Unlock { variable, .. } => {
                Assignment { shared: vec![(*variable, constant(false))], ..Assignment::default() }
            }
            FlatStatement::Assign { assignment, .. } => return Some(Cow::Borrowed(assignment)),
            _ => return None,
        }))
    }

    /// Replaces each location it mentions: the successors and the entry of a started thread.
    pub fn redirect(&mut self, to: impl Fn(LocationId) -> LocationId) {
        if let FlatStatement::StartThread { entry, .. } = self {
            *entry = to(*entry);
        }
        let successors: &mut [LocationId] = successors!(self, std::slice::from_mut, &mut []);
        successors.iter_mut().for_each(|next| *next = to(*next));
    }

    /// The successors in the active thread's control flow (not the entry of a started thread).
    pub fn successors(&self) -> &[LocationId] {
        successors!(self, std::slice::from_ref, &[])
    }
}

/// A location: a statement and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// What is executed here.
    pub statement: FlatStatement,
    /// The procedure of the source statement.
    pub procedure: ProcedureId,
    /// The source statement's position.
    pub position: Position,
    /// The source statement's labels; on the first location made from it only.
    pub labels: Vec<String>,
    /// What the source statement was made from; on the first location made from it only.
    pub origin: Option<OriginId>,
}

/// What holds in every state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatInvariant {
    /// Over variables before a step, without choices. If it mentions passive variables, it holds of every
    /// two threads, each of which is the active one once; else of every thread.
    pub condition: FlatExpr,
    /// Where it stands in the source.
    pub position: Position,
}

/// A flat program; see the module's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatProgram {
    /// Shared variables.
    pub shared: Vec<FlatVariable>,
    /// Thread-local variables.
    pub locals: Vec<FlatVariable>,
    /// What cuts states off.
    pub invariants: Vec<FlatInvariant>,
    /// Locations; every [`LocationId`] in a statement is an index into this.
    pub locations: Vec<Location>,
    /// Names of procedures.
    pub procedures: Vec<String>,
    /// Where the procedures' heads are, in the order of their names.
    pub heads: Vec<Position>,
    /// Where the initial thread starts.
    pub entry: LocationId,
}

impl FlatProgram {
    /// The location's record.
    ///
    /// # Panics
    /// If the location is of another program.
    pub fn location(&self, location: LocationId) -> &Location {
        &self.locations[location.index()]
    }

    /// The statement at a location.
    ///
    /// # Panics
    /// If the location is of another program.
    pub fn statement(&self, location: LocationId) -> &FlatStatement {
        &self.location(location).statement
    }

    /// All locations with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (LocationId, &Location)> {
        self.locations.iter().enumerate().map(|(i, l)| (LocationId(i as u32), l))
    }

    /// The locations that carry this label (several if a procedure was inlined several times).
    pub fn labelled<'a>(&'a self, label: &'a str) -> impl Iterator<Item = LocationId> + 'a {
        self.iter().filter(move |(_, l)| l.labels.iter().any(|x| x == label)).map(|(id, _)| id)
    }
}

impl FlatExpr {
    /// How many operators and operands there are.
    pub fn size(&self) -> usize {
        1 + match self {
            FlatExpr::Constant(_) | FlatExpr::Variable(_) | FlatExpr::Nondet => 0,
            FlatExpr::Not(a) => a.size(),
            FlatExpr::Choose(a, b) | FlatExpr::Equal(a, b) | FlatExpr::Implies(a, b) => {
                a.size() + b.size()
            }
            FlatExpr::And(es) | FlatExpr::Or(es) | FlatExpr::Xor(es) => {
                es.iter().map(FlatExpr::size).sum()
            }
            FlatExpr::Conditional(c, a, b) => c.size() + a.size() + b.size(),
        }
    }

    /// Whether it can have both values in one state, as far as its form says.
    pub fn has_choice(&self) -> bool {
        match self {
            FlatExpr::Nondet | FlatExpr::Choose(..) => true,
            FlatExpr::Constant(_) | FlatExpr::Variable(_) => false,
            FlatExpr::Not(a) => a.has_choice(),
            FlatExpr::Equal(a, b) | FlatExpr::Implies(a, b) => a.has_choice() || b.has_choice(),
            FlatExpr::And(es) | FlatExpr::Or(es) | FlatExpr::Xor(es) => {
                es.iter().any(FlatExpr::has_choice)
            }
            FlatExpr::Conditional(c, a, b) => c.has_choice() || a.has_choice() || b.has_choice(),
        }
    }

    /// The conjuncts of a conjunction, nested ones included; of anything else, itself. As choices
    /// in different conjuncts are independent, all can hold together if each can.
    pub fn conjuncts(&self) -> Vec<&FlatExpr> {
        match self {
            FlatExpr::And(es) => es.iter().flat_map(FlatExpr::conjuncts).collect(),
            e => vec![e],
        }
    }

    /// Calls `visit` for every variable occurrence.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(VariableRef)) {
        match self {
            FlatExpr::Constant(_) | FlatExpr::Nondet => {}
            FlatExpr::Variable(variable) => visit(*variable),
            FlatExpr::Not(e) => e.for_each_variable(visit),
            FlatExpr::Choose(a, b) | FlatExpr::Equal(a, b) | FlatExpr::Implies(a, b) => {
                a.for_each_variable(visit);
                b.for_each_variable(visit);
            }
            FlatExpr::And(es) | FlatExpr::Or(es) | FlatExpr::Xor(es) => {
                es.iter().for_each(|e| e.for_each_variable(visit));
            }
            FlatExpr::Conditional(a, b, c) => {
                a.for_each_variable(visit);
                b.for_each_variable(visit);
                c.for_each_variable(visit);
            }
        }
    }

    /// Whether a passive thread's variable occurs.
    pub fn mentions_passive(&self) -> bool {
        let mut found = false;
        self.for_each_variable(&mut |v| {
            found |= matches!(v, VariableRef::Passive(_) | VariableRef::NextPassive(_));
        });
        found
    }

    /// Whether a value can depend on a choice.
    pub fn is_nondeterministic(&self) -> bool {
        match self {
            FlatExpr::Constant(_) | FlatExpr::Variable(_) => false,
            FlatExpr::Nondet | FlatExpr::Choose(..) => true,
            FlatExpr::Not(e) => e.is_nondeterministic(),
            FlatExpr::Equal(a, b) | FlatExpr::Implies(a, b) => {
                a.is_nondeterministic() || b.is_nondeterministic()
            }
            FlatExpr::And(es) | FlatExpr::Or(es) | FlatExpr::Xor(es) => {
                es.iter().any(FlatExpr::is_nondeterministic)
            }
            FlatExpr::Conditional(a, b, c) => {
                a.is_nondeterministic() || b.is_nondeterministic() || c.is_nondeterministic()
            }
        }
    }

    /// The values the expression can take when variables have the given values: `(can be 0, can
    /// be 1)`. At least one is true. Every occurrence of a nondeterministic part is independent
    /// of every other, so the answer is exact.
    pub fn values(&self, value: &impl Fn(VariableRef) -> bool) -> Values {
        self.possible(&|variable| Values::only(value(variable)))
    }

    /// The values the expression can take when variables can have the given values. Occurrences of a
    /// variable that can have both are independent too, so the answer may be too large.
    pub fn possible(&self, value: &impl Fn(VariableRef) -> Values) -> Values {
        match self {
            FlatExpr::Constant(b) => Values::only(*b),
            FlatExpr::Variable(v) => value(*v),
            FlatExpr::Nondet => Values::BOTH,
            FlatExpr::Choose(p, n) => {
                let (p, n) = (p.possible(value), n.possible(value));
                Values { zero: p.zero, one: p.one || (p.zero && n.zero) }
            }
            FlatExpr::Not(e) => {
                let v = e.possible(value);
                Values { zero: v.one, one: v.zero }
            }
            FlatExpr::And(es) => es.iter().fold(Values::only(true), |a, e| {
                let b = e.possible(value);
                Values { zero: a.zero || b.zero, one: a.one && b.one }
            }),
            FlatExpr::Or(es) => es.iter().fold(Values::only(false), |a, e| {
                let b = e.possible(value);
                Values { zero: a.zero && b.zero, one: a.one || b.one }
            }),
            FlatExpr::Xor(es) => {
                es.iter().fold(Values::only(false), |a, e| a.differs(e.possible(value)))
            }
            FlatExpr::Equal(a, b) => {
                let v = a.possible(value).differs(b.possible(value));
                Values { zero: v.one, one: v.zero }
            }
            FlatExpr::Implies(a, b) => {
                let (a, b) = (a.possible(value), b.possible(value));
                Values { zero: a.one && b.zero, one: a.zero || b.one }
            }
            FlatExpr::Conditional(c, a, b) => {
                let (c, a, b) = (c.possible(value), a.possible(value), b.possible(value));
                Values {
                    zero: (c.one && a.zero) || (c.zero && b.zero),
                    one: (c.one && a.one) || (c.zero && b.one),
                }
            }
        }
    }
}

/// The set of values an expression can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Values {
    /// It can be 0.
    pub zero: bool,
    /// It can be 1.
    pub one: bool,
}

impl Values {
    /// Both values.
    pub const BOTH: Values = Values { zero: true, one: true };

    /// Just this value.
    pub fn only(value: bool) -> Self {
        Values { zero: !value, one: value }
    }

    /// Whether the value is possible.
    pub fn contains(self, value: bool) -> bool {
        if value { self.one } else { self.zero }
    }

    fn differs(self, other: Values) -> Values {
        Values {
            zero: (self.zero && other.zero) || (self.one && other.one),
            one: (self.zero && other.one) || (self.one && other.zero),
        }
    }
}
