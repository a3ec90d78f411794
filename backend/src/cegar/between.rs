//! Predicates between threads, where a trace is impossible because of what several threads have.
//!
//! A weakest precondition may relate locals of two threads; then it is one. Mostly it does not: two
//! threads find the same ticket served, and each condition by itself is one of one thread, and of what is
//! shared. What they have in common is a variable that both of them have, by which they are told apart. So
//! candidates are, for variables `x` that the trace's core reads of threads of which there may be many,
//!
//! - `s < t` between shared variables that `x` is compared with, or gets copies of;
//!
//! and where it reads `x` of more than one thread,
//!
//! - `x != [x]`: each has its own;
//! - `[x] < s`, where `x` gets copies of the shared `s`: what was drawn is below what will be drawn. It
//!   is what makes a new one differ from all others;
//! - what preconditions say of `x` and of what is shared, of every thread: that it holds, or never.
//!
//! As templates they are guesses, of which the trace's refutation needs few. They are made where it would
//! be refuted by values of counters otherwise, or by sums, of which the next trace needs others.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::{Expression, Module, name};

use super::expression::expression;
use super::template::{Classes, Used, used, value_of};
use crate::abstraction::vocabulary::{function_of, is_shared};
use crate::automaton::Automaton;
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::solver::{Node, TermId};

/// More are not looked at.
const MOST: usize = 16;

/// What the preconditions along a trace read of which threads.
#[derive(Debug, Default)]
pub(super) struct Readers {
    /// By variable of the active thread's state: the threads that have it in some precondition.
    threads: BTreeMap<TermId, BTreeSet<u32>>,
    /// Preconditions that relate two threads, one of which is the passive one.
    related: Vec<TermId>,
}

impl Readers {
    /// Notes that a thread's variables are read by a precondition, which is about that thread alone.
    pub(super) fn note(&mut self, symbols: &Symbols, automaton: &Automaton, term: TermId, of: u32) {
        for variable in symbols.store.variables(term) {
            let is_own = |leaf| match leaf {
                Leaf::Cell(_) => !is_shared(automaton, leaf),
                Leaf::Variable(..) => true,
                Leaf::Value(..) | Leaf::Input(_) | Leaf::Live(_) => false,
            };
            if symbols.leaf(variable).is_some_and(|(leaf, _)| is_own(leaf)) {
                self.threads.entry(variable).or_default().insert(of);
            }
        }
    }

    /// Notes a precondition that relates two threads.
    pub(super) fn relate(&mut self, term: TermId) {
        if !self.related.contains(&term) {
            self.related.push(term);
        }
    }

    /// The variables that at least so many threads have in preconditions, of threads of which there may be
    /// more than one.
    fn of_threads(&self, symbols: &Symbols, automaton: &Automaton, least: usize) -> Vec<TermId> {
        let is_single = |variable: TermId| {
            let function =
                symbols.leaf(variable).and_then(|(leaf, _)| function_of(automaton, leaf));
            let mut roots = automaton.roots.iter();
            roots.any(|root| Some(root.function) == function && root.single)
        };
        let several = self.threads.iter().filter(|(_, threads)| threads.len() >= least);
        several.map(|(&variable, _)| variable).filter(|&v| !is_single(v)).collect()
    }
}

/// Whether the integers in a variable are signed, if that is known.
fn is_signed(
    symbols: &Symbols,
    (module, automaton): (&Module, &Automaton),
    variable: TermId,
) -> Option<bool> {
    let (_, signed) = match expression(symbols, automaton, variable)? {
        Expression::Load { address, .. } => name::declared(module, &address)?,
        read => name::declared(module, &read)?,
    };
    Some(signed)
}

/// Adds that one is below the other, as the integers in `of` are read.
pub(super) fn add_below(
    symbols: &mut Symbols,
    program: (&Module, &Automaton),
    (one, other, of): (TermId, TermId, TermId),
    add: &mut impl FnMut(TermId),
) {
    let signed = is_signed(symbols, program, of);
    if signed != Some(false) {
        add(symbols.store.slt(one, other));
    }
    if signed != Some(true) {
        add(symbols.store.ult(one, other));
    }
}

/// Variables that count: they are given sums, or copies of what counts. The values that they are compared
/// with one after the other are no end, nor are the sums.
pub(super) struct Counters {
    classes: Classes,
    counting: BTreeSet<TermId>,
}

impl Counters {
    /// Those of a program.
    pub(super) fn new(symbols: &mut Symbols, automaton: &Automaton) -> Self {
        let Used { classes, .. } = used(symbols, automaton);
        let mut counting = BTreeSet::new();
        for edge in &automaton.edges {
            for (&leaf, &term) in &edge.step.updates {
                if symbols.store.adds(term) && !symbols.store.variables(term).is_empty() {
                    let bits = symbols.bits(term);
                    let variable = symbols.variable(leaf, Instance::Active, bits);
                    counting.insert(classes.find(variable));
                }
            }
        }
        Self { classes, counting }
    }

    /// Whether a predicate is one of a row: of one value more, or of a sum with one more.
    pub(super) fn make_a_row_with(&self, symbols: &Symbols, term: TermId) -> bool {
        let counts = |variable| self.counting.contains(&self.classes.find(variable));
        symbols.store.adds(term)
            || value_of(symbols, term).is_some_and(|(compared, _)| counts(compared))
    }
}

/// The variable as the passive thread has it.
pub(super) fn of_other(symbols: &mut Symbols, variable: TermId) -> Option<TermId> {
    let (leaf, _) = symbols.leaf(variable)?;
    let bits = symbols.bits(variable);
    Some(symbols.variable(leaf, Instance::Passive, bits))
}

/// Candidates for a trace whose preconditions read this; `atoms` are those of one thread.
pub(super) fn between(
    symbols: &mut Symbols,
    (module, automaton): (&Module, &Automaton),
    readers: &Readers,
    atoms: &[TermId],
) -> Vec<TermId> {
    let program = (module, automaton);
    let mut found: Vec<TermId> = Vec::new();
    let mut add = |term: TermId| {
        if found.len() < MOST && !found.contains(&term) {
            found.push(term);
        }
    };
    let several = readers.of_threads(symbols, automaton, 2);
    for &variable in &several {
        let Some(other) = of_other(symbols, variable) else { continue };
        if symbols.bits(variable) > 1 {
            let same = symbols.store.eq(variable, other);
            add(symbols.store.not(same));
        }
    }
    readers.related.iter().for_each(|&term| add(term));
    let Used { classes, named, .. } = used(symbols, automaton);
    let shared: Vec<TermId> = named
        .into_iter()
        .filter(|&v| symbols.leaf(v).is_some_and(|(leaf, _)| is_shared(automaton, leaf)))
        .collect();
    // The shared variables that one of these is a copy of, or is compared with.
    let mut near: BTreeSet<TermId> = BTreeSet::new();
    for &variable in &readers.of_threads(symbols, automaton, 1) {
        let width = symbols.bits(variable);
        for &source in &shared {
            if classes.find(source) == classes.find(variable) && symbols.bits(source) == width {
                near.insert(source);
                if several.contains(&variable)
                    && let Some(other) = of_other(symbols, variable)
                {
                    add_below(symbols, program, (other, source, variable), &mut add);
                }
            }
        }
        for &atom in atoms {
            let read = symbols.store.variables(atom);
            let is_of_it = read.iter().all(|&v| v == variable || shared.contains(&v));
            if read.contains(&variable) && read.len() > 1 && is_of_it {
                near.extend(read.iter().filter(|&&v| v != variable && symbols.bits(v) == width));
            }
        }
    }
    let near: Vec<TermId> = near.into_iter().collect();
    for (at, &one) in near.iter().enumerate() {
        for &other in &near[at + 1..] {
            if symbols.bits(one) == symbols.bits(other) {
                add_below(symbols, program, (one, other, one), &mut add);
                add_below(symbols, program, (other, one, one), &mut add);
            }
        }
    }
    for &variable in &several {
        for &atom in atoms {
            let read = symbols.store.variables(atom);
            let is_of_it = read.iter().all(|&v| v == variable || shared.contains(&v));
            if read.contains(&variable) && read.len() > 1 && is_of_it {
                let Some(other) = of_other(symbols, variable) else { continue };
                let map = [(variable, other)].into_iter().collect();
                let of_every = symbols.store.substitute(atom, &map);
                add(symbols.store.not(of_every));
                // That all have the same is seldom so.
                if !matches!(symbols.store.node(of_every), Node::Eq(..)) {
                    add(of_every);
                }
            }
        }
    }
    found
}

/// A precondition that relates two threads as predicates between them: each is the passive one once.
/// `named` makes a thread's values variables of the source where it stands.
pub(super) fn related(
    symbols: &mut Symbols,
    automaton: &Automaton,
    atom: TermId,
    named: &dyn Fn(&mut Symbols, u32, TermId) -> TermId,
) -> Vec<TermId> {
    let mut threads: Vec<u32> = Vec::new();
    for (leaf, of) in symbols.leaves_of(atom) {
        match of {
            Instance::Thread(thread) if !matches!(leaf, Leaf::Input(_)) => threads.push(thread),
            Instance::Active => {}
            _ => return Vec::new(),
        }
    }
    threads.sort_unstable();
    threads.dedup();
    let &[a, b] = threads.as_slice() else { return Vec::new() };
    let mut found = Vec::new();
    for (own, other) in [(a, b), (b, a)] {
        // What a thread has by a name, first as the active one has it.
        let term = symbols.rewrite(atom, |symbols, leaf, of, bits| {
            let Instance::Thread(thread) = of else { return None };
            let variable = symbols.variable(leaf, Instance::Active, bits);
            let variable = named(symbols, thread, variable);
            let (leaf, _) = symbols.leaf(variable)?;
            let who = if thread == other { Instance::Passive } else { Instance::Active };
            debug_assert!(thread == other || thread == own);
            Some(symbols.variable(leaf, who, bits))
        });
        let has_function = |symbols: &Symbols, who: Instance| {
            symbols.leaves_of(term).into_iter().all(|(leaf, of)| {
                of != who || is_shared(automaton, leaf) || function_of(automaton, leaf).is_some()
            })
        };
        if has_function(symbols, Instance::Active) && has_function(symbols, Instance::Passive) {
            found.push(symbols.store.not(term));
            found.push(term);
        }
    }
    found
}
