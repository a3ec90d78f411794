//! Explicit-state search over counted threads: BOOM Algorithm 1, with SAPA's broadcasts.
//!
//! A state is a shared valuation, the holder of the atomic section, and how many threads are in
//! which local state; threads that agree are not told apart. The search is breadth first and
//! exact for N threads. Three reductions keep reachability of errors exact: dead locals are 0
//! ([`crate::check::analysis::liveness`]), skips and jumps happen together with the step before them, and what one
//! thread can do in a shared valuation is worked out once.

mod concrete;
mod matching;
mod moves;
mod prepared;
#[cfg(test)]
mod reachable;
mod state;
mod store;
mod towards;
mod valuations;

use super::analysis::independence::Independence;
use super::semantics::counted::CountedState;
use super::semantics::initial::InitialValuations;
use super::{
    Answer, CheckOptions, Engine, Method, Outcome, Progress, SafeFor, Statistics, ThreadBound,
    UnknownReason,
};
use moves::Moves;
use prepared::Prepared;
#[cfg(test)]
pub(crate) use reachable::reachable;
use sapa_ir::boolean::flat::{FlatProgram, LocalVar};
use sapa_ir::boolean::trace::Trace;
use sapa_limits::Exceeded;
use state::{Holder, Mover, State};
use std::ops::ControlFlow;
use store::Store;

/// How many states are looked at between tests of the limits.
const INTERVAL: usize = 512;

/// The [`Statistics::work`] of a transition.
const WORK: u64 = 64;

/// Work before which nobody asks whether states multiply: a fraction of a second.
const PATIENCE: u64 = 1 << 24;

/// States multiply if the steps have more than this many results on average.
const MOST_RESULTS_OF_A_STEP: f64 = 1.5;

/// Searches the states with at most the given number of threads. With
/// [`ThreadBound::Unbounded`] the search ends only if the program starts finitely many threads,
/// an error is found or a limit is reached.
pub static ENGINE: Engine = Engine {
    name: "explicit",
    summary: "states with counted threads (BOOM Algorithm 1); exact, N threads",
    is_oracle: false,
    run: check,
};

pub(super) fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    search(program, options, false, progress)
}

/// As [`check`], but gives up with [`UnknownReason::Multiplied`] where the states multiply within
/// single steps: where one assignment has very many results, or where, after some work, the
/// assignments of an average step have so many that most states differ in freely chosen values.
pub(crate) fn until_states_multiply(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    search(program, options, true, progress)
}

fn search(
    program: &FlatProgram,
    options: &CheckOptions,
    may_give_up: bool,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let prepared = Prepared::new(program, options, true).and_then(|prepared| {
        let independence = Independence::if_wanted(program, &prepared.stops, options)?;
        Ok((prepared, independence))
    });
    let (prepared, independence) = match prepared {
        Ok(prepared) => prepared,
        Err(reason) => return ENGINE.unknown(reason),
    };
    let mut search = Search::new(program, options, prepared, independence);
    search.may_give_up = may_give_up;
    search.moves.list_few = may_give_up;
    let found = search.run(progress, |state, moves| {
        let fails =
            state.movers().into_iter().any(|mover| moves.of(mover.local(), state.shared).fails);
        if fails { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let by = Method::AllStates;
    let answer = found.and_then(|found| {
        let Some(state) = found else {
            let threads = match options.threads {
                ThreadBound::Bounded(n) => SafeFor::Threads(n),
                ThreadBound::Unbounded => SafeFor::AllThreads,
            };
            return Ok(Answer::Safe { threads, by });
        };
        let path = search.path(state);
        let trace = concrete::concretise(&mut search.moves, options.threads, &path)?;
        Ok(Answer::Failing { trace, by })
    });
    Outcome::new(&ENGINE, answer, search.statistics)
}

/// A trace along a path of canonical states, skips and jumps walked at once.
///
/// # Errors
/// The limit that was reached, or that some state is no successor of the one before or the last
/// one does not fail.
pub(crate) fn trace_along(
    program: &FlatProgram,
    options: &CheckOptions,
    path: &[CountedState],
) -> Result<Trace, UnknownReason> {
    along(Moves::new(Prepared::new(program, options, true)?, options), options, path)
}

/// A trace along a path of canonical states of which each is one step from the one before, skips
/// and jumps being steps too.
///
/// # Errors
/// As [`trace_along`].
pub(crate) fn single_steps_along(
    program: &FlatProgram,
    options: &CheckOptions,
    path: &[CountedState],
) -> Result<Trace, UnknownReason> {
    along(Moves::new(Prepared::new(program, options, false)?, options), options, path)
}

fn along(
    mut moves: Moves<'_>,
    options: &CheckOptions,
    path: &[CountedState],
) -> Result<Trace, UnknownReason> {
    let path: Option<Vec<State>> =
        path.iter().map(|state| State::from_counted(state, &mut moves)).collect();
    concrete::concretise(&mut moves, options.threads, &path.unwrap_or_default())
}

struct Search<'a> {
    program: &'a FlatProgram,
    options: &'a CheckOptions,
    moves: Moves<'a>,
    independence: Option<Independence>,
    store: Store,
    statistics: Statistics,
    /// How many states were added, known ones counted again.
    added: usize,
    buffer: Vec<u32>,
    /// Whether to end where states multiply.
    may_give_up: bool,
    /// How many steps of a thread were looked at, and how many results they had; the choice of the
    /// initial values is one of them.
    steps: u64,
    results: u64,
}

impl<'a> Search<'a> {
    fn new(
        program: &'a FlatProgram,
        options: &'a CheckOptions,
        prepared: Prepared<'a>,
        independence: Option<Independence>,
    ) -> Self {
        Search {
            program,
            options,
            moves: Moves::new(prepared, options),
            independence,
            store: Store::default(),
            statistics: Statistics::default(),
            added: 0,
            buffer: Vec::new(),
            may_give_up: false,
            steps: 1,
            results: 0,
        }
    }

    /// The states from an initial one to this one.
    fn path(&self, state: usize) -> Vec<State> {
        let mut path = vec![State::decode(self.store.get(state))];
        let mut at = state;
        while self.store.parent(at) != at {
            at = self.store.parent(at);
            path.push(State::decode(self.store.get(at)));
        }
        path.reverse();
        path
    }

    fn limits(&self) -> Result<(), UnknownReason> {
        if let Some(reason) = self.options.stop() {
            return Err(reason);
        }
        let independence = self.independence.as_ref().map_or(0, Independence::bytes);
        let bytes = self.store.bytes() + self.moves.bytes() + independence;
        if self.options.memory_limit.is_some_and(|limit| bytes > limit)
            || self.store.len() >= u32::MAX as usize - 1
        {
            return Err(UnknownReason::Exceeded(Exceeded::Memory));
        }
        let average = self.results as f64 / self.steps as f64;
        if self.may_give_up && self.statistics.work > PATIENCE && average > MOST_RESULTS_OF_A_STEP {
            return Err(UnknownReason::Multiplied(format!(
                "{average:.1} results of a step on average"
            )));
        }
        Ok(())
    }

    /// Adds a state if it is new; breaks if `visit` does.
    fn add(
        &mut self,
        state: &State,
        parent: Option<usize>,
        visit: &mut impl FnMut(&State, &mut Moves<'a>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<usize>, UnknownReason> {
        self.added += 1;
        self.statistics.work += WORK;
        self.options.allow(self.statistics.work)?;
        if self.added.is_multiple_of(INTERVAL) {
            self.limits()?;
        }
        state.encode(&mut self.buffer);
        let parent = parent.unwrap_or(self.store.len());
        let Some(number) = self.store.insert(&self.buffer, parent) else {
            return Ok(ControlFlow::Continue(()));
        };
        self.statistics.states = self.store.len();
        self.statistics.bytes = self.store.bytes();
        if let Some(limit) = self.options.max_states.filter(|limit| self.store.len() > *limit) {
            return Err(UnknownReason::StateLimit(limit));
        }
        let visited = visit(state, &mut self.moves);
        self.all_moves_known()?;
        Ok(match visited {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(()) => ControlFlow::Break(number),
        })
    }

    fn all_moves_known(&self) -> Result<(), UnknownReason> {
        self.moves.cut_off().map_or(Ok(()), |reason| Err(reason.clone()))
    }

    /// The threads to explore: one that neither sees nor disturbs the others, or all.
    fn movers(&mut self, state: &State) -> Vec<Mover> {
        let movers = state.movers();
        let Some(independence) = &self.independence else { return movers };
        if state.holder != Holder::Nobody || movers.len() + state.started.len() < 2 {
            return movers;
        }
        for &mover in &movers {
            let location = self.moves.local(mover.local()).0;
            if !independence.is_candidate(location) {
                continue;
            }
            let others_mind =
                |local: u32| !independence.independent(location, self.moves.local(local).0);
            let initial = state.initial.filter(|_| !matches!(mover, Mover::Initial(_)));
            let disturbed = initial.is_some_and(others_mind)
                || state.started.iter().any(|&(local, count)| {
                    (mover != Mover::Started(local) || count > 1) && others_mind(local)
                });
            // A thread that is blocked must not keep the others.
            if !disturbed && !self.moves.of(mover.local(), state.shared).moves.is_empty() {
                return vec![mover];
            }
        }
        movers
    }

    /// Searches until `visit`, which sees each state once, breaks; the state it broke at.
    fn run(
        &mut self,
        progress: &mut dyn FnMut(Progress),
        mut visit: impl FnMut(&State, &mut Moves<'a>) -> ControlFlow<()>,
    ) -> Result<Option<usize>, UnknownReason> {
        if let ControlFlow::Break(state) = self.initial(&mut visit)? {
            return Ok(Some(state));
        }
        let mut current = 0;
        // The first state of the next level.
        let mut level = self.store.len();
        while current < self.store.len() {
            if current == level {
                self.statistics.depth += 1;
                level = self.store.len();
            }
            if current % INTERVAL == 0 {
                self.limits()?;
                let depth = self.statistics.depth;
                progress(Progress { states: self.store.len(), depth });
            }
            let state = State::decode(self.store.get(current));
            for mover in self.movers(&state) {
                let set = self.moves.of(mover.local(), state.shared);
                self.steps += 1;
                self.results += u64::from(set.results);
                let threads = self.options.threads;
                for step in set.moves.iter().filter(|step| state.admits(step, threads)) {
                    let after = state.after(mover, step, threads, &mut self.moves);
                    self.all_moves_known()?;
                    for next in after {
                        self.statistics.transitions += 1;
                        if !next.is_allowed(&mut self.moves) {
                            continue;
                        }
                        let added = self.add(&next, Some(current), &mut visit)?;
                        if let ControlFlow::Break(state) = added {
                            return Ok(Some(state));
                        }
                    }
                }
            }
            current += 1;
        }
        // The moves of the last states are asked for after the last state was added.
        self.all_moves_known()?;
        Ok(None)
    }

    fn initial(
        &mut self,
        visit: &mut impl FnMut(&State, &mut Moves<'a>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<usize>, UnknownReason> {
        let program = self.program;
        let liveness = &self.moves.prepared.liveness;
        let live = |local| liveness.is_live(program.entry, LocalVar(local as u32));
        let all_locals = InitialValuations::new(&program.locals, live);
        for shared in InitialValuations::new(&program.shared, |_| true) {
            let shared = self.moves.shared_number(&valuations::pack(&shared));
            for locals in all_locals.clone() {
                for local in self.moves.arrivals(program.entry, &valuations::pack(&locals)) {
                    let state = State {
                        shared,
                        holder: Holder::Nobody,
                        initial: Some(local),
                        started: Vec::new(),
                    };
                    self.results += 1;
                    if !state.is_allowed(&mut self.moves) {
                        continue;
                    }
                    let added = self.add(&state, None, visit)?;
                    if added.is_break() {
                        return Ok(added);
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
