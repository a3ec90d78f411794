//! `sapa-mc`: model-checks a Boolean broadcast program.

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use sapa_backend::check::{
    CheckOptions, ENGINES, EngineKind, Outcome, SafeFor, ThreadBound, check,
};
use sapa_ir::boolean::flatten::{FlattenOptions, flatten};
use sapa_ir::boolean::parser;
use sapa_tools::arguments::{Threads, parse, threads_text};
use sapa_tools::verdict::Exit;

/// Model-checks a concurrent Boolean program with broadcasts.
#[derive(Parser)]
#[command(name = "sapa-mc", version, about, after_help = engines())]
struct Arguments {
    /// The program; '-' is the standard input.
    file: PathBuf,
    /// How many threads may exist at once besides the initial one: a number, or 'unbounded'.
    #[arg(long, default_value = "unbounded")]
    threads: Threads,
    /// The engine; chosen by the number of threads if not given.
    #[arg(long)]
    engine: Option<String>,
    /// Reaching this label is an error (besides SLIC_ERROR).
    #[arg(long, value_name = "LABEL")]
    error_label: Vec<String>,
    /// Variables without initial value: 'nondet', or 'zero' as in the BOPPO paper.
    #[arg(long, default_value = "nondet", value_parser = ["nondet", "zero"])]
    init: String,
    /// Stop after so many seconds.
    #[arg(long)]
    timeout: Option<u64>,
}

fn engines() -> String {
    let lines: Vec<_> = ENGINES.iter().map(|e| format!("  {:<16} {}", e.name, e.summary)).collect();
    format!("Engines:\n{}", lines.join("\n"))
}

fn main() -> ExitCode {
    match parse::<Arguments>() {
        Ok(arguments) => run(&arguments),
        Err(exit) => exit,
    }
    .into()
}

fn run(arguments: &Arguments) -> Exit {
    let name = arguments.file.display().to_string();
    let bytes = if name == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(&arguments.file)
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("error: cannot read {name}: {error}");
            return Exit::BadInput;
        }
    };
    let text = String::from_utf8_lossy(&bytes);
    let program = match parser::parse(&text) {
        Ok(program) => program,
        Err(errors) => {
            eprintln!("{}", errors.in_file(&name));
            return Exit::BadInput;
        }
    };
    let mut options =
        FlattenOptions { zero_initialised: arguments.init == "zero", ..FlattenOptions::default() };
    options.error_labels.extend(arguments.error_label.iter().cloned());
    let flat = match flatten(&program, &options) {
        Ok(flat) => flat,
        Err(error) => {
            eprintln!("{name}:{error}");
            return Exit::BadInput;
        }
    };
    let engine = match &arguments.engine {
        Some(engine) => match EngineKind::parse(engine) {
            Some(engine) => engine,
            None => {
                eprintln!("error: unknown engine '{engine}'\n{}", engines());
                return Exit::Usage;
            }
        },
        None if arguments.threads.0 == ThreadBound::Unbounded => EngineKind::Coverability,
        None => EngineKind::Plain,
    };
    let check_options = CheckOptions {
        deadline: arguments.timeout.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
        ..CheckOptions::new(arguments.threads.0)
    };
    let (exit, line) = match check(engine, &flat, &check_options, &mut |_| {}) {
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
            (Exit::Failed, threads_text(arguments.threads.0))
        }
        Outcome::Unknown { reason, .. } => (Exit::Inconclusive, format!("inconclusive: {reason}")),
    };
    println!("{line}");
    println!("{}", exit.line());
    exit
}
