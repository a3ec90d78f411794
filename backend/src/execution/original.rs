//! Runs under TSO and PSO of a program without buffers in its code, as the source has them.
//!
//! A failure of a module with buffers in its code is one of the program that it was made from if
//! the interpreter comes to it there with buffers of its own: what is shown is what the program
//! does, and no error of the pass becomes a FAILED.

use std::sync::Arc;

use sapa_ir::goto::interpret::{
    Exploration, ExploreOptions, Failure, Machine, Onlooker, Outcome, Position, Waiting, explore,
};
use sapa_ir::goto::{MemoryModel, Module, Op};
use sapa_limits::Limits;

use super::counterexample::Counterexample;
use super::explore::most_bytes;
use super::record::Recorder;
use super::replay::others;
use crate::check::ThreadBound;

/// A program without buffers in its code, and how its stores wait.
#[derive(Clone, Debug)]
pub struct Original {
    /// The program, of `memory sc`.
    pub module: Arc<Module>,
    /// The model that its runs are under.
    pub memory: MemoryModel,
    /// How many stores there is room for in a buffer, the next being delayed; `None` for any number.
    pub most_waiting: Option<u32>,
    /// Whether its runs are searched beside the loop.
    pub search: SearchTurn,
}

/// When the runs of a program are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchTurn {
    /// At once.
    First,
    /// Later: a first search has come to no answer.
    Later,
    /// Not at all, but for a run that does what a failing one of the code with buffers does.
    Never,
}

/// How far to search.
#[derive(Clone, Debug, Default)]
pub struct Extent {
    /// Numbers that choices may be, besides 0 and 1.
    pub values: Vec<u128>,
    /// How many threads runs start at most; `None` for any number.
    pub started: Option<usize>,
    /// Most states.
    pub states: usize,
    /// Most instructions.
    pub steps: usize,
}

impl Original {
    /// The runs of the program, as far as they are searched.
    #[must_use]
    pub fn explore(&self, threads: ThreadBound, extent: &Extent, limits: &Limits) -> Exploration {
        let mut domain = vec![0, 1];
        domain.extend(&extent.values);
        let options = ExploreOptions {
            reduced: false,
            memory: self.memory,
            most_waiting: self.most_waiting.map(|most| most as usize),
            threads: threads.limit(),
            most_started: extent.started,
            ends_at_most_started: false,
            domain,
            max_states: extent.states,
            max_bytes: most_bytes(limits),
            max_steps: extent.steps,
            limits: limits.clone(),
        };
        explore(&self.module, &options)
    }

    /// [`recorded`] of the program.
    #[must_use]
    pub fn record(&self, failure: &Failure, threads: ThreadBound) -> Option<Counterexample> {
        recorded(&self.module, failure, threads)
    }
}

/// What a run of a module does that fails; `None` if it does not fail, or rests on a value that is
/// not modelled.
#[must_use]
pub fn recorded(
    module: &Module,
    failure: &Failure,
    threads: ThreadBound,
) -> Option<Counterexample> {
    let recorder = Recorder::new(module);
    let mut recording = Recording { module, recorder, most_started: 0, is_modelled: true };
    let fails = failure.replay(module, threads.limit(), &mut recording);
    let Recording { recorder, most_started, is_modelled, .. } = recording;
    let Failure { property, location, .. } = failure.clone();
    (fails && is_modelled).then(|| recorder.counterexample(property, location, most_started))
}

struct Recording<'m> {
    module: &'m Module,
    recorder: Recorder<'m>,
    most_started: u32,
    /// Whether all that was executed is modelled.
    is_modelled: bool,
}

impl Onlooker for Recording<'_> {
    fn before(&mut self, machine: &Machine<'_>, thread: u32) {
        self.recorder.before(machine, thread);
    }

    fn after(
        &mut self,
        machine: &Machine<'_>,
        thread: u32,
        position @ (function, block, index): Position,
        outcome: &Outcome,
        unwritten: bool,
    ) {
        let block_of = self.module.function(function).block(block);
        self.is_modelled &= !block_of
            .instructions
            .get(index)
            .is_some_and(|i| matches!(i.op, Op::Nondet { unmodelled: Some(_) }));
        self.recorder.after(machine, thread, position, outcome, unwritten);
        if matches!(outcome, Outcome::Started(_)) {
            self.most_started = self.most_started.max(others(machine));
        }
    }

    fn reached(&mut self, machine: &Machine<'_>, thread: u32, _: usize, store: &Waiting) {
        self.recorder.reached(machine, thread, store);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Store buffering, with two stores of a structure's scalars.
    const PROGRAM: &str = r#"gir 1
file "a.c"
global $x: i32 signed = 0
global $y: i32 signed = 0
define @t() {
bb0:
  store i32, $x, 1i32  #3:1 of "a.c"
  %0: i32 = load $y  #4:1
  %1: i1 = eq %0, 0i32
  assume %1
  %2: i32 = load $x
  %3: i1 = eq %2, 1i32
  assume %3
  return
}
define @main() {
bb0:
  %0: i64 = spawn @t()  #9:1 of "a.c"
  store i32, $y, 5i32  #10:1
  %1: i32 = load $x  #11:1
  join %0  #12:1
  %2: i1 = ne %1, 0i32
  assert %2, "x is seen"  #13:1
  return
}
entry @main
"#;

    #[test]
    fn a_run_with_stores_that_wait_is_told_in_words() {
        let module = sapa_ir::goto::parse(PROGRAM, "test").expect("the module is well-formed");
        let module = Arc::new(module);
        let original = Original {
            module,
            memory: MemoryModel::Tso,
            most_waiting: None,
            search: SearchTurn::First,
        };
        let extent =
            Extent { started: Some(1), states: 10_000, steps: 1_000_000, ..Extent::default() };
        let threads = ThreadBound::Unbounded;
        let found = original.explore(threads, &extent, &Limits::default());
        let failure = found.failure.expect("it fails");
        let recorded = original.record(&failure, threads).expect("it fails again");
        assert_eq!(recorded.most_started, 1);
        let texts: Vec<String> =
            recorded.rows.iter().flat_map(|r| &r.events).map(|e| e.text()).collect();
        for text in ["x = 1 (waits)", "x = 1 reaches memory", "y = 5 (waits)"] {
            assert!(texts.iter().any(|found| found == text), "{texts:?}");
        }
        let other = Failure { property: "another".to_owned(), ..failure };
        assert!(original.record(&other, threads).is_none());
    }
}
