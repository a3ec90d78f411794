//! Why a pass fails.

use sapa_ir::goto::{Location, Module};
use sapa_limits::Exceeded;
use thiserror::Error;

/// Why a pass ends without its result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PassError {
    /// It met something that it cannot treat.
    #[error("{place}: pass '{pass}'{}: {message}", within(function))]
    Refused {
        /// The pass.
        pass: &'static str,
        /// The function; empty for the whole module.
        function: String,
        /// `file:line:column`.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// The run has to end; [`sapa_limits::Limits::stopped`] says in which pass.
    #[error("{0}")]
    Exceeded(#[from] Exceeded),
}

fn within(function: &str) -> String {
    if function.is_empty() { String::new() } else { format!(", function '{function}'") }
}

impl PassError {
    /// An error at an instruction.
    #[must_use]
    pub fn new(
        pass: &'static str,
        module: &Module,
        function: &str,
        at: Location,
        message: impl Into<String>,
    ) -> Self {
        Self::Refused {
            pass,
            function: function.to_owned(),
            place: module.describe(at),
            message: message.into(),
        }
    }
}
