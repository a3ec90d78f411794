//! `sapa-reduce`: shrinks a file while a command keeps failing on it.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use clap::Parser;
use sapa_limits::Limits;
use sapa_tools::arguments::{LimitArguments, seconds};
use sapa_tools::failure::{Failure, Message};
use sapa_tools::reduce::command::{Answer, Asked, folder_of, name_of};
use sapa_tools::reduce::tree::Language;
use sapa_tools::reduce::{Oracle, reduce};
use sapa_tools::run::make;
use sapa_tools::{input, message};

/// Shrinks a C program, a module or a Boolean program while a command keeps failing on it.
///
/// sapa-reduce crash.c -o small.c -- sapa check --threads 2 {}
#[derive(Parser)]
#[command(name = "sapa-reduce", version, after_help = EXAMPLES)]
struct Arguments {
    /// The file: C, a module in text form (.gir), or a Boolean program (.bp); others are read as C. '-' is the standard input, as C.
    file: PathBuf,
    /// The command, behind '--': '{}' stands for the file; without it, the file is the last word.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// The exit code that the command has to end with [default: that of the file itself, which must not be 0]; 128 and its number, where a signal ends it.
    #[arg(long, value_name = "CODE")]
    exit_code: Option<i32>,
    /// What the command has to print, to the standard output or the standard error; several words have to be there all.
    #[arg(long, value_name = "TEXT")]
    prints: Vec<String>,
    /// Write to a file, each time that a smaller one is found.
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How many runs of the command go on at the same time; the result does not depend on it.
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Seconds that one run of the command may take; what takes longer does not fail.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    command_timeout: Duration,
    #[command(flatten)]
    limits: LimitArguments,
}

const EXAMPLES: &str = "A command that fails in a certain way:\n  \
    sapa-reduce bug.c -o small.c --exit-code 6 --prints 'no such edge' -- sapa check --timeout 10 {}\n  \
    sapa-reduce bug.c -o small.c --exit-code 0 -- sh -c 'gcc -fsyntax-only {} && sapa check {} | grep INCONCLUSIVE'";

fn main() {
    make(|arguments: &Arguments| arguments.limits, run)
}

/// The command, and the answer that is wanted of it.
struct Failing<'a> {
    asked: Asked,
    code: i32,
    prints: &'a [String],
    output: Option<&'a PathBuf>,
    /// Why a smaller file could not be written, or the command be run.
    error: Mutex<Option<Failure>>,
}

impl Failing<'_> {
    fn is_wanted(&self, answer: &Answer) -> bool {
        let printed = String::from_utf8_lossy(&answer.printed);
        answer.code == self.code && self.prints.iter().all(|text| printed.contains(text))
    }

    fn failed(&self, failure: Failure) {
        if let Ok(mut error) = self.error.lock() {
            error.get_or_insert(failure);
        }
        // Nothing more can come of it.
        self.asked.limits.stop(sapa_limits::Exceeded::Interrupted);
    }
}

impl Oracle for Failing<'_> {
    fn holds(&self, text: &str) -> bool {
        match self.asked.run(text.as_bytes()) {
            Ok(answer) => answer.is_some_and(|answer| self.is_wanted(&answer)),
            Err(error) => {
                self.failed(cannot_run(&self.asked, &error));
                false
            }
        }
    }

    fn kept(&self, text: &str) {
        if let Some(path) = self.output
            && !input::is_standard(path)
            && let Err(failure) = input::write(Some(path), text.as_bytes())
        {
            self.failed(failure);
        }
    }
}

fn cannot_run(asked: &Asked, error: &std::io::Error) -> Failure {
    let name = asked.words.first().map(|word| word.to_string_lossy().into_owned());
    let text = format!("cannot run '{}': {error}", name.unwrap_or_default());
    Failure::bad_input([Message::error(text)])
}

fn run(arguments: &Arguments, limits: &Limits) -> Result<(), Failure> {
    let Arguments { file, command, exit_code, prints, output, jobs, command_timeout, .. } =
        arguments;
    let text = String::from_utf8_lossy(&input::read(file)?).into_owned();
    let asked = Asked {
        words: command.clone(),
        name: name_of(file),
        folder: folder_of(file),
        timeout: *command_timeout,
        limits: limits.clone(),
    };
    let first = asked.run(text.as_bytes()).map_err(|error| cannot_run(&asked, &error))?;
    let Some(first) = first else {
        if let Some(stopped) = limits.stopped() {
            return Err(Failure::stopped(stopped));
        }
        let text = "the command takes too long on the file itself: give it a limit, or more time by '--command-timeout'";
        return Err(Failure::usage(text));
    };
    if exit_code.is_none() && first.code == 0 && prints.is_empty() {
        let text = "the command ends with 0 on the file itself, which is no failure: say by '--exit-code' or \
                    '--prints' what it has to do";
        return Err(Failure::usage(text));
    }
    let code = exit_code.unwrap_or(first.code);
    let failing = Failing { asked, code, prints, output: output.as_ref(), error: Mutex::default() };
    if !failing.is_wanted(&first) {
        let printed = String::from_utf8_lossy(&first.printed);
        let text = format!(
            "the command does not fail so on the file itself: it ends with {} and prints\n{}",
            first.code,
            printed.trim_end()
        );
        return Err(Failure::usage(text));
    }
    // What fails so on anything says nothing of the file.
    if !text.trim().is_empty() && failing.holds("") && limits.stopped().is_none() {
        let text = "the command does the same on an empty file: say by '--exit-code' or '--prints' what only this file has it do";
        return Err(Failure::usage(text));
    }
    let language = Language::of(file.extension().and_then(|e| e.to_str()).unwrap_or("c"));
    let found = reduce(&text, language, &failing, *jobs, limits);
    message!("{} bytes of {}", found.len(), text.len());
    let error = failing.error.into_inner().ok().flatten();
    // Also where a limit ended it: it fails, and is the smallest so far.
    input::write(output.as_deref(), found.as_bytes())?;
    match (error, limits.stopped()) {
        (Some(failure), _) => Err(failure),
        (None, Some(stopped)) => Err(Failure::stopped(stopped)),
        (None, None) => Ok(()),
    }
}
