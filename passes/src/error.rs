//! Why a pass fails.

use sapa_ir::goto::{Location, Module};
use thiserror::Error;

/// A pass met something that it cannot treat.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{place}: pass '{pass}'{}: {message}", within(function))]
pub struct PassError {
    /// The pass.
    pub pass: &'static str,
    /// The function; empty for the whole module.
    pub function: String,
    /// `file:line:column`.
    pub place: String,
    /// What is wrong.
    pub message: String,
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
        Self {
            pass,
            function: function.to_owned(),
            place: module.describe(at),
            message: message.into(),
        }
    }
}
