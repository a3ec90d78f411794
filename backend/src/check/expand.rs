//! The under-approximating half of coverability checking: breadth-first exploration of all
//! configurations with at most so many threads, threads in the same local state being counted
//! instead of named. Starting a thread beyond the bound blocks, so whatever is found is real.

use rustc_hash::FxHashMap;

use super::UnknownReason;
use super::enlarge::movers;
use super::marking::{Count, Marking, distributions};
use super::thread_system::{Budget, LocalId, Move, SharedId, ThreadSystem};

/// One step of a counted run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CountedStep {
    /// The state of the thread that moves, before it does.
    pub(crate) active: LocalId,
    pub(crate) step: Move,
    /// How many other threads go from which state to which; empty without a broadcast.
    pub(crate) passive: Vec<(LocalId, LocalId, Count)>,
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
    for (shared, local) in system.initial()? {
        let mut start = Marking::new(shared);
        start.add(local, 1, Count::MAX);
        if !number_of.contains_key(&start) {
            number_of.insert(start.clone(), found.len());
            found.push((start, None));
        }
    }
    let mut next = 0;
    while next < found.len() {
        budget.check(found.len())?;
        let configuration = found[next].0.clone();
        for local in movers(system, &configuration) {
            let moves = system.moves(configuration.shared, local)?;
            if moves.fails {
                return Ok(Some(run_to(&found, next, local)));
            }
            for step in &moves.moves {
                for (successor, passive) in
                    successors(system, &configuration, local, step, threads)?
                {
                    if !number_of.contains_key(&successor) {
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

type Successor = (Marking, Vec<(LocalId, LocalId, Count)>);

fn successors<S: ThreadSystem>(
    system: &mut S,
    configuration: &Marking,
    local: LocalId,
    step: &Move,
    threads: Count,
) -> Result<Vec<Successor>, UnknownReason> {
    let mut rest = configuration.clone();
    rest.remove_one(local);
    rest.shared = step.shared;
    let joining = [step.local, step.spawned];
    let joined = joining.iter().flatten().count() as Count;
    if rest.threads() + joined > threads {
        return Ok(Vec::new());
    }
    let mut results = match step.broadcast {
        None => vec![(rest, Vec::new())],
        Some(broadcast) => {
            let mut results = vec![(Marking::new(step.shared), Vec::new())];
            for &(passive, count) in rest.counts() {
                let places = system.passive(broadcast, passive)?;
                // Exact: no place for a thread blocks the step.
                let ways = distributions(count, places.len(), usize::MAX).unwrap_or_default();
                let mut longer = Vec::with_capacity(results.len() * ways.len());
                for (result, sent) in &results {
                    for way in &ways {
                        let (mut result, mut sent) = (result.clone(), sent.clone());
                        for (&place, &number) in places.iter().zip(way) {
                            result.add(place, number, Count::MAX);
                            if number > 0 {
                                sent.push((passive, place, number));
                            }
                        }
                        longer.push((result, sent));
                    }
                }
                results = longer;
            }
            results
        }
    };
    for (result, _) in &mut results {
        for local in joining.into_iter().flatten() {
            result.add(local, 1, Count::MAX);
        }
    }
    Ok(results)
}
