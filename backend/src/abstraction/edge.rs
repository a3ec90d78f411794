//! The abstraction of one edge (SAPA Algorithm 1, for a whole edge at once).

use sapa_ir::boolean::ast::{Expression, Target};

use super::strengthen::{Cubes, Strengthener};
use super::vocabulary::{Class, Tracked, Vocabulary};
use super::{Mode, Options};
use crate::automaton::leaf::Symbols;
use crate::automaton::{Automaton, Edge};
use crate::solver::TermId;

/// What an edge becomes: a parallel assignment under a guard.
#[derive(Clone, Debug)]
pub struct AbstractEdge {
    /// `G(guard)`, and that the state after the step is consistent; `None` if it is `true`.
    pub guard: Option<Expression>,
    /// Assignments to shared and active variables and broadcasts.
    pub assignments: Vec<(Target, Expression)>,
}

/// A predicate that F may use, and how the Boolean program reads it.
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
        let visible: Vec<&Tracked> =
            vocabulary.tracked.iter().filter(|t| t.root.is_none_or(|of| of == root)).collect();
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

/// Abstracts one edge over the vocabulary.
pub fn abstract_edge(
    symbols: &mut Symbols,
    automaton: &Automaton,
    vocabulary: &Vocabulary,
    consistency: &Consistency,
    edge: &Edge,
    strengthener: &mut Strengthener,
    options: Options,
) -> AbstractEdge {
    let node = &automaton.roots[edge.root].nodes[edge.from.0 as usize];
    let visible = |tracked: &&Tracked| tracked.root.is_none_or(|root| root == edge.root);
    let mut active = Candidates { terms: Vec::new(), reads: Vec::new() };
    for tracked in vocabulary.tracked.iter().filter(visible) {
        active.terms.push(symbols.store.substitute(tracked.term, &node.bindings));
        active.reads.push(Expression::variable(&tracked.name));
    }
    let guards: Vec<TermId> = edge.step.guards.iter().map(|guard| guard.term).collect();
    let guard = symbols.store.and_all(guards);
    let mut f = |symbols: &mut Symbols, condition: TermId, given: TermId, over: &Candidates| {
        strengthener.strengthen(
            &mut symbols.store,
            condition,
            given,
            &over.terms,
            options.max_cube_length,
        )
    };

    let nothing = symbols.store.true_();
    let blocked = symbols.store.not(guard);
    let blocked = f(symbols, blocked, nothing, &active);
    let guard_expression =
        (!blocked.cubes.is_empty()).then(|| Expression::not(disjunction(&blocked, &active)));

    let substitution = edge.step.substitution(symbols);
    let mut assignments = Vec::new();
    for (tracked, &before) in vocabulary.tracked.iter().filter(visible).zip(&active.terms.clone()) {
        let after = symbols.store.substitute(tracked.term, &substitution);
        let after = symbols.store.substitute(after, &node.bindings);
        if after == before {
            continue;
        }
        let negated = symbols.store.not(after);
        let holds = f(symbols, after, guard, &active);
        let fails = f(symbols, negated, guard, &active);
        let value = choose(&holds, &fails, &active);
        if value != Expression::variable(&tracked.name) {
            assignments.push((Target::variable(&tracked.name), value));
        }
    }
    let parts = [guard_expression, consistency.after(&assignments)];
    let guard_expression = parts.into_iter().flatten().reduce(|a, b| Expression::and([a, b]));
    if options.mode != Mode::SymmetryAware {
        return AbstractEdge { guard: guard_expression, assignments };
    }

    for tracked in vocabulary.tracked.iter().filter(|t| t.class == Class::Mixed) {
        // A thread is never passive to itself.
        let only_active =
            tracked.root.is_some_and(|root| root == edge.root && automaton.roots[root].single);
        let after = symbols.store.substitute(tracked.passive, &substitution);
        if only_active || after == tracked.passive {
            continue;
        }
        let mut over = Candidates { terms: active.terms.clone(), reads: active.reads.clone() };
        let same_root =
            |t: &&Tracked| t.class != Class::Shared && (t.root.is_none() || t.root == tracked.root);
        for other in vocabulary.tracked.iter().filter(same_root) {
            over.terms.push(other.passive);
            over.reads.push(Expression::passive(&other.name));
        }
        let negated = symbols.store.not(after);
        let holds = f(symbols, after, guard, &over);
        let fails = f(symbols, negated, guard, &over);
        let value = choose(&holds, &fails, &over);
        if value != Expression::passive(&tracked.name) {
            assignments.push((Target::broadcast(&tracked.name), value));
        }
    }
    AbstractEdge { guard: guard_expression, assignments }
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
