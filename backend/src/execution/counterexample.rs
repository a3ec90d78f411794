//! Counterexamples: concrete executions that fail an assertion.

use std::collections::HashMap;

use sapa_ir::goto::interpret::Request;
use sapa_ir::goto::{BlockId, Location, Module, Op, SlotId, TerminatorKind};

use super::act::Act;
use super::event::Row;
use crate::abstraction::TraceEdge;
use crate::automaton::leaf::Leaf;
use crate::automaton::memory::{Object, Origin, Scope};
use crate::automaton::{Automaton, EdgeId, EdgeTarget, Input};

/// What an execution chooses.
#[derive(Debug)]
pub struct Choices {
    /// Per step: values of the inputs of its edge, in order of execution.
    pub inputs: Vec<Vec<u128>>,
    /// Values of initial leaves that matter, by leaf and thread.
    pub initial: Vec<(Leaf, u32, u128)>,
}

/// A step of a trace with its choices.
#[derive(Clone, Debug)]
pub(crate) struct CandidateStep {
    /// Who moves; 0 is the initial thread.
    pub thread: u32,
    /// The thread that the step starts.
    pub started: Option<u32>,
    /// Root that the thread runs: index into the automaton's roots.
    pub root: usize,
    /// The instructions executed, by block and index (terminators included).
    pub path: Vec<(BlockId, u32)>,
    /// Choices made on the way, in order of execution.
    pub inputs: Vec<u128>,
    /// For each choice, the position in `path` of the instruction that makes it.
    pub input_positions: Vec<u32>,
    /// What kind of choice each is.
    pub input_kinds: Vec<Input>,
}

impl CandidateStep {
    /// The contents that the instruction at a position of the path gives to memory which it makes
    /// arbitrary: offsets in bytes, widths in bits, and values.
    pub(crate) fn contents(&self, position: u32) -> Vec<(u64, u16, u128)> {
        let choices = self.input_positions.iter().zip(&self.input_kinds).zip(&self.inputs);
        let here = choices.filter(|((at, _), _)| **at == position);
        here.filter_map(|((_, kind), &value)| Some((kind.offset?, kind.bits, value))).collect()
    }
}

/// A trace with choices that make it fail, as the simulation has it: not executed yet.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The steps; the last one fails.
    pub steps: Vec<CandidateStep>,
    /// What does not hold.
    pub property: String,
    /// What is not determined when the program starts.
    pub initial: Initial,
}

/// A concrete execution that fails an assertion, as the interpreter has executed it.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// What does not hold.
    pub property: String,
    /// The place of the failing assertion in the source.
    pub location: Location,
    /// What is executed; the last row ends in the failure.
    pub rows: Vec<Row>,
    /// The same as accesses to memory and stores that wait, in order.
    pub acts: Vec<Act>,
    /// The most threads besides the initial one that exist at once in it.
    pub most_started: u32,
}

/// Values of what is not determined when the program, or a thread, starts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Initial {
    /// Contents of shared globals, by pointer.
    shared: HashMap<u128, u128>,
    /// Contents of threads' own globals, by thread and pointer.
    own: HashMap<(u32, u128), u128>,
    /// Contents of threads' stack objects, by thread, object and offset in bytes.
    slots: HashMap<(u32, SlotId, u64), u128>,
    /// Parameters of the entry function, by thread and index.
    parameters: HashMap<(u32, u32), u128>,
}

impl Initial {
    fn new(automaton: &Automaton, initial: &[(Leaf, u32, u128)]) -> Self {
        let mut this = Self::default();
        for &(leaf, thread, value) in initial {
            let Leaf::Cell(id) = leaf else {
                let parameters = automaton.roots.first().map_or(&[][..], |r| &r.parameters);
                let index = parameters.iter().position(|&(parameter, _)| parameter == leaf);
                if let Some(index) = index.and_then(|index| u32::try_from(index).ok()) {
                    this.parameters.insert((thread, index), value);
                }
                continue;
            };
            let pointer = u128::from(automaton.memory.cell_address(id));
            match automaton.memory.object_of(id) {
                Object { origin: Origin::Slot(_, slot), .. } => {
                    let offset = automaton.memory.cell(id).offset;
                    this.slots.insert((thread, *slot, offset), value);
                }
                Object { scope: Scope::Shared, .. } => {
                    this.shared.insert(pointer, value);
                }
                _ => {
                    this.own.insert((thread, pointer), value);
                }
            }
        }
        this
    }

    /// The value that an execution asks for, if it is one of these.
    pub(crate) fn value(&self, thread: u32, request: Request) -> Option<u128> {
        match request {
            Request::Memory(pointer) => {
                self.shared.get(&pointer).or_else(|| self.own.get(&(thread, pointer))).copied()
            }
            Request::Slot { slot, offset, .. } => self.slots.get(&(thread, slot, offset)).copied(),
            Request::Parameter(index) => self.parameters.get(&(thread, index)).copied(),
            Request::Nondet => None,
        }
    }
}

/// Where an edge does something: its accesses, choices, branches and the like, each line once. All
/// that it comes by, if it only computes; where its thread stands, if it executes nothing.
#[must_use]
pub fn places(module: &Module, automaton: &Automaton, edge: EdgeId) -> Vec<Location> {
    let edge = automaton.edge(edge);
    let root = &automaton.roots[edge.root];
    let function = module.function(root.function);
    let mut all: Vec<(Location, bool)> = Vec::new();
    let stands = root.nodes[edge.from.index()].position;
    let stands = Some(stands).filter(|_| edge.path.is_empty());
    for (block, index) in edge.path.iter().chain(stands) {
        let block = function.block(block);
        all.push(match block.instructions.get(index as usize) {
            Some(instruction) => {
                let does = match &instruction.op {
                    Op::AtomicBegin(_) | Op::AtomicEnd => false,
                    op => !op.is_pure(),
                };
                (instruction.location, does)
            }
            None => {
                let kind = &block.terminator.kind;
                (block.terminator.location, !matches!(kind, TerminatorKind::Jump(_)))
            }
        });
    }
    let does = all.iter().any(|&(location, does)| does && location.line != 0);
    let mut found: Vec<Location> = Vec::new();
    for (location, _) in all.into_iter().filter(|&(_, here)| here || !does) {
        if location.line != 0 && !found.last().is_some_and(|last| last.is_same_line(location)) {
            found.push(location);
        }
    }
    found
}

/// The assertion that a trace ends in, if it does: its index.
pub(crate) fn failing(automaton: &Automaton, trace: &[TraceEdge]) -> Option<u32> {
    match automaton.edge(trace.last()?.edge).to {
        EdgeTarget::Error(property) => Some(property),
        _ => None,
    }
}

/// A simulated trace with its choices, which ends in the assertion of this index.
pub(crate) fn candidate(
    automaton: &Automaton,
    trace: &[TraceEdge],
    property: u32,
    choices: &Choices,
) -> Candidate {
    let mut steps = Vec::new();
    for (&taken, inputs) in trace.iter().zip(&choices.inputs) {
        let edge = automaton.edge(taken.edge);
        steps.push(CandidateStep {
            thread: taken.thread,
            started: taken.started,
            root: edge.root,
            path: edge.path.iter().collect(),
            inputs: inputs.clone(),
            input_positions: edge.step.input_positions.iter().copied().collect(),
            input_kinds: edge.step.inputs.iter().map(|&input| automaton.input(input)).collect(),
        });
    }
    let property = &automaton.properties[property as usize];
    Candidate {
        steps,
        property: property.text.clone(),
        initial: Initial::new(automaton, &choices.initial),
    }
}
