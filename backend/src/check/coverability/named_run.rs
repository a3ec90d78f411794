//! From a run that counts threads to one that names them.

use super::expand::{CountedRun, CountedStep};
use super::thread_system::{LocalId, Move, SharedId};

/// A configuration in which every thread has a number of its own: 0 is the initial thread, and a
/// started one gets one more than the highest number then in use, as in traces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Named {
    pub(crate) shared: SharedId,
    /// Living threads by number, rising.
    pub(crate) threads: Vec<(u32, LocalId)>,
}

impl Named {
    /// The state of thread `number`, if it lives.
    #[cfg(test)]
    pub(crate) fn local(&self, number: u32) -> Option<LocalId> {
        self.threads.iter().find(|&&(other, _)| other == number).map(|&(_, local)| local)
    }

    /// The first thread in state `local`.
    fn first_in(&self, local: LocalId) -> Option<u32> {
        self.threads.iter().find(|&&(_, other)| other == local).map(|&(number, _)| number)
    }
}

/// One step of a named run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NamedStep {
    /// The number of the thread that moves.
    pub(crate) thread: u32,
    pub(crate) step: Move,
    pub(crate) after: Named,
}

/// A run into a failing assertion of thread `failing`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NamedRun {
    pub(crate) initial: Named,
    pub(crate) steps: Vec<NamedStep>,
    pub(crate) failing: u32,
}

impl NamedRun {
    /// The most threads besides the initial one that live at once.
    pub(crate) fn most_started(&self) -> u32 {
        let started =
            |named: &Named| named.threads.iter().filter(|&&(number, _)| number != 0).count() as u32;
        self.steps.iter().map(|step| started(&step.after)).max().unwrap_or(0)
    }
}

/// Names the threads of a run. `None` if the run's counts do not fit together.
pub(crate) fn name_threads(run: &CountedRun) -> Option<NamedRun> {
    let initial = Named { shared: run.initial.0, threads: vec![(0, run.initial.1)] };
    let mut current = initial.clone();
    let mut steps = Vec::with_capacity(run.steps.len());
    for counted in &run.steps {
        let thread = current.first_in(counted.active)?;
        current = after(&current, counted, thread)?;
        steps.push(NamedStep { thread, step: counted.step, after: current.clone() });
    }
    let failing = current.first_in(run.failing)?;
    Some(NamedRun { initial, steps, failing })
}

fn after(before: &Named, counted: &CountedStep, thread: u32) -> Option<Named> {
    let mut left = counted.passive.clone();
    let mut threads = Vec::with_capacity(before.threads.len() + 1);
    for &(number, local) in &before.threads {
        let next = if number == thread {
            counted.step.local
        } else if counted.step.broadcast.is_some() {
            let sent = left.iter_mut().find(|(from, _, count)| *from == local && *count > 0)?;
            sent.2 -= 1;
            Some(sent.1)
        } else {
            Some(local)
        };
        threads.extend(next.map(|next| (number, next)));
    }
    if let Some(spawned) = counted.step.spawned {
        // The parent counts even if the step were its last.
        let highest = before.threads.iter().map(|&(number, _)| number).max().unwrap_or(0);
        threads.push((highest + 1, spawned));
    }
    Some(Named { shared: counted.step.shared, threads })
}
