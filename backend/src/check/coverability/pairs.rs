//! View abstraction with views of two threads (Abdulla, Haziza, Holík: All for the price of few):
//! an over-approximation of what any two threads can be seen doing together, for any number of
//! threads. A configuration is taken to be possible if all its pairs are.
//!
//! The thread inside its atomic section, if there is one, counts as part of what is shared and is
//! in no pair: a *stage* is a shared valuation with the thread inside. So a step removes at most
//! one thread from the others, changes the stage, sends the others along with its broadcast and
//! adds at most two.
//!
//! Soundness, by induction over runs: the stage of every reachable configuration is kept, and so
//! is every thread and every pair of threads outside, by stage. After a step, a thread or a pair
//! outside comes from at most two threads that did not move, from one and one that is added, or
//! from two that are added; the ones that did not move were a pair with each other and, if the
//! one that moved was outside, each with it. What invariants do not allow together is no configuration.
//!
//! Where a shared variable has a value that somebody must have written who is still there
//! ([`writers`](crate::check::analysis::writers)), a configuration has such a thread, and each of its pairs is one with
//! that thread besides: all three pairs were found. So a pair of which neither can be the writer is kept only if
//! there is a third thread at its stage that can, with which both were found; until then it waits. Found is
//! what steps lead to, kept or waiting, so that no two pairs wait for each other.

use rustc_hash::{FxHashMap, FxHashSet};

use super::thread_states::{Stage, Views};
use super::thread_system::{Budget, LocalId, Move, SharedId, ThreadSystem};
use crate::check::UnknownReason;
use crate::check::analysis::writers::Claims;

/// What is still to be looked at.
#[derive(Clone, Copy, Debug)]
enum Pending {
    /// A thread inside its atomic section.
    Entered(SharedId, LocalId),
    /// A thread outside at this stage, with the one inside if there is one.
    Single(Stage, LocalId),
    /// Two threads outside.
    Pair(Stage, LocalId, LocalId),
}

/// Who is seen at a stage.
#[derive(Debug, Default)]
struct Seen {
    /// Whether the thread inside was looked at by itself.
    entered: bool,
    singles: FxHashSet<LocalId>,
    /// With whom each is seen, in both directions.
    partners: FxHashMap<LocalId, FxHashSet<LocalId>>,
    /// Those of `partners` whose steps others notice.
    loud: Vec<LocalId>,
    waiting: Waiting,
}

/// What is found at a stage whose shared variables were written by somebody who is still there.
#[derive(Debug, Default)]
struct Waiting {
    /// What has to have a writer; `None` if nobody has asked yet.
    claims: Option<Claims>,
    /// With whom each thread was found, in both directions.
    found: FxHashMap<LocalId, FxHashSet<LocalId>>,
    /// Pairs, and threads by themselves as pairs with themselves, for which no writer was found; by either thread.
    pairs: FxHashMap<LocalId, FxHashSet<LocalId>>,
    singles: FxHashSet<LocalId>,
}

struct Search<'a, S> {
    system: &'a mut S,
    stages: FxHashMap<Stage, Seen>,
    pending: Vec<Pending>,
    /// How many pairs and single threads there are, with those that wait.
    kept: usize,
    candidate: Option<(SharedId, LocalId)>,
}

/// Computes the fixed point; at most `budget`'s states many pairs.
pub(crate) fn pair_views<S: ThreadSystem>(
    system: &mut S,
    budget: &mut Budget<'_>,
) -> Result<Views, UnknownReason> {
    let mut search = Search {
        system,
        stages: FxHashMap::default(),
        pending: Vec::new(),
        kept: 0,
        candidate: None,
    };
    for (shared, local) in search.system.initial(budget)? {
        search.single((shared, None), local);
    }
    while let Some(pending) = search.pending.pop() {
        budget.check(search.kept, &*search.system)?;
        match pending {
            Pending::Entered(shared, local) => search.step_alone(shared, local, budget)?,
            Pending::Single(stage, local) => search.new_single(stage, local, budget)?,
            Pending::Pair(stage, a, b) => search.new_pair(stage, a, b, budget)?,
        }
    }
    let mut views = Views { candidate: search.candidate, ..Views::default() };
    let mut partners = FxHashMap::default();
    for (stage, seen) in search.stages {
        match stage.1 {
            Some(inside) => {
                views.movers.insert((stage.0, inside));
                views.company.insert(stage, seen.singles);
            }
            None => {
                views.movers.extend(seen.singles.iter().map(|&local| (stage.0, local)));
                views.company.insert(stage, seen.partners.keys().copied().collect());
            }
        }
        partners.insert(stage, seen.partners);
    }
    views.partners = Some(partners);
    Ok(views)
}

impl<S: ThreadSystem> Search<'_, S> {
    fn stage(&self, step: &Move) -> Stage {
        (step.shared, step.local.filter(|&local| self.system.in_atomic(local)))
    }

    /// Whether the step changes anything for others.
    fn is_loud(&self, stage: Stage, step: &Move) -> bool {
        step.broadcast.is_some() || self.stage(step) != stage
    }

    /// The thread that takes a step, if it is outside after it.
    fn outside(&self, step: &Move) -> Option<LocalId> {
        step.local.filter(|&local| !self.system.in_atomic(local))
    }

    /// What has to have a writer at a stage besides the one inside.
    fn claims(&mut self, stage: Stage) -> Claims {
        let (system, waiting) = (&*self.system, &mut self.stages.entry(stage).or_default().waiting);
        *waiting.claims.get_or_insert_with(|| {
            system.claims(stage.0) & !stage.1.map_or(0, |inside| system.claims_of(inside))
        })
    }

    /// Whether all claims have a writer among those that were found with all of these threads.
    fn has_writers(&self, stage: Stage, threads: &[LocalId], claims: Claims) -> bool {
        let Some(Seen { waiting, .. }) = self.stages.get(&stage) else { return false };
        let [first, others @ ..] = threads else { return false };
        let Some(with_first) = waiting.found.get(first) else { return false };
        let mut left = claims;
        for third in with_first {
            let made = self.system.claims_of(*third) & left;
            let is_with = |other| waiting.found.get(other).is_some_and(|all| all.contains(third));
            if made != 0 && others.iter().all(is_with) {
                left &= !made;
            }
        }
        left == 0
    }

    fn single(&mut self, stage: Stage, local: LocalId) {
        let claims = self.claims(stage) & !self.system.claims_of(local);
        if claims != 0 && !self.has_writers(stage, &[local], claims) {
            self.stages.entry(stage).or_default().waiting.singles.insert(local);
            return;
        }
        self.keep_single(stage, local);
    }

    fn pair(&mut self, stage: Stage, a: LocalId, b: LocalId) {
        let claims = self.claims(stage);
        if claims == 0 {
            self.keep_pair(stage, a, b);
            return;
        }
        let waiting = &mut self.stages.entry(stage).or_default().waiting;
        if !waiting.found.entry(a).or_default().insert(b) {
            return;
        }
        waiting.found.entry(b).or_default().insert(a);
        let by = |local: LocalId| self.system.claims_of(local);
        let left = claims & !(by(a) | by(b));
        let writes = claims & (by(a) | by(b)) != 0;
        if left == 0 || self.has_writers(stage, &[a, b], left) {
            self.keep_pair(stage, a, b);
        } else {
            self.kept += 1;
            let waiting = &mut self.stages.entry(stage).or_default().waiting;
            waiting.pairs.entry(a).or_default().insert(b);
            waiting.pairs.entry(b).or_default().insert(a);
        }
        self.single(stage, a);
        self.single(stage, b);
        if writes {
            self.look_again(stage, [a, b], claims);
        }
    }

    /// Keeps what has waited for a writer that was found with one of these.
    fn look_again(&mut self, stage: Stage, threads: [LocalId; 2], claims: Claims) {
        for local in threads {
            let Some(Seen { waiting, .. }) = self.stages.get(&stage) else { return };
            let is_waiting = waiting.singles.contains(&local);
            let pairs: Vec<LocalId> =
                waiting.pairs.get(&local).into_iter().flatten().copied().collect();
            if is_waiting {
                self.single(stage, local);
            }
            for other in pairs {
                let by = self.system.claims_of(local) | self.system.claims_of(other);
                if self.has_writers(stage, &[local, other], claims & !by) {
                    let waiting = &mut self.stages.entry(stage).or_default().waiting;
                    for (one, two) in [(local, other), (other, local)] {
                        if let Some(pairs) = waiting.pairs.get_mut(&one) {
                            pairs.remove(&two);
                        }
                    }
                    self.keep_pair(stage, local, other);
                }
            }
        }
    }

    fn keep_single(&mut self, stage: Stage, local: LocalId) {
        let seen = self.stages.entry(stage).or_default();
        if seen.singles.insert(local) {
            self.kept += 1;
            self.pending.push(Pending::Single(stage, local));
        }
    }

    fn keep_pair(&mut self, stage: Stage, a: LocalId, b: LocalId) {
        self.keep_single(stage, a);
        self.keep_single(stage, b);
        let seen = self.stages.entry(stage).or_default();
        if seen.partners.entry(a).or_default().insert(b) {
            seen.partners.entry(b).or_default().insert(a);
            self.kept += 1;
            self.pending.push(Pending::Pair(stage, a, b));
        }
    }

    /// The stage after a step of a thread, with those that it adds.
    fn arrive(&mut self, step: &Move) {
        if !self.system.allows_after(step, &[]) {
            return;
        }
        let stage = self.stage(step);
        if let Some(inside) = stage.1 {
            let seen = self.stages.entry(stage).or_default();
            if !std::mem::replace(&mut seen.entered, true) {
                self.pending.push(Pending::Entered(stage.0, inside));
            }
        }
        let outside = self.outside(step);
        outside.into_iter().for_each(|local| self.single(stage, local));
        if let Some(child) = step.spawned
            && self.system.allows_after(step, &[child])
        {
            match outside {
                Some(local) => self.pair(stage, local, child),
                None => self.single(stage, child),
            }
        }
    }

    /// The steps of a thread, as far as it alone is concerned.
    fn step_alone(
        &mut self,
        shared: SharedId,
        local: LocalId,
        budget: &mut Budget<'_>,
    ) -> Result<(), UnknownReason> {
        let moves = self.system.moves(shared, local)?;
        budget.spend(moves.moves.len())?;
        if moves.fails {
            self.candidate = self.candidate.or(Some((shared, local)));
        }
        moves.moves.iter().for_each(|step| self.arrive(step));
        Ok(())
    }

    fn new_single(
        &mut self,
        stage: Stage,
        local: LocalId,
        budget: &mut Budget<'_>,
    ) -> Result<(), UnknownReason> {
        match stage.1 {
            None => self.step_alone(stage.0, local, budget),
            Some(inside) => self.carry(stage, inside, &[local], budget),
        }
    }

    /// What steps of `active` make of one or two threads that are there with it.
    fn carry(
        &mut self,
        stage: Stage,
        active: LocalId,
        passive: &[LocalId],
        budget: &mut Budget<'_>,
    ) -> Result<(), UnknownReason> {
        let moves = self.system.moves(stage.0, active)?;
        for step in &moves.moves {
            budget.tick()?;
            let after = self.stage(step);
            let mut places = Vec::with_capacity(2);
            for &local in passive {
                places.push(match step.broadcast {
                    Some(broadcast) => self.system.passive(broadcast, local)?.to_vec(),
                    None => vec![local],
                });
            }
            match places.as_slice() {
                [places] => {
                    let outside = self.outside(step);
                    budget.spend(places.len())?;
                    for &place in places {
                        if !self.system.allows_after(step, &[place]) {
                            continue;
                        }
                        self.single(after, place);
                        outside.into_iter().for_each(|local| self.pair(after, place, local));
                        if let Some(child) = step.spawned
                            && self.system.allows_after(step, &[place, child])
                        {
                            self.pair(after, place, child);
                        }
                    }
                }
                [first, second] => {
                    for &a in first {
                        budget.tick()?;
                        budget.spend(second.len())?;
                        budget.room(self.kept, &*self.system)?;
                        for &b in second {
                            if self.system.allows_after(step, &[a, b]) {
                                self.pair(after, a, b);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn loud(&mut self, stage: Stage, local: LocalId) -> Result<bool, UnknownReason> {
        let moves = self.system.moves(stage.0, local)?;
        Ok(moves.moves.iter().any(|step| self.is_loud(stage, step)))
    }

    fn new_pair(
        &mut self,
        stage: Stage,
        a: LocalId,
        b: LocalId,
        budget: &mut Budget<'_>,
    ) -> Result<(), UnknownReason> {
        if let Some(inside) = stage.1 {
            return self.carry(stage, inside, &[a, b], budget);
        }
        self.carry(stage, a, &[b], budget)?;
        if a != b {
            self.carry(stage, b, &[a], budget)?;
        }
        for local in [a, b] {
            if self.loud(stage, local)? {
                let loud = &mut self.stages.entry(stage).or_default().loud;
                if !loud.contains(&local) {
                    loud.push(local);
                }
            }
        }
        // The three ways in which the pair is part of a triple one of whose threads moves. What
        // changes nothing for the other two need not be looked at.
        let (a_is_loud, b_is_loud) = (self.loud(stage, a)?, self.loud(stage, b)?);
        let Some(seen) = self.stages.get(&stage) else { return Ok(()) };
        let partners = |of: LocalId| seen.partners.get(&of);
        let (Some(of_a), Some(of_b)) = (partners(a), partners(b)) else { return Ok(()) };
        let movers: Vec<LocalId> =
            seen.loud.iter().filter(|c| of_a.contains(c) && of_b.contains(c)).copied().collect();
        let (small, large) = if of_a.len() < of_b.len() { (of_a, of_b) } else { (of_b, of_a) };
        budget.spend(small.len())?;
        let common: Vec<LocalId> = if a_is_loud || b_is_loud {
            small.iter().filter(|c| large.contains(c)).copied().collect()
        } else {
            Vec::new()
        };
        for active in movers {
            budget.tick()?;
            self.carry(stage, active, &[a, b], budget)?;
        }
        for third in common {
            budget.tick()?;
            if a_is_loud {
                self.carry(stage, a, &[b, third], budget)?;
            }
            if b_is_loud && a != b {
                self.carry(stage, b, &[a, third], budget)?;
            }
        }
        Ok(())
    }
}
