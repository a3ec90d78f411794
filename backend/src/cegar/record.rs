//! What a replay executes, as rows of events: the trace that is shown is what was done.
//!
//! An access is an event at its own line; computations between accesses are none. What a library
//! function does inside is one event of its call. Two things are followed through values and
//! memory: what was never given a value, to say so where it is read, and handles of threads, to
//! show them as threads.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::interpret::{Machine, Outcome};
use sapa_ir::goto::operation::{THREAD_END, THREAD_JOIN};
use sapa_ir::goto::{
    BlockId, CastOp, Function, FunctionId, Instruction, Location, Module, Op, Operand, Target,
    TerminatorKind, Type, ValueId, VariableId, print_function,
};

use super::event::{Event, EventKind, Row};
use super::name::{Names, Place, size, source_name};

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
    /// What the source's variables hold.
    variables: FxHashMap<VariableId, u128>,
    /// What the conditions that were tested last depend on, and the line of these tests.
    tested: Vec<Event>,
    tested_at: Option<Location>,
    /// A synchronisation object that was looked at in the section that is executed.
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
    /// Bytes of memory that were made arbitrary and not written since.
    undefined: BTreeSet<u128>,
    /// Pointers to what holds handles of threads.
    handles: BTreeSet<u128>,
    /// The instructions that define values, of the functions where that was asked for.
    definitions: FxHashMap<FunctionId, FxHashMap<ValueId, &'m Instruction>>,
    /// Whether more depends on values than assumptions.
    used: FxHashMap<(FunctionId, ValueId), bool>,
    rows: Vec<Row>,
    /// When the events of the last row happened.
    times: Vec<Time>,
    executed: u64,
    /// The functions that the threads run.
    functions: BTreeMap<u32, String>,
}

/// Where in a mutex the count of a recursive one is, in bytes: see `struct mutex` of the library's
/// models.
const MUTEX_COUNT: u64 = 4;

/// Largest object whose bytes are followed.
const MOST_BYTES: u64 = 1 << 12;

impl<'m> Recorder<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Self {
            module,
            names: Names::new(module),
            threads: BTreeMap::new(),
            undefined: BTreeSet::new(),
            handles: BTreeSet::new(),
            definitions: FxHashMap::default(),
            used: FxHashMap::default(),
            rows: Vec::new(),
            times: Vec::new(),
            executed: 0,
            functions: BTreeMap::new(),
        }
    }

    /// What was executed.
    pub(super) fn into_rows(self) -> Vec<Row> {
        self.rows
    }

    /// What a thread does next, as far as that is known before it is done.
    pub(super) fn before(&mut self, machine: &Machine<'_>, thread: u32) {
        let Some((id, block, index)) = machine.position(thread) else { return };
        self.executed += 1;
        let function = self.module.function(id);
        self.functions.entry(thread).or_insert_with(|| source_name(&function.name).to_owned());
        let mut step = Step { machine, thread, function, position: (id, block, index) };
        match function.block(block).instructions.get(index) {
            Some(instruction) => self.instruction_before(&mut step, instruction),
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
        (block, index): (BlockId, usize),
        outcome: &Outcome,
        unwritten: bool,
    ) {
        let Some((id, ..)) = machine.position(thread) else { return };
        let function = self.module.function(id);
        let Some(instruction) = function.block(block).instructions.get(index) else { return };
        let mut step = Step { machine, thread, function, position: (id, block, index) };
        self.instruction_after(&mut step, instruction, outcome, unwritten);
    }

    fn known(&mut self, thread: u32) -> &mut Known {
        self.threads.entry(thread).or_default()
    }

    /// Adds an event: to the last row, if it is of the same thread at the same line and does not
    /// have it yet.
    fn event(&mut self, step: &Step<'_>, location: Location, mut event: Event) {
        event.location = location;
        let now = Time { position: step.position, executed: self.executed };
        let line = |l: Location| (l.file, l.line, l.function);
        let name = self.module.names.get(location.function.index());
        let function = name.map_or("", |name| source_name(name));
        if let Some(row) = self.rows.last_mut()
            && row.thread == step.thread
            && line(row.location) == line(location)
        {
            if repeats(&row.events, &self.times, &event, now) {
                return;
            }
            let again = |(old, time): (&Event, &Time)| {
                let is_same = (old.kind, old.location) == (event.kind, location)
                    && (event.kind == EventKind::Start || old.name == event.name);
                (is_same || location.line == 0) && time.executed != now.executed
            };
            if !row.events.iter().zip(&self.times).any(again) {
                row.events.push(event);
                self.times.push(now);
                return;
            }
        }
        self.times = vec![now];
        let instruction = (location.line == 0).then(|| self.instruction_text(step)).flatten();
        self.rows.push(Row {
            thread: step.thread,
            thread_function: self.functions.get(&step.thread).cloned().unwrap_or_default(),
            function: function.to_owned(),
            location,
            instruction,
            events: vec![event],
        });
    }

    /// The instruction that is executed, as the IR's text has it: for modules without places.
    fn instruction_text(&self, step: &Step<'_>) -> Option<String> {
        let (function, block, index) = step.position;
        let text = print_function(self.module, function);
        let label = format!("bb{}", block.0);
        let mut lines = text.lines().skip_while(|line| {
            let rest = line.strip_prefix(&label);
            !rest.is_some_and(|rest| rest.starts_with([':', '(']))
        });
        let line = lines.nth(index + 1)?;
        Some(format!("{label}: {}", line.trim()))
    }

    fn mark(&self, step: &Step<'_>, operand: Operand) -> Option<&Mark> {
        self.threads.get(&step.thread)?.marks.get(&operand.value()?)
    }

    fn set_mark(&mut self, thread: u32, value: ValueId, mark: Option<Mark>) {
        let marks = &mut self.known(thread).marks;
        match mark {
            Some(mark) => drop(marks.insert(value, mark)),
            None => drop(marks.remove(&value)),
        }
    }

    fn value_text(&mut self, step: &Step<'_>, value: u128, place: &Place, handle: bool) -> String {
        if handle && value > 0 {
            return format!("thread {}", value - 1);
        }
        self.names.value(step.machine, value, &place.ty, place.signed)
    }

    /// Reads of operands that were never given a value.
    fn undefined_operands(&mut self, step: &Step<'_>, operands: &[Operand], location: Location) {
        for &operand in operands {
            let Some(Mark::Undefined(variable)) = self.mark(step, operand) else { continue };
            let Some(variable) = step.function.variables.get(variable.index()) else { continue };
            let Some(name) = self.names.local(&variable.name) else { continue };
            let value = step.machine.value(step.thread, operand);
            let value = self.names.value(step.machine, value, &variable.ty, variable.signed);
            let mut event = Event::with_value(EventKind::Read, name, value);
            event.uninitialised = true;
            self.event(step, location, event);
        }
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
            Op::Store { address, value, ty, .. } => {
                let handle = self.mark(step, *value) == Some(&Mark::Handle);
                if !self.has_failed(step, *value, location) {
                    self.store(step, at(*address), at(*value), ty, handle, location);
                }
            }
            Op::CopyMemory { destination, source, ty } => {
                self.copy(step, at(*destination), at(*source), ty, location);
            }
            Op::HavocMemory { address, ty } => self.forget(at(*address), ty),
            Op::Free { address } if at(*address) != 0 => {
                let name = self.names.whole(step.machine, at(*address));
                self.event(step, location, Event::new(EventKind::Free, name));
            }
            Op::AtomicBegin => {
                let known = self.known(step.thread);
                known.looked_at = None;
                known.done.clear();
            }
            Op::AtomicEnd => {
                self.known(step.thread).done.clear();
                if let Some((kind, name, location)) = self.known(step.thread).looked_at.take() {
                    self.event(step, location, Event::new(kind, name));
                }
            }
            Op::Copy { a } => match self.module.operation(location) {
                Some("condition_wait") => self.mention(step, EventKind::Wait, at(*a), location),
                Some("condition_signal" | "condition_broadcast") => {
                    self.mention(step, EventKind::Signal, at(*a), location);
                }
                _ => {}
            },
            Op::Assert { condition, .. } if at(*condition) != 1 => {
                self.fail(step, *condition, location);
            }
            _ => {}
        }
    }

    fn mention(&mut self, step: &Step<'_>, kind: EventKind, pointer: u128, location: Location) {
        if let Some(name) = self.names.synchronised(step.machine, pointer) {
            self.event(step, location, Event::new(kind, name));
        }
    }

    fn store(
        &mut self,
        step: &Step<'_>,
        pointer: u128,
        value: u128,
        ty: &Type,
        handle: bool,
        location: Location,
    ) {
        let size = size(self.module, ty);
        let old = step.machine.peek(step.thread, pointer, size);
        for byte in pointer..pointer.saturating_add(u128::from(size)) {
            self.undefined.remove(&byte);
        }
        if handle {
            self.handles.insert(pointer)
        } else {
            self.handles.remove(&pointer)
        };
        let changes = old != Some(value);
        match inside(self.module.operation(location)) {
            Inside::Hidden => self.count(step, pointer, (old, value), location),
            Inside::Synchronisation { stored, .. } => {
                let known = self.known(step.thread);
                known.looked_at = None;
                // The last thread that arrives at a barrier lets all pass, in the same section.
                let kind = match stored(value) {
                    EventKind::Arrive if known.done.contains(&EventKind::Pass) => return,
                    EventKind::Arrive if known.done.contains(&EventKind::Arrive) => EventKind::Pass,
                    kind => kind,
                };
                if kind == EventKind::Arrive || kind == EventKind::Pass {
                    known.done.push(kind);
                }
                if !changes && !matches!(kind, EventKind::Unlock | EventKind::Initialise) {
                    return self.looked_at(step, pointer, location);
                }
                let Some(name) = self.names.synchronised(step.machine, pointer) else { return };
                let mut event = Event::new(kind, name);
                if matches!(kind, EventKind::Take | EventKind::Post) {
                    event.value = Some(value.to_string());
                }
                self.event(step, location, event);
            }
            Inside::Access => {
                let place = self.names.place(step.machine, pointer, ty);
                let text = self.value_text(step, value, &place, handle);
                let Some(name) = place.name else { return };
                let event = match (place.inner, place.private) {
                    (true, _) => Event::new(EventKind::Write, name),
                    (_, true) => Event::with_value(EventKind::Assign, name, text),
                    _ => Event::with_value(EventKind::Write, name, text),
                };
                self.event(step, location, event);
            }
        }
    }

    /// A mutex's member is written that no other event is about: if it is the count of a recursive
    /// one, its owner locks or unlocks the mutex once more.
    fn count(
        &mut self,
        step: &Step<'_>,
        pointer: u128,
        (old, new): (Option<u128>, u128),
        location: Location,
    ) {
        let operation = self.module.operation(location).unwrap_or_default();
        if operation.ends_with("_init") || !["mutex", "mtx"].iter().any(|m| operation.contains(m)) {
            return;
        }
        let place = self.names.place(step.machine, pointer, &Type::Int(32));
        if !place.inner || place.rest != MUTEX_COUNT {
            return;
        }
        let (Some(old), Some(name)) = (old, place.name) else { return };
        let kind = match new.cmp(&old) {
            std::cmp::Ordering::Greater => EventKind::LockAgain,
            std::cmp::Ordering::Less => EventKind::KeepLocked,
            std::cmp::Ordering::Equal => return,
        };
        self.event(step, location, Event::new(kind, name));
    }

    /// Whether a store is that of a compare-exchange that fails: it stores what it has read.
    fn has_failed(&mut self, step: &Step<'_>, value: Operand, location: Location) -> bool {
        if !self.module.operation(location).is_some_and(|name| name.contains("compare")) {
            return false;
        }
        let Some(id) = value.value() else { return false };
        let definition = self.definition(step.position.0, id);
        definition.is_some_and(|instruction| match instruction.op {
            Op::Select { condition, .. } => step.machine.value(step.thread, condition) == 0,
            _ => false,
        })
    }

    /// Notes that a synchronisation object was looked at. What a section does after it has changed
    /// the object is a part of that change.
    fn looked_at(&mut self, step: &Step<'_>, pointer: u128, location: Location) {
        if !self.known(step.thread).done.is_empty() {
            return;
        }
        if let Inside::Synchronisation { read: Some(kind), .. } =
            inside(self.module.operation(location))
        {
            let name = self.names.synchronised(step.machine, pointer);
            self.known(step.thread).looked_at = name.map(|name| (kind, name, location));
        }
    }

    /// An object is copied: scalar by scalar, if these are few.
    fn copy(&mut self, step: &Step<'_>, to: u128, from: u128, ty: &Type, location: Location) {
        const FEW: usize = 4;
        let scalars = crate::automaton::memory::scalars(self.module, ty).unwrap_or_default();
        let mut writes = Vec::new();
        for (offset, bits) in scalars.iter().copied().take(MOST_BYTES as usize) {
            let (from, to) = (from + u128::from(offset), to + u128::from(offset));
            let scalar = Type::Int(bits);
            let size = size(self.module, &scalar);
            let is_undefined = self.undefined.contains(&from);
            let handle = self.handles.contains(&from);
            for byte in 0..u128::from(size) {
                match is_undefined {
                    true => self.undefined.insert(to + byte),
                    false => self.undefined.remove(&(to + byte)),
                };
            }
            if handle {
                self.handles.insert(to)
            } else {
                self.handles.remove(&to)
            };
            let Some(value) = step.machine.peek(step.thread, from, size) else { continue };
            let (source, target) = (
                self.names.place(step.machine, from, &scalar),
                self.names.place(step.machine, to, &scalar),
            );
            let text = self.value_text(step, value, &source, handle);
            if scalars.len() <= FEW {
                let value = |inner: bool| (!inner).then(|| text.clone());
                if let Some(name) = source.name.filter(|_| !source.private) {
                    let event = Event::new(EventKind::Read, name);
                    let event = Event { value: value(source.inner), ..event };
                    self.event(step, location, event);
                }
                if let Some(name) = target.name {
                    let is_own = target.private && !target.inner;
                    let kind = if is_own { EventKind::Assign } else { EventKind::Write };
                    writes.push(Event { value: value(target.inner), ..Event::new(kind, name) });
                }
            }
        }
        if scalars.len() > FEW {
            let name = |names: &mut Names<'m>, pointer| {
                names.value(step.machine, pointer, &Type::Pointer, false)
            };
            let (source, target) = (name(&mut self.names, from), name(&mut self.names, to));
            for (kind, name) in [(EventKind::Read, source), (EventKind::Write, target)] {
                let name = name.trim_start_matches('&').to_owned();
                self.event(step, location, Event::new(kind, name));
            }
        }
        for event in writes {
            self.event(step, location, event);
        }
    }

    /// Memory becomes arbitrary.
    fn forget(&mut self, pointer: u128, ty: &Type) {
        let size = ty.size(self.module);
        if size <= MOST_BYTES {
            self.undefined.extend(pointer..pointer.saturating_add(u128::from(size)));
        }
        let end = pointer.saturating_add(u128::from(size));
        self.handles.retain(|handle| !(pointer..end).contains(handle));
    }

    fn fail(&mut self, step: &Step<'_>, condition: Operand, location: Location) {
        let mut values = Vec::new();
        self.leaves(step, condition, &mut values);
        let known = self.known(step.thread);
        // The condition may have been tested by branches before.
        if known.tested_at.is_some_and(|at| (at.file, at.line) == (location.file, location.line)) {
            values.extend(known.tested.clone());
        }
        for event in values {
            let here = self.rows.last().filter(|row| {
                row.thread == step.thread
                    && (row.location.file, row.location.line) == (location.file, location.line)
            });
            let is_known = here.is_some_and(|row| {
                row.events.iter().any(|old| (&old.name, &old.value) == (&event.name, &event.value))
            });
            if !is_known {
                self.event(step, location, event);
            }
        }
        self.event(step, location, Event::new(EventKind::Fail, String::new()));
    }

    /// The variables and objects that a value is computed of, with what they hold.
    fn leaves(&mut self, step: &Step<'_>, operand: Operand, found: &mut Vec<Event>) {
        // Definitions share their operands: each value is looked at once.
        let mut seen = FxHashSet::default();
        let mut pending = vec![operand];
        while let Some(operand) = pending.pop() {
            let Some(id) = operand.value().filter(|id| seen.insert(*id)) else { continue };
            if let Some(variable) = step.variable(id) {
                found.extend(self.variable_event(step, operand, variable));
                continue;
            }
            let Some(instruction) = self.definition(step.position.0, id) else { continue };
            match &instruction.op {
                Op::Load { address, .. } => {
                    found.extend(self.load_event(step, operand, *address, instruction.location));
                }
                op if op.is_pure() => {
                    let first = pending.len();
                    op.for_each_operand(|operand| pending.push(operand));
                    pending[first..].reverse();
                }
                _ => {}
            }
        }
    }

    /// What a variable of the source holds; `None` if it is none of the program's own.
    fn variable_event(
        &mut self,
        step: &Step<'_>,
        operand: Operand,
        variable: VariableId,
    ) -> Option<Event> {
        let variable = step.function.variables.get(variable.index())?;
        let name = self.names.local(&variable.name)?;
        let value = step.machine.value(step.thread, operand);
        let mark = self.mark(step, operand).cloned();
        let text = match mark {
            Some(Mark::Handle) if value > 0 => format!("thread {}", value - 1),
            _ => self.names.value(step.machine, value, &variable.ty, variable.signed),
        };
        let uninitialised = matches!(mark, Some(Mark::Undefined(_)));
        Some(Event { uninitialised, ..Event::with_value(EventKind::Read, name, text) })
    }

    /// What a load has read; `None` if it is not of the program's own.
    fn load_event(
        &mut self,
        step: &Step<'_>,
        result: Operand,
        address: Operand,
        location: Location,
    ) -> Option<Event> {
        if inside(self.module.operation(location)) != Inside::Access {
            return None;
        }
        let pointer = step.machine.value(step.thread, address);
        let ty = step.function.operand_type(result);
        let place = self.names.place(step.machine, pointer, &ty);
        let handle = self.mark(step, result) == Some(&Mark::Handle);
        let value = step.machine.value(step.thread, result);
        let text = self.value_text(step, value, &place, handle);
        Some(Event::with_value(EventKind::Read, place.name?, text))
    }

    /// The instruction that defines a value; `None` for parameters of blocks.
    fn definition(&mut self, id: FunctionId, value: ValueId) -> Option<&'m Instruction> {
        let function = self.module.function(id);
        let definitions = self.definitions.entry(id).or_insert_with(|| {
            let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
            instructions.filter_map(|i| Some((i.result?, i))).collect()
        });
        definitions.get(&value).copied()
    }

    fn terminator(&mut self, step: &mut Step<'_>, kind: &TerminatorKind, location: Location) {
        let target = match kind {
            TerminatorKind::Jump(target) => Some(target),
            TerminatorKind::Branch { condition, then, otherwise } => {
                self.undefined_operands(step, &[*condition], location);
                let mut leaves = Vec::new();
                self.leaves(step, *condition, &mut leaves);
                let known = self.known(step.thread);
                let line = |l: Location| (l.file, l.line);
                if known.tested_at.map(line) != Some(line(location)) {
                    known.tested.clear();
                }
                known.tested_at = Some(location);
                for leaf in leaves {
                    known.tested.retain(|old| old.name != leaf.name);
                    known.tested.push(leaf);
                }
                let value = step.machine.value(step.thread, *condition);
                Some(if value == 1 { then } else { otherwise })
            }
            TerminatorKind::Switch { value, cases, default } => {
                self.undefined_operands(step, &[*value], location);
                let value = step.machine.value(step.thread, *value);
                let case = cases.iter().find(|(case, _)| *case == value);
                Some(case.map_or(default, |(_, target)| target))
            }
            TerminatorKind::Return(Some(value)) | TerminatorKind::EndThread(Some(value)) => {
                self.undefined_operands(step, &[*value], location);
                None
            }
            _ => None,
        };
        if let Some(target) = target {
            self.jump(step, target, location);
        }
    }

    /// Values become parameters of a block.
    fn jump(&mut self, step: &Step<'_>, target: &Target, location: Location) {
        let parameters = &step.function.block(target.block).parameters;
        let mut marks = Vec::new();
        let mut changes = Vec::new();
        for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
            marks.push((parameter, self.mark(step, argument).cloned()));
            let value = step.machine.value(step.thread, argument);
            changes.extend(step.variable(parameter).map(|variable| (variable, value, argument)));
        }
        for (variable, value, argument) in changes {
            if matches!(self.mark(step, argument), Some(Mark::Undefined(_))) {
                continue;
            }
            if self.known(step.thread).variables.get(&variable) != Some(&value) {
                let handle = self.mark(step, argument) == Some(&Mark::Handle);
                self.assign(step, variable, value, handle, location);
            }
        }
        for (parameter, mark) in marks {
            self.set_mark(step.thread, parameter, mark);
        }
    }

    /// A variable of the source gets a value.
    fn assign(
        &mut self,
        step: &Step<'_>,
        variable: VariableId,
        value: u128,
        handle: bool,
        location: Location,
    ) {
        self.known(step.thread).variables.insert(variable, value);
        let Some(variable) = step.function.variables.get(variable.index()) else { return };
        // A variable of a library's function is none of the source's.
        if inside(self.module.operation(location)) != Inside::Access {
            return;
        }
        let Some(name) = self.names.local(&variable.name) else { return };
        // What a thread is started with is said there.
        let header = step.function.location;
        let is_header = (location.file, location.line) == (header.file, header.line);
        if step.thread != 0 && is_header && self.rows.iter().all(|r| r.thread != step.thread) {
            return;
        }
        let text = match handle && value > 0 {
            true => format!("thread {}", value - 1),
            false => self.names.value(step.machine, value, &variable.ty, variable.signed),
        };
        self.event(step, location, Event::with_value(EventKind::Assign, name, text));
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
        match (&instruction.op, instruction.result) {
            (Op::Load { address, .. }, Some(result)) => {
                let pointer = step.machine.value(step.thread, *address);
                if self.handles.contains(&pointer) {
                    mark = Some(Mark::Handle);
                }
                self.load(step, pointer, result, location, mark.is_some(), unwritten);
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
                let pointer = value_of(result);
                let name = self.names.whole(step.machine, pointer);
                self.event(step, location, Event::new(EventKind::Allocate, name));
            }
            (Op::Copy { a: Operand::Global(id) }, Some(_))
                if self.is_allocated_at(*id, location) =>
            {
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
            self.assign(step, variable, value_of(result), handle, location);
        }
    }

    /// Whether a location is that of the allocation that an object is of.
    fn is_allocated_at(&self, id: sapa_ir::goto::GlobalId, location: Location) -> bool {
        self.module.globals.get(id.index()).is_some_and(|global| {
            (global.location.file, global.location.line, global.location.column)
                == (location.file, location.line, location.column)
        })
    }

    fn load(
        &mut self,
        step: &Step<'_>,
        pointer: u128,
        result: ValueId,
        location: Location,
        handle: bool,
        unwritten: bool,
    ) {
        let operand = Operand::Value(result);
        let ty = step.function.operand_type(operand);
        let value = step.machine.value(step.thread, operand);
        match inside(self.module.operation(location)) {
            Inside::Hidden => {}
            Inside::Synchronisation { .. } => self.looked_at(step, pointer, location),
            Inside::Access => {
                let bytes = pointer..pointer.saturating_add(u128::from(size(self.module, &ty)));
                let place = self.names.place(step.machine, pointer, &ty);
                let forgotten = bytes.clone().any(|byte| self.undefined.contains(&byte));
                let uninitialised = forgotten || (unwritten && place.undefined);
                if uninitialised {
                    self.undefined.extend(bytes);
                }
                let text = self.value_text(step, value, &place, handle);
                let Some(name) = place.name.filter(|_| !place.private || uninitialised) else {
                    return;
                };
                let mut event = Event::with_value(EventKind::Read, name, text);
                if place.inner {
                    event.value = None;
                }
                event.uninitialised = uninitialised;
                self.event(step, location, event);
            }
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
        let is_inside = inside(Some(name)) != Inside::Access || self.names.is_model(name);
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
}

/// Whether an event says nothing that the events of its row do not say yet: the next round of a
/// loop that waits for a value to change, or another part of what one call does.
fn repeats(row: &[Event], times: &[Time], event: &Event, now: Time) -> bool {
    let place = |l: Location| (l.file, l.line, l.column);
    let same = |old: &Event| {
        (old.kind, &old.name, &old.value) == (event.kind, &event.name, &event.value)
            && place(old.location) == place(event.location)
            && old.uninitialised == event.uninitialised
    };
    // The last event, and the last one of the same object.
    let last = row.len().checked_sub(1);
    let of_object = row.iter().rposition(|old| old.name == event.name);
    let same_at = |index: Option<usize>| index.filter(|&i| row.get(i).is_some_and(same));
    // Whether it is the same instruction, executed once more.
    let is_again = |index: usize| times.get(index).is_some_and(|time| time.is_before(now));
    let is_part = |index| same_at(index).is_some_and(|index| !is_again(index));
    match event.kind {
        // Several members are written that the source does not name; the object of an allocation
        // is named by more than one instruction.
        EventKind::Initialise | EventKind::Allocate => is_part(last),
        EventKind::Read | EventKind::Write if event.value.is_none() => is_part(of_object),
        // Each use of a variable that has no value says that it has none.
        EventKind::Read if event.uninitialised => same_at(of_object).is_some(),
        EventKind::Read | EventKind::FindTaken => {
            let is_spinning = same_at(last).is_some_and(is_again);
            // A function of the library may look more than once at what it is given.
            is_spinning || (event.location.operation.is_some() && is_part(of_object))
        }
        _ => false,
    }
}

/// When an event happened.
#[derive(Clone, Copy, Debug)]
struct Time {
    /// Where the thread stood.
    position: (FunctionId, BlockId, usize),
    /// How many instructions were executed.
    executed: u64,
}

impl Time {
    /// Whether the same instruction is executed later once more.
    fn is_before(self, later: Self) -> bool {
        self.position == later.position && self.executed != later.executed
    }
}

/// Where a thread stands.
struct Step<'s> {
    machine: &'s Machine<'s>,
    thread: u32,
    function: &'s Function,
    /// Where it stands before the instruction.
    position: (FunctionId, BlockId, usize),
}

impl Step<'_> {
    /// The source's variable that a value is a version of.
    fn variable(&self, value: ValueId) -> Option<VariableId> {
        self.function.values.get(value.index())?.variable
    }

    /// Whether more depends on a value than assumptions.
    fn is_used(&self, value: ValueId) -> bool {
        let mut depending = vec![value];
        let mut next = 0;
        while let Some(&value) = depending.get(next) {
            next += 1;
            if self.variable(value).is_some() {
                return true;
            }
            let reads = |operand: Operand| operand.value() == Some(value);
            for block in &self.function.blocks {
                for instruction in &block.instructions {
                    let mut found = false;
                    instruction.op.for_each_operand(|operand| found |= reads(operand));
                    match (&instruction.op, instruction.result) {
                        _ if !found => {}
                        (Op::Assume { .. }, _) => {}
                        (op, Some(result)) if op.is_pure() => {
                            if !depending.contains(&result) {
                                depending.push(result);
                            }
                        }
                        _ => return true,
                    }
                }
                let mut found = false;
                block.terminator.kind.for_each_operand(|operand| found |= reads(operand));
                if found {
                    return true;
                }
            }
        }
        false
    }
}

/// What the accesses of an operation mean.
#[derive(Clone, Copy)]
enum Inside {
    /// What they are.
    Access,
    /// Something is done to a synchronisation object.
    Synchronisation {
        /// What it is that stores a value there.
        stored: fn(u128) -> EventKind,
        /// What it is that only looks there.
        read: Option<EventKind>,
    },
    /// Nothing of the source.
    Hidden,
}

impl PartialEq for Inside {
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// What the accesses of the operation of this name mean.
fn inside(operation: Option<&str>) -> Inside {
    let Some(operation) = operation else { return Inside::Access };
    let (stored, read): (fn(u128) -> EventKind, _) = match operation {
        "mutex_lock" => (|_| EventKind::Lock, None),
        "mutex_try_lock" => (|_| EventKind::Lock, Some(EventKind::FindTaken)),
        "mutex_unlock" | "read_write_unlock" => (|_| EventKind::Unlock, None),
        // It unlocks the mutex, and locks it again.
        "condition_wait" => {
            (|value| if value == 0 { EventKind::Unlock } else { EventKind::Lock }, None)
        }
        "read_lock" => (|_| EventKind::LockToRead, None),
        "write_lock" => (|_| EventKind::LockToWrite, None),
        "pthread_rwlock_tryrdlock" | "pthread_rwlock_timedrdlock" => {
            (|_| EventKind::LockToRead, Some(EventKind::FindTaken))
        }
        "pthread_rwlock_trywrlock" | "pthread_rwlock_timedwrlock" => {
            (|_| EventKind::LockToWrite, Some(EventKind::FindTaken))
        }
        "semaphore_wait" => (|_| EventKind::Take, None),
        "sem_trywait" | "sem_timedwait" => (|_| EventKind::Take, Some(EventKind::FindTaken)),
        "semaphore_post" | "sem_post" => (|_| EventKind::Post, None),
        "pthread_barrier_wait" => (|_| EventKind::Arrive, Some(EventKind::Pass)),
        "pthread_mutex_init"
        | "mtx_init"
        | "pthread_rwlock_init"
        | "pthread_cond_init"
        | "cnd_init"
        | "pthread_spin_init"
        | "pthread_barrier_init"
        | "sem_init" => (|_| EventKind::Initialise, None),
        THREAD_END | THREAD_JOIN => return Inside::Hidden,
        _ if ["pthread_mutex", "pthread_cond", "mtx_", "cnd_", "pthread_rwlock"]
            .iter()
            .any(|prefix| operation.starts_with(prefix)) =>
        {
            return Inside::Hidden;
        }
        _ => return Inside::Access,
    };
    Inside::Synchronisation { stored, read }
}
