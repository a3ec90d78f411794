//! The abstraction of steps for predicates between threads, and what no two threads can have together.
//!
//! # What is asked
//! A thread A takes a step. That a predicate φ *holds of* a thread X with every other one is stored in a
//! Boolean k(X) that is 1 only if it does ([`quantified`](super::quantified)). So after the step k(X) may be 1 where
//! φ(X, Y) holds for an *arbitrary* other thread Y: a new constant of the formula, of which nothing is
//! known but what is known of every thread. Three threads are enough:
//!
//! | after the step | has to hold | may be read |
//! | --- | --- | --- |
//! | k(A) | φ(A, B), B any other | what is shared, A's predicates |
//! | k(B), of each passive B | φ(B, A), and φ(B, C), C any third | also B's predicates: it is a broadcast |
//! | k, of all threads | φ(A), and φ(B), B any other | what is shared, A's predicates |
//!
//! and with a thread N that the step starts, φ(A, N), φ(B, N) and φ(N). Before the step, k(A) says φ(A, B) and
//! φ(A, C), k(B) says φ(B, A) and φ(B, C), and k of all threads says it of A, B and C: each as far as the
//! variables are live in both threads. Where A stands is known; of B and C it is stored whether they stand
//! where the variables are live.
//!
//! That k(A) cannot be computed from what passive threads have is what the predicates of all threads are
//! for: a drawn ticket is nobody's, since `[mine] < next` holds of all threads.
//!
//! # Soundness
//! By induction over a run of the program: where k(X) is 1, φ(X, Y) holds for all others Y in which the
//! variables are live. A step makes k(X) 1 only where a cube over Booleans that are read implies what has
//! to hold, given what those Booleans say (induction), for a Y of which nothing else is assumed. Threads
//! whose variables are dead do not count; one whose variables come to life is A, whose φ(X, A) is asked
//! for. A thread that has just been started has its parent's Booleans until its first step. Until
//! then it counts as one whose variables are dead, in what is stored; that it may have live parameters
//! is asked for where it is started.
//!
//! # Meetings
//! Combinations of predicates that no two threads can have together, or no one where its variables
//! are live, are found by SAT and become invariants of the Boolean program. They hold in every state
//! of the program itself, so that cutting off the others loses no run. Each says that the variables are
//! live in the threads that it is about: of a thread that was just started it says nothing, whose
//! Booleans are its parent's still, nor of one that has ended. What belongs to one root is only in
//! those by which threads of this root can be told (`is_told`).
//!
//! But a step may be impossible because of what a passive thread has. More threads may then disable a
//! step: such a program is not monotone, what is proved of it holds, and runs are replayed.

use rustc_hash::FxHashSet;

use super::plan::{Planner, ValuePlan};
use super::quantified::{LeafSet, Quantified, Side};
use super::step::{Cube, Of, Variable};
use super::strengthen::{Candidates, Question, Strengthener};
use super::vocabulary::{Class, PredicateId, Tracked, is_shared};
use crate::automaton::leaf::{Instance, Leaf};
use crate::automaton::value::constant;
use crate::automaton::{Edge, EdgeTarget, Effect, NodeId};
use crate::solver::{Sort, TermId};

/// What is known before a step, by how many threads it is about.
pub(super) struct Known {
    /// Of the active thread.
    pub(super) of_active: TermId,
    /// And of it with a passive one, by what it has itself.
    with_another: TermId,
    /// And by what the passive one has.
    pub(super) with_passive: TermId,
    /// And of both with a third.
    with_third: TermId,
}

/// What no two threads have together, or no one has: a question, and what has to be live for it.
pub(super) struct Meeting {
    question: Question,
    live: Cube,
    /// The predicates that are shared.
    shared: FxHashSet<PredicateId>,
    roots: Roots,
}

/// Who meets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Roots {
    /// Nobody: it is about one thread.
    One,
    /// Threads of the same root.
    Same,
    /// Threads of two.
    Two,
}

impl Planner<'_> {
    /// The sets of leaves that the predicates between threads are about.
    pub(super) fn leaf_sets(&self) -> Vec<LeafSet> {
        leaf_sets(self.quantified)
    }

    /// That a predicate is known to hold of a thread.
    fn known(&mut self, quantified: &Quantified, of: Instance) -> TermId {
        let of = match of {
            Instance::Passive if !quantified.is_stored_shared() => "[]",
            _ => "",
        };
        let name = format!("known!{}{of}", quantified.id.0);
        self.symbols.store.variable(&name, Sort::Bool)
    }

    /// A predicate of these two threads.
    fn of(&mut self, quantified: &Quantified, own: Instance, other: Instance) -> TermId {
        let automaton = self.automaton;
        self.symbols.rewrite(quantified.term, |symbols, leaf, of, bits| {
            let who = match of {
                Instance::Passive => other,
                _ if is_shared(automaton, leaf) => return None,
                _ => own,
            };
            Some(symbols.variable(leaf, who, bits))
        })
    }

    fn live(&mut self, side: Side, of: Instance) -> TermId {
        side.leaves.term(self.symbols, of)
    }

    fn implies(&mut self, premise: TermId, conclusion: TermId) -> TermId {
        let negated = self.symbols.store.not(premise);
        self.symbols.store.or(negated, conclusion)
    }

    /// Whether a side's variables are live in a thread that stands at a place.
    fn stands(&self, side: Side, place: (usize, NodeId)) -> bool {
        side.is_of(place.0) && self.predicates.are_live(side, place)
    }

    /// What is known where the active thread takes an edge.
    pub(super) fn known_before(&mut self, edge: &Edge, guard: TermId) -> Known {
        use Instance::{Active, Passive, Third};
        let automaton = self.automaton;
        let place = (edge.root, edge.from);
        let (mut of_active, mut with_another) = (vec![guard], Vec::new());
        let (mut with_passive, mut with_third) = (Vec::new(), Vec::new());
        for quantified in self.quantified {
            let known = self.known(quantified, Active);
            let counts = self.stands(quantified.other, place);
            let says = |this: &mut Self, known, own, other| {
                let term = this.of(quantified, own, other);
                let mut term = automaton.resolve(this.symbols, place, term);
                if other != Active {
                    let live = this.live(quantified.other, other);
                    term = this.implies(live, term);
                }
                this.implies(known, term)
            };
            let Some(own) = quantified.own else {
                if counts {
                    of_active.push(says(self, known, Active, Active));
                }
                with_another.push(says(self, known, Active, Passive));
                with_third.push(says(self, known, Active, Third));
                continue;
            };
            if self.stands(own, place) {
                with_another.push(says(self, known, Active, Passive));
                with_third.push(says(self, known, Active, Third));
            }
            let known = self.known(quantified, Passive);
            if counts {
                with_passive.push(says(self, known, Passive, Active));
            }
            with_third.push(says(self, known, Passive, Third));
            let live = self.live(own, Passive);
            with_passive.push(self.implies(known, live));
        }
        let store = &mut self.symbols.store;
        let of_active = store.and_all(of_active);
        let mut and = |before, more: Vec<TermId>| {
            let more = store.and_all(more);
            store.and(before, more)
        };
        let with_another = and(of_active, with_another);
        let with_passive = and(with_another, with_passive);
        let with_third = and(with_passive, with_third);
        Known { of_active, with_another, with_passive, with_third }
    }

    /// Adds what is stored of all threads.
    pub(super) fn add_shared(&mut self, over: &mut Candidates) {
        for quantified in self.quantified.iter().filter(|q| q.is_stored_shared()) {
            let known = self.known(quantified, Instance::Active);
            over.push(known, Variable::active(quantified.id));
        }
    }

    /// Adds what the active thread has, where it stands.
    pub(super) fn add_active(&mut self, place: (usize, NodeId), over: &mut Candidates) {
        for quantified in self.quantified {
            if quantified.own.is_some_and(|own| self.stands(own, place)) {
                let known = self.known(quantified, Instance::Active);
                over.push(known, Variable::active(quantified.id));
            }
        }
    }

    /// Adds what passive threads of a root have; of any root, if there is none.
    pub(super) fn add_passive(&mut self, root: Option<usize>, over: &mut Candidates) {
        for quantified in self.quantified {
            let is_theirs = |own: Side| own.root.is_none() || own.root == root;
            if quantified.own.is_some_and(is_theirs) {
                let known = self.known(quantified, Instance::Passive);
                over.push(known, Variable::passive(quantified.id));
            }
        }
        for set in self.leaf_sets() {
            let live = set.term(self.symbols, Instance::Passive);
            over.push(live, Variable::passive(set.is_live()));
        }
    }

    /// A predicate after an edge, of the thread that takes it and others, over the state before it.
    fn after(&mut self, edge: &Edge, term: TermId) -> TermId {
        let after = edge.step.before(self.symbols, term);
        self.automaton.resolve(self.symbols, (edge.root, edge.from), after)
    }

    /// A predicate of a thread that an edge starts, `None` if it does not, or the variables are dead
    /// where threads start.
    fn born(&mut self, edge: &Edge, quantified: &Quantified, own: Instance) -> Option<TermId> {
        let Some(Effect::Spawn { root, arguments, .. }) = &edge.effect else { return None };
        if !self.stands(quantified.other, (*root, NodeId(0))) {
            return None;
        }
        let automaton = self.automaton;
        let term = self.of(quantified, own, Instance::New);
        let term = self.after(edge, term);
        let place = (edge.root, edge.from);
        let parameters = &automaton.roots[*root].parameters;
        let mut given = Vec::with_capacity(arguments.len());
        for (&(leaf, _), &argument) in parameters.iter().zip(arguments) {
            given.push((leaf, automaton.resolve(self.symbols, place, argument)));
        }
        // Source variables equal what they are bound to where the thread starts.
        let term = self.symbols.rewrite(term, |symbols, leaf, of, bits| {
            let Leaf::Variable(_, variable) = leaf else { return None };
            let root = &automaton.roots[*root];
            let bound = root.variables.term(variable, root.nodes[0].position)?;
            let (leaf, _) = symbols.leaf(bound)?;
            (of == Instance::New).then(|| symbols.variable(leaf, Instance::New, bits))
        });
        Some(self.symbols.rewrite(term, |symbols, leaf, of, bits| {
            if of != Instance::New {
                return None;
            }
            let argument = given.iter().find(|(parameter, _)| *parameter == leaf);
            if let Some(&(_, argument)) = argument {
                return Some(symbols.coerce(argument, bits));
            }
            let Leaf::Cell(cell) = leaf else { return None };
            let value = automaton.memory.cell(cell).initial?;
            Some(constant(symbols, bits, value))
        }))
    }

    /// What has to be asked for the predicates between threads after an edge. `active` is what may be read
    /// of what is shared and of the active thread.
    pub(super) fn between_after(
        &mut self,
        edge: &Edge,
        known: &Known,
        active: &Candidates,
    ) -> Vec<ValuePlan> {
        let mut values = Vec::new();
        let from = (edge.root, edge.from);
        let EdgeTarget::Node(to) = edge.to else {
            // The others keep what they have. They no longer speak of a thread that ends, so that it is as
            // one whose variables are dead, also as long as the Boolean program has it.
            let live = self.leaf_sets().into_iter();
            values.extend(
                live.map(|set| ValuePlan::constant(Variable::active(set.is_live()), false)),
            );
            values.extend(self.others_after(edge, None, known, active));
            return values;
        };
        let to = (edge.root, to);
        for set in self.leaf_sets() {
            let side = Side { root: None, leaves: set };
            let [before, after] = [from, to].map(|place| self.predicates.are_live(side, place));
            if before != after {
                values.push(ValuePlan::constant(Variable::active(set.is_live()), after));
            }
        }
        let mut over = active.clone();
        self.add_active(from, &mut over);
        for quantified in self.quantified.iter().filter(|q| q.is_visible(edge.root)) {
            let Some(own) = quantified.own else { continue };
            let target = Variable::active(quantified.id);
            let (was, is) = (self.stands(own, from), self.stands(own, to));
            if !is {
                values.extend(was.then(|| ValuePlan::constant(target, false)));
                continue;
            }
            let before = self.of(quantified, Instance::Active, Instance::Passive);
            let now = self.automaton.resolve(self.symbols, from, before);
            let then = self.after(edge, before);
            let born = self.born(edge, quantified, Instance::Active);
            if was && now == then && born.is_none() {
                continue;
            }
            let live = self.live(quantified.other, Instance::Passive);
            let then = self.implies(live, then);
            let condition = self.all(then, born);
            values.push(self.known_value(target, (condition, known.with_another), &over));
        }
        values.extend(self.others_after(edge, Some(to), known, active));
        values
    }

    fn all(&mut self, term: TermId, more: impl IntoIterator<Item = TermId>) -> TermId {
        more.into_iter().fold(term, |all, term| self.symbols.store.and(all, term))
    }

    /// The same for what is stored of all threads, and in passive ones. `to` is where the active thread
    /// stands then, if it still exists.
    fn others_after(
        &mut self,
        edge: &Edge,
        to: Option<(usize, NodeId)>,
        known: &Known,
        active: &Candidates,
    ) -> Vec<ValuePlan> {
        use Instance::{Active, Passive, Third};
        let mut values = Vec::new();
        let from = (edge.root, edge.from);
        let mut over = active.clone();
        self.add_active(from, &mut over);
        for quantified in self.quantified {
            // With the active thread: what has to hold, and whether it did.
            let counted = self.stands(quantified.other, from);
            let counts = to.is_some_and(|to| self.stands(quantified.other, to));
            let own = if quantified.own.is_some() { Passive } else { Active };
            let with = self.of(quantified, own, Active);
            let then = counts.then(|| self.after(edge, with));
            let now = self.automaton.resolve(self.symbols, from, with);
            let kept = then.is_none() || (counted && then == Some(now));
            let born = self.born(edge, quantified, own);
            let other = if quantified.own.is_some() { Third } else { Passive };
            let rest = self.of(quantified, own, other);
            let rest_then = self.after(edge, rest);
            if kept && born.is_none() && rest == rest_then {
                continue;
            }
            let live = self.live(quantified.other, other);
            let condition = self.implies(live, rest_then);
            let mut condition = self.all(condition, then.into_iter().chain(born));
            let Some(side) = quantified.own else {
                let target = Variable::active(quantified.id);
                values.push(self.known_value(target, (condition, known.with_another), &over));
                continue;
            };
            // A thread is never passive to itself.
            if side.root == Some(edge.root) && self.automaton.roots[edge.root].single {
                continue;
            }
            let live = self.live(side, Passive);
            condition = self.symbols.store.and(condition, live);
            let mut with_passive = over.clone();
            let theirs = |other: &&Tracked| {
                other.class != Class::Shared && (other.root.is_none() || other.root == side.root)
            };
            for other in self.tracked.iter().filter(theirs) {
                with_passive.push(other.passive, Variable::passive(other.id));
            }
            self.add_passive(side.root, &mut with_passive);
            let target = Variable::passive(quantified.id);
            values.push(self.known_value(target, (condition, known.with_third), &with_passive));
        }
        values
    }

    /// The first values of what a thread has of this, and of where it stands.
    pub(super) fn between_at_start(&mut self, root: usize) -> Vec<ValuePlan> {
        use Instance::{Active, Passive};
        let start = (root, NodeId(0));
        let mut values = Vec::new();
        for set in self.leaf_sets() {
            let live = self.predicates.are_live(Side { root: None, leaves: set }, start);
            values.push(ValuePlan::constant(Variable::active(set.is_live()), live));
        }
        let given = self.known_at_start(start);
        for quantified in self.quantified {
            let Some(own) = quantified.own else { continue };
            let target = Variable::active(quantified.id);
            if !self.stands(own, start) {
                values.push(ValuePlan::constant(target, false));
                continue;
            }
            let term = self.of(quantified, Active, Passive);
            let term = self.at_thread_start(term);
            let live = self.live(quantified.other, Passive);
            let condition = self.implies(live, term);
            let mut shared = Candidates::default();
            for tracked in self.tracked.iter().filter(|t| t.class == Class::Shared) {
                shared.push(tracked.term, Variable::active(tracked.id));
            }
            self.add_shared(&mut shared);
            values.push(self.known_value(target, (condition, given), &shared));
        }
        values
    }

    /// What is known of a thread that stands where threads start, and of others.
    pub(super) fn known_at_start(&mut self, start: (usize, NodeId)) -> TermId {
        use Instance::{Active, Passive};
        let mut all = Vec::new();
        for quantified in self.quantified.iter().filter(|q| q.is_stored_shared()) {
            let known = self.known(quantified, Active);
            if self.stands(quantified.other, start) {
                let term = self.of(quantified, Active, Active);
                let term = self.at_thread_start(term);
                all.push(self.implies(known, term));
            }
            let term = self.of(quantified, Active, Passive);
            let live = self.live(quantified.other, Passive);
            let term = self.implies(live, term);
            all.push(self.implies(known, term));
        }
        self.symbols.store.and_all(all)
    }

    /// The first values of what is stored of all threads, when there is only the initial one.
    pub(super) fn between_at_first(&mut self) -> Vec<ValuePlan> {
        let start = (0, NodeId(0));
        let always = self.symbols.store.true_();
        let mut values = Vec::new();
        for quantified in self.quantified.iter().filter(|q| q.is_stored_shared()) {
            let target = Variable::active(quantified.id);
            if !self.stands(quantified.other, start) {
                values.push(ValuePlan::constant(target, true));
                continue;
            }
            let term = self.of(quantified, Instance::Active, Instance::Active);
            let term = self.initialised(term, |_| true);
            values.push(self.known_value(target, (term, always), &Candidates::default()));
        }
        values
    }

    /// What is known of a thread wherever it stands, and the Booleans that say it; for what a thread cannot
    /// have by itself.
    pub(super) fn known_anywhere(&mut self, over: &mut Candidates) -> TermId {
        self.add_shared(over);
        let mut all = Vec::new();
        for quantified in self.quantified.iter().filter(|q| q.is_stored_shared()) {
            let known = self.known(quantified, Instance::Active);
            let term = self.of(quantified, Instance::Active, Instance::Active);
            let live = self.live(quantified.other, Instance::Active);
            let term = self.implies(live, term);
            all.push(self.implies(known, term));
        }
        for set in self.leaf_sets() {
            let live = set.term(self.symbols, Instance::Active);
            over.push(live, Variable::active(set.is_live()));
        }
        self.symbols.store.and_all(all)
    }

    /// What no two threads can have together, by the roots that they run.
    pub(super) fn meetings(&mut self) -> Vec<Meeting> {
        let roots = self.automaton.roots.len();
        let mut found = Vec::new();
        for one in 0..roots {
            found.extend(self.alone(one));
            for other in one..roots {
                if one != other || !self.automaton.roots[one].single {
                    found.extend(self.meeting(one, other));
                }
            }
        }
        found
    }

    /// What no thread of a root has where variables are live that predicates of all threads are about.
    fn alone(&mut self, root: usize) -> Option<Meeting> {
        let mut over = Candidates::default();
        let mut shared = FxHashSet::default();
        let (mut given, mut live) = (Vec::new(), Vec::new());
        for quantified in self.quantified {
            if quantified.own.is_some() || !quantified.other.is_of(root) {
                continue;
            }
            let known = self.known(quantified, Instance::Active);
            shared.insert(quantified.id);
            over.push(known, Variable::active(quantified.id));
            live.push((quantified.other, Instance::Active));
            let term = self.of(quantified, Instance::Active, Instance::Active);
            given.push(self.implies(known, term));
        }
        let is_told = is_told(&live, Instance::Active);
        for tracked in self.visible(root).filter(|tracked| tracked.root.is_none() || is_told) {
            if tracked.class == Class::Shared {
                shared.insert(tracked.id);
            }
            over.push(tracked.term, Variable::active(tracked.id));
        }
        (!given.is_empty()).then(|| self.asked(over, given, &live, (shared, Roots::One)))
    }

    fn asked(
        &mut self,
        over: Candidates,
        given: Vec<TermId>,
        live: &[(Side, Instance)],
        (shared, roots): (FxHashSet<PredicateId>, Roots),
    ) -> Meeting {
        let mut live: Vec<(LeafSet, Instance)> =
            live.iter().map(|&(side, of)| (side.leaves, of)).collect();
        live.sort_unstable_by_key(|&(set, of)| (set, variable_of(of) == Of::Passive));
        live.dedup();
        let literal = |(set, of): (LeafSet, Instance)| {
            (Variable { predicate: set.is_live(), of: variable_of(of) }, true)
        };
        let live = live.into_iter().map(literal).collect();
        let given = self.symbols.store.and_all(given);
        let allowed = self.allowed();
        let over = self.strengthener.near(&self.symbols.store, given, over);
        let question =
            Strengthener::ask_inconsistent(&mut self.symbols.store, given, over, allowed);
        Meeting { question, live, shared, roots }
    }

    fn meeting(&mut self, one: usize, other: usize) -> Option<Meeting> {
        use Instance::{Active, Passive};
        let threads = [(one, Active), (other, Passive)];
        let mut over = Candidates::default();
        let mut shared = FxHashSet::default();
        let (mut given, mut live) = (Vec::new(), Vec::new());
        let mut relates = false;
        for quantified in self.quantified {
            let Some(own) = quantified.own else {
                let known = self.known(quantified, Active);
                shared.insert(quantified.id);
                over.push(known, Variable::active(quantified.id));
                for (_, of) in threads.iter().filter(|(root, _)| quantified.other.is_of(*root)) {
                    live.push((quantified.other, *of));
                    let term = self.of(quantified, *of, *of);
                    given.push(self.implies(known, term));
                }
                continue;
            };
            for ((root, of), (with, who)) in threads.into_iter().zip([threads[1], threads[0]]) {
                if own.is_of(root) && quantified.other.is_of(with) {
                    relates = true;
                    let known = self.known(quantified, of);
                    let read = Variable { predicate: quantified.id, of: variable_of(of) };
                    over.push(known, read);
                    live.extend([(own, of), (quantified.other, who)]);
                    let term = self.of(quantified, of, who);
                    given.push(self.implies(known, term));
                }
            }
        }
        if !relates {
            return None;
        }
        for tracked in self.tracked {
            if tracked.class == Class::Shared {
                shared.insert(tracked.id);
                over.push(tracked.term, Variable::active(tracked.id));
                continue;
            }
            for (root, of) in threads {
                if tracked.is_visible(root) && (tracked.root.is_none() || is_told(&live, of)) {
                    let term = if of == Passive { tracked.passive } else { tracked.term };
                    over.push(term, Variable { predicate: tracked.id, of: variable_of(of) });
                }
            }
        }
        let roots = if one == other { Roots::Same } else { Roots::Two };
        Some(self.asked(over, given, &live, (shared, roots)))
    }
}

/// Whether it is clear, where all this is live, which root a thread runs. Else what it has of a certain
/// root's predicates may mean nothing.
fn is_told(live: &[(Side, Instance)], of: Instance) -> bool {
    live.iter().any(|(side, who)| *who == of && side.root.is_some())
}

/// Whose variable stands for what a thread has.
fn variable_of(instance: Instance) -> Of {
    if instance == Instance::Passive { Of::Passive } else { Of::Active }
}

/// The sets of leaves that predicates between threads are about.
pub(crate) fn leaf_sets(quantified: &[Quantified]) -> Vec<LeafSet> {
    let mut found: Vec<LeafSet> =
        quantified.iter().flat_map(Quantified::sides).map(|side| side.leaves).collect();
    found.sort_unstable();
    found.dedup();
    found
}

impl Meeting {
    pub(super) fn question(&self) -> &Question {
        &self.question
    }

    /// What the answer says: cubes over one thread as the active one, and another as the passive one. Of
    /// two threads only what none of them has by itself.
    pub(super) fn cubes(&self, answers: &Strengthener) -> Vec<Cube> {
        let is_shared = |variable: Variable| self.shared.contains(&variable.predicate);
        let swapped = |cube: &Cube| {
            let swap = |&(variable, sign): &(Variable, bool)| {
                let of = match variable.of {
                    Of::Passive => Of::Active,
                    _ if is_shared(variable) => Of::Active,
                    _ => Of::Passive,
                };
                (Variable { of, ..variable }, sign)
            };
            let mut cube: Cube = cube.iter().map(swap).collect();
            cube.sort_unstable_by_key(order);
            cube
        };
        let mut known: FxHashSet<Cube> = FxHashSet::default();
        let mut found = Vec::new();
        for mut cube in answers.answer(&self.question) {
            cube.sort_unstable_by_key(order);
            let is_of = |of: Of| cube.iter().any(|&(v, _)| v.of == of && !is_shared(v));
            let is_new = !known.contains(&cube);
            let relates = is_of(Of::Active) && is_of(Of::Passive);
            if !is_new || !(relates || self.roots == Roots::One) {
                continue;
            }
            if self.roots == Roots::Same {
                known.insert(swapped(&cube));
            }
            cube.extend(self.live.iter().copied());
            found.push(cube);
        }
        found
    }
}

/// Any fixed order of the literals of a cube.
fn order(&(variable, sign): &(Variable, bool)) -> (u32, bool, bool) {
    (variable.predicate.0, variable.of == Of::Passive, sign)
}
