//! `sapa-mc`: model-checks a Boolean broadcast program.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use clap::Parser;
use sapa_limits::Limits;
use sapa_tools::arguments::{LimitArguments, Threads, engine, engines};
use sapa_tools::boolean;
use sapa_tools::failure::Failure;
use sapa_tools::report::Style;
use sapa_tools::run::answer;

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
    #[command(flatten)]
    limits: LimitArguments,
    /// Print the report as JSON (docs/json.md), whatever the answer or the error is.
    #[arg(long)]
    json: bool,
}

fn main() {
    answer(
        |arguments: &Arguments| Style { json: arguments.json, ..Style::default() },
        |arguments| arguments.limits,
        |arguments, limits, draft| {
            boolean::check_file(&arguments.file, &arguments.options(limits)?, draft)
        },
    )
}

impl Arguments {
    /// How to check.
    ///
    /// # Errors
    /// If there is no such engine.
    fn options(&self, limits: &Limits) -> Result<boolean::Options, Failure> {
        Ok(boolean::Options {
            threads: self.threads.0,
            engine: engine(self.engine.as_deref())?,
            error_labels: self.error_label.clone(),
            zero_initialised: self.init == "zero",
            limits: limits.clone(),
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
        Arguments::parse_from(arguments).options(&Limits::default()).expect("options")
    }

    #[test]
    fn the_default_engine_is_that_of_the_library() {
        assert_eq!(options(&[]).engine, boolean::Options::default().engine);
    }
}
