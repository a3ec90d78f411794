//! The operator F (SAPA section 2.2): the weakest disjunction of cubes over given predicates that
//! implies a condition, with cubes of bounded length.
//!
//! Results are kept by terms, which are canonical, so that equal weakest preconditions of
//! different statements, iterations and memory models share one search. What is asked is data
//! ([`Question`]), so that all that an abstraction needs is searched for at once, on all cores.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_limits::Limits;

use super::facts::Facts;
use super::given_up::GivenUp;
use super::recorded::Recorded;
use super::search::{Answer, Bounds, Literal, MAX_CANDIDATES, Query, Tried, search};
use super::step::{Cube, Variable};
use crate::solver::{EASY_CALL, MANY_CLAUSES, Solver, TermId, TermStore};

/// Predicates that F may use, and how steps read them.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    pub(super) terms: Vec<TermId>,
    pub(super) reads: Vec<Variable>,
}

impl Candidates {
    pub(super) fn push(&mut self, term: TermId, read: Variable) {
        self.terms.push(term);
        self.reads.push(read);
    }
}

/// The cubes that F may use.
#[derive(Clone, Copy, Debug)]
pub(super) enum Allowed<'r> {
    /// All up to this number of literals.
    UpTo(usize),
    /// Single predicates and recorded cubes.
    Recorded(&'r Recorded),
}

impl Allowed<'_> {
    /// Those among candidates, each of which comes with its index.
    fn among(self, candidates: &[(Variable, usize)]) -> Tried {
        match self {
            Self::UpTo(length) => Tried::UpTo(length),
            Self::Recorded(cubes) => {
                let index = |&(variable, index): &(Variable, usize)| {
                    u32::try_from(index).ok().map(|index| (variable, index))
                };
                let candidates: Vec<(Variable, u32)> =
                    candidates.iter().filter_map(index).collect();
                Tried::These(cubes.over(&candidates))
            }
        }
    }
}

/// What is asked of F, as data.
#[derive(Clone, Debug)]
pub(super) enum Question {
    /// There is nothing to search for.
    Known(Vec<Cube>),
    /// The minimal cubes that imply a condition, and how the candidates of the search are read.
    Implying(Arc<Query>, Vec<Variable>),
    /// Those that no state satisfies.
    Inconsistent(Arc<Query>, Vec<Variable>),
}

/// Computes F, with a cache of all results.
#[derive(Debug, Default)]
pub struct Strengthener {
    cache: FxHashMap<Arc<Query>, Answer>,
    /// Those for which something was given up: their answers are right, but there may be more cubes.
    partial: Vec<Arc<Query>>,
    workers: Workers,
    /// How often what was given up was asked again.
    harder: usize,
    /// The variables of candidates, which are the same in many searches.
    variables: FxHashMap<TermId, Vec<TermId>>,
    limits: Limits,
    expired: bool,
    given_up: GivenUp,
    /// The effort of solvers that are asked other questions ([`Strengthener::solver`]).
    other: Effort,
    /// At which effort they end, in calls.
    most_other: Option<u64>,
    /// The effort of all solvers that no budget goes beyond, in calls.
    most: Option<u64>,
    /// Cubes found so far.
    pub cubes: u64,
    /// How many cubes the searches so far were for: a search that tries each by itself, as that of the
    /// paper's Fig. 6, calls the solver as often.
    pub tried: u64,
}

/// A solver with what it has learned.
#[derive(Debug, Default)]
struct Worker {
    solver: Solver,
    facts: Facts,
    /// Of solvers that were replaced.
    old: Effort,
    /// At which effort searches end, in calls.
    most: Option<u64>,
    given_up: GivenUp,
}

/// One for each core.
#[derive(Debug)]
struct Workers(Vec<Worker>);

impl Default for Workers {
    fn default() -> Self {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        Workers((0..count).map(|_| Worker::default()).collect())
    }
}

/// A call that needs more conflicts is given up, at first (most of a second), and when it is asked
/// again. Of the calls that programs need few have more than a hundred.
const MOST_CONFLICTS: [u32; 3] = [1 << 13, 1 << 16, 1 << 19];

/// The answer to a query, and whether nothing was given up for it.
struct Found {
    answer: Answer,
    whole: bool,
}

/// What a solver has done.
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    calls: u64,
    work: u64,
}

impl Effort {
    fn with(self, solver: &Solver) -> Effort {
        let done = solver.statistics();
        Effort { calls: self.calls + done.calls, work: self.work.saturating_add(done.work) }
    }

    /// In easy calls.
    fn in_calls(self) -> u64 {
        self.work / EASY_CALL
    }
}

impl Worker {
    fn answer(
        &mut self,
        store: &TermStore,
        query: &Query,
        limits: &Limits,
        most_conflicts: u32,
    ) -> Option<Found> {
        if limits.is_exceeded() || self.most.is_some_and(|most| self.effort().in_calls() >= most) {
            return None;
        }
        // Every call assigns all variables of all terms that the solver has seen.
        if self.solver.statistics().clauses > MANY_CLAUSES {
            self.old = self.effort();
            self.solver = Solver::default();
        }
        self.solver.set_limits(limits);
        let (old, most) = (self.old, self.most);
        let budget = |solver: &Solver| most.is_none_or(|most| old.with(solver).in_calls() < most);
        let bounds = Bounds { limits, most_conflicts, budget: &budget };
        let hard = self.given_up.hard;
        let given_up = &mut self.given_up;
        let answer = search(store, &mut self.solver, &mut self.facts, query, &bounds, given_up)?;
        Some(Found { answer, whole: self.given_up.hard == hard })
    }

    fn effort(&self) -> Effort {
        self.old.with(&self.solver)
    }
}

impl Strengthener {
    /// When the limits no longer hold, results have fewer cubes than they could have, and edges
    /// are not abstracted; none are cut short yet.
    pub fn set_limits(&mut self, limits: &Limits) {
        self.limits = limits.clone();
        self.expired = false;
    }

    /// After this number of further calls of the SAT solver, where hard ones count as many, shared evenly by the
    /// workers, results have fewer cubes than they could have, as when the limits no longer hold;
    /// `None`: there is no such limit. Unlike time, calls and conflicts are the same in every run.
    pub fn set_budget(&mut self, calls: Option<u64>) {
        let left = self.most.map(|most| most.saturating_sub(self.whole_effort()));
        let calls = calls.into_iter().chain(left).min();
        self.most_other = calls.map(|calls| self.other.in_calls().saturating_add(calls));
        let count = self.workers.0.len().max(1) as u64;
        for worker in &mut self.workers.0 {
            worker.most = calls.map(|calls| worker.effort().in_calls() + calls.div_ceil(count));
        }
        self.expired = false;
    }

    /// Until this is called again, no budget is larger than this number of further calls of all solvers
    /// together; `None`: there is no such limit.
    pub fn set_most(&mut self, calls: Option<u64>) {
        self.most = calls.map(|calls| self.whole_effort().saturating_add(calls));
        self.set_budget(None);
    }

    /// A solver for other questions, within the limits and the budget; what it has done is to be
    /// counted by [`count`](Self::count).
    #[must_use]
    pub fn solver(&self) -> Solver {
        let mut solver = Solver::default();
        solver.set_limits(&self.limits);
        let left = self.most_other.map(|most| most.saturating_sub(self.other.in_calls()));
        solver.set_most_work(left.map(|left| left.saturating_mul(EASY_CALL)));
        solver
    }

    /// Counts what a solver of [`solver`](Self::solver) has done in all. Where it has used up the
    /// budget, what was asked of it may have been cut short.
    pub fn count(&mut self, solver: &Solver) {
        self.other = self.other.with(solver);
        self.is_over();
    }

    /// Whether a limit or the budget cut a result short.
    #[must_use]
    pub fn is_expired(&self) -> bool {
        self.expired
    }

    /// Whether a limit ends the work, or other solvers have used up the budget; what is made from now
    /// on is cut short.
    pub(crate) fn is_over(&mut self) -> bool {
        let is_spent = self.most_other.is_some_and(|most| self.other.in_calls() >= most);
        let is_over = is_spent || self.limits.is_exceeded();
        self.expired |= is_over;
        is_over
    }

    /// Asks for F(condition) over the candidates, where `given` may be assumed. Cubes
    /// that contradict `given` or themselves are no answers: they describe no state.
    pub(super) fn ask(
        &mut self,
        store: &mut TermStore,
        (condition, given): (TermId, TermId),
        candidates: &Candidates,
        allowed: Allowed<'_>,
    ) -> Question {
        if store.as_boolean(condition) == Some(true) {
            return Question::Known(vec![Vec::new()]);
        }
        // A condition that is tracked itself: there is nothing weaker that implies it.
        for (&candidate, &read) in candidates.terms.iter().zip(&candidates.reads) {
            if candidate == condition || store.are_complementary(candidate, condition) {
                return Question::Known(vec![vec![(read, candidate == condition)]]);
            }
        }
        let mut relevant = Candidates::default();
        let mut read = Vec::new();
        for index in self.cone_of_influence(store, condition, given, &candidates.terms) {
            // At some places different predicates are the same; one of them is enough.
            let term = candidates.terms[index];
            let known = relevant.terms.iter().position(|known| *known == term);
            if known.is_none() {
                relevant.push(term, candidates.reads[index]);
            }
            read.push((candidates.reads[index], known.unwrap_or(relevant.terms.len() - 1)));
        }
        let tried = allowed.among(&read);
        let query = Query::new(store, (condition, given), &relevant.terms, tried);
        Question::Implying(Arc::new(query), relevant.reads)
    }

    /// The candidates that what is given speaks of, or that others which it speaks of have variables in
    /// common with.
    pub(super) fn near(
        &mut self,
        store: &TermStore,
        given: TermId,
        candidates: Candidates,
    ) -> Candidates {
        let inside = self.cone_of_influence(store, store.true_(), given, &candidates.terms);
        let mut near = Candidates::default();
        for index in inside {
            near.push(candidates.terms[index], candidates.reads[index]);
        }
        near
    }

    /// Asks for the minimal cubes over the candidates that no state satisfies in which `given` holds.
    pub(super) fn ask_inconsistent(
        store: &mut TermStore,
        given: TermId,
        mut candidates: Candidates,
        allowed: Allowed<'_>,
    ) -> Question {
        candidates.terms.truncate(MAX_CANDIDATES);
        candidates.reads.truncate(MAX_CANDIDATES);
        let read: Vec<(Variable, usize)> = candidates.reads.iter().copied().zip(0..).collect();
        let never = store.false_();
        let query = Query::new(store, (never, given), &candidates.terms, allowed.among(&read));
        Question::Inconsistent(Arc::new(query), candidates.reads)
    }

    /// Finds the answers to questions on all cores; `false` if a limit or the budget ended that.
    /// Answers that were found are kept.
    pub(super) fn solve<'q>(
        &mut self,
        store: &TermStore,
        questions: impl IntoIterator<Item = &'q Question>,
    ) -> bool {
        let mut asked: FxHashSet<&Arc<Query>> = FxHashSet::default();
        let mut queries: Vec<&Arc<Query>> = Vec::new();
        for question in questions {
            if let Question::Implying(query, _) | Question::Inconsistent(query, _) = question
                && !self.cache.contains_key(query)
                && asked.insert(query)
            {
                queries.push(query);
            }
        }
        let (limits, count) = (&self.limits, self.workers.0.len());
        let most_conflicts = MOST_CONFLICTS[self.harder];
        // Which worker answers what is fixed, so that runs can be repeated.
        let work = |number: usize, worker: &mut Worker| -> Vec<(usize, Option<Found>)> {
            let mine = queries.iter().enumerate().skip(number).step_by(count);
            mine.map(|(at, query)| (at, worker.answer(store, query, limits, most_conflicts)))
                .collect()
        };
        let answers: Vec<(usize, Option<Found>)> = std::thread::scope(|scope| {
            let work = &work;
            let busy = self.workers.0.iter_mut().enumerate().take(queries.len());
            let threads: Vec<_> =
                busy.map(|(number, worker)| scope.spawn(move || work(number, worker))).collect();
            // A worker's panic is ours: it must not look as if the time were over.
            let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<_>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().flat_map(join).collect()
        });
        for (at, found) in answers {
            // Fewer cubes would still be sound, but are not to be remembered.
            let Some(Found { answer, whole }) = found else {
                self.expired = true;
                continue;
            };
            let query = Arc::clone(queries[at]);
            if !whole {
                self.partial.push(Arc::clone(&query));
            }
            self.cubes += answer.cubes.len() as u64;
            self.tried = self.tried.saturating_add(query.size());
            self.cache.insert(query, answer);
        }
        !self.expired
    }

    /// The answer to a question.
    ///
    /// # Panics
    /// If it was not found: see [`solve`](Self::solve).
    pub(super) fn answer(&self, question: &Question) -> Vec<Cube> {
        let (cubes, reads) = match question {
            Question::Known(cubes) => return cubes.clone(),
            Question::Implying(query, reads) => (&self.cache[query].cubes, reads),
            Question::Inconsistent(query, reads) => (&self.cache[query].contradictory, reads),
        };
        let read = |&(index, sign): &Literal| (reads[index as usize], sign);
        cubes.iter().map(|cube| cube.iter().map(read).collect()).collect()
    }

    /// Candidates that share variables with the condition or what is given, directly or through
    /// others.
    fn cone_of_influence(
        &mut self,
        store: &TermStore,
        condition: TermId,
        given: TermId,
        candidates: &[TermId],
    ) -> Vec<usize> {
        for &term in candidates {
            self.variables.entry(term).or_insert_with(|| store.variables(term));
        }
        let variables: Vec<&[TermId]> = candidates
            .iter()
            .map(|term| self.variables.get(term).map_or(&[][..], Vec::as_slice))
            .collect();
        let mut reached: FxHashSet<TermId> = store.variables(condition).into_iter().collect();
        reached.extend(store.variables(given));
        let mut inside = vec![false; candidates.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (inside, variables) in inside.iter_mut().zip(&variables) {
                if !*inside && variables.iter().any(|v| reached.contains(v)) {
                    *inside = true;
                    changed = true;
                    reached.extend(*variables);
                }
            }
        }
        let all = inside.into_iter().enumerate().filter(|&(_, inside)| inside);
        all.map(|(index, _)| index).take(MAX_CANDIDATES).collect()
    }

    /// Calls of the SAT solver so far.
    #[must_use]
    pub fn sat_calls(&self) -> u64 {
        self.workers.0.iter().map(|worker| worker.effort().calls).sum()
    }

    /// The work of the SAT solver so far, in easy calls.
    #[must_use]
    pub fn effort(&self) -> u64 {
        self.workers.0.iter().map(|worker| worker.effort().in_calls()).sum()
    }

    /// The work of all solvers so far, in easy calls: also of those for other questions.
    #[must_use]
    pub fn whole_effort(&self) -> u64 {
        self.effort().saturating_add(self.other.in_calls())
    }

    /// What was given up so far, because the solver would have had to work too much.
    #[must_use]
    pub fn given_up(&self) -> GivenUp {
        let mut all = self.given_up.clone();
        self.workers.0.iter().for_each(|worker| all.add(worker.given_up.clone()));
        all
    }

    /// Notes something that was given up as a whole.
    pub fn give_up(&mut self, what: GivenUp) {
        self.given_up.add(what);
    }

    /// From now on calls of the SAT solver may be harder, and what was given up is asked again;
    /// `false` if nothing was given up for a result that is kept, or the last limit is reached.
    pub fn try_harder(&mut self) -> bool {
        if self.partial.is_empty() || self.harder + 1 == MOST_CONFLICTS.len() {
            return false;
        }
        for query in self.partial.drain(..) {
            self.cache.remove(&query);
        }
        self.harder += 1;
        true
    }
}
