//! How a thread stands to a lock, place by place.
//!
//! Each candidate is followed alone, by property simulation: how a thread holds it is the property.
//!
//! What follows of how the lock is held (what it contains then) is used on the way, as in an induction over the steps of all
//! threads: up to a step all have kept to the rules, so what they imply holds before it; and so the step keeps
//! to them too. The first write that does not ends it: the cell is no lock.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::arithmetic::mask;
use sapa_ir::goto::{BinaryOp, BlockId, FunctionId, Instruction, Op, Operand};
use sapa_limits::{Exceeded, Limits};

use super::{Held, Hold, Locks, Part, Place, Ways, low_bit};
use crate::linear::{Sum, System};
use crate::transform::invariants::body::Body;
use crate::transform::invariants::cells::{Access, CellId, Cells};
use crate::transform::invariants::counting::Counts;
use crate::transform::invariants::range::MAX_WIDTH;
use crate::transform::invariants::simulation::{Property, Simulation};
use crate::transform::invariants::threads::Shared;
use crate::transform::invariants::walk::{Others, State, Variable, Walk};

/// Blocks that are executed at most, for all candidates.
const MOST_WALKS: usize = 10_000;

/// A lock.
pub(super) struct Followed {
    pub(super) lock: CellId,
    pub(super) part: Part,
    /// By function and block: how it may be held where the block begins.
    pub(super) held: FxHashMap<(FunctionId, BlockId), BTreeSet<Option<Hold>>>,
    /// Blocks where a thread may begin that has written to other cells since it took it.
    pub(super) touched: FxHashSet<(FunctionId, BlockId)>,
    /// By write to it: how it may be held before, and then.
    pub(super) steps: FxHashMap<Place, Ways>,
    /// By function and block that begins with holding it exclusively, on some ways: what is known there on those.
    pub(super) equations: FxHashMap<(FunctionId, BlockId), System<Variable>>,
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
    let others = Others { shared: Some(&any), ..Others::default() };
    for ((lock, part), words) in candidates(bodies, cells) {
        if found.iter().any(|followed: &Followed| followed.lock == lock) {
            continue;
        }
        let mut known = Locks::none(cells);
        if let [word] = words.iter().copied().collect::<Vec<_>>()[..] {
            known.words.insert(lock, word);
        }
        if part == Part::LowBit {
            known.bits.insert(lock);
        }
        let (held, steps) = (FxHashMap::default(), FxHashMap::default());
        let (touched, equations) = (FxHashSet::default(), FxHashMap::default());
        let followed = Followed { lock, part, held, touched, steps, equations, shared_word: None };
        let mut follow = Follow { known: &known, words, followed };
        let counts = &Counts::default();
        let mut simulation = Simulation { cells, locks: &known, others, counts, walks };
        let mut keeps_rules = true;
        for body in bodies.iter().filter(|body| cells.written(body.id).contains(&lock)) {
            let start = ((None, false), State::default());
            keeps_rules = keeps_rules && simulation.function(body, start, &mut follow, limits)?;
        }
        walks = simulation.walks;
        if keeps_rules && follow.takes(Hold::Exclusive) {
            let word = follow.takes(Hold::Shared).then(|| known.words.get(&lock).copied());
            found.push(Followed { shared_word: word.flatten(), ..follow.followed });
        }
    }
    Ok(found)
}

/// Cells that may be locks, with the words that are written to them: those of which bounds are known, that start with 0,
/// and where what is written may be another constant, but only in a section. And of other cells low bits, if they start
/// with an even number, and bits of that width are looked at at all.
fn candidates(bodies: &[Body<'_>], cells: &Cells) -> BTreeMap<(CellId, Part), BTreeSet<u128>> {
    let mut words: BTreeMap<CellId, BTreeSet<u128>> = BTreeMap::new();
    let mut others: BTreeSet<CellId> = BTreeSet::new();
    let mut clobbered: BTreeSet<CellId> = BTreeSet::new();
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
                    (Access::Write(cell), _) => drop(clobbered.insert(*cell)),
                    (Access::Clobber(cells), _) => clobbered.extend(cells),
                    _ => {}
                }
            }
        }
    }
    let widths = widths_of_bits(bodies);
    let mut found = BTreeMap::new();
    for (id, mut words) in words {
        let cell = &cells.all[id as usize];
        if clobbered.contains(&id) || cell.width > MAX_WIDTH {
            continue;
        }
        if widths.contains(&cell.width) && cell.initial.is_some_and(|value| value & 1 == 0) {
            found.insert((id, Part::LowBit), BTreeSet::new());
        }
        words.remove(&0);
        if !others.contains(&id) && cell.initial == Some(0) && !words.is_empty() {
            found.insert((id, Part::All), words);
        }
    }
    found
}

/// The widths of integers whose low bit operations look at, or change alone.
fn widths_of_bits(bodies: &[Body<'_>]) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for body in bodies {
        for instruction in body.function.instructions() {
            let Op::Binary { op, a, b, .. } = &instruction.op else { continue };
            let is_low = |operand: &Operand| match (op, operand) {
                (BinaryOp::And | BinaryOp::Or, Operand::Int { value: 1, .. }) => true,
                (BinaryOp::UnsignedRem | BinaryOp::SignedRem, Operand::Int { value: 2, .. }) => {
                    true
                }
                (BinaryOp::And, Operand::Int { value, bits }) => !*value & mask(*bits) == 1,
                _ => false,
            };
            if is_low(a) || is_low(b) {
                found.extend(body.integer(*a));
            }
        }
    }
    found
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

    /// Whether nobody holds the candidate if it contains this, as far as that is known.
    fn is_free(&self, walk: &Walk<'_>, content: &Sum<Variable>) -> Option<bool> {
        let value = match self.followed.part {
            Part::All => walk.constant(content)?,
            Part::LowBit => walk.constant(&low_bit(content))?,
        };
        let is_word = self.followed.part == Part::LowBit || self.words.contains(&value);
        if value == 0 { Some(true) } else { is_word.then_some(false) }
    }

    /// How the candidate is held behind a write, before which it had this content and was held so; `None` if the
    /// write does not keep to the rules.
    fn then(
        &self,
        walk: &Walk<'_>,
        before: &Sum<Variable>,
        hold: Option<Hold>,
    ) -> Option<Option<Hold>> {
        let after = walk.content(self.followed.lock);
        let mut change = after.clone();
        change.add(before, u128::MAX);
        let change = walk.constant(&change);
        let (was_free, is_free) = (self.is_free(walk, before), self.is_free(walk, after));
        let less_one = Sum::<Variable>::constant(before.width, u128::MAX).value();
        let is_one_step = walk.is_in_section() || walk.is_alone();
        match hold {
            _ if change == Some(0) => Some(hold),
            // Who is alone may prepare it.
            None if walk.is_alone() && is_free == Some(true) => Some(None),
            None if is_one_step && was_free == Some(true) && is_free.is_some() => {
                Some((is_free == Some(false)).then_some(Hold::Exclusive))
            }
            None if is_one_step && change == Some(1) => {
                let word = i128::try_from(*self.known.words.get(&self.followed.lock)?).ok()?;
                let [(_, most), _] = walk.bounds_of(before)?.bounds();
                (most + 1 < word).then_some(Some(Hold::Shared))
            }
            Some(Hold::Exclusive) => is_free.map(|is_free| (!is_free).then_some(Hold::Exclusive)),
            Some(Hold::Shared) if is_one_step && change == less_one => Some(None),
            _ => None,
        }
    }
}

/// How a thread holds the candidate, and whether it has written to other cells since.
impl Property for Follow<'_> {
    type Value = (Option<Hold>, bool);

    fn follows(&self, cell: CellId) -> bool {
        cell == self.followed.lock
    }

    fn held(&self, (hold, _): &Self::Value) -> Held {
        hold.iter().map(|hold| (self.followed.lock, *hold)).collect()
    }

    fn know(&mut self, at: (FunctionId, BlockId), (hold, _): &Self::Value, state: &State) {
        if *hold == Some(Hold::Exclusive) {
            match self.followed.equations.entry(at) {
                Entry::Vacant(none) => drop(none.insert(state.system.clone())),
                Entry::Occupied(mut known) => {
                    let mut both = known.get().join(&state.system);
                    // What both imply has the solutions of both.
                    let _ = both.normalize();
                    known.insert(both);
                }
            }
        }
    }

    fn enter(&self, walk: &mut Walk<'_>, (hold, _): &Self::Value) {
        walk.hold_lock(self.followed.lock, *hold);
    }

    fn come(
        &mut self,
        (function, block, index): Place,
        _: Option<&Walk<'_>>,
        (hold, touched): &Self::Value,
    ) {
        if index == 0 {
            self.followed.held.entry((function, block)).or_default().insert(*hold);
            if *touched {
                self.followed.touched.insert((function, block));
            }
        }
    }

    fn passed(
        &self,
        _: &Instruction,
        access: &Access,
        (hold, touched): Self::Value,
    ) -> Option<Self::Value> {
        let writes = matches!(access, Access::Write(_) | Access::Clobber(_));
        Some((hold, if writes { hold.is_some() } else { touched }))
    }

    fn written(
        &mut self,
        place: Place,
        walk: &mut Walk<'_>,
        (_, before): (CellId, &Sum<Variable>),
        (hold, touched): &Self::Value,
    ) -> Option<Self::Value> {
        let then = self.then(walk, before, *hold)?;
        self.followed.steps.entry(place).or_default().insert((*hold, then));
        // What was written before a lock was taken alone has been left for nobody: it counts as written since.
        let takes_alone = hold.is_none() && walk.is_alone();
        Some((then, then.is_some() && (*touched || takes_alone)))
    }
}
