//! The shared words of the command lines.

use std::ffi::OsString;
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use sapa_backend::abstraction::{Cubes, Mode};
use sapa_backend::check::{ENGINES, Engine, ThreadBound, auto};
use sapa_driver::BufferBound;
use sapa_ir::goto::MemoryModel;
use sapa_ir::goto::mnemonic::MEMORY;

use crate::failure::{Failure, Message};
use crate::verdict::Exit;
use crate::{compiler, configuration, documents, version};
use sapa_limits::Limits;

/// `--threads N|unbounded`.
#[derive(Clone, Copy, Debug)]
pub struct Threads(pub ThreadBound);

impl FromStr for Threads {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "unbounded" => Ok(Self(ThreadBound::Unbounded)),
            number => number
                .parse()
                .map(|n| Self(ThreadBound::Bounded(n)))
                .map_err(|_| "expected a number of threads or 'unbounded'".to_owned()),
        }
    }
}

/// `--mm sc|tso|pso`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory(pub MemoryModel);

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = if text == "x86" { "tso" } else { text };
        let known = MEMORY.iter().find(|(_, word)| *word == text);
        known.map(|(model, _)| Self(*model)).ok_or_else(|| {
            "expected 'sc' (sequential consistency), 'tso' or 'x86' (total store order) or 'pso' \
             (partial store order); other memory models are not known"
                .to_owned()
        })
    }
}

/// `--buffer-bound N|auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers(pub BufferBound);

impl FromStr for Buffers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match (text, text.parse::<u32>()) {
            ("auto", _) => Ok(Self(BufferBound::Auto)),
            (_, Ok(bound)) if bound > 0 => Ok(Self(BufferBound::AtMost(bound))),
            _ => Err("expected a number of stores above 0, or 'auto'".to_owned()),
        }
    }
}

/// The bound in words.
#[must_use]
pub fn threads_text(bound: ThreadBound) -> String {
    match bound {
        ThreadBound::Unbounded => "any number of threads".to_owned(),
        ThreadBound::Bounded(1) => "at most 1 thread besides the initial one".to_owned(),
        ThreadBound::Bounded(n) => format!("at most {n} threads besides the initial one"),
    }
}

/// `--timeout` and `--memory-limit`.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct LimitArguments {
    /// Stop after this number of seconds, whatever the program is doing (decimals are allowed).
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    pub timeout: Option<Duration>,
    /// Stop when the process has more resident memory than this number of megabytes.
    #[arg(long, value_name = "MB", value_parser = megabytes, allow_hyphen_values = true)]
    pub memory_limit: Option<usize>,
}

impl LimitArguments {
    /// The limits of a run that began at `start`.
    #[must_use]
    pub fn limits(&self, start: Instant) -> Limits {
        Limits::new(start, self.timeout, self.memory_limit)
    }
}

/// Reads a number of seconds above 0, with decimals.
///
/// # Errors
/// It is none.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    match seconds {
        Some(seconds) if seconds.is_finite() && seconds > 0.0 => {
            Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
        }
        _ => Err("expected a number of seconds above 0, such as 60 or 0.5".to_owned()),
    }
}

/// As bytes.
fn megabytes(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(megabytes) if megabytes > 0 => Ok(megabytes.saturating_mul(1 << 20)),
        _ => Err("expected a number of megabytes above 0, such as 500".to_owned()),
    }
}

/// Parses a command line. Help and version end the program with 0, a usage error with 1.
///
/// # Errors
/// How the program is to end; what there was to say is printed, but for the usage errors of a
/// command line that asks for [`JSON`], whose message belongs into the report.
pub fn parse<T: clap::Parser>() -> Result<T, Failure> {
    let tool = T::command().version(version::short()).long_version(version::long());
    let words: Vec<OsString> = std::env::args_os().collect();
    if documents::asked(&words) {
        documents::made(documents::added_to(tool), &words).map_err(refused)??;
        return Err(Failure::said(Exit::Successful));
    }
    let words = if knows_compiler(&tool) {
        compiler::collect(words)
            .map_err(|error| Failure::new(Exit::Usage, Message::error(error.to_string())))?
    } else {
        words
    };
    let words = configuration::configured(&tool, words)?;
    let mut tool = documents::added_to(tool);
    let given = tool.try_get_matches_from_mut(words).map_err(refused)?;
    T::from_arg_matches(&given).map_err(|error| refused(error.format(&mut tool)))
}

/// How a tool ends whose command line clap does not take, or answers itself.
fn refused(error: clap::Error) -> Failure {
    if !error.use_stderr() {
        // Nothing can be done if printing fails.
        let _ = error.print();
        return Failure::said(Exit::Successful);
    }
    if asks_for_json() {
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
        return Failure::new(Exit::Usage, Message::error(text));
    }
    let _ = error.print();
    Failure::said(Exit::Usage)
}

/// Whether a tool, or a command of it, reads C and so has the options of a compiler.
fn knows_compiler(tool: &clap::Command) -> bool {
    tool.get_arguments().any(|argument| argument.get_long() == Some(compiler::OPTION))
        || tool.get_subcommands().any(knows_compiler)
}

/// The option for a report as JSON.
pub const JSON: &str = "--json";

/// Whether the command line, which need not be a right one, has the option [`JSON`].
#[must_use]
pub fn asks_for_json() -> bool {
    std::env::args_os().skip(1).take_while(|word| word != "--").any(|word| word == JSON)
}

/// `--mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeArgument {
    /// Sound: mixed predicates are local, with broadcasts.
    SymmetryAware,
    /// Unsound baseline: mixed predicates are local, without broadcasts.
    MixedAsLocal,
    /// Unsound baseline: mixed predicates are shared.
    MixedAsShared,
    /// Unsound baseline: the Boolean program is executed with the store buffers of the memory model.
    Naive,
    /// Sound and costly baseline: the program is expanded over its threads.
    SymmetryOblivious,
}

impl ModeArgument {
    /// Whether what is proved in this mode is so.
    #[must_use]
    pub fn is_sound(self) -> bool {
        matches!(self, Self::SymmetryAware | Self::SymmetryOblivious)
    }

    /// The mode of the abstraction.
    ///
    /// # Errors
    /// If the mode needs a number of threads, or a memory model with buffers.
    pub fn mode(self, threads: ThreadBound, memory: MemoryModel) -> Result<Mode, Failure> {
        match (self, threads) {
            (Self::SymmetryAware, _) => Ok(Mode::SymmetryAware),
            (Self::MixedAsLocal, _) => Ok(Mode::MixedAsLocal),
            (Self::MixedAsShared, _) => Ok(Mode::MixedAsShared),
            (Self::Naive, _) if memory == MemoryModel::Sc => Err(Failure::usage(
                "--mode naive is about store buffers: give --mm tso or --mm pso too",
            )),
            (Self::Naive, _) => Ok(Mode::Naive { memory }),
            (Self::SymmetryOblivious, ThreadBound::Bounded(threads)) => {
                Ok(Mode::SymmetryOblivious { threads })
            }
            (Self::SymmetryOblivious, ThreadBound::Unbounded) => Err(Failure::usage(
                "--mode symmetry-oblivious expands the program over its threads: \
                 give their number with --threads N",
            )),
        }
    }
}

/// `--cubes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CubesArgument {
    /// All that are short enough.
    All,
    /// Single predicates and the cubes of the module.
    Recorded,
}

impl CubesArgument {
    /// What the abstraction is told.
    #[must_use]
    pub fn cubes(self) -> Cubes {
        match self {
            Self::All => Cubes::All,
            Self::Recorded => Cubes::Recorded,
        }
    }
}

/// The engines, one a line, for help texts and messages.
#[must_use]
pub fn engines() -> String {
    let lines: Vec<_> = ENGINES.iter().map(|e| format!("  {:<16} {}", e.name, e.summary)).collect();
    format!("Engines:\n{}", lines.join("\n"))
}

/// The engine of this name; `auto` without one.
///
/// # Errors
/// If there is no such engine.
pub fn engine(name: Option<&str>) -> Result<&'static Engine, Failure> {
    match name {
        Some(name) => Engine::named(name)
            .ok_or_else(|| Failure::usage(format!("unknown engine '{name}'\n{}", engines()))),
        None => Ok(&auto::ENGINE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_never_cut_off() {
        assert_eq!(megabytes("3"), Ok(3 << 20));
        assert_eq!(megabytes("17592186044416"), Ok(usize::MAX));
        assert_eq!(seconds("1e300"), Ok(Duration::MAX));
    }

    #[test]
    fn limits_are_numbers_above_0() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["0", "-1", "NaN", "inf", "x", ""] {
            assert!(seconds(text).is_err(), "{text}");
        }
        for text in ["0", "-1", "0.5", "x", ""] {
            assert!(megabytes(text).is_err(), "{text}");
        }
    }
}
