//! Counterexample-guided abstraction refinement.
//!
//! | file | holds |
//! | --- | --- |
//! | `simulate` | is an abstract trace an execution? |
//! | `refine` | new predicates from a spurious trace |
//! | `preconditions` | atoms of weakest preconditions along it, and its values |
//! | `template` | predicates of simple forms over the variables that matter |
//! | `select` | the few simple ones of both that refute the trace |
//! | `steps` | single steps that no execution has |
//! | `path` | the abstract semantics of one trace |
//! | `explore` | what a search of concrete states finds, and runs at random |
//! | `unmodelled` | failures that rest on values which are not modelled |
//! | `doubt` | failures that an over-approximation cannot exclude |
//! | `observed` | what observers of the loop get to see |
//! | `otherwise` | executions that go another way because of such values |
//! | `counterexample` | traces that may fail, and executions that fail an assertion |
//! | [`act`] | what is executed, as an order of accesses and stores that wait |
//! | [`event`] | what is executed, in words of the source |
//! | `record` | a replay as such events |
//! | `name` | names of places and values in them |
//! | `part` | members and elements of objects |
//! | `replay` | execution of a candidate by the interpreter |
//! | `original` | executions of the program that buffers were put into |
//! | `followed` | such an execution that does the same as one with buffers in the code |
//! | [`coverage`] | which assertions runs come to |
//! | `expression` | terms as predicates |
//! | `attempt` | ways through the refinement that take turns |
//! | `report` | what the loop is asked, and its answer |
//! | `reason` | why it has none |
//! | `run` | the loop |

pub mod act;
mod attempt;
mod counterexample;
pub mod coverage;
mod doubt;
pub mod event;
mod explore;
mod expression;
mod followed;
mod name;
mod observed;
pub mod original;
mod otherwise;
mod part;
mod path;
mod preconditions;
mod reason;
mod record;
mod refine;
mod replay;
mod report;
mod run;
mod select;
mod simulate;
mod steps;
mod template;
mod unmodelled;

pub use counterexample::{Counterexample, places};
pub use event::{Event, EventKind, Row};
pub use explore::{AllRuns, all_runs};
pub use observed::{Learned, Made, Seen};
pub use reason::{Impassable, Inseparable, Place, Reason, Reasons, Search, Suspected};
pub use replay::Departure;
pub use report::{
    DecidedBy, Failure, Iteration, Observer, Options, Proof, Report, Silent, Verdict,
};
pub use run::{run, run_within};
