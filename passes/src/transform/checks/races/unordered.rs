//! Accesses that a run may come to one behind the other without an order between them.
//!
//! Where every operation by which threads see something of each other releases and acquires, two accesses that are not enabled
//! together in any run are ordered. So only these can be unordered otherwise: what a thread does before it tells something by an
//! operation that does not release, and what a thread does behind one that does not acquire, or that fails. Paths are followed
//! from there, back to what releases through the same channel, or on to what acquires through it; and through other channels
//! into other threads.

use std::collections::{BTreeMap, BTreeSet};

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{Function, FunctionId, Module, Op, Operand, ValueId};
use sapa_limits::{Exceeded, Limits};

use super::orders::{END, Ordering, Orders, Position, START, Through, ends_thread};
use crate::transform::constant_propagation;

/// Accesses that what threads see of each other may not order, though a run that comes to both has seen it.
#[derive(Default)]
pub(super) struct Unordered {
    /// Those behind something that does not acquire.
    after: BTreeSet<Position>,
    /// Those before something that does not release.
    before: BTreeSet<Position>,
    /// Whether it may be any access.
    all: bool,
}

impl Unordered {
    /// Finds them.
    ///
    /// # Errors
    /// A limit ended it.
    pub fn new(
        orders: &Orders,
        module: &Module,
        functions: &[FunctionId],
        single: &BTreeSet<FunctionId>,
        limits: &Limits,
    ) -> Result<Self, Exceeded> {
        let mut tells: Starts = BTreeMap::new();
        let mut looks: Starts = BTreeMap::new();
        let mut found = Self::default();
        let mut add = |starts: &mut Starts, at: Position| match orders.through(at) {
            Some(Through::Channel(channel)) => {
                starts.entry(channel).or_default().insert(at);
            }
            _ => found.all = true,
        };
        for read in orders.seen.iter().filter(|seen| seen.reads) {
            limits.check()?;
            for write in orders.seen.iter().filter(|seen| seen.writes) {
                let is_ordered = read.order.acquires && write.order.releases;
                if is_ordered || !read.may_see(write, single) {
                    continue;
                }
                if !read.order.acquires {
                    add(&mut looks, read.at);
                }
                if !write.order.releases {
                    add(&mut tells, write.at);
                }
            }
        }
        let is_none = tells.is_empty() && looks.is_empty() && orders.tries.is_empty();
        found.all |= !is_none && (orders.calls || orders.are_one());
        if found.all {
            return Ok(found);
        }
        let mut paths = Paths { orders, module, functions, limits, within: None };
        for (&channel, starts) in &looks {
            found.all |= paths.follow(channel, starts, Direction::Forward, &mut found.after)?;
        }
        for (&channel, starts) in &tells {
            found.all |= paths.follow(channel, starts, Direction::Backward, &mut found.before)?;
        }
        let mut failing = (!orders.tries.is_empty()).then(|| module.clone());
        for tried in &orders.tries {
            limits.check()?;
            let Some(Through::Channel(channel)) = orders.through(tried.at) else {
                found.all = true;
                break;
            };
            let id = tried.at.0;
            // Whoever obtains the same lock is behind its holder, so only the paths count on which this try does not.
            paths.within = failing.as_mut().filter(|_| tried.is_of_one).map(|failing| {
                let function = &mut failing.functions[id.index()];
                let before =
                    succeeds(function, tried.success, Op::Copy { a: Operand::bool(false) });
                let reached = constant_propagation::reached(failing, id);
                let function = &mut failing.functions[id.index()];
                before.map(|before| succeeds(function, tried.success, before));
                (id, reached)
            });
            let starts = BTreeSet::from([tried.at]);
            found.all |= paths.follow(channel, &starts, Direction::Forward, &mut found.after)?;
        }
        Ok(found)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        !self.all && self.after.is_empty() && self.before.is_empty()
    }

    /// Whether others may see that a thread has come past an instruction, without being behind it.
    pub fn may_be_first(&self, position: Position) -> bool {
        self.all || self.before.contains(&position)
    }

    /// Whether a thread may come to an instruction by seeing what others did, without being behind that.
    pub fn may_be_second(&self, position: Position) -> bool {
        self.all || self.after.contains(&position)
    }
}

/// Where paths begin, by the channel that is gone through there.
type Starts = BTreeMap<usize, BTreeSet<Position>>;

/// Replaces the operation that defines a value; what it was.
fn succeeds(function: &mut Function, success: ValueId, by: Op) -> Option<Op> {
    let mut code = function.blocks.iter_mut().flat_map(|block| &mut block.instructions);
    let defining = code.find(|instruction| instruction.result == Some(success))?;
    Some(std::mem::replace(&mut defining.op, by))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

struct Paths<'p> {
    orders: &'p Orders,
    module: &'p Module,
    functions: &'p [FunctionId],
    limits: &'p Limits,
    /// A function of which only some blocks count, which this is indexed by.
    within: Option<(FunctionId, Vec<bool>)>,
}

impl Paths<'_> {
    /// Follows paths from starts that go through a channel, and adds the instructions on them; whether it may be all of them.
    fn follow(
        &self,
        channel: usize,
        starts: &BTreeSet<Position>,
        direction: Direction,
        found: &mut BTreeSet<Position>,
    ) -> Result<bool, Exceeded> {
        let mut told: BTreeSet<usize> = BTreeSet::new();
        loop {
            let count = told.len();
            for &id in self.functions {
                self.limits.check()?;
                if self.follow_within(id, (channel, starts), direction, found, &mut told) {
                    return Ok(true);
                }
            }
            if told.len() == count {
                return Ok(false);
            }
        }
    }

    /// Follows the paths of a function, given the channels that others go on through, to which it adds.
    fn follow_within(
        &self,
        id: FunctionId,
        (channel, starts): (usize, &BTreeSet<Position>),
        direction: Direction,
        found: &mut BTreeSet<Position>,
        told: &mut BTreeSet<usize>,
    ) -> bool {
        let function = self.module.function(id);
        let cfg = Cfg::new(function);
        let instructions = self.orders.instructions.get(&id);
        let is_started = self.orders.started.contains(&id);
        let is_forward = direction == Direction::Forward;
        let counts = |block: usize| match &self.within {
            Some((of, within)) if *of == id => within[block],
            _ => true,
        };
        let mut reached = vec![false; function.blocks.len()];
        let mut pending: Vec<_> = function.blocks().map(|(block, _)| block).collect();
        while let Some(block) = pending.pop() {
            let data = function.block(block);
            let is_end = ends_thread(&data.terminator.kind, is_started);
            let is_begin = is_started && block == Function::ENTRY;
            let mut is_open = reached[block.index()];
            let mut is_all = false;
            is_open |= match direction {
                Direction::Forward => is_begin && told.contains(&START),
                Direction::Backward => is_end && told.contains(&END),
            };
            let mut visit = |index: usize| {
                let position = (id, (block, index));
                if is_open {
                    found.insert(position);
                }
                let ordering = instructions.and_then(|of| of.get(&position.1));
                if let Some(Ordering { order, through, success, .. }) = ordering {
                    let (gets, gives) = match direction {
                        Direction::Forward => (order.acquires, order.releases),
                        Direction::Backward => (order.releases, order.acquires),
                    };
                    let is_sure = success.is_none() || !is_forward;
                    match *through {
                        Through::Channel(of) if gets && of != channel => {
                            is_open |= told.contains(&of)
                        }
                        _ if gets && is_sure => is_open = false,
                        _ => {}
                    }
                    match *through {
                        // What is accessed behind a fence, or before one, may tell it.
                        Through::All => is_all |= gives && is_open,
                        Through::Channel(of) if gives && is_open => drop(told.insert(of)),
                        Through::Channel(_) => {}
                    }
                }
                is_open |= starts.contains(&position);
            };
            let next = match direction {
                Direction::Forward => {
                    (0..data.instructions.len()).for_each(&mut visit);
                    cfg.successors(block)
                }
                Direction::Backward => {
                    (0..data.instructions.len()).rev().for_each(&mut visit);
                    cfg.predecessors(block)
                }
            };
            if is_all {
                return true;
            }
            if is_open {
                match direction {
                    Direction::Forward if is_end => drop(told.insert(END)),
                    Direction::Backward if is_begin => drop(told.insert(START)),
                    _ => {}
                }
                for &next in next {
                    let is_new = !std::mem::replace(&mut reached[next.index()], true);
                    if is_new && counts(next.index()) {
                        pending.push(next);
                    }
                }
            }
        }
        false
    }
}
