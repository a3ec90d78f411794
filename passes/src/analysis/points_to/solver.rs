//! The inclusion constraints and their least solution.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    Block, BlockId, CastOp, FunctionId, GlobalId, Initializer, Instruction, Module, Op, Operand,
    SlotId, TerminatorKind, Type, ValueId,
};
use sapa_limits::{Exceeded, Limits};

use super::place::{Object, Offsets, Place};
use super::{Node, forward, object_of};

/// Elements of an array that are told apart in initialisers and copies.
const MAX_ELEMENTS: u64 = 16;

/// Bytes of an object of unknown size within which offsets are told apart.
const MAX_OFFSET: u64 = 4096;

/// Steps in which an address is computed from that of an object that are followed.
const MAX_STEPS: usize = 16;

/// A constraint that follows from what a node points to.
#[derive(Clone, Debug)]
enum Deferred {
    /// The bytes at the places, moved, flow to a node; how many the last part says.
    Load(Node, Shift, u64),
    /// A node flows to the bytes at the places, moved; how many the last part says.
    Store(Source, Shift, u64),
    /// The object of this type at another address flows to the places.
    CopyFrom(FunctionId, Operand, Type),
    /// The objects may hold any address.
    Havoc,
    /// The targets are called, or started, with arguments.
    Call(FunctionId, Vec<Operand>, Option<ValueId>),
}

/// Where objects flow from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Node(Node),
    Place(Place),
    Null,
}

/// How an address changes on its way: by any of these distances.
type Shift = Offsets;

fn shifted(module: &Module, place: Place, by: Shift) -> Place {
    let offsets = place.offsets.moved(by);
    let size = place.object.ty(module).map_or(MAX_OFFSET, |ty| ty.size(module));
    // Past the end there is nothing; whoever comes back from there is anywhere.
    let offsets = if offsets.is_beyond(size) { Offsets::ALL } else { offsets };
    match place.object {
        Object::Function(_) | Object::Unknown | Object::Forged | Object::Number => place,
        _ => Place { offsets, ..place },
    }
}

pub(super) struct Solver<'m> {
    module: &'m Module,
    pub(super) sets: FxHashMap<Node, BTreeSet<Place>>,
    flows: FxHashMap<Node, Vec<(Node, Shift)>>,
    deferred: FxHashMap<Node, Vec<Deferred>>,
    /// Places that became part of a node's set and still have to be handled.
    pending: VecDeque<(Node, Place)>,
    known_flows: FxHashSet<(Node, Node, Shift)>,
    /// The nodes [`Node::Stored`] and [`Node::Read`] of each object.
    pub(super) stored: FxHashMap<Object, Vec<(Offsets, u64)>>,
    read: FxHashMap<Object, Vec<(Offsets, u64)>>,
    pub(super) objects: Vec<Object>,
    /// The values that are moved from another address, and from which; `None` for new objects.
    addresses: FxHashMap<(FunctionId, ValueId), Option<Operand>>,
}

impl<'m> Solver<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Self {
            module,
            sets: FxHashMap::default(),
            flows: FxHashMap::default(),
            deferred: FxHashMap::default(),
            pending: VecDeque::new(),
            known_flows: FxHashSet::default(),
            stored: FxHashMap::default(),
            read: FxHashMap::default(),
            objects: Vec::new(),
            addresses: FxHashMap::default(),
        }
    }

    fn include(&mut self, node: Node, mut place: Place) {
        if let (Object::Number | Object::Forged, Node::Value(function, value)) =
            (place.object, node)
        {
            let function = self.module.function(function);
            if function.operand_type(Operand::Value(value)) != Type::Pointer {
                return;
            }
            place = FORGED;
        }
        if self.sets.entry(node).or_default().insert(place) {
            self.pending.push_back((node, place));
        }
    }

    fn flow(&mut self, from: Node, to: Node, shift: Shift) {
        if (from == to && shift == Shift::START) || !self.known_flows.insert((from, to, shift)) {
            return;
        }
        self.flows.entry(from).or_default().push((to, shift));
        for place in self.sets.get(&from).cloned().unwrap_or_default() {
            self.include(to, shifted(self.module, place, shift));
        }
    }

    fn flow_from(&mut self, from: Source, to: Node, shift: Shift) {
        match from {
            Source::Node(node) => self.flow(node, to, shift),
            Source::Place(place) => self.include(to, shifted(self.module, place, shift)),
            Source::Null => {}
        }
    }

    fn source(function: FunctionId, operand: Operand) -> Option<Source> {
        match operand {
            Operand::Value(value) => Some(Source::Node(Node::Value(function, value))),
            constant => object_of(function, constant).map(Place::start).map(Source::Place),
        }
    }

    fn assign(&mut self, function: FunctionId, to: Node, from: Operand) {
        self.assign_shifted(function, to, from, Shift::START);
    }

    fn assign_shifted(&mut self, function: FunctionId, to: Node, from: Operand, shift: Shift) {
        if let Some(source) = Self::source(function, from) {
            self.flow_from(source, to, shift);
        }
    }

    /// What a store of `size` bytes put at a place: it flows to all reads that it may be seen by.
    fn stored(&mut self, place: Place, size: u64) -> Node {
        let node = Node::Stored(place, size);
        let known = self.stored.entry(place.object).or_default();
        if !known.contains(&(place.offsets, size)) {
            known.push((place.offsets, size));
            for (offsets, bytes) in self.read.get(&place.object).cloned().unwrap_or_default() {
                let read = Place { offsets, ..place };
                self.meet((place, size), (read, bytes));
            }
        }
        node
    }

    /// What a load of `size` bytes reads from a place.
    fn read(&mut self, place: Place, size: u64) -> Node {
        let node = Node::Read(place, size);
        let known = self.read.entry(place.object).or_default();
        if !known.contains(&(place.offsets, size)) {
            known.push((place.offsets, size));
            for (offsets, bytes) in self.stored.get(&place.object).cloned().unwrap_or_default() {
                let stored = Place { offsets, ..place };
                self.meet((stored, bytes), (place, size));
            }
        }
        node
    }

    /// What is stored at one place, a number of bytes, is read at another of the same object.
    fn meet(&mut self, stored: (Place, u64), read: (Place, u64)) {
        let (to, from) = (read.0.offsets, stored.0.offsets);
        if from.may_overlap(stored.1, to, read.1) {
            let read_node = Node::Read(read.0, read.1);
            self.flow(Node::Stored(stored.0, stored.1), read_node, Shift::START);
            // Bytes of several values: also of an address and of a null pointer.
            if from.may_straddle(stored.1, to, read.1) {
                self.include(read_node, NUMBER);
            }
        }
    }

    /// Applies a constraint to all present and future targets of an operand.
    fn defer(&mut self, function: FunctionId, address: Operand, constraint: Deferred) {
        match Self::source(function, address) {
            Some(Source::Node(node)) => {
                for place in self.sets.get(&node).cloned().unwrap_or_default() {
                    self.apply(place, &constraint);
                }
                self.deferred.entry(node).or_default().push(constraint);
            }
            Some(Source::Place(place)) => self.apply(place, &constraint),
            Some(Source::Null) | None => {}
        }
    }

    /// A place, or everywhere if that is unknown.
    fn everywhere(&self, place: Place) -> Vec<Place> {
        if place.object.is_any() {
            let all = |&object| Place { object, offsets: Offsets::ALL };
            self.objects.iter().map(all).collect()
        } else {
            vec![place]
        }
    }

    fn apply(&mut self, place: Place, constraint: &Deferred) {
        match constraint {
            Deferred::Load(to, distance, size) => {
                if place.object.is_any() {
                    self.include(*to, place);
                }
                for place in self.everywhere(place) {
                    let place = shifted(self.module, place, *distance);
                    let node = self.read(place, *size);
                    self.flow(node, *to, Shift::START);
                }
            }
            Deferred::Store(source, distance, size) => {
                for place in self.everywhere(place) {
                    let place = shifted(self.module, place, *distance);
                    let node = self.stored(place, *size);
                    self.flow_from(*source, node, Shift::START);
                }
            }
            Deferred::CopyFrom(function, source, ty) => {
                let mut parts = Vec::new();
                chunks(self.module, ty, Shift::START, &mut parts);
                for (distance, part) in parts {
                    let size = part.size(self.module);
                    for place in self.everywhere(place) {
                        let place = shifted(self.module, place, distance);
                        let to = self.stored(place, size);
                        self.defer(*function, *source, Deferred::Load(to, distance, size));
                    }
                }
            }
            Deferred::Havoc => {
                for place in self.everywhere(place) {
                    let node = self.stored(Place { offsets: Offsets::ALL, ..place }, 1);
                    self.include(node, UNKNOWN);
                }
            }
            Deferred::Call(caller, arguments, result) => match place.object {
                Object::Function(callee) => self.call(*caller, callee, arguments, *result),
                Object::Unknown | Object::Forged => {
                    for index in 0..self.module.functions.len() {
                        self.call(*caller, FunctionId::new(index), arguments, *result);
                    }
                }
                _ => {}
            },
        }
    }

    fn call(
        &mut self,
        caller: FunctionId,
        callee: FunctionId,
        arguments: &[Operand],
        result: Option<ValueId>,
    ) {
        let Some(function) = self.module.functions.get(callee.index()) else { return };
        let result = result.map(|value| Node::Value(caller, value));
        if let Some(entry) = function.blocks.first() {
            for (&parameter, &argument) in entry.parameters.iter().zip(arguments) {
                self.assign(caller, Node::Value(callee, parameter), argument);
            }
            if let Some(result) = result {
                self.flow(Node::Result(callee), result, Shift::START);
            }
            return;
        }
        // A function without a body may return anything, and store anything anywhere
        // that it is told of.
        if let Some(result) = result
            && function.result == Some(Type::Pointer)
        {
            self.include(result, UNKNOWN);
        }
        for &argument in arguments {
            self.havoc(caller, argument);
        }
    }

    /// Memory at an address, and all of the object around it, may hold any address.
    fn havoc(&mut self, function: FunctionId, address: Operand) {
        self.defer(function, address, Deferred::Havoc);
    }

    pub(super) fn module(&mut self, limits: &Limits) -> Result<(), Exceeded> {
        let module = self.module;
        for index in 0..module.globals.len() {
            self.objects.push(Object::Global(GlobalId::new(index)));
        }
        for (id, function) in module.functions() {
            self.objects.push(Object::Function(id));
            for slot in 0..function.slots.len() {
                self.objects.push(Object::Slot(id, SlotId::new(slot)));
            }
            for (block, data) in function.blocks() {
                for (index, instruction) in data.instructions.iter().enumerate() {
                    let base = match instruction.op {
                        Op::Copy { a: base }
                        | Op::FieldAddress { base, .. }
                        | Op::IndexAddress { base, .. } => Some(base),
                        Op::Allocate { .. } => {
                            let index = u32::try_from(index).unwrap_or(u32::MAX);
                            self.objects.push(Object::Allocation(id, block, index));
                            None
                        }
                        _ => continue,
                    };
                    if let Some(result) = instruction.result {
                        self.addresses.insert((id, result), base);
                    }
                }
            }
        }
        // Headers declare objects that nobody uses: what they hold is nobody's.
        let used = module.used_globals();
        for (index, global) in module.globals.iter().enumerate() {
            let id = GlobalId::new(index);
            if global.initializer == Initializer::Nondet && !used.contains(&id) {
                continue;
            }
            limits.check()?;
            let start = Place::start(Object::Global(id));
            self.initializer(start, &global.ty, &global.initializer);
        }
        if let Some(entry) = module.entry.map(|entry| (entry, module.function(entry)))
            && let Some(block) = entry.1.blocks.first()
        {
            for &parameter in &block.parameters {
                self.include(Node::Value(entry.0, parameter), FORGED);
            }
        }
        for (id, function) in module.functions() {
            for (block, data) in function.blocks() {
                limits.check()?;
                self.block(id, block, data);
            }
        }
        Ok(())
    }

    fn initializer(&mut self, place: Place, ty: &Type, initializer: &Initializer) {
        let module = self.module;
        let size = ty.size(module);
        match initializer {
            Initializer::Nondet => {
                let mut parts = Vec::new();
                chunks(module, ty, Shift::START, &mut parts);
                for (distance, part) in parts {
                    let offsets = place.offsets.moved(distance);
                    let node = self.stored(Place { offsets, ..place }, part.size(module));
                    self.include(node, anything_of(part));
                }
            }
            Initializer::Global(id, delta) => {
                let target = Place::start(Object::Global(*id));
                let shift = u64::try_from(*delta).map_or(Shift::ALL, distance);
                let node = self.stored(place, size);
                self.include(node, shifted(module, target, shift));
            }
            Initializer::Function(id) => {
                let node = self.stored(place, size);
                self.include(node, Place::start(Object::Function(*id)));
            }
            Initializer::Aggregate(elements) => match ty {
                Type::Struct(id) => {
                    let fields = module.structs.get(id.index()).map(|s| s.fields.as_slice());
                    for (field, element) in fields.unwrap_or_default().iter().zip(elements) {
                        let offsets = place.offsets.plus(field.offset);
                        self.initializer(Place { offsets, ..place }, &field.ty, element);
                    }
                }
                Type::Array(of, count) => {
                    let step = of.size(module);
                    for (index, element) in (0..*count).zip(elements) {
                        let offsets = if *count > MAX_ELEMENTS {
                            place.offsets.stride(step)
                        } else {
                            place.offsets.plus(index.saturating_mul(step))
                        };
                        self.initializer(Place { offsets, ..place }, of, element);
                    }
                }
                Type::Int(_) | Type::Pointer => {
                    elements.iter().for_each(|element| self.initializer(place, ty, element));
                }
            },
            // Who dereferences a pointer that was never written is not followed.
            Initializer::Zero | Initializer::Undefined => {}
            Initializer::Int(0) if size >= Type::Pointer.size(module) => {}
            Initializer::Int(_) => {
                let node = self.stored(place, size);
                self.include(node, NUMBER);
            }
        }
    }

    /// Whether an address is computed from that of an object, or of a new one, in `MAX_STEPS` steps at
    /// most, and so is the same place whenever it is computed for an object.
    fn is_from_object(&self, id: FunctionId, mut address: Operand) -> bool {
        for _ in 0..MAX_STEPS {
            let Operand::Value(value) = address else { return true };
            match self.addresses.get(&(id, value)) {
                Some(Some(base)) => address = *base,
                Some(None) => return true,
                None => return false,
            }
        }
        false
    }

    fn block(&mut self, id: FunctionId, block: BlockId, data: &Block) {
        for (index, instruction) in data.instructions.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            self.instruction(id, instruction, Object::Allocation(id, block, index));
        }
        let function = self.module.function(id);
        data.terminator.kind.for_each_target(|target| {
            let parameters = &function.block(target.block).parameters;
            for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
                self.assign(id, Node::Value(id, parameter), argument);
            }
        });
        if let TerminatorKind::Return(Some(value)) = data.terminator.kind {
            self.assign(id, Node::Result(id), value);
        }
    }

    fn instruction(&mut self, id: FunctionId, instruction: &Instruction, allocation: Object) {
        let function = self.module.function(id);
        let result = instruction.result.map(|value| Node::Value(id, value));
        match (&instruction.op, result) {
            (Op::Call { callee, arguments }, _) => {
                let call = Deferred::Call(id, arguments.clone(), instruction.result);
                self.defer(id, *callee, call);
            }
            (Op::Spawn { function, arguments }, _) => {
                self.defer(id, *function, Deferred::Call(id, arguments.clone(), None));
            }
            (Op::Store { address, value, ty, .. }, _) => {
                let size = ty.size(self.module);
                let source = Self::source(id, *value).unwrap_or(Source::Null);
                self.defer(id, *address, Deferred::Store(source, Shift::START, size));
                if *ty != Type::Pointer {
                    self.defer(
                        id,
                        *address,
                        Deferred::Store(Source::Place(NUMBER), Shift::START, size),
                    );
                }
            }
            (Op::CopyMemory { destination, source, ty }, _) => {
                self.defer(id, *destination, Deferred::CopyFrom(id, *source, ty.clone()));
            }
            (Op::Load { address, .. }, Some(result)) => {
                let size = instruction.result.map_or(1, |value| {
                    function.operand_type(Operand::Value(value)).size(self.module)
                });
                self.defer(id, *address, Deferred::Load(result, Shift::START, size));
            }
            // What a thread ended with, or anything.
            (Op::Join { .. }, Some(result)) => self.include(result, UNKNOWN),
            (Op::Nondet { .. }, Some(result)) => self.include(result, FORGED),
            (Op::Allocate { .. }, Some(result)) => self.include(result, Place::start(allocation)),
            // Only null is certain to be no address.
            (Op::Cast { op: CastOp::IntToPointer, a: Operand::Int { value: 0, .. } }, Some(_)) => {}
            (Op::Cast { op: CastOp::IntToPointer, a }, Some(result)) => {
                self.include(result, FORGED);
                self.assign(id, result, *a);
            }
            (Op::Copy { a } | Op::Cast { a, .. }, Some(result)) => self.assign(id, result, *a),
            (Op::Select { a, b, .. }, Some(result)) => {
                self.assign(id, result, *a);
                self.assign(id, result, *b);
            }
            (Op::FieldAddress { base, structure, field }, Some(result)) => {
                let structure = self.module.structs.get(structure.index());
                let field = structure.and_then(|s| s.fields.get(field.index()));
                let shift = field.map_or(Shift::ALL, |field| distance(field.offset));
                self.assign_shifted(id, result, *base, shift);
            }
            (Op::IndexAddress { base, element, index }, Some(result)) => {
                let is_fixed = self.is_from_object(id, *base);
                let shift = index_shift(is_fixed, *index, element.size(self.module));
                self.assign_shifted(id, result, *base, shift);
            }
            (Op::Binary { a, b, .. }, Some(result)) => {
                self.assign_shifted(id, result, *a, Shift::ALL);
                self.assign_shifted(id, result, *b, Shift::ALL);
            }
            (Op::Unary { a, .. }, Some(result)) => {
                self.assign_shifted(id, result, *a, Shift::ALL);
            }
            _ => {}
        }
    }

    pub(super) fn solve(&mut self, limits: &Limits) -> Result<(), Exceeded> {
        while let Some((node, place)) = self.pending.pop_front() {
            limits.check()?;
            for (to, shift) in self.flows.get(&node).cloned().unwrap_or_default() {
                self.include(to, shifted(self.module, place, shift));
            }
            for constraint in self.deferred.get(&node).cloned().unwrap_or_default() {
                self.apply(place, &constraint);
            }
        }
        Ok(())
    }
}

/// An address of unknown origin.
const UNKNOWN: Place = Place { object: Object::Unknown, offsets: Offsets::START };

/// An address that no object's address was used for.
pub(super) const FORGED: Place = Place { object: Object::Forged, offsets: Offsets::START };

/// What an integer in memory may be.
pub(super) const NUMBER: Place = Place { object: Object::Number, offsets: Offsets::START };

/// A number of bytes.
fn distance(bytes: u64) -> Shift {
    Shift::new(bytes, 0)
}

/// How an index moves an address. In a loop a pointer is moved again and again: only from a fixed
/// place in an object on are elements told apart.
fn index_shift(is_fixed: bool, index: Operand, size: u64) -> Shift {
    let anywhere = Shift::new(0, size);
    match index {
        Operand::Int { value: 0, .. } => Shift::START,
        Operand::Int { value, .. } if is_fixed => forward(value, size).map_or(anywhere, distance),
        _ => anywhere,
    }
}

/// What a scalar of a type may hold if nothing is known of it.
fn anything_of(ty: &Type) -> Place {
    match ty {
        Type::Int(_) => NUMBER,
        _ => FORGED,
    }
}

/// Where the parts of a type are that are copied one by one, from `at` on, and their types.
fn chunks<'t>(module: &'t Module, ty: &'t Type, at: Shift, parts: &mut Vec<(Shift, &'t Type)>) {
    match ty {
        Type::Struct(id) => {
            for field in module.structs.get(id.index()).map_or(&[][..], |s| &s.fields) {
                chunks(module, &field.ty, at.plus(field.offset), parts);
            }
        }
        Type::Array(element, count) if *count <= MAX_ELEMENTS => {
            let step = element.size(module);
            (0..*count).for_each(|index| chunks(module, element, at.plus(index * step), parts));
        }
        Type::Array(element, _) => {
            chunks(module, element, at.stride(element.size(module)), parts);
        }
        Type::Int(_) | Type::Pointer => parts.push((at, ty)),
    }
}
