//! `sapa-mc`: model-checks a Boolean broadcast program.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use sapa_tools::arguments::{Threads, engine, engines};
use sapa_tools::boolean;
use sapa_tools::failure::Failure;
use sapa_tools::report::{Style, answer};

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
    /// Print the report as JSON (docs/json.md), whatever the answer or the error is.
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    answer(
        |arguments: &Arguments| Style { json: arguments.json, quiet: false },
        |arguments| match arguments.options() {
            Ok(options) => boolean::check_file(&arguments.file, &options),
            Err(failure) => failure.into(),
        },
    )
}

impl Arguments {
    /// How to check.
    ///
    /// # Errors
    /// If there is no such engine.
    fn options(&self) -> Result<boolean::Options, Failure> {
        Ok(boolean::Options {
            threads: self.threads.0,
            engine: engine(self.engine.as_deref())?,
            error_labels: self.error_label.clone(),
            zero_initialised: self.init == "zero",
            timeout: self.timeout.map(Duration::from_secs),
            memory_limit: self.memory_limit.map(|megabytes| megabytes.saturating_mul(1 << 20)),
            partial_order_reduction: self.por,
            statistics: self.stats,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(arguments: &[&str]) -> boolean::Options {
        let arguments = [&["sapa-mc"], arguments].concat();
        Arguments::parse_from(arguments).options().expect("options")
    }

    #[test]
    fn limits_are_never_cut_off() {
        assert_eq!(options(&["--memory-limit", "3"]).memory_limit, Some(3 << 20));
        let most = options(&["--memory-limit", "17592186044416"]).memory_limit;
        assert_eq!(most, Some(usize::MAX));
    }

    #[test]
    fn the_default_engine_is_that_of_the_library() {
        assert_eq!(options(&[]).engine, boolean::Options::default().engine);
    }
}
