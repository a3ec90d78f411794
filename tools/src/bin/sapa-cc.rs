//! `sapa-cc`: the frontend alone.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use clap::Parser;
use sapa_driver::{Program, add_predicates};
use sapa_ir::goto::{binary, print};
use sapa_limits::{Limits, Phase};
use sapa_tools::arguments::LimitArguments;
use sapa_tools::failure::{Failure, Message};
use sapa_tools::input;
use sapa_tools::run::make;
use sapa_tools::source::{Loaded, SourceArguments};
use sapa_tools::statements::Statements;

/// Compiles C or CBMC goto binaries to the goto IR.
#[derive(Parser)]
#[command(name = "sapa-cc", version)]
struct Arguments {
    #[command(flatten)]
    source: SourceArguments,
    /// Write to a file; one that ends in .girb is in binary form.
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the binary form.
    #[arg(long)]
    binary: bool,
    /// Print version, functions, symbols and thread starts of goto binaries instead.
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    limits: LimitArguments,
}

fn main() {
    make(|arguments: &Arguments| arguments.limits, run)
}

fn run(arguments: &Arguments, limits: &Limits) -> Result<(), Failure> {
    if arguments.list {
        let text = arguments.source.list(limits)?;
        let _phase = limits.enter(Phase::Writing);
        return input::write(arguments.output.as_deref(), text.as_bytes());
    }
    let options = arguments.source.options(limits)?;
    let Loaded { program, standard_input } = arguments.source.load(&options)?;
    let Program { mut module, warnings, .. } = program;
    let mut sources = Statements::new(standard_input.as_deref());
    for warning in &warnings {
        Message::of_diagnostic(warning, &mut sources).print();
    }
    if let Some(given) = &options.predicates {
        add_predicates(&mut module, given).map_err(|error| Failure::of(&error, &mut sources))?;
    }
    let _phase = limits.enter(Phase::Writing);
    let named = arguments.output.as_ref().and_then(|path| path.extension());
    let bytes = if arguments.binary || named.is_some_and(|e| e == "girb") {
        binary::encode(&module)
    } else {
        print(&module).into_bytes()
    };
    input::write(arguments.output.as_deref(), &bytes)
}
