//! The fixed point of thread-visible states (BOPPO Fig. 3 and Definition 8), for unboundedly many
//! threads.
//!
//! A thread state is a shared valuation with one thread's own state. Definition 8 is extended in
//! three ways:
//! * **Atomic sections.** While a thread is inside one, every other stands still. What the others
//!   see is kept as pairs: (shared, the waiting thread, the thread inside). A pair only takes steps
//!   of the thread inside and becomes a thread state when that leaves, so intermediate valuations
//!   are never acted upon, and none of the section's effects is lost.
//! * **Broadcasts.** The waiting thread's own state changes as the broadcast says for the pair.
//! * **Remark 1.** A thread state from before the first `start_thread` is alone: no interference.
//! * **Invariants.** Two threads that they do not allow together do not disturb each other.
//!
//! Soundness, by induction over runs: the state of the thread inside an atomic section, or of every
//! thread if none is inside, is kept; and so is, for every other thread, its pair with the one inside.

use rustc_hash::{FxHashMap, FxHashSet};

use super::marking::Marking;
use super::thread_system::{Budget, LocalId, Move, SharedId, ThreadSystem};
use crate::check::UnknownReason;

/// A shared valuation with the thread that is inside its atomic section, if there is one.
pub(crate) type Stage = (SharedId, Option<LocalId>);

/// An over-approximation of what can be seen of threads in runs with any number of them.
#[derive(Debug, Default)]
pub(crate) struct Views {
    /// Threads that may move.
    pub(crate) movers: FxHashSet<(SharedId, LocalId)>,
    /// Threads outside that may be there with others, by stage.
    pub(crate) company: FxHashMap<Stage, FxHashSet<LocalId>>,
    /// Who may be there with whom, both outside; nothing is known if `None`.
    pub(crate) partners: Option<FxHashMap<Stage, FxHashMap<LocalId, FxHashSet<LocalId>>>>,
    /// A thread state that fails; maybe none of a real run. If there is none, no run fails.
    pub(crate) candidate: Option<(SharedId, LocalId)>,
    /// The fixed point of thread states, if the proof is wanted.
    pub(crate) fixed_point: Option<FixedPoint>,
}

/// The fixed point of thread states, as it is.
#[derive(Debug)]
pub(crate) struct FixedPoint {
    pub(crate) seen: FxHashSet<Seen>,
    /// The locks that no two threads hold.
    pub(crate) reliable: u64,
}

impl Views {
    fn new(seen: &FxHashSet<Seen>, candidate: Option<(SharedId, LocalId)>) -> Views {
        let mut views = Views { candidate, ..Views::default() };
        for &seen in seen {
            match seen {
                Seen::Thread { shared, local, started } => {
                    views.movers.insert((shared, local));
                    if started {
                        views.company.entry((shared, None)).or_default().insert(local);
                    }
                }
                Seen::Waiting { shared, local, inside } => {
                    views.company.entry((shared, Some(inside))).or_default().insert(local);
                }
            }
        }
        views
    }

    /// The threads outside atomic sections that may be there with others.
    pub(crate) fn company(&self, stage: Stage) -> impl Iterator<Item = LocalId> + '_ {
        self.company.get(&stage).into_iter().flatten().copied()
    }

    /// Whether these threads outside may be there together, with the one inside or by themselves.
    pub(crate) fn allow(&self, inside: Option<LocalId>, outside: &Marking) -> bool {
        let stage = (outside.shared, inside);
        let company = self.company.get(&stage);
        let known = |local: &LocalId| company.is_some_and(|company| company.contains(local));
        let counts = outside.counts();
        if inside.is_none() && outside.threads() <= 1 {
            return counts.iter().all(|(local, _)| self.movers.contains(&(stage.0, *local)));
        }
        let Some(partners) = &self.partners else {
            return counts.iter().all(|(local, _)| known(local));
        };
        let partners = partners.get(&stage);
        let meet = |a: &LocalId, b: &LocalId| {
            partners.and_then(|all| all.get(a)).is_some_and(|of| of.contains(b))
        };
        counts.iter().enumerate().all(|(at, (local, count))| {
            known(local)
                && (*count == 1 || meet(local, local))
                && counts[..at].iter().all(|(other, _)| meet(local, other))
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Seen {
    /// A thread that may move: nobody else is in an atomic section. `started` if a thread was
    /// ever started, so that there may be others.
    Thread { shared: SharedId, local: LocalId, started: bool },
    /// A thread that waits for the one inside its atomic section.
    Waiting { shared: SharedId, local: LocalId, inside: LocalId },
}

/// Computes the fixed point.
pub(crate) fn thread_states<S: ThreadSystem>(
    system: &mut S,
    budget: &mut Budget<'_>,
) -> Result<Views, UnknownReason> {
    // A lock that somebody releases without holding it protects nothing; without it, start over.
    let mut reliable = !0;
    loop {
        let mut search = Search {
            system: &mut *system,
            reliable,
            foreign: 0,
            seen: FxHashSet::default(),
            pending: Vec::new(),
            meeting: FxHashMap::default(),
        };
        let candidate = search.run(budget)?;
        let foreign = search.foreign & reliable;
        if foreign == 0 {
            let mut views = Views::new(&search.seen, candidate);
            if budget.options.proof.is_some() {
                views.fixed_point = Some(FixedPoint { seen: search.seen, reliable });
            }
            return Ok(views);
        }
        reliable &= !foreign;
    }
}

struct Search<'a, S> {
    system: &'a mut S,
    reliable: u64,
    foreign: u64,
    seen: FxHashSet<Seen>,
    pending: Vec<Seen>,
    /// Started threads outside atomic sections, by what they share.
    meeting: FxHashMap<SharedId, Vec<LocalId>>,
}

impl<S: ThreadSystem> Search<'_, S> {
    /// Explores everything; the first failing thread state, if there is one.
    fn run(
        &mut self,
        budget: &mut Budget<'_>,
    ) -> Result<Option<(SharedId, LocalId)>, UnknownReason> {
        let mut candidate = None;
        for (shared, local) in self.system.initial(budget)? {
            self.add(Seen::Thread { shared, local, started: false });
        }
        while let Some(seen) = self.pending.pop() {
            budget.check(self.seen.len(), &*self.system)?;
            match seen {
                Seen::Thread { shared, local, started } => {
                    let moves = self.system.moves(shared, local)?;
                    if moves.fails {
                        candidate = candidate.or(Some((shared, local)));
                    }
                    self.foreign |= moves.foreign_unlocks;
                    budget.spend(moves.moves.len())?;
                    for step in &moves.moves {
                        self.own_step(step, started);
                    }
                    if started && !self.system.in_atomic(local) {
                        self.meet(shared, local, budget)?;
                    }
                }
                Seen::Waiting { shared, local, inside } => {
                    self.disturb(shared, local, inside, budget)?;
                }
            }
        }
        Ok(candidate)
    }

    fn add(&mut self, seen: Seen) {
        if self.seen.insert(seen) {
            self.pending.push(seen);
        }
    }

    /// Case 1 of Definition 8, and the birth of a thread.
    fn own_step(&mut self, step: &Move, started: bool) {
        let started = started || step.spawned.is_some();
        if !self.system.allows_after(step, &[]) {
            return;
        }
        if let Some(local) = step.local {
            self.add(Seen::Thread { shared: step.shared, local, started });
        }
        if let Some(child) = step.spawned
            && self.system.allows_after(step, &[child])
        {
            self.observe(step.shared, child, step.local);
        }
    }

    /// Keeps what a thread sees after a step that left the active thread in state `active`.
    fn observe(&mut self, shared: SharedId, local: LocalId, active: Option<LocalId>) {
        match active.filter(|&active| self.system.in_atomic(active)) {
            Some(inside) => self.add(Seen::Waiting { shared, local, inside }),
            None => self.add(Seen::Thread { shared, local, started: true }),
        }
    }

    /// Keeps what another thread, which is then in state `local`, sees after a step.
    fn notice(&mut self, step: &Move, local: LocalId) {
        if self.system.allows_after(step, &[local]) {
            self.observe(step.shared, local, step.local);
        }
    }

    /// Case 2 of Definition 8, in both directions, with every thread met so far at this shared
    /// valuation, itself included: another thread may be in the same state.
    fn meet(
        &mut self,
        shared: SharedId,
        local: LocalId,
        budget: &mut Budget<'_>,
    ) -> Result<(), UnknownReason> {
        let others = self.meeting.entry(shared).or_default();
        others.push(local);
        budget.spend(others.len())?;
        for other in others.clone() {
            self.disturb(shared, local, other, budget)?;
            if other != local {
                self.disturb(shared, other, local, budget)?;
            }
        }
        Ok(())
    }

    /// What steps of `active` do to another thread in state `local`.
    fn disturb(
        &mut self,
        shared: SharedId,
        local: LocalId,
        active: LocalId,
        budget: &mut Budget<'_>,
    ) -> Result<(), UnknownReason> {
        budget.tick()?;
        let held = self.system.locks(local) & self.reliable;
        if held & self.system.locks(active) != 0 || !self.system.allows(shared, &[local, active]) {
            return Ok(());
        }
        let moves = self.system.moves(shared, active)?;
        self.foreign |= moves.foreign_unlocks;
        for step in &moves.moves {
            if step.local.is_some_and(|after| held & self.system.locks(after) != 0) {
                continue;
            }
            budget.tick()?;
            budget.room(self.seen.len(), &*self.system)?;
            match step.broadcast {
                None => self.notice(step, local),
                Some(broadcast) => {
                    let changes = self.system.passive(broadcast, local)?;
                    budget.spend(changes.len())?;
                    changes.iter().for_each(|&changed| self.notice(step, changed));
                }
            }
        }
        Ok(())
    }
}
