//! Why a pass fails.

use sapa_ir::goto::{Location, Module};
use thiserror::Error;

/// A pass met something that it cannot treat.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{place}: pass '{pass}', function '{function}': {message}")]
pub struct PassError {
    /// The pass.
    pub pass: &'static str,
    /// The function.
    pub function: String,
    /// `file:line:column`.
    pub place: String,
    /// What is wrong.
    pub message: String,
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
