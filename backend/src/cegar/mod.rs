//! Counterexample-guided abstraction refinement.
//!
//! | file | holds |
//! | --- | --- |
//! | `simulate` | is an abstract trace an execution? |
//! | `refine` | new predicates from a spurious trace |
//! | `preconditions` | atoms of weakest preconditions along it, and its values |
//! | `between` | predicates between threads |
//! | `draws` | what belongs together where threads draw numbers from a counter |
//! | `template` | predicates of simple forms over the variables that matter |
//! | `select` | the few simple ones of both that refute the trace |
//! | `suffix` | where none refute it, those that refute more of its end |
//! | `steps` | single steps that no execution has |
//! | `stand` | what others know where they stand |
//! | `path` | the abstract semantics of one trace |
//! | `unmodelled` | failures that rest on values which are not modelled |
//! | `doubt` | failures that an over-approximation cannot exclude |
//! | `observed` | what observers of the loop get to see |
//! | [`coverage`] | which assertions runs come to |
//! | `expression` | terms as predicates |
//! | `attempt` | ways through the refinement that take turns |
//! | `report` | what the loop is asked, and its answer |
//! | `reason` | why it has none |
//! | `run` | the loop |

mod attempt;
mod between;
pub mod coverage;
mod doubt;
mod draws;
mod expression;
mod observed;
mod path;
mod preconditions;
mod reason;
mod refine;
mod report;
mod run;
mod select;
pub(crate) mod simulate;
mod stand;
mod steps;
mod suffix;
mod template;
mod unfollowed;
mod unmodelled;

pub use observed::{Learned, Made, Seen};
pub use reason::{
    Impassable, Inseparable, Reason, Reasons, Search, Suspected, Unfollowed, Unmodelled,
};
pub use report::{
    DecidedBy, Failure, Iteration, Observer, Options, Proof, Report, Silent, Verdict,
};
pub use run::{run, run_within};
