//! Checking Boolean programs: what `sapa-mc` and `sapa check x.bp` do.

use std::path::Path;
use std::time::{Duration, Instant};

use sapa_backend::check::{
    CheckOptions, EngineKind, Outcome, SafeFor, Statistics, ThreadBound, check,
};
use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::parser;

use crate::arguments::threads_text;
use crate::input;
use crate::progress::ProgressLine;
use crate::verdict::Exit;

/// How to check a Boolean program.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many threads may exist at once besides the initial one.
    pub threads: ThreadBound,
    /// The engine.
    pub engine: EngineKind,
    /// Labels that are errors, besides `SLIC_ERROR`.
    pub error_labels: Vec<String>,
    /// Whether variables without initial value start at 0.
    pub zero_initialised: bool,
    /// How long to go on.
    pub timeout: Option<Duration>,
    /// Most memory, in bytes, roughly.
    pub memory_limit: Option<usize>,
    /// Whether partial-order reduction is on.
    pub partial_order_reduction: bool,
    /// Whether to print figures.
    pub statistics: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threads: ThreadBound::Unbounded,
            engine: EngineKind::Auto,
            error_labels: Vec::new(),
            zero_initialised: false,
            timeout: None,
            memory_limit: None,
            partial_order_reduction: false,
            statistics: false,
        }
    }
}

/// Reads a Boolean program from a file (`-`: the standard input) and flattens it.
///
/// # Errors
/// The exit code, after the message was printed.
pub fn read(
    path: &Path,
    error_labels: &[String],
    zero_initialised: bool,
) -> Result<FlatProgram, Exit> {
    let name = input::name(path);
    let bytes = input::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let program = parser::parse(&text).map_err(|errors| {
        eprintln!("{}", errors.in_file(&name));
        Exit::BadInput
    })?;
    if let Some(label) = error_labels.iter().find(|label| !program.has_label(label)) {
        eprintln!("{name}: no statement has the label `{label}` of --error-label");
        return Err(Exit::BadInput);
    }
    let mut options = FlattenOptions { zero_initialised, ..FlattenOptions::default() };
    options.error_labels.extend(error_labels.iter().cloned());
    flatten(&program, &options).map_err(|error| {
        eprintln!("{name}:{error}");
        Exit::BadInput
    })
}

/// Checks a Boolean program in a file (`-`: the standard input) and prints the answer.
#[must_use]
pub fn check_file(path: &Path, options: &Options) -> Exit {
    let start = Instant::now();
    let name = input::name(path);
    let flat = match read(path, &options.error_labels, options.zero_initialised) {
        Ok(flat) => flat,
        Err(exit) => return exit,
    };
    let check_options = CheckOptions {
        // A time that no clock reaches is no limit.
        deadline: options.timeout.and_then(|time| Instant::now().checked_add(time)),
        memory_limit: options.memory_limit,
        partial_order_reduction: options.partial_order_reduction,
        ..CheckOptions::new(options.threads)
    };
    let reading = start.elapsed();
    let start = Instant::now();
    let mut line = ProgressLine::new();
    let outcome = check(options.engine, &flat, &check_options, &mut |progress| line.show(progress));
    line.clear();
    if options.statistics {
        eprint!("{}", figures(outcome.statistics(), reading, start.elapsed()));
    }
    let (exit, line) = match outcome {
        Outcome::Safe { threads: SafeFor::AllThreads, .. } => {
            (Exit::Successful, threads_text(ThreadBound::Unbounded))
        }
        Outcome::Safe { threads: SafeFor::Threads(n), .. } => {
            (Exit::Successful, threads_text(ThreadBound::Bounded(n)))
        }
        Outcome::Unsafe { trace, .. } => {
            for step in &trace.steps {
                let place = flat.locations.get(step.location.0 as usize);
                let line = place.map_or(0, |l| l.position.line);
                let labels = place.map_or(String::new(), |l| l.labels.join(" "));
                let values: Vec<_> = flat
                    .shared
                    .iter()
                    .zip(step.state.shared.iter())
                    .map(|(variable, value)| format!("{}={}", variable.name, u8::from(value)))
                    .collect();
                println!("  thread {}  line {line}  {labels}  {}", step.thread, values.join(" "));
            }
            let failing = flat
                .locations
                .get(trace.failing_location.0 as usize)
                .map_or(0, |l| l.position.line);
            println!("Failed assertion of thread {} at {name}:{failing}", trace.failing_thread);
            (Exit::Failed, threads_text(options.threads))
        }
        Outcome::Unknown { reason, statistics } => {
            let explored = if statistics.depth > 0 {
                format!(" (depth {} explored)", statistics.depth)
            } else {
                String::new()
            };
            (Exit::Inconclusive, format!("inconclusive: {reason}{explored}"))
        }
    };
    println!("{line}");
    println!("{}", exit.line());
    exit
}

/// `--stats`: a figure a line; those that the engine has none of are left out.
fn figures(statistics: &Statistics, reading: Duration, checking: Duration) -> String {
    let seconds = checking.as_secs_f64();
    let per = |a: usize, b: usize| a as f64 / b.max(1) as f64;
    let mut text = String::new();
    let mut line = |name: &str, value: String, there: bool| {
        if there {
            text.push_str(&format!("{name:<28} {value}\n"));
        }
    };
    let s = statistics;
    let count = |n: usize| (n.to_string(), n > 0);
    for (name, (value, there)) in [
        ("states", (s.states.to_string(), true)),
        ("transitions", count(s.transitions)),
        ("depth", count(s.depth)),
        ("states per second", (format!("{:.0}", s.states as f64 / seconds), s.states > 0)),
        (
            "bytes per state",
            (format!("{:.1}", per(s.bytes, s.states)), s.bytes > 0 && s.states > 0),
        ),
        ("peak BDD nodes", count(s.bdd_nodes)),
        ("images", count(s.images)),
        ("splices", count(s.splices)),
        ("satisfiable cofactors", count(s.cofactors)),
        ("cofactors per splice", (format!("{:.2}", per(s.cofactors, s.splices)), s.splices > 0)),
        ("merges", count(s.merges)),
        ("seconds reading", (format!("{:.3}", reading.as_secs_f64()), true)),
        ("seconds checking", (format!("{seconds:.3}"), true)),
    ] {
        line(name, value, there);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_beyond_all_clocks_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.bp");
        std::fs::write(&path, "decl g := 1; void main() begin assert(g) end").expect("the file");
        let options =
            Options { timeout: Some(Duration::from_secs(u64::MAX)), ..Options::default() };
        assert_eq!(check_file(&path, &options), Exit::Successful);
    }
}
