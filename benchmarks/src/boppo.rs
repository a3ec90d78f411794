//! Table 4 of the BOPPO paper: the two series of programs that are made to be scaled, beside the
//! paper's figures.
//!
//! Every program is measured in a process of its own, which says how much memory it took.

mod series;

use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sapa_backend::check::{Answer, CheckOptions, Engine, ThreadBound, check};
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_limits::Limits;

pub use series::{SERIES, Series};

/// The paper's figures: series and size, seconds, symbolic thread states.
const PAPER: [(&str, usize, &str, usize); 8] = [
    ("ART-PC", 10, "<0.1", 21),
    ("ART-PC", 20, "<0.1", 31),
    ("ART-PC", 100, "0.2", 111),
    ("ART-PC", 1000, "8.3", 1011),
    ("ART-V", 10, "0.1", 29),
    ("ART-V", 20, "0.3", 49),
    ("ART-V", 100, "5.3", 209),
    ("ART-V", 1000, "3508.1", 2009),
];

/// The row of a program, as [`measure`] has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The verdict, in words.
    pub verdict: String,
    /// The time of the engine.
    pub time: Duration,
    /// The most memory that the process held, in KiB.
    pub memory: u64,
    /// How often thread states were added.
    pub states: usize,
    /// The most BDD nodes.
    pub nodes: usize,
}

impl Row {
    /// As a line, which [`Row::parse`] reads.
    #[must_use]
    pub fn line(&self) -> String {
        let Row { verdict, time, memory, states, nodes } = self;
        format!("{verdict} {} {memory} {states} {nodes}", time.as_micros())
    }

    /// A row that [`Row::line`] wrote.
    #[must_use]
    pub fn parse(line: &str) -> Option<Row> {
        let mut words = line.split_whitespace();
        let verdict = words.next()?.to_owned();
        let time = Duration::from_micros(words.next()?.parse().ok()?);
        let memory = words.next()?.parse().ok()?;
        let states = words.next()?.parse().ok()?;
        Some(Row { verdict, time, memory, states, nodes: words.next()?.parse().ok()? })
    }
}

/// Runs `thread-modular` alone on a program of a series.
///
/// # Errors
/// If there is no such series.
pub fn measure(name: &str, size: usize, timeout: Duration) -> io::Result<Row> {
    let found = SERIES.iter().find(|series| series.name == name);
    let series = found.ok_or_else(|| io::Error::other(format!("no series '{name}'")))?;
    let program = (series.generate)(size);
    let flat = flatten(&program, &FlattenOptions::default()).map_err(io::Error::other)?;
    let engine = Engine::named("thread-modular").ok_or_else(|| io::Error::other("no engine"))?;
    let start = Instant::now();
    let options =
        CheckOptions { limits: Limits::time(timeout), ..CheckOptions::new(ThreadBound::Unbounded) };
    let outcome = check(engine, &flat, &options, &mut |_| {});
    let verdict = match outcome.answer {
        Answer::Safe { .. } => "SUCCESSFUL",
        Answer::Failing { .. } => "FAILED",
        Answer::Imprecise(_) | Answer::Unknown(_) => "INCONCLUSIVE",
    };
    Ok(Row {
        verdict: verdict.to_owned(),
        time: start.elapsed(),
        memory: crate::growth::peak(),
        states: outcome.statistics.states,
        nodes: outcome.statistics.symbolic.map_or(0, |symbolic| symbolic.nodes),
    })
}

/// The same in another process of this program.
fn spawn(name: &str, size: usize, timeout: Duration) -> io::Result<Row> {
    let output = Command::new(std::env::current_exe()?)
        .args(["boppo-row", name, &size.to_string()])
        .args(["--timeout", &timeout.as_secs().to_string()])
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Row::parse(&text).ok_or_else(|| io::Error::other(format!("{name}-{size} was not measured")))
}

/// Measures all rows of the table and writes it; whether all are as they should be: SUCCESSFUL.
///
/// # Errors
/// If a process cannot be started or nothing be written.
pub fn table(timeout: Duration, out: &mut dyn Write) -> io::Result<bool> {
    writeln!(
        out,
        "| program | BOPPO (s) | BOPPO states | verdict | seconds | MiB | states | BDD nodes |"
    )?;
    writeln!(out, "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: |")?;
    let mut all = true;
    for (name, size, paper_time, paper_states) in PAPER {
        let row = spawn(name, size, timeout)?;
        all &= row.verdict == "SUCCESSFUL";
        let mut line = format!("| {name}-{size} | {paper_time} | {paper_states} ");
        let _ = write!(
            line,
            "| {} | {:.2} | {:.0} | {} | {} |",
            row.verdict,
            row.time.as_secs_f64(),
            row.memory as f64 / 1024.0,
            row.states,
            row.nodes
        );
        writeln!(out, "{line}")?;
        out.flush()?;
    }
    Ok(all)
}
