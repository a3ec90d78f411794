//! The under-approximating half of coverability checking: breadth-first exploration of all
//! configurations with at most N threads, threads in the same local state being counted
//! instead of named. Starting a thread beyond the bound blocks, so whatever is found is real.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::enlarge::movers;
use super::marking::{Count, Marking};
use super::thread_system::{Budget, LocalId, Move, SharedId, ThreadSystem};
use crate::check::UnknownReason;
use crate::check::spread::Spread;

/// How many threads go from which state to which.
type Sent = Vec<(LocalId, LocalId, Count)>;

/// One step of a counted run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CountedStep {
    /// The state of the thread that moves, before it does.
    pub(crate) active: LocalId,
    pub(crate) step: Move,
    /// What becomes of the other threads; empty without a broadcast.
    pub(crate) passive: Sent,
}

/// A real run into a failing assertion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CountedRun {
    pub(crate) initial: (SharedId, LocalId),
    pub(crate) steps: Vec<CountedStep>,
    /// The state of the thread that fails at the end.
    pub(crate) failing: LocalId,
}

impl CountedRun {
    /// The most threads that are there at once.
    pub(crate) fn most_threads(&self) -> Count {
        let mut now: Count = 1;
        let mut most = now;
        for counted in &self.steps {
            let joined = [counted.step.local, counted.step.spawned].iter().flatten().count();
            now = now - 1 + joined as Count;
            most = most.max(now);
        }
        most
    }
}

type Parent = Option<(usize, CountedStep)>;

/// A shortest failing run with at most `threads` threads at once, if there is one.
pub(crate) fn expand<S: ThreadSystem>(
    system: &mut S,
    threads: Count,
    budget: &mut Budget<'_>,
) -> Result<Option<CountedRun>, UnknownReason> {
    let mut number_of: FxHashMap<Marking, usize> = FxHashMap::default();
    let mut found: Vec<(Marking, Parent)> = Vec::new();
    for (shared, local) in system.initial(budget)? {
        let mut start = Marking::new(shared);
        start.add(local, 1, Count::MAX);
        if !number_of.contains_key(&start) {
            number_of.insert(start.clone(), found.len());
            found.push((start, None));
        }
    }
    let mut next = 0;
    while next < found.len() {
        budget.check(found.len(), system)?;
        let configuration = found[next].0.clone();
        for local in movers(system, &configuration) {
            let moves = system.moves(configuration.shared, local)?;
            if moves.fails {
                return Ok(Some(run_to(&found, next, local)));
            }
            for step in &moves.moves {
                let Some(mut after) = After::new(system, &configuration, local, step, threads)?
                else {
                    continue;
                };
                while let Some((successor, passive)) = after.next() {
                    budget.tick()?;
                    if !number_of.contains_key(&successor) && system.allows_all(None, &successor) {
                        budget.room(found.len(), system)?;
                        number_of.insert(successor.clone(), found.len());
                        let taken = CountedStep { active: local, step: *step, passive };
                        found.push((successor, Some((next, taken))));
                    }
                }
            }
        }
        next += 1;
    }
    Ok(None)
}

fn run_to(found: &[(Marking, Parent)], mut at: usize, failing: LocalId) -> CountedRun {
    let mut steps = Vec::new();
    while let Some((parent, step)) = &found[at].1 {
        steps.push(step.clone());
        at = *parent;
    }
    steps.reverse();
    let first = &found[at].0;
    // An initial configuration has exactly one thread.
    CountedRun { initial: (first.shared, first.counts()[0].0), steps, failing }
}

/// The configurations after a step, each with how many passive threads go where.
struct After {
    /// The threads that stand still or join.
    others: Marking,
    /// The states of passive threads before a broadcast and after it.
    classes: Vec<(LocalId, Rc<[LocalId]>)>,
    spread: Spread,
}

impl After {
    /// `None` if there would be more than `threads` threads.
    fn new<S: ThreadSystem>(
        system: &mut S,
        configuration: &Marking,
        local: LocalId,
        step: &Move,
        threads: Count,
    ) -> Result<Option<After>, UnknownReason> {
        let mut others = configuration.clone();
        others.remove_one(local);
        others.shared = step.shared;
        let joining = [step.local, step.spawned];
        let joined = joining.iter().flatten().count() as Count;
        if others.threads() + joined > threads {
            return Ok(None);
        }
        let mut classes = Vec::new();
        let mut counts = Vec::new();
        if let Some(broadcast) = step.broadcast {
            let passive = std::mem::replace(&mut others, Marking::new(step.shared));
            for &(passive, count) in passive.counts() {
                let places = system.passive(broadcast, passive)?;
                counts.push((count, places.len()));
                classes.push((passive, places));
            }
        }
        for local in joining.into_iter().flatten() {
            others.add(local, 1, Count::MAX);
        }
        // Exact: no place for a thread blocks the step.
        Ok(Some(After { others, classes, spread: Spread::new(counts.into_iter()) }))
    }

    fn next(&mut self) -> Option<(Marking, Sent)> {
        let way = self.spread.next()?;
        let (mut result, mut sent) = (self.others.clone(), Sent::new());
        for ((passive, places), numbers) in self.classes.iter().zip(way) {
            for (&place, &number) in places.iter().zip(numbers).filter(|(_, number)| **number > 0) {
                result.add(place, number, Count::MAX);
                sent.push((*passive, place, number));
            }
        }
        Some((result, sent))
    }
}
