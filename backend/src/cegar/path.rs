//! The abstract semantics of one trace: whether an abstraction over given predicates still allows
//! it. Predicates of the threads in the trace become Booleans, each step the abstraction of its
//! edge, and the SAT solver looks for values.

use rustc_hash::FxHashMap;
use sapa_ir::boolean::ast::{Expression, Owner, Target};
use sapa_ir::goto::{Module, Predicate};

use crate::abstraction::TraceEdge;
use crate::abstraction::edge::{AbstractEdge, Consistency, abstract_edge};
use crate::abstraction::program::{initial_value, start};
use crate::abstraction::{Options, Strengthener, Vocabulary};
use crate::automaton::leaf::Symbols;
use crate::automaton::{Automaton, EdgeId};
use crate::solver::{Outcome, Sort, TermId};

/// What a trace is judged with.
pub(super) struct Judge<'a> {
    pub(super) symbols: &'a mut Symbols,
    pub(super) module: &'a Module,
    pub(super) automaton: &'a Automaton,
    pub(super) strengthener: &'a mut Strengthener,
    pub(super) options: Options,
}

/// Predicates by name.
pub(super) type Values = FxHashMap<String, TermId>;

/// Values of all predicates at some point of a trace.
#[derive(Clone, Default)]
pub(super) struct Valuation {
    /// Shared predicates.
    pub(super) shared: Values,
    /// Each living thread's own predicates; threads that have not yet moved included.
    pub(super) threads: FxHashMap<u32, Values>,
}

/// The abstract state in which a trace has arrived.
#[derive(Default)]
struct State {
    values: Valuation,
    /// Threads whose own predicates were given their first values.
    begun: Vec<u32>,
    /// What must hold.
    constraints: Vec<TermId>,
    choices: usize,
}

/// The abstract semantics of a trace.
pub(super) struct Walk {
    /// What must hold if the abstraction takes the trace.
    pub(super) constraints: Vec<TermId>,
    /// For each of its steps, the values before and after.
    pub(super) steps: Vec<(Valuation, Valuation)>,
}

impl Judge<'_> {
    /// Whether no run of the abstraction over these predicates takes the trace. `false` if the
    /// time is over.
    pub(super) fn refutes(&mut self, predicates: &[Predicate], trace: &[TraceEdge]) -> bool {
        let (module, automaton, options) = (self.module, self.automaton, self.options);
        self.strengthener.gather(self.symbols, |strengthener, symbols| {
            let mut judge = Judge { symbols, module, automaton, strengthener, options };
            let vocabulary = Vocabulary::new(judge.symbols, module, automaton, predicates);
            let walk = judge.walk(&vocabulary, trace);
            if judge.strengthener.is_expired() || judge.strengthener.is_gathering() {
                return false;
            }
            let mut solver = judge.strengthener.solver();
            let outcome = solver.check(&judge.symbols.store, &walk.constraints);
            judge.strengthener.count(&solver);
            outcome == Outcome::Unsat
        })
    }

    /// Takes a trace through the abstraction over a vocabulary; not to its end where
    /// [`Strengthener::is_expired`] says so afterwards.
    pub(super) fn walk(&mut self, vocabulary: &Vocabulary, trace: &[TraceEdge]) -> Walk {
        let mut state = State::default();
        for tracked in &vocabulary.tracked {
            if tracked.is_stored_shared(self.options.mode) {
                let initial =
                    initial_value(self.symbols, self.automaton, self.strengthener, tracked.term);
                let value = match initial {
                    Some(value) => self.symbols.store.boolean(value),
                    None => self.choice(&mut state),
                };
                state.values.shared.insert(tracked.name.clone(), value);
            }
        }
        let own: Vec<String> = vocabulary
            .tracked
            .iter()
            .filter(|tracked| !tracked.is_stored_shared(self.options.mode))
            .map(|tracked| tracked.name.clone())
            .collect();
        let first = own.iter().map(|name| (name.clone(), self.choice(&mut state))).collect();
        state.values.threads.insert(0, first);
        let mut edges: FxHashMap<EdgeId, AbstractEdge> = FxHashMap::default();
        let mut consistencies: FxHashMap<usize, Consistency> = FxHashMap::default();
        let mut steps = Vec::with_capacity(trace.len());
        for taken in trace {
            if self.strengthener.is_over() {
                break;
            }
            let edge = self.automaton.edge(taken.edge);
            let consistency = consistencies.entry(edge.root).or_insert_with(|| {
                Consistency::new(
                    self.symbols,
                    vocabulary,
                    edge.root,
                    self.strengthener,
                    self.options,
                )
            });
            let abstracted = edges.entry(taken.edge).or_insert_with(|| {
                abstract_edge(
                    self.symbols,
                    self.automaton,
                    vocabulary,
                    consistency,
                    taken.edge,
                    self.strengthener,
                    self.options,
                )
            });
            if !state.begun.contains(&taken.thread) {
                state.begun.push(taken.thread);
                let (assignments, guard) = start(
                    self.symbols,
                    self.automaton,
                    vocabulary,
                    consistency,
                    self.strengthener,
                    self.options,
                    edge.root,
                );
                self.step(&mut state, taken.thread, &AbstractEdge { guard, assignments });
            }
            let before = state.values.clone();
            self.step(&mut state, taken.thread, abstracted);
            steps.push((before, state.values.clone()));
            if let Some(started) = taken.started {
                let copies = state.values.threads.get(&taken.thread).cloned().unwrap_or_default();
                state.values.threads.insert(started, copies);
            }
            if matches!(edge.to, crate::automaton::EdgeTarget::EndThread) {
                state.values.threads.remove(&taken.thread);
            }
        }
        Walk { constraints: state.constraints, steps }
    }

    /// A value that nothing determines.
    fn choice(&mut self, state: &mut State) -> TermId {
        state.choices += 1;
        self.symbols.store.variable(&format!("choice!{}", state.choices), Sort::Bool)
    }

    /// Takes an abstract step of a thread.
    fn step(&mut self, state: &mut State, thread: u32, edge: &AbstractEdge) {
        let mut others: Vec<u32> =
            state.values.threads.keys().copied().filter(|&other| other != thread).collect();
        others.sort_unstable();
        // All right-hand sides are read before the step.
        let mut shared = state.values.shared.clone();
        let mut own = state.values.threads.get(&thread).cloned().unwrap_or_default();
        let mut passive = Vec::new();
        for (target, value) in &edge.assignments {
            match target {
                Target::Variable { name, owner: Owner::Active } => {
                    let value = self.value(state, thread, None, None, value);
                    let values = if shared.contains_key(name) { &mut shared } else { &mut own };
                    values.insert(name.clone(), value);
                }
                Target::Variable { name, owner: Owner::Passive } => {
                    for &other in &others {
                        let value = self.value(state, thread, Some(other), None, value);
                        passive.push((other, name.clone(), value));
                    }
                }
                Target::Ignore => {}
            }
        }
        if let Some(guard) = &edge.guard {
            let holds = self.value(state, thread, None, Some((&shared, &own)), guard);
            state.constraints.push(holds);
        }
        state.values.shared = shared;
        state.values.threads.insert(thread, own);
        for (other, name, value) in passive {
            if let Some(values) = state.values.threads.get_mut(&other) {
                values.insert(name, value);
            }
        }
    }

    /// The value of an expression for an active and a passive thread; `next` has the shared
    /// predicates and the active thread's after the step.
    fn value(
        &mut self,
        state: &mut State,
        active: u32,
        passive: Option<u32>,
        next: Option<(&Values, &Values)>,
        expression: &Expression,
    ) -> TermId {
        let mut sub = |this: &mut Self, e: &Expression| this.value(state, active, passive, next, e);
        match expression {
            Expression::Constant(value) => self.symbols.store.boolean(*value),
            Expression::Variable { name, owner, next: after } => {
                let thread = match owner {
                    Owner::Active => Some(active),
                    Owner::Passive => passive,
                };
                let found = match next.filter(|_| *after && *owner == Owner::Active) {
                    Some((shared, own)) => shared.get(name).or_else(|| own.get(name)),
                    None => state.values.shared.get(name).or_else(|| {
                        thread.and_then(|thread| state.values.threads.get(&thread)?.get(name))
                    }),
                };
                match found {
                    Some(&value) => value,
                    None => self.choice(state),
                }
            }
            Expression::Nondet => self.choice(state),
            Expression::Choose(positive, negative) => {
                let (positive, negative) = (sub(self, positive), sub(self, negative));
                let free = self.choice(state);
                let not_negative = self.symbols.store.not(negative);
                let free = self.symbols.store.and(free, not_negative);
                self.symbols.store.or(positive, free)
            }
            Expression::Not(e) => {
                let e = sub(self, e);
                self.symbols.store.not(e)
            }
            Expression::And(es) => {
                let es: Vec<TermId> = es.iter().map(|e| sub(self, e)).collect();
                self.symbols.store.and_all(es)
            }
            Expression::Or(es) => {
                let es: Vec<TermId> = es.iter().map(|e| sub(self, e)).collect();
                self.symbols.store.or_all(es)
            }
            // The abstraction makes no others; any value is an over-approximation.
            Expression::Xor(_)
            | Expression::Equal(..)
            | Expression::NotEqual(..)
            | Expression::Implies(..)
            | Expression::Conditional(..) => self.choice(state),
        }
    }
}
