//! A model of the formula as a run of the interpreter.

use rustc_hash::FxHashMap;
use sapa_ir::goto::Op;
use sapa_ir::goto::interpret::{Failure, Inputs, Machine, Move, Outcome, Request, Waiting};

use super::guard::Guard;
use super::reason::GaveUp;
use super::unfold::Unfolder;
use super::unfolding::{Check, Mark, StepId, StepKind};
use crate::solver::{Solver, TermId};

/// The values of terms in a model.
struct Model<'a, 'm> {
    unfolder: &'a Unfolder<'m>,
    solver: &'a Solver,
    values: FxHashMap<TermId, u128>,
}

impl Model<'_, '_> {
    fn value(&mut self, term: TermId) -> u128 {
        let model = self.solver.model();
        let variable = |variable: TermId| model.get(&variable).copied().unwrap_or(0);
        self.unfolder.symbols.store.evaluate_with(term, variable, &mut self.values)
    }

    fn holds(&mut self, guard: Guard) -> bool {
        self.value(self.unfolder.guards.term(guard)) == 1
    }

    /// Whether a step is executed. What has no place stops the thread: nothing is marked that comes behind it.
    fn is_executed(&mut self, step: StepId) -> bool {
        let Some(complete) = self.unfolder.out.complete(step) else { return false };
        self.holds(complete)
            && (self.unfolder.out.step(step).kind != StepKind::Reach || self.has_place(step))
    }

    /// Whether a store that reaches memory in a step has a place there.
    fn has_place(&mut self, step: StepId) -> bool {
        let Self { unfolder, .. } = *self;
        unfolder.out.events.iter().filter(|event| event.step == step).all(|event| {
            let address = self.value(event.address);
            let mut places = event.places.iter().flatten();
            !self.holds(event.guard)
                || places.any(|&(object, at)| unfolder.objects.pointer(object, at) == address)
        })
    }
}

/// What the interpreter is told.
#[derive(Default)]
struct Told {
    parameters: Vec<u128>,
    /// What the instruction reads or chooses.
    value: Option<u128>,
    /// What was chosen.
    chosen: Vec<u128>,
}

impl Inputs for Told {
    fn choose(&mut self, _: u32, request: Request, _: u16) -> u128 {
        let value = match request {
            Request::Parameter(index) => self.parameters.get(index as usize).copied(),
            Request::Nondet | Request::Memory(_) | Request::Slot { .. } => self.value,
        };
        let value = value.unwrap_or(0);
        if !matches!(request, Request::Parameter(_)) {
            self.chosen.push(value);
        }
        value
    }
}

/// An execution that follows a model.
struct Follower<'a, 'm> {
    model: Model<'a, 'm>,
    machine: Machine<'m>,
    told: Told,
    /// The interpreter's number of each thread that was started.
    numbers: Vec<Option<u32>>,
    /// The instructions that each thread executes in the model, the next one last.
    marks: Vec<Vec<Mark>>,
    moves: Vec<Move>,
}

/// The failing run of a model, given its steps in order.
///
/// # Errors
/// If the interpreter does not come to a failure that way.
pub(super) fn failure(
    unfolder: &Unfolder<'_>,
    solver: &Solver,
    schedule: &[StepId],
    threads: Option<u32>,
) -> Result<Failure, GaveUp> {
    let mut model = Model { unfolder, solver, values: FxHashMap::default() };
    let place: FxHashMap<StepId, usize> = schedule.iter().copied().zip(0..).collect();
    // The failing assertion that comes first: how many steps come before its own last one.
    let mut first: Option<(usize, &Check)> = None;
    for check in &unfolder.out.checks {
        if !model.holds(check.guard) || model.value(check.condition) == 1 {
            continue;
        }
        // The last step before it, of its own thread or of those that have started it.
        let (mut thread, mut last) = (check.thread, check.after);
        let rank = loop {
            let last_place = last.map(|step| unfolder.out.step(step).place);
            let own = &unfolder.out.threads[thread].steps;
            let before = own.iter().take(last_place.map_or(0, |last| last + 1));
            match (before.filter_map(|step| place.get(step)).max(), thread == check.thread) {
                (Some(&rank), true) => break rank,
                (Some(&rank), false) => break rank + 1,
                (None, _) => {}
            }
            let Some((parent, _, step)) = unfolder.out.threads[thread].parent else { break 0 };
            (thread, last) = (parent, Some(step));
        };
        if first.is_none_or(|(least, _)| rank < least) {
            first = Some((rank, check));
        }
    }
    let (rank, check) = first.ok_or(GaveUp::Replay("no assertion fails in the model"))?;
    let parameters: Vec<u128> =
        unfolder.out.parameters.iter().map(|&term| model.value(term)).collect();
    let mut told = Told { parameters: parameters.clone(), ..Told::default() };
    let machine = Machine::new(unfolder.module, unfolder.bounds.memory, threads, &mut told)
        .ok_or(GaveUp::Replay("the program cannot be started"))?;
    let mut marks = Vec::new();
    for thread in &unfolder.out.threads {
        let mut own: Vec<Mark> =
            thread.marks.iter().filter(|mark| model.holds(mark.guard)).cloned().collect();
        own.reverse();
        marks.push(own);
    }
    let mut numbers = vec![None; marks.len()];
    numbers[0] = Some(0);
    let mut follower = Follower { model, machine, told, numbers, marks, moves: Vec::new() };
    for &step in &schedule[..rank] {
        if let Some(found) = follower.execute(step)? {
            return Ok(follower.finish(parameters, found));
        }
    }
    follower.start(check.thread)?;
    let mut patience = PATIENCE;
    while patience > 0 {
        patience -= 1;
        if let Some(found) = follower.advance(check.thread)? {
            return Ok(follower.finish(parameters, found));
        }
    }
    Err(GaveUp::Replay("the assertion is not reached"))
}

/// Most instructions between two steps.
const PATIENCE: usize = 1 << 20;

/// A failing assertion: what is claimed, and where.
type Found = (String, sapa_ir::goto::Location);

impl Follower<'_, '_> {
    fn finish(self, parameters: Vec<u128>, (property, location): Found) -> Failure {
        let (memory, moves) = (self.model.unfolder.bounds.memory, self.moves);
        Failure { memory, parameters, moves, property, location }
    }

    /// Lets a thread be started, if it is not.
    fn start(&mut self, thread: usize) -> Result<(), GaveUp> {
        if self.numbers[thread].is_some() {
            return Ok(());
        }
        let parent = self.model.unfolder.out.threads[thread].parent;
        let (parent, _, step) = parent.ok_or(GaveUp::Replay("a thread is not started"))?;
        self.start(parent)?;
        self.until(parent, step)?;
        match self.numbers[thread] {
            Some(_) => Ok(()),
            None => Err(GaveUp::Replay("another thread is started")),
        }
    }

    /// Executes a step of the model: an assertion that fails on the way.
    fn execute(&mut self, step: StepId) -> Result<Option<Found>, GaveUp> {
        if !self.model.is_executed(step) {
            return Ok(None);
        }
        let data = self.model.unfolder.out.step(step);
        let (thread, kind, section) = (data.thread, data.kind, data.section);
        let is_left = self.marks[thread].iter().any(|mark| mark.step == Some(step));
        if !is_left && !matches!(kind, StepKind::End | StepKind::Reach) {
            return Ok(None);
        }
        self.start(thread)?;
        if kind == StepKind::Reach {
            for executed in section.into_iter().chain([step]) {
                if let Some(found) = self.until(thread, executed)? {
                    return Ok(Some(found));
                }
            }
            self.reach(thread, step)?;
            return Ok(None);
        }
        if kind != StepKind::End {
            return self.until(thread, step);
        }
        for _ in 0..PATIENCE {
            if !self.number(thread).is_some_and(|number| self.machine.exists(number)) {
                return Ok(None);
            }
            if let Some(found) = self.advance(thread)? {
                return Ok(Some(found));
            }
        }
        Err(GaveUp::Replay("a thread does not end"))
    }

    fn number(&self, thread: usize) -> Option<u32> {
        self.numbers.get(thread).copied().flatten()
    }

    /// Executes a thread to the end of a step.
    fn until(&mut self, thread: usize, step: StepId) -> Result<Option<Found>, GaveUp> {
        for _ in 0..PATIENCE {
            let is_left = self.marks[thread].iter().any(|mark| mark.step == Some(step));
            if !is_left && !self.machine.is_atomic() {
                return Ok(None);
            }
            if let Some(found) = self.advance(thread)? {
                return Ok(Some(found));
            }
        }
        Err(GaveUp::Replay("a step is not reached"))
    }

    /// Executes an instruction of a thread.
    fn advance(&mut self, thread: usize) -> Result<Option<Found>, GaveUp> {
        let number = self.number(thread).ok_or(GaveUp::Replay("a thread is not started"))?;
        let position = self.machine.position(number).ok_or(GaveUp::Replay("a thread has ended"))?;
        let (function, block, index) = position;
        let instruction =
            self.model.unfolder.module.function(function).block(block).instructions.get(index);
        let mut started = None;
        self.told.value = None;
        if instruction.is_some_and(|instruction| is_marked(&instruction.op)) {
            let mark = self.marks[thread].pop().filter(|mark| mark.position == position);
            let mark = mark.ok_or(GaveUp::Replay("it goes another way"))?;
            self.told.value = mark.value.map(|term| self.model.value(term));
            started = mark.step.map(|step| self.model.unfolder.out.step(step).kind);
        }
        self.told.chosen.clear();
        let mut outcome = self.machine.step(number, &mut self.told);
        // What it waits for of its own is what nobody else sees: the model has all other stores in order.
        while matches!(outcome, Outcome::Blocked(_)) && self.reach_first(number) {
            outcome = self.machine.step(number, &mut self.told);
        }
        let chosen = std::mem::take(&mut self.told.chosen);
        match self.moves.last_mut() {
            Some(Move::Act { thread, instructions, choices }) if *thread == number => {
                *instructions += 1;
                choices.extend(chosen);
            }
            _ => self.moves.push(Move::Act { thread: number, instructions: 1, choices: chosen }),
        }
        match outcome {
            Outcome::Continued(_) | Outcome::ThreadEnded => Ok(None),
            Outcome::Started(new) => {
                if let Some(StepKind::Spawn(thread)) = started {
                    self.numbers[thread] = Some(new);
                }
                Ok(None)
            }
            Outcome::AssertionFailed { property, location } => Ok(Some((property, location))),
            Outcome::Halted => Err(GaveUp::Replay("the program ends")),
            Outcome::Blocked(why) | Outcome::Undefined(why) | Outcome::Unsupported(why) => {
                Err(GaveUp::Replay(why))
            }
            Outcome::InvalidAccess(_) => Err(GaveUp::Replay("it accesses memory that is freed")),
        }
    }
}

impl Follower<'_, '_> {
    /// Lets the oldest store of a thread that waits and may reach memory do so; whether there is one.
    fn reach_first(&mut self, number: u32) -> bool {
        let Some(&index) = self.machine.ready(number).first() else { return false };
        let has_reached = self.machine.reach_memory(number, index).is_some();
        if has_reached {
            self.moves.push(Move::Reach { thread: number, index });
        }
        has_reached
    }

    /// Lets the store of a step reach memory, and before it what the model says nothing of, since nobody
    /// else sees it.
    fn reach(&mut self, thread: usize, step: StepId) -> Result<(), GaveUp> {
        let number = self.number(thread).ok_or(GaveUp::Replay("a thread is not started"))?;
        let events = &self.model.unfolder.out.events;
        let Some(event) = events.iter().find(|event| event.step == step) else { return Ok(()) };
        let (address, size) = (event.address, event.size);
        let pointer = self.model.value(address);
        loop {
            let waiting = self.machine.waiting(number);
            let is_it = |store: &Waiting| {
                u128::from(store.pointer) == pointer && store.bytes.len() as u64 == size
            };
            // A thread that is alone has written to memory.
            let Some(index) = waiting.iter().position(is_it) else { return Ok(()) };
            if self.machine.reach_memory(number, index).is_some() {
                self.moves.push(Move::Reach { thread: number, index });
                return Ok(());
            }
            if !self.reach_first(number) {
                return Err(GaveUp::Replay("a store cannot reach memory"));
            }
        }
    }
}

/// Whether the execution of an operation has a [`Mark`].
fn is_marked(op: &Op) -> bool {
    matches!(
        op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::CopyMemory { .. }
            | Op::HavocMemory { .. }
            | Op::Spawn { .. }
            | Op::Join { .. }
            | Op::Nondet { .. }
    )
}
