//! Threads, instructions and terminators.

mod access;
mod buffers;
mod calls;
mod inputs;
mod terms;
mod values;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::buffer::Buffer;
use super::dead::Dead;
use super::memory::Memory;
use super::own::Own;
use super::terms::Path;
use crate::goto::arithmetic::{self, binary, compare, mask, overflows, signed, undefined};
use crate::goto::bytes::{get, initialize};
use crate::goto::{
    BlockId, Function, FunctionId, GlobalId, Location, MemoryModel, MemoryOrder, Module, Op,
    Operand, Section, SignedOverflow, SlotId, SyncOp, Target, TerminatorKind, Type, ValueId,
};
use crate::goto::{address, handle};
use buffers::Buffers;
pub use inputs::{Inputs, Request};
use values::Values;

/// A value that a step gave to memory or to a source variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where: a pointer, for stores.
    pub pointer: Option<u128>,
    /// The SSA value defined, for others.
    pub value: Option<ValueId>,
    /// The value's bits, the rest zero.
    pub bits: u128,
    /// Whether it is a store that waits in the thread's buffer.
    pub waits: bool,
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was executed.
    Continued(Option<Written>),
    /// A thread was started: its number.
    Started(u32),
    /// The thread ended.
    ThreadEnded,
    /// The program ended.
    Halted,
    /// It cannot be executed now; nothing changed.
    Blocked(&'static str),
    /// It has no meaning, so that the run ends here.
    Undefined(&'static str),
    /// An assertion failed.
    AssertionFailed {
        /// What was claimed.
        property: String,
        /// The place of the failing assertion in the source.
        location: Location,
    },
    /// Memory was accessed outside a living object: the run has no meaning from here.
    InvalidAccess(Location),
    /// The interpreter does not know this instruction.
    Unsupported(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Frame {
    function: FunctionId,
    block: BlockId,
    index: usize,
    values: Values,
    /// Object numbers of the slots.
    slots: Vec<u64>,
    /// Where the caller wants the result.
    result: Option<ValueId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Thread {
    frames: Vec<Frame>,
}

/// What a thread was; see [`Machine::save`].
pub(super) struct Saved(Arc<Thread>);

/// What is left of a thread that has ended: the value it ended with.
type Ended = Option<u128>;

/// The atomic section that a thread is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Held {
    thread: u32,
    /// How many sections are open.
    depth: u32,
    /// How many were when the first locked one was opened, it included.
    locked: Option<u32>,
}

/// A state of a module's execution.
#[derive(Clone, Debug)]
pub struct Machine<'m> {
    module: &'m Module,
    /// The numbers of what is local to threads; the same for all states of a search.
    own: Arc<Own>,
    memory: Memory,
    /// By number, in order of creation; 0 is the initial thread.
    threads: Vec<Result<Arc<Thread>, Ended>>,
    /// How many of them exist besides the initial one.
    others: u32,
    /// Where stores wait, under a model that lets them.
    buffers: Option<Buffers>,
    /// Who is inside an atomic section.
    atomic: Option<Held>,
    /// Most threads besides the initial one at once.
    bound: Option<u32>,
    halted: bool,
    /// What its terms fulfil, where it may have any.
    path: Option<Path>,
}

/// States are equal if everything that can happen from them is: the module and
/// the bound are the same for all states of a search.
impl PartialEq for Machine<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.memory == other.memory
            && self.threads == other.threads
            && self.contents() == other.contents()
            && self.atomic == other.atomic
            && self.halted == other.halted
            && self.path == other.path
    }
}

impl Eq for Machine<'_> {}

impl Hash for Machine<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.memory.hash(state);
        self.threads.hash(state);
        self.contents().hash(state);
        self.atomic.hash(state);
        self.halted.hash(state);
        self.path.hash(state);
    }
}

impl<'m> Machine<'m> {
    /// The initial state under a memory model; `None` if the module has no entry, its objects are
    /// too large, or its code has buffers already and the model would give it others. `bound` is
    /// the number of threads that may exist at once besides the initial one; a start beyond it
    /// waits until a thread has ended.
    pub fn new(
        module: &'m Module,
        model: MemoryModel,
        bound: Option<u32>,
        inputs: &mut dyn Inputs,
    ) -> Option<Self> {
        let buffers = Buffers::new(module, model);
        if buffers.is_some() && module.memory != MemoryModel::Sc {
            return None;
        }
        let first = (module.globals.len() + module.functions.len()) as u64 + 1;
        let own = Arc::new(Own::new(module));
        let memory = Memory::new(first, own.end(1));
        let mut machine = Self {
            module,
            own,
            memory,
            threads: Vec::new(),
            others: 0,
            buffers,
            atomic: None,
            bound,
            halted: false,
            path: inputs.data().map(|_| Path::default()),
        };
        for (index, global) in module.globals.iter().enumerate() {
            if !global.thread_local {
                machine.add_global(index as u64 + 1, GlobalId::new(index))?;
            }
        }
        let entry = module.entry?;
        let parameters = module.function(entry).parameters.iter().zip(0..);
        let arguments = parameters
            .map(|(ty, i)| machine.choose(0, Request::Parameter(i), machine.bits(ty), inputs))
            .collect();
        machine.start(entry, arguments)?;
        Some(machine)
    }

    fn add_global(&mut self, number: u64, id: GlobalId) -> Option<()> {
        let global = self.module.globals.get(id.index())?;
        self.memory.insert(number, global.ty.size(self.module))?;
        let bytes = self.memory.whole(number)?;
        initialize(self.module, &global.ty, &global.initializer, bytes);
        if self.buffers.as_ref().is_some_and(|b| b.escaping.is_buffered(self.module, id)) {
            self.memory.let_wait(number);
        }
        Some(())
    }

    fn bits(&self, ty: &Type) -> u16 {
        ty.bits(self.module).unwrap_or(1)
    }

    fn start(&mut self, function: FunctionId, arguments: Vec<u128>) -> Option<u32> {
        let number = u32::try_from(self.threads.len()).ok()?;
        let end = self.own.end(number.checked_add(1)?);
        if !self.memory.ends_before(self.module, end) {
            return None;
        }
        self.memory.end = end;
        let frame = self.frame(number, function, &arguments, None)?;
        self.threads.push(Ok(Arc::new(Thread { frames: vec![frame] })));
        self.others += u32::from(number != 0);
        if let Some(buffers) = &mut self.buffers {
            buffers.add();
        }
        let own = self.own.clone();
        for &global in own.globals() {
            self.add_global(own.number(number, global)?, global)?;
        }
        Some(number)
    }

    fn frame(
        &mut self,
        thread: u32,
        id: FunctionId,
        arguments: &[u128],
        result: Option<ValueId>,
    ) -> Option<Frame> {
        let function = self.module.functions.get(id.index()).filter(|f| f.is_defined())?;
        let mut values = Values::default();
        for (parameter, &argument) in
            function.block(Function::ENTRY).parameters.iter().zip(arguments)
        {
            values.set(*parameter, argument);
        }
        let mut slots = Vec::new();
        for (index, slot) in function.slots.iter().enumerate() {
            let number = self.memory.add(self.module, thread, slot.ty.size(self.module))?;
            let escapes = |buffers: &Buffers| buffers.escaping.slot(id, SlotId::new(index));
            if self.buffers.as_ref().is_some_and(escapes) {
                self.memory.let_wait(number);
            }
            slots.push(number);
        }
        Some(Frame { function: id, block: Function::ENTRY, index: 0, values, slots, result })
    }

    /// The threads that exist.
    #[must_use]
    pub fn threads(&self) -> Vec<u32> {
        (0..).take(self.threads.len()).filter(|&thread| self.exists(thread)).collect()
    }

    /// What a thread is now, to be [restored](Self::restore); `None` if there is none of this number.
    pub(super) fn save(&self, thread: u32) -> Option<Saved> {
        Some(Saved(self.threads.get(thread as usize)?.clone().ok()?))
    }

    /// Makes a thread what it was outside any atomic section. What it has done to memory since stays.
    pub(super) fn restore(&mut self, thread: u32, Saved(before): Saved) {
        if let Some(slot) = self.threads.get_mut(thread as usize) {
            self.others += u32::from(slot.is_err() && thread != 0);
            *slot = Ok(before);
        }
        self.atomic = None;
    }

    /// Whether a thread exists.
    #[must_use]
    pub fn exists(&self, thread: u32) -> bool {
        self.threads.get(thread as usize).is_some_and(Result::is_ok)
    }

    /// Where a thread stands: function, block, and index of the next instruction.
    #[must_use]
    pub fn position(&self, thread: u32) -> Option<(FunctionId, BlockId, usize)> {
        let frame = self.threads.get(thread as usize)?.as_ref().ok()?.frames.last()?;
        Some((frame.function, frame.block, frame.index))
    }

    /// Whether a thread is in an atomic section, so that no other can act.
    #[must_use]
    pub fn is_atomic(&self) -> bool {
        self.atomic.is_some()
    }

    /// What a thread sees at a pointer, as an integer of `size` bytes; `None` outside of objects,
    /// where nothing was written, and where a store to a part of it waits.
    #[must_use]
    pub fn peek(&self, thread: u32, pointer: u128, size: u64) -> Option<u128> {
        let bytes = match self.peek_waiting(thread, pointer, size)? {
            Some(bytes) => bytes,
            None => self.memory.peek(self.module, pointer, size)?,
        };
        get(bytes, self.module.target.endianness)
    }

    /// Size in bytes of the object of this number, and whether it has not ended; `None` if there never was one.
    #[must_use]
    pub fn object(&self, number: u64) -> Option<(u64, bool)> {
        Some((self.memory.size(number)?, self.memory.is_alive(number)))
    }

    /// The module that is executed.
    pub(super) fn module(&self) -> &'m Module {
        self.module
    }

    /// Whether only so many threads may exist at once.
    pub(super) fn is_bounded(&self) -> bool {
        self.bound.is_some()
    }

    /// The thread that is in an atomic section, if one is.
    pub(super) fn in_section(&self) -> Option<u32> {
        self.atomic.map(|section| section.thread)
    }

    /// The stack objects of the function that a thread is in.
    pub(super) fn slots(&self, thread: u32) -> &[u64] {
        let running = self.threads.get(thread as usize).and_then(|thread| thread.as_ref().ok());
        running.and_then(|running| running.frames.last()).map_or(&[], |frame| &frame.slots)
    }

    /// How many calls a thread is in, its first function included; 0 if it has ended.
    pub(super) fn depth(&self, thread: u32) -> usize {
        let running = self.threads.get(thread as usize).and_then(|thread| thread.as_ref().ok());
        running.map_or(0, |running| running.frames.len())
    }

    /// The objects that are local to a thread.
    pub(super) fn own_objects(&self, thread: u32) -> impl Iterator<Item = u64> {
        self.own.globals().iter().filter_map(move |&global| self.own.number(thread, global))
    }

    /// The stack object of this number, if it is one of a running function: by its function.
    #[must_use]
    pub fn slot(&self, object: u64) -> Option<(FunctionId, SlotId)> {
        let frames = self.threads.iter().flatten().flat_map(|thread| &thread.frames);
        frames.into_iter().find_map(|frame| {
            let index = frame.slots.iter().position(|&slot| slot == object)?;
            Some((frame.function, SlotId::new(index)))
        })
    }

    /// Whose object this number is, if it is one of what is local to threads: the thread, which may
    /// have ended, and the global.
    #[must_use]
    pub fn own(&self, object: u64) -> Option<(u32, GlobalId)> {
        self.own.owner(object).filter(|&(thread, _)| (thread as usize) < self.threads.len())
    }

    /// Sets values that nothing reads again to 0: what happens from here on stays the same.
    pub(super) fn forget(&mut self, dead: &mut Dead<'m>) {
        self.memory.settle();
        // What is shared with another state was looked at before that one was made.
        for thread in self.threads.iter_mut().flatten().filter_map(Arc::get_mut) {
            for frame in &mut thread.frames {
                let (reads, block, index) = (dead.of(frame.function), frame.block, frame.index);
                frame.values.retain(|value| !reads.is_dead(value, block, index));
            }
        }
    }

    /// Bytes that the state takes, roughly.
    pub(super) fn size(&self) -> usize {
        // With what a table keeps of each entry besides.
        const VALUE: usize = 48;
        const FRAME: usize = size_of::<Frame>();
        const OBJECT: usize = 96;
        const SHARED: usize = 24;
        let objects = self.memory.own_sizes();
        let memory =
            objects.map(|size| OBJECT + 2 * size).sum::<usize>() + SHARED * self.memory.count();
        let own = self.threads.iter().flatten().filter(|thread| Arc::strong_count(thread) == 1);
        let frames = own.flat_map(|thread| &thread.frames);
        let stacks: usize = frames
            .map(|frame| FRAME + VALUE * frame.values.capacity() + 8 * frame.slots.len())
            .sum();
        let path = self.path.as_ref().map_or(0, |path| size_of_val(&**path));
        size_of::<Self>() + memory + stacks + path + self.threads.len() * size_of::<Thread>()
    }

    /// How many threads were ever started besides the initial one.
    #[must_use]
    pub fn started(&self) -> usize {
        self.threads.len().saturating_sub(1)
    }

    /// Executes one instruction or terminator of a thread, which has found its numbers before (`find_numbers`) if values
    /// may be terms.
    pub fn step(&mut self, thread: u32, inputs: &mut dyn Inputs) -> Outcome {
        if self.halted {
            return Outcome::Blocked("the program has ended");
        }
        if self.atomic.is_some_and(|section| section.thread != thread) {
            return Outcome::Blocked("another thread is in an atomic section");
        }
        let Some((function, block, index)) = self.position(thread) else {
            return Outcome::Blocked("the thread does not exist");
        };
        let module = self.module;
        let block = module.function(function).block(block);
        match block.instructions.get(index) {
            Some(instruction) => {
                if let Some(waits) = self.waits_to_execute(thread, &instruction.op) {
                    return waits;
                }
                let outcome = self.instruction(
                    thread,
                    &instruction.op,
                    instruction.result,
                    instruction.location,
                    inputs,
                );
                let moves = matches!(outcome, Outcome::Continued(_) | Outcome::Started(_));
                // A call moves by itself, into the callee; its frame is on top already.
                if moves && let Some(frame) = self.frame_below(thread, &instruction.op) {
                    frame.index += 1;
                }
                outcome
            }
            None => {
                let kind = &block.terminator.kind;
                self.waits_to_end(thread, kind).unwrap_or_else(|| self.terminator(thread, kind))
            }
        }
    }

    /// The buffers, as far as states differ in them.
    fn contents(&self) -> &[Buffer] {
        self.buffers.as_ref().map_or(&[], Buffers::contents)
    }

    /// The frame that executed an instruction.
    fn frame_below(&mut self, thread: u32, op: &Op) -> Option<&mut Frame> {
        let frames = &mut self.running(thread)?.frames;
        let depth = if matches!(op, Op::Call { .. }) { 2 } else { 1 };
        let index = frames.len().checked_sub(depth)?;
        frames.get_mut(index)
    }

    /// A thread that is to be changed.
    fn running(&mut self, thread: u32) -> Option<&mut Thread> {
        self.threads.get_mut(thread as usize)?.as_mut().ok().map(Arc::make_mut)
    }

    fn top(&mut self, thread: u32) -> Option<&mut Frame> {
        self.running(thread)?.frames.last_mut()
    }

    /// The value of an operand where a thread stands; 0 for what is not defined.
    #[must_use]
    pub fn value(&self, thread: u32, operand: Operand) -> u128 {
        let pointer_bits = self.module.target.pointer_bits;
        let frame = self
            .threads
            .get(thread as usize)
            .and_then(|t| t.as_ref().ok())
            .and_then(|t| t.frames.last());
        let object = |number: u64| u128::from(address::encode(pointer_bits, number, 0));
        match operand {
            Operand::Value(value) => frame.map_or(0, |frame| frame.values.get(value)),
            Operand::Int { value, .. } => value,
            Operand::Null => 0,
            Operand::Global(global) if thread > 0 => match self.own.number(thread, global) {
                Some(number) => object(number),
                None => u128::from(address::global(self.module, global)),
            },
            Operand::Global(global) => u128::from(address::global(self.module, global)),
            Operand::Function(function) => u128::from(address::function(self.module, function)),
            Operand::Slot(slot) => {
                frame.and_then(|f| f.slots.get(slot.index())).map_or(0, |&number| object(number))
            }
        }
    }

    fn operand_bits(&self, thread: u32, operand: Operand) -> u16 {
        match self.position(thread) {
            Some((function, ..)) => {
                self.module.function(function).operand_bits(self.module, operand)
            }
            None => 1,
        }
    }

    fn define(&mut self, thread: u32, result: Option<ValueId>, value: u128) -> Outcome {
        if let (Some(result), Some(frame)) = (result, self.top(thread)) {
            frame.values.set(result, value);
        }
        Outcome::Continued(Some(Written {
            pointer: None,
            value: result,
            bits: value,
            waits: false,
        }))
    }

    fn instruction(
        &mut self,
        thread: u32,
        op: &Op,
        result: Option<ValueId>,
        location: Location,
        inputs: &mut dyn Inputs,
    ) -> Outcome {
        let v = |operand: Operand| self.value(thread, operand);
        let bits = match (result, self.position(thread)) {
            (Some(result), Some((function, ..))) => self
                .module
                .function(function)
                .values
                .get(result.index())
                .map_or(1, |value| self.bits(&value.ty)),
            _ => 1,
        };
        match op {
            Op::Binary { op, a, b, no_signed_wrap } => {
                let (x, y) = (v(*a), v(*b));
                if self.is_any_term(&[x, y]) {
                    return self.binary_of_terms(
                        thread,
                        (*op, x, y, *no_signed_wrap),
                        bits,
                        result,
                        inputs,
                    );
                }
                if undefined(*op, x, y, bits) {
                    return Outcome::Undefined("a division or a shift is not defined");
                }
                if *no_signed_wrap
                    && self.module.signed_overflow == SignedOverflow::Absent
                    && overflows(*op, x, y, bits)
                {
                    return Outcome::Undefined("a signed operation overflows");
                }
                self.define(thread, result, binary(*op, x, y, bits))
            }
            Op::Unary { op, a } => {
                let a = v(*a);
                let value = match self.data_for(&[a], inputs) {
                    Some(mut data) => data.unary(*op, a, bits),
                    None => arithmetic::unary(*op, a, bits),
                };
                self.define(thread, result, value)
            }
            Op::Compare { op, a, b } => {
                let (x, y, of) = (v(*a), v(*b), self.operand_bits(thread, *a));
                let value = match self.data_for(&[x, y], inputs) {
                    Some(mut data) => data.compare(*op, x, y, of),
                    None => u128::from(compare(*op, x, y, of)),
                };
                self.define(thread, result, value)
            }
            Op::Cast { op, a } => {
                // Pointers are as wide as the integers that they are converted to and from.
                let (a, from) = (v(*a), self.operand_bits(thread, *a));
                let value = match self.data_for(&[a], inputs) {
                    Some(mut data) => data.cast(*op, a, from, bits),
                    None => arithmetic::cast(*op, a, from, bits).unwrap_or(a),
                };
                self.define(thread, result, value)
            }
            Op::Select { condition, a, b } => {
                let (condition, a, b) = (v(*condition), v(*a), v(*b));
                let value = match self.data_for(&[condition], inputs) {
                    Some(mut data) => data.select(condition, a, b, bits),
                    None if condition == 1 => a,
                    None => b,
                };
                self.define(thread, result, value)
            }
            Op::Copy { a } => {
                let value = v(*a);
                self.define(thread, result, value)
            }
            Op::FieldAddress { base, structure, field } => {
                let offset = self
                    .module
                    .structs
                    .get(structure.index())
                    .and_then(|s| s.fields.get(field.index()));
                let value = v(*base).wrapping_add(u128::from(offset.map_or(0, |f| f.offset)));
                self.define(thread, result, value & mask(bits))
            }
            Op::IndexAddress { base, element, index } => {
                let by = signed(v(*index), self.operand_bits(thread, *index));
                let size = i128::from(element.size(self.module));
                let distance = by.checked_mul(size).filter(|distance| {
                    let largest = 1 << (address::offset_bits(bits) - 1);
                    (-largest..largest).contains(distance)
                });
                // Further away there may be another object.
                let Some(distance) = distance else {
                    return Outcome::Undefined("an index leaves its object");
                };
                let value = v(*base).wrapping_add(distance as u128);
                self.define(thread, result, value & mask(bits))
            }
            Op::Load { address, .. } => {
                match self.load(thread, v(*address), bits, location, inputs) {
                    Ok(value) => self.define(thread, result, value),
                    Err(outcome) => outcome,
                }
            }
            Op::Store { address, value, ty, order, .. } => {
                let (pointer, value) = (v(*address), v(*value));
                let value = self.as_memory(value, ty, inputs);
                self.store(thread, pointer, ty, value, *order, location)
            }
            Op::CopyMemory { destination, source, ty } => {
                self.copy(thread, v(*destination), v(*source), ty, location)
            }
            Op::HavocMemory { address, ty } => {
                self.havoc(thread, v(*address), ty, location, inputs)
            }
            Op::Allocate { size, zeroed, .. } => {
                let size = u64::try_from(v(*size)).unwrap_or(u64::MAX);
                let Some(number) = self.memory.add(self.module, thread, size) else {
                    return Outcome::Unsupported("an object of this size");
                };
                let pointer =
                    u128::from(address::encode(self.module.target.pointer_bits, number, 0));
                if *zeroed && let Some(bytes) = self.memory.bytes(self.module, pointer, size) {
                    bytes.fill(Some(0));
                }
                if self.buffers.is_some() {
                    self.memory.let_wait(number);
                }
                self.define(thread, result, pointer)
            }
            Op::Free { address } => {
                let pointer = u64::try_from(v(*address)).unwrap_or(u64::MAX);
                let (number, offset) = address::decode(self.module.target.pointer_bits, pointer);
                if pointer == 0 || (offset == 0 && self.end_object(number)) {
                    Outcome::Continued(None)
                } else {
                    Outcome::InvalidAccess(location)
                }
            }
            Op::Fence { order } => {
                self.fence(thread, *order);
                Outcome::Continued(None)
            }
            Op::Call { callee, arguments } => self.call(thread, *callee, arguments, result),
            Op::Spawn { function, arguments } => self.spawn(thread, *function, arguments, result),
            Op::Join { handle } => {
                let other = v(*handle).checked_sub(1).and_then(|n| usize::try_from(n).ok());
                match other.and_then(|other| self.threads.get(other)) {
                    Some(Err(_)) if result.is_none() => Outcome::Continued(None),
                    Some(Err(ended)) => {
                        let value = match ended {
                            Some(value) => *value,
                            None => self.choose(thread, Request::Nondet, bits, inputs),
                        };
                        let value = self.fitted(value, bits, inputs);
                        self.define(thread, result, value)
                    }
                    Some(Ok(_)) => Outcome::Blocked("the thread to be joined has not ended"),
                    None => Outcome::Undefined("no thread has the handle that is joined by"),
                }
            }
            Op::ObjectSize { address } => {
                let pointer = u64::try_from(v(*address)).unwrap_or(u64::MAX);
                let (number, _) = address::decode(self.module.target.pointer_bits, pointer);
                match self.memory.size(number) {
                    Some(size) => self.define(thread, result, u128::from(size)),
                    None => Outcome::InvalidAccess(location),
                }
            }
            Op::Accessible { address, ty, ended } => {
                let size = ty.size(self.module);
                let exists = self.memory.exists(self.module, v(*address), size, *ended);
                self.define(thread, result, u128::from(exists))
            }
            Op::ThreadSelf => self.define(thread, result, handle(thread)),
            Op::Sync { op, arguments } => {
                self.sync(thread, *op, arguments, result, location, inputs)
            }
            Op::AtomicBegin(section) => {
                let (depth, locked) = match self.atomic {
                    Some(held) => (held.depth + 1, held.locked),
                    None => (1, None),
                };
                let locked = locked.or((*section == Section::Locked).then_some(depth));
                self.atomic = Some(Held { thread, depth, locked });
                Outcome::Continued(None)
            }
            Op::AtomicEnd => {
                self.atomic = self.atomic.filter(|held| held.depth > 1).map(|held| {
                    let depth = held.depth - 1;
                    Held { depth, locked: held.locked.filter(|&locked| locked <= depth), ..held }
                });
                Outcome::Continued(None)
            }
            Op::Nondet { .. } => {
                let value = self.choose(thread, Request::Nondet, bits, inputs);
                self.define(thread, result, value)
            }
            Op::Assume { condition } if v(*condition) == 1 => Outcome::Continued(None),
            Op::Assume { .. } => Outcome::Blocked("an assumption does not hold"),
            Op::Assert { condition, .. } if v(*condition) == 1 => Outcome::Continued(None),
            Op::Assert { property, .. } => {
                Outcome::AssertionFailed { property: property.clone(), location }
            }
        }
    }

    pub(super) fn function_at(&self, thread: u32, operand: Operand) -> Option<FunctionId> {
        let pointer = u64::try_from(self.value(thread, operand)).ok()?;
        let (number, _) = address::decode(self.module.target.pointer_bits, pointer);
        let index = usize::try_from(number).ok()?.checked_sub(self.module.globals.len() + 1)?;
        (index < self.module.functions.len()).then(|| FunctionId::new(index))
    }

    fn spawn(
        &mut self,
        thread: u32,
        function: Operand,
        arguments: &[Operand],
        result: Option<ValueId>,
    ) -> Outcome {
        if self.bound.is_some_and(|bound| self.others >= bound) {
            return Outcome::Blocked("there are as many threads as may be at once");
        }
        let arguments: Vec<u128> = arguments.iter().map(|&a| self.value(thread, a)).collect();
        match self
            .function_at(thread, function)
            .and_then(|function| self.start(function, arguments))
        {
            Some(number) => {
                self.define(thread, result, handle(number));
                Outcome::Started(number)
            }
            None => Outcome::Unsupported("a thread without a function"),
        }
    }

    fn sync(
        &mut self,
        thread: u32,
        op: SyncOp,
        arguments: &[Operand],
        result: Option<ValueId>,
        location: Location,
        inputs: &mut dyn Inputs,
    ) -> Outcome {
        let Some(&object) = arguments.first() else {
            return Outcome::Unsupported("an operation without an object");
        };
        let pointer = self.value(thread, object);
        if op == SyncOp::SpinUnlock {
            let order = MemoryOrder::Release;
            return self.store(thread, pointer, &Type::Int(32), 0, order, location);
        }
        let cell = match self.load(thread, pointer, 32, location, inputs) {
            Ok(cell) if self.is_any_term(&[cell]) => {
                return Outcome::Unsupported("a lock or a semaphore that holds what was chosen");
            }
            Ok(cell) => cell,
            Err(outcome) => return outcome,
        };
        let minus_one = mask(32_u16);
        let new = match op {
            SyncOp::MutexLock | SyncOp::WriteLock if cell != 0 => {
                return Outcome::Blocked("the lock is taken");
            }
            SyncOp::ReadLock if cell >= minus_one - 1 => {
                return Outcome::Blocked("the lock is taken");
            }
            SyncOp::SemaphoreWait if cell == 0 => return Outcome::Blocked("the semaphore is zero"),
            SyncOp::MutexLock => 1,
            SyncOp::WriteLock => minus_one,
            SyncOp::MutexUnlock => 0,
            SyncOp::MutexTryLock => {
                self.define(thread, result, u128::from(cell == 0));
                if cell == 0 { 1 } else { cell }
            }
            SyncOp::ReadLock | SyncOp::SemaphorePost => cell.wrapping_add(1) & minus_one,
            SyncOp::ReadWriteUnlock if cell == minus_one => 0,
            SyncOp::ReadWriteUnlock | SyncOp::SemaphoreWait => cell.wrapping_sub(1) & minus_one,
            SyncOp::ConditionSignal | SyncOp::ConditionBroadcast => cell,
            SyncOp::ConditionWait | SyncOp::BarrierWait | SyncOp::SpinUnlock => {
                return Outcome::Unsupported("condition waits and barriers");
            }
        };
        let order = MemoryOrder::SequentiallyConsistent;
        self.store(thread, pointer, &Type::Int(32), new, order, location)
    }

    fn terminator(&mut self, thread: u32, kind: &TerminatorKind) -> Outcome {
        match kind {
            TerminatorKind::Jump(target) => self.jump(thread, target),
            TerminatorKind::Branch { condition, then, otherwise } => {
                let target = if self.value(thread, *condition) == 1 { then } else { otherwise };
                self.jump(thread, target)
            }
            TerminatorKind::Switch { value, cases, default } => {
                let value = self.value(thread, *value);
                let target = cases
                    .iter()
                    .find(|(case, _)| *case == value)
                    .map_or(default, |(_, target)| target);
                self.jump(thread, target)
            }
            TerminatorKind::Return(value) => {
                let value = value.map(|operand| self.value(thread, operand));
                let Some(frames) = self.running(thread).map(|running| &mut running.frames) else {
                    return Outcome::Blocked("the thread does not exist");
                };
                let Some(frame) = frames.pop() else {
                    return Outcome::Blocked("the thread does not exist");
                };
                let is_last = frames.is_empty();
                for slot in &frame.slots {
                    self.end_object(*slot);
                }
                if is_last {
                    return self.end(thread, value);
                }
                self.define(thread, frame.result, value.unwrap_or(0))
            }
            TerminatorKind::EndThread(value) => {
                let value = value.map(|operand| self.value(thread, operand));
                self.end(thread, value)
            }
            TerminatorKind::Halt => {
                self.halted = true;
                Outcome::Halted
            }
            TerminatorKind::Unreachable => {
                Outcome::Undefined("the program says that this is not reached")
            }
        }
    }

    fn end(&mut self, thread: u32, value: Ended) -> Outcome {
        if let Some(slot) = self.threads.get_mut(thread as usize) {
            self.others -= u32::from(slot.is_ok() && thread != 0);
            *slot = Err(value);
        }
        self.end_own(thread);
        if self.atomic.is_some_and(|section| section.thread == thread) {
            self.atomic = None;
        }
        Outcome::ThreadEnded
    }

    fn jump(&mut self, thread: u32, target: &Target) -> Outcome {
        let arguments: Vec<u128> =
            target.arguments.iter().map(|&a| self.value(thread, a)).collect();
        let module = self.module;
        if let Some(frame) = self.top(thread) {
            let parameters = &module.function(frame.function).block(target.block).parameters;
            for (&parameter, argument) in parameters.iter().zip(arguments) {
                frame.values.set(parameter, argument);
            }
            frame.block = target.block;
            frame.index = 0;
        }
        Outcome::Continued(None)
    }
}
