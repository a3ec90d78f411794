//! What a replay executes, as rows of events: the trace that is shown is what was done.
//!
//! An access is an event at its own line; computations between accesses are none. What a library
//! function does inside is one event of its call. Two things are followed through values and
//! memory: what was never given a value, to say so where it is read, and handles of threads, to
//! show them as threads.
//!
//! | file | holds |
//! | --- | --- |
//! | `step` | where a thread stands |
//! | `memory` | accesses |
//! | `bits` | those of bit-fields |
//! | `variables` | the source's variables, what has no value, branches |
//! | `synchronisation` | what the accesses of library functions mean |
//! | `assertion` | what the assertion that fails has read |
//! | `rows` | rows of events |
//! | `writers` | who wrote memory last |
//! | `acts` | the order of accesses, and the stores that wait |

mod acts;
mod assertion;
mod bits;
mod memory;
mod rows;
mod step;
mod synchronisation;
mod variables;
mod writers;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::goto::interpret::{Machine, Outcome, Position};
use sapa_ir::goto::{
    CastOp, FunctionId, GlobalId, Instruction, Location, MemoryOrder, Module, Op, Operand, Section,
    TerminatorKind, Type, ValueId, VariableId,
};
use sapa_passes::transform::store_buffers::FLUSH;

use super::act::{Act, Bytes, StoreId};
use super::counterexample::Counterexample;
use super::event::{Event, EventKind, Row, Source};
use super::name::{Names, size, source_name};
use acts::Acts;
use assertion::Tested;
use memory::{Access, Waits};
use rows::Time;
use step::Step;
use synchronisation::{Inside, inside};
use writers::Writers;

/// What is known of a value besides its bits.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mark {
    /// It is what a variable held that was never given a value.
    Undefined(VariableId),
    /// It is the handle of a thread.
    Handle,
}

/// What is known of a thread.
#[derive(Debug, Default)]
struct Known {
    marks: FxHashMap<ValueId, Mark>,
    /// Where values come from: those of the source's variables, and what was read of memory.
    sources: FxHashMap<ValueId, Source>,
    /// What the source's variables hold.
    variables: FxHashMap<VariableId, u128>,
    /// What parameters of blocks got last.
    passed: FxHashMap<ValueId, Operand>,
    /// The branches that were taken last, on one line.
    tested: Vec<Tested>,
    /// Which bits of what holds bit-fields the thread has read last and needs, by address.
    kept: FxHashMap<u128, u128>,
    /// Whether a locked section is executed.
    is_locked: bool,
    /// A synchronisation object that was looked at in that section.
    looked_at: Option<(EventKind, String, Location)>,
    /// What the stores of that section have done to it.
    done: Vec<EventKind>,
}

/// Records an execution.
#[derive(Debug)]
pub(super) struct Recorder<'m> {
    module: &'m Module,
    names: Names<'m>,
    threads: BTreeMap<u32, Known>,
    /// What is known of the calls that a thread has not returned to, the last one last.
    callers: BTreeMap<u32, Vec<Known>>,
    /// Bytes of memory that were made arbitrary and not written since.
    undefined: BTreeSet<u128>,
    /// Pointers to what holds handles of threads.
    handles: BTreeSet<u128>,
    /// The instructions that define values, of the functions where that was asked for.
    definitions: FxHashMap<FunctionId, FxHashMap<ValueId, &'m Instruction>>,
    /// Whether more depends on values than assumptions.
    used: FxHashMap<(FunctionId, ValueId), bool>,
    rows: Vec<Row>,
    /// The events of the last store, or more.
    shown: Vec<Event>,
    /// The stores of threads that wait, oldest first.
    waiting: BTreeMap<u32, Vec<Waits>>,
    writers: Writers,
    stores: u64,
    acts: Acts,
    /// When the events of the last row happened.
    times: Vec<Time>,
    executed: u64,
    /// The functions that the threads run.
    functions: BTreeMap<u32, String>,
}

impl<'m> Recorder<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Self {
            module,
            names: Names::new(module),
            threads: BTreeMap::new(),
            callers: BTreeMap::new(),
            undefined: BTreeSet::new(),
            handles: BTreeSet::new(),
            definitions: FxHashMap::default(),
            used: FxHashMap::default(),
            rows: Vec::new(),
            shown: Vec::new(),
            waiting: BTreeMap::new(),
            writers: Writers::default(),
            stores: 0,
            acts: Acts::default(),
            times: Vec::new(),
            executed: 0,
            functions: BTreeMap::new(),
        }
    }

    /// What was executed: it fails a property at a place, and this many threads exist at once
    /// besides the initial one at most.
    pub(super) fn counterexample(
        self,
        property: String,
        location: Location,
        most_started: u32,
    ) -> Counterexample {
        let Self { rows, acts: Acts { found: acts, .. }, .. } = self;
        Counterexample { property, location, rows, acts, most_started }
    }

    /// What a thread does next, as far as that is known before it is done.
    pub(super) fn before(&mut self, machine: &Machine<'_>, thread: u32) {
        let Some((id, block, index)) = machine.position(thread) else { return };
        self.executed += 1;
        self.names.thread = thread;
        let function = self.module.function(id);
        self.functions.entry(thread).or_insert_with(|| source_name(&function.name).to_owned());
        let mut step = Step { machine, thread, function, position: (id, block, index) };
        match function.block(block).instructions.get(index) {
            Some(instruction) => {
                self.acts.before(self.module, &step, instruction);
                let op = &instruction.op;
                let is_named = instruction.result.is_some_and(|id| step.variable(id).is_some());
                if is_named || matches!(op, Op::Load { .. } | Op::Store { .. }) {
                    self.comes_to(thread, instruction.location);
                }
                self.instruction_before(&mut step, instruction);
            }
            None => {
                let terminator = &function.block(block).terminator;
                self.terminator(&mut step, &terminator.kind, terminator.location);
            }
        }
    }

    /// What a thread has done; it stood at a position before. `unwritten` says that it read what
    /// nobody had written.
    pub(super) fn after(
        &mut self,
        machine: &Machine<'_>,
        thread: u32,
        (id, block, index): Position,
        outcome: &Outcome,
        unwritten: bool,
    ) {
        let function = self.module.function(id);
        let Some(instruction) = function.block(block).instructions.get(index) else {
            if machine.exists(thread)
                && matches!(function.block(block).terminator.kind, TerminatorKind::Return(_))
                && let Some(caller) = self.callers.entry(thread).or_default().pop()
            {
                self.threads.insert(thread, caller);
            }
            return;
        };
        if matches!(instruction.op, Op::Call { .. }) {
            // Each activation has variables of its own.
            let caller = self.threads.remove(&thread).unwrap_or_default();
            self.callers.entry(thread).or_default().push(caller);
            return;
        }
        if !machine.exists(thread) {
            return;
        }
        let mut step = Step { machine, thread, function, position: (id, block, index) };
        self.instruction_after(&mut step, instruction, outcome, unwritten);
        self.acts.after(machine, thread, instruction.location);
    }

    /// The acts so far.
    pub(super) fn acts(&self) -> &[Act] {
        &self.acts.found
    }

    /// The stores of a thread that wait in the interpreter's buffer, in the order in which they came.
    pub(super) fn buffered(&self, thread: u32) -> impl Iterator<Item = (StoreId, Bytes)> {
        self.acts.buffered(thread)
    }

    fn known(&mut self, thread: u32) -> &mut Known {
        self.threads.entry(thread).or_default()
    }

    fn instruction_before(&mut self, step: &mut Step<'_>, instruction: &Instruction) {
        let location = instruction.location;
        let moves_on = matches!(&instruction.op, Op::Copy { .. })
            && instruction.result.is_some_and(|result| step.variable(result).is_none());
        if !moves_on {
            let mut operands = Vec::new();
            instruction.op.for_each_operand(|operand| operands.push(operand));
            self.undefined_operands(step, &operands, location);
        }
        let at = |operand: Operand| step.machine.value(step.thread, operand);
        match &instruction.op {
            Op::Store { address, value, ty, order, .. } => {
                let (pointer, handle) = (at(*address), self.is_handle(step, *value));
                if !self.has_failed(step, (pointer, *value), location) {
                    let members = &self.members(step, *address);
                    let waits = *order != MemoryOrder::SequentiallyConsistent
                        && step.machine.lets_wait(step.thread, pointer);
                    let access = Access { pointer, ty, value: at(*value), handle, members, waits };
                    self.store(step, access, location);
                }
            }
            Op::CopyMemory { destination, source, ty } => {
                self.copy(step, (at(*destination), at(*source)), ty, location);
            }
            Op::HavocMemory { address, ty } => self.forget(at(*address), ty),
            Op::Free { address } if at(*address) != 0 => {
                let is_local = self.names.is_local(at(*address));
                let kind = if is_local { EventKind::End } else { EventKind::Free };
                let name = self.names.whole(step.machine, at(*address));
                self.event(step, location, Event::new(kind, name));
            }
            Op::AtomicBegin(section) => {
                let known = self.known(step.thread);
                known.is_locked = *section == Section::Locked;
                known.looked_at = None;
                known.done.clear();
            }
            Op::AtomicEnd => {
                let known = self.known(step.thread);
                known.is_locked = false;
                known.done.clear();
                if let Some((kind, name, location)) = known.looked_at.take() {
                    self.event(step, location, Event::new(kind, name));
                }
            }
            Op::Copy { a } => {
                let kind = match self.module.operation(location) {
                    Some("condition_wait") => EventKind::Wait,
                    Some("condition_signal") => EventKind::Signal,
                    Some("condition_broadcast") => EventKind::Broadcast,
                    _ => return,
                };
                self.mention(step, kind, at(*a), location);
            }
            Op::Assert { condition, .. } if at(*condition) != 1 => {
                self.fail(step, *condition, location);
            }
            _ => {}
        }
    }

    fn instruction_after(
        &mut self,
        step: &mut Step<'_>,
        instruction: &Instruction,
        outcome: &Outcome,
        unwritten: bool,
    ) {
        let location = instruction.location;
        let value_of = |value: ValueId| step.machine.value(step.thread, Operand::Value(value));
        let mut mark = None;
        if let Some(result) = instruction.result {
            let source = match &instruction.op {
                Op::Copy { a } => self.source_of(step.thread, *a),
                Op::Load { address, .. } => {
                    let ty = step.function.operand_type(Operand::Value(result));
                    let pointer = step.machine.value(step.thread, *address);
                    self.source(step, pointer, size(self.module, &ty))
                }
                _ => None,
            };
            self.set_source(step.thread, result, source);
        }
        match (&instruction.op, instruction.result) {
            (Op::Load { address, .. }, Some(result)) => {
                let pointer = step.machine.value(step.thread, *address);
                if self.handles.contains(&pointer) {
                    mark = Some(Mark::Handle);
                }
                let about = (mark.is_some(), unwritten);
                self.load(step, (*address, pointer), result, location, about);
            }
            (Op::Spawn { function, arguments }, _) => {
                mark = Some(Mark::Handle);
                if let Outcome::Started(number) = outcome {
                    self.start(step, *number, *function, arguments, location);
                }
            }
            (Op::ThreadSelf, _) => mark = Some(Mark::Handle),
            (Op::Join { handle }, _) => {
                let handle = step.machine.value(step.thread, *handle);
                let name = format!("thread {}", handle.saturating_sub(1));
                self.event(step, location, Event::new(EventKind::Join, name));
            }
            // A variable that has no value yet is tagged; what a function returns is not.
            (Op::Nondet { .. }, Some(result)) => match step.variable(result) {
                Some(variable) => mark = Some(Mark::Undefined(variable)),
                None => self.choose(step, result, location),
            },
            (Op::Allocate { .. }, Some(result)) => {
                if let Some(name) = self.names.allocate(value_of(result), location) {
                    self.event(step, location, Event::new(EventKind::Allocate, name));
                }
            }
            (Op::Copy { a: Operand::Global(id) }, Some(_))
                if self.is_allocated_at(*id, location) =>
            {
                // It has nothing to do with what was there before.
                if let (Some(result), Some(global)) =
                    (instruction.result, self.module.globals.get(id.index()))
                {
                    self.writers.insert(value_of(result), global.ty.size(self.module), None);
                }
                if let Some(name) = self.names.allocated(*id) {
                    self.event(step, location, Event::new(EventKind::Allocate, name));
                }
            }
            (Op::Copy { a }, _) => mark = self.mark(step, *a).cloned(),
            (Op::Cast { a, op }, _) if *op != CastOp::Truncate => {
                mark = self.mark(step, *a).filter(|mark| **mark == Mark::Handle).cloned();
            }
            (Op::Select { condition, a, b }, _) => {
                let chosen = if step.machine.value(step.thread, *condition) == 1 { a } else { b };
                mark = self.mark(step, *chosen).cloned();
            }
            _ => {}
        }
        let Some(result) = instruction.result else { return };
        let variable = step.variable(result);
        // A copy that is a variable's new value gives it one.
        let given = variable.is_some() && !matches!(instruction.op, Op::Nondet { .. });
        if given && matches!(mark, Some(Mark::Undefined(_))) {
            mark = None;
        }
        let handle = mark == Some(Mark::Handle);
        let is_undefined = matches!(mark, Some(Mark::Undefined(_)));
        self.set_mark(step.thread, result, mark);
        if let Some(variable) = variable.filter(|_| !is_undefined) {
            self.assign(step, (variable, result), value_of(result), handle, location);
        }
    }

    fn start(
        &mut self,
        step: &Step<'_>,
        number: u32,
        function: Operand,
        arguments: &[Operand],
        location: Location,
    ) {
        let pointer = step.machine.value(step.thread, function);
        let name = self.names.value(step.machine, pointer, &Type::Pointer, false);
        let arguments: Vec<String> = arguments
            .iter()
            .map(|&argument| {
                let value = step.machine.value(step.thread, argument);
                let ty = step.function.operand_type(argument);
                self.names.value(step.machine, value, &ty, true)
            })
            .collect();
        let call = format!("{name}({})", arguments.join(", "));
        let event = Event::with_value(EventKind::Start, format!("thread {number}"), call);
        self.event(step, location, event);
    }

    /// A function of the environment returns a value that the program uses.
    fn choose(&mut self, step: &Step<'_>, result: ValueId, location: Location) {
        let Some(name) = self.module.operation(location) else { return };
        let is_used = self.used.entry((step.position.0, result));
        let is_used = *is_used.or_insert_with(|| step.is_used(result));
        // Whether a weak exchange fails is said of its store.
        let is_inside = inside(Some(name)) != Inside::Access
            || name == FLUSH
            || self.names.is_model(name)
            || name.contains("compare_exchange");
        if is_inside || !is_used {
            return;
        }
        let value = step.machine.value(step.thread, Operand::Value(result));
        let ty = step.function.operand_type(Operand::Value(result));
        let signed = !["uint", "unsigned", "uchar", "ushort", "ulong", "size_t", "bool", "_u"]
            .iter()
            .any(|unsigned| name.contains(unsigned));
        let text = self.names.value(step.machine, value, &ty, signed);
        let event = Event::with_value(EventKind::Choose, name.to_owned(), text);
        self.event(step, location, event);
    }

    /// Whether a location is that of the allocation that an object is of.
    fn is_allocated_at(&self, id: GlobalId, location: Location) -> bool {
        let global = self.module.globals.get(id.index());
        global.is_some_and(|global| global.location.is_same_place(location))
    }
}
