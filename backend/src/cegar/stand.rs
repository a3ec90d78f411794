//! What others know where they stand, of which the abstraction says nothing as long as they do not move: values of shared
//! predicates that contradict the facts at the node of a thread that waits.

use rustc_hash::FxHashMap;

use super::path::{Followed, walk};
use super::preconditions::positions;
use crate::abstraction::standing::Standing;
use crate::abstraction::{Abstractor, Class, PredicateId};
use crate::automaton::{EdgeTarget, NodeId};
use crate::solver::{Outcome, TermId};

/// Rounds of looking for an abstract run of the trace and at where its threads stand.
const ROUNDS: usize = 24;

/// Where a thread stands: its root and the node.
type Stand = (usize, NodeId);

/// Whether the abstraction no longer allows a trace when it is told what nobody finds where threads stand. What was not
/// enough for that is forgotten again.
pub(super) fn exclude_standing(abstractor: &mut Abstractor<'_>, followed: Followed<'_>) -> bool {
    let known = abstractor.standing.len();
    let is_excluded = exclude(abstractor, followed);
    if !is_excluded {
        abstractor.standing.truncate(known);
    }
    is_excluded
}

fn exclude(abstractor: &mut Abstractor<'_>, followed: Followed<'_>) -> bool {
    let automaton = abstractor.automaton;
    let mut nodes = automaton.roots.iter().flat_map(|root| &root.nodes);
    let tracked = abstractor.predicates.tracked(followed.vocabulary);
    let shared = tracked.iter().filter(|t| t.class == Class::Shared).map(|t| (t.id, t.term));
    let shared: Vec<(PredicateId, TermId)> =
        shared.filter(|&(_, term)| changes_between_stands(abstractor, term)).collect();
    if shared.is_empty() || nodes.all(|node| node.facts.is_empty()) {
        return false;
    }
    let mut search = Search { abstractor, known: FxHashMap::default() };
    let stands = positions(automaton, followed.trace);
    let mut is_new = false;
    for _ in 0..ROUNDS {
        let Some(walk) = walk(search.abstractor, followed) else { return false };
        let mut run = search.abstractor.strengthener.solver();
        let outcome = run.check(&search.abstractor.symbols.store, &walk.constraints);
        search.abstractor.strengthener.count(&run);
        match outcome {
            // What excludes it was found here, or it was excluded before.
            Outcome::Unsat => return is_new && !search.abstractor.strengthener.is_expired(),
            Outcome::Unknown => return false,
            Outcome::Sat => {}
        }
        let mut learned = false;
        for (stands, (_, after)) in stands.iter().skip(1).zip(&walk.steps) {
            if search.abstractor.strengthener.is_over() {
                return false;
            }
            for (&thread, &stand) in stands {
                for &(id, term) in &shared {
                    let store = &search.abstractor.symbols.store;
                    let Some(value) = after.get(thread, id) else { continue };
                    let literal = (id, run.model_value(store, value) != 0);
                    let is_said =
                        search.abstractor.standing.iter().any(|known| known.literal == literal);
                    if !is_said && search.contradicts(stand, literal, term) {
                        search.learn(literal, term);
                        learned = true;
                    }
                }
            }
        }
        if !learned {
            return false;
        }
        is_new = true;
    }
    false
}

/// Whether a predicate only changes in steps from one place at which others may act to the next. Within an atomic section of
/// several steps it may have for a while what contradicts the facts where others stand.
fn changes_between_stands(abstractor: &mut Abstractor<'_>, term: TermId) -> bool {
    let automaton = abstractor.automaton;
    let nodes = automaton.roots.iter().flat_map(|root| root.nodes.iter().map(move |n| (root, n)));
    for (root, node) in nodes {
        for &id in &node.edges {
            let edge = automaton.edge(id);
            let is_whole = node.preemptible
                && match edge.to {
                    EdgeTarget::Node(to) => root.nodes[to.index()].preemptible,
                    EdgeTarget::EndThread | EdgeTarget::Halt => true,
                    // What leads to an assertion ends in the midst of the section that it is in.
                    EdgeTarget::Error(_) => false,
                };
            if !is_whole && edge.step.before(&mut abstractor.symbols, term) != term {
                return false;
            }
        }
    }
    true
}

struct Search<'s, 'a> {
    abstractor: &'s mut Abstractor<'a>,
    /// Whether a value of a predicate contradicts the facts of a node.
    known: FxHashMap<(Stand, (PredicateId, bool)), bool>,
}

impl Search<'_, '_> {
    /// Whether a predicate over what is shared does not have this value while a thread stands at a node.
    fn contradicts(
        &mut self,
        (root, node): Stand,
        literal: (PredicateId, bool),
        term: TermId,
    ) -> bool {
        let key = ((root, node), literal);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let Abstractor { symbols, automaton, strengthener, .. } = &mut *self.abstractor;
        let store = &mut symbols.store;
        let read = store.variables(term);
        let facts = &automaton.roots[root].nodes[node.index()].facts;
        let is_near = |fact: &&TermId| store.variables(**fact).iter().any(|v| read.contains(v));
        let near: Vec<TermId> = facts.iter().filter(is_near).copied().collect();
        let contradicts = !near.is_empty() && {
            let term = if literal.1 { term } else { store.not(term) };
            let all: Vec<TermId> = near.into_iter().chain([term]).collect();
            let mut solver = strengthener.solver();
            let outcome = solver.check(store, &all);
            strengthener.count(&solver);
            outcome == Outcome::Unsat
        };
        self.known.insert(key, contradicts);
        contradicts
    }

    fn learn(&mut self, literal: (PredicateId, bool), term: TermId) {
        let automaton = self.abstractor.automaton;
        let mut nodes = Vec::with_capacity(automaton.roots.len());
        for (root, of) in automaton.roots.iter().enumerate() {
            let all = (0..of.nodes.len()).map(|node| NodeId(node as u32));
            nodes.push(all.map(|node| self.contradicts((root, node), literal, term)).collect());
        }
        let number = self.abstractor.standing.len();
        self.abstractor.standing.push(Standing::new(number, literal, nodes));
    }
}
