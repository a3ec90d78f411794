//! What both frontends share: from typed values of C to the goto IR.
//!
//! | file | holds |
//! | --- | --- |
//! | `types`, `layout` | C types, conversions between them, records in memory |
//! | `link` | the units of a program to one module |
//! | `program` | the program that is lowered: scopes, functions, diagnostics |
//! | `body` | the function that is lowered: blocks, loads, stores |
//! | `bits` | bit-fields |
//! | `order` | operands whose order C leaves open |
//! | `convert`, `choice` | conversions of values; evaluation under a condition |
//! | `operator`, `arithmetic`, `aggregate` | operators, members and elements |
//! | `call` | calls and starts of threads |
//! | `arguments` | the arguments of `main` |
//! | `scopes` | where locals of blocks end |
//! | `sections` | atomic sections, balanced over the control-flow graph |
//! | `undefined` | bodies of functions that are not defined and whose addresses are taken |
//! | `library` | functions that the verifier, the compiler and the C library define |
//!
//! A driver, of which there is one for syntax trees and one for goto binaries, walks its
//! [`Input`](link::Input) and calls the methods of [`Body`](body::Body) with values of C types.
//! Nothing here knows a driver.

pub(crate) mod aggregate;
mod arguments;
pub(crate) mod arithmetic;
pub(crate) mod bits;
pub(crate) mod body;
pub(crate) mod call;
pub(crate) mod choice;
pub(crate) mod convert;
pub(crate) mod layout;
pub(crate) mod library;
pub(crate) mod link;
pub(crate) mod operator;
pub(crate) mod order;
pub(crate) mod program;
pub(crate) mod scopes;
mod sections;
pub(crate) mod types;
pub(crate) mod undefined;

use sapa_ir::goto::{Atomicity, TargetInfo};
use sapa_limits::Limits;

/// How to lower.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the entry function; `main` if `None`.
    pub entry: Option<String>,
    /// What one step of a thread is.
    pub atomicity: Atomicity,
    /// The machine of C programs; goto binaries say theirs.
    pub target: TargetInfo,
    /// How long to go on.
    pub limits: Limits,
    /// What is outside the program.
    pub outside: Outside,
}

/// What is known of the system and of functions that the program does not define. The verdict says
/// what is assumed of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// Whether allocations on the heap may fail: they return null then.
    pub allocations_fail: bool,
    /// Whether the creation of threads may fail: it returns an error then, and starts none.
    pub thread_creation_fails: bool,
    /// What becomes of calls of functions that are not known and take pointers.
    pub unknown_functions: UnknownFunctions,
    /// Whether there are models of the system's input and output (`library/models/posix.c`).
    pub posix: bool,
}

/// What becomes of the call of a function that is not defined, not known, and takes a pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownFunctions {
    /// It is an error.
    #[default]
    Refuse,
    /// The function writes anything to what its arguments lead to.
    Havoc,
    /// The function returns any value and changes nothing, as the rules of SV-COMP have it.
    Pure,
}
