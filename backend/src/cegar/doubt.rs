//! A failure that an over-approximation cannot exclude, while it is looked for in runs with few
//! threads: one that is found is a trace to refine with, as those of exact engines are.

use super::attempt::{few, grow};
use super::reason::{Reason, Search, Suspected};
use crate::abstraction::{Origin, Origins};
use crate::automaton::{Automaton, EdgeTarget};
use crate::check::symbolic::counter;
use crate::check::{Engine, Suspect, ThreadBound, UnknownReason, explicit};
use crate::execution::Place;
use sapa_ir::boolean::flat::FlatProgram;
use sapa_ir::goto::Module;

/// The most threads besides the initial one with which runs are looked for.
const MOST_THREADS: u32 = 6;

/// A failure that may be one of the over-approximation only.
pub(super) struct Doubt {
    /// Which.
    what: Suspected,
    /// With which engine it is looked for now, and with how many threads.
    pub(super) engine: &'static Engine,
    pub(super) threads: ThreadBound,
    /// With how many at most.
    most: ThreadBound,
    /// How much work is left for it.
    pub(super) work: u64,
}

impl Doubt {
    /// Begins to look for a failure; `all` are the threads that were asked for.
    pub(super) fn new(what: Suspected, all: ThreadBound, work: u64) -> Self {
        let most = all.limit().map_or(MOST_THREADS, |all| all.min(MOST_THREADS));
        let most = ThreadBound::Bounded(most);
        Self { what, engine: &explicit::ENGINE, threads: few(most), most, work }
    }

    /// Goes on with more threads; `false` if these are the most.
    pub(super) fn grow(&mut self) -> bool {
        grow(&mut self.threads, self.most)
    }

    /// Goes on with another engine, if there is one.
    pub(super) fn change_engine(&mut self) -> bool {
        // Freely chosen values are many states to the one and nothing to the other.
        std::mem::replace(&mut self.engine, &counter::ENGINE) == &explicit::ENGINE
    }

    /// Why there is no answer in a round where no run was found.
    pub(super) fn without_run(self, round: usize) -> Reason {
        let search = self.threads.limit().map_or(Search::None, Search::UpTo);
        Reason::NotExcluded { round, what: self.what, search }
    }

    /// The same where the search for a run had no answer.
    pub(super) fn cut_off(self, round: usize, reason: UnknownReason) -> Reason {
        Reason::NotExcluded { round, what: self.what, search: Search::CutOff(reason) }
    }
}

/// What an over-approximation cannot exclude, in words of the source.
pub(super) fn suspected(
    suspect: Suspect,
    (program, origins): (&FlatProgram, &Origins),
    automaton: &Automaton,
    module: &Module,
) -> Suspected {
    let location = suspect.threads.first().map(|thread| program.location(thread.location));
    let origin = location.and_then(|location| location.origin).map(|id| origins.of(id));
    let property = match origin {
        Some(Origin::Error(edge)) => match automaton.edge(edge).to {
            EdgeTarget::Error(property) => automaton.properties.get(property as usize),
            _ => None,
        },
        _ => None,
    };
    match property {
        Some(property) => Suspected::Assertion {
            text: property.text.clone(),
            at: Place::new(module, property.location),
        },
        None => Suspected::State(suspect),
    }
}
