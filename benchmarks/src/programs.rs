//! The table of the SAPA paper's programs: what `sapa check` says of each.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sapa_backend::abstraction::{self, Mode};
use sapa_backend::cegar::{Silent, Verdict};
use sapa_backend::check::{Engine, ThreadBound, auto};
use sapa_driver::{Checked, Error, Options};
use sapa_ir::goto::Atomicity;
use sapa_limits::Limits;

/// A program and what is known of it.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its file.
    pub file: PathBuf,
    /// Name without extension.
    pub name: String,
    /// Whether its assertion holds.
    pub safe: bool,
    /// Threads besides the initial one: for a failure, those in the command of its header.
    pub threads: u32,
}

/// How to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Threads besides the initial one instead of each program's own.
    pub threads: Option<ThreadBound>,
    /// The engine instead of `auto`.
    pub engine: Option<&'static Engine>,
    /// What a step is.
    pub atomicity: Atomicity,
    /// Time for one program.
    pub timeout: Duration,
    /// How mixed predicates are abstracted.
    pub mode: Mode,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Row {
    /// The program.
    pub program: Program,
    /// The number of threads it ran with.
    pub threads: ThreadBound,
    /// `SUCCESSFUL`, `FAILED`, `INCONCLUSIVE` or an error.
    pub verdict: String,
    /// Why it is inconclusive.
    pub reason: String,
    /// Time in all.
    pub time: Duration,
    /// Time of the abstraction, of all rounds.
    pub abstraction: Duration,
    /// Time of model checking, of all rounds.
    pub checking: Duration,
    /// Rounds of the loop.
    pub iterations: usize,
    /// Predicates at the end.
    pub predicates: usize,
    /// Most states of a model-checking run.
    pub states: usize,
}

/// Number of threads for safe programs.
const SAFE_THREADS: u32 = 2;

/// The safe and unsafe programs of a folder, by name.
///
/// # Errors
/// If the folder or a program cannot be read.
pub fn programs(folder: &Path) -> std::io::Result<Vec<Program>> {
    let mut programs = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let file = entry?.path();
        let name = file.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        let safe = name.ends_with("_safe");
        if file.extension().is_none_or(|e| e != "c") || !(safe || name.ends_with("_unsafe")) {
            continue;
        }
        let text = std::fs::read_to_string(&file)?;
        let threads = if safe { SAFE_THREADS } else { header_threads(&text) };
        programs.push(Program { file, name, safe, threads });
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// The number in the header's command.
fn header_threads(text: &str) -> u32 {
    let command = text.lines().find_map(|line| line.split_once("--threads "));
    command.and_then(|(_, number)| number.trim().parse().ok()).unwrap_or(SAFE_THREADS)
}

/// Checks one program.
#[must_use]
pub fn measure(program: &Program, settings: &Settings) -> Row {
    let threads = settings.threads.unwrap_or(ThreadBound::Bounded(program.threads));
    let start = Instant::now();
    let mut row = Row {
        program: program.clone(),
        threads,
        verdict: String::new(),
        reason: String::new(),
        time: Duration::ZERO,
        abstraction: Duration::ZERO,
        checking: Duration::ZERO,
        iterations: 0,
        predicates: 0,
        states: 0,
    };
    match check(program, settings, threads, start) {
        Ok(Checked { module, report, .. }) => {
            (row.verdict, row.reason) = match report.verdict {
                Verdict::Successful(_) => ("SUCCESSFUL".to_owned(), String::new()),
                Verdict::Failed(_) => ("FAILED".to_owned(), String::new()),
                Verdict::Inconclusive(reasons) => ("INCONCLUSIVE".to_owned(), reasons.to_string()),
            };
            row.iterations = report.iterations.len();
            row.abstraction = report.iterations.iter().map(|i| i.abstraction).sum();
            row.checking = report.iterations.iter().map(|i| i.checking).sum();
            row.predicates = module.predicates.len();
            row.states = report.iterations.iter().map(|i| i.states).max().unwrap_or(0);
        }
        Err(error) => (row.verdict, row.reason) = ("ERROR".to_owned(), error.to_string()),
    }
    row.time = start.elapsed();
    row
}

fn check(
    program: &Program,
    settings: &Settings,
    threads: ThreadBound,
    start: Instant,
) -> Result<Checked, Error> {
    let options = Options {
        atomicity: settings.atomicity,
        threads,
        engine: settings.engine.unwrap_or(&auto::ENGINE),
        abstraction: abstraction::Options { mode: settings.mode, ..Default::default() },
        limits: Limits::new(start, Some(settings.timeout), None),
        ..Options::default()
    };
    sapa_driver::Program::compile(&[&program.file], &options)?.check(&options, &mut Silent)
}

impl Row {
    /// Whether the verdict is wrong.
    #[must_use]
    pub fn contradicts(&self) -> bool {
        // With fewer threads than it takes, an unsafe program is safe.
        let enough = match self.threads {
            ThreadBound::Unbounded => true,
            ThreadBound::Bounded(threads) => threads >= self.program.threads,
        };
        match self.verdict.as_str() {
            "SUCCESSFUL" => !self.program.safe && enough,
            "FAILED" => self.program.safe,
            _ => false,
        }
    }
}

/// The heading of the table, in Markdown.
pub const HEADING: &str = "| program | threads | expected | verdict | time (s) | iterations | predicates | states |\n\
     | --- | ---: | --- | --- | ---: | ---: | ---: | ---: |";

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = match self.threads {
            ThreadBound::Bounded(threads) => threads.to_string(),
            ThreadBound::Unbounded => "any".to_owned(),
        };
        let expected = if self.program.safe { "SUCCESSFUL" } else { "FAILED" };
        let verdict = if self.contradicts() { "**WRONG** " } else { "" };
        write!(
            f,
            "| {} | {threads} | {expected} | {verdict}{} | {:.2} | {} | {} | {} |",
            self.program.name,
            self.verdict,
            self.time.as_secs_f64(),
            self.iterations,
            self.predicates,
            self.states
        )
    }
}
