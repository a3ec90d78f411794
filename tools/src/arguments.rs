//! The shared words of the command lines.

use std::str::FromStr;

use sapa_backend::check::ThreadBound;

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
pub fn parse<T: clap::Parser>() -> Result<T, crate::verdict::Exit> {
    T::try_parse().map_err(|error| {
        let is_error = error.use_stderr();
        // Nothing can be done if printing fails.
        let _ = error.print();
        if is_error { crate::verdict::Exit::Usage } else { crate::verdict::Exit::Successful }
    })
}
