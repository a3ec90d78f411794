//! The last resort of limits: a thread that watches the clock, the memory of the process and the
//! signals that ask it to end, and ends it where the run does not do so in time.
//!
//! As a rule a run notices by itself that a limit is reached ([`Limits::check`]) and says what it
//! has proved so far. What does not come to the next check soon, or has little memory left until
//! then, is ended from here, with the same words.

use std::io::{self, IsTerminal};
use std::thread;
use std::time::{Duration, Instant};

use sapa_limits::memory::Resident;
use sapa_limits::{Exceeded, Limits, Stopped, cleanup};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::formats::Outputs;
use crate::output;
use crate::report::Report;
use crate::verdict::{Exit, claim_for_watchdog};

/// How long a run may take to end by itself, if it has little memory.
const GRACE: Duration = Duration::from_millis(500);

/// How many bytes the system takes back in a second when a process ends.
const BYTES_TAKEN_BACK: usize = 4 << 30;

/// The longest time between two looks at the clock and the signals.
const PAUSE: Duration = Duration::from_millis(20);

/// The shortest time between two looks at the memory.
const SHORTEST: Duration = Duration::from_millis(1);

/// Bytes that a process can make resident in a second: some times what was measured.
const BYTES_PER_SECOND: usize = 4 << 30;

/// The last words of a run that is ended from here.
#[derive(Clone, Debug)]
pub struct Ending {
    /// For the standard output.
    pub output: String,
    /// For the standard error.
    pub error: String,
    /// The exit code.
    pub exit: Exit,
    /// The files that are written then, of this report.
    pub files: Option<(Outputs, Report)>,
}

/// Watches a run until the process ends. `ending` says with which words.
///
/// # Errors
/// The system refuses a thread or a signal handler.
pub fn start(
    limits: &Limits,
    ending: impl Fn(Stopped) -> Ending + Send + 'static,
) -> io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        let value = Exceeded::Interrupted.number();
        signal_hook::flag::register_usize(signal, limits.stop_flag(), value)?;
    }
    let limits = limits.clone();
    thread::Builder::new()
        .name("watchdog".to_owned())
        .spawn(move || {
            let stopped = watch(&limits);
            // Who prints a verdict already is about to end the process.
            if claim_for_watchdog() {
                end(&ending(stopped));
            }
        })
        .map(drop)
}

/// Returns when the process has to end at once.
fn watch(limits: &Limits) -> Stopped {
    let resident = Resident::open();
    let bytes = || resident.as_ref().and_then(Resident::bytes);
    let mut end: Option<Instant> = None;
    loop {
        let mut pause = PAUSE;
        if let Some(limit) = limits.memory()
            && let Some(bytes) = bytes()
        {
            if bytes > limit {
                limits.stop(Exceeded::Memory);
            }
            if bytes > limit.saturating_add(limit / 20) {
                end = Some(Instant::now());
            }
            pause = pause.min(time_to_fill(limit.saturating_sub(bytes))).max(SHORTEST);
        }
        if let Some(stopped) = limits.stopped() {
            let now = Instant::now();
            let end = *end.get_or_insert_with(|| now + grace(bytes().unwrap_or(0)));
            if now >= end {
                return stopped;
            }
            pause = pause.min(end - now);
        }
        if let Some(left) = limits.remaining().filter(|left| !left.is_zero()) {
            pause = pause.min(left);
        }
        thread::sleep(pause);
    }
}

/// How long a run with so many bytes may take to end by itself: that its memory is taken back is a part of
/// its end.
fn grace(bytes: usize) -> Duration {
    let end = Duration::from_secs_f64(bytes as f64 / BYTES_TAKEN_BACK as f64);
    GRACE.saturating_sub(end)
}

/// How long it takes at least to fill a number of bytes.
fn time_to_fill(bytes: usize) -> Duration {
    Duration::from_secs_f64(bytes as f64 / BYTES_PER_SECOND as f64)
}

/// Prints the last words, undoes what must not stay, and ends the process without unwinding: other
/// threads are at work.
fn end(ending: &Ending) -> ! {
    if io::stderr().is_terminal() {
        // A line of progress stands there, perhaps.
        crate::message_part!("\r\x1b[K");
    }
    // A closed pipe is nothing to report.
    let _ = output::print(&ending.output);
    crate::message_part!("{}", ending.error);
    if let Some((outputs, report)) = &ending.files {
        outputs.write(report);
    }
    cleanup::run_all();
    signal_hook::low_level::exit(i32::from(ending.exit.code()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_a_grace_period_and_no_more() {
        let start = Instant::now();
        let limits = Limits::time(Duration::from_millis(50));
        let stopped = watch(&limits);
        assert_eq!(stopped.why, Exceeded::Time);
        // The memory of the test takes a part of it.
        assert!(start.elapsed() >= Duration::from_millis(50) + GRACE / 2);
    }

    #[test]
    fn large_runs_are_ended_earlier() {
        assert_eq!(grace(0), GRACE);
        assert_eq!(grace(1 << 30), GRACE / 2);
        assert_eq!(grace(64 << 30), Duration::ZERO);
    }

    #[test]
    fn too_much_memory_ends_a_run_at_once() {
        let limits = Limits::new(Instant::now(), None, Some(1 << 20));
        assert_eq!(watch(&limits).why, Exceeded::Memory);
    }
}
