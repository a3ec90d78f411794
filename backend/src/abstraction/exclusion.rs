//! What refinement learns of single steps: combinations of predicates' values before and after an
//! edge that no execution has, beyond what the Cartesian abstraction with cubes of bounded length
//! sees (the `constrain` refinement of SLAM: Ball, Cook, Das and Rajamani, TACAS 2004).
//!
//! What concerns the thread that takes the edge becomes a constraint. For a passive thread only a
//! choice is narrowed, never to nothing: a step that some passive thread could block would make
//! the program depend on how many threads there are (ARCHITECTURE.md).

use rustc_hash::FxHashMap;

use super::step::{AbstractStep, Cube, Value, Variable};
use super::vocabulary::{PredicateId, Tracked};
use crate::automaton::EdgeId;

/// A predicate and its value.
type Literal = (PredicateId, bool);

/// Values that no execution combines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusion {
    /// Before the step: shared predicates and those of the thread that takes it.
    pub before: Vec<Literal>,
    /// Before the step: those of one passive thread.
    pub passive: Vec<Literal>,
    /// After the step: shared predicates and those of the thread that takes it.
    pub after: Vec<Literal>,
    /// After the step: one of the passive thread's.
    pub passive_after: Option<Literal>,
}

/// By edge.
pub type Exclusions = FxHashMap<EdgeId, Vec<Exclusion>>;

impl Exclusion {
    /// What it says of the state before the step, if threads of the root can evaluate it.
    fn cube_before(&self, tracked: &[Tracked], root: usize) -> Option<Cube> {
        let literal = |&(id, sign): &Literal| {
            is_visible(tracked, root, id).then_some((Variable::active(id), sign))
        };
        self.before.iter().map(literal).collect()
    }

    /// Adds the constraint that an exclusion without passive predicates is, if all of its predicates
    /// are `tracked`, and threads of the root can evaluate them.
    pub(super) fn constrain(&self, step: &mut AbstractStep, tracked: &[Tracked], root: usize) {
        if !self.passive.is_empty() || self.passive_after.is_some() {
            return;
        }
        let Some(mut cube) = self.cube_before(tracked, root) else { return };
        for &(id, sign) in &self.after {
            if !is_visible(tracked, root, id) {
                return;
            }
            cube.push((step.after(id), sign));
        }
        step.never.push(cube);
    }

    /// Narrows the choice of a broadcast by an exclusion of passive predicates, if all of its
    /// predicates are `tracked`, all passive threads that the broadcast is for have those that it
    /// reads, and there is a choice.
    pub(super) fn narrow(&self, step: &mut AbstractStep, tracked: &[Tracked], root: usize) {
        let Some((id, excluded)) = self.passive_after else { return };
        let Some(assigned) = find(tracked, id).filter(|_| self.after.is_empty()) else { return };
        let passive = |&(id, sign): &Literal| {
            let read = find(tracked, id).filter(|read| read.accompanies(assigned))?;
            Some((Variable::passive(read.id), sign))
        };
        let passive: Option<Cube> = self.passive.iter().map(passive).collect();
        let (Some(mut cube), Some(passive)) = (self.cube_before(tracked, root), passive) else {
            return;
        };
        cube.extend(passive);
        let broadcast = Variable::passive(id);
        let mut assignments = step.assignments.iter_mut();
        if let Some((_, Value::Choose(holds, fails))) =
            assignments.find(|(target, _)| *target == broadcast)
        {
            if excluded { fails.push(cube) } else { holds.push(cube) }
        }
    }
}

fn find(tracked: &[Tracked], id: PredicateId) -> Option<&Tracked> {
    tracked.iter().find(|tracked| tracked.id == id)
}

fn is_visible(tracked: &[Tracked], root: usize, id: PredicateId) -> bool {
    find(tracked, id).is_some_and(|tracked| tracked.is_visible(root))
}

#[cfg(test)]
mod tests {
    use super::super::step::Of;
    use super::super::vocabulary::Class;
    use super::*;
    use crate::solver::{Sort, TermStore};

    const MIXED: PredicateId = PredicateId(0);
    const LOCAL: PredicateId = PredicateId(1);

    /// A mixed predicate of threads of all roots.
    fn mixed() -> Tracked {
        let term = TermStore::default().variable("b", Sort::Bool);
        Tracked { id: MIXED, term, passive: term, class: Class::Mixed, root: None }
    }

    fn broadcast(value: Value) -> AbstractStep {
        AbstractStep { never: Vec::new(), assignments: vec![(Variable::passive(MIXED), value)] }
    }

    /// Any value.
    fn any() -> Value {
        Value::Choose(Vec::new(), Vec::new())
    }

    #[test]
    fn what_cannot_become_false_is_true() {
        let tracked = [mixed()];
        let exclusion = Exclusion {
            passive: vec![(MIXED, true)],
            passive_after: Some((MIXED, false)),
            ..Exclusion::default()
        };
        let mut step = broadcast(any());
        exclusion.narrow(&mut step, &tracked, 0);
        let held = vec![(Variable::passive(MIXED), true)];
        // It is no constraint: a passive thread would block the step.
        assert_eq!(step, broadcast(Value::Choose(vec![held], Vec::new())));
        exclusion.constrain(&mut step, &tracked, 0);
        assert!(step.never.is_empty());
    }

    #[test]
    fn what_cannot_become_true_is_false() {
        let exclusion = Exclusion {
            before: vec![(MIXED, false)],
            passive_after: Some((MIXED, true)),
            ..Exclusion::default()
        };
        let cube = |id| vec![(Variable::active(PredicateId(id)), true)];
        let mut step = broadcast(Value::Choose(vec![cube(7)], vec![cube(8)]));
        exclusion.narrow(&mut step, &[mixed()], 0);
        let excluded = vec![(Variable::active(MIXED), false)];
        let expected = Value::Choose(vec![cube(7)], vec![cube(8), excluded]);
        assert_eq!(step, broadcast(expected));
    }

    #[test]
    fn values_before_and_after_become_a_constraint() {
        let exclusion = Exclusion {
            before: vec![(MIXED, true)],
            after: vec![(MIXED, false)],
            ..Exclusion::default()
        };
        let before = Variable::active(MIXED);
        let mut step = AbstractStep { never: Vec::new(), assignments: vec![(before, any())] };
        exclusion.constrain(&mut step, &[mixed()], 0);
        let next = Variable { predicate: MIXED, of: Of::Next };
        assert_eq!(step.never, [vec![(before, true), (next, false)]]);
        // Without the predicate there is nothing to say.
        let mut step = broadcast(any());
        exclusion.constrain(&mut step, &[], 0);
        assert!(step.never.is_empty());
    }

    #[test]
    fn threads_without_a_predicate_are_not_judged_by_it() {
        let local = Tracked { id: LOCAL, class: Class::Local, root: Some(1), ..mixed() };
        let mut tracked = [mixed(), local];
        let exclusion = Exclusion {
            passive: vec![(LOCAL, false)],
            passive_after: Some((MIXED, true)),
            ..Exclusion::default()
        };
        // The broadcast is for threads of all roots; those of root 0 have no such predicate.
        let mut step = broadcast(any());
        exclusion.narrow(&mut step, &tracked, 0);
        assert_eq!(step, broadcast(any()));
        // Where it is for threads of root 1, it is narrowed.
        tracked[0].root = Some(1);
        exclusion.narrow(&mut step, &tracked, 0);
        assert_ne!(step, broadcast(any()));
    }

    #[test]
    fn what_is_no_choice_stays() {
        let exclusion = Exclusion { passive_after: Some((MIXED, true)), ..Exclusion::default() };
        let mut step = broadcast(Value::Constant(true));
        exclusion.narrow(&mut step, &[mixed()], 0);
        assert_eq!(step, broadcast(Value::Constant(true)));
    }
}
