//! Runs under TSO and PSO of a program without buffers in its code, as the source has them.
//!
//! A failure of a module with buffers in its code is one of the program that it was made from, if
//! the interpreter comes to it there with buffers of its own: what is shown is what the program
//! does, and no error of the pass becomes a FAILED.

use sapa_ir::goto::interpret::{
    ExploreOptions, Failure, Machine, Onlooker, Outcome, Position, Waiting, explore,
};
use sapa_ir::goto::{MemoryModel, Module};
use sapa_limits::Limits;

use super::event::Row;
use super::record::Recorder;
use crate::check::ThreadBound;

/// What a run does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// In words of the source, stores that wait and reach memory included.
    pub rows: Vec<Row>,
    /// The most threads besides the initial one that exist at once.
    pub most_started: u32,
}

/// What to look for, and how far.
#[derive(Clone, Debug)]
pub struct Hints {
    /// Numbers that choices may be, besides 0 and 1: those of a run that is known.
    pub values: Vec<u128>,
    /// How many threads are started at most, as far as it is known that this is enough.
    pub started: Option<usize>,
    /// Most states.
    pub states: usize,
}

/// A run of a module of `memory sc` that fails under a memory model, with the fewest moves; `None`
/// if the search finds none, which says nothing.
#[must_use]
pub fn failing_run(
    module: &Module,
    memory: MemoryModel,
    threads: ThreadBound,
    hints: &Hints,
    limits: &Limits,
) -> Option<Failure> {
    let mut domain = vec![0, 1];
    domain.extend(&hints.values);
    let options = ExploreOptions {
        memory,
        threads: threads.limit(),
        most_started: hints.started,
        domain,
        max_states: hints.states,
        limits: limits.clone(),
        ..ExploreOptions::default()
    };
    explore(module, &options).failure
}

/// What a run does that fails; `None` if it does not.
#[must_use]
pub fn record(module: &Module, threads: ThreadBound, failure: &Failure) -> Option<Recorded> {
    let mut recording = Recording { recorder: Recorder::new(module), most_started: 0 };
    let fails = failure.replay(module, threads.limit(), &mut recording);
    let Recording { recorder, most_started } = recording;
    fails.then(|| Recorded { rows: recorder.finish().0, most_started })
}

struct Recording<'m> {
    recorder: Recorder<'m>,
    most_started: u32,
}

impl Onlooker for Recording<'_> {
    fn before(&mut self, machine: &Machine<'_>, thread: u32) {
        self.recorder.before(machine, thread);
    }

    fn after(
        &mut self,
        machine: &Machine<'_>,
        thread: u32,
        (_, block, index): Position,
        outcome: &Outcome,
        unwritten: bool,
    ) {
        self.recorder.after(machine, thread, (block, index), outcome, unwritten);
        if matches!(outcome, Outcome::Started(_)) {
            let others = machine.threads().into_iter().filter(|&thread| thread != 0);
            self.most_started = self.most_started.max(others.count() as u32);
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
        let hints = Hints { values: Vec::new(), started: Some(1), states: 10_000 };
        let find =
            |model| failing_run(&module, model, ThreadBound::Unbounded, &hints, &Limits::default());
        let failure = find(MemoryModel::Tso).expect("it fails");
        let recorded = record(&module, ThreadBound::Unbounded, &failure).expect("it fails again");
        assert_eq!(recorded.most_started, 1);
        let texts: Vec<String> =
            recorded.rows.iter().flat_map(|r| &r.events).map(|e| e.text()).collect();
        for text in ["x = 1 (waits)", "x = 1 reaches memory", "y = 5 (waits)"] {
            assert!(texts.iter().any(|found| found == text), "{texts:?}");
        }
        let other = Failure { property: "another".to_owned(), ..failure };
        assert_eq!(record(&module, ThreadBound::Unbounded, &other), None);
    }
}
