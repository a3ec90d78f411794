//! Numbers that threads draw from a counter, to wait until it is their turn.
//!
//! A thread draws a number if one step gives it what the counter has, and the counter more: `x = s; s = s + 1` within an
//! atomic section, a fetch-and-add, or a compare-and-swap from `x` to `x + 1`. It waits with a condition like `x == t`.
//! That nobody else is served then needs several predicates together, and no single trace says so: some are
//! refuted by less, and what the next one needs is a sum. So a predicate that compares a number that was drawn
//! with what is shared brings its companions with it:
//!
//! - `x != [y]` and `[y] < s` for all `y` that are drawn from there: the numbers that were drawn differ, and are below
//!   the next one;
//! - `s == t` and `s < t`: whether the number that is drawn next will be served at once.
//!
//! They are guesses as all predicates are.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{FunctionId, Module};

use super::between::{add_below, of_other};
use super::template::{Used, used};
use crate::abstraction::vocabulary::function_of;
use crate::automaton::Automaton;
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::step::Step;
use crate::solver::{Node, TermId, constant_difference};

/// More companions are not added at once.
const MOST: usize = 16;

/// A number that a thread draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Draws {
    /// Those of a program.
    pub(super) fn new(symbols: &mut Symbols, automaton: &Automaton) -> Self {
        let used = used(symbols, automaton);
        let mut all: Vec<Draw> = Vec::new();
        for edge in &automaton.edges {
            let equal = equal_to_shared(symbols, automaton, &edge.step);
            let mut own = Vec::new();
            let mut counters = Vec::new();
            for (&leaf, &term) in &edge.step.updates {
                let bits = symbols.bits(term);
                let variable = symbols.variable(leaf, Instance::Active, bits);
                if !used.named.contains(&variable) {
                    continue;
                }
                let after = symbols.store.substitute(term, &equal);
                match function_of(automaton, leaf) {
                    Some(function) => own.push((variable, function, after)),
                    None => counters.push((variable, after)),
                }
            }
            // A number that the thread has tried stays where it was.
            let kept = equal.iter().filter(|(kept, _)| used.named.contains(kept));
            let kept = kept.filter_map(|(&variable, &counter)| {
                let (leaf, _) = symbols.leaf(variable)?;
                let function = function_of(automaton, leaf)?;
                (!edge.step.updates.contains_key(&leaf)).then_some((variable, function, counter))
            });
            let kept: Vec<_> = kept.collect();
            for (counter, after) in counters {
                let width = symbols.bits(counter);
                let store = &symbols.store;
                let above = |term: TermId| {
                    let has_width = symbols.bits(term) == width;
                    has_width.then(|| constant_difference(store, term, counter)).flatten()
                };
                let Some(step) = above(after).filter(|&by| by != 0 && by >> (width - 1) == 0)
                else {
                    continue;
                };
                let drawn = |numbers: &[(TermId, FunctionId, TermId)]| -> Vec<Draw> {
                    let number = numbers.iter().filter_map(|&(variable, function, number)| {
                        let offset = above(number).filter(|&offset| offset <= step)?;
                        Some(Draw { variable, function, counter, offset, step })
                    });
                    number.collect()
                };
                let mut found = drawn(&own);
                if found.is_empty() {
                    found = drawn(&kept);
                }
                for draw in found {
                    if !all.contains(&draw) {
                        all.push(draw);
                    }
                }
            }
        }
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
                if turns.is_empty() || !own.iter().any(is_it) {
                    continue;
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
                    } else {
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
