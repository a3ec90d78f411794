//! What a load of the entry reads, where one store is known to have written it.
//!
//! Places are those of the points-to analysis: an object and an offset in it. So a handle is found
//! again in an element of an array of any size, in a member of a structure, and on the heap.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{
    BlockId, FunctionId, GlobalId, Initializer, Instruction, Module, Op, Operand, TerminatorKind,
    bytes,
};
use sapa_limits::Exceeded;

use crate::analysis::Analyses;
use crate::analysis::once::ExecutedOnce;
use crate::analysis::points_to::{Object, Offsets, Place, PointsTo};

/// Largest global whose initial contents are looked at, in bytes.
const MAX_INITIAL: u64 = 1 << 20;

/// What a load reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// What this store has written: it was executed before.
    Stored(Operand),
    /// That, or 0 if the store was not executed yet.
    StoredOrZero(Operand),
}

/// Something that writes to an object.
#[derive(Clone, Copy)]
struct Writer {
    function: FunctionId,
    at: (BlockId, usize),
    offsets: Offsets,
    size: u64,
    /// What is stored there, if it is one value that is as large.
    stored: Option<Operand>,
    /// Whether it writes there whenever it is executed, and not perhaps elsewhere.
    certain: bool,
}

/// Who writes what in a module.
pub(super) struct Memory<'m> {
    module: &'m Module,
    entry: FunctionId,
    points_to: Rc<PointsTo>,
    cfg: Cfg,
    dominators: Dominators,
    once: Rc<ExecutedOnce>,
    writers: FxHashMap<Object, Vec<Writer>>,
    /// Those that may write to any object whose address is known to more than loads and stores.
    anywhere: Vec<Writer>,
    exposed: FxHashSet<Object>,
}

impl<'m> Memory<'m> {
    /// Looks at all that is written in a module whose entry is executed once.
    ///
    /// # Errors
    /// If a limit ends the points-to analysis.
    pub(super) fn new(
        module: &'m Module,
        entry: FunctionId,
        analyses: &mut Analyses,
    ) -> Result<Self, Exceeded> {
        let cfg = Cfg::new(module.function(entry));
        let mut memory = Self {
            module,
            entry,
            points_to: analyses.get(module)?,
            dominators: Dominators::new(&cfg),
            cfg,
            once: analyses.get(module)?,
            writers: FxHashMap::default(),
            anywhere: Vec::new(),
            exposed: FxHashSet::default(),
        };
        for (id, function) in module.functions() {
            for (block, content) in function.blocks() {
                for (index, instruction) in content.instructions.iter().enumerate() {
                    memory.instruction(id, (block, index), instruction);
                }
                if let TerminatorKind::Return(Some(value))
                | TerminatorKind::EndThread(Some(value)) = content.terminator.kind
                {
                    memory.expose(id, value);
                }
            }
        }
        for global in &module.globals {
            memory.initializer(&global.initializer);
        }
        Ok(memory)
    }

    fn expose(&mut self, id: FunctionId, value: Operand) {
        self.exposed.extend(self.points_to.targets(id, value));
    }

    /// The addresses that are in a global from the beginning.
    fn initializer(&mut self, initializer: &Initializer) {
        match initializer {
            Initializer::Global(global, _) => {
                self.exposed.insert(Object::Global(*global));
            }
            Initializer::Aggregate(items) => items.iter().for_each(|item| self.initializer(item)),
            _ => {}
        }
    }

    fn instruction(&mut self, id: FunctionId, at: (BlockId, usize), instruction: &Instruction) {
        let module = self.module;
        match &instruction.op {
            Op::Store { address, value, ty, .. } => {
                self.write(id, at, *address, ty.size(module), Some(*value));
                self.expose(id, *value);
            }
            Op::CopyMemory { destination, ty, .. } => {
                self.write(id, at, *destination, ty.size(module), None);
            }
            Op::HavocMemory { address, ty } => {
                self.write(id, at, *address, ty.size(module), None);
            }
            // Who is told of an address may write anywhere in the object.
            Op::Call { arguments, .. } | Op::Sync { arguments, .. } => {
                for &argument in arguments {
                    self.expose(id, argument);
                    for object in self.points_to.targets(id, argument) {
                        let (offsets, stored) = (Offsets::ALL, None);
                        let writer =
                            Writer { function: id, at, offsets, size: 1, stored, certain: false };
                        self.writer(object, writer);
                    }
                }
            }
            Op::Spawn { arguments, .. } => {
                arguments.iter().for_each(|&argument| self.expose(id, argument));
            }
            _ => {}
        }
    }

    fn write(
        &mut self,
        id: FunctionId,
        at: (BlockId, usize),
        address: Operand,
        size: u64,
        stored: Option<Operand>,
    ) {
        let places = self.points_to.places(id, address);
        let certain = places.len() == 1;
        for Place { object, offsets } in places {
            self.writer(object, Writer { function: id, at, offsets, size, stored, certain });
        }
    }

    fn writer(&mut self, object: Object, writer: Writer) {
        if object.is_any() {
            self.anywhere.push(Writer { offsets: Offsets::ALL, ..writer });
        } else {
            self.writers.entry(object).or_default().push(writer);
        }
    }

    /// Whether there is just one object of this name in a run.
    fn is_single(&self, object: Object) -> bool {
        match object {
            Object::Global(id) => {
                self.module.globals.get(id.index()).is_some_and(|g| !g.thread_local)
            }
            Object::Slot(function, _) => function == self.entry,
            Object::Allocation(function, block, _) => self.once.contains_block(function, block),
            _ => false,
        }
    }

    /// What a load of `size` bytes at a place of the entry reads from an address; `None` if
    /// that is not known.
    pub(super) fn read(&self, at: (BlockId, usize), address: Operand, size: u64) -> Option<Read> {
        let places = self.points_to.places(self.entry, address);
        let mut places = places.into_iter();
        let (Some(place), None) = (places.next(), places.next()) else { return None };
        if place.offsets.single().is_none() || !self.is_single(place.object) {
            return None;
        }
        let overlaps = |w: &&Writer| w.offsets.may_overlap(w.size, place.offsets, size);
        let own = self.writers.get(&place.object).into_iter().flatten().filter(overlaps);
        let is_exposed = self.exposed.contains(&place.object);
        let any = self.anywhere.iter().filter(|_| is_exposed);
        let writers: Vec<&Writer> = own.chain(any).collect();
        let just_this =
            |w: &&&Writer| w.function == self.entry && w.offsets == place.offsets && w.size == size;
        let straight = |block: BlockId| self.once.contains_block(self.entry, block);
        for last in writers.iter().filter(just_this) {
            if let Some(stored) = last.stored
                && last.certain
                && straight(last.at.0)
                && straight(at.0)
                && self.dominates(last.at, at)
                && self.is_last(last, at, &writers)
            {
                return Some(Read::Stored(stored));
            }
        }
        let [only] = writers.as_slice() else { return None };
        let stored = only.stored.filter(|_| just_this(&only))?;
        self.starts_with_zero(place, size).then_some(Read::StoredOrZero(stored))
    }

    /// The size of a handle in bytes.
    pub(super) fn handle_size(&self) -> u64 {
        u64::from(self.module.target.pointer_bits / 8)
    }

    fn dominates(&self, a: (BlockId, usize), b: (BlockId, usize)) -> bool {
        if a.0 == b.0 { a.1 < b.1 } else { self.dominators.dominates(a.0, b.0) }
    }

    /// Whether nobody else writes between a store of the entry and what is `at` a place behind it,
    /// both of which are executed at most once.
    fn is_last(&self, last: &Writer, at: (BlockId, usize), writers: &[&Writer]) -> bool {
        let after = reachable(last.at.0, |block| self.cfg.successors(block));
        let before = reachable(at.0, |block| self.cfg.predecessors(block));
        writers.iter().all(|other| {
            if other.function != self.entry {
                return false;
            }
            let is_after =
                after.contains(&other.at.0) || (other.at.0 == last.at.0 && other.at.1 > last.at.1);
            let is_before =
                before.contains(&other.at.0) || (other.at.0 == at.0 && other.at.1 < at.1);
            !(is_after && is_before)
        })
    }

    /// Whether a place holds 0 until somebody writes to it.
    fn starts_with_zero(&self, place: Place, size: u64) -> bool {
        let Object::Global(id) = place.object else { return false };
        self.initial(id, place.offsets, size) == Some(0)
    }

    fn initial(&self, id: GlobalId, offsets: Offsets, size: u64) -> Option<u128> {
        let global = self.module.globals.get(id.index())?;
        let whole = global.ty.size(self.module);
        if matches!(global.initializer, Initializer::Zero) {
            return Some(0);
        }
        if whole > MAX_INITIAL {
            return None;
        }
        let mut contents = vec![None; usize::try_from(whole).ok()?];
        bytes::initialize(self.module, &global.ty, &global.initializer, &mut contents);
        let start = usize::try_from(offsets.single()?).ok()?;
        let end = start.checked_add(usize::try_from(size).ok()?)?;
        bytes::get(contents.get(start..end)?, self.module.target.endianness)
    }
}

/// The blocks that steps lead to from a block; itself only if it is on a cycle.
fn reachable<'c>(from: BlockId, steps: impl Fn(BlockId) -> &'c [BlockId]) -> FxHashSet<BlockId> {
    let mut found = FxHashSet::default();
    let mut pending = vec![from];
    while let Some(block) = pending.pop() {
        pending.extend(steps(block).iter().copied().filter(|&next| found.insert(next)));
    }
    found
}
