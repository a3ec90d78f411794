//! A flat Boolean program as a [`ThreadSystem`]: its states are listed and numbered, and what was
//! asked of [`ThreadSteps`] is remembered.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::boolean::trace::Valuation;

use super::marking::{Count, OMEGA};
use super::named_run::{Named, NamedRun};
use super::thread_steps::{Broadcast, LocalState, Step, ThreadSteps};
use super::thread_system::{BroadcastId, Budget, LocalId, Move, Moves, SharedId, ThreadSystem};
use crate::check::analysis::writers::{Claims, Writers};
use crate::check::interner::Interner;
use crate::check::semantics::counted::{CountedState, CountedThread};
use crate::check::semantics::invariants::{Invariants, value};
use crate::check::{CheckOptions, Suspect, SuspectThread, UnknownReason};

/// What a remembered result takes besides its elements: its share of the table, the counts of
/// references and the allocator's own.
const REMEMBERED: usize = 128;

#[derive(Debug)]
pub(crate) struct FlatThreads<'a> {
    steps: ThreadSteps<'a>,
    shared: Interner<Valuation>,
    locals: Interner<LocalState>,
    broadcasts: Interner<Broadcast>,
    moves: FxHashMap<(SharedId, LocalId), Rc<Moves>>,
    passive: FxHashMap<(BroadcastId, LocalId), Rc<[LocalId]>>,
    invariants: Invariants<'a>,
    /// Who may have written what; nobody is asked where a proof is to be checked, which knows nothing of it.
    writers: Writers,
    /// Whether invariants allow two threads together, where that was asked.
    meetings: FxHashMap<(SharedId, LocalId, LocalId), bool>,
    /// Approximate size in bytes of `moves`, `passive` and `meetings`.
    remembered: usize,
}

impl<'a> FlatThreads<'a> {
    /// # Errors
    /// The limit that was reached when the program was analysed.
    pub(crate) fn new(
        program: &'a FlatProgram,
        options: &CheckOptions,
    ) -> Result<FlatThreads<'a>, UnknownReason> {
        Ok(FlatThreads {
            steps: ThreadSteps::new(program, options)?,
            shared: Interner::new(),
            locals: Interner::new(),
            broadcasts: Interner::new(),
            moves: FxHashMap::default(),
            passive: FxHashMap::default(),
            invariants: Invariants::new(program),
            writers: match options.proof {
                Some(_) => Writers::default(),
                None => Writers::new(program),
            },
            meetings: FxHashMap::default(),
            remembered: 0,
        })
    }

    /// The steps of the program's threads.
    pub(crate) fn steps(&self) -> &ThreadSteps<'a> {
        &self.steps
    }

    /// How many shared valuations and how many local states have come up; their numbers are dense.
    pub(crate) fn known(&self) -> (u32, u32) {
        (self.shared.len() as u32, self.locals.len() as u32)
    }

    pub(crate) fn shared_values(&self, shared: SharedId) -> &Valuation {
        self.shared.value(shared.0)
    }

    pub(crate) fn local_state(&self, local: LocalId) -> &LocalState {
        self.locals.value(local.0)
    }

    /// Whether a thread fails here, as far as its moves were asked for.
    pub(crate) fn known_to_fail(&self, shared: SharedId, local: LocalId) -> bool {
        self.moves.get(&(shared, local)).is_some_and(|moves| moves.fails)
    }

    /// The states along a run over this system, up to the numbers of the threads.
    pub(crate) fn path(&self, run: &NamedRun) -> Vec<CountedState> {
        let after = run.steps.iter().map(|step| &step.after);
        std::iter::once(&run.initial).chain(after).map(|named| self.counted(named)).collect()
    }

    /// A configuration in which the thread in state `failing` fails; `others` are there too, each state
    /// with the number of threads in it (`OMEGA`: any number).
    pub(crate) fn suspect(
        &self,
        shared: SharedId,
        failing: LocalId,
        others: &[(LocalId, Count)],
    ) -> Suspect {
        let thread = |local: LocalId, count: Count| {
            let LocalState { location, locals, .. } = self.local_state(local);
            let count = Some(count).filter(|count| *count != OMEGA);
            SuspectThread { location: *location, locals: locals.clone(), count }
        };
        let others = others.iter().map(|&(local, count)| thread(local, count));
        Suspect {
            shared: self.shared_values(shared).clone(),
            threads: std::iter::once(thread(failing, 1)).chain(others).collect(),
            assertion: self.steps.program.location(self.local_state(failing).location).position,
            steps: Vec::new(),
        }
    }

    fn counted(&self, named: &Named) -> CountedState {
        let threads = named.threads.iter().map(|&(number, local)| {
            let state = self.local_state(local);
            CountedThread {
                location: state.location,
                initial: number == 0,
                holder: state.in_atomic,
                locals: state.locals.iter().collect(),
            }
        });
        CountedState {
            shared: self.shared_values(named.shared).iter().collect(),
            threads: threads.collect(),
        }
    }

    fn number(&mut self, state: LocalState) -> LocalId {
        LocalId(self.locals.number(state))
    }

    /// A step from a state with these shared variables, in numbers.
    fn numbered(&mut self, before: SharedId, step: Step) -> Move {
        let number = |broadcast| BroadcastId(self.broadcasts.number(broadcast));
        let broadcast = step.broadcast.map(number);
        let shared = step.shared.map_or(before, |shared| SharedId(self.shared.number(shared)));
        let spawned = step.spawned.map(|state| self.number(state));
        Move { shared, local: step.local.map(|state| self.number(state)), spawned, broadcast }
    }
}

impl ThreadSystem for FlatThreads<'_> {
    fn initial(
        &mut self,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<(SharedId, LocalId)>, UnknownReason> {
        let mut initial = Vec::new();
        for (shared, locals) in self.steps.initial() {
            budget.tick()?;
            budget.room(initial.len(), self)?;
            let shared = SharedId(self.shared.number(shared));
            let numbers = locals.into_iter().map(|local| LocalId(self.locals.number(local)));
            initial.extend(numbers.map(|local| (shared, local)));
        }
        initial.sort_unstable();
        initial.dedup();
        if self.has_invariants() {
            initial.retain(|&(shared, local)| self.may_be(shared, local));
        }
        Ok(initial)
    }

    fn moves(&mut self, shared: SharedId, local: LocalId) -> Result<Rc<Moves>, UnknownReason> {
        if let Some(moves) = self.moves.get(&(shared, local)) {
            return Ok(moves.clone());
        }
        let steps = self.steps.steps(self.shared_values(shared), self.local_state(local))?;
        let mut known = FxHashSet::default();
        let moves: Vec<Move> = steps.steps.into_iter().map(|s| self.numbered(shared, s)).collect();
        let moves = moves.into_iter().filter(|step| known.insert(*step)).collect();
        let (fails, foreign_unlocks) = (steps.fails, steps.foreign_unlocks);
        let moves = Rc::new(Moves { moves, fails, foreign_unlocks });
        self.remembered += REMEMBERED + moves.moves.len() * size_of::<Move>();
        self.moves.insert((shared, local), moves.clone());
        Ok(moves)
    }

    fn passive(
        &mut self,
        broadcast: BroadcastId,
        local: LocalId,
    ) -> Result<Rc<[LocalId]>, UnknownReason> {
        if let Some(results) = self.passive.get(&(broadcast, local)) {
            return Ok(results.clone());
        }
        let states =
            self.steps.passive(self.broadcasts.value(broadcast.0), self.local_state(local))?;
        let mut results: Vec<LocalId> = states.into_iter().map(|s| self.number(s)).collect();
        results.sort_unstable();
        results.dedup();
        let results: Rc<[LocalId]> = Rc::from(results);
        self.remembered += REMEMBERED + results.len() * size_of::<LocalId>();
        self.passive.insert((broadcast, local), results.clone());
        Ok(results)
    }

    fn in_atomic(&self, local: LocalId) -> bool {
        self.local_state(local).in_atomic
    }

    fn locks(&self, local: LocalId) -> u64 {
        self.local_state(local).locks
    }

    fn claims(&self, shared: SharedId) -> Claims {
        self.writers.claims(self.shared_values(shared))
    }

    fn claims_of(&self, local: LocalId) -> Claims {
        self.writers.of(self.local_state(local).location)
    }

    fn has_invariants(&self) -> bool {
        !self.invariants.is_empty()
    }

    fn may_be(&mut self, shared: SharedId, local: LocalId) -> bool {
        let (shared, locals) = (self.shared_values(shared), &self.local_state(local).locals);
        let shared = |v: usize| shared.get(v);
        let own = |v: usize| locals.get(v);
        self.invariants.allow(&|variable| value(variable, &shared, &own, &own))
    }

    fn may_meet(&mut self, shared: SharedId, one: LocalId, other: LocalId) -> bool {
        let key = (shared, one.min(other), one.max(other));
        if let Some(&known) = self.meetings.get(&key) {
            return known;
        }
        let shared = self.shared_values(shared);
        let (a, b) = (&self.local_state(one).locals, &self.local_state(other).locals);
        let may = self.invariants.allow_both(|v| shared.get(v), |v| a.get(v), |v| b.get(v));
        self.remembered += 32;
        self.meetings.insert(key, may);
        may
    }

    fn bytes(&self) -> usize {
        let program = self.steps.program;
        self.shared.bytes(program.shared.len())
            + self.locals.bytes(program.locals.len())
            + self.broadcasts.bytes(self.steps.most_read())
            + self.steps.bytes()
            + self.remembered
    }
}
