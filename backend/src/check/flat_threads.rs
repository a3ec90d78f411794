//! A flat Boolean program as a [`ThreadSystem`].

use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_ir::boolean::flat::{
    Assignment, FlatExpr, FlatProgram, FlatStatement, FlatVariable, Initial, LocationId, SharedVar,
    Values, VariableRef,
};

use super::interner::Interner;
use super::named_run::{Named, NamedRun};
use super::thread_system::{BroadcastId, LocalId, Move, Moves, SharedId, ThreadSystem};
use super::{Step, ThreadState, Trace, TraceState, UnknownReason, Valuation};

/// How many free choices one step may combine: 2^16 successors are more than any exploration
/// of explicit states survives.
const FREE_LIMIT: usize = 16;

/// A thread's own state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LocalState {
    pub(crate) location: LocationId,
    pub(crate) locals: Valuation,
    pub(crate) in_atomic: bool,
    /// The tracked locks the thread took and did not give back.
    pub(crate) locks: u64,
}

/// A broadcast: where it is, and the values of what it reads that is not the passive thread's.
type Broadcast = (LocationId, Vec<bool>);

/// A step being built: the shared variables and the thread's own after it.
type After = (Valuation, Valuation);

#[derive(Debug)]
pub(crate) struct FlatThreads<'a> {
    program: &'a FlatProgram,
    shared: Interner<Valuation>,
    locals: Interner<LocalState>,
    broadcasts: Interner<Broadcast>,
    moves: FxHashMap<(SharedId, LocalId), Rc<Moves>>,
    passive: FxHashMap<(BroadcastId, LocalId), Rc<[LocalId]>>,
    /// Bit numbers of the locks that exclude each other.
    lock_bits: FxHashMap<SharedVar, u32>,
    /// By location of a broadcast: what it reads besides the passive thread's variables.
    reads: FxHashMap<LocationId, Rc<[VariableRef]>>,
}

impl<'a> FlatThreads<'a> {
    pub(crate) fn new(program: &'a FlatProgram) -> FlatThreads<'a> {
        FlatThreads {
            program,
            shared: Interner::new(),
            locals: Interner::new(),
            broadcasts: Interner::new(),
            moves: FxHashMap::default(),
            passive: FxHashMap::default(),
            lock_bits: lock_bits(program),
            reads: FxHashMap::default(),
        }
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

    /// A run over this system as a trace of the program.
    pub(crate) fn trace(&self, run: &NamedRun) -> Trace {
        let mut before = &run.initial;
        let mut steps = Vec::with_capacity(run.steps.len());
        for step in &run.steps {
            let location = |local: LocalId| self.local_state(local).location;
            steps.push(Step {
                thread: step.thread,
                // A step's thread lives before it.
                location: before.local(step.thread).map_or(self.program.entry, location),
                successor: step.step.local.map(location),
                state: self.trace_state(&step.after),
            });
            before = &step.after;
        }
        let failing = before.local(run.failing).map(|local| self.local_state(local).location);
        Trace {
            initial: self.trace_state(&run.initial),
            steps,
            failing_thread: run.failing,
            failing_location: failing.unwrap_or(self.program.entry),
        }
    }

    fn trace_state(&self, named: &Named) -> TraceState {
        let states = || named.threads.iter().map(|&(number, l)| (number, self.local_state(l)));
        let threads = states().map(|(thread, state)| ThreadState {
            thread,
            location: state.location,
            locals: state.locals.clone(),
        });
        TraceState {
            shared: self.shared_values(named.shared).clone(),
            threads: threads.collect(),
            atomic: states().find(|(_, state)| state.in_atomic).map(|(number, _)| number),
        }
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
        let plain = |this: &mut Self, state: LocalState| Move {
            shared: shared_id,
            local: Some(LocalId(this.locals.number(state))),
            spawned: None,
            broadcast: None,
        };
        let to = |location: LocationId| LocalState { location, ..local.clone() };
        match program.statement(local.location) {
            FlatStatement::Skip { next } => result.moves.push(plain(self, to(*next))),
            FlatStatement::Goto { targets } => {
                result.moves.extend(targets.iter().map(|&target| plain(self, to(target))));
            }
            FlatStatement::Assume { condition, next } => {
                if condition.values(&active).one {
                    result.moves.push(plain(self, to(*next)));
                }
            }
            FlatStatement::Assert { condition, next } => {
                result.fails = condition.values(&active).zero;
                result.moves.push(plain(self, to(*next)));
            }
            FlatStatement::StartThread { entry, next } => {
                let child = LocalState { in_atomic: false, locks: 0, ..to(*entry) };
                let spawned = Some(LocalId(self.locals.number(child)));
                result.moves.push(Move { spawned, ..plain(self, to(*next)) });
            }
            FlatStatement::EndThread => result.moves.push(Move {
                shared: shared_id,
                local: None,
                spawned: None,
                broadcast: None,
            }),
            FlatStatement::AtomicBegin { next } => {
                result.moves.push(plain(self, LocalState { in_atomic: true, ..to(*next) }));
            }
            FlatStatement::AtomicEnd { next } => {
                result.moves.push(plain(self, LocalState { in_atomic: false, ..to(*next) }));
            }
            FlatStatement::Lock { variable, next } => {
                if !shared.get(variable.index()) {
                    let state =
                        LocalState { locks: local.locks | self.bit(*variable), ..to(*next) };
                    let shared = self.with(&shared, *variable, true);
                    result.moves.push(Move { shared, ..plain(self, state) });
                }
            }
            FlatStatement::Unlock { variable, next } => {
                let bit = self.bit(*variable);
                result.foreign_unlocks = bit & !local.locks;
                let state = LocalState { locks: local.locks & !bit, ..to(*next) };
                let shared = self.with(&shared, *variable, false);
                result.moves.push(Move { shared, ..plain(self, state) });
            }
            FlatStatement::Assign { assignment, next } => {
                for after in assigned(assignment, &shared, &local.locals)? {
                    let broadcast = self.broadcast(&local, assignment, &shared, &after);
                    let state = LocalState { locals: after.1, ..to(*next) };
                    let shared = SharedId(self.shared.number(after.0));
                    result.moves.push(Move { shared, broadcast, ..plain(self, state) });
                }
            }
        }
        Ok(result)
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
                let state = LocalState { locals: after, ..before.clone() };
                results.push(LocalId(self.locals.number(state)));
            }
        }
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
) -> Result<Vec<After>, UnknownReason> {
    let before = |variable: VariableRef| match variable {
        VariableRef::Shared(v) => shared.get(v.index()),
        VariableRef::Local(v) => locals.get(v.index()),
        _ => false,
    };
    let values_of = |e: &FlatExpr| e.values(&before);
    let shared_choices: Vec<(usize, Values)> =
        assignment.shared.iter().map(|(v, e)| (v.index(), values_of(e))).collect();
    let local_choices: Vec<(usize, Values)> =
        assignment.local.iter().map(|(v, e)| (v.index(), values_of(e))).collect();
    let both = |choices: &[(usize, Values)]| {
        choices.iter().filter(|(_, values)| *values == Values::BOTH).count()
    };
    if both(&shared_choices) + both(&local_choices) > FREE_LIMIT {
        return Err(UnknownReason::OutOfMemory);
    }
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

/// Every way to choose values for variables, written over `before`.
fn combinations(
    before: &Valuation,
    choices: &[(usize, Values)],
) -> Result<Vec<Valuation>, UnknownReason> {
    let free = choices.iter().filter(|(_, values)| *values == Values::BOTH).count();
    if free > FREE_LIMIT {
        return Err(UnknownReason::OutOfMemory);
    }
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

fn initial_values(variables: &[FlatVariable]) -> Result<Vec<Valuation>, UnknownReason> {
    let choice = |variable: &FlatVariable| match variable.initial {
        Initial::Zero => Values::only(false),
        Initial::One => Values::only(true),
        Initial::Nondet => Values::BOTH,
    };
    let choices: Vec<(usize, Values)> = variables.iter().map(choice).enumerate().collect();
    combinations(&Valuation::zero(variables.len()), &choices)
}

impl ThreadSystem for FlatThreads<'_> {
    fn initial(&mut self) -> Result<Vec<(SharedId, LocalId)>, UnknownReason> {
        let program = self.program;
        let locals = initial_values(&program.locals)?;
        let mut initial = Vec::new();
        for shared in initial_values(&program.shared)? {
            let shared = SharedId(self.shared.number(shared));
            for locals in &locals {
                let state = LocalState {
                    location: program.entry,
                    locals: locals.clone(),
                    in_atomic: false,
                    locks: 0,
                };
                initial.push((shared, LocalId(self.locals.number(state))));
            }
        }
        Ok(initial)
    }

    fn moves(&mut self, shared: SharedId, local: LocalId) -> Result<Rc<Moves>, UnknownReason> {
        if let Some(moves) = self.moves.get(&(shared, local)) {
            return Ok(moves.clone());
        }
        let moves = Rc::new(self.compute(shared, local)?);
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
        self.passive.insert((broadcast, local), results.clone());
        Ok(results)
    }

    fn in_atomic(&self, local: LocalId) -> bool {
        self.local_state(local).in_atomic
    }

    fn locks(&self, local: LocalId) -> u64 {
        self.local_state(local).locks
    }
}
