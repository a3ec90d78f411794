//! What answers assume that rest on the runs of a module themselves, and not on its automata.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use sapa_ir::goto::{FunctionId, GlobalId, Instruction, Module, Op, Operand, Type, ValueId};
use sapa_limits::{Exceeded, Limits};
use sapa_passes::analysis::points_to::{Object, PointsTo};
use sapa_passes::transform::checks::is_of_ghosts;

use super::{Assumptions, HANDLES, LIFETIMES, VALID_POINTERS, handles};

/// What is assumed of a module, whichever of its code runs come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assumed {
    /// What whoever executes runs does not see, and assumes.
    pub unseen: BTreeSet<&'static str>,
    /// The same where the objects of functions that have returned and of threads that have ended are as they
    /// were: the interpreter sees who accesses them.
    pub of_kept_stacks: BTreeSet<&'static str>,
}

/// The functions that runs come to.
pub(super) struct Reached {
    /// All of them.
    pub functions: BTreeSet<FunctionId>,
    /// Those that threads are started with.
    pub spawned: FxHashSet<FunctionId>,
    /// Those that are called.
    pub called: FxHashSet<FunctionId>,
}

/// What the runs of a module assume.
///
/// # Errors
/// A limit ended the search for it.
pub fn of_runs(module: &Module, limits: &Limits) -> Result<Assumed, Exceeded> {
    let points_to = PointsTo::within(module, limits)?;
    let reached = Reached::new(module, &points_to);
    let mut assumed = Assumed::default();
    let outlived = outlived(module, &points_to, &reached);
    for &id in &reached.functions {
        limits.check()?;
        let rules =
            Assumptions { module, id, function: module.function(id), points_to: &points_to };
        let accesses = Accesses::new(&rules);
        for instruction in rules.function.instructions() {
            assumed.unseen.extend(rules.of(instruction));
            if accesses.may_be_late(instruction, &outlived) {
                assumed.of_kept_stacks.insert(VALID_POINTERS);
            }
            if accesses.compares_late(instruction, &outlived)
                && !is_of_ghosts(module, instruction.location)
            {
                assumed.unseen.insert(LIFETIMES);
            }
        }
    }
    if handles::matter(module, &points_to, &reached, limits)? {
        assumed.unseen.insert(HANDLES);
    }
    Ok(assumed)
}

impl Reached {
    fn new(module: &Module, points_to: &PointsTo) -> Self {
        let mut found = Self {
            functions: BTreeSet::new(),
            spawned: FxHashSet::default(),
            called: FxHashSet::default(),
        };
        let mut pending: Vec<FunctionId> = module.entry.into_iter().collect();
        while let Some(id) = pending.pop() {
            if !found.functions.insert(id) {
                continue;
            }
            for instruction in module.function(id).instructions() {
                match &instruction.op {
                    Op::Call { callee, .. } => {
                        let callees = functions(module, points_to, id, *callee);
                        found.called.extend(callees.iter().copied());
                        pending.extend(callees);
                    }
                    Op::Spawn { function, .. } => {
                        let started = functions(module, points_to, id, *function);
                        found.spawned.extend(started.iter().copied());
                        pending.extend(started);
                    }
                    _ => {}
                }
            }
        }
        found
    }
}

/// The functions that an operand may point to.
pub(super) fn functions(
    module: &Module,
    points_to: &PointsTo,
    id: FunctionId,
    operand: Operand,
) -> Vec<FunctionId> {
    let targets = points_to.targets(id, operand);
    if targets.iter().any(|object| object.is_any()) {
        return (0..module.functions.len()).map(FunctionId::new).collect();
    }
    let function = |object| match object {
        Object::Function(id) => Some(id),
        _ => None,
    };
    targets.into_iter().filter_map(function).collect()
}

/// Objects whose addresses somebody may use when their lifetimes are over: they get into memory, to the
/// caller or to another thread.
struct Outlived {
    /// The functions that they are stack objects of. With the entry function all ends.
    functions: FxHashSet<FunctionId>,
    /// Those that are local to threads. Those of the initial thread end with it, but others have them too.
    globals: FxHashSet<GlobalId>,
}

impl Outlived {
    fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.globals.is_empty()
    }

    fn contains(&self, object: &Object) -> bool {
        match object {
            Object::Slot(id, _) => self.functions.contains(id),
            Object::Global(id) => self.globals.contains(id),
            object => object.is_any(),
        }
    }
}

/// Whether each thread has an object of a global.
fn is_own(module: &Module, id: GlobalId) -> bool {
    module.globals.get(id.index()).is_some_and(|global| global.thread_local)
}

fn outlived(module: &Module, points_to: &PointsTo, reached: &Reached) -> Outlived {
    let mut objects = points_to.let_out();
    for &id in &reached.functions {
        for instruction in module.function(id).instructions() {
            if let Op::Spawn { arguments, .. } = &instruction.op {
                objects.extend(arguments.iter().flat_map(|&a| points_to.targets(id, a)));
            }
        }
    }
    let ends = |id: &FunctionId| reached.called.contains(id) || reached.spawned.contains(id);
    let mut outlived = Outlived { functions: FxHashSet::default(), globals: FxHashSet::default() };
    for object in objects {
        match object {
            Object::Slot(id, _) if ends(&id) => drop(outlived.functions.insert(id)),
            Object::Global(id) if is_own(module, id) => {
                outlived.globals.insert(id);
            }
            _ => {}
        }
    }
    outlived
}

/// The accesses of a function.
struct Accesses<'a> {
    rules: &'a Assumptions<'a>,
    defined: FxHashMap<ValueId, &'a Op>,
}

impl<'a> Accesses<'a> {
    fn new(rules: &'a Assumptions<'a>) -> Self {
        let defined = |i: &'a Instruction| i.result.map(|result| (result, &i.op));
        Self { rules, defined: rules.function.instructions().filter_map(defined).collect() }
    }

    /// Whether an address is computed from that of an object alone.
    fn is_fixed(&self, mut address: Operand) -> bool {
        loop {
            let Operand::Value(value) = address else {
                return matches!(address, Operand::Global(_) | Operand::Slot(_));
            };
            address = match self.defined.get(&value) {
                Some(Op::Copy { a }) => *a,
                Some(Op::FieldAddress { base, .. }) => *base,
                Some(Op::IndexAddress { base, index: Operand::Int { .. }, .. }) => *base,
                _ => return false,
            };
        }
    }

    /// Whether an address may be that of an object whose lifetime is over.
    fn is_late(&self, address: Operand, outlived: &Outlived) -> bool {
        !self.is_fixed(address)
            && self
                .rules
                .points_to
                .targets(self.rules.id, address)
                .iter()
                .any(|o| outlived.contains(o))
    }

    /// Whether an instruction may access one of these objects when its lifetime is over.
    fn may_be_late(&self, instruction: &Instruction, outlived: &Outlived) -> bool {
        if outlived.is_empty() {
            return false;
        }
        let is_late = |address: &Operand| self.is_late(*address, outlived);
        match &instruction.op {
            Op::Load { address, .. }
            | Op::Store { address, .. }
            | Op::HavocMemory { address, .. }
            | Op::ObjectSize { address }
            | Op::Accessible { address, .. } => is_late(address),
            Op::CopyMemory { destination, source, .. } => is_late(destination) || is_late(source),
            _ => false,
        }
    }

    /// Whether an instruction may compare the address of one of these objects, when its lifetime is over,
    /// with that of another one which is where it was: no two are to whoever executes runs.
    fn compares_late(&self, instruction: &Instruction, outlived: &Outlived) -> bool {
        let Op::Compare { a, b, .. } = instruction.op else { return false };
        if outlived.is_empty() || self.rules.function.operand_type(a) != Type::Pointer {
            return false;
        }
        // No object gives its place to a global or a function.
        let module = self.rules.module;
        let is_brief = |object: &Object| match object {
            Object::Global(id) => is_own(module, *id),
            Object::Function(_) => false,
            _ => true,
        };
        let may_come =
            |o: Operand| self.rules.points_to.targets(self.rules.id, o).iter().any(is_brief);
        self.is_late(a, outlived) && may_come(b) || self.is_late(b, outlived) && may_come(a)
    }
}
