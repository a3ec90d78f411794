//! `sapa-translate`: writes a Boolean program in another tool's format.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

use clap::Parser;
use sapa_backend::emit::{EmitError, FORMATS};
use sapa_ir::boolean::ast::Position;
use sapa_limits::{Limits, Phase};
use sapa_tools::arguments::{LimitArguments, Threads};
use sapa_tools::failure::{Failure, Message};
use sapa_tools::run::make;
use sapa_tools::statements::Statements;
use sapa_tools::{boolean, input};

/// Writes a concurrent Boolean program in another tool's format.
#[derive(Parser)]
#[command(name = "sapa-translate", version, after_help = formats())]
struct Arguments {
    /// The program; '-', the default, is the standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// The format.
    #[arg(long, value_name = "FORMAT")]
    to: String,
    /// How many threads may exist at once besides the initial one, for formats that need it.
    #[arg(long, default_value = "unbounded")]
    threads: Threads,
    /// Reaching this label is an error (besides SLIC_ERROR).
    #[arg(long, value_name = "LABEL")]
    error_label: Vec<String>,
    /// Variables without initial value: 'nondet', or 'zero' as in the BOPPO paper.
    #[arg(long, default_value = "nondet", value_parser = ["nondet", "zero"])]
    init: String,
    /// Write to a file.
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArguments,
}

/// The formats, one a line.
fn formats() -> String {
    let lines: Vec<String> =
        FORMATS.iter().map(|format| format!("  {:<10} {}", format.name, format.summary)).collect();
    format!("Formats:\n{}", lines.join("\n"))
}

fn main() {
    make(|arguments: &Arguments| arguments.limits, run)
}

fn run(arguments: &Arguments, limits: &Limits) -> Result<(), Failure> {
    let Some(format) = FORMATS.iter().find(|format| format.name == arguments.to) else {
        let message = format!("unknown format '{}'\n{}", arguments.to, formats());
        return Err(Failure::usage(message));
    };
    let zero = arguments.init == "zero";
    let program = boolean::read(&arguments.file, &arguments.error_label, zero, limits)?;
    let threads = arguments.threads.0.limit();
    let _phase = limits.enter(Phase::Writing);
    let text = (format.emit)(&program, threads).map_err(|error| {
        let (file, message) = (input::name(&arguments.file), Message::error(error.to_string()));
        Failure::bad_input([match error {
            EmitError::Unsupported { position: Position { line, column }, .. } => {
                message.at(&file, line, column, &mut Statements::default())
            }
            _ => message.in_file(&file),
        }])
    })?;
    input::write(arguments.output.as_deref(), text.as_bytes())
}
