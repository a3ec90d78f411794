//! Verdict lines and exit codes (DESIGN section 5; the codes are CBMC's).

use std::process::ExitCode;

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
        Self::from(match exit {
            Exit::Successful => 0,
            Exit::Failed => 10,
            Exit::Inconclusive => 5,
            Exit::Usage => 1,
            Exit::BadInput => 2,
            Exit::Internal => 6,
        })
    }
}

impl Exit {
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
