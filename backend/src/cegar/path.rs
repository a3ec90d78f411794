//! The abstract semantics of one trace: whether an abstraction over given predicates still allows
//! it. Predicates of the threads in the trace become Booleans, each step the abstraction of its
//! edge, and the SAT solver looks for values.

use rustc_hash::FxHashMap;

use crate::abstraction::step::{AbstractStep, Cube, Of, Value, Variable};
use crate::abstraction::{Abstractor, Code, PredicateId, StepKey, TraceEdge};
use crate::automaton::EdgeTarget;
use crate::solver::{Outcome, Sort, TermId, TermStore};

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
}

/// The abstract semantics of a trace.
pub(super) struct Walk {
    /// What must hold if the abstraction takes the trace.
    pub(super) constraints: Vec<TermId>,
    /// For each of its steps, the values before and after.
    pub(super) steps: Vec<(Valuation, Valuation)>,
}

/// Whether no run of the abstraction over these predicates takes the trace. `false` if that was not
/// found out within the limits and the budget.
pub(super) fn refutes(
    abstractor: &mut Abstractor<'_>,
    vocabulary: &[PredicateId],
    trace: &[TraceEdge],
) -> bool {
    let Some(walk) = walk(abstractor, vocabulary, trace) else { return false };
    let mut solver = abstractor.strengthener.solver();
    let outcome = solver.check(&abstractor.symbols.store, &walk.constraints);
    abstractor.strengthener.count(&solver);
    outcome == Outcome::Unsat
}

/// Takes a trace through the abstraction over a vocabulary; `None` if a limit or the budget ended
/// that.
pub(super) fn walk(
    abstractor: &mut Abstractor<'_>,
    vocabulary: &[PredicateId],
    trace: &[TraceEdge],
) -> Option<Walk> {
    let automaton = abstractor.automaton;
    let code = |taken: &TraceEdge| Code { root: automaton.edge(taken.edge).root, slot: None };
    let mut wanted: Vec<StepKey> = Vec::new();
    let starts = trace.iter().map(|taken| (code(taken), None));
    for step in starts.chain(trace.iter().map(|taken| (code(taken), Some(taken.edge)))) {
        if !wanted.contains(&step) {
            wanted.push(step);
        }
    }
    let parts = abstractor.parts(vocabulary, &wanted)?;
    let tracked = abstractor.predicates.tracked(vocabulary);
    let mut state = State {
        store: &mut abstractor.symbols.store,
        values: Valuation::default(),
        constraints: Vec::new(),
        choices: 0,
    };
    for (variable, value) in &parts.initial {
        let value = state.value(0, 0, value);
        state.values.shared.insert(variable.predicate, value);
    }
    let mode = abstractor.options.mode;
    let own = tracked.iter().filter(|tracked| !tracked.is_stored_shared(mode));
    let first = own.map(|tracked| (tracked.id, state.choice())).collect();
    state.values.threads.insert(0, first);
    // Threads whose own predicates were given their first values.
    let mut begun: Vec<u32> = Vec::new();
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
            let copies = state.values.threads.get(&taken.thread).cloned().unwrap_or_default();
            state.values.threads.insert(started, copies);
        }
        if automaton.edge(taken.edge).to == EdgeTarget::EndThread {
            state.values.threads.remove(&taken.thread);
        }
    }
    Some(Walk { constraints: state.constraints, steps })
}

impl State<'_> {
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
                self.cube(active, passive, None, &vec![(*variable, *sign)])
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

    /// A cube for an active and a passive thread; `after` is the state after the step.
    fn cube(
        &mut self,
        active: u32,
        passive: u32,
        after: Option<&Valuation>,
        cube: &Cube,
    ) -> TermId {
        let literals = cube.iter().map(|&(Variable { predicate, of }, sign)| {
            let found = match (of, after) {
                (Of::Next, Some(after)) => after.get(active, predicate),
                (Of::Passive, _) => self.values.get(passive, predicate),
                _ => self.values.get(active, predicate),
            };
            let value = found.unwrap_or_else(|| self.choice());
            if sign { value } else { self.store.not(value) }
        });
        let literals: Vec<TermId> = literals.collect();
        self.store.and_all(literals)
    }
}
