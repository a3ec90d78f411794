//! A flat Boolean program as a [`ThreadSystem`].

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, LocalVar, LocationId, SharedVar, Values,
    VariableRef,
};

use super::marking::{Count, OMEGA};
use super::named_run::{Named, NamedRun};
use super::thread_system::{BroadcastId, Budget, LocalId, Move, Moves, SharedId, ThreadSystem};
use crate::check::analysis::liveness::Liveness;
use crate::check::analysis::stops::stops;
use crate::check::interner::Interner;
use crate::check::semantics::counted::{CountedState, CountedThread};
use crate::check::semantics::initial::InitialValuations;
use crate::check::{CheckOptions, Suspect, SuspectThread, UnknownReason};
use sapa_ir::boolean::trace::Valuation;

/// How many free choices one step may combine: 2^16 successors are more than any exploration
/// of explicit states survives.
const FREE_LIMIT: usize = 16;

/// A thread's own state, at a statement that is no skip or jump.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LocalState {
    pub(crate) location: LocationId,
    pub(crate) locals: Valuation,
    pub(crate) in_atomic: bool,
    /// The tracked locks the thread took and did not give back.
    pub(crate) locks: u64,
}

/// What a remembered result takes besides its elements: its share of the table, the counts of
/// references and the allocator's own.
const REMEMBERED: usize = 128;

/// A broadcast: where it is, and the values of what it reads that is not the passive thread's.
type Broadcast = (LocationId, Vec<bool>);

/// A step being built: the shared variables and the thread's own after it.
type After = (Valuation, Valuation);

#[derive(Debug)]
pub(crate) struct FlatThreads<'a> {
    program: &'a FlatProgram,
    /// Where a thread stops that arrives at a location; indexed by location.
    stops: Vec<Rc<[LocationId]>>,
    liveness: Liveness,
    shared: Interner<Valuation>,
    locals: Interner<LocalState>,
    broadcasts: Interner<Broadcast>,
    moves: FxHashMap<(SharedId, LocalId), Rc<Moves>>,
    passive: FxHashMap<(BroadcastId, LocalId), Rc<[LocalId]>>,
    /// Approximate size in bytes of `moves` and `passive`.
    remembered: usize,
    /// Bit numbers of the locks that exclude each other.
    lock_bits: FxHashMap<SharedVar, u32>,
    /// By location of a broadcast: what it reads besides the passive thread's variables.
    reads: FxHashMap<LocationId, Rc<[VariableRef]>>,
    /// The most of `reads` at a location.
    most_read: usize,
}

impl<'a> FlatThreads<'a> {
    /// # Errors
    /// The limit that was reached when the program was analysed.
    pub(crate) fn new(
        program: &'a FlatProgram,
        options: &CheckOptions,
    ) -> Result<FlatThreads<'a>, UnknownReason> {
        Ok(FlatThreads {
            program,
            liveness: Liveness::new(program, options)?,
            stops: stops(program, true).into_iter().map(Rc::from).collect(),
            shared: Interner::new(),
            locals: Interner::new(),
            broadcasts: Interner::new(),
            moves: FxHashMap::default(),
            passive: FxHashMap::default(),
            remembered: 0,
            lock_bits: lock_bits(program),
            reads: FxHashMap::default(),
            most_read: 0,
        })
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

    /// A configuration in which the thread in state `failing` fails; `others` are there too, so
    /// many of each, `OMEGA` for any number.
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
            assertion: self.program.location(self.local_state(failing).location).position,
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

    /// The states of a thread that arrives at a location, past skips and jumps: they neither read
    /// nor write anything. Dead locals are set to 0.
    fn arrivals(&mut self, state: &LocalState) -> Vec<LocalId> {
        let stops = self.stops[state.location.index()].clone();
        stops
            .iter()
            .map(|&location| self.number(LocalState { location, ..state.clone() }))
            .collect()
    }

    fn number(&mut self, mut state: LocalState) -> LocalId {
        for variable in 0..state.locals.len() {
            let live = self.liveness.is_live(state.location, LocalVar(variable as u32));
            if !live && state.locals.get(variable) {
                state.locals.set(variable, false);
            }
        }
        LocalId(self.locals.number(state))
    }

    /// The moves to a location with no effect on others, one for each stop.
    fn quiet(&mut self, shared: SharedId, state: &LocalState) -> Vec<Move> {
        let arrivals = self.arrivals(state);
        let quiet = |local| Move { shared, local: Some(local), spawned: None, broadcast: None };
        arrivals.into_iter().map(quiet).collect()
    }

    fn compute(&mut self, shared_id: SharedId, local_id: LocalId) -> Result<Moves, UnknownReason> {
        let program = self.program;
        let shared = self.shared_values(shared_id).clone();
        let local = self.local_state(local_id).clone();
        let mut result = Moves::default();
        let active = |variable: VariableRef| match variable {
            VariableRef::Shared(v) => shared.get(v.index()),
            VariableRef::Local(v) => local.locals.get(v.index()),
            // The flat form has no other variables in conditions and right-hand sides.
            _ => false,
        };
        let to = |location: LocationId| LocalState { location, ..local.clone() };
        match program.statement(local.location) {
            FlatStatement::Skip { next } => result.moves = self.quiet(shared_id, &to(*next)),
            FlatStatement::Goto { targets } => {
                for &target in targets {
                    result.moves.extend(self.quiet(shared_id, &to(target)));
                }
            }
            FlatStatement::Assume { condition, next } => {
                if condition.values(&active).one {
                    result.moves = self.quiet(shared_id, &to(*next));
                }
            }
            FlatStatement::Assert { condition, next } => {
                result.fails = condition.values(&active).zero;
                result.moves = self.quiet(shared_id, &to(*next));
            }
            FlatStatement::StartThread { entry, next, .. } => {
                let child = LocalState { in_atomic: false, locks: 0, ..to(*entry) };
                let children = self.arrivals(&child);
                for step in self.quiet(shared_id, &to(*next)) {
                    let start = |&child| Move { spawned: Some(child), ..step };
                    result.moves.extend(children.iter().map(start));
                }
            }
            FlatStatement::EndThread => result.moves.push(Move {
                shared: shared_id,
                local: None,
                spawned: None,
                broadcast: None,
            }),
            FlatStatement::AtomicBegin { next } => {
                let state = LocalState { in_atomic: true, ..to(*next) };
                result.moves = self.quiet(shared_id, &state);
            }
            FlatStatement::AtomicEnd { next } => {
                let state = LocalState { in_atomic: false, ..to(*next) };
                result.moves = self.quiet(shared_id, &state);
            }
            FlatStatement::Lock { variable, next } => {
                if !shared.get(variable.index()) {
                    let state =
                        LocalState { locks: local.locks | self.bit(*variable), ..to(*next) };
                    let shared = self.with(&shared, *variable, true);
                    result.moves = self.quiet(shared, &state);
                }
            }
            FlatStatement::Unlock { variable, next } => {
                let bit = self.bit(*variable);
                result.foreign_unlocks = bit & !local.locks;
                let state = LocalState { locks: local.locks & !bit, ..to(*next) };
                let shared = self.with(&shared, *variable, false);
                result.moves = self.quiet(shared, &state);
            }
            FlatStatement::Assign { assignment, next } => {
                let matters = self.matters(assignment, *next);
                let mut known = FxHashSet::default();
                for after in assigned(assignment, &shared, &local.locals, &matters)? {
                    let broadcast = self.broadcast(&local, assignment, &shared, &after);
                    let state = LocalState { locals: after.1, ..to(*next) };
                    let shared = SharedId(self.shared.number(after.0));
                    for step in self.quiet(shared, &state) {
                        let step = Move { broadcast, ..step };
                        if known.insert(step) {
                            result.moves.push(step);
                        }
                    }
                }
            }
        }
        Ok(result)
    }

    /// The locals whose next value an assignment needs: those that live on or are read by its
    /// constraints and broadcasts.
    fn matters(&self, assignment: &Assignment, next: LocationId) -> Vec<LocalVar> {
        let mut read = Vec::new();
        let constraints = assignment.constraint.iter().chain(&assignment.passive_constraint);
        let broadcasts = assignment.broadcast.iter().map(|(_, value)| value);
        constraints.chain(broadcasts).for_each(|e| e.for_each_variable(&mut |v| read.push(v)));
        let written = assignment.local.iter().map(|(variable, _)| *variable);
        let stops = &self.stops[next.index()];
        let lives = |v| stops.iter().any(|&stop| self.liveness.is_live(stop, v));
        written.filter(|&v| lives(v) || read.contains(&VariableRef::NextLocal(v))).collect()
    }

    fn bit(&self, lock: SharedVar) -> u64 {
        self.lock_bits.get(&lock).map_or(0, |bit| 1 << bit)
    }

    fn with(&mut self, shared: &Valuation, variable: SharedVar, value: bool) -> SharedId {
        let mut shared = shared.clone();
        shared.set(variable.index(), value);
        SharedId(self.shared.number(shared))
    }

    /// The broadcast of a step. Steps that agree on what it reads share one.
    fn broadcast(
        &mut self,
        local: &LocalState,
        assignment: &Assignment,
        shared: &Valuation,
        after: &After,
    ) -> Option<BroadcastId> {
        if !assignment.involves_passive() {
            return None;
        }
        let reads = self.reads.entry(local.location).or_insert_with(|| reads_of(assignment));
        self.most_read = self.most_read.max(reads.len());
        let values = reads.iter().map(|&read| match read {
            VariableRef::Shared(v) => shared.get(v.index()),
            VariableRef::Local(v) => local.locals.get(v.index()),
            VariableRef::NextShared(v) => after.0.get(v.index()),
            VariableRef::NextLocal(v) => after.1.get(v.index()),
            VariableRef::Passive(_) | VariableRef::NextPassive(_) => false,
        });
        let values = values.collect();
        Some(BroadcastId(self.broadcasts.number((local.location, values))))
    }

    fn compute_passive(
        &mut self,
        broadcast: BroadcastId,
        local: LocalId,
    ) -> Result<Rc<[LocalId]>, UnknownReason> {
        let program = self.program;
        let (location, values) = self.broadcasts.value(broadcast.0).clone();
        let FlatStatement::Assign { assignment, .. } = program.statement(location) else {
            return Ok(Rc::from([local]));
        };
        let reads = self.reads.get(&location).cloned().unwrap_or_else(|| reads_of(assignment));
        let known: FxHashMap<VariableRef, bool> =
            reads.iter().copied().zip(values.iter().copied()).collect();
        let before = self.local_state(local).clone();
        let value = |variable: VariableRef, after: &Valuation| match variable {
            VariableRef::Passive(v) => before.locals.get(v.index()),
            VariableRef::NextPassive(v) => after.get(v.index()),
            other => known.get(&other).copied().unwrap_or(false),
        };
        let choices: Vec<(usize, Values)> = assignment
            .broadcast
            .iter()
            .map(|(v, e)| (v.index(), e.values(&|read| value(read, &before.locals))))
            .collect();
        let mut results = Vec::new();
        for after in combinations(&before.locals, &choices)? {
            let holds = |e: &FlatExpr| e.values(&|read| value(read, &after)).one;
            if assignment.passive_constraint.as_ref().is_none_or(holds) {
                results.push(self.number(LocalState { locals: after, ..before.clone() }));
            }
        }
        results.sort_unstable();
        results.dedup();
        Ok(Rc::from(results))
    }
}

/// The locks that no two threads hold at once: those that only `lock` and `unlock` write. That
/// nobody releases another's is checked as the engines go.
fn lock_bits(program: &FlatProgram) -> FxHashMap<SharedVar, u32> {
    let mut locks: Vec<SharedVar> = program
        .locations
        .iter()
        .filter_map(|location| match location.statement {
            FlatStatement::Lock { variable, .. } => Some(variable),
            _ => None,
        })
        .collect();
    locks.sort_unstable();
    locks.dedup();
    for location in &program.locations {
        if let FlatStatement::Assign { assignment, .. } = &location.statement {
            locks.retain(|lock| assignment.shared.iter().all(|(target, _)| target != lock));
        }
    }
    locks.into_iter().zip(0..64).collect()
}

fn reads_of(assignment: &Assignment) -> Rc<[VariableRef]> {
    let mut reads = Vec::new();
    let expressions = assignment.broadcast.iter().map(|(_, e)| e);
    for expression in expressions.chain(&assignment.passive_constraint) {
        expression.for_each_variable(&mut |variable| {
            if !matches!(variable, VariableRef::Passive(_) | VariableRef::NextPassive(_)) {
                reads.push(variable);
            }
        });
    }
    reads.sort_unstable();
    reads.dedup();
    Rc::from(reads)
}

/// The valuations after an assignment by the active thread.
fn assigned(
    assignment: &Assignment,
    shared: &Valuation,
    locals: &Valuation,
    matters: &[LocalVar],
) -> Result<Vec<After>, UnknownReason> {
    let before = |variable: VariableRef| match variable {
        VariableRef::Shared(v) => shared.get(v.index()),
        VariableRef::Local(v) => locals.get(v.index()),
        _ => false,
    };
    let values_of = |e: &FlatExpr| e.values(&before);
    let shared_choices: Vec<(usize, Values)> =
        assignment.shared.iter().map(|(v, e)| (v.index(), values_of(e))).collect();
    let needed = assignment.local.iter().filter(|(v, _)| matters.contains(v));
    let local_choices: Vec<(usize, Values)> =
        needed.map(|(v, e)| (v.index(), values_of(e))).collect();
    let both = |choices: &[(usize, Values)]| {
        choices.iter().filter(|(_, values)| *values == Values::BOTH).count()
    };
    free_enough(both(&shared_choices) + both(&local_choices))?;
    let mut results = Vec::new();
    let local_results = combinations(locals, &local_choices)?;
    for shared_after in combinations(shared, &shared_choices)? {
        for local_after in &local_results {
            let value = |variable: VariableRef| match variable {
                VariableRef::NextShared(v) => shared_after.get(v.index()),
                VariableRef::NextLocal(v) => local_after.get(v.index()),
                other => before(other),
            };
            if assignment.constraint.as_ref().is_none_or(|e| e.values(&value).one) {
                results.push((shared_after.clone(), local_after.clone()));
            }
        }
    }
    Ok(results)
}

/// Fails if a step combines too many free choices.
fn free_enough(choices: usize) -> Result<(), UnknownReason> {
    if choices > FREE_LIMIT {
        let what = format!("a step with more than {FREE_LIMIT} free choices");
        return Err(UnknownReason::Unsupported(what));
    }
    Ok(())
}

/// Every way to choose values for variables, written over `before`.
fn combinations(
    before: &Valuation,
    choices: &[(usize, Values)],
) -> Result<Vec<Valuation>, UnknownReason> {
    let free = choices.iter().filter(|(_, values)| *values == Values::BOTH).count();
    free_enough(free)?;
    let mut results = vec![before.clone()];
    for &(at, values) in choices {
        let mut flipped = Vec::new();
        for result in &mut results {
            result.set(at, values.one);
            if values == Values::BOTH {
                let mut other = result.clone();
                other.set(at, false);
                flipped.push(other);
            }
        }
        results.extend(flipped);
    }
    Ok(results)
}

impl ThreadSystem for FlatThreads<'_> {
    fn initial(
        &mut self,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<(SharedId, LocalId)>, UnknownReason> {
        let program = self.program;
        let live = |local| self.liveness.is_live(program.entry, LocalVar(local as u32));
        let all_locals = InitialValuations::new(&program.locals, live);
        let mut initial = Vec::new();
        for shared in InitialValuations::new(&program.shared, |_| true) {
            let shared = SharedId(self.shared.number(shared));
            for locals in all_locals.clone() {
                budget.tick()?;
                budget.room(initial.len(), self)?;
                let state =
                    LocalState { location: program.entry, locals, in_atomic: false, locks: 0 };
                initial.extend(self.arrivals(&state).into_iter().map(|local| (shared, local)));
            }
        }
        initial.sort_unstable();
        initial.dedup();
        Ok(initial)
    }

    fn moves(&mut self, shared: SharedId, local: LocalId) -> Result<Rc<Moves>, UnknownReason> {
        if let Some(moves) = self.moves.get(&(shared, local)) {
            return Ok(moves.clone());
        }
        let moves = Rc::new(self.compute(shared, local)?);
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
        let results = self.compute_passive(broadcast, local)?;
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

    fn bytes(&self) -> usize {
        let (shared, locals) = (self.program.shared.len(), self.program.locals.len());
        self.shared.bytes(shared)
            + self.locals.bytes(locals)
            + self.broadcasts.bytes(self.most_read)
            + self.liveness.bytes()
            + self.remembered
    }
}
