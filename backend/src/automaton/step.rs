//! Guards and updates of an edge.
//!
//! Steps share what they have in common: where one is continued in several ways, or composed with
//! what follows, the copies differ in what was added only. So code with a way out at every
//! instruction (an assertion, say) takes memory by its length and not by its square.

use rpds::{RedBlackTreeMapSync, RedBlackTreeSetSync, VectorSync};
use rustc_hash::FxHashMap;
use sapa_ir::goto::Location;

use super::Input;
use super::leaf::{Instance, Leaf, Symbols};
use crate::index::small_index;
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

/// Edges with more guards are cut, or are left apart: every way out of an edge has a copy of them.
pub(super) const MAX_GUARDS: usize = 64;

/// Guards and simultaneous updates over the state before an edge.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// All must hold.
    pub guards: Vec<Guard>,
    /// New values of leaves; the others stay. Inputs are never updated.
    pub updates: RedBlackTreeMapSync<Leaf, TermId>,
    /// Inputs that are chosen on the way, in order of execution.
    pub inputs: VectorSync<u32>,
    /// Instructions that choose an input: position in the edge's path.
    pub input_positions: VectorSync<u32>,
    /// `inputs` as a set.
    chosen: RedBlackTreeSetSync<u32>,
}

impl Step {
    /// When the step can be taken: all guards.
    pub fn guard(&self, symbols: &mut Symbols) -> TermId {
        symbols.store.and_all(self.guards.iter().map(|guard| guard.term))
    }

    /// A term over the state after the step as a term over the state before it.
    pub fn before(&self, symbols: &mut Symbols, after: TermId) -> TermId {
        if self.updates.is_empty() {
            return after;
        }
        let first = symbols.store.true_();
        let of = |leaf| self.updates.get(&leaf).copied();
        symbols.replace(after, first, &mut FxHashMap::default(), of)
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

    /// Adds an input, chosen at a position of the edge's path.
    pub fn choose(&mut self, input: u32, position: u32) {
        self.inputs.push_back_mut(input);
        self.input_positions.push_back_mut(position);
        self.chosen.insert_mut(input);
    }

    /// Whether a guard is `false`.
    #[must_use]
    pub fn is_impossible(&self, symbols: &Symbols) -> bool {
        self.guards.iter().any(|guard| symbols.store.as_boolean(guard.term) == Some(false))
    }

    /// The same with new inputs for those that `before` has too: an instruction that is executed
    /// twice chooses twice. `inputs` are those of all steps.
    #[must_use]
    pub fn with_inputs_apart(
        &self,
        symbols: &mut Symbols,
        before: &Self,
        inputs: &mut Vec<Input>,
    ) -> Self {
        if self.inputs.iter().all(|input| !before.chosen.contains(input)) {
            return self.clone();
        }
        let mut map = FxHashMap::default();
        let mut apart = Self { guards: self.guards.clone(), ..Self::default() };
        for (&input, &position) in self.inputs.iter().zip(&self.input_positions) {
            let mut own = input;
            if before.chosen.contains(&input) {
                let new = inputs.get(input as usize).copied();
                let new = new.unwrap_or(Input { bits: 1, offset: None });
                let bits = new.bits;
                own = small_index(inputs.len());
                inputs.push(new);
                let from = symbols.variable(Leaf::Input(input), Instance::Active, bits);
                map.insert(from, symbols.variable(Leaf::Input(own), Instance::Active, bits));
            }
            apart.choose(own, position);
        }
        for guard in &mut apart.guards {
            guard.term = symbols.store.substitute(guard.term, &map);
        }
        for (&leaf, &term) in &self.updates {
            apart.updates.insert_mut(leaf, symbols.store.substitute(term, &map));
        }
        apart
    }
}

/// A step that is being built, and what terms are under its updates: asked again and again for
/// terms that have parts in common, it works on each part once.
#[derive(Debug, Default)]
pub struct Growing {
    /// The step so far.
    pub step: Step,
    /// What terms over the state after the step are over the state before it.
    images: FxHashMap<TermId, TermId>,
    /// Older terms have no updated leaf.
    oldest: Option<TermId>,
}

impl Growing {
    /// A step that goes on.
    #[must_use]
    pub fn new(symbols: &Symbols, step: Step) -> Self {
        let oldest = (!step.updates.is_empty()).then(|| symbols.store.true_());
        Self { step, images: FxHashMap::default(), oldest }
    }

    /// A term over the state after the step as a term over the state before it.
    pub fn before(&mut self, symbols: &mut Symbols, after: TermId) -> TermId {
        let Some(oldest) = self.oldest else { return after };
        let of = |leaf| self.step.updates.get(&leaf).copied();
        symbols.replace(after, oldest, &mut self.images, of)
    }

    /// Adds a guard over the state after what the step does so far.
    pub fn assume(&mut self, symbols: &mut Symbols, condition: TermId, location: Location) {
        let term = self.before(symbols, condition);
        self.assume_before(symbols, term, location);
    }

    /// Adds a guard over the state before the step.
    pub fn assume_before(&mut self, symbols: &Symbols, term: TermId, location: Location) {
        self.step.assume_before(symbols, term, location);
    }

    /// Adds a guard over the state before the step: that an assertion does not fail.
    pub fn pass_assertion(&mut self, symbols: &Symbols, term: TermId, location: Location) {
        self.step.pass_assertion(symbols, term, location);
    }

    /// Gives a leaf a new value, over the state before the step.
    pub fn update(&mut self, symbols: &Symbols, leaf: Leaf, term: TermId) {
        // A leaf that has no variable yet is in no term yet.
        let variable = symbols.known(leaf).unwrap_or(symbols.store.next());
        // What was made of it, or of older terms, has another value now.
        if self.oldest.is_none_or(|oldest| variable < oldest) || self.images.contains_key(&variable)
        {
            self.images.clear();
        }
        self.oldest = Some(self.oldest.map_or(variable, |oldest| oldest.min(variable)));
        self.step.updates.insert_mut(leaf, term);
    }

    /// This step and then `next`, which has none of its inputs, over the state before both.
    /// `length` is the number of instructions of this step's path. This step stays what it is.
    pub fn then(&mut self, symbols: &mut Symbols, next: &Step, length: u32) -> Composed {
        debug_assert!(next.inputs.iter().all(|input| !self.step.chosen.contains(input)));
        let mut guards = Vec::with_capacity(next.guards.len());
        for guard in &next.guards {
            guards.push(Guard { term: self.before(symbols, guard.term), ..*guard });
        }
        let mut updates = Vec::with_capacity(next.updates.size());
        for (&leaf, &term) in &next.updates {
            updates.push((leaf, self.before(symbols, term)));
        }
        let positions = next.input_positions.iter().map(|position| position + length);
        let inputs = next.inputs.iter().copied().zip(positions).collect();
        Composed { guards, updates, inputs }
    }

    /// Adds what [`then`](Self::then) found.
    pub fn add(&mut self, symbols: &Symbols, more: Composed) {
        for guard in more.guards {
            match guard.asserted {
                true => self.pass_assertion(symbols, guard.term, guard.location),
                false => self.assume_before(symbols, guard.term, guard.location),
            }
        }
        for (leaf, term) in more.updates {
            self.update(symbols, leaf, term);
        }
        for (input, position) in more.inputs {
            self.step.choose(input, position);
        }
    }
}

/// What a step adds to one before it, over the state before both.
#[derive(Debug)]
pub struct Composed {
    guards: Vec<Guard>,
    updates: Vec<(Leaf, TermId)>,
    inputs: Vec<(u32, u32)>,
}
