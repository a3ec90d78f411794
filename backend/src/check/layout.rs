//! The BDD variables of a program with a fixed number of thread slots.
//!
//! Every bit has a current and a next variable, next to each other in the order, so that renaming
//! next to current keeps the order. Shared bits come first, then slot by slot the location (binary)
//! and the locals. A slot without a thread is at the location one past the last.

use sapa_bdd::{Bdd, BddManager, OutOfNodes, Substitution, Var};

/// One bit of the state, before and after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bit {
    pub(crate) current: Var,
    pub(crate) next: Var,
}

/// Which side of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Current,
    Next,
}

impl Bit {
    pub(crate) fn side(self, side: Side) -> Var {
        match side {
            Side::Current => self.current,
            Side::Next => self.next,
        }
    }
}

/// A place for a thread.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The location, least significant bit first.
    pub(crate) location: Vec<Bit>,
    pub(crate) locals: Vec<Bit>,
}

/// A slot's contents: the location's number and the values of the locals.
pub(crate) type Occupant = (usize, Vec<bool>);

/// A state, with `None` for slots without a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SlotState {
    pub(crate) shared: Vec<bool>,
    pub(crate) slots: Vec<Option<Occupant>>,
}

/// All variables.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) manager: BddManager,
    pub(crate) shared: Vec<Bit>,
    pub(crate) slots: Vec<Slot>,
    /// How many locations there are; also the number that means "no thread".
    pub(crate) absent: usize,
}

impl Layout {
    pub(crate) fn new(
        manager: BddManager,
        shared: usize,
        locals: usize,
        locations: usize,
        slots: usize,
    ) -> Layout {
        let bits = |count: usize| -> Vec<Bit> {
            (0..count)
                .map(|_| Bit { current: manager.new_var(), next: manager.new_var() })
                .collect()
        };
        let location_bits = (usize::BITS - locations.leading_zeros()) as usize;
        let shared = bits(shared);
        let slots =
            (0..slots).map(|_| Slot { location: bits(location_bits), locals: bits(locals) });
        let slots = slots.collect();
        Layout { shared, slots, absent: locations, manager }
    }

    /// That `slot` is at the location with this number.
    pub(crate) fn at(&self, slot: usize, number: usize, side: Side) -> Result<Bdd, OutOfNodes> {
        let mut all = self.manager.top();
        for (position, bit) in self.slots[slot].location.iter().enumerate() {
            let value = number >> position & 1 == 1;
            all = all.and(&self.manager.literal(bit.side(side), value)?)?;
        }
        Ok(all)
    }

    /// That the slot has no thread.
    pub(crate) fn is_absent(&self, slot: usize, side: Side) -> Result<Bdd, OutOfNodes> {
        self.at(slot, self.absent, side)
    }

    /// That these bits keep their values.
    pub(crate) fn unchanged(&self, bits: &[Bit]) -> Result<Bdd, OutOfNodes> {
        bits.iter().try_fold(self.manager.top(), |all, bit| {
            all.and(&self.manager.var(bit.current)?.iff(&self.manager.var(bit.next)?)?)
        })
    }

    /// Every bit of the state.
    pub(crate) fn all_bits(&self) -> Vec<Bit> {
        let slots = self.slots.iter().flat_map(|slot| slot.location.iter().chain(&slot.locals));
        self.shared.iter().chain(slots).copied().collect()
    }

    /// Exactly this state. A slot without a thread has all locals false.
    pub(crate) fn state(&self, state: &SlotState, side: Side) -> Result<Bdd, OutOfNodes> {
        let mut literals = Vec::new();
        literals.extend(self.shared.iter().zip(&state.shared).map(|(bit, &value)| (*bit, value)));
        for (slot, occupant) in self.slots.iter().zip(&state.slots) {
            let number = occupant.as_ref().map_or(self.absent, |(number, _)| *number);
            for (position, bit) in slot.location.iter().enumerate() {
                literals.push((*bit, number >> position & 1 == 1));
            }
            for (at, bit) in slot.locals.iter().enumerate() {
                let value = occupant.as_ref().and_then(|(_, locals)| locals.get(at).copied());
                literals.push((*bit, value.unwrap_or(false)));
            }
        }
        literals.into_iter().try_fold(self.manager.top(), |all, (bit, value)| {
            all.and(&self.manager.literal(bit.side(side), value)?)
        })
    }

    /// Some state of a set over current variables; `None` if it is empty.
    pub(crate) fn pick(&self, set: &Bdd) -> Option<SlotState> {
        let cube = set.pick_cube()?;
        let value = |bit: &Bit| cube.value(bit.current).unwrap_or(false);
        let slots = self.slots.iter().map(|slot| {
            let number =
                slot.location.iter().enumerate().fold(0, |number, (position, bit)| {
                    number | usize::from(value(bit)) << position
                });
            (number != self.absent).then(|| (number, slot.locals.iter().map(value).collect()))
        });
        let slots = slots.collect();
        Some(SlotState { shared: self.shared.iter().map(value).collect(), slots })
    }
}

/// The steps of one thread at one location. It speaks of the next values of `touched` only; all
/// other bits keep their values.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(crate) slot: usize,
    pub(crate) location: usize,
    relation: Bdd,
    touched_current: Bdd,
    touched_next: Bdd,
    to_current: Substitution,
    to_next: Substitution,
}

impl Relation {
    pub(crate) fn new(
        manager: &BddManager,
        slot: usize,
        location: usize,
        relation: Bdd,
        touched: &[Bit],
    ) -> Result<Relation, OutOfNodes> {
        let current: Vec<Var> = touched.iter().map(|bit| bit.current).collect();
        let next: Vec<Var> = touched.iter().map(|bit| bit.next).collect();
        Ok(Relation {
            slot,
            location,
            relation,
            touched_current: manager.cube(&current)?,
            touched_next: manager.cube(&next)?,
            to_current: manager.renaming(touched.iter().map(|bit| (bit.next, bit.current)))?,
            to_next: manager.renaming(touched.iter().map(|bit| (bit.current, bit.next)))?,
        })
    }

    /// The states after one step from `set`.
    pub(crate) fn image(&self, set: &Bdd) -> Result<Bdd, OutOfNodes> {
        set.and_exists(&self.relation, &self.touched_current)?.substitute(&self.to_current)
    }

    /// The states from which one step leads into `set`.
    pub(crate) fn preimage(&self, set: &Bdd) -> Result<Bdd, OutOfNodes> {
        set.substitute(&self.to_next)?.and_exists(&self.relation, &self.touched_next)
    }
}
