//! What lasts over steps: stores that wait until they reach memory, and locks that are held.

use std::collections::HashMap;

use super::{At, Held, Waiting};
use crate::report::{Event, Step};

/// What is found.
#[derive(Debug, Default)]
pub(super) struct Flow {
    pub held: Vec<Held>,
    pub waiting: Vec<Waiting>,
}

/// What is known so far.
#[derive(Debug, Default)]
struct Memory<'s> {
    /// The stores of a lane that wait, oldest first, by index of those that are found.
    buffers: HashMap<usize, Vec<usize>>,
    /// The locks that are held, by lane and name.
    locks: HashMap<(usize, &'s str), usize>,
}

/// Follows the steps, of which lanes are given.
pub(super) fn follow(steps: &[Step], lanes: &[usize]) -> Flow {
    let (mut flow, mut memory) = (Flow::default(), Memory::default());
    for ((number, step), &lane) in steps.iter().enumerate().zip(lanes) {
        for (index, event) in step.events.iter().enumerate() {
            let at = At { step: number, event: index };
            memory.event(&mut flow, event, at, lane);
        }
    }
    flow
}

impl<'s> Memory<'s> {
    fn event(&mut self, flow: &mut Flow, event: &'s Event, at: At, lane: usize) {
        let name = event.name.as_deref();
        let value = event.value.as_deref();
        match (event.kind, name) {
            ("buffer", Some(name)) => {
                let text = match value {
                    Some(value) => format!("{name} = {value}"),
                    None => name.to_owned(),
                };
                self.buffers.entry(lane).or_default().push(flow.waiting.len());
                flow.waiting.push(Waiting { lane, text, from: at, to: None });
            }
            ("reach", Some(name)) => self.reach(flow, (name, value), at, lane),
            ("lock" | "lock-to-read" | "lock-to-write", Some(name)) => {
                let shared = event.kind == "lock-to-read";
                self.locks.insert((lane, name), flow.held.len());
                let name = name.to_owned();
                flow.held.push(Held { lane, name, shared, from: at.step, to: None });
            }
            ("unlock", Some(name)) => {
                let index = self.locks.remove(&(lane, name));
                if let Some(held) = index.and_then(|index| flow.held.get_mut(index)) {
                    held.to = Some(at.step);
                }
            }
            _ => {}
        }
    }

    /// The oldest of the waiting stores that are this one reaches memory.
    fn reach(
        &mut self,
        flow: &mut Flow,
        (name, value): (&'s str, Option<&'s str>),
        at: At,
        lane: usize,
    ) {
        let text = value.map_or_else(|| name.to_owned(), |value| format!("{name} = {value}"));
        let buffer = self.buffers.entry(lane).or_default();
        let is_it = |&index: &usize| flow.waiting.get(index).is_some_and(|w| w.text == text);
        let found = buffer.iter().position(is_it).map(|place| buffer.remove(place));
        if let Some(waiting) = found.and_then(|index| flow.waiting.get_mut(index)) {
            waiting.to = Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &'static str, name: &str, value: &str) -> Event {
        let value = Some(value.to_owned()).filter(|value| !value.is_empty());
        Event { kind, name: Some(name.to_owned()), value, ..Event::default() }
    }

    #[test]
    fn locks_are_held_until_they_are_unlocked() {
        let kinds = ["lock", "lock-again", "keep-locked", "unlock", "lock"];
        let step =
            |kind: &&'static str| Step { events: vec![event(kind, "m", "")], ..Step::default() };
        let steps: Vec<Step> = kinds.iter().map(step).collect();
        let held = follow(&steps, &[0; 5]).held;
        let times: Vec<_> = held.iter().map(|held| (held.from, held.to)).collect();
        assert_eq!(times, [(0, Some(3)), (4, None)]);
    }
}
