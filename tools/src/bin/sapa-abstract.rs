//! `sapa-abstract`: the predicate abstraction alone.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use clap::Parser;
use sapa_backend::abstraction::{self, Abstractor};
use sapa_backend::automaton::{Interruptions, Symbols, build};
use sapa_backend::check::ThreadBound;
use sapa_driver::add_predicates;
use sapa_ir::goto::print;
use sapa_limits::{Limits, Phase};
use sapa_passes::transform::recursion::has_calls_as_threads;
use sapa_tools::arguments::{
    CubesArgument, LimitArguments, Memory, ModeArgument, Threads, threads_text,
};
use sapa_tools::failure::{Failure, Message, Severity};
use sapa_tools::input;
use sapa_tools::message;
use sapa_tools::run::make;
use sapa_tools::source::predicates;
use sapa_tools::statements::Statements;
use sapa_tools::verdict::Exit;

/// Abstracts a module, by the predicates of its vocabulary, to a Boolean broadcast program.
///
/// Calls have to be inlined and synchronisation lowered:
/// sapa-opt -p default.
#[derive(Parser)]
#[command(name = "sapa-abstract", version)]
struct Arguments {
    /// A module in text or binary form; '-' is the standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// How mixed predicates are abstracted.
    #[arg(long, value_enum, default_value = "symmetry-aware")]
    mode: ModeArgument,
    /// The memory model of --mode naive: 'tso' or 'x86', or 'pso'.
    #[arg(long, value_name = "MODEL", default_value = "sc")]
    mm: Memory,
    /// How many threads besides the initial one, for --mode symmetry-oblivious.
    #[arg(long, default_value = "unbounded")]
    threads: Threads,
    /// Most literals of a cube.
    #[arg(long, default_value_t = 3)]
    max_cube_length: usize,
    /// Which cubes to try: 'all' up to that length, or those 'recorded' in the module, of any length.
    #[arg(long, value_enum, default_value = "all")]
    cubes: CubesArgument,
    /// Write the module in place of the Boolean program, with the predicates, and with the cubes that the Boolean program has.
    #[arg(long)]
    record_cubes: bool,
    /// More predicates: a file with one per line, in C over globals and 'function::variable'.
    #[arg(long, value_name = "FILE")]
    predicates: Option<PathBuf>,
    /// Write to a file.
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArguments,
}

fn main() {
    make(|arguments: &Arguments| arguments.limits, run)
}

fn run(arguments: &Arguments, limits: &Limits) -> Result<(), Failure> {
    let mode = arguments.mode.mode(arguments.threads.0, arguments.mm.0)?;
    let mut module = input::read_module(&arguments.file, limits)?;
    if has_calls_as_threads(&module) {
        let text = "recursive calls are threads in this module, and a bound of `sapa-mc` on threads would count them: \
                    run `sapa check`, or inline calls up to a depth, as `sapa-opt -p 'inline{depth=8},lower-sync'` does";
        return Err(Failure::bad_input([
            Message::error(text).in_file(&input::name(&arguments.file))
        ]));
    }
    if let Some(path) = &arguments.predicates {
        add_predicates(&mut module, &predicates(path)?)
            .map_err(|error| Failure::of(&error, &mut Statements::default()))?;
    }
    let mut symbols = Symbols::default();
    let building = limits.enter(Phase::Automaton);
    let automaton = build::build(&mut symbols, &module, Interruptions::Everywhere, limits)
        .map_err(|error| {
            let sources = &mut Statements::default();
            Failure::bad_input([Message::of_automaton(Severity::Error, &error, &module, sources)])
        })?;
    drop(building);
    let options = abstraction::Options {
        mode,
        cubes: arguments.cubes.cubes(),
        max_cube_length: arguments.max_cube_length,
        ..abstraction::Options::default()
    };
    let mut abstractor = Abstractor::new(symbols, &module, &automaton, options);
    abstractor.strengthener.set_limits(limits);
    let abstracting = limits.enter(Phase::Abstraction(1));
    let result = abstractor.program(&abstractor.given());
    drop(abstracting);
    // A part of the abstraction is none: edges that were not come to are missing.
    let result = result.ok_or_else(|| {
        let unknown = || Message::internal("the abstraction was not finished".to_owned());
        limits.stopped().map_or_else(|| Failure::new(Exit::Internal, unknown()), Failure::stopped)
    })?;
    let _phase = limits.enter(Phase::Writing);
    if arguments.record_cubes {
        module.cubes = result.cubes;
        return input::write(arguments.output.as_deref(), print(&module).as_bytes());
    }
    // What the abstraction assumes travels with it.
    let mut notes = automaton.notes.clone();
    if let Some(warning) = mode.warning() {
        message!("warning: {warning}");
        notes.push(warning.to_owned());
    }
    if let Some(threads) = mode.expanded() {
        notes.push(format!("for {}", threads_text(ThreadBound::Bounded(threads))));
    }
    let notes: String =
        notes.iter().map(|note| format!("// {}\n", note.replace(['\n', '\r'], " "))).collect();
    input::write(arguments.output.as_deref(), format!("{notes}{}", result.program).as_bytes())
}
