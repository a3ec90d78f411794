//! The `three-valued` engine (CUPEX section 6.1: Dan, Meshman, Vechev, Yahav, SAS 2013): the states of a number of threads, in
//! which a variable may be unknown, so that one state stands for many.
//!
//! A condition over unknown variables makes these known first, in all ways (*partial concretisation*),
//! and what is left is put together again where that adds no state (*merging*). Only a few variables are made
//! known at once: with more, some ways that a condition excludes are kept. So a proof holds, and a failure is
//! one of the over-approximation.

mod step;
mod value;

use rustc_hash::FxHashMap;
use sapa_ir::boolean::flat::{FlatProgram, LocationId};

use self::step::{Stepper, Thread};
use self::value::{Three, Values, covers, merged};
use super::{
    Answer, CheckOptions, Engine, Method, Outcome, Progress, SafeFor, Statistics, Suspect,
    SuspectThread, UnknownReason,
};
use sapa_limits::Exceeded;

/// Safe is a proof; a failure that it finds need not exist.
pub static ENGINE: Engine = Engine {
    name: "three-valued",
    summary: "states with unknown values, made known where conditions ask (CUPEX 6.1); proves for N threads",
    is_oracle: false,
    run: check,
};

/// The work of a state that is reached.
const WORK: u64 = 1 << 8;

/// A state with values that may be unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    shared: Values,
    /// Sorted: threads that agree are not told apart.
    threads: Vec<Thread>,
}

/// What of a state is always known: where its threads are.
type Control = Vec<(LocationId, bool, bool)>;

impl State {
    fn control(&self) -> Control {
        self.threads.iter().map(|t| (t.location, t.is_initial, t.is_holder)).collect()
    }

    /// All values, of shared variables first.
    fn values(&self) -> Values {
        let locals = self.threads.iter().flat_map(|thread| thread.locals.iter());
        self.shared.iter().chain(locals).copied().collect()
    }

    /// The state with these locations and values.
    fn new(control: &Control, values: &[Three], shared: usize, locals: usize) -> Self {
        let (shared, rest) = values.split_at(shared);
        let thread = |(at, &(location, is_initial, is_holder)): (usize, &_)| Thread {
            location,
            is_initial,
            is_holder,
            locals: rest[at * locals..(at + 1) * locals].into(),
        };
        Self { shared: shared.into(), threads: control.iter().enumerate().map(thread).collect() }
    }
}

/// The states that were reached.
#[derive(Default)]
struct Reached {
    states: FxHashMap<Control, Vec<Values>>,
    count: usize,
    bytes: usize,
    pending: Vec<(Control, Values)>,
    added: u64,
}

impl Reached {
    /// Adds a state, together with those that differ from it in one value only.
    fn add(&mut self, state: &State, options: &CheckOptions) -> Result<(), UnknownReason> {
        self.added += 1;
        options.allow(self.work())?;
        if self.added.is_multiple_of(256)
            && let Some(reason) = options.stop()
        {
            return Err(reason);
        }
        let (control, mut values) = (state.control(), state.values());
        let known = self.states.entry(control.clone()).or_default();
        if known.iter().any(|other| covers(other, &values)) {
            return Ok(());
        }
        let before = known.len();
        loop {
            known.retain(|other| !covers(&values, other));
            let pair = known.iter().find_map(|other| merged(other, &values));
            match pair {
                Some(both) => values = both,
                None => break,
            }
        }
        known.push(values.clone());
        self.count = self.count + known.len() - before;
        let size = values.len() + control.len() * size_of::<(LocationId, bool, bool)>() + 64;
        self.bytes += 2 * size;
        self.pending.push((control, values));
        if let Some(limit) = options.max_states.filter(|limit| self.count > *limit) {
            return Err(UnknownReason::StateLimit(limit));
        }
        match options.memory_limit {
            Some(limit) if self.bytes > limit => Err(UnknownReason::Exceeded(Exceeded::Memory)),
            _ => Ok(()),
        }
    }

    /// A state whose successors were not looked at; larger ones stand for those that they cover.
    fn next(&mut self) -> Option<(Control, Values)> {
        while let Some((control, values)) = self.pending.pop() {
            if self.states.get(&control).is_some_and(|known| known.contains(&values)) {
                return Some((control, values));
            }
        }
        None
    }

    fn work(&self) -> u64 {
        self.added.saturating_mul(WORK)
    }
}

fn check(
    program: &FlatProgram,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> Outcome {
    let mut reached = Reached::default();
    let found = search(program, options, &mut reached, progress);
    let statistics = Statistics {
        states: reached.count,
        bytes: reached.bytes,
        work: reached.work(),
        ..Statistics::default()
    };
    Outcome::new(&ENGINE, found, statistics)
}

fn search(
    program: &FlatProgram,
    options: &CheckOptions,
    reached: &mut Reached,
    progress: &mut dyn FnMut(Progress),
) -> Result<Answer, UnknownReason> {
    let bound = options.bound()?;
    let stepper = Stepper { program, bound };
    let initial = stepper.initial();
    if stepper.may_be(&initial) {
        reached.add(&initial, options)?;
    }
    let mut number = 0usize;
    while let Some((control, values)) = reached.next() {
        if number.is_multiple_of(256) {
            progress(Progress { states: reached.count, depth: number });
        }
        number += 1;
        let state = State::new(&control, &values, program.shared.len(), program.locals.len());
        let holder = state.threads.iter().position(|thread| thread.is_holder);
        for index in 0..state.threads.len() {
            // Threads that agree do the same.
            let is_repeated = index > 0 && state.threads[index] == state.threads[index - 1];
            if holder.is_some_and(|holder| holder != index) || is_repeated {
                continue;
            }
            if let Some(failing) = stepper.failing(&state, index) {
                return Ok(Answer::Imprecise(suspect(program, &failing, index)));
            }
            for next in stepper.successors(&state, index) {
                reached.add(&next, options)?;
            }
        }
    }
    Ok(Answer::Safe { threads: SafeFor::Threads(bound), by: Method::AllStates })
}

/// A state of those that a failing one stands for.
fn suspect(program: &FlatProgram, state: &State, index: usize) -> Suspect {
    let known = |values: &Values| values.iter().map(|value| value.can_be(true)).collect();
    let thread = |thread: &Thread| SuspectThread {
        location: thread.location,
        locals: known(&thread.locals),
        count: Some(1),
    };
    let (before, rest) = state.threads.split_at(index);
    let (failing, behind) = rest.split_at(1);
    let threads = failing.iter().chain(before).chain(behind);
    let assertion = program.location(failing[0].location).position;
    Suspect {
        shared: known(&state.shared),
        threads: threads.map(thread).collect(),
        assertion,
        steps: Vec::new(),
    }
}
