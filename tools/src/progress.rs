//! How far an engine has come, on one line of a terminal; nothing in a pipe.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use sapa_backend::check::Progress;

use crate::message_part;

/// Time between two updates.
const PAUSE: Duration = Duration::from_millis(200);

/// The line.
#[derive(Debug)]
pub struct ProgressLine {
    terminal: bool,
    next: Instant,
    shown: bool,
}

impl Default for ProgressLine {
    fn default() -> Self {
        Self::new()
    }
}

impl ProgressLine {
    /// A line on the standard error, not shown yet.
    #[must_use]
    pub fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { terminal, next: Instant::now() + PAUSE, shown: false }
    }

    /// Shows the figures if the last ones are old enough.
    pub fn show(&mut self, progress: Progress) {
        if !self.terminal || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + PAUSE;
        self.shown = true;
        message_part!("\r\x1b[K{} states, depth {}", progress.states, progress.depth);
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            message_part!("\r\x1b[K");
        }
    }
}
