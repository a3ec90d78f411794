//! `sapa-mc`: model-checks a Boolean broadcast program.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use clap::Parser;
use sapa_limits::Limits;
use sapa_tools::arguments::{LimitArguments, Threads, engine, engines};
use sapa_tools::failure::Failure;
use sapa_tools::products::Products;
use sapa_tools::report::Style;
use sapa_tools::run::{answer, make};
use sapa_tools::transition_system;
use sapa_tools::{boolean, certificate};

/// Model-checks a concurrent Boolean program with broadcasts, or a thread transition system (.tts).
#[derive(Parser)]
#[command(name = "sapa-mc", version, after_help = engines())]
struct Arguments {
    /// The program; '-', the default, is the standard input. A file *.tts is a transition system.
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
    /// What a transition system must not reach: 'shared|local,local', with '*' for any shared state;
    /// if not given, what its comment '# target:' says.
    #[arg(long, value_name = "STATE")]
    target: Option<String>,
    /// Where a transition system begins: 'shared|local,local/local', with any number of threads in
    /// the states behind '/'; if not given, what its comment '# initial:' says, or 0|0.
    #[arg(long, value_name = "STATE")]
    initial: Option<String>,
    /// Write a certificate of a success to this file: an invariant that proves it (docs/certificates.md).
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Do not search: re-prove this certificate of the program by SAT. 0: accepted; 10: refused.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["certificate", "engine", "threads", "target", "initial", "por", "stats", "json"]
    )]
    check_certificate: Option<PathBuf>,
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
    // Its answer is about the certificate, and no report.
    let option = "--check-certificate";
    let is_meant =
        |word: &str| word.strip_prefix(option).is_some_and(|r| r.is_empty() || r.starts_with('='));
    if std::env::args_os().any(|word| word.to_str().is_some_and(is_meant)) {
        make(|arguments: &Arguments| arguments.limits, check_certificate);
    }
    answer(
        |arguments: &Arguments| Style { json: arguments.json, ..Style::default() },
        |arguments| arguments.limits,
        |arguments, limits, draft| {
            let options = arguments.options(limits)?;
            if let Some(file) = &options.certificate {
                Products::new([arguments.file.clone()]).add("--certificate", file)?;
            }
            if !arguments.is_transition_system() {
                return boolean::check_file(&arguments.file, &options, draft);
            }
            if let Some(option) = arguments.only_of_programs() {
                let text = format!(
                    "'{option}' is about Boolean programs, and this is a transition system"
                );
                return Err(Failure::usage(text));
            }
            transition_system::check_file(
                &arguments.file,
                arguments.initial.as_deref(),
                arguments.target.as_deref(),
                &options,
                draft,
            )
        },
    )
}

fn check_certificate(arguments: &Arguments, limits: &Limits) -> Result<(), Failure> {
    let Some(certificate) = &arguments.check_certificate else {
        return Err(Failure::usage("'--check-certificate' needs a file"));
    };
    if arguments.is_transition_system() {
        return Err(Failure::usage("'--check-certificate' is about Boolean programs"));
    }
    let zero = arguments.init == "zero";
    let program = boolean::read(&arguments.file, &arguments.error_label, zero, limits)?;
    certificate::check_file(certificate, (&arguments.file, &program), limits)
}

impl Arguments {
    /// Whether the input is a transition system: by its name, or as a target is given for it.
    fn is_transition_system(&self) -> bool {
        let is_named_so = self.file.extension().is_some_and(|extension| extension == "tts");
        is_named_so || self.target.is_some() || self.initial.is_some()
    }

    /// An option that is given and that transition systems know nothing of.
    fn only_of_programs(&self) -> Option<&'static str> {
        let given = [
            ("--certificate", self.certificate.is_some()),
            ("--error-label", !self.error_label.is_empty()),
            ("--init", self.init != "nondet"),
            ("--por", self.por),
        ];
        given.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }

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
            certificate: self.certificate.clone(),
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
