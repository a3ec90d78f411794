//! What observers of the loop get to see.

use sapa_ir::goto::{Location, Module, Predicate};

use crate::abstraction::{Abstraction, TraceEdge};
use crate::automaton::Automaton;

/// A Boolean program and what it is made from.
#[derive(Clone, Copy, Debug)]
pub struct Made<'r> {
    /// The program of the source.
    pub module: &'r Module,
    /// The vocabulary of the round.
    pub predicates: &'r [Predicate],
    /// Its threads as automata, to whose edges the origins of the Boolean program lead.
    pub automaton: &'r Automaton,
    /// The Boolean program.
    pub abstraction: &'r Abstraction,
}

/// An error trace of a Boolean program.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'r> {
    /// The program of the source.
    pub module: &'r Module,
    /// Its threads as automata.
    pub automaton: &'r Automaton,
    /// The steps.
    pub trace: &'r [TraceEdge],
}

/// Predicates that a spurious trace gave.
#[derive(Clone, Copy, Debug)]
pub struct Learned<'r> {
    /// The predicates.
    pub predicates: &'r [Predicate],
    /// The step of the trace, counted from 0, that no execution can take after those before it,
    /// and where the condition stands that it does not meet.
    pub step: Option<(usize, Location)>,
}
