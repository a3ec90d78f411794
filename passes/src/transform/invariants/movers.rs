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
use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{BlockId, CompareOp, Function, FunctionId, Module, Op, Operand, ValueId};
use sapa_limits::{Exceeded, Limits};

use super::body::Body;
use super::cells::Cells;
use super::locks::{Held, Hold, Locks, Part};
use super::threads::{bodies, roots};
use crate::analysis::access::{Access, Accesses};
use crate::analysis::once::ExecutedOnce;
use crate::analysis::points_to::{Object, PointsTo};
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
        let own_escape = points_to.escape(module).is_some();
        let finder =
            Finder { module, points_to: &points_to, cells: &cells, locks: &locks, own_escape };
        let visits = finder.visits(&bodies, &lives);
        let mut found = Self::default();
        finder.guarded(&visits, &once, &mut found, &limits)?;
        finder.waited_for(&bodies, &visits, &mut found, &limits)?;
        Ok(found)
    }
}

/// An access that other threads may tell of, and how it is done.
struct Visit {
    at: At,
    access: Access,
    writes: bool,
    is_in_section: bool,
    held: Held,
    /// Which thread functions others may be executing meanwhile, by their place among the roots.
    beside: FixedBitSet,
    /// Its own function's place among them.
    root: usize,
}

impl Visit {
    /// Whether it and an access of another thread may be to the same bytes, one of them a write.
    fn conflicts(&self, other: &Self) -> bool {
        (self.writes || other.writes) && self.access.may_meet(&other.access)
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
    /// Whether threads may come to what is another one's own.
    own_escape: bool,
}

impl Finder<'_> {
    /// What all threads access that others can come to.
    fn visits(&self, bodies: &[Body<'_>], lives: &Lives) -> Vec<Visit> {
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
                    let Accesses { reads, writes } =
                        Accesses::of(self.module, self.points_to, body.id, instruction);
                    let reads = reads.into_iter().map(|access| (access, false));
                    let writes = writes.into_iter().map(|access| (access, true));
                    for (mut access, writes) in reads.chain(writes) {
                        access.places.retain(|place| self.is_of_others(place.object));
                        if access.places.is_empty() {
                            continue;
                        }
                        found.push(Visit {
                            at,
                            access,
                            writes,
                            is_in_section: depth > 0,
                            held: held.clone(),
                            beside: beside.clone(),
                            root,
                        });
                    }
                    self.locks.advance(at, &mut held);
                }
            }
        }
        found
    }

    /// Whether an object may be accessed by several threads.
    fn is_of_others(&self, object: Object) -> bool {
        match object {
            Object::Global(id) => self
                .module
                .globals
                .get(id.index())
                .is_none_or(|it| !it.constant && (!it.thread_local || self.own_escape)),
            Object::Slot(..) => self.own_escape,
            Object::Function(_) | Object::Number => false,
            Object::Allocation(..) | Object::Unknown | Object::Forged => true,
        }
    }

    /// Finds the instructions all of whose accesses conflict with none that another thread can come to meanwhile.
    fn guarded(
        &self,
        visits: &[Visit],
        once: &ExecutedOnce,
        found: &mut Movers,
        limits: &Limits,
    ) -> Result<(), Exceeded> {
        let mut by_object: BTreeMap<Option<Object>, Vec<usize>> = BTreeMap::new();
        for (number, visit) in visits.iter().enumerate() {
            for place in &visit.access.places {
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
        let mut disturbed = vec![false; visits.len()];
        let mut compare = |a: usize, b: usize| -> Result<(), Exceeded> {
            let (one, other) = (&visits[a], &visits[b]);
            pace.work(one.access.places.len() * other.access.places.len())?;
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
        found.guarded.extend(visits.iter().map(|visit| visit.at));
        for (visit, _) in visits.iter().zip(disturbed).filter(|(_, disturbed)| *disturbed) {
            found.guarded.remove(&visit.at);
        }
        Ok(())
    }

    /// Finds where locks are taken and given back that all who look at them wait for.
    fn waited_for(
        &self,
        bodies: &[Body<'_>],
        visits: &[Visit],
        found: &mut Movers,
        limits: &Limits,
    ) -> Result<(), Exceeded> {
        let mut pace = limits.pace();
        let uses: Vec<_> = bodies.iter().map(|body| uses(body.function)).collect();
        for lock in self.locks.all() {
            if self.locks.part(lock) != Part::All {
                continue;
            }
            let cell = &self.cells.all[lock as usize];
            let own = Access { places: [cell.place()].into(), size: cell.size() };
            let (mut taken, mut given_back) = (Vec::new(), Vec::new());
            let mut all_wait = true;
            for visit in visits {
                pace.work(visit.access.places.len())?;
                if !visit.access.may_meet(&own) {
                    continue;
                }
                let way = if visit.writes { self.locks.way(lock, visit.at) } else { None };
                match way {
                    Some((None, Some(Hold::Exclusive))) if visit.is_in_section => {
                        taken.push(visit.at);
                    }
                    Some((Some(Hold::Exclusive), None)) if visit.is_in_section => {}
                    Some((Some(Hold::Exclusive), None)) => given_back.push(visit.at),
                    _ => {
                        let function = bodies[visit.root].function;
                        all_wait &= !visit.writes
                            && visit.is_in_section
                            && awaits_zero(function, visit.at, &uses[visit.root]);
                    }
                }
            }
            if all_wait {
                found.taken.extend(taken);
                found.given_back.extend(given_back);
            }
        }
        Ok(())
    }
}

/// How often each value of a function is read.
fn uses(function: &Function) -> FxHashMap<ValueId, usize> {
    let mut uses = FxHashMap::default();
    function.for_each_operand(|operand| {
        if let Operand::Value(value) = operand {
            *uses.entry(value).or_default() += 1;
        }
    });
    uses
}

/// Whether all that is done with what a load reads is that the section goes on only if it is 0.
fn awaits_zero(
    function: &Function,
    (_, block, index): At,
    uses: &FxHashMap<ValueId, usize>,
) -> bool {
    let code = &function.block(block).instructions;
    let Some(read) = code.get(index).and_then(|it| it.result) else { return false };
    let mut rest = code.iter().skip(index + 1).take_while(|it| !matches!(it.op, Op::AtomicEnd));
    let is_compared = |a: Operand, b: Operand| {
        a == Operand::Value(read) && matches!(b, Operand::Int { value: 0, .. })
    };
    let compared = rest.find_map(|it| match it.op {
        Op::Compare { op: CompareOp::Eq, a, b } => {
            it.result.filter(|_| is_compared(a, b) || is_compared(b, a))
        }
        _ => None,
    });
    let Some(compared) = compared else { return false };
    let awaits =
        |op: &Op| matches!(op, Op::Assume { condition } if *condition == Operand::Value(compared));
    let is_read_once = |value: ValueId| uses.get(&value) == Some(&1);
    is_read_once(read) && is_read_once(compared) && rest.any(|it| awaits(&it.op))
}
