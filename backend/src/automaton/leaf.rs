//! The variables that terms of the automaton are over.

use rustc_hash::FxHashMap;
use sapa_ir::goto::{FunctionId, ValueId, VariableId};

use super::memory::CellId;
use crate::solver::{Sort, TermId, TermStore};

/// What a state of the program assigns a value to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leaf {
    /// A scalar in memory.
    Cell(CellId),
    /// An SSA value that is no pure expression over others (a load, a block
    /// parameter, a choice), read as a local variable: it holds what it was
    /// last defined as.
    Value(FunctionId, ValueId),
    /// A source variable: it holds the last executed definition that is tagged with it.
    Variable(FunctionId, VariableId),
    /// A choice made while an edge is taken. Numbered through the automaton.
    Input(u32),
    /// Whether the thread stands where certain leaves are live, by the number of these in
    /// [`Predicates`](crate::abstraction::Predicates). No edge reads or writes it.
    Live(u32),
}

/// Whose copy of a leaf. Shared cells have one copy, [`Instance::Active`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Instance {
    /// The thread that executes the step.
    Active,
    /// Any one of the other threads (SAPA section 2.2: `[v]`).
    Passive,
    /// Any one besides these two.
    Third,
    /// The one that the step starts.
    New,
    /// A thread of a concrete run; 0 is the initial one.
    Thread(u32),
}

/// The term store together with the meaning of its variables.
#[derive(Debug, Default)]
pub struct Symbols {
    /// All terms.
    pub store: TermStore,
    terms: FxHashMap<(Leaf, Instance), TermId>,
    leaves: FxHashMap<TermId, (Leaf, Instance)>,
}

impl Symbols {
    /// The variable of a leaf; `bits` is its width, an `i1` being a Boolean.
    pub fn variable(&mut self, leaf: Leaf, instance: Instance, bits: u16) -> TermId {
        if let Some(&term) = self.terms.get(&(leaf, instance)) {
            return term;
        }
        let who = match instance {
            Instance::Active => String::new(),
            Instance::Passive => "[]".to_owned(),
            Instance::Third => "[[]]".to_owned(),
            Instance::New => "[+]".to_owned(),
            Instance::Thread(index) => format!("@{index}"),
        };
        let what = match leaf {
            Leaf::Cell(cell) => format!("m{}", cell.0),
            Leaf::Value(function, value) => format!("f{}.{}", function.0, value.0),
            Leaf::Variable(function, variable) => format!("f{}.v{}", function.0, variable.0),
            Leaf::Input(index) => format!("in{index}"),
            Leaf::Live(index) => format!("live{index}"),
        };
        let term = self.store.variable(&format!("{what}{who}"), sort_of(bits));
        self.terms.insert((leaf, instance), term);
        self.leaves.insert(term, (leaf, instance));
        term
    }

    /// The variable of a leaf of the active thread, if there is one yet.
    #[must_use]
    pub fn known(&self, leaf: Leaf) -> Option<TermId> {
        self.terms.get(&(leaf, Instance::Active)).copied()
    }

    /// `term` with the active thread's leaves replaced by what `of` says of them, as in
    /// [`TermStore::replace_variables`].
    pub fn replace(
        &mut self,
        term: TermId,
        oldest: TermId,
        results: &mut FxHashMap<TermId, TermId>,
        of: impl Fn(Leaf) -> Option<TermId>,
    ) -> TermId {
        let Self { store, leaves, .. } = self;
        store.replace_variables(term, oldest, results, |variable| match leaves.get(&variable) {
            Some(&(leaf, Instance::Active)) => of(leaf),
            _ => None,
        })
    }

    /// The leaf and the instance that a variable stands for.
    #[must_use]
    pub fn leaf(&self, term: TermId) -> Option<(Leaf, Instance)> {
        self.leaves.get(&term).copied()
    }

    /// The width of a term, an `i1` being a Boolean.
    #[must_use]
    pub fn bits(&self, term: TermId) -> u16 {
        u16::try_from(self.store.width(term)).expect("no type is wider")
    }

    /// `term` with its variables replaced by what `of` says of their leaves, instances and widths.
    pub fn rewrite(
        &mut self,
        term: TermId,
        of: impl Fn(&mut Self, Leaf, Instance, u16) -> Option<TermId>,
    ) -> TermId {
        let mut map = FxHashMap::default();
        for variable in self.store.variables(term) {
            let bits = self.bits(variable);
            if let Some((leaf, instance)) = self.leaf(variable)
                && let Some(replacement) = of(self, leaf, instance, bits)
            {
                map.insert(variable, replacement);
            }
        }
        self.store.substitute(term, &map)
    }

    /// The leaves that occur in a term, sorted.
    #[must_use]
    pub fn leaves_of(&self, term: TermId) -> Vec<(Leaf, Instance)> {
        let mut found: Vec<_> =
            self.store.variables(term).into_iter().filter_map(|v| self.leaf(v)).collect();
        found.sort_unstable();
        found
    }

    /// A Boolean as a bit-vector of one bit.
    pub fn to_bits(&mut self, term: TermId) -> TermId {
        if !self.store.is_bool(term) {
            return term;
        }
        let one = self.store.constant(1, 1);
        let zero = self.store.constant(1, 0);
        self.store.ite(term, one, zero)
    }

    /// A bit-vector of one bit as a Boolean.
    pub fn to_bool(&mut self, term: TermId) -> TermId {
        if self.store.is_bool(term) {
            return term;
        }
        let one = self.store.constant(1, 1);
        self.store.eq(term, one)
    }

    /// `term` in the sort that a value of `bits` has.
    pub fn coerce(&mut self, term: TermId, bits: u16) -> TermId {
        if bits == 1 { self.to_bool(term) } else { term }
    }
}

/// The sort of a value of `bits`: an `i1` is a Boolean.
#[must_use]
pub fn sort_of(bits: u16) -> Sort {
    if bits == 1 { Sort::Bool } else { Sort::Bv(u32::from(bits)) }
}
