//! The benchmark commands.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use sapa_backend::check::{EngineKind, ThreadBound};
use sapa_benchmarks::programs::{HEADING, Settings, measure, programs};
use sapa_ir::goto::Atomicity;

/// Measures sapa on the programs of the papers.
#[derive(Parser)]
#[command(name = "sapa-benchmarks", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The verdicts on the SAPA paper's 28 programs.
    Programs(Programs),
}

#[derive(Clone, Copy, ValueEnum)]
enum AtomicityArgument {
    Access,
    Statement,
}

#[derive(clap::Args)]
struct Programs {
    /// Only programs whose name contains this.
    #[arg(long, default_value = "")]
    filter: String,
    /// Threads besides the initial one, or 'unbounded'; 2 for safe programs and the header's for unsafe ones if not given.
    #[arg(long, value_parser = threads)]
    threads: Option<ThreadBound>,
    /// The engine; chosen by the number of threads if not given.
    #[arg(long, value_parser = engine)]
    engine: Option<EngineKind>,
    /// What one step of a thread is.
    #[arg(long, value_enum, default_value = "access")]
    atomicity: AtomicityArgument,
    /// Seconds for one program.
    #[arg(long, default_value_t = 120)]
    timeout: u64,
    /// The folder of the programs.
    #[arg(long)]
    folder: Option<PathBuf>,
}

fn threads(text: &str) -> Result<ThreadBound, String> {
    match text {
        "unbounded" => Ok(ThreadBound::Unbounded),
        number => number
            .parse()
            .map(ThreadBound::Bounded)
            .map_err(|_| "expected a number of threads or 'unbounded'".to_owned()),
    }
}

fn engine(name: &str) -> Result<EngineKind, String> {
    EngineKind::parse(name).ok_or_else(|| format!("unknown engine '{name}'"))
}

fn main() -> ExitCode {
    let Arguments { command: Command::Programs(arguments) } = Arguments::parse();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the table; whether no verdict is wrong.
fn run(arguments: &Programs) -> std::io::Result<bool> {
    let settings = Settings {
        threads: arguments.threads,
        engine: arguments.engine,
        atomicity: match arguments.atomicity {
            AtomicityArgument::Access => Atomicity::Access,
            AtomicityArgument::Statement => Atomicity::Statement,
        },
        timeout: Duration::from_secs(arguments.timeout),
    };
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/sapa");
    let folder = arguments.folder.as_deref().unwrap_or(&own);
    println!("{HEADING}");
    let mut rows = Vec::new();
    for program in programs(folder)?.iter().filter(|p| p.name.contains(&arguments.filter)) {
        let row = measure(program, &settings);
        println!("{row}");
        if !row.reason.is_empty() {
            eprintln!("{}: {}", row.program.name, row.reason);
        }
        rows.push(row);
    }
    let count = |safe: bool, verdict: &str| {
        rows.iter().filter(|r| r.program.safe == safe && r.verdict == verdict).count()
    };
    let all = |safe: bool| rows.iter().filter(|r| r.program.safe == safe).count();
    let wrong = rows.iter().filter(|r| r.contradicts()).count();
    let time: Duration = rows.iter().map(|r| r.time).sum();
    println!(
        "\n{} of {} safe programs SUCCESSFUL, {} of {} unsafe ones FAILED, {wrong} verdicts wrong; {:.1} s in all.",
        count(true, "SUCCESSFUL"),
        all(true),
        count(false, "FAILED"),
        all(false),
        time.as_secs_f64()
    );
    Ok(wrong == 0)
}
