//! Single steps of a spurious trace that no execution has, however it came there: the Cartesian
//! abstraction with bounded cubes does not see it, so it is told (`constrain` refinement).

use rustc_hash::FxHashMap;
use sapa_ir::goto::Predicate;

use super::path::{Judge, Valuation, Values};
use crate::abstraction::TraceEdge;
use crate::abstraction::edge::Effect;
use crate::abstraction::exclusion::Exclusion;
use crate::abstraction::vocabulary::{Class, Tracked, Vocabulary};
use crate::automaton::EdgeId;
use crate::solver::{Outcome, Solver, TermId};

/// Rounds of looking for an abstract run of the trace and at its steps.
const ROUNDS: usize = 24;

/// Calls of the solver to shorten an exclusion.
const SHORTEN: usize = 24;

/// A value of a predicate at some place of a step.
#[derive(Clone, Copy)]
struct Literal {
    predicate: TermId,
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

impl Judge<'_> {
    /// Excludes impossible steps of abstract runs of the trace until there is no such run; whether
    /// that came about. What was learned stays with the abstraction in any case.
    pub(super) fn exclude_steps(&mut self, predicates: &[Predicate], trace: &[TraceEdge]) -> bool {
        let vocabulary = Vocabulary::new(self.symbols, self.module, self.automaton, predicates);
        for _ in 0..ROUNDS {
            let walk = self.walk(&vocabulary, trace);
            if self.strengthener.is_over() {
                return false;
            }
            let mut run = self.strengthener.solver();
            let outcome = run.check(&self.symbols.store, &walk.constraints);
            self.strengthener.count(&run);
            match outcome {
                Outcome::Unsat => return !self.strengthener.is_expired(),
                Outcome::Unknown => return false,
                Outcome::Sat => {}
            }
            let mut learned = false;
            for (at, (before, after)) in walk.steps.iter().enumerate() {
                if self.strengthener.is_over() {
                    return false;
                }
                for (edge, exclusion) in
                    self.impossible(&vocabulary, trace, at, before, after, &run)
                {
                    let known = self.strengthener.exclusions.entry(edge).or_default();
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

    /// What is impossible in one step of an abstract run.
    fn impossible(
        &mut self,
        vocabulary: &Vocabulary,
        trace: &[TraceEdge],
        at: usize,
        before: &Valuation,
        after: &Valuation,
        run: &Solver,
    ) -> Vec<(EdgeId, Exclusion)> {
        let taken = trace[at];
        let edge = self.automaton.edge(taken.edge);
        let effect = Effect::new(self.symbols, edge);
        let value = |judge: &Self, values: &Valuation, thread: u32, tracked: &Tracked| {
            let own = values.threads.get(&thread).and_then(|own: &Values| own.get(&tracked.name));
            let term = values.shared.get(&tracked.name).or(own).copied()?;
            Some(run.model_value(&judge.symbols.store, term) != 0)
        };
        let mut own = Vec::new();
        for tracked in vocabulary.visible(edge.root) {
            let place = (edge.root, edge.from);
            let now = self.automaton.resolve(self.symbols, place, tracked.term);
            let then = effect.before(self.symbols, tracked.term);
            let then = self.automaton.resolve(self.symbols, place, then);
            for (place, values, term) in [(Place::Before, before, now), (Place::After, after, then)]
            {
                if let Some(value) = value(self, values, taken.thread, tracked) {
                    own.push(self.literal(tracked, value, place, term));
                }
            }
        }
        let mut found = Vec::new();
        found.extend(self.contradiction(effect.guard, &own));
        let active: Vec<Literal> =
            own.into_iter().filter(|literal| literal.place == Place::Before).collect();
        let roots = roots(self, trace);
        let mut others: Vec<u32> = before.threads.keys().copied().collect();
        others.sort_unstable();
        for other in others.into_iter().filter(|&other| other != taken.thread) {
            let of = |tracked: &&Tracked| {
                tracked.class != Class::Shared
                    && tracked.root.is_none_or(|root| roots.get(&other) == Some(&root))
            };
            let mut known: Vec<(&Tracked, Literal)> = Vec::new();
            for tracked in vocabulary.tracked.iter().filter(of) {
                if let Some(value) = value(self, before, other, tracked) {
                    let literal = self.literal(tracked, value, Place::Passive, tracked.passive);
                    known.push((tracked, literal));
                }
            }
            for tracked in vocabulary.tracked.iter().filter(of) {
                let then = effect.before(self.symbols, tracked.passive);
                let value = value(self, after, other, tracked);
                if let Some(value) = value.filter(|_| then != tracked.passive) {
                    let mut with = active.clone();
                    let usable = known.iter().filter(|(read, _)| read.accompanies(tracked));
                    with.extend(usable.map(|&(_, literal)| literal));
                    with.push(self.literal(tracked, value, Place::PassiveAfter, then));
                    let excluded = self.contradiction(effect.guard, &with);
                    found.extend(excluded.filter(|e| e.passive_after.is_some()));
                }
            }
        }
        found.into_iter().map(|exclusion| (taken.edge, exclusion)).collect()
    }

    fn literal(&mut self, tracked: &Tracked, value: bool, place: Place, term: TermId) -> Literal {
        let term = if value { term } else { self.symbols.store.not(term) };
        Literal { predicate: tracked.term, value, place, term }
    }

    /// Few of the literals that no state satisfies in which the edge can be taken.
    fn contradiction(&mut self, guard: TermId, literals: &[Literal]) -> Option<Exclusion> {
        let mut solver = self.strengthener.solver();
        let store = &self.symbols.store;
        // For good: it is no part of the exclusion.
        solver.assert(store, guard);
        let terms: Vec<TermId> = literals.iter().map(|literal| literal.term).collect();
        let is_contradiction = solver.check(store, &terms) == Outcome::Unsat;
        let core = solver.core().to_vec();
        let core = if is_contradiction { solver.minimise(store, &core, SHORTEN) } else { core };
        self.strengthener.count(&solver);
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

/// The root of each thread that moves.
fn roots(judge: &Judge<'_>, trace: &[TraceEdge]) -> FxHashMap<u32, usize> {
    trace.iter().map(|taken| (taken.thread, judge.automaton.edge(taken.edge).root)).collect()
}
