//! Predicates between threads: their parts, and what is stored of them.
//!
//! `worker::mine != [worker::mine]` *holds of* a thread in which its variables are live if it holds with
//! every other thread in which the variables in brackets are. It is stored in a Boolean of that thread.
//! `[worker::mine] < next`, which reads no locals of its own thread, holds if it holds of every thread
//! in which the variables are live; it is stored in a shared Boolean.
//!
//! A Boolean that is 1 says that its predicate holds, one that is 0 says nothing: to find out
//! that it does *not* hold, a step would have to read all other threads. So 0 is only ever the coarser
//! value, and nothing is concluded from it. It is also what a thread has in which the variables are dead.
//!
//! Live variables are those that the thread may yet read ([`Live`]); a number that it tries before it draws it counts as one
//! from there on ([`tried`](crate::automaton::tried)). Whether some are is a function of
//! where the thread stands, and stored beside: a thread that acts on others does not see where they
//! stand.

use rustc_hash::FxHashMap;

use super::vocabulary::{PredicateId, function_of, is_shared};
use crate::automaton::leaf::{Instance, Leaf, Symbols};
use crate::automaton::live::Live;
use crate::automaton::{Automaton, NodeId};
use crate::solver::TermId;

/// The locals of a thread that a predicate between threads reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The root whose threads have them; `None` if all threads do.
    pub root: Option<usize>,
    /// Which leaves they are.
    pub leaves: LeafSet,
}

impl Side {
    /// Whether threads of a root have these locals.
    #[must_use]
    pub fn is_of(self, root: usize) -> bool {
        self.root.is_none_or(|of| of == root)
    }
}

/// A set of leaves, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeafSet(pub u32);

impl LeafSet {
    /// What stands for "all of them are live here" where predicates are told apart. It is none of a
    /// vocabulary.
    #[must_use]
    pub fn is_live(self) -> PredicateId {
        PredicateId(u32::MAX - self.0)
    }

    /// The same as a term, of some thread.
    pub fn term(self, symbols: &mut Symbols, of: Instance) -> TermId {
        symbols.variable(Leaf::Live(self.0), of, 1)
    }
}

/// A predicate that speaks of every other thread, or of every thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantified {
    /// Which one.
    pub id: PredicateId,
    /// Over the active thread's leaves and a passive one's; source variables as leaves of their own.
    pub term: TermId,
    /// What it reads of the thread that it holds of; `None` if it is of all threads.
    pub own: Option<Side>,
    /// What it reads of the others.
    pub other: Side,
}

impl Quantified {
    /// Whether its Boolean variable is shared.
    #[must_use]
    pub fn is_stored_shared(&self) -> bool {
        self.own.is_none()
    }

    /// Whether threads of a root have its variable, and it may say something of them.
    #[must_use]
    pub fn is_visible(&self, root: usize) -> bool {
        self.own.is_none_or(|own| own.is_of(root))
    }

    /// Its sides.
    pub fn sides(&self) -> impl Iterator<Item = Side> {
        self.own.into_iter().chain([self.other])
    }
}

/// The sets of leaves that predicates between threads read, and where all of a set are live.
#[derive(Debug, Default)]
pub(super) struct LeafSets {
    live: Option<Live>,
    numbers: FxHashMap<Vec<Leaf>, LeafSet>,
    /// By number: the nodes of each root where all of them are live.
    nodes: Vec<Vec<Vec<bool>>>,
}

impl LeafSets {
    /// The number of a set, of leaves that threads of `root` have.
    fn number(
        &mut self,
        symbols: &mut Symbols,
        automaton: &Automaton,
        root: Option<usize>,
        mut leaves: Vec<Leaf>,
    ) -> LeafSet {
        leaves.sort_unstable();
        leaves.dedup();
        if let Some(&known) = self.numbers.get(&leaves) {
            return known;
        }
        let live = self.live.get_or_insert_with(|| Live::new(symbols, automaton));
        let mut of_root = |at: usize| {
            let is_there = root.is_none_or(|root| root == at);
            let mut all = vec![is_there; automaton.roots[at].nodes.len()];
            for &leaf in leaves.iter().filter(|_| is_there) {
                let counts = live.counts(symbols, automaton, at, leaf);
                all.iter_mut().zip(counts).for_each(|(all, counts)| *all &= counts);
            }
            all
        };
        let set = LeafSet(u32::try_from(self.nodes.len()).expect("sets fit in memory"));
        self.nodes.push((0..automaton.roots.len()).map(&mut of_root).collect());
        self.numbers.insert(leaves, set);
        set
    }

    /// Whether all leaves of a side are live in a thread that stands there.
    ///
    /// # Panics
    /// If there is no such root or node.
    pub(super) fn are_live(&self, side: Side, (root, node): (usize, NodeId)) -> bool {
        self.nodes[side.leaves.0 as usize][root][node.index()]
    }

    /// A predicate between threads; `None` if no threads can evaluate it.
    pub(super) fn quantified(
        &mut self,
        symbols: &mut Symbols,
        automaton: &Automaton,
        (id, term): (PredicateId, TermId),
    ) -> Option<Quantified> {
        let (mut own, mut other) = (Vec::new(), Vec::new());
        for (leaf, of) in symbols.leaves_of(term) {
            match of {
                Instance::Passive => other.push(leaf),
                Instance::Active if is_shared(automaton, leaf) => {}
                Instance::Active => own.push(leaf),
                Instance::Third | Instance::New | Instance::Thread(_) => return None,
            }
        }
        let mut side = |leaves: Vec<Leaf>| {
            let mut functions = leaves.iter().filter_map(|&leaf| function_of(automaton, leaf));
            let root = match functions.next() {
                Some(function) if functions.all(|other| other == function) => {
                    let mut roots = automaton.roots.iter();
                    Some(roots.position(|root| root.function == function)?)
                }
                Some(_) => return None,
                None => None,
            };
            let leaves = self.number(symbols, automaton, root, leaves);
            Some(Side { root, leaves })
        };
        let other = side(other)?;
        let own = if own.is_empty() { None } else { Some(side(own)?) };
        Some(Quantified { id, term, own, other })
    }
}

/// Whether a term reads a passive thread's leaves, so that a predicate of it is one between threads.
#[must_use]
pub fn is_between(symbols: &Symbols, term: TermId) -> bool {
    let variables = symbols.store.variables(term);
    let is_passive = |v| matches!(symbols.leaf(v), Some((_, Instance::Passive)));
    variables.into_iter().any(is_passive)
}
