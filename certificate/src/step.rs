//! Statements as relations: what a step of one thread can do, in clauses.
//!
//! Every choice in an expression is a variable of its own, so "can be chosen so" is satisfiability.
//! This is written from the semantics of `ir`'s flat programs alone, and shared with no engine.

use sapa_ir::boolean::flat::{FlatExpr, FlatStatement, SharedVar, VariableRef};

use crate::certificate::Lock;
use crate::sat::{FALSE, Literal, Sat, TRUE};

/// What a thread has.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    /// Its locals.
    pub(crate) locals: Vec<Literal>,
    /// The same when the last atomic section began.
    pub(crate) old: Vec<Literal>,
    /// Which locks it holds; by [`Lock::index`].
    pub(crate) held: Vec<Literal>,
    /// Whether it was started within the last atomic section.
    pub(crate) young: Literal,
}

/// What all threads share.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) now: Vec<Literal>,
    /// When the last atomic section began.
    pub(crate) old: Vec<Literal>,
    pub(crate) started: Literal,
}

/// A step: everything before and after it.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) shared: [Shared; 2],
    /// The thread that moves, and whether it is inside an atomic section.
    pub(crate) active: [Own; 2],
    pub(crate) inside: [Literal; 2],
    /// Others, each if it is there.
    pub(crate) passive: Vec<Passive>,
    /// Whether an atomic section begins with the step.
    pub(crate) begins: Literal,
    /// Whether the thread that moves is there after the step.
    pub(crate) remains: Literal,
    /// Whether a thread is started.
    pub(crate) starts: Literal,
}

/// A thread that does not move.
#[derive(Debug)]
pub(crate) struct Passive {
    pub(crate) there: Literal,
    pub(crate) own: [Own; 2],
}

/// Where an expression stands: which thread is passive in it, if one is.
#[derive(Clone, Copy)]
struct Scope<'s> {
    step: &'s Step,
    passive: Option<&'s Passive>,
}

impl Scope<'_> {
    fn variable(&self, variable: VariableRef, sat: &mut Sat) -> Literal {
        let at = |list: &[Literal], index: usize| list.get(index).copied();
        let passive = |side: usize, index: usize| {
            self.passive.and_then(|passive| at(&passive.own[side].locals, index))
        };
        let literal = match variable {
            VariableRef::Shared(v) => at(&self.step.shared[0].now, v.index()),
            VariableRef::NextShared(v) => at(&self.step.shared[1].now, v.index()),
            VariableRef::Local(v) => at(&self.step.active[0].locals, v.index()),
            VariableRef::NextLocal(v) => at(&self.step.active[1].locals, v.index()),
            VariableRef::Passive(v) => passive(0, v.index()),
            VariableRef::NextPassive(v) => passive(1, v.index()),
        };
        // What is not there can be anything.
        literal.unwrap_or_else(|| sat.fresh())
    }

    fn value(&self, expression: &FlatExpr, sat: &mut Sat) -> Literal {
        match expression {
            FlatExpr::Constant(value) => {
                if *value {
                    TRUE
                } else {
                    FALSE
                }
            }
            FlatExpr::Variable(variable) => self.variable(*variable, sat),
            FlatExpr::Nondet => sat.fresh(),
            FlatExpr::Choose(one, zero) => {
                let (one, zero) = (self.value(one, sat), self.value(zero, sat));
                let free = sat.fresh();
                let other = sat.and(-zero, free);
                sat.or(one, other)
            }
            FlatExpr::Not(e) => -self.value(e, sat),
            FlatExpr::And(es) => es.iter().fold(TRUE, |all, e| {
                let e = self.value(e, sat);
                sat.and(all, e)
            }),
            FlatExpr::Or(es) => es.iter().fold(FALSE, |any, e| {
                let e = self.value(e, sat);
                sat.or(any, e)
            }),
            FlatExpr::Xor(es) => es.iter().fold(FALSE, |odd, e| {
                let e = self.value(e, sat);
                sat.differ(odd, e)
            }),
            FlatExpr::Equal(a, b) => {
                let (a, b) = (self.value(a, sat), self.value(b, sat));
                -sat.differ(a, b)
            }
            FlatExpr::Implies(a, b) => {
                let (a, b) = (self.value(a, sat), self.value(b, sat));
                sat.or(-a, b)
            }
            FlatExpr::Conditional(c, a, b) => {
                let (c, a, b) = (self.value(c, sat), self.value(a, sat), self.value(b, sat));
                sat.ite(c, a, b)
            }
        }
    }
}

/// What a statement can change; all else stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Shared variables, by number.
    pub(crate) shared: Vec<usize>,
    /// Locals of the thread that moves.
    pub(crate) own: Vec<usize>,
    /// Locals of the others.
    pub(crate) passive: Vec<usize>,
    /// Locks that the thread takes or gives back; by [`Lock::index`].
    pub(crate) held: Vec<usize>,
}

impl Changes {
    pub(crate) fn of(statement: &FlatStatement) -> Changes {
        let mut changes = Changes::default();
        match statement {
            FlatStatement::Assign { assignment, .. } => {
                changes.shared = assignment.shared.iter().map(|(v, _)| v.index()).collect();
                changes.own = assignment.local.iter().map(|(v, _)| v.index()).collect();
                changes.passive = assignment.broadcast.iter().map(|(v, _)| v.index()).collect();
            }
            FlatStatement::Lock { variable, .. } | FlatStatement::Unlock { variable, .. } => {
                changes.shared.push(variable.index());
            }
            _ => {}
        }
        let written = changes.shared.iter().map(|v| SharedVar(*v as u32));
        changes.held = written.flat_map(Lock::both).map(Lock::index).collect();
        changes
    }
}

/// Where an invariant of the program, a condition over variables as they are, holds: of one thread
/// with another, if it is about two.
pub(crate) fn invariant(
    condition: &FlatExpr,
    shared: &Shared,
    (own, other): (&Own, Option<&Own>),
    sat: &mut Sat,
) -> Literal {
    let passive = other.map(|other| Passive { there: TRUE, own: [other.clone(), other.clone()] });
    let step = Step::none(shared.clone(), own.clone());
    Scope { step: &step, passive: passive.as_ref() }.value(condition, sat)
}

impl Step {
    /// A step in which nothing happens, of a thread that is alone and in no atomic section.
    pub(crate) fn none(shared: Shared, own: Own) -> Step {
        Step {
            shared: [shared.clone(), shared],
            active: [own.clone(), own],
            inside: [FALSE, FALSE],
            passive: Vec::new(),
            begins: FALSE,
            remains: TRUE,
            starts: FALSE,
        }
    }

    /// Where the condition of an assertion can be false.
    pub(crate) fn can_fail(&self, condition: &FlatExpr, sat: &mut Sat) -> Literal {
        -Scope { step: self, passive: None }.value(condition, sat)
    }

    /// That the step is one of this statement, if `if_so` holds. What the statement does not change
    /// is not spoken of.
    pub(crate) fn is_of(&self, statement: &FlatStatement, if_so: Literal, sat: &mut Sat) {
        let own = Scope { step: self, passive: None };
        let [before, after] = self.inside;
        let ends = matches!(statement, FlatStatement::EndThread);
        sat.clause([-if_so, if ends { -self.remains } else { self.remains }]);
        // Where there is no room for another thread, a start is none.
        if !matches!(statement, FlatStatement::StartThread { .. }) {
            sat.clause([-if_so, -self.starts]);
        }
        match statement {
            FlatStatement::AtomicBegin { .. } => {
                sat.clause([-if_so, after]);
                sat.equal_if(&[if_so], self.begins, -before);
                return;
            }
            // The thread is outside then, or gone; nobody else can be inside.
            FlatStatement::AtomicEnd { .. } | FlatStatement::EndThread => {
                sat.clause([-if_so, -after]);
                sat.clause([-if_so, -self.begins]);
                return;
            }
            _ => {}
        }
        sat.equal_if(&[if_so], before, after);
        sat.clause([-if_so, -self.begins]);
        match statement {
            FlatStatement::Assume { condition, .. } => {
                let holds = own.value(condition, sat);
                sat.clause([-if_so, holds]);
            }
            FlatStatement::Assign { assignment, .. } => {
                for (target, value) in &assignment.shared {
                    let value = own.value(value, sat);
                    sat.equal_if(&[if_so], self.shared[1].now[target.index()], value);
                }
                for (target, value) in &assignment.local {
                    let value = own.value(value, sat);
                    sat.equal_if(&[if_so], self.active[1].locals[target.index()], value);
                }
                if let Some(constraint) = &assignment.constraint {
                    let holds = own.value(constraint, sat);
                    sat.clause([-if_so, holds]);
                }
                for passive in &self.passive {
                    let scope = Scope { passive: Some(passive), ..own };
                    let there = [if_so, passive.there];
                    for (target, value) in &assignment.broadcast {
                        let value = scope.value(value, sat);
                        sat.equal_if(&there, passive.own[1].locals[target.index()], value);
                    }
                    if let Some(constraint) = &assignment.passive_constraint {
                        let holds = scope.value(constraint, sat);
                        sat.clause([-if_so, -passive.there, holds]);
                    }
                }
            }
            FlatStatement::Lock { variable, .. } => {
                sat.clause([-if_so, -self.shared[0].now[variable.index()]]);
                sat.clause([-if_so, self.shared[1].now[variable.index()]]);
            }
            FlatStatement::Unlock { variable, .. } => {
                sat.clause([-if_so, -self.shared[1].now[variable.index()]]);
            }
            // What these do is to go on, or to add a thread.
            FlatStatement::Skip { .. }
            | FlatStatement::Goto { .. }
            | FlatStatement::Assert { .. }
            | FlatStatement::StartThread { .. }
            | FlatStatement::AtomicBegin { .. }
            | FlatStatement::AtomicEnd { .. }
            | FlatStatement::EndThread => {}
        }
        for v in Changes::of(statement).shared {
            let [before, after] = [0, 1].map(|side: usize| self.shared[side].now[v]);
            for lock in Lock::both(SharedVar(v as u32)) {
                let is_free = |value: Literal| if lock.free { value } else { -value };
                let [holds, then] = [0, 1].map(|side: usize| self.active[side].held[lock.index()]);
                let found = sat.or(holds, is_free(before));
                let held = sat.and(found, -is_free(after));
                sat.equal_if(&[if_so], then, held);
            }
        }
    }
}
