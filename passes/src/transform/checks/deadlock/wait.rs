//! Where threads wait, and what ends their waits.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use sapa_ir::goto::{
    BlockId, Entity, Function, FunctionId, Instruction, Module, Op, Operand, Section, SyncOp,
    TerminatorKind, Type,
};

use super::PASS;
use crate::analysis::Analyses;
use crate::analysis::call_graph::{CallGraph, Use};
use crate::analysis::points_to::{Object, Place, PointsTo};
use crate::error::PassError;
use crate::transform::checks::LIBRARY;
use crate::transform::checks::section::{Inside, Sections, open_sections, step, within};

/// What is done at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// An operation waits until it is possible, without a limit of time.
    Wait,
    /// A section waits for a condition: its code before the assumption.
    WaitInSection { code: Vec<Instruction>, condition: Operand },
    /// A condition variable is waited for; whether without a limit of time.
    WaitForSignal { for_ever: bool },
    /// It may end somebody's wait; whether it is in a section already.
    Ends { in_section: bool },
    /// A condition variable gets its first state.
    Initialises,
    /// It wakes those that wait for a condition variable: one, or all.
    Signals { all: bool },
    /// It starts a thread.
    Starts,
}

/// What there is to look for.
#[derive(Default)]
pub(super) struct Waits {
    pub actions: BTreeMap<FunctionId, BTreeMap<(BlockId, usize), Action>>,
    /// The functions whose return ends a thread.
    pub roots: FxHashSet<FunctionId>,
    /// What is waited for, in words, by instruction.
    pub texts: BTreeMap<(FunctionId, BlockId, usize), String>,
    pub has_joins: bool,
    pub has_conditions: bool,
}

impl Waits {
    /// Whether no thread ever waits.
    pub fn is_empty(&self) -> bool {
        let waits = |action: &Action| {
            matches!(
                action,
                Action::Wait | Action::WaitInSection { .. } | Action::WaitForSignal { .. }
            )
        };
        !self.actions.values().flat_map(BTreeMap::values).any(waits)
    }
}

/// Functions whose models wait in sections of their own.
const WAITING_MODELS: [&str; 3] = ["pthread_barrier_wait", "pthread_once", "call_once"];

/// Why a wait in a model is not treated.
const NOT_INLINED: &str = "this waits in a function of the library that cannot be inlined, as it may be called again before it has \
                           returned; deadlocks are not looked for there";

/// Bytes of what operations on locks and semaphores wait for.
const CELL: u64 = 4;

/// Bytes of a condition variable that the counters take.
const CONDITION: u64 = 12;

/// Finds all of it in the functions that threads execute.
///
/// # Errors
/// A limit ended it, or the module has what the pass does not treat.
pub(super) fn find(module: &Module, analyses: &mut Analyses) -> Result<Waits, PassError> {
    let graph = analyses.get::<CallGraph>(module)?;
    let points_to = analyses.get::<PointsTo>(module)?;
    let sections = Sections::new(PASS.name, module, &graph)?;
    let executed: Vec<FunctionId> = (0..module.functions.len())
        .map(FunctionId::new)
        .filter(|&id| module.function(id).is_defined() && !sections.entered(id).is_empty())
        .collect();
    let mut waits = Waits::default();
    roots(module, &graph, &executed, &mut waits)?;
    let mut finder =
        Finder { module, points_to: &points_to, sections: &sections, waited: Vec::new() };
    for &id in &executed {
        analyses.limits().check()?;
        finder.waits(id, &mut waits)?;
    }
    for &id in &executed {
        analyses.limits().check()?;
        finder.ends(id, &mut waits)?;
    }
    Ok(waits)
}

/// Finds the functions whose return ends a thread that is not the initial one.
fn roots(
    module: &Module,
    graph: &CallGraph,
    executed: &[FunctionId],
    waits: &mut Waits,
) -> Result<(), PassError> {
    let sites = || executed.iter().flat_map(|&id| graph.sites(id));
    let all = |kind: Use| {
        let mut found = FxHashSet::default();
        for site in sites().filter(|site| site.kind == kind) {
            match site.callee {
                Some(callee) => drop(found.insert(callee)),
                None => found.extend(graph.address_taken()),
            }
        }
        found
    };
    let (started, called) = (all(Use::Spawn), all(Use::Call));
    let both = started.iter().find(|&&id| called.contains(&id) || module.entry == Some(id));
    if let Some(&id) = both {
        let message = "threads are started with this function, which is called too; deadlocks are not looked for there";
        return Err(PassError::new(PASS.name, module, Entity::Function(id), message));
    }
    waits.roots = started;
    Ok(())
}

struct Finder<'m> {
    module: &'m Module,
    points_to: &'m PointsTo,
    sections: &'m Sections,
    /// The places whose contents end waits, with sizes in bytes.
    waited: Vec<(Place, u64)>,
}

impl Finder<'_> {
    fn operation(&self, instruction: &Instruction) -> &str {
        self.module.operation(instruction.location).unwrap_or_default()
    }

    /// Calls `f` with each reachable instruction of a function, and with what it is executed in.
    fn each(
        &self,
        id: FunctionId,
        mut f: impl FnMut(BlockId, usize, &Instruction, Inside) -> Result<(), PassError>,
    ) -> Result<(), PassError> {
        let function = self.module.function(id);
        let starts = open_sections(PASS.name, self.module, id)?;
        for (block, data) in function.blocks() {
            let Some(mut open) = starts[block.index()].clone() else { continue };
            for (index, instruction) in data.instructions.iter().enumerate() {
                let entered = self.sections.entered(id).iter();
                let inside = entered.map(|&entered| within(entered, &open)).max();
                f(block, index, instruction, inside.unwrap_or(Inside::Nothing))?;
                step(&mut open, &instruction.op);
            }
        }
        Ok(())
    }

    /// That a model waits in code of its own: where the program calls it, if it does.
    fn not_inlined(&self, model: FunctionId) -> PassError {
        let is_call =
            |op: &Op| matches!(op, Op::Call { callee, .. } if *callee == Operand::Function(model));
        for (id, function) in self.module.functions().filter(|(_, function)| !function.is_model()) {
            for (block, data) in function.blocks() {
                if let Some(index) = data.instructions.iter().position(|call| is_call(&call.op)) {
                    let entity = Entity::Instruction(id, block, index);
                    let location = data.instructions[index].location;
                    return PassError::at(PASS.name, entity, location, NOT_INLINED);
                }
            }
        }
        PassError::new(PASS.name, self.module, Entity::Function(model), NOT_INLINED)
    }

    /// Notes where a function waits.
    fn waits(&mut self, id: FunctionId, waits: &mut Waits) -> Result<(), PassError> {
        let function = self.module.function(id);
        let file = self.module.files.get(function.location.file.index());
        let is_library = file.is_some_and(|file| file.starts_with(LIBRARY));
        if is_library && WAITING_MODELS.contains(&function.name.as_str()) {
            return Err(self.not_inlined(id));
        }
        let mut waited: Vec<(Place, u64)> = Vec::new();
        let mut found: Vec<(BlockId, usize, Action, String)> = Vec::new();
        self.each(id, |block, index, instruction, inside| {
            let name = self.operation(instruction);
            let refuse = |message: &str| {
                let entity = Entity::Instruction(id, block, index);
                Err(PassError::at(PASS.name, entity, instruction.location, message))
            };
            let is_timed = name.contains("timed");
            let (action, text) = match &instruction.op {
                Op::Sync { op, arguments } => {
                    let Some(&object) = arguments.first() else { return Ok(()) };
                    let of_condition = name.starts_with("pthread_cond_") || name.starts_with("cnd_");
                    let word = match op {
                        SyncOp::MutexLock | SyncOp::MutexUnlock if of_condition => {
                            return refuse(
                                "deadlocks are not looked for where a condition variable is used with a mutex that \
                                 may be recursive",
                            );
                        }
                        SyncOp::MutexLock => "mutex",
                        SyncOp::ReadLock | SyncOp::WriteLock => "read-write lock",
                        SyncOp::SemaphoreWait => "semaphore",
                        SyncOp::ConditionWait => "signal",
                        SyncOp::BarrierWait => return refuse("this operation has no model"),
                        SyncOp::ConditionSignal | SyncOp::ConditionBroadcast => {
                            return self.check_size(id, object).or_else(|message| refuse(&message));
                        }
                        _ => return Ok(()),
                    };
                    let action = if *op == SyncOp::ConditionWait {
                        if let Err(message) = self.check_size(id, object) {
                            return refuse(&message);
                        }
                        // The mutex is locked again.
                        let mutex = arguments.get(1).copied().unwrap_or(object);
                        waited.extend(self.cells(id, mutex, CELL));
                        Action::WaitForSignal { for_ever: !is_timed }
                    } else {
                        waited.extend(self.cells(id, object, CELL));
                        Action::Wait
                    };
                    let text = match (self.named(id, object), op) {
                        (None, _) => format!("a {word}"),
                        (Some(name), SyncOp::ConditionWait) => format!("a signal of '{name}'"),
                        (Some(name), _) => format!("{word} '{name}'"),
                    };
                    (action, text)
                }
                Op::Join { .. } => (Action::Wait, "the end of a thread".to_owned()),
                Op::AtomicBegin(Section::Locked) if WAITING_MODELS.contains(&name) => {
                    let code = &function.block(block).instructions[index + 1..];
                    let Some((code, condition)) = waiting(code) else { return Ok(()) };
                    for one in &code {
                        if let (Op::Load { address, .. }, Some(result)) = (&one.op, one.result) {
                            let ty = function.operand_type(Operand::Value(result));
                            waited.extend(self.cells(id, *address, ty.size(self.module)));
                        }
                    }
                    let text = if name == "pthread_barrier_wait" {
                        "the others at a barrier"
                    } else {
                        "what is executed once"
                    };
                    (Action::WaitInSection { code, condition }, text.to_owned())
                }
                Op::Assume { .. } if WAITING_MODELS.contains(&name) && inside == Inside::Locked => {
                    let waits = found.iter().any(|(at, from, action, _)| {
                        *at == block && *from < index && matches!(action, Action::WaitInSection { .. })
                    });
                    if !waits {
                        return refuse("deadlocks are not looked for where this waits");
                    }
                    return Ok(());
                }
                _ => return Ok(()),
            };
            if inside != Inside::Nothing {
                return refuse("this waits inside an atomic section; deadlocks are not looked for there");
            }
            if is_library {
                return refuse(NOT_INLINED);
            }
            // Who waits with a limit goes on some time.
            if is_timed && action == Action::Wait {
                return Ok(());
            }
            found.push((block, index, action, text));
            Ok(())
        })?;
        for (block, index, action, text) in found {
            let op = &function.block(block).instructions[index].op;
            waits.has_joins |= matches!(op, Op::Join { .. });
            waits.has_conditions |= matches!(action, Action::WaitForSignal { .. });
            waits.texts.insert((id, block, index), text);
            waits.actions.entry(id).or_default().insert((block, index), action);
        }
        self.waited.extend(waited);
        Ok(())
    }

    /// Notes what a function does that may end waits.
    fn ends(&self, id: FunctionId, waits: &mut Waits) -> Result<(), PassError> {
        let has_conditions = waits.has_conditions;
        let actions = waits.actions.entry(id).or_default();
        self.each(id, |block, index, instruction, inside| {
            let ends = Action::Ends { in_section: inside != Inside::Nothing };
            let action = match &instruction.op {
                Op::Sync { op, .. } => match op {
                    SyncOp::MutexUnlock
                    | SyncOp::SpinUnlock
                    | SyncOp::ReadWriteUnlock
                    | SyncOp::SemaphorePost => ends,
                    SyncOp::ConditionSignal if has_conditions => Action::Signals { all: false },
                    SyncOp::ConditionBroadcast if has_conditions => Action::Signals { all: true },
                    _ => return Ok(()),
                },
                Op::Store { address, ty, .. } => {
                    let name = self.operation(instruction);
                    if has_conditions && matches!(name, "pthread_cond_init" | "cnd_init") {
                        Action::Initialises
                    } else if self.is_waited(id, *address, ty) {
                        ends
                    } else {
                        return Ok(());
                    }
                }
                Op::CopyMemory { destination: address, ty, .. }
                | Op::HavocMemory { address, ty }
                    if self.is_waited(id, *address, ty) =>
                {
                    ends
                }
                Op::Spawn { .. } => Action::Starts,
                _ => return Ok(()),
            };
            actions.insert((block, index), action);
            Ok(())
        })
    }

    /// Whether a store through an address may end somebody's wait.
    fn is_waited(&self, id: FunctionId, address: Operand, ty: &Type) -> bool {
        let size = ty.size(self.module);
        let places = self.points_to.places(id, address);
        places.iter().any(|place| {
            self.waited.iter().any(|(waited, bytes)| place.may_meet(size, *waited, *bytes))
        })
    }

    /// The places of a cell of a size.
    fn cells(&self, id: FunctionId, address: Operand, size: u64) -> Vec<(Place, u64)> {
        self.points_to.places(id, address).into_iter().map(|place| (place, size)).collect()
    }

    /// Whether a condition variable has room for the counters.
    fn check_size(&self, id: FunctionId, condition: Operand) -> Result<(), String> {
        let room = |object: Object| object.ty(self.module).map(|ty| ty.size(self.module));
        let mut targets = self.points_to.targets(id, condition).into_iter();
        match targets.find_map(|object| room(object).filter(|&size| size < CONDITION)) {
            None => Ok(()),
            Some(size) => Err(format!(
                "this condition variable has {size} bytes, and deadlocks are looked for only if it has {CONDITION}"
            )),
        }
    }

    /// The name of what an address is of, if it is one object that has a name.
    fn named(&self, id: FunctionId, address: Operand) -> Option<String> {
        let places = self.points_to.places(id, address);
        let mut places = places.iter();
        let (Some(place), None) = (places.next(), places.next()) else { return None };
        let name = match place.object {
            Object::Global(id) => &self.module.globals.get(id.index())?.name,
            Object::Slot(id, slot) => {
                &self.module.functions.get(id.index())?.slots.get(slot.index())?.name
            }
            _ => return None,
        };
        // Which part of what the library's headers declare is of no interest.
        let is_start = place.offsets.single() == Some(0);
        Some(if is_start { name.clone() } else { place.text(self.module, name) })
    }
}

/// The code of a section before its assumption, and what it assumes, if it waits for what it reads. What other
/// passes assert there is asserted when the section is executed.
fn waiting(section: &[Instruction]) -> Option<(Vec<Instruction>, Operand)> {
    let is_assertion = |op: &Op| matches!(op, Op::Assert { .. });
    let reads = |op: &Op| matches!(op, Op::Load { .. } | Op::Accessible { .. });
    let end = section.iter().position(|instruction| {
        let op = &instruction.op;
        !(op.is_pure() || reads(op) || is_assertion(op))
    })?;
    let Op::Assume { condition } = section[end].op else { return None };
    let code = section[..end].iter().filter(|instruction| !is_assertion(&instruction.op));
    Some((code.cloned().collect(), condition))
}

/// Whether a terminator ends a thread for which `__CPROVER_live` counts one less.
pub(super) fn ends_thread(kind: &TerminatorKind, is_root: bool) -> bool {
    match kind {
        TerminatorKind::EndThread(_) => true,
        TerminatorKind::Return(_) => is_root,
        _ => false,
    }
}

/// The blocks of a function at whose end a thread ends.
pub(super) fn last_blocks(function: &Function, is_root: bool) -> Vec<BlockId> {
    let blocks = function.blocks();
    blocks
        .filter(|(_, data)| ends_thread(&data.terminator.kind, is_root))
        .map(|(block, _)| block)
        .collect()
}
