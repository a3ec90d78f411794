//! The unsound scheme of CUPEX section 2.2 (Dan, Meshman, Vechev, Yahav, SAS 2013): the Boolean program of
//! sequential consistency, executed under a memory model with store buffers.
//!
//! A thread has a buffer for each shared predicate: its store to `x` waits as new values of the predicates over
//! `x`, and when it reaches memory they do. A predicate over `x` and `y` then says what its thread saw of
//! the other variable when it stored, which need not be so in memory any more: that is what makes it
//! unsound (Fig. 3 and 4). It is here to show that; the passes `tso` and `pso` are the sound way.
//!
//! As in the paper threads exist from the beginning, and nobody else's local predicates change with
//! memory. Room is for one store of a thread and a variable (PSO), or of a thread (TSO): one more
//! waits for room.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use sapa_ir::boolean::ast::{self, Expression, Statement, Target};
use sapa_ir::goto::{GlobalId, MemoryModel, Module};
use sapa_passes::error::PassError;
use sapa_passes::transform::store_buffers::{Buffering, buffering};

use super::vocabulary::{Class, PredicateId, Tracked};
use crate::automaton::leaf::{Leaf, Symbols};
use crate::automaton::memory::Origin;
use crate::automaton::{Automaton, EdgeId, EdgeTarget};

/// What an edge does to the buffer of its thread.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeBuffering {
    /// The variables whose new values wait.
    pub(super) waits: BTreeSet<GlobalId>,
    /// Whether nothing may wait before it.
    pub(super) drains_before: bool,
    /// Whether the thread goes on behind it when nothing waits.
    pub(super) drains_after: bool,
}

/// A shared predicate over variables whose stores may wait.
struct Buffered {
    /// The name of its Boolean variable.
    name: String,
    /// The variables.
    over: BTreeSet<GlobalId>,
}

/// What the scheme adds to a Boolean program.
pub(super) struct Naive {
    model: MemoryModel,
    edges: FxHashMap<EdgeId, EdgeBuffering>,
    predicates: BTreeMap<PredicateId, Buffered>,
    /// All variables whose stores may wait.
    variables: BTreeSet<GlobalId>,
}

impl Naive {
    /// For a program and its predicates, with their places in the vocabulary.
    ///
    /// # Errors
    /// If the passes of the model could not treat the module.
    pub(super) fn new(
        symbols: &Symbols,
        (module, automaton): (&Module, &Automaton),
        predicates: &[(usize, Tracked)],
        model: MemoryModel,
    ) -> Result<Self, PassError> {
        let buffering = buffering(module, &automaton.points_to, model)?;
        let mut edges = FxHashMap::default();
        let mut variables = BTreeSet::new();
        for (id, edge) in (0..).map(EdgeId).zip(&automaton.edges) {
            let function = automaton.roots[edge.root].function;
            let mut found = EdgeBuffering {
                drains_before: edge.to == EdgeTarget::EndThread,
                ..EdgeBuffering::default()
            };
            for (block, index) in edge.path.iter() {
                match buffering.get(&(function, block, index)) {
                    Some(Buffering::Waits(globals)) => found.waits.extend(globals),
                    Some(Buffering::Drains) if found.waits.is_empty() => found.drains_before = true,
                    Some(Buffering::Drains) => found.drains_after = true,
                    None => {}
                }
            }
            // A thread has ended when nothing waits any more.
            found.drains_after |=
                found.drains_before && !found.waits.is_empty() && edge.to == EdgeTarget::EndThread;
            variables.extend(&found.waits);
            edges.insert(id, found);
        }
        let mut of = BTreeMap::new();
        for (place, tracked) in predicates.iter().filter(|(_, t)| t.class == Class::Shared) {
            let global = |(leaf, _): (Leaf, _)| match leaf {
                Leaf::Cell(cell) => match automaton.memory.object_of(cell).origin {
                    Origin::Global(id) => Some(id).filter(|id| variables.contains(id)),
                    Origin::Slot(..) => None,
                },
                _ => None,
            };
            let over: BTreeSet<GlobalId> =
                symbols.leaves_of(tracked.term).into_iter().filter_map(global).collect();
            if !over.is_empty() {
                of.insert(tracked.id, Buffered { name: format!("b{place}"), over });
            }
        }
        Ok(Self { model, edges, predicates: of, variables })
    }

    pub(super) fn edge(&self, id: EdgeId) -> EdgeBuffering {
        self.edges.get(&id).cloned().unwrap_or_default()
    }

    /// The variables for buffers: which stores wait, and the values of predicates that do.
    pub(super) fn declared(&self) -> Vec<ast::Variable> {
        let flags = self.variables.iter().map(|&variable| flag(variable));
        let values = self.predicates.values().map(|buffered| waiting(&buffered.name));
        flags.chain(values).map(|name| ast::Variable::new(name).thread_local()).collect()
    }

    /// A thread starts with nothing that waits.
    pub(super) fn empty(&self) -> Vec<(Target, Expression)> {
        let no =
            |&variable: &GlobalId| (Target::variable(flag(variable)), Expression::Constant(false));
        self.variables.iter().map(no).collect()
    }

    /// The value of a predicate that its thread sees.
    pub(super) fn seen(&self, predicate: PredicateId, name: String) -> Expression {
        match self.predicates.get(&predicate) {
            Some(of) => {
                let waits = Expression::or(of.over.iter().map(|&v| Expression::variable(flag(v))));
                let value = Expression::variable(waiting(&name));
                Expression::conditional(waits, value, Expression::variable(name))
            }
            None => Expression::variable(name),
        }
    }

    /// The variable that a step with these waiting stores writes in place of a predicate's.
    pub(super) fn written(
        &self,
        predicate: PredicateId,
        name: String,
        edge: &EdgeBuffering,
    ) -> String {
        let of = self.predicates.get(&predicate);
        let waits = of.is_some_and(|of| !of.over.is_disjoint(&edge.waits));
        if waits { waiting(&name) } else { name }
    }

    /// What a step does besides: its stores wait, and so do the predicates over what they are to that
    /// keep their values. `assigned` says of which that is not so.
    pub(super) fn also(
        &self,
        edge: &EdgeBuffering,
        assigned: impl Fn(PredicateId) -> bool,
    ) -> Vec<(Target, Expression)> {
        let flags = edge.waits.iter();
        let flags = flags.map(|&v| (Target::variable(flag(v)), Expression::Constant(true)));
        let kept = self
            .predicates
            .iter()
            .filter(|&(&id, of)| !of.over.is_disjoint(&edge.waits) && !assigned(id));
        let kept = kept
            .map(|(&id, of)| (Target::variable(waiting(&of.name)), self.seen(id, of.name.clone())));
        flags.chain(kept).collect()
    }

    /// What has to hold before a step.
    pub(super) fn required(&self, edge: &EdgeBuffering) -> Vec<Expression> {
        let is_one = self.model == MemoryModel::Tso && !edge.waits.is_empty();
        if edge.drains_before || is_one {
            self.nothing_waits()
        } else {
            edge.waits.iter().map(|&v| Expression::not(Expression::variable(flag(v)))).collect()
        }
    }

    pub(super) fn nothing_waits(&self) -> Vec<Expression> {
        let variables = self.variables.iter();
        variables.map(|&v| Expression::not(Expression::variable(flag(v)))).collect()
    }

    /// For each variable a step in which the store to it that waits reaches memory.
    pub(super) fn flushes(&self) -> Vec<Statement> {
        let flush = |&variable: &GlobalId| {
            let over = self.predicates.values().filter(|of| of.over.contains(&variable));
            let reach = over.map(|of| {
                let value = Expression::variable(waiting(&of.name));
                (Target::variable(of.name.clone()), value)
            });
            let done = (Target::variable(flag(variable)), Expression::Constant(false));
            let waits = Expression::variable(flag(variable));
            Statement::assign(reach.chain([done]), Some(waits))
        };
        self.variables.iter().map(flush).collect()
    }
}

/// The Boolean variable that says whether a store to a variable waits.
fn flag(variable: GlobalId) -> String {
    format!("waits_{}", variable.0)
}

/// The Boolean variable with the value of a predicate that waits.
fn waiting(name: &str) -> String {
    format!("{name}_waiting")
}
