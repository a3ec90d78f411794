//! Why there is no answer.

use std::fmt::Display;

use sapa_backend::automaton::AutomatonError;
use sapa_backend::inconclusive::Kind;
use sapa_frontend::diagnostic::Diagnostic;
use sapa_ir::goto::mnemonic::{MEMORY, word};
use sapa_ir::goto::{MemoryModel, Module, VerifyErrors};
use sapa_passes::PassError;
use thiserror::Error;

use crate::options::PredicateFile;

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum Error {
    /// The sources are wrong: errors, and warnings among them.
    #[error("{}", lines(.0.iter().filter(|diagnostic| diagnostic.is_error())))]
    Sources(Vec<Diagnostic>),
    /// The frontend made a module that breaks laws of the IR, which nobody should ever see.
    #[error("the frontend wrote an unsound module:\n{1}")]
    Unsound(Box<Module>, VerifyErrors),
    /// The predicates do not fit the program.
    #[error("{}", lines(.1))]
    Predicates(PredicateFile, Vec<Diagnostic>),
    /// The program has buffers of this memory model in its code, and others are asked for.
    #[error("the module has store buffers already: it says `memory {}`", word(MEMORY, .0))]
    HasBuffers(MemoryModel),
    /// The input is right, and sapa cannot treat it: the answer is INCONCLUSIVE.
    /// The module is as it was then.
    #[error("{1}")]
    Undecided(Box<Module>, Undecided),
}

/// Who cannot treat a program.
#[derive(Debug, Error)]
pub enum Undecided {
    /// A pass.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// The backend.
    #[error(transparent)]
    Automaton(#[from] AutomatonError),
}

impl From<&Undecided> for Kind {
    fn from(undecided: &Undecided) -> Self {
        match undecided {
            Undecided::Pass(error) => error.into(),
            Undecided::Automaton(error) => error.into(),
        }
    }
}

fn lines<T: Display>(errors: impl IntoIterator<Item = T>) -> String {
    errors.into_iter().map(|error| error.to_string()).collect::<Vec<_>>().join("\n")
}
