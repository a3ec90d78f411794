//! What the statements of a Boolean program were made from. The table goes with the program, and
//! leads from its traces back to edges; labels are its printout.

use std::collections::BTreeMap;
use std::fmt;

use sapa_ir::boolean::ast::{OriginId, Statement};
use sapa_ir::boolean::flat::{FlatProgram, LocationId};
use sapa_ir::boolean::trace::Trace;

use crate::automaton::EdgeId;
use crate::check::SuspectStep;

/// What a statement was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It gives the predicates of a thread their values when the thread starts at this root.
    Start(usize),
    /// It executes an edge.
    Edge(EdgeId),
    /// It starts the thread that an edge starts.
    Spawn(EdgeId),
    /// It is the failing assertion that an edge leads to.
    Error(EdgeId),
}

/// The label of a statement.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Start(root) => write!(f, "R{root}"),
            Origin::Edge(edge) => write!(f, "E{}", edge.0),
            Origin::Spawn(edge) => write!(f, "S{}", edge.0),
            Origin::Error(edge) => write!(f, "X{}", edge.0),
        }
    }
}

/// The origins of a program's statements.
#[derive(Clone, Debug, Default)]
pub struct Origins(Vec<Origin>);

impl Origins {
    /// The statement with its label, which `suffix` tells from those of other copies, and its origin.
    pub(super) fn mark(&mut self, statement: Statement, origin: Origin, suffix: &str) -> Statement {
        let id = OriginId(u32::try_from(self.0.len()).expect("statements fit in memory"));
        self.0.push(origin);
        statement.labelled(format!("{origin}{suffix}")).made_from(id)
    }

    /// What this is the origin of.
    ///
    /// # Panics
    /// If it is one of another program.
    #[must_use]
    pub fn of(&self, id: OriginId) -> Origin {
        self.0[id.0 as usize]
    }

    /// The edges that a trace of the program takes, the failing one last.
    ///
    /// # Panics
    /// If the trace is of another program.
    #[must_use]
    pub fn edges(&self, program: &FlatProgram, trace: &Trace) -> Vec<TraceEdge> {
        // Numbers of the trace can be used again; ours cannot.
        let mut names: BTreeMap<u32, u32> = BTreeMap::from([(0, 0)]);
        let mut next = 1;
        let mut before = &trace.initial;
        let mut taken = Vec::with_capacity(trace.steps.len());
        for step in &trace.steps {
            let thread = names[&step.thread];
            let mut started = None;
            if let Some(Origin::Spawn(_)) = self.at(program, step.location) {
                let mut threads = step.state.threads.iter();
                // None if there was no room for it.
                if let Some(new) = threads.find(|t| before.thread(t.thread).is_none()) {
                    names.insert(new.thread, next);
                    started = Some(next);
                    next += 1;
                }
            }
            taken.push((thread, step.location, started));
            before = &step.state;
        }
        self.edges_of(program, taken)
    }

    /// The same of steps that an over-approximation takes.
    ///
    /// # Panics
    /// If they are of another program.
    #[must_use]
    pub fn edges_of_suspect(&self, program: &FlatProgram, steps: &[SuspectStep]) -> Vec<TraceEdge> {
        self.edges_of(program, steps.iter().map(|step| (step.thread, step.location, step.started)))
    }

    fn at(&self, program: &FlatProgram, location: LocationId) -> Option<Origin> {
        program.location(location).origin.map(|id| self.of(id))
    }

    /// The edges that steps take: who takes them, where, and which thread is started.
    fn edges_of(
        &self,
        program: &FlatProgram,
        steps: impl IntoIterator<Item = (u32, LocationId, Option<u32>)>,
    ) -> Vec<TraceEdge> {
        let mut edges: Vec<TraceEdge> = Vec::new();
        // The last edge of each thread.
        let mut open: BTreeMap<u32, usize> = BTreeMap::new();
        for (thread, location, started) in steps {
            match self.at(program, location) {
                Some(Origin::Edge(edge)) => {
                    open.insert(thread, edges.len());
                    edges.push(TraceEdge { thread, edge, started: None });
                }
                Some(Origin::Spawn(_)) if started.is_some() => {
                    edges[open[&thread]].started = started;
                }
                Some(Origin::Spawn(_) | Origin::Start(_) | Origin::Error(_)) | None => {}
            }
        }
        edges
    }
}

/// A step of an abstract counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEdge {
    /// Who moves: 0 is the initial thread, others in order of creation.
    pub thread: u32,
    /// Along which edge.
    pub edge: EdgeId,
    /// The thread that the step started, if it did start one.
    pub started: Option<u32>,
}
