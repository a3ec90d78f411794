//! Functions to automata: one edge per instruction, interleaving points.
//!
//! A thread may be interrupted before a visible step and nowhere else. Steps
//! that touch nothing that other threads see commute with all their steps, so
//! they may be counted to the visible step before them (both-movers). Where
//! no visible step happened since the last interleaving point, another one is
//! not needed. A cycle always has one (outside atomic sections), lest a thread
//! that loops locally would keep the others from acting. And so has the way from
//! a step that others see the effect of to one that may cut the thread off or
//! end the program: others may act in between, whatever becomes of the thread.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{
    BinaryOp, BlockId, CastOp, CompareOp, Function, FunctionId, Initializer, Instruction, Location,
    Module, Op, Operand, Target, TerminatorKind, Type,
};
use sapa_passes::analysis::points_to::{Object, Place, PointsTo};

use super::access::{self, Reach, Targets};
use super::leaf::{Instance, Leaf, Symbols};
use super::memory::Memory;
use super::step::Step;
use super::value::Values;
use super::{
    Automaton, AutomatonError, Bindings, Edge, EdgeId, EdgeTarget, Effect, Node, NodeId, Property,
    Root, Scope, compress,
};
use crate::solver::TermId;

/// Builds the automata of all thread functions of a module whose calls are
/// inlined and whose synchronisation is lowered.
///
/// # Errors
/// If the module has a construct that is not modelled.
pub fn build(symbols: &mut Symbols, module: &Module) -> Result<Automaton, AutomatonError> {
    let functions = thread_functions(module)?;
    let memory = Memory::new(module, &functions)?;
    let points_to = PointsTo::new(module);
    if let Some(escape) = points_to.escape(module) {
        let location = module.describe(escape.location);
        return Err(AutomatonError::Escape { location, text: escape.text });
    }
    let mut parts = Parts::default();
    if points_to.escapes_by_guess(module) {
        parts.note(NO_GUESSES);
    }
    for index in 0..functions.len() {
        FunctionBuilder::new(symbols, module, &memory, &points_to, &functions, index, &mut parts)
            .build(symbols)?;
    }
    let Parts { mut roots, edges, properties, input_bits, notes } = parts;
    let entry_is_spawned =
        edges.iter().any(|edge| matches!(edge.effect, Some(Effect::Spawn { root: 0, .. })));
    if let Some(entry) = roots.first_mut() {
        entry.single = !entry_is_spawned;
    }
    let mut automaton =
        Automaton { roots, edges, memory, points_to, properties, input_bits, notes };
    compress::compress(symbols, &mut automaton);
    bind(symbols, module, &mut automaton);
    Ok(automaton)
}

/// Notes at every node which terms the source variables equal.
fn bind(symbols: &mut Symbols, module: &Module, automaton: &mut Automaton) {
    for root in &mut automaton.roots {
        let function = module.function(root.function);
        let bindings = Bindings::new(function);
        let values = Values::new(symbols, module, &automaton.memory, root.function);
        for node in &mut root.nodes {
            let (block, index) = node.position;
            for (variable, value) in bindings.at(function, block, index) {
                let term = values.value(symbols, value);
                let leaf = Leaf::Variable(root.function, variable);
                node.bindings
                    .insert(symbols.variable(leaf, Instance::Active, values.bits(value)), term);
            }
        }
    }
}

/// What the roots have in common while they are built.
#[derive(Default)]
struct Parts {
    roots: Vec<Root>,
    edges: Vec<Edge>,
    properties: Vec<Property>,
    input_bits: Vec<u16>,
    notes: Vec<String>,
}

impl Parts {
    fn note(&mut self, note: &str) {
        if self.notes.iter().all(|n| n != note) {
            self.notes.push(note.to_owned());
        }
    }
}

/// Of numbers that become addresses and may happen to be those of threads' own objects.
const NO_GUESSES: &str = "assuming that no number is made the address of another thread's object";

/// Where no object lies, in bytes from either end of the address space.
const PAGE: u128 = 4096;

/// The entry function and the functions that are spawned, each once.
fn thread_functions(module: &Module) -> Result<Vec<FunctionId>, AutomatonError> {
    let entry = module.entry.ok_or(AutomatonError::NoEntry)?;
    let mut roots = vec![entry];
    let mut next = 0;
    while let Some(&root) = roots.get(next) {
        next += 1;
        for block in &module.function(root).blocks {
            for instruction in &block.instructions {
                if let Op::Spawn { function, .. } = instruction.op {
                    match function {
                        Operand::Function(function) if module.function(function).is_defined() => {
                            if !roots.contains(&function) {
                                roots.push(function);
                            }
                        }
                        _ => {
                            return Err(unsupported(
                                module,
                                instruction.location,
                                "a thread without a known function",
                            ));
                        }
                    }
                }
            }
        }
    }
    Ok(roots)
}

/// Any value but 0, which is no thread's handle.
fn any_handle(symbols: &mut Symbols, any: TermId) -> TermId {
    let store = &mut symbols.store;
    let width = store.width(any);
    let (zero, one) = (store.constant(width, 0), store.constant(width, 1));
    let is_none = store.eq(any, zero);
    store.ite(is_none, one, any)
}

fn unsupported(module: &Module, location: Location, what: &str) -> AutomatonError {
    AutomatonError::Unsupported { location: module.describe(location), what: what.to_owned() }
}

/// Whether two steps of a thread may be separated by another thread's step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Progress {
    /// Depth of atomic sections.
    depth: u32,
    /// Whether a visible step happened since the last interleaving point.
    pending: bool,
    /// Whether one of them had an effect that others see.
    committed: bool,
}

impl Progress {
    /// At the start of a thread, or at an interleaving point outside atomic sections.
    const NOTHING: Self = Self { depth: 0, pending: false, committed: false };

    /// At an interleaving point.
    fn interrupted(&mut self) {
        self.pending = false;
        self.committed = false;
    }
}

struct FunctionBuilder<'a> {
    module: &'a Module,
    functions: &'a [FunctionId],
    root: usize,
    function: &'a Function,
    memory: &'a Memory,
    points_to: &'a PointsTo,
    values: Values<'a>,
    nodes: Vec<Node>,
    /// Node at the start of each block; `None` for unreachable blocks.
    starts: Vec<Option<NodeId>>,
    parts: &'a mut Parts,
}

/// The edge that is being built.
struct Open {
    from: NodeId,
    step: Step,
    path: Vec<(BlockId, u32)>,
}

impl<'a> FunctionBuilder<'a> {
    fn new(
        symbols: &mut Symbols,
        module: &'a Module,
        memory: &'a Memory,
        points_to: &'a PointsTo,
        functions: &'a [FunctionId],
        root: usize,
        parts: &'a mut Parts,
    ) -> Self {
        let function = module.function(functions[root]);
        let values = Values::new(symbols, module, memory, functions[root]);
        let starts = vec![None; function.blocks.len()];
        Self {
            module,
            functions,
            root,
            function,
            memory,
            points_to,
            values,
            nodes: Vec::new(),
            starts,
            parts,
        }
    }

    fn id(&self) -> FunctionId {
        self.functions[self.root]
    }

    fn build(mut self, symbols: &mut Symbols) -> Result<(), AutomatonError> {
        let cfg = Cfg::new(self.function);
        let dominators = Dominators::new(&cfg);
        let order = cfg.reverse_postorder().to_vec();
        let mut header = vec![false; self.function.blocks.len()];
        for &block in &order {
            for &successor in cfg.successors(block) {
                // Any cycle has an edge against this order, natural loop or not.
                let backwards = order.iter().position(|&b| b == successor)
                    <= order.iter().position(|&b| b == block);
                header[successor.index()] |= backwards || dominators.dominates(successor, block);
            }
        }
        let progress = self.progress(&order, &header);
        for &block in &order {
            let start = progress[block.index()].unwrap_or(Progress::NOTHING);
            let preemptible =
                start.depth == 0 && (block == Function::ENTRY || header[block.index()]);
            let node = self.add_node((block, 0), preemptible);
            self.starts[block.index()] = Some(node);
        }
        for &block in &order {
            let start = progress[block.index()].unwrap_or(Progress::NOTHING);
            self.block(symbols, block, start)?;
        }
        let parameters = self
            .function
            .blocks
            .first()
            .map(|entry| {
                entry
                    .parameters
                    .iter()
                    .map(|&p| (Leaf::Value(self.id(), p), self.values.bits(p)))
                    .collect()
            })
            .unwrap_or_default();
        self.parts.roots.push(Root {
            function: self.id(),
            name: self.function.name.clone(),
            nodes: self.nodes,
            single: false,
            parameters,
        });
        Ok(())
    }

    fn add_node(&mut self, position: (BlockId, u32), preemptible: bool) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node {
            position,
            preemptible,
            edges: Vec::new(),
            bindings: FxHashMap::default(),
        });
        id
    }

    /// Progress at the start of each block: depth of atomic sections, and
    /// whether a visible step may be pending (a fixed point over all paths).
    fn progress(&self, order: &[BlockId], header: &[bool]) -> Vec<Option<Progress>> {
        let mut starts: Vec<Option<Progress>> = vec![None; self.function.blocks.len()];
        starts[Function::ENTRY.index()] = Some(Progress::NOTHING);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order {
                let Some(mut state) = starts[block.index()] else { continue };
                for instruction in &self.function.block(block).instructions {
                    self.advance(instruction, &mut state);
                }
                self.finish(&self.function.block(block).terminator.kind, &mut state);
                self.function.block(block).terminator.kind.for_each_target(|target| {
                    let interruptible = state.depth == 0 && header[target.block.index()];
                    let mut arriving = state;
                    if interruptible {
                        arriving.interrupted();
                    }
                    let slot = &mut starts[target.block.index()];
                    let merged = match *slot {
                        None => arriving,
                        Some(old) => Progress {
                            depth: old.depth,
                            pending: old.pending || arriving.pending,
                            committed: old.committed || arriving.committed,
                        },
                    };
                    changed |= *slot != Some(merged);
                    *slot = Some(merged);
                });
            }
        }
        starts
    }

    /// Moves over an instruction; whether an interleaving point comes before it.
    fn advance(&self, instruction: &Instruction, state: &mut Progress) -> bool {
        let visible = match &instruction.op {
            Op::AtomicBegin => {
                state.depth += 1;
                state.depth == 1
            }
            Op::AtomicEnd => {
                state.depth = state.depth.saturating_sub(1);
                return false;
            }
            Op::Spawn { .. } | Op::Join { .. } => state.depth == 0,
            _ => state.depth == 0 && self.is_shared_access(&instruction.op),
        };
        // Inside a section nobody else acts, so that it is as if the thread had not entered.
        let outside = state.depth == 0 || matches!(instruction.op, Op::AtomicBegin);
        let may_end = outside && state.committed && self.may_cut_off(instruction);
        let cut = (visible && state.pending) || may_end;
        if cut {
            state.interrupted();
        }
        state.pending |= visible;
        state.committed |= match &instruction.op {
            Op::Spawn { .. } => true,
            op @ (Op::Store { .. } | Op::HavocMemory { .. } | Op::CopyMemory { .. }) => {
                self.is_shared_access(op)
            }
            _ => false,
        };
        cut
    }

    /// Moves over a terminator; whether an interleaving point comes before it.
    fn finish(&self, kind: &TerminatorKind, state: &mut Progress) -> bool {
        let mut may_end = matches!(kind, TerminatorKind::Halt | TerminatorKind::Unreachable);
        kind.for_each_operand(|operand| may_end |= self.may_overflow(operand));
        let cut = may_end && state.depth == 0 && state.committed;
        if cut {
            state.interrupted();
        }
        cut
    }

    /// Whether an instruction may have no successor.
    fn may_cut_off(&self, instruction: &Instruction) -> bool {
        let invalid = |address: Operand, ty: &Type| !self.is_valid(address, ty);
        let mut may = match &instruction.op {
            Op::Assume { .. } => true,
            Op::Load { address, .. } => instruction.result.is_some_and(|result| {
                invalid(*address, &self.function.operand_type(Operand::Value(result)))
            }),
            Op::Store { address, ty, .. } | Op::HavocMemory { address, ty } => {
                invalid(*address, ty)
            }
            Op::CopyMemory { destination, source, ty } => {
                invalid(*destination, ty) || invalid(*source, ty)
            }
            _ => false,
        };
        // Where a pure value is used, its operations must have been defined.
        instruction.op.for_each_operand(|operand| may |= self.may_overflow(operand));
        may || instruction.result.is_some_and(|value| self.may_overflow(Operand::Value(value)))
    }

    /// Whether it is certain that an object of the type is at an address.
    fn is_valid(&self, address: Operand, ty: &Type) -> bool {
        let object = match address {
            Operand::Global(id) => self.module.globals.get(id.index()).map(|global| &global.ty),
            Operand::Slot(id) => self.function.slots.get(id.index()).map(|slot| &slot.ty),
            _ => None,
        };
        object.is_some_and(|object| ty.size(self.module) <= object.size(self.module))
    }

    fn may_overflow(&self, operand: Operand) -> bool {
        operand.value().is_some_and(|value| self.values.defined(value).is_some())
    }

    fn is_shared_access(&self, op: &Op) -> bool {
        let addresses = match op {
            Op::Load { address, .. }
            | Op::Store { address, .. }
            | Op::HavocMemory { address, .. } => vec![*address],
            Op::CopyMemory { destination, source, .. } => vec![*destination, *source],
            _ => return false,
        };
        addresses.into_iter().any(|address| {
            let targets = self.targets(address, 0);
            let mut objects = targets.objects(self.memory, self.id());
            objects.any(|(object, ..)| object.scope == Scope::Shared && !object.constant)
        })
    }

    fn open(&self, node: NodeId) -> Open {
        Open { from: node, step: Step::default(), path: Vec::new() }
    }

    fn close(&mut self, symbols: &Symbols, open: Open, to: EdgeTarget, effect: Option<Effect>) {
        if open.step.is_impossible(symbols) {
            return;
        }
        let id = EdgeId(u32::try_from(self.parts.edges.len()).unwrap_or(u32::MAX));
        self.nodes[open.from.0 as usize].edges.push(id);
        self.parts.edges.push(Edge {
            root: self.root,
            from: open.from,
            to,
            step: open.step,
            effect,
            path: open.path,
        });
    }

    fn block(
        &mut self,
        symbols: &mut Symbols,
        block: BlockId,
        mut progress: Progress,
    ) -> Result<(), AutomatonError> {
        let Some(start) = self.starts[block.index()] else { return Ok(()) };
        let mut open = self.open(start);
        let function = self.function;
        for (index, instruction) in function.block(block).instructions.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let cut = self.advance(instruction, &mut progress);
            let separate = matches!(instruction.op, Op::Spawn { .. } | Op::Join { .. });
            if cut || (separate && !open.path.is_empty()) {
                let node = self.add_node((block, index), cut);
                self.close(symbols, open, EdgeTarget::Node(node), None);
                open = self.open(node);
            }
            let effect = self.instruction(symbols, &mut open, block, index, instruction)?;
            if separate {
                let node = self.add_node((block, index + 1), false);
                self.close(symbols, open, EdgeTarget::Node(node), effect);
                open = self.open(node);
            }
        }
        if self.finish(&function.block(block).terminator.kind, &mut progress) {
            let index = function.block(block).instructions.len();
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let node = self.add_node((block, index), true);
            self.close(symbols, open, EdgeTarget::Node(node), None);
            open = self.open(node);
        }
        self.terminator(symbols, open, block)
    }

    /// Assumes that the signed operations that an operand's value is made of did not overflow.
    fn assume_defined(
        &self,
        symbols: &mut Symbols,
        open: &mut Open,
        operand: Operand,
        location: Location,
    ) {
        if let Some(condition) = operand.value().and_then(|value| self.values.defined(value)) {
            open.step.assume(symbols, condition, location);
        }
    }

    /// The term of an operand over the state before the open edge.
    fn operand(&self, symbols: &mut Symbols, open: &Open, operand: Operand) -> TermId {
        let term = self.values.operand(symbols, operand);
        open.step.before(symbols, term)
    }

    fn input(&mut self, symbols: &mut Symbols, open: &mut Open, bits: u16) -> (u32, TermId) {
        let index = u32::try_from(self.parts.input_bits.len()).unwrap_or(u32::MAX);
        self.parts.input_bits.push(bits);
        open.step.inputs.push(index);
        open.step.input_positions.push(u32::try_from(open.path.len()).unwrap_or(u32::MAX));
        (index, symbols.variable(Leaf::Input(index), Instance::Active, bits))
    }

    fn instruction(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        block: BlockId,
        index: u32,
        instruction: &Instruction,
    ) -> Result<Option<Effect>, AutomatonError> {
        let location = instruction.location;
        let mut effect = None;
        if !instruction.op.is_pure() {
            let mut operands = Vec::new();
            instruction.op.for_each_operand(|operand| operands.push(operand));
            for operand in operands {
                self.assume_defined(symbols, open, operand, location);
            }
        }
        if self.shows_layout(instruction) {
            self.parts.note("assuming one layout of memory: the program computes with addresses");
        }
        let bits = instruction.result.map_or(1, |result| self.values.bits(result));
        if self.compares_literals(instruction) {
            self.parts.note("assuming that each string literal is an object of its own");
        }
        if self.may_be_undefined(instruction) {
            self.parts.note("assuming that divisions and shifts are defined");
        }
        // The result over the state before the edge; `None` for pure values, which are no leaves.
        let result = match &instruction.op {
            op if op.is_pure() => None,
            Op::Load { address, .. } => Some(self.load(symbols, open, *address, bits, location)),
            Op::Store { address, value, ty, .. } => {
                let bits = super::value::scalar_bits(self.module, ty);
                let term = self.operand(symbols, open, *value);
                self.store(symbols, open, (*address, 0), term, bits, location);
                None
            }
            Op::CopyMemory { destination, source, ty } => {
                self.copy(symbols, open, *destination, *source, ty, location)?;
                None
            }
            Op::HavocMemory { address, ty } => {
                for (offset, bits) in self.scalars(ty, location)? {
                    let (_, any) = self.input(symbols, open, bits);
                    self.store(symbols, open, (*address, offset), any, bits, location);
                }
                None
            }
            Op::Nondet => Some(self.input(symbols, open, bits).1),
            Op::ThreadSelf => {
                let any = self.input(symbols, open, bits).1;
                Some(any_handle(symbols, any))
            }
            Op::Assume { condition } => {
                let condition = self.values.operand(symbols, *condition);
                open.step.assume(symbols, condition, location);
                None
            }
            Op::Assert { condition, property } => {
                let condition = self.operand(symbols, open, *condition);
                self.assertion(symbols, open, (block, index), condition, property, location);
                None
            }
            Op::AtomicBegin | Op::AtomicEnd | Op::Fence { .. } => None,
            Op::Spawn { function, arguments } => {
                let root = match function {
                    Operand::Function(function) => {
                        self.functions.iter().position(|f| f == function)
                    }
                    _ => None,
                };
                let root = root.ok_or_else(|| {
                    unsupported(self.module, location, "a thread without a known function")
                })?;
                let mut terms = Vec::new();
                for &argument in arguments {
                    terms.push(self.operand(symbols, open, argument));
                }
                let handle = instruction.result.map(|_| self.input(symbols, open, bits));
                effect = Some(Effect::Spawn {
                    root,
                    arguments: terms,
                    handle: handle.map(|(index, _)| index),
                });
                handle.map(|(_, term)| any_handle(symbols, term))
            }
            Op::Join { handle } => {
                effect = Some(Effect::Join { handle: self.operand(symbols, open, *handle) });
                // What the thread ended with is not followed: any value.
                instruction.result.map(|result| {
                    let ty = self.function.operand_type(Operand::Value(result));
                    let bits = ty.bits(self.module).unwrap_or(1);
                    self.input(symbols, open, bits).1
                })
            }
            Op::Call { .. } => {
                return Err(unsupported(self.module, location, "a call that is not inlined"));
            }
            Op::Sync { .. } => {
                return Err(unsupported(self.module, location, "this synchronisation operation"));
            }
            // An access after it would be cut off: without that there are more runs.
            Op::Free { .. } => None,
            Op::Allocate { .. } | Op::ObjectSize { .. } => {
                return Err(unsupported(self.module, location, "heap memory"));
            }
            _ => return Err(unsupported(self.module, location, "this instruction")),
        };
        if let Some(value) = instruction.result {
            if let Some(term) = result {
                open.step.updates.insert(Leaf::Value(self.id(), value), term);
            }
            if let Some(variable) = self.function.values[value.index()].variable {
                self.assume_defined(symbols, open, Operand::Value(value), location);
                let term = self.operand(symbols, open, Operand::Value(value));
                open.step.updates.insert(Leaf::Variable(self.id(), variable), term);
            }
        }
        open.path.push((block, index));
        Ok(effect)
    }

    /// An edge to the error, and the condition assumed on the way on.
    fn assertion(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        at: (BlockId, u32),
        condition: TermId,
        text: &str,
        location: Location,
    ) {
        let property = u32::try_from(self.parts.properties.len()).unwrap_or(u32::MAX);
        self.parts.properties.push(Property { text: text.to_owned(), location });
        let mut failing =
            Open { from: open.from, step: open.step.clone(), path: open.path.clone() };
        failing.path.push(at);
        let negated = symbols.store.not(condition);
        failing.step.assume_before(symbols, negated, location);
        self.close(symbols, failing, EdgeTarget::Error(property), None);
        open.step.assume_before(symbols, condition, location);
    }

    /// What the points-to analysis says of an address and so many bytes further on.
    fn targets(&self, address: Operand, distance: u64) -> Targets {
        Targets::new(self.points_to.places(self.id(), address), distance)
    }

    /// The term of an address, so many bytes further on, and the cells that an access there may
    /// reach.
    fn place(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        (address, distance): (Operand, u64),
        bits: u16,
    ) -> (TermId, Reach) {
        let targets = self.targets(address, distance);
        let base = self.operand(symbols, open, address);
        let distance = symbols.store.constant(symbols.store.width(base), u128::from(distance));
        let term = symbols.store.add(base, distance);
        let reach = access::reach(symbols, self.memory, self.id(), term, &targets, bits);
        if matches!(targets, Targets::Anywhere) && self.memory.has_private_objects() {
            self.parts.note(NO_GUESSES);
        }
        (term, reach)
    }

    fn load(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        address: Operand,
        bits: u16,
        location: Location,
    ) -> TermId {
        let (address, reach) = self.place(symbols, open, (address, 0), bits);
        self.read(symbols, open, &reach, address, bits, location)
    }

    fn read(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        reach: &Reach,
        address: TermId,
        bits: u16,
        location: Location,
    ) -> TermId {
        let any = (!reach.is_exact()).then(|| self.input(symbols, open, bits).1);
        let (term, valid) = access::read(symbols, self.memory, &open.step, reach, address, any);
        if let Some(valid) = valid {
            open.step.assume_before(symbols, valid, location);
            self.note_pointers();
        }
        // Where there is nothing to read, no execution gets past the guard.
        term.unwrap_or_else(|| super::value::constant(symbols, bits, 0))
    }

    fn store(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        place: (Operand, u64),
        value: TermId,
        bits: u16,
        location: Location,
    ) {
        let (address, reach) = self.place(symbols, open, place, bits);
        self.write(symbols, open, &reach, address, value, location);
    }

    fn write(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        reach: &Reach,
        address: TermId,
        value: TermId,
        location: Location,
    ) {
        let guards = open.step.guards.len();
        let any: Vec<TermId> = reach
            .partial
            .iter()
            .map(|&cell| self.input(symbols, open, self.memory.cell(cell).bits).1)
            .collect();
        let write = access::Write { reach, address, value, any: &any, location };
        access::write(symbols, self.memory, &mut open.step, write);
        if open.step.guards.len() > guards {
            self.note_pointers();
        }
    }

    fn note_pointers(&mut self) {
        self.parts.note("assuming valid pointers and array indices");
    }

    /// Whether a result may depend on where objects lie: an address as a number, a number or a
    /// part of an address as an address, or an order of addresses in different objects.
    fn shows_layout(&self, instruction: &Instruction) -> bool {
        let is_address = |operand: Operand| self.function.operand_type(operand) == Type::Pointer;
        match &instruction.op {
            Op::Cast { op: CastOp::PointerToInt, a } => {
                let objects = self.points_to.targets(self.id(), *a);
                objects.iter().any(|&object| object != Object::Forged)
            }
            // A place that the program knows of. The first and the last page are nobody's.
            Op::Cast { op: CastOp::IntToPointer, a: Operand::Int { value, bits } } => {
                let last = u128::MAX >> (128 - u32::from(*bits).clamp(1, 128));
                *value > PAGE && *value < last - PAGE
            }
            Op::Compare { op, a, b } if !matches!(op, CompareOp::Eq | CompareOp::Ne) => {
                let mut objects = self.points_to.targets(self.id(), *a);
                objects.extend(self.points_to.targets(self.id(), *b));
                is_address(*a) && (objects.len() > 1 || objects.iter().any(|o| o.is_any()))
            }
            // One past the end of an object may be another.
            Op::Compare { a, b, .. } => {
                let (of_a, of_b) =
                    (self.points_to.places(self.id(), *a), self.points_to.places(self.id(), *b));
                let is_end = |place: &Place, other: &BTreeSet<Place>| {
                    other.iter().any(|other| other.object != place.object)
                        && place.is_end(self.module)
                };
                is_address(*a)
                    && (of_a.iter().any(|place| is_end(place, &of_b))
                        || of_b.iter().any(|place| is_end(place, &of_a)))
            }
            Op::Load { address, .. } => {
                let Some(result) = instruction.result.map(Operand::Value) else { return false };
                let size = self.function.operand_type(result).size(self.module);
                if is_address(result) {
                    self.points_to.reads_number(self.id(), *address, size)
                } else {
                    !self.points_to.places(self.id(), result).is_empty()
                }
            }
            _ => false,
        }
    }

    /// Whether an instruction says whether two constants that a compiler may make one are.
    fn compares_literals(&self, instruction: &Instruction) -> bool {
        let Op::Compare { op: CompareOp::Eq | CompareOp::Ne, a, b } = instruction.op else {
            return false;
        };
        let literals = |operand: Operand| {
            let objects = self.points_to.targets(self.id(), operand).into_iter();
            objects.filter_map(|object| literal(self.module, object)).collect::<Vec<_>>()
        };
        let (of_a, of_b) = (literals(a), literals(b));
        let alike = |x: &[Initializer], y: &[Initializer]| x.ends_with(y) || y.ends_with(x);
        of_a.iter().any(|x| of_b.iter().any(|y| !std::ptr::eq(*x, *y) && alike(x, y)))
    }

    /// Whether C does not say what an operation does for some operands. Here it has a result.
    fn may_be_undefined(&self, instruction: &Instruction) -> bool {
        let Op::Binary { op, b, .. } = instruction.op else { return false };
        match op {
            BinaryOp::UnsignedDiv
            | BinaryOp::SignedDiv
            | BinaryOp::UnsignedRem
            | BinaryOp::SignedRem => !matches!(b, Operand::Int { value: 1.., .. }),
            BinaryOp::ShiftLeft | BinaryOp::LogicalShiftRight | BinaryOp::ArithmeticShiftRight => {
                !matches!(b, Operand::Int { value, bits } if value < u128::from(bits))
            }
            _ => false,
        }
    }

    fn scalars(&self, ty: &Type, location: Location) -> Result<Vec<(u64, u16)>, AutomatonError> {
        super::memory::scalars(self.module, ty)
            .ok_or_else(|| unsupported(self.module, location, "an object of so many scalars"))
    }

    fn copy(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        destination: Operand,
        source: Operand,
        ty: &Type,
        location: Location,
    ) -> Result<(), AutomatonError> {
        // All is read before anything is written: they may overlap. The address terms are over
        // the state before the edge.
        let places: Vec<_> = self
            .scalars(ty, location)?
            .into_iter()
            .map(|(offset, bits)| {
                let from = self.place(symbols, open, (source, offset), bits);
                (from, self.place(symbols, open, (destination, offset), bits), bits)
            })
            .collect();
        let mut read = Vec::new();
        for ((term, reach), _, bits) in &places {
            read.push(self.read(symbols, open, reach, *term, *bits, location));
        }
        for ((_, (term, reach), _), value) in places.iter().zip(read) {
            self.write(symbols, open, reach, *term, value, location);
        }
        Ok(())
    }

    fn terminator(
        &mut self,
        symbols: &mut Symbols,
        mut open: Open,
        block: BlockId,
    ) -> Result<(), AutomatonError> {
        let function = self.function;
        let terminator = &function.block(block).terminator;
        let location = terminator.location;
        let index = u32::try_from(function.block(block).instructions.len()).unwrap_or(u32::MAX);
        open.path.push((block, index));
        match &terminator.kind {
            TerminatorKind::Jump(target) => self.jump(symbols, open, target, None, location),
            TerminatorKind::Branch { condition, then, otherwise } => {
                self.assume_defined(symbols, &mut open, *condition, location);
                let condition = self.operand(symbols, &open, *condition);
                let negated = symbols.store.not(condition);
                let other =
                    Open { from: open.from, step: open.step.clone(), path: open.path.clone() };
                self.jump(symbols, open, then, Some(condition), location);
                self.jump(symbols, other, otherwise, Some(negated), location);
            }
            TerminatorKind::Switch { value, cases, default } => {
                self.assume_defined(symbols, &mut open, *value, location);
                let bits = function.operand_bits(self.module, *value);
                let value = self.operand(symbols, &open, *value);
                let mut none = symbols.store.true_();
                for (case, target) in cases {
                    let case = super::value::constant(symbols, bits, *case);
                    let hit = super::value::compare(symbols, CompareOp::Eq, value, case);
                    let miss = symbols.store.not(hit);
                    none = symbols.store.and(none, miss);
                    let arm =
                        Open { from: open.from, step: open.step.clone(), path: open.path.clone() };
                    self.jump(symbols, arm, target, Some(hit), location);
                }
                self.jump(symbols, open, default, Some(none), location);
            }
            TerminatorKind::Return(_) | TerminatorKind::EndThread(_) => {
                self.close(symbols, open, EdgeTarget::EndThread, None);
            }
            TerminatorKind::Halt => self.close(symbols, open, EdgeTarget::Halt, None),
            TerminatorKind::Unreachable => {}
        }
        Ok(())
    }

    fn jump(
        &mut self,
        symbols: &mut Symbols,
        mut open: Open,
        target: &Target,
        guard: Option<TermId>,
        location: Location,
    ) {
        if let Some(guard) = guard {
            open.step.assume_before(symbols, guard, location);
        }
        let function = self.function;
        let parameters = &function.block(target.block).parameters;
        let mut updates = Vec::new();
        for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
            self.assume_defined(symbols, &mut open, argument, location);
            let term = self.operand(symbols, &open, argument);
            updates.push((Leaf::Value(self.id(), parameter), term));
            if let Some(variable) = function.values[parameter.index()].variable {
                updates.push((Leaf::Variable(self.id(), variable), term));
            }
        }
        open.step.updates.extend(updates);
        if let Some(node) = self.starts[target.block.index()] {
            self.close(symbols, open, EdgeTarget::Node(node), None);
        }
    }
}

/// The contents of a constant array of integers, as string literals are.
fn literal(module: &Module, object: Object) -> Option<&[Initializer]> {
    let Object::Global(id) = object else { return None };
    let global = module.globals.get(id.index()).filter(|global| global.constant)?;
    match (&global.ty, &global.initializer) {
        (Type::Array(element, _), Initializer::Aggregate(items)) => {
            matches!(**element, Type::Int(_)).then_some(items)
        }
        _ => None,
    }
}
