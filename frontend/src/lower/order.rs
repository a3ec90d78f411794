//! Operands whose order C leaves open (C11 6.5p3): here the left one comes first, and the verdict
//! says so where the other order may have other results.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::{Function, GlobalId, MemoryOrder, Op, Operand, SlotId, ValueId};

use super::body::Body;

const NOTE: &str = "assuming that operands are evaluated from left to right";

/// What an access may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Object {
    Slot(SlotId),
    Global(GlobalId),
    /// Any but local objects whose addresses are not taken.
    Any,
}

#[derive(Clone, Copy, Debug)]
struct Access {
    object: Object,
    writes: bool,
    /// Whether it is ordered with what other threads do: atomic or volatile.
    atomic: bool,
}

/// The accesses to memory of the function that is lowered, in their order.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    log: Vec<Access>,
    /// How many of them make an order matter.
    effects: usize,
    /// The objects that addresses of parts are in.
    parts: FxHashMap<ValueId, Object>,
    /// Local objects that matter if their addresses are taken.
    doubtful: BTreeSet<SlotId>,
    /// Whether the verdict says so already: nothing more is looked for.
    noted: bool,
}

/// A moment in the evaluation of an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    at: usize,
    effects: usize,
}

impl Accesses {
    fn object(&self, address: Operand) -> Object {
        match address {
            Operand::Slot(slot) => Object::Slot(slot),
            Operand::Global(global) => Object::Global(global),
            Operand::Value(value) => self.parts.get(&value).copied().unwrap_or(Object::Any),
            _ => Object::Any,
        }
    }

    fn add(&mut self, object: Object, writes: bool, atomic: bool) {
        self.effects += usize::from(writes || atomic);
        self.log.push(Access { object, writes, atomic });
    }

    /// Notes what an instruction does to memory; the object that its result is an address in.
    pub(super) fn record(&mut self, op: &Op) -> Option<Object> {
        match op {
            Op::FieldAddress { base, .. } | Op::IndexAddress { base, .. } => {
                return Some(self.object(*base)).filter(|object| *object != Object::Any);
            }
            Op::Load { address, order, volatile } => {
                self.add(self.object(*address), false, *volatile || *order != MemoryOrder::Plain);
            }
            Op::Store { address, order, volatile, .. } => {
                self.add(self.object(*address), true, *volatile || *order != MemoryOrder::Plain);
            }
            Op::HavocMemory { address, .. } => self.add(self.object(*address), true, false),
            Op::CopyMemory { destination, source, .. } => {
                self.add(self.object(*source), false, false);
                self.add(self.object(*destination), true, false);
            }
            Op::Call { .. }
            | Op::Spawn { .. }
            | Op::Join { .. }
            | Op::Sync { .. }
            | Op::Free { .. } => self.acts(),
            _ => {}
        }
        None
    }

    /// Remembers the object that an address is in.
    pub(super) fn name(&mut self, address: Operand, object: Option<Object>) {
        if let (Operand::Value(value), Some(object)) = (address, object) {
            self.parts.insert(value, object);
        }
    }

    /// Notes that anything may be accessed, or that the thread may end.
    pub(super) fn acts(&mut self) {
        self.add(Object::Any, true, true);
    }

    /// Notes that an object will be read as a whole: the value of a structure, which is read where
    /// it is needed.
    pub(super) fn reads(&mut self, address: Operand, atomic: bool) {
        self.add(self.object(address), false, atomic);
    }

    /// Whether two accesses have other results in the other order; the local object that it
    /// depends on, if its address must be taken for it.
    fn conflict(a: Access, b: Access) -> Option<Option<SlotId>> {
        let matters = a.writes || b.writes || (a.atomic && b.atomic);
        let certain = matters.then_some(None);
        match (a.object, b.object) {
            _ if !matters => None,
            (Object::Slot(slot), Object::Any) | (Object::Any, Object::Slot(slot)) => {
                Some(Some(slot))
            }
            (Object::Any, _) | (_, Object::Any) => certain,
            (Object::Slot(a), Object::Slot(b)) => certain.filter(|_| a == b),
            (Object::Slot(_), _) | (_, Object::Slot(_)) => None,
            // What others may see, or may have done, between the two.
            _ if a.atomic && (b.atomic || a.writes) || b.atomic && b.writes => certain,
            (a, b) => certain.filter(|_| a == b),
        }
    }
}

impl Body<'_, '_> {
    pub fn moment(&self) -> Moment {
        Moment { at: self.accesses.log.len(), effects: self.accesses.effects }
    }

    /// Two operands were evaluated, one from `start` to `middle` and one since then, in an order
    /// that C leaves open.
    pub fn unordered(&mut self, start: Moment, middle: Moment) {
        let end = self.moment();
        let log = &self.accesses.log;
        // The models mean this order.
        if start.effects == end.effects || self.accesses.noted || self.unit.is_library() {
            return;
        }
        let (Some(first), Some(second)) =
            (log.get(start.at..middle.at), log.get(middle.at..end.at))
        else {
            return;
        };
        let pairs = first.iter().flat_map(|&a| second.iter().map(move |&b| (a, b)));
        let conflicts: BTreeSet<Option<SlotId>> =
            pairs.filter_map(|(a, b)| Accesses::conflict(a, b)).collect();
        if conflicts.contains(&None) {
            self.accesses.noted = true;
            self.unit.note(NOTE);
        }
        self.accesses.doubtful.extend(conflicts.into_iter().flatten());
    }

    /// Says what was doubtful until the whole function was seen.
    pub fn settle_order(&mut self) {
        if !self.accesses.doubtful.is_disjoint(&taken(&self.function)) {
            self.unit.note(NOTE);
        }
    }
}

/// The slots whose addresses, or those of parts of them, are used otherwise than to access them.
fn taken(function: &Function) -> BTreeSet<SlotId> {
    let code = || function.instructions();
    let mut parts: FxHashMap<ValueId, SlotId> = FxHashMap::default();
    let slot = |parts: &FxHashMap<ValueId, SlotId>, operand: Operand| match operand {
        Operand::Slot(slot) => Some(slot),
        Operand::Value(value) => parts.get(&value).copied(),
        _ => None,
    };
    for instruction in code() {
        if let Op::FieldAddress { base, .. } | Op::IndexAddress { base, .. } = instruction.op
            && let (Some(slot), Some(result)) = (slot(&parts, base), instruction.result)
        {
            parts.insert(result, slot);
        }
    }
    let mut taken = BTreeSet::new();
    for instruction in code() {
        match &instruction.op {
            Op::FieldAddress { .. }
            | Op::IndexAddress { .. }
            | Op::Load { .. }
            | Op::HavocMemory { .. }
            | Op::CopyMemory { .. } => {}
            Op::Store { value, .. } => taken.extend(slot(&parts, *value)),
            op => op.for_each_operand(|operand| taken.extend(slot(&parts, operand))),
        }
    }
    for block in &function.blocks {
        block.terminator.kind.for_each_operand(|operand| taken.extend(slot(&parts, operand)));
    }
    taken
}
