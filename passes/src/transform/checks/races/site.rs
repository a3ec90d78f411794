//! The accesses that may be a part of a race.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashSet;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::{
    BlockId, Function, FunctionId, Global, Instruction, Location, MemoryOrder, Module, Op, Operand,
    Type,
};
use sapa_limits::Limits;

use super::PASS;
use super::address::{Address, Form, Root};
use super::orders::{At, Collected, Orders, observed};
use super::unordered::Unordered;
use crate::analysis::Analyses;
use crate::analysis::call_graph::{CallGraph, Use};
use crate::analysis::definitions::Definitions;
use crate::analysis::once::ExecutedOnce;
use crate::analysis::points_to::{Object, Place, PointsTo};
use crate::analysis::private_objects::{self, Private};
use crate::error::PassError;
use crate::transform::checks::LIBRARY;
use crate::transform::checks::section::{Inside, Sections, open_sections, step, within};

/// What makes accesses alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    /// What other threads can come to of what it may access; never empty.
    pub places: Vec<Place>,
    /// Whether what it accesses may be an object that other threads cannot come to, or any at all.
    pub is_mixed: bool,
    /// Bytes.
    pub size: u64,
    /// Whether it writes.
    pub is_write: bool,
    /// Whether it ends the object (`free`), which is a write of all of it.
    pub ends: bool,
    /// Whether it has a memory order, or is in a section that locks.
    pub is_atomic: bool,
    /// Whether no other thread knows the object yet.
    pub is_private: bool,
    /// The shape of its address.
    pub form: Form,
    /// What it is executed in; several where a function is called in several.
    pub inside: Vec<Inside>,
    /// The functions of the threads that execute it.
    pub threads: Vec<FunctionId>,
}

/// An access.
pub(super) struct Site {
    pub kind: Kind,
    pub function: FunctionId,
    /// Block and index of the instruction.
    pub position: (BlockId, usize),
    pub location: Location,
    pub address: Operand,
    pub index: Option<Operand>,
    /// The type of a scalar that is accessed.
    pub scalar: Option<Type>,
}

/// All accesses of a module, and what is known of its threads.
pub(super) struct Sites {
    pub sites: Vec<Site>,
    /// The functions that are executed by one thread at most.
    pub single: BTreeSet<FunctionId>,
    /// What orders accesses.
    pub orders: Orders,
    /// What that leaves out.
    pub unordered: Unordered,
}

/// An access of an instruction.
struct Access {
    address: Operand,
    size: u64,
    is_write: bool,
    ends: bool,
    order: MemoryOrder,
    scalar: Option<Type>,
}

/// How the names of functions begin whose accesses to their objects synchronise.
const SYNCHRONISATION: &[&str] = &[
    "pthread_mutex",
    "pthread_spin",
    "pthread_cond",
    "pthread_rwlock",
    "pthread_barrier",
    "pthread_once",
    "pthread_key",
    "pthread_setspecific",
    "pthread_getspecific",
    "sem_",
    "mtx_",
    "cnd_",
    "call_once",
    "tss_",
    "__sapa_pthread_",
    "__sapa_sem_",
    "__sapa_mtx_",
    "__sapa_cnd_",
    "__sapa_key_",
];

/// How the names of globals begin that exist for the verifier only.
const GHOST: &str = "__CPROVER_";

/// How the names of functions begin by which programs speak to verifiers, as of the begin of an atomic section.
const VERIFIERS: &[&str] = &["__CPROVER_", "__VERIFIER_"];

/// The models of these functions, where they are not inlined.
const SYNCHRONISATION_FILE: &str = "<library>/threads.c";

/// The models whose static objects are of functions that need not be thread-safe (POSIX, XSH 2.9.1): calls of
/// `strtok`, `localtime`, `gmtime`, `asctime`, `ctime` and `getopt` access them without any order. Other models' objects
/// stand for what the library takes care of itself.
const NOT_THREAD_SAFE: &[&str] =
    &["<library>/calendar.c", "<library>/system.c", "<library>/text.c"];

/// Finds the accesses that another thread may race with, as far as each says that itself.
///
/// # Errors
/// A limit ended it, or sections are not balanced within functions.
pub(super) fn find(module: &Module, analyses: &mut Analyses) -> Result<Sites, PassError> {
    let points_to = analyses.get::<PointsTo>(module)?;
    let graph = analyses.get::<CallGraph>(module)?;
    let once = analyses.get::<ExecutedOnce>(module)?;
    let sections = Sections::new(PASS.name, module, &graph)?;
    let shared = points_to.shared(module);
    let threads = threads(module, &graph);
    let single = single(module, &graph, &once);
    let finder = Finder {
        module,
        points_to,
        once,
        sections,
        shared,
        threads,
        single: &single,
        graph: &graph,
    };
    let mut sites = Vec::new();
    let mut orders = Collected::new();
    for (id, function) in module.functions() {
        analyses.limits().check()?;
        if function.is_defined() && finder.threads.contains_key(&id) {
            finder.function(id, function, analyses.limits(), &mut sites, &mut orders)?;
        }
    }
    let orders = orders.finish(started(module, &graph));
    let functions: Vec<FunctionId> = finder.threads.keys().copied().collect();
    let unordered = Unordered::new(&orders, module, &functions, &single, analyses.limits())?;
    // What nobody else knows yet is in order with what others do later, if what tells them of it is.
    sites.retain(|site| !site.kind.is_private || !unordered.is_empty());
    Ok(Sites { sites, single, orders, unordered })
}

/// What is known of a module whose accesses are looked at.
pub(super) struct Finder<'m> {
    pub module: &'m Module,
    pub points_to: Rc<PointsTo>,
    once: Rc<ExecutedOnce>,
    sections: Sections,
    shared: FxHashSet<Object>,
    /// For each function the functions of the threads that may execute it.
    pub threads: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    single: &'m BTreeSet<FunctionId>,
    graph: &'m CallGraph,
}

impl Finder<'_> {
    fn function(
        &self,
        id: FunctionId,
        function: &Function,
        limits: &Limits,
        sites: &mut Vec<Site>,
        orders: &mut Collected,
    ) -> Result<(), PassError> {
        let module = self.module;
        let observed = observed(function);
        let open = open_sections(PASS.name, module, id)?;
        let definitions = Definitions::new(function);
        let private = Private::new(function, allocations(function), &|_, _| {}, limits)?;
        let accompanied = self.accompanied(id, function);
        for (block, data) in function.blocks() {
            let Some(mut open) = open[block.index()].clone() else { continue };
            let mut state = private.start(block);
            for (index, instruction) in data.instructions.iter().enumerate() {
                let position = (block, index);
                let is_alone = accompanied.as_ref().is_some_and(|a| a[block.index()] > index);
                let inside: BTreeSet<Inside> =
                    self.sections.entered(id).iter().map(|&e| within(e, &open)).collect();
                let is_locked = inside.iter().all(|&inside| inside == Inside::Locked);
                let observed = &observed;
                let is_inside = inside.iter().any(|&inside| inside != Inside::Nothing);
                let at = At { function: id, position, is_alone, is_inside, is_locked, observed };
                orders.add(self, &at);
                if !is_alone && !self.synchronises(instruction) {
                    for access in accesses(module, function, instruction) {
                        let is_private = state.as_ref().is_some_and(|state| {
                            state.pointed_to(access.address).any(|(_, is_certain)| is_certain)
                        });
                        let Some((places, is_mixed)) = self.places(id, &access) else { continue };
                        let found = Address::new(
                            module,
                            id,
                            &definitions,
                            access.address,
                            access.size,
                            |root| self.is_single(root),
                        );
                        let kind = Kind {
                            places,
                            is_mixed,
                            size: access.size,
                            is_write: access.is_write,
                            ends: access.ends,
                            is_atomic: access.order != MemoryOrder::Plain || is_locked,
                            is_private,
                            form: found.form,
                            inside: inside.iter().copied().collect(),
                            threads: self.threads[&id].iter().copied().collect(),
                        };
                        sites.push(Site {
                            kind,
                            function: id,
                            position,
                            location: instruction.location,
                            address: access.address,
                            index: found.index,
                            scalar: access.scalar,
                        });
                    }
                }
                if let Some(state) = &mut state {
                    private.execute(function, state, position, instruction);
                }
                step(&mut open, &instruction.op);
            }
        }
        Ok(())
    }

    /// What other threads can come to of what an access may be to, and whether it may be to anything else;
    /// `None` if there is nothing.
    fn places(&self, id: FunctionId, access: &Access) -> Option<(Vec<Place>, bool)> {
        let all = self.points_to.places(id, access.address);
        let is_own = |object: Object| object.is_any() || !self.shared.contains(&object);
        let is_mixed = all.iter().any(|place| is_own(place.object));
        let places = self.shared_places(id, access.address);
        (!places.is_empty() && access.size > 0).then_some((places, is_mixed))
    }

    /// What other threads can come to of what an address of a function may be.
    pub fn shared_places(&self, id: FunctionId, address: Operand) -> Vec<Place> {
        let all = self.points_to.places(id, address);
        all.into_iter().filter(|place| self.is_shared(place.object)).collect()
    }

    fn is_shared(&self, object: Object) -> bool {
        let is_ours = |global: &Global| {
            let file = self.module.files.get(global.location.file.index());
            global.constant
                || global.name.starts_with(GHOST)
                || file.is_some_and(|file| {
                    file.starts_with(LIBRARY) && !NOT_THREAD_SAFE.contains(&file.as_str())
                })
        };
        match object {
            Object::Unknown | Object::Forged => true,
            Object::Function(_) | Object::Number => false,
            Object::Global(id) => {
                let global = self.module.globals.get(id.index());
                !global.is_some_and(is_ours) && self.shared.contains(&object)
            }
            Object::Slot(..) | Object::Allocation(..) => self.shared.contains(&object),
        }
    }

    fn is_single(&self, root: Root) -> bool {
        match root {
            Root::Global(id) => {
                self.module.globals.get(id.index()).is_some_and(|global| !global.thread_local)
            }
            Root::Slot(id, _) => self.once.contains(id),
        }
    }

    /// Whether others than the thread whose own it is can come to an object.
    pub fn is_known_to_others(&self, object: Object) -> bool {
        object.is_any() || self.shared.contains(&object)
    }

    /// Whether what is one object in the code is one in each run.
    pub fn is_of_one(&self, object: Object) -> bool {
        match object {
            Object::Global(id) => self.is_single(Root::Global(id)),
            Object::Slot(id, slot) => self.is_single(Root::Slot(id, slot)),
            Object::Allocation(id, block, _) => self.once.contains_block(id, block),
            Object::Function(_) | Object::Unknown | Object::Forged | Object::Number => false,
        }
    }

    /// The name of the library function that an instruction is a part of, or else of the function that it stands in.
    pub fn operation(&self, id: FunctionId, instruction: &Instruction) -> &str {
        let operation = self.module.operation(instruction.location);
        operation.unwrap_or(&self.module.function(id).name)
    }

    /// Whether an instruction is a part of a model of a library function. What verifiers' functions say is the program's own.
    pub fn is_of_model(&self, instruction: &Instruction) -> bool {
        let file = self.module.files.get(instruction.location.file.index());
        let is_verifiers = |name: &str| VERIFIERS.iter().any(|prefix| name.starts_with(prefix));
        self.module.operation(instruction.location).is_some_and(|name| !is_verifiers(name))
            || file.is_some_and(|file| file.starts_with(LIBRARY))
    }

    /// Whether an instruction is a part of a synchronisation function of the library.
    pub fn synchronises(&self, instruction: &Instruction) -> bool {
        let operation = self.module.operation(instruction.location).unwrap_or_default();
        let file = self.module.files.get(instruction.location.file.index());
        file.is_some_and(|file| file == SYNCHRONISATION_FILE)
            || SYNCHRONISATION.iter().any(|prefix| operation.starts_with(prefix))
    }

    /// Whether it is a part of one on mutexes.
    pub fn is_of_mutexes(&self, instruction: &Instruction) -> bool {
        let operation = self.module.operation(instruction.location).unwrap_or_default();
        operation.contains("mutex") || operation.contains("mtx")
    }

    /// From which instruction of each block on there may be another thread, if the function is the initial
    /// thread's and its own alone.
    fn accompanied(&self, id: FunctionId, function: &Function) -> Option<Vec<usize>> {
        if self.module.entry != Some(id) || !self.once.contains(id) || !self.single.contains(&id) {
            return None;
        }
        let starting = starting(self.module, self.graph);
        let starts = |instruction: &Instruction| match &instruction.op {
            Op::Spawn { .. } => true,
            Op::Call { callee: Operand::Function(callee), .. } => starting.contains(callee),
            Op::Call { .. } => self.graph.address_taken().iter().any(|f| starting.contains(f)),
            _ => false,
        };
        let cfg = Cfg::new(function);
        let mut from = vec![usize::MAX; function.blocks.len()];
        let mut pending = Vec::new();
        for (block, data) in function.blocks() {
            if let Some(index) = data.instructions.iter().position(starts) {
                from[block.index()] = index + 1;
                pending.push(block);
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(block) = pending.pop() {
            for &next in cfg.successors(block) {
                if seen.insert(next) {
                    from[next.index()] = 0;
                    pending.push(next);
                }
            }
        }
        Some(from)
    }
}

/// The accesses of an instruction to memory.
fn accesses(module: &Module, function: &Function, instruction: &Instruction) -> Vec<Access> {
    let scalar = |address: Operand, ty: Type, is_write: bool, order: MemoryOrder| Access {
        address,
        size: ty.size(module),
        is_write,
        ends: false,
        order,
        scalar: Some(ty),
    };
    let whole = |address: Operand, ty: &Type, is_write: bool| Access {
        address,
        size: ty.size(module),
        is_write,
        ends: false,
        order: MemoryOrder::Plain,
        scalar: None,
    };
    match &instruction.op {
        Op::Load { address, order, .. } => {
            let Some(result) = instruction.result else { return Vec::new() };
            let ty = function.operand_type(Operand::Value(result));
            vec![scalar(*address, ty, false, *order)]
        }
        Op::Store { address, ty, order, .. } => vec![scalar(*address, ty.clone(), true, *order)],
        Op::CopyMemory { destination, source, ty } => {
            vec![whole(*source, ty, false), whole(*destination, ty, true)]
        }
        // Where it is no part of an operation, it is the begin of an object's life.
        Op::HavocMemory { address, ty } if instruction.location.operation.is_some() => {
            vec![whole(*address, ty, true)]
        }
        // What it ends is the object that its first byte is in.
        Op::Free { address } => {
            let first = scalar(*address, Type::Int(8), true, MemoryOrder::Plain);
            vec![Access { ends: true, ..first }]
        }
        _ => Vec::new(),
    }
}

/// The allocations of a function.
fn allocations(function: &Function) -> Vec<private_objects::Site> {
    let mut found = Vec::new();
    for (block, data) in function.blocks() {
        for (index, instruction) in data.instructions.iter().enumerate() {
            if let (Op::Allocate { .. }, Some(result)) = (&instruction.op, instruction.result) {
                found.push(private_objects::Site { block, index, result });
            }
        }
    }
    found
}

/// Whom a call or a start may be of.
fn callees(graph: &CallGraph, callee: Option<FunctionId>) -> Vec<FunctionId> {
    callee.map_or_else(|| graph.address_taken().iter().copied().collect(), |callee| vec![callee])
}

/// For each function the functions of the threads that may execute it.
fn threads(module: &Module, graph: &CallGraph) -> BTreeMap<FunctionId, BTreeSet<FunctionId>> {
    let mut found: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
    for root in graph.roots() {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if id.index() < module.functions.len() && found.entry(id).or_default().insert(root) {
                let calls = graph.sites(id).iter().filter(|site| site.kind == Use::Call);
                pending.extend(calls.flat_map(|site| callees(graph, site.callee)));
            }
        }
    }
    found
}

/// The functions that threads are started with.
fn started(module: &Module, graph: &CallGraph) -> BTreeSet<FunctionId> {
    let all = (0..module.functions.len()).map(FunctionId::new);
    all.flat_map(|id| graph.sites(id))
        .filter(|site| site.kind == Use::Spawn)
        .flat_map(|site| callees(graph, site.callee))
        .collect()
}

/// The thread functions that one thread at most is started with.
fn single(module: &Module, graph: &CallGraph, once: &ExecutedOnce) -> BTreeSet<FunctionId> {
    let started = started(module, graph);
    let entry = module.entry.filter(|entry| !started.contains(entry));
    once.functions().chain(entry).collect()
}

/// The functions that may start a thread, or call one that may.
fn starting(module: &Module, graph: &CallGraph) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    loop {
        let new: Vec<FunctionId> = (0..module.functions.len())
            .map(FunctionId::new)
            .filter(|id| !found.contains(id))
            .filter(|id| {
                graph.sites(*id).iter().any(|site| {
                    site.kind == Use::Spawn
                        || callees(graph, site.callee).iter().any(|f| found.contains(f))
                })
            })
            .collect();
        if new.is_empty() {
            return found;
        }
        found.extend(new);
    }
}
