//! Which step comes before which: a Boolean for each two steps of different chains. A chain is what a
//! thread executes, or under TSO and PSO what its stores do to memory.
//!
//! The steps of a chain are in order, so that "the i-th step of one chain comes before the j-th of
//! another" holds for all earlier i and all later j too. With these clauses two chains are ordered
//! totally; of three, what comes before what comes before a step comes before it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::MemoryModel;
use sapa_limits::{Exceeded, Limits};

use super::guard::Guards;
use super::unfolding::{StepId, StepKind, Thread, Unfolding};
use crate::solver::{Solver, Sort, TermId, TermStore};

/// The order of the steps that matter.
pub(super) struct Order {
    /// Steps that others may see, by chain, in order: what each thread executes, and then the stores
    /// that wait, as they reach memory, one chain a thread under TSO, more under PSO.
    steps: Vec<Vec<StepId>>,
    /// The chain of each step, and its place there; `None` if it does not matter.
    places: Vec<Option<(usize, usize)>>,
    /// For two chains, the smaller first: that a step of the first one comes before one of the
    /// second, by both places.
    before: FxHashMap<(usize, usize), Vec<TermId>>,
    /// Whether the order is transitive by clauses.
    is_transitive: bool,
}

/// More clauses for transitivity are added only where they are needed.
const MANY_CLAUSES: usize = 400_000;

/// Most cycles that one model is looked through for.
const MOST_EXCLUDED: usize = 1_000;

impl Order {
    /// The variables, and the clauses that order them; `None` if there are more than `most`.
    pub fn new(
        unfolding: &Unfolding,
        guards: &Guards,
        (memory, has_rooms, most): (MemoryModel, bool, usize),
        store: &mut TermStore,
        solver: &mut Solver,
        limits: &Limits,
    ) -> Result<Option<Self>, Exceeded> {
        let steps = chains(unfolding, memory, has_rooms);
        let mut places = vec![None; unfolding.steps.len()];
        for (chain, own) in steps.iter().enumerate() {
            for (place, step) in own.iter().enumerate() {
                places[step.index()] = Some((chain, place));
            }
        }
        let count: usize = (0..steps.len())
            .flat_map(|b| (0..b).map(move |a| (a, b)))
            .map(|(a, b)| steps[a].len() * steps[b].len())
            .sum();
        if count > most {
            return Ok(None);
        }
        let known = Program::new(unfolding, guards, limits)?;
        let mut order = Self { steps, places, before: FxHashMap::default(), is_transitive: true };
        let mut pace = limits.pace();
        for b in 0..order.steps.len() {
            for a in 0..b {
                let columns = order.steps[b].len();
                let mut all = Vec::with_capacity(order.steps[a].len() * columns);
                for &x in &order.steps[a] {
                    for &y in &order.steps[b] {
                        all.push(if known.before(x, y) {
                            store.true_()
                        } else if known.before(y, x) {
                            store.false_()
                        } else {
                            store.fresh(Sort::Bool, "before")
                        });
                    }
                }
                for (at, &here) in all.iter().enumerate() {
                    pace.work(1)?;
                    if store.as_boolean(here).is_some() {
                        continue;
                    }
                    let not = store.not(here);
                    if at >= columns {
                        solver.assert_clause(store, &[not, all[at - columns]]);
                    }
                    if !(at + 1).is_multiple_of(columns) {
                        solver.assert_clause(store, &[not, all[at + 1]]);
                    }
                }
                order.before.insert((a, b), all);
            }
        }
        order.drain(unfolding, guards, store, solver, limits)?;
        order.make_transitive(store, solver, limits)?;
        Ok(Some(order))
    }

    /// Stores that wait reach memory before what waits for them, and before those that a barrier keeps
    /// behind them.
    fn drain(
        &self,
        unfolding: &Unfolding,
        guards: &Guards,
        store: &mut TermStore,
        solver: &mut Solver,
        limits: &Limits,
    ) -> Result<(), Exceeded> {
        let mut pace = limits.pace();
        let executed = |step: StepId| unfolding.step(step).complete;
        // What the threads execute are the first chains.
        for (thread, own) in unfolding.threads.iter().zip(&self.steps) {
            if thread.reaches.is_empty() {
                continue;
            }
            let chains: BTreeSet<usize> =
                thread.reaches.iter().map(|&step| self.place(step).0).collect();
            for &step in own {
                let place = unfolding.step(step).place;
                let Some(drains) = unfolding.step(step).drains else { continue };
                let not_drains = store.not(guards.term(drains));
                for &chain in &chains {
                    let issued = |step: &&StepId| unfolding.step(**step).place <= place;
                    for &reach in self.steps[chain].iter().rev().filter(issued) {
                        pace.work(1)?;
                        let Some(guard) = executed(reach) else { continue };
                        let not_reach = store.not(guards.term(guard));
                        let before = self.before(store, reach, step);
                        solver.assert_clause(store, &[not_drains, not_reach, before]);
                        // Those of its chain that stand before it come before it.
                        if guards.implies(drains, guard) {
                            break;
                        }
                    }
                }
            }
            for barrier in &thread.barriers {
                let (old, new) = thread.reaches.split_at(barrier.place);
                let new = if barrier.is_fence { new } else { &new[..1] };
                let not_barrier = store.not(guards.term(barrier.guard));
                for &a in old {
                    for &b in new {
                        pace.work(1)?;
                        let mut clause = vec![not_barrier];
                        for guard in [a, b].into_iter().filter_map(executed) {
                            clause.push(store.not(guards.term(guard)));
                        }
                        clause.push(self.before(store, a, b));
                        solver.assert_clause(store, &clause);
                    }
                }
            }
        }
        Ok(())
    }

    /// That the i-th step of a chain comes before the j-th of another one.
    fn at(&self, store: &mut TermStore, (a, i): (usize, usize), (b, j): (usize, usize)) -> TermId {
        if a == b {
            return store.boolean(i < j);
        }
        let (x, y) = if a < b { ((a, i), (b, j)) } else { ((b, j), (a, i)) };
        let term = self.before[&(x.0, y.0)][x.1 * self.steps[y.0].len() + y.1];
        if a < b { term } else { store.not(term) }
    }

    /// That a step comes before another one; of one chain, in the order of the program.
    ///
    /// # Panics
    /// If one of them does not matter.
    pub fn before(&self, store: &mut TermStore, a: StepId, b: StepId) -> TermId {
        self.at(store, self.place(a), self.place(b))
    }

    /// The chain of a step, and its place there.
    fn place(&self, step: StepId) -> (usize, usize) {
        self.places[step.index()].expect("the step matters")
    }

    fn make_transitive(
        &mut self,
        store: &mut TermStore,
        solver: &mut Solver,
        limits: &Limits,
    ) -> Result<(), Exceeded> {
        let sizes: Vec<usize> = self.steps.iter().map(Vec::len).collect();
        let mut count = 0_usize;
        for c in 0..sizes.len() {
            for b in 0..c {
                for a in 0..b {
                    count = count.saturating_add(2 * sizes[a] * sizes[b] * sizes[c]);
                }
            }
        }
        self.is_transitive = count <= MANY_CLAUSES;
        if !self.is_transitive {
            return Ok(());
        }
        let mut pace = limits.pace();
        for c in 0..sizes.len() {
            for b in 0..c {
                for a in 0..b {
                    for i in 0..sizes[a] {
                        for j in 0..sizes[b] {
                            let ab = self.at(store, (a, i), (b, j));
                            for k in 0..sizes[c] {
                                pace.work(1)?;
                                let bc = self.at(store, (b, j), (c, k));
                                let ac = self.at(store, (a, i), (c, k));
                                let not = [ab, bc, ac].map(|term| store.not(term));
                                // Neither a < b < c < a nor a > b > c > a.
                                solver.assert_clause(store, &[not[0], not[1], ac]);
                                solver.assert_clause(store, &[ab, bc, not[2]]);
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The steps in the order of the solver's model. Where it has none, clauses are added that
    /// exclude why.
    pub fn schedule(
        &self,
        store: &mut TermStore,
        solver: &mut Solver,
        limits: &Limits,
    ) -> Result<Option<Vec<StepId>>, Exceeded> {
        let count = self.steps.len();
        // For each chain, how many of its steps were taken.
        let mut taken = vec![0; count];
        let total: usize = self.steps.iter().map(Vec::len).sum();
        let mut schedule = Vec::with_capacity(total);
        let mut pace = limits.pace();
        let mut excluded = 0;
        while schedule.len() < total {
            let mut next = None;
            // What each chain's next step waits for.
            let mut waits: Vec<Option<usize>> = vec![None; count];
            // A chain goes on as long as it can: runs are easier to read that way.
            let last = schedule.last().map_or(0, |&step| self.place(step).0);
            for a in std::iter::once(last).chain(0..count) {
                if taken[a] >= self.steps[a].len() {
                    continue;
                }
                let mut blocked = None;
                for b in 0..count {
                    pace.work(1)?;
                    if a == b || taken[b] >= self.steps[b].len() {
                        continue;
                    }
                    let earlier = self.at(store, (b, taken[b]), (a, taken[a]));
                    if solver.model_value(store, earlier) == 1 {
                        blocked = Some(b);
                        break;
                    }
                }
                waits[a] = blocked;
                if blocked.is_none() {
                    next = Some(a);
                    break;
                }
            }
            let a = next.unwrap_or_else(|| {
                self.exclude_cycles(store, solver, &taken, &waits);
                excluded += 1;
                // As if nothing were in its way: there may be more of them.
                waits.iter().position(Option::is_some).expect("a chain waits")
            });
            if excluded > MOST_EXCLUDED {
                break;
            }
            schedule.push(self.steps[a][taken[a]]);
            taken[a] += 1;
        }
        Ok((excluded == 0).then_some(schedule))
    }

    /// Excludes that the next steps of some chains wait for each other.
    fn exclude_cycles(
        &self,
        store: &mut TermStore,
        solver: &mut Solver,
        taken: &[usize],
        waits: &[Option<usize>],
    ) {
        for start in 0..waits.len() {
            let mut path = vec![start];
            let mut at = start;
            while let Some(next) = waits[at] {
                if let Some(from) = path.iter().position(|&other| other == next) {
                    let cycle = &path[from..];
                    let mut clause = Vec::new();
                    for (index, &a) in cycle.iter().enumerate() {
                        let b = cycle[(index + 1) % cycle.len()];
                        let earlier = self.at(store, (b, taken[b]), (a, taken[a]));
                        clause.push(store.not(earlier));
                    }
                    solver.assert_clause(store, &clause);
                    break;
                }
                path.push(next);
                at = next;
            }
        }
    }
}

/// The steps that others may see, by chain.
fn chains(unfolding: &Unfolding, memory: MemoryModel, has_rooms: bool) -> Vec<Vec<StepId>> {
    let mut matters = vec![false; unfolding.steps.len()];
    let mut keys = FxHashMap::default();
    for event in &unfolding.events {
        matters[event.step.index()] = true;
        keys.entry(event.step).or_insert((event.address, event.size));
    }
    for (step, matters) in unfolding.steps.iter().zip(&mut matters) {
        let has_waiting = !unfolding.threads[step.thread].reaches.is_empty();
        *matters |= match step.kind {
            StepKind::Join => true,
            StepKind::End => has_rooms || !unfolding.joins.is_empty(),
            StepKind::Spawn(_) => has_rooms || has_waiting,
            StepKind::Access | StepKind::Fence => has_waiting && step.drains.is_some(),
            StepKind::Reach => false,
        };
    }
    let executed = unfolding
        .threads
        .iter()
        .map(|thread| thread.steps.iter().copied().filter(|step| matters[step.index()]).collect());
    let mut chains: Vec<Vec<StepId>> = executed.collect();
    for thread in &unfolding.threads {
        // Of stores to one place, by address and size, the older one reaches memory first.
        let mut own: FxHashMap<Option<(TermId, u64)>, usize> = FxHashMap::default();
        for &step in &thread.reaches {
            let key = keys.get(&step).copied().filter(|_| memory == MemoryModel::Pso);
            let chain = *own.entry(key).or_insert_with(|| {
                chains.push(Vec::new());
                chains.len() - 1
            });
            chains[chain].push(step);
        }
    }
    chains
}

/// What the program itself says of the order of its steps, whatever the threads do. It is said of steps
/// that are not executed too, and keeps nothing in order by them that is not: what waits for an empty
/// buffer is no part of it, since it may be on a path that is not taken.
struct Program<'u> {
    unfolding: &'u Unfolding,
    /// For a thread and one that it has started, or that was started by such a one: the position of
    /// the step of the first thread that all begins with.
    starts: FxHashMap<(usize, usize), usize>,
    /// For two threads: the position in the second from which on all steps of the first come before, since the first
    /// has ended. What stands there is executed only if that is so; where it is not, all of it may come last.
    ends: FxHashMap<(usize, usize), usize>,
}

impl<'u> Program<'u> {
    fn new(unfolding: &'u Unfolding, guards: &Guards, limits: &Limits) -> Result<Self, Exceeded> {
        let mut starts = FxHashMap::default();
        for young in 0..unfolding.threads.len() {
            let mut thread = young;
            while let Some((parent, _, step)) = unfolding.threads[thread].parent {
                starts.insert((parent, young), position(unfolding, step));
                thread = parent;
            }
        }
        let mut ends = FxHashMap::default();
        for join in &unfolding.joins {
            let Some(ended) = join.thread else { continue };
            let thread = unfolding.step(join.step).thread;
            let from = position(unfolding, join.step) + 1;
            let Thread { steps, reaches, .. } = &unfolding.threads[thread];
            limits.check()?;
            let mut behind =
                steps.iter().chain(reaches).filter(|&&s| position(unfolding, s) >= from);
            if behind.all(|&step| guards.implies(unfolding.step(step).guard, join.after)) {
                let first = ends.entry((ended, thread)).or_insert(from);
                *first = from.min(*first);
            }
        }
        Ok(Self { unfolding, ends: closed(&starts, ends, limits)?, starts })
    }

    /// Whether a step comes before another one of another chain.
    fn before(&self, a: StepId, b: StepId) -> bool {
        let thread = |step: StepId| self.unfolding.step(step).thread;
        let at = position(self.unfolding, a);
        if thread(a) != thread(b) {
            let both = (thread(a), thread(b));
            let is_behind = |&from: &usize| position(self.unfolding, b) >= from;
            return self.starts.get(&both).is_some_and(|&start| at <= start)
                || self.ends.get(&both).is_some_and(is_behind);
        }
        // A store that waits may reach memory much later.
        let waits = self.unfolding.step(a).kind == StepKind::Reach;
        !waits && at < position(self.unfolding, b)
    }
}

/// What follows of ends: who has ended before another one had, or before another one was started, has ended before all
/// that comes behind that.
fn closed(
    starts: &FxHashMap<(usize, usize), usize>,
    mut ends: FxHashMap<(usize, usize), usize>,
    limits: &Limits,
) -> Result<FxHashMap<(usize, usize), usize>, Exceeded> {
    let mut pace = limits.pace();
    loop {
        let mut new = Vec::new();
        for (&(ended, thread), &from) in &ends {
            pace.work(starts.len() + ends.len())?;
            let started =
                starts.iter().filter(|&(&(parent, _), &at)| parent == thread && at >= from);
            new.extend(started.map(|(&(_, young), _)| ((ended, young), 0)));
            let others = ends.iter().filter(|&(&(first, _), _)| first == thread);
            new.extend(others.map(|(&(_, other), &from)| ((ended, other), from)));
        }
        let mut is_new = false;
        for (both, from) in new.into_iter().filter(|&((a, b), _)| a != b) {
            let first = ends.entry(both).or_insert(usize::MAX);
            is_new |= from < *first;
            *first = from.min(*first);
        }
        if !is_new {
            return Ok(ends);
        }
    }
}

/// Where a step stands in its thread: stores that wait stand between two other steps, so that
/// theirs are the even numbers.
fn position(unfolding: &Unfolding, step: StepId) -> usize {
    let data = unfolding.step(step);
    2 * data.place + usize::from(data.kind != StepKind::Reach)
}
