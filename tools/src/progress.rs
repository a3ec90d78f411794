//! How far an engine has come, on one line of a terminal; nothing in a pipe.

use indicatif::{ProgressBar, ProgressStyle};
use sapa_backend::check::Progress;

/// The line.
#[derive(Debug)]
pub struct ProgressLine {
    bar: ProgressBar,
}

impl Default for ProgressLine {
    fn default() -> Self {
        Self::new()
    }
}

impl ProgressLine {
    /// A line on the standard error, not shown yet, and never where that is no terminal.
    #[must_use]
    pub fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        // The template is ours; another would do.
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// Shows the figures, some times a second at most.
    pub fn show(&mut self, progress: Progress) {
        if !self.bar.is_hidden() {
            let Progress { states, depth } = progress;
            self.bar.set_message(format!("{states} states, depth {depth}"));
        }
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        self.bar.finish_and_clear();
    }
}
