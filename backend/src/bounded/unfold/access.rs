//! Accesses to memory: of what is known, and as events.

use sapa_ir::goto::{Location, MemoryOrder};

use super::super::guard::Guard;
use super::super::reason::GaveUp;
use super::super::targets::Places;
use super::super::unfolding::{Asked, Event, StepId, StepKind};
use super::round::Effect;
use super::state::State;
use super::{Stop, Unfolder};
use crate::assumptions::VALID_POINTERS;
use crate::solver::{Sort, TermId};

/// How memory is accessed.
enum Target {
    /// At one of these places, whose contents are known: each with the condition that it is this one.
    Known(Vec<((u64, u64), TermId)>),
    /// As an event.
    Event(Option<Vec<(u64, u64)>>),
}

impl Unfolder<'_> {
    /// Which way an access goes, and the paths on which there is something to access; `None` if
    /// there are none.
    fn target(
        &mut self,
        state: &mut State,
        address: TermId,
        size: u64,
        is_write: bool,
        location: Location,
    ) -> Result<Option<Target>, Stop> {
        self.note_unwritten();
        let places = self.targets.places(&self.symbols.store, &self.objects, address, size);
        let places = match places {
            Places::Unknown => return Err(GaveUp::Address(location).into()),
            Places::Open if !state.is_shared => return Err(GaveUp::Address(location).into()),
            Places::Open => return Ok(Some(Target::Event(None))),
            Places::Known(places) => places,
        };
        if self.targets.is_undeclared(&self.symbols.store, &self.objects, address, size) {
            return Err(GaveUp::Address(location).into());
        }
        let moment = self.moment(state);
        let mut is_event = false;
        for &(object, offset) in &places {
            self.accesses.record((object, offset, size), self.thread, moment, is_write);
            is_event |= state.is_shared && self.is_contended(object, offset, size);
        }
        let mut matches = Vec::with_capacity(places.len());
        let mut valid = self.symbols.store.false_();
        for &(object, offset) in &places {
            let is_here = self.is_at(address, (object, offset), size);
            if self.symbols.store.as_boolean(is_here) != Some(false) {
                matches.push(((object, offset), is_here));
                valid = self.symbols.store.or(valid, is_here);
            }
        }
        if self.symbols.store.as_boolean(valid) != Some(true) {
            self.out.notes.insert(VALID_POINTERS);
        }
        match self.guards.and(&mut self.symbols.store, state.guard, valid) {
            None => Ok(None),
            // An event that is where there is nothing is none: its guard is that of the paths before.
            Some(guard) => {
                state.guard = guard;
                Ok(Some(if is_event {
                    Target::Event(Some(places))
                } else {
                    Target::Known(matches)
                }))
            }
        }
    }

    /// Whether `size` bytes at an address lie in an object. None has ended: passes that ask keep a record of those
    /// that have.
    pub(super) fn accessible(
        &mut self,
        address: TermId,
        size: u64,
        location: Location,
    ) -> Result<TermId, Stop> {
        self.note_unwritten();
        match self.targets.places(&self.symbols.store, &self.objects, address, size) {
            Places::Unknown => Err(GaveUp::Address(location).into()),
            Places::Known(places) => Ok(self.is_at_one_of(address, &places, size)),
            Places::Open => {
                let answer = self.symbols.store.fresh(Sort::Bool, "accessible");
                let places = Vec::new();
                self.out.asked.push(Asked { address, size, places, answer, location });
                Ok(answer)
            }
        }
    }

    /// That an address points to one of some places.
    pub(in super::super) fn is_at_one_of(
        &mut self,
        address: TermId,
        places: &[(u64, u64)],
        size: u64,
    ) -> TermId {
        places.iter().fold(self.symbols.store.false_(), |found, &place| {
            let is_here = self.is_at(address, place, size);
            self.symbols.store.or(found, is_here)
        })
    }

    /// Says of what nobody has written that it is no pointer.
    pub(in super::super) fn note_unwritten(&mut self) {
        for variable in self.objects.take_unwritten() {
            self.targets.add_unwritten(variable);
        }
    }

    /// Whether several threads access a part of an object.
    pub(super) fn is_contended(&self, object: u64, offset: u64, size: u64) -> bool {
        self.objects
            .get(object)
            .is_some_and(|object| self.known.contended.contains(object.site, offset, size))
    }

    /// That an address points to a place, and the object is large enough.
    pub(in super::super) fn is_at(
        &mut self,
        address: TermId,
        (object, offset): (u64, u64),
        size: u64,
    ) -> TermId {
        let width = self.symbols.store.width(address);
        let pointer = self.symbols.store.constant(width, self.objects.pointer(object, offset));
        let is_here = self.symbols.store.eq(address, pointer);
        let Some(length) = self.objects.get(object).and_then(|object| object.size_term) else {
            return is_here;
        };
        let end = self.symbols.store.constant(width, u128::from(offset + size));
        let fits = self.symbols.store.ule(end, length);
        self.symbols.store.and(is_here, fits)
    }

    /// Reads a bit-vector of `8 * size` bits; `None` if no path has something to read.
    pub(super) fn read(
        &mut self,
        state: &mut State,
        address: TermId,
        size: u64,
        location: Location,
    ) -> Result<Option<(TermId, Option<StepId>)>, Stop> {
        let guard = state.guard;
        Ok(match self.target(state, address, size, false, location)? {
            None => None,
            Some(Target::Known(places)) => {
                let mut result = None;
                for (place, is_here) in places.into_iter().rev() {
                    let here = state.memory.read(self.symbols, &mut self.objects, place, size);
                    result = Some(match result {
                        None => here,
                        Some(other) => self.symbols.store.ite(is_here, here, other),
                    });
                }
                result.map(|value| (value, None))
            }
            Some(Target::Event(places)) => {
                let bits = u32::try_from(8 * size).expect("an access has at most 16 bytes");
                let value = self.symbols.store.fresh(Sort::Bv(bits), "read");
                self.targets.add_load(value);
                let step = self.step(state, guard);
                self.event(
                    state,
                    (step, guard),
                    (address, size, places),
                    (value, false),
                    location,
                )?;
                Some((value, Some(step)))
            }
        })
    }

    /// Writes a bit-vector of `8 * size` bits: the step in which others see it; `None` for the outer
    /// option if no path has a place to write to.
    pub(super) fn write(
        &mut self,
        state: &mut State,
        (address, size): (TermId, u64),
        value: TermId,
        order: MemoryOrder,
        location: Location,
    ) -> Result<Option<Option<StepId>>, Stop> {
        let guard = state.guard;
        Ok(match self.target(state, address, size, true, location)? {
            None => None,
            Some(Target::Known(places)) => {
                for (place, is_here) in places {
                    let new = if self.symbols.store.as_boolean(is_here) == Some(true) {
                        value
                    } else {
                        let old = state.memory.read(self.symbols, &mut self.objects, place, size);
                        self.symbols.store.ite(is_here, value, old)
                    };
                    state.memory.write(self.symbols, &self.objects, place, size, new);
                }
                Some(None)
            }
            Some(Target::Event(places))
                if self.waits(state, order, places.as_deref(), location)? =>
            {
                let step = self.reach(&State { guard, ..state.clone() }, order);
                let runs = self.guards.term(guard);
                self.effects.push(Effect::Other(runs));
                self.event(state, (step, guard), (address, size, places), (value, true), location)?;
                Some(Some(step))
            }
            Some(Target::Event(places)) => {
                let step = self.step(state, guard);
                if self.known.overwritten.contains(&self.position) {
                    // What it overwrites, which the program does not read.
                    let bits = u32::try_from(8 * size).expect("an access has at most 16 bytes");
                    let old = self.symbols.store.fresh(Sort::Bv(bits), "overwritten");
                    self.targets.add_load(old);
                    let place = (address, size, places.clone());
                    self.event(state, (step, guard), place, (old, false), location)?;
                }
                self.effects.push(Effect::Write(self.out.events.len()));
                self.event(state, (step, guard), (address, size, places), (value, true), location)?;
                Some(Some(step))
            }
        })
    }

    /// An event: step and runs; address, size and places; value, and whether it is written. The paths
    /// go on where the address is one, if that is not known yet.
    fn event(
        &mut self,
        state: &mut State,
        (step, guard): (StepId, Guard),
        (address, size, places): (TermId, u64, Option<Vec<(u64, u64)>>),
        (value, is_write): (TermId, bool),
        location: Location,
    ) -> Result<(), Stop> {
        let index = self.out.events.len();
        if index >= MOST_EVENTS {
            return Err(GaveUp::TooLarge(location).into());
        }
        if places.is_none() {
            let valid = self.symbols.store.fresh(Sort::Bool, "valid");
            self.out.valid.push((index, valid));
            self.out.notes.insert(VALID_POINTERS);
            if let Some(guard) = self.guards.and(&mut self.symbols.store, state.guard, valid) {
                state.guard = guard;
            }
        }
        let moment = self.moment(state);
        let position = self.position;
        let event = Event {
            step,
            guard,
            address,
            size,
            is_write,
            value,
            places,
            moment,
            location,
            position,
        };
        self.out.events.push(event);
        Ok(())
    }

    /// From here on other threads may run: what these paths have written where others read becomes
    /// events.
    ///
    /// # Errors
    /// If these are too many.
    pub(super) fn share(&mut self, state: &mut State) -> Result<(), Stop> {
        if std::mem::replace(&mut state.is_shared, true) {
            return Ok(());
        }
        let written = state.memory.written();
        let shared: Vec<_> = written
            .into_iter()
            .filter(|&(object, offset, size)| self.is_contended(object, offset, size))
            .collect();
        if shared.is_empty() {
            return Ok(());
        }
        let step = self.add_step(StepKind::Access, state.guard);
        for (object, offset, size) in shared {
            let value = state.memory.read(self.symbols, &mut self.objects, (object, offset), size);
            let bits = u32::from(self.module.target.pointer_bits);
            let pointer = self.objects.pointer(object, offset);
            let address = self.symbols.store.constant(bits, pointer);
            let place = (address, size, Some(vec![(object, offset)]));
            let runs = (step, state.guard);
            self.event(state, runs, place, (value, true), Location::default())?;
        }
        Ok(())
    }

    /// A part of a value that was read, in bytes.
    pub(super) fn low_bits(&mut self, value: TermId, bits: u16) -> TermId {
        let cut = self.symbols.store.extract(value, u32::from(bits) - 1, 0);
        if bits == 1 { self.symbols.to_bool(cut) } else { cut }
    }

    /// A value as it is written, with zeros above it.
    pub(super) fn in_memory(&mut self, value: TermId, size: u64) -> TermId {
        let value = self.symbols.to_bits(value);
        let bits = u32::try_from(8 * size).expect("a scalar has at most 16 bytes");
        self.symbols.store.zext(value, bits)
    }
}

/// Most accesses to what others access too.
const MOST_EVENTS: usize = 20_000;
