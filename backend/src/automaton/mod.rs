//! Threads as automata: what the abstraction, the simulation and the
//! refinement have in common.
//!
//! Each thread function (after inlining) becomes a [`Root`]: control nodes and
//! edges. An edge is one step of a thread: everything from one interleaving
//! point up to the next, summed up as guards and simultaneous updates over the
//! state before it. The abstraction turns each edge into one statement of the
//! Boolean program; the simulation executes the edges of a trace on terms; the
//! refinement computes weakest preconditions by substituting the updates.
//!
//! | file | holds |
//! | --- | --- |
//! | [`leaf`] | the variables that terms are over |
//! | [`memory`] | objects and cells |
//! | [`value`] | operations of the IR as terms; pure values as expressions over leaves |
//! | [`path`] | the instructions that an edge executes |
//! | [`step`] | guards and updates of an edge, built instruction by instruction |
//! | [`access`] | loads and stores on a step |
//! | [`build`] | functions to automata |
//! | `thread` | what is known of a thread function while that is done |
//! | `interleaving` | where a thread may be interrupted |
//! | [`compress`] | composing edges over nodes where no other thread can act |
//! | `facts` | what is known to hold where threads stand |
//! | [`binding`] | which definition of a source variable reaches a place |
//! | [`live`] | which of a thread's leaves it may yet read |
//! | [`tried`] | numbers that threads try before they are theirs |

pub mod access;
pub mod binding;
#[cfg(test)]
mod binding_tests;
pub mod build;
pub mod compress;
mod facts;
mod fences;
mod interleaving;
pub mod leaf;
pub mod live;
pub mod memory;
pub mod path;
mod pieces;
pub mod step;
mod thread;
pub mod tried;
pub mod value;

use rustc_hash::FxHashSet;
use sapa_ir::goto::{Entity, FunctionId, Location};
use sapa_limits::Exceeded;
use sapa_passes::analysis::points_to::{Escape, PointsTo};
use thiserror::Error;

use crate::index::typed_index;
use crate::solver::TermId;

pub use binding::{Bindings, SourceVariables};
pub use leaf::{Instance, Leaf, Symbols};
pub use memory::{CellId, Memory, ObjectId, Scope};
pub use path::Path;
pub use step::{Guard, Step};

/// Where threads may be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruptions {
    /// Before each access to what threads share.
    Everywhere,
    /// Not before what commutes with all that others can do meanwhile ([`Movers`](sapa_passes::transform::invariants::Movers)),
    /// so that a critical section is one step, mostly.
    WhereSeen,
}

/// A control node of a root; indexes [`Root::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

typed_index!(NodeId);

/// An edge of the automaton; indexes [`Automaton::edges`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(pub u32);

typed_index!(EdgeId);

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeTarget {
    /// On to a node of the same root.
    Node(NodeId),
    /// The thread ends.
    EndThread,
    /// The whole program ends.
    Halt,
    /// A failed assertion; indexes [`Automaton::properties`].
    Error(u32),
}

/// What an edge does besides its updates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Starts a thread that runs the root of this index. Arguments are terms
    /// over the state before the edge.
    Spawn {
        /// Index into [`Automaton::roots`].
        root: usize,
        /// One term per parameter.
        arguments: Vec<TermId>,
        /// The input that stands for the handle.
        handle: Option<u32>,
        /// Where in the source it is started.
        location: Location,
    },
    /// Waits for the end of the thread with this handle.
    Join {
        /// The handle.
        handle: TermId,
        /// Where in the source it waits.
        location: Location,
    },
}

/// One step of a thread.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Index of its root.
    pub root: usize,
    /// Where it starts.
    pub from: NodeId,
    /// Where it leads.
    pub to: EdgeTarget,
    /// Guards and updates.
    pub step: Step,
    /// What it does besides updating variables: starts a thread, for example.
    pub effect: Option<Effect>,
    /// The instructions it executes.
    pub path: Path,
}

/// A control node.
#[derive(Clone, Debug)]
pub struct Node {
    /// The instruction that comes next.
    pub position: binding::Position,
    /// Whether other threads may act here. (Inside atomic sections and
    /// between invisible steps they may not.)
    pub preemptible: bool,
    /// Edges that start here.
    pub edges: Vec<EdgeId>,
    /// What holds of the thread's state whenever a thread is here.
    pub facts: Vec<TermId>,
}

/// The automaton of a thread function.
#[derive(Clone, Debug)]
pub struct Root {
    /// The function.
    pub function: FunctionId,
    /// Its name.
    pub name: String,
    /// Nodes; the thread starts at node 0.
    pub nodes: Vec<Node>,
    /// Whether at most one thread ever runs it (the entry function, if nobody spawns it).
    pub single: bool,
    /// Parameters of the function as leaves.
    pub parameters: Vec<(Leaf, u16)>,
    /// What its source variables equal.
    pub variables: SourceVariables,
}

/// An assertion of the source.
#[derive(Clone, Debug)]
pub struct Property {
    /// What is claimed.
    pub text: String,
    /// The place of the assertion in the source.
    pub location: Location,
}

/// A choice of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Width in bits.
    pub bits: u16,
    /// If it is the value of a scalar of memory that is made arbitrary: how many bytes from its start
    /// on that is.
    pub offset: Option<u64>,
}

/// A whole program.
#[derive(Debug)]
pub struct Automaton {
    /// Thread functions; 0 is the initial thread's.
    pub roots: Vec<Root>,
    /// All edges.
    pub edges: Vec<Edge>,
    /// Memory layout.
    pub memory: Memory,
    /// What the module's pointers may point to.
    pub points_to: PointsTo,
    /// The assertions of the module, in the order in which edges that fail them are numbered.
    pub properties: Vec<Property>,
    /// The inputs of all steps, by their number.
    pub inputs: Vec<Input>,
    /// Values that count the rounds of loops of known but many rounds.
    pub counters: FxHashSet<Leaf>,
    /// Assumptions that reach the verdict, such as "assuming valid pointers".
    pub notes: Vec<String>,
}

impl Automaton {
    /// The edge of this id.
    ///
    /// # Panics
    /// If there is no such edge.
    #[must_use]
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.index()]
    }

    /// The input of this number; one of a single bit if there is none.
    #[must_use]
    pub fn input(&self, number: u32) -> Input {
        self.inputs.get(number as usize).copied().unwrap_or(Input { bits: 1, offset: None })
    }

    /// Whether an assertion may fail, as far as the edges say.
    #[must_use]
    pub fn may_fail(&self) -> bool {
        let mut edges = self.roots.iter().flat_map(|root| &root.nodes).flat_map(|node| &node.edges);
        edges.any(|edge| matches!(self.edge(*edge).to, EdgeTarget::Error(_)))
    }

    /// Looks for failures of an assertion no longer: nothing is said of it. `property` is its
    /// index.
    pub fn ignore(&mut self, property: u32) {
        let edges = &self.edges;
        for node in self.roots.iter_mut().flat_map(|root| &mut root.nodes) {
            node.edges.retain(|edge| {
                edges.get(edge.index()).is_none_or(|e| e.to != EdgeTarget::Error(property))
            });
        }
    }

    /// What holds before an edge, whatever its thread and others have done.
    ///
    /// # Panics
    /// If there is no such edge.
    #[must_use]
    pub fn facts(&self, id: EdgeId) -> &[TermId] {
        let edge = self.edge(id);
        &self.roots[edge.root].nodes[edge.from.index()].facts
    }

    /// A term with the source variables of the active thread replaced by what they equal at a node.
    ///
    /// # Panics
    /// If there is no such root or node.
    pub fn resolve(
        &self,
        symbols: &mut Symbols,
        (root, node): (usize, NodeId),
        term: TermId,
    ) -> TermId {
        let root = &self.roots[root];
        root.variables.resolve(symbols, root.nodes[node.index()].position, term)
    }

    /// A term with SSA values of the active thread replaced by source variables that equal them at
    /// a node, so that it has a meaning at other nodes too.
    ///
    /// # Panics
    /// If there is no such root or node.
    pub fn name(
        &self,
        symbols: &mut Symbols,
        (root, node): (usize, NodeId),
        term: TermId,
    ) -> TermId {
        let root = &self.roots[root];
        root.variables.name(symbols, root.nodes[node.index()].position, term)
    }
}

/// Why a module cannot be turned into automata.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum AutomatonError {
    /// The run has to end.
    #[error("{0}")]
    Exceeded(#[from] Exceeded),
    /// The module has no entry function.
    #[error("the module has no entry function")]
    NoEntry,
    /// A construct that is not modelled here.
    #[error("{what} is not modelled")]
    Unsupported {
        /// The instruction.
        entity: Entity,
        /// Where in the source it comes from.
        location: Location,
        /// The construct.
        what: String,
    },
    /// An object whose size the addresses have no room for.
    #[error("object `{object}` is too large for the model of memory; make it smaller")]
    NoRoom {
        /// The object.
        entity: Entity,
        /// Where in the source it comes from.
        location: Location,
        /// Its name.
        object: String,
    },
    /// A pointer to an object that each thread has of its own reaches another thread (SAPA
    /// section 3).
    #[error("{} (SAPA section 3 excludes this)", .0.text)]
    Escape(Escape),
}

impl AutomatonError {
    /// What in the module it is about, and where in the source that comes from.
    #[must_use]
    pub fn place(&self) -> Option<(Entity, Location)> {
        match self {
            Self::Exceeded(_) => None,
            Self::NoEntry => Some((Entity::Module, Location::default())),
            Self::Unsupported { entity, location, .. }
            | Self::NoRoom { entity, location, .. }
            | Self::Escape(Escape { entity, location, .. }) => Some((*entity, *location)),
        }
    }
}
