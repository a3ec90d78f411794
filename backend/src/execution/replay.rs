//! Replay of a counterexample by the interpreter: no FAILED is reported without.

use sapa_ir::goto::interpret::{Inputs, Machine, Outcome, Request};
use sapa_ir::goto::{MemoryModel, Module, Type};

use super::counterexample::{Candidate, Counterexample};
use super::place::{Place, at};
use super::record::Recorder;
use crate::check::ThreadBound;
use crate::index::small_index;

/// The choices of a candidate.
struct Choices<'c> {
    candidate: &'c Candidate,
    step: usize,
    position: u32,
    /// Whether the last instruction has read memory that nobody wrote.
    unwritten: bool,
}

impl Inputs for Choices<'_> {
    fn choose(&mut self, thread: u32, request: Request, _: u16) -> u128 {
        self.unwritten |= matches!(request, Request::Memory(_) | Request::Slot { .. });
        let found = match request {
            Request::Nondet => self.candidate.steps.get(self.step).and_then(|step| {
                let index = step.input_positions.iter().position(|&p| p == self.position)?;
                step.inputs.get(index).copied()
            }),
            request => self.candidate.initial.value(thread, request),
        };
        // What the candidate leaves open does not matter to it.
        found.unwrap_or(0)
    }

    fn contents(&mut self, _: u32, _: &Type) -> Vec<(u64, u16, u128)> {
        let step = self.candidate.steps.get(self.step);
        step.map_or_else(Vec::new, |step| step.contents(self.position))
    }
}

/// Where and how an execution departs from what is to be executed. Steps are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Departure {
    /// There is no entry function that could be executed.
    #[error("the program cannot be started")]
    NotStarted,
    /// A thread is not where its step begins.
    #[error("step {step}: thread {thread} stands elsewhere")]
    Elsewhere {
        /// The step.
        step: usize,
        /// The thread.
        thread: u32,
    },
    /// A step starts no thread, or another one.
    #[error("step {0}: another thread is started")]
    OtherThread(usize),
    /// An access to memory outside all objects; any value to the simulation.
    #[error("it accesses memory that the program does not declare{}", at(.0.as_ref()))]
    InvalidAccess(Option<Place>),
    /// The execution goes no further, or goes on after the last step; and why.
    #[error("step {step}: {why}")]
    Ended {
        /// The step.
        step: usize,
        /// What the interpreter says.
        why: String,
    },
    /// Another assertion fails.
    #[error("another assertion fails: {0}")]
    OtherAssertion(String),
    /// No assertion fails.
    #[error("the assertion does not fail")]
    NoFailure,
    /// It was executed with buffers in the code of the program, and not by the program whose stores
    /// wait in buffers of the interpreter.
    #[error("the program without buffers in its code does not do the same: {0}")]
    WithoutBuffers(Box<Departure>),
}

/// Executes a candidate: what is executed.
///
/// # Errors
/// Where and how the execution departs from it: what is not modelled exactly is any value to the
/// simulation, but not to the interpreter; else it is a bug of the tool.
pub(crate) fn replay(
    module: &Module,
    threads: ThreadBound,
    candidate: &Candidate,
) -> Result<Counterexample, Departure> {
    let mut recorder = Recorder::new(module);
    let mut choices = Choices { candidate, step: 0, position: 0, unwritten: false };
    let mut machine = Machine::new(module, MemoryModel::Sc, threads.limit(), &mut choices)
        .ok_or(Departure::NotStarted)?;
    let mut most_started = 0;
    let last = candidate.steps.len().saturating_sub(1);
    for (number, step) in candidate.steps.iter().enumerate() {
        choices.step = number;
        let mut started = None;
        for (position, &(block, index)) in (0u32..).zip(&step.path) {
            choices.position = position;
            let here = machine.position(step.thread);
            let at = here.filter(|&(_, b, i)| (b, i) == (block, index as usize));
            let Some(at) = at else {
                return Err(Departure::Elsewhere { step: number + 1, thread: step.thread });
            };
            recorder.before(&machine, step.thread);
            choices.unwritten = false;
            let is_last = number == last && position as usize + 1 == step.path.len();
            let outcome = machine.step(step.thread, &mut choices);
            recorder.after(&machine, step.thread, at, &outcome, choices.unwritten);
            match outcome {
                Outcome::Continued(_) | Outcome::ThreadEnded | Outcome::Halted if !is_last => {}
                Outcome::Started(thread) => {
                    started = Some(thread);
                    most_started = most_started.max(others(&machine));
                }
                Outcome::AssertionFailed { property, location } if is_last => {
                    return if property == candidate.property {
                        Ok(recorder.counterexample(property, location, most_started))
                    } else {
                        Err(Departure::OtherAssertion(property))
                    };
                }
                outcome => return Err(departure(module, number + 1, &outcome)),
            }
        }
        if started != step.started {
            return Err(Departure::OtherThread(number + 1));
        }
    }
    Err(Departure::NoFailure)
}

/// How many threads there are besides the initial one.
pub(crate) fn others(machine: &Machine<'_>) -> u32 {
    small_index(machine.threads().into_iter().filter(|&thread| thread != 0).count())
}

/// That an execution goes no further in a step, or goes on after the last.
fn departure(module: &Module, step: usize, outcome: &Outcome) -> Departure {
    let why = match outcome {
        Outcome::InvalidAccess(location) => {
            return Departure::InvalidAccess(Place::new(module, *location));
        }
        Outcome::Blocked(reason) | Outcome::Undefined(reason) => (*reason).to_owned(),
        Outcome::Unsupported(what) => format!("the interpreter does not know {what}"),
        Outcome::AssertionFailed { property, .. } => format!("an assertion fails: {property}"),
        Outcome::Halted => "the program ends".to_owned(),
        Outcome::ThreadEnded => "the thread ends".to_owned(),
        Outcome::Started(thread) => format!("thread {thread} is started"),
        Outcome::Continued(_) => "the thread goes on".to_owned(),
    };
    Departure::Ended { step, why }
}
