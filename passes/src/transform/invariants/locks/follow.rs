//! How a thread stands to a lock, place by place.
//!
//! Each candidate is followed alone, by *property simulation* (Das, Lerner and Seigle, "ESP: path-sensitive program
//! verification in polynomial time", PLDI 2002): what is known where a block begins is kept apart for each way in which
//! the thread may hold the lock there, and joined otherwise. So a compare-and-exchange, which takes the lock or not, is told
//! apart by what the program does with its result, however many blocks later.
//!
//! What follows of how the lock is held (what it contains then) is used on the way, as in an induction over the steps of all
//! threads: up to a step all have kept to the rules, so what they imply holds before it; and so the step keeps
//! to them too. The first write that does not ends it: the cell is no lock.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::{BlockId, Function, FunctionId, Op, Operand};
use sapa_limits::{Exceeded, Limits};

use super::{Hold, Locks, Place};
use crate::linear::Sum;
use crate::transform::invariants::body::Body;
use crate::transform::invariants::cells::{Access, CellId, Cells};
use crate::transform::invariants::threads::{Shared, go_on, join};
use crate::transform::invariants::walk::{State, Variable, Walk};

/// Blocks that are executed at most, for all candidates.
const MOST_WALKS: usize = 10_000;

/// A lock.
pub(super) struct Followed {
    pub(super) lock: CellId,
    /// By function and block: how it may be held where the block begins.
    pub(super) held: FxHashMap<(FunctionId, BlockId), BTreeSet<Option<Hold>>>,
    /// By write to it: how it may be held before, and then.
    pub(super) steps: FxHashMap<Place, BTreeSet<(Option<Hold>, Option<Hold>)>>,
    /// The word, if some hold it shared.
    pub(super) shared_word: Option<u128>,
}

/// All locks.
pub(super) fn all(
    bodies: &[Body<'_>],
    cells: &Cells,
    limits: &Limits,
) -> Result<Vec<Followed>, Exceeded> {
    let mut walks = MOST_WALKS;
    let mut found = Vec::new();
    let any = Shared::any(cells);
    for (lock, words) in candidates(bodies, cells) {
        let mut known = Locks::none(cells);
        if let [word] = words.iter().copied().collect::<Vec<_>>()[..] {
            known.words.insert(lock, word);
        }
        let (held, steps) = (FxHashMap::default(), FxHashMap::default());
        let followed = Followed { lock, held, steps, shared_word: None };
        let mut follow = Follow { cells, any: &any, known: &known, words, followed };
        let mut keeps_rules = true;
        for body in bodies.iter().filter(|body| cells.written(body.id).contains(&lock)) {
            keeps_rules = keeps_rules && follow.function(body, &mut walks, limits)?;
        }
        if keeps_rules && follow.takes(Hold::Exclusive) {
            let word = follow.takes(Hold::Shared).then(|| known.words.get(&lock).copied());
            found.push(Followed { shared_word: word.flatten(), ..follow.followed });
        }
    }
    Ok(found)
}

/// Cells that may be locks, with the words that are written to them: those that start with 0, and where what is written may
/// be another constant, but only in a section.
fn candidates(bodies: &[Body<'_>], cells: &Cells) -> BTreeMap<CellId, BTreeSet<u128>> {
    let mut words: BTreeMap<CellId, BTreeSet<u128>> = BTreeMap::new();
    let mut others: BTreeSet<CellId> = BTreeSet::new();
    for body in bodies {
        for &block in &body.order {
            let mut depth = body.depths[block.index()];
            let mut alone = body.alone[block.index()];
            for (index, instruction) in body.function.block(block).instructions.iter().enumerate() {
                match &instruction.op {
                    Op::AtomicBegin(_) => depth += 1,
                    Op::AtomicEnd => depth = depth.saturating_sub(1),
                    Op::Spawn { .. } => alone = false,
                    _ => {}
                }
                match (cells.at(body.id, block.index(), index), &instruction.op) {
                    (Access::Write(cell), Op::Store { value, .. }) => {
                        let written = constants(body, *value);
                        if depth == 0 && !alone && written.iter().any(|word| *word != 0) {
                            others.insert(*cell);
                        }
                        words.entry(*cell).or_default().extend(written);
                    }
                    (Access::Write(cell), _) => drop(others.insert(*cell)),
                    (Access::Clobber(cells), _) => others.extend(cells),
                    _ => {}
                }
            }
        }
    }
    let may_be =
        |cell: &CellId| cells.all[*cell as usize].initial == Some(0) && !others.contains(cell);
    words.retain(|cell, words| {
        words.remove(&0);
        may_be(cell) && !words.is_empty()
    });
    words
}

/// The constants that an operand may be by what it is selected from.
fn constants(body: &Body<'_>, operand: Operand) -> Vec<u128> {
    let (mut found, mut pending) = (Vec::new(), vec![operand]);
    while let Some(operand) = pending.pop() {
        match operand {
            Operand::Int { value, .. } => found.push(value),
            Operand::Value(value) => match body.definitions.get(&value) {
                Some(Op::Copy { a }) => pending.push(*a),
                Some(Op::Select { a, b, .. }) => pending.extend([*a, *b]),
                _ => {}
            },
            _ => {}
        }
    }
    found
}

/// A candidate that is being followed.
struct Follow<'a> {
    cells: &'a Cells,
    any: &'a Shared,
    /// Nothing but the candidate's word, if there is but one.
    known: &'a Locks,
    words: BTreeSet<u128>,
    followed: Followed,
}

impl Follow<'_> {
    /// Whether it is taken in a way.
    fn takes(&self, hold: Hold) -> bool {
        let mut ways = self.followed.steps.values().flatten();
        ways.any(|(before, after)| before != after && *after == Some(hold))
    }

    /// Follows it through a function; whether all of its writes there keep to the rules.
    fn function(
        &mut self,
        body: &Body<'_>,
        walks: &mut usize,
        limits: &Limits,
    ) -> Result<bool, Exceeded> {
        type At = (BlockId, Option<Hold>);
        let mut states: BTreeMap<At, (State, usize)> = BTreeMap::new();
        let mut pending: BTreeSet<At> = BTreeSet::new();
        states.insert((Function::ENTRY, None), (State::default(), 0));
        pending.insert((Function::ENTRY, None));
        let next = |pending: &BTreeSet<At>| {
            let of = |block: &&BlockId| pending.iter().any(|(at, _)| at == *block);
            let block = body.order.iter().find(of)?;
            pending.iter().find(|(at, _)| at == block).copied()
        };
        while let Some(at) = next(&pending) {
            limits.check()?;
            pending.remove(&at);
            if *walks == 0 {
                return Ok(false);
            }
            *walks -= 1;
            let Some((state, _)) = states.get(&at) else { continue };
            let Some(left) = self.block(body, at, state) else { return Ok(false) };
            for (to, state) in left {
                let is_header = body.headers.contains(&to.0);
                let joined = match states.get(&to) {
                    None => (state, 0),
                    Some((known, visits)) => {
                        let joined = join(known, &state, if is_header { *visits } else { 0 }, body);
                        if joined == *known {
                            continue;
                        }
                        (joined, visits + 1)
                    }
                };
                states.insert(to, joined);
                if !body.decisions.contains(&to.0) {
                    pending.insert(to);
                }
            }
        }
        for (block, hold) in states.into_keys() {
            self.followed.held.entry((body.id, block)).or_default().insert(hold);
        }
        Ok(true)
    }

    /// Executes a block for a thread that holds the candidate so where it begins: where that goes on, and how it is held there.
    /// `None` if a write does not keep to the rules.
    fn block(
        &mut self,
        body: &Body<'_>,
        (block, hold): (BlockId, Option<Hold>),
        state: &State,
    ) -> Option<Vec<((BlockId, Option<Hold>), State)>> {
        let lock = self.followed.lock;
        let data = body.function.block(block);
        let known = (Some(self.any), None);
        let mut walk = Walk::new(body, self.cells, self.known, known, block, state);
        walk.hold_lock(lock, hold);
        let mut left = Vec::new();
        let mut cases = vec![(walk, hold, 0)];
        'cases: while let Some((mut walk, hold, first)) = cases.pop() {
            for (index, instruction) in data.instructions.iter().enumerate().skip(first) {
                if walk.is_dead() {
                    continue 'cases;
                }
                let is_write = matches!(self.cells.at(body.id, block.index(), index), Access::Write(cell) if *cell == lock);
                if !is_write {
                    walk.step(block, index, instruction);
                    continue;
                }
                walk.interrupt();
                let before = walk.content(lock).clone();
                walk.step(block, index, instruction);
                for mut case in walk.cases() {
                    if !case.is_dead() {
                        let then = self.written(&case, &before, hold)?;
                        let ways = self.followed.steps.entry((body.id, block, index)).or_default();
                        ways.insert((hold, then));
                        case.hold_lock(lock, then);
                        cases.push((case, then, index + 1));
                    }
                }
                continue 'cases;
            }
            if walk.is_dead() {
                continue;
            }
            go_on(&walk, &data.terminator.kind, &mut |walk, target| {
                let state = walk.leave(target.block, &target.arguments);
                left.extend(state.map(|state| ((target.block, hold), state)));
            });
        }
        Some(left)
    }

    /// How the candidate is held behind a write, before which it had this content and was held so; `None` if the
    /// write does not keep to the rules.
    fn written(
        &self,
        walk: &Walk<'_>,
        before: &Sum<Variable>,
        hold: Option<Hold>,
    ) -> Option<Option<Hold>> {
        let after = walk.content(self.followed.lock);
        let mut change = after.clone();
        change.add(before, u128::MAX);
        let (was, is, change) =
            (walk.constant(before), walk.constant(after), walk.constant(&change));
        let less_one = Sum::<Variable>::constant(before.width, u128::MAX).value();
        let is_one_step = walk.is_in_section() || walk.is_alone();
        match hold {
            _ if change == Some(0) => Some(hold),
            // Who is alone may prepare it.
            None if walk.is_alone() && is == Some(0) => Some(None),
            None if is_one_step
                && was == Some(0)
                && is.is_some_and(|is| self.words.contains(&is)) =>
            {
                Some(Some(Hold::Exclusive))
            }
            None if is_one_step && change == Some(1) => {
                let word = i128::try_from(*self.known.words.get(&self.followed.lock)?).ok()?;
                let [(_, most), _] = walk.bounds_of(before)?.bounds();
                (most + 1 < word).then_some(Some(Hold::Shared))
            }
            Some(Hold::Exclusive) if is == Some(0) => Some(None),
            Some(Hold::Shared) if is_one_step && change == less_one => Some(None),
            _ => None,
        }
    }
}
