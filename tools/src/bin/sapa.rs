//! `sapa check`: the whole loop on C.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use sapa_backend::abstraction;
use sapa_backend::cegar::coverage::{self, Coverage, Proved};
use sapa_backend::cegar::{self, Report as Answer, Verdict};
use sapa_backend::check::Engine;
use sapa_ir::goto::{Module, SignedOverflow};
use sapa_limits::Limits;
use sapa_passes::Pipeline;
use sapa_tools::arguments::{
    LimitArguments, ModeArgument, Threads as ThreadsArgument, engine, engines,
};
use sapa_tools::dump::Dump;
use sapa_tools::failure::{Failure, Message};
use sapa_tools::message;
use sapa_tools::report::{
    self, Assertions, Bound, FailedAssertion, Place, Report, Round, Statistics, Style, Threads,
};
use sapa_tools::run::{Draft, answer};
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
    #[command(after_help = engines())]
    Check(Check),
}

#[derive(clap::Args)]
struct Check {
    #[command(flatten)]
    source: SourceArguments,
    /// How many threads may exist at once besides the initial one: a number, or 'unbounded'.
    #[arg(long, default_value = "unbounded", allow_hyphen_values = true)]
    threads: ThreadsArgument,
    /// How mixed predicates are abstracted.
    #[arg(long, value_enum, default_value = "symmetry-aware")]
    mode: ModeArgument,
    /// Most predicates that one condition of the abstraction combines: with more it says more of the program and takes longer to make.
    #[arg(long, default_value_t = 3)]
    max_cube_length: usize,
    /// Most rounds of refinement.
    #[arg(long, default_value_t = 50)]
    iterations: usize,
    /// The model checker (default: auto); the list is below.
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
        |Arguments { command: Command::Check(check) }, limits, draft| {
            let result = run(check, limits, draft);
            // An error has no figures.
            let is_answered = !matches!(&result, Err(error) if error.exit != Exit::Inconclusive);
            if check.verbose && is_answered {
                draft.change(|report| print_figures(report.statistics.as_ref(), limits));
            }
            result
        },
    )
}

impl Check {
    fn boolean_options(&self, engine: &'static Engine, limits: &Limits) -> boolean::Options {
        boolean::Options {
            threads: self.threads.0,
            engine,
            limits: limits.clone(),
            ..boolean::Options::default()
        }
    }
}

fn run(check: &Check, limits: &Limits, draft: &Draft) -> Result<(), Failure> {
    let engine = engine(check.engine.as_deref())?;
    let mut dump = check.dump_dir.as_deref().map(Dump::new).transpose()?;
    if let [file] = check.source.files.as_slice()
        && file.extension().is_some_and(|extension| extension == "bp")
    {
        let result = boolean::check_file(file, &check.boolean_options(engine, limits), draft);
        if let (Some(dump), Ok(())) = (&mut dump, &result) {
            dump.boolean(file, &draft.finished(limits))?;
        }
        return result;
    }
    let mode = check.mode.mode(check.threads.0)?;
    let mut watch = Watch::new(check.verbose, check.quiet, limits, dump);
    let Loaded { mut module, warnings, standard_input } = check.source.load(limits)?;
    warnings.iter().for_each(Message::print);
    draft.change(|report| report.warnings = warnings);
    let assertions = coverage::assertions(&module);
    let original = module.clone();
    let pipeline = Pipeline::default();
    // The program is sound; what the passes and the loop cannot do, sapa cannot decide.
    let undecided = |text: String| Failure::new(Exit::Inconclusive, Message::error(text));
    pipeline
        .run_within(&mut module, &mut [], limits)
        .map_err(|error| undecided(error.to_string()))?;
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
    let answer = cegar::run(&mut module, options.clone(), &mut watch)
        .map_err(|error| undecided(error.to_string()))?;
    let report = answered(check, &module, &answer, standard_input.as_deref());
    draft.change(|draft| {
        *draft = Report { warnings: std::mem::take(&mut draft.warnings), ..report }
    });
    if let Verdict::Successful(proof) = &answer.verdict
        && mode.is_sound()
    {
        let unknown = Coverage::unknown(assertions.clone());
        draft.change(|report| report.assertions = Some(Assertions::new(&module, &unknown)));
        let options = cegar::Options { threads: Bound::from(proof.threads).0, ..options };
        let passes = |module: &mut Module| pipeline.run_within(module, &mut [], limits);
        let program = Proved { module: &module, original: &original, passes: &passes };
        let coverage = coverage::coverage(program, assertions, options, answer.work);
        draft.change(|report| report.assertions = Some(Assertions::new(&module, &coverage)));
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

/// The report on an answer of the loop.
fn answered(
    check: &Check,
    module: &Module,
    answer: &Answer,
    standard_input: Option<&[u8]>,
) -> Report {
    let asked = Bound(check.threads.0);
    let (mut report, holds_for) = match &answer.verdict {
        Verdict::Successful(proof) => {
            (Report::new(Exit::Successful), Some(Bound::from(proof.threads)))
        }
        Verdict::Failed(cegar::Failure { counterexample, .. }) => {
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
    report.decided_by = answer.verdict.decided_by().map(|by| by.to_string());
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
