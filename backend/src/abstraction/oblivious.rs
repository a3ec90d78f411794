//! Symmetry-oblivious predicate abstraction (SAPA sections 1.1 and 5, "SOPA"): the baseline that
//! symmetry-aware abstraction is measured against.
//!
//! The program is expanded over its threads. Each of N slots has code of its own and a copy of
//! each predicate that is not shared; all predicates are global and F may use them all. The
//! initial thread has slot 0; a thread that starts takes the free slot of the lowest number, and
//! none starts if there is none. A slot's variables exist from the beginning, as in the paper, all
//! 0 at first and left as they are by a thread that ends; the thread-local globals are those of the
//! thread that runs, so that what predicates say of them and of another root's locals changes when
//! a thread starts and when it writes them.

use rustc_hash::FxHashMap;
use sapa_ir::boolean::ast::{Expression, Procedure, Program, Statement, Target, Variable};

use super::Options;
use super::edge::{AbstractEdge, Consistency, Effect, Operator, active_candidates, own_effect};
use super::origin::{Origin, Origins};
use super::program::{Copy, at_start, decided, initialised_variable, start};
use super::strengthen::Strengthener;
use super::vocabulary::{Class, Tracked, Vocabulary, is_shared, rename};
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::{self, Automaton, EdgeId};
use crate::solver::TermId;

/// Each slot's predicates; those that are shared have the same name in all.
struct Slots {
    /// By number of the slot.
    vocabularies: Vec<Vocabulary>,
}

/// Whether a slot's thread runs: the initial thread always does.
fn busy(slot: usize) -> String {
    format!("busy_{slot}")
}

/// The Boolean program of an automaton expanded over `threads` threads besides the initial one.
pub(super) fn expanded(
    symbols: &mut Symbols,
    automaton: &Automaton,
    vocabulary: &Vocabulary,
    strengthener: &mut Strengthener,
    options: Options,
    threads: u32,
) -> (Program, Origins) {
    let started = started_roots(automaton);
    let slots = Slots::new(vocabulary, &started, threads);
    let mut program = Program::default();
    for (slot, own) in slots.vocabularies.iter().enumerate() {
        for tracked in own.tracked.iter().filter(|t| slot == 0 || t.class != Class::Shared) {
            let value = first_value(symbols, automaton, strengthener, tracked.term);
            program.globals.push(initialised_variable(Variable::new(&tracked.name), value));
        }
        if slot != 0 {
            program.globals.push(initialised_variable(Variable::new(busy(slot)), Some(false)));
        }
    }
    let (mut body, mut origins) = (Vec::new(), Origins::default());
    for (slot, own) in slots.vocabularies.iter().enumerate() {
        let initial = [0];
        for &root in if slot == 0 { initial.as_slice() } else { &started } {
            let consistency = Consistency::new(symbols, own, root, strengthener, options);
            let first = start(symbols, automaton, own, &consistency, strengthener, options, root);
            let copy = Copy {
                suffix: format!("_{slot}"),
                spawn: &|edge, root, origins| slots.spawn(slot, edge, root, origins),
                end: if slot == 0 { Vec::new() } else { vec![set(slot, false, None)] },
            };
            copy.root(automaton, root, first, (&mut body, &mut origins), &mut |id| {
                slots.edge(symbols, automaton, slot, &consistency, id, strengthener, options)
            });
        }
    }
    program.procedures.push(Procedure::new("main", body));
    (program, origins)
}

/// The roots that some edge starts.
fn started_roots(automaton: &Automaton) -> Vec<usize> {
    let mut roots: Vec<usize> = automaton
        .edges
        .iter()
        .filter_map(|edge| match edge.effect {
            Some(automaton::Effect::Spawn { root, .. }) => Some(root),
            _ => None,
        })
        .collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// The value of a predicate before the program starts, all that threads own being 0.
fn first_value(
    symbols: &mut Symbols,
    automaton: &Automaton,
    strengthener: &mut Strengthener,
    term: TermId,
) -> Option<bool> {
    let term = at_start(symbols, automaton, term);
    let mut map = FxHashMap::default();
    for variable in symbols.store.variables(term) {
        if let Some((leaf, _)) = symbols.leaf(variable)
            && !is_shared(automaton, leaf)
            && !matches!(leaf, Leaf::Input(_))
        {
            let bits = u16::try_from(symbols.store.width(variable)).unwrap_or(u16::MAX);
            map.insert(variable, automaton::value::constant(symbols, bits, 0));
        }
    }
    let term = symbols.store.substitute(term, &map);
    decided(symbols, strengthener, term)
}

fn set(slot: usize, value: bool, condition: Option<Expression>) -> Statement {
    Statement::assign(vec![(Target::variable(busy(slot)), Expression::Constant(value))], condition)
}

impl Slots {
    fn new(vocabulary: &Vocabulary, started: &[usize], threads: u32) -> Self {
        let copy = |slot: u32| {
            let mut own = vocabulary.clone();
            let runs = |root: usize| if slot == 0 { root == 0 } else { started.contains(&root) };
            own.tracked.retain(|tracked| tracked.root.is_none_or(runs));
            for tracked in own.tracked.iter_mut().filter(|t| t.class != Class::Shared) {
                tracked.name = format!("{}_{slot}", tracked.name);
            }
            own
        };
        Self { vocabularies: (0..=threads).map(copy).collect() }
    }

    /// Starts a thread in the first free slot, when there is one.
    fn spawn(
        &self,
        slot: usize,
        edge: EdgeId,
        root: usize,
        origins: &mut Origins,
    ) -> Vec<Statement> {
        let place = |to: usize| format!("P{}_{slot}_{to}", edge.0);
        let done = place(0);
        let slots = self.vocabularies.len();
        if slots == 1 {
            return vec![Statement::assume(Expression::Constant(false)).labelled(done)];
        }
        let mut statements = vec![Statement::goto((1..slots).map(place))];
        for to in 1..slots {
            let taken = (1..to).map(|slot| Expression::variable(busy(slot)));
            let free = Expression::not(Expression::variable(busy(to)));
            let first_free = Expression::and(taken.chain([free]));
            let thread = Statement::goto([format!("R{root}_{to}")]);
            let start = Statement::start_thread_or_wait(thread);
            statements.push(set(to, true, Some(first_free)).labelled(place(to)));
            let suffix = format!("_{slot}_{to}");
            statements.push(origins.mark(start, Origin::Spawn(edge), &suffix));
            statements.push(Statement::goto([done.clone()]));
        }
        statements.push(Statement::assume(Expression::Constant(true)).labelled(done));
        statements
    }

    /// The predicates that the thread of a slot, at this root, cannot evaluate: other slots', and
    /// those of its own slot that other roots left behind. With their terms as it sees them.
    fn others(
        &self,
        symbols: &mut Symbols,
        automaton: &Automaton,
        slot: usize,
        root: usize,
    ) -> Vec<(&Tracked, TermId)> {
        let mut others = Vec::new();
        for (number, own) in (0u32..).zip(&self.vocabularies) {
            for tracked in own.tracked.iter().filter(|t| t.class != Class::Shared) {
                if number as usize != slot {
                    let instance = Instance::Thread(number);
                    others.push((tracked, rename(symbols, automaton, tracked.term, instance)));
                } else if tracked.root.is_some_and(|of| of != root) {
                    others.push((tracked, tracked.term));
                }
            }
        }
        others
    }

    /// Abstracts an edge for the thread of a slot.
    #[allow(clippy::too_many_arguments)]
    fn edge(
        &self,
        symbols: &mut Symbols,
        automaton: &Automaton,
        slot: usize,
        consistency: &Consistency,
        id: EdgeId,
        strengthener: &mut Strengthener,
        options: Options,
    ) -> AbstractEdge {
        if strengthener.is_over() {
            return AbstractEdge { guard: None, assignments: Vec::new() };
        }
        let edge = automaton.edge(id);
        let own = &self.vocabularies[slot];
        let others = self.others(symbols, automaton, slot, edge.root);
        let mut over = active_candidates(symbols, automaton, own, edge);
        for &(tracked, term) in &others {
            over.terms.push(term);
            over.reads.push(Expression::variable(&tracked.name));
        }
        let mut f = Operator { symbols, strengthener, max_cube_length: options.max_cube_length };
        let mut abstracted = own_effect(&mut f, automaton, own, consistency, id, &over);
        let effect = Effect::new(f.symbols, edge);
        for (tracked, term) in others {
            let after = effect.before(f.symbols, term);
            if after == term {
                continue;
            }
            let value = f.value(after, effect.guard, &over);
            if value != Expression::variable(&tracked.name) {
                abstracted.assignments.push((Target::variable(&tracked.name), value));
            }
        }
        abstracted
    }
}
