//! What pointers may point to: inclusion constraints (Andersen 1994), without
//! regard to order and calling context, so that every interleaving is covered.
//!
//! An abstract object is a global, a function, a stack object of a function, or
//! an allocation; objects are not divided into fields. Integers carry what was
//! cast to them. [`Object::Unknown`] stands for an address that may be any: what
//! a pointer of unknown origin points to. Numbers that no pointer was cast to
//! are no addresses.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{
    Block, BlockId, CastOp, FunctionId, GlobalId, Initializer, Instruction, Module, Op, Operand,
    SlotId, TerminatorKind, Type, ValueId,
};

/// An abstract object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A global.
    Global(GlobalId),
    /// A stack object of every activation of a function.
    Slot(FunctionId, SlotId),
    /// A function.
    Function(FunctionId),
    /// All objects that an instruction (by block and index) allocates.
    Allocation(FunctionId, BlockId, u32),
    /// Any object.
    Unknown,
}

/// What has a set of objects that it may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Value(FunctionId, ValueId),
    /// What is stored in an object.
    Contents(Object),
    /// What a function returns.
    Result(FunctionId),
}

/// The solution.
#[derive(Clone, Debug, Default)]
pub struct PointsTo {
    sets: FxHashMap<Node, BTreeSet<Object>>,
    objects: Vec<Object>,
}

impl PointsTo {
    /// Analyses a module.
    #[must_use]
    pub fn new(module: &Module) -> Self {
        let mut solver = Solver::new(module);
        solver.module();
        solver.solve();
        Self { sets: solver.sets, objects: solver.objects }
    }

    /// The objects that an operand of a function may point to; none for what is
    /// no address.
    #[must_use]
    pub fn targets(&self, function: FunctionId, operand: Operand) -> BTreeSet<Object> {
        match operand {
            Operand::Value(value) => self.set(Node::Value(function, value)),
            constant => object_of(function, constant).into_iter().collect(),
        }
    }

    /// What may be stored in an object: addresses only.
    #[must_use]
    pub fn contents(&self, object: Object) -> BTreeSet<Object> {
        self.set(Node::Contents(object))
    }

    /// Whether two sets of targets may overlap.
    #[must_use]
    pub fn overlap(a: &BTreeSet<Object>, b: &BTreeSet<Object>) -> bool {
        let unknown = |set: &BTreeSet<Object>| set.contains(&Object::Unknown);
        let any = |set: &BTreeSet<Object>| !set.is_empty();
        (unknown(a) && any(b)) || (unknown(b) && any(a)) || !a.is_disjoint(b)
    }

    /// Objects that all threads can reach: globals that are not thread-local,
    /// and what is reachable from them through stored addresses or is handed to
    /// a started thread.
    #[must_use]
    pub fn shared(&self, module: &Module) -> FxHashSet<Object> {
        let mut shared = FxHashSet::default();
        let mut pending: Vec<Object> = module
            .globals
            .iter()
            .enumerate()
            .filter(|(_, global)| !global.thread_local)
            .map(|(index, _)| Object::Global(GlobalId::new(index)))
            .collect();
        for (id, function) in module.functions() {
            for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
                if let Op::Spawn { arguments, .. } = &instruction.op {
                    pending.extend(arguments.iter().flat_map(|&a| self.targets(id, a)));
                }
            }
        }
        while let Some(object) = pending.pop() {
            if shared.insert(object) {
                pending.extend(self.contents(object));
                if object == Object::Unknown {
                    pending.extend(&self.objects);
                }
            }
        }
        shared
    }

    fn set(&self, node: Node) -> BTreeSet<Object> {
        self.sets.get(&node).cloned().unwrap_or_default()
    }
}

fn object_of(function: FunctionId, operand: Operand) -> Option<Object> {
    match operand {
        Operand::Global(id) => Some(Object::Global(id)),
        Operand::Function(id) => Some(Object::Function(id)),
        Operand::Slot(slot) => Some(Object::Slot(function, slot)),
        Operand::Value(_) | Operand::Int { .. } | Operand::Null => None,
    }
}

/// A constraint that follows from what a node points to.
#[derive(Clone, Debug)]
enum Deferred {
    /// The node's targets' contents flow to it.
    Load(Node),
    /// A node flows to the targets' contents.
    Store(Source),
    /// The contents of the targets flow to those of another's.
    CopyFrom(FunctionId, Operand),
    /// The targets are called, or started, with arguments.
    Call(FunctionId, Vec<Operand>, Option<ValueId>),
}

/// Where objects flow from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Node(Node),
    Object(Object),
}

struct Solver<'m> {
    module: &'m Module,
    sets: FxHashMap<Node, BTreeSet<Object>>,
    flows: FxHashMap<Node, Vec<Node>>,
    deferred: FxHashMap<Node, Vec<Deferred>>,
    /// Objects that became part of a node's set and still have to be handled.
    pending: VecDeque<(Node, Object)>,
    known_flows: FxHashSet<(Node, Node)>,
    objects: Vec<Object>,
}

impl<'m> Solver<'m> {
    fn new(module: &'m Module) -> Self {
        Self {
            module,
            sets: FxHashMap::default(),
            flows: FxHashMap::default(),
            deferred: FxHashMap::default(),
            pending: VecDeque::new(),
            known_flows: FxHashSet::default(),
            objects: Vec::new(),
        }
    }

    fn include(&mut self, node: Node, object: Object) {
        if self.sets.entry(node).or_default().insert(object) {
            self.pending.push_back((node, object));
        }
    }

    fn flow(&mut self, from: Node, to: Node) {
        if from == to || !self.known_flows.insert((from, to)) {
            return;
        }
        self.flows.entry(from).or_default().push(to);
        for object in self.sets.get(&from).cloned().unwrap_or_default() {
            self.include(to, object);
        }
    }

    fn flow_from(&mut self, from: Source, to: Node) {
        match from {
            Source::Node(node) => self.flow(node, to),
            Source::Object(object) => self.include(to, object),
        }
    }

    fn source(function: FunctionId, operand: Operand) -> Option<Source> {
        match operand {
            Operand::Value(value) => Some(Source::Node(Node::Value(function, value))),
            constant => object_of(function, constant).map(Source::Object),
        }
    }

    fn assign(&mut self, function: FunctionId, to: Node, from: Operand) {
        if let Some(source) = Self::source(function, from) {
            self.flow_from(source, to);
        }
    }

    /// Applies a constraint to all present and future targets of an operand.
    fn defer(&mut self, function: FunctionId, address: Operand, constraint: Deferred) {
        match Self::source(function, address) {
            Some(Source::Node(node)) => {
                for object in self.sets.get(&node).cloned().unwrap_or_default() {
                    self.apply(object, &constraint);
                }
                self.deferred.entry(node).or_default().push(constraint);
            }
            Some(Source::Object(object)) => self.apply(object, &constraint),
            None => {}
        }
    }

    fn apply(&mut self, object: Object, constraint: &Deferred) {
        match constraint {
            Deferred::Load(to) => {
                if object == Object::Unknown {
                    self.include(*to, Object::Unknown);
                    for object in self.objects.clone() {
                        self.flow(Node::Contents(object), *to);
                    }
                } else {
                    self.flow(Node::Contents(object), *to);
                }
            }
            Deferred::Store(source) => {
                if object == Object::Unknown {
                    for object in self.objects.clone() {
                        self.flow_from(*source, Node::Contents(object));
                    }
                } else {
                    self.flow_from(*source, Node::Contents(object));
                }
            }
            Deferred::CopyFrom(function, source) => {
                self.defer(*function, *source, Deferred::Load(Node::Contents(object)));
                if object == Object::Unknown {
                    for other in self.objects.clone() {
                        self.include(Node::Contents(other), Object::Unknown);
                    }
                }
            }
            Deferred::Call(caller, arguments, result) => match object {
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
                self.flow(Node::Result(callee), result);
            }
            return;
        }
        // A function without a body may return anything, and store anything anywhere
        // that it is told of.
        if let Some(result) = result
            && function.result == Some(Type::Pointer)
        {
            self.include(result, Object::Unknown);
        }
        for &argument in arguments {
            self.defer(caller, argument, Deferred::Store(Source::Object(Object::Unknown)));
        }
    }

    fn module(&mut self) {
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
            let contents = Node::Contents(Object::Global(GlobalId::new(index)));
            self.initializer(contents, &global.initializer);
        }
        if let Some(entry) = module.entry.map(|entry| (entry, module.function(entry)))
            && let Some(block) = entry.1.blocks.first()
        {
            for &parameter in &block.parameters {
                if entry.1.operand_type(Operand::Value(parameter)) == Type::Pointer {
                    self.include(Node::Value(entry.0, parameter), Object::Unknown);
                }
            }
        }
        for (id, function) in module.functions() {
            for (block, data) in function.blocks() {
                self.block(id, block, data);
            }
        }
    }

    fn initializer(&mut self, contents: Node, initializer: &Initializer) {
        match initializer {
            Initializer::Nondet => self.include(contents, Object::Unknown),
            Initializer::Global(id, _) => self.include(contents, Object::Global(*id)),
            Initializer::Function(id) => self.include(contents, Object::Function(*id)),
            Initializer::Aggregate(elements) => {
                elements.iter().for_each(|element| self.initializer(contents, element));
            }
            Initializer::Zero | Initializer::Int(_) => {}
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
            (Op::Store { address, value, .. }, _) => {
                if let Some(source) = Self::source(id, *value) {
                    self.defer(id, *address, Deferred::Store(source));
                }
            }
            (Op::CopyMemory { destination, source, .. }, _) => {
                self.defer(id, *destination, Deferred::CopyFrom(id, *source));
            }
            (Op::HavocMemory { address, .. }, _) => {
                // Addresses that come from nowhere.
                self.defer(id, *address, Deferred::Store(Source::Object(Object::Unknown)));
            }
            (Op::Load { address, .. }, Some(result)) => {
                self.defer(id, *address, Deferred::Load(result));
            }
            (Op::Nondet, Some(result)) => {
                let value = instruction.result.map(Operand::Value);
                if value.is_some_and(|value| function.operand_type(value) == Type::Pointer) {
                    self.include(result, Object::Unknown);
                }
            }
            (Op::Allocate { .. }, Some(result)) => self.include(result, allocation),
            // Only null is certain to be no address.
            (Op::Cast { op: CastOp::IntToPointer, a: Operand::Int { value: 0, .. } }, Some(_)) => {}
            (Op::Cast { op: CastOp::IntToPointer, .. }, Some(result)) => {
                self.include(result, Object::Unknown);
            }
            (Op::Copy { a } | Op::Cast { a, .. }, Some(result)) => self.assign(id, result, *a),
            (Op::Select { a, b, .. }, Some(result)) => {
                self.assign(id, result, *a);
                self.assign(id, result, *b);
            }
            (Op::FieldAddress { base, .. } | Op::IndexAddress { base, .. }, Some(result)) => {
                // Arithmetic does not leave an object.
                self.assign(id, result, *base);
            }
            (Op::Binary { a, b, .. }, Some(result)) => {
                self.assign(id, result, *a);
                self.assign(id, result, *b);
            }
            (Op::Unary { a, .. }, Some(result)) => self.assign(id, result, *a),
            _ => {}
        }
    }

    fn solve(&mut self) {
        while let Some((node, object)) = self.pending.pop_front() {
            for to in self.flows.get(&node).cloned().unwrap_or_default() {
                self.include(to, object);
            }
            for constraint in self.deferred.get(&node).cloned().unwrap_or_default() {
                self.apply(object, &constraint);
            }
        }
    }
}
