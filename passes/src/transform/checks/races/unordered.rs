//! Accesses that a run may come to one behind the other without an order between them.
//!
//! Where every operation by which threads see something of each other releases and acquires, two accesses that are not enabled
//! together in any run are ordered. So only these can be unordered otherwise: what a thread does before it tells something by an
//! operation that does not release, and what a thread does behind one that does not acquire, or that fails. Paths are followed
//! from there, back to what releases through the same channel, or on to what acquires through it; and through other channels
//! into other threads.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{BlockId, Function, FunctionId, Module, Operand};
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
        let mut paths = Paths { orders, module, functions, limits, failing: None };
        for (&channel, starts) in &looks {
            found.all |= paths.follow(channel, starts, Direction::Forward, &mut found.after)?;
        }
        for (&channel, starts) in &tells {
            found.all |= paths.follow(channel, starts, Direction::Backward, &mut found.before)?;
        }
        for tried in &orders.tries {
            limits.check()?;
            let Some(Through::Channel(channel)) = orders.through(tried.at) else {
                found.all = true;
                break;
            };
            // Whoever obtains the same lock is behind its holder, so only the paths count on which this try does not.
            let ways = if orders.is_of_one(channel) {
                let fails = (tried.success, Operand::bool(false));
                constant_propagation::ways_given(module, tried.at.0, fails)
            } else {
                HashMap::new()
            };
            paths.failing = Some(Failing { ways, is_of_lock: tried.is_of_lock });
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
    /// What is known of the paths that begin where something was tried and failed.
    failing: Option<Failing>,
}

/// Paths of a thread that has tried something and failed, up to where it tries again.
struct Failing {
    /// Where blocks go on in any case.
    ways: HashMap<BlockId, BlockId>,
    /// Whether it was a lock, whose holder no fence comes behind.
    is_of_lock: bool,
}

/// What paths of a function begin at.
#[derive(Clone, Copy)]
enum Begin<'b> {
    /// These instructions.
    At(&'b BTreeSet<Position>),
    /// What acquires through channels that others go on through.
    Told,
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
        let begin = Begin::At(starts);
        for &id in self.functions {
            self.limits.check()?;
            if self.follow_within(id, (channel, begin), direction, found, &mut told) {
                return Ok(true);
            }
        }
        loop {
            let count = told.len();
            for &id in self.functions {
                self.limits.check()?;
                if self.follow_within(id, (channel, Begin::Told), direction, found, &mut told) {
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
        (channel, begin): (usize, Begin<'_>),
        direction: Direction,
        found: &mut BTreeSet<Position>,
        told: &mut BTreeSet<usize>,
    ) -> bool {
        // Nothing is known of threads that have failed in nothing.
        let failing = self.failing.as_ref().filter(|_| matches!(begin, Begin::At(_)));
        let is_of_lock = self.failing.as_ref().is_some_and(|failing| failing.is_of_lock);
        let is_told = |told: &BTreeSet<usize>, channel: usize| {
            matches!(begin, Begin::Told) && told.contains(&channel)
        };
        let begins = |position: &Position| match begin {
            Begin::At(starts) => starts.contains(position),
            Begin::Told => false,
        };
        let function = self.module.function(id);
        let cfg = Cfg::new(function);
        let instructions = self.orders.instructions.get(&id);
        let is_started = self.orders.started.contains(&id);
        let mut reached = vec![false; function.blocks.len()];
        let mut pending: Vec<_> = function.blocks().map(|(block, _)| block).collect();
        while let Some(block) = pending.pop() {
            let data = function.block(block);
            let is_end = ends_thread(&data.terminator.kind, is_started);
            let is_begin = is_started && block == Function::ENTRY;
            let mut is_open = reached[block.index()];
            let mut is_all = false;
            is_open |= match direction {
                Direction::Forward => is_begin && is_told(told, START),
                Direction::Backward => is_end && is_told(told, END),
            };
            let mut visit = |index: usize| {
                let position = (id, (block, index));
                if is_open {
                    found.insert(position);
                }
                let ordering = instructions.and_then(|of| of.get(&position.1));
                if let Some(ordering @ Ordering { order, through, .. }) = ordering {
                    let sure = ordering.in_any_case();
                    let (gets, gives, is_sure) = match direction {
                        Direction::Forward => (order.acquires, order.releases, sure.acquires),
                        Direction::Backward => (order.releases, order.acquires, sure.releases),
                    };
                    match *through {
                        Through::Channel(of) if of == channel => {
                            is_open &= !(is_sure && self.orders.is_of_one(channel));
                        }
                        Through::Channel(of) => is_open |= gets && is_told(told, of),
                        Through::All => is_open &= !is_sure || is_of_lock,
                    }
                    match *through {
                        // What is accessed behind a fence, or before one, may tell it.
                        Through::All => is_all |= gives && is_open,
                        Through::Channel(of) if gives && is_open => drop(told.insert(of)),
                        Through::Channel(_) => {}
                    }
                }
                is_open |= begins(&position);
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
                let way = failing.and_then(|failing| failing.ways.get(&block));
                for &next in next.iter().filter(|&next| way.is_none_or(|way| way == next)) {
                    if !std::mem::replace(&mut reached[next.index()], true) {
                        pending.push(next);
                    }
                }
            }
        }
        false
    }
}
