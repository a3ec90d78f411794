//! Other executions: with the choices and the schedule of a counterexample, but with other values of
//! what is not modelled.
//!
//! What such an execution does is determined by these values, one after the other: so if one of the
//! executions that are found fails for each way in which they can be, the program fails, whichever
//! values are right.

use rustc_hash::FxHashMap;
use sapa_ir::goto::interpret::{Action, Executed, Inputs, Machine, Outcome, Position, Request};
use sapa_ir::goto::{BlockId, MemoryModel, Module, Type};

use super::counterexample::Candidate;
use crate::automaton::Automaton;
use crate::check::ThreadBound;

/// Most instructions of a thread from one of its steps to the next.
const MOST_INSTRUCTIONS: usize = 100_000;

/// An execution of an instruction: by whom, where, and how often it was executed before.
pub(crate) type Key = (u32, Position, u32);

/// How often threads executed instructions.
#[derive(Default)]
pub(crate) struct Counts(FxHashMap<(u32, Position), u32>);

impl Counts {
    /// The next execution of an instruction.
    pub(crate) fn next(&mut self, thread: u32, position: Position) -> Key {
        let count = self.0.entry((thread, position)).or_insert(0);
        *count += 1;
        (thread, position, *count - 1)
    }
}

/// The choices and the schedule of a counterexample.
pub(crate) struct Script<'c> {
    module: &'c Module,
    bound: Option<u32>,
    candidate: &'c Candidate,
    /// What was chosen, by execution.
    chosen: FxHashMap<Key, Vec<u128>>,
    /// What memory held that was made arbitrary, by execution.
    contents: FxHashMap<Key, Vec<(u64, u16, u128)>>,
    /// Of each step: the thread, and where its next one begins.
    turns: Vec<(u32, Option<Position>)>,
}

impl<'c> Script<'c> {
    pub(crate) fn new(
        module: &'c Module,
        automaton: &Automaton,
        threads: ThreadBound,
        candidate: &'c Candidate,
    ) -> Option<Self> {
        let mut chosen: FxHashMap<Key, Vec<u128>> = FxHashMap::default();
        let mut contents = FxHashMap::default();
        let mut starts: Vec<(u32, Option<Position>)> = Vec::new();
        let mut counts = Counts::default();
        for step in &candidate.steps {
            let function = automaton.roots.get(step.root)?.function;
            let place = |&(block, index): &(BlockId, u32)| (function, block, index as usize);
            starts.push((step.thread, step.path.first().map(place)));
            for (number, at) in (0u32..).zip(&step.path) {
                let key = counts.next(step.thread, place(at));
                let here = step.input_positions.iter().zip(&step.inputs);
                let values = here.filter(|(position, _)| **position == number).map(|(_, &v)| v);
                chosen.insert(key, values.collect());
                contents.insert(key, step.contents(number));
            }
        }
        let turns = starts.iter().enumerate().map(|(number, &(thread, _))| {
            let next = starts.iter().skip(number + 1).find(|(other, _)| *other == thread);
            (thread, next.and_then(|(_, position)| *position))
        });
        let (bound, turns) = (threads.limit(), turns.collect());
        Some(Self { module, bound, candidate, turns, chosen, contents })
    }

    /// What was chosen at an execution.
    pub(crate) fn chosen(&self, key: Key) -> &[u128] {
        self.chosen.get(&key).map_or(&[], Vec::as_slice)
    }

    /// What the program executes with these values of what is not modelled, up to a failure; `None`
    /// if nothing fails.
    pub(crate) fn execute(&self, values: &FxHashMap<Key, u128>) -> Option<Vec<Executed>> {
        let mut choices = Choices { script: self, values, now: None };
        let mut machine = Machine::new(self.module, MemoryModel::Sc, self.bound, &mut choices)?;
        let mut counts = Counts::default();
        let mut executed = Vec::new();
        for &(thread, stop) in &self.turns {
            for number in 0..MOST_INSTRUCTIONS {
                let Some(position) = machine.position(thread) else { break };
                if number > 0 && stop == Some(position) {
                    break;
                }
                choices.now = Some(counts.next(thread, position));
                let outcome = machine.step(thread, &mut choices);
                let started = match outcome {
                    Outcome::Started(started) => Some(started),
                    _ => None,
                };
                match outcome {
                    Outcome::Blocked(_) | Outcome::Undefined(_) => break,
                    Outcome::Halted | Outcome::InvalidAccess(_) | Outcome::Unsupported(_) => {
                        return None;
                    }
                    _ => {
                        let action = Action::Execute { position, started };
                        executed.push(Executed { thread, action });
                    }
                }
                if matches!(outcome, Outcome::AssertionFailed { .. }) {
                    return Some(executed);
                }
            }
        }
        None
    }
}

struct Choices<'c> {
    script: &'c Script<'c>,
    values: &'c FxHashMap<Key, u128>,
    /// The execution of the current instruction.
    now: Option<Key>,
}

impl Inputs for Choices<'_> {
    fn choose(&mut self, thread: u32, request: Request, _: u16) -> u128 {
        let found = match (request, self.now) {
            (Request::Nondet, Some(now)) => {
                self.values.get(&now).or_else(|| self.script.chosen(now).first()).copied()
            }
            (request, _) => self.script.candidate.initial.value(thread, request),
        };
        found.unwrap_or(0)
    }

    fn contents(&mut self, _: u32, _: &Type) -> Vec<(u64, u16, u128)> {
        let found = self.now.and_then(|now| self.script.contents.get(&now));
        found.cloned().unwrap_or_default()
    }
}
