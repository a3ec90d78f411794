//! Acts: what the order of the execution is about.

use std::collections::BTreeMap;

use sapa_ir::goto::interpret::{self, Machine};
use sapa_ir::goto::{Function, Instruction, Location, MemoryOrder, Module, Op, Operand, Type};
use sapa_passes::transform::store_buffers::{FLUSH, WAITS, Waiting};

use super::step::Step;
use crate::execution::act::{Act, ActKind, Bytes, StoreId};
use crate::execution::name::size;

/// The acts so far.
#[derive(Debug, Default)]
pub(super) struct Acts {
    pub found: Vec<Act>,
    /// The stores that wait, by thread and what they are to, the oldest first.
    waiting: BTreeMap<(u32, String), Vec<StoreId>>,
    stores: usize,
    /// Where the store is to that begins to wait next, of threads whose stores wait with addresses.
    addresses: BTreeMap<u32, u128>,
    /// The stores that wait in the interpreter's buffers, by thread, in the order in which they came.
    buffered: BTreeMap<u32, Vec<Buffered>>,
    /// The sections that threads are in: how deep, and the number of the outermost.
    sections: BTreeMap<u32, (usize, usize)>,
    begun: usize,
}

/// A store that waits in a buffer of the interpreter.
#[derive(Clone, Copy, Debug)]
struct Buffered {
    store: StoreId,
    bytes: Bytes,
    location: Location,
}

impl Acts {
    /// A thread is about to execute an instruction.
    pub fn before(&mut self, module: &Module, step: &Step<'_>, instruction: &Instruction) {
        let at = |operand: Operand| step.machine.value(step.thread, operand);
        let bytes = |address, ty: &Type| Bytes { pointer: at(address), size: size(module, ty) };
        let operation = module.operation(instruction.location);
        let kind = match &instruction.op {
            Op::AtomicBegin(_) => {
                let section = self.sections.entry(step.thread).or_insert((0, self.begun));
                section.0 += 1;
                self.begun += 1;
                return;
            }
            Op::AtomicEnd => {
                if let Some(section) = self.sections.get_mut(&step.thread) {
                    section.0 -= 1;
                    if section.0 == 0 {
                        self.sections.remove(&step.thread);
                    }
                }
                return;
            }
            Op::Copy { a } if operation == Some(WAITS) => {
                let variable = instruction.result.and_then(|result| step.variable(result));
                let variable = variable.and_then(|id| step.function.variables.get(id.index()));
                let Some((waiting, ty)) =
                    variable.and_then(|v| Some((Waiting::read(&v.name)?, &v.ty)))
                else {
                    return;
                };
                if waiting.is_address {
                    self.addresses.insert(step.thread, at(*a));
                    return;
                }
                let pointer = self.addresses.remove(&step.thread);
                let pointer = pointer.or_else(|| fixed(module, step, waiting.name));
                let store = self.next_store();
                let key = (step.thread, waiting.name.to_owned());
                let stores = self.waiting.entry(key).or_default();
                // Those that are too many were forgotten, the oldest first.
                let forgotten = (stores.len() + 1).saturating_sub(waiting.number);
                stores.drain(..forgotten.min(stores.len()));
                stores.push(store);
                let size = size(module, ty);
                ActKind::Waits(store, pointer.map(|pointer| Bytes { pointer, size }))
            }
            Op::Store { address, value, ty, .. } if operation == Some(FLUSH) => {
                let bytes = bytes(*address, ty);
                match self.reaches(step, *value) {
                    Some(store) => ActKind::Reaches(store, bytes),
                    None => ActKind::Writes(bytes),
                }
            }
            // What waits then is an act of its own.
            Op::Store { address, order, .. }
                if *order != MemoryOrder::SequentiallyConsistent
                    && step.machine.lets_wait(step.thread, at(*address)) =>
            {
                return;
            }
            Op::Store { address, ty, .. } => ActKind::Writes(bytes(*address, ty)),
            Op::Load { address, .. } => {
                let Some(result) = instruction.result else { return };
                let ty = step.function.operand_type(Operand::Value(result));
                let bytes = bytes(*address, &ty);
                if step.machine.forwards(step.thread, bytes.pointer, bytes.size) {
                    return;
                }
                ActKind::Reads(bytes)
            }
            Op::Spawn { .. } | Op::Join { .. } | Op::Allocate { .. } => ActKind::Begins,
            Op::Free { .. } | Op::CopyMemory { .. } | Op::HavocMemory { .. } => ActKind::Changes,
            Op::Assert { condition, .. } if at(*condition) != 1 => ActKind::Fails,
            _ => return,
        };
        self.push(step.thread, kind, instruction.location);
    }

    fn push(&mut self, thread: u32, kind: ActKind, location: Location) {
        let section = self.sections.get(&thread).map(|(_, number)| *number);
        self.found.push(Act { thread, kind, location, section });
    }

    fn next_store(&mut self) -> StoreId {
        self.stores += 1;
        StoreId(self.stores - 1)
    }

    /// A thread has executed an instruction: stores may wait in its buffer that did not before.
    pub fn after(&mut self, machine: &Machine<'_>, thread: u32, location: Location) {
        let known = self.buffered.entry(thread).or_default();
        let mut new: Vec<Bytes> = machine.waiting(thread).iter().map(bytes_of).collect();
        // Those to an object that has ended are lost.
        known.retain(|known| {
            let index = new.iter().position(|&bytes| bytes == known.bytes);
            index.map(|index| new.remove(index)).is_some()
        });
        for bytes in new {
            let store = self.next_store();
            self.push(thread, ActKind::Waits(store, Some(bytes)), location);
            self.buffered.entry(thread).or_default().push(Buffered { store, bytes, location });
        }
    }

    /// A store of a thread that waited in the interpreter's buffer has reached memory.
    pub fn reached(&mut self, thread: u32, store: &interpret::Waiting) {
        let bytes = bytes_of(store);
        let waiting = self.buffered.entry(thread).or_default();
        // Those to the same bytes reach memory in the order in which they came.
        let Some(index) = waiting.iter().position(|known| known.bytes == bytes) else { return };
        let Buffered { store, location, .. } = waiting.remove(index);
        self.push(thread, ActKind::Reaches(store, bytes), location);
    }

    /// The stores of a thread that wait in the interpreter's buffer.
    pub fn buffered(&self, thread: u32) -> impl Iterator<Item = (StoreId, Bytes)> {
        let waiting = self.buffered.get(&thread).into_iter().flatten();
        waiting.map(|known| (known.store, known.bytes))
    }

    /// The store that has waited and whose value is written to memory.
    fn reaches(&mut self, step: &Step<'_>, value: Operand) -> Option<StoreId> {
        let waiting = waiting(step.function, value)?;
        let key = (step.thread, waiting.name.to_owned());
        let stores = self.waiting.get_mut(&key)?;
        let index = waiting.number.checked_sub(1).filter(|index| *index < stores.len())?;
        Some(stores.remove(index))
    }
}

fn bytes_of(store: &interpret::Waiting) -> Bytes {
    Bytes { pointer: u128::from(store.pointer), size: store.bytes.len() as u64 }
}

/// The store that waits whose value a value is.
fn waiting(function: &Function, value: Operand) -> Option<Waiting<'_>> {
    let variable = function.values.get(value.value()?.index())?.variable?;
    Waiting::read(&function.variables.get(variable.index())?.name)
}

/// Where stores are to that wait without an address: the code that writes them to memory says it.
fn fixed(module: &Module, step: &Step<'_>, name: &str) -> Option<u128> {
    let pointer = |address: Operand| match address {
        Operand::Global(_) => Some(step.machine.value(step.thread, address)),
        address => {
            let defines = |i: &&Instruction| i.result.is_some() && i.result == address.value();
            match step.function.instructions().find(defines)?.op {
                Op::IndexAddress { base, index: Operand::Int { value, .. }, .. } => {
                    Some(step.machine.value(step.thread, base) + value)
                }
                _ => None,
            }
        }
    };
    step.function.instructions().find_map(|instruction| match &instruction.op {
        Op::Store { address, value, .. }
            if module.operation(instruction.location) == Some(FLUSH)
                && waiting(step.function, *value).is_some_and(|found| found.name == name) =>
        {
            pointer(*address)
        }
        _ => None,
    })
}
