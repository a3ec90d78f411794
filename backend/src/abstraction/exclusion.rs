//! What refinement learns of single steps: combinations of predicates' values before and after an
//! edge that no execution has, beyond what the Cartesian abstraction with cubes of bounded length
//! sees (the `constrain` refinement of SLAM: Ball, Cook, Das and Rajamani, TACAS 2004).
//!
//! What concerns the thread that takes the edge becomes a constraint. For a passive thread only a
//! choice is narrowed, never to nothing: a step that some passive thread could block would make
//! the program depend on how many threads there are (ARCHITECTURE.md).

use rustc_hash::FxHashMap;
use sapa_ir::boolean::ast::{Expression, Target};

use super::edge::AbstractEdge;
use super::vocabulary::{Tracked, Vocabulary};
use crate::automaton::EdgeId;
use crate::solver::TermId;

/// A predicate, by its term over the active thread's state, and its value.
pub type Value = (TermId, bool);

/// Values that no execution combines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusion {
    /// Before the step: shared predicates and those of the thread that takes it.
    pub before: Vec<Value>,
    /// Before the step: those of one passive thread.
    pub passive: Vec<Value>,
    /// After the step: shared predicates and those of the thread that takes it.
    pub after: Vec<Value>,
    /// After the step: one of the passive thread's.
    pub passive_after: Option<Value>,
}

/// By edge.
pub type Exclusions = FxHashMap<EdgeId, Vec<Exclusion>>;

/// Predicates by term, with their names.
struct Names<'v> {
    vocabulary: &'v Vocabulary,
    root: usize,
}

impl Names<'_> {
    /// The name of a predicate that threads of the root can evaluate.
    fn own(&self, term: TermId) -> Option<&str> {
        let mut visible = self.vocabulary.visible(self.root);
        visible.find(|tracked| tracked.term == term).map(|tracked| tracked.name.as_str())
    }

    /// A predicate of any thread.
    fn any(&self, term: TermId) -> Option<&Tracked> {
        self.vocabulary.tracked.iter().find(|tracked| tracked.term == term)
    }
}

fn literal(variable: Expression, value: bool) -> Expression {
    if value { variable } else { Expression::not(variable) }
}

/// Adds the constraint that an exclusion without passive predicates is, if all of its predicates
/// are tracked.
pub(super) fn constrain(
    abstracted: &mut AbstractEdge,
    exclusion: &Exclusion,
    vocabulary: &Vocabulary,
    root: usize,
) {
    if !exclusion.passive.is_empty() || exclusion.passive_after.is_some() {
        return;
    }
    let names = Names { vocabulary, root };
    let assigned = |name: &str| {
        abstracted.assignments.iter().any(|(target, _)| *target == Target::variable(name))
    };
    let before = exclusion.before.iter().map(|&(term, value)| {
        names.own(term).map(|name| literal(Expression::variable(name), value))
    });
    let after = exclusion.after.iter().map(|&(term, value)| {
        let name = names.own(term)?;
        let variable =
            if assigned(name) { Expression::next(name) } else { Expression::variable(name) };
        Some(literal(variable, value))
    });
    let Some(cube) = before.chain(after).collect::<Option<Vec<Expression>>>() else { return };
    let clause = Expression::not(Expression::and(cube));
    abstracted.guard = Some(match abstracted.guard.take() {
        Some(guard) => Expression::and([guard, clause]),
        None => clause,
    });
}

/// Narrows the choice of a broadcast by an exclusion of passive predicates, if all of its
/// predicates are tracked, all passive threads that the broadcast is for have those that it reads,
/// and there is a choice.
pub(super) fn narrow(
    abstracted: &mut AbstractEdge,
    exclusion: &Exclusion,
    vocabulary: &Vocabulary,
    root: usize,
) {
    let Some((term, excluded)) = exclusion.passive_after else { return };
    if !exclusion.after.is_empty() {
        return;
    }
    let names = Names { vocabulary, root };
    let Some(assigned) = names.any(term) else { return };
    let active = exclusion.before.iter().map(|&(term, value)| {
        names.own(term).map(|name| literal(Expression::variable(name), value))
    });
    let passive = exclusion.passive.iter().map(|&(term, value)| {
        let read = names.any(term).filter(|read| read.accompanies(assigned))?;
        Some(literal(Expression::passive(&read.name), value))
    });
    let Some(cube) = active.chain(passive).collect::<Option<Vec<Expression>>>() else { return };
    let cube = Expression::and(cube);
    let broadcast = Target::broadcast(&assigned.name);
    let mut assignments = abstracted.assignments.iter_mut();
    let Some((_, value)) = assignments.find(|(target, _)| *target == broadcast) else { return };
    let (positive, negative) = match value {
        Expression::Nondet => (Expression::Constant(false), Expression::Constant(false)),
        Expression::Choose(positive, negative) => ((**positive).clone(), (**negative).clone()),
        // There is no choice.
        _ => return,
    };
    *value = if excluded {
        Expression::choose(positive, Expression::or([negative, cube]))
    } else {
        Expression::choose(Expression::or([positive, cube]), negative)
    };
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::Class;
    use super::*;
    use crate::solver::{Sort, TermStore};

    /// A vocabulary of one mixed predicate `b0`, and its term.
    fn one_predicate() -> (Vocabulary, TermId) {
        let mut store = TermStore::default();
        let term = store.variable("b", Sort::Bool);
        let tracked = Tracked {
            term,
            passive: term,
            class: Class::Mixed,
            root: None,
            name: "b0".to_owned(),
            text: String::new(),
        };
        (Vocabulary { tracked: vec![tracked] }, term)
    }

    fn broadcast(value: Expression) -> AbstractEdge {
        AbstractEdge { guard: None, assignments: vec![(Target::broadcast("b0"), value)] }
    }

    #[test]
    fn what_cannot_become_false_is_true() {
        let (vocabulary, term) = one_predicate();
        let exclusion = Exclusion {
            passive: vec![(term, true)],
            passive_after: Some((term, false)),
            ..Exclusion::default()
        };
        let mut edge = broadcast(Expression::Nondet);
        narrow(&mut edge, &exclusion, &vocabulary, 0);
        let never = Expression::Constant(false);
        let held = Expression::and([Expression::passive("b0")]);
        let expected = Expression::choose(Expression::or([never.clone(), held]), never);
        assert_eq!(edge.assignments, broadcast(expected).assignments);
        assert_eq!(edge.guard, None, "a passive thread would block the step");
        // No constraint comes of it either.
        constrain(&mut edge, &exclusion, &vocabulary, 0);
        assert_eq!(edge.guard, None);
    }

    #[test]
    fn what_cannot_become_true_is_false() {
        let (vocabulary, term) = one_predicate();
        let exclusion = Exclusion {
            before: vec![(term, false)],
            passive_after: Some((term, true)),
            ..Exclusion::default()
        };
        let (p, n) = (Expression::variable("p"), Expression::variable("n"));
        let mut edge = broadcast(Expression::choose(p.clone(), n.clone()));
        narrow(&mut edge, &exclusion, &vocabulary, 0);
        let cube = Expression::and([Expression::not(Expression::variable("b0"))]);
        let expected = Expression::choose(p, Expression::or([n, cube]));
        assert_eq!(edge.assignments, broadcast(expected).assignments);
    }

    #[test]
    fn values_before_and_after_become_a_constraint() {
        let (vocabulary, term) = one_predicate();
        let exclusion = Exclusion {
            before: vec![(term, true)],
            after: vec![(term, false)],
            ..Exclusion::default()
        };
        let variable = Expression::variable("b0");
        let mut edge = AbstractEdge {
            guard: None,
            assignments: vec![(Target::variable("b0"), Expression::Nondet)],
        };
        constrain(&mut edge, &exclusion, &vocabulary, 0);
        let next = Expression::not(Expression::next("b0"));
        assert_eq!(edge.guard, Some(Expression::not(Expression::and([variable, next]))));
        // Without the predicate there is nothing to say.
        let mut edge = broadcast(Expression::Nondet);
        constrain(&mut edge, &exclusion, &Vocabulary::default(), 0);
        assert_eq!(edge.guard, None);
    }

    #[test]
    fn threads_without_a_predicate_are_not_judged_by_it() {
        let (mut vocabulary, mixed) = one_predicate();
        let mut store = TermStore::default();
        store.variable("b", Sort::Bool);
        let local = store.variable("x", Sort::Bool);
        vocabulary.tracked.push(Tracked {
            term: local,
            passive: local,
            class: Class::Local,
            root: Some(1),
            name: "x1".to_owned(),
            text: String::new(),
        });
        let exclusion = Exclusion {
            passive: vec![(local, false)],
            passive_after: Some((mixed, true)),
            ..Exclusion::default()
        };
        // The broadcast is for threads of all roots; those of root 0 have no `x1`.
        let mut edge = broadcast(Expression::Nondet);
        narrow(&mut edge, &exclusion, &vocabulary, 0);
        assert_eq!(edge.assignments, broadcast(Expression::Nondet).assignments);
        // Where it is for threads of root 1, it is narrowed.
        vocabulary.tracked[0].root = Some(1);
        narrow(&mut edge, &exclusion, &vocabulary, 0);
        assert_ne!(edge.assignments, broadcast(Expression::Nondet).assignments);
    }

    #[test]
    fn what_is_no_choice_stays() {
        let (vocabulary, term) = one_predicate();
        let exclusion = Exclusion { passive_after: Some((term, true)), ..Exclusion::default() };
        let mut edge = broadcast(Expression::Constant(true));
        narrow(&mut edge, &exclusion, &vocabulary, 0);
        assert_eq!(edge.assignments, broadcast(Expression::Constant(true)).assignments);
    }
}
