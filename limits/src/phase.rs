//! The parts of a run, and how long each takes.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A part of a run, in the words of messages: "out of time in pass inline".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Reading files and the standard input.
    Reading,
    /// The system's C preprocessor works.
    Preprocessing,
    /// C, goto binaries, modules or Boolean programs become trees.
    Parsing,
    /// Trees of C and goto binaries become the goto IR, and are linked.
    Lowering,
    /// The laws of the IR are checked.
    Verifying,
    /// A pass, by its name.
    Pass(&'static str),
    /// Thread functions become automata.
    Automaton,
    /// The predicate abstraction of this iteration.
    Abstraction(usize),
    /// A Boolean program becomes flat.
    Flattening,
    /// An engine works; in this iteration, if it is one of many.
    ModelChecking(Option<usize>),
    /// An abstract trace is executed on terms.
    Simulation,
    /// New predicates are looked for.
    Refinement,
    /// States of the program itself are searched for a failure.
    ConcreteSearch,
    /// The same, of states whose values may be terms.
    SymbolicSearch,
    /// The bounded engine looks at runs with at most this many rounds of each loop.
    BoundedRuns(u32),
    /// A counterexample is replayed.
    Replay,
    /// Which assertions runs come to is found out, after a proof.
    Coverage,
    /// Products and verdicts are written.
    Writing,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Reading => "reading",
            Self::Preprocessing => "preprocessing",
            Self::Parsing => "parsing",
            Self::Lowering => "lowering",
            Self::Verifying => "verifying the IR",
            Self::Pass(name) => return write!(f, "pass {name}"),
            Self::Automaton => "building the automata",
            Self::Abstraction(iteration) => {
                return write!(f, "abstraction of iteration {iteration}");
            }
            Self::Flattening => "flattening the Boolean program",
            Self::ModelChecking(Some(iteration)) => {
                return write!(f, "model checking of iteration {iteration}");
            }
            Self::ModelChecking(None) => "model checking",
            Self::Simulation => "simulation",
            Self::Refinement => "refinement",
            Self::ConcreteSearch => "the search of concrete states",
            Self::SymbolicSearch => "the search of symbolic states",
            Self::BoundedRuns(rounds) => {
                let word = if *rounds == 1 { "round" } else { "rounds" };
                return write!(f, "the search of runs with at most {rounds} {word} of each loop");
            }
            Self::Replay => "replay",
            Self::Coverage => "finding which assertions can be reached",
            Self::Writing => "writing",
        };
        f.write_str(words)
    }
}

/// The phases that a run is in and was in.
#[derive(Debug, Default)]
pub(crate) struct Phases {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The phases that the run is in, the innermost last, with when they were entered.
    open: Vec<(Phase, Instant)>,
    /// The time up to `counted`, and when some was added last.
    times: Vec<(Phase, Duration, Instant)>,
    counted: Option<Instant>,
}

impl State {
    /// Gives the time since the last change to the innermost phase.
    fn count(&mut self, now: Instant) {
        let since = self.counted.replace(now).unwrap_or(now);
        let Some(&(phase, _)) = self.open.last() else { return };
        let time = now.saturating_duration_since(since);
        match self.times.iter_mut().find(|(known, ..)| *known == phase) {
            Some((_, sum, last)) => (*sum, *last) = (*sum + time, now),
            None => self.times.push((phase, time, now)),
        }
    }
}

impl Phases {
    /// The state; a thread that panicked left it whole, since nothing here does.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn enter(&self, phase: Phase) -> PhaseGuard<'_> {
        let mut state = self.state();
        let now = Instant::now();
        state.count(now);
        state.open.push((phase, now));
        state.count(now);
        PhaseGuard { phases: self, depth: state.open.len() }
    }

    pub(crate) fn current(&self) -> Option<(Phase, Duration)> {
        let (phase, since) = *self.state().open.last()?;
        Some((phase, since.elapsed()))
    }

    pub(crate) fn times(&self) -> Vec<(Phase, Duration)> {
        let mut state = self.state();
        state.count(Instant::now());
        state.times.iter().map(|(phase, time, _)| (*phase, *time)).collect()
    }

    /// As [`times`](Self::times), in the order in which the run was in them last.
    pub(crate) fn latest(&self) -> Vec<(Phase, Duration)> {
        let mut state = self.state();
        state.count(Instant::now());
        let mut times = state.times.clone();
        times.sort_by_key(|(.., last)| *last);
        times.into_iter().map(|(phase, time, _)| (phase, time)).collect()
    }
}

/// Leaves a phase when it is dropped.
#[derive(Debug)]
#[must_use = "the phase is left at once"]
pub struct PhaseGuard<'l> {
    phases: &'l Phases,
    /// How many phases were open with this one.
    depth: usize,
}

impl Drop for PhaseGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.phases.state();
        state.count(Instant::now());
        state.open.truncate(self.depth - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_to_the_innermost_phase() {
        let phases = Phases::default();
        assert_eq!(phases.current(), None);
        let outer = phases.enter(Phase::Refinement);
        {
            let _inner = phases.enter(Phase::Pass("inline"));
            std::thread::sleep(Duration::from_millis(20));
            assert_eq!(phases.current().map(|(phase, _)| phase), Some(Phase::Pass("inline")));
        }
        assert_eq!(phases.current().map(|(phase, _)| phase), Some(Phase::Refinement));
        drop(outer);
        assert_eq!(phases.current(), None);
        let times = phases.times();
        let names: Vec<Phase> = times.iter().map(|(phase, _)| *phase).collect();
        assert_eq!(names, [Phase::Refinement, Phase::Pass("inline")]);
        let latest: Vec<Phase> = phases.latest().iter().map(|(phase, _)| *phase).collect();
        assert_eq!(latest, [Phase::Pass("inline"), Phase::Refinement]);
        assert!(times[1].1 >= Duration::from_millis(20), "{times:?}");
        assert!(times[0].1 < times[1].1, "{times:?}");
    }
}
