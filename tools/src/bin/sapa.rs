//! `sapa check` and `sapa fences`: the whole loop on C.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use sapa_backend::check::Engine;
use sapa_driver::Options;
use sapa_limits::Limits;
use sapa_tools::arguments::Memory;
use sapa_tools::dump::Dump;
use sapa_tools::failure::Failure;
use sapa_tools::fences::{self, FenceArguments};
use sapa_tools::loop_arguments::{LoopArguments, answered, methods};
use sapa_tools::observe::Reports;
use sapa_tools::report::{Assertions, Statistics};
use sapa_tools::run::{Draft, answer};
use sapa_tools::source::Loaded;
use sapa_tools::statements::Statements;
use sapa_tools::verdict::Exit;
use sapa_tools::watch::Watch;
use sapa_tools::{boolean, checked, message, property};

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
    #[command(after_help = format!("{}\n\n{}", property::list(), methods()))]
    Check(Check),
    /// Find all minimal sets of fences with which the assertions of a C program hold under TSO or PSO.
    #[command(after_help = sapa_tools::arguments::engines())]
    Fences(FenceArguments),
}

#[derive(clap::Args)]
struct Check {
    #[command(flatten)]
    run: LoopArguments,
    /// The memory model: 'sc' (sequential consistency), 'tso' or 'x86' (total store order), or 'pso' (partial store order) [default: that of the module, which is 'sc' for what is compiled].
    #[arg(long, value_name = "MODEL")]
    mm: Option<Memory>,
    /// Go on after a failure, and say of each assertion whether it fails, is proved, or is not reached.
    #[arg(long)]
    all: bool,
    /// Write every intermediate of every iteration to a folder.
    #[arg(long, value_name = "FOLDER")]
    dump_dir: Option<PathBuf>,
    /// Write a certificate of a success to this file: an invariant that proves it (docs/certificates.md). Boolean programs have one.
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
}

impl Command {
    /// The words of all commands.
    fn run(&self) -> &LoopArguments {
        match self {
            Self::Check(check) => &check.run,
            Self::Fences(fences) => &fences.run,
        }
    }
}

fn main() {
    answer(
        |Arguments { command }: &Arguments| command.run().style(),
        |Arguments { command }| command.run().limits,
        |Arguments { command }, limits, draft| {
            let result = match command {
                Command::Check(check) => run(check, limits, draft),
                Command::Fences(fences) => fences::run(fences, limits, draft),
            };
            // An error has no figures.
            let is_answered = !matches!(&result, Err(error) if error.exit != Exit::Inconclusive);
            if command.run().verbose && is_answered {
                draft.change(|report| print_figures(report.statistics.as_ref(), limits));
            }
            result
        },
    )
}

fn boolean_options(
    run: &LoopArguments,
    engine: &'static Engine,
    limits: &Limits,
) -> boolean::Options {
    boolean::Options {
        threads: run.threads.0,
        engine,
        limits: limits.clone(),
        ..boolean::Options::default()
    }
}

fn run(check: &Check, limits: &Limits, draft: &Draft) -> Result<(), Failure> {
    let Check { run, mm, all, dump_dir, certificate } = check;
    if certificate.is_some() {
        if !run.mode.is_sound() {
            let text = "'--certificate' is of proofs, and what an unsound '--mode' finds is none";
            return Err(Failure::usage(text));
        }
        if run.only("bp").is_none() {
            let text = "'--certificate' is about Boolean programs (.bp): there is none of C programs; \
                        '--dump-dir' writes the Boolean programs, of which 'sapa-mc' can write one";
            return Err(Failure::usage(text));
        }
    }
    let engine = run.engine()?;
    if *all && (dump_dir.is_some() || run.only("bp").is_some()) {
        let text = "'--all' is about C programs and modules, and their checks are many: it goes neither with \
                    '--dump-dir' nor with a Boolean program";
        return Err(Failure::usage(text));
    }
    let mut dump = dump_dir.as_deref().map(Dump::new).transpose()?;
    if let Some(file) = run.only("bp") {
        if mm.is_some() {
            let text =
                "'--mm' is about C programs and modules: Boolean programs have no store buffers";
            return Err(Failure::usage(text));
        }
        let options = boolean::Options {
            certificate: certificate.clone(),
            ..boolean_options(run, engine, limits)
        };
        let result = boolean::check_file(file, &options, draft);
        if let (Some(dump), Ok(())) = (&mut dump, &result) {
            dump.boolean(file, &draft.finished(limits))?;
        }
        return result;
    }
    let options: Options = run.options(mm.map(|mm| mm.0), engine, limits)?;
    let mut watch = Watch::new(run.verbose, run.quiet, limits, dump);
    let loaded = run.load(&options, draft)?;
    if *all {
        return sapa_tools::all::check(&loaded, &options, &mut watch, draft);
    }
    let Loaded { program, standard_input } = loaded;
    let mut sources = Statements::new(standard_input.as_deref());
    let failed = |error| Failure::of(&error, &mut sources);
    let lowered = program.lowered(&options, &mut [&mut Reports]);
    if let (Some(dump), Ok(module)) = (&mut watch.dump, &lowered) {
        dump.module(module);
    }
    let checked = program.check_lowered(lowered, &options, &mut watch).map_err(failed)?;
    answered(draft, checked::report(&options, &checked, standard_input.as_deref()));
    if checked.safe_for(&options).is_some()
        && let Some(unknown) = program.nothing_covered(&options)
    {
        draft.change(|report| report.assertions = Some(Assertions::new(&checked.module, &unknown)));
    }
    if let Some(coverage) = program.coverage(&checked, &options) {
        let assertions = Assertions::new(&checked.module, &coverage);
        draft.change(|report| report.assertions = Some(assertions));
    }
    Ok(())
}

/// `-v`: the figures of a run, on the standard error.
fn print_figures(statistics: Option<&Statistics>, limits: &Limits) {
    let none = Statistics::default();
    let statistics = statistics.unwrap_or(&none);
    for predicate in &statistics.predicates {
        message!("predicate {predicate}");
    }
    for (number, round) in statistics.rounds.iter().enumerate() {
        message!(
            "iteration {}: {} predicates, {} states, abstraction {:.3} s, checking {:.3} s, {} SAT calls",
            number + 1,
            round.predicates,
            round.states,
            round.abstraction,
            round.checking,
            round.sat_calls
        );
    }
    message!("time {:.3} s", limits.elapsed().as_secs_f64());
}
