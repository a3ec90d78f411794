//! Which cells are locks, who holds them where, and what they guard.
//!
//! A cell that starts with 0 is a lock if it is written in two ways only: from 0 to another constant
//! within an atomic section, by which a thread comes to hold it, and to 0 by a thread that holds it.
//! Then it is 0 exactly if nobody holds it, and no two threads do: whoever takes it finds 0, and only
//! the one that holds it brings the 0 back. Mutexes and spinning locks are recognised by that, not by
//! their names.
//!
//! A lock guards a cell that other threads exist to see, if each write to it is by a thread that
//! holds the lock. Reads elsewhere may find anything that is ever there.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{BlockId, FunctionId, Op, Operand};

use super::body::Body;
use super::cells::{Access, CellId, Cells};
use super::threads::Shared;
use super::walk::{State, Walk};

/// What a write does to a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The thread takes it.
    Acquire(CellId),
    /// The thread gives it back.
    Release(CellId),
}

/// Where an instruction stands.
type Place = (FunctionId, BlockId, usize);

/// The locks of a program.
#[derive(Debug, Default)]
pub(super) struct Locks {
    events: FxHashMap<Place, Event>,
    /// By function and block: what is held where the block begins, in all runs.
    held: FxHashMap<(FunctionId, BlockId), BTreeSet<CellId>>,
    /// By cell: the lock that guards it.
    guards: Vec<Option<CellId>>,
}

impl Locks {
    /// None at all.
    fn none(cells: &Cells) -> Self {
        Self { guards: vec![None; cells.all.len()], ..Self::default() }
    }

    /// What is known of the locks of thread functions.
    pub(super) fn new(bodies: &[Body<'_>], cells: &Cells) -> Self {
        let mut locks = Self::none(cells);
        let mut candidates: BTreeSet<CellId> = (0..)
            .zip(&cells.all)
            .filter(|(_, cell)| cell.initial == Some(0))
            .map(|(id, _)| id)
            .collect();
        let mut taken = BTreeSet::new();
        let events: Vec<(Place, bool, Event)> =
            bodies.iter().flat_map(|body| events(body, cells, &mut candidates)).collect();
        for (_, _, event) in &events {
            if let Event::Acquire(lock) = event {
                taken.insert(*lock);
            }
        }
        candidates.retain(|lock| taken.contains(lock));
        for (place, _, event) in &events {
            let (Event::Acquire(lock) | Event::Release(lock)) = event;
            if candidates.contains(lock) {
                locks.events.insert(*place, *event);
            }
        }
        bodies.iter().for_each(|body| locks.hold(body, &candidates));
        // Who gives back what it does not hold breaks the lock, but for one that prepares it alone.
        let mut broken = BTreeSet::new();
        for (place @ (function, block, index), alone, event) in events {
            if let Event::Release(lock) = event
                && !alone
                && locks.events.contains_key(&place)
                && !locks.at(function, block, index).contains(&lock)
            {
                broken.insert(lock);
            }
        }
        locks.events.retain(|_, event| {
            let (Event::Acquire(lock) | Event::Release(lock)) = event;
            !broken.contains(lock)
        });
        locks.held.values_mut().for_each(|held| held.retain(|lock| !broken.contains(lock)));
        locks.guard(bodies, cells);
        locks
    }

    /// What an instruction does to a lock.
    pub(super) fn event(&self, place: Place) -> Option<Event> {
        self.events.get(&place).copied()
    }

    /// What is held where a block begins.
    pub(super) fn held(&self, function: FunctionId, block: BlockId) -> BTreeSet<CellId> {
        self.held.get(&(function, block)).cloned().unwrap_or_default()
    }

    /// The lock that guards a cell.
    pub(super) fn guard_of(&self, cell: CellId) -> Option<CellId> {
        self.guards[cell as usize]
    }

    /// What is held before an instruction.
    fn at(&self, function: FunctionId, block: BlockId, index: usize) -> BTreeSet<CellId> {
        let mut held = self.held(function, block);
        (0..index).for_each(|at| self.advance((function, block, at), &mut held));
        held
    }

    /// Executes an instruction.
    pub(super) fn advance(&self, place: Place, held: &mut BTreeSet<CellId>) {
        match self.event(place) {
            Some(Event::Acquire(lock)) => drop(held.insert(lock)),
            Some(Event::Release(lock)) => drop(held.remove(&lock)),
            None => {}
        }
    }

    /// Finds what is held at the starts of blocks: what is on all ways there.
    fn hold(&mut self, body: &Body<'_>, locks: &BTreeSet<CellId>) {
        let first = sapa_ir::goto::Function::ENTRY;
        for &block in &body.order {
            let start = if block == first { BTreeSet::new() } else { locks.clone() };
            self.held.insert((body.id, block), start);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &body.order {
                let data = body.function.block(block);
                let held = self.at(body.id, block, data.instructions.len());
                data.terminator.kind.for_each_target(|target| {
                    if let Some(known) = self.held.get_mut(&(body.id, target.block)) {
                        let before = known.len();
                        known.retain(|lock| held.contains(lock));
                        changed |= known.len() != before;
                    }
                });
            }
        }
    }

    /// Finds what locks guard: of those that are held at all writes that others may see, the first.
    fn guard(&mut self, bodies: &[Body<'_>], cells: &Cells) {
        let mut common: Vec<Option<BTreeSet<CellId>>> = vec![None; cells.all.len()];
        for body in bodies {
            for &block in &body.order {
                let mut held = self.held(body.id, block);
                let mut alone = body.alone[block.index()];
                for (index, instruction) in
                    body.function.block(block).instructions.iter().enumerate()
                {
                    alone &= !matches!(instruction.op, Op::Spawn { .. });
                    let written: &[CellId] = match cells.at(body.id, block.index(), index) {
                        Access::Write(cell) => std::slice::from_ref(cell),
                        Access::Clobber(cells) => cells,
                        Access::None | Access::Read(_) => &[],
                    };
                    for &cell in written.iter().filter(|_| !alone) {
                        match &mut common[cell as usize] {
                            Some(common) => common.retain(|lock| held.contains(lock)),
                            none => *none = Some(held.clone()),
                        }
                    }
                    self.advance((body.id, block, index), &mut held);
                }
            }
        }
        let is_lock = |cell: usize, locks: &Self| {
            locks.events.values().any(|event| {
                let (Event::Acquire(lock) | Event::Release(lock)) = event;
                *lock as usize == cell
            })
        };
        for (cell, common) in common.into_iter().enumerate() {
            if !is_lock(cell, self) {
                self.guards[cell] = common.and_then(|common| common.first().copied());
            }
        }
    }
}

/// Writes of a function that treat their cells as locks, each with whether no other thread exists
/// there; what is written in another way is no candidate any more. What decides stands within one
/// block: nothing is taken to be known where it begins.
fn events(
    body: &Body<'_>,
    cells: &Cells,
    candidates: &mut BTreeSet<CellId>,
) -> Vec<(Place, bool, Event)> {
    let (any, none) = (Shared::any(cells), Locks::none(cells));
    let mut found = Vec::new();
    for &block in &body.order {
        let state = State::default();
        let mut walk = Walk::new(body, cells, &none, (Some(&any), None), block, &state);
        for (index, instruction) in body.function.block(block).instructions.iter().enumerate() {
            match cells.at(body.id, block.index(), index) {
                Access::Write(cell) if candidates.contains(cell) => {
                    let written = match &instruction.op {
                        Op::Store { value: Operand::Int { value, .. }, .. } => Some(*value),
                        _ => None,
                    };
                    let event = match written {
                        Some(0) => Some(Event::Release(*cell)),
                        Some(_) if walk.is_in_section() && walk.is_zero(*cell) => {
                            Some(Event::Acquire(*cell))
                        }
                        _ => None,
                    };
                    match event {
                        Some(event) => {
                            found.push(((body.id, block, index), walk.is_alone(), event))
                        }
                        None => {
                            candidates.remove(cell);
                        }
                    }
                }
                Access::Clobber(cells) => candidates.retain(|cell| !cells.contains(cell)),
                _ => {}
            }
            walk.step(block, index, instruction);
        }
    }
    found
}
