//! Canonical states: threads that agree are counted, not told apart.

use super::moves::{Atomic, Move, Moves};
use super::valuations::pack;
use crate::check::ThreadBound;
use crate::check::semantics::counted::CountedState;
use crate::check::spread::Spread;
use rustc_hash::FxHashMap;
use sapa_ir::boolean::trace::Valuation;
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

    /// Whether invariants allow it.
    pub(super) fn is_allowed(&self, moves: &mut Moves<'_>) -> bool {
        if moves.prepared.invariants.is_empty() {
            return true;
        }
        let shared = self.shared;
        let initial = self.initial.map(|local| (local, 1));
        let threads: Vec<(u32, u32)> = initial.into_iter().chain(self.started.clone()).collect();
        threads.iter().enumerate().all(|(at, &(local, count))| {
            moves.may_be(shared, local)
                && (count == 1 || moves.may_meet(shared, local, local))
                && threads[at + 1..].iter().all(|&(other, _)| moves.may_meet(shared, local, other))
        })
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
    ) -> After {
        let (settled, reacting) = self.settled(mover, step, bound);
        let (mut places, mut counts) = (Vec::new(), Vec::new());
        if let Some(choice) = step.choice {
            for (local, count) in reacting {
                let results = moves.passive(choice, local);
                counts.push((count, results.len()));
                places.push(results);
            }
        }
        After { settled, places, spread: Spread::new(counts.into_iter()) }
    }

    /// Whether a move is possible with the threads of this state.
    pub(super) fn admits(&self, step: &Move, bound: ThreadBound) -> bool {
        !step.waits || self.has_room(bound)
    }

    /// What is settled by a move alone, and the threads that react to it, the initial one first.
    pub(super) fn settled(
        &self,
        mover: Mover,
        step: &Move,
        bound: ThreadBound,
    ) -> (Settled, Vec<(u32, u32)>) {
        let mut others = State { shared: step.shared, holder: Holder::Nobody, ..self.clone() };
        match mover {
            Mover::Initial(_) => others.initial = None,
            Mover::Started(local) => remove(&mut others.started, local),
        }
        let mut reacting = Vec::new();
        let mut initial_reacts = false;
        if step.choice.is_some() {
            initial_reacts = others.initial.is_some();
            reacting.extend(others.initial.take().map(|local| (local, 1)));
            reacting.append(&mut others.started);
        }
        (Settled { state: self.settle(others, mover, step, bound), initial_reacts }, reacting)
    }

    /// A state with the active thread, and the one it starts, added as they are after a move.
    fn settle(&self, mut others: State, mover: Mover, step: &Move, bound: ThreadBound) -> State {
        if let Some(started) = step.started.filter(|_| self.has_room(bound)) {
            add(&mut others.started, started, 1);
        }
        let Some(local) = step.local else { return others };
        match mover {
            Mover::Initial(_) => others.initial = Some(local),
            Mover::Started(_) => add(&mut others.started, local, 1),
        }
        let inside = match step.atomic {
            Atomic::Enter => true,
            Atomic::Leave => false,
            Atomic::Keep => self.holder != Holder::Nobody,
        };
        if inside {
            others.holder = match mover {
                Mover::Initial(_) => Holder::Initial,
                Mover::Started(_) => Holder::Started(local),
            };
        }
        others
    }
}

/// A state after a move, but for the threads that react.
pub(super) struct Settled {
    state: State,
    /// Whether the initial thread reacts.
    initial_reacts: bool,
}

impl Settled {
    /// Which threads must have reacted how if this move led to `after`: what the initial thread
    /// became, if it reacts, and how many started threads are in which local state. `None` if the
    /// move leads elsewhere.
    pub(super) fn reactions(&self, after: &State) -> Option<(Option<u32>, FxHashMap<u32, u32>)> {
        let initial = after.initial.filter(|_| self.initial_reacts);
        let rest = after.initial.filter(|_| !self.initial_reacts);
        let settled = &self.state;
        if (after.shared, after.holder, rest) != (settled.shared, settled.holder, settled.initial) {
            return None;
        }
        let mut started: FxHashMap<u32, u32> = after.started.iter().copied().collect();
        for (local, count) in &settled.started {
            let there = started.get_mut(local)?;
            *there = there.checked_sub(*count)?;
        }
        Some((initial, started))
    }
}

/// The states after a move, one at a time: each passive thread reacts on its own, so that there
/// can be very many.
pub(super) struct After {
    settled: Settled,
    /// The local states each class of reacting threads can have then.
    places: Vec<Rc<[u32]>>,
    spread: Spread,
}

impl Iterator for After {
    type Item = State;

    fn next(&mut self) -> Option<State> {
        let way = self.spread.next()?;
        let mut state = self.settled.state.clone();
        for (class, (places, numbers)) in self.places.iter().zip(way).enumerate() {
            for (&place, &number) in places.iter().zip(numbers).filter(|(_, number)| **number > 0) {
                if class == 0 && self.settled.initial_reacts {
                    state.initial = Some(place);
                } else {
                    add(&mut state.started, place, number);
                }
            }
        }
        Some(state)
    }
}
