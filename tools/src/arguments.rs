//! The shared words of the command lines.

use std::str::FromStr;

use clap::ValueEnum;
use sapa_backend::abstraction::Mode;
use sapa_backend::check::{ENGINES, EngineKind, ThreadBound};

use crate::verdict::Exit;

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

/// The bound in words.
#[must_use]
pub fn threads_text(bound: ThreadBound) -> String {
    match bound {
        ThreadBound::Unbounded => "any number of threads".to_owned(),
        ThreadBound::Bounded(1) => "at most 1 thread besides the initial one".to_owned(),
        ThreadBound::Bounded(n) => format!("at most {n} threads besides the initial one"),
    }
}

/// Parses a command line. Help and version end the program with 0, a usage error with 1.
///
/// # Errors
/// The exit code, after the message was printed.
pub fn parse<T: clap::Parser>() -> Result<T, Exit> {
    T::try_parse().map_err(|error| {
        let is_error = error.use_stderr();
        // Nothing can be done if printing fails.
        let _ = error.print();
        if is_error { Exit::Usage } else { Exit::Successful }
    })
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
    /// Sound and costly baseline: the program is expanded over its threads.
    SymmetryOblivious,
}

impl ModeArgument {
    /// The mode of the abstraction.
    ///
    /// # Errors
    /// The exit code, after the message was printed, if the mode needs a number of threads.
    pub fn mode(self, threads: ThreadBound) -> Result<Mode, Exit> {
        match (self, threads) {
            (Self::SymmetryAware, _) => Ok(Mode::SymmetryAware),
            (Self::MixedAsLocal, _) => Ok(Mode::MixedAsLocal),
            (Self::MixedAsShared, _) => Ok(Mode::MixedAsShared),
            (Self::SymmetryOblivious, ThreadBound::Bounded(threads)) => {
                Ok(Mode::SymmetryOblivious { threads })
            }
            (Self::SymmetryOblivious, ThreadBound::Unbounded) => {
                eprintln!(
                    "error: --mode symmetry-oblivious expands the program over its threads: \
                     give their number with --threads N"
                );
                Err(Exit::Usage)
            }
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
/// The exit code, after the message was printed.
pub fn engine(name: Option<&str>) -> Result<EngineKind, Exit> {
    match name {
        Some(name) => EngineKind::parse(name).ok_or_else(|| {
            eprintln!("error: unknown engine '{name}'\n{}", engines());
            Exit::Usage
        }),
        None => Ok(EngineKind::Auto),
    }
}
