//! Invariants over products: states are cut off by splitting them.
//!
//! A state stands for every choice of one valuation from each of its sets, independently. An invariant
//! relates locals of two threads, and both to shared variables, so what it leaves is a union of such
//! products: the classes are split by the values of the locals that invariants mention, their threads
//! spread over the parts, and the shared valuations restricted to what all pairs of parts allow. That
//! is exact.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_bdd::{Bdd, LimitReached, Var};
use sapa_ir::boolean::flat::{FlatProgram, VariableRef};

use super::image::{ACTIVE, PASSIVE};
use super::set::{SetId, Sets};
use super::state::{Class, Place, add};
use crate::check::interner::Interner;
use crate::check::semantics::invariants::Invariants;
use crate::check::symbolic::encode::Encoder;

/// Values of the locals that invariants mention, by number.
type Part = u32;

/// Threads whose locals agree in what invariants mention.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    place: Place,
    locals: SetId,
    part: Part,
    count: u32,
}

/// What cuts states off, and what was found out for it.
#[derive(Debug)]
pub(super) struct Cut {
    /// The locals that invariants mention, as bits of the active slot and of the passive one.
    bits: Vec<(Var, Var)>,
    /// Over the shared variables and the active slot's locals: the states of a thread by itself.
    alone: Bdd,
    /// Over those and the passive slot's locals: the states of two threads.
    both: Bdd,
    values: Interner<Box<[bool]>>,
    parts: FxHashMap<SetId, Rc<[(SetId, Part)]>>,
    /// The shared valuations that a part allows, and that two do.
    allowed: FxHashMap<(Part, Option<Part>), Bdd>,
}

impl Cut {
    /// `None` if there are no invariants.
    pub(super) fn new(
        program: &FlatProgram,
        encoder: &Encoder<'_>,
    ) -> Result<Option<Self>, LimitReached> {
        let invariants = Invariants::new(program);
        if invariants.is_empty() {
            return Ok(None);
        }
        let mut mentioned = Vec::new();
        for invariant in &program.invariants {
            invariant.condition.for_each_variable(&mut |variable| {
                if let VariableRef::Local(v) | VariableRef::Passive(v) = variable {
                    mentioned.push(v.index());
                }
            });
        }
        mentioned.sort_unstable();
        mentioned.dedup();
        let slots = &encoder.layout.slots;
        let bit = |v: usize| (slots[ACTIVE].locals[v].current, slots[PASSIVE].locals[v].current);
        let top = encoder.layout.manager.top();
        let (mut alone, mut both) = (top.clone(), top);
        for condition in &invariants.alone {
            alone = alone.and(&encoder.holds_between(ACTIVE, ACTIVE, condition)?)?;
        }
        for condition in &invariants.between {
            for (one, other) in [(ACTIVE, PASSIVE), (PASSIVE, ACTIVE)] {
                both = both.and(&encoder.holds_between(one, other, condition)?)?;
            }
        }
        Ok(Some(Self {
            bits: mentioned.into_iter().map(bit).collect(),
            alone,
            both,
            values: Interner::new(),
            parts: FxHashMap::default(),
            allowed: FxHashMap::default(),
        }))
    }

    /// Approximate size in bytes, without the BDDs' nodes.
    pub(super) fn bytes(&self) -> usize {
        self.values.bytes(self.bits.len()) + 64 * (self.parts.len() + self.allowed.len())
    }

    /// A set of locals by what invariants see of them.
    fn parts(
        &mut self,
        sets: &mut Sets,
        locals: SetId,
    ) -> Result<Rc<[(SetId, Part)]>, LimitReached> {
        if let Some(parts) = self.parts.get(&locals) {
            return Ok(parts.clone());
        }
        let mut parts: Vec<(Bdd, Vec<bool>)> = vec![(sets.get(locals).clone(), Vec::new())];
        for &(bit, _) in &self.bits {
            let mut finer = Vec::with_capacity(parts.len());
            for (set, values) in parts {
                let manager = set.manager();
                for value in [false, true] {
                    let half = set.and(&manager.literal(bit, value)?)?;
                    if !half.is_false() {
                        let mut values = values.clone();
                        values.push(value);
                        finer.push((half, values));
                    }
                }
            }
            parts = finer;
        }
        let number = |(set, values): (Bdd, Vec<bool>)| {
            (sets.number(set), self.values.number(values.into_boxed_slice()))
        };
        let parts: Rc<[(SetId, Part)]> = parts.into_iter().map(number).collect();
        self.parts.insert(locals, parts.clone());
        Ok(parts)
    }

    /// The shared valuations with which a thread with these values may be there, with another one.
    fn allowed(&mut self, one: Part, other: Option<Part>) -> Result<Bdd, LimitReached> {
        let key = match other {
            Some(other) => (one.min(other), Some(one.max(other))),
            None => (one, None),
        };
        if let Some(allowed) = self.allowed.get(&key) {
            return Ok(allowed.clone());
        }
        let values = self.values.value(one).iter();
        let mut literals: Vec<(Var, bool)> =
            self.bits.iter().zip(values).map(|(bit, value)| (bit.0, *value)).collect();
        if let Some(other) = other {
            let values = self.values.value(other).iter();
            literals.extend(self.bits.iter().zip(values).map(|(bit, value)| (bit.1, *value)));
        }
        let condition = if other.is_some() { &self.both } else { &self.alone };
        let literals = condition.manager().conjunction(literals)?;
        let allowed = condition.cofactor(&literals)?;
        self.allowed.insert(key, allowed.clone());
        Ok(allowed)
    }

    /// What invariants leave of some states. `stop` is asked for each product.
    pub(super) fn apply(
        &mut self,
        sets: &mut Sets,
        classes: &[Class],
        shared: SetId,
        stop: &mut dyn FnMut() -> Result<(), LimitReached>,
    ) -> Result<Vec<(Vec<Class>, SetId)>, LimitReached> {
        let mut states: Vec<(Vec<Chosen>, Bdd)> = vec![(Vec::new(), sets.get(shared).clone())];
        for class in classes {
            let parts = self.parts(sets, class.locals)?;
            // With how many threads of the class there are still to place.
            let mut open: Vec<(Vec<Chosen>, Bdd, u32)> =
                states.into_iter().map(|(chosen, set)| (chosen, set, class.count)).collect();
            for (at, &(locals, part)) in parts.iter().enumerate() {
                let is_last = at + 1 == parts.len();
                let mut next = Vec::with_capacity(open.len());
                for (chosen, set, left) in open {
                    let fewest = if is_last { left } else { 0 };
                    for count in fewest..=left {
                        stop()?;
                        let mut set = set.clone();
                        let mut longer = chosen.clone();
                        if count > 0 {
                            set = set.and(&self.allowed(part, None)?)?;
                            if count > 1 {
                                set = set.and(&self.allowed(part, Some(part))?)?;
                            }
                            for other in &chosen {
                                set = set.and(&self.allowed(part, Some(other.part))?)?;
                            }
                            longer.push(Chosen { place: class.place, locals, part, count });
                        }
                        if !set.is_false() {
                            next.push((longer, set, left - count));
                        }
                    }
                }
                open = next;
            }
            states = open.into_iter().map(|(chosen, set, _)| (chosen, set)).collect();
        }
        let mut found = Vec::with_capacity(states.len());
        for (chosen, set) in states {
            let mut classes = Vec::with_capacity(chosen.len());
            for Chosen { place, locals, count, .. } in chosen {
                add(&mut classes, place, locals, count);
            }
            found.push((classes, sets.number(set)));
        }
        Ok(found)
    }
}
