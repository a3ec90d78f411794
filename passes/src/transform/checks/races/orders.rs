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

/// Of what threads synchronise by that the analysis cannot tell apart.
const SEVERAL_IN_ONE: &str = "assuming that locks and atomic objects order as one object does that are elements of an \
                              array, are allocated in one place, or are reached by unknown pointers";

/// Of the sections in which structures are exchanged, for one.
pub(super) const WEAK_SECTIONS: &str = "assuming that atomic sections, and operations on atomic structures, release and acquire \
                             whatever the orders of accesses in them are";

/// Of functions that threads are started with, where they are called too.
const CALLED: &str = "assuming that calls of functions that threads are started with order as starts and ends of threads do";

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

    /// What a fence of a memory order orders, or the store of a read-modify-write.
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

    /// What a load of a memory order orders: no load releases.
    fn of_load(order: MemoryOrder) -> Self {
        Self { releases: false, ..Self::of(order) }
    }

    /// What a store of a memory order orders that is no part of a read-modify-write: it acquires nothing.
    fn of_store(order: MemoryOrder) -> Self {
        Self { acquires: false, ..Self::of(order) }
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
    /// What is 1 if it succeeds, where it may fail.
    pub success: Option<ValueId>,
    /// What it orders where it fails.
    pub otherwise: Order,
    /// Whether it is in an atomic section.
    pub is_inside: bool,
}

impl<T> Ordering<T> {
    /// What it orders, whether it succeeds or not.
    pub fn in_any_case(&self) -> Order {
        let Self { order, success, otherwise, .. } = self;
        Order {
            acquires: order.acquires && (success.is_none() || otherwise.acquires),
            releases: order.releases && (success.is_none() || otherwise.releases),
        }
    }
}

/// The instructions of each function that order something.
type Instructions<T> = BTreeMap<FunctionId, BTreeMap<(BlockId, usize), Ordering<T>>>;

/// The orders that a program's instructions make, while they are collected.
pub(super) struct Collected {
    instructions: Instructions<Key>,
    seen: Vec<Seen>,
    tries: Vec<Try>,
    /// The functions that are called which have bodies, and whether any is.
    called: BTreeSet<FunctionId>,
    calls: bool,
    /// The objects of which there is one in each run.
    single: BTreeSet<Object>,
    /// Whether a section of the program has accesses in it that are to order less than it does.
    has_weak_sections: bool,
}

/// The orders that a program's instructions make.
pub(super) struct Orders {
    /// The instructions that order anything, and atomic accesses that do not.
    pub instructions: Instructions<Through>,
    /// How many channels there are.
    pub channels: usize,
    /// Those of one object.
    single: BTreeSet<usize>,
    /// The functions that threads are started with: their begin acquires, their ends release.
    pub started: BTreeSet<FunctionId>,
    /// What is taken for granted of them where they are followed.
    pub assumed: Vec<&'static str>,
    /// Whether a section of the program has accesses in it that are to order less than it does: then it is no
    /// operation by which threads are found that are not ordered ([`WEAK_SECTIONS`]).
    pub has_weak_sections: bool,
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
        let is_one = |x: &Place, y: &Place| x.may_meet(self.size, *y, write.size);
        self.threads.iter().any(|x| write.threads.iter().any(|y| are_two(x, y)))
            && self.places.iter().any(|x| write.places.iter().any(|y| is_one(x, y)))
    }
}

/// An operation that acquires only where it succeeds: a lock that is tried, or a compare-and-exchange.
pub(super) struct Try {
    pub at: Position,
    /// What says that it did.
    pub success: ValueId,
    /// Whether it is one of a lock, whose holder no fence comes behind.
    pub is_of_lock: bool,
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
        Self {
            instructions: BTreeMap::new(),
            seen: Vec::new(),
            tries: Vec::new(),
            called: BTreeSet::new(),
            calls: false,
            single: BTreeSet::new(),
            has_weak_sections: false,
        }
    }

    /// Adds what an instruction orders.
    pub fn add(&mut self, finder: &Finder<'_>, at: &At<'_>) {
        let At { function: id, position: (block, index), .. } = *at;
        let data = finder.module.function(id).block(block);
        let Some(instruction) = data.instructions.get(index) else { return };
        // What no other thread can come to orders nothing.
        let of = |address: Operand| {
            let places = finder.points_to.places(id, address).into_iter();
            Key::Places(places.filter(|place| finder.is_known_to_others(place.object)).collect())
        };
        let is_library = finder.synchronises(instruction);
        // What the models of mutexes do beside locking orders nothing; those of others are no more than their accesses.
        let orders_by_access = is_library && !finder.is_of_mutexes(instruction);
        // Sections of other models stand for what the library does inside.
        let is_of_program = !is_library && !finder.is_of_model(instruction);
        let mut success = None;
        let mut otherwise = Order::NOTHING;
        let (order, key) = match &instruction.op {
            Op::AtomicBegin(Section::Locked)
                if is_of_program && update_of(data, index).is_none() =>
            {
                (Order::ACQUIRE, Key::Fixed(SECTIONS))
            }
            Op::AtomicEnd
                if is_of_program && at.is_locked && update_around(data, index).is_none() =>
            {
                (Order::RELEASE, Key::Fixed(SECTIONS))
            }
            Op::Load { address, .. } if orders_by_access => {
                let Order { acquires, .. } = of_model(finder.operation(id, instruction));
                (Order { acquires, releases: false }, of(*address))
            }
            Op::Store { address, .. } if orders_by_access => {
                let Order { releases, .. } = of_model(finder.operation(id, instruction));
                (Order { acquires: false, releases }, of(*address))
            }
            Op::Load { address, order, .. } if *order != MemoryOrder::Plain => {
                // That of a compare-and-exchange is told where it writes.
                let is_exchange = exchange(data, index).is_some();
                (if is_exchange { Order::NOTHING } else { Order::of_load(*order) }, of(*address))
            }
            Op::Store { address, order, .. } if *order != MemoryOrder::Plain => {
                let order = match exchange(data, index) {
                    Some(exchange) => {
                        (success, otherwise) = (Some(exchange.success), exchange.otherwise);
                        exchange.order
                    }
                    None if update_around(data, index).is_some() => Order::of(*order),
                    None => Order::of_store(*order),
                };
                (order, of(*address))
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
                    Operand::Function(callee) => {
                        self.called.insert(*callee);
                        finder.module.function(*callee).is_defined()
                    }
                    _ => true,
                };
                return;
            }
            _ => (Order::NOTHING, Key::All),
        };
        if let Key::Places(places) = &key {
            if places.is_empty() {
                return;
            }
            let objects = places.iter().map(|place| place.object);
            self.single.extend(objects.filter(|&object| finder.is_of_one(object)));
        }
        if !at.is_alone {
            if let Some(success) = success.filter(|_| order.acquires && !otherwise.acquires) {
                let is_of_lock = matches!(instruction.op, Op::Sync { .. });
                self.tries.push(Try { at: (id, at.position), success, is_of_lock });
            }
            self.see(finder, at, instruction);
        }
        if !matches!(key, Key::All) || order != Order::NOTHING {
            let is_inside = at.is_inside;
            let ordering = Ordering { order, through: key, success, otherwise, is_inside };
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
        let data = function.block(block);
        let order = match (exchange(data, index), update_around(data, index)) {
            (Some(exchange), _) => exchange.order,
            (None, Some(update)) => update,
            (None, None) if at.is_locked => {
                use MemoryOrder::{Plain, SequentiallyConsistent};
                self.has_weak_sections |= !matches!(order, Plain | SequentiallyConsistent);
                Order::BOTH
            }
            (None, None) => Order::of(order),
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
        let Self { instructions, seen, tries, called, calls, single, has_weak_sections } = self;
        let mut channels = Channels::default();
        let mut has_unknown = false;
        for ordering in instructions.values().flat_map(BTreeMap::values) {
            if let Key::Places(places) = &ordering.through {
                has_unknown |= may_be_any(places);
                channels.add(places);
            }
        }
        let (numbers, count, single) = channels.numbers(&single);
        let through = |key: Key| match key {
            Key::All => Through::All,
            Key::Fixed(channel) if count > channel => Through::Channel(channel),
            Key::Fixed(_) => Through::Channel(0),
            Key::Places(places) if may_be_any(&places) => Through::All,
            Key::Places(places) => {
                let first = places.first().map(|place| (place.object, place.offsets.single()));
                let number = first.and_then(|first| numbers.get(&first));
                number.map_or(Through::All, |&number| Through::Channel(number))
            }
        };
        let of_function = |of: BTreeMap<(BlockId, usize), Ordering<Key>>| {
            of.into_iter()
                .map(|(position, o)| {
                    let Ordering { order, through: key, success, otherwise, is_inside } = o;
                    let through = through(key);
                    (position, Ordering { order, through, success, otherwise, is_inside })
                })
                .collect()
        };
        let instructions = instructions.into_iter().map(|(id, of)| (id, of_function(of))).collect();
        let calls_started = started.iter().any(|id| called.contains(id));
        let assumed = [
            (SEVERAL_IN_ONE, has_unknown || count != SECTIONS + 1 + single.len()),
            (CALLED, calls_started),
        ];
        let assumed = assumed.into_iter().filter_map(|(note, holds)| holds.then_some(note));
        let assumed = assumed.collect();
        Orders {
            instructions,
            channels: count,
            single,
            started,
            assumed,
            has_weak_sections,
            seen,
            tries,
            calls,
        }
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

    /// Whether a channel is of one object, so that whoever acquires through it is behind whoever released before.
    pub fn is_of_one(&self, channel: usize) -> bool {
        self.single.contains(&channel)
    }

    /// The channel of starts, or of ends.
    pub fn fixed(&self, channel: usize) -> Through {
        Through::Channel(if self.are_one() { 0 } else { channel })
    }
}

/// A place that orders go through: an object, and where in it, if that is one offset.
type Part = (Object, Option<u64>);

/// Whether what is at places may be any object.
fn may_be_any(places: &[Place]) -> bool {
    places.iter().any(|place| place.object.is_any())
}

/// Objects that orders go through.
#[derive(Default)]
struct Channels {
    known: BTreeMap<Part, usize>,
    /// Places that one instruction may be of.
    one: Vec<(usize, usize)>,
}

impl Channels {
    fn add(&mut self, places: &[Place]) {
        if may_be_any(places) {
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

    /// The number of each place's channel, how many channels there are, and which are of one object, given the objects of
    /// which there is one.
    fn numbers(self, single: &BTreeSet<Object>) -> (BTreeMap<Part, usize>, usize, BTreeSet<usize>) {
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
        let numbers: BTreeMap<_, _> =
            self.known.iter().map(|(&key, &place)| (key, number(place))).collect();
        let mut of: BTreeMap<usize, Vec<Part>> = BTreeMap::new();
        for (&key, &channel) in &numbers {
            of.entry(channel).or_default().push(key);
        }
        let is_one =
            |places: &[Part]| matches!(places, [(object, Some(_))] if single.contains(object));
        let of_one = of.iter().filter(|(_, places)| is_few && is_one(places));
        let of_one = of_one.map(|(&channel, _)| channel).collect();
        (numbers, if is_few { count } else { 1 }, of_one)
    }
}

/// A compare-and-exchange.
struct Exchange {
    /// What is 1 if it succeeds.
    success: ValueId,
    /// What it orders then.
    order: Order,
    /// What it orders if it fails, as the load that it is then.
    otherwise: Order,
}

/// The compare-and-exchange that an instruction is a part of. What that writes is a choice between something new and what
/// was there, whose load has the order of its failure.
fn exchange(block: &Block, index: usize) -> Option<Exchange> {
    let begin = begin_before(block, index)?;
    update_of(block, begin)?;
    let section = block.instructions.get(begin + 1..)?;
    let section = section.iter().take_while(|instruction| instruction.op != Op::AtomicEnd);
    let defined = |value: Operand| {
        let value = value.value()?;
        block.instructions.iter().find(|instruction| instruction.result == Some(value))
    };
    let of_store = |instruction: &Instruction| {
        let Op::Store { value, order, .. } = &instruction.op else { return None };
        let Op::Select { condition, b, .. } = defined(*value)?.op else { return None };
        let Op::Load { order: of_load, .. } = defined(b)?.op else { return None };
        let otherwise = Order::of_load(of_load);
        Some(Exchange { success: condition.value()?, order: Order::of(*order), otherwise })
    };
    section.filter_map(of_store).next()
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

/// What the accesses of a model order that is not of mutexes, by the name of its function.
fn of_model(name: &str) -> Order {
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["key", "specific", "tss_"]) {
        // They are of each thread's own values.
        Order::NOTHING
    } else if has(&["cond", "cnd_", "barrier", "once"]) {
        Order::BOTH
    } else if has(&["unlock", "post"]) {
        Order::RELEASE
    } else if has(&["lock", "wait"]) {
        Order::ACQUIRE
    } else {
        Order::BOTH
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
    update_of(block, begin_before(block, index)?)
}

/// Where the section begins that an instruction is in, if that is in its block.
fn begin_before(block: &Block, index: usize) -> Option<usize> {
    let before = block.instructions.get(..index)?;
    let begin = before.iter().rposition(|i| matches!(i.op, Op::AtomicBegin(_)))?;
    let is_closed = before[begin..].iter().any(|i| i.op == Op::AtomicEnd);
    (!is_closed).then_some(begin)
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
    let begin = begin_before(block, index).unwrap_or_default();
    let section = block.instructions.get(begin..index).unwrap_or_default();
    let loads = section.iter().filter(|instruction| matches!(instruction.op, Op::Load { .. }));
    loads.filter_map(|instruction| instruction.result).collect()
}
