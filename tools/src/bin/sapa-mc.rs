//! `sapa-mc`: model-checks a Boolean broadcast program.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use sapa_tools::arguments::{Threads, engine, engines, parse};
use sapa_tools::boolean;

/// Model-checks a concurrent Boolean program with broadcasts.
#[derive(Parser)]
#[command(name = "sapa-mc", version, after_help = engines())]
struct Arguments {
    /// The program; '-', the default, is the standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// How many threads may exist at once besides the initial one: a number, or 'unbounded'.
    #[arg(long, default_value = "unbounded")]
    threads: Threads,
    /// The engine; `auto` if not given.
    #[arg(long)]
    engine: Option<String>,
    /// Reaching this label is an error (besides SLIC_ERROR).
    #[arg(long, value_name = "LABEL")]
    error_label: Vec<String>,
    /// Variables without initial value: 'nondet', or 'zero' as in the BOPPO paper.
    #[arg(long, default_value = "nondet", value_parser = ["nondet", "zero"])]
    init: String,
    /// Explore steps that no other thread sees or disturbs alone; counterexamples may get longer.
    #[arg(long)]
    por: bool,
    /// Print figures of the run to the standard error.
    #[arg(long)]
    stats: bool,
    /// Stop after so many seconds.
    #[arg(long)]
    timeout: Option<u64>,
    /// Stop when more memory is needed, in megabytes.
    #[arg(long, value_name = "MB")]
    memory_limit: Option<usize>,
}

fn main() -> ExitCode {
    match parse::<Arguments>() {
        Ok(arguments) => run(&arguments),
        Err(exit) => exit,
    }
    .into()
}

fn run(arguments: &Arguments) -> sapa_tools::verdict::Exit {
    let engine = match engine(arguments.engine.as_deref()) {
        Ok(engine) => engine,
        Err(exit) => return exit,
    };
    let options = boolean::Options {
        threads: arguments.threads.0,
        engine,
        error_labels: arguments.error_label.clone(),
        zero_initialised: arguments.init == "zero",
        timeout: arguments.timeout.map(Duration::from_secs),
        memory_limit: arguments.memory_limit.map(|megabytes| megabytes.saturating_mul(1 << 20)),
        partial_order_reduction: arguments.por,
        statistics: arguments.stats,
    };
    boolean::check_file(&arguments.file, &options)
}
