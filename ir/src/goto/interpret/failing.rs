//! Long runs at random until one fails: for failures that are behind loops of thousands of rounds,
//! or that need many threads, where a search of all states does not come to.
//!
//! Which threads act is chosen so that a run costs what it executes: few are looked at, the others
//! wait until none of these can go on. What no run finds may still be there.

use std::collections::VecDeque;

use sapa_limits::Limits;

use super::machine::{Inputs, Machine, Outcome, Request, Saved};
use super::replay::{Action, Executed};
use super::sample::{Random, constants, is_section};
use crate::goto::instruction::Op;
use crate::goto::module::{MemoryModel, Module};

/// Most runs.
const RUNS: u64 = 24;

/// Threads that a run switches between, if it keeps few.
const FEW: usize = 4;

/// How many turns are between those after which one more thread takes turns, on average.
const RARE: usize = 64;

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

/// A run that fails an assertion.
#[derive(Clone, Debug)]
pub struct FailingRun {
    /// What it executes; the last instruction fails.
    pub executed: Vec<Executed>,
    /// Whether anything was chosen on the way besides who acts: a value that is open, or what memory
    /// holds that nobody wrote.
    pub has_choices: bool,
}

/// Choices that are counted.
struct Counted<'r, 'c> {
    random: &'r mut Random<'c>,
    count: usize,
}

impl Inputs for Counted<'_, '_> {
    fn choose(&mut self, thread: u32, request: Request, bits: u16) -> u128 {
        self.count += 1;
        self.random.choose(thread, request, bits)
    }
}

/// The first of some runs at random that fails an assertion, under a memory model. `threads` bounds
/// how many there are at once besides the initial one, `steps` the instructions of all runs together.
#[must_use]
pub fn failing_run(
    module: &Module,
    memory: MemoryModel,
    threads: Option<u32>,
    steps: usize,
    limits: &Limits,
) -> Option<FailingRun> {
    let constants = constants(module);
    let mut left = steps;
    for seed in 0..RUNS {
        let start = [Start::First, Start::Wait, Start::Among][(seed % 3) as usize];
        let patience = [1000, 4, 1, 30][(seed / 3 % 4) as usize];
        // The first runs may take all that is needed, so that one is whole if any is.
        let most = left.min(steps / 2);
        let mut random = Random { state: seed, constants: &constants };
        let mut run = Run::new(module, memory, threads, start, &mut random)?;
        run.in_order = seed / 3 % 2 == 0;
        let failed = run.execute(module, most, patience, &mut random, limits);
        if failed {
            return Some(FailingRun { executed: run.executed, has_choices: run.choices > 0 });
        }
        left = left.saturating_sub(run.used);
        if left == 0 || limits.is_exceeded() {
            return None;
        }
    }
    None
}

struct Run<'m> {
    machine: Machine<'m>,
    start: Start,
    executed: Vec<Executed>,
    used: usize,
    /// How many choices were made.
    choices: usize,
    /// Threads that take turns.
    active: Vec<u32>,
    /// Those that wait for these.
    waiting: VecDeque<u32>,
    /// Whether who waits longest is next.
    in_order: bool,
}

/// Where an atomic section began that a thread may not get through.
struct Section {
    saved: Saved,
    executed: usize,
    /// Whether it has changed more than its thread.
    has_effect: bool,
}

impl<'m> Run<'m> {
    fn new(
        module: &'m Module,
        memory: MemoryModel,
        threads: Option<u32>,
        start: Start,
        random: &mut Random<'_>,
    ) -> Option<Self> {
        let mut inputs = Counted { random, count: 0 };
        let machine = Machine::new(module, memory, threads, &mut inputs)?;
        let choices = inputs.count;
        let (active, waiting) = (vec![0], VecDeque::new());
        Some(Self {
            machine,
            start,
            executed: Vec::new(),
            used: 0,
            choices,
            active,
            waiting,
            in_order: true,
        })
    }

    /// Whether the run fails an assertion within a number of steps.
    fn execute(
        &mut self,
        module: &Module,
        most: usize,
        patience: usize,
        random: &mut Random<'_>,
        limits: &Limits,
    ) -> bool {
        // Threads in a row, among those that take turns, that could not go on.
        let mut stuck = 0;
        let mut turn = 0;
        while self.used < most && !limits.is_exceeded() {
            // Stores that wait reach memory now and then.
            if let Some((thread, index)) = random.flush(&mut self.machine) {
                self.used += 1;
                self.executed.push(Executed { thread, action: Action::Reach(index) });
                stuck = 0;
            }
            if self.active.is_empty() || stuck >= self.active.len() {
                let Some(next) = self.next(random) else { return false };
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
                turn = random.below(self.active.len());
            } else {
                turn = (turn + 1) % self.active.len();
            }
            let Some(&thread) = self.active.get(turn) else { return false };
            let before = self.executed.len();
            match self.turn(module, thread, patience, most, random) {
                Turn::Fails => return true,
                Turn::Over => return false,
                Turn::Ended => {
                    self.active.retain(|&other| other != thread);
                    stuck = 0;
                }
                Turn::Stops if self.executed.len() > before => stuck = 0,
                Turn::Stops => stuck += 1,
            }
        }
        false
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
        module: &Module,
        thread: u32,
        patience: usize,
        most: usize,
        random: &mut Random<'_>,
    ) -> Turn {
        let mut section: Option<Section> = None;
        let mut patience = 1 + random.below(patience);
        while self.used < most {
            let Some(position) = self.machine.position(thread) else { return Turn::Ended };
            if section.is_none() && !self.machine.is_atomic() && is_section(module, position) {
                let executed = self.executed.len();
                let Some(saved) = self.machine.save(thread) else { return Turn::Ended };
                section = Some(Section { saved, executed, has_effect: false });
            }
            self.used += 1;
            let mut inputs = Counted { random: &mut *random, count: 0 };
            let outcome = self.machine.step(thread, &mut inputs);
            self.choices += inputs.count;
            let mut started = None;
            // It may wait for its buffer.
            if matches!(outcome, Outcome::Blocked(_))
                && let Some(index) = random.flush_of(&mut self.machine, thread)
            {
                self.executed.push(Executed { thread, action: Action::Reach(index) });
                // Before the section has begun it is no part of it.
                if let Some(section) = &mut section {
                    match self.machine.is_atomic() {
                        true => section.has_effect = true,
                        false => section.executed = self.executed.len(),
                    }
                }
                continue;
            }
            match outcome {
                Outcome::Continued(_) | Outcome::ThreadEnded => {}
                Outcome::Started(new) => started = Some(new),
                Outcome::Blocked(_) | Outcome::Undefined(_) => {
                    return match section.filter(|_| self.machine.is_atomic()) {
                        None => Turn::Stops,
                        Some(Section { has_effect: true, .. }) => Turn::Over,
                        Some(Section { saved, executed, .. }) => {
                            self.machine.restore(thread, saved);
                            self.executed.truncate(executed);
                            Turn::Stops
                        }
                    };
                }
                Outcome::AssertionFailed { .. } => {
                    let action = Action::Execute { position, started };
                    self.executed.push(Executed { thread, action });
                    return Turn::Fails;
                }
                Outcome::Halted | Outcome::InvalidAccess(_) | Outcome::Unsupported(_) => {
                    return Turn::Over;
                }
            }
            self.executed.push(Executed { thread, action: Action::Execute { position, started } });
            if let Some(section) = &mut section {
                let (function, block, index) = position;
                let code = &module.function(function).block(block).instructions;
                section.has_effect |= code.get(index).is_some_and(|i| has_effect(&i.op));
            }
            if !self.machine.is_atomic() {
                section = None;
            }
            if let Some(new) = started {
                match self.start {
                    Start::First => self.waiting.push_front(new),
                    Start::Among if self.active.len() < FEW => self.active.push(new),
                    Start::Wait | Start::Among => self.waiting.push_back(new),
                }
                if matches!(self.start, Start::First) && section.is_none() {
                    return self.first(module, most, random);
                }
            }
            if matches!(outcome, Outcome::ThreadEnded) {
                return Turn::Ended;
            }
            if section.is_none() {
                patience -= 1;
                if patience == 0 {
                    break;
                }
            }
        }
        Turn::Stops
    }

    /// Lets a thread that was just started act as long as it can.
    fn first(&mut self, module: &Module, most: usize, random: &mut Random<'_>) -> Turn {
        let Some(thread) = self.waiting.pop_front() else { return Turn::Stops };
        // What it starts in its turn waits.
        let start = std::mem::replace(&mut self.start, Start::Wait);
        let turn = self.turn(module, thread, usize::MAX, most, random);
        self.start = start;
        match turn {
            Turn::Ended => Turn::Stops,
            Turn::Stops => {
                self.waiting.push_back(thread);
                Turn::Stops
            }
            turn => turn,
        }
    }
}

/// How a turn ends.
enum Turn {
    /// In a failed assertion.
    Fails,
    /// The run goes no further.
    Over,
    /// The thread has ended.
    Ended,
    /// The thread can do nothing now, or others have their turn.
    Stops,
}

/// Whether an operation changes more than its thread.
fn has_effect(op: &Op) -> bool {
    !op.is_pure()
        && !matches!(
            op,
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

#[cfg(test)]
mod tests {
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

    fn run(text: &str) -> Option<FailingRun> {
        let module = parse(text, "test").expect("the module is well-formed");
        failing_run(&module, MemoryModel::Sc, None, 1 << 20, &Limits::default())
    }

    #[test]
    fn a_failure_behind_many_rounds_is_found() {
        let FailingRun { executed, has_choices } = run(MANY).expect("it fails");
        assert!(!has_choices);
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
