//! `sapa check`: the whole loop on C.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand, ValueEnum};
use sapa_backend::abstraction;
use sapa_backend::cegar::{self, Observer, Report, Verdict};
use sapa_backend::check::{EngineKind, Progress, SafeFor, ThreadBound};
use sapa_frontend::c::preprocess::{PreprocessorArgument, PreprocessorOptions};
use sapa_ir::boolean::ast::Program;
use sapa_ir::goto::{Atomicity, Module, SignedOverflow};
use sapa_passes::{DEFAULT_PIPELINE, Pipeline};
use sapa_tools::arguments::{Threads, parse, threads_text};
use sapa_tools::counterexample;
use sapa_tools::verdict::Exit;

/// Proves or refutes assertions in multi-threaded C programs.
#[derive(Parser)]
#[command(name = "sapa", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the assertions of a C program.
    Check(Check),
}

#[derive(Clone, Copy, ValueEnum)]
enum AtomicityArgument {
    Access,
    Statement,
}

#[derive(Clone, Copy, ValueEnum)]
enum OverflowArgument {
    Wrap,
    Absent,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModeArgument {
    /// Sound: mixed predicates are local, with broadcasts.
    SymmetryAware,
    /// Unsound baseline: mixed predicates are local, without broadcasts.
    MixedAsLocal,
    /// Unsound baseline: mixed predicates are shared.
    MixedAsShared,
}

#[derive(clap::Args)]
struct Check {
    /// C files (preprocessed ones end in .i); '-' is the standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// How many threads may exist at once besides the initial one: a number, or 'unbounded'.
    #[arg(long, default_value = "unbounded")]
    threads: Threads,
    /// What one step of a thread is: a visible access, or a C statement.
    #[arg(long, value_enum, default_value = "access")]
    atomicity: AtomicityArgument,
    /// What signed overflow does: wrap, or not occur.
    #[arg(long, value_enum, default_value = "wrap")]
    signed_overflow: OverflowArgument,
    /// How mixed predicates are abstracted.
    #[arg(long, value_enum, default_value = "symmetry-aware")]
    mode: ModeArgument,
    /// Most literals of a cube.
    #[arg(long, default_value_t = 3)]
    max_cube_length: usize,
    /// Most rounds of refinement.
    #[arg(long, default_value_t = 50)]
    iterations: usize,
    /// The model checker; chosen by the number of threads if not given.
    #[arg(long)]
    engine: Option<String>,
    /// Stop after so many seconds.
    #[arg(long)]
    timeout: Option<u64>,
    /// Name of the entry function.
    #[arg(long)]
    entry: Option<String>,
    /// Define a macro (NAME or NAME=VALUE).
    #[arg(short = 'D', value_name = "MACRO")]
    define: Vec<String>,
    /// Search a folder for headers.
    #[arg(short = 'I', value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Print what each round does.
    #[arg(short, long)]
    verbose: bool,
}

/// Progress on a terminal.
struct Watch {
    verbose: bool,
    terminal: bool,
    line: String,
    last: Instant,
}

impl Watch {
    fn show(&mut self, text: &str) {
        if self.terminal && self.last.elapsed() > Duration::from_millis(100) {
            eprint!("\r\x1b[K{text}");
            self.last = Instant::now();
        }
    }

    fn clear(&self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }
}

impl Observer for Watch {
    fn iteration(&mut self, number: usize, predicates: usize) {
        self.line = format!("iteration {number}, {predicates} predicates");
        if self.verbose {
            eprintln!("{}", self.line);
        } else {
            self.show(&self.line.clone());
        }
    }

    fn program(&mut self, _: usize, _: &Program) {}

    fn checking(&mut self, progress: Progress) {
        self.show(&format!("{}, {} states", self.line, progress.states));
    }
}

fn main() -> ExitCode {
    let exit = match parse::<Arguments>() {
        Ok(Arguments { command: Command::Check(check) }) => run(&check),
        Err(exit) => exit,
    };
    exit.into()
}

fn run(check: &Check) -> Exit {
    let engine = match engine(check) {
        Ok(engine) => engine,
        Err(message) => {
            eprintln!("error: {message}");
            return Exit::Usage;
        }
    };
    let mut module = match load(check) {
        Ok(module) => module,
        Err(exit) => return exit,
    };
    let options = cegar::Options {
        threads: check.threads.0,
        engine,
        abstraction: abstraction::Options {
            mode: match check.mode {
                ModeArgument::SymmetryAware => abstraction::Mode::SymmetryAware,
                ModeArgument::MixedAsLocal => abstraction::Mode::MixedAsLocal,
                ModeArgument::MixedAsShared => abstraction::Mode::MixedAsShared,
            },
            max_cube_length: check.max_cube_length,
        },
        iterations: check.iterations,
        deadline: check.timeout.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
        max_states: None,
        memory_limit: None,
    };
    let terminal = std::io::stderr().is_terminal() && !check.verbose;
    let mut watch =
        Watch { verbose: check.verbose, terminal, line: String::new(), last: Instant::now() };
    let start = Instant::now();
    let result = cegar::run(&mut module, options, &mut watch);
    watch.clear();
    match result {
        Ok(report) => print(check, &module, &report, start.elapsed()),
        Err(error) => {
            println!("inconclusive: {error}");
            println!("{}", Exit::Inconclusive.line());
            Exit::Inconclusive
        }
    }
}

fn engine(check: &Check) -> Result<EngineKind, String> {
    match &check.engine {
        Some(name) => EngineKind::parse(name).ok_or_else(|| format!("unknown engine '{name}'")),
        None => Ok(match check.threads.0 {
            ThreadBound::Unbounded => EngineKind::Coverability,
            ThreadBound::Bounded(_) => EngineKind::Plain,
        }),
    }
}

/// Compiles the files and runs the default pipeline.
fn load(check: &Check) -> Result<Module, Exit> {
    let mut arguments: Vec<PreprocessorArgument> =
        check.define.iter().map(|define| PreprocessorArgument::Define(define.into())).collect();
    arguments
        .extend(check.include.iter().map(|folder| PreprocessorArgument::Include(folder.into())));
    let options = sapa_frontend::Options {
        preprocessor: PreprocessorOptions { arguments, compiler: None },
        entry: check.entry.clone(),
        atomicity: match check.atomicity {
            AtomicityArgument::Access => Atomicity::Access,
            AtomicityArgument::Statement => Atomicity::Statement,
        },
    };
    let compiled = sapa_frontend::compile(&check.files, &options);
    let mut module = match compiled {
        Ok(compiled) => {
            for warning in &compiled.warnings {
                eprintln!("{warning}");
            }
            compiled.module
        }
        Err(diagnostics) => {
            for diagnostic in &diagnostics {
                eprintln!("{diagnostic}");
            }
            return Err(Exit::BadInput);
        }
    };
    module.signed_overflow = match check.signed_overflow {
        OverflowArgument::Wrap => SignedOverflow::Wrap,
        OverflowArgument::Absent => SignedOverflow::Absent,
    };
    let pipeline = match Pipeline::parse(DEFAULT_PIPELINE) {
        Ok(pipeline) => pipeline,
        Err(error) => {
            eprintln!("internal error: {error}");
            return Err(Exit::Internal);
        }
    };
    if let Err(error) = pipeline.run(&mut module, &mut []) {
        eprintln!("error: {error}");
        return Err(Exit::BadInput);
    }
    Ok(module)
}

fn print(check: &Check, module: &Module, report: &Report, time: Duration) -> Exit {
    let atomicity = match check.atomicity {
        AtomicityArgument::Access => "access",
        AtomicityArgument::Statement => "statement",
    };
    let mut circumstances = String::new();
    if let OverflowArgument::Absent = check.signed_overflow {
        circumstances.push_str(", assuming no signed overflow");
    }
    for note in &report.notes {
        circumstances.push_str(", ");
        circumstances.push_str(note);
    }
    if !matches!(check.mode, ModeArgument::SymmetryAware) {
        circumstances.push_str(", by an unsound abstraction (a baseline of the SAPA paper)");
    }
    let setting = format!("sequential consistency, {atomicity} atomicity{circumstances}");
    let (exit, line) = match &report.verdict {
        Verdict::Successful(SafeFor::AllThreads) => {
            (Exit::Successful, format!("{}, {setting}", threads_text(ThreadBound::Unbounded)))
        }
        Verdict::Successful(SafeFor::Threads(n)) => {
            (Exit::Successful, format!("{}, {setting}", threads_text(ThreadBound::Bounded(*n))))
        }
        Verdict::Failed(_) => {
            (Exit::Failed, format!("{}, {setting}", threads_text(check.threads.0)))
        }
        Verdict::Inconclusive(reason) => (Exit::Inconclusive, format!("inconclusive: {reason}")),
    };
    let states = report.iterations.iter().map(|i| i.states).max().unwrap_or(0);
    let mut out = std::io::stdout().lock();
    if check.json {
        let value = serde_json::json!({
            "verdict": exit.line(),
            "circumstances": line,
            "iterations": report.iterations.len(),
            "predicates": module.predicates.iter().map(|p| p.text.clone()).collect::<Vec<_>>(),
            "states": states,
            "seconds": time.as_secs_f64(),
        });
        // A closed pipe is nothing to report.
        let _ = writeln!(out, "{value}");
        return exit;
    }
    if let Verdict::Failed(counterexample) = &report.verdict {
        let _ = write!(out, "{}", counterexample::text(module, counterexample));
    }
    if check.verbose {
        for predicate in &module.predicates {
            eprintln!("predicate {}", predicate.text);
        }
        for (number, i) in report.iterations.iter().enumerate() {
            eprintln!(
                "iteration {}: {} predicates, {} states, abstraction {:.3} s, checking {:.3} s, {} SAT calls",
                number + 1,
                i.predicates,
                i.states,
                i.abstraction.as_secs_f64(),
                i.checking.as_secs_f64(),
                i.sat_calls
            );
        }
        eprintln!("time {:.3} s", time.as_secs_f64());
    }
    let _ = writeln!(out, "{line}");
    let _ = writeln!(out, "{}", exit.line());
    exit
}
