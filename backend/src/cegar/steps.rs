//! Single steps of a spurious trace that no execution has, however it came there: the Cartesian
//! abstraction with bounded cubes does not see it, so it is told (`constrain` refinement).

use rustc_hash::FxHashMap;

use super::path::{Followed, Valuation, walk};
use crate::abstraction::exclusion::Exclusion;
use crate::abstraction::{Abstractor, Class, PredicateId, TraceEdge, Tracked};
use crate::solver::{Outcome, Solver, TermId};

/// Rounds of looking for an abstract run of the trace and at its steps.
const ROUNDS: usize = 24;

/// Calls of the solver to shorten an exclusion.
const SHORTEN: usize = 24;

/// A value of a predicate at some place of a step.
#[derive(Clone, Copy)]
struct Literal {
    predicate: PredicateId,
    value: bool,
    place: Place,
    /// What it says of the state before the step.
    term: TermId,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    After,
    Passive,
    PassiveAfter,
}

/// Excludes impossible steps of abstract runs of the trace until there is no such run; whether
/// that came about. What was learned stays with the abstraction in any case.
pub(super) fn exclude_steps(abstractor: &mut Abstractor<'_>, followed: Followed<'_>) -> bool {
    let tracked = abstractor.predicates.tracked(followed.vocabulary);
    let (_, trace) = followed.trace.split_at(followed.executed);
    for _ in 0..ROUNDS {
        let Some(walk) = walk(abstractor, followed) else { return false };
        let mut run = abstractor.strengthener.solver();
        let outcome = run.check(&abstractor.symbols.store, &walk.constraints);
        abstractor.strengthener.count(&run);
        match outcome {
            Outcome::Unsat => return !abstractor.strengthener.is_expired(),
            Outcome::Unknown => return false,
            Outcome::Sat => {}
        }
        let mut learned = false;
        for (at, (before, after)) in walk.steps.iter().enumerate() {
            if abstractor.strengthener.is_over() {
                return false;
            }
            let taken =
                Taken { abstractor, tracked: &tracked, trace, at, before, after, run: &run };
            for exclusion in taken.impossible() {
                let known = abstractor.exclusions.entry(trace[at].edge).or_default();
                if !known.contains(&exclusion) {
                    known.push(exclusion);
                    learned = true;
                }
            }
        }
        if !learned {
            return false;
        }
    }
    false
}

/// A step of an abstract run.
struct Taken<'s, 'a> {
    abstractor: &'s mut Abstractor<'a>,
    tracked: &'s [Tracked],
    trace: &'s [TraceEdge],
    at: usize,
    before: &'s Valuation,
    after: &'s Valuation,
    run: &'s Solver,
}

impl Taken<'_, '_> {
    /// What is impossible in it.
    fn impossible(mut self) -> Vec<Exclusion> {
        let automaton = self.abstractor.automaton;
        let taken = self.trace[self.at];
        let edge = automaton.edge(taken.edge);
        let symbols = &mut self.abstractor.symbols;
        let guard = edge.step.guard(symbols);
        let facts = automaton.facts(taken.edge).iter().copied();
        let guard = symbols.store.and_all(facts.chain([guard]));
        let mut own = Vec::new();
        for tracked in self.tracked.iter().filter(|tracked| tracked.is_visible(edge.root)) {
            let symbols = &mut self.abstractor.symbols;
            let place = (edge.root, edge.from);
            let now = automaton.resolve(symbols, place, tracked.term);
            let then = edge.step.before(symbols, tracked.term);
            let then = automaton.resolve(symbols, place, then);
            for (place, term) in [(Place::Before, now), (Place::After, then)] {
                own.extend(self.literal(tracked, taken.thread, place, term));
            }
        }
        let mut found = Vec::new();
        found.extend(self.contradiction(guard, &own));
        own.retain(|literal| literal.place == Place::Before);
        let roots: FxHashMap<u32, usize> = self
            .trace
            .iter()
            .map(|taken| (taken.thread, automaton.edge(taken.edge).root))
            .collect();
        let mut others: Vec<u32> = self.before.threads.keys().copied().collect();
        others.sort_unstable();
        for other in others.into_iter().filter(|&other| other != taken.thread) {
            let of = |tracked: &&Tracked| {
                tracked.class != Class::Shared
                    && tracked.root.is_none_or(|root| roots.get(&other) == Some(&root))
            };
            let mut known: Vec<(&Tracked, Literal)> = Vec::new();
            for tracked in self.tracked.iter().filter(of) {
                let literal = self.literal(tracked, other, Place::Passive, tracked.passive);
                known.extend(literal.map(|literal| (tracked, literal)));
            }
            for tracked in self.tracked.iter().filter(of) {
                let then = edge.step.before(&mut self.abstractor.symbols, tracked.passive);
                if then == tracked.passive {
                    continue;
                }
                if let Some(after) = self.literal(tracked, other, Place::PassiveAfter, then) {
                    let mut with = own.clone();
                    let usable = known.iter().filter(|(read, _)| read.accompanies(tracked));
                    with.extend(usable.map(|&(_, literal)| literal));
                    with.push(after);
                    let excluded = self.contradiction(guard, &with);
                    found.extend(excluded.filter(|e| e.passive_after.is_some()));
                }
            }
        }
        found
    }

    /// The value that a thread's predicate has in the run; `term` is what it says of the state
    /// before the step.
    fn literal(
        &mut self,
        tracked: &Tracked,
        thread: u32,
        place: Place,
        term: TermId,
    ) -> Option<Literal> {
        let values = match place {
            Place::Before | Place::Passive => self.before,
            Place::After | Place::PassiveAfter => self.after,
        };
        let store = &mut self.abstractor.symbols.store;
        let value = self.run.model_value(store, values.get(thread, tracked.id)?) != 0;
        let term = if value { term } else { store.not(term) };
        Some(Literal { predicate: tracked.id, value, place, term })
    }

    /// Few of the literals that no state satisfies in which the edge can be taken.
    fn contradiction(&mut self, guard: TermId, literals: &[Literal]) -> Option<Exclusion> {
        let mut solver = self.abstractor.strengthener.solver();
        let store = &self.abstractor.symbols.store;
        // For good: it is no part of the exclusion.
        solver.assert(store, guard);
        let terms: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let is_contradiction = solver.check(store, &terms) == Outcome::Unsat;
        let core = solver.core().to_vec();
        let core = if is_contradiction { solver.minimise(store, &core, SHORTEN) } else { core };
        self.abstractor.strengthener.count(&solver);
        if !is_contradiction {
            return None;
        }
        let mut exclusion = Exclusion::default();
        for term in core {
            let literal = literals.iter().find(|literal| literal.term == term)?;
            let value = (literal.predicate, literal.value);
            match literal.place {
                Place::Before => exclusion.before.push(value),
                Place::After => exclusion.after.push(value),
                Place::Passive => exclusion.passive.push(value),
                Place::PassiveAfter => exclusion.passive_after = Some(value),
            }
        }
        Some(exclusion)
    }
}
