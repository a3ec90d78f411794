//! An interpreter of the goto IR: concrete execution, one instruction at a time.
//!
//! It is written for plainness, not speed: it replays every counterexample
//! before it is reported. Memory is bytes; an object's bytes that were never
//! written are asked from [`Inputs`] when they are read.
//!
//! | file | holds |
//! | --- | --- |
//! | `memory` | objects as bytes |
//! | `machine` | threads, instructions, terminators |
//! | `explore` | all runs |
//! | `sample` | runs at random |
//! | `failing` | long runs at random, until one fails |
//! | `dead` | values that are never read again |

mod dead;
mod explore;
#[cfg(test)]
mod explore_tests;
mod failing;
mod machine;
mod memory;
mod sample;
#[cfg(test)]
mod tests;

pub use explore::{Executed, Exploration, ExploreOptions, Failure, Incomplete, Move, explore};
pub use failing::{FailingRun, failing_run};
pub use machine::{Inputs, Machine, Outcome, Request, Written};
pub use sample::{Position, SampleOptions, Visited, sample};
