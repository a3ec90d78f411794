//! The call graph: which functions a function calls, and which it starts as threads.

use std::collections::BTreeSet;

use sapa_ir::goto::{Function, FunctionId, Location, Module, Op, Operand};
use sapa_limits::Exceeded;

use super::{Analyses, Analysis};

/// How a function reaches another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// By a call.
    Call,
    /// By starting a thread.
    Spawn,
}

/// A call or a thread start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// Whether the callee is called or started as a thread.
    pub kind: Use,
    /// The function that is called or started; `None` for a pointer that is no constant.
    pub callee: Option<FunctionId>,
    /// The place of the call in the source.
    pub location: Location,
}

/// The calls and thread starts of every function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallGraph {
    /// Per function, in the order of its blocks.
    sites: Vec<Vec<Site>>,
    address_taken: BTreeSet<FunctionId>,
    entry: Option<FunctionId>,
}

impl CallGraph {
    /// Reads the graph off a module.
    #[must_use]
    pub fn new(module: &Module) -> Self {
        let mut address_taken = BTreeSet::new();
        let sites = module.functions.iter().map(|f| sites(f, &mut address_taken)).collect();
        for global in &module.globals {
            functions_in(&global.initializer, &mut address_taken);
        }
        Self { sites, address_taken, entry: module.entry }
    }

    /// The calls and thread starts of a function; none for an unknown one.
    #[must_use]
    pub fn sites(&self, function: FunctionId) -> &[Site] {
        self.sites.get(function.index()).map_or(&[], Vec::as_slice)
    }

    /// The entry and every function that a thread may be started with. A start
    /// through a pointer may be of any function whose address is taken.
    #[must_use]
    pub fn roots(&self) -> BTreeSet<FunctionId> {
        let mut roots: BTreeSet<_> = self.entry.into_iter().collect();
        for site in self.sites.iter().flatten().filter(|site| site.kind == Use::Spawn) {
            match site.callee {
                Some(callee) => drop(roots.insert(callee)),
                None => roots.extend(&self.address_taken),
            }
        }
        roots
    }

    /// Functions whose address is used other than to call or start them.
    #[must_use]
    pub fn address_taken(&self) -> &BTreeSet<FunctionId> {
        &self.address_taken
    }
}

impl Analysis for CallGraph {
    const NAME: &'static str = "call graph";

    fn compute(module: &Module, _: &mut Analyses) -> Result<Self, Exceeded> {
        Ok(Self::new(module))
    }
}

fn sites(function: &Function, address_taken: &mut BTreeSet<FunctionId>) -> Vec<Site> {
    let mut sites = Vec::new();
    let mut take = |operand: Operand| {
        if let Operand::Function(id) = operand {
            address_taken.insert(id);
        }
    };
    for block in &function.blocks {
        for instruction in &block.instructions {
            let (kind, callee, arguments) = match &instruction.op {
                Op::Call { callee, arguments } => (Use::Call, callee, arguments),
                Op::Spawn { function, arguments } => (Use::Spawn, function, arguments),
                op => {
                    op.for_each_operand(&mut take);
                    continue;
                }
            };
            let callee = match callee {
                Operand::Function(id) => Some(*id),
                _ => None,
            };
            sites.push(Site { kind, callee, location: instruction.location });
            arguments.iter().copied().for_each(&mut take);
        }
        block.terminator.kind.for_each_operand(&mut take);
    }
    sites
}

fn functions_in(initializer: &sapa_ir::goto::Initializer, found: &mut BTreeSet<FunctionId>) {
    use sapa_ir::goto::Initializer;
    match initializer {
        Initializer::Function(function) => drop(found.insert(*function)),
        Initializer::Aggregate(elements) => {
            elements.iter().for_each(|element| functions_in(element, found));
        }
        Initializer::Zero
        | Initializer::Nondet
        | Initializer::Undefined
        | Initializer::Int(_)
        | Initializer::Global(..) => {}
    }
}
