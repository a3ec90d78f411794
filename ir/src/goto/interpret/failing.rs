//! Long runs at random until one fails: for failures that are behind loops of thousands of rounds,
//! that need many threads, or that are in programs too large for all runs to be gone through.
//!
//! Which threads act is chosen so that a run costs what it executes: few are looked at, the others
//! wait until none of these can go on. Among the few, some runs switch at random; in others the first
//! that can go on does, in an order that changes at a few places of the run. Such runs find what needs
//! few switches at the right places (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized
//! scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010). What no run finds may still
//! be there.

use std::collections::VecDeque;

use sapa_limits::Limits;

use super::machine::{Inputs, Machine, Outcome, Request, Saved};
use super::replay::{Failure, Move};
use super::sample::{Position, Random, SampleOptions, constants, copy_cost, is_section};
use crate::goto::instruction::{Op, TerminatorKind};
use crate::goto::module::{MemoryModel, Module};
use crate::goto::source::Location;

/// Threads that a run switches between, if it keeps few.
const FEW: usize = 4;

/// How many turns are between those after which one more thread takes turns, on average.
const RARE: usize = 64;

/// Most places at which the order of threads changes.
const MOST_CHANGES: usize = 4;

/// Instructions after which a thread is no longer the first of the order, whatever it does: it may
/// wait in a loop for another one.
const LONG: usize = 1 << 10;

/// Instructions of the first runs, and threads that they start.
const FIRST: (usize, usize) = (1 << 12, 3);

/// After how many runs that were cut off they are longer.
const CUT_OFF: u32 = 4;

/// How often a value is chosen anew with which a thread does not go on.
const TRIES: usize = 16;

/// What becomes of a thread that is started.
#[derive(Clone, Copy)]
enum Start {
    /// It waits until the others can do nothing.
    Wait,
    /// It acts at once until it can do nothing.
    First,
    /// It is one of those that take turns, as long as these are few.
    Among,
}

/// Who of those that take turns is next.
enum Order {
    /// Any, for up to that many instructions.
    Any(usize),
    /// The first that can go on. After so many instructions of the run each, in descending order, who
    /// acts becomes the last.
    Priority(Vec<usize>),
}

/// Runs at random of one module, each unlike those before.
#[derive(Clone, Debug)]
pub struct RandomRuns {
    /// What choices are likely to be.
    constants: Vec<u128>,
    /// The number of the next run, from which its choices follow.
    next: u64,
    /// Instructions of the longest so far.
    longest: usize,
    /// How many were cut off.
    cut_off: u32,
    /// Whether one run is like another.
    is_over: bool,
}

impl RandomRuns {
    /// Before the first run of a module.
    #[must_use]
    pub fn new(module: &Module) -> Self {
        Self { constants: constants(module), next: 0, longest: 0, cut_off: 0, is_over: false }
    }

    /// The next run that fails an assertion, if that is found within the steps. The module is always
    /// the same.
    pub fn failure(
        &mut self,
        module: &Module,
        options: SampleOptions,
        limits: &Limits,
    ) -> Option<Failure> {
        let SampleOptions { memory, threads, steps } = options;
        let start_cost = copy_cost(module);
        let mut left = steps;
        while left > 0 && !self.is_over && !limits.is_exceeded() {
            let seed = self.next;
            self.next += 1;
            let mut random = Random::new(seed, &self.constants);
            let order = match seed % 4 {
                3 => Order::Priority(changes(self.longest, &mut random)),
                _ => Order::Any([1000, 4, 1, 30][(seed / 4 % 4) as usize]),
            };
            let start = match order {
                Order::Priority(_) => Start::Among,
                Order::Any(_) => [Start::First, Start::Wait, Start::Among][(seed % 4) as usize],
            };
            let mut run = Run::new(module, memory, threads, (start, order), &mut random)?;
            run.in_order = (seed / 4).is_multiple_of(2);
            // What fails in a short run with few threads is shown in one.
            let level = self.cut_off / CUT_OFF;
            let length = FIRST.0.checked_shl(level).unwrap_or(usize::MAX);
            run.most_started = FIRST.1.checked_shl(2 * level).unwrap_or(usize::MAX);
            let found = run.execute(left.min(length), &mut random, limits);
            if let Some((property, location)) = found {
                let Schedule { parameters, moves } = run.schedule;
                return Some(Failure { memory, parameters, moves, property, location });
            }
            self.longest = self.longest.max(run.used);
            self.cut_off += u32::from(run.is_full || run.used >= length);
            self.is_over = run.schedule.is_only();
            left = left.saturating_sub(run.used.saturating_add(start_cost));
        }
        None
    }
}

/// Where the order of threads changes in a run that may be that long: numbers of instructions,
/// descending.
fn changes(longest: usize, random: &mut Random<'_>) -> Vec<usize> {
    let count = random.below(MOST_CHANGES + 1);
    let mut changes: Vec<usize> = (0..count).map(|_| random.below(longest)).collect();
    changes.sort_unstable_by(|a, b| b.cmp(a));
    changes
}

/// What a run does, to be done again.
struct Schedule {
    parameters: Vec<u128>,
    moves: Vec<Move>,
}

/// How far a schedule goes: its moves, and what the last one has of instructions and of choices.
#[derive(Clone, Copy)]
struct Mark {
    moves: usize,
    last: (usize, usize),
}

impl Schedule {
    /// An instruction of a thread, and what it chooses.
    fn act(&mut self, by: u32, chosen: Vec<u128>) {
        if let Some(Move::Act { thread, instructions, choices }) = self.moves.last_mut()
            && *thread == by
        {
            *instructions += 1;
            choices.extend(chosen);
            return;
        }
        self.moves.push(Move::Act { thread: by, instructions: 1, choices: chosen });
    }

    fn reach(&mut self, thread: u32, index: usize) {
        self.moves.push(Move::Reach { thread, index });
    }

    fn mark(&self) -> Mark {
        let last = match self.moves.last() {
            Some(Move::Act { instructions, choices, .. }) => (*instructions, choices.len()),
            _ => (0, 0),
        };
        Mark { moves: self.moves.len(), last }
    }

    /// Takes back what was done since.
    fn cut(&mut self, Mark { moves, last }: Mark) {
        self.moves.truncate(moves);
        if let Some(Move::Act { instructions, choices, .. }) = self.moves.last_mut() {
            *instructions = last.0;
            choices.truncate(last.1);
        }
    }

    /// Whether all runs do this: nothing is chosen, and nobody else could act.
    fn is_only(&self) -> bool {
        let by_initial = |step: &Move| match step {
            Move::Act { thread, choices, .. } => *thread == 0 && choices.is_empty(),
            Move::Reach { .. } => false,
        };
        self.parameters.is_empty() && self.moves.iter().all(by_initial)
    }
}

/// Choices that are noted.
struct Noted<'r, 'c> {
    random: &'r mut Random<'c>,
    chosen: Vec<u128>,
}

impl<'r, 'c> Noted<'r, 'c> {
    fn new(random: &'r mut Random<'c>) -> Self {
        Self { random, chosen: Vec::new() }
    }
}

impl Inputs for Noted<'_, '_> {
    fn choose(&mut self, thread: u32, request: Request, bits: u16) -> u128 {
        let value = self.random.choose(thread, request, bits);
        self.chosen.push(value);
        value
    }
}

struct Run<'m> {
    module: &'m Module,
    machine: Machine<'m>,
    start: Start,
    order: Order,
    schedule: Schedule,
    used: usize,
    /// Threads that take turns.
    active: Vec<u32>,
    /// Those that wait for these.
    waiting: VecDeque<u32>,
    /// Whether who waits longest is next.
    in_order: bool,
    /// How many threads it starts.
    most_started: usize,
    /// Whether it would have started more.
    is_full: bool,
}

/// Where a thread may be set back to: what it has done since is seen by nobody, if it `has_effect` not.
struct Before {
    saved: Saved,
    schedule: Mark,
    /// Whether it has changed more than its thread since.
    has_effect: bool,
}

/// How a turn ends.
enum Turn {
    /// In a failed assertion: what does not hold, and where it is asserted.
    Fails(String, Location),
    /// The run goes no further.
    Over,
    /// The thread has ended.
    Ended,
    /// The thread can do nothing now.
    Stuck,
    /// Others have their turn.
    Stops,
}

impl<'m> Run<'m> {
    fn new(
        module: &'m Module,
        memory: MemoryModel,
        threads: Option<u32>,
        (start, order): (Start, Order),
        random: &mut Random<'_>,
    ) -> Option<Self> {
        let mut inputs = Noted::new(random);
        let machine = Machine::new(module, memory, threads, &mut inputs)?;
        let schedule = Schedule { parameters: inputs.chosen, moves: Vec::new() };
        Some(Self {
            module,
            machine,
            start,
            order,
            schedule,
            used: 0,
            active: vec![0],
            waiting: VecDeque::new(),
            in_order: true,
            most_started: usize::MAX,
            is_full: false,
        })
    }

    /// The assertion that the run fails within a number of steps, and where it stands.
    fn execute(
        &mut self,
        most: usize,
        random: &mut Random<'_>,
        limits: &Limits,
    ) -> Option<(String, Location)> {
        // Threads in a row, among those that take turns, that could not go on.
        let mut stuck = 0;
        let mut turn = 0;
        while self.used < most && !limits.is_exceeded() {
            // Stores that wait reach memory now and then.
            if let Some((thread, index)) = random.flush(&mut self.machine) {
                self.used += 1;
                self.schedule.reach(thread, index);
                stuck = 0;
            }
            if self.active.is_empty() || stuck >= self.active.len() {
                let next = self.next(random)?;
                // Those that cannot go on come again, behind the others.
                if self.active.len() > FEW {
                    self.waiting.extend(self.active.drain(..));
                }
                turn = self.active.len();
                self.active.push(next);
                stuck = 0;
            } else if stuck == 0 {
                // Those that take turns may wait in a loop for one that does not.
                if self.active.len() < FEW && random.below(RARE) == 0 {
                    let next = self.next(random);
                    self.active.extend(next);
                }
                turn = match self.order {
                    Order::Any(_) => random.below(self.active.len()),
                    Order::Priority(_) => 0,
                };
            } else {
                turn = (turn + 1) % self.active.len();
            }
            let &thread = self.active.get(turn)?;
            let patience = self.patience(random);
            let before = self.used_by_moves();
            match self.turn(thread, patience, most, random) {
                Turn::Fails(property, location) => return Some((property, location)),
                Turn::Over => return None,
                Turn::Ended => {
                    self.active.retain(|&other| other != thread);
                    stuck = 0;
                }
                Turn::Stuck if self.used_by_moves() == before => stuck += 1,
                Turn::Stuck => stuck = 0,
                Turn::Stops => {
                    stuck = 0;
                    if matches!(self.order, Order::Priority(_)) {
                        self.active.retain(|&other| other != thread);
                        self.active.push(thread);
                    }
                }
            }
        }
        None
    }

    /// How much was done that stays: it grows with all that does.
    fn used_by_moves(&self) -> (usize, usize) {
        let mark = self.schedule.mark();
        (mark.moves, mark.last.0)
    }

    /// For how many instructions the next turn lasts.
    fn patience(&mut self, random: &mut Random<'_>) -> usize {
        match &mut self.order {
            Order::Any(patience) => 1 + random.below(*patience),
            Order::Priority(changes) => {
                while changes.last().is_some_and(|&change| change <= self.used) {
                    changes.pop();
                }
                changes.last().map_or(LONG, |&change| LONG.min(change - self.used))
            }
        }
    }

    /// One of the threads that wait: the first, or any.
    fn next(&mut self, random: &mut Random<'_>) -> Option<u32> {
        match self.in_order {
            true => self.waiting.pop_front(),
            false => self.waiting.swap_remove_back(random.below(self.waiting.len())),
        }
    }

    /// Lets a thread act for a while.
    fn turn(
        &mut self,
        thread: u32,
        mut patience: usize,
        most: usize,
        random: &mut Random<'_>,
    ) -> Turn {
        // Where an atomic section began that it may not get through.
        let mut section: Option<Before> = None;
        // Where it last chose a value.
        let mut choice: Option<Before> = None;
        let mut tries = TRIES;
        while self.used < most {
            let Some(position) = self.machine.position(thread) else { return Turn::Ended };
            let is_free = section.is_none() && !self.machine.is_atomic();
            if is_free && is_section(self.module, position) {
                section = self.before(thread);
            }
            if self.machine.started() >= self.most_started
                && matches!(operation(self.module, position), Some(Op::Spawn { .. }))
            {
                self.is_full = true;
                return self.blocked(thread, section);
            }
            if is_free && is_choice(self.module, position) {
                choice = self.before(thread);
            }
            // With another value it may go on.
            if is_halt(self.module, position) && self.set_back(thread, &mut choice, &mut tries) {
                continue;
            }
            self.used += 1;
            let mut inputs = Noted::new(&mut *random);
            let outcome = self.machine.step(thread, &mut inputs);
            let chosen = inputs.chosen;
            // It may wait for its buffer.
            if matches!(outcome, Outcome::Blocked(_))
                && let Some(index) = random.flush_of(&mut self.machine, thread)
            {
                self.schedule.reach(thread, index);
                choice = None;
                // Before the section has begun it is no part of it.
                if let Some(section) = &mut section {
                    match self.machine.is_atomic() {
                        true => section.has_effect = true,
                        false => section.schedule = self.schedule.mark(),
                    }
                }
                continue;
            }
            let mut started = None;
            match outcome {
                Outcome::Continued(_) | Outcome::ThreadEnded => {}
                Outcome::Started(new) => started = Some(new),
                Outcome::Blocked(_) | Outcome::Undefined(_) => {
                    if !self.machine.is_atomic() {
                        match self.set_back(thread, &mut choice, &mut tries) {
                            true => continue,
                            false => return Turn::Stuck,
                        }
                    }
                    return self.blocked(thread, section);
                }
                Outcome::AssertionFailed { property, location } => {
                    self.schedule.act(thread, chosen);
                    return Turn::Fails(property, location);
                }
                Outcome::Halted | Outcome::InvalidAccess(_) | Outcome::Unsupported(_) => {
                    return Turn::Over;
                }
            }
            self.schedule.act(thread, chosen);
            if has_effect(self.module, position) {
                section.iter_mut().for_each(|section| section.has_effect = true);
                choice = None;
            }
            if !self.machine.is_atomic() {
                section = None;
            }
            if let Some(new) = started {
                self.admit(new, random);
                if matches!(self.start, Start::First) && section.is_none() {
                    return self.first(most, random);
                }
            }
            if matches!(outcome, Outcome::ThreadEnded) {
                return Turn::Ended;
            }
            if section.is_none() {
                patience -= 1;
                if patience == 0 {
                    return Turn::Stops;
                }
            }
        }
        Turn::Stops
    }

    /// How the turn of a thread ends that cannot go on: what it began in an atomic section that it
    /// does not get through did not happen.
    fn blocked(&mut self, thread: u32, section: Option<Before>) -> Turn {
        match section {
            None => Turn::Stuck,
            Some(Before { has_effect: true, .. }) => Turn::Over,
            Some(Before { saved, schedule, .. }) => {
                self.machine.restore(thread, saved);
                self.schedule.cut(schedule);
                Turn::Stuck
            }
        }
    }

    /// Where a thread stands.
    fn before(&self, thread: u32) -> Option<Before> {
        let saved = self.machine.save(thread)?;
        Some(Before { saved, schedule: self.schedule.mark(), has_effect: false })
    }

    /// Sets a thread back to where it last chose a value, if nobody has seen what it did since and it
    /// was not tried too often.
    fn set_back(&mut self, thread: u32, choice: &mut Option<Before>, tries: &mut usize) -> bool {
        let Some(Before { saved, schedule, .. }) = choice.take_if(|_| *tries > 0) else {
            return false;
        };
        *tries -= 1;
        self.machine.restore(thread, saved);
        self.schedule.cut(schedule);
        true
    }

    /// Gives a thread that was just started its place.
    fn admit(&mut self, new: u32, random: &mut Random<'_>) {
        match self.start {
            Start::First => self.waiting.push_front(new),
            Start::Among if self.active.len() < FEW => {
                let place = match self.order {
                    Order::Any(_) => self.active.len(),
                    Order::Priority(_) => random.below(self.active.len() + 1),
                };
                self.active.insert(place, new);
            }
            Start::Wait | Start::Among => self.waiting.push_back(new),
        }
    }

    /// Lets a thread that was just started act as long as it can.
    fn first(&mut self, most: usize, random: &mut Random<'_>) -> Turn {
        let Some(thread) = self.waiting.pop_front() else { return Turn::Stops };
        // What it starts in its turn waits.
        let start = std::mem::replace(&mut self.start, Start::Wait);
        let turn = self.turn(thread, usize::MAX, most, random);
        self.start = start;
        match turn {
            Turn::Ended => Turn::Stops,
            Turn::Stuck | Turn::Stops => {
                self.waiting.push_back(thread);
                Turn::Stops
            }
            turn => turn,
        }
    }
}

/// The operation at a place; `None` if a terminator stands there.
fn operation(module: &Module, (function, block, index): Position) -> Option<&Op> {
    let block = module.function(function).block(block);
    block.instructions.get(index).map(|instruction| &instruction.op)
}

/// Whether a value is chosen at a place.
fn is_choice(module: &Module, position: Position) -> bool {
    matches!(operation(module, position), Some(Op::Nondet { .. }))
}

/// Whether the program ends at a place.
fn is_halt(module: &Module, (function, block, index): Position) -> bool {
    let block = module.function(function).block(block);
    index == block.instructions.len() && matches!(block.terminator.kind, TerminatorKind::Halt)
}

/// Whether what stands at a place changes more than its thread. What ends a thread or a call does: the
/// objects of its stack are gone.
fn has_effect(module: &Module, (function, block, index): Position) -> bool {
    let block = module.function(function).block(block);
    match block.instructions.get(index) {
        Some(instruction) => {
            !instruction.op.is_pure()
                && !matches!(
                    instruction.op,
                    Op::Load { .. }
                        | Op::Nondet { .. }
                        | Op::Assume { .. }
                        | Op::Assert { .. }
                        | Op::AtomicBegin(_)
                        | Op::AtomicEnd
                        | Op::Fence { .. }
                        | Op::ThreadSelf
                )
        }
        None => matches!(
            block.terminator.kind,
            TerminatorKind::Return(_) | TerminatorKind::EndThread(_)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::replay::{Action, Executed};
    use super::*;
    use crate::goto::parse;

    /// Fails behind a loop of 10,000 starts, once a thread has taken the lock.
    const MANY: &str = r#"gir 1
global $m: i32 = 0
global $x: i32 = 0
define @t() {
bb0:
  atomic_begin
  %0: i32 = load $m
  %1: i1 = eq %0, 0i32
  assume %1
  store i32, $m, 1i32
  atomic_end
  store i32, $x, 1i32
  return
}
define @main() {
bb0:
  jump bb1(0i32)
bb1(%0: i32):
  %1: i1 = slt %0, 10000i32
  branch %1, bb2, bb3
bb2:
  %2: i64 = spawn @t()
  %3: i32 = add %0, 1i32
  jump bb1(%3)
bb3:
  %4: i32 = load $x
  %5: i1 = eq %4, 0i32
  assert %5, "nobody"
  return
}
entry @main
"#;

    fn run(text: &str) -> Option<Vec<Executed>> {
        let module = parse(text, "test").expect("the module is well-formed");
        let options = SampleOptions { memory: MemoryModel::Sc, threads: None, steps: 1 << 22 };
        let failure = RandomRuns::new(&module).failure(&module, options, &Limits::default())?;
        assert!(failure.moves.iter().all(|step| step.choices().is_empty()));
        Some(failure.execute(&module, None).expect("what was found can be done again"))
    }

    #[test]
    fn a_failure_behind_many_rounds_is_found() {
        let executed = run(MANY).expect("it fails");
        let starts = |e: &&Executed| matches!(e.action, Action::Execute { started: Some(_), .. });
        assert_eq!(executed.iter().filter(starts).count(), 10_000);
        // What a thread that waits for the lock began did not happen.
        let at = |e: &&Executed| {
            matches!(e.action, Action::Execute { position: (_, _, 3), .. }) && e.thread == 2
        };
        assert!(executed.iter().filter(at).count() <= 1);
    }

    #[test]
    fn what_cannot_fail_does_not() {
        assert!(run(&MANY.replace("store i32, $x, 1i32", "store i32, $x, 0i32")).is_none());
    }
}
