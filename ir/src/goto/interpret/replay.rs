//! Runs that were found, to be executed again.

use super::buffer::Waiting;
use super::machine::{Inputs, Machine, Outcome, Request};
use super::sample::Position;
use crate::goto::module::{MemoryModel, Module};
use crate::goto::source::Location;

/// A part of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// Some instructions of a thread and the choices they make.
    Act {
        /// The thread that acts, in order of creation.
        thread: u32,
        /// How many instructions and terminators.
        instructions: usize,
        /// What they choose, in order.
        choices: Vec<u128>,
    },
    /// A store that waits reaches memory.
    Reach {
        /// The thread whose it is.
        thread: u32,
        /// Which one of those of the thread that wait, from the oldest.
        index: usize,
    },
}

impl Move {
    /// Whose it is.
    #[must_use]
    pub fn thread(&self) -> u32 {
        match self {
            Self::Act { thread, .. } | Self::Reach { thread, .. } => *thread,
        }
    }

    /// How many instructions and terminators are executed.
    #[must_use]
    pub fn instructions(&self) -> usize {
        match self {
            Self::Act { instructions, .. } => *instructions,
            Self::Reach { .. } => 0,
        }
    }

    /// What it chooses.
    #[must_use]
    pub fn choices(&self) -> &[u128] {
        match self {
            Self::Act { choices, .. } => choices,
            Self::Reach { .. } => &[],
        }
    }
}

/// A run that fails an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The memory model that it is a run under.
    pub memory: MemoryModel,
    /// What the parameters of the entry are.
    pub parameters: Vec<u128>,
    /// The schedule; its last instruction fails.
    pub moves: Vec<Move>,
    /// What does not hold.
    pub property: String,
    /// The place of the failing assertion in the source.
    pub location: Location,
}

/// An instruction or terminator that a run executes, or a store that reaches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// By whom.
    pub thread: u32,
    /// What.
    pub action: Action,
}

/// What a thread does in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It executes an instruction or terminator.
    Execute {
        /// Where: function, block, and index of the instruction; the index after the last is the
        /// terminator.
        position: Position,
        /// The thread that is started.
        started: Option<u32>,
    },
    /// A store of its own that waits reaches memory: which one, from the oldest.
    Reach(usize),
}

/// Looks on while a run is executed.
pub trait Onlooker {
    /// A thread is about to execute what it stands at.
    fn before(&mut self, machine: &Machine<'_>, thread: u32) {
        let _ = (machine, thread);
    }

    /// It has done that, with an outcome; `unwritten` says that it read what nobody had written.
    fn after(
        &mut self,
        machine: &Machine<'_>,
        thread: u32,
        position: Position,
        outcome: &Outcome,
        unwritten: bool,
    );

    /// A store of a thread has reached memory: the one of this index among those that waited.
    fn reached(&mut self, machine: &Machine<'_>, thread: u32, index: usize, store: &Waiting);
}

impl Failure {
    /// What the run does, in order; `None` if it does not end in its failure with this many
    /// threads at once besides the initial one.
    #[must_use]
    pub fn execute(&self, module: &Module, threads: Option<u32>) -> Option<Vec<Executed>> {
        let mut executed = Vec::new();
        self.replay(module, threads, &mut executed).then_some(executed)
    }

    /// Executes the run again while somebody looks on; whether its last instruction fails the
    /// assertion, and no other does.
    pub fn replay(
        &self,
        module: &Module,
        threads: Option<u32>,
        onlooker: &mut dyn Onlooker,
    ) -> bool {
        let mut inputs = Given::new(&self.parameters);
        let Some(mut machine) = Machine::new(module, self.memory, threads, &mut inputs) else {
            return false;
        };
        let Some((last, before)) = self.moves.split_last() else { return false };
        let mut make = |step| perform(&mut machine, step, onlooker);
        before.iter().all(|step| make(step) == Some(None))
            && make(last)
                .flatten()
                .is_some_and(|failed| failed == (self.property.clone(), self.location))
    }
}

impl Onlooker for Vec<Executed> {
    fn after(
        &mut self,
        _: &Machine<'_>,
        thread: u32,
        position: Position,
        outcome: &Outcome,
        _: bool,
    ) {
        let started = match outcome {
            Outcome::Started(thread) => Some(*thread),
            _ => None,
        };
        self.push(Executed { thread, action: Action::Execute { position, started } });
    }

    fn reached(&mut self, _: &Machine<'_>, thread: u32, index: usize, _: &Waiting) {
        self.push(Executed { thread, action: Action::Reach(index) });
    }
}

/// Makes the choices of a move.
struct Given<'g> {
    values: std::slice::Iter<'g, u128>,
    /// Whether memory was asked for that nobody wrote.
    unwritten: bool,
}

impl<'g> Given<'g> {
    fn new(values: &'g [u128]) -> Self {
        Self { values: values.iter(), unwritten: false }
    }
}

impl Inputs for Given<'_> {
    fn choose(&mut self, _: u32, request: Request, _: u16) -> u128 {
        self.unwritten |= matches!(request, Request::Memory(_) | Request::Slot { .. });
        self.values.next().copied().unwrap_or(0)
    }
}

/// Makes a move: the assertion that its last instruction fails, if it does, and where that stands. `None`
/// if the move is not possible.
fn perform(
    machine: &mut Machine<'_>,
    step: &Move,
    onlooker: &mut dyn Onlooker,
) -> Option<Option<(String, Location)>> {
    let (thread, instructions, choices) = match step {
        Move::Act { thread, instructions, choices } => (*thread, *instructions, choices),
        Move::Reach { thread, index } => {
            let store = machine.reach_memory(*thread, *index)?;
            onlooker.reached(machine, *thread, *index, &store);
            return Some(None);
        }
    };
    let mut inputs = Given::new(choices);
    for instruction in 1..=instructions {
        let position = machine.position(thread)?;
        onlooker.before(machine, thread);
        inputs.unwritten = false;
        let outcome = machine.step(thread, &mut inputs);
        onlooker.after(machine, thread, position, &outcome, inputs.unwritten);
        match outcome {
            Outcome::Continued(_) | Outcome::Started(_) | Outcome::ThreadEnded => {}
            Outcome::AssertionFailed { property, location } if instruction == instructions => {
                return Some(Some((property, location)));
            }
            _ => return None,
        }
    }
    Some(None)
}
