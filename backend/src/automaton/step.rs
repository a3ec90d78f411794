//! Guards and updates of an edge.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use sapa_ir::goto::Location;

use super::leaf::{Instance, Leaf, Symbols};
use crate::solver::TermId;

/// A condition under which an edge can be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// A Boolean over the state before the edge.
    pub term: TermId,
    /// Where it comes from.
    pub location: Location,
    /// Whether an assertion fails where it does not hold.
    pub asserted: bool,
}

/// Guards and simultaneous updates over the state before an edge.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// All must hold.
    pub guards: Vec<Guard>,
    /// New values of leaves; the others stay. Inputs are never updated.
    pub updates: BTreeMap<Leaf, TermId>,
    /// Inputs that are chosen on the way, in order of execution.
    pub inputs: Vec<u32>,
    /// Instructions that choose an input: position in the edge's path.
    pub input_positions: Vec<u32>,
}

impl Step {
    /// The updates as a substitution for [`TermStore::substitute`](crate::solver::TermStore::substitute).
    pub fn substitution(&self, symbols: &mut Symbols) -> FxHashMap<TermId, TermId> {
        let mut map = FxHashMap::default();
        for (&leaf, &term) in &self.updates {
            let bits = u16::try_from(symbols.store.width(term)).unwrap_or(u16::MAX);
            map.insert(symbols.variable(leaf, Instance::Active, bits), term);
        }
        map
    }

    /// A term over the state after the step as a term over the state before it.
    pub fn before(&self, symbols: &mut Symbols, after: TermId) -> TermId {
        if self.updates.is_empty() {
            return after;
        }
        let map = self.substitution(symbols);
        symbols.store.substitute(after, &map)
    }

    /// Adds a guard over the state after what the step does so far.
    pub fn assume(&mut self, symbols: &mut Symbols, condition: TermId, location: Location) {
        let term = self.before(symbols, condition);
        self.assume_before(symbols, term, location);
    }

    /// Adds a guard over the state before the step.
    pub fn assume_before(&mut self, symbols: &Symbols, term: TermId, location: Location) {
        if symbols.store.as_boolean(term) != Some(true)
            && self.guards.iter().all(|guard| guard.term != term)
        {
            self.guards.push(Guard { term, location, asserted: false });
        }
    }

    /// Adds a guard over the state before the step: that an assertion does not fail.
    pub fn pass_assertion(&mut self, symbols: &Symbols, term: TermId, location: Location) {
        let known = self.guards.len();
        self.assume_before(symbols, term, location);
        self.guards.iter_mut().skip(known).for_each(|guard| guard.asserted = true);
    }

    /// Whether a guard is `false`.
    #[must_use]
    pub fn is_impossible(&self, symbols: &Symbols) -> bool {
        self.guards.iter().any(|guard| symbols.store.as_boolean(guard.term) == Some(false))
    }

    /// The same with new inputs for those that `before` has too: an instruction that is executed
    /// twice chooses twice. `input_bits` are the widths of all inputs.
    #[must_use]
    pub fn with_inputs_apart(
        &self,
        symbols: &mut Symbols,
        before: &Self,
        input_bits: &mut Vec<u16>,
    ) -> Self {
        let mut apart = self.clone();
        let mut map = FxHashMap::default();
        for input in apart.inputs.iter_mut().filter(|input| before.inputs.contains(input)) {
            let bits = input_bits.get(*input as usize).copied().unwrap_or(1);
            let new = u32::try_from(input_bits.len()).unwrap_or(u32::MAX);
            input_bits.push(bits);
            let from = symbols.variable(Leaf::Input(*input), Instance::Active, bits);
            map.insert(from, symbols.variable(Leaf::Input(new), Instance::Active, bits));
            *input = new;
        }
        if !map.is_empty() {
            for guard in &mut apart.guards {
                guard.term = symbols.store.substitute(guard.term, &map);
            }
            for term in apart.updates.values_mut() {
                *term = symbols.store.substitute(*term, &map);
            }
        }
        apart
    }

    /// This step and then `next`, which has none of its inputs. `length` is the number of
    /// instructions of this step's path.
    #[must_use]
    pub fn then(&self, symbols: &mut Symbols, next: &Self, length: u32) -> Self {
        debug_assert!(next.inputs.iter().all(|input| !self.inputs.contains(input)));
        let mut both = self.clone();
        let map = self.substitution(symbols);
        for guard in &next.guards {
            let term = symbols.store.substitute(guard.term, &map);
            match guard.asserted {
                true => both.pass_assertion(symbols, term, guard.location),
                false => both.assume_before(symbols, term, guard.location),
            }
        }
        for (&leaf, &term) in &next.updates {
            let term = symbols.store.substitute(term, &map);
            both.updates.insert(leaf, term);
        }
        both.inputs.extend(&next.inputs);
        both.input_positions.extend(next.input_positions.iter().map(|position| position + length));
        both
    }
}
