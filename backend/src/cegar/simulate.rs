//! Simulation of an abstract trace on the concrete n-thread program (SAPA
//! section 4): the edges of the trace are executed on terms, local leaves
//! indexed by thread, and the guards are given to the solver.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{CompareOp, Location, handle};

use crate::abstraction::TraceEdge;
use crate::abstraction::vocabulary::is_shared;
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::value::{compare, constant};
use crate::automaton::{Automaton, EdgeTarget, Effect};
use crate::execution::counterexample::Choices;
use crate::index::small_index;
use crate::solver::{Outcome, Solver, TermId};

/// A guard of the trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceGuard {
    /// Step of the trace.
    pub step: usize,
    /// Index among the guards of its edge; `None` for the condition of a join.
    pub guard: Option<usize>,
    /// Over the initial state and the inputs.
    pub term: TermId,
    /// Where it comes from.
    pub location: Location,
}

/// What the simulation found.
#[derive(Debug)]
pub enum Simulation {
    /// The trace is an execution, with these choices.
    Feasible(Choices),
    /// It is not; these guards contradict each other. They are those of the
    /// shortest infeasible prefix, minimised.
    Infeasible {
        /// Sorted by step.
        core: Vec<TraceGuard>,
        /// Per step: the leaves that it gives values, as far as these are determined; the
        /// strongest postcondition of a trace without choices.
        values: Vec<Vec<(Leaf, u128)>>,
    },
    /// The solver gave up.
    Unknown,
}

/// The state of a run on terms.
pub(super) struct State<'a> {
    pub symbols: &'a mut Symbols,
    automaton: &'a Automaton,
    values: FxHashMap<(Leaf, u32), TermId>,
    /// The input that is the handle of the thread that is being started, and the handle.
    handle: Option<(u32, TermId)>,
    /// Leaves that were read before they were written; the owner of shared ones is [`EVERYONE`].
    pub initial: BTreeMap<(Leaf, u32), TermId>,
}

/// Owner of shared leaves in [`State::values`].
pub(super) const EVERYONE: u32 = u32::MAX;

impl State<'_> {
    fn owner(&self, leaf: Leaf, thread: u32) -> u32 {
        if is_shared(self.automaton, leaf) { EVERYONE } else { thread }
    }

    /// The current value of a leaf.
    fn get(&mut self, leaf: Leaf, thread: u32, bits: u16) -> TermId {
        let key = (leaf, self.owner(leaf, thread));
        if let Some(&term) = self.values.get(&key) {
            return term;
        }
        let known = match leaf {
            Leaf::Cell(cell) => self.automaton.memory.cell(cell).initial,
            _ => None,
        };
        let term = match known {
            Some(value) => constant(self.symbols, bits, value),
            None => {
                let instance =
                    if key.1 == EVERYONE { Instance::Active } else { Instance::Thread(thread) };
                let term = self.symbols.variable(leaf, instance, bits);
                self.initial.insert(key, term);
                term
            }
        };
        self.values.insert(key, term);
        term
    }

    /// A term over an edge's leaves as one over the initial state and the inputs.
    pub(super) fn now(&mut self, term: TermId, thread: u32, step: u32) -> TermId {
        let mut map = FxHashMap::default();
        for variable in self.symbols.store.variables(term) {
            let bits = self.symbols.bits(variable);
            let value = match self.symbols.leaf(variable) {
                Some((Leaf::Input(input), _)) if self.handle.is_some_and(|(h, _)| h == input) => {
                    self.handle.map_or(variable, |(_, handle)| handle)
                }
                Some((Leaf::Input(input), _)) => {
                    self.symbols.variable(Leaf::Input(input), Instance::Thread(step), bits)
                }
                Some((leaf, _)) => self.get(leaf, thread, bits),
                None => variable,
            };
            map.insert(variable, value);
        }
        self.symbols.store.substitute(term, &map)
    }
}

impl State<'_> {
    /// A term over leaves of several threads as one over the initial state and the inputs.
    pub(super) fn of_threads_now(&mut self, term: TermId) -> TermId {
        let mut map = FxHashMap::default();
        for variable in self.symbols.store.variables(term) {
            let bits = self.symbols.bits(variable);
            let value = match self.symbols.leaf(variable) {
                Some((leaf, Instance::Thread(thread))) => self.get(leaf, thread, bits),
                Some((leaf, Instance::Active)) => self.get(leaf, EVERYONE, bits),
                _ => variable,
            };
            map.insert(variable, value);
        }
        self.symbols.store.substitute(term, &map)
    }
}

/// Simulates a trace.
pub fn simulate(
    symbols: &mut Symbols,
    automaton: &Automaton,
    trace: &[TraceEdge],
    solver: &mut Solver,
) -> Simulation {
    let Terms { state, mut guards, writes } = terms(symbols, automaton, trace);
    let State { symbols, initial, .. } = state;
    let terms_of =
        |guards: &[TraceGuard]| -> Vec<TermId> { guards.iter().map(|guard| guard.term).collect() };
    match solver.check(&symbols.store, &terms_of(&guards)) {
        Outcome::Unknown => Simulation::Unknown,
        Outcome::Sat => {
            let mut inputs = Vec::new();
            for (step, taken) in (0u32..).zip(trace) {
                let values = automaton.edge(taken.edge).step.inputs.iter().map(|&input| {
                    let bits = automaton.input(input).bits;
                    let instance = Instance::Thread(step);
                    let term = symbols.variable(Leaf::Input(input), instance, bits);
                    solver.model_value(&symbols.store, term)
                });
                inputs.push(values.collect());
            }
            let initial = initial.iter().map(|(&(leaf, owner), &term)| {
                let thread = if owner == EVERYONE { 0 } else { owner };
                (leaf, thread, solver.model_value(&symbols.store, term))
            });
            let initial = initial.collect();
            Simulation::Feasible(Choices { inputs, initial })
        }
        Outcome::Unsat => {
            // What joins and handles say gives no predicates: if the steps alone are infeasible
            // too, they are the reason to look at. And if they are whatever the counters of long
            // loops say, then these are not: predicates would follow them round by round.
            let lasts = |guard: &TraceGuard| !counts_rounds(symbols, automaton, trace, guard);
            let own: Vec<TraceGuard> =
                guards.iter().filter(|g| g.guard.is_some()).copied().collect();
            let lasting: Vec<TraceGuard> =
                own.iter().filter(|guard| lasts(guard)).copied().collect();
            let mut contradict = |guards: &[TraceGuard]| {
                solver.check(&symbols.store, &terms_of(guards)) == Outcome::Unsat
            };
            if contradict(&own) {
                guards = own;
                if lasting.len() < guards.len() && contradict(&lasting) {
                    guards = lasting;
                }
            }
            let assumptions = terms_of(&guards);
            // The shortest infeasible prefix, by bisection over its length.
            let (mut low, mut high) = (0, guards.len());
            while low + 1 < high {
                let middle = usize::midpoint(low, high);
                match solver.check(&symbols.store, &assumptions[..middle]) {
                    Outcome::Sat => low = middle,
                    Outcome::Unsat => high = middle,
                    Outcome::Unknown => break,
                }
            }
            if solver.check(&symbols.store, &assumptions[..high]) != Outcome::Unsat {
                return Simulation::Unknown;
            }
            let core = solver.core().to_vec();
            let core = solver.minimise(&symbols.store, &core, 40);
            let core =
                guards.into_iter().take(high).filter(|guard| core.contains(&guard.term)).collect();
            let constant = |&(leaf, term): &(Leaf, TermId)| {
                let store = &symbols.store;
                let boolean = store.as_boolean(term).map(u128::from);
                Some((leaf, boolean.or_else(|| store.as_constant(term))?))
            };
            let values = writes.iter().map(|step| step.iter().filter_map(constant).collect());
            Simulation::Infeasible { core, values: values.collect() }
        }
    }
}

/// A trace as terms over the initial state and the inputs.
pub(super) struct Terms<'a> {
    /// The state after it.
    pub state: State<'a>,
    /// All must hold.
    pub guards: Vec<TraceGuard>,
    /// Per step: the values that it gives to leaves.
    pub writes: Vec<Vec<(Leaf, TermId)>>,
}

/// Numbers as ranges: their first ones, and how many each has. Where thousands of threads have ended,
/// they have mostly done so in some order.
#[derive(Default)]
struct Ranges(BTreeMap<u128, u128>);

/// Ranges of no more numbers are compared with one by one.
const SHORT: u128 = 4;

impl Ranges {
    fn insert(&mut self, number: u128) {
        let before = self.0.range(..=number).next_back().map(|(&first, &count)| (first, count));
        let (mut first, mut count) = (number, 1);
        if let Some((start, length)) = before.filter(|(start, length)| start + length >= number) {
            if start + length > number {
                return;
            }
            (first, count) = (start, length + 1);
        }
        if let Some(length) = self.0.remove(&(number + 1)) {
            count += length;
        }
        self.0.insert(first, count);
    }

    /// That a term is one of the numbers.
    fn contain(&self, symbols: &mut Symbols, term: TermId) -> TermId {
        let store = &mut symbols.store;
        if let Some(value) = store.as_constant(term) {
            let before = self.0.range(..=value).next_back();
            return store.boolean(before.is_some_and(|(first, count)| value - first < *count));
        }
        let width = store.width(term);
        let mut found = store.false_();
        for (&first, &count) in &self.0 {
            if count > SHORT {
                let (start, count) = (store.constant(width, first), store.constant(width, count));
                let distance = store.sub(term, start);
                let inside = store.ult(distance, count);
                found = store.or(found, inside);
                continue;
            }
            for number in first..first + count {
                let number = store.constant(width, number);
                let same = store.eq(term, number);
                found = store.or(found, same);
            }
        }
        found
    }
}

/// Executes a trace on terms.
pub(super) fn terms<'a>(
    symbols: &'a mut Symbols,
    automaton: &'a Automaton,
    trace: &[TraceEdge],
) -> Terms<'a> {
    let mut state = State {
        symbols,
        automaton,
        values: FxHashMap::default(),
        handle: None,
        initial: BTreeMap::new(),
    };
    let mut guards: Vec<TraceGuard> = Vec::new();
    let mut ended = Ranges::default();
    let mut writes: Vec<Vec<(Leaf, TermId)>> = Vec::new();
    for (index, taken) in trace.iter().enumerate() {
        let edge = automaton.edge(taken.edge);
        let step = small_index(index);
        state.handle = None;
        if let Some(Effect::Spawn { handle: Some(input), location, .. }) = edge.effect {
            // A handle is the number of the thread in order of creation.
            let bits = automaton.input(input).bits;
            let variable = state.symbols.variable(Leaf::Input(input), Instance::Thread(step), bits);
            let term = match taken.started {
                Some(started) => {
                    let of_it = constant(state.symbols, bits, handle(started));
                    state.handle = Some((input, of_it));
                    compare(state.symbols, CompareOp::Eq, variable, of_it)
                }
                // A start waits until there is room.
                None => state.symbols.store.false_(),
            };
            guards.push(TraceGuard { step: index, guard: None, term, location });
        }
        for (number, guard) in edge.step.guards.iter().enumerate() {
            let term = state.now(guard.term, taken.thread, step);
            let (guard, location) = (Some(number), guard.location);
            guards.push(TraceGuard { step: index, guard, term, location });
        }
        if let Some(Effect::Join { handle: joined, location }) = edge.effect {
            let joined = state.now(joined, taken.thread, step);
            let term = ended.contain(state.symbols, joined);
            guards.push(TraceGuard { step: index, guard: None, term, location });
        }
        let mut update = |(&leaf, &term)| (leaf, state.now(term, taken.thread, step));
        let updates: Vec<(Leaf, TermId)> = edge.step.updates.iter().map(&mut update).collect();
        let arguments: Vec<(Leaf, TermId)> = match &edge.effect {
            Some(Effect::Spawn { root, arguments, .. }) => {
                let parameters = automaton.roots[*root].parameters.iter().map(|(leaf, _)| leaf);
                parameters.zip(arguments).map(&mut update).collect()
            }
            _ => Vec::new(),
        };
        writes.push(updates.clone());
        for (leaf, term) in updates {
            let key = (leaf, state.owner(leaf, taken.thread));
            state.values.insert(key, term);
        }
        if let Some(started) = taken.started {
            for (leaf, term) in arguments {
                state.values.insert((leaf, started), term);
            }
        }
        if edge.to == EdgeTarget::EndThread {
            ended.insert(handle(taken.thread));
        }
    }
    Terms { state, guards, writes }
}

/// Whether a guard says something of the counters of long loops alone.
pub(super) fn counts_rounds(
    symbols: &Symbols,
    automaton: &Automaton,
    trace: &[TraceEdge],
    guard: &TraceGuard,
) -> bool {
    let edge = trace.get(guard.step).map(|taken| automaton.edge(taken.edge));
    let own = edge.zip(guard.guard).and_then(|(edge, number)| edge.step.guards.get(number));
    let variables = own.map_or_else(Vec::new, |own| symbols.store.variables(own.term));
    let counts = |&variable: &TermId| {
        symbols.leaf(variable).is_some_and(|(leaf, _)| automaton.counters.contains(&leaf))
    };
    !variables.is_empty() && variables.iter().all(counts)
}
