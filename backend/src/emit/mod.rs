//! Boolean programs in other tools' formats, one a file; [`FORMATS`] lists them.
//!
//! All are written from the flat form, so that what other tools check is what our engines check.
//!
//! - [`smv`] – NuSMV, for N threads;
//! - [`promela`] – Spin, for N threads;
//! - [`dialect`] – the Boolean programs of BOPPO and of BOOM;
//! - [`tts`] – thread transition systems, as BFC reads them;
//! - [`dot`] – the control flow as a graph.

pub mod dialect;
pub mod dot;
pub mod promela;
pub mod smv;
pub mod tts;

mod formula;
#[cfg(test)]
mod limits_tests;
mod names;

use sapa_ir::boolean::ast::Position;
use sapa_ir::boolean::flat::FlatProgram;

/// Why a program cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// The format is for a fixed number of threads.
    #[error("this format needs a number of threads: say --threads N")]
    Unbounded,
    /// The format has no way to say it.
    #[error("{what} cannot be written in this format")]
    Unsupported {
        /// The statement; the default where it is not known.
        position: Position,
        /// What is there.
        what: &'static str,
    },
    /// The format says everything for each thread, or there are expressions that it can only say
    /// by repeating parts.
    #[error("the text would be longer than {} MB in this format", .0 >> 20)]
    TooLong(usize),
    /// The tool has a limit on threads.
    #[error("this format is for at most {0} threads besides the initial one")]
    TooManyThreads(u32),
    /// The format lists states and there are too many.
    #[error("more than {0} states or steps of single threads")]
    TooLarge(usize),
}

/// Refuses invariants, for formats that have no word for what no run comes to.
fn without_invariants(program: &FlatProgram) -> Result<(), EmitError> {
    match program.invariants.first() {
        Some(invariant) => {
            let what = "an invariant";
            Err(EmitError::Unsupported { position: invariant.position, what })
        }
        None => Ok(()),
    }
}

/// Writes a program; the number is how many threads may exist besides the initial one.
pub type Emit = fn(&FlatProgram, Option<u32>) -> Result<String, EmitError>;

/// A format.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Its name on command lines.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// The writer.
    pub emit: Emit,
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format { name: "smv", summary: "NuSMV, an invariant for N threads", emit: smv::emit },
    Format { name: "promela", summary: "Spin, assertions for N threads", emit: promela::emit },
    Format {
        name: "boppo",
        summary: "BOPPO's Boolean programs, no broadcasts",
        emit: dialect::boppo,
    },
    Format {
        name: "boom",
        summary: "BOOM's Boolean programs, broadcasts as x$",
        emit: dialect::boom,
    },
    Format {
        name: "tts",
        summary: "thread transition system, any number of threads",
        emit: tts::emit,
    },
    Format { name: "dot", summary: "control flow for Graphviz", emit: dot::emit },
];
