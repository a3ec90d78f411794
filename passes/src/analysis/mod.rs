//! Analyses, computed on demand, cached, and forgotten when a pass changes
//! what they describe.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::dominators::Dominators;
use sapa_ir::goto::{FunctionId, Module};
use sapa_limits::{Exceeded, Limits};

pub mod accessed;
pub mod call_graph;
pub mod loops;
pub mod needed;
pub mod once;
pub mod points_to;
pub mod thread_bound;
pub mod trip_count;

use call_graph::CallGraph;
use points_to::PointsTo;

/// Which analyses a transformation leaves valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preserved {
    /// Blocks and jumps are as they were: [`Analyses::cfg`] and [`Analyses::dominators`] hold.
    pub control_flow: bool,
    /// Calls and thread starts are as they were: [`Analyses::call_graph`] holds.
    pub calls: bool,
    /// What values and memory may point to is as it was: [`Analyses::points_to`] holds.
    pub points_to: bool,
}

impl Preserved {
    /// Anything may have changed.
    pub const NOTHING: Self = Self { control_flow: false, calls: false, points_to: false };
    /// Instructions changed, but neither blocks, jumps, calls nor thread starts.
    pub const CONTROL: Self = Self { control_flow: true, calls: true, points_to: false };
}

/// The cache. It belongs to one module; whoever changes the module says so by
/// [`keep`](Self::keep).
#[derive(Debug, Default)]
pub struct Analyses {
    cfgs: FxHashMap<FunctionId, Rc<Cfg>>,
    dominators: FxHashMap<FunctionId, Rc<Dominators>>,
    call_graph: Option<Rc<CallGraph>>,
    points_to: Option<Rc<PointsTo>>,
    limits: Limits,
}

impl Analyses {
    /// An empty cache, for analyses that go on as long as the limits hold.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self { limits: limits.clone(), ..Self::default() }
    }

    /// The control-flow graph of a function.
    ///
    /// # Panics
    /// If the module has no such function.
    pub fn cfg(&mut self, module: &Module, function: FunctionId) -> Rc<Cfg> {
        let entry = self.cfgs.entry(function);
        Rc::clone(entry.or_insert_with(|| Rc::new(Cfg::new(module.function(function)))))
    }

    /// The dominator tree of a function.
    ///
    /// # Panics
    /// If the module has no such function.
    pub fn dominators(&mut self, module: &Module, function: FunctionId) -> Rc<Dominators> {
        let cfg = self.cfg(module, function);
        let entry = self.dominators.entry(function);
        Rc::clone(entry.or_insert_with(|| Rc::new(Dominators::new(&cfg))))
    }

    /// Who calls and who starts whom.
    pub fn call_graph(&mut self, module: &Module) -> Rc<CallGraph> {
        Rc::clone(self.call_graph.get_or_insert_with(|| Rc::new(CallGraph::new(module))))
    }

    /// What pointers may point to.
    ///
    /// # Errors
    /// If a limit ends the analysis.
    pub fn points_to(&mut self, module: &Module) -> Result<Rc<PointsTo>, Exceeded> {
        if let Some(known) = &self.points_to {
            return Ok(Rc::clone(known));
        }
        let found = Rc::new(PointsTo::within(module, &self.limits)?);
        self.points_to = Some(Rc::clone(&found));
        Ok(found)
    }

    /// Forgets what is not preserved.
    pub fn keep(&mut self, preserved: Preserved) {
        if !preserved.control_flow {
            self.cfgs.clear();
            self.dominators.clear();
        }
        if !preserved.calls {
            self.call_graph = None;
        }
        if !preserved.points_to {
            self.points_to = None;
        }
    }
}
