//! Executions of programs by the interpreter: how candidates are replayed, what is noted of them, and
//! where they are searched for. The loop ([`crate::cegar`]) and the bounded engine
//! ([`crate::bounded`]) report no failure but such an execution.
//!
//! | file | holds |
//! | --- | --- |
//! | `counterexample` | traces that may fail, and executions that fail an assertion |
//! | `replay` | execution of a candidate by the interpreter |
//! | `explore` | what a search of concrete states finds, and runs at random |
//! | `terms` | the values of runs in which choices are variables |
//! | `otherwise` | executions that go another way because of values that are not modelled |
//! | [`original`] | executions of the program that buffers were put into |
//! | `followed` | such an execution that does the same as one with buffers in the code |
//! | [`act`] | what is executed, as an order of accesses and stores that wait |
//! | [`event`] | what is executed, in words of the source |
//! | `record` | a replay as such events |
//! | `name` | names of places and values in them |
//! | `part` | members and elements of objects |
//! | `place` | places of the source that messages name |

pub mod act;
pub(crate) mod counterexample;
pub mod event;
pub(crate) mod explore;
pub(crate) mod followed;
pub(crate) mod name;
pub mod original;
pub(crate) mod otherwise;
mod part;
mod place;
mod record;
pub(crate) mod replay;
mod terms;
#[cfg(test)]
mod terms_tests;

pub use counterexample::{Counterexample, places};
pub use event::{Event, EventKind, Row, Source, StoreNumber};
pub use explore::{AllRuns, Choices, all_runs, sampled};
pub use place::Place;
pub(crate) use place::at;
pub use replay::Departure;
