//! What sets of states depend on, and which of two equal descriptions is the smaller BDD.

use rustc_hash::FxHashSet;
use sapa_bdd::{Bdd, Var};

/// Larger sets are not gone through node by node, which no limit would end.
pub(crate) const LARGE: usize = 1 << 18;

/// The variables that a set depends on; `None` if perhaps on all.
pub(crate) struct Depends(Option<FxHashSet<Var>>);

impl Depends {
    pub(crate) fn on(set: &Bdd) -> Depends {
        let is_small = set.size_within(LARGE).is_some();
        Depends(is_small.then(|| set.support().into_iter().collect()))
    }

    /// Whether on none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.as_ref().is_some_and(FxHashSet::is_empty)
    }

    /// Whether it depends on one of these.
    pub(crate) fn contain_one_of(&self, variables: &[Var]) -> bool {
        match &self.0 {
            Some(all) => variables.iter().any(|v| all.contains(v)),
            None => true,
        }
    }
}

/// The new ones among all states of a node, or all, if these take fewer nodes: looking at known
/// ones again is no mistake.
pub(crate) fn smaller(new: Bdd, all: &Bdd) -> Bdd {
    match all.size_within(LARGE) {
        Some(nodes) if new.size_within(nodes).is_none_or(|new| new == nodes) => all.clone(),
        _ => new,
    }
}
