//! Failures that rest on memory of which the abstraction has no model: objects of allocations that are
//! executed any number of times, and large objects.
//!
//! What is read there is any value to the simulation, and one to the interpreter. Where the interpreter
//! does not confirm a trace that has such reads, no predicates refute it either: the model has it as a
//! run, so that every abstraction has it, whatever is added.

use sapa_ir::goto::{FunctionId, Instruction, Module, Op, Operand};
use sapa_passes::analysis::points_to;

use super::reason::{Reason, Unfollowed, Unmodelled};
use crate::abstraction::TraceEdge;
use crate::automaton::memory::Origin;
use crate::automaton::{Automaton, EdgeTarget};
use crate::execution::Place;

/// The reason that a trace which fails is not confirmed, if it is that: the last such read in it, or the
/// last allocation, if it has no such read.
pub(super) fn reason(
    module: &Module,
    automaton: &Automaton,
    trace: &[TraceEdge],
) -> Option<Reason> {
    let found: Vec<(Unmodelled, &Instruction)> =
        trace.iter().flat_map(|taken| of_step(module, automaton, taken)).collect();
    let is_read = |found: &&(Unmodelled, &Instruction)| found.0 == Unmodelled::Contents;
    let &(what, instruction) = found.iter().rev().find(is_read).or(found.last())?;
    let EdgeTarget::Error(number) = automaton.edge(trace.last()?.edge).to else { return None };
    let property = automaton.properties.get(number as usize)?;
    let (property, at) = (property.text.clone(), Place::new(module, property.location));
    let read = Place::new(module, instruction.location);
    Some(Reason::Unfollowed(Box::new(Unfollowed { property, at, what, read })))
}

/// What is not followed that a step reads or allocates, in order.
fn of_step<'m>(
    module: &'m Module,
    automaton: &Automaton,
    taken: &TraceEdge,
) -> Vec<(Unmodelled, &'m Instruction)> {
    let edge = automaton.edge(taken.edge);
    let Some(root) = automaton.roots.get(edge.root) else { return Vec::new() };
    let path: Vec<_> = edge.path.iter().collect();
    let chosen = edge.step.input_positions.iter().filter_map(|&position| {
        let &(block, index) = path.get(position as usize)?;
        let function = module.function(root.function);
        let instruction = function.block(block).instructions.get(index as usize)?;
        Some((unfollowed(automaton, root.function, &instruction.op)?, instruction))
    });
    chosen.collect()
}

fn unfollowed(automaton: &Automaton, id: FunctionId, op: &Op) -> Option<Unmodelled> {
    let has_no_model = |address: Operand| {
        let mut objects = automaton.points_to.targets(id, address).into_iter();
        objects.any(|object| is_unfollowed(automaton, object))
    };
    match op {
        Op::Load { address, .. } | Op::CopyMemory { source: address, .. } => {
            has_no_model(*address).then_some(Unmodelled::Contents)
        }
        Op::Allocate { .. } | Op::ObjectSize { .. } | Op::Accessible { .. } => {
            Some(Unmodelled::Address)
        }
        _ => None,
    }
}

/// Whether what an object holds is not followed, or not everywhere in it.
fn is_unfollowed(automaton: &Automaton, object: points_to::Object) -> bool {
    let origin = match object {
        points_to::Object::Allocation(..) => return true,
        points_to::Object::Global(id) => Origin::Global(id),
        points_to::Object::Slot(function, slot) => Origin::Slot(function, slot),
        _ => return false,
    };
    let memory = &automaton.memory;
    memory.object_at(origin).is_some_and(|id| memory.object(id).opaque)
}
