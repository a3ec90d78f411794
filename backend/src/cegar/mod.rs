//! Counterexample-guided abstraction refinement.
//!
//! | file | holds |
//! | --- | --- |
//! | [`simulate`] | is an abstract trace an execution? |
//! | [`refine`] | new predicates from an infeasible trace |
//! | [`expression`] | terms as predicates |
//! | `run` | the loop |

pub mod expression;
pub mod refine;
mod run;
pub mod simulate;

pub use run::{
    Counterexample, CounterexampleStep, Iteration, Observer, Options, Report, Silent, Verdict, run,
};
