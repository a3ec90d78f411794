//! Where the pointers of a function come from.

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{
    Field, Function, Instruction, Module, Op, Operand, SlotId, StructType, TerminatorKind, Type,
    ValueId,
};

/// Whether a field is an array that stands for one of any length: the last of a structure, of one element or none.
pub(in super::super) fn is_flexible(structure: &StructType, field: &Field) -> bool {
    let is_last = structure.fields.last().is_some_and(|last| std::ptr::eq(last, field));
    is_last && matches!(field.ty, Type::Array(_, 0 | 1))
}

/// Whether members of a structure lie over one another.
pub(in super::super) fn is_union(structure: &StructType) -> bool {
    structure.fields.len() > 1 && structure.fields.iter().all(|field| field.offset == 0)
}

/// What has an extent beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Carrier {
    /// A local variable.
    Slot(SlotId),
    /// A parameter of a block, a choice between two pointers, or what a call returns.
    Value(ValueId),
}

/// Where a pointer came from.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// From an array that the code names there.
    Array { start: Operand, size: u64 },
    /// From what may carry an extent; the value is what was read of it.
    Carrier { carrier: Carrier, value: ValueId },
}

/// How a pointer comes to be what it is.
pub(super) struct Way {
    pub(super) origin: Origin,
    /// What it was where it may have gone back beyond the first element, itself included.
    pub(super) back: Vec<Operand>,
}

/// How much belongs to an array that is a member: in a union other members may be meant, which begin where it does.
fn array_size(module: &Module, structure: &StructType, field: &Field) -> u64 {
    if is_union(structure) { structure.size } else { field.ty.size(module) }
}

/// How large an array is at least whose elements are counted so. A pointer to the whole array is moved by its size, and one to its
/// elements by less.
fn needed(module: &Module, element: &Type, index: Operand) -> u64 {
    let more = u64::from(!matches!(index, Operand::Int { value: 0, .. }));
    element.size(module).saturating_add(more)
}

/// The operations of a function that pointers come from, as they are before anything is added.
pub(super) struct Code {
    definitions: FxHashMap<ValueId, Op>,
    /// Variables with pointers in them that nobody has the address of.
    pub(super) slots: FxHashSet<SlotId>,
    /// Pointers that are parameters of blocks.
    parameters: FxHashSet<ValueId>,
    /// How large an array has to be for what the code takes pointers of a carrier for.
    pub(super) needs: FxHashMap<Carrier, u64>,
}

impl Code {
    pub(super) fn new(module: &Module, function: &Function) -> Self {
        let definitions =
            function.instructions().filter_map(|i| Some((i.result?, i.op.clone()))).collect();
        let mut others: FxHashSet<Operand> = FxHashSet::default();
        for block in &function.blocks {
            for instruction in &block.instructions {
                match &instruction.op {
                    // What a variable holds before it is written leads to no array, and takes none away.
                    Op::Load { address: Operand::Slot(_), .. }
                    | Op::HavocMemory { address: Operand::Slot(_), .. } => {}
                    Op::Store { address: Operand::Slot(_), value, ty: Type::Pointer, .. } => {
                        others.insert(*value);
                    }
                    op => op.for_each_operand(|operand| {
                        others.insert(operand);
                    }),
                }
            }
            block.terminator.kind.for_each_operand(|operand| {
                others.insert(operand);
            });
        }
        let slots = (0..function.slots.len()).map(SlotId::new);
        let slots = slots.filter(|&id| {
            function.slots[id.index()].ty == Type::Pointer && !others.contains(&Operand::Slot(id))
        });
        let parameters = function.blocks.iter().flat_map(|block| block.parameters.iter().copied());
        let parameters =
            parameters.filter(|value| function.values[value.index()].ty == Type::Pointer);
        let mut code = Self {
            definitions,
            slots: slots.collect(),
            parameters: parameters.collect(),
            needs: FxHashMap::default(),
        };
        for instruction in function.instructions() {
            code.note_needs(module, function, instruction);
        }
        code
    }

    /// Takes down what an instruction takes pointers for.
    fn note_needs(&mut self, module: &Module, function: &Function, instruction: &Instruction) {
        let mut need = |at: Operand, size: u64| {
            if let Some(Way { origin: Origin::Carrier { carrier, .. }, .. }) = self.way(module, at)
            {
                let need = self.needs.entry(carrier).or_default();
                *need = size.max(*need);
            }
        };
        match &instruction.op {
            Op::Load { address, .. } => {
                let ty = instruction.result.map(|value| &function.values[value.index()].ty);
                need(*address, ty.map_or(0, |ty| ty.size(module)));
            }
            Op::Store { address, ty, .. } | Op::HavocMemory { address, ty } => {
                need(*address, ty.size(module));
            }
            Op::CopyMemory { destination, source, ty } => {
                need(*destination, ty.size(module));
                need(*source, ty.size(module));
            }
            Op::FieldAddress { base, structure, .. } => {
                need(*base, Type::Struct(*structure).size(module));
            }
            Op::IndexAddress { base, element, index } => {
                need(*base, needed(module, element, *index));
            }
            _ => {}
        }
    }

    pub(super) fn need(&self, carrier: Carrier) -> u64 {
        self.needs.get(&carrier).copied().unwrap_or_default()
    }

    /// Whether moving by an index may be going back.
    fn is_back(module: &Module, index: Operand) -> bool {
        let bits = module.target.pointer_bits;
        !matches!(index, Operand::Int { value, .. } if value >> (bits - 1) == 0)
    }

    /// The size of the row at an address, whose elements are of a type. The first row is none: its address is that
    /// of the whole array, and is what programs walk through all rows from.
    fn row(&self, module: &Module, mut at: Operand, element: &Type) -> Option<u64> {
        loop {
            match self.definitions.get(&at.value()?)? {
                Op::Copy { a } => at = *a,
                Op::IndexAddress { index: Operand::Int { value: 0, .. }, .. } => return None,
                Op::IndexAddress { element: row @ Type::Array(inner, _), .. }
                    if **inner == *element =>
                {
                    return Some(row.size(module));
                }
                _ => return None,
            }
        }
    }

    /// Where a pointer came from, if it may have an extent.
    pub(super) fn way(&self, module: &Module, mut at: Operand) -> Option<Way> {
        let mut back = Vec::new();
        // What it is taken for on the way.
        let mut need = 0;
        loop {
            let value = at.value()?;
            if self.parameters.contains(&value) {
                let origin = Origin::Carrier { carrier: Carrier::Value(value), value };
                return Some(Way { origin, back });
            }
            let origin = match self.definitions.get(&value)? {
                Op::Copy { a } => {
                    at = *a;
                    continue;
                }
                Op::IndexAddress { base, element, index } => {
                    if Self::is_back(module, *index) {
                        back.push(at);
                    }
                    need = need.max(needed(module, element, *index));
                    match self.row(module, *base, element) {
                        Some(size) => Origin::Array { start: *base, size },
                        None => {
                            at = *base;
                            continue;
                        }
                    }
                }
                Op::FieldAddress { base, structure, field } => {
                    let structure = module.structs.get(structure.index())?;
                    let field = structure.fields.get(field.index())?;
                    if is_flexible(structure, field) {
                        return None;
                    }
                    // A member of an element is within the array that the element is of.
                    if !matches!(field.ty, Type::Array(..)) {
                        need = need.max(structure.size);
                        at = *base;
                        continue;
                    }
                    Origin::Array { start: at, size: array_size(module, structure, field) }
                }
                Op::Load { address: Operand::Slot(slot), .. } if self.slots.contains(slot) => {
                    Origin::Carrier { carrier: Carrier::Slot(*slot), value }
                }
                Op::Select { .. } | Op::Call { .. } => {
                    Origin::Carrier { carrier: Carrier::Value(value), value }
                }
                _ => return None,
            };
            let is_smaller = matches!(origin, Origin::Array { size, .. } if size < need);
            return (!is_smaller).then_some(Way { origin, back });
        }
    }

    /// How far behind another address one is that was computed from it by constants, none of them negative.
    pub(super) fn distance(&self, module: &Module, from: Operand, mut to: Operand) -> Option<u64> {
        let mut distance = 0_u64;
        while to != from {
            let step = match self.definitions.get(&to.value()?)? {
                Op::Copy { a } => {
                    to = *a;
                    0
                }
                Op::IndexAddress { base, element, index: Operand::Int { value, .. } } => {
                    to = *base;
                    u64::try_from(*value).ok()?.checked_mul(element.size(module))?
                }
                Op::FieldAddress { base, structure, field } => {
                    to = *base;
                    let structure = module.structs.get(structure.index())?;
                    structure.fields.get(field.index())?.offset
                }
                _ => return None,
            };
            distance = distance.checked_add(step)?;
        }
        Some(distance)
    }

    /// What an address is a copy of.
    pub(super) fn source(&self, mut at: Operand) -> Operand {
        while let Some(Op::Copy { a }) = at.value().and_then(|value| self.definitions.get(&value)) {
            at = *a;
        }
        at
    }

    /// What the function returns, if all that is not null has an array that callers know.
    pub(super) fn returned(
        &self,
        module: &Module,
        function: &Function,
        returned: &[Option<Returned>],
    ) -> Option<Returned> {
        let cfg = Cfg::new(function);
        let mut incoming: FxHashMap<Carrier, Vec<Operand>> = FxHashMap::default();
        // Pointers, and whether they are moved on the way to the return.
        let mut waiting = Vec::new();
        for (id, block) in function.blocks().filter(|&(id, _)| cfg.is_reachable(id)) {
            for instruction in &block.instructions {
                if let Op::Store { address: Operand::Slot(slot), value, .. } = &instruction.op {
                    incoming.entry(Carrier::Slot(*slot)).or_default().push(*value);
                }
            }
            block.terminator.kind.for_each_target(|target| {
                let parameters = &function.block(target.block).parameters;
                for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
                    incoming.entry(Carrier::Value(parameter)).or_default().push(argument);
                }
            });
            if let TerminatorKind::Return(Some(value)) = function.block(id).terminator.kind {
                waiting.push((value, false));
            }
        }
        let own = function.blocks.first().map_or(&[][..], |entry| &entry.parameters);
        let mut seen: FxHashSet<(Operand, bool)> = FxHashSet::default();
        let mut found: Option<Returned> = None;
        let mut goes_back = false;
        while let Some((at, is_moved)) = waiting.pop() {
            if at == Operand::Null || !seen.insert((at, is_moved)) {
                continue;
            }
            let value = at.value()?;
            let mut join = |one: Returned| {
                found = Some(found.map_or(Some(one), |found| found.join(one))?);
                Some(())
            };
            if let Some(parameter) = own.iter().position(|&parameter| parameter == value) {
                join(Returned::Argument { parameter, goes_back: false })?;
                continue;
            }
            let mut follow = |values: &[Operand]| {
                waiting.extend(values.iter().map(|&value| (value, is_moved)));
            };
            if self.parameters.contains(&value) {
                follow(incoming.get(&Carrier::Value(value))?);
                continue;
            }
            match self.definitions.get(&value)? {
                Op::Copy { a } => follow(&[*a]),
                Op::IndexAddress { base, index, .. } => {
                    goes_back |= Self::is_back(module, *index);
                    let stays = matches!(index, Operand::Int { value: 0, .. });
                    waiting.push((*base, is_moved || !stays));
                }
                Op::FieldAddress { structure, field, .. } if !is_moved => {
                    let structure = module.structs.get(structure.index())?;
                    let field = structure.fields.get(field.index())?;
                    if is_flexible(structure, field) || !matches!(field.ty, Type::Array(..)) {
                        return None;
                    }
                    join(Returned::Start { size: array_size(module, structure, field) })?;
                }
                Op::Select { a, b, .. } => follow(&[*a, *b]),
                Op::Load { address: Operand::Slot(slot), .. } if self.slots.contains(slot) => {
                    follow(incoming.get(&Carrier::Slot(*slot))?);
                }
                Op::Call { callee: Operand::Function(callee), arguments } => {
                    match (*returned.get(callee.index())?)? {
                        Returned::Argument { parameter, goes_back: also_back } => {
                            goes_back |= also_back;
                            follow(&[*arguments.get(parameter)?]);
                        }
                        start @ Returned::Start { .. } if !is_moved => join(start)?,
                        Returned::Start { .. } => return None,
                    }
                }
                _ => return None,
            }
        }
        match &mut found {
            Some(Returned::Argument { goes_back: found, .. }) => *found = goes_back,
            Some(Returned::Start { .. }) | None => {}
        }
        found
    }
}

/// The array that a function's result points into, if it is not null.
#[derive(Clone, Copy)]
pub(super) enum Returned {
    /// That which one of the arguments points into.
    Argument {
        parameter: usize,
        /// Whether the result may have gone back from there.
        goes_back: bool,
    },
    /// One of such a size at most, which begins where the result points to.
    Start { size: u64 },
}

impl Returned {
    /// What holds of results of both kinds.
    fn join(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Argument { parameter: a, .. }, Self::Argument { parameter: b, .. })
                if a == b =>
            {
                Some(self)
            }
            (Self::Start { size: a }, Self::Start { size: b }) => {
                Some(Self::Start { size: a.max(b) })
            }
            _ => None,
        }
    }
}
