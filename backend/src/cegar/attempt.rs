//! Ways through the refinement that take turns.

use super::reason::Reason;
use super::report::Options;
use crate::abstraction::PredicateId;
use crate::check::ThreadBound;

/// One way through the refinement. Two take turns: which predicates are the right ones to
/// generalise a spurious trace cannot be known, and either choice can lead astray.
pub(super) struct Attempt {
    pub(super) vocabulary: Vec<PredicateId>,
    /// With how many threads the next Boolean program is checked first.
    pub(super) threads: ThreadBound,
    pub(super) max_cube_length: usize,
    /// Rounds so far.
    pub(super) rounds: usize,
    /// Whether values are preferred to templates.
    pub(super) values_first: bool,
    /// How often runs that an over-approximation of the Boolean program has, and it has not, may
    /// still be refined with.
    pub(super) suspects: u32,
    /// Why it cannot go on.
    pub(super) stuck: Option<Reason>,
}

impl Attempt {
    /// Whether the next round of both is the same.
    pub(super) fn is_as_far_as(&self, other: &Self) -> bool {
        self.max_cube_length == other.max_cube_length
            && self.suspects == other.suspects
            && self.vocabulary.len() == other.vocabulary.len()
            && self.vocabulary.iter().all(|id| other.vocabulary.contains(id))
    }
}

/// How often in a row predicates are added of which nothing says that they help: those of runs that
/// the Boolean program does not have.
pub(super) const MOST_SUSPECTS: u32 = 6;

/// Goes on with more threads; `false` if these are all.
pub(super) fn grow(threads: &mut ThreadBound, all: ThreadBound) -> bool {
    match (threads, all) {
        (ThreadBound::Bounded(few), ThreadBound::Bounded(all)) if *few < all => {
            *few = (*few + *few / 4 + 1).min(all);
            true
        }
        _ => false,
    }
}

/// Up to this number of threads a program is explored; with more, proofs for any number are tried first.
const FEW_TO_EXPLORE: u32 = 4;

/// With how many threads a loop begins.
pub(super) fn first_threads(options: &Options, any_number: bool) -> ThreadBound {
    match options.threads {
        ThreadBound::Bounded(all) if any_number && all > FEW_TO_EXPLORE => ThreadBound::Unbounded,
        threads => few(threads),
    }
}

/// A first number of threads for exploration.
pub(super) fn few(threads: ThreadBound) -> ThreadBound {
    match threads {
        ThreadBound::Bounded(all) => ThreadBound::Bounded(all.min(2)),
        ThreadBound::Unbounded => ThreadBound::Unbounded,
    }
}
