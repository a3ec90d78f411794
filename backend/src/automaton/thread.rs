//! What is known of a thread function while its automaton is built.

use sapa_ir::goto::{Function, FunctionId, Instruction, Module, Operand};
use sapa_passes::analysis::points_to::PointsTo;
use sapa_passes::transform::invariants::Movers;

use super::access::Targets;
use super::memory::Memory;
use super::value::Values;
use crate::assumptions::{Assumptions, DEFINED};

/// A thread function and what was found out about it.
#[derive(Clone, Copy)]
pub(super) struct Thread<'a> {
    pub(super) module: &'a Module,
    pub(super) id: FunctionId,
    pub(super) function: &'a Function,
    pub(super) memory: &'a Memory,
    pub(super) points_to: &'a PointsTo,
    pub(super) values: &'a Values<'a>,
    pub(super) movers: &'a Movers,
}

impl Thread<'_> {
    /// What is assumed where an instruction is executed, apart from accesses to memory.
    pub(super) fn assumptions(&self, instruction: &Instruction) -> Vec<&'static str> {
        let Self { module, id, function, points_to, values, .. } = *self;
        let rules = Assumptions { module, id, function, points_to };
        let mut notes = rules.of(instruction);
        notes.extend(rules.may_be_undefined(instruction, values).then_some(DEFINED));
        notes
    }

    /// What the points-to analysis says of the place `distance` bytes behind an address.
    pub(super) fn targets(&self, address: Operand, distance: u64) -> Targets {
        Targets::new(self.points_to.places(self.id, address), distance)
    }
}
