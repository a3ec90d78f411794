//! The fixed point of thread-visible states (BOPPO Fig. 3 and Definition 8) over BDDs, for
//! unboundedly many threads.
//!
//! # What there is
//! A [`Node`] for each location and each kind of thing that is known there; its states are one
//! BDD.
//! * A [`Place`]: thread states, over the shared variables and the thread's own. Those from before
//!   the first `start_thread` are kept apart (Remark 1), and so are those of a thread inside its
//!   atomic section.
//! * A [`Company`]: a thread inside its atomic section with one that waits for it. Who waits can
//!   be anywhere, so it is not looked at who it is: what is kept is a relation between the values
//!   when the section began, of what the section writes, and the values now, with the locals of
//!   the thread inside. Only of locals that broadcasts in the section write there are two copies
//!   for the passive thread. Where a section ends, this is a change of shared variables like that
//!   of a single step. A thread that was started within the section was not there when it began:
//!   of it all locals are kept.
//!
//! Beside the nodes there are [`Changes`](change::Changes): what steps and sections do to others,
//! which is all that case 2 of the definition needs to know of who acts.
//!
//! Which locks a thread holds are variables of its own ([`Held`](super::held::Held)); condition (2d) is
//! part of the changes, as it reads those of both threads.
//!
//! # How it goes
//! [`variables`] has the variables and relations, [`search`] the iteration, [`change`] what threads
//! do to each other, [`visible`] the reduction. All of it stays there when the search has ended:
//! the fixed point is the `states` of the nodes, and each node has its history, from which [`run`]
//! makes a run for a failing state.
//!
//! # Why it is right
//! By induction over runs, as in `coverability/thread_states.rs`, whose fixed point this is, with
//! sets for lists: the state of the thread inside an atomic section, or of every thread if none is
//! inside, is in the set of its place. And for every other thread, the relation of its company
//! holds between its state when the section began and its state now. That a location is not closed
//! under a change is right where the change writes nothing on which the states there depend: the
//! states after are among those before.

pub(crate) mod change;
pub(crate) mod run;
pub(crate) mod search;
#[cfg(test)]
mod tests;
pub(crate) mod variables;
mod visible;

use sapa_bdd::{Bdd, BddManager};
use sapa_ir::boolean::flat::LocationId;

/// Which threads: inside an atomic section or not, and whether a thread was started yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    /// Inside its atomic section.
    pub(crate) inside: bool,
    /// There may be other threads.
    pub(crate) started: bool,
}

/// Who waits for a thread inside its atomic section.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Company {
    /// Any thread that was there when the section began, at this location.
    Any {
        /// Location of the `atomic_begin`.
        section: LocationId,
    },
    /// A thread that was started within the section.
    Child {
        /// Where it stands.
        at: LocationId,
    },
}

/// What the states of a node are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    /// Thread states.
    Thread(Place),
    /// States of a thread inside its atomic section, and of another that waits for it.
    Company(Company),
}

/// How states came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// The program begins there.
    Initial,
    /// By a step of the thread that is there.
    Step {
        /// The node of the states before.
        from: usize,
    },
    /// The thread was started.
    Born {
        /// The node of who started it.
        from: usize,
    },
    /// The section ended within which the thread was started.
    Released {
        /// The node of it with the thread inside.
        from: usize,
    },
    /// By a change that another thread makes.
    Disturbed {
        /// Index of the changes.
        change: usize,
    },
}

/// States were added to a node.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// When: each event has a time of its own, and its states come from what was there before.
    pub(crate) time: u32,
    /// All states of the node after it.
    pub(crate) states: Bdd,
    /// How the new ones came to be.
    pub(crate) cause: Cause,
}

/// What is known of a location.
#[derive(Debug)]
pub(crate) struct Node {
    /// Where the thread stands that moves.
    pub(crate) location: LocationId,
    /// What the states are.
    pub(crate) kind: Kind,
    /// The states: over the shared variables and the locals of the active slot; for companies also
    /// over the passive slot and the values when the section began.
    pub(crate) states: Bdd,
    /// How they came, in order.
    pub(crate) events: Vec<Event>,
    /// Those that have taken their steps.
    stepped: Bdd,
    /// Those that were told of all changes, of which there were `applied` then.
    closed: Bdd,
    applied: usize,
}

impl Node {
    fn new(location: LocationId, kind: Kind, manager: &BddManager) -> Node {
        let none = manager.bottom();
        Node {
            location,
            kind,
            states: none.clone(),
            events: Vec::new(),
            stepped: none.clone(),
            closed: none,
            applied: 0,
        }
    }

    /// Whether other threads may act.
    fn is_disturbed(&self) -> bool {
        self.kind == Kind::Thread(Place { inside: false, started: true })
    }
}
