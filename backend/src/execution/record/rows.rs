//! Events become rows.

use sapa_ir::goto::interpret::Position;
use sapa_ir::goto::{Location, print_function};
use sapa_passes::transform::checks::{deadlock, is_of_ghosts, races};

use super::Recorder;
use super::step::Step;
use crate::execution::event::{Event, EventKind, Row};
use crate::execution::name::source_name;

/// What an event of the ghosts of a property says of the program: that a thread stands before an access, or
/// has given up. The others say nothing.
fn meaning(event: &Event) -> Option<EventKind> {
    match (event.kind, event.name.as_str()) {
        (EventKind::Write, races::RACE) => Some(EventKind::Stand),
        (EventKind::Write, deadlock::STUCK | deadlock::FOREVER) => Some(EventKind::GiveUp),
        _ => None,
    }
}

impl Recorder<'_> {
    /// Adds an event: to the last row, if it is of the same thread at the same line and does not
    /// have it yet.
    pub(super) fn event(&mut self, step: &Step<'_>, location: Location, event: Event) {
        self.event_of(step, location, event, None);
    }

    /// As [`event`](Self::event), of an access to some bytes of a scalar.
    pub(super) fn event_of(
        &mut self,
        step: &Step<'_>,
        location: Location,
        mut event: Event,
        piece: Option<Piece>,
    ) {
        // What a pass keeps a record of has happened beside it.
        if self.module.is_record(location) {
            return;
        }
        if is_of_ghosts(self.module, location) && event.kind != EventKind::Fail {
            let Some(kind) = meaning(&event) else { return };
            event = Event::new(kind, String::new());
        }
        event.location = location;
        self.shown.push(event.clone());
        let now = Time { position: step.position, executed: self.executed, piece };
        let line = |l: Location| (l.file, l.line, l.function);
        let name = self.module.names.get(location.function.index());
        let function = name.map_or("", |name| source_name(name));
        if let Some(row) = self.rows.last_mut()
            && row.thread == step.thread
            && line(row.location) == line(location)
        {
            if repeats(&row.events, &self.times, &event, now) {
                return;
            }
            let again = |(old, time): (&Event, &Time)| {
                let is_same = (old.kind, old.location) == (event.kind, location)
                    && (event.kind == EventKind::Start || old.name == event.name);
                (is_same || location.line == 0) && time.executed != now.executed
            };
            // The next round of a loop may reach another element. What a function of the library
            // does in a loop of its own is one call still.
            let before = |old: &Event| (old.kind, old.location) == (event.kind, location);
            let before =
                row.events.iter().rposition(before).filter(|_| location.operation.is_none());
            let comes_back = before.is_some_and(|index| {
                row.events.iter().skip(index).any(|between| between.location != location)
            });
            if !comes_back && !row.events.iter().zip(&self.times).any(again) {
                row.events.push(event);
                self.times.push(now);
                return;
            }
        }
        self.times = vec![now];
        let instruction = (location.line == 0).then(|| self.instruction_text(step)).flatten();
        self.rows.push(Row {
            thread: step.thread,
            thread_function: self.functions.get(&step.thread).cloned().unwrap_or_default(),
            function: function.to_owned(),
            location,
            instruction,
            events: vec![event],
        });
    }

    /// Takes the reads from the end of a row that goes on, as far as they are at such places. The
    /// caller adds events after them.
    pub(super) fn take_reads(
        &mut self,
        thread: u32,
        is_there: impl Fn(Location) -> bool,
    ) -> Vec<(Event, Time)> {
        let Some(row) = self.rows.last_mut().filter(|row| row.thread == thread) else {
            return Vec::new();
        };
        let is_read = |event: &Event| event.kind == EventKind::Read && is_there(event.location);
        let others = row.events.iter().rposition(|event| !is_read(event));
        let first = others.map_or(0, |index| index + 1);
        let events: Vec<Event> = row.events.drain(first..).collect();
        let times: Vec<Time> = self.times.drain(first..).collect();
        events.into_iter().zip(times).collect()
    }

    /// Adds an event again that was taken.
    pub(super) fn put_back(&mut self, event: Event, time: Time) {
        if let Some(row) = self.rows.last_mut() {
            row.events.push(event);
            self.times.push(time);
        }
    }

    /// The last event of a row that goes on, if it is of the bytes below some others, and both
    /// together.
    pub(super) fn piece_before(
        &self,
        thread: u32,
        kind: EventKind,
        location: Location,
        piece: Piece,
        big_endian: bool,
    ) -> Option<(usize, Piece)> {
        let row = self.rows.last().filter(|row| row.thread == thread)?;
        let index = row.events.iter().rposition(|e| (e.kind, e.location) == (kind, location))?;
        let before = self.times.get(index)?.piece?;
        let size = before.size + piece.size;
        if before.pointer + u128::from(before.size) != piece.pointer || size > 16 {
            return None;
        }
        let value = match big_endian {
            true => before.value << (8 * piece.size) | piece.value,
            false => before.value | piece.value << (8 * before.size),
        };
        Some((index, Piece { pointer: before.pointer, size, value }))
    }

    /// Exchanges an event of the last row for one of more bytes.
    pub(super) fn replace(&mut self, index: usize, event: Event, piece: Piece) {
        let old = self.rows.last_mut().and_then(|row| row.events.get_mut(index));
        if let Some((old, time)) = old.zip(self.times.get_mut(index)) {
            *old = Event { location: old.location, ..event };
            time.piece = Some(piece);
        }
    }

    /// The instruction that is executed, as the IR's text has it: for modules without places.
    pub(super) fn instruction_text(&self, step: &Step<'_>) -> Option<String> {
        let (function, block, index) = step.position;
        let text = print_function(self.module, function);
        let label = format!("bb{}", block.0);
        let mut lines = text.lines().skip_while(|line| {
            let rest = line.strip_prefix(&label);
            !rest.is_some_and(|rest| rest.starts_with([':', '(']))
        });
        let line = lines.nth(index + 1)?;
        Some(format!("{label}: {}", line.trim()))
    }
}

/// Whether an event says nothing that the events of its row do not say yet: the next round of a
/// loop that waits for a value to change, or another part of what one call does.
fn repeats(row: &[Event], times: &[Time], event: &Event, now: Time) -> bool {
    let same = |old: &Event| {
        (old.kind, &old.name, &old.value) == (event.kind, &event.name, &event.value)
            && old.location.is_same_place(event.location)
            && old.uninitialised == event.uninitialised
    };
    // The last event, and the last one of the same object.
    let last = row.len().checked_sub(1);
    let of_object = row.iter().rposition(|old| old.name == event.name);
    let same_at = |index: Option<usize>| index.filter(|&i| row.get(i).is_some_and(same));
    // Whether it is the same instruction, executed once more.
    let is_again = |index: usize| times.get(index).is_some_and(|time| time.is_before(now));
    let is_part = |index| same_at(index).is_some_and(|index| !is_again(index));
    match event.kind {
        // Several members are written that the source does not name; the object of an allocation
        // is named by more than one instruction.
        EventKind::Initialise | EventKind::Allocate => is_part(last),
        EventKind::Read | EventKind::Write if event.value.is_none() => is_part(of_object),
        // Each use of a variable that has no value says that it has none.
        EventKind::Read if event.uninitialised => same_at(of_object).is_some(),
        EventKind::Read | EventKind::FindTaken | EventKind::FindComplete => {
            let is_spinning = same_at(last).is_some_and(is_again);
            // A function of the library may look more than once at what it is given.
            is_spinning || (event.location.operation.is_some() && is_part(of_object))
        }
        _ => false,
    }
}

/// When an event happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time {
    /// Where the thread stood.
    position: Position,
    /// How many instructions were executed.
    executed: u64,
    /// The bytes that it accessed, where they are a part of a scalar.
    piece: Option<Piece>,
}

/// Some bytes of a scalar, and what they hold as an integer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub pointer: u128,
    /// At most 16.
    pub size: u64,
    pub value: u128,
}

impl Time {
    /// Whether the same instruction is executed later once more.
    fn is_before(self, later: Self) -> bool {
        self.position == later.position && self.executed != later.executed
    }
}
