//! Numbers that threads draw from a counter, to wait until it is their turn.
//!
//! A thread draws a number if one step gives it what the counter has, and the counter more: `x = s; s = s + 1` within an
//! atomic section, a fetch-and-add, or a compare-and-swap from `x` to `x + 1`. Under a lock it does so in two steps, between
//! which the number is not below the counter. It waits with a condition like `x == t`.
//! That nobody else is served then needs several predicates together, and no single trace says so: some are
//! refuted by less, and what the next one needs is a sum. So a predicate that compares a number that was drawn
//! with what is shared brings its companions with it:
//!
//! - `x != [y]` and `[y] < s` for all `y` that are drawn from there: the numbers that were drawn differ, and are below
//!   the next one, or at most that (`[y] <= s`) where they are drawn in two steps;
//! - `x == z` for a copy `z` of it: what is known of one is known of the other;
//! - `s == t` and `s < t`: whether the number that is drawn next will be served at once.
//!
//! They are guesses as all predicates are.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{FunctionId, Module};

use super::between::{add_below, of_other};
use super::template::{Used, used};
use crate::abstraction::vocabulary::function_of;
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::step::Step;
use crate::automaton::{Automaton, Edge};
use crate::solver::{Node, TermId, constant_difference};

/// More companions are not added at once.
const MOST: usize = 16;

/// A number that a thread draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Draw {
    /// Where the thread keeps it: a variable of its own with a name in the source.
    variable: TermId,
    function: FunctionId,
    /// The shared variable that it is drawn from.
    counter: TermId,
    /// How much it is above what the counter had.
    offset: u128,
    /// How much the counter grows.
    step: u128,
    /// Whether the counter grows in the same step.
    at_once: bool,
}

/// All that is drawn.
pub(super) struct Draws {
    all: Vec<Draw>,
    used: Used,
}

/// Which own variables of a step have what a shared one has, by its guards.
fn equal_to_shared(
    symbols: &Symbols,
    automaton: &Automaton,
    step: &Step,
) -> FxHashMap<TermId, TermId> {
    let is_own = |term: TermId| {
        symbols.leaf(term).is_some_and(|(leaf, _)| function_of(automaton, leaf).is_some())
    };
    let is_cell = |term: TermId| {
        symbols.leaf(term).is_some_and(|(leaf, _)| {
            matches!(leaf, Leaf::Cell(_)) && function_of(automaton, leaf).is_none()
        })
    };
    let mut found = FxHashMap::default();
    for guard in &step.guards {
        if let Node::Eq(a, b) = symbols.store.node(guard.term) {
            for (own, shared) in [(a, b), (b, a)] {
                if is_own(own) && is_cell(shared) {
                    found.insert(own, shared);
                }
            }
        }
    }
    found
}

/// What one step does with numbers.
struct Moves {
    /// What it gives to variables of the thread's own.
    given: Vec<(TermId, FunctionId, TermId)>,
    /// Own variables that have what is compared with them, and keep it.
    tried: Vec<(TermId, FunctionId, TermId)>,
    /// Shared variables that grow, and by how much.
    growths: Vec<(TermId, u128)>,
}

impl Moves {
    /// Those of a step, where variables have what `values` says.
    fn new(
        symbols: &mut Symbols,
        (automaton, used): (&Automaton, &Used),
        edge: &Edge,
        values: &FxHashMap<TermId, TermId>,
    ) -> Self {
        let (step, place) = (&edge.step, (edge.root, edge.from));
        let (mut given, mut tried, mut growths) = (Vec::new(), Vec::new(), Vec::new());
        for (&leaf, &term) in &step.updates {
            let bits = symbols.bits(term);
            let variable = symbols.variable(leaf, Instance::Active, bits);
            if !used.named.contains(&variable) {
                continue;
            }
            let after = symbols.store.substitute(term, values);
            if let Some(function) = function_of(automaton, leaf) {
                let numbers = match automaton.resolve(symbols, place, variable) == term {
                    true => &mut tried,
                    false => &mut given,
                };
                numbers.push((variable, function, after));
            } else if let Some(by) = above(symbols, after, variable)
                && by != 0
                && by >> (bits - 1) == 0
            {
                growths.push((variable, by));
            }
        }
        Self { tried, given, growths }
    }
}

/// What the values without a name were read from: each has one statement that computes it.
fn loaded(symbols: &mut Symbols, automaton: &Automaton) -> FxHashMap<TermId, TermId> {
    let mut found: FxHashMap<TermId, TermId> = FxHashMap::default();
    for edge in &automaton.edges {
        for (&leaf, &term) in &edge.step.updates {
            if matches!(leaf, Leaf::Value(..)) {
                let value = symbols.variable(leaf, Instance::Active, symbols.bits(term));
                found.insert(value, term);
            }
        }
    }
    found
}

/// How much more one term is than another of the same width, if that is always the same.
fn above(symbols: &Symbols, term: TermId, counter: TermId) -> Option<u128> {
    let same_width = symbols.bits(term) == symbols.bits(counter);
    same_width.then(|| constant_difference(&symbols.store, term, counter)).flatten()
}

/// What is drawn of numbers where the counter grows: of several variables that get one number the one that keeps it
/// longest.
fn drawn(
    (symbols, automaton): (&Symbols, &Automaton),
    numbers: &[(TermId, FunctionId, TermId)],
    (counter, step): (TermId, u128),
    at_once: bool,
) -> Option<Draw> {
    let number = numbers.iter().filter_map(|&(variable, function, number)| {
        let offset = above(symbols, number, counter).filter(|&offset| offset <= step)?;
        Some(Draw { variable, function, counter, offset, step, at_once })
    });
    number.min_by_key(|draw| (draw.offset, Reverse(places(symbols, automaton, draw))))
}

/// At how many places the variable has a value.
fn places(symbols: &Symbols, automaton: &Automaton, draw: &Draw) -> usize {
    let Some((Leaf::Variable(_, variable), _)) = symbols.leaf(draw.variable) else { return 0 };
    let roots = automaton.roots.iter().filter(|root| root.function == draw.function);
    let nodes = roots.flat_map(|root| root.nodes.iter().map(move |node| (root, node)));
    nodes.filter(|(root, node)| root.variables.term(variable, node.position).is_some()).count()
}

impl Draws {
    /// Those of a program.
    pub(super) fn new(symbols: &mut Symbols, automaton: &Automaton) -> Self {
        let used = used(symbols, automaton);
        let mut all: Vec<Draw> = Vec::new();
        for edge in &automaton.edges {
            let equal = equal_to_shared(symbols, automaton, &edge.step);
            let moves = Moves::new(symbols, (automaton, &used), edge, &equal);
            // A number that the thread has tried stays where it was.
            let compared = equal.iter().filter_map(|(&variable, &counter)| {
                let (leaf, _) = symbols.leaf(variable)?;
                let function = function_of(automaton, leaf)?;
                let stays =
                    !edge.step.updates.contains_key(&leaf) && used.named.contains(&variable);
                stays.then_some((variable, function, counter))
            });
            let tried: Vec<_> = moves.tried.iter().copied().chain(compared).collect();
            for &growth in &moves.growths {
                let drawn = |numbers: &[_]| drawn((symbols, automaton), numbers, growth, true);
                all.extend(drawn(&moves.given).or_else(|| drawn(&tried)));
            }
        }
        let at_once: FxHashSet<TermId> = all.iter().map(|draw| draw.counter).collect();
        // What is drawn under a lock is drawn in one step, and the counter grows in another.
        let loaded = loaded(symbols, automaton);
        let moves: Vec<(usize, Moves)> = automaton
            .edges
            .iter()
            .map(|edge| (edge.root, Moves::new(symbols, (automaton, &used), edge, &loaded)))
            .collect();
        let growths: BTreeSet<(usize, TermId, u128)> = moves
            .iter()
            .flat_map(|(root, moves)| {
                moves.growths.iter().map(|&(counter, by)| (*root, counter, by))
            })
            .filter(|(_, counter, _)| !at_once.contains(counter))
            .collect();
        for (root, moves) in &moves {
            for &(_, counter, by) in growths.iter().filter(|&&(of, ..)| of == *root) {
                all.extend(drawn((symbols, automaton), &moves.given, (counter, by), false));
            }
        }
        let mut seen = FxHashSet::default();
        all.retain(|draw| seen.insert(*draw));
        Self { all, used }
    }

    /// What comes with predicates, if they compare a number that is drawn, or a copy of it, with what is shared.
    pub(super) fn companions(
        &self,
        symbols: &mut Symbols,
        program: (&Module, &Automaton),
        predicates: &[TermId],
    ) -> Vec<TermId> {
        let (_, automaton) = program;
        let mut found: Vec<TermId> = Vec::new();
        if self.all.is_empty() {
            return found;
        }
        let mut add = |term: TermId| {
            if found.len() < MOST && !found.contains(&term) {
                found.push(term);
            }
        };
        let function = |symbols: &Symbols, variable: TermId| {
            symbols.leaf(variable).and_then(|(leaf, _)| function_of(automaton, leaf))
        };
        let is_started_once = |function: FunctionId| {
            automaton.roots.iter().any(|root| root.function == function && root.single)
        };
        let class = |variable| self.used.classes.find(variable);
        for &predicate in predicates {
            let variables = symbols.store.variables(predicate);
            let (own, shared): (Vec<TermId>, Vec<TermId>) =
                variables.into_iter().partition(|&v| function(symbols, v).is_some());
            for draw in &self.all {
                let is_it = |&v: &TermId| {
                    v == draw.variable
                        || function(symbols, v) == Some(draw.function)
                            && (class(v) == class(draw.variable) || class(v) == class(draw.counter))
                };
                let width = symbols.bits(draw.counter);
                let turns = shared.iter().copied().filter(|&turn| {
                    turn != draw.counter
                        && symbols.bits(turn) == width
                        && self.used.named.contains(&turn)
                });
                let turns: Vec<TermId> = turns.collect();
                let numbers: Vec<TermId> = own.iter().copied().filter(is_it).collect();
                if turns.is_empty() || numbers.is_empty() {
                    continue;
                }
                // A copy of the number is the number.
                for copy in numbers.into_iter().filter(|&copy| copy != draw.variable) {
                    if symbols.bits(copy) == width {
                        add(symbols.store.eq(draw.variable, copy));
                    }
                }
                for &turn in &turns {
                    add(symbols.store.eq(draw.variable, turn));
                }
                for other in self.all.iter().filter(|other| other.counter == draw.counter) {
                    if other.function == draw.function && is_started_once(other.function) {
                        continue;
                    }
                    let Some(others) = of_other(symbols, other.variable) else { continue };
                    let same = symbols.store.eq(draw.variable, others);
                    add(symbols.store.not(same));
                    if other.offset < other.step {
                        add_below(
                            symbols,
                            program,
                            (others, draw.counter, other.variable),
                            &mut add,
                        );
                    }
                    if other.offset == other.step || !other.at_once {
                        let mut above = Vec::new();
                        let mut list = |term| above.push(term);
                        add_below(
                            symbols,
                            program,
                            (draw.counter, others, other.variable),
                            &mut list,
                        );
                        above.into_iter().for_each(|term| add(symbols.store.not(term)));
                    }
                }
                let offset = symbols.store.constant(width.into(), draw.offset);
                let next = symbols.store.add(draw.counter, offset);
                for turn in turns {
                    add(symbols.store.eq(next, turn));
                    add_below(symbols, program, (draw.counter, turn, draw.variable), &mut add);
                }
            }
        }
        found
    }
}
