//! Counterexample-guided abstraction refinement.
//!
//! | file | holds |
//! | --- | --- |
//! | [`simulate`] | is an abstract trace an execution? |
//! | `refine` | new predicates from a spurious trace |
//! | `preconditions` | atoms of weakest preconditions along it, and its values |
//! | `template` | predicates of simple forms over the variables that matter |
//! | `select` | the few simple ones of both that refute the trace |
//! | `path` | the abstract semantics of one trace |
//! | [`replay`] | execution of a counterexample by the interpreter |
//! | [`expression`] | terms as predicates |
//! | `run` | the loop |

pub mod expression;
mod path;
mod preconditions;
mod refine;
pub mod replay;
mod run;
mod select;
pub mod simulate;
mod template;

pub use run::{
    Counterexample, CounterexampleStep, Iteration, Observer, Options, Report, Silent, Verdict, run,
};
