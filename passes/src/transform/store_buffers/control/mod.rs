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
//!
//! Where a loop lets any number of stores wait, the oldest to an object may be forgotten when another one to
//! it comes ([`Overflow::Summary`]): that some came before, of some values, is all that the shape knows then,
//! and there are as many shapes as can be written down.
//!
//! | file | holds |
//! | --- | --- |
//! | `flush` | stores that reach memory |
//! | `forget` | what is forgotten of those that wait |
//! | `load` | loads while stores wait |
//! | `entries` | where the parts of waiting stores are kept |

mod entries;
mod flush;
mod forget;
mod load;

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashMap;
use sapa_ir::goto::{
    Block, BlockId, Builder, Entity, Function, FunctionId, Instruction, Location, MemoryModel,
    Module, Op, Operand, Section, SlotId, Target, Terminator, TerminatorKind, ValueId,
};

use super::access::{Access, Overlap};
use super::effect::{ClassId, Effect, Effects};
use super::pause::{Pause, Point, heads};
use super::rules::{OVERFLOW, Overflow, Rules};
use super::sections::Sections;
use super::shape::{Entry, Shape};
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
    let bound = match (rules.overflow, unbounded(&old, effects)) {
        // Where the code sets a bound, nothing has to be forgotten.
        (Overflow::Summary, many) => rules.bound.or(many.map(|_| 1)),
        (Overflow::Assert | Overflow::Wait, Some((block, index, location)))
            if rules.bound.is_none() =>
        {
            let message = "a loop may let any number of stores wait, as it has no fence: give a bound, as in \
                           k=2, or let some be forgotten (overflow=summary)";
            let entity = Entity::Instruction(id, block, index);
            return Err(PassError::at(rules.pass, entity, location, message));
        }
        (Overflow::Assert | Overflow::Wait, _) => rules.bound,
    };
    let sections = rules.sections(module, id)?;
    let heads = heads(&old);
    let mut product = Product {
        module,
        id,
        effects,
        rules,
        bound,
        sections,
        heads,
        new: Function { blocks: Vec::new(), ..old.clone() },
        old: &old,
        blocks: FxHashMap::default(),
        pending: VecDeque::new(),
        versions: Versions::new(),
        entries: FxHashMap::default(),
        constants: if bound.is_some() && rules.overflow == Overflow::Summary {
            forget::constants(&old, effects)
        } else {
            FxHashMap::default()
        },
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
    let drains = |block: BlockId| effects.of[block.index()].iter().any(Effect::drains);
    // The blocks that a thread may go through with a store that waits.
    let mut graph = petgraph::graphmap::DiGraphMap::<usize, ()>::new();
    let mut late: BTreeSet<usize> = BTreeSet::new();
    for (id, block) in function.blocks() {
        let effects = &effects.of[id.index()];
        let last = effects.iter().rposition(Effect::drains).map_or(0, |index| index + 1);
        let begins = |effect: &Effect| matches!(effect, Effect::Store { begins: true, .. });
        let is_late = effects[last..].iter().any(begins);
        block.terminator.kind.for_each_target(|target| {
            if !drains(target.block) {
                if !drains(id) {
                    graph.add_edge(id.index(), target.block.index(), ());
                }
                if is_late {
                    late.insert(target.block.index());
                }
            }
        });
    }
    let mut pending: Vec<usize> = late.iter().copied().collect();
    while let Some(block) = pending.pop() {
        pending.extend(graph.neighbors(block).filter(|&next| late.insert(next)));
    }
    let stores = |block: usize| {
        effects.of[block].iter().position(|effect| matches!(effect, Effect::Store { .. }))
    };
    for component in petgraph::algo::tarjan_scc(&graph) {
        let is_loop = component.len() > 1
            || component.first().is_some_and(|&block| graph.contains_edge(block, block));
        // Of a loop, all blocks can be come to with a store that waits, or none.
        if is_loop
            && component.iter().any(|block| late.contains(block))
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
    /// Most stores that wait, as [`Rules::bound`], in this function.
    bound: Option<usize>,
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
    /// What may be stored where it was forgotten what is, if that is known.
    constants: FxHashMap<ClassId, Vec<Operand>>,
}

/// What there is room for in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// For a store more.
    Enough,
    /// For one in the place of the oldest to the same object, which is forgotten.
    OfAnother,
    /// For none.
    None,
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
            Some(Effect::Store { class, .. }) => self.room(segment, *class) == Room::None,
            _ => false,
        };
        Point {
            effect,
            terminator: &self.old.block(segment.from).terminator.kind,
            sections: &segment.sections,
            is_head: segment.index == 0 && self.heads.contains(&segment.from),
            is_late: segment.is_late,
            waits_for_room: self.rules.overflow == Overflow::Wait && is_full,
        }
        .pause()
    }

    fn overlap(&self, entry: Entry, access: &Access) -> Overlap {
        self.effects.classes.get(entry.class).access.overlap(access)
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
            Effect::Store { class, release, begins }
                if !segment.is_locked() && (*begins || !segment.shape.is_empty()) =>
            {
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
        match self.room(segment, class) {
            Room::Enough => {}
            Room::OfAnother => self.forget(segment, class),
            Room::None => {
                let mut code = builder(&mut self.new, segment);
                let property = OVERFLOW.to_owned();
                code.location.operation = Some(self.rules.overflows);
                code.effect(Op::Assert { condition: Operand::bool(false), property });
                self.terminate(segment, TerminatorKind::Unreachable);
                return false;
            }
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

    /// What there is room for, where a store of a class comes.
    fn room(&self, segment: &Segment, class: ClassId) -> Room {
        let (shape, classes) = (&segment.shape, &self.effects.classes);
        let forgets = |class| {
            self.rules.overflow == Overflow::Summary
                && self.effects.classes.get(class).fixed.is_some()
        };
        let waiting = match (self.rules.model, self.rules.overflow) {
            (MemoryModel::Pso, _) => shape.count(class),
            // Those that can be forgotten take no room from those that cannot.
            (_, Overflow::Summary) if !forgets(class) => shape
                .entries()
                .filter(|(_, entry)| classes.get(entry.class).fixed.is_none())
                .count(),
            _ => shape.len(),
        };
        match self.bound {
            Some(bound) if waiting >= bound => match (forgets(class), shape.count(class)) {
                (true, 0) => Room::Enough,
                (true, _) => Room::OfAnother,
                (false, _) => Room::None,
            },
            _ => Room::Enough,
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
