//! The predicates that an abstraction tracks: their terms and their classes
//! (SAPA Definition 1 and section 3.2).

use rustc_hash::FxHashMap;
use sapa_ir::goto::{Expression, FunctionId, Module, Predicate, address};

use super::Mode;
use crate::automaton::access::{self, Targets};
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::memory::Origin;
use crate::automaton::value::{
    binary, cast, compare, constant, field_offset, index_address, unary,
};
use crate::automaton::{Automaton, Scope, Step};
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

/// A predicate of the vocabulary as the abstraction sees it.
#[derive(Clone, Debug)]
pub struct Tracked {
    /// Over the state of the active thread; source variables as leaves of their own.
    pub term: TermId,
    /// The same over the state of a passive thread.
    pub passive: TermId,
    /// Its class.
    pub class: Class,
    /// The root whose locals it reads; `None` if it reads none of a particular root.
    pub root: Option<usize>,
    /// Name of its Boolean variable.
    pub name: String,
    /// As the user or the refinement wrote it.
    pub text: String,
}

impl Tracked {
    /// Whether its Boolean variable is shared.
    #[must_use]
    pub fn is_stored_shared(&self, mode: Mode) -> bool {
        self.class == Class::Shared || (self.class == Class::Mixed && mode == Mode::MixedAsShared)
    }

    /// Whether this is a thread's own predicate that every thread with `other` has too. Others
    /// must not decide about `other`: in threads of other roots their variables mean nothing.
    #[must_use]
    pub fn accompanies(&self, other: &Self) -> bool {
        self.class != Class::Shared && (self.root.is_none() || self.root == other.root)
    }
}

/// The vocabulary; indexes are those of [`Module::predicates`] without
/// predicates that are constant or that no thread can evaluate.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Tracked predicates.
    pub tracked: Vec<Tracked>,
}

impl Vocabulary {
    /// Translates and classifies predicates. Predicates that repeat an earlier
    /// one or its negation are left out.
    pub fn new(
        symbols: &mut Symbols,
        module: &Module,
        automaton: &Automaton,
        predicates: &[Predicate],
    ) -> Self {
        let mut vocabulary = Self::default();
        for (index, predicate) in predicates.iter().enumerate() {
            if let Some(mut tracked) = track(symbols, module, automaton, predicate) {
                let negated = symbols.store.not(tracked.term);
                if vocabulary.tracked.iter().all(|t| t.term != tracked.term && t.term != negated) {
                    tracked.name = format!("b{index}");
                    vocabulary.tracked.push(tracked);
                }
            }
        }
        vocabulary
    }

    /// The predicates that a thread of a root can evaluate.
    pub fn visible(&self, root: usize) -> impl Iterator<Item = &Tracked> {
        self.tracked.iter().filter(move |tracked| tracked.root.is_none_or(|of| of == root))
    }
}

fn track(
    symbols: &mut Symbols,
    module: &Module,
    automaton: &Automaton,
    predicate: &Predicate,
) -> Option<Tracked> {
    let term = term(symbols, module, automaton, &predicate.expression)?;
    let term = symbols.to_bool(term);
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
    Some(Tracked { term, passive, class, root, name: String::new(), text: predicate.text.clone() })
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
        Leaf::Input(_) => None,
    }
}

/// `term` with the active thread's copies of local leaves replaced by another's.
pub fn rename(
    symbols: &mut Symbols,
    automaton: &Automaton,
    term: TermId,
    instance: Instance,
) -> TermId {
    let mut map = FxHashMap::default();
    for variable in symbols.store.variables(term) {
        if let Some((leaf, Instance::Active)) = symbols.leaf(variable)
            && !is_shared(automaton, leaf)
            && !matches!(leaf, Leaf::Input(_))
        {
            let bits = u16::try_from(symbols.store.width(variable)).unwrap_or(u16::MAX);
            map.insert(variable, symbols.variable(leaf, instance, bits));
        }
    }
    symbols.store.substitute(term, &map)
}

/// The term of an expression over the active thread's state; `None` if the
/// expression does not fit the module.
pub fn term(
    symbols: &mut Symbols,
    module: &Module,
    automaton: &Automaton,
    expression: &Expression,
) -> Option<TermId> {
    let pointer = module.target.pointer_bits;
    let recurse = |symbols: &mut Symbols, e: &Expression| term(symbols, module, automaton, e);
    Some(match expression {
        Expression::Int { bits, value } => constant(symbols, *bits, *value),
        Expression::Null => constant(symbols, pointer, 0),
        Expression::Variable { function, variable } => {
            let ty = &module.functions.get(function.index())?.variables.get(variable.index())?.ty;
            symbols.variable(
                Leaf::Variable(*function, *variable),
                Instance::Active,
                ty.bits(module)?,
            )
        }
        Expression::Value { function, value } => {
            let ty = &module.functions.get(function.index())?.values.get(value.index())?.ty;
            symbols.variable(Leaf::Value(*function, *value), Instance::Active, ty.bits(module)?)
        }
        Expression::Global(global) => constant(
            symbols,
            pointer,
            u128::from(automaton.memory.address_of(Origin::Global(*global))?),
        ),
        Expression::Slot { function, slot } => constant(
            symbols,
            pointer,
            u128::from(automaton.memory.address_of(Origin::Slot(*function, *slot))?),
        ),
        Expression::Function(function) => {
            constant(symbols, pointer, u128::from(address::function(module, *function)))
        }
        Expression::Load { ty, address } => {
            let term = recurse(symbols, address)?;
            load(symbols, module, automaton, (address, term), ty.bits(module)?)
        }
        Expression::FieldAddress { base, structure, field } => {
            let base = recurse(symbols, base)?;
            let offset =
                constant(symbols, pointer, u128::from(field_offset(module, *structure, *field)));
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
