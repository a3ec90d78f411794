//! What the next instruction of a thread touches that other threads may touch as well: whatever it does besides depends on
//! the thread alone, and nobody sees it.

use super::conflicts::Lock;
use super::machine::Machine;
use super::memory::lane;
use crate::goto::entity::{BlockId, FunctionId, ValueId};
use crate::goto::instruction::{CompareOp, Instruction, Op, Operand, SyncOp, TerminatorKind};
use crate::goto::types::Type;

/// Stands for the numbers that objects get, in the order in which they come into being: a byte for each lane of numbers.
pub(super) const ALLOCATOR: u64 = u64::MAX;

/// Stands for the numbers that threads get, in the order of their starts, and for the room that is left for them.
pub(super) const STARTS: u64 = u64::MAX - 1;

/// Stands for the ends of threads: a byte for each.
pub(super) const ENDS: u64 = u64::MAX - 2;

/// What of an object is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// These bytes, from the first one to before the last one.
    Bytes(u32, u32),
    /// All of them, and whether it exists.
    Whole,
    /// Whether it exists, and its size.
    Life,
}

/// An access to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// The object's number, or what stands for something else that threads share.
    pub object: u64,
    pub part: Part,
    pub writes: bool,
}

/// A place in memory that a move finds 0, or is not made: the first thing that a section reads, and asks for before it does
/// anything that depends on it. So what place a move waits for depends on its thread alone, and as long as it waits
/// nothing of it can be seen, nor can it fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaits {
    /// It is not known yet: nothing was executed.
    Begin,
    /// A section has begun in this block.
    Section(BlockId),
    /// This is what was read first.
    Read(BlockId, ValueId, Lock),
    /// It is 0.
    Zero(Lock),
    /// It waits for no place, or for more than one.
    Nothing,
}

impl Awaits {
    /// A thread will execute its next instruction, which touches this.
    pub fn next(self, machine: &Machine<'_>, thread: u32, touched: &[Access]) -> Self {
        let Some((function, at, index)) = machine.position(thread) else { return Self::Nothing };
        let block = machine.module().function(function).block(at);
        let Some(instruction) = block.instructions.get(index) else {
            return if let Self::Zero(_) = self { self } else { Self::Nothing };
        };
        let lock = |access: &Access| match access.part {
            Part::Bytes(start, end) => Some((access.object, start, end)),
            _ => None,
        };
        match (self, &instruction.op) {
            (Self::Begin, Op::AtomicBegin(_)) => Self::Section(at),
            // These are a section by themselves, which waits for 0.
            (Self::Begin, Op::Sync { op: SyncOp::MutexLock | SyncOp::WriteLock, .. }) => {
                touched.first().and_then(lock).map_or(Self::Nothing, Self::Zero)
            }
            (Self::Section(before), Op::Load { .. }) if before == at => {
                let read = instruction.result.zip(touched.first().and_then(lock));
                // What is read is all that is there: a part of it may be 0 alone.
                let is_all = |&(result, (_, start, end)): &(ValueId, Lock)| {
                    let ty =
                        machine.module().function(function).operand_type(Operand::Value(result));
                    ty.bits(machine.module()).map(u32::from) == Some(8 * (end - start))
                };
                let read = read.filter(is_all);
                read.map_or(Self::Nothing, |(result, lock)| Self::Read(at, result, lock))
            }
            (Self::Section(_), Op::Nondet { .. } | Op::Call { .. } | Op::AtomicEnd) => {
                Self::Nothing
            }
            (Self::Section(_), _) if touched.is_empty() => self,
            (Self::Read(before, value, lock), Op::Assume { condition }) if before == at => {
                let defines =
                    |other: &&Instruction| other.result.map(Operand::Value) == Some(*condition);
                let definition = block.instructions.iter().find(defines);
                let is_zero = definition.is_some_and(|definition| match definition.op {
                    Op::Compare { op: CompareOp::Eq, a, b } => {
                        let zero = |operand| matches!(operand, Operand::Int { value: 0, .. });
                        let read = Operand::Value(value);
                        a == read && zero(b) || b == read && zero(a)
                    }
                    _ => false,
                });
                if is_zero { Self::Zero(lock) } else { Self::Nothing }
            }
            // These have no effect but their result, and a meaning in any case.
            (
                Self::Read(..),
                Op::Compare { .. } | Op::Cast { .. } | Op::Select { .. } | Op::Copy { .. },
            )
            | (Self::Zero(_), _) => self,
            _ => Self::Nothing,
        }
    }

    /// The place, if there is one.
    pub fn lock(self) -> Option<Lock> {
        if let Self::Zero(lock) = self { Some(lock) } else { None }
    }
}

/// Larger accesses are taken to touch all of their object.
const MOST_BYTES: u64 = 64;

/// Adds what the next instruction or terminator of a thread touches; `false` if that may be anything.
///
/// Instructions of an atomic section are looked at one by one: that others have to wait as long as it lasts is not told here.
/// Stores that wait in buffers are not known.
pub(super) fn touch(machine: &Machine<'_>, thread: u32, found: &mut Vec<Access>) -> bool {
    let module = machine.module();
    let Some((function, block, index)) = machine.position(thread) else { return false };
    let function = module.function(function);
    let block = function.block(block);
    let at = |operand: Operand| machine.value(thread, operand);
    let Some(instruction) = block.instructions.get(index) else {
        match &block.terminator.kind {
            TerminatorKind::Jump(_)
            | TerminatorKind::Branch { .. }
            | TerminatorKind::Switch { .. } => {}
            TerminatorKind::Return(_) => {
                for &slot in machine.slots(thread) {
                    add(found, slot, Part::Whole, true);
                }
                if machine.depth(thread) == 1 {
                    end(machine, thread, found);
                }
            }
            TerminatorKind::EndThread(_) => end(machine, thread, found),
            TerminatorKind::Halt | TerminatorKind::Unreachable => return false,
        }
        return true;
    };
    // What is no access, since nothing is there or not enough, may be one when others have moved, or may have been one.
    let place = |found: &mut Vec<Access>, pointer: u128, size: u64| {
        let (object, start) = machine.object_of(pointer);
        let length = machine.object(object).map_or(0, |(length, _)| length);
        match start.checked_add(size).filter(|&end| end <= length) {
            Some(end) => Some(match (u32::try_from(start), u32::try_from(end)) {
                (Ok(start), Ok(end)) if size <= MOST_BYTES => (object, Part::Bytes(start, end)),
                _ => (object, Part::Whole),
            }),
            None => {
                look_for(machine, object, found);
                None
            }
        }
    };
    match &instruction.op {
        Op::Load { address, .. } => {
            let Some(result) = instruction.result else { return false };
            let size = function.operand_type(Operand::Value(result)).size(module);
            // What nobody has written gets a value as it is read.
            let is_written = machine.is_written(thread, at(*address), size);
            place(found, at(*address), size)
                .is_some_and(|(object, part)| add(found, object, part, !is_written))
        }
        Op::Store { address, ty, .. } | Op::HavocMemory { address, ty } => {
            place(found, at(*address), ty.size(module))
                .is_some_and(|(object, part)| add(found, object, part, true))
        }
        Op::CopyMemory { destination, source, ty } => {
            let size = ty.size(module);
            let from = place(found, at(*source), size);
            let to = place(found, at(*destination), size);
            from.zip(to).is_some_and(|((from, source), (to, destination))| {
                add(found, from, source, false) && add(found, to, destination, true)
            })
        }
        Op::Allocate { .. } => add(found, ALLOCATOR, numbers(machine, thread), true),
        Op::Free { address } if at(*address) == 0 => true,
        Op::Free { address } => {
            let (object, _) = machine.object_of(at(*address));
            look_for(machine, object, found);
            add(found, object, Part::Whole, true)
        }
        Op::ObjectSize { address } | Op::Accessible { address, .. } => {
            look_for(machine, machine.object_of(at(*address)).0, found);
            true
        }
        Op::Call { callee, .. } => match machine.function_at(thread, *callee) {
            Some(callee) => enter(machine, thread, callee, found),
            None => false,
        },
        Op::Spawn { function, .. } => match machine.function_at(thread, *function) {
            Some(function) => {
                let started = u32::try_from(machine.started() + 1).unwrap_or(u32::MAX);
                // Who was to wait for it before had no thread to wait for.
                add(found, ENDS, Part::Bytes(started, started.saturating_add(1)), true)
                    && add(found, STARTS, Part::Whole, true)
                    && enter(machine, started, function, found)
            }
            None => false,
        },
        Op::Join { handle } => match at(*handle).checked_sub(1).map(u32::try_from) {
            Some(Ok(other)) if other as usize <= machine.started() => {
                add(found, ENDS, Part::Bytes(other, other + 1), false)
            }
            // There may be one when others have moved.
            _ => {
                add(found, STARTS, Part::Whole, false);
                false
            }
        },
        Op::Sync { arguments, .. } => {
            let pointer = arguments.first().map(|&argument| at(argument));
            let size = Type::Int(32).size(module);
            let place = pointer.and_then(|pointer| place(found, pointer, size));
            place.is_some_and(|(object, part)| {
                add(found, object, part, false) && add(found, object, part, true)
            })
        }
        Op::Fence { .. }
        | Op::AtomicBegin(_)
        | Op::AtomicEnd
        | Op::Nondet { .. }
        | Op::Assume { .. }
        | Op::Assert { .. }
        | Op::ThreadSelf => true,
        op => op.is_pure(),
    }
}

/// Adds an access.
fn add(found: &mut Vec<Access>, object: u64, part: Part, writes: bool) -> bool {
    found.push(Access { object, part, writes });
    true
}

/// Adds that it matters whether an object exists. One that does not may come into being, by an allocation or with a thread.
fn look_for(machine: &Machine<'_>, object: u64, found: &mut Vec<Access>) {
    add(found, object, Part::Life, false);
    if machine.object(object).is_none() {
        add(found, ALLOCATOR, Part::Whole, false);
        add(found, STARTS, Part::Whole, false);
    }
}

/// The numbers of objects that a thread makes.
fn numbers(machine: &Machine<'_>, thread: u32) -> Part {
    let lane = lane(machine.module(), thread);
    Part::Bytes(lane, lane + 1)
}

/// A thread enters a function, whose stack objects get numbers.
fn enter(
    machine: &Machine<'_>,
    thread: u32,
    function: FunctionId,
    found: &mut Vec<Access>,
) -> bool {
    if !machine.module().function(function).slots.is_empty() {
        let part = numbers(machine, thread);
        found.push(Access { object: ALLOCATOR, part, writes: true });
    }
    true
}

/// A thread ends, and the objects with it that are local to it.
fn end(machine: &Machine<'_>, thread: u32, found: &mut Vec<Access>) {
    let mut write = |object: u64, part: Part| found.push(Access { object, part, writes: true });
    write(ENDS, Part::Bytes(thread, thread + 1));
    // There is room for another one.
    if machine.is_bounded() {
        write(STARTS, Part::Whole);
    }
    machine.own_objects(thread).for_each(|object| write(object, Part::Whole));
}
