//! Why a pass fails.

use sapa_ir::goto::{Entity, Location, Module, VerifyErrors};
use sapa_limits::Exceeded;
use thiserror::Error;

/// Why a pass ends without its result. What it names is of the module as the pass left it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PassError {
    /// It met something that it cannot treat.
    #[error("pass '{pass}': {message}")]
    Refused {
        /// The pass.
        pass: &'static str,
        /// What it cannot treat.
        entity: Entity,
        /// Where in the source that comes from.
        location: Location,
        /// What is wrong, without a place.
        message: String,
        /// Further places of the source, and what is there.
        notes: Vec<(Location, &'static str)>,
    },
    /// The module does not keep the laws of the IR when the pass has run.
    #[error("after pass '{pass}' the module is unsound: {errors}")]
    Unsound {
        /// The pass.
        pass: &'static str,
        /// The laws that are broken.
        errors: VerifyErrors,
    },
    /// The run has to end; [`sapa_limits::Limits::stopped`] says in which pass.
    #[error("{0}")]
    Exceeded(#[from] Exceeded),
}

impl PassError {
    /// What a pass says of an entity of a module.
    #[must_use]
    pub fn new(
        pass: &'static str,
        module: &Module,
        entity: Entity,
        message: impl Into<String>,
    ) -> Self {
        Self::at(pass, entity, module.location(entity), message)
    }

    /// What a pass says of code at a place of the source that has no better name in the module than
    /// `entity`.
    #[must_use]
    pub fn at(
        pass: &'static str,
        entity: Entity,
        location: Location,
        message: impl Into<String>,
    ) -> Self {
        Self::Refused { pass, entity, location, message: message.into(), notes: Vec::new() }
    }
}
