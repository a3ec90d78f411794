//! Canonical states: threads that agree are counted, not told apart.

use super::moves::{Atomic, Move, Moves};
use super::valuations::pack;
use crate::check::counted::CountedState;
use crate::check::{ThreadBound, Valuation};
use std::rc::Rc;

/// Who is inside an atomic section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    Nobody,
    Initial,
    /// A started thread in this local state (which of them makes no difference).
    Started(u32),
}

/// A state. The initial thread is kept apart because it does not count against the bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) shared: u32,
    pub(super) holder: Holder,
    /// The local state of the initial thread while it exists.
    pub(super) initial: Option<u32>,
    /// Local states of started threads with how many are in each, ascending.
    pub(super) started: Vec<(u32, u32)>,
}

/// A thread of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mover {
    Initial(u32),
    Started(u32),
}

impl Mover {
    pub(super) fn local(self) -> u32 {
        match self {
            Mover::Initial(local) | Mover::Started(local) => local,
        }
    }
}

/// Adds a thread to a multiset.
fn add(started: &mut Vec<(u32, u32)>, local: u32, count: u32) {
    match started.binary_search_by_key(&local, |(l, _)| *l) {
        Ok(at) => started[at].1 += count,
        Err(at) => started.insert(at, (local, count)),
    }
}

fn remove(started: &mut Vec<(u32, u32)>, local: u32) {
    if let Ok(at) = started.binary_search_by_key(&local, |(l, _)| *l) {
        started[at].1 -= 1;
        if started[at].1 == 0 {
            started.remove(at);
        }
    }
}

impl State {
    /// `None` if more than one initial thread or holder is there.
    pub(super) fn from_counted(counted: &CountedState, moves: &mut Moves<'_>) -> Option<State> {
        let words: Valuation = counted.shared.iter().copied().collect();
        let mut state = State {
            shared: moves.shared_number(&pack(&words)),
            holder: Holder::Nobody,
            initial: None,
            started: Vec::new(),
        };
        for thread in &counted.threads {
            let locals: Valuation = thread.locals.iter().copied().collect();
            let local = moves.local_number(thread.location, &pack(&locals));
            let holder = if thread.initial { Holder::Initial } else { Holder::Started(local) };
            let twice = thread.initial && state.initial.is_some()
                || thread.holder && state.holder != Holder::Nobody;
            if twice {
                return None;
            }
            if thread.initial {
                state.initial = Some(local);
            } else {
                add(&mut state.started, local, 1);
            }
            if thread.holder {
                state.holder = holder;
            }
        }
        Some(state)
    }

    pub(super) fn encode(&self, words: &mut Vec<u32>) {
        words.clear();
        words.push(self.shared);
        words.push(match self.holder {
            Holder::Nobody => 0,
            Holder::Initial => 1,
            Holder::Started(local) => local + 2,
        });
        words.push(self.initial.map_or(0, |local| local + 1));
        for (local, count) in &self.started {
            words.extend([*local, *count]);
        }
    }

    pub(super) fn decode(words: &[u32]) -> Self {
        State {
            shared: words[0],
            holder: match words[1] {
                0 => Holder::Nobody,
                1 => Holder::Initial,
                local => Holder::Started(local - 2),
            },
            initial: words[2].checked_sub(1),
            started: words[3..].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect(),
        }
    }

    /// The threads that may move, those that agree once.
    pub(super) fn movers(&self) -> Vec<Mover> {
        match self.holder {
            Holder::Initial => self.initial.map(Mover::Initial).into_iter().collect(),
            Holder::Started(local) => vec![Mover::Started(local)],
            Holder::Nobody => {
                let started = self.started.iter().map(|(local, _)| Mover::Started(*local));
                self.initial.map(Mover::Initial).into_iter().chain(started).collect()
            }
        }
    }

    /// How many started threads there are.
    pub(super) fn started_count(&self) -> u32 {
        self.started.iter().map(|(_, count)| *count).fold(0, u32::saturating_add)
    }

    /// Whether a `start_thread` starts one.
    pub(super) fn has_room(&self, bound: ThreadBound) -> bool {
        match bound {
            ThreadBound::Unbounded => true,
            ThreadBound::Bounded(n) => self.started_count() < n,
        }
    }

    /// The states after a move.
    pub(super) fn after(
        &self,
        mover: Mover,
        step: &Move,
        bound: ThreadBound,
        moves: &mut Moves<'_>,
    ) -> Vec<State> {
        let mut rest = State { shared: step.shared, ..self.clone() };
        match mover {
            Mover::Initial(_) => rest.initial = None,
            Mover::Started(local) => remove(&mut rest.started, local),
        }
        let mut states = match step.choice {
            Some(choice) => react(&rest, choice, moves),
            None => vec![rest],
        };
        let inside = match step.atomic {
            Atomic::Enter => true,
            Atomic::Leave => false,
            Atomic::Keep => self.holder != Holder::Nobody,
        };
        let room = self.has_room(bound);
        for state in &mut states {
            if let Some(started) = step.started.filter(|_| room) {
                add(&mut state.started, started, 1);
            }
            state.holder = Holder::Nobody;
            if let Some(local) = step.local {
                match mover {
                    Mover::Initial(_) => state.initial = Some(local),
                    Mover::Started(_) => add(&mut state.started, local, 1),
                }
                if inside {
                    state.holder = match mover {
                        Mover::Initial(_) => Holder::Initial,
                        Mover::Started(_) => Holder::Started(local),
                    };
                }
            }
        }
        states
    }
}

/// The passive threads of `rest` react to a choice, each on its own.
fn react(rest: &State, choice: u32, moves: &mut Moves<'_>) -> Vec<State> {
    let mut states = vec![State { started: Vec::new(), ..rest.clone() }];
    if let Some(initial) = rest.initial {
        let results = moves.passive(choice, initial);
        states = results
            .iter()
            .map(|local| State { initial: Some(*local), started: Vec::new(), ..rest.clone() })
            .collect();
    }
    for (local, count) in &rest.started {
        let results = moves.passive(choice, *local);
        states = distribute(states, &results, *count);
    }
    states
}

/// Adds `count` threads to each state, each in any of the local states.
fn distribute(states: Vec<State>, results: &Rc<[u32]>, count: u32) -> Vec<State> {
    let Some((last, others)) = results.split_last() else { return Vec::new() };
    // (state, how many threads are still to be added)
    let mut partial: Vec<(State, u32)> = states.into_iter().map(|s| (s, count)).collect();
    for result in others {
        partial = partial
            .into_iter()
            .flat_map(|(state, left)| {
                (0..=left).map(move |n| {
                    let mut state = state.clone();
                    if n > 0 {
                        add(&mut state.started, *result, n);
                    }
                    (state, left - n)
                })
            })
            .collect();
    }
    partial
        .into_iter()
        .map(|(mut state, left)| {
            if left > 0 {
                add(&mut state.started, *last, left);
            }
            state
        })
        .collect()
}
