//! `sapa check`: the whole loop on C.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand};
use sapa_backend::abstraction;
use sapa_backend::cegar::{self, Observer, Report, Verdict};
use sapa_backend::check::{EngineKind, Progress, SafeFor, ThreadBound};
use sapa_ir::boolean::ast::Program;
use sapa_ir::goto::{Atomicity, Module, SignedOverflow};
use sapa_passes::{DEFAULT_PIPELINE, Pipeline};
use sapa_tools::arguments::{ModeArgument, Threads, engine, parse, threads_text};
use sapa_tools::source::SourceArguments;
use sapa_tools::verdict::Exit;
use sapa_tools::{boolean, counterexample, input};

/// Proves or refutes assertions in multi-threaded C programs.
#[derive(Parser)]
#[command(name = "sapa", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the assertions of a C program.
    Check(Check),
}

#[derive(clap::Args)]
struct Check {
    #[command(flatten)]
    source: SourceArguments,
    /// How many threads may exist at once besides the initial one: a number, or 'unbounded'.
    #[arg(long, default_value = "unbounded")]
    threads: Threads,
    /// How mixed predicates are abstracted.
    #[arg(long, value_enum, default_value = "symmetry-aware")]
    mode: ModeArgument,
    /// Most literals of a cube.
    #[arg(long, default_value_t = 3)]
    max_cube_length: usize,
    /// Most rounds of refinement.
    #[arg(long, default_value_t = 50)]
    iterations: usize,
    /// The model checker; `auto` if not given.
    #[arg(long)]
    engine: Option<String>,
    /// Stop after so many seconds.
    #[arg(long)]
    timeout: Option<u64>,
    /// Stop a model-checking run that needs more memory, in megabytes.
    #[arg(long, value_name = "MB")]
    memory_limit: Option<usize>,
    /// Write every intermediate of every iteration to a folder.
    #[arg(long, value_name = "FOLDER")]
    dump_dir: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Print what each round does.
    #[arg(short, long)]
    verbose: bool,
    /// Print the verdict only.
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
}

/// Progress on a terminal.
struct Watch {
    verbose: bool,
    terminal: bool,
    line: String,
    last: Instant,
    /// Where every intermediate goes.
    dump: Option<PathBuf>,
}

impl Watch {
    /// Writes an intermediate; one that cannot be written is reported and left out.
    fn dump(&self, name: &str, text: impl FnOnce() -> String) {
        if let Some(folder) = &self.dump {
            let path = folder.join(name);
            if let Err(error) = input::write_file(&path, text().as_bytes()) {
                eprintln!("warning: cannot write {}: {error}", path.display());
            }
        }
    }

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

    fn vocabulary(&mut self, number: usize, module: &Module) {
        self.dump(&format!("{number}-predicates.txt"), || {
            module.predicates.iter().map(|p| format!("{}\n", p.text)).collect()
        });
    }

    fn program(&mut self, number: usize, program: &Program) {
        self.dump(&format!("{number}-abstraction.bp"), || program.to_string());
    }

    fn trace(&mut self, number: usize, text: &dyn Fn() -> String) {
        self.dump(&format!("{number}-trace.txt"), text);
    }

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

impl Check {
    fn boolean_options(&self, engine: EngineKind) -> boolean::Options {
        boolean::Options {
            threads: self.threads.0,
            engine,
            timeout: self.timeout.map(Duration::from_secs),
            memory_limit: self.memory_limit.map(|megabytes| megabytes.saturating_mul(1 << 20)),
            ..boolean::Options::default()
        }
    }
}

fn run(check: &Check) -> Exit {
    let engine = match engine(check.engine.as_deref()) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    if let [file] = check.source.files.as_slice()
        && file.extension().is_some_and(|extension| extension == "bp")
    {
        return boolean::check_file(file, &check.boolean_options(engine));
    }
    let mode = match check.mode.mode(check.threads.0) {
        Ok(mode) => mode,
        Err(exit) => return exit,
    };
    if let Some(folder) = &check.dump_dir
        && let Err(error) = std::fs::create_dir_all(folder)
    {
        eprintln!("error: cannot create {}: {error}", folder.display());
        return Exit::BadInput;
    }
    let mut module = match load(check) {
        Ok(module) => module,
        Err(exit) => return exit,
    };
    let options = cegar::Options {
        threads: check.threads.0,
        engine,
        abstraction: abstraction::Options { mode, max_cube_length: check.max_cube_length },
        iterations: check.iterations,
        deadline: check
            .timeout
            .and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds))),
        max_states: None,
        memory_limit: check.memory_limit.map(|megabytes| megabytes.saturating_mul(1 << 20)),
    };
    let terminal = std::io::stderr().is_terminal() && !check.verbose && !check.quiet;
    let mut watch = Watch {
        verbose: check.verbose,
        terminal,
        line: String::new(),
        last: Instant::now(),
        dump: check.dump_dir.clone(),
    };
    watch.dump("0-program.gir", || sapa_ir::goto::print(&module));
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

/// The program after the default pipeline, with the given predicates.
fn load(check: &Check) -> Result<Module, Exit> {
    let mut module = check.source.load()?;
    let pipeline = Pipeline::parse(DEFAULT_PIPELINE).map_err(|error| {
        eprintln!("internal error: {error}");
        Exit::Internal
    })?;
    pipeline.run(&mut module, &mut []).map_err(|error| {
        // The program is sound; what the passes cannot do, sapa cannot decide.
        println!("inconclusive: {error}");
        println!("{}", Exit::Inconclusive.line());
        Exit::Inconclusive
    })?;
    check.source.add_predicates(&mut module)?;
    Ok(module)
}

fn print(check: &Check, module: &Module, report: &Report, time: Duration) -> Exit {
    let atomicity = match module.atomicity {
        Atomicity::Access => "access",
        Atomicity::Statement => "statement",
    };
    let mut circumstances = String::new();
    if module.signed_overflow == SignedOverflow::Absent {
        circumstances.push_str(", assuming no signed overflow");
    }
    for note in &report.notes {
        circumstances.push_str(", ");
        circumstances.push_str(note);
    }
    if matches!(check.mode, ModeArgument::MixedAsLocal | ModeArgument::MixedAsShared) {
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
    if !check.quiet
        && let Verdict::Failed(counterexample) = &report.verdict
    {
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
