//! Where stores wait: the buffers of a machine's threads, and what waits for them to be empty.

use std::sync::Arc;

use super::{Machine, Outcome};
use crate::goto::address;
use crate::goto::bytes::Bytes;
use crate::goto::instruction::{MemoryOrder, Op, Section, SyncOp, TerminatorKind};
use crate::goto::interpret::buffer::{Buffer, Found, Waiting};
use crate::goto::interpret::escape::Escaping;
use crate::goto::module::{MemoryModel, Module};

/// The buffers of all threads, under a model that has any.
#[derive(Clone, Debug)]
pub(super) struct Buffers {
    model: MemoryModel,
    pub escaping: Arc<Escaping>,
    /// By thread.
    of: Vec<Buffer>,
}

impl Buffers {
    /// Those of a module's threads, of which there are none yet; `None` under sequential consistency.
    pub fn new(module: &Module, model: MemoryModel) -> Option<Self> {
        let relaxed = || Self { model, escaping: Arc::new(Escaping::of(module)), of: Vec::new() };
        (model != MemoryModel::Sc).then(relaxed)
    }

    /// Gives the next thread its buffer.
    pub fn add(&mut self) {
        self.of.push(Buffer::default());
    }

    pub fn of_mut(&mut self, thread: u32) -> Option<&mut Buffer> {
        self.of.get_mut(thread as usize)
    }

    /// What makes states differ.
    pub fn contents(&self) -> &[Buffer] {
        &self.of
    }
}

fn is_release(order: MemoryOrder) -> bool {
    matches!(order, MemoryOrder::Release | MemoryOrder::AcquireRelease)
}

impl Machine<'_> {
    fn buffer(&self, thread: u32) -> Option<&Buffer> {
        self.buffers.as_ref()?.of.get(thread as usize)
    }

    /// The stores of a thread that wait, oldest first.
    #[must_use]
    pub fn waiting(&self, thread: u32) -> &[Waiting] {
        self.buffer(thread).map_or(&[], Buffer::stores)
    }

    /// How many stores of a thread wait where one to a pointer would: in the thread's one buffer
    /// under TSO, in the one for the place under PSO.
    #[must_use]
    pub fn waiting_with(&self, thread: u32, pointer: u128) -> usize {
        let is_per_place = self.buffers.as_ref().is_some_and(|b| b.model == MemoryModel::Pso);
        let waiting = self.waiting(thread).iter();
        waiting.filter(|store| !is_per_place || u128::from(store.pointer) == pointer).count()
    }

    /// Whether more stores of a thread wait in one of its buffers than there is room for.
    #[must_use]
    pub fn exceeds(&self, thread: u32, room: usize) -> bool {
        let waiting = self.waiting(thread);
        waiting.len() > room
            && waiting.iter().any(|s| self.waiting_with(thread, s.pointer.into()) > room)
    }

    /// Which of the [stores that wait](Self::waiting) may reach memory now: indices, in order. None
    /// may while another thread is in an atomic section.
    #[must_use]
    pub fn ready(&self, thread: u32) -> Vec<usize> {
        let is_held = self.atomic.is_some_and(|section| section.thread != thread);
        match (&self.buffers, self.buffer(thread)) {
            (Some(buffers), Some(buffer)) if !is_held && !self.halted => {
                buffer.ready(buffers.model).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The stores of all threads that may reach memory now: thread and index.
    pub(in crate::goto::interpret) fn all_ready(&self) -> Vec<(u32, usize)> {
        let buffers = self.buffers.iter().flat_map(|buffers| (0..).zip(&buffers.of));
        let waiting = buffers.filter(|(_, buffer)| !buffer.is_empty());
        waiting
            .flat_map(|(thread, _)| self.ready(thread).into_iter().map(move |i| (thread, i)))
            .collect()
    }

    /// Lets a store of a thread that waits reach memory: the store; `None`, and nothing changed, if
    /// it may not now.
    pub fn reach_memory(&mut self, thread: u32, index: usize) -> Option<Waiting> {
        if !self.ready(thread).contains(&index) {
            return None;
        }
        let store = self.buffers.as_mut()?.of_mut(thread)?.remove(index)?;
        let (pointer, size) = (u128::from(store.pointer), store.bytes.len() as u64);
        if let Some(place) = self.memory.bytes(self.module, pointer, size) {
            place.copy_from_slice(&store.bytes);
        }
        Some(store)
    }

    /// Whether the next instruction of a thread lets a store to a global wait, and does nothing else:
    /// whatever others do before it or after it, the same comes of it.
    pub(in crate::goto::interpret) fn only_waits(&self, thread: u32, op: &Op) -> bool {
        let Op::Store { address, ty, order, .. } = op else { return false };
        let pointer = self.value(thread, *address);
        let (number, _) = self.object_of(pointer);
        let exists = || self.memory.peek(self.module, pointer, ty.size(self.module));
        *order != MemoryOrder::SequentiallyConsistent
            && number <= self.module.globals.len() as u64
            && self.lets_wait(thread, pointer)
            && exists().is_some()
    }

    /// Whether stores to the object of this number wait, outside of locked sections.
    #[must_use]
    pub fn is_buffered(&self, object: u64) -> bool {
        self.memory.is_buffered(object)
    }

    pub(in crate::goto::interpret) fn object_of(&self, pointer: u128) -> (u64, u64) {
        let pointer = u64::try_from(pointer).unwrap_or(u64::MAX);
        address::decode(self.module.target.pointer_bits, pointer)
    }

    /// What waits of a thread's for some bytes; `Some(None)` if nothing does, `None` if something does
    /// for a part of them.
    pub(super) fn peek_waiting(
        &self,
        thread: u32,
        pointer: u128,
        size: u64,
    ) -> Option<Option<&Bytes>> {
        let Some(buffer) = self.buffer(thread) else { return Some(None) };
        match buffer.find(u64::try_from(pointer).ok()?, size) {
            Found::Memory => Some(None),
            Found::Part => None,
            Found::Waiting(index, start) => {
                let end = start.saturating_add(usize::try_from(size).ok()?);
                buffer.stores().get(index)?.bytes.get(start..end).map(Some)
            }
        }
    }

    /// Whether a thread reads some bytes from a store of its own that waits.
    #[must_use]
    pub fn forwards(&self, thread: u32, pointer: u128, size: u64) -> bool {
        matches!(self.peek_waiting(thread, pointer, size), Some(Some(_)))
    }

    /// Whether a store of a thread at a pointer is to wait, unless its order forbids it. Locked
    /// sections write to memory. So do threads that are alone and for whom nothing waits, since
    /// nobody sees the difference: before there are others, the buffer is empty again.
    #[must_use]
    pub fn lets_wait(&self, thread: u32, pointer: u128) -> bool {
        let is_alone = || {
            let is_other = |(number, other): (usize, &Result<_, _>)| {
                other.is_ok() && number != thread as usize
            };
            self.waiting(thread).is_empty() && !self.threads.iter().enumerate().any(is_other)
        };
        self.buffers.is_some()
            && self.atomic.is_none_or(|section| section.locked.is_none())
            && self.memory.is_buffered(self.object_of(pointer).0)
            && !is_alone()
    }

    /// Lets a store of an order wait.
    pub(super) fn wait(
        &mut self,
        thread: u32,
        pointer: u128,
        bytes: Vec<Option<u8>>,
        order: MemoryOrder,
    ) {
        let Some(buffers) = &mut self.buffers else { return };
        let model = buffers.model;
        let (Some(buffer), Ok(pointer)) = (buffers.of_mut(thread), u64::try_from(pointer)) else {
            return;
        };
        match (model, is_release(order)) {
            (MemoryModel::Pso, true) => buffer.push_last(pointer, bytes),
            _ => buffer.push(pointer, bytes, model),
        }
    }

    /// Keeps the stores of a thread that wait before those to come, if a fence of this order does
    /// that and the model does not do it by itself.
    pub(super) fn fence(&mut self, thread: u32, order: MemoryOrder) {
        if let Some(buffers) = &mut self.buffers
            && buffers.model == MemoryModel::Pso
            && is_release(order)
            && let Some(buffer) = buffers.of_mut(thread)
        {
            buffer.fence();
        }
    }

    /// Ends the life of an object; whether it lived. Stores that wait for it are lost.
    pub(super) fn end_object(&mut self, number: u64) -> bool {
        let lived = self.memory.free(number);
        self.lose_stores(number);
        lived
    }

    /// Ends the lives of the objects that are local to a thread which ends. They leave nothing behind
    /// that states could differ in. Those of the initial thread last as long as the program.
    pub(super) fn end_own(&mut self, thread: u32) {
        if thread == 0 {
            return;
        }
        let own = self.own.clone();
        for number in own.globals().iter().filter_map(|&global| own.number(thread, global)) {
            self.memory.remove(number);
            self.lose_stores(number);
        }
    }

    /// Takes the stores that wait for an object out of all buffers.
    fn lose_stores(&mut self, number: u64) {
        if let Some(buffers) = &mut self.buffers {
            let bits = self.module.target.pointer_bits;
            let start = address::encode(bits, number, 0);
            let end = start.saturating_add(1 << address::offset_bits(bits));
            buffers.of.iter_mut().for_each(|buffer| buffer.forget(start, end));
        }
    }

    /// What a thread that is to execute an instruction waits for, if its buffer must be empty first.
    pub(super) fn waits_to_execute(&self, thread: u32, op: &Op) -> Option<Outcome> {
        let empties = match op {
            Op::Fence { order } | Op::Store { order, .. } => {
                *order == MemoryOrder::SequentiallyConsistent
            }
            Op::AtomicBegin(section) => *section == Section::Locked,
            Op::Sync { op, .. } => !matches!(
                op,
                SyncOp::SpinUnlock | SyncOp::ConditionSignal | SyncOp::ConditionBroadcast
            ),
            Op::Spawn { .. } | Op::Join { .. } => true,
            _ => false,
        };
        self.waits(thread, empties)
    }

    /// As [`waits_to_execute`](Self::waits_to_execute), at the end of a block.
    pub(super) fn waits_to_end(&self, thread: u32, kind: &TerminatorKind) -> Option<Outcome> {
        let frames = match self.threads.get(thread as usize) {
            Some(Ok(thread)) => thread.frames.len(),
            _ => 0,
        };
        let ends = match kind {
            TerminatorKind::Return(_) => frames <= 1,
            TerminatorKind::EndThread(_) => true,
            _ => false,
        };
        self.waits(thread, ends)
    }

    fn waits(&self, thread: u32, empties: bool) -> Option<Outcome> {
        (empties && !self.waiting(thread).is_empty())
            .then_some(Outcome::Blocked("the thread's buffer is not empty"))
    }
}
