//! Functions to automata: one edge from one interleaving point to the next.

mod accesses;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{
    BlockId, CompareOp, Entity, Expression, Function, FunctionId, Instruction, Location,
    MemoryModel, Module, Op, Operand, Target, TerminatorKind,
};
use sapa_limits::{Limits, Phase};
use sapa_passes::analysis::Analyses;
use sapa_passes::analysis::accessed::Accessed;
use sapa_passes::analysis::needed::Needed;
use sapa_passes::analysis::points_to::PointsTo;
use sapa_passes::analysis::trip_count::round_counters;
use sapa_passes::transform::invariants::Movers;

use super::interleaving::Progress;
use super::leaf::{Instance, Leaf, Symbols};
use super::memory::Memory;
use super::step::{Growing, MAX_GUARDS, Step};
use super::thread::Thread;
use super::value::Values;
use super::{
    Automaton, AutomatonError, Edge, EdgeId, EdgeTarget, Effect, Input, Interruptions, Node,
    NodeId, Path, Property, Root, SourceVariables, compress, facts, fences,
};
use crate::assumptions::{NO_GUESSES, of_overflow};
use crate::index::small_index;
use crate::solver::TermId;

/// Builds the automata of all thread functions of a module whose calls are
/// inlined and whose synchronisation is lowered.
///
/// # Errors
/// If the module has a construct that is not modelled, or a limit ends the work.
pub fn build(
    symbols: &mut Symbols,
    module: &Module,
    interruptions: Interruptions,
    limits: &Limits,
) -> Result<Automaton, AutomatonError> {
    let _phase = limits.enter(Phase::Automaton);
    let functions = thread_functions(module)?;
    let points_to = PointsTo::within(module, limits)?;
    let needed = Needed::new(module, &points_to);
    let memory = Memory::new(module, &functions, &needed, &Accessed::new(module, &points_to))?;
    if let Some(escape) = points_to.escape(module) {
        return Err(AutomatonError::Escape(escape));
    }
    let mut parts = Parts::default();
    of_overflow(module).into_iter().for_each(|note| parts.note(note));
    module.notes.iter().for_each(|note| parts.note(note));
    if module.memory != MemoryModel::Sc {
        fences::refuse(module)?;
    }
    let roots = functions.iter().enumerate().map(|(root, &id)| (id, root)).collect();
    // Stores that wait in buffers get to memory at other times than where they stand in the code.
    let movers = match (interruptions, module.memory) {
        (Interruptions::WhereSeen, MemoryModel::Sc) => Analyses::new(limits).get(module)?,
        _ => Rc::new(Movers::default()),
    };
    if points_to.escapes_by_guess(module) {
        parts.note(NO_GUESSES);
    }
    for (root, &id) in functions.iter().enumerate() {
        limits.check()?;
        let values = Values::new(symbols, module, &memory, id);
        let function = module.function(id);
        let (memory, points_to, values, movers) = (&memory, &points_to, &values, &*movers);
        let thread = Thread { module, id, function, memory, points_to, values, movers };
        let starts = vec![None; function.blocks.len()];
        let (functions, nodes, parts) = (&roots, Vec::new(), &mut parts);
        let entity = Entity::Function(thread.id);
        FunctionBuilder { thread, functions, root, nodes, starts, parts, entity }.build(symbols)?;
    }
    let Parts { mut roots, edges, properties, inputs, notes } = parts;
    let entry_is_spawned =
        edges.iter().any(|edge| matches!(edge.effect, Some(Effect::Spawn { root: 0, .. })));
    if let Some(entry) = roots.first_mut() {
        entry.single = !entry_is_spawned;
    }
    let counters = functions.iter().flat_map(|&id| {
        let own = round_counters(module, module.function(id));
        own.into_iter().map(move |value| Leaf::Value(id, value))
    });
    let counters = counters.collect();
    let mut automaton =
        Automaton { roots, edges, memory, points_to, properties, inputs, counters, notes };
    compress::compress(symbols, &mut automaton, limits)?;
    Ok(automaton)
}

/// What the roots have in common while they are built.
#[derive(Default)]
struct Parts {
    roots: Vec<Root>,
    edges: Vec<Edge>,
    properties: Vec<Property>,
    inputs: Vec<Input>,
    notes: Vec<String>,
}

impl Parts {
    fn note(&mut self, note: &str) {
        if self.notes.iter().all(|n| n != note) {
            self.notes.push(note.to_owned());
        }
    }
}

/// The entry function and the functions that are spawned, each once.
fn thread_functions(module: &Module) -> Result<Vec<FunctionId>, AutomatonError> {
    let entry = module.entry.ok_or(AutomatonError::NoEntry)?;
    let mut roots = vec![entry];
    let mut known = FxHashSet::from_iter([entry]);
    let mut next = 0;
    while let Some(&root) = roots.get(next) {
        next += 1;
        for (entity, instruction) in module.function(root).entities(root) {
            if let Op::Spawn { function, .. } = instruction.op {
                match function {
                    Operand::Function(function) if module.function(function).is_defined() => {
                        if known.insert(function) {
                            roots.push(function);
                        }
                    }
                    _ => {
                        return Err(unsupported(
                            module,
                            entity,
                            "a thread without a known function",
                        ));
                    }
                }
            }
        }
    }
    Ok(roots)
}

/// Any value but 0, which is no thread's handle and no object's address.
fn any_handle(symbols: &mut Symbols, any: TermId) -> TermId {
    let store = &mut symbols.store;
    let width = store.width(any);
    let (zero, one) = (store.constant(width, 0), store.constant(width, 1));
    let is_none = store.eq(any, zero);
    store.ite(is_none, one, any)
}

fn unsupported(module: &Module, entity: Entity, what: &str) -> AutomatonError {
    let location = module.location(entity);
    AutomatonError::Unsupported { entity, location, what: what.to_owned() }
}

struct FunctionBuilder<'a> {
    thread: Thread<'a>,
    /// Roots by function.
    functions: &'a FxHashMap<FunctionId, usize>,
    root: usize,
    nodes: Vec<Node>,
    /// Node at the start of each block; `None` for unreachable blocks.
    starts: Vec<Option<NodeId>>,
    parts: &'a mut Parts,
    /// What is being built, for errors.
    entity: Entity,
}

/// The edge that is being built.
struct Open {
    from: NodeId,
    step: Growing,
    path: Path,
}

impl FunctionBuilder<'_> {
    fn build(mut self, symbols: &mut Symbols) -> Result<(), AutomatonError> {
        let cfg = Cfg::new(self.thread.function);
        let order = cfg.reverse_postorder().to_vec();
        let mut header = vec![false; self.thread.function.blocks.len()];
        for &block in &order {
            for &successor in cfg.successors(block) {
                // Any cycle has an edge against this order, natural loop or not.
                header[successor.index()] |= cfg.is_backwards(block, successor);
            }
        }
        let progress = self.thread.progress(&order, &header);
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
            .thread
            .function
            .blocks
            .first()
            .map(|entry| {
                entry
                    .parameters
                    .iter()
                    .map(|&p| (Leaf::Value(self.thread.id, p), self.thread.values.bits(p)))
                    .collect()
            })
            .unwrap_or_default();
        let variables =
            SourceVariables::new(symbols, self.thread.module, self.thread.id, self.thread.values);
        let mut root = Root {
            function: self.thread.id,
            name: self.thread.function.name.clone(),
            nodes: self.nodes,
            single: false,
            parameters,
            variables,
        };
        facts::add(symbols, self.thread.module, self.thread.values, &mut root);
        self.parts.roots.push(root);
        Ok(())
    }

    fn add_node(&mut self, position: (BlockId, u32), preemptible: bool) -> NodeId {
        let id = NodeId::new(self.nodes.len());
        let (edges, facts) = (Vec::new(), Vec::new());
        self.nodes.push(Node { position, preemptible, edges, facts });
        id
    }

    fn open(&self, node: NodeId) -> Open {
        Open { from: node, step: Growing::default(), path: Path::default() }
    }

    fn close(&mut self, symbols: &Symbols, open: Open, to: EdgeTarget, effect: Option<Effect>) {
        self.add_edge(symbols, (open.from, to), open.step.step, open.path, effect);
    }

    fn add_edge(
        &mut self,
        symbols: &Symbols,
        (from, to): (NodeId, EdgeTarget),
        step: Step,
        path: Path,
        effect: Option<Effect>,
    ) {
        if step.is_impossible(symbols) {
            return;
        }
        let id = EdgeId::new(self.parts.edges.len());
        self.nodes[from.index()].edges.push(id);
        self.parts.edges.push(Edge { root: self.root, from, to, step, effect, path });
    }

    fn block(
        &mut self,
        symbols: &mut Symbols,
        block: BlockId,
        mut progress: Progress,
    ) -> Result<(), AutomatonError> {
        let Some(start) = self.starts[block.index()] else { return Ok(()) };
        let mut open = self.open(start);
        let function = self.thread.function;
        for (index, instruction) in function.block(block).instructions.iter().enumerate() {
            self.entity = Entity::Instruction(self.thread.id, block, index);
            let cut = self.thread.advance((block, index), instruction, &mut progress);
            let index = small_index(index);
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
            } else if open.step.step.guards.len() >= MAX_GUARDS {
                let node = self.add_node((block, index + 1), false);
                self.close(symbols, open, EdgeTarget::Node(node), None);
                open = self.open(node);
            }
        }
        if self.thread.finish(&function.block(block).terminator.kind, &mut progress) {
            let index = function.block(block).instructions.len();
            let index = small_index(index);
            let node = self.add_node((block, index), true);
            self.close(symbols, open, EdgeTarget::Node(node), None);
            open = self.open(node);
        }
        self.terminator(symbols, open, block)
    }

    /// The term of an operand over the state before the open edge.
    fn operand(&self, symbols: &mut Symbols, open: &mut Open, operand: Operand) -> TermId {
        let term = self.thread.values.operand(symbols, operand);
        open.step.before(symbols, term)
    }

    fn input(&mut self, symbols: &mut Symbols, open: &mut Open, bits: u16) -> (u32, TermId) {
        self.choice(symbols, open, Input { bits, offset: None })
    }

    fn choice(&mut self, symbols: &mut Symbols, open: &mut Open, input: Input) -> (u32, TermId) {
        let bits = input.bits;
        let index = small_index(self.parts.inputs.len());
        self.parts.inputs.push(input);
        let position = small_index(open.path.len());
        open.step.step.choose(index, position);
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
        if let Some(defined) = instruction.result.and_then(|v| self.thread.values.defined(v)) {
            open.step.assume(symbols, defined, location);
        }
        for note in self.thread.assumptions(instruction) {
            self.parts.note(note);
        }
        let bits = instruction.result.map_or(1, |result| self.thread.values.bits(result));
        // The result over the state before the edge; `None` for pure values, which are no leaves.
        let result = match &instruction.op {
            op if op.is_pure() => None,
            Op::Load { .. }
                if instruction.result.is_some_and(|value| self.thread.values.is_pure(value)) =>
            {
                None
            }
            Op::Load { address, .. } => Some(self.load(symbols, open, *address, bits, location)),
            Op::Store { address, value, ty, .. } => {
                let bits = super::value::scalar_bits(self.thread.module, ty);
                let term = self.operand(symbols, open, *value);
                self.store(symbols, open, (*address, 0), term, bits, location);
                None
            }
            Op::CopyMemory { destination, source, ty } => {
                self.copy(symbols, open, *destination, *source, ty, location)?;
                None
            }
            Op::HavocMemory { address, ty } => {
                self.havoc(symbols, open, *address, ty, location)?;
                None
            }
            Op::Nondet { .. } => Some(self.input(symbols, open, bits).1),
            Op::ThreadSelf => {
                let any = self.input(symbols, open, bits).1;
                Some(any_handle(symbols, any))
            }
            Op::Assume { condition } => {
                let condition = self.thread.values.operand(symbols, *condition);
                open.step.assume(symbols, condition, location);
                None
            }
            Op::Assert { condition, property } => {
                let holds = self.holds((block, index), *condition);
                let condition = self.operand(symbols, open, *condition);
                self.assertion(symbols, open, (block, index, holds), condition, property, location);
                None
            }
            Op::AtomicBegin(_) | Op::AtomicEnd | Op::Fence { .. } => None,
            Op::Spawn { function, arguments } => {
                let root = match function {
                    Operand::Function(function) => self.functions.get(function).copied(),
                    _ => None,
                };
                let root = root.ok_or_else(|| {
                    unsupported(
                        self.thread.module,
                        self.entity,
                        "a thread without a known function",
                    )
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
                    location: instruction.location,
                });
                handle.map(|(_, term)| any_handle(symbols, term))
            }
            Op::Join { handle } => {
                let handle = self.operand(symbols, open, *handle);
                effect = Some(Effect::Join { handle, location: instruction.location });
                // What the thread ended with is not followed: any value.
                instruction.result.map(|result| {
                    let ty = self.thread.function.operand_type(Operand::Value(result));
                    let bits = ty.bits(self.thread.module).unwrap_or(1);
                    self.input(symbols, open, bits).1
                })
            }
            Op::Call { .. } => {
                let what = "a call that is not inlined";
                return Err(unsupported(self.thread.module, self.entity, what));
            }
            Op::Sync { .. } => {
                let what = "this synchronisation operation";
                return Err(unsupported(self.thread.module, self.entity, what));
            }
            // An access after it would be cut off: without that there are more runs.
            Op::Free { .. } => None,
            // Where it lies is open, and so is what is read there: what is written is not followed. What
            // is reached through what is read is, as the analysis of pointers knows what was stored.
            Op::Allocate { .. } => {
                let any = self.input(symbols, open, bits).1;
                Some(any_handle(symbols, any))
            }
            Op::ObjectSize { .. } => Some(self.input(symbols, open, bits).1),
            Op::Accessible { address, ty, .. } => {
                Some(self.accessible(symbols, open, *address, ty))
            }
            _ => return Err(unsupported(self.thread.module, self.entity, "this instruction")),
        };
        if let Some(value) = instruction.result {
            if let Some(term) = result {
                open.step.update(symbols, Leaf::Value(self.thread.id, value), term);
            }
            if let Some(variable) = self.thread.function.values[value.index()].variable {
                let term = self.operand(symbols, open, Operand::Value(value));
                open.step.update(symbols, Leaf::Variable(self.thread.id, variable), term);
            }
        }
        open.path.push(block, index);
        Ok(effect)
    }

    /// Whether an invariant says that a condition is 1 at a place, or that no run comes there.
    fn holds(&self, (block, index): (BlockId, u32), condition: Operand) -> bool {
        self.thread.module.invariants.iter().any(|invariant| {
            let is_here = (invariant.function, invariant.block, invariant.index)
                == (self.thread.id, block, index);
            is_here
                && match &invariant.expression {
                    Expression::Value { value, .. } => condition == Operand::Value(*value),
                    Expression::Int { value, .. } => *value == 0,
                    _ => false,
                }
        })
    }

    /// An edge to the error, unless it is known that the condition holds, and the condition assumed
    /// on the way on.
    fn assertion(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        (block, index, holds): (BlockId, u32, bool),
        condition: TermId,
        text: &str,
        location: Location,
    ) {
        let property = small_index(self.parts.properties.len());
        self.parts.properties.push(Property { text: text.to_owned(), location });
        if !holds {
            let (mut failing, mut path) = (open.step.step.clone(), open.path.clone());
            path.push(block, index);
            let negated = symbols.store.not(condition);
            failing.assume_before(symbols, negated, location);
            self.add_edge(symbols, (open.from, EdgeTarget::Error(property)), failing, path, None);
        }
        open.step.pass_assertion(symbols, condition, location);
    }

    fn terminator(
        &mut self,
        symbols: &mut Symbols,
        mut open: Open,
        block: BlockId,
    ) -> Result<(), AutomatonError> {
        let function = self.thread.function;
        let terminator = &function.block(block).terminator;
        let location = terminator.location;
        let index = small_index(function.block(block).instructions.len());
        open.path.push(block, index);
        match &terminator.kind {
            TerminatorKind::Jump(target) => self.jump(symbols, &mut open, target, None, location),
            TerminatorKind::Branch { condition, then, otherwise } => {
                let condition = self.operand(symbols, &mut open, *condition);
                let negated = symbols.store.not(condition);
                self.jump(symbols, &mut open, then, Some(condition), location);
                self.jump(symbols, &mut open, otherwise, Some(negated), location);
            }
            TerminatorKind::Switch { value, cases, default } => {
                let bits = function.operand_bits(self.thread.module, *value);
                let value = self.operand(symbols, &mut open, *value);
                let mut none = symbols.store.true_();
                for (case, target) in cases {
                    let case = super::value::constant(symbols, bits, *case);
                    let hit = super::value::compare(symbols, CompareOp::Eq, value, case);
                    let miss = symbols.store.not(hit);
                    none = symbols.store.and(none, miss);
                    self.jump(symbols, &mut open, target, Some(hit), location);
                }
                self.jump(symbols, &mut open, default, Some(none), location);
            }
            TerminatorKind::Return(_) | TerminatorKind::EndThread(_) => {
                self.close(symbols, open, EdgeTarget::EndThread, None);
            }
            TerminatorKind::Halt => self.close(symbols, open, EdgeTarget::Halt, None),
            TerminatorKind::Unreachable => {}
        }
        Ok(())
    }

    /// Adds the edge that ends with a jump; the open one stays what it is, as there may be others.
    fn jump(
        &mut self,
        symbols: &mut Symbols,
        open: &mut Open,
        target: &Target,
        guard: Option<TermId>,
        location: Location,
    ) {
        let mut step = open.step.step.clone();
        if let Some(guard) = guard {
            step.assume_before(symbols, guard, location);
        }
        let function = self.thread.function;
        let parameters = &function.block(target.block).parameters;
        let mut updates = Vec::new();
        for (&parameter, &argument) in parameters.iter().zip(&target.arguments) {
            let term = self.operand(symbols, open, argument);
            updates.push((Leaf::Value(self.thread.id, parameter), term));
            if let Some(variable) = function.values[parameter.index()].variable {
                updates.push((Leaf::Variable(self.thread.id, variable), term));
            }
        }
        for (leaf, term) in updates {
            step.updates.insert_mut(leaf, term);
        }
        if let Some(node) = self.starts[target.block.index()] {
            let (ends, path) = ((open.from, EdgeTarget::Node(node)), open.path.clone());
            self.add_edge(symbols, ends, step, path, None);
        }
    }
}
