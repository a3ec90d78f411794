//! Accesses to memory, as events.

use sapa_ir::goto::interpret::{Machine, Waiting};
use sapa_ir::goto::{Location, Op, Operand, Type, ValueId};
use sapa_passes::transform::store_buffers::FLUSH;

use super::Recorder;
use super::bits::Unit;
use super::rows::Piece;
use super::step::Step;
use super::synchronisation::{Inside, inside, is_about_number};
use crate::automaton::memory::scalars;
use crate::execution::event::{Event, EventKind, Source, StoreNumber};
use crate::execution::name::{Place, size};
use crate::execution::part::Members;

/// Largest object whose bytes are followed.
const MOST_BYTES: u64 = 1 << 12;

/// Most scalars of an object whose copying is shown scalar by scalar.
const MOST_SCALARS: usize = 16;

/// An access of a scalar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access<'a> {
    pub pointer: u128,
    pub ty: &'a Type,
    /// What is read or written.
    pub value: u128,
    /// Whether that is the handle of a thread.
    pub handle: bool,
    /// The members that the pointer was computed by way of.
    pub members: &'a Members,
    /// Whether it is a store that waits in the thread's buffer.
    pub waits: bool,
}

/// A store that waits, and how it was shown.
#[derive(Debug)]
pub(super) struct Waits {
    pub pointer: u128,
    pub size: u64,
    pub store: StoreNumber,
    location: Location,
    events: Vec<Event>,
}

impl Recorder<'_> {
    pub(super) fn store(&mut self, step: &Step<'_>, access: Access<'_>, location: Location) {
        let Access { pointer, ty, handle, .. } = access;
        let size = size(self.module, ty);
        for byte in pointer..pointer.saturating_add(u128::from(size)) {
            self.undefined.remove(&byte);
        }
        self.set_handle(pointer, handle);
        self.shown.clear();
        let store = self.next_store();
        self.show_store(step, access, location);
        if access.waits {
            let events = std::mem::take(&mut self.shown);
            let waits = Waits { pointer, size, store, location, events };
            self.waiting.entry(step.thread).or_default().push(waits);
        } else {
            self.writers.insert(pointer, size, Some(store));
        }
    }

    /// Shows again what a store did that waited and has reached memory.
    pub(in crate::execution) fn reached(
        &mut self,
        machine: &Machine<'_>,
        thread: u32,
        store: &Waiting,
    ) {
        let Some((id, block, index)) = machine.position(thread) else { return };
        self.executed += 1;
        self.acts.reached(thread, store);
        let waiting = self.waiting.entry(thread).or_default();
        let is_it = |waits: &Waits| waits.pointer == u128::from(store.pointer);
        let Some(at) = waiting.iter().position(is_it) else { return };
        let Waits { pointer, size, location, events, .. } = waiting.remove(at);
        let number = self.next_store();
        self.writers.insert(pointer, size, Some(number));
        let function = self.module.function(id);
        let step = Step { machine, thread, function, position: (id, block, index) };
        for event in events {
            self.event(
                &step,
                location,
                Event { kind: EventKind::Reach, store: Some(number), ..event },
            );
        }
    }

    fn show_store(&mut self, step: &Step<'_>, access: Access<'_>, location: Location) {
        let Access { pointer, ty, value, .. } = access;
        let size = size(self.module, ty);
        match inside(self.module.operation(location)) {
            Inside::Hidden => {
                let old = step.machine.peek(step.thread, pointer, size);
                self.count(step, pointer, (old, value), location);
            }
            Inside::Synchronisation { stored, .. } => {
                let old = step.machine.peek(step.thread, pointer, size);
                let changes = old != Some(value);
                self.synchronises(step, pointer, (stored(value), value, changes), location);
            }
            Inside::Access => {
                let place = self.names.place(step.machine, pointer, ty, access.members);
                let write = match self.module.operation(location) {
                    Some(FLUSH) => EventKind::Reach,
                    _ if access.waits => EventKind::Buffer,
                    _ => EventKind::Write,
                };
                let kind = if place.private { EventKind::Assign } else { write };
                if let Some(bits) = &place.bits {
                    let unit = Unit::accessed(self.module, step, bits, pointer, size, value);
                    let kept = self.known(step.thread).kept.remove(&pointer);
                    let store = Some(StoreNumber(self.stores));
                    for (name, text) in unit.written(kept.unwrap_or(0)) {
                        let event = Event::with_value(kind, name, text);
                        self.event(step, location, Event { store, ..event });
                    }
                    return;
                }
                let kind = if place.inner { write } else { kind };
                self.access(step, kind, &place, access, location);
            }
        }
    }

    /// An access that is shown.
    fn access(
        &mut self,
        step: &Step<'_>,
        kind: EventKind,
        place: &Place<'_>,
        access: Access<'_>,
        location: Location,
    ) {
        let Some(name) = place.name.clone() else { return };
        let size = size(self.module, access.ty);
        if place.inner && !is_about_number(self.module.operation(location)) {
            let event = self.with_flow(step, Event::new(kind, name), access.pointer, size);
            return self.event(step, location, event);
        }
        let text = self.value_text(step, access.value, (&place.ty, place.signed), access.handle);
        let event = Event::with_value(kind, name, text);
        let event = self.with_flow(step, event, access.pointer, size);
        let piece = Piece { pointer: access.pointer, size, value: access.value };
        match &place.part_of {
            // What a function of the library does byte by byte is shown as one.
            Some(whole) if location.operation.is_some() => {
                if !self.joins(step, &event, piece, whole, location) {
                    self.event_of(step, location, event, Some(piece));
                }
            }
            _ => self.event(step, location, event),
        }
    }

    /// Makes one event of an access to some bytes of a scalar and the one before, to those below
    /// them, in the same call of a function of the library. Whether there was one.
    fn joins(
        &mut self,
        step: &Step<'_>,
        event: &Event,
        piece: Piece,
        whole: &str,
        location: Location,
    ) -> bool {
        let big_endian = self.module.target.endianness == sapa_ir::goto::Endianness::Big;
        let Some((index, joined)) =
            self.piece_before(step.thread, event.kind, location, piece, big_endian)
        else {
            return false;
        };
        let Ok(bits) = u16::try_from(joined.size * 8) else { return false };
        let ty = Type::Int(bits);
        let none = Members::new();
        let place = self.names.bytes(step.machine, joined.pointer, (&ty, joined.size), &none);
        if place.part_of.as_deref().or(place.name.as_deref()) != Some(whole) {
            return false;
        }
        let Some(name) = place.name.clone() else { return false };
        let text = self.value_text(step, joined.value, (&place.ty, place.signed), false);
        let whole = Event::with_value(event.kind, name, text);
        let whole = self.with_flow(step, whole, joined.pointer, joined.size);
        if matches!(event.kind, EventKind::Write | EventKind::Assign) {
            self.writers.insert(joined.pointer, joined.size, whole.store);
        }
        self.replace(index, whole, joined);
        true
    }

    pub(super) fn load(
        &mut self,
        step: &Step<'_>,
        (address, pointer): (Operand, u128),
        result: ValueId,
        location: Location,
        (handle, unwritten): (bool, bool),
    ) {
        let operand = Operand::Value(result);
        let value = step.machine.value(step.thread, operand);
        match inside(self.module.operation(location)) {
            Inside::Hidden => return,
            Inside::Synchronisation { .. } => {
                return self.looked_at(step, (pointer, value), location);
            }
            Inside::Access => {}
        }
        let ty = &step.function.operand_type(operand);
        let bytes = pointer..pointer.saturating_add(u128::from(size(self.module, ty)));
        let members = &self.members(step, address);
        let access = Access { pointer, ty, value, handle, members, waits: false };
        let place = self.names.place(step.machine, pointer, ty, members);
        let forgotten = bytes.clone().any(|byte| self.undefined.contains(&byte));
        let uninitialised = forgotten || (unwritten && place.undefined);
        if uninitialised {
            self.undefined.extend(bytes);
        }
        let needed = place.bits.as_ref().map_or(0, |_| step.needed(result));
        if place.bits.is_some() {
            self.known(step.thread).kept.insert(pointer, needed);
        }
        if uninitialised || (place.bits.is_some() && !place.private) {
            for event in self.events(step, EventKind::Read, &place, access, needed) {
                self.event(step, location, Event { uninitialised, ..event });
            }
        } else if !place.private {
            self.access(step, EventKind::Read, &place, access, location);
        }
    }

    /// An access, one event for each scalar of the source: of bit-fields those of which some bits
    /// are `needed`.
    fn events(
        &mut self,
        step: &Step<'_>,
        kind: EventKind,
        place: &Place<'_>,
        access: Access<'_>,
        needed: u128,
    ) -> Vec<Event> {
        let Access { pointer, ty, value, handle, .. } = access;
        if let Some(bits) = &place.bits {
            let size = size(self.module, ty);
            let unit = Unit::accessed(self.module, step, bits, pointer, size, value);
            let read = unit.read(needed).into_iter();
            // A store writes those again that it does not mean.
            let source = self.source(step, pointer, size).filter(|from| *from == Source::Initial);
            let event = |(name, text)| Event { source, ..Event::with_value(kind, name, text) };
            return read.map(event).collect();
        }
        let Some(name) = place.name.clone() else { return Vec::new() };
        let event = match place.inner {
            true => Event::new(kind, name),
            false => {
                let text = self.value_text(step, value, (&place.ty, place.signed), handle);
                Event::with_value(kind, name, text)
            }
        };
        vec![self.with_flow(step, event, pointer, size(self.module, ty))]
    }

    /// An event that happens now to some bytes, with where they come from, or the number of the store.
    fn with_flow(&self, step: &Step<'_>, event: Event, pointer: u128, size: u64) -> Event {
        match event.kind {
            EventKind::Read => Event { source: self.source(step, pointer, size), ..event },
            _ => Event { store: Some(StoreNumber(self.stores)), ..event },
        }
    }

    /// What a load has read: nothing if it is not of the program's own.
    pub(super) fn loaded(
        &mut self,
        step: &Step<'_>,
        result: ValueId,
        address: Operand,
        location: Location,
    ) -> Vec<Event> {
        if inside(self.module.operation(location)) != Inside::Access {
            return Vec::new();
        }
        let operand = Operand::Value(result);
        let pointer = step.machine.value(step.thread, address);
        let ty = &step.function.operand_type(operand);
        let members = &self.members(step, address);
        let place = self.names.place(step.machine, pointer, ty, members);
        let handle = self.is_handle(step, operand);
        let value = step.machine.value(step.thread, operand);
        let needed = place.bits.as_ref().map_or(0, |_| step.needed(result));
        let access = Access { pointer, ty, value, handle, members, waits: false };
        // It was read before.
        let source = self.source_of(step.thread, operand).filter(|_| place.bits.is_none());
        let events = self.events(step, EventKind::Read, &place, access, needed).into_iter();
        events.map(|event| Event { source, ..event }).collect()
    }

    /// An object is copied: scalar by scalar, if these are few.
    pub(super) fn copy(
        &mut self,
        step: &Step<'_>,
        (to, from): (u128, u128),
        ty: &Type,
        location: Location,
    ) {
        let scalars = scalars(self.module, ty).unwrap_or_default();
        let is_shown = scalars.len() <= MOST_SCALARS;
        let none = &Members::new();
        let waits = step.machine.lets_wait(step.thread, to);
        let mut writes = Vec::new();
        let all = self.next_store();
        let mut written = vec![(to, ty.size(self.module), (!is_shown).then_some(all))];
        for (offset, bits) in scalars.iter().copied().take(MOST_BYTES as usize) {
            let (from, to) = (from + u128::from(offset), to + u128::from(offset));
            let ty = &Type::Int(bits);
            let size = size(self.module, ty);
            let is_undefined = self.undefined.contains(&from);
            let handle = self.handles.contains(&from);
            for byte in 0..u128::from(size) {
                match is_undefined {
                    true => self.undefined.insert(to + byte),
                    false => self.undefined.remove(&(to + byte)),
                };
            }
            self.set_handle(to, handle);
            let Some(value) = step.machine.peek(step.thread, from, size) else { continue };
            if !is_shown {
                continue;
            }
            let source = self.names.place(step.machine, from, ty, none);
            let target = self.names.place(step.machine, to, ty, none);
            let read = Access { pointer: from, ty, value, handle, members: none, waits };
            if !source.private {
                for event in self.events(step, EventKind::Read, &source, read, u128::MAX) {
                    self.event(step, location, event);
                }
            }
            let is_own = target.private && !target.inner;
            let write = if waits { EventKind::Buffer } else { EventKind::Write };
            let kind = if is_own { EventKind::Assign } else { write };
            // A pointer is shown as one on both sides.
            let store = self.next_store();
            let access = Access { pointer: to, ..read };
            let events = self.events(step, kind, &target, access, u128::MAX);
            written.push((to, size, Some(store)));
            if waits {
                let waits = Waits { pointer: to, size, store, location, events: events.clone() };
                self.waiting.entry(step.thread).or_default().push(waits);
            }
            writes.extend(events);
        }
        if !is_shown {
            let is_own = self.names.place(step.machine, from, &Type::Int(8), none).private;
            let read = (EventKind::Read, from);
            let wrote = (EventKind::Write, to);
            for (kind, pointer) in (!is_own).then_some(read).into_iter().chain([wrote]) {
                let name = self.names.value(step.machine, pointer, &Type::Pointer, false);
                let name = name.trim_start_matches('&').to_owned();
                let store = Some(all).filter(|_| kind == EventKind::Write);
                self.event(step, location, Event { store, ..Event::new(kind, name) });
            }
        }
        for event in writes {
            self.event(step, location, event);
        }
        for (pointer, size, store) in written.into_iter().filter(|_| !waits) {
            self.writers.insert(pointer, size, store);
        }
    }

    /// Notes whether what is at a pointer is the handle of a thread.
    fn set_handle(&mut self, pointer: u128, is_handle: bool) {
        match is_handle {
            true => self.handles.insert(pointer),
            false => self.handles.remove(&pointer),
        };
    }

    /// Memory becomes arbitrary.
    pub(super) fn forget(&mut self, pointer: u128, ty: &Type) {
        let size = ty.size(self.module);
        self.writers.insert(pointer, size, None);
        if size <= MOST_BYTES {
            self.undefined.extend(pointer..pointer.saturating_add(u128::from(size)));
        }
        let end = pointer.saturating_add(u128::from(size));
        self.handles.retain(|handle| !(pointer..end).contains(handle));
    }

    /// The members that an address is computed by way of.
    pub(super) fn members(&mut self, step: &Step<'_>, address: Operand) -> Members {
        let mut members = Members::new();
        let mut next = address.value();
        while let Some(id) = next {
            let Some(instruction) = self.definition(step.position.0, id) else { break };
            next = match &instruction.op {
                Op::FieldAddress { base, structure, field } => {
                    members.push((*structure, *field));
                    base.value()
                }
                Op::IndexAddress { base, .. } => base.value(),
                Op::Copy { a } => a.value(),
                _ => None,
            };
        }
        members
    }
}
