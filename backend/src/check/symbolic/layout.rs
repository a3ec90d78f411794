//! The BDD variables of a program with a fixed number of thread slots.
//!
//! Every bit has a current and a next variable, next to each other in the order, so that renaming
//! next to current keeps the order. Shared bits come first, in the program's [`VariableOrder`], then which slot is in an atomic section
//! (binary), then the slots' locations (binary) and locals, in a [`SlotOrder`]. A slot without a
//! thread is at the location one past the last and has all locals false.

use super::order::VariableOrder;
use rustc_hash::FxHashMap;
use sapa_bdd::{Bdd, BddManager, Cube, LimitReached, Substitution, Var};

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

/// The order of the slots' bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlotOrder {
    /// Each slot's below those of the slots before it, so that sets can be split between slots.
    BySlot,
    /// All slots' copies of a local next to each other, so that threads are copied and compared
    /// cheaply; locations above them.
    Interleaved,
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
    /// The slot whose thread is in its atomic section.
    pub(crate) holder: Option<usize>,
    pub(crate) slots: Vec<Option<Occupant>>,
}

/// The bits of a number up to the largest.
fn width(largest: usize) -> usize {
    (usize::BITS - largest.leading_zeros()) as usize
}

/// How many BDD variables a [`Layout`] has.
pub(crate) fn variables(shared: usize, locals: usize, locations: usize, slots: usize) -> usize {
    let in_slots = (width(locations) + locals).saturating_mul(slots);
    in_slots.saturating_add(shared + width(slots)).saturating_mul(2)
}

/// All variables.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) manager: BddManager,
    pub(crate) shared: Vec<Bit>,
    /// The slot in an atomic section, or the number of slots if there is none.
    pub(crate) holder: Vec<Bit>,
    pub(crate) slots: Vec<Slot>,
    /// How many locations there are; also the number that means "no thread".
    pub(crate) absent: usize,
}

impl Layout {
    pub(crate) fn new(
        manager: BddManager,
        variables: &VariableOrder,
        locations: usize,
        slots: usize,
        order: SlotOrder,
    ) -> Layout {
        let bit = || Bit { current: manager.new_var(), next: manager.new_var() };
        let bits = |count: usize| -> Vec<Bit> { (0..count).map(|_| bit()).collect() };
        // Made in the variables' order, kept by their indices.
        let ordered = |order: &[usize]| -> Vec<Bit> {
            let mut made: Vec<(usize, Bit)> = order.iter().map(|v| (*v, bit())).collect();
            made.sort_unstable_by_key(|(v, _)| *v);
            made.into_iter().map(|(_, bit)| bit).collect()
        };
        let shared = ordered(&variables.shared);
        let holder = bits(width(slots));
        let slots = match order {
            SlotOrder::BySlot => (0..slots)
                .map(|_| {
                    let location = bits(width(locations));
                    Slot { location, locals: ordered(&variables.locals) }
                })
                .collect(),
            SlotOrder::Interleaved => {
                let mut slots: Vec<Slot> = (0..slots)
                    .map(|_| Slot { location: bits(width(locations)), locals: Vec::new() })
                    .collect();
                let mut copies: Vec<(usize, Vec<Bit>)> =
                    variables.locals.iter().map(|v| (*v, bits(slots.len()))).collect();
                copies.sort_unstable_by_key(|(v, _)| *v);
                for (_, copies) in copies {
                    slots.iter_mut().zip(copies).for_each(|(slot, bit)| slot.locals.push(bit));
                }
                slots
            }
        };
        Layout { shared, holder, slots, absent: locations, manager }
    }

    /// The level of the first variable of a slot: all shared variables and the slots before it are
    /// above.
    pub(crate) fn first_level(&self, slot: usize) -> usize {
        let contents = &self.slots[slot];
        let bits = contents.location.iter().chain(&contents.locals);
        let levels = bits.flat_map(|bit| [bit.current, bit.next]).map(|v| self.manager.level(v));
        levels.min().unwrap_or(self.manager.num_vars())
    }

    /// That `bits` are this number.
    fn number(&self, bits: &[Bit], number: usize, side: Side) -> Result<Bdd, LimitReached> {
        let literals = bits
            .iter()
            .enumerate()
            .map(|(position, bit)| (bit.side(side), number >> position & 1 == 1));
        self.manager.cube_of(&Cube::new(literals))
    }

    /// That `slot` is at the location with this number.
    pub(crate) fn at(&self, slot: usize, number: usize, side: Side) -> Result<Bdd, LimitReached> {
        self.number(&self.slots[slot].location, number, side)
    }

    /// That `slot`, or nobody, is in an atomic section.
    pub(crate) fn holds(&self, slot: Option<usize>, side: Side) -> Result<Bdd, LimitReached> {
        self.number(&self.holder, slot.unwrap_or(self.slots.len()), side)
    }

    /// That the slot has no thread.
    pub(crate) fn is_absent(&self, slot: usize, side: Side) -> Result<Bdd, LimitReached> {
        self.at(slot, self.absent, side)
    }

    /// That these bits keep their values.
    pub(crate) fn unchanged(&self, bits: &[Bit]) -> Result<Bdd, LimitReached> {
        bits.iter().try_fold(self.manager.top(), |all, bit| {
            all.and(&self.manager.var(bit.current)?.iff(&self.manager.var(bit.next)?)?)
        })
    }

    /// Exactly this state, over current variables.
    pub(crate) fn state(&self, state: &SlotState) -> Result<Bdd, LimitReached> {
        let mut literals = Vec::new();
        let mut number = |bits: &[Bit], number: usize| {
            let values = (0..bits.len()).map(|position| number >> position & 1 == 1);
            literals.extend(bits.iter().map(|bit| bit.current).zip(values));
        };
        number(&self.holder, state.holder.unwrap_or(self.slots.len()));
        for (slot, occupant) in self.slots.iter().zip(&state.slots) {
            number(&slot.location, occupant.as_ref().map_or(self.absent, |(at, _)| *at));
        }
        for (slot, occupant) in self.slots.iter().zip(&state.slots) {
            for (at, bit) in slot.locals.iter().enumerate() {
                let value = occupant.as_ref().and_then(|(_, locals)| locals.get(at).copied());
                literals.push((bit.current, value.unwrap_or(false)));
            }
        }
        literals.extend(self.shared.iter().map(|bit| bit.current).zip(state.shared.clone()));
        // No variable occurs twice, so the quick way to build a cube is right.
        self.manager.conjunction(literals)
    }

    /// Some state of a set over current variables; `None` if it is empty.
    pub(crate) fn pick(&self, set: &Bdd) -> Option<SlotState> {
        let cube = set.pick_cube()?;
        let values: FxHashMap<Var, bool> = cube.literals().iter().copied().collect();
        let value = |bit: &Bit| values.get(&bit.current).copied().unwrap_or(false);
        let number = |bits: &[Bit]| {
            bits.iter().rev().fold(0, |number, bit| number << 1 | usize::from(value(bit)))
        };
        let slots = self.slots.iter().map(|slot| {
            let at = number(&slot.location);
            (at != self.absent).then(|| (at, slot.locals.iter().map(value).collect()))
        });
        let slots = slots.collect();
        let holder = number(&self.holder);
        Some(SlotState {
            shared: self.shared.iter().map(value).collect(),
            holder: (holder < self.slots.len()).then_some(holder),
            slots,
        })
    }
}

/// A conjunct of a relation, and the bits that no later conjunct speaks of.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) relation: Bdd,
    pub(crate) finished: Vec<Bit>,
}

#[derive(Debug)]
struct Conjunct {
    relation: Bdd,
    finished_current: Bdd,
    finished_next: Bdd,
}

/// The steps of one thread at one location, as a conjunction. It speaks of the next values of the
/// finished bits only; all other bits keep their values.
#[derive(Debug)]
pub(crate) struct Relation {
    pub(crate) slot: usize,
    pub(crate) location: usize,
    conjuncts: Vec<Conjunct>,
    to_current: Substitution,
    to_next: Substitution,
}

impl Relation {
    pub(crate) fn new(
        manager: &BddManager,
        slot: usize,
        location: usize,
        parts: Vec<Part>,
    ) -> Result<Relation, LimitReached> {
        let touched: Vec<Bit> = parts.iter().flat_map(|part| part.finished.clone()).collect();
        let side = |bits: &[Bit], side: Side| {
            let vars: Vec<Var> = bits.iter().map(|bit| bit.side(side)).collect();
            manager.cube(&vars)
        };
        let conjuncts: Result<Vec<Conjunct>, LimitReached> = parts
            .into_iter()
            .map(|part| {
                Ok(Conjunct {
                    relation: part.relation,
                    finished_current: side(&part.finished, Side::Current)?,
                    finished_next: side(&part.finished, Side::Next)?,
                })
            })
            .collect();
        Ok(Relation {
            slot,
            location,
            conjuncts: conjuncts?,
            to_current: manager.renaming(touched.iter().map(|bit| (bit.next, bit.current)))?,
            to_next: manager.renaming(touched.iter().map(|bit| (bit.current, bit.next)))?,
        })
    }

    /// The conjuncts in the order in which an image takes them, with what each finishes.
    pub(crate) fn conjuncts(&self) -> Vec<(Bdd, Bdd)> {
        let pair = |c: &Conjunct| (c.relation.clone(), c.finished_current.clone());
        self.conjuncts.iter().map(pair).collect()
    }

    /// The states after one step from `set`.
    pub(crate) fn image(&self, set: &Bdd) -> Result<Bdd, LimitReached> {
        let mut result = set.clone();
        for conjunct in &self.conjuncts {
            result = result.and_exists(&conjunct.relation, &conjunct.finished_current)?;
        }
        result.substitute(&self.to_current)
    }

    /// The states from which one step leads into `set`.
    pub(crate) fn preimage(&self, set: &Bdd) -> Result<Bdd, LimitReached> {
        let mut result = set.substitute(&self.to_next)?;
        for conjunct in &self.conjuncts {
            result = result.and_exists(&conjunct.relation, &conjunct.finished_next)?;
        }
        Ok(result)
    }
}
