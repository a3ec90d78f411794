//! Which step comes before which: a Boolean for each two steps of different threads.
//!
//! The steps of a thread are in order, so that "the i-th step of one thread comes before the j-th of
//! another" holds for all earlier i and all later j too. With these clauses two threads are ordered
//! totally; of three, what comes before what comes before a step comes before it.

use rustc_hash::FxHashMap;
use sapa_limits::{Exceeded, Limits};

use super::unfolding::{StepId, StepKind, Unfolding};
use crate::solver::{Solver, Sort, TermId, TermStore};

/// The order of the steps that matter.
pub(super) struct Order {
    /// Steps that others may see, by thread.
    steps: Vec<Vec<StepId>>,
    /// The place of each among those of its thread; for others, that of the next one.
    places: Vec<usize>,
    /// The thread of each step.
    threads: Vec<usize>,
    /// For two threads, the smaller first: that a step of the first one comes before one of the
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
        (has_rooms, most): (bool, usize),
        store: &mut TermStore,
        solver: &mut Solver,
        limits: &Limits,
    ) -> Result<Option<Self>, Exceeded> {
        let mut matters = vec![false; unfolding.steps.len()];
        for event in &unfolding.events {
            matters[event.step.index()] = true;
        }
        for (step, matters) in unfolding.steps.iter().zip(&mut matters) {
            *matters |= match step.kind {
                StepKind::Join => true,
                StepKind::End => has_rooms || !unfolding.joins.is_empty(),
                StepKind::Spawn(_) => has_rooms,
                StepKind::Access => false,
            };
        }
        let mut places = vec![0; unfolding.steps.len()];
        let mut steps = Vec::new();
        for thread in &unfolding.threads {
            let mut own = Vec::new();
            for &step in &thread.steps {
                places[step.index()] = own.len();
                if matters[step.index()] {
                    own.push(step);
                }
            }
            steps.push(own);
        }
        let threads = unfolding.steps.iter().map(|step| step.thread).collect();
        let count: usize = (0..steps.len())
            .flat_map(|b| (0..b).map(move |a| (a, b)))
            .map(|(a, b)| steps[a].len() * steps[b].len())
            .sum();
        if count > most {
            return Ok(None);
        }
        let mut order =
            Self { steps, places, threads, before: FxHashMap::default(), is_transitive: true };
        let mut pace = limits.pace();
        for b in 0..order.steps.len() {
            for a in 0..b {
                let columns = order.steps[b].len();
                let rows = order.steps[a].len();
                // What a parent does before it starts a thread comes before all that this one does.
                let first = order.first(unfolding, a, b);
                let mut all = Vec::with_capacity(rows * columns);
                for i in 0..rows {
                    for _ in 0..columns {
                        all.push(match i < first {
                            true => store.true_(),
                            false => store.fresh(Sort::Bool, "before"),
                        });
                    }
                }
                for i in first..rows {
                    for j in 0..columns {
                        pace.work(1)?;
                        let here = all[i * columns + j];
                        let not = store.not(here);
                        if i > first {
                            solver.assert_clause(store, &[not, all[(i - 1) * columns + j]]);
                        }
                        if j + 1 < columns {
                            solver.assert_clause(store, &[not, all[i * columns + j + 1]]);
                        }
                    }
                }
                order.before.insert((a, b), all);
            }
        }
        order.make_transitive(store, solver, limits)?;
        Ok(Some(order))
    }

    /// How many steps of a thread come before all of another one, which is younger.
    fn first(&self, unfolding: &Unfolding, a: usize, b: usize) -> usize {
        let mut thread = b;
        while let Some((parent, _, step)) = unfolding.threads[thread].parent {
            if parent == a {
                let place = self.places[step.index()];
                return place + usize::from(self.steps[a].get(place) == Some(&step));
            }
            thread = parent;
        }
        0
    }

    /// That the i-th step of a thread comes before the j-th of another one.
    fn at(&self, store: &mut TermStore, (a, i): (usize, usize), (b, j): (usize, usize)) -> TermId {
        if a == b {
            return store.boolean(i < j);
        }
        let (x, y) = if a < b { ((a, i), (b, j)) } else { ((b, j), (a, i)) };
        let term = self.before[&(x.0, y.0)][x.1 * self.steps[y.0].len() + y.1];
        if a < b { term } else { store.not(term) }
    }

    /// That a step comes before another one; of one thread, in the order of the program.
    ///
    /// # Panics
    /// If one of them does not matter.
    pub fn before(&self, store: &mut TermStore, a: StepId, b: StepId) -> TermId {
        let place = |step: StepId| (self.threads[step.index()], self.places[step.index()]);
        self.at(store, place(a), place(b))
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
        // For each thread, how many of its steps were taken.
        let mut taken = vec![0; count];
        let total: usize = self.steps.iter().map(Vec::len).sum();
        let mut schedule = Vec::with_capacity(total);
        let mut pace = limits.pace();
        let mut excluded = 0;
        while schedule.len() < total {
            let mut next = None;
            // What each thread's next step waits for.
            let mut waits: Vec<Option<usize>> = vec![None; count];
            // A thread goes on as long as it can: runs are easier to read that way.
            let last = schedule.last().map_or(0, |step: &StepId| self.threads[step.index()]);
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
                waits.iter().position(Option::is_some).expect("a thread waits")
            });
            if excluded > MOST_EXCLUDED {
                break;
            }
            schedule.push(self.steps[a][taken[a]]);
            taken[a] += 1;
        }
        Ok((excluded == 0).then_some(schedule))
    }

    /// Excludes that the next steps of some threads wait for each other.
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
