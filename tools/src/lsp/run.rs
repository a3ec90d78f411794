//! A check as a child process of this executable: what happens to it, happens to it alone.
//!
//! A thread reads what the child writes and sends it when the child has ended. The child is asked to end by SIGTERM, on
//! which it removes its temporary files and kills the preprocessor, and it is killed if it does not end soon. It has a
//! process group of its own, so that a Ctrl-C for the server is none for it.

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::Event;
use super::unit::Unit;

/// A longer report is none.
const LONGEST_REPORT: u64 = 256 << 20;

/// How much is kept of the end of what a child says besides.
const KEPT: usize = 4 << 10;

/// How long a child that is asked to end may take.
const GRACE: Duration = Duration::from_secs(2);

/// A check that runs.
#[derive(Debug)]
pub struct Run {
    /// Tells the run from all others.
    pub number: u64,
    child: Arc<Mutex<Child>>,
    /// When it is killed, once it was asked to end.
    deadline: Option<Instant>,
}

/// A check that has ended.
#[derive(Debug)]
pub struct Ended {
    /// The run's.
    pub number: u64,
    /// What stood on its standard output.
    pub output: Vec<u8>,
    /// The end of what stood on its standard error.
    pub said: String,
    /// How it ended; `None` if the system does not say it.
    pub status: Option<ExitStatus>,
}

impl Run {
    /// Starts the check of a unit. When it has ended, an event says so.
    ///
    /// # Errors
    /// The system refuses a process or a thread.
    pub fn start(unit: &Unit, number: u64, events: Sender<Event>) -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("check")
            .args(&unit.words)
            .current_dir(&unit.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        let run = Self { number, child: Arc::clone(&child), deadline: None };
        let follow = move || {
            let said = errors.map(|errors| thread::spawn(|| last(errors)));
            let mut bytes = Vec::new();
            if let Some(output) = output {
                // What cannot be read is no report.
                let _ = output.take(LONGEST_REPORT).read_to_end(&mut bytes);
            }
            let said = said.and_then(|said| said.join().ok()).unwrap_or_default();
            let status = ended(&child);
            // Nobody listens when the server ends.
            let _ = events.send(Event::Ended(Ended { number, output: bytes, said, status }));
        };
        match thread::Builder::new().name("check".to_owned()).spawn(follow) {
            Ok(_) => Ok(run),
            Err(error) => {
                run.kill();
                Err(error)
            }
        }
    }

    /// Whether the run was asked to end: then its answer is none.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.deadline.is_some()
    }

    /// When the run is to be killed, if it was asked to end.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Asks the run to end. Its end is an event as any other.
    pub fn cancel(&mut self) {
        if self.deadline.is_none() {
            self.deadline = Some(Instant::now() + GRACE);
            self.signal(Signal::TERM);
        }
    }

    /// Kills the run if it was asked to end and had the time for it.
    pub fn end_in_time(&mut self, now: Instant) {
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            self.deadline = Some(now + GRACE);
            self.kill();
        }
    }

    /// Kills the run.
    fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Sends a signal, if the process is not gone: its number may be another's by then.
    fn signal(&self, signal: Signal) {
        let mut child = locked(&self.child);
        if let Ok(None) = child.try_wait() {
            // It is as good if it ends by itself.
            let _ = kill_process(Pid::from_child(&child), signal);
        }
    }
}

/// A panic while it is locked leaves it as it is.
fn locked(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How a child ends that has closed its output, which is soon. The lock is not kept meanwhile.
fn ended(child: &Mutex<Child>) -> Option<ExitStatus> {
    loop {
        match locked(child).try_wait() {
            Ok(None) => {}
            Ok(status) => return status,
            Err(_) => return None,
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// The end of what can be read.
fn last(mut input: impl Read) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; KEPT]);
    loop {
        match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => {
                kept.extend_from_slice(buffer.get(..length).unwrap_or_default());
                let surplus = kept.len().saturating_sub(KEPT);
                kept.drain(..surplus);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&kept).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_much_is_kept() {
        let text = "a".repeat(100_000) + "end\n";
        let kept = last(text.as_bytes());
        assert!(kept.len() < KEPT && kept.ends_with("aend"));
    }
}
