//! Predicates: their identity, their terms and their classes (SAPA Definition 1 and section 3.2).
//! A vocabulary is a list of them.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{Expression, FunctionId, Module, address};

use super::Mode;
use super::quantified::{LeafSets, Quantified, Side, is_between};
use crate::automaton::access::{self, Targets};
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::memory::Origin;
use crate::automaton::value::{
    binary, cast, compare, constant, field_offset, index_address, unary,
};
use crate::automaton::{Automaton, NodeId, Scope, Step};
use crate::solver::TermId;

/// Shared, local or mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Reads only what all threads see.
    Shared,
    /// Reads only what one thread sees.
    Local,
    /// Reads both.
    Mixed,
}

/// A predicate of a run; indexes [`Predicates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PredicateId(pub u32);

/// A predicate that threads can evaluate.
#[derive(Clone, Copy, Debug)]
pub struct Tracked {
    /// Which one.
    pub id: PredicateId,
    /// Over the state of the active thread; source variables as leaves of their own.
    pub term: TermId,
    /// The same over the state of a passive thread.
    pub passive: TermId,
    /// Its class.
    pub class: Class,
    /// The root whose locals it reads; `None` if it reads none of a particular root.
    pub root: Option<usize>,
}

impl Tracked {
    /// Whether its Boolean variable is shared.
    #[must_use]
    pub fn is_stored_shared(&self, mode: Mode) -> bool {
        self.class == Class::Shared || (self.class == Class::Mixed && mode == Mode::MixedAsShared)
    }

    /// Whether threads of a root can evaluate it.
    #[must_use]
    pub fn is_visible(&self, root: usize) -> bool {
        self.root.is_none_or(|of| of == root)
    }

    /// Whether this is a thread's own predicate that every thread with `other` has too. Others
    /// must not decide about `other`: in threads of other roots their variables mean nothing.
    #[must_use]
    pub fn accompanies(&self, other: &Self) -> bool {
        self.class != Class::Shared && (self.root.is_none() || self.root == other.root)
    }
}

/// The predicates of a run, each once: a predicate and its negation are one. The first are those of
/// the module, in their order.
#[derive(Debug, Default)]
pub struct Predicates {
    /// Their terms, and what is tracked of them.
    all: Vec<(TermId, Meaning)>,
    ids: FxHashMap<TermId, PredicateId>,
    pub(super) sets: LeafSets,
}

/// What is tracked of a predicate.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// It is constant, no thread can evaluate it, or it repeats another.
    Nothing,
    /// It is one of a thread.
    One(Tracked),
    /// It is one between threads.
    Every(Quantified),
}

impl Predicates {
    /// Those of a module.
    pub fn new(symbols: &mut Symbols, module: &Module, automaton: &Automaton) -> Self {
        let mut this = Self::default();
        for predicate in &module.predicates {
            let term = term(symbols, module, automaton, &predicate.expression);
            // What does not fit the module says nothing.
            let term = term.map_or(symbols.store.true_(), |term| symbols.to_bool(term));
            this.insert(symbols, automaton, term);
        }
        this
    }

    /// The predicate of a term.
    pub fn of(
        &mut self,
        symbols: &mut Symbols,
        automaton: &Automaton,
        term: TermId,
    ) -> PredicateId {
        let known = self.ids.get(&term).copied();
        known.unwrap_or_else(|| self.insert(symbols, automaton, term))
    }

    fn insert(
        &mut self,
        symbols: &mut Symbols,
        automaton: &Automaton,
        term: TermId,
    ) -> PredicateId {
        let id = PredicateId(u32::try_from(self.all.len()).expect("predicates fit in memory"));
        if self.ids.contains_key(&term) {
            self.all.push((term, Meaning::Nothing));
            return id;
        }
        self.ids.insert(term, id);
        let meaning = if is_between(symbols, term) {
            let quantified = self.sets.quantified(symbols, automaton, (id, term));
            quantified.map_or(Meaning::Nothing, Meaning::Every)
        } else {
            // That another thread breaks it is no negation of one that holds with all.
            self.ids.insert(symbols.store.not(term), id);
            track(symbols, automaton, id, term).map_or(Meaning::Nothing, Meaning::One)
        };
        self.all.push((term, meaning));
        id
    }

    /// The term of a predicate.
    ///
    /// # Panics
    /// If it is one of another run.
    #[must_use]
    pub fn term(&self, id: PredicateId) -> TermId {
        self.all[id.0 as usize].0
    }

    /// A predicate or its negation in words of the predicate that is tracked for it; `None` if it is
    /// none of the run.
    pub(super) fn literal(&self, id: PredicateId, sign: bool) -> Option<(PredicateId, bool)> {
        let &(term, _) = self.all.get(id.0 as usize)?;
        let tracked = *self.ids.get(&term)?;
        Some((tracked, sign == (self.term(tracked) == term)))
    }

    /// The predicates of a vocabulary that an abstraction tracks, but for those between threads.
    ///
    /// # Panics
    /// If one is of another run.
    #[must_use]
    pub fn tracked(&self, vocabulary: &[PredicateId]) -> Vec<Tracked> {
        let one = |id: &PredicateId| match self.all[id.0 as usize].1 {
            Meaning::One(tracked) => Some(tracked),
            Meaning::Every(_) | Meaning::Nothing => None,
        };
        vocabulary.iter().filter_map(one).collect()
    }

    /// The predicates of a vocabulary that are between threads, where an abstraction tracks such.
    ///
    /// # Panics
    /// If one is of another run.
    #[must_use]
    pub fn quantified(&self, vocabulary: &[PredicateId], mode: Mode) -> Vec<Quantified> {
        let every = |id: &PredicateId| match self.all[id.0 as usize].1 {
            Meaning::Every(quantified) if mode == Mode::SymmetryAware => Some(quantified),
            _ => None,
        };
        vocabulary.iter().filter_map(every).collect()
    }

    /// Whether all leaves of a side are live in a thread that stands there.
    ///
    /// # Panics
    /// If it is one of another run, or there is no such place.
    #[must_use]
    pub fn are_live(&self, side: Side, place: (usize, NodeId)) -> bool {
        self.sets.are_live(side, place)
    }
}

fn track(
    symbols: &mut Symbols,
    automaton: &Automaton,
    id: PredicateId,
    term: TermId,
) -> Option<Tracked> {
    let leaves = symbols.leaves_of(term);
    if leaves.is_empty() {
        return None;
    }
    // What the text names may not be in the term: `x - x` is 0.
    let mut functions = leaves.iter().filter_map(|&(leaf, _)| function_of(automaton, leaf));
    let root = match functions.next() {
        Some(function) if functions.all(|other| other == function) => {
            Some(automaton.roots.iter().position(|root| root.function == function)?)
        }
        Some(_) => return None,
        None => None,
    };
    let shared = leaves.iter().any(|&(leaf, _)| is_shared(automaton, leaf));
    let local = leaves.iter().any(|&(leaf, _)| !is_shared(automaton, leaf));
    let class = match (shared, local) {
        (true, true) => Class::Mixed,
        (_, false) => Class::Shared,
        (false, true) => Class::Local,
    };
    let passive = rename(symbols, automaton, term, Instance::Passive);
    Some(Tracked { id, term, passive, class, root })
}

/// Whether all threads see one copy of a leaf.
#[must_use]
pub fn is_shared(automaton: &Automaton, leaf: Leaf) -> bool {
    matches!(leaf, Leaf::Cell(cell) if automaton.memory.is_shared(cell))
}

/// The function whose threads have a leaf, if not all threads do.
#[must_use]
pub fn function_of(automaton: &Automaton, leaf: Leaf) -> Option<FunctionId> {
    match leaf {
        Leaf::Variable(function, _) | Leaf::Value(function, _) => Some(function),
        Leaf::Cell(cell) => match automaton.memory.object_of(cell).scope {
            Scope::Threads(function) => Some(function),
            Scope::Shared | Scope::EveryThread => None,
        },
        Leaf::Input(_) | Leaf::Live(_) => None,
    }
}

/// `term` with the active thread's copies of local leaves replaced by another's.
pub fn rename(
    symbols: &mut Symbols,
    automaton: &Automaton,
    term: TermId,
    instance: Instance,
) -> TermId {
    symbols.rewrite(term, |symbols, leaf, of, bits| {
        let is_own = !is_shared(automaton, leaf) && !matches!(leaf, Leaf::Input(_));
        (is_own && of == Instance::Active).then(|| symbols.variable(leaf, instance, bits))
    })
}

/// The term of an expression over the active thread's state; `None` if the
/// expression does not fit the module.
pub fn term(
    symbols: &mut Symbols,
    module: &Module,
    automaton: &Automaton,
    expression: &Expression,
) -> Option<TermId> {
    let number = |symbols: &mut Symbols, number: u64| {
        constant(symbols, module.target.pointer_bits, u128::from(number))
    };
    let recurse = |symbols: &mut Symbols, e: &Expression| term(symbols, module, automaton, e);
    Some(match expression {
        Expression::Int { bits, value } => constant(symbols, *bits, *value),
        Expression::Null => number(symbols, 0),
        Expression::Variable { function, variable } => {
            let ty = &module.functions.get(function.index())?.variables.get(variable.index())?.ty;
            let leaf = Leaf::Variable(*function, *variable);
            symbols.variable(leaf, Instance::Active, ty.bits(module)?)
        }
        Expression::Value { function, value } => {
            let ty = &module.functions.get(function.index())?.values.get(value.index())?.ty;
            symbols.variable(Leaf::Value(*function, *value), Instance::Active, ty.bits(module)?)
        }
        Expression::Global(global) => {
            number(symbols, automaton.memory.address_of(Origin::Global(*global))?)
        }
        Expression::Slot { function, slot } => {
            number(symbols, automaton.memory.address_of(Origin::Slot(*function, *slot))?)
        }
        Expression::Function(function) => number(symbols, address::function(module, *function)),
        Expression::Load { ty, address } => {
            let term = recurse(symbols, address)?;
            load(symbols, module, automaton, (address, term), ty.bits(module)?)
        }
        Expression::FieldAddress { base, structure, field } => {
            let base = recurse(symbols, base)?;
            let offset = number(symbols, field_offset(module, *structure, *field));
            symbols.store.add(base, offset)
        }
        Expression::IndexAddress { base, element, index } => {
            let (base, index) = (recurse(symbols, base)?, recurse(symbols, index)?);
            index_address(symbols, base, index, element.size(module))
        }
        Expression::Unary { op, a } => {
            let a = recurse(symbols, a)?;
            unary(symbols, *op, a)
        }
        Expression::Binary { op, a, b } => {
            let (a, b) = (recurse(symbols, a)?, recurse(symbols, b)?);
            binary(symbols, *op, a, b)
        }
        Expression::Compare { op, a, b } => {
            let (a, b) = (recurse(symbols, a)?, recurse(symbols, b)?);
            compare(symbols, *op, a, b)
        }
        Expression::Cast { op, ty, a } => {
            let a = recurse(symbols, a)?;
            cast(symbols, *op, a, ty.bits(module)?)
        }
        Expression::Other { of } => {
            let of = recurse(symbols, of)?;
            rename(symbols, automaton, of, Instance::Passive)
        }
        Expression::Select { condition, a, b } => {
            let condition = recurse(symbols, condition)?;
            let (a, b) = (recurse(symbols, a)?, recurse(symbols, b)?);
            symbols.store.ite(condition, a, b)
        }
    })
}

/// Memory at an address, given as an expression and as its term: a choice between the cells that it
/// may mean, 0 elsewhere. (Any fixed value is sound there: a predicate only has to be a
/// function of the state.)
fn load(
    symbols: &mut Symbols,
    module: &Module,
    automaton: &Automaton,
    (address, term): (&Expression, TermId),
    bits: u16,
) -> TermId {
    let function = address
        .function()
        .or_else(|| automaton.roots.first().map(|root| root.function))
        .unwrap_or(FunctionId(0));
    let memory = &automaton.memory;
    let targets = Targets::new(automaton.points_to.of_expression(module, address), 0);
    let mut reach = access::reach(symbols, memory, function, term, &targets, bits);
    if address.function().is_none() {
        // Read by any thread: only what all see has one meaning.
        reach.retain(|cell| !matches!(memory.object_of(cell).scope, Scope::Threads(_)));
    }
    let zero = constant(symbols, bits, 0);
    let (value, _) = access::read(symbols, memory, &Step::default(), &reach, term, Some(zero));
    value.unwrap_or(zero)
}
