//! The abstraction of steps (SAPA Algorithm 1, for a whole edge at once), in two parts: what has to
//! be asked of F for a step, as data, and the step that the answers make.

use rustc_hash::{FxHashMap, FxHashSet};

use super::exclusion::Exclusion;
use super::quantified::Quantified;
use super::recorded::Recorded;
use super::step::{AbstractStep, Cube, Of, Value, Variable};
use super::strengthen::{Allowed, Candidates, Question, Strengthener};
use super::vocabulary::{Class, Predicates, Tracked, is_shared, rename};
use super::{Cubes, Options};
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::value::constant;
use crate::automaton::{Automaton, Edge, EdgeId, Effect, NodeId};
use crate::solver::TermId;

/// The code of a root, in the copy for a slot where the program is expanded over its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Code {
    pub(crate) root: usize,
    pub(crate) slot: Option<u32>,
}

/// What has to be asked for the value of a predicate: when it holds, and when it does not.
pub(super) struct ValuePlan {
    target: Variable,
    holds: Question,
    /// `None` where 0 says nothing: then it is 0 where it is not known to hold.
    fails: Option<Question>,
}

impl ValuePlan {
    /// A value that nothing has to be asked for.
    fn known(target: Variable, holds: Vec<Cube>, fails: Vec<Cube>) -> Self {
        Self { target, holds: Question::Known(holds), fails: Some(Question::Known(fails)) }
    }

    /// A known value.
    pub(super) fn constant(target: Variable, value: bool) -> Self {
        let (always, never) = (vec![Vec::new()], Vec::new());
        let (holds, fails) = if value { (always, never) } else { (never, always) };
        Self::known(target, holds, fails)
    }

    pub(super) fn questions(&self) -> impl Iterator<Item = &Question> {
        std::iter::once(&self.holds).chain(&self.fails)
    }

    /// The value that the answers make.
    pub(super) fn value(&self, answers: &Strengthener) -> (Variable, Value) {
        let holds = answers.answer(&self.holds);
        let value = match &self.fails {
            Some(fails) => Value::new(holds, answers.answer(fails)),
            None => Value::known(holds),
        };
        (self.target, value)
    }
}

/// What has to be asked for a step.
pub(super) struct StepPlan {
    /// When it cannot be taken.
    blocked: Question,
    pub(super) values: Vec<ValuePlan>,
}

impl StepPlan {
    pub(super) fn questions(&self) -> impl Iterator<Item = &Question> {
        std::iter::once(&self.blocked).chain(self.values.iter().flat_map(ValuePlan::questions))
    }

    /// The step of threads of a root that the answers make. States after it do not satisfy
    /// `contradictions`.
    pub(super) fn assemble(
        &self,
        answers: &Strengthener,
        root: usize,
        contradictions: &[Cube],
        exclusions: &[Exclusion],
        tracked: &[Tracked],
    ) -> AbstractStep {
        let values = self.values.iter().map(|value| value.value(answers));
        let changed = |(target, value): &(Variable, Value)| *value != Value::Literal(*target, true);
        let mut step = AbstractStep {
            never: answers.answer(&self.blocked),
            assignments: values.filter(changed).collect(),
        };
        step.keep_consistent(contradictions);
        for exclusion in exclusions {
            exclusion.constrain(&mut step, tracked, root);
            exclusion.narrow(&mut step, tracked, root);
        }
        step
    }
}

/// Finds out what has to be asked.
pub(super) struct Planner<'p> {
    pub(super) symbols: &'p mut Symbols,
    pub(super) automaton: &'p Automaton,
    pub(super) strengthener: &'p mut Strengthener,
    pub(super) tracked: &'p [Tracked],
    pub(super) quantified: &'p [Quantified],
    pub(super) predicates: &'p Predicates,
    /// The code of the whole program, or what is looked at of it.
    pub(super) codes: Vec<Code>,
    pub(super) options: Options,
    /// The cubes of the module.
    pub(super) recorded: &'p Recorded,
}

impl<'p> Planner<'p> {
    pub(super) fn allowed(&self) -> Allowed<'p> {
        match self.options.cubes {
            Cubes::All => Allowed::UpTo(self.options.max_cube_length),
            Cubes::Recorded => Allowed::Recorded(self.recorded),
        }
    }

    fn ask(&mut self, condition: TermId, given: TermId, over: &Candidates) -> Question {
        let allowed = self.allowed();
        self.strengthener.ask(&mut self.symbols.store, (condition, given), over, allowed)
    }

    /// What has to be asked for the value of a predicate after a step, by its weakest precondition.
    fn value(
        &mut self,
        target: Variable,
        (precondition, given): (TermId, TermId),
        over: &Candidates,
    ) -> ValuePlan {
        let negated = self.symbols.store.not(precondition);
        let holds = self.ask(precondition, given, over);
        ValuePlan { target, holds, fails: Some(self.ask(negated, given, over)) }
    }

    /// The same where 0 says nothing.
    pub(super) fn known_value(
        &mut self,
        target: Variable,
        (precondition, given): (TermId, TermId),
        over: &Candidates,
    ) -> ValuePlan {
        // What all threads have in common is said by few, and there are many to choose from.
        let allowed = match self.allowed() {
            Allowed::UpTo(length) => Allowed::UpTo(length.saturating_sub(1).max(2)),
            recorded => recorded,
        };
        let store = &mut self.symbols.store;
        let holds = self.strengthener.ask(store, (precondition, given), over, allowed);
        ValuePlan { target, holds, fails: None }
    }

    /// The predicates that threads of a root can evaluate.
    pub(super) fn visible(&self, root: usize) -> impl Iterator<Item = &'p Tracked> + use<'p> {
        self.tracked.iter().filter(move |tracked| tracked.is_visible(root))
    }

    /// Combinations of predicates that no state of a thread of a root satisfies.
    pub(super) fn contradictions(&mut self, root: usize) -> Question {
        let mut visible = Candidates::default();
        for tracked in self.visible(root) {
            visible.push(tracked.term, Variable::active(tracked.id));
        }
        let given = match self.quantified {
            [] => self.symbols.store.true_(),
            _ => self.known_anywhere(&mut visible),
        };
        let allowed = self.allowed();
        Strengthener::ask_inconsistent(&mut self.symbols.store, given, visible, allowed)
    }

    /// An edge, taken by a thread of a slot if the program is expanded.
    pub(super) fn edge(&mut self, id: EdgeId, slot: Option<u32>) -> StepPlan {
        let automaton = self.automaton;
        let edge = automaton.edge(id);
        let (root, place) = (edge.root, (edge.root, edge.from));
        let guard = edge.step.guard(self.symbols);
        let mut active = Candidates::default();
        for tracked in self.visible(root) {
            let term = automaton.resolve(self.symbols, place, tracked.term);
            active.push(term, Variable::active(tracked.id));
        }
        let own = active.terms.clone();
        let others = slot.map_or_else(Vec::new, |slot| self.others(slot, root));
        for &(term, read) in &others {
            active.push(term, read);
        }
        let guard = self.with_facts(id, guard, &active.terms);
        self.add_shared(&mut active);
        let always = self.symbols.store.true_();
        let impossible = self.symbols.store.not(guard);
        let of_all = self.known_before(edge, always).of_active;
        let blocked = self.ask(impossible, of_all, &active);
        let known = self.known_before(edge, guard);
        let mut values = Vec::new();
        for (tracked, before) in self.visible(root).zip(own) {
            let after = edge.step.before(self.symbols, tracked.term);
            let after = automaton.resolve(self.symbols, place, after);
            if after != before {
                let precondition = (after, known.of_active);
                values.push(self.value(Variable::active(tracked.id), precondition, &active));
            }
        }
        for (term, target) in others {
            let after = edge.step.before(self.symbols, term);
            if after != term {
                values.push(self.value(target, (after, guard), &active));
            }
        }
        if slot.is_none() && self.options.mode.is_sound() {
            for tracked in self.tracked.iter().filter(|t| t.class == Class::Mixed) {
                // A thread is never passive to itself.
                let only_active = tracked.root == Some(root) && automaton.roots[root].single;
                let after = edge.step.before(self.symbols, tracked.passive);
                if only_active || after == tracked.passive {
                    continue;
                }
                let mut over = active.clone();
                self.add_active(place, &mut over);
                for other in self.tracked.iter().filter(|other| other.accompanies(tracked)) {
                    over.push(other.passive, Variable::passive(other.id));
                }
                self.add_passive(tracked.root, &mut over);
                let precondition = (after, known.with_passive);
                values.push(self.value(Variable::passive(tracked.id), precondition, &over));
            }
        }
        if !self.quantified.is_empty() {
            values.extend(self.between_after(edge, &known, &active));
        }
        if slot.is_none() {
            values.extend(self.arguments(edge, known.of_active, &active));
        }
        StepPlan { blocked, values }
    }

    /// The values that an edge gives to what a new thread's predicates say of its parameters: the thread that starts it has
    /// them for it, as the new one begins with a copy of what its parent has.
    fn arguments(&mut self, edge: &Edge, given: TermId, over: &Candidates) -> Vec<ValuePlan> {
        let Some(Effect::Spawn { root, arguments, .. }) = &edge.effect else { return Vec::new() };
        let automaton = self.automaton;
        let place = (edge.root, edge.from);
        let mut known = FxHashMap::default();
        for (&(leaf, _), &argument) in automaton.roots[*root].parameters.iter().zip(arguments) {
            known.insert(leaf, automaton.resolve(self.symbols, place, argument));
        }
        let mut values = Vec::new();
        for tracked in self.tracked {
            if !self.is_of_arguments(tracked, *root) {
                continue;
            }
            let term = self.symbols.rewrite(tracked.term, |symbols, leaf, _, bits| {
                known.get(&leaf).map(|&argument| symbols.coerce(argument, bits))
            });
            values.push(self.value(Variable::active(tracked.id), (term, given), over));
        }
        values
    }

    /// Whether a predicate of threads of a root speaks of their parameters alone, and whoever starts one gives it its value:
    /// none of these has it for itself. (What is shared may change before a new thread looks at it, and its own is unknown.)
    fn is_of_arguments(&self, tracked: &Tracked, root: usize) -> bool {
        let (automaton, symbols) = (self.automaton, &*self.symbols);
        let parameters = &automaton.roots[root].parameters;
        let is_parameter = |term: &TermId| {
            let leaf = symbols.leaf(*term);
            leaf.is_some_and(|(leaf, _)| parameters.iter().any(|(known, _)| *known == leaf))
        };
        let starts_itself = |edge: &Edge| {
            edge.root == root
                && matches!(edge.effect, Some(Effect::Spawn { root: new, .. }) if new == root)
        };
        // The initial thread is started by nobody.
        self.options.arguments
            && root != 0
            && self.options.mode.is_sound()
            && self.options.mode.expanded().is_none()
            && tracked.class == Class::Local
            && tracked.root == Some(root)
            && symbols.store.variables(tracked.term).iter().all(is_parameter)
            && !automaton.edges.iter().any(starts_itself)
    }

    /// The guard of an edge with what is known to hold before it, as far as that is about variables of
    /// the edge and of predicates only: what is known of others says nothing of these.
    fn with_facts(&mut self, id: EdgeId, guard: TermId, predicates: &[TermId]) -> TermId {
        let (automaton, store) = (self.automaton, &self.symbols.store);
        let facts = automaton.facts(id);
        if facts.is_empty() {
            return guard;
        }
        let edge = automaton.edge(id);
        // Others' predicates change with what is shared.
        let others = self.tracked.iter().filter(|tracked| tracked.class == Class::Mixed);
        let others = others.map(|tracked| &tracked.passive);
        let between = self.quantified.iter().map(|quantified| &quantified.term);
        let terms = predicates.iter().chain(edge.step.updates.values()).chain([&guard]);
        let terms = terms.chain(others).chain(between);
        let variables: FxHashSet<TermId> = terms.flat_map(|&term| store.variables(term)).collect();
        let is_relevant =
            |fact: &&TermId| store.variables(**fact).iter().all(|v| variables.contains(v));
        let relevant: Vec<TermId> = facts.iter().filter(is_relevant).copied().collect();
        self.symbols.store.and_all(relevant.into_iter().chain([guard]))
    }

    /// The first values of a thread's own predicates: those of a new thread's locals are arbitrary,
    /// not its parent's.
    pub(super) fn start(&mut self, code: Code) -> StepPlan {
        let mut values = Vec::new();
        let mode = self.options.mode;
        for tracked in self.tracked.iter().filter(|t| !t.is_stored_shared(mode)) {
            let target = Variable::active(tracked.id);
            if self.is_of_arguments(tracked, code.root) {
                // It is what it was given.
                continue;
            }
            if tracked.is_visible(code.root) {
                values.push(self.start_value(tracked, code.root));
            } else if mode.expanded().is_none() {
                // Those of other roots are never read.
                values.push(ValuePlan::known(target, Vec::new(), vec![Vec::new()]));
            } else if code.slot.is_none_or(|slot| self.has(slot, tracked))
                && self.at_thread_start(tracked.term) != tracked.term
            {
                // The slot's earlier thread left its locals behind, but the thread-local globals
                // are new.
                values.push(ValuePlan::known(target, Vec::new(), Vec::new()));
            }
        }
        if !self.quantified.is_empty() {
            values.extend(self.between_at_start(code.root));
        }
        StepPlan { blocked: Question::Known(Vec::new()), values }
    }

    /// The value of a local or mixed predicate when a thread starts: what the shared
    /// predicates say of it, for the initial values of the thread's own globals and
    /// any values of its locals.
    ///
    /// The paper's unsound baselines know threads that exist from the beginning only
    /// (SAPA section 1.1): they take the value in the program's initial state.
    fn start_value(&mut self, tracked: &Tracked, root: usize) -> ValuePlan {
        if !self.options.mode.is_sound() {
            return self.initial(tracked, None);
        }
        let mut shared = Candidates::default();
        for tracked in self.tracked.iter().filter(|t| t.class == Class::Shared) {
            shared.push(tracked.term, Variable::active(tracked.id));
        }
        self.add_shared(&mut shared);
        let start = self.at_thread_start(tracked.term);
        let given = self.known_at_start((root, NodeId(0)));
        self.value(Variable::active(tracked.id), (start, given), &shared)
    }

    /// First values of the predicates that exist before threads start: those of all slots, if the
    /// program is expanded.
    pub(super) fn initial_values(&mut self) -> Vec<ValuePlan> {
        let (tracked, mode) = (self.tracked, self.options.mode);
        let is_expanded = self.codes.iter().any(|code| code.slot.is_some());
        let Some(threads) = mode.expanded().filter(|_| is_expanded) else {
            let shared = tracked.iter().filter(|t| t.is_stored_shared(mode));
            let mut values: Vec<ValuePlan> =
                shared.map(|tracked| self.initial(tracked, None)).collect();
            values.extend(self.between_at_first());
            return values;
        };
        let mut values = Vec::new();
        for slot in 0..=threads {
            for tracked in tracked.iter().filter(|t| slot == 0 || t.class != Class::Shared) {
                if self.has(slot, tracked) {
                    values.push(self.initial(tracked, Some(slot)));
                }
            }
        }
        values
    }

    /// The value of a predicate in the initial state, if all initial states agree. What a slot's
    /// thread owns is 0 before it starts.
    fn initial(&mut self, tracked: &Tracked, slot: Option<u32>) -> ValuePlan {
        let mut term = self.initialised(tracked.term, |_| true);
        let mut target = Variable::active(tracked.id);
        if let Some(slot) = slot.filter(|_| tracked.class != Class::Shared) {
            term = self.replaced(term, |automaton, leaf| {
                let is_own = !is_shared(automaton, leaf) && !matches!(leaf, Leaf::Input(_));
                is_own.then_some(0)
            });
            target.of = Of::Slot(slot);
        }
        let always = self.symbols.store.true_();
        self.value(target, (term, always), &Candidates::default())
    }

    /// A term over the state in which a thread starts: its own globals are initialised.
    pub(super) fn at_thread_start(&mut self, term: TermId) -> TermId {
        let automaton = self.automaton;
        self.initialised(term, |leaf| !is_shared(automaton, leaf))
    }

    /// A term with the cells to which that applies replaced by their known initial values.
    pub(super) fn initialised(&mut self, term: TermId, applies: impl Fn(Leaf) -> bool) -> TermId {
        self.replaced(term, |automaton, leaf| match leaf {
            Leaf::Cell(cell) if applies(leaf) => automaton.memory.cell(cell).initial,
            _ => None,
        })
    }

    /// A term with leaves of the active thread, and what is shared, replaced by known values: what a
    /// predicate between threads reads of another is not what that began with.
    fn replaced(
        &mut self,
        term: TermId,
        value: impl Fn(&Automaton, Leaf) -> Option<u128>,
    ) -> TermId {
        let automaton = self.automaton;
        self.symbols.rewrite(term, |symbols, leaf, of, bits| {
            let value = value(automaton, leaf).filter(|_| of == Instance::Active);
            value.map(|value| constant(symbols, bits, value))
        })
    }

    /// Whether a slot has a variable for a predicate: whether its threads can evaluate it.
    fn has(&self, slot: u32, tracked: &Tracked) -> bool {
        let runs = |root| self.codes.contains(&Code { root, slot: Some(slot) });
        tracked.root.is_none_or(runs)
    }

    /// The predicates that the thread of a slot, at this root, cannot evaluate: other slots', and
    /// those of its own slot that other roots left behind. Their terms are as it sees them.
    fn others(&mut self, slot: u32, root: usize) -> Vec<(TermId, Variable)> {
        let mut others = Vec::new();
        for number in 0..=self.options.mode.expanded().unwrap_or(0) {
            for tracked in self.tracked.iter().filter(|t| t.class != Class::Shared) {
                if !self.has(number, tracked) {
                    continue;
                }
                let variable = Variable { predicate: tracked.id, of: Of::Slot(number) };
                if number != slot {
                    let instance = Instance::Thread(number);
                    let term = rename(self.symbols, self.automaton, tracked.term, instance);
                    others.push((term, variable));
                } else if !tracked.is_visible(root) {
                    others.push((tracked.term, variable));
                }
            }
        }
        others
    }
}
