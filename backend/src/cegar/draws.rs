//! Numbers that threads draw from a counter, to wait until it is their turn.
//!
//! A thread draws a number if one step gives it what the counter has, and the counter more: `x = s; s = s + 1` within an
//! atomic section, a fetch-and-add, or a compare-and-swap from `x` to `x + 1`, which makes a number that was tried the
//! thread's own ([`tried`](crate::automaton::tried)). Under a lock it does so in two steps, between
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
use crate::automaton::live::Live;
use crate::automaton::tried::{above, certain, growths};
use crate::automaton::{Automaton, Edge, EdgeTarget};
use crate::solver::TermId;

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

/// A variable of a function's threads, and the number that it has after a step, over the state before it.
type Number = (TermId, FunctionId, TermId);

/// What one step does with numbers.
struct Moves {
    /// What it gives to variables of the thread's own.
    given: Vec<Number>,
    /// What others of its own keep, where something grows.
    tried: Vec<Number>,
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
        let mut growths = growths(symbols, automaton, step, values);
        growths.retain(|(counter, _)| used.named.contains(counter));
        let mut given = Vec::new();
        for (&leaf, &term) in &step.updates {
            let Some(function) = function_of(automaton, leaf) else { continue };
            let variable = symbols.variable(leaf, Instance::Active, symbols.bits(term));
            if used.named.contains(&variable) && automaton.resolve(symbols, place, variable) != term
            {
                given.push((variable, function, symbols.store.substitute(term, values)));
            }
        }
        // What the others have stays, which only matters where something grows.
        let mut tried = Vec::new();
        let stays = |variable: &TermId| given.iter().all(|(given, ..)| given != variable);
        let others = used.named.iter().filter(|_| !growths.is_empty());
        for &variable in others.filter(|&variable| stays(variable)) {
            let Some((leaf, _)) = symbols.leaf(variable) else { continue };
            if let Some(function) = function_of(automaton, leaf)
                && function == automaton.roots[edge.root].function
            {
                let number = automaton.resolve(symbols, place, variable);
                tried.push((variable, function, symbols.store.substitute(number, values)));
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

/// What is drawn of numbers where the counter grows: of several variables that get one number the one that keeps it
/// longest.
fn drawn(
    (symbols, automaton): (&Symbols, &Automaton),
    numbers: impl Iterator<Item = Number>,
    (counter, step): (TermId, u128),
    at_once: bool,
) -> Option<Draw> {
    let number = numbers.filter_map(|(variable, function, number)| {
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
        let mut live: Option<Live> = None;
        for edge in &automaton.edges {
            let certain = certain(symbols, automaton, &edge.step);
            let moves = Moves::new(symbols, (automaton, &used), edge, &certain);
            let EdgeTarget::Node(to) = edge.to else { continue };
            for &growth in &moves.growths {
                // A sum that is only tried is no number of the thread's: it is not read any more.
                let mut find = |numbers: &[Number]| {
                    let live = live.get_or_insert_with(|| Live::new(symbols, automaton));
                    let is_live = |variable| {
                        let (leaf, _) = symbols.leaf(variable)?;
                        Some(live.is_live(symbols, automaton, (edge.root, to), leaf))
                    };
                    let numbers = numbers.iter().copied();
                    let numbers = numbers.filter(|&(variable, ..)| is_live(variable) == Some(true));
                    drawn((symbols, automaton), numbers, growth, true)
                };
                all.extend(find(&moves.given).or_else(|| find(&moves.tried)));
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
                all.extend(drawn(
                    (symbols, automaton),
                    moves.given.iter().copied(),
                    (counter, by),
                    false,
                ));
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
