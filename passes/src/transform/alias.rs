//! `alias` and `print-alias`: what memory instructions may access.
//!
//! `alias` rejects programs in which shared memory or another thread may hold
//! the address of a stack object (SAPA section 3: such an address says nothing
//! that is the same for all threads). It changes nothing.

use std::fmt::Write;

use rustc_hash::FxHashSet;
use sapa_ir::goto::{Instruction, Module, Op};

use crate::analysis::points_to::{Escape, Object, Place, PointsTo};
use crate::error::PassError;
use crate::option::{OptionKind, OptionSpec};
use crate::pass::{Context, Pass, Run};

/// The pass that rejects.
pub const PASS: Pass = Pass {
    name: "alias",
    summary: "reject programs that share addresses of stack objects between threads",
    options: &[],
    preserves: &[],
    run: Run::Module(run),
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
    preserves: &[],
    run: Run::Module(print),
};

fn run(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    match context.analyses.get::<PointsTo>(module)?.escape(module) {
        None => Ok(false),
        Some(Escape { entity, location, text, taken }) => {
            let notes = taken.map(|taken| (taken, Escape::TAKEN)).into_iter().collect();
            Err(PassError::Refused { pass: PASS.name, entity, location, message: text, notes })
        }
    }
}

fn print(module: &mut Module, context: &mut Context<'_>) -> Result<bool, PassError> {
    let line = context.options.number("line");
    let points_to = context.analyses.get::<PointsTo>(module)?;
    let shared = points_to.shared(module);
    for (id, function) in module.functions().filter(|(_, f)| f.is_defined()) {
        let all = function.instructions();
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
                .places(id, address)
                .into_iter()
                .map(|place| name(module, place, &shared))
                .collect();
            let place = module.describe(instruction.location);
            let _ = writeln!(context.report, "  {place}: {word} {}", names.join(", "));
        }
    }
    Ok(false)
}

/// A place and whether it is shared, in words.
fn name(module: &Module, place: Place, shared: &FxHashSet<Object>) -> String {
    let name = match place.object {
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
        Object::Forged => "anything that a number is the address of".to_owned(),
        Object::Number => "a number".to_owned(),
    };
    let is_shared = place.object.is_any() || shared.contains(&place.object);
    let scope = if is_shared { "shared" } else { "local" };
    format!("{} ({scope})", place.text(module, &name))
}
