//! The inclusion constraints and their least solution.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    Block, BlockId, CastOp, FunctionId, GlobalId, Initializer, Instruction, Module, Op, Operand,
    SlotId, TerminatorKind, Type, ValueId,
};

use super::place::{Object, Offsets, Place};
use super::{Node, object_of};

/// Elements of an array that are told apart in initialisers and copies.
const MAX_ELEMENTS: u64 = 16;

/// Bytes of an object of unknown size within which offsets are told apart.
const MAX_OFFSET: u64 = 4096;

/// A constraint that follows from what a node points to.
#[derive(Clone, Debug)]
enum Deferred {
    /// So many bytes at the places, from there on, flow to a node.
    Load(Node, u64, u64),
    /// A node flows to so many bytes at the places, from there on.
    Store(Source, u64, u64),
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
}

/// How an address changes on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shift {
    Plus(u64),
    Stride(u64),
}

impl Shift {
    const NONE: Self = Self::Plus(0);
    const ANY: Self = Self::Stride(1);

    fn apply(self, module: &Module, place: Place) -> Place {
        let offsets = match self {
            Self::Plus(distance) => place.offsets.plus(distance),
            Self::Stride(step) => place.offsets.stride(step),
        };
        let size = place.object.ty(module).map_or(MAX_OFFSET, |ty| ty.size(module));
        // Past the end there is nothing; whoever comes back from there is anywhere.
        let offsets = if offsets.is_beyond(size) { Offsets::ALL } else { offsets };
        match place.object {
            Object::Function(_) | Object::Unknown | Object::Number => place,
            _ => Place { offsets, ..place },
        }
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
    stored: FxHashMap<Object, Vec<(Offsets, u64)>>,
    read: FxHashMap<Object, Vec<(Offsets, u64)>>,
    pub(super) objects: Vec<Object>,
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
        }
    }

    fn include(&mut self, node: Node, mut place: Place) {
        if let (Object::Number, Node::Value(function, value)) = (place.object, node) {
            let function = self.module.function(function);
            if function.operand_type(Operand::Value(value)) != Type::Pointer {
                return;
            }
            place = UNKNOWN;
        }
        if self.sets.entry(node).or_default().insert(place) {
            self.pending.push_back((node, place));
        }
    }

    fn flow(&mut self, from: Node, to: Node, shift: Shift) {
        if (from == to && shift == Shift::NONE) || !self.known_flows.insert((from, to, shift)) {
            return;
        }
        self.flows.entry(from).or_default().push((to, shift));
        for place in self.sets.get(&from).cloned().unwrap_or_default() {
            self.include(to, shift.apply(self.module, place));
        }
    }

    fn flow_from(&mut self, from: Source, to: Node, shift: Shift) {
        match from {
            Source::Node(node) => self.flow(node, to, shift),
            Source::Place(place) => self.include(to, shift.apply(self.module, place)),
        }
    }

    fn source(function: FunctionId, operand: Operand) -> Option<Source> {
        match operand {
            Operand::Value(value) => Some(Source::Node(Node::Value(function, value))),
            constant => object_of(function, constant).map(Place::start).map(Source::Place),
        }
    }

    fn assign(&mut self, function: FunctionId, to: Node, from: Operand) {
        self.assign_shifted(function, to, from, Shift::NONE);
    }

    fn assign_shifted(&mut self, function: FunctionId, to: Node, from: Operand, shift: Shift) {
        if let Some(source) = Self::source(function, from) {
            self.flow_from(source, to, shift);
        }
    }

    /// What was stored with so many bytes at a place: it flows to all reads that it may be seen by.
    fn stored(&mut self, place: Place, size: u64) -> Node {
        let node = Node::Stored(place, size);
        let known = self.stored.entry(place.object).or_default();
        if !known.contains(&(place.offsets, size)) {
            known.push((place.offsets, size));
            for (offsets, bytes) in self.read.get(&place.object).cloned().unwrap_or_default() {
                if place.offsets.may_overlap(size, offsets, bytes) {
                    let read = Node::Read(Place { offsets, ..place }, bytes);
                    self.flow(node, read, Shift::NONE);
                }
            }
        }
        node
    }

    /// What is read with so many bytes from a place.
    fn read(&mut self, place: Place, size: u64) -> Node {
        let node = Node::Read(place, size);
        let known = self.read.entry(place.object).or_default();
        if !known.contains(&(place.offsets, size)) {
            known.push((place.offsets, size));
            for (offsets, bytes) in self.stored.get(&place.object).cloned().unwrap_or_default() {
                if offsets.may_overlap(bytes, place.offsets, size) {
                    let stored = Node::Stored(Place { offsets, ..place }, bytes);
                    self.flow(stored, node, Shift::NONE);
                }
            }
        }
        node
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
            None => {}
        }
    }

    /// A place, or everywhere if that is unknown.
    fn everywhere(&self, place: Place) -> Vec<Place> {
        if place.object == Object::Unknown {
            let all = |&object| Place { object, offsets: Offsets::ALL };
            self.objects.iter().map(all).collect()
        } else {
            vec![place]
        }
    }

    fn apply(&mut self, place: Place, constraint: &Deferred) {
        match constraint {
            Deferred::Load(to, distance, size) => {
                if place.object == Object::Unknown {
                    self.include(*to, place);
                }
                for place in self.everywhere(place) {
                    let place = Shift::Plus(*distance).apply(self.module, place);
                    let node = self.read(place, *size);
                    self.flow(node, *to, Shift::NONE);
                }
            }
            Deferred::Store(source, distance, size) => {
                for place in self.everywhere(place) {
                    let place = Shift::Plus(*distance).apply(self.module, place);
                    let node = self.stored(place, *size);
                    self.flow_from(*source, node, Shift::NONE);
                }
            }
            Deferred::CopyFrom(function, source, ty) => {
                let mut parts = Vec::new();
                chunks(self.module, ty, 0, &mut parts);
                for (distance, part) in parts {
                    let size = part.size(self.module);
                    for place in self.everywhere(place) {
                        let place = Shift::Plus(distance).apply(self.module, place);
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
                Object::Unknown => {
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
                self.flow(Node::Result(callee), result, Shift::NONE);
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

    pub(super) fn module(&mut self) {
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
                    if let Op::Allocate { .. } = instruction.op {
                        let index = u32::try_from(index).unwrap_or(u32::MAX);
                        self.objects.push(Object::Allocation(id, block, index));
                    }
                }
            }
        }
        for (index, global) in module.globals.iter().enumerate() {
            let start = Place::start(Object::Global(GlobalId::new(index)));
            self.initializer(start, &global.ty, &global.initializer);
        }
        if let Some(entry) = module.entry.map(|entry| (entry, module.function(entry)))
            && let Some(block) = entry.1.blocks.first()
        {
            for &parameter in &block.parameters {
                if entry.1.operand_type(Operand::Value(parameter)) == Type::Pointer {
                    self.include(Node::Value(entry.0, parameter), UNKNOWN);
                }
            }
        }
        for (id, function) in module.functions() {
            for (block, data) in function.blocks() {
                self.block(id, block, data);
            }
        }
    }

    fn initializer(&mut self, place: Place, ty: &Type, initializer: &Initializer) {
        let module = self.module;
        let size = ty.size(module);
        match initializer {
            Initializer::Nondet => {
                let mut parts = Vec::new();
                chunks(module, ty, 0, &mut parts);
                for (distance, part) in parts {
                    let offsets = place.offsets.plus(distance);
                    let node = self.stored(Place { offsets, ..place }, part.size(module));
                    self.include(node, anything_of(part));
                }
            }
            Initializer::Global(id, delta) => {
                let target = Place::start(Object::Global(*id));
                let shift = u64::try_from(*delta).map_or(Shift::ANY, Shift::Plus);
                let node = self.stored(place, size);
                self.include(node, shift.apply(module, target));
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
            Initializer::Zero => {}
            Initializer::Int(0) if size >= Type::Pointer.size(module) => {}
            Initializer::Int(_) => {
                let node = self.stored(place, size);
                self.include(node, NUMBER);
            }
        }
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
                if let Some(source) = Self::source(id, *value) {
                    self.defer(id, *address, Deferred::Store(source, 0, size));
                }
                // Also 0: what it leaves of a pointer that it does not cover is another pointer.
                if *ty != Type::Pointer {
                    self.defer(id, *address, Deferred::Store(Source::Place(NUMBER), 0, size));
                }
            }
            (Op::CopyMemory { destination, source, ty }, _) => {
                self.defer(id, *destination, Deferred::CopyFrom(id, *source, ty.clone()));
            }
            (Op::HavocMemory { address, ty }, _) => {
                // Numbers, and addresses that come from nowhere.
                let mut parts = Vec::new();
                chunks(self.module, ty, 0, &mut parts);
                for (distance, part) in parts {
                    let size = part.size(self.module);
                    let any = Source::Place(anything_of(part));
                    self.defer(id, *address, Deferred::Store(any, distance, size));
                }
            }
            (Op::Load { address, .. }, Some(result)) => {
                let size = instruction.result.map_or(1, |value| {
                    function.operand_type(Operand::Value(value)).size(self.module)
                });
                self.defer(id, *address, Deferred::Load(result, 0, size));
            }
            // What a thread ended with, or anything.
            (Op::Join { .. }, Some(result)) => self.include(result, UNKNOWN),
            (Op::Nondet, Some(result)) => {
                let value = instruction.result.map(Operand::Value);
                if value.is_some_and(|value| function.operand_type(value) == Type::Pointer) {
                    self.include(result, UNKNOWN);
                }
            }
            (Op::Allocate { .. }, Some(result)) => self.include(result, Place::start(allocation)),
            // Only null is certain to be no address.
            (Op::Cast { op: CastOp::IntToPointer, a: Operand::Int { value: 0, .. } }, Some(_)) => {}
            (Op::Cast { op: CastOp::IntToPointer, .. }, Some(result)) => {
                self.include(result, UNKNOWN);
            }
            (Op::Copy { a } | Op::Cast { a, .. }, Some(result)) => self.assign(id, result, *a),
            (Op::Select { a, b, .. }, Some(result)) => {
                self.assign(id, result, *a);
                self.assign(id, result, *b);
            }
            (Op::FieldAddress { base, structure, field }, Some(result)) => {
                let structure = self.module.structs.get(structure.index());
                let field = structure.and_then(|s| s.fields.get(field.index()));
                let shift = field.map_or(Shift::ANY, |field| Shift::Plus(field.offset));
                self.assign_shifted(id, result, *base, shift);
            }
            (Op::IndexAddress { base, element, index }, Some(result)) => {
                let shift = index_shift(*base, *index, element.size(self.module));
                self.assign_shifted(id, result, *base, shift);
            }
            (Op::Binary { a, b, .. }, Some(result)) => {
                self.assign_shifted(id, result, *a, Shift::ANY);
                self.assign_shifted(id, result, *b, Shift::ANY);
            }
            (Op::Unary { a, .. }, Some(result)) => {
                self.assign_shifted(id, result, *a, Shift::ANY);
            }
            _ => {}
        }
    }

    pub(super) fn solve(&mut self) {
        while let Some((node, place)) = self.pending.pop_front() {
            for (to, shift) in self.flows.get(&node).cloned().unwrap_or_default() {
                self.include(to, shift.apply(self.module, place));
            }
            for constraint in self.deferred.get(&node).cloned().unwrap_or_default() {
                self.apply(place, &constraint);
            }
        }
    }
}

/// An address of unknown origin.
const UNKNOWN: Place = Place { object: Object::Unknown, offsets: Offsets::START };

/// What an integer in memory may be.
const NUMBER: Place = Place { object: Object::Number, offsets: Offsets::START };

/// How an index moves an address. In a loop a pointer is moved again and again: only from the
/// start of an object on are elements told apart.
fn index_shift(base: Operand, index: Operand, size: u64) -> Shift {
    match index {
        Operand::Int { value: 0, .. } => Shift::NONE,
        Operand::Int { value, .. } if !matches!(base, Operand::Value(_)) => {
            let distance = u64::try_from(value).ok().and_then(|index| index.checked_mul(size));
            distance.map_or(Shift::Stride(size), Shift::Plus)
        }
        _ => Shift::Stride(size),
    }
}

/// What an object of a type may hold if nothing is known of it.
fn anything_of(ty: &Type) -> Place {
    match ty {
        Type::Int(_) => NUMBER,
        Type::Array(element, _) => anything_of(element),
        Type::Pointer | Type::Struct(_) => UNKNOWN,
    }
}

/// Offsets and types of the parts of a type that are copied one by one.
fn chunks<'t>(module: &'t Module, ty: &'t Type, offset: u64, parts: &mut Vec<(u64, &'t Type)>) {
    match ty {
        Type::Struct(id) => {
            for field in module.structs.get(id.index()).map_or(&[][..], |s| &s.fields) {
                chunks(module, &field.ty, offset + field.offset, parts);
            }
        }
        Type::Array(element, count) if *count <= MAX_ELEMENTS => {
            let step = element.size(module);
            (0..*count).for_each(|index| chunks(module, element, offset + index * step, parts));
        }
        Type::Array(..) | Type::Int(_) | Type::Pointer => parts.push((offset, ty)),
    }
}
