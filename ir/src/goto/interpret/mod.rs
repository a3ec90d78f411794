//! An interpreter of the goto IR: concrete execution, one instruction at a time.
//!
//! It is written for plainness, not speed: it replays every counterexample
//! before it is reported. Memory is bytes; an object's bytes that were never
//! written are asked from [`Inputs`] when they are read.
//!
//! | file | holds |
//! | --- | --- |
//! | `memory` | objects as bytes |
//! | `own` | numbers of objects that are local to threads |
//! | `buffer` | stores that wait, under TSO and PSO |
//! | `escape` | threads' own objects that others may come to |
//! | `machine` | threads, instructions, terminators |
//! | `explore` | all runs |
//! | `reduce` | all runs but for orders of steps that lead nowhere else |
//! | `footprint` | what the next step of a thread touches |
//! | `conflicts` | what threads were seen to touch, and the locks that they held |
//! | `replay` | runs that were found, to be executed again |
//! | `retrace` | numbers for a failing run whose values are terms |
//! | `sample` | runs at random |
//! | `failing` | long runs at random, until one fails |
//! | `shorten` | failing runs without what they do not need |
//! | `dead` | values that are never read again |
//! | `representative` | values of a choice that stand for all |
//! | `terms` | values that are not numbers |

mod buffer;
mod conflicts;
mod dead;
mod escape;
mod explore;
#[cfg(test)]
mod explore_tests;
mod failing;
mod footprint;
#[cfg(test)]
mod litmus;
mod machine;
mod memory;
mod own;
mod reduce;
#[cfg(test)]
mod reduce_tests;
mod replay;
mod representative;
mod retrace;
mod sample;
mod shorten;
mod terms;
#[cfg(test)]
mod tests;

pub use buffer::Waiting;
pub use escape::Escaping;
pub use explore::{Exploration, ExploreOptions, Incomplete, explore, explore_terms};
pub use failing::RandomRuns;
pub use machine::{Inputs, Machine, Outcome, Request, Written};
pub use replay::{Action, Executed, Failure, Move, Onlooker};
pub use sample::{Position, SampleOptions, Visited, sample};
pub use terms::{Data, Path, Term, Variable};
