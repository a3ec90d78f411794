//! What locks keep apart: code that no two threads execute at once.
//!
//! A *lock* is a scalar of a global that holds 0 while nobody holds the lock. A thread *takes* it in a
//! locked section that loads 0 from it and stores something else; a section that finds it taken
//! leaves it so. Only who holds it stores 0 to it again, which *gives it up*. So mutexes are locks, spin
//! locks, and test-and-set or compare-and-exchange loops of a program's own. What else may write
//! to it makes it none, but for the code before there are other threads.
//!
//! **While a store waits that its thread executes holding a lock, nobody else holds that lock.** Let a
//! thread's *turn* last from the section in which it takes the lock until the store that gives it
//! up has reached memory. Then turns do not overlap. For let one begin within another, and be the first that
//! does: the lock is 0 in memory then, which it was not when the other turn began. What made it 0
//! is the end of a turn, since other stores leave it 0 only if it was. This turn began before,
//! so that it does not overlap the other one: it is the other one, which is over then. A store that is
//! executed in a turn reaches memory in it: the store that gives the lock up has to wait for it. Under
//! TSO all stores do that, under PSO release stores, `seq_cst` stores and those in locked sections; what never
//! waits may not give a lock up otherwise. ∎
//!
//! So nothing that other threads do holding the lock is on a way back to the store (`mod.rs`): all
//! steps of a way are made while it waits.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, BlockId, CastOp, CompareOp, Function, FunctionId, GlobalId, Instruction, MemoryModel,
    Op, Operand, Section, TerminatorKind, UnaryOp, ValueId,
};
use sapa_limits::Exceeded;

use super::super::Position;
use super::super::access::{Access, Overlap};
use super::super::effect::Effect;
use super::Threads;
use crate::analysis::points_to::{Object, Offsets, Place};

/// The locks that threads hold where they execute something.
pub(super) struct Locks {
    held: BTreeMap<Position, BTreeSet<Lock>>,
}

/// A global, and the offset and the size of the scalar in it, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Lock {
    global: GlobalId,
    offset: u64,
    size: u64,
}

/// Something about a value: whether it is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fact {
    value: ValueId,
    is_zero: bool,
}

impl Fact {
    /// Of an operand that is no constant.
    fn of(operand: Operand, is_zero: bool) -> Option<Self> {
        operand.value().map(|value| Self { value, is_zero })
    }
}

/// A store by which a section takes a lock if a fact holds.
#[derive(Clone, Copy)]
struct Take {
    lock: Lock,
    /// `None` if it is known by then.
    if_so: Option<Fact>,
}

/// What is known of a thread where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    held: BTreeSet<Lock>,
    /// Locks that it holds if a fact holds.
    perhaps: BTreeSet<(Lock, Fact)>,
}

impl Locks {
    pub fn new(threads: &Threads<'_>) -> Result<Self, Exceeded> {
        let mut takes = BTreeMap::new();
        for &id in threads.codes.keys() {
            Thread::new(threads, id).find_takes(&mut takes);
        }
        let mut locks: BTreeSet<Lock> = takes.values().map(|take: &Take| take.lock).collect();
        let mut held = BTreeMap::new();
        if locks.is_empty() {
            return Ok(Self { held });
        }
        for &id in threads.codes.keys() {
            Thread::new(threads, id).find_held(&takes, &locks, &mut held)?;
        }
        for (id, function) in threads.module.functions() {
            let thread = Thread::new(threads, id);
            for (block, data) in function.blocks() {
                threads.search.limits.check()?;
                for (index, instruction) in data.instructions.iter().enumerate() {
                    let at = Position { function: id, block, index };
                    if threads.alone.at(id, block, index) {
                        continue;
                    }
                    let Some(access) = thread.written(instruction) else { continue };
                    locks.retain(|lock| {
                        let is_held = || held.get(&at).is_some_and(|held| held.contains(lock));
                        !lock.is_touched(&access)
                            || takes.get(&at).is_some_and(|take| take.lock == *lock)
                            || lock.is(&access) && is_held() && thread.gives_up(at, instruction)
                    });
                }
            }
        }
        for of in held.values_mut() {
            of.retain(|lock| locks.contains(lock));
        }
        held.retain(|_, of| !of.is_empty());
        Ok(Self { held })
    }

    /// Whether a thread cannot execute something while a store of another waits.
    pub fn keep_apart(&self, store: Position, at: Position) -> bool {
        match (self.held.get(&store), self.held.get(&at)) {
            (Some(held), Some(other)) => !held.is_disjoint(other),
            _ => false,
        }
    }
}

impl Lock {
    /// What is accessed, if it is one scalar of a global that all threads share.
    fn of(threads: &Threads<'_>, access: &Access) -> Option<Self> {
        let (global, offset) = access.fixed()?;
        let is_shared = threads.module.globals.get(global.index()).is_some_and(|g| !g.thread_local);
        is_shared.then_some(Self { global, offset, size: access.size })
    }

    /// Whether an access is to the lock, and nothing else.
    fn is(&self, access: &Access) -> bool {
        access.fixed() == Some((self.global, self.offset)) && access.size == self.size
    }

    /// Whether an access may touch the lock.
    fn is_touched(&self, access: &Access) -> bool {
        let offsets = Offsets::new(self.offset, 0);
        let place = Place { object: Object::Global(self.global), offsets };
        let own = Access { places: [place].into(), size: self.size };
        own.overlap(access) != Overlap::None
    }
}

/// A function that threads may execute.
struct Thread<'t> {
    threads: &'t Threads<'t>,
    id: FunctionId,
    function: &'t Function,
    definitions: FxHashMap<ValueId, &'t Op>,
}

impl<'t> Thread<'t> {
    fn new(threads: &'t Threads<'t>, id: FunctionId) -> Self {
        let function = threads.module.function(id);
        let defined =
            function.instructions().filter_map(|i| i.result.map(|result| (result, &i.op)));
        Self { threads, id, function, definitions: defined.collect() }
    }

    fn access(&self, address: Operand, size: u64) -> Access {
        Access { places: self.threads.points_to.places(self.id, address), size }
    }

    /// What an instruction writes.
    fn written(&self, instruction: &Instruction) -> Option<Access> {
        let module = self.threads.module;
        match &instruction.op {
            Op::Store { address, ty, .. } | Op::HavocMemory { address, ty } => {
                Some(self.access(*address, ty.size(module)))
            }
            Op::CopyMemory { destination, ty, .. } => {
                Some(self.access(*destination, ty.size(module)))
            }
            Op::Free { address } => {
                let mut access = self.access(*address, 1);
                let objects = access.places.into_iter().map(|place| place.object);
                access.places =
                    objects.map(|object| Place { object, offsets: Offsets::ALL }).collect();
                Some(access)
            }
            _ => None,
        }
    }

    /// Finds the stores by which sections take locks.
    fn find_takes(&self, found: &mut BTreeMap<Position, Take>) {
        for (block, data) in self.function.blocks() {
            // Of the section that is executed: what it has loaded, and assumed.
            let mut loaded: Vec<(Lock, ValueId)> = Vec::new();
            let mut assumed: Vec<Operand> = Vec::new();
            let code = &self.threads.codes[&self.id];
            let mut sections = code.sections.before(self.function, block, 0);
            for (index, instruction) in data.instructions.iter().enumerate() {
                match (&instruction.op, instruction.result) {
                    (Op::AtomicBegin(section), _) => sections.push(*section),
                    (Op::AtomicEnd, _) => {
                        sections.pop();
                    }
                    (Op::Load { address, .. }, Some(result)) => {
                        let size =
                            self.function.values[result.index()].ty.size(self.threads.module);
                        let lock = Lock::of(self.threads, &self.access(*address, size));
                        loaded.extend(lock.map(|lock| (lock, result)));
                    }
                    (Op::Assume { condition }, _) => assumed.push(*condition),
                    (Op::Store { value, .. }, _) => {
                        let Some(access) = self.written(instruction) else { continue };
                        let of = loaded.iter().find(|(lock, _)| lock.is(&access)).copied();
                        loaded.retain(|(lock, _)| !lock.is_touched(&access));
                        if let Some((lock, was)) = of
                            && let Some(fact) = self.takes(*value, was)
                        {
                            let is_known = assumed
                                .iter()
                                .any(|c| self.facts(Fact::of(*c, false)).contains(&fact));
                            let if_so = (!is_known).then_some(fact);
                            let at = Position { function: self.id, block, index };
                            found.insert(at, Take { lock, if_so });
                        }
                    }
                    _ if self.written(instruction).is_some() => loaded.clear(),
                    _ => {}
                }
                if !sections.contains(&Section::Locked) {
                    loaded.clear();
                    assumed.clear();
                }
            }
        }
    }

    /// When a thread takes a lock by storing a value to it where it has loaded another; `None` if
    /// the value may be 0 although that was not.
    fn takes(&self, value: Operand, was: ValueId) -> Option<Fact> {
        match value {
            Operand::Int { value: 1.., .. } => Some(Fact { value: was, is_zero: true }),
            Operand::Value(id) => match self.definitions.get(&id)? {
                Op::Copy { a } => self.takes(*a, was),
                Op::Select { condition, a: Operand::Int { value: 1.., .. }, b } => {
                    let fact = Fact::of(*condition, false);
                    let is_kept = *b == Operand::Value(was);
                    let was_free = Fact { value: was, is_zero: true };
                    fact.filter(|_| is_kept && self.facts(fact).contains(&was_free))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a store of 0 is one that what waits reaches memory before.
    fn gives_up(&self, at: Position, instruction: &Instruction) -> bool {
        let Some(code) = self.threads.codes.get(&at.function) else { return false };
        let Op::Store { value: Operand::Int { value: 0, .. }, .. } = &instruction.op else {
            return false;
        };
        if code.sections.before(self.function, at.block, at.index).contains(&Section::Locked) {
            return true;
        }
        match &code.effects.of[at.block.index()][at.index] {
            Effect::Drain => true,
            Effect::Store { release, .. } => {
                *release || self.threads.search.model == MemoryModel::Tso
            }
            _ => false,
        }
    }

    /// Finds what is held before each instruction, and before terminators.
    fn find_held(
        &self,
        takes: &BTreeMap<Position, Take>,
        locks: &BTreeSet<Lock>,
        found: &mut BTreeMap<Position, BTreeSet<Lock>>,
    ) -> Result<(), Exceeded> {
        let cfg = Cfg::new(self.function);
        let mut starts: Vec<Option<State>> = vec![None; self.function.blocks.len()];
        starts[Function::ENTRY.index()] = Some(State::default());
        let mut pending = vec![Function::ENTRY];
        while let Some(block) = pending.pop() {
            self.threads.search.limits.check()?;
            let Some(start) = starts[block.index()].clone() else { continue };
            let end = self.after(start, block, takes, locks, |_, _| ());
            let mut to = |target: BlockId, state: State| {
                let entry = &mut starts[target.index()];
                let met = match &*entry {
                    Some(old) => old.meet(&state),
                    None => state,
                };
                if entry.as_ref() != Some(&met) {
                    *entry = Some(met);
                    pending.push(target);
                }
            };
            match &self.function.block(block).terminator.kind {
                TerminatorKind::Branch { condition, then, otherwise } => {
                    to(then.block, self.given(end.clone(), *condition, true));
                    to(otherwise.block, self.given(end, *condition, false));
                }
                _ => cfg.successors(block).iter().for_each(|&next| to(next, end.clone())),
            }
        }
        for (block, _) in self.function.blocks() {
            if let Some(start) = starts[block.index()].take() {
                self.after(start, block, takes, locks, |index, state| {
                    if !state.held.is_empty() {
                        let at = Position { function: self.id, block, index };
                        found.insert(at, state.held.clone());
                    }
                });
            }
        }
        Ok(())
    }

    /// What is known at the end of a block; `see` is shown what is known before each instruction,
    /// and before the terminator.
    fn after(
        &self,
        mut state: State,
        block: BlockId,
        takes: &BTreeMap<Position, Take>,
        locks: &BTreeSet<Lock>,
        mut see: impl FnMut(usize, &State),
    ) -> State {
        let instructions = &self.function.block(block).instructions;
        for (index, instruction) in instructions.iter().enumerate() {
            see(index, &state);
            if let Some(result) = instruction.result {
                state.perhaps.retain(|(_, fact)| fact.value != result);
            }
            if let Op::Assume { condition } = &instruction.op {
                state = self.given(state, *condition, true);
            }
            let at = Position { function: self.id, block, index };
            if let Some(&Take { lock, if_so }) = takes.get(&at) {
                match if_so {
                    Some(fact) => drop(state.perhaps.insert((lock, fact))),
                    None => drop(state.held.insert(lock)),
                }
            } else if let Some(access) = self.written(instruction) {
                for lock in locks.iter().filter(|lock| lock.is_touched(&access)) {
                    state.held.remove(lock);
                    state.perhaps.retain(|(of, _)| of != lock);
                }
            }
        }
        see(instructions.len(), &state);
        state
    }

    /// What is known where a condition is as given.
    fn given(&self, mut state: State, condition: Operand, is: bool) -> State {
        if !state.perhaps.is_empty() {
            let facts = self.facts(Fact::of(condition, !is));
            let known = state.perhaps.iter().filter(|(_, fact)| facts.contains(fact));
            state.held.extend(known.map(|(lock, _)| *lock));
        }
        state
    }

    /// What follows from a fact.
    fn facts(&self, fact: Option<Fact>) -> BTreeSet<Fact> {
        let mut found = BTreeSet::new();
        let mut pending: Vec<Fact> = fact.into_iter().collect();
        while let Some(fact) = pending.pop() {
            let Fact { value, is_zero } = fact;
            if !found.insert(fact) {
                continue;
            }
            let Some(op) = self.definitions.get(&value) else { continue };
            match **op {
                Op::Copy { a } => pending.extend(Fact::of(a, is_zero)),
                Op::Cast { op: CastOp::ZeroExtend | CastOp::SignExtend, a } => {
                    pending.extend(Fact::of(a, is_zero));
                }
                Op::Compare { op: CompareOp::Eq, a, b: Operand::Int { value: 0, .. } } => {
                    pending.extend(Fact::of(a, !is_zero));
                }
                Op::Compare { op: CompareOp::Ne, a, b: Operand::Int { value: 0, .. } } => {
                    pending.extend(Fact::of(a, is_zero));
                }
                Op::Binary {
                    op: BinaryOp::Xor, a, b: Operand::Int { bits: 1, value: 1 }, ..
                } => {
                    pending.extend(Fact::of(a, !is_zero));
                }
                Op::Unary { op: UnaryOp::Not, a } if self.function.operand_type(a) == BOOL => {
                    pending.extend(Fact::of(a, !is_zero));
                }
                Op::Binary { op: BinaryOp::And, a, b, .. } if !is_zero => {
                    pending.extend([a, b].into_iter().filter_map(|of| Fact::of(of, false)));
                }
                Op::Binary { op: BinaryOp::Or, a, b, .. } if is_zero => {
                    pending.extend([a, b].into_iter().filter_map(|of| Fact::of(of, true)));
                }
                Op::Select {
                    condition,
                    a: Operand::Int { value: a, .. },
                    b: Operand::Int { value: b, .. },
                } if (a == 0) != (b == 0) => {
                    // It is 0 as the side is that is chosen.
                    pending.extend(Fact::of(condition, (a == 0) != is_zero));
                }
                _ => {}
            }
        }
        found
    }
}

impl State {
    /// What is known on two ways.
    fn meet(&self, other: &Self) -> Self {
        let held = self.held.intersection(&other.held).copied().collect();
        // Who holds a lock holds it if a fact holds, too.
        let is_known = |of: &Self, entry: &(Lock, Fact)| {
            of.held.contains(&entry.0) || of.perhaps.contains(entry)
        };
        let all = self.perhaps.union(&other.perhaps);
        let perhaps = all.filter(|e| is_known(self, e) && is_known(other, e)).copied().collect();
        Self { held, perhaps }
    }
}

#[cfg(test)]
mod tests {
    use sapa_ir::goto::{MemoryModel, parse, verify};
    use sapa_limits::Limits;

    use super::super::super::is_robust;

    /// Store buffering in code that holds a lock, if TAKE takes it and GIVE gives it up.
    const LOCKED: &str = "gir 1
memory sc
global $x: i32 = zero
global $y: i32 = zero
global $l: i32 = zero
global $other: i32 = zero
global $__unbuffered_l: i32 = zero
define @t0() {
TAKE
  store i32, $x, 1i32
  %9: i32 = load $y
GIVE
  return
}
define @t1() {
TAKE
  store i32, $y, 1i32
  %9: i32 = load $x
GIVE
  return
}
define @main() {
bb0:
  store i32, $l, 0i32
  %0: i64 = spawn @t0()
  %1: i64 = spawn @t1()
  REST
  return
}
entry @main
";

    /// Waits until the lock is free.
    const WAIT: &str = "bb0:
  atomic_begin.locked
  %0: i32 = load $l
  %1: i1 = eq %0, 0i32
  assume %1
  store i32, $l, 1i32
  atomic_end";

    /// Looks again and again, by what `AGAIN` says of what was found and done.
    const LOOK: &str = "bb0:
  jump bb1
bb1:
  atomic_begin.locked
  %0: i32 = load $l
  %1: i1 = eq %0, 0i32
  %2: i1 = nondet
  %3: i1 = and %1, %2
  %4: i32 = select %3, 1i32, %0
  store i32, $l, STORED
  atomic_end
  %5: i32 = zext TAKEN
  %6: i1 = ne %5, 0i32
  %7: i1 = not %6
  branch %7, bb1, bb2
bb2:";

    #[test]
    fn what_is_held_by_both_is_no_delay() {
        let robust = |take: &str, give: &str, rest: &str| {
            let text = LOCKED.replace("TAKE", take).replace("GIVE", give).replace("REST", rest);
            // Values are numbered without gaps.
            let (mut text, mut next) = (text, 2);
            for old in 2..=9 {
                let name = format!("%{old}");
                if text.contains(&name) {
                    text = text.replace(&name, &format!("%{next}"));
                    next += 1;
                }
            }
            let module = parse(&text, "locked").unwrap_or_else(|e| panic!("{e:?}\n{text}"));
            verify(&module).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
            [MemoryModel::Tso, MemoryModel::Pso].map(|model| {
                is_robust(&module, model, false, &Limits::default()).expect("an answer")
            })
        };
        let look =
            |stored: &str, taken: &str| LOOK.replace("STORED", stored).replace("TAKEN", taken);
        let unlock = "  store.seq_cst i32, $l, 0i32";
        let (always, never) = ([true, true], [false, false]);
        assert_eq!(robust(WAIT, unlock, ""), always);
        assert_eq!(robust(&look("1i32", "%1"), unlock, ""), always);
        assert_eq!(robust(&look("%4", "%3"), unlock, ""), always);
        // It may have failed although it was free, or have taken what it then looks for again.
        assert_eq!(robust(&look("%4", "%1"), unlock, ""), never);
        assert_eq!(robust(&look("0i32", "%1"), unlock, ""), never);
        let broken = look("1i32", "%1").replace("%7, bb1, bb2", "%7, bb2, bb1");
        assert_eq!(robust(&broken, unlock, ""), never);
        // What waits has to reach memory before the lock is free.
        assert_eq!(robust(WAIT, "  store.release i32, $l, 0i32", ""), always);
        assert_eq!(robust(WAIT, "  store i32, $l, 0i32", ""), [true, false]);
        let section = "  atomic_begin.locked\n  store i32, $l, 0i32\n  atomic_end";
        assert_eq!(robust(WAIT, section, ""), always);
        let at_once = WAIT.replace("$l", "$__unbuffered_l");
        assert_eq!(robust(&at_once, "  store i32, $__unbuffered_l, 0i32", ""), never);
        assert_eq!(robust(&at_once, "  store.release i32, $__unbuffered_l, 0i32", ""), never);
        // It is none where others may write to it, or it is given up by who does not hold it.
        assert_eq!(robust(WAIT, unlock, "store i32, $l, 1i32"), never);
        assert_eq!(robust(WAIT, unlock, "store i32, $l, 0i32"), never);
        assert_eq!(robust(WAIT, unlock, "store i8, $l, 1i8"), never);
        assert_eq!(robust(WAIT, &format!("{unlock}\n{unlock}"), ""), never);
        assert_eq!(robust(WAIT, &unlock.replace("0i32", "2i32"), ""), never);
        assert_eq!(robust(WAIT, unlock, "store i32, $other, 1i32"), always);
        // It is another one.
        assert_eq!(robust(WAIT, &unlock.replace("$l", "$other"), ""), always);
    }
}
