//! `layout=control`: which stores wait is in the control flow, what they store is in SSA values.
//!
//! Code is copied for each [`Shape`] of the buffer that it is reached with. Where others could see
//! a difference, the code chooses whether waiting stores reach memory first: before a step that is
//! visible, at the heads of loops, and before the thread may stop. A store to memory there is a step
//! of its own, so that others may act before and after it. As each run of the program with a
//! buffer has its choices, and a thread that cannot go on has them before it stops, no run is
//! missing; a choice that is made earlier than the machine would make it gives no new run.
//!
//! Waiting values are kept in stack objects at first, and `mem2reg` makes them values, versions of
//! source variables such as `x@1` (the oldest waiting store to `x`).

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashMap;
use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    Block, BlockId, Builder, CompareOp, Entity, Function, FunctionId, Instruction, Location,
    MemoryModel, Module, Op, Operand, Section, Slot, SlotId, Target, Terminator, TerminatorKind,
    Type, ValueId,
};

use super::access::{Access, Overlap};
use super::code::{bytes, compare, fixed_address, forwarded, unused_name, write};
use super::effect::{ClassId, Effect, Effects};
use super::pause::{Pause, Point, heads};
use super::rules::{OVERFLOW, Rules};
use super::sections::Sections;
use super::shape::{Entry, Next, Shape};
use crate::error::PassError;
use crate::transform::mem2reg;
use crate::transform::repair::{Repair, Versions};

/// A place in the original code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    /// The start of a block, with its parameters.
    Start(BlockId),
    /// Before an instruction or, behind the last, the terminator, where the buffer may change.
    Before(BlockId, usize),
}

/// The parts of a waiting store.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Value,
    Address,
}

/// Gives a function its buffer.
///
/// # Errors
/// There is no bound on what may wait, there would be too much code, or a limit ends it.
pub(super) fn run(
    module: &mut Module,
    id: FunctionId,
    effects: &Effects,
    rules: &Rules<'_>,
) -> Result<Copies, PassError> {
    let old = module.function(id).clone();
    if rules.bound.is_none() {
        unbounded(&old, effects).map_or(Ok(()), |(block, index, location)| {
            let message = "a loop may let any number of stores wait, as it has no fence: give a bound, as in k=2";
            let entity = Entity::Instruction(id, block, index);
            Err(PassError::at(rules.pass, entity, location, message))
        })?;
    }
    let sections = rules.sections(module, id)?;
    let heads = heads(&old);
    let mut product = Product {
        module,
        id,
        effects,
        rules,
        sections,
        heads,
        new: Function { blocks: Vec::new(), ..old.clone() },
        old: &old,
        blocks: FxHashMap::default(),
        pending: VecDeque::new(),
        versions: Versions::new(),
        entries: FxHashMap::default(),
    };
    product.run()?;
    let Product { mut new, versions, entries, .. } = product;
    let owners = vec![None; new.blocks.len()];
    Repair::new(&mut new).run(&owners, std::slice::from_ref(&versions)).ok_or_else(|| {
        PassError::new(rules.pass, module, Entity::Function(id), "its code breaks a law of the IR")
    })?;
    module.functions[id.index()] = new;
    let slots: BTreeSet<SlotId> = entries.into_values().collect();
    if !slots.is_empty() {
        mem2reg::promote(module, id, slots, rules.limits)?;
    }
    Ok(versions
        .into_iter()
        .map(|(value, copies)| (value, copies.into_values().collect()))
        .collect())
}

/// By value of the original code: its copies.
pub(super) type Copies = FxHashMap<ValueId, BTreeSet<ValueId>>;

/// A store that may wait in a loop that may go round without a wait for the buffer to be empty.
fn unbounded(function: &Function, effects: &Effects) -> Option<(BlockId, usize, Location)> {
    let drains = |block: BlockId| {
        effects.of[block.index()].iter().any(|effect| {
            matches!(effect, Effect::Drain | Effect::Fence | Effect::Begin(Section::Locked))
        })
    };
    // The blocks that a thread may go through with a store that waits.
    let mut graph = petgraph::graphmap::DiGraphMap::<usize, ()>::new();
    for (id, block) in function.blocks().filter(|(id, _)| !drains(*id)) {
        graph.add_node(id.index());
        block.terminator.kind.for_each_target(|target| {
            if !drains(target.block) {
                graph.add_edge(id.index(), target.block.index(), ());
            }
        });
    }
    let stores = |block: usize| {
        effects.of[block].iter().position(|effect| matches!(effect, Effect::Store { .. }))
    };
    for component in petgraph::algo::tarjan_scc(&graph) {
        let is_loop = component.len() > 1
            || component.first().is_some_and(|&block| graph.contains_edge(block, block));
        if is_loop
            && let Some((block, index)) = component.iter().find_map(|&b| Some((b, stores(b)?)))
        {
            let location = function.blocks[block].instructions[index].location;
            return Some((BlockId::new(block), index, location));
        }
    }
    None
}

struct Product<'p> {
    module: &'p Module,
    id: FunctionId,
    old: &'p Function,
    effects: &'p Effects,
    rules: &'p Rules<'p>,
    sections: Sections,
    /// Heads of loops.
    heads: BTreeSet<BlockId>,
    /// Its values begin with those of the original, which stand for all their copies until the end.
    new: Function,
    blocks: FxHashMap<(At, Shape), BlockId>,
    pending: VecDeque<(At, Shape, BlockId)>,
    versions: Versions,
    /// Where what waits is kept.
    entries: FxHashMap<(ClassId, usize, Part), SlotId>,
}

/// Code that is being written.
struct Segment {
    /// The block of the original.
    from: BlockId,
    /// The next instruction there.
    index: usize,
    /// The block that is written.
    into: BlockId,
    shape: Shape,
    /// Sections that it is in.
    sections: Vec<Section>,
    /// Names of the values that it has defined.
    renamed: FxHashMap<ValueId, ValueId>,
    /// Whether something has happened since stores could last reach memory.
    is_late: bool,
    location: Location,
}

impl Product<'_> {
    fn run(&mut self) -> Result<(), PassError> {
        self.at(At::Start(Function::ENTRY), Shape::default());
        while let Some((at, shape, into)) = self.pending.pop_front() {
            let advice =
                "give a smaller bound (k=1), or keep buffers in variables (layout=variables)";
            let blocks = self.new.blocks.len();
            self.rules.check(self.module, self.id, &self.old.name, blocks, advice)?;
            self.segment(at, shape, into)?;
        }
        Ok(())
    }

    /// The block for a place and a shape.
    fn at(&mut self, at: At, shape: Shape) -> BlockId {
        if let Some(&block) = self.blocks.get(&(at, shape.clone())) {
            return block;
        }
        let block = self.new.add_block(self.old.location);
        self.blocks.insert((at, shape.clone()), block);
        self.pending.push_back((at, shape, block));
        block
    }

    fn segment(&mut self, at: At, shape: Shape, into: BlockId) -> Result<(), PassError> {
        let (from, index) = match at {
            At::Start(block) => (block, 0),
            At::Before(block, index) => (block, index),
        };
        let sections = self.sections.before(self.old, from, index);
        let location = location_at(self.old.block(from), index);
        let mut segment = Segment {
            from,
            index,
            into,
            shape,
            sections,
            renamed: FxHashMap::default(),
            is_late: true,
            location,
        };
        let mut may_pause_here = matches!(at, At::Before(..));
        if !may_pause_here {
            for &parameter in &self.old.block(from).parameters {
                let copy = self.copy_of(&mut segment, parameter);
                self.new.blocks[into.index()].parameters.push(copy);
            }
        }
        let old: &Block = &self.old.blocks[from.index()];
        loop {
            let pause = self.pause(&segment);
            if pause != Pause::None {
                if !may_pause_here {
                    let next = self.at(At::Before(from, segment.index), segment.shape.clone());
                    self.jump(&mut segment, next);
                    return Ok(());
                }
                if !self.flush_choices(&mut segment, pause) {
                    return Ok(());
                }
                segment.is_late = false;
            }
            may_pause_here = false;
            let Some(instruction) = old.instructions.get(segment.index) else {
                self.terminator(&mut segment, &old.terminator);
                return Ok(());
            };
            segment.location = instruction.location;
            if !self.instruction(&mut segment, instruction)? {
                return Ok(());
            }
            segment.index += 1;
        }
    }

    /// What becomes of the buffer before the next instruction.
    fn pause(&self, segment: &Segment) -> Pause {
        if segment.shape.is_empty() {
            return Pause::None;
        }
        let effect = self.effects.of[segment.from.index()].get(segment.index);
        let is_full = match effect {
            Some(Effect::Store { class, .. }) => self.is_full(segment, *class),
            _ => false,
        };
        Point {
            effect,
            terminator: &self.old.block(segment.from).terminator.kind,
            sections: &segment.sections,
            is_head: segment.index == 0 && self.heads.contains(&segment.from),
            is_late: segment.is_late,
            waits_for_room: self.rules.waits_for_room && is_full,
        }
        .pause()
    }

    fn overlap(&self, entry: Entry, access: &Access) -> Overlap {
        self.effects.classes.get(entry.class).access.overlap(access)
    }

    /// Lets stores reach memory; whether the code goes on with those that are left.
    fn flush_choices(&mut self, segment: &mut Segment, pause: Pause) -> bool {
        let next = segment.shape.next(self.rules.model, &self.effects.classes);
        let count = next.len();
        // The oldest waits for no other: it comes last, where one has to be taken.
        for (number, next) in next.into_iter().rev().enumerate() {
            let is_last = number + 1 == count;
            let target = self.new.add_block(segment.location);
            if pause == Pause::Must && is_last {
                self.jump(segment, target);
            } else {
                let other = self.new.add_block(segment.location);
                let mut builder = builder(&mut self.new, segment);
                let chosen = builder.nondet(BOOL);
                builder.branch(chosen, target, other);
                segment.into = other;
            }
            let mut flushed = Segment { into: target, ..segment.branch() };
            for &before in &next.unless {
                let Some(entry) = segment.shape.at(next.index) else { continue };
                let apart = self.are_apart(&mut flushed, before, entry);
                builder(&mut self.new, &flushed).effect(Op::Assume { condition: apart });
            }
            self.reach_memory(&mut flushed, &next);
            let at = At::Before(segment.from, segment.index);
            let then = self.at(at, flushed.shape.clone());
            self.jump(&mut flushed, then);
        }
        pause == Pause::May
    }

    /// Whether two stores that wait have no byte in common.
    fn are_apart(&mut self, segment: &mut Segment, a: Entry, b: Entry) -> Operand {
        let part =
            matches!(self.effects.classes.overlap(a.class, b.class), Overlap::May { part: true });
        let a_at = self.address(segment, a);
        let b_at = self.address(segment, b);
        let sizes = (self.size(a.class), self.size(b.class));
        let mut code = builder(&mut self.new, segment);
        let common = compare(&mut code, self.module, (a_at, sizes.0), (b_at, sizes.1), part);
        code.compare(CompareOp::Eq, common.some, Operand::bool(false))
    }

    fn size(&self, class: ClassId) -> u64 {
        self.effects.classes.get(class).access.size
    }

    /// A store that waits reaches memory.
    fn reach_memory(&mut self, segment: &mut Segment, next: &Next) {
        let Some(entry) = segment.shape.at(next.index) else { return };
        let class = self.effects.classes.get(entry.class).clone();
        let address = self.address(segment, entry);
        let value = self.read(segment, entry, Part::Value);
        let mut code = builder(&mut self.new, segment);
        write(&mut code, &class, self.rules.flush, address, value);
        // Those behind it of the same class move up.
        let flushed = Location { operation: Some(self.rules.flush), ..class.location };
        let before = std::mem::replace(&mut segment.location, flushed);
        let last = segment.shape.count(entry.class);
        for number in entry.number..last {
            let behind = Entry { number: number + 1, ..entry };
            for part in [Part::Value, Part::Address] {
                if part == Part::Value || class.fixed.is_none() {
                    let value = self.read(segment, behind, part);
                    self.keep(segment, Entry { number, ..entry }, part, value);
                }
            }
        }
        segment.location = before;
        segment.shape = segment.shape.without(next.index);
    }

    /// All stores up to one reach memory, in order.
    fn reach_memory_until(&mut self, segment: &mut Segment, index: usize) {
        let count = segment.shape.entries().take_while(|(before, _)| *before <= index).count();
        for _ in 0..count {
            if let Some((index, _)) = segment.shape.oldest() {
                self.reach_memory(segment, &Next { index, unless: Vec::new() });
            }
        }
    }

    /// Where a waiting store is to.
    fn address(&mut self, segment: &mut Segment, entry: Entry) -> Operand {
        let class = self.effects.classes.get(entry.class);
        let fixed = fixed_address(&mut builder(&mut self.new, segment), self.module, class);
        fixed.unwrap_or_else(|| self.read(segment, entry, Part::Address))
    }

    fn slot(&mut self, entry: Entry, part: Part) -> (SlotId, Type) {
        let class = self.effects.classes.get(entry.class);
        let ty = if part == Part::Value { class.ty.clone() } else { Type::Pointer };
        let key = (entry.class, entry.number, part);
        let slot = match self.entries.get(&key) {
            Some(&slot) => slot,
            None => {
                let sign = if part == Part::Value { "" } else { "&" };
                let name = unused_name(&self.new, format!("{sign}{}@{}", class.name, entry.number));
                let signed = part == Part::Value && class.signed;
                let slot = self.new.add_slot(Slot { name, ty: ty.clone(), signed });
                self.entries.insert(key, slot);
                slot
            }
        };
        (slot, ty)
    }

    fn read(&mut self, segment: &Segment, entry: Entry, part: Part) -> Operand {
        let (slot, ty) = self.slot(entry, part);
        builder(&mut self.new, segment).load(ty, Operand::Slot(slot))
    }

    fn keep(&mut self, segment: &Segment, entry: Entry, part: Part, value: Operand) {
        let (slot, ty) = self.slot(entry, part);
        builder(&mut self.new, segment).store(ty, Operand::Slot(slot), value);
    }

    /// Writes an instruction; whether the segment goes on.
    fn instruction(
        &mut self,
        segment: &mut Segment,
        instruction: &Instruction,
    ) -> Result<bool, PassError> {
        let effects = self.effects;
        let effect = &effects.of[segment.from.index()][segment.index];
        if matches!(instruction.op, Op::Fence { .. }) && !matches!(effect, Effect::Barrier) {
            return Ok(true);
        }
        match effect {
            Effect::Store { class, release } if !segment.is_locked() => {
                return Ok(self.wait(segment, instruction, *class, *release));
            }
            Effect::Barrier => segment.shape = segment.shape.with_barrier(),
            Effect::Load { access, .. } if !segment.shape.is_empty() => {
                return self.load(segment, instruction, access);
            }
            Effect::Begin(section) => {
                segment.sections.push(*section);
                self.copy(segment, instruction);
            }
            Effect::End => {
                segment.sections.pop();
                segment.is_late = true;
                self.copy(segment, instruction);
            }
            effect => {
                segment.is_late |= !matches!(effect, Effect::Silent | Effect::Cut);
                self.copy(segment, instruction);
            }
        }
        Ok(true)
    }

    /// A store waits; whether the segment goes on.
    fn wait(
        &mut self,
        segment: &mut Segment,
        instruction: &Instruction,
        class: ClassId,
        release: bool,
    ) -> bool {
        let Op::Store { address, value, .. } = instruction.op else { return true };
        if self.is_full(segment, class) {
            let mut code = builder(&mut self.new, segment);
            let property = OVERFLOW.to_owned();
            code.location.operation = Some(self.rules.overflow);
            code.effect(Op::Assert { condition: Operand::bool(false), property });
            self.terminate(segment, TerminatorKind::Unreachable);
            return false;
        }
        let (model, classes) = (self.rules.model, &self.effects.classes);
        segment.shape = segment.shape.with_store(class, release, model, classes);
        let entry = Entry { class, number: segment.shape.count(class) };
        let (address, value) = (segment.name(address), segment.name(value));
        segment.location.operation = Some(self.rules.waits);
        if self.effects.classes.get(class).fixed.is_none() {
            self.keep(segment, entry, Part::Address, address);
        }
        self.keep(segment, entry, Part::Value, value);
        segment.location.operation = instruction.location.operation;
        segment.is_late = true;
        true
    }

    /// Whether no more stores of a class may wait.
    fn is_full(&self, segment: &Segment, class: ClassId) -> bool {
        let waiting = match self.rules.model {
            MemoryModel::Pso => segment.shape.count(class),
            _ => segment.shape.len(),
        };
        self.rules.bound.is_some_and(|bound| waiting >= bound)
    }

    /// A load while stores wait; whether the segment goes on.
    fn load(
        &mut self,
        segment: &mut Segment,
        instruction: &Instruction,
        access: &Access,
    ) -> Result<bool, PassError> {
        let (Op::Load { address, .. }, Some(result)) = (&instruction.op, instruction.result) else {
            return Ok(true);
        };
        let address = segment.name(*address);
        let ty = self.new.values[result.index()].ty.clone();
        let overlaps: Vec<_> = segment
            .shape
            .entries()
            .rev()
            .map(|(index, entry)| (index, entry, self.overlap(entry, access)))
            .filter(|(.., overlap)| *overlap != Overlap::None)
            .collect();
        match overlaps.first() {
            None => {
                segment.is_late = true;
                self.copy(segment, instruction);
                return Ok(true);
            }
            Some(&(_, entry, Overlap::All { behind })) => {
                let behind = bytes(self.module, behind);
                let value = self.forwarded(segment, entry, behind, &ty);
                self.define(segment, result, Op::Copy { a: value });
                return Ok(true);
            }
            Some(&(index, _, Overlap::Part)) => {
                self.reload(segment, index)?;
                return Ok(false);
            }
            Some(_) => {}
        }
        // It depends on addresses which store the load reads.
        let join = self.new.add_block(segment.location);
        let (mut is_known, mut is_joined) = (false, false);
        for (index, entry, overlap) in overlaps {
            let mut hit = segment.branch();
            let behind = match overlap {
                Overlap::None => continue,
                Overlap::Part => {
                    self.reload(segment, index)?;
                    is_known = true;
                    break;
                }
                Overlap::All { behind } => {
                    is_known = true;
                    bytes(self.module, behind)
                }
                Overlap::May { part } => {
                    let at = self.address(segment, entry);
                    let size = self.size(entry.class);
                    let mut code = builder(&mut self.new, segment);
                    let (store, load) = ((at, size), (address, access.size));
                    let common = compare(&mut code, self.module, store, load, part);
                    let (touched, missed) = self.fork(segment, common.some);
                    segment.into = missed;
                    hit.into = touched;
                    if part {
                        let mut rest = hit.branch();
                        if let Some((all, _)) = common.all {
                            (hit.into, rest.into) = self.fork(&hit, all);
                        }
                        self.reload(&mut rest, index)?;
                    }
                    match common.all {
                        Some((_, behind)) => behind,
                        None => continue,
                    }
                }
            };
            let value = self.forwarded(&hit, entry, behind, &ty);
            let target = Target { block: join, arguments: vec![value] };
            self.terminate(&mut hit, TerminatorKind::Jump(target));
            is_joined = true;
            if is_known {
                break;
            }
        }
        if !is_known {
            let mut code = builder(&mut self.new, segment);
            code.push(Instruction {
                op: with_address(&instruction.op, address),
                result: None,
                location: instruction.location,
            });
            let value = self.new.add_value(ty, None);
            if let Some(last) = self.new.blocks[segment.into.index()].instructions.last_mut() {
                last.result = Some(value);
            }
            let target = Target { block: join, arguments: vec![Operand::Value(value)] };
            self.terminate(segment, TerminatorKind::Jump(target));
            is_joined = true;
        }
        if !is_joined {
            return Ok(false);
        }
        segment.into = join;
        let copy = self.copy_of(segment, result);
        self.new.blocks[join.index()].parameters.push(copy);
        segment.is_late = true;
        Ok(true)
    }

    /// What a load of a type reads of a waiting store that has all its bytes, so many behind its
    /// start.
    fn forwarded(
        &mut self,
        segment: &Segment,
        entry: Entry,
        behind: Operand,
        ty: &Type,
    ) -> Operand {
        let value = self.read(segment, entry, Part::Value);
        let class = self.effects.classes.get(entry.class);
        let mut code = builder(&mut self.new, segment);
        forwarded(&mut code, self.module, class, (value, behind), ty)
    }

    /// A load waits until a store has reached memory, and is looked at again.
    fn reload(&mut self, segment: &mut Segment, index: usize) -> Result<(), PassError> {
        let is_open = segment.shape.at(index).is_some_and(|entry| {
            segment.shape.entries().take_while(|(before, _)| *before < index).any(|(_, before)| {
                let overlap = self.effects.classes.overlap(before.class, entry.class);
                matches!(overlap, Overlap::May { .. })
            })
        });
        if self.rules.model == MemoryModel::Pso && is_open {
            let message = "a load may read a part of what waits in the buffer, behind stores through \
                           pointers: under PSO this is not supported";
            let entity = Entity::Instruction(self.id, segment.from, segment.index);
            return Err(PassError::at(self.rules.pass, entity, segment.location, message));
        }
        match self.rules.model {
            MemoryModel::Pso => self.reach_memory_for(segment, index),
            _ => self.reach_memory_until(segment, index),
        }
        let again = self.at(At::Before(segment.from, segment.index), segment.shape.clone());
        self.jump(segment, again);
        Ok(())
    }

    /// A store reaches memory, after those that have to before it.
    fn reach_memory_for(&mut self, segment: &mut Segment, index: usize) {
        // What is behind the store stays.
        let behind = segment.shape.size() - index;
        loop {
            let index = segment.shape.size() - behind;
            match segment.shape.waits_for(index, &self.effects.classes) {
                Some(before) => self.reach_memory_for(segment, before),
                None => {
                    self.reach_memory(segment, &Next { index, unless: Vec::new() });
                    return;
                }
            }
        }
    }

    fn fork(&mut self, segment: &Segment, condition: Operand) -> (BlockId, BlockId) {
        let yes = self.new.add_block(segment.location);
        let no = self.new.add_block(segment.location);
        builder(&mut self.new, segment).branch(condition, yes, no);
        (yes, no)
    }

    /// Copies an instruction of the original.
    fn copy(&mut self, segment: &mut Segment, instruction: &Instruction) {
        let mut copy = instruction.clone();
        copy.op.for_each_operand_mut(|operand| *operand = segment.name(*operand));
        copy.result = instruction.result.map(|result| self.copy_of(segment, result));
        builder(&mut self.new, segment).push(copy);
    }

    /// Defines the copy of a value.
    fn define(&mut self, segment: &mut Segment, result: ValueId, op: Op) {
        let copy = self.copy_of(segment, result);
        let location = segment.location;
        builder(&mut self.new, segment).push(Instruction { op, result: Some(copy), location });
    }

    /// The copy of a value that the segment defines now.
    fn copy_of(&mut self, segment: &mut Segment, value: ValueId) -> ValueId {
        let data = self.old.values[value.index()].clone();
        let copy = self.new.add_value(data.ty, data.variable);
        segment.renamed.insert(value, copy);
        self.versions.entry(value).or_default().insert(segment.into, copy);
        copy
    }

    fn jump(&mut self, segment: &mut Segment, to: BlockId) {
        self.terminate(segment, TerminatorKind::Jump(Target::new(to)));
    }

    fn terminate(&mut self, segment: &mut Segment, kind: TerminatorKind) {
        builder(&mut self.new, segment).terminate(kind);
    }

    fn terminator(&mut self, segment: &mut Segment, terminator: &Terminator) {
        let mut kind = terminator.kind.clone();
        kind.for_each_operand_mut(|operand| *operand = segment.name(*operand));
        kind.for_each_target_mut(|target| {
            target.block = self.at(At::Start(target.block), segment.shape.clone());
        });
        segment.location = terminator.location;
        self.terminate(segment, kind);
    }
}

impl Segment {
    /// Another way on from here.
    fn branch(&self) -> Self {
        Self {
            shape: self.shape.clone(),
            sections: self.sections.clone(),
            renamed: self.renamed.clone(),
            ..*self
        }
    }

    fn name(&self, operand: Operand) -> Operand {
        let renamed = operand.value().and_then(|value| self.renamed.get(&value));
        renamed.map_or(operand, |&value| Operand::Value(value))
    }

    /// Whether stores are written to memory at once.
    fn is_locked(&self) -> bool {
        self.sections.contains(&Section::Locked)
    }
}

/// A builder at the end of what a segment has written.
fn builder<'f>(new: &'f mut Function, segment: &Segment) -> Builder<'f> {
    let mut builder = Builder::new(new, segment.location);
    builder.switch_to(segment.into);
    builder
}

fn with_address(op: &Op, to: Operand) -> Op {
    let mut op = op.clone();
    if let Op::Load { address, .. } = &mut op {
        *address = to;
    }
    op
}

fn location_at(block: &Block, index: usize) -> Location {
    block.instructions.get(index).map_or(block.terminator.location, |i| i.location)
}
