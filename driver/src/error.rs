//! Why there is no answer.

use std::fmt::Display;

use sapa_backend::automaton::AutomatonError;
use sapa_backend::cegar::Reason;
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
    #[error("{}", .0.refused)]
    Undecided(Box<Undecided>),
}

/// A program that sapa cannot treat.
#[derive(Debug)]
pub struct Undecided {
    /// The module, as it was then.
    pub module: Module,
    /// Who refuses it, and why.
    pub refused: Refused,
    /// Why another engine, which does treat it, has no answer.
    pub beside: Option<Reason>,
}

impl Error {
    /// A program that is refused.
    pub(crate) fn refused(module: Module, refused: impl Into<Refused>) -> Self {
        Self::Undecided(Box::new(Undecided { module, refused: refused.into(), beside: None }))
    }
}

/// Who cannot treat a program.
#[derive(Debug, Error)]
pub enum Refused {
    /// A pass.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// The backend.
    #[error(transparent)]
    Automaton(#[from] AutomatonError),
}

impl From<&Refused> for Kind {
    fn from(refused: &Refused) -> Self {
        match refused {
            Refused::Pass(error) => error.into(),
            Refused::Automaton(error) => error.into(),
        }
    }
}

fn lines<T: Display>(errors: impl IntoIterator<Item = T>) -> String {
    errors.into_iter().map(|error| error.to_string()).collect::<Vec<_>>().join("\n")
}
