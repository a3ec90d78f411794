//! Runs at random: where they come to. The choices follow from a seed, so that a sample can be
//! repeated. What no run of a sample comes to may still be reached by others.

use rustc_hash::FxHashSet;

use super::machine::{Inputs, Machine, Outcome, Request};
use crate::goto::arithmetic::mask;
use crate::goto::entity::{BlockId, FunctionId};
use crate::goto::instruction::{Op, Operand};
use crate::goto::module::{MemoryModel, Module};

/// A place in a module: function, block, and index of an instruction; the index after the last is
/// the terminator.
pub type Position = (FunctionId, BlockId, usize);

/// How to sample.
#[derive(Clone, Copy, Debug)]
pub struct SampleOptions {
    /// The memory model: `Sc` for a module with buffers in its code.
    pub memory: MemoryModel,
    /// Most threads at once besides the initial one; `None` for no bound.
    pub threads: Option<u32>,
    /// Most instructions of all runs together. What is copied counts too, an instruction for each
    /// few bytes.
    pub steps: usize,
}

/// Where runs came to.
#[derive(Clone, Debug, Default)]
pub struct Visited {
    /// The places at which a thread stood.
    pub stood: FxHashSet<Position>,
    /// The places whose instruction was executed.
    pub executed: FxHashSet<Position>,
}

/// Most runs.
const RUNS: u64 = 64;

/// Most instructions of the first run; twice as many after each that was cut off.
const LENGTH: usize = 1 << 12;

/// Most threads that a run without a bound starts: more would do what these do.
const STARTED: usize = 16;

/// Bytes that are copied in the time of an instruction, roughly.
const BYTES_PER_STEP: u64 = 16;

/// Executes runs of a module until they came to enough, or the steps are used up.
pub fn sample(
    module: &Module,
    options: SampleOptions,
    is_enough: &mut dyn FnMut(&Visited) -> bool,
) -> Visited {
    let mut visited = Visited::default();
    let copy = copy_cost(module);
    let constants = constants(module);
    let mut left = options.steps;
    let mut length = LENGTH;
    for run in 0..RUNS {
        let mut random = Random::new(run, &constants);
        let steps = left.min(length);
        let used = one(module, options, steps, copy, &mut random, &mut visited);
        if used >= steps {
            length = length.saturating_mul(2);
        }
        left = left.saturating_sub(used);
        if left == 0 || is_enough(&visited) {
            break;
        }
    }
    visited
}

/// In how many instructions' time a module's memory is made or copied, roughly.
pub(super) fn copy_cost(module: &Module) -> usize {
    let globals: u64 = module.globals.iter().map(|global| global.ty.size(module)).sum();
    usize::try_from(globals / BYTES_PER_STEP).unwrap_or(usize::MAX).saturating_add(8)
}

/// The numbers that the code mentions, and their neighbours: what conditions are likely to ask for.
pub(super) fn constants(module: &Module) -> Vec<u128> {
    let mut found: Vec<u128> = vec![0, 1];
    for function in &module.functions {
        function.for_each_operand(&mut |operand| {
            if let Operand::Int { value, .. } = operand {
                found.extend([value, value.wrapping_add(1), value.wrapping_sub(1)]);
            }
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Choices that follow from a seed (the generator is SplitMix64).
pub(super) struct Random<'c> {
    state: u64,
    constants: &'c [u128],
    /// The values that were chosen last, the place of the oldest being next.
    recent: [u128; RECENT],
    next_recent: usize,
}

/// How many values are kept that were chosen last: two threads that choose the same index meet.
const RECENT: usize = 4;

impl<'c> Random<'c> {
    /// The choices of a seed. `constants` are numbers that are likely.
    pub(super) fn new(seed: u64, constants: &'c [u128]) -> Self {
        Self { state: seed, constants, recent: [0; RECENT], next_recent: 0 }
    }
}

impl Random<'_> {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % (bound.max(1) as u64)).unwrap_or(0)
    }

    /// Lets one of the stores that wait reach memory, or none, if there are any: whose, and which.
    pub(super) fn flush(&mut self, machine: &mut Machine<'_>) -> Option<(u32, usize)> {
        let ready = machine.all_ready();
        // A run that lets none wait for long is as likely as one that keeps many.
        if ready.is_empty() || self.below(2) == 0 {
            return None;
        }
        let &(thread, index) = ready.get(self.below(ready.len()))?;
        machine.reach_memory(thread, index).map(|_| (thread, index))
    }

    /// As [`flush`](Self::flush), one of a certain thread, if there are any.
    pub(super) fn flush_of(&mut self, machine: &mut Machine<'_>, thread: u32) -> Option<usize> {
        let ready = machine.ready(thread);
        if ready.is_empty() {
            return None;
        }
        let &index = ready.get(self.below(ready.len()))?;
        machine.reach_memory(thread, index).map(|_| index)
    }
}

impl Inputs for Random<'_> {
    fn choose(&mut self, _: u32, _: Request, bits: u16) -> u128 {
        let value = match self.below(10) {
            0 => u128::from(self.next()) << 64 | u128::from(self.next()),
            1..=3 => self.next().into(),
            4..=5 => {
                let index = self.below(RECENT);
                self.recent.get(index).copied().unwrap_or(0)
            }
            _ => {
                let index = self.below(self.constants.len());
                self.constants.get(index).copied().unwrap_or(0)
            }
        };
        // Small numbers are asked for more often than large ones.
        let value = match self.below(8) {
            0 => value & 1,
            1 => value & 7,
            _ => value,
        };
        if let Some(oldest) = self.recent.get_mut(self.next_recent) {
            *oldest = value;
        }
        self.next_recent = (self.next_recent + 1) % RECENT;
        value & mask(bits)
    }
}

/// One run; how many steps it took.
fn one(
    module: &Module,
    options: SampleOptions,
    steps: usize,
    copy: usize,
    random: &mut Random<'_>,
    visited: &mut Visited,
) -> usize {
    let SampleOptions { memory, threads: bound, .. } = options;
    let Some(mut machine) = Machine::new(module, memory, bound, random) else { return steps };
    let mut used = 0;
    // Some runs switch threads at nearly every step, others let each go on as long as it can.
    let patience = [1000, 30, 4][random.below(3)];
    visited.stood.extend(machine.position(0));
    // Threads that could not go on since somebody did.
    let mut blocked = FxHashSet::default();
    while used < steps && (bound.is_some() || machine.started() <= STARTED) {
        // Stores that wait reach memory now and then.
        if random.flush(&mut machine).is_some() {
            used += 1;
            blocked.clear();
        }
        let threads: Vec<u32> =
            machine.threads().into_iter().filter(|thread| !blocked.contains(thread)).collect();
        let Some(&thread) = threads.get(random.below(threads.len())) else { break };
        // What a thread begins in an atomic section that it cannot finish did not happen.
        let mut before: Option<Machine<'_>> = None;
        let mut patience = 1 + random.below(patience);
        loop {
            if used >= steps {
                return used;
            }
            let Some(position) = machine.position(thread) else { break };
            if before.is_none() && !machine.is_atomic() && is_section(module, position) {
                before = Some(machine.clone());
                used += copy;
            }
            used += 1;
            match machine.step(thread, random) {
                Outcome::Continued(_) | Outcome::ThreadEnded => {}
                Outcome::Started(new) => visited.stood.extend(machine.position(new)),
                // It may wait for its buffer.
                Outcome::Blocked(_) if random.flush_of(&mut machine, thread).is_some() => continue,
                Outcome::Blocked(_) | Outcome::Undefined(_) => {
                    if machine.is_atomic()
                        && let Some(before) = before.take()
                    {
                        machine = before;
                    }
                    blocked.insert(thread);
                    break;
                }
                Outcome::Halted => {
                    visited.executed.insert(position);
                    return used;
                }
                Outcome::AssertionFailed { .. }
                | Outcome::InvalidAccess(_)
                | Outcome::Unsupported(_) => return used,
            }
            blocked.clear();
            visited.executed.insert(position);
            visited.stood.extend(machine.position(thread));
            if !machine.is_atomic() {
                before = None;
                patience -= 1;
                if patience == 0 {
                    break;
                }
            }
        }
    }
    used
}

/// Whether an atomic section begins at a place.
pub(super) fn is_section(module: &Module, (function, block, index): Position) -> bool {
    let block = module.function(function).block(block);
    block.instructions.get(index).is_some_and(|i| matches!(i.op, Op::AtomicBegin(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goto::parse;

    /// The worker waits for the lock that the initial thread gives away.
    const LOCKED: &str = r#"gir 1
global $m: i32 = 1
define @t() {
bb0:
  atomic_begin
  %0: i32 = load $m
  %1: i1 = eq %0, 0i32
  assume %1
  store i32, $m, 1i32
  atomic_end
  return
}
define @main() {
bb0:
  %0: i64 = spawn @t()
  store i32, $m, 0i32
  return
}
entry @main
"#;

    fn visited(text: &str) -> (Module, Visited) {
        let module = parse(text, "test").expect("the module is well-formed");
        let options = SampleOptions { memory: MemoryModel::Sc, threads: None, steps: 1 << 14 };
        let visited = sample(&module, options, &mut |_| false);
        (module, visited)
    }

    fn at(module: &Module, function: &str, index: usize) -> Position {
        (module.function_by_name(function).expect("it is there"), BlockId::new(0), index)
    }

    #[test]
    fn runs_wait_for_what_others_do() {
        let (module, visited) = visited(LOCKED);
        assert!(visited.executed.contains(&at(&module, "t", 6)), "the lock is taken in some run");
    }

    #[test]
    fn nothing_that_blocks_is_executed() {
        let (module, visited) = visited(&LOCKED.replace("  store i32, $m, 0i32\n", ""));
        assert!(visited.stood.contains(&at(&module, "t", 3)));
        assert!(!visited.executed.contains(&at(&module, "t", 3)));
        assert!(visited.executed.contains(&at(&module, "main", 1)), "the other thread goes on");
    }

    #[test]
    fn long_runs_come_to_their_end() {
        let text = r#"gir 1
define @main() {
bb0:
  jump bb1(0i32)
bb1(%0: i32):
  %1: i32 = add %0, 1i32
  %2: i1 = ult %1, 4000i32
  branch %2, bb1(%1), bb2
bb2:
  return
}
entry @main
"#;
        let module = parse(text, "test").expect("the module is well-formed");
        let options = SampleOptions { memory: MemoryModel::Sc, threads: None, steps: 1 << 16 };
        let visited = sample(&module, options, &mut |_| false);
        let main = module.function_by_name("main").expect("it is there");
        assert!(visited.executed.contains(&(main, BlockId::new(2), 0)));
    }

    #[test]
    fn numbers_of_the_code_are_tried() {
        let text = r#"gir 1
define @main() {
bb0:
  %0: i32 = nondet
  %1: i1 = eq %0, 123456i32
  assume %1
  return
}
entry @main
"#;
        let (module, visited) = visited(text);
        assert!(visited.executed.contains(&at(&module, "main", 3)));
    }
}
