//! What unfolding a program comes to: threads, and what they do, as events.

use std::collections::BTreeSet;

use sapa_ir::goto::interpret::Position;
use sapa_ir::goto::{FunctionId, Location};

use super::contention::Moment;
use super::guard::Guard;
use crate::index::typed_index;
use crate::solver::TermId;

/// A step of a thread that others may see: one access, or an atomic section; with accesses behind it that commute with all
/// that others can do meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StepId(u32);
typed_index!(StepId);

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepKind {
    /// Accesses to memory.
    Access,
    /// It starts a thread: its number.
    Spawn(usize),
    /// It waits for the end of a thread.
    Join,
    /// Its thread ends.
    End,
    /// Its thread waits until none of its stores waits.
    Fence,
    /// A store that waited reaches memory.
    Reach,
}

/// A step. The steps of a thread are in the order of the program, but for those in which its stores
/// reach memory; of two that are on different paths any comes first.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub thread: usize,
    /// Its place among the steps of the thread; for a store that waits, that of the next one.
    pub place: usize,
    pub kind: StepKind,
    /// The runs that come to its end; `None` for none. What others see of it happens in these.
    pub complete: Option<Guard>,
    /// The runs in which no store of the thread waits any more when it is done; `None` for none.
    pub drains: Option<Guard>,
    /// The atomic section that a store stands in which waits: nothing of it happens before its end.
    pub section: Option<StepId>,
    /// The runs that come to it.
    pub guard: Guard,
}

/// What keeps stores of a thread in order that would reach memory in any order.
#[derive(Clone, Debug)]
pub(super) struct Barrier {
    /// How many of its stores that wait stand before it.
    pub place: usize,
    /// The runs that execute it.
    pub guard: Guard,
    /// Whether the stores behind it are kept back, or only the first of them.
    pub is_fence: bool,
}

/// An access to memory that others access too.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub step: StepId,
    /// The runs that come to it.
    pub guard: Guard,
    /// Where.
    pub address: TermId,
    /// How many bytes, at most 16.
    pub size: u64,
    pub is_write: bool,
    /// What is written, or a variable for what is read: a bit-vector of `8 * size` bits.
    pub value: TermId,
    /// Where it may be: objects and offsets; `None` as long as what it depends on is not known.
    pub places: Option<Vec<(u64, u64)>>,
    /// How far its thread had come.
    pub moment: Moment,
    pub location: Location,
    /// The instruction.
    pub position: Position,
}

/// An instruction that the interpreter may have to be told something of, or that is waited for.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub position: Position,
    /// The runs that execute it.
    pub guard: Guard,
    /// What it reads or chooses.
    pub value: Option<TermId>,
    /// The step that it is in.
    pub step: Option<StepId>,
}

/// A thread: one execution of the instruction that starts it.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    /// Who starts it, how many others that one has started before, and the step that does.
    pub parent: Option<(usize, usize, StepId)>,
    pub function: FunctionId,
    /// The runs that start it.
    pub guard: Guard,
    pub parameters: Vec<TermId>,
    /// Its steps, in order, but for those of stores that wait.
    pub steps: Vec<StepId>,
    /// Where its stores that wait reach memory, in the order of the program.
    pub reaches: Vec<StepId>,
    /// In the order of the program.
    pub barriers: Vec<Barrier>,
    /// In the order of execution.
    pub marks: Vec<Mark>,
    /// How many threads it has started.
    pub started: usize,
    /// The runs in which it ends, and the value it ends with there.
    pub end: Option<(StepId, Guard, Option<TermId>)>,
}

/// An assertion where it is executed.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub thread: usize,
    /// The runs that come to it.
    pub guard: Guard,
    /// What is claimed.
    pub condition: TermId,
    /// The last step of the thread before it.
    pub after: Option<StepId>,
}

/// A thread that waits for another.
#[derive(Clone, Debug)]
pub(super) struct Join {
    pub step: StepId,
    pub handle: TermId,
    /// That it gets on.
    pub passes: TermId,
    /// The runs in which it does.
    pub after: Guard,
    /// The other one, if it is known here which that is, and it was unfolded before.
    pub thread: Option<usize>,
    /// What the other one ended with, if that is read and not known here.
    pub result: Option<TermId>,
}

/// A question whether an object of some bytes lies at an address that is read from memory.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub address: TermId,
    /// In bytes.
    pub size: u64,
    /// Object and offset of the places that the address may be; found when all is unfolded.
    pub places: Vec<(u64, u64)>,
    /// A variable: whether it does.
    pub answer: TermId,
    pub location: Location,
}

/// Where runs go on that were not unfolded.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub guard: Guard,
    pub location: Location,
}

/// A program whose loops were unfolded so many times.
#[derive(Default)]
pub(super) struct Unfolding {
    /// By number; 0 is the initial thread.
    pub threads: Vec<Thread>,
    pub steps: Vec<Step>,
    /// Those of a thread in the order of the program.
    pub events: Vec<Event>,
    pub checks: Vec<Check>,
    pub joins: Vec<Join>,
    /// Starts that wait while there are as many threads as may be at once: that they get on.
    pub rooms: Vec<(StepId, TermId)>,
    /// Accesses whose address is read from memory: that it points into an object.
    pub valid: Vec<(usize, TermId)>,
    /// What is asked of addresses.
    pub asked: Vec<Asked>,
    /// Writes that others may see before they are overwritten in a round: that they do.
    pub seen: Vec<(usize, TermId)>,
    /// Writes, and reads of what the thread overwrites next: that these read nothing else.
    pub kept: Vec<(usize, usize, TermId)>,
    /// Instructions that write, of which it matters what they overwrite.
    pub wanted: BTreeSet<Position>,
    /// Where loops, recursion or threads go on.
    pub cuts: Vec<Cut>,
    /// That indices lead no further than objects are large: where they do, the interpreter ends a run.
    pub near: Vec<TermId>,
    /// What the parameters of the entry are.
    pub parameters: Vec<TermId>,
    /// The most rounds of a loop.
    pub rounds: u32,
    /// What the answer takes for granted.
    pub notes: BTreeSet<&'static str>,
}

impl Unfolding {
    pub fn step(&self, id: StepId) -> &Step {
        &self.steps[id.index()]
    }

    /// The runs in which others see what is done in a step; `None` for none.
    pub fn complete(&self, id: StepId) -> Option<Guard> {
        let step = self.step(id);
        step.section.map_or(step.complete, |section| self.step(section).complete)
    }
}
