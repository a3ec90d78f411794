//! What is known wherever some thread stands, whoever acts.
//!
//! Facts of the automaton hold before the steps of the thread that stands there; but they hold as well while it
//! waits: where a reader stands, there is a reader, so nobody finds that there are none. A step that says otherwise is none of
//! the program's. So for a value of a shared predicate that contradicts the facts of some nodes, each thread has a
//! Boolean that says whether it stands at one of these, and an invariant says that both are never together.
//!
//! An invariant is about all states, also those within an atomic section; so the predicate has to be one that does not
//! change there, but in steps from one place at which others may act to the next. What it is
//! within the section is then what it was before, when the facts held.
//!
//! With invariants a program is not monotone, so that only those are written which some trace needs.

use super::plan::Code;
use super::step::{AbstractStep, Cube, Value, Variable};
use super::vocabulary::PredicateId;
use crate::automaton::{Automaton, EdgeId, EdgeTarget, NodeId};

/// A value of a shared predicate that nobody finds while a thread stands at some nodes.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The predicate and the value.
    pub literal: (PredicateId, bool),
    /// By root and node: whether it contradicts the facts there.
    pub nodes: Vec<Vec<bool>>,
    /// What stands for "the thread stands at one of the nodes" where predicates are told apart. It is none of a vocabulary.
    pub id: PredicateId,
}

impl Standing {
    /// The one with this number.
    #[must_use]
    pub fn new(number: usize, literal: (PredicateId, bool), nodes: Vec<Vec<bool>>) -> Self {
        let number = u32::try_from(number).expect("they fit in memory");
        Self { literal, nodes, id: PredicateId(u32::MAX / 2 + number) }
    }

    /// Whether a thread of a root that stands at a node is meant.
    ///
    /// # Panics
    /// If there is no such root or node.
    #[must_use]
    pub fn is_at(&self, (root, node): (usize, NodeId)) -> bool {
        self.nodes[root][node.index()]
    }

    /// What no thread has.
    pub(super) fn never(&self) -> Cube {
        let (predicate, value) = self.literal;
        vec![(Variable::active(self.id), true), (Variable::active(predicate), value)]
    }

    /// Lets a step, or the beginning of a thread, say where the thread then stands.
    pub(super) fn follow(
        &self,
        automaton: &Automaton,
        (code, edge): (Code, Option<EdgeId>),
        step: &mut AbstractStep,
    ) {
        let after = match edge.map(|edge| automaton.edge(edge)) {
            None => Some(self.is_at((code.root, NodeId(0)))),
            Some(edge) => match edge.to {
                EdgeTarget::Node(to) => {
                    let [before, after] = [edge.from, to].map(|node| self.is_at((edge.root, node)));
                    (before != after).then_some(after)
                }
                EdgeTarget::EndThread | EdgeTarget::Error(_) | EdgeTarget::Halt => {
                    self.is_at((edge.root, edge.from)).then_some(false)
                }
            },
        };
        let target = Variable::active(self.id);
        step.assignments.extend(after.map(|after| (target, Value::Constant(after))));
    }
}
