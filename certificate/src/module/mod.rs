//! Certificates of modules: that no assertion of a module of the goto IR fails, for any number of threads.
//!
//! Such a certificate holds the module with predicates, a Boolean program over a variable for each of them,
//! a table that says which labels of the program stand for which places of the module, and
//! a [certificate](crate::check) of the Boolean program. Nothing of it is believed. Checked is
//! 1. that no assertion of the Boolean program fails ([`crate::check`]);
//! 2. that the Boolean program can do whatever the module can ([`simulation`]), and so fails where the module does.
//!
//! | file | holds |
//! | --- | --- |
//! | [`text`] | the file |
//! | `bits` | integers as gates |
//! | `code` | what is known of a thread function before it is executed |
//! | `interruption` | whether threads are interrupted at enough places |
//! | `pointers` | where pointers may lead |
//! | `cells` | where objects hold pointers |
//! | `world` | states as bits: memory and registers |
//! | `predicate` | what predicates are worth |
//! | `execute` | what instructions do, from one place to the next |
//! | `ways` | what the Boolean program allows |
//! | [`simulation`] | what has to be proved, and why that is enough |
//!
//! It knows no engine, and nothing of how abstractions are made: it has a symbolic executor and gates
//! of its own. What it shares with the rest is the IR with its parsers, its verifier and the layout of memory (sizes of types,
//! addresses of globals, first contents), the flat form of Boolean programs, and CaDiCaL.

mod bits;
mod cells;
mod code;
mod execute;
mod interruption;
mod pointers;
mod predicate;
pub mod simulation;
pub mod text;
mod ways;
mod world;

use sapa_limits::Exceeded;

pub use simulation::{Proved, check};

/// What has to be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obligation {
    /// The Boolean program begins where the module does.
    Initiation,
    /// It knows of a thread that begins what its predicates are.
    Start,
    /// It lets threads be interrupted wherever the module's are.
    Interruption,
    /// It allows what a thread can do from one place to the next.
    Step,
    /// Where an assertion of the module can fail, one of it fails.
    Failure,
    /// It has no failing run.
    Invariant(crate::check::Obligation),
}

impl Obligation {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Obligation::Initiation => "first values",
            Obligation::Start => "start of a thread",
            Obligation::Interruption => "interruption",
            Obligation::Step => "step",
            Obligation::Failure => "failure",
            Obligation::Invariant(of) => of.name(),
        }
    }
}

/// Why a certificate of a module is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It is no proof.
    #[error("{}: {at}: {what}", obligation.name())]
    Refused {
        /// What could not be proved.
        obligation: Obligation,
        /// In words.
        what: String,
        /// Where in the source.
        at: String,
        /// The line of the certificate that it is about; 0 if it is about none.
        line: u32,
    },
    /// It has something that is not looked at here; nothing is said of it.
    #[error("this certificate cannot be checked: {}{what} is not supported", at.as_ref().map_or_else(String::new, |at| format!("{at}: ")))]
    Unsupported {
        /// What is not supported.
        what: String,
        /// Where in the source.
        at: Option<String>,
    },
    /// The file is no certificate.
    #[error("{line}:{column}: {what}")]
    Malformed {
        /// The line.
        line: u32,
        /// The column; 0 if that is not known.
        column: u32,
        /// What is wrong.
        what: String,
    },
    /// A limit was reached.
    #[error("{0}")]
    Exceeded(#[from] Exceeded),
}

/// What is made, unless there is a problem.
type Made<T> = Result<T, Problem>;
