//! What flows between steps: values from stores to loads, stores to memory, and which locks are held meanwhile.

use std::collections::{BTreeMap, HashMap};

use super::{At, Held, Source, Waiting};
use crate::report::{Event, Step};

/// What is found.
#[derive(Debug, Default)]
pub(super) struct Flow {
    pub sources: BTreeMap<At, Source>,
    pub held: Vec<Held>,
    pub waiting: Vec<Waiting>,
}

/// What is known of memory.
#[derive(Debug, Default)]
struct Memory<'s> {
    /// The newest store to a place of a name, and what it wrote; without a store, somebody has changed the place in a way that is
    /// not followed.
    places: HashMap<&'s str, (Option<At>, Option<&'s str>)>,
    /// The same for variables of a thread's own, by lane and name.
    own: HashMap<(usize, &'s str), (At, Option<&'s str>)>,
    /// The names that belong to an object: places of different objects have nothing in common.
    objects: HashMap<&'s str, Vec<&'s str>>,
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

/// The part of a name that names the object: places whose objects differ have nothing in common.
fn object(name: &str) -> &str {
    let whole = whole(name);
    whole.find(['.', '[']).and_then(|end| whole.get(..end)).unwrap_or(whole)
}

/// The scalar that a name is some bytes of: `x` for `byte 2 of x`.
fn whole(name: &str) -> &str {
    let is_part = name.starts_with("byte ") || name.starts_with("bytes ");
    name.split_once(" of ").filter(|_| is_part).map_or(name, |(_, whole)| whole)
}

/// Whether places of these names may have bytes in common, given that they differ and belong to one object. Members with
/// different names may be those of a union, but that is then seen by their values. Elements do not overlap.
fn overlap(a: &str, b: &str) -> bool {
    let (a, b) = (whole(a), whole(b));
    let is_inside = |part: &str, of: &str| {
        part.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    is_inside(a, b) || is_inside(b, a)
}

impl<'s> Memory<'s> {
    fn event(&mut self, flow: &mut Flow, event: &'s Event, at: At, lane: usize) {
        let name = event.name.as_deref();
        let value = event.value.as_deref();
        match (event.kind, name) {
            ("read", Some(name)) => {
                // What was never given a value comes from nowhere.
                if let Some(source) =
                    self.source(flow, name, value, lane).filter(|_| !event.uninitialised)
                {
                    flow.sources.insert(at, source);
                }
            }
            ("write", Some(name)) => self.write(name, Some(at), value),
            ("assign", Some(name)) => drop(self.own.insert((lane, name), (at, value))),
            ("buffer", Some(name)) => {
                let text = match value {
                    Some(value) => format!("{name} = {value}"),
                    None => name.to_owned(),
                };
                self.buffers.entry(lane).or_default().push(flow.waiting.len());
                flow.waiting.push(Waiting { lane, text, from: at, to: None });
            }
            ("reach", Some(name)) => self.reach(flow, (name, value), at, lane),
            ("allocate" | "free" | "initialise", Some(name)) => self.write(name, None, None),
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

    fn write(&mut self, name: &'s str, at: Option<At>, value: Option<&'s str>) {
        if self.places.insert(name, (at, value)).is_none() {
            self.objects.entry(object(name)).or_default().push(name);
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
        self.write(name, Some(at), value);
    }

    fn source(&self, flow: &Flow, name: &str, value: Option<&str>, lane: usize) -> Option<Source> {
        let buffer = self.buffers.get(&lane).map_or(&[][..], Vec::as_slice);
        let own =
            buffer.iter().rev().filter_map(|&index| flow.waiting.get(index)).find(|waiting| {
                let other = waiting.text.split(" = ").next().unwrap_or("");
                other == name || overlap(other, name)
            });
        if let Some(waiting) = own {
            let is_it = value.is_some_and(|value| waiting.text == format!("{name} = {value}"));
            return is_it.then_some(Source::Waiting(waiting.from));
        }
        if let Some((at, written)) = self.own.get(&(lane, name)) {
            // What others may write has no such variable's name, or it cannot be told apart.
            let is_it = value.is_some() && *written == value && !self.places.contains_key(name);
            return is_it.then_some(Source::Store(*at));
        }
        let all = self.objects.get(object(name)).map_or(&[][..], Vec::as_slice);
        let newest = self.places.get(name);
        let touched = all.iter().filter(|other| **other != name && overlap(other, name));
        let mut touched = touched.filter_map(|other| self.places.get(*other));
        match newest {
            None => touched.next().is_none().then_some(Source::Initial),
            Some((Some(at), written)) => {
                let is_later = |(other, _): &(Option<At>, _)| other.is_none_or(|other| other > *at);
                let is_same = value.is_some() && *written == value;
                (is_same && !touched.any(is_later)).then_some(Source::Store(*at))
            }
            Some((None, _)) => None,
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

    /// The sources of the last event, of steps that are one event each, by thread.
    fn last(events: &[(usize, &'static str, &str, &str)]) -> Option<Source> {
        let step = |(_, kind, name, value): &(usize, &'static str, &str, &str)| Step {
            events: vec![event(kind, name, value)],
            ..Step::default()
        };
        let steps: Vec<Step> = events.iter().map(step).collect();
        let lanes: Vec<usize> = events.iter().map(|event| event.0).collect();
        follow(&steps, &lanes).sources.get(&At { step: events.len() - 1, event: 0 }).copied()
    }

    fn store(step: usize) -> Option<Source> {
        Some(Source::Store(At { step, event: 0 }))
    }

    #[test]
    fn loads_read_from_the_newest_store_that_reached_memory() {
        let (a, b) = ((0, "write", "x", "1"), (1, "write", "x", "2"));
        assert_eq!(last(&[a, b, (0, "read", "x", "2")]), store(1));
        // The value must be that of the store.
        assert_eq!(last(&[a, b, (0, "read", "x", "1")]), None);
        assert_eq!(last(&[a, (0, "read", "y", "0")]), Some(Source::Initial));
        // Variables of the threads' own are different ones.
        let (mine, others) = ((0, "assign", "v", "1"), (1, "assign", "v", "1"));
        assert_eq!(last(&[mine, others, (0, "read", "v", "1")]), store(0));
        let waits = (0, "buffer", "x", "1");
        assert_eq!(last(&[waits, (1, "read", "x", "0")]), Some(Source::Initial));
        let own = Some(Source::Waiting(At { step: 0, event: 0 }));
        assert_eq!(last(&[waits, b, (0, "read", "x", "1")]), own);
        let reaches = (0, "reach", "x", "1");
        assert_eq!(last(&[waits, reaches, (1, "read", "x", "1")]), store(1));
    }

    #[test]
    fn what_may_overlap_is_not_taken_for_the_source() {
        let whole = (0, "write", "s", "");
        assert_eq!(last(&[(0, "write", "s.a", "1"), whole, (1, "read", "s.a", "1")]), None);
        assert_eq!(last(&[whole, (0, "write", "s.a", "1"), (1, "read", "s.a", "1")]), store(1));
        assert_eq!(last(&[(0, "write", "byte 1 of x", "1"), (1, "read", "x", "0")]), None);
        assert_eq!(
            last(&[(0, "write", "a[1]", "1"), (1, "read", "a[10]", "0")]),
            Some(Source::Initial)
        );
        assert_eq!(last(&[(0, "write", "ab", "1"), (1, "read", "a", "0")]), Some(Source::Initial));
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
