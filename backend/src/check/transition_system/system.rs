//! A transition system for the searches: each of its states is one of theirs, and there are a few
//! more.
//!
//! * Where it does not begin with one thread, a *starter* starts the threads one by one, in shared
//!   states in which nobody else can do anything, and ends.
//! * Where the target has several threads, they leave one by one, through shared states of the
//!   same kind; the last of them fails.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{Configuration, Row, Target, TransitionSystem};
use crate::check::coverability::thread_system::{
    BroadcastId, Budget, LocalId, Move, Moves, SharedId, ThreadSystem,
};
use crate::check::{CheckOptions, UnknownReason};

/// What a state with its moves takes in the table, approximately.
const REMEMBERED: usize = 128;

pub(super) struct System {
    initial: Vec<(SharedId, LocalId)>,
    moves: FxHashMap<(SharedId, LocalId), Rc<Moves>>,
    none: Rc<Moves>,
    /// By broadcast: where the threads go that do not stay.
    passive: Vec<FxHashMap<LocalId, Rc<[LocalId]>>>,
    bytes: usize,
}

/// The broadcast of each row, for those that have one: numbered in their order.
pub(super) fn broadcasts(rows: &[Row]) -> impl Iterator<Item = Option<BroadcastId>> {
    let mut next = 0;
    rows.iter().map(move |row| {
        let number = BroadcastId(next);
        next += u32::from(!row.passive.is_empty());
        (!row.passive.is_empty()).then_some(number)
    })
}

/// Whether this is the move of a row with this broadcast.
pub(super) fn is_move(row: &Row, broadcast: Option<BroadcastId>, step: &Move) -> bool {
    let to = LocalId(row.to.1);
    let (local, spawned) = match row.starts {
        true => (LocalId(row.from.1), Some(to)),
        false => (to, None),
    };
    step.shared == SharedId(row.to.0)
        && step.local == Some(local)
        && step.spawned == spawned
        && step.broadcast == broadcast
}

impl System {
    /// # Errors
    /// The limit that was reached.
    pub(super) fn new(
        system: &TransitionSystem,
        initial: &[Configuration],
        target: &Target,
        options: &CheckOptions,
    ) -> Result<System, UnknownReason> {
        let mut making = Making {
            moves: FxHashMap::default(),
            passive: Vec::new(),
            next_shared: system.shared,
            starter: LocalId(system.locals),
        };
        for (number, (row, broadcast)) in
            system.rows.iter().zip(broadcasts(&system.rows)).enumerate()
        {
            if number.is_multiple_of(1 << 12)
                && let Some(reason) = options.stop()
            {
                return Err(reason);
            }
            making.row(row, broadcast);
        }
        let initial = initial.iter().map(|configuration| making.begins(configuration)).collect();
        making.target(system, target);
        let bytes = making.moves.len() * REMEMBERED
            + making.moves.values().map(|m| m.moves.len() * size_of::<Move>()).sum::<usize>()
            + making.passive.iter().map(|p| p.len() * REMEMBERED).sum::<usize>();
        Ok(System {
            initial,
            moves: making.moves.into_iter().map(|(state, m)| (state, Rc::new(m))).collect(),
            none: Rc::default(),
            passive: making.passive,
            bytes,
        })
    }
}

struct Making {
    moves: FxHashMap<(SharedId, LocalId), Moves>,
    passive: Vec<FxHashMap<LocalId, Rc<[LocalId]>>>,
    next_shared: u32,
    starter: LocalId,
}

impl Making {
    fn add(&mut self, from: (SharedId, LocalId), step: Move) {
        self.moves.entry(from).or_default().moves.push(step);
    }

    fn row(&mut self, row: &Row, broadcast: Option<BroadcastId>) {
        let (from, to) = (LocalId(row.from.1), LocalId(row.to.1));
        if broadcast.is_some() {
            let mut places: FxHashMap<LocalId, Vec<LocalId>> = FxHashMap::default();
            for &(before, after) in &row.passive {
                places.entry(LocalId(before)).or_default().push(LocalId(after));
            }
            let sorted = places.into_iter().map(|(before, mut after)| {
                after.sort_unstable();
                after.dedup();
                (before, Rc::from(after))
            });
            self.passive.push(sorted.collect());
        }
        let (local, spawned) = if row.starts { (from, Some(to)) } else { (to, None) };
        let shared = SharedId(row.to.0);
        let step = Move { shared, local: Some(local), spawned, broadcast };
        self.add((SharedId(row.from.0), from), step);
    }

    /// A shared state in which nobody can do anything yet.
    fn fresh(&mut self) -> SharedId {
        self.next_shared += 1;
        SharedId(self.next_shared - 1)
    }

    fn begins(&mut self, configuration: &Configuration) -> (SharedId, LocalId) {
        let shared = SharedId(configuration.shared);
        if let ([thread], []) = (configuration.threads.as_slice(), configuration.any.as_slice()) {
            return (shared, LocalId(*thread));
        }
        let first = self.fresh();
        let mut at = first;
        let quiet = |shared, local, spawned| Move { shared, local, spawned, broadcast: None };
        for &thread in &configuration.threads {
            let next = self.fresh();
            self.add((at, self.starter), quiet(next, Some(self.starter), Some(LocalId(thread))));
            at = next;
        }
        for &thread in &configuration.any {
            self.add((at, self.starter), quiet(at, Some(self.starter), Some(LocalId(thread))));
        }
        self.add((at, self.starter), quiet(shared, None, None));
        (first, self.starter)
    }

    fn target(&mut self, system: &TransitionSystem, target: &Target) {
        let places = match target.shared {
            Some(shared) => shared..shared + 1,
            None => 0..system.shared,
        };
        let Some((&last, others)) = target.threads.split_last() else {
            for local in 0..system.locals {
                for shared in places.clone() {
                    self.moves.entry((SharedId(shared), LocalId(local))).or_default().fails = true;
                }
            }
            return;
        };
        let mut from: Vec<SharedId> = places.map(SharedId).collect();
        for &thread in others {
            let next = self.fresh();
            for shared in from {
                let leaves = Move { shared: next, local: None, spawned: None, broadcast: None };
                self.add((shared, LocalId(thread)), leaves);
            }
            from = vec![next];
        }
        for shared in from {
            self.moves.entry((shared, LocalId(last))).or_default().fails = true;
        }
    }
}

impl ThreadSystem for System {
    fn initial(
        &mut self,
        _budget: &mut Budget<'_>,
    ) -> Result<Vec<(SharedId, LocalId)>, UnknownReason> {
        Ok(self.initial.clone())
    }

    fn moves(&mut self, shared: SharedId, local: LocalId) -> Result<Rc<Moves>, UnknownReason> {
        Ok(self.moves.get(&(shared, local)).unwrap_or(&self.none).clone())
    }

    fn passive(
        &mut self,
        broadcast: BroadcastId,
        local: LocalId,
    ) -> Result<Rc<[LocalId]>, UnknownReason> {
        let places = self.passive.get(broadcast.0 as usize).and_then(|all| all.get(&local));
        Ok(places.cloned().unwrap_or_else(|| Rc::from([local])))
    }

    fn in_atomic(&self, _local: LocalId) -> bool {
        false
    }

    fn locks(&self, _local: LocalId) -> u64 {
        0
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}
