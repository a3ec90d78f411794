//! Backward coverability: from the failing configurations to all that can lead there, as their
//! minimal elements (Abdulla, Čerāns, Jonsson, Tsay: well-structured transition systems), within
//! what a forward over-approximation allows (as in Kaiser, Kroening, Wahl: Efficient coverability
//! analysis by proof minimization).
//!
//! A minimal configuration is a shared valuation, the thread inside its atomic section if there is
//! one, and a multiset of other threads; it stands for all configurations with more threads
//! outside atomic sections. More such threads never disable a step as long as no broadcast blocks.
//! Where one does block, or an invariant cuts off what comes of it, "safe" still holds, since every
//! step of a configuration is one of the minimal configuration's; a run may then not exist, and is
//! looked for forwards.
//!
//! Soundness of the pruning: all threads of a reachable configuration, and all pairs of them, are
//! among the [`Views`], so a configuration with others is not reachable, nor is anything above it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::expand::{CountedRun, CountedStep};
use super::marking::{Count, Marking};
use super::thread_states::{Stage, Views};
use super::thread_system::{BroadcastId, Budget, LocalId, Move, SharedId, ThreadSystem};
use crate::check::UnknownReason;

/// What the search showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Backward {
    /// No failing configuration is reachable, for any number of threads: none is that has one of
    /// these, who is inside and others.
    Safe(Vec<(Option<LocalId>, Marking)>),
    /// A run into one.
    Unsafe(CountedRun),
    /// A failing configuration would be reachable if no broadcast blocked.
    Blocked,
}

/// The step from one minimal configuration to another.
#[derive(Clone, Debug)]
struct Taken {
    /// Number of the configuration after.
    after: usize,
    active: LocalId,
    step: Move,
    /// Where the broadcast takes the threads that the configuration names: before and after.
    passive: Vec<(LocalId, LocalId)>,
}

#[derive(Clone, Debug)]
struct Minimal {
    inside: Option<LocalId>,
    /// The threads outside atomic sections.
    marking: Marking,
    taken: Option<Taken>,
}

/// By state after a broadcast, the states before it.
type Sources = FxHashMap<LocalId, Vec<LocalId>>;

struct Search<'a, S> {
    system: &'a mut S,
    views: &'a Views,
    /// Steps by the shared valuation after them.
    steps: FxHashMap<SharedId, Vec<(SharedId, LocalId, Move)>>,
    sources: FxHashMap<(BroadcastId, Stage), Rc<Sources>>,
    found: Vec<Minimal>,
    /// Covered by a smaller one.
    covered: Vec<bool>,
    /// Signature and number of the minimal configurations that are comparable.
    comparable: FxHashMap<Stage, Vec<(u64, usize)>>,
    /// Fewest threads first, then oldest.
    queue: BinaryHeap<Reverse<(Count, usize)>>,
}

/// Runs the search; `views` must be those of the system.
pub(crate) fn backward<S: ThreadSystem>(
    system: &mut S,
    views: &Views,
    budget: &mut Budget<'_>,
) -> Result<Backward, UnknownReason> {
    let initial: FxHashSet<(SharedId, LocalId)> = system.initial(budget)?.into_iter().collect();
    let mut search = Search {
        system,
        views,
        steps: FxHashMap::default(),
        sources: FxHashMap::default(),
        found: Vec::new(),
        covered: Vec::new(),
        comparable: FxHashMap::default(),
        queue: BinaryHeap::new(),
    };
    search.collect_steps(budget)?;
    while let Some(Reverse((_, number))) = search.queue.pop() {
        if search.covered[number] {
            continue;
        }
        budget.check(search.found.len(), &*search.system)?;
        let Minimal { inside, marking, .. } = &search.found[number];
        if let (None, &[(local, 1)]) = (inside, marking.counts())
            && initial.contains(&(marking.shared, local))
        {
            let run = search.run((marking.shared, local), number)?;
            return Ok(run.map_or(Backward::Blocked, Backward::Unsafe));
        }
        search.predecessors(number, budget)?;
    }
    let minimal = search.found.into_iter().zip(search.covered).filter(|(_, covered)| !covered);
    Ok(Backward::Safe(minimal.map(|(minimal, _)| (minimal.inside, minimal.marking)).collect()))
}

impl<S: ThreadSystem> Search<'_, S> {
    /// Indexes the steps of all threads seen, and begins with those that fail.
    fn collect_steps(&mut self, budget: &mut Budget<'_>) -> Result<(), UnknownReason> {
        let mut threads: Vec<(SharedId, LocalId)> = self.views.movers.iter().copied().collect();
        threads.sort_unstable();
        for (shared, local) in threads {
            budget.tick()?;
            let moves = self.system.moves(shared, local)?;
            budget.spend(moves.moves.len())?;
            for step in &moves.moves {
                self.steps.entry(step.shared).or_default().push((shared, local, *step));
            }
            if moves.fails {
                let (inside, marking) = self.with(Marking::new(shared), local);
                self.add(Minimal { inside, marking, taken: None });
            }
        }
        Ok(())
    }

    /// A configuration with one thread more, which is alone inside if it is inside.
    fn with(&self, mut marking: Marking, local: LocalId) -> (Option<LocalId>, Marking) {
        if self.system.in_atomic(local) {
            return (Some(local), marking);
        }
        marking.add(local, 1, Count::MAX);
        (None, marking)
    }

    fn add(&mut self, minimal: Minimal) {
        let Minimal { inside, marking, .. } = &minimal;
        let signature = marking.signature();
        let kept = self.comparable.entry((marking.shared, *inside)).or_default();
        let subsumed = kept
            .iter()
            .any(|&(other, at)| other & !signature == 0 && marking.covers(&self.found[at].marking));
        if subsumed {
            return;
        }
        kept.retain(|&(other, at)| {
            let drop = signature & !other == 0 && self.found[at].marking.covers(marking);
            self.covered[at] |= drop;
            !drop
        });
        let number = self.found.len();
        kept.push((signature, number));
        self.queue.push(Reverse((marking.threads() + Count::from(inside.is_some()), number)));
        self.covered.push(false);
        self.found.push(minimal);
    }

    /// Adds the minimal configurations from which one step leads above configuration `number`.
    fn predecessors(
        &mut self,
        number: usize,
        budget: &mut Budget<'_>,
    ) -> Result<(), UnknownReason> {
        let Minimal { inside, marking, .. } = self.found[number].clone();
        let steps = std::mem::take(self.steps.entry(marking.shared).or_default());
        for &(shared, active, step) in &steps {
            budget.tick()?;
            let after = step.local.filter(|&local| self.system.in_atomic(local));
            if after != inside {
                continue;
            }
            // Where the thread that moved can be one of those named, it need not be another: that
            // would only be larger.
            let mut rest = marking.clone();
            let moved = step.local.is_some_and(|local| take(&mut rest, local)) || after.is_some();
            let started = step.spawned.is_some_and(|local| take(&mut rest, local));
            let unchanged = step.broadcast.is_none() && shared == marking.shared;
            if !moved && !started && unchanged && !self.system.in_atomic(active) {
                continue;
            }
            self.before(number, shared, active, step, &rest, budget)?;
        }
        self.steps.insert(marking.shared, steps);
        Ok(())
    }

    /// Adds the configurations in which `active` is about to take the step that leaves the other
    /// threads as in `rest`.
    fn before(
        &mut self,
        after: usize,
        shared: SharedId,
        active: LocalId,
        step: Move,
        rest: &Marking,
        budget: &mut Budget<'_>,
    ) -> Result<(), UnknownReason> {
        let inside = Some(active).filter(|&local| self.system.in_atomic(local));
        let sources = match step.broadcast {
            Some(broadcast) => Some(self.sources(broadcast, shared, inside)?),
            None => None,
        };
        let mut choices: Vec<Vec<(LocalId, LocalId)>> = vec![Vec::new()];
        for &(local, count) in rest.counts() {
            let same = [local];
            let from: &[LocalId] = match &sources {
                Some(sources) => sources.get(&local).map_or(&[], Vec::as_slice),
                None => &same,
            };
            for _ in 0..count {
                choices = choices
                    .iter()
                    .flat_map(|choice| {
                        from.iter().map(|&before| {
                            let mut longer = choice.clone();
                            longer.push((before, local));
                            longer
                        })
                    })
                    .collect();
                budget.tick()?;
                budget.room(choices.len(), &*self.system)?;
            }
        }
        budget.spend(choices.len())?;
        for passive in choices {
            let mut marking = Marking::new(shared);
            passive.iter().for_each(|&(before, _)| marking.add(before, 1, Count::MAX));
            if inside.is_none() {
                marking.add(active, 1, Count::MAX);
            }
            if !self.views.allow(inside, &marking) || !self.system.allows_all(inside, &marking) {
                continue;
            }
            let passive = if step.broadcast.is_some() { passive } else { Vec::new() };
            let taken = Some(Taken { after, active, step, passive });
            self.add(Minimal { inside, marking, taken });
        }
        Ok(())
    }

    /// The possible states before a broadcast of passive threads that share the valuation with
    /// the thread inside, if there is one.
    fn sources(
        &mut self,
        broadcast: BroadcastId,
        shared: SharedId,
        inside: Option<LocalId>,
    ) -> Result<Rc<Sources>, UnknownReason> {
        let key = (broadcast, (shared, inside));
        if let Some(sources) = self.sources.get(&key) {
            return Ok(sources.clone());
        }
        let mut sources = Sources::default();
        for before in self.views.company((shared, inside)) {
            for &after in self.system.passive(broadcast, before)?.iter() {
                sources.entry(after).or_default().push(before);
            }
        }
        sources.values_mut().for_each(|list| list.sort_unstable());
        let sources = Rc::new(sources);
        self.sources.insert(key, sources.clone());
        Ok(sources)
    }

    /// The run from an initial state along the steps that were found; `None` if a broadcast, or an
    /// invariant, blocks for a thread that the minimal configurations do not name.
    fn run(
        &mut self,
        initial: (SharedId, LocalId),
        number: usize,
    ) -> Result<Option<CountedRun>, UnknownReason> {
        let mut threads = Marking::new(initial.0);
        threads.add(initial.1, 1, Count::MAX);
        let mut at = number;
        let mut steps = Vec::new();
        while let Some(Taken { after, active, step, passive }) = self.found[at].taken.clone() {
            threads.remove_one(active);
            threads.shared = step.shared;
            let mut sent: FxHashMap<(LocalId, LocalId), Count> = FxHashMap::default();
            if let Some(broadcast) = step.broadcast {
                let mut next = Marking::new(step.shared);
                for (from, to) in passive {
                    threads.remove_one(from);
                    *sent.entry((from, to)).or_default() += 1;
                }
                for &(from, count) in threads.counts() {
                    let Some(&to) = self.system.passive(broadcast, from)?.first() else {
                        return Ok(None);
                    };
                    *sent.entry((from, to)).or_default() += count;
                }
                sent.iter().for_each(|(&(_, to), &count)| next.add(to, count, Count::MAX));
                threads = next;
            }
            for local in [step.local, step.spawned].into_iter().flatten() {
                threads.add(local, 1, Count::MAX);
            }
            if !self.system.allows_all(None, &threads) {
                return Ok(None);
            }
            let mut passive: Vec<(LocalId, LocalId, Count)> =
                sent.into_iter().map(|((from, to), count)| (from, to, count)).collect();
            passive.sort_unstable();
            steps.push(CountedStep { active, step, passive });
            at = after;
        }
        let Minimal { inside, marking, .. } = &self.found[at];
        let failing = inside.or_else(|| marking.counts().first().map(|&(local, _)| local));
        Ok(failing.map(|failing| CountedRun { initial, steps, failing }))
    }
}

/// Takes a thread out of a marking, if it is there.
fn take(marking: &mut Marking, local: LocalId) -> bool {
    let there = marking.count(local) > 0;
    if there {
        marking.remove_one(local);
    }
    there
}
