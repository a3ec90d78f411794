//! Which instructions order accesses of different threads: *happens before* of C11 (5.1.2.4).
//!
//! A thread's operation *releases* if what the thread did before may be ordered by it before what another thread does
//! later, and *acquires* if it may be ordered behind what another one did: unlocking, starting a thread and ending do the
//! one, locking, starting and joining the other, and accesses and fences what their memory orders say. They do so through a
//! *channel*: the object that both are operations on, the starts of threads, their ends, or the program's atomic sections.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::unionfind::UnionFind;
use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    Block, BlockId, Function, FunctionId, Instruction, MemoryOrder, Op, Operand, Section, SyncOp,
    TerminatorKind, ValueId,
};

use super::site::Finder;
use crate::analysis::points_to::{Object, Place};

/// An instruction of a function.
pub(super) type Position = (FunctionId, (BlockId, usize));

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
    const ACQUIRE: Self = Self { acquires: true, releases: false };
    const RELEASE: Self = Self { acquires: false, releases: true };
    const BOTH: Self = Self { acquires: true, releases: true };

    /// What an access or a fence of a memory order orders.
    fn of(order: MemoryOrder) -> Self {
        use MemoryOrder::{
            Acquire, AcquireRelease, Plain, Relaxed, Release, SequentiallyConsistent,
        };
        match order {
            Plain | Relaxed => Self::NOTHING,
            Acquire => Self::ACQUIRE,
            Release => Self::RELEASE,
            AcquireRelease | SequentiallyConsistent => Self::BOTH,
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

/// What an instruction orders accesses through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Through {
    /// Whatever another thread goes through: a fence, or an operation on any object.
    All,
    /// A channel, by its number.
    Channel(usize),
}

/// The channel of starts of threads.
pub(super) const START: usize = 0;
/// The channel of ends of threads.
pub(super) const END: usize = 1;
/// The channel of the program's atomic sections.
const SECTIONS: usize = 2;
/// Most channels that are told apart.
const MOST_CHANNELS: usize = 24;

/// What channels are told apart by.
#[derive(Clone, Debug)]
enum Key {
    All,
    Fixed(usize),
    Places(Vec<Place>),
}

/// An instruction that orders something, or might if its memory order were another one.
#[derive(Clone, Debug)]
pub(super) struct Ordering<T> {
    pub order: Order,
    pub through: T,
    /// What has to be 1 for it to acquire.
    pub success: Option<ValueId>,
    /// Whether it is in an atomic section.
    pub is_inside: bool,
}

/// The instructions of each function that order something.
type Instructions<T> = BTreeMap<FunctionId, BTreeMap<(BlockId, usize), Ordering<T>>>;

/// The orders that a program's instructions make, while they are collected.
pub(super) struct Collected {
    instructions: Instructions<Key>,
    seen: Vec<Seen>,
    tries: Vec<Try>,
    calls: bool,
}

/// The orders that a program's instructions make.
pub(super) struct Orders {
    /// The instructions that order anything, and atomic accesses that do not.
    pub instructions: Instructions<Through>,
    /// How many channels there are.
    pub channels: usize,
    /// The functions that threads are started with: their begin acquires, their ends release.
    pub started: BTreeSet<FunctionId>,
    /// The atomic accesses that threads see something of each other by.
    pub seen: Vec<Seen>,
    /// What may fail, and orders nothing then.
    pub tries: Vec<Try>,
    /// Whether a function is called that has a body: paths go on in others then.
    pub calls: bool,
}

/// An atomic access by which a thread may see what another one did, or be seen.
pub(super) struct Seen {
    pub at: Position,
    pub order: Order,
    /// Whether the code does something with the value that it reads.
    pub reads: bool,
    pub writes: bool,
    places: Vec<Place>,
    /// Bytes.
    size: u64,
    threads: BTreeSet<FunctionId>,
}

impl Seen {
    /// Whether it may read what another thread has written there.
    pub fn may_see(&self, write: &Self, single: &BTreeSet<FunctionId>) -> bool {
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

/// An operation that acquires only where it succeeds: a lock that is tried, or a compare-and-exchange.
pub(super) struct Try {
    pub at: Position,
    /// What says that it did.
    pub success: ValueId,
    /// Whether it is one object that all its executions are of.
    pub is_of_one: bool,
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

impl Collected {
    /// None yet.
    pub fn new() -> Self {
        Self { instructions: BTreeMap::new(), seen: Vec::new(), tries: Vec::new(), calls: false }
    }

    /// Adds what an instruction orders.
    pub fn add(&mut self, finder: &Finder<'_>, at: &At<'_>) {
        let At { function: id, position: (block, index), .. } = *at;
        let data = finder.module.function(id).block(block);
        let Some(instruction) = data.instructions.get(index) else { return };
        let of = |address: Operand| {
            Key::Places(finder.points_to.places(id, address).into_iter().collect())
        };
        let is_library = finder.synchronises(instruction);
        // What the models of mutexes do beside locking orders nothing; those of others are no more than their accesses.
        let orders_by_access = is_library && !finder.is_of_mutexes(instruction);
        let mut success = None;
        let (order, key) = match &instruction.op {
            Op::AtomicBegin(Section::Locked) if !is_library && update_of(data, index).is_none() => {
                (Order::ACQUIRE, Key::Fixed(SECTIONS))
            }
            Op::AtomicEnd
                if !is_library && at.is_locked && update_around(data, index).is_none() =>
            {
                (Order::RELEASE, Key::Fixed(SECTIONS))
            }
            Op::Load { address, .. } if orders_by_access => (Order::ACQUIRE, of(*address)),
            Op::Store { address, .. } if orders_by_access => (Order::RELEASE, of(*address)),
            Op::Load { address, order, .. } if *order != MemoryOrder::Plain => {
                (Order::of(*order), of(*address))
            }
            Op::Store { address, order, .. } if *order != MemoryOrder::Plain => {
                success = exchanged_if(data, index);
                (Order::of(*order), of(*address))
            }
            Op::Fence { order } => (Order::of(*order), Key::All),
            Op::Sync { op, arguments } => {
                if *op == SyncOp::MutexTryLock {
                    success = instruction.result;
                }
                // Who waits for a signal gives a mutex back, and takes it.
                let object = arguments.last().copied();
                (of_operation(*op), object.map_or(Key::All, of))
            }
            Op::Spawn { .. } => (Order::RELEASE, Key::Fixed(START)),
            Op::Join { .. } => (Order::ACQUIRE, Key::Fixed(END)),
            Op::Call { callee, .. } => {
                self.calls |= match callee {
                    Operand::Function(callee) => finder.module.function(*callee).is_defined(),
                    _ => true,
                };
                return;
            }
            _ => (Order::NOTHING, Key::All),
        };
        let success = success.filter(|_| order.acquires);
        if !at.is_alone {
            if let Some(success) = success {
                let is_of_one = match &key {
                    Key::Places(places) => {
                        matches!(places.as_slice(), [place] if !place.object.is_any() && place.offsets.single().is_some())
                    }
                    _ => false,
                };
                self.tries.push(Try { at: (id, at.position), success, is_of_one });
            }
            self.see(finder, at, instruction);
        }
        if !matches!(key, Key::All) || order != Order::NOTHING {
            let ordering = Ordering { order, through: key, success, is_inside: at.is_inside };
            self.instructions.entry(id).or_default().insert((block, index), ordering);
        }
    }

    /// Adds how a thread may see by an access what others did, or be seen.
    fn see(&mut self, finder: &Finder<'_>, at: &At<'_>, instruction: &Instruction) {
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
        let order = match update_around(function.block(block), index) {
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
            let at = (at.function, at.position);
            self.seen.push(Seen { at, order, reads, writes, places, size, threads });
        }
    }

    /// Tells channels apart.
    pub fn finish(self, started: BTreeSet<FunctionId>) -> Orders {
        let Self { instructions, seen, tries, calls } = self;
        let mut channels = Channels::default();
        for ordering in instructions.values().flat_map(BTreeMap::values) {
            if let Key::Places(places) = &ordering.through {
                channels.add(places);
            }
        }
        let (numbers, count) = channels.numbers();
        let through = |key: Key| match key {
            Key::All => Through::All,
            Key::Fixed(channel) if count > channel => Through::Channel(channel),
            Key::Fixed(_) => Through::Channel(0),
            Key::Places(places) => {
                let first = places.first().map(|place| (place.object, place.offsets.single()));
                let number = first.and_then(|first| numbers.get(&first));
                number.map_or(Through::All, |&number| Through::Channel(number))
            }
        };
        let of_function = |of: BTreeMap<(BlockId, usize), Ordering<Key>>| {
            of.into_iter()
                .map(|(position, o)| {
                    let Ordering { order, through: key, success, is_inside } = o;
                    (position, Ordering { order, through: through(key), success, is_inside })
                })
                .collect()
        };
        let instructions = instructions.into_iter().map(|(id, of)| (id, of_function(of))).collect();
        Orders { instructions, channels: count, started, seen, tries, calls }
    }
}

impl Orders {
    /// What an instruction goes through.
    pub fn through(&self, (function, position): Position) -> Option<Through> {
        Some(self.instructions.get(&function)?.get(&position)?.through)
    }

    /// Whether all channels are one.
    pub fn are_one(&self) -> bool {
        self.channels == 1
    }

    /// The channel of starts, or of ends.
    pub fn fixed(&self, channel: usize) -> Through {
        Through::Channel(if self.are_one() { 0 } else { channel })
    }
}

/// Objects that orders go through.
#[derive(Default)]
struct Channels {
    /// The places: an object, and where in it, if that is one offset.
    known: BTreeMap<(Object, Option<u64>), usize>,
    /// Places that one instruction may be of.
    one: Vec<(usize, usize)>,
}

impl Channels {
    fn add(&mut self, places: &[Place]) {
        if places.iter().any(|place| place.object.is_any()) {
            return;
        }
        let mut first = None;
        for place in places {
            let next = self.known.len();
            let key = (place.object, place.offsets.single());
            let this = *self.known.entry(key).or_insert(next);
            self.one.push((*first.get_or_insert(this), this));
        }
    }

    /// The number of each place's channel, and how many channels there are.
    fn numbers(self) -> (BTreeMap<(Object, Option<u64>), usize>, usize) {
        let mut sets = UnionFind::<usize>::new(self.known.len());
        for &(a, b) in &self.one {
            sets.union(a, b);
        }
        // What may be anywhere in an object is one with all that is there.
        for (&(object, _), &whole) in self.known.iter().filter(|((_, offset), _)| offset.is_none())
        {
            let parts = self.known.range((object, None)..=(object, Some(u64::MAX)));
            for (_, &part) in parts {
                sets.union(whole, part);
            }
        }
        let mut dense: BTreeMap<usize, usize> = BTreeMap::new();
        for &place in self.known.values() {
            let next = SECTIONS + 1 + dense.len();
            dense.entry(sets.find(place)).or_insert(next);
        }
        let count = SECTIONS + 1 + dense.len();
        let is_few = count <= MOST_CHANNELS;
        let number = |place: usize| if is_few { dense[&sets.find(place)] } else { 0 };
        let numbers = self.known.iter().map(|(&key, &place)| (key, number(place))).collect();
        (numbers, if is_few { count } else { 1 })
    }
}

/// What says whether a compare-and-exchange succeeds, given its store, if it acquires no more than that where it fails. What it
/// writes is a choice between something new and what was there.
fn exchanged_if(block: &Block, index: usize) -> Option<ValueId> {
    update_around(block, index)?;
    let defined = |value: Operand| {
        let value = value.value()?;
        block.instructions.iter().find(|instruction| instruction.result == Some(value))
    };
    let Op::Store { value, .. } = &block.instructions.get(index)?.op else { return None };
    let Op::Select { condition, b, .. } = defined(*value)?.op else { return None };
    let Op::Load { order, .. } = defined(b)?.op else { return None };
    condition.value().filter(|_| !Order::of(order).acquires)
}

/// Whether a thread ends where a block does; a return is an end in a function that threads are started with.
pub(super) fn ends_thread(end: &TerminatorKind, is_started: bool) -> bool {
    match end {
        TerminatorKind::Return(_) => is_started,
        TerminatorKind::EndThread(_) => true,
        _ => false,
    }
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

/// The values that the code does more with than to compute what a read-modify-write writes of what it has read.
pub(super) fn observed(function: &Function) -> FxHashSet<ValueId> {
    let mut found = FxHashSet::default();
    let mut pending = Vec::new();
    let mut computations: FxHashMap<ValueId, &Op> = FxHashMap::default();
    let mut written = Vec::new();
    for (id, block) in function.blocks() {
        for (index, instruction) in block.instructions.iter().enumerate() {
            match (&instruction.op, instruction.result) {
                (op, Some(result)) if op.is_pure() => drop(computations.insert(result, op)),
                (Op::Store { address, value, .. }, _) if update_around(block, index).is_some() => {
                    pending.extend(address.value());
                    written.extend(value.value().map(|value| (id, index, value)));
                }
                (op, _) => op.for_each_operand(|operand| pending.extend(operand.value())),
            }
        }
        block.terminator.kind.for_each_operand(|operand| pending.extend(operand.value()));
    }
    for (id, index, value) in written {
        let own = loaded(function.block(id), index);
        let mut seen = FxHashSet::default();
        let mut behind = vec![value];
        while let Some(value) = behind.pop() {
            if own.contains(&value) || !seen.insert(value) {
                continue;
            }
            match computations.get(&value) {
                Some(op) => op.for_each_operand(|operand| behind.extend(operand.value())),
                None => pending.push(value),
            }
        }
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

/// What is read in the section that an instruction is in.
fn loaded(block: &Block, index: usize) -> Vec<ValueId> {
    let before = block.instructions.get(..index).unwrap_or_default();
    let section = before.iter().rev().take_while(|i| !matches!(i.op, Op::AtomicBegin(_)));
    let loads = section.filter(|instruction| matches!(instruction.op, Op::Load { .. }));
    loads.filter_map(|instruction| instruction.result).collect()
}
