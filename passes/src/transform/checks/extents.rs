//! Which array a pointer is to: what `check-bounds` asks of pointers that came from arrays within objects.
//!
//! A pointer to elements of an array that is a member, or a row, may come only to those, though the object goes on behind
//! them (C11 6.5.6p8). So who points there carries the array's *extent*: where it starts, and its size. Extents are values
//! beside pointers, as in SoftBound (Nagarakatte et al., PLDI 2009): variables that hold pointers and that no one else
//! has the address of get two more variables, and parameters of blocks and functions two more parameters. They are
//! put where an extent may come to, and nowhere else. A size of 0 stands for a pointer of which no array is known:
//! what was read from memory or computed from numbers, what a thread is given, and where the
//! function is called through a pointer. Of those only the object counts. Extents are marked as records are (`record.rs`), so that no trace
//! shows them, and the addresses that are compared with them are no numbers that the program computes with.
//!
//! What C programs do with pointers that are no longer ones to elements is left alone:
//! - Whoever goes back beyond the first element is on the way to the object around it (`container_of`).
//! - Where the code takes the pointer for one to something larger than the array, it is that: the structure that begins with it.
//! - The extent of an array in a union is the union, of which other members may be meant.
//! - A pointer to the first row is one to the whole array.
//! - An array of one element or none at the end of a structure stands for one of any length.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    BinaryOp, BlockId, Builder, CastOp, CompareOp, Field, Function, FunctionId, Instruction,
    Location, MemoryOrder, Module, NameId, Op, Operand, Slot, SlotId, StructType, TerminatorKind,
    Type, ValueId, operation,
};
use sapa_limits::Limits;

use super::record::apart;
use crate::analysis::call_graph::{CallGraph, Use};
use crate::error::PassError;

/// Whether a field is an array that stands for one of any length: the last of a structure, of one element or none.
pub(super) fn is_flexible(structure: &StructType, field: &Field) -> bool {
    let is_last = structure.fields.last().is_some_and(|last| std::ptr::eq(last, field));
    is_last && matches!(field.ty, Type::Array(_, 0 | 1))
}

/// Whether members of a structure lie over one another.
fn is_union(structure: &StructType) -> bool {
    structure.fields.len() > 1 && structure.fields.iter().all(|field| field.offset == 0)
}

/// What has an extent beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Carrier {
    /// A local variable.
    Slot(SlotId),
    /// A parameter of a block, a choice between two pointers, or what a call returns.
    Value(ValueId),
}

/// Where a pointer came from.
#[derive(Clone, Copy)]
enum Origin {
    /// From an array that the code names there.
    Array { start: Operand, size: u64 },
    /// From what may carry an extent; the value is what was read of it.
    Carrier { carrier: Carrier, value: ValueId },
}

/// How a pointer comes to be what it is.
#[derive(Clone, Copy)]
struct Way {
    origin: Origin,
    /// Whether it may have gone back.
    goes_back: bool,
}

/// How large an array is at least whose elements are counted so. A pointer to the whole array is moved by its size, and one to its
/// elements by less.
fn needed(module: &Module, element: &Type, index: Operand) -> u64 {
    let more = u64::from(!matches!(index, Operand::Int { value: 0, .. }));
    element.size(module).saturating_add(more)
}

/// The operations of a function that pointers come from, as they are before anything is added.
struct Code {
    definitions: FxHashMap<ValueId, Op>,
    /// Variables with pointers in them that nobody has the address of.
    slots: FxHashSet<SlotId>,
    /// Pointers that are parameters of blocks.
    parameters: FxHashSet<ValueId>,
    /// How large an array has to be for what the code takes pointers of a carrier for.
    needs: FxHashMap<Carrier, u64>,
}

impl Code {
    fn new(module: &Module, function: &Function) -> Self {
        let definitions =
            function.instructions().filter_map(|i| Some((i.result?, i.op.clone()))).collect();
        let mut others: FxHashSet<Operand> = FxHashSet::default();
        for block in &function.blocks {
            for instruction in &block.instructions {
                match &instruction.op {
                    Op::Load { address: Operand::Slot(_), .. } => {}
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

    fn need(&self, carrier: Carrier) -> u64 {
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
    fn way(&self, module: &Module, mut at: Operand) -> Option<Way> {
        let mut goes_back = false;
        // What it is taken for on the way.
        let mut need = 0;
        loop {
            let value = at.value()?;
            if self.parameters.contains(&value) {
                let origin = Origin::Carrier { carrier: Carrier::Value(value), value };
                return Some(Way { origin, goes_back });
            }
            let origin = match self.definitions.get(&value)? {
                Op::Copy { a } => {
                    at = *a;
                    continue;
                }
                Op::IndexAddress { base, element, index } => {
                    goes_back |= Self::is_back(module, *index);
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
                    if is_union(structure) {
                        Origin::Array { start: *base, size: structure.size }
                    } else {
                        Origin::Array { start: at, size: field.ty.size(module) }
                    }
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
            return (!is_smaller).then_some(Way { origin, goes_back });
        }
    }

    /// What the function returns, if that is null or points into the array of one parameter.
    fn returned(
        &self,
        module: &Module,
        function: &Function,
        returned: &[Option<Returned>],
    ) -> Option<Returned> {
        let mut incoming: FxHashMap<Carrier, Vec<Operand>> = FxHashMap::default();
        let mut waiting = Vec::new();
        for block in &function.blocks {
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
            if let TerminatorKind::Return(Some(value)) = block.terminator.kind {
                waiting.push(value);
            }
        }
        let own = function.blocks.first().map_or(&[][..], |entry| &entry.parameters);
        let mut seen: FxHashSet<Operand> = FxHashSet::default();
        let mut found = None;
        let mut goes_back = false;
        while let Some(at) = waiting.pop() {
            if at == Operand::Null || !seen.insert(at) {
                continue;
            }
            let value = at.value()?;
            if let Some(index) = own.iter().position(|&parameter| parameter == value) {
                if found.is_some_and(|found| found != index) {
                    return None;
                }
                found = Some(index);
                continue;
            }
            if self.parameters.contains(&value) {
                waiting.extend(incoming.get(&Carrier::Value(value))?);
                continue;
            }
            match self.definitions.get(&value)? {
                Op::Copy { a } => waiting.push(*a),
                Op::IndexAddress { base, index, .. } => {
                    goes_back |= Self::is_back(module, *index);
                    waiting.push(*base);
                }
                Op::Select { a, b, .. } => waiting.extend([*a, *b]),
                Op::Load { address: Operand::Slot(slot), .. } if self.slots.contains(slot) => {
                    waiting.extend(incoming.get(&Carrier::Slot(*slot))?);
                }
                Op::Call { callee: Operand::Function(callee), arguments } => {
                    let known = (*returned.get(callee.index())?)?;
                    goes_back |= known.goes_back;
                    waiting.push(*arguments.get(known.parameter)?);
                }
                _ => return None,
            }
        }
        found.map(|parameter| Returned { parameter, goes_back })
    }
}

/// What a function returns: a pointer into the array that one of its parameters points into, or null.
#[derive(Clone, Copy)]
struct Returned {
    parameter: usize,
    /// Whether it may have gone back.
    goes_back: bool,
}

/// The carriers of a module that an extent may come to, with the size of the smallest that does.
type Carriers = BTreeMap<(FunctionId, Carrier), u64>;

/// A pointer that comes to a carrier.
struct Flow {
    pointer: Operand,
    from: FunctionId,
    to: (FunctionId, Carrier),
}

/// The extents of a function's pointers.
pub(super) struct Extents {
    code: Code,
    /// What marks that an instruction is about extents, if there are any.
    operation: Option<NameId>,
    /// Start and size of the array, for what pointers of carriers are read as, and the least size but 0.
    beside: FxHashMap<ValueId, (Operand, Operand, u64)>,
}

/// Puts extents beside the pointers of a module that may be to an array within an object; those of each function, and whether
/// there are any.
pub(super) fn put(
    module: &mut Module,
    graph: &CallGraph,
    limits: &Limits,
) -> Result<(Vec<Extents>, bool), PassError> {
    let codes: Vec<Code> = module.functions.iter().map(|f| Code::new(module, f)).collect();
    let returned = returned(module, &codes);
    let is_told = told(module, graph);
    let mut flows = Vec::new();
    for (id, function) in module.functions() {
        limits.check()?;
        flows_of(id, function, &codes[id.index()], &returned, module, &is_told, &mut flows);
    }
    let carriers = carriers(module, &codes, &flows, limits)?;
    let needs: Vec<_> = codes.iter().map(|code| code.needs.clone()).collect();
    let has_any = !carriers.is_empty();
    let operation = has_any.then(|| module.intern_name(operation::RECORD));
    let mut all = Vec::new();
    for (index, code) in codes.into_iter().enumerate() {
        limits.check()?;
        let mut function = std::mem::take(&mut module.functions[index]);
        let id = FunctionId::new(index);
        let mut placing = Placing {
            module,
            id,
            carriers: &carriers,
            returned: &returned,
            needs: &needs,
            slots: FxHashMap::default(),
            extents: Extents { code, operation, beside: FxHashMap::default() },
        };
        if has_any {
            placing.place(&mut function, &is_told);
        }
        all.push(placing.extents);
        module.functions[index] = function;
    }
    Ok((all, has_any))
}

/// Which parameter's array functions return pointers into.
fn returned(module: &Module, codes: &[Code]) -> Vec<Option<Returned>> {
    let mut returned = vec![None; codes.len()];
    loop {
        let mut changed = false;
        for (id, function) in module.functions() {
            let index = id.index();
            if returned[index].is_none() && function.result == Some(Type::Pointer) {
                returned[index] = codes[index].returned(module, function, &returned);
                changed |= returned[index].is_some();
            }
        }
        if !changed {
            return returned;
        }
    }
}

/// The functions that are told extents: all their calls are known.
fn told(module: &Module, graph: &CallGraph) -> Vec<bool> {
    let mut is_told: Vec<bool> = module
        .functions()
        .map(|(id, function)| {
            let is_called = Some(id) != module.entry && !graph.address_taken().contains(&id);
            is_called && function.is_defined()
        })
        .collect();
    for (id, _) in module.functions() {
        for site in graph.sites(id).iter().filter(|site| site.kind == Use::Spawn) {
            if let Some(started) = site.callee.and_then(|id| is_told.get_mut(id.index())) {
                *started = false;
            }
        }
    }
    is_told
}

/// Adds which pointers of a function come to which carriers.
fn flows_of(
    from: FunctionId,
    function: &Function,
    code: &Code,
    returned: &[Option<Returned>],
    module: &Module,
    is_told: &[bool],
    flows: &mut Vec<Flow>,
) {
    let mut add = |pointer, to| flows.push(Flow { pointer, from, to });
    for block in &function.blocks {
        for instruction in &block.instructions {
            let result = instruction.result.map(|result| (from, Carrier::Value(result)));
            match (&instruction.op, result) {
                (Op::Store { address: Operand::Slot(slot), value, .. }, _)
                    if code.slots.contains(slot) =>
                {
                    add(*value, (from, Carrier::Slot(*slot)));
                }
                (Op::Select { a, b, .. }, Some(result)) => {
                    add(*a, result);
                    add(*b, result);
                }
                (Op::Call { callee: Operand::Function(callee), arguments }, result) => {
                    if is_told[callee.index()]
                        && let Some(entry) = module.function(*callee).blocks.first()
                    {
                        for (&parameter, &argument) in entry.parameters.iter().zip(arguments) {
                            add(argument, (*callee, Carrier::Value(parameter)));
                        }
                    }
                    if let (Some(known), Some(result)) = (returned[callee.index()], result)
                        && let Some(argument) = arguments.get(known.parameter)
                    {
                        add(*argument, result);
                    }
                }
                _ => {}
            }
        }
        block.terminator.kind.for_each_target(|target| {
            let parameters = &function.block(target.block).parameters;
            for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
                add(argument, (from, Carrier::Value(parameter)));
            }
        });
    }
}

/// The carriers that an extent may come to.
fn carriers(
    module: &Module,
    codes: &[Code],
    flows: &[Flow],
    limits: &Limits,
) -> Result<Carriers, PassError> {
    let origins: Vec<(Origin, &Flow)> = flows
        .iter()
        .filter_map(|flow| Some((codes[flow.from.index()].way(module, flow.pointer)?.origin, flow)))
        .collect();
    let mut found = Carriers::new();
    loop {
        limits.check()?;
        let mut changed = false;
        for (origin, flow) in &origins {
            let need = codes[flow.to.0.index()].need(flow.to.1);
            let size = match *origin {
                Origin::Array { size, .. } if size >= need && size > 0 => size,
                Origin::Array { .. } => continue,
                Origin::Carrier { carrier, .. } => match found.get(&(flow.from, carrier)) {
                    Some(&size) => size,
                    None => continue,
                },
            };
            let least = found.entry(flow.to).or_insert(u64::MAX);
            changed |= size < *least;
            *least = size.min(*least);
        }
        if !changed {
            return Ok(found);
        }
    }
}

/// Puts the extents of one function into it.
struct Placing<'p> {
    /// Without the function.
    module: &'p Module,
    id: FunctionId,
    carriers: &'p Carriers,
    returned: &'p [Option<Returned>],
    /// What every function takes its carriers' pointers for.
    needs: &'p [FxHashMap<Carrier, u64>],
    /// The variables beside a variable, for start and size.
    slots: FxHashMap<SlotId, (SlotId, SlotId)>,
    extents: Extents,
}

impl Placing<'_> {
    fn size_type(&self) -> Type {
        Type::Int(self.module.target.pointer_bits)
    }

    fn unknown(&self) -> (Operand, Operand) {
        (Operand::Null, Operand::int(self.module.target.pointer_bits, 0))
    }

    /// Whether an extent may come to a carrier of the function.
    fn least(&self, carrier: Carrier) -> Option<u64> {
        self.carriers.get(&(self.id, carrier)).copied()
    }

    /// The parameters of a block that an extent may come to.
    fn carried(&self, of: FunctionId, parameters: &[ValueId]) -> Vec<(usize, ValueId)> {
        let is_one = |value| self.carriers.contains_key(&(of, Carrier::Value(value)));
        parameters.iter().copied().enumerate().filter(|&(_, value)| is_one(value)).collect()
    }

    fn place(&mut self, function: &mut Function, is_told: &[bool]) {
        let mut parameters = Vec::new();
        for index in 0..function.blocks.len() {
            let carried = self.carried(self.id, &function.blocks[index].parameters);
            for &(_, value) in &carried {
                let (start, size) = self.new_values(function, Carrier::Value(value), value);
                function.blocks[index].parameters.extend([start, size]);
                if index == Function::ENTRY.index() {
                    function.parameters.extend([Type::Pointer, self.size_type()]);
                }
            }
            parameters.push(carried);
        }
        for slot in (0..function.slots.len()).map(SlotId::new) {
            if self.least(Carrier::Slot(slot)).is_some() {
                let name = function.slots[slot.index()].name.clone();
                let mut add = |what: &str, ty| {
                    let name = format!("{name}#{what}");
                    function.add_slot(Slot { name, ty, signed: false })
                };
                let beside = (add("start", Type::Pointer), add("size", self.size_type()));
                self.slots.insert(slot, beside);
            }
        }
        let results: Vec<(Carrier, ValueId)> = function
            .instructions()
            .filter_map(|instruction| {
                let value = instruction.result?;
                match &instruction.op {
                    Op::Load { address: Operand::Slot(slot), .. } => {
                        Some((Carrier::Slot(*slot), value))
                    }
                    Op::Select { .. } | Op::Call { .. } => Some((Carrier::Value(value), value)),
                    _ => None,
                }
            })
            .collect();
        for (carrier, value) in results {
            self.new_values(function, carrier, value);
        }
        for block in (0..function.blocks.len()).map(BlockId::new) {
            // What was read of a variable whose extent has not changed since.
            let mut fresh: FxHashMap<ValueId, SlotId> = FxHashMap::default();
            function.rewrite_block(block, |builder, _, instruction| {
                self.instruction(builder, instruction, is_told, &mut fresh);
            });
        }
        for block in (0..parameters.len()).map(BlockId::new) {
            let end = function.block(block).terminator.clone();
            let mut kind = end.kind;
            let operation = self.extents.operation.or(end.location.operation);
            let mut builder = Builder::new(function, Location { operation, ..end.location });
            builder.switch_to(block);
            kind.for_each_target_mut(|target| {
                for &(index, value) in &parameters[target.block.index()] {
                    let argument = target.arguments[index];
                    let need = self.extents.code.need(Carrier::Value(value));
                    let (start, size) = self.extent(&mut builder, argument, need);
                    target.arguments.extend([start, size]);
                }
            });
            builder.location = end.location;
            builder.terminate(kind);
        }
    }

    /// New values for the extent beside a value that is read of a carrier, if it has one.
    fn new_values(
        &mut self,
        function: &mut Function,
        carrier: Carrier,
        value: ValueId,
    ) -> (ValueId, ValueId) {
        let Some(least) = self.least(carrier) else { return (value, value) };
        let start = function.add_value(Type::Pointer, None);
        let size = function.add_value(self.size_type(), None);
        let beside = (Operand::Value(start), Operand::Value(size), least);
        self.extents.beside.insert(value, beside);
        (start, size)
    }

    fn instruction(
        &mut self,
        builder: &mut Builder<'_>,
        mut instruction: Instruction,
        is_told: &[bool],
        fresh: &mut FxHashMap<ValueId, SlotId>,
    ) {
        let own = instruction.result.and_then(|result| {
            let &(start, size, _) = self.extents.beside.get(&result)?;
            Some((result, start.value()?, size.value()?))
        });
        // All that is added; the instruction keeps its own location.
        builder.location.operation = self.extents.operation.or(builder.location.operation);
        let define = |builder: &mut Builder<'_>, op: Op, result: ValueId| {
            let location = builder.location;
            builder.push(Instruction { op, result: Some(result), location });
        };
        match &mut instruction.op {
            Op::Load { address: Operand::Slot(slot), .. } => {
                let beside = self.slots.get(slot).copied();
                let slot = *slot;
                builder.push(instruction);
                if let (Some(beside), Some((value, start, size))) = (beside, own) {
                    fresh.insert(value, slot);
                    let load = |slot| Op::Load {
                        address: Operand::Slot(slot),
                        order: MemoryOrder::Plain,
                        volatile: false,
                    };
                    define(builder, load(beside.0), start);
                    define(builder, load(beside.1), size);
                }
            }
            Op::Store { address: Operand::Slot(slot), value, .. } => {
                let (slot, value) = (*slot, *value);
                if let Some(&(start, size)) = self.slots.get(&slot)
                    && !self.stays(slot, value, fresh)
                {
                    let need = self.extents.code.need(Carrier::Slot(slot));
                    let extent = self.extent(builder, value, need);
                    builder.store(Type::Pointer, Operand::Slot(start), extent.0);
                    builder.store(self.size_type(), Operand::Slot(size), extent.1);
                    fresh.retain(|_, read| *read != slot);
                }
                builder.push(instruction);
            }
            Op::Select { condition, a, b } => {
                let (condition, a, b) = (*condition, *a, *b);
                builder.push(instruction);
                if let Some((value, start, size)) = own {
                    let need = self.extents.code.need(Carrier::Value(value));
                    let (of_a, of_b) =
                        (self.extent(builder, a, need), self.extent(builder, b, need));
                    define(builder, Op::Select { condition, a: of_a.0, b: of_b.0 }, start);
                    define(builder, Op::Select { condition, a: of_a.1, b: of_b.1 }, size);
                }
            }
            Op::Call { callee: Operand::Function(callee), arguments } => {
                let index = callee.index();
                let pointer = self.returned[index]
                    .and_then(|known| Some((*arguments.get(known.parameter)?, known.goes_back)));
                if is_told[index] {
                    let entry = match *callee == self.id {
                        true => builder.function.blocks.first(),
                        false => self.module.functions[index].blocks.first(),
                    };
                    // The parameters that were there before.
                    let before = arguments.len();
                    let entry = entry.map_or(&[][..], |entry| &entry.parameters);
                    let entry = entry.get(..before).unwrap_or(entry).to_vec();
                    for (index, value) in self.carried(*callee, &entry) {
                        let need = self.needs[callee.index()].get(&Carrier::Value(value));
                        let need = need.copied().unwrap_or_default();
                        let extent = self.extent(builder, arguments[index], need);
                        arguments.extend([extent.0, extent.1]);
                    }
                }
                builder.push(instruction);
                if let (Some((value, start, size)), Some((pointer, goes_back))) = (own, pointer) {
                    let need = self.extents.code.need(Carrier::Value(value));
                    let mut extent = self.extent(builder, pointer, need);
                    let value = Operand::Value(value);
                    if goes_back {
                        extent.1 = self.unless_before(builder, extent, value);
                    }
                    let is_null = builder.compare(CompareOp::Eq, value, Operand::Null);
                    let none = self.unknown().1;
                    define(builder, Op::Copy { a: extent.0 }, start);
                    define(builder, Op::Select { condition: is_null, a: none, b: extent.1 }, size);
                }
            }
            _ => builder.push(instruction),
        }
    }

    /// Whether what is stored to a variable has the extent that is beside it already.
    fn stays(&self, slot: SlotId, value: Operand, fresh: &FxHashMap<ValueId, SlotId>) -> bool {
        let way = self.extents.code.way(self.module, value);
        let Some(Way { origin: Origin::Carrier { value, .. }, goes_back: false }) = way else {
            return false;
        };
        fresh.get(&value) == Some(&slot)
    }

    /// The extent of a pointer for who takes it for something of a size.
    fn extent(&self, builder: &mut Builder<'_>, pointer: Operand, need: u64) -> (Operand, Operand) {
        let unknown = self.unknown();
        let Some(way) = self.extents.code.way(self.module, pointer) else { return unknown };
        let bits = self.module.target.pointer_bits;
        let number = |size: u64| Operand::int(bits, size.into());
        let (start, size) = match way.origin {
            Origin::Array { size, .. } if size < need => return unknown,
            Origin::Array { start, size } => (start, number(size)),
            Origin::Carrier { value, .. } => {
                let Some(&(start, size, least)) = self.extents.beside.get(&value) else {
                    return unknown;
                };
                if least < need {
                    let condition = builder.compare(CompareOp::UnsignedLt, size, number(need));
                    let op = Op::Select { condition, a: unknown.1, b: size };
                    (start, builder.define(op, self.size_type()))
                } else {
                    (start, size)
                }
            }
        };
        match way.goes_back {
            true => (start, self.unless_before(builder, (start, size), pointer)),
            false => (start, size),
        }
    }

    /// The size of an array, or 0 for a pointer that is before it.
    fn unless_before(
        &self,
        builder: &mut Builder<'_>,
        (start, size): (Operand, Operand),
        pointer: Operand,
    ) -> Operand {
        let none = self.unknown().1;
        let bits = self.module.target.pointer_bits;
        let distance = distance(builder, bits, start, pointer);
        let condition = builder.compare(CompareOp::SignedLt, distance, none);
        builder.define(Op::Select { condition, a: none, b: size }, self.size_type())
    }
}

/// How many bytes an address is behind another one.
fn distance(builder: &mut Builder<'_>, bits: u16, from: Operand, to: Operand) -> Operand {
    let mut number = |of| builder.cast(CastOp::PointerToInt, of, Type::Int(bits));
    let (from, to) = (number(from), number(to));
    builder.binary(BinaryOp::Sub, to, from, false)
}

impl Extents {
    /// That an access of a size is within the array that its address has beside it; `None` if it has none.
    pub(super) fn within(
        &self,
        module: &Module,
        builder: &mut Builder<'_>,
        address: Operand,
        accessed: u64,
    ) -> Option<Operand> {
        let way = self.code.way(module, address)?;
        let Origin::Carrier { value, .. } = way.origin else { return None };
        let &(start, size, _) = self.beside.get(&value)?;
        let bits = module.target.pointer_bits;
        let accessed = Operand::int(bits, accessed.into());
        Some(apart(builder, self.operation?, |builder| {
            let distance = distance(builder, bits, start, address);
            let room = builder.binary(BinaryOp::Sub, size, accessed, false);
            // A negative distance is a large one.
            let is_within = builder.compare(CompareOp::UnsignedLe, distance, room);
            let is_unknown = builder.compare(CompareOp::UnsignedLt, size, accessed);
            builder.binary(BinaryOp::Or, is_unknown, is_within, false)
        }))
    }
}
