//! `layout=variables`: which stores wait, and what they store, is in local variables.
//!
//! This is the reduction of Dan, Meshman, Vechev, Yahav, "Predicate Abstraction for Relaxed Memory
//! Models" (SAS 2013), section 2.3 and Fig. 5. Under PSO a thread has a queue for each place that it
//! stores to, `x_1` (the oldest), …, `x_k` and their number `x_cnt`; under TSO one for all, `lhs_1`
//! (which place), `rhs_1` (what is stored), … and `cnt`. The paper lets stores reach memory after
//! each statement; here it is where [`Pause`] says, as with `layout=control`: others cannot see a
//! difference. What the paper has not, release stores and release fences under PSO, are numbers of
//! stores to other places that have to reach memory before.
//!
//! What does not wait any more is 0, so that it makes no difference between states.

use std::collections::{BTreeSet, VecDeque};

use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    BinaryOp, BlockId, Builder, CompareOp, Entity, Function, FunctionId, Instruction, MemoryModel,
    Module, Op, Operand, Section, SlotId, Target, TerminatorKind, ValueId,
};

use super::access::{Access, Overlap};
use super::code::{bytes, compare, fixed_address, forwarded, write};
use super::effect::{Class, ClassId, Classes, Effect, Effects};
use super::pause::{Pause, Point, heads};
use super::queue::{
    Buffer, MAX, Queue, decrease, is_zero, number, read_number, store_number, zero,
};
use super::rules::{OVERFLOW, Overflow, Rules};
use super::sections::Sections;
use crate::error::PassError;
use crate::transform::mem2reg;

/// Gives a function its buffer, with room for `bound` stores.
///
/// # Errors
/// The bound or the number of places is too large, stores under PSO have no place of their own,
/// there would be too much code, or a limit ends it.
pub(super) fn run(
    module: &mut Module,
    id: FunctionId,
    effects: &Effects,
    rules: &Rules<'_>,
) -> Result<(), PassError> {
    let refuse = |message: &str| {
        Err(PassError::new(rules.pass, module, Entity::Function(id), message.to_owned()))
    };
    let Some(bound) = rules.bound.filter(|bound| *bound <= MAX) else {
        return refuse(&format!("layout=variables needs a bound from 1 to {MAX}, as in k=2"));
    };
    if effects.classes.ids().count() > MAX {
        return refuse(&format!(
            "with layout=variables no more than {MAX} places can be stored to: use layout=control"
        ));
    }
    if rules.model == MemoryModel::Pso {
        one_queue_each(id, &effects.classes, rules)?;
    }
    let old = module.function(id).clone();
    let sections = rules.sections(module, id)?;
    let mut new = old.clone();
    let buffer = Buffer::new(&mut new, effects, rules.model, bound);
    let writer = Writer {
        module,
        id,
        old: &old,
        effects,
        rules,
        heads: heads(&old),
        waiting: waiting(&old, effects, &sections),
        sections,
        buffer,
    };
    writer.run(&mut new)?;
    let slots: BTreeSet<SlotId> = writer.buffer.variables().map(|(slot, _)| slot).collect();
    module.functions[id.index()] = new;
    if !slots.is_empty() {
        mem2reg::promote(module, id, slots, rules.limits)?;
    }
    Ok(())
}

/// Under PSO a queue is of one place, and no two queues are of the same bytes: nothing else says which
/// of their stores is older.
fn one_queue_each(id: FunctionId, classes: &Classes, rules: &Rules<'_>) -> Result<(), PassError> {
    let refuse = |class: &Class, message: String| {
        Err(PassError::at(rules.pass, Entity::Function(id), class.location, message))
    };
    let mut all = classes.ids().map(|id| classes.get(id));
    if let Some(class) = all.find(|class| class.fixed.is_none()) {
        let message = format!(
            "the store to `{}` may be to several places, or to one that is no global: with \
             layout=variables each place has a queue of its own under PSO; use layout=control",
            class.plain_name()
        );
        return refuse(class, message);
    }
    for (a, b) in classes.ids().flat_map(|a| classes.ids().map(move |b| (a, b))) {
        if a < b && classes.overlap(a, b) != Overlap::None {
            let (class, other) = (classes.get(a), classes.get(b));
            let message = format!(
                "two stores, to `{}` and to `{}`, are to the same bytes with different types: with \
                 layout=variables each place has a queue of its own under PSO; use layout=control",
                class.plain_name(),
                other.plain_name()
            );
            return refuse(other, message);
        }
    }
    Ok(())
}

/// By block and instruction, with the terminator: whether stores may wait before it.
fn waiting(function: &Function, effects: &Effects, sections: &Sections) -> Vec<Vec<bool>> {
    let sizes = function.blocks.iter().map(|block| vec![false; block.instructions.len() + 1]);
    let mut waiting: Vec<Vec<bool>> = sizes.collect();
    let mut known = vec![None; function.blocks.len()];
    let mut pending = VecDeque::from([(Function::ENTRY, false)]);
    while let Some((block, waits)) = pending.pop_front() {
        let before = &mut known[block.index()];
        if before.is_some_and(|before| before || !waits) {
            continue;
        }
        *before = Some(waits);
        let mut waits = waits;
        let mut inside = sections.before(function, block, 0);
        for (index, effect) in effects.of[block.index()].iter().enumerate() {
            waiting[block.index()][index] = waits;
            match effect {
                Effect::Store { .. } => waits |= !inside.contains(&Section::Locked),
                Effect::Drain | Effect::Fence | Effect::Begin(Section::Locked) => waits = false,
                _ => {}
            }
            enter(&mut inside, effect);
        }
        if let Some(last) = waiting[block.index()].last_mut() {
            *last = waits;
        }
        let terminator = &function.block(block).terminator.kind;
        terminator.for_each_target(|target| pending.push_back((target.block, waits)));
    }
    waiting
}

/// Goes over the start or the end of a section.
fn enter(sections: &mut Vec<Section>, effect: &Effect) {
    match effect {
        Effect::Begin(section) => sections.push(*section),
        Effect::End => drop(sections.pop()),
        _ => {}
    }
}

/// Goes on in new blocks if a condition holds, and if not.
fn fork(code: &mut Builder<'_>, condition: Operand) -> (BlockId, BlockId) {
    let (yes, no) = (code.add_block(), code.add_block());
    code.branch(condition, yes, no);
    (yes, no)
}

/// The thread stops.
fn stop(code: &mut Builder<'_>) {
    code.effect(Op::Assume { condition: Operand::bool(false) });
    code.terminate(TerminatorKind::Unreachable);
}

/// A point in the original code.
struct Here {
    block: BlockId,
    index: usize,
    /// The sections that it is in.
    sections: Vec<Section>,
    /// Whether something has happened since stores could last reach memory.
    is_late: bool,
}

struct Writer<'w> {
    module: &'w Module,
    id: FunctionId,
    old: &'w Function,
    effects: &'w Effects,
    rules: &'w Rules<'w>,
    sections: Sections,
    /// Heads of loops.
    heads: BTreeSet<BlockId>,
    /// Where stores may wait.
    waiting: Vec<Vec<bool>>,
    buffer: Buffer,
}

impl Writer<'_> {
    fn run(&self, new: &mut Function) -> Result<(), PassError> {
        for (block, _) in self.old.blocks() {
            let advice = "give a smaller bound (k=1), or use layout=control";
            self.rules.check(self.module, self.id, &self.old.name, new.blocks.len(), advice)?;
            self.block(new, block);
        }
        Ok(())
    }

    fn block(&self, new: &mut Function, block: BlockId) {
        let old = self.old.block(block);
        new.blocks[block.index()].instructions.clear();
        let mut code = Builder::new(new, old.terminator.location);
        code.switch_to(block);
        if block == Function::ENTRY {
            code.location = self.old.location;
            for (slot, ty) in self.buffer.variables() {
                code.store(ty.clone(), Operand::Slot(slot), zero(&ty));
            }
        }
        let sections = self.sections.before(self.old, block, 0);
        let mut here = Here { block, index: 0, sections, is_late: true };
        for (index, instruction) in old.instructions.iter().enumerate() {
            code.location = instruction.location;
            here.index = index;
            self.pause(&mut code, &mut here);
            self.instruction(&mut code, &mut here, instruction);
        }
        code.location = old.terminator.location;
        here.index = old.instructions.len();
        self.pause(&mut code, &mut here);
        code.terminate(old.terminator.kind.clone());
    }

    /// Lets stores reach memory where they may or must before an instruction.
    fn pause(&self, code: &mut Builder<'_>, here: &mut Here) {
        if !self.waits(here) {
            return;
        }
        let effect = self.effects.of[here.block.index()].get(here.index);
        let pause = Point {
            effect,
            terminator: &self.old.block(here.block).terminator.kind,
            sections: &here.sections,
            is_head: here.index == 0 && self.heads.contains(&here.block),
            is_late: here.is_late,
            waits_for_room: self.rules.overflow == Overflow::Wait,
        }
        .pause();
        if pause == Pause::None {
            return;
        }
        self.flush_some(code);
        here.is_late = false;
        if pause == Pause::Must {
            match effect {
                Some(Effect::Store { class, .. }) => {
                    let Some(queue) = self.buffer.queue_of(*class) else { return };
                    let count = read_number(code, queue.count);
                    let full = number(self.buffer.bound);
                    let condition = code.compare(CompareOp::Ne, count, full);
                    code.effect(Op::Assume { condition });
                }
                _ => {
                    for queue in &self.buffer.queues {
                        let condition = is_zero(code, queue.count);
                        code.effect(Op::Assume { condition });
                    }
                }
            }
        }
    }

    /// Whether stores may wait at a point.
    fn waits(&self, here: &Here) -> bool {
        self.waiting[here.block.index()].get(here.index).copied().unwrap_or(false)
    }

    /// A loop that lets any number of stores reach memory, one after the other.
    fn flush_some(&self, code: &mut Builder<'_>) {
        let head = code.add_block();
        code.jump(head);
        code.switch_to(head);
        for (index, queue) in self.buffer.queues.iter().enumerate() {
            let count = read_number(code, queue.count);
            let mut may = code.compare(CompareOp::Ne, count, number(0));
            for (_, after) in &queue.after {
                let waits_for = after.read(code, 0);
                let none = code.compare(CompareOp::Eq, waits_for, number(0));
                may = code.binary(BinaryOp::And, may, none, false);
            }
            let (some, next) = fork(code, may);
            code.switch_to(some);
            let chosen = code.nondet(BOOL);
            let flush = code.add_block();
            code.branch(chosen, flush, next);
            code.switch_to(flush);
            self.flush(code, index);
            code.jump(head);
            code.switch_to(next);
        }
    }

    /// The oldest store of a queue, which is not empty, reaches memory.
    fn flush(&self, code: &mut Builder<'_>, index: usize) {
        let queue = &self.buffer.queues[index];
        let written = code.add_block();
        for (position, &id) in queue.classes.iter().enumerate() {
            let class = self.effects.classes.get(id);
            let mut other = None;
            if let Some(which) = &queue.which
                && position + 1 < queue.classes.len()
            {
                let oldest = which.read(code, 0);
                let is_it = code.compare(CompareOp::Eq, oldest, queue.number(id));
                let (yes, no) = fork(code, is_it);
                code.switch_to(yes);
                other = Some(no);
            }
            let Some(values) = queue.values(class) else { continue };
            let address = self.address(code, queue, class, 0);
            let value = values.read(code, 0);
            write(code, class, self.rules.flush, address, value);
            code.jump(written);
            if let Some(other) = other {
                code.switch_to(other);
            }
        }
        code.switch_to(written);
        for column in queue.columns() {
            column.shift(code);
        }
        let count = read_number(code, queue.count);
        let less = code.binary(BinaryOp::Sub, count, number(1), false);
        store_number(code, queue.count, less);
        if let Some(slot) = queue.barrier {
            decrease(code, slot);
        }
        for other in &self.buffer.queues {
            let after = other.after.iter().filter(|(before, _)| *before == index);
            for &slot in after.flat_map(|(_, column)| &column.slots) {
                decrease(code, slot);
            }
        }
    }

    /// Where a waiting store is to.
    fn address(
        &self,
        code: &mut Builder<'_>,
        queue: &Queue,
        class: &Class,
        index: usize,
    ) -> Operand {
        let kept = queue.addresses.as_ref();
        fixed_address(code, self.module, class)
            .or_else(|| Some(kept?.read(code, index)))
            .unwrap_or(Operand::Null)
    }

    fn instruction(&self, code: &mut Builder<'_>, here: &mut Here, instruction: &Instruction) {
        let effect = &self.effects.of[here.block.index()][here.index];
        enter(&mut here.sections, effect);
        if matches!(instruction.op, Op::Fence { .. }) && !matches!(effect, Effect::Barrier) {
            return;
        }
        match (effect, instruction.result) {
            (Effect::Barrier, _) => {
                for queue in &self.buffer.queues {
                    if let Some(barrier) = queue.barrier {
                        let count = read_number(code, queue.count);
                        store_number(code, barrier, count);
                    }
                }
                return;
            }
            (Effect::Store { class, release, .. }, _)
                if !here.sections.contains(&Section::Locked) =>
            {
                self.wait(code, instruction, *class, *release);
                here.is_late = true;
                return;
            }
            (Effect::Load { access, .. }, Some(result)) if self.waits(here) => {
                self.load(code, instruction, result, access);
                here.is_late = true;
                return;
            }
            (Effect::Begin(_) | Effect::Silent | Effect::Cut, _) => {}
            _ => here.is_late = true,
        }
        code.push(instruction.clone());
    }

    /// A store waits.
    fn wait(
        &self,
        code: &mut Builder<'_>,
        instruction: &Instruction,
        class: ClassId,
        release: bool,
    ) {
        let (Op::Store { address, value, .. }, Some(queue)) =
            (&instruction.op, self.buffer.queue_of(class))
        else {
            return;
        };
        let count = read_number(code, queue.count);
        if self.rules.overflow != Overflow::Wait {
            let is_full = code.compare(CompareOp::Eq, count, number(self.buffer.bound));
            let (over, room) = fork(code, is_full);
            code.switch_to(over);
            let property = OVERFLOW.to_owned();
            code.location.operation = Some(self.rules.overflows);
            code.effect(Op::Assert { condition: Operand::bool(false), property });
            code.terminate(TerminatorKind::Unreachable);
            code.switch_to(room);
        }
        let places = 0..self.buffer.bound;
        let is: Vec<Operand> =
            places.map(|index| code.compare(CompareOp::Eq, count, number(index))).collect();
        if let Some(which) = &queue.which {
            which.set(code, &is, queue.number(class));
        }
        let class = self.effects.classes.get(class);
        if let Some(addresses) = queue.addresses.as_ref().filter(|_| class.fixed.is_none()) {
            addresses.set(code, &is, *address);
        }
        if let Some(values) = queue.values(class) {
            values.set(code, &is, *value);
        }
        for (other, after) in &queue.after {
            let other = &self.buffer.queues[*other];
            let before = if release { Some(other.count) } else { other.barrier };
            if let Some(before) = before {
                let before = read_number(code, before);
                after.set(code, &is, before);
            }
        }
        let more = code.binary(BinaryOp::Add, count, number(1), false);
        store_number(code, queue.count, more);
    }

    /// A load while stores may wait: of the newest to its bytes, else of memory.
    fn load(
        &self,
        code: &mut Builder<'_>,
        instruction: &Instruction,
        result: ValueId,
        access: &Access,
    ) {
        let Op::Load { address, .. } = instruction.op else { return };
        let ty = self.old.values[result.index()].ty.clone();
        let overlaps = |id: &ClassId| {
            let class = self.effects.classes.get(*id);
            let overlap = class.access.overlap(access);
            (overlap != Overlap::None).then_some((*id, overlap))
        };
        let found: Vec<(&Queue, Vec<(ClassId, Overlap)>)> = (self.buffer.queues.iter())
            .map(|queue| (queue, queue.classes.iter().filter_map(overlaps).collect()))
            .collect();
        if found.iter().all(|(_, classes)| classes.is_empty()) {
            return code.push(instruction.clone());
        }
        let in_part = |(_, overlap): &(ClassId, Overlap)| {
            matches!(overlap, Overlap::Part | Overlap::May { part: true })
        };
        if found.iter().flat_map(|(_, classes)| classes).any(in_part) {
            // What it reads a part of has to have reached memory.
            self.flush_some(code);
        }
        let join = code.add_block();
        for (queue, classes) in &found {
            for index in (0..self.buffer.bound).rev() {
                for &(id, overlap) in classes {
                    let (kept, wanted) = match &queue.which {
                        Some(which) => (which.read(code, index), queue.number(id)),
                        None => (read_number(code, queue.count), number(index + 1)),
                    };
                    let waits = code.compare(CompareOp::Eq, kept, wanted);
                    let (hit, miss) = fork(code, waits);
                    code.switch_to(hit);
                    let class = self.effects.classes.get(id);
                    let behind = match overlap {
                        Overlap::None | Overlap::Part => None,
                        Overlap::All { behind } => Some(bytes(self.module, behind)),
                        Overlap::May { part } => {
                            let (at, size) =
                                (self.address(code, queue, class, index), class.access.size);
                            let (store, load) = ((at, size), (address, access.size));
                            let common = compare(code, self.module, store, load, part);
                            let touched = code.add_block();
                            code.branch(common.some, touched, miss);
                            code.switch_to(touched);
                            if let Some((all, _)) = common.all.filter(|_| part) {
                                let (all, rest) = fork(code, all);
                                code.switch_to(rest);
                                stop(code);
                                code.switch_to(all);
                            }
                            common.all.map(|(_, behind)| behind)
                        }
                    };
                    match queue.values(class).zip(behind) {
                        Some((values, behind)) => {
                            let value = (values.read(code, index), behind);
                            let value = forwarded(code, self.module, class, value, &ty);
                            let target = Target { block: join, arguments: vec![value] };
                            code.terminate(TerminatorKind::Jump(target));
                        }
                        None => stop(code),
                    }
                    code.switch_to(miss);
                }
            }
        }
        let memory = code.function.add_value(ty, None);
        code.push(Instruction { result: Some(memory), ..instruction.clone() });
        let target = Target { block: join, arguments: vec![Operand::Value(memory)] };
        code.terminate(TerminatorKind::Jump(target));
        code.function.blocks[join.index()].parameters.push(result);
        code.switch_to(join);
    }
}
