//! Thread transition systems: shared states and local states by number, and what a thread can do
//! in a pair of them; the target is a shared state with some threads, whatever others there are.
//!
//! `emit/tts.rs` writes them, and so do other tools. They are read ([`read`]) and handed to the
//! searches for any number of threads as they are: `system` is a `ThreadSystem`, with a few more
//! states for what the searches have no notion of, several threads at the beginning and several in
//! the target.

mod read;
mod system;
#[cfg(test)]
mod tests;

use super::coverability::cover_within;
use super::coverability::named_run::NamedRun;
use super::coverability::pairs::pair_views;
use super::coverability::thread_states::thread_states;
use super::coverability::thread_system::Budget;
use super::coverability::{Decided, Effort};
use super::{CheckOptions, Engine, Method, Progress, Statistics, UnknownReason};
use super::{auto, coverability, pairs, thread_modular};
pub use read::{ReadError, read};
use system::System;

/// A thread transition system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransitionSystem {
    /// How many shared states there are.
    pub shared: u32,
    /// How many local states there are.
    pub locals: u32,
    /// What threads can do.
    pub rows: Vec<Row>,
    /// Where it begins, in any of these; what a comment `# initial:` says.
    pub initial: Vec<Configuration>,
    /// What must not be reached; what a comment `# target:` says.
    pub target: Option<Target>,
}

/// A step of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Shared state and the thread's own before it.
    pub from: (u32, u32),
    /// Whether the thread starts another, which begins in the local state of `to`, and stays where
    /// it is.
    pub starts: bool,
    /// Shared state after it, and the thread's own, or that of the one started.
    pub to: (u32, u32),
    /// Each thread besides that is in the first state goes to one of the second states that it
    /// has here; who is in no first state stays.
    pub passive: Vec<(u32, u32)>,
    /// Its line in the text, from 1.
    pub line: u32,
}

/// Configurations: a shared state with threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The shared state.
    pub shared: u32,
    /// The threads, by their local states.
    pub threads: Vec<u32>,
    /// Local states in which there is any number of further threads.
    pub any: Vec<u32>,
}

/// What is looked for: threads in these local states, among any others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The shared state; any if `None`.
    pub shared: Option<u32>,
    /// The threads, by their local states.
    pub threads: Vec<u32>,
}

/// The answer of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The target cannot be reached, with any number of threads.
    Unreachable(Method),
    /// It can.
    Reached {
        /// The steps.
        steps: Vec<Taken>,
        /// The most threads that are there at once.
        threads: u32,
        /// How it was found.
        by: Method,
    },
    /// It is in an over-approximation.
    Imprecise,
    /// Nothing is known.
    Unknown(UnknownReason),
}

/// A step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Who.
    pub thread: u32,
    /// Index of the row.
    pub row: usize,
    /// The thread that is started.
    pub started: Option<u32>,
}

/// A search of those that `coverability` makes, by itself, so that they can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Thread states, pairs of threads, and backwards within these.
    Backward,
    /// Expanding and enlarging in turn.
    Enlarging,
}

/// As [`check`] with `coverability`, by one search.
pub fn search_by(
    system: &TransitionSystem,
    initial: &[Configuration],
    target: &Target,
    search: Search,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> (Found, Statistics) {
    let effort = match search {
        Search::Backward => Effort::BACKWARD,
        Search::Enlarging => Effort::ENLARGING,
    };
    let mut budget = Budget::new(options, progress);
    let found = System::new(system, initial, target, options)
        .and_then(|mut states| cover(system, &mut states, &effort, options, &mut budget));
    (found.unwrap_or_else(Found::Unknown), budget.statistics)
}

fn cover(
    rows: &TransitionSystem,
    system: &mut System,
    effort: &Effort,
    options: &CheckOptions,
    budget: &mut Budget<'_>,
) -> Result<Found, UnknownReason> {
    Ok(match cover_within(system, effort, options.threads, budget)? {
        Decided::Safe(by) => Found::Unreachable(by),
        Decided::Candidate(_) => Found::Imprecise,
        Decided::Unsafe(run, by) => {
            Found::Reached { steps: taken(rows, &run), threads: most_threads(rows, &run), by }
        }
    })
}

/// The engines that check transition systems.
#[must_use]
pub fn engines() -> [&'static Engine; 4] {
    [&auto::ENGINE, &coverability::ENGINE, &pairs::ENGINE, &thread_modular::ENGINE]
}

/// Whether the target can be reached from an initial configuration. The engine is one of
/// [`engines`]; `auto` is `coverability`.
pub fn check(
    system: &TransitionSystem,
    initial: &[Configuration],
    target: &Target,
    engine: &'static Engine,
    options: &CheckOptions,
    progress: &mut dyn FnMut(Progress),
) -> (Found, Statistics) {
    let mut budget = Budget::new(options, progress);
    let found = search(system, initial, target, engine, options, &mut budget);
    (found.unwrap_or_else(Found::Unknown), budget.statistics)
}

fn search(
    rows: &TransitionSystem,
    initial: &[Configuration],
    target: &Target,
    engine: &'static Engine,
    options: &CheckOptions,
    budget: &mut Budget<'_>,
) -> Result<Found, UnknownReason> {
    let mut system = System::new(rows, initial, target, options)?;
    let views = match engine.name {
        name if name == thread_modular::ENGINE.name => {
            Some((thread_states(&mut system, budget)?, Method::ThreadStates))
        }
        name if name == pairs::ENGINE.name => {
            Some((pair_views(&mut system, budget)?, Method::PairsOfThreads))
        }
        _ => None,
    };
    if let Some((views, by)) = views {
        return Ok(match views.candidate {
            None => Found::Unreachable(by),
            Some(_) => Found::Imprecise,
        });
    }
    cover(rows, &mut system, &Effort::FULL, options, budget)
}

/// The most threads of the system itself that are there at once.
fn most_threads(rows: &TransitionSystem, run: &NamedRun) -> u32 {
    let states = run.steps.iter().map(|step| &step.after).chain([&run.initial]);
    let own = states.map(|state| state.threads.iter().filter(|(_, l)| l.0 < rows.locals).count());
    own.max().unwrap_or(0) as u32
}

/// The rows of a run; steps of states that the searches were given besides have none.
fn taken(rows: &TransitionSystem, run: &NamedRun) -> Vec<Taken> {
    let broadcasts: Vec<_> = system::broadcasts(&rows.rows).collect();
    let mut steps = Vec::new();
    let mut before = &run.initial;
    for step in &run.steps {
        let local = before.threads.iter().find(|(thread, _)| *thread == step.thread);
        let row = local.and_then(|(_, local)| {
            let from = (before.shared.0, local.0);
            let mut numbered = rows.rows.iter().zip(&broadcasts);
            numbered.position(|(row, b)| row.from == from && system::is_move(row, *b, &step.step))
        });
        let new = step.after.threads.iter().map(|(thread, _)| *thread);
        let mut started = new.filter(|new| before.threads.iter().all(|(thread, _)| thread != new));
        let started = started.next_back();
        steps.extend(row.map(|row| Taken { thread: step.thread, row, started }));
        before = &step.after;
    }
    steps
}

impl TransitionSystem {
    /// Where the system begins if nothing is said: one thread, in the first states.
    #[must_use]
    pub fn begins(&self) -> Vec<Configuration> {
        match self.initial.is_empty() {
            true => vec![Configuration { shared: 0, threads: vec![0], any: Vec::new() }],
            false => self.initial.clone(),
        }
    }

    /// A configuration from words as `shared|local,local/local`: behind the `/` are local states
    /// with any number of threads.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn configuration(&self, text: &str) -> Result<Configuration, String> {
        let form = "an initial configuration is `shared|local,local` or `shared|local/local`";
        let (shared, threads) = text.split_once('|').ok_or(form)?;
        let (threads, any) = threads.split_once('/').unwrap_or((threads, ""));
        let shared = state(shared, "shared", self.shared)?;
        let (threads, any) = (self.states(threads)?, self.states(any)?);
        if threads.is_empty() && any.is_empty() {
            return Err("an initial configuration has a thread".to_owned());
        }
        Ok(Configuration { shared, threads, any })
    }

    /// A target from words as `shared|local,local`, where the shared state can be `*`.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn target(&self, text: &str) -> Result<Target, String> {
        let form = "a target is `shared|local,local`, with `*` for any shared state";
        let (shared, threads) = text.split_once('|').ok_or(form)?;
        let shared = match shared.trim() {
            "*" => None,
            number => Some(state(number, "shared", self.shared)?),
        };
        let threads = self.states(threads)?;
        if threads.is_empty() && shared.is_none() {
            return Err(form.to_owned());
        }
        Ok(Target { shared, threads })
    }

    fn states(&self, text: &str) -> Result<Vec<u32>, String> {
        let words = text.split(',').map(str::trim);
        let words: Vec<&str> = words.collect();
        match words.as_slice() {
            [""] => Ok(Vec::new()),
            words => words.iter().map(|word| state(word, "local", self.locals)).collect(),
        }
    }
}

/// The number of a state.
fn state(text: &str, kind: &str, count: u32) -> Result<u32, String> {
    let text = text.trim();
    let number: u32 = text
        .parse()
        .map_err(|_| format!("expected the number of a {kind} state, found '{text}'"))?;
    match number < count {
        true => Ok(number),
        false => Err(out_of_range(kind, number, count)),
    }
}

fn out_of_range(kind: &str, number: u32, count: u32) -> String {
    match count {
        0 => format!("there is no {kind} state {number}: there are none"),
        1 => format!("there is no {kind} state {number}: there is one, 0"),
        _ => {
            format!("there is no {kind} state {number}: there are {count}, from 0 to {}", count - 1)
        }
    }
}
