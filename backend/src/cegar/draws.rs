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
//! - `x == z` for a copy `z` of it: what is known of one is known of the other; but of `z = x + 1`, where the program computes
//!   with `x`, which has no name, it is `x` that all is said of;
//! - `s == t` and `s < t`: whether the number that is drawn next will be served at once.
//!
//! They are guesses as all predicates are.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{FunctionId, Module};

use super::between::{add_below, of_other};
use super::preconditions::canonical;
use super::select::candidates;
use super::template::{Used, used, value_of};
use crate::abstraction::vocabulary::function_of;
use crate::abstraction::{Abstractor, PredicateId};
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::live::Live;
use crate::automaton::tried::{above, certain, growths};
use crate::automaton::{Automaton, Edge, EdgeTarget};
use crate::solver::{Node, TermId, constant_difference};

/// More companions are not added at once.
const MOST: usize = 16;

/// A number that a thread draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Draw {
    /// Where the thread keeps it: a variable of its own.
    variable: TermId,
    /// Whether this is the variable that all copies of the number are compared with.
    is_main: bool,
    function: FunctionId,
    /// The shared variable that it is drawn from.
    counter: TermId,
    /// How much it is above what the counter had.
    offset: u128,
    /// How much the counter grows.
    step: u128,
    /// Whether the counter grows in the same step.
    at_once: bool,
    /// Which step draws it.
    at: usize,
}

/// All that is drawn.
struct Draws {
    all: Vec<Draw>,
    used: Used,
}

/// A variable of a function's threads, and the number that it has after a step, over the state before it.
type Number = (TermId, FunctionId, TermId);

/// What one step does with numbers.
struct Moves {
    /// What it gives to variables of the thread's own, with a name in the source or without.
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
            let is_wanted = used.named.contains(&variable) || matches!(leaf, Leaf::Value(..));
            if is_wanted && automaton.resolve(symbols, place, variable) != term {
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
        Self { given, tried, growths }
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

/// What is drawn of numbers where the counter grows. Of several variables with a name the main one is that which keeps the
/// number longest; others are numbers of their own where they are no copies of that, but sums, or have no name.
fn drawn(
    (symbols, automaton, used): (&Symbols, &Automaton, &Used),
    numbers: &[Number],
    (counter, step): (TermId, u128),
    (at_once, at): (bool, usize),
) -> Vec<Draw> {
    let draw = |&(variable, function, number): &Number| {
        let offset = above(symbols, number, counter).filter(|&offset| offset <= step)?;
        Some(Draw { variable, is_main: false, function, counter, offset, step, at_once, at })
    };
    let all: Vec<Draw> = numbers.iter().filter_map(draw).collect();
    let named = all.iter().filter(|draw| used.named.contains(&draw.variable));
    let main = named.min_by_key(|draw| (draw.offset, Reverse(places(symbols, automaton, draw))));
    let Some(&main) = main else { return Vec::new() };
    let class = |draw: &Draw| used.classes.find(draw.variable);
    let others = all
        .into_iter()
        .filter(|draw| *draw != main && (draw.offset, class(draw)) != (main.offset, class(&main)));
    std::iter::once(Draw { is_main: true, ..main }).chain(others).collect()
}

/// At how many places the variable has a value.
fn places(symbols: &Symbols, automaton: &Automaton, draw: &Draw) -> usize {
    let Some((Leaf::Variable(_, variable), _)) = symbols.leaf(draw.variable) else { return 0 };
    let roots = automaton.roots.iter().filter(|root| root.function == draw.function);
    let nodes = roots.flat_map(|root| root.nodes.iter().map(move |node| (root, node)));
    nodes.filter(|(root, node)| root.variables.term(variable, node.position).is_some()).count()
}

impl Draw {
    /// Whether predicates between threads compare this number with those of others that are kept so.
    fn is_beside(&self, other: &Self) -> bool {
        let is_alike = match self.is_main || self.function != other.function {
            true => other.is_main,
            // What the same step gives to others has the same value.
            false => {
                other == self
                    || !other.is_main && other.offset == self.offset && other.at != self.at
            }
        };
        self.counter == other.counter && is_alike
    }
}

/// By how much it is above a number whose turn it is, as far as a predicate says so.
fn beyond(symbols: &mut Symbols, predicate: TermId, (turn, number): (TermId, TermId)) -> TermId {
    let bits = symbols.bits(turn).into();
    let store = &mut symbols.store;
    let beyond = match store.node(predicate) {
        Node::Eq(a, b) if store.sort(a) == store.sort(turn) => {
            let is = store.sub(a, b);
            [(turn, number), (number, turn)].into_iter().find_map(|(one, other)| {
                let wanted = store.sub(one, other);
                let difference = constant_difference(store, is, wanted)?;
                Some(if one == turn { difference.wrapping_neg() } else { difference })
            })
        }
        _ => None,
    };
    store.constant(bits, beyond.unwrap_or(0))
}

impl Draws {
    /// Those of a program.
    fn new(symbols: &mut Symbols, automaton: &Automaton) -> Self {
        let used = used(symbols, automaton);
        let mut all: Vec<Draw> = Vec::new();
        let mut live: Option<Live> = None;
        for (at, edge) in automaton.edges.iter().enumerate() {
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
                    drawn(
                        (symbols, automaton, &used),
                        &numbers.collect::<Vec<_>>(),
                        growth,
                        (true, at),
                    )
                };
                let given = find(&moves.given);
                all.extend(if given.is_empty() { find(&moves.tried) } else { given });
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
        for (at, (root, moves)) in moves.iter().enumerate() {
            for &(_, counter, by) in growths.iter().filter(|&&(of, ..)| of == *root) {
                let program = (&*symbols, automaton, &used);
                all.extend(drawn(program, &moves.given, (counter, by), (false, at)));
            }
        }
        let mut seen = FxHashSet::default();
        all.retain(|draw| seen.insert(Draw { at: 0, ..*draw }));
        Self { all, used }
    }

    /// What comes with predicates, if they compare a number that is drawn, or a copy of it, with what is shared.
    fn companions(
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
            // Where a predicate is about a number that is not the main one, so are its companions.
            let is_other = |draw: &Draw| !draw.is_main && own.contains(&draw.variable);
            let of_others = self.all.iter().any(is_other);
            let meant = |draw: &&Draw| if of_others { is_other(draw) } else { draw.is_main };
            for draw in self.all.iter().filter(meant) {
                let is_it = |&v: &TermId| {
                    v == draw.variable
                        || draw.is_main
                            && function(symbols, v) == Some(draw.function)
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
                let turns: Vec<(TermId, TermId)> = turns
                    .iter()
                    .map(|&turn| (turn, beyond(symbols, predicate, (turn, draw.variable))))
                    .collect();
                for &(turn, beyond) in &turns {
                    let number = symbols.store.add(draw.variable, beyond);
                    add(symbols.store.eq(number, turn));
                }
                for other in self.all.iter().filter(|other| draw.is_beside(other)) {
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
                for (turn, beyond) in turns {
                    let next = symbols.store.add(next, beyond);
                    add(symbols.store.eq(next, turn));
                    add_below(symbols, program, (draw.counter, turn, draw.variable), &mut add);
                }
            }
        }
        found
    }

    /// Whether a predicate says which value one of some variables has, where the program does not compare it with that: what
    /// refinement follows as long as it does not see what numbers that are drawn have in common.
    fn is_one_of_many(
        &self,
        symbols: &mut Symbols,
        variables: &BTreeSet<TermId>,
        predicate: TermId,
    ) -> bool {
        let Some((variable, value)) = value_of(symbols, predicate) else { return false };
        let value = symbols.store.constant(symbols.bits(variable).into(), value);
        variables.contains(&variable) && !self.used.compares(variable, value)
    }
}

/// Adds companions to the predicates that are `new` in a vocabulary, and takes the values out of it that these make needless.
pub(super) fn accompany(
    abstractor: &mut Abstractor<'_>,
    vocabulary: &mut Vec<PredicateId>,
    new: &mut Vec<PredicateId>,
) {
    let program = (abstractor.module, abstractor.automaton);
    let symbols = &mut abstractor.symbols;
    let draws = Draws::new(symbols, program.1);
    let predicates = &abstractor.predicates;
    let mut term = |id: &PredicateId| canonical(symbols, predicates.term(*id));
    let of_vocabulary: Vec<TermId> = vocabulary.iter().map(&mut term).collect();
    let of_new: Vec<TermId> = new.iter().map(&mut term).collect();
    let terms = draws.companions(symbols, program, &of_new);
    let known: Vec<TermId> = of_vocabulary.iter().chain(&of_new).copied().collect();
    let added = candidates(abstractor, &known, &[], &terms);
    let symbols = &mut abstractor.symbols;
    let terms = added.iter().map(|candidate| candidate.term);
    let variables = terms.flat_map(|term| symbols.store.variables(term)).collect();
    let mut of_vocabulary = of_vocabulary.into_iter();
    // Those that were given stay.
    let given = program.0.predicates.len();
    vocabulary.retain(|id| {
        let term = of_vocabulary.next();
        (id.0 as usize) < given
            || !term.is_some_and(|term| draws.is_one_of_many(symbols, &variables, term))
    });
    new.extend(added.into_iter().map(|candidate| candidate.predicate));
}
