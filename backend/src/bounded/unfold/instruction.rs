//! What an instruction does.

use sapa_ir::goto::interpret::Position;
use sapa_ir::goto::{
    BinaryOp, CastOp, FunctionId, Instruction, Location, MemoryOrder, Op, Operand, Section, Type,
    ValueId, address, handle,
};

use sapa_passes::transform::checks::is_own_model;

use super::super::object::{Site, parts};
use super::super::reason::GaveUp;
use super::super::targets::{Values, are_followed};
use super::super::unfolding::{Check, StepKind};
use super::join::Begin;
use super::round::Effect;
use super::state::{Open, State};
use super::{Frame, Stop, Unfolder, define};
use crate::assumptions::{DEFINED, VALID_POINTERS, without_overflow};
use crate::automaton::leaf::sort_of;
use crate::automaton::value::{
    binary, cast, compare, constant, field_offset, index_address, is_defined, scalar_bits, unary,
};
use crate::solver::{Sort, TermId};

impl Unfolder<'_> {
    /// Executes an instruction; whether a path gets past it.
    pub(super) fn instruction(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        instruction: &Instruction,
        position: Position,
    ) -> Result<bool, Stop> {
        let location = instruction.location;
        let bits = instruction.result.map_or(1, |value| self.bits(frame, value));
        let result = match &instruction.op {
            op if op.is_pure() => {
                let Some(term) = self.pure(frame, state, (op, bits), location) else {
                    return Ok(false);
                };
                Some(term)
            }
            Op::Load { address, .. } => {
                let address = self.operand(frame, state, *address);
                let size = Type::Int(bits).size(self.module);
                let Some((value, step)) = self.read(state, address, size, location)? else {
                    return Ok(false);
                };
                let value = self.low_bits(value, bits);
                self.mark(position, state.guard, Some(value), step);
                Some(value)
            }
            Op::Store { address, value, ty, order, .. } => {
                let address = self.operand(frame, state, *address);
                let value = self.operand(frame, state, *value);
                let size = ty.size(self.module);
                let value = self.in_memory(value, size);
                if *order == MemoryOrder::SequentiallyConsistent {
                    self.drain(state)?;
                }
                let (at, order) = ((address, size), *order);
                let Some(step) = self.write(state, at, value, order, location)? else {
                    return Ok(false);
                };
                self.mark(position, state.guard, None, step);
                None
            }
            Op::CopyMemory { destination, source, ty } => {
                return self.copy(frame, state, (*destination, *source), ty, position, instruction);
            }
            Op::HavocMemory { address, ty } => {
                let address = self.operand(frame, state, *address);
                let mut step = None;
                let parts = parts(self.module, ty);
                let (alone, state) = self.begin(state);
                let reaches = self.out.threads[self.thread].reaches.len();
                for (offset, size) in parts {
                    let at = self.at(address, offset);
                    let width = u32::try_from(8 * size).expect("a part has at most 16 bytes");
                    let any = self.symbols.store.fresh(Sort::Bv(width), "any");
                    self.targets.add_unwritten(any);
                    match self.write(state, (at, size), any, MemoryOrder::Plain, location)? {
                        Some(written) => step = step.or(written),
                        None => return Ok(false),
                    }
                }
                if self.out.threads[self.thread].reaches.len() > reaches + 1 {
                    return Err(GaveUp::Waits("a structure of any contents", location).into());
                }
                self.finish(alone, state);
                self.mark(position, state.guard, None, step);
                None
            }
            Op::Allocate { size, zeroed, .. } => {
                let size = self.operand(frame, state, *size);
                let (least, most) = self.symbols.store.bounds(size);
                let mut most = u64::try_from(most).map_err(|_| GaveUp::TooLarge(location))?;
                if u128::from(most) != least && most > MOST_BYTES {
                    // Larger ones are not unfolded.
                    let width = self.symbols.store.width(size);
                    let largest = self.symbols.store.constant(width, u128::from(MOST_BYTES));
                    let fits = self.symbols.store.ule(size, largest);
                    let larger = self.symbols.store.not(fits);
                    if let Some(cut) = self.assume(state.clone(), larger) {
                        self.cut(cut.guard, location);
                    }
                    if !self.holds(state, fits) {
                        return Ok(false);
                    }
                    most = MOST_BYTES;
                }
                let size_term = (u128::from(most) != least).then_some(size);
                let (function, block, index) = position;
                let site = Site::Heap(function, block, index);
                let number = self.objects.add(site, most, size_term, *zeroed);
                let number = number.ok_or(GaveUp::TooLarge(location))?;
                let pointer = self.objects.pointer(number, 0);
                Some(constant(self.symbols, self.module.target.pointer_bits, pointer))
            }
            // Memory is never given back: what reads it afterwards has no meaning.
            Op::Free { .. } => {
                self.out.notes.insert(VALID_POINTERS);
                None
            }
            Op::Fence { order } => {
                self.fence(state, *order)?;
                None
            }
            Op::ObjectSize { address } => {
                let address = self.operand(frame, state, *address);
                match self.object_size(state, address, location)? {
                    Some(size) => Some(size),
                    None => return Ok(false),
                }
            }
            Op::Accessible { address, ty, .. } => {
                let address = self.operand(frame, state, *address);
                Some(self.accessible(address, ty.size(self.module), location)?)
            }
            Op::Call { callee, arguments } => {
                return self.call_any(frame, state, *callee, arguments, instruction);
            }
            Op::Spawn { function, arguments } => {
                match self.spawn(frame, state, *function, arguments, position, instruction)? {
                    Some(handle) => Some(handle),
                    None => return Ok(false),
                }
            }
            Op::Join { handle } => {
                let handle = self.operand(frame, state, *handle);
                let value = instruction.result.map(|_| bits);
                self.join(state, handle, value, position)?
            }
            Op::ThreadSelf => {
                let number = u32::try_from(self.thread).unwrap_or(u32::MAX);
                Some(constant(self.symbols, bits, handle(number)))
            }
            Op::Sync { .. } => {
                return Err(GaveUp::Unsupported("this operation on a lock", location).into());
            }
            Op::AtomicBegin(section) => {
                let mut open = match state.section {
                    Some(open) => Open { depth: open.depth + 1, ..open },
                    None => {
                        let step = self.section(state);
                        Open { step, depth: 1, locked: None }
                    }
                };
                state.section = Some(open);
                if *section == Section::Locked && open.locked.is_none() {
                    self.drain(state)?;
                    open.locked = Some(open.depth);
                    state.section = Some(open);
                }
                None
            }
            Op::AtomicEnd => {
                if let Some(mut open) = state.section.take() {
                    if open.locked.is_some_and(|locked| open.depth <= locked) {
                        open.locked = None;
                    }
                    open.depth -= 1;
                    if open.depth > 0 {
                        state.section = Some(open);
                    } else {
                        self.close(open.step, state.guard);
                    }
                }
                None
            }
            Op::Nondet { .. } => {
                let value = self.symbols.store.fresh(sort_of(bits), "nondet");
                self.mark(position, state.guard, Some(value), None);
                Some(value)
            }
            Op::Assume { condition } => {
                let condition = self.operand(frame, state, *condition);
                return Ok(self.holds(state, condition));
            }
            Op::Assert { condition, .. } => {
                let condition = self.operand(frame, state, *condition);
                if self.symbols.store.as_boolean(condition) != Some(true) {
                    let after = self.out.threads[self.thread].steps.last().copied();
                    let (thread, guard) = (self.thread, state.guard);
                    self.out.checks.push(Check { thread, guard, condition, after });
                }
                return Ok(self.holds(state, condition));
            }
            _ => return Err(GaveUp::Unsupported("this operation", location).into()),
        };
        if let (Some(value), Some(term)) = (instruction.result, result) {
            define(frame, state, value, term);
        }
        Ok(true)
    }

    /// Only the paths go on on which a condition holds; whether there are any.
    pub(super) fn holds(&mut self, state: &mut State, condition: TermId) -> bool {
        match self.guards.and(&mut self.symbols.store, state.guard, condition) {
            Some(guard) => {
                state.guard = guard;
                true
            }
            None => false,
        }
    }

    fn bits(&self, frame: &Frame, value: ValueId) -> u16 {
        let ty = &self.module.function(frame.id).values[value.index()].ty;
        scalar_bits(self.module, ty)
    }

    /// Notes that a run may end at an operation which C does not define for its operands.
    fn note_undefined(&mut self, op: BinaryOp, location: Location) {
        if matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul) {
            self.out.notes.insert(without_overflow(self.module, location));
        } else if !is_own_model(self.module, location) {
            self.out.notes.insert(DEFINED);
        }
    }

    /// The value of an operation that only computes; `None` if no path gets past it.
    fn pure(
        &mut self,
        frame: &Frame,
        state: &mut State,
        (op, bits): (&Op, u16),
        location: Location,
    ) -> Option<TermId> {
        Some(match op {
            Op::Binary { op: operation, a, b, .. } => {
                let (a, b) = (self.operand(frame, state, *a), self.operand(frame, state, *b));
                if op.may_be_undefined(self.module.signed_overflow) {
                    let defined = is_defined(self.symbols, *operation, a, b);
                    if self.symbols.store.as_boolean(defined) != Some(true) {
                        self.note_undefined(*operation, location);
                    }
                    if !self.holds(state, defined) {
                        return None;
                    }
                }
                binary(self.symbols, *operation, a, b)
            }
            Op::Unary { op, a } => {
                let a = self.operand(frame, state, *a);
                unary(self.symbols, *op, a)
            }
            Op::Compare { op, a, b } => {
                let (a, b) = (self.operand(frame, state, *a), self.operand(frame, state, *b));
                compare(self.symbols, *op, a, b)
            }
            Op::Cast { op, a } => {
                let a = self.operand(frame, state, *a);
                if *op == CastOp::IntToPointer {
                    self.targets.add_cast(a);
                }
                cast(self.symbols, *op, a, bits)
            }
            Op::Select { condition, a, b } => {
                let condition = self.operand(frame, state, *condition);
                let (a, b) = (self.operand(frame, state, *a), self.operand(frame, state, *b));
                self.symbols.store.ite(condition, a, b)
            }
            Op::Copy { a } => self.operand(frame, state, *a),
            Op::FieldAddress { base, structure, field } => {
                let base = self.operand(frame, state, *base);
                self.at(base, field_offset(self.module, *structure, *field))
            }
            Op::IndexAddress { base, element, index } => {
                let index = self.operand(frame, state, *index);
                let index = self.index_within(frame, state, (*base, element, index), location)?;
                let base = self.operand(frame, state, *base);
                let size = element.size(self.module);
                let near = self.stays_near(index, size);
                if self.symbols.store.as_boolean(near) != Some(true) {
                    let runs = self.guards.term(state.guard);
                    self.out.near.push(self.symbols.store.implies(runs, near));
                }
                index_address(self.symbols, base, index, size)
            }
            _ => return None,
        })
    }

    /// That an index leads no further than objects are large: further away there may be another one.
    fn stays_near(&mut self, index: TermId, size: u64) -> TermId {
        let store = &mut self.symbols.store;
        let width = store.width(index);
        let bits = address::offset_bits(self.module.target.pointer_bits);
        let largest = (1_u128 << (bits - 1)) / u128::from(size.max(1));
        if size == 0 || store.bounds(index).1 < largest {
            return store.true_();
        }
        // Between -largest and largest, as signed numbers.
        let low = store.constant(width, largest.wrapping_neg());
        let high = store.constant(width, largest);
        let (above, below) = (store.sle(low, index), store.slt(index, high));
        store.and(above, below)
    }

    /// The address some bytes behind another one.
    fn at(&mut self, address: TermId, distance: u64) -> TermId {
        let width = self.symbols.store.width(address);
        let distance = self.symbols.store.constant(width, u128::from(distance));
        self.symbols.store.add(address, distance)
    }

    /// Several accesses as one step; whether the section is that of this instruction alone.
    fn begin<'s>(&mut self, state: &'s mut State) -> (bool, &'s mut State) {
        let alone = state.section.is_none() && state.is_shared;
        if alone {
            let step = self.section(state);
            state.section = Some(Open { step, depth: 1, locked: None });
        }
        (alone, state)
    }

    fn finish(&mut self, alone: bool, state: &mut State) {
        if alone && let Some(open) = state.section.take() {
            self.close(open.step, state.guard);
        }
    }

    fn copy(
        &mut self,
        frame: &Frame,
        state: &mut State,
        (destination, source): (Operand, Operand),
        ty: &Type,
        position: Position,
        instruction: &Instruction,
    ) -> Result<bool, Stop> {
        let to = self.operand(frame, state, destination);
        let from = self.operand(frame, state, source);
        let parts = parts(self.module, ty);
        let (alone, state) = self.begin(state);
        let mut step = state.section.map(|open| open.step).filter(|_| state.is_shared);
        // All is read before anything is written: they may overlap.
        let mut values = Vec::with_capacity(parts.len());
        for &(offset, size) in &parts {
            let at = self.at(from, offset);
            let Some((value, in_step)) = self.read(state, at, size, instruction.location)? else {
                return Ok(false);
            };
            step = step.or(in_step);
            values.push(value);
        }
        for (&(offset, size), value) in parts.iter().zip(values) {
            let at = self.at(to, offset);
            let (at, order) = ((at, size), MemoryOrder::Plain);
            let Some(in_step) = self.write(state, at, value, order, instruction.location)? else {
                return Ok(false);
            };
            step = step.or(in_step);
        }
        self.finish(alone, state);
        self.mark(position, state.guard, None, step);
        Ok(true)
    }

    /// The functions that an operand may be, with the condition that it is this one.
    fn functions(
        &mut self,
        frame: &Frame,
        state: &State,
        operand: Operand,
        location: Location,
    ) -> Result<Vec<(FunctionId, TermId)>, Stop> {
        let term = self.operand(frame, state, operand);
        let Values::Exact(values) = self.targets.values(&self.symbols.store, &self.objects, term)
        else {
            return Err(GaveUp::Unsupported("a call of an unknown function", location).into());
        };
        if !are_followed(&self.objects, &Values::Exact(values.clone())) {
            return Err(GaveUp::Unsupported("a call of an unknown function", location).into());
        }
        let mut found = Vec::new();
        for (index, function) in self.module.functions.iter().enumerate() {
            let id = FunctionId::new(index);
            let pointer = u128::from(address::function(self.module, id));
            if values.contains(&pointer) {
                if !function.is_defined() {
                    return Err(GaveUp::NoBody(function.name.clone(), location).into());
                }
                let width = self.module.target.pointer_bits;
                let pointer = constant(self.symbols, width, pointer);
                found.push((id, self.symbols.store.eq(term, pointer)));
            }
        }
        if found.len() < values.len() {
            self.out.notes.insert(VALID_POINTERS);
        }
        Ok(found)
    }

    fn call_any(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        callee: Operand,
        arguments: &[Operand],
        instruction: &Instruction,
    ) -> Result<bool, Stop> {
        let functions = self.functions(frame, state, callee, instruction.location)?;
        let mut all: Option<(State, Option<TermId>)> = None;
        for (function, is_this) in functions {
            let Some(state) = self.assume(state.clone(), is_this) else { continue };
            let arguments = self.passed(function, arguments, frame, (&state, instruction))?;
            let Some((after, value)) = self.call(function, arguments, state)? else {
                continue;
            };
            all = Some(match all {
                None => (after, value),
                Some((before, old)) => {
                    let (merged, is_new) = self.merge(before, after, &[])?;
                    let value = match (old, value) {
                        (Some(old), Some(new)) => Some(self.symbols.store.ite(is_new, new, old)),
                        _ => None,
                    };
                    (merged, value)
                }
            });
        }
        let Some((after, value)) = all else { return Ok(false) };
        *state = after;
        if let Some(result) = instruction.result {
            let bits = self.bits(frame, result);
            let value = value.unwrap_or_else(|| constant(self.symbols, bits, 0));
            define(frame, state, result, value);
        }
        Ok(true)
    }

    /// The arguments as a function takes them. What is called through a pointer of another type has no meaning in C, and is
    /// not followed.
    fn passed(
        &mut self,
        id: FunctionId,
        arguments: &[Operand],
        frame: &Frame,
        (state, instruction): (&State, &Instruction),
    ) -> Result<Vec<TermId>, Stop> {
        let (function, caller) = (self.module.function(id), self.module.function(frame.id));
        let types: Vec<Type> = arguments.iter().map(|&a| caller.operand_type(a)).collect();
        let result = instruction.result.map(|result| caller.operand_type(Operand::Value(result)));
        if !function.is_called_with(self.module, &types, result.as_ref()) {
            let what = "a call with other types than the function has";
            return Err(GaveUp::Unsupported(what, instruction.location).into());
        }
        let passed = arguments.iter().zip(&function.parameters).zip(&types);
        Ok(passed
            .map(|((&argument, to), from)| {
                let term = self.operand(frame, state, argument);
                match to.bits(self.module) {
                    Some(bits) if from != to => {
                        let low = self.symbols.store.extract(term, u32::from(bits) - 1, 0);
                        self.symbols.coerce(low, bits)
                    }
                    _ => term,
                }
            })
            .collect())
    }

    /// Starts a thread: its handle; `None` if no path gets past it.
    fn spawn(
        &mut self,
        frame: &Frame,
        state: &mut State,
        function: Operand,
        arguments: &[Operand],
        position: Position,
        instruction: &Instruction,
    ) -> Result<Option<TermId>, Stop> {
        let functions = self.functions(frame, state, function, instruction.location)?;
        let arguments: Vec<TermId> =
            arguments.iter().map(|&a| self.operand(frame, state, a)).collect();
        self.share(state)?;
        let bits = instruction.result.map_or(64, |value| self.bits(frame, value));
        let mut result = None;
        let mut valid = self.symbols.store.false_();
        for (function, is_this) in functions {
            let Some(mut here) = self.assume(state.clone(), is_this) else { continue };
            let number = self.out.threads.len();
            if number >= self.bounds.threads {
                self.cut(here.guard, instruction.location);
                continue;
            }
            let step = self.add_step(StepKind::Spawn(number), here.guard);
            state.last = None;
            let mut passes = is_this;
            if self.bounds.has_rooms {
                let room = self.symbols.store.fresh(Sort::Bool, "room");
                self.out.rooms.push((step, room));
                let Some(with_room) = self.assume(here, room) else { continue };
                here = with_room;
                passes = self.symbols.store.and(is_this, room);
            }
            self.out.steps[step.index()].complete = Some(here.guard);
            self.out.steps[step.index()].drains = Some(here.guard);
            let started = self.out.threads[self.thread].started;
            let parent = Some((self.thread, started, step));
            let begin = Begin { memory: here.memory.clone(), ended: here.ended };
            self.add_thread(parent, function, here.guard, arguments.clone(), begin);
            self.out.threads[self.thread].started += 1;
            self.effects.push(Effect::Other(self.guards.term(here.guard)));
            self.mark(position, here.guard, None, Some(step));
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let handle = constant(self.symbols, bits, handle(number));
            result = Some(match result {
                None => handle,
                Some(other) => self.symbols.store.ite(is_this, handle, other),
            });
            valid = self.symbols.store.or(valid, passes);
        }
        let Some(result) = result else { return Ok(None) };
        Ok(self.holds(state, valid).then_some(result))
    }

    /// The size of the object that an address points into; `None` if there is none on any path.
    fn object_size(
        &mut self,
        state: &mut State,
        address: TermId,
        location: Location,
    ) -> Result<Option<TermId>, Stop> {
        let values = self.targets.values(&self.symbols.store, &self.objects, address);
        let objects: Vec<u64> = match values {
            Values::Exact(all) => {
                let pointer_bits = self.module.target.pointer_bits;
                let decode = |&value: &u128| {
                    address::decode(pointer_bits, u64::try_from(value).unwrap_or(0)).0
                };
                all.iter().map(decode).collect()
            }
            Values::Within(all, _) => all.iter().map(|&(object, _)| object).collect(),
            Values::Unwritten => Vec::new(),
            Values::Multiple(_) | Values::Open | Values::Unknown => {
                return Err(GaveUp::Address(location).into());
            }
        };
        let width = self.symbols.store.width(address);
        let low = u32::from(address::offset_bits(self.module.target.pointer_bits));
        let first = u128::from(address::first(self.module.target.pointer_bits));
        let first = self.symbols.store.constant(width, first);
        let place = self.symbols.store.sub(address, first);
        let number = self.symbols.store.extract(place, width - 1, low);
        let mut valid = self.symbols.store.false_();
        let mut result = None;
        for object in objects {
            let Some(data) = self.objects.get(object).cloned() else { continue };
            let here = self.symbols.store.constant(width - low, u128::from(object));
            let is_here = self.symbols.store.eq(number, here);
            let size = data
                .size_term
                .unwrap_or_else(|| self.symbols.store.constant(width, u128::from(data.size)));
            valid = self.symbols.store.or(valid, is_here);
            result = Some(match result {
                None => size,
                Some(other) => self.symbols.store.ite(is_here, size, other),
            });
        }
        Ok(result.filter(|_| self.holds(state, valid)))
    }
}

/// Most bytes of an object whose size depends on choices.
const MOST_BYTES: u64 = 1 << 10;
