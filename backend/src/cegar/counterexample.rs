//! Counterexamples: concrete executions that fail an assertion.

use std::collections::HashMap;

use sapa_ir::goto::c_text::c_text;
use sapa_ir::goto::interpret::Request;
use sapa_ir::goto::{Expression, Location, Module, SlotId, arithmetic};

use crate::abstraction::program::TraceEdge;
use crate::automaton::leaf::Leaf;
use crate::automaton::memory::{Object, Origin, Scope};
use crate::automaton::{Automaton, EdgeTarget};

/// A step of a concrete execution.
#[derive(Clone, Debug)]
pub struct CounterexampleStep {
    /// Who moves; 0 is the initial thread.
    pub thread: u32,
    /// The thread that the step starts.
    pub started: Option<u32>,
    /// Root that the thread runs: index into the automaton's roots.
    pub root: usize,
    /// The instructions executed, by block and index (terminators included).
    pub path: Vec<(sapa_ir::goto::BlockId, u32)>,
    /// Where the step's instructions come from, each line once, in order.
    pub locations: Vec<Location>,
    /// Choices made on the way, in order of execution.
    pub inputs: Vec<u128>,
    /// For each choice, the position in `path` of the instruction that makes it.
    pub input_positions: Vec<u32>,
    /// What the step writes: name, and the value as a decimal number, negative where the source's
    /// type is signed.
    pub writes: Vec<(String, String)>,
}

/// A concrete execution that fails an assertion.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The steps; the last one fails.
    pub steps: Vec<CounterexampleStep>,
    /// What does not hold.
    pub property: String,
    /// Where.
    pub location: Location,
    /// What is not determined when the program starts.
    pub initial: Initial,
}

/// Values of what is not determined when the program, or a thread, starts.
#[derive(Clone, Debug, Default)]
pub struct Initial {
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
    pub(super) fn value(&self, thread: u32, request: Request) -> Option<u128> {
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

/// A trace of the Boolean program over source lines, a step a line.
pub(super) fn trace_text(module: &Module, automaton: &Automaton, trace: &[TraceEdge]) -> String {
    let mut text = String::new();
    for taken in trace {
        let places = locations(module, automaton, *taken);
        let places: Vec<_> = places.iter().map(|l| module.describe(*l)).collect();
        text.push_str(&format!("thread {}: {}", taken.thread, places.join(", ")));
        if let Some(started) = taken.started {
            text.push_str(&format!(" (starts thread {started})"));
        }
        text.push('\n');
    }
    text
}

/// Source locations of a step, each line once.
pub(super) fn locations(module: &Module, automaton: &Automaton, taken: TraceEdge) -> Vec<Location> {
    let edge = automaton.edge(taken.edge);
    let function = module.function(automaton.roots[edge.root].function);
    let mut found: Vec<Location> = Vec::new();
    for &(block, index) in &edge.path {
        let block = function.block(block);
        let location = block
            .instructions
            .get(index as usize)
            .map_or(block.terminator.location, |i| i.location);
        if location.line != 0
            && found.last().is_none_or(|l| (l.file, l.line) != (location.file, location.line))
        {
            found.push(location);
        }
    }
    found
}

/// The execution that a simulated trace is; `None` if it does not end in an assertion.
pub(super) fn counterexample(
    module: &Module,
    automaton: &Automaton,
    trace: &[TraceEdge],
    inputs: &[Vec<u128>],
    writes: &[Vec<(Leaf, u128)>],
    initial: &[(Leaf, u32, u128)],
) -> Option<Counterexample> {
    let mut steps = Vec::new();
    for ((&taken, inputs), writes) in trace.iter().zip(inputs).zip(writes) {
        let edge = automaton.edge(taken.edge);
        steps.push(CounterexampleStep {
            thread: taken.thread,
            started: taken.started,
            root: edge.root,
            path: edge.path.clone(),
            locations: locations(module, automaton, taken),
            inputs: inputs.clone(),
            input_positions: edge.step.input_positions.clone(),
            writes: writes
                .iter()
                .filter_map(|&(leaf, value)| write_text(module, automaton, leaf, value))
                .collect(),
        });
    }
    let Some(EdgeTarget::Error(property)) = trace.last().map(|taken| automaton.edge(taken.edge).to)
    else {
        return None;
    };
    let property = &automaton.properties[property as usize];
    Some(Counterexample {
        steps,
        property: property.text.clone(),
        location: property.location,
        initial: Initial::new(automaton, initial),
    })
}

/// The source name of a leaf that has one, and its value in the source's type.
fn write_text(
    module: &Module,
    automaton: &Automaton,
    leaf: Leaf,
    value: u128,
) -> Option<(String, String)> {
    let (name, ty, is_signed) = match leaf {
        Leaf::Cell(cell) => {
            let cell = automaton.memory.cell(cell);
            let load =
                Expression::Load { ty: cell.ty.clone(), address: Box::new(cell.place.clone()) };
            (c_text(module, &load), &cell.ty, is_signed(module, &cell.place))
        }
        Leaf::Variable(function, variable) => {
            let variable = module.function(function).variables.get(variable.index())?;
            (variable.name.clone(), &variable.ty, variable.signed)
        }
        Leaf::Value(..) | Leaf::Input(_) => return None,
    };
    let text = match ty.bits(module) {
        Some(bits) if is_signed => arithmetic::signed(value, bits).to_string(),
        _ => value.to_string(),
    };
    Some((name, text))
}

/// Whether an object is declared with a signed integer type.
fn is_signed(module: &Module, place: &Expression) -> bool {
    match place {
        Expression::Global(id) => module.globals.get(id.index()).is_some_and(|g| g.signed),
        Expression::Slot { function, slot } => {
            module.function(*function).slots.get(slot.index()).is_some_and(|s| s.signed)
        }
        Expression::FieldAddress { structure, field, .. } => {
            let structure = module.structs.get(structure.index());
            structure.and_then(|s| s.fields.get(field.index())).is_some_and(|f| f.signed)
        }
        _ => false,
    }
}
