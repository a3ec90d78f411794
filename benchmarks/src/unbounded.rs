//! Searches for any number of threads, compared on the same inputs: what `coverability` does first
//! (pairs of threads, then backwards), expanding and enlarging, incremental inductive coverability,
//! and views of two and of three threads. `docs/unbounded.md` has the table.

mod incremental;
mod rows;
mod views;

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sapa_backend::check::transition_system::{Found, Search, TransitionSystem, read, search_by};
use sapa_backend::check::{CheckOptions, ThreadBound};
use sapa_backend::emit::tts;
use sapa_limits::Limits;

use crate::boolean;
use rows::Rows;

/// What a search says of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It cannot be covered.
    Unreachable,
    /// It can.
    Reached,
    /// It is in an over-approximation.
    Perhaps,
    /// The time was over.
    OutOfTime,
}

/// A way to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Pairs of threads, then backwards from the target.
    Backward,
    /// Expand, enlarge and check.
    Enlarging,
    /// IC3 for well-structured systems.
    Incremental,
    /// Views of so many threads.
    Views(usize),
}

/// All that are compared.
pub const METHODS: [Method; 5] =
    [Method::Backward, Method::Enlarging, Method::Incremental, Method::Views(2), Method::Views(3)];

impl Method {
    fn name(self) -> String {
        match self {
            Method::Backward => "pairs, backwards".to_owned(),
            Method::Enlarging => "enlarging".to_owned(),
            Method::Incremental => "IC3".to_owned(),
            Method::Views(k) => format!("views of {k}"),
        }
    }
}

/// An input.
#[derive(Clone, Debug)]
pub struct Input {
    /// The file's name.
    pub name: String,
    /// The system, with a target.
    pub system: TransitionSystem,
    /// Whether the target is known to be reachable, where that stands in the file.
    pub unsafe_: Option<bool>,
}

/// A run of a method on an input.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// What it says.
    pub answer: Answer,
    /// How long that took.
    pub time: Duration,
    /// How many states, views or elements were kept.
    pub kept: usize,
}

/// The folder of the transition systems.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tts")
}

/// The transition systems of `tts/`, and the Boolean programs of `boolean/` that are small enough to
/// be written as such.
///
/// # Errors
/// If a file cannot be read.
pub fn inputs() -> io::Result<Vec<Input>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder())? {
        paths.push(entry?.path());
    }
    paths.sort();
    let mut inputs = Vec::new();
    for path in paths {
        let text = std::fs::read(&path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let system = read(&text, &Limits::default()).map_err(io::Error::other)?;
        let text = String::from_utf8_lossy(&text);
        let verdict = text.lines().find_map(|line| line.strip_prefix("# verdict: "));
        inputs.push(Input { name, system, unsafe_: verdict.map(|verdict| verdict == "unsafe") });
    }
    for program in boolean::programs_in(&["classic", "protocols"])? {
        // Those with blocking broadcasts or very many states cannot.
        let Ok(text) = tts::emit(&program.flat, None) else { continue };
        let system = read(text.as_bytes(), &Limits::default()).map_err(io::Error::other)?;
        inputs.push(Input { name: program.name, system, unsafe_: None });
    }
    Ok(inputs)
}

/// Runs a method on an input, for at most so long.
#[must_use]
pub fn run(input: &Input, method: Method, timeout: Duration) -> Run {
    let start = Instant::now();
    let deadline = start + timeout;
    let Some(target) = &input.system.target else {
        return Run { answer: Answer::Unreachable, time: Duration::ZERO, kept: 0 };
    };
    let of_ours = |search: Search| {
        let options = CheckOptions {
            limits: Limits::time(timeout),
            ..CheckOptions::new(ThreadBound::Unbounded)
        };
        let initial = input.system.begins();
        let (found, statistics) =
            search_by(&input.system, &initial, target, search, &options, &mut |_| {});
        let answer = match found {
            Found::Unreachable(_) => Answer::Unreachable,
            Found::Reached { .. } => Answer::Reached,
            Found::Imprecise => Answer::Perhaps,
            Found::Unknown(_) => Answer::OutOfTime,
        };
        (answer, statistics.states)
    };
    let rows = Rows::new(&input.system);
    let targets = rows.minimal(target);
    let (answer, kept) = match method {
        Method::Backward => of_ours(Search::Backward),
        Method::Enlarging => of_ours(Search::Enlarging),
        Method::Incremental => incremental::incremental(&rows, &targets, deadline),
        Method::Views(k) => views::views(&rows, &targets, k, deadline),
    };
    Run { answer, time: start.elapsed(), kept }
}

/// Whether two answers, or an answer and what is known, contradict each other.
fn contradict(one: Answer, other: Answer) -> bool {
    matches!(
        (one, other),
        (Answer::Unreachable, Answer::Reached) | (Answer::Reached, Answer::Unreachable)
    )
}

/// Runs all methods on all inputs and writes the table; whether no two answers contradict each other.
///
/// # Errors
/// If an input cannot be read, or nothing be written.
pub fn table(filter: &str, timeout: Duration, out: &mut dyn Write) -> io::Result<bool> {
    let names: Vec<String> = METHODS.iter().map(|method| method.name()).collect();
    writeln!(out, "| input | answer | {} |", names.join(" | "))?;
    writeln!(out, "| --- | --- |{}", " ---: |".repeat(METHODS.len()))?;
    let mut totals = [(0, 0, Duration::ZERO); METHODS.len()];
    let mut right = true;
    for input in inputs()?.iter().filter(|input| input.name.contains(filter)) {
        let known = input.unsafe_.map(|reached| match reached {
            true => Answer::Reached,
            false => Answer::Unreachable,
        });
        let runs = METHODS.map(|method| run(input, method, timeout));
        let all: Vec<Answer> = runs.iter().map(|run| run.answer).chain(known).collect();
        right &= all.iter().all(|one| all.iter().all(|other| !contradict(*one, *other)));
        let decided = |a: &Answer| matches!(a, Answer::Unreachable | Answer::Reached);
        let answer = all.iter().rev().copied().find(decided);
        let mut line = format!("| {} | {} |", input.name, answer.map_or("–", word));
        for (run, total) in runs.iter().zip(&mut totals) {
            let text = match run.answer {
                Answer::OutOfTime => "time".to_owned(),
                Answer::Perhaps => format!("perhaps, {}", run.kept),
                _ => format!("{:.3} s, {}", run.time.as_secs_f64(), run.kept),
            };
            let _ = write!(line, " {text} |");
            total.0 += usize::from(run.answer == Answer::Unreachable);
            total.1 += usize::from(run.answer == Answer::Reached);
            total.2 += run.time;
        }
        writeln!(out, "{line}")?;
        out.flush()?;
    }
    let totals = totals
        .map(|(safe, reached, time)| format!("{safe} + {reached} in {:.1} s", time.as_secs_f64()));
    writeln!(out, "| unreachable + reached | | {} |", totals.join(" | "))?;
    Ok(right)
}

fn word(answer: Answer) -> &'static str {
    match answer {
        Answer::Unreachable => "safe",
        Answer::Reached => "reached",
        Answer::Perhaps | Answer::OutOfTime => "–",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_searches_do_not_contradict_each_other() {
        let mut decided = 0;
        let inputs = inputs().expect("they are read");
        assert!(inputs.len() > 35, "{}", inputs.len());
        for input in inputs.iter().filter(|input| input.unsafe_.is_some()) {
            let runs = METHODS.map(|method| (method, run(input, method, Duration::from_secs(2))));
            for (method, run) in runs {
                let wrong = match input.unsafe_ {
                    Some(true) => Answer::Unreachable,
                    _ => Answer::Reached,
                };
                assert_ne!(run.answer, wrong, "{}: {method:?}", input.name);
                decided += usize::from(run.answer != Answer::OutOfTime);
            }
        }
        assert!(decided > 120, "{decided}");
    }
}
