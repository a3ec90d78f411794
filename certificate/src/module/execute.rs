//! What the instructions from one place of a thread to the next do, symbolically: a run for each way.
//!
//! A run has conditions under which it is taken, and what it changes, over the state before. Whatever
//! is not known is a variable of its own; so a run may do more here than in the module, and never less. Values that
//! only compute are made of what they are computed of: at a place that their definitions dominate they are equal
//! to that, as who executes an operand's definition again executes theirs again before it comes there.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    BinaryOp, BlockId, FunctionId, Instruction, Location, Op, Operand, SignedOverflow, Target,
    TerminatorKind, Type, ValueId, VariableId,
};
use sapa_limits::Limits;

use super::bits::{self, Bits};
use super::code::{Bound, Code, Place};
use super::predicate::{Registers, cast};
use super::world::{Changed, Who, World};
use super::{Made, Problem};
use crate::sat::{FALSE, Literal, TRUE};

/// How many runs there may be from one place.
const MOST_RUNS: usize = 2048;
/// How many instructions all runs from a place may have.
const MOST_INSTRUCTIONS: usize = 200_000;
/// How deep computations are looked into; below a value is any.
const DEEPEST: usize = 400;

/// Where a run ends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum End {
    /// At a place.
    At(Place),
    /// The thread ends.
    Thread,
    /// An assertion does not hold.
    Failure {
        /// What is claimed.
        property: String,
    },
}

/// One way from a place to the next.
#[derive(Clone)]
pub(super) struct Run {
    /// What all has to hold.
    pub(super) conditions: Vec<Literal>,
    values: FxHashMap<ValueId, Bits>,
    variables: FxHashMap<VariableId, Bits>,
    pub(super) changed: Changed,
    /// The function of the thread that it starts.
    pub(super) started: Option<FunctionId>,
    pub(super) end: End,
    /// Where it ends in the source.
    pub(super) last: Location,
}

/// A thread before its runs from a place.
pub(super) struct Start<'m> {
    place: Place,
    bound: Bound,
    /// Pure values as they are at the place.
    known: FxHashMap<ValueId, Bits>,
    nothing: Run,
    _module: std::marker::PhantomData<&'m ()>,
}

impl<'m> Start<'m> {
    pub(super) fn new(code: &Code<'m>, place: Place) -> Self {
        let nothing = Run {
            conditions: Vec::new(),
            values: FxHashMap::default(),
            variables: FxHashMap::default(),
            changed: Changed::default(),
            started: None,
            end: End::At(place),
            last: code.location(place),
        };
        let (bound, known) = (code.bound_at(place), FxHashMap::default());
        Start { place, bound, known, nothing, _module: std::marker::PhantomData }
    }

    /// The run that does nothing.
    pub(super) fn nothing(&self) -> Run {
        self.nothing.clone()
    }

    /// What a value is at the place.
    fn value(
        &mut self,
        code: &Code<'m>,
        world: &mut World<'_>,
        value: ValueId,
        depth: usize,
    ) -> Made<Bits> {
        if let Some(known) = self.known.get(&value) {
            return Ok(known.clone());
        }
        let width = world.width(&code.function.values[value.index()].ty)?;
        let definition = code.definition(value).filter(|i| i.op.is_pure() && depth < DEEPEST);
        let result = match definition {
            Some(instruction) if code.is_defined_at(value, self.place) => {
                let mut operands: FxHashMap<Operand, Bits> = FxHashMap::default();
                let mut all = Vec::new();
                instruction.op.for_each_operand(|operand| all.push(operand));
                for operand in all {
                    let bits = match operand {
                        Operand::Value(value) => self.value(code, world, value, depth + 1)?,
                        other => world.constant(other),
                    };
                    operands.insert(operand, bits);
                }
                compute(code, world, instruction, width, |operand| {
                    operands.get(&operand).cloned().unwrap_or_default()
                })?
            }
            _ => world.value(Who::Active, value, width),
        };
        self.known.insert(value, result.clone());
        Ok(result)
    }
}

/// The registers of the thread that moves, after a run.
pub(super) struct After<'s, 'm> {
    pub(super) code: &'s Code<'m>,
    pub(super) start: &'s mut Start<'m>,
    pub(super) run: &'s Run,
}

impl Registers for After<'_, '_> {
    fn value(&mut self, world: &mut World<'_>, value: ValueId) -> Made<Bits> {
        match self.run.values.get(&value) {
            Some(known) => Ok(known.clone()),
            None => self.start.value(self.code, world, value, 0),
        }
    }

    fn variable(&mut self, world: &mut World<'_>, variable: VariableId) -> Made<Bits> {
        if let Some(known) = self.run.variables.get(&variable) {
            return Ok(known.clone());
        }
        if let Some(value) = self.start.bound.get(&variable).copied() {
            return self.start.value(self.code, world, value, 0);
        }
        let width = world.width(&self.code.function.variables[variable.index()].ty)?;
        Ok(world.variable(Who::Active, variable, width))
    }
}

/// The registers of a thread that does not move, wherever it is.
pub(super) struct Still<'s, 'm> {
    pub(super) code: &'s Code<'m>,
}

impl Registers for Still<'_, '_> {
    fn value(&mut self, world: &mut World<'_>, value: ValueId) -> Made<Bits> {
        let width = world.width(&self.code.function.values[value.index()].ty)?;
        Ok(world.value(Who::Passive(self.code.id), value, width))
    }

    fn variable(&mut self, world: &mut World<'_>, variable: VariableId) -> Made<Bits> {
        let width = world.width(&self.code.function.variables[variable.index()].ty)?;
        Ok(world.variable(Who::Passive(self.code.id), variable, width))
    }
}

/// What an instruction that only computes results in.
fn compute(
    code: &Code<'_>,
    world: &mut World<'_>,
    instruction: &Instruction,
    width: usize,
    operand: impl Fn(Operand) -> Bits,
) -> Made<Bits> {
    let pointer = world.pointer_bits();
    let result = match &instruction.op {
        Op::Binary { op, a, b, .. } => {
            bits::binary(&mut world.sat, *op, &operand(*a), &operand(*b))
        }
        Op::Unary { op, a } => bits::unary(&mut world.sat, *op, &operand(*a)),
        Op::Compare { op, a, b } => {
            vec![bits::compare(&mut world.sat, *op, &operand(*a), &operand(*b))]
        }
        Op::Cast { op, a } => cast(*op, &operand(*a), width),
        Op::Select { condition, a, b } => {
            let condition = world.is_one(&operand(*condition));
            bits::ite(&mut world.sat, condition, &operand(*a), &operand(*b))
        }
        Op::Copy { a } => operand(*a),
        Op::FieldAddress { base, structure, field } => {
            let fields = code.module.structs.get(structure.index()).map(|s| &s.fields);
            let offset =
                fields.and_then(|fields| fields.get(field.index())).map_or(0, |f| f.offset);
            let offset = bits::constant(pointer, u128::from(offset));
            bits::add(&mut world.sat, &operand(*base), &offset)
        }
        Op::IndexAddress { base, element, index } => {
            let size = bits::constant(pointer, u128::from(element.size(code.module)));
            let distance = bits::mul(&mut world.sat, &operand(*index), &size);
            bits::add(&mut world.sat, &operand(*base), &distance)
        }
        _ => return Err(code.unsupported("this instruction", instruction.location)),
    };
    Ok(result)
}

/// All runs from a place to the next ones, or to the ends of threads and failures. Those that are
/// cut off, or end the program, are none.
pub(super) fn runs<'m>(
    code: &Code<'m>,
    world: &mut World<'m>,
    start: &mut Start<'m>,
    stops: &FxHashSet<Place>,
    limits: &Limits,
) -> Made<Vec<Run>> {
    let mut executor = Executor { code, world, start, found: Vec::new(), instructions: 0, limits };
    let (block, index) = executor.start.place;
    let mut pending = vec![(executor.start.nothing(), block, index)];
    let mut is_first = true;
    while let Some((run, block, index)) = pending.pop() {
        if executor.found.len() + pending.len() > MOST_RUNS {
            return Err(code.unsupported("very many ways from one place to the next", run.last));
        }
        executor.block(run, (block, index), is_first, stops, &mut pending)?;
        is_first = false;
    }
    Ok(executor.found)
}

struct Executor<'e, 'm> {
    code: &'e Code<'m>,
    world: &'e mut World<'m>,
    start: &'e mut Start<'m>,
    found: Vec<Run>,
    instructions: usize,
    limits: &'e Limits,
}

impl<'m> Executor<'_, 'm> {
    fn operand(&mut self, run: &Run, operand: Operand) -> Made<Bits> {
        match operand {
            Operand::Value(value) => match run.values.get(&value) {
                Some(known) => Ok(known.clone()),
                None => self.start.value(self.code, self.world, value, 0),
            },
            other => Ok(self.world.constant(other)),
        }
    }

    /// A condition is added; whether the run may still be taken.
    fn assume(run: &mut Run, condition: Literal) -> bool {
        if condition != TRUE {
            run.conditions.push(condition);
        }
        condition != FALSE && !run.conditions.contains(&-condition)
    }

    fn define(&self, run: &mut Run, value: ValueId, bits: Bits) {
        if let Some(variable) = self.code.function.values[value.index()].variable {
            run.variables.insert(variable, bits.clone());
        }
        run.values.insert(value, bits);
    }

    /// Goes on from a place to the end of its block.
    fn block(
        &mut self,
        mut run: Run,
        (block, first): Place,
        is_first: bool,
        stops: &FxHashSet<Place>,
        pending: &mut Vec<(Run, BlockId, usize)>,
    ) -> Made<()> {
        self.limits.check()?;
        let data = self.code.function.block(block);
        for index in first..=data.instructions.len() {
            if stops.contains(&(block, index)) && !(is_first && index == first) {
                run.end = End::At((block, index));
                self.found.push(run);
                return Ok(());
            }
            self.instructions += 1;
            let Some(instruction) = data.instructions.get(index) else { break };
            run.last = instruction.location;
            if self.instructions > MOST_INSTRUCTIONS {
                let what = "very many instructions from one place to the next";
                return Err(self.code.unsupported(what, run.last));
            }
            if !self.instruction(&mut run, instruction)? {
                return Ok(());
            }
        }
        run.last = data.terminator.location;
        match &data.terminator.kind {
            TerminatorKind::Jump(target) => self.jump(run, target, TRUE, pending)?,
            TerminatorKind::Branch { condition, then, otherwise } => {
                let condition = self.operand(&run, *condition)?;
                let condition = self.world.is_one(&condition);
                self.jump(run.clone(), then, condition, pending)?;
                self.jump(run, otherwise, -condition, pending)?;
            }
            TerminatorKind::Switch { value, cases, default } => {
                let value = self.operand(&run, *value)?;
                let mut other = Vec::new();
                for (case, target) in cases {
                    let case = bits::constant(value.len(), *case);
                    let is_case = bits::equal(&mut self.world.sat, &value, &case);
                    other.push(-is_case);
                    self.jump(run.clone(), target, is_case, pending)?;
                }
                let other = self.world.sat.all(other);
                self.jump(run, default, other, pending)?;
            }
            TerminatorKind::Return(_) | TerminatorKind::EndThread(_) => {
                run.end = End::Thread;
                self.found.push(run);
            }
            TerminatorKind::Halt | TerminatorKind::Unreachable => {}
        }
        Ok(())
    }

    fn jump(
        &mut self,
        mut run: Run,
        target: &Target,
        condition: Literal,
        pending: &mut Vec<(Run, BlockId, usize)>,
    ) -> Made<()> {
        if !Self::assume(&mut run, condition) {
            return Ok(());
        }
        let mut arguments = Vec::with_capacity(target.arguments.len());
        for argument in &target.arguments {
            arguments.push(self.operand(&run, *argument)?);
        }
        let parameters = &self.code.function.block(target.block).parameters;
        for (parameter, argument) in parameters.iter().zip(arguments) {
            self.define(&mut run, *parameter, argument);
        }
        pending.push((run, target.block, 0));
        Ok(())
    }

    fn width(&self, result: Option<ValueId>) -> Made<usize> {
        match result {
            Some(value) => self.world.width(&self.code.function.values[value.index()].ty),
            None => Ok(1),
        }
    }

    /// Executes an instruction; whether the run goes on.
    fn instruction(&mut self, run: &mut Run, instruction: &Instruction) -> Made<bool> {
        let code = self.code;
        let who = (code, Who::Active);
        let located = |problem: Problem| match problem {
            Problem::Unsupported { what, at: None } => {
                code.unsupported(&what, instruction.location)
            }
            other => other,
        };
        let width = self.width(instruction.result).map_err(located)?;
        let mut goes_on = true;
        let result = match &instruction.op {
            op if op.is_pure() => {
                let mut operands: FxHashMap<Operand, Bits> = FxHashMap::default();
                let mut all = Vec::new();
                op.for_each_operand(|operand| all.push(operand));
                for operand in all {
                    let bits = self.operand(run, operand)?;
                    operands.insert(operand, bits);
                }
                let of = |operand: Operand| operands.get(&operand).cloned().unwrap_or_default();
                if let Op::Binary { op, a, b, no_signed_wrap } = op {
                    goes_on = self.defined(run, *op, (&of(*a), &of(*b)), *no_signed_wrap);
                }
                Some(compute(code, self.world, instruction, width, of)?)
            }
            Op::Load { address, .. } => {
                let (object, targets) = (code.object(*address), code.targets(*address));
                let at = self.operand(run, *address)?;
                let size = Type::Int(u16::try_from(width).unwrap_or(1)).size(code.module);
                let access = self.world.access((object, targets), at, size);
                let read = self.world.read(who, &run.changed, &access, None);
                let (bytes, valid) = read.map_err(located)?;
                goes_on = Self::assume(run, valid);
                Some(self.world.integer(&bytes, width))
            }
            Op::Store { address, value, ty, .. } => {
                let value = self.operand(run, *value)?;
                let size = ty.size(code.module);
                let bytes = self.world.bytes(&value, size);
                goes_on = self.write(run, *address, &bytes).map_err(located)?;
                None
            }
            Op::HavocMemory { address, ty } => {
                let bytes = self.world.any_bytes(self.size(ty, instruction.location)?);
                goes_on = self.write(run, *address, &bytes).map_err(located)?;
                None
            }
            Op::CopyMemory { destination, source, ty } => {
                let size = self.size(ty, instruction.location)?;
                let (object, targets) = (code.object(*source), code.targets(*source));
                let at = self.operand(run, *source)?;
                let access = self.world.access((object, targets), at, size);
                let read = self.world.read(who, &run.changed, &access, None);
                let (bytes, valid) = read.map_err(located)?;
                goes_on = Self::assume(run, valid)
                    && self.write(run, *destination, &bytes).map_err(located)?;
                None
            }
            Op::Nondet { .. } => Some(self.world.sat.several(width)),
            Op::ThreadSelf => Some(self.handle(run, width)),
            Op::Spawn { function, .. } => {
                let Operand::Function(function) = *function else {
                    let what = "a thread without a known function";
                    return Err(code.unsupported(what, instruction.location));
                };
                if run.started.replace(function).is_some() {
                    let what = "two threads that are started in one step";
                    return Err(code.unsupported(what, instruction.location));
                }
                Some(self.handle(run, width))
            }
            // It may go on before the thread has ended.
            Op::Join { .. } => Some(self.world.sat.several(width)),
            Op::Assume { condition } => {
                let condition = self.operand(run, *condition)?;
                let condition = self.world.is_one(&condition);
                goes_on = Self::assume(run, condition);
                None
            }
            Op::Assert { condition, property } => {
                let condition = self.operand(run, *condition)?;
                let condition = self.world.is_one(&condition);
                let mut fails = run.clone();
                if Self::assume(&mut fails, -condition) {
                    fails.end = End::Failure { property: property.clone() };
                    self.found.push(fails);
                }
                goes_on = Self::assume(run, condition);
                None
            }
            Op::Allocate { .. } => {
                let address = self.world.sat.several(width);
                let on_heap = self.world.is_on_heap(&address);
                goes_on = Self::assume(run, on_heap);
                Some(address)
            }
            Op::ObjectSize { .. } => Some(self.world.sat.several(width)),
            // What is accessed after the end of its life has any contents here.
            Op::Free { .. } | Op::Fence { .. } | Op::AtomicBegin(_) | Op::AtomicEnd => None,
            Op::Call { .. } => {
                return Err(code.unsupported("a call", instruction.location));
            }
            Op::Sync { .. } => {
                let what = "an operation on a lock that is not lowered";
                return Err(code.unsupported(what, instruction.location));
            }
            _ => return Err(code.unsupported("this instruction", instruction.location)),
        };
        if let (Some(value), Some(bits)) = (instruction.result, result) {
            self.define(run, value, bits);
        }
        Ok(goes_on)
    }

    /// The size of what is copied or made arbitrary at once.
    fn size(&self, ty: &Type, location: Location) -> Made<u64> {
        match ty.size(self.code.module) {
            size if size <= 4096 => Ok(size),
            _ => Err(self.code.unsupported("a large object that is written at once", location)),
        }
    }

    fn write(
        &mut self,
        run: &mut Run,
        address: Operand,
        bytes: &[super::world::Byte],
    ) -> Made<bool> {
        let targets = (self.code.object(address), self.code.targets(address));
        let at = self.operand(run, address)?;
        let access = self.world.access(targets, at, bytes.len() as u64);
        let who = (self.code, Who::Active);
        let valid = self.world.write(who, &mut run.changed, &access, bytes)?;
        Ok(Self::assume(run, valid))
    }

    fn handle(&mut self, run: &mut Run, width: usize) -> Bits {
        let (any, is_one) = self.world.any_handle(width);
        Self::assume(run, is_one);
        any
    }

    /// That an operation is defined; else the run ends.
    fn defined(
        &mut self,
        run: &mut Run,
        op: BinaryOp,
        (a, b): (&[Literal], &[Literal]),
        no_signed_wrap: bool,
    ) -> bool {
        let undefined = bits::undefined(&mut self.world.sat, op, a, b);
        let goes_on = Self::assume(run, -undefined);
        if no_signed_wrap && self.code.module.signed_overflow == SignedOverflow::Absent {
            let overflows = bits::overflows(&mut self.world.sat, op, a, b);
            return Self::assume(run, -overflows) && goes_on;
        }
        goes_on
    }
}
