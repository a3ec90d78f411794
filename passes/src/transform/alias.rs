//! `alias` and `print-alias`: what memory instructions may access.
//!
//! `alias` rejects programs in which shared memory or another thread may hold
//! the address of a stack object (SAPA section 3: such an address says nothing
//! that is the same for all threads). It changes nothing.

use std::collections::BTreeSet;
use std::fmt::Write;

use rustc_hash::FxHashSet;
use sapa_ir::goto::{FunctionId, Instruction, Location, Module, Op, Operand};

use crate::analysis::points_to::{Object, PointsTo};
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Changed, Context, Pass};

/// The pass that rejects.
pub const PASS: Pass = Pass {
    name: "alias",
    summary: "reject programs that share addresses of stack objects between threads",
    options: &[],
    run,
};

/// The pass that prints.
pub const PRINT: Pass = Pass {
    name: "print-alias",
    summary: "print what each memory instruction may access, and whether it is shared",
    options: &[OptionSpec {
        name: "line",
        kind: OptionKind::Number(0),
        summary: "only what stands at this source line; 0 for all",
    }],
    run: print,
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<Changed, PassError> {
    let points_to = context.analyses.points_to(module);
    let shared = points_to.shared(module);
    for (id, function) in module.functions() {
        for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
            let Some(object) = escaping(&points_to, &shared, id, instruction) else { continue };
            let (owner, slot) = match object {
                Object::Slot(owner, slot) => (module.function(owner), slot),
                _ => continue,
            };
            let name = owner.slots.get(slot.index()).map_or("?", |s| s.name.as_str());
            let taken = module.describe(taken_at(module, object));
            let message = format!(
                "the address of local '{name}' of '{}' (taken at {taken}) gets into shared memory \
                 or another thread here",
                owner.name
            );
            return Err(PassError::new(
                PASS.name,
                module,
                &function.name,
                instruction.location,
                message,
            ));
        }
    }
    Ok(Changed::No)
}

/// A stack object whose address the instruction gives to shared memory or a thread.
fn escaping(
    points_to: &PointsTo,
    shared: &FxHashSet<Object>,
    id: FunctionId,
    instruction: &Instruction,
) -> Option<Object> {
    let slot = |set: BTreeSet<Object>| set.into_iter().find(|o| matches!(o, Object::Slot(..)));
    let is_shared =
        |address: Operand| points_to.targets(id, address).iter().any(|o| shared.contains(o));
    match &instruction.op {
        Op::Spawn { arguments, .. } => {
            arguments.iter().find_map(|&argument| slot(points_to.targets(id, argument)))
        }
        Op::Store { address, value, .. } if is_shared(*address) => {
            slot(points_to.targets(id, *value))
        }
        Op::CopyMemory { destination, source, .. } if is_shared(*destination) => {
            let sources = points_to.targets(id, *source);
            sources.into_iter().find_map(|object| slot(points_to.contents(object)))
        }
        _ => None,
    }
}

/// Where the address of a stack object is used other than to access it.
fn taken_at(module: &Module, object: Object) -> Location {
    let Object::Slot(owner, slot) = object else { return Location::default() };
    let function = module.function(owner);
    let instructions = function.blocks.iter().flat_map(|b| &b.instructions);
    let taking = instructions.filter(|instruction| {
        let mut found = false;
        match &instruction.op {
            Op::Load { .. } => {}
            Op::Store { value, .. } => found = *value == Operand::Slot(slot),
            op => op.for_each_operand(|operand| found |= operand == Operand::Slot(slot)),
        }
        found
    });
    taking.map(|instruction| instruction.location).next().unwrap_or(function.location)
}

fn print(module: &mut Module, context: &mut Context<'_>) -> Result<Changed, PassError> {
    let line = context.options.number("line");
    let points_to = context.analyses.points_to(module);
    let shared = points_to.shared(module);
    for (id, function) in module.functions().filter(|(_, f)| f.is_defined()) {
        let all = function.blocks.iter().flat_map(|b| &b.instructions);
        let here = |i: &&Instruction| line == 0 || u64::from(i.location.line) == line;
        if line == 0 || all.clone().any(|i| here(&i)) {
            let _ = writeln!(context.report, "function {}", function.name);
        }
        for instruction in all.filter(here) {
            let (word, address) = match &instruction.op {
                Op::Load { address, .. } => ("reads", *address),
                Op::Store { address, .. } => ("writes", *address),
                Op::HavocMemory { address, .. } => ("havocs", *address),
                Op::CopyMemory { destination, .. } => ("writes", *destination),
                Op::Free { address } => ("frees", *address),
                _ => continue,
            };
            let names: Vec<_> = points_to
                .targets(id, address)
                .into_iter()
                .map(|object| name(module, object, &shared))
                .collect();
            let place = module.describe(instruction.location);
            let _ = writeln!(context.report, "  {place}: {word} {}", names.join(", "));
        }
    }
    Ok(Changed::No)
}

/// An object and whether it is shared, in words.
fn name(module: &Module, object: Object, shared: &FxHashSet<Object>) -> String {
    let name = match object {
        Object::Global(id) => module.globals[id.index()].name.clone(),
        Object::Function(id) => module.function(id).name.clone(),
        Object::Slot(id, slot) => {
            let function = module.function(id);
            let slot = function.slots.get(slot.index()).map_or("?", |s| s.name.as_str());
            format!("{}::{slot}", function.name)
        }
        Object::Allocation(id, block, index) => {
            let function = module.function(id);
            let instruction = function.block(block).instructions.get(index as usize);
            let place = instruction.map_or(function.location, |i| i.location);
            format!("allocation at {}", module.describe(place))
        }
        Object::Unknown => "anything".to_owned(),
    };
    let scope = if shared.contains(&object) { "shared" } else { "local" };
    format!("{name} ({scope})")
}
