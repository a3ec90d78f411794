//! `sapa check`: the whole loop on C.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use sapa_backend::abstraction;
use sapa_backend::cegar::{self, Report as Answer, Verdict, coverage};
use sapa_backend::check::EngineKind;
use sapa_ir::goto::{Module, SignedOverflow};
use sapa_limits::Limits;
use sapa_passes::{DEFAULT_PIPELINE, Pipeline};
use sapa_tools::arguments::{LimitArguments, ModeArgument, Threads as ThreadsArgument, engine};
use sapa_tools::dump::Dump;
use sapa_tools::failure::{Failure, Message};
use sapa_tools::message;
use sapa_tools::report::{
    self, Assertions, Bound, FailedAssertion, Place, Report, Round, Statistics, Style, Threads,
    answer,
};
use sapa_tools::source::{Loaded, SourceArguments};
use sapa_tools::verdict::Exit;
use sapa_tools::watch::Watch;
use sapa_tools::{boolean, counterexample};

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
    threads: ThreadsArgument,
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
    #[command(flatten)]
    limits: LimitArguments,
    /// Write every intermediate of every iteration to a folder.
    #[arg(long, value_name = "FOLDER")]
    dump_dir: Option<PathBuf>,
    /// Print the report as JSON (docs/json.md), whatever the answer or the error is.
    #[arg(long)]
    json: bool,
    /// Print what each round does.
    #[arg(short, long)]
    verbose: bool,
    /// Print the verdict only.
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
}

fn main() {
    answer(
        |Arguments { command: Command::Check(check) }: &Arguments| Style {
            json: check.json,
            quiet: check.quiet,
        },
        |Arguments { command: Command::Check(check) }| check.limits,
        |Arguments { command: Command::Check(check) }, limits| {
            run(check, limits).unwrap_or_else(Report::from)
        },
    )
}

impl Check {
    fn boolean_options(&self, engine: EngineKind, limits: &Limits) -> boolean::Options {
        boolean::Options {
            threads: self.threads.0,
            engine,
            limits: limits.clone(),
            ..boolean::Options::default()
        }
    }
}

fn run(check: &Check, limits: &Limits) -> Result<Report, Failure> {
    let engine = engine(check.engine.as_deref())?;
    if let [file] = check.source.files.as_slice()
        && file.extension().is_some_and(|extension| extension == "bp")
    {
        let mut dump = check.dump_dir.as_deref().map(Dump::new).transpose()?;
        let report = boolean::check_file(file, &check.boolean_options(engine, limits));
        if let Some(dump) = &mut dump {
            dump.boolean(file, &report)?;
        }
        return Ok(report);
    }
    let mode = check.mode.mode(check.threads.0)?;
    let dump = check.dump_dir.as_deref().map(Dump::new).transpose()?;
    let mut watch = Watch::new(check.verbose, check.quiet, limits, dump);
    let Loaded { mut module, warnings, standard_input } = check.source.load(limits)?;
    warnings.iter().for_each(Message::print);
    let assertions = coverage::assertions(&module);
    let pipeline = Pipeline::parse(DEFAULT_PIPELINE)
        .map_err(|error| Failure::new(Exit::Internal, Message::internal(error.to_string())))?;
    // The program is sound; what the passes cannot do, sapa cannot decide.
    if let Err(error) = pipeline.run_within(&mut module, &mut [], limits) {
        let stopped = limits.stopped().map(|stopped| stopped.to_string());
        return Ok(Report::inconclusive(stopped.unwrap_or_else(|| error.to_string())));
    }
    check.source.add_predicates(&mut module)?;
    let options = cegar::Options {
        threads: check.threads.0,
        engine,
        abstraction: abstraction::Options { mode, max_cube_length: check.max_cube_length },
        iterations: check.iterations,
        limits: limits.clone(),
        max_states: None,
    };
    if let Some(dump) = &mut watch.dump {
        dump.module(&module);
    }
    let result = cegar::run(&mut module, options.clone(), &mut watch);
    let mut report = match &result {
        Ok(answer) => answered(check, &module, answer, standard_input.as_deref()),
        Err(error) => {
            let stopped = limits.stopped().map(|stopped| stopped.to_string());
            Report::inconclusive(stopped.unwrap_or_else(|| error.to_string()))
        }
    };
    if let Ok(Answer { verdict: Verdict::Successful(threads), work, .. }) = &result
        && mode.is_sound()
    {
        let options = cegar::Options { threads: Bound::from(*threads).0, ..options.clone() };
        let coverage = coverage::coverage(&module, assertions, options, *work);
        report.assertions = Some(Assertions::new(&module, &coverage));
    }
    let statistics = report.statistics.get_or_insert_default();
    statistics.add_run(limits);
    watch.end();
    if check.verbose {
        print_figures(statistics);
    }
    report.warnings = warnings;
    Ok(report)
}

/// `-v`: the figures of a run, on the standard error.
fn print_figures(statistics: &Statistics) {
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
    message!("time {:.3} s", statistics.seconds);
}

/// The report on an answer of the loop.
fn answered(
    check: &Check,
    module: &Module,
    answer: &Answer,
    standard_input: Option<&[u8]>,
) -> Report {
    let asked = Bound(check.threads.0);
    let (mut report, holds_for) = match &answer.verdict {
        Verdict::Successful(threads) => {
            (Report::new(Exit::Successful), Some(Bound::from(*threads)))
        }
        Verdict::Failed(counterexample) => {
            let mut report = Report::new(Exit::Failed);
            let steps = counterexample::steps(module, counterexample, standard_input);
            report.trace_text = counterexample::text(module, counterexample, &steps);
            report.trace = Some(steps);
            report.failed_assertion = Some(FailedAssertion {
                text: counterexample.property.clone(),
                place: Place::new(module, counterexample.location),
            });
            (report, Some(Bound(answer.threads)))
        }
        Verdict::Inconclusive(reason) => (Report::inconclusive(reason.as_str()), None),
    };
    report.threads = Some(Threads { asked, holds_for, most_started: answer.started });
    report.decided_by = Some(answer.decided_by.clone()).filter(|name| !name.is_empty());
    report.memory_model = Some("sc");
    report.atomicity = Some(report::atomicity(module.atomicity));
    if module.signed_overflow == SignedOverflow::Absent {
        report.assumptions.push("assuming no signed overflow".to_owned());
    }
    report.assumptions.extend(answer.notes.iter().cloned());
    if matches!(check.mode, ModeArgument::MixedAsLocal | ModeArgument::MixedAsShared) {
        let text = "by an unsound abstraction (a baseline of the SAPA paper)";
        report.assumptions.push(text.to_owned());
    }
    let rounds = answer.iterations.iter().map(|round| Round {
        predicates: round.predicates,
        states: round.states,
        abstraction: round.abstraction.as_secs_f64(),
        checking: round.checking.as_secs_f64(),
        sat_calls: round.sat_calls,
    });
    report.statistics = Some(Statistics {
        rounds: rounds.collect(),
        predicates: module.predicates.iter().map(|p| p.text.clone()).collect(),
        states: answer.iterations.iter().map(|round| round.states).max().unwrap_or(0),
        sat_calls: answer.iterations.iter().map(|round| round.sat_calls).max().unwrap_or(0),
        ..Statistics::default()
    });
    report
}
