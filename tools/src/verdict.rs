//! Verdict lines and exit codes (`docs/tools.md` lists the exit codes, which are CBMC's).

use std::process::{self, ExitCode};
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

/// How a program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// `VERIFICATION SUCCESSFUL`, or nothing was to be verified.
    Successful,
    /// `VERIFICATION FAILED`.
    Failed,
    /// `VERIFICATION INCONCLUSIVE`.
    Inconclusive,
    /// The command line is wrong.
    Usage,
    /// The input is wrong.
    BadInput,
    /// An internal error.
    Internal,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Nobody has printed a verdict yet, or begun to.
const NOBODY: u8 = 0;
/// The program does.
const PROGRAM: u8 = 1;
/// The watchdog does.
const WATCHDOG: u8 = 2;

/// Who prints the verdict: a process has one.
static PRINTER: AtomicU8 = AtomicU8::new(NOBODY);

fn becomes(printer: u8) -> Result<u8, u8> {
    PRINTER.compare_exchange(NOBODY, printer, Ordering::SeqCst, Ordering::SeqCst)
}

/// To be called before the first word of a verdict is printed, and harmless afterwards. It does not
/// return if the [watchdog](crate::watchdog) has come first and ends the process.
pub fn claim() {
    if becomes(PROGRAM) == Err(WATCHDOG) {
        loop {
            thread::park();
        }
    }
}

/// Whether the watchdog is the one to print.
pub(crate) fn claim_for_watchdog() -> bool {
    becomes(WATCHDOG).is_ok()
}

impl Exit {
    /// Ends the process, whose verdict (if it has one) is printed.
    pub fn end(self) -> ! {
        claim();
        process::exit(i32::from(self.code()))
    }

    /// The exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Successful => 0,
            Self::Failed => 10,
            Self::Inconclusive => 5,
            Self::Usage => 1,
            Self::BadInput => 2,
            Self::Internal => 6,
        }
    }

    /// The word for it in reports for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Successful => "successful",
            Self::Failed => "failed",
            Self::Inconclusive => "inconclusive",
            Self::Usage => "usage_error",
            Self::BadInput => "bad_input",
            Self::Internal => "internal_error",
        }
    }

    /// What a [`word`](Self::word) of a report stands for.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let verdicts = [Self::Successful, Self::Failed, Self::Inconclusive];
        let errors = [Self::Usage, Self::BadInput, Self::Internal];
        verdicts.into_iter().chain(errors).find(|exit| exit.word() == word)
    }

    /// The last line on the standard output.
    #[must_use]
    pub fn line(self) -> &'static str {
        match self {
            Self::Successful => "VERIFICATION SUCCESSFUL",
            Self::Failed => "VERIFICATION FAILED",
            _ => "VERIFICATION INCONCLUSIVE",
        }
    }
}
