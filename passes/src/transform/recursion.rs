//! `recursion`: calls within cycles of calls become threads that the caller waits for (BOPPO section
//! 4.3), so that what is behind it has no recursion.
//!
//! Each such call `r = f(e)` has a synchronisation variable of its own, and a register for the result:
//! ```text
//! caller:  spawn f.call(e)                 f.call(p):  r = f(p)            // inlined later
//!          atomic: assume answered             atomic: assume !answered
//!                  answered = 0, r = result            answered = 1, result = r
//! ```
//!
//! *Every run of the program is one of the translation*, if any number of threads may exist. A thread
//! within n recursive calls is n threads that wait and one that runs. A call is the start, a return the answer and
//! its acceptance by the thread that stands for the caller, each with nothing in between: so no answer is
//! pending when one is given. A caller's values and stack objects are its thread's own, as those of a
//! frame are. A thread that waits at the same call may take an answer in another's place: that is the loss, and a
//! failure in the translation means nothing for the program. The note [`CALLS_AS_THREADS`] says so to
//! whoever gives a verdict; it also says that a bound on threads, which would count those of calls, says nothing.
//!
//! Refused, with both places, is where a callee would see that its thread is another one: it reaches a
//! thread-local object, the thread's own handle, or a stack object of a function that calls itself, or
//! it ends its thread, which others may wait for. So is a call inside an atomic section, in which no other
//! thread can go on. Under TSO and PSO nothing is translated, as the store buffer of a thread would be left
//! behind (the driver sees to that).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, hash_map};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use sapa_ir::goto::cfg::Cfg;
use sapa_ir::goto::types::BOOL;
use sapa_ir::goto::{
    Builder, CompareOp, Entity, Function, FunctionId, Global, GlobalId, Initializer, Instruction,
    Location, MemoryOrder, Module, Op, Operand, Section, TerminatorKind, Type,
};
use sapa_limits::Limits;

use super::copy_function;
use crate::analysis::call_graph::CallGraph;
use crate::analysis::points_to::{Object, PointsTo};
use crate::error::PassError;
use crate::pass::{Context, Pass, Run};

/// The pass.
pub const PASS: Pass = Pass {
    name: "recursion",
    summary: "make recursive calls threads that the caller waits for: proofs hold, failures do not",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
};

/// The note of a module in which recursive calls are threads: all runs of the program are runs of it,
/// with any number of threads, and others.
pub const CALLS_AS_THREADS: &str =
    "recursive calls are threads: neither a failure nor a bound on threads says anything";

/// Whether recursive calls of a program are threads in a module.
#[must_use]
pub fn has_calls_as_threads(module: &Module) -> bool {
    module.notes.iter().any(|note| note == CALLS_AS_THREADS)
}

/// A call within a cycle of calls: of which function, and by which instruction.
struct Site {
    caller: FunctionId,
    callee: FunctionId,
    at: Entity,
    location: Location,
}

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let sites = sites(module);
    if sites.is_empty() {
        return Ok(false);
    }
    let graph = context.analyses.get::<CallGraph>(module)?;
    let calls = calls(module, &graph);
    let reached = reached(&calls, &sites);
    refuse_own_thread(module, &reached)?;
    refuse_atomic(module, (&calls, &graph), &sites)?;
    let points_to = context.analyses.get::<PointsTo>(module)?;
    refuse_stacks(module, &sites, &reached, &points_to)?;
    let mut started = BTreeMap::new();
    for (number, site) in sites.iter().enumerate() {
        context.limits.check()?;
        started.insert(site.at, answering(module, site, number));
    }
    let callers: BTreeSet<FunctionId> = sites.iter().map(|site| site.caller).collect();
    for caller in callers {
        let mut function = std::mem::take(&mut module.functions[caller.index()]);
        function.rewrite(|builder, (block, index), instruction| {
            match started.get(&Entity::Instruction(caller, block, index)) {
                Some(thread) => thread.call(builder, instruction),
                None => builder.push(instruction),
            }
        });
        module.functions[caller.index()] = function;
    }
    module.note(CALLS_AS_THREADS);
    Ok(true)
}

/// Whom a function calls by name.
fn callees(function: &Function) -> impl Iterator<Item = FunctionId> {
    function.instructions().filter_map(callee)
}

fn callee(instruction: &Instruction) -> Option<FunctionId> {
    match instruction.op {
        Op::Call { callee: Operand::Function(callee), .. } => Some(callee),
        _ => None,
    }
}

/// The calls within cycles. Those through pointers are none: `inline` refuses a cycle of them.
fn sites(module: &Module) -> Vec<Site> {
    let mut graph = DiGraph::<(), ()>::new();
    for _ in &module.functions {
        graph.add_node(());
    }
    for (id, function) in module.functions() {
        for callee in callees(function) {
            graph.add_edge(NodeIndex::new(id.index()), NodeIndex::new(callee.index()), ());
        }
    }
    let mut component = vec![0; module.functions.len()];
    for (number, members) in kosaraju_scc(&graph).iter().enumerate() {
        members.iter().for_each(|member| component[member.index()] = number);
    }
    let mut sites = Vec::new();
    for (caller, function) in module.functions() {
        for (at, instruction) in function.entities(caller) {
            if let Some(callee) = callee(instruction)
                && component[caller.index()] == component[callee.index()]
                && module.function(callee).is_defined()
            {
                sites.push(Site { caller, callee, at, location: instruction.location });
            }
        }
    }
    sites
}

/// A call, or what one through a pointer may be.
struct Call {
    at: Entity,
    callee: FunctionId,
    location: Location,
}

/// The calls of each function; those through pointers may be of any function whose address is taken.
fn calls(module: &Module, graph: &CallGraph) -> Vec<Vec<Call>> {
    let of_function = |id: FunctionId, function: &Function| {
        let mut calls = Vec::new();
        for (at, instruction) in function.entities(id) {
            let location = instruction.location;
            match instruction.op {
                Op::Call { callee: Operand::Function(callee), .. } => {
                    calls.push(Call { at, callee, location });
                }
                Op::Call { .. } => {
                    let any = graph.address_taken().iter();
                    calls.extend(any.map(|&callee| Call { at, callee, location }));
                }
                _ => {}
            }
        }
        calls
    };
    module.functions().map(|(id, function)| of_function(id, function)).collect()
}

/// The functions that threads of calls execute, each with a recursive call that leads to it.
fn reached<'s>(calls: &[Vec<Call>], sites: &'s [Site]) -> BTreeMap<FunctionId, &'s Site> {
    let mut reached = BTreeMap::new();
    for site in sites {
        let mut pending = vec![site.callee];
        while let Some(function) = pending.pop() {
            if let Entry::Vacant(new) = reached.entry(function) {
                new.insert(site);
                pending.extend(calls[function.index()].iter().map(|call| call.callee));
            }
        }
    }
    reached
}

fn refused(site: &Site, message: &str, (place, what): (Location, &'static str)) -> PassError {
    PassError::Refused {
        pass: PASS.name,
        entity: Entity::Function(site.caller),
        location: site.location,
        message: format!("recursion is not supported here: {message}"),
        notes: vec![(place, what)],
    }
}

/// Refuses what is another thing in another thread.
fn refuse_own_thread(
    module: &Module,
    reached: &BTreeMap<FunctionId, &Site>,
) -> Result<(), PassError> {
    let is_own = |operand: Operand| match operand {
        Operand::Global(id) => module.globals.get(id.index()).is_some_and(|g| g.thread_local),
        _ => false,
    };
    for (&id, site) in reached {
        let function = module.function(id);
        for instruction in function.instructions() {
            let mut reaches_own = false;
            instruction.op.for_each_operand(|operand| reaches_own |= is_own(operand));
            if reaches_own {
                let message = "the callee reaches an object that each thread has its own of";
                let place = (instruction.location, "the thread-local object is reached here");
                return Err(refused(site, message, place));
            }
            if matches!(instruction.op, Op::ThreadSelf) {
                let message = "the callee asks which thread it is in";
                let place = (instruction.location, "the thread is asked for here");
                return Err(refused(site, message, place));
            }
        }
        for block in &function.blocks {
            let mut reaches_own = false;
            block.terminator.kind.for_each_operand(|operand| reaches_own |= is_own(operand));
            if reaches_own {
                let message = "the callee reaches an object that each thread has its own of";
                let place = (block.terminator.location, "the thread-local object is reached here");
                return Err(refused(site, message, place));
            }
            if matches!(block.terminator.kind, TerminatorKind::EndThread(_)) {
                let message = "the callee ends its thread";
                let place = (block.terminator.location, "the thread is ended here");
                return Err(refused(site, message, place));
            }
        }
    }
    Ok(())
}

/// Refuses recursive calls of which the callee reaches stack objects that there are several of.
fn refuse_stacks(
    module: &Module,
    sites: &[Site],
    reached: &BTreeMap<FunctionId, &Site>,
    points_to: &PointsTo,
) -> Result<(), PassError> {
    for site in sites {
        let Entity::Instruction(caller, block, index) = site.at else { continue };
        let instruction = &module.function(caller).block(block).instructions[index];
        let Op::Call { arguments, .. } = &instruction.op else { continue };
        let targets: BTreeSet<Object> =
            arguments.iter().flat_map(|&argument| points_to.targets(caller, argument)).collect();
        let is_frame = |object: &&Object| matches!(object, Object::Slot(owner, _) if reached.contains_key(owner));
        let Some(&object) = targets.iter().find(is_frame) else { continue };
        for &id in reached.keys() {
            for instruction in module.function(id).instructions() {
                let mut reaches = false;
                for_each_address(&instruction.op, |operand| {
                    reaches |= matches!(operand, Operand::Value(_))
                        && points_to.targets(id, operand).contains(&object);
                });
                if reaches {
                    let message = "the callee reaches a stack object of its caller";
                    let place = (instruction.location, "the object is reached here");
                    return Err(refused(site, message, place));
                }
            }
        }
    }
    Ok(())
}

/// Calls `f` with the operands whose objects an operation may access.
fn for_each_address(op: &Op, mut f: impl FnMut(Operand)) {
    match op {
        Op::Load { address, .. } | Op::Store { address, .. } | Op::HavocMemory { address, .. } => {
            f(*address);
        }
        Op::Call { .. } | Op::Spawn { .. } => {}
        op if op.is_pure() => {}
        op => op.for_each_operand(f),
    }
}

/// Refuses recursive calls inside atomic sections, which may be those of callers.
fn refuse_atomic(
    module: &Module,
    (calls, graph): (&[Vec<Call>], &CallGraph),
    sites: &[Site],
) -> Result<(), PassError> {
    let mut depths = Depths { module, changes: FxHashMap::default(), calls: FxHashMap::default() };
    module.functions().for_each(|(id, _)| depths.of(id));
    // Calls through pointers were taken to leave sections as they are.
    let changes_depth = |id: &FunctionId| depths.changes.get(id).is_some_and(|&by| by != 0);
    let by_pointer = module.functions().find_map(|(_, function)| {
        let is_one = |i: &&Instruction| matches!(i.op, Op::Call { .. }) && callee(i).is_none();
        function.instructions().find(is_one).map(|instruction| instruction.location)
    });
    if let (Some(location), Some(site)) = (by_pointer, sites.first())
        && graph.address_taken().iter().any(changes_depth)
    {
        let message =
            "a function that begins or ends an atomic section may be called through a pointer";
        return Err(refused(site, message, (location, "such a function may be called here")));
    }
    // A call that no run comes to has no depth.
    let is_inside = |at: Entity| depths.calls.get(&at).is_some_and(|&depth| depth > 0);
    let mut inside: BTreeMap<FunctionId, Location> = BTreeMap::new();
    let directly = calls.iter().flatten().filter(|call| is_inside(call.at));
    let mut pending: Vec<_> = directly.map(|call| (call.callee, call.location)).collect();
    while let Some((function, location)) = pending.pop() {
        if let Entry::Vacant(new) = inside.entry(function) {
            new.insert(location);
            pending.extend(calls[function.index()].iter().map(|call| (call.callee, location)));
        }
    }
    for site in sites {
        let own = Some(site.location).filter(|_| is_inside(site.at));
        if let Some(location) = own.or_else(|| inside.get(&site.caller).copied()) {
            let message =
                "the call may be inside an atomic section, in which no other thread goes on";
            return Err(refused(site, message, (location, "the section is around this call")));
        }
    }
    Ok(())
}

/// At which depths of atomic sections calls are, relative to their functions' own calls.
struct Depths<'m> {
    module: &'m Module,
    /// By how much calls of functions change the depth; 0 while that is being found out, as that of a
    /// recursive function is.
    changes: FxHashMap<FunctionId, i64>,
    calls: FxHashMap<Entity, i64>,
}

impl Depths<'_> {
    /// By how much a call of the function changes the depth.
    fn of(&mut self, root: FunctionId) {
        let mut stack = vec![(root, false)];
        while let Some((id, is_open)) = stack.pop() {
            if is_open {
                let change = self.walk(id);
                self.changes.insert(id, change);
            } else if let hash_map::Entry::Vacant(new) = self.changes.entry(id) {
                new.insert(0);
                stack.push((id, true));
                stack.extend(callees(self.module.function(id)).map(|callee| (callee, false)));
            }
        }
    }

    fn walk(&mut self, id: FunctionId) -> i64 {
        let function = self.module.function(id);
        if !function.is_defined() {
            return 0;
        }
        let cfg = Cfg::new(function);
        let mut depths: Vec<i64> = vec![0; function.blocks.len()];
        let mut at_return = 0;
        for &block in cfg.reverse_postorder() {
            let mut depth = depths[block.index()];
            for (index, instruction) in function.block(block).instructions.iter().enumerate() {
                match instruction.op {
                    Op::AtomicBegin(_) => depth += 1,
                    Op::AtomicEnd => depth -= 1,
                    _ => {}
                }
                if matches!(instruction.op, Op::Call { .. }) {
                    self.calls.insert(Entity::Instruction(id, block, index), depth);
                }
                if let Some(callee) = callee(instruction) {
                    depth += self.changes.get(&callee).copied().unwrap_or(0);
                }
            }
            for successor in cfg.successors(block) {
                depths[successor.index()] = depth;
            }
            if matches!(function.block(block).terminator.kind, TerminatorKind::Return(_)) {
                at_return = depth;
            }
        }
        at_return
    }
}

/// Gives each function of a cycle of calls copies, of which each calls the next one: in the last one of
/// `depth` copies a further call is one of which nothing is known. A run that does not come there is one of
/// the program; there it ends, and what is asserted of it rests on what is not modelled, so that it is
/// neither a failure nor a proof. Whether anything changed.
pub(super) fn unroll(module: &mut Module, depth: u32, limits: &Limits) -> Result<bool, PassError> {
    let sites = sites(module);
    let mut by_caller: BTreeMap<FunctionId, Vec<&Site>> = BTreeMap::new();
    for site in &sites {
        by_caller.entry(site.caller).or_default().push(site);
    }
    // The function that stands for another one at the level that is being made, and at the next one.
    let mut level: BTreeMap<FunctionId, FunctionId> =
        by_caller.keys().map(|&id| (id, id)).collect();
    // Copies are made before any of the calls are changed.
    let mut levels = vec![level.clone()];
    for number in 1..=depth {
        for (&original, copy) in &mut level {
            limits.check()?;
            *copy = copy_function::copy(module, original, &format!(".{number}"));
        }
        levels.push(level.clone());
    }
    for (number, level) in levels.iter().enumerate() {
        let next = levels.get(number + 1);
        for (original, sites) in &by_caller {
            limits.check()?;
            let Some(&id) = level.get(original) else { continue };
            let at: BTreeMap<Entity, FunctionId> =
                sites.iter().map(|site| (site.at, site.callee)).collect();
            let mut function = std::mem::take(&mut module.functions[id.index()]);
            function.rewrite(|builder, (block, index), mut instruction| {
                let Some(called) = at.get(&Entity::Instruction(*original, block, index)) else {
                    return builder.push(instruction);
                };
                match (next.and_then(|next| next.get(called)), &mut instruction.op) {
                    (Some(&copy), Op::Call { callee, .. }) => *callee = Operand::Function(copy),
                    _ => return cut(builder, instruction, depth),
                }
                builder.push(instruction);
            });
            module.functions[id.index()] = function;
        }
    }
    Ok(!sites.is_empty())
}

/// A call of which nothing is known.
fn cut(builder: &mut Builder<'_>, call: Instruction, depth: u32) {
    let name = format!("recursion deeper than {depth}");
    let condition = builder.define(Op::Nondet { unmodelled: Some(name) }, BOOL);
    let property = format!("no recursion is deeper than {depth}");
    builder.effect(Op::Assert { condition, property });
    builder.effect(Op::Assume { condition: Operand::bool(false) });
    if call.result.is_some() {
        let op = Op::Nondet { unmodelled: None };
        builder.push(Instruction { op, result: call.result, location: call.location });
    }
}

/// What a recursive call starts and waits for.
struct Answering {
    function: FunctionId,
    /// Not 0 while an answer is there.
    answered: GlobalId,
    /// What the callee returns.
    result: Option<(GlobalId, Type)>,
}

const FLAG: Type = Type::Int(8);

fn flag(value: bool) -> Operand {
    Operand::int(8, u128::from(value))
}

/// Makes the function of the threads that a call starts.
fn answering(module: &mut Module, site: &Site, number: usize) -> Answering {
    let callee = module.function(site.callee);
    let (name, parameters, result) =
        (callee.name.clone(), callee.parameters.clone(), callee.result.clone());
    let mut global = |what: &str, ty: Type| {
        module.add_global(Global {
            name: format!("{name}.{what}#{number}"),
            ty,
            initializer: Initializer::Zero,
            thread_local: false,
            constant: false,
            signed: false,
            location: site.location,
        })
    };
    let answered = global("answered", FLAG);
    let register = result.clone().map(|ty| (global("result", ty.clone()), ty));
    let mut unique = format!("{name}.call#{number}");
    while module.function_by_name(&unique).is_some() {
        unique.push('\'');
    }
    let mut function = Function::declaration(unique, parameters.clone(), None, site.location);
    let mut builder = Builder::new(&mut function, site.location);
    let entry = builder.add_block();
    builder.switch_to(entry);
    let arguments = parameters
        .into_iter()
        .map(|ty| Operand::Value(builder.add_block_parameter(entry, ty, None)))
        .collect();
    let call = Op::Call { callee: Operand::Function(site.callee), arguments };
    let value = match &register {
        Some((_, ty)) => Some(builder.define(call, ty.clone())),
        None => {
            builder.effect(call);
            None
        }
    };
    builder.effect(Op::AtomicBegin(Section::Locked));
    let pending = builder.load(FLAG, Operand::Global(answered));
    let condition = builder.compare(CompareOp::Eq, pending, flag(false));
    builder.effect(Op::Assume { condition });
    builder.store(FLAG, Operand::Global(answered), flag(true));
    if let (Some((register, ty)), Some(value)) = (&register, value) {
        builder.store(ty.clone(), Operand::Global(*register), value);
    }
    builder.effect(Op::AtomicEnd);
    builder.terminate(TerminatorKind::Return(None));
    module.functions.push(function);
    let function = FunctionId::new(module.functions.len() - 1);
    Answering { function, answered, result: register }
}

impl Answering {
    /// Puts the start and the wait in place of a call.
    fn call(&self, builder: &mut Builder<'_>, call: Instruction) {
        let Op::Call { arguments, .. } = call.op else { return };
        builder.effect(Op::Spawn { function: Operand::Function(self.function), arguments });
        builder.effect(Op::AtomicBegin(Section::Locked));
        let answered = builder.load(FLAG, Operand::Global(self.answered));
        let condition = builder.compare(CompareOp::Ne, answered, flag(false));
        builder.effect(Op::Assume { condition });
        builder.store(FLAG, Operand::Global(self.answered), flag(false));
        if let (Some((register, _)), Some(result)) = (&self.result, call.result) {
            let (address, order) = (Operand::Global(*register), MemoryOrder::Plain);
            let op = Op::Load { address, order, volatile: false };
            builder.push(Instruction { op, result: Some(result), location: call.location });
        }
        builder.effect(Op::AtomicEnd);
    }
}
