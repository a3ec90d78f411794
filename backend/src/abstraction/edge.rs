//! The abstraction of one edge (SAPA Algorithm 1, for a whole edge at once).

use sapa_ir::boolean::ast::{Expression, Target};

use super::Options;
use super::exclusion::{constrain, narrow};
use super::strengthen::{Cubes, Strengthener};
use super::vocabulary::{Class, Tracked, Vocabulary};
use crate::automaton::leaf::Symbols;
use crate::automaton::{Automaton, Edge, EdgeId, Step};
use crate::solver::TermId;

/// What an edge becomes: a parallel assignment under a guard.
#[derive(Clone, Debug)]
pub struct AbstractEdge {
    /// `G(guard)`, and that the state after the step is consistent; `None` if it is `true`.
    pub guard: Option<Expression>,
    /// Assignments to shared and active variables and broadcasts.
    pub assignments: Vec<(Target, Expression)>,
}

/// Predicates that F may use, and how the Boolean program reads them.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    pub(super) terms: Vec<TermId>,
    pub(super) reads: Vec<Expression>,
}

/// Combinations of predicates that no state of a thread satisfies: each a
/// conjunction of predicate names with signs.
///
/// The Cartesian abstraction chooses values independently; a `constrain` with
/// these keeps it from inventing states. It mentions the active thread and
/// shared variables only, so that it never depends on how many threads there are.
#[derive(Clone, Debug, Default)]
pub struct Consistency {
    cubes: Vec<Vec<(String, bool)>>,
}

impl Consistency {
    /// For the predicates that threads of a root can evaluate.
    pub fn new(
        symbols: &mut Symbols,
        vocabulary: &Vocabulary,
        root: usize,
        strengthener: &mut Strengthener,
        options: Options,
    ) -> Self {
        let visible: Vec<&Tracked> = vocabulary.visible(root).collect();
        let terms: Vec<TermId> = visible.iter().map(|t| t.term).collect();
        let cubes = strengthener.inconsistent(&mut symbols.store, &terms, options.max_cube_length);
        let name = |&(index, sign): &(u32, bool)| {
            visible.get(index as usize).map(|t| (t.name.clone(), sign))
        };
        Self {
            cubes: cubes.cubes.iter().map(|cube| cube.iter().filter_map(name).collect()).collect(),
        }
    }

    /// That the state after an assignment is consistent, as far as its free choices matter.
    pub fn after(&self, assignments: &[(Target, Expression)]) -> Option<Expression> {
        let assigned =
            |name: &str| assignments.iter().find(|(target, _)| *target == Target::variable(name));
        let is_free = |name: &str| {
            assigned(name).is_some_and(|(_, value)| {
                matches!(value, Expression::Nondet | Expression::Choose(..))
            })
        };
        let clauses: Vec<Expression> = self
            .cubes
            .iter()
            .filter(|cube| cube.iter().any(|(name, _)| is_free(name)))
            .map(|cube| {
                let literal = |(name, sign): &(String, bool)| {
                    let read = if assigned(name).is_some() {
                        Expression::next(name)
                    } else {
                        Expression::variable(name)
                    };
                    if *sign { read } else { Expression::not(read) }
                };
                Expression::not(Expression::and(cube.iter().map(literal)))
            })
            .collect();
        (!clauses.is_empty()).then(|| Expression::and(clauses))
    }
}

/// Abstracts one edge over the vocabulary. Where [`Strengthener::is_expired`] says so afterwards, it is
/// no abstraction.
pub fn abstract_edge(
    symbols: &mut Symbols,
    automaton: &Automaton,
    vocabulary: &Vocabulary,
    consistency: &Consistency,
    id: EdgeId,
    strengthener: &mut Strengthener,
    options: Options,
) -> AbstractEdge {
    if strengthener.is_over() {
        return AbstractEdge { guard: None, assignments: Vec::new() };
    }
    let mut f = Operator { symbols, strengthener, max_cube_length: options.max_cube_length };
    let edge = automaton.edge(id);
    let active = active_candidates(f.symbols, automaton, vocabulary, edge);
    let mut abstracted = own_effect(&mut f, automaton, vocabulary, consistency, id, &active);
    if !options.mode.is_sound() {
        return abstracted;
    }
    let effect = Effect::new(f.symbols, edge);
    for tracked in vocabulary.tracked.iter().filter(|t| t.class == Class::Mixed) {
        // A thread is never passive to itself.
        let only_active =
            tracked.root.is_some_and(|root| root == edge.root && automaton.roots[root].single);
        let after = effect.before(f.symbols, tracked.passive);
        if only_active || after == tracked.passive {
            continue;
        }
        let mut over = active.clone();
        for other in vocabulary.tracked.iter().filter(|other| other.accompanies(tracked)) {
            over.terms.push(other.passive);
            over.reads.push(Expression::passive(&other.name));
        }
        let value = f.value(after, effect.guard, &over);
        if value != Expression::passive(&tracked.name) {
            abstracted.assignments.push((Target::broadcast(&tracked.name), value));
        }
    }
    for exclusion in f.strengthener.exclusions.get(&id).into_iter().flatten() {
        narrow(&mut abstracted, exclusion, vocabulary, edge.root);
    }
    abstracted
}

/// The operator F with what it needs.
pub(super) struct Operator<'a> {
    pub(super) symbols: &'a mut Symbols,
    pub(super) strengthener: &'a mut Strengthener,
    pub(super) max_cube_length: usize,
}

impl Operator<'_> {
    /// F(condition), if `given` holds.
    fn apply(&mut self, condition: TermId, given: TermId, over: &Candidates) -> Cubes {
        let store = &mut self.symbols.store;
        self.strengthener.strengthen(store, condition, given, &over.terms, self.max_cube_length)
    }

    /// The value of a predicate after a step, by its weakest precondition.
    pub(super) fn value(
        &mut self,
        precondition: TermId,
        given: TermId,
        over: &Candidates,
    ) -> Expression {
        let negated = self.symbols.store.not(precondition);
        let holds = self.apply(precondition, given, over);
        let fails = self.apply(negated, given, over);
        choose(&holds, &fails, over)
    }
}

/// An edge for weakest preconditions.
pub(crate) struct Effect<'e> {
    /// When it can be taken.
    pub(crate) guard: TermId,
    /// What it does.
    step: &'e Step,
}

impl<'e> Effect<'e> {
    pub(crate) fn new(symbols: &mut Symbols, edge: &'e Edge) -> Self {
        let guards: Vec<TermId> = edge.step.guards.iter().map(|guard| guard.term).collect();
        Self { guard: symbols.store.and_all(guards), step: &edge.step }
    }

    /// A term over the state after the edge as a term over the state before it.
    pub(crate) fn before(&self, symbols: &mut Symbols, after: TermId) -> TermId {
        self.step.before(symbols, after)
    }
}

/// The predicates that the thread taking an edge can evaluate.
pub(super) fn active_candidates(
    symbols: &mut Symbols,
    automaton: &Automaton,
    vocabulary: &Vocabulary,
    edge: &Edge,
) -> Candidates {
    let mut active = Candidates::default();
    for tracked in vocabulary.visible(edge.root) {
        active.terms.push(automaton.resolve(symbols, (edge.root, edge.from), tracked.term));
        active.reads.push(Expression::variable(&tracked.name));
    }
    active
}

/// What an edge does to shared predicates and those of the thread that takes it. `over` begins
/// with the predicates that it can evaluate.
pub(super) fn own_effect(
    f: &mut Operator<'_>,
    automaton: &Automaton,
    vocabulary: &Vocabulary,
    consistency: &Consistency,
    id: EdgeId,
    over: &Candidates,
) -> AbstractEdge {
    let edge = automaton.edge(id);
    let effect = Effect::new(f.symbols, edge);
    let nothing = f.symbols.store.true_();
    let blocked = f.symbols.store.not(effect.guard);
    let blocked = f.apply(blocked, nothing, over);
    let guard = (!blocked.cubes.is_empty()).then(|| Expression::not(disjunction(&blocked, over)));
    let mut assignments = Vec::new();
    for (tracked, &before) in vocabulary.visible(edge.root).zip(&over.terms) {
        let after = effect.before(f.symbols, tracked.term);
        let after = automaton.resolve(f.symbols, (edge.root, edge.from), after);
        if after == before {
            continue;
        }
        let value = f.value(after, effect.guard, over);
        if value != Expression::variable(&tracked.name) {
            assignments.push((Target::variable(&tracked.name), value));
        }
    }
    let parts = [guard, consistency.after(&assignments)];
    let guard = parts.into_iter().flatten().reduce(|a, b| Expression::and([a, b]));
    let mut abstracted = AbstractEdge { guard, assignments };
    for exclusion in f.strengthener.exclusions.get(&id).into_iter().flatten() {
        constrain(&mut abstracted, exclusion, vocabulary, edge.root);
    }
    abstracted
}

/// `choose(F(wp), F(¬wp))`, simplified where one is the negation of the other.
pub(super) fn choose(holds: &Cubes, fails: &Cubes, over: &Candidates) -> Expression {
    if holds.is_true() {
        return Expression::Constant(true);
    }
    if fails.is_true() {
        return Expression::Constant(false);
    }
    if holds.cubes.is_empty() && fails.cubes.is_empty() {
        return Expression::Nondet;
    }
    if let ([positive], [negative]) = (holds.cubes.as_slice(), fails.cubes.as_slice())
        && let ([(p, sign)], [(n, other)]) = (positive.as_slice(), negative.as_slice())
        && p == n
        && sign != other
    {
        return literal(*p, *sign, over);
    }
    Expression::choose(disjunction(holds, over), disjunction(fails, over))
}

fn literal(index: u32, sign: bool, over: &Candidates) -> Expression {
    let read = over.reads[index as usize].clone();
    if sign { read } else { Expression::not(read) }
}

fn disjunction(cubes: &Cubes, over: &Candidates) -> Expression {
    Expression::or(
        cubes.cubes.iter().map(|cube| {
            Expression::and(cube.iter().map(|&(index, sign)| literal(index, sign, over)))
        }),
    )
}
