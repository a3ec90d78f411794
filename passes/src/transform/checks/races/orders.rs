//! Which instructions order accesses of different threads, and whether some operations do not that programs may
//! rely on: *happens before* of C11 (5.1.2.4).
//!
//! A thread's operation *releases* if what the thread did before may be ordered by it before what another thread does
//! later, and *acquires* if it may be ordered behind what another one did: unlocking, starting a thread and ending do the
//! one, locking, starting and joining the other, and accesses and fences what their memory orders say.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{
    Block, BlockId, Function, FunctionId, Instruction, MemoryOrder, Module, Op, Operand, Section,
    SyncOp, ValueId,
};
use sapa_limits::{Exceeded, Limits};

use super::site::Finder;
use crate::analysis::points_to::Place;
use crate::transform::constant_propagation;

/// What an instruction orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Order {
    /// What other threads did comes before what follows it.
    pub acquires: bool,
    /// What the thread did comes before what others do later.
    pub releases: bool,
}

impl Order {
    const NOTHING: Self = Self { acquires: false, releases: false };
    const BOTH: Self = Self { acquires: true, releases: true };

    /// What an access or a fence of a memory order orders.
    fn of(order: MemoryOrder) -> Self {
        use MemoryOrder::{
            Acquire, AcquireRelease, Plain, Relaxed, Release, SequentiallyConsistent,
        };
        let both = matches!(order, AcquireRelease | SequentiallyConsistent);
        match order {
            Plain | Relaxed => Self::NOTHING,
            _ => Self { acquires: both || order == Acquire, releases: both || order == Release },
        }
    }

    /// What either of two orders.
    fn and(self, other: Self) -> Self {
        Self {
            acquires: self.acquires || other.acquires,
            releases: self.releases || other.releases,
        }
    }
}

/// An instruction that orders something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ordering {
    pub order: Order,
    /// Whether it is in an atomic section.
    pub is_inside: bool,
}

/// The orders that a program's instructions make.
pub(super) struct Orders {
    /// The instructions that order anything.
    pub instructions: BTreeMap<FunctionId, BTreeMap<(BlockId, usize), Ordering>>,
    /// The functions that threads are started with: their begin acquires, their ends release.
    pub started: BTreeSet<FunctionId>,
    /// The operations that threads see something of each other by.
    seen: Vec<Seen>,
    /// Where a lock is tried, which orders nothing where it is not obtained.
    tries: BTreeSet<Position>,
    /// Whether a function is called that has a body: paths go on in others then.
    calls: bool,
}

/// An instruction of a function.
type Position = (FunctionId, (BlockId, usize));

/// Accesses that what threads see of each other may not order, though a run that comes to both has seen it.
#[derive(Default)]
pub(super) struct Unordered {
    /// Those that are behind something that does not acquire, where nothing acquires between.
    after: BTreeSet<Position>,
    /// Those before something that does not release, where nothing releases between.
    before: BTreeSet<Position>,
    /// Whether functions are called on the way, so that it may be any access.
    calls: bool,
}

impl Unordered {
    /// Whether others may see that a thread has come past an instruction, without being behind it.
    pub fn may_be_first(&self, position: Position) -> bool {
        self.calls || self.before.contains(&position)
    }

    /// Whether a thread may come to an instruction by seeing what others did, without being behind that.
    pub fn may_be_second(&self, position: Position) -> bool {
        self.calls || self.after.contains(&position)
    }
}

enum Direction {
    Forward,
    Backward,
}

/// An atomic access by which a thread may see what another one did, or be seen.
struct Seen {
    places: Vec<Place>,
    /// Bytes.
    size: u64,
    threads: BTreeSet<FunctionId>,
    /// Whether the code does something with the value that it reads.
    reads: bool,
    writes: bool,
    order: Order,
    at: Position,
}

impl Seen {
    /// Whether it may read what another thread has written there.
    fn may_see(&self, write: &Self, single: &BTreeSet<FunctionId>) -> bool {
        let are_two = |x, y| x != y || !single.contains(x);
        let is_one = |x: &Place, y: &Place| {
            let is_any = x.object.is_any() || y.object.is_any();
            is_any
                || x.object == y.object && x.offsets.may_overlap(self.size, y.offsets, write.size)
        };
        self.threads.iter().any(|x| write.threads.iter().any(|y| are_two(x, y)))
            && self.places.iter().any(|x| write.places.iter().any(|y| is_one(x, y)))
    }
}

impl Orders {
    /// None yet.
    pub fn new(started: BTreeSet<FunctionId>) -> Self {
        Self {
            instructions: BTreeMap::new(),
            started,
            seen: Vec::new(),
            tries: BTreeSet::new(),
            calls: false,
        }
    }

    /// Finds the accesses that what threads see of each other may not order.
    ///
    /// # Errors
    /// A limit ended it.
    pub fn unordered(
        &self,
        module: &Module,
        single: &BTreeSet<FunctionId>,
        limits: &Limits,
    ) -> Result<Unordered, Exceeded> {
        let mut tells = BTreeSet::new();
        let mut looks = BTreeSet::new();
        for read in self.seen.iter().filter(|seen| seen.reads) {
            limits.check()?;
            for write in self.seen.iter().filter(|seen| seen.writes) {
                let is_ordered = read.order.acquires && write.order.releases;
                if is_ordered || !read.may_see(write, single) {
                    continue;
                }
                if !read.order.acquires {
                    looks.insert(read.at);
                }
                if !write.order.releases {
                    tells.insert(write.at);
                }
            }
        }
        let is_any = !(looks.is_empty() && tells.is_empty() && self.tries.is_empty());
        let mut found = Unordered { calls: self.calls && is_any, ..Unordered::default() };
        let functions: BTreeSet<FunctionId> =
            looks.iter().chain(&tells).map(|&(function, _)| function).collect();
        for id in functions {
            limits.check()?;
            let function = module.function(id);
            let everywhere = vec![true; function.blocks.len()];
            self.follow(function, id, &looks, Direction::Forward, &everywhere, &mut found.after);
            self.follow(function, id, &tells, Direction::Backward, &everywhere, &mut found.before);
        }
        let mut failing = module.clone();
        for &(id, (block, index)) in &self.tries {
            limits.check()?;
            // Whoever obtains a lock is behind its holder, so only the paths count on which this try does not.
            let blocks = &mut failing.functions[id.index()].blocks;
            let op = &mut blocks[block.index()].instructions[index].op;
            let tried = std::mem::replace(op, Op::Copy { a: Operand::bool(false) });
            let reached = constant_propagation::reached(&failing, id);
            let blocks = &mut failing.functions[id.index()].blocks;
            blocks[block.index()].instructions[index].op = tried;
            let this = BTreeSet::from([(id, (block, index))]);
            let function = module.function(id);
            self.follow(function, id, &this, Direction::Forward, &reached, &mut found.after);
        }
        Ok(found)
    }

    /// Follows a function's paths from what is weak, onwards up to what acquires or back to what releases, and adds
    /// the instructions on them, as far as they are in blocks of `within`, which is indexed by them.
    fn follow(
        &self,
        function: &Function,
        id: FunctionId,
        weak: &BTreeSet<Position>,
        direction: Direction,
        within: &[bool],
        found: &mut BTreeSet<Position>,
    ) {
        let cfg = Cfg::new(function);
        let orders = self.instructions.get(&id);
        let stops = |position: &(BlockId, usize)| {
            if self.tries.contains(&(id, *position)) {
                return false;
            }
            let order = orders.and_then(|orders| orders.get(position)).map(|found| found.order);
            order.is_some_and(|order| match direction {
                Direction::Forward => order.acquires,
                Direction::Backward => order.releases,
            })
        };
        let mut reached = vec![false; function.blocks.len()];
        let mut pending: Vec<BlockId> = function.blocks().map(|(block, _)| block).collect();
        while let Some(block) = pending.pop() {
            let count = function.block(block).instructions.len();
            let mut is_open = reached[block.index()];
            let mut visit = |index: usize| {
                let position = (block, index);
                if is_open {
                    found.insert((id, position));
                }
                is_open = weak.contains(&(id, position)) || is_open && !stops(&position);
            };
            let next = match direction {
                Direction::Forward => {
                    (0..count).for_each(&mut visit);
                    cfg.successors(block)
                }
                Direction::Backward => {
                    (0..count).rev().for_each(&mut visit);
                    cfg.predecessors(block)
                }
            };
            if is_open {
                for &next in next {
                    let is_new = !std::mem::replace(&mut reached[next.index()], true);
                    if is_new && within[next.index()] {
                        pending.push(next);
                    }
                }
            }
        }
    }

    /// Adds what an instruction orders.
    pub fn add(&mut self, finder: &Finder<'_>, at: &At<'_>) {
        let At { function: id, position: (block, index), .. } = *at;
        let data = finder.module.function(id).block(block);
        let Some(instruction) = data.instructions.get(index) else { return };
        let is_own_section = || at.is_locked && update_around(data, index).is_none();
        let order = match &instruction.op {
            Op::AtomicBegin(Section::Locked) if update_of(data, index).is_none() => {
                Order { acquires: true, releases: false }
            }
            Op::AtomicEnd if is_own_section() => Order { acquires: false, releases: true },
            Op::Load { order, .. } | Op::Store { order, .. } | Op::Fence { order } => {
                Order::of(*order)
            }
            Op::Sync { op, .. } => of_operation(*op),
            Op::Spawn { .. } => Order { acquires: false, releases: true },
            Op::Join { .. } => Order { acquires: true, releases: false },
            _ => Order::NOTHING,
        };
        if let Op::Call { callee, .. } = &instruction.op {
            self.calls |= match callee {
                Operand::Function(callee) => finder.module.function(*callee).is_defined(),
                _ => true,
            };
        }
        if order != Order::NOTHING {
            let ordering = Ordering { order, is_inside: at.is_inside };
            self.instructions.entry(id).or_default().insert((block, index), ordering);
        }
        if !at.is_alone {
            self.see(finder, at, instruction);
        }
    }

    /// Adds how a thread may see by an instruction what others did, or be seen.
    fn see(&mut self, finder: &Finder<'_>, at: &At<'_>, instruction: &Instruction) {
        if matches!(&instruction.op, Op::Sync { op: SyncOp::MutexTryLock, .. }) {
            self.tries.insert((at.function, at.position));
        }
        let (address, order) = match &instruction.op {
            Op::Load { address, order, .. } | Op::Store { address, order, .. } => {
                (*address, *order)
            }
            _ => return,
        };
        if order == MemoryOrder::Plain && !at.is_locked || finder.synchronises(instruction) {
            return;
        }
        let (block, index) = at.position;
        let function = finder.module.function(at.function);
        let update = update_around(function.block(block), index);
        let order = match update {
            Some(update) => update,
            None if at.is_locked => Order::BOTH,
            None => Order::of(order),
        };
        let (writes, size) = match (&instruction.op, instruction.result) {
            (Op::Store { ty, .. }, _) => (true, ty.size(finder.module)),
            (_, Some(read)) => {
                (false, function.operand_type(Operand::Value(read)).size(finder.module))
            }
            _ => return,
        };
        let reads = instruction.result.is_some_and(|result| at.observed.contains(&result));
        let places = finder.shared_places(at.function, address);
        if !places.is_empty() && (reads || writes) {
            let threads = finder.threads[&at.function].clone();
            let here = (at.function, at.position);
            self.seen.push(Seen { places, size, threads, reads, writes, order, at: here });
        }
    }
}

/// An instruction, and what is known where it stands.
pub(super) struct At<'f> {
    pub function: FunctionId,
    pub position: (BlockId, usize),
    /// Whether there is no other thread yet.
    pub is_alone: bool,
    /// Whether it is in a section, where its function is called somewhere.
    pub is_inside: bool,
    /// Whether it is in a section that locks, wherever its function is called.
    pub is_locked: bool,
    /// The values of the function that the code observes.
    pub observed: &'f FxHashSet<ValueId>,
}

fn of_operation(op: SyncOp) -> Order {
    match op {
        SyncOp::MutexLock
        | SyncOp::MutexTryLock
        | SyncOp::ReadLock
        | SyncOp::WriteLock
        | SyncOp::SemaphoreWait => Order { acquires: true, releases: false },
        SyncOp::MutexUnlock
        | SyncOp::SpinUnlock
        | SyncOp::ReadWriteUnlock
        | SyncOp::SemaphorePost => Order { acquires: false, releases: true },
        SyncOp::ConditionWait | SyncOp::BarrierWait => Order::BOTH,
        // A signal orders nothing by itself; the mutex does.
        SyncOp::ConditionSignal | SyncOp::ConditionBroadcast => Order::NOTHING,
    }
}

/// What the read-modify-write orders whose section an instruction begins: such a section has nothing but accesses of one
/// address that have memory orders. `None` for sections of another kind.
fn update_of(block: &Block, begin: usize) -> Option<Order> {
    let mut found: Option<(Operand, Order)> = None;
    for instruction in block.instructions.get(begin + 1..)? {
        match &instruction.op {
            Op::AtomicEnd => return found.map(|(_, order)| order),
            Op::AtomicBegin(_) | Op::Call { .. } | Op::Sync { .. } => return None,
            Op::Load { address, order, .. } | Op::Store { address, order, .. } => {
                let (first, before) = found.unwrap_or((*address, Order::NOTHING));
                if first != *address || *order == MemoryOrder::Plain {
                    return None;
                }
                found = Some((first, before.and(Order::of(*order))));
            }
            _ => {}
        }
    }
    None
}

/// What the read-modify-write orders that an instruction is a part of.
fn update_around(block: &Block, index: usize) -> Option<Order> {
    let before = block.instructions.get(..index)?;
    let begin = before.iter().rposition(|i| matches!(i.op, Op::AtomicBegin(_)))?;
    let is_closed = before[begin..].iter().any(|i| i.op == Op::AtomicEnd);
    (!is_closed).then(|| update_of(block, begin))?
}

/// The values that the code does more with than to compute what a read-modify-write writes.
pub(super) fn observed(function: &Function) -> FxHashSet<ValueId> {
    let mut found = FxHashSet::default();
    let mut pending = Vec::new();
    let mut uses = |operand: Operand| pending.extend(operand.value());
    let mut computations: FxHashMap<ValueId, &Op> = FxHashMap::default();
    for block in &function.blocks {
        for (index, instruction) in block.instructions.iter().enumerate() {
            match (&instruction.op, instruction.result) {
                (op, Some(result)) if computes(op) => drop(computations.insert(result, op)),
                (Op::Store { address, .. }, _) if update_around(block, index).is_some() => {
                    uses(*address);
                }
                (op, _) => op.for_each_operand(&mut uses),
            }
        }
        block.terminator.kind.for_each_operand(&mut uses);
    }
    while let Some(value) = pending.pop() {
        if found.insert(value)
            && let Some(op) = computations.get(&value)
        {
            op.for_each_operand(|operand| pending.extend(operand.value()));
        }
    }
    found
}

/// Whether an operation does nothing but to compute its result of values.
fn computes(op: &Op) -> bool {
    matches!(
        op,
        Op::Binary { .. }
            | Op::Unary { .. }
            | Op::Cast { .. }
            | Op::Copy { .. }
            | Op::Compare { .. }
            | Op::Select { .. }
    )
}
