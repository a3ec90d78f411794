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
//! | `sections` | atomic sections, balanced over the control-flow graph |
//! | `undefined` | bodies of functions that are not defined and whose addresses are taken |
//! | `library` | functions that the verifier, the compiler and the C library define |
//!
//! A driver, of which there is one for syntax trees and one for goto binaries, walks its
//! [`Input`](link::Input) and calls the methods of [`Body`](body::Body) with values of C types.
//! Nothing here knows a driver.

pub(crate) mod aggregate;
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
pub(crate) mod sections;
pub(crate) mod types;
pub(crate) mod undefined;

use sapa_ir::goto::Atomicity;
use sapa_limits::Limits;

/// How to lower.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the entry function; `main` if `None`.
    pub entry: Option<String>,
    /// What one step of a thread is.
    pub atomicity: Atomicity,
    /// How long to go on.
    pub limits: Limits,
    /// What the system may refuse.
    pub may_fail: MayFail,
}

/// What the system may refuse a program. The verdict says what is assumed to succeed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MayFail {
    /// Allocations on the heap: they return null then.
    pub allocations: bool,
    /// The creation of threads: it returns an error then, and starts none.
    pub thread_creation: bool,
}
