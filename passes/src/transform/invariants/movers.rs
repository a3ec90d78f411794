//! Steps that commute with all that other threads can do meanwhile (Lipton, "Reduction: a method of proving properties of
//! parallel programs", CACM 1975).
//!
//! An access is a *both-mover* if no other thread can come to one that conflicts with it: to the same bytes, one of the two
//! a write. That is known
//! - where both threads hold a lock in common, one of them exclusively;
//! - where the initial thread is the one that accesses, and the other has not been started yet, or has ended: the initial thread
//!   has waited for its flag, or for as many ends as there are starts (`join-flags`).
//!
//! To give a lock back is a *left-mover* if all who look at the lock wait until it is free: who waits does nothing meanwhile,
//! so that it may be given back as soon as the thread has done what comes before. To take such a lock has no effect that
//! others see: they can but not go on.

mod lives;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;
use sapa_ir::goto::types::int_size;
use sapa_ir::goto::{BlockId, CompareOp, Function, FunctionId, Module, Op, Operand, Type, ValueId};
use sapa_limits::{Exceeded, Limits};

use super::body::Body;
use super::cells::Cells;
use super::locks::{Held, Hold, Locks, Part};
use super::threads::{bodies, roots};
use crate::analysis::once::ExecutedOnce;
use crate::analysis::points_to::{Object, Offsets, Place, PointsTo};
use crate::analysis::{Analyses, Analysis};
use lives::Lives;

/// An instruction: function, block, index.
type At = (FunctionId, BlockId, usize);

/// More pairs of accesses are not compared: nothing commutes then.
const MOST_PAIRS: usize = 1 << 22;

/// Which steps of a program commute with those of other threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Movers {
    guarded: FxHashSet<At>,
    taken: FxHashSet<At>,
    given_back: FxHashSet<At>,
}

impl Movers {
    /// Whether an instruction is an access, and no other thread can come to one that conflicts with it.
    #[must_use]
    pub fn is_guarded(&self, at: (FunctionId, BlockId, usize)) -> bool {
        self.guarded.contains(&at)
    }

    /// Whether an instruction takes a lock that all others wait for who look at it.
    #[must_use]
    pub fn takes(&self, at: (FunctionId, BlockId, usize)) -> bool {
        self.taken.contains(&at)
    }

    /// Whether an instruction gives back a lock that all others wait for who look at it, and does nothing else.
    #[must_use]
    pub fn gives_back(&self, at: (FunctionId, BlockId, usize)) -> bool {
        self.given_back.contains(&at)
    }
}

impl Analysis for Movers {
    const NAME: &'static str = "steps that commute";

    fn compute(module: &Module, analyses: &mut Analyses) -> Result<Self, Exceeded> {
        let Some(roots) = roots(module) else { return Ok(Self::default()) };
        let points_to = analyses.get::<PointsTo>(module)?;
        let once = analyses.get::<ExecutedOnce>(module)?;
        let limits = analyses.limits().clone();
        let cells = Cells::new(module, &points_to, &roots, &limits)?;
        let bodies = bodies(module, &roots, &once, &cells, &limits)?;
        let locks = Locks::new(&bodies, &cells, &limits)?;
        let lives = Lives::new(module, &points_to, &roots, &once);
        let finder = Finder { module, points_to: &points_to, cells: &cells, locks: &locks };
        let accesses = finder.accesses(&bodies, &lives);
        let mut found = Self::default();
        finder.guarded(&accesses, &once, &mut found, &limits)?;
        finder.waited_for(&bodies, &accesses, &mut found);
        Ok(found)
    }
}

/// What an instruction may access.
struct Access {
    at: At,
    places: Vec<Place>,
    /// Bytes from each of them on.
    size: u64,
    writes: bool,
    is_in_section: bool,
    held: Held,
    /// Which thread functions others may be executing meanwhile, by their place among the roots.
    beside: FixedBitSet,
    /// Its own function's place among them.
    root: usize,
}

impl Access {
    /// Whether it and an access of another thread may be to the same bytes, one of them a write.
    fn conflicts(&self, other: &Self) -> bool {
        let meets = |a: &Place, b: &Place| {
            a.object.is_any()
                || b.object.is_any()
                || a.object == b.object && a.offsets.may_overlap(self.size, b.offsets, other.size)
        };
        (self.writes || other.writes)
            && self.places.iter().any(|a| other.places.iter().any(|b| meets(a, b)))
    }

    /// Whether the two threads hold a lock that not both can hold.
    fn excludes(&self, other: &Self) -> bool {
        self.held.iter().any(|(lock, hold)| {
            let theirs = other.held.get(lock);
            theirs.is_some_and(|theirs| *hold == Hold::Exclusive || *theirs == Hold::Exclusive)
        })
    }
}

struct Finder<'a> {
    module: &'a Module,
    points_to: &'a PointsTo,
    cells: &'a Cells,
    locks: &'a Locks,
}

impl Finder<'_> {
    /// What all threads access that others can come to.
    fn accesses(&self, bodies: &[Body<'_>], lives: &Lives) -> Vec<Access> {
        let mut found = Vec::new();
        for (root, body) in bodies.iter().enumerate() {
            for &block in &body.order {
                let mut held = self.locks.held(body.id, block);
                let mut depth = body.depths[block.index()];
                let mut beside = lives.at(root, block);
                let data = body.function.block(block);
                for (index, instruction) in data.instructions.iter().enumerate() {
                    let at = (body.id, block, index);
                    match &instruction.op {
                        Op::AtomicBegin(_) => depth += 1,
                        Op::AtomicEnd => depth = depth.saturating_sub(1),
                        _ => lives.advance(root, data, index, &mut beside),
                    }
                    for (address, size, writes) in
                        self.touched(body, &instruction.op, instruction.result)
                    {
                        let places = self.points_to.places(body.id, address);
                        let places = places.into_iter().map(|place| match size {
                            Some(_) => place,
                            None => Place { offsets: Offsets::ALL, ..place },
                        });
                        let places = places.filter(|place| self.is_of_others(place.object));
                        let places: Vec<Place> = places.collect();
                        if places.is_empty() {
                            continue;
                        }
                        let (size, is_in_section) = (size.unwrap_or(1), depth > 0);
                        let (held, beside) = (held.clone(), beside.clone());
                        found.push(Access {
                            at,
                            places,
                            size,
                            writes,
                            is_in_section,
                            held,
                            beside,
                            root,
                        });
                    }
                    self.locks.advance(at, &mut held);
                }
            }
        }
        found
    }

    /// The addresses that an instruction accesses, how many bytes there (`None`: all of the object), and whether it writes.
    fn touched(
        &self,
        body: &Body<'_>,
        op: &Op,
        result: Option<ValueId>,
    ) -> Vec<(Operand, Option<u64>, bool)> {
        let size = |ty: &Type| Some(ty.size(self.module));
        match op {
            Op::Load { address, .. } => {
                let read = result.map(|it| body.function.operand_type(Operand::Value(it)));
                vec![(*address, read.and_then(|ty| size(&ty)), false)]
            }
            Op::Store { address, ty, .. } | Op::HavocMemory { address, ty } => {
                vec![(*address, size(ty), true)]
            }
            Op::CopyMemory { destination, source, ty } => {
                vec![(*destination, size(ty), true), (*source, size(ty), false)]
            }
            Op::Free { address } => vec![(*address, None, true)],
            Op::ObjectSize { address } | Op::Accessible { address, .. } => {
                vec![(*address, None, false)]
            }
            _ => Vec::new(),
        }
    }

    /// Whether an object may be accessed by several threads.
    fn is_of_others(&self, object: Object) -> bool {
        match object {
            Object::Global(id) => self
                .module
                .globals
                .get(id.index())
                .is_none_or(|it| !it.constant && !it.thread_local),
            Object::Slot(..) | Object::Function(_) | Object::Number => false,
            Object::Allocation(..) | Object::Unknown | Object::Forged => true,
        }
    }

    /// Finds the instructions all of whose accesses conflict with none that another thread can come to meanwhile.
    fn guarded(
        &self,
        accesses: &[Access],
        once: &ExecutedOnce,
        found: &mut Movers,
        limits: &Limits,
    ) -> Result<(), Exceeded> {
        let mut by_object: BTreeMap<Option<Object>, Vec<usize>> = BTreeMap::new();
        for (number, access) in accesses.iter().enumerate() {
            for place in &access.places {
                let object = (!place.object.is_any()).then_some(place.object);
                let list = by_object.entry(object).or_default();
                if list.last() != Some(&number) {
                    list.push(number);
                }
            }
        }
        let anywhere = by_object.remove(&None).unwrap_or_default();
        let pairs = by_object
            .values()
            .map(|list| list.len() * (list.len() + anywhere.len()))
            .sum::<usize>();
        if pairs + anywhere.len() * anywhere.len() > MOST_PAIRS {
            return Ok(());
        }
        let mut pace = limits.pace();
        let mut disturbed = vec![false; accesses.len()];
        let mut compare = |a: usize, b: usize| -> Result<(), Exceeded> {
            pace.work(1)?;
            let (one, other) = (&accesses[a], &accesses[b]);
            let is_of_one = one.root == other.root && once.contains(one.at.0);
            let are_beside = one.beside.contains(other.root) && other.beside.contains(one.root);
            if !is_of_one && are_beside && one.conflicts(other) && !one.excludes(other) {
                disturbed[a] = true;
                disturbed[b] = true;
            }
            Ok(())
        };
        for list in by_object.values() {
            for (position, &a) in list.iter().enumerate() {
                for &b in list[position..].iter().chain(&anywhere) {
                    compare(a, b)?;
                }
            }
        }
        for (position, &a) in anywhere.iter().enumerate() {
            for &b in &anywhere[position..] {
                compare(a, b)?;
            }
        }
        found.guarded.extend(accesses.iter().map(|access| access.at));
        for (access, _) in accesses.iter().zip(disturbed).filter(|(_, disturbed)| *disturbed) {
            found.guarded.remove(&access.at);
        }
        Ok(())
    }

    /// Finds where locks are taken and given back that all who look at them wait for.
    fn waited_for(&self, bodies: &[Body<'_>], accesses: &[Access], found: &mut Movers) {
        for lock in self.locks.all() {
            if self.locks.part(lock) != Part::All {
                continue;
            }
            let cell = &self.cells.all[lock as usize];
            let (global, offset) = cell.place();
            let width = cell.width;
            let size = int_size(u16::try_from(width).unwrap_or(u16::MAX));
            let of_lock = |access: &&Access| {
                access.places.iter().any(|place| {
                    place.object.is_any()
                        || place.object == Object::Global(global)
                            && place.offsets.may_overlap(access.size, Offsets::new(offset, 0), size)
                })
            };
            let (mut taken, mut given_back) = (Vec::new(), Vec::new());
            let all_wait = accesses.iter().filter(of_lock).all(|access| {
                if access.writes {
                    match self.locks.way(lock, access.at) {
                        Some((None, Some(Hold::Exclusive))) if access.is_in_section => {
                            taken.push(access.at);
                            true
                        }
                        Some((Some(Hold::Exclusive), None)) => {
                            if !access.is_in_section {
                                given_back.push(access.at);
                            }
                            true
                        }
                        _ => false,
                    }
                } else {
                    let body = &bodies[access.root];
                    access.is_in_section && awaits_zero(body.function, access.at)
                }
            });
            if all_wait {
                found.taken.extend(taken);
                found.given_back.extend(given_back);
            }
        }
    }
}

/// Whether all that is done with what a load reads is that the section goes on only if it is 0.
fn awaits_zero(function: &Function, (_, block, index): At) -> bool {
    let code = &function.block(block).instructions;
    let uses = |value: ValueId| {
        let mut uses = 0;
        function.for_each_operand(|operand| uses += usize::from(operand == Operand::Value(value)));
        uses
    };
    let Some(read) = code.get(index).and_then(|it| it.result) else { return false };
    let rest = code.iter().skip(index + 1).take_while(|it| !matches!(it.op, Op::AtomicEnd));
    let compared = rest.clone().find_map(|it| match it.op {
        Op::Compare { op: CompareOp::Eq, a, b } => {
            let is_it = |side: Operand, other: Operand| {
                side == Operand::Value(read) && matches!(other, Operand::Int { value: 0, .. })
            };
            it.result.filter(|_| is_it(a, b) || is_it(b, a))
        }
        _ => None,
    });
    let Some(compared) = compared else { return false };
    let awaits =
        |op: &Op| matches!(op, Op::Assume { condition } if *condition == Operand::Value(compared));
    uses(read) == 1 && uses(compared) == 1 && rest.clone().any(|it| awaits(&it.op))
}
