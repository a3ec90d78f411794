//! Symmetry-aware predicate abstraction (SAPA section 2).
//!
//! | file | holds |
//! | --- | --- |
//! | `vocabulary` | predicates, their identity and their terms; shared, local, mixed |
//! | `quantified` | those between threads |
//! | `abstractor` | who abstracts: what all abstractions of a run have in common |
//! | `step` | what a step does to predicates |
//! | `plan` | what has to be asked for a step, and the step that the answers make |
//! | `between` | the same for predicates between threads, and what no two threads can have together |
//! | `strengthen` | the operator F: results by weakest precondition, searches on all cores |
//! | `search` | one search for prime cubes |
//! | `given_up` | what was left out since the solver would have had to work too much |
//! | `facts` | what searches have learned for later ones |
//! | `recorded` | cubes that a module keeps: of one abstraction, for another |
//! | `exclusion` | what refinement learns of single steps |
//! | `standing` | what is known wherever some thread stands |
//! | `program` | the Boolean broadcast program of a whole automaton |
//! | `naive` | the unsound scheme that executes the Boolean program with store buffers |
//! | `certified` | which labels stand for which places, for certificates |
//! | `origin` | what statements were made from, and traces as edges |
//! | `oblivious` | the same without symmetry: the program expanded over its threads |

mod abstractor;
pub(crate) mod between;
mod certified;
pub(crate) mod exclusion;
mod facts;
mod given_up;
mod naive;
mod oblivious;
mod origin;
mod plan;
mod program;
pub(crate) mod quantified;
mod recorded;
mod search;
pub(crate) mod standing;
pub(crate) mod step;
mod strengthen;
#[cfg(test)]
mod strengthen_tests;
pub(crate) mod vocabulary;

pub use abstractor::Abstractor;
pub(crate) use abstractor::StepKey;
pub use given_up::GivenUp;
pub use origin::{Origin, Origins, TraceEdge};
pub(crate) use plan::Code;
pub use program::{Abstraction, Stored};
pub use quantified::{LeafSet, Quantified, Side};
pub use strengthen::Strengthener;
pub use vocabulary::{Class, PredicateId, Predicates, Tracked};

use sapa_ir::goto::MemoryModel;

/// How mixed predicates are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Tracked in local variables, with broadcasts (SAPA section 2.2): sound.
    #[default]
    SymmetryAware,
    /// Tracked in local variables, without broadcasts: the paper's first unsound baseline (section 1.1).
    MixedAsLocal,
    /// Tracked in shared variables: the paper's second unsound baseline.
    MixedAsShared,
    /// As `MixedAsLocal`, and stores wait as new values of the shared predicates that they change: the
    /// unsound scheme of CUPEX section 2.2 (Dan, Meshman, Vechev, Yahav, SAS 2013).
    Naive {
        /// Whose buffers: those of TSO or PSO.
        memory: MemoryModel,
    },
    /// The program is expanded over N threads besides the initial one, and all predicates
    /// that are not shared with it: sound and costly (SAPA section 1.1 and section 5, SOPA).
    SymmetryOblivious {
        /// How many.
        threads: u32,
    },
}

impl Mode {
    /// Whether what the abstraction proves holds.
    #[must_use]
    pub fn is_sound(self) -> bool {
        !matches!(self, Self::MixedAsLocal | Self::MixedAsShared | Self::Naive { .. })
    }

    /// What is to be said of a result by a mode that is not sound.
    #[must_use]
    pub fn warning(self) -> Option<&'static str> {
        match self {
            Self::SymmetryAware | Self::SymmetryOblivious { .. } => None,
            Self::MixedAsLocal | Self::MixedAsShared => {
                Some("by an unsound abstraction (a baseline of the SAPA paper)")
            }
            Self::Naive { .. } => Some(
                "by an unsound abstraction (the naive scheme of the CUPEX paper, which misses \
                 failures)",
            ),
        }
    }

    /// For how many threads besides the initial one the abstraction is made, if for a fixed number.
    #[must_use]
    pub fn expanded(self) -> Option<u32> {
        match self {
            Self::SymmetryOblivious { threads } => Some(threads),
            _ => None,
        }
    }

    /// The same for another number of threads, where that matters.
    #[must_use]
    pub fn with_threads(self, threads: u32) -> Self {
        match self {
            Self::SymmetryOblivious { .. } => Self::SymmetryOblivious { threads },
            mode => mode,
        }
    }
}

/// The cubes that the abstraction may read. With fewer it is coarser, and as sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cubes {
    /// All that are short enough.
    #[default]
    All,
    /// Single predicates and the cubes of the module (CUPEX section 4.3 and Fig. 6 (b): Dan, Meshman,
    /// Vechev, Yahav, SAS 2013), of any length.
    Recorded,
}

/// Settings of the abstraction.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Treatment of mixed predicates.
    pub mode: Mode,
    /// Which cubes are tried.
    pub cubes: Cubes,
    /// Most literals of a cube, if all are tried.
    pub max_cube_length: usize,
    /// Whether new threads are given what is known of their arguments. Who re-checks a certificate takes these for any.
    pub arguments: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { mode: Mode::default(), cubes: Cubes::default(), max_cube_length: 3, arguments: true }
    }
}
