//! Certificates: inductive invariants of Boolean programs as text, and a checker that re-proves them.
//!
//! * [`Certificate`] – what is in one: clauses about threads, over decision diagrams; a [`Builder`]
//!   makes them;
//! * [`text`] – how they are written and read;
//! * [`check`](check::check) – proves by SAT that the invariant holds at first, stays true with every
//!   step, and excludes that an assertion fails; its module has the argument that this is enough.
//!
//! The checker shares the flat form of programs with the engines, and CaDiCaL; how a statement becomes
//! a relation is its own (`step`), as are its gates (`sat`). It knows no engine.

mod certificate;
pub mod check;
pub mod module;
mod sat;
mod step;
pub mod text;

pub use certificate::{
    Atom, Builder, Certificate, Clause, Formula, Lock, Node, Slot, When, fingerprint,
};
