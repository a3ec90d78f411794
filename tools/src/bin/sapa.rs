//! `sapa check`: the whole loop on C.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use sapa_backend::abstraction;
use sapa_backend::cegar::coverage::Coverage;
use sapa_backend::cegar::{self, Verdict};
use sapa_backend::check::Engine;
use sapa_driver::{BufferBound, Checked, Options};
use sapa_ir::goto::{MemoryModel, mnemonic};
use sapa_limits::Limits;
use sapa_passes::Pipeline;
use sapa_tools::arguments::{
    Buffers, LimitArguments, Memory, ModeArgument, Threads as ThreadsArgument, engine, engines,
};
use sapa_tools::dump::Dump;
use sapa_tools::failure::{Failure, Message};
use sapa_tools::message;
use sapa_tools::observe::Reports;
use sapa_tools::report::{
    self, Assertions, Bound, Decider, FailedAssertion, Part, Place, Report, Round, Statistics,
    Style, Threads,
};
use sapa_tools::run::{Draft, answer};
use sapa_tools::source::{Loaded, SourceArguments};
use sapa_tools::statements::Statements;
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
    /// The memory model: 'sc' (sequential consistency), 'tso' or 'x86' (total store order), or 'pso' (partial store order).
    #[arg(long, value_name = "MODEL", default_value = "sc")]
    mm: Memory,
    /// How many stores may wait in a buffer, of a thread (tso) or of a thread and a place (pso): a number, or 'auto' for any number [default: auto].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    buffer_bound: Option<Buffers>,
    /// How mixed predicates are abstracted.
    #[arg(long, value_enum, default_value = "symmetry-aware")]
    mode: ModeArgument,
    /// Most predicates that one condition of the abstraction combines: with more it says more of the program and takes longer to make.
    #[arg(long, default_value_t = 3)]
    max_cube_length: usize,
    /// Most rounds of refinement.
    #[arg(long, default_value_t = 50)]
    iterations: usize,
    /// The passes that run before, as for sapa-opt; 'default' stands for those that run otherwise.
    #[arg(long, value_name = "PIPELINE", default_value = "default")]
    passes: String,
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

    fn options(&self, engine: &'static Engine, limits: &Limits) -> Result<Options, Failure> {
        let mode = self.mode.mode(self.threads.0)?;
        if self.buffer_bound.is_some() && self.mm.0 == MemoryModel::Sc {
            let text = "'--buffer-bound' is about stores that wait, and none do under '--mm sc'; \
                        give '--mm tso' or '--mm pso' too";
            return Err(Failure::usage(text));
        }
        let pipeline = Pipeline::parse(&self.passes).map_err(|error| Failure::pipeline(&error))?;
        Ok(Options {
            pipeline,
            memory: self.mm.0,
            buffers: self.buffer_bound.map_or(BufferBound::Auto, |bound| bound.0),
            threads: self.threads.0,
            engine,
            abstraction: abstraction::Options { mode, max_cube_length: self.max_cube_length },
            iterations: self.iterations,
            ..self.source.options(limits)?
        })
    }
}

fn run(check: &Check, limits: &Limits, draft: &Draft) -> Result<(), Failure> {
    let engine = engine(check.engine.as_deref())?;
    let mut dump = check.dump_dir.as_deref().map(Dump::new).transpose()?;
    if let [file] = check.source.files.as_slice()
        && file.extension().is_some_and(|extension| extension == "bp")
    {
        if check.mm.0 != MemoryModel::Sc {
            let text =
                "'--mm' is about C programs and modules: Boolean programs have no store buffers";
            return Err(Failure::usage(text));
        }
        let result = boolean::check_file(file, &check.boolean_options(engine, limits), draft);
        if let (Some(dump), Ok(())) = (&mut dump, &result) {
            dump.boolean(file, &draft.finished(limits))?;
        }
        return result;
    }
    let options = check.options(engine, limits)?;
    let mut watch = Watch::new(check.verbose, check.quiet, limits, dump);
    let Loaded { program, standard_input } = check.source.load(&options)?;
    let mut sources = Statements::new(standard_input.as_deref());
    let warnings = program.warnings.iter();
    let warnings: Vec<Message> =
        warnings.map(|warning| Message::of_diagnostic(warning, &mut sources)).collect();
    warnings.iter().for_each(Message::print);
    let passes = Some(&options.pipeline).filter(|pipeline| **pipeline != Pipeline::default());
    draft.change(|report| {
        report.warnings = warnings;
        report.passes = passes.map(Pipeline::to_string);
    });
    let mut failed = |error| Failure::of(&error, &mut sources);
    let module = program.lowered(&options, &mut [&mut Reports]).map_err(&mut failed)?;
    if let Some(dump) = &mut watch.dump {
        dump.module(&module);
    }
    let checked = Checked::new(module, &options, &mut watch).map_err(failed)?;
    let report = answered(&options, &checked, standard_input.as_deref());
    draft.change(|draft| {
        let (warnings, passes) = (std::mem::take(&mut draft.warnings), draft.passes.take());
        *draft = Report { warnings, passes, ..report }
    });
    if checked.safe_for(&options).is_some() {
        let unknown = Coverage::unknown(program.assertions());
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

/// The report on an answer of the loop.
fn answered(options: &Options, checked: &Checked, standard_input: Option<&[u8]>) -> Report {
    let Checked { module, report: answer, model, buffers } = checked;
    let asked = Bound(options.threads);
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
        Verdict::Inconclusive(reasons) => {
            let parts = reasons.0.iter().map(|reason| Part::of_loop(module, reason)).collect();
            (Report::inconclusive(parts), None)
        }
    };
    let in_trace = match &answer.verdict {
        Verdict::Failed(failure) => Some(failure.counterexample.most_started),
        _ => None,
    };
    report.threads = Some(Threads { asked, holds_for, most_started: answer.started, in_trace });
    report.decided_by = answer.verdict.decided_by().map(Decider);
    report.memory_model = Some(mnemonic::word(mnemonic::MEMORY, model));
    report.buffers = (*model != MemoryModel::Sc).then_some(*buffers).map(report::Buffers);
    report.atomicity = Some(report::atomicity(module.atomicity));
    report.assumptions.extend(answer.notes.iter().cloned());
    if !options.abstraction.mode.is_sound() {
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
