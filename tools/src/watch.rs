//! How far `sapa check` has come: a line on a terminal, lines of `-v`, and the files of `--dump-dir`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use sapa_backend::cegar::{Learned, Made, Observer, Seen};
use sapa_backend::check::Progress;
use sapa_driver::Watcher;
use sapa_ir::goto::{Module, Predicate};
use sapa_limits::{Limits, Phase};
use sapa_passes::transform::store_buffers::Candidate;

use crate::dump::Dump;
use crate::message;
use crate::page::Details;

/// Time between two looks at the phase.
const PAUSE: Duration = Duration::from_millis(100);

/// Seconds after which `-v` names a phase that has not ended.
const LONG: u64 = 10;

/// Who watches a run.
#[derive(Debug)]
pub struct Watch {
    /// Whether lines are printed at the end of each phase.
    verbose: bool,
    limits: Limits,
    /// What the line on the terminal says besides the phase.
    words: Arc<Mutex<String>>,
    bar: ProgressBar,
    /// The time of each phase that is printed already.
    printed: HashMap<String, Duration>,
    predicates: usize,
    /// Where every intermediate goes.
    pub dump: Option<Dump>,
    /// What is noted for a page of the report.
    pub details: Option<Details>,
}

impl Watch {
    /// Watches a run. The line is shown on a terminal only, and neither with `verbose` nor `quiet`.
    #[must_use]
    pub fn new(verbose: bool, quiet: bool, limits: &Limits, dump: Option<Dump>) -> Self {
        let bar = if verbose || quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
        // The template is ours; another would do.
        if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
            bar.set_style(style);
        }
        let words: Arc<Mutex<String>> = Arc::default();
        let (shown, said, watched) = (bar.clone(), Arc::clone(&words), limits.clone());
        if verbose || !bar.is_hidden() {
            // Without the thread there is no line; nothing else depends on it.
            let _ = thread::Builder::new()
                .name("progress".to_owned())
                .spawn(move || follow(verbose, &watched, &shown, &said));
        }
        let (limits, printed) = (limits.clone(), HashMap::new());
        Self { verbose, limits, words, bar, printed, predicates: 0, dump, details: None }
    }

    /// `-v`: the phases that ended since this was called last, and the time spent in each.
    pub fn phases(&mut self) {
        if !self.verbose {
            return;
        }
        for (phase, time) in self.limits.latest() {
            let name = phase.to_string();
            let before = self.printed.insert(name.clone(), time).unwrap_or_default();
            let spent = time.saturating_sub(before);
            if !spent.is_zero() && self.limits.phase() != Some(phase) {
                message!("{name}: {:.3} s", spent.as_secs_f64());
            }
        }
    }

    fn say(&self, words: String) {
        *self.words.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }
}

/// Takes the line away and tells the last phases, whatever ends the run.
impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        self.phases();
    }
}

/// Shows the phase that the run is in, until the line is taken away.
fn follow(verbose: bool, limits: &Limits, bar: &ProgressBar, words: &Mutex<String>) {
    let mut told = 0;
    while !bar.is_finished() {
        if let Some((phase, time)) = limits.current() {
            let seconds = time.as_secs();
            if verbose {
                told = if seconds < LONG { 0 } else { told };
                if seconds >= told + LONG {
                    told = seconds;
                    message!("{phase}: {seconds} s and not at its end");
                }
            } else {
                let words = words.lock().unwrap_or_else(PoisonError::into_inner).clone();
                bar.set_message(line(phase, seconds, &words));
            }
        }
        thread::sleep(PAUSE);
    }
}

fn line(phase: Phase, seconds: u64, words: &str) -> String {
    let comma = if words.is_empty() { "" } else { ", " };
    format!("{phase}, {seconds} s{comma}{words}")
}

/// A number of things, in words.
fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

impl Watcher for Watch {
    fn observer(&mut self) -> &mut dyn Observer {
        self
    }

    fn checks(&mut self, number: usize, fences: &[&Candidate]) {
        let words = format!("check {number}: with {}", counted(fences.len(), "new fence"));
        if self.verbose {
            message!("{words}");
        }
        self.say(words);
    }
}

impl Observer for Watch {
    fn iteration(&mut self, number: usize, vocabulary: &[Predicate]) {
        self.phases();
        self.predicates = vocabulary.len();
        let words = format!("iteration {number}, {}", counted(self.predicates, "predicate"));
        if self.verbose {
            message!("{words}");
        }
        self.say(words);
        if let Some(dump) = &mut self.dump {
            dump.vocabulary(number, vocabulary);
        }
        if let Some(details) = &self.details {
            details.round(number, vocabulary);
        }
    }

    fn abstraction(&mut self, number: usize, made: &Made<'_>) {
        if let Some(dump) = &mut self.dump {
            dump.abstraction(number, made);
        }
    }

    fn trace(&mut self, number: usize, seen: &Seen<'_>) {
        if let Some(dump) = &mut self.dump {
            dump.trace(number, seen);
        }
        if let Some(details) = &self.details {
            details.trace(number, seen.trace.len());
        }
    }

    fn learned(&mut self, number: usize, module: &Module, learned: &Learned<'_>) {
        if let Some(dump) = &mut self.dump {
            dump.learned(number, module, learned);
        }
        if let Some(details) = &self.details {
            details.learned(number, module, learned);
        }
    }

    fn gave_up(&mut self, text: &str) {
        if self.verbose {
            message!("{text}");
        }
    }

    fn checking(&mut self, progress: Progress) {
        if !self.bar.is_hidden() {
            let predicates = counted(self.predicates, "predicate");
            self.say(format!("{predicates}, {} states", progress.states));
        }
    }
}
