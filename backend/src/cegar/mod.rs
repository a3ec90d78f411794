//! Counterexample-guided abstraction refinement.
//!
//! | file | holds |
//! | --- | --- |
//! | [`simulate`] | is an abstract trace an execution? |
//! | [`refine`] | predicates of weakest preconditions along an infeasible trace |
//! | `template` | predicates of simple forms over the variables that matter |
//! | `select` | the few simple ones of both that refute the trace |
//! | `path` | the abstract semantics of one trace |
//! | [`replay`] | execution of a counterexample by the interpreter |
//! | [`expression`] | terms as predicates |
//! | `run` | the loop |

pub mod expression;
mod path;
pub mod refine;
pub mod replay;
mod run;
mod select;
pub mod simulate;
mod template;

pub use run::{
    Counterexample, CounterexampleStep, Iteration, Observer, Options, Report, Silent, Verdict, run,
};
