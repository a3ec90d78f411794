//! Counterexample-guided abstraction refinement.
//!
//! | file | holds |
//! | --- | --- |
//! | [`simulate`] | is an abstract trace an execution? |
//! | [`refine`] | new predicates from an infeasible trace |
//! | [`replay`] | execution of a counterexample by the interpreter |
//! | [`expression`] | terms as predicates |
//! | `run` | the loop |

pub mod expression;
pub mod refine;
pub mod replay;
mod run;
pub mod simulate;

pub use run::{
    Counterexample, CounterexampleStep, Iteration, Observer, Options, Report, Silent, Verdict, run,
};
