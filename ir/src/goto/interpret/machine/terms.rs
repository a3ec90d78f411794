//! Values that are terms: what is computed and moved as such, and where a number is needed.

use std::cell::RefMut;

use super::{Machine, Outcome, Written};
use crate::goto::arithmetic::mask;
use crate::goto::entity::ValueId;
use crate::goto::instruction::{BinaryOp, CastOp, CompareOp, Op, Operand, TerminatorKind};
use crate::goto::interpret::machine::{Inputs, Request};
use crate::goto::interpret::terms::{Data, Path, Term, Variable, WIDEST};
use crate::goto::module::{Endianness, SignedOverflow};
use crate::goto::source::Location;
use crate::goto::types::Type;

/// What the machine cannot follow.
type NotFollowed = &'static str;

/// A value is needed of which too many are possible.
const MANY_VALUES: &str = "a choice of so many values where a number is needed";

/// More is read at once than a term may have bits.
const TOO_WIDE: &str = "so many bits of what was chosen at once";

impl Machine<'_> {
    /// Whether values may be terms.
    pub(super) fn has_terms(&self) -> bool {
        self.path.is_some()
    }

    /// The term that a value is, if it is one.
    fn term(&self, value: u128) -> Option<Term> {
        Term::of(value).filter(|_| self.has_terms())
    }

    /// Whether one of some values is a term.
    pub(super) fn is_any_term(&self, values: &[u128]) -> bool {
        self.has_terms() && values.iter().any(|&value| Term::of(value).is_some())
    }

    /// What terms are, if one of some values is one.
    pub(super) fn data_for<'i>(
        &self,
        values: &[u128],
        inputs: &'i mut dyn Inputs,
    ) -> Option<RefMut<'i, dyn Data + 'static>> {
        if self.is_any_term(values) { inputs.data() } else { None }
    }

    /// What is chosen.
    pub(super) fn choose(
        &self,
        thread: u32,
        request: Request,
        bits: u16,
        inputs: &mut dyn Inputs,
    ) -> u128 {
        if !self.has_terms() {
            return inputs.choose(thread, request, bits) & mask(bits);
        }
        // What a run has found out of a variable is said of no other one.
        let mut occurring = self.terms();
        occurring.extend(self.path.iter().flat_map(|path| path.iter()));
        let value = inputs.choose_term(thread, request, bits, &occurring);
        if Term::of(value).is_some() { value } else { value & mask(bits) }
    }

    /// All terms that occur, in some order.
    pub(in crate::goto::interpret) fn terms(&self) -> Vec<Term> {
        let mut found: Vec<Term> = self.memory.all_terms().collect();
        for thread in &self.threads {
            match thread {
                Ok(thread) => {
                    let values = thread.frames.iter().flat_map(|frame| frame.values.all());
                    found.extend(values.filter_map(Term::of));
                }
                Err(ended) => found.extend(ended.and_then(Term::of)),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Forgets what is known of terms that do not occur any more.
    pub(in crate::goto::interpret) fn forget_conditions(&mut self, data: &mut dyn Data) {
        if let Some(path) = self.path.take() {
            let is_empty = path.is_empty();
            self.path = Some(if is_empty { path } else { data.about(&path, &self.terms()) });
        }
    }

    /// What its terms fulfil; `None` if it has none.
    pub(in crate::goto::interpret) fn path(&self) -> Option<&Path> {
        self.path.as_ref()
    }

    /// A value as a number: the run divides into one for each that a term may have.
    fn number(
        &mut self,
        value: u128,
        bits: u16,
        inputs: &mut dyn Inputs,
    ) -> Result<u128, NotFollowed> {
        let Some(term) = self.term(value) else { return Ok(value) };
        let path = self.path.clone().unwrap_or_default();
        let value = inputs.value_of(&path, term, bits).ok_or(MANY_VALUES)?;
        if let Some(mut data) = inputs.data() {
            self.path = Some(data.with(&path, term, bits, value));
        }
        Ok(value)
    }

    /// Gives numbers to what the next instruction or terminator of a thread reads, as far as it is no mere computation with
    /// values: addresses, conditions, what is called or waited for, sizes.
    ///
    /// # Errors
    /// If that cannot be done.
    pub(in crate::goto::interpret) fn find_numbers(
        &mut self,
        thread: u32,
        inputs: &mut dyn Inputs,
    ) -> Result<(), NotFollowed> {
        if !self.has_terms() {
            return Ok(());
        }
        let Some((function, block, index)) = self.position(thread) else { return Ok(()) };
        let block = self.module.function(function).block(block);
        let Some(instruction) = block.instructions.get(index) else {
            return match &block.terminator.kind {
                TerminatorKind::Branch { condition, .. } => self.find(thread, *condition, inputs),
                TerminatorKind::Switch { value, cases, .. } => {
                    self.find_case(thread, *value, cases.iter().map(|&(case, _)| case), inputs)
                }
                TerminatorKind::Return(Some(value)) => match self.wanted(thread) {
                    Some(bits) if bits != self.operand_bits(thread, *value) => {
                        self.find(thread, *value, inputs)
                    }
                    _ => Ok(()),
                },
                _ => Ok(()),
            };
        };
        match &instruction.op {
            Op::Binary { .. }
            | Op::Unary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::Copy { .. } => {}
            Op::Store { address, .. } => self.find(thread, *address, inputs)?,
            Op::Call { callee: function, arguments } | Op::Spawn { function, arguments } => {
                self.find(thread, *function, inputs)?;
                let Some(callee) = self.function_at(thread, *function) else { return Ok(()) };
                let parameters = &self.module.function(callee).parameters;
                for (&argument, ty) in arguments.iter().zip(parameters) {
                    if self.operand_bits(thread, argument) != self.bits(ty) {
                        self.find(thread, argument, inputs)?;
                    }
                }
            }
            op => {
                let mut operands = Vec::new();
                op.for_each_operand(|operand| operands.push(operand));
                operands.into_iter().try_for_each(|operand| self.find(thread, operand, inputs))?;
            }
        }
        let accessed = match &instruction.op {
            Op::Load { address, .. } => {
                let ty = instruction.result.map(|value| {
                    self.module.function(function).operand_type(Operand::Value(value))
                });
                [ty.map(|ty| (*address, ty)), None]
            }
            Op::Store { address, ty, .. } | Op::HavocMemory { address, ty } => {
                [Some((*address, ty.clone())), None]
            }
            Op::Sync { arguments, .. } => {
                [arguments.first().map(|&address| (address, Type::Int(32))), None]
            }
            Op::CopyMemory { destination, source, ty } => {
                [destination, source].map(|operand| Some((*operand, ty.clone())))
            }
            _ => [None, None],
        };
        for (address, ty) in accessed.into_iter().flatten() {
            let pointer = self.value(thread, address);
            self.split_terms(pointer, ty.size(self.module), inputs);
        }
        Ok(())
    }

    /// How many bits the caller of what a thread is in wants of its result, if there is one.
    fn wanted(&self, thread: u32) -> Option<u16> {
        let frames = &self.threads.get(thread as usize)?.as_ref().ok()?.frames;
        let [.., caller, frame] = frames.as_slice() else { return None };
        let ty = self.module.function(caller.function).operand_type(Operand::Value(frame.result?));
        Some(self.bits(&ty))
    }

    /// A value of which so many bits are wanted.
    pub(super) fn fitted(&self, value: u128, bits: u16, inputs: &mut dyn Inputs) -> u128 {
        match (self.term(value), self.data_for(&[value], inputs)) {
            (Some(term), Some(mut data)) => match data.width(term) {
                width if width < bits => data.cast(CastOp::ZeroExtend, value, width, bits),
                width if width > bits => data.cast(CastOp::Truncate, value, width, bits),
                _ => value,
            },
            _ => value & mask(bits),
        }
    }

    /// Makes bytes of the terms that lie at a pointer in part.
    fn split_terms(&mut self, pointer: u128, size: u64, inputs: &mut dyn Inputs) {
        for (start, length, term) in self.terms_at(pointer, size) {
            let is_whole = start >= 0 && start.cast_unsigned() + length <= size;
            let Some(mut data) = inputs.data().filter(|_| !is_whole) else { continue };
            let first = pointer.wrapping_add_signed(start.into());
            for byte in 0..length {
                let place = match self.module.target.endianness {
                    Endianness::Little => byte,
                    Endianness::Big => length - 1 - byte,
                };
                let value = data.extract(term.value(), bits_of(length), bits_of(place), 8);
                let at = first + u128::from(byte);
                match Term::of(value) {
                    Some(term) => {
                        self.memory.put_term(self.module, at, 1, term);
                    }
                    None => {
                        if let Some([byte]) = self.memory.bytes(self.module, at, 1) {
                            *byte = Some(value as u8);
                        }
                    }
                }
            }
        }
    }

    /// Makes an operand a number.
    fn find(
        &mut self,
        thread: u32,
        operand: Operand,
        inputs: &mut dyn Inputs,
    ) -> Result<(), NotFollowed> {
        let value = self.value(thread, operand);
        if self.term(value).is_some() {
            let number = self.number(value, self.operand_bits(thread, operand), inputs)?;
            self.set(thread, operand, number);
        }
        Ok(())
    }

    /// Makes an operand the first of some numbers that it may be, or leaves it a term that is none of them.
    fn find_case(
        &mut self,
        thread: u32,
        operand: Operand,
        cases: impl Iterator<Item = u128>,
        inputs: &mut dyn Inputs,
    ) -> Result<(), NotFollowed> {
        let value = self.value(thread, operand);
        let (Some(_), bits) = (self.term(value), self.operand_bits(thread, operand)) else {
            return Ok(());
        };
        for case in cases {
            let Some(mut data) = inputs.data() else { return Ok(()) };
            let is_it = data.compare(CompareOp::Eq, value, case, bits);
            drop(data);
            if self.number(is_it, 1, inputs)? == 1 {
                self.set(thread, operand, case);
                break;
            }
        }
        Ok(())
    }

    fn set(&mut self, thread: u32, operand: Operand, number: u128) {
        if let (Operand::Value(value), Some(frame)) = (operand, self.top(thread)) {
            frame.values.set(value, number);
        }
    }

    /// `a op b`, where one of them is a term.
    pub(super) fn binary_of_terms(
        &mut self,
        thread: u32,
        (op, a, b, no_signed_wrap): (BinaryOp, u128, u128, bool),
        bits: u16,
        result: Option<ValueId>,
        inputs: &mut dyn Inputs,
    ) -> Outcome {
        let is_sum = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
        let is_asked =
            !is_sum || no_signed_wrap && self.module.signed_overflow == SignedOverflow::Absent;
        let mut ask =
            |of: &dyn Fn(&mut dyn Data) -> u128| inputs.data().map(|mut data| of(&mut *data));
        let is_defined = ask(&|data| if is_asked { data.is_defined(op, a, b, bits) } else { 1 });
        let value = ask(&|data| data.binary(op, a, b, bits));
        let (Some(is_defined), Some(value)) = (is_defined, value) else {
            return Outcome::Unsupported(MANY_VALUES);
        };
        match self.number(is_defined, 1, inputs) {
            Ok(0) => Outcome::Undefined("an operation is not defined"),
            Ok(_) => self.define(thread, result, value),
            Err(what) => Outcome::Unsupported(what),
        }
    }

    /// The terms that have bytes at a pointer: where each begins, counted from there, and its size.
    pub(super) fn terms_at(&self, pointer: u128, size: u64) -> Vec<(i64, u64, Term)> {
        if self.has_terms() { self.memory.terms(self.module, pointer, size) } else { Vec::new() }
    }

    /// Whether an integer at a pointer was written.
    pub(in crate::goto::interpret) fn is_written(
        &self,
        thread: u32,
        pointer: u128,
        size: u64,
    ) -> bool {
        self.peek(thread, pointer, size).is_some()
            || self.memory.peek(self.module, pointer, size).is_some_and(|bytes| {
                // Nothing of what is there is left to be chosen.
                let unwritten = bytes.iter().filter(|byte| byte.is_none()).count() as u64;
                let terms = self.terms_at(pointer, size);
                let is_whole = |&(start, length, _): &(i64, u64, Term)| {
                    start >= 0 && start.cast_unsigned() + length <= size
                };
                terms.iter().all(is_whole)
                    && terms.iter().map(|&(_, size, _)| size).sum::<u64>() == unwritten
            })
    }

    /// A value as wide as memory of a type.
    pub(super) fn as_memory(&self, value: u128, ty: &Type, inputs: &mut dyn Inputs) -> u128 {
        let (bits, wide) = (self.bits(ty), bits_of(ty.size(self.module)));
        match self.data_for(&[value], inputs).filter(|_| bits != wide) {
            Some(mut data) => data.cast(CastOp::ZeroExtend, value, bits, wide),
            None => value,
        }
    }

    /// Writes a term; `None` if the value is none.
    pub(super) fn store_term(
        &mut self,
        pointer: u128,
        ty: &Type,
        value: u128,
        location: Location,
    ) -> Option<Outcome> {
        let (term, size) = (self.term(value)?, ty.size(self.module));
        if self.memory.put_term(self.module, pointer, size, term).is_none() {
            return Some(Outcome::InvalidAccess(location));
        }
        let pointer = Some(pointer);
        Some(Outcome::Continued(Some(Written { pointer, value: None, bits: value, waits: false })))
    }

    /// Reads an integer of so many bits where a term is, or where nobody has written.
    pub(super) fn load_term(
        &mut self,
        thread: u32,
        (pointer, size): (u128, u64),
        bits: u16,
        location: Location,
        inputs: &mut dyn Inputs,
    ) -> Result<u128, Outcome> {
        let Some(bytes) = self.memory.peek(self.module, pointer, size) else {
            return Err(Outcome::InvalidAccess(location));
        };
        let wide = bits_of(size);
        if wide > WIDEST {
            return Err(Outcome::Unsupported(TOO_WIDE));
        }
        let bytes = bytes.to_vec();
        let terms = self.terms_at(pointer, size);
        // The parts, the first byte first: those are terms that lie in it whole.
        let mut parts: Vec<(u128, u16)> = Vec::new();
        // What nobody has written is chosen once, as a number would be.
        let mut chosen = None;
        let mut at = 0;
        while at < size {
            let begins = |&&(start, _, _): &&(i64, u64, Term)| u64::try_from(start) == Ok(at);
            if let Some(&(_, length, term)) = terms.iter().find(begins) {
                parts.push((term.value(), bits_of(length)));
                at += length;
                continue;
            }
            let rest = bytes.iter().skip(usize::try_from(at).unwrap_or(usize::MAX));
            if let Some(&Some(byte)) = rest.clone().next() {
                parts.push((byte.into(), 8));
                at += 1;
                continue;
            }
            // Nobody has written from here to the next byte or term.
            let is_term =
                |at: u64| terms.iter().any(|&(start, _, _)| u64::try_from(start) == Ok(at));
            let length =
                (at..).zip(rest).take_while(|&(at, byte)| byte.is_none() && !is_term(at)).count()
                    as u64;
            let value = match chosen {
                Some(value) => value,
                None => {
                    let (owner, request) = self.unwritten(thread, pointer);
                    self.choose(owner, request, wide, inputs)
                }
            };
            chosen = Some(value);
            let low = match self.module.target.endianness {
                Endianness::Little => at,
                Endianness::Big => size - at - length,
            };
            let Some(mut data) = inputs.data() else { return Err(Outcome::Unsupported(TOO_WIDE)) };
            let part = data.extract(value, wide, bits_of(low), bits_of(length));
            let Some(term) = Term::of(part) else { return Err(Outcome::Unsupported(TOO_WIDE)) };
            drop(data);
            let there = pointer.wrapping_add(at.into());
            self.memory.put_term(self.module, there, length, term);
            parts.push((part, bits_of(length)));
            at += length;
        }
        if self.module.target.endianness == Endianness::Big {
            parts.reverse();
        }
        let Some(mut data) = inputs.data() else { return Err(Outcome::Unsupported(TOO_WIDE)) };
        let whole = parts.into_iter().reduce(|(low, width), (high, more)| {
            (data.concat((high, more), (low, width)), width + more)
        });
        let value = whole.map_or(0, |(value, _)| value);
        Ok(if bits == wide { value } else { data.cast(CastOp::Truncate, value, wide, bits) })
    }

    /// The variable that a choice is: the first of its thread that does not occur.
    pub(in crate::goto::interpret) fn unused(
        data: &mut dyn Data,
        (thread, request): (u32, Request),
        bits: u16,
        occurring: &[Term],
    ) -> Variable {
        if let Request::Parameter(number) = request {
            return Variable { thread: Variable::PARAMETER, number, bits };
        }
        let mut used: Vec<u32> = Vec::new();
        for &term in occurring {
            let variables = data.variables(term);
            let own = variables.iter().filter(|variable| variable.thread == thread);
            used.extend(own.map(|variable| variable.number));
        }
        let number = (0..).find(|number| !used.contains(number)).unwrap_or(u32::MAX);
        Variable { thread, number, bits }
    }
}

fn bits_of(size: u64) -> u16 {
    u16::try_from(size.saturating_mul(8)).unwrap_or(u16::MAX)
}
