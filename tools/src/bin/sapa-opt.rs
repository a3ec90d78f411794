//! `sapa-opt`: passes over the goto IR, singly or in a pipeline.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use sapa_ir::goto::{Module, binary, print};
use sapa_limits::{Limits, Phase};
use sapa_passes::{Observer, OptionKind, PASSES, PIPELINES, Pipeline, dot};
use sapa_tools::arguments::LimitArguments;
use sapa_tools::failure::{Failure, Message, Severity};
use sapa_tools::input;
use sapa_tools::observe::{
    Bisect, Print, PrintChanged, Reports, Reproducer, TimePasses, VerifyEach,
};
use sapa_tools::run::make;
use sapa_tools::statements::Statements;
use sapa_tools::{message, message_part};

/// Runs passes over the goto IR.
#[derive(Parser)]
#[command(name = "sapa-opt", version)]
struct Arguments {
    /// A module in text or binary form; '-' is the standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// The pipeline: 'pass1,pass2{option=value,…},…'; 'default' stands for the passes of sapa check.
    #[arg(short, long, value_name = "PIPELINE", default_value = "")]
    passes: String,
    /// Write to a file; one that ends in .girb is in binary form.
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the binary form.
    #[arg(long)]
    binary: bool,
    /// Write no module.
    #[arg(long)]
    no_output: bool,
    /// List the passes and their options.
    #[arg(long)]
    list_passes: bool,
    /// List the pipelines that have a name, and why each of their passes stands there.
    #[arg(long)]
    list_pipelines: bool,
    /// Print the module before these passes.
    #[arg(long, value_name = "PASS")]
    print_before: Vec<String>,
    /// Print the module after these passes.
    #[arg(long, value_name = "PASS")]
    print_after: Vec<String>,
    /// Print the module after every pass.
    #[arg(long)]
    print_after_all: bool,
    /// Print what each pass changes.
    #[arg(long)]
    print_changed: bool,
    /// Verify the module after every pass, and that the analyses which the pass preserves are the same.
    #[arg(long)]
    verify_each: bool,
    /// Print how long each pass takes.
    #[arg(long)]
    time_passes: bool,
    /// Run only the first N passes.
    #[arg(long, value_name = "N")]
    bisect_limit: Option<usize>,
    /// If a pass fails, write its input and its pipeline to a file.
    #[arg(long, value_name = "FILE")]
    reproducer: Option<PathBuf>,
    /// Write a graph in DOT instead of the module.
    #[arg(long, value_enum)]
    dot: Option<Graph>,
    #[command(flatten)]
    limits: LimitArguments,
}

#[derive(Clone, Copy, ValueEnum)]
enum Graph {
    /// The control-flow graphs.
    Cfg,
    /// Who calls and who starts whom.
    Callgraph,
}

fn main() {
    make(|arguments: &Arguments| arguments.limits, run)
}

fn run(arguments: &Arguments, limits: &Limits) -> Result<(), Failure> {
    if arguments.list_passes {
        return input::write(None, list().as_bytes());
    }
    if arguments.list_pipelines {
        return input::write(None, list_pipelines().as_bytes());
    }
    let pipeline = Pipeline::parse(&arguments.passes).map_err(|error| Failure::pipeline(&error))?;
    for name in arguments.print_before.iter().chain(&arguments.print_after) {
        if !PASSES.iter().any(|pass| pass.name == name) {
            let message = format!("unknown pass '{name}'; --list-passes lists them");
            return Err(Failure::usage(message));
        }
    }
    let mut module = input::read_module(&arguments.file, limits)?;
    run_pipeline(arguments, &pipeline, &mut module, limits)?;
    if arguments.no_output {
        return Ok(());
    }
    let _phase = limits.enter(Phase::Writing);
    let named = arguments.output.as_ref().and_then(|path| path.extension());
    let bytes = match arguments.dot {
        Some(Graph::Cfg) => dot::control_flow(&module).into_bytes(),
        Some(Graph::Callgraph) => dot::calls(&module).into_bytes(),
        None if arguments.binary || named.is_some_and(|e| e == "girb") => binary::encode(&module),
        None => print(&module).into_bytes(),
    };
    input::write(arguments.output.as_deref(), &bytes)
}

fn run_pipeline(
    arguments: &Arguments,
    pipeline: &Pipeline,
    module: &mut Module,
    limits: &Limits,
) -> Result<(), Failure> {
    let mut print = Print {
        before: arguments.print_before.clone(),
        after: arguments.print_after.clone(),
        after_all: arguments.print_after_all,
    };
    let mut changed = PrintChanged::default();
    let mut verify = VerifyEach::default();
    let mut times = TimePasses::default();
    let mut reproducer = Reproducer::default();
    let mut bisect = arguments.bisect_limit.map(|limit| Bisect { limit });
    let mut observers: Vec<&mut dyn Observer> = Vec::new();
    if let Some(bisect) = &mut bisect {
        observers.push(bisect);
    }
    let mut reports = Reports;
    observers.push(&mut reports);
    observers.push(&mut print);
    if arguments.print_changed {
        observers.push(&mut changed);
    }
    if arguments.reproducer.is_some() {
        observers.push(&mut reproducer);
    }
    if arguments.verify_each {
        observers.push(&mut verify);
    }
    if arguments.time_passes {
        observers.push(&mut times);
    }
    let result = pipeline.run_within(module, &mut observers, limits);
    if arguments.time_passes {
        message_part!("{}", times.table());
    }
    result.map_err(|error| {
        let sources = &mut Statements::default();
        let messages = Message::of_pass(Severity::Error, &error, module, sources);
        let failure = Failure::bad_input(messages);
        if let (Some(path), Some(text)) = (&arguments.reproducer, reproducer.text()) {
            match input::write_file(path, text.as_bytes()) {
                Ok(()) => message!("note: {} repeats it", path.display()),
                Err(error) => message!("error: cannot write {}: {error}", path.display()),
            }
        }
        failure
    })
}

/// All passes with their options and defaults.
fn list() -> String {
    let mut text = String::new();
    for pass in PASSES {
        text.push_str(&format!("{:<22} {}\n", pass.name, pass.summary));
        for option in pass.options {
            let kind = match option.kind {
                OptionKind::Number(default) => format!("a number, {default} by default"),
                OptionKind::Switch(default) => format!("true or false, {default} by default"),
                OptionKind::Word(words) => format!("{}, the first by default", words.join(" or ")),
            };
            text.push_str(&format!("    {:<18} {} ({kind})\n", option.name, option.summary));
        }
    }
    text
}

/// The pipelines that have a name, with the reasons for their passes.
fn list_pipelines() -> String {
    let mut text = String::new();
    for pipeline in PIPELINES {
        text.push_str(&format!("{}: {}\n", pipeline.name, pipeline.summary));
        for step in pipeline.steps {
            text.push_str(&format!("    {:<22} {}\n", step.pass.name, step.why));
        }
    }
    text
}
