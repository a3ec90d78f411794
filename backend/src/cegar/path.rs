//! The abstract semantics of one trace: whether an abstraction over given predicates still allows
//! it. Predicates of the threads in the trace become Booleans, each step the abstraction of its
//! edge, and the SAT solver looks for values.

use rustc_hash::FxHashMap;

use super::preconditions::positions;
use super::simulate::{Terms, terms};
use crate::abstraction::between::leaf_sets;
use crate::abstraction::step::{AbstractStep, Cube, Of, Value, Variable};
use crate::abstraction::vocabulary::{is_shared, rename};
use crate::abstraction::{
    Abstractor, Code, PredicateId, Quantified, Side, StepKey, TraceEdge, Tracked,
};
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::{Automaton, EdgeTarget, NodeId};
use crate::index::small_index;
use crate::solver::{Outcome, Solver, Sort, TermId, TermStore};

/// Values of predicates.
pub(super) type Values = FxHashMap<PredicateId, TermId>;

/// Values of all predicates at some point of a trace.
#[derive(Clone, Default)]
pub(super) struct Valuation {
    /// Shared predicates.
    pub(super) shared: Values,
    /// Each living thread's own predicates; threads that have not yet moved included.
    pub(super) threads: FxHashMap<u32, Values>,
}

impl Valuation {
    /// The value of a predicate of a thread, or of a shared one.
    pub(super) fn get(&self, thread: u32, predicate: PredicateId) -> Option<TermId> {
        let own = || self.threads.get(&thread)?.get(&predicate);
        self.shared.get(&predicate).or_else(own).copied()
    }
}

/// The abstract state in which a trace has arrived.
struct State<'s> {
    store: &'s mut TermStore,
    values: Valuation,
    /// What must hold.
    constraints: Vec<TermId>,
    choices: usize,
    /// Of the predicates that can be left out, Booleans that say that they are not.
    selectors: &'s FxHashMap<PredicateId, TermId>,
}

/// The abstract semantics of a trace.
pub(super) struct Walk {
    /// What must hold if the abstraction takes the trace.
    pub(super) constraints: Vec<TermId>,
    /// For each of its steps, the values before and after.
    pub(super) steps: Vec<(Valuation, Valuation)>,
}

/// Where and over what a trace is taken through the abstraction.
#[derive(Clone, Copy)]
pub(super) struct Followed<'f> {
    pub(super) vocabulary: &'f [PredicateId],
    pub(super) trace: &'f [TraceEdge],
    /// How many steps at its beginning are taken as the program takes them: behind them are all states
    /// in which the program arrives there.
    pub(super) executed: usize,
}

/// The abstract semantics of a trace over a vocabulary and further predicates, any of which can be left
/// out: cubes over fewer predicates are those of the cubes over all that do not have the others.
pub(super) struct Refutation {
    constraints: Vec<TermId>,
    selectors: Vec<TermId>,
    solver: Solver,
}

impl Refutation {
    /// `None` if a limit or the budget ended the abstraction.
    pub(super) fn new(
        abstractor: &mut Abstractor<'_>,
        followed: Followed<'_>,
        further: &[PredicateId],
    ) -> Option<Self> {
        let store = &mut abstractor.symbols.store;
        let selector =
            |&id: &PredicateId| (id, store.variable(&format!("selected!{}", id.0), Sort::Bool));
        let selectors: Vec<(PredicateId, TermId)> = further.iter().map(selector).collect();
        let all: Vec<PredicateId> = followed.vocabulary.iter().chain(further).copied().collect();
        let all = Followed { vocabulary: &all, ..followed };
        let constraints =
            selecting(abstractor, all, &selectors.iter().copied().collect())?.constraints;
        let selectors = selectors.into_iter().map(|(_, selector)| selector).collect();
        Some(Self { constraints, selectors, solver: abstractor.strengthener.solver() })
    }

    /// Whether no run of the abstraction over the vocabulary and these of the further predicates takes
    /// the trace. `false` if that was not found out within the limits and the budget.
    pub(super) fn holds(&mut self, store: &TermStore, chosen: impl Iterator<Item = usize>) -> bool {
        let chosen = chosen.filter_map(|at| self.selectors.get(at));
        let assumptions: Vec<TermId> = self.constraints.iter().chain(chosen).copied().collect();
        self.solver.check(store, &assumptions) == Outcome::Unsat
    }

    /// Of these of the further predicates those that the last refutation needed.
    pub(super) fn needed(&self, chosen: impl Iterator<Item = usize>) -> Vec<usize> {
        let core = self.solver.core();
        let is_needed = |at: &usize| self.selectors.get(*at).is_some_and(|s| core.contains(s));
        chosen.filter(is_needed).collect()
    }

    /// Counts what was done.
    pub(super) fn end(self, abstractor: &mut Abstractor<'_>) {
        abstractor.strengthener.count(&self.solver);
    }
}

/// Whether no run of the abstraction takes the trace. `false` if that was not found out within the limits
/// and the budget.
pub(super) fn refutes(abstractor: &mut Abstractor<'_>, followed: Followed<'_>) -> bool {
    let Some(mut walk) = Refutation::new(abstractor, followed, &[]) else { return false };
    let holds = walk.holds(&abstractor.symbols.store, std::iter::empty());
    walk.end(abstractor);
    holds
}

/// Takes a trace through the abstraction over a vocabulary. `None` if a limit or the budget ended that.
pub(super) fn walk(abstractor: &mut Abstractor<'_>, followed: Followed<'_>) -> Option<Walk> {
    selecting(abstractor, followed, &FxHashMap::default())
}

/// The same where some predicates can be left out.
fn selecting(
    abstractor: &mut Abstractor<'_>,
    Followed { vocabulary, trace, executed }: Followed<'_>,
    selectors: &FxHashMap<PredicateId, TermId>,
) -> Option<Walk> {
    let automaton = abstractor.automaton;
    let (executed, trace) = trace.split_at(executed);
    let code = |taken: &TraceEdge| Code { root: automaton.edge(taken.edge).root, slot: None };
    let mut wanted: Vec<StepKey> = Vec::new();
    let starts = trace.iter().map(|taken| (code(taken), None));
    for step in starts.chain(trace.iter().map(|taken| (code(taken), Some(taken.edge)))) {
        if !wanted.contains(&step) {
            wanted.push(step);
        }
    }
    let parts = abstractor.parts(vocabulary, &wanted)?;
    let mode = abstractor.options.mode;
    let tracked = abstractor.predicates.tracked(vocabulary);
    let quantified = abstractor.predicates.quantified(vocabulary, mode);
    let live = leaf_sets(&quantified);
    let standing = abstractor.standing(vocabulary);
    let (values, constraints) = match executed {
        [] => Default::default(),
        executed => after(abstractor, (&tracked, &quantified), executed),
    };
    // Threads whose own predicates were given their first values.
    let mut begun: Vec<u32> = values.threads.keys().copied().collect();
    let store = &mut abstractor.symbols.store;
    let mut state = State { store, values, constraints, choices: 0, selectors };
    if executed.is_empty() {
        for (variable, value) in &parts.initial {
            let value = state.value(0, 0, value);
            state.values.shared.insert(variable.predicate, value);
        }
        let own = tracked.iter().filter(|tracked| !tracked.is_stored_shared(mode));
        let between = quantified.iter().filter(|quantified| !quantified.is_stored_shared());
        let own = own.map(|tracked| tracked.id).chain(between.map(|quantified| quantified.id));
        let own = own.chain(live.iter().map(|set| set.is_live()));
        let own = own.chain(standing.iter().map(|standing| standing.id));
        let first = own.map(|id| (id, state.choice())).collect();
        state.values.threads.insert(0, first);
    }
    let mut steps = Vec::with_capacity(trace.len());
    for taken in trace {
        if !begun.contains(&taken.thread) {
            begun.push(taken.thread);
            state.step(taken.thread, &parts.steps[&(code(taken), None)]);
        }
        let before = state.values.clone();
        state.step(taken.thread, &parts.steps[&(code(taken), Some(taken.edge))]);
        steps.push((before, state.values.clone()));
        if let Some(started) = taken.started {
            let mut copies = state.values.threads.get(&taken.thread).cloned().unwrap_or_default();
            // It does not stand where its parent does.
            let never = state.store.false_();
            copies.extend(live.iter().map(|set| (set.is_live(), never)));
            copies.extend(standing.iter().map(|standing| (standing.id, never)));
            state.values.threads.insert(started, copies);
        }
        state.cut_off(&parts.never);
        if automaton.edge(taken.edge).to == EdgeTarget::EndThread {
            state.values.threads.remove(&taken.thread);
        }
    }
    Some(Walk { constraints: state.constraints, steps })
}

/// The predicates' values after an execution, as terms over its inputs, and the conditions under which
/// it is one.
fn after(
    abstractor: &mut Abstractor<'_>,
    (tracked, quantified): (&[Tracked], &[Quantified]),
    executed: &[TraceEdge],
) -> (Valuation, Vec<TermId>) {
    let predicates = &abstractor.predicates;
    let (automaton, mode) = (abstractor.automaton, abstractor.options.mode);
    let positions = positions(automaton, executed).pop().unwrap_or_default();
    let Terms { mut state, guards, .. } = terms(&mut abstractor.symbols, automaton, executed);
    let step = small_index(executed.len());
    let mut values = Valuation::default();
    let mut value = |tracked: &Tracked, thread, place| {
        let term = automaton.resolve(state.symbols, place, tracked.term);
        let term = state.now(term, thread, step);
        state.symbols.to_bool(term)
    };
    for (&thread, &place) in &positions {
        let (root, _) = place;
        let of_it = tracked.iter().filter(|tracked| !tracked.is_stored_shared(mode));
        let of_it = of_it.filter(|tracked| tracked.is_visible(root));
        let of_it = of_it.map(|tracked| (tracked.id, value(tracked, thread, place))).collect();
        values.threads.insert(thread, of_it);
    }
    // What all threads see is the same at any place.
    if let Some((&thread, &place)) = positions.iter().next() {
        let shared = tracked.iter().filter(|tracked| tracked.is_stored_shared(mode));
        let shared = shared.map(|tracked| (tracked.id, value(tracked, thread, place)));
        values.shared = shared.collect();
    }
    // What holds, which may be more than what is known of it.
    for quantified in quantified {
        let stands = |side: Side, place: (usize, NodeId)| {
            side.is_of(place.0) && predicates.are_live(side, place)
        };
        let all = positions.iter().map(|(&thread, &place)| (thread, place));
        let others: Vec<Standing> =
            all.clone().filter(|&(_, place)| stands(quantified.other, place)).collect();
        let mut holds = |own: Option<Standing>| {
            let others = others.iter().filter(|(other, _)| own.is_none_or(|own| own.0 != *other));
            let every = others.map(|&other| {
                let term = of_threads(state.symbols, automaton, quantified.term, own, other);
                state.of_threads_now(term)
            });
            let every: Vec<TermId> = every.collect();
            state.symbols.store.and_all(every)
        };
        let Some(own) = quantified.own else {
            values.shared.insert(quantified.id, holds(None));
            continue;
        };
        let (live, dead): (Vec<Standing>, Vec<Standing>) =
            all.partition(|&(_, place)| stands(own, place));
        for standing in live {
            let value = holds(Some(standing));
            values.threads.entry(standing.0).or_default().insert(quantified.id, value);
        }
        let never = state.symbols.store.false_();
        for (thread, _) in dead {
            values.threads.entry(thread).or_default().insert(quantified.id, never);
        }
    }
    for set in leaf_sets(quantified) {
        for (&thread, &place) in &positions {
            let live = predicates.are_live(Side { root: None, leaves: set }, place);
            let live = state.symbols.store.boolean(live);
            values.threads.entry(thread).or_default().insert(set.is_live(), live);
        }
    }
    (values, guards.into_iter().map(|guard| guard.term).collect())
}

/// A thread, and where it stands.
type Standing = (u32, (usize, NodeId));

/// A predicate between two threads that stand somewhere, over what they have.
fn of_threads(
    symbols: &mut Symbols,
    automaton: &Automaton,
    term: TermId,
    own: Option<Standing>,
    other: Standing,
) -> TermId {
    let who = |of: Instance| if of == Instance::Passive { Some(other) } else { own };
    symbols.rewrite(term, |symbols, leaf, of, bits| {
        let (thread, (root, node)) = who(of).filter(|_| !is_shared(automaton, leaf))?;
        let place = automaton.roots[root].nodes[node.index()].position;
        let bound = match leaf {
            Leaf::Variable(_, variable) => automaton.roots[root].variables.term(variable, place),
            _ => None,
        };
        let active = bound.unwrap_or_else(|| symbols.variable(leaf, Instance::Active, bits));
        Some(rename(symbols, automaton, active, Instance::Thread(thread)))
    })
}

impl State<'_> {
    /// Requires that no thread has what none has, and no two have together what no two have.
    fn cut_off(&mut self, never: &[Cube]) {
        let mut threads: Vec<u32> = self.values.threads.keys().copied().collect();
        threads.sort_unstable();
        for cube in never {
            let is_between = cube.iter().any(|(variable, _)| variable.of == Of::Passive);
            for &one in &threads {
                for &other in threads.iter().filter(|&&other| (other != one) == is_between) {
                    let cube = self.cube(one, other, None, cube);
                    let not = self.store.not(cube);
                    self.constraints.push(not);
                }
            }
        }
    }

    /// A value that nothing determines.
    fn choice(&mut self) -> TermId {
        self.choices += 1;
        self.store.variable(&format!("choice!{}", self.choices), Sort::Bool)
    }

    /// Takes an abstract step of a thread.
    fn step(&mut self, thread: u32, step: &AbstractStep) {
        let mut others: Vec<u32> =
            self.values.threads.keys().copied().filter(|&other| other != thread).collect();
        others.sort_unstable();
        // All right-hand sides are read before the step.
        let mut after = self.values.clone();
        after.threads.entry(thread).or_default();
        for (variable, value) in &step.assignments {
            let id = variable.predicate;
            match variable.of {
                Of::Active if after.shared.contains_key(&id) => {
                    let value = self.value(thread, thread, value);
                    after.shared.insert(id, value);
                }
                Of::Active => {
                    let value = self.value(thread, thread, value);
                    after.threads.entry(thread).or_default().insert(id, value);
                }
                Of::Passive => {
                    for &other in &others {
                        let value = self.value(thread, other, value);
                        after.threads.entry(other).or_default().insert(id, value);
                    }
                }
                Of::Next | Of::Slot(_) => unreachable!("no step of a trace assigns these"),
            }
        }
        if !step.never.is_empty() {
            let possible = step.never.iter().map(|cube| {
                let cube = self.cube(thread, thread, Some(&after), cube);
                self.store.not(cube)
            });
            let possible: Vec<TermId> = possible.collect();
            let holds = self.store.and_all(possible);
            self.constraints.push(holds);
        }
        self.values = after;
    }

    fn value(&mut self, active: u32, passive: u32, value: &Value) -> TermId {
        match value {
            Value::Constant(value) => self.store.boolean(*value),
            Value::Literal(variable, sign) => {
                let value = self.literal(active, passive, None, (*variable, *sign));
                match self.selectors.get(&variable.predicate) {
                    Some(&selector) => {
                        let any = self.choice();
                        self.store.ite(selector, value, any)
                    }
                    None => value,
                }
            }
            Value::Choose(holds, fails) => {
                let [holds, fails] = [holds, fails].map(|cubes| {
                    let any = cubes.iter().map(|cube| self.cube(active, passive, None, cube));
                    let any: Vec<TermId> = any.collect();
                    self.store.or_all(any)
                });
                let free = self.choice();
                let can_hold = self.store.not(fails);
                let free = self.store.and(free, can_hold);
                self.store.or(holds, free)
            }
        }
    }

    /// A cube for an active and a passive thread; `after` is the state after the step. There is none
    /// without all of its predicates.
    fn cube(
        &mut self,
        active: u32,
        passive: u32,
        after: Option<&Valuation>,
        cube: &Cube,
    ) -> TermId {
        let mut all = Vec::with_capacity(cube.len());
        for &literal in cube {
            all.push(self.literal(active, passive, after, literal));
            all.extend(self.selectors.get(&literal.0.predicate));
        }
        self.store.and_all(all)
    }

    fn literal(
        &mut self,
        active: u32,
        passive: u32,
        after: Option<&Valuation>,
        (Variable { predicate, of }, sign): (Variable, bool),
    ) -> TermId {
        let found = match (of, after) {
            (Of::Next, Some(after)) => after.get(active, predicate),
            (Of::Passive, _) => self.values.get(passive, predicate),
            _ => self.values.get(active, predicate),
        };
        let value = found.unwrap_or_else(|| self.choice());
        if sign { value } else { self.store.not(value) }
    }
}
