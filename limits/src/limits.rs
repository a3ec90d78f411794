//! Limits, and asking whether they still hold.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::phase::{Phase, PhaseGuard, Phases};

/// What a run has no more of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Exceeded {
    /// The deadline has passed.
    #[error("out of time")]
    Time,
    /// The process has more resident memory than it may have.
    #[error("out of memory")]
    Memory,
    /// Somebody asked the run to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Exceeded {
    /// As a number above 0, for [`Limits::stop_flag`].
    #[must_use]
    pub fn number(self) -> usize {
        match self {
            Self::Time => 1,
            Self::Memory => 2,
            Self::Interrupted => 3,
        }
    }

    fn from_number(number: usize) -> Option<Self> {
        [Self::Time, Self::Memory, Self::Interrupted].into_iter().find(|e| e.number() == number)
    }
}

/// Why a run stops, and in which phase it was when that was noticed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Which limit was exceeded.
    pub why: Exceeded,
    /// Where; `None` if no phase was entered yet.
    pub phase: Option<Phase>,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.phase {
            Some(phase) => write!(f, "{} in {phase}", self.why),
            None => write!(f, "{}", self.why),
        }
    }
}

/// What a run may use. Clones are of the same run: who stops one stops all.
///
/// Time is checked by [`check`](Self::check) itself. Memory is that of the whole process, which
/// somebody has to watch: the command-line tools have a thread that compares
/// [`memory::resident`](crate::memory::resident) with [`memory`](Self::memory) and calls
/// [`stop`](Self::stop). A program that uses the libraries alone has to do the same if it wants
/// that limit to hold.
///
/// ```
/// use sapa_limits::{Exceeded, Limits, Phase};
///
/// let limits = Limits::default();
/// let _phase = limits.enter(Phase::Pass("inline"));
/// assert_eq!(limits.check(), Ok(()));
/// limits.stop(Exceeded::Memory);
/// assert_eq!(limits.check(), Err(Exceeded::Memory));
/// assert_eq!(limits.stopped().unwrap().to_string(), "out of memory in pass inline");
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    run: Arc<Run>,
}

/// What all clones share.
#[derive(Debug)]
struct Run {
    start: Instant,
    deadline: Option<Instant>,
    memory: Option<usize>,
    /// [`Exceeded::number`], or 0 as long as nothing is exceeded.
    stop: Arc<AtomicUsize>,
    /// Set once, when the run is found to be stopped.
    stopped_in: OnceLock<Option<Phase>>,
    phases: Arc<Phases>,
    /// What this is a part of, which it ends with.
    whole: Option<Limits>,
}

impl Default for Limits {
    /// No limit is set.
    fn default() -> Self {
        Self::new(Instant::now(), None, None)
    }
}

impl Limits {
    /// Limits of a run that began at `start`: how long it may take from then on, and how many bytes
    /// of resident memory the process may have. A time that no clock reaches is no limit.
    #[must_use]
    pub fn new(start: Instant, timeout: Option<Duration>, memory: Option<usize>) -> Self {
        let deadline = timeout.and_then(|timeout| start.checked_add(timeout));
        let run = Run {
            start,
            deadline,
            memory,
            stop: Arc::default(),
            stopped_in: OnceLock::new(),
            phases: Arc::default(),
            whole: None,
        };
        Self { run: Arc::new(run) }
    }

    /// Limits of a part of the run, which may take this time from now on. It ends with the run, and when it has ended itself
    /// the run goes on.
    #[must_use]
    pub fn part(&self, time: Duration) -> Self {
        let deadlines = [self.run.deadline, Instant::now().checked_add(time)];
        let run = Run {
            start: self.run.start,
            deadline: deadlines.into_iter().flatten().min(),
            memory: self.run.memory,
            stop: Arc::default(),
            stopped_in: OnceLock::new(),
            phases: Arc::clone(&self.run.phases),
            whole: Some(self.clone()),
        };
        Self { run: Arc::new(run) }
    }

    /// No limit but this time from now on.
    #[must_use]
    pub fn time(timeout: Duration) -> Self {
        Self::new(Instant::now(), Some(timeout), None)
    }

    /// When the run has to end.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.run.deadline
    }

    /// How much time is left; `None` if there is no deadline.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        self.run.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// How many bytes of resident memory the process may have.
    #[must_use]
    pub fn memory(&self) -> Option<usize> {
        self.run.memory
    }

    /// How long the run has taken so far.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.run.start.elapsed()
    }

    /// Whether the run may go on. It takes some 30 ns; see [`pace`](Self::pace) for shorter loops.
    ///
    /// # Errors
    /// What is exceeded; it stays so.
    #[inline]
    pub fn check(&self) -> Result<(), Exceeded> {
        if let Some(why) = Exceeded::from_number(self.run.stop.load(Ordering::Relaxed)) {
            return Err(self.noticed(why));
        }
        if let Some(Err(why)) = self.run.whole.as_ref().map(Self::check) {
            self.stop(why);
            return Err(why);
        }
        match self.run.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(self.late()),
            _ => Ok(()),
        }
    }

    /// Whether [`check`](Self::check) fails.
    #[must_use]
    pub fn is_exceeded(&self) -> bool {
        self.check().is_err()
    }

    #[cold]
    fn late(&self) -> Exceeded {
        self.stop(Exceeded::Time);
        Exceeded::Time
    }

    #[cold]
    fn noticed(&self, why: Exceeded) -> Exceeded {
        self.run.stopped_in.get_or_init(|| self.phase());
        why
    }

    /// Stops the run. The first reason counts.
    pub fn stop(&self, why: Exceeded) {
        let (flag, none) = (&self.run.stop, 0);
        // A failure means that there was a reason before.
        let _ = flag.compare_exchange(none, why.number(), Ordering::Relaxed, Ordering::Relaxed);
        self.noticed(why);
    }

    /// The flag that stops the run when it is set to an [`Exceeded::number`]: for handlers of
    /// signals, which may do no more than that.
    #[must_use]
    pub fn stop_flag(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.run.stop)
    }

    /// Why the run stops, if it does, and in which phase that was noticed.
    #[must_use]
    pub fn stopped(&self) -> Option<Stopped> {
        // Whoever asks is the first to notice, perhaps.
        let why = self.check().err()?;
        let phase = self.run.stopped_in.get().copied().flatten();
        Some(Stopped { why, phase })
    }

    /// Enters a phase until the guard is dropped, within the phase that the run is in.
    pub fn enter(&self, phase: Phase) -> PhaseGuard<'_> {
        self.run.phases.enter(phase)
    }

    /// The innermost phase that the run is in.
    #[must_use]
    pub fn phase(&self) -> Option<Phase> {
        self.run.phases.current().map(|(phase, _)| phase)
    }

    /// The innermost phase that the run is in, and for how long.
    #[must_use]
    pub fn current(&self) -> Option<(Phase, Duration)> {
        self.run.phases.current()
    }

    /// The time spent in each phase so far, without that of the phases within it, in the order in
    /// which they were entered first.
    #[must_use]
    pub fn times(&self) -> Vec<(Phase, Duration)> {
        self.run.phases.times()
    }

    /// As [`times`](Self::times), in the order in which the run was in the phases last.
    #[must_use]
    pub fn latest(&self) -> Vec<(Phase, Duration)> {
        self.run.phases.latest()
    }

    /// The question of [`check`](Self::check) for loops with short rounds.
    #[must_use]
    pub fn pace(&self) -> Pace<'_> {
        Pace { limits: self, work: 0 }
    }
}

/// Asks [`Limits::check`] once for some thousand units of work.
#[derive(Clone, Debug)]
pub struct Pace<'l> {
    limits: &'l Limits,
    work: usize,
}

/// Units of work, of some nanoseconds each, between two looks at the clock.
const INTERVAL: usize = 1 << 12;

impl Pace<'_> {
    /// Counts work and asks now and then.
    ///
    /// # Errors
    /// As [`Limits::check`].
    #[inline]
    pub fn work(&mut self, units: usize) -> Result<(), Exceeded> {
        self.work = self.work.saturating_add(units);
        if self.work < INTERVAL {
            return Ok(());
        }
        self.work = 0;
        self.limits.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_and_its_phase_stay() {
        let limits = Limits::default();
        {
            let _outer = limits.enter(Phase::Automaton);
            let _inner = limits.enter(Phase::Pass("slice"));
            limits.stop_flag().store(Exceeded::Interrupted.number(), Ordering::Relaxed);
            assert_eq!(limits.clone().check(), Err(Exceeded::Interrupted));
        }
        limits.stop(Exceeded::Memory);
        let words = limits.stopped().map(|stopped| stopped.to_string());
        assert_eq!(words.as_deref(), Some("interrupted in pass slice"));
    }

    #[test]
    fn a_time_that_no_clock_reaches_is_no_limit() {
        assert_eq!(Limits::time(Duration::MAX).deadline(), None);
    }

    #[test]
    fn a_part_ends_with_the_run_and_not_the_run_with_it() {
        let limits = Limits::default();
        let part = limits.part(Duration::ZERO);
        assert_eq!((part.check(), limits.check()), (Err(Exceeded::Time), Ok(())));
        let part = limits.part(Duration::MAX);
        assert_eq!(part.check(), Ok(()));
        limits.stop(Exceeded::Memory);
        assert_eq!(part.check(), Err(Exceeded::Memory));
    }

    #[test]
    fn short_rounds_are_checked_too() {
        let limits = Limits::time(Duration::ZERO);
        let mut pace = limits.pace();
        assert!((0..10_000).any(|_| pace.work(1).is_err()));
    }
}
