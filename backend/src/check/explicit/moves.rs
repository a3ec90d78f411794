//! What one thread can do in a valuation of the shared variables, worked out once.

use super::prepared::{OwnFrame, PassiveFrame, Prepared, Slot};
use super::valuations::{Scope, enumerate, get, restrict, set};
use crate::check::interner::Interner;
use crate::check::semantics::invariants::value;
use crate::check::{CheckOptions, UnknownReason};
use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::boolean::flat::{FlatExpr, FlatStatement, LocalVar, LocationId, Values};
use sapa_limits::Exceeded;
use std::rc::Rc;

pub(super) type Words = Box<[u64]>;

/// A location and the locals, dead ones 0.
pub(super) type LocalState = (LocationId, Words);

/// What a step does to the atomic section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Atomic {
    Keep,
    Enter,
    Leave,
}

/// A step of the active thread, but for what it does to passive threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Move {
    /// The shared valuation after.
    pub(super) shared: u32,
    /// The local state after; `None` if the thread ends.
    pub(super) local: Option<u32>,
    /// The local state of a thread to start if there is room.
    pub(super) started: Option<u32>,
    /// Whether it waits for room.
    pub(super) waits: bool,
    pub(super) atomic: Atomic,
    /// The choice that passive threads react to, in [`Moves::choices`].
    pub(super) choice: Option<u32>,
}

impl Move {
    /// Leads here, and that is all.
    pub(super) fn plain(shared: u32, local: Option<u32>) -> Move {
        Move { shared, local, started: None, waits: false, atomic: Atomic::Keep, choice: None }
    }
}

/// The moves of a thread in a local state and a shared valuation.
pub(super) struct MoveSet {
    /// Its assertion can fail.
    pub(super) fails: bool,
    /// How many different results its assignment has; 1 for all other statements.
    pub(super) results: u32,
    pub(super) moves: Box<[Move]>,
}

/// The values an active thread assigned, for the passive threads and for traces.
pub(super) struct Choice {
    location: LocationId,
    before_shared: u32,
    before_local: u32,
    pub(super) next_shared: u32,
    pub(super) next_local: Box<[u64]>,
    /// Choices of the same group allow passive threads the same.
    group: u32,
}

/// Numbers local states and shared valuations, and remembers what threads can do.
pub(super) struct Moves<'a> {
    pub(super) prepared: Prepared<'a>,
    shared: Interner<Words>,
    local: Interner<LocalState>,
    active: FxHashMap<(u32, u32), Rc<MoveSet>>,
    passive: FxHashMap<(u32, u32), Rc<[u32]>>,
    /// By shared valuation and two local states: whether invariants allow the two, where that was asked.
    meetings: FxHashMap<(u32, u32, u32), bool>,
    pub(super) choices: Vec<Choice>,
    pub(super) options: &'a CheckOptions,
    /// Approximate size in bytes of what is remembered by pairs of numbers, and of the choices.
    bytes: usize,
    cut_off: Option<UnknownReason>,
    /// Whether to give up soon, as another engine need not list results.
    pub(super) list_few: bool,
}

/// Results of one assignment beyond which enumeration is given up.
const MOST_RESULTS: usize = 1 << 20;

/// The same where there is another way.
const FEW_RESULTS: usize = 1 << 14;

impl<'a> Moves<'a> {
    pub(super) fn new(prepared: Prepared<'a>, options: &'a CheckOptions) -> Self {
        Moves {
            prepared,
            shared: Interner::new(),
            local: Interner::new(),
            active: FxHashMap::default(),
            passive: FxHashMap::default(),
            meetings: FxHashMap::default(),
            choices: Vec::new(),
            options,
            bytes: 0,
            cut_off: None,
            list_few: false,
        }
    }

    /// Approximate size in bytes of what is remembered.
    pub(super) fn bytes(&self) -> usize {
        let program = self.prepared.program;
        let words = |variables: usize| 8 * variables.div_ceil(64);
        let shared = self.shared.bytes(words(program.shared.len()));
        let local = self.local.bytes(words(program.locals.len()));
        shared + local + self.prepared.liveness.bytes() + self.bytes
    }

    /// Why the results of an assignment were not all found, if that ever happened: what threads
    /// can do is then not all known, and a search has to end.
    pub(super) fn cut_off(&self) -> Option<&UnknownReason> {
        self.cut_off.as_ref()
    }

    /// How many results of an assignment are looked for, each of `words` words.
    pub(super) fn most_results(&self, words: usize) -> usize {
        // It is listed, then numbered, which keeps it twice, and becomes a move.
        let bytes = 4 * (size_of::<(Words, Words)>() + 8 * words + 32);
        let most = self.most_listed();
        self.options.memory_limit.map_or(most, |limit| most.min(limit / bytes))
    }

    fn most_listed(&self) -> usize {
        if self.list_few { FEW_RESULTS } else { MOST_RESULTS }
    }

    /// Notes why the results of an assignment are not complete, if they are not; whether they are.
    pub(super) fn complete(&mut self, results: usize, most: usize) -> bool {
        let reason = if results < most {
            self.options.stop()
        } else if most < self.most_listed() {
            Some(UnknownReason::Exceeded(Exceeded::Memory))
        } else {
            let what = format!("an assignment with more than {most} results");
            Some(match self.list_few {
                true => UnknownReason::Multiplied(what),
                false => UnknownReason::Unsupported(what),
            })
        };
        let complete = reason.is_none();
        self.cut_off = self.cut_off.take().or(reason);
        complete
    }

    pub(super) fn shared_number(&mut self, words: &[u64]) -> u32 {
        self.shared.number(words.into())
    }

    pub(super) fn shared(&self, number: u32) -> &[u64] {
        self.shared.value(number)
    }

    pub(super) fn local(&self, number: u32) -> &LocalState {
        self.local.value(number)
    }

    /// The number of a thread's local state at exactly this location.
    pub(super) fn local_number(&mut self, location: LocationId, words: &[u64]) -> u32 {
        let live = self.prepared.liveness.at(location);
        let words = words.iter().zip(live).map(|(word, live)| word & live).collect();
        self.local.number((location, words))
    }

    /// The local states of a thread that arrives at a location.
    pub(super) fn arrivals(&mut self, location: LocationId, words: &[u64]) -> Vec<u32> {
        let stops = self.prepared.stops[location.index()].clone();
        stops.into_iter().map(|stop| self.local_number(stop, words)).collect()
    }

    /// Whether invariants allow a thread in this local state.
    pub(super) fn may_be(&self, shared: u32, local: u32) -> bool {
        let invariants = &self.prepared.invariants;
        let (shared, locals) = (self.shared(shared), &self.local(local).1);
        let shared = |v: usize| get(shared, v);
        let own = |v: usize| get(locals, v);
        invariants.allow(&|variable| value(variable, &shared, &own, &own))
    }

    /// Whether invariants allow threads in these two local states together.
    pub(super) fn may_meet(&mut self, shared: u32, one: u32, other: u32) -> bool {
        let key = (shared, one.min(other), one.max(other));
        if let Some(&known) = self.meetings.get(&key) {
            return known;
        }
        let (words, a, b) = (self.shared(shared), &self.local(one).1, &self.local(other).1);
        let may =
            self.prepared.invariants.allow_both(|v| get(words, v), |v| get(a, v), |v| get(b, v));
        self.bytes += 32;
        self.meetings.insert(key, may);
        may
    }

    /// What the thread can do.
    pub(super) fn of(&mut self, local: u32, shared: u32) -> Rc<MoveSet> {
        if let Some(found) = self.active.get(&(local, shared)) {
            return found.clone();
        }
        let set = Rc::new(self.work_out(local, shared));
        self.bytes += 128 + set.moves.len() * size_of::<Move>();
        self.active.insert((local, shared), set.clone());
        set
    }

    fn work_out(&mut self, local: u32, shared: u32) -> MoveSet {
        let (location, words) = self.local.value(local).clone();
        let before = self.shared.value(shared).clone();
        let scope = Scope { shared: &before, local: &words, ..Scope::default() };
        let program = self.prepared.program;
        let plain = Move::plain;
        let mut fails = false;
        let mut results = 1;
        let mut moves = Vec::new();
        match program.statement(location) {
            FlatStatement::Skip { next } => {
                moves.extend(self.arrivals(*next, &words).iter().map(|l| plain(shared, Some(*l))));
            }
            FlatStatement::Goto { targets } => {
                for next in targets {
                    let arrivals = self.arrivals(*next, &words);
                    moves.extend(arrivals.iter().map(|l| plain(shared, Some(*l))));
                }
            }
            FlatStatement::Assert { condition, next } => {
                fails = scope.values(condition).zero;
                moves.extend(self.arrivals(*next, &words).iter().map(|l| plain(shared, Some(*l))));
            }
            FlatStatement::Assume { condition, next } => {
                if scope.values(condition).one {
                    let arrivals = self.arrivals(*next, &words);
                    moves.extend(arrivals.iter().map(|l| plain(shared, Some(*l))));
                }
            }
            FlatStatement::Assign { next, .. } => {
                results = self.assign(local, shared, *next, &mut moves);
            }
            FlatStatement::StartThread { entry, next, waits } => {
                let entries = self.arrivals(*entry, &words);
                for after in self.arrivals(*next, &words) {
                    moves.extend(entries.iter().map(|started| Move {
                        started: Some(*started),
                        waits: *waits,
                        ..plain(shared, Some(after))
                    }));
                }
            }
            FlatStatement::EndThread => {
                moves.push(Move { atomic: Atomic::Leave, ..plain(shared, None) });
            }
            FlatStatement::AtomicBegin { next } => {
                let arrivals = self.arrivals(*next, &words);
                moves.extend(
                    arrivals
                        .iter()
                        .map(|l| Move { atomic: Atomic::Enter, ..plain(shared, Some(*l)) }),
                );
            }
            FlatStatement::AtomicEnd { next } => {
                let arrivals = self.arrivals(*next, &words);
                moves.extend(
                    arrivals
                        .iter()
                        .map(|l| Move { atomic: Atomic::Leave, ..plain(shared, Some(*l)) }),
                );
            }
            FlatStatement::Lock { variable, next } => {
                if !get(&before, variable.index()) {
                    let mut after = before.clone();
                    set(&mut after, variable.index(), true);
                    let after = self.shared.number(after);
                    let arrivals = self.arrivals(*next, &words);
                    moves.extend(arrivals.iter().map(|l| plain(after, Some(*l))));
                }
            }
            FlatStatement::Unlock { variable, next } => {
                let mut after = before.clone();
                set(&mut after, variable.index(), false);
                let after = self.shared.number(after);
                let arrivals = self.arrivals(*next, &words);
                moves.extend(arrivals.iter().map(|l| plain(after, Some(*l))));
            }
        }
        let mut seen = FxHashSet::default();
        moves.retain(|m| seen.insert(*m));
        MoveSet { fails, results, moves: moves.into() }
    }

    /// Adds the moves of an assignment; how many results it has.
    fn assign(&mut self, local: u32, shared: u32, next: LocationId, moves: &mut Vec<Move>) -> u32 {
        let (location, words) = self.local.value(local).clone();
        let before = self.shared.value(shared).clone();
        let Some(assignment) = &self.prepared.assignments[location.index()] else { return 0 };
        let (involves_passive, couples) = (assignment.involves_passive, assignment.couples);
        let most = self.most_results(before.len() + words.len());
        let mut results: Vec<(Words, Words)> = Vec::new();
        self.each_result(&before, local, &|_| None, |shared, local| {
            results.push((shared.into(), local.into()));
            results.len() < most
        });
        if !self.complete(results.len(), most) {
            return 0;
        }
        let count = results.len() as u32;
        // Without a constraint on both, all choices with the same result are one.
        let mut known = FxHashSet::default();
        let first = self.choices.len() as u32;
        for (after, next_local) in results {
            let after = self.shared.number(after);
            let arrivals = self.arrivals(next, &next_local);
            let mut choice = None;
            if involves_passive {
                if !couples && arrivals.iter().all(|l| known.contains(&(after, *l))) {
                    continue;
                }
                known.extend(arrivals.iter().map(|l| (after, *l)));
                let group = if couples { self.choices.len() as u32 } else { first };
                let before = (location, shared, local);
                choice = Some(self.choose(before, after, next_local, group));
            }
            moves.extend(arrivals.iter().map(|l| Move { choice, ..Move::plain(after, Some(*l)) }));
        }
        count
    }

    /// Notes a choice of the thread that was at this location, with this shared valuation and
    /// this local state; its number.
    pub(super) fn choose(
        &mut self,
        (location, before_shared, before_local): (LocationId, u32, u32),
        next_shared: u32,
        next_local: Words,
        group: u32,
    ) -> u32 {
        self.bytes += size_of::<Choice>() + 8 * next_local.len();
        self.choices.push(Choice {
            location,
            before_shared,
            before_local,
            next_shared,
            next_local,
            group,
        });
        self.choices.len() as u32 - 1
    }

    /// Visits the shared and local variables after an assignment, as long as `visit` wants; only
    /// those in which the targets have the values that are `wanted` of them.
    pub(super) fn each_result(
        &self,
        shared: &[u64],
        local: u32,
        wanted: &dyn Fn(Slot) -> Option<bool>,
        visit: impl FnMut(&[u64], &[u64]) -> bool,
    ) {
        let (location, words) = self.local.value(local);
        let Some(assignment) = &self.prepared.assignments[location.index()] else { return };
        let scope = Scope { shared, local: words, ..Scope::default() };
        let value = |(slot, value): &(Slot, Option<FlatExpr>)| match value {
            Some(value) => restrict(scope.values(value), wanted(*slot)),
            None => Values::only(false),
        };
        let possible: Vec<Values> = assignment.own.iter().map(value).collect();
        let mut frame = OwnFrame {
            assignment,
            shared,
            local: words,
            next_shared: shared.to_vec(),
            next_local: words.to_vec(),
            visit,
        };
        enumerate(&possible, &mut frame, &|| self.options.stop().is_some());
    }

    /// The local states that a passive thread can have after a choice of the active thread; none
    /// if it blocks the step.
    pub(super) fn passive(&mut self, choice: u32, local: u32) -> Rc<[u32]> {
        let group = self.choices[choice as usize].group;
        if let Some(found) = self.passive.get(&(group, local)) {
            return found.clone();
        }
        let (location, words) = self.local.value(local);
        let location = *location;
        let most = self.most_results(words.len());
        let mut results: Vec<Words> = Vec::new();
        self.each_reaction(choice, local, &|_| None, |words| {
            results.push(words.into());
            results.len() < most
        });
        if !self.complete(results.len(), most) {
            results.clear();
        }
        let mut numbers: Vec<_> =
            results.iter().map(|words| self.local_number(location, words)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let numbers: Rc<[u32]> = numbers.into();
        self.bytes += 64 + 4 * numbers.len();
        self.passive.insert((group, local), numbers.clone());
        numbers
    }

    /// Visits the locals of a passive thread after a choice of the active thread, as
    /// [`each_result`](Self::each_result) does.
    pub(super) fn each_reaction(
        &self,
        choice: u32,
        local: u32,
        wanted: &dyn Fn(LocalVar) -> Option<bool>,
        visit: impl FnMut(&[u64]) -> bool,
    ) {
        let choice = &self.choices[self.choices[choice as usize].group as usize];
        let Some(assignment) = &self.prepared.assignments[choice.location.index()] else { return };
        let (_, active) = self.local.value(choice.before_local);
        let (location, words) = self.local.value(local);
        let scope = Scope {
            shared: self.shared.value(choice.before_shared),
            local: active,
            passive: words,
            next_shared: self.shared.value(choice.next_shared),
            next_local: &choice.next_local,
            next_passive: &[],
        };
        let liveness = &self.prepared.liveness;
        let possible: Vec<_> = assignment
            .broadcast
            .iter()
            .map(|(variable, value, constrained)| {
                // Dead variables are 0 in the end, whatever they get.
                if *constrained || liveness.is_live(*location, *variable) {
                    restrict(scope.values(value), wanted(*variable))
                } else {
                    Values::only(false)
                }
            })
            .collect();
        let mut frame = PassiveFrame { assignment, scope, next_passive: words.to_vec(), visit };
        enumerate(&possible, &mut frame, &|| self.options.stop().is_some());
    }
}
