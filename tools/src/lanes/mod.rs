//! A failing execution as lanes: one for each thread, time downwards. What is drawn is data here, which `text` and
//! `svg` draw and pages of reports (`crate::page`) have too.
//!
//! All is made of the steps of a trace ([`Step`]). Which store a load reads from was found where the run was executed, by
//! addresses: the one that wrote all bytes of the load last (under TSO and PSO the thread's own newest that waits, or else the
//! newest that has reached memory). Where several did, or the trace does not show it, nothing is said.

mod flow;
mod style;
pub mod svg;
pub mod text;

use std::collections::BTreeMap;

use crate::report::Step;

/// A thread of the execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// 0 is the initial thread.
    pub thread: u32,
    /// The function that it runs.
    pub function: Option<String>,
    /// The first step at which it is there: its start, where the trace shows that.
    pub from: usize,
    /// The last step that it takes.
    pub to: usize,
}

impl Lane {
    /// `thread 1 (worker)`.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.function {
            Some(function) => format!("thread {} ({function})", self.thread),
            None => format!("thread {}", self.thread),
        }
    }
}

/// An event of a step: the step's number, from 0, and the event's in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// The step.
    pub step: usize,
    /// The event of the step.
    pub event: usize,
}

/// Where the value of a load comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A store.
    Store(At),
    /// A store of the thread's own that waits still in its buffer.
    Waiting(At),
    /// A store that is not drawn, at this step of the whole trace.
    Earlier(usize),
    /// Nobody has written the place before.
    Initial,
}

impl Source {
    /// The store, if there is one.
    #[must_use]
    pub fn store(self) -> Option<At> {
        match self {
            Self::Store(at) | Self::Waiting(at) => Some(at),
            Self::Earlier(_) | Self::Initial => None,
        }
    }
}

/// That a thread holds a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Index of the lane.
    pub lane: usize,
    /// The lock.
    pub name: String,
    /// Whether others may hold it too: it is locked for reading.
    pub shared: bool,
    /// The step that locks it.
    pub from: usize,
    /// The step that unlocks it, if one does.
    pub to: Option<usize>,
}

impl Held {
    /// Whether the lock is held when a step is over; the last of a trace is `last`.
    #[must_use]
    pub fn after(&self, step: usize) -> bool {
        self.from <= step && self.to.is_none_or(|to| step < to)
    }
}

/// A store that waits in its thread's buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Index of the lane.
    pub lane: usize,
    /// The place and the value: `x = 1`.
    pub text: String,
    /// The store.
    pub from: At,
    /// Where it reaches memory, if it does.
    pub to: Option<At>,
}

impl Waiting {
    /// Whether it waits still when a step is over.
    #[must_use]
    pub fn after(&self, step: usize) -> bool {
        self.from.step <= step && self.to.is_none_or(|to| step < to.step)
    }
}

/// An execution as lanes. Steps are those of the trace, in its order; they are numbered from 0 here and shown from 1.
#[derive(Clone, Debug)]
pub struct Lanes<'s> {
    /// One for each thread that acts, in the order of their numbers.
    pub lanes: Vec<Lane>,
    /// The steps.
    pub steps: &'s [Step],
    /// The lane of each step.
    pub of: Vec<usize>,
    /// Where loads read from, as far as that is known.
    pub sources: BTreeMap<At, Source>,
    /// Which locks are held when, in the order in which they are locked.
    pub held: Vec<Held>,
    /// The stores that wait, in their order.
    pub waiting: Vec<Waiting>,
    /// The number of the first step, where these are the last ones of a trace.
    pub first: usize,
    file: Option<&'s str>,
}

impl<'s> Lanes<'s> {
    /// Those of a trace.
    #[must_use]
    pub fn new(steps: &'s [Step]) -> Self {
        Self::from_step(steps, 0)
    }

    /// Those of the steps of a trace from a number on.
    #[must_use]
    pub fn from_step(steps: &'s [Step], first: usize) -> Self {
        let steps = steps.get(first..).unwrap_or_default();
        let mut threads: BTreeMap<u32, Lane> = BTreeMap::new();
        for (number, step) in steps.iter().enumerate() {
            let function = step.thread_function.clone();
            let new = Lane { thread: step.thread, function, from: number, to: number };
            threads.entry(step.thread).or_insert(new).to = number;
        }
        for (number, step) in steps.iter().enumerate() {
            for event in step.events.iter().filter(|event| event.kind == "start") {
                let started = event.thread.and_then(|thread| threads.get_mut(&thread));
                if let Some(lane) = started {
                    lane.from = lane.from.min(number);
                }
            }
        }
        let index: BTreeMap<u32, usize> = threads.keys().copied().zip(0..).collect();
        let lane = |step: &Step| index.get(&step.thread).copied().unwrap_or(0);
        let of: Vec<usize> = steps.iter().map(lane).collect();
        let flow::Flow { held, waiting } = flow::follow(steps, &of);
        let sources = sources(steps, first);
        let mut files = steps.iter().filter(|step| step.place.line != 0).map(|s| &*s.place.file);
        let file = files.next().filter(|first| files.all(|file| file == *first));
        Self {
            lanes: threads.into_values().collect(),
            steps,
            of,
            sources,
            held,
            waiting,
            first,
            file,
        }
    }

    /// A lane whose thread is there when a step is taken.
    #[must_use]
    pub fn is_there(&self, lane: usize, step: usize) -> bool {
        self.lanes.get(lane).is_some_and(|lane| (lane.from..=lane.to).contains(&step))
    }

    /// An event in words, with the step that a load reads from.
    #[must_use]
    pub fn event_text(&self, at: At) -> String {
        let event = self.steps.get(at.step).and_then(|step| step.events.get(at.event));
        let text = event.map_or("", |event| event.text.as_str());
        match self.sources.get(&at) {
            None => text.to_owned(),
            Some(Source::Initial) => format!("{text} \u{2190} initial value"),
            Some(Source::Earlier(step)) => format!("{text} \u{2190} step {}", step + 1),
            Some(Source::Store(from)) => {
                format!("{text} \u{2190} step {}", self.first + from.step + 1)
            }
            Some(Source::Waiting(from)) => {
                format!("{text} \u{2190} step {}, which waits", self.first + from.step + 1)
            }
        }
    }

    /// The file of all steps, if there is only one.
    #[must_use]
    pub fn only_file(&self) -> Option<&'s str> {
        self.file
    }

    /// Whether the last event of a step is the failure.
    #[must_use]
    pub fn fails(&self, step: usize) -> bool {
        let events = self.steps.get(step).map_or(&[][..], |step| &step.events);
        events.iter().any(|event| event.kind == "fail")
    }
}

/// Where the loads of steps read from, of which the first has a number in the whole trace.
fn sources(steps: &[Step], first: usize) -> BTreeMap<At, Source> {
    let here = |at: At, source: fn(At) -> Source| match at.step.checked_sub(first) {
        Some(step) => source(At { step, ..at }),
        None => Source::Earlier(at.step),
    };
    let mut found = BTreeMap::new();
    for (step, Step { events, .. }) in steps.iter().enumerate() {
        for (event, read) in events.iter().enumerate() {
            let source = match read.source {
                Some(Source::Store(at)) => here(at, Source::Store),
                Some(Source::Waiting(at)) => here(at, Source::Waiting),
                Some(other) => other,
                None => continue,
            };
            found.insert(At { step, event }, source);
        }
    }
    found
}

/// The place of a step: `queue.c:12`; empty where it is not known.
#[must_use]
pub fn place(step: &Step) -> String {
    match step.place.line {
        0 => step.place.function.clone().unwrap_or_default(),
        line => format!("{}:{line}", step.place.file),
    }
}

/// Text without what moves a terminal's cursor, and without line ends.
pub(crate) fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
