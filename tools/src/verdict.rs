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
        Self::from(exit.code())
    }
}

impl Exit {
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
