//! *Property simulation* (Das, Lerner and Seigle, "ESP: path-sensitive program verification in polynomial time", PLDI 2002):
//! a thread function is executed with a property of its thread beside what is known of variables, such as how it holds a
//! lock. What is known where a block begins is kept apart for each value of the property, and joined otherwise. So what a
//! compare-and-exchange did is told apart by what the program does with its result, however many blocks
//! later.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::{BlockId, Function, FunctionId, Instruction};
use sapa_limits::{Exceeded, Limits};

use super::body::Body;
use super::cells::{Access, CellId, Cells};
use super::counting::Counts;
use super::locks::{Held, Locks};
use super::threads::{go_on, join};
use super::walk::{Others, State, Variable, Walk};
use crate::linear::Sum;

/// More values of a property at one block are not followed.
const MOST_VALUES: usize = 8;

/// Writes that depend on conditions may have more outcomes together in one block, which are then not told apart.
const MOST_CASES: usize = 32;

/// Where a block goes on, with which values of a property, and what is known then.
type Left<V> = Vec<((BlockId, V), State)>;

/// How a thread comes to a block.
pub(super) struct Arrival {
    pub(super) block: (FunctionId, BlockId),
    /// Whether by a jump back.
    pub(super) is_back: bool,
    /// How many values threads have there already, if this one is none of them.
    pub(super) others: Option<usize>,
}

/// A property of threads that changes where they write to some cells.
pub(super) trait Property {
    /// Its values.
    type Value: Ord + Clone;

    /// Whether writes to this cell change it.
    fn follows(&self, cell: CellId) -> bool;

    /// The locks that a thread of this value holds beside those that are known.
    fn held(&self, _: &Self::Value) -> Held {
        Held::new()
    }

    /// A thread has this value where a block begins, or behind a write to the cell; what that says may be noted.
    fn enter(&self, walk: &mut Walk<'_>, value: &Self::Value);

    /// A thread of this value comes to an instruction of a block, or to its end; without a walk in blocks that only
    /// decide where to go on.
    fn come(
        &mut self,
        place: (FunctionId, BlockId, usize),
        walk: Option<&Walk<'_>>,
        value: &Self::Value,
    );

    /// What is known where a block begins that a thread of this value comes to, once nothing new is found.
    fn know(&mut self, _: (FunctionId, BlockId), _: &Self::Value, _: &State) {}

    /// The value behind an instruction that writes to none of the cells; `None` ends the simulation.
    fn passed(&self, _: &Instruction, _: &Access, value: Self::Value) -> Option<Self::Value> {
        Some(value)
    }

    /// The value with which a thread of this value goes on in a block.
    fn arrive(&mut self, _: Arrival, value: Self::Value) -> Self::Value {
        value
    }

    /// What a write to a cell that contained `before` may have done, each by itself.
    fn cases<'a>(&self, walk: &Walk<'a>, _: CellId, _: &Sum<Variable>) -> Vec<Walk<'a>> {
        walk.cases()
    }

    /// The value behind a write to a cell, with what that contained before; `None` ends the simulation.
    fn written(
        &mut self,
        place: (FunctionId, BlockId, usize),
        walk: &mut Walk<'_>,
        written: (CellId, &Sum<Variable>),
        value: &Self::Value,
    ) -> Option<Self::Value>;
}

/// What is known of the program, and how much may be done.
pub(super) struct Simulation<'a> {
    pub(super) cells: &'a Cells,
    pub(super) locks: &'a Locks,
    pub(super) others: Others<'a>,
    pub(super) counts: &'a Counts,
    /// Blocks that may still be executed.
    pub(super) walks: usize,
}

impl Simulation<'_> {
    /// Executes a function with a property, of which threads have this value where it begins; whether that came to
    /// an end.
    pub(super) fn function<P: Property>(
        &mut self,
        body: &Body<'_>,
        start: (P::Value, State),
        property: &mut P,
        limits: &Limits,
    ) -> Result<bool, Exceeded> {
        let mut states: BTreeMap<(BlockId, P::Value), (State, usize)> = BTreeMap::new();
        let mut pending: BTreeMap<BlockId, BTreeSet<P::Value>> = BTreeMap::new();
        pending.entry(Function::ENTRY).or_default().insert(start.0.clone());
        states.insert((Function::ENTRY, start.0), (start.1, 0));
        while let Some(&block) = body.order.iter().find(|block| pending.contains_key(block)) {
            for value in pending.remove(&block).unwrap_or_default() {
                limits.check()?;
                if self.walks == 0 {
                    return Ok(false);
                }
                self.walks -= 1;
                let at = (block, value);
                let Some((state, _)) = states.get(&at) else { continue };
                let Some(left) = self.block(body, &at, state, property) else { return Ok(false) };
                for ((to, value), state) in left {
                    let is_header = body.headers.contains(&to);
                    let values = states.keys().filter(|(at, _)| *at == to).count();
                    let at = (to, value);
                    let arrival = Arrival {
                        block: (body.id, to),
                        is_back: is_header && body.is_backwards(block, to),
                        others: (!states.contains_key(&at)).then_some(values),
                    };
                    let to = (to, property.arrive(arrival, at.1));
                    let joined = match states.get(&to) {
                        None => (state, 0),
                        Some((known, visits)) => {
                            let counted = if is_header { *visits } else { 0 };
                            let joined = join(known, &state, counted, body);
                            if joined == *known {
                                continue;
                            }
                            (joined, visits + 1)
                        }
                    };
                    states.insert(to.clone(), joined);
                    if !body.decisions.contains(&to.0) {
                        pending.entry(to.0).or_default().insert(to.1);
                    }
                }
            }
            let values = |block: BlockId| states.keys().filter(move |(at, _)| *at == block).count();
            if pending.keys().any(|block| values(*block) > MOST_VALUES) {
                return Ok(false);
            }
        }
        for ((block, value), (state, _)) in &states {
            property.know((body.id, *block), value, state);
        }
        // Blocks that only decide where to go on were executed behind the jumps to them.
        for (block, value) in states.keys().filter(|(block, _)| body.decisions.contains(block)) {
            for index in 0..=body.function.block(*block).instructions.len() {
                property.come((body.id, *block, index), None, value);
            }
        }
        Ok(true)
    }

    /// Executes a block: where that goes on, and with what. `None` if the property ends the simulation.
    fn block<P: Property>(
        &self,
        body: &Body<'_>,
        (block, value): &(BlockId, P::Value),
        state: &State,
        property: &mut P,
    ) -> Option<Left<P::Value>> {
        let block = *block;
        let data = body.function.block(block);
        let mut held = self.locks.held(body.id, block);
        held.extend(property.held(value));
        let start = (block, state);
        let walk = Walk::new(body, self.cells, self.locks, self.others, held, start);
        let mut walk = walk.counted(self.counts, block);
        property.enter(&mut walk, value);
        let mut left = Vec::new();
        let mut cases = vec![(walk, value.clone(), 0)];
        let mut splits = 0;
        'cases: while let Some((mut walk, mut value, first)) = cases.pop() {
            for (index, instruction) in data.instructions.iter().enumerate().skip(first) {
                if walk.is_dead() {
                    continue 'cases;
                }
                let place = (body.id, block, index);
                property.come(place, Some(&walk), &value);
                let access = self.cells.at(body.id, block.index(), index);
                let written = match access {
                    Access::Write(cell) if property.follows(*cell) => Some(*cell),
                    _ => None,
                };
                let Some(cell) = written else {
                    walk.step(block, index, instruction);
                    value = property.passed(instruction, access, value)?;
                    continue;
                };
                // Executing the write, others may act once more: then nobody does.
                walk.await_others(block, index);
                let before = walk.content(cell).clone();
                walk.step(block, index, instruction);
                let outcomes = property.cases(&walk, cell, &before);
                splits += outcomes.len().saturating_sub(1);
                if splits > MOST_CASES {
                    return None;
                }
                for mut case in outcomes {
                    if !case.is_dead() {
                        let then = property.written(place, &mut case, (cell, &before), &value)?;
                        property.enter(&mut case, &then);
                        cases.push((case, then, index + 1));
                    }
                }
                continue 'cases;
            }
            if walk.is_dead() {
                continue;
            }
            property.come((body.id, block, data.instructions.len()), Some(&walk), &value);
            go_on(&walk, &data.terminator.kind, &mut |walk, target| {
                let state = walk.leave(target.block, &target.arguments);
                left.extend(state.map(|state| ((target.block, value.clone()), state)));
            });
        }
        Some(left)
    }
}
